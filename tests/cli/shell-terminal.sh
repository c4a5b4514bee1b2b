# SPDX-License-Identifier: GPL-3.0-or-later
# At a terminal: the prompt, completion, an earlier line again, Ctrl-C, the shell of a job. Without tmux it is passed
# over, and says so.
set -u
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
SCHEDLAB_DATA=$PWD/share
export SCHEDLAB_DATA
if ! command -v tmux >/dev/null; then
	echo "done: passed over, there is no tmux"
	exit 0
fi
on="tmux -f /dev/null -S $PWD/tmux"
# shellcheck disable=SC2086 # A command and its words.
tm() { $on "$@"; }
# Until the screen has it, for ten seconds at most.
seen() {
	for _ in $(seq 200); do
		if tm capture-pane -p 2>/dev/null | grep -qF -- "$1"; then return 0; fi
		sleep 0.05
	done
	echo "not seen: $1"
	tm capture-pane -p
}
TERM=xterm tm new-session -d -x 110 -y 40 "schedlab shell; echo left; sleep 20"
seen 'user@login [2026-01-05 09:00:00]$'
tm send-keys 'sinf' Tab
seen '$ sinfo'
tm send-keys Enter
seen 'idle dgx[0180-0189]'
tm send-keys 'srun --gres=gpu:1 --pty bash' Enter
seen 'user@dgx0180 [2026-01-05 09:00:03]$'
tm send-keys Up Up Enter
seen 'mix dgx0180'
tm send-keys 'nonsense' C-c 'hostname' Enter
seen 'hostname'
tm send-keys 'exit' Enter
seen 'user@login [2026-01-05 09:00:03]$'
tm send-keys 'sbatch <<STOP' Enter
seen '>'
tm send-keys '#!/bin/sh' Enter 'STOP' Enter
seen 'Submitted batch job 2'
tm send-keys C-d
seen 'left'
tm kill-server
echo "done"
