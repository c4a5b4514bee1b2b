# The example decider goes on where a job is larger than the machine, as the built-in rule does.
command -v python3 >/dev/null || exit 0
printf 'nodes: [{ name: n, count: 1, cpus: 8 }]\n' >c.yaml
printf 'job_id,submit,run_time,time_limit,cpus\n1,0,10,10,4\n2,1,10,10,80\n3,2,50,50,4\n4,3,10,10,8\n' >jobs.csv
cp "$ROOT"/docs/examples/decider/*.py .
for policy in easy 'external:command="python3 easy.py"'; do
	schedlab run jobs.csv -c c.yaml -p "$policy" --set replay.impossible=keep -o out --force --quiet >/dev/null 2>&1
	echo "exit $?"
	cut -d, -f1,7 out/jobs.csv
	sed -n 's/.*\("digest": "[0-9a-f]*"\).*/\1/p' out/run.json >>digests
done
sort -u digests | wc -l
