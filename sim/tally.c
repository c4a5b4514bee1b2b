/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tally.c - what models tell as a run is over: metrics, columns of jobs, tables.
 */
#include "sim/base.h"

int sl_tell_metric(struct sl_tally *tally, const char *name, int64_t micro, struct sl_err *err)
{
	(void)tally;
	(void)name;
	(void)micro;
	(void)err;
	return SL_OK;
}

int sl_tell_job_column(struct sl_tally *tally, const char *name, const int64_t *micro, struct sl_err *err)
{
	(void)tally;
	(void)name;
	(void)micro;
	(void)err;
	return SL_OK;
}

int sl_tell_table(struct sl_tally *tally, const char *name, const char *const *column, uint32_t columns,
	const struct sl_cell *cell, size_t rows, struct sl_err *err)
{
	(void)tally;
	(void)name;
	(void)column;
	(void)columns;
	(void)cell;
	(void)rows;
	(void)err;
	return SL_OK;
}
