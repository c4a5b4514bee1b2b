/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_script.c - see model_script.h. */
#include "tests/world/model_script.h"

#include <stdio.h>

static int script_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	(void)err;
	struct script *s = (struct script *)(intptr_t)setup->values[0].number;
	s->length = 0;
	s->reported[0] = '\0';
	s->settled = 0;
	*state = s;
	return SL_OK;
}

static void note(struct script *s, const struct sl_pass *world, uint32_t row, char what)
{
	const sl_time now = sl_now(world);
	char when[32];
	*sl_put_micro(when, now) = '\0';
	if (s->length + 64 < sizeof(s->reported))
		s->length += (size_t)snprintf(s->reported + s->length, sizeof(s->reported) - s->length,
			"%s%u%c@%s", s->length ? " " : "", row + 1, what, when);
}

static void script_begin(void *state, struct sl_pass *world)
{
	const struct script *s = state;
	for (size_t i = 0; i < s->count; i++)
		sl_model_wake(world, s->step[i].at, (uint32_t)i);
	if (s->every)
		sl_model_wake(world, 0, (uint32_t)s->count);
}

static void script_started(void *state, struct sl_pass *world, sl_job job)
{
	struct script *s = state;
	note(s, world, job.row, 's');
	if (s->rate_set)
		sl_model_speed(world, job, s->rate_first);
	if (job.row < SL_LEN(s->rates))
		s->rates[job.row] = sl_speed_of(world, job);
}

static void script_left(void *state, struct sl_pass *world, sl_job job, enum sl_left how)
{
	note(state, world, job.row, "ercz"[how]);
}

static void script_node(void *state, struct sl_pass *world, uint32_t node, bool up)
{
	note(state, world, node, up ? 'u' : 'd');
}

static void script_do(const struct script_step *step, struct sl_pass *world)
{
	const sl_job job = { step->row };
	switch (step->what) {
	case SCRIPT_RATE:
		sl_model_speed(world, job, (uint64_t)step->value);
		break;
	case SCRIPT_FAIL:
		sl_model_fail(world, job, SL_NODE_FAIL, false);
		break;
	case SCRIPT_RETRY:
		sl_model_fail(world, job, SL_NODE_FAIL, true);
		break;
	case SCRIPT_CANCEL:
		sl_model_cancel(world, job);
		break;
	case SCRIPT_DOWN:
		sl_model_node_down(world, step->row, step->value);
		break;
	case SCRIPT_UP:
		sl_model_node_up(world, step->row);
		break;
	case SCRIPT_DRAIN:
		sl_model_node_drain(world, step->row, true);
		break;
	case SCRIPT_RESUME:
		sl_model_node_drain(world, step->row, false);
		break;
	case SCRIPT_FINISH:
		sl_model_finish(world, job);
		break;
	case SCRIPT_NOTHING:
		break;
	}
}

static void script_timer(void *state, struct sl_pass *world, uint32_t row)
{
	const struct script *s = state;
	if (row < s->count)
		script_do(&s->step[row], world);
	else
		sl_model_wake(world, sl_now(world) + s->every, row);
}

static void script_settle(void *state, struct sl_pass *world)
{
	struct script *s = state;
	(void)world;
	s->settled++;
}

static bool script_ends(void *state, struct sl_pass *world, sl_job job)
{
	const struct script *s = state;
	(void)world;
	(void)job;
	return s->holds;
}

static sl_time script_kept(void *state, struct sl_pass *world, sl_job job, sl_time work)
{
	const struct script *s = state;
	(void)world;
	(void)job;
	return s->kept < 0 ? work : s->kept;
}

const struct model_choice *script_on(struct script *s)
{
	s->model = (struct sl_model){ .abi = SL_ABI_OF(struct sl_model),
		.name = "script",
		.init = script_init,
		.begin = script_begin,
		.started = script_started,
		.left = script_left,
		.timer = script_timer,
		.settle = script_settle,
		.ends = script_ends,
		.kept = script_kept,
		.node = script_node,
		.sizes = s->sizes };
	s->value = (struct sl_value){ .key = "script", .number = (int64_t)(intptr_t)s };
	s->choice = (struct model_choice){ .model = &s->model, .values = &s->value, .value_count = 1 };
	return &s->choice;
}
