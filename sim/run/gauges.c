/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gauges.c - gauges that are followed (plugin.h: sl_follow, replay.gauges): a point for each instant at which
 * one shows another value than before.
 */
#include "sim/run/pass.h"

#include <stdlib.h>

static bool is_followed(const struct sl_pass *pass, const struct sl_gauge *gauge)
{
	for (uint32_t i = 0; i < pass->gauge_count; i++)
		if (pass->followed[i].gauge == gauge)
			return true;
	return false;
}

int sl_follow(const struct sl_setup *setup, const struct sl_gauge *gauge, struct sl_err *err)
{
	struct sl_pass *pass = setup->pass;
	if (is_followed(pass, gauge))
		return SL_OK;
	if (!pass->info->node_count)
		return sl_fail(err, SL_USAGE,
			"gauge '%s' is of nodes, and cpus are only counted here: give -c CLUSTER",
			gauge->name);
	if (pass->gauge_count == SL_GAUGES_MAX)
		return sl_fail(err, SL_USAGE,
			"gauge '%s' is one more than the %d that are followed: leave one out", gauge->name,
			SL_GAUGES_MAX);
	pass->uses |= SL_USE_NODES;
	struct followed *followed = &pass->followed[pass->gauge_count];
	*followed = (struct followed){ .gauge = gauge };
	const int status = gauge->init ? gauge->init(&followed->state, setup, err) : SL_OK;
	pass->gauge_count += !status;
	return status;
}

int gauges_named(const struct sl_setup *setup, const struct scenario *scenario, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < scenario->gauge_count && !status; i++)
		status = sl_follow(setup, scenario->gauge[i], err);
	return status;
}

int gauges_begin(struct sl_pass *pass, struct sl_err *err)
{
	for (uint32_t i = 0; pass->nodes && i < pass->gauge_count; i++)
		if (i >= nodes_followed(pass->nodes) &&
			!nodes_follow(pass->nodes, pass->followed[i].gauge, pass->followed[i].state))
			return nodes_status(pass->nodes, err);
	return SL_OK;
}

/* Of an instant that is gone through again, the last point holds. */
static void point_put(struct sl_pass *pass, struct followed *followed, int64_t value)
{
	struct sl_gauge_point *last = followed->count ? &followed->point[followed->count - 1] : NULL;
	if (last && last->value == value)
		return;
	if (last && last->at == pass->now) {
		last->value = value;
		return;
	}
	const int status = SL_GROW(followed->point, followed->capacity, followed->count + 1, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	SL_CHECK(followed->point);
	followed->point[followed->count++] = (struct sl_gauge_point){ pass->now, value };
}

void gauges_record(struct sl_pass *pass)
{
	for (uint32_t i = 0; i < pass->gauge_count; i++)
		point_put(pass, &pass->followed[i], nodes_gauge(pass->nodes, i));
}

void gauges_result(struct sl_pass *pass, struct sl_result *result)
{
	for (uint32_t i = 0; i < pass->gauge_count; i++)
		pass->course_of_gauge[i] = (struct sl_gauge_course){ pass->followed[i].gauge,
			pass->followed[i].point, pass->followed[i].count };
	result->gauge = pass->course_of_gauge;
	result->gauge_count = pass->gauge_count;
}

void gauges_release(struct sl_pass *pass)
{
	for (uint32_t i = 0; i < pass->gauge_count; i++) {
		const struct sl_gauge *gauge = pass->followed[i].gauge;
		if (gauge->release)
			gauge->release(pass->followed[i].state);
		free(pass->followed[i].point);
	}
	pass->gauge_count = 0;
}
