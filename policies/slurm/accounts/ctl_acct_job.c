/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_acct_job.c - a job's association and QOS, and sacctmgr's `modify` while the cluster runs.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

static bool is_set(const uint64_t *bits, uint32_t i) { return bits[i / 64] & nset_has(i % 64); }

static uint32_t ctl_acct_job_named(const struct ctl *c, const char *name)
{
	return ctl_qos_named(c, name, strlen(name));
}

/* The association's own, else the only one it may use, else root's, else "normal". */
static uint32_t default_qos(const struct ctl *c, uint32_t row)
{
	if (row == CTL_NO_ROW)
		return ctl_acct_job_named(c, "normal");
	const struct ctl_assoc *assoc = &c->assoc[row];
	if (assoc->default_qos != CTL_NO_ROW)
		return assoc->default_qos;
	uint32_t only = CTL_NO_ROW;
	uint32_t count = 0;
	for (uint32_t i = 0; assoc->qos && i < c->qos_count; i++)
		if (is_set(assoc->qos, i)) {
			only = i;
			count++;
		}
	return count == 1 ? only : ctl_acct_job_named(c, "normal");
}

/* A job of its association may have it (_determine_and_validate_qos()). */
static bool allows_qos(const struct ctl *c, const struct ctl_job *job, uint32_t qos, bool by_operator)
{
	const struct ctl_assoc *assoc = job->assoc == CTL_NO_ROW ? NULL : &c->assoc[job->assoc];
	if (ctl_qos_of_partition_alone(c, qos))
		return false;
	return by_operator || !c->params.enforce_qos || !assoc || !assoc->qos || is_set(assoc->qos, qos);
}

/* By priority, the highest first; equal ones as written; each once (priority_sort_qos_desc()). */
static void put_qos(const struct ctl *c, uint32_t *qoses, uint32_t *count, uint32_t qos)
{
	for (uint32_t i = 0; i < *count; i++)
		if (qoses[i] == qos)
			return;
	uint32_t at = (*count)++;
	for (; at > 0 && c->qos[qoses[at - 1]].priority < c->qos[qos].priority; at--)
		qoses[at] = qoses[at - 1];
	qoses[at] = qos;
}

/* _get_qos_ptr_list(): each has to be known, whatever is enforced. One alone is none: "a," is refused, and so
 * is "a,a". */
static bool set_list(struct ctl *c, struct ctl_job *job, const char *list, bool by_operator)
{
	uint32_t count = 0;
	for (const char *at = list; *at; at++)
		count += *at == ',';
	uint32_t *qoses = sl_alloc(c->arena, count + 1, sizeof(*qoses));
	if (!qoses) {
		controller_no_memory(&c->engine);
		return false;
	}
	count = 0;
	for (const char *at = list; *at;) {
		const size_t len = strcspn(at, ",");
		const uint32_t qos = len ? ctl_qos_named(c, at, len) : CTL_NO_ROW;
		if (len && (qos == CTL_NO_ROW || !allows_qos(c, job, qos, by_operator)))
			return false;
		if (len)
			put_qos(c, qoses, &count, qos);
		at += len + (at[len] == ',');
	}
	if (count < 2)
		return false;
	job->qos = qoses[0];
	job->qoses = qoses;
	job->qos_count = count;
	return true;
}

bool ctl_acct_qos_set(struct ctl *c, struct ctl_job *job, const char *asked, bool by_operator)
{
	const bool enforced = c->params.enforce_qos && c->qos_count;
	if (c->qos_count && c->params.version >= CTL_24_11 && strchr(asked, ','))
		return set_list(c, job, asked, by_operator);
	const uint32_t qos = *asked ? ctl_acct_job_named(c, asked) : default_qos(c, job->assoc);
	if (qos == CTL_NO_ROW ? enforced && *asked : !allows_qos(c, job, qos, by_operator))
		return false;
	job->qos = qos;
	job->qos_count = 0;
	return true;
}

enum sl_reason ctl_acct_find(struct ctl *c, struct ctl_job *job)
{
	const struct sl_jobs *jobs = c->jobs;
	const char *account = job->het_offset ? job->account : NULL;
	if (!account && jobs && jobs->account && jobs->account_name && jobs->account[job->of] >= 0)
		account = jobs->account_name[jobs->account[job->of]];
	const char *user = job->user < c->user_count ? c->user_name[job->user] : NULL;
	const char *part = job->part < c->part_count ? c->part[job->part].name : NULL;
	job->assoc = ctl_assoc_of(c, user, account, part);
	const char *asked = job->more && job->more->qos ? job->more->qos : "";
	const bool allowed = ctl_acct_qos_set(c, job, asked, false);
	if (job->assoc == CTL_NO_ROW && c->params.enforce_assoc && c->acct && c->acct->reported)
		return SL_REASON_INVALID_ACCOUNT;
	return allowed ? SL_REASON_NONE : SL_REASON_INVALID_QOS;
}

/* ---- sacctmgr modify -------------------------------------------------------------------------------- */

enum { WORD_MAX = 256 };

/* The next word between blanks, quotes removed; false: none, or too long. */
static bool word(const char **p, char *out)
{
	size_t len = 0;
	char quote = 0;
	*p += strspn(*p, " \t");
	for (; **p && (quote || (**p != ' ' && **p != '\t')); ++*p) {
		if (quote ? **p == quote : **p == '"' || **p == '\'') {
			quote = (char)(quote ? 0 : **p);
			continue;
		}
		if (len == WORD_MAX - 1)
			return false;
		out[len++] = **p;
	}
	out[len] = 0;
	return len > 0;
}

static bool is(const char *a, const char *b) { return ctl_same(a, b, strlen(b)); }

enum thing { OF_QOS, OF_ACCOUNT, OF_USER, OF_NOTHING };

struct change {
	enum thing thing;
	char name[WORD_MAX], account[WORD_MAX], partition[WORD_MAX];
};

static void condition(struct change *change, const char *text)
{
	const char *equals = strchr(text, '=');
	char *to = NULL;
	if (!equals)
		return;
	const size_t len = (size_t)(equals - text);
	if (ctl_same("account", text, len) && change->thing == OF_USER)
		to = change->account;
	else if (ctl_same("partition", text, len))
		to = change->partition;
	else if (ctl_same("name", text, len) || ctl_same("user", text, len) ||
		 ctl_same("account", text, len) || ctl_same("qos", text, len))
		to = change->name;
	for (size_t i = 0; to && (i == 0 || equals[i]); i++)
		to[i] = equals[i + 1];
}

static bool is_his(const struct ctl_assoc *assoc, const struct change *change)
{
	if (change->thing == OF_ACCOUNT)
		return !assoc->user && is(change->name, assoc->account);
	return assoc->user && is(change->name, assoc->user) &&
	       (!*change->account || is(change->account, assoc->account)) &&
	       (!*change->partition || (assoc->partition && is(change->partition, assoc->partition)));
}

/* "+=" and "-=" of lists: what was there, with the names signed. */
static const char *with_list(struct ctl *c, const char *before, const char *value, char sign)
{
	char text[4 * WORD_MAX];
	size_t len = 0;
	for (size_t i = 0; before && before[i] && len < sizeof(text) - 2; i++)
		text[len++] = before[i];
	if (len)
		text[len++] = ',';
	for (size_t i = 0; value[i] && len < sizeof(text) - 2; i++) {
		if (i == 0 || value[i - 1] == ',')
			text[len++] = sign;
		text[len++] = value[i];
	}
	return sl_strdup(c->arena, text, len);
}

/* key ends in '+' or '-' where the list is only changed. */
static bool set_one(struct ctl *c, const struct change *change, uint32_t row, char *key, const char *value)
{
	const size_t len = strlen(key);
	char sign = 0;
	if (len)
		sign = key[len - 1];
	if (sign != '+' && sign != '-')
		sign = 0;
	const bool qos = change->thing == OF_QOS;
	if (sign && !ctl_same("Flags", key, len - 1)) {
		key[len - 1] = 0;
		const char *before = qos ? NULL : c->acct->own[row].qos;
		value = with_list(c, before, value, sign);
		if (!value)
			return false;
	}
	const bool done = qos ? ctl_qos_set(c, row, key, value) : ctl_assoc_set(c, row, key, value);
	if (sign && len && !key[len - 1])
		key[len - 1] = sign;
	return done;
}

static bool set_all(struct ctl *c, const struct change *change, char *assignment)
{
	char *equals = strchr(assignment, '=');
	bool done = false;
	if (!equals)
		return false;
	*equals = 0;
	const char *value = sl_strdup(c->arena, equals + 1, strlen(equals + 1));
	if (!value)
		return false;
	if (change->thing == OF_QOS) {
		const uint32_t row = ctl_acct_job_named(c, change->name);
		return row != CTL_NO_ROW && set_one(c, change, row, assignment, value);
	}
	for (uint32_t i = 0; i < c->assoc_count; i++)
		if (is_his(&c->assoc[i], change))
			done |= set_one(c, change, i, assignment, value);
	return done;
}

static bool head(const char **p, struct change *change)
{
	char text[WORD_MAX];
	*change = (struct change){ .thing = OF_NOTHING };
	while (word(p, text))
		if (is(text, "modify") || is(text, "update")) {
			if (!word(p, text))
				return false;
			change->thing = is(text, "qos")       ? OF_QOS
					: is(text, "account") ? OF_ACCOUNT
					: is(text, "user")    ? OF_USER
							      : OF_NOTHING;
			return change->thing != OF_NOTHING;
		}
	return false;
}

bool ctl_acct_modify(struct ctl *c, const char *command)
{
	struct change change;
	char text[WORD_MAX];
	bool setting = false;
	bool done = false;
	if (!c->acct || !head(&command, &change))
		return false;
	while (word(&command, text)) {
		if (is(text, "set"))
			setting = true;
		else if (is(text, "where"))
			setting = false;
		else if (setting)
			done |= set_all(c, &change, text);
		else if (strchr(text, '='))
			condition(&change, text);
		else
			memcpy(change.name, text, strlen(text) + 1);
	}
	ctl_acct_inherit(c);
	if (!ctl_acct_relative(c))
		controller_no_memory(&c->engine);
	if (c->prio)
		ctl_fair_changed(c);
	ctl_limits_recount(c);
	return done;
}
