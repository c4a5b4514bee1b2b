/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sacct.c - Slurm's accounting: columns, rows that names break, times, states, arrays, components,
 * attempts, and requests.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/heard.h"

static void expect(const char *log, const char *want)
{
	static struct heard h;
	cr_assert_eq(heard_of(&h, log), SL_OK, "%s\nof\n%s", h.err.text, log);
	cr_expect_str_eq(h.text, want, "%s heard:\n%s\nwant:\n%s\nof\n%s", h.reader, h.text, want, log);
}

static void refuse(const char *log, const char *want)
{
	static struct heard h;
	cr_assert_eq(heard_of(&h, log), SL_INPUT, "%s", log);
	const char *text =
		h.err.text + (strncmp(h.err.text, h.path, strlen(h.path)) == 0 ? strlen(h.path) : 0);
	cr_expect_str_eq(text, want, "%s\nof\n%s", text, log);
}

/* Columns in any order and case; epochs; what is not there is not known. */
Test(sacct, columns)
{
	expect("JobID|Submit|Start|End|ElapsedRaw|State|ReqCPUS\n"
	       "7|100|105|155|50|COMPLETED|4\n",
		"dated\n2: 7 @100 run 50 wait 5 cpus 4 status 1 COMPLETED start=105 end=155 [ n4 c1]");
	expect("reqcpus|STATE|elapsedraw|submit|jobidraw|User|Account|Partition|QOS|TimelimitRaw|NNodes|NCPUS|Start\n"
	       "4|FAILED|50|100|7|ann|phys|batch|high|60|2|8|101\n",
		"dated\n2: 7 @100 run 50 limit 3600 wait 1 cpus 4/8 status 0 u=ann a=phys part=batch FAILED "
		"qos=high start=101 [ N2 n4 c1 p=batch]");
	/* -p: a separator at each end; other separators; a mark and CR LF. */
	expect("\xef\xbb\xbfJobID|Submit|ElapsedRaw|\r\n7|100|50|\r\n", "dated\n2: 7 @100 run 50 PENDING []");
	expect("JobID^|^Submit^|^ElapsedRaw^|^\n7^|^100^|^50^|^\n", "dated\n2: 7 @100 run 50 PENDING []");
	expect("JobID;Submit;ElapsedRaw\n7;100;50\n", "dated\n2: 7 @100 run 50 PENDING []");
	expect("JobIDRaw,Submit,Elapsed\n7,100,00:00:50\n", "dated\n2: 7 @100 run 50 PENDING []");
}

Test(sacct, columns_that_lack)
{
	refuse("JobID|State|ElapsedRaw\n7|COMPLETED|5\n",
		":1:1: no column Submit: ask sacct for it, with -o");
	refuse("JobID|Submit|State\n7|100|COMPLETED\n",
		":1:1: no column ElapsedRaw or Elapsed, nor Start and End: ask sacct for one, with -o");
	refuse("JobID|Submit|ElapsedRaw\n", ": has no jobs: give a trace with jobs");
}

Test(sacct, times)
{
	expect("JobID|Submit|Start|End|Elapsed|Timelimit\n"
	       "1|1970-01-02T00:00:00|1970-01-02 00:00:10|1970-01-03T00:00:11.5|1-00:00:01.500|2-00:00:00\n"
	       "2|100|Unknown|None|00:00:00|UNLIMITED\n"
	       "3|100|N/A||05:30|Partition_Limit\n"
	       "4|Unknown|||00:01:00|10:00\n",
		"dated\n2: 1 @86400 run 86401.5 limit 172800 wait 10 PENDING start=86410 end=172811.5 []\n"
		"3: 2 @100 PENDING []\n4: 3 @100 run 330 PENDING []\n5: 4 run 60 limit 600 PENDING []");
	expect("JobID|Submit|Start|ElapsedRaw\n1|100|soon|5\n",
		"dated\n2! unreadable optional field\n2: 1 @100 run 5 PENDING []");
}

/* Elapsed is believed before End - Start; without it, suspended time comes off. */
Test(sacct, elapsed)
{
	expect("JobID|Submit|Start|End|Suspended|Elapsed\n"
	       "1|100|100|200|00:00:30|\n"
	       "2|100|100|3710|00:00:00|00:00:10\n"
	       "3|100|4000|1000|00:00:00|00:10:00\n"
	       "4|100|100|400|00:01:40|00:03:20\n",
		"dated\n2: 1 @100 run 70 wait 0 PENDING start=100 end=200 []\n"
		"3: 2 @100 run 10 wait 0 PENDING start=100 end=3710 []\n"
		"4: 3 @100 run 600 wait 3900 PENDING start=4000 end=1000 []\n"
		"5: 4 @100 run 200 wait 0 PENDING start=100 end=400 []\n"
		"? End - Start of 2 jobs that differ from Elapsed by an hour, as when daylight saving changes: "
		"Elapsed is used");
}

Test(sacct, states)
{
	expect("JobID|Submit|Start|End|ElapsedRaw|State\n"
	       "1|100|100|110|10|CANCELLED by 1234\n"
	       "2|100|100|110|10|OUT_OF_ME+\n"
	       "3|100|100|110|10|TIMEOUT\n"
	       "4|100|100|Unknown|10|RUNNING\n"
	       "5|100|Unknown|Unknown|0|PENDING\n"
	       "6|100|100|110|10|MELTED\n",
		"dated\n2: 1 @100 run 10 wait 0 status 5 CANCELLED start=100 end=110 []\n"
		"3: 2 @100 run 10 wait 0 status 0 OUT_OF_MEMORY start=100 end=110 []\n"
		"4: 3 @100 run 10 wait 0 status 0 TIMEOUT start=100 end=110 censored []\n"
		"5: 4 @100 run 10 wait 0 RUNNING start=100 censored []\n"
		"7! state is none of Slurm's\n6: 5 @100 PENDING []");
}

/* Who is cancelled while it waits is cancelled then, and has no run time; held ones wait for ever. */
Test(sacct, cancelled)
{
	expect("JobID|Submit|Eligible|Start|End|ElapsedRaw|State|NodeList|Reason\n"
	       "1|100|100|Unknown|150|0|CANCELLED by 5||None\n"
	       "2|100|100|150|150|0|CANCELLED by 5|None assigned|None\n"
	       "3|100|221|150|150|0|CANCELLED by 5|None assigned|JobHeldUser\n"
	       "4|100|100|150|150|0|CANCELLED by 5|n1|None\n",
		"dated\n2: 1 @100 status 5 cancel 150 CANCELLED end=150 []\n"
		"3: 2 @100 status 5 cancel 150 CANCELLED end=150 []\n"
		"4: 3 @100 status 5 cancel 150 CANCELLED end=150 eligible+121 held []\n"
		"5: 4 @100 run 0 wait 50 status 5 CANCELLED on=n1 start=150 end=150 []");
}

Test(sacct, begin)
{
	expect("JobID|Submit|Eligible|Start|ElapsedRaw|SubmitLine\n"
	       "1|100|500|600|5|\n"
	       "2|100|500|600|5|srun -d afterok:1 x\n"
	       "3|100|100|600|5|srun -H x\n"
	       "4|100|100|600|5|srun -b now+60 x\n"
	       "5_1|100|500|600|5|sbatch -a 1-9%2 x\n",
		"dated\n2: 1 @100 run 5 wait 500 PENDING begin=500 start=600 eligible+400 []\n"
		"3: 2 @100 run 5 wait 500 PENDING dep=afterok:1 start=600 eligible+400 []\n"
		"4: 3 @100 run 5 wait 500 PENDING begin=600 start=600 held []\n"
		"5: 4 @100 run 5 wait 500 PENDING begin=160 start=600 []\n"
		"6: 5_1 @100 run 5 wait 500 PENDING array=5_1%2 start=600 eligible+400 []");
}

Test(sacct, steps)
{
	expect("JobID|Submit|ElapsedRaw\n1|100|5\n1.batch|100|5\n1.extern|100|5\n1.0|100|3\n"
	       "2_7.interactive|100|3\n3+1.0|1|1\n",
		"dated\n2: 1 @100 run 5 PENDING []\n? 5 records of job steps");
	refuse("JobID|Submit|ElapsedRaw\n1.batch|100|5\n", ": has no jobs: give a trace with jobs");
}

Test(sacct, arrays)
{
	expect("JobID|JobIDRaw|Submit|ElapsedRaw\n50_17|63|100|5\n50_18|50|100|5\n",
		"dated\n2: 63 @100 run 5 PENDING array=50_17 []\n3: 50 @100 run 5 PENDING array=50_18 []");
	expect("JobID|Submit|ElapsedRaw\n50_17|100|5\n", "dated\n2: 50_17 @100 run 5 PENDING array=50_17 []");
	expect("JobID|JobIDRaw|Submit|Start|ElapsedRaw|State\n50_[5-6,8-12:2%2]|50|100|Unknown|0|PENDING\n",
		"dated\n2: 50_5 @100 PENDING array=50_5%2 []\n2: 50_6 @100 PENDING array=50_6%2 []\n"
		"2: 50_8 @100 PENDING array=50_8%2 []\n2: 50_10 @100 PENDING array=50_10%2 []\n"
		"2: 50_12 @100 PENDING array=50_12%2 []");
	expect("JobID|Submit|ElapsedRaw\n50_[1,3,...]|100|0\n50_[0-99999999]|100|0\n",
		"dated\n2! array whose tasks are not all listed\n2: 50_1 @100 PENDING array=50_1 []\n"
		"2! array whose tasks are not all listed\n2: 50_3 @100 PENDING array=50_3 []\n"
		"3! array with more tasks than can be read");
}

Test(sacct, components)
{
	expect("JobID|JobIDRaw|Submit|ElapsedRaw|ReqCPUS|NNodes|SubmitLine\n"
	       "9+0|9|100|5|4|1|srun -n4 a : -n8 --mem=2G b\n"
	       "9+1|10|100|5|8|2|srun -n4 a : -n8 --mem=2G b\n"
	       "11|11|100|5|1|1|\n",
		"dated\n2: 9 @100 run 5 cpus 12 PENDING [ n4] [ n8 mem2048]\n"
		"4: 11 @100 run 5 cpus 1 PENDING [ N1 n1 c1]");
}

/* The leader's record has the job's words wherever it stands, and none is lost with another's. */
Test(sacct, components_in_any_order)
{
	expect("JobID|Submit|ElapsedRaw|ReqCPUS|Account|Partition\n"
	       "9+1|100|5|8|b|q\n9+0|100|5|4|a|p\n9+2|100|5|2|a|p\n11|100|5|1|a|p\n",
		"dated\n2: 9 @100 run 5 cpus 14 a=a part=p PENDING [ n4 c1 p=p] [ n8 c1 p=q A=b] [ n2 c1 p=p]\n"
		"5: 11 @100 run 5 cpus 1 a=a part=p PENDING [ n1 c1 p=p]");
	expect("JobID|Submit|ElapsedRaw|ReqCPUS|Account|Partition\n"
	       "9+0|100|5|4|a|p\n9+2|100|5|8|b|q\n11|100|5|1|a|p\n",
		"dated\n2: 9 @100 run 5 cpus 12 a=a part=p PENDING [ n4 c1 p=p] [ n8 c1 p=q A=b]\n"
		"4: 11 @100 run 5 cpus 1 a=a part=p PENDING [ n1 c1 p=p]");
	expect("JobID|Submit|ElapsedRaw|ReqCPUS|Account|Partition\n"
	       "9+2|100|5|8|b|q\n9+1|100|5|4|a|p\n9+0|100|5|1|a|p\n",
		"dated\n2: 9 @100 run 5 cpus 13 a=a part=p PENDING [ n1 c1 p=p] [ n4 c1 p=p] [ n8 c1 p=q A=b]");
	/* The same one twice, of another order, is no component more. */
	expect("JobID|Submit|ElapsedRaw|ReqCPUS|Account|Partition\n"
	       "9+1|100|5|8|b|q\n9+0|100|5|4|a|p\n9+1|100|5|8|b|q\n",
		"dated\n2: 9 @100 run 5 cpus 12 a=a part=p PENDING [ n4 c1 p=p] [ n8 c1 p=q A=b]");
}

/* Columns that differ are the component's own; a further attempt of one is the job's. */
Test(sacct, components_of_their_own)
{
	expect("JobID|Submit|Start|ElapsedRaw|State|Account|QOS|Timelimit|Partition\n"
	       "9+0|100|150|5|REQUEUED|a|low|00:05:00|p\n9+0|200|400|50|COMPLETED|a|low|00:05:00|p\n"
	       "9+1|100|150|5|REQUEUED|b|low|00:02:00|q\n9+1|200|400|50|COMPLETED|b|low|00:02:00|q\n",
		"dated\n2: 9 @100 run 50 limit 300 wait 300 status 1 a=a part=p COMPLETED qos=low start=400 attempts=2 "
		"earlier=250 requeued=100 [ p=p] [ p=q A=b t=120]");
}

/* One job: submitted as the first attempt was, run as the last; in whatever order they come. */
Test(sacct, attempts)
{
	static const char want[] = "dated\n2: 9 @100 run 50 wait 300 status 1 COMPLETED start=400 end=450 "
				   "attempts=2 earlier=250 before=50 requeued=100 []";
	expect("JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|State\n"
	       "9|100|100|150|200|50|REQUEUED\n9|200|321|400|450|50|COMPLETED\n",
		want);
	expect("JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|State\n"
	       "9|200|321|400|450|50|COMPLETED\n9|100|100|150|200|50|NODE_FAIL\n",
		want);
	/* A resized job runs on. */
	expect("JobIDRaw|Submit|Start|End|ElapsedRaw|State\n"
	       "9|100|150|200|50|RESIZING\n9|100|200|230|30|COMPLETED\n",
		"dated\n2: 9 @100 run 80 wait 50 status 1 COMPLETED start=150 end=230 []");
	/* The same record twice. */
	expect("JobIDRaw|Submit|ElapsedRaw\n9|100|5\n9|100|5\n",
		"dated\n3! repeated id\n2: 9 @100 run 5 PENDING []");
}

/* Records of one job that lie apart: it is reported with the last, or, where none comes, at the end. */
Test(sacct, attempts_apart)
{
	expect("JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|State\n"
	       "9|100|130|150|200|50|PREEMPTED\n10|120|120|125|135|10|COMPLETED\n"
	       "9|200|321|400|430|30|PREEMPTED\n11|220|220|225|235|10|PREEMPTED\n"
	       "9|430|551|600|640|40|COMPLETED\n",
		"dated\n3: 10 @120 run 10 wait 5 status 1 COMPLETED start=125 end=135 []\n"
		"2: 9 @100 run 40 wait 500 status 1 COMPLETED begin=130 start=600 end=640 attempts=3 earlier=450 "
		"before=80 requeued=330 eligible+30 []\n"
		"5: 11 @220 run 10 wait 5 status 0 PREEMPTED start=225 end=235 []");
	/* One that did not come back to its end would have run as long as the longest attempt, or longer. */
	expect("JobIDRaw|Submit|Start|End|ElapsedRaw|State\n"
	       "9|100|150|200|50|PREEMPTED\n10|120|125|135|10|COMPLETED\n9|200|400|430|30|PREEMPTED\n",
		"dated\n3: 10 @120 run 10 wait 5 status 1 COMPLETED start=125 end=135 []\n"
		"2: 9 @100 run 50 wait 300 status 0 PREEMPTED start=400 end=430 attempts=2 earlier=250 before=50 "
		"requeued=100 censored []");
	expect("JobIDRaw|Submit|Start|End|ElapsedRaw|State\n"
	       "9|100|150|200|50|REQUEUED\n10|120|125|135|10|COMPLETED\n9|200|Unknown|Unknown|0|PENDING\n",
		"dated\n3: 10 @120 run 10 wait 5 status 1 COMPLETED start=125 end=135 []\n"
		"2: 9 @100 run 50 PENDING before=50 requeued=100 censored []");
	/* One that ended by itself is reported at once, and its number may not come again: the table of jobs
	 * says so (scenario_clean.c). */
	expect("JobIDRaw|Submit|Start|End|ElapsedRaw|State\n"
	       "9|100|150|200|50|COMPLETED\n10|120|125|135|10|COMPLETED\n9|200|400|430|30|COMPLETED\n",
		"dated\n2: 9 @100 run 50 wait 50 status 1 COMPLETED start=150 end=200 []\n"
		"3: 10 @120 run 10 wait 5 status 1 COMPLETED start=125 end=135 []\n"
		"4: 9 @200 run 30 wait 200 status 1 COMPLETED start=400 end=430 []");
}

static bool of_two(const struct sl_row *row)
{
	return row->col[SL_COL_ID] == 1 || row->col[SL_COL_ID] == 8000;
}

/* Only so many are put by: then the one that has waited longest goes, and what comes of it later is another.
 */
Test(sacct, attempts_too_many_apart)
{
	enum { JOBS = 8194, LINE = 64 };
	static char text[(JOBS + 3) * LINE];
	static struct heard h;
	char *p = text + snprintf(text, LINE, "JobIDRaw|Submit|Start|End|ElapsedRaw|State\n");
	for (int i = 1; i <= JOBS; i++)
		p += snprintf(p, LINE, "%d|%d|%d|%d|5|PREEMPTED\n", i, 100 + i, 110 + i, 115 + i);
	p += snprintf(p, LINE, "1|9000|9001|9011|10|COMPLETED\n");
	(void)snprintf(p, LINE, "8000|9002|9003|9013|10|COMPLETED\n");
	cr_assert_eq(heard_some(&h, text, of_two), SL_OK);
	cr_expect_str_eq(h.text,
		"dated\n2: 1 @101 run 5 wait 10 status 0 PREEMPTED start=111 end=116 []\n"
		"8196: 1 @9000 run 10 wait 1 status 1 COMPLETED start=9001 end=9011 []\n"
		"8001: 8000 @8100 run 10 wait 903 status 1 COMPLETED start=9003 end=9013 attempts=2 earlier=893 "
		"before=5 requeued=902 []");
}

/* ---- Rows that names break ------------------------------------------------------------------ */

Test(sacct, separators_in_the_last_name)
{
	expect("JobID|Submit|ElapsedRaw|JobName\n1|100|5|a||b\n2|100|5|c\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING name=a||b []\n"
		"3: 2 @100 run 5 PENDING name=c []");
}

/* Two texts: what lies between them says which one has the separator. */
Test(sacct, separators_between)
{
	expect("JobID|JobName|Submit|ElapsedRaw|Comment\n1|a|b|100|5|x\n2|a|100|5|x|y\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING name=a|b []\n"
		"3! separators or line ends in a name\n3: 2 @100 run 5 PENDING name=a []");
	/* Neighbours of one kind: nothing says which. */
	expect("JobID|Comment|WorkDir|Submit|ElapsedRaw\n1|a|b|c|100|5\n2|a|b|100|5\n",
		"2! more fields than columns, and no telling which\ndated\n3: 2 @100 run 5 PENDING []");
	/* A bar belongs into a constraint. */
	expect("JobID|Comment|Constraints|Submit|ElapsedRaw\n1||a|b|100|5\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING [ C=a|b]");
	/* A line of options begins with its program. */
	expect("JobID|Constraints|SubmitLine|Submit|ElapsedRaw\n1|a|b|srun x | y|100|5\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING [ C=a|b]");
	/* A number where a number is due, or it is none of the ways. */
	expect("JobID|Submit|ElapsedRaw\n1|100|5|7\n2|100|5\n",
		"2! more fields than columns, and no telling which\ndated\n3: 2 @100 run 5 PENDING []");
}

Test(sacct, lines_in_a_name)
{
	expect("JobID|SubmitLine|Submit|ElapsedRaw\n"
	       "1|sbatch --wrap=if x\nthen y | z\n\nfi|100|5\n"
	       "2||100|5\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING []\n"
		"6: 2 @100 run 5 PENDING []");
	/* As many fields as columns, but not theirs: the name goes on. */
	expect("JobID|SubmitLine|Submit|ElapsedRaw\n1|srun x | y | z\nw|100|5\n2||100|5\n",
		"dated\n2! separators or line ends in a name\n2: 1 @100 run 5 PENDING []\n"
		"4: 2 @100 run 5 PENDING []");
	/* A row that was cut, and the next. */
	expect("JobID|JobName|Submit|ElapsedRaw\n1|a\n2|b|100|5\n3|c|1\n",
		"2! fewer fields than columns\ndated\n4! fewer fields than columns\n"
		"3: 2 @100 run 5 PENDING name=b []");
	/* The last column's name goes on: the rest of it is left out. */
	expect("JobID|Submit|ElapsedRaw|JobName\n1|100|5|a\nb\n2|100|5|c\n3|100|5|d\n",
		"dated\n2: 1 @100 run 5 PENDING name=a []\n4: 2 @100 run 5 PENDING name=c []\n"
		"5: 3 @100 run 5 PENDING name=d []");
}

/* ---- What was asked ------------------------------------------------------------------------------ */

/* Without a line: a task a cpu, the nodes that were asked; one that got more than one asked for no number of
 * nodes, or for a range. */
Test(sacct, asked_by_columns)
{
	expect("JobID|Submit|Start|ElapsedRaw|ReqCPUS|ReqNodes|NCPUS|NNodes|Constraints|Reservation|Partition\n"
	       "1|100|100|5|8|2|16|2|ib&big|maint|a,b\n"
	       "2|100|100|5|8|1|16|2|||a\n"
	       "3|100|100|5|8|2|16|4|||a\n",
		"dated\n2: 1 @100 run 5 wait 0 cpus 8/16 part=a PENDING start=100 "
		"[ N2 n8 c1 p=a,b C=ib&big res=maint]\n"
		"3: 2 @100 run 5 wait 0 cpus 8/16 part=a PENDING start=100 [ n8 c1 p=a]\n"
		"4: 3 @100 run 5 wait 0 cpus 8/16 part=a PENDING start=100 [ N2-4 n8 c1 p=a]");
}

/* A line that asks for tasks and not for nodes got what its tasks need; a script may ask for two nodes and
 * more. */
Test(sacct, nodes_of_tasks)
{
	expect("JobID|Submit|ElapsedRaw|ReqTRES|SubmitLine\n"
	       "1|100|5|cpu=8,node=1|sbatch -n 8 a.sh\n"
	       "2|100|5|cpu=8,node=2|sbatch -n 8 a.sh\n"
	       "3|100|5|cpu=8,node=1|sbatch a.sh\n",
		"dated\n2: 1 @100 run 5 cpus 8 PENDING [ n8 c1]\n3: 2 @100 run 5 cpus 8 PENDING [ N2 n8 c1]\n"
		"4: 3 @100 run 5 cpus 8 PENDING [ N1 n8 c1]");
}

Test(sacct, memory)
{
	expect("JobID|Submit|ElapsedRaw|ReqMem|ReqNodes|ReqTRES\n"
	       "1|100|5|4G|2|\n2|100|5|4000Mn|2|\n3|100|5|2Gc|2|\n4|100|5|0|2|\n5|100|5|0n|2|\n6|100|5|?|2|\n"
	       "7|100|5||2|cpu=4,mem=3G,node=2\n8|100|5|1025M|2|\n",
		"dated\n2: 1 @100 run 5 PENDING [ N2 mem2048]\n3: 2 @100 run 5 PENDING [ N2 mem4000]\n"
		"4: 3 @100 run 5 PENDING [ N2 mem/c2048]\n5: 4 @100 run 5 PENDING [ N2]\n"
		"6: 5 @100 run 5 PENDING [ N2 mem0]\n7: 6 @100 run 5 PENDING [ N2]\n"
		"8: 7 @100 run 5 cpus 4 PENDING [ N2 n4 c1 mem1536]\n9: 8 @100 run 5 PENDING [ N2 mem513]");
}

/* The entry of a type and the one of none count the same devices. */
Test(sacct, devices)
{
	expect("JobID|Submit|ElapsedRaw|ReqTRES\n"
	       "1|100|5|cpu=4,gres/gpu=4,gres/gpu:a100=4,node=2\n"
	       "2|100|5|cpu=4,gres/gpu=3,node=2\n"
	       "3|100|5|cpu=4,gres/gpu=4,gres/gpu:a100=1,node=1\n"
	       "4|100|5|billing=9,cpu=4,gres/mps=100,license/matlab=2,license/x=1,node=2,energy=5,fs/disk=3\n"
	       "5|100|5|cpu=4,gres/gpu:a100=2,gres/gpu:v100=4,gres/gpu=6,node=2\n",
		"dated\n2: 1 @100 run 5 cpus 4 PENDING [ N2 n4 c1 gpus/N=a100:2]\n"
		"3: 2 @100 run 5 cpus 4 PENDING [ N2 n4 c1 gpus=3]\n"
		"4: 3 @100 run 5 cpus 4 PENDING [ N1 n4 c1 gpus/N=4]\n"
		"5: 4 @100 run 5 cpus 4 PENDING [ N2 n4 c1 gres=mps:50 L=matlab:2,x:1]\n"
		"6: 5 @100 run 5 cpus 4 PENDING [ N2 n4 c1 gpus/N=a100:1,v100:2]");
}

/* The line counts; the columns say what a script may have asked (of sbatch), and memory and devices. */
Test(sacct, asked_by_the_line)
{
	expect("JobID|Submit|ElapsedRaw|ReqCPUS|ReqNodes|ReqMem|ReqTRES|Partition|SubmitLine\n"
	       "1|100|5|8|2|4Gn|cpu=8,gres/gpu=2,node=2|b|srun -n 8 -p a,b x\n"
	       "2|100|5|8|2|4Gn||b|sbatch -n 4 job.sh\n"
	       "3|100|5|8|2|4Gn||b|sbatch -c 2 --mem=1G job.sh\n"
	       "4|100|5|8|2|4Gn|cpu=8,gres/gpu=2,node=2|b|sbatch -G 2 --wrap=x\n"
	       "5|100|5|8|2|4Gn||b|python x\n",
		"dated\n2: 1 @100 run 5 cpus 8 part=b PENDING [ n8 mem4096 p=a,b gpus/N=1]\n"
		"3: 2 @100 run 5 cpus 8 part=b PENDING [ N2 n4 c2 mem4096 p=b]\n"
		"4: 3 @100 run 5 cpus 8 part=b PENDING [ N2 n4 c2 mem1024 p=b]\n"
		"5: 4 @100 run 5 cpus 8 part=b PENDING [ mem4096 p=b gpus=2]\n"
		"6: 5 @100 run 5 cpus 8 part=b PENDING [ N2 n8 c1 mem4096 p=b]");
	expect("JobID|Submit|ElapsedRaw|SubmitLine\n1|100|5|srun --reboot -S1 x\n2|100|5|srun -S2 x\n",
		"dated\n2: 1 @100 run 5 PENDING []\n3: 2 @100 run 5 PENDING []\n"
		"? 2 jobs ask --core-spec: not followed\n? 1 job asks --reboot: not followed");
	expect("JobID|Submit|ElapsedRaw|SubmitLine\n1|100|5|srun --new-one -t 5 -J me -n x y\n",
		"dated\n2: 1 @100 run 5 limit 300 PENDING name=me []\n"
		"? 1 options of SubmitLine that are not known (--new-one)");
}

/* ---- Exports ---------------------------------------------------------------------------------------- */

Test(sacct, eagle)
{
	expect("job_id,user,account,partition,qos,wallclock_req,nodes_req,processors_req,gpus_req,mem_req,"
	       "submit_time,start_time,end_time,run_time,state,name,work_dir,submit_line\n"
	       "5,u1,a1,p1,normal,7200.0,2,72,4,368000.0,1970-01-02 00:00:00,1970-01-02 00:00:01,"
	       "1970-01-02 00:01:41,100.0,COMPLETED,n1,w1,s1\n"
	       "5,u1,a1,p1,normal,7200.0,1,1,0,0.0,1970-01-02 00:00:00,1970-01-02 00:00:02,"
	       "1970-01-02 00:01:42,100.0,TIMEOUT,n1,w1,s1\n",
		"? column 'work_dir'\ndated\n"
		"2: 5 @86400 run 100 limit 7200 wait 1 cpus 72 status 1 u=u1 a=a1 part=p1 COMPLETED name=n1 "
		"qos=normal start=86401 end=86501 [ N2 n72 c1 mem184000 p=p1 gpus/N=2]\n"
		"3: 5_1 @86400 run 100 limit 7200 wait 2 cpus 1 status 0 u=u1 a=a1 part=p1 TIMEOUT name=n1 "
		"qos=normal array=5 start=86402 end=86502 censored [ N1 n1 c1 p=p1]");
}

Test(sacct, simulator)
{
	expect("dt;job_id;wall_time;user;wall_limit;n_tasks;ntasks_per_node;account;partition;qos;constraint;mem;gres\n"
	       "0;1;15;u5;7;12;12;a2;normal;normal;CPU-N;500;gpu:1\n"
	       "49;2;-1;u1;30;1;1;a1;normal;normal;;;\n",
		"2: 1 @0 run 15 limit 420 cpus 12 u=u5 a=a2 part=normal PENDING qos=normal "
		"[ n12 n/N12 c1 mem500 p=normal gres=gpu:1 C=CPU-N]\n"
		"3: 2 @49 run 1800 limit 1800 cpus 1 status 0 u=u1 a=a1 part=normal TIMEOUT qos=normal censored "
		"[ n1 n/N1 c1 p=normal]");
	refuse("1001;0;-1;15;12;-1;-1;-1;420;-1;-1;user5;account2;-1;normal;normal;;-1;\n",
		":1: field 12 is text, 'user5', in a column of numbers: this is neither SWF nor an export with a "
		"header line");
}

Test(sacct, json)
{
	expect("{\"meta\": {\"x\": [1, {}]}, \"jobs\": [\n"
	       "{\"job_id\": 7, \"user\": \"ann\", \"partition\": \"b\", \"name\": \"x\", \"state\": {\"current\": "
	       "\"COMPLETED\", \"reason\": \"None\"}, \"time\": {\"submission\": 100, \"start\": 105, \"end\": 155, "
	       "\"elapsed\": 50, \"limit\": 60}, \"required\": {\"CPUs\": 4}, \"tres\": {\"requested\": ["
	       "{\"type\": \"cpu\", \"name\": null, \"count\": 4}, {\"type\": \"mem\", \"count\": 100}, "
	       "{\"type\": \"node\", \"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu:a100\", \"count\": 2}]}},\n"
	       "{\"job_id\": 63, \"array\": {\"job_id\": 50, \"task_id\": {\"set\": true, \"number\": 17}}, "
	       "\"state\": {\"current\": [\"CANCELLED\"]}, \"time\": {\"submission\": {\"set\": true, \"infinite\": "
	       "false, \"number\": 100}, \"start\": 0, \"end\": 150, \"elapsed\": 0, \"limit\": {\"set\": true, "
	       "\"infinite\": true, \"number\": 0}}}\n"
	       "], \"errors\": []}\n",
		"dated\n2: 7 @100 run 50 limit 3600 wait 5 cpus 4 status 1 u=ann part=b COMPLETED name=x start=105 "
		"end=155 [ N1 n4 c1 mem100 p=b gpus/N=a100:2]\n"
		"3: 63 @100 status 5 cancel 150 CANCELLED array=50_17 end=150 []");
	/* Of squeue: one task runs, one waits, and no more than one may run. */
	expect("{\"jobs\": [\n"
	       "{\"job_id\": 9, \"array_job_id\": 8, \"array_task_id\": 1, \"array_max_tasks\": 1, \"job_state\": "
	       "\"RUNNING\", \"submit_time\": 100, \"start_time\": 100, \"time_limit\": 60, \"cpus\": 1},\n"
	       "{\"job_id\": 8, \"array_job_id\": 8, \"array_task_id\": null, \"array_task_string\": \"2%1\", "
	       "\"array_max_tasks\": 1, \"job_state\": \"PENDING\", \"submit_time\": 100, \"time_limit\": 60, "
	       "\"cpus\": 1}], \"last_update\": 150}\n",
		"dated\n2: 9 @100 run 50 limit 3600 wait 0 cpus 1 RUNNING array=8_1%1 start=100 censored [ n1 c1]\n"
		"3: 8_2 @100 limit 3600 cpus 1 PENDING array=8_2%1 [ n1 c1]");
	refuse("{\"meta\": {\"data_parser\": 1}}",
		":1:29: no 'jobs': is it the output of sacct --json or squeue --json?");
	refuse("{\"jobs\": [{\"job_id\": 7}",
		":1:24: the text ends where ',' or ']' should be: is the file whole?");
}
