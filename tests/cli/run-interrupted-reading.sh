# Interrupted while the trace is read, from an idle pipe or a file, it ends at the first signal.
mkfifo pipe
sleep 30 >pipe &
holder=$!
schedlab run - <pipe 2>said &
sleep 1
kill -s INT $!
wait $! || echo "exit $?"
cat said
kill $holder
