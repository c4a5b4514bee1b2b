/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_acct_read.c - the columns of sacctmgr, as `show` prints, `dump` writes and `modify` reads them, and
 * what each sets. Keys in any case, as sacctmgr(1) of 22.05 names them. What cannot be read sets nothing.
 */
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

bool ctl_same(const char *a, const char *b, size_t len)
{
	size_t i = 0;
	while (i < len && a[i] && lower(a[i]) == lower(b[i]))
		i++;
	return i == len && !a[i];
}

uint32_t ctl_qos_named(const struct ctl *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->qos_count; i++)
		if (ctl_same(c->qos[i].name, name, len))
			return i;
	return CTL_NO_ROW;
}

static bool ctl_acct_read_same(const char *a, const char *b) { return ctl_same(a, b, strlen(b)); }

/* The next of a list between commas; NULL: there is none left. */
static const char *next_word(const char **list, size_t *len)
{
	const char *first = *list;
	if (!first || !*first)
		return NULL;
	*len = strcspn(first, ",");
	*list = first[*len] ? first + *len + 1 : first + *len;
	return first;
}

static bool is_none(const char *text)
{
	return !*text || text[0] == '-' || ctl_acct_read_same(text, "NONE") ||
	       ctl_acct_read_same(text, "UNLIMITED") || ctl_acct_read_same(text, "INFINITE") ||
	       ctl_acct_read_same(text, "N/A");
}

/* ---- Values ----------------------------------------------------------------------------------------- */

/* time_str2secs(): minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
static bool seconds_of(const char *text, int64_t *seconds)
{
	const char *dash = strchr(text, '-');
	const char *p = dash ? dash + 1 : text;
	int64_t days = 0;
	int64_t part[3] = { 0, 0, 0 };
	size_t count = 0;
	if (dash && !sl_get_i64(text, (size_t)(dash - text), &days))
		return false;
	for (bool more = true; more; count++) {
		const size_t len = strcspn(p, ":");
		if (count == 3 || !sl_get_i64(p, len, &part[count]) || part[count] < 0)
			return false;
		more = p[len] == ':';
		p += len + more;
	}
	/* The largest unit comes first: of a bare list of two that is minutes. */
	static const int64_t with_days[3] = { 3600, 60, 1 };
	const int64_t *unit = dash || count == 3 ? with_days : with_days + 1;
	int64_t sum = 0;
	if (days < 0 || days > INT64_C(10000000))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (part[i] > INT64_C(1000000000000))
			return false;
		sum += part[i] * unit[i];
	}
	*seconds = days * 86400 + sum;
	return true;
}

/* Plain seconds, or as above. */
static bool plain_seconds(const char *text, int64_t *seconds)
{
	return sl_get_i64(text, strlen(text), seconds) || seconds_of(text, seconds);
}

static bool real_of(const char *text, double *value)
{
	int64_t micro;
	if (!sl_get_micro(text, strlen(text), &micro))
		return false;
	*value = (double)micro / 1e6;
	return true;
}

/* TRES by name, or by the number that slurmdbd assigns to the first of them. */
static uint32_t tres_row(const struct ctl *c, const char *name, size_t len)
{
	static const struct {
		const char *id;
		uint32_t row;
	} by_id[] = { { "1", CTL_TRES_CPU }, { "2", CTL_TRES_MEM }, { "4", CTL_TRES_NODE },
		{ "5", CTL_TRES_BILLING } };
	for (size_t i = 0; i < SL_LEN(by_id); i++)
		if (ctl_same(by_id[i].id, name, len))
			return by_id[i].row;
	for (uint32_t i = 0; i < c->tres_count; i++)
		if (ctl_same(c->tres[i].name, name, len))
			return i < CTL_TRES_FIRST || c->tres[i].tracked ? i : CTL_NO_ROW;
	return CTL_NO_ROW;
}

static bool tres_amount(const char *text, size_t len, uint32_t tres, int64_t *amount)
{
	if (len && text[0] == '-') {
		*amount = CTL_NEVER; /* "-1" clears a limit. */
		return true;
	}
	if (tres == CTL_TRES_MEM)
		return sl_get_memory(text, len, true, amount);
	return sl_get_i64(text, len, amount);
}

/* "cpu=4,gres/gpu=2" over what is there; what is not in it stays. TRES that are not tracked are passed over.
 */
static bool tres_set(struct ctl *c, int64_t **array, const char *text)
{
	size_t len;
	for (const char *one = next_word(&text, &len); one; one = next_word(&text, &len)) {
		const char *equals = memchr(one, '=', len);
		if (!equals)
			return false;
		const uint32_t tres = tres_row(c, one, (size_t)(equals - one));
		int64_t amount;
		if (!tres_amount(equals + 1, (size_t)(one + len - equals - 1), tres, &amount))
			return false;
		if (tres == CTL_NO_ROW)
			continue;
		if (!*array) {
			*array = sl_alloc(c->arena, CTL_TRES_MAX, sizeof(**array));
			if (!*array)
				return false;
			for (uint32_t i = 0; i < CTL_TRES_MAX; i++)
				(*array)[i] = CTL_NEVER;
		}
		(*array)[tres] = amount;
	}
	return true;
}

/* ---- Columns ---------------------------------------------------------------------------------------- */

enum { OF_QOS = 1, OF_ASSOC = 2, OF_BOTH = 3 };
enum kind { TRES, TRES_ONE, NUMBER, WALL };

/* `show`'s name first, then those of `modify` and `dump`. */
static const struct column {
	const char *names;
	uint8_t of, kind, index, tres;
} columns[] = {
	{ "GrpTRES", OF_BOTH, TRES, CTL_GRP_TRES, 0 },
	{ "GrpTRESMins", OF_BOTH, TRES, CTL_GRP_MINS, 0 },
	{ "GrpTRESRunMins", OF_BOTH, TRES, CTL_GRP_RUN_MINS, 0 },
	{ "MaxTRES,MaxTRESPJ,MaxTRESPerJob", OF_BOTH, TRES, CTL_MAX_JOB, 0 },
	{ "MaxTRESPN,MaxTRESPerNode", OF_BOTH, TRES, CTL_MAX_NODE, 0 },
	{ "MaxTRESMins,MaxTRESMinsPJ,MaxTRESMinsPerJob", OF_BOTH, TRES, CTL_MAX_MINS, 0 },
	{ "MaxTRESPU,MaxTRESPerUser", OF_QOS, TRES, CTL_MAX_USER, 0 },
	{ "MaxTRESPA,MaxTRESPerAccount", OF_QOS, TRES, CTL_MAX_ACCOUNT, 0 },
	{ "MaxTRESRunMinsPU,MaxTRESRunMinsPerUser", OF_QOS, TRES, CTL_MAX_RUN_USER, 0 },
	{ "MaxTRESRunMinsPA,MaxTRESRunMinsPerAccount", OF_QOS, TRES, CTL_MAX_RUN_ACCOUNT, 0 },
	{ "MinTRES,MinTRESPJ,MinTRESPerJob", OF_QOS, TRES, CTL_MIN_JOB, 0 },
	{ "GrpCPUs", OF_BOTH, TRES_ONE, CTL_GRP_TRES, CTL_TRES_CPU },
	{ "GrpMem", OF_BOTH, TRES_ONE, CTL_GRP_TRES, CTL_TRES_MEM },
	{ "GrpNodes", OF_BOTH, TRES_ONE, CTL_GRP_TRES, CTL_TRES_NODE },
	{ "GrpCPUMins", OF_BOTH, TRES_ONE, CTL_GRP_MINS, CTL_TRES_CPU },
	{ "GrpCPURunMins", OF_BOTH, TRES_ONE, CTL_GRP_RUN_MINS, CTL_TRES_CPU },
	{ "MaxCPUs,MaxCPUsPerJob", OF_BOTH, TRES_ONE, CTL_MAX_JOB, CTL_TRES_CPU },
	{ "MaxNodes,MaxNodesPerJob", OF_BOTH, TRES_ONE, CTL_MAX_JOB, CTL_TRES_NODE },
	{ "MaxCPUMins,MaxCPUMinsPerJob", OF_BOTH, TRES_ONE, CTL_MAX_MINS, CTL_TRES_CPU },
	{ "MaxCPUsPU,MaxCPUsPerUser", OF_QOS, TRES_ONE, CTL_MAX_USER, CTL_TRES_CPU },
	{ "MaxNodesPU,MaxNodesPerUser", OF_QOS, TRES_ONE, CTL_MAX_USER, CTL_TRES_NODE },
	{ "MinCPUs", OF_QOS, TRES_ONE, CTL_MIN_JOB, CTL_TRES_CPU },
	{ "GrpJobs", OF_BOTH, NUMBER, CTL_GRP_JOBS, 0 },
	{ "GrpJobsAccrue", OF_BOTH, NUMBER, CTL_GRP_ACCRUE, 0 },
	{ "GrpSubmit,GrpSubmitJobs", OF_BOTH, NUMBER, CTL_GRP_SUBMIT, 0 },
	{ "GrpWall", OF_BOTH, WALL, CTL_GRP_WALL, 0 },
	{ "MaxWall,MaxWallPJ,MaxWallDurationPerJob", OF_BOTH, WALL, CTL_MAX_WALL, 0 },
	{ "MaxJobs", OF_ASSOC, NUMBER, CTL_MAX_JOBS, 0 },
	{ "MaxJobsAccrue", OF_ASSOC, NUMBER, CTL_MAX_ACCRUE, 0 },
	{ "MaxSubmit,MaxSubmitJobs", OF_ASSOC, NUMBER, CTL_MAX_SUBMIT, 0 },
	{ "MaxJobsPU,MaxJobsPerUser,MaxJobs", OF_QOS, NUMBER, CTL_MAX_JOBS_USER, 0 },
	{ "MaxJobsPA,MaxJobsPerAccount", OF_QOS, NUMBER, CTL_MAX_JOBS_ACCOUNT, 0 },
	{ "MaxSubmitPU,MaxSubmitJobsPU,MaxSubmitJobsPerUser,MaxSubmitJobs,MaxSubmit", OF_QOS, NUMBER,
		CTL_MAX_SUBMIT_USER, 0 },
	{ "MaxSubmitPA,MaxSubmitJobsPA,MaxSubmitJobsPerAccount", OF_QOS, NUMBER, CTL_MAX_SUBMIT_ACCOUNT, 0 },
	{ "MaxJobsAccruePU,MaxJobsAccruePerUser", OF_QOS, NUMBER, CTL_MAX_ACCRUE_USER, 0 },
	{ "MaxJobsAccruePA,MaxJobsAccruePerAccount", OF_QOS, NUMBER, CTL_MAX_ACCRUE_ACCOUNT, 0 },
	{ "MinPrioThresh,MinPrioThres,MinPrioThreshold", OF_BOTH, NUMBER, CTL_PRIO_LEAST, 0 },
};

static bool in_list(const char *list, const char *word)
{
	size_t len;
	for (const char *one = next_word(&list, &len); one; one = next_word(&list, &len))
		if (ctl_same(word, one, len))
			return true;
	return false;
}

void ctl_limits_none(struct ctl_limits *limits)
{
	*limits = (struct ctl_limits){ .usage_thres = -1 };
	for (size_t i = 0; i < CTL_LIMIT_NUMBERS; i++)
		limits->number[i] = CTL_NEVER;
}

static bool number_set(struct ctl_limits *limits, const struct column *column, const char *value)
{
	int64_t number = CTL_NEVER;
	bool ok = true;
	if (column->kind == WALL && !is_none(value)) {
		ok = seconds_of(value, &number);
		number = ok ? (number + 59) / 60 : CTL_NEVER;
	} else if (!is_none(value)) {
		ok = sl_get_i64(value, strlen(value), &number);
	}
	if (ok)
		limits->number[column->index] = number;
	return ok;
}

static bool tres_one_set(
	struct ctl *c, struct ctl_limits *limits, const struct column *column, const char *value)
{
	int64_t amount = CTL_NEVER;
	if (!is_none(value) && !tres_amount(value, strlen(value), column->tres, &amount))
		return false;
	if (!limits->tres[column->index] && !tres_set(c, &limits->tres[column->index], "cpu=-1"))
		return false;
	limits->tres[column->index][column->tres] = amount;
	return true;
}

static bool limit_set(
	struct ctl *c, struct ctl_limits *limits, unsigned of, const char *key, const char *value)
{
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		const struct column *column = &columns[i];
		if (!(column->of & of) || !in_list(column->names, key))
			continue;
		if (column->kind == TRES)
			return tres_set(c, &limits->tres[column->index], value);
		if (column->kind == TRES_ONE)
			return tres_one_set(c, limits, column, value);
		return number_set(limits, column, value);
	}
	return false;
}

/* ---- QOS -------------------------------------------------------------------------------------------- */

static unsigned flags_of(const char *text)
{
	static const struct {
		const char *name;
		unsigned flag;
	} flag[] = {
		{ "DenyOnLimit", CTL_QOS_DENY_ON_LIMIT },
		{ "EnforceUsageThreshold", CTL_QOS_ENFORCE_USAGE_THRESHOLD },
		{ "NoReserve", CTL_QOS_NO_RESERVE },
		{ "PartitionMaxNodes", CTL_QOS_PARTITION_MAX_NODES },
		{ "PartitionMinNodes", CTL_QOS_PARTITION_MIN_NODES },
		{ "PartitionTimeLimit", CTL_QOS_PARTITION_TIME_LIMIT },
		{ "OverPartQOS", CTL_QOS_OVER_PART_QOS },
		{ "RequiresReservation", CTL_QOS_REQUIRES_RESERVATION },
		{ "NoDecay", CTL_QOS_NO_DECAY },
		{ "UsageFactorSafe", CTL_QOS_USAGE_FACTOR_SAFE },
		{ "Relative", CTL_QOS_RELATIVE },
	};
	unsigned flags = 0;
	for (size_t i = 0; i < SL_LEN(flag); i++)
		if (in_list(text, flag[i].name))
			flags |= flag[i].flag;
	return flags;
}

static enum ctl_preempt_mode mode_of(const char *text)
{
	static const struct {
		const char *name;
		enum ctl_preempt_mode mode;
	} mode[] = { { "OFF", CTL_PREEMPT_OFF }, { "SUSPEND", CTL_PREEMPT_SUSPEND },
		{ "REQUEUE", CTL_PREEMPT_REQUEUE }, { "CANCEL", CTL_PREEMPT_CANCEL } };
	for (size_t i = 0; i < SL_LEN(mode); i++)
		if (in_list(text, mode[i].name))
			return mode[i].mode;
	return CTL_PREEMPT_NOT_SAID; /* "cluster" */
}

bool ctl_qos_list(const struct ctl *c, const char *text, uint64_t *bits)
{
	size_t len;
	bool all_known = true;
	const char *list = text;
	bool plain = false;
	for (const char *one = next_word(&list, &len); one; one = next_word(&list, &len))
		plain |= len && *one != '+' && *one != '-';
	for (uint32_t i = 0; plain && i < (c->qos_count + 63) / 64; i++)
		bits[i] = 0; /* Names alone are the whole list; "+a,-b" change what is there. */
	list = text;
	for (const char *one = next_word(&list, &len); one; one = next_word(&list, &len)) {
		const bool minus = *one == '-';
		const bool sign = minus || *one == '+';
		if (len == (size_t)sign)
			continue;
		const uint32_t qos = ctl_qos_named(c, one + sign, len - sign);
		all_known &= qos != CTL_NO_ROW;
		if (qos == CTL_NO_ROW)
			continue;
		if (minus)
			bits[qos / 64] &= ~nset_has(qos % 64);
		else
			bits[qos / 64] |= nset_has(qos % 64);
	}
	return all_known;
}

static bool qos_real(struct ctl_qos *qos, const char *key, const char *value)
{
	double real = -1;
	if (!is_none(value) && !real_of(value, &real))
		return false;
	if (ctl_acct_read_same(key, "UsageFactor"))
		qos->usage_factor = real < 0 ? 1 : real;
	else if (ctl_acct_read_same(key, "LimitFactor"))
		qos->limits->factor = real < 0 ? 0 : real;
	else
		qos->limits->usage_thres = real;
	return true;
}

bool ctl_qos_set(struct ctl *c, uint32_t row, const char *key, const char *value)
{
	struct ctl_qos *qos = &c->qos[row];
	if (in_list("UsageFactor,LimitFactor,UsageThres,UsageThreshold", key))
		return qos_real(qos, key, value);
	if (ctl_acct_read_same(key, "Priority"))
		return sl_get_i64(value, strlen(value), &qos->priority);
	if (ctl_acct_read_same(key, "GraceTime"))
		return plain_seconds(value, &qos->grace_time);
	if (ctl_acct_read_same(key, "PreemptExemptTime")) {
		qos->exempt_time = CTL_NONE;
		return is_none(value) || seconds_of(value, &qos->exempt_time);
	}
	if (ctl_acct_read_same(key, "PreemptMode")) {
		qos->preempt_mode = mode_of(value);
		qos->preempt_within = in_list(value, "WITHIN");
		qos->preempt_priority = in_list(value, "PRIORITY");
	} else if (ctl_acct_read_same(key, "Flags"))
		qos->flags = flags_of(value);
	else if (ctl_acct_read_same(key, "Flags+"))
		qos->flags |= flags_of(value);
	else if (ctl_acct_read_same(key, "Flags-"))
		qos->flags &= ~flags_of(value);
	else if (ctl_acct_read_same(key, "Preempt"))
		return ctl_qos_list(c, value, qos->preempts);
	else
		return limit_set(c, qos->limits, OF_QOS, key, value);
	return true;
}

/* ---- Associations ----------------------------------------------------------------------------------- */

bool ctl_assoc_set(struct ctl *c, uint32_t row, const char *key, const char *value)
{
	struct ctl_assoc *assoc = &c->assoc[row];
	struct ctl_own *own = &c->acct->own[row];
	if (in_list("Share,Fairshare,RawShares,Shares", key)) {
		assoc->shares = CTL_NONE;
		if (ctl_acct_read_same(value, "parent"))
			return true;
		assoc->shares = 1;
		return is_none(value) || sl_get_i64(value, strlen(value), &assoc->shares);
	}
	if (ctl_acct_read_same(key, "Priority"))
		return sl_get_i64(value, strlen(value), &own->priority);
	if (in_list("QOS,QosLevel", key)) {
		own->qos = value;
		return true;
	}
	if (in_list("Def QOS,DefaultQOS,DefQOS", key)) {
		own->default_qos = value;
		return true;
	}
	return limit_set(c, assoc->limits_own, OF_ASSOC, key, value);
}
