# SPDX-License-Identifier: GPL-3.0-or-later
# What slurmctld 22.05.8 was seen to say, do and show, on ten nodes as here: refusals, amounts of cpus and memory,
# users, scancel by what jobs are; under a policy without commands too.
set -u
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
cat >script.txt <<'END'
# Refused, each in its own words.
sbatch -w nonode --wrap x
sbatch -C nofeature --wrap x
sbatch -p nosuch --wrap x
sbatch --version
# DefMemPerCPU=4000: of a core's two cpus, once it has them; before, of the one that was asked for.
sbatch -J a --time=10 --gres=gpu:2 --wrap "sleep 200"
squeue -o "%i %C %m"
advance 3s
sacct -X -o jobid,reqcpus,alloccpus,reqmem,reqtres%45,alloctres%45
scontrol show job 1
expect "MinMemoryCPU=4000M"
expect "TRES=cpu=2,mem=8000M,node=1,billing=2,gres/gpu=2"
# Only operators suspend; a reason is needed; a reservation has to say for whom, of what, how long.
scontrol suspend 1
as root
scontrol update NodeName=dgx0189 State=DRAIN
scontrol create reservation StartTime=now Nodes=dgx0188 Users=a
scontrol create reservation StartTime=now Duration=5 Users=a
scontrol create reservation StartTime=now Duration=5 Nodes=dgx0188
scontrol version
# Other users' jobs.
as bob
scancel 1
scancel -u alice
scontrol hold 1
scontrol update JobId=1 TimeLimit=5
scancel 99
scancel -v 99
scancel --nosuch
as alice
# A command of salloc runs where it was called; what has no end does not take the clock a year on.
salloc -n1 hostname
srun -n1 train
expect "has no end"
now
expect "2026-01-05T"
END
schedlab --data=share shell --user alice --script script.txt --record kept.txt
grep -c '^user alice$' kept.txt
echo 'squeue -h -o "%i %u %t"' >look.txt
schedlab --data=share shell --session kept.txt --script look.txt
# easy follows no commands: jobs are cancelled by what they are, an array's task alone.
cat >easy.txt <<'END'
sbatch --time=10 -a 1-3 -J arr --wrap "sleep 100"
sbatch --time=10 -J one --wrap "sleep 100"
advance 5s
scancel 1_2
sudo -u bob sbatch --time=10 --wrap "sleep 100"
advance 5s
squeue -h -o "%i %u"
scancel -u user --name=arr
scancel -u bob
advance 5s
squeue -h -o "%i %u"
sudo scancel -u bob,user
advance 5s
squeue -h -o "%i %u"
END
schedlab --data=share shell -p easy --script easy.txt
# A session that is read again writes no files and does not read itself.
printf '# schedlab session 1\nload loop.txt\n' >loop.txt
printf '# schedlab session 1\nsbatch --wrap x\nsave over.txt\n' >save.txt
schedlab --data=share shell --session loop.txt --script look.txt
schedlab --data=share shell --session save.txt --script look.txt
test ! -e over.txt
