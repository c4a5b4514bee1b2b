/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_plan.c - the points of a sweep, in the order of its factors, each named by the hash of its content.
 *
 * Content is what decides the result: hashes of the files that are read (of a folder: of all files in it, by
 * name), words, settings, policy, seed, and the version of schedlab. A setting whose value is the path of a
 * file counts by that file's hash. So the same sweep has the same points wherever it is done, and an input
 * that was changed makes others.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run/outdir.h"
#include "cli/sweep/sweep.h"

/* ---- Hashes of inputs ------------------------------------------------------------------------------ */

static int file_hash(const char *path, char hex[65], struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	while ((status = sl_input_next(in, &text, &end, err)) > 0)
		;
	if (!status)
		(void)snprintf(hex, 65, "%s", sl_input_sha256(in));
	sl_input_close(in);
	return status;
}

static int entry_kept(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int entry_order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Of the files in it, by name; folders below are skipped, as readers of clusters do. */
static int folder_hash(const char *path, char hex[65], struct sl_err *err)
{
	struct dirent **entry;
	char *all = NULL;
	size_t len;
	const int count = scandir(path, &entry, entry_kept, entry_order);
	if (count < 0)
		return sl_fail_sys(err, SL_INPUT, "read", path);
	FILE *text = open_memstream(&all, &len);
	int status = text ? SL_OK : sl_fail_memory(err);
	for (int i = 0; i < count; i++) {
		char name[4096];
		struct stat is;
		const int used = snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
		if (!status && used > 0 && (size_t)used < sizeof(name) && stat(name, &is) == 0 &&
			S_ISREG(is.st_mode) && is.st_size) {
			char one[65];
			status = file_hash(name, one, err);
			if (!status)
				(void)fprintf(text, "%s %s\n", entry[i]->d_name, one);
		}
		free(entry[i]);
	}
	free(entry);
	if (text && fclose(text) != 0 && !status)
		status = sl_fail_memory(err);
	if (!status)
		status = identity_hash(all, hex, err);
	free(all);
	return status;
}

static int path_hash(const char *path, char hex[65], struct sl_err *err)
{
	struct stat is;
	if (stat(path, &is) == 0 && S_ISDIR(is.st_mode))
		return folder_hash(path, hex, err);
	return file_hash(path, hex, err);
}

/* ---- Values as content -------------------------------------------------------------------------------- */

/* What stands for a value in a point's content: by factor, by value. */
struct contents {
	char **text[SWEEP_FACTORS_MAX];
};

static bool is_file(const char *path)
{
	struct stat is;
	return *path && stat(path, &is) == 0 && (S_ISREG(is.st_mode) || S_ISDIR(is.st_mode));
}

/* Paths of files within "a=FILE,b=FILE" or a bare path; NULL: none. All are hashed into one. */
static int words_hash(const char *text, char hex[65], bool *any, struct sl_err *err)
{
	char *all = NULL;
	size_t len;
	int status = SL_OK;
	*any = false;
	FILE *out = open_memstream(&all, &len);
	if (!out)
		return sl_fail_memory(err);
	for (const char *at = text; *at && !status; at += strspn(at, "=,;:\"\n")) {
		char path[4096];
		char one[65];
		const size_t width = strcspn(at, "=,;:\"\n");
		(void)snprintf(path, sizeof(path), "%.*s", (int)(width < 4000 ? width : 4000), at);
		at += width;
		if (!strchr(path, '/') && !strchr(path, '.'))
			continue; /* "fcfs" is a policy, whatever lies in this folder. */
		if (!is_file(path))
			continue;
		status = path_hash(path, one, err);
		if (!status)
			(void)fprintf(out, "%s\n", one);
		*any = true;
	}
	if (fclose(out) != 0 && !status)
		status = sl_fail_memory(err);
	if (!status && *any)
		status = identity_hash(all, hex, err);
	free(all);
	return status;
}

static int content_of(const struct sweep *sweep, size_t f, size_t v, char **to, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	const struct factor *factor = &spec->factor[f];
	const struct sweep_trace *trace = f == spec->trace_at ? &spec->trace[v] : NULL;
	const char *value = factor->value[v];
	char hex[65] = "";
	bool any = false;
	int status = SL_OK;
	if (trace && trace->file)
		status = file_hash(trace->file, hex, err);
	else if (f == spec->cluster_at)
		status = path_hash(value, hex, err);
	else if (!trace)
		status = words_hash(value, hex, &any, err);
	if (status)
		return status;
	if (trace && trace->file)
		(void)snprintf(spec->trace[v].sha256, sizeof(trace->sha256), "%s", hex);
	const char *text = trace && trace->generate ? trace->generate : any || !*hex ? value : "";
	*to = text_made(sweep->arena, "%s=%s%s%s\n", factor->name, text, *hex ? "#" : "", hex);
	if (!*to)
		return sl_fail_memory(err);
	return SL_OK;
}

static int contents_make(const struct sweep *sweep, struct contents *contents, struct sl_err *err)
{
	for (size_t f = 0; f < sweep->spec.factor_count; f++) {
		const struct factor *factor = &sweep->spec.factor[f];
		contents->text[f] = sl_alloc(sweep->arena, factor->count, sizeof(**contents->text));
		if (!contents->text[f])
			return sl_fail_memory(err);
		for (size_t v = 0; v < factor->count; v++) {
			const int status = content_of(sweep, f, v, &contents->text[f][v], err);
			if (status)
				return status;
		}
	}
	return SL_OK;
}

/* ---- Points ---- */

const char *point_value(const struct sweep *sweep, const struct point *point, size_t factor)
{
	return sweep->spec.factor[factor].value[point->value[factor]];
}

static bool rule_holds(const struct sweep *sweep, const struct point *point, const struct sweep_rule *rule)
{
	for (size_t i = 0; i < rule->count; i++)
		for (size_t f = 0; f < sweep->spec.factor_count; f++)
			if (strcmp(sweep->spec.factor[f].name, rule->factor[i]) == 0 &&
				strcmp(point_value(sweep, point, f), rule->value[i]) != 0)
				return false;
	return true;
}

static bool is_wanted(const struct sweep *sweep, const struct point *point)
{
	const struct sweep_spec *spec = &sweep->spec;
	bool wanted = !spec->include_count;
	for (size_t i = 0; i < spec->include_count && !wanted; i++)
		wanted = rule_holds(sweep, point, &spec->include[i]);
	for (size_t i = 0; i < spec->exclude_count && wanted; i++)
		wanted = !rule_holds(sweep, point, &spec->exclude[i]);
	return wanted;
}

static int point_name(
	const struct sweep *sweep, struct point *point, const struct contents *contents, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	char *all = NULL;
	size_t len;
	FILE *text = open_memstream(&all, &len);
	if (!text)
		return sl_fail_memory(err);
	(void)fprintf(text, "%s\nversion=%s\njobs=%s\nfrom=%s\nto=%s\ntz=%s\nlabels=%d\n", POINT_SCHEMA,
		SL_VERSION, spec->jobs ? spec->jobs : "", spec->from ? spec->from : "",
		spec->to ? spec->to : "", spec->tz ? spec->tz : "", spec->labels);
	for (size_t f = 0; f < spec->factor_count; f++)
		(void)fputs(contents->text[f][point->value[f]], text);
	for (size_t i = 0; i < spec->metric_count; i++)
		(void)fprintf(text, "metric=%s\n", spec->metric[i]);
	if (spec->warm)
		(void)fprintf(text, "warm=%" PRId64 "\n", spec->warm);
	int status = fclose(text) == 0 ? SL_OK : sl_fail_memory(err);
	if (!status)
		status = identity_hash(all, point->id, err);
	free(all);
	return status;
}

/* The next combination, the last factor fastest; false: there is none. */
static bool next_point(const struct sweep_spec *spec, struct point *point)
{
	for (size_t f = spec->factor_count; f-- > 0;) {
		if (++point->value[f] < spec->factor[f].count)
			return true;
		point->value[f] = 0;
	}
	return false;
}

int sweep_points(struct sweep *sweep, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	size_t most = 1;
	for (size_t f = 0; f < spec->factor_count; f++) {
		if (most > SWEEP_POINTS_MAX / spec->factor[f].count)
			return sl_fail(err, SL_INPUT, "%s: more than %d points: split the sweep", spec->file,
				SWEEP_POINTS_MAX);
		most *= spec->factor[f].count;
	}
	sweep->point = sl_alloc(sweep->arena, most, sizeof(*sweep->point));
	if (!sweep->point)
		return sl_fail_memory(err);
	struct point point = { .id = "" };
	for (bool more = true; more; more = next_point(spec, &point))
		if (is_wanted(sweep, &point))
			sweep->point[sweep->count++] = point;
	return sweep->count ? SL_OK : sl_fail(err, SL_INPUT, "%s: its rules leave no point", spec->file);
}

int sweep_plan(struct sweep *sweep, struct sl_err *err)
{
	const int status = sweep_points(sweep, err);
	return status ? status : sweep_name(sweep, err);
}

int sweep_name(struct sweep *sweep, struct sl_err *err)
{
	struct contents contents;
	int status = contents_make(sweep, &contents, err);
	for (size_t i = 0; i < sweep->count && !status; i++)
		status = point_name(sweep, &sweep->point[i], &contents, err);
	return status;
}

/* The members of its object, which is closed. */
void point_json(const struct sweep *sweep, size_t number, struct json *json)
{
	const struct point *point = &sweep->point[number];
	json_put(json, datum_count("number", number), datum_text("id", point->id));
	for (size_t f = 0; f < sweep->spec.factor_count; f++)
		json_put(json, datum_text(sweep->spec.factor[f].name, point_value(sweep, point, f)));
	json_close(json);
}

void points_json(const struct sweep *sweep, struct sl_out *out)
{
	for (size_t i = 0; i < sweep->count; i++) {
		struct json json;
		json_start_in(&json, out, &json_one_line);
		point_json(sweep, i, &json);
		sl_out_text(out, "\n");
	}
}
