/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expr.c - a user's order, compiled once to postfix and run by a small stack.
 *
 *   sum := product {(+|-) product}      product := power {(*|/) power}
 *   power := unary [^ power]            unary := - unary | atom
 *   atom := number | name | function(sum {, sum}) | (sum)
 *
 * Its size and depth are bounded; what cannot be a number (0/0) goes last.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "policies/composed/composed.h"

enum { CODE_MAX = 256, DEPTH_MAX = 32 };

enum op {
	OP_NUMBER,
	OP_FACT,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_POWER,
	OP_NEGATE,
	OP_CALL1,
	OP_CALL2
};

struct code {
	enum op op;
	union {
		double number;
		size_t index; /* Of facts or functions. */
	};
};

struct expr {
	struct code code[CODE_MAX];
	size_t count;
	bool waits;
};

static const struct {
	const char *name;
	size_t offset;
} fact[] = {
	{ "submit", offsetof(struct facts, submit) },
	{ "wait", offsetof(struct facts, wait) },
	{ "size", offsetof(struct facts, size) },
	{ "limit", offsetof(struct facts, limit) },
	{ "user", offsetof(struct facts, user) },
};
enum { FACT_WAIT = 1 };

static double call_log10(double x, double y) { return (void)y, steady(log10(x)); }
static double call_log2(double x, double y) { return (void)y, steady(log2(x)); }
static double call_ln(double x, double y) { return (void)y, steady(log(x)); }
static double call_exp(double x, double y) { return (void)y, steady(exp(x)); }
static double call_sqrt(double x, double y) { return (void)y, sqrt(x); }
static double call_abs(double x, double y) { return (void)y, fabs(x); }
static double call_min(double x, double y) { return x < y ? x : y; }
static double call_max(double x, double y) { return x > y ? x : y; }

static const struct {
	const char *name;
	int arguments;
	double (*call)(double x, double y);
} function[] = {
	{ "log10", 1, call_log10 },
	{ "log2", 1, call_log2 },
	{ "ln", 1, call_ln },
	{ "exp", 1, call_exp },
	{ "sqrt", 1, call_sqrt },
	{ "abs", 1, call_abs },
	{ "min", 2, call_min },
	{ "max", 2, call_max },
};

struct parser {
	struct expr *expr;
	struct sl_lexer in;
	int depth;
	struct sl_err *err;
};

static bool expr_wrong(struct parser *p, const char *what)
{
	(void)sl_fail(p->err, SL_USAGE, "order expression '%s', column %d: %s", p->in.text,
		(int)sl_lex_column(&p->in), what);
	return false;
}

static char peek(struct parser *p) { return sl_lex_peek(&p->in); }

static bool emit(struct parser *p, struct code code)
{
	if (p->expr->count == CODE_MAX)
		return expr_wrong(p, "the expression is too long");
	p->expr->code[p->expr->count++] = code;
	return true;
}

/* Digits as an integer, then one multiplication or division by an exact power of ten. */
static bool expr_number(struct parser *p)
{
	double value = 0;
	int shift = 0;
	int digits = 0;
	for (bool fraction = false; sl_is_digit(*p->in.p) || (*p->in.p == '.' && !fraction); p->in.p++) {
		if (*p->in.p == '.') {
			fraction = true;
			continue;
		}
		value = value * 10 + (*p->in.p - '0');
		shift -= fraction;
		if (++digits > 15)
			return expr_wrong(p, "the number has more than 15 digits");
	}
	if (!digits)
		return expr_wrong(p, "a number was expected");
	if ((*p->in.p == 'e' || *p->in.p == 'E') &&
		(sl_is_digit(p->in.p[1]) ||
			((p->in.p[1] == '-' || p->in.p[1] == '+') && sl_is_digit(p->in.p[2])))) {
		const bool negative = *++p->in.p == '-';
		p->in.p += negative || *p->in.p == '+';
		int exponent = 0;
		for (; sl_is_digit(*p->in.p) && exponent < 100; p->in.p++)
			exponent = exponent * 10 + (*p->in.p - '0');
		shift += negative ? -exponent : exponent;
	}
	if (shift > 22 || shift < -22)
		return expr_wrong(p, "the number is out of range");
	double power = 1;
	for (int i = 0; i < (shift < 0 ? -shift : shift); i++)
		power *= 10;
	return emit(p, (struct code){ OP_NUMBER, { .number = shift < 0 ? value / power : value * power } });
}

static bool sum(struct parser *p);

static bool call(struct parser *p, size_t index)
{
	if (peek(p) != '(')
		return expr_wrong(p, "'(' was expected behind the function's name");
	p->in.p++;
	for (int i = 0; i < function[index].arguments; i++) {
		if (i && peek(p) != ',')
			return expr_wrong(p, "',' and one more argument were expected");
		p->in.p += i != 0;
		if (!sum(p))
			return false;
	}
	if (peek(p) != ')')
		return expr_wrong(p, "')' was expected");
	p->in.p++;
	return emit(
		p, (struct code){ function[index].arguments == 1 ? OP_CALL1 : OP_CALL2, { .index = index } });
}

static bool name(struct parser *p)
{
	const char *first = p->in.p;
	const size_t len = sl_lex_name(first);
	for (size_t i = 0; i < SL_LEN(fact); i++) {
		if (strlen(fact[i].name) != len || strncmp(first, fact[i].name, len) != 0)
			continue;
		p->in.p += len;
		p->expr->waits |= i == FACT_WAIT;
		return emit(p, (struct code){ OP_FACT, { .index = i } });
	}
	for (size_t i = 0; i < SL_LEN(function); i++) {
		if (strlen(function[i].name) != len || strncmp(first, function[i].name, len) != 0)
			continue;
		p->in.p += len;
		return call(p, i);
	}
	return expr_wrong(p,
		"unknown name: use submit, wait, size, limit, user, log10, log2, ln, exp, sqrt, abs, min or max");
}

static bool atom(struct parser *p)
{
	const char c = peek(p);
	if (sl_is_digit(c) || c == '.')
		return expr_number(p);
	if (sl_is_letter(c))
		return name(p);
	if (c != '(')
		return expr_wrong(
			p, c ? "a number, a name or '(' was expected" : "the expression ends too soon");
	p->in.p++;
	if (!sum(p))
		return false;
	if (peek(p) != ')')
		return expr_wrong(p, "')' was expected");
	p->in.p++;
	return true;
}

static bool power(struct parser *p);

static bool unary(struct parser *p)
{
	if (peek(p) != '-')
		return atom(p);
	p->in.p++;
	if (++p->depth > DEPTH_MAX)
		return expr_wrong(p, "the expression is nested too deeply");
	/* -x^2 is -(x^2), as in mathematics. */
	const bool good = power(p) && emit(p, (struct code){ OP_NEGATE, { 0 } });
	p->depth--;
	return good;
}

static bool power(struct parser *p)
{
	if (!unary(p))
		return false;
	if (peek(p) != '^')
		return true;
	p->in.p++;
	if (++p->depth > DEPTH_MAX)
		return expr_wrong(p, "the expression is nested too deeply");
	const bool good = power(p) && emit(p, (struct code){ OP_POWER, { 0 } });
	p->depth--;
	return good;
}

static bool expr_product(struct parser *p)
{
	if (!power(p))
		return false;
	for (char c; (c = peek(p)) == '*' || c == '/';) {
		p->in.p++;
		if (!power(p) || !emit(p, (struct code){ c == '*' ? OP_MULTIPLY : OP_DIVIDE, { 0 } }))
			return false;
	}
	return true;
}

static bool sum(struct parser *p)
{
	if (++p->depth > DEPTH_MAX)
		return expr_wrong(p, "the expression is nested too deeply");
	if (!expr_product(p))
		return false;
	for (char c; (c = peek(p)) == '+' || c == '-';) {
		p->in.p++;
		if (!expr_product(p) || !emit(p, (struct code){ c == '+' ? OP_ADD : OP_SUBTRACT, { 0 } }))
			return false;
	}
	p->depth--;
	return true;
}

struct expr *expr_compile(const char *text, struct sl_arena *arena, struct sl_err *err)
{
	struct expr *expr = sl_alloc(arena, 1, sizeof(*expr));
	if (!expr) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	struct parser p = { .expr = expr, .in = { text, text }, .err = err };
	if (!sum(&p))
		return NULL;
	if (peek(&p)) {
		(void)expr_wrong(&p, "an operator was expected");
		return NULL;
	}
	return expr;
}

/* Small whole powers by multiplication, which is exact everywhere. */
static double raised(double x, double y)
{
	if (!(y >= 1 && y <= 16 && floor(y) >= y))
		return steady(pow(x, y));
	double value = x;
	for (int i = 1; i < (int)y; i++)
		value *= x;
	return value;
}

static double expr_apply(enum op op, double x, double y)
{
	switch (op) {
	case OP_ADD:
		return x + y;
	case OP_SUBTRACT:
		return x - y;
	case OP_MULTIPLY:
		return x * y;
	case OP_DIVIDE:
		return x / y;
	case OP_POWER:
		return raised(x, y);
	case OP_NUMBER:
	case OP_FACT:
	case OP_NEGATE:
	case OP_CALL1:
	case OP_CALL2:
		break;
	}
	return 0;
}

double expr_value(const struct expr *expr, const struct facts *facts)
{
	double stack[CODE_MAX + 1] = { 0 };
	size_t top = 0;
	for (size_t i = 0; i < expr->count; i++) {
		const struct code *code = &expr->code[i];
		switch (code->op) {
		case OP_NUMBER:
			stack[top++] = code->number;
			break;
		case OP_FACT:
			memcpy(&stack[top++], (const char *)facts + fact[code->index].offset, sizeof(double));
			break;
		case OP_NEGATE:
			stack[top - 1] = -stack[top - 1];
			break;
		case OP_CALL1:
			stack[top - 1] = function[code->index].call(stack[top - 1], 0);
			break;
		case OP_CALL2:
			top--;
			stack[top - 1] = function[code->index].call(stack[top - 1], stack[top]);
			break;
		case OP_ADD:
		case OP_SUBTRACT:
		case OP_MULTIPLY:
		case OP_DIVIDE:
		case OP_POWER:
			top--;
			stack[top - 1] = expr_apply(code->op, stack[top - 1], stack[top]);
			break;
		}
	}
	return isnan(stack[0]) ? (double)INFINITY : stack[0];
}

bool expr_waits(const struct expr *expr) { return expr->waits; }
