/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.c - the records of a run, below all other files: failures, the actions of a pass, the digest and
 * the history, reasons; and the calls to watchers.
 */
#include "sim/run/models.h"
#include "sim/run/plain.h"

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

bool act_reserve(struct sim *sim)
{
	const int status =
		SL_GROW_MOST(sim->action, sim->action_capacity, sim->action_count + 1, UINT32_MAX, &sim->err);
	pass_failed(sim, status);
	return !status;
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

void history_happens(struct sim *sim, unsigned class, uint32_t row)
{
	if (sim->options.record & SIM_RECORD_WATCHED)
		sim->options.watch->happened(sim->options.watch->self, sim, class, row);
	if (sim->options.record & SIM_RECORD_HISTORY)
		pass_failed(sim, history_note(sim, sim->now, class, row));
}

uint64_t digest_nodes(const struct sim *sim, uint32_t job, uint64_t h)
{
	const struct sl_node_tasks *alloc;
	const size_t count = nodes_allocs(sim->nodes, job, &alloc);
	for (size_t i = 0; i < count; i++)
		h = folded(h ^ UINT64_C(0x8ebc6af09c88c6e3),
			((uint64_t)alloc[i].node << 32 | alloc[i].tasks) ^ UINT64_C(0x589965cc75374cc3));
	return h;
}

void digest_keep(struct sim *sim)
{
	const int status = SL_GROW_MOST(
		sim->digests, sim->digest_capacity, sim->digest_count + 1, SIZE_MAX / 64, &sim->err);
	if (status)
		pass_failed(sim, status);
	else
		sim->digests[sim->digest_count++] = sim->digest;
}

void digest_fold(struct sim *sim, unsigned class, uint32_t row) { digest_fold_of(sim, class, row, false); }

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
	const int status =
		SL_GROW_MOST(sim->reason, sim->reason_capacity, sim->reason_count + 1, UINT32_MAX, &sim->err);
	if (status) {
		pass_failed(sim, status);
		return;
	}
	sim->reason[sim->reason_count++] = (struct sl_reason_change){
		.at = at, .job = job, .reason = (uint8_t)reason, .detail = detail & 0xffffff
	};
}
