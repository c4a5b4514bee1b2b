# What README.md shows of models is what is printed.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
sed -n '/^\$ cat docs\/examples\/fabric/,/^```/p' README.md | sed '/^```/d' >"$dir/shown"
sed -n 's/^\$ //p' "$dir/shown" | sed "s|build/schedlab|schedlab|; s|gpu\.csv|$dir/gpu.csv|; s|slowed|$dir/slowed|" >"$dir/commands"
sh "$dir/commands" >"$dir/printed"
grep -v '^\$ ' "$dir/shown" | diff - "$dir/printed" && echo same
rm -r "$dir"
