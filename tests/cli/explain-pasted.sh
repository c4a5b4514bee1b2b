# Settings that explain prints are pasted into a shell as they stand, whatever names are like: each comes to the same start.
cat >jobs.csv <<'CSV'
job_id,user,account,submit,run_time,time_limit,cpus
1,ann,phys,0,1000,2000,8
2,"b;o'b=x y","$(touch pwned) 'c,h|em'",10,100,200,8
3,ann\,"`id`",20,100,200,8
4,zed,q,30,100,200,8
CSV
schedlab run jobs.csv -p easy --set cluster.cpus=8 -o out --quiet >/dev/null
schedlab explain out 4 | sed -n '/would have been/,$p'
try() {
	schedlab explain out 4 "$@" | sed -n 's/.* at \(0:[0-9:]*\)$/explained \1/p; s/^    \(0:[0-9:]*\)$/explained \1/p; s/^      --set/--set/p' >said
	sed -n 's/^explained/explained/p' said
	eval "schedlab run jobs.csv -p easy --set cluster.cpus=8 -o again --force --quiet $(sed -n '/^--set/p' said)" >/dev/null 2>&1
	sed -n 's/^4,.*/&/p' again/jobs.csv | cut -d, -f 7
}
try --what-if without-user
try --what-if without-account
# A longer setting than anybody types: 400 jobs are left out already, the clause that is added comes behind them.
{
	echo 'job_id,user,submit,run_time,time_limit,cpus'
	for i in $(seq 1 400); do echo "$i,many,0,10,10,1"; done
	echo '401,ann,5,1000,1000,8'
	echo '402,bob,6,100,100,8'
	echo '403,cyd,7,10,10,8'
} >many.csv
schedlab run many.csv -p easy --set cluster.cpus=8 --set "replay.drop=job=$(seq -s '|' 1 400)" -o many --quiet >/dev/null 2>&1
schedlab explain many 403 --what-if without-user | sed -n '/would have been/,$p' | sed 's/job=1|2|3[|0-9]*400/job=1|...|400/'
# What an array's tasks are called in jobs.csv is understood, too.
cat >tasks.csv <<'CSV'
job_id,submit,run_time,time_limit,cpus,user,array,array_task
7,5,20,20,1,cyd,7,1
8,5,20,20,1,cyd,7,2
CSV
schedlab run tasks.csv --set cluster.cpus=1 -o tasks --quiet >/dev/null
cut -d, -f 1 tasks/jobs.csv
schedlab explain tasks 8 --no-what-if | head -n 1
schedlab explain tasks 7_2 --no-what-if | head -n 1
# What a terminal would obey is shown as '?'.
printf 'job_id,user,submit,run_time,time_limit,cpus\n1,a\302\23331mX,0,100,200,8\n2,b,1,50,60,8\n' >control.csv
schedlab run control.csv --set cluster.cpus=8 -o control --quiet >/dev/null 2>&1
schedlab explain control 2 --no-what-if | grep 'of a'
