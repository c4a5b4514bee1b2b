# Models are named by --model or replay.models; what jobs do while they run comes from columns, or from rules by column.
cp "$DATA/four.swf" .
schedlab run four.swf --quiet --model farbic || echo "exit $?"
schedlab run four.swf --quiet --set replay.models=nothing || echo "exit $?"
schedlab run four.swf --quiet --set fabric.key=1 || echo "exit $?"
printf 'submit,run_time,cpus,comp,comm_bytes,pattern,model\n0,100,4,0.125,25MB,ring,ResNet-50\n10,50,2,,,,\n' >jobs.csv
printf 'gpus_max,comp,overlap\n0,9,0.5\n' >rules.csv
schedlab inspect jobs.csv --set cluster.cpus=8 --set replay.profile=rules.csv | grep profiles
schedlab convert jobs.csv - --to table | cut -d, -f1,23-25,42
schedlab convert jobs.csv - >/dev/null
printf 'gpus_max,comp,overlp\n0,9,0.5\n' >rules.csv
schedlab run jobs.csv --quiet --set cluster.cpus=8 --set replay.profile=rules.csv || echo "exit $?"
printf 'submit,run_time,cpus,comp\n0,100,4,soon\n' >jobs.csv
schedlab run jobs.csv --quiet --set cluster.cpus=8 || echo "exit $?"
# A run without models says nothing of them; one with them says which.
schedlab run four.swf --quiet -o out >/dev/null
grep -c '"models"\|"profile"' out/run.json || true
