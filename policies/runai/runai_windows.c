/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_windows.c - planned down time: nodes in an operator's window are drained, as by `kubectl drain`.
 *
 * KAI knows of no windows, and plans nothing around them. When one begins its nodes are cordoned, and every
 * pod there is evicted, be it preemptible or not; jobs wait anew. When it ends the nodes are back.
 */
#include "policies/runai/runai.h"

static struct kai *kai_of(const struct runai *r, uint32_t node)
{
	return r->instance[r->node_instance[node]].kai;
}

int runai_windows_make(struct runai *r, struct sl_err *err)
{
	const struct sl_cluster *cluster = r->cluster;
	r->node_down = sl_alloc(r->arena, (size_t)cluster->node_count + 1, sizeof(*r->node_down));
	r->node_unavailable =
		sl_alloc(r->arena, (size_t)cluster->node_count + 1, sizeof(*r->node_unavailable));
	if (!r->node_down || !r->node_unavailable)
		return sl_fail_memory(err);
	for (uint32_t node = 0; node < cluster->node_count; node++)
		r->node_down[node] = !kai_of(r, node)->node[r->node_row[node]].ready;
	for (uint32_t i = 0; i < cluster->window_count; i++) {
		if (cluster->window[i].until <= r->now)
			continue;
		runai_due(r, cluster->window[i].until, RUNAI_DUE_OPEN, i);
		runai_due(r, cluster->window[i].from, RUNAI_DUE_UNAVAILABLE, i);
	}
	return SL_OK;
}

/* True: it is another now. */
static bool set_ready(struct runai *r, uint32_t node)
{
	struct kai *kai = kai_of(r, node);
	const bool ready = !r->node_down[node] && !r->node_unavailable[node];
	if (kai->node[r->node_row[node]].ready == ready)
		return false;
	kai_node_ready(kai, r->node_row[node], ready);
	return true;
}

bool runai_node_set(struct runai *r, uint32_t node, bool up)
{
	r->node_down[node] = !up;
	return set_ready(r, node);
}

static bool is_there(const struct kai *kai, const struct kai_job *job, const struct sl_window *window)
{
	for (uint32_t i = 0; i < job->task_count; i++) {
		const struct kai_task *task = &kai->task[job->task + i];
		if (task->node < 0)
			continue;
		const uint32_t node = kai->node[task->node].row_outside;
		for (uint32_t k = 0; k < window->node_count; k++)
			if (window->node[k] == node)
				return true;
	}
	return false;
}

static void drain_instance(struct runai *r, struct kai *kai, const struct sl_window *window)
{
	for (uint32_t i = 0; i < kai->job_count; i++) {
		const struct kai_job *job = &kai->job[i];
		if (job->gone || r->run[job->row_outside].stage != RUNAI_RUNS || !is_there(kai, job, window))
			continue;
		for (uint32_t k = 0; k < job->task_count; k++)
			if (kai_active_allocated((enum kai_state)kai->task[job->task + k].state))
				kai_evict_task(kai, job->task + k);
		runai_drained(r, job->row_outside);
	}
}

void runai_window(struct runai *r, uint32_t number, bool begins)
{
	const struct sl_window *window = &r->cluster->window[number];
	for (uint32_t i = 0; i < window->node_count; i++) {
		if (begins)
			r->node_unavailable[window->node[i]]++;
		else if (r->node_unavailable[window->node[i]])
			r->node_unavailable[window->node[i]]--;
		(void)set_ready(r, window->node[i]);
	}
	for (uint32_t i = 0; begins && i < r->instance_count; i++)
		drain_instance(r, r->instance[i].kai, window);
}
