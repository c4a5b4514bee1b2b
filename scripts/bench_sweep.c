/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_sweep.c - what a sweep costs beside the runs that it is made of: usage: bench-sweep TRACE [SEEDS
 * [POLICY...]].
 *
 * The same points in one process, in turns: bare, each scenario read once before and not counted; bare, read
 * once for each (trace, seed, load); bare, read for each point, as `schedlab run` does; and by a worker of
 * `schedlab sweep run` with claims, files and all. CPU seconds of the process, the least of three rounds
 * each.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"
#include "sim/lib/builtin.h"

enum { ROUNDS = 3, LOADS = 4, POLICIES_MAX = 16 };

static const char *usual[] = { "fcfs", "easy", "easy:fill=shortest", "conservative" };
static const char *const loads[LOADS] = { "0.8", "0.9", "1", "1.1" };

struct bench {
	const char *trace;
	unsigned seeds;
	const char *policy[POLICIES_MAX];
	size_t policies;
	struct registry registry;
	char dir[64];
	uint64_t sum; /* Of digests: so that all did the same. */
};

static void good(int status, const struct sl_err *err)
{
	if (!status)
		return;
	(void)fprintf(stderr, "bench-sweep: %s\n", err->text);
	_Exit(-status);
}

static double cpu_seconds(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Bare ---- */

struct bare {
	struct sl_arena *arena;
	struct settings settings;
	struct policy_choice choice;
	struct scenario scenario;
};

static void bare_load(
	struct bare *bare, const struct bench *bench, const char *load, unsigned seed, const char *policy)
{
	char text[64];
	struct sl_err err = { 0 };
	bare->arena = sl_arena_new();
	bare->settings = (struct settings){ .arena = bare->arena };
	(void)snprintf(text, sizeof(text), "replay.load=%s", load);
	good(settings_add(&bare->settings, sl_strdup(bare->arena, text, strlen(text)), &err), &err);
	good(policy_choose(&bench->registry, &bare->choice, policy, &bare->settings, bare->arena, &err),
		&err);
	const struct scenario_options options = { .trace = bench->trace,
		.registry = &bench->registry,
		.settings = &bare->settings,
		.implied = bare->choice.implied,
		.seed = seed };
	good(scenario_load(&bare->scenario, &options, &err), &err);
}

static void bare_release(struct bare *bare)
{
	scenario_release(&bare->scenario);
	sl_arena_free(bare->arena);
}

static void bare_run(struct bench *bench, const struct bare *bare, unsigned seed, const char *policy)
{
	struct sl_arena *arena = sl_arena_new();
	struct settings none = { .arena = arena };
	struct policy_choice choice;
	struct sim_run sim;
	struct sl_metrics metrics;
	struct sl_err err = { 0 };
	good(policy_choose(&bench->registry, &choice, policy, &none, arena, &err), &err);
	const struct sim_options options = { .scenario = &bare->scenario, .choice = &choice, .seed = seed };
	good(sim_run(&sim, &options, &err), &err);
	metrics_init(&metrics, arena, &bench->registry);
	metrics.plain = true;
	good(metrics_compute(&metrics, &sim.result, &err), &err);
	bench->sum += sim.result.digest;
	metrics_release(&metrics);
	sim_release(&sim);
	sl_arena_free(arena);
}

/* each: read for each point; counted: reading counts. */
static double bare_all(struct bench *bench, bool each, bool counted)
{
	double seconds = 0;
	for (unsigned seed = 1; seed <= bench->seeds; seed++)
		for (size_t l = 0; l < LOADS; l++) {
			struct bare bare;
			for (size_t p = 0; p < bench->policies; p++) {
				double from = cpu_seconds();
				if (each || p == 0)
					bare_load(&bare, bench, loads[l], seed, bench->policy[p]);
				if (!counted)
					from = cpu_seconds();
				bare_run(bench, &bare, seed, bench->policy[p]);
				if (each || p + 1 == bench->policies)
					bare_release(&bare);
				seconds += cpu_seconds() - from;
			}
		}
	return seconds;
}

/* ---- As a sweep ---- */

static double sweep_all(struct bench *bench, double *plan_seconds)
{
	char path[128];
	char command[128];
	struct sl_err err = { 0 };
	struct args args = { .command = &cmd_sweep, .arena = sl_arena_new(), .registry = &bench->registry };
	(void)snprintf(path, sizeof(path), "%s/spec", bench->dir);
	(void)snprintf(command, sizeof(command), "rm -rf '%s/d'", bench->dir);
	if (system(command) != 0) /* NOLINT: a folder of our own. */
		_Exit(6);
	FILE *spec = fopen(path, "w");
	if (!spec)
		_Exit(6);
	(void)fprintf(spec, "traces: %s\npolicies: [", bench->trace);
	for (size_t p = 0; p < bench->policies; p++)
		(void)fprintf(spec, "%s\"%s\"", p ? ", " : "", bench->policy[p]);
	(void)fprintf(spec, "]\nseeds: 1..%u\nsettings: {replay.load: [", bench->seeds);
	for (size_t l = 0; l < LOADS; l++)
		(void)fprintf(spec, "%s%s", l ? ", " : "", loads[l]);
	(void)fprintf(spec, "]}\n");
	if (fclose(spec) != 0)
		_Exit(6);
	(void)snprintf(command, sizeof(command), "%s/d", bench->dir);
	struct sweep sweep = { .args = &args,
		.arena = args.arena,
		.registry = &bench->registry,
		.dir = command,
		.dir_name = command,
		.spec_path = path,
		.folder = "/" };
	const double from = cpu_seconds();
	good(sweep_spec_read(&sweep.spec, path, args.arena, &err), &err);
	good(sweep_plan(&sweep, &err), &err);
	good(sweep_open(&sweep, false, &err), &err);
	const double planned = cpu_seconds();
	const struct sweep_work work = { .sweep = &sweep, .parts = 1, .reported = -1 };
	good(sweep_work(&work, &err), &err);
	const double done = cpu_seconds();
	sl_arena_free(args.arena);
	*plan_seconds = planned - from;
	return done - from;
}

static void least(double *of, double seconds) { *of = *of == 0 || seconds < *of ? seconds : *of; }

int main(int argc, char **argv)
{
	struct sl_err err = { 0 };
	struct bench bench = { .seeds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1,
		.policies = argc > 3 ? (size_t)argc - 3 : SL_LEN(usual),
		.dir = "/tmp/bench-sweep-XXXXXX" };
	for (size_t p = 0; p < bench.policies && p < POLICIES_MAX; p++)
		bench.policy[p] = argc > 3 ? argv[p + 3] : usual[p];
	char command[128];
	double runs = 0;
	double once = 0;
	double each = 0;
	double sweep = 0;
	double plan = 0;
	if (argc < 2 || !bench.seeds || bench.policies > POLICIES_MAX) {
		(void)fputs("usage: bench-sweep TRACE [SEEDS [POLICY...]]\n", stderr);
		return 2;
	}
	bench.trace = realpath(argv[1], NULL);
	if (!bench.trace || !mkdtemp(bench.dir))
		return 6;
	good(registry_make(&bench.registry, &err), &err);
	for (unsigned round = 0; round < ROUNDS; round++) {
		double planned;
		least(&runs, bare_all(&bench, false, false));
		least(&once, bare_all(&bench, false, true));
		least(&sweep, sweep_all(&bench, &planned));
		least(&plan, planned);
		least(&each, bare_all(&bench, true, true));
	}
	const double points = (double)bench.seeds * LOADS * (double)bench.policies;
	(void)printf(
		"%.0f points: bare runs %.3f s, read once each %.3f, read for each point %.3f, sweep %.3f "
		"(plan %.3f)\n",
		points, runs, once, each, sweep, plan);
	(void)printf(
		"sweep against bare runs %+.1f %%, read once each %+.1f %%, read for each point %+.1f %%; "
		"%.1f points/s a core\n",
		100 * (sweep / runs - 1), 100 * (sweep / once - 1), 100 * (sweep / each - 1), points / sweep);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", bench.dir);
	registry_release(&bench.registry);
	return system(command) != 0; /* NOLINT: a folder of our own. */
}
