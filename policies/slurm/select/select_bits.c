/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select_bits.c - sets of nodes and cores, as words of bits.
 */
#include "policies/slurm/select/select_parts.h"

static uint64_t mask_of(uint32_t word, uint32_t from, uint32_t until)
{
	uint64_t mask = ~UINT64_C(0);
	if (from / 64 == word)
		mask &= ~UINT64_C(0) << (from % 64);
	if (until / 64 == word)
		mask &= (UINT64_C(1) << (until % 64)) - 1;
	return mask;
}

int64_t bit_count_range(const uint64_t *set, uint32_t from, uint32_t until)
{
	int64_t count = 0;
	for (uint32_t w = from / 64; w * 64 < until; w++)
		count += bits_of(set[w] & mask_of(w, from, until));
	return count;
}

void bit_clear_range(uint64_t *set, uint32_t from, uint32_t until)
{
	for (uint32_t w = from / 64; w * 64 < until; w++)
		set[w] &= ~mask_of(w, from, until);
}

bool bits_within(const uint64_t *inner, const uint64_t *outer, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (inner[w] & ~outer[w])
			return false;
	return true;
}

int64_t bits_count(const uint64_t *set, size_t words)
{
	int64_t count = 0;
	for (size_t w = 0; w < words; w++)
		if (set[w]) /* Of few nodes among many most are not. */
			count += bits_of(set[w]);
	return count;
}

uint32_t bits_last(const uint64_t *set, uint32_t from, uint32_t until)
{
	for (uint32_t w = (until + 63) / 64; w-- > from / 64;) {
		const uint64_t word = set[w] & mask_of(w, from, until);
		if (word)
			return w * 64 + 63 - (uint32_t)__builtin_clzll(word);
	}
	return UINT32_MAX;
}

uint32_t bits_next(const uint64_t *set, size_t words, uint32_t from)
{
	size_t w = from / 64;
	if (w >= words)
		return UINT32_MAX;
	uint64_t word = set[w] & (~UINT64_C(0) << (from % 64));
	while (!word) {
		if (++w == words)
			return UINT32_MAX;
		word = set[w];
	}
	return (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);
}
