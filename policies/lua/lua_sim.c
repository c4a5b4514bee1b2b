/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_sim.c - an interpreter for one script in one run: memory, instructions, calls and their errors.
 */
#include "policies/lua/lua_sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, MILLION = 1000000 };
/* After so many steps the limit is tested. A coroutine counts for itself, and its steps since are lost with
 * it. */
enum { HOOK_STEPS = 1000, HOOK_COROUTINE = LUAW_COROUTINE, HOOK_LEAST = 8 };
/* A large block costs as many steps as it has so many bytes. A text is no longer than that: an instruction
 * that compares two cannot be ended before it is over. */
enum { CHUNK = 1 << 10 }; /* Of a script's text. */
enum { LARGE = 1 << 16, BYTES_A_STEP = 64, TEXT_TIMES = 8, TABLE_PART = 16 };

/* ---- Bounds ------------------------------------------------------------------------------------ */

static void count_steps(lua_State *L, lua_Debug *at);

/* The run is to end, or the loading; a call that was in the middle of something says so. */
static bool is_stopping(struct lua_sim *sim)
{
	if (sim->pass ? sl_stopping(sim->pass) : sl_script_stopping(sim->script)) {
		sim->stopped = true;
		sim->steps_left = -1;
	}
	return sim->stopped;
}

static bool lua_sim_is_over(struct lua_sim *sim) { return is_stopping(sim) || sim->steps_left < 0; }

/* The time of one instruction grows with the largest block: the larger that is, the sooner the limit is
 * tested. */
static int hook_steps(const struct lua_sim *sim, const lua_State *L)
{
	const int most = L == sim->L ? HOOK_STEPS : HOOK_COROUTINE;
	const size_t steps = HOOK_STEPS / (1 + sim->largest / LARGE);
	if (sim->steps_left < 0)
		return 1; /* A script that catches the error goes no further than the next instruction. */
	if (steps < HOOK_LEAST)
		return HOOK_LEAST;
	return steps < (size_t)most ? (int)steps : most;
}

void luaw_runs(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	const int steps = hook_steps(sim, L);
	sim->running = L;
	if (lua_gethook(L) != count_steps || lua_gethookcount(L) != steps)
		lua_sethook(L, count_steps, LUA_MASKCOUNT, steps);
}

/* A text is compared letter by letter; of a table or the stack little is gone through by one instruction. */
static void note_size(struct lua_sim *sim, size_t size, bool text)
{
	const size_t weight = text ? TEXT_TIMES * size : size / TABLE_PART;
	if (weight <= LARGE || weight <= sim->largest)
		return;
	sim->largest = weight;
	luaw_runs(sim->running);
}

/* Before memory is refused for good Lua collects its garbage, and after that the error may be caught: steps.
 */
static bool lua_sim_refuse(struct lua_sim *sim, bool too_long)
{
	sim->too_long = too_long;
	sim->steps_left -= (int64_t)(sim->memory_used / BYTES_A_STEP);
	if (lua_sim_is_over(sim))
		luaw_runs(sim->running);
	return false;
}

/* Large blocks are steps too: an instruction that makes one is slower than others. */
static bool may_grow(struct lua_sim *sim, size_t had, size_t size, bool text)
{
	const size_t used = sim->memory_used;
	const size_t more = size - had;
	if (more > (sim->memory_max > used ? sim->memory_max - used : 0))
		return lua_sim_refuse(sim, false);
	if (text && size > LUAW_TEXT_MAX + LARGE)
		return lua_sim_refuse(sim, true);
	note_size(sim, size, text);
	if (size <= LARGE)
		return true;
	sim->steps_left -= (int64_t)(more / BYTES_A_STEP);
	if (!lua_sim_is_over(sim))
		return true;
	luaw_runs(sim->running);
	return false;
}

/* As lua_Alloc: a block of the size it had, or of a type where it is new. Outside a call an error could not
 * be caught, and little is requested. */
static void *allocate(void *self, void *block, size_t had, size_t size)
{
	struct lua_sim *sim = self;
	const bool text = !block && had == LUA_TSTRING;
	if (!block)
		had = 0;
	if (!size) {
		sim->memory_used -= had;
		free(block);
		return NULL;
	}
	if (size > had && sim->calls && !may_grow(sim, had, size, text))
		return NULL;
	void *now = realloc(block, size);
	if (now)
		sim->memory_used += size - had;
	return now;
}

static void say_stopped(struct lua_sim *sim, char *text, size_t size)
{
	if (sim->pass)
		(void)snprintf(text, size,
			"stopped in %s, which had not come to its end: results are partial",
			sim->calling ? sim->calling : "the script");
	else
		(void)snprintf(text, size, "stopped while it was loaded: nothing was run");
}

/* Why, once: a script that catches it and goes on gets the same error again. at: where it is. */
static void say_why(struct lua_sim *sim, const lua_Debug *at)
{
	char where[LUA_IDSIZE + 20];
	char text[200];
	if (at->currentline < 0)
		(void)snprintf(where, sizeof(where), "%.70s", sl_script_path(sim->script));
	else
		(void)snprintf(where, sizeof(where), "%s:%d", at->short_src, at->currentline);
	if (sim->stopped)
		say_stopped(sim, text, sizeof(text));
	else
		(void)snprintf(text, sizeof(text),
			"%s%s goes on for more than %d million instructions: a loop without end? limits = { "
			"instructions = ... } (millions) allows more",
			sim->calling ? sim->calling : "the script", sim->calling ? "()" : "",
			(int)(sim->steps_max / MILLION));
	(void)snprintf(sim->why, sizeof(sim->why), "%s: %s", where, text);
}

/* No handler of the script's is called for it, and nothing that catches it goes on (lua_guard.c). */
static void halt(lua_State *L, const lua_Debug *at)
{
	struct lua_sim *sim = luaw_of(L);
	if (!sim->halted)
		say_why(sim, at);
	sim->halted = true;
	luaw_runs(L);
	(void)lua_pushstring(L, sim->why);
	(void)lua_error(L);
}

static void count_steps(lua_State *L, lua_Debug *at)
{
	struct lua_sim *sim = luaw_of(L);
	sim->steps_left -= lua_gethookcount(L);
	if (!lua_sim_is_over(sim))
		return;
	(void)lua_getinfo(L, "Sl", at);
	halt(L, at);
}

void luaw_look(lua_State *L)
{
	struct lua_sim *sim = luaw_of(L);
	lua_Debug at = { .currentline = -1 };
	sim->worked = 0;
	if (!lua_sim_is_over(sim))
		return;
	/* The line that called. */
	for (int level = 0; at.currentline < 0 && lua_getstack(L, level, &at); level++)
		(void)lua_getinfo(L, "Sl", &at);
	halt(L, &at);
}

void luaw_work(lua_State *L, int64_t steps)
{
	struct lua_sim *sim = luaw_of(L);
	sim->steps_left = steps < INT64_MAX / 2 ? sim->steps_left - steps : -1;
	sim->worked += steps < HOOK_STEPS ? steps : HOOK_STEPS;
	if (sim->steps_left < 0 || sim->worked >= HOOK_STEPS)
		luaw_look(L);
}

/* ---- Calls and their errors ---------------------------------------------------------------------- */

/* An allocation was refused. */
static int fail_memory(const struct lua_sim *sim, const char *calling, int status, struct sl_err *err)
{
	const char *path = sl_script_path(sim->script);
	const char *name = calling ? calling : "the script";
	const char *brackets = calling ? "()" : "";
	if (sim->steps_left < 0)
		return sl_fail(err, status,
			"%s: %s%s makes texts and tables without end: limits = { instructions = ... } allows more",
			path, name, brackets);
	if (sim->too_long)
		return sl_fail(err, status,
			"%s: %s%s makes a text that is longer than %d MiB, the most of one", path, name,
			brackets, LUAW_TEXT_MAX / MIB);
	return sl_fail(err, status,
		"%s: %s%s needs more than %zu MiB of memory: limits = { memory = ... } (MiB) allows more",
		path, name, brackets, sim->memory_max / MIB);
}

static int fail_stopped(struct lua_sim *sim, int status, struct sl_err *err)
{
	char text[200];
	say_stopped(sim, text, sizeof(text));
	return sl_fail(err, status, "%s: %s", sl_script_path(sim->script), text);
}

/* The message of the error on the stack, which goes. */
static int take_error(struct lua_sim *sim, const char *calling, int failed, int status, struct sl_err *err)
{
	lua_State *L = sim->L;
	const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
	if (sim->halted)
		(void)sl_fail(err, status, "%.900s", sim->why);
	else if (sim->stopped)
		(void)fail_stopped(sim, status, err);
	else if (failed == LUA_ERRMEM)
		(void)fail_memory(sim, calling, status, err);
	else if (text && strchr(text, ':'))
		(void)sl_fail(err, status, "%.900s", text);
	else
		(void)sl_fail(err, status, "%s: %s%s failed: %.700s", sl_script_path(sim->script),
			calling ? calling : "the script", calling ? "()" : "",
			text ? text : "the error is no text");
	lua_pop(L, 1);
	return status;
}

void luaw_fail(struct lua_sim *sim, int line, const char *text)
{
	struct sl_err err = { 0 };
	const struct sl_place at = { sl_script_path(sim->script), (uint64_t)line, 0 };
	(void)sl_fail_at(&err, &at, "%s", text);
	err.status = SL_POLICY;
	sim->failed = true;
	if (sim->pass)
		sl_fail_run(sim->pass, &err);
}

static void call_begins(struct lua_sim *sim, const char *calling)
{
	sim->calling = calling;
	sim->drawn = false;
	sim->halted = false;
	sim->steps_left = sim->steps_max;
	sim->calls++;
	luaw_runs(sim->L);
}

static void call_ends(struct lua_sim *sim, const char *before)
{
	sim->calling = before;
	sim->calls--;
	sim->running = sim->L;
}

/* calling NULL: the script itself. */
static int call(struct lua_sim *sim, const char *calling, int arguments, int results)
{
	lua_State *L = sim->L;
	const char *before = sim->calling;
	call_begins(sim, calling);
	int failed = lua_pcall(L, arguments, results, 0);
	if (!failed && sim->halted) { /* Whatever caught it. */
		lua_pop(L, results);
		lua_pushnil(L);
		failed = LUA_ERRRUN;
	}
	call_ends(sim, before);
	return failed;
}

bool luaw_call(struct lua_sim *sim, const char *calling, int arguments, int results)
{
	struct sl_err err = { 0 };
	const int failed = call(sim, calling, arguments, results);
	if (!failed)
		return true;
	(void)take_error(sim, calling, failed, sim->stopped ? SL_INTERRUPTED : SL_POLICY, &err);
	sim->failed = true;
	sl_fail_run(sim->pass, &err);
	return false;
}

int luaw_try(struct lua_sim *sim, const char *calling, int arguments, int results, struct sl_err *err)
{
	const int failed = call(sim, calling, arguments, results);
	return failed ? take_error(sim, calling, failed, sim->stopped ? SL_INTERRUPTED : SL_INPUT, err)
		      : SL_OK;
}

struct step {
	void (*step)(struct lua_sim *, void *);
	void *self;
};

static int do_step(lua_State *L)
{
	const struct step *step = lua_touserdata(L, 1);
	lua_settop(L, 0);
	step->step(luaw_of(L), step->self);
	return 0;
}

int luaw_do(struct lua_sim *sim, void (*step)(struct lua_sim *, void *), void *self, struct sl_err *err)
{
	struct step asked = { step, self };
	lua_pushcfunction(sim->L, do_step);
	lua_pushlightuserdata(sim->L, &asked);
	const int status = luaw_try(sim, NULL, 1, 0, err);
	return status ? status : err->status;
}

int luaw_field(lua_State *L, int at, const char *name)
{
	const int table = lua_absindex(L, at);
	(void)lua_pushstring(L, name);
	return lua_rawget(L, table);
}

int luaw_global(lua_State *L, const char *name)
{
	lua_pushglobaltable(L);
	const int type = luaw_field(L, -1, name);
	lua_remove(L, -2);
	return type;
}

bool luaw_function(struct lua_sim *sim, const char *name)
{
	if (luaw_global(sim->L, name) == LUA_TFUNCTION)
		return true;
	lua_pop(sim->L, 1);
	return false;
}

int luaw_takes(struct lua_sim *sim, const char *name, int *line)
{
	lua_Debug about;
	if (!luaw_function(sim, name))
		return -1;
	(void)lua_getinfo(sim->L, ">uS", &about);
	if (line)
		*line = about.linedefined > 0 ? about.linedefined : 0;
	return about.isvararg ? INT16_MAX : about.nparams;
}

/* Results of libm may differ in their last bits between machines. */
static double steady(double value)
{
	int exponent;
	const double mantissa = frexp(value, &exponent);
	return ldexp(floor(ldexp(mantissa, 40) + 0.5), exponent - 40);
}

bool luaw_quantise(double value, double *key)
{
	const double micro = value * 1e6;
	const double size = fabs(micro);
	if (!isfinite(micro))
		return false;
	*key = size >= 0x1p40 && size < 0x1p53 ? floor(micro + 0.5) : steady(micro);
	return true;
}

/* ---- A script in one run --------------------------------------------------------------------- */

/* What it sets in its table `limits`, which is left alone. */
static int read_limit(struct lua_sim *sim, const char *key, int64_t most, int64_t *value, struct sl_err *err)
{
	lua_State *L = sim->L;
	int whole = 0;
	if (luaw_global(L, "limits") == LUA_TTABLE && luaw_field(L, -1, key) != LUA_TNIL) {
		const lua_Integer found = lua_tointegerx(L, -1, &whole);
		if (!whole || found < 1 || found > most) {
			(void)sl_fail(err, SL_INPUT, "%s: limits.%s is not a whole number from 1 to %" PRId64,
				sl_script_path(sim->script), key, most);
		}
		*value = found;
	}
	lua_settop(L, 0);
	return err->status;
}

static int read_limits(struct lua_sim *sim, struct sl_err *err)
{
	int64_t memory = MEMORY_MIB;
	int64_t steps = STEPS_MILLION;
	int status = read_limit(sim, "memory", MEMORY_MIB_MAX, &memory, err);
	if (!status)
		status = read_limit(sim, "instructions", STEPS_MILLION_MAX, &steps, err);
	sim->memory_max = (size_t)memory * MIB;
	sim->steps_max = steps * MILLION;
	return status;
}

struct text {
	const char *at, *end;
};

/* As lua_Reader: in pieces, between which the limit is tested; what is behind a piece may depend on all
 * before. */
static const char *read_alloc(lua_State *L, void *self, size_t *len)
{
	struct text *text = self;
	const char *part = text->at;
	*len = (size_t)(text->end - part) < CHUNK ? (size_t)(text->end - part) : CHUNK;
	text->at += *len;
	luaw_work(L, CHUNK / 16);
	luaw_look(L);
	return part;
}

int luaw_load(lua_State *L, const char *text, size_t len, const char *chunk)
{
	struct text from = { text, text + len };
	return lua_load(L, read_alloc, &from, chunk, "t");
}

/* Its libraries: an allocation may fail in each. */
static int open_libraries(lua_State *L)
{
	safe_open(L);
	guard_open(L);
	job_open(L);
	pass_open(L);
	return 0;
}

static int run_script(struct lua_sim *sim, struct sl_err *err)
{
	lua_State *L = sim->L;
	const char *text;
	size_t len;
	char chunk[600];
	const int status = sl_script_text(sim->script, NULL, &text, &len, err);
	if (status)
		return status;
	(void)snprintf(chunk, sizeof(chunk), "@%.500s", sl_script_path(sim->script));
	call_begins(sim, NULL);
	const int failed = luaw_load(L, text, len, chunk);
	call_ends(sim, NULL);
	if (failed && sim->stopped)
		return take_error(sim, NULL, failed, SL_INTERRUPTED, err);
	return failed ? take_error(sim, NULL, failed, SL_INPUT, err) : luaw_try(sim, NULL, 0, 0, err);
}

static char *lua_sim_name_of(const char *path, struct sl_arena *arena)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');
	return sl_strdup(arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
}

int luaw_open(struct lua_sim *sim, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err)
{
	*sim = (struct lua_sim){ .script = script,
		.memory_max = (size_t)MEMORY_MIB * MIB,
		.steps_max = (int64_t)STEPS_MILLION * MILLION };
	if (setup) {
		sim->arena = setup->arena;
		sim->seed = setup->seed;
		sim->pass = setup->sim;
		sim->jobs = setup->jobs;
		sim->cluster = setup->cluster;
	}
	sim->L = lua_newstate(allocate, sim);
	if (!sim->L)
		return sl_fail_memory(err);
	*(struct lua_sim **)lua_getextraspace(sim->L) = sim;
	sim->name = "script";
	if (setup && !(sim->name = lua_sim_name_of(sl_script_path(script), setup->arena)))
		return sl_fail_memory(err);
	sim->draw.what = "begin";
	lua_pushcfunction(sim->L, open_libraries);
	int status = luaw_try(sim, NULL, 0, 0, err);
	if (!status)
		status = run_script(sim, err);
	if (!status)
		status = read_limits(sim, err);
	if (status)
		return status;
	(void)luaw_global(sim->L, "clairvoyant");
	sim->clairvoyant = lua_toboolean(sim->L, -1);
	lua_settop(sim->L, 0);
	return SL_OK;
}

bool luaw_early(struct lua_sim *sim, int status, struct sl_err *err)
{
	if (status != SL_INTERRUPTED || !sim->pass)
		return false;
	*err = (struct sl_err){ 0 };
	sim->early = true;
	return true;
}

bool luaw_good(struct lua_sim *sim)
{
	struct sl_err err = { 0 };
	if (!sim->early || sim->failed)
		return !sim->failed;
	(void)fail_stopped(sim, SL_INTERRUPTED, &err);
	sim->failed = true;
	sl_fail_run(sim->pass, &err);
	return false;
}

void luaw_close(struct lua_sim *sim)
{
	if (sim->L)
		lua_close(sim->L);
	sim->L = NULL;
}
