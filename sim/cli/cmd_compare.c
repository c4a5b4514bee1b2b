/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_compare.c - schedlab compare: one row a policy, from runs made now or from directories of runs.
 *
 * Rows are in the order given, whatever the threads did. The best value is
 * found on the exact numbers, not on what the table rounds them to.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "sim/cli/cli.h"

static const struct option_def options[] = {
	{ OPTION_CLUSTERS },
	{ OPTION_POLICY },
	{ OPTION_OUTPUT },
	{ "threads", 'j', "N", false, "runs at a time; default: as many as there are processors" },
	{ OPTION_SET },
	{ OPTION_SEED },
	{ OPTION_FROM },
	{ OPTION_TO },
	{ OPTION_TZ },
	{ OPTION_JOBS },
	{ OPTION_STRICT },
	{ "check", 0, NULL, false, "check the invariants after every event, and each pass twice (slow)" },
	{ OPTION_JSON },
	{ OPTION_FORCE },
	{ OPTION_PLUGIN },
	{ OPTION_QUIET },
};

struct row {
	const char *label; /* Of its line: the policy, or "easy on small.yaml" where clusters differ. */
	const char *policy, *cluster;
	const char *input; /* sha256 of the trace, or NULL where unknown. */
	struct sl_metrics metrics;
	bool partial;
};

struct comparison {
	const struct args *args;
	struct windows *windows; /* By row, if each is of several windows. */
	size_t each;             /* Runs of a row. */
	struct row *row;
	size_t count;
	struct outdir *dir;    /* NULL: nothing is written. */
	struct sl_err failure; /* Of a row or its files: worse than an interruption. */
};

/* ---- The table ---------------------------------------------------------------------- */

/* True if no other row is better, and some row is worse. */
static bool is_best(const struct comparison *all, const struct summary_metric *column, int64_t value)
{
	bool worse = false;
	for (size_t i = 0; i < all->count; i++) {
		const int64_t *other = metrics_get(&all->row[i].metrics, column->name);
		if (!other || *other == value)
			continue;
		if ((*other > value) == (column->better > 0))
			return false;
		worse = true;
	}
	return worse;
}

/* "+12.3 %" of the first row's value. */
static const char *difference(char buffer[48], const int64_t *first, const int64_t *value)
{
	buffer[0] = '\0';
	if (!first || !value || (*first == 0 && *value != 0))
		return buffer;
	const int64_t size = *first < 0 ? -*first : *first;
	const int64_t share = size ? sl_mul_div(*value - *first, 100000000, size) : 0;
	char number[48];
	(void)screen_number(number, share, 1);
	(void)snprintf(buffer, 48, "%s%.40s %%", share > 0 ? "+" : "", number);
	return buffer;
}

static size_t columns_shown(void)
{
	size_t count = 0;
	for (const struct summary_metric *column = summary_metrics; column->name; column++)
		count += column->heading != NULL;
	return count;
}

/* A partial run covers another span than a whole one: nothing is best, and no difference means anything. */
static bool all_whole(const struct comparison *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->row[i].partial)
			return false;
	return true;
}

static void values_row(struct screen_table *table, const struct comparison *all, const struct row *row)
{
	screen_cell(table, false, "%s%s", row->label, row->partial ? " (partial)" : "");
	for (const struct summary_metric *column = summary_metrics; column->name; column++) {
		if (!column->heading)
			continue;
		const int64_t *value = metrics_get(&row->metrics, column->name);
		char text[48] = "";
		screen_cell(table, true, "%s%s",
			value && all_whole(all) && is_best(all, column, *value) ? "*" : "",
			value ? summary_text(text, column->unit, *value) : "");
	}
}

static void differences_row(struct screen_table *table, const struct row *first, const struct row *row)
{
	screen_cell(table, false, "%s", row->label);
	for (const struct summary_metric *column = summary_metrics; column->name; column++) {
		if (!column->heading)
			continue;
		char text[48];
		screen_cell(table, true, "%s",
			difference(text, metrics_get(&first->metrics, column->name),
				metrics_get(&row->metrics, column->name)));
	}
}

/* A line with a text at its left, or nothing. */
static void heading_row(struct screen_table *table, const char *text, const char *name, size_t columns)
{
	screen_cell(table, false, "%s%s", text, name);
	while (--columns)
		screen_cell(table, false, "%s", "");
}

static void table_print(const struct comparison *all)
{
	const size_t columns = columns_shown() + 1;
	struct screen_table *table = screen_table_new(all->args->arena, columns);
	screen_cell(table, false, "policy");
	for (const struct summary_metric *column = summary_metrics; column->name; column++)
		if (column->heading)
			screen_cell(table, true, "%s", column->heading);
	for (size_t i = 0; i < all->count; i++)
		values_row(table, all, &all->row[i]);
	const bool differ = all->count > 1 && all_whole(all);
	if (differ) {
		heading_row(table, "", "", columns);
		heading_row(table, "against ", all->row[0].label, columns);
	}
	for (size_t i = 1; differ && i < all->count; i++)
		differences_row(table, &all->row[0], &all->row[i]);
	screen_print(table, stdout);
}

static int json_print(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	sl_out_text(out, "{ \"runs\": [");
	for (size_t i = 0; i < all->count; i++) {
		const struct row *row = &all->row[i];
		sl_out_text(out, i ? ",\n{ \"policy\": " : "\n{ \"policy\": ");
		sl_out_json(out, row->policy);
		sl_out_text(out, ", \"cluster\": ");
		sl_out_json(out, row->cluster);
		sl_out_text(out, row->partial ? ", \"partial\": true, \"metrics\": " : ", \"metrics\": ");
		metrics_json(out, &row->metrics);
		sl_out_text(out, "}");
	}
	sl_out_text(out, "\n] }\n");
	return sl_out_commit(out, err);
}

static int show(const struct comparison *all, struct sl_err *err)
{
	if (arg_flag(all->args, "json"))
		return json_print(all, err);
	table_print(all);
	return SL_OK;
}

/* ---- compare.csv -------------------------------------------------------------------- */

/* Quoted where CSV needs it. */
static void csv_text(struct sl_out *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		sl_out_text(out, text);
		return;
	}
	sl_out_text(out, "\"");
	for (; *text; text++)
		sl_out_printf(out, *text == '"' ? "\"%c" : "%c", *text);
	sl_out_text(out, "\"");
}

static int csv_write(const struct comparison *all, struct sl_err *err)
{
	struct sl_out *out;
	const int status = outdir_file(all->dir, "compare.csv", &out, err);
	if (status)
		return status;
	const struct sl_metrics *names = &all->row[0].metrics;
	sl_out_text(out, "policy,cluster");
	for (size_t i = 0; i < names->count; i++)
		if (!strchr(names->row[i].name, '{'))
			sl_out_printf(out, ",%s", names->row[i].name);
	sl_out_text(out, ",partial\n");
	for (size_t r = 0; r < all->count; r++) {
		csv_text(out, all->row[r].policy);
		sl_out_text(out, ",");
		csv_text(out, all->row[r].cluster);
		for (size_t i = 0; i < names->count; i++) {
			if (strchr(names->row[i].name, '{'))
				continue;
			const int64_t *value = metrics_get(&all->row[r].metrics, names->row[i].name);
			char *p = sl_out_room(out, 64);
			*p++ = ',';
			sl_out_advance(out, value ? sl_put_micro(p, *value) : p);
		}
		sl_out_text(out, all->row[r].partial ? ",1\n" : ",0\n");
	}
	return sl_out_commit(out, err);
}

/* ---- Runs made now -------------------------------------------------------------------- */

/* One window's run of a row is over; with the last, the row is. */
static int window_finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	struct comparison *all = self;
	struct row *row = &all->row[slot / all->each];
	struct windows *windows = &all->windows[slot / all->each];
	char sub[96];
	(void)snprintf(sub, sizeof(sub), "%zu-%s", slot / all->each + 1, run->choice.slug);
	int status = windows_take(windows, run, all->dir, sub, NULL, &all->failure);
	if (!status && windows->count == all->each) {
		row->partial = windows->whole.sim.result.interrupted;
		status = windows_means(windows, &row->metrics, &all->failure);
		if (!status && all->dir)
			status = outdir_windows(all->dir, sub, windows, &row->metrics, NULL, &all->failure);
		windows_end(windows);
	}
	return status ? sl_fail(err, status, "%s", all->failure.text) : SL_OK;
}

/* A run is over: its row, and its files while its columns are there. */
static int run_finished(void *self, struct run *run, size_t slot, struct sl_err *err)
{
	talk_left(run);
	struct comparison *all = self;
	struct row *row = &all->row[slot];
	row->partial = run->sim.result.interrupted;
	row->metrics.plain = !all->dir && !arg_flag(all->args, "json");
	int status = metrics_compute(&row->metrics, &run->sim.result, &all->failure);
	if (!status && all->dir) {
		char sub[96];
		(void)snprintf(sub, sizeof(sub), "%zu-%s", slot + 1, run->choice.slug);
		status = outdir_run(all->dir, sub, run, &row->metrics, NULL, &all->failure);
	}
	return status ? sl_fail(err, status, "%s", all->failure.text) : SL_OK;
}

/* The directory's identity is that of its runs, in order. */
static int claim(struct comparison *all, const struct run *runs, struct sl_err *err)
{
	const char *path = arg(all->args, "output");
	if (!path)
		return SL_OK;
	struct sl_arena *arena = all->args->arena;
	size_t size = 1;
	char **text = sl_alloc(arena, all->count, sizeof(*text));
	for (size_t i = 0; text && i < all->count; i++) {
		text[i] = run_identity(&runs[i], arena);
		if (!text[i])
			return sl_fail_memory(err);
		size += strlen(text[i]) + 1;
	}
	char *identity = text ? sl_alloc(arena, size, 1) : NULL;
	if (!identity)
		return sl_fail_memory(err);
	char *end = identity;
	for (size_t i = 0; i < all->count; i++)
		end += snprintf(end, size - (size_t)(end - identity), "%s\n", text[i]);
	return outdir_open(&all->dir, path, identity, arg_flag(all->args, "force"), err);
}

static int finish(struct comparison *all, struct sl_err *err)
{
	int status = all->dir ? csv_write(all, err) : SL_OK;
	if (all->dir && !status)
		status = outdir_commit(all->dir, err);
	else if (all->dir)
		outdir_abandon(all->dir);
	return status ? status : show(all, err);
}

static int runs_go(struct comparison *all, struct run *runs, struct sl_err *err)
{
	uint64_t threads;
	int status = arg_u64(all->args, "threads", 0, 1, 4096, &threads, err);
	if (!status)
		status = claim(all, runs, err);
	if (status)
		return status;
	const size_t count = all->count * all->each;
	struct run *single = all->windows ? sl_alloc(all->args->arena, count, sizeof(*single)) : runs;
	if (!single)
		status = sl_fail_memory(err);
	for (size_t i = 0; all->windows && !status && i < all->count; i++)
		status = windows_begin(
			&all->windows[i], &runs[i], single + i * all->each, all->args->arena, err);
	if (!status) {
		struct progress_bar *bar =
			arg_flag(all->args, "quiet") ? NULL : progress_start(single, count);
		status = runset_run(single, count, (unsigned)threads,
			all->windows ? window_finished : run_finished, all, err);
		progress_stop(bar);
	}
	if (all->windows && single)
		runset_release(single, count); /* Those that failed. */
	if (all->failure.status || (status && status != SL_INTERRUPTED)) {
		if (all->dir)
			outdir_abandon(all->dir);
	} else {
		(void)finish(all, &all->failure);
	}
	if (!all->failure.status)
		return status;
	*err = all->failure;
	return err->status;
}

/* The policies as given, or the classic three. */
static size_t policies_given(const struct args *args, const char **policy)
{
	static const char *const classic[] = { "fcfs", "easy", "conservative" };
	size_t count = 0;
	while ((policy[count] = arg_at(args, "policy", count)))
		count++;
	if (count)
		return count;
	for (; count < SL_LEN(classic); count++)
		policy[count] = classic[count];
	if (!arg_flag(args, "quiet"))
		talk("no -p: comparing fcfs, easy and conservative");
	return count;
}

/* A scenario for each cluster and each different set of settings that policies imply. */
struct worlds {
	struct scenario *scenario;        /* In use: up to count. */
	const char **implied, **cluster;  /* "": none. */
	size_t count, clusters, policies; /* Clusters: at least one, which may be none. */
	const char **policy;
	struct settings settings;
};

/* The i-th row is of this cluster (NULL: as the trace says): all policies on the first, then on the next. */
static const char *cluster_of(const struct worlds *worlds, const struct args *args, size_t row)
{
	return arg_at(args, "cluster", row / worlds->policies);
}

static const struct scenario *world_for(struct worlds *worlds, const char *cluster, const char *implied,
	const struct args *args, struct sl_err *err)
{
	for (size_t i = 0; i < worlds->count; i++)
		if (strcmp(worlds->implied[i], implied ? implied : "") == 0 &&
			strcmp(worlds->cluster[i], cluster ? cluster : "") == 0)
			return &worlds->scenario[i];
	if (worlds->count && strcmp(args->word[0], "-") == 0) {
		(void)sl_fail(err, SL_USAGE,
			"several clusters, and policies that imply settings of the replay, have the trace read "
			"again: give a file, not '-'");
		return NULL;
	}
	struct scenario *scenario = &worlds->scenario[worlds->count];
	if (scenario_from_args(scenario, args, cluster, &worlds->settings, implied, err))
		return NULL;
	worlds->cluster[worlds->count] = cluster ? cluster : "";
	worlds->implied[worlds->count++] = implied ? implied : "";
	if (!arg_flag(args, "quiet"))
		talk_read(scenario);
	talk_oddities(scenario);
	return scenario;
}

/* What tells the row from others. */
static int row_begin(struct row *row, const struct worlds *worlds, const struct run *run, const char *cluster,
	struct sl_arena *arena)
{
	enum { ROOM = 32 };
	const char *ties = ties_told(run);
	const char *given = strstr(run->choice.text, "ties=");
	if (ties && given && strncmp(given + strlen("ties="), ties, strlen(ties)) == 0)
		ties = NULL; /* The label says so already. */
	const size_t room = strlen(run->choice.text) + (cluster ? strlen(cluster) : 0) + ROOM;
	char *label = sl_alloc(arena, room, 1);
	char *cpus = sl_alloc(arena, ROOM, 1);
	if (!label || !cpus)
		return SL_SYSTEM;
	*sl_put_parts(cpus, run->scenario->cpus, run->scenario->cluster.cpu_parts) = '\0';
	(void)snprintf(label, room, "%s%s%s%s%s", run->choice.text, ties ? ", ties by " : "",
		ties ? ties : "", worlds->clusters > 1 ? " on " : "", worlds->clusters > 1 ? cluster : "");
	*row = (struct row){
		.label = label, .policy = run->choice.text, .cluster = cluster ? cluster : cpus
	};
	metrics_init(&row->metrics, arena);
	return SL_OK;
}

static int runs_prepare(struct comparison *all, struct run *runs, struct worlds *worlds, struct sl_err *err)
{
	const struct args *args = all->args;
	struct policy_choice *choices = sl_alloc(args->arena, all->count, sizeof(*choices));
	if (!choices)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++) {
		const char *policy = worlds->policy[i % worlds->policies];
		const int status = run_from_args(&runs[i], policy, &worlds->settings, args, err);
		if (status)
			return status;
		choices[i] = runs[i].choice;
	}
	for (size_t i = 0; i < all->count; i++) {
		const char *cluster = cluster_of(worlds, args, i);
		runs[i].scenario = world_for(worlds, cluster, runs[i].choice.implied, args, err);
		if (!runs[i].scenario)
			return err->status;
		if (!arg_flag(args, "quiet"))
			talk_compat(&runs[i]);
		if (row_begin(&all->row[i], worlds, &runs[i], cluster, args->arena))
			return sl_fail_memory(err);
		all->row[i].metrics.list = args->registry->metrics;
	}
	all->each = 1;
	if (runs[0].scenario->window_count) {
		all->each = runs[0].scenario->window_count;
		all->windows = sl_alloc(args->arena, all->count, sizeof(*all->windows));
		if (!all->windows)
			return sl_fail_memory(err);
	}
	return settings_check_used(&worlds->settings, choices, all->count, err);
}

static int worlds_make(struct worlds *worlds, const struct args *args, struct sl_err *err)
{
	worlds->policy = sl_alloc(args->arena, args->given_count + 4, sizeof(*worlds->policy));
	if (!worlds->policy)
		return sl_fail_memory(err);
	worlds->policies = policies_given(args, worlds->policy);
	while (arg_at(args, "cluster", worlds->clusters))
		worlds->clusters++;
	if (!worlds->clusters)
		worlds->clusters = 1;
	const size_t most = worlds->policies * worlds->clusters;
	worlds->scenario = sl_alloc(args->arena, most, sizeof(*worlds->scenario));
	worlds->implied = sl_alloc(args->arena, most, sizeof(*worlds->implied));
	worlds->cluster = sl_alloc(args->arena, most, sizeof(*worlds->cluster));
	if (!worlds->scenario || !worlds->implied || !worlds->cluster)
		return sl_fail_memory(err);
	return settings_from_args(&worlds->settings, args, err);
}

static int compare_trace(struct comparison *all, struct sl_err *err)
{
	const struct args *args = all->args;
	struct worlds worlds = { 0 };
	int status = worlds_make(&worlds, args, err);
	if (status)
		return status;
	all->count = worlds.policies * worlds.clusters;
	all->row = sl_alloc(args->arena, all->count, sizeof(*all->row));
	struct run *runs = sl_alloc(args->arena, all->count, sizeof(*runs));
	if (!all->row || !runs)
		return sl_fail_memory(err);
	status = runs_prepare(all, runs, &worlds, err);
	if (!status)
		status = runs_go(all, runs, err);
	if (!all->windows)
		runset_release(runs, all->count);
	for (size_t i = 0; i < worlds.count; i++)
		scenario_release(&worlds.scenario[i]);
	return status;
}

/* ---- Directories of earlier runs --------------------------------------------------------- */

/* The whole file, closed by a zero. */
static int file_read(const char *path, char **text, struct sl_arena *arena, struct sl_err *err)
{
	enum { FILE_MAX = 256 << 20 };
	struct stat info;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &info) != 0) {
		const int status = sl_fail_sys(err, SL_INPUT, "open", path);
		if (file)
			(void)fclose(file);
		return status;
	}
	const size_t size = (size_t)info.st_size;
	int status = SL_OK;
	*text = size < FILE_MAX ? sl_alloc(arena, size + 1, 1) : NULL;
	if (!*text)
		status = sl_fail_memory(err);
	else if (fread(*text, 1, size, file) != size)
		status = sl_fail_sys(err, SL_INPUT, "read", path);
	(void)fclose(file);
	return status;
}

static int json_read(const char *path, cJSON **json, struct sl_arena *arena, struct sl_err *err)
{
	char *text = NULL;
	const int status = file_read(path, &text, arena, err);
	if (status)
		return status;
	const char *end = text;
	*json = cJSON_ParseWithOpts(text, &end, 1);
	if (cJSON_IsObject(*json))
		return SL_OK;
	cJSON_Delete(*json);
	struct sl_place at = { path, 1, 1 };
	for (const char *p = text; p && p < end; p++) {
		at.column = *p == '\n' ? 1 : at.column + 1;
		at.line += *p == '\n';
	}
	return sl_fail_at(err, &at, "not a JSON object: give a directory that 'schedlab run -o' wrote");
}

static int metrics_read(
	struct sl_metrics *metrics, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	cJSON *json = NULL;
	int status = json_read(path, &json, arena, err);
	if (status)
		return status;
	const struct sl_place at = { path, 0, 0 };
	metrics->plain = true;
	const cJSON *item;
	cJSON_ArrayForEach(item, json)
	{
		const double value = item->valuedouble;
		if (!cJSON_IsNumber(item) || !(fabs(value) < 9e12))
			status = sl_fail_at(err, &at, "'%s' is not a number of this program's: write it anew",
				item->string);
		else if (metrics_get(metrics, item->string))
			status = sl_fail_at(err, &at, "'%s' is there twice: write it anew", item->string);
		else
			sl_metric_put(metrics, item->string, (int64_t)floor(value * 1e6 + 0.5));
		if (status)
			break;
	}
	cJSON_Delete(json);
	return !status && metrics->failed ? sl_fail_memory(err) : status;
}

static const char *json_text(const cJSON *object, const char *key, struct sl_arena *arena)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
	return cJSON_IsString(item) ? sl_strdup(arena, item->valuestring, strlen(item->valuestring)) : NULL;
}

/* What run.json says of a row: the policy as it was given, the cluster, the input. */
static int about_read(struct row *row, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	cJSON *json = NULL;
	const int status = json_read(path, &json, arena, err);
	if (status)
		return status;
	const char *policy = json_text(cJSON_GetObjectItemCaseSensitive(json, "policy"), "text", arena);
	const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(json, "inputs");
	const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(json, "cluster");
	const cJSON *cpus = cJSON_GetObjectItemCaseSensitive(cluster, "cpus");
	if (policy)
		row->label = row->policy = policy;
	row->input = json_text(cJSON_GetArrayItem(inputs, 0), "sha256", arena);
	row->partial = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "partial"));
	char *text = sl_alloc(arena, 32, 1);
	if (text && cJSON_IsNumber(cpus))
		(void)snprintf(text, 32, "%.0f", cpus->valuedouble);
	const char *from = json_text(cluster, "from", arena);
	const bool nodes = cJSON_GetObjectItemCaseSensitive(cluster, "nodes") != NULL;
	row->cluster = nodes && from ? from : text ? text : "";
	cJSON_Delete(json);
	return SL_OK;
}

static int compare_directories(struct comparison *all, struct sl_err *err)
{
	const struct args *args = all->args;
	all->count = args->word_count;
	all->row = sl_alloc(args->arena, all->count, sizeof(*all->row));
	if (!all->row)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++) {
		struct row *row = &all->row[i];
		const char *name = args->word[i];
		const size_t size = strlen(name) + 16;
		char *path = sl_alloc(args->arena, size, 1);
		if (!path)
			return sl_fail_memory(err);
		row->label = row->policy = name;
		metrics_init(&row->metrics, args->arena);
		(void)snprintf(path, size, "%s/run.json", name);
		int status = about_read(row, path, args->arena, err);
		(void)snprintf(path, size, "%s/metrics.json", name);
		if (!status)
			status = metrics_read(&row->metrics, path, args->arena, err);
		if (status)
			return status;
		if (i && row->input && all->row[0].input && strcmp(row->input, all->row[0].input) != 0)
			talk("'%s' is a run of another input than '%s'", name, args->word[0]);
	}
	return show(all, err);
}

static bool is_directory(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int compare_command(const struct args *args, struct sl_err *err)
{
	struct comparison all = { .args = args };
	int status;
	if (args->word_count == 1 && !is_directory(args->word[0]))
		status = compare_trace(&all, err);
	else if (arg(args, "policy") || arg(args, "output"))
		status = sl_fail(err, SL_USAGE,
			"'-p' and '-o' are about a trace: give one TRACE, or directories of runs without them");
	else
		status = compare_directories(&all, err);
	for (size_t i = 0; all.row && i < all.count; i++)
		metrics_release(&all.row[i].metrics);
	return status;
}

const struct command cmd_compare = {
	.name = "compare",
	.usage = "compare TRACE [-p POLICY]... [options] | compare DIR DIR...",
	.summary = "replay a trace under several policies, or put earlier runs side by side",
	.detail =
		"Prints a row a policy, the best value of each column marked with '*', and the difference from the\n"
		"first row. Without -p the policies are fcfs, easy and conservative. With -o D each run is written\n"
		"into D/<n>-<policy>/, and all metrics into D/compare.csv.\n"
		"\n"
		"examples:\n"
		"  schedlab compare log.swf.gz\n"
		"  schedlab compare log.swf -p easy -p easy:fill=shortest -p sjf -o out\n"
		"  schedlab compare out/1-easy out/3-sjf\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1000,
	.run = compare_command,
};
