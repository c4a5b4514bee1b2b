/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_prio_conf.c - what slurm.conf says of priorities: PriorityType, weights, flags, periods, what TRES
 * cost.
 *
 * Periods are written as slurmctld reads them: minutes, or [days-]hours:minutes... (time_str2mins). Weights
 * of TRES are "CPU=1.0,Mem=0.25G,GRES/gpu=2.0": those of memory are of so much, in units of the suffix, and
 * MiB without one.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/accounts/ctl_prio.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 86400 };

const char *prio_conf_text(const struct ctl *c, const char *key)
{
	const char *text = ctl_conf_text(c, key);
	text = text ? text : sl_setting_of(c->cluster, "cluster", "", key);
	return text && *text ? text : NULL; /* KEY="" says nothing. */
}

static bool ctl_prio_conf_is_word(const char *text, const char *word)
{
	return text && strcasecmp(text, word) == 0;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Whole seconds. "5" are minutes, "1:30" minutes and seconds, "1:00:00", "2-12", "2-12:30", "2-12:30:15";
 * "NONE", "UNLIMITED": none, which is 0. */
static bool get_period(const char *text, int64_t *seconds)
{
	int64_t field[3] = { 0, 0, 0 };
	int64_t days = 0;
	size_t count = 0;
	const char *dash = strchr(text, '-');
	if (ctl_prio_conf_is_word(text, "UNLIMITED") || ctl_prio_conf_is_word(text, "INFINITE") ||
		ctl_prio_conf_is_word(text, "NONE")) {
		*seconds = 0;
		return true;
	}
	if (dash && !sl_get_i64(text, (size_t)(dash - text), &days))
		return false;
	/* "2-": days, and nothing behind them. */
	for (const char *p = dash ? dash + 1 : text; count < SL_LEN(field) && !(dash && !dash[1]);) {
		const size_t len = strcspn(p, ":");
		if (!sl_get_i64(p, len, &field[count++]))
			return false;
		if (!p[len])
			break;
		p += len + 1;
		if (count == SL_LEN(field))
			return false;
	}
	for (size_t i = 0; i < count; i++)
		if (field[i] < 0 || field[i] > INT64_C(1) << 31)
			return false;
	if (days < 0 || days > INT64_C(1) << 20)
		return false;
	if (dash || count == 3)
		*seconds = days * DAY + field[0] * HOUR + field[1] * MINUTE + field[2];
	else
		*seconds = field[0] * MINUTE + field[1];
	return true;
}

static int bad(const char *key, const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT, "'%s' of %s is none of the values that slurm.conf(5) names", text, key);
}

static int conf_period(
	const struct ctl *c, const char *key, int64_t otherwise, int64_t *value, struct sl_err *err)
{
	const char *text = prio_conf_text(c, key);
	int64_t seconds = otherwise;
	if (text && !get_period(text, &seconds))
		return bad(key, text, err);
	/* time_str2mins: minutes, rounded up. */
	*value = (seconds + MINUTE - 1) / MINUTE * MINUTE;
	return SL_OK;
}

static int conf_weight(
	const struct ctl *c, const char *key, int64_t otherwise, int64_t *value, struct sl_err *err)
{
	const char *text = prio_conf_text(c, key);
	*value = otherwise;
	if (text && (!sl_get_i64(text, strlen(text), value) || *value < 0 || *value > UINT32_MAX))
		return bad(key, text, err);
	return SL_OK;
}

/* ---- Weights of TRES ------------------------------------------------------------------------- */

/* In MiB: by what a weight per such a unit is divided. 0: no unit. */
static double units_of(char suffix)
{
	switch (suffix) {
	case 'k':
	case 'K':
		return 1.0 / 1024;
	case 'm':
	case 'M':
		return 1;
	case 'g':
	case 'G':
		return 1024;
	case 't':
	case 'T':
		return 1024.0 * 1024;
	case 'p':
	case 'P':
		return 1024.0 * 1024 * 1024;
	default:
		return 0;
	}
}

static bool get_weight(const char *text, size_t len, bool memory, double *weight)
{
	int64_t micro;
	double unit = 1;
	if (len && memory && units_of(text[len - 1]) > 0)
		unit = units_of(text[--len]);
	if (!sl_get_micro(text, len, &micro)) /* Less than nothing, too: strtod of _tres_weight_item. */
		return false;
	*weight = (double)micro / 1e6 / unit;
	return true;
}

bool prio_weights(const struct ctl *c, const char *text, double *weight)
{
	for (uint32_t i = 0; i < c->tres_count; i++)
		weight[i] = 0;
	for (const char *p = text; *p;) {
		p += strspn(p, "\", ");
		const size_t len = strcspn(p, "\", ");
		const char *is = memchr(p, '=', len);
		if (!len)
			break;
		if (!is)
			return false;
		double value;
		const size_t name = (size_t)(is - p);
		const bool memory = name == 3 && strncasecmp(p, "mem", 3) == 0;
		if (!get_weight(is + 1, len - name - 1, memory, &value))
			return false;
		/* What AccountingStorageTRES has not is no TRES to slurmctld (_tres_weight_item passes over
		 * it). */
		for (uint32_t i = 0; i < c->tres_count; i++)
			if ((i < CTL_TRES_FIRST || c->tres[i].tracked) && strlen(c->tres[i].name) == name &&
				strncasecmp(c->tres[i].name, p, name) == 0)
				weight[i] = value;
		p += len;
	}
	return true;
}

static int conf_tres(struct ctl *c, struct sl_err *err)
{
	static const char key[] = "PriorityWeightTRES";
	const char *text = prio_conf_text(c, key);
	if (text && !prio_weights(c, text, c->params.weight_tres))
		return bad(key, text, err);
	c->prio->weighs_tres = text != NULL;
	return SL_OK;
}

static int conf_billing(struct ctl *c, struct sl_err *err)
{
	static const char key[] = "TRESBillingWeights";
	for (uint32_t i = 0; i < c->part_count; i++) {
		struct ctl_part *part = &c->part[i];
		const char *text = sl_setting_of(c->cluster, "partition", part->name, key);
		if (text && !prio_weights(c, text, part->billing))
			return bad(key, text, err);
		part->has_billing = text != NULL;
	}
	return SL_OK;
}

/* ---- Words ----------------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);
	for (const char *p = list; *p;) {
		p += strspn(p, "\", ");
		const size_t here = strcspn(p, "\", ");
		if (here == len && strncasecmp(p, word, len) == 0)
			return true;
		p += here;
	}
	return false;
}

static void conf_flags(struct ctl *c)
{
	static const struct {
		const char *word;
		unsigned flags;
	} words[] = {
		{ "ACCRUE_ALWAYS", CTL_PRIO_ACCRUE_ALWAYS },
		{ "CALCULATE_RUNNING", CTL_PRIO_CALCULATE_RUNNING },
		{ "DEPTH_OBLIVIOUS", CTL_PRIO_DEPTH_OBLIVIOUS },
		{ "INCR_ONLY", CTL_PRIO_INCR_ONLY },
		{ "MAX_TRES", CTL_PRIO_MAX_TRES },
		{ "MAX_TRES_GRES", CTL_PRIO_MAX_TRES_GRES },
		{ "NO_NORMAL_ALL", CTL_PRIO_NO_NORMAL_ASSOC | CTL_PRIO_NO_NORMAL_PART |
					   CTL_PRIO_NO_NORMAL_QOS | CTL_PRIO_NO_NORMAL_TRES },
		{ "NO_NORMAL_ASSOC", CTL_PRIO_NO_NORMAL_ASSOC },
		{ "NO_NORMAL_PART", CTL_PRIO_NO_NORMAL_PART },
		{ "NO_NORMAL_QOS", CTL_PRIO_NO_NORMAL_QOS },
		{ "NO_NORMAL_TRES", CTL_PRIO_NO_NORMAL_TRES },
		{ "SMALL_RELATIVE_TO_TIME", CTL_PRIO_SIZE_RELATIVE },
	};
	const char *text = prio_conf_text(c, "PriorityFlags");
	unsigned flags = 0;
	for (size_t i = 0; text && i < SL_LEN(words); i++)
		if (has_word(text, words[i].word))
			flags |= words[i].flags;
	/* Fair Tree unless another formula is asked for. */
	if (!(flags & CTL_PRIO_DEPTH_OBLIVIOUS) && !(text && has_word(text, "NO_FAIR_TREE")))
		flags |= CTL_PRIO_FAIR_TREE;
	c->params.priority_flags = flags;
}

static int conf_reset(struct ctl *c, struct sl_err *err)
{
	static const char key[] = "PriorityUsageResetPeriod";
	static const char *const word[] = { "NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY",
		"YEARLY" };
	const char *text = prio_conf_text(c, key);
	size_t i = CTL_RESET_NONE;
	while (text && i < SL_LEN(word) && strcasecmp(text, word[i]) != 0)
		i++;
	if (i == SL_LEN(word))
		return bad(key, text, err);
	c->params.usage_reset = (int64_t)i;
	return SL_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int conf_weights(struct ctl *c, struct sl_err *err)
{
	struct ctl_params *params = &c->params;
	const struct {
		const char *key;
		int64_t *value;
		int64_t otherwise;
	} keys[] = {
		{ "PriorityWeightAge", &params->weight_age, 0 },
		{ "PriorityWeightAssoc", &params->weight_assoc, 0 },
		{ "PriorityWeightFairshare", &params->weight_fs, 0 },
		{ "PriorityWeightJobSize", &params->weight_js, 0 },
		{ "PriorityWeightPartition", &params->weight_part, 0 },
		{ "PriorityWeightQOS", &params->weight_qos, 0 },
		{ "FairShareDampeningFactor", &params->fs_dampening, 1 },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(keys) && !status; i++)
		status = conf_weight(c, keys[i].key, keys[i].otherwise, keys[i].value, err);
	if (!status && params->fs_dampening < 1)
		params->fs_dampening = 1;
	return status ? status : conf_tres(c, err);
}

int prio_conf(struct ctl *c, struct sl_err *err)
{
	struct ctl_params *params = &c->params;
	const char *small = prio_conf_text(c, "PriorityFavorSmall");
	params->multifactor = ctl_conf_multifactor(c);
	params->has_dbd = ctl_prio_conf_is_word(
		prio_conf_text(c, "AccountingStorageType"), "accounting_storage/slurmdbd");
	params->favor_small = ctl_prio_conf_is_word(small, "YES") || ctl_prio_conf_is_word(small, "TRUE") ||
			      ctl_prio_conf_is_word(small, "1");
	conf_flags(c);
	int status = conf_weights(c, err);
	if (!status)
		status = conf_period(c, "PriorityCalcPeriod", 5 * (int64_t)MINUTE, &params->calc_period, err);
	if (!status)
		status = conf_period(c, "PriorityDecayHalfLife", 7 * (int64_t)DAY, &params->half_life, err);
	if (!status)
		status = conf_period(c, "PriorityMaxAge", 7 * (int64_t)DAY, &params->max_age, err);
	if (!status)
		status = conf_reset(c, err);
	if (!status)
		status = conf_billing(c, err);
	if (params->calc_period < MINUTE)
		params->calc_period = MINUTE;
	c->prio->weight_age = params->weight_age;
	c->prio->weight_fs = params->weight_fs;
	/* "Fairshare can only be calculated with slurmdbd": init() of the plug-in sets both weights to 0. */
	if (!params->has_dbd)
		params->weight_age = params->weight_fs = 0;
	return status;
}
