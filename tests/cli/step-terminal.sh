# By keys, on a real terminal (tmux): what stands on the screen, another size, the terminal put back however it ends.
command -v tmux >/dev/null || {
	cat "$ROOT/tests/cli/step-terminal.stdout" # Skipped: scripts/setup has tmux.
	exit 0
}
name=schedlab-step-$$
opened=0
mux() { tmux -L "$name-$opened" "$@" 2>/dev/null; }
trap 'mux kill-server' EXIT
trap 'exit 130' INT TERM
screen() { mux capture-pane -p; }
# saw TEXT: it comes to stand on the screen within twenty seconds.
saw() {
	for _ in $(seq 400); do
		screen | grep -qF -- "$1" && return
		sleep 0.05
	done
	echo "not on the screen: $1"
	screen
}
# open COLUMNS ROWS COMMAND: a new terminal, with a shell behind it that says how the terminal was left.
open() {
	columns=$1
	rows=$2
	shift 2
	mux kill-server
	opened=$((opened + 1))
	mux -f /dev/null new-session -d -x "$columns" -y "$rows" \
		"env -u NO_COLOR TERM=xterm LC_ALL=C.UTF-8 sh -c 'trap : INT; $*; echo over: \$?; stty -a | tr \" \" \"\\n\" | grep -x -e -\*icanon -e -\*echo; sleep 60'"
}
left_well() {
	saw "over: $1"
	for _ in $(seq 400); do # stty comes behind it.
		left=$(screen | grep -x -e '-*icanon' -e '-*echo' | sort | tr '\n' ' ')
		[ "$left" = "echo icanon " ] && break
		sleep 0.05
	done
	echo "after $2: ${left% }"
}

open 80 24 "schedlab step $DATA/backfill.swf --quiet --record $PWD/keys.txt"
saw 'nothing has happened yet'
mux send-keys n n n n
saw '6 s  J6 is submitted'
mux send-keys p
saw 'predict: which job starts next? _'
mux send-keys 6 Enter
saw 'wrong: at 12 s J5 starts, not J6'
saw 'any key goes on'
mux send-keys Space w
saw 'the first of the queue) _'
mux send-keys Enter
saw 'J4 waits since 3 s, 9 s by now'
mux send-keys b
saw '6 s  easy  (4 of 10)'
mux send-keys Right Right
saw '20 s  easy  (6 of 10)'
mux send-keys Left N
saw '20 s  J5 ends'
mux send-keys t 99x BSpace BSpace BSpace +2 Enter
saw '22 s  easy  (7 of 10)'
mux send-keys j '6 start' Enter
saw '32 s  easy  (8 of 10)'
mux send-keys : 'nonsense' Enter
saw "unknown command 'nonsense'"
mux send-keys h
saw 'the next event: all that happens at one instant'
mux resize-window -x 120 -y 40
saw 'any key goes on'
mux send-keys g
saw 'cpu 7'
screen | sed -n '2,9p'
mux resize-window -x 40 -y 10
saw 'too small'
mux resize-window -x 60 -y 20
saw 'cpu 0'
mux send-keys q
left_well 0 'the last key'
saw 'score: 0 of 1 right'
cat keys.txt
schedlab step "$DATA/backfill.swf" --quiet --replay keys.txt | tail -n 1

# A signal to either of its processes, and a quiz that is given up.
open 80 24 "schedlab step $DATA/backfill.swf --quiet --quiz 2"
saw 'p: which job starts next?'
mux send-keys n
saw 'a question stands'
mux send-keys C-c
left_well 130 'Ctrl-C'
for signal in TERM KILL; do
	open 80 24 "schedlab step $DATA/backfill.swf --quiet"
	saw 'nothing has happened yet'
	first=$(mux list-panes -F '#{pane_pid}')
	for _ in 1 2 3; do # The shell, schedlab, and the process of its own that draws.
		next=$(ps -o pid= --ppid "$first" | tr -d ' ')
		[ -n "$next" ] && first=$next
	done
	kill -s $signal "$first"
	[ $signal = TERM ] && left_well 130 "$signal"
	[ $signal = KILL ] && left_well 6 "$signal"
done
# Where there is no screen, commands are typed in lines.
open 80 24 "TERM=dumb schedlab step $DATA/backfill.swf --quiet"
mux send-keys n Enter
saw 'step>'
saw '0 s  easy starts J3'
mux send-keys nonsense Enter
saw "unknown command 'nonsense'"
mux send-keys q Enter
left_well 0 'lines'
echo "the terminal was tried"
