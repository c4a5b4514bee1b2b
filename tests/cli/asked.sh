# SPDX-License-Identifier: GPL-3.0-or-later
# SIGUSR1 has the state of what runs told, and changes nothing.
cat >t.swf <<'SWF'
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 -1 -1 -1 -1
SWF
cat >slow.sh <<'SH'
read -r hello
echo '{}'
while read -r line; do
	case $line in
	*'"now":0,'*) touch begun; until [ -e told ]; do sleep 0.05; done; echo '{"start":[0]}' ;;
	*'"now":10,'*) echo '{"start":[1]}' ;;
	*) echo '{}' ;;
	esac
done
SH
schedlab run t.swf -p 'external:command="sh slow.sh"' --quiet --json >summary 2>said &
run=$!
until [ -e begun ]; do sleep 0.05; done
kill -USR1 $run
for _ in $(seq 1200); do
	grep -q 'the program holds' said && break
	sleep 0.05
done
touch told
wait $run
echo "exit $?"
grep -c 'at 0 s of the simulation, 0 of 2 jobs ended' said
grep -c 'the program holds' said
grep '"wait.max"' summary
