# Runs of one policy are told apart: by their traces, where they differ, else by their folders.
cp "$DATA/four.swf" .
cp four.swf other.swf
schedlab run four.swf -p easy -q -o a >/dev/null
schedlab run four.swf -p easy --set replay.load=2 -q -o b >/dev/null
schedlab run other.swf -p easy -q -o c >/dev/null
try() { schedlab report "$@" -q -o - | grep -o '<title>[^<]*</title>\|"label":"[^"]*"'; }
try a b
try a c
try b c a
