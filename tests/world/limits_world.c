/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * limits_world.c - slurmctld's accounts and limits alone, for tests.
 */
#include "tests/world/limits_world.h"

#include <string.h>

static const char *const account_name[] = { "acc", "two", "none" };
static const char *const user_name[LW_USERS] = { "u1", "u2", "u3", "u4" };

void lw_begin(struct limits_world *w)
{
	static const char *const tres[LW_TRES] = { "cpu", "mem", "node", "billing", "gres/gpu",
		"license/lic" };
	memset(w, 0, sizeof(*w));
	struct ctl *c = &w->c;
	w->cluster.setting = w->setting;
	w->cluster.node_count = LW_NODES;
	w->jobs.account = w->account;
	w->jobs.account_name = account_name;
	w->jobs.account_count = SL_LEN(account_name);
	*c = (struct ctl){ .arena = sl_arena_new(), .cluster = &w->cluster, .jobs = &w->jobs, .job = w->job };
	c->tres_count = LW_TRES;
	for (uint32_t i = 0; i < LW_TRES; i++)
		c->tres[i] = (struct ctl_tres){ .name = tres[i],
			.gres = CTL_NO_ROW,
			.license = i == LW_LIC ? 0 : CTL_NO_ROW,
			.tracked = true };
	c->part = w->part;
	c->part_count = 2;
	for (uint32_t i = 0; i < 2; i++)
		w->part[i] = (struct ctl_part){ .name = i ? "q" : "p",
			.max_time = CTL_NEVER,
			.default_time = CTL_NONE,
			.qos = CTL_NO_ROW };
	for (uint32_t i = 0; i < LW_USERS; i++)
		w->user_name[i] = user_name[i];
	c->user_name = w->user_name;
	c->user_count = LW_USERS;
	c->running_first = CTL_NO_ROW;
	c->params.enforce_assoc = c->params.enforce_limits = c->params.enforce_qos = true;
}

void lw_report(struct limits_world *w, const char *kind, const char *name, const char *key, const char *value)
{
	SL_CHECK(w->cluster.setting_count < LW_SETTINGS);
	w->setting[w->cluster.setting_count++] =
		(struct sl_setting){ .kind = kind, .name = name, .key = key, .value = value };
}

void lw_usual(struct limits_world *w)
{
	lw_report(w, "association", "root", "QOS", "normal,other");
	lw_report(w, "association", "acc", "ParentName", "root");
	lw_report(w, "association", "acc/u1", "User", "u1");
	lw_report(w, "association", "acc/u2", "User", "u2");
	lw_report(w, "association", "two", "ParentName", "acc");
	lw_report(w, "association", "two/u2", "User", "u2");
	lw_report(w, "association", "two/u3", "User", "u3");
	lw_report(w, "qos", "normal", "Name", "normal");
	lw_report(w, "qos", "other", "Name", "other");
}

void lw_ready(struct limits_world *w)
{
	struct sl_err err = { 0 };
	SL_CHECK(ctl_acct_make(&w->c, &err) == SL_OK);
	SL_CHECK(ctl_limits_make(&w->c, &err) == SL_OK);
}

void lw_end(struct limits_world *w) { sl_arena_free(w->c.arena); }

struct ctl_job *lw_job(struct limits_world *w, const char *user, const char *account, const char *qos,
	int64_t cpus, int64_t min)
{
	SL_CHECK(w->count < LW_JOBS);
	const uint32_t row = w->count++;
	struct ctl_job *job = &w->job[row];
	w->account[row] = -1;
	for (int32_t i = 0; account && i < (int32_t)SL_LEN(account_name); i++)
		if (strcmp(account_name[i], account) == 0)
			w->account[row] = i;
	w->more[row].qos = qos;
	*job = (struct ctl_job){ .row = row,
		.of = row,
		.array = CTL_NO_ROW,
		.more = &w->more[row],
		.assoc = CTL_NO_ROW,
		.qos = CTL_NO_ROW,
		.parts = w->parts[row],
		.part_count = 1,
		.time_limit = min,
		.limit_set = min };
	for (uint32_t i = 0; i < LW_USERS; i++)
		if (strcmp(user_name[i], user) == 0)
			job->user = i;
	job->tres_asked[CTL_TRES_CPU] = cpus;
	job->tres_asked[CTL_TRES_NODE] = 1;
	job->tres_asked[CTL_TRES_BILLING] = cpus;
	return job;
}

const char *lw_submit(struct limits_world *w, struct ctl_job *job)
{
	const enum sl_reason reason = ctl_limits_submit(&w->c, job);
	if (reason == SL_REASON_NONE)
		ctl_limits_submitted(&w->c, job, true);
	return sl_reason_name(reason);
}

const char *lw_try(struct limits_world *w, struct ctl_job *job)
{
	if (job->assoc == CTL_NO_ROW)
		(void)ctl_acct_find(&w->c, job);
	const enum sl_reason before = ctl_limits_pre(&w->c, job);
	return sl_reason_name(
		before != SL_REASON_NONE ? before : ctl_limits_post(&w->c, job, job->tres_asked));
}

void lw_start(struct limits_world *w, struct ctl_job *job)
{
	if (job->assoc == CTL_NO_ROW)
		(void)ctl_acct_find(&w->c, job);
	memcpy(job->tres_held, job->tres_asked, sizeof(job->tres_held));
	job->start = w->c.now;
	job->state = CTL_RUNNING;
	ctl_limits_begin(&w->c, job);
	job->next = w->c.running_first;
	w->c.running_first = job->row;
}

void lw_stop(struct limits_world *w, struct ctl_job *job)
{
	uint32_t *link = &w->c.running_first;
	while (*link != job->row)
		link = &w->job[*link].next;
	*link = job->next;
	ctl_limits_end(&w->c, job);
	ctl_limits_submitted(&w->c, job, false);
	job->state = CTL_ENDED;
}
