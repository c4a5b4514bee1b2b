/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_check.c - schedlab check: are the results still those of a baseline.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/check/check_impact.h"
#include "cli/check/lab.h"

static const struct option_def options[] = {
	{ "update", 0, NULL, false,
		"write what is found now into the baseline: values and digests, nothing else" },
	{ "force", 0, NULL, false,
		"with --update: even where the environment says CI=true; with --init: replace FILE" },
	{ "against", 0, "CLUSTER", false,
		"another configuration in place of the baseline's: the same trace, the same tolerances, who gains and loses" },
	{ "git", 0, "REV", false, "the configuration as git has it there is what now is held against" },
	{ "accept", 0, "METRIC", true,
		"with --update, --against, --git: this metric (or decisions, jobs) may be beyond its tolerance" },
	{ "case", 0, "ID", true, "only this case" },
	{ OPTION_THREADS },
	{ "twice", 0, NULL, false, "make each run twice: exit 5 where the two differ" },
	{ "fail-on-improvement", 0, NULL, false, "what got better fails too, so that the baseline follows" },
	{ "no-decisions", 0, NULL, false, "with --update: keep no record of decisions beside the baseline" },
	{ "junit", 0, "FILE", false, "write JUnit's XML" },
	{ "tap", 0, "FILE", false, "write TAP 13" },
	{ "markdown", 0, "FILE", false, "write a table as Markdown, at most 1 MiB: > $GITHUB_STEP_SUMMARY" },
	{ "github", 0, NULL, false, "print annotations for GitHub's workflows too" },
	{ "github-summary", 0, NULL, false, "add the table to the job's summary, $GITHUB_STEP_SUMMARY" },
	{ OPTION_JSON },
	{ "init", 0, NULL, false, "begin a baseline: a case for each -p, with all metrics of a summary" },
	{ "output", 'o', "FILE", false, "with --init: the baseline" },
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY },
	{ OPTION_SET },
	{ OPTION_MODEL },
	{ OPTION_SEED },
	OPTIONS_OF_TRACE,
	{ "student", 0, "ANSWERS", false, "of a lab: check these answers" },
	{ "student-id", 0, "ID", false, "of a lab: whose; with --secret it decides the seed" },
	{ "secret", 0, "FILE", false, "of a lab: what students do not know" },
	{ "handout", 0, "DIR", false, "of a lab: make a student's copy, without the key" },
	{ "grade", 0, "FOLDER", false, "of a lab: mark every STUDENT.yaml or .json there, as CSV (-o)" },
	{ "key", 0, NULL, false, "of a lab: print what is right" },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
};

/* A name that does not end where the program was called stays the same file from another folder. */
static int write_file(const struct check *check, const char *option,
	void (*write)(const struct check *check, struct sl_out *out), struct sl_err *err)
{
	struct sl_out *out;
	const char *path = arg(check->args, option);
	if (!path)
		return SL_OK;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	write(check, out);
	return sl_out_commit(out, err);
}

static int cmd_check_append(const char *path, const char *text, size_t len, struct sl_err *err)
{
	FILE *file = fopen(path, "abe");
	if (!file)
		return sl_fail_sys(err, SL_SYSTEM, "write", path);
	const bool good = fwrite(text, 1, len, file) == len;
	return fclose(file) || !good ? sl_fail_sys(err, SL_SYSTEM, "write", path) : SL_OK;
}

/* The table into a file of its own, and from there behind what other steps of the job wrote. */
static int copy_summary(const struct check *check, const char *own, const char *path, struct sl_err *err)
{
	struct sl_out *out;
	size_t len;
	int status = sl_out_open(&out, own, err);
	if (status)
		return status;
	check_markdown(check, out);
	status = sl_out_commit(out, err);
	const char *text = status ? NULL : text_of_file(own, &len, check->arena, err);
	return text ? cmd_check_append(path, text, len, err) : err->status;
}

static int add_summary(const struct check *check, struct sl_err *err)
{
	char own[4096];
	const char *path = getenv("GITHUB_STEP_SUMMARY"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	if (!path || !*path)
		return sl_fail(err, SL_USAGE,
			"--github-summary: GITHUB_STEP_SUMMARY names no file: it is set within GitHub's jobs");
	int status = scratch_make(own, sizeof(own) - 16, err);
	if (status)
		return status;
	const size_t len = strlen(own);
	(void)stpcpy(own + len, "/summary.md");
	status = copy_summary(check, own, path, err);
	own[len] = '\0';
	(void)remove_tree(own);
	return status;
}

static int cmd_check_report(const struct check *check, struct sl_err *err)
{
	int status = write_file(check, "junit", check_junit, err);
	if (!status)
		status = write_file(check, "tap", check_tap, err);
	if (!status)
		status = write_file(check, "markdown", check_markdown, err);
	if (!status && arg_flag(check->args, "github-summary"))
		status = add_summary(check, err);
	if (status)
		return status;
	if (arg_flag(check->args, "json")) {
		struct sl_out *out;
		status = sl_out_open(&out, NULL, err);
		if (status)
			return status;
		check_json(check, out);
		return sl_out_commit(out, err);
	}
	check_print(check, stdout);
	if (arg_flag(check->args, "github"))
		check_github(check, stdout);
	return SL_OK;
}

/* Whatever the environment calls true. */
static bool is_ci(void)
{
	const char *ci = getenv("CI"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	return ci && *ci && strcmp(ci, "false") != 0 && strcmp(ci, "0") != 0;
}

static int accept_options(const struct args *args, struct sl_err *err)
{
	const bool against = arg(args, "against") || arg(args, "git");
	const bool update = arg_flag(args, "update");
	if (against && (update || arg_flag(args, "init")))
		return sl_fail(err, SL_USAGE,
			"--against and --git compare two configurations, and write nothing: leave out --update and --init");
	if (arg(args, "accept") && !update && !against)
		return sl_fail(
			err, SL_USAGE, "--accept names what --update, --against or --git may let pass");
	if (arg(args, "git") && strcmp(args->word[0], "-") == 0)
		return sl_fail(err, SL_USAGE, "--git looks beside the baseline's file: give one, not '-'");
	return SL_OK;
}

static int check_options(const struct args *args, struct sl_err *err)
{
	static const char *const of_init[] = { "output", "cluster", "policy", "set", "model", "seed", "from",
		"to", "tz", "jobs" };
	const bool init = arg_flag(args, "init");
	const bool update = arg_flag(args, "update");
	for (size_t i = 0; i < SL_LEN(of_init) && !init; i++)
		if (arg(args, of_init[i]))
			return sl_fail(err, SL_USAGE,
				"option '--%s' is for --init: what an existing baseline runs is said in it",
				of_init[i]);
	if (init && (update || arg(args, "case")))
		return sl_fail(err, SL_USAGE, "--init begins a baseline: leave out --update and --case");
	if (update && is_ci() && !arg_flag(args, "force"))
		return sl_fail(err, SL_USAGE,
			"the environment says CI=true, where nobody reviews what a baseline becomes: update it at home, or add --force");
	if (strcmp(args->word[0], "-") == 0 && update)
		return sl_fail(err, SL_USAGE, "there is no file to update: give one, not '-'");
	return accept_options(args, err);
}

static const char *accepted_at(const void *list, size_t i)
{
	const struct baseline *baseline = list;
	static const char *const other[] = { "decisions", "jobs" };
	if (i < SL_LEN(other))
		return other[i];
	i -= SL_LEN(other);
	for (size_t k = 0; k < baseline->count; i -= baseline->item[k++].metric_count)
		if (i < baseline->item[k].metric_count)
			return baseline->item[k].metric[i].name;
	return NULL;
}

/* A name that nothing has would let nothing pass, and nobody would know. */
static int check_accepts(const struct check *check, struct sl_err *err)
{
	const char *name;
	for (size_t i = 0; (name = arg_at(check->args, "accept", i)); i++) {
		char similar[128];
		const char *known;
		size_t at = 0;
		while ((known = accepted_at(&check->baseline, at)) && strcmp(known, name) != 0)
			at++;
		if (!known)
			return sl_fail(err, SL_USAGE,
				"--accept: no case has a metric '%.80s': %sname one as it stands there", name,
				did_you_mean(similar, nearest(name, accepted_at, &check->baseline)));
	}
	return SL_OK;
}

static int cmd_check_prepare(struct check *check, const struct args *args, struct sl_err *err)
{
	uint64_t threads;
	const bool init = arg_flag(args, "init");
	int status = arg_u64(args, "threads", 0, 1, 4096, &threads, err);
	if (status)
		return status;
	check->threads = (unsigned)threads;
	check->twice = arg_flag(args, "twice");
	check->update = init || arg_flag(args, "update");
	check->against = arg(args, "against") || arg(args, "git");
	check->quiet = !log_shows(LOG_INFO);
	check->keep_decisions = check->update && !arg_flag(args, "no-decisions");
	check->on_improvement = arg_flag(args, "fail-on-improvement");
	check->home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (check->home < 0)
		return sl_fail_sys(err, SL_SYSTEM, "open", ".");
	status = init ? check_init(check, err)
		      : baseline_read(&check->baseline, args->word[0], args->arena, err);
	if (!status && check->update && check->baseline.packed)
		return sl_fail(err, SL_USAGE, "'%s' is packed: unpack it, so that it can be updated",
			check->baseline.file);
	if (!status)
		status = check_accepts(check, err);
	if (!status)
		status = check_record_read(check, err);
	return status || !check->against ? status : check_against_begin(check, err);
}

static int runs(struct check *check, struct sl_err *err)
{
	int status = check_runs(check, err);
	if (!status && check->against)
		status = check_against_adopt(check, err);
	if (!status && check->against)
		status = check_runs(check, err);
	return status || !check->against ? status : check_impact_find(check, err);
}

static int cmd_check_run(const struct args *args, struct sl_err *err)
{
	struct check check = { .args = args, .arena = args->arena, .home = -1 };
	if (lab_asked(args))
		return check_lab(args, err);
	int status = check_options(args, err);
	if (!status)
		status = cmd_check_prepare(&check, args, err);
	if (!status)
		status = runs(&check, err);
	if (!status)
		status = check_judge(&check, err);
	if (!status && check.update)
		status = check_update(&check, err);
	if (!status)
		status = cmd_check_report(&check, err);
	if (!status)
		status = check_outcome(&check);
	check_against_end(&check);
	free(check.reported);
	if (check.home >= 0)
		(void)close(check.home);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.usage =
		"check BASELINE.json [options] | check --init TRACE -p POLICY ... -o BASELINE.json | check LAB --student ANSWERS",
	.summary = "are the results still those of a baseline",
	.detail =
		"Runs the cases of a baseline again, see schedlab-baseline(5), and compares: digests of all\n"
		"decisions, and metrics with their tolerances. Exit 0: all is well; 1: something moved too\n"
		"far; 4: the inputs are not what they were; 5: a run made twice gave two results.\n"
		"\n"
		"examples:\n"
		"  schedlab check --init log.swf -p easy -p conservative -o baseline.json\n"
		"  schedlab check baseline.json\n"
		"  schedlab check baseline.json --junit report.xml --github --markdown summary.md\n"
		"  schedlab check baseline.json --update && git diff baseline.json\n"
		"  schedlab check docs/labs/02-backfill --student answers.yaml\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = cmd_check_run,
};
