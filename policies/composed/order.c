/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order.c - scores: lower goes first, ties by submission, then by place in the file.
 *
 * r: the estimate (the limit by default), n: size, w: wait, s: submit, in
 * seconds. + - * / and sqrt are exact everywhere; logarithms go through steady().
 */
#include <math.h>
#include <string.h>

#include "policies/composed/composed.h"
#include "policies/composed/fair_shares.h"

double steady(double value)
{
	int exponent;
	if (!isfinite(value))
		return value;
	const double mantissa = frexp(value, &exponent);
	return ldexp(floor(ldexp(mantissa, 40) + 0.5), exponent - 40);
}

/* F1 to F4 take the logarithm of the submit time; at the trace's zero there is none. */
static double log_submit(const struct facts *f) { return steady(log10(f->submit > 0 ? f->submit : 0.1)); }

static double score_fcfs(const struct facts *f) { return f->submit; }
static double score_sjf(const struct facts *f) { return f->limit; }
static double score_ljf(const struct facts *f) { return -f->limit; }
static double score_smallest(const struct facts *f) { return f->size; }
static double score_largest(const struct facts *f) { return -f->size; }
static double score_saf(const struct facts *f) { return f->limit * f->size; }
static double score_laf(const struct facts *f) { return -(f->limit * f->size); }
static double score_srf(const struct facts *f) { return f->limit / f->size; }

static double score_wfp3(const struct facts *f)
{
	const double ratio = f->wait / f->limit;
	return -(ratio * ratio * ratio * f->size);
}

/* The logarithm of one processor is zero: 10^-15 in its place, so that serial jobs go first, as published.
 */
static double score_unicep(const struct facts *f)
{
	const double parallel = f->size > 1 ? steady(log2(f->size)) : 1e-15;
	return -(f->wait / (parallel * f->limit));
}

static double score_f1(const struct facts *f)
{
	return steady(log10(f->limit)) * f->size + 870 * log_submit(f);
}
static double score_f2(const struct facts *f) { return sqrt(f->limit) * f->size + 25600 * log_submit(f); }
static double score_f3(const struct facts *f) { return f->limit * f->size + 6860000 * log_submit(f); }
static double score_f4(const struct facts *f) { return f->limit * sqrt(f->size) + 530000 * log_submit(f); }

#define LELONG "Lelong, Reis & Trystram, Tuning EASY-Backfilling Queues, JSSPP 2017"
#define TANG \
	"Tang, Lan, Desai & Buettner, Fault-aware, utility-based job scheduling on Blue Gene/P, CLUSTER 2009"
#define CARASTAN \
	"Carastan-Santos & de Camargo, Obtaining dynamic scheduling policies with simulation and machine learning, SC 2017"

#define KAY "Kay & Lauder, A fair share scheduler, Communications of the ACM 31(1), 1988"
#define GHODSI \
	"Ghodsi et al., Dominant resource fairness: fair allocation of multiple resource types, NSDI 2011"
#define WALDSPURGER_94      "Waldspurger & Weihl, Lottery scheduling, OSDI 1994"
#define WALDSPURGER_95      "Waldspurger & Weihl, Stride scheduling, MIT/LCS/TM-528, 1995"
#define TAKES_SHARE_HOLDERS (TAKES(PARAM_BY) | TAKES(PARAM_WEIGHTS))

static const struct order orders[] = {
	{ "fcfs", "s",
		"Feitelson & Weil, Utilization and predictability in scheduling the IBM SP2 with backfilling, IPPS 1998",
		.by_row = true, .score = score_fcfs },
	{ "sjf", "r", LELONG, .score = score_sjf },
	{ "ljf", "-r", LELONG, .score = score_ljf },
	{ "smallest", "n", LELONG, .score = score_smallest },
	{ "largest", "-n", LELONG, .score = score_largest },
	{ "saf", "r * n", LELONG, .score = score_saf },
	{ "laf", "-r * n", LELONG, .score = score_laf },
	{ "srf", "r / n", LELONG, .score = score_srf },
	{ "wfp3", "-(w / r)^3 * n", TANG, .waits = true, .score = score_wfp3 },
	{ "unicep", "-w / (log2(n) * r)", TANG, .waits = true, .score = score_unicep },
	{ "f1", "log10(r) * n + 870 * log10(s)", CARASTAN, .score = score_f1 },
	{ "f2", "sqrt(r) * n + 25600 * log10(s)", CARASTAN, .score = score_f2 },
	{ "f3", "r * n + 6860000 * log10(s)", CARASTAN, .score = score_f3 },
	{ "f4", "r * sqrt(n) + 530000 * log10(s)", CARASTAN, .score = score_f4 },
	{ "fairshare", "decayed usage / weight, of the party", KAY, .fair_share = &fair_share_fair,
		.takes = TAKES_SHARE_HOLDERS | TAKES(PARAM_HALF_LIFE) | TAKES(PARAM_INITIAL) |
			 TAKES(PARAM_CHARGE) },
	{ "drf", "dominant share / weight, of the party", GHODSI, .fair_share = &fair_share_drf,
		.takes = TAKES_SHARE_HOLDERS },
	{ "lottery", "drawn by weight, of the parties", WALDSPURGER_94, .fair_share = &fair_share_lottery,
		.takes = TAKES_SHARE_HOLDERS },
	{ "stride", "pass, of the party", WALDSPURGER_95, .fair_share = &fair_share_stride,
		.takes = TAKES_SHARE_HOLDERS | TAKES(PARAM_COST) },
};

int ordering_init(struct ordering *ordering, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	*ordering = (struct ordering){ 0 };
	if (strncmp(text, "expr:", 5) == 0) {
		ordering->expr = expr_compile(text + 5, arena, err);
		if (!ordering->expr)
			return err->status;
		ordering->waits = expr_waits(ordering->expr);
		return SL_OK;
	}
	if (strncmp(text, "lua:", 4) == 0)
		return SL_OK; /* Its script comes later: part_init. */
	char names[400] = "";
	const char *known[SL_LEN(orders) + 1] = { NULL };
	for (size_t i = 0; i < SL_LEN(orders); i++) {
		if (strcmp(text, orders[i].name) == 0) {
			ordering->order = &orders[i];
			ordering->waits = orders[i].waits;
			ordering->by_row = orders[i].by_row;
			return SL_OK;
		}
		known[i] = orders[i].name;
		strncat(names, orders[i].name, sizeof(names) - strlen(names) - 1);
		strncat(names, ", ", sizeof(names) - strlen(names) - 1);
	}
	const char *near = sl_nearest(text, known);
	return sl_fail(err, SL_USAGE, "unknown order '%s': %s%s%suse one of %sexpr:\"...\" or lua:FILE", text,
		near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", names);
}

double ordering_score(const struct ordering *ordering, const struct facts *facts)
{
	return ordering->expr ? expr_value(ordering->expr, facts) : ordering->order->score(facts);
}

struct facts facts_of(const struct sl_pass *pass, sl_job job)
{
	const struct sl_jobs *jobs = sl_jobs_of(pass);
	const struct sl_cluster *cluster = sl_cluster_of(pass);
	const double second = (double)SL_SECOND;
	return (struct facts){
		.submit = (double)jobs->submit[job.row] / second,
		.wait = (double)(sl_now(pass) - jobs->submit[job.row]) / second,
		.size = is_fine(cluster) ? (double)fine_size_of(jobs, cluster, job) / 1000
					 : jobs->size[job.row],
		.limit = (double)sl_estimate_of(pass, job) / second,
		.user = jobs->user[job.row],
	};
}
