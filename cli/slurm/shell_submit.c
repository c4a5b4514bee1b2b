/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_submit.c - sbatch, srun and salloc.
 *
 * A submission is tried: the run is made with it up to now, and what slurmctld would refuse is reported and
 * leaves no trace, as no job id is used up. srun and salloc wait: the clock goes on to the job's start.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/slurm/shell.h"
#include "sim/run/engine.h"

#define YEAR (INT64_C(365) * 86400 * SL_SECOND)

/* What goes wrong before slurmctld has a job, in each command's words. */
static const struct {
	const char *tool, *failed;
} tools[] = {
	{ "sbatch", "Batch job submission failed" },
	{ "srun", "Unable to allocate resources" },
	{ "salloc", "Job submit/allocate failed" },
};

static int fail_submit(struct shell *shell, const char *tool, const char *why)
{
	size_t i = 0;
	while (i + 1 < SL_LEN(tools) && strcmp(tools[i].tool, tool) != 0)
		i++;
	return shell_says(shell, 1, "%s: error: %s: %s", tool, tools[i].failed, why);
}

/* ---- Arrays ---------------------------------------------------------------------------------------- */

static bool shell_submit_number_in(const char **p, int64_t *number)
{
	const size_t len = strspn(*p, "0123456789");
	const bool read = len && len < 10 && sl_get_i64(*p, len, number);
	*p += len;
	return read;
}

/* "0-15:4,20%2": ascending, each once. Returns how many; 0: it is no array. */
static size_t tasks_of(const char *text, int64_t task[SHELL_TASKS_MAX])
{
	size_t count = 0;
	for (const char *p = text; *p && *p != '%';) {
		int64_t from, to, step = 1;
		if (!shell_submit_number_in(&p, &from))
			return 0;
		to = from;
		if (*p == '-' && (p++, !shell_submit_number_in(&p, &to)))
			return 0;
		if (*p == ':' && (p++, !shell_submit_number_in(&p, &step)))
			return 0;
		if (to < from || !step || (*p && *p != ',' && *p != '%'))
			return 0;
		for (int64_t one = from; one <= to; one += step) {
			if (count == SHELL_TASKS_MAX)
				return 0;
			size_t at = count;
			for (; at && task[at - 1] > one; at--)
				task[at] = task[at - 1];
			if (at && task[at - 1] == one)
				return 0;
			task[at] = one;
			count++;
		}
		p += *p == ',';
	}
	return count;
}

/* ---- A job ------------------------------------------------------------------------------------------- */

/* A job without a known run time runs to its limit. */
static sl_time shell_submit_run_of(const struct shell_asked *asked)
{
	sl_time time = SHELL_FOREVER;
	if (asked->run_time)
		(void)shell_duration(asked->run_time, strlen(asked->run_time), &time);
	else if (asked->sleeps != SL_NONE)
		time = asked->sleeps;
	return time > 0 ? time : SL_SECOND;
}

/* The rows of the submission; asked->options is whole. */
static int add_jobs(struct shell *shell, const struct shell_asked *asked, bool open, struct sl_err *err)
{
	static const int64_t none[] = { 0 };
	int64_t *task = calloc(SHELL_TASKS_MAX, sizeof(*task));
	if (!task)
		return sl_fail_memory(err);
	const size_t tasks = asked->array ? tasks_of(asked->array, task) : 1;
	int status = SL_OK;
	for (size_t i = 0; i < tasks && !status; i++) {
		const struct shell_job job = {
			.id = shell->id_next + (int64_t)i,
			.array = asked->array ? shell->id_next : SL_NONE,
			.task = asked->array ? task[i] : none[0],
			.submit = shell->now,
			.run = open ? SHELL_FOREVER : shell_submit_run_of(asked),
			.cancel = SL_NONE,
			.user = shell->user,
			.line = shell_keep(shell, asked->options.text),
		};
		status = shell_job_add(shell, &job, err);
	}
	free(task);
	return status;
}

/* Made with the new job: why it is refused; NULL: it is not. */
static int try_jobs(struct shell *shell, const char **why, bool *waits, struct sl_err *err)
{
	struct view view;
	struct sl_err wrong = { 0 };
	*why = NULL;
	const int status = now_open(shell, &view, &wrong);
	const uint32_t row = status ? UINT32_MAX : now_row(&view, shell->id_next);
	if (status == SL_INPUT || status == SL_USAGE)
		*why = shell_keep(shell, wrong.text);
	else if (status)
		*err = wrong;
	else if (row == UINT32_MAX)
		*why = unavailable_words(&view, row);
	else {
		const struct sl_pass *pass = &view.sim.engine->sim;
		const bool refused = pass->refused && view.jobs->id[pass->refused_last] >= shell->id_next &&
				     view.jobs->id[pass->refused_last] < INT64_MAX / 2;
		*why = refused ? shell_keep(shell, refusal_words(pass->refused_last_why)) : NULL;
		if (refused && strncmp(*why, "Requested node configuration", 28) == 0)
			*why = unavailable_words(&view, row);
		*waits = view_state(&view, row) == SL_PENDING && view_reason(&view, row) != SL_REASON_NONE;
	}
	view_close(&view);
	return status && !*why ? status : SL_OK;
}

/* ---- What is recorded -----------------------------------------------------------------------------------
 */

/* The line, with the script that it had then. */
static void put_entry(struct cell *entry, const struct shell_words *words, const char *script)
{
	char mark[40] = "END";
	for (size_t i = 0; i < words->count; i++) {
		cell_put(entry, "%s", i ? " " : "");
		put_quoted(entry, words->word[i]);
	}
	if (!script)
		return;
	for (unsigned i = 1; strstr(script, mark); i++)
		(void)snprintf(mark, sizeof(mark), "END%u", i);
	const size_t len = strlen(script);
	cell_put(entry, " <<'%s'\n%s%s%s", mark, script, len && script[len - 1] == '\n' ? "" : "\n", mark);
}

static void put_advance(struct shell *shell, struct cell *entry)
{
	char time[40];
	*sl_put_micro(time, shell->now) = '\0';
	cell_put(entry, "\n  advance to +%s", time); /* Indented: it belongs to the line above. */
}

/* ---- The script
 * ----------------------------------------------------------------------------------------------- */

static bool read_script(struct shell *shell, const char *path, const char **text)
{
	FILE *file = fopen(path, "r");
	char *space = sl_alloc(shell->arena, SHELL_TEXT_MAX + 2, 1);
	*text = NULL;
	if (!file || !space) {
		shell_says(shell, 1, "sbatch: error: Unable to open file %s", path);
	} else {
		const size_t len = fread(space, 1, SHELL_TEXT_MAX + 1, file);
		if (len > SHELL_TEXT_MAX)
			shell_says(shell, 1, "sbatch: error: Batch script exceeds the size of 1 MiB");
		else if (memchr(space, '\0', len))
			shell_says(shell, 1, "sbatch: error: Batch script contains a zero byte");
		else
			*text = space; /* A folder reads as nothing. */
	}
	if (file)
		(void)fclose(file);
	return *text != NULL;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void begin_asked(struct shell_asked *asked, const char *tool)
{
	*asked = (struct shell_asked){
		.tool = tool, .limit = SL_NONE, .sleeps = SL_NONE, .tasks = SL_NONE, .script = SIZE_MAX
	};
	cell_put(&asked->options, "%s", tool);
}

/* The line's options over the script's. script: its text; NULL: there is none. */
static bool desc(
	struct shell *shell, const struct shell_words *words, struct shell_asked *asked, const char **script)
{
	char *const *word = words->word + 1;
	const size_t count = words->count - 1;
	const char *tool = words->word[0];
	*script = NULL;
	begin_asked(asked, tool);
	if (!asked_words(shell, asked, word, count, false))
		return false;
	if (strcmp(tool, "sbatch") != 0)
		return true;
	const char *path = asked->script < count ? word[asked->script] : NULL;
	if (asked->wrap && path)
		return shell_says(
			shell, 1, "sbatch: error: Script arguments not permitted with --wrap option");
	if (asked->wrap)
		return true;
	if (words->here)
		*script = words->here;
	else if (!path)
		*script = "";
	else if (!read_script(shell, path, script))
		return false;
	cell_free(&asked->options);
	begin_asked(asked, tool);
	return asked_script(shell, asked, *script) && asked_words(shell, asked, word, count, false);
}

/* Its name, and how long it runs, where nothing has said so. */
static void complete(struct shell_asked *asked, const struct shell_words *words)
{
	const size_t at = asked->script == SIZE_MAX ? words->count : asked->script + 1;
	const bool batch = strcmp(asked->tool, "sbatch") == 0;
	const char *program = at < words->count ? base_of(words->word[at]) : batch ? "sbatch" : "interactive";
	if (asked->wrap)
		asked->sleeps = shell_sleeps(asked->wrap);
	cell_put(&asked->options, " --job-name=");
	put_quoted(&asked->options, asked->name ? asked->name : asked->wrap ? "wrap" : program);
	cell_put(&asked->options, " ");
	put_quoted(&asked->options, asked->wrap ? "wrap" : program);
	if (batch)
		return;
	struct cell line = { 0 };
	for (size_t i = at; i < words->count; i++)
		cell_put(&line, "%s%s", i > at ? " " : "", words->word[i]);
	if (line.text)
		asked->sleeps = shell_sleeps(line.text);
	if (asked->sleeps == SL_NONE &&
		(strcmp(program, "hostname") == 0 || strcmp(program, "echo") == 0 ||
			strcmp(program, "env") == 0 || strcmp(program, "nvidia-smi") == 0))
		asked->sleeps = SL_SECOND;
	cell_free(&line);
}

/* ---- Submission
 * --------------------------------------------------------------------------------------------------- */

/* "afterok:5:6,singleton": kinds that there are, of jobs that there are. */
static bool depends_on(const struct shell *shell, const char *text)
{
	static const char *const kinds[] = { "after", "afterany", "afterok", "afternotok", "aftercorr",
		"afterburstbuffer", "singleton", "expand" };
	while (*text) {
		const size_t len = strcspn(text, ":,?");
		size_t kind = 0;
		while (kind < SL_LEN(kinds) &&
			(strlen(kinds[kind]) != len || strncasecmp(kinds[kind], text, len) != 0))
			kind++;
		if (kind == SL_LEN(kinds) && (!len || strspn(text, "0123456789") < len))
			return false;
		for (text += kind < SL_LEN(kinds) ? len : 0; kind == SL_LEN(kinds) || *text == ':';) {
			int64_t id;
			text += *text == ':';
			const size_t digits = strspn(text, "0123456789");
			if (!digits || !sl_get_i64(text, digits, &id) || id >= shell->id_next)
				return false;
			text += strcspn(text, ":,?");
			kind = 0;
		}
		text += *text == ',' || *text == '?';
	}
	return true;
}

/* The job, or nothing: *id is SL_NONE then. waits: it cannot start at once. */
static int shell_submit_submit(struct shell *shell, const struct shell_asked *asked, bool open, int64_t *id,
	bool *waits, struct sl_err *err)
{
	const size_t jobs = shell->job_count;
	const sl_time before = shell->now;
	const char *why = NULL;
	*id = SL_NONE;
	*waits = false;
	if (!shell->trusted && asked->dependency && !depends_on(shell, asked->dependency))
		return fail_submit(shell, asked->tool, "Job dependency problem");
	shell->now++;
	int status = add_jobs(shell, asked, open, err);
	const size_t added = shell->job_count - jobs;
	if (!status && !added)
		why = "Invalid job array specification";
	else if (!status && !shell->trusted)
		status = try_jobs(shell, &why, waits, err);
	if (!status && !why) {
		*id = shell->id_next;
		shell->id_next += (int64_t)added;
		return SL_OK;
	}
	shell->job_count = jobs;
	shell->now = before;
	if (!status && strcmp(why, "Invalid generic resource (gres) specification") == 0)
		return shell_says(shell, 1, "%s: error: %s", asked->tool, why);
	if (!status && strcmp(why, "Invalid partition name specified") == 0 && asked->partition)
		(void)shell_says(shell, 1, "%s: error: invalid partition specified: %s", asked->tool,
			asked->partition);
	return status ? status : fail_submit(shell, asked->tool, why);
}

/* --test-only: when it would start; nothing stays. */
static int test_only(struct shell *shell, const struct shell_asked *asked, struct sl_err *err)
{
	int64_t id;
	bool waits;
	sl_time at = SL_NEVER;
	char date[40];
	const sl_time now = shell->now;
	const size_t jobs = shell->job_count;
	int status = shell_submit_submit(shell, asked, false, &id, &waits, err);
	if (status || id == SL_NONE)
		return status;
	status = now_until(shell, id, false, &at, err);
	if (!status && at != SL_NEVER)
		shell_says(shell, 0, "%s: Job %" PRId64 " to start at %s", asked->tool, id,
			shell_date(shell, at, date));
	else if (!status)
		(void)fail_submit(shell, asked->tool, "Requested nodes are busy");
	shell->job_count = jobs;
	shell->id_next = id;
	shell->now = now;
	return status;
}

static bool reported_help(struct shell *shell, const struct shell_words *words)
{
	for (size_t i = 1; i < words->count && words->word[i][0] == '-'; i++)
		if (strcmp(words->word[i], "--version") == 0 || strcmp(words->word[i], "-V") == 0) {
			(void)printf("slurm-wlm %s\n", now_release(shell));
			return true;
		} else if (strcmp(words->word[i], "--help") == 0 || strcmp(words->word[i], "--usage") == 0 ||
			   strcmp(words->word[i], "-h") == 0) {
			printf("Usage: %s [OPTIONS] %s\nOptions are those of %s(1). --run-time=TIME says how long "
			       "the job runs;\nwithout it: #SCHEDLAB run=TIME, its lines 'sleep TIME', or its time "
			       "limit.\n",
				words->word[0],
				strcmp(words->word[0], "sbatch") == 0 ? "SCRIPT [args]" : "[COMMAND [args]]",
				words->word[0]);
			return true;
		}
	return false;
}

/* Time goes on to its end (or stays where it has none). */
static int wait_end(struct shell *shell, const struct shell_asked *asked, int64_t id, struct sl_err *err)
{
	const char *tool = asked->tool;
	sl_time at;
	char date[40];
	const int status = now_until(shell, id, true, &at, err);
	if (!status && at != SL_NEVER && at - shell->now > YEAR / 2 && asked->limit == SL_NONE &&
		shell_submit_run_of(asked) == SHELL_FOREVER)
		at = SL_NEVER; /* slurmctld's year, where nobody set a limit. */
	if (!status && at == SL_NEVER)
		shell_says(shell, 0, "schedlab: job %" PRId64 " has no end: it runs until scancel %" PRId64,
			id, id);
	else if (!status && at > shell->now) {
		shell_clock(shell, at);
		shell_says(shell, 0, "schedlab: %s waited for job %" PRId64 ": it is now %s", tool, id,
			shell_date(shell, at, date));
	}
	return status;
}

SHELL_COMMAND(shell_sbatch)
{
	struct shell_asked asked;
	const char *script;
	int64_t id = SL_NONE;
	bool waits;
	struct cell entry = { 0 };
	int status = SL_OK;
	if (reported_help(shell, words))
		return SL_OK;
	bool good = desc(shell, words, &asked, &script);
	if (good)
		complete(&asked, words);
	if (good && asked.test_only)
		status = test_only(shell, &asked, err);
	else if (good)
		status = shell_submit_submit(shell, &asked, false, &id, &waits, err);
	if (!status && id != SL_NONE) {
		if (!shell->trusted)
			printf(asked.parsable ? "%" PRId64 "\n" : "Submitted batch job %" PRId64 "\n", id);
		put_entry(&entry, words, script);
		if (asked.wait && !shell->trusted) {
			status = wait_end(shell, &asked, id, err);
			put_advance(shell, &entry);
		}
		if (!status)
			status = shell_entry_add(shell, entry.text ? entry.text : "", err);
	}
	cell_free(&entry);
	cell_free(&asked.options);
	return status;
}

/* ---- srun, salloc
 * ---------------------------------------------------------------------------------------------------- */

/* The clock goes on to its start. *started: it has one. */
static int wait_start(
	struct shell *shell, const char *tool, int64_t id, bool waits, bool *started, struct sl_err *err)
{
	sl_time at;
	char date[40];
	const sl_time before = shell->now;
	*started = false;
	if (waits && strcmp(tool, "salloc") == 0)
		shell_says(shell, 0, "salloc: Pending job allocation %" PRId64, id);
	if (waits)
		shell_says(shell, 0, "%s: job %" PRId64 " queued and waiting for resources", tool, id);
	const int status = now_until(shell, id, false, &at, err);
	if (status)
		return status;
	if (at == SL_NEVER)
		return shell_says(shell, 1,
			"schedlab: job %" PRId64 " does not start as things stand: it waits in the queue; "
			"'scontrol show job %" PRId64 "' has its reason, scancel takes it back",
			id, id);
	shell_clock(shell, at);
	*started = true;
	if (waits && at - before > SL_SECOND)
		shell_says(
			shell, 0, "schedlab: the clock goes on: it is now %s", shell_date(shell, at, date));
	if (waits)
		shell_says(shell, 0, "%s: job %" PRId64 " has been allocated resources", tool, id);
	if (strcmp(tool, "salloc") == 0)
		shell_says(shell, 0, "salloc: Granted job allocation %" PRId64, id);
	return SL_OK;
}

static int shell_submit_enter(
	struct shell *shell, const struct shell_asked *asked, int64_t id, struct sl_err *err)
{
	if (shell->depth == SHELL_DEPTH_MAX)
		return sl_fail(err, SL_INPUT, "more than %d shells within each other", SHELL_DEPTH_MAX);
	shell->inside[shell->depth++] = (struct shell_inside){
		.job = id,
		.entered = shell->trusted ? SL_NONE : shell->now,
		.step = strcmp(asked->tool, "srun") == 0,
		.tool = asked->tool,
		.user = shell->user,
		.tasks = asked->tasks > 0 ? asked->tasks : 1,
	};
	return SL_OK;
}

static bool is_shell(const char *program)
{
	static const char *const shells[] = { "bash", "sh", "zsh", "tcsh", "csh", "ksh", "dash", "fish" };
	for (size_t i = 0; i < SL_LEN(shells); i++)
		if (strcmp(program, shells[i]) == 0)
			return true;
	return false;
}

/* What it runs, once it has its nodes: a shell that is entered, or a program up to its end. */
static int run_command(struct shell *shell, const struct shell_asked *asked, const struct shell_words *words,
	int64_t id, bool open, struct sl_err *err)
{
	const size_t at = asked->script + 1;
	int status = shell_submit_enter(shell, asked, id, err);
	if (!status)
		status = shell_check_inside(shell, err);
	if (open || status || !shell->depth)
		return status;
	if (shell->inside[shell->depth - 1].step)
		shell_step(shell, shell->inside[shell->depth - 1].tasks, words->word + at, words->count - at);
	else /* Where salloc was called. */
		(void)shell_program(shell, words->word + at, words->count - at);
	const bool step = shell->inside[--shell->depth].step;
	status = wait_end(shell, asked, id, err);
	if (!status && !step)
		shell_says(shell, shell->status, "salloc: Relinquishing job allocation %" PRId64, id);
	return status;
}

static int allocate(struct shell *shell, struct shell_words *words, struct sl_err *err)
{
	struct shell_asked asked;
	const char *script;
	int64_t id = SL_NONE;
	bool waits, started = false;
	struct cell entry = { 0 };
	int status = SL_OK;
	if (reported_help(shell, words))
		return SL_OK;
	const bool is_srun = strcmp(words->word[0], "srun") == 0;
	bool good = desc(shell, words, &asked, &script);
	const size_t at = asked.script == SIZE_MAX ? words->count : asked.script + 1;
	if (good && is_srun && at >= words->count) {
		good = false;
		(void)shell_says(shell, 1, "srun: fatal: No command given to execute.");
	}
	const bool open = at >= words->count || is_shell(base_of(words->word[at]));
	if (good)
		complete(&asked, words);
	if (good && asked.test_only)
		status = test_only(shell, &asked, err);
	else if (good)
		status = shell_submit_submit(shell, &asked, open, &id, &waits, err);
	if (!status && id != SL_NONE) {
		put_entry(&entry, words, NULL);
		if (shell->trusted)
			status = open ? shell_submit_enter(shell, &asked, id, err) : SL_OK;
		else
			status = wait_start(shell, asked.tool, id, waits, &started, err);
		if (started) {
			put_advance(shell, &entry);
			status = run_command(shell, &asked, words, id, open, err);
			if (!open)
				put_advance(shell, &entry);
		} else if (open && !shell->trusted) {
			cell_put(&entry, "\n  leave %" PRId64, id);
		}
		if (!status)
			status = shell_entry_add(shell, entry.text ? entry.text : "", err);
	}
	cell_free(&entry);
	cell_free(&asked.options);
	return status;
}

SHELL_COMMAND(shell_srun)
{
	if (!shell->depth || shell->trusted)
		return allocate(shell, words, err);
	/* Within an allocation it is a step of it. */
	struct shell_asked asked;
	begin_asked(&asked, "srun");
	const bool good = asked_words(shell, &asked, words->word + 1, words->count - 1, false);
	const size_t at = asked.script + 1;
	const int64_t tasks = asked.tasks > 0 ? asked.tasks : shell->inside[shell->depth - 1].tasks;
	cell_free(&asked.options);
	if (!good)
		return SL_OK;
	if (at >= words->count)
		return shell_says(shell, 1, "srun: fatal: No command given to execute.");
	shell_step(shell, tasks, words->word + at, words->count - at);
	return SL_OK;
}

SHELL_COMMAND(shell_salloc) { return allocate(shell, words, err); }
