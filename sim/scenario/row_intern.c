/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * row_intern.c - the fourth stage of a row: names become numbers, and equal requests of rows are shared.
 *
 * In:  struct row_judged of a row that stays.
 * Out: struct row_interned: users, accounts, partitions and gangs as they are numbered, the request
 *      (scenario_request.c), what else the job says of itself (scenario_attributes.c), its profile
 * (scenario_profile.c).
 *
 * A column is of bare numbers until the first name comes; from then on it is of indices into a table of
 * names, in order of first appearance, and the numbers before become names as they are spelled. Ids are
 * numbers each for itself: a name's is negative.
 */
#include <string.h>

#include "sim/scenario/row.h"

static enum column row_intern_column_of(enum named which)
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
	int32_t *column = column_i32(columns, row_intern_column_of(which));
	int status = SL_OK;
	for (uint32_t row = 0; column && row < columns->count && !status; row++)
		status = number_named(loading, which, column[row], &column[row], err);
	return status;
}

/* A row's number or name (NULL: none). */
static int named_intern(struct loading *loading, enum named which, int64_t number, const char *name,
	int32_t *index, struct sl_err *err)
{
	struct names *names = &loading->names[which];
	if (!name && !names->count) {
		*index = narrow(number);
		return SL_OK;
	}
	if (!name)
		return number_named(loading, which, number, index, err);
	uint32_t place;
	int status = names->count ? SL_OK : column_named(loading, which, err);
	if (!status)
		status = names_add(names, loading->scenario->arena, name, strlen(name), &place, err);
	if (!status)
		*index = (int32_t)place;
	return status;
}

static int names_intern(
	struct loading *loading, const struct sl_row *row, struct row_interned *interned, struct sl_err *err)
{
	static const struct sl_row_attributes nothing;
	const struct sl_row_attributes *more = row->more ? row->more : &nothing;
	const int64_t *col = row->col;
	if (!row->more && !loading->said) { /* Of SWF, nearly always: bare numbers, and no name before. */
		interned->user = narrow(col[SL_COL_USER]);
		interned->account = narrow(col[SL_COL_GROUP]);
		interned->partition = narrow(col[SL_COL_PARTITION]);
		interned->gang = -1;
		return SL_OK;
	}
	int status = named_intern(loading, NAMED_USER, col[SL_COL_USER], more->user, &interned->user, err);
	if (!status)
		status = named_intern(
			loading, NAMED_ACCOUNT, col[SL_COL_GROUP], more->account, &interned->account, err);
	if (!status)
		status = named_intern(loading, NAMED_PARTITION, col[SL_COL_PARTITION], more->partition,
			&interned->partition, err);
	return status ? status : named_intern(loading, NAMED_GANG, SL_NONE, more->gang, &interned->gang, err);
}

int row_intern(struct loading *loading, const struct row_judged *judged, struct row_interned *interned,
	struct sl_err *err)
{
	const struct sl_row *row = judged->row;
	*interned = (struct row_interned){ .request = -1, .cancel = SL_NONE };
	int status = loading->scenario->cluster.node_count
			     ? desc_intern(loading, &judged->desc, &interned->request, err)
			     : SL_OK;
	if (!status && row->more)
		status = more_intern(loading, row, interned, err);
	if (!status && (row->more || loading->profile_rule))
		status = profile_intern(loading, row, judged->desc.gpus, &interned->profile, err);
	return status ? status : names_intern(loading, row, interned, err);
}

/* ---- As the job table has them ------------------------------------------------------------- */

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
