# --only jobs writes jobs.csv and run.json alone, and prints no summary; it needs -o, and known names.
cp "$DATA/four.swf" .
schedlab run four.swf --quiet --only jobs -o out
ls out
schedlab run four.swf --quiet --only jobs || echo "exit $?"
schedlab run four.swf --quiet --only jbos -o more || echo "exit $?"
