# SPDX-License-Identifier: GPL-3.0-or-later
# Each model of estimates, by how many jobs ask for less than they run (none), for just that, and for how many
# different times: 90 for Tsafrir's with 10 000 jobs.
for how in tsafrir exact f-model "f-model --factor 1"; do
	# shellcheck disable=SC2086
	schedlab generate lublin --estimates $how | awk -v how="$how" '!/^;/ {
		less += $9 < $4; just += $9 == $4; if (!seen[$9]++) times++
	} END { print how ":", less, just, times }'
done
