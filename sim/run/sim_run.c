/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim_run.c - a run as a whole, and its rerun: interval by interval of its history, each verified by its
 * digest, with the handover at its end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/run/engine.h"

static int fail_differs(const struct sim *sim, const struct sim_interval *was, const uint64_t *digests,
	size_t digest_count, struct sl_err *err)
{
	char where[160] = "";
	char at[48] = "its end";
	size_t same = 0;
	while (same < digest_count && same < sim->digest_count && sim->digests[same] == digests[same])
		same++;
	if (was->until != SL_NEVER)
		memcpy(sl_put_micro(at, was->until), " s", sizeof(" s"));
	if (same < digest_count && same < sim->digest_count)
		(void)snprintf(where, sizeof(where),
			"; the first of the digests after each 65536 events that differs is number %zu: "
			"%016" PRIx64 ", it was %016" PRIx64,
			same + 1, sim->digests[same], digests[same]);
	else if (digest_count)
		(void)snprintf(where, sizeof(where), "; the first %zu events are the same", same << 16);
	return sl_fail(err, SL_DIFFERS,
		"not reproduced: at %s the digest is %016" PRIx64 " after %" PRIu64
		" events, it was %016" PRIx64 " after %" PRIu64 "%s",
		at, sim->digest, sim->events_applied, was->digest, was->events, where);
}

int sim_verify(struct sim_run *run, const struct sim_interval *was, const uint64_t *digests,
	size_t digest_count, struct sl_err *err)
{
	const struct sim *sim = &run->engine->sim;
	if (sim->digest == was->digest && sim->events_applied == was->events)
		return SL_OK;
	return fail_differs(sim, was, digests, digest_count, err);
}

/* Is there any handover? Then the new policy needs the history. */
static bool goes_over(const struct sim_options *options)
{
	const size_t count = options->history_count;
	for (size_t i = 0; i < count; i++)
		if (!policy_same(options->history[i].choice,
			    i + 1 < count ? options->history[i + 1].choice : options->choice))
			return true;
	return false;
}

/* The history, interval by interval, with a handover after each, the final one to `last`. */
static int replay(struct sim_run *run, const struct sim_interval *history, size_t count,
	const struct policy_choice *last, const uint64_t *digests, size_t digest_count, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++) {
		status = sim_advance(run, history[i].until, err);
		if (!status)
			status = sim_verify(run, &history[i], digests, digest_count, err);
		if (!status)
			status = sim_handover(run, i + 1 < count ? history[i + 1].choice : last, err);
	}
	return status;
}

int sim_run(struct sim_run *run, const struct sim_options *options, struct sl_err *err)
{
	struct sim_options first = *options;
	if (options->history_count) {
		first.choice = options->history[0].choice;
		first.record |= goes_over(options) ? SIM_RECORD_HISTORY : 0;
	}
	int status = sim_begin(run, &first, err);
	if (status)
		return status;
	status = replay(run, options->history, options->history_count, options->choice, options->digests,
		options->digest_count, err);
	if (!status)
		status = sim_advance(
			run, options->scenario->bounded ? options->scenario->until : SL_NEVER, err);
	if (status && status != SL_INTERRUPTED)
		return status;
	const int ended = sim_end(run, err);
	return ended ? ended : status;
}

int sim_back(struct sim_run *run, sl_time until, struct sl_err *err)
{
	const struct engine *was = run->engine;
	struct sim_options options = was->options;
	struct sim_run retry;
	size_t count = 0;
	while (count < was->history_count && was->history[count].until <= until)
		count++;
	int status = sim_begin(&retry, &options, err);
	if (status) {
		sim_release(&retry);
		return status;
	}
	status = replay(&retry, was->history, count,
		count < was->history_count ? was->history[count].choice : was->sim.options.choice,
		was->sim.digests, was->sim.digest_count, err);
	if (!status)
		status = sim_advance(&retry, until, err);
	const struct sim *now = &retry.engine->sim;
	const size_t whole = status ? 0 : now->digest_count;
	if (whole &&
		(whole > was->sim.digest_count || now->digests[whole - 1] != was->sim.digests[whole - 1]))
		status = sl_fail(err, SL_DIFFERS,
			"not reproduced: after %zu events the digest is not what it was", whole << 16);
	if (status) {
		sim_release(&retry);
		return status;
	}
	sim_release(run);
	*run = retry;
	return SL_OK;
}
