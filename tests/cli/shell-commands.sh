# SPDX-License-Identifier: GPL-3.0-or-later
# Every command of a session, and what each says of lines that are wrong, in Slurm's words.
set -u
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
printf '#!/bin/bash\n#SBATCH -N2 --time=1:00:00 # two\n\nsrun sleep 5m\nsleep 300\n#SBATCH -N9\n' >job.sh
printf '#!/bin/sh\n#SBATCH --foo=1\n' >unknown.sh
printf 'sleep 1\n' >bare.sh
printf '#!/bin/sh\r\nsleep 1\r\n' >dos.sh
: >empty.sh
cat >all.txt <<'END'
# Submissions: options of the script, those of the line over them, arrays, what waits and why.
sbatch job.sh
sbatch -N1 -J other --parsable job.sh
sbatch --array=0-3%2 --gres=gpu:8 --run-time=60 --wrap=train
sbatch -N10 --exclusive --time=30:00 big.sh <<STOP
#!/bin/bash
#SCHEDLAB run=20m
python train.py
STOP
advance 5s
squeue
advance until 3_2 starts
advance until 1 ends
squeue -o "%i %t %r"
sbatch -d afterok:7 --wrap "sleep 10"
sbatch --begin=now+1hour --wrap "sleep 10"
sbatch --test-only -N1 --wrap x
advance to 10:00
why 8
sacct -X -o jobid,jobname,elapsed,state
# Interactive: srun waits, a step, a limit.
sbatch -N10 --exclusive --time=5 --run-time=4m --wrap x
advance 3s
srun -N2 --gres=gpu:1 --time=10 --pty bash
srun hostname
env
advance 11m
salloc -N2 -n2 --time=1:00:00
srun hostname
exit
srun -n2 hostname
srun -N1 --run-time=90 sleep 5
now
# Operators and users.
sbatch --wrap "sleep 600" --hold
scontrol release 15
as bob
scancel 15
scontrol hold 15
scontrol update NodeName=dgx0185 State=DRAIN Reason=fan
sudo scontrol update NodeName=dgx0185 State=DRAIN Reason=fan
sinfo
as root
scontrol create reservation StartTime=now+1hour Duration=60 Users=alice Nodes=dgx[0188-0189]
scontrol create reservation ReservationName=late StartTime=now+1hour Duration=60 Users=alice Nodes=dgx[0180-0189]
scontrol show reservation
scontrol delete ReservationName=root_1
scontrol delete ReservationName=nobody
scontrol update PartitionName=batch State=DOWN
sinfo
sudo scontrol update PartitionName=batch State=UP
as user
sbatch --wrap x
advance 1
squeue
scancel 15 99
scancel -u user
scancel abc
scancel
undo
history
sprio
sshare
# What sbatch and its like refuse.
sbatch --gres=gpu:9 --wrap x
sbatch -p nope --wrap x
sbatch --array=4-1 --wrap x
sbatch --dependency=foo:1 --wrap x
sbatch --dependency=afterok:99 --wrap x
sbatch --time=abc --wrap x
sbatch --begin=never --wrap x
sbatch --mem=xx --wrap x
sbatch -n abc --wrap x
sbatch -c0 --wrap x
sbatch -N3-1 --wrap x
sbatch -Nx --wrap x
sbatch --exclusive=bar --wrap x
sbatch --foo=1 --wrap x
sbatch -Y --wrap x
sbatch --time
sbatch -t
sbatch --wrap x job.sh
sbatch unknown.sh
sbatch bare.sh
sbatch dos.sh
sbatch empty.sh
sbatch nofile.sh
sbatch --run-time=x --wrap x
srun
salloc --foo
scontrol hold
scontrol hold x
scontrol hold 99
scontrol blah
scontrol update foo
scontrol update NodeName=zzz State=DOWN
scontrol update NodeName=dgx0180 State=DOWNISH
scontrol update PartitionName=zzz State=UP
scontrol update JobId=99 TimeLimit=5
advance
advance 5x
advance to 2020-01-01
advance until 77 ends
cluster other.conf
as
undoo
python
expect "not found"
END
sed 's/^scontrol update NodeName=dgx0180 State=DOWNISH/sudo &/; s/^scontrol update \(NodeName=zzz\|Part\)/sudo scontrol update \1/' \
	all.txt >script.txt
schedlab --data=share shell --script script.txt
