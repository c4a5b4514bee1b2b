/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_script.c - a script's declarations in its global tables: params, uses, summary, paper; and the policy
 * that schedlab makes of it.
 *
 * params = { window = { default = 10, min = 1, max = 100, help = "how many jobs are looked at" } }: known to
 * `list`, --set and help as those of any policy. When the script runs, params.window is the value.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/lua/lua_parts.h"
#include "policies/lua/lua_sim.h"

enum { PARAMS_MAX = 100, TEXT_MAX = 1000 };

/* Where the word stands next, before `end`, and is followed by '='. */
static const char *find_word(const char *at, const char *end, const char *word)
{
	const size_t len = strlen(word);
	for (const char *p = at; p + len < end; p++) {
		if (memcmp(p, word, len) != 0 || (p > at && sl_is_letter(p[-1])))
			continue;
		const char *behind = p + len;
		while (behind < end && strchr(" \t\"']", *behind))
			behind++;
		if (behind < end && *behind == '=')
			return p;
	}
	return NULL;
}

/* Values do not know their lines: the text is looked through for params = and, behind it, KEY =. 0: it is
 * made in some other way. */
static uint64_t line_of(const struct lua_sim *sim, const char *key)
{
	struct sl_err unused = { 0 };
	const char *text;
	size_t len;
	uint64_t line = 1;
	if (sl_script_text(sim->script, NULL, &text, &len, &unused))
		return 0;
	const char *found = find_word(text, text + len, "params");
	if (found && key)
		found = find_word(found, text + len, key);
	for (const char *p = text; found && p < found; p++)
		line += *p == '\n';
	return found ? line : 0;
}

/* key NULL: of all. */
static int lua_script_fail(const struct lua_sim *sim, struct sl_err *err, const char *key, const char *what)
{
	const struct sl_place at = { sl_script_path(sim->script), line_of(sim, key), 0 };
	return sl_fail_at(err, &at, "params%s%s: %s", key ? "." : "", key ? key : "", what);
}

/* ---- uses ----------------------------------------------------------------------------------------- */

static int read_uses(struct lua_sim *sim, unsigned *uses, struct sl_err *err)
{
	static const struct {
		const char *word;
		unsigned use;
	} known[] = { { "preempt", SL_USE_PREEMPT }, { "promises", SL_USE_PROMISES } };
	lua_State *L = sim->L;
	const int type = luaw_global(L, "uses");
	if (type != LUA_TNIL && type != LUA_TTABLE)
		(void)sl_fail(err, SL_INPUT, "%s: uses is no list: write uses = { \"preempt\" }",
			sl_script_path(sim->script));
	for (lua_Integer i = 1; type == LUA_TTABLE && !err->status && lua_rawgeti(L, 1, i) != LUA_TNIL; i++) {
		const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
		unsigned use = 0;
		for (size_t k = 0; k < SL_LEN(known); k++)
			use |= strcmp(word, known[k].word) == 0 ? known[k].use : 0;
		if (!use)
			(void)sl_fail(err, SL_INPUT, "%s: uses: '%.40s' is not one of preempt, promises",
				sl_script_path(sim->script), word);
		*uses |= use;
		lua_pop(L, 1);
	}
	lua_settop(L, 0);
	return err->status;
}

/* ---- One parameter ------------------------------------------------------------------------------------ */

/* Beyond what a REAL may be: the most. */
static int64_t micro_of(double value)
{
	double key;
	if (!luaw_quantise(value, &key) || !(key < 0x1p62 && key > -0x1p62))
		return INT64_MAX;
	return (int64_t)floor(key + 0.5);
}

/* The definition stands at `at`. A field as text, NULL: not set. */
static char *field_text(lua_State *L, int at, const char *field, struct sl_arena *arena)
{
	char number[40];
	char *text = NULL;
	switch (luaw_field(L, at, field)) {
	case LUA_TSTRING:
		text = sl_strdup(arena, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
		break;
	case LUA_TBOOLEAN:
		text = sl_strdup(
			arena, lua_toboolean(L, -1) ? "true" : "false", lua_toboolean(L, -1) ? 4 : 5);
		break;
	case LUA_TNUMBER:
		*(lua_isinteger(L, -1) ? sl_put_i64(number, lua_tointeger(L, -1))
				       : sl_put_micro(number, micro_of(lua_tonumber(L, -1)))) = '\0';
		text = sl_strdup(arena, number, strlen(number));
		break;
	default:
		break;
	}
	lua_pop(L, 1);
	return text;
}

/* "a|b|c" of the list `choices`. */
static char *choices_text(lua_State *L, int at, struct sl_arena *arena)
{
	char text[TEXT_MAX] = "";
	size_t len = 0;
	if (luaw_field(L, at, "choices") == LUA_TTABLE)
		for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
			const char *word = lua_tostring(L, -1);
			if (len + strlen(word) + 2 < sizeof(text))
				len += (size_t)snprintf(
					text + len, sizeof(text) - len, "%s%s", i > 1 ? "|" : "", word);
			lua_pop(L, 1);
		}
	lua_settop(L, at);
	return len ? sl_strdup(arena, text, len) : NULL;
}

static enum sl_param_kind lua_script_kind_of(lua_State *L, int at, bool choices)
{
	(void)luaw_field(L, at, "time");
	const bool time = lua_toboolean(L, -1);
	const int type = luaw_field(L, at, "default");
	const bool whole = lua_isinteger(L, -1);
	lua_pop(L, 2);
	if (time)
		return SL_PARAM_TIME;
	if (type == LUA_TBOOLEAN)
		return SL_PARAM_BOOL;
	if (type == LUA_TSTRING)
		return choices ? SL_PARAM_CHOICE : SL_PARAM_TEXT;
	return whole ? SL_PARAM_INT : SL_PARAM_REAL;
}

/* A bound in the kind's own unit. */
static bool bound_of(enum sl_param_kind kind, const char *text, int64_t *value)
{
	const size_t len = strlen(text);
	if (kind == SL_PARAM_INT)
		return sl_get_i64(text, len, value);
	return kind == SL_PARAM_TIME ? sl_get_duration(text, len, value) : sl_get_micro(text, len, value);
}

/* min and max, which go together. */
static int bounds(
	struct lua_sim *sim, struct sl_param *param, int at, struct sl_arena *arena, struct sl_err *err)
{
	const char *low = field_text(sim->L, at, "min", arena);
	const char *high = field_text(sim->L, at, "max", arena);
	char text[100];
	if (!low && !high)
		return SL_OK;
	if (!low || !high)
		return lua_script_fail(sim, err, param->key, "has one of min and max: give both");
	if (param->kind != SL_PARAM_INT && param->kind != SL_PARAM_REAL && param->kind != SL_PARAM_TIME)
		return lua_script_fail(sim, err, param->key, "has min and max, and is no number");
	if (!bound_of(param->kind, low, &param->min) || !bound_of(param->kind, high, &param->max) ||
		param->min >= param->max)
		return lua_script_fail(sim, err, param->key, "min is not a number below max");
	(void)snprintf(text, sizeof(text), "%.40s..%.40s", low, high);
	param->choices = sl_strdup(arena, text, strlen(text));
	return SL_OK;
}

/* The definition is on top of the stack. */
static int take_param(struct lua_sim *sim, struct sl_param *param, const char *key, struct sl_arena *arena,
	struct sl_err *err)
{
	lua_State *L = sim->L;
	const int at = lua_gettop(L);
	const size_t len = strlen(key);
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	if (!len || len > 40 || strspn(key, letters) != len)
		return sl_fail(err, SL_INPUT, "%s: params: '%.40s' is no name: letters, digits, _ and -",
			sl_script_path(sim->script), key);
	if (lua_type(L, at) != LUA_TTABLE)
		return lua_script_fail(sim, err, key, "is no table: write { default = ..., help = \"...\" }");
	param->key = sl_strdup(arena, key, len);
	param->fallback = field_text(L, at, "default", arena);
	param->help = field_text(L, at, "help", arena);
	char *choices = choices_text(L, at, arena);
	param->choices = choices;
	param->kind = lua_script_kind_of(L, at, choices != NULL);
	if (!param->key)
		return sl_fail_memory(err);
	if (!param->fallback)
		return lua_script_fail(sim, err, key, "has no default: a number, a text, true or false");
	if (!param->help)
		param->help = "the script does not say";
	return bounds(sim, param, at, arena, err);
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(
		*(const char *const *)a, *(const char *const *)b); /* Of one table: no two are the same. */
}

/* The names in params, which is at 1, in their order: of two mistakes always the same is reported. They
 * belong to the table. */
static size_t sorted_keys(const struct lua_sim *sim, const char *key[PARAMS_MAX], struct sl_err *err)
{
	lua_State *L = sim->L;
	size_t count = 0;
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		if (lua_type(L, 2) != LUA_TSTRING || count == PARAMS_MAX) {
			char text[80];
			(void)snprintf(text, sizeof(text), "is no table of at most %d parameters by name",
				PARAMS_MAX);
			(void)lua_script_fail(sim, err, NULL, text);
			break;
		}
		key[count++] = lua_tostring(L, 2);
		lua_settop(L, 2);
	}
	lua_settop(L, 1);
	if (count)
		qsort(key, count, sizeof(*key), compare_keys);
	return count;
}

static int take_params(
	struct lua_sim *sim, struct sl_policy *policy, struct sl_arena *arena, struct sl_err *err)
{
	lua_State *L = sim->L;
	struct sl_param *param = sl_alloc(arena, PARAMS_MAX, sizeof(*param));
	const char *key[PARAMS_MAX];
	size_t count = 0;
	if (!param)
		return sl_fail_memory(err);
	const int type = luaw_global(L, "params");
	if (type == LUA_TTABLE)
		count = sorted_keys(sim, key, err);
	else if (type != LUA_TNIL)
		(void)lua_script_fail(sim, err, NULL, "is no table");
	for (size_t i = 0; i < count && !err->status; i++) {
		(void)luaw_field(L, 1, key[i]);
		(void)take_param(sim, &param[i], key[i], arena, err);
		lua_settop(L, 1);
	}
	lua_settop(L, 0);
	policy->params = param;
	policy->param_count = count;
	return err->status;
}

/* ---- The policy ------------------------------------------------------------------------------ */

static char *global_text(lua_State *L, const char *name, struct sl_arena *arena)
{
	char *text = NULL;
	if (luaw_global(L, name) == LUA_TSTRING)
		text = sl_strdup(arena, lua_tostring(L, -1), strlen(lua_tostring(L, -1)));
	lua_settop(L, 0);
	return text;
}

static int read_policy(
	struct lua_sim *sim, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err)
{
	const char *path = sl_script_path(sim->script);
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');
	unsigned uses = 0;
	struct sl_policy *made = sl_alloc(arena, 1, sizeof(*made));
	if (!made)
		return sl_fail_memory(err);
	if (luaw_takes(sim, "pass", NULL) < 0)
		return sl_fail(err, SL_INPUT,
			"%s: has no function pass(s), so it is no policy: write one, or use it as a part "
			"(-p easy:order=lua:%s)",
			path, path);
	*made = lua_policy;
	made->name = sl_strdup(arena, file, dot && dot > file ? (size_t)(dot - file) : strlen(file));
	made->summary = global_text(sim->L, "summary", arena);
	made->paper = global_text(sim->L, "paper", arena);
	if (!made->summary)
		made->summary = "a script in Lua";
	if (!made->name)
		return sl_fail_memory(err);
	*policy = made;
	const int status = read_uses(sim, &uses, err);
	return status ? status : take_params(sim, made, arena, err);
}

/* Each value in the place of its definition. */
static void set_values(struct lua_sim *sim, const struct sl_setup *setup)
{
	lua_State *L = sim->L;
	if (luaw_global(L, "params") == LUA_TTABLE)
		for (size_t i = 0; i < setup->value_count; i++) {
			const struct sl_value *value = &setup->values[i];
			(void)luaw_field(L, 1, value->key);
			const bool choices = luaw_field(L, 2, "choices") == LUA_TTABLE;
			const enum sl_param_kind kind = lua_script_kind_of(L, 2, choices);
			if (kind == SL_PARAM_INT)
				lua_pushinteger(L, value->number);
			else if (kind == SL_PARAM_BOOL)
				lua_pushboolean(L, value->number != 0);
			else if (kind == SL_PARAM_REAL || kind == SL_PARAM_TIME)
				lua_pushnumber(L, (double)value->number / 1e6);
			else
				lua_pushstring(L, value->text);
			lua_setfield(L, 1, value->key);
			lua_settop(L, 1);
		}
	lua_settop(L, 0);
}

/* ---- Asked by C: whatever the script has made of its tables, an error in them is one of the script ---- */

struct reading {
	const struct sl_policy **policy;
	struct sl_arena *arena;
	const struct sl_setup *setup;
	unsigned *uses;
	struct sl_err *err;
};

static void do_policy(struct lua_sim *sim, void *self)
{
	const struct reading *reading = self;
	(void)read_policy(sim, reading->policy, reading->arena, reading->err);
}

static void do_uses(struct lua_sim *sim, void *self)
{
	const struct reading *reading = self;
	(void)read_uses(sim, reading->uses, reading->err);
}

static void do_values(struct lua_sim *sim, void *self)
{
	const struct reading *reading = self;
	set_values(sim, reading->setup);
}

int script_policy(
	struct lua_sim *sim, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err)
{
	struct reading reading = { .policy = policy, .arena = arena, .err = err };
	return luaw_do(sim, do_policy, &reading, err);
}

int script_uses(struct lua_sim *sim, unsigned *uses, struct sl_err *err)
{
	struct reading reading = { .uses = uses, .err = err };
	return luaw_do(sim, do_uses, &reading, err);
}

int script_values(struct lua_sim *sim, const struct sl_setup *setup, struct sl_err *err)
{
	struct reading reading = { .setup = setup };
	return luaw_do(sim, do_values, &reading, err);
}
