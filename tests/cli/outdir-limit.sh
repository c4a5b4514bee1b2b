# A limit on file sizes is a failed write like any other: one line, exit 6, nothing left.
schedlab generate lublin --jobs 20000 --cpus 64 --seed 1 -o w.swf
(ulimit -f 100; schedlab run w.swf -q -o out >/dev/null) || echo "exit $?"
ls -A
