# Rows that read but make no sense: dropped or repaired and counted on one line; under --strict the first is exit 3.
cp "$DATA/site.swf" .
schedlab run site.swf --quiet >/dev/null
echo "exit $?"
schedlab run site.swf --strict
echo "exit $?"
schedlab convert --strict site.swf -
echo "exit $?"
# Nothing is left: exit 3, and the causes.
printf '; MaxProcs: 4\n1 0 -1 0 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 9 5 -1 -1 5 200 -1 1 1 1 1 1 1 -1 -1\n1 2 3\n' >none.swf
schedlab run none.swf
echo "exit $?"
