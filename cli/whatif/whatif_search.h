/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_search.h - what the planning half of schedlab whatif shares: what is varied, what it costs, what
 * came of each point that was simulated.
 */
#ifndef SL_WHATIF_SEARCH_H
#define SL_WHATIF_SEARCH_H

#include "cli/base/axis_search.h"
#include "cli/base/render.h"
#include "cli/base/selector.h"
#include "cli/whatif/whatif_parts.h"

enum {
	THRESHOLDS_MAX = 8,
	CURVE_METRICS = 3,
	AXIS_VALUES_MAX = 10000,
	AXIS_TEXT_MAX = 2000,
	REPS_MAX = 1000
};

#define WHATIF_SEARCH_OPTIONS                                                                                 \
	{                                                                                                     \
		"until", 0, "BOUND", true,                                                                    \
		"search for the least change with this: 'wait.p95{gpus>=8} < 4h', see schedlab-metrics(7)"    \
	},                                                                                                    \
		{ "vary", 0, "KEY=RANGE", true,                                                               \
			"what to search over: 'cluster.nodes[gpu].count+=0..64', 60..2880:60, 1,2,5" },       \
		{ "exhaustive", 0, NULL, false, "simulate every point, not only those that decide" },         \
		{ "price", 0, "NODES=P", true, "of one node more: 'nodes[gpu]=30000'; cpus=P of a pool" },    \
		{ "price-per", 0, "UNIT", false, "what prices are for: piece (default), month or hour" },     \
		{ "buy", 0, "LIST", false,                                                                    \
			"nodes to search over, by entry or node type: 'h100=0..32,l40s=0..64'" },             \
		{ "budget", 0, "P", false, "leave out what costs more" },                                     \
	{                                                                                                     \
		"head-room", 0, "[RANGE]", false,                                                             \
			"metrics by load, as a factor on the base's (0.8..1.6:0.1), and where --until breaks" \
	}

/* Values that a setting has in turn, in order from what is wanted most. */
struct axis {
	const char *text;   /* As given. */
	const char *key;    /* "cluster.nodes[h100].count+=" */
	const char *name;   /* For headings: "nodes[h100].count+" */
	const char **value; /* As printed, and */
	const char **given; /* as put behind the key. */
	size_t count;
	bool unordered; /* Words: none is more than another. */
	bool proven;    /* What one value allows the next one does too: axis_order. */
	bool falls;     /* More is wanted: what is removed, a load. */
	/* How many nodes (cpus) each value buys, of what is priced by this name ("h100", "cpus"); NULL: none.
	 */
	const char *bought;
	int64_t *units;
};

/* whatif_ranges.c */
/* "KEY=RANGE", of that option ("--vary"). SL_USAGE. */
int axis_parse(
	struct axis *axis, const char *option, const char *text, struct sl_arena *arena, struct sl_err *err);
/* Is it known of all of them that they are met no worse with more of a machine, or with less load? */
bool bounds_have_order(const struct threshold *until, size_t count);
/* Nothing is added to the cpus of a pool: what is added to those of the base is set. */
int axis_pool(struct axis *axis, int64_t cpus, struct sl_arena *arena, struct sl_err *err);
/* "h100=0..32" as the axis cluster.nodes[h100].count+=0..32; len: of the text. */
int axis_buy(struct axis *axis, const char *text, size_t len, struct sl_arena *arena, struct sl_err *err);

/* whatif_price.c */
enum price_per { PRICE_PIECE, PRICE_MONTH, PRICE_HOUR };
struct prices {
	bool any;
	enum price_per per;
	int64_t each[AXIS_SEARCH_AXES_MAX]; /* Millionths, by axis. */
	bool bounded;
	int64_t budget;
};
/* --price, --price-per, --budget, and what the cluster's file says. SL_USAGE: something that is bought has no
 * price. */
int prices_read(struct prices *prices, const struct axis *axis, size_t count, const struct args *args,
	const struct sl_cluster *cluster, struct sl_err *err);
/* Of a point of the grid; INT64_MAX: beyond counting. */
int64_t cost_of(
	const struct prices *prices, const struct axis *axis, const struct axis_search *grid, size_t point);
/* "30,000", "30,000 an hour" */
const char *price_text(char buffer[64], const struct prices *prices, int64_t micro);

/* A figure over the seeds. */
struct figure {
	bool known; /* With every seed. */
	int64_t mean;
	int64_t low, high; /* Interval of the mean; low > high: there is none. */
	unsigned seeds;    /* Of these the bound is met. */
};

/* What came of a point. */
struct outcome {
	bool done, holds;
	const char *unbuilt; /* Why there is no such point; NULL: there is. */
	int fault;           /* The status of that. */
	struct figure until[THRESHOLDS_MAX];
	struct figure more[CURVE_METRICS];
	struct figure served;           /* GPU-hours (cpu-hours) of jobs that were served as was asked. */
	struct figure makespan;         /* For prices by the hour. */
	uint32_t jobs, never;           /* Replayed; of these never started. */
	uint32_t left_out;              /* Fewer start than now: such a point does not hold. */
	uint32_t outside;               /* Nodes in no partition, where there are some. */
	uint32_t meant[THRESHOLDS_MAX]; /* Jobs that each bound is about. */
	int64_t cost;
};

struct search {
	const struct args *args;
	struct base *base;
	struct sl_arena *arena;
	struct replica replica; /* What every point has over the base: --set and its like. */
	struct axis axis[AXIS_SEARCH_AXES_MAX];
	size_t axis_count;
	struct threshold until[THRESHOLDS_MAX];
	size_t until_count;
	const struct selector *more[CURVE_METRICS]; /* Of a curve; NULL: none. */
	bool intervals;                             /* Of one seed too, over batches of jobs. */
	const struct selector *served;
	const char *served_unit; /* "GPU-hour" */
	struct prices prices;
	unsigned threads, reps;
	bool built; /* Some point could be. */
	bool drew;  /* Two seeds came out otherwise, at some point. */
	struct axis_search grid;
	struct outcome *outcome; /* By point, */
	struct outcome now;      /* and of the base with what every point has. */
};

/* whatif_try.c: simulates them, and fills in their outcomes. */
int search_try(struct search *search, const size_t *point, size_t count, struct sl_err *err);
int search_try_now(struct search *search, struct sl_err *err);
/* By a t test over the seeds (stats_mean); mean rounded half up. */
struct figure figure_of(const int64_t *value, const bool *known, unsigned count);
/* "wait.p95{gpus>=8}": 3:51:00; "none": no job has one. */
const char *figure_text(char buffer[48], const struct selector *selector, const struct figure *figure);

/* whatif_search_report.c: answer: points that will do, the best first; best: where there is none, the one
 * that misses by least.
 */
struct answers {
	const size_t *answer;
	size_t count;
	size_t best; /* SIZE_MAX: nothing was tried. */
};
/* Of a search that was interrupted, as a table. */
void search_report_partial(const struct search *search);
int axis_search_report(const struct search *search, const struct answers *answers, struct sl_err *err);
int axis_search_json(const struct search *search, const struct answers *answers, struct sl_err *err);

/* whatif_curve.c: --head-room. The search is ready but for its grid, which gets the load as its last axis. */
int curve_go(struct search *search, struct sl_err *err);

/* whatif_search_report.c: "nodes[a].count+=3 policy.bf_window=60" */
enum { POINT_TEXT = 400 };
const char *point_text(char text[POINT_TEXT], const struct search *search, size_t point);
/* Why points cannot be made. */
void search_unbuilt(const struct search *search);
/* Sentences on what is not as one might think. */
void search_caveats(const struct search *search);
/* The point as an object. */
void search_put_point(struct json *json, const char *name, const struct search *search,
	const struct outcome *outcome, size_t point);

/* whatif_search.c: SL_USAGE: under several seeds all came out the same. */
int search_drew(const struct search *search, struct sl_err *err);
/* With what was wrong with that point. */
int search_fail_unbuilt(const struct search *search, size_t point, struct sl_err *err);
/* Is a search asked for? */
bool search_asked(const struct args *args);

#endif
