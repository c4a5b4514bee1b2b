# Each exit code: inputs that changed are never compared, and what is wrong has its place.
cp "$DATA/four.swf" .
schedlab check --init four.swf -p easy -o b.json -q >/dev/null
schedlab check b.json -q
echo "exit $?"
schedlab check b.json -q --twice
echo "exit $?"
echo '5 400 -1 10 1 -1 -1 1 10 -1 1 2 1 -1 1 1 -1 -1' >>four.swf
schedlab check b.json --github | sed 's/is [0-9a-f]\{64\}/is HASH/'
schedlab check b.json -q >/dev/null
echo "exit $?"
sed -i 's/"exact": true,//; s/"tol": "="/"tol": ">= 0"/' b.json
schedlab check b.json --update -q >/dev/null
echo "exit $?"
schedlab check b.json --update --accept jobs -q >/dev/null && schedlab check b.json -q
echo "exit $?"
rm four.swf
schedlab check b.json
echo "exit $?"
schedlab check
echo "exit $?"
schedlab check none.json
echo "exit $?"
schedlab check b.json --case 1-easi
echo "exit $?"
cp "$DATA/four.swf" .
schedlab check b.json -q --update --junit /nonexistent/j.xml >/dev/null
echo "exit $?"
for text in '"wait.maen": {}' '"wait.mean": { "tol": "+5%" }' '"jobs.preempted": { "value": 0, "tol": "+5%" }' \
	'"wait.mean{user=9}": { "tol": "<= 5" }' '"wait.max{user=*}": { "tol": "<= 5" }' '"a": { } "b"'; do
	printf '{ "schema": "schedlab.baseline/1", "cases": [ { "id": "a", "trace": "four.swf",\n"metrics": { %s } } ] }\n' \
		"$text" >bad.json
	schedlab check bad.json
	echo "exit $?"
done
printf '{ "schema": "schedlab.baseline/1", "cases": [ { "id": "a", "trace": "four.swf",\n"policy": "eazy" } ] }\n' >bad.json
schedlab check bad.json
echo "exit $?"
printf 'schedlab.decisions/1\n\377\377\377\377' >b.decisions.zst
schedlab check b.json
echo "exit $?"
