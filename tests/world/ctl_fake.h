/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_fake.h - jobs that a test puts into the controller's lists itself, in place of the modules that would:
 * for tests of node states and reservations. One test is one process.
 */
#ifndef SL_TEST_CTL_FAKE_H
#define SL_TEST_CTL_FAKE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "policies/slurm/control/ctl_bits.h"
#include "tests/world/ctl_world.h"

enum { FAKES = 8 };

struct fakes {
	struct ctl_world w;
	struct ctl *c;
	struct ctl_job job[FAKES];
	struct sl_job_desc desc[FAKES];
	uint32_t count;
	uint64_t set[16]; /* Nodes of the last query. */
	struct ctl_resv_left left;
	char text[300];
};

/* The controller of that slurm.conf at T0, with no job but the test's own. */
static inline void fake_begin(struct fakes *f, const char *conf)
{
	static const char *users[] = { "u1", "u2", "root" };
	f->w.conf = conf;
	f->w.jobs = "1 0 10 -n1\n";
	f->c = cw_make(&f->w);
	f->c->job = f->job;
	f->c->user_name = users;
	f->c->user_count = SL_LEN(users);
}

/* A new job of that user (0: u1, 1: u2, 2: root), nowhere yet. */
static inline struct ctl_job *fake_job(struct fakes *f, uint32_t user)
{
	static const struct sl_job_attributes nothing = { .array = SL_NONE };
	cr_assert_lt(f->count, FAKES);
	struct sl_job_desc *desc = &f->desc[f->count];
	struct ctl_job *job = &f->job[f->count];
	sl_job_desc_clear(desc);
	desc->nodes_min = desc->nodes_max = 1;
	desc->mem_per_node = 10;
	*job = (struct ctl_job){ .row = f->count++,
		.more = &nothing,
		.user = user,
		.user_name = f->c->user_name[user],
		.assoc = CTL_NO_ROW,
		.qos = CTL_NO_ROW,
		.array = CTL_NO_ROW,
		.resv = CTL_NO_ROW,
		.state = CTL_PENDING,
		.desc = { .desc = desc, .user = (int32_t)user },
		.next = CTL_NO_ROW,
		.before = CTL_NO_ROW,
		.time_limit = 1,
		.requeue_ok = true };
	return job;
}

/* Appends it to a list. */
static inline void fake_list(
	struct fakes *f, struct ctl_job *job, uint32_t *first, uint32_t *last, uint32_t *count)
{
	job->before = *last;
	*(*last == CTL_NO_ROW ? first : &f->c->job[*last].next) = job->row;
	*last = job->row;
	++*count;
}

static inline void fake_waits(struct fakes *f, struct ctl_job *job)
{
	struct ctl *c = f->c;
	fake_list(f, job, &c->pending_first, &c->pending_last, &c->pending_count);
}

/* It runs on these nodes from now on, by its limit (minutes) until then. */
static inline struct ctl_job *fake_runs(
	struct fakes *f, uint32_t user, const char *nodes, uint32_t count, int64_t limit)
{
	struct ctl *c = f->c;
	struct ctl_job *job = fake_job(f, user);
	const struct select_alloc *out;
	struct sl_job_desc *desc = &f->desc[job->row];
	desc->nodelist = nodes;
	desc->nodes_min = desc->nodes_max = count;
	desc->exclusive = SL_EXCLUSIVE_NODE;
	cr_assert_eq(select_place(c->select, &job->desc, NULL, SELECT_NOW, &out), SELECT_FITS);
	job->alloc = select_take(c->select, out);
	job->state = CTL_RUNNING;
	job->start = c->now;
	job->time_limit = limit;
	job->end_limit = c->now + limit * 60;
	fake_list(f, job, &c->running_first, &c->running_last, &c->running_count);
	ctl_node_started(c, job);
	return job;
}

/* It was the only one that ran. */
static inline void fake_ends(struct fakes *f, struct ctl_job *job)
{
	struct ctl *c = f->c;
	ctl_node_ended(c, job);
	select_give(c->select, job->alloc);
	job->alloc = NULL;
	job->state = CTL_ENDED;
	c->running_first = c->running_last = CTL_NO_ROW;
	c->running_count = 0;
}

/* "1-3,7": nodes by number, from 1. */
static inline const char *fake_nodes(struct fakes *f, const uint64_t *set)
{
	const char *name[64];
	size_t count = 0;
	for (uint32_t n = 0; n < f->c->cluster->node_count; n++)
		if (nset_has(set, n))
			name[count++] = f->c->cluster->node_name[n];
	f->text[0] = '\0';
	if (count)
		(void)sl_hosts_fold(name, count, f->text, sizeof(f->text));
	return f->text;
}

/* What it may use from that second on, of all nodes: "n[1-2]", with "+overlap"; or what keeps it: "maint",
 * "busy", "not usable". */
static inline const char *fake_may(struct fakes *f, struct ctl_job *job, int64_t second, int64_t minutes)
{
	nset_fill(f->set, f->c->cluster->node_count);
	const enum ctl_status status = ctl_resv_nodes(f->c, job, CW_T0 + second, minutes, f->set, &f->left);
	if (status == CTL_RESERVATION_MAINT)
		return "maint";
	if (status == CTL_NODES_BUSY)
		return "busy";
	if (status != CTL_OK)
		return status == CTL_RESERVATION_NOT_USABLE ? "not usable" : "?";
	(void)fake_nodes(f, f->set);
	if (f->left.overlap)
		(void)snprintf(f->text + strlen(f->text), sizeof(f->text) - strlen(f->text), "+overlap");
	return f->text;
}

/* The state of each node, as sinfo has it: "idle idle~ drng". */
static inline const char *fake_states(struct fakes *f)
{
	size_t len = 0;
	f->text[0] = '\0';
	for (uint32_t n = 0; n < f->c->cluster->node_count; n++)
		len += (size_t)snprintf(
			f->text + len, sizeof(f->text) - len, "%s%s", n ? " " : "", ctl_node_state(f->c, n));
	return f->text;
}

#endif
