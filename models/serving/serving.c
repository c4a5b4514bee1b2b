/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serving.c - replicas of services: when they are ready, whom they replace, and what is served of the load.
 *
 * A replica is ready once it has worked for its service's cold start in this attempt: while other models hold
 * it (its image is being read), or slow it down, that takes longer. It does no other work. In an update the
 * replica that it retires is cancelled as it is ready, and so is whom that one would have retired.
 */
#include "models/serving/serving.h"

/* ---- Warming up ------------------------------------------------------------------------------------- */

static void warm(struct serving *serving, uint32_t number)
{
	struct serving_replica *r = &serving->replica[number];
	if (r->warming)
		return;
	serving->warming[serving->warming_count++] = number;
	r->warming = serving->warming_count;
	r->rate = 0;
	r->wake = SL_NEVER;
}

static void warm_no_more(struct serving *serving, uint32_t number)
{
	struct serving_replica *r = &serving->replica[number];
	if (!r->warming)
		return;
	const uint32_t last = serving->warming[--serving->warming_count];
	serving->warming[r->warming - 1] = last;
	serving->replica[last].warming = r->warming;
	r->warming = 0;
}

/* ---- Starts and ends -------------------------------------------------------------------------------- */

static void serving_started(void *state, struct sim *sim, sl_job job)
{
	struct serving *serving = state;
	const uint32_t number = serving->of_job[job.row];
	if (number == SERVING_NONE || serving->replica[number].running)
		return;
	struct serving_replica *r = &serving->replica[number];
	struct serving_service *s = &serving->service[r->service];
	serving_pass_to(serving, r->service, sl_now(sim));
	r->running = true;
	r->started = sl_now(sim);
	s->running++;
	if (!r->paused) {
		s->cold_starts++;
		s->replacements += r->starts++ > 0;
	}
	r->paused = false;
	warm(serving, number);
}

static void serving_left(void *state, struct sim *sim, sl_job job, enum sl_left how)
{
	struct serving *serving = state;
	const uint32_t number = serving->of_job[job.row];
	if (number == SERVING_NONE)
		return;
	struct serving_replica *r = &serving->replica[number];
	r->paused = how == SL_LEFT_SUSPEND;
	if (!r->running)
		return;
	struct serving_service *s = &serving->service[r->service];
	const sl_time now = sl_now(sim);
	serving_pass_to(serving, r->service, now);
	s->running--;
	s->ready -= r->ready;
	if (serving->jobs->request)
		s->gpu_time += (__int128)(now - r->started) *
			       serving->jobs->requests[serving->jobs->request[job.row]].gpus;
	r->running = r->ready = false;
	warm_no_more(serving, number);
}

/* ---- Ready -------------------------------------------------------------------------------------- */

/* And whom those would have retired that were never ready. Members that are retired are older, so it ends. */
static void retire(struct serving *serving, struct sim *sim, const struct serving_replica *by)
{
	while (by->retires != SL_NONE && by->retires < by->member) {
		const uint32_t old = serving_find(serving, by->service, by->retires);
		if (old == SERVING_NONE)
			return;
		by = &serving->replica[old];
		sl_model_cancel(sim, (sl_job){ by->job });
	}
}

static void become_ready(struct serving *serving, struct sim *sim, uint32_t number)
{
	struct serving_replica *r = &serving->replica[number];
	struct serving_service *s = &serving->service[r->service];
	serving_pass_to(serving, r->service, sl_now(sim));
	r->ready = true;
	s->ready++;
	if (r->ready_first == SL_NONE)
		r->ready_first = sl_now(sim);
	warm_no_more(serving, number);
	retire(serving, sim, r);
}

/* The time that so much work takes, rounded up. */
static sl_time serving_time_of(sl_time work, uint64_t rate)
{
	const unsigned __int128 wide = ((unsigned __int128)(uint64_t)work << 32) + rate - 1;
	const unsigned __int128 time = wide / rate;
	return time < (unsigned __int128)(SL_NEVER / 4) ? (sl_time)time : SL_NEVER;
}

static void serving_look(struct serving *serving, struct sim *sim, uint32_t number)
{
	struct serving_replica *r = &serving->replica[number];
	const sl_job job = { r->job };
	const sl_time now = sl_now(sim);
	if (sl_state_of(sim, job) != SL_RUNNING)
		return; /* It was retired a moment ago. */
	const sl_time left = serving->service[r->service].serves.cold - sl_done_of(sim, job);
	const uint64_t rate = sl_speed_of(sim, job);
	if (left <= 0) {
		become_ready(serving, sim, number);
		return;
	}
	if (rate == r->rate && r->wake > now)
		return;
	r->rate = rate;
	const sl_time time = rate ? serving_time_of(left, rate) : SL_NEVER;
	r->wake = time == SL_NEVER ? SL_NEVER : now + time;
	sl_model_wake(sim, r->wake, number);
}

/* Rates may have changed: by any model, at any instant. From the last on, as those that are done leave. */
static void serving_settle(void *state, struct sim *sim)
{
	struct serving *serving = state;
	for (uint32_t i = serving->warming_count; i > 0; i--)
		if (i <= serving->warming_count)
			serving_look(serving, sim, serving->warming[i - 1]);
}

/* What is due is seen to as it is settled. */
static void serving_timer(void *state, struct sim *sim, uint32_t row)
{
	(void)state;
	(void)sim;
	(void)row;
}

const struct sl_model model_serving = {
	.abi = SL_ABI_OF(struct sl_model),
	.name = "serving",
	.summary = "replicas of services: when they are ready, what they serve of the load, updates",
	.paper =
		"Kubernetes: Deployments (rolling updates); HorizontalPodAutoscaler (how many, in the services file)",
	.init = serving_init,
	.release = serving_release,
	.started = serving_started,
	.left = serving_left,
	.timer = serving_timer,
	.settle = serving_settle,
	.report = serving_report,
};

/* ---- A service's intervals, one after another: the load, and what was served of it. ---- */

static void sum_add(struct serving_sum *sum, const struct serving_service *s, int64_t load, sl_time time)
{
	const __int128 could = (__int128)s->ready * s->serves.capacity;
	const __int128 served = could < load ? could : load;
	sum->load += (__int128)load * time;
	sum->served += served * time;
	sum->wanted += (__int128)s->wanted * time;
	sum->running += (__int128)s->running * time;
	sum->ready += (__int128)s->ready * time;
	sum->time += time;
	sum->met += could >= load ? time : 0;
}

/* From `from` to `to`, both since the service began. */
static void spend(struct serving_service *s, int64_t load, sl_time from, sl_time to)
{
	sum_add(&s->sum, s, load, to - from);
	s->wanted_max = s->wanted > s->wanted_max ? s->wanted : s->wanted_max;
	s->ready_max = s->ready > s->ready_max ? s->ready : s->ready_max;
	while (from < to) {
		const sl_time range = from / s->width;
		const sl_time end = (range + 1) * s->width;
		const sl_time until = end < to ? end : to;
		sum_add(&s->range[range], s, load, until - from);
		from = until;
	}
}

void serving_pass_to(struct serving *serving, uint32_t service, sl_time now)
{
	struct serving_service *s = &serving->service[service];
	const sl_time end = s->began + s->serves.until;
	const sl_time to = now < end ? now : end;
	while (s->until < to) {
		sl_time holds;
		const int64_t load = sl_load_at(&s->serves, s->until - s->began, &holds);
		for (; s->want < s->want_end && serving->want[s->want].at <= s->until; s->want++)
			s->wanted += serving->want[s->want].by;
		sl_time next = to;
		if (holds < next - s->began)
			next = s->began + holds;
		if (s->want < s->want_end && serving->want[s->want].at < next)
			next = serving->want[s->want].at;
		spend(s, load, s->until - s->began, next - s->began);
		s->until = next;
	}
}
