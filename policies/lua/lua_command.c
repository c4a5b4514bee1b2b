/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_command.c - what a script does in a pass: commands, which can be tried and undone, and its reports.
 *
 * Each leaves a mark in the digest of the pass, by which --check finds a script that decides otherwise in
 * the rerun pass.
 */
#include <string.h>

#include "policies/lua/lua_sim.h"

/* ---- Where one is -------------------------------------------------------------------------------- */

static struct lua_sim *in_pass(lua_State *L, const char *command)
{
	struct lua_sim *sim = luaw_of(L);
	(void)luaL_checkudata(L, 1, "pass");
	luaw_look(L); /* Its calls may cost the engine much time. */
	if (!sim->in_pass)
		(void)luaL_error(L, "s:%s() is a command: it belongs into pass(s)", command);
	return sim;
}

static struct lua_sim *with(lua_State *L, const char *command, unsigned use, const char *named)
{
	struct lua_sim *sim = in_pass(L, command);
	if (!(sim->uses & use))
		(void)luaL_error(
			L, "s:%s() needs uses = { \"%s\" } at the top of the script", command, named);
	return sim;
}

/* What was done, of which numbers. */
static void lua_command_note(struct lua_sim *sim, const char *command, uint64_t what, uint64_t how)
{
	const uint64_t part[] = { (uint64_t)command[0] << 8 | (uint64_t)command[1], what, how };
	for (size_t i = 0; i < SL_LEN(part); i++)
		sim->done = (sim->done ^ part[i]) * UINT64_C(0x100000001b3) ^ sim->done >> 29;
}

static int done(lua_State *L, struct lua_sim *sim, const char *command, sl_job job, bool good)
{
	lua_command_note(sim, command, job.row, good);
	lua_pushboolean(L, good);
	return 1;
}

/* ---- Jobs ------------------------------------------------------------------------------------------ */

static int lua_command_start(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "start");
	const sl_job job = job_check(L, 2);
	if (lua_isnoneornil(L, 3))
		return done(L, sim, "start", job, sl_start(sim->pass, job));
	(void)with(L, "start", SL_USE_PREEMPT, "preempt");
	const lua_Integer tasks = luaL_checkinteger(L, 3);
	luaL_argcheck(L, tasks > 0 && tasks <= UINT32_MAX, 3, "is no number of tasks");
	return done(L, sim, "start", job, sl_start_sized(sim->pass, job, (uint32_t)tasks));
}

static int cancel(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "cancel");
	const sl_job job = job_check(L, 2);
	return done(L, sim, "cancel", job, sl_cancel(sim->pass, job));
}

static int preempt(lua_State *L)
{
	static const char *const how[] = { "requeue", "checkpoint", "suspend", "cancel", NULL };
	struct lua_sim *sim = with(L, "preempt", SL_USE_PREEMPT, "preempt");
	const sl_job job = job_check(L, 2);
	const int as = luaL_checkoption(L, 3, "requeue", how);
	return done(L, sim, how[as], job, sl_preempt(sim->pass, job, (enum sl_preempt)as));
}

static int resume(lua_State *L)
{
	struct lua_sim *sim = with(L, "resume", SL_USE_PREEMPT, "preempt");
	const sl_job job = job_check(L, 2);
	return done(L, sim, "resume", job, sl_resume(sim->pass, job));
}

static int resize(lua_State *L)
{
	struct lua_sim *sim = with(L, "resize", SL_USE_PREEMPT, "preempt");
	const sl_job job = job_check(L, 2);
	const lua_Integer tasks = luaL_checkinteger(L, 3);
	luaL_argcheck(L, tasks > 0 && tasks <= UINT32_MAX, 3, "is no number of tasks");
	return done(L, sim, "resize", job, sl_resize(sim->pass, job, (uint32_t)tasks));
}

/* ---- Try and undo -------------------------------------------------------------------------------- */

/* Calls the function with the rest; what it did stays if it returns true. An error undoes it, too. */
static int try(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "try");
	luaL_checktype(L, 2, LUA_TFUNCTION);
	const sl_marked mark = sl_mark(sim->pass);
	const int failed = lua_pcall(L, lua_gettop(L) - 2, 1, 0);
	const bool good = !failed && lua_toboolean(L, -1);
	if (good)
		sl_keep(sim->pass, mark);
	else
		sl_undo(sim->pass, mark);
	if (failed)
		return lua_error(L);
	lua_pushboolean(L, good);
	return 1;
}

/* ---- Reservations ---------------------------------------------------------------------------- */

static int lua_command_hold(lua_State *L)
{
	struct lua_sim *sim = with(L, "hold", SL_USE_PROMISES, "promises");
	const sl_job job = job_check(L, 2);
	const sl_time at = check_seconds(L, 3);
	return done(L, sim, "hold", job, sl_promise_set(sim->pass, job, at));
}

static int lua_command_drop(lua_State *L)
{
	struct lua_sim *sim = with(L, "drop", SL_USE_PROMISES, "promises");
	sl_promise_drop(sim->pass, job_check(L, 2));
	return 0;
}

/* Conservative backfilling's plan, in one: broken reservations are made anew, others moved up, jobs without
 * one get one. */
static int promise_all(lua_State *L)
{
	struct lua_sim *sim = with(L, "promise_all", SL_USE_PROMISES, "promises");
	if (sl_promises_broken(sim->pass))
		sl_promises_drop(sim->pass);
	else
		sl_promises_compress(sim->pass);
	sl_promises_make(sim->pass);
	return 0;
}

static int start_due(lua_State *L)
{
	struct lua_sim *sim = with(L, "start_due", SL_USE_PROMISES, "promises");
	lua_command_note(sim, "due", 0, 0);
	sl_promises_start(sim->pass);
	return 0;
}

/* ---- Reports --------------------------------------------------------------------------------- */

static int head(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "head");
	const sl_job job = job_check(L, 2);
	if (sl_waits(sim->pass, job))
		sl_head_waits(sim->pass, job);
	return 0;
}

static int reason(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "reason");
	const sl_job job = job_check(L, 2);
	const char *word = luaL_checkstring(L, 3);
	for (int i = 0; i < SL_REASON_COUNT; i++)
		if (strcmp(sl_reason_name((enum sl_reason)i), word) == 0) {
			sl_set_reason(sim->pass, job, (enum sl_reason)i, 0);
			return 0;
		}
	return luaL_error(L, "there is no reason '%s': 'schedlab list reasons' shows them", word);
}

static int by(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "by");
	const char *word = luaL_checkstring(L, 2);
	const sl_job beneficiary = job_optional(L, 3);
	for (int i = 0; i < SL_RULE_COUNT; i++)
		if (strcmp(sl_rule_name((enum sl_rule)i), word) == 0) {
			sl_set_cause(sim->pass, (enum sl_rule)i, beneficiary);
			return 0;
		}
	return luaL_error(L, "there is no rule '%s': 'schedlab list rules' shows them", word);
}

static int plan(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "plan");
	const sl_job job = job_check(L, 2);
	sl_report_plan(sim->pass, job, lua_isnoneornil(L, 3) ? SL_NONE : check_seconds(L, 3));
	return 0;
}

/* ---- Later ----------------------------------------------------------------------------------- */

static int wake(lua_State *L)
{
	struct lua_sim *sim = in_pass(L, "wake");
	const sl_time at = check_seconds(L, 2);
	lua_command_note(sim, "wake", (uint64_t)at, 0);
	if (at != SL_NEVER)
		sl_wake(sim->pass, at);
	return 0;
}

enum { TAG_MAX = 1 << 30 };

/* In pass(s) or on_event(e, s). Rows of timers begin behind those of jobs. */
static int timer(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	(void)luaL_checkudata(L, 1, "pass");
	const sl_time at = check_seconds(L, 2);
	const lua_Integer tag = luaL_optinteger(L, 3, 0);
	luaL_argcheck(L, tag >= 0 && tag < TAG_MAX, 3, "is not a whole number from 0 to 1073741823");
	luaL_argcheck(L, at > sl_now(sim->pass), 2, "is not later than now");
	lua_command_note(sim, "timer", (uint64_t)at, (uint64_t)tag);
	if (at != SL_NEVER)
		sl_wake_event(sim->pass, at, UINT32_C(1) << 31 | (uint32_t)tag);
	return 0;
}

/* ---- Ledgers: counters that are undone with the rest ----------------------------------------- */

/* The ledger of a name, in the registry's table: { its number, its rows }. */
static sl_ledger ledger_of(lua_State *L, lua_Integer *row)
{
	const char *name = luaL_checkstring(L, 2);
	*row = luaL_checkinteger(L, 3);
	if (lua_getfield(L, LUA_REGISTRYINDEX, "schedlab.ledgers") != LUA_TTABLE ||
		lua_getfield(L, -1, name) != LUA_TTABLE)
		(void)luaL_error(
			L, "there is no ledger '%s': name it in ledgers = { %s = ROWS }", name, name);
	(void)lua_rawgeti(L, -1, 1);
	(void)lua_rawgeti(L, -2, 2);
	const lua_Integer rows = lua_tointeger(L, -1);
	luaL_argcheck(L, *row >= 1 && *row <= rows, 3, "is no row of the ledger: rows count from 1");
	return (sl_ledger){ (uint32_t)lua_tointeger(L, -2) };
}

static int ledger_get(lua_State *L)
{
	lua_Integer row;
	(void)luaL_checkudata(L, 1, "pass");
	const sl_ledger ledger = ledger_of(L, &row);
	lua_pushinteger(L, sl_ledger_get(luaw_of(L)->pass, ledger, (uint32_t)(row - 1)));
	return 1;
}

static int ledger_add(lua_State *L)
{
	lua_Integer row;
	(void)luaL_checkudata(L, 1, "pass");
	const sl_ledger ledger = ledger_of(L, &row);
	sl_ledger_add(luaw_of(L)->pass, ledger, (uint32_t)(row - 1), luaL_checkinteger(L, 4));
	return 0;
}

enum { LEDGER_ROWS_MAX = 1 << 26 };

/* ledgers = { used = 10, ran = "jobs" }, by name. */
void command_ledgers(struct lua_sim *sim, const struct sl_setup *setup, struct sl_err *err)
{
	lua_State *L = sim->L;
	lua_newtable(L);
	lua_pushvalue(L, -1);
	lua_setfield(L, LUA_REGISTRYINDEX, "schedlab.ledgers");
	if (luaw_global(L, "ledgers") != LUA_TTABLE) {
		lua_settop(L, 0);
		return;
	}
	lua_pushnil(L);
	while (!err->status && lua_next(L, 2)) { /* Their order does not matter. */
		const bool jobs = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "jobs") == 0;
		int whole = 0;
		const lua_Integer rows =
			jobs ? (lua_Integer)setup->jobs->count : lua_tointegerx(L, -1, &whole);
		if (lua_type(L, -2) != LUA_TSTRING || (!jobs && !whole) || rows < !jobs ||
			rows > LEDGER_ROWS_MAX) {
			(void)sl_fail(err, SL_INPUT,
				"%s: ledgers = { NAME = ROWS }: ROWS is a number of 1 to %d, or \"jobs\"",
				sl_script_path(sim->script), LEDGER_ROWS_MAX);
			break;
		}
		const char *name = lua_tostring(L, -2);
		const char *kept = sl_strdup(setup->arena, name, strlen(name));
		const sl_ledger ledger = sl_ledger_new(setup, kept ? kept : "", (uint32_t)(rows ? rows : 1));
		lua_createtable(L, 2, 0);
		lua_pushinteger(L, ledger.index);
		lua_rawseti(L, -2, 1);
		lua_pushinteger(L, rows);
		lua_rawseti(L, -2, 2);
		lua_pushvalue(L, -3);
		lua_pushvalue(L, -2);
		lua_rawset(L, 1);
		lua_pop(L, 2);
	}
	lua_settop(L, 0);
}

/* ---- The end --------------------------------------------------------------------------------- */

static int metric(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	(void)luaL_checkudata(L, 1, "pass");
	const char *name = luaL_checkstring(L, 2);
	double key;
	if (!sim->tally)
		return luaL_error(L, "s:metric() belongs into tell(s), which is called as the run ends");
	luaL_argcheck(L, luaw_quantise(luaL_checknumber(L, 3), &key) && key < 0x1p63 && key > -0x1p63, 3,
		"is beyond what a metric may be");
	if (sl_report_metric(sim->tally, name, (int64_t)key, sim->tally_err))
		return luaL_error(L, "%s", sim->tally_err->text);
	return 0;
}

const luaL_Reg pass_commands[] = { { "start", lua_command_start }, { "cancel", cancel },
	{ "preempt", preempt }, { "resume", resume }, { "resize", resize }, { "try", try },
	{ "hold", lua_command_hold }, { "drop", lua_command_drop }, { "promise_all", promise_all },
	{ "start_due", start_due }, { "head", head }, { "reason", reason }, { "by", by }, { "plan", plan },
	{ "wake", wake }, { "timer", timer }, { "get", ledger_get }, { "add", ledger_add },
	{ "metric", metric }, { NULL, NULL } };
