/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cron.c - the times of a schedule of a CronJob, in UTC.
 */
#include "traces/kube/kube_made.h"

bool kube_cron_times(const char *schedule, sl_time from, sl_time until, sl_time **time, size_t *count)
{
	struct sl_cron cron;
	const sl_time minute = 60 * SL_SECOND;
	const sl_time first = (from + minute - 1) / minute;
	size_t capacity = 0;
	*time = NULL;
	*count = 0;
	if (!sl_cron_read(schedule, &cron))
		return false;
	for (sl_time at = first; at * minute <= until && *count < CRON_TIMES_MAX; at++) {
		const int64_t day = at / 1440;
		if (!sl_cron_on_day(&cron, day)) {
			at = day * 1440 + 1439; /* To the next day. */
			continue;
		}
		if (!sl_cron_hits(&cron, at))
			continue;
		if (SL_GROW(*time, capacity, *count + 1, NULL))
			return false;
		(*time)[(*count)++] = at * minute;
	}
	return true;
}
