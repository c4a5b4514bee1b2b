/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_guard.c - pcall, xpcall and coroutines, which know a call that is at its end (luaw_look) from an error.
 *
 * Lua's own would let a script live on. A hook's error calls the handler of xpcall at once, and hooks are
 * off meanwhile: a handler without end would have none. A coroutine that ended by it has them off for good:
 * what its __close does is never counted. And a script that catches it in a loop is as far as before.
 */
#include "policies/lua/lua_sim.h"

/* ---- pcall, xpcall --------------------------------------------------------------------------------- */

/* extra: values below the results that are not among them. As lbaselib.c's. */
static int finish_call(lua_State *L, int status, lua_KContext extra)
{
	luaw_runs(L);
	if (status == LUA_OK || status == LUA_YIELD)
		return lua_gettop(L) - (int)extra;
	luaw_look(L);
	lua_pushboolean(L, 0);
	lua_pushvalue(L, -2);
	return 2;
}

static int safe_pcall(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_pushboolean(L, 1);
	lua_insert(L, 1);
	const int status = lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call);
	return finish_call(L, status, 0);
}

/* Upvalue: the script's handler. */
static int handle(lua_State *L)
{
	lua_settop(L, 1);
	if (luaw_of(L)->halted)
		return 1;
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 1, 1);
	return 1;
}

static int safe_xpcall(lua_State *L)
{
	const int count = lua_gettop(L);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushvalue(L, 2);
	lua_pushcclosure(L, handle, 1);
	lua_replace(L, 2);
	lua_pushboolean(L, 1);
	lua_pushvalue(L, 1);
	lua_rotate(L, 3, 2); /* Below the arguments. */
	const int status = lua_pcallk(L, count - 2, LUA_MULTRET, 2, 2, finish_call);
	return finish_call(L, status, 2);
}

/* ---- Coroutines --------------------------------------------------------------------------------------- */

static lua_State *thread_at(lua_State *L, int at)
{
	lua_State *thread = lua_tothread(L, at);
	luaL_argexpected(L, thread, at, "thread");
	return thread;
}

/* What it returned, on L's stack; -1: its error. As lcorolib.c's. */
static int resume(lua_State *L, lua_State *thread, int count)
{
	int results;
	if (!lua_checkstack(thread, count)) {
		lua_pushliteral(L, "too many arguments to resume");
		return -1;
	}
	lua_xmove(L, thread, count);
	luaw_runs(thread);
	const int status = lua_resume(thread, L, count, &results);
	luaw_runs(L);
	if (status != LUA_OK && status != LUA_YIELD) {
		luaw_look(L);
		lua_xmove(thread, L, 1);
		return -1;
	}
	if (!lua_checkstack(L, results + 1)) {
		lua_pop(thread, results);
		lua_pushliteral(L, "too many results to resume");
		return -1;
	}
	lua_xmove(thread, L, results);
	return results;
}

static int safe_resume(lua_State *L)
{
	lua_State *thread = thread_at(L, 1);
	const int results = resume(L, thread, lua_gettop(L) - 1);
	lua_pushboolean(L, results >= 0);
	lua_insert(L, results < 0 ? -2 : -(results + 1));
	return results < 0 ? 2 : results + 1;
}

/* Closes what it has open: its __close run in it. */
static int close_thread(lua_State *L, lua_State *thread)
{
	luaw_runs(thread);
	const int status = lua_resetthread(thread);
	luaw_runs(L);
	if (status != LUA_OK)
		luaw_look(L);
	return status;
}

/* Upvalue: the coroutine. */
static int wrapped(lua_State *L)
{
	lua_State *thread = lua_tothread(L, lua_upvalueindex(1));
	int results = resume(L, thread, lua_gettop(L));
	if (results >= 0)
		return results;
	int status = lua_status(thread);
	if (status != LUA_OK && status != LUA_YIELD) { /* It failed, and did not refuse. */
		status = close_thread(L, thread);
		lua_xmove(thread, L, 1);
	}
	if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

static int safe_create(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	luaw_work(L, LUAW_COROUTINE);
	lua_State *thread = lua_newthread(L);
	lua_pushvalue(L, 1);
	lua_xmove(L, thread, 1);
	return 1;
}

static int safe_wrapped(lua_State *L)
{
	(void)safe_create(L);
	lua_pushcclosure(L, wrapped, 1);
	return 1;
}

/* Upvalue: Lua's own, which says why one that runs cannot be closed. */
static int safe_close(lua_State *L)
{
	lua_State *thread = thread_at(L, 1);
	lua_Debug at;
	if (thread == L || (lua_status(thread) == LUA_OK && lua_getstack(thread, 0, &at)))
		return safe_call(L);
	const int status = close_thread(L, thread);
	lua_pushboolean(L, status == LUA_OK);
	if (status == LUA_OK)
		return 1;
	lua_xmove(thread, L, 1);
	return 2;
}

/* ---- All ---------------------------------------------------------------------------------------------- */

/* What Lua refuses to resume with is there already: it allocates nothing, and so cannot fail in a coroutine
 * that does not run. */
static void keep_words(lua_State *L)
{
	static const char *const words[] = { "C stack overflow", "cannot resume dead coroutine",
		"cannot resume non-suspended coroutine", NULL };
	lua_newtable(L);
	for (int i = 0; words[i]; i++) {
		lua_pushstring(L, words[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, LUA_REGISTRYINDEX, "schedlab.words");
}

void guard_open(lua_State *L)
{
	static const luaL_Reg base[] = { { "pcall", safe_pcall }, { "xpcall", safe_xpcall }, { NULL, NULL } };
	static const luaL_Reg coroutines[] = { { "create", safe_create }, { "resume", safe_resume },
		{ "wrap", safe_wrapped }, { NULL, NULL } };
	keep_words(L);
	lua_pushglobaltable(L);
	luaL_setfuncs(L, base, 0);
	(void)lua_getfield(L, -1, LUA_COLIBNAME);
	luaL_setfuncs(L, coroutines, 0);
	safe_wrap(L, lua_gettop(L), "close", safe_close);
	lua_pop(L, 2);
}
