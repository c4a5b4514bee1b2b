# A view is a replay: of a snapshot, of a run that went over to another policy, of settings; never of other inputs.
. "$ROOT/tests/data/view-world.sh"
schedlab run trace.csv -c cluster.yaml --until 5m -o cut --quiet >summary
schedlab view squeue cut --at 2m -h -o '%i %t %M'
schedlab view squeue cut/snapshot.json --at 2m -h -o '%i %t %M'
schedlab view squeue cut --at 2h -h -o '%i %t %M'
schedlab view sacct cut -n -P -o jobid,state
schedlab run --from-snapshot cut/snapshot.json -p conservative -o over --quiet >summary
schedlab view squeue over --at 6m -h -o '%i %t %S'
schedlab run trace.csv -c cluster.yaml --set 'cluster.nodes[n].count+=2' --set replay.load=2 --jobs 4 --tz +02:00 --seed 7 -o set --quiet >summary
schedlab view sinfo set --at 60 -h
schedlab view sacct set -n -P -o jobid,submit,start,nodelist
echo '-- a counted pool: each cpu is a node without a name'
schedlab run "$DATA/four.swf" -o pool --quiet >summary
schedlab view squeue pool --at 60
schedlab view sinfo pool --at 60
schedlab view scontrol pool --at 60 show node
echo '-- other inputs'
sed s/3600/1800/ trace.csv >other && mv other trace.csv
schedlab view squeue out --at 6m || echo "exit $?"
rm trace.csv
schedlab view squeue out --at 6m || echo "exit $?"
