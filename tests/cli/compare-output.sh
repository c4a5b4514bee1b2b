# -o: a directory a run, numbered in the order given, and all metrics in one file; its runs can be compared again.
cp "$DATA/four.swf" .
schedlab compare four.swf -p fcfs -p 'easy:fill=shortest,order=expr:"size, 1"' -o out --quiet || echo "exit $?"
schedlab compare four.swf -p fcfs -p 'easy:fill=shortest,order=expr:"size + 1"' -p easy -o out --quiet >/dev/null
find out -type f | sort
cut -d , -f 1-5 out/compare.csv
schedlab compare out/1-fcfs out/3-easy >again
cat again
schedlab compare four.swf -p fcfs -o out --quiet >/dev/null || echo "exit $?"
