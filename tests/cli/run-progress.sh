# On a terminal a line is drawn, and taken back at the end; nowhere else, and not with --quiet.
schedlab generate lublin --jobs 100000 --cpus 64 --load 3 -o long.swf
bar() { TERM=xterm script -qec "stty cols 120; timeout -s INT $1 schedlab run long.swf -p conservative ${2:-}" /dev/null | tr '\r' '\n' |
	grep -c '^conservative  [0-9]* %  .* jobs  day [0-9]*  queue .* events/s'; }
[ "$(bar 5)" -gt 0 ] && echo drawn
bar 2 --quiet
schedlab run long.swf -p conservative 2>said >summary &
until [ -s said ]; do sleep 0.1; done # Read: from here on a bar would be drawn.
sleep 0.5
kill -s INT $!
wait $! || echo "exit $?"
wc -l <said
