/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_extra.c - SchedulerParameters=extra_constraints, of 23.11: which nodes a job's --extra allows.
 *
 * A node's Extra is a JSON object; scontrol shows and sets it. --extra compares its members: KEY=VALUE, !=,
 * <,
 * <=, >, >=, joined by & (or a comma) or by |, one of them on a level, parts in parentheses. Read in the
 * source of 24.11.5 (extra_constraints.c, _build_node_list()):
 * - A member that is not there fails, whatever is asked of it, and so does a node without an Extra.
 * - A number is compared as one (equal: closer than 0.00001), a truth with yes, no, true, false, on, off; a
 *   text byte by byte.
 * - The main pass and a start look at it; plans of backfill do not: a job whose planned nodes fail it is
 *   skipped, and keeps none of them.
 * - If no nodes do, the job waits (Constraints there, BadConstraints here) and is not held.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl.h"
#include "policies/slurm/control/ctl_node.h"

enum { WORD = 256 /* Longer members are none that a node has. */ };

/* Nodes of one --extra, as of a change of nodes' Extra. */
struct extra_nodes {
	const char *text;
	uint64_t *nodes; /* Also of one that is wrong: none. */
	uint64_t changes;
	bool wrong;
};

struct ctl_extra {
	const char **of_node; /* NULL: it has none. */
	uint64_t changes;
	struct extra_nodes *known;
	size_t count, capacity;
};

/* ---- Comparison -------------------------------------------------------------------------------------- */

enum { CLOSE_MICRO = 10 };

static bool truth_of(const char *word, int64_t *value)
{
	static const char *const words[] = { "n", "no", "f", "false", "off", "y", "yes", "t", "true", "on" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strcasecmp(word, words[i]) == 0) {
			*value = i >= SL_LEN(words) / 2;
			return true;
		}
	return false;
}

static int sign_of(int64_t difference, int64_t close)
{
	return difference > -close && difference < close ? 0 : difference < 0 ? -1 : 1;
}

/* The member beside the value: below 0, 0, above; false: they do not compare. */
static bool extra_compare(
	const struct sl_doc *doc, const struct sl_doc_node *member, const char *value, int *order)
{
	int64_t has, wants;
	const char *text = sl_doc_word(doc, member);
	if (!text || sl_doc_is(doc, member, "null"))
		return false;
	if (member->quoted) {
		*order = strcmp(text, value);
		return true;
	}
	if (sl_doc_is(doc, member, "true") || sl_doc_is(doc, member, "false")) {
		*order = truth_of(value, &wants) ? (int)sl_doc_is(doc, member, "true") - (int)wants : 0;
		return truth_of(value, &wants);
	}
	if (!sl_get_micro(text, strlen(text), &has) || !sl_get_micro(value, strlen(value), &wants))
		return false;
	*order = sign_of(has / 2 - wants / 2, CLOSE_MICRO / 2); /* Halves do not overflow. */
	return true;
}

/* ---- The expression ------------------------------------------------------------------------------------ */

struct extra_text {
	const char *p;
	const struct sl_doc *doc; /* Of a node; NULL: it is only read. */
	bool wrong;
};

static bool passes(const char *op, size_t len, int order)
{
	const bool equal = op[len - 1] == '=' && order == 0;
	if (op[0] == '!')
		return order != 0;
	return equal || (op[0] == '<' && order < 0) || (op[0] == '>' && order > 0);
}

static bool is_comparison(const char *op, size_t len)
{
	return (len == 1 && op[0] != '!') || (len == 2 && op[0] != '=' && op[1] == '=');
}

/* KEY OP VALUE; blanks are of key and value. */
static bool extra_leaf(struct extra_text *x)
{
	char key[WORD], value[WORD];
	const size_t len = strcspn(x->p, ",&|()"), name = strcspn(x->p, "<>=!,&|()");
	const char *op = x->p + name, *end = x->p + len;
	const size_t op_len = strspn(op, "<>=!");
	const char *from = op + op_len;
	x->p = end;
	x->wrong = x->wrong || !name || !is_comparison(op, op_len) || from >= end ||
		   (size_t)(end - from) != strcspn(from, "<>=!,&|()");
	if (x->wrong || !x->doc || name >= WORD || (size_t)(end - from) >= WORD)
		return false;
	memcpy(key, op - name, name);
	memcpy(value, from, (size_t)(end - from));
	key[name] = value[end - from] = 0;
	int order;
	const struct sl_doc_node *member = sl_doc_member(x->doc, &x->doc->node[0], key);
	return member && extra_compare(x->doc, member, value, &order) && passes(op, op_len, order);
}

enum { LEVELS = 32 };

/* What is on one level, up to its end: all of it holds, or of alternatives one. */
static bool extra_level(struct extra_text *x, int depth)
{
	char join = 0;
	bool all = true, any = false;
	for (;;) {
		bool holds;
		if (*x->p == '(' && depth < LEVELS) {
			x->p++;
			holds = extra_level(x, depth + 1);
			x->wrong = x->wrong || *x->p != ')';
			x->p += *x->p == ')';
		} else {
			holds = extra_leaf(x);
		}
		all = all && holds;
		any = any || holds;
		const char next = *x->p == ',' ? '&' : *x->p;
		if (x->wrong || (next != '&' && next != '|'))
			break;
		x->wrong = join && join != next;
		join = next;
		x->p++;
	}
	return join == '|' ? any : all;
}

static bool extra_holds(const char *text, const struct sl_doc *doc, bool *wrong)
{
	struct extra_text x = { .p = text, .doc = doc };
	const bool holds = extra_level(&x, 0);
	*wrong = x.wrong || *x.p;
	return holds && !*wrong;
}

/* ---- Nodes -----------------------------------------------------------------------------------------------
 */

static bool node_holds(const char *text, const char *extra)
{
	struct sl_doc doc = { .file = "Extra" };
	struct sl_err ignored = { 0 };
	bool wrong, holds = false;
	if (sl_doc_read_json(&doc, extra, strlen(extra), &ignored) == SL_OK)
		holds = extra_holds(text, &doc, &wrong);
	sl_doc_release(&doc);
	return holds;
}

static void extra_look(struct ctl *c, struct extra_nodes *known)
{
	const char *last = NULL;
	bool holds = false;
	(void)extra_holds(known->text, NULL, &known->wrong);
	memset(known->nodes, 0, select_node_words(c->select) * sizeof(*known->nodes));
	for (uint32_t n = 0; n < c->cluster->node_count && !known->wrong; n++) {
		const char *extra = c->extra->of_node[n];
		if (!extra)
			continue;
		if (extra != last)
			holds = node_holds(known->text, extra);
		last = extra;
		if (holds)
			known->nodes[n / 64] |= UINT64_C(1) << (n % 64);
	}
	known->changes = c->extra->changes;
}

static struct extra_nodes *extra_known(struct ctl *c, const char *text)
{
	struct ctl_extra *e = c->extra;
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->known[i].text, text) == 0)
			return &e->known[i];
	if (SL_GROW_IN(c->arena, e->known, e->capacity, e->count + 1, NULL)) {
		controller_no_memory(&c->engine);
		return NULL;
	}
	struct extra_nodes *known = &e->known[e->count];
	*known = (struct extra_nodes){ .text = text, .changes = UINT64_MAX };
	known->nodes = sl_alloc(c->arena, select_node_words(c->select), sizeof(*known->nodes));
	if (!known->nodes) {
		controller_no_memory(&c->engine);
		return NULL;
	}
	e->count++;
	return known;
}

static const struct extra_nodes *extra_of(struct ctl *c, const struct ctl_job *job)
{
	const char *text = c->extra && job->desc.desc ? job->desc.desc->extra : NULL;
	struct extra_nodes *known = text ? extra_known(c, text) : NULL;
	if (known && known->changes != c->extra->changes)
		extra_look(c, known);
	return known;
}

const uint64_t *ctl_extra_nodes(struct ctl *c, const struct ctl_job *job)
{
	const struct extra_nodes *known = extra_of(c, job);
	return known ? known->nodes : NULL;
}

bool ctl_extra_is_wrong(struct ctl *c, const struct ctl_job *job)
{
	const struct extra_nodes *known = extra_of(c, job);
	return known && known->wrong;
}

/* ---- What nodes have --------------------------------------------------------------------------------- */

static bool is_json(const char *text)
{
	struct sl_doc doc = { .file = "Extra" };
	struct sl_err ignored = { 0 };
	const bool is = sl_doc_read_json(&doc, text, strlen(text), &ignored) == SL_OK;
	sl_doc_release(&doc);
	return is;
}

static bool extra_put(struct ctl *c, const char *names, const char *text)
{
	uint64_t *set = sl_alloc(c->arena, select_node_words(c->select) + 1, sizeof(*set));
	const char *kept = sl_strdup(c->arena, text, strlen(text));
	if (!set || !kept) {
		controller_no_memory(&c->engine);
		return false;
	}
	if (!node_list(c, names, strlen(names), set))
		return false;
	for (uint32_t n = 0; n < c->cluster->node_count; n++)
		if (set[n / 64] >> (n % 64) & 1)
			c->extra->of_node[n] = *kept ? kept : NULL;
	c->extra->changes++;
	return true;
}

bool ctl_extra_set(struct ctl *c, const char *names, const char *text)
{
	if (!c->extra)
		return true;
	if ((*text && !is_json(text)) || !extra_put(c, names, text))
		return false;
	c->node_changes++;
	ctl_want_pass(c); /* There, the next one of sched_interval sees it. */
	return true;
}

int ctl_extra_make(struct ctl *c, struct sl_err *err)
{
	if (!c->params.extra_constraints)
		return SL_OK;
	c->extra = sl_alloc(c->arena, 1, sizeof(*c->extra));
	if (!c->extra)
		return sl_fail_memory(err);
	c->extra->of_node = sl_alloc(c->arena, (size_t)c->cluster->node_count + 1, sizeof(const char *));
	if (!c->extra->of_node)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *said = &c->cluster->setting[i];
		if (strcmp(said->kind, "node") == 0 && strcasecmp(said->key, "Extra") == 0)
			(void)extra_put(c, said->name, said->value);
	}
	return SL_OK;
}
