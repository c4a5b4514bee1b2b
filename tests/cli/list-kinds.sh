# Each kind of named thing can be listed, as text and as JSON; an unknown kind names the nearest.
for kind in $(schedlab list | sed -n 's/^\([a-z]*\) - .*/\1/p'); do
	schedlab list "$kind" >text
	schedlab list "$kind" --json >json
	[ -s text ] && [ "$(tail -n 1 json)" = '}' ] && echo "$kind"
done
schedlab list policies | grep -A 2 '^  easy '
schedlab list policy || echo "exit $?"
schedlab list traces | sed -n "/(not tried/p"
# How GPUs are divided, with the places of each profile.
schedlab list mig | sed -n 2,9p
schedlab list mig --json | grep -o '"slices": 4, "starts": \[0, 4\]' | head -n 1
