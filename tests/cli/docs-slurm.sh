# The week is what its program makes; slurm.conf as our file gives the same schedule.
cd "$ROOT" || exit 1
dir=$(mktemp -d)
schedlab run docs/examples/slurm/week.txt -c docs/examples/slurm -p easy:place=slurm -o "$dir/week" --quiet >/dev/null
awk -f docs/examples/slurm/week.awk | diff -q - docs/examples/slurm/week.txt && echo same
schedlab convert docs/examples/slurm -o "$dir/lab.yaml" && schedlab convert "$dir/lab.yaml" -o "$dir/again.yaml"
diff "$dir/lab.yaml" "$dir/again.yaml" && echo same
# The same model, so the same schedule.
schedlab run docs/examples/slurm/week.txt -c "$dir/lab.yaml" -p easy:place=slurm -o "$dir/yaml" --quiet >/dev/null
diff "$dir/week/jobs.csv" "$dir/yaml/jobs.csv" && echo same
rm -rf "$dir"
