/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * windows.c - one policy over each of replay.windows, and the means of what came of it.
 *
 * Each window is a run of its own, from an empty machine; in a directory it has
 * a folder, whole in itself. What stands above them are means over the windows
 * of each metric that has no label (users and sizes differ between windows).
 */
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

/* Of several things in order, one number. */
static uint64_t folded(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
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

/* Rounded half up. */
static int64_t mean(__int128 sum, int64_t count)
{
	if (!count)
		return 0;
	const __int128 most = (__int128)2 * count;
	const __int128 twice = 2 * sum + count;
	return (int64_t)(twice >= 0 ? twice / most : -((-twice + most - 1) / most));
}

/* Over the windows that have it. */
static int64_t mean_of(const struct windows *windows, const char *name)
{
	__int128 sum = 0;
	int64_t count = 0;
	for (size_t i = 0; i < windows->count; i++) {
		const int64_t *value = metrics_get(&windows->done[i].metrics, name);
		sum += value ? *value : 0;
		count += value != NULL;
	}
	return mean(sum, count);
}

/* Of what the i-th window has in rows [from, to). */
static void put_means(
	const struct windows *windows, struct sl_metrics *means, size_t from, size_t to, size_t i)
{
	for (size_t row = from; row < to; row++) {
		const char *name = windows->done[i].metrics.row[row].name;
		if (!strchr(name, '{') && !metrics_get(means, name))
			sl_metric_put(means, name, mean_of(windows, name));
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
	for (size_t i = 0; i < means->count; i++)
		sl_out_printf(out, ",%s", means->row[i].name);
	for (size_t i = 0; i < windows->count; i++) {
		const struct scenario *scenario = &windows->scenario[i];
		sl_out_printf(out, "\n%s,%" PRIu32 ",%" PRIu32, windows->done[i].name, *scenario->window,
			scenario->jobs.count);
		for (size_t m = 0; m < means->count; m++) {
			const int64_t *value = metrics_get(&windows->done[i].metrics, means->row[m].name);
			char *p = sl_out_room(out, 64);
			*p++ = ',';
			sl_out_advance(out, value ? sl_put_micro(p, *value) : p);
		}
	}
	sl_out_text(out, "\n");
}

/* In run.json: where each is, and its digest. */
void windows_json(const struct windows *windows, struct sl_out *out)
{
	sl_out_text(out, "[");
	for (size_t i = 0; i < windows->count; i++)
		sl_out_printf(out,
			"%s\n    { \"run\": \"%s\", \"first\": %" PRIu32 ", \"jobs\": %" PRIu32
			", \"digest\": \"%016" PRIx64 "\" }",
			i ? "," : "", windows->done[i].name, *windows->scenario[i].window,
			windows->scenario[i].jobs.count, windows->done[i].digest);
	sl_out_text(out, "\n  ]");
}
