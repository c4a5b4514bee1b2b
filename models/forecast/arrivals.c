/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arrivals.c - who will submit what: sessions of the log's users, drawn by hour and weekday.
 *
 * Whole sessions keep what belongs together: a user's jobs in a row are alike and come at once (Zilber, Amit
 * and Talby, "What is worth learning from parallel workloads?", ICS 2005; Shmueli and Feitelson, MASCOTS
 * 2006). Of each hour the week is drawn anew, so that a future is no copy of a week.
 */
#include <stdio.h>
#include <stdlib.h>

#include "models/forecast/forecast_models.h"

#define MINUTE (60 * SL_SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)
#define WEEK   (7 * DAY)

enum { WEEKS = 8, DAYS = 14 };

struct session {
	sl_time begin;
	uint32_t first, count; /* Of `member`. */
};

struct forecast_arrivals {
	const struct forecast_job *job;
	struct session *session; /* By begin. */
	size_t sessions;
	uint32_t *member; /* By user, then submission. */
	struct forecast_span span;
	sl_time slot; /* An hour; of a log of less than two days, a twelfth of it. */
};

/* ---- Sessions ---------------------------------------------------------------------------------------- */

struct placed {
	int32_t user;
	uint32_t job;
};

static int by_user(const void *a, const void *b)
{
	const struct placed *x = a;
	const struct placed *y = b;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static int by_begin(const void *a, const void *b)
{
	const struct session *x = a;
	const struct session *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Without users each job is a session. */
static bool goes_on(const struct forecast_job *job, const struct placed *before, const struct placed *placed)
{
	return placed->user >= 0 && before->user == placed->user &&
	       job[placed->job].submit - job[before->job].submit < 30 * MINUTE;
}

static void sessions_cut(struct forecast_arrivals *all, const struct placed *placed, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		all->member[i] = placed[i].job;
		if (!i || !goes_on(all->job, &placed[i - 1], &placed[i]))
			all->session[all->sessions++] =
				(struct session){ .begin = all->job[placed[i].job].submit, .first = i };
		all->session[all->sessions - 1].count++;
	}
	if (all->sessions)
		qsort(all->session, all->sessions, sizeof(*all->session), by_begin);
}

static int sessions_make(struct forecast_arrivals *all, size_t count, struct sl_err *err)
{
	struct placed *placed = malloc((count + 1) * sizeof(*placed));
	all->session = calloc(count + 1, sizeof(*all->session));
	all->member = calloc(count + 1, sizeof(*all->member));
	uint32_t used = 0;
	if (!placed || !all->session || !all->member) {
		free(placed);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		if (all->job[i].submit >= all->span.from && all->job[i].submit < all->span.until &&
			all->job[i].cancel == SL_NONE)
			placed[used++] = (struct placed){ all->job[i].user, (uint32_t)i };
	if (used)
		qsort(placed, used, sizeof(*placed), by_user);
	sessions_cut(all, placed, used);
	free(placed);
	return SL_OK;
}

struct forecast_arrivals *forecast_arrivals_new(
	const struct forecast_job *job, size_t count, const struct forecast_span *span, struct sl_err *err)
{
	const sl_time length = span->until - span->from;
	struct forecast_arrivals *all = calloc(1, sizeof(*all));
	if (!all) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	*all = (struct forecast_arrivals){ .job = job, .span = *span, .slot = HOUR };
	if (length < 2 * DAY)
		all->slot = length / 12 > MINUTE ? length / 12 : MINUTE;
	if (sessions_make(all, count, err) == SL_OK)
		return all;
	forecast_arrivals_free(all);
	return NULL;
}

void forecast_arrivals_free(struct forecast_arrivals *arrivals)
{
	if (!arrivals)
		return;
	free(arrivals->session);
	free(arrivals->member);
	free(arrivals);
}

/* ---- Draws -----------------------------------------------------------------------------------------------
 */

static bool is_known(const struct forecast_arrivals *all, sl_time slot)
{
	const struct forecast_span *span = &all->span;
	return slot >= span->from && slot + all->slot <= span->until &&
	       !(span->hidden && span->hidden(span->self, slot, slot + all->slot));
}

/* The slots of the log so many periods before, the latest first. */
static uint32_t slots_before(
	const struct forecast_arrivals *all, sl_time slot, sl_time period, sl_time *found, uint32_t most)
{
	uint32_t count = 0;
	for (sl_time was = slot - period; was >= all->span.from && count < most; was -= period)
		if (is_known(all, was))
			found[count++] = was;
	return count;
}

/* Which slot of the log stands for this one. */
static sl_time slot_drawn(const struct forecast_arrivals *all, sl_time slot, uint64_t seed, uint32_t future)
{
	enum { TRIES = 100 };
	char name[96];
	sl_time found[DAYS];
	(void)snprintf(name, sizeof(name), "models/forecast/arrivals/%u/%lld", future, (long long)slot);
	struct sl_rng rng = sl_rng_stream(seed, name);
	uint32_t count = slots_before(all, slot, WEEK, found, WEEKS);
	if (count < 2)
		count = slots_before(all, slot, DAY, found, DAYS);
	if (count >= 2)
		return found[sl_rng_below(&rng, count)];
	const sl_time slots = (all->span.until - all->span.from) / all->slot;
	sl_time was = all->span.from;
	for (int i = 0; i < TRIES && slots > 0; i++) {
		was = all->span.from + (sl_time)sl_rng_below(&rng, (uint64_t)slots) * all->slot;
		if (is_known(all, was))
			break;
	}
	return was;
}

static size_t session_from(const struct forecast_arrivals *all, sl_time time)
{
	size_t low = 0;
	size_t high = all->sessions;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (all->session[middle].begin < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct drawing {
	struct forecast_arrival *item;
	size_t count, capacity;
	sl_time now, until;
};

static int session_put(struct drawing *drawing, const struct forecast_arrivals *all,
	const struct session *session, sl_time later, struct sl_err *err)
{
	for (uint32_t i = 0; i < session->count; i++) {
		const uint32_t job = all->member[session->first + i];
		const sl_time submit = all->job[job].submit + later;
		if (submit <= drawing->now || submit >= drawing->until)
			continue;
		if (SL_GROW(drawing->item, drawing->capacity, drawing->count + 1, err))
			return SL_SYSTEM;
		drawing->item[drawing->count++] = (struct forecast_arrival){ submit, job };
	}
	return SL_OK;
}

static int by_submit(const void *a, const void *b)
{
	const struct forecast_arrival *x = a;
	const struct forecast_arrival *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

int forecast_arrivals_drawn(const struct forecast_arrivals *arrivals, sl_time now, sl_time until,
	uint64_t seed, uint32_t future, struct forecast_arrival **drawn, size_t *count, struct sl_err *err)
{
	struct drawing drawing = { .now = now, .until = until };
	int status = SL_OK;
	for (sl_time slot = now - 12 * arrivals->slot; slot < until && arrivals->sessions && !status;
		slot += arrivals->slot) {
		const sl_time was = slot_drawn(arrivals, slot, seed, future);
		const size_t end = session_from(arrivals, was + arrivals->slot);
		for (size_t i = session_from(arrivals, was); i < end && !status; i++)
			status = session_put(&drawing, arrivals, &arrivals->session[i], slot - was, err);
	}
	if (drawing.count)
		qsort(drawing.item, drawing.count, sizeof(*drawing.item), by_submit);
	*drawn = drawing.item;
	*count = drawing.count;
	return status;
}
