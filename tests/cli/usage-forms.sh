# Options in all their forms, before and behind the operand; -- ends them.
cp "$DATA/four.swf" -- -four.swf
for line in '-pfcfs -- -four.swf' '-qp fcfs -- -four.swf' '--policy=fcfs -q -- -four.swf' '-q --policy fcfs -- -four.swf'; do
	# The words of a line.
	schedlab run $line 2>/dev/null | sed -n 1p
done
