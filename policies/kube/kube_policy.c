/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_policy.c - the policy `kube`: each submitted job's pods go straight to kube-scheduler.
 *
 * A job is its pods: it starts once all of them have nodes, and those that have one before the others hold it
 * meanwhile. Events go to the scheduler, which acts once an instant, behind all else that happens then; the
 * pass that follows hands its orders to the engine, and does nothing else, so that a pass that is run twice
 * does the same twice.
 */
#include "policies/kube/kube.h"

#include <inttypes.h>
#include <stdio.h>
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
		"the cluster autoscaler adds and removes nodes of NodeGroups", 0, 0 },
	[PARAM_EXPANDER] = { "expander", SL_PARAM_TEXT, "least-waste", NULL,
		"which group of nodes grows, of several: random, most-pods, least-waste, least-nodes, price, priority, or "
		"several one after another (price+random)",
		0, 0 },
};

/* ---- Orders ---------------------------------------------------------------------------------------------
 */

enum what { ORDER_START, ORDER_REQUEUE, ORDER_REASON };

struct order {
	enum what what;
	uint32_t row, by;
	enum sl_rule rule;
	enum sl_reason reason;
	size_t holding, holding_count;
};

struct kept_pods {
	const struct sl_pods *pods;
};

struct kube_policy {
	struct kube k;
	uint64_t pass, next; /* The pass that orders are for; that comes next. */
	struct order *order;
	size_t orders, order_room;
	struct sl_holding *holding;
	uint32_t *gpus; /* By holding and type. */
	size_t holdings, holding_room, gpus_room;
	uint32_t types;
	sl_time woken;
	uint8_t *reason;        /* By job: told last. */
	bool *started;          /* By job: ordered to. */
	struct kept_pods *kept; /* By request, of jobs without manifests. */
};

static struct order *new_order(struct kube_policy *p, enum what what, uint32_t row)
{
	if (p->pass != p->next) {
		p->pass = p->next;
		p->orders = p->holdings = 0;
	}
	if (SL_GROW(p->order, p->order_room, p->orders + 1, &p->k.err))
		return NULL;
	struct order *order = &p->order[p->orders++];
	*order = (struct order){ .what = what, .row = row, .by = KUBE_NO, .rule = SL_RULE_ORDER };
	return order;
}

static void order_start(struct kube_policy *p, uint32_t row)
{
	const struct sl_holding *holding;
	struct order *order = new_order(p, ORDER_START, row);
	const size_t count = kube_where(&p->k, (sl_job){ row }, &holding);
	const size_t wanted = p->holdings + count;
	if (!order || SL_GROW(p->holding, p->holding_room, wanted, &p->k.err) ||
		SL_GROW(p->gpus, p->gpus_room, wanted * p->types + 1, &p->k.err))
		return;
	order->holding = p->holdings;
	order->holding_count = count;
	for (size_t i = 0; i < count; i++) {
		const size_t at = p->holdings++;
		p->holding[at] = holding[i];
		if (p->types)
			memcpy(&p->gpus[at * p->types], holding[i].gpus, p->types * sizeof(*p->gpus));
	}
	p->started[row] = true;
}

static void order_reason(struct kube_policy *p, uint32_t row, enum sl_reason reason)
{
	if (p->reason[row] == (uint8_t)reason)
		return;
	struct order *order = new_order(p, ORDER_REASON, row);
	if (!order)
		return;
	order->reason = reason;
	p->reason[row] = (uint8_t)reason;
}

/* What was ordered for it at this instant is void. */
static void forget_orders(struct kube_policy *p, uint32_t row)
{
	size_t kept = 0;
	p->reason[row] = SL_REASON_COUNT;
	p->started[row] = false;
	if (p->pass != p->next)
		return;
	for (size_t i = 0; i < p->orders; i++)
		if (p->order[i].row != row)
			p->order[kept++] = p->order[i];
	p->orders = kept;
}

static bool carry_out(struct kube_policy *p, struct sl_pass *pass, const struct order *order)
{
	const sl_job job = { order->row };
	sl_by(pass, order->rule, (sl_job){ order->by });
	switch (order->what) {
	case ORDER_START:
		for (size_t i = 0; i < order->holding_count; i++)
			p->holding[order->holding + i].gpus =
				p->types ? &p->gpus[(order->holding + i) * p->types] : NULL;
		return sl_start_holding(pass, job, &p->holding[order->holding], order->holding_count);
	case ORDER_REQUEUE:
		return sl_requeue(pass, job, order->rule == SL_RULE_NODE ? SL_NODE_FAIL : SL_PREEMPTED);
	case ORDER_REASON:
		sl_set_reason(pass, job, order->reason, 0);
		return true;
	}
	return false;
}

static void kube_pass(void *state, struct sl_pass *pass)
{
	struct kube_policy *p = state;
	if (p->pass != sl_pass_number(pass))
		return;
	for (size_t i = 0; i < p->orders; i++) {
		if (carry_out(p, pass, &p->order[i]))
			continue;
		struct sl_err err = { .status = SL_OK };
		(void)sl_fail(&err, SL_INTERNAL,
			"policy 'kube' and the engine disagree: order %d for job %" PRId64
			", which is %s, cannot be carried out",
			(int)p->order[i].what, p->k.jobs->id[p->order[i].row],
			sl_state_name(sl_state_of(pass, (sl_job){ p->order[i].row })));
		sl_fail_run(pass, &err);
		return;
	}
}

/* ---- Events ---------------------------------------------------------------------------------------------
 */

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

static void add(struct kube_policy *p, sl_time now, uint32_t row)
{
	const struct sl_pods *pods = pods_of(p, row);
	if (pods)
		kube_add(&p->k, now, (sl_job){ row }, pods, NULL);
}

static void take_loss(struct kube_policy *p, sl_time now, const struct sl_bound *bound)
{
	const uint32_t row = bound->job.row;
	if (p->started[row]) {
		struct order *order = new_order(p, ORDER_REQUEUE, row);
		if (!order)
			return;
		order->by = bound->by.row;
		order->rule = bound->by.row == KUBE_NO ? SL_RULE_NODE : SL_RULE_RANK;
	}
	p->started[row] = false;
	p->reason[row] = SL_REASON_COUNT;
	if (!p->k.job[row].lost) /* The one that it lost is on its way. */
		return;
	kube_remove(&p->k, now, bound->job);
	add(p, now, row);
}

/* True: something came of it that the scheduler has to look at again. */
static bool take_outcome(struct kube_policy *p, sl_time now)
{
	struct kube *k = &p->k;
	bool again = false;
	while (k->told_next < k->told_count && !k->err.status) {
		const struct sl_bound bound = k->told[k->told_next++];
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
			again = true;
			break;
		case SL_BOUND_STUCK:
			if (!p->started[row])
				order_reason(p, row, SL_REASON_UNSCHEDULABLE);
			break;
		}
	}
	return again;
}

static void wake_at(struct kube_policy *p, struct sl_pass *pass, sl_time at)
{
	if (at == SL_NEVER || at >= p->woken)
		return;
	p->woken = at;
	sl_wake_event(pass, at, 0);
}

enum { ROUNDS_MAX = 1000 };

/* A group of a rolling update makes way for the new one. */
static bool replace_group(struct kube_policy *p, sl_time now)
{
	const uint32_t row = kube_rollout_next(&p->k, now);
	if (row == KUBE_NO)
		return false;
	if (p->started[row]) {
		struct order *order = new_order(p, ORDER_REQUEUE, row);
		if (!order)
			return false;
		order->rule = SL_RULE_MIGRATE;
	}
	p->started[row] = false;
	p->reason[row] = SL_REASON_COUNT;
	kube_remove(&p->k, now, (sl_job){ row });
	add(p, now, row);
	return true;
}

static void run(struct kube_policy *p, struct sl_pass *pass, sl_time now)
{
	sl_time next = kube_run(&p->k, now);
	int rounds = 0;
	while ((take_outcome(p, now) || replace_group(p, now)) && rounds++ < ROUNDS_MAX)
		next = kube_run(&p->k, now);
	const sl_time due = kube_rollout_due(&p->k);
	next = due < next ? due : next;
	wake_at(p, pass, next <= now && next != SL_NEVER ? now + 1 : next);
}

static void tell_node(struct kube_policy *p, const struct sl_pass *pass, sl_time now, uint32_t node)
{
	struct kube_node *on = &p->k.node[node];
	const bool drained = sl_node_is_drained(pass, node);
	if (on->cordoned != drained) {
		on->cordoned = drained;
		p->k.now = now;
		if (!drained)
			kube_queue_changed(&p->k, KUBE_NODE_CAME, node, KUBE_NO);
	}
	kube_node(&p->k, now, node, sl_node_is_up(pass, node));
}

static void kube_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct kube_policy *p = state;
	const sl_job job = { event->row };
	p->k.hears = pass;
	p->next = sl_pass_number(pass) + 1;
	switch (event->class) {
	case SL_EV_SUBMIT:
		add(p, event->time, event->row);
		break;
	case SL_EV_JOB_END:
	case SL_EV_CANCEL:
		forget_orders(p, event->row);
		kube_remove(&p->k, event->time, job);
		break;
	case SL_EV_MODEL: /* It failed and waits: its pods are recreated. */
		forget_orders(p, event->row);
		if (kube_fail(&p->k, event->time, job))
			break;
		kube_remove(&p->k, event->time, job);
		add(p, event->time, event->row);
		break;
	case SL_EV_NODE_DOWN:
	case SL_EV_NODE_UP:
		tell_node(p, pass, event->time, event->row);
		break;
	case SL_EV_TIMER:
		p->woken = p->woken <= event->time ? SL_NEVER : p->woken;
		run(p, pass, event->time);
		break;
	case SL_EV_TIME_LIMIT:
	case SL_EV_RESERVATION:
	case SL_EV_CLASS_COUNT:
		return;
	}
	if (event->class != SL_EV_TIMER)
		wake_at(p, pass, event->time);
	if (p->k.err.status)
		sl_fail_run(pass, &p->k.err);
}

/* ---- Begin and end --------------------------------------------------------------------------------------
 */

static bool kube_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	const struct kube_policy *p = state;
	(void)pass;
	const uint32_t more = p->k.jobs->more_of ? p->k.jobs->more_of[job.row] : 0;
	return !more || p->k.jobs->more[more].requeue != 0;
}

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

/* What a job says of when it may start, and nobody here looks at. */
static void remark_gates(const struct sl_setup *setup)
{
	const struct sl_jobs *jobs = setup->jobs;
	char text[300];
	char number[32];
	uint32_t count = 0;
	uint32_t first = 0;
	for (uint32_t row = 0; setup->pass && jobs->more_of && row < jobs->count; row++) {
		const uint32_t more = setup->foreign && setup->foreign[row] ? 0 : jobs->more_of[row];
		const struct sl_job_more *said = &jobs->more[more];
		if (more && (said->depend_count || said->held || said->begin != SL_NONE) && !count++)
			first = row;
	}
	if (!count)
		return;
	*sl_put_i64(number, jobs->id[first]) = '\0';
	(void)snprintf(text, sizeof(text),
		"%u job%s (%.80s first): dependencies, holds and begin times are not known to kube-scheduler: queued as submitted",
		count, count > 1 ? "s" : "",
		jobs->id_name && jobs->id_name[first] ? jobs->id_name[first] : number);
	sl_remark(setup, text);
}

static int kube_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct kube_policy *p = sl_alloc(setup->arena, 1, sizeof(*p));
	struct kube_options options;
	const size_t jobs = (size_t)setup->jobs->count + 1;
	*state = p;
	if (!p)
		return sl_fail_memory(err);
	kube_take_options(&options, setup);
	int status = kube_make(&p->k, setup, &options, err);
	if (status)
		return status;
	override_profiles(&p->k, setup);
	for (uint32_t i = 0; setup->shut && i < p->k.nodes; i++)
		p->k.node[i].cordoned = setup->shut[i] != 0;
	p->reason = sl_alloc(setup->arena, jobs, sizeof(*p->reason));
	p->started = sl_alloc(setup->arena, jobs, sizeof(*p->started));
	p->kept = sl_alloc(setup->arena, (size_t)setup->jobs->request_count + 1, sizeof(*p->kept));
	if (!p->reason || !p->started || !p->kept)
		return sl_fail_memory(err);
	memset(p->reason, SL_REASON_COUNT, jobs);
	p->types = setup->cluster->kind_count > SL_KIND_GPUS ? setup->cluster->kind_count - SL_KIND_GPUS : 0;
	p->woken = SL_NEVER;
	sl_default_reason(setup, SL_REASON_PENDING_EVALUATION);
	sl_default_rule(setup, SL_RULE_ORDER);
	status = kube_rollouts_make(&p->k, setup, err);
	if (status)
		return status;
	remark_gates(setup);
	return sl_use(setup, SL_USE_CONTROL | SL_USE_NODES, err);
}

static void kube_release(void *state)
{
	struct kube_policy *p = state;
	if (!p)
		return;
	kube_free(&p->k);
	free(p->order);
	free(p->holding);
	free(p->gpus);
}

static int kube_show(void *state, struct sl_pass *pass, sl_time at, const char *what,
	const struct sl_show *show, struct sl_err *err)
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
		status = show->row(show->self, column, figure, SL_LEN(figure));
	}
	return status;
}

static int kube_tell_run(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct kube_policy *p = state;
	(void)pass;
	return kube_tell_figures(&p->k, tally, err);
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
	.pass = kube_pass,
	.on_event = kube_event,
	.release = kube_release,
	.show = kube_show,
	.reasons = kube_reasons,
	.requeues = kube_requeues,
	.tell = kube_tell_run,
};
