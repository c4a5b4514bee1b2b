# The summary: names of metrics, values, units; what was read is said on stderr.
cp "$DATA/four.swf" .
schedlab run four.swf
