# Backfill gone through by hand: tests/data/backfill.swf, eight cpus. At 12 s J2 ends, and 3 are free.
#   J4 (6 cpus) is first: J1 (4) has to end by 22 s, which makes 7; then J4 takes 6, and 1 is left.
#   J5 (2 cpus, 8 s) is over at 20 s: it may go before J4.
#   J6 (2 cpus, 20 s) would be over at 32 s, and 1 cpu is all that J4 leaves at 22 s: it may not.
# So the answers, the figures that are told, and J4's planned start are known before anything runs.
schedlab step "$DATA/backfill.swf" --script - --quiet <<'END'
show
n
expect easy starts J3 (1 cpu, 40 s): its turn had come in the order of the queue
n 3
w
expect by the limits of what ran there would be room at 22 s
p
expect [J4 6 cpus, 10 s] [J5 2 cpus, 8 s] [J6 2 cpus, 20 s]  free 3 of 8 cpus
show
p 6
expect wrong: at 12 s J5 starts, not J6
expect J6 would end at 32 s by its limit, after the planned start of J4 at 22 s, which leaves 1 cpu then
expect J4 needs 6 cpus, and 3 were free
show
w J5
# Back, and once more with the right answer; then with the one who has to wait.
b
p J5
expect right: at 12 s J5 starts
expect it ends at 20 s by its limit, before J4's planned start at 22 s
b
p 4
expect J4 needs 6 cpus, and 3 were free
score
# Decision by decision: what is shown is laid over what was before.
b
N
expect cpus 5/8
N
expect cpus 7/8
show
N
expect 22 s  Resources
# To times and jobs.
s
expect easy starts J4
t 0:00:15
t +5
t -20s
j 6 start
expect 32 s  easy starts J6
j 6
j 5 submit
w 6
t end
w 6
t begin
w
g
n 4
show
zoom in
g jobs
zoom out
b 100
help
END
