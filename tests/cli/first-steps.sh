# Without arguments: three commands that work as they stand, from any folder, wherever the program and its data are.
mkdir -p "a b'c/build" "a b'c/traces/bundled" elsewhere
cp "$(command -v schedlab)" "a b'c/build/schedlab"
cp "$ROOT/traces/bundled/lublin-256.swf" "a b'c/traces/bundled"
here=$PWD
try() { # PROGRAM...: what it shows, run
	"$@" | sed -n 's/^  //p' >commands
	sed "s|$here|HERE|g; s|$ROOT|ROOT|g" commands
	while read -r line; do
		sh -c "$line" </dev/null >printed 2>/dev/null
		echo "exit $?, $(sed -n '$p' printed | wc -l) line"
	done <commands
	rm -r out
}
cd elsewhere
try "../a b'c/build/schedlab"
try schedlab
# Without the data a workload is made first.
mkdir bare && cp "$(command -v schedlab)" bare
env -i bare/schedlab | sed "s|$here|HERE|; s| \(/usr/[^ ]*\)lublin-256.swf| demo.swf|; /generate/d; / run /d"
