/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_fair_old.c - the fair share of before Fair Tree (PriorityFlags=NO_FAIR_TREE or DEPTH_OBLIVIOUS).
 *
 * F = 2^(-U / S / d): S an association's part of all shares, down the tree; U its effective usage, its own
 * part of all usage moved towards its parent's effective usage by its part of its siblings' shares; d
 * FairShareDampeningFactor. Accounts are calculated at the beginning of each calculation, before anything of
 * it is added or decays; users on demand, which is when the first of their jobs gets its priority.
 */
#include <math.h>

#include "policies/slurm/accounts/ctl_prio.h"

/* To 40 bits: what a library's exp2 and log leave to chance does not order anything. */
static double steady(double value)
{
	int exponent;
	const double mantissa = frexp(value, &exponent);
	return ldexp(floor(ldexp(mantissa, 40) + 0.5), exponent - 40);
}

/* DEPTH_OBLIVIOUS: F = 2^-R, R = Rp x Rl^k. Rp is the parent's usage by its shares, Rl the child's by what
 * its siblings have together; k is 1, but less where both pull apart: 1 / (1 + (5 ln Rp)^2). */
static double oblivious(const struct ctl *c, uint32_t row)
{
	const struct prio_share *share = c->prio->share;
	const struct ctl_assoc *assoc = &c->assoc[row];
	const struct ctl_assoc *parent = &c->assoc[share[row].above];
	if (!(assoc->shares_norm > 0) || !(parent->shares_norm > 0) || !(parent->usage_efctv > 0) ||
		!(assoc->usage_norm > 0))
		return assoc->usage_norm;
	const double of_parent = parent->usage_efctv / parent->shares_norm;
	double siblings = 0;
	for (uint32_t i = share[share[row].above].first; i != CTL_NO_ROW; i = share[i].next)
		if (c->assoc[i].shares != CTL_NONE)
			siblings += c->assoc[i].usage_norm;
	siblings /= parent->shares_norm;
	const double local = assoc->usage_norm / assoc->shares_norm / siblings;
	const double away = steady(log(of_parent));
	double k = 1;
	if (away * steady(log(local)) < 0)
		k = 1 / (1 + 25 * away * away);
	return of_parent * steady(pow(local, k)) * assoc->shares_norm;
}

static double effective(const struct ctl *c, uint32_t row)
{
	const struct ctl_assoc *assoc = &c->assoc[row];
	const uint32_t above = c->prio->share[row].above;
	if (above == c->prio->root || above >= c->assoc_count)
		return assoc->usage_norm;
	const double parent = c->assoc[above].usage_efctv;
	if (assoc->shares == CTL_NONE)
		return parent;
	if (c->params.priority_flags & CTL_PRIO_DEPTH_OBLIVIOUS)
		return oblivious(c, row);
	if (!assoc->level_shares)
		return parent;
	return assoc->usage_norm +
	       (parent - assoc->usage_norm) * ((double)assoc->shares / (double)assoc->level_shares);
}

void fair_old_usage(struct ctl *c, uint32_t row)
{
	struct ctl_assoc *assoc = &c->assoc[row];
	const double all = c->assoc[c->prio->root].usage_raw;
	assoc->usage_norm = all > 0 ? assoc->usage_raw / all : 0;
	if (assoc->usage_norm > 1)
		assoc->usage_norm = 1;
	assoc->usage_efctv = effective(c, row);
	c->prio->share[row].known = true;
}

static void accounts_below(struct ctl *c, uint32_t parent)
{
	struct prio_share *share = c->prio->share;
	for (uint32_t row = share[parent].first; row != CTL_NO_ROW; row = share[row].next) {
		share[row].known = false;
		if (c->assoc[row].user)
			continue;
		fair_old_usage(c, row);
		accounts_below(c, row);
	}
}

void fair_old_begin(struct ctl *c)
{
	if (c->prio->root != CTL_NO_ROW)
		accounts_below(c, c->prio->root);
}

double fair_old_factor(const struct ctl *c, double usage_efctv, double shares_norm)
{
	if (!(shares_norm > 0))
		return 0;
	return steady(exp2(-(usage_efctv / shares_norm / (double)c->params.fs_dampening)));
}

double fair_factor(struct ctl *c, uint32_t row)
{
	const struct ctl_prio *p = c->prio;
	if (!p->runs || row >= c->assoc_count || p->root == CTL_NO_ROW)
		return 0;
	if (c->params.priority_flags & CTL_PRIO_FAIR_TREE)
		return c->assoc[row].fs_factor;
	/* Of "parent" it is the figures of the next above with shares that count. */
	const uint32_t of = c->assoc[row].shares == CTL_NONE ? p->share[row].above : row;
	if (of >= c->assoc_count)
		return 0;
	if (!p->share[of].known && of != p->root)
		fair_old_usage(c, of);
	return fair_old_factor(c, c->assoc[of].usage_efctv, c->assoc[of].shares_norm);
}
