/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ahead.h - a thread of its own that makes the next parts of a text while one looks at those before. */
#ifndef SL_AHEAD_H
#define SL_AHEAD_H

#include <sys/types.h>

#include "sim/base/base.h"

/* Where parts come from: both are called by the thread alone, in turns. */
struct ahead_source {
	void *self;
	/* At least a byte; 0 at the end; negative on failure. */
	ssize_t (*more)(void *self, char *out, size_t capacity, struct sl_err *err);
	/* Of a part that was handed over already: what is left to do with its bytes. */
	void (*behind)(void *self, const char *part, size_t len);
};

struct ahead;
/* Parts of up to so many bytes. NULL: there is no second core, no thread or no memory to be had; nothing was
 * done. */
struct ahead *ahead_start(const struct ahead_source *source, size_t capacity);
/* The next part, as the source's `more` says it. After the end or a failure it is the same again. */
ssize_t ahead_take(struct ahead *ahead, char *out, struct sl_err *err);
/* Ends the thread, wherever it is: from then on the source is the caller's again. NULL: nothing to do. */
void ahead_end(struct ahead *ahead);

#endif
