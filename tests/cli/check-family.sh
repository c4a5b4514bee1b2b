# Ten seeds: fcfs waits longer than easy in each, which a test finds; the same against itself it does not.
cat >f.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [
  { "id": "lublin", "generate": "lublin --jobs 200 --cpus 64 --load 0.9", "seeds": "1..10",
    "policy": "easy",
    "metrics": {
      "wait.mean": { "tol": "+5%", "test": "wilcoxon" },
      "makespan": { "tol": "+1% or +1h", "test": "wilcoxon", "alpha": 0.01 },
      "wait.max": { "tol": "+500%" } } } ] }
END
schedlab check f.json --update -q
cat f.json
schedlab check f.json -j 3
echo "exit $?"
sed 's/"policy": "easy"/"policy": "fcfs"/' f.json >g.json
cp f.decisions.zst g.decisions.zst
schedlab check g.json
echo "exit $?"
# Another order of filling moves single seeds, either way: nothing is significant.
sed 's/"policy": "easy"/"policy": "easy:fill=shortest"/' f.json >g.json
schedlab check g.json
echo "exit $?"
# Another trace out of the generator is another input.
sed 's/--load 0.9/--load 0.91/' f.json >g.json
schedlab check g.json >told
echo "exit $?"
sed 's/[0-9a-f]\{64\}/HASH/g' told
# A family of traces.
cp "$DATA/four.swf" a.swf
sed 's/^3 *20/3 25/' a.swf >b.swf
cat >t.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [
  { "id": "logs", "family": ["a.swf", "b.swf"], "metrics": { "wait.mean": { "tol": "=" } } } ] }
END
schedlab check t.json --update
grep -e result -e counts -e value t.json
