/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_read.h - a report page parsed: its meta, and its blocks as numbers.
 *
 * Written from reports/page/FORMAT.md, not from the code that writes: as the page's own scripts are.
 */
#ifndef TESTS_PAGE_READ_H
#define TESTS_PAGE_READ_H

#include <stddef.h>

#include "tests/world/json_tree.h"

struct page_read {
	char *text; /* The file. */
	size_t length;
	struct json *meta;
};

/* Numbers of a block; JSON of one as text, closed by a zero. */
struct page_column {
	double *value;
	char *json;
	size_t count;
};

/* The document of that name, of these runs; NULL: it failed, as err says. */
char *page_written(const char *name, const struct sl_document_run *reported, size_t count,
	const struct sl_compared *compared, const struct sl_document_options *options, struct sl_err *err);
/* What stands between two texts, the first such place. */
char *page_between(const char *text, const char *before, const char *after);
struct page_read page_open(char *text);
void page_unavailable(struct page_read *page);
/* "a.b.0.c" of an object; NULL: it is not there. */
const struct json *page_at(const struct json *json, const char *path);
double page_number(const struct json *json, const char *path);
const char *page_text_at(const struct json *json, const char *path);
/* The inflated bytes of a block. */
unsigned char *page_bytes_of(const struct page_read *page, const char *id, size_t length);
/* The block that stands there in meta. */
struct page_column page_column(const struct page_read *page, const struct json *json, const char *path);
void page_column_free(struct page_column *column);

#endif
