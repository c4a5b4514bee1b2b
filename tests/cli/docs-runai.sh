# What docs/labs/runai.md shows is what is printed, and what it shows of files stands there.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
sed -n '/^\$ /,/^```/p' docs/labs/runai.md | sed '/^```/d' >"$dir/shown"
sed -n 's/^\$ //p' "$dir/shown" |
	sed "s|build/schedlab|schedlab|; s|-o \([a-z]*\)|-o $dir/\1|; s| \([a-z]*\)/\([a-z]*\.csv\)| $dir/\1/\2|" >"$dir/commands"
sed -i "s|$dir/\(docs/\)|\1|g" "$dir/commands"
sh "$dir/commands" 2>/dev/null | sed "s|$dir/||g" >"$dir/printed"
grep -v '^\$ ' "$dir/shown" | diff - "$dir/printed" && echo same
for file in projects hardware; do
	grep -v '^#' "docs/examples/runai/$file.yaml" >"$dir/$file.lines"
done
sed -n '/^departments:/,/^```/p' docs/labs/runai.md | sed '/^```/d' | diff - "$dir/projects.lines" && echo same
sed -n '/node-types/,/^```/p' docs/labs/runai.md | sed '/^```/d' |
	while IFS= read -r line; do grep -qxF -- "$line" "$dir/hardware.lines" || echo "not in hardware.yaml: $line"; done
rm -r "$dir"
