# What README.md shows of Slurm's files is what is printed; and the week is what its program makes.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
schedlab run docs/examples/slurm/week.txt -c docs/examples/slurm -p easy:place=slurm -o "$dir/week" --quiet >/dev/null
{
	schedlab view sinfo "$dir/week" --at 2026-03-04T12:00:00
	# shellcheck disable=SC2016
	echo '$ build/schedlab view squeue week --at 2026-03-04T12:00:00 -p gpu'
	schedlab view squeue "$dir/week" --at 2026-03-04T12:00:00 -p gpu
} >"$dir/printed"
sed -n '/^\$ build\/schedlab view sinfo/,/^```/p' README.md | sed '1d;$d' | diff - "$dir/printed" && echo same
# Why a job of it waited.
sed -n '/^\$ build\/schedlab explain week/,/^```/p' README.md | sed '1d;$d' >"$dir/shown"
schedlab explain "$dir/week" 1213 --what-if needed-limit --what-if without-user | diff "$dir/shown" - && echo same
awk -f docs/examples/slurm/week.awk | diff -q - docs/examples/slurm/week.txt && echo same
schedlab convert docs/examples/slurm -o "$dir/lab.yaml" && schedlab convert "$dir/lab.yaml" -o "$dir/again.yaml"
diff "$dir/lab.yaml" "$dir/again.yaml" && echo same
# The same model, so the same schedule.
schedlab run docs/examples/slurm/week.txt -c "$dir/lab.yaml" -p easy:place=slurm -o "$dir/yaml" --quiet >/dev/null
diff "$dir/week/jobs.csv" "$dir/yaml/jobs.csv" && echo same
rm -rf "$dir"
