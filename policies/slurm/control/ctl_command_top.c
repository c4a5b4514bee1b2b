/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command_top.c - scontrol top: jobs change places in the queue with others of their user (_set_top()).
 *
 * The listed jobs get the highest priorities that they and the other waiting jobs of the same user, account,
 * partition and QOS have among them. The others pay for it, in equal parts and in order of submission, so
 * that the sum of all stays; each one's nice value goes along. Whether users may do it (enable_user_top) does
 * not matter: commands are root's.
 */
#include <stdlib.h>

#include "policies/slurm/control/ctl_command.h"
#include "policies/slurm/control/ctl_place.h"

struct top {
	struct ctl *c;
	struct ctl_job **listed, **other; /* Each a record of its own, or the head of an array. */
	uint32_t listed_count, other_count;
	uint32_t *priority; /* Of all of them. */
	uint32_t priority_count;
	uint8_t *met; /* By row. */
};

/* Waiting tasks of an array are one record, which is the first of them. */
static bool is_record(const struct ctl *c, const struct ctl_job *job)
{
	const struct ctl_array *array = ctl_is_alone(job) ? NULL : &c->array[job->array];
	for (uint32_t i = 0; array && i < array->count; i++) {
		const struct ctl_job *task = &c->job[array->job[i]];
		if (task->state == CTL_PENDING && !ctl_is_alone(task))
			return task == job;
	}
	return true;
}

static void top_take(struct top *t, struct ctl_job *job)
{
	t->met[job->row] = 1;
	t->priority[t->priority_count++] = job->priority;
}

/* False: one of them is in several partitions, which refuses all; or none is left. */
static bool take_listed(struct top *t, const struct command *command)
{
	for (uint32_t i = 0; i < command->row_count; i++) {
		struct ctl_job *job = &t->c->job[command->row[i]];
		if (job->state != CTL_PENDING || t->met[job->row] || !is_record(t->c, job))
			continue;
		if (job->part_count > 1)
			return false;
		if (!job->priority)
			continue;
		t->listed[t->listed_count++] = job;
		top_take(t, job);
	}
	return t->listed_count > 0;
}

/* Those that may be lowered: one of priority 1 would be held. */
static void take_others(struct top *t)
{
	struct ctl *c = t->c;
	const struct ctl_job *first = t->listed[0];
	for (uint32_t row = c->pending_first; row != CTL_NO_ROW; row = c->job[row].next) {
		struct ctl_job *job = &c->job[row];
		if (t->met[row] || job->part_count > 1 || job->priority <= 1 || job->assoc != first->assoc ||
			job->part != first->part || job->qos != first->qos || job->user != first->user ||
			!is_record(c, job))
			continue;
		t->other[t->other_count++] = job;
		top_take(t, job);
	}
}

static int higher_first(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x < y) - (x > y);
}

/* To its new priority; an array's waiting tasks go with their head. */
static void top_move(struct top *t, struct ctl_job *job, uint32_t priority)
{
	const struct ctl_array *array = ctl_is_alone(job) ? NULL : &t->c->array[job->array];
	ctl_prio_move(t->c, job, priority);
	for (uint32_t i = 0; array && i < array->count; i++) {
		struct ctl_job *task = &t->c->job[array->job[i]];
		if (task != job && task->state == CTL_PENDING && !ctl_is_alone(task))
			ctl_prio_move(t->c, task, priority);
	}
}

static void top_exchange(struct top *t)
{
	int64_t total = 0; /* That the listed have gained, and the others have not paid yet. */
	uint32_t last = UINT32_MAX;
	qsort(t->priority, t->priority_count, sizeof(*t->priority), higher_first);
	for (uint32_t i = 0; i < t->listed_count; i++) {
		struct ctl_job *job = t->listed[i];
		uint32_t next = t->priority[i];
		if (next == last && last > 2)
			next = last - 1;
		last = next;
		total += (int64_t)next - job->priority;
		top_move(t, job, next);
	}
	for (uint32_t i = 0; i < t->other_count; i++) {
		struct ctl_job *job = t->other[i];
		int64_t less = total / (int64_t)(t->other_count - i);
		if ((int64_t)job->priority - less >= last)
			less = (int64_t)job->priority - last + 1;
		total -= less;
		top_move(t, job, (uint32_t)((int64_t)job->priority - less));
	}
}

bool command_top(struct ctl *c, const struct command *command)
{
	const size_t jobs = c->job_count;
	struct top t = { .c = c,
		.listed = malloc((command->row_count + 1) * sizeof(struct ctl_job *)),
		.other = malloc((jobs + 1) * sizeof(struct ctl_job *)),
		.priority = malloc((jobs + 1) * sizeof(*t.priority)),
		.met = calloc(jobs + 1, sizeof(*t.met)) };
	bool done = false;
	if (!t.listed || !t.other || !t.priority || !t.met) {
		controller_no_memory(&c->engine);
	} else if (take_listed(&t, command)) {
		take_others(&t);
		top_exchange(&t);
		c->job_changes++;
		done = true;
	}
	free(t.listed);
	free(t.other);
	free(t.priority);
	free(t.met);
	return done;
}
