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

void nodes_promise_settled(struct nodes *nodes, uint32_t job, bool settled)
{
	if (nodes->sooner)
		nodes->sooner->settled[job] = settled ? nodes->sooner->count : 0;
}

/* The earliest time on the nodes freed since, but for one. Each is noted with its own, or what that is not
 * before. */
static sl_time freed_soonest(struct nodes *nodes, uint64_t since, uint32_t but, struct want *want)
{
	struct sooner *sooner = nodes->sooner;
	sl_time soonest = want->latest;
	sooner->question++;
	for (uint32_t row = sooner->newest; row != NONE && sooner->node[row].at > since;
		row = sooner->node[row].older) {
		if (row == but)
			continue;
		const sl_time at = node_soonest(nodes, row, want);
		sooner->node[row].question = sooner->question;
		sooner->node[row].soonest = at;
		soonest = at < soonest ? at : soonest;
		want->latest =
			soonest < want->latest ? soonest + 1 : want->latest; /* As soon is noted too. */
	}
	return soonest;
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static struct refusals *refusals_of(struct sooner *sooner, uint32_t request)
{
	struct refusals *of = &sooner->of[request % REFUSED_REQUESTS];
	if (of->request != request)
		of->count = 0;
	of->request = request;
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

/* What was freed since then is asked. */
static bool still_refused(struct nodes *nodes, uint32_t request, struct refusal *step, sl_time was)
{
	struct want want = { request, nodes->now, step->length, step->soonest, true };
	step->soonest = freed_soonest(nodes, step->known, NONE, &want);
	step->known = nodes->sooner->count;
	return step->soonest >= was;
}

/* Before `was` the earliest time on the nodes freed since, for that long; else some time that is not before.
 * With all promises where they are. */
static sl_time freed_before(
	struct nodes *nodes, uint32_t request, uint64_t since, sl_time length, sl_time was)
{
	struct refusals *of = refusals_of(nodes->sooner, request);
	uint32_t place = of->count;
	while (place && of->step[place - 1].length > length)
		place--;
	if (place && of->step[place - 1].since <= since) {
		struct refusal *step = &of->step[place - 1];
		if (step->soonest >= was && still_refused(nodes, request, step, was))
			return was;
		memmove(step, step + 1, (of->count - place) * sizeof(*step));
		of->count--;
		place--;
	}
	struct want want = { request, nodes->now, length, SL_NEVER, true };
	const sl_time soonest = freed_soonest(nodes, since, NONE, &want);
	refusal_put(of, place, (struct refusal){ length, soonest, since, nodes->sooner->count });
	return soonest;
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
	const sl_time others = freed_before(nodes, request, since, length, was);
	if (own == NONE)
		return others;
	struct want want = { request, nodes->now, length, was, true };
	const sl_time soonest = others < was ? freed_soonest(nodes, since, own, &want) : was;
	nodes->sooner->quiet = true;
	const uint32_t allocation = promise_leaves(nodes, job);
	want.latest = soonest;
	const sl_time at = node_soonest(nodes, own, &want);
	promise_links(nodes, job, allocation);
	nodes->sooner->quiet = false;
	return at < soonest ? at : soonest;
}

/* Who is about to move to a node freed since: asked of these alone where it is then placed. Of nobody else,
 * and of no one who stays: he may come by the same time later, when other nodes have it too. */
static void mover_is(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, sl_time to)
{
	struct sooner *sooner = nodes->sooner;
	sooner->mover = job;
	sooner->request = request;
	sooner->length = length;
	sooner->to = to;
	sooner->since = sooner->settled[job];
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
	if (kind == SHAPE_UNIT) {
		const sl_time at = sooner_unit(nodes, job, request, length, was);
		if (at < was)
			mover_is(nodes, job, request, length, at);
		return at;
	}
	if (own_freed(nodes, job, since) == NONE && freed_before(nodes, request, since, length, was) >= was)
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
