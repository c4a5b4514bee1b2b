/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_impact.h - waits by user, account, partition and size under one configuration and another.
 */
#ifndef SL_CHECK_IMPACT_H
#define SL_CHECK_IMPACT_H

#include "cli/base/render.h"
#include "cli/check/check.h"

/* What is kept of a job of a run. */
struct impact_job {
	const char *name; /* NULL: the number is all. */
	int64_t id;
	uint32_t row;
	int32_t size;
	uint32_t of[IMPACT_KINDS];                          /* Of the kind's names; UINT32_MAX: not known. */
	sl_time submit, wait, wait_total, end, held, limit; /* end: SL_NONE, it did not. */
	int64_t cpus;
	bool ran, completed;
	bool counts; /* It was submitted when the replay had begun. */
};
struct check_jobs {
	struct impact_job *job; /* By id. */
	uint32_t count;
	int64_t cpu_parts;
};

/* Jobs of two runs, those of one id side by side; NULL: it is not in that run. */
struct impact_walk {
	const struct check_jobs *was, *is;
	uint32_t was_at, is_at;
};
bool impact_next(struct impact_walk *walk, const struct impact_job **was, const struct impact_job **is);

/* Of a group, or of all. */
struct impact_row {
	const char *name;
	uint32_t ran, both, earlier, later; /* Before; before and after, and of these. */
	uint32_t gone, more;                /* Ran before and not now; and the other way. */
	uint32_t cut, whole;                /* Of both, those that completed before and do not now; and the
					     * other way. */
	sl_time was, is;                    /* Waits of both, summed. */
};
/* Of a case, over its runs. */
struct check_impact {
	const struct baseline_case *of; /* NULL: it was not run. */
	bool same;                      /* The same was read of both configurations. */
	struct impact_row all;
	struct impact_row *row[IMPACT_KINDS]; /* Most moved first; sizes ascend. */
	size_t count[IMPACT_KINDS];
};

enum { IMPACT_CELLS = 9 };
extern const char *const impact_heading[IMPACT_CELLS];
const char *impact_kind_name(size_t kind);
void impact_cells(char cell[IMPACT_CELLS][40], const struct impact_row *row);
/* Does anybody start at another time, or not at all? */
bool impact_moves(const struct impact_row *row);
/* Do other jobs run, or complete? */
bool impact_others(const struct impact_row *row);

/* Of the base's runs and the new ones: check->impact. */
int check_impact_find(struct check *check, struct sl_err *err);

/* check_both.c: a metric of the jobs' waits, which is compared over those that ran in both; that of each run,
 * and in the baseline's place, of a case in which other jobs ran. */
bool check_both_is(const struct baseline_metric *metric);
int check_both_restate(struct check *check, size_t which, struct sl_err *err);

/* check_impact_text.c */
void impact_print(const struct check *check, FILE *file);
void impact_markdown(const struct check *check, struct sl_out *out);
void impact_json(const struct check *check, struct json *json);
/* As lines of plain text, each handed to put. */
void impact_lines(const struct check *check, const struct check_impact *impact, void *self,
	void (*put)(void *self, const char *line));

#endif
