/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_limits_more.c - what limits refuse at submission; who gathers age; and all counts against the sum
 * over the jobs there are, after each of many events drawn by chance.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "tests/world/limits_world.h"

static struct limits_world w;

static void fini(void) { lw_end(&w); }

static void with(const char *kind, const char *name, const char *key, const char *value)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, kind, name, key, value);
	lw_ready(&w);
}

static void with_denial(const char *kind, const char *name, const char *key, const char *value)
{
	with(kind, name, key, value);
	cr_assert(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set Flags=DenyOnLimit"));
}

#define u1(cpus) lw_job(&w, "u1", "acc", NULL, cpus, 10)
#define u2(cpus) lw_job(&w, "u2", "acc", NULL, cpus, 10)
#define u3(cpus) lw_job(&w, "u3", "two", NULL, cpus, 10)
#define expect_submit(job, word)                                                           \
	do {                                                                               \
		const char *said = lw_submit(&w, job);                                     \
		cr_expect_str_eq(said, word, "line %d: %s, not %s", __LINE__, said, word); \
	} while (0)

/* ---- Counts of submitted jobs refuse, whatever the flags -------------------------------------------- */

Test(ctl_submit, counts, .fini = fini)
{
	static const struct {
		const char *kind, *name, *key, *word_same, *word_mate, *word_far;
	} count[] = {
		{ "qos", "normal", "GrpSubmit", "QOSGrpSubmitJobsLimit", "QOSGrpSubmitJobsLimit",
			"QOSGrpSubmitJobsLimit" },
		{ "qos", "normal", "MaxSubmitPU", "QOSMaxSubmitJobPerUserLimit", "None", "None" },
		{ "qos", "normal", "MaxSubmitPA", "MaxSubmitJobsPerAccount", "MaxSubmitJobsPerAccount",
			"None" },
		{ "association", "acc", "GrpSubmit", "AssocGrpSubmitJobsLimit", "AssocGrpSubmitJobsLimit",
			"AssocGrpSubmitJobsLimit" },
		{ "association", "acc", "MaxSubmit", "AssocMaxSubmitJobLimit", "None", "None" },
	};
	for (size_t i = 0; i < SL_LEN(count); i++) {
		with(count[i].kind, count[i].name, count[i].key, "1");
		struct ctl_job *first = u1(1);
		expect_submit(first, "None");
		expect_submit(u1(1), count[i].word_same);
		struct ctl_job *mate = u2(1);
		expect_submit(mate, count[i].word_mate);
		ctl_limits_submitted(&w.c, mate, false);
		expect_submit(u3(1), count[i].word_far);
		ctl_limits_submitted(&w.c, &w.job[w.count - 1], false);
		lw_start(&w, first); /* It is still there while it runs, */
		expect_submit(u1(1), count[i].word_same);
		lw_stop(&w, first); /* and gone at its end. */
		expect_submit(u1(1), "None");
		if (i + 1 < SL_LEN(count))
			lw_end(&w);
	}
}

Test(ctl_submit, an_array_is_refused_or_accepted_as_a_whole, .fini = fini)
{
	uint32_t task[3];
	struct ctl_array array = { .job = task, .count = 3 };
	with("qos", "normal", "MaxSubmitPU", "3");
	w.c.array = &array;
	w.c.array_count = 1;
	struct ctl_job *alone = u1(1);
	expect_submit(alone, "None");
	for (uint32_t i = 0; i < 3; i++) {
		struct ctl_job *job = u1(1);
		job->array = 0;
		task[i] = job->row;
	}
	for (uint32_t i = 0; i < 3; i++)
		expect_submit(&w.job[task[i]], "QOSMaxSubmitJobPerUserLimit");
	ctl_limits_submitted(&w.c, alone, false);
	for (uint32_t i = 0; i < 3; i++)
		w.job[task[i]].refusal = SL_REASON_NONE;
	for (uint32_t i = 0; i < 3; i++)
		expect_submit(&w.job[task[i]], "None");
	expect_submit(u1(1), "QOSMaxSubmitJobPerUserLimit");
}

Test(ctl_submit, several_partitions_count_in_the_qos_of_each_until_one_is_started_in, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "partition", "p", "QOS", "of_p");
	lw_report(&w, "partition", "q", "QOS", "of_q");
	lw_report(&w, "qos", "of_p", "GrpSubmit", "1");
	lw_report(&w, "qos", "of_q", "GrpSubmit", "1");
	lw_ready(&w);
	struct ctl_job *both = u1(1);
	both->part_count = 2;
	both->parts[1] = 1;
	expect_submit(both, "None");
	struct ctl_job *in_p = u2(1);
	struct ctl_job *in_q = u2(1);
	in_q->part = in_q->parts[0] = 1;
	expect_submit(in_p, "QOSGrpSubmitJobsLimit");
	expect_submit(in_q, "QOSGrpSubmitJobsLimit");
	both->part = 1;
	lw_start(&w, both);
	in_p->refusal = in_q->refusal = SL_REASON_NONE;
	expect_submit(in_q, "QOSGrpSubmitJobsLimit");
	expect_submit(in_p, "None");
	lw_stop(&w, both);
	expect_submit(in_q, "None");
	cr_expect_eq(w.c.qos[2].used->submitted, 1);
	cr_expect_eq(w.c.qos[3].used->submitted, 1);
	cr_expect_eq(w.c.qos[0].used->submitted, 2);
}

/* ---- DenyOnLimit ------------------------------------------------------------------------------------ */

Test(ctl_submit, sizes_and_times_are_refused_with_the_flag_only, .fini = fini)
{
	static const struct {
		const char *kind, *name, *key, *value, *word; /* Of 4 cpus, 1 node, 10 minutes. */
	} deny[] = {
		{ "qos", "normal", "MaxTRESPA", "cpu=3", "MaxCpuPerAccount" },
		{ "qos", "normal", "MaxTRESPU", "cpu=3", "QOSMaxCpuPerUserLimit" },
		{ "qos", "normal", "GrpTRES", "cpu=3", "QOSGrpCpuLimit" },
		{ "qos", "normal", "MaxTRESMins", "cpu=39", "QOSMaxCpuMinutesPerJobLimit" },
		{ "qos", "normal", "GrpTRESMins", "cpu=39", "QOSGrpCPUMinutesLimit" },
		{ "qos", "normal", "GrpTRESRunMins", "cpu=39", "QOSGrpCPURunMinutesLimit" },
		{ "qos", "normal", "MaxWall", "9", "QOSMaxWallDurationPerJobLimit" },
		{ "qos", "normal", "GrpWall", "9", "QOSGrpWallLimit" },
		{ "qos", "normal", "MaxTRES", "cpu=3", "QOSMaxCpuPerJobLimit" },
		{ "qos", "normal", "MaxTRESPerNode", "cpu=3", "QOSMaxCpuPerNode" },
		{ "qos", "normal", "MinTRES", "cpu=5", "QOSMinCpuNotSatisfied" },
		{ "association", "acc", "GrpTRES", "cpu=3", "AssocGrpCpuLimit" },
		{ "association", "acc", "GrpTRESMins", "cpu=39", "AssocGrpCPUMinutesLimit" },
		{ "association", "acc", "GrpTRESRunMins", "cpu=39", "AssocGrpCPURunMinutesLimit" },
		{ "association", "acc", "GrpWall", "9", "AssocGrpWallLimit" },
		{ "association", "acc", "MaxTRES", "cpu=3", "AssocMaxCpuPerJobLimit" },
		{ "association", "acc", "MaxTRESPerNode", "cpu=3", "AssocMaxCpuPerNode" },
		{ "association", "acc", "MaxTRESMins", "cpu=39", "AssocMaxCpuMinutesPerJobLimit" },
		{ "association", "acc", "MaxWall", "9", "AssocMaxWallDurationPerJobLimit" },
	};
	for (size_t i = 0; i < SL_LEN(deny); i++) {
		with(deny[i].kind, deny[i].name, deny[i].key, deny[i].value);
		expect_submit(u1(4), "None");
		lw_end(&w);
		with_denial(deny[i].kind, deny[i].name, deny[i].key, deny[i].value);
		const char *refusal = lw_submit(&w, u1(4));
		cr_expect_str_eq(refusal, deny[i].word, "%s %s: %s", deny[i].kind, deny[i].key, refusal);
		if (strcmp(deny[i].key, "MinTRES") != 0)
			expect_submit(lw_job(&w, "u1", "acc", NULL, 3, 9), "None");
		if (i + 1 < SL_LEN(deny))
			lw_end(&w);
	}
}

Test(ctl_submit, the_partitions_qos_may_deny_too, .fini = fini)
{
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "partition", "q", "QOS", "strict");
	lw_report(&w, "qos", "strict", "Flags", "DenyOnLimit");
	lw_report(&w, "qos", "normal", "MaxTRES", "cpu=3");
	lw_ready(&w);
	expect_submit(u1(4), "None");
	struct ctl_job *job = u1(4);
	job->part = job->parts[0] = 1;
	expect_submit(job, "QOSMaxCpuPerJobLimit");
}

Test(ctl_submit, associations_do_not_look_at_what_is_not_asked, .fini = fini)
{
	with_denial("association", "acc", "GrpTRES", "mem=5,gres/gpu=1");
	struct ctl_job *job = u1(1);
	job->tres_asked[LW_GPU] = 2;
	expect_submit(job, "AssocGrpGRES");
}

Test(ctl_submit, the_limit_factor_widens_what_is_refused, .fini = fini)
{
	with_denial("association", "acc", "GrpTRES", "cpu=4");
	expect_submit(u1(5), "AssocGrpCpuLimit");
	cr_assert(ctl_acct_modify(&w.c, "sacctmgr modify qos normal set LimitFactor=1.5"));
	expect_submit(u1(6), "None");
	expect_submit(u1(7), "AssocGrpCpuLimit");
}

Test(ctl_submit, a_partitions_default_time_goes_before_the_wall, .fini = fini)
{
	with("qos", "normal", "MaxWall", "9");
	struct ctl_job *job = lw_job(&w, "u1", "acc", NULL, 1, CTL_NONE);
	expect_submit(job, "None");
	cr_expect_eq(job->time_limit, 9);
	w.part[0].default_time = 5;
	job = lw_job(&w, "u1", "acc", NULL, 1, CTL_NONE);
	job->time_limit = 5; /* ctl_job.c's. */
	expect_submit(job, "None");
	cr_expect_eq(job->time_limit, 5);
}

/* ---- Age -------------------------------------------------------------------------------------------- */

Test(ctl_accrue, so_many_gather_age, .fini = fini)
{
	static const struct {
		const char *kind, *name, *key;
		bool mate, far;
	} of[] = {
		{ "qos", "normal", "GrpJobsAccrue", false, false },
		{ "qos", "normal", "MaxJobsAccruePU", true, true },
		{ "qos", "normal", "MaxJobsAccruePA", false, true },
		{ "association", "acc", "GrpJobsAccrue", false, false },
		{ "association", "acc", "MaxJobsAccrue", true, true },
	};
	for (size_t i = 0; i < SL_LEN(of); i++) {
		with(of[i].kind, of[i].name, of[i].key, "1");
		struct ctl_job *first = u1(1);
		struct ctl_job *second = u1(1);
		struct ctl_job *mate = u2(1);
		struct ctl_job *far = u3(1);
		for (uint32_t row = 0; row < w.count; row++)
			(void)lw_submit(&w, &w.job[row]);
		cr_expect(ctl_limits_accrue(&w.c, first), "%s", of[i].key);
		cr_expect(ctl_limits_accrue(&w.c, first), "%s: it does already", of[i].key);
		cr_expect_not(ctl_limits_accrue(&w.c, second), "%s", of[i].key);
		cr_expect_eq(ctl_limits_accrue(&w.c, mate), of[i].mate, "%s", of[i].key);
		ctl_limits_accrued(&w.c, mate);
		cr_expect_eq(ctl_limits_accrue(&w.c, far), of[i].far, "%s", of[i].key);
		ctl_limits_accrued(&w.c, far);
		ctl_limits_accrued(&w.c, first);
		cr_expect(ctl_limits_accrue(&w.c, second), "%s", of[i].key);
		if (i + 1 < SL_LEN(of))
			lw_end(&w);
	}
}

/* ---- All counts, against the jobs there are --------------------------------------------------------- */

enum { DRAWS = 3000 };

static bool is_below(uint32_t assoc, uint32_t top)
{
	while (assoc != CTL_NO_ROW && assoc != top)
		assoc = w.c.assoc[assoc].parent;
	return assoc == top;
}

/* Which jobs a count is over. */
struct over {
	uint32_t qos, user, account, top; /* CTL_NO_ROW: any. */
};

static bool is_of(const struct over *over, const struct ctl_job *job, uint32_t part)
{
	const uint32_t of_part = w.part[part].qos;
	if (over->qos != CTL_NO_ROW && over->qos != job->qos && over->qos != of_part)
		return false;
	if (over->user != CTL_NO_ROW && over->user != job->user)
		return false;
	if (over->account != CTL_NO_ROW && over->account != ctl_account_of(&w.c, job->assoc))
		return false;
	return over->top == CTL_NO_ROW || is_below(job->assoc, over->top);
}

static void recount(const struct over *over, const struct ctl_used *used, const char *what, int draw)
{
	int64_t jobs = 0;
	int64_t submitted = 0;
	int64_t tres[LW_TRES] = { 0 };
	uint64_t run[LW_TRES] = { 0 };
	uint32_t on_node[LW_NODES] = { 0 };
	for (uint32_t row = 0; row < w.count; row++) {
		const struct ctl_job *job = &w.job[row];
		const bool there = job->state == CTL_PENDING || job->state == CTL_RUNNING;
		const bool counts =
			is_of(over, job, job->part) || (job->state == CTL_PENDING && job->part_count == 2 &&
							       (is_of(over, job, 0) || is_of(over, job, 1)));
		submitted += there && counts;
		if (job->state != CTL_RUNNING || !is_of(over, job, job->part))
			continue;
		jobs++;
		const int64_t ran = job->tested > job->start ? job->tested - job->start : 0;
		const int64_t left = job->time_limit * 60 - ran;
		for (uint32_t i = 0; i < LW_TRES; i++) {
			tres[i] += job->tres_held[i];
			run[i] += (uint64_t)(job->tres_held[i] * (left > 0 ? left : 0));
		}
		for (uint32_t i = 0; i < job->alloc->node_count; i++)
			on_node[job->alloc->node_alloc[i].node]++;
	}
	if (used && used->on_node) {
		tres[CTL_TRES_NODE] = 0;
		for (uint32_t i = 0; i < LW_NODES; i++)
			tres[CTL_TRES_NODE] += on_node[i] > 0;
	}
	if (!used) {
		cr_assert(!jobs && !submitted, "draw %d: %s", draw, what);
		return;
	}
	cr_assert_eq(used->jobs, jobs, "draw %d: jobs of %s", draw, what);
	cr_assert_eq(used->submitted, submitted, "draw %d: submitted of %s: %d, not %d", draw, what,
		(int)used->submitted, (int)submitted);
	for (uint32_t i = 0; i < LW_TRES; i++) {
		cr_assert_eq(used->tres[i], tres[i], "draw %d: tres %u of %s", draw, i, what);
		cr_assert_eq(used->run_secs[i], run[i], "draw %d: run seconds of %u of %s", draw, i, what);
	}
}

static void recount_all(int draw)
{
	for (uint32_t i = 0; i < w.c.assoc_count; i++) {
		const struct over over = { CTL_NO_ROW, CTL_NO_ROW, CTL_NO_ROW, i };
		recount(&over, w.c.assoc[i].used, w.c.assoc[i].account, draw);
	}
	for (uint32_t qos = 0; qos < w.c.qos_count; qos++) {
		const char *name = w.c.qos[qos].name;
		struct over over = { qos, CTL_NO_ROW, CTL_NO_ROW, CTL_NO_ROW };
		recount(&over, w.c.qos[qos].used, name, draw);
		for (over.user = 0; over.user < LW_USERS; over.user++)
			recount(&over, ctl_used_user(&w.c, qos, over.user), name, draw);
		over.user = CTL_NO_ROW;
		for (uint32_t i = 0; i < w.c.assoc_count; i++)
			if (!w.c.assoc[i].user) {
				over.account = i;
				recount(&over, ctl_used_account(&w.c, qos, i), name, draw);
			}
	}
}

static void draw_job(struct sl_rng *rng)
{
	static const struct {
		const char *user, *account;
	} who[] = { { "u1", "acc" }, { "u2", "acc" }, { "u2", "two" }, { "u3", "two" } };
	const size_t k = sl_rng_below(rng, SL_LEN(who));
	struct ctl_job *job = lw_job(&w, who[k].user, who[k].account, sl_rng_below(rng, 2) ? "other" : NULL,
		1 + (int64_t)sl_rng_below(rng, 4), 1 + (int64_t)sl_rng_below(rng, 5));
	job->tres_asked[LW_GPU] = (int64_t)sl_rng_below(rng, 3);
	job->part_count = 1 + (uint32_t)sl_rng_below(rng, 2);
	job->part = job->parts[0] = job->part_count == 2 ? 0 : (uint32_t)sl_rng_below(rng, 2);
	job->parts[1] = 1;
	job->alloc = &w.alloc[job->row];
	job->alloc->node_alloc = w.node_alloc[job->row];
	job->alloc->node_count = 1 + (uint32_t)sl_rng_below(rng, 3);
	job->tres_asked[CTL_TRES_NODE] = job->alloc->node_count;
	const uint32_t first = (uint32_t)sl_rng_below(rng, LW_NODES);
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		job->alloc->node_alloc[i].node = (first + i) % LW_NODES;
	cr_assert_eq(ctl_limits_submit(&w.c, job), SL_REASON_NONE);
	ctl_limits_submitted(&w.c, job, true);
	job->state = CTL_PENDING;
}

/* It starts, ends, is requeued, or goes without having started. */
static void draw_change(struct sl_rng *rng, struct ctl_job *job)
{
	if (job->state == CTL_PENDING && sl_rng_below(rng, 4)) {
		job->part = job->parts[sl_rng_below(rng, job->part_count)];
		job->tested = w.c.now;
		lw_start(&w, job);
	} else if (job->state == CTL_PENDING) {
		ctl_limits_submitted(&w.c, job, false);
		job->state = CTL_ENDED;
	} else if (job->state == CTL_RUNNING) {
		const bool retry = sl_rng_below(rng, 4) == 0;
		lw_stop(&w, job);
		if (retry) {
			ctl_limits_submitted(&w.c, job, true);
			job->state = CTL_PENDING;
		}
	}
}

/* What the decay thread does: as of job->tested. */
static void decay(void)
{
	for (uint32_t row = 0; row < w.count; row++)
		if (w.job[row].state == CTL_RUNNING) {
			ctl_limits_ran(&w.c, &w.job[row], w.job[row].tested, w.c.now);
			w.job[row].tested = w.c.now;
		}
}

Test(ctl_limits_prop, counts_are_the_sum_over_the_jobs_there_are, .fini = fini)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/limits");
	lw_begin(&w);
	lw_usual(&w);
	lw_report(&w, "partition", "q", "QOS", "of_q");
	lw_report(&w, "qos", "of_q", "GrpTRES", "node=100");
	lw_report(&w, "qos", "normal", "MaxTRESPU", "node=100");
	lw_report(&w, "association", "two", "GrpTRES", "node=100");
	lw_ready(&w);
	for (int draw = 0; draw < DRAWS; draw++) {
		if (w.count < LW_JOBS && sl_rng_below(&rng, 6) == 0)
			draw_job(&rng);
		else if (w.count)
			draw_change(&rng, &w.job[sl_rng_below(&rng, w.count)]);
		w.c.now += (int64_t)sl_rng_below(&rng, 20);
		if (sl_rng_below(&rng, 5) == 0)
			decay();
		if (draw == DRAWS / 2) /* A limit that is new while jobs run. */
			cr_assert(ctl_acct_modify(&w.c, "sacctmgr modify account acc set GrpTRES=node=99"));
		recount_all(draw);
	}
	for (uint32_t row = 0; row < w.count; row++)
		if (w.job[row].state == CTL_RUNNING)
			lw_stop(&w, &w.job[row]);
		else if (w.job[row].state == CTL_PENDING)
			ctl_limits_submitted(&w.c, &w.job[row], false);
	for (uint32_t i = 0; i < w.c.assoc_count; i++) {
		cr_expect_eq(w.c.assoc[i].used->submitted, 0);
		cr_expect_eq(w.c.assoc[i].used->tres[CTL_TRES_CPU], 0);
	}
}
