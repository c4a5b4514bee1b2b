/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services.c - the reader of services files; see schedlab-services(5).
 */
#include <stdlib.h>
#include <string.h>

#include "traces/table/services.h"

#define MICRO_MAX (INT64_C(1000000000) * SL_SECOND)
#define TIME_MAX  (INT64_C(500000000) * SL_SECOND)

int services_micro(const struct services_file *f, const struct sl_doc_node *node, int64_t min, int64_t max,
	int64_t *value)
{
	const char *text = node->kind == SL_DOC_TEXT ? workflow_text(&f->w, node) : "";
	if (sl_get_micro(text, strlen(text), value) && *value >= min && *value <= max)
		return SL_OK;
	char wanted[100] = "a number from ";
	char *p = sl_put_micro(wanted + strlen(wanted), min);
	memcpy(p, " to ", 4);
	*sl_put_micro(p + 4, max) = '\0';
	return workflow_fail(&f->w, node, wanted);
}

int services_unknown(const struct services_file *f, const struct sl_doc_node *node, const char *known)
{
	const struct sl_place at = sl_doc_key_place(&f->w.doc, node);
	return sl_fail_at(
		f->w.err, &at, "unknown key '%.40s': it may be one of %s", workflow_key(&f->w, node), known);
}

/* ---- A service -------------------------------------------------------------------------------- */

static int number_take(struct services_file *f, const struct sl_doc_node *node, struct service *s, bool *mine)
{
	const struct {
		const char *key;
		int64_t *value;
		int64_t min;
	} counts[] = {
		{ "min", &s->scale.min, 0 },
		{ "max", &s->scale.max, 1 },
		{ "initial", &s->initial, 0 },
	};
	const struct {
		const char *key;
		sl_time *value;
		sl_time min;
	} times[] = {
		{ "from", &s->from, 0 },
		{ "until", &s->until, 1 },
		{ "cold_start", &s->cold, 0 },
	};
	*mine = true;
	for (size_t i = 0; i < SL_LEN(counts); i++)
		if (workflow_is(&f->w, node, counts[i].key))
			return workflow_number(
				&f->w, node, counts[i].min, SERVICES_REPLICAS_MAX, counts[i].value);
	for (size_t i = 0; i < SL_LEN(times); i++)
		if (workflow_is(&f->w, node, times[i].key)) {
			const int status = workflow_time(&f->w, node, times[i].min, times[i].value);
			return !status && *times[i].value > TIME_MAX
				       ? workflow_fail(&f->w, node, "a time of at most 500000000 seconds")
				       : status;
		}
	if (workflow_is(&f->w, node, "capacity"))
		return services_micro(f, node, 1, MICRO_MAX, &s->capacity);
	if (workflow_is(&f->w, node, "target"))
		return services_micro(f, node, 1, SL_SECOND, &s->target);
	*mine = false;
	return SL_OK;
}

static bool is_key(const struct services_file *f, const struct sl_doc_node *node)
{
	static const char *const keys[] = { "name", "load", "autoscaler", "updates" };
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (workflow_is(&f->w, node, keys[i]))
			return true;
	return false;
}

/* A column that a replica has from its service. */
static bool is_ours(const char *key)
{
	static const char *const ours[] = { "job_id", "submit", "start", "end", "wait", "run_time", "status",
		"gang", "begin", "deadline", "dependency", "array", "array_task", "array_limit", "cancel",
		"group", "family", "member", "serves", "since", "retires", "checkpoint_every", NULL };
	size_t i = 0;
	while (ours[i] && strcmp(ours[i], key) != 0)
		i++;
	return ours[i] != NULL;
}

/* What is none of a service's keys is a column of the table. */
static int column_check(const struct services_file *f, const struct sl_doc_node *node)
{
	const char *key = workflow_key(&f->w, node);
	const struct sl_place at = sl_doc_key_place(&f->w.doc, node);
	if (is_ours(key))
		return sl_fail_at(f->w.err, &at, "'%s' follows from the service: remove it", key);
	if (table_column_of(key, strlen(key)) >= TABLE_COLUMNS &&
		sl_profile_find(key, strlen(key)) == UINT32_MAX)
		return services_unknown(f, node,
			"name, load, capacity, target, cold_start, from, until, min, max, initial, autoscaler, "
			"updates, or a column of a table of jobs, such as gpus_per_task");
	return SL_OK;
}

static int fail_service(const struct services_file *f, const struct service *s, const char *what)
{
	const struct sl_place at = sl_doc_place(&f->w.doc, s->map);
	return sl_fail_at(f->w.err, &at, "service '%s' %s", s->name, what);
}

static int service_check(struct services_file *f, struct service *s)
{
	const struct sl_place at = sl_doc_place(&f->w.doc, s->map);
	if (!s->name || !s->load || !s->capacity || s->until == SL_NONE)
		return sl_fail_at(
			f->w.err, &at, "a service needs 'name', 'load', 'capacity' and 'until': give them");
	if (s->until <= s->from)
		return fail_service(f, s, "ends before it begins: give an 'until' after 'from'");
	if (s->scale.max == SL_NONE)
		s->scale.max = s->scale.min > 10 ? s->scale.min : 10;
	if (s->initial == SL_NONE)
		s->initial = s->scale.min;
	if (s->scale.min > s->scale.max || s->initial < s->scale.min || s->initial > s->scale.max)
		return fail_service(f, s, "must have min <= initial <= max replicas: mend them");
	if ((s->until - s->from) / s->scale.sync > SERVICES_SYNCS_MAX)
		return fail_service(f, s, "looks at its load more than 10000000 times: give a longer 'sync'");
	s->scale.per_replica = sl_mul_div(s->capacity, s->target, SL_SECOND);
	if (s->scale.per_replica < 1)
		return fail_service(f, s, "has a capacity of less than 0.000001: give a larger one");
	return SL_OK;
}

static int service_take(struct services_file *f, const struct sl_doc_node *map)
{
	struct service *s = &f->service[f->count++];
	const struct sl_doc_node *updates = NULL;
	*s = (struct service){ .map = map, .target = SL_SECOND, .until = SL_NONE, .initial = SL_NONE };
	scale_defaults(&s->scale);
	s->scale.min = 1;
	s->scale.max = SL_NONE;
	if (map->kind != SL_DOC_MAP)
		return workflow_fail(&f->w, map, "a map, with 'name', 'load', 'capacity' and 'until'");
	int status = SL_OK;
	for (const struct sl_doc_node *node = sl_doc_child(&f->w.doc, map); node && !status;
		node = sl_doc_next(&f->w.doc, node)) {
		bool mine = false;
		if (workflow_is(&f->w, node, "name"))
			status = workflow_name(&f->w, node, &s->name);
		else if (workflow_is(&f->w, node, "load"))
			s->load = node;
		else if (workflow_is(&f->w, node, "autoscaler"))
			s->autoscaler = node;
		else if (workflow_is(&f->w, node, "updates"))
			updates = node;
		else
			status = number_take(f, node, s, &mine);
		if (!status && !mine && !is_key(f, node))
			status = column_check(f, node);
	}
	if (!status && s->autoscaler)
		status = services_autoscaler(f, s);
	if (!status)
		status = service_check(f, s);
	for (uint32_t i = 0; !status && i + 1 < f->count; i++)
		if (strcmp(f->service[i].name, s->name) == 0)
			return fail_service(f, s, "has a name that another has too: give each its own");
	if (!status && updates)
		status = services_updates(f, updates, s);
	return status ? status : services_load(f, s);
}

/* ---- A file ------------------------------------------------------------------------------------ */

static int file_take(struct services_file *f)
{
	const struct sl_doc *doc = &f->w.doc;
	const struct sl_doc_node *root = doc->count ? &doc->node[0] : NULL;
	const struct sl_doc_node *list = root ? sl_doc_child(doc, root) : NULL;
	if (!root || root->kind != SL_DOC_MAP || root->count != 1 || !workflow_is(&f->w, list, "services"))
		return sl_fail(f->w.err, SL_INPUT,
			"%s: a services file has one key, 'services': see schedlab-services(5)", f->w.t.file);
	int status = workflow_list(&f->w, list, "a list of services");
	if (!status && list->count > SERVICES_MAX)
		return workflow_fail(&f->w, list, "a list of at most 1000 services");
	if (status)
		return status;
	f->service = calloc(list->count, sizeof(*f->service));
	if (!f->service)
		return sl_fail_memory(f->w.err);
	for (const struct sl_doc_node *node = sl_doc_child(doc, list); node && !status;
		node = sl_doc_next(doc, node))
		status = service_take(f, node);
	for (uint32_t i = 0; i < f->count && !status; i++)
		status = services_replicas(f, i);
	return status ? status : services_rows(f);
}

static void file_free(struct services_file *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		sl_serves_release(&f->service[i].serves);
		free(f->service[i].text);
		free(f->service[i].update);
	}
	free(f->service);
	free(f->replica);
	table_free(&f->w.t);
	sl_doc_release(&f->w.doc);
	free(f);
}

static int services_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct services_file *f = calloc(1, sizeof(*f));
	if (!f)
		return sl_fail_memory(err);
	f->sink = sink;
	f->w.t = (struct table){ .sink = sink, .err = err, .file = sl_input_name(in), .place = f->w.place };
	int status = workflow_doc_read(&f->w, in, err);
	if (!status)
		status = file_take(f);
	file_free(f);
	return status;
}

static int services_sniff(const char *text, size_t len) { return workflow_begins(text, len, "services:"); }

const struct sl_reader services_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "services",
	.summary = "YAML: services whose replicas follow a load, see schedlab-services(5)",
	.sniff = services_sniff,
	.read = services_read,
};
