/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain.h - why a job, or a group of jobs, waited: from a rerun with reasons recorded.
 *
 * What is found is collected first (structs here), and reported afterwards, to people (explain_text.c) or to
 * programs (explain_json.c): both say the same. Nothing is guessed: reasons are what the policy charged,
 * figures are the engine's at that moment of the replay, what would have been is simulated again.
 */
#ifndef SL_EXPLAIN_H
#define SL_EXPLAIN_H

#include "cli/moment/view.h"

/* A figure beside a sentence, for programs. */
struct fact {
	const char *key;
	const char *text; /* NULL: it is the number, in millionths. */
	int64_t micro;
};

/* What was found at one moment: sentences, and their figures. */
enum { SAID_MAX = 24, FACTS_MAX = 48 };
struct look {
	sl_time at;
	const char *said[SAID_MAX];
	size_t said_count;
	struct fact fact[FACTS_MAX];
	size_t fact_count;
};

/* An interval of waiting that is charged to one reason. */
struct charge {
	sl_time from, until;
	enum sl_reason reason;
	uint32_t detail;
	uint32_t count; /* Intervals that are reported as one: from and until are those of the longest, */
	sl_time total;  /* and this is their sum. */
	struct look *look;
};

/* Jobs that started while it waited. */
struct started {
	uint32_t job;
	sl_time at;
	enum sl_rule rule;
	bool later;          /* It was submitted later. */
	int64_t cpu_seconds; /* Of the whole of its run: cpu-seconds. */
};
struct ahead {
	struct started *job; /* Those submitted later, largest first. */
	size_t count;
	size_t later, earlier;
	int64_t later_cpu_seconds, earlier_cpu_seconds;
	uint64_t cause_rule[SL_RULE_COUNT]; /* Of those submitted later. */
	int64_t rule_cpu_seconds[SL_RULE_COUNT];
	size_t preempted_for; /* Preemptions for its sake; */
	size_t preempted;     /* and of it: */
	uint32_t preempted_by[8];
};

/* A planned start, and how it moved. */
struct plan {
	sl_time at, start; /* start: SL_NONE: none any more. */
	const char *why;   /* What happened then. */
};

/* What would have been. */
enum outcome { OUTCOME_STARTED, OUTCOME_NEVER, OUTCOME_REFUSED, OUTCOME_FAILED };
struct what_if {
	const char *key, *words; /* "limit"; "with a limit of 8:00:00" */
	const char *setting[4];  /* "replay.change=job=17 limit=8h" */
	size_t setting_count;
	enum outcome outcome;
	sl_time start;
	char why[200]; /* Of a refusal or failure. */
};

/* The job was evicted, by a policy that reports evictions: in its words; NULL: not reported. */
struct evicted {
	sl_time at;
	const char *how, *why, *by, *by_queue, *message;
};

/* A step of a job's way through its policy's states. */
struct step {
	const char *at, *what; /* at: in seconds. */
};

struct explain {
	struct view view; /* The whole run, rerun: its result, jobs, cluster. */
	struct registry *registry;
	const char *path;
	const char *until; /* It stands there, in seconds: what comes later is not known. NULL: its end. */
	uint32_t job;
	const char *id; /* Of the job, as it is spelled. */
	bool all, json, what_if;
	const char *const *wanted; /* --what-if, closed by NULL; NULL: what suits the case. */
	unsigned threads;

	/* Of one job. */
	struct charge *charge; /* In the order of time, or (merged) the longest first. */
	size_t charge_count;
	bool merged;
	struct ahead ahead;
	struct plan *plan;
	size_t plan_count, plan_moves;
	struct evicted *eviction; /* In the order of time. */
	size_t eviction_count;
	struct step *step; /* In the order of time. */
	size_t step_count;
	struct what_if *other;
	size_t other_count;
	struct look *waits; /* At the end, of a job that was never started; else NULL. */
	enum sl_reason waits_for;
	sl_time waited;
	uint32_t rank, ranked;           /* So many waited less, of so many; */
	uint32_t rank_part, ranked_part; /* and of its partition, 0: it has none. */
};

/* explain.c */
/* How many of these, in the order of time, come before it; `with`: or at it. A time is each one's first
 * member. */
size_t times_before(const void *list, size_t count, size_t size, sl_time at, bool with);
/* The run of that directory or snapshot, rerun, with reasons, places and decisions. */
int explain_open(struct explain *explain, const char *path, struct registry *registry, struct sl_err *err);
void explain_close(struct explain *explain);
/* SL_USAGE: there is none, and which is similar. */
int explain_find(const struct explain *explain, const char *text, uint32_t *job, struct sl_err *err);
/* The intervals of one job's waiting into the array, which grows (malloc): how many; SIZE_MAX: no memory. */
size_t charges_fill(const struct explain *explain, uint32_t job, struct charge **charge, size_t *capacity);
int explain_job(struct explain *explain, struct sl_err *err);

/* Texts in the arena; "" when memory is out. */
const char *report_text(const struct explain *explain, const char *format, ...) SL_PRINTF(2, 3);
const char *cell_text(const struct explain *explain, struct cell *cell); /* Which is freed. */
const char *id_text(const struct explain *explain, uint32_t job);
const char *user_text(const struct explain *explain, uint32_t job); /* "alice", "user 3" */
const char *account_text(const struct explain *explain, uint32_t job);
const char *partition_text(const struct explain *explain, uint32_t job);
const char *time_text(const struct explain *explain, sl_time at); /* A date, or how long after zero. */
const char *range_text(const struct explain *explain, sl_time length);
const char *count_words(const struct explain *explain, uint64_t count, const char *one, const char *many);
const char *asked_text(const struct explain *explain, uint32_t job); /* "32 GPUs and 64 cpus on 4 nodes" */
const char *hours_text(const struct explain *explain, int64_t cpu_seconds); /* "1,204 cpu-hours" */
int64_t cpu_seconds_of(const struct explain *explain, uint32_t job);
void look_says(const struct explain *explain, struct look *look, const char *format, ...) SL_PRINTF(3, 4);
void look_fact(struct look *look, const char *key, int64_t micro);
void look_word(struct look *look, const char *key, const char *text);

/* explain_look.c: the state of a replay that stands at a moment at which the job waits. view: of that replay.
 */
void look_at(
	const struct explain *explain, struct sim_run *sim, const struct charge *charge, struct look *look);
/* explain_kueue.c: what Kueue says of the job then; nothing under other policies. When it was evicted. */
void look_at_kueue(const struct explain *explain, struct sl_pass *pass, struct look *look);
/* explain_runai.c: likewise, what KAI says. */
void look_at_runai(const struct explain *explain, struct sl_pass *pass, struct look *look);
int series_find(struct explain *explain, struct sl_err *err);
int evictions_find(struct explain *explain, struct sl_err *err);
/* explain_who.c: who started meanwhile, and what was planned. */
int ahead_find(struct explain *explain, struct sl_err *err);
int plans_find(struct explain *explain, struct sl_err *err);
/* explain_if.c */
int what_if_find(struct explain *explain, struct sl_err *err);
extern const char *const what_if_keys[]; /* Closed by NULL. */

/* explain_when.c: printed at once. at: NULL: where the run was stopped. */
int explain_when(struct explain *explain, const char *at, bool json, struct sl_err *err);

/* explain_live.c: a dump of a live cluster in place of a run's directory. */
bool explain_is_live(const char *path);
int explain_live(const struct args *args, struct sl_err *err);

/* explain_text.c, explain_json.c */
void print_wrapped(
	size_t column, size_t indent, const char *text); /* From that column on, within the width. */
const char *plain_text(const struct explain *explain, const char *text); /* Control characters as '?'. */
const char *share_text(const struct explain *explain, int64_t part, int64_t of); /* "98.2 %" */
void explain_print(const struct explain *explain);
/* Members of a JSON object, behind a comma; the first one of them without. Times that are none are null. */
void member_first(struct sl_out *out, const char *key, const char *text);
void member_text(struct sl_out *out, const char *key, const char *text);
void member_micro(struct sl_out *out, int64_t micro); /* The number alone. */
void member_number(struct sl_out *out, const char *key, int64_t micro);
int explain_json(const struct explain *explain, struct sl_err *err);

/* explain_group.c: where the waiting of a group went. */
struct group_wanted {
	const char *user, *account, *partition; /* NULL: any. */
	uint32_t top;
	bool json;
};
int explain_group(struct explain *explain, const struct group_wanted *wanted, struct sl_err *err);

#endif
