/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_why.c - why a job waits, in sentences with KAI's figures (reasons of unschedulable workloads:
 * pkg/scheduler/api, plugins proportion and predicates).
 */
#include "policies/runai/runai.h"
#include "policies/runai/runai_match.h"

#include <stdio.h>
#include <string.h>

const char *runai_action_name(enum kai_action action)
{
	static const char *const name[KAI_ACTIONS + 1] = { [KAI_ALLOCATE] = "allocate",
		[KAI_CONSOLIDATION] = "consolidation",
		[KAI_RECLAIM] = "reclaim",
		[KAI_PREEMPT] = "preempt",
		[KAI_STALE] = "stalegangeviction",
		[KAI_ACTIONS] = "" };
	return name[action];
}

void runai_figure(enum kai_res res, int64_t amount, char *to)
{
	static const char *const unit[] = { [KAI_CPU] = "cpu", [KAI_MEM] = "MiB", [KAI_GPUS] = "GPU" };
	const int64_t reported = runai_reported(res, amount);
	if (amount == KAI_UNLIMITED) {
		(void)snprintf(to, 48, "unlimited");
		return;
	}
	char *end = sl_put_micro(to, reported);
	(void)snprintf(end, (size_t)(48 - (end - to)), " %s%s", unit[res],
		res != KAI_MEM && reported != INT64_C(1000000) ? "s" : "");
}

/* Of the limit or quota of a queue on the way up. */
static void gate_text(const struct runai *r, const struct kai_job *job, char *text, size_t size)
{
	const struct kai_queue *queue =
		&r->instance[r->run[job->row_outside].instance].kai->queue[job->why_queue];
	const char *kind = runai_kind_of(r, job->why_queue);
	char asked[48], held[48], bound[48];
	runai_figure(job->why_res, job->why_a, asked);
	runai_figure(job->why_res, job->why_b, held);
	runai_figure(job->why_res, job->why_c, bound);
	if (job->why == KAI_OVER_LIMIT)
		(void)snprintf(text, size, "it asks %s; %s '%.100s' has a limit of %s, and %s are allocated",
			asked, kind, queue->name, bound, held);
	else
		(void)snprintf(text, size,
			"it is not preemptible and asks %s; %s '%.100s' has a quota of %s, and %s are allocated to such "
			"jobs: only a preemptible one may go over the quota",
			asked, kind, queue->name, bound, held);
}

/* A task that found no node: what lacks where now. */
static void pods_text(struct kai *kai, uint32_t job, char *text, size_t size)
{
	const struct kai_job *row = &kai->job[job];
	uint32_t count[KAI_LACK_BITS];
	if (row->why_c < 0 || row->why_c >= row->task_count)
		return;
	const uint32_t nodes = kai_lacking(kai, row->task + (uint32_t)row->why_c, NULL, count);
	int used = snprintf(text, size,
		"%lld of its %u pods have a place, the next has none on %u nodes:", (long long)row->why_a,
		row->task_count, nodes);
	bool any = false;
	for (uint32_t bit = 0; bit < KAI_LACK_BITS; bit++) {
		if (!count[bit] || used < 0 || (size_t)used >= size)
			continue;
		used += snprintf(text + used, size - (size_t)used, "%s %u %s", any ? "," : "", count[bit],
			kai_lack_text((enum kai_lack)(1U << bit)));
		any = true;
	}
	if (!any && used > 0 && (size_t)used < size)
		(void)snprintf(text + used, size - (size_t)used,
			" some have room for it alone, none for all of them");
}

static void topology_text(const struct kai_job *job, char *text, size_t size)
{
	(void)snprintf(text, size,
		"no domain of the topology that it requires has room for its %lld pods at once: the most that one holds "
		"is %lld",
		(long long)job->why_a, (long long)job->why_b);
}

static void delay_text(const struct kai_job *job, char *text, size_t size)
{
	char at[40];
	*sl_put_micro(at, job->why_a) = '\0';
	(void)snprintf(text, size,
		"nothing is free for it, and before %s s it is not to have others evicted (preemption delay)",
		at);
}

static void queue_text(const struct runai *r, uint32_t row, char *text, size_t size)
{
	const struct runai_job *said = &r->run[row].said;
	struct runai_facts facts = { 0 };
	runai_facts_of(&facts, r->jobs, row, r->cluster, NULL);
	const char *name = said->queue_name ? said->queue_name : facts.queue;
	if (said->queue != KAI_NO)
		(void)snprintf(text, size, "the queue that '%.100s' names as its parent is not there",
			r->config.queue[said->queue].name);
	else if (name)
		(void)snprintf(text, size, "there is no project or queue '%.100s'", name);
	else
		(void)snprintf(text, size, "no project is its: its user is '%.100s', its account '%.100s'",
			facts.user ? facts.user : "", facts.account ? facts.account : "");
}

static void other_text(struct runai *r, uint32_t row, char *text, size_t size)
{
	const struct runai_run *run = &r->run[row];
	struct kai *kai = r->instance[run->instance].kai;
	const struct kai_job *job = &kai->job[run->job];
	switch ((enum kai_why)job->why) {
	case KAI_OVER_LIMIT:
	case KAI_NP_OVER_QUOTA:
		gate_text(r, job, text, size);
		break;
	case KAI_DELAY_NOT_ELAPSED:
		delay_text(job, text, size);
		break;
	case KAI_POD_ERRORS:
		pods_text(kai, run->job, text, size);
		break;
	case KAI_TOPOLOGY:
		topology_text(job, text, size);
		break;
	case KAI_WHY_NONE:
	case KAI_QUEUE_DOES_NOT_EXIST:
	case KAI_NOT_READY:
		break;
	}
}

void runai_why(struct runai *r, uint32_t row, char *text, size_t size)
{
	const struct runai_run *run = &r->run[row];
	const enum sl_reason reason = (enum sl_reason)r->engine.reason[row];
	*text = '\0';
	if (reason == SL_REASON_QUEUE_DOES_NOT_EXIST)
		queue_text(r, row, text, size);
	else if (reason == SL_REASON_MISCONFIGURED && run->said.queue != KAI_NO)
		(void)snprintf(text, size, "project '%.100s' takes no jobs of type %s",
			r->config.queue[run->said.queue].name, runai_type_name(run->said.type));
	else if (reason == SL_REASON_WAITING_FOR_PREEMPTED)
		(void)snprintf(text, size, "it starts when those that were evicted for it have stopped");
	else if (run->job != KAI_NO)
		other_text(r, row, text, size);
}
