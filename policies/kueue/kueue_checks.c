/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_checks.c - who answers admission checks: ProvisioningRequests (how long they take, how often they
 * fail, capacity that is revoked), budgets, and, of all other controllers, yes.
 *
 * A request that failed is made again as its ProvisioningRequestConfig says (retryStrategy), then it is
 * rejected; so is one whose capacity is revoked (Kueue's provisioning controller). Budgets are none of
 * Kueue's: they stand for a controller of one's own, which says no while its budget of a period is spent.
 */
#include "policies/kueue/kueue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Budgets ------------------------------------------------------------------------------------ */

struct kueue_budget {
	uint32_t check, resource;
	unsigned __int128 limit, used; /* Amount times us, of the present period. */
	sl_time period, at;
	int64_t number; /* Of the period. */
	int64_t level;  /* Held now. */
};

static int bad_budget(const char *text, size_t len, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"policy 'kueue': '%.*s' is no budget: write CHECK:RESOURCE:HOURS/PERIOD, such as "
		"paid:nvidia.com/gpu:1000/30d, with ';' between several",
		(int)len, text);
}

static const char *last_colon(const char *text, size_t len)
{
	while (len && text[len - 1] != ':')
		len--;
	return len ? &text[len - 1] : NULL;
}

static int read_budget(
	struct kueue *k, const char *text, size_t len, struct kueue_budget *budget, struct sl_err *err)
{
	const char *first = memchr(text, ':', len), *last = last_colon(text, len);
	const char *slash = last ? memchr(last, '/', len - (size_t)(last - text)) : NULL;
	int64_t hours = 0;
	if (!slash || first == last || !sl_get_i64(last + 1, (size_t)(slash - last - 1), &hours) ||
		hours < 0 || hours > INT32_MAX ||
		!sl_get_duration(slash + 1, len - (size_t)(slash + 1 - text), &budget->period) ||
		budget->period <= 0)
		return bad_budget(text, len, err);
	const char *check = sl_strdup(k->arena, text, (size_t)(first - text));
	const char *resource = sl_strdup(k->arena, first + 1, (size_t)(last - first - 1));
	if (!check || !resource)
		return sl_fail_memory(err);
	budget->check = kq_check(k->kq, check);
	budget->resource = kq_resource(k->kq, resource);
	budget->limit = (unsigned __int128)(uint64_t)hours * 3600 * SL_SECOND *
			(budget->resource == KQ_CPU ? 1000 : 1);
	if (!k->kq->check[budget->check].exists)
		return sl_fail(
			err, SL_USAGE, "policy 'kueue': budget: there is no AdmissionCheck '%s'", check);
	return SL_OK;
}

int kueue_budgets_make(struct kueue *k, const char *text, struct sl_err *err)
{
	size_t count = 1;
	for (const char *c = text ? text : ""; *c; c++)
		count += *c == ';';
	k->budget = sl_alloc(k->arena, count, sizeof(*k->budget));
	if (!k->budget)
		return sl_fail_memory(err);
	while (text && *text) {
		const size_t len = strcspn(text, ";");
		const int status = read_budget(k, text, len, &k->budget[k->budget_count++], err);
		if (status)
			return status;
		text += len + (text[len] == ';');
	}
	return SL_OK;
}

/* Up to now; a new period begins with nothing used. Periods begin at time zero. */
static void kueue_checks_settle(struct kueue_budget *budget, sl_time now)
{
	const int64_t number = now / budget->period;
	if (number != budget->number) {
		budget->used = 0;
		budget->at = number * budget->period;
		budget->number = number;
	}
	budget->used += (unsigned __int128)(uint64_t)budget->level * (uint64_t)(now - budget->at);
	budget->at = now;
}

static bool has_check(const struct kq_workload *workload, uint32_t check)
{
	for (uint32_t i = 0; i < workload->check_count; i++)
		if (workload->check[i].check == check)
			return true;
	return false;
}

static int64_t kueue_checks_amount_of(const struct kq_workload *workload, uint32_t resource)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < workload->podset_count; i++)
		sum = kq_add(sum, kq_mul(workload->podset[i].count,
					  kq_amount_of(&workload->podset[i].request, resource)));
	return sum;
}

void kueue_budgets_hold(struct kueue *k, uint32_t row, bool holds)
{
	struct kueue_job *job = &k->job[row];
	if (!k->budget_count || job->charged == holds)
		return;
	job->charged = holds;
	const struct kq_workload *workload = &k->kq->workload[job->workload];
	for (uint32_t i = 0; i < k->budget_count; i++) {
		struct kueue_budget *budget = &k->budget[i];
		if (!has_check(workload, budget->check))
			continue;
		const int64_t amount = kueue_checks_amount_of(workload, budget->resource);
		kueue_checks_settle(budget, k->now);
		budget->level += holds ? amount : -amount;
	}
}

static bool is_spent(struct kueue *k, uint32_t check)
{
	for (uint32_t i = 0; i < k->budget_count; i++) {
		if (k->budget[i].check != check)
			continue;
		kueue_checks_settle(&k->budget[i], k->now);
		if (k->budget[i].used >= k->budget[i].limit)
			return true;
	}
	return false;
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* Of the n-th request of a job, by seed alone. */
static bool request_fails(const struct kueue *k, uint32_t row, uint32_t attempt)
{
	char name[80];
	if (!k->provision_fails)
		return false;
	(void)snprintf(name, sizeof(name), "policies/kueue/provision/%" PRIu32 "/%" PRIu32, row, attempt);
	struct sl_rng rng = sl_rng_stream(k->seed, name);
	return (int64_t)sl_rng_below(&rng, 100) < k->provision_fails;
}

static struct kq_retry retry_of(const struct kueue *k, uint32_t check)
{
	const char *name = k->kq->check[check].parameters;
	for (uint32_t i = 0; name && i < k->read.retry_count; i++)
		if (strcmp(k->read.retry[i].name, name) == 0)
			return k->read.retry[i];
	return (struct kq_retry){ .limit = 3, .base = 60 * SL_SECOND, .max = 1800 * SL_SECOND };
}

/* base, doubled with each failure, at most max; no more after `limit` of them. */
static void request_failed(struct kueue *k, uint32_t workload, struct kq_workload_check *check)
{
	const struct kq_retry retry = retry_of(k, check->check);
	const uint32_t attempt = ++check->attempts;
	sl_time delay = retry.base;
	k->provision_failed++;
	for (uint32_t i = 1; i < attempt && delay < retry.max; i++)
		delay *= 2;
	delay = delay < retry.max ? delay : retry.max;
	kq_check_set(k->kq, workload, check->check,
		attempt > retry.limit ? KQ_CHECK_REJECTED : KQ_CHECK_RETRY,
		attempt > retry.limit ? 0 : delay);
}

/* Is it cluster-autoscaler's to say? */
static bool is_autoscalers(const struct kueue *k, const struct kq_workload_check *check)
{
	return k->autoscale && k->binder && k->binder->provision &&
	       k->kq->check[check->check].kind == KQ_CHECK_PROVISIONING;
}

static enum sl_provision class_of(const struct kq_retry *retry)
{
	if (retry->class && strncmp(retry->class, "best-effort-atomic-scale-up.", 28) == 0)
		return SL_PROVISION_ATOMIC;
	return retry->once ? SL_PROVISION_ONCE : SL_PROVISION_CHECK;
}

static void ask_autoscaler(struct kueue *k, uint32_t row, struct kq_workload_check *check)
{
	const struct kq_retry retry = retry_of(k, check->check);
	const sl_time again = kueue_bind_provision(k, row, class_of(&retry));
	if (again == SL_NONE) {
		kq_check_set(k->kq, k->job[row].workload, check->check, KQ_CHECK_READY, 0);
	} else if (again == SL_NEVER) {
		request_failed(k, k->job[row].workload, check);
	} else {
		k->job[row].check_at = again;
		kueue_due(k, again, KUEUE_DUE_CHECK, row);
	}
}

static void kueue_checks_answer_here(struct kueue *k, uint32_t row, struct kq_workload_check *check)
{
	const uint32_t workload = k->job[row].workload;
	const bool requests = k->kq->check[check->check].kind == KQ_CHECK_PROVISIONING;
	if (check->state != KQ_CHECK_PENDING || kueue_multi_has(k, check->check))
		return;
	if (is_spent(k, check->check)) {
		k->budget_rejected++;
		kq_check_set(k->kq, workload, check->check, KQ_CHECK_REJECTED, 0);
	} else if (requests && request_fails(k, row, check->attempts)) {
		request_failed(k, workload, check);
	} else if (is_autoscalers(k, check)) {
		ask_autoscaler(k, row, check);
	} else {
		kq_check_set(k->kq, workload, check->check, KQ_CHECK_READY, 0);
	}
}

void kueue_checks_answer(struct kueue *k, uint32_t row, sl_time due)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	kueue_multi_advance(k, row);
	if (due == k->job[row].check_at && kq_is(&workload->cond[KQ_QUOTA_RESERVED]))
		for (uint32_t i = 0; i < workload->check_count; i++)
			kueue_checks_answer_here(k, row, &workload->check[i]);
	kueue_changed(k);
	kueue_reconcile(k, row);
}

void kueue_checks_begin(struct kueue *k, uint32_t row)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	sl_time delay = 0;
	for (uint32_t i = 0; i < workload->check_count; i++) {
		if (k->kq->check[workload->check[i].check].kind == KQ_CHECK_PROVISIONING)
			delay = k->provision;
		if (kueue_multi_has(k, workload->check[i].check))
			kueue_multi_begin(k, row, workload->check[i].check);
	}
	controller_reason(&k->engine, row, SL_REASON_ADMISSION_CHECKS);
	k->job[row].check_at = k->now + delay;
	kueue_due(k, k->now + delay, KUEUE_DUE_CHECK, row);
}

/* ---- Capacity that goes ------------------------------------------------------------------------- */

void kueue_checks_started(struct kueue *k, uint32_t row)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	for (uint32_t i = 0; k->revoke && i < workload->check_count; i++)
		if (k->kq->check[workload->check[i].check].kind == KQ_CHECK_PROVISIONING) {
			kueue_due(k, k->now + k->revoke, KUEUE_DUE_REVOKE, row);
			return;
		}
}

void kueue_checks_revoke(struct kueue *k, uint32_t row)
{
	const struct kq_workload *workload = &k->kq->workload[k->job[row].workload];
	for (uint32_t i = 0; i < workload->check_count; i++)
		if (k->kq->check[workload->check[i].check].kind == KQ_CHECK_PROVISIONING)
			kq_check_set(
				k->kq, k->job[row].workload, workload->check[i].check, KQ_CHECK_REJECTED, 0);
	k->revoked++;
	kueue_changed(k);
	kueue_reconcile(k, row);
}

int kueue_checks_report(const struct kueue *k, struct sl_tally *tally, struct sl_err *err)
{
	const struct {
		const char *name;
		uint64_t count;
		bool reported;
	} counts[] = {
		{ "kueue.provisioning_failed", k->provision_failed, k->provision_fails != 0 || k->autoscale },
		{ "kueue.capacity_revoked", k->revoked, k->revoke != 0 },
		{ "kueue.budget_rejected", k->budget_rejected, k->budget_count != 0 },
	};
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(counts) && !status; i++)
		if (counts[i].reported)
			status = sl_report_metric(
				tally, counts[i].name, (int64_t)counts[i].count * SL_SECOND, err);
	return status;
}
