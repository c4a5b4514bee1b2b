# Questions of users, each on its own small cluster (docs/kubernetes-questions.md has the answers), worked by hand.
files=$ROOT/docs/examples/questions
ask() { # its number, its policy
	schedlab run "$files/$1.yaml" -c "$files/$1.yaml" -p "$2" --check -o "$1" --quiet >/dev/null 2>&1
	echo "$1"
	cut -d, -f1,5,7,8 "$1/jobs.csv"
	[ ! -e "$1/evictions.csv" ] || cut -d, -f1,2,3,5 "$1/evictions.csv"
}
# 8 GPUs, fair sharing: 4 pods of each project are fair, so that two of project 1's jobs of 2 go for the job of 4, once.
ask kueue-7101 kueue
# With fair sharing borrowWithinCohort does nothing, and tenant a has half of all, best effort a sixth: nobody goes.
ask kueue-3779 kueue
# Without it the higher priority takes the 50m of best effort, which begins anew a second after a-2 is over.
sed '1,/^---/d' "$files/kueue-3779.yaml" >classic.yaml
schedlab run classic.yaml -c classic.yaml -p kueue --check -o classic --quiet >/dev/null
cut -d, -f1,5,7,8 classic/jobs.csv
# 4 of 3 cpus never fit, and are set aside; the job of 3 preempts both borrowers, once.
ask kueue-6929 kueue
# 24 of 32 GPUs are of high priority: no set of small jobs frees a node, and the job of one GPU takes a small one's place.
ask kueue-5243 kueue
# By quota alone: 30 minutes with pods that are not ready, then out, in turn with the job of 3. By topology both small ones share a node.
ask kueue-4329 kueue
schedlab run "$files/kueue-4329.yaml" -c "$files/kueue-4329-topology.yaml" -p kueue --check -o topology --quiet >/dev/null 2>&1
cut -d, -f1,5,7,8 topology/jobs.csv
# 3 of 9 pods are what counts: 3 + 3 + 3 fit.
ask kueue-3108 kueue
schedlab explain kueue-3108 big --no-what-if | grep 'quota reserved'
# One cluster a round of 300 s.
ask kueue-9270 kueue
# Borrowing comes first, and is taken back at 1800; by preference the own job of lower priority goes at once, borrows, and goes again.
ask kueue-6184 kueue
schedlab run "$files/kueue-6184.yaml" -c "$files/kueue-6184-preempt.yaml" -p kueue --check -o preference --quiet >/dev/null 2>&1
cut -d, -f1,5,7,8 preference/jobs.csv
cut -d, -f1,2,3,5 preference/evictions.csv
# Who waits and who runs, by whom.
ask kueue-2833 kueue
schedlab view squeue kueue-2833 --at 10m -h -o '%i %u %t %b %R' 2>/dev/null
# Without gangs no group ever starts.
ask lws-167 kube:gang=off
rm -r lws-167
ask lws-167 kube
