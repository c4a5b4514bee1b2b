# Snapshots that cannot be used, and what would change the past of one that can.
cp "$DATA/four.swf" .
schedlab run four.swf -p easy --until 20 --snapshot s.json --quiet >/dev/null
try() {
	schedlab run "$@" --quiet >/dev/null
	echo "exit $? $*"
}
edited() { # SCRIPT: the snapshot, edited, is tried.
	sed "$1" s.json >edited.json
	schedlab run --from-snapshot edited.json --quiet >/dev/null
	echo "exit $? $1"
}
edited 's/"digest": "./"digest": "f/'
edited 's/"events": /"events": 1/'
edited 's/\(sha256": "\)./\1z/'
edited 's|snapshot/1|snapshot/2|'
edited 's/"seed": 1/"seed": -1/'
edited 's/"seed": 1/"seed": 1.5/'
edited 's/"seed": 1/"sead": 1/'
edited 's/"seed": 1,/"seed": 1, "seed": 1,/'
edited '/"seed": 1/d'
edited 's/"until": 20/"until": "20"/'
edited 's/"digest": "[0-9a-f]*/"digest": "x/'
edited 's/"policy": "easy"/"policy": "esay"/'
edited 's/"order": "fcfs"/"ordre": "fcfs"/'
edited 's/"order": "fcfs"/"order": 1/'
edited 's/"replay.load=1"/"replay.laod=1"/'
edited 's/"replay.load=1"/7/'
edited 's/"stretches": \[/"stretches": 7, "digests": \[/'
edited '20,$d'
edited '1,$d'
edited '1s/.*/[]/;2,$d'
edited '1s/.*/{ "inputs": [] }/;2,$d'
edited '1s/.*/{ "schema": "schedlab.snapshot\/1", "inputs": [] }/;2,$d'
edited '$s/$/x/'
try --from-snapshot no.json
try --from-snapshot four.swf
for option in --seed=2 --from=1 --to=9 --tz=0 --jobs=2 --cluster=c --until=19; do
	try --from-snapshot s.json $option
done
for set in replay.load=2 load=2 cluster.cpus=9 policy.nix=1 nix=1; do
	try --from-snapshot s.json --set $set
done
try --from-snapshot s.json -p easy:compat=pyss
echo '; another' >>four.swf
try --from-snapshot s.json
try four.swf --snapshot x.json
try four.swf --only snapshot -o x
try four.swf --until soon
try four.swf --until 5 --set replay.windows=2@0
try
ls
