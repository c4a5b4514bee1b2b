/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_study.c - schedlab study: a paper's evaluation in one command.
 *
 * The folder is made beside its name and gets it when all is there: it is whole, or not there. What is made
 * of it stays until then, and is gone on with (study_points.c). Within it the runs have relative paths, so
 * that it has the same bytes wherever it is made.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/bundle/bundle.h"
#include "cli/run/dry_run.h"
#include "cli/run/outdir.h"
#include "cli/study/study.h"

static const struct option_def options[] = {
	{ "output", 'o', "DIR", false, "the study's folder" },
	{ OPTION_THREADS },
	{ OPTION_BLOCKS },
	{ "check", 0, NULL, false, "check the invariants after every event, and each pass twice (slow)" },
	OPTIONS_OF_RUNS,
};

/* ---- Its metrics ----------------------------------------------------------------------------------------
 */

static const char *const metrics_default[] = { "wait.mean", "wait.p95", "bounded_slowdown.mean",
	"turnaround.area_weighted", "slowdown.area_weighted", "utilization", "fair_start.miss.mean", NULL };

static const struct sl_metric_info of_field[] = {
	{ "turnaround.area_weighted", "area-weighted response", "weighted by cpus * run time", "s", -1 },
	{ "slowdown.area_weighted", "area-weighted slowdown", "weighted by cpus * run time", "number", -1 },
	{ "starts.backfilled", "backfilled starts", "by the policy's rule", "share", 0 },
	{ "starts.overtaking", "overtaking starts", "while one that came before waited", "share", 0 },
	{ "fair_start.late", "late starts", "later than their fair start time", "share", -1 },
	{ "fair_start.miss.mean", "fair start missed by", "mean over jobs", "s", -1 },
	{ "wait.p90", "p90 wait", "9 of 10 jobs waited no longer", "s", -1 },
	{ "wait.max", "longest wait", "of any job", "s", -1 },
	{ "turnaround.p95", "p95 turnaround", "19 of 20 jobs took no longer", "s", -1 },
	{ "slowdown.mean", "slowdown", "(wait + run) / run, mean over jobs", "number", -1 },
	{ "per_cpu_bounded_slowdown.mean", "per-cpu bounded slowdown", "mean over jobs", "number", -1 },
	{ "jain.slowdown", "Jain's index of users' slowdowns", "1: all alike", "number", 1 },
	{ "jain.share", "Jain's index of users' shares", "1: all alike", "number", 0 },
};

static struct sl_metric_info info_of(const char *name)
{
	size_t count;
	const struct sl_metric_info *known = reporting_metric_info(&count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(known[i].name, name) == 0)
			return known[i];
	for (size_t i = 0; i < SL_LEN(of_field); i++)
		if (strcmp(of_field[i].name, name) == 0)
			return of_field[i];
	return (struct sl_metric_info){ name, name, "", "number", 0 };
}

static int metrics_take(struct study *study, struct sl_err *err)
{
	const struct sweep_spec *spec = &study->sweep.spec;
	const char *const *name = spec->table_count ? spec->table : metrics_default;
	struct sl_metric_info *metric = sl_alloc(study->arena, SWEEP_TABLE_MAX + 1, sizeof(*metric));
	if (!metric)
		return sl_fail_memory(err);
	for (; spec->table_count ? study->metrics < spec->table_count : name[study->metrics] != NULL;
		study->metrics++)
		metric[study->metrics] = info_of(name[study->metrics]);
	study->metric = metric;
	return SL_OK;
}

/* A name of the table that no run has is a mistake. */
static int metrics_check(const struct study *study, struct sl_err *err)
{
	for (size_t m = 0; study->sweep.spec.table_count && m < study->metrics; m++) {
		bool any = false;
		for (size_t p = 0; p < study->panels; p++)
			for (size_t r = 0; r < study->panel[p].rows; r++)
				any |= study->panel[p].row[r].cell[m].has;
		if (!any)
			return sl_fail(err, SL_INPUT,
				"%s: no run has a metric '%.60s' of 'table': see schedlab-metrics(7)",
				study->sweep.spec_name, study->metric[m].name);
	}
	return SL_OK;
}

/* ---- The folder ------------------------------------------------------------------------------------------
 */

static bool is_study(const char *dir)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%.4000s/" STUDY_SPEC, dir);
	return access(path, F_OK) == 0;
}

static int folder_check(const struct study *study, const char *dir, struct sl_err *err)
{
	const char *name = study->sweep.dir_name;
	struct stat is;
	if (stat(dir, &is) != 0)
		return SL_OK;
	if (!S_ISDIR(is.st_mode))
		return sl_fail(err, SL_USAGE, "'%s' is there, and no folder: give another name", name);
	if (rmdir(dir) == 0 || (is_study(dir) && arg_flag(study->args, "force")))
		return SL_OK;
	return sl_fail(err, SL_USAGE, "'%s' is there, and holds something: give another name%s", name,
		is_study(dir) ? ", or --force, which replaces a study" : "");
}

/* In the folder that is being made: the panels' own, and nothing else, stay of an earlier one. */
static bool is_panel(const struct study *study, const char *name)
{
	for (size_t p = 0; p < study->panels; p++)
		if (strcmp(study->panel[p].name, name) == 0)
			return true;
	return false;
}

static bool is_figure(const struct study *study, const char *name)
{
	for (size_t p = 0; p < study->panels; p++) {
		const size_t len = strlen(study->panel[p].name);
		if (strncmp(name, study->panel[p].name, len) != 0 || name[len] != '-')
			continue;
		for (size_t i = 0; study_chart(i); i++)
			if (strncmp(name + len + 1, study_chart(i), strlen(study_chart(i))) == 0)
				return true;
	}
	return false;
}

/* A process that was killed leaves files that were not whole yet under names that begin with a dot. */
static bool is_whole(const struct study *study, const char *name)
{
	(void)study;
	return *name != '.';
}

static void folder_tidy(
	const struct study *study, const char *folder, bool (*stays)(const struct study *, const char *name))
{
	DIR *open = opendir(folder);
	char path[PATH_MAX];
	if (!open)
		return;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's. */
	for (const struct dirent *entry; (entry = readdir(open));) {
		(void)snprintf(path, sizeof(path), "%.3000s/%.500s", folder, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			!stays(study, entry->d_name))
			(void)remove_tree(path);
	}
	(void)closedir(open);
}

static bool folder_has(const char *dir, const char *what)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%.4000s/%s", dir, what);
	return access(path, F_OK) == 0;
}

static bool is_empty(const char *dir)
{
	DIR *open = opendir(dir);
	size_t count = 0;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's. */
	for (const struct dirent *entry; open && (entry = readdir(open));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (open)
		(void)closedir(open);
	return open && !count;
}

/* *lock: held as long as this process is at it. */
static int folder_lock(const struct study *study, const char *dir, int *lock, struct sl_err *err)
{
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return sl_fail_sys(err, SL_SYSTEM, "make", dir);
	*lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) != 0)
		return sl_fail(err, SL_USAGE, "'%s' is being made by another schedlab: let it end",
			study->sweep.dir_name);
	return SL_OK;
}

/* Begun, or gone on with. A folder that no study has begun is not touched; *ours: this is none. */
static int folders_of(const struct study *study, const char *dir, int *lock, bool *ours, struct sl_err *err)
{
	static const char *const below[] = { STUDY_POINTS, STUDY_INPUTS, STUDY_RUNS, "figures", STUDY_SEEDS };
	const bool seeds = study->sweep.spec.factor[study->sweep.spec.seed_at].count > 1;
	char path[PATH_MAX];
	const int status = folder_lock(study, dir, lock, err);
	if (status)
		return status;
	*ours = folder_has(dir, STUDY_POINTS) || is_study(dir) || is_empty(dir);
	if (!*ours)
		return sl_fail(err, SL_USAGE,
			"'%s.unfinished', where '%s' would be made, is there, and of no study: give another name",
			study->sweep.dir_name, study->sweep.dir_name);
	if (folder_has(dir, STUDY_POINTS) && log_shows(LOG_INFO))
		log_line(LOG_INFO, "going on in '%s.unfinished'", study->sweep.dir_name);
	for (size_t i = 0; i < SL_LEN(below) - !seeds; i++) {
		(void)snprintf(path, sizeof(path), "%.4000s/%s", dir, below[i]);
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			return sl_fail_sys(err, SL_SYSTEM, "make", path);
	}
	return SL_OK;
}

/* Inputs are copied anew: what was done of others has another id. */
static int inputs_anew(struct study *study, const char *dir, struct sl_err *err)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%.4000s/" STUDY_INPUTS, dir);
	(void)remove_tree(path);
	if (mkdir(path, 0777) != 0)
		return sl_fail_sys(err, SL_SYSTEM, "make", path);
	int status = study_take_inputs(study, dir, err);
	if (!status && chdir(dir) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "go to", dir);
	return status;
}

/* What is done is of this folder while it is made. */
static void points_leave(struct bundle_files *files)
{
	size_t kept = 0;
	for (size_t i = 0; i < files->count; i++) {
		if (strncmp(files->file[i].path, STUDY_POINTS "/", sizeof(STUDY_POINTS)) == 0)
			free(files->file[i].path);
		else
			files->file[kept++] = files->file[i];
	}
	files->count = kept;
}

/* Everything but itself, with SHA256SUMS of all. */
static int bundle_make(struct sl_err *err)
{
	struct bundle_files files = { 0 };
	(void)remove(STUDY_BUNDLE);
	(void)remove(BUNDLE_SUMS);
	int status = bundle_files_of(&files, ".", err);
	points_leave(&files);
	if (!status)
		status = bundle_sums_write(&files, ".", err);
	if (!status)
		status = bundle_file_add(&files, BUNDLE_SUMS, BUNDLE_SUMS, 0, NULL, err);
	bundle_files_sort(&files);
	if (!status)
		status = bundle_pack(STUDY_BUNDLE, ".", &files, err);
	bundle_files_release(&files);
	return status;
}

/* ---- The command ------------------------------------------------------------------------------------------
 */

/* Of several panels, which one it is: a message that begins with the name of an input says so itself. */
static void panel_named(const struct study_panel *panel, struct sl_err *err)
{
	const struct sl_err why = *err;
	if (strncmp(why.text, STUDY_INPUTS "/", sizeof(STUDY_INPUTS)) == 0 ||
		strncmp(why.text, panel->title, strlen(panel->title)) == 0)
		return;
	*err = (struct sl_err){ 0 };
	(void)sl_fail(err, why.status, "%s: %s", panel->title, why.text);
}

static int all_go(struct study *study, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < study->panels && !status; i++) {
		struct study_panel *panel = &study->panel[i];
		if (log_shows(LOG_INFO))
			log_line(LOG_INFO, "%zu of %zu: %s", i + 1, study->panels, panel->title);
		status = study_run(study, panel, err);
		if (status && study->panels > 1)
			panel_named(panel, err);
		if (!status && atomic_load(&cli_stop))
			status = sl_fail(err, SL_INTERRUPTED, "interrupted");
	}
	if (!status)
		status = metrics_check(study, err);
	if (!status)
		status = study_write_tables(study, err);
	if (!status)
		status = study_write_page(study, err);
	return status ? status : bundle_make(err);
}

static bool any_point(const char *dir)
{
	struct bundle_files files = { 0 };
	struct sl_err unused = { 0 };
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%.4000s/" STUDY_POINTS, dir);
	const bool any = bundle_files_of(&files, path, &unused) == SL_OK && files.count;
	bundle_files_release(&files);
	return any;
}

/* In the folder. */
static int study_go(struct study *study, struct sl_err *err)
{
	int status = study_write_spec(study, err);
	if (!status)
		status = sweep_name(&study->sweep, err);
	folder_tidy(study, ".", is_whole);
	folder_tidy(study, STUDY_RUNS, is_panel);
	folder_tidy(study, STUDY_SEEDS, is_panel);
	folder_tidy(study, "figures", is_figure);
	return status ? status : all_go(study, err);
}

/* In `part`, which becomes `dir`. */
static int study_make(struct study *study, const char *dir, struct sl_err *err)
{
	const char *part = text_made(study->arena, "%s.unfinished", dir);
	int lock = -1;
	if (!part)
		return sl_fail_memory(err);
	bool ours = false;
	int status = folders_of(study, part, &lock, &ours, err);
	if (!status)
		status = inputs_anew(study, part, err);
	if (!status)
		status = study_go(study, err);
	if (!status)
		(void)remove_tree(STUDY_POINTS);
	if (!status && is_study(dir))
		(void)remove_tree(dir);
	if (!status && (chdir("/") != 0 || rename(part, dir) != 0))
		status = sl_fail_sys(err, SL_SYSTEM, "make", dir);
	if (status && ours && any_point(part))
		talk("what is done is kept in '%s.unfinished': the same line goes on from there",
			study->sweep.dir_name);
	else if (status && ours)
		(void)remove_tree(part);
	if (lock >= 0)
		(void)close(lock);
	return status;
}

static void study_show(const struct study *study)
{
	for (size_t p = 0; p < study->panels; p++) {
		const struct study_panel *panel = &study->panel[p];
		struct screen_table *table = screen_table_new(study->arena, study->metrics + 1);
		screen_cell(table, false, "%s", panel->title);
		for (size_t m = 0; m < study->metrics; m++)
			screen_cell(table, true, "%s", study_heading(study, m));
		for (size_t r = 0; r < panel->rows; r++) {
			screen_cell(table, false, "%s", panel->row[r].label);
			for (size_t m = 0; m < study->metrics; m++) {
				char text[48];
				const struct study_cell *cell = &panel->row[r].cell[m];
				screen_cell(table, true, "%s%s", study_value(text, study, cell, m),
					cell->best ? "*" : "");
			}
		}
		printf("%s", p ? "\n" : "");
		screen_print(table, stdout);
	}
	if (study->panels && study->panel[0].policies > 1)
		printf("\n* better than each other policy, by a test at 5 %%\n");
}

static int study_json(const struct study *study, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_put(&json, datum_text("schema", STUDY_SCHEMA), datum_text("output", study->sweep.dir_name));
	json_nest(&json, "cells", '[', NULL);
	for (size_t p = 0; p < study->panels; p++)
		for (size_t r = 0; r < study->panel[p].rows; r++)
			for (size_t m = 0; m < study->metrics; m++) {
				const struct study_cell *cell = &study->panel[p].row[r].cell[m];
				json_object(&json, NULL, datum_text("panel", study->panel[p].name),
					datum_text("policy", study->panel[p].row[r].label),
					datum_text("metric", study->metric[m].name),
					datum_micro("value", cell->has ? cell->micro : SL_NONE),
					datum_flag("best", cell->best));
			}
	return json_finish(&json, SL_OK, err);
}

static int study_dry(const struct study *study, struct sl_err *err)
{
	struct dry_run dry;
	size_t runs = 0;
	for (size_t p = 0; p < study->panels; p++)
		runs += study->panel[p].policies;
	dry_begin(&dry, study->args);
	dry_read(&dry, study->sweep.spec_name);
	dry_count(&dry, "panels", "panels", study->panels);
	dry_count(&dry, "runs", "runs of a seed", runs);
	dry_write(&dry, arg(study->args, "output"));
	return dry_end(&dry, err);
}

static int study_command(const struct args *args, struct sl_err *err)
{
	struct study study = { .args = args, .arena = args->arena };
	struct sweep *sweep = &study.sweep;
	struct stat is;
	*sweep = (struct sweep){ .args = args, .arena = args->arena, .registry = args->registry };
	if (!arg(args, "output"))
		return sl_fail(err, SL_USAGE, "study: where to? give -o DIR");
	if (stat(args->word[0], &is) == 0 && S_ISDIR(is.st_mode))
		return sl_fail(err, SL_USAGE, "'%s' is a folder: give a study's file, see schedlab-sweep(5)",
			args->word[0]);
	int status = sweep_find(sweep, args->word[0], err);
	if (!status)
		status = sweep_spec_read(&sweep->spec, sweep->spec_name, args->arena, err);
	if (!status)
		status = metrics_take(&study, err);
	if (!status)
		status = folder_check(&study, sweep->dir, err);
	/* What a spec names is looked for from its own folder. */
	if (!status && chdir(sweep->folder) != 0)
		status = sl_fail_sys(err, SL_INPUT, "go to", sweep->folder);
	if (!status)
		status = sweep_trusted(sweep, err);
	if (!status)
		status = sweep_policies_check(sweep, err);
	if (!status)
		status = study_panels(&study, err);
	if (status || arg_flag(args, "dry-run"))
		return status ? status : study_dry(&study, err);
	status = study_make(&study, sweep->dir, err);
	if (status)
		return status;
	if (arg_flag(args, "json"))
		return study_json(&study, err);
	study_show(&study);
	return SL_OK;
}

const struct command cmd_study = {
	.name = "study",
	.usage = "study SPEC -o DIR [options]",
	.summary = "a paper's evaluation: tables, figures and pages of traces, clusters and policies",
	.detail =
		"SPEC is a sweep's file, see schedlab-sweep(5), with a purpose. DIR has table.csv, table.md and table.tex of\n"
		"policies by traces, what of the traces was left out, figures as SVG and PDF at the width of a column, a page\n"
		"of each trace's runs, and all of it with its inputs as bundle.tar.zst. Bold is what a test at 5 % tells from\n"
		"each other policy.\n"
		"\n"
		"examples:\n"
		"  schedlab study paper.yaml -o paper\n"
		"  schedlab study paper/study.json -o again\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = study_command,
};
