# What cannot be opened or holds nothing: exit 3 and one line, from every command that reads.
: >empty.swf
printf '; MaxProcs: 4\n; nothing else\n' >comments.swf
gzip -nc empty.swf >empty.swf.gz
mkdir directory
for file in no/such.swf directory empty.swf empty.swf.gz comments.swf; do
	for command in run inspect convert; do
		# `convert` needs a second operand.
		case $command in
		convert) schedlab convert "$file" - ;;
		*) schedlab "$command" "$file" ;;
		esac
		echo "exit $?"
	done
done
schedlab inspect - </dev/null
echo "exit $?"
