# A row a policy; the best of each column is marked, the first row is what the others are held against.
cp "$DATA/four.swf" .
schedlab compare four.swf -p fcfs -p easy -p sjf
