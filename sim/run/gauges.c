/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gauges.c - gauges recorded over time (sl_follow, replay.gauges): a point for each instant at which a value
 * changed.
 */
#include "sim/run/pass.h"

#include <stdlib.h>

static bool is_followed(const struct sim *sim, const struct sl_gauge *gauge)
{
	for (uint32_t i = 0; i < sim->gauge_count; i++)
		if (sim->followed[i].gauge == gauge)
			return true;
	return false;
}

int sl_follow(const struct sl_setup *setup, const struct sl_gauge *gauge, struct sl_err *err)
{
	struct sim *sim = setup->sim;
	if (is_followed(sim, gauge))
		return SL_OK;
	if (!sim->info->node_count)
		return sl_fail(err, SL_USAGE,
			"gauge '%s' is of nodes, and cpus are only counted here: give -c CLUSTER",
			gauge->name);
	if (sim->gauge_count == SL_GAUGES_MAX)
		return sl_fail(err, SL_USAGE,
			"gauge '%s' is one more than the %d that are followed: leave one out", gauge->name,
			SL_GAUGES_MAX);
	sim->uses |= SL_USE_NODES;
	struct followed *followed = &sim->followed[sim->gauge_count];
	*followed = (struct followed){ .gauge = gauge };
	const int status = gauge->init ? gauge->init(&followed->state, setup, err) : SL_OK;
	sim->gauge_count += !status;
	return status;
}

int gauges_named(const struct sl_setup *setup, const struct scenario *scenario, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < scenario->gauge_count && !status; i++)
		status = sl_follow(setup, scenario->gauge[i], err);
	return status;
}

int gauges_begin(struct sim *sim, struct sl_err *err)
{
	for (uint32_t i = 0; sim->nodes && i < sim->gauge_count; i++)
		if (i >= nodes_followed(sim->nodes) &&
			!nodes_follow(sim->nodes, sim->followed[i].gauge, sim->followed[i].state))
			return nodes_status(sim->nodes, err);
	return SL_OK;
}

/* Of an instant with several rounds the last point holds. */
static void point_put(struct sim *sim, struct followed *followed, int64_t value)
{
	struct sl_gauge_point *last = followed->count ? &followed->point[followed->count - 1] : NULL;
	if (last && last->value == value)
		return;
	if (last && last->at == sim->now) {
		last->value = value;
		return;
	}
	const int status = SL_GROW(followed->point, followed->capacity, followed->count + 1, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	SL_CHECK(followed->point);
	followed->point[followed->count++] = (struct sl_gauge_point){ sim->now, value };
}

void gauges_record(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->gauge_count; i++)
		point_put(sim, &sim->followed[i], nodes_gauge(sim->nodes, i));
}

void gauges_result(struct sim *sim, struct sl_result *result)
{
	for (uint32_t i = 0; i < sim->gauge_count; i++)
		sim->progress_of_gauge[i] = (struct sl_gauge_series){ sim->followed[i].gauge,
			sim->followed[i].point, sim->followed[i].count };
	result->gauge = sim->progress_of_gauge;
	result->gauge_count = sim->gauge_count;
}

void gauges_release(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->gauge_count; i++) {
		const struct sl_gauge *gauge = sim->followed[i].gauge;
		if (gauge->release)
			gauge->release(sim->followed[i].state);
		free(sim->followed[i].point);
	}
	sim->gauge_count = 0;
}
