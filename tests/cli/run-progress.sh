# On a terminal a line is drawn, and taken back at the end; nowhere else, and not with --quiet.
schedlab generate lublin --jobs 100000 --cpus 64 --load 3 -o long.swf
bar() { TERM=xterm script -qec "stty cols 120; timeout -s INT 1 schedlab run long.swf -p conservative ${1:-}" /dev/null | tr '\r' '\n' |
	grep -c '^conservative  [0-9]* %  .* jobs  day [0-9]*  queue .* events/s'; }
[ "$(bar)" -gt 0 ] && echo drawn
bar --quiet
timeout --preserve-status -s INT 1 schedlab run long.swf -p conservative 2>said >summary || echo "exit $?"
wc -l <said
