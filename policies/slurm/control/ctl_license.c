/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_license.c - the cluster's licences: counts that jobs are allocated while they run (suspended ones
 * too).
 *
 * "a:2,b" is two of a and one of b (";" parts as well); from 25.05 on "a:2|b" is one or the other, the first
 * that is free. Before, | was no sign: part of a name, and no part of a number.
 * What is not in slurm.conf, or more of it than there is, is refused at submission (license_validate).
 */
#include "policies/slurm/control/ctl.h"

#include <string.h>

enum { NEEDS_MAX = 64 };

struct ctl_licenses {
	int64_t *used; /* By the cluster's row. */
};

struct ctl_need {
	uint32_t count;
	bool any;       /* Of alternatives one will do. */
	uint32_t taken; /* Of alternatives, by its place; CTL_NO_ROW: none is held. */
	struct {
		uint32_t license;
		int64_t amount;
	} item[];
};

static uint32_t license_named(const struct ctl *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->cluster->license_count; i++)
		if (strlen(c->cluster->license[i].name) == len &&
			strncmp(c->cluster->license[i].name, name, len) == 0)
			return i;
	return CTL_NO_ROW;
}

static bool has_or(const struct ctl *c) { return c->params.version >= CTL_25_05; }

/* "a", "a:2" or "a=2". */
static bool add_item(const struct ctl *c, struct ctl_need *need, const char *text, size_t len)
{
	const size_t name = strcspn(text, has_or(c) ? ":=,;|" : ":=,;");
	int64_t amount = 1;
	if (!has_or(c) && name < len)
		len = name + 1 + strcspn(text + name + 1, ",;|");
	const uint32_t license = license_named(c, text, name < len ? name : len);
	if (license == CTL_NO_ROW || need->count == NEEDS_MAX)
		return false;
	if (name < len && (!sl_get_i64(text + name + 1, len - name - 1, &amount) || amount < 0))
		return false;
	for (uint32_t i = 0; i < need->count && !need->any; i++)
		if (need->item[i].license == license) { /* Named twice: both count. */
			need->item[i].amount += amount;
			return need->item[i].amount <= c->cluster->license[license].total;
		}
	need->item[need->count].license = license;
	need->item[need->count++].amount = amount;
	return amount <= c->cluster->license[license].total;
}

/* False: no such list, or a licence that does not exist. */
static bool parse(const struct ctl *c, struct ctl_need *need, const char *text)
{
	need->any = has_or(c) && strchr(text, '|');
	need->taken = CTL_NO_ROW;
	if (need->any && strpbrk(text, ",;"))
		return false;
	for (const char *at = text; *at;) {
		const size_t len = strcspn(at, need->any ? "|" : ",;");
		if (len && !add_item(c, need, at, len))
			return false;
		at += len + (at[len] != '\0');
	}
	return true;
}

static struct ctl_need *need_new(const struct ctl *c)
{
	return sl_alloc(
		c->arena, 1, sizeof(struct ctl_need) + NEEDS_MAX * sizeof(((struct ctl_need *)0)->item[0]));
}

bool ctl_license_set(struct ctl *c, struct ctl_job *job, const char *text)
{
	struct ctl_need *need = need_new(c);
	if (!need) {
		controller_no_memory(&c->engine);
		return false;
	}
	if (!parse(c, need, text))
		return false;
	job->need = need->count ? need : NULL;
	return true;
}

/* Invalid lists are left for the submission to refuse. */
int ctl_license_make(struct ctl *c, struct sl_err *err)
{
	c->licenses = sl_alloc(c->arena, 1, sizeof(*c->licenses));
	if (c->licenses)
		c->licenses->used =
			sl_alloc(c->arena, (size_t)c->cluster->license_count + 1, sizeof(int64_t));
	if (!c->licenses || !c->licenses->used)
		return sl_fail_memory(err);
	return SL_OK;
}

/* At submission; from then on job->need says what it needs. */
bool ctl_license_known(const struct ctl *c, const struct ctl_job *job)
{
	const char *text = job->desc.desc->licenses;
	if (!text || !*text)
		return true;
	struct ctl_need *need = job->need ? job->need : need_new(c);
	if (!need)
		return false;
	if (!job->need)
		c->job[job->row].need = parse(c, need, text) ? need : NULL;
	return c->job[job->row].need != NULL;
}

/* Beside what others' reservations keep from it then. */
static bool is_free(struct ctl *c, const struct ctl_job *job, uint32_t i, ctl_time when)
{
	const uint32_t license = job->need->item[i].license;
	const int64_t kept = ctl_resv_licenses(c, job, c->cluster->license[license].name, when);
	return c->cluster->license[license].total - c->licenses->used[license] - kept >=
	       job->need->item[i].amount;
}

/* license_job_test(). When jobs with licences will release them is not considered. */
bool ctl_license_free(struct ctl *c, const struct ctl_job *job, ctl_time when)
{
	const struct ctl_need *need = job->need;
	uint32_t free = 0;
	for (uint32_t i = 0; need && i < need->count; i++)
		free += is_free(c, job, i, when);
	return !need || (need->any ? free > 0 : free == need->count);
}

static void change(struct ctl *c, const struct ctl_need *need, int64_t cause)
{
	for (uint32_t i = 0; i < need->count; i++)
		if (!need->any || i == need->taken)
			c->licenses->used[need->item[i].license] += cause * need->item[i].amount;
}

uint64_t ctl_license_short(struct ctl *c, const struct ctl_job *job)
{
	uint64_t lacking = 0;
	for (uint32_t i = 0; job->need && i < job->need->count; i++)
		lacking |= (uint64_t)!is_free(c, job, i, c->now) << i;
	return lacking;
}

bool ctl_license_has(const struct ctl_job *holder, const struct ctl_job *job, uint64_t lacking)
{
	const struct ctl_need *need = holder->need;
	bool has = false;
	for (uint32_t i = 0; need && need->taken != CTL_NO_ROW && i < need->count; i++)
		for (uint64_t left = lacking; left && (!need->any || i == need->taken); left &= left - 1)
			has = has || job->need->item[__builtin_ctzll(left)].license == need->item[i].license;
	return has;
}

void ctl_license_lend(struct ctl *c, const struct ctl_job *holder, int sign)
{
	if (holder->need && holder->need->taken != CTL_NO_ROW)
		change(c, holder->need, sign);
}

void ctl_license_take(struct ctl *c, struct ctl_job *job)
{
	struct ctl_need *need = job->need;
	if (!need)
		return;
	need->taken = 0;
	while (need->any && need->taken + 1 < need->count && !is_free(c, job, need->taken, c->now))
		need->taken++;
	change(c, need, 1);
}

void ctl_license_give(struct ctl *c, struct ctl_job *job)
{
	struct ctl_need *need = job->need;
	if (!need || need->taken == CTL_NO_ROW)
		return;
	change(c, need, -1);
	need->taken = CTL_NO_ROW;
}

void ctl_license_tres(const struct ctl *c, const struct ctl_job *job, int64_t *tres)
{
	const struct ctl_need *need = job->need;
	const uint32_t one = need && need->taken != CTL_NO_ROW ? need->taken : 0;
	for (uint32_t i = 0; need && i < need->count; i++) {
		if (need->any && i != one)
			continue;
		for (uint32_t k = CTL_TRES_FIRST; k < c->tres_count; k++)
			if (c->tres[k].license == need->item[i].license)
				tres[k] += need->item[i].amount;
	}
}
