# What docs/labs/kueue.md shows is what is printed.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
sed -n '/^\$ /,/^```/p' docs/labs/kueue.md | sed '/^```/d' >"$dir/shown"
sed -n 's/^\$ //p' "$dir/shown" |
	sed "s|build/schedlab|schedlab|; s|-o \([a-z]*\)|-o $dir/\1|; s|together/|$dir/together/|; s|apart/|$dir/apart/|; s|together apart|$dir/together $dir/apart|" >"$dir/commands"
sh "$dir/commands" 2>/dev/null | sed "s|$dir/||g" >"$dir/printed"
grep -v '^\$ ' "$dir/shown" | diff - "$dir/printed" && echo same
rm -r "$dir"
