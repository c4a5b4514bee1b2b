/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * power.c - the model: what nodes draw, what that costs, nodes that are switched off, a cap on all of it.
 *
 * A node draws what it draws idle, and more for each GPU and core that is driven: linearly, or by a measured
 * curve. A job drives its GPUs as hard as its profile says, less by as much as other models slow it down
 * (time in which it waits for a network or a file drives nothing). It is settled after all other models, so
 * that their rates of this instant are known.
 */
#include <string.h>

#include "models/power/state.h"

/* ---- Rates, and what follows from them ---------------------------------------------------------- */

static void give_rate(struct power *p, struct sim *sim, uint32_t row, uint64_t rate)
{
	if (p->job[row].own == rate)
		return;
	p->job[row].own = rate;
	sl_model_speed(sim, (sl_job){ row }, rate);
}

static bool boots(const struct power *p, uint32_t row, sl_time now)
{
	return p->job[row].ready != SL_NONE && now < p->job[row].ready;
}

/* Its nodes are up: it may go on. */
static void release_booted(struct power *p, struct sim *sim)
{
	for (uint32_t i = 0; i < p->running_count; i++)
		if (!p->job[p->running[i]].own && !boots(p, p->running[i], sl_now(sim)))
			give_rate(p, sim, p->running[i], SL_SPEED_ONE);
}

/* What runs would drive without a cap, in uW. */
static int64_t unthrottled(const struct power *p, const struct sim *sim)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < p->running_count; i++) {
		const uint32_t row = p->running[i];
		if (boots(p, row, sl_now(sim)))
			continue;
		const uint64_t others = sl_model_works(sim, (sl_job){ row });
		for (uint32_t k = p->job[row].alloc; k != NOBODY; k = p->alloc[k].more)
			sum += (int64_t)((unsigned __int128)p->alloc[k].full * others >> 32);
	}
	return sum;
}

/* Nodes as they are, with nothing driven. */
static int64_t fixed_of(const struct power *p)
{
	int64_t driven = 0;
	for (uint32_t i = 0; i < p->running_count; i++)
		for (uint32_t k = p->job[p->running[i]].alloc; k != NOBODY; k = p->alloc[k].more)
			driven += p->alloc[k].driven;
	return accounting_draw(p) - driven;
}

static void throttle(struct power *p, struct sim *sim)
{
	p->share = SL_SPEED_ONE;
	if (p->cap_mode == CAP_THROTTLE)
		p->share = cap_share(p->cap, fixed_of(p), unthrottled(p, sim), p->least);
}

static void scale_all(struct power *p, struct sim *sim)
{
	const uint64_t clock =
		p->dvfs == DVFS_CUBIC && p->share < SL_SPEED_ONE ? cap_clock_cubic(p->share) : p->share;
	for (uint32_t i = 0; i < p->running_count; i++) {
		const uint32_t row = p->running[i];
		if (boots(p, row, sl_now(sim))) {
			give_rate(p, sim, row, 0);
			job_scale(p, row, 0, sl_now(sim));
			continue;
		}
		const uint64_t others = sl_model_works(sim, (sl_job){ row });
		give_rate(p, sim, row, clock);
		job_scale(p, row, (uint64_t)((unsigned __int128)others * p->share >> 32), sl_now(sim));
	}
}

/* ---- Gauges ------------------------------------------------------------------------------------- */

static void list_tariff(const struct tariff *tariff, struct sim *sim, const char *name, sl_time *wake)
{
	if (!tariff->count)
		return;
	sl_model_set_figure(sim, name, tariff_at(tariff, sl_now(sim)));
	const sl_time next = tariff_next(tariff, sl_now(sim));
	*wake = next < *wake ? next : *wake;
}

/* Policies see prices as they change. */
static void list_prices(struct power *p, struct sim *sim)
{
	sl_time wake = SL_NEVER;
	list_tariff(&p->price, sim, "price", &wake);
	list_tariff(&p->carbon, sim, "carbon", &wake);
	if (wake == SL_NEVER || wake == p->price_wake)
		return;
	sl_model_wake(sim, wake, WAKE_PRICE);
	sl_model_set_figure(
		sim, "price.until", wake); /* A model's time makes no pass: who waits for it wakes. */
	p->price_wake = wake;
}

static void power_table(struct power *p, struct sim *sim)
{
	sl_model_set_figure(sim, "power", accounting_draw(p));
	if (p->cap_mode != CAP_ADMIT)
		return;
	const int64_t capacity = p->cap - p->fixed_on - p->full;
	if (p->settled && capacity > p->capacity)
		sl_model_pass(sim); /* That of this instant knew of less. */
	p->capacity = capacity;
	sl_model_set_figure(sim, "power.room", capacity);
	sl_model_set_figure(sim, "power.settled", ++p->settled);
}

/* For policies that keep below a cap: what a GPU, a core draws at most. */
static void table_figures(const struct power *p, struct sim *sim)
{
	int64_t gpu = 0;
	int64_t core = 0;
	for (uint32_t i = 0; i < p->cluster->type_count; i++) {
		gpu = p->figures[i].gpu > gpu ? p->figures[i].gpu : gpu;
		core = p->figures[i].core > core ? p->figures[i].core : core;
	}
	sl_model_set_figure(sim, "power.gpu", gpu);
	sl_model_set_figure(sim, "power.core", core);
	sl_model_set_figure(sim, "power.intensity", p->intensity);
}

/* ---- What is reported --------------------------------------------------------------------------- */

static void advance(struct power *p, const struct sim *sim) { accounting_advance(p, sl_now(sim)); }

static void power_begin(void *state, struct sim *sim)
{
	struct power *p = state;
	accounting_begin(p, p->jobs->count ? p->jobs->submit[0] : sl_now(sim));
	saving_begin(p, sim);
	list_prices(p, sim);
	power_table(p, sim);
	if (p->cap_mode == CAP_ADMIT)
		table_figures(p, sim);
}

static bool is_running(const struct power *p, uint32_t row) { return p->job[row].place != NOBODY; }

static void power_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	(void)how;
	struct power *p = state;
	if (!is_running(p, job.row))
		return;
	advance(p, sim);
	accounting_leave(p, job, sl_now(sim));
	uint32_t node;
	while ((node = accounting_give(p, job)) != NOBODY)
		saving_idle(p, sim, node);
}

static void power_started(void *state, struct sim *sim, sl_job job)
{
	struct power *p = state;
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(sim, job, &alloc);
	if (is_running(p, job.row)) { /* At another size. */
		power_left(state, sim, job, SL_LEFT_SUSPEND);
		sl_model_speed(sim, job, SL_SPEED_ONE);
	}
	advance(p, sim);
	if (!accounting_take(p, job, alloc, count, sl_now(sim))) {
		p->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const sl_time up = saving_wake(p, sim, alloc[i].node);
		if (up != SL_NONE && up > p->job[job.row].ready)
			p->job[job.row].ready = up;
	}
}

static void power_timer(void *state, struct sim *sim, uint32_t row)
{
	struct power *p = state;
	advance(p, sim);
	if (row % 4 == WAKE_PRICE)
		list_prices(p, sim); /* Before the pass of this instant. */
	else
		saving_timer(p, sim, row);
}

static void power_settle(void *state, struct sim *sim)
{
	struct power *p = state;
	advance(p, sim);
	if (p->kept)
		saving_kept(p, sim);
	release_booted(p, sim);
	throttle(p, sim);
	scale_all(p, sim);
	if (p->price.count || p->carbon.count)
		list_prices(p, sim);
	power_table(p, sim);
}

/* ---- How it begins ------------------------------------------------------------------------------ */

enum {
	PARAM_INTENSITY,
	PARAM_CURVE,
	PARAM_PUE,
	PARAM_SWITCH,
	PARAM_OFF,
	PARAM_BOOT,
	PARAM_BOOT_TIME,
	PARAM_SHUTDOWN,
	PARAM_SHUTDOWN_TIME,
	PARAM_IDLE_TIME,
	PARAM_KEEP_ON,
	PARAM_PREFER,
	PARAM_CAP,
	PARAM_CAP_MODE,
	PARAM_DVFS,
	PARAM_CAP_LEAST,
	PARAM_PRICE,
	PARAM_CARBON,
	PARAM_CYCLE
};

static const struct sl_param power_params[] = {
	[PARAM_INTENSITY] = { .key = "intensity",
		.kind = SL_PARAM_REAL,
		.fallback = "0.7",
		.choices = "0..1",
		.max = 1000000,
		.help = "how hard jobs that say nothing drive their GPUs (assumed)" },
	[PARAM_CURVE] = { .key = "curve",
		.kind = SL_PARAM_CSV,
		.help = "CSV of measured draws: type (of node),utilization (0 to 1),watts; others are linear" },
	[PARAM_PUE] = { .key = "pue",
		.kind = SL_PARAM_REAL,
		.fallback = "1",
		.choices = "1..10",
		.min = 1000000,
		.max = 10000000,
		.help = "power usage effectiveness: what the building draws, over what nodes and switches draw" },
	[PARAM_SWITCH] = { .key = "switch",
		.kind = SL_PARAM_REAL,
		.fallback = "0",
		.choices = "0..1000000, W",
		.max = INT64_C(1000000000000),
		.help = "what each switch of the cluster file draws, always" },
	[PARAM_OFF] = { .key = "off",
		.kind = SL_PARAM_REAL,
		.fallback = "15",
		.choices = "0..1000000, W",
		.max = INT64_C(1000000000000),
		.help = "what a node draws that is switched off (assumed)" },
	[PARAM_BOOT] = { .key = "boot",
		.kind = SL_PARAM_REAL,
		.choices = "0..1000000, W",
		.max = INT64_C(1000000000000),
		.help = "what a node draws that boots; default: as when idle" },
	[PARAM_BOOT_TIME] = { .key = "boot_time",
		.kind = SL_PARAM_TIME,
		.fallback = "300",
		.choices = "0..1d",
		.max = INT64_C(86400) * SL_SECOND,
		.help = "how long a node boots, while jobs that were placed there stand still (assumed)" },
	[PARAM_SHUTDOWN] = { .key = "shutdown",
		.kind = SL_PARAM_REAL,
		.choices = "0..1000000, W",
		.max = INT64_C(1000000000000),
		.help = "what a node draws that is being switched off; default: as when idle" },
	[PARAM_SHUTDOWN_TIME] = { .key = "shutdown_time",
		.kind = SL_PARAM_TIME,
		.fallback = "30",
		.choices = "0..1d",
		.max = INT64_C(86400) * SL_SECOND,
		.help = "how long it takes to switch a node off; before that is over it cannot boot (Slurm's SuspendTimeout; assumed)" },
	[PARAM_IDLE_TIME] = { .key = "idle_time",
		.kind = SL_PARAM_TIME,
		.choices = "0..10000d",
		.max = INT64_C(864000000) * SL_SECOND,
		.help = "after so long without a job a node is switched off; default: never" },
	[PARAM_KEEP_ON] = { .key = "keep_on",
		.kind = SL_PARAM_INT,
		.fallback = "0",
		.choices = "0..10000000",
		.max = 10000000,
		.help = "at least so many nodes stay on" },
	[PARAM_PREFER] = { .key = "prefer",
		.kind = SL_PARAM_CHOICE,
		.fallback = "on",
		.choices = "on|none",
		.help = "nodes that are on go before those that boot, are off or are being switched off, whatever the placing; or the placing alone decides" },
	[PARAM_CAP] = { .key = "cap",
		.kind = SL_PARAM_REAL,
		.choices = "1..1000000000, W",
		.min = 1000000,
		.max = INT64_C(1000000000000000),
		.help = "what nodes and switches may draw together; default: no cap" },
	[PARAM_CAP_MODE] = { .key = "cap_mode",
		.kind = SL_PARAM_CHOICE,
		.fallback = "throttle",
		.choices = "throttle|admit",
		.help = "under the cap all jobs are slowed down alike, or policies that look (composed:power=admit) start less" },
	[PARAM_DVFS] = { .key = "dvfs",
		.kind = SL_PARAM_CHOICE,
		.fallback = "linear",
		.choices = "linear|cubic",
		.help = "slowed down, a job's dynamic draw goes with its speed, or with the cube of it" },
	[PARAM_CAP_LEAST] = { .key = "cap_least",
		.kind = SL_PARAM_REAL,
		.fallback = "0.1",
		.choices = "0.001..1",
		.min = 1000,
		.max = 1000000,
		.help = "the dynamic draw is throttled no further than to this share, even if the cap is then exceeded" },
	[PARAM_PRICE] = { .key = "price",
		.kind = SL_PARAM_CSV,
		.help = "CSV of prices of a kWh: time (seconds) or date, and value, which holds until the next" },
	[PARAM_CARBON] = { .key = "carbon",
		.kind = SL_PARAM_CSV,
		.help = "CSV of grams of CO2e a kWh, likewise" },
	[PARAM_CYCLE] = { .key = "cycle",
		.kind = SL_PARAM_TIME,
		.choices = "1..10000d",
		.min = SL_SECOND,
		.max = INT64_C(864000000) * SL_SECOND,
		.help = "both curves begin anew after so long (1d: each day); their times are then since midnight of 1970" },
};

static int64_t power_number_of(const struct sl_model_setup *setup, int param, int64_t fallback)
{
	const struct sl_value *value =
		sl_value_of(setup->values, setup->value_count, power_params[param].key);
	return value && value->text ? value->number : fallback;
}

static int init_curves(struct power *p, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_csv_table *csv = sl_csv_table_of(setup, "curve");
	if (!csv)
		return SL_OK;
	if (p->cap_mode != CAP_NONE)
		return sl_fail(err, SL_USAGE, "power: cap goes by linear draws: leave curve out, or cap");
	struct watt_curve *curve;
	uint32_t count;
	const int status = watt_curves_read(&curve, &count, csv, setup->arena, err);
	bool any = status != SL_OK;
	for (uint32_t i = 0; !status && i < p->cluster->type_count; i++)
		for (uint32_t k = 0; k < count; k++)
			if (strcmp(curve[k].type, p->cluster->type[i].name) == 0) {
				p->figures[i].curve = &curve[k];
				p->figures[i].idle = curve[k].draw[0];
				any = true;
			}
	if (!any) {
		const struct sl_place top = { .file = csv->file, .line = 1 };
		return sl_fail_at(err, &top, "no type is the name of an entry of the cluster's nodes");
	}
	return status;
}

/* What it draws with nothing driven, on or on the way. */
static int64_t most_at_rest(const struct figures *f)
{
	const int64_t most = f->boot > f->idle ? f->boot : f->idle;
	return f->shutdown > most ? f->shutdown : most;
}

static int init_figures(struct power *p, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = p->cluster;
	int status = SL_OK;
	for (uint32_t i = 0; i < cluster->type_count && !status; i++) {
		p->figures[i] = (struct figures){ .off = power_number_of(setup, PARAM_OFF, 0),
			.boot = power_number_of(setup, PARAM_BOOT, -1),
			.boot_time = power_number_of(setup, PARAM_BOOT_TIME, 0),
			.shutdown = power_number_of(setup, PARAM_SHUTDOWN, -1),
			.shutdown_time = power_number_of(setup, PARAM_SHUTDOWN_TIME, 0) };
		status = figures_of(&p->figures[i], cluster, i, err);
	}
	if (!status)
		status = init_curves(p, setup, err);
	if (status)
		return status;
	p->switches = p->fixed_on = power_number_of(setup, PARAM_SWITCH, 0) * cluster->switch_count;
	for (uint32_t i = 0; i < cluster->node_count; i++) {
		struct figures *f = &p->figures[cluster->node_type[i]];
		f->boot = f->boot < 0 ? f->idle : f->boot;
		f->shutdown = f->shutdown < 0 ? f->idle : f->shutdown;
		p->node[i] = (struct power_node){
			.alloc = NOBODY, .type = cluster->node_type[i], .since = SL_NONE, .draw = f->idle
		};
		p->draw += f->idle;
		p->fixed_on += most_at_rest(f);
	}
	p->on = p->nodes_of[NODE_ON] = cluster->node_count;
	p->draw_of[NODE_ON] = p->draw;
	return SL_OK;
}

static int init_tariffs(struct power *p, const struct sl_model_setup *setup, struct sl_err *err)
{
	const sl_time cycle = power_number_of(setup, PARAM_CYCLE, 0);
	const struct sl_csv_table *price = sl_csv_table_of(setup, "price");
	const struct sl_csv_table *carbon = sl_csv_table_of(setup, "carbon");
	int status = price ? tariff_read(&p->price, price, cycle, setup->epoch, setup->arena, err) : SL_OK;
	if (!status && carbon)
		status = tariff_read(&p->carbon, carbon, cycle, setup->epoch, setup->arena, err);
	return status;
}

static int power_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct power *p = *state = sl_alloc(setup->arena, 1, sizeof(*p));
	const size_t jobs = (size_t)setup->jobs->count + 1;
	if (p) {
		p->figures =
			sl_alloc(setup->arena, (size_t)setup->cluster->type_count + 1, sizeof(*p->figures));
		p->node = sl_alloc(setup->arena, (size_t)setup->cluster->node_count + 1, sizeof(*p->node));
		p->job = sl_alloc(setup->arena, jobs, sizeof(*p->job));
		p->running = sl_alloc(setup->arena, jobs, sizeof(*p->running));
	}
	if (!p || !p->figures || !p->node || !p->job || !p->running)
		return sl_fail_memory(err);
	for (size_t i = 0; i < jobs; i++)
		p->job[i].place = NOBODY;
	p->jobs = setup->jobs;
	p->cluster = setup->cluster;
	p->arena = setup->arena;
	p->part_free = NOBODY;
	p->share = SL_SPEED_ONE;
	p->price_wake = SL_NEVER;
	p->intensity = power_number_of(setup, PARAM_INTENSITY, 700000);
	p->pue = power_number_of(setup, PARAM_PUE, 1000000);
	p->idle_time = power_number_of(setup, PARAM_IDLE_TIME, SL_NONE);
	p->keep_on = power_number_of(setup, PARAM_KEEP_ON, 0);
	p->late = !power_number_of(setup, PARAM_PREFER, 0);
	p->cap = power_number_of(setup, PARAM_CAP, 0);
	p->dvfs = (enum dvfs)power_number_of(setup, PARAM_DVFS, DVFS_LINEAR);
	p->least = (uint64_t)power_number_of(setup, PARAM_CAP_LEAST, 0) * SL_SPEED_ONE / 1000000;
	if (p->cap)
		p->cap_mode = power_number_of(setup, PARAM_CAP_MODE, 0) ? CAP_ADMIT : CAP_THROTTLE;
	const int status = init_figures(p, setup, err);
	return status ? status : init_tariffs(p, setup, err);
}

const struct sl_model model_power = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "power",
	.summary = "what nodes draw, and what that costs",
	.paper = "measured draws: Hu et al., Characterization of large language model development in the "
		 "datacenter, NSDI 2024 (AcmeTrace)",
	.params = power_params,
	.param_count = SL_LEN(power_params),
	.on_nodes = true,
	.init = power_init,
	.begin = power_begin,
	.started = power_started,
	.left = power_left,
	.timer = power_timer,
	.settle = power_settle,
	.report = power_report,
};
