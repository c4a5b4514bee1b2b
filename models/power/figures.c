/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * figures.c - watts of types of nodes: known ones, what the cluster's file says, measured curves.
 *
 * Measured: A100 nodes (8 GPUs) and nodes without GPUs of the Acme cluster, AcmeTrace data/utilization
 * (CC-BY-4.0; Hu et al., NSDI 2024): 1390 W at idle and 6500 W driven; 520 and 960 W. All others are assumed.
 */
#include <string.h>
#include <strings.h>

#include "models/power/power.h"

static const struct figures_default figures_defaults[] = {
	{ "a100", 910, 60, 638750, "measured on nodes of 8 (Acme); of other numbers assumed from those" },
	{ "v100", 580, 40, 325000, "assumed: 900 to 3500 W with 8" },
	{ "h100", 1440, 70, 1025000, "assumed: 2000 to 10200 W with 8" },
	{ "b200", 1860, 80, 1475000, "assumed: 2500 to 14300 W with 8" },
	{ "*", 520, 50, 300000, "assumed" },
	{ "", 520, 0, 440000, "measured (Acme): 520 to 960 W, whatever its cores" },
};

static const struct figures_default *figures_known(
	const struct sl_cluster *cluster, const struct sl_node_type *type)
{
	const char *name = NULL;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count && !name; kind++)
		name = type->amount[kind] ? cluster->kind_name[kind] : NULL;
	for (size_t i = 0; name && i < SL_LEN(figures_defaults); i++) {
		const char *begin = figures_defaults[i].gpu;
		if (*begin == '*' || (*begin && strncasecmp(begin, name, strlen(begin)) == 0))
			return &figures_defaults[i];
	}
	return &figures_defaults[SL_LEN(figures_defaults) - 1];
}

/* What the cluster's file says of a type; the last one counts. NULL: nothing. */
static const struct sl_setting *setting_of(
	const struct sl_cluster *cluster, const char *type, const char *key)
{
	for (uint32_t i = cluster->setting_count; i-- > 0;) {
		const struct sl_setting *setting = &cluster->setting[i];
		if (strcmp(setting->kind, "node") == 0 && strcasecmp(setting->name, type) == 0 &&
			strcmp(setting->key, key) == 0)
			return setting;
	}
	return NULL;
}

static int figures_said(const struct sl_cluster *cluster, const char *type, const char *key, bool *is,
	int64_t *value, struct sl_err *err)
{
	const struct sl_setting *setting = setting_of(cluster, type, key);
	*is = setting != NULL;
	if (!setting)
		return SL_OK;
	const char *text = setting->value;
	if (!sl_get_micro(text, strlen(text), value) || *value < 0 || *value > INT64_C(1000000) * POWER_UW)
		return sl_fail_at(err, &setting->at, "%s '%.60s' is not a number of watts, from 0 to 1000000",
			key, text);
	return SL_OK;
}

static int said_time(const struct sl_cluster *cluster, const char *type, const char *key, sl_time *value,
	struct sl_err *err)
{
	const struct sl_setting *setting = setting_of(cluster, type, key);
	if (!setting)
		return SL_OK;
	const char *text = setting->value;
	if (!sl_get_duration(text, strlen(text), value) || *value < 0 || *value > 86400 * SL_SECOND)
		return sl_fail_at(err, &setting->at, "%s '%.60s' is not a time, from 0 to 1d", key, text);
	return SL_OK;
}

/* power_max is shared out among its GPUs; of a node without, its cpus. */
static void share_out(struct figures *f, const struct sl_cluster *cluster, int64_t most)
{
	const int64_t gpus = f->gpus / sl_parts(cluster->gpu_parts);
	const int64_t cpus = f->cpus / sl_parts(cluster->cpu_parts);
	f->gpu = gpus ? most / gpus : 0;
	f->core = !gpus && cpus ? most / cpus : 0;
	f->most = most;
}

static int figures_switching(
	struct figures *f, const struct sl_cluster *cluster, const char *type, struct sl_err *err)
{
	bool is;
	int status = figures_said(cluster, type, "power_off", &is, &f->off, err);
	if (!status)
		status = figures_said(cluster, type, "power_boot", &is, &f->boot, err);
	if (!status)
		status = figures_said(cluster, type, "power_shutdown", &is, &f->shutdown, err);
	if (!status)
		status = said_time(cluster, type, "boot_time", &f->boot_time, err);
	if (!status)
		status = said_time(cluster, type, "shutdown_time", &f->shutdown_time, err);
	return status;
}

int figures_of(struct figures *f, const struct sl_cluster *cluster, uint32_t type, struct sl_err *err)
{
	const struct sl_node_type *of = &cluster->type[type];
	const struct figures_default *known_as = figures_known(cluster, of);
	*f = (struct figures){ .cpus = of->amount[SL_KIND_CPUS],
		.off = f->off,
		.boot = f->boot,
		.boot_time = f->boot_time,
		.shutdown = f->shutdown,
		.shutdown_time = f->shutdown_time };
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		f->gpus += of->amount[kind];
	const int64_t gpus = f->gpus / sl_parts(cluster->gpu_parts);
	f->idle = (known_as->base + known_as->gpu_idle * gpus) * POWER_UW;
	share_out(f, cluster, known_as->most_milli * (POWER_UW / 1000) * (gpus ? gpus : 1));
	bool is;
	bool idle_said;
	int64_t value = 0;
	int status = figures_said(cluster, of->name, "power_idle", &idle_said, &f->idle, err);
	if (!status)
		status = figures_said(cluster, of->name, "power_max", &is, &value, err);
	if (!status && is && value < f->idle)
		return sl_fail_at(err, &setting_of(cluster, of->name, "power_max")->at,
			"power_max is less than the %g W that such a node draws idle: give power_idle, too",
			(double)f->idle / (double)POWER_UW);
	if (!status && is)
		share_out(f, cluster, value - f->idle);
	bool gpu_said = false;
	bool core_said = false;
	if (!status)
		status = figures_said(cluster, of->name, "power_gpu", &gpu_said, &f->gpu, err);
	if (!status)
		status = figures_said(cluster, of->name, "power_core", &core_said, &f->core, err);
	if (gpu_said || core_said)
		f->most = f->gpu * gpus + f->core * (f->cpus / sl_parts(cluster->cpu_parts));
	return status ? status : figures_switching(f, cluster, of->name, err);
}

/* ---- Measured curves ----------------------------------------------------------------------------------- */

static int64_t watt_curve_at(const struct watt_curve *curve, int64_t share)
{
	uint32_t i = 0;
	while (i < curve->count && curve->share[i] < share)
		i++;
	if (i == 0 || i == curve->count)
		return curve->draw[i ? i - 1 : 0];
	const int64_t part = share - curve->share[i - 1];
	const int64_t whole = curve->share[i] - curve->share[i - 1];
	const int64_t rise = curve->draw[i] - curve->draw[i - 1];
	return curve->draw[i - 1] + (int64_t)((__int128)rise * part / whole);
}

int64_t figures_draw(const struct figures *f, int64_t driven)
{
	if (!f->curve)
		return f->idle + driven;
	return watt_curve_at(f->curve, f->most ? sl_mul_div(driven, 1000000, f->most) : 0);
}

static struct watt_curve *curve_for(struct watt_curve *curve, uint32_t *count, const char *type)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(curve[i].type, type) == 0)
			return &curve[i];
	curve[*count].type = type;
	return &curve[(*count)++];
}

static bool read_number(const char *text, int64_t most, int64_t *value)
{
	return sl_get_micro(text, strlen(text), value) && *value >= 0 && *value <= most;
}

static int read_point(struct watt_curve *curve, uint32_t *count, const struct sl_csv_table *csv, uint32_t row,
	const uint32_t *column, struct sl_err *err)
{
	const char *const *cell = &csv->cell[(size_t)row * csv->columns];
	struct watt_curve *of = curve_for(curve, count, cell[column[0]]);
	const struct sl_place at = sl_csv_place(csv, row, column[1]);
	int64_t share, draw;
	if (!read_number(cell[column[1]], 1000000, &share))
		return sl_fail_at(err, &at, "utilization '%s' is not a share from 0 to 1", cell[column[1]]);
	if (!read_number(cell[column[2]], INT64_C(1000000) * POWER_UW, &draw))
		return sl_fail_at(err, &at, "watts '%s' is not a number from 0 to 1000000", cell[column[2]]);
	if (of->count == WATT_CURVE_MAX)
		return sl_fail_at(err, &at, "more than %d points of %s", (int)WATT_CURVE_MAX, of->type);
	if (of->count ? share <= of->share[of->count - 1] : share != 0)
		return sl_fail_at(
			err, &at, "the points of %s are not in order from utilization 0 on", of->type);
	of->share[of->count] = share;
	of->draw[of->count++] = draw;
	return SL_OK;
}

/* How many types there are at most is not known before they are read: types of the same name stand together
 * in few curves. */
enum { WATT_CURVES_MAX = 256 };

int watt_curves_read(struct watt_curve **curve, uint32_t *count, const struct sl_csv_table *csv,
	struct sl_arena *arena, struct sl_err *err)
{
	static const char *const needed[] = { "type", "utilization", "watts" };
	uint32_t column[SL_LEN(needed)];
	const struct sl_place top = { .file = csv->file, .line = 1 };
	for (size_t i = 0; i < SL_LEN(needed); i++)
		if ((column[i] = sl_csv_column(csv, needed[i])) == UINT32_MAX)
			return sl_fail_at(err, &top,
				"there is no column '%s': a curve has type, utilization, watts", needed[i]);
	*count = 0;
	*curve = sl_alloc(arena, WATT_CURVES_MAX + 1, sizeof(**curve));
	if (!*curve)
		return sl_fail_memory(err);
	int status = SL_OK;
	for (uint32_t row = 0; row < csv->rows && !status; row++) {
		status = read_point(*curve, count, csv, row, column, err);
		if (!status && *count > WATT_CURVES_MAX)
			return sl_fail_at(err, &top, "more than %d types of nodes", (int)WATT_CURVES_MAX);
	}
	for (uint32_t i = 0; i < *count && !status; i++)
		if ((*curve)[i].share[(*curve)[i].count - 1] != 1000000)
			return sl_fail_at(err, &top, "the points of %s do not go up to utilization 1",
				(*curve)[i].type);
	return status;
}
