# --json: one object a file, with all of it.
cp "$DATA/site.swf" .
schedlab inspect --json site.swf
schedlab inspect --json site.swf "$DATA/no-header.swf" | grep -c '^{'
