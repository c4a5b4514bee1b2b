# What docs/plan.md shows is what its commands print.
# Long: a dozen searches.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
mkdir "$dir/build"
ln -s "$(command -v schedlab)" "$dir/build/schedlab"
shown=yes
while IFS= read -r line; do
	case $line in
	'$ build/schedlab '*)
		printf '%s\n' "$line"
		(eval "$dir/${line#??}")
		shown=no
		;;
	'```'*)
		printf '%s\n' "$line"
		shown=yes
		;;
	*) [ "$shown" = no ] || printf '%s\n' "$line" ;;
	esac
done <docs/plan.md >"$dir/printed"
diff docs/plan.md "$dir/printed" && echo same
rm -rf "$dir"
