# The comparison in README.md is what the program prints now.
sed -n '/^\$ build\/schedlab compare traces/,/^```/p' "$ROOT/README.md" | sed '1d;$d' >printed
schedlab compare "$ROOT/traces/bundled/lublin-256.swf" -p fcfs -p easy -p conservative -p sjf --quiet | diff printed - && echo same
