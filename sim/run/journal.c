/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.c - the records of a run, below all other files: failures, the actions of a pass, the digest and
 * the history, reasons; and the calls to watchers.
 */
#include "sim/run/models.h"

/* ---- Failures -------------------------------------------------------------------------------- */

void sl_fail_run(struct sim *sim, const struct sl_err *err)
{
	SL_CHECK(err->status);
	if (!sim->status)
		sim->err = *err;
	pass_failed(sim, err->status);
}

void sl_say(const struct sim *sim, const char *text)
{
	const struct sim_watch *watch = sim->options.watch;
	if (watch && watch->said)
		watch->said(watch->self, sim, text);
}

bool sl_stopping(const struct sim *sim)
{
	const struct sim_options *options = &sim->options;
	return sim->status || (options->stop && atomic_load_explicit(options->stop, memory_order_relaxed)) ||
	       (options->progress && atomic_load_explicit(&options->progress->stop, memory_order_relaxed));
}

/* Why it is to end, if it is. */
static const char *why_over(const struct sim *sim)
{
	static const char *const over[] = {
		[SIM_OUT_OF_TIME] = "its time is over (--max-time): results are partial",
		[SIM_OUT_OF_MEMORY] = "memory is over its bound (--max-memory): results are partial",
	};
	if (sim->options.stop && atomic_load_explicit(sim->options.stop, memory_order_relaxed))
		return "interrupted: results are partial";
	return sim->options.progress
		       ? over[atomic_load_explicit(&sim->options.progress->stop, memory_order_relaxed)]
		       : NULL;
}

void pass_poll(struct sim *sim)
{
	const char *why = sim->status ? NULL : why_over(sim);
	if (why)
		pass_failed(sim, sl_fail(&sim->err, SL_INTERRUPTED, "%s", why));
}

/* ---- Actions --------------------------------------------------------------------------------- */

void act(struct sim *sim, struct action action)
{
	if (sim->action_count == sim->action_capacity) {
		const int status = SL_GROW_MOST(
			sim->action, sim->action_capacity, sim->action_count + 1, UINT32_MAX, &sim->err);
		if (status) {
			pass_failed(sim, status);
			return;
		}
	}
	sim->action[sim->action_count++] = action;
}

/* ---- Digest and history ------------------------------------------------------------------------- */

int history_note(struct sim *sim, sl_time at, unsigned class, uint32_t row)
{
	const int status = SL_GROW_MOST(
		sim->history, sim->history_capacity, sim->history_count + 1, SIZE_MAX / 64, &sim->err);
	if (!status)
		sim->history[sim->history_count++] =
			(struct history_event){ .time = at, .row = row, .class = class };
	return status;
}

static int history_happens(struct sim *sim, unsigned class, uint32_t row)
{
	if (sim->options.record & SIM_RECORD_WATCHED)
		sim->options.watch->happened(sim->options.watch->self, sim, class, row);
	return sim->options.record & SIM_RECORD_HISTORY ? history_note(sim, sim->now, class, row) : SL_OK;
}

/* The product of two 64-bit numbers, folded: each bit of the state reaches all others within two events. */
static uint64_t folded(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void digest_fold(struct sim *sim, unsigned class, uint32_t row)
{
	const bool job = row < sim->jobs->count && is_of_job(class);
	const uint64_t size = job ? (uint64_t)sim->jobs->size[row] : 0;
	const uint64_t attempt =
		job && sim->progress && sim->progress[row].attempts ? sim->progress[row].attempts & 0xff : 1;
	const uint64_t top = class * (UINT64_C(1) << 56);
	const uint64_t what = top | attempt << 48 | (size & 0xffff) << 32 | row;
	uint64_t h = folded(sim->digest ^ UINT64_C(0x9e3779b97f4a7c15),
		(uint64_t)sim->now ^ UINT64_C(0xd6e8feb86659fd93));
	if (sim->nodes && class == SL_EV_CLASS_COUNT) {
		const struct sl_node_tasks *alloc;
		const size_t count = nodes_allocs(sim->nodes, row, &alloc);
		for (size_t i = 0; i < count; i++)
			h = folded(h ^ UINT64_C(0x8ebc6af09c88c6e3),
				((uint64_t)alloc[i].node << 32 | alloc[i].tasks) ^
					UINT64_C(0x589965cc75374cc3));
	}
	sim->digest =
		folded(h ^ UINT64_C(0xa0761d6478bd642f), what ^ size << 8 ^ UINT64_C(0xe7037ed1a0b428db));
	sim->events_applied++;
	int status = sim->options.record & (SIM_RECORD_HISTORY | SIM_RECORD_WATCHED)
			     ? history_happens(sim, class, row)
			     : SL_OK;
	pass_failed(sim, status);
	if (sim->events_applied % (1 << 16))
		return;
	status = SL_GROW_MOST(
		sim->digests, sim->digest_capacity, sim->digest_count + 1, SIZE_MAX / 64, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		sim->digests[sim->digest_count++] = sim->digest;
}

/* ---- Reasons --------------------------------------------------------------------------------- */

/* --check: may it be given? */
static void check_reason(struct sim *sim, uint32_t job, enum sl_reason reason)
{
	const enum sl_reason *may = sim->policy->reasons;
	if (!may || reason == SL_REASON_NONE || reason == sim->reason_default || is_gated(sim, job))
		return;
	const struct head *head = lane_head(sim, job);
	if (head->job == job && head->reason == reason) /* The engine looked for itself. */
		return;
	while (*may != SL_REASON_COUNT && *may != reason)
		may++;
	SL_CHECK(*may == reason);
}

void reason_changes(struct sim *sim, sl_time at, uint32_t job, enum sl_reason reason, uint32_t detail)
{
	if (sim->options.check)
		check_reason(sim, job, reason);
	if (sim->reason_now)
		sim->reason_now[job] = (uint8_t)reason;
	if (!(sim->options.record & SIM_RECORD_REASONS))
		return;
	const int status = SL_GROW_MOST(
		sim->reason, sim->reason_capacity, sim->reason_count + 1, SIZE_MAX / 64, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	sim->reason[sim->reason_count++] = (struct sl_reason_change){
		.at = at, .job = job, .reason = (uint8_t)reason, .detail = detail & 0xffffff
	};
}
