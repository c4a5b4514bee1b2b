# --until stops after all that happens then; what runs and waits is in jobs.csv; the snapshot goes on from there.
cp "$DATA/four.swf" .
schedlab run four.swf --until 20 -o part --only jobs,snapshot
cut -d , -f 1,7,8,15 part/jobs.csv
grep -e stopped -e '"files' part/run.json
cat part/snapshot.json
schedlab run four.swf --quiet -o whole >/dev/null
schedlab run --from-snapshot part/snapshot.json --quiet -o on >/dev/null
for file in jobs.csv usage.csv reasons.csv metrics.json; do cmp whole/$file on/$file && echo "$file is the same"; done
grep -h '"digest"' whole/run.json on/run.json
schedlab run four.swf --until 20 --snapshot there.json --quiet >/dev/null && cmp part/snapshot.json there.json
ls
