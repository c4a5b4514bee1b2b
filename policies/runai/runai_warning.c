/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_warning.c - warnings before a run: what is followed otherwise than files and jobs say.
 */
#include "policies/runai/runai.h"

#include <stdio.h>

void runai_warning_files(const struct runai *r, const struct sl_setup *setup)
{
	char text[1000];
	for (uint32_t i = 0; i < r->config.note_count; i++) {
		const struct runai_note *note = &r->config.note[i];
		if (note->at.line)
			(void)snprintf(text, sizeof(text), "%s:%llu: %s", note->at.file,
				(unsigned long long)note->at.line, note->text);
		sl_warning(setup, note->at.line ? text : note->text);
	}
}

static void runai_warning_count(struct runai *r, enum runai_warning what, uint32_t row)
{
	if (!r->remarked[what].count++)
		r->remarked[what].first = row;
}

void runai_warning_job(struct runai *r, uint32_t row, const struct sl_pods *pods)
{
	const struct runai_run *run = &r->run[row];
	if (!pods->doc || run->least < run->most || run->said.group_count || run->most < 2)
		return;
	if (!run->said.gang)
		runai_warning_count(r, RUNAI_WARNING_SINGLE, row);
	else if (run->said.min < run->most)
		runai_warning_count(r, RUNAI_WARNING_PARTS, row);
}

void runai_warning_jobs(const struct runai *r, const struct sl_setup *setup)
{
	static const char *const what[] = {
		[RUNAI_WARNING_PARTS] =
			"pods of several kinds with a minMember below their number: started with "
			"all pods, or not at all",
		[RUNAI_WARNING_SINGLE] =
			"several pods without a gang (minMember 1): one job here, started with "
			"all pods",
	};
	controller_warning_gates(setup, false, "KAI: scheduled as they are submitted");
	for (int i = 0; i < RUNAI_WARNINGS; i++)
		controller_warning(setup, r->remarked[i].count, r->remarked[i].first, what[i]);
}
