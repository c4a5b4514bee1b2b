/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_spec.c - the file of a sweep: schedlab-sweep(5).
 *
 * YAML or JSON. Every list is a factor; a scalar is a factor of one value, which makes no column wider.
 * Ranges "0.5..1:0.1" are written out exactly, in millionths, so that a point is named by the same text
 * everywhere.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep.h"
#include "sim/base/doc.h"

enum { SPEC_BYTES_MAX = 1 << 20 };

struct reading {
	struct sweep_spec *spec;
	struct sl_arena *arena;
	struct sl_doc doc;
};

static const char *sweep_spec_text_at(const struct reading *r, const struct sl_doc_node *node)
{
	return sl_doc_word(&r->doc, node);
}

static const char *key_at(const struct reading *r, const struct sl_doc_node *node)
{
	return sl_doc_key_of(&r->doc, node);
}

static int sweep_spec_wrong(
	const struct reading *r, const struct sl_doc_node *node, struct sl_err *err, const char *what)
{
	const struct sl_place at = sl_doc_place(&r->doc, node);
	return sl_fail_at(err, &at, "%s", what);
}

static const char *kept(const struct reading *r, const char *text)
{
	return sl_strdup(r->arena, text, strlen(text));
}

static int fail_spec(const struct sl_schema_reading *r, enum sl_schema_wrong reason,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what);

static int read_map(const struct reading *r, const struct sl_doc_node *map, const struct sl_schema *schema,
	const struct sl_doc_node **into, void *base, struct sl_err *err)
{
	const struct sl_schema_reading by = {
		.doc = &r->doc, .arena = r->arena, .fail = fail_spec, .err = err
	};
	return sl_schema_read(&by, map, schema, into, base);
}

/* ---- Ranges ------------------------------------------------------------------------------------ */

static bool sweep_spec_number_of(const char *text, size_t len, int64_t *micro)
{
	return len && sl_get_micro(text, len, micro);
}

int sweep_range(const char *text, const char ***value, size_t *count, struct sl_arena *arena, bool *is,
	struct sl_err *err)
{
	const char *dots = strstr(text, "..");
	const char *colon = dots ? strchr(dots, ':') : NULL;
	int64_t from;
	int64_t to;
	int64_t step = 1000000;
	*is = dots && sweep_spec_number_of(text, (size_t)(dots - text), &from) &&
	      sweep_spec_number_of(dots + 2, colon ? (size_t)(colon - dots - 2) : strlen(dots + 2), &to) &&
	      (!colon || sweep_spec_number_of(colon + 1, strlen(colon + 1), &step));
	if (!*is)
		return SL_OK;
	if (step <= 0 || to < from || (to - from) / step >= SWEEP_VALUES_MAX)
		return sl_fail(err, SL_INPUT,
			"the range '%.60s' must ascend, and have at most %d values: FROM..TO:STEP", text,
			SWEEP_VALUES_MAX);
	*count = (size_t)((to - from) / step) + 1;
	*value = sl_alloc(arena, *count, sizeof(**value));
	for (size_t i = 0; *value && i < *count; i++) {
		char number[40];
		*sl_put_micro(number, from + (int64_t)i * step) = '\0';
		(*value)[i] = sl_strdup(arena, number, strlen(number));
		if (!(*value)[i])
			return sl_fail_memory(err);
	}
	return *value ? SL_OK : sl_fail_memory(err);
}

/* ---- Factors ------------------------------------------------------------------------------------- */

static int value_add(const struct reading *r, struct factor *factor, const struct sl_doc_node *node,
	size_t *capacity, struct sl_err *err)
{
	const char **more = NULL;
	size_t count = 1;
	bool range;
	struct sl_err why = { 0 };
	if (node->kind != SL_DOC_TEXT)
		return sweep_spec_wrong(r, node, err, "a value must be one word or number here");
	if (sweep_range(sweep_spec_text_at(r, node), &more, &count, r->arena, &range, &why))
		return sweep_spec_wrong(r, node, err, why.text);
	const char *one = sweep_spec_text_at(r, node);
	if (!range)
		more = &one;
	if (!more)
		return sl_fail_memory(err);
	if (factor->count + count > SWEEP_VALUES_MAX)
		return sweep_spec_wrong(r, node, err, "too many values: at most 100000 of a factor");
	if (factor->count + count > *capacity) {
		*capacity = 2 * (factor->count + count);
		const char **grown = sl_alloc(r->arena, *capacity, sizeof(*grown));
		if (!grown)
			return sl_fail_memory(err);
		if (factor->count)
			memcpy(grown, factor->value, factor->count * sizeof(*grown));
		factor->value = grown;
	}
	for (size_t i = 0; i < count; i++) {
		const char *text = kept(r, more[i]);
		if (!text)
			return sl_fail_memory(err);
		for (size_t k = 0; k < factor->count && count == 1; k++)
			if (strcmp(factor->value[k], text) == 0)
				return sweep_spec_wrong(
					r, node, err, "this value stands here twice: leave one out");
		factor->value[factor->count++] = text;
	}
	return SL_OK;
}

/* A list of values, a range, or one value. */
static int factor_add(
	struct reading *r, const char *name, const struct sl_doc_node *node, size_t *at, struct sl_err *err)
{
	struct sweep_spec *spec = r->spec;
	size_t capacity = 0;
	int status = SL_OK;
	if (spec->factor_count == SWEEP_FACTORS_MAX)
		return sweep_spec_wrong(r, node, err, "too many factors: at most 16");
	struct factor *factor = &spec->factor[spec->factor_count];
	*factor = (struct factor){ .name = kept(r, name), .line = node->line, .column = node->column };
	if (!factor->name)
		return sl_fail_memory(err);
	if (node->kind == SL_DOC_LIST) {
		const struct sl_doc_node *item = sl_doc_child(&r->doc, node);
		for (; item && !status; item = sl_doc_next(&r->doc, item))
			status = value_add(r, factor, item, &capacity, err);
	} else {
		status = value_add(r, factor, node, &capacity, err);
	}
	if (!status && !factor->count)
		return sweep_spec_wrong(
			r, node, err, "an empty list leaves no point: give a value, or leave it out");
	if (at)
		*at = spec->factor_count;
	spec->factor_count++;
	return status;
}

static int settings_read(struct reading *r, const struct sl_doc_node *map, struct sl_err *err)
{
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP)
		return sweep_spec_wrong(
			r, map, err, "'settings' is a map: KEY: value, or KEY: [value, value]");
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, map); item && !status;
		item = sl_doc_next(&r->doc, item)) {
		const char *key = key_at(r, item);
		if (!*key)
			return sweep_spec_wrong(
				r, item, err, "a setting has a name: replay.load, policy.order, ...");
		if (strcmp(key, "trace") == 0 || strcmp(key, "cluster") == 0 || strcmp(key, "policy") == 0 ||
			strcmp(key, "seed") == 0)
			return sweep_spec_wrong(r, item, err,
				"this is no setting: it has a list of its own beside 'settings'");
		status = factor_add(r, key, item, NULL, err);
	}
	return status;
}

/* ---- Traces ------------------------------------------------------------------------------------------ */

static bool has_seed(const char *words)
{
	const char *at = strstr(words, "--seed");
	return at && (at == words || at[-1] == ' ') && (at[6] == ' ' || at[6] == '=');
}

static const struct sl_field trace_fields[] = {
	{ .key = "file", .kind = SL_FIELD_ANY, .at = offsetof(struct sweep_trace, file) },
	{ .key = "generate", .kind = SL_FIELD_ANY, .at = offsetof(struct sweep_trace, generate) },
	{ .key = "name", .kind = SL_FIELD_ANY, .at = offsetof(struct sweep_trace, name) },
};
static const struct sl_schema trace_schema = { "a trace", trace_fields, SL_LEN(trace_fields), NULL };

static int trace_read(
	struct reading *r, struct sweep_trace *trace, const struct sl_doc_node *node, struct sl_err *err)
{
	if (node->kind == SL_DOC_TEXT) {
		trace->file = trace->name = kept(r, sweep_spec_text_at(r, node));
		return trace->file ? SL_OK : sl_fail_memory(err);
	}
	if (node->kind != SL_DOC_MAP)
		return sweep_spec_wrong(
			r, node, err, "a trace is a path, {file: PATH} or {generate: MODEL and its options}");
	const int status = read_map(r, node, &trace_schema, NULL, trace, err);
	if (status)
		return status;
	if (!trace->file == !trace->generate)
		return sweep_spec_wrong(r, node, err, "a trace has either 'file' or 'generate'");
	if (!trace->name)
		trace->name = trace->file ? trace->file : trace->generate;
	trace->seeded = trace->generate && has_seed(trace->generate);
	return SL_OK;
}

static int traces_read(struct reading *r, const struct sl_doc_node *list, struct sl_err *err)
{
	struct sweep_spec *spec = r->spec;
	const bool many = list->kind == SL_DOC_LIST;
	const size_t count = many ? list->count : 1;
	spec->trace = sl_alloc(r->arena, count + 1, sizeof(*spec->trace));
	const char **name = sl_alloc(r->arena, count + 1, sizeof(*name));
	if (!spec->trace || !name)
		return sl_fail_memory(err);
	if (!count || count > SWEEP_VALUES_MAX)
		return sweep_spec_wrong(
			r, list, err, "'traces' must name at least one trace, and not too many");
	const struct sl_doc_node *item = many ? sl_doc_child(&r->doc, list) : list;
	for (; item; item = many ? sl_doc_next(&r->doc, item) : NULL) {
		struct sweep_trace *trace = &spec->trace[spec->trace_count];
		const int status = trace_read(r, trace, item, err);
		if (status)
			return status;
		for (size_t i = 0; i < spec->trace_count; i++)
			if (strcmp(name[i], trace->name) == 0)
				return sweep_spec_wrong(r, item, err,
					"two traces have this name: give one of them another, {file: PATH, name: NAME}");
		name[spec->trace_count++] = trace->name;
	}
	spec->trace_at = spec->factor_count;
	spec->factor[spec->factor_count++] = (struct factor){
		.name = "trace", .value = name, .count = count, .line = list->line, .column = list->column
	};
	return SL_OK;
}

/* ---- Rules --------------------------------------------------------------------------------------------- */

static int rule_read(
	struct reading *r, struct sweep_rule *rule, const struct sl_doc_node *map, struct sl_err *err)
{
	const struct sweep_spec *spec = r->spec;
	if (map->kind != SL_DOC_MAP)
		return sweep_spec_wrong(
			r, map, err, "a rule is a map of factors: {policy: fcfs, replay.load: 1.2}");
	SL_DOC_EACH (item, &r->doc, map) {
		const char *key = key_at(r, item);
		size_t f = 0;
		while (f < spec->factor_count && strcmp(spec->factor[f].name, key) != 0)
			f++;
		if (f == spec->factor_count)
			return sweep_spec_wrong(r, item, err, "no factor of this sweep has this name");
		if (item->kind != SL_DOC_TEXT)
			return sweep_spec_wrong(r, item, err, "this must be one value");
		size_t v = 0;
		while (v < spec->factor[f].count &&
			strcmp(spec->factor[f].value[v], sweep_spec_text_at(r, item)) != 0)
			v++;
		if (v == spec->factor[f].count)
			return sweep_spec_wrong(
				r, item, err, "the factor has no such value, written like this");
		rule->factor[rule->count] = spec->factor[f].name;
		rule->value[rule->count++] = spec->factor[f].value[v];
	}
	return SL_OK;
}

static int rules_read(struct reading *r, const struct sl_doc_node *list, struct sweep_rule **rule,
	size_t *count, struct sl_err *err)
{
	if (!list)
		return SL_OK;
	if (list->kind != SL_DOC_LIST)
		return sweep_spec_wrong(
			r, list, err, "this is a list of rules: [{policy: fcfs, replay.load: 1.2}]");
	*rule = sl_alloc(r->arena, list->count + 1, sizeof(**rule));
	if (!*rule)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, list); item && !status;
		item = sl_doc_next(&r->doc, item))
		status = rule_read(r, &(*rule)[(*count)++], item, err);
	return status;
}

/* ---- The whole -------------------------------------------------------------------------------------------
 */

static int metrics_read(struct reading *r, const struct sl_doc_node *list, struct sl_err *err)
{
	struct sweep_spec *spec = r->spec;
	if (!list)
		return SL_OK;
	if (list->kind != SL_DOC_LIST)
		return sweep_spec_wrong(r, list, err, "'metrics' is a list: [\"wait.p95{gpus>=8}\"]");
	spec->metric = sl_alloc(r->arena, list->count + 1, sizeof(*spec->metric));
	if (!spec->metric)
		return sl_fail_memory(err);
	SL_DOC_EACH (item, &r->doc, list) {
		const struct selector *selector;
		struct sl_err why = { 0 };
		if (item->kind != SL_DOC_TEXT)
			return sweep_spec_wrong(r, item, err, "a metric is one text");
		if (selector_parse(&selector, sweep_spec_text_at(r, item), r->arena, &why))
			return sweep_spec_wrong(r, item, err, why.text);
		spec->metric[spec->metric_count] = kept(r, sweep_spec_text_at(r, item));
		if (!spec->metric[spec->metric_count++])
			return sl_fail_memory(err);
	}
	return SL_OK;
}

/* Names alone: what a study's runs have decides whether there is such a metric. */
static int table_read(struct reading *r, const struct sl_doc_node *list, struct sl_err *err)
{
	struct sweep_spec *spec = r->spec;
	if (!list)
		return SL_OK;
	if (list->kind != SL_DOC_LIST || !list->count || list->count > SWEEP_TABLE_MAX)
		return sweep_spec_wrong(r, list, err, "'table' is a list of at most 50 metrics: [wait.mean]");
	spec->table = sl_alloc(r->arena, list->count + 1, sizeof(*spec->table));
	if (!spec->table)
		return sl_fail_memory(err);
	SL_DOC_EACH (item, &r->doc, list) {
		if (item->kind != SL_DOC_TEXT)
			return sweep_spec_wrong(r, item, err, "a metric is one text");
		spec->table[spec->table_count] = kept(r, sweep_spec_text_at(r, item));
		if (!spec->table[spec->table_count++])
			return sl_fail_memory(err);
	}
	return SL_OK;
}

#define WORD(name)                                                                          \
	{                                                                                   \
		.key = #name, .kind = SL_FIELD_ANY, .at = offsetof(struct sweep_spec, name) \
	}

enum top { TRACES, CLUSTERS, POLICIES, SETTINGS, SEEDS, EXCLUDE, INCLUDE, METRICS, LABELS, TABLE };
static const struct sl_field spec_fields[] = {
	[TRACES] = { .key = "traces" },
	[CLUSTERS] = { .key = "clusters" },
	[POLICIES] = { .key = "policies" },
	[SETTINGS] = { .key = "settings" },
	[SEEDS] = { .key = "seeds" },
	[EXCLUDE] = { .key = "exclude" },
	[INCLUDE] = { .key = "include" },
	[METRICS] = { .key = "metrics" },
	[LABELS] = { .key = "labels" },
	[TABLE] = { .key = "table" },
	WORD(purpose),
	WORD(jobs),
	WORD(from),
	WORD(to),
	WORD(tz),
	WORD(name),
	WORD(x),
	WORD(y),
	WORD(by),
};
static const struct sl_schema spec_schema = { "a sweep", spec_fields, SL_LEN(spec_fields), NULL };

static int fail_spec(const struct sl_schema_reading *r, enum sl_schema_wrong reason,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what)
{
	(void)what;
	if (reason == SL_SCHEMA_NO_MAP)
		return sl_schema_fail_at(
			r, node, "a sweep is a map with 'traces' and 'policies': see schedlab-sweep(5)");
	if (reason != SL_SCHEMA_UNKNOWN)
		return sl_schema_fail_at(r, node, "this must be one text");
	if (schema == &trace_schema)
		return sl_schema_fail_at(
			r, node, "unknown key: a trace has 'file' or 'generate', and 'name'");
	return sl_schema_fail_key(r, node,
		"unknown key '%.60s': a sweep has traces, clusters, policies, settings, seeds, "
		"exclude, include, metrics, labels, jobs, from, to, tz, name, x, y, by, purpose and table",
		sl_doc_key_of(r->doc, node));
}

static int policies_default(struct sweep_spec *spec)
{
	static const char *classic[] = { "fcfs", "easy", "conservative" };
	spec->policy_at = spec->factor_count;
	spec->factor[spec->factor_count++] =
		(struct factor){ .name = "policy", .value = classic, .count = 3 };
	return SL_OK;
}

static int seeds_default(struct sweep_spec *spec)
{
	static const char *one[] = { "1" };
	spec->seed_at = spec->factor_count;
	spec->factor[spec->factor_count++] = (struct factor){ .name = "seed", .value = one, .count = 1 };
	return SL_OK;
}

static int spec_fill(struct reading *r, struct sl_err *err)
{
	struct sweep_spec *spec = r->spec;
	const struct sl_doc_node *root = r->doc.node;
	const struct sl_doc_node *top[SL_FIELDS_MAX];
	int status = read_map(r, root, &spec_schema, top, spec, err);
	if (status)
		return status;
	if (!top[TRACES])
		return sweep_spec_wrong(
			r, root, err, "'traces' is missing: a list of paths, or of {generate: ...}");
	spec->labels = top[LABELS] && sweep_spec_text_at(r, top[LABELS]) &&
		       strcmp(sweep_spec_text_at(r, top[LABELS]), "true") == 0;
	/* Seeds before policies: a trace that is drawn is drawn once, and met by all policies. */
	status = traces_read(r, top[TRACES], err);
	if (!status && top[CLUSTERS])
		status = factor_add(r, "cluster", top[CLUSTERS], &spec->cluster_at, err);
	if (!status)
		status = top[SEEDS] ? factor_add(r, "seed", top[SEEDS], &spec->seed_at, err)
				    : seeds_default(spec);
	if (!status && top[SETTINGS])
		status = settings_read(r, top[SETTINGS], err);
	if (!status)
		status = top[POLICIES] ? factor_add(r, "policy", top[POLICIES], &spec->policy_at, err)
				       : policies_default(spec);
	if (!status)
		status = rules_read(r, top[EXCLUDE], &spec->exclude, &spec->exclude_count, err);
	if (!status)
		status = rules_read(r, top[INCLUDE], &spec->include, &spec->include_count, err);
	if (!status)
		status = table_read(r, top[TABLE], err);
	return status ? status : metrics_read(r, top[METRICS], err);
}

int sweep_spec_parse(struct sweep_spec *spec, const char *file, const char *text, size_t len,
	struct sl_arena *arena, struct sl_err *err)
{
	struct reading r = { .spec = spec, .arena = arena, .doc = { .file = file } };
	*spec = (struct sweep_spec){ .file = file,
		.trace_at = SIZE_MAX,
		.cluster_at = SIZE_MAX,
		.policy_at = SIZE_MAX,
		.seed_at = SIZE_MAX };
	if (len > SPEC_BYTES_MAX)
		return sl_fail(
			err, SL_INPUT, "%s: a sweep of more than 1 MiB of text: is it another file?", file);
	spec->factor = sl_alloc(arena, SWEEP_FACTORS_MAX + 4, sizeof(*spec->factor));
	if (!spec->factor)
		return sl_fail_memory(err);
	int status = doc_read_any(&r.doc, text, len, err);
	if (!status && !r.doc.count)
		status = sl_fail(
			err, SL_INPUT, "%s: the file is empty: a sweep has 'traces' and 'policies'", file);
	if (!status)
		status = spec_fill(&r, err);
	sl_doc_release(&r.doc);
	return status;
}

int sweep_spec_read(struct sweep_spec *spec, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = sweep_spec_parse(spec, path, text, (size_t)(end - text), arena, err);
	sl_input_close(in);
	return status;
}
