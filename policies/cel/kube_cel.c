/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cel.c - expressions of CEL, from text to a tree: one function a level of precedence, as the grammar of
 * cel-spec has them.
 *
 * Patterns of matches() are POSIX extended ones here and RE2 in Kubernetes: what the two read in different
 * ways (classes with a backslash, groups with a question mark) is refused, and so are long repetitions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "policies/cel/kube_cel_parts.h"

enum { REPEATS_MAX = 64 };

struct parser {
	struct sl_arena *arena;
	const char *text;
	size_t at;
	uint32_t depth, nodes;
	const struct sl_place *place;
	struct sl_err *err;
	struct cel *cel;
	int status;
};

static struct cel_node *expression(struct parser *p);

static struct cel_node *kube_cel_fail(
	struct parser *p, size_t at, const char *what, const char *name, size_t len)
{
	if (!p->status)
		p->status = sl_fail_at(p->err, p->place, "expression, character %zu: '%.*s' %s", at + 1,
			(int)(len > 60 ? 60 : len), name, what);
	return NULL;
}

static struct cel_node *fail_here(struct parser *p, const char *what)
{
	const char *rest = p->text + p->at;
	if (!*rest)
		return kube_cel_fail(p, p->at, what, "(the end)", strlen("(the end)"));
	size_t len = 1;
	while ((rest[len] & 0xc0) == 0x80)
		len++;
	return kube_cel_fail(p, p->at, what, rest, len);
}

static struct cel_node *new_node(struct parser *p, enum cel_op op)
{
	if (p->status)
		return NULL;
	if (++p->nodes > CEL_NODES_MAX)
		return fail_here(p, "makes it too long: write a shorter one");
	struct cel_node *node = sl_alloc(p->arena, 1, sizeof(*node));
	if (!node) {
		p->status = sl_fail_memory(p->err);
		return NULL;
	}
	node->op = op;
	return node;
}

static struct cel_node *new_binary(
	struct parser *p, enum cel_op op, const struct cel_node *a, const struct cel_node *b)
{
	struct cel_node *node = new_node(p, op);
	if (node) {
		node->part[0] = a;
		node->part[1] = b;
	}
	return node;
}

/* ---- Letters --------------------------------------------------------------------------------- */

static void skip(struct parser *p)
{
	for (;;) {
		p->at += strspn(p->text + p->at, " \t\r\n");
		if (p->text[p->at] != '/' || p->text[p->at + 1] != '/')
			return;
		p->at += strcspn(p->text + p->at, "\n");
	}
}

static bool takes(struct parser *p, const char *mark)
{
	skip(p);
	const size_t len = strlen(mark);
	if (p->status || strncmp(p->text + p->at, mark, len) != 0)
		return false;
	p->at += len;
	return true;
}

static size_t word_len(const char *text)
{
	size_t len = 0;
	while (sl_is_letter(text[len]) || (len && sl_is_digit(text[len])))
		len++;
	return len;
}

static bool kube_cel_is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* ---- Literals -------------------------------------------------------------------------------- */

static struct cel_node *text_literal(struct parser *p, bool raw)
{
	const size_t from = p->at;
	const char quote = p->text[p->at++];
	if (p->text[p->at] == quote && p->text[p->at + 1] == quote)
		return kube_cel_fail(p, from,
			"three times opens a text of several lines: write one of one line", &quote, 1);
	char *made = sl_alloc(p->arena, strlen(p->text + p->at) + 1, 1);
	size_t len = 0;
	if (!made) {
		p->status = sl_fail_memory(p->err);
		return NULL;
	}
	for (; p->text[p->at] != quote; p->at++) {
		char c = p->text[p->at];
		if (!c || c == '\n')
			return kube_cel_fail(p, from, "opens a text that does not end", &quote, 1);
		if (c == '\\' && !raw) {
			static const char from_letters[] = "nrt\\'\"`?", to[] = "\n\r\t\\'\"`?";
			const char *which = strchr(from_letters, p->text[p->at + 1]);
			if (!p->text[p->at + 1] || !which)
				return kube_cel_fail(p, p->at, "is an escape that is not known here",
					p->text + p->at, p->text[p->at + 1] ? 2 : 1);
			c = to[which - from_letters];
			p->at++;
		}
		made[len++] = c;
	}
	p->at++;
	struct cel_node *node = new_node(p, CEL_OP_VALUE);
	if (node)
		node->value = (struct cel_value){ .kind = CEL_TEXT, .text = made };
	return node;
}

static struct cel_node *number_literal(struct parser *p)
{
	const size_t from = p->at;
	int64_t value;
	while (sl_is_digit(p->text[p->at]))
		p->at++;
	size_t len = p->at - from;
	if (sl_is_letter(p->text[p->at]) || p->text[p->at] == '.') {
		len += 1 + strspn(p->text + p->at + 1, "0123456789abcdefABCDEFxXuU.");
		return kube_cel_fail(p, from, "is no plain whole number, and others are not known here",
			p->text + from, len);
	}
	if (!sl_get_i64(p->text + from, len, &value))
		return kube_cel_fail(p, from, "is beyond 64 bits", p->text + from, len);
	struct cel_node *node = new_node(p, CEL_OP_VALUE);
	if (node)
		node->value = (struct cel_value){ .kind = CEL_INT, .number = value };
	return node;
}

static struct cel_node *list_literal(struct parser *p)
{
	struct cel_node *list = new_node(p, CEL_OP_LIST);
	const struct cel_node **end = list ? &list->first : NULL;
	while (list && !p->status && !takes(p, "]")) {
		struct cel_node *item = expression(p);
		if (!item)
			return NULL;
		/* Each stands in one list only: a value of its own is linked. */
		*end = item;
		end = &item->next;
		if (takes(p, ","))
			continue;
		if (!takes(p, "]"))
			return fail_here(p, "stands where ',' or ']' has to be");
		break;
	}
	return p->status ? NULL : list;
}

static struct cel_node *word_literal(struct parser *p, const char *word, size_t len)
{
	struct cel_node *node = new_node(p, CEL_OP_VALUE);
	if (!node)
		return NULL;
	if (kube_cel_is_word(word, len, "null"))
		node->value.kind = CEL_NULL;
	else
		node->value =
			(struct cel_value){ .kind = CEL_BOOL, .number = kube_cel_is_word(word, len, "true") };
	return node;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum cel_op op;
	bool of_value; /* x.name(); else name(). */
	uint32_t arguments;
} calls[] = {
	{ "has", CEL_OP_HAS, false, 1 },
	{ "quantity", CEL_OP_QUANTITY, false, 1 },
	{ "semver", CEL_OP_SEMVER, false, 1 },
	{ "size", CEL_OP_SIZE, false, 1 },
	{ "size", CEL_OP_SIZE, true, 0 },
	{ "compareTo", CEL_OP_COMPARE, true, 1 },
	{ "isGreaterThan", CEL_OP_GREATER, true, 1 },
	{ "isLessThan", CEL_OP_LESS, true, 1 },
	{ "matches", CEL_OP_MATCHES, true, 1 },
	{ "startsWith", CEL_OP_STARTS, true, 1 },
	{ "endsWith", CEL_OP_ENDS, true, 1 },
	{ "contains", CEL_OP_CONTAINS, true, 1 },
	{ "major", CEL_OP_MAJOR, true, 0 },
	{ "minor", CEL_OP_MINOR, true, 0 },
	{ "patch", CEL_OP_PATCH, true, 0 },
};

/* What both kinds of pattern read alike, with repetitions that stay small. */
static bool is_plain_pattern(const char *pattern)
{
	uint32_t braces = 0;
	if (strlen(pattern) > CEL_PATTERN_MAX)
		return false;
	for (size_t i = 0; pattern[i]; i++) {
		if (pattern[i] == '\\' &&
			(!pattern[i + 1] || sl_is_letter(pattern[i + 1]) || sl_is_digit(pattern[i + 1])))
			return false;
		if (pattern[i] == '\\') {
			i++;
			continue;
		}
		if (pattern[i] == '(' && pattern[i + 1] == '?')
			return false;
		if (pattern[i] == '[' && strchr(pattern + i, '\\'))
			return false;
		if ((pattern[i] & 0x80) || (pattern[i] == '{' && ++braces > 2))
			return false;
		if (pattern[i] != '{' && pattern[i] != ',')
			continue;
		if (sl_is_digit(pattern[i + 1]) && strtol(pattern + i + 1, NULL, 10) > REPEATS_MAX)
			return false;
	}
	return true;
}

static bool make_pattern(struct parser *p, struct cel_node *node, size_t at)
{
	const struct cel_node *of = node->part[1];
	if (of->op != CEL_OP_VALUE || of->value.kind != CEL_TEXT) {
		(void)kube_cel_fail(
			p, at, "takes a pattern that is written out", "matches", strlen("matches"));
		return false;
	}
	const char *pattern = of->value.text;
	regex_t *made = sl_alloc(p->arena, 1, sizeof(*made));
	if (!is_plain_pattern(pattern) || !made || regcomp(made, pattern, REG_EXTENDED | REG_NOSUB)) {
		(void)kube_cel_fail(p, at,
			"is no pattern that can be used here: plain POSIX extended ones of up to 128 letters can",
			pattern, strlen(pattern));
		return false;
	}
	node->pattern = made;
	node->pattern_next = p->cel->patterns;
	p->cel->patterns = node;
	return true;
}

static struct cel_node *call(struct parser *p, const char *name, size_t len, const struct cel_node *of)
{
	const size_t at = (size_t)(name - p->text);
	size_t row = 0;
	while (row < SL_LEN(calls) &&
		(calls[row].of_value != (of != NULL) || !kube_cel_is_word(name, len, calls[row].name)))
		row++;
	if (row == SL_LEN(calls))
		return kube_cel_fail(p, at, "is a function that is not known here", name, len);
	struct cel_node *node = new_node(p, calls[row].op);
	uint32_t first = 0, count = 0;
	if (node && of)
		node->part[first++] = of;
	while (node && !takes(p, ")")) {
		const struct cel_node *argument = expression(p);
		if (!argument)
			return NULL;
		if (count++ < calls[row].arguments)
			node->part[first++] = argument;
		if (!takes(p, ",") && !(skip(p), p->text[p->at] == ')'))
			return fail_here(p, "stands where ',' or ')' has to be");
	}
	if (!node)
		return NULL;
	if (count != calls[row].arguments)
		return kube_cel_fail(p, at, "has another number of arguments", name, len);
	if (node->op == CEL_OP_HAS && node->part[0]->op != CEL_OP_FIELD)
		return kube_cel_fail(p, at, "takes a field: has(x.y)", name, len);
	if (node->op == CEL_OP_MATCHES && !make_pattern(p, node, at))
		return NULL;
	return node;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

static struct cel_node *primary(struct parser *p)
{
	skip(p);
	const char *at = p->text + p->at;
	if (*at == '\'' || *at == '"')
		return text_literal(p, false);
	if ((*at == 'r' || *at == 'R') && (at[1] == '\'' || at[1] == '"')) {
		p->at++;
		return text_literal(p, true);
	}
	if (sl_is_digit(*at))
		return number_literal(p);
	if (takes(p, "["))
		return list_literal(p);
	if (takes(p, "(")) {
		struct cel_node *inner = expression(p);
		if (inner && !takes(p, ")"))
			return fail_here(p, "stands where ')' has to be");
		return inner;
	}
	const size_t len = word_len(at);
	if (!len)
		return fail_here(p, "is not understood");
	p->at += len;
	if (kube_cel_is_word(at, len, "true") || kube_cel_is_word(at, len, "false") ||
		kube_cel_is_word(at, len, "null"))
		return word_literal(p, at, len);
	if (takes(p, "("))
		return call(p, at, len, NULL);
	if (!kube_cel_is_word(at, len, "device"))
		return kube_cel_fail(p, (size_t)(at - p->text), "is a name that is not known here", at, len);
	return new_node(p, CEL_OP_DEVICE);
}

static bool is_device_field(const char *name, size_t len)
{
	static const char *const fields[] = { "driver", "attributes", "capacity",
		"allowMultipleAllocations" };
	for (size_t i = 0; i < SL_LEN(fields); i++)
		if (kube_cel_is_word(name, len, fields[i]))
			return true;
	return false;
}

static struct cel_node *field(struct parser *p, const struct cel_node *of)
{
	skip(p);
	const char *name = p->text + p->at;
	const size_t len = word_len(name);
	if (!len)
		return fail_here(p, "stands where a name has to be");
	p->at += len;
	if (takes(p, "("))
		return call(p, name, len, of);
	if (of->op == CEL_OP_DEVICE && !is_device_field(name, len))
		return kube_cel_fail(p, (size_t)(name - p->text), "is no field of a device", name, len);
	struct cel_node *node = new_binary(p, CEL_OP_FIELD, of, NULL);
	if (node)
		node->name = sl_strdup(p->arena, name, len);
	if (node && !node->name)
		p->status = sl_fail_memory(p->err);
	return p->status ? NULL : node;
}

static struct cel_node *member(struct parser *p)
{
	struct cel_node *node = primary(p);
	while (node) {
		if (takes(p, ".")) {
			node = field(p, node);
			continue;
		}
		if (!takes(p, "["))
			return node;
		const struct cel_node *index = expression(p);
		if (!index)
			return NULL;
		if (!takes(p, "]"))
			return fail_here(p, "stands where ']' has to be");
		node = new_binary(p, CEL_OP_INDEX, node, index);
	}
	return NULL;
}

static struct cel_node *unary(struct parser *p)
{
	const bool minus = takes(p, "-");
	if (!minus && ((skip(p), p->text[p->at] != '!') || p->text[p->at + 1] == '='))
		return member(p);
	if (!minus)
		p->at++;
	if (++p->depth > CEL_DEPTH_MAX)
		return fail_here(p, "is too deep inside others: write a flatter one");
	const struct cel_node *of = unary(p);
	p->depth--;
	return of ? new_binary(p, minus ? CEL_OP_MINUS : CEL_OP_NOT, of, NULL) : NULL;
}

static bool takes_relation(struct parser *p, enum cel_op *op)
{
	static const struct {
		const char *mark;
		enum cel_op op;
	} marks[] = { { "==", CEL_OP_EQ }, { "!=", CEL_OP_NE }, { "<=", CEL_OP_LE }, { ">=", CEL_OP_GE },
		{ "<", CEL_OP_LT }, { ">", CEL_OP_GT } };
	for (size_t i = 0; i < SL_LEN(marks); i++) {
		if (!takes(p, marks[i].mark))
			continue;
		*op = marks[i].op;
		return true;
	}
	skip(p);
	if (word_len(p->text + p->at) != 2 || !takes(p, "in"))
		return false;
	*op = CEL_OP_IN;
	return true;
}

static struct cel_node *relation(struct parser *p)
{
	struct cel_node *node = unary(p);
	enum cel_op op;
	while (node && takes_relation(p, &op)) {
		const struct cel_node *right = unary(p);
		node = right ? new_binary(p, op, node, right) : NULL;
	}
	return node;
}

static struct cel_node *both(struct parser *p)
{
	struct cel_node *node = relation(p);
	while (node && takes(p, "&&")) {
		const struct cel_node *right = relation(p);
		node = right ? new_binary(p, CEL_OP_AND, node, right) : NULL;
	}
	return node;
}

static struct cel_node *either(struct parser *p)
{
	struct cel_node *node = both(p);
	while (node && takes(p, "||")) {
		const struct cel_node *right = both(p);
		node = right ? new_binary(p, CEL_OP_OR, node, right) : NULL;
	}
	return node;
}

static struct cel_node *expression(struct parser *p)
{
	if (++p->depth > CEL_DEPTH_MAX)
		return fail_here(p, "is too deep inside others: write a flatter one");
	struct cel_node *node = either(p);
	if (node && takes(p, "?")) {
		const struct cel_node *yes = expression(p);
		if (yes && !takes(p, ":"))
			return fail_here(p, "stands where ':' has to be");
		const struct cel_node *no = yes ? expression(p) : NULL;
		node = no ? new_binary(p, CEL_OP_IF, node, yes) : NULL;
		if (node)
			node->part[2] = no;
	}
	p->depth--;
	return node;
}

int cel_parse(struct cel **cel, struct sl_arena *arena, const char *text, const struct sl_place *place,
	struct sl_err *err)
{
	struct cel *made = sl_alloc(arena, 1, sizeof(*made));
	struct parser p = { .arena = arena, .text = text, .place = place, .err = err, .cel = made };
	*cel = made;
	if (!made)
		return sl_fail_memory(err);
	if (strlen(text) > CEL_BYTES_MAX)
		return sl_fail_at(err, place, "the expression has more than %d letters: write a shorter one",
			CEL_BYTES_MAX);
	made->root = expression(&p);
	skip(&p);
	if (!p.status && p.text[p.at])
		(void)fail_here(&p, "is not understood");
	return p.status;
}

void cel_release(struct cel *cel)
{
	for (struct cel_node *node = cel ? cel->patterns : NULL; node; node = node->pattern_next)
		regfree(node->pattern);
	if (cel)
		cel->patterns = NULL;
}
