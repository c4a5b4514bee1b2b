/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_value.c - what is behind the '=': numbers, sizes, times, states and cores.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/conf.h"

/* "1-12": days-hours, and nothing behind it; "1-": days. */
static bool days_and_hours(const char *text, sl_time *value)
{
	const char *dash = strchr(text, '-');
	int64_t days;
	int64_t hours = 0;
	if (!dash || !sl_get_i64(text, (size_t)(dash - text), &days) ||
		(dash[1] && !sl_get_i64(dash + 1, strlen(dash + 1), &hours)) || days < 0 || days > 1000000 ||
		hours < 0 || hours > 1000000)
		return false;
	*value = (days * 24 + hours) * 3600 * SL_SECOND;
	return true;
}

/* Words for "as much as there is", and for nothing said. */
static bool is_endless(const char *text)
{
	static const char *const word[] = { "INFINITE", "UNLIMITED", "NONE", "(null)", "N/A", "-1" };
	for (size_t i = 0; i < SL_LEN(word); i++)
		if (conf_same(text, word[i]))
			return true;
	return false;
}

/* KEY="" says nothing. */
static bool says(const struct conf_pair *pair) { return pair && *pair->value; }

bool conf_whole(const char *text, int64_t *value)
{
	enum { LONGEST = 18 };
	size_t len = strlen(text);
	const bool kibi = len > 1 && (text[len - 1] | 0x20) == 'k';
	const bool hex = len > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
	len -= kibi;
	const bool octal = !hex && len > 1 && text[0] == '0' && strspn(text, "01234567") == len;
	if (!hex && !octal) {
		if (!sl_get_i64(text, len, value))
			return false;
	} else {
		char *end;
		if (len > LONGEST)
			return false;
		errno = 0;
		*value = strtoll(text, &end, hex ? 16 : 8);
		if (errno || end != text + len)
			return false;
	}
	if (kibi && (*value > INT64_MAX / 1024 || *value < 0))
		return false;
	*value *= kibi ? 1024 : 1;
	return true;
}

int conf_number(const struct conf *conf, const struct conf_pair *pair, int64_t max, int64_t *value)
{
	if (!says(pair))
		return SL_OK;
	*value = SL_NONE;
	if (is_endless(pair->value))
		return SL_OK;
	if (conf_whole(pair->value, value) && *value >= 0 && *value <= max)
		return SL_OK;
	return conf_fail(conf, pair, "'%.60s' must be a whole number from 0 to %" PRId64 ", not '%.60s'",
		pair->key, max, pair->value);
}

int conf_memory(const struct conf *conf, const struct conf_pair *pair, int64_t *mib)
{
	if (!says(pair))
		return SL_OK;
	*mib = SL_NONE;
	if (is_endless(pair->value))
		return SL_OK;
	if (sl_get_memory(pair->value, strlen(pair->value), false, mib) && *mib < SL_MEM_UNBOUNDED)
		return SL_OK;
	return conf_fail(
		conf, pair, "'%.60s' must be MiB, or a size such as 4G, not '%.60s'", pair->key, pair->value);
}

int conf_minutes(const struct conf *conf, const struct conf_pair *pair, sl_time *value)
{
	enum { MINUTES_MAX = 1 << 30 };
	if (!says(pair))
		return SL_OK;
	const size_t len = strlen(pair->value);
	int64_t minutes;
	*value = conf_same(pair->value, "NONE") || conf_same(pair->value, "(null)") ? SL_NONE : SL_NEVER;
	if (is_endless(pair->value))
		return SL_OK;
	if (sl_get_i64(pair->value, len, &minutes)) {
		*value = minutes * 60 * SL_SECOND;
		if (minutes >= 0 && minutes <= MINUTES_MAX)
			return SL_OK;
	} else if (days_and_hours(pair->value, value) || (strchr(pair->value, ':') && pair->value[0] != '-' &&
								 sl_get_duration(pair->value, len, value))) {
		/* "90:30" and "1-12" are Slurm's, and whole minutes count: what is over makes one more. */
		const sl_time minute = 60 * SL_SECOND;
		*value = *value / minute * minute + (*value % minute ? minute : 0);
		return SL_OK;
	}
	return conf_fail(conf, pair,
		"'%.60s' must be minutes, days-hours, [days-]hours:minutes:seconds or UNLIMITED, not '%.60s'",
		pair->key, pair->value);
}

int conf_yes(const struct conf *conf, const struct conf_pair *pair, bool *value)
{
	static const char *const word[] = { "NO", "YES", "FALSE", "TRUE", "DOWN", "UP", "0", "1" };
	for (size_t i = 0; says(pair) && i < SL_LEN(word); i++) {
		if (!conf_same(pair->value, word[i]))
			continue;
		*value = i % 2;
		return SL_OK;
	}
	return says(pair) ? conf_fail(conf, pair, "'%.60s' must be YES or NO, not '%.60s'", pair->key,
				    pair->value)
			  : SL_OK;
}

int conf_choice(const struct conf *conf, const struct conf_pair *pair, const char *const *word, int *value)
{
	char known[200];
	size_t len = 0;
	if (!says(pair))
		return SL_OK;
	for (int i = 0; word[i]; i++) {
		if (conf_begins(pair->value, word[i])) {
			*value = i;
			return SL_OK;
		}
		const size_t more = strlen(word[i]);
		if (len + more + 3 < sizeof(known)) {
			memcpy(known + len, ", ", 2);
			memcpy(known + len + 2, word[i], more);
			len += more + 2;
		}
	}
	known[len] = '\0';
	return conf_fail(
		conf, pair, "'%.60s' must be one of %s, not '%.60s'", pair->key, known + 2, pair->value);
}

/* ---- States of nodes ----------------------------------------------------------------------------- */

/* The first of these that a node's words name is its state, for us. */
static const struct {
	const char *word;
	enum sl_node_state state;
} states[] = {
	{ "DOWN", SL_NODE_DOWN },
	{ "ERROR", SL_NODE_DOWN },
	{ "NOT_RESPONDING", SL_NODE_DOWN },
	{ "NO_RESPOND", SL_NODE_DOWN },
	{ "FUTURE", SL_NODE_FUTURE },
	{ "FUTR", SL_NODE_FUTURE },
	{ "DRAIN", SL_NODE_DRAIN },
	{ "DRAINED", SL_NODE_DRAIN },
	{ "DRAINING", SL_NODE_DRAIN },
	{ "DRNG", SL_NODE_DRAIN },
	{ "FAIL", SL_NODE_DRAIN },
	{ "FAILING", SL_NODE_DRAIN },
	{ "FAILG", SL_NODE_DRAIN },
	{ "MAINT", SL_NODE_MAINT },
	{ "MAINTENANCE", SL_NODE_MAINT },
	{ "POWER_DOWN", SL_NODE_POWERED_DOWN },
	{ "POWERED_DOWN", SL_NODE_POWERED_DOWN },
	{ "POWERING_DOWN", SL_NODE_POWERED_DOWN },
	{ "POW_DN", SL_NODE_POWERED_DOWN },
	{ "PLANNED", SL_NODE_PLANNED },
	{ "PLND", SL_NODE_PLANNED },
};

/* Words that leave a node as it is: up. */
static const char *const plain[] = { "UP", "IDLE", "ALLOCATED", "ALLOC", "MIXED", "MIX", "COMPLETING", "COMP",
	"RESERVED", "RESV", "RESUME", "UNDRAIN", "UNKNOWN", "UNK", "CLOUD", "POWERING_UP", "POWER_UP",
	"POW_UP", "BOOT", "REBOOT", "REBOOT_ISSUED", "REBOOT_CANCELED", "INVALID", "REBOOT_REQUESTED",
	"REBOOT^", "REBOOT@", "BLOCKED", "BLOCK", "PERFCTRS", "NPC", "RESPOND", "INVAL", "INVALID_REG",
	"DYNAMIC_NORM", "DYNAMIC_FUTURE", "EXTERNAL", "POWER_DRAIN", "NO_CHANGE", "UNKN" };

/* A letter behind a state, as sinfo and scontrol put it. */
static const struct {
	char letter;
	enum sl_node_state state;
} suffixes[] = {
	{ '*', SL_NODE_DOWN }, /* It does not answer: slurmctld allocates it to nobody. */
	{ '~', SL_NODE_POWERED_DOWN },
	{ '%', SL_NODE_POWERED_DOWN },
	{ '$', SL_NODE_MAINT },
	{ '-', SL_NODE_PLANNED },
	{ '#', SL_NODE_UP },
	{ '!', SL_NODE_UP },
	{ '@', SL_NODE_UP },
	{ '^', SL_NODE_UP },
};

static bool suffix_of(char c, enum sl_node_state *state)
{
	for (size_t i = 0; i < SL_LEN(suffixes); i++) {
		if (suffixes[i].letter != c)
			continue;
		*state = suffixes[i].state;
		return true;
	}
	return false;
}

static bool word_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && conf_begins(text, word);
}

static unsigned conf_value_rank_of(enum sl_node_state state)
{
	/* Of several words the first of this order counts. */
	static const enum sl_node_state order[] = { SL_NODE_DOWN, SL_NODE_FUTURE, SL_NODE_DRAIN,
		SL_NODE_MAINT, SL_NODE_POWERED_DOWN, SL_NODE_PLANNED, SL_NODE_UP };
	unsigned rank = 0;
	while (order[rank] != state)
		rank++;
	return rank;
}

static bool word_state(const char *text, size_t len, enum sl_node_state *state)
{
	for (size_t i = 0; i < SL_LEN(states); i++) {
		if (!word_is(text, len, states[i].word))
			continue;
		*state = states[i].state;
		return true;
	}
	*state = SL_NODE_UP;
	for (size_t i = 0; i < SL_LEN(plain); i++)
		if (word_is(text, len, plain[i]))
			return true;
	return false;
}

bool conf_state_of(const char *text, enum sl_node_state *state)
{
	*state = SL_NODE_UP;
	for (size_t len; text;) {
		enum sl_node_state seen;
		const char *word = conf_part(&text, "+,", &len);
		while (len && suffix_of(word[len - 1], &seen)) {
			if (conf_value_rank_of(seen) < conf_value_rank_of(*state))
				*state = seen;
			len--;
		}
		if (!word_state(word, len, &seen))
			return false;
		if (conf_value_rank_of(seen) < conf_value_rank_of(*state))
			*state = seen;
	}
	return true;
}

/* ---- Sizes and cores --------------------------------------------------------------------------------- */

/* The letters behind a number, as suffix_mult has them; 0: none of them. */
static int64_t unit_of(const char *text)
{
	static const char units[] = "kmgtp";
	const char *unit = *text ? strchr(units, *text | 0x20) : NULL;
	const bool binary = unit && (!text[1] || conf_same(text + 1, "ib"));
	int64_t value = 1;
	if (!*text)
		return 1;
	if (!unit || (!binary && !conf_same(text + 1, "b")))
		return 0;
	for (const char *p = units; p <= unit; p++)
		value *= binary ? 1024 : 1000;
	return value;
}

bool conf_size(const char *text, int64_t *value)
{
	const size_t digits = strspn(text, "0123456789");
	const int64_t unit = unit_of(text + digits);
	if (!digits || !unit || !sl_get_i64(text, digits, value) || *value > (INT64_MAX >> 12) / unit)
		return false;
	*value *= unit;
	return true;
}

/* Every step-th from one to the other. */
static bool cores_add(uint64_t *bits, int64_t from, int64_t to, int64_t step)
{
	if (from < 0 || to < from || to >= SL_CORES_MAX || step < 1)
		return false;
	for (int64_t i = from; i <= to; i += step)
		bits[i / 64] |= UINT64_C(1) << i % 64;
	return true;
}

/* "0-6:2": nothing else stands beside it. */
static bool cores_stepped(uint64_t *bits, const char *text)
{
	const size_t first = strcspn(text, "-");
	const size_t last = strcspn(text, ":");
	int64_t from;
	int64_t to;
	int64_t step;
	return first < last && sl_get_i64(text, first, &from) &&
	       sl_get_i64(text + first + 1, last - first - 1, &to) &&
	       sl_get_i64(text + last + 1, strlen(text + last + 1), &step) && cores_add(bits, from, to, step);
}

/* As bitfmt2int: what is neither a digit nor one of "-," is passed over, brackets too. */
static bool cores_listed(uint64_t *bits, const char *text)
{
	int64_t from = -1;
	int64_t number = 0;
	for (const char *p = text;; p++) {
		if (sl_is_digit(*p)) {
			number = number * 10 + (*p - '0');
			if (number >= SL_CORES_MAX)
				return false;
		} else if (*p == '-') {
			from = number;
			number = 0;
		} else if (*p == ',' || !*p) {
			if (!cores_add(bits, from < 0 ? number : from, number, 1))
				return false;
			from = -1;
			number = 0;
		}
		if (!*p)
			return true;
	}
}

const uint64_t *conf_cores(struct conf *conf, const char *text)
{
	uint64_t *bits = conf_alloc(&conf->mem, SL_CORES_MAX / 64, sizeof(*bits));
	if (!bits || !strpbrk(text, "0123456789"))
		return NULL;
	return (strchr(text, ':') ? cores_stepped(bits, text) : cores_listed(bits, text)) ? bits : NULL;
}
