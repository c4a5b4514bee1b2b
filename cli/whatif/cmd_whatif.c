/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_whatif.c - schedlab whatif: a base, and what would have been with other settings, side by side.
 *
 * The line is read in order: what stands before the first --as applies to every replica, what follows one to
 * that replica alone. Runs, table, intervals and files are those of compare; whatif_report.c adds who gained.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/whatif/whatif.h"
#include "cli/whatif/whatif_changes.h"
#include "cli/whatif/whatif_parts.h"
#include "cli/whatif/whatif_search.h"

static const struct option_def options[] = {
	{ "set", 0, "KEY=VALUE", true,
		"otherwise than the base: cluster.nodes[gpu].count+=8, policy.*, replay.*, a bare key" },
	{ "drop", 0, "JOBS", true, "without these jobs: user=alice,partition=gpu (both hold)" },
	{ "scale-load", 0, "F", true, "submissions F times as often as in the base" },
	{ "as", 0, "NAME", true,
		"a scenario of that name: what follows is its own; what stands before the first is every scenario's" },
	{ "cluster", 'c', "CLUSTER", true,
		"of a trace: the base's machine; another one, or behind --as: a scenario's" },
	{ "policy", 'p', "POLICY", true,
		"of a trace: the base's policy; another one, or behind --as: a scenario's" },
	{ "at", 0, "TIME", false,
		"as the base up to then, and otherwise from then on: -p, policy.*, --drop, --scale-load, --down" },
	{ "down", 0, "NODES", true,
		"without these nodes: hosts, a partition, a switch, a feature ...; from --at on, as long as --for says" },
	{ "drain", 0, "NODES", false, "when to take these nodes out with the least loss, --within so long" },
	{ "within", 0, "TIME", false, "of --drain: from --at (default: the first submission) on" },
	{ "for", 0, "TIME", false, "of --drain (default: 4h) and --down (default: for good): so long" },
	{ "moments", 0, "N", false, "of --drain: simulate at most so many; default 100" },
	{ "wait-weight", 0, "W", false,
		"of --drain: an hour that a job waits longer costs W hours of a GPU (cpu); default 0" },
	{ "censored", 0, "keep|extend=F", false,
		"jobs that the log shows as cut by their limit: as long as recorded (default), or F times that" },
	{ "base", 0, "KEY=VALUE", true, "a setting of the base, and of all scenarios" },
	WHATIF_SEARCH_OPTIONS,
	{ OPTION_METRIC },
	{ OPTION_OUTPUT },
	{ OPTION_THREADS },
	{ OPTION_SEED },
	{ OPTION_REPS },
	{ OPTION_BLOCKS },
	OPTIONS_OF_TRACE,
	{ OPTION_STRICT },
	{ "no-report", 0, NULL, false, "with -o: leave out DIR/report.html" },
	OPTIONS_OF_RUNS,
};

/* ---- The line as replicas ------------------------------------------------------------------------- */

static const struct given *given_at(const struct args *args, size_t i) { return &args->given[i]; }

static bool is(const struct given *given, const char *name) { return strcmp(given->def->name, name) == 0; }

const char *base_word(const struct args *args, const char *name)
{
	for (size_t i = 0; i < args->given_count && !is(given_at(args, i), "as"); i++)
		if (is(given_at(args, i), name))
			return given_at(args, i)->value;
	return NULL;
}

static const char *cmd_whatif_text_of(struct sl_arena *arena, const char *before, const char *text)
{
	return text_made(arena, "%s%s", before, text);
}

/* replay.load of the base, times the factor; at: from then on. */
static const char *load_text(const struct base *base, const char *factor, const char *at, struct sl_err *err)
{
	static const char load[] = "replay.load=";
	static const char later[] = "replay.load_after=";
	const char *was = base_setting(base, "replay.load");
	int64_t by;
	int64_t from = 1000000;
	if (!sl_get_micro(factor, strlen(factor), &by) || by < 1000 || by > 1000000000) {
		(void)sl_fail(err, SL_USAGE,
			"option '--scale-load' must be a factor from 0.001 to 1000, not '%.60s'", factor);
		return NULL;
	}
	if (was)
		(void)sl_get_micro(was, strlen(was), &from);
	char *text = sl_alloc(base_arena(base), sizeof(later) + 40 + (at ? strlen(at) : 0), 1);
	if (!text) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	if (at) {
		(void)stpcpy(stpcpy(sl_put_micro(stpcpy(text, later), by), "@"), at);
		return text;
	}
	*sl_put_micro(stpcpy(text, load), sl_mul_div(from, by, 1000000)) = '\0';
	return text;
}

/* "n[1-4] 0 3600" of --down. */
static int down_put(struct base *base, struct replica *replica, const struct args *args, const char *nodes,
	struct sl_err *err)
{
	const struct scenario *scenario = base_scenario(base, err);
	const char *at = arg(args, "at");
	const char *length = arg(args, "for");
	struct node_rows rows = { 0 };
	sl_time from = 0;
	sl_time until = 0;
	int status = scenario ? node_rows_of(&rows, scenario, "--down", nodes, base_arena(base), err)
			      : err->status;
	if (!status && at)
		status = whatif_time(scenario, "--at", at, &from, err);
	if (!status && length &&
		(!sl_get_duration(length, strlen(length), &until) || until <= 0 || until > INT64_MAX / 4))
		status = sl_fail(
			err, SL_USAGE, "option '--for' must be a duration such as 48h, not '%.60s'", length);
	if (status)
		return status;
	char begin[40], end[40] = "-";
	*sl_put_micro(begin, from) = '\0';
	if (length)
		*sl_put_micro(end, from + until) = '\0';
	char *text = rows.hosts ? text_made(base_arena(base), "%s %s %s", rows.hosts, begin, end) : NULL;
	return text ? outage_put(replica, scenario, text, base_arena(base), err) : sl_fail_memory(err);
}

/* One option of a replica. */
static int replica_given(struct base *base, struct replica *replica, const struct args *args,
	const struct given *given, struct sl_err *err)
{
	const char *text = NULL;
	if (is(given, "down"))
		return down_put(base, replica, args, given->value, err);
	if (is(given, "set"))
		text = given->value;
	else if (is(given, "drop"))
		text = cmd_whatif_text_of(base_arena(base), "replay.drop=", given->value);
	else if (is(given, "scale-load"))
		text = load_text(base, given->value, arg(args, "drain") ? NULL : arg(args, "at"), err);
	else if (is(given, "policy"))
		replica->policy = given->value;
	else if (is(given, "cluster"))
		replica->cluster = given->value;
	else
		return SL_OK;
	if (is(given, "policy") || is(given, "cluster"))
		return SL_OK;
	if (!text)
		return err->status ? err->status : sl_fail_memory(err);
	if (!strchr(text, '='))
		return sl_fail(err, SL_USAGE, "--set must be KEY=VALUE, not '%s'", text);
	replica->setting[replica->setting_count++] = text;
	return SL_OK;
}

/* --censored extend=F: of jobs that were cut. */
static int censored_given(
	struct base *base, struct replica *replica, const struct args *args, struct sl_err *err)
{
	const char *way = arg(args, "censored");
	int64_t factor;
	if (!way || strcmp(way, "keep") == 0)
		return SL_OK;
	const char *equals = strchr(way, '=');
	if (strncmp(way, "extend=", 7) != 0 || !sl_get_micro(equals + 1, strlen(equals + 1), &factor) ||
		factor < 1000000 || factor > 100000000)
		return sl_fail(err, SL_USAGE,
			"option '--censored' must be keep, or extend=F with a factor from 1 to 100, not '%.60s'",
			way);
	const struct scenario *scenario = base_scenario(base, err);
	if (!scenario)
		return err->status;
	if (!censored_of(scenario).jobs)
		return SL_OK;
	char *text =
		text_made(base_arena(base), "replay.change=cut=yes run*%s limit*%s", equals + 1, equals + 1);
	if (!text)
		return sl_fail_memory(err);
	replica->setting[replica->setting_count++] = text;
	return SL_OK;
}

static struct replica *replica_add(struct replica_list *all, const char *name, struct sl_err *err)
{
	struct replica *replica = &all->replica[all->count];
	const char **capacity =
		sl_alloc(base_arena(all->base), 3 * all->args->given_count + 2, sizeof(*capacity));
	if (!capacity) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	*replica = (struct replica){ .name = name, .setting = capacity };
	all->count++;
	return replica;
}

/* What stands before the first --as, but what is the base's: its policy and its machine. */
static int common_given(struct replica_list *all, struct replica *replica, struct sl_err *err)
{
	int status = censored_given(all->base, replica, all->args, err);
	bool policy = base_is_run(all->base);
	bool cluster = policy;
	for (size_t i = 0; i < all->args->given_count && !status; i++) {
		const struct given *given = given_at(all->args, i);
		if (is(given, "as"))
			break;
		if (is(given, "policy") && !policy)
			policy = true;
		else if (is(given, "cluster") && !cluster)
			cluster = true;
		else
			status = replica_given(all->base, replica, all->args, given, err);
	}
	return status;
}

static int unnamed_replica(struct replica_list *all, struct sl_err *err)
{
	struct replica *replica = replica_add(all, "changed", err);
	const int status = replica ? common_given(all, replica, err) : err->status;
	if (!status && !replica->setting_count && !replica->policy && !replica->cluster)
		return sl_fail(err, SL_USAGE,
			"whatif: nothing is changed: give --set, --drop, --scale-load, --down, another -c or -p; or "
			"--until with --vary, or --drain");
	return status;
}

int replica_of_line(struct replica *replica, struct base *base, const struct args *args, struct sl_err *err)
{
	struct replica_list all = { .args = args, .base = base };
	all.replica = replica;
	return replica_add(&all, "changed", err) ? common_given(&all, replica, err) : err->status;
}

static int named_replicas(struct replica_list *all, struct sl_err *err)
{
	struct replica *replica = NULL;
	int status = SL_OK;
	for (size_t i = 0; i < all->args->given_count && !status; i++) {
		const struct given *given = given_at(all->args, i);
		if (is(given, "as")) {
			for (size_t k = 0; k < all->count; k++)
				if (strcmp(all->replica[k].name, given->value) == 0)
					return sl_fail(err, SL_USAGE,
						"--as: there is a scenario '%s' already: take another name",
						given->value);
			replica = replica_add(all, given->value, err);
			status = replica ? common_given(all, replica, err) : err->status;
		} else if (replica) {
			status = replica_given(all->base, replica, all->args, given, err);
		}
	}
	return status;
}

static int replicas_of_line(
	struct replica_list *all, struct base *base, const struct args *args, struct sl_err *err)
{
	*all = (struct replica_list){ .args = args, .base = base };
	all->replica = sl_alloc(args->arena, args->given_count + 2, sizeof(*all->replica));
	if (!all->replica || !replica_add(all, "base", err))
		return sl_fail_memory(err);
	return arg(args, "as") ? named_replicas(all, err) : unnamed_replica(all, err);
}

/* ---- The comparison ------------------------------------------------------------------------------- */

/* What is read by the seed is read anew for each. */
static const struct scenario *replica_of_seed(void *self, size_t row, size_t seed, struct sl_err *err)
{
	struct replica_list *all = self;
	if (!seed || !all->run[row].scenario->filled)
		return all->run[row].scenario;
	struct replica replica = all->replica[row];
	struct replica_run more;
	replica.seed_more = seed;
	return replica_prepare(all->base, &replica, &more, err) ? NULL : more.scenario;
}

static int cmd_whatif_prepare(
	struct comparison *comparison, struct replica_list *all, struct run *runs, struct sl_err *err)
{
	for (size_t i = 0; i < all->count; i++) {
		int status = i && arg(all->args, "at") ? fork_settings(all, i, err) : SL_OK;
		if (!status)
			status = replica_prepare(all->base, &all->replica[i], &all->run[i], err);
		if (!status && i == 0)
			base_talk(all->base);
		if (!status && all->run[i].scenario->window_count)
			status = sl_fail(err, SL_USAGE,
				"whatif looks at whole runs: leave out replay.windows, or compare them with "
				"'schedlab compare'");
		if (!status && arg(all->args, "at") && i)
			status = fork_replica(all, i, err);
		if (status)
			return status;
		runs[i] = all->run[i].run;
		if (compare_row_begin(&comparison->row[i], &runs[i], all->replica[i].name,
			    all->replica[i].cluster ? all->replica[i].cluster : base_cluster(all->base),
			    all->args))
			return sl_fail_memory(err);
	}
	return SL_OK;
}

static void heading(void *self) { whatif_heading(self); }

static void cmd_whatif_table(const struct comparison *comparison, void *self)
{
	(void)self;
	whatif_table(comparison);
}

static int files(const struct comparison *comparison, void *self, struct sl_err *err)
{
	(void)self;
	return whatif_files(comparison, err);
}

static int more(void *self, struct json *json, struct sl_err *err) { return whatif_more(self, json, err); }

static const char *cmd_whatif_named(void *self, size_t row) { return replica_text(self, row); }

static int compare_replicas(struct replica_list *all, struct sl_err *err)
{
	const struct args *args = all->args;
	struct comparison comparison = { .args = args,
		.count = all->count,
		.each = 1,
		.heading = heading,
		.table = cmd_whatif_table,
		.files = files,
		.named = cmd_whatif_named,
		.labels = true,
		.more = more,
		.self = all };
	comparison.row = sl_alloc(args->arena, all->count, sizeof(*comparison.row));
	all->run = sl_alloc(args->arena, all->count, sizeof(*all->run));
	struct run *runs = all->runs = sl_alloc(args->arena, all->count, sizeof(*runs));
	all->differences = comparison.differences = differences_new(args->arena);
	if (!comparison.row || !all->run || !runs || !comparison.differences) {
		differences_free(comparison.differences);
		return sl_fail_memory(err);
	}
	int status = cmd_whatif_prepare(&comparison, all, runs, err);
	if (!status && arg(args, "reps")) {
		struct replications repeated = {
			.all = &comparison, .row = runs, .replica = replica_of_seed, .self = all
		};
		status = compare_repeat(&comparison, runs, &repeated, err);
	} else if (!status) {
		status = compare_runs(&comparison, runs, NULL, err);
	}
	runset_release(runs, all->count);
	compare_end(&comparison);
	return status;
}

static int whatif_command(const struct args *args, struct sl_err *err)
{
	struct base *base;
	struct replica_list all;
	int status = base_open(&base, args, err);
	if (status)
		return status;
	if ((search_asked(args) || arg(args, "drain")) && arg_flag(args, "dry-run")) {
		base_close(base);
		return sl_fail(err, SL_USAGE,
			"--dry-run is about scenarios: what a search or --drain simulates next hangs on what came before");
	}
	if (search_asked(args) || arg(args, "drain")) {
		status = arg(args, "drain") ? whatif_drain(base, args, err) : whatif_search(base, args, err);
		base_close(base);
		return status;
	}
	status = replicas_of_line(&all, base, args, err);
	if (!status)
		status = compare_replicas(&all, err);
	base_close(base);
	return status;
}

const struct command cmd_whatif = {
	.name = "whatif",
	.usage = "whatif DIR|TRACE [options]",
	.summary = "what would have been with other settings, and the smallest change that is enough",
	.detail =
		"The base is the run in DIR, or TRACE with -c, -p and --base. Prints the base and each scenario as a row,\n"
		"what changed, with intervals where they can be had, whose waits got shorter or longer, and which jobs ended otherwise.\n"
		"\n"
		"examples:\n"
		"  schedlab whatif out --set 'cluster.nodes[gpu].count+=8'\n"
		"  schedlab whatif log.txt -c /etc/slurm -p slurm --as A --set 'cluster.partition[long].MaxTime=1-00:00:00'\n"
		"      --as B --set policy.bf_window=2880\n"
		"  schedlab whatif log.swf -c now.yaml -c next.yaml --scale-load 1.2\n"
		"  schedlab whatif out --drop user=alice --at 3d\n"
		"  schedlab whatif out --until 'wait.p95{gpus>=8} < 4h' --vary 'cluster.nodes[gpu].count+=0..64'\n"
		"  schedlab whatif out --until 'wait.p95 < 4h' --buy 'h100=0..32,l40s=0..64' --budget 1000000\n"
		"  schedlab whatif out --until 'wait.p95 < 4h' --head-room\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = whatif_command,
};
