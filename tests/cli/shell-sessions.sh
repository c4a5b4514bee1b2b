# SPDX-License-Identifier: GPL-3.0-or-later
# A session is its inputs: saved and loaded it is the same, each undo is one input less, what is no session is
# refused, and nothing is left of one that could not be loaded.
set -u
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
shell() { schedlab --data=share shell "$@"; }
cat >first.txt <<'END'
srun --gres=gpu:1 --time=1:00:00 --pty bash
advance 10m
exit
as alice
sbatch job.sh <<STOP
#!/bin/sh
sleep 300
STOP
sudo scontrol update NodeName=dgx0180 State=DRAIN Reason=fan
sbatch --array=1-2 --wrap "sleep 100"
salloc -N1 --time=5
advance 10m
save one.txt
END
cat >shown.txt <<'END'
squeue
sacct -X -a -o jobid,user,start,elapsed,state
sinfo
history
END
shell --record recorded.txt --script first.txt --trust
echo "== the file"
cat one.txt
cmp one.txt recorded.txt
echo "== loaded"
cat first.txt shown.txt | shell --script - | sed '1,/save one/d' >direct
shell --session one.txt --script shown.txt >loaded
diff direct loaded && cat loaded
echo "== all undone, one by one"
{ for _ in 1 2 3 4 5 6 7 8 9 10; do echo undo; done; cat shown.txt; } | shell --session one.txt --script -
cat one.txt
echo "== no session"
printf 'squeue\n' >none.txt
printf '# schedlab session 1\nsbatch --wrap "sleep 1\n' >quote.txt
printf '# schedlab session 1\nsbatch <<END\n#!/bin/sh\n' >open.txt
for file in none.txt quote.txt open.txt missing/file .; do
	shell --session "$file" </dev/null
	echo "exit $?"
done
printf 'sbatch --wrap "sleep 9"\nload none.txt\nload open.txt\nload nowhere\nsave missing/file\nsqueue -h -o %%i\n' | shell --script -
shell --session one.txt -p easy </dev/null
echo "exit $?"
shell --start yesterday </dev/null
echo "exit $?"
echo "== a background, another policy"
printf 'advance 1d\nsqueue\nsbatch -n4 --wrap "sleep 60"\nsqueue --me\nscancel 72\nscontrol hold 72\nscancel 10001\nsacct -n -X -o jobid,state\nbackground x\n' >load.txt
for policy in slurm easy; do
	shell "$ROOT/traces/bundled/lublin-256.swf" -p $policy --script load.txt
done
printf 'advance 1\nexpect "x"\n' | shell --script -
echo "exit $?"
