/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * step_move.c - forwards, and back: from the beginning again.
 */
#include "cli/step/step.h"
#include "sim/run/engine.h"

/* The engine at that time: all at or before it has happened. */
static int stand_at(struct stepper *stepper, sl_time time, bool back, struct sl_err *err)
{
	struct rerun *rerun = &stepper->explain.view.rerun;
	int status = SL_OK;
	if (back) {
		sim_release(&stepper->sim);
		status = rerun_start(rerun, &stepper->sim, 0, err);
	}
	/* Its beginning is before all that happens at that time. */
	if (!status && stepper->at)
		status = rerun_advance(rerun, &stepper->sim, time, err);
	return status;
}

int step_to(struct stepper *stepper, size_t at, uint32_t displayed, struct sl_err *err)
{
	if (at > stepper->instant_count)
		at = stepper->instant_count;
	if (at == stepper->instant_count)
		displayed = 0;
	else if (displayed >= stepper->instant[at].count) {
		at++;
		displayed = 0;
	}
	const sl_time last = at ? stepper->instant[at - 1].at : stepper->begin;
	const bool back = at < stepper->at || (at == stepper->at && stepper->now > last);
	stepper->at = at;
	stepper->displayed = displayed;
	stepper->now = displayed ? stepper->instant[at].at : last;
	stepper->asked = false;
	return stand_at(stepper, last, back, err);
}

int step_to_time(struct stepper *stepper, sl_time time, struct sl_err *err)
{
	const size_t over =
		times_before(stepper->instant, stepper->instant_count, sizeof(*stepper->instant), time, true);
	const int status = step_to(stepper, over, 0, err);
	if (status || time <= stepper->now)
		return status;
	/* Between two instants: the clock goes on, nothing happens. */
	const struct scenario *scenario = stepper->explain.view.scenario;
	if (step_is_at_end(stepper) && !(scenario->bounded && time <= scenario->until))
		return SL_OK;
	stepper->now = time;
	return stand_at(stepper, time, false, err);
}

const struct happening *step_happening(const struct stepper *stepper, size_t instant, uint32_t number)
{
	return &stepper->happening[stepper->instant[instant].first + number];
}

const struct happening *step_before(const struct stepper *stepper, struct backwards *at)
{
	while (!at->number) {
		if (!at->instant)
			return NULL;
		at->instant--;
		at->number =
			at->instant == stepper->at ? stepper->displayed : stepper->instant[at->instant].count;
	}
	return step_happening(stepper, at->instant, --at->number);
}

uint32_t step_events(const struct stepper *stepper, size_t instant)
{
	uint32_t count = 0;
	while (count < stepper->instant[instant].count &&
		!is_decision(step_happening(stepper, instant, count)))
		count++;
	return count;
}
