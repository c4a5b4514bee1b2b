# SPDX-License-Identifier: GPL-3.0-or-later
# The lecture's demo, as a transcript: each of its lines with what it says, and its expectations.
set -eu
mkdir share
ln -s "$ROOT/traces/bundled" share/traces
schedlab --data=share shell --script "$ROOT/docs/labs/slurm-demo.txt"
