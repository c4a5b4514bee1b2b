# SPDX-License-Identifier: GPL-3.0-or-later
# The workload that ships is what the line in its own header makes.
bundled=$ROOT/traces/bundled/lublin-256.swf
line=$(sed -n 's/^; Note: made by: //p' "$bundled")
echo "$line"
eval "$line" -o again.swf && cmp again.swf "$bundled"
