/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serving_setup.c - services and replicas, from what jobs say of themselves; how many are wanted when.
 *
 * Wanted are those that were submitted and not yet cancelled by their rows; of an old replica and the one
 * that replaces it one counts.
 */
#include <stdlib.h>
#include <string.h>

#include "models/serving/serving.h"

static const struct sl_profile *serving_setup_profile_of(const struct sl_jobs *jobs, uint32_t row)
{
	if (!jobs->profile_of || !jobs->profile_of[row])
		return NULL;
	const struct sl_profile *profile = &jobs->profile[jobs->profile_of[row]];
	return profile->serves && profile->family ? profile : NULL;
}

/* ---- Services --------------------------------------------------------------------------------------- */

static uint32_t service_of(const struct serving *serving, const char *name)
{
	uint32_t i = serving->services;
	while (i && strcmp(serving->service[i - 1].name, name) != 0)
		i--;
	return i ? i - 1 : SERVING_NONE;
}

static int service_add(
	struct serving *serving, const struct sl_profile *profile, uint32_t *number, struct sl_err *err)
{
	*number = service_of(serving, profile->family);
	if (*number != SERVING_NONE) {
		if (strcmp(serving->service[*number].text, profile->serves) == 0)
			return SL_OK;
		return sl_fail(err, SL_INPUT,
			"replicas of service '%.60s' say different things of it ('serves'): give it one name each",
			profile->family);
	}
	if (serving->services == SERVING_SERVICES_MAX)
		return sl_fail(err, SL_INPUT, "more than %d services: leave some out", SERVING_SERVICES_MAX);
	*number = serving->services++;
	struct serving_service *s = &serving->service[*number];
	s->name = profile->family;
	s->text = profile->serves;
	s->began = SL_NEVER;
	const char *wrong = sl_serves_read(&s->serves, s->text);
	if (wrong)
		return sl_fail(
			err, SL_INPUT, "what service '%.60s' serves is not understood: %s", s->name, wrong);
	s->width = 60 * SL_SECOND;
	while (s->width * SERVING_RANGES < s->serves.until)
		s->width *= 2;
	s->range = sl_alloc(serving->arena, SERVING_RANGES, sizeof(*s->range));
	return s->range ? SL_OK : sl_fail_memory(err);
}

/* ---- Replicas ------------------------------------------------------------------------------------------ */

static int replica_add(struct serving *serving, uint32_t row, struct sl_err *err)
{
	const struct sl_profile *profile = serving_setup_profile_of(serving->jobs, row);
	if (!profile)
		return SL_OK;
	uint32_t number;
	const int status = service_add(serving, profile, &number, err);
	if (status)
		return status;
	struct serving_service *s = &serving->service[number];
	const sl_time since = profile->since == SL_NONE ? 0 : profile->since;
	const sl_time began = serving->jobs->submit[row] - since;
	s->began = began < s->began ? began : s->began;
	serving->of_job[row] = serving->replicas;
	serving->replica[serving->replicas++] = (struct serving_replica){ .job = row,
		.service = number,
		.member = profile->member == SL_NONE ? 0 : profile->member,
		.retires = profile->retires,
		.ready_first = SL_NONE };
	return SL_OK;
}

/* One replica as it is ordered. */
struct named {
	uint32_t service, replica;
	int64_t member;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return (x->replica > y->replica) - (x->replica < y->replica);
}

static int order_members(struct serving *serving, struct sl_err *err)
{
	struct named *named = calloc((size_t)serving->replicas + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < serving->replicas; i++)
		named[i] = (struct named){ serving->replica[i].service, i, serving->replica[i].member };
	qsort(named, serving->replicas, sizeof(*named), compare_named);
	for (uint32_t i = 0; i < serving->replicas; i++)
		serving->by_member[i] = named[i].replica;
	free(named);
	return SL_OK;
}

uint32_t serving_find(const struct serving *serving, uint32_t service, int64_t member)
{
	uint32_t low = 0;
	uint32_t high = serving->replicas;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct serving_replica *r = &serving->replica[serving->by_member[middle]];
		if (r->service < service || (r->service == service && r->member < member))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == serving->replicas)
		return SERVING_NONE;
	const struct serving_replica *r = &serving->replica[serving->by_member[low]];
	return r->service == service && r->member == member ? serving->by_member[low] : SERVING_NONE;
}

/* ---- Wanted -------------------------------------------------------------------------------------------- */

static sl_time cancel_of(const struct serving *serving, const struct serving_replica *r)
{
	const struct serving_service *s = &serving->service[r->service];
	const sl_time *cancel = serving->jobs->cancel;
	return cancel && cancel[r->job] != SL_NONE ? cancel[r->job] : s->began + s->serves.until;
}

static int compare_wants(const void *a, const void *b)
{
	const struct serving_want *x = a, *y = b;
	if (x->service != y->service)
		return x->service < y->service ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->by > y->by) - (x->by < y->by); /* Equal ones are the same. */
}

static void wants_find(struct serving *serving)
{
	uint32_t count = 0;
	struct serving_want *want = serving->want;
	for (uint32_t i = 0; i < serving->replicas; i++) {
		const struct serving_replica *r = &serving->replica[i];
		const sl_time submit = serving->jobs->submit[r->job];
		want[count++] = (struct serving_want){ submit, r->service, 1 };
		want[count++] = (struct serving_want){ cancel_of(serving, r), r->service, -1 };
		const uint32_t old =
			r->retires == SL_NONE ? SERVING_NONE : serving_find(serving, r->service, r->retires);
		const sl_time end =
			old == SERVING_NONE ? SL_NONE : cancel_of(serving, &serving->replica[old]);
		if (end > submit) {
			want[count++] = (struct serving_want){ submit, r->service, -1 };
			want[count++] = (struct serving_want){ end, r->service, 1 };
		}
	}
	qsort(want, count, sizeof(*want), compare_wants);
	for (uint32_t i = 0; i < count; i++) {
		struct serving_service *s = &serving->service[want[i].service];
		if (!s->want_end)
			s->want = i;
		s->want_end = i + 1;
	}
}

/* ---- All of it ---------------------------------------------------------------------------------- */

static bool columns_made(struct serving *serving, uint32_t replicas)
{
	const size_t jobs = serving->jobs->count;
	serving->of_job = sl_alloc(serving->arena, jobs + 1, sizeof(*serving->of_job));
	serving->replica = sl_alloc(serving->arena, (size_t)replicas + 1, sizeof(*serving->replica));
	serving->by_member = sl_alloc(serving->arena, (size_t)replicas + 1, sizeof(*serving->by_member));
	serving->warming = sl_alloc(serving->arena, (size_t)replicas + 1, sizeof(*serving->warming));
	serving->want = sl_alloc(serving->arena, 4 * (size_t)replicas + 1, sizeof(*serving->want));
	const uint32_t services = replicas < SERVING_SERVICES_MAX ? replicas : SERVING_SERVICES_MAX;
	serving->service = sl_alloc(serving->arena, (size_t)services + 1, sizeof(*serving->service));
	if (!serving->of_job || !serving->replica || !serving->by_member || !serving->warming ||
		!serving->want || !serving->service)
		return false;
	for (size_t i = 0; i < jobs; i++)
		serving->of_job[i] = SERVING_NONE;
	return true;
}

int serving_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct serving *serving = sl_alloc(setup->arena, 1, sizeof(*serving));
	if (!serving)
		return sl_fail_memory(err);
	*state = serving;
	serving->arena = setup->arena;
	serving->jobs = setup->jobs;
	serving->gpu_parts = sl_parts(setup->cluster->gpu_parts);
	uint32_t replicas = 0;
	for (uint32_t row = 0; row < setup->jobs->count; row++)
		replicas += serving_setup_profile_of(setup->jobs, row) != NULL;
	if (!replicas)
		return sl_fail(err, SL_USAGE,
			"model 'serving' finds no replica of a service: give a services file, see "
			"schedlab-services(5)");
	if (!columns_made(serving, replicas))
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t row = 0; row < setup->jobs->count && !status; row++)
		status = replica_add(serving, row, err);
	if (!status)
		status = order_members(serving, err);
	if (status)
		return status;
	wants_find(serving);
	for (uint32_t i = 0; i < serving->services; i++)
		serving->service[i].until = serving->service[i].began;
	return SL_OK;
}

void serving_release(void *state)
{
	struct serving *serving = state;
	for (uint32_t i = 0; i < serving->services; i++)
		sl_serves_release(&serving->service[i].serves);
}
