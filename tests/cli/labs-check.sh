# SPDX-License-Identifier: GPL-3.0-or-later
# Answers of a student are checked on the student's own files; a class's are marked; the key does not go out.
# Long: thirteen keys.
labs=$ROOT/docs/labs
echo 'a secret of the teacher' >secret
# Each lab's own key answers it whole, but for texts, schedules and policies.
for lab in "$labs"/[0-9]*-*; do
	schedlab check "$lab" --key --seed 7 | grep -v '^#' | sed 's/|.*//' >answers.yaml
	printf '%s: ' "${lab##*/}"
	schedlab check "$lab" --student answers.yaml --seed 7 | tail -n 1
done
lab=$labs/02-backfill
schedlab check "$lab" --handout ada --student-id ada --secret secret && ls ada
schedlab check "$lab" --handout bao --student-id bao --secret secret
cmp -s ada/mine.csv bao/mine.csv || echo 'two students, two workloads'
# Ada is right, in words of her own; her schedule is the one that EASY makes.
schedlab run ada/mine.csv --set cluster.cpus=16 -p easy -o run --quiet >/dev/null
cut -d, -f1,7 run/jobs.csv >ada/schedule.csv
mkdir class
cat >class/ada.yaml <<'YAML'
shadow: 22 s
spare: 2
why5: 4
start6: 0:00:12
lost: 2
makespan: 52
schedule: ../ada/schedule.csv
who: "5"
YAML
schedlab check "$lab" --student class/ada.yaml --student-id ada --secret secret
echo "exit $?"
# Bao copied, and forgot some; Chen wrote nonsense; Dara named what is not there.
sed '/^who/d; s/^spare: 2/spare: 3/' class/ada.yaml >class/bao.yaml
printf 'shadow: soon\nstart6: 12\nschedule: none.csv\n' >class/chen.yaml
printf 'shadow: 22\ncolour: blue\n' >class/dara.yaml
schedlab check "$lab" --student class/bao.yaml --student-id bao --secret secret --json
echo "exit $?"
schedlab check "$lab" --grade class --secret secret -o marks.csv
cat marks.csv
# A policy that beats EASY, and one that does not.
printf 'function order(job, now)\n\treturn job.limit * job.size\nend\n' >area.lua
printf 'policy: easy:order=lua:area.lua\n' >good.yaml
printf 'policy: fcfs\n' >bad.yaml
for answers in good bad; do schedlab check "$labs/11-policy" --student $answers.yaml --seed 7 --trust | grep ^policy; done
# In a folder of a class, scripts lie beside the answers; names may have commas; one bad file is one bad row.
mkdir scripts
cp area.lua scripts
cp good.yaml 'scripts/fay, g.yaml'
printf '{ "policy": "easy:order=lua:area.lua", "starve": "LONG" }\n' >scripts/gil.json
printf 'policy: [a, b]\n' >scripts/hal.yaml
printf 'policy: easy:order=lua:none.lua\n' >scripts/ida.yaml
schedlab check "$labs/11-policy" --grade scripts --seed 7 --trust
# What is wrong with the line, or the key.
bad() {
	schedlab check "$@"
	echo "exit $?"
}
bad "$lab" --student class/ada.yaml --student-id ada
bad "$lab" --student class/ada.yaml --secret secret
bad "$lab" --student class/ada.yaml --key
bad "$lab" --handout ada --seed 1
bad "$lab" --grade nowhere
bad "$lab" --student nowhere.yaml
bad nowhere --key
mkdir lab
for key in 'questions: {}' 'question: {a: {is: 1}}' 'files: [../x]
questions: {a: {is: 1}}' 'files: [key.yaml]
questions: {a: {is: 1}}' 'questions: {a: {run: t.swf}}' 'questions: {a: {run: t.swf -p easy, job: 1, column: nodes}}' 'questions: {a: {is: 1, within: much}}' \
	'questions: {a: {run: t.swf, metric: wait.mean, job: 1}}' \
	'questions: {a: {is: 1, colour: blue}}' 'questions: {a: {run: t.swf -p easy, metric: wait.mean}}' 'make: {a/b: lublin}
questions: {a: {is: 1}}' 'make: {t.swf: nonsense}
questions: {a: {is: 1}}'; do
	printf '%s\n' "$key" >lab/key.yaml
	bad lab --key
done
