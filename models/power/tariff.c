/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tariff.c - what a kWh costs, and what is emitted for it: steps over time, perhaps over and over.
 */
#include <string.h>

#include "models/power/power.h"

enum { TARIFF_ROWS_MAX = 1 << 20 };

/* Where a row's time stands: as a number of seconds, or as a date, which counts from the epoch (seconds). */
struct times {
	uint32_t column;
	bool dated;
	int64_t epoch;
};

static int read_time(const struct sl_csv_table *csv, uint32_t row, const struct times *times, sl_time *at,
	struct sl_err *err)
{
	const char *text = csv->cell[(size_t)row * csv->columns + times->column];
	const struct sl_place place = sl_csv_place(csv, row, times->column);
	if (!times->dated && !sl_get_duration(text, strlen(text), at))
		return sl_fail_at(err, &place, "time '%s' is not a number of seconds", text);
	if (times->dated && !sl_get_date(text, strlen(text), at))
		return sl_fail_at(err, &place, "date '%s' is not like 2024-05-31 or 2024-05-31T06:00", text);
	if (times->dated)
		*at -= times->epoch * SL_SECOND;
	return SL_OK;
}

static int read_rows(struct tariff *tariff, const struct sl_csv_table *csv, const struct times *times,
	sl_time *at, int64_t *value, struct sl_err *err)
{
	const uint32_t values = sl_csv_column(csv, "value");
	for (uint32_t i = 0; i < csv->rows; i++) {
		const struct sl_place place = sl_csv_place(csv, i, times->column);
		const char *text = csv->cell[(size_t)i * csv->columns + values];
		const int status = read_time(csv, i, times, &at[i], err);
		if (status)
			return status;
		if (!sl_get_micro(text, strlen(text), &value[i]) || value[i] > INT64_C(1000000000000) ||
			value[i] < -INT64_C(1000000000000))
			return sl_fail_at(err, &place, "value '%s' is not a number up to a million", text);
		if (i && at[i] <= at[i - 1])
			return sl_fail_at(err, &place, "times do not ascend: sort the rows");
		if (tariff->cycle && (at[i] < 0 || at[i] >= tariff->cycle))
			return sl_fail_at(err, &place, "the time is beyond the cycle");
	}
	tariff->count = csv->rows;
	return SL_OK;
}

int tariff_read(struct tariff *tariff, const struct sl_csv_table *csv, sl_time cycle, int64_t epoch,
	struct sl_arena *arena, struct sl_err *err)
{
	const uint32_t date = sl_csv_column(csv, "date");
	const uint32_t time = sl_csv_column(csv, "time");
	const struct times times = { date != UINT32_MAX ? date : time, date != UINT32_MAX, epoch };
	const struct sl_place top = { .file = csv->file, .line = 1 };
	if ((date == UINT32_MAX) == (time == UINT32_MAX) || sl_csv_column(csv, "value") == UINT32_MAX)
		return sl_fail_at(err, &top, "a curve over time has the columns time (or date) and value");
	if (times.dated && (!epoch || cycle))
		return sl_fail_at(
			err, &top, "dates need a trace that is dated, and no cycle: use a column time");
	if (!csv->rows || csv->rows > TARIFF_ROWS_MAX)
		return sl_fail_at(err, &top, "%s", csv->rows ? "too many rows" : "there are no rows");
	sl_time *at = sl_alloc(arena, csv->rows, sizeof(*at));
	int64_t *value = sl_alloc(arena, csv->rows, sizeof(*value));
	if (!at || !value)
		return sl_fail_memory(err);
	*tariff = (struct tariff){ .at = at, .value = value, .cycle = cycle };
	tariff->shift = cycle ? (sl_time)(((__int128)epoch * SL_SECOND) % cycle) : 0;
	return read_rows(tariff, csv, &times, at, value, err);
}

/* Where `now` is in the cycle. */
static sl_time phase_of(const struct tariff *tariff, sl_time now)
{
	if (!tariff->cycle)
		return now;
	const sl_time phase = (now % tariff->cycle + tariff->shift) % tariff->cycle;
	return phase < 0 ? phase + tariff->cycle : phase;
}

/* The step in force; UINT32_MAX: before the first. */
static uint32_t step_at(const struct tariff *tariff, sl_time phase)
{
	uint32_t low = 0;
	uint32_t high = tariff->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (tariff->at[middle] <= phase)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

/* Before the first step the last cycle's last one is in force; without a cycle, the first. */
int64_t tariff_at(const struct tariff *tariff, sl_time now)
{
	const uint32_t step = step_at(tariff, phase_of(tariff, now));
	if (step != UINT32_MAX)
		return tariff->value[step];
	return tariff->value[tariff->cycle ? tariff->count - 1 : 0];
}

sl_time tariff_next(const struct tariff *tariff, sl_time now)
{
	const sl_time phase = phase_of(tariff, now);
	const uint32_t next = step_at(tariff, phase) + 1;
	if (next < tariff->count)
		return now + (tariff->at[next] - phase);
	return tariff->cycle ? now + (tariff->cycle - phase) + tariff->at[0] : SL_NEVER;
}

__int128 tariff_over(const struct tariff *tariff, sl_time from, sl_time until)
{
	__int128 sum = 0;
	while (from < until) {
		const sl_time next = tariff_next(tariff, from);
		const sl_time to = next < until ? next : until;
		sum += (__int128)tariff_at(tariff, from) * (to - from);
		from = to;
	}
	return sum;
}
