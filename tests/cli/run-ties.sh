# Ties between nodes are named with the results where place or ties are not the defaults; by chance a seed gives the same run, checked or not.
cp "$ROOT/traces/bundled/gpu-200.csv" "$ROOT/traces/bundled/gpu-cluster.yaml" .
run() { schedlab run gpu-200.csv -c gpu-cluster.yaml --jobs 60 --quiet "$@"; }
run -p easy | grep -c '^ties' || true
run -p easy:place=best | sed -n 2p
run -p easy:ties=name --check -o name | sed -n 2p
run -p easy:ties=random --seed 1 -o one | sed -n 2p
run -p easy:ties=random --seed 1 --check -o again >/dev/null
run -p easy:ties=random --seed 2 -o two >/dev/null
run -p conservative:ties=random --seed 1 --check >/dev/null
cmp one/jobs.csv again/jobs.csv && grep -o '"ties": "random"' one/run.json
digest() { grep -o '"digest": "[^"]*"' "$1/run.json"; }
[ "$(digest one)" = "$(digest again)" ] && echo same
[ "$(digest one)" = "$(digest two)" ] || echo another
schedlab compare gpu-200.csv -c gpu-cluster.yaml --jobs 60 --quiet -p easy -p easy:place=best -p easy:ties=name | cut -d' ' -f1-4
schedlab run "$DATA/four.swf" -p easy:ties=random --quiet | grep -c '^ties' || true
run --set replay.gauges=nothing || echo "exit $?"
# Random placement takes any node, whatever ties are asked for, and says so.
run -p easy:place=random -o random | sed -n 2p
grep -o '"node_ties": "[a-z]*"' random/run.json name/run.json
run -p easy:place=random,ties=name -o asked | sed -n 2p
cmp random/jobs.csv asked/jobs.csv && echo same
schedlab compare gpu-200.csv -c gpu-cluster.yaml --jobs 60 --quiet -p easy:place=random -p easy:place=random,ties=name | sed -n '2,3s/   .*//p'
