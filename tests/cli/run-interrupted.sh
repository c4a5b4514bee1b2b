# Interrupted, a run leaves what it has, whole and marked, and exits with 130.
schedlab generate lublin --jobs 100000 --cpus 64 --load 3 -o long.swf
for signal in INT TERM HUP; do
	: >said
	# As a shell that ignores none of them would start it: this one may be run by nohup.
	env --default-signal="$signal" schedlab run long.swf -p conservative -o "out$signal" >summary 2>said &
	until [ -s said ]; do sleep 0.1; done # Read: from here on there is something to leave.
	sleep 0.3
	kill -s "$signal" $!
	wait $! || echo "exit $?"
	head -n 1 summary | tr -s ' '
	grep -c '"partial": true' "out$signal/run.json"
	ls -A "out$signal" | tr '\n' ' '
	echo
done
