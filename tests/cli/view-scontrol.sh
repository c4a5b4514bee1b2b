# scontrol show: jobs, nodes, partitions, reservations, lists of hosts.
. "$ROOT/tests/data/view-world.sh"
schedlab view scontrol out --at 6m show job 1
schedlab view scontrol promised --at 6m show job 3
schedlab view scontrol out --at 6m -o show jobs
schedlab view scontrol out --at 6m -d show job 2 | grep 'Nodes=n'
schedlab view scontrol out --at 6m show node n3
schedlab view scontrol out --at 6m -o show nodes 'n[1,4]' | cut -c1-60
schedlab view scontrol out --at 6m show partition
schedlab view scontrol out --at 6m show reservation
schedlab view scontrol out show reservation
schedlab view scontrol out show config
schedlab view scontrol show hostnames 'dgx[0180-0182],login'
schedlab view scontrol show hostlist dgx0180,dgx0181,dgx0182,login
schedlab view scontrol ping
for words in 'show job 99' 'show nodes x1' 'show nonsense' 'update JobId=1' 'show'; do
	schedlab view scontrol out --at 6m $words || echo "$words: exit $?"
done
