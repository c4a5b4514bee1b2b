/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gates_make.c - the gates of a run, from what its jobs say: who shares a list or an array, who is told of
 * whom.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/names.h"
#include "sim/run/gates_parts.h"

static bool is_limited(const struct sl_job_more *more)
{
	return more->array != SL_NONE && more->array_limit > 0;
}

static bool needs_gate(const struct sl_job_more *more, sl_time submit)
{
	return more->begin > submit || more->held || more->depend_count || is_limited(more);
}

static int make_gates(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const struct sl_jobs *jobs = pass->jobs;
	uint32_t count = 0;
	gates->gate_of = sl_alloc(pass->arena, jobs->count, sizeof(*gates->gate_of));
	if (!gates->gate_of)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		gates->gate_of[job] =
			needs_gate(more_of(pass, job), jobs->submit[job]) ? count++ : UINT32_MAX;
	gates->gate = sl_alloc(pass->arena, (size_t)count + 1, sizeof(*gates->gate));
	if (!gates->gate)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs->count; job++)
		if (gates->gate_of[job] != UINT32_MAX)
			gates->gate[gates->gate_count++] = (struct gate){ .job = job,
				.list = UINT32_MAX,
				.next = UINT32_MAX,
				.array = UINT32_MAX,
				.single = SL_NEVER };
	return SL_OK;
}

/* A gate by what it shares with others: the same key, the same list, or the same array. */
struct shared {
	uint64_t key;
	uint32_t gate;
};

static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a;
	const struct shared *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->gate > y->gate) - (x->gate < y->gate);
}

static void shared_sort(struct shared *shared, size_t count)
{
	if (count)
		qsort(shared, count, sizeof(*shared), compare_shared);
}

/* Jobs have a list in common where it is the same memory, which is asked of nothing but equality: lists are
 * never walked in this order. */
static int make_lists(struct sl_pass *pass, struct shared *shared, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	size_t count = 0;
	size_t items = 0;
	for (uint32_t i = 0; i < gates->gate_count; i++) {
		const struct sl_job_more *more = more_of(pass, gates->gate[i].job);
		if (more->depend_count)
			shared[count++] = (struct shared){ (uintptr_t)more->depend, i };
	}
	shared_sort(shared, count);
	gates->list = sl_alloc(pass->arena, count + 1, sizeof(*gates->list));
	if (!gates->list)
		return sl_fail_memory(err);
	for (size_t i = count; i-- > 0;) { /* Each chain of gates then begins with the first. */
		struct gate *gate = &gates->gate[shared[i].gate];
		const struct sl_job_more *more = more_of(pass, gate->job);
		if (i + 1 == count || shared[i + 1].key != shared[i].key) {
			gates->list[gates->list_count++] = (struct list){ .depend = more->depend,
				.count = more->depend_count,
				.first = (uint32_t)items,
				.gate = UINT32_MAX,
				.met = SL_NEVER };
			items += more->depend_count;
		}
		struct list *list = &gates->list[gates->list_count - 1];
		gate->list = gates->list_count - 1;
		gate->next = list->gate;
		list->gate = shared[i].gate;
	}
	SL_CHECK(items < UINT32_MAX);
	gates->clause = sl_alloc(pass->arena, items + 1, sizeof(*gates->clause));
	return gates->clause ? SL_OK : sl_fail_memory(err);
}

/* By the array's number. */
static int make_arrays(struct sl_pass *pass, struct shared *shared, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	size_t count = 0;
	for (uint32_t i = 0; i < gates->gate_count; i++) {
		const struct sl_job_more *more = more_of(pass, gates->gate[i].job);
		if (is_limited(more))
			shared[count++] = (struct shared){ (uint64_t)more->array, i };
	}
	shared_sort(shared, count);
	gates->array = sl_alloc(pass->arena, count + 1, sizeof(*gates->array));
	gates->changed = sl_alloc(pass->arena, count + 1, sizeof(*gates->changed));
	if (!gates->array || !gates->changed)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		gates->array_count += !i || shared[i - 1].key != shared[i].key;
		gates->gate[shared[i].gate].array = gates->array_count - 1;
	}
	return SL_OK;
}

/* Each list is told of those that it names. */
static int make_dependents(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const uint32_t jobs = pass->jobs->count;
	size_t *first = sl_alloc(pass->arena, (size_t)jobs + 2, sizeof(*first));
	size_t total = 0;
	if (!first)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++) {
			const uint32_t row = gates_row_of(pass, &gates->list[i].depend[item]);
			total += row != UINT32_MAX;
			if (row != UINT32_MAX)
				first[row + 2]++;
		}
	gates->dependent = sl_alloc(pass->arena, total + 1, sizeof(*gates->dependent));
	if (!gates->dependent)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < jobs; row++)
		first[row + 2] += first[row + 1];
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++) {
			const uint32_t row = gates_row_of(pass, &gates->list[i].depend[item]);
			if (row != UINT32_MAX)
				gates->dependent[first[row + 1]++] = (struct dependent){ i, item };
		}
	gates->dependent_first = first;
	return SL_OK;
}

static bool has_singletons(const struct gates *gates)
{
	for (uint32_t i = 0; i < gates->list_count; i++)
		for (uint32_t item = 0; item < gates->list[i].count; item++)
			if (gates->list[i].depend[item].kind == SL_SINGLETON)
				return true;
	return false;
}

/* Jobs that have a name, by it and their user. */
static int list_parties(
	struct sl_pass *pass, struct names *names, struct shared *shared, size_t *count, struct sl_err *err)
{
	*count = 0;
	for (uint32_t job = 0; job < pass->jobs->count; job++) {
		const char *name = more_of(pass, job)->name;
		uint32_t number;
		if (!name)
			continue;
		const int status = names_add(names, pass->arena, name, strlen(name), &number, err);
		if (status)
			return status;
		shared[(*count)++] =
			(struct shared){ (uint64_t)number << 32 | (uint32_t)pass->jobs->user[job], job };
	}
	shared_sort(shared, *count);
	return SL_OK;
}

static int place_parties(struct sl_pass *pass, const struct shared *shared, size_t count, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	const size_t jobs = pass->jobs->count;
	gates->member = sl_alloc(pass->arena, count + 1, sizeof(*gates->member));
	gates->member_end = sl_alloc(pass->arena, count + 1, sizeof(*gates->member_end));
	gates->cursor = sl_alloc(pass->arena, count + 1, sizeof(*gates->cursor));
	gates->party_of = sl_alloc(pass->arena, jobs + 1, sizeof(*gates->party_of));
	if (!gates->member || !gates->member_end || !gates->cursor || !gates->party_of)
		return sl_fail_memory(err);
	for (size_t job = 0; job < jobs; job++)
		gates->party_of[job] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (!i || shared[i - 1].key != shared[i].key)
			gates->cursor[gates->party_count++] = i;
		gates->member[i] = shared[i].gate;
		gates->member_end[gates->party_count - 1] = i + 1;
		gates->party_of[shared[i].gate] = gates->party_count - 1;
	}
	return SL_OK;
}

static int make_parties(struct sl_pass *pass, struct sl_err *err)
{
	struct gates *gates = pass->gates;
	struct names names = { 0 };
	size_t count = 0;
	if (!has_singletons(gates))
		return SL_OK;
	struct shared *shared = calloc((size_t)pass->jobs->count + 1, sizeof(*shared));
	int status = shared ? list_parties(pass, &names, shared, &count, err) : sl_fail_memory(err);
	if (!status)
		status = place_parties(pass, shared, count, err);
	names_release(&names);
	free(shared);
	/* Whoever has no name has no other job of it before. */
	for (uint32_t i = 0; i < gates->gate_count && !status; i++)
		if (gates->party_of[gates->gate[i].job] == UINT32_MAX)
			gates->gate[i].single = LONG_AGO;
	for (uint32_t party = 0; party < gates->party_count && !status; party++) {
		struct gate *first = gates_party_first(pass, party);
		if (first)
			first->single = LONG_AGO;
	}
	return status;
}

/* What is known before anything has happened. */
static void look_first(struct sl_pass *pass)
{
	struct gates *gates = pass->gates;
	for (uint32_t i = 0; i < gates->list_count; i++) {
		struct list *list = &gates->list[i];
		for (uint32_t item = 0; item < list->count; item++) {
			if (item && is_joined(&list->depend[item - 1]))
				continue;
			const sl_time met = gates_clause_met(pass, list, item);
			gates->clause[list->first + item] = met;
			list->unmet += met == SL_NEVER || met == SL_NONE;
			list->never |= met == SL_NONE;
		}
		if (!list->unmet)
			gates_list_sum(gates, list);
	}
}

static int make_all(struct sl_pass *pass, struct sl_err *err)
{
	int status = make_gates(pass, err);
	struct shared *shared = status ? NULL : calloc((size_t)pass->gates->gate_count + 1, sizeof(*shared));
	if (!status && !shared)
		status = sl_fail_memory(err);
	if (!status)
		status = make_lists(pass, shared, err);
	if (!status)
		status = make_arrays(pass, shared, err);
	free(shared);
	if (!status && pass->gates->list_count)
		status = make_dependents(pass, err);
	if (!status)
		status = make_parties(pass, err);
	if (!status)
		look_first(pass);
	return status;
}

int gates_init(struct sl_pass *pass, struct sl_err *err)
{
	const uint32_t jobs = pass->jobs->count;
	if (!pass->jobs->more_of)
		return SL_OK;
	pass->gates = sl_alloc(pass->arena, 1, sizeof(*pass->gates));
	if (!pass->gated)
		pass->gated = sl_alloc(pass->arena, (size_t)jobs + 1, sizeof(*pass->gated));
	pass->eligible = sl_alloc(pass->arena, (size_t)jobs + 1, sizeof(*pass->eligible));
	if (!pass->gates || !pass->gated || !pass->eligible)
		return sl_fail_memory(err);
	for (uint32_t job = 0; job < jobs; job++)
		pass->eligible[job] = SL_NONE;
	return make_all(pass, err);
}

void gates_release(struct gates *gates)
{
	if (!gates)
		return;
	evq_release(&gates->opening);
	for (uint32_t i = 0; i < gates->array_count; i++)
		evq_release(&gates->array[i].waiting);
}
