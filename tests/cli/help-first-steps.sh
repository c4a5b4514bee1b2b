# Without arguments: three commands, which work as they are printed.
schedlab | grep -c '^  schedlab '
schedlab | sed -n 's/^  schedlab/schedlab/p' >steps
sh -e steps >/dev/null 2>&1 && echo work
SCHEDLAB_DATA=$PWD
export SCHEDLAB_DATA
mkdir traces
cp "$DATA/four.swf" traces/lublin-256.swf
schedlab | sed -n "s|$PWD|HERE|p"
