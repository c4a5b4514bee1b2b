/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect.h - what `schedlab inspect` found in one trace, between those that gather it and those that print
 * it.
 *
 * Numbers of all kinds are in millionths, so that one set of quantiles serves.
 */
#ifndef SL_INSPECT_H
#define SL_INSPECT_H

#include "cli/base/cli.h"
#include "sim/base/intset.h"
#include "sim/base/names.h"

/* Of the jobs that a replay would run. */
enum sample_kind {
	SAMPLE_SIZE,
	SAMPLE_RUN,
	SAMPLE_LIMIT,    /* As logged, where it was. */
	SAMPLE_ACCURACY, /* Run time over limit. */
	SAMPLE_GAP,      /* Between submissions. */
	SAMPLE_WAIT,     /* As logged. */
	SAMPLE_COUNT
};

enum { QUANTILE_COUNT = 8 };
extern const struct quantile {
	const char *name;
	unsigned percent; /* 0: the least. */
} quantiles[QUANTILE_COUNT];

struct sample {
	int64_t *value; /* Sorted once gathered. */
	size_t count, capacity;
	int64_t mean, at[QUANTILE_COUNT];
};

/* Numbers that name users and the like: how many there are. */
enum name_kind { NAME_USER, NAME_GROUP, NAME_APP, NAME_QUEUE, NAME_PARTITION, NAME_COUNT };
extern const char *const name_texts[NAME_COUNT]; /* "users" */

enum { STATUS_UNKNOWN, STATUS_FIRST, STATUS_LAST = 6, STATUS_OTHER, STATUS_COUNT };
extern const struct status_text {
	const char *number, *text; /* "1", "completed" */
} status_texts[STATUS_COUNT];

/* What jobs say of themselves. */
enum { SAYS_BEGIN, SAYS_DEPENDENCY, SAYS_ARRAY, SAYS_DEADLINE, SAYS_HELD, SAYS_CENSORED, SAYS_COUNT };
extern const struct says_text {
	const char *key, *text; /* "begin", "not before a time" */
} says_texts[SAYS_COUNT];

struct bin {
	char label[48];
	uint64_t count;
};
enum histogram_kind { HISTOGRAM_SIZE, HISTOGRAM_RUN, HISTOGRAM_HOUR, HISTOGRAM_ACCURACY, HISTOGRAM_COUNT };
enum { BIN_MAX = 40 };
struct histogram {
	const char *name, *title;
	struct bin bin[BIN_MAX];
	size_t count;   /* 0: nothing to print. */
	uint64_t total; /* Of all bins. */
};

struct reported;

struct inspection {
	struct reported *reported; /* Fields of jobs, of formats that report them. */
	struct scenario scenario;
	struct sample sample[SAMPLE_COUNT];
	struct intset names[NAME_COUNT];
	struct names texts; /* Those that are no numbers. */
	struct sl_arena *arena;
	uint64_t status[STATUS_COUNT];        /* Of all lines. */
	uint64_t says[SAYS_COUNT];            /* Of the jobs that a replay would run. */
	uint64_t profile[SL_PROFILE_COLUMNS]; /* Likewise, what they do while they run. */
	int64_t load, load_gpus;              /* Of the machine's cpus, GPUs; SL_NONE: not known. */
	struct histogram histogram[HISTOGRAM_COUNT];
};

/* The first header line of that name, or NULL. */
const char *inspect_header(const struct inspection *seen, const char *key);

void inspect_text(const struct inspection *seen, bool ascii, struct sl_arena *arena);
int inspect_json(const struct inspection *seen, struct sl_err *err);

/* inspect_cluster.c: of a folder or a cluster file, in place of a trace. */
bool inspect_is_cluster(const char *path, const struct args *args);
int inspect_cluster(const char *path, const struct args *args, struct sl_err *err);
/* One line on how far the keys of -c are followed, if it says. */
int inspect_cluster_counts(const struct args *args, struct sl_err *err);

#endif
