# The same bytes on one thread as on four.
schedlab generate lublin --jobs 2000 --cpus 64 --load 0.9 -o some.swf
for threads in 1 4; do
	schedlab compare some.swf -p fcfs -p easy -p conservative -p sjf -p greedy -j $threads -o "out$threads" --quiet \
		>"table$threads"
done
cmp table1 table4 && diff -r out1 out4 && echo same
