/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_check.c - schedlab check: are the results still those of a baseline.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/check.h"
#include "sim/cli/lab.h"

static const struct option_def options[] = {
	{ "update", 0, NULL, false,
		"write what is found now into the baseline: values and digests, nothing else" },
	{ "force", 0, NULL, false,
		"with --update: even where the environment says CI=true; with --init: replace FILE" },
	{ "case", 0, "ID", true, "only this case" },
	{ "threads", 'j', "N", false, "runs at a time; default: as many as there are processors" },
	{ "twice", 0, NULL, false, "make each run twice: exit 5 where the two differ" },
	{ "fail-on-improvement", 0, NULL, false, "what got better fails too, so that the baseline follows" },
	{ "no-decisions", 0, NULL, false, "with --update: keep no record of decisions beside the baseline" },
	{ "junit", 0, "FILE", false, "write JUnit's XML" },
	{ "tap", 0, "FILE", false, "write TAP 13" },
	{ "markdown", 0, "FILE", false, "write a table as Markdown, at most 1 MiB: > $GITHUB_STEP_SUMMARY" },
	{ "github", 0, NULL, false, "print annotations for GitHub's workflows too" },
	{ OPTION_JSON },
	{ "init", 0, NULL, false, "begin a baseline: a case for each -p, with all metrics of a summary" },
	{ "output", 'o', "FILE", false, "with --init: the baseline" },
	{ OPTION_CLUSTER_ONE },
	{ OPTION_POLICY },
	{ OPTION_SET },
	{ OPTION_MODEL },
	{ OPTION_SEED },
	{ OPTION_FROM },
	{ OPTION_TO },
	{ OPTION_TZ },
	{ OPTION_JOBS },
	{ "student", 0, "ANSWERS", false, "of a lab: check these answers" },
	{ "student-id", 0, "ID", false, "of a lab: whose; with --secret it decides the seed" },
	{ "secret", 0, "FILE", false, "of a lab: what students do not know" },
	{ "handout", 0, "DIR", false, "of a lab: make a student's copy, without the key" },
	{ "grade", 0, "FOLDER", false, "of a lab: mark every STUDENT.yaml or .json there, as CSV (-o)" },
	{ "key", 0, NULL, false, "of a lab: print what is right" },
	{ OPTION_PLUGIN },
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

static int tell(const struct check *check, struct sl_err *err)
{
	int status = write_file(check, "junit", check_junit, err);
	if (!status)
		status = write_file(check, "tap", check_tap, err);
	if (!status)
		status = write_file(check, "markdown", check_markdown, err);
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
	return SL_OK;
}

static int prepare(struct check *check, const struct args *args, struct sl_err *err)
{
	uint64_t threads;
	const bool init = arg_flag(args, "init");
	int status = arg_u64(args, "threads", 0, 1, 4096, &threads, err);
	if (status)
		return status;
	check->threads = (unsigned)threads;
	check->twice = arg_flag(args, "twice");
	check->update = init || arg_flag(args, "update");
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
	return status ? status : check_record_read(check, err);
}

static int run(const struct args *args, struct sl_err *err)
{
	struct check check = { .args = args, .arena = args->arena, .home = -1 };
	if (lab_asked(args))
		return check_lab(args, err);
	int status = check_options(args, err);
	if (!status)
		status = prepare(&check, args, err);
	if (!status)
		status = check_runs(&check, err);
	if (!status)
		status = check_judge(&check, err);
	if (!status && check.update)
		status = check_update(&check, err);
	if (!status)
		status = tell(&check, err);
	if (!status)
		status = check_outcome(&check);
	free(check.told);
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
	.run = run,
};
