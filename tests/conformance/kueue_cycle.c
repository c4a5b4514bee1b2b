/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_cycle.c - recorded cases of Kueue: whole scheduling cycles with what happens between them, and the
 * order of entries.
 */
#include "tests/conformance/kueue_case.h"

#include "policies/kueue/rules/kq_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS_MAX = 4096 };

/* Lines of text, compared as multisets. */
struct lines {
	char **at;
	uint32_t count;
};

struct run {
	struct kueue_case *c;
	uint32_t cycles;      /* Asked for. */
	bool *before;         /* By workload: it held quota at the beginning, */
	bool *admitted;       /* and was admitted, on healthy hosts. */
	uint32_t *recomputed; /* [node * 3 + result], over all cycles. */
	uint32_t nodes;
};

static void add(struct kueue_case *c, struct lines *lines, const char *text)
{
	if (!lines->at)
		lines->at = kq_alloc(c->kq, FACTS_MAX, sizeof(*lines->at));
	if (!lines->at || lines->count == FACTS_MAX)
		return;
	char *copy = kq_alloc(c->kq, strlen(text) + 1, 1);
	if (!copy)
		return;
	memcpy(copy, text, strlen(text) + 1);
	lines->at[lines->count++] = copy;
}

static void add_pair(struct kueue_case *c, struct lines *lines, const char *key, const char *reason)
{
	char text[1200];
	(void)snprintf(text, sizeof(text), "%s %s", key, reason ? reason : "");
	add(c, lines, text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort(struct lines *lines)
{
	if (lines->count)
		qsort(lines->at, lines->count, sizeof(*lines->at), by_text);
}

/* NULL: the same. */
static const char *differ(struct kueue_case *c, const char *what, struct lines *got, struct lines *want)
{
	sort(got);
	sort(want);
	uint32_t g = 0, w = 0;
	while (g < got->count && w < want->count && strcmp(got->at[g], want->at[w]) == 0) {
		g++;
		w++;
	}
	if (g == got->count && w == want->count)
		return NULL;
	return kc_fail(c, "%s: got %.600s, not %.600s", what, g < got->count ? got->at[g] : "no more",
		w < want->count ? want->at[w] : "no more");
}

/* ---- Admissions ---------------------------------------------------------------------------------------- */

static void append(char text[1200], size_t *at, const char *more)
{
	while (*more && *at < 1199)
		text[(*at)++] = *more++;
	text[*at] = 0;
}

static void report(char text[1200], size_t *at, const char *more, const char *name, int64_t amount)
{
	char number[32];
	(void)snprintf(number, sizeof(number), "=%lld", (long long)amount);
	append(text, at, more);
	append(text, at, name);
	append(text, at, number);
}

static void placement_lines(
	struct kueue_case *c, struct lines *lines, const char *prefix, const struct kq_placement *placement)
{
	for (uint32_t i = 0; i < placement->count; i++) {
		char text[1200];
		size_t at = 0;
		report(text, &at, prefix, " domain", placement->domain[i].count);
		for (uint32_t l = 0; l < placement->level_count; l++)
			report(text, &at, " ", placement->domain[i].value[l], (int64_t)l);
		add(c, lines, text);
	}
	for (uint32_t l = 0; l < placement->level_count; l++) {
		char text[1200];
		size_t at = 0;
		report(text, &at, prefix, placement->level[l], (int64_t)l);
		add(c, lines, text);
	}
}

static void got_podset(
	struct kueue_case *c, struct lines *lines, const char *key, const struct kq_admitted_podset *podset)
{
	char prefix[800], text[1200];
	size_t at = 0;
	(void)snprintf(prefix, sizeof(prefix), "%s %s ", key, podset->name);
	report(text, &at, prefix, "count", podset->count);
	add(c, lines, text);
	for (uint32_t i = 0; i < podset->flavor_count; i++) {
		const struct kq_admitted_flavor *one = &podset->flavor[i];
		at = 0;
		if (one->flavor == KQ_NO)
			report(text, &at, prefix, "", 0);
		else
			report(text, &at, prefix, c->kq->flavor[one->flavor].name, 0);
		report(text, &at, " ", c->kq->resource[one->resource], one->amount);
		if (one->flavor != KQ_NO || one->amount)
			add(c, lines, text);
	}
	if (podset->placement)
		placement_lines(c, lines, prefix, podset->placement);
	if (podset->delayed) {
		at = 0;
		report(text, &at, prefix, podset->placement ? "Ready" : "Pending", 1);
		add(c, lines, text);
	}
}

static void got_admission(struct kueue_case *c, struct lines *lines, uint32_t workload)
{
	const struct kq_admission *admission = c->kq->workload[workload].admission;
	char key[512];
	kc_workload_key(c, workload, key);
	add_pair(c, lines, key, admission->queue_name);
	for (uint32_t i = 0; i < admission->podset_count; i++)
		got_podset(c, lines, key, &admission->podset[i]);
}

static void want_placement(
	struct kueue_case *c, struct lines *lines, const char *prefix, const struct sl_doc_node *node)
{
	char text[1200];
	int64_t level = 0;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, node, "levels")); one;
		one = kc_next(c, one)) {
		size_t at = 0;
		report(text, &at, prefix, kc_text(c, one), level++);
		add(c, lines, text);
	}
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, node, "domains")); one;
		one = kc_next(c, one)) {
		size_t at = 0;
		level = 0;
		report(text, &at, prefix, " domain", kc_int(c, one, "count", 0));
		for (const struct sl_doc_node *value = kc_first(c, kc_get(c, one, "values")); value;
			value = kc_next(c, value))
			report(text, &at, " ", kc_text(c, value), level++);
		add(c, lines, text);
	}
}

static void want_podset(
	struct kueue_case *c, struct lines *lines, const char *key, const struct sl_doc_node *node)
{
	char prefix[800], text[1200];
	size_t at = 0;
	const struct sl_doc_node *flavors = kc_get(c, node, "flavors"), *usage = kc_get(c, node, "usage");
	(void)snprintf(prefix, sizeof(prefix), "%s %s ", key, kc_str(c, node, "name", ""));
	report(text, &at, prefix, "count", kc_int(c, node, "count", 0));
	add(c, lines, text);
	for (const struct sl_doc_node *one = kc_first(c, flavors); one; one = kc_next(c, one)) {
		at = 0;
		report(text, &at, prefix, kc_text(c, one), 0);
		report(text, &at, " ", kc_key(c, one), kc_int(c, usage, kc_key(c, one), 0));
		add(c, lines, text);
	}
	for (const struct sl_doc_node *one = kc_first(c, usage); one; one = kc_next(c, one)) {
		if (kc_get(c, flavors, kc_key(c, one)) || kc_amount(c, one) == 0)
			continue;
		at = 0;
		report(text, &at, prefix, "", 0);
		report(text, &at, " ", kc_key(c, one), kc_amount(c, one));
		add(c, lines, text);
	}
	if (kc_get(c, node, "topology_assignment"))
		want_placement(c, lines, prefix, kc_get(c, node, "topology_assignment"));
	const char *delayed = kc_str(c, node, "delayed_topology", NULL);
	if (delayed) {
		at = 0;
		report(text, &at, prefix, delayed, 1);
		add(c, lines, text);
	}
}

static void want_admissions(struct kueue_case *c, struct lines *lines, const struct sl_doc_node *map)
{
	for (const struct sl_doc_node *one = kc_first(c, map); one; one = kc_next(c, one)) {
		add_pair(c, lines, kc_key(c, one), kc_str(c, one, "cluster_queue", ""));
		for (const struct sl_doc_node *podset = kc_first(c, kc_get(c, one, "podsets")); podset;
			podset = kc_next(c, podset))
			want_podset(c, lines, kc_key(c, one), podset);
	}
}

/* Those that hold quota: all, those that did not run before, or those that are admitted. */
enum which { ALL, FRESH, ADMITTED };
static const char *compare_admissions(
	struct run *run, const char *what, const struct sl_doc_node *want, enum which which)
{
	struct lines got = { 0 }, expected = { 0 };
	struct kueue_case *c = run->c;
	if (!want)
		return NULL;
	for (uint32_t w = 0; w < c->kq->workload_count; w++) {
		const struct kq_workload *row = &c->kq->workload[w];
		if (row->gone || !row->admission || !kq_is(&row->cond[KQ_QUOTA_RESERVED]) ||
			(which == FRESH && run->admitted[w]) ||
			(which == ADMITTED && !kq_is(&row->cond[KQ_ADMITTED])))
			continue;
		got_admission(c, &got, w);
	}
	want_admissions(c, &expected, want);
	return differ(c, what, &got, &expected);
}

/* ---- What was done --------------------------------------------------------------------------------------
 */

static void effect_lines(struct kueue_case *c, const struct kq_effect *effect, struct lines *preempted,
	struct lines *evicted, struct lines *events)
{
	char key[512], cause[512], text[256];
	kc_workload_key(c, effect->workload, key);
	switch (effect->kind) {
	case KQ_DECISION_RESERVE:
	case KQ_DECISION_ADMIT:
	case KQ_DECISION_PEND:
	case KQ_DECISION_FINISH:
		add_pair(c, events, key, effect->reason);
		break;
	case KQ_DECISION_SKIP:
		if (strcmp(effect->reason, "SecondPassFailed") == 0)
			add_pair(c, events, key, effect->reason);
		break;
	case KQ_DECISION_PREEMPT:
		kc_workload_key(c, effect->cause, cause);
		add_pair(c, preempted, key, effect->reason);
		add_pair(c, evicted, key, "Preempted");
		add_pair(c, events, key, "Preempted");
		add_pair(c, events, key, "EvictedDueToPreempted");
		add_pair(c, events, cause, "PreemptedWorkload");
		break;
	case KQ_DECISION_EVICT:
		(void)snprintf(text, sizeof(text), "EvictedDueTo%s", effect->reason);
		add_pair(c, evicted, key, effect->reason);
		add_pair(c, events, key, text);
		break;
	case KQ_DECISION_DEACTIVATE:
	case KQ_DECISION_REQUEUE:
	case KQ_DECISION_CHECKS_RESET:
	case KQ_DECISION_REPLACE_NODE:
		break;
	}
}

static void want_pairs(struct kueue_case *c, struct lines *lines, const struct sl_doc_node *list)
{
	for (const struct sl_doc_node *one = kc_first(c, list); one; one = kc_next(c, one))
		add_pair(c, lines, kc_str(c, one, "workload", ""), kc_str(c, one, "reason", ""));
}

static const char *compare_effects(struct run *run, const struct sl_doc_node *expect)
{
	static const char *const name[] = { "preempted", "evicted", "events" };
	struct kueue_case *c = run->c;
	struct lines got[3] = { { 0 } };
	for (uint32_t i = 0; i < c->kq->effect_count; i++)
		effect_lines(c, &c->kq->effect[i], &got[0], &got[1], &got[2]);
	for (size_t i = 0; i < SL_LEN(name); i++) {
		struct lines want = { 0 };
		const struct sl_doc_node *list = kc_get(c, expect, name[i]);
		if (!list)
			continue;
		want_pairs(c, &want, list);
		const char *why = differ(c, name[i], &got[i], &want);
		if (why)
			return why;
	}
	return NULL;
}

/* ---- Workloads and queues -------------------------------------------------------------------------------
 */

static bool was_evicted(const struct kq *kq, uint32_t workload)
{
	for (uint32_t i = 0; i < kq->effect_count; i++)
		if (kq->effect[i].workload == workload && (kq->effect[i].kind == KQ_DECISION_PREEMPT ||
								  kq->effect[i].kind == KQ_DECISION_EVICT))
			return true;
	return false;
}

static const char *reason_if(bool holds, const struct kq_cond *cond)
{
	return holds && cond->reason ? cond->reason : "";
}

static const char *compare_facts(struct run *run, uint32_t w, const struct sl_doc_node *want)
{
	struct kueue_case *c = run->c;
	const struct kq_workload *row = &c->kq->workload[w];
	const struct kq_cond *cond = row->cond;
	const bool evicted = was_evicted(c->kq, w);
	const struct {
		const char *name, *got;
	} texts[] = {
		{ "pending_reason",
			reason_if(cond[KQ_QUOTA_RESERVED].status == KQ_FALSE, &cond[KQ_QUOTA_RESERVED]) },
		{ "preempted_reason", reason_if(evicted && kq_is(&cond[KQ_PREEMPTED]), &cond[KQ_PREEMPTED]) },
		{ "evicted_reason", reason_if(evicted && kq_is(&cond[KQ_EVICTED]), &cond[KQ_EVICTED]) },
		{ "finished_reason", reason_if(kq_is(&cond[KQ_FINISHED]), &cond[KQ_FINISHED]) },
	};
	const struct {
		const char *name;
		bool got;
	} flags[] = {
		{ "quota_reserved", kq_is(&cond[KQ_QUOTA_RESERVED]) },
		{ "admitted", kq_is(&cond[KQ_ADMITTED]) },
		{ "quota_reserved_before", run->before[w] },
	};
	for (size_t i = 0; i < SL_LEN(flags); i++)
		if (flags[i].got != kc_bool(c, want, flags[i].name, false))
			return kc_fail(
				c, "%s/%s: %s is %d", row->namespace, row->name, flags[i].name, flags[i].got);
	for (size_t i = 0; i < SL_LEN(texts); i++)
		if (strcmp(texts[i].got, kc_str(c, want, texts[i].name, "")) != 0)
			return kc_fail(c, "%s/%s: %s is '%s', not '%s' (%s)", row->namespace, row->name,
				texts[i].name, texts[i].got, kc_str(c, want, texts[i].name, ""),
				row->pending_message ? row->pending_message : "");
	const char *message = kc_str(c, want, "pending_message", NULL);
	if (message && (!row->pending_message || strcmp(row->pending_message, message) != 0))
		return kc_fail(c, "%s/%s: message is '%s', not '%s'", row->namespace, row->name,
			row->pending_message ? row->pending_message : "", message);
	return NULL;
}

static const char *compare_workloads(struct run *run, const struct sl_doc_node *want)
{
	struct kueue_case *c = run->c;
	if (!want)
		return NULL;
	for (uint32_t w = 0; w < c->kq->workload_count; w++) {
		char key[512];
		kc_workload_key(c, w, key);
		const struct sl_doc_node *facts = kc_get(c, want, key);
		if (c->kq->workload[w].gone && !facts)
			continue;
		if (!facts || c->kq->workload[w].gone)
			return kc_fail(c, "%s: %s", key, facts ? "it is gone" : "it should be gone");
		const char *why = compare_facts(run, w, facts);
		if (why)
			return why;
	}
	return NULL;
}

static const char *compare_queues(
	struct run *run, const char *what, const struct sl_doc_node *want, enum kq_queued where)
{
	struct kueue_case *c = run->c;
	struct lines got = { 0 }, expected = { 0 };
	if (!want)
		return NULL;
	for (uint32_t i = 0; i < c->kq->queue_count; i++) {
		const uint32_t *workload = NULL;
		const uint32_t count = kq_waiting(c->kq, c->kq->queue[i], where, &workload);
		for (uint32_t k = 0; k < count; k++) {
			char key[512];
			kc_workload_key(c, workload[k], key);
			add_pair(c, &got, c->kq->node[c->kq->queue[i]].name, key);
		}
	}
	for (const struct sl_doc_node *q = kc_first(c, want); q; q = kc_next(c, q))
		for (const struct sl_doc_node *one = kc_first(c, q); one; one = kc_next(c, one))
			add_pair(c, &expected, kc_key(c, q), kc_text(c, one));
	return differ(c, what, &got, &expected);
}

static const char *compare_figures(struct run *run)
{
	static const char *const result[] = { "skipped", "new_targets", "deferred_fit" };
	struct kueue_case *c = run->c;
	const struct sl_doc_node *skipped = kc_get(c, c->expect, "skipped_preemptions");
	const struct sl_doc_node *retry = kc_get(c, c->expect, "preemption_target_recomputations");
	const struct kq_cycle_figures *figures = kq_cycle_figures(c->kq);
	const bool complete = strncmp(c->id, "random", 6) == 0; /* Queues that are not named have none. */
	for (uint32_t i = 0; i < c->kq->queue_count; i++) {
		const uint32_t q = c->kq->queue[i];
		const char *name = c->kq->node[q].name;
		if (!complete && !kc_get(c, skipped, name) && !kc_get(c, retry, name))
			continue;
		if (skipped && figures->skipped[q] != (uint64_t)kc_int(c, skipped, name, 0))
			return kc_fail(c, "%s: skipped preemptions: %u", name, figures->skipped[q]);
		for (size_t k = 0; retry && k < SL_LEN(result); k++)
			if (run->recomputed[(size_t)q * 3 + k] !=
				(uint64_t)kc_int(c, kc_get(c, retry, name), result[k], 0))
				return kc_fail(c, "%s: %s: %u recomputed", name, result[k],
					run->recomputed[(size_t)q * 3 + k]);
	}
	return NULL;
}

/* ---- The run --------------------------------------------------------------------------------------------
 */

static bool begin(struct run *run)
{
	struct kq *kq = run->c->kq;
	run->before = kq_alloc(kq, kq->workload_count, sizeof(*run->before));
	run->admitted = kq_alloc(kq, kq->workload_count, sizeof(*run->admitted));
	run->nodes = kq->node_count;
	run->recomputed = kq_alloc(kq, (size_t)kq->node_count * 3, sizeof(*run->recomputed));
	if (kq->err.status)
		return false;
	const sl_time now = kq->now;
	kq->now -= SL_SECOND; /* Second passes are due at the beginning. */
	for (uint32_t w = 0; w < kq->workload_count; w++) {
		const struct kq_workload *row = &kq->workload[w];
		run->before[w] = kq_is(&row->cond[KQ_QUOTA_RESERVED]);
		run->admitted[w] = run->before[w] && kq_is(&row->cond[KQ_ADMITTED]) && !row->unhealthy_count;
		kq_submit(kq, w);
	}
	kq->now = now;
	return true;
}

static void cycle(struct run *run)
{
	struct kq *kq = run->c->kq;
	const uint32_t from = kq->effect_count;
	const bool ran = kq_cycle(kq);
	for (uint32_t i = from; kc_requires(run->c, "api-error-injection") && i < kq->effect_count; i++)
		if (kq->effect[i].kind == KQ_DECISION_RESERVE)
			kq_admission_failed(kq, kq->effect[i].workload);
	const struct kq_cycle_figures *figures = kq_cycle_figures(kq);
	run->cycles++;
	for (uint32_t n = 0; ran && n < run->nodes; n++)
		for (uint32_t k = 0; k < 3; k++)
			run->recomputed[(size_t)n * 3 + k] += figures->recomputed[k][n];
}

static void delete_all(struct run *run, const struct sl_doc_node *keys)
{
	struct kueue_case *c = run->c;
	for (const struct sl_doc_node *one = kc_first(c, keys); one; one = kc_next(c, one)) {
		const uint32_t w = kc_find_workload(c, kc_text(c, one));
		if (w == KQ_NO || c->kq->workload[w].gone)
			continue;
		/* The recorded driver notifies the tree of queued ones, too. */
		const uint32_t local = c->kq->workload[w].local;
		kq_delete(c->kq, w);
		if (local != KQ_NO && c->kq->local[local].queue != KQ_NO)
			kq_queue_notify(c->kq, c->kq->local[local].queue);
	}
}

static void step(struct run *run, const struct sl_doc_node *node)
{
	struct kq *kq = run->c->kq;
	const char *what = kc_str(run->c, node, "do", "");
	if (strcmp(what, "cycle") == 0) {
		cycle(run);
	} else if (strcmp(what, "advance") == 0) {
		kq->now += kc_time(run->c, node, "seconds", 0);
	} else if (strcmp(what, "complete_evictions") == 0) {
		for (uint32_t w = 0; w < kq->workload_count; w++)
			kq_evicted(kq, w);
	} else if (strcmp(what, "delete_workloads") == 0) {
		delete_all(run, kc_get(run->c, node, "keys"));
	} else if (strcmp(what, "process_requeues") == 0) {
		(void)kq_queue_wake(kq);
	}
}

static void lose_local(struct kueue_case *c)
{
	char key[512];
	(void)snprintf(
		key, sizeof(key), "%s", kc_str(c, kc_get(c, c->given, "afs"), "deleted_local_queue", ""));
	char *slash = strchr(key, '/');
	if (!slash)
		return;
	*slash = 0;
	const uint32_t local = kq_find_local(c->kq, key, slash + 1);
	if (local != KQ_NO)
		c->kq->local[local].exists = false;
}

const char *op_schedule_cycle(struct kueue_case *c)
{
	struct run run = { .c = c };
	const struct sl_doc_node *steps = kc_get(c, c->input, "steps");
	if (!begin(&run))
		return c->kq->err.text;
	lose_local(c);
	if (steps)
		for (const struct sl_doc_node *one = kc_first(c, steps); one; one = kc_next(c, one))
			step(&run, one);
	for (int64_t i = 0; !steps && i < kc_int(c, c->input, "cycles", 1); i++)
		cycle(&run);
	const char *why = compare_admissions(&run, "assignments", kc_get(c, c->expect, "assignments"), ALL);
	if (!why)
		why = compare_admissions(
			&run, "new assignments", kc_get(c, c->expect, "new_assignments"), FRESH);
	if (!why)
		why = compare_queues(&run, "active", kc_get(c, c->expect, "active"), KQ_ACTIVE);
	if (!why)
		why = compare_queues(
			&run, "inadmissible", kc_get(c, c->expect, "inadmissible"), KQ_INADMISSIBLE);
	if (!why)
		why = compare_effects(&run, c->expect);
	if (!why)
		why = compare_workloads(&run, kc_get(c, c->expect, "workloads"));
	if (!why)
		why = compare_figures(&run);
	if (!why && run.cycles != (uint64_t)kc_int(c, c->expect, "cycles", run.cycles))
		why = kc_fail(c, "%u cycles", run.cycles);
	return why;
}

const char *op_two_phase_schedule(struct kueue_case *c)
{
	struct run run = { .c = c };
	const struct sl_doc_node *first = kc_get(c, c->expect, "after_first_cycle");
	const char *why = NULL;
	if (!begin(&run))
		return c->kq->err.text;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->input, "steps")); one && !why;
		one = kc_next(c, one)) {
		step(&run, one);
		if (run.cycles == 1 && first) {
			why = compare_effects(&run, first);
			if (!why)
				why = compare_workloads(&run, kc_get(c, first, "workloads"));
			first = NULL;
		}
	}
	/* One cycle more changes nothing. */
	for (int i = 0; i < 2 && !why; i++) {
		why = compare_admissions(
			&run, "final assignments", kc_get(c, c->expect, "final_assignments"), ADMITTED);
		cycle(&run);
	}
	return why;
}

/* ---- The order of entries -------------------------------------------------------------------------------
 */

const char *op_order_entries(struct kueue_case *c)
{
	struct kq *kq = c->kq;
	struct kq_entry_key key[64];
	uint32_t order[64], count = 0, at = 0;
	const char *stamp = kc_str(c, c->input, "pods_ready_requeuing_timestamp", "");
	kq->config.by_creation = strcmp(stamp, "Eviction") != 0;
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->given, "entries")); one && count < 64;
		one = kc_next(c, one)) {
		const uint32_t w = kc_workload(c, one);
		key[count] = (struct kq_entry_key){ .preemptor = kc_bool(c, one, "is_preemptor", false),
			.borrow = (uint32_t)kc_int(c, one, "borrowing", 0),
			.priority = kq_priority(kq, &kq->workload[w]),
			.time = kq_queue_time(kq, &kq->workload[w]) };
		uint32_t to = count;
		while (to > 0 && kq_entry_compare(kq, &key[order[to - 1]], &key[count]) > 0) {
			order[to] = order[to - 1];
			to--;
		}
		order[to] = count++;
	}
	for (const struct sl_doc_node *one = kc_first(c, kc_get(c, c->expect, "order")); one;
		one = kc_next(c, one), at++)
		if (at >= count || strcmp(kq->workload[order[at]].name, kc_text(c, one)) != 0)
			return kc_fail(c, "place %u: %s, not %s", at,
				at < count ? kq->workload[order[at]].name : "nobody", kc_text(c, one));
	return at == count ? NULL : kc_fail(c, "%u entries, not %u", count, at);
}
