/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_tres_reported.c - TRES that the files name and that are not counted: a limit on one limits nothing, a
 * weight of one weighs nothing. slurmctld passes over them in silence; here they are named.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "policies/slurm/control/ctl.h"

/* Keys whose values are lists of TRES: all limits but those on one amount, and weights. */
static bool is_of_tres(const char *key)
{
	static const char *const keys[] = { "PriorityWeightTRES", "TRESBillingWeights" };
	static const char *const starts[] = { "GrpTRES", "MaxTRES", "MinTRES" };
	bool is = false;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		is |= strcasecmp(key, keys[i]) == 0;
	for (size_t i = 0; i < SL_LEN(starts); i++)
		is |= strncasecmp(key, starts[i], strlen(starts[i])) == 0;
	return is;
}

/* Slurm's own, of which no job has any, and numbers of slurmdbd's are known words, too. */
static const char *ctl_tres_reported_why_not(const struct ctl *c, const char *name, size_t len)
{
	static const char *const own[] = { "energy", "fs/disk", "vmem", "pages" };
	const uint32_t row = ctl_tres_named(c, name, len);
	if (row != CTL_NO_ROW)
		return row < CTL_TRES_FIRST || c->tres[row].tracked
			       ? NULL
			       : "AccountingStorageTRES does not have it";
	for (size_t i = 0; i < SL_LEN(own); i++)
		if (strlen(own[i]) == len && strncasecmp(own[i], name, len) == 0)
			return "what jobs use of it is not known";
	if (len && strspn(name, "0123456789") >= len)
		return len == 1 && strchr("1245", *name) ? NULL : "slurmdbd's numbers beyond 5 are its own";
	return "no node and no licence is called so";
}

static int report_one(const struct ctl *c, const struct sl_setup *setup, const struct sl_setting *setting,
	struct sl_err *err)
{
	const bool weighs = strcasestr(setting->key, "Weight") != NULL;
	for (const char *p = setting->value; *p;) {
		char text[400];
		p += strspn(p, "\", ");
		const size_t len = strcspn(p, "\", ");
		const size_t name = strcspn(p, "=\", ");
		const char *why = len ? ctl_tres_reported_why_not(c, p, name) : NULL;
		if (why) {
			(void)snprintf(text, sizeof(text),
				"%.150s:%" PRIu64 ":%" PRIu64
				": %s: '%.*s' is not counted, and %s nothing: %s",
				setting->at.file ? setting->at.file : "", (uint64_t)setting->at.line,
				(uint64_t)setting->at.column, setting->key, (int)(name < 60 ? name : 60), p,
				weighs ? "weighs" : "limits", why);
			sl_warning(setup, text);
		}
		if (len && (name == len || !strchr("-.0123456789", p[name + 1])))
			return sl_fail_at(err, &setting->at, "%s: '%.*s' has no amount: give NAME=NUMBER",
				setting->key, (int)(len < 60 ? len : 60), p);
		p += len;
	}
	return SL_OK;
}

int ctl_tres_report(const struct ctl *c, const struct sl_setup *setup, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; setup->sim && i < c->cluster->setting_count && !status; i++)
		if (is_of_tres(c->cluster->setting[i].key))
			status = report_one(c, setup, &c->cluster->setting[i], err);
	return status;
}
