/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prop_slurm.c - the policy `slurm` on clusters, jobs and commands of operators drawn by a seed, from files
 * to the end. Nothing of the controller is believed: after each instant what runs is added up anew from what
 * each job holds, and held against what was drawn. A failing world is named by its seed; SL_PROP_SLURM=SEED
 * runs that one, and keeps its files.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl.h"
#include "policies/slurm/control/ctl_resv.h"
#include "sim/lib/runset.h"
#include "sim/run/engine.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/slurm_world.h"
#include "tests/world/world.h"

struct seen {
	bool started, begun; /* Once; and at the last look. */
	bool ended;
	uint32_t restarts;
	ctl_time first_start;
};

struct drawn_run {
	struct sl_arena *arena;
	struct scenario scenario;
	struct policy_choice choice;
	struct sim_run sim;
	struct sl_err err;
};

struct checked {
	const struct slurm_world *w;
	const struct ctl *c;
	struct seen series[SW_JOBS];
	enum sw_verb state[SW_NODES]; /* As commands left it: SW_OTHER, SW_RESUME: in use. */
	uint32_t commands_done;
	const struct sl_pass *pass;
	size_t reasons_read;
	uint8_t reason[SW_JOBS]; /* As charges have it. */
};

#define CLAIM(claim, format, ...)                                                                        \
	cr_assert(claim, "world %" PRIu64 " at %" PRId64 ": " format, ck->w->seed, ck->c->now - SW_ZERO, \
		__VA_ARGS__)

static bool holds(const struct ctl_job *job)
{
	return job->state == CTL_RUNNING || job->state == CTL_CONFIGURING || job->state == CTL_SUSPENDED;
}

/* ---- What is held -----------------------------------------------------------------------------------------
 */

/* Whom gang scheduling or an operator stops keeps memory and devices; who goes on beside others is not known
 * here. */
static int64_t jobs_a_core(const struct slurm_world *w)
{
	const bool shared = w->shares > 1 || w->preempt == SW_GANG;
	return w->changes ? SW_JOBS : shared ? w->shares + SW_PARTS - 1 : 1;
}

static void check_node(const struct checked *ck, uint32_t n)
{
	const struct ctl *c = ck->c;
	int64_t on_core[64] = { 0 };
	int64_t mem = 0;
	uint64_t devices = 0;
	for (uint32_t row = 0; row < ck->w->job_count; row++) {
		const struct ctl_job *job = &c->job[row];
		for (uint32_t i = 0; holds(job) && i < job->alloc->node_count; i++) {
			const struct select_node_alloc *node_alloc = &job->alloc->node_alloc[i];
			if (node_alloc->node != n)
				continue;
			mem += node_alloc->mem;
			for (uint32_t core = 0; core < ck->w->node[n].cpus; core++)
				on_core[core] +=
					job->state != CTL_SUSPENDED && (node_alloc->cores[0] >> core & 1);
			if (!node_alloc->gres)
				continue;
			CLAIM(!(devices & node_alloc->gres[0].devices),
				"job %u has a GPU of another one on node %u", row + 1, n + 1);
			devices |= node_alloc->gres[0].devices;
		}
	}
	CLAIM(!(devices >> ck->w->node[n].gpus), "GPUs that node %u does not have", n + 1);
	CLAIM(!ck->w->memory || mem <= ck->w->node[n].mem, "%" PRId64 " MiB on node %u", mem, n + 1);
	for (uint32_t core = 0; core < ck->w->node[n].cpus; core++)
		CLAIM(on_core[core] <= jobs_a_core(ck->w), "%" PRId64 " jobs on core %u of node %u",
			on_core[core], core, n + 1);
}

static void check_licenses(const struct checked *ck)
{
	int64_t used = 0;
	for (uint32_t row = 0; row < ck->w->job_count; row++)
		used += holds(&ck->c->job[row]) ? ck->w->job[row].licenses : 0;
	CLAIM(used <= ck->w->licenses, "%" PRId64 " licences", used);
}

static void check_qos(const struct checked *ck, uint32_t q)
{
	const struct sw_qos *qos = &ck->w->qos[q];
	int64_t cpus = 0;
	int64_t jobs = 0;
	int64_t user_cpus[SW_USERS] = { 0 };
	int64_t user_jobs[SW_USERS] = { 0 };
	for (uint32_t row = 0; row < ck->w->job_count; row++) {
		const struct ctl_job *job = &ck->c->job[row];
		const struct sw_job *drawn = &ck->w->job[row];
		if (drawn->qos != q || !holds(job))
			continue;
		CLAIM(job->alloc->cpus <= qos->job_cpus, "job %u has %" PRId64 " cpus", row + 1,
			job->alloc->cpus);
		cpus += job->alloc->cpus;
		user_cpus[drawn->user] += job->alloc->cpus;
		user_jobs[drawn->user]++;
		jobs++;
	}
	CLAIM(cpus <= qos->grp_cpus, "%" PRId64 " cpus of QOS %u", cpus, q);
	CLAIM(jobs <= qos->grp_jobs, "%" PRId64 " jobs of QOS %u", jobs, q);
	for (uint32_t u = 0; u < SW_USERS; u++) {
		CLAIM(user_cpus[u] <= qos->user_cpus, "%" PRId64 " cpus of QOS %u, user %u", user_cpus[u], q,
			u);
		CLAIM(user_jobs[u] <= qos->user_jobs, "%" PRId64 " jobs of QOS %u, user %u", user_jobs[u], q,
			u);
	}
}

static void check_limits(const struct checked *ck)
{
	int64_t jobs[SW_USERS] = { 0 };
	for (uint32_t row = 0; row < ck->w->job_count; row++)
		jobs[ck->w->job[row].user] += holds(&ck->c->job[row]);
	bool of_qos = false; /* A QOS that limits users' jobs goes before the association. */
	for (uint32_t q = 0; q < SW_QOS; q++)
		of_qos |= ck->w->qos[q].user_jobs != SW_NONE;
	for (uint32_t u = 0; u < SW_USERS && !of_qos; u++)
		CLAIM(jobs[u] <= ck->w->assoc_jobs[u], "%" PRId64 " jobs of user %u", jobs[u], u);
	for (uint32_t q = 0; q < SW_QOS; q++)
		check_qos(ck, q);
}

static void check_arrays(const struct checked *ck)
{
	uint32_t running[SW_JOBS] = { 0 };
	for (uint32_t row = 0; row < ck->w->job_count; row++) {
		const struct sw_job *drawn = &ck->w->job[row];
		if (drawn->array == SW_NONE || !drawn->array_most || !holds(&ck->c->job[row]))
			continue;
		running[drawn->array]++;
		CLAIM(running[drawn->array] <= drawn->array_most, "%u tasks of array %u run",
			running[drawn->array], drawn->array + 1);
	}
}

/* ---- When it starts
 * ---------------------------------------------------------------------------------------- */

static bool is_met(const struct checked *ck, const struct sw_job *drawn)
{
	const struct ctl_job *on = &ck->c->job[drawn->on];
	const bool over = on->state == CTL_ENDED || ck->series[drawn->on].ended;
	const bool well = on->state == CTL_ENDED && on->ended_as == SL_COMPLETED;
	switch (drawn->depend) {
	case SW_AFTER:
		return ck->series[drawn->on].started || holds(on) || over;
	case SW_AFTER_ANY:
		return over;
	case SW_AFTER_OK:
		return well;
	case SW_AFTER_NOTOK:
		return over && !well;
	case SW_FREE:
		break;
	}
	return true;
}

static void check_node_state(const struct checked *ck, uint32_t row)
{
	const struct select_alloc *alloc = ck->c->job[row].alloc;
	for (uint32_t i = 0; i < alloc->node_count; i++) {
		const uint32_t n = alloc->node_alloc[i].node;
		CLAIM(ck->state[n] != SW_DRAIN && ck->state[n] != SW_DOWN,
			"job %u starts on node %u, which is %s", row + 1, n + 1,
			ck->state[n] == SW_DOWN ? "down" : "drained");
	}
}

/* Nobody starts on nodes that are others' while it would run. Reservations here have no flags. */
static void check_reserved(const struct checked *ck, uint32_t row)
{
	const struct ctl *c = ck->c;
	const struct ctl_job *job = &c->job[row];
	for (uint32_t r = 0; r < c->resvs->count; r++) {
		const struct resv *resv = &c->resvs->item[r];
		if (resv->deleted || !resv->nodes || job->resv == r || resv->end <= c->now ||
			c->now + job->time_limit * 60 <= resv->start)
			continue;
		for (uint32_t i = 0; i < job->alloc->node_count; i++)
			CLAIM(!(resv->nodes[job->alloc->node_alloc[i].node / 64] >>
					      job->alloc->node_alloc[i].node % 64 &
				      1),
				"job %u starts on node %u, which is reserved", row + 1,
				job->alloc->node_alloc[i].node + 1);
	}
}

static void check_start(const struct checked *ck, uint32_t row)
{
	const struct sw_job *drawn = &ck->w->job[row];
	const ctl_time at = ck->c->now - SW_ZERO;
	CLAIM(at >= drawn->submit, "job %u starts before it is submitted", row + 1);
	CLAIM(at >= drawn->begin || ck->w->changes, "job %u starts before it may begin", row + 1);
	CLAIM(is_met(ck, drawn), "job %u starts before job %u has come so far", row + 1, drawn->on + 1);
	CLAIM(ck->c->job[row].priority, "job %u starts, and is held", row + 1);
	check_node_state(ck, row);
	check_reserved(ck, row);
}

/* Commands of an instant go before what is decided at it. */
static void follow_commands(struct checked *ck)
{
	for (; ck->commands_done < ck->w->command_count; ck->commands_done++) {
		const struct sw_command *command = &ck->w->command[ck->commands_done];
		if (SW_ZERO + command->at > ck->c->now)
			break;
		if (command->verb != SW_OTHER)
			ck->state[command->node] = command->verb;
	}
	if (ck->c->now >= SW_ZERO + SW_BACK)
		memset(ck->state, 0, sizeof(ck->state));
}

static void look(struct checked *ck)
{
	follow_commands(ck);
	for (uint32_t n = 0; n < ck->w->node_count; n++)
		check_node(ck, n);
	check_licenses(ck);
	check_arrays(ck);
	if (ck->w->accounting)
		check_limits(ck);
	for (uint32_t row = 0; row < ck->w->job_count; row++) {
		const struct ctl_job *job = &ck->c->job[row];
		struct seen *series = &ck->series[row];
		const bool begun = holds(job);
		if (begun && (!series->begun || series->restarts != job->restarts))
			check_start(ck, row);
		series->begun = begun;
		series->started |= begun;
		series->ended |= job->state == CTL_ENDED || job->restarts > 0;
		series->restarts = job->restarts;
	}
}

/* ---- In the end -------------------------------------------------------------------------------------------
 */

/* A job that came to its own end ran for its run time in the last attempt, stopped time left out. */
static void check_work(const struct checked *ck, uint32_t row)
{
	const struct ctl_job *job = &ck->c->job[row];
	if (job->state != CTL_ENDED || job->ended_as != SL_COMPLETED)
		return;
	CLAIM(job->end - job->start - job->suspended == ck->w->job[row].run,
		"job %u ran %" PRId64 " s (%" PRId64 " stopped) of %" PRId64, row + 1, job->end - job->start,
		job->suspended, ck->w->job[row].run);
}

/* Who still waits when nothing has run for long has a reason that does not go away. (In several partitions it
 * has that of the last one that was tried.) */
static void check_left(const struct checked *ck, uint32_t row)
{
	static const enum sl_reason passing[] = { SL_REASON_NONE, SL_REASON_PRIORITY, SL_REASON_RESOURCES,
		SL_REASON_BEGIN_TIME, SL_REASON_LICENSES };
	const struct ctl_job *job = &ck->c->job[row];
	for (size_t i = 0; i < SL_LEN(passing) && job->state == CTL_PENDING && job->part_count == 1; i++)
		CLAIM(job->reason != passing[i], "job %u waits for ever: %s", row + 1,
			sl_reason_name(job->reason));
}

static int begin(struct drawn_run *run, const struct slurm_world *w, bool skip)
{
	char text[4][80];
	char trace[80];
	*run = (struct drawn_run){ .arena = sl_arena_new() };
	struct settings set = { .arena = run->arena };
	static const char *const key[] = { "cluster.accounts=", "cluster.qos=", "replay.commands=" };
	static const char *const file[] = { "accounts.txt", "qos.txt", "commands.txt" };
	int status = SL_OK;
	for (size_t i = w->accounting ? 0 : 2; i < SL_LEN(key) && !status; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "%s%s/%s", key[i], w->folder, file[i]);
		status = settings_add(&set, text[i], &run->err);
	}
	(void)snprintf(trace, sizeof(trace), "%s/sacct.txt", w->folder);
	if (!status)
		status = policy_choose(builtin_registry(), &run->choice, skip ? "slurm" : "slurm:skip=0",
			&set, run->arena, &run->err);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = trace,
		.cluster = w->folder,
		.settings = &set,
		.implied = run->choice.implied };
	if (!status)
		status = scenario_load(&run->scenario, &options, &run->err);
	return status;
}

static void release(struct drawn_run *run)
{
	sim_release(&run->sim);
	scenario_release(&run->scenario);
	sl_arena_free(run->arena);
}

/* ---- What is told ----------------------------------------------------------------------------------------
 */

/* A waiting job is charged to what slurmctld says of it, at once; one whose nodes boot to that. */
static void check_reasons(struct checked *ck)
{
	for (; ck->reasons_read < ck->pass->reason_count; ck->reasons_read++)
		ck->reason[ck->pass->reason[ck->reasons_read].job] =
			(uint8_t)ck->pass->reason[ck->reasons_read].reason;
	for (uint32_t row = 0; row < ck->w->job_count; row++) {
		const struct ctl_job *job = &ck->c->job[row];
		const enum sl_reason reason =
			job->state == CTL_CONFIGURING ? SL_REASON_CONFIGURING : job->reason;
		if (job->state == CTL_PENDING || job->state == CTL_CONFIGURING)
			CLAIM(ck->reason[row] == reason, "job %u waits for %s, and is charged to %s", row + 1,
				sl_reason_name(reason), sl_reason_name(ck->reason[row]));
	}
}

/* Nothing is done without a rule, and nobody makes room for nobody. */
static void check_rules(const struct checked *ck, const struct sl_result *result)
{
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sl_decision *d = &result->decision[i];
		CLAIM(d->decision == SL_DECISION_PLAN || d->rule != SL_RULE_NONE,
			"job %u: decision %u has no rule", d->job + 1, d->decision);
		CLAIM(d->beneficiary == UINT32_MAX ||
				(d->beneficiary < ck->w->job_count && d->beneficiary != d->job),
			"job %u at %lld: did %u by %s for job %u", d->job + 1, (long long)(d->at / SL_SECOND),
			d->decision, sl_rule_name((enum sl_rule)d->rule), d->beneficiary + 1);
		CLAIM(!i || d->at >= result->decision[i - 1].at, "job %u: out of order", d->job + 1);
	}
}

enum { QUIET = 400 }; /* Seconds: longer than a requeued job waits, and any pass. */

static uint64_t run_checked(const struct slurm_world *w)
{
	struct drawn_run run;
	int status = begin(&run, w, true);
	const struct sim_options options = {
		.scenario = &run.scenario,
		.choice = &run.choice,
		.seed = 1,
		.check = true,
		.record = SIM_RECORD_REASONS | SIM_RECORD_DECISIONS | SIM_RECORD_PLACES,
	};
	if (!status)
		status = sim_begin(&run.sim, &options, &run.err);
	cr_assert_eq(status, SL_OK, "world %" PRIu64 ": %s", w->seed, run.err.text);
	struct checked made = { .w = w, .c = run.sim.engine->sim.state, .pass = &run.sim.engine->sim };
	struct checked *const ck = &made;
	cr_assert_eq(made.c->jobs->count, w->job_count, "world %" PRIu64, w->seed);
	ctl_time last = 0; /* Something ran. */
	bool left = false; /* Who is left has been looked at. */
	for (sl_time at; !status && (at = sim_next(&run.sim)) != SL_NEVER;) {
		if (!left && ctl_time_of(ck->c, at) >= SW_ZERO + SW_OVER) {
			left = true;
			for (uint32_t row = 0;
				row < w->job_count && !w->changes && !w->starves && ck->c->now - last > QUIET;
				row++)
				check_left(ck, row);
		}
		status = sim_advance(&run.sim, at, &run.err);
		if (!status) {
			look(&made);
			check_reasons(&made);
		}
		last = ck->c->running_count ? ck->c->now : last;
	}
	for (uint32_t row = 0; row < w->job_count && !status; row++)
		check_work(ck, row);
	if (!status)
		status = sim_end(&run.sim, &run.err);
	cr_assert_eq(status, SL_OK, "world %" PRIu64 ": %s", w->seed, run.err.text);
	check_rules(&made, &run.sim.result);
	cr_assert(world_places_add_up(&run.sim.result, false), "world %" PRIu64, w->seed);
	const uint64_t digest = run.sim.result.digest;
	release(&run);
	return digest;
}

static uint64_t run_plain(const struct slurm_world *w, bool skip)
{
	struct drawn_run run;
	int status = begin(&run, w, skip);
	if (!status)
		status = sim_run(&run.sim,
			&(struct sim_options){ .scenario = &run.scenario, .choice = &run.choice, .seed = 1 },
			&run.err);
	cr_assert_eq(status, SL_OK, "world %" PRIu64 ": %s", w->seed, run.err.text);
	const uint64_t digest = run.sim.result.digest;
	release(&run);
	return digest;
}

/* Checked, again, and without leaving out any backfill pass: the same run. */
static void check_world(uint64_t seed, bool keep)
{
	static struct slurm_world w;
	w = (struct slurm_world){ 0 };
	slurm_world_draw(&w, seed);
	if (keep)
		(void)fprintf(stderr, "world %" PRIu64 " is in %s\n", seed, w.folder);
	const uint64_t digest = run_checked(&w);
	cr_assert_eq(run_plain(&w, true), digest, "world %" PRIu64 ": another run the second time", seed);
	cr_assert_eq(run_plain(&w, false), digest, "world %" PRIu64 ": another run where no pass is left out",
		seed);
	if (!keep)
		slurm_world_clear(&w);
}

Test(prop_slurm, drawn)
{
	const uint64_t worlds = effort_of(20, 200, 1000);
	const char *only = getenv("SL_PROP_SLURM");
	int64_t seed = 0;
	if (only && sl_get_i64(only, strlen(only), &seed)) {
		check_world((uint64_t)seed, true);
		return;
	}
	for (uint64_t i = 1; i <= worlds; i++)
		check_world(i, false);
	check_world(618, false); /* Tasks that were released once what they depend on could no longer be. */
}
