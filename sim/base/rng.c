/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rng.c - streams of chance: draw i of a stream is a function of (seed, name, i).
 *
 * The draws are Philox2x64-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011), a bijection of counters that passes
 * BigCrush. Its key and the upper word of its counter are the stream's 128
 * bits; the lower word counts draws, so a stream holds no other state. Those
 * 128 bits are SipHash-2-4-128 (Aumasson, Bernstein: "SipHash: a fast
 * short-input PRF", 2012) of the name under the seed as key: two names meet
 * with the odds of chance, whatever they look like.
 */
#include "sim/base/base.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

static uint64_t rotated(uint64_t x, unsigned bits) { return (x << bits) | (x >> (64 - bits)); }

static void sip_rounds(uint64_t v[4], unsigned count)
{
	while (count--) {
		v[0] += v[1];
		v[1] = rotated(v[1], 13) ^ v[0];
		v[0] = rotated(v[0], 32);
		v[2] += v[3];
		v[3] = rotated(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotated(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotated(v[1], 17) ^ v[2];
		v[2] = rotated(v[2], 32);
	}
}

/* Eight bytes or fewer as a little-endian number, on any machine. */
static uint64_t rng_word_of(const char *text, size_t len)
{
	uint64_t word = 0;
	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)text[i] << (8 * i);
	return word;
}

struct sl_rng sl_rng_stream(uint64_t seed, const char *name)
{
	const size_t len = strlen(name);
	/* The key is (seed, 0); 0xee marks the 128-bit output. */
	uint64_t v[4] = { seed ^ 0x736f6d6570736575, 0x646f72616e646f6d ^ 0xee, seed ^ 0x6c7967656e657261,
		0x7465646279746573 };
	for (size_t at = 0; at <= len; at += 8) {
		uint64_t word = rng_word_of(name + at, len - at < 8 ? len - at : 8);
		if (len - at < 8) /* The last word, maybe empty, ends in the length. */
			word |= (uint64_t)len << 56;
		v[3] ^= word;
		sip_rounds(v, 2);
		v[0] ^= word;
	}
	struct sl_rng rng = { .counter = 0 };
	v[2] ^= 0xee;
	sip_rounds(v, 4);
	rng.key[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
	v[1] ^= 0xdd;
	sip_rounds(v, 4);
	rng.key[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
	return rng;
}

uint64_t sl_rng_u64(struct sl_rng *rng)
{
	uint64_t low = rng->counter++;
	uint64_t high = rng->key[1];
	uint64_t key = rng->key[0];
	for (int i = 0; i < 10; i++) {
		const unsigned __int128 product = (unsigned __int128)low * 0xD2B74407B1CE6E93;
		low = (uint64_t)(product >> 64) ^ key ^ high;
		high = (uint64_t)product;
		key += 0x9E3779B97F4A7C15;
	}
	return low; /* The block's other half goes unused: a draw is a block, and nothing is kept. */
}

/* Lemire, "Fast random integer generation in an interval", 2019: the draw that would bias is thrown back. */
uint64_t sl_rng_below(struct sl_rng *rng, uint64_t bound)
{
	SL_CHECK(bound > 0);
	unsigned __int128 product = (unsigned __int128)sl_rng_u64(rng) * bound;
	if ((uint64_t)product < bound) {
		const uint64_t least = (0 - bound) % bound;
		while ((uint64_t)product < least)
			product = (unsigned __int128)sl_rng_u64(rng) * bound;
	}
	return (uint64_t)(product >> 64);
}

double sl_rng_unit(struct sl_rng *rng) { return (double)(sl_rng_u64(rng) >> 11) * 0x1p-53; }

/* ---- GSL over a stream ----------------------------------------------------------- */

static unsigned long stream_get(void *state) { return (unsigned long)(sl_rng_u64(state) >> 32); }
static double stream_get_double(void *state) { return sl_rng_unit(state); }
/* Never seeded by GSL: a stream comes seeded. */
static void stream_set(void *state, unsigned long seed) { (void)state, (void)seed; }

const void *sl_rng_gsl(void)
{
	static const gsl_rng_type stream_type = {
		.name = "sl_rng",
		.max = 0xffffffff,
		.min = 0,
		.size = sizeof(struct sl_rng),
		.set = stream_set,
		.get = stream_get,
		.get_double = stream_get_double,
	};
	return &stream_type;
}

/* ---- Elementary functions -------------------------------------------------------- */

#define LN2 0x1.62e42fefa39efp-1

double sl_exp(double x)
{
	SL_CHECK(x > -700 && x < 700);
	/* ln 2 in two parts, the first short enough for k times it to be exact. */
	const double k = floor(x / LN2 + 0.5);
	const double rest = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
	double sum = 1;
	for (int n = 16; n > 0; n--) /* |rest| < 0.35: the 17th term is below 1e-22. */
		sum = 1 + rest / n * sum;
	return ldexp(sum, (int)k);
}

double sl_ln(double x)
{
	SL_CHECK(x > 0);
	int exponent;
	const double fraction = frexp(x, &exponent); /* In [1/2, 1). */
	double y = -0.35;
	for (int i = 0; i < 4; i++) { /* Halley's iteration triples the digits. */
		const double e = sl_exp(y);
		y += 2 * (fraction - e) / (fraction + e);
	}
	return y + exponent * LN2;
}
