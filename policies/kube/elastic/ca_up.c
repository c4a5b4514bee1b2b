/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ca_up.c - scale-up (cluster-autoscaler/core/scaleup/orchestrator, estimator/binpacking_estimator.go).
 *
 * Pods that are unschedulable and would fit no node that is ordered are grouped: equal pods of one job are
 * equivalent. For each node group its groups of pods, largest first by their share of the node's cpu and
 * memory, are packed onto new nodes; the expander chooses one of the node groups that would take any.
 */
#include "policies/kube/elastic/ca.h"

#include <stdlib.h>

/* static_autoscaler.go: how old the oldest unschedulable pod should be, and the oldest that wants a GPU. */
#define BUFFER     (2 * SL_SECOND)
#define GPU_BUFFER (30 * SL_SECOND)

struct alike { /* Equivalent pods: count of them, from `first` of the list. */
	uint32_t first, count;
	double score;
	bool suits; /* One of them would fit the group's template. */
};

struct packing {
	struct kube_scaler *s;
	const struct ca_group *group;
	uint32_t *pod; /* Those to be helped, equivalent ones in a row. */
	struct alike *alike;
	uint32_t alikes;
	uint32_t *slot, *held; /* New nodes, and the pods on each. */
	uint32_t slots, from, room;
	struct ca_option option;
};

/* ---- Whom to help -------------------------------------------------------------------------------- */

static sl_time oldest(const struct kube_scaler *s, uint32_t count, bool gpu)
{
	const struct kube *k = s->k;
	sl_time least = SL_NEVER;
	for (uint32_t i = 0; i < count; i++) {
		const struct kube_pod *pod = &k->pod[s->ca->pod[i]];
		const struct kube_spec *spec = &k->spec[pod->spec];
		if (gpu && (spec->gpu == KUBE_NO || spec->request[spec->gpu] <= 0))
			continue;
		least = pod->created < least ? pod->created : least;
	}
	return least;
}

/* Older than new-pod-scale-up-delay. */
static uint32_t drop_young(struct kube_scaler *s, uint32_t count, sl_time *next)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const sl_time old = s->k->pod[s->ca->pod[i]].created + s->ca->flags.new_pod_delay;
		if (old <= s->k->now)
			s->ca->pod[kept++] = s->ca->pod[i];
		else
			*next = old < *next ? old : *next;
	}
	return kept;
}

/* Those that fit no node that is ordered; they stay placed on these until all is taken back. */
uint32_t ca_drop_helped(struct kube_scaler *s, uint32_t count)
{
	for (uint32_t g = 0; g < s->ca->groups; g++) {
		const struct elastic_pool *pool = &s->pool[s->ca->group[g].pool];
		for (uint32_t i = 0; pool->ordered && i < pool->nodes; i++) {
			const uint32_t node = pool->node[i];
			if (s->node[node].state != ELASTIC_ORDERED)
				continue;
			elastic_show(s, node);
			for (uint32_t p = 0; p < count; p++)
				if (s->k->pod[s->ca->pod[p]].node == KUBE_NO)
					(void)elastic_place(s, s->ca->pod[p], node);
		}
	}
	uint32_t kept = 0;
	for (uint32_t p = 0; p < count; p++)
		if (s->k->pod[s->ca->pod[p]].node == KUBE_NO)
			s->ca->pod[kept++] = s->ca->pod[p];
	return kept;
}

/* ---- Packing ------------------------------------------------------------------------------------- */

static int by_score(const void *a, const void *b)
{
	const struct alike *x = a, *y = b;
	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static bool is_alike(const struct kube *k, uint32_t a, uint32_t b)
{
	return k->pod[a].job == k->pod[b].job && k->pod[a].spec == k->pod[b].spec;
}

/* Equivalent pods side by side, groups in the order of their first. */
static void group_pods(struct packing *p, uint32_t count)
{
	const struct kube *k = p->s->k;
	uint32_t *from = p->s->ca->option_pod;
	for (uint32_t i = 0; i < count; i++)
		from[i] = p->s->ca->pod[i];
	uint32_t made = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (from[i] == KUBE_NO)
			continue;
		struct alike *alike = &p->alike[p->alikes++];
		*alike = (struct alike){ .first = made };
		const uint32_t sample = from[i];
		for (uint32_t j = i; j < count; j++)
			if (from[j] != KUBE_NO && is_alike(k, sample, from[j])) {
				p->pod[made++] = from[j];
				from[j] = KUBE_NO;
				alike->count++;
			}
	}
}

static double share(int64_t part, int64_t of) { return of > 0 ? (double)part / (double)of : 0; }

static void score(struct packing *p, uint32_t template)
{
	const struct kube *k = p->s->k;
	for (uint32_t i = 0; i < p->alikes; i++) {
		const struct kube_spec *spec = &k->spec[k->pod[p->pod[p->alike[i].first]].spec];
		p->alike[i].score =
			share(spec->request[KUBE_RES_CPU], k->node[template].alloc[KUBE_RES_CPU]) +
			share(spec->request[KUBE_RES_MEM], k->node[template].alloc[KUBE_RES_MEM]);
	}
	qsort(p->alike, p->alikes, sizeof(*p->alike), by_score);
}

static void count_pod(struct packing *p, uint32_t pod, uint32_t slot)
{
	const struct kube_spec *spec = &p->s->k->spec[p->s->k->pod[pod].spec];
	p->held[slot]++;
	p->option.pods++;
	p->option.cpu += spec->request[KUBE_RES_CPU];
	p->option.mem += spec->request[KUBE_RES_MEM];
	p->option.pod_price += ca_pod_price(spec);
}

/* On new nodes that are there already, while one has room for the next; returns how many it placed. */
static uint32_t pack_on_made(struct packing *p, const struct alike *alike)
{
	uint32_t done = 0;
	for (; done < alike->count; done++) {
		const uint32_t pod = p->pod[alike->first + done];
		uint32_t slot = 0;
		while (slot < p->slots && !elastic_place(p->s, pod, p->slot[slot]))
			slot++;
		if (slot == p->slots)
			break;
		count_pod(p, pod, slot);
	}
	return done;
}

static bool add_slot(struct packing *p)
{
	const struct elastic_pool *pool = &p->s->pool[p->group->pool];
	const uint32_t at = p->slots < p->room ? ca_free_slot(p->s, p->group, p->from) : KUBE_NO;
	if (at == KUBE_NO)
		return false;
	p->from = at + 1;
	p->held[p->slots] = 0;
	p->slot[p->slots++] = pool->node[at];
	elastic_show(p->s, pool->node[at]);
	return true;
}

/* The rest on the last new node, or one more. If that stays empty, one more would not help either. */
static void pack_on_new(struct packing *p, const struct alike *alike, uint32_t done)
{
	for (; done < alike->count; done++) {
		const uint32_t pod = p->pod[alike->first + done];
		if (p->slots && elastic_place(p->s, pod, p->slot[p->slots - 1])) {
			count_pod(p, pod, p->slots - 1);
			continue;
		}
		if ((p->slots && !p->held[p->slots - 1]) || !add_slot(p) ||
			!elastic_place(p->s, pod, p->slot[p->slots - 1]))
			return;
		count_pod(p, pod, p->slots - 1);
	}
}

/* Would a pod of that sort fit the group's template at all? */
static bool suits(struct packing *p, const struct alike *alike, uint32_t template)
{
	const size_t mark = p->s->moves;
	elastic_show(p->s, template);
	const bool fits = elastic_fits(p->s, p->pod[alike->first], template);
	elastic_undo(p->s, mark);
	return fits;
}

static uint32_t room_of(const struct kube_scaler *s, const struct ca_group *group)
{
	const struct elastic_pool *pool = &s->pool[group->pool];
	int64_t room = group->max - pool->there - pool->ordered;
	int64_t all = 0;
	for (uint32_t i = 0; i < s->k->nodes; i++)
		all += s->node[i].state != ELASTIC_ABSENT;
	if (s->ca->flags.nodes_total > 0 && s->ca->flags.nodes_total - all < room)
		room = s->ca->flags.nodes_total - all;
	room = s->ca->flags.per_scaleup > 0 && s->ca->flags.per_scaleup < room ? s->ca->flags.per_scaleup
									       : room;
	return room > 0 ? (uint32_t)room : 0;
}

static struct ca_option estimate(struct packing *p, uint32_t row)
{
	const struct elastic_pool *pool = &p->s->pool[p->group->pool];
	const uint32_t first = ca_free_slot(p->s, p->group, 0);
	const size_t mark = p->s->moves;
	p->option = (struct ca_option){ .group = row };
	p->slots = p->from = 0;
	p->room = room_of(p->s, p->group);
	if (first == KUBE_NO || !p->room)
		return p->option;
	score(p, pool->node[first]);
	for (uint32_t i = 0; i < p->alikes; i++)
		p->alike[i].suits = suits(p, &p->alike[i], pool->node[first]);
	for (uint32_t i = 0; i < p->alikes; i++)
		if (p->alike[i].suits)
			pack_on_new(p, &p->alike[i], pack_on_made(p, &p->alike[i]));
	elastic_undo(p->s, mark);
	for (uint32_t i = 0; i < p->slots; i++) {
		const int64_t *has = p->s->k->node[p->slot[i]].alloc;
		if (!p->held[i])
			continue;
		p->option.nodes++;
		p->option.cpu_added = kube_sum(p->option.cpu_added, has[KUBE_RES_CPU]);
		p->option.mem_added = kube_sum(p->option.mem_added, has[KUBE_RES_MEM]);
	}
	return p->option;
}

/* ---- Scale-up ------------------------------------------------------------------------------------ */

/* The cloud has no more than `available` of them: those beyond never come. */
static void order(struct kube_scaler *s, const struct ca_option *option)
{
	const struct ca_group *group = &s->ca->group[option->group];
	const struct elastic_pool *pool = &s->pool[group->pool];
	uint32_t at = 0;
	for (uint32_t i = 0; i < option->nodes; i++) {
		at = ca_free_slot(s, group, at);
		if (at == KUBE_NO)
			return;
		const bool there = pool->there + pool->ordered < group->available;
		elastic_order(s, pool->node[at], there ? s->k->now + pool->provisioning : SL_NEVER);
	}
}

void ca_help(struct kube_scaler *s, uint32_t count, bool all, struct ca_up *up)
{
	const size_t room = (size_t)s->k->nodes + 1;
	struct packing p = { .s = s,
		.pod = malloc((size_t)count * sizeof(*p.pod)),
		.alike = malloc((size_t)count * sizeof(*p.alike)),
		.slot = malloc(room * sizeof(*p.slot)),
		.held = malloc(room * sizeof(*p.held)) };
	struct ca_option *option = calloc((size_t)s->ca->groups + 1, sizeof(*option));
	uint32_t options = 0;
	if (!p.pod || !p.alike || !p.slot || !p.held || !option) {
		(void)sl_fail_memory(&s->k->err);
	} else {
		group_pods(&p, count);
		for (uint32_t g = 0; g < s->ca->groups; g++) {
			p.group = &s->ca->group[g];
			if (ca_backs_off(s, p.group)) {
				const sl_time until = ca_asked_again(s, p.group);
				up->next = until < up->next ? until : up->next;
				continue;
			}
			option[options] = estimate(&p, g);
			options += option[options].pods >= (all ? count : 1);
		}
	}
	if (options) {
		ca_choose(s, option, options);
		up->added = true;
	}
	elastic_undo(s, 0);
	if (options) {
		order(s, &option[0]);
		s->ca->added = s->k->now;
	}
	free(p.pod);
	free(p.alike);
	free(p.slot);
	free(p.held);
	free(option);
}

struct ca_up ca_scale_up(struct kube_scaler *s)
{
	struct ca_up up = { .next = SL_NEVER };
	const sl_time now = s->k->now;
	uint32_t count = elastic_pending(s, s->ca->flags.cutoff, s->ca->pod);
	count = count ? ca_drop_helped(s, count) : 0;
	count = drop_young(s, count, &up.next);
	if (count) {
		const sl_time all = oldest(s, count, false), gpu = oldest(s, count, true);
		const sl_time old = all + BUFFER > now                          ? all + BUFFER
				    : gpu != SL_NEVER && gpu + GPU_BUFFER > now ? gpu + GPU_BUFFER
										: 0;
		up.waits = old > 0;
		up.next = up.waits && old < up.next ? old : up.next;
		if (!up.waits)
			ca_help(s, count, false, &up);
	}
	elastic_undo(s, 0);
	return up;
}
