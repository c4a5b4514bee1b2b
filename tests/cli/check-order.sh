# The order of lines and options is nobody's business where Slurm does not go by it, and is read where it does.
mkdir was
for name in slurm nodes gres topology; do cp "$ROOT/docs/examples/slurm/$name.conf" was; done
cp "$ROOT/docs/examples/slurm/week.txt" .
cp -r was now
schedlab check --init week.txt -c now -p slurm --jobs 300 -o b.json -q --no-decisions >/dev/null
order() { # order FILE SED: in place, and against it
	rm -rf now && cp -r was now
	sed -i "$2" "now/$1"
	cmp -s "was/$1" "now/$1" && echo "nothing is changed by $2"
	schedlab check b.json -q | cut -c 1-60
	sed 's/"now"/"was"/' b.json >other.json
	schedlab check other.json --against now -q | tail -n 1
	schedlab check other.json --against now | grep -o 'the same is read.*\|nobody starts.*'
}
echo 'Devices of a node are numbered by their files.'
order gres.conf '1{h;d};2G'
order gres.conf '1{h;d};2G;s/Cores=0-39/Cores=0-19/'
echo 'Options are a set; of two of one name the first counts.'
order slurm.conf 's/^SchedulerParameters=.*/SchedulerParameters=default_queue_depth=200,bf_continue,bf_window=4320/'
order slurm.conf 's/^SchedulerParameters=.*/SchedulerParameters=default_queue_depth=200,bf_window=4320/'
order slurm.conf 's/^SchedulerParameters=.*/&,bf_window=60/'
order slurm.conf 's/^SchedulerParameters=/&bf_window=60,/'
echo 'Switches are numbered as they stand, and nodes are chosen by that.'
order topology.conf '1{h;d};2G'
