# --clean drops and sorts as a replay would; the result has nothing left to repair, and is the same replay.
cp "$DATA/site.swf" .
schedlab convert --clean site.swf clean.swf && cat clean.swf
schedlab convert --clean --strict clean.swf - | cmp - clean.swf
schedlab run site.swf -o a --quiet >/dev/null 2>&1 && schedlab run clean.swf -o b --quiet >/dev/null
# jobs.csv is in trace order: sorted, they are the same.
sort a/jobs.csv >a.csv
sort b/jobs.csv | cmp - a.csv && echo same
