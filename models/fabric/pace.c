/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pace.c - one iteration of a job: compute, and communication as far as it does not hide behind it.
 *
 * Overlap: T = comp + max(0, comm - overlap * comp). Gamma: T = (comp^g + comm^g)^(1/g), as in Pollux (Qiao
 * et al., OSDI 2021, 3.2): 1 is no overlap, infinity is all. pow differs in its last bits between
 * libraries: its result is rounded to 40 bits.
 */
#include <math.h>

#include "models/fabric/share.h"

double fabric_pace_comm(const struct fabric_pace *pace, double rate)
{
	return pace->volume / rate + pace->fixed;
}

static double to_40_bits(double value)
{
	int exponent;
	const double part = frexp(value, &exponent);
	return ldexp(nearbyint(ldexp(part, 40)), exponent - 40);
}

double fabric_pace_time(const struct fabric_pace *pace, double rate)
{
	const double comm = fabric_pace_comm(pace, rate);
	if (pace->gamma > 0) {
		const double more = comm > pace->comp ? comm : pace->comp;
		const double less = comm > pace->comp ? pace->comp : comm;
		if (more <= 0)
			return 0;
		/* The greater is taken out, so that no power is out of range. */
		return more * to_40_bits(pow(1 + pow(less / more, pace->gamma), 1 / pace->gamma));
	}
	const double shown = comm - pace->overlap * pace->comp;
	return shown > 0 ? pace->comp + shown : pace->comp;
}

uint64_t fabric_pace_rate(double reference, double time, uint64_t most)
{
	if (!(time > 0))
		return SL_RATE_ONE; /* Neither computes nor communicates. */
	const double rate = reference / time * (double)SL_RATE_ONE;
	if (rate >= (double)most)
		return most;
	const uint64_t whole = (uint64_t)rate;
	return (double)whole < rate ? whole + 1 : whole;
}
