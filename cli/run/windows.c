/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * windows.c - one policy over each of replay.windows, and the means of what came of it.
 *
 * Each window is a run of its own, from an empty machine; in a directory it has
 * a folder, whole in itself. What stands above them are means over the windows
 * of each metric that has no label (users and sizes differ between windows).
 */
#include "cli/base/render.h"
#include "cli/run/outdir.h"

#include <inttypes.h>
#include <string.h>

int windows_begin(struct windows *windows, const struct run *whole, struct run *runs, struct sl_arena *arena,
	struct sl_err *err)
{
	const size_t count = whole->scenario->window_count;
	*windows = (struct windows){ .whole = *whole, .arena = arena };
	windows->scenario = sl_alloc(arena, count, sizeof(*windows->scenario));
	windows->done = sl_alloc(arena, count, sizeof(*windows->done));
	if (!windows->scenario || !windows->done)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		windows->scenario[i] = scenario_window(whole->scenario, i);
		runs[i] = *whole;
		runs[i].scenario = &windows->scenario[i];
	}
	return SL_OK;
}

int windows_take(struct windows *windows, struct run *run, struct outdir *dir, const char *sub,
	const char *only, struct sl_err *err)
{
	struct window_done *done = &windows->done[windows->count];
	const struct sl_result *result = &run->sim.result;
	struct sl_result *sum = &windows->whole.sim.result;
	metrics_init(&done->metrics, windows->arena, run->scenario->registry);
	done->metrics.plain = !dir;
	(void)snprintf(done->name, sizeof(done->name), "window-%zu", windows->count + 1);
	done->digest = result->digest;
	sum->digest = folded(sum->digest, result->digest);
	sum->events += result->events;
	sum->passes += result->passes;
	sum->interrupted |= result->interrupted;
	int status = metrics_compute(&done->metrics, result, err);
	if (!status && dir)
		status = outdir_window(dir, sub, done->name, run, &done->metrics, only, err);
	if (++windows->count == windows->whole.scenario->window_count) {
		sum->warmup = run->scenario->warmup;
		sum->policy = result->policy;
	}
	sim_release(&run->sim);
	return status;
}

/* Over the windows that have it. */
static int64_t windows_mean_of(const struct windows *windows, const char *name)
{
	__int128 sum = 0;
	int64_t count = 0;
	for (size_t i = 0; i < windows->count; i++) {
		const int64_t *value = metrics_get(&windows->done[i].metrics, name);
		sum += value ? *value : 0;
		count += value != NULL;
	}
	return mean_rounded(sum, count);
}

/* Of what the i-th window has in rows [from, to). */
static void put_means(
	const struct windows *windows, struct sl_metrics *means, size_t from, size_t to, size_t i)
{
	for (size_t row = from; row < to; row++) {
		const char *name = windows->done[i].metrics.row[row].name;
		if (!strchr(name, '{') && !metrics_get(means, name))
			sl_metric_put(means, name, windows_mean_of(windows, name));
	}
}

int windows_means(const struct windows *windows, struct sl_metrics *means, struct sl_err *err)
{
	for (size_t i = 0; i < windows->count; i++)
		put_means(windows, means, 0, windows->done[i].metrics.own, i);
	means->own = means->count;
	for (size_t i = 0; i < windows->count; i++)
		put_means(windows, means, windows->done[i].metrics.own, windows->done[i].metrics.count, i);
	return means->failed ? sl_fail_memory(err) : SL_OK;
}

void windows_end(struct windows *windows)
{
	for (size_t i = 0; i < windows->count; i++)
		metrics_release(&windows->done[i].metrics);
}

/* ---- Files ----------------------------------------------------------------------------- */

void windows_csv(const struct windows *windows, const struct sl_metrics *means, struct sl_out *out)
{
	sl_out_text(out, "window,first,jobs");
	csv_metric_names(out, means);
	for (size_t i = 0; i < windows->count; i++) {
		const struct scenario *scenario = &windows->scenario[i];
		sl_out_text(out, "\n");
		csv_begin(out, datum_text(NULL, windows->done[i].name), datum_count(NULL, *scenario->window),
			datum_count(NULL, scenario->jobs.count));
		csv_metrics(out, means, &windows->done[i].metrics);
	}
	sl_out_text(out, "\n");
}

/* In run.json: where each is, and its digest. */
void windows_json(const struct windows *windows, struct json *json)
{
	json_nest(json, "runs", '[', &json_tight);
	for (size_t i = 0; i < windows->count; i++)
		json_put(json, datum_text(NULL, windows->done[i].name));
	json_close(json);
	json_nest(json, "windows", '[', &json_lines_4);
	for (size_t i = 0; i < windows->count; i++) {
		json_object(json, NULL, datum_text("run", windows->done[i].name),
			datum_count("first", *windows->scenario[i].window),
			datum_count("jobs", windows->scenario[i].jobs.count),
			datum_digest("digest", windows->done[i].digest));
	}
	json_close(json);
}
