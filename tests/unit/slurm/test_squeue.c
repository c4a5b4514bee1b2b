/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_squeue.c - Slurm's queue as text: formats of squeue, what they leave out, lists of tasks, and the jobs
 * of scontrol show job.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/heard.h"

static void expect(const char *queue, const char *want)
{
	static struct heard h;
	cr_assert_eq(heard_of(&h, queue), SL_OK, "%s\nof\n%s", h.err.text, queue);
	cr_expect_str_eq(h.text, want, "%s heard:\n%s\nwant:\n%s\nof\n%s", h.reader, h.text, want, queue);
}

static void refuse(const char *queue, const char *want)
{
	static struct heard h;
	cr_assert_eq(heard_of(&h, queue), SL_INPUT, "%s", queue);
	const char *text =
		h.err.text + (strncmp(h.err.text, h.path, strlen(h.path)) == 0 ? strlen(h.path) : 0);
	cr_expect_str_eq(text, want, "%s\nof\n%s", text, queue);
}

/* As squeue prints it without options: no date, so that times count from who has run longest (5 began at 0,
 * 4 at 50 of now = 110). */
Test(squeue, plain)
{
	expect("             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
	       "                 6     batch      fit      ann PD       0:00      2 (Resources)\n"
	       "                 5     batch     wide      bob  R       1:50      2 n[1-2]\n"
	       "                 4     batch      one      ann CG       1:00      1 n3\n",
		"2: 6 @110 u=ann part=batch PENDING name=fit [ N2 p=batch]\n"
		"3: 5 @0 run 110 wait 0 u=bob part=batch RUNNING name=wide on=n[1-2] start=0 censored [ N2 p=batch]\n"
		"? squeue: when it was printed is not said: times count from the start of the job that has run longest (squeue -l says it)\n"
		"? squeue: no SUBMIT_TIME: jobs that wait have waited for no time, in the order of the list (squeue -O SubmitTime says it)\n"
		"? squeue: no TIME_LIMIT: jobs have their partition's default, if any (squeue -l says it)\n"
		"? squeue: no CPUS: jobs have one task of one cpu a node (squeue -o %C says it)\n"
		"4: 4 @50 run 60 wait 0 u=ann part=batch RUNNING name=one on=n3 start=50 censored [ N1 p=batch]");
}

/* squeue -l begins with the date; a name and a reason hold blanks; a state is cut. */
Test(squeue, longer)
{
	expect("Thu Jan  1 00:10:00 1970\n"
	       "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)\n"
	       "                 6     batch   my job      ann  PENDING       0:00 1-00:00:00      2 (launch failed requeued held)\n"
	       "                 5     batch     wide      bob  RUNNING       1:40   1:00:00      2 n[1-2]\n"
	       "                 4     batch     wide      bob COMPLETI       0:40 UNLIMITED      1 n3\n",
		"dated\n"
		"3: 6 @600 limit 86400 u=ann part=batch PENDING name=my job held [ N2 p=batch]\n"
		"4: 5 @500 run 100 limit 3600 wait 0 u=bob part=batch RUNNING name=wide on=n[1-2] start=500 censored [ N2 p=batch]\n"
		"? squeue: no SUBMIT_TIME: jobs that wait have waited for no time, in the order of the list (squeue -O SubmitTime says it)\n"
		"? squeue: no CPUS: jobs have one task of one cpu a node (squeue -o %C says it)\n"
		"5: 4 @560 run 40 wait 0 u=bob part=batch RUNNING name=wide on=n3 start=560 censored [ N1 p=batch]");
}

/* squeue --start lists who waits, with starts that are forecasts. */
Test(squeue, start)
{
	expect("             JOBID PARTITION     NAME     USER ST          START_TIME  NODES SCHEDNODES           NODELIST(REASON)\n"
	       "                 6     batch      fit      ann PD 1970-01-01T01:00:00      2 n[1-2]               (Resources)\n"
	       "                 7     batch      fit      ann PD                 N/A      2 (null)               (Priority)\n",
		"2: 6 @0 u=ann part=batch PENDING name=fit [ N2 p=batch]\n"
		"? squeue: when it was printed is not said: times count from the start of the job that has run longest (squeue -l says it)\n"
		"? squeue: no SUBMIT_TIME: jobs that wait have waited for no time, in the order of the list (squeue -O SubmitTime says it)\n"
		"? squeue: no TIME_LIMIT: jobs have their partition's default, if any (squeue -l says it)\n"
		"? squeue: no CPUS: jobs have one task of one cpu a node (squeue -o %C says it)\n"
		"? squeue: nobody in it runs: --start lists who waits alone (squeue -l lists all)\n"
		"3: 7 @0 u=ann part=batch PENDING name=fit [ N2 p=batch]");
}

/* -o with a separator: an empty last field, a name with the separator, dates, what it waited. */
Test(squeue, separated)
{
	expect("JOBID|NAME|ST|USER|ACCOUNT|QOS|PARTITION|CPUS|NODES|MIN_MEMORY|TIME_LIMIT|TIME|SUBMIT_TIME|START_TIME|TRES_PER_NODE|NODELIST\n"
	       "6|a|b|PD|ann|phys|high|batch,long|8|2|4G|NOT_SET|0:00|1970-01-01T00:01:40|N/A|gres/gpu:a100:2|\n"
	       "5|x|R|bob|phys|low|batch|2K|2|0|INVALID|1:40|1970-01-01T00:00:10|1970-01-01T00:00:20|N/A|n[1-2]\n",
		"dated\n"
		"2: 6 @100 cpus 8 u=ann a=phys part=batch PENDING name=a|b qos=high [ N2 n8 c1 mem4096 p=batch,long gres=gpu:a100:2]\n"
		"? squeue: MIN_MEMORY is taken for that of a node: of jobs with --mem-per-cpu it is a cpu's\n"
		"3: 5 @10 run 100 wait 10 cpus 2048 u=bob a=phys part=batch RUNNING name=x qos=low on=n[1-2] start=20 censored [ N2 n2048 c1 p=batch]");
}

/* -O: columns to the left, of which cells are empty; what is left of the limit; seconds that it has waited.
 */
Test(squeue, long_format)
{
	expect("JOBID               USER                TIME_LEFT           TIME                PENDING_TIME        NODES               CPUS                NODELIST            STATE               START_TIME          \n"
	       "6                   ann                 10:00               0:00                60                  1                   4                                       PENDING             N/A                 \n"
	       "5                   bob                 8:20                1:40                10                  1                   4                   n1                  RUNNING             1970-01-01T00:10:00 \n",
		"dated\n"
		"2: 6 @640 limit 600 cpus 4 u=ann PENDING [ N1 n4 c1]\n"
		"3: 5 @590 run 100 limit 600 wait 10 cpus 4 u=bob RUNNING on=n1 start=600 censored [ N1 n4 c1]");
}

/* Lists of tasks: whole, cut at the column's width, and by columns of their own; components of one job. How
 * many of an array may run at a time is said of those that wait, and is of all: task 3 runs, so that one more
 * may. */
Test(squeue, tasks)
{
	expect("JOBID|USER|ST|TIME|TIME_LIMIT|CPUS|SUBMIT_TIME\n"
	       "7_[4-5,8%2]|ann|PD|0:00|1:00|1|1970-01-01T00:00:10\n"
	       "9_[1,3,20-3|ann|PD|0:00|1:00|1|1970-01-01T00:00:10\n"
	       "7_3|ann|R|0:10|1:00|1|1970-01-01T00:00:10\n"
	       "20+0|ann|PD|0:00|1:00|1|1970-01-01T00:00:10\n"
	       "20+1|ann|PD|0:00|1:00|2|1970-01-01T00:00:10\n",
		"dated\n"
		"2: 7_4 @10 limit 60 cpus 1 u=ann PENDING array=7_4%2 [ n1 c1]\n"
		"2: 7_5 @10 limit 60 cpus 1 u=ann PENDING array=7_5%2 [ n1 c1]\n"
		"2: 7_8 @10 limit 60 cpus 1 u=ann PENDING array=7_8%2 [ n1 c1]\n"
		"3! array whose tasks are not all listed\n"
		"3: 9_1 @10 limit 60 cpus 1 u=ann PENDING array=9_1 [ n1 c1]\n"
		"3! array whose tasks are not all listed\n"
		"3: 9_3 @10 limit 60 cpus 1 u=ann PENDING array=9_3 [ n1 c1]\n"
		"4: 7_3 @10 run 10 limit 60 wait 0 cpus 1 u=ann RUNNING array=7_3%2 start=10 censored [ n1 c1]\n"
		"5: 20 @10 limit 60 cpus 3 u=ann PENDING [ n1 c1] [ n2 c1]");
	expect("JOBID|ARRAY_JOB_ID|ARRAY_TASK_ID|ST|TIME|TIME_LIMIT|CPUS|SUBMIT_TIME\n"
	       "30|30|1-2%1|PD|0:00|1:00|1|1970-01-01T00:00:10\n"
	       "31|30|0|PD|0:00|1:00|1|1970-01-01T00:00:10\n"
	       "32|32|N/A|PD|0:00|1:00|1|1970-01-01T00:00:10\n",
		"dated\n"
		"2: 30_1 @10 limit 60 cpus 1 PENDING array=30_1%1 [ n1 c1]\n"
		"2: 30_2 @10 limit 60 cpus 1 PENDING array=30_2%1 [ n1 c1]\n"
		"3: 31 @10 limit 60 cpus 1 PENDING array=30_0%1 [ n1 c1]\n"
		"4: 32 @10 limit 60 cpus 1 PENDING [ n1 c1]");
}

/* Who is held, and who waits for what is not said. */
Test(squeue, reasons)
{
	expect("JOBID|ST|TIME|TIME_LIMIT|CPUS|SUBMIT_TIME|NODELIST(REASON)\n"
	       "1|PD|0:00|1:00|1|1970-01-01T00:00:10|(JobHeldUser)\n"
	       "2|PD|0:00|1:00|1|1970-01-01T00:00:10|(DependencyNeverSatisfied)\n"
	       "3|PD|0:00|1:00|1|1970-01-01T00:00:10|(Dependency)\n"
	       "4|PD|0:00|1:00|1|1970-01-01T00:00:10|(BeginTime)\n"
	       "5|RH|0:00|1:00|1|1970-01-01T00:00:10|(job requeued in held state)\n",
		"dated\n"
		"2: 1 @10 limit 60 cpus 1 PENDING held [ n1 c1]\n"
		"3: 2 @10 limit 60 cpus 1 PENDING held [ n1 c1]\n"
		"4: 3 @10 limit 60 cpus 1 PENDING [ n1 c1]\n"
		"5: 4 @10 limit 60 cpus 1 PENDING [ n1 c1]\n"
		"? squeue: 1 job waits for (Dependency), and which is not said: such jobs count as free to start (squeue -o %E says it)\n"
		"? squeue: 1 job waits for (BeginTime), and which is not said: such jobs count as free to start (squeue -O EligibleTime says it)\n"
		"6: 5 @10 limit 60 cpus 1 PENDING held [ n1 c1]");
	/* Of one that waits for its time START_TIME is that time, not a forecast. */
	expect("JOBID|ST|TIME|TIME_LIMIT|CPUS|SUBMIT_TIME|START_TIME|NODELIST(REASON)\n"
	       "1|PD|0:00|1:00|1|1970-01-01T00:00:10|1970-01-01T01:00:00|(BeginTime)\n"
	       "2|PD|0:00|1:00|1|1970-01-01T00:00:10|1970-01-01T01:00:00|(Priority)\n",
		"dated\n2: 1 @10 limit 60 cpus 1 PENDING begin=3600 eligible+3590 [ n1 c1]\n"
		"? squeue: nobody in it runs: --start lists who waits alone (squeue -l lists all)\n"
		"3: 2 @10 limit 60 cpus 1 PENDING [ n1 c1]");
}

/* Of squeue -i the last listing counts, and its date; names as wide as their column may be cut. */
Test(squeue, again)
{
	expect("Thu Jan  1 00:10:00 1970\n"
	       "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
	       "                 1     batch        a      ann  R       1:00      1 n1\n"
	       "\n"
	       "Thu 01 Jan 1970 01:10:00 PM UTC\n"
	       "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
	       "                 2 batch_lon        a      ann  R       1:00      1 n1\n",
		"dated\n"
		"? squeue: no TIME_LIMIT: jobs have their partition's default, if any (squeue -l says it)\n"
		"? squeue: no CPUS: jobs have one task of one cpu a node (squeue -o %C says it)\n"
		"? squeue: PARTITION of 1 job is as wide as its column: it may be cut (squeue -o %.30P or the like is wider)\n"
		"7: 2 @47340 run 60 wait 0 u=ann part=batch_lon RUNNING name=a on=n1 start=47340 censored [ N1 p=batch_lon]");
}

Test(squeue, refused)
{
	refuse("CLUSTER: a\nJOBID|USER|ST|TIME\n1|ann|R|1:00\n\nCLUSTER: b\nJOBID|USER|ST|TIME\n",
		":1:1: queues of several clusters: ask squeue for one, with -M");
	refuse("JOBID|USER|ST|TIME\n", ": has no jobs: give a trace with jobs");
	refuse("No jobs in the system\n", ": has no jobs: give a trace with jobs");
}

/* Rows that are none: dropped, and counted. */
Test(squeue, rows)
{
	expect("JOBID|USER|ST|TIME|SUBMIT_TIME|TIME_LIMIT|CPUS\n"
	       "1|ann\n"
	       "2|ann|CD|1:00|1970-01-01T00:00:10|1:00|1\n"
	       "x|ann|R|1:00|1970-01-01T00:00:10|1:00|1\n"
	       "3|ann|QQ|1:00|1970-01-01T00:00:10|1:00|1\n"
	       "4|ann|R|1:00|1970-01-01T00:00:10|1:00|1\n",
		"2! fewer fields than columns, and no telling which\n"
		"3! ended job without its start and end\n"
		"dated\n"
		"4! job number is unknown\n"
		"5! state is none of Slurm's\n"
		"6: 4 @10 run 60 limit 60 wait 0 cpus 1 u=ann RUNNING start=10 censored [ n1 c1]");
}

/* Jobs over lines: one that waits, an array, one that runs, one that has ended. */
Test(scontrol_jobs, lines)
{
	expect("JobId=6 JobName=my JobState=job\n"
	       "   UserId=ann(1000) GroupId=ann(1000) MCS_label=N/A\n"
	       "   Priority=100 Nice=0 Account=phys QOS=high\n"
	       "   JobState=PENDING Reason=Resources Dependency=afterok:5(unfulfilled)\n"
	       "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
	       "   RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A\n"
	       "   SubmitTime=1970-01-01T00:00:10 EligibleTime=1970-01-01T00:00:10\n"
	       "   StartTime=1970-01-02T00:00:00 EndTime=1970-01-02T01:00:00 Deadline=N/A\n"
	       "   Partition=batch AllocNode:Sid=login:1234\n"
	       "   ReqNodeList=(null) ExcNodeList=(null)\n"
	       "   NodeList=\n"
	       "   NumNodes=2-4 NumCPUs=8 NumTasks=8 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
	       "   ReqTRES=cpu=8,mem=8G,node=2,billing=8\n"
	       "   AllocTRES=(null)\n"
	       "   MinCPUsNode=1 MinMemoryCPU=1G MinTmpDiskNode=0\n"
	       "   Features=fast DelayBoot=00:00:00\n"
	       "   OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null)\n"
	       "   Command=/home/ann/a JobState=RUNNING\n"
	       "   TresPerNode=gres/gpu:2\n"
	       "\n"
	       "JobId=8 ArrayJobId=7 ArrayTaskId=2 ArrayTaskThrottle=3 JobName=x\n"
	       "   UserId=bob(1001) JobState=RUNNING Reason=None Dependency=(null)\n"
	       "   RunTime=00:01:40 TimeLimit=UNLIMITED\n"
	       "   SubmitTime=1970-01-01T00:00:10 StartTime=1970-01-01T00:00:20 EndTime=Unknown\n"
	       "   Partition=batch NodeList=n[1-2] NumNodes=2 NumCPUs=8 NumTasks=2 CPUs/Task=4\n"
	       "   TRES=cpu=8,node=2\n",
		"dated\n"
		"1: 6 @10 limit 3600 cpus 8 u=ann a=phys part=batch PENDING name=my JobState=job qos=high dep=afterok:5(unfulfilled) exit=0:0 [ N2 n8 c1 mem/c1024 p=batch gres=gpu:2 C=fast exclusive1]\n"
		"21: 8 @10 run 100 wait 10 cpus 8/8 u=bob part=batch RUNNING name=x on=n[1-2] array=7_2%3 start=20 censored [ N2 n2 c4 p=batch]");
}

/* -o: each in one line. */
Test(scontrol_jobs, one_line)
{
	expect("JobId=7 ArrayJobId=7 ArrayTaskId=3-4%1 JobName=a b=c UserId=bob(1001) JobState=PENDING Reason=(some words) Dependency=(null) RunTime=00:00:00 TimeLimit=00:10:00 SubmitTime=1970-01-01T00:00:10 Partition=batch NumNodes=1 NumCPUs=1 Command=x JobState=FAILED WorkDir=/\n"
	       "JobId=9 JobName=c UserId=bob(1001) JobState=COMPLETED Reason=None Dependency=(null) RunTime=00:00:10 TimeLimit=00:10:00 SubmitTime=1970-01-01T00:00:10 StartTime=1970-01-01T00:00:20 EndTime=1970-01-01T00:00:30 Partition=batch NodeList=n1 NumNodes=1 NumCPUs=1\n",
		"dated\n"
		"1: 7_3 @10 limit 600 cpus 1 u=bob part=batch PENDING name=a b=c array=7_3%1 [ N1 n1 c1 p=batch]\n"
		"1: 7_4 @10 limit 600 cpus 1 u=bob part=batch PENDING name=a b=c array=7_4%1 [ N1 n1 c1 p=batch]\n"
		"2: 9 @10 run 10 limit 600 wait 10 cpus 1 status 1 u=bob part=batch COMPLETED name=c on=n1 start=20 end=30 [ N1 n1 c1 p=batch]");
}
