/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_repair.c - a row with more fields than columns: names hold the separator, and sacct does not say
 * where.
 *
 * Only columns of free text may hold it. Each way to share the surplus among them is weighed: all other
 * columns have to look like what they hold, and texts cost what is not likely. The cheapest way is taken if
 * there is one such; of two the row says nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/sacct.h"

enum { OF_SUBMITLINE = 1, EMPTY = 3 }; /* EMPTY: what is typed says something, where it can. */

uint8_t sacct_cost(unsigned column)
{
	return column == SACCT_SUBMITLINE    ? OF_SUBMITLINE
	       : column == SACCT_CONSTRAINTS ? 2
	       : column == SACCT_JOBNAME     ? 3
					     : 4;
}

static bool all_of(const char *p, size_t len, const char *set)
{
	for (size_t i = 0; i < len; i++)
		if (!p[i] || !strchr(set, p[i]))
			return false;
	return true;
}

static bool sacct_repair_is_word(const char *p, size_t len)
{
	static const char *const words[] = { "Unknown", "None", "N/A", "UNLIMITED", "NOT_SET",
		"Partition_Limit", "INVALID" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strlen(words[i]) == len && strncasecmp(p, words[i], len) == 0)
			return true;
	return false;
}

bool sacct_fits(enum sacct_kind kind, const char *p, size_t len)
{
	const struct sacct_cell cell = { len ? p : NULL, len };
	struct sacct_id id;
	if (!len)
		return kind != SACCT_ID && kind != SACCT_STATE_WORD;
	switch (kind) {
	case SACCT_NUMBER:
		return all_of(p, len, "0123456789") || sacct_repair_is_word(p, len);
	case SACCT_DATE:
		return sacct_repair_is_word(p, len) || all_of(p, len, "0123456789") ||
		       (len >= 10 && p[4] == '-' && all_of(p, len, "0123456789-T: ."));
	case SACCT_DURATION:
		return sacct_repair_is_word(p, len) || all_of(p, len, "0123456789:-.");
	case SACCT_ID:
		return sacct_id_of(&cell, &id);
	case SACCT_STATE_WORD:
		return p[0] >= 'A' && p[0] <= 'Z' && (len == 1 || (p[1] >= 'A' && p[1] <= 'Z'));
	case SACCT_TRES:
		return memchr(p, '=', len) != NULL;
	case SACCT_ANY:
	case SACCT_TEXT:
		break;
	}
	return true;
}

/* The cheapest way to a column's end, with so much of the surplus used. */
struct way {
	uint32_t cost; /* UINT32_MAX: there is none. */
	uint16_t took; /* By this column. */
	bool several;
};

struct table {
	struct way *way; /* [column][used], columns + 1 rows. */
	size_t width;
	const char *const *field;
	size_t separator;
};

static void better(struct way *way, const struct way *from, uint32_t cost, size_t took)
{
	if (from->cost == UINT32_MAX)
		return;
	const uint32_t sum = from->cost + cost;
	if (sum == way->cost)
		way->several = true;
	if (sum < way->cost)
		*way = (struct way){ sum, (uint16_t)took, from->several };
}

/* A line of options begins with its program, or is empty. */
static bool is_line(const char *p, size_t len)
{
	static const char *const programs[] = { "sbatch ", "srun ", "salloc ", "/" };
	for (size_t i = 0; i < SL_LEN(programs); i++)
		if (len >= strlen(programs[i]) && memcmp(p, programs[i], strlen(programs[i])) == 0)
			return true;
	return !len;
}

/* A text of took + 1 fields. One that begins or ends with a separator is odd. */
static uint32_t price(const struct table *t, uint8_t cost, size_t at, size_t took)
{
	const size_t last = at + took;
	const size_t first_len = (size_t)(t->field[at + 1] - t->field[at]) - t->separator;
	const bool hollow = !first_len || t->field[last + 1] - t->field[last] == (ptrdiff_t)t->separator;
	const bool no_line = cost == OF_SUBMITLINE && !is_line(t->field[at], first_len);
	return (took ? cost + (hollow ? 2U : 0U) : 0) + (no_line ? 5U : 0U);
}

static void column_in(struct table *t, size_t column, uint8_t kind, uint8_t cost)
{
	const struct way *before = &t->way[column * t->width];
	struct way *way = &t->way[(column + 1) * t->width];
	for (size_t used = 0; used < t->width; used++) {
		way[used] = (struct way){ UINT32_MAX, 0, false };
		if (kind == SACCT_TEXT) {
			for (size_t took = 0; took <= used; took++)
				better(&way[used], &before[used - took],
					price(t, cost, column + used - took, took), took);
			continue;
		}
		const char *p = t->field[column + used];
		const size_t len = (size_t)(t->field[column + used + 1] - p) - t->separator;
		if (before[used].cost < UINT32_MAX && sacct_fits(kind, p, len))
			better(&way[used], &before[used], kind == SACCT_ANY || len ? 0 : EMPTY, 0);
	}
}

bool sacct_repair(const uint8_t *kind, const uint8_t *cost, size_t columns, const struct sacct_fields *field,
	uint32_t *first)
{
	const size_t excess = field->count - columns;
	struct table t = { NULL, excess + 1, field->at, field->separator };
	if (excess > SACCT_EXCESS_MAX)
		return false;
	t.way = malloc((columns + 1) * t.width * sizeof(*t.way));
	if (!t.way)
		return false;
	for (size_t used = 0; used <= excess; used++)
		t.way[used] = (struct way){ used ? UINT32_MAX : 0, 0, false };
	for (size_t column = 0; column < columns; column++)
		column_in(&t, column, kind[column], cost[column]);
	const struct way *end = &t.way[columns * t.width + excess];
	const bool found = end->cost < UINT32_MAX && !end->several;
	size_t used = excess;
	for (size_t column = columns; found && column-- > 0;) {
		used -= t.way[(column + 1) * t.width + used].took;
		first[column] = (uint32_t)(column + used);
	}
	free(t.way);
	return found;
}
