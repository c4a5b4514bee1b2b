/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_case.c - a recorded world of kube-scheduler, step by step.
 *
 * What is fixed in the recording is so here: ties by the least name, preemption from the first node, each
 * pod tried by itself, pods that back off tried again while nothing else is to be, as often as it was. The
 * clock stands within a step, but for a microsecond a cycle.
 */
#include "tests/conformance/kube_case.h"
#include "policies/kube/workload/kube_workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct sl_doc_node *in_world(
	const struct kube_case *c, const struct sl_doc_node *map, const char *key)
{
	return sl_doc_member(&c->doc, map, key);
}

static int64_t number_of(const struct kube_case *c, const struct sl_doc_node *map, const char *key)
{
	const char *text = sl_doc_word(&c->doc, in_world(c, map, key));
	int64_t value = 0;
	return text && sl_get_i64(text, strlen(text), &value) ? value : 0;
}

/* ---- The world as files ------------------------------------------------------------------------- */

static bool is_of_cluster(const struct kube_case *c, const struct sl_doc_node *object)
{
	const char *kind = sl_doc_word(&c->doc, in_world(c, object, "kind"));
	return kind && strcmp(kind, "Pod") != 0 && strcmp(kind, "PodGroup") != 0;
}

/* A List of the world's objects, as text. */
static char *list_of(const struct kube_case *c, const char *text, bool cluster)
{
	char *list = NULL;
	bool any = false;
	const struct sl_doc_node *config = cluster ? in_world(c, c->root, "config") : NULL;
	told_add(&list, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
	if (config)
		told_add(&list, "%.*s", (int)(config->until - config->from), text + config->from);
	any = config;
	SL_DOC_EACH (step, &c->doc, in_world(c, c->root, "steps"))
		SL_DOC_EACH (object, &c->doc, in_world(c, step, "create")) {
			if (is_of_cluster(c, object) != cluster)
				continue;
			told_add(&list, "%s%.*s", any ? "," : "", (int)(object->until - object->from),
				text + object->from);
			any = true;
		}
	told_add(&list, "]}");
	return list;
}

static int read_world(struct kube_case *c, const char *text)
{
	char path[2][32], *list[2], gates[400];
	int file[2];
	const char *said = sl_doc_word(&c->doc, in_world(c, c->root, "gates"));
	const char *settings[] = { gates, "replay.impossible=keep", NULL };
	(void)snprintf(gates, sizeof(gates), "gates=%s", said ? said : "");
	for (int i = 0; i < 2; i++) {
		list[i] = list_of(c, text, i == 1);
		file[i] = memory_file(path[i], list[i], strlen(list[i]));
	}
	const int status = rerun_begin(&c->run, path[0], path[1], "kube", settings);
	for (int i = 0; i < 2; i++) {
		(void)close(file[i]);
		free(list[i]);
	}
	return status;
}

static int name_jobs(struct kube_case *c)
{
	const struct sl_jobs *jobs = &c->run.scenario.jobs;
	c->pods = sl_alloc(c->run.arena, (size_t)jobs->count + 1, sizeof(struct sl_pods *));
	for (uint32_t i = 0; c->pods && i < jobs->count; i++)
		if (sl_map_add(&c->by_name, sl_hash_text(0, jobs->id_name[i]), i, &c->run.err))
			return c->run.err.status;
	return c->pods ? SL_OK : sl_fail_memory(&c->run.err);
}

static int make_world(struct kube_case *c, const char *text)
{
	int status = read_world(c, text);
	if (!status)
		status = name_jobs(c);
	if (status)
		return status;
	const struct sl_setup setup = { .arena = c->run.arena,
		.jobs = &c->run.scenario.jobs,
		.cluster = &c->run.scenario.cluster,
		.values = c->run.choice.values,
		.value_count = c->run.choice.value_count };
	struct kube_options options;
	status = kube_take_options(&options, &setup, &c->run.err);
	if (status)
		return status;
	options.singly = true;
	options.tries = UINT32_MAX;
	options.flush = SL_NEVER / 4; /* Never. */
	return kube_make(&c->k, &setup, &options, &c->run.err);
}

/* ---- Steps ---------------------------------------------------------------------------------------- */

/* "namespace/name" of an object of the world, or of what is deleted. */
static uint32_t job_of(const struct kube_case *c, const struct sl_doc_node *object)
{
	const struct sl_doc_node *metadata = in_world(c, object, "metadata");
	const char *space = sl_doc_word(&c->doc, in_world(c, metadata ? metadata : object, "namespace"));
	const char *name = sl_doc_word(&c->doc, in_world(c, metadata ? metadata : object, "name"));
	char *id;
	uint32_t row;
	SL_CHECK(asprintf(&id, "%s/%s", space ? space : "default", name ? name : "") >= 0);
	SL_MAP_EACH(&c->by_name, sl_hash_text(0, id), row)
	if (strcmp(c->run.scenario.jobs.id_name[row], id) == 0)
		break;
	free(id);
	return row;
}

static bool is_pod(const struct kube_case *c, const struct sl_doc_node *object)
{
	const char *kind = sl_doc_word(&c->doc, in_world(c, object, "kind"));
	return kind && strcmp(kind, "Pod") == 0;
}

static void add_pod(struct kube_case *c, sl_time now, uint32_t row)
{
	if (!c->pods[row])
		c->pods[row] = (struct sl_pods *)(uintptr_t)sl_pods_of(
			c->run.arena, &c->run.scenario.jobs, &c->run.scenario.cluster, row, &c->k.err);
	if (c->pods[row])
		kube_add(&c->k, now, (sl_job){ row }, c->pods[row], NULL);
}

/* A PodGroup of the world: it is to come, or it comes. */
static void group_in(struct kube_case *c, const struct sl_doc_node *object,
	void (*call)(struct kube *, const char *, const char *))
{
	const char *kind = sl_doc_word(&c->doc, in_world(c, object, "kind"));
	const struct sl_doc_node *metadata = in_world(c, object, "metadata");
	const char *space = sl_doc_word(&c->doc, in_world(c, metadata, "namespace"));
	const char *name = sl_doc_word(&c->doc, in_world(c, metadata, "name"));
	if (kind && name && strcmp(kind, "PodGroup") == 0)
		call(&c->k, space ? space : "default", name);
}

static void expect_groups(struct kube_case *c)
{
	SL_DOC_EACH (step, &c->doc, in_world(c, c->root, "steps"))
		SL_DOC_EACH (object, &c->doc, in_world(c, step, "create"))
			group_in(c, object, kube_workload_expect);
}

static void change(struct kube_case *c, sl_time now)
{
	SL_DOC_EACH (object, &c->doc, in_world(c, c->step, "delete")) {
		const uint32_t row = is_pod(c, object) ? job_of(c, object) : KUBE_NO;
		if (row != KUBE_NO)
			kube_remove(&c->k, now, (sl_job){ row });
	}
	SL_DOC_EACH (object, &c->doc, in_world(c, c->step, "create")) {
		const uint32_t row = is_pod(c, object) ? job_of(c, object) : KUBE_NO;
		if (row != KUBE_NO)
			add_pod(c, now, row);
		group_in(c, object, kube_workload_arrive);
	}
}

static int by_id(const void *a, const void *b, void *of)
{
	const struct kube_case *c = of;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return strcmp(c->run.scenario.jobs.id_name[x], c->run.scenario.jobs.id_name[y]);
}

/* Victims are made anew by name, if they are in this world. */
static void take_losses(struct kube_case *c, sl_time now)
{
	enum { LOST_MAX = 512 };
	const char *not_anew = sl_doc_word(&c->doc, in_world(c, c->root, "no_recreate"));
	const bool anew = !not_anew || strcmp(not_anew, "true") != 0;
	uint32_t lost[LOST_MAX];
	size_t count = 0;
	struct kube *k = &c->k;
	while (k->reported_next < k->reported_count && count < LOST_MAX) {
		const struct sl_bound bound = k->reported[k->reported_next++];
		if (bound.what == SL_BOUND_LOST)
			lost[count++] = bound.job.row;
	}
	qsort_r(lost, count, sizeof(*lost), by_id, c);
	for (size_t i = 0; i < count; i++)
		kube_remove(k, now, (sl_job){ lost[i] });
	for (size_t i = 0; i < count && anew; i++)
		add_pod(c, now, lost[i]);
}

static size_t waiting_of(const struct kube *k)
{
	size_t count = 0;
	for (size_t i = 0; i < k->pods; i++)
		count += k->pod[i].state != KUBE_POD_GONE && k->pod[i].state != KUBE_POD_BOUND;
	return count;
}

static bool try_next(struct kube_case *c)
{
	c->k.now++;
	if (!kube_try_next(&c->k))
		return false;
	take_losses(c, c->k.now);
	return true;
}

/* Cycles since a pod was bound or evicted. */
static size_t idle_cycles(const struct kube_case *c)
{
	size_t count = 0;
	for (size_t i = c->ours.count; i-- > 0; count++)
		if (c->ours.at[i].part[TOLD_NODE] || c->ours.at[i].part[TOLD_VICTIMS])
			break;
	return count;
}

/* As many cycles as there were. More are to be done only where the recording stopped at a cycle of retries.
 */
static const char *run_cycles(struct kube_case *c)
{
	const struct sl_doc_node *cycles = in_world(c, c->step, "cycles");
	const size_t wanted = (cycles ? cycles->count : 0) + (size_t)number_of(c, c->step, "repeats");
	const size_t waits = waiting_of(&c->k);
	c->cycles = 0;
	c->repeats = number_of(c, c->step, "repeats") > 0;
	told_clear(&c->ours);
	while (c->cycles < wanted && !c->k.err.status && try_next(c))
		;
	if (c->k.err.status)
		return c->k.err.text;
	if (c->cycles == wanted && wanted < 2 * waits + 4 && idle_cycles(c) < 2 * waiting_of(&c->k) + 4)
		(void)try_next(c);
	return NULL;
}

/* ---- Comparison ------------------------------------------------------------------------------------- */

static void differ(struct kube_case *c, const char *what, const char *theirs, const char *ours)
{
	(void)snprintf(c->differs, sizeof(c->differs), "%s", what);
	told_add(&c->why, "step %" PRId64 ": %s: recorded %s, ours %s", number_of(c, c->step, "at"), what,
		theirs && *theirs ? theirs : "nothing", ours && *ours ? ours : "nothing");
}

/* The first plugin of whose name the texts differ. */
static void name_difference(char *name, size_t capacity, enum told_part part, const char *a, const char *b)
{
	size_t at = 0;
	while (a[at] && a[at] == b[at])
		at++;
	while (at && a[at - 1] != '=' && a[at - 1] != ',' && a[at - 1] != '!' && a[at - 1] != ' ')
		at--;
	(void)snprintf(name, capacity, "%s %.*s, not %.*s", told_part_name(part), (int)strcspn(b + at, ": ,"),
		b + at, (int)strcspn(a + at, ": ,"), a + at);
}

static bool is_told(const struct told *theirs, enum told_part part)
{
	const bool always =
		part != TOLD_START && part != TOLD_SCORES && part != TOLD_FILTER && part != TOLD_NODES;
	return theirs->part[part] || always;
}

static bool compare_cycle(struct kube_case *c, const struct told *theirs, const struct told *ours)
{
	for (size_t i = 0; i < TOLD_PARTS; i++) {
		const enum told_part part = (enum told_part)i;
		char what[96];
		if (!is_told(theirs, part) || told_same(theirs->part[i], ours->part[i]))
			continue;
		(void)snprintf(what, sizeof(what), "%s", told_part_name(part));
		if ((part == TOLD_FILTER || part == TOLD_SCORES) && ours->part[i])
			name_difference(what, sizeof(what), part, theirs->part[i], ours->part[i]);
		if (part == TOLD_RESULT)
			(void)snprintf(
				what, sizeof(what), "result %s, not %s", ours->part[i], theirs->part[i]);
		differ(c, what, theirs->part[i], ours->part[i]);
		told_add(&c->why, " (%s)", theirs->part[TOLD_POD]);
		return false;
	}
	return true;
}

/* It is as one of ours before it. */
static bool is_repeated(const struct kube_case *c, size_t which)
{
	bool same = false;
	for (size_t i = 0; i < which && !same; i++) {
		same = true;
		for (size_t part = 0; part < TOLD_PARTS && same; part++)
			same = told_same(c->ours.at[i].part[part], c->ours.at[which].part[part]);
	}
	return same;
}

static bool is_as_told(const struct told *theirs, const struct told *ours)
{
	for (size_t i = 0; i < TOLD_PARTS; i++)
		if (is_told(theirs, (enum told_part)i) && !told_same(theirs->part[i], ours->part[i]))
			return false;
	return true;
}

/* Where cycles were left out of the recording, those of ours that are as one before may be missing there. */
static bool compare_cycles(struct kube_case *c)
{
	size_t told = 0;
	for (size_t i = 0; i < c->ours.count; i++) {
		const struct told *ours = &c->ours.at[i];
		const struct told *theirs = told < c->recorded.count ? &c->recorded.at[told] : NULL;
		if (theirs && is_as_told(theirs, ours)) {
			told++;
			continue;
		}
		if (c->repeats && is_repeated(c, i))
			continue;
		if (theirs)
			return compare_cycle(c, theirs, ours);
		differ(c, "a cycle more", NULL, ours->part[TOLD_POD]);
		return false;
	}
	if (told < c->recorded.count)
		differ(c, "a cycle less", c->recorded.at[told].part[TOLD_POD], NULL);
	return told == c->recorded.count;
}

/* placed: where each pod is after the step, of those that moved. */
static bool compare_placed(struct kube_case *c)
{
	SL_DOC_EACH (one, &c->doc, in_world(c, c->step, "placed")) {
		const char *want = sl_doc_word(&c->doc, one), *have = "", *name = sl_doc_key_of(&c->doc, one);
		for (size_t i = 0; i < c->k.pods; i++)
			if (c->k.pod[i].state == KUBE_POD_BOUND &&
				strcmp(told_pod_name(c, (uint32_t)i), name) == 0)
				have = c->k.node[c->k.pod[i].node].name;
		if (strcmp(want, have) != 0) {
			differ(c, "placed", want, have);
			return false;
		}
	}
	return true;
}

static bool compare_claims(struct kube_case *c)
{
	char *theirs, *ours;
	const bool same = claims_same(c, in_world(c, c->step, "claims"), &theirs, &ours);
	if (!same)
		differ(c, "claims", theirs, ours);
	free(theirs);
	free(ours);
	return same;
}

static const char *run_steps(struct kube_case *c)
{
	struct kube_watch watch = told_watch;
	watch.self = c;
	c->k.watch = &watch;
	expect_groups(c);
	SL_DOC_EACH (step, &c->doc, in_world(c, c->root, "steps")) {
		c->step = step;
		const sl_time now = number_of(c, step, "at") * SL_SECOND;
		c->k.now = now;
		kube_queue_due(&c->k);
		change(c, now);
		const char *failure = run_cycles(c);
		if (failure)
			return failure;
		told_recorded(c, in_world(c, step, "cycles"));
		if (!compare_cycles(c) || !compare_placed(c) || !compare_claims(c))
			return c->why;
	}
	return NULL;
}

const char *kube_case_run(struct kube_case *c, const char *text, size_t len)
{
	struct sl_err *err = &c->run.err;
	c->name = c->kind = "?";
	c->doc = (struct sl_doc){ .file = "world", .loose = true };
	if (sl_doc_read_json(&c->doc, text, len, err))
		return err->text;
	c->root = &c->doc.node[0];
	c->name = sl_doc_word(&c->doc, in_world(c, c->root, "name"));
	c->kind = sl_doc_word(&c->doc, in_world(c, c->root, "kind"));
	const int status = make_world(c, text);
	if (status)
		(void)snprintf(c->differs, sizeof(c->differs), "refused: %.70s",
			strrchr(err->text, ':') ? strrchr(err->text, ':') + 2 : err->text);
	return status ? err->text : run_steps(c);
}

void kube_case_release(struct kube_case *c)
{
	told_clear(&c->recorded);
	told_clear(&c->ours);
	told_free(&c->now);
	free(c->recorded.at);
	free(c->ours.at);
	free(c->why);
	sl_map_free(&c->by_name);
	if (c->k.arena)
		kube_free(&c->k);
	if (c->run.arena)
		rerun_release(&c->run);
	sl_doc_release(&c->doc);
}
