/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sums.c - a service's stretches, one after another: what was asked for, and what was served of it.
 */
#include "models/serving/serving.h"

static void sum_add(struct serving_sum *sum, const struct serving_service *s, int64_t load, sl_time time)
{
	const __int128 could = (__int128)s->ready * s->serves.capacity;
	const __int128 served = could < load ? could : load;
	sum->load += (__int128)load * time;
	sum->served += served * time;
	sum->wanted += (__int128)s->wanted * time;
	sum->running += (__int128)s->running * time;
	sum->ready += (__int128)s->ready * time;
	sum->time += time;
	sum->met += could >= load ? time : 0;
}

/* From `from` to `to`, both since the service began. */
static void stretch(struct serving_service *s, int64_t load, sl_time from, sl_time to)
{
	sum_add(&s->sum, s, load, to - from);
	s->wanted_max = s->wanted > s->wanted_max ? s->wanted : s->wanted_max;
	s->ready_max = s->ready > s->ready_max ? s->ready : s->ready_max;
	while (from < to) {
		const sl_time span = from / s->width;
		const sl_time end = (span + 1) * s->width;
		const sl_time until = end < to ? end : to;
		sum_add(&s->span[span], s, load, until - from);
		from = until;
	}
}

void serving_pass_to(struct serving *serving, uint32_t service, sl_time now)
{
	struct serving_service *s = &serving->service[service];
	const sl_time end = s->began + s->serves.until;
	const sl_time to = now < end ? now : end;
	while (s->until < to) {
		sl_time holds;
		const int64_t load = sl_load_at(&s->serves, s->until - s->began, &holds);
		for (; s->want < s->want_end && serving->want[s->want].at <= s->until; s->want++)
			s->wanted += serving->want[s->want].by;
		sl_time next = to;
		if (holds < next - s->began)
			next = s->began + holds;
		if (s->want < s->want_end && serving->want[s->want].at < next)
			next = serving->want[s->want].at;
		stretch(s, load, s->until - s->began, next - s->began);
		s->until = next;
	}
}
