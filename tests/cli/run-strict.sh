# Rows that make no sense are counted by cause, on one line; --strict stops at the first.
cp "$DATA/odd.swf" .
schedlab run odd.swf --quiet | head -n 3
schedlab run odd.swf --quiet --strict || echo "exit $?"
