/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_bits.h - sets of nodes as words of bits, for the modules of the controller that keep some.
 */
#ifndef POLICIES_SLURM_CTL_BITS_H
#define POLICIES_SLURM_CTL_BITS_H

#include "policies/slurm/control/ctl.h"

static inline bool nset_has(const uint64_t *set, uint32_t node) { return set[node / 64] >> (node % 64) & 1; }
static inline void nset_add(uint64_t *set, uint32_t node) { set[node / 64] |= UINT64_C(1) << (node % 64); }
static inline void nset_drop(uint64_t *set, uint32_t node)
{
	set[node / 64] &= ~(UINT64_C(1) << (node % 64));
}

static inline void nset_fill(uint64_t *set, uint32_t nodes)
{
	for (uint32_t w = 0; w * 64 < nodes; w++)
		set[w] = nodes - w * 64 >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (nodes - w * 64)) - 1;
}

static inline uint32_t nset_count(const uint64_t *set, size_t words)
{
	uint32_t count = 0;
	for (size_t w = 0; w < words; w++)
		count += select_popcount(set[w]);
	return count;
}

static inline bool nset_meets(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Whether there are so many: of large sets a few words say so. */
static inline bool nset_at_least(const uint64_t *set, size_t words, int64_t least)
{
	for (size_t w = 0; w < words && least > 0; w++)
		least -= select_popcount(set[w]);
	return least <= 0;
}

static inline void nset_and(uint64_t *set, const uint64_t *other, size_t words)
{
	for (size_t w = 0; w < words; w++)
		set[w] &= other[w];
}

static inline void nset_and_not(uint64_t *set, const uint64_t *other, size_t words)
{
	for (size_t w = 0; w < words; w++)
		set[w] &= ~other[w];
}

/* All of inner are in outer. */
static inline bool nset_within(const uint64_t *inner, const uint64_t *outer, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (inner[w] & ~outer[w])
			return false;
	return true;
}

/* The least node of the set from `from` on; CTL_NO_ROW: none. */
static inline uint32_t nset_next(const uint64_t *set, size_t words, uint32_t from)
{
	for (size_t w = from / 64; w < words; w++) {
		const uint64_t word = w == from / 64 ? set[w] & ~UINT64_C(0) << (from % 64) : set[w];
		if (word)
			return (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(word);
	}
	return CTL_NO_ROW;
}

#endif
