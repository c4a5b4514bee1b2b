# run.json: everything that a run was made of; and the same bytes for each spelling of the same settings.
cp "$DATA/odd.swf" .
schedlab run odd.swf -p 'easy:fill=shortest' --set replay.warmup=1h --set cluster.cpus=16 --seed 7 --quiet -o out >/dev/null 2>&1
sed -e 's/"identity": "[0-9a-f]*"/"identity": IDENTITY/' -e 's/"schedlab": "[^"]*"/"schedlab": VERSION/' -e 's/"digest": "[0-9a-f]*"/"digest": DIGEST/' out/run.json
schedlab run odd.swf -p easy --set fill=shortest --set warmup=3600 --set cluster.cpus=16 --seed 7 --quiet -o again >/dev/null 2>&1
diff out/run.json again/run.json
# The path is no part of what makes a run the same.
cp odd.swf other.swf
schedlab run other.swf -p 'easy:fill=shortest' --set warmup=60m --set cluster.cpus=16 --seed 7 --quiet -o out >/dev/null 2>&1 && echo replaced
schedlab run other.swf -p 'easy:fill=shortest' --set warmup=60m --set cluster.cpus=16 --seed 8 --quiet -o out >/dev/null 2>&1 || echo "exit $?"
