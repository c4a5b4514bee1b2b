/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid_share.c - nodes that change sides: share=move and share=pods.
 *
 * share=move is a rule of ours, as operators write such scripts: every move-every, if one side's jobs wait
 * for nodes and the other's do not, idle nodes of the other go over, as many as a job needs or none for it.
 *
 * share=pods: each of Slurm's nodes is a pod that fills a node of Kubernetes
 * (https://docs.coreweave.com/products/sunk/discover_sunk/compute_and_login_nodes). Pods of higher priority
 * preempt it, as in Kubernetes
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/); it comes back once it
 * fits. That node pods have a priority of their own, and the times, are assumed. SUNK's own locking, by
 * which a starting Slurm job evicts pods, is not this.
 */
#include "policies/hybrid/hybrid.h"

#include <stdlib.h>
#include <string.h>

/* ---- One node's way -------------------------------------------------------------------------- */

/* As the engine has it, whatever the node masks. */
static bool is_usable(const struct sl_pass *pass, uint32_t n)
{
	return sl_node_is_up(pass, n) && !sl_node_is_drained(pass, n);
}

static enum hybrid_side other(enum hybrid_side side)
{
	return side == HYBRID_SLURM ? HYBRID_KUBE : HYBRID_SLURM;
}

/* Jobs on each node, by what the engine has now. */
static void look_at_nodes(struct hybrid *h, const struct sl_pass *pass)
{
	for (uint32_t n = 0; n < h->cluster->node_count; n++)
		h->node[n].busy = false;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job)) {
		const struct sl_node_tasks *alloc;
		const size_t count = sl_node_tasks_of(pass, job, &alloc);
		for (size_t i = 0; i < count; i++)
			h->node[alloc[i].node].busy = true;
	}
}

static void hybrid_share_table(
	struct hybrid *h, struct sl_pass *pass, enum hybrid_side side, uint32_t n, uint8_t unavailable)
{
	const bool opens = !unavailable;
	h->child[side].unavailable[n] = unavailable;
	hybrid_report_child(h, pass, side,
		&(struct sl_event){ sl_now(pass), opens ? SL_EV_NODE_UP : SL_EV_NODE_DOWN, n });
}

/* It leaves: unavailable on its side from now on, and gone `delay` after it is empty. A job that was started
 * there at this very instant still is: whether it is empty counts from the next instant on. */
static void hybrid_share_leave(
	struct hybrid *h, struct sl_pass *pass, uint32_t n, sl_time delay, const char *why)
{
	struct hybrid_node *node = &h->node[n];
	const sl_time now = sl_now(pass);
	if (SL_GROW(h->move, h->move_capacity, h->move_count + 1, &h->err))
		return;
	h->move[h->move_count] = (struct hybrid_move){
		.at = now, .left = SL_NONE, .came = SL_NONE, .node = n, .from = node->owner, .why = why
	};
	node->move = h->move_count++;
	node->phase = HYBRID_DRAINING;
	node->ready = node->busy ? SL_NEVER : now + (delay > 0 ? delay : 1);
	node->kill = SL_NEVER;
	if (!node->busy) {
		node->phase = HYBRID_MOVING;
		h->move[node->move].left = now;
	}
	hybrid_share_table(h, pass, (enum hybrid_side)node->owner, n, 1);
}

static void arrive(struct hybrid *h, struct sl_pass *pass, uint32_t n)
{
	struct hybrid_node *node = &h->node[n];
	h->move[node->move].came = sl_now(pass);
	node->owner = (uint8_t)other((enum hybrid_side)node->owner);
	node->phase = HYBRID_HERE;
	node->ready = node->kill = SL_NEVER;
	node->idle_since = sl_now(pass);
	hybrid_share_table(h, pass, (enum hybrid_side)node->owner, n, 0);
}

static sl_time delay_of(const struct hybrid *h, const struct hybrid_node *node)
{
	if (h->share == HYBRID_MOVE)
		return h->delay;
	return node->owner == HYBRID_SLURM ? h->stop : h->boot;
}

/* What is due of a node that leaves. */
static void go_on(struct hybrid *h, struct sl_pass *pass, uint32_t n)
{
	struct hybrid_node *node = &h->node[n];
	const sl_time now = sl_now(pass);
	if (node->busy) { /* Of one that seemed idle: it was allocated at the instant of its leaving. */
		node->phase = HYBRID_DRAINING;
		node->ready = SL_NEVER;
		h->move[node->move].left = SL_NONE;
		if (node->kill <= now) {
			node->kill = SL_NEVER;
			hybrid_share_table(h, pass, (enum hybrid_side)node->owner, n, 2);
		}
		return;
	}
	if (node->phase == HYBRID_DRAINING) {
		node->phase = HYBRID_MOVING;
		node->kill = SL_NEVER;
		h->move[node->move].left = now;
		node->ready = now + delay_of(h, node);
	}
	if (node->ready <= now)
		arrive(h, pass, n);
}

/* ---- Which side needs nodes, which has idle ones --------------------------------------------- */

struct choice {
	sl_time key;
	uint32_t node;
};

static int by_key(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool wants(struct hybrid *h, const struct sl_pass *pass, sl_job job)
{
	if (!hybrid_waits_for_nodes(pass, job))
		return false;
	return h->share != HYBRID_PODS || h->side[job.row] != HYBRID_KUBE ||
	       hybrid_priority(h, job.row) > h->pods_priority;
}

static bool anybody_waits(struct hybrid *h, const struct sl_pass *pass, enum hybrid_side side)
{
	for (sl_job job = sl_lane_first(pass, side); sl_job_is(job); job = sl_lane_after(pass, side, job))
		if (wants(h, pass, job))
			return true;
	return false;
}

/* When what runs on a busy node is over, by limits (soonest first), or, to be killed, when the latest of it
 * began (latest first). */
static sl_time key_of_busy(const struct hybrid *h, const struct sl_pass *pass, uint32_t n)
{
	sl_time key = SL_NONE;
	for (sl_job job = sl_running_first(pass); sl_job_is(job); job = sl_running_next(pass, job)) {
		if (!sl_holds_on(pass, job, n))
			continue;
		const sl_time its =
			h->share == HYBRID_PODS ? sl_start_of(pass, job) : sl_expected_end(pass, job);
		key = its > key ? its : key;
	}
	return h->share == HYBRID_PODS ? -key : key;
}

static bool busy_too(const struct hybrid *h, enum hybrid_side from)
{
	if (h->share == HYBRID_PODS)
		return h->evict_busy && from == HYBRID_SLURM;
	/* Kueue evicts pods from a node that is drained. */
	return h->drain && (from == HYBRID_SLURM || strcmp(h->child[HYBRID_KUBE].policy->name, "kueue") != 0);
}

static uint32_t at_home(const struct hybrid *h, enum hybrid_side side)
{
	uint32_t count = 0;
	for (uint32_t n = 0; n < h->cluster->node_count; n++)
		count += h->node[n].owner == side && h->node[n].phase == HYBRID_HERE;
	return count;
}

/* Nodes that may go, in their order: idle ones, longest idle first, then busy ones, where these may, and
 * while no idle one is just too young to go. */
static uint32_t list_nodes(
	struct hybrid *h, const struct sl_pass *pass, enum hybrid_side from, struct choice *list)
{
	uint32_t count = 0;
	bool young = false;
	const sl_time idle_for = h->share == HYBRID_MOVE ? h->idle_for : 0;
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const struct hybrid_node *node = &h->node[n];
		const bool here = node->owner == from && node->phase == HYBRID_HERE && !node->busy;
		if (!here || node->idle_since == SL_NONE || !is_usable(pass, n))
			continue;
		if (sl_now(pass) - node->idle_since >= idle_for)
			list[count++] = (struct choice){ node->idle_since, n };
		else
			young = true;
	}
	qsort(list, count, sizeof(*list), by_key);
	const uint32_t idle = count;
	for (uint32_t n = 0; n < h->cluster->node_count && !young && busy_too(h, from); n++)
		if (h->node[n].owner == from && h->node[n].phase == HYBRID_HERE && h->node[n].busy)
			list[count++] = (struct choice){ key_of_busy(h, pass, n), n };
	qsort(list + idle, count - idle, sizeof(*list), by_key);
	return count;
}

/* Nodes that the side has idle, or that come: they are for its waiting jobs before others move. */
static uint32_t spare_of(const struct hybrid *h, const struct sl_pass *pass, enum hybrid_side side)
{
	uint32_t count = 0;
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const struct hybrid_node *node = &h->node[n];
		const bool here = node->owner == side && !node->busy;
		const bool comes = node->owner != side;
		count += is_usable(pass, n) && (node->phase == HYBRID_HERE ? here : comes);
	}
	return count;
}

/* Of the list, those that would do for the job, as many as it lacks; into h->pick. 0: it lacks none, or they
 * do not suffice. */
static uint32_t pick_for(struct hybrid *h, sl_job job, uint32_t *spare, const struct choice *list,
	uint32_t count, uint32_t most)
{
	uint32_t found = 0, lacks = 0;
	for (uint32_t i = 0; i < count && (!lacks || found < lacks); i++) {
		const uint32_t needs = hybrid_needs(h, job.row, h->cluster->node_type[list[i].node]);
		if (!needs)
			continue;
		if (!lacks && needs <= *spare) {
			*spare -= needs;
			return 0;
		}
		lacks = lacks ? lacks : needs - *spare;
		h->pick[found++] = i;
	}
	return found < lacks || found > most ? 0 : found;
}

static void send(struct hybrid *h, struct sl_pass *pass, uint32_t n)
{
	const bool busy = h->node[n].busy;
	if (h->share == HYBRID_MOVE) {
		hybrid_share_leave(h, pass, n, h->delay, busy ? "drained" : "idle");
		return;
	}
	hybrid_share_leave(h, pass, n, h->stop, busy ? "evicted" : "preempted");
	if (busy)
		h->node[n].kill = sl_now(pass) + (h->grace > 0 ? h->grace : 1);
}

/* Those that were picked go, and leave the list. */
static uint32_t send_picked(
	struct hybrid *h, struct sl_pass *pass, struct choice *list, uint32_t count, uint32_t picked)
{
	uint32_t kept = 0, at = 0;
	for (uint32_t i = 0; i < count; i++)
		if (at < picked && h->pick[at] == i) {
			send(h, pass, list[i].node);
			at++;
		} else
			list[kept++] = list[i];
	return kept;
}

static void give(struct hybrid *h, struct sl_pass *pass, enum hybrid_side to, struct choice *list)
{
	const enum hybrid_side from = other(to);
	uint32_t count = list_nodes(h, pass, from, list), spare = spare_of(h, pass, to);
	const int64_t here = at_home(h, from);
	uint32_t most = here > h->min[from] ? (uint32_t)(here - h->min[from]) : 0;
	for (sl_job job = sl_lane_first(pass, to); sl_job_is(job) && count && most;
		job = sl_lane_after(pass, to, job)) {
		const uint32_t picked = wants(h, pass, job) ? pick_for(h, job, &spare, list, count, most) : 0;
		if (!picked)
			continue;
		spare = 0;
		most -= picked;
		count = send_picked(h, pass, list, count, picked);
	}
}

/* ---- The rules ------------------------------------------------------------------------------- */

static void look_move(struct hybrid *h, struct sl_pass *pass, struct choice *list)
{
	const bool slurm = anybody_waits(h, pass, HYBRID_SLURM);
	const bool kube = anybody_waits(h, pass, HYBRID_KUBE);
	if (slurm != kube)
		give(h, pass, slurm ? HYBRID_SLURM : HYBRID_KUBE, list);
}

/* No pod of higher priority waits that could use it. */
static bool is_spare(struct hybrid *h, const struct sl_pass *pass, uint32_t n)
{
	for (sl_job job = sl_lane_first(pass, HYBRID_KUBE); sl_job_is(job);
		job = sl_lane_after(pass, HYBRID_KUBE, job))
		if (wants(h, pass, job) && hybrid_needs(h, job.row, h->cluster->node_type[n]))
			return false;
	return true;
}

static void look_pods(struct hybrid *h, struct sl_pass *pass, struct choice *list)
{
	if (anybody_waits(h, pass, HYBRID_KUBE))
		give(h, pass, HYBRID_KUBE, list);
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const struct hybrid_node *node = &h->node[n];
		const bool away = node->home == HYBRID_SLURM && node->owner == HYBRID_KUBE;
		if (away && node->phase == HYBRID_HERE && !node->busy && sl_now(pass) > node->idle_since &&
			is_spare(h, pass, n))
			hybrid_share_leave(h, pass, n, h->boot, "back");
	}
}

/* ---- When ------------------------------------------------------------------------------------ */

static sl_time sooner(sl_time a, sl_time b) { return a < b ? a : b; }

static sl_time next_look(const struct hybrid *h, sl_time now) { return now - now % h->every + h->every; }

sl_time hybrid_share_after(const struct hybrid *h, sl_time now)
{
	if (h->share == HYBRID_STATIC)
		return SL_NEVER;
	return h->share == HYBRID_MOVE ? next_look(h, now) : now + h->stop;
}

/* Of moves in progress; and of idle nodes that may go once they have been idle for long enough. */
static sl_time next_due(struct hybrid *h, const struct sl_pass *pass, sl_time now)
{
	sl_time next = SL_NEVER;
	bool young = false;
	for (uint32_t n = 0; n < h->cluster->node_count; n++) {
		const struct hybrid_node *node = &h->node[n];
		if (node->phase != HYBRID_HERE)
			next = sooner(next, sooner(node->ready, node->kill));
		else if (!node->busy && node->idle_since != SL_NONE)
			young |= now - node->idle_since < h->idle_for;
	}
	if (h->share == HYBRID_MOVE && young &&
		(anybody_waits(h, pass, HYBRID_SLURM) || anybody_waits(h, pass, HYBRID_KUBE)))
		next = sooner(next, next_look(h, now));
	return next;
}

sl_time hybrid_share_look(struct hybrid *h, struct sl_pass *pass, sl_time now)
{
	const bool due = h->share == HYBRID_PODS || now % h->every == 0;
	if (h->share == HYBRID_STATIC)
		return SL_NEVER;
	look_at_nodes(h, pass);
	for (uint32_t n = 0; n < h->cluster->node_count; n++)
		if (h->node[n].phase != HYBRID_HERE)
			go_on(h, pass, n);
	struct choice *list = due ? malloc(((size_t)h->cluster->node_count + 1) * sizeof(*list)) : NULL;
	if (due && !list)
		(void)sl_fail_memory(&h->err);
	else if (due)
		(h->share == HYBRID_MOVE ? look_move : look_pods)(h, pass, list);
	free(list);
	return next_due(h, pass, now);
}
