/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page.h - report.html: how runs become the data of a page. FORMAT.md says what is written.
 *
 * A run is reported once and freed: part() turns it into compressed blocks and a text of JSON, a page of one
 * run, and keeps nothing else; join() puts one page behind another. Memory that runs out is noted (`failed`)
 * and reported at the end of add() and write(), so that code in between need not look. Same runs, same bytes:
 * nothing here depends on anything but what is reported.
 */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "sim/plugin.h"

/* ---- Bytes and text ---------------------------------------------------------------------- */

struct page_text {
	char *data;
	size_t length, capacity;
	bool failed;
};

void page_bytes(struct page_text *text, const void *data, size_t length);
void page_put(struct page_text *text, const char *words);
/* At most 400 bytes. */
void page_format(struct page_text *text, const char *format, ...) SL_PRINTF(2, 3);
void page_i64(struct page_text *text, int64_t value);
void page_micro(struct page_text *text, int64_t micro);
/* As a JSON string: pure ASCII but for letters beyond it, without '<', UTF-8 whatever it was; NULL: null. */
void page_json(struct page_text *text, const char *words);
void page_text_free(struct page_text *text);

/* ---- Blocks ------------------------------------------------------------------------------ */

/* A form is a type and how its values are coded: PAGE_U32 | PAGE_DELTA. */
enum page_type { PAGE_U8, PAGE_U16, PAGE_U32, PAGE_I32, PAGE_F32, PAGE_F64, PAGE_JSON, PAGE_TYPES };
enum { PAGE_DELTA = 16, PAGE_SPLIT = 32 };

struct page_block {
	unsigned form;
	size_t count, size; /* Values; bytes of the deflate stream. */
	unsigned char *data;
};

struct page {
	struct sl_document_options options;
	struct page_block *block;
	size_t block_count, block_capacity;
	struct page_text runs; /* meta.runs, without its brackets. */
	uint32_t run_count;
	bool failed; /* No memory. */
	/* Of the first run: */
	int64_t epoch, utc_offset;
	struct page_text time_zone; /* "": none is named. */
	bool gpus, mem, nodes;      /* Some run has them. */
	bool cohorts;               /* This too: the page has a script more. */
	struct page_text version;
};

/* `"name": "b7"`, behind a comma unless it is the first of its object. */
void page_member(struct page *page, struct page_text *json, const char *name, unsigned form,
	const void *values, size_t count);
/* The blocks of a part, and its text of runs, in which their numbers become the page's. */
void page_blocks_join(struct page *page, struct page *part);

/* ---- Sorting and grouping ------------------------------------------------------------------ */

struct page_key {
	uint64_t key;
	uint32_t row;
};
/* Stable; by key. other: as long an array. */
void page_sort(struct page_key *key, struct page_key *other, size_t count);
/* The same of rows by 32 bits, which stand above the row; half as long, and as much to move. */
void page_sort_rows(uint64_t *key, uint64_t *other, size_t count);
static inline uint64_t page_row_key(uint32_t key, uint32_t row) { return (uint64_t)key << 32 | row; }
/* The first so many of them alone: what was `other` goes. */
uint64_t *page_shorter(uint64_t *key, size_t count);

/* Rows by what they have in common, numbered by first appearance. */
struct page_groups {
	uint32_t *of;       /* By row; UINT32_MAX: of none. NULL: nothing is said of it. */
	const char **name;  /* By group. */
	char (*number)[24]; /* Where names are bare numbers: their room. */
	uint32_t count;
};

/* ---- A run while it is reported ------------------------------------------------------------------ */

/* An interval in which a job held something, in ticks; never empty. */
struct page_range {
	uint32_t job;
	uint32_t attempt; /* Of the result's, one more; 0: the job has no other. */
	int32_t from, until;
};

enum page_by { PAGE_USER, PAGE_ACCOUNT, PAGE_PARTITION, PAGE_QOS, PAGE_GPU_TYPE, PAGE_BYS };

struct page_run {
	struct page *page;
	const struct sl_document_run *reported;
	const struct sl_result *result;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster; /* NULL: a counted pool. */
	struct page_text *json;
	sl_time tick;
	bool rounded;
	bool suspended; /* Some job was, at times that are not recorded. */
	int32_t first, last;
	uint32_t total, kept;
	uint32_t *row_kept;       /* By kept job: its row. */
	uint32_t *kept_of;        /* By row: its number, UINT32_MAX: not kept. */
	struct page_range *range; /* By (from, job). */
	size_t range_count;
	struct page_groups by[PAGE_BYS];
	int64_t cpu_parts, gpu_parts;
};

/* malloc that notes a failure; never of nothing. */
void *page_alloc(struct page *page, size_t count, size_t size);
/* Rounded down to ticks. */
int32_t page_ticks(const struct page_run *run, sl_time time);
/* No comma is due before the first of an object. */
void page_name(struct page_text *json, const char *name);

/* page_run.c: into an empty page; and what one has behind what another has. */
void page_join(struct page *page, struct page *part);
int page_run_report(struct page *page, const struct sl_document_run *reported, struct sl_err *err);
/* page_groups.c */
void page_groups_make(struct page_run *run);
void page_groups_free(struct page_run *run);
/* page_columns.c */
void page_columns_put(struct page_run *run);
/* page_charges.c */
void page_charges_put(struct page_run *run);
/* page_use.c */
void page_use_put(struct page_run *run);
/* page_cdf.c */
void page_cdf_put(struct page_run *run);
/* page_rows.c */
void page_rows_put(struct page_run *run);
/* The groups of most weight, ties by number: rank[group] in 0..; all others get what is returned. */
uint32_t page_largest(struct page_run *run, const struct page_groups *groups, const uint64_t *weight,
	uint32_t most, uint32_t *rank);
/* page_shares.c */
void page_shares_put(struct page_run *run);
/* page_unfair.c */
void page_unfair_put(struct page_run *run);
/* page_cohorts.c */
void page_cohorts_put(struct page_run *run);

/* Where an interval was, on nodes; and what its node allocations come to, so that they add up to what it
 * held. kind: SL_KIND_CPUS or SL_KIND_GPUS (all types). amount: page_allocs_most long. */
struct sl_allocation page_allocation(const struct page_run *run, const struct page_range *range);
void page_allocs(const struct page_run *run, const struct page_range *range, int kind, int64_t *amount);
uint32_t page_allocs_most(const struct page_run *run);

/* ---- A time integral by bins of equal width, of integers ------------------------------------ */

/* Of each row and bin: what was added to it from then on, and what it rises by a tick. */
struct page_grid {
	int64_t *part, *slope;
	uint32_t rows, columns;
	int32_t from;
	int64_t step;
};
bool page_grid_make(struct page *page, struct page_grid *grid, const struct page_run *run, uint32_t rows,
	uint32_t columns_max);
/* In rows [first, first + count), that amount while [from, until). */
void page_grid_add(struct page_grid *grid, uint32_t first, uint32_t count, int64_t amount,
	const struct page_range *range);
/* Then part[row * columns + column] are amounts x ticks. */
void page_grid_sum(struct page_grid *grid);
void page_grid_free(struct page_grid *grid);

/* ---- The page's sources: made by the Makefile from src/ and vendor/ ---------------------------- */

struct page_source {
	const unsigned char *data;
	size_t size;
};
extern const struct page_source page_html, page_style, page_uplot, page_script, page_cohorts;

#endif
