/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_cluster.c - schedlab inspect of a cluster: its nodes and partitions, and how far each key of its
 * files is followed.
 *
 * The reader calls a sink of this file; no trace is needed. A key that DEFAULT lines hand on is counted once,
 * where it stands.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/render.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/inspect_reported.h"

enum { KEPT_MAX = 1 << 22 };

const char *const coverage_texts[SL_COVERAGE_COUNT] = { "modelled", "approximated", "ignored", "unknown" };

static const char *inspect_cluster_keep(const struct reported *reported, const char *text)
{
	const char *copy = text ? sl_strdup(reported->arena, text, strlen(text)) : "";
	return copy ? copy : "";
}

/* ---- The sink ---------------------------------------------------------------------------------------- */

static int on_name(void *self, const char *name, struct sl_err *err)
{
	struct reported *reported = self;
	(void)err;
	reported->name = inspect_cluster_keep(reported, name);
	return SL_OK;
}

static int on_pool(void *self, int64_t cpus, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)at;
	(void)err;
	reported->pool = cpus * CPU_PARTS;
	return SL_OK;
}

static int64_t inspect_cluster_gpus_of(const struct sl_nodes_spec *spec)
{
	int64_t gpus = 0;
	for (size_t i = 0; i < spec->gpu_count; i++)
		gpus += spec->gpu[i].count;
	for (uint32_t i = 0; spec->hardware && i < spec->hardware->gres_count; i++)
		if (strcmp(spec->hardware->gres[i].name, "gpu") == 0)
			gpus += spec->hardware->gres[i].count;
	return gpus;
}

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)at;
	const int status = SL_GROW_MOST(
		reported->nodes, reported->node_capacity, reported->node_count + 1, KEPT_MAX, err);
	if (status)
		return status;
	reported->nodes[reported->node_count++] =
		(struct reported_nodes){ inspect_cluster_keep(reported, spec->name),
			inspect_cluster_keep(reported, spec->hosts), spec->count,
			sl_mul_div(spec->cpus, CPU_PARTS, sl_parts(spec->parts)), spec->mem,
			inspect_cluster_gpus_of(spec) };
	return SL_OK;
}

static int on_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)spec;
	(void)at;
	(void)err;
	reported->windows++;
	return SL_OK;
}

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)at;
	const int status = SL_GROW_MOST(reported->partition, reported->partition_capacity,
		reported->partition_count + 1, KEPT_MAX, err);
	if (status)
		return status;
	reported->partition[reported->partition_count++] =
		(struct reported_partition){ inspect_cluster_keep(reported, spec->name),
			inspect_cluster_keep(reported, spec->nodes), spec->max_time, spec->is_default };
	return SL_OK;
}

static int on_switch(void *self, const struct sl_switch *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)spec;
	(void)at;
	(void)err;
	reported->switches++;
	return SL_OK;
}

static int on_license(
	void *self, const struct sl_license *spec, const struct sl_place *at, struct sl_err *err)
{
	struct reported *reported = self;
	(void)spec;
	(void)at;
	(void)err;
	reported->licenses++;
	return SL_OK;
}

int reported_setting(struct reported *reported, const struct sl_setting *setting, struct sl_err *err)
{
	const int status = SL_GROW_MOST(
		reported->setting, reported->setting_capacity, reported->setting_count + 1, KEPT_MAX, err);
	if (status)
		return status;
	struct sl_setting *mine = &reported->setting[reported->setting_count++];
	*mine = *setting;
	mine->kind = inspect_cluster_keep(reported, setting->kind);
	mine->name = inspect_cluster_keep(reported, setting->name);
	mine->key = inspect_cluster_keep(reported, setting->key);
	mine->value = inspect_cluster_keep(reported, setting->value);
	mine->note = setting->note ? inspect_cluster_keep(reported, setting->note) : NULL;
	mine->by = setting->by ? inspect_cluster_keep(reported, setting->by) : NULL;
	if (reported->policy)
		mine->coverage = coverage_under(mine, reported->policy, &mine->note);
	mine->at.file = inspect_cluster_keep(reported, setting->at.file);
	return SL_OK;
}

static int on_setting(void *self, const struct sl_setting *setting, struct sl_err *err)
{
	return reported_setting(self, setting, err);
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

/* By place; those of one place in the order of the reader's calls (by address: of one array). */
static int compare_places(const void *a, const void *b, void *of)
{
	const struct sl_setting *setting = of;
	const struct sl_setting *x = &setting[*(const size_t *)a];
	const struct sl_setting *y = &setting[*(const size_t *)b];
	const int by_file = strcmp(x->at.file, y->at.file);
	if (by_file)
		return by_file;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	return (x > y) - (x < y);
}

static bool same_place(const struct sl_setting *a, const struct sl_setting *b)
{
	return a->at.line && a->at.line == b->at.line && a->at.column == b->at.column &&
	       a->coverage == b->coverage && strcmp(a->key, b->key) == 0 &&
	       strcmp(a->at.file, b->at.file) == 0;
}

int reported_by_len(const struct sl_setting *setting)
{
	const char *others = setting->by ? strstr(setting->by, ", *") : NULL;
	return others ? (int)(others - setting->by) : setting->by ? (int)strlen(setting->by) : 0;
}

bool reported_by_some(const struct reported *reported, const struct sl_setting *setting)
{
	return !reported->policy && setting->by && setting->coverage != SL_IGNORED &&
	       setting->coverage != SL_UNKNOWN_KEY;
}

/* Takes out what stands there already, and counts the rest. */
int reported_count(struct reported *reported, struct sl_err *err)
{
	size_t *sorted = calloc(reported->setting_count + 1, sizeof(*sorted));
	size_t kept = 0;
	if (!sorted)
		return sl_fail_memory(err);
	for (size_t i = 0; i < reported->setting_count; i++)
		sorted[i] = i;
	qsort_r(sorted, reported->setting_count, sizeof(*sorted), compare_places, reported->setting);
	for (size_t i = 1; i < reported->setting_count; i++)
		if (same_place(&reported->setting[sorted[i]], &reported->setting[sorted[i - 1]]))
			reported->setting[sorted[i]].kind = NULL;
	for (size_t i = 0; i < reported->setting_count; i++) {
		if (!reported->setting[i].kind)
			continue;
		if (reported_by_some(reported, &reported->setting[i]))
			reported->by_some++;
		else
			reported->count[reported->setting[i].coverage]++;
		reported->setting[kept++] = reported->setting[i];
	}
	reported->setting_count = kept;
	free(sorted);
	return SL_OK;
}

/* Settings under "cluster.", as the reader expects them. */
static int settings_of(struct settings *settings, const struct args *args, struct sl_cluster_setting **list,
	size_t *count, struct sl_err *err)
{
	static const char prefix[] = "cluster.";
	const int status = settings_from_args(settings, args, err);
	*count = 0;
	*list = sl_alloc(args->arena, settings->count + 1, sizeof(**list));
	if (status || !*list)
		return status ? status : sl_fail_memory(err);
	for (size_t i = 0; i < settings->count; i++)
		if (strncmp(settings->item[i].key, prefix, sizeof(prefix) - 1) == 0)
			(*list)[(*count)++] =
				(struct sl_cluster_setting){ settings->item[i].key + sizeof(prefix) - 1,
					settings->item[i].value, &settings->item[i].used };
	return SL_OK;
}

static int reported_read(
	struct reported *reported, const char *path, const struct args *args, bool strict, struct sl_err *err)
{
	const struct sl_cluster_sink sink = { .self = reported,
		.name = on_name,
		.pool = on_pool,
		.nodes = on_nodes,
		.window = on_window,
		.partition = on_partition,
		.sw = on_switch,
		.license = on_license,
		.setting = on_setting,
		.registry = &args->registry->known };
	const struct sl_cluster_reader *reader = NULL;
	struct sl_cluster_setting *list;
	struct settings settings;
	struct sl_input *in = NULL;
	struct stat about;
	size_t count;
	int status = settings_of(&settings, args, &list, &count, err);
	if (!status && !(stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
		status = sl_input_open(&in, path, err);
	if (!status)
		status = cluster_reader_choose(args->registry, &reader, path, in, err);
	if (!status)
		status = reader->read(path, in, list, count, &sink, err);
	if (!status && strict)
		status = settings_check_used(&settings, NULL, 0, err);
	if (!status)
		reported->format = reader->name;
	sl_input_close(in);
	return status ? status : reported_count(reported, err);
}

void reported_release(struct reported *reported)
{
	free(reported->nodes);
	free(reported->partition);
	free(reported->setting);
}

/* ---- For people -------------------------------------------------------------------------------------------
 */

static void counts_text(char text[200], const struct reported *reported)
{
	size_t len = 0;
	for (size_t i = 0; i < SL_COVERAGE_COUNT; i++)
		if (reported->count[i] || i == SL_MODELLED)
			len += (size_t)snprintf(text + len, 200 - len, "%s%" PRIu64 "%s %s", len ? ", " : "",
				reported->count[i], i == SL_MODELLED ? " keys" : "", coverage_texts[i]);
	if (reported->by_some)
		len += (size_t)snprintf(text + len, 200 - len,
			", %" PRIu64 " by some policies (-p says of one)", reported->by_some);
	if (reported->policy)
		(void)snprintf(text + len, 200 - len, " under policy %.60s", reported->policy->text);
}

static void print_partitions(const struct reported *reported)
{
	struct screen_table *table = screen_table_new(reported->arena, 3);
	char time[32];
	for (size_t i = 0; i < reported->partition_count; i++) {
		const struct reported_partition *p = &reported->partition[i];
		screen_cell(table, false, "  %s%s", p->name, p->is_default ? "*" : "");
		screen_cell(table, false, "%s",
			p->max_time == SL_NEVER ? "unlimited" : screen_duration(time, p->max_time));
		screen_cell(table, false, "%.80s%s", p->nodes, strlen(p->nodes) > 80 ? "..." : "");
	}
	screen_print(table, stdout);
}

struct sums {
	int64_t nodes, cpus, gpus;
};

static struct sums sums_of(const struct reported *reported)
{
	struct sums sums = { 0, reported->pool, 0 };
	for (size_t i = 0; i < reported->node_count; i++) {
		sums.nodes += reported->nodes[i].count;
		sums.cpus += reported->nodes[i].count * reported->nodes[i].cpus;
		sums.gpus += reported->nodes[i].count * reported->nodes[i].gpus;
	}
	return sums;
}

int reported_keys(const struct reported *reported, struct sl_err *err)
{
	char counts[200];
	if (!reported->setting_count)
		return SL_OK;
	counts_text(counts, reported);
	printf("\n  %s\n", counts);
	const int status = folded_keys(reported, err);
	return status ? status : folded_outcome(reported, err);
}

static int print_text(const struct reported *reported, const char *path, struct sl_err *err)
{
	const struct sums sums = sums_of(reported);
	printf("%s\n  format  %s\n", path, reported->format);
	if (reported->name)
		printf("  name    %s\n", reported->name);
	printf("  all     %" PRId64 " nodes, %s cpus, %" PRId64 " GPUs; %zu partitions, %zu switches, "
	       "%zu licences, %zu windows\n",
		sums.nodes, amount_of(sums.cpus, CPU_PARTS).text, sums.gpus, reported->partition_count,
		reported->switches, reported->licenses, reported->windows);
	if (reported->node_count)
		printf("\n  nodes\n");
	folded_nodes(reported);
	if (reported->partition_count)
		printf("\n  partitions\n");
	print_partitions(reported);
	return reported_keys(reported, err);
}

/* ---- JSON
 * ---------------------------------------------------------------------------------------------------- */

static const struct json_form json_list = { "\n    ", ",\n    ", " ", true };

void reported_json(const struct reported *reported, struct json *json)
{
	json_nest(json, "keys", '[', &json_list);
	for (size_t i = 0; i < reported->setting_count; i++) {
		const struct sl_setting *s = &reported->setting[i];
		char by[100];
		(void)snprintf(by, sizeof(by), "%.*s", reported_by_len(s), s->by ? s->by : "");
		json_object(json, NULL, datum_text("kind", s->kind), datum_text("name", s->name),
			datum_text("key", s->key), datum_text("value", s->value),
			datum_text("file", s->at.file), datum_count("line", s->at.line),
			datum_text("coverage", coverage_texts[s->coverage]),
			datum_text("by", reported->policy || !s->by ? NULL : by),
			datum_text("note", s->note));
	}
	json_close(json);
}

static void json_nodes(const struct reported *reported, struct json *json)
{
	json_nest(json, "nodes", '[', &json_list);
	for (size_t i = 0; i < reported->node_count; i++) {
		const struct reported_nodes *n = &reported->nodes[i];
		json_object(json, NULL, datum_text("name", n->name), datum_whole("count", n->count),
			datum_plain("cpus", amount_of(n->cpus, CPU_PARTS).text),
			datum_whole("memory", n->mem), datum_whole("gpus", n->gpus));
	}
	json_close(json);
	json_nest(json, "partitions", '[', &json_list);
	for (size_t i = 0; i < reported->partition_count; i++) {
		const struct reported_partition *p = &reported->partition[i];
		json_object(json, NULL, datum_text("name", p->name), datum_text("nodes", p->nodes),
			datum_flag("default", p->is_default));
	}
	json_close(json);
}

static int print_json(const struct reported *reported, const char *path, struct sl_err *err)
{
	const struct sums sums = sums_of(reported);
	struct json json;
	const int status = json_start(&json, &json_lines_2, err);
	if (status)
		return status;
	json_put(&json, datum_text("cluster", path), datum_text("format", reported->format),
		datum_whole("node_count", sums.nodes),
		datum_plain("cpus", amount_of(sums.cpus, CPU_PARTS).text), datum_whole("gpus", sums.gpus));
	for (size_t i = 0; i < SL_COVERAGE_COUNT; i++)
		json_put(&json, datum_count(coverage_texts[i], reported->count[i]));
	json_put(&json, datum_count("by_some_policies", reported->by_some),
		datum_given("policy", reported->policy ? reported->policy->text : NULL));
	json_nodes(reported, &json);
	reported_json(reported, &json);
	return json_finish(&json, SL_OK, err);
}

/* ---- What the command prints
 * ------------------------------------------------------------------------------------- */

bool inspect_is_cluster(const char *path, const struct args *args)
{
	struct sl_err err = { 0 };
	struct stat about;
	const struct sl_reader *trace = NULL;
	const struct sl_cluster_reader *cluster = NULL;
	struct sl_input *in;
	if (strcmp(path, "-") == 0 || stat(path, &about) != 0)
		return false;
	if (S_ISDIR(about.st_mode))
		return true;
	if (!S_ISREG(about.st_mode) || sl_input_open(&in, path, &err))
		return false;
	const char *text, *end;
	const bool any = sl_input_peek(in, &text, &end, &err) > 0;
	const size_t len = any ? (size_t)(end - text) : 0;
	const int jobs = any ? reader_surest(args->registry, &trace, text, len) : 0;
	const int nodes = any ? cluster_reader_surest(args->registry, &cluster, path, text, len) : 0;
	sl_input_close(in);
	/* What may be a trace is one with a cluster beside it; for sure it is by itself. */
	return nodes && jobs <= (arg(args, "cluster") ? 0 : 1);
}

/* That of -p; NULL: there is none. */
int reported_policy(struct reported *reported, const struct args *args, struct sl_err *err)
{
	const char *text = arg(args, "policy");
	struct policy_choice *choice = text ? sl_alloc(args->arena, 1, sizeof(*choice)) : NULL;
	reported->policy = choice;
	if (!text)
		return SL_OK;
	return choice ? policy_choose(args->registry, choice, text, NULL, args->arena, err)
		      : sl_fail_memory(err);
}

/* That of -p; of Slurm's files policy slurm where none is named. */
static int judged_of(struct reported *reported, const struct args *args, struct sl_err *err)
{
	const bool slurm =
		strcmp(reported->format, "slurm") == 0 || strcmp(reported->format, "scontrol") == 0;
	reported->judged = reported->policy;
	if (reported->policy || !slurm)
		return SL_OK;
	struct policy_choice *choice = sl_alloc(args->arena, 1, sizeof(*choice));
	reported->judged = choice;
	return choice ? policy_choose(args->registry, choice, "slurm", NULL, args->arena, err)
		      : sl_fail_memory(err);
}

int inspect_cluster(const char *path, const struct args *args, struct sl_err *err)
{
	struct reported reported = { .arena = args->arena };
	int status = reported_policy(&reported, args, err);
	if (!status)
		status = reported_read(&reported, path, args, true, err);
	if (!status)
		status = judged_of(&reported, args, err);
	if (!status && arg_flag(args, "json"))
		status = print_json(&reported, path, err);
	else if (!status)
		status = print_text(&reported, path, err);
	reported_release(&reported);
	return status;
}

int inspect_cluster_counts(const struct args *args, struct sl_err *err)
{
	struct reported reported = { .arena = args->arena };
	const char *path = arg(args, "cluster");
	char counts[200];
	if (!path)
		return SL_OK;
	int status = reported_policy(&reported, args, err);
	if (!status)
		status = reported_read(&reported, path, args, false, err);
	if (!status && reported.setting_count) {
		counts_text(counts, &reported);
		talk("%s: schedlab inspect %s lists them", counts, path);
	}
	reported_release(&reported);
	return status;
}
