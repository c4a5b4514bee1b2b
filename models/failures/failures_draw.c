/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_draw.c - times between failures and times to mend, drawn by inversion.
 *
 * Each quantity is the inverse of its distribution function at one uniform number: -M ln(1-u) (exponential),
 * L (-ln(1-u))^(1/k) (Weibull, with L = MTBF / Gamma(1 + 1/k) so that the mean is the MTBF), m exp(s z(u))
 * (lognormal of median m; its mean is m exp(s^2 / 2)). So a stream gives out the same uniforms for the same
 * things whatever the parameters are. Results are rounded to microseconds before anything is ordered by them.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "models/failures/failures.h"

#define RANGE_MAX 1e17 /* us: 3 000 years. */

static sl_time rounded(double us)
{
	if (!(us < RANGE_MAX))
		return SL_NEVER;
	return us < 1 ? 1 : (sl_time)floor(us + 0.5);
}

sl_time failures_later(sl_time at, sl_time range)
{
	return at == SL_NEVER || range == SL_NEVER || at > SL_NEVER - range ? SL_NEVER : at + range;
}

struct fail_process failures_process(double mean_us, double shape)
{
	gsl_sf_result gamma;
	if (!(mean_us > 0) || gsl_sf_gamma_e(1 + 1 / shape, &gamma))
		return (struct fail_process){ 0, 1 };
	return (struct fail_process){ mean_us / gamma.val, shape };
}

sl_time failures_weibull(const struct fail_process *process, double u)
{
	if (!(process->scale > 0))
		return SL_NEVER;
	const double hazard = -log1p(-u); /* Exponential of mean 1. */
	return rounded(process->scale * (process->shape == 1 ? hazard : pow(hazard, 1 / process->shape)));
}

sl_time failures_exponential(double mean_us, double u)
{
	return mean_us > 0 ? rounded(mean_us * -log1p(-u)) : SL_NEVER;
}

sl_time failures_lognormal(double median_us, double sigma, double u)
{
	/* 0 stands for what is below 2^-53: its middle. */
	return rounded(median_us * exp(sigma * gsl_cdf_ugaussian_Pinv(u > 0 ? u : 0x1p-54)));
}

int64_t failures_checks(double probability, double u)
{
	if (!(probability > 0))
		return SL_NEVER;
	if (probability >= 1)
		return 1;
	const double checks = floor(log1p(-u) / log1p(-probability)) + 1;
	return checks < RANGE_MAX ? (int64_t)checks : SL_NEVER;
}

static uint32_t failures_pick_cause(const struct failures *f, double u)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < f->cause_drawn; i++)
		total += f->cause[i].share;
	int64_t left = (int64_t)floor(u * (double)total);
	for (uint32_t i = 0; i < f->cause_drawn; i++)
		if ((left -= f->cause[i].share) < 0)
			return i;
	return f->cause_drawn - 1;
}

/* A class by its share; its time is what the class says. */
static sl_time class_drawn(const struct failures *f, double u)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < f->repair_count; i++)
		total += f->repair[i].share;
	int64_t left = (int64_t)floor(u * (double)total);
	for (uint32_t i = 0; i < f->repair_count; i++)
		if ((left -= f->repair[i].share) < 0)
			return f->repair[i].time;
	return f->repair[f->repair_count - 1].time;
}

static sl_time failures_repair_drawn(const struct failures *f, uint32_t cause, double u)
{
	const struct fail_options *o = &f->options;
	const uint32_t repair = f->cause[cause].repair;
	if (repair == FAIL_REPAIR_NONE)
		return 0;
	if (repair != FAIL_REPAIR_DRAWN)
		return f->repair[repair].time;
	switch (o->repairs) {
	case FAIL_REPAIRS_CLASSES:
		return class_drawn(f, u);
	case FAIL_REPAIRS_LOGNORMAL:
		return failures_lognormal(o->repair_median, o->repair_sigma, u);
	case FAIL_REPAIRS_FIXED:
		break;
	}
	return o->repair_fixed;
}

/* The first check after a time that finds something, checks being at whole multiples of their period. */
static sl_time check_after(const struct fail_options *o, sl_time at, int64_t checks)
{
	if (at == SL_NEVER || checks == SL_NEVER || o->check <= 0)
		return SL_NEVER;
	const int64_t first = at / o->check + 1;
	return checks > (SL_NEVER / o->check) - first ? SL_NEVER : (first + checks - 1) * o->check;
}

struct fail_event failures_next(const struct failures *f, struct fail_node *node, sl_time from)
{
	const struct fail_options *o = &f->options;
	/* In this order, always all five. */
	const double gap = sl_rng_unit(&node->rng), cause = sl_rng_unit(&node->rng),
		     hidden = sl_rng_unit(&node->rng), detect = sl_rng_unit(&node->rng),
		     mend = sl_rng_unit(&node->rng);
	struct fail_event event = { .at = failures_later(from, failures_weibull(&node->process, gap)),
		.cause = failures_pick_cause(f, cause) };
	event.mend = failures_repair_drawn(f, event.cause, mend);
	event.hidden = event.mend > 0 && hidden < o->hidden;
	event.seen = event.hidden ? check_after(o, event.at, failures_checks(o->detect, detect)) : event.at;
	return event;
}

sl_time failures_after(const struct failures *f, const struct fail_event *event)
{
	return f->options.clock == FAIL_CLOCK_WALL ? event->at : failures_later(event->seen, event->mend);
}
