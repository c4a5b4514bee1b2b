# A comparison's folder is several runs: each command says which there are, and takes one by its policy.
schedlab compare "$DATA/four.swf" -p fcfs -p easy -p easy:fill=shortest -p fcfs -o out -q >/dev/null
for command in "whatif out --drop user=2" "explain out 3" "view squeue out --at 1m" "step out --script /dev/null" "bundle out -o made" \
	"compare out" "compare out out/easy" "explain out/fcfs 3" "view sinfo out/sjf --at 1m" "explain nowhere/easy 3" "explain . 3"; do
	# shellcheck disable=SC2086 # A command line.
	schedlab $command
	echo "exit $?: $command"
done 2>&1
schedlab whatif out/easy --set policy.order=sjf -q | sed -n 3,5p
schedlab explain out/easy-fill-shortest 3 | head -n 1
schedlab view squeue out/easy --at 1m 2>/dev/null
printf 'q\n' | schedlab step out/easy --script - -q
schedlab compare out/easy out/1-fcfs -q | head -n 3
schedlab report out/easy -q -o page.html && grep -c '<html' page.html
schedlab bundle out/easy -o made -q && ls made
(cd out && schedlab explain ./easy 3 | head -n 1)
SCHEDLAB_RUN=out/easy schedlab view squeue --at 1m 2>/dev/null | head -n 1
