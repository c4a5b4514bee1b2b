# What compat implies is said, once, with what was given in its place; it is recorded, and refused where it means nothing.
cp "$DATA/four.swf" .
schedlab run four.swf -p easy:compat=pyss -o a >/dev/null
schedlab run four.swf -p easy:compat=frozen,spare=count --set overrun=extend >/dev/null
schedlab run four.swf -p easy:compat=pyss --quiet >/dev/null
schedlab run four.swf -p greedy:compat=frozen || echo "exit $?"
schedlab run four.swf -p easy:compat=pys || echo "exit $?"
grep -e '"replay"' -e '"rules"' -A 3 a/run.json | grep -v seed
