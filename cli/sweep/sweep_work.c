/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_work.c - points of a sweep, done one after another by one process.
 *
 * A worker runs its own part of the plan first, in order, so that neighbours share what was read; then what
 * others have not begun. What is read last is kept: points that differ in the policy alone read nothing.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/outdir.h"
#include "cli/sweep/sweep.h"
#include "sim/base/out.h"
#include "sim/registry/replay_params.h"

struct worker {
	const struct sweep_work *work;
	struct args quiet;         /* The line's options, with --quiet. */
	char *key;                 /* By which the scenario was read; NULL: none is. */
	struct sl_arena *own;      /* Of its settings. */
	struct sl_arena *settings; /* Of a point that reads nothing: its choice lends from them. */
	struct scenario scenario;
};

/* ---- What is read -------------------------------------------------------------------------------- */

static void forget(struct worker *worker)
{
	if (!worker->key)
		return;
	scenario_release(&worker->scenario);
	sl_arena_free(worker->own);
	free(worker->key);
	worker->key = NULL;
}

/* A generated trace is made once, by whoever needs it first, and has the name of its content. */
static int trace_path(const struct worker *worker, const struct point *point, struct sl_arena *arena,
	char *path, size_t size, struct sl_err *err)
{
	const struct sweep *sweep = worker->work->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	const struct sweep_trace *trace = &spec->trace[point->value[spec->trace_at]];
	char hex[65];
	char *words = NULL;
	if (trace->file) {
		(void)snprintf(path, size, "%s", trace->file);
		return SL_OK;
	}
	const char *seed = trace->seeded ? "" : point_value(sweep, point, spec->seed_at);
	if (asprintf(&words, SL_VERSION "\n%s\n%s", trace->generate, seed) < 0)
		return sl_fail_memory(err);
	int status = identity_hash(words, hex, err);
	free(words);
	(void)snprintf(path, size, "%s/traces/%s", sweep->dir, hex);
	if (status || access(path, R_OK) == 0)
		return status;
	const struct generate_call call = { trace->generate, strtoull(seed, NULL, 10), trace->seeded, arena,
		sweep->registry };
	return generate_line(&call, path, err);
}

/* Lines, each as --set takes it; "model=" begins what --model takes. */
static int settings_lines(struct settings *settings, const char *lines, struct sl_err *err)
{
	static const char model[] = "model=";
	int status = SL_OK;
	for (const char *at = lines; *at && !status;) {
		const size_t len = strcspn(at, "\n");
		const char *line = sl_strdup(settings->arena, at, len);
		if (!line)
			return sl_fail_memory(err);
		status = strncmp(line, model, sizeof(model) - 1) == 0
				 ? settings_add_model(settings, line + sizeof(model) - 1, err)
				 : settings_add(settings, line, err);
		at += len + (at[len] == '\n');
	}
	return status;
}

static int settings_of(
	const struct sweep *sweep, const struct point *point, struct settings *settings, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	int status = SL_OK;
	for (size_t f = 0; f < spec->factor_count && !status; f++) {
		if (f == spec->trace_at || f == spec->cluster_at || f == spec->policy_at ||
			f == spec->seed_at)
			continue;
		const char *name = spec->factor[f].name;
		const char *value = point_value(sweep, point, f);
		if (strcmp(name, SWEEP_SETS) == 0) {
			status = settings_lines(settings, value, err);
			continue;
		}
		char *text = text_made(settings->arena, "%s=%s", name, value);
		if (!text)
			return sl_fail_memory(err);
		status = strcmp(name, "model") == 0 ? settings_add_model(settings, value, err)
						    : settings_add(settings, text, err);
	}
	return status;
}

static int options_of(const struct worker *worker, const struct point *point,
	struct scenario_options *options, struct sl_arena *arena, struct sl_err *err)
{
	const struct sweep *sweep = worker->work->sweep;
	const struct sweep_spec *spec = &sweep->spec;
	char path[4400];
	int64_t seed;
	int64_t jobs = 0;
	const char *text = point_value(sweep, point, spec->seed_at);
	if (!sl_get_i64(text, strlen(text), &seed) || seed < 0)
		return sl_fail(
			err, SL_INPUT, "%s: a seed must be a whole number, not '%.60s'", spec->file, text);
	if (spec->jobs &&
		(!sl_get_i64(spec->jobs, strlen(spec->jobs), &jobs) || jobs < 1 || jobs >= UINT32_MAX))
		return sl_fail(err, SL_INPUT, "%s: 'jobs' must be a whole number from 1, not '%.60s'",
			spec->file, spec->jobs);
	const int status = trace_path(worker, point, arena, path, sizeof(path), err);
	*options = (struct scenario_options){
		.trace = sl_strdup(arena, path, strlen(path)),
		.cluster = spec->cluster_at == SIZE_MAX ? NULL : point_value(sweep, point, spec->cluster_at),
		.registry = sweep->registry,
		.from = spec->from,
		.to = spec->to,
		.tz = spec->tz,
		.jobs_max = (uint64_t)jobs,
		.seed = (uint64_t)seed,
		.stop = &cli_stop,
	};
	return status ? status : options->trace ? SL_OK : sl_fail_memory(err);
}

/* The point's scenario and policy. The run's policy choice is of the point's arena. */
static int sweep_work_prepare(struct worker *worker, const struct point *point, struct run *run,
	struct sl_arena *arena, struct sl_err *err)
{
	const struct sweep *sweep = worker->work->sweep;
	struct sl_arena *own = sl_arena_new();
	if (!own)
		return sl_fail_memory(err);
	/* The scenario keeps what its settings say. */
	struct settings settings = { .arena = own };
	struct scenario_options options = { .trace = NULL };
	int status = options_of(worker, point, &options, own, err);
	if (!status)
		status = settings_of(sweep, point, &settings, err);
	if (!status)
		status = policy_choose(sweep->registry, &run->choice,
			point_value(sweep, point, sweep->spec.policy_at), &settings, arena, err);
	char *key = NULL;
	run->options.seed = options.seed;
	run->options.stop = &cli_stop;
	if (!status) {
		/* One that only some policies of a sweep have is no mistake where another is run. */
		for (size_t i = 0; i < settings.count; i++)
			if (strncmp(settings.item[i].key, "policy.", 7) == 0)
				settings.item[i].used = true;
		options.settings = &settings;
		options.implied = run->choice.implied;
		key = scenario_key(&settings, &options);
		status = key ? SL_OK : sl_fail_memory(err);
	}
	if (!status && worker->key && strcmp(worker->key, key) == 0) {
		worker->settings = own;
		run->scenario = &worker->scenario;
		free(key);
		return SL_OK;
	}
	if (!status) {
		forget(worker);
		status = scenario_load(&worker->scenario, &options, err);
		if (!status)
			status = settings_check_used(&settings, &run->choice, 1, err);
		if (status)
			scenario_release(&worker->scenario);
	}
	if (status) {
		free(key);
		sl_arena_free(own);
		return status;
	}
	worker->key = key;
	worker->own = own;
	run->scenario = &worker->scenario;
	return SL_OK;
}

/* ---- One point ------------------------------------------------------------------------------------- */

static void put_warnings(struct json *json, const struct scenario *scenario)
{
	json_nest(json, "warnings", '[', &json_tight);
	for (unsigned dropped = 0; dropped < 2; dropped++) {
		char text[600];
		if (anomalies_text(scenario, dropped, text, sizeof(text)))
			json_put(json, datum_text(NULL, text));
	}
	json_close(json);
}

/* A word of a shell's line. */
static void put_word(FILE *text, const char *option, const char *key, const char *word)
{
	(void)fprintf(text, " %s'%s", option, key);
	for (; *word; word++)
		(void)fprintf(text, *word == '\'' ? "'\\\\''" : "%c", *word);
	(void)fputc('\'', text);
}

static void put_lines(FILE *text, const char *lines)
{
	static const char model[] = "model=";
	for (const char *at = lines; *at;) {
		char line[4096];
		const size_t len = strcspn(at, "\n");
		(void)snprintf(line, sizeof(line), "%.*s", (int)(len < 4000 ? len : 4000), at);
		if (strncmp(line, model, sizeof(model) - 1) == 0)
			put_word(text, "--model ", "", line + sizeof(model) - 1);
		else
			put_word(text, "--set ", "", line);
		at += len + (at[len] == '\n');
	}
}

/* The point as a line for a shell, in the spec's folder. */
static int put_how(
	struct json *json, const struct sweep *sweep, const struct point *point, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	const struct sweep_trace *trace = &spec->trace[point->value[spec->trace_at]];
	const struct {
		const char *option, *value;
	} given[] = { { "--jobs ", spec->jobs }, { "--from ", spec->from }, { "--to ", spec->to },
		{ "--tz ", spec->tz } };
	char *line = NULL;
	size_t len;
	FILE *text = open_memstream(&line, &len);
	if (!text)
		return sl_fail_memory(err);
	const char *seed = point_value(sweep, point, spec->seed_at);
	if (trace->generate)
		(void)fprintf(text, "schedlab generate %s%s%s -o trace.swf && ", trace->generate,
			trace->seeded ? "" : " --seed ", trace->seeded ? "" : seed);
	(void)fputs("schedlab run", text);
	put_word(text, "", "", trace->generate ? "trace.swf" : trace->file);
	for (size_t f = 0; f < spec->factor_count; f++) {
		const char *name = spec->factor[f].name;
		const char *value = point_value(sweep, point, f);
		char key[300];
		(void)snprintf(key, sizeof(key), "%.290s=", name);
		if (f == spec->cluster_at || f == spec->policy_at)
			put_word(text, f == spec->cluster_at ? "-c " : "-p ", "", value);
		else if (strcmp(name, SWEEP_SETS) == 0)
			put_lines(text, value);
		else if (strcmp(name, "model") == 0)
			put_word(text, "--model ", "", value);
		else if (f != spec->trace_at && f != spec->seed_at)
			put_word(text, "--set ", key, value);
	}
	for (size_t i = 0; i < SL_LEN(given); i++)
		if (given[i].value)
			put_word(text, given[i].option, "", given[i].value);
	(void)fprintf(text, " --seed %s", seed);
	if (fclose(text) != 0) {
		free(line);
		return sl_fail_memory(err);
	}
	json_put(json, datum_text("how", line));
	free(line);
	return SL_OK;
}

/* The selector, of jobs submitted when the warm-up is over: as it is where there is none. */
static const char *selected_warm(
	const struct sweep_spec *spec, const char *text, const struct run *run, struct sl_arena *arena)
{
	const char *from = run->scenario->replay[REPLAY_FROM].text;
	char when[40];
	int64_t micro;
	if (!spec->warm || !from || !sl_get_micro(from, strlen(from), &micro))
		return text;
	*sl_put_micro(when, micro + spec->warm) = '\0';
	const size_t len = strlen(text);
	return len && text[len - 1] == '}' ? text_made(arena, "%.*s,submit>=%s}", (int)(len - 1), text, when)
					   : text_made(arena, "%s{submit>=%s}", text, when);
}

static int put_selected(const struct sweep *sweep, struct json *json, const struct run *run,
	const struct sl_metrics *metrics, struct sl_arena *arena, struct sl_err *err)
{
	const struct sweep_spec *spec = &sweep->spec;
	int status = SL_OK;
	for (size_t i = 0; i < spec->metric_count && !status; i++) {
		const struct selector *selector;
		int64_t micro;
		bool known = false;
		status = selector_parse(&selector, spec->metric[i], arena, err);
		const char *warm = status || !selector_of_jobs(selector)
					   ? NULL
					   : selected_warm(spec, spec->metric[i], run, arena);
		if (!status && selector_of_jobs(selector) && !warm)
			return sl_fail_memory(err);
		if (warm && warm != spec->metric[i])
			status = selector_parse(&selector, warm, arena, err);
		if (!status)
			status = selector_value(
				selector, run->scenario, &run->sim.result, metrics, &micro, &known, err);
		if (!status && known)
			json_put(json, datum_micro(spec->metric[i], micro));
	}
	return status;
}

/* It stands among those that were selected, over the jobs that these are of. */
static bool is_selected(const struct sweep_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->metric_count; i++)
		if (strcmp(spec->metric[i], name) == 0)
			return true;
	return false;
}

static int put_result(const struct sweep *sweep, struct json *json, const struct run *run,
	struct sl_arena *arena, struct sl_err *err)
{
	struct sl_metrics metrics;
	metrics_init(&metrics, arena, sweep->registry);
	metrics.plain = !sweep->spec.labels;
	int status = metrics_compute(&metrics, &run->sim.result, err);
	if (!status) {
		const struct scenario *scenario = run->scenario;
		json_put(json, datum_text("trace_sha256", scenario->input.sha256),
			datum_given("cluster_sha256",
				scenario->cluster_input.path ? scenario->cluster_input.sha256 : NULL));
		put_warnings(json, scenario);
		json_put(json, datum_digest("digest", run->sim.result.digest));
		json_nest(json, "metrics", '{', &json_lines_0);
		for (size_t i = 0; i < metrics.count; i++)
			if (!is_selected(&sweep->spec, metrics.row[i].name))
				json_put(json, datum_micro(metrics.row[i].name, metrics.row[i].micro));
		status = put_selected(sweep, json, run, &metrics, arena, err);
		json_close(json);
	}
	metrics_release(&metrics);
	return status;
}

/* failure: why there is no result; a point that failed is a point too, so that nobody does it again unasked.
 */
static int write_point(const struct sweep *sweep, size_t number, const struct run *run,
	const struct sl_err *failure, struct sl_arena *arena, struct sl_err *err)
{
	const struct point *point = &sweep->point[number];
	char path[4096];
	struct sl_out *out;
	struct json json;
	(void)snprintf(path, sizeof(path), "%s/points/%s.json", sweep->dir, point->id);
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	out_ways(out, !arg_flag(sweep->args, "no-sync"), true);
	json_start_in(&json, out, &json_open_lines);
	json_put(&json, datum_text("schema", POINT_SCHEMA), datum_text("version", SL_VERSION));
	json_nest(&json, "point", '{', &json_one_line);
	point_json(sweep, number, &json);
	status = put_how(&json, sweep, point, err);
	if (!status && (failure->status || !run))
		json_put(&json, datum_whole("status", -failure->status), datum_text("error", failure->text));
	else if (!status)
		status = put_result(sweep, &json, run, arena, err);
	return json_finish(&json, status, err);
}

int sweep_point_failed(const struct sweep *sweep, size_t number, const struct sl_err *why, struct sl_err *err)
{
	return write_point(sweep, number, NULL, why, sweep->arena, err);
}

static int do_point(struct worker *worker, size_t number, bool *failed, struct sl_err *err)
{
	const struct sweep *sweep = worker->work->sweep;
	struct sl_arena *arena = sl_arena_new();
	if (!arena)
		return sl_fail_memory(err);
	struct run run = { .scenario = NULL };
	struct sl_err why = { 0 };
	int status = sweep_work_prepare(worker, &sweep->point[number], &run, arena, &why);
	if (!status) {
		struct progress_bar *bar =
			arg(&worker->quiet, "max-time") || arg(&worker->quiet, "max-memory")
				? progress_start(&run, 1, &worker->quiet)
				: NULL;
		run.options.scenario = run.scenario;
		run.options.choice = &run.choice;
		if (run.options.progress)
			atomic_store(&run.options.progress->phase, SIM_RUNS);
		status = sim_run(&run.sim, &run.options, &why);
		progress_stop(bar);
	}
	*failed = status != SL_OK;
	if (status && !why.status)
		why.status = status;
	/* What the machine lacks may be there next time, and who interrupts wants to go on later. */
	const bool ours = status == SL_SYSTEM || atomic_load(&cli_stop);
	if (ours)
		status = sl_fail(err, why.status, "%s", why.text);
	else
		status = write_point(sweep, number, &run, &why, arena, err);
	sim_release(&run.sim);
	sl_arena_free(worker->settings);
	worker->settings = NULL;
	sl_arena_free(arena);
	return status;
}

/* ---- The worker ---------------------------------------------------------------------------------------- */

struct heart {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool done;
	struct claim claim;
	bool held;
};

/* A claim is touched while its point is done, however long that takes. */
static void *beating(void *self)
{
	struct heart *heart = self;
	struct timespec next;
	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	(void)pthread_mutex_lock(&heart->lock);
	while (!heart->done) {
		next.tv_sec += CLAIM_LEASE_S / 10;
		(void)pthread_cond_timedwait(&heart->over, &heart->lock, &next);
		if (!heart->done && heart->held)
			claim_touch(&heart->claim);
	}
	(void)pthread_mutex_unlock(&heart->lock);
	return NULL;
}

static void sweep_work_hold(struct heart *heart, const struct claim *claim)
{
	(void)pthread_mutex_lock(&heart->lock);
	heart->held = claim != NULL;
	if (claim)
		heart->claim = *claim;
	(void)pthread_mutex_unlock(&heart->lock);
}

static bool heart_start(struct heart *heart)
{
	pthread_condattr_t attributes;
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&heart->over, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_mutex_init(&heart->lock, NULL);
	return pthread_create(&heart->thread, NULL, beating, heart) == 0;
}

static void heart_stop(struct heart *heart)
{
	(void)pthread_mutex_lock(&heart->lock);
	heart->done = true;
	(void)pthread_cond_signal(&heart->over);
	(void)pthread_mutex_unlock(&heart->lock);
	(void)pthread_join(heart->thread, NULL);
}

static void sweep_work_report(const struct sweep_work *work, char what)
{
	if (work->reported >= 0 && write(work->reported, &what, 1) != 1)
		return; /* Nobody listens any more. */
}

static int try_point(
	struct worker *worker, struct heart *heart, size_t number, enum claimed *is, struct sl_err *err)
{
	const struct sweep_work *work = worker->work;
	struct claim claim;
	bool failed = false;
	int status = claim_take(work->sweep, &work->sweep->point[number], &claim, is, err);
	if (status || *is != CLAIM_MINE)
		return status;
	if (claim.gone[0] && log_shows(LOG_INFO))
		log_line(LOG_INFO, "point %zu was begun by %s, which is gone: it is done again", number,
			claim.gone);
	sweep_work_hold(heart, &claim);
	if (work->at)
		atomic_store(work->at, number + 1);
	status = do_point(worker, number, &failed, err);
	if (work->at)
		atomic_store(work->at, 0);
	sweep_work_hold(heart, NULL);
	if (status)
		claim_drop(&claim);
	else
		sweep_work_report(work, failed ? '!' : '.');
	return status;
}

/* Points of the own part that others have begun: whoever has them finishes them, or is found to be gone. So
 * when each part has come to its end, no point is left. */
static int wait_for(struct worker *worker, struct heart *heart, size_t first, size_t last, struct sl_err *err)
{
	enum { FIRST_MS = 2, LAST_MS = 2000 };
	unsigned pause = FIRST_MS; /* Longer and longer: it ends little later than what it waits for. */
	int status = SL_OK;
	for (size_t i = first; i < last && !status;) {
		enum claimed is;
		status = try_point(worker, heart, i, &is, err);
		if (!status && atomic_load(&cli_stop))
			status = sl_fail(err, SL_INTERRUPTED, "interrupted: what is done is kept");
		if (is != CLAIM_TAKEN) {
			i++;
			continue;
		}
		(void)nanosleep(&(struct timespec){ pause / 1000, pause % 1000 * 1000000L }, NULL);
		pause += pause / 4 + 1;
		pause = pause < LAST_MS ? pause : LAST_MS;
	}
	return status;
}

/* The line with --quiet behind it: a worker has no bar of its own. */
static int quiet_args(struct worker *worker, struct sl_err *err)
{
	const struct args *args = worker->work->sweep->args;
	worker->quiet = *args;
	struct given *given = sl_alloc(args->arena, args->given_count + 1, sizeof(*given));
	if (!given)
		return sl_fail_memory(err);
	if (args->given_count)
		memcpy(given, args->given, args->given_count * sizeof(*given));
	worker->quiet.given = given;
	given[worker->quiet.given_count++] = (struct given){ .def = option_common(0) };
	return SL_OK;
}

int sweep_work(const struct sweep_work *work, struct sl_err *err)
{
	const size_t count = work->sweep->count;
	const size_t first = count * work->part / work->parts;
	const size_t last = count * (work->part + 1) / work->parts;
	struct worker worker = { .work = work };
	struct heart heart = { .done = false };
	int status = quiet_args(&worker, err);
	if (status)
		return status;
	if (!heart_start(&heart))
		return sl_fail(err, SL_SYSTEM, "cannot start a thread: are there too many?");
	for (size_t i = 0; i < count && !status; i++) {
		enum claimed is;
		status = try_point(&worker, &heart, (first + i) % count, &is, err);
		if (!status && atomic_load(&cli_stop))
			status = sl_fail(err, SL_INTERRUPTED, "interrupted: what is done is kept");
	}
	if (!status)
		status = wait_for(&worker, &heart, first, last, err);
	heart_stop(&heart);
	forget(&worker);
	return status;
}
