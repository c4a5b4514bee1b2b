/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_part.c - scripts as parts of a policy: questions about a job, and being told of it.
 *
 * A question must be answered by its job, the time and what the script was told (submitted, ended) alone: the
 * first, second, fourth, eighth... is asked twice, and must be answered the same.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "policies/lua/lua_parts.h"
#include "policies/lua/lua_world.h"

/* ---- One question ---------------------------------------------------------------------------------- */

/* Calls function(job, now), with a stream of chance by job and time; its result is left on the stack. */
static bool call(struct lua_world *world, const char *function, sl_job job, int results)
{
	if (!luaw_good(world) || !luaw_function(world, function))
		return false;
	world->draw.what = function;
	world->draw.which = job.row;
	world->draw.of = (uint64_t)sl_now(world->pass);
	job_push(world->L, job);
	push_seconds(world->L, sl_now(world->pass));
	return luaw_call(world, function, 2, results);
}

static bool refuse(struct lua_world *world, const char *function, sl_job job, const char *what)
{
	char text[300];
	int line = 0;
	(void)luaw_takes(world, function, &line);
	(void)snprintf(text, sizeof(text), "%.40s() of job %" PRId64 " %s", function,
		world->jobs->id[job.row], what);
	luaw_fail(world, line, text);
	return false;
}

/* The result on the stack, which goes. */
static bool take_answer(
	struct lua_world *world, const char *function, sl_job job, unsigned kinds, struct sl_answer *answer)
{
	lua_State *L = world->L;
	const int type = lua_type(L, -1);
	*answer = (struct sl_answer){ 0 };
	if (type == LUA_TNUMBER) {
		answer->kind = SL_ANSWER_NUMBER;
		const bool good = luaw_quantise(lua_tonumber(L, -1), &answer->key);
		lua_pop(L, 1);
		if (!good)
			return refuse(world, function, job, "returned nan, or an infinite number");
		answer->micro = fabs(answer->key) < 0x1p62 ? (int64_t)floor(answer->key + 0.5)
				: answer->key < 0          ? -INT64_MAX
							   : INT64_MAX;
	} else {
		answer->kind = type == LUA_TBOOLEAN ? SL_ANSWER_BOOL : SL_ANSWER_NONE;
		answer->yes = lua_toboolean(L, -1);
		lua_pop(L, 1);
		if (type != LUA_TBOOLEAN && type != LUA_TNIL)
			return refuse(
				world, function, job, "returned neither a number, nor true, false or nil");
	}
	if (kinds >> answer->kind & 1)
		return true;
	return refuse(world, function, job,
		kinds == 1U << SL_ANSWER_NUMBER ? "did not return a number"
						: "did not return what it is asked");
}

static bool is_power_of_two(uint64_t n) { return !(n & (n - 1)); }

bool part_ask(
	struct lua_world *world, const char *function, sl_job job, unsigned kinds, struct sl_answer *answer)
{
	struct sl_answer again;
	*answer = (struct sl_answer){ 0 };
	if (!call(world, function, job, 1) || !take_answer(world, function, job, kinds, answer))
		return false;
	if (!is_power_of_two(++world->asked))
		return true;
	if (!call(world, function, job, 1) || !take_answer(world, function, job, kinds, &again))
		return false;
	if (again.kind == answer->kind && again.yes == answer->yes && !(again.key < answer->key) &&
		!(again.key > answer->key))
		return true;
	return refuse(world, function, job,
		"was asked twice, and answered otherwise the second time: its answer must follow from the job and "
		"the time");
}

static bool part_told(struct lua_world *world, const char *function, sl_job job)
{
	if (!luaw_good(world) || luaw_takes(world, function, NULL) < 0)
		return !world->failed;
	return call(world, function, job, 0);
}

/* ---- The language, for policies that take parts ------------------------------------------------------- */

static int language_load(
	struct sl_script *script, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err)
{
	struct lua_world world;
	int status = luaw_open(&world, NULL, script, err);
	if (!status && policy)
		status = script_policy(&world, policy, arena, err);
	luaw_close(&world);
	return status;
}

static int language_open(
	void **self, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err)
{
	struct lua_world *world = sl_alloc(setup->arena, 1, sizeof(*world));
	*self = world;
	if (!world)
		return sl_fail_memory(err);
	const int status = luaw_open(world, setup, script, err);
	return luaw_early(world, status, err) ? SL_OK : status;
}

static void language_close(void *self)
{
	if (self)
		luaw_close(self);
}

static int language_takes(void *self, const char *function)
{
	struct lua_world *world = self;
	return world->early ? 1 : luaw_takes(world, function, NULL);
}

static bool language_ask(void *self, struct sl_pass *pass, const char *function, sl_job job, unsigned kinds,
	struct sl_answer *answer)
{
	struct lua_world *world = self;
	world->pass = pass;
	return part_ask(world, function, job, kinds, answer);
}

static bool language_told(void *self, struct sl_pass *pass, const char *function, sl_job job)
{
	struct lua_world *world = self;
	world->pass = pass;
	return part_told(world, function, job);
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
	.ask = language_ask,
	.told = language_told,
};
