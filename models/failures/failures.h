/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures.h - nodes and jobs fail, and are mended: what the files of the model share.
 *
 * A node's failures are drawn from a stream of its own ("models/failures/node/NAME"), each failure from the
 * same number of uniforms, whatever they are used for. Nothing that a scheduler does reaches the stream, so
 * all policies meet the same failures at the same times, and a change of one parameter moves no other draw.
 *
 * A failure has a time (`at`), a time at which somebody notices (`seen`, the same unless the fault is
 * hidden), and a time to mend. With clock=up the next one is counted from the nominal return, seen + mend;
 * with clock=wall from `at`. One that falls while its node is away (in an outage before it, or drained for
 * longer than nominal) is passed over: a node cannot fail twice.
 */
#ifndef SL_MODELS_FAILURES_H
#define SL_MODELS_FAILURES_H

#include "sim/plugin.h"

#define FAIL_DAY  (INT64_C(86400) * SL_SECOND)
#define FAIL_HOUR (INT64_C(3600) * SL_SECOND)

enum { FAIL_CAUSES_MAX = 1000, FAIL_REPAIRS_MAX = 100, FAIL_LISTED_MAX = 100000000, FAIL_LOG_MAX = 1 << 24 };
enum { FAIL_RECORDS_MAX = 1 << 24 };
enum { FAIL_BINS = 32 }; /* Of job sizes: nodes in [2^i, 2^(i+1)). */

/* What a cause needs, in place of an index of fail_repair. */
#define FAIL_REPAIR_DRAWN UINT32_MAX       /* Any, by their shares. */
#define FAIL_REPAIR_NONE  (UINT32_MAX - 1) /* Nothing: jobs on the node fail, the node stays up. */

struct fail_cause {
	const char *name;
	int64_t share; /* A weight, in millionths. */
	uint32_t repair;
	/* Sums of the run: */
	uint64_t count, jobs; /* Failures; jobs that they ended. */
	int64_t down;         /* Time out of service, in node-ms. */
	int64_t lost;         /* Work lost, in node-ms; */
	int64_t lost_gpu;     /* in GPU-ms. */
};

/* A class of repairs: soft reset, swap... */
struct fail_repair {
	const char *name;
	int64_t share;
	sl_time time;
};

enum fail_repairs { FAIL_REPAIRS_CLASSES, FAIL_REPAIRS_LOGNORMAL, FAIL_REPAIRS_FIXED };
enum fail_clock { FAIL_CLOCK_UP, FAIL_CLOCK_WALL };
/* How the section `failures` names nodes. */
enum fail_match { FAIL_MATCH_NONE, FAIL_MATCH_NAME, FAIL_MATCH_TYPE };
enum fail_ettr { FAIL_ETTR_ELIGIBLE, FAIL_ETTR_STARTED };

/* How a node fails. */
struct fail_process {
	double scale; /* us; 0: it never fails. */
	double shape; /* Of Weibull's distribution; 1: exponential. */
};

/* As the parameters say. Shares are in [0, 1]. */
struct fail_options {
	struct fail_process process; /* Of a node of which the cluster's file says nothing else. */
	double lemon_share, lemon_factor;
	enum fail_clock clock;
	enum fail_repairs repairs;
	double repair_median, repair_sigma; /* Lognormal: us, of ln us. */
	sl_time repair_fixed;
	bool return_known;
	double hidden;
	double hidden_mean; /* us */
	sl_time check;
	double detect, false_alarms;
	sl_time alarm_time;
	bool drain_waits;
	double job_rate, gpu_rate; /* Failures of a job, of one of its GPUs, in 1 us. */
	double job_share, job_at;  /* job_at: negative: anywhere. */
	double cancel_share, oom_share;
	bool recorded_too;
	uint32_t retries, attempts;
	sl_time backoff;
	bool gangs;
	uint32_t spares;
	enum fail_ettr ettr;
	uint32_t ettr_nodes;
	const uint8_t *match; /* By setting of the cluster: enum fail_match. */
};

/* One failure of a node. */
struct fail_event {
	sl_time at, seen; /* SL_NEVER: never. */
	sl_time mend;     /* How long the node is away then; 0: it stays. */
	uint32_t cause;
	bool hidden;
};

enum fail_state {
	FAIL_UP,
	FAIL_FAULTY,   /* Jobs on it fail, and nobody has noticed. */
	FAIL_DRAINING, /* Noticed: what runs there goes on, */
	FAIL_DOWN      /* and it is mended. */
};
enum fail_role { FAIL_ROLE_PLAIN, FAIL_ROLE_SPARE, FAIL_ROLE_SERVING };

struct fail_node {
	struct sl_rng rng, alarm_rng, hurt_rng;
	struct fail_process process;
	struct fail_event next, now; /* The failure to come; the one it suffers from. */
	sl_time alarm;               /* The next false alarm; SL_NEVER: none. */
	sl_time back, down_since;
	uint32_t record; /* Of `now`, of failures.record. */
	uint32_t stands_for, stand_in;
	sl_time serving_since;
	uint32_t away; /* By whichever model it is down, as reported; how often. */
	sl_time away_since;
	uint8_t state, role; /* enum fail_state, fail_role */
	bool lemon;
};

/* Nodes that fail together: below a switch, in a power domain, all that use a file system. Or a line of a
 * log. */
struct fail_group {
	struct sl_rng rng;
	const char *name;
	double mean; /* us between outages; 0: of a log: once, from `next` until `back`. */
	sl_time time;
	const uint32_t *node;
	uint32_t node_count, cause, record;
	sl_time next, back;
	bool out, drain;
};

struct fail_job {
	uint32_t at;       /* Its place in failures.running, and 1; 0: it holds nothing. */
	uint32_t attempt;  /* From 1. */
	uint32_t hit;      /* The record of what it fails by now, and 1. */
	uint32_t nodes;    /* That it holds; on a counted pool 1. */
	uint32_t own;      /* Of its failures, those that were its own; */
	uint32_t failures; /* all of them. */
	sl_time started;   /* This interval. */
	sl_time first;     /* Its first start; SL_NONE: none yet. */
	sl_time failed;    /* It waits since a failure; SL_NONE: it does not. */
	sl_time work;      /* Of all attempts, as it failed. */
	sl_time due, hurt; /* Its own failure; that by a hidden fault. SL_NEVER: none. */
	sl_time due_work;  /* It fails (or is cancelled) after so much work; SL_NEVER: never. */
	sl_time wake;      /* When that is looked at again. */
	sl_time paused;    /* It stands still on its nodes since then; SL_NONE: it does not. */
	sl_time productive, ended;
	uint8_t due_state; /* enum sl_state, of due_work. */
	bool victim;       /* Is being listed as one of failures.victim. */
};

/* A line of failures.csv. */
struct fail_record {
	sl_time at, until; /* SL_NONE: not back by the end. */
	const char *what;  /* Node, group or job. */
	uint32_t cause, jobs;
	int64_t lost_gpu;
};

struct fail_bin {
	int64_t held, node_held; /* ms, node-ms */
	uint64_t attempts, failures;
};

struct failures {
	struct sl_model_setup setup; /* As of init, but for values. */
	struct fail_options options;
	struct fail_cause *cause;
	uint32_t cause_count, cause_drawn; /* The first cause_drawn are those of nodes. */
	uint32_t cause_job, cause_cancel, cause_oom, cause_hidden, cause_alarm, cause_leaf, cause_domain,
		cause_fs;
	struct fail_repair *repair;
	uint32_t repair_count;
	struct fail_node *node;
	uint32_t node_count;
	struct fail_group *group;
	uint32_t group_count, group_capacity;
	const void *named; /* Nodes by name: failures_groups.c's. */
	uint64_t listed;   /* Hosts named in lists, over all. */
	struct fail_job *job;
	uint32_t *running, *victim;
	uint32_t running_count;
	struct fail_record *record;
	uint32_t record_count, record_capacity, records_dropped;
	uint32_t draining;
	bool left_now, failures_cause;
	sl_time begun;
	struct fail_bin bin[FAIL_BINS];
	/* Sums of the run. */
	int64_t away;                    /* Node-ms that nodes were down, by whichever model. */
	int64_t serving;                 /* Node-ms that spares stood in. */
	int64_t useful_gpu, restart_gpu; /* GPU-ms */
	int64_t useful, restart;         /* Node-ms */
	uint64_t passed_over;            /* Failures of nodes that were away. */
	uint64_t served, wanted;         /* Spares that stood in; failures for which there was none. */
};

/* failures_options.c: the parameters, and the section of the cluster's file. */
enum { FAIL_PARAMS = 44 };
extern const struct sl_param failures_params[FAIL_PARAMS];
int failures_options_read(
	struct fail_options *options, const struct sl_model_setup *setup, struct sl_err *err);
/* Of the node's entry in the section `failures`, else as of the options. */
int failures_process_of(const struct fail_options *options, const struct sl_model_setup *setup, uint32_t node,
	struct fail_process *process, struct sl_err *err);

/* failures_draw.c: from one uniform in [0, 1) each, rounded to microseconds; SL_NEVER beyond 3 000 years. */
struct fail_process failures_process(double mean_us, double shape);
sl_time failures_weibull(const struct fail_process *process, double u);
sl_time failures_exponential(double mean_us, double u);
sl_time failures_lognormal(double median_us, double sigma, double u);
/* How many checks until the first that finds it, from 1; SL_NEVER: none ever. */
int64_t failures_checks(double probability, double u);
/* The node's next failure after `from`, from five uniforms of its stream. */
struct fail_event failures_next(const struct failures *f, struct fail_node *node, sl_time from);
/* From where the one after is counted. */
sl_time failures_after(const struct failures *f, const struct fail_event *event);
sl_time failures_later(sl_time at, sl_time range);

/* failures_causes.c */
int failures_causes_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err);
uint32_t failures_cause_of(
	struct failures *f, const char *name, size_t len); /* UINT32_MAX: the table is full. */

/* failures_groups.c: leaves, power domains, file systems, lines of a log. */
int failures_groups_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err);
int failures_group_add(struct failures *f, const struct fail_group *group, struct sl_err *err);
void failures_groups_begin(struct failures *f, struct sim *sim);
void failures_group_out(struct failures *f, struct sim *sim, uint32_t group);
void failures_group_back(struct failures *f, struct sim *sim, uint32_t group);
/* Nodes of a list of hosts, ascending; each once. */
int failures_hosts(struct failures *f, const char *text, const struct sl_place *at, const uint32_t **node,
	uint32_t *count, struct sl_err *err);

/* failures_log.c */
int failures_log_read(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err);
/* Those of the parameter `outages`. */
int failures_outages_read(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err);

/* failures_nodes.c */
int failures_nodes_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err);
void failures_nodes_begin(struct failures *f, struct sim *sim);
void failures_node_due(struct failures *f, struct sim *sim, uint32_t node);
void failures_node_seen(struct failures *f, struct sim *sim, uint32_t node);
void failures_node_alarm(struct failures *f, struct sim *sim, uint32_t node);
void failures_node_back(struct failures *f, struct sim *sim, uint32_t node);
void failures_drained(struct failures *f, struct sim *sim); /* Nodes that are empty by now. */

/* failures_jobs.c */
void failures_job_started(struct failures *f, struct sim *sim, uint32_t job);
void failures_job_left(struct failures *f, struct sim *sim, uint32_t job, enum sl_left how);
void failures_job_due(struct failures *f, struct sim *sim, uint32_t job);
void failures_job_work(struct failures *f, struct sim *sim, uint32_t job);
void failures_job_hurt(struct failures *f, struct sim *sim, uint32_t job);
/* Jobs on these nodes fail, for what the record says. */
void failures_hit_nodes(
	struct failures *f, struct sim *sim, const uint32_t *node, uint32_t count, uint32_t record);
bool failures_node_in_use(struct failures *f, struct sim *sim, uint32_t node);
void failures_hurt_node(struct failures *f, struct sim *sim, uint32_t node);
/* It held what it holds until now; over: its attempt ends. */
void failures_bin_held(struct failures *f, struct fail_job *job, sl_time now, bool over);

/* failures_report.c */
/* One more line; beyond FAIL_RECORDS_MAX, or without memory, UINT32_MAX, and it is counted as dropped. */
uint32_t failures_record(struct failures *f, sl_time at, const char *what, uint32_t cause);
/* So many nodes (or GPUs, in parts) for so many us, in node-ms. */
int64_t failures_times(int64_t count, sl_time range, int64_t parts);
int failures_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

/* failures.c: what sl_model_wake's rows are. */
enum fail_timer {
	FAIL_T_NODE,
	FAIL_T_SEEN,
	FAIL_T_ALARM,
	FAIL_T_BACK,
	FAIL_T_GROUP,
	FAIL_T_GROUP_BACK,
	FAIL_T_JOB,
	FAIL_T_WORK,
	FAIL_T_HURT,
	FAIL_TIMERS = 16 /* A power of two, for the row. */
};
void failures_wake(struct sim *sim, sl_time at, enum fail_timer what, uint32_t index);

#endif
