/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scripted.c - parts that are functions of a script: order=lua:FILE, and likewise fill, estimate and admit.
 *
 * A script that several of them name is one in the run: what it learns in submitted() and ended() it knows
 * in the others.
 */
#include "policies/composed/composed.h"

#include <string.h>

struct part {
	const struct sl_scripting *language;
	struct sl_script *script;
	void *self;
	struct part *next;
};

static struct part *scripted_part_of(const struct composed *composed, const struct sl_script *script)
{
	for (struct part *part = composed->parts; part; part = part->next)
		if (part->script == script)
			return part;
	return NULL;
}

static int part_open(struct composed *composed, struct part **part, const struct sl_setup *setup,
	struct sl_script *script, struct sl_err *err)
{
	struct part *made = sl_alloc(setup->arena, 1, sizeof(*made));
	if (!made)
		return sl_fail_memory(err);
	*made = (struct part){ sl_script_language(script), script, NULL, composed->parts };
	composed->parts = *part = made;
	return made->language->open(&made->self, setup, script, err);
}

int part_init(struct composed *composed, struct part **part, const struct sl_setup *setup, unsigned which,
	const char *function, struct sl_err *err)
{
	const char *key = composed_params[which].key;
	struct sl_script *script = sl_param_script(setup, key);
	*part = NULL;
	if (!script)
		return SL_OK;
	struct part *found = scripted_part_of(composed, script);
	const int status = found ? SL_OK : part_open(composed, &found, setup, script, err);
	if (status || !found)
		return status;
	*part = found;
	if (found->language->takes(found->self, function) >= 0)
		return SL_OK;
	return sl_fail(err, SL_INPUT, "%s: has no function %s(job, now): %s=%s asks it",
		sl_script_path(script), function, key, setup->values[which].text);
}

void parts_release(struct composed *composed)
{
	for (struct part *part = composed->parts; part; part = part->next)
		part->language->close(part->self);
	composed->parts = NULL;
}

bool part_waits(const struct part *part, const char *function)
{
	return part->language->takes(part->self, function) >= 2;
}

double part_key(const struct part *part, const char *function, struct sl_pass *pass, sl_job job)
{
	struct sl_answer answer;
	const unsigned kinds = 1U << SL_ANSWER_NUMBER;
	return part->language->query(part->self, pass, function, job, kinds, &answer) ? answer.key : 0;
}

void parts_reported(const struct composed *composed, const char *function, struct sl_pass *pass, sl_job job)
{
	for (const struct part *part = composed->parts; part; part = part->next)
		(void)part->language->reported(part->self, pass, function, job);
}

/* ---- estimate=lua:FILE --------------------------------------------------------------------------- */

int scripted_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err)
{
	return part_init(composed, &composed->predicts, setup, PARAM_ESTIMATE, "estimate", err);
}

static bool query_time(
	const struct part *part, struct sl_pass *pass, const char *function, sl_job job, sl_time *time)
{
	struct sl_answer answer;
	const unsigned kinds = 1U << SL_ANSWER_NUMBER | 1U << SL_ANSWER_NONE;
	if (!part->language->query(part->self, pass, function, job, kinds, &answer) ||
		answer.kind != SL_ANSWER_NUMBER)
		return false;
	*time = answer.micro;
	return true;
}

/* At least a microsecond, at most the limit, which it is where nothing is said. */
void scripted_submitted(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	sl_time estimate;
	if (query_time(composed->predicts, pass, "estimate", job, &estimate) &&
		estimate < sl_jobs_of(pass)->limit[job.row])
		sl_set_estimate(pass, job, estimate > 1 ? estimate : 1);
}

/* Outlived: expired(job, now) may say a longer one; else all that is left to believe is the limit. */
void scripted_expired(struct composed *composed, struct sl_pass *pass, sl_job job)
{
	const struct part *part = composed->predicts;
	const sl_time limit = sl_jobs_of(pass)->limit[job.row];
	sl_time next = limit;
	if (part->language->takes(part->self, "expired") < 0 ||
		!query_time(part, pass, "expired", job, &next) || next <= sl_estimate_of(pass, job) ||
		next > limit)
		next = limit;
	sl_set_estimate(pass, job, next);
}

/* ---- admit=lua:FILE ------------------------------------------------------------------------------- */

/* true or nil: it may start; false: not now; a number: not before that time. */
bool admit_opens(const struct composed *composed, struct sl_pass *pass, sl_job job)
{
	struct sl_answer answer;
	const struct part *part = composed->admits;
	const unsigned kinds = 1U << SL_ANSWER_NUMBER | 1U << SL_ANSWER_NONE | 1U << SL_ANSWER_BOOL;
	if (!part->language->query(part->self, pass, "admit", job, kinds, &answer))
		return false;
	const bool later = answer.kind == SL_ANSWER_NUMBER && answer.micro > sl_now(pass);
	if (later)
		sl_wake(pass, answer.micro);
	const bool opens = answer.kind == SL_ANSWER_BOOL ? answer.yes : !later;
	if (!opens)
		sl_set_reason(pass, job, later ? SL_REASON_BEGIN_TIME : SL_REASON_QUOTA, 0);
	return opens;
}
