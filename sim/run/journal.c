/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.c - what is written down as a run goes on, at the bottom of all: failures, the actions of a pass,
 * the digest and the past, reasons; and who is told of it.
 */
#include "sim/run/models.h"

/* ---- Failures -------------------------------------------------------------------------------- */

void sl_fail_run(struct sl_pass *pass, const struct sl_err *err)
{
	SL_CHECK(err->status);
	if (!pass->status)
		pass->err = *err;
	pass_failed(pass, err->status);
}

void sl_say(const struct sl_pass *pass, const char *text)
{
	const struct sim_watch *watch = pass->options.watch;
	if (watch && watch->said)
		watch->said(watch->self, pass, text);
}

bool sl_stopping(const struct sl_pass *pass)
{
	const struct sim_options *options = &pass->options;
	return pass->status || (options->stop && atomic_load_explicit(options->stop, memory_order_relaxed)) ||
	       (options->progress && atomic_load_explicit(&options->progress->stop, memory_order_relaxed));
}

/* Why it is to end, if it is. */
static const char *why_over(const struct sl_pass *pass)
{
	static const char *const over[] = {
		[SIM_OUT_OF_TIME] = "its time is over (--max-time): results are partial",
		[SIM_OUT_OF_MEMORY] = "memory is over its bound (--max-memory): results are partial",
	};
	if (pass->options.stop && atomic_load_explicit(pass->options.stop, memory_order_relaxed))
		return "interrupted: results are partial";
	return pass->options.progress
		       ? over[atomic_load_explicit(&pass->options.progress->stop, memory_order_relaxed)]
		       : NULL;
}

void pass_poll(struct sl_pass *pass)
{
	const char *why = pass->status ? NULL : why_over(pass);
	if (why)
		pass_failed(pass, sl_fail(&pass->err, SL_INTERRUPTED, "%s", why));
}

/* ---- Actions --------------------------------------------------------------------------------- */

void act(struct sl_pass *pass, struct action action)
{
	if (pass->action_count == pass->action_capacity) {
		const int status = SL_GROW_MOST(
			pass->action, pass->action_capacity, pass->action_count + 1, UINT32_MAX, &pass->err);
		if (status) {
			pass_failed(pass, status);
			return;
		}
	}
	pass->action[pass->action_count++] = action;
}

/* ---- Digest and past ------------------------------------------------------------------------- */

int past_note(struct sl_pass *pass, sl_time at, unsigned class, uint32_t row)
{
	const int status = SL_GROW_MOST(
		pass->past, pass->past_capacity, pass->past_count + 1, SIZE_MAX / 64, &pass->err);
	if (!status)
		pass->past[pass->past_count++] =
			(struct past_event){ .time = at, .row = row, .class = class };
	return status;
}

static int past_happens(struct sl_pass *pass, unsigned class, uint32_t row)
{
	if (pass->options.record & SIM_RECORD_WATCHED)
		pass->options.watch->happened(pass->options.watch->self, pass, class, row);
	return pass->options.record & SIM_RECORD_PAST ? past_note(pass, pass->now, class, row) : SL_OK;
}

/* The product of two 64-bit numbers, folded: each bit of the state reaches all others within two events. */
static uint64_t folded(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void pass_digest(struct sl_pass *pass, unsigned class, uint32_t row)
{
	const bool job = row < pass->jobs->count && is_of_job(class);
	const uint64_t size = job ? (uint64_t)pass->jobs->size[row] : 0;
	const uint64_t attempt =
		job && pass->course && pass->course[row].attempts ? pass->course[row].attempts & 0xff : 1;
	const uint64_t top = class * (UINT64_C(1) << 56);
	const uint64_t what = top | attempt << 48 | (size & 0xffff) << 32 | row;
	uint64_t h = folded(pass->digest ^ UINT64_C(0x9e3779b97f4a7c15),
		(uint64_t)pass->now ^ UINT64_C(0xd6e8feb86659fd93));
	if (pass->nodes && class == SL_EV_CLASS_COUNT) {
		const struct sl_piece *piece;
		const size_t count = nodes_pieces(pass->nodes, row, &piece);
		for (size_t i = 0; i < count; i++)
			h = folded(h ^ UINT64_C(0x8ebc6af09c88c6e3),
				((uint64_t)piece[i].node << 32 | piece[i].tasks) ^
					UINT64_C(0x589965cc75374cc3));
	}
	pass->digest =
		folded(h ^ UINT64_C(0xa0761d6478bd642f), what ^ size << 8 ^ UINT64_C(0xe7037ed1a0b428db));
	pass->events_applied++;
	int status = pass->options.record & (SIM_RECORD_PAST | SIM_RECORD_WATCHED)
			     ? past_happens(pass, class, row)
			     : SL_OK;
	pass_failed(pass, status);
	if (pass->events_applied % (1 << 16))
		return;
	status = SL_GROW_MOST(
		pass->digests, pass->digest_capacity, pass->digest_count + 1, SIZE_MAX / 64, &pass->err);
	if (status)
		pass_failed(pass, status);
	else
		pass->digests[pass->digest_count++] = pass->digest;
}

/* ---- Reasons --------------------------------------------------------------------------------- */

/* --check: may it be given? */
static void check_reason(struct sl_pass *pass, uint32_t job, enum sl_reason reason)
{
	const enum sl_reason *may = pass->policy->reasons;
	if (!may || reason == SL_REASON_NONE || reason == pass->reason_default || is_gated(pass, job))
		return;
	const struct head *head = lane_head(pass, job);
	if (head->job == job && head->reason == reason) /* The engine looked for itself. */
		return;
	while (*may != SL_REASON_COUNT && *may != reason)
		may++;
	SL_CHECK(*may == reason);
}

void reason_changes(struct sl_pass *pass, sl_time at, uint32_t job, enum sl_reason reason, uint32_t detail)
{
	if (pass->options.check)
		check_reason(pass, job, reason);
	if (pass->reason_now)
		pass->reason_now[job] = (uint8_t)reason;
	if (!(pass->options.record & SIM_RECORD_REASONS))
		return;
	const int status = SL_GROW_MOST(
		pass->reason, pass->reason_capacity, pass->reason_count + 1, SIZE_MAX / 64, &pass->err);
	if (status) {
		pass_failed(pass, status);
		return;
	}
	pass->reason[pass->reason_count++] = (struct sl_reason_change){
		.at = at, .job = job, .reason = (uint8_t)reason, .detail = detail & 0xffffff
	};
}
