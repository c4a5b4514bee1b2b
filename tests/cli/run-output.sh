# -o: a directory of the same run is replaced; of another one it is refused, unless --force says so.
cp "$DATA/four.swf" .
schedlab run four.swf -o out --quiet >/dev/null
ls out
schedlab run four.swf -o out --quiet >/dev/null && echo replaced
schedlab run four.swf -o out --quiet -p fcfs >/dev/null || echo "exit $?"
schedlab run four.swf -o out --quiet -p fcfs --force >/dev/null && echo forced
mkdir other
echo precious >other/file
schedlab run four.swf -o other --quiet >/dev/null || echo "exit $?"
cat other/file
ls -A
