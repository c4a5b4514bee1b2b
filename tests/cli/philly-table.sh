# The table of docs/labs/philly.md on a list made by hand: two virtual clusters of one node; c is not among the nodes.
cat >jobs.csv <<'CSV'
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-01 00:00:00,1000.0,8,8000.0,a
2017-10-01 00:00:10,500.0,8,4000.0,a
2017-10-01 00:00:20,100.0,1,100.0,a
2017-10-01 00:00:30,100.0,4,400.0,b
2017-10-01 00:00:40,100.0,1,100.0,c
CSV
printf 'vc,node num\na,1\nb,1\nd,5\n' | gzip >nodes.csv.gz
"$ROOT/scripts/philly-table" "$(command -v schedlab)" jobs.csv nodes.csv.gz
"$ROOT/scripts/philly-table" -l 2 -P consolidate -r 1h schedlab jobs.csv nodes.csv.gz 2>&1 | grep srtf
"$ROOT/scripts/philly-table" schedlab none.csv nodes.csv.gz >/dev/null 2>&1 || echo refused
