# Starts that step tells are those of the run, under policies of each kind; and a screen is the same after going on and
# back again, decision by decision too.
bundled=$ROOT/traces/bundled
week=$ROOT/docs/examples/slurm
kueue=$ROOT/docs/examples/kueue
runai=$ROOT/docs/examples/runai

# starts NAME TRACE-AND-OPTIONS...: first starts, by job.
starts() {
	name=$1
	shift
	schedlab run "$@" -o run --force --only jobs --quiet >/dev/null 2>said || cat said
	awk -F, 'NR > 1 && $7 != "" { print $1, $7 }' run/jobs.csv | sort >expected
	schedlab step "$@" --json --quiet 2>said |
		sed -n 's/^{"event": "start", "at": \([^,]*\), "job": "\([^"]*\)".*/\2 \1/p' | sort -s -k1,1 -u >found
	if cmp -s expected found; then
		echo "$name: $(wc -l <found) jobs start when they do"
	else
		diff expected found | head -n 5
	fi
}
# again NAME TRACE-AND-OPTIONS...: the same screen again.
again() {
	name=$1
	shift
	printf 'n 8\nshow\nn 4\nb 4\nshow\nN 5\nb 100\nt begin\nn 8\nshow\n' |
		schedlab step "$@" --script - --quiet --size 100x30 2>said |
		awk '/^> /{ part++ } /^> show/ { screens++ } { text[part] = text[part] "\n" $0 }
			END { same = text[2] == text[5] && text[2] == text[10] && screens == 3
				print "the same screen: " (same ? "yes" : "no") }' |
		sed "s/^/$name: /"
}
both() {
	starts "$@"
	again "$@"
}
both easy "$bundled/lublin-256.swf" --jobs 400
both conservative "$bundled/lublin-256.swf" --jobs 400 -p conservative
both gpus "$bundled/gpu-200.csv" -c "$bundled/gpu-cluster.yaml" -p fairshare
both slurm "$week/week.txt" -c "$week" -p slurm
both kueue "$kueue/two-teams.csv" -c "$kueue/two-teams.yaml" -p kueue
both runai "$runai/owner.csv" -c "$runai/cluster.yaml" -p "runai:projects=$runai/projects.yaml"
both kube "$bundled/gpu-200.csv" -c "$bundled/gpu-cluster.yaml" -p kube
both gang "$bundled/lublin-256.swf" --jobs 100 -p gang
both failures "$bundled/gpu-200.csv" -c "$bundled/gpu-cluster.yaml" --model failures:mtbf=5d
again recorded "$week/week.txt" -c "$week" -p easy:place=slurm --from 2026-03-03T00:00:00 --set replay.start=recorded

# What a preemption says, and GPUs as boxes.
printf 'n 2\nexpect kueue preempts J1 for J4: the owner of the quota claimed it back\n' |
	schedlab step "$kueue/two-teams.csv" -c "$kueue/two-teams.yaml" -p kueue --script - --quiet | tail -n 3
printf 'n 40\nshow\ng\nshow\n' | schedlab step "$bundled/gpu-200.csv" -c "$bundled/gpu-cluster.yaml" -p fairshare --script - \
	--quiet --size 100x30 | sed -n '/^> show/,$p'
printf 'n 60\nshow\n' | schedlab step "$week/week.txt" -c "$week" -p slurm --script - --quiet --size 60x20 --utf8 | sed -n '/^> show/,$p'
# The first sentence of each kind, and how many there are of it.
kinds() {
	schedlab step "$@" --json --quiet 2>said | sed -n 's/^{"event": "\([a-z_]*\)".*"text": "\(.*\)"}/\1|\2/p' |
		awk -F'|' '!count[$1]++ { first[$1] = $2 } END { for (kind in count) print kind, count[kind] ": " first[kind] }' | sort
}
echo "-- a week under Slurm's files"
kinds "$week/week.txt" -c "$week" -p easy:place=slurm
echo "-- nodes that fail"
kinds "$bundled/gpu-200.csv" -c "$bundled/gpu-cluster.yaml" --model failures:mtbf=2d
echo "-- turns"
kinds "$bundled/lublin-256.swf" --jobs 200 -p slices
