/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_impact.h - who waits how long under one configuration and another.
 */
#ifndef SL_CHECK_IMPACT_H
#define SL_CHECK_IMPACT_H

#include "sim/cli/check.h"

/* Of a group, or of all. */
struct impact_row {
	const char *name;
	uint32_t ran, both, earlier, later; /* Before; before and after, and of these. */
	uint32_t gone, more;                /* Ran before and not now; and the other way. */
	uint32_t cut;                       /* Of both, those that completed before and do not now. */
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

enum { IMPACT_CELLS = 8 };
extern const char *const impact_heading[IMPACT_CELLS];
const char *impact_kind_name(size_t kind);
void impact_cells(char cell[IMPACT_CELLS][40], const struct impact_row *row);
/* Does anybody start at another time, or not at all? */
bool impact_moves(const struct impact_row *row);

/* Of the base's runs and the new ones: check->impact. */
int check_impact_find(struct check *check, struct sl_err *err);

/* check_impact_text.c */
void impact_print(const struct check *check, FILE *file);
void impact_markdown(const struct check *check, struct sl_out *out);
void impact_json(const struct check *check, struct sl_out *out);
/* As lines of plain text, each handed to put. */
void impact_lines(const struct check *check, const struct check_impact *impact, void *self,
	void (*put)(void *self, const char *line));

#endif
