/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eligibility_make.c - the eligibility entries of a run, from its jobs' attributes: which share a dependency
 * list or an array, which wait for which.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/names.h"
#include "sim/run/eligibility_parts.h"

static bool is_limited(const struct sl_job_attributes *more)
{
	return more->array != SL_NONE && more->array_limit > 0;
}

static bool needs_job_eligibility(const struct sl_job_attributes *more, sl_time submit)
{
	return more->begin > submit || more->held || more->depend_count || is_limited(more);
}

static int make_eligibility(struct sim *sim, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	const struct sl_jobs *jobs = sim->jobs;
	uint32_t count = 0;
	eligibility->job_eligibility_of =
		sl_alloc(sim->arena, jobs->count, sizeof(*eligibility->job_eligibility_of));
	if (!eligibility->job_eligibility_of)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		eligibility->job_eligibility_of[job] =
			needs_job_eligibility(more_of(sim, job), jobs->submit[job]) ? count++ : UINT32_MAX;
	eligibility->job_eligibility =
		sl_alloc(sim->arena, (size_t)count + 1, sizeof(*eligibility->job_eligibility));
	if (!eligibility->job_eligibility)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		if (eligibility->job_eligibility_of[job] != UINT32_MAX)
			eligibility->job_eligibility[eligibility->job_eligibility_count++] =
				(struct job_eligibility){ .job = job,
					.list = UINT32_MAX,
					.next = UINT32_MAX,
					.array = UINT32_MAX,
					.single = SL_NEVER };
	return SL_OK;
}

/* An entry by what it shares with others: the same key, the same list, or the same array. */
struct shared {
	uint64_t key;
	uint32_t job_eligibility;
};

static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a;
	const struct shared *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->job_eligibility > y->job_eligibility) - (x->job_eligibility < y->job_eligibility);
}

static void shared_sort(struct shared *shared, size_t count)
{
	if (count)
		qsort(shared, count, sizeof(*shared), compare_shared);
}

/* Jobs have a list in common where it is the same memory, which is compared for equality alone: lists are
 * never walked in this order. */
static int make_lists(struct sim *sim, struct shared *shared, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	size_t count = 0;
	size_t items = 0;
	for (uint32_t i = 0; i < eligibility->job_eligibility_count; i++) {
		const struct sl_job_attributes *more = more_of(sim, eligibility->job_eligibility[i].job);
		if (more->depend_count)
			shared[count++] = (struct shared){ (uintptr_t)more->depend, i };
	}
	shared_sort(shared, count);
	eligibility->list = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->list));
	if (!eligibility->list)
		return sl_fail_memory(err);
	for (size_t i = count; i-- > 0;) { /* Each chain of entries then begins with the first. */
		struct job_eligibility *job_eligibility =
			&eligibility->job_eligibility[shared[i].job_eligibility];
		const struct sl_job_attributes *more = more_of(sim, job_eligibility->job);
		if (i + 1 == count || shared[i + 1].key != shared[i].key) {
			eligibility->list[eligibility->list_count++] = (struct list){ .depend = more->depend,
				.count = more->depend_count,
				.first = (uint32_t)items,
				.job_eligibility = UINT32_MAX,
				.met = SL_NEVER };
			items += more->depend_count;
		}
		struct list *list = &eligibility->list[eligibility->list_count - 1];
		job_eligibility->list = eligibility->list_count - 1;
		job_eligibility->next = list->job_eligibility;
		list->job_eligibility = shared[i].job_eligibility;
	}
	SL_CHECK(items < UINT32_MAX);
	eligibility->clause = sl_alloc(sim->arena, items + 1, sizeof(*eligibility->clause));
	return eligibility->clause ? SL_OK : sl_fail_memory(err);
}

/* By the array's number. */
static int make_arrays(struct sim *sim, struct shared *shared, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	size_t count = 0;
	for (uint32_t i = 0; i < eligibility->job_eligibility_count; i++) {
		const struct sl_job_attributes *more = more_of(sim, eligibility->job_eligibility[i].job);
		if (is_limited(more))
			shared[count++] = (struct shared){ (uint64_t)more->array, i };
	}
	shared_sort(shared, count);
	eligibility->array = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->array));
	eligibility->changed = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->changed));
	if (!eligibility->array || !eligibility->changed)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		eligibility->array_count += !i || shared[i - 1].key != shared[i].key;
		eligibility->job_eligibility[shared[i].job_eligibility].array = eligibility->array_count - 1;
	}
	return SL_OK;
}

/* Each list is registered with the jobs that it names. */
static int make_dependents(struct sim *sim, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	const uint32_t jobs = sim->jobs->count;
	size_t *first = sl_alloc(sim->arena, (size_t)jobs + 2, sizeof(*first));
	size_t total = 0;
	if (!first)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < eligibility->list_count; i++)
		for (uint32_t item = 0; item < eligibility->list[i].count; item++) {
			const uint32_t row = eligibility_row_of(sim, &eligibility->list[i].depend[item]);
			total += row != UINT32_MAX;
			if (row != UINT32_MAX)
				first[row + 2]++;
		}
	eligibility->dependent = sl_alloc(sim->arena, total + 1, sizeof(*eligibility->dependent));
	if (!eligibility->dependent)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs; row++)
		first[row + 2] += first[row + 1];
	for (uint32_t i = 0; i < eligibility->list_count; i++)
		for (uint32_t item = 0; item < eligibility->list[i].count; item++) {
			const uint32_t row = eligibility_row_of(sim, &eligibility->list[i].depend[item]);
			if (row != UINT32_MAX)
				eligibility->dependent[first[row + 1]++] = (struct dependent){ i, item };
		}
	eligibility->dependent_first = first;
	return SL_OK;
}

static bool has_singletons(const struct eligibility *eligibility)
{
	for (uint32_t i = 0; i < eligibility->list_count; i++)
		for (uint32_t item = 0; item < eligibility->list[i].count; item++)
			if (eligibility->list[i].depend[item].kind == SL_SINGLETON)
				return true;
	return false;
}

/* Jobs that have a name, by it and their user. */
static int list_singletons(
	struct sim *sim, struct names *names, struct shared *shared, size_t *count, struct sl_err *err)
{
	*count = 0;
	for (uint32_t job = 0; job < sim->jobs->count; job++) {
		const char *name = more_of(sim, job)->name;
		uint32_t number;
		if (!name)
			continue;
		const int status = names_add(names, sim->arena, name, strlen(name), &number, err);
		if (status)
			return status;
		shared[(*count)++] =
			(struct shared){ (uint64_t)number << 32 | (uint32_t)sim->jobs->user[job], job };
	}
	shared_sort(shared, *count);
	return SL_OK;
}

static int place_singletons(struct sim *sim, const struct shared *shared, size_t count, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	const size_t jobs = sim->jobs->count;
	eligibility->member = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->member));
	eligibility->member_end = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->member_end));
	eligibility->cursor = sl_alloc(sim->arena, count + 1, sizeof(*eligibility->cursor));
	eligibility->singleton_of = sl_alloc(sim->arena, jobs + 1, sizeof(*eligibility->singleton_of));
	if (!eligibility->member || !eligibility->member_end || !eligibility->cursor ||
		!eligibility->singleton_of)
		return sl_fail_memory(err);
	for (size_t job = 0; job < jobs; job++)
		eligibility->singleton_of[job] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (!i || shared[i - 1].key != shared[i].key)
			eligibility->cursor[eligibility->singleton_count++] = i;
		eligibility->member[i] = shared[i].job_eligibility;
		eligibility->member_end[eligibility->singleton_count - 1] = i + 1;
		eligibility->singleton_of[shared[i].job_eligibility] = eligibility->singleton_count - 1;
	}
	return SL_OK;
}

static int make_singletons(struct sim *sim, struct sl_err *err)
{
	struct eligibility *eligibility = sim->eligibility;
	struct names names = { 0 };
	size_t count = 0;
	if (!has_singletons(eligibility))
		return SL_OK;
	struct shared *shared = calloc((size_t)sim->jobs->count + 1, sizeof(*shared));
	int status = shared ? list_singletons(sim, &names, shared, &count, err) : sl_fail_memory(err);
	if (!status)
		status = place_singletons(sim, shared, count, err);
	names_release(&names);
	free(shared);
	/* A job without a name has no other job of it before. */
	for (uint32_t i = 0; i < eligibility->job_eligibility_count && !status; i++)
		if (eligibility->singleton_of[eligibility->job_eligibility[i].job] == UINT32_MAX)
			eligibility->job_eligibility[i].single = LONG_AGO;
	for (uint32_t singleton = 0; singleton < eligibility->singleton_count && !status; singleton++) {
		struct job_eligibility *first = eligibility_singleton_first(sim, singleton);
		if (first)
			first->single = LONG_AGO;
	}
	return status;
}

/* What is known before anything has happened. */
static void look_first(struct sim *sim)
{
	struct eligibility *eligibility = sim->eligibility;
	for (uint32_t i = 0; i < eligibility->list_count; i++) {
		struct list *list = &eligibility->list[i];
		for (uint32_t item = 0; item < list->count; item++) {
			if (item && is_joined(&list->depend[item - 1]))
				continue;
			const sl_time met = eligibility_clause_met(sim, list, item);
			eligibility->clause[list->first + item] = met;
			list->unmet += met == SL_NEVER || met == SL_NONE;
			list->never |= met == SL_NONE;
		}
		if (!list->unmet)
			eligibility_list_sum(eligibility, list);
	}
}

static int make_all(struct sim *sim, struct sl_err *err)
{
	int status = make_eligibility(sim, err);
	struct shared *shared =
		status ? NULL : calloc((size_t)sim->eligibility->job_eligibility_count + 1, sizeof(*shared));
	if (!status && !shared)
		status = sl_fail_memory(err);
	if (!status)
		status = make_lists(sim, shared, err);
	if (!status)
		status = make_arrays(sim, shared, err);
	free(shared);
	if (!status && sim->eligibility->list_count)
		status = make_dependents(sim, err);
	if (!status)
		status = make_singletons(sim, err);
	if (!status)
		look_first(sim);
	return status;
}

int eligibility_init(struct sim *sim, struct sl_err *err)
{
	const uint32_t jobs = sim->jobs->count;
	if (!sim->jobs->more_of)
		return SL_OK;
	sim->eligibility = sl_alloc(sim->arena, 1, sizeof(*sim->eligibility));
	if (!sim->gated)
		sim->gated = sl_alloc(sim->arena, (size_t)jobs + 1, sizeof(*sim->gated));
	sim->eligible = sl_alloc(sim->arena, (size_t)jobs + 1, sizeof(*sim->eligible));
	if (!sim->eligibility || !sim->gated || !sim->eligible)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs; job++)
		sim->eligible[job] = SL_NONE;
	return make_all(sim, err);
}

void eligibility_release(struct eligibility *eligibility)
{
	if (!eligibility)
		return;
	evq_release(&eligibility->opening);
	for (uint32_t i = 0; i < eligibility->array_count; i++)
		evq_release(&eligibility->array[i].waiting);
}
