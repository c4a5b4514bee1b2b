/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_sooner.c - could a promise move to an earlier time?
 *
 * A promise that was the soonest once can only move if a new place for it has a node on which something was
 * freed since: nodes without have no more than they had. So only these are asked, and most jobs not even of
 * these: for each request it is remembered for which lengths they have refused, and until when. The job's own
 * node is asked apart, as if its promise were not there.
 */
#include "sim/nodes/nodes_parts.h"

void nodes_sooner_begin(struct nodes *nodes)
{
	if (!failed(nodes) && sooner_init(nodes))
		nodes->sooner->round++;
}

void nodes_promise_settled(struct nodes *nodes, uint32_t job, bool settled)
{
	if (nodes->sooner)
		nodes->sooner->settled[job] = settled ? nodes->sooner->count : 0;
}

/* On the nodes freed since, but for one. */
static sl_time freed_soonest(const struct nodes *nodes, uint64_t since, uint32_t but, struct want *want)
{
	const struct sooner *sooner = nodes->sooner;
	for (uint32_t row = sooner->newest; row != NONE && sooner->node[row].at > since;
		row = sooner->node[row].older) {
		const sl_time at = row == but ? SL_NEVER : node_soonest(nodes, row, want);
		want->latest = at < want->latest ? at : want->latest;
	}
	return want->latest;
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static struct refusals *refusals_of(struct sooner *sooner, uint32_t request, uint64_t since)
{
	struct refusals *of = &sooner->of[request % REFUSED_REQUESTS];
	if (of->round != sooner->round || of->request != request || since < of->since) {
		of->round = sooner->round;
		of->request = request;
		of->since = since;
		of->count = 0;
	}
	return of;
}

/* Shorter ones that are refused for longer stand for it. Where there is no place left, the next goes. */
static void refusal_put(struct refusals *of, uint32_t place, struct refusal fresh)
{
	uint32_t end = place;
	while (end < of->count && of->step[end].soonest <= fresh.soonest)
		end++;
	if (end == place && of->count == REFUSALS)
		end = place < of->count ? place + 1 : place--;
	memmove(&of->step[place + 1], &of->step[end], (of->count - end) * sizeof(*of->step));
	of->count += place + 1 - end;
	of->step[place] = fresh;
}

/* Do the nodes freed since refuse it, for that long before `was`? With all promises where they are. */
static bool freed_refuse(struct nodes *nodes, uint32_t request, uint64_t since, sl_time length, sl_time was)
{
	struct sooner *sooner = nodes->sooner;
	struct refusals *of = refusals_of(sooner, request, since);
	uint32_t place = of->count;
	while (place && of->step[place - 1].length > length)
		place--;
	if (place && of->step[place - 1].soonest >= was) {
		struct refusal *step = &of->step[place - 1];
		struct want want = { request, nodes->now, step->length, step->soonest, true };
		if (step->known < sooner->count)
			step->soonest = freed_soonest(nodes, step->known, NONE, &want);
		step->known = sooner->count;
		if (step->soonest >= was)
			return true;
	}
	struct want want = { request, nodes->now, length, SL_NEVER, true };
	const sl_time soonest = freed_soonest(nodes, of->since, NONE, &want);
	refusal_put(of, place, (struct refusal){ length, soonest, sooner->count });
	return soonest >= was;
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* Without its own promise, which stays where it is. */
static sl_time sooner_anywhere(
	struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time was)
{
	if (!nodes->job_promise[job])
		return promise_before(nodes, request, length, was);
	nodes->sooner->quiet = true;
	const uint32_t allocation = promise_leaves(nodes, job);
	const sl_time at = promise_before(nodes, request, length, was);
	promise_links(nodes, job, allocation);
	nodes->sooner->quiet = false;
	return at;
}

/* A node of its promise on which something was freed since; NONE. */
static uint32_t own_freed(const struct nodes *nodes, uint32_t job, uint64_t since)
{
	if (!nodes->job_promise[job])
		return NONE;
	for (uint32_t i = nodes->job_promise[job] - 1; i != NONE; i = nodes->interval[i].more)
		if (nodes->sooner->node[nodes->interval[i].node].at > since)
			return nodes->interval[i].node;
	return NONE;
}

/* It needs one node. */
static sl_time sooner_unit(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time was)
{
	const uint64_t since = nodes->sooner->settled[job];
	const uint32_t own = own_freed(nodes, job, since);
	struct want want = { request, nodes->now, length, was, true };
	if (!freed_refuse(nodes, request, since, length, was))
		(void)freed_soonest(nodes, since, own, &want);
	if (own == NONE)
		return want.latest;
	nodes->sooner->quiet = true;
	const uint32_t allocation = promise_leaves(nodes, job);
	const sl_time at = node_soonest(nodes, own, &want);
	promise_links(nodes, job, allocation);
	nodes->sooner->quiet = false;
	return at < want.latest ? at : want.latest;
}

static sl_time mover_is(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time to)
{
	struct sooner *sooner = nodes->sooner;
	sooner->mover = job;
	sooner->request = request;
	sooner->length = length;
	sooner->to = to;
	sooner->since = sooner->settled[job];
	return to;
}

/* By what kind its request is. Units that are counted may be more only on a node where one fits. */
static sl_time sooner_by_kind(
	struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time was)
{
	const uint64_t since = nodes->sooner->settled[job];
	const unsigned kind = nodes->shape[request].kind;
	if (!since || (kind != SHAPE_UNIT && kind != SHAPE_SUM))
		return sooner_anywhere(nodes, job, request, length, was);
	if (since == nodes->sooner->count)
		return was;
	if (kind == SHAPE_UNIT)
		return mover_is(nodes, job, request, length, sooner_unit(nodes, job, request, length, was));
	if (own_freed(nodes, job, since) == NONE && freed_refuse(nodes, request, since, length, was))
		return was;
	return sooner_anywhere(nodes, job, request, length, was);
}

sl_time nodes_promise_sooner(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time was)
{
	if (failed(nodes) || !nodes_could_hold(nodes, request) || !sooner_init(nodes))
		return was;
	nodes->sooner->mover = NONE;
	const sl_time at = sooner_by_kind(nodes, job, request, length, was);
	if (at < was)
		return at;
	nodes_promise_settled(nodes, job, true);
	return was;
}
