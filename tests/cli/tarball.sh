# SPDX-License-Identifier: GPL-3.0-or-later
# The tarball of the program runs from where it is unpacked, with libraries of its own; twice the same bytes.
# Long: a tarball, twice.
XZ_LEVEL=0
export XZ_LEVEL
build=$(dirname "$(command -v schedlab)")
tar=$("$ROOT/scripts/tarball" "$build" 0 1000000000 2>/dev/null) || exit 1
sum=$(sha256sum <"$tar")
"$ROOT/scripts/tarball" "$build" 0 1000000000 >/dev/null 2>&1
[ "$sum" = "$(sha256sum <"$tar")" ] && echo 'the same bytes'
mkdir 'some where'
tar -C 'some where' -xJf "$tar" && rm "$tar"
cd 'some where'/schedlab-* || exit 1
ls
# Of the system it wants the C library alone.
ldd bin/schedlab | grep '=> /' | grep -v "=> $PWD/" | sed 's/ =>.*//; s/^[[:space:]]*//' | grep -vE '^lib(c|m|dl|pthread|rt|resolv|gcc_s)\.so'
env -i bin/schedlab | sed -n 's|.*compare .*/\(.*\)|\1|p'
env -i bin/schedlab run "$PWD/share/schedlab/traces/lublin-256.swf" --jobs 300 --quiet | sed -n '1,3p'
printf 'sinfo\n' | env -i bin/schedlab shell --script - | tail -n 1
