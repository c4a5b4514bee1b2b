/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedup.c - the model: how fast a job works at the size and on the GPUs that it got, as of its traced run.
 *
 * The traced run time is that at the asked size, consolidated, on the GPU type that the job names, or on the
 * reference type where it names none or several. Its size is its GPUs, or its cpus if it requests no GPUs. A
 * change of size makes it stand still for what it costs to move its state. Vocabulary of elastic jobs
 * (rigid, moldable, malleable, evolving): Feitelson & Rudolph, Toward convergence in job schedulers for
 * parallel supercomputers, JSSPP 1996, and Özden, Beringer, Mazaheri, Fard & Wolf, ElastiSim, ICPP 2022.
 */
#include <string.h>
#include <strings.h>

#include "models/speedup/speedup.h"

enum evolving { EVOLVING_IGNORE, EVOLVING_WAIT };

/* What a job got, and what it is doing about it. */
struct standing {
	uint64_t rate;  /* By size and GPUs. */
	uint64_t seen;  /* Of all models, as of the wake that is set for its next request. */
	sl_time until;  /* It moves its state until then. */
	uint32_t tasks; /* Of the first group; 0: it does not run. */
	uint32_t place; /* In `evolving`, plus 1; 0: it is not there. */
};

struct speedup {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct sl_arena *arena;
	struct throughputs table;
	int64_t factor[SL_KINDS_MAX];          /* Millionths; 0: as 1. */
	uint32_t reference;                    /* Kind of resource; 0: the cluster has no GPUs. */
	int64_t gpus_most;                     /* Of a node. */
	int64_t serial, parallelism, variance; /* Of jobs that say nothing; SL_NONE: none. */
	sl_time cost;
	int64_t bytes_per_s; /* 0: moving state costs no time of its own. */
	enum evolving waits;
	struct standing *job;
	struct sl_evolution **steps; /* By profile; NULL: none. */
	int *step_count;
	uint32_t *evolving; /* Those that run. */
	uint32_t evolving_count;
	int64_t *resized; /* By job, in millionths. */
	int64_t resizes;
	sl_time held;
};

/* ---- What it got ------------------------------------------------------------------------------------- */

static const struct sl_profile *speedup_profile_of(const struct speedup *s, sl_job job)
{
	const struct sl_jobs *jobs = s->jobs;
	return jobs->profile_of && jobs->profile_of[job.row] ? &jobs->profile[jobs->profile_of[job.row]]
							     : NULL;
}

static const struct sl_request *speedup_request_of(const struct speedup *s, sl_job job)
{
	return s->jobs->request ? &s->jobs->requests[s->jobs->request[job.row]] : NULL;
}

/* Which of a node's GPUs tasks of that group have. */
static uint32_t kind_on(const struct speedup *s, const struct sl_group *group, uint32_t node)
{
	const struct sl_node_type *type = &s->cluster->type[s->cluster->node_type[node]];
	for (uint32_t kind = SL_KIND_GPUS; kind < s->cluster->kind_count; kind++)
		if (type->amount[kind] &&
			(!group->task.gpu_types || group->task.gpu_types >> (kind - SL_KIND_GPUS) & 1))
			return kind;
	return 0;
}

/* The type that the trace's run time is of. */
static uint32_t kind_traced(const struct speedup *s, const struct sl_request *request)
{
	uint32_t types = 0;
	for (uint32_t i = 0; i < request->group_count; i++)
		types |= request->group[i].task.gpus ? request->group[i].task.gpu_types : 0;
	return __builtin_popcount(types) == 1 ? SL_KIND_GPUS + (uint32_t)__builtin_ctz(types) : s->reference;
}

struct got {
	double asked, size; /* GPUs, or cpus. */
	uint32_t nodes;
	uint32_t kinds; /* Bit i: GPUs of kind i. */
};

static double size_asked(const struct speedup *s, sl_job job, const struct sl_request *request)
{
	if (!request)
		return s->jobs->size[job.row];
	return request->gpus ? (double)request->gpus / (double)sl_parts(s->cluster->gpu_parts)
			     : (double)request->cpus / (double)sl_parts(s->cluster->cpu_parts);
}

static struct got got_of(
	const struct speedup *s, sl_job job, const struct sl_node_tasks *alloc, size_t count, uint32_t *tasks)
{
	const struct sl_request *request = speedup_request_of(s, job);
	struct got got = { .asked = size_asked(s, job, request) };
	got.size = got.asked;
	*tasks = request ? request->group[0].tasks : 1;
	uint32_t held = 0;
	for (size_t i = 0; request && i < count; i++) {
		const struct sl_group *group = &request->group[alloc[i].group];
		held += alloc[i].group == 0 ? alloc[i].tasks : 0;
		got.nodes += !i || alloc[i].node != alloc[i - 1].node;
		const uint32_t kind = group->task.gpus ? kind_on(s, group, alloc[i].node) : 0;
		if (kind)
			got.kinds |= UINT32_C(1) << (kind - SL_KIND_GPUS);
	}
	if (held && request->group_count == 1) {
		got.size = got.asked * (double)held / (double)*tasks;
		*tasks = held;
	}
	return got;
}

/* ---- How fast that is ---------------------------------------------------------------------------------- */

static double million(int64_t value) { return (double)value / 1e6; }

/* Over one processor. */
static double by_formula(const struct speedup *s, const struct sl_profile *profile, double size)
{
	int64_t serial = profile ? profile->serial : SL_NONE;
	int64_t parallelism = profile ? profile->parallelism : SL_NONE;
	int64_t variance = profile ? profile->variance : SL_NONE;
	if (serial == SL_NONE && parallelism == SL_NONE) {
		serial = s->serial;
		parallelism = s->parallelism;
		variance = s->variance;
	}
	if (parallelism != SL_NONE)
		return speedup_downey(
			size, million(parallelism), variance == SL_NONE ? 0 : million(variance));
	return serial == SL_NONE ? size : speedup_amdahl(size, million(serial));
}

static double factor_of(const struct speedup *s, uint32_t kind)
{
	return s->factor[kind] ? million(s->factor[kind]) : 1;
}

/* As fast as its slowest GPUs. */
static double by_types(const struct speedup *s, const struct got *got, uint32_t traced)
{
	double least = 0;
	for (uint32_t kinds = got->kinds; kinds; kinds &= kinds - 1) {
		const double factor = factor_of(s, SL_KIND_GPUS + (uint32_t)__builtin_ctz(kinds));
		least = least > 0 && least < factor ? least : factor;
	}
	return least > 0 ? least / factor_of(s, traced) : 1;
}

/* 0: the table does not have it. */
static double by_table(const struct speedup *s, const char *model, const struct got *got, uint32_t traced)
{
	if (!model || !s->table.count || !got->kinds)
		return 0;
	const double fewest_real = got->size / (double)s->gpus_most;
	const double asked_real = got->asked / (double)s->gpus_most;
	const int64_t fewest = (int64_t)fewest_real + ((double)(int64_t)fewest_real < fewest_real);
	const int64_t asked = (int64_t)asked_real + ((double)(int64_t)asked_real < asked_real);
	const bool nodes = s->table.by_nodes;
	const double traced_steps =
		throughput_of(&s->table, model, s->cluster->kind_name[traced], nodes ? asked : 0, got->asked);
	double least = 0;
	for (uint32_t kinds = got->kinds; kinds; kinds &= kinds - 1) {
		const uint32_t kind = SL_KIND_GPUS + (uint32_t)__builtin_ctz(kinds);
		const double steps = throughput_of(&s->table, model, s->cluster->kind_name[kind],
			nodes ? (int64_t)got->nodes : got->nodes > fewest, got->size);
		if (!(steps > 0))
			return 0;
		least = least > 0 && least < steps ? least : steps;
	}
	return traced_steps > 0 ? least / traced_steps : 0;
}

static uint64_t rate_on(
	const struct speedup *s, sl_job job, const struct sl_node_tasks *alloc, size_t count, uint32_t *tasks)
{
	const struct sl_request *request = speedup_request_of(s, job);
	const struct sl_profile *profile = speedup_profile_of(s, job);
	const struct got got = got_of(s, job, alloc, count, tasks);
	const uint32_t traced = request && got.kinds ? kind_traced(s, request) : 0;
	const double table = by_table(s, profile ? profile->model : NULL, &got, traced);
	if (table > 0)
		return speedup_rate(table);
	const double size = got.size == got.asked
				    ? 1
				    : by_formula(s, profile, got.size) / by_formula(s, profile, got.asked);
	return speedup_rate(size * (got.kinds ? by_types(s, &got, traced) : 1));
}

/* ---- Evolving jobs ------------------------------------------------------------------------------ */

/* What it wants by now, within its bounds; 0: what it has. *next: the work at which it wants another size. */
static uint32_t wanted(const struct speedup *s, sl_job job, sl_time work, sl_time *next)
{
	const uint32_t profile = s->jobs->profile_of ? s->jobs->profile_of[job.row] : 0;
	const struct sl_request *request = speedup_request_of(s, job);
	*next = SL_NEVER;
	if (!profile || !request || !s->steps[profile])
		return 0;
	const struct sl_group *group = request->group;
	const uint32_t tasks = sl_evolves_by(s->steps[profile], s->step_count[profile], work, next);
	if (!tasks || (tasks >= group->tasks_min && tasks <= group->tasks_max))
		return tasks;
	return tasks < group->tasks_min ? group->tasks_min : group->tasks_max;
}

static sl_time speedup_work_of(const struct sim *sim, sl_job job)
{
	return sl_done_of(sim, job) + sl_kept_of(sim, job);
}

/* When, at this rate, so much is done; rounded up. */
static sl_time time_for(sl_time work, uint64_t rate)
{
	const unsigned __int128 time = (((unsigned __int128)work << 32) + rate - 1) / rate;
	return time < (unsigned __int128)(SL_NEVER / 2) ? (sl_time)time : SL_NEVER / 2;
}

/* It is woken when it will request another size, as far as its rate of now goes. */
static void await_request(struct speedup *s, struct sim *sim, sl_job job)
{
	struct standing *st = &s->job[job.row];
	const uint64_t rate = sl_speed_of(sim, job);
	sl_time next;
	const sl_time work = speedup_work_of(sim, job);
	(void)wanted(s, job, work, &next);
	if (rate == st->seen || next == SL_NEVER)
		return;
	st->seen = rate;
	if (rate)
		sl_model_wake(sim, sl_now(sim) + time_for(next - work, rate), job.row);
}

static void evolving_add(struct speedup *s, sl_job job)
{
	struct standing *st = &s->job[job.row];
	const uint32_t profile = s->jobs->profile_of ? s->jobs->profile_of[job.row] : 0;
	if (st->place || !profile || !s->steps[profile])
		return;
	s->evolving[s->evolving_count++] = job.row;
	st->place = s->evolving_count;
}

static void evolving_remove(struct speedup *s, sl_job job)
{
	struct standing *st = &s->job[job.row];
	if (!st->place)
		return;
	const uint32_t last = s->evolving[--s->evolving_count];
	s->evolving[st->place - 1] = last;
	s->job[last].place = st->place;
	st->place = 0;
}

/* ---- What is reported --------------------------------------------------------------------------- */

/* 0 while it moves its state, or waits for the size that it requested. */
static void set_rate(struct speedup *s, struct sim *sim, sl_job job)
{
	struct standing *st = &s->job[job.row];
	bool stands = sl_now(sim) < st->until;
	if (s->waits == EVOLVING_WAIT && st->place) {
		sl_time next;
		const uint32_t tasks = wanted(s, job, speedup_work_of(sim, job), &next);
		stands |= tasks && tasks != st->tasks;
	}
	sl_model_speed(sim, job, stands ? 0 : st->rate);
}

static sl_time cost_of(const struct speedup *s, sl_job job)
{
	const struct sl_profile *profile = speedup_profile_of(s, job);
	if (!s->bytes_per_s || !profile || profile->checkpoint == SL_NONE)
		return s->cost;
	return s->cost + sl_mul_div(profile->checkpoint, SL_SECOND, s->bytes_per_s);
}

static void speedup_started(void *state, struct sim *sim, sl_job job)
{
	struct speedup *s = state;
	struct standing *st = &s->job[job.row];
	const struct sl_node_tasks *alloc;
	const size_t count = sl_node_tasks_of(sim, job, &alloc);
	const uint32_t before = st->tasks;
	st->rate = rate_on(s, job, alloc, count, &st->tasks);
	st->seen = UINT64_MAX;
	if (!before)
		st->until = SL_NONE;
	if (before && before != st->tasks) {
		const sl_time cost = cost_of(s, job);
		const sl_time from = st->until > sl_now(sim) ? st->until : sl_now(sim);
		st->until = sl_now(sim) + cost;
		s->held += st->until > from ? st->until - from : 0;
		s->resizes++;
		s->resized[job.row] += 1000000;
		if (cost)
			sl_model_wake(sim, st->until, job.row);
	}
	evolving_add(s, job);
	set_rate(s, sim, job);
}

static void speedup_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	(void)sim;
	(void)how;
	struct speedup *s = state;
	evolving_remove(s, job);
	s->job[job.row].tasks = 0;
}

static void speedup_timer(void *state, struct sim *sim, uint32_t row)
{
	struct speedup *s = state;
	if (!s->job[row].tasks)
		return;
	const sl_job job = { row };
	s->job[row].seen = UINT64_MAX;
	set_rate(s, sim, job);
	sl_time next;
	const uint32_t tasks = s->job[row].place ? wanted(s, job, speedup_work_of(sim, job), &next) : 0;
	if (tasks && tasks != s->job[row].tasks)
		sl_model_pass(sim); /* It requests another size. */
}

static void speedup_settle(void *state, struct sim *sim)
{
	struct speedup *s = state;
	for (uint32_t i = 0; i < s->evolving_count; i++)
		await_request(s, sim, (sl_job){ s->evolving[i] });
}

static uint64_t speedup_predict(
	void *state, struct sim *sim, sl_job job, const struct sl_node_tasks *alloc, size_t count)
{
	(void)sim;
	uint32_t tasks;
	return rate_on(state, job, alloc, count, &tasks);
}

/* Policies see that speed is not in proportion to size. */
static void speedup_begin(void *state, struct sim *sim)
{
	(void)state;
	sl_model_set_figure(sim, "speedup", 1000000);
}

static int speedup_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err)
{
	(void)sim;
	struct speedup *s = state;
	int status = sl_report_metric(tally, "resizes", s->resizes * 1000000, err);
	if (!status)
		status = sl_report_metric(tally, "resizes.stalled", s->held, err);
	if (!status && s->resizes)
		status = sl_report_job_column(tally, "resizes", s->resized, err);
	return status;
}

/* ---- How it begins ------------------------------------------------------------------------------ */

static const struct sl_param speedup_params[] = {
	{ .key = "table",
		.kind = SL_PARAM_CSV,
		.help = "CSV of throughputs: model,gpu_type,gpus,steps_per_s, and nodes or consolidated" },
	{ .key = "factors",
		.kind = SL_PARAM_TEXT,
		.choices = "\"TYPE=FACTOR,...\"",
		.help = "how fast GPU types are, those of no name 1: \"v100=1,a100=2.2\"; default: all alike" },
	{ .key = "reference",
		.kind = SL_PARAM_TEXT,
		.choices = "a GPU type",
		.help = "the type that traced run times are of, where a job names none or several; default: the cluster's first" },
	{ .key = "serial",
		.kind = SL_PARAM_REAL,
		.choices = "0..1",
		.max = 1000000,
		.help = "Amdahl: the serial share of jobs that say nothing; default: speed in proportion to size" },
	{ .key = "parallelism",
		.kind = SL_PARAM_REAL,
		.choices = "1..1000000",
		.min = 1000000,
		.max = INT64_C(1000000000000),
		.help = "Downey: the average parallelism A of jobs that say nothing" },
	{ .key = "variance",
		.kind = SL_PARAM_REAL,
		.fallback = "0",
		.choices = "0..1000",
		.max = INT64_C(1000000000),
		.help = "Downey: their variance of parallelism sigma" },
	{ .key = "resize_cost",
		.kind = SL_PARAM_TIME,
		.fallback = "0",
		.choices = "0..30d",
		.max = INT64_C(2592000) * SL_SECOND,
		.help = "how long a job stands still when its size changes" },
	{ .key = "resize_rate",
		.kind = SL_PARAM_REAL,
		.choices = "0.000001..1000000000000, MB/s",
		.min = 1,
		.max = INT64_C(1000000000000000000),
		.help = "and as long as its checkpoint takes at this rate, where it says how large that is" },
	{ .key = "evolving",
		.kind = SL_PARAM_CHOICE,
		.fallback = "ignore",
		.choices = "ignore|wait",
		.help = "an evolving job that did not get the size it asked for goes on as it is, or stands still until it has it" },
};

static int64_t speedup_number_of(const struct sl_model_setup *setup, const char *key, int64_t fallback)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	return value && value->text ? value->number : fallback;
}

static const char *speedup_text_of(const struct sl_model_setup *setup, const char *key)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	return value ? value->text : NULL;
}

static int init_types(struct speedup *s, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	const bool gpus = cluster->kind_count > SL_KIND_GPUS;
	s->reference = gpus ? SL_KIND_GPUS : 0;
	s->gpus_most = 1;
	for (uint32_t i = 0; i < cluster->type_count; i++) {
		int64_t sum = 0;
		for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
			sum += cluster->type[i].amount[kind] / sl_parts(cluster->gpu_parts);
		s->gpus_most = sum > s->gpus_most ? sum : s->gpus_most;
	}
	const char *name = speedup_text_of(setup, "reference");
	if (name) {
		uint32_t kind = SL_KIND_GPUS;
		while (kind < cluster->kind_count && strcasecmp(cluster->kind_name[kind], name) != 0)
			kind++;
		if (kind >= cluster->kind_count)
			return sl_fail(err, SL_USAGE,
				"speedup: reference=%s: the cluster has no GPUs of that type", name);
		s->reference = kind;
	}
	const char *factors = speedup_text_of(setup, "factors");
	return speedup_factors(factors ? factors : "", cluster, s->factor, err);
}

static int init_profiles(struct speedup *s, struct sl_err *err)
{
	const struct sl_jobs *jobs = s->jobs;
	s->steps = sl_alloc(s->arena, (size_t)jobs->profile_count + 1, sizeof(struct sl_evolution *));
	s->step_count = sl_alloc(s->arena, (size_t)jobs->profile_count + 1, sizeof(*s->step_count));
	if (!s->steps || !s->step_count)
		return sl_fail_memory(err);
	struct sl_evolution step[SL_EVOLVES_MAX];
	for (uint32_t i = 1; i < jobs->profile_count; i++) {
		const struct sl_profile *profile = &jobs->profile[i];
		const int count = profile->evolves && profile->elastic == SL_EVOLVING
					  ? sl_evolves_read(profile->evolves, step)
					  : 0;
		if (count <= 0)
			continue;
		s->step_count[i] = count;
		s->steps[i] = sl_alloc(s->arena, (size_t)count, sizeof(*step));
		if (!s->steps[i])
			return sl_fail_memory(err);
		memcpy(s->steps[i], step, (size_t)count * sizeof(*step));
	}
	return SL_OK;
}

static int speedup_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct speedup *s = *state = sl_alloc(setup->arena, 1, sizeof(*s));
	const size_t count = (size_t)setup->jobs->count + 1;
	if (s) {
		s->job = sl_alloc(setup->arena, count, sizeof(*s->job));
		s->evolving = sl_alloc(setup->arena, count, sizeof(*s->evolving));
		s->resized = sl_alloc(setup->arena, count, sizeof(*s->resized));
	}
	if (!s || !s->job || !s->evolving || !s->resized)
		return sl_fail_memory(err);
	s->jobs = setup->jobs;
	s->cluster = setup->cluster;
	s->arena = setup->arena;
	s->serial = speedup_number_of(setup, "serial", SL_NONE);
	s->parallelism = speedup_number_of(setup, "parallelism", SL_NONE);
	s->variance = speedup_number_of(setup, "variance", 0);
	s->cost = speedup_number_of(setup, "resize_cost", 0);
	s->bytes_per_s = speedup_number_of(setup, "resize_rate", 0);
	s->waits = (enum evolving)speedup_number_of(setup, "evolving", EVOLVING_IGNORE);
	if (s->serial != SL_NONE && s->parallelism != SL_NONE)
		return sl_fail(err, SL_USAGE, "speedup: both serial and parallelism are given: keep one");
	int status = init_types(s, setup, err);
	if (!status)
		status = init_profiles(s, err);
	const struct sl_csv_table *csv = sl_csv_table_of(setup, "table");
	return !status && csv ? throughputs_read(&s->table, csv, setup->arena, err) : status;
}

const struct sl_model model_speedup = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "speedup",
	.summary = "how fast a job is by its size and its GPUs",
	.paper = "Amdahl, AFIPS 1967; Downey, HPDC 1997; throughput tables as Narayanan et al., OSDI 2020",
	.params = speedup_params,
	.param_count = SL_LEN(speedup_params),
	.init = speedup_init,
	.begin = speedup_begin,
	.started = speedup_started,
	.left = speedup_left,
	.timer = speedup_timer,
	.settle = speedup_settle,
	.predict = speedup_predict,
	.report = speedup_report,
	.sizes = true,
};

/* ---- What is given as a list: factors of GPU types. ---- */

/* The next of a list's items, NULL: there is none. *end is behind it. */
static const char *next_item(const char *text, const char **end)
{
	if (!*text)
		return NULL;
	*end = text + strcspn(text, ",");
	return text;
}

static uint32_t speedup_kind_of(const struct sl_cluster *cluster, const char *name, size_t len)
{
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		if (strlen(cluster->kind_name[kind]) == len &&
			strncasecmp(cluster->kind_name[kind], name, len) == 0)
			return kind;
	return UINT32_MAX;
}

/* Types that the cluster has none of are passed over: one list does for several clusters. */
int speedup_factors(
	const char *text, const struct sl_cluster *cluster, int64_t factor[SL_KINDS_MAX], struct sl_err *err)
{
	memset(factor, 0, SL_KINDS_MAX * sizeof(*factor));
	const char *end;
	for (const char *at = text; (at = next_item(at, &end)) != NULL; at = *end ? end + 1 : end) {
		const char *is = memchr(at, '=', (size_t)(end - at));
		int64_t micro;
		if (!is || is == at || !sl_get_micro(is + 1, (size_t)(end - is - 1), &micro) ||
			micro < 1000 || micro > INT64_C(1000000000))
			return sl_fail(err, SL_USAGE,
				"factors: '%.*s' is not TYPE=FACTOR, as in v100=1,a100=2.2, with a factor from 0.001 to 1000",
				(int)(end - at), at);
		const uint32_t kind = speedup_kind_of(cluster, at, (size_t)(is - at));
		if (kind == UINT32_MAX)
			continue;
		if (factor[kind])
			return sl_fail(err, SL_USAGE, "factors: '%.*s' is there twice", (int)(is - at), at);
		factor[kind] = micro;
	}
	return SL_OK;
}

/* ---- Speed-up by formula.
 *
 * Amdahl, Validity of the single processor approach to achieving large scale computing capabilities, AFIPS
 * 1967. Downey, A parallel workload model and its implications for processor allocation, HPDC 1997: by
 * average parallelism A and its variance sigma, with two branches, which agree at sigma = 1.
 */

double speedup_amdahl(double n, double serial) { return n < 1 ? n : 1 / (serial + (1 - serial) / n); }

static double downey_low(double n, double a, double sigma)
{
	if (n <= a)
		return a * n / (a + sigma * (n - 1) / 2);
	if (n < 2 * a - 1)
		return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
	return a;
}

static double downey_high(double n, double a, double sigma)
{
	if (n < a + a * sigma - sigma)
		return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
	return a;
}

double speedup_downey(double n, double parallelism, double variance)
{
	if (n < 1)
		return n;
	return variance <= 1 ? downey_low(n, parallelism, variance) : downey_high(n, parallelism, variance);
}

uint64_t speedup_rate(double speed)
{
	if (!(speed > 0))
		return 0;
	return (uint64_t)((speed < 1024 ? speed : 1024) * (double)SL_SPEED_ONE + 0.5);
}
