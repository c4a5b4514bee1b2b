# SPDX-License-Identifier: GPL-3.0-or-later
# A grid of runs: its plan, its points, what is told of them; each point is what `run` says of the same.
unset MAKEFLAGS MFLAGS MAKELEVEL
cat >s.yaml <<'YAML'
name: small
traces: [{generate: lublin --jobs 300 --cpus 64, name: drawn}]
policies: [fcfs, easy]
settings: {replay.load: 0.8..1.2:0.4}
seeds: 1..3
exclude: [{policy: fcfs, replay.load: "1.2"}]
metrics: ["wait.p95{size>=8}"]
YAML
schedlab sweep plan s.yaml | sed 's/"id": "[0-9a-f]*"/"id"/' | head -n 4
schedlab sweep plan s.yaml | wc -l
schedlab sweep run s.yaml -o d -j 2
schedlab sweep run s.yaml -o d
schedlab sweep status s.yaml -o d --json
schedlab sweep report s.yaml -o d --y wait.mean
head -n 1 d/points.csv | cut -c 1-60
tr -d '\r' <d/curves.svg | head -n 1 | cut -c 1-40
# The same point as a run of its own: number 3 is easy at 1.2 with seed 1.
sed -n 's/.*"digest": "\(.*\)".*/\1/p' "$(grep -l '"number": 2,' d/points/*.json)" >point
schedlab generate lublin --jobs 300 --cpus 64 --seed 1 -o t.swf 2>/dev/null
schedlab run t.swf -p easy --set replay.load=1.2 --quiet --verbose 2>&1 >/dev/null | sed -n 's/.*digest //p' >alone
cmp point alone && echo 'as a run of its own'
# Whoever asks for parts gets all of them, each once, by options or by what an engine says.
for engine in 'SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=4' 'OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4' \
	'PMI_RANK=0 PMI_SIZE=3' 'SLURM_PROCID=1 SLURM_NTASKS=2' 'JOB_COMPLETION_INDEX=2' 'PARALLEL_SEQ=4'; do
	rm -rf e
	# shellcheck disable=SC2086 # Words.
	env $engine schedlab sweep run s.yaml -o e --quiet --shards 4 && schedlab sweep report e --quiet >/dev/null
	cmp d/points.csv e/points.csv && echo the same
done
rm -rf e
for part in 0 1 2; do schedlab sweep run s.yaml -o e --quiet --shard $part/3 & done
wait
schedlab sweep report s.yaml -o e --quiet >/dev/null
cmp d/points.csv e/points.csv && echo 'three parts'
# A directory says by itself what it is of, from anywhere, when the spec is gone.
mv s.yaml t.yaml
schedlab sweep status e
(cd / && schedlab sweep run "$OLDPWD/e" --quiet; echo "exit $?")
mv t.yaml s.yaml
sed -n '/"how"/p; /"warnings"/p' "$(grep -l '"number": 2,' d/points/*.json)"
# Scripts for others do the same.
for engine in parallel make; do
	rm -rf e
	schedlab sweep run s.yaml -o e --emit $engine --tasks 3 >script
	if [ $engine = make ]; then
		make -s -f script
	elif parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
		sh script -j 2
	else # It is not here: what it would start.
		for part in 0 1 2; do schedlab sweep run s.yaml -o e --quiet --shard $part/3; done
	fi
	schedlab sweep report s.yaml -o e --quiet >/dev/null
	cmp d/points.csv e/points.csv && echo $engine
done
schedlab sweep run s.yaml -o e --emit slurm --tasks 3 | sed -n 2,5p
schedlab sweep run s.yaml -o e --emit k8s --tasks 3 | sed -n '/^spec/,/template/p'
