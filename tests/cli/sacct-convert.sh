# sacct -> jobs -> sacct: what was written is read as the same jobs, with all that they ask; SWF and tables too.
cp "$DATA/sacct.log" "$DATA/site.swf" .
schedlab convert sacct.log first.log --to sacct
sed 's/ | / ! /' first.log | head -n 8
schedlab convert first.log second.log --to sacct
cmp first.log second.log
schedlab convert --clean sacct.log clean.log --to sacct
cut -d'|' -f1,11,13,17 clean.log | tail -n 3
schedlab convert site.swf site.log --to sacct
head -n 3 site.log
schedlab convert --clean site.swf clean.swf
schedlab convert --clean site.log clean-log.csv --to table
sed -n '/^job_id/,$p' clean-log.csv | cut -d, -f1,7,9,10,12 | head -n 4
