# sinfo: nodes joined by state, in sinfo's order; formats, filters; a reservation; a partition is the cluster.
. "$ROOT/tests/data/view-world.sh"
schedlab view sinfo out --at 2026-01-12T09:06
schedlab view sinfo out --at 6m -s
schedlab view sinfo out --at 6m -l
schedlab view sinfo out --at 6m -N
schedlab view sinfo out --at 6m -N -l
echo '-- later: all idle, then one node reserved, one kept for nobody'
schedlab view sinfo out --at 40h
schedlab view sinfo out --at 2026-01-13T09:00:00
schedlab view sinfo out --at 2026-01-13T08:00 -T
echo '-- planned for who waits'
schedlab view sinfo promised --at 6m -h
echo '-- formats and filters'
schedlab view sinfo out --at 6m -o '%P|%R|%a|%D|%t|%T|%N|%C|%A|%F|%c|%m|%G|%f|%w|%X|%Y|%Z|%z|%e|%E|%g|%s|%r|%S|%h|%L|%I|%B|%p'
schedlab view sinfo out --at 6m -h -o '%D %t' -t mix,idle
schedlab view sinfo out --at 6m -h -n 'n[1,3]'
schedlab view sinfo out --at 6m -h -p none
schedlab view sinfo out --at 6m -h -o '%N %e'
schedlab view sinfo out --at 6m -h -e -o '%N %e'
schedlab view sinfo out --at 6m -h -S t
schedlab view sinfo out --at 6m -O 'Partition:8,Nodes:.4 ,StateCompact:6,NodeList'
