/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_table.c - the policy's own figures at a moment, for views and explain.
 *
 *   shares   a row for each queue, pool and resource: quota, limit, what it is entitled to (its fair share),
 * has, has over its quota, and waits for; parents before their children, and in the order in which KAI would
 * serve siblings by what they have (`order`, from 1) pending  a row for each job that waits: its row,
 * project, pool, KAI's reason and figures course   a row for each step of each job so far, in the order of
 * time: its row, when (in seconds), what
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/runai/runai.h"

#define NUMBER(value) \
	(struct sl_figure) { .text = NULL, .number = (value) }
#define WORD(value) \
	(struct sl_figure) { .text = (value), .number = (double)NAN }

/* ---- Shares ---- */

static int64_t over_of(const struct kai_queue *queue, enum kai_res res)
{
	const int64_t quota = queue->quota.at[res], used = queue->allocated.at[res];
	return quota == KAI_UNLIMITED || used <= quota ? 0 : used - quota;
}

static int list_cell(const struct runai *r, uint32_t instance, uint32_t queue, uint32_t order,
	enum kai_res res, const struct sl_table_sink *table)
{
	static const char *const column[] = { "queue", "kind", "parent", "pool", "resource", "order",
		"priority", "quota", "limit", "entitled", "allocated", "over", "waiting", "is_over" };
	const struct kai_queue *row = &r->instance[instance].kai->queue[queue];
	const uint32_t parent = r->config.queue[queue].parent;
	const int64_t waiting = kai_sub(row->request.at[res], row->allocated.at[res]);
	char quota[48], limit[48], fair[48], used[48], over[48], waits[48];
	runai_figure(res, row->quota.at[res], quota);
	runai_figure(res, row->limit.at[res], limit);
	runai_figure(res, row->fair.at[res], fair);
	runai_figure(res, row->allocated.at[res], used);
	runai_figure(res, over_of(row, res), over);
	runai_figure(res, waiting > 0 ? waiting : 0, waits);
	const struct sl_figure figure[SL_LEN(column)] = {
		WORD(row->name),
		WORD(runai_kind_of(r, queue)),
		WORD(parent == KAI_NO ? "" : r->config.queue[parent].name),
		WORD(r->config.pool[r->instance[instance].pool].name),
		WORD(kai_res_name(res)),
		NUMBER(order),
		NUMBER((double)row->priority),
		WORD(quota),
		WORD(limit),
		WORD(fair),
		WORD(used),
		WORD(over),
		WORD(waits),
		NUMBER(over_of(row, res) > 0),
	};
	return table->row(table->self, column, figure, SL_LEN(figure));
}

/* By what they have alone: the job that each would place next is not looked at. */
static int runai_table_compare(const void *a, const void *b, void *self)
{
	const struct kai *kai = self;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct kai_standing left = { &kai->queue[x], NULL, NULL },
				  right = { &kai->queue[y], NULL, NULL };
	const int order = kai_compare_queues(kai, &left, &right);
	return order ? order : (x > y) - (x < y);
}

static int list_below(const struct runai *r, uint32_t instance, const uint32_t *sibling, uint32_t count,
	const struct sl_table_sink *table)
{
	struct kai *kai = r->instance[instance].kai;
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
	int status = order ? SL_OK : SL_SYSTEM;
	if (order && count) {
		memcpy(order, sibling, count * sizeof(*order));
		qsort_r(order, count, sizeof(*order), runai_table_compare, kai);
	}
	for (uint32_t i = 0; i < count && !status; i++) {
		const struct kai_queue *row = &kai->queue[order[i]];
		for (int res = KAI_RES - 1; res >= 0 && !status; res--)
			status = list_cell(r, instance, order[i], i + 1, (enum kai_res)res, table);
		if (!status && row->child_count)
			status = list_below(r, instance, row->child, row->child_count, table);
	}
	free(order);
	return status;
}

static int list_shares(const struct runai *r, const struct sl_table_sink *table, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < r->instance_count && !status; i++)
		status = list_below(r, i, r->instance[i].kai->root, r->instance[i].kai->root_count, table);
	return status == SL_SYSTEM ? sl_fail_memory(err) : status;
}

/* ---- Who waits ---- */

static int list_job(struct runai *r, uint32_t row, const struct sl_table_sink *table)
{
	static const char *const column[] = { "job", "project", "pool", "type", "reason", "message" };
	const struct runai_run *run = &r->run[row];
	const uint32_t queue = run->said.queue;
	const enum sl_reason reason = (enum sl_reason)r->engine.reason[row];
	char text[1600];
	runai_why(r, row, text, sizeof(text));
	const struct sl_figure figure[SL_LEN(column)] = {
		NUMBER(row),
		WORD(queue == KAI_NO ? "" : r->config.queue[queue].name),
		WORD(r->config.pool[r->instance[run->instance].pool].name),
		WORD(runai_type_name(run->said.type)),
		WORD(reason < SL_REASON_COUNT ? sl_reason_name(reason) : ""),
		WORD(text),
	};
	return table->row(table->self, column, figure, SL_LEN(figure));
}

static int list_pending(struct runai *r, const struct sl_table_sink *table)
{
	int status = SL_OK;
	for (uint32_t row = 0; row < r->jobs->count && !status; row++)
		if (r->run[row].stage == RUNAI_WAITS)
			status = list_job(r, row, table);
	return status;
}

/* ---- What jobs went through ---- */

static const char *step_text(const struct runai_step *step)
{
	switch ((enum runai_stage)step->to) {
	case RUNAI_RUNS:
		return "its pods start";
	case RUNAI_STOPS:
		return "evicted";
	case RUNAI_WAITS:
	case RUNAI_AWAY:
		break;
	}
	if (step->from == RUNAI_AWAY)
		return "queued";
	return step->from == RUNAI_STOPS ? "its pods have stopped: queued again"
					 : "its pods were lost: queued again";
}

static int list_series(const struct runai *r, const struct sl_table_sink *table)
{
	static const char *const column[] = { "job", "at", "step" };
	int status = SL_OK;
	for (size_t i = 0; i < r->step_count && !status; i++) {
		const struct runai_step *step = &r->step[i];
		char at[40];
		*sl_put_micro(at, step->at) = '\0';
		const struct sl_figure figure[SL_LEN(column)] = { NUMBER(step->row), WORD(at),
			WORD(step_text(step)) };
		status = table->row(table->self, column, figure, SL_LEN(figure));
	}
	return status;
}

int runai_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err)
{
	struct runai *r = state;
	(void)pass;
	(void)at;
	if (strcmp(what, "shares") == 0)
		return list_shares(r, table, err);
	if (strcmp(what, "pending") == 0)
		return list_pending(r, table);
	if (strcmp(what, "course") == 0)
		return list_series(r, table);
	return SL_USAGE;
}
