/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit_nearest.c - how similar two samples are, or a sample and a distribution.
 *
 * Distances, not tests: with the tens of thousands of jobs of a trace any model is refused, and the numbers
 * of a fit are of the same data, so that a p-value would mean nothing.
 */
#include <math.h>

#include "models/generators/fit.h"

double fit_ks(const double *x, size_t n, const double *y, size_t m)
{
	double most = 0;
	size_t i = 0;
	size_t j = 0;
	while (i < n && j < m) {
		const double at = x[i] < y[j] ? x[i] : y[j];
		while (i < n && x[i] <= at)
			i++;
		while (j < m && y[j] <= at)
			j++;
		most = fmax(most, fabs((double)i / (double)n - (double)j / (double)m));
	}
	return most;
}

double fit_ad(const double *x, size_t n, const double *y, size_t m)
{
	const double all = (double)(n + m);
	double sum = 0;
	size_t i = 0;
	size_t j = 0;
	while (i < n || j < m) {
		const double at = j == m || (i < n && x[i] < y[j]) ? x[i] : y[j];
		const size_t before_x = i;
		const size_t before = i + j;
		while (i < n && x[i] <= at)
			i++;
		while (j < m && y[j] <= at)
			j++;
		/* Ties count in half. */
		const double h = (double)(i + j - before);
		const double below = (double)before + h / 2;
		const double below_x = (double)before_x + (double)(i - before_x) / 2;
		const double d = below_x * all - (double)n * below;
		sum += h * d * d / (below * (all - below) - all * h / 4);
		if (i + j == n + m && before == 0)
			return 0; /* All are equal. */
	}
	return sum / ((double)n * (double)m) * (all - 1) / all;
}

double fit_ks_cdf(const double *x, size_t n, fit_cdf *cdf, const void *self)
{
	double most = 0;
	for (size_t i = 0; i < n; i++) {
		const double p = cdf(x[i], self);
		most = fmax(most, fmax((double)(i + 1) / (double)n - p, p - (double)i / (double)n));
	}
	return most;
}

double fit_ad_cdf(const double *x, size_t n, fit_cdf *cdf, const void *self)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		const double low = fmin(fmax(cdf(x[i], self), 1e-15), 1 - 1e-15);
		const double high = fmin(fmax(cdf(x[n - 1 - i], self), 1e-15), 1 - 1e-15);
		sum += (2 * (double)i + 1) * (log(low) + log1p(-high));
	}
	return -(double)n - sum / (double)n;
}
