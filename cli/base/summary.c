/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.c - the metrics of a summary, and amounts that are counted in parts, as people read them. */
#include <stdio.h>

#include "cli/base/cli.h"

int64_t amount_micro(int64_t amount, int64_t parts)
{
	const int64_t whole = sl_parts(parts);
	const int64_t most = INT64_MAX / 1000000;
	return amount / whole < most ? sl_mul_div(amount, 1000000, whole) : most * 1000000;
}

const char *parts_text(char buffer[48], int64_t amount, int64_t parts)
{
	unsigned decimals = 0;
	for (int64_t unit = sl_parts(parts); amount % unit; unit /= 10)
		decimals++;
	return screen_number(buffer, amount_micro(amount, parts), decimals);
}

/* A comparison shows those with a heading; a run shows all. */
const struct summary_metric summary_metrics[] = {
	{ "jobs.total", NULL, UNIT_COUNT, 0 },
	{ "jobs.completed", NULL, UNIT_COUNT, 0 },
	{ "wait.mean", "wait mean", UNIT_TIME, -1 },
	{ "wait.p50", NULL, UNIT_TIME, -1 },
	{ "wait.p95", "wait p95", UNIT_TIME, -1 },
	{ "wait.max", NULL, UNIT_TIME, -1 },
	{ "turnaround.mean", NULL, UNIT_TIME, -1 },
	{ "bounded_slowdown.mean", "bounded slowdown", UNIT_NUMBER, -1 },
	{ "bounded_slowdown.p95", NULL, UNIT_NUMBER, -1 },
	{ "utilization", "utilization", UNIT_SHARE, 1 },
	{ "utilization.steady", NULL, UNIT_SHARE, 1 },
	{ "loss_of_capacity", "lost capacity", UNIT_SHARE, -1 },
	{ "queue.mean", NULL, UNIT_NUMBER, -1 },
	{ "throughput", NULL, UNIT_RATE, 1 },
	{ "makespan", "makespan", UNIT_TIME, -1 },
	{ NULL, NULL, UNIT_COUNT, 0 },
};

const char *summary_text(char buffer[48], enum summary_unit unit, int64_t micro)
{
	static const struct {
		int64_t factor;
		unsigned decimals;
		const char *suffix;
	} metric_info[] = {
		[UNIT_COUNT] = { 1, 0, "" },
		[UNIT_NUMBER] = { 1, 2, "" },
		[UNIT_SHARE] = { 100, 2, " %" },
		[UNIT_RATE] = { 1, 2, " an hour" },
	};
	if (unit == UNIT_TIME)
		return screen_duration(buffer, micro);
	char number[48];
	(void)screen_number(number, micro * metric_info[unit].factor, metric_info[unit].decimals);
	(void)snprintf(buffer, 48, "%.30s%s", number, metric_info[unit].suffix);
	return buffer;
}
