# A packed trace that was cut is exit 3, whatever its name says; nothing of it is written.
for kind in gz zst xz; do
	cp "$DATA/cut.swf.$kind" trace
	schedlab run trace
	echo "exit $?"
	schedlab convert trace out.swf
	echo "exit $?"
done
{
	gzip -nc "$DATA/site.swf"
	echo 'not gzip'
} >trace
schedlab inspect trace
echo "exit $?"
ls
