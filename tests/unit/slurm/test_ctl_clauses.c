/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_clauses.c - clauses that no recording covers by itself: small schedules worked by hand, each of
 * which changes when its clause is broken (tests/golden/slurm/CLAUSES.md has the list). Schedules read
 * "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl_place.h"
#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

/* slurm.conf with these SchedulerParameters and further lines; four nodes, without partitions. */
static const char *conf(const char *params, const char *more)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n%s",
		params, more);
	return text;
}

#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define MAIN  "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define P     "PartitionName=p Nodes=ALL Default=YES\n"
#define X     " --exclusive --mem=100 "

static void run(const char *params, const char *more, const char *jobs)
{
	w.conf = conf(params, more);
	w.jobs = jobs;
	w.check = true;
	cw_run(&w);
}

/* ---- The order of the queue (CLAUSES.md 2.1, 2.2)
 * ----------------------------------------------------------
 */

/* FIFO: whoever came first is first, be his nice what it will. With several tiers it is no FIFO any more. */
Test(ctl_clauses, builtin_goes_by_submission_unless_there_are_tiers, .fini = fini)
{
	static const char jobs[] =
		"1 0 100 -N4 -t2" X "\n2 5 60 -N4 -t2 --nice=100" X "\n3 10 30 -N4 -t1" X "\n";
	run(MAIN, "SchedulerType=sched/builtin\n" P, jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:100-160@n[1-4] 3:160-190@n[1-4]");
	cw_end(&w);
	run(MAIN, "SchedulerType=sched/builtin\n" P "PartitionName=high Nodes=ALL PriorityTier=2\n", jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:130-190@n[1-4] 3:100-130@n[1-4]");
	cw_end(&w);
	w.policy = "slurm:version=24.11"; /* It goes by priority as it is. */
	run(MAIN, "SchedulerType=sched/builtin\n" P, jobs);
	cw_expect(&w, "1:0-100@n[1-4] 2:130-190@n[1-4] 3:100-130@n[1-4]");
}

/* Who may preempt another goes before it, whatever their priorities: or it would start and be ended at once.
 */
Test(ctl_clauses, who_may_preempt_goes_first, .fini = fini)
{
	w.qos = "Name|Priority|Preempt|PreemptMode\nlow|0||cancel\nhigh|0|low|cluster\ntop|0||cluster\n";
	w.accounts = "Cluster|Account|User|QOS\nc|root||normal\nc|a||low,high,top\nc|a|u1|low,high,top\n";
	run(MAIN,
		"PreemptType=preempt/qos\nPreemptMode=CANCEL\nAccountingStorageType=accounting_storage/slurmdbd\n" P,
		"1 0 100 user=u1 account=a qos=top -N4 -t2" X "\n2 5 60 user=u1 account=a qos=low -N4 -t2" X
		"\n3 10 30 user=u1 account=a qos=high -N4 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-4] 2:130-190@n[1-4] 3:100-130@n[1-4]");
	cr_expect_eq(cw_state(&w, "2"), SL_COMPLETED);
}

/* The one licence goes to the job of a reservation, though another has waited longer. */
Test(ctl_clauses, jobs_of_reservations_go_first, .fini = fini)
{
	w.commands =
		"0 scontrol create reservation ReservationName=r StartTime=now Duration=10 Users=u1 Nodes=n1\n";
	run(MAIN, "Licenses=a:1\n" P,
		"1 2 48 user=u2 -N1 -t1 -L a" X "\n2 5 60 user=u2 -N1 -t2 -L a" X
		"\n3 10 30 user=u1 --reservation=r -N1 -t1 -L a" X "\n");
	cw_expect(&w, "1:2-50@n2 2:80-140@n2 3:50-80@n1");
}

/* ---- Who blocks nobody (2.3)
 * --------------------------------------------------------------------------------- */

#define DBD "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=limits\n"

/* Neither when it meets its limit nor when it is known to have met it. */
Test(ctl_clauses, who_is_at_a_limit_blocks_nobody, .fini = fini)
{
	w.accounts = "Cluster|Account|User|MaxJobs\nc|root||\nc|a||\nc|a|u1|1\nc|a|u2|\n";
	run(MAIN, DBD P,
		"1 0 100 user=u1 account=a -N1 -t2" X "\n2 5 60 user=u1 account=a -N1 -t2" X
		"\n3 5 30 user=u2 account=a -N1 -t1" X "\n4 20 30 user=u2 account=a -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n1 2:100-160@n1 3:5-35@n2 4:20-50@n3");
	cr_expect_str_eq(cw_reasons(&w, "2"), "AssocMaxJobsLimit");
}

/* ---- Backfill (3)
 * ------------------------------------------------------------------------------------------- */

/* 2 and 3 use up the two tries: 4, which would fit, is not looked at. 5 wants a licence that there is not,
 * and is passed over without a try. */
Test(ctl_clauses, tries_are_counted_and_who_is_passed_over_is_not, .fini = fini)
{
	run(BRISK ",bf_max_job_test=2,bf_node_space_size=50", P,
		"1 0 100 -N3 -t2" X "\n2 5 60 -N4 -t2" X "\n3 6 60 -N4 -t2" X "\n4 10 30 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n[1-4] 3:160-220@n[1-4] 4:220-250@n1");
	cw_end(&w);
	run(BRISK ",bf_max_job_test=2", P "Licenses=a:1\n",
		"1 0 100 -N3 -t2 -L a" X "\n2 5 60 -N1 -t2 -L a" X "\n3 6 60 -N4 -t2" X "\n4 10 30 -N1 -t1" X
		"\n");
	cw_expect(&w, "1:0-100@n[1-3] 2:100-160@n1 3:160-220@n[1-4] 4:10-40@n4");
}

/* Nineteen minutes are free; 3 requested ten, and was tried with two. */
Test(ctl_clauses, nobody_is_stretched_beyond_what_he_asked, .fini = fini)
{
	run(BRISK, P, "1 0 1190 -N3 -t20" X "\n2 5 60 -N4 -t2" X "\n3 20 2000 -N1 -t10 --time-min=2" X "\n");
	cw_expect(&w, "1:0-1190@n[1-3] 2:1190-1250@n[1-4] 3:20-630@n4");
}

/* 3 is planned for 120 to 180 on n1, n2 and n4. 4 would have n3 and n5 at 601; but at 180 it can have n4 and
 * n5, and keeps 5 off n5, which would run until 320. Once 3 runs, 4 waits for n1 and n2. */
Test(ctl_clauses, behind_a_plan_there_may_be_an_earlier_hole, .fini = fini)
{
	run(BRISK, "NodeName=n5 CPUs=4 RealMemory=4000\n" P,
		"1 0 115 -N2 -t2" X "\n2 1 595 -N1 -t10 -w n3" X "\n3 5 60 -N3 -t1 -x n3,n5" X
		"\n4 10 100 -N2 -t10" X "\n5 20 100 -N1 -t5" X "\n");
	cw_expect(&w, "1:0-115@n[1-2] 2:1-596@n3 3:115-175@n[1-2,4] 4:175-275@n[1-2] 5:115-215@n5");
}

/* ---- Which nodes (4.2)
 * --------------------------------------------------------------------------------------- */

/* In order of nodes, not in runs: best fit would begin with n4, the tighter run. */
Test(ctl_clauses, spread_jobs_do_not_look_for_runs, .fini = fini)
{
	run(BRISK, P, "1 0 100 -N1 -t2 -w n3" X "\n2 5 60 -n2 -t2 --spread-job --mem=100\n");
	cw_expect(&w, "1:0-100@n3 2:5-65@n[1-2]");
}

#define GPUS \
	"NodeName=n[1-9] CPUs=4 RealMemory=4000 Gres=gpu:1\nGresTypes=gpu\nPartitionName=p Nodes=ALL Default=YES\n"

/* slurm.conf of nine nodes of a GPU each. */
static void run_gpus(const char *params, const char *jobs)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\n" GPUS,
		params);
	w = (struct ctl_world){ .conf = text, .jobs = jobs, .check = true };
	cw_run(&w);
}

/* Runs of two, three and two nodes: none of them is enough for four. The largest goes first, and one node of
 * the first run is the rest; the smallest first would have taken both runs of two. GPUs of a job make no
 * difference. */
Test(ctl_clauses, of_runs_that_do_not_suffice_the_largest, .fini = fini)
{
	static const char first[] = "1 0 100 -N1 -t2 -w n3" X "\n2 0 100 -N1 -t2 -w n7" X "\n";
	static char jobs[500];
	(void)snprintf(jobs, sizeof(jobs), "%s3 5 60 -N4 -t2" X "\n", first);
	run_gpus(BRISK, jobs);
	cw_expect(&w, "1:0-100@n3 2:0-100@n7 3:5-65@n[1,4-6]");
	cw_end(&w);
	(void)snprintf(jobs, sizeof(jobs), "%s3 5 60 -N4 --gpus=4 -t2 --mem=100\n", first);
	run_gpus(BRISK, jobs);
	cw_expect(&w, "1:0-100@n3 2:0-100@n7 3:5-65@n[1,4-6]");
}

/* Three cores are left on n2: that is just enough, with GPUs of the job or without. */
Test(ctl_clauses, one_node_is_the_fullest_that_will_do, .fini = fini)
{
	run_gpus(BRISK, "1 0 100 -n1 -t2 -w n2 --mem=100\n2 5 60 -n3 --gpus=1 -t2 --mem=100\n"
			"3 6 100 -n4 -t2 -w n1 --mem=100\n4 6 100 -n1 -t2 -w n5 --mem=100\n"
			"5 7 60 -n3 -t2 --mem=100\n");
	cw_expect(&w, "1:0-100@n2 2:5-65@n2 3:6-106@n1 4:6-106@n5 5:7-67@n5");
}

/* Of one cpu from the last node down; of two cpus as ever. */
Test(ctl_clauses, serial_jobs_alone_are_packed_at_the_end, .fini = fini)
{
	run_gpus(BRISK ",pack_serial_at_end",
		"1 0 100 -n1 -t2 --mem=100\n2 5 60 -n2 -N1 --gpus=1 -t2 --mem=100\n");
	cw_expect(&w, "1:0-100@n9 2:5-65@n1");
}

/* ---- Priority (6.2)
 * ------------------------------------------------------------------------------------------- */

static const char *weighty(const char *more)
{
	static char text[4000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityMaxAge=10:00\n"
		"PriorityWeightJobSize=1000\nNodeName=n[1-4] CPUs=4 RealMemory=4000\n" P "%s",
		more);
	return text;
}

/* Half of PriorityMaxAge has passed when the job is looked at anew: without slurmdbd that is worth nothing.
 */
Test(ctl_clauses, without_slurmdbd_an_update_finds_no_age, .fini = fini)
{
	static const struct {
		const char *more;
		uint32_t priority; /* (2/4 + 2/16)/2 = 0.3125, and half of 1000 */
	} cases[] = { { "", 312 }, { "AccountingStorageType=accounting_storage/slurmdbd\n", 812 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		w = (struct ctl_world){ .conf = weighty(cases[i].more), .jobs = "1 0 100 -N2 -t2\n" };
		struct ctl *c = cw_make(&w);
		struct ctl_job *job = cw_job(&w, "1");
		ctl_submit(c, job);
		cr_expect_eq(job->priority, 312);
		cw_at(&w, 300);
		ctl_prio_update(c, job);
		cr_expect_eq(job->priority, cases[i].priority, "case %zu: %u", i, job->priority);
		if (!i)
			cw_end(&w);
	}
}

/* Two nodes and two cpus, (2/4 + 2/16)/2; once it is planned all eight cpus of its nodes, (2/4 + 8/16)/2. */
Test(ctl_clauses, a_planned_whole_node_job_counts_all_cpus_of_its_nodes, .fini = fini)
{
	static const char *const jobs[] = { "1 0 100 -N2 -t2 --exclusive\n", "1 0 100 -N2 -t2\n" };
	static const uint32_t planned[] = { 500, 312 };
	for (size_t i = 0; i < SL_LEN(jobs); i++) {
		w = (struct ctl_world){ .conf = weighty(""), .jobs = jobs[i] };
		struct ctl *c = cw_make(&w);
		struct ctl_job *job = cw_job(&w, "1");
		struct ctl_when when = { .from = CW_T0, .until = CTL_NEVER, .at = CTL_NONE };
		ctl_submit(c, job);
		cr_expect_eq(job->priority, 312);
		uint64_t nodes[] = { 15 };
		cr_assert_eq(ctl_place_plan(c, job, 0, nodes, &when), CTL_OK);
		cr_expect_eq(when.at, CW_T0);
		cr_expect_eq(job->priority, 312, "it is calculated later");
		ctl_prio_update(c, job);
		cr_expect_eq(job->priority, planned[i], "case %zu: %u", i, job->priority);
		if (!i)
			cw_end(&w);
	}
}

/* ---- Limits (7)
 * ----------------------------------------------------------------------------------------------- */

/* Twenty cpu minutes of limits may run: beside ten of 1 the fifteen of 2 are too many, until, at the
 * calculation of 300, five of 1 are left. */
Test(ctl_clauses, minutes_of_running_limits_fall_at_calculations, .fini = fini)
{
	w = (struct ctl_world){ .conf = weighty(DBD "PriorityCalcPeriod=1\n"
						    "SchedulerParameters=" BRISK "\n"),
		.accounts = "Cluster|Account|User|GrpTRESRunMins\nc|root||\nc|a||cpu=20\nc|a|u1|\n",
		.jobs = "1 0 600 user=u1 account=a -n1 -t10 --mem=100\n2 5 60 user=u1 account=a -n1 -t15 --mem=100\n",
		.check = true };
	cw_run(&w);
	cw_expect(&w, "1:0-600@n1 2:300-360@n1");
	cr_expect_str_eq(cw_reasons(&w, "2"), "AssocGrpCPURunMinutesLimit");
}

/* ---- Preemption (8)
 * ------------------------------------------------------------------------------------------- */

#define CANCEL \
	"PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\nPartitionName=high Nodes=ALL PriorityTier=2\n" P

/* Candidates go in strict order: 1 is removed in the trial before 2 and 3 free the nodes, but has none of
 * these. */
Test(ctl_clauses, who_holds_no_chosen_node_stays, .fini = fini)
{
	run(MAIN ",preempt_strict_order,preempt_reorder_count=0", CANCEL,
		"1 0 100 -N1 -t2 -w n1" X "\n2 0 100 -N1 -t2 -w n2" X "\n3 0 100 -N1 -t2 -w n3" X
		"\n4 10 30 -N2 -t1 -phigh -w n[2-3]" X "\n");
	cw_expect(&w, "1:0-100@n1 2:0-10@n2 3:0-10@n3 4:10-40@n[2-3]");
}

/* The pass that follows the end of the preempted is of the same second, backfill or none. */
Test(ctl_clauses, the_preemptor_starts_in_the_same_second, .fini = fini)
{
	run(MAIN, CANCEL, "1 0 100 -N4 -t2" X "\n2 10 30 -N1 -t1 -phigh" X "\n");
	cw_expect(&w, "1:0-10@n[1-4] 2:10-40@n1");
	cr_expect_eq(cw_state(&w, "1"), SL_PREEMPTED);
}

/* ---- Requeue (9)
 * ---------------------------------------------------------------------------------------------- */

/* The credential's life and a second more; a schedule has the first start and the last end. */
Test(ctl_clauses, a_requeued_job_waits_as_long_as_its_credential_lives, .fini = fini)
{
	w.commands = "50 scontrol requeue 1\n";
	run(BRISK, "AuthInfo=cred_expire=60\n" P, "1 0 100 -N1 -t2" X "\n");
	cw_expect(&w, "1:0-211@n1");
	cw_end(&w);
	w.commands = "50 scontrol requeue 1\n";
	run(BRISK, P, "1 0 100 -N1 -t2" X "\n");
	cw_expect(&w, "1:0-271@n1");
	cr_expect_str_eq(cw_reasons(&w, "1"), "BeginTime");
}

/* Submitted anew, its age starts anew: 3, which came at 150, has waited longer than 1, eligible since 211. */
Test(ctl_clauses, a_requeued_job_has_no_age, .fini = fini)
{
	w = (struct ctl_world){ .conf = weighty("AccountingStorageType=accounting_storage/slurmdbd\n"
						"PriorityCalcPeriod=1\nSchedulerParameters=" BRISK "\n"),
		.jobs = "1 0 100 -N4 -t60" X "\n2 50 300 -N4 -t60" X "\n3 150 60 -N4 -t60" X "\n",
		.commands = "90 scontrol requeue 1\n" };
	cw_run(&w);
	cw_expect(&w, "1:0-550@n[1-4] 2:90-390@n[1-4] 3:390-450@n[1-4]");
}

/* ---- Dependencies (9)
 * ----------------------------------------------------------------------------------------- */

/* Each task waits for its own: the second does not wait for the first. */
Test(ctl_clauses, aftercorr_is_task_by_task, .fini = fini)
{
	run(BRISK, P,
		"1_1 0 100 -a1-2 -N1 -t2" X "\n1_2 0 30 -a1-2 -N1 -t2" X
		"\n2_1 5 40 -a1-2 -d aftercorr:1 -N1 -t1" X "\n2_2 5 40 -a1-2 -d aftercorr:1 -N1 -t1" X "\n");
	cw_expect(&w, "1_1:0-100@n1 1_2:0-30@n2 2_1:100-140@n1 2_2:30-70@n2");
}

/* What waited for resources waits for its array once that runs as many tasks as it may. */
Test(ctl_clauses, the_limit_of_an_array_is_reported_before_resources, .fini = fini)
{
	run(MAIN, P,
		"1 0 50 -N4 -t1" X "\n2_1 5 40 -a1-3%1 -N1 -t1" X "\n2_2 5 40 -a1-3%1 -N1 -t1" X
		"\n2_3 5 40 -a1-3%1 -N1 -t1" X "\n");
	cw_expect(&w, "1:0-50@n[1-4] 2_1:50-90@n1 2_2:90-130@n1 2_3:130-170@n1");
	cr_expect_str_eq(cw_reasons(&w, "2_1"), "Resources");
	cr_expect_str_eq(cw_reasons(&w, "2_3"), "Resources+JobArrayTaskLimit");
}

/* ---- Reservations (10)
 * ---------------------------------------------------------------------------------------- */

/* 2 would end in time, 1 by its limit would not: it starts in the second in which it is over. */
Test(ctl_clauses, maintenance_is_a_reason_of_its_own, .fini = fini)
{
	w.commands =
		"0 scontrol create reservation ReservationName=r StartTime=now+100 Duration=2 Users=root "
		"Flags=MAINT Nodes=ALL\n";
	run(BRISK, P, "1 10 50 -N1 -t2" X "\n2 20 50 -N1 -t1" X "\n");
	cw_expect(&w, "1:220-270@n1 2:20-70@n1");
	cr_expect_str_eq(cw_reasons(&w, "1"), "ReqNodeNotAvail,_Reserved_for_maintenance");
}

/* ---- Nodes (11)
 * ----------------------------------------------------------------------------------------------- */

/* Whoever needs a drained node says so; he blocks nobody. */
Test(ctl_clauses, who_needs_what_is_not_there_says_so, .fini = fini)
{
	w.commands = "0 scontrol update nodename=n1 state=drain reason=x\n"
		     "100 scontrol update nodename=n1 state=resume\n";
	run(BRISK, P, "1 10 50 -N1 -t2 -w n1" X "\n2 20 50 -N1 -t1" X "\n");
	cw_expect(&w, "1:100-150@n1 2:20-70@n2");
	cr_expect_str_eq(cw_reasons(&w, "1"), "ReqNodeNotAvail");
}

/* ---- Releases ------------------------------------------------------------------------------------------ */

/* 1 ends at 120 on n1, 2 at 600 on n2, 3 at 60 on n3; 4 has n1 from 120 to 180. For its 5 minutes 5 may have
 * two of n2 to n4: what ends by 180, when the plan has n1 again, is 3. So 24.11 plans it at 60. 22.05
 * removes, behind 3, whatever runs on in that batch, until 2 and 600, and then tries again from 180: so 6 may
 * have n4 until then, and 5 comes after it. */
Test(ctl_clauses, a_plan_waits_for_what_ends_before_it_is_tried_again, .fini = fini)
{
	w = (struct ctl_world){ .conf = conf(BRISK, P),
		.jobs = "1 0 120 -w n1 -t2" X "\n2 0 600 -w n2 -t10" X "\n3 0 60 -w n3 -t1" X "\n"
			"4 4 30 -w n1 -t1" X "\n5 6 100 -N2 -t5" X "\n6 10 120 -N1 -t2" X "\n",
		.policy = "slurm:version=22.05",
		.check = true };
	cw_run(&w);
	cw_expect(&w, "1:0-120@n1 2:0-600@n2 3:0-60@n3 4:120-150@n1 5:130-230@n[3-4] 6:10-130@n4");
	cw_end(&w);
	w.policy = "slurm:version=24.11";
	cw_run(&w);
	cw_expect(&w, "1:0-120@n1 2:0-600@n2 3:0-60@n3 4:120-150@n1 5:60-160@n[3-4] 6:150-270@n1");
}
