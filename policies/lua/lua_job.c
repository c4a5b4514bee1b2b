/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_job.c - a job as scripts see it: an object with fields to be read. Times are seconds, memory is MiB,
 * cpus and GPUs are wholes.
 *
 * There is one object for each job, so that `==` and tables with jobs for keys work; a table forgets none of
 * them, struct lua_sim does.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/lua/lua_sim.h"

static const char job_type[] = "job";

/* ---- Values ------------------------------------------------------------------------------------ */

void push_seconds(lua_State *L, sl_time time)
{
	if (time == SL_NONE)
		lua_pushnil(L);
	else
		lua_pushnumber(L, time == SL_NEVER ? (double)INFINITY : (double)time / (double)SL_SECOND);
}

sl_time check_seconds(lua_State *L, int at)
{
	const double seconds = luaL_checknumber(L, at);
	luaL_argcheck(L, seconds == seconds, at, "is no number (nan)");
	const double micro = floor(seconds * 1e6 + 0.5);
	if (micro >= 0x1p63)
		return SL_NEVER;
	return micro <= -0x1p63 ? SL_NONE + 1 : (sl_time)micro;
}

void push_amount(lua_State *L, int64_t amount, int64_t parts)
{
	const int64_t whole = sl_parts(parts);
	if (amount % whole == 0)
		lua_pushinteger(L, amount / whole);
	else
		lua_pushnumber(L, (double)amount / (double)whole);
}

static void push_text(lua_State *L, const char *text)
{
	if (text)
		lua_pushstring(L, text);
	else
		lua_pushnil(L);
}

/* By name, or its bare number; nil: not known. */
static void push_share_holder(lua_State *L, int32_t share_holder, const char *const *name)
{
	if (share_holder < 0)
		lua_pushnil(L);
	else if (name)
		lua_pushstring(L, name[share_holder]);
	else
		lua_pushinteger(L, share_holder);
}

static void push_some(lua_State *L, int64_t number)
{
	if (number == SL_NONE)
		lua_pushnil(L);
	else
		lua_pushinteger(L, number);
}

/* ---- Objects ------------------------------------------------------------------------------------- */

void job_push(lua_State *L, sl_job job)
{
	if (!sl_job_is(job)) {
		lua_pushnil(L);
		return;
	}
	(void)lua_rawgeti(L, LUA_REGISTRYINDEX, luaw_of(L)->jobs_at);
	if (lua_rawgeti(L, -1, (lua_Integer)job.row + 1) == LUA_TNIL) {
		lua_pop(L, 1);
		sl_job *made = lua_newuserdatauv(L, sizeof(*made), 0);
		*made = job;
		luaL_setmetatable(L, job_type);
		lua_pushvalue(L, -1);
		lua_rawseti(L, -3, (lua_Integer)job.row + 1);
	}
	lua_remove(L, -2);
}

sl_job job_check(lua_State *L, int at)
{
	const sl_job *job = luaL_checkudata(L, at, job_type);
	return *job;
}

sl_job job_optional(lua_State *L, int at) { return lua_isnoneornil(L, at) ? SL_JOB_NONE : job_check(L, at); }

/* ---- Fields ---------------------------------------------------------------------------------------- */

enum field {
	JOB_ID,
	JOB_ROW,
	JOB_SUBMIT,
	JOB_WAIT,
	JOB_SIZE,
	JOB_CPUS,
	JOB_GPUS,
	JOB_MEM,
	JOB_TASKS,
	JOB_LIMIT,
	JOB_ESTIMATE,
	JOB_USER,
	JOB_ACCOUNT,
	JOB_PARTITION,
	JOB_NAME,
	JOB_QOS,
	JOB_PRIORITY,
	JOB_DEADLINE,
	JOB_STATE,
	JOB_WAITS,
	JOB_START,
	JOB_EXPECTED_END,
	JOB_WORK,
	JOB_RUN,
	JOB_FIELDS
};

static const char *const field_name[JOB_FIELDS] = { "id", "row", "submit", "wait", "size", "cpus", "gpus",
	"mem", "tasks", "limit", "estimate", "user", "account", "partition", "name", "qos", "priority",
	"deadline", "state", "waits", "start", "expected_end", "work", "run" };

static void push_id(lua_State *L, const struct sl_jobs *jobs, sl_job job)
{
	if (jobs->id_name && jobs->id_name[job.row])
		lua_pushstring(L, jobs->id_name[job.row]);
	else
		lua_pushinteger(L, jobs->id[job.row]);
}

static const struct sl_job_attributes *lua_job_attributes_of(const struct sl_jobs *jobs, sl_job job)
{
	return jobs->more_of && jobs->more_of[job.row] ? &jobs->more[jobs->more_of[job.row]] : NULL;
}

/* The tasks of its request; now, while it runs. */
static int64_t tasks_of(const struct lua_sim *sim, sl_job job)
{
	const struct sl_jobs *jobs = sim->jobs;
	if (sl_state_of(sim->pass, job) == SL_RUNNING)
		return sl_tasks_of(sim->pass, job);
	if (!jobs->request)
		return jobs->size[job.row];
	int64_t tasks = 0;
	const struct sl_request *request = &jobs->requests[jobs->request[job.row]];
	for (uint32_t i = 0; i < request->group_count; i++)
		tasks += request->group[i].tasks;
	return tasks;
}

/* What stands in the trace. */
static bool push_of_trace(lua_State *L, const struct lua_sim *sim, sl_job job, enum field field)
{
	const struct sl_jobs *jobs = sim->jobs;
	const struct sl_job_attributes *more = lua_job_attributes_of(jobs, job);
	switch ((int)field) {
	case JOB_ID:
		push_id(L, jobs, job);
		return true;
	case JOB_ROW:
		lua_pushinteger(L, (lua_Integer)job.row + 1);
		return true;
	case JOB_SUBMIT:
		push_seconds(L, jobs->submit[job.row]);
		return true;
	case JOB_SIZE:
		lua_pushinteger(L, jobs->size[job.row]);
		return true;
	case JOB_LIMIT:
		push_seconds(L, jobs->limit[job.row]);
		return true;
	case JOB_USER:
		push_share_holder(L, jobs->user[job.row], jobs->user_name);
		return true;
	case JOB_ACCOUNT:
		push_share_holder(L, jobs->account[job.row], jobs->account_name);
		return true;
	case JOB_PARTITION:
		push_share_holder(L, jobs->partition[job.row], jobs->partition_name);
		return true;
	case JOB_NAME:
		push_text(L, more ? more->name : NULL);
		return true;
	case JOB_QOS:
		push_text(L, more ? more->qos : NULL);
		return true;
	case JOB_PRIORITY:
		push_some(L, more ? more->priority : SL_NONE);
		return true;
	case JOB_DEADLINE:
		push_seconds(L, more ? more->deadline : SL_NONE);
		return true;
	default:
		return false;
	}
}

/* What is so now. */
static bool push_of_now(lua_State *L, const struct lua_sim *sim, sl_job job, enum field field)
{
	const struct sl_pass *pass = sim->pass;
	const struct sl_cluster *cluster = sim->cluster;
	switch ((int)field) {
	case JOB_WAIT:
		push_seconds(L, sl_now(pass) - sim->jobs->submit[job.row]);
		return true;
	case JOB_CPUS:
		push_amount(L, sl_asks(pass, job, SL_KIND_CPUS), cluster->cpu_parts);
		return true;
	case JOB_GPUS:
		push_amount(L, sl_asks(pass, job, SL_KIND_GPUS), cluster->gpu_parts);
		return true;
	case JOB_MEM:
		lua_pushinteger(L, sl_asks(pass, job, SL_KIND_MEM));
		return true;
	case JOB_TASKS:
		lua_pushinteger(L, tasks_of(sim, job));
		return true;
	case JOB_ESTIMATE:
		push_seconds(L, sl_estimate_of(pass, job));
		return true;
	case JOB_STATE:
		lua_pushstring(L, sl_state_name(sl_state_of(pass, job)));
		return true;
	case JOB_WAITS:
		lua_pushboolean(L, sl_waits(pass, job));
		return true;
	case JOB_START:
		push_seconds(L, sl_start_of(pass, job));
		return true;
	case JOB_EXPECTED_END:
		push_seconds(L, sl_state_of(pass, job) == SL_RUNNING ? sl_expected_end(pass, job) : SL_NONE);
		return true;
	case JOB_WORK:
		push_seconds(L, sl_work_of(pass, job));
		return true;
	default:
		return false;
	}
}

/* Upvalue: fields by name. */
static int job_index(lua_State *L)
{
	const struct lua_sim *sim = luaw_of(L);
	const sl_job job = *(const sl_job *)lua_touserdata(L, 1);
	lua_settop(L, 2);
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
		return luaL_error(
			L, "a job has no field '%s': schedlab-lua(7) lists them", luaL_tolstring(L, 2, NULL));
	const enum field field = (enum field)lua_tointeger(L, -1);
	if (push_of_trace(L, sim, job, field) || push_of_now(L, sim, job, field))
		return 1;
	if (!sim->clairvoyant)
		return luaL_error(L,
			"no scheduler knows job.run: write `clairvoyant = true` at the top of the script to read it");
	push_seconds(L, sim->jobs->run[job.row]);
	return 1;
}

static int job_newindex(lua_State *L)
{
	return luaL_error(L, "fields of a job are not to be set: keep notes in a table, by job.row");
}

static int job_tostring(lua_State *L)
{
	lua_pushliteral(L, "job ");
	push_id(L, luaw_of(L)->jobs, job_check(L, 1));
	lua_concat(L, 2);
	return 1;
}

void job_open(lua_State *L)
{
	luaL_newmetatable(L, job_type);
	lua_createtable(L, 0, JOB_FIELDS);
	for (int i = 0; i < JOB_FIELDS; i++) {
		lua_pushinteger(L, i);
		lua_setfield(L, -2, field_name[i]);
	}
	lua_pushcclosure(L, job_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, job_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_pushcfunction(L, job_tostring);
	lua_setfield(L, -2, "__tostring");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
	/* By row: forgets what no script holds on to, which none can tell. */
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "v");
	lua_setfield(L, -2, "__mode");
	(void)lua_setmetatable(L, -2);
	luaw_of(L)->jobs_at = luaL_ref(L, LUA_REGISTRYINDEX);
}
