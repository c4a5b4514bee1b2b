/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_schedule.c - cases of whole sessions: what becomes of each task, pass by pass.
 *
 * Events of a pass are compared as a set. Labels of shared GPUs are names for people (README beside the
 * cases): of them only who is together with whom.
 */
#include "policies/runai/rules/kai_place.h"
#include "tests/conformance/runai_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double similar = 1e-6;

/* ---- What there is ---- */

static uint32_t task_of(const struct runai_case *c, const char *uid)
{
	for (uint32_t i = 0; i < c->kai->job_count; i++)
		for (uint32_t k = 0; k < c->kai->job[i].task_count; k++)
			if (strcmp(c->kai->task[c->kai->job[i].task + k].uid, uid) == 0)
				return c->kai->job[i].task + k;
	return KAI_NO;
}

static uint32_t job_of(const struct runai_case *c, const char *name)
{
	for (uint32_t i = 0; i < c->kai->job_count; i++)
		if (strcmp(c->kai->job[i].name, name) == 0)
			return i;
	return KAI_NO;
}

/* "running node0"; of a task that moves where it goes. */
static const char *reported(const struct runai_case *c, uint32_t task, char text[256])
{
	const struct kai_task *row = &c->kai->task[task];
	(void)snprintf(text, 256, "%s%s%s", ra_state_name(row->state), row->node >= 0 ? " " : "",
		row->node >= 0 ? c->kai->node[row->node].name : "");
	return text;
}

static void show_nodes(const struct runai_case *c, const char *when)
{
	for (uint32_t i = 0; i < c->kai->node_count; i++) {
		const struct kai_node *node = &c->kai->node[i];
		(void)printf("%s %s: %s: %lld GPUs idle, %lld releasing", c->id, when, node->name,
			(long long)node->idle.gpus, (long long)node->releasing.gpus);
		for (uint32_t k = 0; k < node->shared_count; k++)
			if (kai_shared_in_use(&node->shared[k]))
				(void)printf("; shared %u: %lld MiB, %lld of it releasing, %lld to come", k,
					(long long)node->shared[k].allocated,
					(long long)node->shared[k].releasing,
					(long long)node->shared[k].pipelined);
		(void)printf("\n");
	}
}

static void show_pass(const struct runai_case *c, const char *when)
{
	char text[256];
	if (!c->verbose)
		return;
	(void)printf("%s %s:", c->id, when);
	for (uint32_t i = 0; i < c->kai->job_count; i++)
		for (uint32_t k = 0; k < c->kai->job[i].task_count; k++)
			(void)printf(" [%s %s]", c->kai->task[c->kai->job[i].task + k].uid,
				reported(c, c->kai->job[i].task + k, text));
	(void)printf("\n");
	show_nodes(c, when);
}

/* ---- Expectations ---- */

static const char *check_task(struct runai_case *c, uint32_t task, const struct sl_doc_node *expect)
{
	const struct kai_task *row = &c->kai->task[task];
	const char *state = ra_str(c, expect, "state", "?"), *node = ra_str(c, expect, "node", NULL);
	char text[256];
	const uint32_t at = row->node >= 0 ? (uint32_t)row->node : row->row_outside;
	const bool same = strcmp(ra_state_name(row->state), state) == 0 &&
			  (!node || (at != KAI_NO && strcmp(c->kai->node[at].name, node) == 0));
	if (!same)
		return ra_fail(c, "task %s: %s, expected %s%s%s", row->uid, reported(c, task, text), state,
			node ? " " : "", node ? node : "");
	return NULL;
}

/* What is asked, in the words of the records: memory of GPUs and MIG profiles are not counted as GPUs. */
static struct kai_vec asked(const struct runai_case *c, uint32_t task)
{
	const struct kai_request *request = &c->kai->request[c->kai->task[task].request];
	struct kai_vec sum = { .at = { request->cpu, request->mem, 0 } };
	if (request->kind == KAI_WHOLE)
		sum.at[KAI_GPUS] = request->gpus * KAI_GPU;
	else if (request->kind == KAI_FRACTION)
		sum.at[KAI_GPUS] = request->gpus * request->fraction;
	return sum;
}

/* What it was given, likewise: nothing before it has a node. */
static int64_t accepted(const struct runai_case *c, uint32_t task)
{
	const struct kai_task *row = &c->kai->task[task];
	const bool placed = row->node >= 0 && c->kai->request[row->request].kind != KAI_MIG_PROFILES;
	return placed ? kai_charge(c->kai, task).at[KAI_GPUS] : 0;
}

static const char *check_amount(struct runai_case *c, const struct sl_doc_node *expect, const char *key,
	const char *name, int64_t got, enum kai_res res)
{
	const int64_t want = ra_amount(c, expect, key, res, INT64_MIN);
	const double unit = res == KAI_GPUS ? (double)KAI_GPU : 1;
	if (want == INT64_MIN || fabs((double)(want - got)) <= similar * unit)
		return NULL;
	return ra_fail(c, "%s: %s %.12g, expected %.12g", name, key, (double)got / unit, (double)want / unit);
}

/* Of the tasks from `first` on. */
static const char *check_amounts(struct runai_case *c, const struct sl_doc_node *expect, const char *name,
	uint32_t first, uint32_t count)
{
	static const char *const key[KAI_RES] = { "cpu_milli_requested", "memory_bytes_requested",
		"gpus_requested" };
	struct kai_vec needs = { 0 };
	int64_t given = 0;
	const char *why = NULL;
	for (uint32_t i = 0; i < count; i++) {
		const struct kai_vec one = asked(c, first + i);
		for (int k = 0; k < KAI_RES; k++)
			needs.at[k] += one.at[k];
		given += accepted(c, first + i);
	}
	for (int k = 0; k < KAI_RES && !why; k++)
		why = check_amount(c, expect, key[k], name, needs.at[k], (enum kai_res)k);
	return why ? why : check_amount(c, expect, "gpus_accepted", name, given, KAI_GPUS);
}

/* A job that did not start anew still has the start that the case gave it. */
static const char *check_start(struct runai_case *c, const struct sl_doc_node *expect, uint32_t job)
{
	if (!ra_bool(c, expect, "not_restarted", false) || c->kai->job[job].started == c->given[job].started)
		return NULL;
	return ra_fail(c, "job %s started anew", c->kai->job[job].name);
}

static const char *check_job(struct runai_case *c, uint32_t job, const struct sl_doc_node *expect)
{
	const struct kai_job *row = &c->kai->job[job];
	const char *why = check_start(c, expect, job);
	for (uint32_t i = 0; i < row->task_count && !why; i++)
		why = check_task(c, row->task + i, expect);
	return why ? why : check_amounts(c, expect, row->name, row->task, row->task_count);
}

static const char *check_one(struct runai_case *c, uint32_t task, const struct sl_doc_node *expect)
{
	const char *why = check_task(c, task, expect);
	why = why ? why : check_start(c, expect, c->kai->task[task].job);
	return why ? why : check_amounts(c, expect, c->kai->task[task].uid, task, 1);
}

static const char *check_nodes(struct runai_case *c, const struct sl_doc_node *nodes)
{
	for (const struct sl_doc_node *one = ra_first(c, nodes); one; one = ra_next(c, one)) {
		const uint32_t row = kai_find_node(c->kai, ra_key(c, one));
		if (row == KAI_NO)
			return "expects of a node that is not there";
		const struct kai_node *node = &c->kai->node[row];
		const int64_t idle = ra_int(c, one, "idle_gpus", node->idle.gpus);
		const int64_t releasing = ra_int(c, one, "releasing_gpus", node->releasing.gpus);
		if (idle != node->idle.gpus || releasing != node->releasing.gpus)
			return ra_fail(c,
				"node %s: %lld GPUs idle and %lld releasing, expected %lld and %lld",
				node->name, (long long)node->idle.gpus, (long long)node->releasing.gpus,
				(long long)idle, (long long)releasing);
	}
	return NULL;
}

/* How many GPUs two tasks of a node share: by the labels of the record, and here. */
static uint32_t shared_wanted(
	const struct runai_case *c, const struct sl_doc_node *a, const struct sl_doc_node *b)
{
	uint32_t count = 0;
	for (const struct sl_doc_node *one = ra_first(c, a); one; one = ra_next(c, one))
		for (const struct sl_doc_node *two = ra_first(c, b); two; two = ra_next(c, two))
			count += strcmp(ra_text(c, one), ra_text(c, two)) == 0;
	return count;
}

static uint32_t shared_here(const struct runai_case *c, const struct kai_task *a, const struct kai_task *b)
{
	uint32_t count = 0;
	for (int64_t i = 0; i < c->kai->request[a->request].gpus; i++)
		for (int64_t k = 0; k < c->kai->request[b->request].gpus; k++)
			count += a->shared[i] == b->shared[k];
	return count;
}

static const struct kai_task *hinted(const struct runai_case *c, const struct sl_doc_node *expect)
{
	const uint32_t task = ra_get(c, expect, "gpu_devices_hint") ? task_of(c, ra_key(c, expect)) : KAI_NO;
	const struct kai_task *row = task == KAI_NO ? NULL : &c->kai->task[task];
	return row && row->node >= 0 && row->shared ? row : NULL;
}

/* Labels of shared GPUs say who is together. Those of KAI's own tests are what their authors meant, and were
 * never compared (README beside the cases); random worlds, which say how they behaved, have what happened. */
static const char *check_hints(struct runai_case *c, const struct sl_doc_node *tasks)
{
	if (!ra_get(c, c->root, "behaviours"))
		return NULL;
	for (const struct sl_doc_node *one = ra_first(c, tasks); one; one = ra_next(c, one)) {
		const struct kai_task *a = hinted(c, one);
		for (const struct sl_doc_node *two = a ? ra_next(c, one) : NULL; two; two = ra_next(c, two)) {
			const struct kai_task *b = hinted(c, two);
			if (!b || a->node != b->node)
				continue;
			const uint32_t want = shared_wanted(
				c, ra_get(c, one, "gpu_devices_hint"), ra_get(c, two, "gpu_devices_hint"));
			const uint32_t got = shared_here(c, a, b);
			if (want != got)
				return ra_fail(c, "tasks %s and %s: %u GPUs together, expected %u", a->uid,
					b->uid, got, want);
		}
	}
	return NULL;
}

static const char *check_expected(struct runai_case *c)
{
	const char *why = NULL;
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, c->expect, "jobs")); one && !why;
		one = ra_next(c, one)) {
		const uint32_t job = job_of(c, ra_key(c, one));
		why = job == KAI_NO ? "expects of a job that is not there" : check_job(c, job, one);
	}
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, c->expect, "tasks")); one && !why;
		one = ra_next(c, one)) {
		const uint32_t task = task_of(c, ra_key(c, one));
		why = task == KAI_NO ? "expects of a task that is not there" : check_one(c, task, one);
	}
	why = why ? why : check_nodes(c, ra_get(c, c->expect, "nodes"));
	return why ? why : check_hints(c, ra_get(c, c->expect, "tasks"));
}

static const char *check_bounds(struct runai_case *c)
{
	static const char *const key[] = { "binds", "pipelines", "evictions" };
	int64_t count[3] = { 0 };
	for (uint32_t i = 0; i < c->kai->effect_count; i++)
		count[c->kai->effect[i].kind]++;
	for (int i = 0; i < 3; i++) {
		const int64_t most = ra_int(c, ra_get(c, c->expect, "max_per_pass"), key[i], INT64_MAX);
		if (count[i] > most)
			return ra_fail(c, "%lld %s in a pass, at most %lld", (long long)count[i], key[i],
				(long long)most);
	}
	return NULL;
}

static const char *check_shares(struct runai_case *c)
{
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, c->root, "fair_share")); one;
		one = ra_next(c, one)) {
		const uint32_t row = kai_find_queue(c->kai, ra_key(c, one));
		if (row == KAI_NO)
			return "has a fair share of a queue that is not there";
		const struct kai_queue *queue = &c->kai->queue[row];
		for (int i = 0; i < KAI_RES; i++) {
			const double unit = i == KAI_GPUS ? (double)KAI_GPU : 1;
			const double want = ra_real(c, one, ra_res_key((enum kai_res)i), 0);
			const double got =
				queue->fair.at[i] == KAI_UNLIMITED ? -1 : (double)queue->fair.at[i] / unit;
			if (fabs(want - got) > similar * (i == KAI_GPUS ? 1 : fabs(want) + 1))
				return ra_fail(c, "queue %s: fair share of %s %.9g, expected %.9g",
					queue->name, ra_res_key((enum kai_res)i), got, want);
		}
	}
	return NULL;
}

static const char *check_trace(struct runai_case *c, const struct sl_doc_node *pass, uint32_t number)
{
	for (const struct sl_doc_node *one = ra_first(c, pass); one; one = ra_next(c, one)) {
		const uint32_t task = task_of(c, ra_key(c, one));
		char text[256];
		if (task == KAI_NO)
			return "its trace has a task that is not there";
		if (strcmp(reported(c, task, text), ra_text(c, one)) != 0)
			return ra_fail(c, "pass %u: task %s: %s, expected %s", number, ra_key(c, one), text,
				ra_text(c, one));
	}
	return NULL;
}

/* ---- Events ---- */

static const char *event_text(const struct runai_case *c, const struct kai_effect *effect)
{
	static const char *const action[KAI_ACTIONS] = { "allocate", "consolidation", "reclaim", "preempt",
		"stalegangeviction" };
	const struct kai *kai = c->kai;
	char text[512];
	const char *task = kai->task[effect->task].uid;
	if (effect->kind == KAI_EVICT)
		(void)snprintf(text, sizeof(text), "evict %s %s %s", task, action[effect->action],
			effect->cause == KAI_NO ? "" : kai->job[effect->cause].name);
	else
		(void)snprintf(text, sizeof(text), "%s %s %s", effect->kind == KAI_BIND ? "bind" : "pipeline",
			task, kai->node[effect->node].name);
	return sl_strdup(c->arena, text, strlen(text));
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static const char *check_events(struct runai_case *c, const struct sl_doc_node *pass, uint32_t number)
{
	const uint32_t count = c->kai->effect_count;
	const uint32_t reported_of = pass ? pass->count : 0;
	const size_t capacity = (size_t)(reported_of > count ? reported_of : count) + 1;
	const char **got = sl_alloc(c->arena, capacity, sizeof(*got)),
		   **want = sl_alloc(c->arena, capacity, sizeof(*want));
	size_t wanted = 0;
	if (!got || !want)
		return "out of memory";
	for (uint32_t i = 0; i < count; i++)
		got[i] = event_text(c, &c->kai->effect[i]);
	for (const struct sl_doc_node *one = ra_first(c, pass); one; one = ra_next(c, one))
		want[wanted++] = ra_text(c, one);
	if (c->verbose)
		for (size_t i = 0; i < count || i < wanted; i++)
			(void)printf("%s pass %u: %-40s | %s\n", c->id, number, i < count ? got[i] : "",
				i < wanted ? want[i] : "");
	if (!pass)
		return NULL;
	qsort(got, count, sizeof(*got), by_text);
	qsort(want, wanted, sizeof(*want), by_text);
	for (size_t i = 0; i < count || i < wanted; i++)
		if (i >= count || i >= wanted || strcmp(got[i], want[i]) != 0)
			return ra_fail(c, "pass %u: events: %s, expected %s", number,
				i < count ? got[i] : "none", i < wanted ? want[i] : "none");
	return NULL;
}

/* ---- Passes ---- */

static const struct sl_doc_node *nth(const struct runai_case *c, const struct sl_doc_node *list, uint32_t n)
{
	const struct sl_doc_node *one = ra_first(c, list);
	while (one && n--)
		one = ra_next(c, one);
	return one;
}

static const char *pass(struct runai_case *c, uint32_t number)
{
	char when[32];
	const char *why = NULL;
	if (kai_session(c->kai) != 0)
		return c->kai->err.text;
	(void)snprintf(when, sizeof(when), "pass %u", number);
	show_pass(c, when);
	if (number == 0)
		why = check_shares(c);
	const struct sl_doc_node *trace = nth(c, ra_get(c, c->root, "trace"), number);
	const struct sl_doc_node *events = nth(c, ra_get(c, c->root, "events"), number);
	const char *other = check_events(c, events, number);
	why = why ? why : other;
	why = why || !trace ? why : check_trace(c, trace, number);
	return why ? why : check_bounds(c);
}

static void convert_task(struct runai_case *c, const struct kai_job *job, uint32_t task)
{
	struct kai_task *row = &c->kai->task[task];
	uint32_t shared[KAI_DEVICES_MAX];
	if (row->node >= 0)
		row->row_outside = KAI_NO;
	for (int64_t i = 0; row->shared && i < c->kai->request[row->request].gpus; i++)
		shared[i] = (uint32_t)row->shared[i];
	const bool moved = row->state == KAI_PIPELINED;
	if ((row->state == KAI_RELEASING && !job->deleted) || moved)
		kai_set_task(c->kai, task, KAI_PENDING, KAI_NO, NULL);
	else if (row->state == KAI_BINDING || row->state == KAI_ALLOCATED)
		kai_set_task(c->kai, task, KAI_RUNNING, (uint32_t)row->node, row->shared ? shared : NULL);
}

/* What the next round finds. */
static void convert(struct runai_case *c)
{
	enum { STARTED_AGO = 60 };
	for (uint32_t i = 0; i < c->kai->job_count; i++) {
		struct kai_job *job = &c->kai->job[i];
		for (uint32_t k = 0; k < job->task_count; k++)
			convert_task(c, job, job->task + k);
		const bool runs = job->group[0].count[KAI_RUNNING] > 0;
		job->started = runs ? c->kai->now - STARTED_AGO * SL_SECOND : SL_NONE;
		job->evicted_at = SL_NONE;
		job->stale_since = c->given[i].stale_since;
	}
}

static const char *rounds(struct runai_case *c)
{
	const struct sl_doc_node *of = ra_get(c, c->root, "rounds");
	const uint32_t before = (uint32_t)ra_int(c, of, "before_check", 1);
	const uint32_t after = (uint32_t)ra_int(c, of, "after_check", 0);
	const char *why = NULL;
	for (uint32_t i = 0; i < before + after && !why; i++) {
		why = pass(c, i);
		if (why)
			break;
		convert(c);
		show_pass(c, "then");
		if (i + 1 >= before)
			why = check_expected(c);
	}
	return why;
}

static bool has_feature(const struct runai_case *c, const char *name)
{
	for (const struct sl_doc_node *one = ra_first(c, ra_get(c, c->root, "features")); one;
		one = ra_next(c, one))
		if (strcmp(ra_text(c, one), name) == 0)
			return true;
	return false;
}

const char *ra_schedule(struct runai_case *c)
{
	if (has_feature(c, "pod_affinity"))
		return "pod affinity is not modelled";
	ra_build(c);
	if (c->kai->err.status)
		return c->kai->err.text;
	c->given = sl_alloc(c->arena, (size_t)c->kai->job_count + 1, sizeof(*c->given));
	if (!c->given)
		return "out of memory";
	for (uint32_t i = 0; i < c->kai->job_count; i++)
		c->given[i] = (struct runai_given){ c->kai->job[i].started, c->kai->job[i].stale_since };
	if (strcmp(ra_str(c, c->root, "mode", "?"), "rounds") == 0)
		return rounds(c);
	const char *why = pass(c, 0);
	return why ? why : check_expected(c);
}

__attribute__((weak)) const char *ra_unit(struct runai_case *c)
{
	return ra_fail(c, "no such kind: %s", c->kind);
}
