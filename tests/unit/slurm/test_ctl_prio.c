/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_prio.c - priorities, usage and fair share of slurmctld, clause by clause: small cases by hand, and
 * what recorded runs (tests/golden/slurm) printed.
 *
 * Time 0 of a case is c.epoch, a multiple of a day, so that seconds read as in the recordings.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/accounts/ctl_prio.h"
#include "sim/base/base.h"

enum { MAX = 64, EPOCH = 20000 * 86400 };

static struct {
	struct ctl c;
	struct sl_cluster cluster;
	struct sl_jobs jobs;
	struct sl_setting setting[MAX];
	struct ctl_part part[4];
	struct ctl_qos qos[8];
	struct ctl_assoc assoc[MAX];
	struct ctl_job job[MAX];
	uint32_t parts[MAX][4];
	uint32_t jobs_made;
} w;

static void set(const char *key, const char *value)
{
	w.setting[w.cluster.setting_count++] =
		(struct sl_setting){ .kind = "cluster", .name = "", .key = key, .value = value };
}

static void set_part(const char *part, const char *key, const char *value)
{
	w.setting[w.cluster.setting_count++] =
		(struct sl_setting){ .kind = "partition", .name = part, .key = key, .value = value };
}

/* So many nodes of four cpus; one partition of all. */
static void begin(uint32_t nodes)
{
	static const char *const tres[] = { "cpu", "mem", "node", "billing", "gres/gpu" };
	memset(&w, 0, sizeof(w));
	struct ctl *c = &w.c;
	w.cluster =
		(struct sl_cluster){ .node_count = nodes, .cpus = (int64_t)nodes * 4, .setting = w.setting };
	w.jobs.count = c->job_count = MAX;
	c->arena = sl_arena_new();
	c->cluster = &w.cluster;
	c->jobs = &w.jobs;
	c->epoch = c->now = EPOCH;
	c->part = w.part;
	c->part_count = 1;
	w.part[0] = (struct ctl_part){ .name = "p", .job_factor = 1, .qos = CTL_NO_ROW };
	for (uint32_t i = 0; i < SL_LEN(tres); i++)
		c->tres[i] = (struct ctl_tres){ .name = tres[i], .tracked = true };
	c->tres_count = SL_LEN(tres);
	c->qos = w.qos;
	c->assoc = w.assoc;
	c->job = w.job;
	c->pending_first = c->pending_last = c->running_first = c->running_last = CTL_NO_ROW;
}

static void multifactor(void)
{
	set("PriorityType", "priority/multifactor");
	set("AccountingStorageType", "accounting_storage/slurmdbd");
	set("PriorityCalcPeriod", "1");
}

static void make(void)
{
	struct sl_err err = { 0 };
	cr_assert_eq(ctl_prio_make(&w.c, &err), SL_OK, "%s", err.text);
}

static void fini(void) { sl_arena_free(w.c.arena); }

/* ---- Jobs
 * --------------------------------------------------------------------------------------------------- */

/* Submitted now, without a priority yet. */
static struct ctl_job *job_of(int64_t nodes, int64_t cpus, int64_t minutes)
{
	const uint32_t row = w.jobs_made++;
	struct ctl_job *job = &w.job[row];
	*job = (struct ctl_job){ .row = row,
		.of = row,
		.order = row,
		.state = CTL_PENDING,
		.assoc = CTL_NO_ROW,
		.qos = CTL_NO_ROW,
		.nodes_min = nodes,
		.cpus_min = cpus,
		.time_limit = minutes,
		.submit = w.c.now,
		.accrue = w.c.now,
		.start = CTL_NONE,
		.next = CTL_NO_ROW,
		.before = CTL_NO_ROW };
	job->parts = w.parts[row];
	job->part_count = 1;
	job->tres_asked[CTL_TRES_CPU] = cpus;
	job->tres_asked[CTL_TRES_NODE] = nodes;
	return job;
}

/* The lists are made anew. */
static void relist(void)
{
	struct ctl *c = &w.c;
	c->pending_first = c->running_first = CTL_NO_ROW;
	c->pending_count = c->running_count = 0;
	for (uint32_t row = w.jobs_made; row-- > 0;) {
		struct ctl_job *job = &w.job[row];
		uint32_t *first = job->state == CTL_PENDING ? &c->pending_first : &c->running_first;
		if (job->state == CTL_ENDED)
			continue;
		job->next = *first;
		*first = row;
		*(job->state == CTL_PENDING ? &c->pending_count : &c->running_count) += 1;
	}
}

static struct ctl_job *submit(int64_t nodes, int64_t cpus, int64_t minutes)
{
	struct ctl_job *job = job_of(nodes, cpus, minutes);
	ctl_prio_submit(&w.c, job);
	relist();
	return job;
}

static void to(int64_t second)
{
	w.c.now = EPOCH + second;
	ctl_prio_until(&w.c, w.c.now - 1);
}

static void start(struct ctl_job *job)
{
	job->state = CTL_RUNNING;
	job->start = w.c.now;
	memcpy(job->tres_held, job->tres_asked, sizeof(job->tres_held));
	relist();
}

static void end(struct ctl_job *job)
{
	ctl_usage_end(&w.c, job);
	job->state = CTL_ENDED;
	relist();
}

/* ---- priority/basic --------------------------------------------------------------------------------------
 */

Test(prio, basic_counts_down, .fini = fini)
{
	begin(4);
	make();
	cr_expect_eq(submit(1, 1, 1)->priority, UINT32_C(0xfffeffff));
	cr_expect_eq(submit(1, 1, 1)->priority, UINT32_C(0xfffefffe));
	struct ctl_job *nice = job_of(1, 1, 1);
	nice->nice = 500;
	ctl_prio_submit(&w.c, nice);
	cr_expect_eq(nice->priority, UINT32_C(0xfffefffd) - 500);
	/* What nice took off is not what the next one has less. */
	cr_expect_eq(submit(1, 1, 1)->priority, UINT32_C(0xfffefffc));
}

Test(prio, basic_after_a_release_or_a_requeue, .fini = fini)
{
	begin(4);
	make();
	struct ctl_job *job = submit(1, 1, 1);
	(void)submit(1, 1, 1);
	ctl_prio_submit(&w.c, job); /* Requeued: it keeps it. */
	cr_expect_eq(job->priority, UINT32_C(0xfffeffff));
	job->priority = 0; /* Held, and released: to the end. */
	ctl_prio_submit(&w.c, job);
	cr_expect_eq(job->priority, UINT32_C(0xfffefffd));
}

Test(prio, basic_and_nice, .fini = fini)
{
	begin(4);
	make();
	struct ctl_job *up = job_of(1, 1, 1);
	up->nice = -100;
	ctl_prio_submit(&w.c, up);
	cr_expect_eq(up->priority, UINT32_C(0xfffeffff) + 100);
	struct ctl_job *round = job_of(1, 1, 1);
	round->nice = -100000; /* 32 bits are not enough: 4294901758 + 100000 - 2^32. */
	ctl_prio_submit(&w.c, round);
	cr_expect_eq(round->priority, 34462);
	up->nice = 50; /* Changed by hand. */
	ctl_prio_update(&w.c, up);
	cr_expect_eq(up->priority, UINT32_C(0xfffeffff) - 50);
	up->priority = 10;
	up->nice = 1000;
	ctl_prio_update(&w.c, up);
	cr_expect_eq(up->priority, 2);
}

/* ---- Factors ----------------------------------------------------------------------------------------------
 */

/* Run 52: 4 nodes of 4 cpus, exclusive jobs count with the cpus that they request. Partition q has factor 2
 * of 2.
 */
Test(prio, size_and_partition, .fini = fini)
{
	static const struct {
		int64_t nodes, nice;
		uint32_t part, priority;
		double js;
	} cases[] = {
		{ 1, 0, 0, 656, 156.25 }, { 4, 0, 0, 1125, 625 }, { 2, 0, 1, 1312, 312.5 },
		{ 2, 500, 0, 312, 312.5 }, { 3, 0, 0, 968, 468.75 },
		{ 3, 2000, 0, 1, 468.75 }, /* Never 0, which is a held job's. */
	};
	begin(4);
	multifactor();
	set("PriorityWeightJobSize", "1000");
	set("PriorityWeightPartition", "1000");
	w.c.part_count = 2;
	w.part[1] = (struct ctl_part){ .name = "q", .job_factor = 2, .qos = CTL_NO_ROW };
	make();
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct ctl_job *job = job_of(cases[i].nodes, cases[i].nodes, 2);
		job->part = cases[i].part;
		job->nice = cases[i].nice;
		ctl_prio_submit(&w.c, job);
		cr_expect_eq(job->priority, cases[i].priority, "case %zu: %u", i, job->priority);
		cr_expect_eq(job->factors.js, cases[i].js, "case %zu", i);
	}
}

/* Run 54: nodes x 4 cpus, by minutes, of 16. */
Test(prio, size_by_time, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityWeightJobSize", "1000");
	set("PriorityFlags", "SMALL_RELATIVE_TO_TIME");
	make();
	cr_expect_eq(submit(1, 1, 1)->priority, 250);
	cr_expect_eq(submit(4, 4, 10)->priority, 100);
	cr_expect_eq(submit(2, 2, 2)->priority, 250);
	cr_expect_eq(submit(2, 2, 1)->priority, 500);
	cr_expect_eq(submit(1, 8, 1)->priority, 500); /* Its cpus are more than its nodes' mean. */
	cr_expect_eq(submit(1, 1, CTL_NEVER)->priority, 1);
	w.c.params.favor_small = true;
	cr_expect_eq(submit(2, 2, 1)->priority, 500);
	cr_expect_eq(submit(4, 4, 10)->priority, 900);
}

Test(prio, small_ones_first, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityWeightJobSize", "1000");
	set("PriorityFavorSmall", "YES");
	make();
	cr_expect_eq(submit(1, 1, 1)->priority, 843); /* (3/4 + 15/16) / 2 */
	cr_expect_eq(submit(4, 16, 1)->priority, 1);
}

/* Run 76: AGE 1000 over ten minutes, QOS 150 x 10/100; calculated when the second is 13 modulo 60. */
Test(prio, age_moves_at_calculations_only, .fini = fini)
{
	begin(2);
	multifactor();
	set("PriorityMaxAge", "0-00:10");
	set("PriorityWeightAge", "1000");
	set("PriorityWeightQOS", "150");
	w.c.params.tick_phase = 13;
	w.c.qos_count = 2;
	w.qos[0] = (struct ctl_qos){ .name = "normal", .priority = 10, .usage_factor = 1 };
	w.qos[1] = (struct ctl_qos){ .name = "high", .priority = 100, .usage_factor = 1 };
	make();
	to(4);
	struct ctl_job *job = job_of(2, 2, 2);
	job->qos = 0;
	ctl_prio_submit(&w.c, job);
	relist();
	cr_expect_eq(job->priority, 15);
	cr_expect_eq(ctl_prio_next(&w.c), EPOCH + 13);
	to(70);
	cr_expect_eq(job->priority, 30); /* 9 s old then: age 15. */
	const uint64_t changes = w.c.job_changes;
	to(73);
	cr_expect_eq(job->priority, 30);
	cr_expect_eq(w.c.job_changes, changes);
	ctl_prio_run(&w.c);
	cr_expect_eq(job->priority, 130);
	cr_expect_neq(w.c.job_changes, changes);
	to(1000);
	cr_expect_eq(job->priority, 1015, "no more than PriorityMaxAge");
	struct ctl_job *later = job_of(2, 2, 2);
	later->qos = 1;
	later->accrue = CTL_NONE; /* It does not accrue: it waits for another. */
	ctl_prio_submit(&w.c, later);
	relist();
	cr_expect_eq(later->priority, 150);
	to(1100);
	cr_expect_eq(later->priority, 150);
	w.c.params.priority_flags |= CTL_PRIO_ACCRUE_ALWAYS;
	to(1200);
	cr_expect_eq(later->priority, 150 + 255); /* From 1000 to 1153. */
}

Test(prio, held_and_fixed_ones_are_left, .fini = fini)
{
	begin(2);
	multifactor();
	set("PriorityMaxAge", "10");
	set("PriorityWeightAge", "1000");
	make();
	struct ctl_job *held = submit(1, 1, 1);
	struct ctl_job *fixed = submit(1, 1, 1);
	held->priority = 0;
	fixed->priority = 77;
	fixed->direct_priority = true;
	to(500);
	cr_expect_eq(held->priority, 0);
	cr_expect_eq(fixed->priority, 77);
	cr_expect_eq(fixed->factors.age, 0);
	ctl_prio_submit(&w.c, held); /* Released. */
	cr_expect_eq(held->priority, 833);
}

Test(prio, without_slurmdbd_no_age_and_no_calculation, .fini = fini)
{
	begin(4);
	set("PriorityType", "priority/multifactor");
	set("PriorityWeightAge", "1000");
	set("PriorityWeightJobSize", "1000");
	make();
	struct ctl_job *job = submit(4, 16, 1);
	cr_expect_eq(ctl_prio_next(&w.c), CTL_NEVER);
	to(100000);
	ctl_prio_run(&w.c);
	cr_expect_eq(job->priority, 1000);
}

/* 24.11 calculates all the same, at its start and each PriorityCalcPeriod; age weighs nothing still. */
Test(prio, without_slurmdbd_later_releases_calculate, .fini = fini)
{
	begin(4);
	w.c.params.version = CTL_24_11;
	set("PriorityType", "priority/multifactor");
	set("PriorityWeightAge", "1000");
	set("PriorityWeightJobSize", "1000");
	set("PriorityCalcPeriod", "1");
	make();
	struct ctl_job *job = submit(4, 16, 1);
	cr_expect_eq(job->priority, 1000);
	to(1);
	job->nodes_min = 1;
	job->cpus_min = 4;
	to(60);
	cr_expect_eq(job->priority, 1000);
	cr_expect_eq(ctl_prio_next(&w.c), EPOCH + 60);
	to(61);
	ctl_prio_run(&w.c);
	cr_expect_eq(job->priority, 250);
}

/* The default of PriorityType became multifactor with 23.11. */
Test(prio, the_type_that_is_not_said, .fini = fini)
{
	begin(4);
	cr_expect(!ctl_conf_multifactor(&w.c));
	w.c.params.version = CTL_22_05;
	cr_expect(!ctl_conf_multifactor(&w.c));
	w.c.params.version = CTL_23_11;
	cr_expect(ctl_conf_multifactor(&w.c));
	set("PriorityType", "priority/basic");
	cr_expect(!ctl_conf_multifactor(&w.c));
}

Test(prio, priorities_may_be_kept_from_falling, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityWeightJobSize", "1000");
	set("PriorityFlags", "INCR_ONLY");
	make();
	struct ctl_job *job = submit(4, 16, 1);
	job->nodes_min = 1;
	job->cpus_min = 1;
	ctl_prio_update(&w.c, job);
	cr_expect_eq(job->priority, 1000);
	cr_expect_eq(job->factors.js, 156.25);
	w.c.params.priority_flags = 0;
	ctl_prio_update(&w.c, job);
	cr_expect_eq(job->priority, 156);
}

Test(prio, factors_as_they_are, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityWeightPartition", "10");
	set("PriorityWeightQOS", "10");
	set("PriorityWeightAssoc", "10");
	set("PriorityWeightTRES", "CPU=1,GRES/gpu=100");
	set("PriorityFlags", "NO_NORMAL_ALL");
	w.part[0].job_factor = 7;
	w.part[0].tres_total[CTL_TRES_CPU] = 16;
	w.part[0].tres_total[4] = 8;
	w.c.qos_count = w.c.assoc_count = 1;
	w.qos[0] = (struct ctl_qos){ .name = "normal", .priority = 5 };
	w.assoc[0] =
		(struct ctl_assoc){ .account = "root", .parent = CTL_NO_ROW, .priority = 3, .shares = 1 };
	make();
	struct ctl_job *job = job_of(1, 4, 1);
	job->qos = job->assoc = 0;
	job->tres_asked[4] = 2;
	ctl_prio_submit(&w.c, job);
	cr_expect_eq(job->priority, 70 + 50 + 30 + 4 + 200);
	w.c.params.priority_flags = 0;
	ctl_prio_update(&w.c, job);
	cr_expect_eq(job->priority, 10 + 10 + 10 + 25, "%u", job->priority); /* 1/4 + 100 x 2/8 = 25.25 */
	cr_expect_eq(job->factors.tres[4], 25);
}

/* What AccountingStorageTRES has not is no TRES to slurmctld, and weighs nothing. */
Test(prio, what_is_not_counted_weighs_nothing, .fini = fini)
{
	int64_t tres[CTL_TRES_MAX] = { 2, 0, 1, 0, 1 };
	begin(4);
	multifactor();
	set("PriorityWeightTRES", "CPU=100,GRES/gpu=100");
	set_part("p", "TRESBillingWeights", "CPU=1,GRES/gpu=4");
	w.part[0].tres_total[CTL_TRES_CPU] = 16;
	w.part[0].tres_total[4] = 8;
	w.c.tres[4].tracked = false;
	make();
	struct ctl_job *job = job_of(1, 4, 1);
	job->tres_asked[4] = 2;
	ctl_prio_submit(&w.c, job);
	cr_expect_eq(job->factors.tres[4], 0);
	cr_expect_eq(job->priority, 25);
	cr_expect_eq(ctl_billing(&w.c, 0, tres), 2);
}

Test(prio, several_partitions, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityWeightPartition", "1000");
	set("PriorityWeightTRES", "CPU=1000");
	w.c.part_count = 2;
	w.part[0].job_factor = 4;
	w.part[0].tres_total[CTL_TRES_CPU] = 16;
	w.part[1] = (struct ctl_part){ .name = "q", .job_factor = 1, .qos = CTL_NO_ROW };
	w.part[1].tres_total[CTL_TRES_CPU] = 8;
	make();
	struct ctl_job *job = job_of(1, 4, 1);
	job->parts[1] = 1;
	job->part_count = 2;
	ctl_prio_submit(&w.c, job);
	cr_expect_eq(job->priority, 1250);
	cr_expect_eq(job->priority_part[0], 1250);
	cr_expect_eq(job->priority_part[1], 750);
}

Test(prio, thirty_two_bits, .fini = fini)
{
	begin(1);
	multifactor();
	set("PriorityWeightPartition", "4294967295");
	set("PriorityWeightJobSize", "4294967295");
	make();
	cr_expect_eq(submit(1, 4, 1)->priority, UINT32_MAX);
}

/* ---- Conf
 * ---------------------------------------------------------------------------------------------------- */

Test(prio, periods_as_slurmctld_reads_them, .fini = fini)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
		{ "5", 300 },
		{ "1:30", 120 }, /* Whole minutes, upwards. */
		{ "01:00:00", 3600 },
		{ "0-01:00", 3600 },
		{ "2-12", 216000 },
		{ "1-00:00:01", 86460 },
		{ "UNLIMITED", 0 },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		begin(1);
		set("PriorityDecayHalfLife", cases[i].text);
		make();
		cr_expect_eq(w.c.params.half_life, cases[i].seconds, "%s", cases[i].text);
		fini();
	}
	begin(1);
	make();
	cr_expect_eq(w.c.params.half_life, 7 * 86400);
	cr_expect_eq(w.c.params.max_age, 7 * 86400);
	cr_expect_eq(w.c.params.calc_period, 300);
	cr_expect_eq(w.c.params.priority_flags, CTL_PRIO_FAIR_TREE);
}

Test(prio, what_is_no_value_is_said)
{
	static const char *const cases[][2] = {
		{ "PriorityWeightAge", "-1" },
		{ "PriorityWeightAge", "4294967296" },
		{ "PriorityMaxAge", "1:2:3:4" },
		{ "PriorityMaxAge", "soon" },
		{ "PriorityUsageResetPeriod", "HOURLY" },
		{ "PriorityWeightTRES", "CPU" },
		{ "PriorityWeightTRES", "CPU=x" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_err err = { 0 };
		begin(1);
		set(cases[i][0], cases[i][1]);
		cr_expect_eq(ctl_prio_make(&w.c, &err), SL_INPUT, "%s", cases[i][1]);
		cr_expect(strstr(err.text, cases[i][0]), "%s", err.text);
		fini();
	}
}

/* ---- What a second costs
 * --------------------------------------------------------------------------------------- */

/* Run 78: 2 cpus, 2000 MB at 0.5 a GB and a GPU at 4 are 6.98 a second. */
Test(prio, billing, .fini = fini)
{
	int64_t tres[CTL_TRES_MAX] = { 2, 2000, 1, 99, 1 };
	begin(4);
	set_part("p", "TRESBillingWeights", "\"CPU=1.0,Mem=0.5G,GRES/gpu=4.0\"");
	make();
	cr_expect_eq(ctl_billing_exact(&w.c, 0, tres), 2 + 2000 * 0.5 / 1024 + 4);
	cr_expect_eq(ctl_billing(&w.c, 0, tres), 6);
	w.c.params.priority_flags = CTL_PRIO_MAX_TRES;
	cr_expect_eq(ctl_billing_exact(&w.c, 0, tres), 4);
	w.c.params.priority_flags = CTL_PRIO_MAX_TRES_GRES;
	cr_expect_eq(ctl_billing_exact(&w.c, 0, tres), 6);
	w.part[0].has_billing = false;
	cr_expect_eq(ctl_billing_exact(&w.c, 0, tres), 2); /* Cpus, where nothing is said. */
}

Test(prio, units_of_memory, .fini = fini)
{
	static const struct {
		const char *text;
		double weight;
	} cases[] = { { "mem=2", 2 }, { "MEM=2M", 2 }, { "Mem=2g", 2.0 / 1024 }, { "Mem=1T", 1.0 / 1048576 },
		{ "Mem=1K", 1024 } };
	double weight[CTL_TRES_MAX];
	begin(1);
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cr_expect(prio_weights(&w.c, cases[i].text, weight));
		cr_expect_eq(weight[CTL_TRES_MEM], cases[i].weight, "%s", cases[i].text);
	}
}

/* ---- Usage
 * ----------------------------------------------------------------------------------------------------- */

static uint32_t account(const char *name, uint32_t parent, int64_t shares)
{
	w.assoc[w.c.assoc_count] = (struct ctl_assoc){
		.account = name, .parent = parent, .shares = shares, .default_qos = CTL_NO_ROW
	};
	return w.c.assoc_count++;
}

static uint32_t user(const char *name, uint32_t parent, int64_t shares)
{
	const uint32_t row = account(w.assoc[parent].account, parent, shares);
	w.assoc[row].user = name;
	return row;
}

/* The tree of runs 74 and 75. */
enum { ROOT, ROOT_USER, A, B, C, D, U1, U2, U3, U4, U5, U6 };
static void tree(void)
{
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("root", ROOT, 1);
	(void)account("a", ROOT, 40);
	(void)account("b", ROOT, 30);
	(void)account("c", A, 10);
	(void)account("d", A, 30);
	(void)user("u1", C, 10);
	(void)user("u2", C, 10);
	(void)user("u3", D, 5);
	(void)user("u4", D, 15);
	(void)user("u5", B, 1);
	(void)user("u6", B, 3);
}

static struct ctl_job *run_as(uint32_t assoc, int64_t cpus)
{
	struct ctl_job *job = job_of(1, cpus, 3);
	job->assoc = assoc;
	ctl_prio_submit(&w.c, job);
	start(job);
	return job;
}

struct share {
	uint32_t assoc;
	int64_t raw;
	const char *norm, *efctv, *factor, *level; /* "": not printed. */
};

static void expect_text(double value, const char *text, uint32_t assoc, const char *what)
{
	char reported[64];
	(void)snprintf(reported, sizeof(reported), "%f", value);
	cr_expect(!*text || strcmp(reported, text) == 0, "%s of %u: %s, not %s", what, assoc, reported, text);
}

static void expect_shares(const struct share *share, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct ctl_assoc *assoc = &w.assoc[share[i].assoc];
		cr_expect_eq((int64_t)assoc->usage_raw, share[i].raw, "raw usage of %u: %f", share[i].assoc,
			assoc->usage_raw);
		expect_text(assoc->usage_norm, share[i].norm, share[i].assoc, "NormUsage");
		expect_text(assoc->usage_efctv, share[i].efctv, share[i].assoc, "EffectvUsage");
		expect_text(assoc->fs_factor, share[i].factor, share[i].assoc, "FairShare");
		expect_text(assoc->level_fs, share[i].level, share[i].assoc, "LevelFS");
	}
}

static void fair_74(void)
{
	begin(4);
	multifactor();
	set("PriorityWeightFairshare", "10000");
	set("PriorityDecayHalfLife", "0-01:00");
	w.c.params.tick_phase = 8;
	tree();
	make();
}

/* Run 74, all that sshare printed. */
Test(prio, fair_tree_as_recorded, .fini = fini)
{
	static const struct share at_10[] = {
		{ ROOT, 75, "", "1.000000", "", "" },
		{ ROOT_USER, 0, "0.000000", "0.000000", "1.000000", "inf" },
		{ A, 43, "0.578762", "0.578762", "", "0.973423" },
		{ C, 31, "0.420873", "0.727196", "", "0.343786" },
		{ U1, 31, "0.420873", "1.000000", "0.142857", "0.500000" },
		{ U2, 0, "0.000000", "0.000000", "0.285714", "inf" },
		{ D, 11, "0.157888", "0.272804", "", "2.749230" },
		{ U3, 11, "0.157888", "1.000000", "0.428571", "0.250000" },
		{ U4, 0, "0.000000", "0.000000", "0.571429", "inf" },
		{ B, 31, "0.421238", "0.421238", "", "1.003079" },
		{ U5, 23, "0.315898", "0.749928", "0.714286", "0.333365" },
		{ U6, 7, "0.105340", "0.250072", "0.857143", "2.999134" },
	};
	static const struct share at_70[] = {
		{ ROOT, 1024, "", "1.000000", "", "" },
		{ A, 399, "0.389932", "0.389932", "", "1.444815" },
		{ C, 268, "0.262522", "0.673251", "", "0.371333" },
		{ U1, 268, "0.262522", "1.000000", "0.428571", "0.500000" },
		{ D, 130, "0.127410", "0.326749", "", "2.295337" },
		{ U3, 130, "0.127410", "1.000000", "0.714286", "0.250000" },
		{ U4, 0, "0.000000", "0.000000", "0.857143", "inf" },
		{ B, 624, "0.610068", "0.610068", "", "0.692604" },
		{ U5, 379, "0.370669", "0.607586", "0.142857", "0.411464" },
		{ U6, 245, "0.239399", "0.392414", "0.285714", "1.911249" },
	};
	static const struct share at_300[] = {
		{ ROOT, 4286, "", "1.000000", "", "" },
		{ A, 1902, "0.514306", "0.514306", "", "1.095418" },
		{ C, 454, "0.122960", "0.239079", "", "1.045679" },
		{ U1, 454, "0.122960", "1.000000", "0.714286", "0.500000" },
		{ U2, 0, "0.000000", "0.000000", "0.857143", "inf" },
		{ D, 1447, "0.391346", "0.760921", "", "0.985648" },
		{ U3, 841, "0.227607", "0.581600", "0.428571", "0.429849" },
		{ U4, 605, "0.163739", "0.418400", "0.571429", "1.792541" },
		{ B, 2384, "0.485694", "0.485694", "", "0.869962" },
		{ U5, 1301, "0.193047", "0.397467", "0.142857", "0.628983" },
		{ U6, 1082, "0.292646", "0.602533", "0.285714", "1.244745" },
	};
	static const struct {
		int64_t at, until, cpus;
		uint32_t assoc;
	} after[] = { { 126, 165, 16, U4 }, { 166, 205, 16, U3 }, { 206, 246, 16, U6 },
		{ 246, 285, 16, U5 } };
	fair_74();
	to(0);
	struct ctl_job *a1 = run_as(U1, 4);
	to(2);
	struct ctl_job *a2 = run_as(U3, 2);
	to(4);
	struct ctl_job *a3 = run_as(U5, 6);
	to(6);
	struct ctl_job *a4 = run_as(U6, 4);
	to(10);
	expect_shares(at_10, SL_LEN(at_10));
	to(16);
	struct ctl_job *b1 = job_of(4, 16, 3);
	b1->assoc = U1;
	ctl_prio_submit(&w.c, b1);
	relist();
	cr_expect_eq(b1->priority, 1428);
	to(70);
	expect_shares(at_70, SL_LEN(at_70));
	cr_expect_eq(b1->priority, 4285); /* 4285.7: truncated, where the factor alone is printed rounded. */
	to(110);
	expect_shares(at_70, SL_LEN(at_70)); /* Nothing ended, nothing was calculated. */
	to(119);
	end(a1);
	to(121);
	end(a2);
	to(123);
	end(a3);
	to(125);
	end(a4);
	for (size_t i = 0; i < SL_LEN(after); i++) {
		to(after[i].at);
		struct ctl_job *job = run_as(after[i].assoc, after[i].cpus);
		to(after[i].until);
		end(job);
	}
	to(300);
	expect_shares(at_300, SL_LEN(at_300));
}

/* Run 75: nobody used anything, all are first. */
Test(prio, fair_tree_without_usage, .fini = fini)
{
	fair_74();
	for (uint32_t row = ROOT_USER; row < w.c.assoc_count; row++) {
		expect_text(w.assoc[row].level_fs, "inf", row, "LevelFS");
		expect_text(w.assoc[row].fs_factor, w.assoc[row].user ? "1.000000" : "0.000000", row,
			"FairShare");
	}
	expect_text(w.assoc[A].shares_norm, "0.563380", A, "NormShares");
	expect_text(w.assoc[D].shares_norm, "0.750000", D, "NormShares");
	expect_text(w.assoc[ROOT].shares_norm, "0.000000", ROOT, "NormShares");
	expect_text(w.assoc[ROOT_USER].shares_norm, "0.014085", ROOT_USER, "NormShares");
}

/* Run 78: costs, and UsageFactor 1, 0.5 and 2. Calculated at 9 modulo 60. */
Test(prio, usage_factors_as_recorded, .fini = fini)
{
	static const struct share at_70[] = {
		{ 0, 2031, "", "1.000000", "", "" },
		{ 2, 2031, "1.000000", "1.000000", "", "0.500000" },
		{ 3, 475, "0.234150", "0.234150", "0.500000", "1.423590" },
		{ 4, 148, "0.073142", "0.073142", "0.750000", "4.557364" },
		{ 5, 1407, "0.692709", "0.692709", "0.250000", "0.481203" },
	};
	static const struct {
		int64_t cpus, mem, gpus;
	} asks[] = { { 2, 2000, 1 }, { 4, 1000, 0 }, { 1, 4000, 2 } };
	begin(4);
	multifactor();
	set("PriorityWeightFairshare", "10000");
	set("PriorityDecayHalfLife", "0-01:00");
	set_part("p", "TRESBillingWeights", "CPU=1.0,Mem=0.5G,GRES/gpu=4.0");
	w.c.params.tick_phase = 9;
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("root", 0, 1);
	(void)account("acc", 0, 1);
	w.c.qos_count = 3;
	for (uint32_t i = 0; i < 3; i++)
		w.qos[i] = (struct ctl_qos){ .name = "", .usage_factor = i == 0 ? 1 : i == 1 ? 0.5 : 2 };
	(void)user("u1", 2, 1);
	(void)user("u2", 2, 1);
	(void)user("u3", 2, 1);
	make();
	for (uint32_t i = 0; i < 3; i++) {
		to(2 * (int64_t)i);
		struct ctl_job *job = job_of(1, asks[i].cpus, 3);
		job->assoc = 3 + i;
		job->qos = i;
		job->tres_asked[CTL_TRES_MEM] = asks[i].mem;
		job->tres_asked[4] = asks[i].gpus;
		ctl_prio_submit(&w.c, job);
		start(job);
	}
	to(70);
	expect_shares(at_70, SL_LEN(at_70));
	cr_expect_eq(w.qos[2].usage_raw, w.assoc[5].usage_raw);
	to(99);
	end(&w.job[0]);
	to(101);
	end(&w.job[1]);
	to(103);
	end(&w.job[2]);
	to(130);
	cr_expect_eq((int64_t)w.assoc[3].usage_raw, 675);
	cr_expect_eq((int64_t)w.assoc[4].usage_raw, 217);
	cr_expect_eq((int64_t)w.assoc[5].usage_raw, 2122);
	cr_expect_eq((int64_t)w.assoc[0].usage_raw, 3016);
}

Test(prio, usage_without_decay, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityDecayHalfLife", "0");
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("u", 0, 1);
	w.c.qos_count = 2;
	w.qos[0] = w.qos[1] = (struct ctl_qos){ .name = "", .usage_factor = 1 };
	w.part[0].qos = 1;
	make();
	to(10);
	struct ctl_job *job = job_of(1, 4, 10);
	job->assoc = 1;
	job->qos = 0;
	ctl_prio_submit(&w.c, job);
	start(job);
	to(200);
	cr_expect_eq(w.assoc[1].usage_raw, 170 * 4); /* Until the calculation at 180. */
	job->state = CTL_SUSPENDED;                  /* Charged all the same. */
	end(job);
	cr_expect_eq(w.assoc[0].usage_raw, 190 * 4);
	cr_expect_eq(w.qos[0].usage_raw, 190 * 4);
	cr_expect_eq(w.qos[1].usage_raw, 190 * 4); /* The partition's. */
	cr_expect_eq(w.assoc[0].usage_tres[CTL_TRES_NODE], 190);
	cr_expect_eq(w.assoc[0].grp_used_wall, 190);
	to(100000);
	cr_expect_eq(w.assoc[0].usage_raw, 190 * 4);
}

Test(prio, qos_that_does_not_decay, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityDecayHalfLife", "1:00:00");
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("u", 0, 1);
	w.c.qos_count = 1;
	w.qos[0] = (struct ctl_qos){ .name = "", .usage_factor = 1, .flags = CTL_QOS_NO_DECAY };
	make();
	struct ctl_job *job = job_of(1, 1, 10);
	job->assoc = 1;
	job->qos = 0;
	ctl_prio_submit(&w.c, job);
	start(job);
	to(3600);
	end(job);
	cr_expect_eq(w.qos[0].usage_raw, 3600);
	cr_expect_lt(w.assoc[1].usage_raw, 3000);
	/* d^3600 of a half life of 3600 s: by 0.693, not ln 2, and 1 - x, not e^-x. */
	cr_expect_lt(fabs(usage_power(w.c.prio->decay, 3600) - pow(1 - 0.693 / 3600, 3600)), 1e-12);
}

/* Booting nodes are not used yet; who has no association uses nothing. */
Test(prio, who_uses_nothing, .fini = fini)
{
	begin(4);
	multifactor();
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("u", 0, 1);
	make();
	struct ctl_job *boots = run_as(1, 4);
	boots->state = CTL_CONFIGURING;
	(void)run_as(CTL_NO_ROW, 4);
	to(600);
	cr_expect_eq(w.assoc[0].usage_raw, 0);
}

/* Nobody is there: no event is asked for, and what was due is made up for. */
Test(prio, idle_time_costs_nothing, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityDecayHalfLife", "1:00:00");
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("u", 0, 1);
	w.assoc[0].usage_raw = w.assoc[1].usage_raw = 1000;
	make();
	cr_expect_eq(ctl_prio_next(&w.c), CTL_NEVER);
	cr_expect_eq(w.assoc[1].usage_raw, 1000);
	w.c.now = EPOCH + 3590;
	struct ctl_job *job = job_of(1, 1, 1);
	ctl_prio_submit(&w.c, job);
	const double was = 1000 * usage_power(usage_power(w.c.prio->decay, 60), 60);
	cr_expect_lt(fabs(w.assoc[1].usage_raw - was), 1e-9);
	relist();
	cr_expect_eq(ctl_prio_next(&w.c), EPOCH + 3600);
}

/* ---- Resets
 * ------------------------------------------------------------------------------------------------------ */

static ctl_time date(const char *text)
{
	sl_time time;
	cr_assert(sl_get_date(text, strlen(text), &time));
	return time / SL_SECOND;
}

Test(prio, when_usage_is_reset)
{
	static const struct {
		enum ctl_reset period;
		const char *last, *now, *next;
	} cases[] = {
		{ CTL_RESET_DAILY, "2024-02-28T10:00:00", "2024-02-28T10:00:00", "2024-02-29" },
		{ CTL_RESET_DAILY, "2024-02-28T00:00:00", "2024-03-05T10:00:00", "2024-03-05" },
		{ CTL_RESET_WEEKLY, "2026-11-20T10:00:00", "2026-11-20T10:00:00",
			"2026-11-22" }, /* Sunday. */
		{ CTL_RESET_WEEKLY, "2026-11-22T00:00:00", "2026-11-22T00:00:00", "2026-11-29" },
		{ CTL_RESET_MONTHLY, "2026-11-20T10:00:00", "2026-11-20T10:00:00", "2026-12-01" },
		{ CTL_RESET_MONTHLY, "2026-12-31T10:00:00", "2026-12-31T10:00:00", "2027-01-01" },
		{ CTL_RESET_QUARTERLY, "2026-01-01T00:00:00", "2026-01-01T00:00:00", "2026-04-01" },
		{ CTL_RESET_QUARTERLY, "2026-08-31T00:00:00", "2026-09-01T00:00:00", "2026-10-01" },
		{ CTL_RESET_QUARTERLY, "2026-11-20T00:00:00", "2026-11-20T00:00:00", "2027-01-01" },
		{ CTL_RESET_YEARLY, "2000-02-29T00:00:00", "2000-02-29T00:00:00", "2001-01-01" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++)
		cr_expect_eq(usage_next_reset(cases[i].period, date(cases[i].last), date(cases[i].now)),
			date(cases[i].next), "case %zu", i);
	cr_expect_eq(usage_next_reset(CTL_RESET_NONE, 0, 0), CTL_NEVER);
}

Test(prio, resets, .fini = fini)
{
	begin(4);
	multifactor();
	set("PriorityDecayHalfLife", "0");
	set("PriorityUsageResetPeriod", "DAILY");
	w.c.epoch = EPOCH + 86400 - 3600;
	w.c.now = w.c.epoch;
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	(void)user("u", 0, 1);
	w.assoc[1].usage_raw = 1000;
	make();
	(void)submit(1, 1, 1);
	to(86399);
	cr_expect_eq(w.assoc[1].usage_raw, 1000);
	to(86401);
	cr_expect_eq(w.assoc[1].usage_raw, 0);
	w.assoc[1].usage_raw = 1000;
	to(2 * 86400);
	cr_expect_eq(w.assoc[1].usage_raw, 1000);
	to(2 * 86400 + 1);
	cr_expect_eq(w.assoc[1].usage_raw, 0);
	fini();
	begin(4);
	multifactor();
	set("PriorityUsageResetPeriod", "NOW"); /* Once, when slurmctld starts. */
	(void)account("root", CTL_NO_ROW, CTL_NONE);
	w.assoc[0].usage_raw = 1000;
	make();
	cr_expect_eq(w.assoc[0].usage_raw, 0);
}

/* ---- Fair Tree
 * ------------------------------------------------------------------------------------------------------ */

/* Usage of users goes up to their accounts. */
static void use(uint32_t row, double usage)
{
	for (; row != CTL_NO_ROW; row = w.assoc[row].parent)
		w.assoc[row].usage_raw += usage;
}

static void fair(void)
{
	begin(4);
	multifactor();
	set("PriorityWeightFairshare", "1");
	(void)account("root", CTL_NO_ROW, CTL_NONE);
}

/* Ranks of all users in the order of their rows, as a string of n-ths. */
static const char *ranks(void)
{
	static char text[256];
	size_t len = 0;
	make();
	text[0] = '\0';
	for (uint32_t row = 0; row < w.c.assoc_count; row++)
		if (w.assoc[row].user)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%g", len ? " " : "",
				w.assoc[row].fs_factor * w.c.prio->user_count);
	return text;
}

Test(prio, users_that_are_even_share_a_rank, .fini = fini)
{
	fair();
	use(user("u1", 0, 1), 10);
	use(user("u2", 0, 1), 10);
	use(user("u3", 0, 1), 30);
	use(user("u4", 0, 3), 30);
	cr_expect_str_eq(ranks(), "4 4 1 4"); /* 1/6 by 1/8; 1/6 by 3/8; 3/6 by 3/8: as much as u1 */
}

Test(prio, a_user_goes_before_an_account_that_is_even, .fini = fini)
{
	fair();
	const uint32_t acc = account("acc", 0, 1);
	use(user("in1", acc, 1), 4);
	use(user("in2", acc, 1), 6);
	use(user("out", 0, 1), 10);
	/* The account's first has the rank of the user before it. */
	cr_expect_str_eq(ranks(), "3 1 3");
}

/* _count_tied_accounts() of 22.05.8 finds none: one account after the other, by name, and the first of the
 * second is tied with the last of the first. Were they merged, it would be 4 2 3 1. */
Test(prio, accounts_that_are_even, .fini = fini)
{
	fair();
	const uint32_t two = account("two", 0, 1);
	const uint32_t one = account("one", 0, 1);
	use(user("t1", two, 1), 1);
	use(user("t2", two, 1), 9);
	use(user("o1", one, 1), 2);
	use(user("o2", one, 1), 8);
	cr_expect_str_eq(ranks(), "3 1 4 3");
}

Test(prio, shares_of_the_parent, .fini = fini)
{
	fair();
	const uint32_t acc = account("acc", 0, 1);
	const uint32_t sub = account("sub", acc, CTL_NONE);
	use(user("first", acc, CTL_NONE), 80); /* Before all others of its account, whatever it used. */
	use(user("mine", acc, 1), 1);
	use(user("deep", sub, 1), 20); /* Compared with `mine`: the account hands it on. */
	cr_expect_str_eq(ranks(), "3 2 1");
	cr_expect_eq(w.assoc[5].level_shares, 2);
	cr_expect_eq(w.assoc[3].shares_norm, 1); /* Of the account. */
}

Test(prio, no_shares_are_last, .fini = fini)
{
	fair();
	(void)user("none", 0, 0);
	use(user("much", 0, 1), 1000);
	cr_expect_str_eq(ranks(), "1 2");
}

/* ---- The older fair share
 * ------------------------------------------------------------------------------------------- */

/* a has 3/4 of the shares and half of the usage; u1 all of that, u2 none; u3 alone in b. */
static void older(const char *flags)
{
	fair();
	set("PriorityFlags", flags);
	const uint32_t a = account("a", 0, 3);
	const uint32_t b = account("b", 0, 1);
	use(user("u1", a, 1), 50);
	(void)user("u2", a, 1);
	use(user("u3", b, 1), 50);
	make();
}

static double factor_of(uint32_t row) { return fair_factor(&w.c, row); }

Test(prio, the_older_formula, .fini = fini)
{
	older("NO_FAIR_TREE");
	/* u1: U = 1/2 + (1/2 - 1/2)/2, S = 3/8; u2: U = 0 + (1/2 - 0)/2; u3: U = 1/2, S = 1/4. */
	cr_expect_lt(fabs(factor_of(3) - pow(2, -0.5 / 0.375)), 1e-9);
	cr_expect_lt(fabs(factor_of(4) - pow(2, -0.25 / 0.375)), 1e-9);
	cr_expect_lt(fabs(factor_of(5) - pow(2, -0.5 / 0.25)), 1e-9);
	cr_expect_eq(w.assoc[1].usage_efctv, 0.5);
	cr_expect_eq(w.assoc[0].shares_norm, 1);
	w.c.params.fs_dampening = 2;
	cr_expect_lt(fabs(factor_of(5) - 0.5), 1e-9);
}

/* A job's own user is calculated when its first job is; accounts before any of it. */
Test(prio, the_older_formula_lags, .fini = fini)
{
	fair();
	set("PriorityFlags", "NO_FAIR_TREE");
	set("PriorityDecayHalfLife", "0");
	const uint32_t a = account("a", 0, 1);
	const uint32_t u = user("u", a, 1);
	(void)account("b", 0, 1);
	make();
	struct ctl_job *runs = run_as(u, 1);
	struct ctl_job *waits = submit(1, 1, 1);
	waits->assoc = u;
	to(61);
	cr_expect_eq(w.assoc[a].usage_norm, 0);
	cr_expect_eq(w.assoc[u].usage_norm, 1);
	to(121);
	cr_expect_eq(w.assoc[a].usage_norm, 1);
	end(runs);
}

Test(prio, depth_does_not_count, .fini = fini)
{
	older("DEPTH_OBLIVIOUS");
	/* Rp = (1/2) / (3/4) = 2/3; u1: Rl = ((1/2) / (3/8)) / ((1/2) / (3/4)) = 2, pulls the other way: k =
	 * 1 / (1 + (5 ln 2/3)^2); R = 2/3 x 2^k. u2 used nothing: its usage is 0. */
	const double k = 1 / (1 + pow(5 * log(2.0 / 3), 2));
	cr_expect_lt(fabs(factor_of(3) - pow(2, -2.0 / 3 * pow(2, k))), 1e-9);
	cr_expect_eq(factor_of(4), 1);
	cr_expect_lt(fabs(factor_of(5) - pow(2, -2)), 1e-9); /* Rp = 2, Rl = 1. */
}

Test(prio, the_older_formula_and_shares_of_the_parent, .fini = fini)
{
	fair();
	set("PriorityFlags", "NO_FAIR_TREE");
	const uint32_t a = account("a", 0, 1);
	(void)account("b", 0, 1);
	const uint32_t u = user("u", a, CTL_NONE);
	use(user("v", a, 1), 10);
	make();
	/* What its account has: U = 1, S = 1/2. */
	cr_expect_lt(fabs(factor_of(u) - 0.25), 1e-9);
	cr_expect_eq(w.assoc[u].shares_norm, 0.5);
}

/* ---- Tables ------------------------------------------------------------------------------------------- */

struct reported {
	char text[1024];
	size_t len;
};

/* "name=value" of the columns that the tests look at. */
static int report(void *self, const char *const *column, const struct sl_figure *figure, size_t count)
{
	struct reported *reported = self;
	for (size_t i = 0; i < count; i++) {
		static const char *const looked[] = { "partition", "priority", "part", "tres", "tres_norm",
			"listed" };
		for (size_t k = 0; k < SL_LEN(looked); k++)
			if (strcmp(looked[k], column[i]) == 0)
				reported->len +=
					(size_t)(figure[i].text
							 ? snprintf(reported->text + reported->len,
								   sizeof(reported->text) - reported->len,
								   "%s ", figure[i].text)
							 : snprintf(reported->text + reported->len,
								   sizeof(reported->text) - reported->len,
								   "%g ", figure[i].number));
	}
	return SL_OK;
}

Test(prio, a_row_for_each_partition, .fini = fini)
{
	struct sl_err err = { 0 };
	struct reported reported = { .len = 0 };
	const struct sl_table_sink show = { &reported, report };
	begin(4);
	multifactor();
	set("PriorityWeightPartition", "1000");
	set("PriorityWeightTRES", "CPU=1000,GRES/gpu=30");
	w.c.part_count = 2;
	w.part[0].job_factor = 4;
	w.part[0].tres_total[CTL_TRES_CPU] = 16;
	w.part[0].tres_total[4] = 8;
	w.part[1] = (struct ctl_part){ .name = "q", .job_factor = 1, .qos = CTL_NO_ROW };
	make();
	struct ctl_job *job = job_of(1, 4, 1);
	job->parts[1] = 1;
	job->part_count = 2;
	job->tres_asked[4] = 4;
	job->eligible = w.c.now;
	ctl_prio_submit(&w.c, job);
	relist();
	cr_expect_eq(ctl_show(&w.c, "jobs", &show, &err), SL_OK);
	cr_expect_str_eq(reported.text, "p 1 1265 1000 cpu=250,gres/gpu=15 cpu=0.25,gres/gpu=0.50 "
					"q 1 250 250 cpu=250,gres/gpu=15 cpu=0.25,gres/gpu=0.50 ");
	reported = (struct reported){ .len = 0 };
	job->priority = 0; /* Held: not listed. */
	job->part_count = 1;
	cr_expect_eq(ctl_show(&w.c, "jobs", &show, &err), SL_OK);
	cr_expect(strncmp(reported.text, "p 0 0 ", 6) == 0, "%s", reported.text);
	cr_expect_eq(ctl_show(&w.c, "weather", &show, &err), SL_USAGE);
}
