/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * services.h - services files in between: replicas that come and go with a load, as rows of the table of
 * jobs; see schedlab-services(5).
 *
 * What a replica requests is said by columns of the table, and read as the table reads its cells. How many
 * there are follows from the load alone, so the rows are known before the run; when old ones of an update go
 * depends on when new ones are ready, which models/serving sees to.
 */
#ifndef TRACES_SERVICES_H
#define TRACES_SERVICES_H

#include "traces/table/workflow.h"

enum {
	SERVICES_MAX = 1000,
	SERVICES_REPLICAS_MAX = 100000, /* Of one service at a time. */
	SERVICES_ROWS_MAX = 1000000,    /* Of a file. */
	SERVICES_SYNCS_MAX = 10000000,  /* Of one service. */
	SERVICES_POLICIES_MAX = 16,
	SERVICES_UPDATES_MAX = 1000,
	SERVICES_WINDOW_MAX = 3600 /* Seconds; of stabilization. */
};

/* ---- The autoscaler: services_scale.c ------------------------------------------------------------ */

enum scale_select { SCALE_MAX, SCALE_MIN, SCALE_DISABLED };

struct scale_policy {
	bool percent; /* Else so many replicas. */
	int64_t value;
	sl_time period;
};

struct scale_rules {
	sl_time stabilization;
	enum scale_select select;
	struct scale_policy policy[SERVICES_POLICIES_MAX];
	uint32_t policies;
};

struct scale_options {
	sl_time sync, lead;
	int64_t tolerance;   /* Millionths. */
	int64_t per_replica; /* Load that one is to have: millionths of a request a second. */
	int64_t min, max;    /* Replicas. */
	struct scale_rules up, down;
};

/* Of a time, so many: what was recommended, or by how many it changed. */
struct scale_note {
	sl_time at;
	int64_t count;
};
struct scale_notes {
	struct scale_note *note;
	size_t first, count, capacity; /* From `first` on, those that may still matter. */
};
struct scale {
	const struct scale_options *options;
	struct scale_notes said, added, removed;
};

/* Kubernetes' defaults. */
void scale_defaults(struct scale_options *options);
/* How many there are to be, of `now` that there are, with that load; false: memory. Times go up. */
bool scale_step(struct scale *scale, sl_time at, int64_t load, int64_t now, int64_t *wanted);
void scale_release(struct scale *scale);

/* ---- Files --------------------------------------------------------------------------------------- */

/* So many, or percent of the replicas. */
struct share {
	int64_t value;
	bool percent;
};

struct service_update {
	sl_time at;
	struct share surge, unavailable;
};

struct service {
	const struct sl_doc_node *map;
	const char *name;
	const struct sl_doc_node *load, *autoscaler;
	int64_t capacity, target; /* Millionths. */
	sl_time from, until, cold;
	int64_t initial;
	struct scale_options scale;
	struct service_update *update;
	uint32_t updates;
	char *text; /* For profiles; */
	struct sl_serves serves;
};

/* UINT32_MAX: none. */
struct replica {
	uint32_t service, member;
	sl_time submit, cancel;
	uint32_t retires; /* The member that goes once it is ready; */
	uint32_t after;   /* the one that it waits for. */
};

struct services_file {
	struct workflow_file w; /* Its document and cells. */
	const struct sl_sink *sink;
	struct service *service;
	uint32_t count;
	struct replica *replica;
	size_t replicas, capacity;
};

/* services_load.c: the service's text, from its load. */
int services_load(struct services_file *f, struct service *s);
/* services_scale_read.c */
int services_autoscaler(struct services_file *f, struct service *s);
int services_updates(struct services_file *f, const struct sl_doc_node *list, struct service *s);
/* A number with decimals from min to max, in millionths. */
int services_micro(const struct services_file *f, const struct sl_doc_node *node, int64_t min, int64_t max,
	int64_t *value);
int services_unknown(const struct services_file *f, const struct sl_doc_node *node, const char *known);

/* services_replicas.c: what comes and goes, in order of submission. */
int services_replicas(struct services_file *f, uint32_t number);
int services_rows(struct services_file *f);

extern const struct sl_reader services_reader;

#endif
