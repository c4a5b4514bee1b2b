/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_fork.c - whatif --at: as the base up to a moment, otherwise from then on.
 *
 * What is in force from then on: another policy or other settings of it, which gets the history replayed;
 * jobs that are not submitted (--drop) or come faster (--scale-load) later than then; nodes that go down
 * (--down, failures.outages) and an operator's commands. The base is replayed to the moment once, for its
 * digest; each replica replays the same history, is verified by that digest, and then changes. A setting that
 * would change what was before is refused by name.
 */
#include <string.h>

#include "cli/moment/view.h"
#include "cli/whatif/whatif_parts.h"
#include "sim/run/engine.h"

int whatif_time(const struct scenario *scenario, const char *option, const char *text, sl_time *at,
	struct sl_err *err)
{
	const struct view view = { .scenario = scenario };
	if (strcmp(text, "now") != 0 && view_time(&view, text, at))
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"%s %s is not a time: give seconds since the trace's zero, a duration such as 3d, or a date as "
		"2001-12-31T23:59",
		option, text);
}

int fail_after_end(const char *option, const char *text, sl_time last, struct sl_err *err)
{
	char seconds[32];
	*sl_put_micro(seconds, last) = '\0';
	return sl_fail(err, SL_USAGE,
		"%s %s is after the log's end: its last job ends %s s after the trace's zero, so give a time up to then",
		option, text, seconds);
}

/* All that was to run has ended before that time. */
static bool whatif_fork_is_over(struct sim_run *sim, const struct run *base, sl_time at, sl_time *last)
{
	const struct sl_pass *pass = sim_state(sim);
	const uint32_t jobs = base->scenario->jobs.count;
	*last = 0;
	for (uint32_t job = 0; job < jobs; job++) {
		const sl_time end = pass->end[job];
		if (end == SL_NONE && sim_next(sim) != SL_NEVER)
			return false;
		*last = end > *last ? end : *last;
	}
	return *last < at;
}

/* Everything at or before `at` under the base. */
static int history_of(
	const struct replica_list *all, sl_time at, struct sim_interval *history, struct sl_err *err)
{
	struct run *base = &all->runs[0];
	struct sim_run sim = { 0 };
	struct sim_options options = base->options;
	size_t count = 0;
	options.scenario = base->scenario;
	options.choice = &base->choice;
	options.record |= SIM_RECORD_HISTORY;
	int status = sim_begin(&sim, &options, err);
	if (!status)
		status = sim_advance(&sim, at, err);
	sl_time last;
	if (!status && whatif_fork_is_over(&sim, base, at, &last))
		status = fail_after_end("--at", arg(all->args, "at"), last, err);
	const struct sim_interval *interval = status ? NULL : sim_intervals(&sim, &count, err);
	if (!status && !interval)
		status = err->status ? err->status : SL_SYSTEM;
	if (!status && interval) {
		*history = interval[count - 1];
		history->choice = &base->choice;
		history->until = at;
	}
	sim_release(&sim);
	return status;
}

/* ---- Settings ----------------------------------------------------------------------------------------- */

static bool is_key(const char *setting, const char *key)
{
	const size_t len = strlen(key);
	return strncmp(setting, key, len) == 0 && setting[len] == '=';
}

/* "user=alice;job=7" with ",after=3d" in each clause. */
static const char *drop_after(const char *setting, const char *at, struct sl_arena *arena)
{
	static const char more[] = ",after=";
	size_t clauses = 1;
	for (const char *p = setting; *p; p++)
		clauses += *p == ';';
	char *text = sl_alloc(arena, strlen(setting) + clauses * (sizeof(more) + strlen(at)) + 1, 1);
	char *to = text;
	bool said = false;
	for (const char *p = setting; text; p++) {
		if ((!*p || *p == ';') && said) {
			to = stpcpy(stpcpy(to, more), at);
			said = false;
		}
		said |= *p && *p != ';' && *p != ' ';
		if (*p == '\\' && p[1])
			*to++ = *p++;
		*to++ = *p;
		if (!*p)
			break;
	}
	return text;
}

static int check_setting(const char *setting, struct sl_err *err)
{
	static const char *const free[] = { "replay.load_after", "replay.drop", "replay.commands",
		"failures.outages", "replay.models", "failures.rate", "replay.warmup", "warmup",
		"replay.cooldown", "cooldown", "replay.metrics", "metrics", "replay.fair_start", "fair_start",
		"replay.until" };
	char key[128];
	(void)snprintf(key, sizeof(key), "%.*s", (int)strcspn(setting, "="), setting);
	for (size_t i = 0; i < SL_LEN(free); i++)
		if (strcmp(key, free[i]) == 0)
			return SL_OK;
	if (strncmp(key, "cluster.", strlen("cluster.")) != 0 && !replay_is_bare(key) &&
		(strncmp(key, "policy.", strlen("policy.")) == 0 || !strchr(key, '.')))
		return SL_OK; /* The policy's, or nobody's: that is found out when the replica is read. */
	return sl_fail(err, SL_USAGE,
		"--at: '%s' would change what was before then too: from a moment on there can be another policy (-p), "
		"its settings (policy.*), --drop, --scale-load, --down and replay.commands",
		key);
}

int fork_settings(struct replica_list *all, size_t replica, struct sl_err *err)
{
	struct replica *is = &all->replica[replica];
	const char *at = arg(all->args, "at");
	int status = SL_OK;
	if (is->cluster)
		return sl_fail(err, SL_USAGE,
			"--at: the machine of a run that goes on cannot be another: leave out -c %s",
			is->cluster);
	for (size_t i = 0; i < is->setting_count && !status; i++) {
		status = check_setting(is->setting[i], err);
		if (status || (!is_key(is->setting[i], "replay.drop") && !is_key(is->setting[i], "drop")))
			continue;
		is->setting[i] = drop_after(is->setting[i], at, base_arena(all->base));
		if (!is->setting[i])
			status = sl_fail_memory(err);
	}
	return status;
}

int fork_replica(struct replica_list *all, size_t replica, struct sl_err *err)
{
	sl_time at = 0;
	const int status = whatif_time(all->run[0].scenario, "--at", arg(all->args, "at"), &at, err);
	if (status)
		return status;
	struct sim_interval *history = sl_alloc(all->args->arena, 1, sizeof(*history));
	if (!history)
		return sl_fail_memory(err);
	/* Nodes that go down then do so before anything else of that time. */
	for (size_t i = 0; i < all->replica[replica].setting_count; i++)
		if (is_key(all->replica[replica].setting[i], "failures.outages")) {
			at--;
			break;
		}
	struct run *run = &all->run[replica].run;
	run->options.history = history;
	run->options.history_count = 1;
	return history_of(all, at, history, err);
}
