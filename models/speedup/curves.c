/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * curves.c - speed-up by formula.
 *
 * Amdahl, Validity of the single processor approach to achieving large scale computing capabilities, AFIPS
 * 1967. Downey, A parallel workload model and its implications for processor allocation, HPDC 1997: by
 * average parallelism A and its variance sigma, with two branches, which agree at sigma = 1.
 */
#include "models/speedup/speedup.h"

double speedup_amdahl(double n, double serial) { return n < 1 ? n : 1 / (serial + (1 - serial) / n); }

static double downey_low(double n, double a, double sigma)
{
	if (n <= a)
		return a * n / (a + sigma * (n - 1) / 2);
	if (n < 2 * a - 1)
		return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
	return a;
}

static double downey_high(double n, double a, double sigma)
{
	if (n < a + a * sigma - sigma)
		return n * a * (sigma + 1) / (sigma * (n + a - 1) + a);
	return a;
}

double speedup_downey(double n, double parallelism, double variance)
{
	if (n < 1)
		return n;
	return variance <= 1 ? downey_low(n, parallelism, variance) : downey_high(n, parallelism, variance);
}

uint64_t speedup_rate(double speed)
{
	if (!(speed > 0))
		return 0;
	return (uint64_t)((speed < 1024 ? speed : 1024) * (double)SL_RATE_ONE + 0.5);
}
