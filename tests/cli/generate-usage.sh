# SPDX-License-Identifier: GPL-3.0-or-later
# Each wrong line: exit 2, and what to do.
try() {
	schedlab generate "$@"
	echo "exit $?"
}
try lubln
try lublin --job 5
try lublin --jobs 0
try lublin --load x
try lublin --estimates none
try lublin --max-estimate 30m
try lublin --umed 0.5
try lublin --uhi 9
try lublin --jobs 1 --load 0.5
try lublin --seed -1
