# SPDX-License-Identifier: GPL-3.0-or-later
# A partition whose name is a number stays one in a table: beside names, and among numbers alone. A number that
# no partition is called by is not looked at in the latter case, as that of a log in SWF.
cat >jobs.csv <<'END'
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-07 01:00:00,100,8,800,6214e9
2017-10-07 01:00:00,100,1,100,103959
2017-10-07 01:00:00,100,8,800,103959
2017-10-07 01:00:00,100,8,800,925000
END
printf 'vc,node num\n6214e9,1\n103959,1\nspare,2\n' >nodes.csv
schedlab convert jobs.csv --to table -o table.csv
for trace in jobs.csv table.csv; do
	schedlab run "$trace" -c nodes.csv -p fifo:queues=partition --only jobs -o out --force --quiet >talk
	cut -d, -f1,4-9,12 out/jobs.csv
done
printf 'submit,run_time,gpus,partition\n0,100,1,103959\n0,100,8,103959\n0,100,8,7\n' >numbers.csv
schedlab run numbers.csv -c nodes.csv -p fifo:queues=partition --only jobs -o out --force --quiet >talk
cut -d, -f1,4-9,12 out/jobs.csv
