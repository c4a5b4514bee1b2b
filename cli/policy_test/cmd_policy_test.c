/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_policy_test.c - schedlab policy-test: what must hold of any policy, tried on small scenarios that are
 * drawn and on the bundled workload.
 *
 * Each check runs in a process of its own, so that a policy that crashes or never returns is a failed check
 * like others. The scenarios are files, which `schedlab run` takes as they are.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "cli/base/render.h"
#include "cli/policy_test/policy_checks.h"
#include "cli/policy_test/random_scenario.h"
#include "sim/lib/builtin.h"

/* What a check's process leaves for us, in memory that both see. */
struct report {
	size_t trial; /* The one that it is at. */
	bool failed, over;
	char complaint[COMPLAINT_SIZE];
};

struct policy_test {
	const struct args *args;
	struct testing testing;
	struct policy_choice choice;
	struct registry plain; /* Without the line's plug-ins: scenarios are read by it. */
	const char *text;      /* Of the policy. */
	const char *folder;    /* Where the files are. */
	bool kept;             /* -o: they stay. */
	struct trial *trial;
	size_t trial_count;
	struct report *report;
	uint64_t timeout;
	bool known; /* The line's settings were found to be somebody's. */
	unsigned passed, failed, warned;
	struct json json; /* With --json. */
};

/* ---- The folder ------------------------------------------------------------------------ */

static const char *path_of(const struct policy_test *test, const char *name, const char *ending)
{
	return text_made(test->args->arena, "%s/%s%s", test->folder, name, ending);
}

static bool is_empty(const char *path)
{
	DIR *folder = opendir(path);
	size_t entries = 0;
	while (folder && readdir(folder)) /* NOLINT(concurrency-mt-unsafe): a stream of our own. */
		entries++;
	if (folder)
		(void)closedir(folder);
	return entries <= 2; /* . and .. */
}

static int folder_make(struct policy_test *test, struct sl_err *err)
{
	const char *output = arg(test->args, "output");
	if (output) {
		test->folder = output;
		test->kept = true;
		if (mkdir(output, 0777) == 0)
			return SL_OK;
		if (errno != EEXIST)
			return sl_fail_sys(err, SL_SYSTEM, "make", output);
		if (!is_empty(output))
			return sl_fail(
				err, SL_USAGE, "'%s' holds something already: give a new directory", output);
		return SL_OK;
	}
	const char *place = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	static const char name[] = "schedlab-XXXXXX";
	char *folder = text_made(test->args->arena, "%s/%s", place ? place : "/tmp", name);
	if (!folder)
		return sl_fail_memory(err);
	if (!mkdtemp(folder))
		return sl_fail_sys(err, SL_SYSTEM, "make", folder);
	test->folder = folder;
	return SL_OK;
}

/* ---- Trials ------------------------------------------------------------------------------ */

static int setting_put(struct settings *settings, const char *key, const char *value, struct sl_err *err)
{
	char text[4400];
	const int len = snprintf(text, sizeof(text), "%s=%s", key, value);
	if (len < 0 || (size_t)len >= sizeof(text))
		return sl_fail(err, SL_USAGE, "the path '%.100s...' is too long: give a shorter one", value);
	return settings_add(settings, text, err);
}

/* The line's settings, and then the scenario's own. */
static int settings_of(struct settings *settings, const struct policy_test *test, const char *overrun,
	const char *cancels, struct sl_err *err)
{
	*settings = (struct settings){ .arena = test->args->arena };
	int status = overrun ? setting_put(settings, "replay.overrun", overrun, err) : SL_OK;
	if (!status && cancels)
		status = setting_put(settings, "replay.cancels", cancels, err);
	const char *set;
	for (size_t i = 0; !status && (set = arg_at(test->args, "set", i)); i++)
		status = settings_add(settings, set, err);
	for (size_t i = 0; !status && (set = arg_at(test->args, "model", i)); i++)
		status = settings_add_model(settings, set, err);
	return status;
}

/* Each of the line's settings must be the policy's, or have been consumed by the scenario. */
static int settings_known(struct policy_test *test, struct settings *settings, struct sl_err *err)
{
	if (test->known)
		return SL_OK;
	test->known = true;
	struct policy_choice choice;
	const int status =
		policy_choose(test->args->registry, &choice, test->text, settings, test->args->arena, err);
	return status ? status : settings_check_used(settings, &choice, 1, err);
}

/* Our own files are read by our own reader, whatever a plug-in says of them. */
static int load(struct scenario *scenario, struct policy_test *test, const struct trial *trial,
	const char *trace, const char *cancels, struct sl_err *err)
{
	struct settings settings;
	int status = settings_of(&settings, test, trial->overrun, cancels, err);
	const struct scenario_options options = { .cluster = trial->cluster,
		.trace = trace,
		.registry = &test->plain,
		.settings = &settings,
		.implied = test->choice.implied,
		.seed = test->testing.seed,
		.stop = &cli_stop };
	if (!status)
		status = scenario_load(scenario, &options, err);
	return status ? status : settings_known(test, &settings, err);
}

static int random_scenario_report(struct scenario *scenario, struct policy_test *test,
	const struct trial *trial, const struct random_scenario *random_scenario,
	enum random_scenario_twist twist, struct sl_err *err)
{
	static const char *const ending[][2] = { [RANDOM_SCENARIO_PLAIN] = { ".swf", ".cancels" },
		[RANDOM_SCENARIO_LATER] = { "-later.swf", "-later.cancels" },
		[RANDOM_SCENARIO_RENAMED] = { "-renamed.swf", "-renamed.cancels" } };
	const char *trace = path_of(test, random_scenario->name, ending[twist][0]);
	const char *cancels = path_of(test, random_scenario->name, ending[twist][1]);
	if (!trace || !cancels)
		return sl_fail_memory(err);
	const struct sl_writer *swf = sl_by_name(test->plain.known.writers, "swf");
	const int status = random_scenario_write(random_scenario, twist, swf, trace, cancels, err);
	return status ? status
		      : load(scenario, test, trial, trace, random_scenario->cancels ? cancels : NULL, err);
}

static int trial_make(struct trial *trial, struct policy_test *test, uint64_t number, struct sl_err *err)
{
	struct random_scenario random_scenario;
	random_scenario_make(&random_scenario, test->testing.seed, number);
	*trial = (struct trial){ .name = sl_strdup(test->args->arena, random_scenario.name,
					 strlen(random_scenario.name)),
		.trace = path_of(test, random_scenario.name, ".swf"),
		.cancels = random_scenario.cancels ? path_of(test, random_scenario.name, ".cancels") : NULL,
		.cluster = random_scenario.node_types ? path_of(test, random_scenario.name, ".yaml") : NULL,
		.overrun = random_scenario.overrun,
		.number = number };
	if (!trial->name || !trial->trace || (random_scenario.cancels && !trial->cancels) ||
		(random_scenario.node_types && !trial->cluster))
		return sl_fail_memory(err);
	int status =
		trial->cluster ? random_scenario_write_cluster(&random_scenario, trial->cluster, err) : SL_OK;
	if (!status)
		status = random_scenario_report(
			&trial->plain, test, trial, &random_scenario, RANDOM_SCENARIO_PLAIN, err);
	if (!status)
		status = random_scenario_report(
			&trial->later, test, trial, &random_scenario, RANDOM_SCENARIO_LATER, err);
	if (!status)
		status = random_scenario_report(
			&trial->renamed, test, trial, &random_scenario, RANDOM_SCENARIO_RENAMED, err);
	return status;
}

static int bundled_trial(struct trial *trial, struct policy_test *test, struct sl_err *err)
{
	char path[4200];
	if (!bundled_find(path, sizeof(path), test->args->data)) {
		talk("the bundled workload is not found: tried without it");
		return SL_OK;
	}
	*trial = (struct trial){ .name = "bundled", .large = true };
	trial->trace = sl_strdup(test->args->arena, path, strlen(path));
	return trial->trace ? load(&trial->plain, test, trial, trial->trace, NULL, err) : sl_fail_memory(err);
}

static int trials_make(struct policy_test *test, struct sl_err *err)
{
	uint64_t count;
	uint64_t only;
	int status = arg_u64(test->args, "count", 200, 1, 10000, &count, err);
	if (!status)
		status = arg_u64(test->args, "scenario", 0, 1, INT64_MAX, &only, err);
	if (status)
		return status;
	count = only ? 1 : count;
	test->trial = sl_alloc(test->args->arena, count + 1, sizeof(*test->trial));
	if (!test->trial)
		return sl_fail_memory(err);
	for (uint64_t i = 0; i < count && !status; i++)
		status = trial_make(&test->trial[test->trial_count++], test, only ? only : i + 1, err);
	if (!status && !only)
		status = bundled_trial(&test->trial[test->trial_count], test, err);
	test->trial_count += !status && test->trial[test->trial_count].large;
	return status;
}

static void remove_file(const char *path)
{
	if (path)
		(void)unlink(path);
}

static void release_loaded(struct scenario *scenario)
{
	if (scenario->arena)
		scenario_release(scenario);
}

static void trials_release(struct policy_test *test)
{
	static const char *const ending[] = { ".swf", ".cancels", "-later.swf", "-later.cancels",
		"-renamed.swf", "-renamed.cancels", ".yaml" };
	for (size_t i = 0; i < test->trial_count; i++) {
		struct trial *trial = &test->trial[i];
		for (size_t j = 0; j < SL_LEN(ending) && !test->kept && !trial->large && trial->name; j++)
			remove_file(path_of(test, trial->name, ending[j]));
		release_loaded(&trial->plain);
		release_loaded(&trial->later);
		release_loaded(&trial->renamed);
	}
	if (test->folder && !test->kept)
		(void)rmdir(test->folder);
}

/* ---- One check ------------------------------------------------------------------------------ */

static void check_trials(const struct policy_test *test, const struct policy_check *check)
{
	struct report *report = test->report;
	for (size_t i = 0; i < test->trial_count && !report->failed; i++) {
		const struct trial *trial = &test->trial[i];
		if (trial->large && check->small)
			continue;
		report->trial = i;
		report->failed = !check->holds(&test->testing, trial, report->complaint);
	}
	report->over = true;
}

/* How its process ended, if not by its own will. */
static void report_end(struct policy_test *test, int end)
{
	struct report *report = test->report;
	report->failed = true;
	const int number = WIFSIGNALED(end) ? WTERMSIG(end) : 0;
	if (number == SIGALRM)
		(void)snprintf(report->complaint, COMPLAINT_SIZE,
			"does not end: %llu s were not enough (--timeout)",
			(unsigned long long)test->timeout);
	else if (number)
		(void)snprintf(report->complaint, COMPLAINT_SIZE, "crashes: signal %d, SIG%s", number,
			sigabbrev_np(number) ? sigabbrev_np(number) : "?");
	else if (WEXITSTATUS(end) == -SL_INTERNAL)
		(void)snprintf(report->complaint, COMPLAINT_SIZE,
			"breaks an invariant of the engine, which stderr names");
	else
		(void)snprintf(report->complaint, COMPLAINT_SIZE, "ends the program, with exit code %d",
			WEXITSTATUS(end));
}

static int check_run(struct policy_test *test, const struct policy_check *check, struct sl_err *err)
{
	memset(test->report, 0, sizeof(*test->report));
	(void)fflush(NULL);
	const pid_t child = fork();
	if (child < 0)
		return sl_fail_sys(err, SL_SYSTEM, "start", "a process");
	if (child == 0) {
		(void)alarm((unsigned)test->timeout);
		check_trials(test, check);
		exit(0); /* NOLINT(concurrency-mt-unsafe): one thread again. */
	}
	int end = 0;
	pid_t ended;
	while ((ended = waitpid(child, &end, 0)) < 0 && errno == EINTR)
		if (cli_stop)
			(void)kill(child, SIGTERM);
	if (ended < 0)
		return sl_fail_sys(err, SL_SYSTEM, "wait for", "a process");
	if (cli_stop)
		return sl_fail(err, SL_INTERRUPTED, "interrupted: not all was tried");
	if (!test->report->over || end != 0)
		report_end(test, end);
	return SL_OK;
}

/* ---- What is printed ---------------------------------------------------------------------------- */

/* For a shell. */
static void print_word(const char *word)
{
	const bool plain =
		word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					      "0123456789_-+=.,:/%@")];
	printf(plain ? " %s" : " '%s'", word);
}

static void print_given(const struct args *args, const char *name)
{
	const char *value;
	for (size_t i = 0; (value = arg_at(args, name, i)); i++) {
		printf(" --%s", name);
		print_word(value);
	}
}

static void print_again(const struct policy_test *test, const struct policy_check *check)
{
	const struct trial *trial = &test->trial[test->report->trial];
	const bool run = trial->large || test->kept;
	printf("         again: schedlab %s", run ? "run" : "policy-test");
	if (run)
		print_word(trial->trace);
	if (run && trial->cluster) {
		printf(" -c");
		print_word(trial->cluster);
	}
	printf("%s", run ? " -p" : "");
	print_word(test->text);
	printf(" --seed %llu", (unsigned long long)test->testing.seed);
	if (!run)
		printf(" --scenario %llu -o DIR", (unsigned long long)trial->number);
	if (run && trial->overrun && strcmp(trial->overrun, "extend") != 0)
		printf(" --set replay.overrun=%s", trial->overrun);
	if (run && trial->cancels) {
		printf(" --set");
		char text[4400];
		(void)snprintf(text, sizeof(text), "replay.cancels=%s", trial->cancels);
		print_word(text);
	}
	print_given(test->args, "set");
	print_given(test->args, "model");
	print_given(test->args, "plugin");
	printf("%s\n", run && check->small ? " --check" : "");
}

static void check_json(struct policy_test *test, const struct policy_check *check)
{
	const struct report *report = test->report;
	const char *result = !report->failed ? "passed" : check->warns ? "warning" : "failed";
	json_object(&test->json, NULL, datum_text("name", check->name), datum_text("about", check->about),
		datum_text("result", result),
		datum_given("scenario", report->failed ? test->trial[report->trial].name : NULL),
		datum_if(report->failed, datum_text("complaint", report->complaint)));
}

static void check_print(struct policy_test *test, const struct policy_check *check)
{
	const struct report *report = test->report;
	const char *word = !report->failed ? "ok" : check->warns ? "warning" : "FAILED";
	if (test->json.out) {
		check_json(test, check);
		return;
	}
	printf("%-7s  %-10s  %s\n", word, check->name, check->about);
	if (!report->failed)
		return;
	printf("         %s: %s\n", test->trial[report->trial].name, report->complaint);
	print_again(test, check);
}

/* ---- The command ----------------------------------------------------------------------------------- */

static int checks_run(struct policy_test *test, struct sl_err *err)
{
	uint64_t jobs = 0;
	for (size_t i = 0; i < test->trial_count; i++)
		jobs += test->trial[i].plain.jobs.count;
	if (log_shows(LOG_INFO))
		log_line(LOG_INFO, "%s: %zu scenarios of seed %llu, %llu jobs in all", test->text,
			test->trial_count, (unsigned long long)test->testing.seed, (unsigned long long)jobs);
	for (const struct policy_check *check = policy_checks; check->name; check++) {
		const int status = check_run(test, check, err);
		if (status)
			return status;
		unsigned *count = !test->report->failed ? &test->passed
				  : check->warns        ? &test->warned
							: &test->failed;
		++*count;
		check_print(test, check);
		if (check == policy_checks && test->failed) {
			if (!test->json.out)
				printf("         the other checks need this one\n");
			break;
		}
	}
	if (!test->json.out) {
		printf("%u passed, %u failed", test->passed, test->failed);
		if (test->warned)
			printf(", %u warning%s", test->warned, test->warned > 1 ? "s" : "");
		printf("\n");
	}
	return test->failed
		       ? sl_fail(err, SL_CHECK_FAILED, "policy '%s' does not hold: see above", test->text)
		       : SL_OK;
}

static int checks_json(struct policy_test *test, struct sl_err *err)
{
	struct json *json = &test->json;
	struct sl_err written = { 0 };
	int status = json_start(json, NULL, err);
	if (status)
		return status;
	json_put(json, datum_text("policy", test->text), datum_count("seed", test->testing.seed),
		datum_count("scenarios", test->trial_count));
	json_nest(json, "checks", '[', NULL);
	status = checks_run(test, err);
	if (status && status != SL_CHECK_FAILED)
		return json_finish(json, status, err);
	json_close(json);
	json_put(json, datum_count("passed", test->passed), datum_count("failed", test->failed),
		datum_count("warnings", test->warned));
	const int ended = json_finish(json, SL_OK, &written);
	if (ended)
		*err = written;
	return ended ? ended : status;
}

static int policy_prepare(struct policy_test *test, struct sl_err *err)
{
	const struct args *args = test->args;
	test->text = args->word[0];
	int status = trust_say_policy(args->registry, test->text, err);
	if (!status)
		status = registry_add_policy(args->registry, test->text, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, INT64_MAX, &test->testing.seed, err);
	if (!status)
		status = arg_u64(args, "timeout", 60, 1, 86400, &test->timeout, err);
	/* Before anything is made for it; the scenarios' own settings are none of its. */
	struct settings settings;
	if (!status)
		status = settings_of(&settings, test, NULL, NULL, err);
	if (!status)
		status =
			policy_choose(args->registry, &test->choice, test->text, &settings, args->arena, err);
	test->testing.choice = &test->choice;
	return status;
}

static int policy_test_command(const struct args *args, struct sl_err *err)
{
	struct policy_test test = { .args = args };
	int status = policy_prepare(&test, err);
	if (status)
		return status;
	test.report =
		mmap(NULL, sizeof(*test.report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (test.report == MAP_FAILED)
		return sl_fail_memory(err);
	status = registry_make(&test.plain, err);
	if (!status)
		status = folder_make(&test, err);
	if (!status)
		status = trials_make(&test, err);
	if (!status && arg_flag(args, "json"))
		status = checks_json(&test, err);
	else if (!status)
		status = checks_run(&test, err);
	trials_release(&test);
	registry_release(&test.plain);
	(void)munmap(test.report, sizeof(*test.report));
	return status;
}

static const struct option_def options[] = {
	{ "output", 'o', "DIR", false, "keep the scenarios in this directory, which must be new or empty" },
	{ "count", 0, "N", false, "draw so many scenarios; default 200" },
	{ OPTION_SEED },
	{ "scenario", 0, "N", false, "only this one" },
	{ "timeout", 0, "SECONDS", false, "for each check; default 60" },
	{ OPTION_SET },
	{ OPTION_MODEL },
	{ OPTION_JSON },
	{ OPTION_PLUGIN },
};

const struct command cmd_policy_test = {
	.name = "policy-test",
	.usage = "policy-test POLICY [options]",
	.summary = "try a policy on drawn scenarios: what must hold of any",
	.detail = "POLICY is as for 'schedlab run -p': a name, or FILE.so, with parameters.\n"
		  "Prints a line a check, and for one that fails what was seen and how to see it again.\n"
		  "Exits with 1 if any failed. Warnings are of what need not hold of every policy.\n"
		  "\n"
		  "examples:\n"
		  "  schedlab policy-test ./my-easy.so\n"
		  "  schedlab policy-test ./my-easy.so:fill=shortest --count 1000 --seed 7\n"
		  "  schedlab policy-test conservative -o scenarios\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = policy_test_command,
};
