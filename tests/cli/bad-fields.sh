# Text, nan or overflow in a needed number is exit 3, at file:line:column; a line that is too short is dropped.
good='1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1'
try() {
	printf '; MaxProcs: 4\n%s\n%s\n' "$good" "$1" >trace.swf
	schedlab run trace.swf --quiet >/dev/null
	echo "exit $?"
}
try '2 5 -1 abc 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1'
try '2 99999999999999999999 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1'
try '2 5 -1 nan 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1'
try '2 5 -1 100 4 -1 -1 4294967296 200 -1 1 1 1 1 1 1 -1 -1'
try '2 5 -1 100 4 -1 -1 4 1e20 -1 1 1 1 1 1 1 -1 -1'
try '2 5 -1 100 4 -1 -1 4 200 -1 1 root 1 1 1 1 -1 -1'
try '2 5 -1 100 4 x nan 4 200 ? 1 1 1 a.out batch 1 -1 -1'
try '2 5 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1'


# Semicolons in place of blanks, and words in place of numbers.
echo '1001;0;-1;15;12;-1;-1;-1;420;-1;-1;user5;account2;-1;normal;normal;;-1;' >trace.swf
schedlab run trace.swf --quiet
echo "exit $?"
