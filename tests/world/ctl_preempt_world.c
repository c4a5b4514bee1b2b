/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_preempt_world.c - small clusters for tests of preemption and gang scheduling.
 */
#include "tests/world/ctl_preempt_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct preempt_world *world_of(struct ctl *c) { return (struct preempt_world *)(void *)c; }

static void must(bool good, const char *what)
{
	if (!good) {
		(void)fprintf(stderr, "%s\n", what);
		abort(); /* NOLINT: a test of ours is wrong. */
	}
}

/* "A" to "Z", then "a"... */
static char name_of(const struct ctl_job *job)
{
	return (char)(job->row < 26 ? 'A' + (int)job->row : 'a' + (int)job->row - 26);
}

static void report(struct ctl *c, const char *what, const struct ctl_job *job)
{
	struct preempt_world *w = world_of(c);
	if (w->log_len + 20 < PW_LOG)
		w->log_len += (size_t)snprintf(w->log + w->log_len, PW_LOG - w->log_len, "%s%s %c",
			w->log_len ? ", " : "", what, name_of(job));
}

static void unlink_job(struct ctl *c, const struct ctl_job *job)
{
	uint32_t *link = &c->running_first;
	while (*link != CTL_NO_ROW && *link != job->row)
		link = &c->job[*link].next;
	must(*link == job->row, "a job that does not run ends");
	*link = job->next;
	c->running_count--;
}

static void leaves(struct ctl *c, struct ctl_job *job, enum ctl_state state)
{
	job->state = state;
	unlink_job(c, job);
	ctl_gang_left(c, job);
	ctl_gang_go_on(c);
	select_give(c->select, job->alloc);
	job->alloc = NULL;
}

static void act_end(struct ctl *c, struct ctl_job *job, enum sl_state state, bool reported)
{
	(void)reported;
	report(c, state == SL_PREEMPTED ? "end" : "finish", job);
	leaves(c, job, CTL_ENDED);
}

static void act_requeue(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held)
{
	(void)as;
	(void)held;
	report(c, "requeue", job);
	leaves(c, job, CTL_PENDING);
}

static void act_suspend(struct ctl *c, struct ctl_job *job)
{
	must(job->state == CTL_RUNNING, "a job that does not run is suspended");
	report(c, "stop", job);
	job->state = CTL_SUSPENDED;
}

static void act_resume(struct ctl *c, struct ctl_job *job)
{
	must(job->state == CTL_SUSPENDED, "a job that is not suspended goes on");
	report(c, "go", job);
	job->state = CTL_RUNNING;
}

static const struct ctl_acts acts = {
	.end = act_end, .requeue = act_requeue, .suspend = act_suspend, .resume = act_resume
};

void pw_begin(struct preempt_world *w, uint32_t nodes)
{
	memset(w, 0, sizeof(*w));
	sw_begin(&w->w);
	(void)sw_nodes(&w->w, nodes, 1, 4, 1, 4000);
	w->c.params.preempt_by_part = true;
	w->c.params.preempt_mode = CTL_PREEMPT_REQUEUE;
	w->c.params.preempt_reorder_count = 1;
	w->c.params.kill_wait = 30;
	w->c.params.time_slice = 30;
}

struct sl_partition *pw_part(struct preempt_world *w, const char *name, int64_t tier)
{
	struct sl_partition *p = sw_partition(&w->w, name, NULL);
	p->tier = tier;
	return p;
}

void pw_gang(struct preempt_world *w)
{
	w->c.params.gang = true;
	w->c.params.preempt_mode = CTL_PREEMPT_SUSPEND;
	sw_set(&w->w, "PreemptMode", "SUSPEND,GANG");
}

void pw_by_qos(struct preempt_world *w)
{
	w->c.params.preempt_by_part = false;
	w->c.params.preempt_by_qos = true;
}

void pw_ready(struct preempt_world *w)
{
	struct ctl *c = &w->c;
	struct sl_err err = { 0 };
	sw_set(&w->w, "PreemptType", c->params.preempt_by_qos ? "preempt/qos" : "preempt/partition_prio");
	sw_ready(&w->w);
	c->arena = w->w.arena;
	c->cluster = &w->w.cluster;
	c->select = w->w.select;
	c->acts = &acts;
	c->part = w->part;
	c->part_count = w->w.cluster.partition_count;
	const size_t words = select_node_words(c->select);
	for (uint32_t i = 0; i < c->part_count; i++) {
		const struct sl_partition *spec = &w->w.partition[i];
		const char *mode = sl_setting_of(c->cluster, "partition", spec->name, "PreemptMode");
		w->part[i] = (struct ctl_part){ .spec = spec,
			.name = spec->name,
			.tier = spec->tier == SL_NONE ? 1 : spec->tier,
			.preempt_mode = mode ? CTL_PREEMPT_OFF : CTL_PREEMPT_NOT_SAID,
			.qos = CTL_NO_ROW };
		w->part[i].nodes = sl_alloc(c->arena, words, sizeof(uint64_t));
		memcpy(w->part[i].nodes, select_partition_nodes(c->select, i), words * sizeof(uint64_t));
	}
	c->qos = w->qos;
	c->qos_count = PW_QOS;
	for (uint32_t i = 0; i < PW_QOS; i++)
		w->qos[i] = (struct ctl_qos){ .preempt_mode = CTL_PREEMPT_NOT_SAID,
			.exempt_time = CTL_NONE,
			.preempts = &w->preempts[i] };
	c->job = w->job;
	c->running_first = CTL_NO_ROW;
	c->now = 1000;
	must(ctl_preempt_make(c, &err) == SL_OK && ctl_gang_make(c, &err) == SL_OK, err.text);
}

void pw_end(struct preempt_world *w) { sw_end(&w->w); }

struct ctl_job *pw_job(struct preempt_world *w, uint32_t part, int64_t tasks)
{
	uint32_t row = 0;
	while (w->job[row].state != CTL_NOT_SUBMITTED)
		row++;
	must(row < PW_JOBS, "the test has too many jobs");
	struct ctl_job *job = &w->job[row];
	sl_job_desc_clear(&w->desc[row]);
	w->desc[row].mem_per_node = 100;
	w->desc[row].tasks = tasks;
	*job = (struct ctl_job){ .row = row,
		.of = row,
		.state = CTL_PENDING,
		.qos = CTL_NO_ROW,
		.part = part,
		.priority = 1000 - row,
		.requeue_ok = true,
		.preempted_at = CTL_NONE,
		.end_limit = CTL_NEVER,
		.desc = { .desc = &w->desc[row], .partition = part, .user = -1 } };
	return job;
}

struct ctl_job *pw_whole(struct preempt_world *w, uint32_t part, int64_t nodes)
{
	struct ctl_job *job = pw_job(w, part, SL_NONE);
	w->desc[job->row].nodes_min = w->desc[job->row].nodes_max = nodes;
	w->desc[job->row].exclusive = SL_EXCLUSIVE_NODE;
	return job;
}

bool pw_start(struct preempt_world *w, struct ctl_job *job)
{
	struct ctl *c = &w->c;
	const struct select_alloc *out;
	if (select_place(c->select, &job->desc, NULL, SELECT_NOW, &out) != SELECT_FITS)
		return false;
	job->alloc = select_take(c->select, out);
	job->state = CTL_RUNNING;
	job->start = c->now;
	uint32_t *link = &c->running_first;
	while (*link != CTL_NO_ROW && *link < job->row)
		link = &c->job[*link].next;
	job->next = *link;
	*link = job->row;
	c->running_count++;
	ctl_gang_started(c, job);
	return true;
}

void pw_finish(struct preempt_world *w, struct ctl_job *job) { leaves(&w->c, job, CTL_ENDED); }

const char *pw_log(struct preempt_world *w)
{
	(void)snprintf(w->text, sizeof(w->text), "%s", w->log);
	w->log[0] = 0;
	w->log_len = 0;
	return w->text;
}

const char *pw_where(struct preempt_world *w, const struct ctl_job *job)
{
	return job->alloc ? sw_show(&w->w, job->alloc, false) : "nowhere";
}

const char *pw_names(struct preempt_world *w, struct ctl_job *const *job, size_t count)
{
	size_t at = 0;
	w->text[0] = 0;
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(
			w->text + at, sizeof(w->text) - at, "%s%c", i ? ", " : "", name_of(job[i]));
	return w->text;
}

const char *pw_preempts(struct preempt_world *w, struct ctl_job *job)
{
	struct ctl_victims victims;
	if (ctl_preempt_place(&w->c, job, job->part, NULL, &victims) != SELECT_FITS)
		return "busy";
	const size_t at = strlen(pw_names(w, victims.job, victims.count));
	(void)snprintf(w->text + at, sizeof(w->text) - at, "%s-> %s", at ? " " : "",
		sw_show(&w->w, victims.alloc, false));
	return w->text;
}
