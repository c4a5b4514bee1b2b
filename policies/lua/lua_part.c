/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_part.c - scripts as parts of a policy: functions that rate a job, and those that get its events.
 *
 * A result must follow from the job, the time and earlier events (submitted, ended) alone: the first,
 * second, fourth, eighth... call is made twice, and must return the same.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "policies/lua/lua_parts.h"
#include "policies/lua/lua_sim.h"

/* ---- One question ---------------------------------------------------------------------------------- */

/* Calls function(job, now), with a stream of chance by job and time; its result is left on the stack. */
static bool call(struct lua_sim *sim, const char *function, sl_job job, int results)
{
	if (!luaw_good(sim) || !luaw_function(sim, function))
		return false;
	sim->draw.what = function;
	sim->draw.which = job.row;
	sim->draw.of = (uint64_t)sl_now(sim->pass);
	job_push(sim->L, job);
	push_seconds(sim->L, sl_now(sim->pass));
	return luaw_call(sim, function, 2, results);
}

static bool lua_part_refuse(struct lua_sim *sim, const char *function, sl_job job, const char *what)
{
	char text[300];
	int line = 0;
	(void)luaw_takes(sim, function, &line);
	(void)snprintf(
		text, sizeof(text), "%.40s() of job %" PRId64 " %s", function, sim->jobs->id[job.row], what);
	luaw_fail(sim, line, text);
	return false;
}

/* The result on the stack, which goes. */
static bool take_answer(
	struct lua_sim *sim, const char *function, sl_job job, unsigned kinds, struct sl_answer *answer)
{
	lua_State *L = sim->L;
	const int type = lua_type(L, -1);
	*answer = (struct sl_answer){ 0 };
	if (type == LUA_TNUMBER) {
		answer->kind = SL_ANSWER_NUMBER;
		const bool good = luaw_quantise(lua_tonumber(L, -1), &answer->key);
		lua_pop(L, 1);
		if (!good)
			return lua_part_refuse(sim, function, job, "returned nan, or an infinite number");
		answer->micro = fabs(answer->key) < 0x1p62 ? (int64_t)floor(answer->key + 0.5)
				: answer->key < 0          ? -INT64_MAX
							   : INT64_MAX;
	} else {
		answer->kind = type == LUA_TBOOLEAN ? SL_ANSWER_BOOL : SL_ANSWER_NONE;
		answer->yes = lua_toboolean(L, -1);
		lua_pop(L, 1);
		if (type != LUA_TBOOLEAN && type != LUA_TNIL)
			return lua_part_refuse(
				sim, function, job, "returned neither a number, nor true, false or nil");
	}
	if (kinds >> answer->kind & 1)
		return true;
	return lua_part_refuse(sim, function, job,
		kinds == 1U << SL_ANSWER_NUMBER ? "did not return a number"
						: "did not return what it is asked");
}

static bool is_power_of_two(uint64_t n) { return !(n & (n - 1)); }

bool part_query(
	struct lua_sim *sim, const char *function, sl_job job, unsigned kinds, struct sl_answer *answer)
{
	struct sl_answer retry;
	*answer = (struct sl_answer){ 0 };
	if (!call(sim, function, job, 1) || !take_answer(sim, function, job, kinds, answer))
		return false;
	if (!is_power_of_two(++sim->asked))
		return true;
	if (!call(sim, function, job, 1) || !take_answer(sim, function, job, kinds, &retry))
		return false;
	if (retry.kind == answer->kind && retry.yes == answer->yes && !(retry.key < answer->key) &&
		!(retry.key > answer->key))
		return true;
	return lua_part_refuse(sim, function, job,
		"was asked twice, and answered otherwise the second time: its answer must follow from the job and "
		"the time");
}

static bool part_reported(struct lua_sim *sim, const char *function, sl_job job)
{
	if (!luaw_good(sim) || luaw_takes(sim, function, NULL) < 0)
		return !sim->failed;
	return call(sim, function, job, 0);
}

/* ---- The language, for policies that accept parts -------------------------------------------- */

static int language_load(
	struct sl_script *script, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err)
{
	struct lua_sim sim;
	int status = luaw_open(&sim, NULL, script, err);
	if (!status && policy)
		status = script_policy(&sim, policy, arena, err);
	luaw_close(&sim);
	return status;
}

static int language_open(
	void **self, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err)
{
	struct lua_sim *sim = sl_alloc(setup->arena, 1, sizeof(*sim));
	*self = sim;
	if (!sim)
		return sl_fail_memory(err);
	const int status = luaw_open(sim, setup, script, err);
	return luaw_early(sim, status, err) ? SL_OK : status;
}

static void language_close(void *self)
{
	if (self)
		luaw_close(self);
}

static int language_takes(void *self, const char *function)
{
	struct lua_sim *sim = self;
	return sim->early ? 1 : luaw_takes(sim, function, NULL);
}

static bool language_query(void *self, struct sl_pass *pass, const char *function, sl_job job, unsigned kinds,
	struct sl_answer *answer)
{
	struct lua_sim *sim = self;
	sim->pass = pass;
	return part_query(sim, function, job, kinds, answer);
}

static bool language_reported(void *self, struct sl_pass *pass, const char *function, sl_job job)
{
	struct lua_sim *sim = self;
	sim->pass = pass;
	return part_reported(sim, function, job);
}

const struct sl_scripting lua_scripting = {
	.abi = SL_ABI_OF(struct sl_scripting),
	.name = "lua",
	.ending = ".lua",
	.summary = "Lua 5.4",
	.load = language_load,
	.open = language_open,
	.close = language_close,
	.takes = language_takes,
	.query = language_query,
	.reported = language_reported,
};
