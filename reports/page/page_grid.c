/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_grid.c - how much of something was held in each bin of time, by rows, exactly.
 *
 * An interval adds a constant to all bins between its ends, in all rows between two: only its corners are
 * touched, and one pass over the grid adds up at the end.
 */
#include "reports/page/page.h"

#include <stdlib.h>

bool page_grid_make(struct page *page, struct page_grid *grid, const struct page_run *run, uint32_t rows,
	uint32_t columns_max)
{
	const int64_t range = (int64_t)run->last - run->first;
	*grid = (struct page_grid){ .rows = rows, .from = run->first };
	grid->step = range / columns_max + 1;
	grid->columns = (uint32_t)(range / grid->step + 1);
	const size_t cells = ((size_t)rows + 1) * (grid->columns + 1);
	grid->part = page_alloc(page, cells, sizeof(*grid->part));
	grid->slope = page_alloc(page, cells, sizeof(*grid->slope));
	return grid->part && grid->slope;
}

/* Where a time is: its bin, and how much of that is left from then on. */
struct corner {
	int64_t column, left;
};

static struct corner corner_at(const struct page_grid *grid, int64_t time)
{
	const int64_t most = (int64_t)grid->columns * grid->step;
	int64_t since = time - grid->from;
	since = since < 0 ? 0 : since > most ? most : since;
	/* Narrow numbers are divided sooner. */
	const int64_t column =
		most <= UINT32_MAX ? (uint32_t)since / (uint32_t)grid->step : since / grid->step;
	return (struct corner){ column, (column + 1) * grid->step - since };
}

/* From then on so much more, in this row and all below. */
static void corner_put(struct page_grid *grid, uint32_t row, int64_t amount, const struct corner *at)
{
	const size_t cell = (size_t)row * (grid->columns + 1) + (size_t)at->column;
	if (at->column == grid->columns)
		return;
	grid->part[cell] += amount * at->left;
	grid->slope[cell + 1] += amount;
}

void page_grid_add(struct page_grid *grid, uint32_t first, uint32_t count, int64_t amount,
	const struct page_range *range)
{
	const struct corner from = corner_at(grid, range->from);
	const struct corner until = corner_at(grid, range->until);
	corner_put(grid, first, amount, &from);
	corner_put(grid, first, -amount, &until);
	corner_put(grid, first + count, -amount, &from);
	corner_put(grid, first + count, amount, &until);
}

void page_grid_sum(struct page_grid *grid)
{
	const size_t wide = (size_t)grid->columns + 1;
	for (size_t cell = wide; cell < grid->rows * wide; cell++) {
		grid->part[cell] += grid->part[cell - wide];
		grid->slope[cell] += grid->slope[cell - wide];
	}
	for (size_t row = 0; row < grid->rows; row++) {
		int64_t slope = 0;
		for (size_t column = 0; column < grid->columns; column++) {
			slope += grid->slope[row * wide + column];
			grid->part[row * grid->columns + column] =
				grid->part[row * wide + column] + slope * grid->step;
		}
	}
}

void page_grid_free(struct page_grid *grid)
{
	free(grid->part);
	free(grid->slope);
	*grid = (struct page_grid){ 0 };
}
