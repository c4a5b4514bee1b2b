# Without -p: the classic three, and it says so. One -p is enough.
cp "$DATA/four.swf" .
schedlab compare four.swf
schedlab compare four.swf -p easy --quiet
