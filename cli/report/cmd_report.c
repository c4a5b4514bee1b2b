/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_report.c - schedlab report: a run, or several side by side, as a page or another document.
 *
 * The runs are rerun from what their directories say, with more recorded, one after another: a document
 * copies from each what it needs before its memory is freed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/compare/compare.h"
#include "cli/run/dry_run.h"
#include "cli/run/outdir.h"
#include "cli/run/run_find.h"
#include "cli/run/run_rerun.h"

static const struct option_def options[] = {
	{ "output", 'o', "FILE", false,
		"write it there ('-': stdout); default: into DIR, if there is one, under the document's own name" },
	{ "format", 0, "NAME", false, "which document; default: html" },
	{ "chart", 0, "NAME", false, "of a document that is a picture: which" },
	{ "width", 0, "N", false, "of a picture, in pixels" },
	{ "height", 0, "N", false, "of a picture, in pixels" },
	{ "max-jobs", 0, "N", false,
		"tell so many jobs one by one, the longest waiting, over all runs; default 1000000" },
	{ "title", 0, "TEXT", false, "its title" },
	{ "force", 0, NULL, false, "replace FILE whatever it is" },
	{ OPTION_DRY_RUN },
	{ OPTION_JSON },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
};

/* A run that is reported. */
struct entry {
	const char *path;
	const char *folder; /* As the document calls it. */
	bool alike; /* Another is of the same policy, trace and cluster: their folders distinguish them. */
	struct rerun rerun;
};

struct report {
	const struct args *args;
	struct entry *entry;
	size_t count, capacity;
	const char *home; /* The one directory that it is about, if it is one; else NULL. */
	const struct sl_document *document;
	void *self;
	struct sl_document_options options;
	struct differences *differences;
	bool clusters;      /* They differ. */
	bool traces;        /* These do. */
	const char *trace;  /* Of the first. */
	const char **label; /* By entry; in the command's arena. */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* ---- Which runs ------------------------------------------------------------------------------------- */

static const char *joined(struct sl_arena *arena, const char *folder, const char *name)
{
	size_t length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;
	return text_made(arena, "%.*s/%s", (int)length, folder, name);
}

static bool is_file(const char *path)
{
	struct stat info;
	return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int entry_add(struct report *all, const char *path, const char *folder, struct sl_err *err)
{
	if (SL_GROW_IN(all->args->arena, all->entry, all->capacity, all->count + 1, err))
		return SL_SYSTEM;
	if (!path || !folder)
		return sl_fail_memory(err);
	all->entry[all->count++] = (struct entry){ .path = path, .folder = folder };
	return SL_OK;
}

/* The runs of a comparison, in order. only: it is all that the document is about. */
static int add_comparison(
	struct report *all, const char *dir, const char *record, bool only, struct sl_err *err)
{
	struct sl_doc doc;
	int status = json_read(record, &doc, err);
	const size_t before = all->count;
	SL_DOC_EACH (item, &doc, status ? NULL : sl_doc_member(&doc, doc.node, "runs")) {
		struct sl_arena *arena = all->args->arena;
		const char *run = sl_doc_string(&doc, item);
		if (!run || strchr(run, '/') || run[0] == '.') {
			status = sl_fail(err, SL_INPUT,
				"%s: 'runs' is not what a comparison writes: write it anew", record);
			break;
		}
		const char *path = joined(arena, dir, run);
		const char *name = sl_strdup(arena, run, strlen(run));
		status = entry_add(all, path, only ? name : path, err);
		if (status)
			break;
	}
	sl_doc_release(&doc);
	if (!status && all->count == before)
		status = sl_fail(err, SL_INPUT, "%s: names no runs: write it anew", record);
	return status;
}

static int add_word(struct report *all, const char *word, bool only, struct sl_err *err)
{
	struct sl_arena *arena = all->args->arena;
	struct stat info;
	if (stat(word, &info) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", word);
	if (!S_ISDIR(info.st_mode))
		return sl_fail(err, SL_USAGE,
			"'%s' is not a directory of a run: make one with 'schedlab compare %s -o DIR', whose page is "
			"DIR/report.html, or with 'schedlab run %s -o DIR', and then 'schedlab report DIR'",
			word, word, word);
	const char *run = joined(arena, word, "run.json");
	const char *comparison = joined(arena, word, "compare.json");
	if (!run || !comparison)
		return sl_fail_memory(err);
	if (is_file(run))
		return entry_add(all, word, only ? "." : word, err);
	if (is_file(comparison))
		return add_comparison(all, word, comparison, only, err);
	return sl_fail(err, SL_INPUT,
		"'%s' holds neither run.json nor compare.json: give a directory that 'schedlab run -o' or "
		"'schedlab compare -o' wrote",
		word);
}

static const char *text_or_none(const char *text) { return text ? text : ""; }

static const char *trace_of(const struct entry *entry)
{
	return entry->rerun.snapshot.input_count ? text_or_none(entry->rerun.snapshot.input[0].path) : "";
}

/* Does nothing but their folders distinguish the two? */
static bool is_alike(const struct entry *a, const struct entry *b)
{
	const struct snapshot *x = &a->rerun.snapshot;
	const struct snapshot *y = &b->rerun.snapshot;
	return strcmp(x->interval[x->interval_count - 1].policy, y->interval[y->interval_count - 1].policy) ==
		       0 &&
	       strcmp(text_or_none(x->cluster.path), text_or_none(y->cluster.path)) == 0 &&
	       strcmp(base_name(trace_of(a)), base_name(trace_of(b))) == 0;
}

static int compare_all(struct report *all, struct sl_err *err)
{
	const struct entry *first = all->entry;
	for (size_t i = 0; i < all->count; i++) {
		struct entry *entry = &all->entry[i];
		all->clusters =
			all->clusters || strcmp(text_or_none(entry->rerun.snapshot.cluster.path),
						 text_or_none(first->rerun.snapshot.cluster.path)) != 0;
		all->traces = all->traces || strcmp(trace_of(entry), trace_of(first)) != 0;
		for (size_t k = 0; k < i; k++) {
			struct entry *other = &all->entry[k];
			if (strcmp(entry->path, other->path) == 0)
				return sl_fail(
					err, SL_USAGE, "'%s' is given twice: once is enough", entry->path);
			if (is_alike(entry, other))
				entry->alike = other->alike = true;
		}
	}
	return SL_OK;
}

/* Reads what each was made from. */
static int open_all(struct report *all, struct sl_err *err)
{
	const struct args *args = all->args;
	int status = run_find_words(args, true, err);
	for (size_t i = 0; i < args->word_count && !status; i++)
		status = add_word(all, args->word[i], args->word_count == 1, err);
	if (args->word_count == 1)
		all->home = args->word[0];
	for (size_t i = 0; i < all->count && !status; i++) {
		struct entry *entry = &all->entry[i];
		status = rerun_open(&entry->rerun, entry->path, args->registry, err);
	}
	if (!status)
		status = compare_all(all, err);
	return status;
}

/* ---- Which document --------------------------------------------------------------------------------- */

static const char *chart_at(const void *list, size_t i)
{
	const char *const *charts = list;
	return charts[i];
}

/* "html, svg or latex" */
static const char *names_text(char text[400], const char *(*at)(const void *list, size_t i), const void *list)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; at(list, i) && used < 400; i++)
		used += (size_t)snprintf(text + used, 400 - used, "%s%s",
			!i                ? ""
			: at(list, i + 1) ? ", "
					  : " and ",
			at(list, i));
	return text;
}

static int choose_chart(struct report *all, const char *chart, struct sl_err *err)
{
	const struct sl_document *document = all->document;
	char similar[128];
	char names[400];
	if (!document->charts)
		return sl_fail(err, SL_USAGE, "'--chart' is about a picture, which '%s' is not: leave it out",
			document->name);
	for (size_t i = 0; document->charts[i]; i++)
		if (strcmp(document->charts[i], chart) == 0) {
			all->options.chart = chart;
			return SL_OK;
		}
	return sl_fail(err, SL_USAGE, "unknown chart '%s': %sthere are %s", chart,
		did_you_mean(similar, nearest(chart, chart_at, document->charts)),
		names_text(names, chart_at, document->charts));
}

static int choose_document(struct report *all, struct sl_err *err)
{
	const struct args *args = all->args;
	const char *name = arg(args, "format") ? arg(args, "format") : "html";
	char similar[128];
	char names[400];
	uint64_t width;
	uint64_t height;
	const struct sl_document *const *known = args->registry->known.documents;
	all->document = sl_by_name(known, name);
	if (!all->document)
		return sl_fail(err, SL_USAGE, "unknown format '%s': %sthere are %s", name,
			did_you_mean(similar, sl_nearest_name(name, known)),
			names_text(names, registry_name_at, known));
	if (!all->document->charts && (arg(args, "width") || arg(args, "height")))
		return sl_fail(err, SL_USAGE, "'--%s' is about a picture, which '%s' is not: leave it out",
			arg(args, "width") ? "width" : "height", name);
	int status = arg(args, "chart") ? choose_chart(all, arg(args, "chart"), err) : SL_OK;
	if (!status)
		status = arg_u64(args, "width", 0, 100, 20000, &width, err);
	if (!status)
		status = arg_u64(args, "height", 0, 100, 20000, &height, err);
	if (!status)
		status =
			arg_u64(args, "max-jobs", REPORTING_JOBS, 0, UINT32_MAX, &all->options.jobs_max, err);
	if (status)
		return status;
	all->options.width = (uint32_t)width;
	all->options.height = (uint32_t)height;
	all->options.runs = (uint32_t)all->count;
	return all->document->open(&all->self, &all->options, err);
}

/* ---- Where to ------------------------------------------------------------------------------------------ */

static int choose_path(struct report *all, const char **path, struct sl_err *err)
{
	const struct args *args = all->args;
	struct stat info;
	*path = arg(args, "output");
	if (!*path)
		*path = all->home ? joined(args->arena, all->home, all->document->file) : all->document->file;
	if (!*path)
		return sl_fail_memory(err);
	if (strcmp(*path, "-") == 0 && all->document->binary && isatty(STDOUT_FILENO))
		return sl_fail(err, SL_USAGE,
			"'%s' is not text, and stdout is a terminal: name a file (-o %s), or send it to one",
			all->document->name, all->document->file);
	if (strcmp(*path, "-") == 0 || stat(*path, &info) != 0 || arg_flag(args, "force"))
		return SL_OK;
	if (S_ISDIR(info.st_mode))
		return sl_fail(err, SL_USAGE, "'%s' is a directory: name a file, such as '%s/%s'", *path,
			*path, all->document->file);
	if (!document_is_ours(*path))
		return sl_fail(err, SL_USAGE,
			"'%s' is there and was not written by schedlab: name another file, or give --force",
			*path);
	return SL_OK;
}

/* ---- The runs, one after another -------------------------------------------------------------------------
 */

/* The run as documents have it. */
static struct run cmd_report_run_of(const struct entry *entry, const struct sim_run *sim)
{
	struct run run = { .scenario = &entry->rerun.scenario, .options = entry->rerun.recipe, .sim = *sim };
	run.options.history_count--; /* Behind those that ended in a handover stands the present policy. */
	run.choice = *run.options.history[run.options.history_count].choice;
	return run;
}

static int make_run(struct report *all, struct entry *entry, struct sim_run *sim, struct sl_err *err)
{
	struct run metric_info = { .scenario = &entry->rerun.scenario };
	struct progress_bar *bar = progress_start(&metric_info, 1, all->args);
	entry->rerun.progress = metric_info.options.progress;
	const unsigned packed = all->args->registry->plugin_count ? 0U : SIM_RECORD_PACKED;
	const int status = rerun_run(&entry->rerun, sim, REPORTING_RECORD | packed, err);
	progress_stop(bar);
	entry->rerun.progress = NULL;
	return status;
}

/* "t1.csv: easy on small.yaml (out/2)": of its trace where they differ, its folder where nothing else does.
 */
static const char *label_of(const struct report *all, const struct entry *entry, const struct run *run)
{
	const char *cluster = entry->rerun.snapshot.cluster.path;
	struct sl_arena *arena = all->args->arena;
	const char *label = reporting_label(run, all->clusters && cluster ? cluster : NULL, arena);
	const char *trace = all->traces ? base_name(trace_of(entry)) : "";
	const char *folder = entry->alike ? entry->path : "";
	if (!label || (!*trace && !*folder))
		return label;
	return text_made(arena, "%s%s%s%s%s%s", trace, *trace ? ": " : "", label, *folder ? " (" : "", folder,
		*folder ? ")" : "");
}

static int cmd_report_report(struct report *all, size_t index, const struct run *run, struct sl_err *err)
{
	struct entry *entry = &all->entry[index];
	struct sl_arena *arena = entry->rerun.arena;
	struct sl_metrics metrics;
	struct sl_document_run reported;
	metrics_init(&metrics, arena, all->args->registry);
	const char *label = label_of(all, entry, run);
	all->label[index] = label;
	if (!index)
		all->trace = sl_strdup(
			all->args->arena, run->scenario->input.path, strlen(run->scenario->input.path));
	int status = label ? metrics_compute(&metrics, &run->sim.result, err) : sl_fail_memory(err);
	if (!status && all->count > 1)
		status = differences_take(all->differences, index, &run->sim.result, &metrics, err);
	if (!status)
		status = reporting_make(&reported, run, &metrics, label, entry->folder, arena, err);
	if (!status)
		status = all->document->add(all->self, &reported, err);
	metrics_release(&metrics);
	return status;
}

static int report_all(struct report *all, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < all->count && !status; i++) {
		struct entry *entry = &all->entry[i];
		struct sim_run sim = { 0 };
		status = rerun_load(&entry->rerun, err);
		if (!status)
			status = make_run(all, entry, &sim, err);
		if (!status) {
			const struct run run = cmd_report_run_of(entry, &sim);
			status = cmd_report_report(all, i, &run, err);
		}
		sim_release(&sim);
		rerun_close(&entry->rerun);
	}
	return status;
}

static int write_all(struct report *all, const char *path, struct sl_err *err)
{
	struct sl_compared compared = { 0 };
	struct sl_out *out;
	if (all->count > 1 && differences_finish(all->differences, err))
		return err->status;
	if (all->count > 1)
		compared = differences_reported(all->differences);
	compared.title = arg(all->args, "title");
	compared.metric_info =
		all->count > 1 ? differences_metric_info(all->differences, &compared.metric_info_count)
			       : reporting_metric_info(&compared.metric_info_count);
	if (!compared.metric_info)
		return sl_fail_memory(err);
	if (!compared.title && all->trace)
		compared.title = reporting_title(
			all->traces ? NULL : all->trace, all->label, all->count, all->args->arena);
	if (!compared.title)
		return sl_fail_memory(err);
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	status = all->document->write(all->self, &compared, out, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

/* Samples are those of the comparison that the runs are of. */
static int differences_begin(struct report *all, struct sl_err *err)
{
	const struct args *args = all->args;
	const char **path = sl_alloc(args->arena, all->count, sizeof(*path));
	all->differences = differences_new(args->arena);
	all->label = sl_alloc(args->arena, all->count, sizeof(*all->label));
	if (!path || !all->differences || !all->label)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->count; i++)
		path[i] = all->entry[i].path;
	return samples_follow(all->differences, path, all->count, args->arena, err);
}

static int report_dry(const struct report *all, const char *path, struct sl_err *err)
{
	struct dry_run dry;
	const int status = dry_file_check(path, err);
	if (status)
		return status;
	dry_begin(&dry, all->args);
	for (size_t i = 0; i < all->count; i++) {
		dry_read(&dry, all->entry[i].path);
		dry_read(&dry, trace_of(&all->entry[i]));
		dry_read(&dry, all->entry[i].rerun.snapshot.cluster.path);
	}
	dry_word(&dry, "document", "document", all->document->name);
	dry_write(&dry, path);
	return dry_end(&dry, err);
}

static int report_json(const struct report *all, const char *path, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_put(&json, datum_text("document", all->document->name));
	json_nest(&json, "runs", '[', NULL);
	for (size_t i = 0; i < all->count; i++) {
		json_object(&json, NULL, datum_text("run", all->entry[i].path),
			datum_text("label", all->label[i]));
	}
	json_close(&json);
	return json_finish(&json, json_file(&json, path, err), err);
}

static int run_report(const struct args *args, struct sl_err *err)
{
	struct report all = { .args = args };
	const char *path = NULL;
	int status = open_all(&all, err);
	if (!status)
		status = choose_document(&all, err);
	if (!status)
		status = choose_path(&all, &path, err);
	if (!status)
		status = json_apart(args, path, err);
	const bool dry = arg_flag(args, "dry-run");
	if (!status && dry)
		status = report_dry(&all, path, err);
	if (!status && !dry)
		status = differences_begin(&all, err);
	if (!status && !dry)
		status = report_all(&all, err);
	if (!status && !dry)
		status = write_all(&all, path, err);
	if (!status && !dry && arg_flag(args, "json"))
		status = report_json(&all, path, err);
	if (!status && !dry && strcmp(path, "-") != 0 && log_shows(LOG_INFO))
		log_line(LOG_INFO, "the report: %s", path);
	differences_free(all.differences);
	if (all.self)
		all.document->close(all.self);
	for (size_t i = 0; i < all.count; i++)
		rerun_close(&all.entry[i].rerun);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "report DIR... [options]",
	.summary = "a run, or several side by side, as a page or another document",
	.detail =
		"DIR is what 'schedlab run -o' or 'schedlab compare -o' wrote; the files that its runs were made\n"
		"from must still be there: the runs are made again, and compared with what they were.\n"
		"The page is one file for a browser, with all that it needs in it; no network.\n"
		"\n"
		"examples:\n"
		"  schedlab report out\n"
		"  schedlab report out/1-easy out/2-fcfs -o side-by-side.html\n"
		"  schedlab report out --max-jobs 20000 --title 'January, twice'\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1000,
	.run = run_report,
};
