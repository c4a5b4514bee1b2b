/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_inside.c - the shell of a job (srun --pty, salloc), and the few programs that its nodes have. They
 * are simulated, and say so where they could be mistaken for real.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/shell.h"

/* ---- Which job ------------------------------------------------------------------------------------ */

static void shell_inside_fill(
	struct shell *shell, struct shell_inside *in, const struct view *view, uint32_t row)
{
	struct cell cell = { 0 };
	struct view_node held;
	const struct view_place place = view->place[row];
	put_place(&cell, view, place);
	in->nodes = shell_keep(shell, cell.text ? cell.text : "");
	cell_clear(&cell);
	in->host = sl_alloc(shell->arena, place.count + 1, sizeof(*in->host));
	for (size_t i = 0; i < place.count && in->host; i++) {
		put_nodes(&cell, view, &place.alloc[i].node, 1);
		in->host[in->host_count++] = shell_keep(shell, cell.text ? cell.text : "");
		cell_clear(&cell);
	}
	if (place.count) {
		const uint32_t node = place.alloc[0].node;
		put_nodes(&cell, view, &node, 1);
		view_holds(view, row, node, &held);
		in->gpus = held.gpus_busy / sl_parts(view->cluster->gpu_parts);
	}
	in->node = shell_keep(shell, place.count && cell.text ? cell.text : "node");
	cell_free(&cell);
}

static void report_end(
	struct shell *shell, const struct shell_inside *in, const struct view *view, uint32_t row)
{
	char date[40];
	const enum sl_state state = view_state(view, row);
	const sl_time end = view->result->end[row];
	const bool limit = state == SL_TIMEOUT;
	(void)shell_date(shell, end == SL_NONE ? shell->now : end, date);
	if (!in->step)
		shell_says(shell, 0, "salloc: Job allocation %" PRId64 " has been revoked.", in->job);
	else if (state != SL_COMPLETED) {
		shell_says(shell, 0, "srun: Force Terminated job %" PRId64, in->job);
		shell_says(shell, 0, "slurmstepd: error: *** STEP %" PRId64 ".0 ON %s CANCELLED AT %s%s ***",
			in->job, in->node ? in->node : "node", date, limit ? " DUE TO TIME LIMIT" : "");
	}
}

int shell_check_inside(struct shell *shell, struct sl_err *err)
{
	struct view view;
	int64_t left = SL_NONE;
	if (!shell->depth || shell->trusted)
		return SL_OK;
	const int status = now_open(shell, &view, err);
	for (size_t i = 0; i < shell->depth && !status; i++) {
		struct shell_inside *in = &shell->inside[i];
		const uint32_t row = now_row(&view, in->job);
		if (row < view.submitted && view_state(&view, row) == SL_RUNNING) {
			if (!in->node)
				shell_inside_fill(shell, in, &view, row);
			continue;
		}
		if (row < view.submitted)
			report_end(shell, in, &view, row);
		left = in->job;
		shell->depth = i;
	}
	view_close(&view);
	if (status || left == SL_NONE)
		return status;
	return shell_entry_add(shell, shell_text(shell, "  left %" PRId64, left), err);
}

/* ---- exit ------------------------------------------------------------------------------------------- */

/* Its shell is left: it has run so long. */
static void shell_inside_leave(struct shell *shell, size_t at)
{
	const struct shell_inside *in = &shell->inside[at];
	shell->now++;
	for (size_t i = 0; i < shell->job_count && in->entered != SL_NONE; i++)
		if (shell->job[i].id == in->job)
			shell->job[i].run = shell->now > in->entered ? shell->now - in->entered : 1;
	shell->depth = at;
}

/* exit, or, as a session has it, "leave 7"; "left 7": the job had ended. */
SHELL_COMMAND(shell_leave)
{
	const bool ended = strcmp(words->word[0], "left") == 0;
	const bool named = ended || strcmp(words->word[0], "leave") == 0;
	int64_t id;
	if (!named && !shell->depth) {
		shell->quit = true;
		return SL_OK;
	}
	if (named && (words->count < 2 || !sl_get_i64(words->word[1], strlen(words->word[1]), &id)))
		return shell_says(shell, 2, "leave: of which job?");
	size_t at = shell->depth;
	while (at && named && shell->inside[at - 1].job != id)
		at--;
	if (!at)
		return SL_OK; /* It was left already. */
	const struct shell_inside in = shell->inside[at - 1];
	if (ended)
		shell->depth = at - 1;
	else
		shell_inside_leave(shell, at - 1);
	if (shell->trusted)
		return shell_entry_add(shell, line, err);
	(void)fputs("exit\n", stdout);
	if (!in.step)
		shell_says(shell, 0, "salloc: Relinquishing job allocation %" PRId64, in.job);
	return shell_entry_add(shell, shell_text(shell, "leave %" PRId64, in.job), err);
}

/* ---- Programs ------------------------------------------------------------------------------------------ */

static void put_devices(struct cell *cell, int64_t gpus)
{
	for (int64_t i = 0; i < gpus; i++)
		cell_put(cell, "%s%" PRId64, i ? "," : "", i);
}

/* The value of a variable of the job; NULL: there is none. */
static const char *variable(struct shell *shell, const char *name)
{
	const struct shell_inside *in = shell->depth ? &shell->inside[shell->depth - 1] : NULL;
	struct cell cell = { 0 };
	if (strcmp(name, "USER") == 0 || strcmp(name, "LOGNAME") == 0)
		return shell->user;
	if (strcmp(name, "HOSTNAME") == 0)
		return in && in->step ? in->node : "login";
	if (!in)
		return NULL;
	if (strcmp(name, "SLURM_JOB_ID") == 0 || strcmp(name, "SLURM_JOBID") == 0)
		return shell_text(shell, "%" PRId64, in->job);
	if (strcmp(name, "SLURM_JOB_NODELIST") == 0 || strcmp(name, "SLURM_NODELIST") == 0)
		return in->nodes;
	if (strcmp(name, "SLURM_NTASKS") == 0 || strcmp(name, "SLURM_NPROCS") == 0)
		return shell_text(shell, "%" PRId64, in->tasks);
	if (strcmp(name, "SLURM_JOB_USER") == 0)
		return in->user;
	if (strcmp(name, "SLURMD_NODENAME") == 0)
		return in->step ? in->node : NULL;
	if (strcmp(name, "CUDA_VISIBLE_DEVICES") != 0 || !in->gpus || !in->step)
		return NULL;
	put_devices(&cell, in->gpus);
	const char *text = shell_keep(shell, cell.text ? cell.text : "");
	cell_free(&cell);
	return text;
}

static const char *const variables[] = { "CUDA_VISIBLE_DEVICES", "HOSTNAME", "SLURMD_NODENAME",
	"SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_USER", "SLURM_NTASKS", "USER", NULL };

static void echo(struct shell *shell, char *const *word, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (i > 1)
			(void)fputc(' ', stdout);
		for (const char *p = word[i]; *p;) {
			if (*p != '$') {
				(void)fputc(*p++, stdout);
				continue;
			}
			const bool brace = p[1] == '{';
			const char *name = p + 1 + brace;
			const size_t len = strspn(
				name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
			char *key = shell_text(shell, "%.*s", (int)len, name);
			const char *value = *key ? variable(shell, key) : "$";
			(void)fputs(value ? value : "", stdout);
			p = name + len + (brace && name[len] == '}');
		}
	}
	(void)fputc('\n', stdout);
}

static void env(struct shell *shell, const char *only)
{
	for (size_t i = 0; variables[i]; i++) {
		const char *value = variable(shell, variables[i]);
		if (value && only && strcmp(only, variables[i]) == 0)
			printf("%s\n", value);
		else if (value && !only)
			printf("%s=%s\n", variables[i], value);
	}
}

static void nvidia_smi(struct shell *shell, bool list)
{
	const struct shell_inside *in = shell->depth ? &shell->inside[shell->depth - 1] : NULL;
	const int64_t gpus = in && in->step ? in->gpus : 0;
	if (!gpus) {
		(void)fputs("No devices were found\n", stdout);
		shell->status = 6;
		return;
	}
	if (!list)
		(void)fputs("schedlab: simulated; 'nvidia-smi -L' lists the devices\n", stdout);
	for (int64_t i = 0; i < gpus; i++)
		printf("GPU %" PRId64 ": Tesla V100-SXM2-32GB (UUID: GPU-simulated-%s-%" PRId64 ")\n", i,
			in->node, i);
}

/* Tasks go round the nodes. */
void shell_step(struct shell *shell, int64_t tasks, char *const *word, size_t count)
{
	struct shell_inside *in = &shell->inside[shell->depth - 1];
	const struct shell_inside was = *in;
	const int64_t hosts = in->host_count ? (int64_t)in->host_count : 1;
	in->step = true;
	bool known = true;
	for (int64_t i = 0; i < (tasks > hosts ? tasks : hosts) && known; i++) {
		if (was.host_count)
			in->node = was.host[i % hosts];
		known = shell_program(shell, word, count);
	}
	*in = was;
}

bool shell_program(struct shell *shell, char *const *word, size_t count)
{
	const struct shell_inside *in = shell->depth ? &shell->inside[shell->depth - 1] : NULL;
	const char *name = word[0];
	if (shell->trusted)
		return true;
	if (strcmp(name, "hostname") == 0)
		printf("%s\n", in && in->step ? in->node : "login");
	else if (strcmp(name, "whoami") == 0)
		printf("%s\n", shell->user);
	else if (strcmp(name, "echo") == 0)
		echo(shell, word, count);
	else if (strcmp(name, "env") == 0 || strcmp(name, "printenv") == 0)
		env(shell, count > 1 ? word[1] : NULL);
	else if (strcmp(name, "nvidia-smi") == 0)
		nvidia_smi(shell, count > 1 && strcmp(word[1], "-L") == 0);
	else
		return false;
	return true;
}
