/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_scale.c - the cluster autoscaler: scale-up for unschedulable pods, scale-down of idle nodes.
 *
 * As its FAQ describes it (kubernetes/autoscaler, cluster-autoscaler/FAQ.md): every scan, pods that are
 * unschedulable are packed, largest first, on upcoming nodes, then on new nodes of each group by itself; of
 * the groups that would fit any, expanders choose one. Only idle nodes are removed. A group's nodes are
 * nodes of the cluster which are not there until they were ordered and provisioned: objects of kind
 * NodeGroup of schedlab/v1 name them.
 */
#include "policies/kube/kube.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCAN         (10 * SL_SECOND) /* --scan-interval */
#define MILLION      INT64_C(1000000)
#define IDLE_DEFAULT (600 * SL_SECOND) /* --scale-down-unneeded-time */

enum { EXPANDERS_MAX = 8, PODS_MAX = 5000 };
enum expander { BY_RANDOM, BY_PODS, BY_WASTE, BY_NODES, BY_PRICE, BY_PRIORITY, EXPANDERS };

struct group {
	const char *name;
	uint32_t *node;
	uint32_t nodes, there, ordered;
	int64_t min, max, price, priority; /* price: millionths an hour. */
	sl_time provisioning, idle;
	unsigned __int128 node_us; /* Nodes there, integrated. */
	uint64_t ups, downs;
};

struct machine {       /* By node. */
	sl_time ready; /* Ordered: comes then; else SL_NEVER. */
	sl_time idle;  /* Since when; SL_NEVER: it is not. */
	sl_time since; /* It is there. */
};

struct kube_scaler {
	struct group *group;
	uint32_t groups;
	struct machine *machine;
	enum expander expander[EXPANDERS_MAX];
	uint32_t expanders;
	sl_time scanned;  /* Last. */
	uint64_t version; /* Of the cluster state then. */
	uint64_t choices;
	uint32_t *pod; /* Those to be helped, of one scan. */
};

static const char *const expander_name[EXPANDERS] = { "random", "most-pods", "least-waste", "least-nodes",
	"price", "priority" };

/* ---- Groups ---------------------------------------------------------------------------------- */

struct naming {
	struct kube *k;
	struct group *group;
	uint32_t row;
	struct sl_place at;
	struct sl_err *err;
};

static int kube_scale_take_name(void *self, const char *name, size_t len)
{
	struct naming *naming = self;
	struct kube *k = naming->k;
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (strlen(k->node[i].name) != len || memcmp(k->node[i].name, name, len) != 0)
			continue;
		if (k->node[i].group != KUBE_NO)
			return sl_fail_at(
				naming->err, &naming->at, "node '%s' is in two groups", k->node[i].name);
		k->node[i].group = naming->row;
		naming->group->node[naming->group->nodes++] = i;
		return SL_OK;
	}
	return sl_fail_at(
		naming->err, &naming->at, "node '%.*s' is not in the cluster: add it there", (int)len, name);
}

static int take_time(const struct sl_object *object, const char *path, sl_time *value, struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(object->doc, object->node, path);
	const char *text = kube_text(object->doc, object->node, path);
	if (!at || (text && sl_get_duration(text, strlen(text), value) && *value >= 0))
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, at);
	return sl_fail_at(err, &place, "'%s' has to be a duration (90, 2m, 1h)", path);
}

static int take_amounts(struct group *group, const struct sl_object *object, struct sl_err *err)
{
	const struct sl_place place = sl_doc_place(object->doc, object->node);
	const char *price = kube_text(object->doc, object->node, "spec.price");
	group->max = group->nodes;
	group->idle = IDLE_DEFAULT;
	int status = kube_int(object->doc, object->node, "spec.min", &group->min, err);
	if (!status)
		status = kube_int(object->doc, object->node, "spec.max", &group->max, err);
	if (!status)
		status = kube_int(object->doc, object->node, "spec.priority", &group->priority, err);
	if (!status)
		status = take_time(object, "spec.provisioning", &group->provisioning, err);
	if (!status)
		status = take_time(object, "spec.scaleDownAfter", &group->idle, err);
	if (status)
		return status;
	if (price && (!sl_get_micro(price, strlen(price), &group->price) || group->price < 0))
		return sl_fail_at(err, &place, "price '%s' is not a number", price);
	if (group->min < 0 || group->min > group->max || group->max > group->nodes)
		return sl_fail_at(err, &place,
			"group '%s' has %u nodes: 0 <= min <= max <= that does not hold", group->name,
			group->nodes);
	return SL_OK;
}

static int take_group(struct kube *k, const struct sl_object *object, struct sl_err *err)
{
	struct kube_scaler *s = k->scaler;
	struct group *group = &s->group[s->groups];
	const char *nodes = kube_text(object->doc, object->node, "spec.nodes");
	const struct sl_place place = sl_doc_place(object->doc, object->node);
	struct naming naming = { k, group, s->groups++, place, err };
	group->name = object->name;
	if (!nodes)
		return sl_fail_at(
			err, &place, "a NodeGroup has spec.nodes, a list of nodes: \"cloud[1-20]\"");
	group->node = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*group->node));
	if (!group->node)
		return sl_fail_memory(err);
	int status = sl_hosts_each(nodes, strlen(nodes), &place, err, kube_scale_take_name, &naming);
	if (!status)
		status = take_amounts(group, object, err);
	for (uint32_t i = 0; i < group->nodes && !status; i++) {
		k->node[group->node[i]].there = i < group->min;
		s->machine[group->node[i]].idle = i < group->min ? 0 : SL_NEVER;
	}
	group->there = (uint32_t)group->min;
	return status;
}

/* "price+random": one after another. */
static int take_expanders(struct kube_scaler *s, const char *text, struct sl_err *err)
{
	while (*text) {
		const size_t len = strcspn(text, "+");
		size_t at = 0;
		while (at < EXPANDERS &&
			(strlen(expander_name[at]) != len || memcmp(expander_name[at], text, len) != 0))
			at++;
		if (at == EXPANDERS || s->expanders == EXPANDERS_MAX)
			return sl_fail(err, SL_USAGE,
				"expander '%.*s' is none: random, most-pods, least-waste, least-nodes, price, priority, or "
				"several joined by '+'",
				(int)len, text);
		s->expander[s->expanders++] = (enum expander)at;
		text += len + (text[len] == '+');
	}
	return SL_OK;
}

int kube_scale_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_value *expander = sl_value_of(setup->values, setup->value_count, "expander");
	struct kube_scaler *s = sl_alloc(k->arena, 1, sizeof(*s));
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->cluster->object_count; i++)
		count += strcmp(k->cluster->object[i].kind, "NodeGroup") == 0;
	if (s) {
		s->group = sl_alloc(k->arena, count + 1, sizeof(*s->group));
		s->machine = sl_alloc(k->arena, (size_t)k->nodes + 1, sizeof(*s->machine));
		s->pod = sl_alloc(k->arena, PODS_MAX, sizeof(*s->pod));
	}
	if (!s || !s->group || !s->machine || !s->pod)
		return sl_fail_memory(err);
	k->scaler = s;
	s->scanned = SL_NONE;
	for (uint32_t i = 0; i < k->nodes; i++)
		s->machine[i] = (struct machine){ SL_NEVER, SL_NEVER, 0 };
	int status = take_expanders(s, expander && expander->text ? expander->text : "least-waste", err);
	for (uint32_t i = 0; i < k->cluster->object_count && !status; i++)
		if (strcmp(k->cluster->object[i].kind, "NodeGroup") == 0)
			status = take_group(k, &k->cluster->object[i], err);
	return status;
}

/* ---- Options --------------------------------------------------------------------------------- */

struct option {
	uint32_t group, pods, nodes;
	int64_t asked[2], added[2]; /* cpu, memory */
};

struct sized {
	uint32_t pod;
	int64_t cpu, mem;
};

static int by_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;
	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? -1 : 1;
	if (x->mem != y->mem)
		return x->mem > y->mem ? -1 : 1;
	return (x->pod > y->pod) - (x->pod < y->pod);
}

/* Pods that are unschedulable, largest first. */
static uint32_t collect(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	struct sized *list = malloc(PODS_MAX * sizeof(*list));
	uint32_t count = 0;
	for (size_t i = 0; list && i < k->parked_count && count < PODS_MAX; i++) {
		const struct kube_pod *pod = &k->pod[k->parked[i]];
		const struct kube_spec *spec = &k->spec[pod->spec];
		if (pod->state == KUBE_POD_PARKED && pod->place == i && pod->nominated == KUBE_NO)
			list[count++] = (struct sized){ k->parked[i], spec->request[KUBE_RES_CPU],
				spec->request[KUBE_RES_MEM] };
	}
	if (list)
		qsort(list, count, sizeof(*list), by_size);
	for (uint32_t i = 0; i < count; i++)
		s->pod[i] = list[i].pod;
	free(list);
	return count;
}

static bool tries(struct kube *k, uint32_t pod, uint32_t node)
{
	const struct kube_cycle cycle = { pod, kube_pod_affinity_new(k, pod), false, false };
	const bool fits = kube_filter(k, &cycle, node) == KUBE_FITS;
	kube_pod_affinity_free(cycle.pod_affinity);
	if (fits) {
		k->pod[pod].gpu_kind = KUBE_NO;
		kube_take(k, pod, node);
	}
	return fits;
}

/* As if they stood there: first fit. */
static void fill_ordered(struct kube *k, uint32_t count)
{
	const struct kube_scaler *s = k->scaler;
	for (uint32_t g = 0; g < s->groups; g++)
		for (uint32_t i = 0; i < s->group[g].nodes; i++) {
			const uint32_t node = s->group[g].node[i];
			for (uint32_t p = 0; s->machine[node].ready != SL_NEVER && p < count; p++)
				if (k->pod[s->pod[p]].node == KUBE_NO)
					(void)tries(k, s->pod[p], node);
		}
}

static struct option pack(struct kube *k, uint32_t row, uint32_t count)
{
	const struct kube_scaler *s = k->scaler;
	const struct group *group = &s->group[row];
	struct option option = { .group = row };
	const int64_t capacity = group->max - group->there - group->ordered;
	uint8_t *mine = calloc(PODS_MAX, 1);
	for (uint32_t i = 0; mine && i < group->nodes && option.nodes < capacity; i++) {
		const uint32_t node = group->node[i];
		const uint32_t before = option.pods;
		if (k->node[node].there || !k->node[node].up || s->machine[node].ready != SL_NEVER)
			continue;
		for (uint32_t p = 0; p < count; p++) {
			const struct kube_spec *spec = &k->spec[k->pod[s->pod[p]].spec];
			if (k->pod[s->pod[p]].node != KUBE_NO || !tries(k, s->pod[p], node))
				continue;
			mine[p] = 1;
			option.pods++;
			option.asked[0] += spec->request[KUBE_RES_CPU];
			option.asked[1] += spec->request[KUBE_RES_MEM];
		}
		if (option.pods == before)
			break; /* None of those left fits a node of this group. */
		option.nodes++;
		option.added[0] += k->node[node].alloc[KUBE_RES_CPU];
		option.added[1] += k->node[node].alloc[KUBE_RES_MEM];
	}
	for (uint32_t p = 0; mine && p < count; p++)
		if (mine[p]) {
			kube_give(k, s->pod[p]);
			k->pod[s->pod[p]].gpu_kind = KUBE_NO;
		}
	free(mine);
	return option;
}

static double idle_share(int64_t asked, int64_t added)
{
	return added ? 1 - (double)asked / (double)added : 0;
}

/* Less is better; price is that of an hour for each pod helped. */
static double rate(const struct kube_scaler *s, const struct option *option, enum expander cause)
{
	const struct group *group = &s->group[option->group];
	switch (cause) {
	case BY_PODS:
		return -(double)option->pods;
	case BY_WASTE:
		return idle_share(option->asked[0], option->added[0]) +
		       idle_share(option->asked[1], option->added[1]);
	case BY_NODES:
		return option->nodes;
	case BY_PRICE:
		return (double)group->price * option->nodes / option->pods;
	case BY_PRIORITY:
		return -(double)group->priority;
	case BY_RANDOM:
	case EXPANDERS:
		break;
	}
	return 0;
}

static uint32_t kube_scale_draw(struct kube *k, struct option *option, uint32_t count)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "policies/kube/expander/%" PRIu64, k->scaler->choices);
	struct sl_rng rng = sl_rng_stream(k->seed, name);
	option[0] = option[sl_rng_below(&rng, count)];
	return 1;
}

/* The best by each expander in turn; the first of those that are left. */
static void kube_scale_choose(struct kube *k, struct option *option, uint32_t count)
{
	const struct kube_scaler *s = k->scaler;
	k->scaler->choices++;
	for (uint32_t e = 0; e < s->expanders && count > 1; e++) {
		uint32_t kept = 0;
		if (s->expander[e] == BY_RANDOM) {
			count = kube_scale_draw(k, option, count);
			continue;
		}
		double best = rate(s, &option[0], s->expander[e]);
		for (uint32_t i = 1; i < count; i++) {
			const double one = rate(s, &option[i], s->expander[e]);
			best = one < best ? one : best;
		}
		for (uint32_t i = 0; i < count; i++)
			if (rate(s, &option[i], s->expander[e]) <= best)
				option[kept++] = option[i];
		count = kept;
	}
}

static void order(struct kube *k, const struct option *option)
{
	struct kube_scaler *s = k->scaler;
	struct group *group = &s->group[option->group];
	uint32_t left = option->nodes;
	for (uint32_t i = 0; i < group->nodes && left; i++) {
		const uint32_t node = group->node[i];
		if (k->node[node].there || !k->node[node].up || s->machine[node].ready != SL_NEVER)
			continue;
		s->machine[node].ready = k->now + group->provisioning;
		group->ordered++;
		group->ups++;
		left--;
	}
}

/* True: nodes were ordered. */
static bool scale_up(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	struct option *option = calloc((size_t)s->groups + 1, sizeof(*option));
	const uint32_t count = collect(k);
	uint32_t options = 0;
	fill_ordered(k, count);
	for (uint32_t g = 0; option && g < s->groups; g++) {
		option[options] = pack(k, g, count);
		options += option[options].pods > 0;
	}
	for (uint32_t p = 0; p < count; p++) {
		if (k->pod[s->pod[p]].node == KUBE_NO)
			continue;
		kube_give(k, s->pod[p]);
		k->pod[s->pod[p]].gpu_kind = KUBE_NO;
	}
	if (options) {
		kube_scale_choose(k, option, options);
		order(k, &option[0]);
	}
	free(option);
	return options > 0;
}

/* ---- Coming and going ------------------------------------------------------------------------ */

bool kube_scale_ready(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	bool came = false;
	for (uint32_t i = 0; i < k->nodes; i++) {
		if (s->machine[i].ready > k->now)
			continue;
		struct group *group = &s->group[k->node[i].group];
		s->machine[i] = (struct machine){ SL_NEVER, SL_NEVER, k->now };
		k->node[i].there = came = true;
		group->ordered--;
		group->there++;
		kube_queue_changed(k, KUBE_NODE_CAME, i, KUBE_NO);
	}
	return came;
}

static sl_time scale_down(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	sl_time next = SL_NEVER;
	for (uint32_t i = 0; i < k->nodes; i++) {
		struct group *group = k->node[i].group == KUBE_NO ? NULL : &s->group[k->node[i].group];
		struct machine *machine = &s->machine[i];
		if (!group || !k->node[i].there)
			continue;
		if (k->node[i].pods || k->node[i].nominees) {
			machine->idle = SL_NEVER;
			continue;
		}
		machine->idle = machine->idle == SL_NEVER ? k->now : machine->idle;
		if (group->there <= group->min)
			continue;
		if (machine->idle + group->idle > k->now) {
			next = machine->idle + group->idle < next ? machine->idle + group->idle : next;
			continue;
		}
		k->node[i].there = false;
		machine->idle = SL_NEVER;
		group->node_us += (unsigned __int128)(k->now - machine->since);
		group->there--;
		group->downs++;
	}
	return next;
}

/* When its next scan is due. */
sl_time kube_scale_run(struct kube *k)
{
	struct kube_scaler *s = k->scaler;
	sl_time next = scale_down(k);
	bool ordered = false;
	const sl_time due = s->scanned == SL_NONE ? k->now : s->scanned + SCAN;
	if (k->parked_count && due <= k->now && (s->scanned == SL_NONE || s->version != k->version)) {
		s->scanned = k->now;
		ordered = scale_up(k);
		s->version = ordered ? UINT64_MAX : k->version; /* More may be needed than was ordered. */
	} else if (k->parked_count && due > k->now && s->version != k->version) {
		next = due < next ? due : next;
	}
	if (ordered && k->now + SCAN < next)
		next = k->now + SCAN;
	for (uint32_t i = 0; i < k->nodes; i++)
		next = s->machine[i].ready < next ? s->machine[i].ready : next;
	return next;
}

static int report_one(struct sl_tally *tally, const char *what, const struct group *group, int64_t micro,
	struct kube *k, struct sl_err *err)
{
	char name[160];
	const int len = snprintf(name, sizeof(name), "autoscaler.%s{group=%.80s}", what, group->name);
	const char *kept = sl_strdup(k->arena, name, (size_t)len);
	return kept ? sl_report_metric(tally, kept, micro, err) : sl_fail_memory(err);
}

int kube_scale_report(struct kube *k, struct sl_tally *tally, struct sl_err *err)
{
	struct kube_scaler *s = k->scaler;
	int64_t cost = 0;
	int status = SL_OK;
	for (uint32_t g = 0; g < s->groups && !status; g++) {
		const struct group *group = &s->group[g];
		unsigned __int128 us = group->node_us;
		for (uint32_t i = 0; i < group->nodes; i++)
			if (k->node[group->node[i]].there)
				us += (unsigned __int128)(k->now - s->machine[group->node[i]].since);
		const int64_t hours = (int64_t)((us + 1800) / 3600); /* Millionths of a node-hour. */
		const int64_t price = sl_mul_div(hours, group->price, MILLION);
		cost += price;
		status = report_one(tally, "node_hours", group, hours, k, err);
		if (!status)
			status = report_one(tally, "cost", group, price, k, err);
		if (!status)
			status = report_one(tally, "scale_ups", group, (int64_t)group->ups * MILLION, k, err);
		if (!status)
			status = report_one(
				tally, "scale_downs", group, (int64_t)group->downs * MILLION, k, err);
	}
	return status ? status : sl_report_metric(tally, "autoscaler.cost", cost, err);
}
