/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - scores and rungs: what the rules of searches are made of.
 *
 * Median stopping: Golovin et al., Google Vizier, KDD 2017. Successive halving: Jamieson and Talwalkar,
 * AISTATS 2016. Asynchronous successive halving: Li et al., MLSys 2020.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/search/search.h"

int64_t search_score(const struct sl_profile *profile, sl_time work)
{
	if (profile->score_from == SL_NONE || profile->score_time <= 0)
		return profile->score;
	const double share = exp2(-(double)work / (double)profile->score_time);
	return profile->score + (int64_t)floor((double)(profile->score_from - profile->score) * share + 0.5);
}

/* Scores that get worse reach a target at once or never: the search by halves takes them as falling. */
sl_time search_reaches(const struct sl_profile *profile, int64_t target, sl_time run)
{
	sl_time low = 0;
	sl_time high = run;
	if (search_score(profile, 0) <= target)
		return 0;
	if (search_score(profile, run) > target)
		return SL_NEVER;
	while (low < high) {
		const sl_time middle = low + (high - low) / 2;
		if (search_score(profile, middle) <= target)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

sl_time search_rung(const struct search_rule *rule, uint32_t k)
{
	sl_time work = rule->rung;
	if (rule->kind == SEARCH_MEDIAN)
		return __builtin_mul_overflow(rule->rung, (int64_t)k + 1, &work) ? SL_NEVER : work;
	for (uint32_t i = 0; i < k; i++)
		if (__builtin_mul_overflow(work, rule->eta, &work))
			return SL_NEVER;
	return work;
}

uint32_t search_put(struct search_rung *rung, struct search_result result)
{
	uint32_t low = 0;
	uint32_t high = rung->count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct search_result *at = &rung->result[middle];
		if (at->score < result.score || (at->score == result.score && at->row < result.row))
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&rung->result[low + 1], &rung->result[low], (rung->count - low) * sizeof(result));
	rung->result[low] = result;
	rung->count++;
	return low;
}

uint32_t search_keep(uint32_t count, int64_t eta)
{
	const uint32_t keep = (uint32_t)(count / eta);
	return keep ? keep : 1;
}

static int compare_i64(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a;
	const int64_t y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t search_median(int64_t *value, uint32_t count)
{
	qsort(value, count, sizeof(*value), compare_i64);
	const int64_t high = value[count / 2];
	const int64_t low = value[(count - 1) / 2];
	return low + (high - low) / 2;
}

/* ---- Rules in families' names ----------------------------------------------------------------- */

static const char *const kinds[] = { "none", "median", "sha", "asha", "first", NULL };
_Static_assert(SL_LEN(kinds) == SEARCH_KINDS + 1, "a rule without its word");

static bool word_in(struct search_rule *rule, const char *key, size_t key_len, const char *value, size_t len)
{
	if (key_len == 4 && memcmp(key, "rule", 4) == 0) {
		for (uint32_t i = 0; kinds[i]; i++)
			if (strlen(kinds[i]) == len && memcmp(kinds[i], value, len) == 0) {
				rule->kind = (enum search_kind)i;
				return true;
			}
		return false;
	}
	if (key_len == 3 && memcmp(key, "eta", 3) == 0)
		return sl_get_i64(value, len, &rule->eta) && rule->eta >= 2 && rule->eta <= SEARCH_ETA_MAX;
	if (key_len == 4 && memcmp(key, "rung", 4) == 0)
		return sl_get_duration(value, len, &rule->rung) && rule->rung > 0;
	if (key_len == 6 && memcmp(key, "target", 6) == 0)
		return sl_get_micro(value, len, &rule->target);
	return false;
}

int search_rule_of(const char *family, struct search_rule *rule, struct sl_err *err)
{
	const char *p = family + strcspn(family, " ");
	while (*(p += strspn(p, " "))) {
		const size_t len = strcspn(p, " ");
		const char *equals = memchr(p, '=', len);
		if (!equals ||
			!word_in(rule, p, (size_t)(equals - p), equals + 1, (size_t)(p + len - equals - 1)))
			return sl_fail(err, SL_INPUT,
				"search: family '%.80s': '%.*s' is none of rule=none|median|sha|asha|first, eta=2..1000, "
				"rung=TIME and target=NUMBER",
				family, (int)(len < 60 ? len : 60), p);
		p += len;
	}
	const bool runged =
		rule->kind == SEARCH_MEDIAN || rule->kind == SEARCH_SHA || rule->kind == SEARCH_ASHA;
	if (runged && rule->rung == SL_NONE)
		return sl_fail(err, SL_INPUT,
			"search: family '%.80s': its rule needs the work up to the first rung: give rung=TIME",
			family);
	if (rule->kind == SEARCH_FIRST && rule->target == SL_NONE)
		return sl_fail(err, SL_INPUT,
			"search: family '%.80s': rule=first needs a target: give target=NUMBER", family);
	return SL_OK;
}
