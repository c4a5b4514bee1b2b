# The page: by compare -o and by report the same bytes; it asks nobody for anything.
cp "$DATA/four.swf" .
schedlab compare four.swf -p fcfs -p easy -o out >/dev/null
cp out/report.html first.html
schedlab report out
cmp first.html out/report.html && echo same
schedlab report out -q -o - | cmp - first.html && echo same
schedlab report out/1-fcfs -q && ls out/1-fcfs
schedlab run four.swf -p fcfs -q -o out/1-fcfs >/dev/null && ls out/1-fcfs
grep -o "default-src 'none'\|img-src[^;]*; base-uri 'none'; form-action 'none'" first.html
grep -cE '(src|href)="?(https?:)?//|@import|url\(' first.html || true
