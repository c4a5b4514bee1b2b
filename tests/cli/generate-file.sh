# SPDX-License-Identifier: GPL-3.0-or-later
# -o writes the file whole, '-' and nothing write standard output, all the same bytes; nothing else is left.
schedlab generate lublin --jobs 100 --classes two -o a.swf || exit
schedlab generate lublin --jobs 100 --classes two -o - >b.swf || exit
schedlab generate --classes two --seed 1 lublin --jobs=100 >c.swf || exit
cmp a.swf b.swf && cmp a.swf c.swf && ls
# Where it cannot be written, nothing is left.
schedlab generate lublin --jobs 100 -o no/such/d.swf
echo "exit $?"
ls
