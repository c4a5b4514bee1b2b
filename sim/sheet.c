/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheet.c - CSV files that models are given: cells as text, with their places.
 */
#include <string.h>
#include <strings.h>

#include "sim/base.h"

const struct sl_sheet *sl_sheet_of(const struct sl_model_setup *setup, const char *key)
{
	(void)setup;
	(void)key;
	return NULL;
}

uint32_t sl_sheet_column(const struct sl_sheet *sheet, const char *name)
{
	for (uint32_t i = 0; i < sheet->columns; i++)
		if (strcasecmp(sheet->column[i], name) == 0)
			return i;
	return UINT32_MAX;
}

struct sl_place sl_sheet_place(const struct sl_sheet *sheet, uint32_t row, uint32_t column)
{
	(void)column; /* Cells are known by their line. */
	return (struct sl_place){ .file = sheet->file, .line = sheet->line[row] };
}

void sl_profile_clear(struct sl_profile *profile)
{
	*profile = (struct sl_profile){ .comp = SL_NONE,
		.bytes = SL_NONE,
		.pattern = SL_NONE,
		.dims = SL_NONE,
		.overlap = SL_NONE,
		.gamma = SL_NONE,
		.sens = SL_NONE,
		.read = SL_NONE,
		.write = SL_NONE,
		.read_each = SL_NONE,
		.dataset_bytes = SL_NONE,
		.image_bytes = SL_NONE,
		.checkpoint = SL_NONE,
		.checkpoint_every = SL_NONE,
		.checkpoint_cost = SL_NONE,
		.checkpoint_async = SL_NONE,
		.serial = SL_NONE,
		.parallelism = SL_NONE,
		.variance = SL_NONE,
		.elastic = SL_NONE,
		.intensity = SL_NONE,
		.member = SL_NONE,
		.score = SL_NONE,
		.score_from = SL_NONE,
		.score_time = SL_NONE };
}
