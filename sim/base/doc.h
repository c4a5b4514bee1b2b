/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doc.h - a document (sl_doc) while it is filled.
 *
 * A document is a tree of texts, maps and lists in one array; indices, not pointers, so that it may grow.
 * Index 0 is the root, and no node's child. That no key stands twice is seen to here.
 */
#ifndef SL_DOC_H
#define SL_DOC_H

#include "sim/base/base.h"

/* Filling: each puts a node into what is open; sl_doc_key comes before a member of a map. Places from 1. */
int sl_doc_open(
	struct sl_doc *doc, enum sl_doc_kind kind, uint32_t line, uint32_t column, struct sl_err *err);
void sl_doc_close(struct sl_doc *doc);
int sl_doc_key(
	struct sl_doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
int sl_doc_text(
	struct sl_doc *doc, const char *text, size_t len, const struct sl_place *at, struct sl_err *err);
/* True if a key is due here, and not a value. */
bool sl_doc_wants_key(const struct sl_doc *doc);

/* JSON, if it begins with a map or a list in brackets; else YAML. text[len] is a zero. */
int doc_read_any(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err);

/* A JSON file that schedlab wrote, as a whole and loose; what is wrong with it is for who looks at its keys.
 * larger: said of one of more than that many bytes. Released whatever happens. */
int doc_read_record(
	struct sl_doc *doc, const char *path, size_t most, const char *larger, struct sl_err *err);

/* A copy that goes with the arena. */
int sl_doc_keep(struct sl_arena *arena, const struct sl_doc *from, struct sl_doc *kept, struct sl_err *err);

#endif
