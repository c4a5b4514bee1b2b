/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shell_refuse.c - why a submission is refused, in the words of slurmctld 22.05.
 */
#include <string.h>

#include "cli/slurm/shell.h"

/* Reasons of limits are words of the policy's; slurmctld says more. */
const char *refusal_words(const char *why)
{
	static const struct {
		const char *reason, *words;
	} known[] = {
		{ "InvalidAccount", "Invalid account or account/partition combination specified" },
		{ "InvalidQOS", "Invalid qos specification" },
	};
	for (size_t i = 0; i < SL_LEN(known); i++)
		if (strcmp(known[i].reason, why) == 0)
			return known[i].words;
	return strchr(why, ' ') ? why
				: "Job violates accounting/QOS policy (job submit limit, user's size and/or "
				  "time limits)";
}

bool names_nodes(const struct view *view, const char *hosts)
{
	bool *flags = NULL;
	struct sl_err ignored = { 0 };
	bool any = false;
	const bool read = !view_hosts(view, hosts, &flags, &ignored);
	for (uint32_t i = 0; read && flags && i < view->node_count; i++)
		any |= flags[i];
	return any;
}

static bool has_feature(const struct view *view, const char *word, size_t len)
{
	struct cell cell = { 0 };
	bool has = false;
	for (uint32_t i = 0; i < view->node_count && !has; i++) {
		cell_clear(&cell);
		put_features(&cell, view, i);
		for (const char *p = cell.text ? cell.text : ""; *p && !has;) {
			const size_t width = strcspn(p, ",");
			has = width == len && memcmp(p, word, len) == 0;
			p += width + (p[width] == ',');
		}
	}
	cell_free(&cell);
	return has;
}

static bool names_features(const struct view *view, const char *text)
{
	static const char between[] = "&|()[]* ,";
	bool all = true;
	for (text += strspn(text, between); *text && all; text += strspn(text, between)) {
		const size_t len = strcspn(text, between);
		all = strspn(text, "0123456789") == len || has_feature(view, text, len); /* "a*2": a count. */
		text += len;
	}
	return all;
}

/* Where no node would do: slurmctld says it of names that there are not. */
const char *unavailable_words(const struct view *view, uint32_t row)
{
	const struct sl_job_desc *desc = row < view->jobs->count ? view_desc(view, row) : NULL;
	if (desc && ((desc->nodelist && !names_nodes(view, desc->nodelist)) ||
			    (desc->exclude && !names_nodes(view, desc->exclude))))
		return "Invalid node name specified";
	if (desc && desc->constraint && !names_features(view, desc->constraint))
		return "Invalid feature specification";
	return "Requested node configuration is not available";
}
