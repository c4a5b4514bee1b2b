# Each reason that a policy says it may give is seen in one of these tests, whose output others compare; what is left
# are those of no policy. A limit on submissions is seen as a refusal.
schedlab list reasons --json >json
tr -d '\n' <json | sed 's/{ "name"/\n{ "name"/g' | sed -n 's/.*"name": "\([^"]*\)".*"given_by": "\([^"]*\)".*/\1 \2/p' >given
sed 's/"//g' "$ROOT"/tests/cli/reasons-slurm.stdout "$ROOT"/tests/cli/reasons-limits.stdout >slurm
cat "$ROOT/tests/cli/reasons-kueue.stdout" "$ROOT/tests/cli/kueue-run.stdout" >kueue
cat "$ROOT"/tests/cli/kube*.stdout >kube
cat "$ROOT/tests/cli/reasons-runai.stdout" >runai
cat "$ROOT/tests/cli/reasons-composed.stdout" "$ROOT/tests/cli/power.stdout" >composed
sort -u given | while read -r word by; do
	case $by in
	'no policy of this build')
		grep -qw "refused.*$word" "$ROOT/tests/cli/reasons-limits.stdout" || echo "of no policy: $word"
		;;
	*)
		[ "$word" != LeftByPolicy ] || by=composed # Others have words of their own.
		for policy in $(echo "$by" | sed 's/any policy/composed slurm/; s/, / /g'); do
			grep -q ",$word\( \|\$\)" "$policy" || echo "not seen: $policy: $word"
		done
		;;
	esac
done
wc -l <given
# The manual has each with its sentence, and each rule.
for kind in reasons rules; do
	schedlab list $kind --json | sed -n 's/.*{ "name": "\([^"]*\)", "summary": "\([^"]*\)".*/.It Cm \1 = \2/p' | sort
done >listed
awk '/^\.It Cm / { it = $0; getline; print it " = " $0 }' "$ROOT/docs/man/schedlab-reasons.7" >manual
sort listed >one
sort manual | diff one - && echo "the manual has them all"
