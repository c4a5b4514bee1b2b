/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_state.c - the run of a session's inputs, rerun up to now.
 *
 * What was submitted becomes a trace (traces/slurm/submissions.c), what an operator did replay.commands: both
 * as files in memory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/explain/explain.h"
#include "cli/slurm/shell.h"
#include "sim/run/engine.h"

/* The files of one run. */
struct files {
	FILE *jobs, *orders;
	char jobs_path[40], orders_path[40];
};

static int memory_file(const char *name, FILE **file, char path[40], struct sl_err *err)
{
	const int fd = memfd_create(name, 0);
	*file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!*file)
		return sl_fail_sys(err, SL_SYSTEM, "write", name);
	(void)snprintf(path, 40, "/proc/self/fd/%d", fd);
	return SL_OK;
}

static void put_seconds(FILE *file, sl_time time)
{
	char text[40];
	*sl_put_micro(text, time) = '\0';
	(void)fputs(text, file);
}

static void shell_state_put_job(FILE *file, const struct shell_job *job)
{
	(void)fprintf(file, "%" PRId64 "\t", job->id);
	if (job->array == SL_NONE)
		(void)fputc('-', file);
	else
		(void)fprintf(file, "%" PRId64 "_%" PRId64, job->array, job->task);
	(void)fputc('\t', file);
	put_seconds(file, job->submit);
	(void)fputc('\t', file);
	put_seconds(file, job->run);
	(void)fputc('\t', file);
	if (job->cancel == SL_NONE)
		(void)fputc('-', file);
	else
		put_seconds(file, job->cancel);
	(void)fprintf(file, "\t%s\t%s\n", job->user, job->line);
}

static int write_files(const struct shell *shell, struct files *files, struct sl_err *err)
{
	*files = (struct files){ 0 };
	int status = memory_file("session", &files->jobs, files->jobs_path, err);
	if (!status)
		status = memory_file("commands", &files->orders, files->orders_path, err);
	if (status)
		return status;
	(void)fprintf(files->jobs, "# schedlab submissions 1\n# UnixStartTime: %" PRId64 "\n", shell->epoch);
	for (size_t i = 0; i < shell->job_count; i++)
		shell_state_put_job(files->jobs, &shell->job[i]);
	if (!shell->job_count && !shell->background) /* A trace has jobs: one that nobody lives to see. */
		(void)fprintf(files->jobs, "%" PRId64 "\t-\t%" PRId64 "\t1\t-\troot\tsbatch\n", INT64_MAX / 2,
			INT64_MAX / 8 / SL_SECOND);
	for (size_t i = 0; i < shell->order_count; i++) {
		put_seconds(files->orders, shell->order[i].at);
		(void)fprintf(files->orders, " %s\n", shell->order[i].text);
	}
	if (fflush(files->jobs) != 0 || fflush(files->orders) != 0)
		return sl_fail_sys(err, SL_SYSTEM, "write", "the session's run");
	return SL_OK;
}

static void close_files(struct files *files)
{
	if (files->jobs)
		(void)fclose(files->jobs);
	if (files->orders)
		(void)fclose(files->orders);
}

/* Of the run: settings of the line, of the shell, and those that the policy needs. */
static int settings_of(
	const struct shell *shell, const struct files *files, struct settings *settings, struct sl_err *err)
{
	char *text = NULL;
	int status = settings_add(settings, "replay.overrun=kill", err);
	if (!status && shell->order_count) {
		if (asprintf(&text, "replay.commands=%s", files->orders_path) < 0)
			return sl_fail_memory(err);
		status = settings_add(settings, text, err);
		free(text);
		text = NULL;
	}
	if (!status && shell->background) {
		if (asprintf(&text, "replay.with=%s", shell->background) < 0)
			return sl_fail_memory(err);
		status = settings_add(settings, text, err);
		free(text);
	}
	for (size_t i = 0; i < shell->set_count && !status; i++)
		status = settings_add(settings, shell->set[i], err);
	return status;
}

/* The recipe of the run, and its inputs. */
static int load(struct shell *shell, const struct files *files, struct rerun *rerun, struct sl_err *err)
{
	*rerun =
		(struct rerun){ .arena = sl_arena_new(), .registry = shell->args->registry, .changed = true };
	if (!rerun->arena)
		return sl_fail_memory(err);
	rerun->settings.arena = rerun->arena;
	struct policy_choice *choice = sl_alloc(rerun->arena, 1, sizeof(*choice));
	struct sim_interval *history = sl_alloc(rerun->arena, 1, sizeof(*history));
	if (!choice || !history)
		return sl_fail_memory(err);
	int status = settings_of(shell, files, &rerun->settings, err);
	if (!status)
		status = policy_choose(
			rerun->registry, choice, shell->policy, &rerun->settings, rerun->arena, err);
	const struct scenario_options options = {
		.trace = files->jobs_path,
		.cluster = shell->cluster ? shell->cluster : shell->lecture,
		.settings = &rerun->settings,
		.registry = rerun->registry,
		.implied = choice->implied,
		.seed = 1,
		.stop = &cli_stop,
	};
	if (!status)
		status = scenario_load(&rerun->scenario, &options, err);
	if (!status)
		status = settings_check_used(&rerun->settings, choice, 1, err);
	*history = (struct sim_interval){ .choice = choice, .until = SL_NEVER };
	rerun->recipe = (struct sim_options){ .seed = 1, .history = history, .history_count = 1 };
	return status;
}

int now_open(struct shell *shell, struct view *view, struct sl_err *err)
{
	struct files files;
	*view = (struct view){ 0 };
	int status = write_files(shell, &files, err);
	if (!status)
		status = load(shell, &files, &view->rerun, err);
	close_files(&files);
	return status ? status : view_stand(view, shell->now, err);
}

uint32_t now_row(const struct view *view, int64_t id)
{
	for (uint32_t row = 0; row < view->jobs->count; row++)
		if (view->jobs->id[row] == id && (!view->jobs->id_name || !view->jobs->id_name[row]))
			return row;
	return UINT32_MAX;
}

static bool has_ended(enum sl_state state)
{
	return state != SL_PENDING && state != SL_RUNNING && state != SL_SUSPENDED;
}

/* Goes on, event by event, until the job has come so far. */
static int look_ahead(struct view *view, int64_t id, bool end, sl_time now, sl_time *at, struct sl_err *err)
{
	struct rerun *rerun = &view->rerun;
	int status = rerun_start(rerun, &view->sim, 0, err);
	view->jobs = &rerun->scenario.jobs;
	const uint32_t row = now_row(view, id);
	sl_time time = now;
	while (!status && row < view->jobs->count) {
		status = rerun_advance(rerun, &view->sim, time, err);
		if (status)
			break;
		const struct sl_pass *pass = sim_state(&view->sim);
		const enum sl_state state = (enum sl_state)pass->job_state[row];
		if (has_ended(state) || (!end && state == SL_RUNNING)) {
			*at = time;
			break;
		}
		const sl_time next = sim_next(&view->sim);
		if (next == SL_NEVER || next > now + SHELL_FOREVER / 2)
			break;
		time = next;
	}
	return status;
}

int now_until(struct shell *shell, int64_t id, bool end, sl_time *at, struct sl_err *err)
{
	struct files files;
	struct view view = { 0 };
	*at = SL_NEVER;
	int status = write_files(shell, &files, err);
	if (!status)
		status = load(shell, &files, &view.rerun, err);
	close_files(&files);
	if (!status)
		status = look_ahead(&view, id, end, shell->now, at, err);
	view_close(&view);
	return status;
}

int now_first_id(struct shell *shell, struct sl_err *err)
{
	struct view view;
	shell->id_first = shell->id_next = 1;
	const int status = now_open(shell, &view, err);
	for (uint32_t row = 0; !status && row < view.jobs->count; row++)
		if (view.jobs->id[row] >= shell->id_first && view.jobs->id[row] < INT64_MAX / 2)
			shell->id_first = shell->id_next = view.jobs->id[row] + 1;
	view_close(&view);
	return status;
}

/* Commands are Slurm's: other policies that follow commands have their own. */
bool now_follows_orders(struct shell *shell)
{
	struct policy_choice choice;
	struct sl_err ignored = { 0 };
	if (policy_choose(shell->args->registry, &choice, shell->policy, NULL, shell->arena, &ignored))
		return false;
	return strcmp(choice.policy->name, "slurm") == 0 || strcmp(choice.policy->name, "hybrid") == 0;
}

/* ---- The release ------------------------------------------------------------------------------ */

/* As slurm:version says it, or a bare --set version=. NULL: neither does. */
static const char *release_said(const struct shell *shell)
{
	struct policy_choice choice;
	struct sl_err ignored = { 0 };
	const char *said = NULL;
	if (policy_choose(shell->args->registry, &choice, shell->policy, NULL, shell->arena, &ignored) ==
		SL_OK) {
		const struct sl_value *value = sl_value_of(choice.values, choice.value_count, "version");
		said = value ? value->text : NULL;
	}
	for (size_t i = 0; i < shell->set_count; i++)
		if (strncmp(shell->set[i], "version=", 8) == 0)
			said = shell->set[i] + 8;
	return said;
}

const char *now_release(struct shell *shell)
{
	/* Those whose decisions were recorded; of others the release alone is known. */
	static const char *const full[] = { "22.05.8", "24.11.5", "26.05.5" };
	static const char otherwise[] = "24.11"; /* ctl_release.c */
	const char *said = release_said(shell);
	struct view view;
	struct sl_err ignored = { 0 };
	if (!said) {
		if (now_open(shell, &view, &ignored) == SL_OK)
			said = sl_setting_of(view.cluster, "cluster", "", "SLURM_VERSION");
		said = said ? said + strcspn(said, "0123456789") : NULL;
		said = said && *said ? sl_strdup(shell->arena, said, strlen(said)) : otherwise;
		view_close(&view);
	}
	for (size_t i = 0; said && i < SL_LEN(full); i++)
		if (strncmp(full[i], said, strlen(said)) == 0 && strlen(said) == 5)
			return full[i];
	return said ? said : otherwise;
}

/* ---- why -------------------------------------------------------------------------------------- */

static int explain_file(
	struct shell *shell, const char *path, const char *until, const char *job, struct sl_err *err)
{
	struct explain explain = { .what_if = true, .until = until };
	int status = explain_open(&explain, path, shell->args->registry, err);
	if (!status)
		status = explain_find(&explain, job, &explain.job, err);
	if (!status)
		status = explain_job(&explain, err);
	if (!status)
		explain_print(&explain);
	explain_close(&explain);
	return status;
}

int now_explain(struct shell *shell, const char *job, struct sl_err *err)
{
	struct files files;
	struct view view = { 0 };
	char now[40];
	char path[] = "/tmp/schedlab-shell-XXXXXX";
	const int fd = mkstemp(path);
	struct sl_out *out = NULL;
	if (fd < 0)
		return sl_fail_sys(err, SL_SYSTEM, "write", path);
	(void)close(fd);
	int status = write_files(shell, &files, err);
	*sl_put_micro(now, shell->now) = '\0';
	if (!status)
		status = load(shell, &files, &view.rerun, err);
	if (!status)
		status = view_stand(&view, shell->now, err);
	if (!status)
		status = sl_out_open(&out, path, err);
	if (!status)
		status = snapshot_write(out, &view.sim, err);
	if (out && status)
		sl_out_abandon(out);
	else if (out)
		status = sl_out_commit(out, err);
	view_close(&view);
	if (!status)
		status = explain_file(shell, path, now, job, err);
	close_files(&files);
	(void)unlink(path);
	return status;
}
