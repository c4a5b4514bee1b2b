# SPDX-License-Identifier: GPL-3.0-or-later
# What would be done is told, and not done; what is wrong with the input is told as ever.
printf 'job_id,submit,run_time,cpus\n1,0,100,4\n2,1,100,4\n' >t.csv
schedlab run t.csv --set cluster.cpus=8 -p sjf -o out --dry-run --quiet
schedlab compare t.csv --set cluster.cpus=8 -p sjf -p easy --dry-run --quiet
schedlab run t.csv --set cluster.cpus=8 -p nonsense --dry-run
echo "exit $?"
schedlab run none.csv --dry-run
echo "exit $?"
ls
# A budget that is none.
schedlab run t.csv --set cluster.cpus=8 --max-time soon
echo "exit $?"
schedlab run t.csv --set cluster.cpus=8 --max-memory -3
echo "exit $?"
schedlab run t.csv --set cluster.cpus=8 --max-time 10m --max-memory 2G --quiet | head -n 2
