# The digest is a function of the input and the policy: checking, and doing it again, change nothing.
cp "$DATA/four.swf" .
digest() { schedlab run four.swf --verbose "$@" 2>&1 >/dev/null | sed -n 's/.*digest //p'; }
[ "$(digest)" = "$(digest)" ] && echo again
[ "$(digest)" = "$(digest --check)" ] && echo checked
[ "$(digest)" = "$(digest -p fcfs)" ] || echo other
