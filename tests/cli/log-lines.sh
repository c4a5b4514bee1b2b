# SPDX-License-Identifier: GPL-3.0-or-later
# Levels of talk, lines as JSON, errors as JSON, and a script without end that --max-time ends.
cat >t.swf <<'SWF'
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 -1 86400 2 -1 -1 2 86400 -1 1 1 1 -1 -1 -1 -1 -1
3 2 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
4 3 -1 100 2 -1 -1 2 100 -1 1 1 1 -1 -1 -1 -1 -1
SWF
for more in '' -v -vv '--log-level=warning' '-q -v' '--log-json -v'; do
	echo "== $more"
	# shellcheck disable=SC2086 # Several options.
	schedlab run t.swf $more 2>&1 >/dev/null | grep -v 'settings:'
done
echo '== before the command'
schedlab -q run t.swf >/dev/null
schedlab --log-level loud run t.swf
echo "exit $?"
SCHEDLAB_LOG=warning schedlab run t.swf >/dev/null
echo '== several runs'
schedlab compare t.swf -p fcfs -p easy -v 2>&1 >/dev/null | grep 'easy: job 4'
echo '== errors'
echo 'no trace' >bad.swf
schedlab run bad.swf --json
echo "exit $?"
sed 's/^2 1 -1 86400/2 1 -1 x/' t.swf >bad.swf
schedlab run bad.swf --json
echo "exit $?"
schedlab run bad.swf --log-json
schedlab run bad.swf --json --such
echo '== a script without end'
cat >endless.lua <<'LUA'
limits = { instructions = 1000000 }
function pass(p)
	while true do pcall(function() while true do end end) end
end
LUA
schedlab run t.swf -p endless.lua --max-time 0.3 -q -o out >summary
echo "exit $?"
head -n 3 summary
grep '"partial"' out/run.json
grep -c '' out/jobs.csv
