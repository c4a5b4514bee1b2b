/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences_sort.c - values in ascending order, by their digits: a million cost a few passes.
 *
 * The bits of a double order as the doubles do, once those of negative ones are turned over. Digits that all
 * share cost nothing more than being counted: whole seconds have few others.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/differences_parts.h"

enum { BITS = 11, DIGITS = 6, RADIX = 1 << BITS };

static uint64_t key_of(double value)
{
	uint64_t bits;
	value += 0.0; /* -0 is 0. */
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static size_t digit_of(const struct valued *value, unsigned digit)
{
	return key_of(value->value) >> (BITS * digit) & (RADIX - 1);
}

/* By one digit. place: of each, how many there are. */
static void valued_move(
	const struct valued *from, struct valued *to, size_t count, unsigned digit, uint32_t place[RADIX])
{
	uint32_t sum = 0;
	for (size_t k = 0; k < RADIX; k++) {
		const uint32_t there = place[k];
		place[k] = sum;
		sum += there;
	}
	for (size_t i = 0; i < count; i++)
		to[place[digit_of(&from[i], digit)]++] = from[i];
}

void valued_sort(struct valued *value, struct valued *other, size_t count)
{
	uint32_t place[DIGITS][RADIX] = { 0 };
	struct valued *from = value;
	struct valued *to = other;
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = key_of(value[i].value);
		for (unsigned d = 0; d < DIGITS; d++)
			place[d][key >> (BITS * d) & (RADIX - 1)]++;
	}
	for (unsigned d = 0; d < DIGITS && count; d++) {
		if (place[d][digit_of(&from[0], d)] == count)
			continue;
		valued_move(from, to, count, d, place[d]);
		struct valued *swap = from;
		from = to;
		to = swap;
	}
	if (from != value && count)
		memcpy(value, from, count * sizeof(*value));
}
