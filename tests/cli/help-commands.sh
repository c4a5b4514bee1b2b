# Every command has a help, by both ways, with a summary, usage and options; the developers' options are not in it.
for name in $(schedlab help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	[ "$name" = help ] && continue
	schedlab help "$name" >one
	schedlab "$name" --help >two
	cmp one two && grep -q "^usage: schedlab $name" one && grep -q '^  -h, --help' one && echo "$name"
	grep -e --timing one
done
[ "$(schedlab --help)" = "$(schedlab help)" ] && [ "$(schedlab -h)" = "$(schedlab help)" ] && echo same
schedlab help nonsense || echo "exit $?"
