/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_binder.c - the binder `kube`: kube-scheduler for policies that admit whole jobs and leave the nodes to
 * it.
 */
#include "policies/kube/kube.h"

#include <string.h>

#define MILLION INT64_C(1000000)
enum { TRIES = 3 };

static int64_t kube_binder_number_of(const struct sl_setup *setup, const char *key, int64_t fallback)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	return value && value->text ? value->number : fallback;
}

int kube_take_options(struct kube_options *options, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_value *gates = sl_value_of(setup->values, setup->value_count, "gates");
	*options = (struct kube_options){
		.gang = (enum kube_gang)kube_binder_number_of(setup, "gang", KUBE_GANG_AUTO),
		.ties = (enum kube_ties)kube_binder_number_of(setup, "ties", KUBE_TIES_NAME),
		.permit = kube_binder_number_of(setup, "permit", 0),
		.balanced_old = kube_binder_number_of(setup, "balanced", 0),
		.backoff_waits = kube_binder_number_of(setup, "backoff", 0),
		.autoscale = kube_binder_number_of(setup, "autoscale", 0),
		.tries = TRIES,
		.permit_timeout = kube_binder_number_of(setup, "permit_timeout", 300 * SL_SECOND),
		.flush = kube_binder_number_of(setup, "flush", 300 * SL_SECOND),
	};
	return kube_gates_check(gates ? gates->text : NULL, &options->gates, err);
}

int kube_report_figures(struct kube *k, struct sl_tally *tally, struct sl_err *err)
{
	const struct {
		const char *name;
		uint64_t value;
	} figures[] = { { "kube.attempts", k->attempts }, { "kube.unschedulable", k->cycles_failed },
		{ "kube.preempted", k->preempted } };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(figures) && !status; i++)
		status = sl_report_metric(tally, figures[i].name, (int64_t)figures[i].value * MILLION, err);
	if (!status && k->scaler)
		status = kube_scale_report(k, tally, err);
	return status;
}

static int binder_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct kube_options options;
	struct kube *k = sl_alloc(setup->arena, 1, sizeof(*k));
	*state = k;
	if (!k)
		return sl_fail_memory(err);
	int status = kube_take_options(&options, setup, err);
	options.gang = KUBE_GANG_OFF; /* The admitting policy has seen to that; PodGroups count. */
	if (!status)
		status = kube_make(k, setup, &options, err);
	for (uint32_t i = 0; !status && setup->unavailable && i < k->nodes; i++)
		k->node[i].up = !setup->unavailable[i];
	return status;
}

static void binder_release(void *state) { kube_free(state); }

static void binder_add(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment)
{
	kube_add(state, now, job, pods, assignment);
}

static void binder_remove(void *state, sl_time now, sl_job job) { kube_remove(state, now, job); }

static bool binder_fail(void *state, sl_time now, sl_job job) { return kube_fail(state, now, job); }

static void binder_node(void *state, sl_time now, uint32_t node, bool up) { kube_node(state, now, node, up); }

static sl_time binder_run(void *state, sl_time now) { return kube_run(state, now); }

static bool binder_next(void *state, struct sl_bound *bound)
{
	struct kube *k = state;
	if (k->reported_next == k->reported_count)
		return false;
	*bound = k->reported[k->reported_next++];
	return true;
}

static size_t binder_where(void *state, sl_job job, const struct sl_node_alloc **node_alloc)
{
	return kube_where(state, job, node_alloc);
}

static const char *binder_why(void *state, sl_job job) { return kube_why(state, job); }

static int binder_report(void *state, struct sl_tally *tally, struct sl_err *err)
{
	return kube_report_figures(state, tally, err);
}

static sl_time binder_provision(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *assignment, enum sl_provision how)
{
	return kube_scale_provision(state, now, job, pods, assignment, how);
}

const struct sl_binder kube_binder = {
	.abi = SL_ABI_OF(struct sl_binder),
	.name = "kube",
	.summary = "pods on nodes as kube-scheduler 1.36 puts them",
	.paper = "https://kubernetes.io/docs/concepts/scheduling-eviction/",
	.init = binder_init,
	.release = binder_release,
	.add = binder_add,
	.remove = binder_remove,
	.node = binder_node,
	.run = binder_run,
	.next = binder_next,
	.where = binder_where,
	.why = binder_why,
	.report = binder_report,
	.fail = binder_fail,
	.provision = binder_provision,
};
