/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_acct.c - sacctmgr's tree of associations and its QOS, from the cluster's settings of kinds
 * "association", "user", "qos" and "usage" (traces/slurm/conf_accounts.c); and a job's association in them.
 *
 * Row 0 of the associations is the account root, if any association is defined. Parents have lower rows than
 * their children; rows of one depth are in the order of the files. The user root is always there, as every
 * cluster has it. What an association does not set it has from the nearest above that does (slurmdbd's
 * get_parent_limits): all Max... limits TRES by TRES, Priority, the default QOS and the list of QOS; never
 * shares or Grp... limits.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

/* An association while the tree is not yet built. */
struct sprig {
	const char *name, *account, *user, *partition, *parent;
	uint32_t order; /* Of its first mention. */
	uint32_t up;    /* Of sprigs; CTL_NO_ROW: it is root. */
	uint32_t depth, row;
};

struct thicket {
	struct ctl *c;
	struct sprig *sprig; /* By name, once it is sorted. */
	uint32_t count;
};

static int ctl_acct_by_text(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	for (; *a || *b; a++, b++) {
		const int x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a;
		const int y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int ctl_acct_by_name(const void *a, const void *b)
{
	const struct sprig *x = a;
	const struct sprig *y = b;
	const int names = ctl_acct_by_text(x->name, y->name);
	return names ? names : (x->order > y->order) - (x->order < y->order);
}

static int by_depth(const void *a, const void *b)
{
	const struct sprig *x = *(const struct sprig *const *)a;
	const struct sprig *y = *(const struct sprig *const *)b;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static struct sprig *ctl_acct_find_here(const struct thicket *t, const char *name)
{
	uint32_t low = 0;
	uint32_t high = t->count;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		if (ctl_acct_by_text(t->sprig[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->count && ctl_acct_by_text(t->sprig[low].name, name) == 0 ? &t->sprig[low] : NULL;
}

static bool is_kind(const struct sl_setting *setting, const char *kind)
{
	return strcmp(setting->kind, kind) == 0;
}

/* ---- QOS -------------------------------------------------------------------------------------------- */

static bool qos_new(struct ctl *c, const char *name)
{
	struct ctl_qos *qos = &c->qos[c->qos_count++];
	*qos = (struct ctl_qos){
		.name = name, .usage_factor = 1, .preempt_mode = CTL_PREEMPT_NOT_SAID, .exempt_time = CTL_NONE
	};
	qos->preempts = sl_alloc(c->arena, c->acct->qos_words, sizeof(*qos->preempts));
	qos->limits = sl_alloc(c->arena, 1, sizeof(*qos->limits));
	if (!qos->preempts || !qos->limits)
		return false;
	ctl_limits_none(qos->limits);
	return true;
}

static bool is_qos(const struct sl_setting *setting) { return is_kind(setting, "qos") && *setting->name; }

static bool qos_make(struct ctl *c)
{
	uint32_t most = 0;
	const char *last = "";
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		if (is_qos(setting) && strcmp(last, setting->name) != 0) {
			last = setting->name;
			most++;
		}
	}
	c->acct->qos_words = most / 64 + 1;
	c->qos = sl_alloc(c->arena, most ? most : 1, sizeof(*c->qos));
	if (!c->qos)
		return false;
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		if (is_qos(setting) && ctl_qos_named(c, setting->name, strlen(setting->name)) == CTL_NO_ROW &&
			!qos_new(c, setting->name))
			return false;
	}
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		if (is_qos(setting))
			(void)ctl_qos_set(c, ctl_qos_named(c, setting->name, strlen(setting->name)),
				setting->key, setting->value);
	}
	for (uint32_t i = 0; i < c->part_count; i++) {
		const char *qos = sl_setting_of(c->cluster, "partition", c->part[i].name, "QOS");
		c->part[i].qos = qos ? ctl_qos_named(c, qos, strlen(qos)) : CTL_NO_ROW;
	}
	return true;
}

/* ---- The tree --------------------------------------------------------------------------------------- */

/* The k-th part of "account/user/partition"; NULL: there is none. */
static const char *ctl_acct_part_of(struct ctl *c, const char *name, unsigned k)
{
	for (; k && name; k--) {
		name = strchr(name, '/');
		name = name ? name + 1 : NULL;
	}
	return name && *name ? sl_strdup(c->arena, name, strcspn(name, "/")) : NULL;
}

static void ctl_acct_add(struct thicket *t, const char *name)
{
	t->sprig[t->count] = (struct sprig){
		.name = name,
		.account = ctl_acct_part_of(t->c, name, 0),
		.user = ctl_acct_part_of(t->c, name, 1),
		.partition = ctl_acct_part_of(t->c, name, 2),
		.order = t->count,
		.up = CTL_NO_ROW,
	};
	t->count++;
}

/* Sorted by name, each once, as first mentioned. */
static void ctl_acct_sort(struct thicket *t)
{
	qsort(t->sprig, t->count, sizeof(*t->sprig), ctl_acct_by_name);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		if (kept && ctl_acct_by_text(t->sprig[kept - 1].name, t->sprig[i].name) == 0)
			continue;
		t->sprig[kept++] = t->sprig[i];
	}
	t->count = kept;
}

/* Settings of one association follow each other: so many names, at most. */
static uint32_t mentions(const struct sl_cluster *cluster)
{
	uint32_t count = 0;
	const char *last = NULL;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (!is_kind(setting, "association") || !*setting->name)
			continue;
		if (!last || strcmp(last, setting->name) != 0)
			count += 2; /* With its account. */
		last = setting->name;
		count += ctl_same("ParentName", setting->key, strlen(setting->key));
	}
	return count;
}

/* All that are named: root and its user first, then in the order of the settings; parents too. */
static bool ctl_acct_gather(struct thicket *t)
{
	const struct sl_cluster *cluster = t->c->cluster;
	const uint32_t most = 2 + mentions(cluster);
	t->sprig = sl_alloc(t->c->arena, most, sizeof(*t->sprig));
	if (!t->sprig)
		return false;
	ctl_acct_add(t, "root");
	ctl_acct_add(t, "root/root");
	const char *last = NULL;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (!is_kind(setting, "association") || !*setting->name)
			continue;
		if (!last || strcmp(last, setting->name) != 0) {
			last = setting->name;
			ctl_acct_add(t, setting->name);
			/* A user's account is there, even if no line is its own. */
			if (t->sprig[t->count - 1].user)
				ctl_acct_add(t, t->sprig[t->count - 1].account);
		}
		if (ctl_same("ParentName", setting->key, strlen(setting->key)) && *setting->value)
			ctl_acct_add(t, setting->value);
	}
	ctl_acct_sort(t);
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (is_kind(setting, "association") && *setting->name &&
			ctl_same("ParentName", setting->key, strlen(setting->key)))
			ctl_acct_find_here(t, setting->name)->parent = setting->value;
	}
	return true;
}

static int ctl_acct_grow(struct thicket *t, struct sl_err *err)
{
	struct sprig *root = ctl_acct_find_here(t, "root");
	for (uint32_t i = 0; i < t->count; i++) {
		struct sprig *sprig = &t->sprig[i];
		const char *parent = sprig->user ? sprig->account : sprig->parent;
		const struct sprig *up = parent && *parent ? ctl_acct_find_here(t, parent) : root;
		if (sprig != root)
			sprig->up = (uint32_t)((up ? up : root) - t->sprig);
	}
	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t depth = 0;
		for (uint32_t at = i; t->sprig[at].up != CTL_NO_ROW; at = t->sprig[at].up)
			if (++depth > t->count)
				return sl_fail(err, SL_INPUT,
					"account '%s' is below itself: look at ParentName",
					t->sprig[i].account);
		t->sprig[i].depth = depth;
	}
	return SL_OK;
}

static bool children(struct ctl *c)
{
	for (uint32_t i = 1; i < c->assoc_count; i++)
		c->assoc[c->assoc[i].parent].child_count++;
	for (uint32_t i = 0; i < c->assoc_count; i++) {
		struct ctl_assoc *assoc = &c->assoc[i];
		assoc->child = sl_alloc(
			c->arena, assoc->child_count ? assoc->child_count : 1, sizeof(*assoc->child));
		if (!assoc->child)
			return false;
		assoc->child_count = 0;
	}
	for (uint32_t i = 1; i < c->assoc_count; i++) {
		struct ctl_assoc *parent = &c->assoc[c->assoc[i].parent];
		parent->child[parent->child_count++] = i;
	}
	return true;
}

static bool plant(struct ctl *c, const struct thicket *t, uint32_t row, const struct sprig *sprig)
{
	struct ctl_assoc *assoc = &c->assoc[row];
	*assoc = (struct ctl_assoc){
		.account = sprig->account,
		.user = sprig->user,
		.partition = sprig->partition,
		.parent = sprig->up == CTL_NO_ROW ? CTL_NO_ROW : t->sprig[sprig->up].row,
		.shares = 1,
		.default_qos = CTL_NO_ROW,
	};
	assoc->limits = sl_alloc(c->arena, 1, sizeof(*assoc->limits));
	assoc->limits_own = sl_alloc(c->arena, 1, sizeof(*assoc->limits_own));
	if (!assoc->limits || !assoc->limits_own || !assoc->account)
		return false;
	ctl_limits_none(assoc->limits_own);
	c->acct->own[row].priority = CTL_NONE;
	return true;
}

/* Rows by depth, so that parents come first. */
static bool rows(struct ctl *c, struct thicket *t)
{
	struct sprig **order = sl_alloc(c->arena, t->count, sizeof(struct sprig *));
	c->assoc = sl_alloc(c->arena, t->count, sizeof(*c->assoc));
	c->acct->own = sl_alloc(c->arena, t->count, sizeof(*c->acct->own));
	if (!order || !c->assoc || !c->acct->own)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		order[i] = &t->sprig[i];
	qsort(order, t->count, sizeof(struct sprig *), by_depth);
	c->assoc_count = t->count;
	for (uint32_t i = 0; i < t->count; i++)
		order[i]->row = i;
	for (uint32_t i = 0; i < t->count; i++)
		if (!plant(c, t, i, order[i]))
			return false;
	return children(c);
}

/* ---- A job's association ------------------------------------------------------------------------------ */

static int ctl_acct_compare(
	const struct ctl_assoc *a, const char *user, const char *account, const char *partition)
{
	int order = ctl_acct_by_text(a->user, user);
	if (!order)
		order = ctl_acct_by_text(a->account, account);
	return order ? order : ctl_acct_by_text(a->partition, partition);
}

static bool goes_after(const struct ctl *c, const uint32_t *a, const uint32_t *b)
{
	const struct ctl_assoc *other = &c->assoc[*b];
	return ctl_acct_compare(&c->assoc[*a], other->user, other->account, other->partition) > 0;
}
SL_HEAP(assocs, uint32_t, const struct ctl *, goes_after, SL_HEAP_UNPLACED)

/* By user, account and partition: a heap's last in turn. */
static bool index_make(struct ctl *c)
{
	uint32_t *heap = sl_alloc(c->arena, c->assoc_count, sizeof(*heap));
	c->acct->sorted = heap;
	if (!heap)
		return false;
	for (uint32_t i = 0; i < c->assoc_count; i++)
		heap[i] = i;
	assocs_make(c, heap, c->assoc_count);
	for (uint32_t count = c->assoc_count; count-- > 1;) {
		const uint32_t row = heap[0];
		heap[0] = heap[count];
		heap[count] = row;
		assocs_down(c, heap, count, 0);
	}
	return true;
}

/* The first at or after these in the index. */
static uint32_t at_least(const struct ctl *c, const char *user, const char *account, const char *partition)
{
	uint32_t low = 0;
	uint32_t high = c->assoc_count;
	while (low < high) {
		const uint32_t mid = low + (high - low) / 2;
		if (ctl_acct_compare(&c->assoc[c->acct->sorted[mid]], user, account, partition) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint32_t exactly(const struct ctl *c, const char *user, const char *account, const char *partition)
{
	const uint32_t at = at_least(c, user, account, partition);
	if (at == c->assoc_count ||
		ctl_acct_compare(&c->assoc[c->acct->sorted[at]], user, account, partition) != 0)
		return CTL_NO_ROW;
	return c->acct->sorted[at];
}

/* Where the job names none, the user's first in the order of the files. */
static const char *default_account(const struct ctl *c, const char *user)
{
	uint32_t first = CTL_NO_ROW;
	for (uint32_t at = at_least(c, user, NULL, NULL);
		at < c->assoc_count && ctl_acct_by_text(c->assoc[c->acct->sorted[at]].user, user) == 0;
		at++) {
		const uint32_t row = c->acct->sorted[at];
		if (c->acct->default_of[row])
			return c->acct->default_of[row];
		first = row < first ? row : first;
	}
	return first == CTL_NO_ROW ? NULL : c->assoc[first].account;
}

uint32_t ctl_assoc_of(const struct ctl *c, const char *user, const char *account, const char *partition)
{
	if (!c->assoc_count || !user)
		return CTL_NO_ROW;
	if (!account || !*account)
		account = default_account(c, user);
	if (!account)
		return CTL_NO_ROW;
	/* Of that partition alone goes before that of all. */
	const uint32_t row = partition ? exactly(c, user, account, partition) : CTL_NO_ROW;
	return row != CTL_NO_ROW ? row : exactly(c, user, account, NULL);
}

static bool defaults(struct ctl *c)
{
	c->acct->default_of = sl_alloc(c->arena, c->assoc_count, sizeof(*c->acct->default_of));
	if (!c->acct->default_of)
		return false;
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		const bool user = is_kind(setting, "user") &&
				  (ctl_same("DefaultAccount", setting->key, strlen(setting->key)) ||
					  ctl_same("Def Acct", setting->key, strlen(setting->key)));
		if (!user || !*setting->value)
			continue;
		const uint32_t at = at_least(c, setting->name, NULL, NULL);
		if (at < c->assoc_count &&
			ctl_acct_by_text(c->assoc[c->acct->sorted[at]].user, setting->name) == 0)
			c->acct->default_of[c->acct->sorted[at]] = setting->value;
	}
	return true;
}

/* ---- Inheritance, usage ----------------------------------------------------------------------------- */

/* TRES by TRES: the own limit, else that from above. */
static bool inherit_tres(struct ctl *c, int64_t **to, const int64_t *own, const int64_t *above)
{
	*to = NULL;
	if (!own && !above)
		return true;
	*to = sl_alloc(c->arena, CTL_TRES_MAX, sizeof(**to));
	for (uint32_t i = 0; *to && i < CTL_TRES_MAX; i++) {
		(*to)[i] = own ? own[i] : CTL_NEVER;
		if ((*to)[i] == CTL_NEVER && above)
			(*to)[i] = above[i];
	}
	return *to != NULL;
}

static bool inherit_limits(struct ctl *c, struct ctl_assoc *assoc, const struct ctl_limits *above)
{
	static const bool goes_down[CTL_LIMIT_TRES] = {
		[CTL_MAX_JOB] = true, [CTL_MAX_NODE] = true, [CTL_MAX_MINS] = true
	};
	*assoc->limits = *assoc->limits_own;
	if (!above)
		return true;
	for (unsigned i = 0; i < CTL_LIMIT_TRES; i++)
		if (goes_down[i] && !assoc->limits_own->tres[i])
			assoc->limits->tres[i] = above->tres[i]; /* Nothing of its own: the same. */
		else if (goes_down[i] && above->tres[i] &&
			 !inherit_tres(
				 c, &assoc->limits->tres[i], assoc->limits_own->tres[i], above->tres[i]))
			return false;
	static const enum ctl_limit_number number[] = { CTL_MAX_WALL, CTL_MAX_JOBS, CTL_MAX_SUBMIT,
		CTL_MAX_ACCRUE, CTL_PRIO_LEAST };
	for (size_t i = 0; i < SL_LEN(number); i++)
		if (assoc->limits->number[number[i]] == CTL_NEVER)
			assoc->limits->number[number[i]] = above->number[number[i]];
	return true;
}

static bool inherit_qos(struct ctl *c, uint32_t row)
{
	struct ctl_assoc *assoc = &c->assoc[row];
	const struct ctl_own *own = &c->acct->own[row];
	const struct ctl_assoc *above = row ? &c->assoc[assoc->parent] : NULL;
	assoc->priority = own->priority != CTL_NONE ? own->priority : above ? above->priority : 0;
	assoc->default_qos = above ? above->default_qos : CTL_NO_ROW;
	if (own->default_qos && *own->default_qos)
		assoc->default_qos = ctl_qos_named(c, own->default_qos, strlen(own->default_qos));
	assoc->qos = above ? above->qos : NULL;
	if (!own->qos || !*own->qos)
		return true;
	assoc->qos = sl_alloc(c->arena, c->acct->qos_words, sizeof(*assoc->qos));
	if (!assoc->qos)
		return false;
	for (uint32_t i = 0; above && above->qos && i < c->acct->qos_words; i++)
		assoc->qos[i] = above->qos[i];
	(void)ctl_qos_list(c, own->qos, assoc->qos);
	return true;
}

static bool is_limited(const struct ctl_limits *limits)
{
	bool is = false;
	for (unsigned i = 0; i < CTL_LIMIT_TRES; i++)
		is |= limits->tres[i] != NULL;
	for (unsigned i = 0; i < CTL_LIMIT_NUMBERS; i++)
		is |= limits->number[i] != CTL_NEVER;
	return is;
}

/* Accounts are before those below them. */
static void find_limited(struct ctl *c)
{
	for (uint32_t i = 0; i < c->assoc_count; i++) {
		struct ctl_assoc *assoc = &c->assoc[i];
		const uint32_t above = i ? c->assoc[assoc->parent].limited : CTL_NO_ROW;
		assoc->limited = is_limited(assoc->limits) ? i : above;
	}
}

void ctl_acct_inherit(struct ctl *c)
{
	for (uint32_t i = 0; i < c->assoc_count; i++)
		if (!inherit_limits(c, &c->assoc[i], i ? c->assoc[c->assoc[i].parent].limits : NULL) ||
			!inherit_qos(c, i)) {
			controller_failed(
				&c->engine, sl_fail(&c->engine.err, SL_SYSTEM,
						    "out of memory for %u associations", c->assoc_count));
			return;
		}
	find_limited(c);
}

/* What sshare prints: billing seconds of users and accounts. An account that is not in it has what those
 * below it have. */
static bool usage(struct ctl *c, const struct thicket *t)
{
	bool *reported = sl_alloc(c->arena, c->assoc_count, sizeof(*reported));
	if (!reported)
		return false;
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		int64_t micro;
		if (!is_kind(setting, "usage") || !ctl_same("RawUsage", setting->key, strlen(setting->key)) ||
			!sl_get_micro(setting->value, strlen(setting->value), &micro))
			continue;
		const struct sprig *sprig = ctl_acct_find_here(t, setting->name);
		if (!sprig)
			continue;
		c->assoc[sprig->row].usage_raw = (double)micro / 1e6;
		reported[sprig->row] = true;
	}
	for (uint32_t i = c->assoc_count; i-- > 0;) {
		struct ctl_assoc *assoc = &c->assoc[i];
		assoc->usage_tres[CTL_TRES_BILLING] = assoc->usage_raw;
		if (!reported[i] || i == 0)
			continue;
		for (uint32_t up = assoc->parent; up != CTL_NO_ROW && !reported[up]; up = c->assoc[up].parent)
			c->assoc[up].usage_raw += assoc->usage_raw;
	}
	return true;
}

/* ---- All of it -------------------------------------------------------------------------------------- */

static int tree_make(struct ctl *c, struct sl_err *err)
{
	struct thicket t = { .c = c };
	if (!ctl_acct_gather(&t))
		return sl_fail_memory(err);
	const int status = ctl_acct_grow(&t, err);
	if (status)
		return status;
	if (!rows(c, &t) || !index_make(c) || !defaults(c))
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->cluster->setting_count; i++) {
		const struct sl_setting *setting = &c->cluster->setting[i];
		if (is_kind(setting, "association") && *setting->name)
			(void)ctl_assoc_set(
				c, ctl_acct_find_here(&t, setting->name)->row, setting->key, setting->value);
	}
	ctl_acct_inherit(c);
	return usage(c, &t) ? SL_OK : sl_fail_memory(err);
}

int ctl_acct_make(struct ctl *c, struct sl_err *err)
{
	c->acct = sl_alloc(c->arena, 1, sizeof(*c->acct));
	if (!c->acct || !qos_make(c) || !ctl_acct_relative(c))
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < c->cluster->setting_count && !c->acct->reported; i++)
		c->acct->reported = is_kind(&c->cluster->setting[i], "association");
	return c->acct->reported ? tree_make(c, err) : SL_OK;
}
