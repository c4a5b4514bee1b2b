# SPDX-License-Identifier: GPL-3.0-or-later
# Links in one's own shell: each command reads the session, and leaves it; exit statuses are Slurm's; what comes at
# once waits its turn.
set -u
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
SCHEDLAB_DATA=$PWD/share
export SCHEDLAB_DATA
schedlab shell --install bin
echo "exit $?"
schedlab shell --install bin --session s.txt >lines
sed "s|$PWD|HERE|g" lines
eval "$(cat lines)"
printf '#!/bin/bash\n#SBATCH -N2 --time=1:00:00\nsleep 600\n' >job.sh
sinfo
sbatch job.sh one two
sbatch <job.sh
advance 5s
squeue
sbatch --foo job.sh
echo "exit $?"
sbatch --gres=gpu:9 --wrap "it's 5"
echo "exit $?"
squeue -j 99
echo "exit $?"
printf 'hostname\nnvidia-smi -L\nsqueue -h -o "%%i %%j"\nexit\n' | srun --gres=gpu:1 --pty bash
advance 2h
sacct -X -n -o jobid,jobname,elapsed,state
scontrol show hostnames 'a[1-2]'
for _ in 1 2 3 4 5 6 7 8; do sbatch --parsable --wrap "sleep 5" </dev/null & done >numbers
wait
sort -n numbers
grep -c 'sbatch --parsable' s.txt
(unset SCHEDLAB_SESSION; sbatch job.sh; echo "exit $?")
