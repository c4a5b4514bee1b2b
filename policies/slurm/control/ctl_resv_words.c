/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_words.c - see ctl_resv_words.h.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_resv_words.h"

/* ---- What is asked --------------------------------------------------------------------------- */

/* As scontrol's parser: a key may be cut short; the first that fits counts. */
static const char *const key_word[RESV_KEYS] = {
	[RESV_KEY_NAME] = "ReservationName",
	[RESV_KEY_START] = "StartTime",
	[RESV_KEY_END] = "EndTime",
	[RESV_KEY_DURATION] = "Duration",
	[RESV_KEY_NODES] = "Nodes",
	[RESV_KEY_NODE_COUNT] = "NodeCnt",
	[RESV_KEY_CORE_COUNT] = "CoreCnt",
	[RESV_KEY_PARTITION] = "PartitionName",
	[RESV_KEY_USERS] = "Users",
	[RESV_KEY_ACCOUNTS] = "Accounts",
	[RESV_KEY_GROUPS] = "Groups",
	[RESV_KEY_LICENSES] = "Licenses",
	[RESV_KEY_FEATURES] = "Features",
	[RESV_KEY_FLAGS] = "Flags",
	[RESV_KEY_TRES] = "TRES",
	[RESV_KEY_TRES_PER_NODE] = "TRESPerNode",
	[RESV_KEY_START_DELAY] = "MaxStartDelay",
	[RESV_KEY_PARTS] = "AllowedPartitions",
	[RESV_KEY_QOS] = "QOS",
};

bool resv_refuse(const struct resv_request *q, const char *why)
{
	*q->why = why;
	return false;
}

static enum resv_key ctl_resv_words_key_of(const char *text, size_t len)
{
	if ((len == 5 && strncasecmp(text, "Nodes", 5) == 0) ||
		(len == 8 && strncasecmp(text, "NodeList", 8) == 0))
		return RESV_KEY_NODES;
	for (unsigned k = 0; k < RESV_KEYS && len >= 3; k++)
		if (strncasecmp(key_word[k], text, len) == 0)
			return (enum resv_key)k;
	return RESV_KEYS;
}

/* One "Key=value", "Key+=value" or "Key-=value", quotes removed; returns its end. */
static const char *one_pair(struct resv_request *q, const char *p)
{
	const size_t len = strcspn(p, "= \t");
	const size_t own = len && p[len] == '=' && (p[len - 1] == '+' || p[len - 1] == '-') ? len - 1 : len;
	const enum resv_key key = ctl_resv_words_key_of(p, own);
	if (p[len] != '=') /* "scontrol delete reservation NAME" */
		return p + len;
	const char *value = p + len + 1;
	const bool quoted = *value == '"' || *value == '\'';
	const char stop[] = { *value, '\0' };
	value += quoted;
	const size_t size = strcspn(value, quoted ? stop : " \t");
	if (key < RESV_KEYS)
		q->key[key] = (struct resv_given){ value, size, p[own] };
	return value + size + (quoted && value[size]);
}

void resv_read(struct resv_request *q, const char *text)
{
	for (const char *p = text; *p;) {
		p += strspn(p, " \t");
		if (*p)
			p = one_pair(q, p);
	}
}

bool resv_is_given(const struct resv_request *q, enum resv_key key) { return q->key[key].text != NULL; }

bool resv_is_said(const struct resv_request *q, enum resv_key key)
{
	return q->key[key].text && q->key[key].len;
}

/* Kept for the run. NULL: an empty value, or no memory. */
const char *resv_kept(const struct resv_request *q, enum resv_key key)
{
	return resv_is_said(q, key) ? sl_strdup(q->c->arena, q->key[key].text, q->key[key].len) : NULL;
}

/* ---- Times ----------------------------------------------------------------------------------- */

bool resv_is_word(const struct resv_given *g, const char *word)
{
	return g->len == strlen(word) && strncasecmp(g->text, word, g->len) == 0;
}

/* "+117", "+5minutes": seconds. */
static bool ctl_resv_words_later(const char *text, size_t len, int64_t *seconds)
{
	static const struct {
		const char *word;
		int64_t seconds;
	} units[] = { { "seconds", 1 }, { "minutes", 60 }, { "hours", 3600 }, { "days", 86400 },
		{ "weeks", 604800 } };
	size_t digits = 0;
	while (digits < len && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	if (!digits || !sl_get_i64(text, digits, seconds))
		return false;
	const size_t rest = len - digits;
	for (size_t i = 0; i < SL_LEN(units); i++)
		if (strncasecmp(units[i].word, text + digits, rest) == 0) { /* Cut short, or not there. */
			*seconds *= units[i].seconds;
			return *seconds < RESV_FAR;
		}
	return false;
}

static ctl_time midnight(ctl_time now) { return now - (now % 86400 + 86400) % 86400; }

/* Up to three numbers between colons; 0: it is none. */
static int ctl_resv_words_parts_of(const char *text, size_t len, int64_t part[3])
{
	int count = 0;
	for (size_t i = 0; i <= len;) {
		size_t n = 0;
		while (i + n < len && text[i + n] != ':')
			n++;
		if (count == 3 || !sl_get_i64(text + i, n, &part[count]) || part[count] < 0 ||
			part[count] > INT32_MAX)
			return 0;
		count++;
		i += n + 1;
	}
	return count;
}

/* A time as parse_time() reads it: "now+5minutes", dates, "HH:MM[:SS]", today, tomorrow, midnight, noon. */
bool resv_time_of(const struct ctl *c, const struct resv_given *g, ctl_time *at)
{
	sl_time date;
	int64_t more = 0;
	if (g->len >= 3 && strncasecmp(g->text, "now", 3) == 0) {
		if (g->len > 3 &&
			(g->text[3] != '+' || !ctl_resv_words_later(g->text + 4, g->len - 4, &more)))
			return false;
		*at = c->now + more;
		return true;
	}
	const ctl_time today = midnight(c->now);
	if (resv_is_word(g, "today") || resv_is_word(g, "tomorrow") || resv_is_word(g, "midnight")) {
		*at = today + (resv_is_word(g, "today") ? 0 : 86400);
		return true;
	}
	if (resv_is_word(g, "noon")) {
		*at = today + 43200 + (c->now >= today + 43200 ? 86400 : 0);
		return true;
	}
	if (sl_get_date(g->text, g->len, &date)) {
		*at = date / SL_SECOND;
		return true;
	}
	int64_t part[3] = { 0, 0, 0 };
	if (ctl_resv_words_parts_of(g->text, g->len, part) < 2)
		return false;
	*at = today + part[0] * 3600 + part[1] * 60 + part[2];
	*at += *at <= c->now ? 86400 : 0;
	return true;
}

/* time_str2secs(): minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
bool resv_seconds_of(const struct resv_given *g, int64_t *seconds)
{
	const char *dash = memchr(g->text, '-', g->len);
	const size_t days_len = dash ? (size_t)(dash - g->text) : 0;
	const size_t skip = dash ? days_len + 1 : 0;
	int64_t part[3] = { 0, 0, 0 };
	int64_t days = 0;
	const int count = ctl_resv_words_parts_of(g->text + skip, g->len - skip, part);
	if (!count || (dash && (!sl_get_i64(g->text, days_len, &days) || days < 0 || days > INT32_MAX)))
		return false;
	const bool hours = dash || count == 3;
	*seconds = days * 86400 + (hours ? part[0] * 3600 + part[1] * 60 + part[2] : part[0] * 60 + part[1]);
	return true;
}

/* time_str2mins(): seconds are rounded up; "infinite": CTL_NEVER. */
bool resv_duration_of(const struct resv_given *g, int64_t *minutes)
{
	int64_t seconds;
	if (resv_is_word(g, "infinite") || resv_is_word(g, "unlimited")) {
		*minutes = CTL_NEVER;
		return true;
	}
	if (!resv_seconds_of(g, &seconds))
		return false;
	*minutes = (seconds + 59) / 60;
	return *minutes > 0;
}

bool resv_counts_of(const struct resv_given *g, uint32_t *number, uint32_t capacity, uint32_t *count)
{
	*count = 0;
	for (size_t i = 0; i < g->len && *count < capacity;) {
		size_t len = 0;
		while (i + len < g->len && g->text[i + len] != ',')
			len++;
		if (!resv_count_of(&(struct resv_given){ g->text + i, len, '=' }, &number[*count]))
			return false;
		if (!number[*count])
			break;
		++*count;
		i += len + 1;
	}
	return *count > 0;
}

bool resv_count_of(const struct resv_given *g, uint32_t *sum)
{
	*sum = 0;
	for (size_t i = 0; i < g->len;) {
		size_t len = 0;
		int64_t one;
		while (i + len < g->len && g->text[i + len] != ',')
			len++;
		if (!sl_get_i64(g->text + i, len, &one) || one < 0 || one > SL_HOSTS_MAX)
			return false;
		*sum += (uint32_t)one;
		i += len + 1;
	}
	return true;
}

/* One TRES more, "gres/gpu:a100" and "2", behind those that there are: "gpu:a100:2". */
static bool add_gres(struct resv_request *q, const char *name, size_t len, const struct resv_given *value)
{
	const uint32_t tres = ctl_tres_named(q->c, name, len);
	const size_t before = q->gres ? strlen(q->gres) : 0;
	int64_t count;
	if (q->c->params.version < CTL_23_11)
		return resv_refuse(q, "TRES type 'gres' not supported with reservations");
	if (tres == CTL_NO_ROW || !q->c->tres[tres].tracked || !sl_get_i64(value->text, value->len, &count) ||
		count <= 0)
		return resv_refuse(q, "Invalid Trackable RESource (TRES) specification");
	char *text = sl_alloc(q->c->arena, before + len + value->len + 3, 1);
	if (!text)
		return resv_refuse(q, "out of memory");
	(void)snprintf(text, before + len + value->len + 3, "%s%s%.*s:%.*s", before ? q->gres : "",
		before ? "," : "", (int)(len - 5), name + 5, (int)value->len, value->text);
	q->gres = text;
	return true;
}

static bool tres_apart(struct resv_request *q, const char *p, size_t len)
{
	const char *equals = memchr(p, '=', len);
	const size_t name = equals ? (size_t)(equals - p) : len;
	const struct resv_given value = { equals ? equals + 1 : p + len, equals ? len - name - 1 : 0, '=' };
	if (name == 4 && strncasecmp(p, "node", 4) == 0)
		q->key[RESV_KEY_NODE_COUNT] = value;
	else if (name == 3 && strncasecmp(p, "cpu", 3) == 0)
		q->key[RESV_KEY_CORE_COUNT] = value;
	else if (name > 8 && strncasecmp(p, "license/", 8) == 0)
		q->key[RESV_KEY_LICENSES] = (struct resv_given){ p + 8, len - 8, '=' };
	else if (name > 5 && strncasecmp(p, "gres/", 5) == 0)
		return add_gres(q, p, name, &value);
	return true;
}

bool resv_tres_apart(struct resv_request *q)
{
	const bool per_node = resv_is_said(q, RESV_KEY_TRES_PER_NODE);
	const struct resv_given all = q->key[per_node ? RESV_KEY_TRES_PER_NODE : RESV_KEY_TRES];
	if (per_node && (q->c->params.version < CTL_23_11 || resv_is_said(q, RESV_KEY_TRES)))
		return resv_refuse(q, "invalid option"); /* It came with 23.11, and is in place of TRES. */
	for (size_t i = 0; all.text && i < all.len;) {
		size_t len = 0;
		while (i + len < all.len && all.text[i + len] != ',')
			len++;
		if (!tres_apart(q, all.text + i, len))
			return false;
		i += len + 1;
	}
	return true;
}
