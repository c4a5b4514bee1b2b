/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_command.c - scontrol create, update and delete reservation, at their time (create_resv(),
 * update_resv(), delete_resv()).
 *
 * What slurmctld would refuse changes nothing, and is told in its words.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/ctl_node.h"
#include "policies/slurm/ctl_resv.h"

/* ---- What is asked
 * -------------------------------------------------------------------------------------------- */

enum key {
	KEY_NAME,
	KEY_START,
	KEY_END,
	KEY_DURATION,
	KEY_NODES,
	KEY_NODE_COUNT,
	KEY_CORE_COUNT,
	KEY_PARTITION,
	KEY_USERS,
	KEY_ACCOUNTS,
	KEY_LICENSES,
	KEY_FEATURES,
	KEY_FLAGS,
	KEY_TRES,
	KEY_START_DELAY,
	KEYS
};

/* As scontrol's parser: a key may be cut short; the first that fits counts. */
static const char *const key_word[KEYS] = {
	[KEY_NAME] = "ReservationName",
	[KEY_START] = "StartTime",
	[KEY_END] = "EndTime",
	[KEY_DURATION] = "Duration",
	[KEY_NODES] = "Nodes",
	[KEY_NODE_COUNT] = "NodeCnt",
	[KEY_CORE_COUNT] = "CoreCnt",
	[KEY_PARTITION] = "PartitionName",
	[KEY_USERS] = "Users",
	[KEY_ACCOUNTS] = "Accounts",
	[KEY_LICENSES] = "Licenses",
	[KEY_FEATURES] = "Features",
	[KEY_FLAGS] = "Flags",
	[KEY_TRES] = "TRES",
	[KEY_START_DELAY] = "MaxStartDelay",
};

struct given {
	const char *text; /* NULL: not given. */
	size_t len;
	char op; /* '=', '+' or '-'. */
};

struct request {
	struct ctl *c;
	struct given key[KEYS];
	const char **why;
};

static bool refuse(const struct request *q, const char *why)
{
	*q->why = why;
	return false;
}

static enum key key_of(const char *text, size_t len)
{
	if ((len == 5 && strncasecmp(text, "Nodes", 5) == 0) ||
		(len == 8 && strncasecmp(text, "NodeList", 8) == 0))
		return KEY_NODES;
	for (unsigned k = 0; k < KEYS && len >= 3; k++)
		if (strncasecmp(key_word[k], text, len) == 0)
			return (enum key)k;
	return KEYS;
}

/* One "Key=value", "Key+=value" or "Key-=value", quotes taken off; returns its end. */
static const char *one_pair(struct request *q, const char *p)
{
	const size_t len = strcspn(p, "= \t");
	const size_t own = len && p[len] == '=' && (p[len - 1] == '+' || p[len - 1] == '-') ? len - 1 : len;
	const enum key key = key_of(p, own);
	if (p[len] != '=') /* "scontrol delete reservation NAME" */
		return p + len;
	const char *value = p + len + 1;
	const char quote = *value == '"' || *value == '\'' ? *value : '\0';
	value += quote != '\0';
	const size_t size = quote ? strcspn(value, quote == '"' ? "\"" : "'") : strcspn(value, " \t");
	if (key < KEYS)
		q->key[key] = (struct given){ value, size, own < len ? p[own] : '=' };
	return value + size + (quote && value[size]);
}

static void pairs(struct request *q, const char *text)
{
	for (const char *p = text; *p;) {
		p += strspn(p, " \t");
		if (*p)
			p = one_pair(q, p);
	}
}

static bool is_given(const struct request *q, enum key key) { return q->key[key].text != NULL; }

static bool is_said(const struct request *q, enum key key) { return q->key[key].text && q->key[key].len; }

/* Kept for the run. NULL: an empty value, or no memory. */
static const char *kept(const struct request *q, enum key key)
{
	return is_said(q, key) ? sl_strdup(q->c->arena, q->key[key].text, q->key[key].len) : NULL;
}

/* ---- Times
 * ------------------------------------------------------------------------------------------------------ */

static bool is_word(const struct given *g, const char *word)
{
	return g->len == strlen(word) && strncasecmp(g->text, word, g->len) == 0;
}

/* "+117", "+5minutes": seconds. */
static bool later(const char *text, size_t len, int64_t *seconds)
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

/* A time as parse_time() takes it: "now+5minutes", dates, "HH:MM[:SS]", today, tomorrow, midnight, noon. */
static bool time_of(const struct ctl *c, const struct given *g, ctl_time *at)
{
	sl_time date;
	int64_t more = 0;
	if (g->len >= 3 && strncasecmp(g->text, "now", 3) == 0) {
		if (g->len > 3 && (g->text[3] != '+' || !later(g->text + 4, g->len - 4, &more)))
			return false;
		*at = c->now + more;
		return true;
	}
	const ctl_time today = midnight(c->now);
	if (is_word(g, "today") || is_word(g, "tomorrow") || is_word(g, "midnight")) {
		*at = today + (is_word(g, "today") ? 0 : 86400);
		return true;
	}
	if (is_word(g, "noon")) {
		*at = today + 43200 + (c->now >= today + 43200 ? 86400 : 0);
		return true;
	}
	if (sl_get_date(g->text, g->len, &date)) {
		*at = date / SL_SECOND;
		return true;
	}
	char text[16] = "";
	if (g->len != 5 && g->len != 8)
		return false;
	memcpy(text, g->text, g->len);
	if (g->len == 5) /* HH:MM is hours and minutes here. */
		memcpy(text + 5, ":00", 3);
	if (!sl_get_duration(text, 8, &date))
		return false;
	*at = today + date / SL_SECOND;
	*at += *at <= c->now ? 86400 : 0;
	return true;
}

/* Minutes, or [days-]hours:minutes:seconds (time_str2mins()); "infinite": CTL_NEVER. */
static bool duration_of(const struct given *g, int64_t *minutes)
{
	sl_time time;
	if (is_word(g, "infinite") || is_word(g, "unlimited")) {
		*minutes = CTL_NEVER;
		return true;
	}
	if (sl_get_i64(g->text, g->len, minutes))
		return *minutes > 0 && *minutes < RESV_FAR / 60;
	if (!sl_get_duration(g->text, g->len, &time) || time < 0)
		return false;
	*minutes = (time / SL_SECOND + 59) / 60;
	return true;
}

static bool count_of(const struct given *g, uint32_t *sum)
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

/* ---- Create: its parts
 * -------------------------------------------------------------------------------------------
 */

/* "TRES=node=2,cpu=8,license/x=1" is another way to say NodeCnt, CoreCnt and Licenses. */
static void tres_apart(struct request *q)
{
	const struct given all = q->key[KEY_TRES];
	for (size_t i = 0; all.text && i < all.len;) {
		const char *p = all.text + i;
		size_t len = 0;
		while (i + len < all.len && p[len] != ',')
			len++;
		const char *equals = memchr(p, '=', len);
		const size_t name = equals ? (size_t)(equals - p) : len;
		const struct given value = { equals ? equals + 1 : p + len, equals ? len - name - 1 : 0,
			'=' };
		if (name == 4 && strncasecmp(p, "node", 4) == 0)
			q->key[KEY_NODE_COUNT] = value;
		else if (name == 3 && strncasecmp(p, "cpu", 3) == 0)
			q->key[KEY_CORE_COUNT] = value;
		else if (name > 8 && strncasecmp(p, "license/", 8) == 0)
			q->key[KEY_LICENSES] = (struct given){ p + 8, len - 8, '=' };
		i += len + 1;
	}
}

/* Nobody waits for one that began long ago (MAX_RESV_DELAY). */
enum { LATE = 600 };

static bool create_times(const struct request *q, struct resv *r)
{
	const struct ctl *c = q->c;
	r->start = c->now;
	if (is_said(q, KEY_START) && !time_of(c, &q->key[KEY_START], &r->start))
		return refuse(q, "Invalid time specification");
	if (r->flags & RESV_TIME_FLOAT && r->start < c->now)
		r->start = c->now;
	if (r->start < c->now - LATE)
		return refuse(q, "Requested reservation has an invalid start time");
	if (is_said(q, KEY_DURATION) && !duration_of(&q->key[KEY_DURATION], &r->duration))
		return refuse(q, "Invalid time specification");
	if (is_said(q, KEY_END)) {
		if (!time_of(c, &q->key[KEY_END], &r->end) || r->end < c->now - LATE)
			return refuse(q, "Requested reservation has an invalid end time");
	} else if (r->duration == CTL_NEVER) {
		r->end = r->start + RESV_YEAR;
	} else {
		r->end = r->duration == CTL_NONE ? RESV_FAR : r->start + r->duration * 60;
	}
	return r->start < r->end || refuse(q, "Requested reservation ends before it starts");
}

static bool who_of(const struct request *q, struct resv *r)
{
	if (is_given(q, KEY_USERS))
		r->users = kept(q, KEY_USERS);
	if (is_given(q, KEY_ACCOUNTS))
		r->accounts = kept(q, KEY_ACCOUNTS);
	if (!r->users && !r->accounts)
		return refuse(q, "Reservation request lacks users, accounts or groups");
	if (resv_users_mixed(r->users) || resv_users_mixed(r->accounts))
		return refuse(q, "Reservation request has users or accounts with and without a minus");
	return true;
}

static bool part_of(const struct request *q, struct resv *r)
{
	const struct given *g = &q->key[KEY_PARTITION];
	if (!is_said(q, KEY_PARTITION))
		return !(r->flags & RESV_PART_NODES) || refuse(q, "Invalid partition name specified");
	for (uint32_t i = 0; i < q->c->cluster->partition_count; i++) {
		const char *name = q->c->cluster->partition[i].name;
		if (strncmp(name, g->text, g->len) == 0 && !name[g->len]) {
			r->part = i;
			return true;
		}
	}
	return refuse(q, "Invalid partition name specified");
}

/* The partition that nodes are taken from. */
static uint32_t part_used(const struct ctl *c, const struct resv *r)
{
	if (r->part != CTL_NO_ROW)
		return r->part;
	return c->part_default < c->cluster->partition_count ? c->part_default : 0;
}

static bool nodes_listed(const struct request *q, struct resv *r)
{
	const struct given *g = &q->key[KEY_NODES];
	const struct ctl *c = q->c;
	r->flags |= RESV_SPEC_NODES;
	if (is_word(g, "ALL") && r->flags & RESV_PART_NODES && r->part != CTL_NO_ROW) {
		const uint64_t *part = select_partition_nodes(c->select, r->part);
		memcpy(r->nodes, part, c->resvs->words * sizeof(*part));
		return true;
	}
	r->flags &= ~(unsigned)(RESV_PART_NODES | RESV_ALL_NODES);
	r->flags |= is_word(g, "ALL") ? RESV_ALL_NODES : 0;
	return node_list(c, g->text, g->len, r->nodes) || refuse(q, "Invalid node name specified");
}

/* So many cores come to so many whole nodes: the first of the partition's, by number. */
static uint32_t nodes_for_cores(const struct ctl *c, uint32_t part, uint32_t cores)
{
	const uint64_t *nodes = select_partition_nodes(c->select, part);
	uint32_t count = 0;
	int64_t have = 0;
	for (uint32_t n = nset_next(nodes, c->resvs->words, 0); n != CTL_NO_ROW && have < cores;
		n = nset_next(nodes, c->resvs->words, n + 1)) {
		const struct sl_node_type *type = &c->cluster->type[c->cluster->node_type[n]];
		have += type->hardware ? (int64_t)type->hardware->sockets * type->hardware->cores
				       : type->amount[SL_KIND_CPUS];
		count++;
	}
	return count;
}

static bool nodes_picked(const struct request *q, struct resv *r)
{
	struct ctl *c = q->c;
	uint32_t cores = 0;
	struct resv_want want = { r->flags, r->start, r->end, 0, r->features };
	r->part = part_used(c, r);
	r->flags &= ~(unsigned)RESV_PART_NODES;
	if ((is_given(q, KEY_NODE_COUNT) && !count_of(&q->key[KEY_NODE_COUNT], &want.nodes)) ||
		(is_given(q, KEY_CORE_COUNT) && !count_of(&q->key[KEY_CORE_COUNT], &cores)))
		return refuse(q, "Invalid number of nodes specified");
	const uint32_t by_cores = nodes_for_cores(c, r->part, cores);
	want.nodes = by_cores > want.nodes ? by_cores : want.nodes;
	if (!want.nodes)
		return refuse(q, "Reservation request lacks node specification");
	memcpy(r->nodes, select_partition_nodes(c->select, r->part), c->resvs->words * sizeof(*r->nodes));
	return resv_pick(c, &want, r->nodes) || refuse(q, "Requested nodes are busy");
}

/* Neither beside another one nor on running jobs, unless it may. self: NULL for a new one. */
static bool nodes_free(const struct request *q, const struct resv *r, const struct resv *self)
{
	struct resv_want want = { r->flags, r->start, r->end, r->node_count, NULL };
	if (!self)
		want.flags &= ~(unsigned)RESV_TIME_FLOAT; /* Its start is a time yet. */
	if (resv_overlaps(q->c, &want, r->nodes, self))
		return refuse(q, "Requested reservation overlaps with another reservation");
	if (resv_meets_jobs(q->c, &want, r->nodes, self))
		return refuse(q, "Requested nodes are busy");
	return true;
}

static bool create_nodes(const struct request *q, struct resv *r)
{
	const bool replaces = r->flags & (RESV_REPLACE | RESV_REPLACE_DOWN);
	const bool listed = is_said(q, KEY_NODES);
	r->nodes = sl_alloc(q->c->arena, q->c->resvs->words + 1, sizeof(*r->nodes));
	if (!r->nodes)
		return refuse(q, "out of memory");
	if (replaces && listed)
		return refuse(q, "Invalid node name specified"); /* REPLACE goes with NodeCnt. */
	if (r->flags & RESV_PART_NODES && !(listed && is_word(&q->key[KEY_NODES], "ALL")))
		return refuse(q, "Invalid node name specified");
	if (!listed && r->flags & RESV_ANY_NODES) {
		r->nodes = NULL;
		return r->licenses || refuse(q, "Requested reservation is invalid");
	}
	if (listed ? !nodes_listed(q, r) || !nodes_free(q, r, NULL) : !nodes_picked(q, r))
		return false;
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	return r->node_count || refuse(q, "Invalid node name specified");
}

/* The first of the accounts, else users, and a number (_generate_resv_name()). */
static const char *name_of(const struct request *q, const struct resv *r)
{
	const char *from = r->accounts ? r->accounts : r->users;
	from += *from == '-';
	const size_t len = strcspn(from, ",");
	char text[300];
	char *end = text;
	if (is_said(q, KEY_NAME))
		return kept(q, KEY_NAME);
	const size_t used = len < 200 ? len : 200;
	memcpy(end, from, used);
	end += used;
	*end++ = '_';
	end = sl_put_i64(end, q->c->resvs->made);
	return sl_strdup(q->c->arena, text, (size_t)(end - text));
}

static bool create(const struct request *q)
{
	struct ctl *c = q->c;
	struct resv made = {
		.part = CTL_NO_ROW, .duration = CTL_NONE, .purge = RESV_PURGE, .idle_since = CTL_NONE
	};
	const struct given *flags = &q->key[KEY_FLAGS];
	if (is_said(q, KEY_FLAGS))
		made.flags = resv_flags_of(flags->text, flags->len, &made.purge) &
			     ~(unsigned)(RESV_SPEC_NODES | RESV_ALL_NODES);
	made.licenses = kept(q, KEY_LICENSES);
	made.features = kept(q, KEY_FEATURES);
	if (made.flags & RESV_TIME_FLOAT && made.flags & RESV_REPEATS)
		return refuse(q, "Requested operation is not supported");
	if (!create_times(q, &made) || !part_of(q, &made) || !who_of(q, &made) || !create_nodes(q, &made))
		return false;
	if (is_said(q, KEY_NAME) && resv_named(c, q->key[KEY_NAME].text, q->key[KEY_NAME].len))
		return refuse(q, "Reservation name already in use");
	c->resvs->made++;
	made.name = name_of(q, &made);
	if (made.flags & RESV_TIME_FLOAT)
		made.start -= c->now;
	struct resv *r = made.name ? resv_new(c) : NULL;
	if (!r)
		return refuse(q, "out of memory");
	*r = made;
	return true;
}

/* ---- Update
 * -------------------------------------------------------------------------------------------------------
 */

/* "Users+=a,b", "Users-=a": the list with them, or without. */
static const char *list_changed(const struct request *q, const char *list, const struct given *g)
{
	const size_t old = list ? strlen(list) : 0;
	char *text = sl_alloc(q->c->arena, old + g->len + 2, 1);
	size_t at = 0;
	if (!text)
		return list;
	for (const char *p = list; p && *p; p += *p == ',') {
		const size_t len = strcspn(p, ",");
		bool gone = false;
		for (size_t i = 0; i < g->len; i++) {
			size_t n = 0;
			while (i + n < g->len && g->text[i + n] != ',')
				n++;
			gone = gone || (n == len && strncmp(g->text + i, p, len) == 0);
			i += n;
		}
		if (!gone) {
			if (at)
				text[at++] = ',';
			memcpy(text + at, p, len);
			at += len;
		}
		p += len;
	}
	if (g->op == '+') {
		if (at)
			text[at++] = ',';
		memcpy(text + at, g->text, g->len);
		at += g->len;
	}
	return at ? text : NULL;
}

static void update_list(const struct request *q, enum key key, const char **list)
{
	const struct given *g = &q->key[key];
	if (!g->text)
		return;
	*list = g->op == '=' ? kept(q, key) : list_changed(q, *list, g);
}

static void update_flags(const struct request *q, struct resv *r)
{
	const struct given *g = &q->key[KEY_FLAGS];
	/* Those that can be taken back: there is a NO_... of them. */
	const unsigned back = RESV_MAINT | RESV_FLEX | RESV_IGNORE_JOBS | RESV_REPEATS | RESV_ANY_NODES |
			      RESV_STATIC | RESV_PART_NODES | RESV_PURGE_COMP | RESV_MAGNETIC;
	if (!g->text)
		return;
	const unsigned flags = resv_flags_of(g->text, g->len, &r->purge) &
			       ~(unsigned)(RESV_TIME_FLOAT | RESV_SPEC_NODES | RESV_ALL_NODES);
	r->flags = g->op == '-' ? r->flags & ~(flags & back) : r->flags | flags;
}

static bool update_duration(const struct request *q, struct resv *r)
{
	const struct given *g = &q->key[KEY_DURATION];
	int64_t minutes;
	if (!g->text)
		return true;
	if (!duration_of(g, &minutes))
		return refuse(q, "Invalid time specification");
	const int64_t old = r->duration == CTL_NONE || r->duration == CTL_NEVER ? 0 : r->duration;
	if (minutes == CTL_NEVER)
		minutes = RESV_YEAR / 60;
	else if (g->op != '=')
		minutes = g->op == '+' ? old + minutes : old > minutes ? old - minutes : 0;
	r->duration = minutes;
	r->end = r->start + minutes * 60;
	r->end = r->end < q->c->now ? q->c->now : r->end;
	return true;
}

static bool update_times(const struct request *q, struct resv *r)
{
	const struct ctl *c = q->c;
	if (is_said(q, KEY_START)) {
		if (r->start <= c->now)
			return refuse(q, "Reservation already started");
		if (!time_of(c, &q->key[KEY_START], &r->start) || r->start < c->now - 60)
			return refuse(q, "Invalid time specification");
		if (r->duration != CTL_NONE && r->duration != CTL_NEVER)
			r->end = r->start + r->duration * 60;
	}
	if (is_said(q, KEY_END)) {
		if (!time_of(c, &q->key[KEY_END], &r->end) || r->end < c->now - 60)
			return refuse(q, "Invalid time specification");
		r->duration = CTL_NONE;
	}
	if (!update_duration(q, r))
		return false;
	return r->start < r->end || refuse(q, "Invalid time specification");
}

/* _resize_resv(): idle nodes go first, the lowest; more are picked beside those that it has. */
static bool resize(const struct request *q, struct resv *r, uint32_t count)
{
	struct ctl *c = q->c;
	const size_t words = c->resvs->words;
	uint32_t more = r->node_count > count ? r->node_count - count : 0;
	for (uint32_t n = nset_next(r->nodes, words, 0); n != CTL_NO_ROW && more;
		n = nset_next(r->nodes, words, n + 1))
		if (!c->nodes->node[n].jobs && nset_has(ctl_nodes_avail(c), n)) {
			nset_drop(r->nodes, n);
			more--;
		}
	for (uint32_t n = nset_next(r->nodes, words, 0), kept_count = 0; n != CTL_NO_ROW && more;
		n = nset_next(r->nodes, words, n + 1))
		if (++kept_count > count)
			nset_drop(r->nodes, n);
	if (count <= r->node_count)
		return true;
	const struct resv_want want = { r->flags, r->start, r->end, count - r->node_count, r->features };
	uint64_t *fresh = malloc(words * sizeof(*fresh));
	bool done = fresh != NULL;
	r->part = part_used(c, r);
	const uint64_t *part = select_partition_nodes(c->select, r->part);
	for (size_t w = 0; done && w < words; w++)
		fresh[w] = part[w] & ~r->nodes[w];
	done = done && resv_pick(c, &want, fresh);
	for (size_t w = 0; done && w < words; w++)
		r->nodes[w] |= fresh[w];
	free(fresh);
	return done || refuse(q, "Requested nodes are busy");
}

static bool update_nodes(const struct request *q, struct resv *r)
{
	uint32_t count;
	if (is_said(q, KEY_NODES)) {
		if (r->flags & (RESV_REPLACE | RESV_REPLACE_DOWN))
			return refuse(q, "Requested operation is not supported");
		memset(r->nodes, 0, q->c->resvs->words * sizeof(*r->nodes));
		if (!nodes_listed(q, r))
			return false;
	}
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	if (is_said(q, KEY_NODE_COUNT)) {
		if (!count_of(&q->key[KEY_NODE_COUNT], &count))
			return refuse(q, "Invalid number of nodes specified");
		r->flags &= ~(unsigned)(RESV_PART_NODES | RESV_ALL_NODES);
		if (!resize(q, r, count))
			return false;
	}
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	if (!r->node_count && !(r->flags & RESV_ANY_NODES))
		return refuse(q, "Requested reservation is invalid");
	return nodes_free(q, r, resv_named(q->c, r->name, strlen(r->name)));
}

static bool update(const struct request *q)
{
	const struct ctl *c = q->c;
	struct resv *r =
		is_said(q, KEY_NAME) ? resv_named(c, q->key[KEY_NAME].text, q->key[KEY_NAME].len) : NULL;
	if (!r)
		return refuse(q, "Requested reservation is invalid");
	struct resv changed = *r; /* It stays as it was where anything of it is refused. */
	changed.nodes = sl_alloc(c->arena, c->resvs->words + 1, sizeof(*changed.nodes));
	if (!changed.nodes)
		return refuse(q, "out of memory");
	if (r->nodes)
		memcpy(changed.nodes, r->nodes, c->resvs->words * sizeof(*changed.nodes));
	update_flags(q, &changed);
	update_list(q, KEY_USERS, &changed.users);
	update_list(q, KEY_ACCOUNTS, &changed.accounts);
	if (is_given(q, KEY_LICENSES))
		changed.licenses = kept(q, KEY_LICENSES);
	if (!changed.users && !changed.accounts)
		return refuse(q, "Reservation request lacks users, accounts or groups");
	if ((is_said(q, KEY_PARTITION) && !part_of(q, &changed)) || !update_times(q, &changed) ||
		!update_nodes(q, &changed))
		return false;
	changed.ended = changed.over = false;
	changed.began = changed.began && changed.start <= c->now;
	if (!changed.node_count)
		changed.nodes = NULL;
	*r = changed;
	return true;
}

/* ---- Delete
 * ------------------------------------------------------------------------------------------------------
 */

static bool delete (const struct request *q, const char *arguments)
{
	struct given name = q->key[KEY_NAME];
	if (!name.text) /* "delete reservation NAME" */
		name = (struct given){ arguments, strcspn(arguments, " \t"), '=' };
	struct resv *r = resv_named(q->c, name.text, name.len);
	if (!r)
		return refuse(q, "Requested reservation is invalid");
	if (resv_running(q->c, r))
		return refuse(q, "Requested reservation is in use");
	resv_delete(q->c, r);
	return true;
}

bool ctl_resv_command(struct ctl *c, const char *verb, const char *arguments, const char **why)
{
	const char *told = NULL;
	struct request q = { .c = c, .why = why ? why : &told };
	bool done;
	arguments += strspn(arguments, " \t");
	if (strncasecmp(arguments, "reservation", 11) == 0 && (arguments[11] == ' ' || arguments[11] == '\t'))
		arguments += 11 + strspn(arguments + 11, " \t");
	*q.why = NULL;
	pairs(&q, arguments);
	tres_apart(&q);
	if (strcasecmp(verb, "create") == 0)
		done = create(&q);
	else if (strcasecmp(verb, "update") == 0)
		done = update(&q);
	else if (strcasecmp(verb, "delete") == 0)
		done = delete (&q, arguments);
	else
		done = refuse(&q, "invalid keyword");
	if (!done)
		return false;
	c->node_changes++;
	ctl_resv_run(c);
	resv_show(c);
	ctl_want_pass(c); /* _slurm_rpc_resv_create() and its like ask for one. */
	return true;
}
