# Other jobs run on the smaller cluster: those that ran on both are compared, what did not run is counted, and neither is better.
awk 'BEGIN { print "; MaxProcs: 4"; print "; UnixStartTime: 0"
	for (i = 1; i <= 400; i++) print i, i * 100, -1, 150 + i % 7 * 40, i % 4 + 1, -1, -1, i % 4 + 1, 600, -1, 1, 1, 1, 1, 1, 1, -1, -1 }' >log.swf
printf 'nodes:\n  - name: n\n    count: 4\n    cpus: 1\n' >four.yaml
printf 'nodes:\n  - name: n\n    count: 2\n    cpus: 1\n' >two.yaml
schedlab compare log.swf -q -c four.yaml -c two.yaml -p easy -o out
cut -d , -f 1-4 out/compare.csv
grep -c ',1,$' out/differences.csv
schedlab compare out/1-easy out/2-easy -q | sed -n '1,4p;/ran in all/p'
schedlab report out/1-easy out/2-easy --format markdown -o - -q | grep 'ran in\|better'
sed -n 's/.*"apart":"\([^"]*\)".*/\1/p' out/report.html
schedlab whatif log.swf -c four.yaml -p easy --as fewer --down 'n[1-2]' -q 2>&1 | sed -n '1,9p;/ran in all/p' || echo "exit $?"
