/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_fair.c - fair share: Fair Tree (fair_tree.c), and the association tree, which the older formula
 * shares.
 *
 * Fair Tree (fair_tree.c): each association's level fair share is S / U, its part of its siblings' shares by
 * its part of their usage. From the root on, siblings are sorted by that, greatest first, users before
 * accounts where it is equal; an account's children stand in its place. The users in that order have ranks
 * n, n-1, ... 1, and factors rank / n. A user with the same S / U as the one before it has that one's rank,
 * and so has the first user of such an account.
 *
 * The manual says that the children of accounts with equal S / U are merged before they are sorted.
 * slurmctld 22.05.8 does not: _count_tied_accounts() stops at the first account behind, and so counts none.
 * What it does is what is done here: they are ranked one account after the other, by name, and the first
 * child of the second is tied with the last one of the first.
 *
 * An account whose shares are "parent" hands its children to the account above; a user whose shares are
 * "parent" is first among its siblings.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/accounts/ctl_prio.h"

/* ---- The tree -------------------------------------------------------------------------------- */

static const char *ctl_fair_name_of(const struct ctl_assoc *assoc)
{
	return assoc->user ? assoc->user : assoc->account;
}

static int ctl_fair_compare_names(const void *a, const void *b, void *self)
{
	const struct ctl *c = self;
	const uint32_t x = *(const uint32_t *)a;
	const uint32_t y = *(const uint32_t *)b;
	const struct ctl_assoc *one = &c->assoc[x];
	const struct ctl_assoc *other = &c->assoc[y];
	if (!one->user != !other->user)
		return one->user ? -1 : 1;
	const int order = strcmp(ctl_fair_name_of(one), ctl_fair_name_of(other));
	return order ? order : (x > y) - (x < y);
}

/* Children go below the next association above that has shares of its own. */
static uint32_t above(const struct ctl *c, uint32_t row)
{
	uint32_t parent = c->assoc[row].parent;
	while (parent != c->prio->root && parent < c->assoc_count && c->assoc[parent].shares == CTL_NONE)
		parent = c->assoc[parent].parent;
	return parent;
}

static void link_children(struct ctl *c)
{
	struct ctl_prio *p = c->prio;
	for (uint32_t row = 0; row < c->assoc_count; row++) {
		p->share[row] = (struct prio_share){ above(c, row), CTL_NO_ROW, CTL_NO_ROW, false };
		p->sibling[row] = row;
	}
	if (c->assoc_count)
		qsort_r(p->sibling, c->assoc_count, sizeof(*p->sibling), ctl_fair_compare_names, c);
	for (uint32_t i = c->assoc_count; i-- > 0;) {
		const uint32_t row = p->sibling[i];
		if (p->share[row].above >= c->assoc_count)
			continue;
		p->share[row].next = p->share[p->share[row].above].first;
		p->share[p->share[row].above].first = row;
	}
}

static double shares_of(const struct ctl_assoc *assoc)
{
	return assoc->level_shares ? (double)assoc->shares / (double)assoc->level_shares : 0;
}

/* Fair Tree: among its siblings; the older formula: of the whole. Shares "parent": those of the account
 * above. */
static double normalized(const struct ctl *c, uint32_t row)
{
	const bool tree = c->params.priority_flags & CTL_PRIO_FAIR_TREE;
	double norm = 1;
	if (tree) {
		if (c->assoc[row].shares == CTL_NONE)
			row = c->prio->share[row].above;
		return row < c->assoc_count ? shares_of(&c->assoc[row]) : 0;
	}
	for (; row < c->assoc_count && row != c->prio->root; row = c->prio->share[row].above)
		if (c->assoc[row].shares != CTL_NONE)
			norm *= shares_of(&c->assoc[row]);
	return norm;
}

void ctl_fair_changed(struct ctl *c)
{
	struct ctl_prio *p = c->prio;
	link_children(c);
	p->user_count = 0;
	for (uint32_t row = 0; row < c->assoc_count; row++) {
		int64_t sum = 0;
		p->user_count += c->assoc[row].user != NULL;
		for (uint32_t child = p->share[row].first; child != CTL_NO_ROW; child = p->share[child].next)
			sum += c->assoc[child].shares == CTL_NONE ? 0 : c->assoc[child].shares;
		for (uint32_t child = p->share[row].first; child != CTL_NO_ROW; child = p->share[child].next)
			c->assoc[child].level_shares = (uint32_t)sum;
	}
	for (uint32_t row = 0; row < c->assoc_count; row++)
		c->assoc[row].shares_norm = normalized(c, row);
}

int fair_make(struct ctl *c, struct sl_err *err)
{
	struct ctl_prio *p = c->prio;
	p->root = CTL_NO_ROW;
	for (uint32_t row = c->assoc_count; row-- > 0;)
		if (c->assoc[row].parent == CTL_NO_ROW)
			p->root = row;
	p->share = sl_alloc(c->arena, c->assoc_count + 1U, sizeof(*p->share));
	p->sibling = sl_alloc(c->arena, c->assoc_count + 1U, sizeof(*p->sibling));
	p->rank = sl_alloc(c->arena, c->assoc_count + 1U, sizeof(*p->rank));
	if (!p->share || !p->sibling || !p->rank)
		return sl_fail_memory(err);
	ctl_fair_changed(c);
	if (p->root != CTL_NO_ROW)
		c->assoc[p->root].usage_efctv = 1;
	return SL_OK;
}

/* ---- Fair Tree ------------------------------------------------------------------------------- */

/* Its part of all usage, and of that of its siblings. */
static void level_of(struct ctl *c, uint32_t row)
{
	struct ctl_assoc *assoc = &c->assoc[row];
	const double all = c->assoc[c->prio->root].usage_raw;
	const double siblings = c->assoc[c->prio->share[row].above].usage_raw;
	assoc->usage_efctv = siblings > 0 ? assoc->usage_raw / siblings : 0;
	assoc->usage_norm = all > 0 ? assoc->usage_raw / all : 0;
	if (assoc->usage_norm > 1)
		assoc->usage_norm = 1;
	if (assoc->shares == CTL_NONE)
		assoc->level_fs = assoc->user ? (double)INFINITY : (double)UINT32_MAX - 1;
	else if (assoc->shares_norm <= 0)
		assoc->level_fs = 0;
	else if (assoc->usage_efctv <= 0)
		assoc->level_fs = (double)INFINITY;
	else
		assoc->level_fs = assoc->shares_norm / assoc->usage_efctv;
}

static int compare_levels(const void *a, const void *b)
{
	const struct prio_rank *x = a;
	const struct prio_rank *y = b;
	if (x->level_fs > y->level_fs || x->level_fs < y->level_fs)
		return x->level_fs > y->level_fs ? -1 : 1;
	if (x->user != y->user)
		return x->user ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

struct walk {
	struct ctl *c;
	uint32_t rank; /* Of the user ranked last; */
	uint32_t next; /* were there no ties, of the user ranked next. */
	size_t depth;  /* Of the stack. */
};

static void take_children(struct walk *walk, uint32_t parent, bool tied)
{
	struct ctl *c = walk->c;
	struct ctl_prio *p = c->prio;
	struct prio_rank *const here = p->rank + walk->depth;
	uint32_t count = 0;
	for (uint32_t row = p->share[parent].first; row != CTL_NO_ROW; row = p->share[row].next) {
		level_of(c, row);
		here[count] = (struct prio_rank){ c->assoc[row].level_fs, c->assoc[row].user, count, row };
		count++;
	}
	if (!count)
		return;
	qsort(here, count, sizeof(*here), compare_levels);
	walk->depth += count;
	for (uint32_t i = 0; i < count; i++) {
		const bool equal = i ? !(here[i - 1].level_fs > here[i].level_fs) : tied;
		if (!here[i].user) {
			take_children(walk, here[i].row, equal);
			continue;
		}
		if (!equal)
			walk->rank = walk->next;
		c->assoc[here[i].row].fs_factor = (double)walk->rank / (double)p->user_count;
		walk->next--;
	}
	walk->depth -= count;
}

void ctl_fair_tree(struct ctl *c)
{
	struct ctl_prio *p = c->prio;
	if (p->root == CTL_NO_ROW)
		return;
	struct walk walk = { c, p->user_count, p->user_count, 0 };
	take_children(&walk, p->root, false);
}
