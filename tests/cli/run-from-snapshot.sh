# --from-snapshot: another policy, other parameters of the same, another end; and on from what that left.
cp "$DATA/four.swf" .
cp "$DATA/begun.swf" .
starts() {
	schedlab run "$@" --quiet -o out --force >/dev/null && sed 1d out/jobs.csv | cut -d , -f 7 | tr '\n' ' '
	echo "$*"
}
starts four.swf -p fcfs
starts four.swf -p fcfs --until 15 --snapshot fcfs.json
starts --from-snapshot fcfs.json
starts --from-snapshot fcfs.json -p easy
starts --from-snapshot fcfs.json --set policy.plan=easy
starts --from-snapshot fcfs.json --set plan=easy --set replay.warmup=1
starts --from-snapshot fcfs.json -p easy --until 30 --snapshot easy.json
starts --from-snapshot easy.json -p fcfs
grep -o '"until": [0-9]*, "events": [0-9]*' out/run.json
# A trace that has moved: named on the line, or found beside the snapshot.
mkdir there
mv four.swf there
starts there/four.swf --from-snapshot fcfs.json
cp fcfs.json there
starts --from-snapshot there/fcfs.json
# Side files are among its inputs.
printf '3,5\n' >cancels
starts begun.swf --set replay.cancels=cancels --until 40 --snapshot begun.json
starts --from-snapshot begun.json
printf '3,6\n' >cancels
schedlab run --from-snapshot begun.json --quiet >/dev/null || echo "exit $?"
# What compat implied then is as it was; a new one is a new policy.
starts there/four.swf -p easy:compat=batsched --until 15 --snapshot named.json
starts there/four.swf --from-snapshot named.json
schedlab run there/four.swf --from-snapshot fcfs.json --set policy.compat=pyss --quiet >/dev/null || echo "exit $?"
