/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_causes.c - why nodes fail, and what mends them.
 *
 * The causes without a sheet are those of the 419 unexpected interruptions in 54 days of Llama 3 405B's
 * training on 16 384 H100 (Llama team, "The Llama 3 Herd of Models", 2024, table 5). Counts of 148, 72, 35,
 * 19, 17 and 2 (CPU) were found confirmed elsewhere; the others are as remembered, and all add up to 419.
 * Which cause needs which repair is not published: all are drawn from the classes of repairs, which, with
 * their times, are assumed.
 */
#include <string.h>
#include <strings.h>

#include "models/failures/failures.h"

#define MILLION INT64_C(1000000)

static const struct {
	const char *name;
	int32_t count;
} llama3[] = {
	{ "gpu", 148 }, /* NVLink included. */
	{ "hbm3", 72 },
	{ "software", 54 },
	{ "network", 35 },     /* Switch or cable. */
	{ "maintenance", 32 }, /* Of a host, unplanned. */
	{ "gpu_sram", 19 },
	{ "gpu_processor", 17 },
	{ "nic", 7 },
	{ "nccl_watchdog", 7 },
	{ "silent_corruption", 6 },
	{ "thermal", 6 }, /* Interface or sensor. */
	{ "ssd", 3 },
	{ "power_supply", 3 },
	{ "chassis", 2 },
	{ "io_board", 2 },
	{ "dependency", 2 },
	{ "cpu", 2 },
	{ "memory", 2 },
};

/* Assumed. */
static const struct fail_repair repairs_assumed[] = {
	{ "reset", 700000, 600 * SL_SECOND },
	{ "swap", 250000, 4 * FAIL_HOUR },
	{ "rma", 50000, 72 * FAIL_HOUR },
};

static const char *cell_of(const struct sl_csv_table *csv, uint32_t row, uint32_t column)
{
	return csv->cell[(size_t)row * csv->columns + column];
}

static int failures_causes_column_of(
	const struct sl_csv_table *csv, const char *name, uint32_t *column, struct sl_err *err)
{
	*column = sl_csv_column(csv, name);
	if (*column != UINT32_MAX)
		return SL_OK;
	return sl_fail_at(err, &(struct sl_place){ .file = csv->file, .line = 1 },
		"there is no column '%s': add it to the first line", name);
}

static int failures_causes_share_of(
	const struct sl_csv_table *csv, uint32_t row, uint32_t column, int64_t *share, struct sl_err *err)
{
	const char *text = cell_of(csv, row, column);
	const struct sl_place at = sl_csv_place(csv, row, column);
	if (!sl_get_micro(text, strlen(text), share) || *share < 0 || *share > MILLION * MILLION)
		return sl_fail_at(
			err, &at, "share '%.60s' is no weight: give a number from 0 to 1000000", text);
	return SL_OK;
}

static int repairs_of_csv(struct failures *f, const struct sl_csv_table *csv, struct sl_err *err)
{
	uint32_t name, share, time;
	if (failures_causes_column_of(csv, "repair", &name, err) ||
		failures_causes_column_of(csv, "share", &share, err) ||
		failures_causes_column_of(csv, "time", &time, err))
		return err->status;
	if (!csv->rows || csv->rows > FAIL_REPAIRS_MAX)
		return sl_fail_at(err, &(struct sl_place){ .file = csv->file, .line = 1 },
			"%u classes of repairs: give 1 to %d", csv->rows, FAIL_REPAIRS_MAX);
	f->repair = sl_alloc(f->setup.arena, csv->rows, sizeof(*f->repair));
	if (!f->repair)
		return sl_fail_memory(err);
	int64_t total = 0;
	for (uint32_t row = 0; row < csv->rows; row++) {
		struct fail_repair *repair = &f->repair[row];
		repair->name = cell_of(csv, row, name);
		const char *text = cell_of(csv, row, time);
		if (failures_causes_share_of(csv, row, share, &repair->share, err))
			return err->status;
		const struct sl_place at = sl_csv_place(csv, row, time);
		if (!sl_get_duration(text, strlen(text), &repair->time) || repair->time < 0 ||
			repair->time > 100000 * FAIL_DAY)
			return sl_fail_at(
				err, &at, "time '%.60s' is none: give seconds, or 10m, 4h, 3d", text);
		total += repair->share;
	}
	f->repair_count = csv->rows;
	if (total > 0)
		return SL_OK;
	return sl_fail_at(err, &(struct sl_place){ .file = csv->file, .line = 1 },
		"all shares are 0: give one of them some");
}

/* The class of that name, of a cause. */
static int repair_of(const struct failures *f, const char *text, const struct sl_place *at, uint32_t *repair,
	struct sl_err *err)
{
	*repair = FAIL_REPAIR_DRAWN;
	if (!*text)
		return SL_OK;
	if (strcasecmp(text, "none") == 0) {
		*repair = FAIL_REPAIR_NONE;
		return SL_OK;
	}
	for (uint32_t i = 0; i < f->repair_count; i++)
		if (strcasecmp(f->repair[i].name, text) == 0) {
			*repair = i;
			return SL_OK;
		}
	return sl_fail_at(err, at,
		"there is no repair '%.60s': name a class, 'none' where the node stays up, or nothing for any",
		text);
}

static int causes_of_csv(struct failures *f, const struct sl_csv_table *csv, struct sl_err *err)
{
	uint32_t name, share;
	if (failures_causes_column_of(csv, "cause", &name, err) ||
		failures_causes_column_of(csv, "share", &share, err))
		return err->status;
	const uint32_t repair = sl_csv_column(csv, "repair");
	int64_t total = 0;
	for (uint32_t row = 0; row < csv->rows; row++) {
		const char *text = cell_of(csv, row, name);
		const uint32_t before = f->cause_count, cause = failures_cause_of(f, text, strlen(text));
		const struct sl_place at = sl_csv_place(csv, row, name);
		if (cause == UINT32_MAX)
			return sl_fail_at(err, &at, "more than %d causes: join some", FAIL_CAUSES_MAX);
		if (cause < before || !*text)
			return sl_fail_at(
				err, &at, "cause '%.60s' is empty or there twice: name it, once", text);
		if (failures_causes_share_of(csv, row, share, &f->cause[cause].share, err) ||
			(repair != UINT32_MAX &&
				repair_of(f, cell_of(csv, row, repair), &at, &f->cause[cause].repair, err)))
			return err->status;
		total += f->cause[cause].share;
	}
	if (total > 0)
		return SL_OK;
	return sl_fail_at(err, &(struct sl_place){ .file = csv->file, .line = 1 },
		"no cause has a share: give one of them some");
}

uint32_t failures_cause_of(struct failures *f, const char *name, size_t len)
{
	for (uint32_t i = 0; i < f->cause_count; i++)
		if (strlen(f->cause[i].name) == len && strncasecmp(f->cause[i].name, name, len) == 0)
			return i;
	if (f->cause_count == FAIL_CAUSES_MAX)
		return UINT32_MAX;
	char *copy = sl_strdup(f->setup.arena, name, len);
	if (!copy)
		return UINT32_MAX;
	f->cause[f->cause_count] = (struct fail_cause){ .name = copy, .repair = FAIL_REPAIR_DRAWN };
	return f->cause_count++;
}

static int causes_fixed(struct failures *f, struct sl_err *err)
{
	const struct {
		const char *name;
		uint32_t *cause;
	} fixed[] = {
		{ "job", &f->cause_job },
		{ "cancelled", &f->cause_cancel },
		{ "out_of_memory", &f->cause_oom },
		{ "hidden_fault", &f->cause_hidden },
		{ "false_alarm", &f->cause_alarm },
		{ "leaf_switch", &f->cause_leaf },
		{ "power_domain", &f->cause_domain },
		{ "file_system", &f->cause_fs },
	};
	for (size_t i = 0; i < SL_LEN(fixed); i++) {
		*fixed[i].cause = failures_cause_of(f, fixed[i].name, strlen(fixed[i].name));
		if (*fixed[i].cause == UINT32_MAX)
			return sl_fail(err, SL_INPUT, "failures: more than %d causes: join some",
				FAIL_CAUSES_MAX - (int)SL_LEN(fixed));
	}
	return SL_OK;
}

int failures_causes_make(struct failures *f, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_csv_table *repairs = sl_csv_table_of(setup, "repairs");
	const struct sl_csv_table *causes = sl_csv_table_of(setup, "causes");
	f->cause = sl_alloc(setup->arena, FAIL_CAUSES_MAX, sizeof(*f->cause));
	if (!f->cause)
		return sl_fail_memory(err);
	if (repairs) {
		if (repairs_of_csv(f, repairs, err))
			return err->status;
	} else {
		f->repair = sl_alloc(setup->arena, SL_LEN(repairs_assumed), sizeof(*f->repair));
		if (!f->repair)
			return sl_fail_memory(err);
		memcpy(f->repair, repairs_assumed, sizeof(repairs_assumed));
		f->repair_count = SL_LEN(repairs_assumed);
	}
	if (causes) {
		if (causes_of_csv(f, causes, err))
			return err->status;
	} else
		for (size_t i = 0; i < SL_LEN(llama3); i++) {
			const uint32_t cause = failures_cause_of(f, llama3[i].name, strlen(llama3[i].name));
			if (cause == UINT32_MAX)
				return sl_fail_memory(err);
			f->cause[cause].share = llama3[i].count * MILLION;
		}
	f->cause_drawn = f->cause_count;
	return causes_fixed(f, err);
}
