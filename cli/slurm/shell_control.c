/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_control.c - scancel and scontrol: what users and operators do to jobs, nodes, partitions,
 * reservations.
 *
 * Who may is looked at here, in Slurm's words; what it does is the policy's matter (replay.commands).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/slurm/shell.h"

static bool is_root(const struct shell *shell) { return strcmp(shell->user, "root") == 0; }

/* The job is there, and not over; 0: it is none; -1: it is over. */
static int job_stands(struct shell *shell, const struct view *view, const char *text, bool *own)
{
	struct view_list list;
	struct sl_err ignored = { 0 };
	struct cell cell = { 0 };
	int stands = 0;
	*own = true;
	if (view_list(&list, text, shell->arena, &ignored) || !list.count)
		return 0;
	for (uint32_t row = 0; row < view->submitted; row++) {
		if (!list_has_job(&list, view, row))
			continue;
		if (!view_ended(view, row)) {
			stands = 1;
			cell_clear(&cell);
			put_user(&cell, view, row, "");
			*own &= is_root(shell) || (cell.text && strcmp(cell.text, shell->user) == 0);
		} else if (!stands) {
			stands = -1;
		}
	}
	cell_free(&cell);
	return stands;
}

/* The order is tried: what the policy cannot read is reported, and undone. Else it is recorded. */
int shell_order(struct shell *shell, const char *tool, const char *text, const char *line, struct sl_err *err)
{
	struct view view;
	struct sl_err wrong = { 0 };
	shell->now++;
	int status = shell_order_add(shell, text, err);
	if (!status && !shell->trusted) {
		status = now_open(shell, &view, &wrong);
		view_close(&view);
	}
	if (status == SL_INPUT || status == SL_USAGE) {
		const char *what = wrong.text; /* Behind the place in a file that nobody sees. */
		for (int colons = 0; strncmp(wrong.text, "/proc/", 6) == 0 && colons < 3 && strchr(what, ':');
			colons++)
			what = strchr(what, ':') + 1;
		shell->order_count--;
		shell->now--;
		return shell_says(shell, 1, "%s: error:%s%s", tool, *what == ' ' ? "" : " ", what);
	}
	if (status) {
		*err = wrong;
		return status;
	}
	status = shell_entry_add(shell, line, err);
	return status ? status : shell_check_inside(shell, err);
}

/* ---- scontrol ------------------------------------------------------------------------------------------ */

static bool starts(const char *text, const char *key) { return strncasecmp(text, key, strlen(key)) == 0; }

static int denied(struct shell *shell, const char *what)
{
	return shell_says(shell, 1, "%s error: Access/permission denied", what);
}

static bool job_runs(struct shell *shell, const struct view *view, const char *text)
{
	struct view_list list;
	struct sl_err ignored = { 0 };
	bool runs = false;
	if (view_list(&list, text, shell->arena, &ignored))
		return false;
	for (uint32_t row = 0; row < view->submitted; row++)
		runs |= list_has_job(&list, view, row) && view_state(view, row) == SL_RUNNING;
	return runs;
}

/* Jobs that a verb names: each has to be there, and one's own. True: all are. */
static int jobs_good(struct shell *shell, const struct view *view, const struct shell_words *words,
	size_t first, const char *call, bool *good)
{
	bool own;
	const bool holds = first == 2 && strstr(words->word[1], "hold") && words->word[1][0] != 'r';
	*good = true;
	for (size_t i = first; i < words->count && *good; i++) {
		const int stands = job_stands(shell, view, words->word[i], &own);
		*good = stands == 1 && own;
		if (*good && holds && job_runs(shell, view, words->word[i])) {
			*good = false;
			return shell_says(shell, 1, "%s error: Job is no longer pending execution", call);
		}
		const bool updates = strcmp(call, "slurm_update") == 0;
		const char *why = stands == 1 ? (updates ? "Access/permission denied" : "Invalid user id")
				  : stands    ? "Job/step already completing or completed"
					      : "Invalid job id specified";
		if (stands == 1 && own)
			continue;
		(void)shell_says(shell, 1, "%s for job %s", why, words->word[i]);
		if (strcmp(call, "slurm_suspend") == 0)
			(void)shell_says(shell, 1, "%s error: %s", call, why);
		return SL_OK;
	}
	return SL_OK;
}

static bool has_node(const struct view *view, const char *hosts)
{
	return strcasecmp(hosts, "ALL") == 0 || names_nodes(view, hosts);
}

static bool has_partition(const struct view *view, const char *name)
{
	for (uint32_t i = 0; i < view->partition_count; i++)
		if (strcasecmp(view->partition[i].name, name) == 0)
			return true;
	return false;
}

static bool has_reservation(const struct view *view, const char *name)
{
	for (uint32_t i = 0; i < view->reservation_count; i++)
		if (view->reservation[i].name && strcmp(view->reservation[i].name, name) == 0)
			return true;
	return false;
}

/* The value of "KEY=value" among the words; NULL. */
static const char *shell_control_value_of(const struct shell_words *words, const char *key)
{
	for (size_t i = 2; i < words->count; i++)
		if (starts(words->word[i], key) && strchr(words->word[i], '='))
			return strchr(words->word[i], '=') + 1;
	return NULL;
}

static bool is_node_state(const char *text)
{
	static const char *const states[] = { "DOWN", "DRAIN", "FAIL", "FUTURE", "IDLE", "NoResp",
		"POWER_DOWN", "POWER_DOWN_ASAP", "POWER_DOWN_FORCE", "POWER_UP", "RESUME", "UNDRAIN",
		"CANCEL_REBOOT" };
	for (size_t i = 0; i < SL_LEN(states); i++)
		if (strcasecmp(states[i], text) == 0)
			return true;
	return false;
}

/* What an update is of has to be there, and its user has to be allowed to. */
static int update_good(
	struct shell *shell, const struct view *view, const struct shell_words *words, bool *good)
{
	*good = false;
	const char *pair = words->count > 2 ? words->word[2] : "";
	const char *value = strchr(pair, '=') ? strchr(pair, '=') + 1 : "";
	if (starts(pair, "job")) {
		struct shell_words one = { .count = 2 };
		one.word[1] = shell_keep(shell, value);
		const int status = jobs_good(shell, view, &one, 1, "slurm_update", good);
		for (size_t i = 3; i < words->count && *good && !is_root(shell); i++)
			if (starts(words->word[i], "priority") || starts(words->word[i], "nice=-"))
				*good = false;
		return status || *good || shell->status ? status : denied(shell, "slurm_update");
	}
	const bool node = starts(pair, "node");
	const bool partition = starts(pair, "partition");
	const bool reservation = starts(pair, "res");
	if (!node && !partition && !reservation) {
		(void)shell_says(shell, 1, "No valid entity in update command");
		return shell_says(shell, 1,
			"Input line must include \"NodeName\", \"PartitionName\", \"Reservation\", \"JobId\", or "
			"\"SlurmctldDebug\"");
	}
	if (!is_root(shell))
		return shell_says(shell, 1, "%s: Invalid user id",
			reservation ? "Error updating the reservation" : "slurm_update error");
	if (node && !has_node(view, value))
		return shell_says(shell, 1, "slurm_update error: Invalid node name specified");
	const char *state = shell_control_value_of(words, "state");
	if (node && state && !shell_control_value_of(words, "reason") &&
		(strcasecmp(state, "DRAIN") == 0 || strcasecmp(state, "DOWN") == 0 ||
			strcasecmp(state, "FAIL") == 0))
		return shell_says(shell, 1,
			"You must specify a reason when DOWNING or DRAINING a node. Request denied");
	if (node && state && !is_node_state(state)) {
		(void)shell_says(shell, 1, "Invalid input: State=%s", state);
		return shell_says(shell, 1, "Request aborted");
	}
	if (partition && !has_partition(view, value))
		return shell_says(shell, 1, "slurm_update error: Invalid partition name specified");
	if (reservation && !has_reservation(view, value))
		return shell_says(
			shell, 1, "Error updating the reservation: Requested reservation is invalid");
	*good = true;
	return SL_OK;
}

static SHELL_COMMAND(create)
{
	struct view view;
	struct cell text = { 0 };
	if (words->count < 3)
		return shell_says(shell, 1, "too few arguments for create keyword");
	if (!starts(words->word[2], "res"))
		return shell_says(shell, 1, "schedlab: only reservations can be created here");
	if (!shell_control_value_of(words, "starttime") && !shell_control_value_of(words, "start="))
		return shell_says(
			shell, 1, "scontrol: error: A start time must be given.  No reservation created.");
	static const struct {
		const char *one, *other, *more, *said;
	} needs[] = {
		{ "endtime", "duration", "duration", "An end time or duration must be given" },
		{ "nodes", "nodecnt", "corecnt",
			"CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified" },
		{ "users", "accounts", "groups", "Either Users/Groups and/or Accounts must be specified" },
	};
	for (size_t i = 0; i < SL_LEN(needs); i++)
		if (!shell_control_value_of(words, needs[i].one) &&
			!shell_control_value_of(words, needs[i].other) &&
			!shell_control_value_of(words, needs[i].more) &&
			!shell_control_value_of(words, "licenses"))
			return shell_says(
				shell, 1, "scontrol: error: %s.  No reservation created.", needs[i].said);
	if (!is_root(shell))
		return shell_says(shell, 1, "Error creating the reservation: Invalid user id");
	const char *name = shell_control_value_of(words, "reservation");
	cell_put(&text, "%s", line);
	if (!name) {
		size_t made = 1;
		for (size_t i = 0; i < shell->order_count; i++)
			made += starts(shell->order[i].text, "scontrol create");
		name = shell_text(shell, "%s_%zu", shell->user, made);
		cell_put(&text, " ReservationName=%s", name);
	}
	const size_t orders = shell->order_count;
	int status =
		shell_order(shell, "scontrol", text.text ? text.text : "", text.text ? text.text : "", err);
	if (!status && !shell->trusted && shell->order_count > orders) {
		status = now_open(shell, &view, err);
		const bool made = !status && has_reservation(&view, name);
		view_close(&view);
		if (made)
			printf("Reservation created: %s\n", name);
		else if (!status) {
			shell->order_count--;
			shell->entry_count--;
			shell->now--;
			(void)shell_says(
				shell, 1, "Error creating the reservation: Requested nodes are busy");
			status = shell->file ? shell_save(shell, shell->file, err) : SL_OK;
		}
	}
	cell_free(&text);
	return status;
}

/* ---- Verbs ------------------------------------------------------------------------------------------------
 */

static int delete_good(
	struct shell *shell, const struct view *view, const struct shell_words *words, bool *good)
{
	const char *name = strchr(words->word[words->count - 1], '=');
	*good = is_root(shell) && name && has_reservation(view, name + 1);
	if (*good)
		return SL_OK;
	return shell_says(shell, 1, "delete_reservation %s: %s", words->word[2],
		is_root(shell) ? "Requested reservation is invalid" : "Invalid user id");
}

static int signals_good(
	struct shell *shell, const struct view *view, const struct shell_words *words, bool *good)
{
	return jobs_good(shell, view, words, 2, "slurm_suspend", good);
}

static int requeues_good(
	struct shell *shell, const struct view *view, const struct shell_words *words, bool *good)
{
	return jobs_good(shell, view, words, 2, "slurm_requeue", good);
}

static const struct verb {
	const char *word;
	int (*check)(
		struct shell *shell, const struct view *view, const struct shell_words *words, bool *good);
	bool operators; /* Of operators alone. */
} verbs[] = {
	{ "hold", signals_good, false },
	{ "uhold", signals_good, false },
	{ "release", signals_good, false },
	{ "requeue", requeues_good, false },
	{ "requeuehold", requeues_good, false },
	{ "suspend", signals_good, true },
	{ "resume", signals_good, true },
	{ "top", signals_good, true },
	{ "update", update_good, false },
	{ "delete", delete_good, false },
};

static int do_verb(struct shell *shell, const struct verb *verb, const struct shell_words *words,
	const char *line, struct sl_err *err)
{
	struct view view;
	bool good = true;
	int status = SL_OK;
	if (!shell->trusted && verb->operators && !is_root(shell))
		return shell_says(shell, 1, "Access/permission denied for job %s", words->word[2]);
	if (!shell->trusted) {
		status = now_open(shell, &view, err);
		if (!status)
			status = verb->check(shell, &view, words, &good);
		view_close(&view);
	}
	if (status || !good)
		return status;
	/* A user's own hold is one that the user may release. */
	const char *said = words->word[1];
	const bool by_user = strcasecmp(said, "hold") == 0 && !is_root(shell);
	const char *text = by_user ? shell_text(shell, "scontrol uhold%s", strstr(line, said) + strlen(said))
				   : shell_keep(shell, line);
	return shell_order(shell, "scontrol", text, line, err);
}

SHELL_COMMAND(shell_scontrol)
{
	int status = SL_OK;
	const char *verb = words->count > 1 ? words->word[1] : "";
	if (strcasecmp(verb, "version") == 0 || strcmp(verb, "--version") == 0 || strcmp(verb, "-V") == 0) {
		(void)printf("slurm-wlm %s\n", now_release(shell));
		return SL_OK;
	}
	if (shell_shows(shell, words, &status, err))
		return status;
	if (!now_follows_orders(shell))
		return shell_says(shell, 1,
			"scontrol: error: policy %s follows no commands: 'schedlab shell -p slurm' does",
			shell->policy);
	if (strcasecmp(verb, "create") == 0)
		return create(shell, words, line, err);
	size_t known = 0;
	while (known < SL_LEN(verbs) && strcasecmp(verbs[known].word, verb) != 0)
		known++;
	if (known == SL_LEN(verbs))
		return shell_says(shell, 1, "invalid keyword: %s", verb);
	if (words->count < 3)
		return shell_says(shell, 1, "too few arguments for keyword:%s", verb);
	return do_verb(shell, &verbs[known], words, line, err);
}
