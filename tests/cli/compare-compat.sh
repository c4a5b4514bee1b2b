# Policies that imply other settings have the trace read once for each set of them, which standard input cannot be.
cp "$DATA/four.swf" .
schedlab compare four.swf -p easy -p easy:compat=pyss -p fcfs -p conservative:compat=pyss -o out >/dev/null
for run in out/*/run.json; do
	echo "$run: $(grep -o '"passes": "[a-z]*"' "$run" | head -n 1)"
done
schedlab compare - -p easy -p easy:compat=pyss <four.swf || echo "exit $?"
schedlab compare - -p sjf:compat=pyss -p easy:compat=pyss --quiet <four.swf >/dev/null && echo one set of them will do
