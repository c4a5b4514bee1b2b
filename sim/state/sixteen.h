/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sixteen.h - sixteen numbers looked at together, the answer one bit each. What the compiler makes of the
 * plain loops takes three times the instructions of what SSE2, which every x86-64 has, needs.
 */
#ifndef SL_SIXTEEN_H
#define SL_SIXTEEN_H

#include <stdint.h>

#ifdef __SSE2__

#include <emmintrin.h>

static inline __m128i four_of(const int32_t *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Bit i: number i of the four vectors is 0, and not -1. */
static inline unsigned sixteen_clear(__m128i a, __m128i b, __m128i c, __m128i d)
{
	const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
	return 0xffffU ^ (unsigned)_mm_movemask_epi8(bytes);
}

/* -1 where there is none. */
static inline __m128i four_lack(const int32_t *length, const int32_t *any, int32_t most)
{
	return _mm_and_si128(_mm_cmpgt_epi32(four_of(length), _mm_set1_epi32(most)),
		_mm_cmpeq_epi32(four_of(any), _mm_set1_epi32(INT32_MAX)));
}

/* Bit i: length[i] <= most, or any[i] < INT32_MAX. */
static inline unsigned sixteen_hold(const int32_t *length, const int32_t *any, int32_t most)
{
	return sixteen_clear(four_lack(length, any, most), four_lack(length + 4, any + 4, most),
		four_lack(length + 8, any + 8, most), four_lack(length + 12, any + 12, most));
}

static inline __m128i four_unfit(
	const int32_t *size, const int32_t *length, int32_t free, int32_t spare, int32_t most)
{
	const __m128i sizes = four_of(size);
	return _mm_or_si128(_mm_cmpgt_epi32(sizes, _mm_set1_epi32(free)),
		_mm_and_si128(_mm_cmpgt_epi32(four_of(length), _mm_set1_epi32(most)),
			_mm_cmpgt_epi32(sizes, _mm_set1_epi32(spare))));
}

/* Bit i: size[i] <= free, and length[i] <= most or size[i] <= spare. */
static inline unsigned sixteen_fit(
	const int32_t *size, const int32_t *length, int32_t free, int32_t spare, int32_t most)
{
	return sixteen_clear(four_unfit(size, length, free, spare, most),
		four_unfit(size + 4, length + 4, free, spare, most),
		four_unfit(size + 8, length + 8, free, spare, most),
		four_unfit(size + 12, length + 12, free, spare, most));
}

#else

static inline unsigned sixteen_hold(const int32_t *length, const int32_t *any, int32_t most)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < 16; i++)
		bits |= (unsigned)((length[i] <= most) | (any[i] < INT32_MAX)) << i;
	return bits;
}

static inline unsigned sixteen_fit(
	const int32_t *size, const int32_t *length, int32_t free, int32_t spare, int32_t most)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < 16; i++)
		bits |= (unsigned)((size[i] <= free) & ((length[i] <= most) | (size[i] <= spare))) << i;
	return bits;
}

#endif

#endif
