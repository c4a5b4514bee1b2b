/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_sweep.c - schedlab sweep: a grid of runs: planned, run, reported.
 */
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"

static const struct option_def options[] = {
	{ "output", 'o', "DIR", false,
		"the sweep's directory: on a file system that all its machines share" },
	{ "threads", 'j', "N", false,
		"points at a time, each in a process; default: as many as there are processors, or 1 of a part" },
	{ "shard", 0, "I/N", false,
		"begin with that part of the points; default ('auto'): as Slurm, MPI or Kubernetes say" },
	{ "shards", 0, "N", false, "how many parts there are, where the engine does not say" },
	{ "retry", 0, NULL, false, "do points again that failed" },
	{ "emit", 0, "ENGINE", false, "print a script for slurm, k8s, mpirun, parallel or make instead" },
	{ "tasks", 0, "N", false, "with --emit: processes; default: as many as points, at most 100" },
	{ "x", 0, "FACTOR", false,
		"report: along the axis; default: as the spec says, or the first that has numbers" },
	{ "y", 0, "METRIC", false,
		"report: what is drawn; default: as the spec says, or bounded_slowdown.mean" },
	{ "by", 0, "FACTOR", false, "report: a line each; default: as the spec says, or the policy" },
	OPTIONS_OF_RUNS,
};

static int plan_show(const struct sweep *sweep, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, NULL, err);
	if (status)
		return status;
	points_json(sweep, out);
	return sl_out_commit(out, err);
}

/* What is a policy's parameter, perhaps. */
static bool is_of_policy(const struct sweep_spec *spec, size_t factor)
{
	const char *name = spec->factor[factor].name;
	return factor != spec->trace_at && factor != spec->cluster_at && factor != spec->policy_at &&
	       factor != spec->seed_at && strncmp(name, "replay.", 7) != 0 &&
	       strncmp(name, "cluster.", 8) != 0;
}

/* A policy, and each value of a factor that may be its parameter. */
static int policy_asked(const struct sweep *sweep, const char *policy, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	const struct factor *policies = &spec->factor[spec->policy_at];
	const struct sl_place at = { spec->file, policies->line, policies->column };
	struct settings none = { .arena = sweep->arena };
	int status = policy_trusted(sweep->registry, policy, &none, &at, err);
	for (size_t f = 0; f < spec->factor_count && !status; f++) {
		const struct factor *factor = &spec->factor[f];
		const struct sl_place there = { spec->file, factor->line, factor->column };
		for (size_t i = 0; is_of_policy(spec, f) && i < factor->count && !status; i++) {
			struct setting one = { factor->name, factor->value[i], false };
			struct settings with = { &one, 1, 1, sweep->arena };
			status = policy_trusted(sweep->registry, policy, &with, &there, err);
		}
	}
	return status;
}

/* Would a point execute what the user has not asked for? Before anything is hashed, made or claimed. */
int sweep_trusted(const struct sweep *sweep, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	const struct factor *policies = &spec->factor[spec->policy_at];
	const struct factor *traces = &spec->factor[spec->trace_at];
	const struct sl_place at = { spec->file, traces->line, traces->column };
	int status = SL_OK;
	for (size_t i = 0; i < policies->count && !status; i++)
		status = policy_asked(sweep, policies->value[i], err);
	for (size_t i = 0; i < spec->trace_count && !status; i++) {
		const struct generate_call call = { spec->trace[i].generate, 0, false, sweep->arena,
			sweep->registry };
		status = call.line ? generate_trusted(&call, &at, err) : SL_OK;
	}
	return status;
}

/* Before anything is run: is each a policy, with parameters that it has? */
int sweep_policies_check(const struct sweep *sweep, struct sl_err *err)
{
	const struct factor *policies = &sweep->spec.factor[sweep->spec.policy_at];
	const struct sl_place at = { sweep->spec.file, policies->line, policies->column };
	for (size_t i = 0; i < policies->count; i++) {
		struct policy_choice choice;
		struct sl_err why = { 0 };
		int status = registry_add_policy(sweep->registry, policies->value[i], &why);
		if (!status)
			status = policy_choose(
				sweep->registry, &choice, policies->value[i], NULL, sweep->arena, &why);
		if (status == SL_INTERRUPTED)
			return sl_fail(err, status, "%s", why.text);
		if (status)
			return sl_fail_at(err, &at, "%s", why.text);
	}
	return SL_OK;
}

/* What is there, by what the directory says: inputs may be gone by now. */
static int cmd_sweep_look(struct sweep *sweep, bool report, struct sl_err *err)
{
	const int status = sweep_recall(sweep, err);
	if (status)
		return status;
	return report ? sweep_report(sweep, err) : sweep_status(sweep);
}

static int work(struct sweep *sweep, const char *what, struct sl_err *err)
{
	int status = sweep_trusted(sweep, err);
	if (!status)
		status = sweep_policies_check(sweep, err);
	if (!status)
		status = sweep_plan(sweep, err);
	if (status)
		return status;
	if (arg(sweep->args, "emit"))
		return sweep_emit(sweep, arg(sweep->args, "emit"), err);
	if (strcmp(what, "plan") == 0)
		return plan_show(sweep, err);
	if (!sweep->dir)
		return sl_fail(err, SL_USAGE, "sweep %s: where? give -o DIR", what);
	status = sweep_open(sweep, arg_flag(sweep->args, "force"), err);
	if (status)
		return status;
	return arg_flag(sweep->args, "dry-run") ? sweep_dry(sweep, err) : sweep_run(sweep, err);
}

static int sweep_command(const struct args *args, struct sl_err *err)
{
	static const char *const words[] = { "run", "plan", "status", "report", NULL };
	const char *what = args->word[0];
	struct sweep sweep = { .args = args, .arena = args->arena, .registry = args->registry };
	size_t w = 0;
	while (words[w] && strcmp(words[w], what) != 0)
		w++;
	if (!words[w] || args->word_count != 2)
		return sl_fail(err, SL_USAGE,
			"sweep: say what with which file: schedlab sweep run|plan|status|report SPEC|DIR");
	int status = sweep_find(&sweep, args->word[1], err);
	if (!status)
		status = sweep_spec_read(&sweep.spec, sweep.spec_name, args->arena, err);
	if (status)
		return status;
	/* What a spec names is looked for from its own folder. */
	if (chdir(sweep.folder) != 0)
		return sl_fail_sys(err, SL_INPUT, "go to", sweep.folder);
	if (arg_flag(args, "dry-run") && strcmp(what, "run") != 0)
		return sl_fail(err, SL_USAGE,
			"sweep %s: --dry-run is of 'sweep run'; 'sweep plan' writes nothing", what);
	const bool looks = strcmp(what, "status") == 0 || strcmp(what, "report") == 0;
	if (looks && sweep.dir)
		return cmd_sweep_look(&sweep, strcmp(what, "report") == 0, err);
	return work(&sweep, what, err);
}

const struct command cmd_sweep = {
	.name = "sweep",
	.usage = "sweep run|plan|status|report SPEC|DIR [-o DIR] [options]",
	.summary = "replay a grid of traces, clusters, policies, settings and seeds",
	.detail =
		"SPEC is a YAML or JSON file, see schedlab-sweep(5). Each point of the grid is one file in DIR, named by\n"
		"its content: a sweep that was killed goes on where it was, and nothing is done twice, whoever else works\n"
		"in DIR. 'report' makes DIR/points.csv, DIR/runs.db (SQLite) and DIR/curves.svg of what is there.\n"
		"\n"
		"examples:\n"
		"  schedlab sweep plan load.yaml\n"
		"  schedlab sweep run load.yaml -o load\n"
		"  schedlab sweep run load.yaml -o load --emit slurm | sbatch\n"
		"  mpirun -n 64 schedlab sweep run load.yaml -o load\n"
		"  schedlab sweep status load\n"
		"  schedlab sweep report load --x replay.load --y wait.mean\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 2,
	.run = sweep_command,
};
