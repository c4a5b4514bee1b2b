/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generators.h - the inside of the workload generators downey, jann, gavel, gpu and mixture: what they have
 * in common (arrivals, users, estimates, rows), and the numbers that fits find for them (fit.h).
 *
 * A generator fills the jobs; generators.c does the rest. All that is drawn becomes an integer where it is
 * drawn, and what stands between a stream and that integer is + - * / sqrt, GSL's samplers over our streams,
 * and sl_exp and sl_ln: no result of the C library's exp, log or pow is rounded to anything.
 */
#ifndef GENERATORS_H
#define GENERATORS_H

#include "sim/plugin.h"

#define GEN_MICRO INT64_C(1000000)

enum { GEN_JOBS_MAX = 100000000, GEN_CPUS_MAX = 10000000, GEN_USERS_MAX = 1000000 };
enum { GEN_DAY_HOURS = 24, GEN_WEEK_DAYS = 7, GEN_WEEK_HOURS = GEN_DAY_HOURS * GEN_WEEK_DAYS };

/* ---- Numbers (drawing.c) ---------------------------------------------------------- */

double gen_pow10(double x);
double gen_exponential(struct sl_rng *rng); /* Of mean 1. */
double gen_gamma(struct sl_rng *rng, double shape, double scale);
double gen_lognormal(struct sl_rng *rng, double mu, double sigma);
/* Rounded half up, at least 1, at most 10^9. */
int64_t gen_whole(double x);

/* Which of count weights; total is their sum, and positive. */
size_t gen_pick(struct sl_rng *rng, const int64_t *weight, size_t count);
/* Shares k^-power of 1..count, cumulated. */
void gen_zipf(uint64_t *below, uint32_t count, double power);
uint32_t gen_zipf_drawn(const uint64_t *below, uint32_t count, struct sl_rng *rng); /* From 1. */

/* Numbers apart by any of `apart` ("1+2.5+3", "+"): millionths into out. Returns how many, at most max; 0
 * where one of them is no number, or there are more. */
size_t gen_numbers(const char *text, const char *apart, int64_t *out, size_t max);

/* "1:0.3+2-8:1.5/2" is two items: of 1 to 1, and of 2 to 8. */
enum { GEN_ITEM_NUMBERS = 12 };
struct gen_item {
	int64_t from, to;
	int64_t number[GEN_ITEM_NUMBERS]; /* Millionths; 0 behind count. */
	size_t count;
};
/* How many, at most max; 0: it is no such list, and *wrong is where. */
size_t gen_items(const char *text, struct gen_item *item, size_t max, const char **wrong);

/* Moments of a hyper-Erlang distribution of common order: with probability p an Erlang of that order and mean
 * x1, else of mean x2. */
struct gen_hyper {
	double p, x1, x2;
	int order;
};
enum { GEN_ORDER_MAX = 200 };
/* The one of least order whose mean is `mean`, whose variance is cv2 * mean^2 and whose third moment is
 * m3 * mean^3 (Johnson and Taaffe 1989). False: none up to GEN_ORDER_MAX has. */
bool gen_hyper_of_moments(struct gen_hyper *h, double mean, double cv2, double m3);
double gen_hyper_drawn(const struct gen_hyper *h, struct sl_rng *rng);

/* ---- Jobs ------------------------------------------------------------------------ */

struct gen_job {
	sl_time submit;
	int64_t run, limit;            /* Seconds. */
	int32_t size;                  /* Processors, or GPUs. */
	uint32_t user;                 /* From 1. */
	uint32_t what;                 /* Its model's name; its class, from 0: SWF's queue. */
	uint32_t state;                /* enum sl_state */
	int64_t parallelism, variance; /* SL_NONE: not said; millionths. */
};

/* The parameters that all have, first and in this order. */
enum gen_param {
	GEN_JOBS,
	GEN_CPUS,
	GEN_USERS,
	GEN_ZIPF,
	GEN_ESTIMATES,
	GEN_FACTOR,
	GEN_MAX_RUN,
	GEN_FORMAT,
	GEN_SHARED, /* So many also those with arrivals of their own have. */
	GEN_ARRIVALS = GEN_SHARED,
	GEN_GAP,
	GEN_SHAPE,
	GEN_DAY,
	GEN_WEEK,
	GEN_LOAD,
	GEN_OWN /* Theirs begin here. */
};

#define GEN_PARAMS_SHARED(cpus_, cpus_help_, format_)                                                       \
	[GEN_JOBS] = { "jobs", SL_PARAM_INT, "10000", "1..100000000", "how many jobs", 1, GEN_JOBS_MAX },   \
	[GEN_CPUS] = { "cpus", SL_PARAM_INT, cpus_, "1..10000000", cpus_help_, 1, GEN_CPUS_MAX },           \
	[GEN_USERS] = { "users", SL_PARAM_INT, "64", "1..1000000", "how many users", 1, GEN_USERS_MAX },    \
	[GEN_ZIPF] = { "zipf", SL_PARAM_REAL, "1", "0..10",                                                 \
		"the k-th user's share of the jobs goes with k to the minus this", 0, 10 * GEN_MICRO },     \
	[GEN_ESTIMATES] = { "estimates", SL_PARAM_CHOICE, "f-model", "exact|f-model|menu",                  \
		"what users ask for: the run time, run * (1 + U * (factor - 1)), or the next of 5, 15, 30 " \
		"minutes, 1, 2, 4, 8, 12, 18 hours, whole days",                                            \
		0, 0 },                                                                                     \
	[GEN_FACTOR] = { "factor", SL_PARAM_REAL, "5", "1..1000", "of the f-model; 1 is exact", GEN_MICRO,  \
		1000 * GEN_MICRO },                                                                         \
	[GEN_MAX_RUN] = { "max_run", SL_PARAM_TIME, "30d", "1s..3650d",                                     \
		"no job asks for more, or runs longer", SL_SECOND, INT64_C(3650) * 86400 * SL_SECOND },     \
	[GEN_FORMAT] = { "format", SL_PARAM_CHOICE, format_, "swf|table",                                   \
		"swf says sizes and times, the table what jobs do as well", 0, 0 }

#define GEN_PARAMS(cpus_, cpus_help_, format_, arrivals_, gap_)                                            \
	GEN_PARAMS_SHARED(cpus_, cpus_help_, format_),                                                     \
		[GEN_ARRIVALS] = { "arrivals", SL_PARAM_CHOICE, arrivals_,                                 \
			"poisson|weibull|gamma|cyclic|constant",                                           \
			"gaps between jobs; cyclic: a Poisson process whose rate follows day and week", 0, \
			0 },                                                                               \
		[GEN_GAP] = { "gap", SL_PARAM_TIME, gap_, "0.001..365d", "between two jobs, on average",   \
			SL_SECOND / 1000, INT64_C(365) * 86400 * SL_SECOND },                              \
		[GEN_SHAPE] = { "shape", SL_PARAM_REAL, "0.5", "0.1..100",                                 \
			"of Weibull and gamma gaps; below 1 they come in bursts", GEN_MICRO / 10,          \
			100 * GEN_MICRO },                                                                 \
		[GEN_DAY] = { "day", SL_PARAM_TEXT, GEN_DAY_DEFAULT, NULL,                                 \
			"cyclic: 24 weights of the day's hours, with + between them", 0, 0 },              \
		[GEN_WEEK] = { "week", SL_PARAM_TEXT, GEN_WEEK_DEFAULT, NULL,                              \
			"cyclic: 7 weights of the week's days from Monday on", 0, 0 },                     \
		[GEN_LOAD] = { "load", SL_PARAM_REAL, NULL, "0.0001..1000",                                \
			"offered load of the machine: in place of gap, which is then what gives it", 100,  \
			1000 * GEN_MICRO }

/* Assumptions: half as much at night, half as much at the weekend. */
#define GEN_DAY_DEFAULT  "1+1+1+1+1+1+1+1+2+2+2+2+2+2+2+2+2+2+1+1+1+1+1+1"
#define GEN_WEEK_DEFAULT "2+2+2+2+2+1+1"

/* Gaps. */
enum gen_arrivals_kind { GEN_POISSON, GEN_WEIBULL, GEN_GAMMA, GEN_CYCLIC, GEN_CONSTANT };
struct gen_arrivals {
	enum gen_arrivals_kind kind;
	double gap;   /* Microseconds, on average. */
	double shape; /* Weibull, gamma. */
	double scale; /* Weibull: so much of the gap. */
	int64_t weight[GEN_WEEK_HOURS], heaviest;
	double heaviest_of_mean;
	sl_time now;
	struct sl_rng rng, thinning;
};

/* ---- A generator ------------------------------------------------------------------ */

struct gen_work {
	const struct gen_kind *kind;
	const struct sl_value *values; /* In the order of its params. */
	uint64_t seed;
	struct gen_job *job;
	uint32_t count;
	int32_t cpus;
	int64_t run_max;           /* Seconds. */
	const char *const *models; /* By gen_job.what; NULL: it says nothing of them. */
	size_t model_count;
};

struct gen_names {
	const char *const *name;
	size_t count;
};

struct gen_kind {
	const char *name;
	const char *note[2]; /* For the header. */
	bool gpus;           /* Jobs request GPUs. */
	bool own_arrivals;   /* draw gives the times too. */
	bool queues;         /* what is the SWF's queue. */
	/* Sizes, run times, states; of zeroed jobs. */
	int (*draw)(struct gen_work *w, struct sl_err *err);
};

int64_t gen_number(const struct gen_work *w, size_t param);
double gen_real(const struct gen_work *w, size_t param); /* Of a REAL, or seconds of a TIME. */
bool gen_given(const struct gen_work *w, size_t param);
struct sl_rng gen_stream(const struct gen_work *w, const char *what);
int gen_make(const struct gen_kind *kind, const struct sl_value *values, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err);
/* With names of what its jobs train. */
int gen_make_named(const struct gen_kind *kind, const struct sl_value *values, uint64_t seed,
	const struct gen_names *models, const struct sl_sink *sink, struct sl_err *err);

/* Downey's (1997) speed-up on n processors of average parallelism A and variance sigma. */
double gen_downey_speedup(double n, double parallelism, double sigma);

#endif
