# Everything that `inspect` shows, for ten lines whose numbers can be checked by hand.
cp "$DATA/site.swf" .
schedlab inspect site.swf
