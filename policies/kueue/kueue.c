/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue.c - the policy `kueue`: its parameters, the engine's events, and its orders to the engine.
 *
 * Kueue v0.20 (kubernetes-sigs/kueue, commit ff69552e): jobs are admitted as its scheduler and controllers
 * do.
 */
#include "policies/kueue/kueue.h"

#include <stdlib.h>
#include <string.h>

/* ---- Parameters --------------------------------------------------------------------------------- */

enum {
	PARAM_COMPAT,
	PARAM_QUEUE,
	PARAM_QUEUE_BY,
	PARAM_MAP,
	PARAM_PODS,
	PARAM_GRACE,
	PARAM_START,
	PARAM_CHECKPOINT,
	PARAM_PROVISION,
	PARAM_PROVISION_FAILS,
	PARAM_REVOKE,
	PARAM_BUDGET,
	PARAM_DISPATCH,
	PARAM_DISPATCH_STEP,
	PARAM_DISPATCH_ROUND,
	PARAM_WORKER_LOST,
	PARAM_TRANSFER,
	PARAM_BATCH,
	PARAM_CYCLE,
	PARAM_LATENCY,
	PARAM_QPS,
	PARAM_BURST,
	PARAM_AUTOSCALE,
	PARAM_EXPANDER,
	PARAM_COUNT
};

#define DAYS_MAX INT64_C(1000000000000) /* Of times: eleven days. */

static const struct sl_param kueue_params[PARAM_COUNT] = {
	[PARAM_COMPAT] = { "compat", SL_PARAM_CHOICE, "0.20", "0.20", "whose rules: Kueue's of that version",
		0, 0 },
	[PARAM_QUEUE] = { "queue", SL_PARAM_TEXT, NULL, NULL,
		"the LocalQueue, NAMESPACE/NAME, of jobs that nothing else gives one; without it the only one there is",
		0, 0 },
	[PARAM_QUEUE_BY] = { "queue-by", SL_PARAM_CHOICE, "none", "none|partition|account|user",
		"what of a job without a queue of its own names its LocalQueue", 0, 0 },
	[PARAM_MAP] = { "map", SL_PARAM_TEXT, NULL, NULL,
		"rules before that: partition:NAME=NAMESPACE/QUEUE, account:... or user:..., with ';' between several",
		0, 0 },
	[PARAM_PODS] = { "pods", SL_PARAM_CHOICE, "auto", "auto|quota|kube",
		"who finds nodes for pods: nobody, amounts are held wherever they fit (quota), kube-scheduler (kube), or "
		"the latter if the cluster has Node objects (auto)",
		0, 0 },
	[PARAM_GRACE] = { "grace", SL_PARAM_TIME, "0", NULL,
		"how long evicted pods take to stop, holding their quota; Kubernetes allows 30 s, and pods that obey stop "
		"at once",
		0, DAYS_MAX },
	[PARAM_START] = { "start", SL_PARAM_TIME, "0", NULL,
		"how long pods take to be ready once they have nodes", 0, DAYS_MAX },
	[PARAM_CHECKPOINT] = { "checkpoint", SL_PARAM_BOOL, "0", NULL,
		"evicted jobs keep their work; else they begin anew", 0, 0 },
	[PARAM_PROVISION] = { "provision", SL_PARAM_TIME, "0", NULL,
		"how long a ProvisioningRequest takes until it is provisioned", 0, DAYS_MAX },
	[PARAM_PROVISION_FAILS] = { "provision-fails", SL_PARAM_INT, "0", "0..100",
		"how many of a hundred ProvisioningRequests fail, by seed", 0, 100 },
	[PARAM_REVOKE] = { "revoke", SL_PARAM_TIME, "0", NULL,
		"how long after its start the capacity that was provisioned for a job is revoked; 0: never",
		0, DAYS_MAX },
	[PARAM_BUDGET] = { "budget", SL_PARAM_TEXT, NULL, NULL,
		"what admission checks may let through: CHECK:RESOURCE:HOURS/PERIOD, with ';' between several",
		0, 0 },
	[PARAM_DISPATCH] = { "dispatch", SL_PARAM_CHOICE, "auto", "auto|all|incremental",
		"MultiKueue: a workload goes to all worker clusters at once (AllAtOnce), or to some more each round; auto: as "
		"the Configuration says",
		0, 0 },
	[PARAM_DISPATCH_STEP] = { "dispatch-step", SL_PARAM_INT, NULL, "1..1000",
		"incremental: so many clusters a round; default: the Configuration's stepSize, else 3", 1,
		1000 },
	[PARAM_DISPATCH_ROUND] = { "dispatch-round", SL_PARAM_TIME, "300", "1s..",
		"incremental: the time between rounds", SL_SECOND, DAYS_MAX },
	[PARAM_WORKER_LOST] = { "worker-lost", SL_PARAM_TIME, NULL, NULL,
		"MultiKueue: how long a worker cluster may be out of reach until its workloads are taken back; default: "
		"the Configuration's workerLostTimeout, else 900",
		0, DAYS_MAX },
	[PARAM_TRANSFER] = { "transfer", SL_PARAM_TIME, "0", NULL,
		"MultiKueue: how long a copy takes to a worker cluster", 0, DAYS_MAX },
	[PARAM_BATCH] = { "batch", SL_PARAM_TIME, "1", NULL,
		"how long notes of change are gathered until inadmissible workloads become active", 0,
		DAYS_MAX },
	[PARAM_CYCLE] = { "cycle", SL_PARAM_TIME, "0", NULL, "how long a scheduling cycle takes", 0,
		DAYS_MAX },
	[PARAM_LATENCY] = { "latency", SL_PARAM_CHOICE, "zero", "zero|api",
		"zero: what is decided is so at once; api: writes to the API server pass a token bucket, and cycles "
		"without result wait 1 to 10 ms",
		0, 0 },
	[PARAM_QPS] = { "qps", SL_PARAM_INT, "50", "1..100000", "latency=api: writes of one kind a second", 1,
		100000 },
	[PARAM_BURST] = { "burst", SL_PARAM_INT, "100", "1..100000", "latency=api: writes at once", 1,
		100000 },
	[PARAM_AUTOSCALE] = { "autoscale", SL_PARAM_BOOL, "0", NULL,
		"autoscalers add and remove nodes, as of policy kube, and cluster-autoscaler answers ProvisioningRequests",
		0, 0 },
	[PARAM_EXPANDER] = { "expander", SL_PARAM_TEXT, NULL, NULL,
		"autoscale: which group of nodes grows, as of policy kube", 0, 0 },
};

/* Requests beyond every quota wait, as ExceedsMaxQuota. */
static const struct sl_compat kueue_compats[] = {
	{ "0.20", NULL, "replay.impossible=keep" },
	{ 0 },
};

static const enum sl_reason kueue_reasons[] = { SL_REASON_NO_MATCHING_FLAVOR, SL_REASON_EXCEEDS_MAX_QUOTA,
	SL_REASON_WAITING_FOR_QUOTA, SL_REASON_TOPOLOGY, SL_REASON_WAITING_FOR_PREEMPTED,
	SL_REASON_MISCONFIGURED, SL_REASON_QUEUE_STOPPED, SL_REASON_PENDING_EVALUATION,
	SL_REASON_WAITING_FOR_PODS_READY, SL_REASON_ADMISSION_CHECKS, SL_REASON_BACKOFF,
	SL_REASON_UNSCHEDULABLE, SL_REASON_BEGIN_TIME, SL_REASON_HELD_ADMIN, SL_REASON_COUNT };

/* ---- Orders ------------------------------------------------------------------------------------- */

bool kueue_goes_on(const struct kueue *k) { return controller_goes_on(&k->engine) && !k->kq->err.status; }

bool kueue_reserve(struct kueue *k, void **array, size_t *capacity, size_t size, size_t wanted)
{
	return controller_reserve(&k->engine, array, capacity, size, wanted);
}

/* ---- Events ------------------------------------------------------------------------------------- */

void kueue_due(struct kueue *k, sl_time at, enum kueue_due due, uint32_t row)
{
	const bool of_job = row < k->jobs->count && due <= KUEUE_DUE_LIMIT;
	controller_due(&k->engine,
		(struct due){
			.at = at, .what = (int)due, .row = row, .stamp = of_job ? k->job[row].stamp : 0 });
}

static void kueue_hear(void *state, sl_time now)
{
	struct kueue *k = state;
	k->now = k->kq->now = now;
}

static void kueue_on_submit(void *state, uint32_t row) { kueue_submit(state, row); }

static void kueue_later(void *state, uint32_t row, sl_time begin)
{
	kueue_due(state, begin, KUEUE_DUE_BEGIN, row);
}

static void kueue_on_over(void *state, uint32_t row, bool cancelled)
{
	struct kueue *k = state;
	const bool good = sl_state_of(k->engine.pass, (sl_job){ row }) == SL_COMPLETED;
	k->job[row].cancelled |= cancelled;
	kueue_over(k, row, cancelled ? NULL : good ? "Succeeded" : "Failed", cancelled);
}

/* Its pods are made anew. */
static void lost(void *state, uint32_t row) { kueue_lost(state, row, true); }

static void kueue_report_node(void *state, uint32_t node, bool up, bool drained)
{
	kueue_node(state, node, up && !drained);
}

static void kueue_on_run(void *state) { kueue_run(state); }

static sl_time kueue_next(void *state, bool reported)
{
	struct kueue *k = state;
	const sl_time next = reported ? k->now : controller_due_next(&k->engine);
	controller_take_err(&k->engine, &k->kq->err);
	return k->shares_at < next ? k->shares_at : next;
}

static const struct controller_calls kueue_calls = { kueue_hear, kueue_on_submit, kueue_later, kueue_on_over,
	lost, kueue_report_node, kueue_on_run, kueue_next };

/* ---- Begin and end ------------------------------------------------------------------------------ */

static int take_queue(struct kueue *k, const char *text, struct sl_err *err)
{
	const char *slash = text ? strchr(text, '/') : NULL;
	k->namespace = "default";
	if (!text)
		return SL_OK;
	if (slash)
		k->namespace = sl_strdup(k->arena, text, (size_t)(slash - text));
	k->queue = slash ? slash + 1 : text;
	if (!k->namespace)
		return sl_fail_memory(err);
	if (kq_find_local(k->kq, k->namespace, k->queue) == KQ_NO)
		return sl_fail(err, SL_USAGE,
			"policy 'kueue': queue=%s: there is no LocalQueue '%s' in the namespace '%s'", text,
			k->queue, k->namespace);
	return SL_OK;
}

/* As the Configuration says, unless a parameter does. */
static struct kq_multi_config dispatch_of(const struct kq_config *config, const struct sl_value *value)
{
	const int64_t dispatch = value[PARAM_DISPATCH].number; /* 0: auto. */
	return (struct kq_multi_config){
		.dispatch = dispatch ? (enum kq_dispatch)(dispatch - 1) : config->dispatch,
		.step = value[PARAM_DISPATCH_STEP].text ? (uint32_t)value[PARAM_DISPATCH_STEP].number
							: config->dispatch_step,
		.round = value[PARAM_DISPATCH_ROUND].number,
		.lost_after =
			value[PARAM_WORKER_LOST].text ? value[PARAM_WORKER_LOST].number : config->worker_lost,
		.transfer = value[PARAM_TRANSFER].number,
	};
}

static int kueue_take_values(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_value *value = setup->values;
	k->cause = (enum kueue_cause)value[PARAM_QUEUE_BY].number;
	k->pods = (enum kueue_pods)value[PARAM_PODS].number;
	k->grace = value[PARAM_GRACE].number;
	k->start_delay = value[PARAM_START].number;
	k->checkpoint = value[PARAM_CHECKPOINT].number != 0;
	k->provision = value[PARAM_PROVISION].number;
	k->provision_fails = value[PARAM_PROVISION_FAILS].number;
	k->revoke = value[PARAM_REVOKE].number;
	k->autoscale = value[PARAM_AUTOSCALE].number != 0;
	k->seed = setup->seed;
	k->dispatch = dispatch_of(&k->kq->config, value);
	k->batch = value[PARAM_BATCH].number;
	k->cycle = value[PARAM_CYCLE].number;
	k->api = value[PARAM_LATENCY].number == 1;
	k->qps = value[PARAM_QPS].number;
	k->burst = value[PARAM_BURST].number;
	k->kill = setup->overrun == SL_OVERRUN_KILL;
	k->queues_at = k->shares_at = SL_NEVER;
	k->cycle_at = k->cycle_due = SL_NONE;
	k->now = k->engine.now = setup->jobs->count ? setup->jobs->submit[0] : 0;
	int status = take_queue(k, value[PARAM_QUEUE].text, err);
	if (!status)
		status = kueue_budgets_make(k, value[PARAM_BUDGET].text, err);
	return status ? status : kueue_rules_make(k, value[PARAM_MAP].text, err);
}

/* Length of arrays by resource: all resources are known by now. */
int kueue_room_make(struct kq *kq)
{
	for (uint32_t i = 0; i < kq->host_count; i++)
		if (!kq->host[i].foreign)
			kq->host[i].foreign = kq_alloc(kq, kq->resource_count, sizeof(int64_t));
	for (uint32_t i = 0; i < kq->local_count; i++) {
		kq->local[i].used = kq_alloc(kq, kq->resource_count, sizeof(double));
		kq->local[i].penalty = kq_alloc(kq, kq->resource_count, sizeof(double));
	}
	return kq->err.status;
}

/* Length of arrays by resource: all resources are known by now. */
static int kueue_make_room(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	struct kq *kq = k->kq;
	for (uint32_t node = 0; setup->unavailable && node < k->cluster->node_count; node++) {
		const uint32_t host = kq_find_host(kq, k->cluster->node_name[node]);
		if (host != KQ_NO && setup->unavailable[node])
			kq->host[host].ready = false;
	}
	(void)kueue_room_make(kq);
	if (kq->err.status)
		*err = kq->err;
	return kq->err.status;
}

/* Pods that are never ready in time, and may try for ever: such a run has no end. */
static int check_ready(const struct kueue *k, struct sl_err *err)
{
	const struct kq_config *config = &k->kq->config;
	if (!config->wait_ready || k->checkpoint || config->backoff_limit >= 0 ||
		config->ready_timeout == SL_NONE || k->start_delay <= config->ready_timeout)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"policy 'kueue': start is longer than waitForPodsReady's timeout, and jobs would try for ever: "
		"make start shorter, or give requeuingStrategy.backoffLimitCount");
}

static int make_instance(struct kueue *k, const struct sl_setup *setup, struct sl_err *err)
{
	uint32_t count;
	const struct sl_object *object = kueue_multi_objects(k, k->kq, NULL, &count);
	int status = object ? kq_read(&k->read, k->kq, object, count) : sl_fail_memory(err);
	if (!status)
		status = kueue_dra_make(k, err);
	if (!status)
		status = kueue_jobs_make(k, setup, err);
	if (!status)
		status = kueue_take_values(k, setup, err);
	if (!status)
		status = check_ready(k, err);
	if (!status)
		status = kueue_make_room(k, setup, err);
	if (!status)
		status = kq_seal(k->kq);
	if (!status)
		status = kueue_multi_make(k, err);
	if (k->kq->err.status)
		*err = k->kq->err;
	return status;
}

static void wake_first(struct kueue *k, const struct sl_setup *setup)
{
	const sl_time first = setup->jobs->count ? setup->jobs->submit[0] : 0;
	if (k->kq->config.afs)
		k->shares_at = first + k->kq->config.afs_interval;
	if (!controller_due_next(&k->engine) || (setup->command_count && setup->command[0].at < first)) {
		controller_wake(&k->engine, setup->sim, setup->command[0].at);
	}
}

static int kueue_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct kueue *k = sl_alloc(setup->arena, 1, sizeof(*k));
	*state = k;
	if (!k)
		return sl_fail_memory(err);
	k->arena = setup->arena;
	k->jobs = setup->jobs;
	k->cluster = setup->cluster;
	k->kq = kq_new(setup->arena);
	if (!k->kq)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	k->kq->stopping = controller_stops;
	k->kq->stopping_of = &k->engine;
	k->engine = (struct controller){ .policy = "kueue",
		.calls = &kueue_calls,
		.cause = { SL_RULE_ADMIT, CONTROLLER_NOBODY },
		.dependencies = controller_use_dependencies(setup) != 0,
		.anew = SL_REASON_COUNT };
	int status = controller_make(&k->engine, setup, SL_REASON_PENDING_EVALUATION, err);
	if (!status)
		status = make_instance(k, setup, err);
	if (!status)
		status = sl_use(setup,
			SL_USE_CONTROL | SL_USE_NODES | controller_use_dependencies(setup) |
				(k->checkpoint ? SL_USE_PREEMPT : 0U),
			err);
	sl_default_reason(setup, SL_REASON_PENDING_EVALUATION);
	if (!status)
		status = kueue_pods_make(k, setup, err);
	if (!status)
		status = kueue_api_make(k, err);
	if (!status)
		status = kueue_series_make(k, err);
	if (!status)
		status = kueue_commands_make(k, setup, err);
	if (status)
		return status;
	wake_first(k, setup);
	kueue_dra_warn(k, setup);
	controller_warning_gates(setup, false, "Kueue: queued as submitted");
	return SL_OK;
}

static void kueue_release(void *state)
{
	struct kueue *k = state;
	kueue_pods_release(k);
	kueue_series_release(k);
	kueue_multi_release(k);
	kueue_dra_release(k);
	controller_release(&k->engine);
	free(k->shape);
	free(k->job_of);
	free(k->eviction);
	free(k->note);
	kq_free(k->kq);
}

const struct sl_policy kueue_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "kueue",
	.summary = "as Kueue 0.20 admits: quotas, cohorts, borrowing, preemption, fair sharing, topologies",
	.paper = "Kueue v0.20 (kubernetes-sigs/kueue)",
	.params = kueue_params,
	.param_count = PARAM_COUNT,
	.init = kueue_init,
	.pass = controller_pass,
	.on_event = controller_event,
	.release = kueue_release,
	.compat = kueue_compats,
	.requeues = controller_requeues,
	.reasons = kueue_reasons,
	.table = kueue_table,
	.report = kueue_report,
};
