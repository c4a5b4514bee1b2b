/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_nodes.c - nodes from absent to ordered, there, leaving, and back; who is evicted; hours and money.
 *
 * Money is hours that a node is there, times its price: neither the time in which it is provisioned nor one
 * begun hour is paid. A pod that is evicted is gone at once, and its controller makes it anew: it waits in
 * the scheduler's queue like any new pod, and its job has lost it (kube_lose).
 */
#include "policies/kube/elastic/elastic.h"

#include <stdio.h>
#include <string.h>

uint32_t elastic_find(const struct kube_scaler *s, const char *name, size_t len)
{
	uint32_t low = 0, high = s->k->nodes;
	while (low < high) {
		const uint32_t half = low + (high - low) / 2;
		const char *at = s->k->node[s->by_rank[half]].name;
		const int order = strncmp(at, name, len);
		if (order == 0 && !at[len])
			return s->by_rank[half];
		if (order < 0)
			low = half + 1;
		else
			high = half;
	}
	return KUBE_NO;
}

uint64_t elastic_stamp(const struct kube_scaler *s) { return s->k->version + s->k->entries; }

void elastic_note(struct kube_scaler *s, const char *what, uint32_t node, uint32_t job, const char *why)
{
	if (!SL_GROW(s->event, s->event_capacity, s->events + 1, &s->k->err))
		s->event[s->events++] = (struct elastic_event){ s->k->now, what, node, job, why };
}

void elastic_order(struct kube_scaler *s, uint32_t node, sl_time comes)
{
	struct elastic_node *of = &s->node[node];
	of->state = ELASTIC_ORDERED;
	of->made = s->k->now;
	of->at = comes;
	of->unneeded = of->drifted = SL_NONE;
	of->recheck = 0;
	of->command = 0;
	of->reason = NULL;
	of->expired = false;
	s->pool[of->pool].ordered++;
	s->pool[of->pool].ups++;
	elastic_note(s, "ordered", node, KUBE_NO, "");
}

void elastic_cancel(struct kube_scaler *s, uint32_t node)
{
	s->node[node].state = ELASTIC_ABSENT;
	s->pool[s->node[node].pool].ordered--;
	s->pool[s->node[node].pool].failed++;
	elastic_note(s, "failed", node, KUBE_NO, "not provisioned in time");
}

static void elastic_come(struct kube_scaler *s, uint32_t node)
{
	struct elastic_node *of = &s->node[node];
	struct elastic_pool *pool = &s->pool[of->pool];
	of->state = ELASTIC_THERE;
	of->came = of->event = s->k->now;
	of->first = KUBE_NO;
	of->pods = 0;
	pool->ordered--;
	pool->there++;
	s->k->node[node].there = true;
	s->k->outside++;
	elastic_note(s, "came", node, KUBE_NO, "");
	kube_queue_changed(s->k, KUBE_NODE_CAME, node, KUBE_NO);
	if (s->karpenter)
		elastic_karpenter_came(s, node);
}

bool kube_scale_ready(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	bool came = false;
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (s->node[i].state != ELASTIC_ORDERED || s->node[i].at > k->now)
			continue;
		elastic_come(s, i);
		came = true;
	}
	return came;
}

void elastic_leave(struct kube_scaler *s, uint32_t node, sl_time drain, sl_time until, const char *reason)
{
	struct elastic_node *of = &s->node[node];
	of->state = ELASTIC_LEAVING;
	of->at = drain;
	of->until = until;
	of->reason = reason;
	s->k->node[node].leaving = true;
	s->k->version++;
	elastic_note(s, "leaving", node, KUBE_NO, reason);
}

void elastic_stay(struct kube_scaler *s, uint32_t node)
{
	s->node[node].state = ELASTIC_THERE;
	s->node[node].command = 0;
	s->k->node[node].leaving = false;
	elastic_note(s, "stays", node, KUBE_NO, s->node[node].reason);
	kube_queue_changed(s->k, KUBE_NODE_CAME, node, KUBE_NO);
}

void elastic_evict(struct kube_scaler *s, uint32_t pod)
{
	struct kube *k = s->k;
	struct kube_pod *of = &k->pod[pod];
	struct kube_job *job = &k->job[of->job];
	const uint32_t node = of->node, gang = k->spec[of->spec].gang;
	elastic_note(s, "evicted", node, of->job, s->node[node].reason);
	s->pool[s->node[node].pool].evicted++;
	s->evicted = true;
	k->outside++;
	kube_lose(k, of->job, KUBE_NO);
	job->moved = true;
	job->bound -= of->state == KUBE_POD_BOUND;
	if (gang != KUBE_NO)
		k->gang[gang].placed--;
	kube_give(k, pod);
	of->attempts = 0;
	of->created = k->now;
	of->state = KUBE_POD_GONE;
	if (!job->lost && !kube_scale_gave_up(k, of->job))
		kube_queue_add(k, pod);
	kube_queue_changed(k, KUBE_POD_LEFT, node, of->spec);
}

bool kube_scale_gave_up(const struct kube *k, uint32_t job)
{
	return k->scaler && k->scaler->expired[job] == ELASTIC_GAVE_UP;
}

static void give_up(struct kube_scaler *s, uint32_t row, const char *pool)
{
	const struct sl_jobs *jobs = s->k->jobs;
	char text[320], id[32];
	s->expired[row] = ELASTIC_GAVE_UP;
	*sl_put_i64(id, jobs->id[row]) = '\0';
	(void)snprintf(text, sizeof(text),
		"job %.80s: its pods began anew %d times, as nodes of NodePool '%.60s' expired ('expireAfter') before it "
		"ended, and are not made anew any more",
		jobs->id_name && jobs->id_name[row] ? jobs->id_name[row] : id, ELASTIC_EXPIRED_MAX, pool);
	sl_warning(&s->setup, text);
}

void elastic_expire(struct kube_scaler *s, uint32_t pod)
{
	struct kube *k = s->k;
	const uint32_t row = k->pod[pod].job, node = k->pod[pod].node;
	const struct kube_job *job = &k->job[row];
	/* The first that it loses ends an attempt of a job all of whose pods begin anew with it. */
	const uint64_t count = job->lost                                               ? 0
			       : job->reported && job->pods->restart != SL_RESTART_ONE ? job->count
										       : 1;
	if (!kube_scale_gave_up(k, row)) {
		s->expired[row] += count;
		if (s->expired[row] >= (uint64_t)ELASTIC_EXPIRED_MAX * job->count)
			give_up(s, row, s->pool[s->node[node].pool].name);
	}
	elastic_evict(s, pod);
}

/* What it has cost since it came, into its pool's figures. */
static void elastic_settle(
	const struct elastic_node *node, sl_time now, unsigned __int128 *us, unsigned __int128 *price_us)
{
	*us += (unsigned __int128)(now - node->came);
	*price_us += (unsigned __int128)(now - node->came) * (unsigned __int128)node->price;
}

void elastic_gone(struct kube_scaler *s, uint32_t node)
{
	struct kube *k = s->k;
	struct elastic_node *of = &s->node[node];
	struct elastic_pool *pool = &s->pool[of->pool];
	for (size_t i = k->nominees; i-- > 0;)
		if (k->pod[k->nominee[i]].nominated == node)
			kube_nominate(k, k->nominee[i], KUBE_NO);
	elastic_settle(of, k->now, &pool->node_us, &pool->price_us);
	of->state = ELASTIC_ABSENT;
	pool->there--;
	pool->downs++;
	k->node[node].there = k->node[node].leaving = false;
	k->version++;
	elastic_note(s, "removed", node, KUBE_NO, of->reason);
}

/* ---- Report ------------------------------------------------------------------------------------- */

struct elastic_sum {
	int64_t hours, cost, ups, downs, evicted, failed; /* In millionths. */
};

/* group NULL: of all pools; the currency is part of the name then, as metrics have no other unit. */
static int report_one(struct kube_scaler *s, struct sl_tally *tally, const char *what, const char *group,
	int64_t micro, struct sl_err *err)
{
	const bool money = !group && strcmp(what, "cost") == 0 && s->currency;
	char name[200];
	const int len = group ? snprintf(name, sizeof(name), "autoscaler.%s{group=%.80s}", what, group)
			      : snprintf(name, sizeof(name), "autoscaler.%s%s%.40s", what, money ? "." : "",
					money ? s->currency : "");
	const char *kept = sl_strdup(s->k->arena, name, (size_t)len);
	return kept ? sl_report_metric(tally, kept, micro, err) : sl_fail_memory(err);
}

static int report_sum(struct kube_scaler *s, struct sl_tally *tally, const char *group,
	const struct elastic_sum *sum, struct sl_err *err)
{
	const struct {
		const char *name;
		int64_t micro;
	} figure[] = { { "node_hours", sum->hours }, { "cost", sum->cost }, { "scale_ups", sum->ups },
		{ "scale_downs", sum->downs }, { "evicted", sum->evicted }, { "failed", sum->failed } };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(figure) && !status; i++)
		status = report_one(s, tally, figure[i].name, group, figure[i].micro, err);
	return status;
}

static struct elastic_sum sum_pool(const struct kube_scaler *s, const struct elastic_pool *pool)
{
	unsigned __int128 us = pool->node_us, price_us = pool->price_us;
	const unsigned __int128 hour = 3600 * (unsigned __int128)SL_SECOND;
	for (uint32_t i = 0; i < pool->nodes; i++)
		if (s->node[pool->node[i]].state >= ELASTIC_THERE)
			elastic_settle(&s->node[pool->node[i]], s->k->now, &us, &price_us);
	return (struct elastic_sum){ .hours = (int64_t)((us + 1800) / 3600), /* Millionths of a node-hour. */
		.cost = (int64_t)((price_us + hour / 2) / hour),
		.ups = (int64_t)pool->ups * ELASTIC_MILLION,
		.downs = (int64_t)pool->downs * ELASTIC_MILLION,
		.evicted = (int64_t)pool->evicted * ELASTIC_MILLION,
		.failed = (int64_t)pool->failed * ELASTIC_MILLION };
}

static void add_sum(struct elastic_sum *all, const struct elastic_sum *one)
{
	all->hours += one->hours;
	all->cost += one->cost;
	all->ups += one->ups;
	all->downs += one->downs;
	all->evicted += one->evicted;
	all->failed += one->failed;
}

static struct sl_cell job_cell(const struct kube *k, uint32_t job)
{
	if (job == KUBE_NO)
		return (struct sl_cell){ "", 0 };
	if (k->jobs->id_name && k->jobs->id_name[job])
		return (struct sl_cell){ k->jobs->id_name[job], 0 };
	return (struct sl_cell){ NULL, k->jobs->id[job] * ELASTIC_MILLION };
}

/* elastic.csv: what happened to which node when, why, and at which price. */
static int report_events(struct kube_scaler *s, struct sl_tally *tally, struct sl_err *err)
{
	static const char *const column[] = { "time", "event", "node", "pool", "price", "job_id", "reason" };
	const struct kube *k = s->k;
	struct sl_cell *cell = sl_alloc(k->arena, s->events * SL_LEN(column) + 1, sizeof(*cell));
	if (!cell)
		return sl_fail_memory(err);
	for (size_t i = 0; i < s->events; i++) {
		const struct elastic_event *event = &s->event[i];
		struct sl_cell *row = &cell[i * SL_LEN(column)];
		row[0].micro = event->at;
		row[1].text = event->what;
		row[2].text = k->node[event->node].name;
		row[3].text = s->pool[s->node[event->node].pool].name;
		row[4].micro = s->node[event->node].price;
		row[5] = job_cell(k, event->job);
		row[6].text = event->why;
	}
	return sl_report_add_table(tally, "elastic", column, SL_LEN(column), cell, s->events, err);
}

int kube_scale_report(struct kube *k, struct sl_tally *tally, struct sl_err *err)
{
	struct kube_scaler *s = k->scaler;
	struct elastic_sum all = { 0 };
	int status = SL_OK;
	for (uint32_t i = 0; i < s->pools && !status; i++) {
		const struct elastic_sum sum = sum_pool(s, &s->pool[i]);
		add_sum(&all, &sum);
		status = report_sum(s, tally, s->pool[i].name, &sum, err);
	}
	if (!status)
		status = report_sum(s, tally, NULL, &all, err);
	return status ? status : report_events(s, tally, err);
}
