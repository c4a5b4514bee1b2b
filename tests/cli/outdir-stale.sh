# A run that replaces another leaves none of its files.
cp "$DATA/four.swf" .
schedlab run four.swf --quiet -o out >/dev/null
schedlab run four.swf --quiet -o out --only jobs,usage >/dev/null
ls out
schedlab compare four.swf -p fcfs -p easy --quiet -o out --force >/dev/null
ls out
schedlab compare four.swf -p fcfs --quiet -o out --force >/dev/null
ls out
schedlab run four.swf --quiet -o out --only metrics --force >/dev/null
ls out
