# SPDX-License-Identifier: GPL-3.0-or-later
# Several traces as one: by their own zeros or by dates, in the order of submission, each job under an id of its own.
columns() { # FILE NAMES: these of a table, by name
	awk -F, -v want="$2" '!/^#/ {
		if (!n) for (i = 1; i <= NF; i++) at[$i] = i
		k = split(want, name, " ")
		for (i = 1; i <= k; i++) printf "%s%s", $at[name[i]], i < k ? "," : "\n"
		n = 1
	}' "$1"
}
cat >batch.swf <<'END'
; MaxProcs: 8
; MaxJobs: 3
1 0 -1 10 2 -1 -1 2 20 -1 1 3 -1 -1 -1 -1 -1 -1
2 30 -1 10 2 -1 -1 2 20 -1 1 3 -1 -1 -1 -1 -1 -1
3 40 -1 10 2 -1 -1 2 20 -1 1 3 -1 -1 -1 -1 1 5
END
cat >ann.csv <<'END'
job_id,user,submit,run_time,time_limit,tasks,name,begin,dependency
2,ann,2024-01-01T00:00:10,10,20,1,x,,
3,ann,2024-01-01T00:00:40,10,20,1,y,2024-01-01T00:00:50,afterok:2:9
END
cat >bob.csv <<'END'
job_id,user,submit,run_time,time_limit,tasks
2-3,bob,2024-01-01T00:00:20,10,20,1
2,bob,2024-01-01T00:00:05,10,20,1
END
say="job_id user submit run_time tasks name begin dependency"
echo "- own zeros"
schedlab convert batch.swf ann.csv -o merged.csv --to table
grep '^#' merged.csv
columns merged.csv "$say"
echo "- dates; the second file's 2 is new"
schedlab convert ann.csv bob.csv -o dated.csv --to table
grep '^#' dated.csv
columns dated.csv "$say"
echo "- a name that is taken is not given again"
schedlab convert batch.swf batch.swf bob.csv -o three.csv --to table
columns three.csv "job_id user submit"
echo "- as SWF, links to a job of another id are gone"
schedlab convert batch.swf batch.swf -o -
echo "- the whole can be run"
schedlab run three.csv --quiet --set cluster.cpus=8 -o out >/dev/null
wc -l <out/jobs.csv
echo "- refused"
schedlab convert batch.swf ann.csv out.csv
echo "exit $?"
schedlab convert --clean batch.swf ann.csv -o out.csv
echo "exit $?"
schedlab convert batch.swf none.csv -o out.csv
echo "exit $?"
schedlab convert batch.swf ann.csv -o out.csv --to yaml
echo "exit $?"
printf 'job_id,submit,run_time,tasks,array,array_task\n7,0,5,1,100,0\n8,0,5,1,100,1\n' >array.csv
schedlab convert array.csv array.csv -o out.csv
echo "exit $?"
test ! -e out.csv && echo "nothing was written"
