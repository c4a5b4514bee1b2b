/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_life.c - a job's life in Slurm's controller, clause by clause: submission, what keeps it, start,
 * end, requeue, hold, suspension, limits of time, licences. The controller is driven by hand, at seconds
 * after T0 (which is 0 modulo 300).
 */
#include <criterion/criterion.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define NODES "NodeName=n[1-4] CPUs=4 RealMemory=4000\n"
#define PART  "PartitionName=p Nodes=ALL Default=YES\n"

static struct ctl *world(const char *conf, const char *jobs)
{
	w = (struct ctl_world){ .conf = conf, .jobs = jobs };
	struct ctl *c = cw_make(&w);
	return c;
}

static struct ctl_job *submit(const char *id)
{
	struct ctl_job *job = cw_job(&w, id);
	ctl_submit(&w.ctl, job);
	return job;
}

/* Wherever it fits, if it may. */
static bool start(struct ctl_job *job)
{
	struct ctl *c = &w.ctl;
	const struct select_alloc *alloc;
	job->desc.partition = job->part;
	if (!ctl_independent(c, job) || !job->priority || !ctl_license_free(c, job, c->now))
		return false;
	if (select_place(c->select, &job->desc, NULL, SELECT_NOW, &alloc) != SELECT_FITS)
		return false;
	ctl_start(c, job, job->part, alloc);
	return true;
}

#define expect_reason(job, word) \
	cr_expect_str_eq(sl_reason_name((job)->reason), word, "%s", sl_reason_name((job)->reason))
#define expect_state(job, want) cr_expect_eq((job)->state, want, "state %d", (int)(job)->state)

/* ---- Submission -----------------------------------------------------------------------------------------
 */

Test(ctl_life, submitted_with_what_it_asks, .fini = fini)
{
	(void)world(
		CW_BRISK NODES PART, "1 0 100 -N2 -t 1:30 --mem=100\n2 0 10 -n 3 -c 2 --mem-per-cpu=10\n");
	struct ctl_job *one = submit("1"), *two = submit("2");
	expect_state(one, CTL_PENDING);
	cr_expect_eq(one->nodes_min, 2);
	cr_expect_eq(one->nodes_max, 2);
	cr_expect_eq(one->cpus_min, 2);
	cr_expect_eq(one->time_limit, 2, "1:30 is two whole minutes");
	cr_expect_eq(one->tres_asked[CTL_TRES_MEM], 200, "of each node");
	cr_expect_eq(two->tres_asked[CTL_TRES_CPU], 6);
	cr_expect_eq(two->tres_asked[CTL_TRES_MEM], 60, "of each cpu");
	cr_expect_eq(two->nodes_max, CTL_NEVER);
	cr_expect(one->priority > two->priority, "the counter falls");
	cr_expect_eq(one->eligible, CW_T0);
	cr_expect_eq(w.ctl.pending_first, one->row);
	cr_expect_eq(w.ctl.pending_count, 2);
}

Test(ctl_life, an_unknown_or_closed_partition_refuses, .fini = fini)
{
	(void)world(CW_BRISK NODES PART "PartitionName=d Nodes=ALL State=DRAIN\n"
					"PartitionName=o Nodes=ALL State=DOWN\n",
		"2 0 100 -p d\n3 0 100 -p o\n");
	struct ctl_job *closed = submit("2"), *down = submit("3");
	expect_state(closed, CTL_ENDED);
	expect_state(down, CTL_PENDING);
	expect_reason(down, "PartitionDown");
	cr_expect_eq(w.ctl.pending_count, 1);
}

/* EnforcePartLimits=NO: it waits, with PartitionConfig until a pass says more. */
Test(ctl_life, beyond_the_partition_it_waits, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART
		"PartitionName=s Nodes=ALL MaxTime=5 MaxNodes=2 MinNodes=2\n",
		"1 0 100 -p s -t 10 -N2\n2 0 100 -p s -t 5 -N3\n3 0 100 -p s -t 1 -N1\n4 0 100 -p s -t 5 -N2\n"
		"5 0 100 -p s -t 10 --time-min=5 -N2\n6 0 100 -N5\n");
	static const enum sl_reason want[] = { SL_REASON_PARTITION_TIME, SL_REASON_PARTITION_NODES,
		SL_REASON_PARTITION_NODES, SL_REASON_NONE, SL_REASON_NONE };
	static const char *const id[] = { "1", "2", "3", "4", "5" };
	for (size_t i = 0; i < SL_LEN(id); i++) {
		struct ctl_job *job = submit(id[i]);
		expect_state(job, CTL_PENDING);
		cr_expect_eq(ctl_part_allows(c, job, job->part), want[i], "job %s", id[i]);
		cr_expect_eq(job->reason == SL_REASON_PARTITION_CONFIG, want[i] != SL_REASON_NONE, "job %s",
			id[i]);
	}
	struct ctl_job *six = submit("6");
	expect_reason(six, "PartitionConfig");
}

/* From 24.11 on the nodes are asked as well: what only the time keeps waits with no reason yet, what no nodes
 * could run is refused, until 25.11 lets more nodes than there are wait. */
Test(ctl_life, beyond_the_partition_later_releases_ask_the_nodes, .fini = fini)
{
	static const struct {
		const char *policy;
		enum ctl_state few, many;
	} releases[] = { { "slurm:version=22.05", CTL_PENDING, CTL_PENDING },
		{ "slurm:version=24.11", CTL_PENDING, CTL_ENDED },
		{ "slurm:version=25.05", CTL_PENDING, CTL_ENDED },
		{ "slurm:version=25.11", CTL_PENDING, CTL_PENDING } };
	for (size_t i = 0; i < SL_LEN(releases); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){ .conf = CW_BRISK NODES PART
					"PartitionName=s Nodes=ALL MaxTime=5 MaxNodes=2\n",
			.jobs = "1 0 100 -p s -t 10 -N2\n2 0 100 -p s -N3\n3 0 100 -p s -t 10 -c 5\n4 0 100 -N5\n",
			.policy = releases[i].policy };
		struct ctl *c = cw_make(&w);
		const bool asks = c->params.version >= CTL_24_11;
		struct ctl_job *time = submit("1"), *nodes = submit("2"), *never = submit("3");
		expect_reason(time, asks ? "None" : "PartitionConfig");
		expect_state(nodes, releases[i].few);
		expect_reason(nodes, "PartitionConfig");
		expect_state(never, asks ? CTL_ENDED : CTL_PENDING);
		expect_state(submit("4"), releases[i].many);
	}
}

/* Run x07: MaxMemPerNode. Memory of a cpu counts for the fewest cpus that it has on a node. */
Test(ctl_life, beyond_max_mem_per_node_it_waits, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART "PartitionName=s Nodes=ALL MaxMemPerNode=2000\n",
		"1 0 9 -p s --mem=3000\n2 0 9 -p s --mem=2000\n3 0 9 -p s -N1 -n4 --mem-per-cpu=600\n"
		"4 0 9 -p s -n4 --mem-per-cpu=600\n5 0 9 -p s -n1 --exclusive --mem-per-cpu=600\n"
		"6 0 9 -p s --mem=0\n7 0 9 -p s,p --mem=3000\n8 0 9 -p s --mincpus=4 --mem-per-cpu=600\n");
	static const bool beyond[] = { true, false, true, false, true, true, true, true };
	for (uint32_t row = 0; row < SL_LEN(beyond); row++) {
		const uint32_t part = ctl_part_named(c, "s", 1);
		ctl_submit(c, &c->job[row]);
		expect_state(&c->job[row], CTL_PENDING);
		cr_expect_eq(ctl_part_allows(c, &c->job[row], part) == SL_REASON_MEM_LIMIT, beyond[row],
			"job %u", row + 1);
	}
	cr_expect_eq(ctl_part_allows(c, &c->job[6], ctl_part_named(c, "p", 1)), SL_REASON_NONE);
	expect_reason(&c->job[0], "PartitionConfig");
}

Test(ctl_life, the_clusters_max_mem_per_node_is_every_partitions, .fini = fini)
{
	struct ctl *c = world(
		CW_BRISK NODES "MaxMemPerNode=2000\nEnforcePartLimits=ANY\n" PART, "1 0 9 --mem=3000\n");
	expect_state(submit("1"), CTL_ENDED);
	cr_expect(c->part[0].mem_capped);
}

Test(ctl_life, enforced_limits_refuse, .fini = fini)
{
	(void)world(CW_BRISK NODES "EnforcePartLimits=ANY\n" PART "PartitionName=s Nodes=ALL MaxTime=5\n",
		"1 0 100 -p s -t 10\n2 0 100 -p s,p -t 10\n");
	expect_state(submit("1"), CTL_ENDED);
	expect_state(submit("2"), CTL_PENDING);
}

Test(ctl_life, all_partitions_have_to_allow_it, .fini = fini)
{
	(void)world(CW_BRISK NODES "EnforcePartLimits=ALL\n" PART "PartitionName=s Nodes=ALL MaxTime=5\n",
		"2 0 100 -p s,p -t 10\n");
	expect_state(submit("2"), CTL_ENDED);
}

Test(ctl_life, partitions_go_by_tier, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART
		"PartitionName=a Nodes=ALL\nPartitionName=b Nodes=ALL PriorityTier=5\n",
		"1 0 100 -p a,b,p\n");
	struct ctl_job *job = submit("1");
	cr_assert_eq(job->part_count, 3);
	cr_expect_str_eq(c->part[job->parts[0]].name, "b");
	cr_expect_str_eq(c->part[job->parts[1]].name, "a", "as written");
	cr_expect_str_eq(c->part[job->parts[2]].name, "p");
	cr_expect(!ctl_parts_set(c, job, "a,nowhere"));
	cr_expect_eq(job->part_count, 3, "nothing changed");
	cr_expect(ctl_parts_set(c, job, "a"));
	cr_expect_eq(job->part_count, 1);
}

/* ---- What keeps it
 * ------------------------------------------------------------------------------------------ */

Test(ctl_life, begin_is_when_it_is_eligible, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 100 --begin=now+50\n");
	struct ctl_job *job = submit("1");
	expect_reason(job, "BeginTime");
	cr_expect(!start(job));
	cw_at(&w, 60);
	cr_expect(ctl_independent(c, job));
	expect_reason(job, "None");
	cr_expect_eq(job->eligible, CW_T0 + 50, "not when it was noticed");
	cr_expect_eq(job->accrue, CW_T0 + 60);
}

Test(ctl_life, held_by_its_user_at_submission, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 100 --hold\n");
	struct ctl_job *job = submit("1");
	expect_reason(job, "JobHeldUser");
	cr_expect_eq(job->priority, 0);
	cr_expect_eq(job->eligible, CTL_NONE);
	cr_expect(!ctl_independent(c, job));
}

/* Run 86: its place is lost, and it is eligible from then on. */
Test(ctl_life, keep_and_release, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 100\n2 0 100\n");
	struct ctl_job *one = submit("1"), *two = submit("2");
	cw_at(&w, 20);
	ctl_hold(c, one, false);
	expect_reason(one, "JobHeldAdmin");
	cr_expect_eq(one->priority, 0);
	cr_expect(!start(one));
	cw_at(&w, 55);
	ctl_release_hold(c, one);
	expect_reason(one, "None");
	cr_expect(one->priority && one->priority < two->priority);
	cr_expect_eq(one->eligible, CW_T0 + 55);
	cr_expect_eq(one->accrue, CW_T0 + 55, "held jobs do not accrue");
	const uint32_t priority = two->priority;
	ctl_release_hold(c, two);
	cr_expect_eq(two->priority, priority, "it was not held");
}

Test(ctl_life, so_many_tasks_of_an_array_run, .fini = fini)
{
	(void)world(CW_BRISK NODES PART,
		"7_1 0 100 --array=1-3%2 -n1\n7_2 0 100 --array=1-3%2 -n1\n7_3 0 100 --array=1-3%2 -n1\n");
	struct ctl_job *one = submit("7_1"), *two = cw_job(&w, "7_2"), *three = cw_job(&w, "7_3");
	cr_expect_eq(w.ctl.pending_count, 3, "they come together");
	cr_expect_eq(one->priority, three->priority, "one record, one priority");
	cr_expect_eq(three->order, one->row);
	cr_assert(start(one) && start(two));
	cr_expect(!start(three));
	expect_reason(three, "JobArrayTaskLimit");
	ctl_suspend(&w.ctl, one);
	cr_expect(!start(three), "a suspended one counts");
	ctl_end(&w.ctl, two, SL_COMPLETED, true);
	cr_expect(start(three));
}

/* ---- Start and end
 * --------------------------------------------------------------------------------------------- */

Test(ctl_life, started_and_ended, .fini = fini)
{
	struct ctl *c = world(
		CW_BRISK NODES PART, "1 0 100 -N4 --exclusive -t 3 --mem=10\n2 0 100 -N1 --exclusive\n");
	struct ctl_job *one = submit("1"), *two = submit("2");
	cw_at(&w, 7);
	cr_assert(start(one));
	expect_state(one, CTL_RUNNING);
	cr_expect_eq(one->start, CW_T0 + 7);
	cr_expect_eq(one->end_limit, CW_T0 + 7 + 180);
	cr_expect_eq(one->tres_held[CTL_TRES_CPU], 16);
	cr_expect_eq(one->tres_held[CTL_TRES_NODE], 4);
	cr_expect_eq(one->tres_held[CTL_TRES_MEM], 40);
	cr_expect_eq(c->running_count, 1);
	cr_expect_eq(c->pending_first, two->row);
	cr_expect(!start(two), "there is no room");
	cw_at(&w, 90);
	ctl_end(c, one, SL_FAILED, true);
	expect_state(one, CTL_ENDED);
	cr_expect_eq(one->ended_as, SL_FAILED);
	cr_expect_eq(one->end, CW_T0 + 90);
	cr_expect_eq(c->running_first, CTL_NO_ROW);
	cr_expect(start(two));
}

/* Lists are by submission, whoever comes and goes. */
Test(ctl_life, lists_are_by_row, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 9 -n1\n2 0 9 -n1\n3 0 9 -n1\n4 0 9 -n1\n");
	struct ctl_job *one = submit("1"), *two = submit("2"), *three = submit("3"), *four = submit("4");
	cr_assert(start(three) && start(one) && start(two));
	cr_expect_eq(c->running_first, one->row);
	cr_expect_eq(one->next, two->row);
	cr_expect_eq(two->next, three->row);
	cr_expect_eq(c->running_last, three->row);
	ctl_requeue(c, two, SL_PENDING, false);
	cr_expect_eq(c->pending_first, two->row);
	cr_expect_eq(two->next, four->row);
	cr_expect_eq(four->before, two->row);
}

/* ---- Requeue
 * ------------------------------------------------------------------------------------------------------ */

Test(ctl_life, requeued_it_waits_for_its_credential, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 100 -n1\n2 0 100 -n1\n");
	struct ctl_job *job = submit("1"), *other = submit("2");
	const uint32_t priority = job->priority;
	cr_assert(start(job));
	cw_at(&w, 40);
	ctl_requeue(c, job, SL_NODE_FAIL, false);
	expect_state(job, CTL_PENDING);
	expect_reason(job, "BeginTime");
	cr_expect_eq(job->submit, CW_T0 + 40);
	cr_expect_eq(job->eligible, CW_T0 + 161);
	cr_expect_eq(job->restarts, 1);
	cr_expect_eq(job->priority, priority, "it keeps its place");
	cw_at(&w, 160);
	cr_expect(!start(job));
	cw_at(&w, 161);
	cr_expect(start(job));
	ctl_requeue(c, job, SL_PENDING, true);
	expect_reason(job, "job_requeued_in_held_state");
	cr_expect_eq(job->priority, 0);
	cw_at(&w, 170);
	ctl_release_hold(c, job);
	expect_reason(job, "BeginTime");
	cr_expect(job->priority && job->priority < other->priority);
}

/* From 24.05 on it goes behind those that came since, unless its priority was set by hand. */
Test(ctl_life, requeued_it_has_a_priority_anew, .fini = fini)
{
	static const struct {
		const char *policy;
		bool anew;
	} releases[] = { { "slurm:version=22.05", false }, { "slurm:version=23.11", false },
		{ "slurm:version=24.05", true }, { "slurm:version=26.05", true } };
	for (size_t i = 0; i < SL_LEN(releases); i++) {
		if (i)
			cw_end(&w);
		w = (struct ctl_world){ .conf = CW_BRISK "PriorityType=priority/basic\n" NODES PART,
			.jobs = "1 0 100 -n1\n2 0 100 -n1\n3 0 100 -n1\n",
			.policy = releases[i].policy };
		struct ctl *c = cw_make(&w);
		struct ctl_job *one = submit("1"), *two = submit("2"), *three = submit("3");
		three->direct_priority = true;
		three->priority = 7;
		cr_assert(start(one) && start(three));
		const uint32_t was = one->priority;
		cw_at(&w, 10);
		ctl_requeue(c, one, SL_NODE_FAIL, false);
		ctl_requeue(c, three, SL_NODE_FAIL, false);
		cr_expect_eq(one->priority == was, !releases[i].anew, "%s", releases[i].policy);
		cr_expect_eq(one->priority < two->priority, releases[i].anew, "%s", releases[i].policy);
		cr_expect_eq(three->priority, 7);
	}
}

Test(ctl_life, no_requeue_ends_it, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 100 -n1 --no-requeue\n");
	struct ctl_job *job = submit("1");
	cr_assert(start(job));
	ctl_requeue(c, job, SL_NODE_FAIL, false);
	expect_state(job, CTL_ENDED);
	cr_expect_eq(job->ended_as, SL_NODE_FAIL);
}

/* ---- Limits of time
 * ---------------------------------------------------------------------------------------------------- */

/* Run 14: looked at every 30 s only. */
Test(ctl_life, a_limit_is_over_at_the_next_tick, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 1000 -n1 -t 1\n");
	c->params.kill = true;
	struct ctl_job *job = submit("1");
	cw_at(&w, 5);
	cr_assert(start(job));
	cr_expect_eq(ctl_tick_needed(c), CW_T0 + 90);
	cw_at(&w, 60);
	ctl_tick(c);
	cw_at(&w, 65);
	ctl_tick(c);
	expect_state(job, CTL_RUNNING);
	cw_at(&w, 90);
	ctl_tick(c);
	expect_state(job, CTL_ENDED);
	cr_expect_eq(job->ended_as, SL_TIMEOUT);
	cr_expect_eq(ctl_tick_needed(c), CTL_NEVER);
}

Test(ctl_life, over_time_and_phase, .fini = fini)
{
	struct ctl *c =
		world(CW_BRISK NODES "OverTimeLimit=1\n" PART, "1 0 1000 -n1 -t 1\n2 0 1000 -n1 -t 1\n");
	c->params.kill = true;
	c->params.tick_phase = 8;
	struct ctl_job *one = submit("1"), *two = submit("2");
	cr_assert(start(one));
	c->part[0].over_time = 0;
	cr_assert(start(two));
	cr_expect_eq(ctl_tick_needed(c), CW_T0 + 68);
	c->part[0].over_time = CTL_NONE;
	cw_at(&w, 98);
	ctl_tick(c);
	expect_state(one, CTL_RUNNING);
	cw_at(&w, 128);
	ctl_tick(c);
	expect_state(one, CTL_ENDED);
	expect_state(two, CTL_ENDED);
}

Test(ctl_life, extended_jobs_are_never_ended, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 1000 -n1 -t 1\n");
	c->params.kill = false;
	struct ctl_job *job = submit("1");
	cr_assert(start(job));
	cw_at(&w, 300);
	ctl_tick(c);
	expect_state(job, CTL_RUNNING);
}

/* Run 68: grace over at 50, the looks at 38 and 68. */
Test(ctl_life, grace_is_over_at_the_next_tick, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART, "1 0 1000 -n1 -t 3\n");
	c->params.tick_phase = 8;
	struct ctl_job *job = submit("1");
	cr_assert(start(job));
	cw_at(&w, 30);
	job->preempted_at = c->now;
	job->end_limit = c->now + 20;
	ctl_limit_moved(c, job);
	cr_expect_eq(ctl_tick_needed(c), CW_T0 + 68);
	cw_at(&w, 38);
	ctl_tick(c);
	expect_state(job, CTL_RUNNING);
	cw_at(&w, 68);
	ctl_tick(c);
	expect_state(job, CTL_ENDED);
	cr_expect_eq(job->ended_as, SL_PREEMPTED);
}

/* Run 85: as soon as now and the limit are beyond it. */
Test(ctl_life, deadlines, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES PART,
		"1 0 100 -n1 -t 2 --deadline=now+180\n2 0 100 -n1 -t 2 --time-min=1 --deadline=now+180\n"
		"3 0 100 -n1 -t 4 --deadline=now+180\n");
	struct ctl_job *one = submit("1"), *two = submit("2"), *three = submit("3");
	expect_state(three, CTL_PENDING);
	cr_expect(!ctl_deadline_ok(c, three), "it never could, but is taken");
	cr_expect_eq(three->ended_as, SL_DEADLINE);
	cw_at(&w, 60);
	cr_expect(ctl_deadline_ok(c, one));
	cw_at(&w, 61);
	cr_expect(!ctl_deadline_ok(c, one));
	expect_state(one, CTL_ENDED);
	cr_expect_eq(one->ended_as, SL_DEADLINE);
	cr_expect(ctl_deadline_ok(c, two), "a minute would do");
	cw_at(&w, 121);
	cr_expect(!ctl_deadline_ok(c, two));
}

/* ---- Suspension
 * ------------------------------------------------------------------------------------------------------------
 */

Test(ctl_life, its_limit_stands_still_with_it, .fini = fini)
{
	struct ctl *c =
		world(CW_BRISK NODES PART, "1 0 1000 -N1 --exclusive -t 1 --mem=10\n2 0 10 -w n1 --mem=10\n");
	c->params.kill = true;
	struct ctl_job *job = submit("1"), *other = submit("2");
	cr_assert(start(job));
	cw_at(&w, 20);
	ctl_suspend(c, job);
	expect_state(job, CTL_SUSPENDED);
	cw_at(&w, 90);
	ctl_tick(c);
	expect_state(job, CTL_SUSPENDED);
	ctl_resume(c, job);
	expect_state(job, CTL_RUNNING);
	cr_expect_eq(job->end_limit, CW_T0 + 130);
	cr_expect_eq(job->suspended, 70);
	cr_expect_eq(ctl_tick_needed(c), CW_T0 + 150);
	cr_expect(!start(other), "its cores are its own again");
	cw_at(&w, 95);
	ctl_suspend(c, job);
	cw_at(&w, 100);
	ctl_end(c, job, SL_CANCELLED, true);
	cr_expect_eq(job->suspended, 75);
	cr_expect(start(other));
}

/* ---- Licences and partitions
 * ----------------------------------------------------------------------------------------------------------------
 */

Test(ctl_life, licences_are_counted, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES "Licenses=lic:3,other:1\n" PART,
		"1 0 9 -n1 -L lic:2\n2 0 9 -n1 -L lic:2,other\n3 0 9 -n1 -L lic\n4 0 9 -n1 -L lic:4\n5 0 9 -n1 -L none\n"
		"6 0 9 -n1 -L \"lic:3|other\"\n");
	c->params.version = CTL_25_05;
	struct ctl_job *one = submit("1"), *two = submit("2"), *three = submit("3");
	struct ctl_job *six = submit("6");
	expect_state(submit("4"), CTL_ENDED);
	expect_state(submit("5"), CTL_ENDED);
	cr_assert(start(one));
	cr_expect(!ctl_license_free(c, two, c->now), "one is left");
	cr_assert(start(three));
	cr_expect(ctl_license_free(c, six, c->now), "the other one will do");
	cr_assert(start(six));
	ctl_end(c, one, SL_COMPLETED, true);
	cr_expect(!ctl_license_free(c, two, c->now), "the other one is taken");
	ctl_end(c, six, SL_COMPLETED, true);
	cr_expect(start(two));
	ctl_end(c, three, SL_COMPLETED, true);
	ctl_end(c, two, SL_COMPLETED, true);
	cr_expect(ctl_license_set(c, one, "lic:3,other:1"));
	cr_expect(ctl_license_free(c, one, c->now), "all came back");
	cr_expect(!ctl_license_set(c, one, "lic:2,lic:2"));
}

/* Before 25.05 a name may hold it, and a number ends at it. */
Test(ctl_life, licences_had_no_or, .fini = fini)
{
	struct ctl *c = world(CW_BRISK NODES "Licenses=lic:3,other:1\n" PART,
		"1 0 9 -n1 -L \"lic|other\"\n2 0 9 -n1 -L \"lic:2|other\"\n3 0 9 -n1 -L lic:2\n");
	c->params.version = CTL_24_11;
	struct ctl_job *two = submit("2"), *three = submit("3");
	expect_state(submit("1"), CTL_ENDED);
	cr_assert(start(two));
	cr_expect(!ctl_license_free(c, three, c->now), "two of three are taken");
}

/* _part_access_check(), whatever EnforcePartLimits says. */
Test(ctl_life, partitions_that_are_not_for_it_refuse, .fini = fini)
{
	(void)world(CW_BRISK NODES PART
		"PartitionName=v Nodes=n1 ReqResv=YES\nPartitionName=o Nodes=n1 RootOnly=YES\n"
		"PartitionName=d Nodes=n1 DisableRootJobs=YES\n",
		"1 0 9 -n1 -p v\n2 0 9 user=u1 -n1 -p o\n3 0 9 user=root -n1 -p o\n4 0 9 user=root -n1 -p d\n"
		"5 0 9 user=u1 -n1 -p d\n6 0 9 -n1 -p o\n");
	expect_state(submit("1"), CTL_ENDED);
	expect_state(submit("2"), CTL_ENDED);
	expect_state(submit("3"), CTL_PENDING);
	expect_state(submit("4"), CTL_ENDED);
	expect_state(submit("5"), CTL_PENDING);
	expect_state(submit("6"), CTL_PENDING);
}

static int64_t starts_by_account(const char *policy, const char *conf)
{
	cw_end(&w);
	w = (struct ctl_world){ .conf = conf,
		.jobs = "1 0 9 user=u1 account=low -n1 -t1\n",
		.accounts = "Cluster|Account|User|ParentName\nc|root||\nc|top||root\nc|low||top\nc|low|u1|\n",
		.policy = policy };
	cw_run(&w);
	return cw_start(&w, "1");
}

/* Since 24.11 those above it count (earlier perhaps), and nothing does without AccountingStorageEnforce. */
Test(ctl_life, accounts_of_partitions_are_trees_in_later_releases, .fini = fini)
{
#define ENFORCED       \
	CW_BRISK NODES \
		"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=associations\n"
	static const char allow[] = ENFORCED "PartitionName=p Nodes=ALL Default=YES AllowAccounts=top\n";
	static const char deny[] = ENFORCED "PartitionName=p Nodes=ALL Default=YES DenyAccounts=top\n";
	static const char open[] =
		CW_BRISK NODES "PartitionName=p Nodes=ALL Default=YES AllowAccounts=none\n";
	cr_expect_eq(starts_by_account("slurm:version=22.05", allow), -1);
	cr_expect_eq(starts_by_account("slurm:version=24.11", allow), 0);
	cr_expect_eq(starts_by_account("slurm:version=22.05", deny), 0);
	cr_expect_eq(starts_by_account("slurm:version=24.11", deny), -1);
	cr_expect_eq(starts_by_account("slurm:version=22.05", open), -1);
	cr_expect_eq(starts_by_account("slurm:version=24.11", open), 0);
}
