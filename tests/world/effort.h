/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * effort.h - how much of what could be tried is tried: SL_EFFORT less (where all is slow), full, or neither.
 */
#ifndef TESTS_EFFORT_H
#define TESTS_EFFORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t effort_of(uint64_t less, uint64_t plain, uint64_t full)
{
	const char *text = getenv("SL_EFFORT"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	if (text && strcmp(text, "full") == 0)
		return full;
	return text && strcmp(text, "less") == 0 ? less : plain;
}

#endif
