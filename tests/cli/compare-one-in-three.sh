# Every third week has the same burst: where an interval has 0 in it, as an end too, there is no mark; and samples that all
# say the same have no interval without width.
awk 'BEGIN { print "; MaxProcs: 4"; print "; UnixStartTime: 0"
	for (w = 0; w < 22; w++) {
		for (i = 0; i < 12; i++) print ++n, w * 604800 + i * 40000, -1, 300, 1, -1, -1, 1, 300, -1, 1, 1, 1, 1, 1, 1, -1, -1
		if (w % 3 == 1) {
			print ++n, w * 604800 + 500000, -1, 50000, 4, -1, -1, 4, 50000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500010, -1, 9000, 3, -1, -1, 3, 9000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500020, -1, 3000, 2, -1, -1, 2, 3000, -1, 1, 1, 1, 1, 1, 1, -1, -1
			print ++n, w * 604800 + 500030, -1, 100, 1, -1, -1, 1, 100, -1, 1, 1, 1, 1, 1, 1, -1, -1
		}
	} }' >log.swf
schedlab compare log.swf -q -p fcfs -p easy --blocks week -o weeks | sed -n '/^against/,$p'
awk -F, 'NR > 1 && $5 != "" { print $3, $4, "[" $5, $6 "]", "of the ratio [" $10, $11 "]", $15 ? "told apart" : "not told apart" }' \
	weeks/differences.csv
