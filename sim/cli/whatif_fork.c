/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_fork.c - whatif --at: as the base up to a moment, otherwise from then on.
 *
 * The base is replayed to the moment once, for its digest; each world replays the same past, verified by that
 * digest, and goes over to its own policy, which is shown what happened. Settings that would change what was
 * before are refused by name.
 */
#include <string.h>

#include "sim/cli/view.h"
#include "sim/cli/whatif_parts.h"

/* Everything at or before `at` under the base. */
static int past_of(const struct world_list *all, sl_time at, struct sim_stretch *past, struct sl_err *err)
{
	struct run *base = &all->runs[0];
	struct sim sim = { 0 };
	struct sim_options options = base->options;
	size_t count = 0;
	options.scenario = base->scenario;
	options.choice = &base->choice;
	options.record |= SIM_RECORD_PAST;
	int status = sim_begin(&sim, &options, err);
	if (!status)
		status = sim_advance(&sim, at, err);
	const struct sim_stretch *stretch = status ? NULL : sim_stretches(&sim, &count, err);
	if (!status && !stretch)
		status = err->status;
	if (!status) {
		*past = stretch[count - 1];
		past->choice = &base->choice;
		past->until = at;
	}
	sim_release(&sim);
	return status;
}

static int check_settings(const struct world_list *all, size_t world, struct sl_err *err)
{
	const struct world *is = &all->world[world];
	if (is->cluster)
		return sl_fail(err, SL_USAGE,
			"--at: the machine of a run that goes on cannot be another: leave out -c %s",
			is->cluster);
	for (size_t i = 0; i < is->setting_count; i++) {
		char key[128];
		(void)snprintf(key, sizeof(key), "%.*s", (int)strcspn(is->setting[i], "+-="), is->setting[i]);
		if (snapshot_fixes(key, all->run[world].run.choice.policy))
			return sl_fail(err, SL_USAGE,
				"--at: '%s' would change what was before then too: from a moment on only the "
				"policy (-p) and its settings can be others",
				key);
	}
	return SL_OK;
}

int fork_world(struct world_list *all, size_t world, struct sl_err *err)
{
	const char *text = arg(all->args, "at");
	const struct scenario *scenario = all->run[0].scenario;
	sl_time at = 0;
	const int status = check_settings(all, world, err);
	if (status)
		return status;
	const struct view view = { .scenario = scenario };
	if (!view_time(&view, text, &at) || strcmp(text, "now") == 0)
		return sl_fail(err, SL_USAGE,
			"--at %s is not a time: give seconds since the trace's zero, a duration such as 3d, or a "
			"date as 2001-12-31T23:59",
			text);
	struct sim_stretch *past = sl_alloc(all->args->arena, 1, sizeof(*past));
	if (!past)
		return sl_fail_memory(err);
	struct run *run = &all->run[world].run;
	run->options.past = past;
	run->options.past_count = 1;
	return past_of(all, at, past, err);
}
