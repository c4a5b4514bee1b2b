# One difference has one interval: who reads the runs of a comparison again takes the samples that it had, or says none.
for seed in 1 2 3; do
	schedlab generate lublin --jobs 2000 --cpus 64 --load 0.7 --seed "$seed" -q >"l$seed.swf"
done
schedlab compare l1.swf -q -p easy -p sjf -p fcfs --blocks 30 -o blocks >whole
sed -n '/"samples"/p' blocks/compare.json
sed -n '/^against/,/^fcfs/p' whole
schedlab compare blocks/1-easy blocks/2-sjf -q | sed -n '/^against/,/^$/p'
# The table of the report, its page made anew, and differences.csv.
cut -d , -f 1,3-8 blocks/differences.csv | grep '^2,wait.mean'
schedlab report blocks --format markdown -o - -q | grep '^| sjf | mean wait (s) | [+]'
cp blocks/report.html before.html
schedlab report blocks --force -q
made() { grep -o '"metric":"wait.mean"[^}]*' "$1"; }
made before.html >before
made blocks/report.html | cmp before - && echo "the page: the same"
# Of logs, seeds and windows the samples are not in the folders.
schedlab compare l1.swf l2.swf l3.swf -q -p easy -p sjf -o logs >/dev/null
schedlab compare l1.swf -q -p easy -p lottery --reps 3 -o seeds >/dev/null
schedlab compare l1.swf -q -p easy -p sjf --set replay.windows=100@0,100,200,300 -o windows >/dev/null
for kind in logs seeds windows; do
	grep -o '"of": "[a-z]*", "count": [0-9]*' $kind/compare.json
	schedlab compare $kind/1-easy $kind/2-* -q | sed -n '/^policy/,/^no/p'
done
schedlab report logs --format markdown -o - -q | sed -n '/mean wait (s) | [+-]/p;/^- no/p'
# Runs of other folders are compared as ever.
schedlab run l1.swf -q -p sjf -o alone >/dev/null
schedlab compare logs/1-easy alone -q | sed -n '/^  effective/p'
