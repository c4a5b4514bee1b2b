# What cannot be converted leaves what was there as it was.
cp "$DATA/site.swf" .
echo before >out.swf
schedlab convert site.swf out.swf --strict
echo "exit $?"
schedlab convert site.swf out.swf --to swff
echo "exit $?"
schedlab convert site.swf no/such/out.swf
echo "exit $?"
schedlab convert site.swf --into out.swf
echo "exit $?"
schedlab convert site.swf
echo "exit $?"
cat out.swf
ls
