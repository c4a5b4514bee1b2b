/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_watch.c - see slurm_watch.h. */
#include "tests/conformance/slurm_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl.h"
#include "sim/run/engine.h"
#include "tests/conformance/slurm_alloc.h"
#include "tests/conformance/slurm_forced.h"

/* What was seen of a job last. */
struct seen {
	bool holds; /* It has nodes. */
	bool known; /* It has been submitted. */
	uint32_t restarts;
};

struct look {
	struct slurm_watch *watch;
	const struct ctl *ctl;
	struct slurm_machine machine;
	struct seen *seen;
	int64_t zero; /* Seconds since 1970 of the scenario's time 0. */
	int64_t now;  /* After that. */
};

static void *larger(void *array, size_t count, size_t size)
{
	void *more = realloc(array, (count + 1) * size);
	SL_CHECK(more);
	return more;
}

/* Of a heterogeneous job those of all components, one behind the other. */
static const char *alloc_text(const struct look *l, const struct ctl_job *job)
{
	enum { CAPACITY = 16000 };
	char text[CAPACITY] = "";
	size_t len = 0;
	const uint32_t count = job->het ? job->het->count : 1;
	for (uint32_t k = 0; k < count && len + 2 < sizeof(text); k++) {
		const struct ctl_job *one = job->het ? &l->ctl->job[job->het->job[k]] : job;
		if (!one->alloc)
			continue;
		if (len)
			text[len++] = ';';
		slurm_alloc_put(&l->machine, one->alloc->node_alloc, one->alloc->node_count, text + len,
			sizeof(text) - len);
		len += strlen(text + len);
	}
	return sl_strdup(l->watch->run.arena, text, len);
}

static void attempt_ends(const struct look *l, struct slurm_series *series, const struct ctl_job *job)
{
	struct slurm_attempt *last = &series->attempt[series->attempt_count - 1];
	last->end = job->state == CTL_ENDED ? job->end - l->zero : l->now;
}

static void look_at_nodes(const struct look *l, struct slurm_series *series, const struct ctl_job *job)
{
	struct seen *seen = &l->seen[job->row];
	const bool holds =
		job->state == CTL_CONFIGURING || job->state == CTL_RUNNING || job->state == CTL_SUSPENDED;
	if (seen->holds && (!holds || job->restarts != seen->restarts))
		attempt_ends(l, series, job);
	if (holds && (!seen->holds || job->restarts != seen->restarts)) {
		series->attempt = larger(series->attempt, series->attempt_count, sizeof(*series->attempt));
		series->attempt[series->attempt_count++] =
			(struct slurm_attempt){ .end = SL_NONE, .alloc = alloc_text(l, job) };
	}
	if (holds) /* Of nodes that boot, the start is put off. */
		series->attempt[series->attempt_count - 1].start = job->start - l->zero;
	seen->holds = holds;
	seen->restarts = job->restarts;
}

static void look_at_reason(const struct look *l, struct slurm_series *series, const struct ctl_job *job)
{
	struct slurm_wait *last = series->wait_count ? &series->wait[series->wait_count - 1] : NULL;
	const bool waits = job->state == CTL_PENDING;
	if (last && last->until == SL_NONE && (!waits || last->reason != job->reason)) {
		last->until = l->now;
		last = NULL;
	}
	if (!waits || (last && last->until == SL_NONE))
		return;
	series->wait = larger(series->wait, series->wait_count, sizeof(*series->wait));
	series->wait[series->wait_count++] = (struct slurm_wait){ job->reason, l->now, SL_NONE };
}

static const char *state_of(const struct ctl_job *job, bool known)
{
	switch (job->state) {
	case CTL_NOT_SUBMITTED:
		return "";
	case CTL_PENDING:
		return "PENDING";
	case CTL_CONFIGURING:
		return "CONFIGURING";
	case CTL_RUNNING:
		return "RUNNING";
	case CTL_SUSPENDED:
		return "SUSPENDED";
	case CTL_ENDED:
		break;
	}
	/* Refused: it never waited, as far as anybody could see. */
	return known || job->ended_as != SL_CANCELLED ? sl_state_name(job->ended_as) : "REJECTED";
}

static void look_at(const struct look *l)
{
	for (size_t row = 0; row < l->watch->series_count; row++) {
		const struct ctl_job *job = &l->ctl->job[row];
		struct slurm_series *series = &l->watch->series[row];
		struct seen *seen = &l->seen[row];
		if (job->state == CTL_NOT_SUBMITTED || strcmp(series->state, "REJECTED") == 0)
			continue;
		series->state = state_of(job, seen->known);
		seen->known = true;
		memcpy(series->had, job->reasons_had, sizeof(series->had));
		look_at_nodes(l, series, job);
		look_at_reason(l, series, job);
	}
}

static int advance(struct look *l, int64_t until)
{
	struct slurm_watch *watch = l->watch;
	struct sim_run *sim = &watch->run.sim;
	const int64_t epoch = watch->run.scenario.epoch;
	int status = SL_OK;
	for (sl_time at; !status && (at = sim_next(sim)) != SL_NEVER;) {
		l->now = (at - (at % SL_SECOND + SL_SECOND) % SL_SECOND) / SL_SECOND + epoch - l->zero;
		if (l->now > until)
			break;
		status = sim_advance(sim, at, &watch->run.err);
		if (!status)
			look_at(l);
	}
	return status ? status : sim_end(sim, &watch->run.err);
}

static void name_courses(struct slurm_watch *watch)
{
	const struct sl_jobs *jobs = &watch->run.scenario.jobs;
	watch->series_count = jobs->count;
	watch->series = calloc(jobs->count + 1, sizeof(*watch->series));
	SL_CHECK(watch->series);
	for (uint32_t row = 0; row < jobs->count; row++) {
		struct slurm_series *series = &watch->series[row];
		series->state = "";
		if (jobs->id_name && jobs->id_name[row])
			(void)snprintf(series->id, sizeof(series->id), "%s", jobs->id_name[row]);
		else
			(void)snprintf(series->id, sizeof(series->id), "%lld", (long long)jobs->id[row]);
	}
}

static int watched(struct slurm_watch *watch, int64_t zero, int64_t until, struct slurm_forced *forced)
{
	struct rerun *run = &watch->run;
	const struct sim_options options = { .scenario = &run->scenario, .choice = &run->choice, .seed = 1 };
	struct look look = { .watch = watch, .zero = zero };
	int status = sim_begin(&run->sim, &options, &run->err);
	if (status)
		return status;
	name_courses(watch);
	look.ctl = run->sim.engine->sim.state;
	look.machine = (struct slurm_machine){
		.cluster = look.ctl->cluster, .select = look.ctl->select, .arena = run->arena
	};
	look.seen = sl_alloc(run->arena, watch->series_count + 1, sizeof(*look.seen));
	SL_CHECK(look.seen);
	if (!look.ctl->job)
		return sl_fail(&run->err, SL_POLICY, "the controller has no jobs");
	if (!forced)
		return advance(&look, until);
	look.machine.node_alloc =
		sl_alloc(run->arena, look.ctl->cluster->node_count + 1, sizeof(*look.machine.node_alloc));
	SL_CHECK(look.machine.node_alloc);
	slurm_forced_begin(forced, watch, run->sim.engine->sim.state, &look.machine, zero);
	status = advance(&look, until);
	slurm_forced_end(forced);
	return status;
}

int slurm_watch_run(struct slurm_watch *watch, const struct slurm_files *files, int64_t phase,
	struct slurm_forced *forced)
{
	char text[4][400];
	const char *setting[5] = { NULL };
	size_t count = 0;
	*watch = (struct slurm_watch){ 0 };
	if (files->accounts) {
		(void)snprintf(text[0], sizeof(text[0]), "cluster.accounts=%s/accounts.txt", files->folder);
		(void)snprintf(text[1], sizeof(text[1]), "cluster.qos=%s/qos.txt", files->folder);
		setting[count++] = text[0];
		setting[count++] = text[1];
	}
	if (files->commands) {
		(void)snprintf(text[2], sizeof(text[2]), "replay.commands=%s/commands.txt", files->folder);
		setting[count++] = text[2];
	}
	const int status = rerun_begin(&watch->run, files->trace, files->folder, files->policy, setting);
	return status ? status : watched(watch, SLURM_T0 + phase, files->until, forced);
}

void slurm_watch_release(struct slurm_watch *watch)
{
	for (size_t i = 0; i < watch->series_count; i++) {
		free(watch->series[i].attempt);
		free(watch->series[i].wait);
	}
	free(watch->series);
	rerun_release(&watch->run);
}

const struct slurm_series *slurm_series_of(const struct slurm_watch *watch, const char *id)
{
	for (size_t i = 0; i < watch->series_count; i++)
		if (strcmp(watch->series[i].id, id) == 0)
			return &watch->series[i];
	return NULL;
}
