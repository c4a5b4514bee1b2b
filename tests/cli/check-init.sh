# A baseline begun, checked from another folder, and kept where it is: by hand, easy waits 0 90 0 120 s.
mkdir ci
cp "$DATA/four.swf" ci/log.swf
schedlab check --init ci/log.swf -p easy -p fcfs -o ci/base.json
cat ci/base.json
ls ci
cd ci && schedlab check base.json -q
schedlab check --init log.swf -o base.json
echo "exit $?"
cd .. && schedlab check --init ci/log.swf --set replay.laod=2 -o ci/other.json
echo "exit $?"
schedlab check --init ci/log.swf
echo "exit $?"
schedlab check ci/base.json -p easy
echo "exit $?"
mkdir -p ci/sub elsewhere && schedlab check --init ci/log.swf -p 'sjf:fill=queue' --seed 3 --set replay.load=2 --jobs 3 -o elsewhere/b.json -q >told
grep -e trace '-e"id"' -e set -e seed -e jobs -e policy elsewhere/b.json
ls ci elsewhere
