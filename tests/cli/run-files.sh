# Files that are written on request only: sacct.txt, and those of Batsim; on nodes with the nodes' names.
cp "$DATA/four.swf" .
schedlab run four.swf -p easy --quiet -o plain
ls plain
schedlab run four.swf -p easy --quiet --only jobs,sacct,batsim -o out
ls out
cat out/sacct.txt out/batsim_jobs.csv out/schedule.json
sed -n 's/^  "files": //p' out/run.json
printf 'name: lab\nnodes: [{name: n, count: 2, cpus: 2}]\n' >nodes.yaml
schedlab run four.swf -c nodes.yaml -p easy --quiet --only sacct,batsim -o nodes
cut -d'|' -f1-3,11,13,14,18-20,25 nodes/sacct.txt
cut -d, -f1,9,15 nodes/batsim_jobs.csv
# A directory of the same run is replaced, and keeps nothing of before.
schedlab run four.swf -p easy --quiet --only jobs -o out
ls out
