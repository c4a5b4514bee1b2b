# SPDX-License-Identifier: GPL-3.0-or-later
# What the labs show is what their commands print.
# Long: thirteen labs.
for lab in "$ROOT"/docs/labs/[0-9]*-*; do
	"$ROOT/scripts/lab-text" "$lab" | diff "$lab/README.md" - && echo "${lab##*/}"
done
