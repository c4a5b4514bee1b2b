/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_nodes.c - the nodes of the screen: each with its GPUs as boxes, or a character a node, or their
 * number.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/step/step.h"
#include "sim/run/engine.h"

#define TEXT(stepper, ...) report_text(&(stepper)->explain, __VA_ARGS__)

struct drawing {
	const struct stepper *stepper;
	const struct picture *picture;
	const struct sl_cluster *cluster;
	struct canvas *canvas;
	int row, rows, column, columns;
};

enum node_shows { NODE_FREE, NODE_MIXED, NODE_FULL, NODE_CLOSED, NODE_DOWN, NODE_SHOWS };

static const struct {
	const char *word;
	uint32_t glyph, ascii;
	int style;
} displayed[NODE_SHOWS] = {
	[NODE_FREE] = { "free", 0x00b7, '.', STYLE_DIM },
	[NODE_MIXED] = { "in part", 0x2592, '+', STYLE_BUSY },
	[NODE_FULL] = { "full", 0x2588, '#', STYLE_BUSY },
	[NODE_CLOSED] = { "closed", '%', '%', STYLE_WARN },
	[NODE_DOWN] = { "down", 'x', 'x', STYLE_WARN },
};

static int64_t step_nodes_gpus_of(const struct sl_cluster *cluster, uint32_t node)
{
	const int64_t *amount = cluster->type[cluster->node_type[node]].amount;
	int64_t gpus = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		gpus += amount[kind];
	return gpus;
}

static enum node_shows shows(const struct drawing *drawing, uint32_t node)
{
	const struct sl_cluster *cluster = drawing->cluster;
	const struct sl_pass *pass = sim_state(&drawing->stepper->sim);
	const int64_t cpus = cluster->type[cluster->node_type[node]].amount[SL_KIND_CPUS];
	const int64_t gpus = step_nodes_gpus_of(cluster, node);
	const int64_t cpus_busy = drawing->picture->node_cpus[node];
	const int64_t gpus_busy = drawing->picture->node_gpus[node];
	if (!sl_node_is_up(pass, node))
		return NODE_DOWN;
	if (gpus && gpus_busy >= gpus)
		return NODE_FULL;
	if (cpus_busy || gpus_busy)
		return cpus_busy >= cpus ? NODE_FULL : NODE_MIXED;
	for (uint32_t i = 0; i < cluster->window_count && cluster->window[i].from <= drawing->stepper->now;
		i++)
		if (cluster->window[i].until > drawing->stepper->now &&
			rows_have(cluster->window[i].node, cluster->window[i].node_count, node))
			return NODE_CLOSED;
	return sl_node_is_drained(pass, node) ? NODE_CLOSED : NODE_FREE;
}

static uint32_t glyph_of(const struct drawing *drawing, enum node_shows what)
{
	return drawing->stepper->ascii ? displayed[what].ascii : displayed[what].glyph;
}

static const char *step_nodes_name_of(const struct drawing *drawing, uint32_t node)
{
	return drawing->cluster->node_name && drawing->cluster->node_name[node]
		       ? drawing->cluster->node_name[node]
		       : TEXT(drawing->stepper, "node %" PRIu32, node);
}

/* ---- One by one ---------------------------------------------------------------------------------------- */

/* A box a GPU: in use, in part, free. Returns the column behind. */
static int draw_boxes(const struct drawing *drawing, int row, int column, uint32_t node)
{
	const int64_t one = sl_parts(drawing->cluster->gpu_parts);
	const int64_t gpus = step_nodes_gpus_of(drawing->cluster, node);
	const int64_t busy = drawing->picture->node_gpus[node];
	const bool ascii = drawing->stepper->ascii;
	for (int64_t i = 0; i < gpus; i += one) {
		const bool full = busy >= i + one;
		const bool part = !full && busy > i;
		const uint32_t glyph = full   ? (ascii ? '#' : 0x25a0)
				       : part ? (ascii ? '+' : 0x25a4)
					      : (ascii ? '.' : 0x25a1);
		canvas_glyph(drawing->canvas, row, column++, full || part ? STYLE_BUSY : STYLE_DIM, glyph);
	}
	return column;
}

static int width_of_names(const struct drawing *drawing)
{
	int width = 0;
	for (uint32_t node = 0; node < drawing->cluster->node_count; node++) {
		const int len = (int)strlen(step_nodes_name_of(drawing, node));
		width = len > width ? len : width;
	}
	return width;
}

static int most_gpus(const struct drawing *drawing)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < drawing->cluster->type_count; i++) {
		int64_t gpus = 0;
		for (uint32_t kind = SL_KIND_GPUS; kind < drawing->cluster->kind_count; kind++)
			gpus += drawing->cluster->type[i].amount[kind];
		most = gpus > most ? gpus : most;
	}
	return (int)((most + sl_parts(drawing->cluster->gpu_parts) - 1) /
		     sl_parts(drawing->cluster->gpu_parts));
}

enum { CPUS_WIDTH = 9 }; /* "  64/128" */

/* False: there are too few lines for each. */
static bool draw_each(const struct drawing *drawing, int first, int rows)
{
	const struct sl_cluster *cluster = drawing->cluster;
	const int names = width_of_names(drawing);
	const int gpus = most_gpus(drawing);
	const int each = names + 1 + gpus + CPUS_WIDTH + 2;
	const int across = (drawing->columns + 2) / each;
	if (gpus > 16 || across < 1 || (int64_t)across * rows < (int64_t)cluster->node_count)
		return false;
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const int row = first + (int)(node % (uint32_t)rows);
		int column = drawing->column + (int)(node / (uint32_t)rows) * each;
		const enum node_shows what = shows(drawing, node);
		char busy[48];
		char of[48];
		(void)canvas_put(drawing->canvas, row, column, names,
			what >= NODE_CLOSED ? STYLE_WARN : STYLE_PLAIN, step_nodes_name_of(drawing, node));
		column = draw_boxes(drawing, row, column + names + 1, node);
		const char *text = what == NODE_DOWN || what == NODE_CLOSED
					   ? TEXT(drawing->stepper, " %s", displayed[what].word)
					   : TEXT(drawing->stepper, " %s/%s",
						     parts_text(busy, drawing->picture->node_cpus[node],
							     cluster->cpu_parts),
						     parts_text(of,
							     cluster->type[cluster->node_type[node]]
								     .amount[SL_KIND_CPUS],
							     cluster->cpu_parts));
		(void)canvas_put(drawing->canvas, row, column, CPUS_WIDTH, STYLE_PLAIN, text);
	}
	return true;
}

/* ---- Many
 * ---------------------------------------------------------------------------------------------------- */

/* Nodes to a character. */
static uint32_t nodes_each(const struct drawing *drawing, int rows)
{
	const uint32_t capacity = (uint32_t)drawing->columns * (uint32_t)(rows > 0 ? rows : 1);
	return (drawing->cluster->node_count + capacity - 1) / capacity;
}

/* The mark of so many nodes together: where they differ, in part. */
static enum node_shows show_together(const struct drawing *drawing, uint32_t first, uint32_t each)
{
	const enum node_shows what = shows(drawing, first);
	for (uint32_t node = first + 1; node < first + each && node < drawing->cluster->node_count; node++)
		if (shows(drawing, node) != what)
			return NODE_MIXED;
	return what;
}

static void draw_map(const struct drawing *drawing, int first, int rows)
{
	const uint32_t across = (uint32_t)drawing->columns;
	const uint32_t each = nodes_each(drawing, rows);
	for (uint32_t i = 0; i * each < drawing->cluster->node_count; i++) {
		const enum node_shows what = show_together(drawing, i * each, each);
		canvas_glyph(drawing->canvas, first + (int)(i / across), drawing->column + (int)(i % across),
			displayed[what].style, glyph_of(drawing, what));
	}
}

static void draw_counts(const struct drawing *drawing)
{
	uint32_t count[NODE_SHOWS] = { 0 };
	struct cell cell = { 0 };
	for (uint32_t node = 0; node < drawing->cluster->node_count; node++)
		count[shows(drawing, node)]++;
	cell_put(&cell, "nodes %" PRIu32 ":", drawing->cluster->node_count);
	for (int what = 0; what < NODE_SHOWS; what++)
		if (count[what])
			cell_put(&cell, "%s %" PRIu32 " %s", cell.text[cell.len - 1] == ':' ? "" : ",",
				count[what], displayed[what].word);
	const uint32_t each = nodes_each(drawing, drawing->rows - 1);
	if (each > 1)
		cell_put(&cell, " (%" PRIu32 " to a character)", each);
	(void)canvas_put(drawing->canvas, drawing->row, drawing->column, drawing->columns, STYLE_DIM,
		cell.text ? cell.text : "");
	cell_free(&cell);
}

/* A counted pool: so much of a bar. */
static void draw_pool(const struct drawing *drawing)
{
	const struct stepper *stepper = drawing->stepper;
	const int64_t cpus = stepper->explain.view.scenario->cpus;
	const int64_t busy = cpus - drawing->picture->cpus_free;
	const int width = drawing->columns < (int64_t)64 ? drawing->columns : 64;
	const int bar = cpus <= width ? (int)cpus : width;
	const int64_t full = cpus > 0 ? sl_mul_div(busy, bar, cpus) : 0;
	(void)canvas_put(drawing->canvas, drawing->row, drawing->column, drawing->columns, STYLE_DIM,
		TEXT(stepper, "cpus %" PRId64 ": %" PRId64 " busy, %" PRId64 " free", cpus, busy,
			drawing->picture->cpus_free));
	for (int i = 0; i < bar && drawing->rows > 1; i++) {
		const enum node_shows what = i < full ? NODE_FULL : NODE_FREE;
		canvas_glyph(drawing->canvas, drawing->row + 1, drawing->column + i, displayed[what].style,
			glyph_of(drawing, what));
	}
}

void nodes_draw(const struct stepper *stepper, const struct picture *picture, struct canvas *canvas,
	const struct area *area)
{
	const struct drawing drawing = { stepper, picture, stepper->explain.view.cluster, canvas, area->row,
		area->rows, area->column, area->columns };
	if (!picture->node_cpus) {
		draw_pool(&drawing);
		return;
	}
	draw_counts(&drawing);
	if (area->rows > 1 && !draw_each(&drawing, area->row + 1, area->rows - 1))
		draw_map(&drawing, area->row + 1, area->rows - 1);
}
