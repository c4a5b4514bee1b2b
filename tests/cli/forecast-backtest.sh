# A log under its own policy, asked at drawn moments: keys, baselines, same bytes.
schedlab generate lublin --jobs 3000 --cpus 64 --load 0.9 --seed 3 -q >log.swf
schedlab forecast --backtest log.swf -q -p easy --simulated --futures 10 --moments 60 --json >a
schedlab forecast --backtest log.swf -q -p easy --simulated --futures 10 --moments 60 --json -j 1 >b
cmp a b && echo same
grep -o '"[a-z_0-9]*":' a | tr -d '":' | tr '\n' ' ' && echo
schedlab forecast --backtest log.swf -q -p easy --simulated --futures 10 --moments 60 --cases cases.csv | sed 1d | cut -c 1-16
head -n 1 cases.csv | cut -d , -f 1-12
