/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_resv_command.c - scontrol create, update and delete reservation, at their time (create_resv(),
 * update_resv(), delete_resv()).
 *
 * What slurmctld would refuse changes nothing, and is reported in its words.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl_node.h"
#include "policies/slurm/control/ctl_resv_words.h"

/* ---- Create: its parts ----------------------------------------------------------------------- */

/* Seconds that a start may be in the past (MAX_RESV_DELAY). */
enum { LATE = 600 };

static bool create_times(const struct resv_request *q, struct resv *r)
{
	const struct ctl *c = q->c;
	r->start = c->now;
	if (resv_is_said(q, RESV_KEY_START) && !resv_time_of(c, &q->key[RESV_KEY_START], &r->start))
		return resv_refuse(q, "Invalid time specification");
	if (r->flags & RESV_TIME_FLOAT && r->start < c->now)
		r->start = c->now;
	if (r->start < c->now - LATE)
		return resv_refuse(q, "Requested reservation has an invalid start time");
	if (resv_is_said(q, RESV_KEY_DURATION) && !resv_duration_of(&q->key[RESV_KEY_DURATION], &r->duration))
		return resv_refuse(q, "Invalid time specification");
	if (resv_is_said(q, RESV_KEY_END)) {
		if (!resv_time_of(c, &q->key[RESV_KEY_END], &r->end) || r->end < c->now - LATE)
			return resv_refuse(q, "Requested reservation has an invalid end time");
	} else if (r->duration == CTL_NEVER) {
		r->end = r->start + RESV_YEAR;
	} else {
		r->end = r->duration == CTL_NONE ? RESV_FAR : r->start + r->duration * 60;
	}
	return r->start < r->end || resv_refuse(q, "Requested reservation ends before it starts");
}

static const char both[] = "Reservations can't have users and groups specified, only one or the other";

/* Its users are those of its groups; none is known of any: it is no group. */
static bool groups_of(const struct resv_request *q, struct resv *r)
{
	if (!r->groups)
		return true;
	r->users = ctl_groups_users(q->c, r->groups);
	return r->users || resv_refuse(q, "Invalid group id");
}

static bool who_of(const struct resv_request *q, struct resv *r)
{
	if (resv_is_said(q, RESV_KEY_USERS) && resv_is_said(q, RESV_KEY_GROUPS))
		return resv_refuse(q, both);
	if (resv_is_given(q, RESV_KEY_USERS))
		r->users = resv_kept(q, RESV_KEY_USERS);
	r->groups = resv_kept(q, RESV_KEY_GROUPS);
	if (!groups_of(q, r))
		return false;
	if (resv_is_given(q, RESV_KEY_ACCOUNTS))
		r->accounts = resv_kept(q, RESV_KEY_ACCOUNTS);
	r->parts = resv_kept(q, RESV_KEY_PARTS);
	r->qos = resv_kept(q, RESV_KEY_QOS);
	if (!r->users && !r->accounts && !r->parts && !r->qos)
		return resv_refuse(q, "Reservation request lacks users, accounts or groups");
	if (resv_users_mixed(r->users) || resv_users_mixed(r->accounts))
		return resv_refuse(q, "Reservation request has users or accounts with and without a minus");
	return true;
}

static bool ctl_resv_command_part_of(const struct resv_request *q, struct resv *r)
{
	const struct resv_given *g = &q->key[RESV_KEY_PARTITION];
	if (!resv_is_said(q, RESV_KEY_PARTITION))
		return !(r->flags & RESV_PART_NODES) || resv_refuse(q, "Invalid partition name specified");
	for (uint32_t i = 0; i < q->c->cluster->partition_count; i++) {
		const char *name = q->c->cluster->partition[i].name;
		if (strncmp(name, g->text, g->len) == 0 && !name[g->len]) {
			r->part = i;
			return true;
		}
	}
	return resv_refuse(q, "Invalid partition name specified");
}

/* The partition of its nodes. */
static uint32_t part_used(const struct ctl *c, const struct resv *r)
{
	if (r->part != CTL_NO_ROW)
		return r->part;
	return c->part_default < c->cluster->partition_count ? c->part_default : 0;
}

static bool nodes_listed(const struct resv_request *q, struct resv *r)
{
	const struct resv_given *g = &q->key[RESV_KEY_NODES];
	const struct ctl *c = q->c;
	r->flags |= RESV_SPEC_NODES;
	if (resv_is_word(g, "ALL") && r->flags & RESV_PART_NODES && r->part != CTL_NO_ROW) {
		const uint64_t *part = select_partition_nodes(c->select, r->part);
		memcpy(r->nodes, part, c->resvs->words * sizeof(*part));
		return true;
	}
	r->flags &= ~(unsigned)(RESV_PART_NODES | RESV_ALL_NODES);
	r->flags |= resv_is_word(g, "ALL") ? RESV_ALL_NODES : 0;
	return node_list(c, g->text, g->len, r->nodes) || resv_refuse(q, "Invalid node name specified");
}

/* CoreCnt=4,2; a number of 0 ends the list. */
static bool cores_asked(const struct resv_request *q, struct resv_want *want, uint32_t *cores)
{
	const struct resv_given *g = &q->key[RESV_KEY_CORE_COUNT];
	want->core_counts = 0;
	if (!resv_is_said(q, RESV_KEY_CORE_COUNT))
		return true;
	if (!resv_counts_of(g, cores, RESV_CORE_COUNTS, &want->core_counts))
		return resv_refuse(q, "Invalid core count");
	want->cores = cores;
	return true;
}

/* GPUs of a TRES are of all nodes, other gres of one; of TRESPerNode all are of each. */
static bool gres_asked(const struct resv_request *q, struct resv_want *want, uint32_t nodes)
{
	want->per_node = resv_is_said(q, RESV_KEY_TRES_PER_NODE);
	if (!q->gres)
		return true;
	if (want->per_node || nodes == 1) {
		want->gres = q->gres;
		return true;
	}
	if (strncasecmp(q->gres, "gpu:", 4) != 0 || strchr(q->gres, ','))
		return resv_refuse(
			q, "GRES other than GPUs of one type are followed by the node: TRESPerNode");
	want->gpus = q->gres + 4;
	return true;
}

static bool parts_picked(
	const struct resv_request *q, struct resv *r, const struct resv_want *want, bool listed)
{
	struct ctl *c = q->c;
	struct resv_parts parts = { .nodes = r->nodes };
	r->cores = parts.cores = sl_alloc(c->arena, select_core_words(c->select) + 1, sizeof(*r->cores));
	r->gres = parts.gres = sl_alloc(c->arena, SELECT_GRES_KINDS, sizeof(*r->gres));
	if (!r->cores || !r->gres)
		return resv_refuse(q, "out of memory");
	r->part = part_used(c, r);
	if (!resv_pick_cores(c, want, listed, &parts))
		return resv_refuse(q, "Requested nodes are busy");
	r->gres_count = parts.gres_count;
	return true;
}

/* Of listed nodes: as many numbers as nodes. */
static bool parts_of_listed(const struct resv_request *q, struct resv *r)
{
	uint32_t cores[RESV_CORE_COUNTS];
	const uint32_t nodes = nset_count(r->nodes, q->c->resvs->words);
	struct resv_want want = {
		.flags = r->flags, .start = r->start, .end = r->end, .features = r->features
	};
	if (!cores_asked(q, &want, cores) || !gres_asked(q, &want, nodes))
		return false;
	if (!want.core_counts && !q->gres)
		return true;
	if (q->c->params.version < CTL_23_11 && want.core_counts < nodes)
		return resv_refuse(q, "Core count for reservation node list is not consistent!");
	return parts_picked(q, r, &want, true);
}

static bool nodes_picked(const struct resv_request *q, struct resv *r)
{
	struct ctl *c = q->c;
	uint32_t cores[RESV_CORE_COUNTS];
	struct resv_want want = {
		.flags = r->flags, .start = r->start, .end = r->end, .features = r->features
	};
	r->part = part_used(c, r);
	r->flags &= ~(unsigned)RESV_PART_NODES;
	if (resv_is_given(q, RESV_KEY_NODE_COUNT) &&
		!resv_count_of(&q->key[RESV_KEY_NODE_COUNT], &want.nodes))
		return resv_refuse(q, "Invalid number of nodes specified");
	if (!cores_asked(q, &want, cores) || !gres_asked(q, &want, want.nodes))
		return false;
	if (!want.nodes && !want.core_counts && !q->gres)
		return resv_refuse(q, "Reservation request lacks node specification");
	memcpy(r->nodes, select_partition_nodes(c->select, r->part), c->resvs->words * sizeof(*r->nodes));
	if (want.core_counts || q->gres)
		return parts_picked(q, r, &want, false);
	return resv_pick(c, &want, r->nodes) || resv_refuse(q, "Requested nodes are busy");
}

/* Neither beside another one nor on running jobs, unless it may. self: NULL for a new one. */
static bool nodes_free(const struct resv_request *q, const struct resv *r, const struct resv *self)
{
	struct resv_want want = {
		.flags = r->flags, .start = r->start, .end = r->end, .nodes = r->node_count
	};
	const bool by_cores = resv_is_said(q, RESV_KEY_CORE_COUNT);
	if (!self)
		want.flags &= ~(unsigned)RESV_TIME_FLOAT; /* Its start is a time yet. */
	if (resv_overlaps(q->c, &want, r->nodes, self))
		return resv_refuse(q, "Requested reservation overlaps with another reservation");
	if (!by_cores && resv_meets_jobs(q->c, &want, r->nodes, self))
		return resv_refuse(q, "Requested nodes are busy");
	return true;
}

static bool create_nodes(const struct resv_request *q, struct resv *r)
{
	const bool replaces = r->flags & (RESV_REPLACE | RESV_REPLACE_DOWN);
	const bool listed = resv_is_said(q, RESV_KEY_NODES);
	r->nodes = sl_alloc(q->c->arena, q->c->resvs->words + 1, sizeof(*r->nodes));
	if (!r->nodes)
		return resv_refuse(q, "out of memory");
	if (replaces && listed)
		return resv_refuse(q, "Invalid node name specified"); /* REPLACE goes with NodeCnt. */
	if (r->flags & RESV_PART_NODES && !(listed && resv_is_word(&q->key[RESV_KEY_NODES], "ALL")))
		return resv_refuse(q, "Invalid node name specified");
	if (!listed && r->flags & RESV_ANY_NODES) {
		r->nodes = NULL;
		return r->licenses || resv_refuse(q, "Requested reservation is invalid");
	}
	if (replaces && resv_is_said(q, RESV_KEY_CORE_COUNT))
		return resv_refuse(q, "Invalid number of CPUs specified"); /* And not with CoreCnt. */
	if (listed ? !nodes_listed(q, r) || !nodes_free(q, r, NULL) || !parts_of_listed(q, r)
		   : !nodes_picked(q, r))
		return false;
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	return r->node_count || resv_refuse(q, "Invalid node name specified");
}

/* The first of the accounts, else users, and a number (_generate_resv_name()). */
static const char *ctl_resv_command_name_of(const struct resv_request *q, const struct resv *r)
{
	const char *who = r->groups ? r->groups : r->users ? r->users : "";
	const char *from = r->accounts ? r->accounts : who;
	from += *from == '-';
	const size_t len = strcspn(from, ",");
	char text[300];
	char *end = text;
	if (resv_is_said(q, RESV_KEY_NAME))
		return resv_kept(q, RESV_KEY_NAME);
	const size_t used = len < 200 ? len : 200;
	memcpy(end, from, used);
	end += used;
	*end++ = '_';
	end = sl_put_i64(end, q->c->resvs->made);
	return sl_strdup(q->c->arena, text, (size_t)(end - text));
}

static bool create(const struct resv_request *q)
{
	struct ctl *c = q->c;
	struct resv made = {
		.part = CTL_NO_ROW, .duration = CTL_NONE, .purge = RESV_PURGE, .idle_since = CTL_NONE
	};
	const struct resv_given *flags = &q->key[RESV_KEY_FLAGS];
	if (resv_is_said(q, RESV_KEY_FLAGS))
		made.flags = resv_flags_of(flags->text, flags->len, &made.purge) &
			     ~(unsigned)(RESV_SPEC_NODES | RESV_ALL_NODES);
	made.licenses = resv_kept(q, RESV_KEY_LICENSES);
	made.features = resv_kept(q, RESV_KEY_FEATURES);
	if (made.flags & RESV_FIRST_CORES && c->params.version >= CTL_23_11)
		return resv_refuse(q, "Error parsing flags FIRST_CORES");
	if (made.flags & RESV_TIME_FLOAT && made.flags & RESV_REPEATS)
		return resv_refuse(q, "Requested operation is not supported");
	if (!create_times(q, &made) || !ctl_resv_command_part_of(q, &made) || !who_of(q, &made) ||
		!create_nodes(q, &made))
		return false;
	if (resv_is_said(q, RESV_KEY_NAME) &&
		resv_named(c, q->key[RESV_KEY_NAME].text, q->key[RESV_KEY_NAME].len))
		return resv_refuse(q, "Reservation name already in use");
	c->resvs->made++;
	made.name = ctl_resv_command_name_of(q, &made);
	if (made.flags & RESV_TIME_FLOAT)
		made.start -= c->now;
	struct resv *r = made.name ? resv_new(c) : NULL;
	if (!r)
		return resv_refuse(q, "out of memory");
	*r = made;
	return true;
}

/* ---- Update ---------------------------------------------------------------------------------- */

/* "Users+=a,b", "Users-=a": the list with them, or without. */
static const char *list_changed(const struct resv_request *q, const char *list, const struct resv_given *g)
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

static void update_list(const struct resv_request *q, enum resv_key key, const char **list)
{
	const struct resv_given *g = &q->key[key];
	if (!g->text)
		return;
	*list = g->op == '=' ? resv_kept(q, key) : list_changed(q, *list, g);
}

/* Groups before users, and not both. */
static bool update_users(const struct resv_request *q, struct resv *r)
{
	const bool by_groups = r->groups != NULL;
	if (resv_is_given(q, RESV_KEY_GROUPS)) {
		update_list(q, RESV_KEY_GROUPS, &r->groups);
		if (r->groups && r->users && !by_groups)
			return resv_refuse(q, both);
		if (by_groups)
			r->users = NULL;
		if (!groups_of(q, r))
			return false;
	}
	if (r->groups && resv_is_said(q, RESV_KEY_USERS))
		return resv_refuse(q, both);
	update_list(q, RESV_KEY_USERS, &r->users);
	return true;
}

static void update_flags(const struct resv_request *q, struct resv *r)
{
	const struct resv_given *g = &q->key[RESV_KEY_FLAGS];
	/* Those that can be cleared: there is a NO_... of them. */
	const unsigned back = RESV_MAINT | RESV_FLEX | RESV_IGNORE_JOBS | RESV_REPEATS | RESV_ANY_NODES |
			      RESV_STATIC | RESV_PART_NODES | RESV_PURGE_COMP | RESV_MAGNETIC;
	if (!g->text)
		return;
	const unsigned flags = resv_flags_of(g->text, g->len, &r->purge) &
			       ~(unsigned)(RESV_TIME_FLOAT | RESV_SPEC_NODES | RESV_ALL_NODES);
	r->flags = g->op == '-' ? r->flags & ~(flags & back) : r->flags | flags;
}

static bool update_duration(const struct resv_request *q, struct resv *r)
{
	const struct resv_given *g = &q->key[RESV_KEY_DURATION];
	int64_t minutes;
	if (!g->text)
		return true;
	if (!resv_duration_of(g, &minutes))
		return resv_refuse(q, "Invalid time specification");
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

static bool update_times(const struct resv_request *q, struct resv *r)
{
	const struct ctl *c = q->c;
	if (resv_is_said(q, RESV_KEY_START)) {
		if (r->start <= c->now)
			return resv_refuse(q, "Reservation already started");
		if (!resv_time_of(c, &q->key[RESV_KEY_START], &r->start) || r->start < c->now - 60)
			return resv_refuse(q, "Invalid time specification");
		if (r->duration != CTL_NONE && r->duration != CTL_NEVER)
			r->end = r->start + r->duration * 60;
	}
	if (resv_is_said(q, RESV_KEY_END)) {
		if (!resv_time_of(c, &q->key[RESV_KEY_END], &r->end) || r->end < c->now - 60)
			return resv_refuse(q, "Invalid time specification");
		r->duration = CTL_NONE;
	}
	if (!update_duration(q, r))
		return false;
	return r->start < r->end || resv_refuse(q, "Invalid time specification");
}

/* _resize_resv(): idle nodes go first, the lowest; more are picked beside those that it has. */
static bool resize(const struct resv_request *q, struct resv *r, uint32_t count)
{
	struct ctl *c = q->c;
	const size_t words = c->resvs->words;
	uint32_t more = r->node_count > count ? r->node_count - count : 0;
	for (uint32_t n = nset_next(r->nodes, words, 0); n != CTL_NO_ROW && more;
		n = nset_next(r->nodes, words, n + 1))
		if (node_is_idle(&c->nodes->node[n]) && nset_has(ctl_nodes_avail(c), n)) {
			nset_drop(r->nodes, n);
			more--;
		}
	for (uint32_t n = nset_next(r->nodes, words, 0), kept_count = 0; n != CTL_NO_ROW && more;
		n = nset_next(r->nodes, words, n + 1))
		if (++kept_count > count)
			nset_drop(r->nodes, n);
	if (count <= r->node_count)
		return true;
	const struct resv_want want = { .flags = r->flags,
		.start = r->start,
		.end = r->end,
		.nodes = count - r->node_count,
		.features = r->features };
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
	return done || resv_refuse(q, "Requested nodes are busy");
}

static bool update_nodes(const struct resv_request *q, struct resv *r)
{
	uint32_t count;
	if (resv_is_said(q, RESV_KEY_NODES)) {
		if (r->flags & (RESV_REPLACE | RESV_REPLACE_DOWN))
			return resv_refuse(q, "Requested operation is not supported");
		memset(r->nodes, 0, q->c->resvs->words * sizeof(*r->nodes));
		if (!nodes_listed(q, r))
			return false;
	}
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	if (resv_is_said(q, RESV_KEY_NODE_COUNT)) {
		if (!resv_count_of(&q->key[RESV_KEY_NODE_COUNT], &count))
			return resv_refuse(q, "Invalid number of nodes specified");
		r->flags &= ~(unsigned)(RESV_PART_NODES | RESV_ALL_NODES);
		if (!resize(q, r, count))
			return false;
	}
	r->node_count = nset_count(r->nodes, q->c->resvs->words);
	if (!r->node_count && !(r->flags & RESV_ANY_NODES))
		return resv_refuse(q, "Requested reservation is invalid");
	return nodes_free(q, r, resv_named(q->c, r->name, strlen(r->name)));
}

static bool update(const struct resv_request *q)
{
	const struct ctl *c = q->c;
	struct resv *r = resv_is_said(q, RESV_KEY_NAME)
				 ? resv_named(c, q->key[RESV_KEY_NAME].text, q->key[RESV_KEY_NAME].len)
				 : NULL;
	if (!r)
		return resv_refuse(q, "Requested reservation is invalid");
	if (resv_is_said(q, RESV_KEY_CORE_COUNT) || q->gres ||
		(r->cores && (resv_is_said(q, RESV_KEY_NODES) || resv_is_said(q, RESV_KEY_NODE_COUNT))))
		return resv_refuse(q, "Core-based reservation can not be updated");
	struct resv changed = *r; /* It stays as it was where anything of it is refused. */
	changed.nodes = sl_alloc(c->arena, c->resvs->words + 1, sizeof(*changed.nodes));
	if (!changed.nodes)
		return resv_refuse(q, "out of memory");
	if (r->nodes)
		memcpy(changed.nodes, r->nodes, c->resvs->words * sizeof(*changed.nodes));
	update_flags(q, &changed);
	if (!update_users(q, &changed))
		return false;
	update_list(q, RESV_KEY_ACCOUNTS, &changed.accounts);
	update_list(q, RESV_KEY_PARTS, &changed.parts);
	update_list(q, RESV_KEY_QOS, &changed.qos);
	if (resv_is_given(q, RESV_KEY_LICENSES))
		changed.licenses = resv_kept(q, RESV_KEY_LICENSES);
	if (!changed.users && !changed.accounts && !changed.parts && !changed.qos)
		return resv_refuse(q, "Reservation request lacks users, accounts or groups");
	if ((resv_is_said(q, RESV_KEY_PARTITION) && !ctl_resv_command_part_of(q, &changed)) ||
		!update_times(q, &changed) || !update_nodes(q, &changed))
		return false;
	changed.ended = changed.over = false;
	changed.began = changed.began && changed.start <= c->now;
	if (!changed.node_count)
		changed.nodes = NULL;
	*r = changed;
	return true;
}

/* ---- Delete ---------------------------------------------------------------------------------- */

static bool delete (const struct resv_request *q, const char *arguments)
{
	struct resv_given name = q->key[RESV_KEY_NAME];
	if (!name.text) /* "delete reservation NAME" */
		name = (struct resv_given){ arguments, strcspn(arguments, " \t"), '=' };
	struct resv *r = resv_named(q->c, name.text, name.len);
	if (!r)
		return resv_refuse(q, "Requested reservation is invalid");
	if (resv_running(q->c, r))
		return resv_refuse(q, "Requested reservation is in use");
	resv_delete(q->c, r);
	return true;
}

/* "4,2": a count for each node. scontrol of 23.11 and after takes one number. */
static bool counts_are_single(const struct resv_request *q)
{
	static const struct {
		int key;
		const char *why;
	} counts[] = { { RESV_KEY_NODE_COUNT,
			       "Using a comma separated array for NodeCnt is no longer valid." },
		{ RESV_KEY_CORE_COUNT, "Using a comma separated array for CoreCnt is no longer valid." } };
	for (size_t i = 0; i < SL_LEN(counts) && q->c->params.version >= CTL_23_11; i++) {
		const struct resv_given *given = &q->key[counts[i].key];
		if (given->text && memchr(given->text, ',', given->len))
			return resv_refuse(q, counts[i].why);
	}
	return true;
}

bool ctl_resv_command(struct ctl *c, const char *verb, const char *arguments, const char **why)
{
	const char *reported = NULL;
	struct resv_request q = { .c = c, .why = why ? why : &reported };
	bool done;
	arguments += strspn(arguments, " \t");
	if (strncasecmp(arguments, "reservation", 11) == 0 && (arguments[11] == ' ' || arguments[11] == '\t'))
		arguments += 11 + strspn(arguments + 11, " \t");
	*q.why = NULL;
	resv_read(&q, arguments);
	if (!resv_tres_apart(&q) || !counts_are_single(&q))
		done = false;
	else if (strcasecmp(verb, "create") == 0)
		done = create(&q);
	else if (strcasecmp(verb, "update") == 0)
		done = update(&q);
	else if (strcasecmp(verb, "delete") == 0)
		done = delete (&q, arguments);
	else
		done = resv_refuse(&q, "invalid keyword");
	if (!done)
		return false;
	c->node_changes++;
	ctl_resv_run(c);
	resv_table(c);
	ctl_want_pass(c); /* _slurm_rpc_resv_create() and its like trigger one. */
	return true;
}
