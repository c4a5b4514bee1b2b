# Four jobs to be checked by hand: 1 holds 3 of 4 cpus until 100; 2 wants all 4 from 10 on; 3 fits beside 1 and runs
# from 20 to 80; 4 (30) fits at 80, but by its limit of 200 s would be there at 100, when 2 can start. So 2 runs from
# 100 to 150, and 4 starts then: 70 s behind 2, which is first in line, 50 s for want of a cpu.
schedlab run "$DATA/four.swf" -o out --quiet >/dev/null
schedlab explain out 4
echo
schedlab explain out 2 --no-what-if
echo
schedlab explain out 1
echo
# With a limit of 20 s its end would be before 100: it would have started at 80, 70 s earlier. (Its run time of 100 s
# raises the limit again unless runs are cut.) Halves of one cpu there are none.
schedlab explain out 4 --what-if 'replay.change=job=4 limit=20 run=20' --what-if fewer | sed -n '/would have been/,$p'
schedlab explain out 4 --what-if 'replay.drop=job=2' --what-if 'replay.drop=job=5' | sed -n '/would have been/,$p'
echo
schedlab explain out 4 --json
echo
# A snapshot in mid-run: what it waits for at the end.
schedlab run "$DATA/four.swf" --until 90 -o half --quiet >/dev/null
schedlab explain half 4 --no-what-if | sed -n '/^job/p; /at the end/,$p'
echo
# Everybody: 60 s behind others (4, from 30 on: 70 s), 90 + 50 s for want of cpus.
schedlab explain out --top 2
schedlab explain out --user 1
echo
schedlab explain out --user 2 --json
