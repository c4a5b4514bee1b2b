/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_names.c - users, accounts, partitions, gangs and ids that are names.
 *
 * A column is of bare numbers until the first name comes; from then on it is of indices into a table of
 * names, in order of first appearance, and the numbers before become names as they are spelled. Ids are
 * numbers each for itself: a name's is negative.
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

static enum column column_of(enum named which)
{
	static const enum column column[] = {
		[NAMED_USER] = COLUMN_USER,
		[NAMED_ACCOUNT] = COLUMN_ACCOUNT,
		[NAMED_PARTITION] = COLUMN_PARTITION,
		[NAMED_GANG] = COLUMN_GANG,
	};
	return column[which];
}

static int number_named(
	struct loading *loading, enum named which, int64_t number, int32_t *index, struct sl_err *err)
{
	char text[32];
	uint32_t place;
	*index = -1;
	if (number < 0)
		return SL_OK;
	const size_t len = (size_t)(sl_put_i64(text, number) - text);
	const int status =
		names_add(&loading->names[which], loading->scenario->arena, text, len, &place, err);
	if (!status)
		*index = (int32_t)place;
	return status;
}

/* The first name: numbers so far become names too. */
static int column_named(struct loading *loading, enum named which, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	int32_t *column = column_i32(columns, column_of(which));
	int status = SL_OK;
	for (uint32_t row = 0; row + 1 < columns->count && !status; row++)
		status = number_named(loading, which, column[row], &column[row], err);
	return status;
}

int named_keep(
	struct loading *loading, enum named which, int64_t number, const char *name, struct sl_err *err)
{
	const struct columns *columns = loading->scenario->columns;
	struct names *names = &loading->names[which];
	int32_t *cell = &column_i32(columns, column_of(which))[columns->count - 1];
	int status = SL_OK;
	if (name && !names->count)
		status = column_named(loading, which, err);
	if (status)
		return status;
	if (name) {
		uint32_t place;
		status = names_add(names, loading->scenario->arena, name, strlen(name), &place, err);
		*cell = (int32_t)place;
		return status;
	}
	if (names->count)
		return number_named(loading, which, number, cell, err);
	*cell = number < 0 || number > INT32_MAX ? -1 : (int32_t)number;
	return SL_OK;
}

/* A copy that lives as long as the scenario. */
static int table_lend(const struct loading *loading, enum named which, const char *const **text,
	uint32_t *count, struct sl_err *err)
{
	const struct names *names = &loading->names[which];
	if (!names->count)
		return SL_OK;
	const char **copy = sl_alloc(loading->scenario->arena, names->count, sizeof(*copy));
	if (!copy)
		return sl_fail_memory(err);
	memcpy(copy, names->text, names->count * sizeof(*copy));
	*text = copy;
	*count = names->count;
	return SL_OK;
}

static int ids_lend(const struct loading *loading, struct sl_err *err)
{
	struct columns *columns = loading->scenario->columns;
	const int status = columns_add(columns, COLUMN_ID_NAME, err);
	if (status)
		return status;
	const char **text = columns->at[COLUMN_ID_NAME];
	const int64_t *id = column_i64(columns, COLUMN_ID);
	for (uint32_t row = 0; row < columns->count; row++)
		text[row] = id[row] < 0 ? loading->names[NAMED_ID].text[-1 - id[row]] : NULL;
	return SL_OK;
}

int names_lend(const struct loading *loading, struct sl_jobs *jobs, struct sl_err *err)
{
	int status = table_lend(loading, NAMED_USER, &jobs->user_name, &jobs->user_count, err);
	if (!status)
		status = table_lend(loading, NAMED_ACCOUNT, &jobs->account_name, &jobs->account_count, err);
	if (!status)
		status = table_lend(
			loading, NAMED_PARTITION, &jobs->partition_name, &jobs->partition_count, err);
	if (!status && loading->names[NAMED_ID].count) {
		status = ids_lend(loading, err);
		jobs->id_name = loading->scenario->columns->at[COLUMN_ID_NAME];
	}
	return status;
}
