/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interval.c - how much work lies between two checkpoints.
 *
 * young: sqrt(2 C M); J. W. Young, "A first order approximation to the optimum checkpoint interval",
 * Communications of the ACM 17(9), 1974.
 * daly: sqrt(2 C M) [1 + (1/3) sqrt(C / 2M) + (1/9) (C / 2M)] - C for C < 2M, else M; J. T. Daly, "A higher
 * order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems
 * 22(3), 2006.
 * available: N. R. Saxena et al., "Optimal Checkpoint Interval with Availability as an Objective Function",
 * arXiv 2410.18124, 2024: a period of C + sqrt(2 (M + R) C + C^2), which maximizes (T - C) / T * M / (M + R +
 * T/2). The period includes the checkpoint; the work in it is the root.
 *
 * Multiplication, division and square roots of doubles alone, which are the same everywhere; the result is
 * rounded to the microsecond.
 */
#include <math.h>

#include "models/checkpoint/checkpoint.h"

static double daly(double cost, double mtbf)
{
	if (cost >= 2 * mtbf)
		return mtbf;
	const double part = cost / (2 * mtbf);
	return sqrt(2 * cost * mtbf) * (1 + sqrt(part) / 3 + part / 9) - cost;
}

sl_time checkpoint_interval(enum checkpoint_rule rule, sl_time cost, sl_time mtbf, sl_time restart)
{
	if (mtbf == SL_NEVER)
		return SL_NEVER;
	const double c = (double)cost, m = (double)mtbf, r = (double)restart;
	double work = m;
	if (rule == CHECKPOINT_YOUNG)
		work = sqrt(2 * c * m);
	else if (rule == CHECKPOINT_DALY)
		work = daly(c, m);
	else if (rule == CHECKPOINT_AVAILABLE)
		work = sqrt(2 * (m + r) * c + c * c);
	const double most = 9e18;
	return work < 1 ? 1 : work > most ? SL_NEVER : (sl_time)(work + 0.5);
}
