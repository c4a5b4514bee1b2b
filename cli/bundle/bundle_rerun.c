/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_rerun.c - the run of a bundle rerun, and each of its files compared with the packed one.
 *
 * The bundle is the working folder. Of run.json and snapshot.json lines may differ that are of the schedlab,
 * or of names: its version, the identity (which has names of files in it) and what a reader took no notice
 * of. A version that is another may write those two otherwise; then they are not compared.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/selector.h"
#include "cli/bundle/bundle.h"
#include "cli/run/outdir.h"

enum { PATH_LONGEST = 4096, NAMES_LONGEST = 4096 };

/* ---- What is to be made ------------------------------------------------------------------------------- */

/* For --only: what makes a file of that name. */
static void asks_for(const struct registry *registry, const char *file, char *name, size_t size)
{
	const struct sl_report *report = sl_by_name(registry->known.reports, file);
	const char *asked = report && report->asked_as ? report->asked_as : file;
	(void)snprintf(name, size, "%.*s", (int)strcspn(asked, "."), asked);
}

static int only_of(const struct registry *registry, const char *const *files, char only[NAMES_LONGEST],
	struct sl_err *err)
{
	size_t used = 0;
	only[0] = '\0';
	for (; *files; files++) {
		char name[200];
		asks_for(registry, *files, name, sizeof(name));
		if (strcmp(*files, "run.json") == 0 || only_has(*only ? only : "-", name))
			continue;
		used += (size_t)snprintf(only + used, NAMES_LONGEST - used, "%s%s", used ? "," : "", name);
		if (used >= NAMES_LONGEST)
			return sl_fail(err, SL_INPUT, "run/run.json: lists more files than a run has");
	}
	return SL_OK;
}

static bool has_file(const char *const *files, const char *name)
{
	while (*files && strcmp(*files, name) != 0)
		files++;
	return *files;
}

/* run/ has those files, and no other. */
static int folder_check(const char *const *files, struct sl_err *err)
{
	struct bundle_files is = { 0 };
	int status = bundle_files_of(&is, "run", err);
	for (size_t i = 0; i < is.count && !status; i++)
		if (!has_file(files, is.file[i].path))
			status = sl_fail(err, SL_BASELINE,
				"run/%s: is no file that the run wrote, by run/run.json: take it out",
				is.file[i].path);
	bundle_files_release(&is);
	return status;
}

/* ---- Made ------------------------------------------------------------------------------------------ */

/* Further metrics of --metric: the name says what it is. */
static int metrics_asked(
	struct sl_metrics *metrics, const struct rerun *rerun, const struct sim_run *sim, struct sl_err *err)
{
	const char *text = text_of_file("run/metrics.json", NULL, rerun->arena, err);
	struct sl_doc doc = { .file = "run/metrics.json", .loose = true };
	struct sl_err unread = { 0 };
	const bool read = text && !sl_doc_read_json(&doc, text, strlen(text), &unread);
	int status = text ? SL_OK : err->status;
	SL_DOC_EACH (item, &doc, read ? doc.node : NULL) {
		const char *name = sl_doc_key_of(&doc, item);
		const struct selector *selector;
		int64_t micro;
		bool known = false;
		struct sl_err none = { 0 };
		if (metrics_get(metrics, name) || selector_parse(&selector, name, rerun->arena, &none) ||
			selector_check(selector, &rerun->scenario, &none))
			continue; /* The file will not be the same. */
		status = selector_value(
			selector, &rerun->scenario, &sim->result, metrics, &micro, &known, err);
		if (!status && known)
			sl_metric_put(metrics, selector_text(selector), micro);
		if (status)
			break;
	}
	sl_doc_release(&doc);
	return !status && metrics->failed ? sl_fail_memory(err) : status;
}

/* Nothing is written but below `to`: not what a decider's answers would be written down in. */
static struct sl_value *record_of(const struct policy_choice *choice)
{
	for (size_t i = 0; i < choice->value_count; i++)
		if (strcmp(choice->policy->name, "external") == 0 &&
			strcmp(choice->policy->params[i].key, "record") == 0)
			return &choice->values[i];
	return NULL;
}

static void records_put(struct rerun *rerun, const char **text, bool back)
{
	for (size_t i = 0; i < rerun->recipe.history_count; i++) {
		struct sl_value *record = record_of(rerun->recipe.history[i].choice);
		if (!record)
			continue;
		if (back) {
			record->text = text[i];
		} else {
			text[i] = record->text;
			record->text = NULL;
		}
	}
}

static int files_write(struct rerun *rerun, struct sim_run *sim, const char *to, const char *only,
	const char *const *files, struct sl_err *err)
{
	const size_t last = rerun->recipe.history_count - 1;
	struct outdir *dir = NULL;
	struct sl_metrics metrics;
	struct run run = { .scenario = &rerun->scenario, .sim = *sim };
	run.choice = *rerun->recipe.history[last].choice;
	run.options = rerun->recipe;
	run.options.history_count = last;
	metrics_init(&metrics, rerun->arena, rerun->registry);
	const bool measured = has_file(files, METRICS_FILE);
	const struct outdir_ways ways = { .registry = rerun->registry, .unsynced = true };
	int status = measured ? metrics_compute(&metrics, &run.sim.result, err) : SL_OK;
	if (!status && measured)
		status = metrics_asked(&metrics, rerun, sim, err);
	if (!status)
		status = outdir_open(&dir, to, "made again", ways, err);
	if (!status)
		status = outdir_run(dir, NULL, &run, measured ? &metrics : NULL, only, err);
	if (!status)
		status = outdir_commit(dir, err);
	else if (dir)
		outdir_abandon(dir);
	metrics_release(&metrics);
	return status;
}

static int make(struct rerun *rerun, const char *to, const char *const *files, struct sl_err *err)
{
	struct sim_run sim = { 0 };
	char only[NAMES_LONGEST];
	unsigned record = 0;
	int status = only_of(rerun->registry, files, only, err);
	if (!status)
		status = rerun_load(rerun, err);
	if (!status)
		status = only_check(rerun->registry, only, true, &record, err);
	const char **kept =
		status ? NULL : sl_alloc(rerun->arena, rerun->recipe.history_count, sizeof(*kept));
	if (!status && !kept)
		status = sl_fail_memory(err);
	if (status)
		return status;
	records_put(rerun, kept, false);
	status = rerun_run(rerun, &sim, record, err);
	records_put(rerun, kept, true);
	sim.result.calibrate = has_file(files, "calibration.csv");
	if (!status)
		status = files_write(rerun, &sim, to, only, files, err);
	sim_release(&sim);
	return status;
}

/* ---- Compared -------------------------------------------------------------------------------------- */

static bool is_of_version(const char *line, size_t len)
{
	static const char *const keys[] = { "  \"schedlab\":", "  \"identity\":", "  \"ignored\":" };
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (len >= strlen(keys[i]) && memcmp(line, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

/* The next line that counts, without what says that a path is below the bundle; its length. */
static const char *line_next(const char **at, struct sl_arena *arena, size_t *number)
{
	while (**at) {
		const char *line = *at;
		const size_t len = strcspn(line, "\n");
		*at += len + (line[len] == '\n');
		++*number;
		if (is_of_version(line, len))
			continue;
		char *kept = sl_strdup(arena, line, len);
		for (char *p = kept; p && (p = strstr(p, PATH_CLOSED));)
			memmove(p, p + strlen(PATH_CLOSED), strlen(p + strlen(PATH_CLOSED)) + 1);
		return kept;
	}
	return NULL;
}

static int record_compare(
	const char *file, const char *was, const char *is, struct sl_arena *arena, struct sl_err *err)
{
	const char *a = text_of_file(was, NULL, arena, err);
	const char *b = a ? text_of_file(is, NULL, arena, err) : NULL;
	size_t line = 0;
	size_t other = 0;
	if (!b)
		return err->status;
	for (;;) {
		const char *first = line_next(&a, arena, &line);
		const char *second = line_next(&b, arena, &other);
		if (!first && !second)
			return SL_OK;
		if (!first || !second || strcmp(first, second) != 0)
			return sl_fail(err, SL_DIFFERS,
				"not reproduced: run/%s:%zu: the run, made again, writes another: '%.200s', it was '%.200s'",
				file, line, second ? second : "", first ? first : "");
	}
}

static int bytes_compare(const char *file, const char *was, const char *is, struct sl_err *err)
{
	char was_sha[65];
	char is_sha[65];
	int status = registry_hash(was, was_sha, err);
	if (!status)
		status = registry_hash(is, is_sha, err);
	if (status || strcmp(was_sha, is_sha) == 0)
		return status;
	return sl_fail(err, SL_DIFFERS,
		"not reproduced: run/%s: the run, made again, writes another: SHA-256 %s, it was %s", file,
		is_sha, was_sha);
}

static int bundle_rerun_compare(
	struct bundle_verified *verified, const char *to, const char *const *files, struct sl_err *err)
{
	char names[NAMES_LONGEST] = "";
	size_t used = 0;
	for (; *files; files++) {
		char was[PATH_LONGEST];
		char is[PATH_LONGEST];
		const bool record = strcmp(*files, "run.json") == 0 || strcmp(*files, SNAPSHOT_FILE) == 0;
		const int a = snprintf(was, sizeof(was), "run/%s", *files);
		const int b = snprintf(is, sizeof(is), "%s/%s", to, *files);
		if (a < 0 || b < 0 || (size_t)a >= sizeof(was) || (size_t)b >= sizeof(is))
			return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", *files);
		if (access(is, F_OK) != 0)
			return sl_fail(err, SL_DIFFERS,
				"not reproduced: run/%s: the run, made again, writes none", *files);
		if (record && verified->other_version)
			continue;
		const int status = record ? record_compare(*files, was, is, verified->arena, err)
					  : bytes_compare(*files, was, is, err);
		if (status)
			return status;
		used += (size_t)snprintf(names + used, used < sizeof(names) ? sizeof(names) - used : 0,
			"%s%s", used ? ", " : "", *files);
	}
	verified->rerun = sl_strdup(verified->arena, names, strlen(names));
	return verified->rerun ? SL_OK : sl_fail_memory(err);
}

int bundle_rerun(
	struct bundle_verified *verified, const char *scratch, struct registry *registry, struct sl_err *err)
{
	struct rerun rerun = { .arena = NULL };
	char to[PATH_LONGEST + 10];
	const char **files = NULL;
	(void)snprintf(to, sizeof(to), "%s/again", scratch);
	int status = rerun_open(&rerun, "run", registry, err);
	rerun.snapshot.closed = true;
	const char *record = status ? NULL : text_of_file("run/run.json", NULL, verified->arena, err);
	if (!status && !record)
		status = err->status;
	if (!status)
		status = bundle_outputs(&files, record, verified->arena, err);
	if (!status)
		status = folder_check(files, err);
	if (!status) {
		verified->version =
			sl_strdup(verified->arena, rerun.snapshot.version, strlen(rerun.snapshot.version));
		verified->other_version = strcmp(rerun.snapshot.version, SL_VERSION) != 0;
		status = verified->version ? make(&rerun, to, files, err) : sl_fail_memory(err);
	}
	if (!status)
		status = bundle_rerun_compare(verified, to, files, err);
	if (!status)
		verified->digest = rerun.snapshot.interval[rerun.snapshot.interval_count - 1].digest;
	rerun_close(&rerun);
	return status;
}
