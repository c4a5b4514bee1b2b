# Shares, memory, MIG profiles of GPUs, parts of cpus, islands: what fits, what never could; and all of it written and
# read again.
cp "$DATA/shared-gpus.csv" "$DATA/shared-gpus.yaml" .
schedlab inspect shared-gpus.csv -c shared-gpus.yaml |
	sed -n '/^  machine/,/^  jobs/p; /^  fit/p; /^  oddities/,/^$/p; /^  size, in/,/^$/p'
schedlab convert shared-gpus.csv again.csv --to table
sed -n '/^job_id/,$p' again.csv
schedlab convert again.csv third.csv --to table
cmp again.csv third.csv
schedlab convert shared-gpus.csv clean.csv --to table --clean
cmp again.csv clean.csv
# In wholes, up: cpus, and for whom asks none GPUs.
schedlab convert shared-gpus.csv - --to swf | sed '/^;/d' | cut -d' ' -f1,4,8
schedlab convert shared-gpus.csv - --to sacct | sed -n 's/.*\(--ntasks=[^|]*\).*/\1/p'
# Of several types of GPU Slurm is asked for any, and no line is broken by them.
schedlab convert shared-gpus.csv asked.txt --to sacct
schedlab convert asked.txt - --to table | cut -d, -f1,12-16 | sed -n '/^[67],/p'
# The cluster, by both languages.
schedlab convert shared-gpus.yaml first.yaml --to yaml
cat first.yaml
schedlab convert first.yaml second.json --to json
schedlab convert second.json second.yaml --to yaml
cmp first.yaml second.yaml
# Mistakes say what to do.
printf 'submit,run_time,gpus\n0,1,1\n0,1,1.5\n' >half.csv
schedlab inspect half.csv
echo "exit $?"
sed 's/a100-40gb/a100-40/' shared-gpus.yaml >model.yaml
schedlab inspect shared-gpus.csv -c model.yaml
echo "exit $?"
sed 's/nodes_per_island/nodes_per_ilsand/' shared-gpus.yaml >key.yaml
schedlab inspect shared-gpus.csv -c key.yaml
echo "exit $?"
