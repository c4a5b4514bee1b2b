/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_bounds.c - when a search for victims is given up, and when it is taken up again.
 *
 * KAI stops by the clock (solvers/search_budget.go: maxActionSearchDuration, maxJobSearchDuration); here what
 * was done is counted, so that a run is the same on any machine. After a search that found nothing KAI may
 * wait (solvers/failed_search_backoff.go of 2026-10, off by default): minFailedSearchBackoff, then twice as
 * long each time, up to maxFailedSearchBackoff, until one finds something. A search that was given up does
 * not count.
 *
 * Sessions follow one another at an instant. A search that failed is not repeated in the next one if nothing
 * has changed since: it would fail again.
 */
#include "policies/runai/rules/kai_solve_parts.h"

void kai_bounds_open(struct kai *kai) { kai->solve->action_pods = 0; }

void kai_bounds_job(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	state->sets = state->pods = 0;
	state->cut = false;
}

bool kai_bounds_reached(struct kai *kai)
{
	struct kai_solve_state *state = kai->solve;
	const struct kai_config *config = &kai->config;
	state->cut = state->cut || (kai->stopping && kai->stopping(kai->stopping_of));
	if (config->exhaustive || state->cut)
		return state->cut;
	/* Of an action so much, and a quarter: maxActionSearchDuration is 5 minutes, maxJobSearchDuration 4.
	 */
	state->cut =
		(config->scenarios_max && state->sets >= config->scenarios_max) ||
		(config->pods_max && (state->pods >= config->pods_max ||
					     state->action_pods >= config->pods_max + config->pods_max / 4));
	return state->cut;
}

void kai_bounds_failed(struct kai *kai, uint64_t pods)
{
	kai->solve->pods += pods;
	kai->solve->action_pods += pods;
}

/* ---- Backoff ---- */

bool kai_backs_off(const struct kai *kai, enum kai_action action, uint32_t job)
{
	const int at = (int)action - KAI_CONSOLIDATION;
	return kai->config.backoff_min[at] > 0 && kai->now < kai->job[job].backoff[at].until;
}

bool kai_known_to_fail(const struct kai *kai, enum kai_action action, uint32_t job)
{
	return !kai->config.exhaustive &&
	       kai->job[job].backoff[action - KAI_CONSOLIDATION].failed == kai->version;
}

void kai_searched(struct kai *kai, enum kai_action action, uint32_t job, bool found)
{
	const int at = (int)action - KAI_CONSOLIDATION;
	struct kai_backoff *backoff = &kai->job[job].backoff[at];
	const sl_time least = kai->config.backoff_min[at], limit = kai->config.backoff_max[at];
	const sl_time most = limit > least ? limit : least;
	kai->searches += kai->solve->sets > 0;
	kai->searches_cut += kai->solve->cut;
	if (found)
		*backoff = (struct kai_backoff){ 0 };
	else
		backoff->failed = kai->version;
	if (found || kai->solve->cut || least <= 0)
		return;
	backoff->wait = backoff->wait == 0 ? least : backoff->wait < most / 2 ? backoff->wait * 2 : most;
	backoff->until = kai->now + backoff->wait;
}
