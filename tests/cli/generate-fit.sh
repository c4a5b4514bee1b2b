# SPDX-License-Identifier: GPL-3.0-or-later
# A fit prints numbers, distances and a line; the line generates; -o writes what it generates. Printed numbers are
# rounded here: their last digits may differ between machines.
schedlab generate gavel --jobs 5000 --format swf --gap 600 --seed 3 -o gavel.swf
schedlab generate fit gavel.swf --model gavel -o made.swf >report
grep -c . report
sed -n 's/^\(from\|middle\|until\|long\|gap\|arrivals\) *\(.*\)/\1 \2/p' report |
	awk '{ if ($2 + 0) printf "%s %.2g\n", $1, $2; else print }'
grep '^quantiles' report
grep '^jobs:' report
line=$(schedlab generate fit gavel.swf --model gavel --line)
[ "$line" = "$(tail -n 1 report)" ] && eval "$line" >again.swf
grep -v '^;' made.swf >made && grep -v '^;' again.swf | cmp - made && wc -l <made
# Every model has a fit of a log of its kind, and what it says can be generated.
for model in mixture lublin downey jann gpu; do
	schedlab generate lublin --jobs 2000 --cpus 64 -o trace.swf
	eval "$(schedlab generate fit trace.swf --model $model --line) -o out --force" && echo "$model $(grep -vc '^[;#j]' out)"
done
# GPUs and profiles come from tables.
schedlab generate downey --format table --jobs 500 -o downey.csv
schedlab generate fit downey.csv --model downey | sed -n 's/^\(sigma_m..\) *\(.*\)/\1 \2/p' | awk '{ printf "%s %.1f\n", $1, $2 }'
try() {
	schedlab generate fit "$@"
	echo "exit $?"
}
try gavel.swf --model sessions
try gavel.swf more
try none.swf
try gavel.swf --cpus 4
try gavel.swf -o -
schedlab generate lublin --jobs 10 -o few.swf
try few.swf
schedlab generate lublin --jobs 60 -o sixty.swf
try sixty.swf --model lublin
# What is compared is drawn by another seed than the line's, so that a trace of that seed does not meet itself: no
# distance is 0, though all numbers are found.
schedlab generate gavel --jobs 500 --format swf -o own.swf
schedlab generate fit own.swf --model gavel | awk '/^[a-z]+ +generated/ && $(NF - 1) > 0 { print $1, "differs" }'
# lublin's line brings the trace's load, and no job longer than its longest limit.
schedlab generate lublin --jobs 3000 --cpus 64 --load 0.7 --estimates exact --max-estimate 7h -o loaded.swf
eval "$(schedlab generate fit loaded.swf --model lublin --line)" | awk '/offered load/ { print $3, $4, $5 }
	!/^;/ && $4 > most { most = $4 } END { print most }'
# As SWF, GPUs are the machine's processors: it runs as it is.
schedlab generate gavel --jobs 50 --format swf | schedlab run - --quiet | sed -n '/^jobs/p'
# A machine of ten million processors and a trace of a century are fitted in no time.
awk 'BEGIN { print "; MaxProcs: 10000000"; for (i = 1; i <= 200; i++)
	print i, i * i * 100000, 0, 60 + i * i % 977, 2 ^ (i % 4), -1, -1, 2 ^ (i % 4), 9999, -1, 1, i % 5, 1, 1, 1, -1, -1, -1 }' >huge.swf
for model in mixture lublin; do
	timeout 300 schedlab generate fit huge.swf --model $model >report || echo "$model: $?"
done
