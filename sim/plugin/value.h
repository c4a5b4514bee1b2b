/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value.h - typed access to the fields of a manifest's object: texts, numbers, words; errors name the place
 * in the file.
 *
 * Nothing is done once something failed: the first failure is in `err`, and who reads looks at it at the
 * end.
 */
#ifndef SL_PLUGIN_VALUE_H
#define SL_PLUGIN_VALUE_H

#include "yaml.h"

/* A value of a document; node NULL: it is not there. */
struct sl_at {
	struct sl_err *err;
	void *self; /* The reader's own. */
	const struct sl_doc *doc;
	const struct sl_doc_node *node;
};

/* What is wrong with the value, at its place. Returns the first failure's status. */
SL_API int sl_at_fail(struct sl_at at, const char *format, ...) SL_PRINTF(2, 3);
SL_API bool sl_at_is_null(struct sl_at at); /* Not there, empty, `~` or `null`. */
/* The member at a path of keys, "spec.preemption.withinClusterQueue". A text in the way is an error. */
SL_API struct sl_at sl_at_get(struct sl_at at, const char *path);
/* Members of a map or list in turn; node NULL: there are no more. */
SL_API struct sl_at sl_at_first(struct sl_at at);
SL_API struct sl_at sl_at_next(struct sl_at at);
#define SL_AT_EACH(one, of) for (struct sl_at one = sl_at_first(of); one.node; one = sl_at_next(one))
SL_API uint32_t sl_at_count(struct sl_at at);
SL_API const char *sl_at_key(struct sl_at at);  /* Of a map's member: lent. */
SL_API const char *sl_at_text(struct sl_at at); /* Lent; NULL: not there, or null. */
SL_API int64_t sl_at_int(struct sl_at at, int64_t fallback, int64_t min, int64_t max);
SL_API bool sl_at_bool(struct sl_at at, bool fallback);
/* One of the words, as its index; fallback: it is not there. words ends in NULL. */
SL_API int sl_at_word(struct sl_at at, const char *const *words, int fallback);
/* Only these keys (closed by NULL) are in it; else an error that names them. */
SL_API void sl_at_keys(struct sl_at at, const char *const *keys);

#endif
