/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * columns.c - the job table while it is filled; see columns.h.
 */
#include "sim/base/columns.h"

#include <stdlib.h>
#include <string.h>

static size_t element_of(enum column which)
{
	const bool narrow = which >= COLUMN_SIZE && which <= COLUMN_PLACE;
	return narrow ? sizeof(int32_t) : sizeof(int64_t);
}

static int column_resize(struct columns *columns, enum column which, size_t rows, struct sl_err *err)
{
	return sl_array_resize(&columns->at[which], element_of(which), rows, err);
}

static bool is_optional(enum column which)
{
	return which == COLUMN_WAIT || which == COLUMN_CANCEL || which == COLUMN_PREV ||
	       which == COLUMN_THINK || which == COLUMN_REQUEST || which == COLUMN_GANG ||
	       which == COLUMN_MORE || which == COLUMN_GPU_ACTIVE || which == COLUMN_PROFILE ||
	       which == COLUMN_LIMIT_KIND;
}

int columns_want(struct columns *columns, enum column which, struct sl_err *err)
{
	SL_CHECK(is_optional(which) && columns->capacity);
	if (columns->at[which])
		return SL_OK;
	const int status = column_resize(columns, which, columns->capacity, err);
	for (uint32_t row = 0; row < columns->count && !status; row++)
		if (which < COLUMN_SIZE)
			column_i64(columns, which)[row] = SL_NONE;
		else
			column_i32(columns, which)[row] =
				which == COLUMN_MORE || which == COLUMN_PROFILE ? 0 : -1;
	return status;
}

int columns_expect(struct columns *columns, size_t rows, struct sl_err *err)
{
	const size_t rows_max = UINT32_MAX; /* The last row number is no job's. */
	if (columns->capacity == rows_max)
		return sl_fail(err, SL_INPUT, "more than %zu jobs: split the trace", rows_max);
	const size_t capacity = rows < rows_max ? rows : rows_max;
	for (enum column which = 0; which < COLUMN_ROWS; which++) {
		if (is_optional(which) && !columns->at[which])
			continue;
		const int status = column_resize(columns, which, capacity, err);
		if (status)
			return status;
	}
	columns->capacity = capacity;
	return SL_OK;
}

int columns_reserve(struct columns *columns, struct sl_err *err)
{
	if (columns->count < columns->capacity)
		return SL_OK;
	return columns_expect(columns, columns->capacity ? 2 * columns->capacity : 1024, err);
}

int columns_add(struct columns *columns, enum column which, struct sl_err *err)
{
	SL_CHECK(which >= COLUMN_ROWS && !columns->at[which]);
	columns->at[which] = calloc(columns->count ? columns->count : 1, element_of(which));
	return columns->at[which] ? SL_OK : sl_fail_memory(err);
}

void columns_drop(struct columns *columns, enum column which)
{
	free(columns->at[which]);
	columns->at[which] = NULL;
}

struct sort_key {
	sl_time submit;
	uint32_t row;
};

static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *x = a;
	const struct sort_key *y = b;
	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The column with rows as place says, through a copy of it. */
static void columns_gather_here(
	void *column, void *copy, size_t element, const uint32_t *place, uint32_t count)
{
	memcpy(copy, column, count * element);
	if (element == sizeof(int64_t)) {
		int64_t *to = column;
		const int64_t *from = copy;
		for (uint32_t row = 0; row < count; row++)
			to[row] = from[place[row]];
	} else {
		int32_t *to = column;
		const int32_t *from = copy;
		for (uint32_t row = 0; row < count; row++)
			to[row] = from[place[row]];
	}
}

int columns_sort(struct columns *columns, struct sl_err *err)
{
	if (!columns->unsorted)
		return SL_OK;
	const uint32_t count = columns->count;
	int status = columns_add(columns, COLUMN_PLACE, err);
	if (status)
		return status;
	struct sort_key *key = malloc(count * sizeof(*key));
	if (!key)
		return sl_fail_memory(err);
	const sl_time *submit = column_i64(columns, COLUMN_SUBMIT);
	for (uint32_t row = 0; row < count; row++)
		key[row] = (struct sort_key){ submit[row], row };
	qsort(key, count, sizeof(*key), compare_keys);
	uint32_t *place = columns->at[COLUMN_PLACE];
	for (uint32_t row = 0; row < count; row++)
		place[row] = key[row].row;
	/* The keys are done with: their memory serves for the copies. */
	for (enum column which = 0; which < COLUMN_ROWS; which++)
		if (columns->at[which])
			columns_gather_here(columns->at[which], key, element_of(which), place, count);
	free(key);
	return SL_OK;
}

/* Places of the rows as ranks among themselves; there were `before` of them. */
static int rank_places(const struct columns *columns, uint32_t before, struct sl_err *err)
{
	uint32_t *place = columns->at[COLUMN_PLACE];
	uint32_t *rank = calloc(before, sizeof(*rank));
	if (!rank)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < columns->count; row++)
		rank[place[row]] = 1;
	uint32_t next = 0;
	for (uint32_t i = 0; i < before; i++) {
		const uint32_t stays = rank[i];
		rank[i] = next;
		next += stays;
	}
	for (uint32_t row = 0; row < columns->count; row++)
		place[row] = rank[place[row]];
	free(rank);
	return SL_OK;
}

int columns_slice(struct columns *columns, uint32_t first, uint32_t count, struct sl_err *err)
{
	const uint32_t before = columns->count;
	SL_CHECK(first <= before && count <= before - first);
	if (count == before)
		return SL_OK;
	columns->count = count;
	for (enum column which = 0; first && which < COLUMN_COUNT; which++) {
		char *column = columns->at[which];
		if (column)
			memmove(column, column + first * element_of(which), count * element_of(which));
	}
	return columns->at[COLUMN_PLACE] ? rank_places(columns, before, err) : SL_OK;
}

static void move_row(const struct columns *columns, uint32_t to, uint32_t from)
{
	for (enum column which = 0; which < COLUMN_COUNT; which++) {
		char *column = columns->at[which];
		const size_t element = element_of(which);
		if (column)
			memmove(column + to * element, column + from * element, element);
	}
}

int columns_keep(
	struct columns *columns, bool (*stays)(void *self, uint32_t row), void *self, struct sl_err *err)
{
	const uint32_t before = columns->count;
	uint32_t kept = 0;
	for (uint32_t row = 0; row < before; row++)
		if (stays(self, row))
			move_row(columns, kept++, row);
	columns->count = kept;
	return columns->at[COLUMN_PLACE] && kept < before ? rank_places(columns, before, err) : SL_OK;
}

int columns_gather(struct columns *columns, const uint32_t *rows, uint32_t count, struct sl_err *err)
{
	SL_CHECK(count && !columns->at[COLUMN_PLACE]);
	for (enum column which = 0; which < COLUMN_COUNT; which++) {
		if (!columns->at[which])
			continue;
		const size_t element = element_of(which);
		const char *from = columns->at[which];
		char *to = malloc(count * element);
		if (!to)
			return sl_fail_memory(err);
		for (uint32_t row = 0; row < count; row++)
			memcpy(to + row * element, from + rows[row] * element, element);
		free(columns->at[which]);
		columns->at[which] = to;
	}
	columns->count = count;
	columns->capacity = count;
	columns->unsorted = false;
	return SL_OK;
}

void columns_lend(const struct columns *columns, struct sl_jobs *jobs)
{
	*jobs = (struct sl_jobs){
		.count = columns->count,
		.id = columns->at[COLUMN_ID],
		.submit = columns->at[COLUMN_SUBMIT],
		.run = columns->at[COLUMN_RUN],
		.limit = columns->at[COLUMN_LIMIT],
		.size = columns->at[COLUMN_SIZE],
		.user = columns->at[COLUMN_USER],
		.account = columns->at[COLUMN_ACCOUNT],
		.partition = columns->at[COLUMN_PARTITION],
		.wait_recorded = columns->at[COLUMN_WAIT],
		.estimate = columns->at[COLUMN_ESTIMATE],
		.cancel = columns->at[COLUMN_CANCEL],
		.ran = columns->at[COLUMN_RAN],
		.place = columns->at[COLUMN_PLACE],
		.request = columns->at[COLUMN_REQUEST],
		.gang = columns->at[COLUMN_GANG],
		.more_of = columns->at[COLUMN_MORE],
		.gpu_active = columns->at[COLUMN_GPU_ACTIVE],
		.profile_of = columns->at[COLUMN_PROFILE],
		.id_name = columns->at[COLUMN_ID_NAME],
	};
}

void columns_free(struct columns *columns)
{
	if (!columns)
		return;
	for (enum column which = 0; which < COLUMN_COUNT; which++)
		free(columns->at[which]);
	free(columns);
}
