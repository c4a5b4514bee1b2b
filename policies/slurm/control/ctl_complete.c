/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_complete.c - COMPLETING: from a job's end until its epilog is done on its nodes.
 *
 * At the end (deallocate_nodes()) its cores, memory and devices are released, and it counts in no limit any
 * more. But its nodes are in cg_node_bitmap (make_node_comp()): no job starts on them, whichever of their
 * cores it would have, and a plan that begins now begins a second later there. When a node's epilog is done
 * (make_node_idle()) it is as others again. With the last of its nodes the job is COMPLETED
 * (cleanup_completing()): its licences come back, those that gang scheduling suspended for it go on, those
 * that depend on its end may start, it is queued anew if it was requeued, and schedule() is called.
 *
 * A node that goes down completes nothing, nor does one that is being powered up.
 *
 * Times of ends are whole seconds, rounded down, and slurmctld's passes of that second mostly came before:
 * in recordings nobody started at the second in which a limit was released, but all in the next one. So
 * limits, counts of arrays and singletons are released behind the passes of the second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_bits.h"
#include "policies/slurm/control/ctl_node.h"

/* A job's epilog on a node. */
struct epilog {
	sl_time done;
	uint32_t row, node; /* CTL_NO_ROW: of a node that went down. */
};

/* In the order of their ends, which is that of their starts: each lasts as long. */
struct ctl_completes {
	sl_time length;
	uint64_t *nodes; /* cg_node_bitmap */
	size_t words;
	struct epilog *epilog; /* A ring. */
	size_t first, count, capacity;
	uint32_t *leaving; /* Rows: they ended at that second. */
	size_t leaving_count, leaving_capacity;
	ctl_time left;
};

/* What an epilog does, and how long it takes, no file of Slurm's says. */
void ctl_complete_warn(const struct ctl *c, const struct sl_setup *setup)
{
	char text[400];
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		if (strcasecmp(setting->kind, "cluster") != 0 || strcasecmp(setting->key, "Epilog") != 0)
			continue;
		(void)snprintf(text, sizeof(text),
			"%.150s:%" PRIu64 ":%" PRIu32
			": how long Epilog takes is not known: nodes are COMPLETING for 1 s, and jobs that wait for "
			"them start too early by what it takes more; set slurm:complete=TIME (schedlab-slurm(7))",
			setting->at.file ? setting->at.file : "", setting->at.line, setting->at.column);
		sl_warning(setup, text);
		return; /* Of several the first. */
	}
}

int ctl_complete_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_completes *all = c->completes = sl_alloc(c->arena, 1, sizeof(*all));
	if (!all)
		return sl_fail_memory(err);
	all->words = select_node_words(c->select);
	all->nodes = sl_alloc(c->arena, all->words + 1, sizeof(*all->nodes));
	all->length = c->params.complete;
	return all->nodes ? SL_OK : sl_fail_memory(err);
}

static struct epilog *epilog_at(const struct ctl_completes *all, size_t i)
{
	return &all->epilog[(all->first + i) % all->capacity];
}

/* What has gone round the end of a ring that has grown goes behind it. */
static bool ring_grows(struct ctl *c, size_t wanted)
{
	struct ctl_completes *all = c->completes;
	const size_t was = all->capacity;
	if (wanted <= was)
		return true;
	if (SL_GROW_IN(c->arena, all->epilog, all->capacity, 2 * wanted, NULL)) {
		controller_no_memory(&c->engine);
		return false;
	}
	const size_t round = all->first + all->count > was ? all->first + all->count - was : 0;
	if (round)
		memcpy(&all->epilog[was], all->epilog, round * sizeof(*all->epilog));
	return true;
}

ctl_time ctl_complete_until(const struct ctl *c, const struct ctl_job *job)
{
	return job->completing ? ctl_time_of(c, c->now_us + c->completes->length) : c->now;
}

static void begin_on(struct ctl *c, struct ctl_job *job, uint32_t n)
{
	struct ctl_completes *all = c->completes;
	if (!nset_has(ctl_nodes_up(c), n) || c->nodes->node[n].power == POWER_BOOTING)
		return;
	all->count++;
	*epilog_at(all, all->count - 1) =
		(struct epilog){ .done = c->now_us + all->length, .row = job->row, .node = n };
	c->nodes->node[n].completing++;
	nset_add(all->nodes, n);
	job->completing++;
}

/* Passes of the second are still to come. */
static void leaves_later(struct ctl *c, struct ctl_job *job)
{
	struct ctl_completes *all = c->completes;
	if (!job->completing || ctl_engine_time(c, c->now) != c->now_us)
		return;
	if (SL_GROW_IN(c->arena, all->leaving, all->leaving_capacity, all->leaving_count + 1, NULL)) {
		controller_no_memory(&c->engine);
		return;
	}
	all->leaving[all->leaving_count++] = job->row;
	all->left = c->now;
	job->leaving = true;
}

void ctl_complete_left(struct ctl *c)
{
	struct ctl_completes *all = c->completes;
	if (!all->leaving_count || all->left >= c->now)
		return;
	for (size_t i = 0; i < all->leaving_count; i++)
		ctl_left(c, &c->job[all->leaving[i]]);
	all->leaving_count = 0;
}

void ctl_complete_begin(struct ctl *c, struct ctl_job *job)
{
	if (!c->completes->length || !ring_grows(c, c->completes->count + job->alloc->node_count))
		return;
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		begin_on(c, job, job->alloc->node_alloc[i].node);
	leaves_later(c, job);
	c->node_changes++;
}

/* make_node_idle(): last_busy. */
static void node_done(struct ctl *c, uint32_t n)
{
	struct ctl_node *node = &c->nodes->node[n];
	node->completing--;
	if (node->completing)
		return;
	nset_drop(c->completes->nodes, n);
	if (!node->jobs && node->idle_since != CTL_NONE)
		node->idle_since = c->now;
}

static void epilog_done(struct ctl *c, struct epilog *epilog)
{
	struct ctl_job *job = &c->job[epilog->row];
	node_done(c, epilog->node);
	epilog->row = CTL_NO_ROW;
	job->completing--;
	if (!job->completing)
		ctl_completed(c, job);
	c->node_changes++;
	power_note(c);
}

void ctl_complete_run(struct ctl *c)
{
	struct ctl_completes *all = c->completes;
	ctl_complete_left(c);
	while (all->count && epilog_at(all, 0)->done <= c->now_us) {
		struct epilog *epilog = epilog_at(all, 0);
		if (epilog->row != CTL_NO_ROW)
			epilog_done(c, epilog);
		all->first = (all->first + 1) % all->capacity;
		all->count--;
	}
}

sl_time ctl_complete_next(const struct ctl *c)
{
	const struct ctl_completes *all = c->completes;
	const sl_time left = all->leaving_count ? ctl_engine_time(c, all->left + 1) : SL_NEVER;
	const sl_time done = all->count ? epilog_at(all, 0)->done : SL_NEVER;
	return left < done ? left : done;
}

void ctl_complete_lost(struct ctl *c, uint32_t n)
{
	struct ctl_completes *all = c->completes;
	if (!all || !c->nodes->node[n].completing)
		return;
	for (size_t i = 0; i < all->count; i++) {
		struct epilog *epilog = epilog_at(all, i);
		if (epilog->row != CTL_NO_ROW && epilog->node == n)
			epilog_done(c, epilog);
	}
}

const uint64_t *ctl_completing(const struct ctl *c)
{
	return c->completes->count ? c->completes->nodes : NULL;
}

bool ctl_complete_waits(const struct ctl *c, uint64_t *nodes)
{
	const struct ctl_completes *all = c->completes;
	bool some = false;
	if (c->params.complete_wait <= 0)
		return false;
	for (size_t i = 0; i < all->count && (nodes || !some); i++) {
		const struct epilog *epilog = epilog_at(all, i);
		const struct ctl_job *job = epilog->row == CTL_NO_ROW ? NULL : &c->job[epilog->row];
		if (!job || job->end < c->now - c->params.complete_wait)
			continue;
		some = true;
		for (size_t w = 0; nodes && w < all->words; w++)
			nodes[w] |= c->part[job->part].nodes[w];
	}
	return some;
}
