# Calibrated on earlier moments of the log, where enough is known of them; the first line says so.
log=$ROOT/traces/bundled/lublin-256.swf
ask() { schedlab forecast "$log" -q -p easy --simulated --at 8d --futures 20 --job 497 --job 516 "$@"; }
ask
ask --calibrate 12
ask --calibrate 0
ask --calibrate 1
# A job not yet submitted, too.
schedlab forecast "$log" -q -p easy --simulated --at 8d --futures 20 --ask 'nodes=32 limit=4h'
# Same seed, same bytes, on one thread and several.
ask --json -j 1 >a
ask --json -j 3 >b
cmp a b && grep -A 4 '"calibrated"' a
ask --calibrate 0 --json | grep '"calibrated"'
ask --calibrate x || echo "exit $?"
schedlab forecast "$log" -q --backtest --calibrate 3 || echo "exit $?"
