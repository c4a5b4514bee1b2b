# Node pools: each is shared by itself, with quotas of its own; a job goes through its pools in order, and waits in its first.
cat >c.yaml <<'YAML'
nodes:
  - {name: a, cpus: 64, memory: 256G, gpus: {a100: 2}}
  - {name: t, cpus: 64, memory: 256G, gpus: {t4: 2}}
YAML
cat >p.yaml <<'YAML'
node-pools:
  - {name: big, label: {run.ai/type: a100}}
  - {name: small, label: {run.ai/type: t4}}
projects:
  - {name: x, pools: {big: {quota: 1}, small: {quota: 1}}, pool-order: [big, small]}
  - {name: y, pools: {big: {quota: 1}, small: {quota: 1}}, pool-order: [small, big]}
  - {name: z, pools: {big: {quota: 0, over-quota: false}, small: {quota: 0, over-quota: false}}}
  - {name: w, pools: {big: {quota: 0}, small: {quota: 0}}}
map: {by: account}
YAML
run() {
	rm -rf out
	schedlab run t.csv -c c.yaml -p "runai:projects=p.yaml${1:+,$1}" --check --quiet -o out >/dev/null || return 0
	cut -d, -f1,7-9,15,18 out/jobs.csv
	grep -s PREEMPTED out/attempts.csv
}
# Two of x's in big, the third in small. At 10 comes y's: it begins with small, where one GPU is idle; its second reclaims big's second from x:
# y is within its quota there, and small is full. x's job goes on in small when y's second one ends, at 60: 180 s are left of it.
printf 'submit,run_time,gpus,account\n0,100,1,x\n0,200,1,x\n0,200,1,x\n10,100,1,y\n20,40,1,y\n' >t.csv
run
# z may have nothing anywhere: its job waits for ever, and holds up nobody. w has no share of what is over: it starts where nobody asks, and leaves
# for x.
printf 'submit,run_time,gpus,account\n0,100,1,z\n0,100,2,x\n' >t.csv
run
printf 'submit,run_time,gpus,account\n0,100,2,w\n0,100,2,w\n10,100,1,x\n' >t.csv
run
# With cycles a second apart it takes one to try the next pool.
printf 'submit,run_time,gpus,account\n0,100,1,x\n0,200,1,x\n0,200,1,x\n' >t.csv
run cycle=1
true
