/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_match.c - string.find, match, gmatch and gsub, with each step counted.
 *
 * Lua's own matching goes back as often as a pattern makes it: a pattern of some twenty letters runs for
 * years, within one instruction. The rules are those of the Lua 5.4 manual, 6.4.1; a step of matching costs
 * as an instruction does, so that a script ends where it would have ended had it matched by itself.
 */
#include <ctype.h>
#include <string.h>

#include "policies/lua/lua_sim.h"

enum { CAPTURES_MAX = 32, DEPTH_MAX = 200 };
enum { CAPTURE_OPEN = -1, CAPTURE_PLACE = -2 };

struct match {
	lua_State *L;
	const char *subject, *subject_end, *pattern_end;
	int depth; /* Of try_match in itself. */
	int count;
	struct {
		const char *from;
		ptrdiff_t len; /* Or CAPTURE_OPEN, CAPTURE_PLACE. */
	} capture[CAPTURES_MAX];
};

static const char *try_match(struct match *m, const char *s, const char *p);

/* ---- One letter ------------------------------------------------------------------------------------- */

/* Where what stands for one letter ends: "a", "%a", "[a-z]". */
static const char *class_end(const struct match *m, const char *p)
{
	if (p == m->pattern_end)
		(void)luaL_error(m->L, "malformed pattern (ends unexpectedly)");
	if (*p == '%') {
		if (p + 1 == m->pattern_end)
			(void)luaL_error(m->L, "malformed pattern (ends with '%%')");
		return p + 2;
	}
	if (*p++ != '[')
		return p;
	p += p < m->pattern_end && *p == '^';
	bool first = true; /* A ']' that comes first is one of the set. */
	while (first || p >= m->pattern_end || *p != ']') {
		if (p >= m->pattern_end)
			(void)luaL_error(m->L, "malformed pattern (missing ']')");
		p += *p == '%' && p + 1 < m->pattern_end ? 2 : 1;
		first = false;
	}
	return p + 1;
}

static bool is_of_class(int c, int class)
{
	static int (*const is[])(int c) = { ['a'] = isalpha,
		['c'] = iscntrl,
		['d'] = isdigit,
		['g'] = isgraph,
		['l'] = islower,
		['p'] = ispunct,
		['s'] = isspace,
		['u'] = isupper,
		['w'] = isalnum,
		['x'] = isxdigit };
	const int lower = class >= 'A' && class <= 'Z' ? class + 32 : class;
	if (lower < 0 || lower >= (int)SL_LEN(is) || !is[lower])
		return class == c;
	return (is[lower](c) != 0) == (lower == class);
}

/* p: behind '['; end: at its ']'. */
static bool is_of_set(int c, const char *p, const char *end)
{
	const bool is = *p != '^';
	p += !is;
	while (p < end) {
		const unsigned char from = (unsigned char)*p;
		if (from == '%' && p + 1 < end) {
			if (is_of_class(c, (unsigned char)p[1]))
				return is;
			p += 2;
		} else if (p + 2 < end && p[1] == '-') {
			if (from <= c && c <= (unsigned char)p[2])
				return is;
			p += 3;
		} else {
			if (from == c)
				return is;
			p++;
		}
	}
	return !is;
}

/* Is there a letter at s, and is it one of [p, end)? */
static bool is_single(const struct match *m, const char *s, const char *p, const char *end)
{
	luaw_work(m->L, 1 + (end - p) / 8);
	if (s >= m->subject_end)
		return false;
	const int c = (unsigned char)*s;
	switch (*p) {
	case '.':
		return true;
	case '%':
		return is_of_class(c, (unsigned char)p[1]);
	case '[':
		return is_of_set(c, p + 1, end - 1);
	default:
		return (unsigned char)*p == c;
	}
}

/* ---- What stands for several --------------------------------------------------------------------------- */

static const char *match_balance(const struct match *m, const char *s, const char *p)
{
	if (p + 1 >= m->pattern_end)
		(void)luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
	if (s >= m->subject_end || *s != *p)
		return NULL;
	for (size_t open = 1; ++s < m->subject_end;) {
		luaw_work(m->L, 1);
		if (*s == p[1]) {
			if (--open == 0)
				return s + 1;
		} else {
			open += *s == *p;
		}
	}
	return NULL;
}

/* As many as there are, then fewer. */
static const char *match_most(struct match *m, const char *s, const char *p, const char *end)
{
	ptrdiff_t i = 0;
	while (is_single(m, s + i, p, end))
		i++;
	for (; i >= 0; i--) {
		const char *found = try_match(m, s + i, end + 1);
		if (found)
			return found;
	}
	return NULL;
}

/* As few as will do. */
static const char *match_least(struct match *m, const char *s, const char *p, const char *end)
{
	for (;; s++) {
		const char *found = try_match(m, s, end + 1);
		if (found)
			return found;
		if (!is_single(m, s, p, end))
			return NULL;
	}
}

static const char *capture_begin(struct match *m, const char *s, const char *p, ptrdiff_t what)
{
	if (m->count == CAPTURES_MAX)
		(void)luaL_error(m->L, "too many captures");
	m->capture[m->count].from = s;
	m->capture[m->count++].len = what;
	const char *found = try_match(m, s, p);
	m->count -= !found;
	return found;
}

static const char *capture_end(struct match *m, const char *s, const char *p)
{
	int last = m->count - 1;
	while (last >= 0 && m->capture[last].len != CAPTURE_OPEN)
		last--;
	if (last < 0)
		(void)luaL_error(m->L, "invalid pattern capture");
	m->capture[last].len = s - m->capture[last].from;
	const char *found = try_match(m, s, p);
	if (!found)
		m->capture[last].len = CAPTURE_OPEN;
	return found;
}

static const char *match_retry(const struct match *m, const char *s, int digit)
{
	const int which = digit - '1';
	if (which < 0 || which >= m->count || m->capture[which].len == CAPTURE_OPEN)
		(void)luaL_error(m->L, "invalid capture index %%%d", which + 1);
	const ptrdiff_t len = m->capture[which].len;
	if (len == CAPTURE_PLACE)
		return NULL;
	luaw_work(m->L, 1 + len / 64);
	return m->subject_end - s >= len && memcmp(m->capture[which].from, s, (size_t)len) == 0 ? s + len
												: NULL;
}

/* %f[set]: between one that is not of the set, and one that is. */
static const char *match_border(const struct match *m, const char *s, const char *p)
{
	if (p >= m->pattern_end || *p != '[')
		(void)luaL_error(m->L, "missing '[' after '%%f' in pattern");
	const char *end = class_end(m, p);
	const int before = s == m->subject ? 0 : (unsigned char)s[-1];
	const int behind = s < m->subject_end ? (unsigned char)*s : 0;
	luaw_work(m->L, 1 + (end - p) / 8);
	return !is_of_set(before, p + 1, end - 1) && is_of_set(behind, p + 1, end - 1) ? end : NULL;
}

/* One letter and what is behind it. *s, *p: where to go on; *p NULL: what is answered is the answer. */
static const char *match_single(struct match *m, const char **s, const char **p)
{
	const char *at = *p;
	const char *end = class_end(m, at);
	const char sign = end < m->pattern_end ? *end : '\0';
	*p = NULL;
	if (sign == '*')
		return match_most(m, *s, at, end);
	if (sign == '-')
		return match_least(m, *s, at, end);
	const bool is = is_single(m, *s, at, end);
	if (sign == '+')
		return is ? match_most(m, *s + 1, at, end) : NULL;
	if (sign == '?') {
		const char *found = is ? try_match(m, *s + 1, end + 1) : NULL;
		if (found)
			return found;
		*p = end + 1;
		return NULL;
	}
	if (is) {
		*s += 1;
		*p = end;
	}
	return NULL;
}

/* Where the pattern's end is reached, from s on; NULL: it is not. */
static const char *match_on(struct match *m, const char *s, const char *p)
{
	while (p && p < m->pattern_end) {
		luaw_work(m->L, 1);
		const char next = p + 1 < m->pattern_end ? p[1] : '\0';
		if (*p == '(')
			return next == ')' ? capture_begin(m, s, p + 2, CAPTURE_PLACE)
					   : capture_begin(m, s, p + 1, CAPTURE_OPEN);
		if (*p == ')')
			return capture_end(m, s, p + 1);
		if (*p == '$' && p + 1 == m->pattern_end)
			return s == m->subject_end ? s : NULL;
		if (*p == '%' && next == 'b') {
			s = match_balance(m, s, p + 2);
			p += 4;
			if (!s)
				return NULL;
		} else if (*p == '%' && next == 'f') {
			p = match_border(m, s, p + 2);
		} else if (*p == '%' && next >= '0' && next <= '9') {
			s = match_retry(m, s, next);
			p += 2;
			if (!s)
				return NULL;
		} else {
			const char *found = match_single(m, &s, &p);
			if (!p)
				return found;
		}
	}
	return p ? s : NULL;
}

static const char *try_match(struct match *m, const char *s, const char *p)
{
	if (++m->depth > DEPTH_MAX)
		(void)luaL_error(m->L, "pattern too complex");
	const char *found = match_on(m, s, p);
	m->depth--;
	return found;
}

static const char *match_at(struct match *m, const char *s, const char *p)
{
	m->depth = m->count = 0;
	return try_match(m, s, p);
}

/* ---- What was found -------------------------------------------------------------------------- */

/* The i-th; of a pattern without any the first is all of it. */
static void push_capture(const struct match *m, int i, const char *s, const char *end)
{
	if (i >= m->count) {
		if (i)
			(void)luaL_error(m->L, "invalid capture index %%%d", i + 1);
		lua_pushlstring(m->L, s, (size_t)(end - s));
	} else if (m->capture[i].len == CAPTURE_PLACE) {
		lua_pushinteger(m->L, m->capture[i].from - m->subject + 1);
	} else {
		if (m->capture[i].len == CAPTURE_OPEN)
			(void)luaL_error(m->L, "unfinished capture");
		lua_pushlstring(m->L, m->capture[i].from, (size_t)m->capture[i].len);
	}
}

/* s NULL: nothing where there are none. */
static int push_captures(const struct match *m, const char *s, const char *end)
{
	const int count = m->count == 0 && s ? 1 : m->count;
	luaL_checkstack(m->L, count, "too many captures");
	for (int i = 0; i < count; i++)
		push_capture(m, i, s, end);
	return count;
}

/* From where on, counted from 1, or back from the end; behind it: one more. */
static size_t begin_of(lua_State *L, int at, size_t len)
{
	const lua_Integer from = luaL_optinteger(L, at, 1);
	if (from > 0)
		return (lua_Unsigned)from > len + 1 ? len + 1 : (size_t)from - 1;
	return from == 0 || from < -(lua_Integer)len ? 0 : (size_t)((lua_Integer)len + from);
}

static struct match lua_match_begin(lua_State *L, const char **pattern)
{
	size_t len;
	size_t pattern_len;
	const char *subject = luaL_checklstring(L, 1, &len);
	*pattern = luaL_checklstring(L, 2, &pattern_len);
	return (struct match){ .L = L,
		.subject = subject,
		.subject_end = subject + len,
		.pattern_end = *pattern + pattern_len };
}

/* As memmem, whose time is linear; counted. */
static int find_plain(lua_State *L, const struct match *m, size_t from, const char *p)
{
	const size_t len = (size_t)(m->pattern_end - p);
	const char *s = m->subject + from;
	luaw_work(L, 1 + (m->subject_end - s) / 16);
	const char *found = memmem(s, (size_t)(m->subject_end - s), p, len);
	if (!found) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, found - m->subject + 1);
	lua_pushinteger(L, found - m->subject + (lua_Integer)len);
	return 2;
}

static bool lua_match_is_plain(const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p && strchr("^$*+?.([%-", *p))
			return false;
	return true;
}

static int lua_match_find(lua_State *L, bool places)
{
	const char *p;
	struct match m = lua_match_begin(L, &p);
	const size_t from = begin_of(L, 3, (size_t)(m.subject_end - m.subject));
	const char *s = m.subject + from;
	if (s > m.subject_end) {
		lua_pushnil(L);
		return 1;
	}
	if (places && (lua_toboolean(L, 4) || lua_match_is_plain(p, m.pattern_end)))
		return find_plain(L, &m, from, p);
	const bool fixed = p < m.pattern_end && *p == '^';
	p += fixed;
	do {
		const char *end = match_at(&m, s, p);
		if (!end)
			continue;
		if (!places)
			return push_captures(&m, s, end);
		lua_pushinteger(L, s - m.subject + 1);
		lua_pushinteger(L, end - m.subject);
		return push_captures(&m, NULL, NULL) + 2;
	} while (s++ < m.subject_end && !fixed);
	lua_pushnil(L);
	return 1;
}

static int safe_find(lua_State *L) { return lua_match_find(L, true); }
static int safe_match(lua_State *L) { return lua_match_find(L, false); }

/* Upvalues: subject, pattern, where to go on, where the last one ended (-1: there was none). */
static int gmatch_next(lua_State *L)
{
	size_t len;
	size_t pattern_len;
	const char *subject = lua_tolstring(L, lua_upvalueindex(1), &len);
	const char *p = lua_tolstring(L, lua_upvalueindex(2), &pattern_len);
	const lua_Integer last = lua_tointeger(L, lua_upvalueindex(4));
	struct match m = {
		.L = L, .subject = subject, .subject_end = subject + len, .pattern_end = p + pattern_len
	};
	for (lua_Integer at = lua_tointeger(L, lua_upvalueindex(3)); at <= (lua_Integer)len; at++) {
		const char *end = match_at(&m, subject + at, p);
		if (!end || end - subject == last)
			continue;
		lua_pushinteger(L, end - subject);
		lua_copy(L, -1, lua_upvalueindex(3));
		lua_replace(L, lua_upvalueindex(4));
		return push_captures(&m, subject + at, end);
	}
	return 0;
}

static int safe_gmatch(lua_State *L)
{
	const char *p;
	const struct match m = lua_match_begin(L, &p);
	const size_t from = begin_of(L, 3, (size_t)(m.subject_end - m.subject));
	lua_settop(L, 2);
	lua_pushinteger(L, (lua_Integer)from);
	lua_pushinteger(L, -1);
	lua_pushcclosure(L, gmatch_next, 4);
	return 1;
}

/* ---- gsub ------------------------------------------------------------------------------------ */

/* "%1", "%0", "%%" within the text that stands at 3. */
static void add_text(const struct match *m, luaL_Buffer *to, const char *s, const char *end)
{
	lua_State *L = m->L;
	size_t len;
	const char *text = lua_tolstring(L, 3, &len);
	luaw_work(L, 1 + (lua_Integer)len / 16);
	for (const char *stop = text + len; text < stop; text++) {
		if (*text != '%') {
			luaL_addchar(to, *text);
			continue;
		}
		text++;
		if (text == stop || (*text != '%' && !isdigit((unsigned char)*text)))
			(void)luaL_error(L, "invalid use of '%%' in replacement string");
		if (*text == '%') {
			luaL_addchar(to, '%');
		} else if (*text == '0') {
			luaL_addlstring(to, s, (size_t)(end - s));
		} else {
			push_capture(m, *text - '1', s, end);
			(void)luaL_tolstring(L, -1, NULL);
			lua_remove(L, -2);
			luaL_addvalue(to);
		}
	}
}

/* What the table or function at 3 has for it; false or nil: it stays. */
static bool add_value(const struct match *m, luaL_Buffer *to, const char *s, const char *end)
{
	lua_State *L = m->L;
	const int type = lua_type(L, 3);
	if (type != LUA_TTABLE && type != LUA_TFUNCTION) {
		add_text(m, to, s, end);
		return true;
	}
	if (type == LUA_TFUNCTION) {
		lua_pushvalue(L, 3);
		lua_call(L, push_captures(m, s, end), 1);
	} else {
		push_capture(m, 0, s, end);
		(void)lua_gettable(L, 3);
	}
	if (!lua_toboolean(L, -1)) {
		lua_pop(L, 1);
		luaL_addlstring(to, s, (size_t)(end - s));
		return false;
	}
	if (!lua_isstring(L, -1))
		(void)luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
	luaL_addvalue(to);
	return true;
}

static int safe_gsub(lua_State *L)
{
	const char *p;
	struct match m = lua_match_begin(L, &p);
	const int type = lua_type(L, 3);
	const lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)(m.subject_end - m.subject) + 1);
	const bool fixed = p < m.pattern_end && *p == '^';
	const char *s = m.subject;
	const char *last = NULL;
	lua_Integer count = 0;
	luaL_Buffer to;
	if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TTABLE && type != LUA_TFUNCTION)
		return luaL_typeerror(L, 3, "string/function/table");
	p += fixed;
	luaL_buffinit(L, &to);
	while (count < most) {
		const char *end = match_at(&m, s, p);
		if (end && end != last) {
			count++;
			(void)add_value(&m, &to, s, end);
			s = last = end;
		} else if (s < m.subject_end) {
			luaL_addchar(&to, *s++);
		} else {
			break;
		}
		if (fixed)
			break;
	}
	luaL_addlstring(&to, s, (size_t)(m.subject_end - s));
	luaL_pushresult(&to);
	lua_pushinteger(L, count);
	return 2;
}

/* ---- rep: of nothing, as often as one likes -------------------------------------------------- */

/* Upvalue: Lua's own, which goes round as often where nothing comes of it. */
static int safe_rep(lua_State *L)
{
	size_t len;
	size_t between;
	(void)luaL_checklstring(L, 1, &len);
	const lua_Integer times = luaL_checkinteger(L, 2);
	(void)luaL_optlstring(L, 3, "", &between);
	if (!len && !between) {
		lua_pushliteral(L, "");
		return 1;
	}
	luaw_work(L, times > 0 ? times / 4 : 0);
	if (times > 0 && (size_t)times * (len + between) > LUAW_TEXT_MAX + between)
		return luaL_error(
			L, "string.rep: a text of more than %d bytes, the most of one", LUAW_TEXT_MAX);
	return safe_call(L);
}

void match_open(lua_State *L)
{
	static const luaL_Reg ours[] = { { "find", safe_find }, { "match", safe_match },
		{ "gmatch", safe_gmatch }, { "gsub", safe_gsub }, { NULL, NULL } };
	luaL_setfuncs(L, ours, 0);
	safe_wrap(L, lua_gettop(L), "rep", safe_rep);
}
