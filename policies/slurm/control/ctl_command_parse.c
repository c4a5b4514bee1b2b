/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command_parse.c - operators' commands, parsed before the run: scontrol(1), scancel(1).
 *
 * Read-only commands are ignored. A command that would change what is not modelled is an error, with its
 * line: a replay without it would be of another cluster.
 */
#include "policies/slurm/control/ctl_command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int command_wrong(
	const struct command_words *words, uint32_t word, struct sl_err *err, const char *format, ...)
{
	char text[400];
	struct sl_place at = words->source->where;
	if (word < words->count && at.column)
		at.column += words->word[word].column;
	va_list list;
	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return at.file ? sl_fail_at(err, &at, "%s", text) : sl_fail(err, SL_INPUT, "%s", text);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Up to a blank that is in no quotes; written to out without them. Returns behind it; NULL: a quote is open.
 */
static const char *one_word(const char *p, char *out)
{
	char quote = 0;
	for (; *p && (quote || (*p != ' ' && *p != '\t')); p++) {
		if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
		else if (quote && *p == quote)
			quote = 0;
		else
			*out++ = *p;
	}
	*out = '\0';
	return quote ? NULL : p;
}

int command_words(
	struct ctl *c, const struct sl_command *source, struct command_words *words, struct sl_err *err)
{
	words->count = 0;
	words->source = source;
	char *space = sl_alloc(c->arena, 2 * strlen(source->text) + 2, 1);
	if (!space)
		return sl_fail_memory(err);
	for (const char *p = source->text; *(p += strspn(p, " \t"));) {
		if (words->count == COMMAND_WORDS_MAX)
			return command_wrong(
				words, 0, err, "a command has more than %d words", COMMAND_WORDS_MAX);
		words->word[words->count++] = (struct command_word){ space, (uint32_t)(p - source->text) };
		p = one_word(p, space);
		if (!p)
			return command_wrong(words, words->count - 1, err, "a quote is not closed");
		space += strlen(space) + 1;
	}
	return SL_OK;
}

static const char *ctl_command_parse_text_of(const struct command_words *words, uint32_t i)
{
	return i < words->count ? words->word[i].text : "";
}

/* As the whole word, in any case, or its beginning where so many letters will do. */
static bool ctl_command_parse_is_word(const char *text, const char *word)
{
	return strcasecmp(text, word) == 0;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* "17,18_[1-3]" is added to the command's rows, each once, ascending. */
static int add_jobs(struct ctl *c, const struct command_words *words, uint32_t word, const char *list,
	struct command *command, struct sl_err *err)
{
	for (const char *at = list; *at;) {
		size_t len = 0;
		for (int depth = 0; at[len] && (at[len] != ',' || depth); len++)
			depth += (at[len] == '[') - (at[len] == ']');
		const size_t found = len ? ctl_rows_named(c, at, len, NULL, 0) : 0;
		if (found == SIZE_MAX)
			return command_wrong(words, word, err, "'%.*s' is no job's id", (int)len, at);
		uint32_t *row = sl_alloc(c->arena, command->row_count + found + 1, sizeof(*row));
		if (!row)
			return sl_fail_memory(err);
		if (command->row_count)
			memcpy(row, command->row, command->row_count * sizeof(*row));
		if (len)
			(void)ctl_rows_named(c, at, len, row + command->row_count, found);
		command->row = row;
		command->row_count += (uint32_t)found;
		at += len + (at[len] != '\0');
	}
	command->named = true;
	if (command->kind == COMMAND_TOP)
		return SL_OK;
	uint32_t kept = 0;
	if (command->row_count)
		qsort(command->row, command->row_count, sizeof(*command->row), compare_rows);
	for (uint32_t i = 0; i < command->row_count; i++)
		if (!kept || command->row[i] != command->row[kept - 1])
			command->row[kept++] = command->row[i];
	command->row_count = kept;
	return SL_OK;
}

static int parse_jobs(struct ctl *c, const struct command_words *words, uint32_t first,
	struct command *command, struct sl_err *err)
{
	int status = SL_OK;
	if (first >= words->count)
		return command_wrong(words, 0, err, "no job is named");
	for (uint32_t i = first; i < words->count && !status; i++)
		status = add_jobs(c, words, i, words->word[i].text, command, err);
	return status;
}

/* ---- scontrol -------------------------------------------------------------------------------- */

/* What the first key of an update names. */
static enum command_kind updated(const char *pair)
{
	static const struct {
		const char *key;
		enum command_kind kind;
	} keys[] = {
		{ "JobId", COMMAND_JOB },
		{ "Job", COMMAND_JOB },
		{ "NodeName", COMMAND_NODE },
		{ "Node", COMMAND_NODE },
		{ "PartitionName", COMMAND_PARTITION },
		{ "Partition", COMMAND_PARTITION },
		{ "ReservationName", COMMAND_RESERVATION },
		{ "Reservation", COMMAND_RESERVATION },
	};
	const size_t len = strcspn(pair, "=+-");
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (strlen(keys[i].key) == len && strncasecmp(keys[i].key, pair, len) == 0)
			return keys[i].kind;
	return COMMAND_NOTHING;
}

static int parse_update(struct ctl *c, const struct command_words *words, uint32_t first,
	struct command *command, struct sl_err *err)
{
	command->kind = updated(ctl_command_parse_text_of(words, first));
	if (command->kind == COMMAND_NOTHING)
		return command_wrong(words, first, err,
			"'%.100s': an update begins with JobId=, NodeName=, PartitionName= or ReservationName=",
			ctl_command_parse_text_of(words, first));
	if (command->kind == COMMAND_RESERVATION) {
		command->verb = "update";
		command->rest = words->source->text + words->word[first].column;
		return SL_OK;
	}
	int status = command_pairs(c, words, first, command, err);
	if (!status && command->kind == COMMAND_JOB)
		status = add_jobs(c, words, first, command->pair[0].value, command, err);
	return status;
}

/* "create [reservation] KEY=VALUE...", "delete KEY=NAME": the reservations' own matter. */
static int parse_reservation(
	const struct command_words *words, uint32_t verb, struct command *command, struct sl_err *err)
{
	uint32_t first = verb + 1;
	if (ctl_command_parse_is_word(ctl_command_parse_text_of(words, first), "reservation") ||
		ctl_command_parse_is_word(ctl_command_parse_text_of(words, first), "res"))
		first++;
	if (first >= words->count)
		return command_wrong(words, verb, err, "no reservation is described");
	command->kind = COMMAND_RESERVATION;
	command->verb = ctl_command_parse_is_word(ctl_command_parse_text_of(words, verb), "create")
				? "create"
				: "delete";
	command->rest = words->source->text + words->word[first].column;
	return SL_OK;
}

static int parse_scontrol(struct ctl *c, const struct command_words *words, uint32_t verb,
	struct command *command, struct sl_err *err)
{
	static const struct {
		const char *verb;
		enum command_kind kind;
	} verbs[] = {
		{ "hold", COMMAND_HOLD },
		{ "uhold", COMMAND_UHOLD },
		{ "release", COMMAND_RELEASE },
		{ "requeue", COMMAND_REQUEUE },
		{ "requeuehold", COMMAND_REQUEUEHOLD },
		{ "suspend", COMMAND_SUSPEND },
		{ "resume", COMMAND_RESUME },
		{ "top", COMMAND_TOP },
	};
	static const char *const shows[] = { "show", "ping", "version", "write", "listpids", "getaddrs",
		"help", "details", "reconfigure" };
	while (verb < words->count && ctl_command_parse_text_of(words, verb)[0] == '-')
		verb++; /* How it is printed. */
	const char *word = ctl_command_parse_text_of(words, verb);
	for (size_t i = 0; i < SL_LEN(verbs); i++)
		if (ctl_command_parse_is_word(word, verbs[i].verb)) {
			command->kind = verbs[i].kind;
			return parse_jobs(c, words, verb + 1, command, err);
		}
	for (size_t i = 0; i < SL_LEN(shows); i++)
		if (ctl_command_parse_is_word(word, shows[i]))
			return SL_OK;
	if (ctl_command_parse_is_word(word, "update"))
		return parse_update(c, words, verb + 1, command, err);
	if (ctl_command_parse_is_word(word, "create") || ctl_command_parse_is_word(word, "delete"))
		return parse_reservation(words, verb, command, err);
	return command_wrong(words, verb, err,
		"'scontrol %.60s' is not followed: hold, uhold, release, requeue, requeuehold, suspend, resume, "
		"top, update, create and delete are",
		word);
}

/* ---- scancel --------------------------------------------------------------------------------- */

static int add_states(const struct command_words *words, uint32_t word, const char *list,
	struct command_filter *filter, struct sl_err *err)
{
	static const struct {
		const char *name;
		enum ctl_state state;
	} states[] = {
		{ "PENDING", CTL_PENDING },
		{ "PD", CTL_PENDING },
		{ "RUNNING", CTL_RUNNING },
		{ "R", CTL_RUNNING },
		{ "SUSPENDED", CTL_SUSPENDED },
		{ "S", CTL_SUSPENDED },
		{ "CONFIGURING", CTL_CONFIGURING },
		{ "CF", CTL_CONFIGURING },
	};
	for (const char *at = list; *at;) {
		const size_t len = strcspn(at, ",");
		size_t i = 0;
		while (i < SL_LEN(states) &&
			(strlen(states[i].name) != len || strncasecmp(states[i].name, at, len) != 0))
			i++;
		if (i == SL_LEN(states) || filter->state_count == COMMAND_STATES_MAX)
			return command_wrong(words, word, err,
				"'%.*s' is no state to cancel jobs in: PENDING, RUNNING and SUSPENDED are",
				(int)len, at);
		filter->state[filter->state_count++] = states[i].state;
		at += len + (at[len] != '\0');
	}
	return SL_OK;
}

static const struct {
	const char *word;
	char letter;
	char value; /* What becomes of its value; 0: it has none, and means nothing here. */
} cancel_options[] = {
	{ "account", 'A', 'A' },
	{ "name", 'n', 'n' },
	{ "jobname", 0, 'n' },
	{ "partition", 'p', 'p' },
	{ "qos", 'q', 'q' },
	{ "reservation", 'R', 'R' },
	{ "state", 't', 't' },
	{ "user", 'u', 'u' },
	{ "signal", 's', 's' },
	{ "quiet", 'Q', 0 },
	{ "verbose", 'v', 0 },
	{ "full", 'f', 0 },
	{ "hurry", 'H', 0 },
	{ "ctld", 0, 0 },
	{ "batch", 'b', 0 },
	{ "interactive", 'i', 0 },
};

static int cancel_option(const struct command_words *words, uint32_t word, char which, const char *value,
	struct command *command, struct sl_err *err)
{
	struct command_filter *filter = &command->filter;
	filter->any |= which != 's';
	switch (which) {
	case 'A':
		filter->account = value;
		break;
	case 'n':
		filter->name = value;
		break;
	case 'p':
		filter->partition = value;
		break;
	case 'q':
		filter->qos = value;
		break;
	case 'R':
		filter->reservation = value;
		break;
	case 'u':
		filter->user = value;
		break;
	case 't':
		return add_states(words, word, value, filter, err);
	default: /* A signal: only one that ends them. */
		if (!ctl_command_parse_is_word(value, "KILL") &&
			!ctl_command_parse_is_word(value, "SIGKILL") &&
			!ctl_command_parse_is_word(value, "9"))
			return command_wrong(words, word, err,
				"'scancel --signal=%.30s' is not followed: what a job does then is not known",
				value);
	}
	return SL_OK;
}

/* The option of the word, and where its value stands: behind "=", behind the letter, or the next word (NULL).
 */
static int find_option(const char *text, const char **value)
{
	const bool is_long = text[1] == '-';
	const size_t len = is_long ? strcspn(text + 2, "=") : 1;
	*value = NULL;
	for (size_t i = 0; i < SL_LEN(cancel_options); i++) {
		if (is_long ? strlen(cancel_options[i].word) != len ||
					strncmp(cancel_options[i].word, text + 2, len) != 0
			    : cancel_options[i].letter != text[1])
			continue;
		const char *rest = is_long ? text + 2 + len : text + 2;
		if (*rest)
			*value = rest + (*rest == '=');
		return (int)i;
	}
	return -1;
}

static int parse_scancel(struct ctl *c, const struct command_words *words, uint32_t first,
	struct command *command, struct sl_err *err)
{
	int status = SL_OK;
	bool none = false;
	command->kind = COMMAND_CANCEL;
	for (uint32_t i = first; i < words->count && !status; i++) {
		const char *text = words->word[i].text;
		const char *value;
		if (text[0] != '-') {
			none |= strcmp(text, "0") == 0;
			status = add_jobs(c, words, i, text, command, err);
			continue;
		}
		const int option = find_option(text, &value);
		if (option < 0)
			return command_wrong(words, i, err, "'scancel %.60s' is not followed", text);
		const uint32_t at = i;
		const char which = cancel_options[option].value;
		if (which && !value && ++i >= words->count)
			return command_wrong(words, at, err, "'%.60s' needs a value", text);
		if (which)
			status = cancel_option(words, at, which,
				value ? value : ctl_command_parse_text_of(words, i), command, err);
	}
	if (!status && !command->named && !command->filter.any)
		status = command_wrong(words, 0, err, "no job is named");
	command->all = !command->named;
	if (none) /* No job's number: scancel ends before it has cancelled any of the others. */
		command->kind = COMMAND_NOTHING;
	return status;
}

/* ---- All ------------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_modify(const struct command_words *words, uint32_t *verb)
{
	while (*verb < words->count && ctl_command_parse_text_of(words, *verb)[0] == '-')
		++*verb;
	return ctl_command_parse_is_word(ctl_command_parse_text_of(words, *verb), "modify") ||
	       ctl_command_parse_is_word(ctl_command_parse_text_of(words, *verb), "update");
}

int command_parse(
	struct ctl *c, const struct command_words *words, struct command *command, struct sl_err *err)
{
	static const char *const shows[] = { "squeue", "sinfo", "sprio", "sshare", "sacct", "sdiag", "sstat",
		"sreport", "sleep", "date", "true" };
	uint32_t first = ctl_command_parse_is_word(ctl_command_parse_text_of(words, 0), "sudo") ? 1 : 0;
	const char *program = base_of(ctl_command_parse_text_of(words, first));
	first++;
	if (ctl_command_parse_is_word(program, "scontrol"))
		return parse_scontrol(c, words, first, command, err);
	if (ctl_command_parse_is_word(program, "scancel"))
		return parse_scancel(c, words, first, command, err);
	for (size_t i = 0; i < SL_LEN(shows); i++)
		if (ctl_command_parse_is_word(program, shows[i]))
			return SL_OK;
	if (ctl_command_parse_is_word(program, "sacctmgr")) {
		const bool modify = is_modify(words, &first);
		const char *verb = ctl_command_parse_text_of(words, first);
		command->kind = modify ? COMMAND_ACCOUNTS : COMMAND_NOTHING;
		command->rest = modify ? words->source->text : NULL;
		if (modify || ctl_command_parse_is_word(verb, "show") ||
			ctl_command_parse_is_word(verb, "list"))
			return SL_OK;
		return command_wrong(words, first, err, "'sacctmgr %.60s' is not followed: modify is", verb);
	}
	return command_wrong(words, first - 1, err,
		"'%.60s' is not followed: scontrol, scancel and sacctmgr modify are", program);
}
