#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the commands of a document: "$ " begins one, the lines below it are what it must print, "..." is any lines.
# usage: sh tests/plugin/console.sh FILE
#
# They run one after another, here, as a reader would type them.
set -u
blocks=${1:?usage: console.sh FILE}
expected=$(mktemp) || exit 6
printed=$(mktemp) || exit 6
trap 'rm -f "$expected" "$printed"' EXIT
command=
commands=0

as_expected() {
	awk 'NR == FNR { want[++wants] = $0; next } { line[++lines] = $0 }
		END {
			for (i = j = 1; i <= wants; i++) {
				skip = want[i] == "..."
				if (skip && i++ == wants)
					exit 0
				while (skip && j < lines && line[j] != want[i])
					j++
				if (line[j++] != want[i]) {
					print "not printed: " want[i]
					exit 1
				}
			}
			if (j <= lines)
				print "printed too: " line[j]
			exit j <= lines
		}' "$expected" "$printed"
}

run() {
	[ -n "$command" ] || return 0
	eval "$command" >"$printed" 2>&1
	as_expected && return
	printf '$ %s\n' "$command"
	cat "$printed"
	exit 1
}

while IFS= read -r line <&3; do
	case $line in
	'$ '*)
		run
		command=${line#??}
		commands=$((commands + 1))
		: >"$expected"
		;;
	*) printf '%s\n' "$line" >>"$expected" ;;
	esac
done 3<"$blocks"
run
[ $commands -gt 0 ]
