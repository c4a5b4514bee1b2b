/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_surface.c - a surface through what is known, how sure it is, and which points are worth a look:
 * kriging (Sacks, Welch, Mitchell and Wynn 1989) and expected improvement (Jones, Schonlau and Welch 1998).
 *
 * The logarithm of the loss is a draw of a Gaussian process over the lattice. Two points are as alike as the
 * product over axes of (1 + theta rho) / (1 + theta), which has effects of each axis alone, of pairs, and so
 * on (Durrande et al. 2012); rho falls with the distance along an axis, slower on axes that matter little.
 * Each candidate has something of its own, too, and of one that has not met all spans the mean is known the
 * less, the fewer it met. What these are is what makes the data most likely.
 *
 * Only + - * / and sqrt, sl_exp and sl_ln: the same everywhere.
 */
#include <math.h>
#include <string.h>

#include "models/tune/tune_search.h"

enum { KNOWN_MAX = 300, POINTS_MAX = 3000, ROW = KNOWN_MAX + TUNE_LOWEST_MAX };

static const uint32_t TAKEN = UINT32_MAX; /* As if it had met so many: is not looked at again. */

struct kernel {
	double reach[TUNE_AXES_MAX]; /* In parts of the axis. */
	double theta, few, own;
	bool smooth;
};

/* What is modelled: of each known, in standard deviations from the mean. */
struct process {
	struct kernel kernel;
	double *height;
	double *factor; /* Cholesky, lower, known * known. */
	double *solved; /* Factor \ (height - mean). */
	double *ones;   /* Factor \ 1. */
	double mean, sigma;
	double *foretold, *variance; /* Of points. */
	double *row;                 /* Factor \ likeness, of each point. */
	size_t fitted;               /* Known when the kernel was fitted last. */
};

enum { OF_LOSS, OF_BOUNDS, PROCESSES };
struct tune_surface {
	const struct tune_search *search;
	const double *weight;
	size_t known; /* Of these the surface goes through. */
	size_t *candidate;
	struct process process[PROCESSES];
	size_t processes; /* Of bounds where there are such. */
	double lowest;    /* Of those that hold what must. */
	double holds;     /* Where the bound is, in the process of bounds. */
	size_t points;    /* That may be looked at. */
	uint32_t (*level)[TUNE_AXES_MAX];
	uint32_t *met;
};

static bool process_new(struct process *process, struct sl_arena *arena)
{
	process->height = sl_alloc(arena, KNOWN_MAX, sizeof(double));
	process->factor = sl_alloc(arena, (size_t)KNOWN_MAX * KNOWN_MAX, sizeof(double));
	process->solved = sl_alloc(arena, KNOWN_MAX, sizeof(double));
	process->ones = sl_alloc(arena, KNOWN_MAX, sizeof(double));
	process->foretold = sl_alloc(arena, POINTS_MAX, sizeof(double));
	process->variance = sl_alloc(arena, POINTS_MAX, sizeof(double));
	process->row = sl_alloc(arena, (size_t)POINTS_MAX * ROW, sizeof(double));
	return process->height && process->factor && process->solved && process->ones && process->foretold &&
	       process->variance && process->row;
}

struct tune_surface *tune_surface_new(const struct tune_problem *problem, struct sl_arena *arena)
{
	struct tune_surface *surface = sl_alloc(arena, 1, sizeof(*surface));
	if (!surface)
		return NULL;
	surface->processes = 1;
	for (size_t c = 0; c < problem->columns; c++)
		surface->processes = tune_is_goal(&problem->column[c]) ? surface->processes : PROCESSES;
	surface->candidate = sl_alloc(arena, KNOWN_MAX, sizeof(*surface->candidate));
	surface->level = sl_alloc(arena, POINTS_MAX, sizeof(*surface->level));
	surface->met = sl_alloc(arena, POINTS_MAX, sizeof(*surface->met));
	for (size_t i = 0; i < surface->processes; i++)
		if (!process_new(&surface->process[i], arena))
			return NULL;
	return surface->candidate && surface->level && surface->met ? surface : NULL;
}

/* ---- What is known ------------------------------------------------------------------------------------- */

static double loss_height(
	const struct tune_surface *surface, const struct tune_candidate *candidate, uint32_t spans)
{
	const struct tune_search *search = surface->search;
	double loss = 0;
	double weights = 0;
	for (size_t c = 0; c < search->problem.columns; c++)
		if (surface->weight[c] > 0) {
			loss += surface->weight[c] * tune_loss(search, candidate, c, spans);
			weights += surface->weight[c];
		}
	loss /= weights > 0 ? weights : 1;
	return sl_ln(loss > 0.001 ? loss : 0.001);
}

static double height_of(const struct tune_surface *surface, size_t process,
	const struct tune_candidate *candidate, uint32_t spans)
{
	if (process == OF_LOSS)
		return loss_height(surface, candidate, spans);
	const double slack = tune_slack(surface->search, candidate, spans);
	return slack > 1 ? 1 : slack < -1 ? -1 : slack;
}

/* How much higher those that met all spans are on all than on the first: what makes the first few easy or
 * hard. */
static double offset_of(const struct tune_surface *surface, size_t process, uint32_t met)
{
	const struct tune_search *search = surface->search;
	const uint32_t spans = search->problem.spans;
	double sum = 0;
	double count = 2; /* Of two that tell of none. */
	for (size_t i = 1; i < search->count && met < spans; i++) {
		const struct tune_candidate *candidate = &search->candidate[i];
		if (candidate->failed || candidate->met < spans)
			continue;
		sum += height_of(surface, process, candidate, spans) -
		       height_of(surface, process, candidate, met);
		count++;
	}
	return sum / count;
}

static bool is_known(const struct tune_candidate *candidate) { return candidate->failed || candidate->met; }

/* All that met a span; where they are too many, the lowest on what they met. */
static void known_choose(struct tune_surface *surface)
{
	const struct tune_search *search = surface->search;
	double height[KNOWN_MAX] = { 0 };
	surface->known = 0;
	for (size_t i = 0; i < search->count; i++) {
		const struct tune_candidate *candidate = &search->candidate[i];
		if (!is_known(candidate))
			continue;
		const double is =
			candidate->failed ? HUGE_VAL : loss_height(surface, candidate, candidate->met);
		size_t at = surface->known;
		if (at == KNOWN_MAX && is >= height[at - 1])
			continue;
		surface->known += at < KNOWN_MAX;
		at -= at == KNOWN_MAX;
		for (; at > 0 && height[at - 1] > is; at--) {
			height[at] = height[at - 1];
			surface->candidate[at] = surface->candidate[at - 1];
		}
		height[at] = is;
		surface->candidate[at] = i;
	}
}

/* Heights of a process, from their mean and in their standard deviation. What is refused is as bad as the
 * worst. */
static void heights_take(struct tune_surface *surface, size_t of, double *mean, double *scale)
{
	const struct tune_search *search = surface->search;
	double *height = surface->process[of].height;
	const double n = (double)surface->known;
	double offset[3] = { 0 };
	uint32_t met[3] = { 0 };
	double highest = -HUGE_VAL;
	double squares = 0;
	for (size_t i = 0; i < surface->known; i++) {
		const struct tune_candidate *candidate = &search->candidate[surface->candidate[i]];
		if (candidate->failed)
			continue;
		size_t k = 0;
		while (k < SL_LEN(met) - 1 && met[k] && met[k] != candidate->met)
			k++;
		if (met[k] != candidate->met)
			offset[k] = offset_of(surface, of, candidate->met);
		met[k] = candidate->met;
		height[i] = height_of(surface, of, candidate, candidate->met) + offset[k];
		highest = height[i] > highest ? height[i] : highest;
	}
	*mean = 0;
	for (size_t i = 0; i < surface->known; i++) {
		height[i] = search->candidate[surface->candidate[i]].failed ? highest : height[i];
		*mean += height[i] / n;
	}
	for (size_t i = 0; i < surface->known; i++)
		squares += (height[i] - *mean) * (height[i] - *mean) / n;
	*scale = squares > 1e-12 ? sqrt(squares) : 1e-6;
	for (size_t i = 0; i < surface->known; i++)
		height[i] = (height[i] - *mean) / *scale;
}

static void known_take(struct tune_surface *surface)
{
	const struct tune_search *search = surface->search;
	double mean;
	double scale;
	known_choose(surface);
	heights_take(surface, OF_LOSS, &mean, &scale);
	surface->lowest = HUGE_VAL;
	for (size_t i = 0; i < surface->known; i++) {
		const struct tune_candidate *candidate = &search->candidate[surface->candidate[i]];
		if (!candidate->failed && candidate->met == search->problem.spans &&
			surface->process[OF_LOSS].height[i] < surface->lowest &&
			tune_score(search, candidate, candidate->met).excess <= 0)
			surface->lowest = surface->process[OF_LOSS].height[i];
	}
	if (surface->processes < PROCESSES)
		return;
	heights_take(surface, OF_BOUNDS, &mean, &scale);
	surface->holds = (0 - mean) / scale;
}

/* ---- How alike --------------------------------------------------------------------------------------------
 */

static double alike(
	const struct kernel *kernel, const struct tune_problem *problem, const uint32_t *a, const uint32_t *b)
{
	double product = 1;
	for (size_t i = 0; i < problem->axes; i++) {
		if (a[i] == b[i])
			continue;
		const double apart = problem->axis[i].unordered ? 0.5
								: fabs((double)a[i] - (double)b[i]) /
									  (problem->axis[i].count - 1);
		const double far = apart / kernel->reach[i];
		const double rho = 1 / (1 + (kernel->smooth ? far * far : far));
		product *= (1 + kernel->theta * rho) / (1 + kernel->theta);
	}
	return product;
}

/* Of means over so many of all spans. */
static double unsure(const struct kernel *kernel, double spans, uint32_t met)
{
	return kernel->few * (spans / met - 1) + 1e-6;
}

static void factorize(double *matrix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k <= i; k++) {
			double sum = matrix[i * n + k];
			for (size_t j = 0; j < k; j++)
				sum -= matrix[i * n + j] * matrix[k * n + j];
			matrix[i * n + k] = i == k ? sqrt(sum > 1e-9 ? sum : 1e-9) : sum / matrix[k * n + k];
		}
}

static void forward(const double *factor, double *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= factor[i * n + k] * x[k];
		x[i] /= factor[i * n + i];
	}
}

/* With this kernel: the factor, what is needed to foretell, and how likely it makes what is known. */
static double likelihood(const struct tune_surface *surface, struct process *process)
{
	const struct tune_search *search = surface->search;
	const struct kernel *kernel = &process->kernel;
	const size_t n = surface->known;
	double ones = 0;
	double along = 0;
	double squares = 0;
	double determinant = 0;
	double prior = 0;
	for (size_t i = 0; i < n; i++) {
		const struct tune_candidate *candidate = &search->candidate[surface->candidate[i]];
		for (size_t k = 0; k < i; k++)
			process->factor[i * n + k] = alike(kernel, &search->problem, candidate->level,
				search->candidate[surface->candidate[k]].level);
		process->factor[i * n + i] =
			1 + kernel->own +
			unsure(kernel, search->problem.spans,
				candidate->failed ? search->problem.spans : candidate->met);
		process->solved[i] = process->height[i];
		process->ones[i] = 1;
	}
	factorize(process->factor, n);
	forward(process->factor, process->solved, n);
	forward(process->factor, process->ones, n);
	for (size_t i = 0; i < n; i++) {
		ones += process->ones[i] * process->ones[i];
		along += process->ones[i] * process->solved[i];
		determinant += sl_ln(process->factor[i * n + i]);
	}
	process->mean = along / ones;
	for (size_t i = 0; i < n; i++) {
		process->solved[i] -= process->mean * process->ones[i];
		squares += process->solved[i] * process->solved[i];
	}
	process->sigma = sqrt(squares / (double)n);
	process->sigma = process->sigma > 0.05 ? process->sigma : 0.05;
	for (size_t a = 0; a < search->problem.axes; a++) {
		const double off = sl_ln(kernel->reach[a] / 0.7);
		prior += off * off / 2;
	}
	return -(double)n / 2 * sl_ln(squares / (double)n + 1e-9) - determinant - prior;
}

/* The best of some values of one number of the kernel. */
static void fit_one(const struct tune_surface *surface, struct process *process, double *number,
	const double *values, size_t count, double *best)
{
	double kept = *number;
	for (size_t i = 0; i < count; i++) {
		if (values[i] == kept)
			continue;
		*number = values[i];
		const double is = likelihood(surface, process);
		if (is > *best) {
			*best = is;
			kept = *number;
		}
	}
	*number = kept;
}

static void fit_all(const struct tune_surface *surface, struct process *process, double *best)
{
	static const double reach[] = { 0.1, 0.2, 0.4, 0.8, 1.6, 5, 20 };
	static const double theta[] = { 0.3, 1, 4, 1000 };
	static const double few[] = { 0.001, 0.01, 0.03, 0.1, 0.3 };
	static const double own[] = { 0.0001, 0.003, 0.03, 0.1, 0.3 };
	struct kernel *kernel = &process->kernel;
	kernel->smooth = !kernel->smooth;
	const double other = likelihood(surface, process);
	kernel->smooth = other > *best ? kernel->smooth : !kernel->smooth;
	*best = other > *best ? other : *best;
	for (size_t a = 0; a < surface->search->problem.axes; a++)
		fit_one(surface, process, &kernel->reach[a], reach, SL_LEN(reach), best);
	fit_one(surface, process, &kernel->theta, theta, SL_LEN(theta), best);
	fit_one(surface, process, &kernel->few, few, SL_LEN(few), best);
	fit_one(surface, process, &kernel->own, own, SL_LEN(own), best);
}

static void fit(const struct tune_surface *surface, struct process *process)
{
	if (!process->fitted) {
		process->kernel = (struct kernel){ .theta = 4, .few = 0.03, .own = 0.003 };
		for (size_t a = 0; a < surface->search->problem.axes; a++)
			process->kernel.reach[a] = 0.8;
	}
	if (!process->fitted || surface->known > process->fitted + process->fitted / 10) {
		double best = likelihood(surface, process);
		fit_all(surface, process, &best);
		if (!process->fitted)
			fit_all(surface, process, &best);
		process->fitted = surface->known;
	}
	(void)likelihood(surface, process);
}

/* ---- Points
 * ------------------------------------------------------------------------------------------------ */

static void point_add(struct tune_surface *surface, const uint32_t *level)
{
	const struct tune_search *search = surface->search;
	uint32_t met = 0;
	if (surface->points == POINTS_MAX)
		return;
	for (size_t i = 0; i < search->count; i++)
		if (memcmp(search->candidate[i].level, level, search->problem.axes * sizeof(*level)) == 0) {
			if (search->candidate[i].failed || search->candidate[i].met == search->problem.spans)
				return;
			met = search->candidate[i].met;
		}
	memcpy(surface->level[surface->points], level, sizeof(surface->level[0]));
	surface->met[surface->points++] = met;
}

static bool is_point(const struct tune_surface *surface, const uint32_t *level)
{
	for (size_t i = 0; i < surface->points; i++)
		if (memcmp(surface->level[i], level, surface->search->problem.axes * sizeof(*level)) == 0)
			return true;
	return false;
}

/* Of a lattice that is too large to be gone through: those begun, steps about the lowest that are known, and
 * any. */
static void points_draw(struct tune_surface *surface, struct sl_rng *rng)
{
	const struct tune_search *search = surface->search;
	const struct tune_problem *problem = &search->problem;
	uint32_t level[TUNE_AXES_MAX] = { 0 };
	for (size_t i = 0; i < search->count && i < POINTS_MAX / 4; i++)
		if (search->candidate[i].met)
			point_add(surface, search->candidate[i].level);
	for (size_t i = 0; i < POINTS_MAX / 2; i++) {
		const size_t about = (size_t)sl_rng_below(rng, surface->known < 8 ? surface->known : 8);
		/* One axis moved in half of them, two in a quarter, ...; every fourth is any point. */
		memcpy(level, search->candidate[surface->candidate[about]].level, sizeof(level));
		do {
			const size_t a = (size_t)sl_rng_below(rng, problem->axes);
			const struct tune_axis *axis = &problem->axis[a];
			const uint32_t by = 1 + (uint32_t)sl_rng_below(rng, axis->count / 8 + 1);
			level[a] = axis->unordered || sl_rng_below(rng, 4) == 0
					   ? (uint32_t)sl_rng_below(rng, axis->count)
				   : sl_rng_below(rng, 2)             ? (level[a] >= by ? level[a] - by : 0)
				   : axis->count - 1 - level[a] >= by ? level[a] + by
								      : axis->count - 1;
		} while (sl_rng_below(rng, 2));
		for (size_t a = 0; a < problem->axes && i % 4 == 0; a++)
			level[a] = (uint32_t)sl_rng_below(rng, problem->axis[a].count);
		if (tune_linked(problem, level) && !is_point(surface, level))
			point_add(surface, level);
	}
}

static void points_take(struct tune_surface *surface, struct sl_rng *rng)
{
	const struct tune_problem *problem = &surface->search->problem;
	const uint64_t points = tune_points(problem);
	uint32_t level[TUNE_AXES_MAX] = { 0 };
	surface->points = 0;
	if (points > POINTS_MAX) {
		points_draw(surface, rng);
		return;
	}
	for (uint64_t i = 0; i < points; i++) {
		if (tune_point(problem, i, level))
			point_add(surface, level);
	}
}

static void points_foretell(const struct tune_surface *surface, struct process *process)
{
	const struct tune_search *search = surface->search;
	const struct kernel *kernel = &process->kernel;
	const size_t n = surface->known;
	for (size_t p = 0; p < surface->points; p++) {
		double *row = &process->row[p * ROW];
		process->foretold[p] = process->mean;
		process->variance[p] = 1 + kernel->own;
		for (size_t i = 0; i < n; i++) {
			const struct tune_candidate *candidate = &search->candidate[surface->candidate[i]];
			row[i] = alike(kernel, &search->problem, surface->level[p], candidate->level);
			if (surface->met[p] && memcmp(surface->level[p], candidate->level,
						       search->problem.axes * sizeof(uint32_t)) == 0)
				row[i] += kernel->own;
		}
		forward(process->factor, row, n);
		for (size_t i = 0; i < n; i++) {
			process->foretold[p] += row[i] * process->solved[i];
			process->variance[p] -= row[i] * row[i];
		}
	}
}

/* As if a point came out as foretold: nothing is to be learnt near it. n: known, and taken for such. */
static void points_condition(
	const struct tune_surface *surface, struct process *process, size_t point, size_t n, uint32_t until)
{
	const struct tune_problem *problem = &surface->search->problem;
	const double variance = process->variance[point] > 1e-9 ? process->variance[point] : 1e-9;
	const double spread = sqrt(variance + unsure(&process->kernel, problem->spans, until));
	const double *of = &process->row[point * ROW];
	for (size_t p = 0; p < surface->points; p++) {
		double *row = &process->row[p * ROW];
		double sum = alike(&process->kernel, problem, surface->level[p], surface->level[point]);
		if (p == point || surface->met[p] == TAKEN)
			continue;
		for (size_t i = 0; i < n; i++)
			sum -= row[i] * of[i];
		row[n] = sum / spread;
		process->variance[p] -= row[n] * row[n];
	}
}

/* ---- What it is worth
 * ------------------------------------------------------------------------------------------ */

/* phi(z), and Phi(z): Abramowitz and Stegun 1964, 26.2.17. */
static double density_of(double z) { return fabs(z) < 30 ? 0.3989422804014327 * sl_exp(-z * z / 2) : 0; }

static double below(double z)
{
	const double t = 1 / (1 + 0.2316419 * fabs(z));
	const double tail =
		density_of(z) * t *
		(0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	return z > 0 ? 1 - tail : tail;
}

/* How far it is below, in standard deviations, as foretold. */
static double z_of(const struct process *process, size_t point, double bound, double *spread)
{
	*spread = sqrt(process->variance[point] > 1e-9 ? process->variance[point] : 1e-9) * process->sigma;
	return (bound - process->foretold[point]) / *spread;
}

/* Expected improvement, times how likely what must hold does (Schonlau, Welch and Jones 1998), for each span
 * that it takes. */
static double worth_of(const struct tune_surface *surface, size_t point)
{
	double spread = 0;
	double holds = 0;
	double worth = 1;
	if (surface->processes > OF_BOUNDS) {
		holds = z_of(&surface->process[OF_BOUNDS], point, surface->holds, &spread);
		worth = holds > -7 ? below(holds + 1e-3) : 0;
	}
	const double z = surface->lowest < HUGE_VAL
				 ? z_of(&surface->process[OF_LOSS], point, surface->lowest, &spread)
				 : 0;
	if (surface->lowest < HUGE_VAL)
		worth *= z > -7 ? spread * (density_of(z) + z * below(z)) : 0;
	/* Where nothing is to be expected, what is least unlikely. */
	return worth > 1e-12 ? worth / (surface->search->problem.spans - surface->met[point])
			     : ((z < 0 ? z : 0) + (holds < 0 ? holds : 0)) * 1e-15;
}

size_t tune_promising(struct tune_surface *surface, const struct tune_search *search, struct sl_rng *rng,
	const double *weight, bool begin, uint32_t next, uint32_t (*level)[TUNE_AXES_MAX], size_t most)
{
	size_t count = 0;
	surface->search = search;
	surface->weight = weight;
	known_take(surface);
	points_take(surface, rng);
	for (size_t i = 0; i < surface->processes; i++) {
		fit(surface, &surface->process[i]);
		points_foretell(surface, &surface->process[i]);
	}
	for (; count < most && count < TUNE_LOWEST_MAX; count++) {
		size_t best = SIZE_MAX;
		double best_worth = -HUGE_VAL;
		for (size_t p = 0; p < surface->points; p++) {
			if (surface->met[p] == TAKEN || (!surface->met[p] && !begin))
				continue;
			const double worth = worth_of(surface, p);
			best = worth > best_worth ? p : best;
			best_worth = worth > best_worth ? worth : best_worth;
		}
		if (best == SIZE_MAX)
			break;
		memcpy(level[count], surface->level[best], sizeof(level[0]));
		for (size_t i = 0; i < surface->processes; i++)
			points_condition(surface, &surface->process[i], best, surface->known + count,
				surface->met[best] ? search->problem.spans : next);
		surface->met[best] = TAKEN;
	}
	return count;
}
