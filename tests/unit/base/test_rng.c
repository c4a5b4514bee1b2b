/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_rng.c - streams of chance: the published algorithms to the bit, streams that do not overlap, and the
 * two shapes (below, unit) that everything else is made of.
 *
 * Seeds are fixed, so nothing here fails by chance; bounds were set so that one seed in a million would.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>

#include "sim/plugin.h"

/* Philox2x64-10 is the published one: the three known answers of the Random123 distribution (kat_vectors).
 * Their counter is (counter, key[1]), their key is key[0]. */
Test(rng, philox_known_answers)
{
	static const struct {
		struct sl_rng rng;
		uint64_t want;
	} cases[] = {
		{ { { 0, 0 }, 0 }, 0xca00a0459843d731 },
		{ { { UINT64_MAX, UINT64_MAX }, UINT64_MAX }, 0x65b021d60cd8310f },
		{ { { 0xa4093822299f31d0, 0x13198a2e03707344 }, 0x243f6a8885a308d3 }, 0x0a5e742c2997341c },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_rng rng = cases[i].rng;
		const uint64_t got = sl_rng_u64(&rng);
		cr_expect(got == cases[i].want, "case %zu: %016" PRIx64, i, got);
	}
}

/* A stream's key is SipHash-2-4-128 of its name under the key (seed, 0): as `openssl mac -macopt
 * hexkey:... -macopt size:16 SIPHASH` says. Lengths around the words of 8 bytes, and the empty name. */
Test(rng, siphash_known_answers)
{
	static const struct {
		uint64_t seed;
		const char *name;
		const char *want;
	} cases[] = {
		{ 1, "models/lublin/size", "8c8200507cff4372d664a7898844d9d1" },
		{ 0xfedcba9876543210, "", "353a476a850be750bea4df5971355667" },
		{ 0xfedcba9876543210, "a", "714789144517fabe7bc7aff4ad6c0986" },
		{ 0xfedcba9876543210, "1234567", "a4dad3c9f40fc2ccc898106722691eed" },
		{ 0xfedcba9876543210, "12345678", "afe1526565d95d7b1bbe910e84d67dd7" },
		{ 0xfedcba9876543210, "123456789012345678", "0a2846f216f9bcec3fa23888ff413171" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const struct sl_rng rng = sl_rng_stream(cases[i].seed, cases[i].name);
		char got[33];
		for (unsigned b = 0; b < 16; b++)
			(void)snprintf(got + 2 * (size_t)b, 3, "%02x",
				(unsigned)(rng.key[b / 8] >> (8 * (b % 8)) & 0xff));
		cr_expect_str_eq(got, cases[i].want, "name '%s'", cases[i].name);
		cr_expect(rng.counter == 0);
	}
}

/* Draws of one stream, with another drawn between them, are those of the stream alone; and draw i can be had
 * without the ones before it. */
Test(rng, streams_are_isolated)
{
	struct sl_rng alone = sl_rng_stream(7, "models/a");
	struct sl_rng beside = sl_rng_stream(7, "models/a");
	struct sl_rng other = sl_rng_stream(7, "models/b");
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t want = sl_rng_u64(&alone);
		for (uint64_t k = 0; k < i % 3; k++)
			(void)sl_rng_below(&other, 10);
		cr_assert(sl_rng_u64(&beside) == want, "draw %" PRIu64, i);
		struct sl_rng there = sl_rng_stream(7, "models/a");
		there.counter = i;
		cr_assert(sl_rng_u64(&there) == want, "draw %" PRIu64 " alone", i);
	}
}

/* Neighbouring seeds and names give different streams. */
Test(rng, seeds_and_names_matter)
{
	struct sl_rng a = sl_rng_stream(1, "node/1");
	struct sl_rng b = sl_rng_stream(2, "node/1");
	struct sl_rng c = sl_rng_stream(1, "node/2");
	const uint64_t first = sl_rng_u64(&a);
	const uint64_t second = sl_rng_u64(&b);
	const uint64_t third = sl_rng_u64(&c);
	cr_expect(first != second && first != third && second != third);
}

/* Chi-square of 600 000 draws below 6: 5 degrees of freedom, 38.9 is passed by one seed in 4 million. */
Test(rng, below_is_uniform)
{
	struct sl_rng rng = sl_rng_stream(1, "test/below");
	double seen[6] = { 0 };
	for (int i = 0; i < 600000; i++)
		seen[sl_rng_below(&rng, 6)]++;
	double chi2 = 0;
	for (int i = 0; i < 6; i++)
		chi2 += (seen[i] - 100000) * (seen[i] - 100000) / 100000;
	cr_expect_lt(chi2, 38.9);
	cr_expect(sl_rng_below(&rng, 1) == 0);
}

/* Below 3 * 2^62, multiples of 3 would come half of the time, not a third, were no draw thrown back. The
 * bound is 6 standard deviations of 100 000 draws. */
Test(rng, below_has_no_bias)
{
	struct sl_rng rng = sl_rng_stream(1, "test/bias");
	const uint64_t bound = UINT64_C(3) << 62;
	int multiples = 0;
	for (int i = 0; i < 100000; i++) {
		const uint64_t value = sl_rng_below(&rng, bound);
		cr_assert(value < bound);
		multiples += value % 3 == 0;
	}
	cr_expect(multiples > 33333 - 895 && multiples < 33333 + 895, "%d", multiples);
}

/* In [0, 1), with mean 1/2 and mean square 1/3, to 6 standard deviations of a million draws. */
Test(rng, unit_is_uniform)
{
	struct sl_rng rng = sl_rng_stream(1, "test/unit");
	double sum = 0;
	double squares = 0;
	for (int i = 0; i < 1000000; i++) {
		const double u = sl_rng_unit(&rng);
		cr_assert(u >= 0 && u < 1);
		sum += u;
		squares += u * u;
	}
	cr_expect_float_eq(sum / 1e6, 0.5, 6 * 0.2887 / 1e3);
	cr_expect_float_eq(squares / 1e6, 1.0 / 3, 6 * 0.2981 / 1e3);
}
