/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saving.c - nodes that are idle for long are switched off, and boot when a job is placed there.
 *
 * As Slurm's power saving does it (power_save.shtml: SuspendTime, ResumeTimeout): nodes that are off can be
 * had like others, and a job on them stands still until all are up. Here they go off at once.
 */
#include "models/power/state.h"

void saving_idle(struct power *p, struct sl_pass *world, uint32_t row)
{
	struct power_node *node = &p->node[row];
	if (node->jobs || node->is != NODE_ON)
		return;
	node->since = sl_now(world) > p->meter.begun ? sl_now(world) : p->meter.begun;
	if (p->idle_time != SL_NONE)
		sl_model_wake(world, node->since + p->idle_time, row * 4 + WAKE_IDLE);
}

void saving_begin(struct power *p, struct sl_pass *world)
{
	for (uint32_t i = 0; i < p->cluster->node_count; i++)
		saving_idle(p, world, i);
}

static bool is_long_idle(const struct power *p, const struct power_node *node, sl_time now)
{
	return node->is == NODE_ON && !node->jobs && node->since != SL_NONE &&
	       now - node->since >= p->idle_time;
}

static void go_off(struct power *p, struct sl_pass *world, uint32_t row)
{
	p->node[row].is = NODE_OFF;
	p->on--;
	node_redraw(p, row, sl_now(world));
}

/* Its time as an idle node may be over, or it has booted. */
void saving_timer(struct power *p, struct sl_pass *world, uint32_t wake)
{
	const uint32_t row = wake / 4;
	struct power_node *node = &p->node[row];
	if (wake % 4 == WAKE_BOOTED) {
		if (node->is != NODE_BOOTS || node->until != sl_now(world))
			return;
		node->is = NODE_ON;
		node_redraw(p, row, sl_now(world));
		saving_idle(p, world, row);
		return;
	}
	if (!is_long_idle(p, node, sl_now(world)))
		return;
	if (p->on > p->keep_on)
		go_off(p, world, row);
	else
		p->kept++;
}

/* More are on than have to be: those that were kept go, the longest idle first, then the lowest. */
void saving_kept(struct power *p, struct sl_pass *world)
{
	while (p->kept && p->on > p->keep_on) {
		uint32_t best = NOBODY;
		for (uint32_t i = 0; i < p->cluster->node_count; i++)
			if (is_long_idle(p, &p->node[i], sl_now(world)) &&
				(best == NOBODY || p->node[i].since < p->node[best].since))
				best = i;
		if (best == NOBODY) {
			p->kept = 0;
			return;
		}
		go_off(p, world, best);
	}
}

sl_time saving_wake(struct power *p, struct sl_pass *world, uint32_t row)
{
	struct power_node *node = &p->node[row];
	if (node->is == NODE_OFF) {
		node->is = NODE_BOOTS;
		node->until = sl_now(world) + p->figures[node->type].boot_time;
		p->on++;
		p->boots++;
		if (node->until == sl_now(world))
			node->is = NODE_ON;
		else
			sl_model_wake(world, node->until, row * 4 + WAKE_BOOTED);
		node_redraw(p, row, sl_now(world));
	}
	return node->is == NODE_BOOTS ? node->until : SL_NONE;
}
