/* SPDX-License-Identifier: GPL-3.0-or-later */
/* document.h - reports: files of one run; and documents, which compare several runs. */
#ifndef SL_PLUGIN_DOCUMENT_H
#define SL_PLUGIN_DOCUMENT_H

#include "result.h"

/* A file of a run's directory. */
struct sl_report {
	struct sl_abi abi;
	const char *name; /* "jobs.csv" */
	const char *summary;
	int (*write)(const struct sl_result *result, struct sl_out *out, struct sl_err *err);
	/* Whether there is anything to write; NULL: always. */
	bool (*wanted)(const struct sl_result *result);
	bool on_request;      /* Written only on request (--only), */
	const char *asked_as; /* by this name; NULL: by its own without its end. */
};

struct sl_fact {
	const char *key, *value;
};

/* One run, reported to a document; lent for the call. */
struct sl_document_run {
	const char *label;  /* Distinguishes it from the others: the policy as it was named, "easy on
			       small.yaml". */
	const char *folder; /* Where its files are beside the document ("2-easy"); NULL: nowhere. */
	const struct sl_result *result; /* With usage, reasons and allocations recorded. */
	const struct sl_fact *fact; /* What it was made from: "trace", "trace_sha256", "cluster", "policy",
				     * "seed", "digest", "version", "policy.fill", "replay.overrun", ... */
	size_t fact_count;
	const char *const *warning; /* Sentences on what was repaired, dropped, approximated, left out. */
	size_t warning_count;
	const struct sl_named *metric; /* In the order of metrics.json. */
	size_t metric_count;
	bool partial; /* Interrupted, or stopped: it covers another interval than a whole one. */
};

/* What each of `count` accounts, users or partitions (by: "account"...) is entitled to, as a share of the
 * whole: by the shares of the cluster's accounts, or the quotas or weights of the policy; negative: not
 * configured. Returns the sentence that names the source, ""; NULL: no memory. */
SL_API const char *sl_entitlement(const struct sl_document_run *reported, const char *by,
	const char *const *name, uint32_t count, double *share);

/* A metric's difference to the first run's, with its interval; in the metric's unit, millionths. */
struct sl_difference {
	const char *metric;
	uint32_t run;                /* Of the runs added, from 1 on. */
	int64_t estimate, low, high; /* low > high: no interval, and `method` says why. */
	uint32_t samples;            /* Of what it is computed from: batches, seeds, weeks. */
	const char *method;          /* "paired t over 20 batches of jobs", one clause. */
};

/* A metric as tables name it. */
struct sl_metric_info {
	const char *name, *heading, *title; /* "wait.mean", "mean wait", what it is in a few words. */
	const char *unit;                   /* "s", "share", "count", "number", "per hour" */
	int better;                         /* The sign of an improvement; 0: neither. */
};

/* How certain a difference is. Effective: the number of independent differences of equal size that would say
 * as much; below six there is neither interval nor verdict. */
struct sl_certainty {
	bool known;                    /* Of metrics that are reported by blocks. */
	uint32_t blocks, differing;    /* Batches, weeks, logs; those of which anything differs. */
	int64_t effective;             /* Millionths. */
	int64_t ratio_low, ratio_high; /* Of the change as a share of the first's value, millionths, from -1
					* on; low > high: no interval. */
	uint8_t covers, ratio_covers;  /* Of a hundred logs in how many the interval holds what many logs
					* have together, at least, as measured; 0: no interval, or it was not
					* measured. */
	int8_t sure;                   /* -1, 1: it is less, more; 0: undecided, or not to be decided. */
	bool tested, exact;            /* p: Wilcoxon's signed ranks; by counting all signs. */
	double p;
};

/* A run's metric as it is compared: over the jobs that ran in all runs, where others differ. */
struct sl_restated {
	const char *metric;
	uint32_t run;
	int64_t micro;
};

struct sl_compared {
	const char *title;
	const struct sl_metric_info *metric_info;
	size_t metric_info_count;
	const struct sl_difference *difference;
	size_t difference_count;
	const struct sl_certainty *certainty; /* By difference; NULL: nothing is known of any. */
	const struct sl_restated *restated;   /* In place of the metrics that runs were added with. */
	size_t restated_count;
	const char
		*apart; /* Other jobs ran in some runs: the sentence, and no run is better; NULL: the same. */
};

struct sl_document_options {
	uint64_t jobs_max;      /* Jobs listed one by one, over all runs; the others are in sums alone. */
	const char *chart;      /* Which chart, of a document that is one; NULL: its default. */
	uint32_t width, height; /* In pixels, of one that is a picture; 0: its default. */
	uint32_t runs;          /* How many will be added; 0: not known. */
};

/* open, add for each run as it is over (nothing of it is kept), write, close. Same runs, same bytes. */
struct sl_document {
	struct sl_abi abi;
	const char *name; /* "html": --format */
	const char *summary;
	const char *file;          /* "report.html": its default name. */
	const char *const *charts; /* What options.chart may be, closed by NULL; NULL: it is not one. */
	bool binary;               /* Not for a terminal. */
	int (*open)(void **self, const struct sl_document_options *options, struct sl_err *err);
	int (*add)(void *self, const struct sl_document_run *reported, struct sl_err *err);
	int (*write)(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err);
	void (*close)(void *self);
	/* add in two steps; NULL: it is not to be had so. The first may be taken on any thread, for several
	 * runs at once: it makes of a run what is kept of it, and only looks at what `self` was opened with.
	 * The second says that it is the next one, and has it then, whatever comes of it; drop frees one that
	 * is not joined. */
	int (*part)(
		const void *self, const struct sl_document_run *reported, void **part, struct sl_err *err);
	int (*join)(void *self, void *part, struct sl_err *err);
	void (*drop)(void *part);
};

#endif
