/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * eligibility_parts.h - what eligibility.c and eligibility_make.c alone share.
 *
 * A list of dependencies is split into clauses, all of which must be satisfied; a clause is one dependency,
 * or several of which one must be ("?"), each perhaps a chain of an array's tasks. Each is met from a time
 * on, which may lie ahead (a delay), and which only a further alternative can bring nearer.
 */
#ifndef SL_ELIGIBILITY_PARTS_H
#define SL_ELIGIBILITY_PARTS_H

#include "sim/run/pass.h"

/* Met before all time. */
#define LONG_AGO (INT64_MIN / 2)

/* The dependencies that some jobs have in common. */
struct list {
	const struct sl_depend *depend;
	uint32_t count, unmet;    /* unmet: clauses. */
	uint32_t first;           /* Of `clause`, one for each dependency. */
	uint32_t job_eligibility; /* The first job of it, UINT32_MAX; others by job_eligibility.next. */
	sl_time met;              /* SL_NEVER: not yet. */
	bool never;               /* It cannot be met any more. */
};

/* Tasks of one array, of which only so many may be in the queue or run. */
struct array {
	struct evq waiting; /* (task, row): they may but for that. */
	uint32_t inside;
	bool listed; /* In `changed`. */
};

struct job_eligibility {
	uint32_t job;
	uint32_t list, next; /* UINT32_MAX: none. */
	uint32_t array;      /* The same. */
	sl_time single;      /* Since when it is the first of its name and user; SL_NEVER: it is not. */
	enum sl_reason reason;
	bool arrived; /* Nothing but its array keeps it. */
	bool inside;  /* Of its array. */
};

/* The lists to update when a job starts or ends. */
struct dependent {
	uint32_t list, item;
};

struct eligibility {
	struct job_eligibility *job_eligibility;
	uint32_t job_eligibility_count;
	uint32_t *job_eligibility_of; /* By job; UINT32_MAX: none. */
	struct list *list;
	uint32_t list_count;
	sl_time *clause; /* At the place of each one's first: SL_NEVER, SL_NONE (never can be), or since when.
			  */
	struct dependent *dependent;
	size_t *dependent_first; /* By job, and one more; NULL: there are no dependencies. */
	struct array *array;
	uint32_t array_count;
	uint32_t *changed; /* Arrays below their limit, with waiting tasks. */
	size_t changed_count;
	bool dependencies_alone;
	struct evq opening; /* (time, row); stale where the job is released, or not due yet. */
	/* Singletons. Jobs by name and user, in order; NULL: there are none. */
	uint32_t *member, *member_end, *cursor;
	uint32_t *singleton_of; /* By job; UINT32_MAX: of none. */
	uint32_t singleton_count;
};

static inline const struct sl_job_attributes *more_of(const struct sim *sim, uint32_t job)
{
	return &sim->jobs->more[sim->jobs->more_of[job]];
}

static inline struct job_eligibility *job_eligibility_of(const struct sim *sim, uint32_t job)
{
	const uint32_t job_eligibility = sim->eligibility->job_eligibility_of[job];
	return job_eligibility == UINT32_MAX ? NULL : &sim->eligibility->job_eligibility[job_eligibility];
}

static inline bool is_joined(const struct sl_depend *depend) { return depend->or_next || depend->with_next; }

/* The row in this run, UINT32_MAX: it is not part of it. */
uint32_t eligibility_row_of(const struct sim *sim, const struct sl_depend *depend);
/* Since when the clause that begins with this one is met; SL_NEVER: not yet, SL_NONE: it cannot be any more.
 */
sl_time eligibility_clause_met(const struct sim *sim, const struct list *list, uint32_t item);
/* Since when the list is, all of whose clauses are. */
void eligibility_list_sum(const struct eligibility *eligibility, struct list *list);
/* The first of a name and user that is left, if it was not that before and may wait for it. */
struct job_eligibility *eligibility_singleton_first(const struct sim *sim, uint32_t singleton);

#endif
