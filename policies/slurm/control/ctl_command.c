/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command.c - scontrol, scancel and sacctmgr, at their times: read before the run, run when due.
 */
#include "policies/slurm/control/ctl_command.h"

#include <stdlib.h>
#include <string.h>

/* ---- Jobs by name ---------------------------------------------------------------------------- */

static bool is_name(const struct ctl *c, uint32_t row, const char *text, size_t len)
{
	const char *name = c->jobs->id_name ? c->jobs->id_name[row] : NULL;
	return name && strlen(name) == len && memcmp(name, text, len) == 0;
}

static bool ctl_command_is_number(const struct ctl *c, uint32_t row, int64_t id)
{
	return c->jobs->id[row] == id && !(c->jobs->id_name && c->jobs->id_name[row]);
}

/* "[1-3,7:2]" or "4": whether the index is one of them. */
static bool has_task(const char *text, size_t len, int64_t task)
{
	if (len && text[len - 1] == ']')
		len--;
	if (len && text[0] == '[') {
		text++;
		len--;
	}
	for (const char *end = text + len; text < end;) {
		const char *stop = memchr(text, ',', (size_t)(end - text));
		stop = stop ? stop : end;
		const size_t first = strspn(text, "0123456789");
		int64_t from, until, step = 1;
		if (!sl_get_i64(text, first, &from))
			return false;
		until = from;
		const char *at = text + first;
		if (at < stop && *at == '-') {
			const size_t more = strspn(++at, "0123456789");
			if (!sl_get_i64(at, more, &until))
				return false;
			at += more;
		}
		if (at < stop && *at == ':' &&
			(!sl_get_i64(at + 1, (size_t)(stop - at - 1), &step) || step < 1))
			return false;
		if (task >= from && task <= until && (task - from) % step == 0)
			return true;
		text = stop + 1;
	}
	return false;
}

/* Of an array: all its tasks, or those behind the line. */
static bool is_of_array(const struct ctl_job *job, int64_t id, const char *tasks, size_t len)
{
	if (job->more->array != id)
		return false;
	return !tasks || (len == 1 && *tasks == '*') || has_task(tasks, len, job->more->array_task);
}

/* "7+1" of the heterogeneous job 7; by "7" all of its components; by "8" its second one, if no other job has
 * that number. */
static bool is_component(
	const struct ctl *c, const struct ctl_job *job, int64_t id, int64_t offset, bool found)
{
	const int64_t leader = c->jobs->id[job->of];
	if (!job->het || (c->jobs->id_name && c->jobs->id_name[job->of]))
		return false;
	if (offset != SL_NONE)
		return leader == id && job->het_offset == offset;
	return job->het_offset && (leader == id || (!found && leader + job->het_offset == id));
}

size_t ctl_rows_named(const struct ctl *c, const char *text, size_t len, uint32_t *row, size_t capacity)
{
	const size_t digits = strspn(text, "0123456789");
	const size_t front = digits < len ? digits : len;
	const char *tasks = front < len && text[front] == '_' ? text + front + 1 : NULL;
	const bool component = front < len && text[front] == '+';
	const size_t tasks_len = tasks ? len - front - 1 : 0;
	size_t count = 0;
	int64_t id = SL_NONE;
	int64_t offset = SL_NONE;
	if (component && !sl_get_i64(text + front + 1, len - front - 1, &offset))
		return SIZE_MAX;
	const bool numbered = (front == len || tasks_len || component) && sl_get_i64(text, front, &id);
	for (uint32_t i = 0; i < c->job_count; i++) {
		const bool of_trace = i < c->jobs->count;
		bool meant = of_trace && is_name(c, i, text, len);
		if (!meant && numbered && !component && of_trace)
			meant = (!tasks && ctl_command_is_number(c, i, id)) ||
				is_of_array(&c->job[i], id, tasks, tasks_len);
		if (!meant && numbered && !tasks)
			meant = is_component(c, &c->job[i], id, offset, count > 0);
		if (meant && count < capacity)
			row[count] = i;
		count += meant;
	}
	return count || numbered ? count : SIZE_MAX;
}

/* ---- Made ------------------------------------------------------------------------------------ */

static int compare_commands(const void *a, const void *b)
{
	const struct command *x = a;
	const struct command *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (!x->source != !y->source) /* Jobs that were held let themselves go first. */
		return !x->source ? -1 : 1;
	if (!x->source)
		return (x->row[0] > y->row[0]) - (x->row[0] < y->row[0]);
	return (x->source > y->source) - (x->source < y->source); /* Of one array: as in the file. */
}

/* A job that by the log was held, and released at a known time. */
static bool lets_go(const struct ctl_job *job) { return job->more->held && job->more->begin != SL_NONE; }

static int read_commands(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	struct ctl_commands *commands = c->commands;
	struct command_words *words = malloc(sizeof(*words));
	int status = words ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < setup->command_count && !status; i++) {
		struct command *command = &commands->command[commands->count++];
		*command = (struct command){ .at = setup->command[i].at, .source = &setup->command[i] };
		status = command_words(c, &setup->command[i], words, err);
		if (!status)
			status = command_parse(c, words, command, err);
	}
	free(words);
	return status;
}

static int add_releases(struct ctl *c, struct sl_err *err)
{
	struct ctl_commands *commands = c->commands;
	for (uint32_t row = 0; row < c->jobs->count; row++) {
		if (!lets_go(&c->job[row]))
			continue;
		const sl_time begin = c->job[row].more->begin;
		struct command *command = &commands->command[commands->count++];
		*command =
			(struct command){ .at = begin > c->jobs->submit[row] ? begin : c->jobs->submit[row],
				.kind = COMMAND_RELEASE,
				.row_count = 1,
				.named = true };
		command->row = sl_alloc(c->arena, 1, sizeof(*command->row));
		if (!command->row)
			return sl_fail_memory(err);
		command->row[0] = row;
	}
	return SL_OK;
}

int ctl_command_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	size_t count = setup->command_count;
	for (uint32_t row = 0; row < c->jobs->count; row++)
		count += lets_go(&c->job[row]);
	c->commands = sl_alloc(c->arena, 1, sizeof(*c->commands));
	if (!c->commands)
		return sl_fail_memory(err);
	c->commands->command = sl_alloc(c->arena, count + 1, sizeof(*c->commands->command));
	if (!c->commands->command)
		return sl_fail_memory(err);
	int status = read_commands(c, setup, err);
	if (!status)
		status = add_releases(c, err);
	if (!status)
		qsort(c->commands->command, c->commands->count, sizeof(*c->commands->command),
			compare_commands);
	return status;
}

uint32_t ctl_command_suspended(const struct ctl *c)
{
	uint32_t jobs = 0;
	for (size_t i = 0; i < c->commands->count; i++)
		if (c->commands->command[i].kind == COMMAND_SUSPEND)
			jobs += c->commands->command[i].row_count;
	return jobs;
}

/* ---- Done ------------------------------------------------------------------------------------ */

sl_time ctl_command_next(const struct ctl *c)
{
	const struct ctl_commands *commands = c->commands;
	return commands && commands->done < commands->count ? commands->command[commands->done].at : SL_NEVER;
}

void ctl_command_run(struct ctl *c)
{
	while (ctl_command_next(c) <= c->now_us)
		command_do(c, &c->commands->command[c->commands->done++]);
}
