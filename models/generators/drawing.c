/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drawing.c - what generators draw with: samplers over our streams, and hyper-Erlang distributions by their
 * moments.
 *
 * M. A. Johnson, M. R. Taaffe, "Matching moments to phase distributions: mixtures of Erlang distributions of
 * common order", Stochastic Models 5(4), 1989. An Erlang of order n and mean x has the moments x,
 * x^2 (n+1)/n and x^3 (n+1)(n+2)/n^2: divided by these factors, the three moments are those of a distribution
 * on two points, x1 and x2, which are the roots of a quadratic.
 */
#include "models/generators/generators.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

double gen_pow10(double x) { return sl_exp(x * 0x1.26bb1bbb55516p+1); /* ln 10 */ }

static double gen_normal(struct sl_rng *rng)
{
	const gsl_rng over = { .type = sl_rng_gsl(), .state = rng };
	return gsl_ran_gaussian_ziggurat(&over, 1);
}

double gen_gamma(struct sl_rng *rng, double shape, double scale)
{
	const gsl_rng over = { .type = sl_rng_gsl(), .state = rng };
	if (shape >= 1)
		return gsl_ran_gamma(&over, shape, scale);
	/* Below 1, GSL calls the C library's pow: the same by our own functions. */
	const double u = 1 - sl_rng_unit(rng);
	const double ln_power = sl_ln(u) / shape;
	return ln_power < -600 ? 0 : gsl_ran_gamma(&over, 1 + shape, scale) * sl_exp(ln_power);
}

double gen_exponential(struct sl_rng *rng) { return -sl_ln(1 - sl_rng_unit(rng)); }

double gen_lognormal(struct sl_rng *rng, double mu, double sigma)
{
	const double ln = mu + sigma * gen_normal(rng);
	return sl_exp(ln < -100 ? -100 : ln > 100 ? 100 : ln);
}

int64_t gen_whole(double x)
{
	const double rounded = floor((x < 1e9 ? x : 1e9) + 0.5);
	return rounded > 1 ? (int64_t)rounded : 1;
}

size_t gen_pick(struct sl_rng *rng, const int64_t *weight, size_t count)
{
	int64_t total = 0;
	for (size_t i = 0; i < count; i++)
		total += weight[i];
	int64_t place = (int64_t)sl_rng_below(rng, (uint64_t)total);
	size_t i = 0;
	while (i + 1 < count && place >= weight[i])
		place -= weight[i++];
	return i;
}

void gen_zipf(uint64_t *below, uint32_t count, double power)
{
	uint64_t total = 0;
	for (uint32_t k = 0; k < count; k++) {
		const uint64_t weight = (uint64_t)(sl_exp(-power * sl_ln(k + 1)) * 0x1p40);
		total += weight ? weight : 1;
		below[k] = total;
	}
}

uint32_t gen_zipf_drawn(const uint64_t *below, uint32_t count, struct sl_rng *rng)
{
	const uint64_t place = sl_rng_below(rng, below[count - 1]);
	uint32_t low = 0;
	uint32_t high = count - 1;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (below[middle] > place)
			high = middle;
		else
			low = middle + 1;
	}
	return low + 1;
}

size_t gen_numbers(const char *text, const char *apart, int64_t *out, size_t max)
{
	size_t count = 0;
	for (;;) {
		const size_t len = strcspn(text, apart);
		if (count == max || !sl_get_micro(text, len, &out[count]))
			return 0;
		count++;
		if (!text[len])
			return count;
		text += len + 1;
	}
}

/* Of one item, up to its end. */
static bool item_of(struct gen_item *item, const char *text, size_t len)
{
	char copy[256];
	if (len == 0 || len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	char *colon = strchr(copy, ':');
	if (!colon)
		return false;
	*colon = '\0';
	const char *dash = strchr(copy, '-');
	const size_t first = dash ? (size_t)(dash - copy) : strlen(copy);
	*item = (struct gen_item){ 0 };
	if (!sl_get_i64(copy, first, &item->from))
		return false;
	item->to = item->from;
	if (dash && !sl_get_i64(dash + 1, strlen(dash + 1), &item->to))
		return false;
	item->count = gen_numbers(colon + 1, "/", item->number, GEN_ITEM_NUMBERS);
	return item->count && item->from >= 1 && item->to >= item->from && item->to <= GEN_CPUS_MAX;
}

size_t gen_items(const char *text, struct gen_item *item, size_t max, const char **wrong)
{
	for (size_t count = 0;;) {
		const size_t len = strcspn(text, "+");
		*wrong = text;
		if (count == max || !item_of(&item[count], text, len))
			return 0;
		count++;
		if (!text[len])
			return count;
		text += len + 1;
	}
}

/* ---- Hyper-Erlang ------------------------------------------------------------------ */

bool gen_hyper_of_moments(struct gen_hyper *h, double mean, double cv2, double m3)
{
	for (int n = 1; n <= GEN_ORDER_MAX; n++) {
		const double second = (1 + cv2) * n / (n + 1);
		const double third = m3 * n * n / ((double)(n + 1) * (n + 2));
		const double spread = second - 1;
		if (fabs(spread) < 1e-9) { /* Just an Erlang: its third moment is what it is. */
			if (fabs(third - 1) > 2e-6)
				continue;
			*h = (struct gen_hyper){ 1, mean, mean, n };
			return true;
		}
		if (spread < 0 || third < second * second)
			continue;
		const double sum = (third - second) / spread;
		const double product = (third - second * second) / spread;
		const double root = sqrt(fmax(0, sum * sum / 4 - product));
		const double x1 = sum / 2 - root;
		const double x2 = sum / 2 + root;
		*h = (struct gen_hyper){ (x2 - 1) / (x2 - x1), x1 * mean, x2 * mean, n };
		return true;
	}
	return false;
}

double gen_hyper_drawn(const struct gen_hyper *h, struct sl_rng *rng)
{
	const double x = sl_rng_unit(rng) < h->p ? h->x1 : h->x2;
	return gen_gamma(rng, h->order, x / h->order);
}
