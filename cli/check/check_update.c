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

#include "cli/check/check.h"

struct update {
	struct check *check;
	const struct check_item *told; /* Of the metric that comes: both are in the baseline's order. */
	struct baseline_edits edits;
};

static const char *kept(struct update *update, const char *text)
{
	char *copy = sl_strdup(update->check->arena, text, strlen(text));
	if (!copy)
		update->edits.failed = true;
	return copy ? copy : "";
}

/* ---- Values as JSON ------------------------------------------------------------------------- */

static const char *micro_text(struct update *update, int64_t micro)
{
	char text[40];
	*sl_put_micro(text, micro) = '\0';
	return kept(update, text);
}

/* "[a, b]" of so many texts, each with quotes, or bare. */
static const char *list_text(struct update *update,
	const char *(*at)(struct update *update, const void *self, size_t i), const void *self, size_t count)
{
	size_t room = 3;
	for (size_t i = 0; i < count; i++)
		room += strlen(at(update, self, i)) + 2;
	char *text = sl_alloc(update->check->arena, room, 1);
	if (!text) {
		update->edits.failed = true;
		return "";
	}
	char *end = text;
	*end++ = '[';
	for (size_t i = 0; i < count; i++)
		end += snprintf(end, room - (size_t)(end - text), "%s%s", i ? ", " : "", at(update, self, i));
	(void)snprintf(end, room - (size_t)(end - text), "]");
	return text;
}

struct values {
	const struct check_case *found;
	size_t metric;
};

static const char *value_at(struct update *update, const void *self, size_t i)
{
	const struct values *values = self;
	return micro_text(update, values->found->found[i].value[values->metric]);
}

static const char *quoted(struct update *update, const char *text)
{
	char room[100];
	(void)snprintf(room, sizeof(room), "\"%.80s\"", text);
	return kept(update, room);
}

static const char *digest_text(struct update *update, uint64_t digest)
{
	char text[24];
	(void)snprintf(text, sizeof(text), "\"%016" PRIx64 "\"", digest);
	return kept(update, text);
}

static const char *result_at(struct update *update, const void *self, size_t i)
{
	const struct check_case *found = self;
	return digest_text(update, found->found[i].digest);
}

static const char *digest_at(struct update *update, const void *self, size_t i)
{
	const struct check_case *found = self;
	return digest_text(update, found->found[0].digests[i]);
}

static const char *trace_at(struct update *update, const void *self, size_t i)
{
	const struct check_case *found = self;
	return quoted(update, found->found[i].trace_sha256);
}

static const char *side_at(struct update *update, const void *self, size_t i)
{
	const struct check_case *found = self;
	return quoted(update, found->found[0].side_sha256[i]);
}

/* ---- A case ---------------------------------------------------------------------------------- */

static void put(struct update *update, const struct baseline_case *of, const char *key,
	const struct baseline_span *span, const char *json)
{
	baseline_put_key(&update->edits, &update->check->baseline, of, key, span, json);
}

static void put_inputs(struct update *update, const struct check_case *found)
{
	const struct baseline_case *of = found->of;
	const struct check_found *first = &found->found[0];
	const char *trace = of->generate && found->runs > 1 ? quoted(update, found->generated_sha256)
			    : of->trace.count > 1           ? list_text(update, trace_at, found, found->runs)
							    : quoted(update, first->trace_sha256);
	put(update, of, "trace_sha256", &of->trace_sha256.span, trace);
	if (*first->cluster_sha256)
		put(update, of, "cluster_sha256", &of->cluster_sha256.span,
			quoted(update, first->cluster_sha256));
	if (*first->cluster_read)
		put(update, of, "cluster_read", &of->cluster_read.span, quoted(update, first->cluster_read));
	if (first->side_count)
		put(update, of, "side_sha256", &of->side_sha256.span,
			list_text(update, side_at, found, first->side_count));
}

/* "{ "total": 550, ... }", those that are not 0, and the first. */
static const char *counts_text(struct update *update, const struct check_case *found)
{
	char text[600] = "{";
	size_t used = 1;
	for (enum baseline_count i = 0; i < BASELINE_COUNTS; i++) {
		const int64_t count = check_count(found, i);
		if (count || !i)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s \"%s\": %" PRId64,
				i ? "," : "", baseline_count_name(i), count);
	}
	(void)snprintf(text + used, sizeof(text) - used, " }");
	return kept(update, text);
}

static void put_case(struct update *update, const struct check_case *found)
{
	const struct baseline_case *of = found->of;
	put_inputs(update, found);
	put(update, of, "result", &of->result.span,
		found->runs > 1 ? list_text(update, result_at, found, found->runs)
				: digest_text(update, found->found[0].digest));
	if (found->runs == 1 && (found->found[0].digest_count || of->digests.span.until))
		put(update, of, "digests", &of->digests.span,
			list_text(update, digest_at, found, found->found[0].digest_count));
	put(update, of, "counts", &of->counts.span, counts_text(update, found));
	for (size_t i = 0; i < of->metric_count; i++) {
		if (of->metric[i].many)
			continue;
		const struct values values = { found, i };
		while (update->told->metric != &of->metric[i])
			update->told++; /* Judged: it is among them. */
		baseline_put_value(&update->edits, &of->metric[i], micro_text(update, update->told->is),
			found->runs > 1 ? list_text(update, value_at, &values, found->runs) : NULL);
	}
}

static int write_text(const char *path, const char *text, size_t len, struct sl_err *err)
{
	enum { STEP = 1 << 15 };
	struct sl_out *out;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	for (size_t at = 0; at < len; at += STEP) {
		const size_t part = len - at < STEP ? len - at : STEP;
		char *room = sl_out_room(out, part);
		memcpy(room, text + at, part);
		sl_out_advance(out, room + part);
	}
	return sl_out_commit(out, err);
}

/* Says what is beyond its tolerance, and how it would be named. */
static bool is_beyond(const struct check *check)
{
	char names[600] = "";
	size_t used = 0;
	for (size_t i = 0; i < check->told_count; i++) {
		const struct check_item *item = &check->told[i];
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
	struct update update = { .check = check, .told = check->told, .edits = { .arena = check->arena } };
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
		const int status = write_text(baseline->file, text, len, err);
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
	const size_t room = 3 * up + strlen(file) + 1;
	char *text = sl_alloc(arena, room, 1);
	size_t used = 0;
	for (; text && used < 3 * up; used += 3)
		(void)snprintf(text + used, room - used, "../");
	if (text)
		(void)snprintf(text + used, room - used, "%s", file);
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

/* Those that a table of a run shows, and of which it is known which way is better. */
static void put_metrics(struct sl_out *out)
{
	const char *before = "";
	for (const struct summary_metric *metric = summary_metrics; metric->name; metric++) {
		if (metric->better == 0)
			continue;
		sl_out_printf(out, "%s\n        \"%s\": { \"tol\": \"=\" }", before, metric->name);
		before = ",";
	}
}

static void put_option(struct sl_out *out, const struct args *args, const char *option, const char *key)
{
	if (!arg(args, option))
		return;
	sl_out_printf(out, ",\n      \"%s\": ", key);
	sl_out_json(out, arg(args, option));
}

static void put_number(struct sl_out *out, const char *key, uint64_t number)
{
	sl_out_printf(out, ",\n      \"%s\": %" PRIu64, key, number);
}

struct new_case {
	const char *trace, *cluster, *policy;
	uint64_t seed, jobs;
	size_t number;
};

/* One of the items of a --model, as the setting that says the same; a bare one is a switch. */
static void put_model_item(
	struct sl_out *out, const struct args *args, const char *model, const char *item, size_t len)
{
	const size_t name = strcspn(model, ":");
	const bool bare = !memchr(item, '=', len);
	const size_t room = name + len + sizeof(".=true");
	char *text = sl_alloc(args->arena, room, 1);
	if (!text)
		return; /* The arena says so elsewhere: what is written is not committed then. */
	(void)snprintf(text, room, "%.*s.%.*s%s", (int)name, model, (int)len, item, bare ? "=true" : "");
	sl_out_text(out, ", ");
	sl_out_json(out, text);
}

/* Each --model as settings, behind those that were given. */
static void put_models(struct sl_out *out, const struct args *args, const char *before)
{
	const char *model;
	size_t room = sizeof("replay.models=");
	for (size_t i = 0; (model = arg_at(args, "model", i)); i++)
		room += strlen(model) + 1;
	char *names = arg(args, "model") ? sl_alloc(args->arena, room, 1) : NULL;
	if (!names)
		return;
	size_t used = (size_t)snprintf(names, room, "replay.models=");
	for (size_t i = 0; (model = arg_at(args, "model", i)); i++)
		used += (size_t)snprintf(
			names + used, room - used, "%s%.*s", i ? "," : "", (int)strcspn(model, ":"), model);
	sl_out_text(out, before);
	sl_out_json(out, names);
	for (size_t i = 0; (model = arg_at(args, "model", i)); i++) {
		const char *item = model + strcspn(model, ":");
		while (*item) {
			const char *from = ++item;
			for (bool quoted = false; *item && (quoted || *item != ','); item++)
				quoted ^= *item == '"';
			if (item > from)
				put_model_item(out, args, model, from, (size_t)(item - from));
		}
	}
}

static void put_new_case(struct sl_out *out, const struct args *args, const struct new_case *new)
{
	char number[24];
	const char *set;
	(void)snprintf(number, sizeof(number), "%zu-", new->number);
	sl_out_text(out, new->number > 1 ? ",\n    {\n      \"id\": " : "\n    {\n      \"id\": ");
	const size_t room = strlen(number) + strlen(new->policy) + 1;
	char *id = sl_alloc(args->arena, room, 1);
	if (id)
		(void)snprintf(id, room, "%s%s", number, new->policy);
	sl_out_json(out, id ? id : number);
	sl_out_text(out, ",\n      \"trace\": ");
	sl_out_json(out, new->trace);
	if (new->cluster) {
		sl_out_text(out, ",\n      \"cluster\": ");
		sl_out_json(out, new->cluster);
	}
	sl_out_text(out, ",\n      \"policy\": ");
	sl_out_json(out, new->policy);
	const char *before = ",\n      \"set\": [";
	for (size_t i = 0; (set = arg_at(args, "set", i)); i++) {
		sl_out_text(out, before);
		sl_out_json(out, set);
		before = ", ";
	}
	put_models(out, args, before);
	sl_out_text(out, arg(args, "set") || arg(args, "model") ? "]" : "");
	if (new->jobs)
		put_number(out, "jobs", new->jobs);
	put_option(out, args, "from", "from");
	put_option(out, args, "to", "to");
	put_option(out, args, "tz", "tz");
	put_number(out, "seed", new->seed);
	sl_out_text(out, ",\n      \"exact\": true,\n      \"metrics\": {");
	put_metrics(out);
	sl_out_text(out, "\n      }\n    }");
}

/* The text without values, which an update then fills in. */
static int init_write(const struct args *args, const char *home, const char *empty, struct sl_err *err)
{
	const char *trace = args->word[0];
	struct new_case new = { 0 };
	struct sl_out *out;
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
	sl_out_text(out, "{\n  \"schema\": \"" BASELINE_SCHEMA "\",\n  \"cases\": [");
	do {
		new.policy = arg_at(args, "policy", new.number);
		new.policy = new.policy ? new.policy : "easy";
		new.number++;
		put_new_case(out, args, &new);
	} while (arg_at(args, "policy", new.number));
	sl_out_text(out, "\n  ]\n}\n");
	return sl_out_commit(out, err);
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
	const size_t room = strlen(path) + sizeof(".empty");
	char *empty = sl_alloc(check->arena, room, 1);
	if (!empty)
		return sl_fail_memory(err);
	(void)snprintf(empty, room, "%s.empty", path);
	int status = init_write(args, path, empty, err);
	if (!status)
		status = baseline_read(&check->baseline, empty, check->arena, err);
	(void)unlink(empty);
	check->baseline.file = path; /* It appears when its values are there. */
	return status;
}
