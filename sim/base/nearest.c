/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nearest.c - the known name that is nearest to what was written, for "did you mean". */
#include <string.h>

#include "sim/base/base.h"

enum { NAME_MAX_COMPARED = 32 };

static size_t nearest_least(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment: insertions, deletions, replacements, and swaps of neighbours cost 1. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t row[3][NAME_MAX_COMPARED + 1];
	for (size_t j = 0; j <= b_len; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *now = row[i % 3];
		const size_t *last = row[(i + 2) % 3];
		const size_t *before = row[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			now[j] = nearest_least(last[j] + 1, now[j - 1] + 1);
			now[j] = nearest_least(now[j], last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = nearest_least(now[j], before[j - 2] + 1);
		}
	}
	return row[a_len % 3][b_len];
}

const char *nearest(const char *name, const char *(*at)(const void *list, size_t i), const void *list)
{
	const size_t len = strlen(name);
	if (len == 0 || len > NAME_MAX_COMPARED)
		return NULL;
	/* Two thirds of a name must be right; the beginning of a longer one counts as one slip. */
	size_t best = len / 3 + 1 + (len < 3);
	const char *found = NULL;
	const char *known;
	for (size_t i = 0; (known = at(list, i)); i++) {
		const size_t known_len = strlen(known);
		if (known_len > NAME_MAX_COMPARED)
			continue;
		size_t cost = distance(name, len, known, known_len);
		if (len > 1 && strncmp(name, known, len) == 0)
			cost = 1;
		if (cost < best) {
			best = cost;
			found = known;
		}
	}
	return found;
}

static const char *word_at(const void *list, size_t i)
{
	const char *const *words = list;
	return words[i];
}

const char *sl_nearest(const char *text, const char *const *known) { return nearest(text, word_at, known); }
