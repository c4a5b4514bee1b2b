/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_pass.c - the object passed to pass(s), on_event(e, s) and tell(s): its fields. Its commands are in
 * lua_command.c.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/lua/lua_sim.h"

static const char pass_type[] = "pass";

static struct lua_sim *self(lua_State *L)
{
	(void)luaL_checkudata(L, 1, pass_type);
	luaw_look(L); /* Its calls may cost the engine much time. */
	return luaw_of(L);
}

void pass_push(lua_State *L) { (void)lua_getfield(L, LUA_REGISTRYINDEX, "schedlab.pass"); }

/* ---- The queue ----------------------------------------------------------------------------------- */

static int first(lua_State *L)
{
	job_push(L, sl_queue_first(self(L)->pass));
	return 1;
}

static int after(lua_State *L)
{
	job_push(L, sl_queue_after(self(L)->pass, job_check(L, 2)));
	return 1;
}

/* By the order's keys: the job before may have been started meanwhile. */
static int queue_step(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const sl_job before = job_optional(L, 2);
	job_push(L, sl_job_is(before) ? sl_queue_after(sim->pass, before) : sl_queue_first(sim->pass));
	return 1;
}

static int queue(lua_State *L)
{
	(void)self(L);
	lua_pushcfunction(L, queue_step);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

static int lua_pass_count(lua_State *L)
{
	lua_pushinteger(L, sl_queue_count(self(L)->pass));
	return 1;
}

/* ---- What runs ------------------------------------------------------------------------------------- */

/* Upvalues: the list, how many were returned. */
static int running_step(lua_State *L)
{
	const lua_Integer at = lua_tointeger(L, lua_upvalueindex(2)) + 1;
	lua_pushinteger(L, at);
	lua_replace(L, lua_upvalueindex(2));
	(void)lua_rawgeti(L, lua_upvalueindex(1), at);
	return 1;
}

/* As they are now, in order of their starts, whatever becomes of them meanwhile; what is suspended too. */
static int running(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	if (!(sim->uses & SL_USE_PREEMPT))
		return luaL_error(L, "s:running() needs uses = { \"preempt\" } at the top of the script");
	lua_newtable(L);
	lua_Integer displayed = 0;
	for (sl_job job = sl_running_first(sim->pass); sl_job_is(job);
		job = sl_running_next(sim->pass, job)) {
		job_push(L, job);
		lua_rawseti(L, -2, ++displayed);
	}
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, running_step, 2);
	return 1;
}

/* ---- Free resources -------------------------------------------------------------------------- */

static const char *const kind_name[] = { "cpus", "mem", "gpus", NULL };

/* "gpus": of all types. */
static int free_now(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const struct sl_cluster *cluster = sim->cluster;
	const int kind = luaL_checkoption(L, 2, "cpus", kind_name);
	int64_t amount = 0;
	if (kind < SL_KIND_GPUS)
		amount = sl_free(sim->pass, (uint32_t)kind);
	for (uint32_t i = SL_KIND_GPUS; kind == SL_KIND_GPUS && i < cluster->kind_count; i++)
		amount += sl_free(sim->pass, i);
	push_amount(L, amount,
		kind == SL_KIND_CPUS   ? cluster->cpu_parts
		: kind == SL_KIND_GPUS ? cluster->gpu_parts
				       : 1);
	return 1;
}

static int total(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const struct sl_cluster *cluster = sim->cluster;
	switch (luaL_checkoption(L, 2, "cpus", kind_name)) {
	case SL_KIND_CPUS:
		push_amount(L, cluster->cpus, cluster->cpu_parts);
		return 1;
	case SL_KIND_MEM:
		lua_pushinteger(L, cluster->mem);
		return 1;
	default:
		push_amount(L, cluster->gpus, cluster->gpu_parts);
		return 1;
	}
}

static int lua_pass_fits(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const sl_job job = job_check(L, 2);
	lua_pushboolean(L, sl_waits(sim->pass, job) && sl_fits(sim->pass, job));
	return 1;
}

static int any_fits(lua_State *L)
{
	lua_pushboolean(L, sl_any_fits(self(L)->pass));
	return 1;
}

/* ---- Shadows --------------------------------------------------------------------------------- */

static const char shadow_type[] = "shadow";

static int shadow(lua_State *L)
{
	static const char *const spares[] = { "count", "named", "none", NULL };
	const struct lua_sim *sim = self(L);
	const sl_job job = job_check(L, 2);
	const int spare = luaL_checkoption(L, 3, "count", spares);
	if (!sl_waits(sim->pass, job))
		return luaL_error(L, "s:shadow() is of a job that waits");
	struct sl_promise *made = lua_newuserdatauv(L, sizeof(*made), 0);
	*made = sl_shadow_with(sim->pass, job, (enum sl_spare)spare);
	luaL_setmetatable(L, shadow_type);
	return 1;
}

/* .at, .job; .spare: of a counted pool, in cpus. */
static int shadow_index(lua_State *L)
{
	const struct sl_promise *of = luaL_checkudata(L, 1, shadow_type);
	const char *key = luaL_checkstring(L, 2);
	if (strcmp(key, "at") == 0)
		push_seconds(L, of->at);
	else if (strcmp(key, "spare") == 0)
		lua_pushinteger(L, of->spare);
	else if (strcmp(key, "job") == 0)
		job_push(L, of->job);
	else
		return luaL_error(L, "a shadow has no field '%s': it has at, spare and job", key);
	return 1;
}

/* Behind that job (nil: from the front); nil where there is none. */
static int next_fit(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const sl_job job = job_optional(L, 2);
	struct sl_promise *of = lua_isnoneornil(L, 3) ? NULL : luaL_checkudata(L, 3, shadow_type);
	job_push(L, sl_queue_next_fit(sim->pass, job, of));
	return 1;
}

/* ---- Reservations, ledgers ------------------------------------------------------------------- */

static int promise_of(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	push_seconds(L, sim->uses & SL_USE_PROMISES ? sl_promise_of(sim->pass, job_check(L, 2)) : SL_NONE);
	return 1;
}

/* The earliest start beside all other reservations. */
static int promise_at(lua_State *L)
{
	const struct lua_sim *sim = self(L);
	const sl_job job = job_check(L, 2);
	if (!(sim->uses & SL_USE_PROMISES))
		return luaL_error(L, "s:earliest() needs uses = { \"promises\" } at the top of the script");
	if (!sl_waits(sim->pass, job))
		return luaL_error(L, "s:earliest() is of a job that waits");
	push_seconds(L, sl_promise_at(sim->pass, job));
	return 1;
}

/* ---- All ------------------------------------------------------------------------------------- */

static const luaL_Reg reads[] = { { "first", first }, { "after", after }, { "queue", queue },
	{ "count", lua_pass_count }, { "running", running }, { "free", free_now }, { "total", total },
	{ "fits", lua_pass_fits }, { "any_fits", any_fits }, { "shadow", shadow }, { "next_fit", next_fit },
	{ "promise", promise_of }, { "earliest", promise_at }, { NULL, NULL } };

/* Upvalue: the methods. */
static int pass_index(lua_State *L)
{
	const struct lua_sim *sim = luaw_of(L);
	lua_settop(L, 2);
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
	if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "now") == 0) {
		push_seconds(L, sl_now(sim->pass));
		return 1;
	}
	return luaL_error(
		L, "a pass has no '%s': schedlab-lua(7) lists what it has", luaL_tolstring(L, 2, NULL));
}

void pass_open(lua_State *L)
{
	luaL_newmetatable(L, shadow_type);
	lua_pushcfunction(L, shadow_index);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	(void)lua_newuserdatauv(L, 1, 0);
	luaL_newmetatable(L, pass_type);
	lua_newtable(L);
	luaL_setfuncs(L, reads, 0);
	luaL_setfuncs(L, pass_commands, 0);
	lua_pushcclosure(L, pass_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	(void)lua_setmetatable(L, -2);
	lua_setfield(L, LUA_REGISTRYINDEX, "schedlab.pass");
	lua_pop(L, 1);
}
