# Predictions are written down, and hold when they are played again: on this run alone, and as they came out.
try() { "$@" || echo "exit $?"; }
step() { schedlab step "$DATA/backfill.swf" --quiet "$@"; }
step --quiz 2 --script - --record student.txt <<'END'
show
p 6
p 6
END
cat student.txt
step --replay student.txt | tail -n 3
echo "-- a record that was touched"
sed 's/# wrong/# right/' student.txt >touched.txt
try step --replay touched.txt | tail -n 1
echo "-- another run"
try step -p fcfs --replay student.txt
echo "-- no record"
echo n >plain.txt
try step --replay plain.txt
: >empty.txt
try step --replay empty.txt
echo "-- a quiz tells nothing before its answer"
for command in n N b s 't 5' 'j 4' 'w 5'; do
	echo "$command" | try step --quiz 1 --script - | tail -n 1
done
echo "-- unless it is to"
echo "p 5" | step --quiz 1 --answers --script -
echo "-- more questions than there are"
printf 'p 5\n' | step --quiz 9 --script -
