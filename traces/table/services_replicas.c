/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services_replicas.c - which replicas there are from when until when, and their rows.
 *
 * As there are to be fewer, the newest go first (Kubernetes takes those that are not ready before, which no
 * file knows). An update replaces all that there are, newest first, as a Deployment does (rolling.go, with
 * ResolveFenceposts): of W replicas `unavailable` go at once; of the new ones `surge + unavailable` come at
 * once, each further one as an old one ends; and as new number i is ready, old number i + unavailable goes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/table/services.h"

/* The service while its time passes. */
struct crowd {
	uint32_t *live; /* Replicas, oldest first. */
	uint32_t *next; /* Of an update. */
	int64_t count;
	uint32_t members;
	size_t first; /* Of its replicas among those of the file. */
};

static int replica_add(struct services_file *f, struct crowd *crowd, uint32_t number, sl_time at)
{
	const struct service *s = &f->service[number];
	const struct sl_place place = sl_doc_place(&f->w.doc, s->map);
	if (f->replicas == SERVICES_ROWS_MAX)
		return sl_fail_at(f->w.err, &place,
			"more than %d replicas in all: make it steadier (stabilization, sync), or shorter",
			SERVICES_ROWS_MAX);
	if (SL_GROW(f->replica, f->capacity, f->replicas + 1, f->w.err))
		return SL_SYSTEM;
	f->replica[f->replicas++] =
		(struct replica){ number, crowd->members++, at, s->until, UINT32_MAX, UINT32_MAX };
	return SL_OK;
}

/* ---- More and fewer ------------------------------------------------------------------------------- */

static int crowd_scale(
	struct services_file *f, struct crowd *crowd, uint32_t number, sl_time at, int64_t wanted)
{
	int status = SL_OK;
	while (crowd->count > wanted)
		f->replica[crowd->live[--crowd->count]].cancel = at;
	while (crowd->count < wanted && !status) {
		crowd->live[crowd->count++] = (uint32_t)f->replicas;
		status = replica_add(f, crowd, number, at);
	}
	return status;
}

static int64_t services_replicas_share_of(const struct share *share, int64_t whole, bool up)
{
	if (!share->percent)
		return share->value;
	return (whole * share->value + (up ? 99 : 0)) / 100;
}

static int crowd_update(
	struct services_file *f, struct crowd *crowd, uint32_t number, const struct service_update *update)
{
	const int64_t count = crowd->count;
	const int64_t surge = services_replicas_share_of(&update->surge, count, true);
	int64_t gone = services_replicas_share_of(&update->unavailable, count, false);
	if (!surge && !gone)
		gone = 1; /* Percents of so few that both came to nothing. */
	for (int64_t i = 0; i < count; i++) {
		/* Old ones are counted from the newest on. */
		const int64_t waits = i - surge;
		const int64_t goes = i + gone;
		const int status = replica_add(f, crowd, number, update->at);
		if (status)
			return status;
		struct replica *made = &f->replica[f->replicas - 1];
		if (waits >= gone)
			made->after = f->replica[crowd->live[count - 1 - waits]].member;
		if (goes < count)
			made->retires = f->replica[crowd->live[count - 1 - goes]].member;
		crowd->next[i] = (uint32_t)f->replicas - 1;
	}
	for (int64_t i = 0; i < gone && i < count; i++)
		f->replica[crowd->live[count - 1 - i]].cancel = update->at;
	memcpy(crowd->live, crowd->next, (size_t)count * sizeof(*crowd->live));
	return SL_OK;
}

/* ---- A service from beginning to end ---------------------------------------------------------------- */

/* The highest load from then on, so far ahead. */
static int64_t load_ahead(const struct service *s, sl_time at)
{
	sl_time until;
	const sl_time end = at + s->scale.lead;
	int64_t most = sl_load_at(&s->serves, at, &until);
	while (until <= end && until != SL_NEVER) {
		const int64_t load = sl_load_at(&s->serves, until, &until);
		most = load > most ? load : most;
	}
	return most;
}

static int service_pass(struct services_file *f, struct crowd *crowd, uint32_t number)
{
	const struct service *s = &f->service[number];
	struct scale scale = { .options = &s->scale };
	uint32_t update = 0;
	int64_t wanted;
	int status = crowd_scale(f, crowd, number, s->from, s->initial);
	for (sl_time at = s->from + s->scale.sync; !status; at += s->scale.sync) {
		for (; !status && update < s->updates && s->update[update].at < s->until &&
			s->update[update].at <= at;
			update++)
			status = crowd_update(f, crowd, number, &s->update[update]);
		if (status || at >= s->until)
			break;
		if (!scale_step(&scale, at - s->from, load_ahead(s, at - s->from), crowd->count, &wanted))
			status = sl_fail_memory(f->w.err);
		else
			status = crowd_scale(f, crowd, number, at, wanted);
	}
	scale_release(&scale);
	return status;
}

/* An old one stays no longer than the new one that replaces it. Those that replace come later. */
static void ends_settle(struct services_file *f, size_t first)
{
	for (size_t i = f->replicas; i > first; i--) {
		const struct replica *r = &f->replica[i - 1];
		if (r->retires == UINT32_MAX)
			continue;
		struct replica *old = &f->replica[first + r->retires];
		if (r->cancel < old->cancel)
			old->cancel = r->cancel;
	}
}

int services_replicas(struct services_file *f, uint32_t number)
{
	const size_t capacity = (size_t)f->service[number].scale.max + 1;
	struct crowd crowd = { .first = f->replicas };
	crowd.live = calloc(capacity, sizeof(*crowd.live));
	crowd.next = calloc(capacity, sizeof(*crowd.next));
	const int status =
		crowd.live && crowd.next ? service_pass(f, &crowd, number) : sl_fail_memory(f->w.err);
	if (!status)
		ends_settle(f, crowd.first);
	free(crowd.live);
	free(crowd.next);
	return status;
}

/* ---- Rows --------------------------------------------------------------------------------------------- */

static int number_put(
	struct services_file *f, enum table_column column, const char *text, const struct service *s)
{
	return workflow_cell(&f->w, column, text, s->map);
}

static int time_put(struct services_file *f, enum table_column column, sl_time time, const struct service *s)
{
	char text[32];
	*sl_put_micro(text, time) = '\0';
	return number_put(f, column, text, s);
}

static int profile_put(struct services_file *f, const char *name, const char *text, const struct service *s)
{
	return workflow_profile_cell(&f->w, sl_profile_find(name, strlen(name)), text, s->map);
}

static int profile_number(struct services_file *f, const char *name, int64_t micro, const struct service *s)
{
	char text[32];
	*sl_put_micro(text, micro) = '\0';
	return profile_put(f, name, text, s);
}

static int profile_cells(struct services_file *f, const struct replica *r, const struct service *s)
{
	int status = profile_put(f, "family", s->name, s);
	if (!status)
		status = profile_number(f, "member", r->member * SL_SECOND, s);
	if (!status)
		status = profile_put(f, "serves", s->text, s);
	if (!status)
		status = profile_number(f, "since", r->submit - s->from, s);
	if (!status && r->retires != UINT32_MAX)
		status = profile_number(f, "retires", r->retires * SL_SECOND, s);
	/* It does no work that could be kept: it is cold again. */
	return status ? status : profile_put(f, "checkpoint_every", "0", s);
}

/* It runs until somebody cancels it, however late it starts. */
static int own_cells(struct services_file *f, const struct replica *r, const struct service *s)
{
	char text[2 * WORKFLOW_NAME_MAX];
	(void)snprintf(text, sizeof(text), "%s.%u", s->name, r->member);
	int status = number_put(f, TABLE_JOB_ID, text, s);
	if (!status)
		status = time_put(f, TABLE_SUBMIT, r->submit, s);
	if (!status)
		status = time_put(f, TABLE_RUN_TIME, s->until - r->submit, s);
	if (!status)
		status = time_put(f, TABLE_CANCEL, r->cancel, s);
	(void)snprintf(text, sizeof(text), "afterany:%s.%u", s->name, r->after);
	if (!status && r->after != UINT32_MAX)
		status = number_put(f, TABLE_DEPENDENCY, text, s);
	return status ? status : profile_cells(f, r, s);
}

static int row_make(struct services_file *f, const struct replica *r)
{
	static const char *const of_service[] = { "name", "load", "capacity", "target", "cold_start", "from",
		"until", "initial", "min", "max", "autoscaler", "updates", NULL };
	const struct service *s = &f->service[r->service];
	struct table *t = &f->w.t;
	for (size_t i = 0; i < TABLE_COLUMNS; i++)
		t->at[i] = -1;
	for (size_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		t->profile_at[i] = -1;
	t->says_profile = true;
	t->fields.count = t->fields.len = 0;
	t->row_line = s->map->line;
	t->says_more = t->says_gpus = true;
	int status = own_cells(f, r, s);
	if (!status)
		status = workflow_cells(&f->w, s->map, of_service);
	if (!status)
		status = number_put(f, TABLE_NAME, s->name, s);
	return status ? status : table_job_begin(t);
}

static int compare_replicas(const void *a, const void *b)
{
	const struct replica *x = a;
	const struct replica *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	return (x->member > y->member) - (x->member < y->member);
}

int services_rows(struct services_file *f)
{
	int status = SL_OK;
	if (f->replicas)
		qsort(f->replica, f->replicas, sizeof(*f->replica), compare_replicas);
	for (size_t i = 0; i < f->replicas && !status; i++)
		if (f->replica[i].cancel > f->replica[i].submit)
			status = row_make(f, &f->replica[i]);
	return status;
}
