/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_policy.c - the policy `kube`: each submitted job's pods go straight to kube-scheduler.
 *
 * A job is its pods: it starts once all of them have nodes, and those that have one before the others keep
 * it meanwhile. Events go to the scheduler, which acts once an instant, behind all else that happens then;
 * the pass that follows hands its orders to the engine, and does nothing else, so that a rerun pass does the
 * same.
 */
#include "policies/controller/controller.h"
#include "policies/kube/kube.h"
#include "policies/kube/workload/kube_workload.h"

#include <stdlib.h>
#include <string.h>

enum {
	PARAM_GANG,
	PARAM_PERMIT,
	PARAM_PERMIT_TIMEOUT,
	PARAM_STRATEGY,
	PARAM_PERCENTAGE,
	PARAM_BALANCED,
	PARAM_TIES,
	PARAM_BACKOFF,
	PARAM_FLUSH,
	PARAM_AUTOSCALE,
	PARAM_EXPANDER,
	PARAM_GATES,
	PARAM_COUNT
};

#define HOUR_US INT64_C(3600000000)

static const struct sl_param kube_params[PARAM_COUNT] = {
	[PARAM_GANG] = { "gang", SL_PARAM_CHOICE, "auto", "auto|off|job",
		"whose pods start together or not at all, besides those of a PodGroup: auto, a job's without a manifest, "
		"and a LeaderWorkerSet's group; off, nobody's; job, every job's",
		0, 0 },
	[PARAM_PERMIT] = { "permit", SL_PARAM_BOOL, "0", NULL,
		"a gang's pods are placed one by one and wait on their nodes for the others; else in one cycle",
		0, 0 },
	[PARAM_PERMIT_TIMEOUT] = { "permit_timeout", SL_PARAM_TIME, "300", "0s..",
		"how long a gang's pods wait on their nodes for the others", 0, 1000 * HOUR_US },
	[PARAM_STRATEGY] = { "strategy", SL_PARAM_CHOICE, NULL, "least|most",
		"NodeResourcesFit's scoringStrategy of all profiles: LeastAllocated or MostAllocated; without it as "
		"KubeSchedulerConfiguration says, else least",
		0, 0 },
	[PARAM_PERCENTAGE] = { "percentage", SL_PARAM_INT, NULL, "0..100",
		"percentageOfNodesToScore of all profiles; 0: by the number of nodes; without it as "
		"KubeSchedulerConfiguration says, else 0",
		0, 100 },
	[PARAM_BALANCED] = { "balanced", SL_PARAM_CHOICE, "new", "new|old",
		"NodeResourcesBalancedAllocation's score: new, by how much a pod improves the balance (1.36); old, "
		"by the balance it leaves",
		0, 0 },
	[PARAM_TIES] = { "ties", SL_PARAM_CHOICE, "name", "name|random",
		"of several best nodes: the first by name, or any, by seed (as kube-scheduler does)", 0, 0 },
	[PARAM_BACKOFF] = { "backoff", SL_PARAM_CHOICE, "pop", "pop|wait",
		"pods that back off: pop, are tried while nothing else is to be (since 1.33); wait, for the end of it",
		0, 0 },
	[PARAM_FLUSH] = { "flush", SL_PARAM_TIME, "300", "1s..",
		"how long an unschedulable pod stays so without an event that may help it", SL_SECOND,
		1000 * HOUR_US },
	[PARAM_AUTOSCALE] = { "autoscale", SL_PARAM_BOOL, "0", NULL,
		"autoscalers add and remove nodes: cluster-autoscaler those of NodeGroups, Karpenter those of NodePools",
		0, 0 },
	[PARAM_EXPANDER] = { "expander", SL_PARAM_TEXT, NULL, NULL,
		"which group of nodes grows, of several: random, most-pods, least-waste, least-nodes, price, priority, or "
		"several one after another (price+random); without it as cluster-autoscaler's flag says, else least-waste",
		0, 0 },
	[PARAM_GATES] = { "gates", SL_PARAM_TEXT, "", NULL,
		"feature gates other than by default, as in --feature-gates: NAME=true+NAME=false", 0, 0 },
};

/* ---- Orders ---------------------------------------------------------------------------------- */

struct kept_pods {
	const struct sl_pods *pods;
};

struct kube_policy {
	struct controller engine;
	struct kube k;
	sl_time due;            /* The scheduler wants to run then; SL_NEVER. */
	struct kept_pods *kept; /* By request, of jobs without manifests. */
};

static void order_start(struct kube_policy *p, uint32_t row)
{
	const struct sl_node_alloc *node_alloc;
	struct order *order = controller_order(&p->engine, ORDER_START, row);
	const size_t count = kube_where(&p->k, (sl_job){ row }, &node_alloc);
	if (order)
		controller_keep_all(&p->engine, order, node_alloc, count);
}

/* It waits anew, if it ran. */
static void order_requeue(struct kube_policy *p, uint32_t row, enum sl_rule rule, uint32_t beneficiary)
{
	struct order *order = p->engine.runs[row] ? controller_order(&p->engine, ORDER_REQUEUE, row) : NULL;
	p->engine.reason[row] = SL_REASON_COUNT;
	if (!order)
		return;
	order->cause.rule = rule;
	order->cause.beneficiary = beneficiary;
	order->state = rule == SL_RULE_NODE && !p->k.job[row].moved ? SL_NODE_FAIL : SL_PREEMPTED;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static const struct sl_pods *pods_of(struct kube_policy *p, uint32_t row)
{
	struct kube *k = &p->k;
	const uint32_t more = k->jobs->more_of ? k->jobs->more_of[row] : 0;
	const bool shares = k->jobs->request && !(more && k->jobs->more[more].manifest);
	struct kept_pods *kept = shares ? &p->kept[k->jobs->request[row]] : NULL;
	if (kept && kept->pods)
		return kept->pods;
	const struct sl_pods *pods = sl_pods_of(k->arena, k->jobs, k->cluster, row, &k->err);
	if (!pods && !k->err.status)
		k->err.status = k->err.status ? k->err.status : SL_SYSTEM;
	if (kept)
		kept->pods = pods;
	return pods;
}

static void kube_policy_add(struct kube_policy *p, sl_time now, uint32_t row)
{
	const struct sl_pods *pods = pods_of(p, row);
	if (pods)
		kube_add(&p->k, now, (sl_job){ row }, pods, NULL);
}

static void take_loss(struct kube_policy *p, sl_time now, const struct sl_bound *bound)
{
	const uint32_t row = bound->job.row;
	order_requeue(p, row, bound->cause.row == KUBE_NO ? SL_RULE_NODE : SL_RULE_RANK, bound->cause.row);
	p->k.job[row].moved = false;
	if (!p->k.job[row].lost) /* The one that it lost is on its way. */
		return;
	kube_remove(&p->k, now, bound->job);
	kube_policy_add(p, now, row);
}

/* True: the scheduler has to run again for it. */
static bool take_outcome(struct kube_policy *p, sl_time now)
{
	struct kube *k = &p->k;
	bool retry = false;
	while (k->reported_next < k->reported_count && !k->err.status) {
		const struct sl_bound bound = k->reported[k->reported_next++];
		const uint32_t row = bound.job.row;
		switch (bound.what) {
		case SL_BOUND_ALL:
			if (k->job[row].bound != k->job[row].count)
				break;
			order_start(p, row);
			kube_rollout_started(k, row);
			break;
		case SL_BOUND_LOST:
			take_loss(p, now, &bound);
			retry = true;
			break;
		case SL_BOUND_STUCK:
			controller_reason(&p->engine, row, SL_REASON_UNSCHEDULABLE);
			break;
		}
	}
	return retry;
}

enum { ROUNDS_MAX = 1000 };

/* A group of a rolling update makes way for the new one. */
static bool replace_group(struct kube_policy *p, sl_time now)
{
	const uint32_t row = kube_rollout_next(&p->k, now);
	if (row == KUBE_NO)
		return false;
	order_requeue(p, row, SL_RULE_MIGRATE, CONTROLLER_NOBODY);
	kube_remove(&p->k, now, (sl_job){ row });
	kube_policy_add(p, now, row);
	return true;
}

static void kube_policy_hear(void *state, sl_time now)
{
	struct kube_policy *p = state;
	(void)now;
	p->k.hears = p->engine.pass;
}

static void kube_policy_submit(void *state, uint32_t row)
{
	struct kube_policy *p = state;
	kube_policy_add(p, p->engine.now, row);
}

static void kube_policy_over(void *state, uint32_t row, bool cancelled)
{
	struct kube_policy *p = state;
	(void)cancelled;
	controller_forget(&p->engine, row);
	kube_remove(&p->k, p->engine.now, (sl_job){ row });
}

/* Its pods are recreated. */
static void lost(void *state, uint32_t row)
{
	struct kube_policy *p = state;
	controller_forget(&p->engine, row);
	if (kube_fail(&p->k, p->engine.now, (sl_job){ row }))
		return;
	kube_remove(&p->k, p->engine.now, (sl_job){ row });
	kube_policy_add(p, p->engine.now, row);
}

static void kube_policy_report_node(void *state, uint32_t node, bool up, bool drained)
{
	struct kube_policy *p = state;
	struct kube_node *on = &p->k.node[node];
	if (on->cordoned != drained) {
		on->cordoned = drained;
		p->k.states++;
		p->k.outside++;
		kube_node_changed(&p->k, node);
		p->k.now = p->engine.now;
		if (!drained)
			kube_queue_changed(&p->k, KUBE_NODE_CAME, node, KUBE_NO);
	}
	kube_node(&p->k, p->engine.now, node, up);
}

static void kube_policy_run(void *state)
{
	struct kube_policy *p = state;
	const sl_time now = p->engine.now;
	sl_time due = kube_run(&p->k, now);
	int rounds = 0;
	while ((take_outcome(p, now) || replace_group(p, now)) && rounds++ < ROUNDS_MAX)
		due = kube_run(&p->k, now);
	const sl_time rollout = kube_rollout_due(&p->k);
	due = rollout < due ? rollout : due;
	p->due = due <= now && due != SL_NEVER ? now + 1 : due;
}

static sl_time kube_policy_next(void *state, bool reported)
{
	struct kube_policy *p = state;
	controller_take_err(&p->engine, &p->k.err);
	return reported ? p->engine.now : p->due;
}

static const struct controller_calls kube_calls = { kube_policy_hear, kube_policy_submit, NULL,
	kube_policy_over, lost, kube_policy_report_node, kube_policy_run, kube_policy_next };

/* ---- Begin and end --------------------------------------------------------------------------- */

static void override_profiles(struct kube *k, const struct sl_setup *setup)
{
	for (uint32_t i = 0; i < k->profiles; i++) {
		if (setup->values[PARAM_STRATEGY].text)
			k->profile[i].strategy =
				setup->values[PARAM_STRATEGY].number ? KUBE_MOST : KUBE_LEAST;
		if (setup->values[PARAM_PERCENTAGE].text)
			k->profile[i].percentage = setup->values[PARAM_PERCENTAGE].number;
	}
}

static int kube_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct kube_policy *p = sl_alloc(setup->arena, 1, sizeof(*p));
	struct kube_options options;
	*state = p;
	if (!p)
		return sl_fail_memory(err);
	int status = kube_take_options(&options, setup, err);
	p->engine = (struct controller){ .policy = "kube",
		.calls = &kube_calls,
		.cause = { SL_RULE_ORDER, CONTROLLER_NOBODY },
		.dependencies = controller_use_dependencies(setup) != 0,
		.anew = SL_REASON_COUNT };
	if (!status)
		status = kube_make(&p->k, setup, &options, err);
	if (!status)
		status = controller_make(&p->engine, setup, SL_REASON_COUNT, err);
	if (status)
		return status;
	override_profiles(&p->k, setup);
	for (uint32_t i = 0; setup->unavailable && i < p->k.nodes; i++)
		p->k.node[i].cordoned = setup->unavailable[i] != 0;
	p->kept = sl_alloc(setup->arena, (size_t)setup->jobs->request_count + 1, sizeof(*p->kept));
	if (!p->kept)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	sl_default_reason(setup, SL_REASON_PENDING_EVALUATION);
	sl_default_rule(setup, SL_RULE_ORDER);
	status = kube_rollouts_make(&p->k, setup, err);
	if (status)
		return status;
	kube_workload_warn(&p->k, setup);
	controller_warning_gates(setup, true, "kube-scheduler: queued as submitted");
	return sl_use(setup, SL_USE_CONTROL | SL_USE_NODES | controller_use_dependencies(setup), err);
}

static void kube_release(void *state)
{
	struct kube_policy *p = state;
	if (!p)
		return;
	kube_free(&p->k);
	controller_release(&p->engine);
}

static int kube_table(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_table_sink *table, struct sl_err *err)
{
	static const char *const column[] = { "job", "pods", "bound", "why" };
	struct kube_policy *p = state;
	(void)pass;
	(void)at;
	(void)err;
	int status = SL_OK;
	if (strcmp(what, "pods") != 0)
		return SL_USAGE;
	for (uint32_t i = 0; i < p->k.jobs->count && !status; i++) {
		const struct kube_job *job = &p->k.job[i];
		if (!job->there)
			continue;
		const char *why = kube_why(&p->k, (sl_job){ i });
		const struct sl_figure figure[] = { { NULL, (double)p->k.jobs->id[i] }, { NULL, job->count },
			{ NULL, job->bound }, { why ? why : "", 0 } };
		status = table->row(table->self, column, figure, SL_LEN(figure));
	}
	return status;
}

static int kube_report_run(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct kube_policy *p = state;
	(void)pass;
	return kube_report_figures(&p->k, tally, err);
}

static const enum sl_reason kube_reasons[] = { SL_REASON_PENDING_EVALUATION, SL_REASON_UNSCHEDULABLE,
	SL_REASON_COUNT };

const struct sl_policy kube_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "kube",
	.summary = "as kube-scheduler 1.36 decides, pod by pod: filters, scores, queues, preemption, gangs",
	.paper = "https://kubernetes.io/docs/concepts/scheduling-eviction/",
	.params = kube_params,
	.param_count = PARAM_COUNT,
	.init = kube_init,
	.pass = controller_pass,
	.on_event = controller_event,
	.release = kube_release,
	.table = kube_table,
	.reasons = kube_reasons,
	.requeues = controller_requeues,
	.report = kube_report_run,
};
