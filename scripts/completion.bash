# SPDX-License-Identifier: GPL-3.0-or-later
# Bash completion of schedlab: the program itself knows what fits; where it offers nothing, files do.
_schedlab() {
	local IFS=$'\n' words
	words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	# shellcheck disable=SC2207 # Names hold no blanks.
	COMPREPLY=($("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null))
}
complete -o default -F _schedlab schedlab
