/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim_run.c - a run as a whole, and a run again: stretch by stretch of its past, each verified by its digest,
 * and over to the policy that took over there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/run/engine.h"

static int fail_differs(const struct sl_pass *pass, const struct sim_stretch *was, const uint64_t *digests,
	size_t digest_count, struct sl_err *err)
{
	char where[160] = "";
	char at[48] = "its end";
	size_t same = 0;
	while (same < digest_count && same < pass->digest_count && pass->digests[same] == digests[same])
		same++;
	if (was->until != SL_NEVER)
		memcpy(sl_put_micro(at, was->until), " s", sizeof(" s"));
	if (same < digest_count && same < pass->digest_count)
		(void)snprintf(where, sizeof(where),
			"; the first of the digests after each 65536 events that differs is number %zu: "
			"%016" PRIx64 ", it was %016" PRIx64,
			same + 1, pass->digests[same], digests[same]);
	else if (digest_count)
		(void)snprintf(where, sizeof(where), "; the first %zu events are the same", same << 16);
	return sl_fail(err, SL_DIFFERS,
		"not reproduced: at %s the digest is %016" PRIx64 " after %" PRIu64
		" events, it was %016" PRIx64 " after %" PRIu64 "%s",
		at, pass->digest, pass->events_applied, was->digest, was->events, where);
}

int sim_verify(struct sim *sim, const struct sim_stretch *was, const uint64_t *digests, size_t digest_count,
	struct sl_err *err)
{
	const struct sl_pass *pass = &sim->engine->pass;
	if (pass->digest == was->digest && pass->events_applied == was->events)
		return SL_OK;
	return fail_differs(pass, was, digests, digest_count, err);
}

/* Does another policy take over anywhere? Then it is to be told what happened. */
static bool goes_over(const struct sim_options *options)
{
	const size_t count = options->past_count;
	for (size_t i = 0; i < count; i++)
		if (!policy_same(options->past[i].choice,
			    i + 1 < count ? options->past[i + 1].choice : options->choice))
			return true;
	return false;
}

/* The past, stretch by stretch, and after each over to what comes next, at last to `last`. */
static int replay(struct sim *sim, const struct sim_stretch *past, size_t count,
	const struct policy_choice *last, const uint64_t *digests, size_t digest_count, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++) {
		status = sim_advance(sim, past[i].until, err);
		if (!status)
			status = sim_verify(sim, &past[i], digests, digest_count, err);
		if (!status)
			status = sim_switch(sim, i + 1 < count ? past[i + 1].choice : last, err);
	}
	return status;
}

int sim_run(struct sim *sim, const struct sim_options *options, struct sl_err *err)
{
	struct sim_options first = *options;
	if (options->past_count) {
		first.choice = options->past[0].choice;
		first.record |= goes_over(options) ? SIM_RECORD_PAST : 0;
	}
	int status = sim_begin(sim, &first, err);
	if (status)
		return status;
	status = replay(sim, options->past, options->past_count, options->choice, options->digests,
		options->digest_count, err);
	if (!status)
		status = sim_advance(
			sim, options->scenario->bounded ? options->scenario->until : SL_NEVER, err);
	if (status && status != SL_INTERRUPTED)
		return status;
	const int ended = sim_end(sim, err);
	return ended ? ended : status;
}

int sim_back(struct sim *sim, sl_time until, struct sl_err *err)
{
	const struct engine *was = sim->engine;
	struct sim_options options = was->options;
	struct sim again;
	size_t count = 0;
	while (count < was->past_count && was->past[count].until <= until)
		count++;
	int status = sim_begin(&again, &options, err);
	if (status) {
		sim_release(&again);
		return status;
	}
	status = replay(&again, was->past, count,
		count < was->past_count ? was->past[count].choice : was->pass.options.choice,
		was->pass.digests, was->pass.digest_count, err);
	if (!status)
		status = sim_advance(&again, until, err);
	const struct sl_pass *now = &again.engine->pass;
	const size_t whole = status ? 0 : now->digest_count;
	if (whole &&
		(whole > was->pass.digest_count || now->digests[whole - 1] != was->pass.digests[whole - 1]))
		status = sl_fail(err, SL_DIFFERS,
			"not reproduced: after %zu events the digest is not what it was", whole << 16);
	if (status) {
		sim_release(&again);
		return status;
	}
	sim_release(sim);
	*sim = again;
	return SL_OK;
}
