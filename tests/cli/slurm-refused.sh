# replay.commands wrong, or where nobody follows them; a policy that has the whole say, in mid-run.
cp "$DATA/four.swf" .
printf '10 scontrol hold 1\nsoon scontrol hold 1\n' >wrong
printf '10\n' >empty
printf '10 scontrol hold 1\n' >right
printf '2020-01-01T00:00 scontrol hold 1\n' >dated
for file in wrong empty dated none; do
	schedlab run four.swf -p slurm --quiet --set replay.commands=$file || echo "exit $?"
done
schedlab run four.swf --quiet --set replay.commands=right || echo "exit $?"
schedlab run four.swf --quiet --until 20 --snapshot begun.json >begun
schedlab run --from-snapshot begun.json -p slurm --quiet || echo "exit $?"
schedlab run four.swf -p slurm --quiet --until 20 --snapshot begun.json >begun
schedlab run --from-snapshot begun.json -p easy --quiet || echo "exit $?"
schedlab run four.swf -p slurm:start=300 --quiet || echo "exit $?"
