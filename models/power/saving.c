/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * saving.c - nodes that are idle for long are switched off, which takes its time, and boot when a job is
 * allocated there.
 *
 * As Slurm's power saving does it (power_save.shtml: SuspendTime, ResumeTimeout): nodes that are off can be
 * had, after all others, and a job on them stands still until all are up.
 */
#include "models/power/state.h"

void saving_idle(struct power *p, struct sim *sim, uint32_t row)
{
	struct power_node *node = &p->node[row];
	if (node->jobs || node->is != NODE_ON)
		return;
	node->since = sl_now(sim) > p->meter.begun ? sl_now(sim) : p->meter.begun;
	if (p->idle_time != SL_NONE)
		sl_model_wake(sim, node->since + p->idle_time, row * 4 + WAKE_IDLE);
}

void saving_begin(struct power *p, struct sim *sim)
{
	for (uint32_t i = 0; i < p->cluster->node_count; i++)
		saving_idle(p, sim, i);
}

static bool is_long_idle(const struct power *p, const struct power_node *node, sl_time now)
{
	return node->is == NODE_ON && !node->jobs && node->since != SL_NONE &&
	       now - node->since >= p->idle_time;
}

static void becomes(struct power *p, struct sim *sim, uint32_t row, enum node_power is)
{
	static const enum sl_ready ready[NODE_POWERS] = { [NODE_ON] = SL_READY,
		[NODE_OFF] = SL_READY_OFF,
		[NODE_BOOTS] = SL_READY_BOOTS,
		[NODE_GOES_OFF] = SL_READY_GOES_OFF };
	node_becomes(p, row, is, sl_now(sim));
	sl_model_node_ready(sim, row, ready[is], p->late);
}

/* On the way to what it will be after so long; 0: it is at once. */
static void turns(struct power *p, struct sim *sim, uint32_t row, enum node_power on_the_way, sl_time time)
{
	p->node[row].until = sl_now(sim) + time;
	becomes(p, sim, row, on_the_way);
	sl_model_wake(sim, p->node[row].until, row * 4 + WAKE_SWITCHED);
}

static void boot(struct power *p, struct sim *sim, uint32_t row)
{
	const sl_time time = p->figures[p->node[row].type].boot_time;
	p->on++;
	p->boots++;
	if (time)
		turns(p, sim, row, NODE_BOOTS, time);
	else
		becomes(p, sim, row, NODE_ON);
}

static void go_off(struct power *p, struct sim *sim, uint32_t row)
{
	const sl_time time = p->figures[p->node[row].type].shutdown_time;
	p->on--;
	if (time)
		turns(p, sim, row, NODE_GOES_OFF, time);
	else
		becomes(p, sim, row, NODE_OFF);
}

/* It has booted, or is off: then it boots at once if a job waits there. */
static void switched(struct power *p, struct sim *sim, uint32_t row)
{
	const struct power_node *node = &p->node[row];
	if (node->until != sl_now(sim))
		return;
	if (node->is == NODE_BOOTS) {
		becomes(p, sim, row, NODE_ON);
		saving_idle(p, sim, row);
	} else if (node->is == NODE_GOES_OFF && node->jobs) {
		boot(p, sim, row);
	} else if (node->is == NODE_GOES_OFF) {
		becomes(p, sim, row, NODE_OFF);
	}
}

/* Its time as an idle node may be over, or what it was turned to be is reached. */
void saving_timer(struct power *p, struct sim *sim, uint32_t wake)
{
	const uint32_t row = wake / 4;
	const struct power_node *node = &p->node[row];
	if (wake % 4 == WAKE_SWITCHED) {
		switched(p, sim, row);
		return;
	}
	if (!is_long_idle(p, node, sl_now(sim)))
		return;
	if (p->on > p->keep_on)
		go_off(p, sim, row);
	else
		p->kept++;
}

/* More are on than have to be: those that were kept go, the longest idle first, then the lowest. */
void saving_kept(struct power *p, struct sim *sim)
{
	while (p->kept && p->on > p->keep_on) {
		uint32_t best = NOBODY;
		for (uint32_t i = 0; i < p->cluster->node_count; i++)
			if (is_long_idle(p, &p->node[i], sl_now(sim)) &&
				(best == NOBODY || p->node[i].since < p->node[best].since))
				best = i;
		if (best == NOBODY) {
			p->kept = 0;
			return;
		}
		go_off(p, sim, best);
	}
}

sl_time saving_wake(struct power *p, struct sim *sim, uint32_t row)
{
	const struct power_node *node = &p->node[row];
	if (node->is == NODE_OFF)
		boot(p, sim, row);
	if (node->is == NODE_GOES_OFF)
		return node->until + p->figures[node->type].boot_time;
	return node->is == NODE_BOOTS ? node->until : SL_NONE;
}
