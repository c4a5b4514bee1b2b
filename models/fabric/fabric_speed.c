/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fabric_speed.c - one iteration of a job: compute, and communication as far as it does not hide behind it.
 *
 * Overlap: T = comp + max(0, comm - overlap * comp). Gamma: T = (comp^g + comm^g)^(1/g), as in Pollux (Qiao
 * et al., OSDI 2021, 3.2): 1 is no overlap, infinity is all. pow differs in its last bits between
 * libraries: its result is rounded to 40 bits.
 */
#include <math.h>

#include "models/fabric/share.h"

double fabric_speed_comm(const struct fabric_speed *speed, double rate)
{
	return speed->volume / rate + speed->fixed;
}

static double to_40_bits(double value)
{
	int exponent;
	const double part = frexp(value, &exponent);
	return ldexp(nearbyint(ldexp(part, 40)), exponent - 40);
}

double fabric_speed_time(const struct fabric_speed *speed, double rate)
{
	const double comm = fabric_speed_comm(speed, rate);
	if (speed->gamma > 0) {
		const double more = comm > speed->comp ? comm : speed->comp;
		const double less = comm > speed->comp ? speed->comp : comm;
		if (more <= 0)
			return 0;
		/* The greater is taken out, so that no power is out of range. */
		return more * to_40_bits(pow(1 + pow(less / more, speed->gamma), 1 / speed->gamma));
	}
	const double displayed = comm - speed->overlap * speed->comp;
	return displayed > 0 ? speed->comp + displayed : speed->comp;
}

uint64_t fabric_speed_rate(double reference, double time, uint64_t most)
{
	if (!(time > 0))
		return SL_SPEED_ONE; /* Neither computes nor communicates. */
	const double rate = reference / time * (double)SL_SPEED_ONE;
	if (rate >= (double)most)
		return most;
	const uint64_t whole = (uint64_t)rate;
	return (double)whole < rate ? whole + 1 : whole;
}
