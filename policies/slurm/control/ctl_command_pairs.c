/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_command_pairs.c - the keys of scontrol update, and how their values read.
 */
#include "policies/slurm/control/ctl_command.h"

#include <string.h>
#include <strings.h>

enum value_kind {
	VALUE_TEXT,
	VALUE_NUMBER,
	VALUE_RANGE,   /* "2", "2-4": number, second; SL_NONE: no upper bound is said. */
	VALUE_MINUTES, /* As sbatch --time; UNLIMITED: CTL_NEVER. With + or -: relative. */
	VALUE_SECONDS, /* A number, or UNLIMITED. */
	VALUE_MEMORY,  /* MiB */
	VALUE_TIME,    /* Seconds since 1970. */
	VALUE_YES,
	VALUE_IGNORED /* Changes nothing here. */
};

struct key {
	const char *key;
	enum value_kind kind;
	const char *as; /* What it is called from then on; NULL: the same. */
};

static const struct key job_keys[] = {
	{ "JobId", VALUE_TEXT, NULL },
	{ "Job", VALUE_TEXT, "JobId" },
	{ "Priority", VALUE_TEXT, NULL },
	{ "Nice", VALUE_NUMBER, NULL },
	{ "TimeLimit", VALUE_MINUTES, NULL },
	{ "TimeMin", VALUE_MINUTES, NULL },
	{ "MinTime", VALUE_MINUTES, "TimeMin" },
	{ "Partition", VALUE_TEXT, NULL },
	{ "QOS", VALUE_TEXT, NULL },
	{ "Account", VALUE_TEXT, NULL },
	{ "StartTime", VALUE_TIME, NULL },
	{ "EligibleTime", VALUE_TIME, "StartTime" },
	{ "Deadline", VALUE_TIME, NULL },
	{ "Dependency", VALUE_TEXT, NULL },
	{ "ReservationName", VALUE_TEXT, NULL },
	{ "Reservation", VALUE_TEXT, "ReservationName" },
	{ "Features", VALUE_TEXT, NULL },
	{ "Prefer", VALUE_TEXT, NULL },
	{ "Licenses", VALUE_TEXT, NULL },
	{ "NumNodes", VALUE_RANGE, NULL },
	{ "ReqNodes", VALUE_RANGE, "NumNodes" },
	{ "NumTasks", VALUE_NUMBER, NULL },
	{ "ReqProcs", VALUE_NUMBER, "NumTasks" },
	{ "NumCPUs", VALUE_RANGE, NULL },
	{ "ReqNodeList", VALUE_TEXT, NULL },
	{ "NodeList", VALUE_TEXT, "ReqNodeList" },
	{ "ExcNodeList", VALUE_TEXT, NULL },
	{ "MinMemoryNode", VALUE_MEMORY, NULL },
	{ "MinMemoryCPU", VALUE_MEMORY, NULL },
	{ "Requeue", VALUE_YES, NULL },
	{ "Contiguous", VALUE_YES, NULL },
	{ "ArrayTaskThrottle", VALUE_NUMBER, NULL },
	{ "Comment", VALUE_IGNORED, NULL },
	{ "AdminComment", VALUE_IGNORED, NULL },
	{ "WCKey", VALUE_IGNORED, NULL },
	{ "MailType", VALUE_IGNORED, NULL },
	{ "MailUser", VALUE_IGNORED, NULL },
	{ "StdOut", VALUE_IGNORED, NULL },
	{ 0 },
};

static const struct key node_keys[] = {
	{ "NodeName", VALUE_TEXT, NULL },
	{ "Node", VALUE_TEXT, "NodeName" },
	{ "State", VALUE_TEXT, NULL },
	{ "Reason", VALUE_TEXT, NULL },
	{ "Comment", VALUE_IGNORED, NULL },
	{ "Extra", VALUE_TEXT, NULL },
	{ 0 },
};

static const struct key partition_keys[] = {
	{ "PartitionName", VALUE_TEXT, NULL },
	{ "Partition", VALUE_TEXT, "PartitionName" },
	{ "State", VALUE_TEXT, NULL },
	{ "MaxTime", VALUE_MINUTES, NULL },
	{ "DefaultTime", VALUE_MINUTES, NULL },
	{ "MaxNodes", VALUE_SECONDS, NULL },
	{ "MinNodes", VALUE_NUMBER, NULL },
	{ "PriorityTier", VALUE_NUMBER, NULL },
	{ "PriorityJobFactor", VALUE_NUMBER, NULL },
	{ "Priority", VALUE_NUMBER, NULL },
	{ "GraceTime", VALUE_SECONDS, NULL },
	{ "OverTimeLimit", VALUE_SECONDS, NULL },
	{ "PreemptMode", VALUE_TEXT, NULL },
	{ "QOS", VALUE_TEXT, NULL },
	{ "AllowAccounts", VALUE_TEXT, NULL },
	{ "DenyAccounts", VALUE_TEXT, NULL },
	{ "AllowQos", VALUE_TEXT, NULL },
	{ "DenyQos", VALUE_TEXT, NULL },
	{ "Default", VALUE_YES, NULL },
	{ "SuspendTime", VALUE_SECONDS, NULL },
	{ 0 },
};

/* ---- Values ---------------------------------------------------------------------------------- */

static bool is_unlimited(const char *text)
{
	return strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0 ||
	       strcmp(text, "-1") == 0;
}

/* "30", "30:00", "1:00:00", "2-0", "2-12:00", "2-12:00:00": whole minutes, rounded up. */
static bool get_minutes(const char *text, int64_t *minutes)
{
	int64_t part[3] = { 0 }, days = 0;
	int count = 0;
	const char *dash = strchr(text, '-');
	if (dash && !sl_get_i64(text, (size_t)(dash - text), &days))
		return false;
	for (const char *at = dash ? dash + 1 : text; count < 3; count++) {
		const size_t len = strcspn(at, ":");
		if (!sl_get_i64(at, len, &part[count]) || part[count] < 0 || part[count] > 100000000)
			return false;
		at += len;
		if (!*at) {
			count++;
			break;
		}
		at++;
	}
	if (days < 0 || days > 1000000)
		return false;
	int64_t seconds = days * 86400;
	if (dash || count == 3)
		seconds += part[0] * 3600 + part[1] * 60 + part[2];
	else
		seconds += part[0] * 60 + part[1];
	*minutes = seconds / 60 + (seconds % 60 != 0);
	return true;
}

/* "now", "now+90", "now+2hours", "HH:MM[:SS]" (today, or tomorrow), a date. */
static bool get_time(const struct ctl *c, sl_time now_us, const char *text, int64_t *at)
{
	static const struct {
		const char *word;
		int64_t seconds;
	} units[] = { { "", 1 }, { "second", 1 }, { "seconds", 1 }, { "minute", 60 }, { "minutes", 60 },
		{ "hour", 3600 }, { "hours", 3600 }, { "day", 86400 }, { "days", 86400 }, { "week", 604800 },
		{ "weeks", 604800 } };
	const ctl_time now = ctl_time_of(c, now_us);
	sl_time date;
	if (strncasecmp(text, "now", 3) == 0) {
		int64_t count = 0;
		*at = now;
		if (!text[3])
			return true;
		const size_t digits = text[3] == '+' ? strspn(text + 4, "0123456789") : 0;
		if (!sl_get_i64(text + 4, digits, &count) || count > INT64_C(10000000000))
			return false;
		for (size_t i = 0; i < SL_LEN(units); i++)
			if (strcasecmp(units[i].word, text + 4 + digits) == 0) {
				*at = now + count * units[i].seconds;
				return true;
			}
		return false;
	}
	if (strchr(text, ':') && !strchr(text, '-')) {
		if (!sl_get_duration(text, strlen(text), &date))
			return false;
		const size_t colons = strchr(strchr(text, ':') + 1, ':') ? 2 : 1;
		const int64_t second = date / SL_SECOND * (colons == 1 ? 60 : 1);
		*at = now - now % 86400 + second;
		*at += *at < now ? 86400 : 0;
		return second < 86400;
	}
	if (!sl_get_date(text, strlen(text), &date))
		return false;
	*at = date / SL_SECOND;
	return true;
}

static bool get_range(const char *text, struct command_pair *pair)
{
	const size_t first = strspn(text, "0123456789");
	pair->second = SL_NONE;
	if (!sl_get_i64(text, first, &pair->number))
		return false;
	return !text[first] ||
	       (text[first] == '-' && sl_get_i64(text + first + 1, strlen(text + first + 1), &pair->second));
}

static bool get_yes(const char *text, int64_t *number)
{
	*number = strcasecmp(text, "yes") == 0 || strcmp(text, "1") == 0;
	return *number || strcasecmp(text, "no") == 0 || strcmp(text, "0") == 0;
}

static bool read_value(const struct ctl *c, sl_time now, enum value_kind kind, struct command_pair *pair)
{
	const char *text = pair->value;
	const size_t len = strlen(text);
	switch (kind) {
	case VALUE_TEXT:
	case VALUE_IGNORED:
		return true;
	case VALUE_NUMBER:
		return sl_get_i64(text, len, &pair->number);
	case VALUE_RANGE:
		return get_range(text, pair);
	case VALUE_MINUTES:
		pair->number = CTL_NEVER;
		return is_unlimited(text) || get_minutes(text, &pair->number);
	case VALUE_SECONDS:
		pair->number = CTL_NEVER;
		return is_unlimited(text) || (sl_get_i64(text, len, &pair->number) && pair->number >= 0);
	case VALUE_MEMORY:
		return sl_get_memory(text, len, true, &pair->number);
	case VALUE_TIME:
		return get_time(c, now, text, &pair->number);
	case VALUE_YES:
		return get_yes(text, &pair->number);
	}
	return false;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static const struct key *ctl_command_pairs_key_of(const struct key *keys, const char *text, size_t len)
{
	for (; keys->key; keys++)
		if (strlen(keys->key) == len && strncasecmp(keys->key, text, len) == 0)
			return keys;
	return NULL;
}

static const struct key *keys_of(enum command_kind kind)
{
	return kind == COMMAND_JOB ? job_keys : kind == COMMAND_NODE ? node_keys : partition_keys;
}

/* "key=value", "key+=value" or, of Nice, the key alone. */
static int read_pair(const struct ctl *c, const struct command_words *words, uint32_t word,
	struct command *command, struct sl_err *err)
{
	static const char *const what[] = { "of a job", "of a node", "of a partition" };
	const char *text = words->word[word].text;
	const size_t equal = strcspn(text, "=");
	const bool relative = equal && text[equal] && (text[equal - 1] == '+' || text[equal - 1] == '-');
	const struct key *key = ctl_command_pairs_key_of(keys_of(command->kind), text, equal - relative);
	if (!key)
		return command_wrong(words, word, err, "'%.60s' %s is not followed", text,
			what[command->kind - COMMAND_JOB]);
	struct command_pair pair = { .key = key->as ? key->as : key->key,
		.value = text[equal] ? text + equal + 1 : "",
		.column = words->word[word].column };
	if (relative)
		pair.sign = text[equal - 1];
	if (!text[equal] && strcmp(key->key, "Nice") == 0)
		pair.value = "100";
	else if (!text[equal])
		return command_wrong(words, word, err, "'%.60s' needs a value: KEY=VALUE", text);
	if (key->kind == VALUE_MINUTES &&
		(pair.value[0] == '+' || (pair.value[0] == '-' && pair.value[1] != '1')))
		pair.sign = *pair.value++;
	if (!read_value(c, words->source->at, key->kind, &pair))
		return command_wrong(
			words, word, err, "'%.60s': %s cannot be '%.60s'", text, key->key, pair.value);
	if (key->kind != VALUE_IGNORED)
		command->pair[command->pair_count++] = pair;
	return SL_OK;
}

/* A partition that is to be changed is there. */
static int ctl_command_pairs_check_names(struct ctl *c, const struct command_words *words, uint32_t first,
	const struct command *command, struct sl_err *err)
{
	const char *name = command->pair_count ? command->pair[0].value : "";
	if (command->kind == COMMAND_PARTITION && ctl_part_named(c, name, strlen(name)) == CTL_NO_ROW)
		return command_wrong(words, first, err, "there is no partition '%.100s'", name);
	return SL_OK;
}

int command_pairs(struct ctl *c, const struct command_words *words, uint32_t first, struct command *command,
	struct sl_err *err)
{
	command->pair = sl_alloc(c->arena, words->count + 1, sizeof(*command->pair));
	if (!command->pair)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t i = first; i < words->count && !status; i++)
		status = read_pair(c, words, i, command, err);
	return status ? status : ctl_command_pairs_check_names(c, words, first, command, err);
}

const char *command_value(const struct command *command, const char *key)
{
	for (uint32_t i = 0; i < command->pair_count; i++)
		if (strcmp(command->pair[i].key, key) == 0)
			return command->pair[i].value;
	return NULL;
}
