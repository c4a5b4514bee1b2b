# A full disk: one line, exit 6, and nothing half-written. A limit on file sizes stands for it.
schedlab generate lublin --jobs 5000 -o many.swf
trap '' XFSZ
ulimit -f 100
schedlab run many.swf --quiet -o out >/dev/null || echo "exit $?"
ls -A
schedlab run many.swf --quiet >/dev/full || echo "exit $?"
