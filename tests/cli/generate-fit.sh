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
	eval "$(schedlab generate fit trace.swf --model $model --line) -o out" && echo "$model $(grep -vc '^[;#j]' out)"
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
schedlab generate lublin --jobs 10 -o few.swf
try few.swf
