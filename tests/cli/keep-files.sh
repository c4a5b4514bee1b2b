# SPDX-License-Identifier: GPL-3.0-or-later
# generate, convert and anonymize replace no file that holds something else, and results are on the disk before they have
# their names.
try() {
	"$@" -q
	echo "$? $1 $2"
}
cp "$DATA/four.swf" .
echo mine >mine.txt
cp mine.txt kept.txt
try schedlab generate lublin --jobs 3 -o mine.txt
try schedlab generate resample four.swf -o mine.txt
try schedlab generate fit four.swf -o mine.txt
try schedlab convert four.swf mine.txt
try schedlab convert four.swf -o mine.txt --clean
try schedlab convert "$ROOT/traces/bundled/gpu-cluster.yaml" mine.txt
try schedlab anonymize four.swf -o mine.txt --key key --new-key
[ ! -e key ] || echo "a key without a file"
cmp mine.txt kept.txt || echo "mine.txt is lost"
# What would be the same is no matter, nor is an empty file; a trace is not written over itself as another format.
try schedlab generate lublin --jobs 3 -o new.swf
try schedlab generate lublin --jobs 3 -o new.swf
try schedlab generate lublin --jobs 4 -o new.swf
: >empty
try schedlab generate lublin --jobs 3 -o empty
try schedlab convert new.swf table.csv --to table
try schedlab convert table.csv table.csv
try schedlab convert table.csv table.csv --force
try schedlab generate lublin --jobs 3 -o mine.txt --force
ls -A
# The last rename is that of the result: all of it was on the disk by then.
ldd "$(command -v schedlab)" | grep -q libasan && exit 0 # It cannot look for leaks under a tracer.
strace -o calls -e trace=fsync true || exit 0
synced() {
	strace -f -o calls -e trace=fsync,rename,renameat2 "$@" >/dev/null 2>&1
	awk '/fsync/ { synced++ } /rename/ { last = synced + 0 } END { print (last > 0 ? "synced first" : "not synced") }' calls
}
synced schedlab run new.swf -o out >strace.txt
synced schedlab run new.swf -o out2 --no-sync >>strace.txt
synced schedlab generate lublin --jobs 3 -o new2.swf >>strace.txt
printf 'synced first\nnot synced\nsynced first\n' | diff - strace.txt
