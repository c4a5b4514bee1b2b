/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab_find.c - what the right answer is: found by running what the key says, now, on this student's files.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/check/lab.h"

enum { WORDS_MAX = 100 };

int lab_make(struct lab *lab, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < lab->make_count && !status; i++) {
		char path[4400];
		const struct generate_call call = { lab->make[i].generate, lab->seed,
			strstr(lab->make[i].generate, "--seed") != NULL, lab->arena, lab->registry };
		(void)snprintf(path, sizeof(path), "%s/%s", lab->work, lab->make[i].name);
		status = generate_line(&call, path, err);
	}
	return status;
}

/* ---- A line of `schedlab run` --------------------------------------------------------------------- */

struct lab_run {
	struct scenario scenario;
	struct run run;
	struct settings settings;
};

/* A word that is a file's name becomes its path: of those made, then of the lab's folder; also behind ':' and
 * '=', as in "runai:projects=p.yaml". */
static char *word_path(const struct lab *lab, const char *word)
{
	const char *equals = strrchr(word, '=');
	const char *name = equals ? equals + 1 : word;
	const char *folder = lab->folder;
	for (size_t i = 0; i < lab->make_count; i++)
		if (strcmp(lab->make[i].name, name) == 0)
			folder = lab->work;
	char *made = text_made(lab->arena, "%.*s%s/%s", (int)(name - word), word, folder, name);
	const bool there = made && *name && access(made + (name - word), R_OK) == 0;
	return !made || folder == lab->work || there ? made : sl_strdup(lab->arena, word, strlen(word));
}

static int words_of(const struct lab *lab, const char *line, char **word, size_t *count, struct sl_err *err)
{
	*count = 0;
	while (*line) {
		line += strspn(line, " ");
		const size_t len = strcspn(line, " ");
		if (!len)
			break;
		char *one = sl_strdup(lab->arena, line, len);
		word[*count] = one ? word_path(lab, one) : NULL;
		if (!word[*count] || ++*count == WORDS_MAX - 4)
			return sl_fail(err, SL_INPUT, "%s/key.yaml: a run of too many words", lab->folder);
		line += len;
	}
	return SL_OK;
}

static void run_release(struct lab_run *is)
{
	sim_release(&is->run.sim);
	scenario_release(&is->scenario);
}

/* policy: in place of the line's; NULL. */
static int run_line(
	const struct lab *lab, const char *line, const char *policy, struct lab_run *is, struct sl_err *err)
{
	char *word[WORDS_MAX];
	size_t count;
	struct args args = {
		.command = &cmd_run, .arena = lab->arena, .registry = lab->registry, .of_file = true
	};
	*is = (struct lab_run){ .settings = { .arena = lab->arena } };
	int status = words_of(lab, line, word, &count, err);
	if (!status)
		status = args_parse(&args, word, count, err);
	if (!status && !args.word_count)
		status = sl_fail(err, SL_INPUT, "'%.60s' names no trace", line);
	if (!status && policy)
		status = registry_add_policy(lab->registry, policy, err);
	if (!status)
		status = settings_from_args(&is->settings, &args, err);
	const char *own = arg(&args, "policy");
	if (!status)
		status = run_from_args(&is->run,
			policy ? policy
			: own  ? own
			       : "easy",
			&is->settings, &args, err);
	if (!status)
		status = scenario_from_args(&is->scenario, &args, arg(&args, "cluster"), &is->settings,
			is->run.choice.implied, err);
	if (status)
		return status;
	is->run.options.scenario = is->run.scenario = &is->scenario;
	is->run.options.choice = &is->run.choice;
	return sim_run(&is->run.sim, &is->run.options, err);
}

/* ---- Values ----------------------------------------------------------------------------------------- */

static bool lab_find_row_of(const struct sl_jobs *jobs, const char *id, uint32_t *row)
{
	int64_t number = 0;
	const bool is_number = sl_get_i64(id, strlen(id), &number);
	for (*row = 0; *row < jobs->count; ++*row) {
		const char *name = jobs->id_name ? jobs->id_name[*row] : NULL;
		if (name ? strcmp(name, id) == 0 : is_number && jobs->id[*row] == number)
			return true;
	}
	return false;
}

static int job_value(const struct lab_question *question, const struct sl_result *result, int64_t *micro,
	struct sl_err *err)
{
	uint32_t row;
	if (!lab_find_row_of(result->jobs, question->job, &row))
		return sl_fail_at(err, &question->at, "the run has no job '%.60s'", question->job);
	if (result->start[row] == SL_NONE)
		return sl_fail_at(err, &question->at, "job '%.60s' never starts", question->job);
	*micro = strcmp(question->column, "end") == 0    ? result->end[row]
		 : strcmp(question->column, "wait") == 0 ? result->start[row] - result->jobs->submit[row]
							 : result->start[row];
	return SL_OK;
}

struct found {
	int64_t micro;
	bool time; /* Seconds; else as the metric has it. */
};

static int metric_value(const struct lab *lab, const struct lab_question *question, const struct lab_run *is,
	struct found *found, struct sl_err *err)
{
	const struct selector *selector = NULL;
	bool known = true;
	int status = selector_parse(&selector, question->metric, lab->arena, err);
	if (!status)
		status = selector_value(
			selector, &is->scenario, &is->run.sim.result, NULL, &found->micro, &known, err);
	if (!status && !known)
		status = sl_fail_at(err, &question->at, "the run has no '%.60s'", question->metric);
	found->time = !status && selector_unit(selector) == UNIT_TIME;
	return status;
}

static int line_value(const struct lab *lab, const struct lab_question *question, const char *line,
	const char *policy, struct found *found, struct sl_err *err)
{
	struct lab_run is;
	*found = (struct found){ 0, true };
	int status = run_line(lab, line, policy, &is, err);
	if (!status && question->job)
		status = job_value(question, &is.run.sim.result, &found->micro, err);
	else if (!status)
		status = metric_value(lab, question, &is, found, err);
	run_release(&is);
	return status;
}

int lab_value(
	struct lab *lab, const struct lab_question *question, int64_t *micro, bool *time, struct sl_err *err)
{
	struct found one;
	struct found other;
	*time = false;
	if (!question->run)
		return sl_get_micro(question->word, strlen(question->word), micro)
			       ? SL_OK
			       : sl_fail_at(err, &question->at, "'%.60s' is no number", question->word);
	int status = line_value(lab, question, question->run, NULL, &one, err);
	*micro = one.micro;
	*time = one.time;
	if (status || !question->other)
		return status;
	status = line_value(lab, question, question->other, NULL, &other, err);
	if (status)
		return status;
	if (!question->over) {
		*micro -= other.micro;
		return SL_OK;
	}
	if (!other.micro)
		return sl_fail_at(err, &question->at, "'over' is 0: there is no ratio");
	*time = false;
	*micro = (int64_t)((__int128)one.micro * 1000000 / other.micro);
	return SL_OK;
}

int lab_beats(struct lab *lab, const struct lab_question *question, const char *policy, int64_t *is,
	int64_t *bound, struct sl_err *err)
{
	struct found own;
	struct found theirs;
	const char *line = question->run ? question->run : question->other;
	int status = line_value(lab, question, line, policy, &own, err);
	if (!status)
		status = line_value(lab, question, question->other, NULL, &theirs, err);
	if (!status) {
		*is = own.micro;
		*bound = theirs.micro;
	}
	return status;
}

/* ---- Schedules ----------------------------------------------------------------------------------------- */

/* Lines "job_id,start", the first one a heading or not; job_id and start may be among other columns. */
struct schedule {
	int job, start; /* Columns. */
	uint32_t lines;
};

static const char *cell_at(const char *line, int column, size_t *len)
{
	const char *at = line;
	while (column-- > 0) {
		at += strcspn(at, ",\n");
		if (*at != ',')
			return NULL;
		at++;
	}
	*len = strcspn(at, ",\r\n");
	return at;
}

static void heading(struct schedule *schedule, const char *line)
{
	int column = 0;
	for (const char *at = line; *at && *at != '\n'; column++) {
		const size_t len = strcspn(at, ",\r\n");
		if (len == 6 && memcmp(at, "job_id", 6) == 0)
			schedule->job = column;
		if (len == 5 && memcmp(at, "start", 5) == 0)
			schedule->start = column;
		at += len + (at[len] == ',');
		if (*at == '\r')
			break;
	}
}

static const char *lab_find_said(struct lab *lab, const char *before, const char *is, const char *after)
{
	char text[400];
	(void)snprintf(text, sizeof(text), "%s'%.60s'%s", before, is, after);
	return sl_strdup(lab->arena, text, strlen(text));
}

static const char *line_wrong(struct lab *lab, const struct schedule *schedule,
	const struct sl_result *result, bool *seen, const char *line)
{
	size_t job_len;
	size_t start_len;
	char id[64];
	char is[64];
	int64_t start;
	uint32_t row;
	const char *job = cell_at(line, schedule->job, &job_len);
	const char *at = cell_at(line, schedule->start, &start_len);
	if (!job || !at)
		return lab_find_said(lab, "a line lacks a column: ", line, "");
	(void)snprintf(id, sizeof(id), "%.*s", (int)(job_len < 60 ? job_len : 60), job);
	(void)snprintf(is, sizeof(is), "%.*s", (int)(start_len < 60 ? start_len : 60), at);
	if (!lab_find_row_of(result->jobs, id, &row))
		return lab_find_said(lab, "there is no job ", id, "");
	seen[row] = true;
	if (!sl_get_micro(is, strlen(is), &start) || result->start[row] != start)
		return lab_find_said(lab, "job ", id, " does not start then");
	return NULL;
}

int lab_schedule(struct lab *lab, const struct lab_question *question, const char *path, const char **wrong,
	struct sl_err *err)
{
	struct lab_run is;
	char line[4096];
	struct schedule schedule = { 0, 1, 0 };
	*wrong = NULL;
	int status = run_line(lab, question->run, NULL, &is, err);
	const uint32_t count = status ? 0 : is.scenario.jobs.count;
	bool *seen = calloc((size_t)count + 1, sizeof(*seen));
	FILE *file = fopen(path, "re");
	if (!status && !seen)
		status = sl_fail_memory(err);
	if (!status && !file)
		status = sl_fail_sys(err, SL_INPUT, "open", path);
	while (!status && !*wrong && fgets(line, sizeof(line), file)) {
		if (!schedule.lines++ && strstr(line, "job_id"))
			heading(&schedule, line);
		else if (line[strspn(line, " \r\n")])
			*wrong = line_wrong(lab, &schedule, &is.run.sim.result, seen, line);
	}
	for (uint32_t row = 0; !status && !*wrong && row < count; row++)
		if (!seen[row] && is.run.sim.result.start[row] != SL_NONE)
			*wrong = "a job is missing";
	if (file)
		(void)fclose(file);
	free(seen);
	run_release(&is);
	return status;
}
