/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_update.c - what was found, written into the baseline; and a baseline begun.
 *
 * Only values and digests are written: ids, tolerances, comments, order and layout are people's. A baseline
 * is begun as a text without any value, which is then updated as every other is.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/check/check.h"
#include "sim/base/out.h"

struct update {
	struct check *check;
	const struct check_item *reported; /* Of the metric that comes: both are in the baseline's order. */
	struct baseline_edits edits;
};

/* As printf has it; without memory "", noted. */
static const char *made(struct update *update, const char *format, ...) SL_PRINTF(2, 3);
static const char *made(struct update *update, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = text_vmade(update->check->arena, format, args);
	va_end(args);
	update->edits.failed = update->edits.failed || !text;
	return text ? text : "";
}

/* ---- Values as JSON ------------------------------------------------------------------------- */

static const char *micro_text(struct update *update, int64_t micro)
{
	char text[40];
	*sl_put_micro(text, micro) = '\0';
	return made(update, "%s", text);
}

static const char *quoted(struct update *update, const char *text) { return made(update, "\"%.80s\"", text); }

static const char *digest_text(struct update *update, uint64_t digest)
{
	return made(update, "\"%016" PRIx64 "\"", digest);
}

/* "[a, b]", as it is made. */
struct list {
	char *text, *end;
};

enum { ITEM_MAX = 100 };

static struct list list_new(struct update *update, size_t count)
{
	char *text = sl_alloc(update->check->arena, (ITEM_MAX + 2) * count + 3, 1);
	update->edits.failed = update->edits.failed || !text;
	if (text)
		*text = '[';
	return (struct list){ text, text ? text + 1 : NULL };
}

static void list_item(struct list *list, const char *item)
{
	if (list->text)
		list->end = stpcpy(stpcpy(list->end, list->end[-1] == '[' ? "" : ", "), item);
}

static const char *list_text(const struct list *list)
{
	if (list->text)
		(void)stpcpy(list->end, "]");
	return list->text ? list->text : "";
}

/* ---- A case ---------------------------------------------------------------------------------- */

static void check_update_put(struct update *update, const struct baseline_case *of, const char *key,
	const struct baseline_range *range, const char *json)
{
	baseline_put_key(&update->edits, &update->check->baseline, of, key, range, json);
}

static void put_inputs(struct update *update, const struct check_case *found)
{
	const struct baseline_case *of = found->of;
	const struct check_found *first = &found->found[0];
	const bool one = of->generate || of->trace.count <= 1;
	struct list traces = list_new(update, found->runs);
	struct list sides = list_new(update, first->side_count);
	for (size_t i = 0; i < found->runs && !one; i++)
		list_item(&traces, quoted(update, found->found[i].trace_sha256));
	for (size_t i = 0; i < first->side_count; i++)
		list_item(&sides, quoted(update, first->side_sha256[i]));
	check_update_put(update, of, "trace_sha256", &of->trace_sha256.range,
		!one ? list_text(&traces)
		     : quoted(update, of->generate && found->runs > 1 ? found->generated_sha256
								      : first->trace_sha256));
	if (*first->cluster_sha256)
		check_update_put(update, of, "cluster_sha256", &of->cluster_sha256.range,
			quoted(update, first->cluster_sha256));
	if (*first->cluster_read)
		check_update_put(update, of, "cluster_read", &of->cluster_read.range,
			quoted(update, first->cluster_read));
	if (first->side_count)
		check_update_put(update, of, "side_sha256", &of->side_sha256.range, list_text(&sides));
}

/* "{ "total": 550, ... }", those that are not 0, and the first. */
static const char *counts_text(struct update *update, const struct check_case *found)
{
	const char *text = "{";
	for (enum baseline_count i = 0; i < BASELINE_COUNTS; i++) {
		const int64_t count = check_count(found, i);
		if (count || !i)
			text = made(update, "%s%s \"%s\": %" PRId64, text, i ? "," : "",
				baseline_count_name(i), count);
	}
	return made(update, "%s }", text);
}

static void put_case(struct update *update, const struct check_case *found)
{
	const struct baseline_case *of = found->of;
	const struct check_found *first = &found->found[0];
	struct list results = list_new(update, found->runs);
	struct list digests = list_new(update, first->digest_count);
	put_inputs(update, found);
	for (size_t i = 0; i < found->runs; i++)
		list_item(&results, digest_text(update, found->found[i].digest));
	check_update_put(update, of, "result", &of->result.range,
		found->runs > 1 ? list_text(&results) : digest_text(update, first->digest));
	for (size_t i = 0; i < first->digest_count && found->runs == 1; i++)
		list_item(&digests, digest_text(update, first->digests[i]));
	if (found->runs == 1 && (first->digest_count || of->digests.range.until))
		check_update_put(update, of, "digests", &of->digests.range, list_text(&digests));
	check_update_put(update, of, "counts", &of->counts.range, counts_text(update, found));
	for (size_t i = 0; i < of->metric_count; i++) {
		if (of->metric[i].many)
			continue;
		struct list values = list_new(update, found->runs);
		while (update->reported->metric != &of->metric[i])
			update->reported++; /* Judged: it is among them. */
		for (size_t k = 0; k < found->runs && found->runs > 1; k++)
			list_item(&values, micro_text(update, found->found[k].value[i]));
		baseline_put_value(&update->edits, &of->metric[i], micro_text(update, update->reported->is),
			found->runs > 1 ? list_text(&values) : NULL);
	}
}

/* Says what is beyond its tolerance, and how it would be named. */
static bool is_beyond(const struct check *check)
{
	char names[600] = "";
	size_t used = 0;
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		const char *name = item->metric ? item->metric->name : item->name;
		char option[120];
		if (item->status != CHECK_FAIL || check_accepted(check, name))
			continue;
		(void)snprintf(option, sizeof(option), " --accept '%.80s'", name);
		if (strstr(names, option) || used + strlen(option) >= sizeof(names))
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s", option);
	}
	if (used)
		talk("%s: not written: what is beyond its tolerance is written when it is named:%s",
			check->baseline.file, names);
	return used > 0;
}

int check_update(struct check *check, struct sl_err *err)
{
	struct update update = {
		.check = check, .reported = check->reported, .edits = { .arena = check->arena }
	};
	const struct baseline *baseline = &check->baseline;
	size_t len = 0;
	if (check_outcome(check) == SL_DIFFERS) {
		talk("%s: not written: what differs from itself is no baseline", baseline->file);
		return SL_OK;
	}
	if (is_beyond(check))
		return SL_OK;
	for (size_t i = 0; i < baseline->count; i++)
		if (check->item[i].done)
			put_case(&update, &check->item[i]);
	const char *text = baseline_edited(baseline, &update.edits, &len);
	if (!text)
		return sl_fail_memory(err);
	if (len == baseline->len && memcmp(text, baseline->text, len) == 0) {
		if (!check->quiet)
			talk("%s: all is as it was", baseline->file);
	} else {
		const int status = out_file(baseline->file, text, len, err);
		if (status)
			return status;
		if (!check->quiet)
			talk("%s: written", baseline->file);
	}
	return check->keep_decisions ? check_record_write(check, err) : SL_OK;
}

/* ---- A new one ----------------------------------------------------------------------------------- */

/* From a folder to a file, both real: "../traces/x.swf". */
static char *relative(const char *folder, const char *file, struct sl_arena *arena)
{
	size_t same = 0;
	size_t up = 0;
	for (size_t i = 0; folder[i] && folder[i] == file[i]; i++)
		if (folder[i] == '/' || ((!folder[i + 1]) && file[i + 1] == '/'))
			same = i + 1;
	for (const char *p = folder + same; *p; p++)
		up += p == folder + same || p[-1] == '/' ? (*p != '/') : 0;
	file += same + (file[same] == '/');
	char *text = sl_strdup(arena, file, strlen(file));
	while (up-- && text)
		text = text_made(arena, "../%s", text);
	return text;
}

/* A path as a baseline at `home` names it. */
static int path_in(
	const char *home, const char *path, const char **named, struct sl_arena *arena, struct sl_err *err)
{
	const char *slash = strrchr(home, '/');
	const char *folder = slash ? sl_strdup(arena, home, (size_t)(slash - home + 1)) : ".";
	char real_folder[PATH_MAX];
	char real_path[PATH_MAX];
	if (!folder)
		return sl_fail_memory(err);
	if (!realpath(folder, real_folder))
		return sl_fail_sys(err, SL_USAGE, "write into", folder);
	if (!realpath(path, real_path))
		return sl_fail_sys(err, SL_INPUT, "open", path);
	*named = path[0] == '/' ? path : relative(real_folder, real_path, arena);
	return *named ? SL_OK : sl_fail_memory(err);
}

struct new_case {
	const char *trace, *cluster, *policy;
	uint64_t seed, jobs;
	size_t number;
};

/* One of the items of a --model, as the setting that says the same; a bare one is a flag. */
static void put_model_item(
	struct json *json, const struct args *args, const char *model, const char *item, size_t len)
{
	const size_t name = strcspn(model, ":");
	const bool bare = !memchr(item, '=', len);
	/* Without memory what is written is not committed: the arena says so elsewhere. */
	json_put(json, datum_given(NULL, text_made(args->arena, "%.*s.%.*s%s", (int)name, model, (int)len,
						 item, bare ? "=true" : "")));
}

/* Each --model as settings, behind those of --set. */
static void put_models(struct json *json, const struct args *args)
{
	const char *model;
	const char *names = arg(args, "model") ? "replay.models=" : NULL;
	for (size_t i = 0; (model = arg_at(args, "model", i)) && names; i++)
		names = text_made(
			args->arena, "%s%s%.*s", names, i ? "," : "", (int)strcspn(model, ":"), model);
	if (!names)
		return;
	json_put(json, datum_text(NULL, names));
	for (size_t i = 0; (model = arg_at(args, "model", i)); i++) {
		const char *item = model + strcspn(model, ":");
		while (*item) {
			const char *from = ++item;
			for (bool quoted = false; *item && (quoted || *item != ','); item++)
				quoted ^= *item == '"';
			if (item > from)
				put_model_item(json, args, model, from, (size_t)(item - from));
		}
	}
}

static void put_new_case(struct json *json, const struct args *args, const struct new_case *new)
{
	static const struct json_form of_case = { "\n      ", ",\n      ", "\n    ", false };
	static const struct json_form of_metrics = { "\n        ", ",\n        ", "\n      ", false };
	char number[24];
	const char *set;
	(void)snprintf(number, sizeof(number), "%zu-", new->number);
	char *id = text_made(args->arena, "%s%s", number, new->policy);
	json_nest(json, NULL, '{', &of_case);
	json_put(json, datum_text("id", id ? id : number), datum_text("trace", new->trace),
		datum_given("cluster", new->cluster), datum_text("policy", new->policy));
	if (arg(args, "set") || arg(args, "model")) {
		json_nest(json, "set", '[', &json_tight);
		for (size_t i = 0; (set = arg_at(args, "set", i)); i++)
			json_put(json, datum_text(NULL, set));
		put_models(json, args);
		json_close(json);
	}
	json_put(json, datum_if(new->jobs, datum_count("jobs", new->jobs)),
		datum_given("from", arg(args, "from")), datum_given("to", arg(args, "to")),
		datum_given("tz", arg(args, "tz")), datum_count("seed", new->seed),
		datum_flag("exact", true));
	json_nest(json, "metrics", '{', &of_metrics);
	/* The metrics of a run's table of which it is known which way is better. */
	for (const struct summary_metric *metric = summary_metrics; metric->name; metric++) {
		if (metric->better == 0)
			continue;
		json_object(json, metric->name, datum_text("tol", "="));
	}
	json_close(json);
	json_close(json);
}

/* The text without values, which an update then fills in. */
static int init_write(const struct args *args, const char *home, const char *empty, struct sl_err *err)
{
	const char *trace = args->word[0];
	struct new_case new = { 0 };
	struct sl_out *out;
	struct json json;
	if (strcmp(trace, "-") == 0)
		return sl_fail(err, SL_USAGE, "a baseline names its trace: give a file, not '-'");
	int status = path_in(home, trace, &new.trace, args->arena, err);
	if (!status && arg(args, "cluster"))
		status = path_in(home, arg(args, "cluster"), &new.cluster, args->arena, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, INT64_MAX, &new.seed, err);
	if (!status)
		status = arg_u64(args, "jobs", 0, 1, UINT32_MAX - 1, &new.jobs, err);
	if (!status)
		status = sl_out_open(&out, empty, err);
	if (status)
		return status;
	json_start_in(&json, out, &json_lines_2);
	json_put(&json, datum_text("schema", BASELINE_SCHEMA));
	json_nest(&json, "cases", '[', &json_lines_4);
	do {
		new.policy = arg_at(args, "policy", new.number);
		new.policy = new.policy ? new.policy : "easy";
		new.number++;
		put_new_case(&json, args, &new);
	} while (arg_at(args, "policy", new.number));
	return json_finish(&json, SL_OK, err);
}

int check_init(struct check *check, struct sl_err *err)
{
	const struct args *args = check->args;
	const char *path = arg(args, "output");
	if (!path || strcmp(path, "-") == 0)
		return sl_fail(
			err, SL_USAGE, "--init makes a new baseline: say which file, by -o BASELINE.json");
	if (access(path, F_OK) == 0 && !arg_flag(args, "force"))
		return sl_fail(err, SL_USAGE,
			"'%s' is there already: --update brings it up to date, --force replaces it", path);
	char *empty = text_made(check->arena, "%s.empty", path);
	if (!empty)
		return sl_fail_memory(err);
	int status = init_write(args, path, empty, err);
	if (!status)
		status = baseline_read(&check->baseline, empty, check->arena, err);
	(void)unlink(empty);
	check->baseline.file = path; /* It appears when its values are there. */
	return status;
}
