/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_safe.c - what of Lua's own library a script has: all that does the same everywhere, and in place of
 * what does not, what does.
 *
 * Lua 5.4 draws the seed of its string hashes from addresses and the clock, so that next() and pairs() go by
 * another order in each process; table.sort() draws its pivots from the clock, so that equal elements come
 * out in any order; tostring() prints addresses; when a weak table forgets is the collector's affair.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/lua/lua_sim.h"

/* ---- pairs, next: numbers first, then texts byte by byte, then booleans -------------------------------- */

enum { BYTES_A_STEP = 16 }; /* Of a text that is read letter by letter. */

enum key_rank { KEY_NUMBER, KEY_TEXT, KEY_BOOL };

static enum key_rank key_rank(lua_State *L, int at)
{
	switch (lua_type(L, at)) {
	case LUA_TNUMBER:
		return KEY_NUMBER;
	case LUA_TSTRING:
		return KEY_TEXT;
	case LUA_TBOOLEAN:
		return KEY_BOOL;
	default:
		(void)luaL_error(L,
			"a table with a %s for a key has no order that is the same in each run: take job.row, a "
			"number or a text for a key",
			luaL_typename(L, at));
		return KEY_BOOL; /* Not reached. */
	}
}

/* To compare two. */
static void work_texts(lua_State *L, size_t a, size_t b)
{
	const size_t less = a < b ? a : b;
	if (less >= BYTES_A_STEP)
		luaw_work(L, (int64_t)(less / BYTES_A_STEP));
}

/* Absolute places on the stack. */
static bool key_before(lua_State *L, int a, int b)
{
	const enum key_rank x = key_rank(L, a);
	const enum key_rank y = key_rank(L, b);
	if (x != y)
		return x < y;
	if (x == KEY_NUMBER)
		return lua_compare(L, a, b, LUA_OPLT);
	if (x == KEY_BOOL)
		return lua_toboolean(L, a) < lua_toboolean(L, b);
	size_t a_len;
	size_t b_len;
	const char *a_text = lua_tolstring(L, a, &a_len);
	const char *b_text = lua_tolstring(L, b, &b_len);
	work_texts(L, a_len, b_len);
	const int order = memcmp(a_text, b_text, a_len < b_len ? a_len : b_len);
	return order ? order < 0 : a_len < b_len;
}

typedef bool (*before_fn)(lua_State *L, int a, int b);

/* A list on the stack, and one beside it as a buffer to merge in. */
struct sorting {
	lua_State *L;
	int list, capacity;
	before_fn before;
};

/* Is element a of the list before element b? */
static bool is_before(const struct sorting *sorting, lua_Integer a, lua_Integer b)
{
	lua_State *L = sorting->L;
	luaw_work(L, 4);
	(void)lua_rawgeti(L, sorting->list, a);
	(void)lua_rawgeti(L, sorting->list, b);
	const bool before = sorting->before(L, lua_gettop(L) - 1, lua_gettop(L));
	lua_pop(L, 2);
	return before;
}

/* Merges the sorted [from, middle) and [middle, until). */
static void merge(const struct sorting *sorting, lua_Integer from, lua_Integer middle, lua_Integer until)
{
	lua_State *L = sorting->L;
	lua_Integer left = from;
	lua_Integer right = middle;
	for (lua_Integer to = from; to < until; to++) {
		const bool take_right = left == middle || (right < until && is_before(sorting, right, left));
		(void)lua_rawgeti(L, sorting->list, take_right ? right++ : left++);
		lua_rawseti(L, sorting->capacity, to);
	}
	for (lua_Integer i = from; i < until; i++) {
		(void)lua_rawgeti(L, sorting->capacity, i);
		lua_rawseti(L, sorting->list, i);
	}
}

/* Is it in order already? Most lists of keys are. */
static bool is_sorted(const struct sorting *sorting, lua_Integer count)
{
	for (lua_Integer i = 2; i <= count; i++)
		if (is_before(sorting, i, i - 1))
			return false;
	return true;
}

/* Of list[1..count], stable: equal elements stay as they were. */
static void sort_list(lua_State *L, int list, lua_Integer count, before_fn before)
{
	struct sorting sorting = { L, list, 0, before };
	luaL_checkstack(L, 8, NULL);
	if (is_sorted(&sorting, count))
		return;
	lua_createtable(L, (int)(count < INT32_MAX ? count : 0), 0);
	sorting.capacity = lua_gettop(L);
	for (lua_Integer width = 1; width < count; width *= 2)
		for (lua_Integer from = 1; from + width <= count; from += 2 * width) {
			const lua_Integer until = from + 2 * width;
			merge(&sorting, from, from + width, until <= count ? until : count + 1);
		}
	lua_remove(L, sorting.capacity);
}

/* Pushes the list of the keys of the table at `table`, in order. */
static void push_keys(lua_State *L, int table)
{
	lua_newtable(L);
	const int list = lua_gettop(L);
	lua_Integer count = 0;
	lua_pushnil(L);
	while (lua_next(L, table)) {
		luaw_work(L, 4);
		lua_pop(L, 1);
		(void)key_rank(L, lua_gettop(L));
		lua_pushvalue(L, -1);
		lua_rawseti(L, list, ++count);
	}
	sort_list(L, list, count, key_before);
}

/* Upvalues: the keys, how many were returned. What was removed since is skipped. */
static int pairs_step(lua_State *L)
{
	lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
	while (lua_rawgeti(L, lua_upvalueindex(1), ++at) != LUA_TNIL) {
		lua_pushvalue(L, -1);
		if (lua_rawget(L, 1) != LUA_TNIL) {
			lua_pushinteger(L, at);
			lua_replace(L, lua_upvalueindex(2));
			return 2;
		}
		lua_pop(L, 2);
	}
	return 1;
}

static int safe_pairs(lua_State *L)
{
	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
		lua_pushvalue(L, 1);
		lua_call(L, 1, 3);
		return 3;
	}
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	push_keys(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, pairs_step, 2);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

/* The key behind that one, in pairs' order: in time linear in the table. */
static int safe_next(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 2);
	const bool first = lua_isnil(L, 2);
	luaw_look(L); /* The place of each removed key is gone through. */
	if (!first)
		(void)key_rank(L, 2);
	lua_pushnil(L); /* 3: the least so far. */
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		luaw_work(L, 4);
		lua_pop(L, 1);
		const int key = lua_gettop(L);
		if ((first || key_before(L, 2, key)) && (lua_isnil(L, 3) || key_before(L, key, 3))) {
			lua_pushvalue(L, key);
			lua_replace(L, 3);
		}
		(void)key_rank(L, key);
	}
	lua_settop(L, 3);
	if (lua_isnil(L, 3))
		return 1;
	lua_pushvalue(L, 3);
	(void)lua_rawget(L, 1);
	return 2;
}

/* ---- table.sort: stable -------------------------------------------------------------------------------- */

static bool less_than(lua_State *L, int a, int b)
{
	if (lua_type(L, a) == LUA_TSTRING && lua_type(L, b) == LUA_TSTRING)
		work_texts(L, lua_rawlen(L, a), lua_rawlen(L, b));
	return lua_compare(L, a, b, LUA_OPLT);
}

/* The user's function stands at 2. */
static bool less_by(lua_State *L, int a, int b)
{
	lua_pushvalue(L, 2);
	lua_pushvalue(L, a);
	lua_pushvalue(L, b);
	lua_call(L, 2, 1);
	const bool less = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return less;
}

static int safe_sort(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 2);
	const bool by = !lua_isnil(L, 2);
	if (by)
		luaL_checktype(L, 2, LUA_TFUNCTION);
	sort_list(L, 1, (lua_Integer)lua_rawlen(L, 1), by ? less_by : less_than);
	return 0;
}

/* ---- table: as far as there are instructions left -------------------------------------------- */

int safe_call(lua_State *L)
{
	const int count = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, count, LUA_MULTRET);
	return lua_gettop(L);
}

/* Of [from, to]. */
static void work_between(lua_State *L, lua_Integer from, lua_Integer to)
{
	if (to >= from)
		luaw_work(
			L, (lua_Unsigned)to - (lua_Unsigned)from < INT64_MAX / 2 ? to - from + 1 : INT64_MAX);
}

static int safe_move(lua_State *L)
{
	work_between(L, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3));
	return safe_call(L);
}

static int safe_concat(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 4);
	const lua_Integer to = lua_isnil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
	const lua_Integer from = luaL_optinteger(L, 3, 1);
	work_between(L, from, to);
	lua_settop(L, 2);
	if (lua_isnil(L, 2)) {
		lua_pushliteral(L, "");
		lua_replace(L, 2);
	}
	lua_pushinteger(L, from);
	lua_pushinteger(L, to);
	return safe_call(L);
}

/* insert, remove: what is behind the place is moved. A __len, which may change with each call, is an error.
 */
static int safe_shift(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL)
		return luaL_error(L, "table.insert and table.remove take a table without __len");
	const lua_Integer len = (lua_Integer)lua_rawlen(L, 1);
	work_between(L, lua_gettop(L) > 1 && lua_isinteger(L, 2) ? lua_tointeger(L, 2) : len, len);
	return safe_call(L);
}

/* ---- Texts without addresses ----------------------------------------------------------------- */

static bool shows_address(lua_State *L, int at)
{
	const int type = lua_type(L, at);
	if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA && type != LUA_TTHREAD &&
		type != LUA_TLIGHTUSERDATA)
		return false;
	if (luaL_getmetafield(L, at, "__tostring") == LUA_TNIL)
		return true;
	lua_pop(L, 1);
	return false;
}

static int safe_tostring(lua_State *L)
{
	luaL_checkany(L, 1);
	if (shows_address(L, 1))
		lua_pushstring(L, luaL_typename(L, 1));
	else
		(void)luaL_tolstring(L, 1, NULL);
	return 1;
}

/* As long as its argument. */
static void work_arguments(lua_State *L)
{
	const int count = lua_gettop(L);
	size_t bytes = (size_t)count;
	for (int i = 1; i <= count; i++)
		bytes += lua_type(L, i) == LUA_TSTRING ? lua_rawlen(L, i) : 0;
	luaw_work(L, (int64_t)(bytes / BYTES_A_STEP));
}

/* Upvalue: Lua's own, of a time that grows with its argument and its result; */
static int safe_long(lua_State *L)
{
	work_arguments(L);
	const int count = safe_call(L);
	luaw_work(L, count / BYTES_A_STEP);
	return count;
}

/* by the latter alone. */
static int safe_many(lua_State *L)
{
	const int count = safe_call(L);
	luaw_work(L, count / BYTES_A_STEP);
	return count;
}

/* Upvalue: Lua's own. */
static int safe_format(lua_State *L)
{
	work_arguments(L);
	const char *format = luaL_checkstring(L, 1);
	for (const char *p = strchr(format, '%'); p; p = strchr(p, '%')) {
		p += 1 + strspn(p + 1, "-+ #0123456789.");
		if (*p == 'p')
			return luaL_error(L, "%%p shows an address, which is another in each run");
		p += *p == '%';
	}
	const int count = lua_gettop(L);
	for (int i = 2; i <= count; i++)
		if (shows_address(L, i)) {
			lua_pushstring(L, luaL_typename(L, i));
			lua_replace(L, i);
		}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, count, 1);
	return 1;
}

enum { LINES_MAX = 1000 };

/* To whoever looks on at the run, on one line. */
static int safe_print(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	const int count = lua_gettop(L);
	luaL_Buffer line;
	if (!sim->pass || sim->mute || ++sim->said > LINES_MAX)
		return 0;
	for (int i = 1; i <= count; i++) {
		lua_pushcfunction(L, safe_tostring);
		lua_pushvalue(L, i);
		lua_call(L, 1, 1);
		lua_replace(L, i);
	}
	luaL_buffinit(L, &line);
	luaL_addstring(&line, sl_script_path(sim->script));
	luaL_addstring(&line, ":");
	for (int i = 1; i <= count; i++) {
		luaL_addchar(&line, ' ');
		lua_pushvalue(L, i);
		luaL_addvalue(&line);
	}
	if (sim->said == LINES_MAX)
		luaL_addstring(&line, " (no more is printed)");
	luaL_pushresult(&line);
	sl_say(sim->pass, lua_tostring(L, -1));
	return 0;
}

/* ---- Tables that change by themselves -------------------------------------------------------- */

/* Upvalue: Lua's own. */
static int safe_setmetatable(lua_State *L)
{
	static const char *const refused[] = { "__gc", "__mode" };
	for (size_t i = 0; lua_type(L, 2) == LUA_TTABLE && i < SL_LEN(refused); i++) {
		lua_pushstring(L, refused[i]);
		if (lua_rawget(L, 2) != LUA_TNIL)
			return luaL_error(
				L, "%s goes by when memory is collected: a script has none", refused[i]);
		lua_pop(L, 1);
	}
	lua_settop(L, 2);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 2, 1);
	return 1;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

/* A call draws from a stream of its own, so that a rerun call draws the same. */
static struct sl_rng *stream(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	char name[200];
	if (sim->drawn)
		return &sim->rng;
	(void)snprintf(name, sizeof(name), "lua/%.60s/%.40s/%" PRIu64 "/%" PRIu64, sim->name, sim->draw.what,
		sim->draw.which, sim->draw.of);
	sim->rng = sl_rng_stream(sim->seed, name);
	sim->drawn = true;
	return &sim->rng;
}

static int safe_random(lua_State *L)
{
	lua_Integer low = 1;
	lua_Integer high;
	switch (lua_gettop(L)) {
	case 0:
		lua_pushnumber(L, sl_rng_unit(stream(L)));
		return 1;
	case 1:
		high = luaL_checkinteger(L, 1);
		break;
	case 2:
		low = luaL_checkinteger(L, 1);
		high = luaL_checkinteger(L, 2);
		break;
	default:
		return luaL_error(L, "math.random takes no more than two numbers");
	}
	luaL_argcheck(L, low <= high, lua_gettop(L), "there is nothing between the two");
	const uint64_t count = (uint64_t)high - (uint64_t)low + 1;
	const uint64_t drawn = count ? sl_rng_below(stream(L), count) : sl_rng_u64(stream(L));
	const uint64_t sum = (uint64_t)low + drawn; /* Wraps back. */
	lua_pushinteger(L, (lua_Integer)sum);
	return 1;
}

/* ---- libm: rounded to 40 significant bits ---------------------------------------------------- */

static int push_steady(lua_State *L, double value)
{
	int exponent;
	if (isfinite(value)) {
		const double mantissa = frexp(value, &exponent);
		value = ldexp(floor(ldexp(mantissa, 40) + 0.5), exponent - 40);
	}
	lua_pushnumber(L, value);
	return 1;
}

static int safe_exp(lua_State *L) { return push_steady(L, exp(luaL_checknumber(L, 1))); }
static int safe_sin(lua_State *L) { return push_steady(L, sin(luaL_checknumber(L, 1))); }
static int safe_cos(lua_State *L) { return push_steady(L, cos(luaL_checknumber(L, 1))); }
static int safe_tan(lua_State *L) { return push_steady(L, tan(luaL_checknumber(L, 1))); }
static int safe_asin(lua_State *L) { return push_steady(L, asin(luaL_checknumber(L, 1))); }
static int safe_acos(lua_State *L) { return push_steady(L, acos(luaL_checknumber(L, 1))); }
static int safe_atan(lua_State *L)
{
	return push_steady(L, atan2(luaL_checknumber(L, 1), luaL_optnumber(L, 2, 1)));
}
static int safe_pow(lua_State *L)
{
	return push_steady(L, pow(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
}

static int safe_log(lua_State *L)
{
	const double x = luaL_checknumber(L, 1);
	if (lua_isnoneornil(L, 2))
		return push_steady(L, log(x));
	const double base = luaL_checknumber(L, 2);
	if (base == 2)
		return push_steady(L, log2(x));
	return push_steady(L, base == 10 ? log10(x) : log(x) / log(base));
}

/* ---- require: files of the script's folder --------------------------------------------------- */

static bool is_module(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	const size_t len = strlen(name);
	return len && len <= 60 && strspn(name, letters) == len;
}

/* Upvalue: what was returned by name. Not below a folder: a script is what lies beside it. */
static int safe_require(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	const char *name = luaL_checkstring(L, 1);
	struct sl_err err = { 0 };
	const char *text;
	size_t len;
	char file[70];
	char chunk[700];
	const char *slash = strrchr(sl_script_path(sim->script), '/');
	const int folder = slash ? (int)(slash - sl_script_path(sim->script)) + 1 : 0;
	if (!is_module(name))
		return luaL_error(L,
			"require takes the name of a file beside the script, without its .lua: letters, digits, _ and -");
	lua_settop(L, 1);
	lua_pushvalue(L, 1);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
	(void)snprintf(file, sizeof(file), "%s.lua", name);
	(void)snprintf(chunk, sizeof(chunk), "@%.*s%s", folder < 600 ? folder : 0,
		sl_script_path(sim->script), file);
	if (sl_script_text(sim->script, file, &text, &len, &err))
		return luaL_error(L, "require '%s': %s", name, err.text);
	if (luaw_load(L, text, len, chunk))
		return lua_error(L);
	lua_pushvalue(L, 1);
	lua_call(L, 1, 1);
	if (lua_isnil(L, -1)) {
		lua_pop(L, 1);
		lua_pushboolean(L, 1);
	}
	lua_pushvalue(L, 1);
	lua_pushvalue(L, -2);
	lua_rawset(L, lua_upvalueindex(1));
	return 1;
}

/* ---- All ------------------------------------------------------------------------------------- */

void safe_wrap(lua_State *L, int library, const char *name, lua_CFunction ours)
{
	(void)lua_getfield(L, library, name);
	lua_pushcclosure(L, ours, 1);
	lua_setfield(L, library, name);
}

static void lua_safe_drop(lua_State *L, int library, const char *const *name)
{
	for (; *name; name++) {
		lua_pushnil(L);
		lua_setfield(L, library, *name);
	}
}

/* Of the table on top. */
static void wrap_all(lua_State *L, const char *const *name, lua_CFunction ours)
{
	for (; *name; name++)
		safe_wrap(L, lua_gettop(L), *name, ours);
}

static void open_base(lua_State *L)
{
	static const luaL_Reg ours[] = { { "pairs", safe_pairs }, { "next", safe_next },
		{ "print", safe_print }, { "tostring", safe_tostring }, { NULL, NULL } };
	/* `load` accepts bytecode. */
	static const char *const gone[] = { "collectgarbage", "dofile", "load", "loadfile", "warn", NULL };
	static const char *const long_base[] = { "tonumber", "select", NULL };
	luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
	const int globals = lua_gettop(L);
	luaL_setfuncs(L, ours, 0);
	lua_safe_drop(L, globals, gone);
	wrap_all(L, long_base, safe_long);
	safe_wrap(L, globals, "setmetatable", safe_setmetatable);
	lua_newtable(L);
	lua_pushcclosure(L, safe_require, 1);
	lua_setfield(L, globals, "require");
	lua_pop(L, 1);
}

static void open_math(lua_State *L)
{
	static const luaL_Reg ours[] = { { "random", safe_random }, { "exp", safe_exp }, { "log", safe_log },
		{ "pow", safe_pow }, { "sin", safe_sin }, { "cos", safe_cos }, { "tan", safe_tan },
		{ "asin", safe_asin }, { "acos", safe_acos }, { "atan", safe_atan }, { NULL, NULL } };
	static const char *const gone[] = { "randomseed", NULL };
	luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 1);
	luaL_setfuncs(L, ours, 0);
	lua_safe_drop(L, lua_gettop(L), gone);
	lua_pop(L, 1);
}

void safe_open(lua_State *L)
{
	static const char *const long_texts[] = { "char", "lower", "upper", "reverse", "pack", "packsize",
		"unpack", NULL };
	static const char *const many_texts[] = { "byte", NULL };
	static const char *const many_tables[] = { "unpack", NULL };
	static const char *const long_utf8[] = { "char", "len", "offset", NULL };
	static const char *const many_utf8[] = { "codepoint", NULL };
	static const char *const gone[] = { "dump", NULL };
	open_base(L);
	open_math(L);
	luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
	lua_safe_drop(L, lua_gettop(L), gone);
	safe_wrap(L, lua_gettop(L), "format", safe_format);
	wrap_all(L, long_texts, safe_long);
	wrap_all(L, many_texts, safe_many);
	match_open(L);
	luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 1);
	lua_pushcfunction(L, safe_sort);
	lua_setfield(L, -2, "sort");
	safe_wrap(L, lua_gettop(L), "move", safe_move);
	safe_wrap(L, lua_gettop(L), "concat", safe_concat);
	safe_wrap(L, lua_gettop(L), "insert", safe_shift);
	safe_wrap(L, lua_gettop(L), "remove", safe_shift);
	wrap_all(L, many_tables, safe_many);
	luaL_requiref(L, LUA_UTF8LIBNAME, luaopen_utf8, 1);
	wrap_all(L, long_utf8, safe_long);
	wrap_all(L, many_utf8, safe_many);
	luaL_requiref(L, LUA_COLIBNAME, luaopen_coroutine, 1);
	lua_pop(L, 4);
}
