# Interrupted, a run leaves what it has, whole and marked, and exits with 130.
schedlab generate lublin --jobs 100000 --cpus 64 --load 3 -o long.swf
for signal in INT TERM; do
	schedlab run long.swf -p conservative -o "out$signal" --quiet >summary 2>said &
	sleep 0.7
	kill -s "$signal" $!
	wait $! || echo "exit $?"
	head -n 1 summary | tr -s ' '
	grep -c '"partial": true' "out$signal/run.json"
	ls -A "out$signal" | tr '\n' ' '
	echo
done
