# What docs/labs/runai.md shows of files stands there.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
for file in projects hardware; do
	grep -v '^#' "docs/examples/runai/$file.yaml" >"$dir/$file.lines"
done
sed -n '/^departments:/,/^```/p' docs/labs/runai.md | sed '/^```/d' | diff - "$dir/projects.lines" && echo same
sed -n '/node-types/,/^```/p' docs/labs/runai.md | sed '/^```/d' |
	while IFS= read -r line; do grep -qxF -- "$line" "$dir/hardware.lines" || echo "not in hardware.yaml: $line"; done
rm -r "$dir"
