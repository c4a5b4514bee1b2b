/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_read_rules.c - rules of the projects file: which job is whose (`map`), and of what type (`types`).
 *
 * The first rule that matches applies. Patterns have '*' for any text and '?' for any letter.
 */
#include <string.h>

#include "policies/runai/runai_reading.h"

const char *runai_type_name(enum runai_type type)
{
	static const char *const names[RUNAI_TYPES] = { [RUNAI_TRAIN] = "train",
		[RUNAI_BUILD_PREEMPTIBLE] = "build-preemptible",
		[RUNAI_BUILD] = "build",
		[RUNAI_INFERENCE] = "inference" };
	return names[type];
}

int64_t runai_type_priority(enum runai_type type)
{
	static const int64_t priorities[RUNAI_TYPES] = { [RUNAI_TRAIN] = 50,
		[RUNAI_BUILD_PREEMPTIBLE] = 75,
		[RUNAI_BUILD] = 100,
		[RUNAI_INFERENCE] = 125 };
	return priorities[type];
}

/* Run:AI's words and KAI's. */
int runai_type_of(const char *text)
{
	static const struct {
		const char *word;
		int type;
	} words[] = { { "train", RUNAI_TRAIN }, { "training", RUNAI_TRAIN }, { "build", RUNAI_BUILD },
		{ "build-preemptible", RUNAI_BUILD_PREEMPTIBLE },
		{ "interactive-preemptible", RUNAI_BUILD_PREEMPTIBLE }, { "inference", RUNAI_INFERENCE },
		{ "interactive", RUNAI_TYPES }, { "workspace", RUNAI_TYPES } };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcmp(words[i].word, text) == 0)
			return words[i].type;
	return -1;
}

/* ---- Match -------------------------------------------------------------------------------------- */

/* GPUs in thousandths. */
static int64_t runai_read_rules_gpus_of(struct sl_at at)
{
	const int64_t amount = runai_amount(at, KAI_GPUS, SL_NONE);
	return amount == SL_NONE || amount == KAI_UNLIMITED ? SL_NONE : amount / (KAI_GPU / 1000);
}

void runai_read_match(struct sl_at at, struct runai_match *match)
{
	static const char *const keys[] = { "user", "account", "group", "partition", "queue", "namespace",
		"name", "qos", "gpus", "limit", NULL };
	static const char *const bounds[] = { "min", "max", NULL };
	sl_at_keys(at, keys);
	const struct sl_at gpus = sl_at_get(at, "gpus");
	const struct sl_at limit = sl_at_get(at, "limit");
	const char *account = runai_text(sl_at_get(at, "account"));
	*match = (struct runai_match){ .user = runai_text(sl_at_get(at, "user")),
		.account = account ? account : runai_text(sl_at_get(at, "group")),
		.partition = runai_text(sl_at_get(at, "partition")),
		.queue = runai_text(sl_at_get(at, "queue")),
		.namespace = runai_text(sl_at_get(at, "namespace")),
		.name = runai_text(sl_at_get(at, "name")),
		.qos = runai_text(sl_at_get(at, "qos")) };
	const bool one = runai_is_text(gpus);
	if (!one)
		sl_at_keys(gpus, bounds);
	sl_at_keys(limit, bounds);
	match->gpus_min = runai_read_rules_gpus_of(one ? gpus : sl_at_get(gpus, "min"));
	match->gpus_max = runai_read_rules_gpus_of(one ? gpus : sl_at_get(gpus, "max"));
	match->limit_min = runai_time(sl_at_get(limit, "min"), SL_NONE);
	match->limit_max = runai_time(sl_at_get(limit, "max"), SL_NONE);
	if (sl_at_is_null(at) || !sl_at_count(at))
		(void)sl_at_fail(at,
			"a rule without anything to match: it would take all jobs; use 'default' for that");
}

/* ---- map ---------------------------------------------------------------------------------------- */

static uint32_t project_of(struct sl_at at, const char *name)
{
	const uint32_t row = runai_find_queue(runai_of(at)->config, name);
	if (row == KAI_NO)
		(void)sl_at_fail(at, "the project '%.80s' is not there: add it under 'projects'", name);
	return row;
}

static void read_map_rules(struct sl_at list)
{
	static const char *const keys[] = { "match", "project", NULL };
	struct runai_reading *r = runai_of(list);
	SL_AT_EACH (one, list) {
		if (r->map_count == RUNAI_RULES_MAX) {
			(void)sl_at_fail(one, "more than %d rules", RUNAI_RULES_MAX);
			return;
		}
		sl_at_keys(one, keys);
		r->map = runai_grow(r, r->map, r->map_count, sizeof(*r->map));
		if (!r->map)
			return;
		struct runai_map_rule *rule = &r->map[r->map_count++];
		rule->queue = project_of(one, runai_name(one, "project"));
		runai_read_match(sl_at_get(one, "match"), &rule->match);
	}
}

void runai_read_map(struct sl_at at)
{
	static const char *const keys[] = { "by", "rules", "default", NULL };
	static const char *const ways[] = { "none", "account", "partition", "user", "queue", NULL };
	if (sl_at_is_null(at))
		return;
	const struct sl_at fallback = sl_at_get(at, "default");
	sl_at_keys(at, keys);
	runai_of(at)->config->cause = (enum runai_by)sl_at_word(sl_at_get(at, "by"), ways, RUNAI_BY_NONE);
	read_map_rules(sl_at_get(at, "rules"));
	runai_of(at)->fallback = runai_text(fallback);
	if (runai_of(at)->fallback)
		runai_of(at)->fallback_at = sl_doc_place(fallback.doc, fallback.node);
}

/* ---- types -------------------------------------------------------------------------------------- */

static enum runai_type type_at(struct sl_at at, enum runai_type fallback)
{
	const char *word = runai_text(at);
	const int type = word ? runai_type_of(word) : (int)fallback;
	if (type < 0)
		(void)sl_at_fail(at,
			"'%.60s' is no type of workload: write train, build, build-preemptible or inference",
			word);
	return type == RUNAI_TYPES ? RUNAI_BUILD : type < 0 ? fallback : (enum runai_type)type;
}

static void read_type_rules(struct sl_at list)
{
	static const char *const keys[] = { "match", "type", "preemptible", "priority", NULL };
	struct runai_reading *r = runai_of(list);
	SL_AT_EACH (one, list) {
		if (r->type_count == RUNAI_RULES_MAX) {
			(void)sl_at_fail(one, "more than %d rules", RUNAI_RULES_MAX);
			return;
		}
		sl_at_keys(one, keys);
		r->type = runai_grow(r, r->type, r->type_count, sizeof(*r->type));
		if (!r->type)
			return;
		struct runai_type_rule *rule = &r->type[r->type_count++];
		const struct sl_at preemptible = sl_at_get(one, "preemptible");
		const bool said = !sl_at_is_null(preemptible);
		(void)runai_name(one, "type");
		rule->type = type_at(sl_at_get(one, "type"), RUNAI_TRAIN);
		rule->preemptible = (int8_t)(said ? sl_at_bool(preemptible, false) : -1);
		rule->priority = sl_at_int(sl_at_get(one, "priority"), SL_NONE, INT32_MIN, INT32_MAX);
		runai_read_match(sl_at_get(one, "match"), &rule->match);
	}
}

void runai_read_types(struct sl_at at)
{
	static const char *const keys[] = { "default", "rules", NULL };
	if (sl_at_is_null(at))
		return;
	sl_at_keys(at, keys);
	runai_of(at)->config->type_default = type_at(sl_at_get(at, "default"), RUNAI_TRAIN);
	read_type_rules(sl_at_get(at, "rules"));
}
