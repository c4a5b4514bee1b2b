/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_go.c - the numbers of Go's math/rand, so that a workload drawn by a program in Go can be
 * reproduced.
 *
 * A lagged Fibonacci generator of Mitchell and Reeds: x[n] = x[n - 607] + x[n - 273] mod 2^64. A seed fills
 * the register from a Lehmer generator, and each word is mixed with that of the same generator after 7.8e12
 * numbers from seed 1. Go's source has those words as a table; here they are found by a power of x modulo
 * x^607 - x^334 - 1, which is what so many steps come to (src/math/rand/gen_cooked.go says how the table was
 * made).
 */
#include <string.h>

#include "sim/scenario/scenario_parts.h"

enum { GO_TAP = 273, LEHMER = 48271, LEHMER_SKIPPED = 20, LEHMER_ZERO = 89482311 };
#define COOKED_STEPS UINT64_C(7800000000000)

static int32_t lehmer(int32_t x) { return (int32_t)((int64_t)x * LEHMER % INT32_MAX); }

/* Three numbers a word, so many bits apart. */
static void go_words(uint64_t word[GO_LAGS], int32_t x, unsigned shift)
{
	for (unsigned i = 0; i < LEHMER_SKIPPED; i++)
		x = lehmer(x);
	for (unsigned i = 0; i < GO_LAGS; i++) {
		word[i] = 0;
		for (unsigned part = 0; part < 3; part++) {
			x = lehmer(x);
			word[i] ^= (uint64_t)x << shift * (2 - part);
		}
	}
}

/* a * b modulo x^607 - x^334 - 1, coefficients mod 2^64; to may be a or b. */
static void poly_times(uint64_t to[GO_LAGS], const uint64_t a[GO_LAGS], const uint64_t b[GO_LAGS])
{
	uint64_t product[2 * GO_LAGS] = { 0 };
	for (unsigned i = 0; i < GO_LAGS; i++)
		for (unsigned j = 0; j < GO_LAGS; j++)
			product[i + j] += a[i] * b[j];
	for (unsigned i = 2 * GO_LAGS - 1; i >= GO_LAGS; i--) {
		product[i - GO_LAGS] += product[i];
		product[i - GO_TAP] += product[i];
	}
	memcpy(to, product, GO_LAGS * sizeof(*to));
}

static void poly_power(uint64_t power[GO_LAGS], uint64_t exponent)
{
	uint64_t square[GO_LAGS] = { [1] = 1 };
	memset(power, 0, GO_LAGS * sizeof(*power));
	power[0] = 1;
	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			poly_times(power, power, square);
		poly_times(square, square, square);
	}
}

/* Where the register holds the i-th number of the sequence after so many steps: it is overwritten downwards,
 * from the word below 334. */
static unsigned register_of(uint64_t steps, unsigned i)
{
	const unsigned down = (unsigned)((steps + i) % GO_LAGS);
	return (GO_LAGS - GO_TAP - 1 + GO_LAGS - down) % GO_LAGS;
}

/* The register after so many numbers. */
static void go_jump(uint64_t word[GO_LAGS], uint64_t steps)
{
	uint64_t sequence[2 * GO_LAGS];
	uint64_t power[GO_LAGS];
	for (unsigned i = 0; i < GO_LAGS; i++)
		sequence[i] = word[register_of(0, i)];
	for (unsigned i = 0; i < GO_LAGS; i++)
		sequence[GO_LAGS + i] = sequence[i] + sequence[GO_LAGS - GO_TAP + i];
	poly_power(power, steps);
	for (unsigned i = 0; i < GO_LAGS; i++) {
		uint64_t sum = 0;
		for (unsigned j = 0; j < GO_LAGS; j++)
			sum += power[j] * sequence[i + j];
		word[register_of(steps, i)] = sum;
	}
}

void go_seed(struct go_rand *go, uint64_t seed)
{
	uint64_t cooked[GO_LAGS];
	const int32_t x = (int32_t)(seed % INT32_MAX);
	go_words(cooked, 1, 10);
	go_jump(cooked, COOKED_STEPS);
	go_words(go->state, x ? x : LEHMER_ZERO, 20);
	for (unsigned i = 0; i < GO_LAGS; i++)
		go->state[i] ^= cooked[i];
	go->tap = 0;
	go->feed = GO_LAGS - GO_TAP;
}

/* Int63 */
uint64_t go_next(struct go_rand *go)
{
	go->tap = (go->tap + GO_LAGS - 1) % GO_LAGS;
	go->feed = (go->feed + GO_LAGS - 1) % GO_LAGS;
	go->state[go->feed] += go->state[go->tap];
	return go->state[go->feed] & INT64_MAX;
}

uint32_t go_below(struct go_rand *go, uint32_t bound)
{
	SL_CHECK(bound > 0 && bound <= INT32_MAX);
	if ((bound & (bound - 1)) == 0)
		return (uint32_t)(go_next(go) >> 32) & (bound - 1);
	const uint32_t most = INT32_MAX - (UINT32_C(1) << 31) % bound;
	uint32_t value;
	do
		value = (uint32_t)(go_next(go) >> 32);
	while (value > most);
	return value % bound;
}

uint32_t go_below_shuffle(struct go_rand *go, uint32_t bound)
{
	SL_CHECK(bound > 0);
	const uint32_t least = (UINT32_MAX - bound + 1) % bound;
	uint64_t product;
	do
		product = (go_next(go) >> 31) * bound;
	while ((uint32_t)product <
		least); /* Below bound it is checked once more, which draws no further numbers. */
	return (uint32_t)(product >> 32);
}
