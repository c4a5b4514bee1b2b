/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_profile.c - what a job does while it runs, from its cells: columns of struct sl_profile, by name.
 */
#include <string.h>

#include "traces/table/job_table.h"

static int fail_cell(const struct table *t, uint32_t member, const char *cell, const char *wanted)
{
	enum { DISPLAYED = 32 };
	const struct sl_place at = table_place(t, (size_t)t->profile_at[member]);
	char text[DISPLAYED + 1];
	size_t len = 0;
	for (; cell[len] && len < DISPLAYED; len++)
		text[len] = (char)(cell[len] >= ' ' && cell[len] <= '~' ? cell[len] : '?');
	text[len] = '\0';
	return sl_fail_at(t->err, &at,
		"column '%s' must be %s, not '%s%s'; leave it empty where it is not known",
		sl_profile_column(member), wanted, text, cell[len] ? "..." : "");
}

int table_profile_in(struct table *t, struct sl_profile *profile, struct sl_row_attributes *more)
{
	sl_profile_clear(profile);
	more->profile = profile;
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++) {
		const int at = t->profile_at[i];
		if (at < 0 || (size_t)at >= t->fields.count)
			continue;
		const char *cell = t->fields.text + t->fields.at[at];
		const char *wanted = *cell ? sl_profile_take(profile, i, cell) : NULL;
		if (wanted)
			return fail_cell(t, i, cell, wanted);
	}
	return SL_OK;
}
