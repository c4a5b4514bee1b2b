/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tolerance.c - see tolerance.h. Recursive descent, one function a rule; depth is bounded by the number of
 * nodes.
 */
#include "sim/result/tolerance.h"

#include <string.h>

struct parser {
	struct tolerance *to;
	struct sl_lexer in;
	struct tol_wrong *wrong;
};

static bool tolerance_fail(struct parser *parser, const char *why)
{
	if (!parser->wrong->why)
		*parser->wrong = (struct tol_wrong){ (size_t)(parser->in.p - parser->in.text), why };
	return false;
}

static bool tolerance_put(struct parser *parser, struct tol_node node, uint8_t *index)
{
	if (parser->to->count == TOL_NODES_MAX)
		return tolerance_fail(parser, "too many parts");
	*index = parser->to->count;
	parser->to->node[parser->to->count++] = node;
	return true;
}

/* ---- Numbers ------------------------------------------------------------------------- */

/* How long what may be a number or a time is: up to a blank, a "%", or "..". */
static size_t number_len(const char *text)
{
	size_t len = 0;
	while ((sl_is_letter(text[len]) && text[len] != '_') || sl_is_digit(text[len]) || text[len] == ':' ||
		text[len] == '-' || (text[len] == '.' && text[len + 1] != '.'))
		len++;
	return len;
}

/* amount: without a sign. */
static bool take_amount(struct parser *parser, int64_t *amount, bool *time, bool *percent)
{
	(void)sl_lex_peek(&parser->in);
	const size_t len = number_len(parser->in.p);
	if (!sl_is_digit(*parser->in.p) && *parser->in.p != '.')
		return tolerance_fail(parser, "a number is missing here: write one, as 5, 0.1 or 4h");
	if (!sl_get_micro(parser->in.p, len, amount)) {
		if (!sl_get_duration(parser->in.p, len, amount))
			return tolerance_fail(
				parser, "this is no number and no time: write it as 5, 0.1 or 4h");
		*time = true;
	}
	parser->in.p += len;
	*percent = *parser->in.p == '%';
	if (*percent && *time)
		return tolerance_fail(parser, "a time is no percentage: leave out one of the two");
	parser->in.p += *percent;
	return true;
}

/* With a sign; "80%" is 0.8. */
static bool take_number(struct parser *parser, int64_t *number, bool *time)
{
	bool percent = false;
	const bool negative = sl_lex_sign(&parser->in, "-");
	if (!take_amount(parser, number, time, &percent))
		return false;
	if (percent)
		*number = sl_mul_div(*number, 1, 100);
	if (negative)
		*number = -*number;
	return true;
}

/* ---- Rules --------------------------------------------------------------------------- */

static bool tolerance_take_all(struct parser *parser, uint8_t *index);

static bool take_range(struct parser *parser, struct tol_node node, uint8_t *index)
{
	node.kind = TOL_RANGE;
	if (node.percent)
		node.amount = sl_mul_div(node.amount, 1, 100);
	node.percent = false;
	if (!take_number(parser, &node.to, &node.time))
		return false;
	if (node.to < node.amount)
		return tolerance_fail(
			parser, "the range ends below its beginning: write the lower one first");
	return tolerance_put(parser, node, index);
}

/* Behind "+", "-" or nothing, of which a range may begin with the last two. */
static bool take_step(struct parser *parser, enum tol_kind kind, uint8_t *index)
{
	struct tol_node node = { .kind = kind };
	if (!take_amount(parser, &node.amount, &node.time, &node.percent))
		return false;
	if (kind != TOL_RISE && sl_lex_sign(&parser->in, "..")) {
		node.amount = kind == TOL_FALL ? -node.amount : node.amount;
		return take_range(parser, node, index);
	}
	if (kind == TOL_RANGE)
		return tolerance_fail(parser,
			"how this number bounds is missing: write ±, +, -, <= or >= before it, or .. behind it");
	return tolerance_put(parser, node, index);
}

static bool take_bound(struct parser *parser, enum tol_kind kind, uint8_t *index)
{
	struct tol_node node = { .kind = kind };
	return take_number(parser, &node.amount, &node.time) && tolerance_put(parser, node, index);
}

static bool take_warn(struct parser *parser, uint8_t *index)
{
	struct tol_node node = { .kind = TOL_WARN };
	if (parser->to->count == TOL_NODES_MAX - 1 || !tolerance_put(parser, node, index))
		return tolerance_fail(
			parser, "too many parts"); /* A row of "warn" ends here, before the stack does. */
	return tolerance_take_all(parser, &parser->to->node[*index].left);
}

static bool take_one(struct parser *parser, uint8_t *index)
{
	static const char *const bounds[] = { "<=", ">=", "<", ">", "\xe2\x89\xa4", "\xe2\x89\xa5", NULL };
	static const enum tol_kind kinds[] = { TOL_LE, TOL_GE, TOL_LT, TOL_GT, TOL_LE, TOL_GE };
	if (sl_lex_word(&parser->in, "warn"))
		return take_warn(parser, index);
	const int bound = sl_lex_one_of(&parser->in, bounds);
	if (bound >= 0)
		return take_bound(parser, kinds[bound], index);
	if (sl_lex_sign(&parser->in, "="))
		return tolerance_put(parser, (struct tol_node){ .kind = TOL_EXACT }, index);
	if (sl_lex_sign(&parser->in, "\xc2\xb1") || sl_lex_sign(&parser->in, "+-") ||
		sl_lex_sign(&parser->in, "+/-"))
		return take_step(parser, TOL_BAND, index);
	if (sl_lex_sign(&parser->in, "+"))
		return take_step(parser, TOL_RISE, index);
	if (sl_lex_sign(&parser->in, "-"))
		return take_step(parser, TOL_FALL, index);
	return take_step(parser, TOL_RANGE, index);
}

/* Left to right. */
static bool take_row(struct parser *parser, uint8_t *index, const char *word, enum tol_kind kind,
	bool (*part)(struct parser *parser, uint8_t *index))
{
	if (!part(parser, index))
		return false;
	while (sl_lex_word(&parser->in, word)) {
		struct tol_node node = { .kind = kind, .left = *index };
		if (!part(parser, &node.right) || !tolerance_put(parser, node, index))
			return false;
	}
	return true;
}

static bool take_both(struct parser *parser, uint8_t *index)
{
	return take_row(parser, index, "and", TOL_AND, take_one);
}

static bool tolerance_take_all(struct parser *parser, uint8_t *index)
{
	return take_row(parser, index, "or", TOL_OR, take_both);
}

bool tolerance_parse(struct tolerance *tolerance, const char *text, struct tol_wrong *wrong)
{
	struct parser parser = { tolerance, { text, text }, wrong };
	*tolerance = (struct tolerance){ .count = 0 };
	*wrong = (struct tol_wrong){ 0 };
	if (strlen(text) > TOL_TEXT_MAX)
		return tolerance_fail(&parser, "a tolerance as long as this is none");
	if (!tolerance_take_all(&parser, &tolerance->root))
		return false;
	(void)sl_lex_peek(&parser.in);
	return !*parser.in.p || tolerance_fail(&parser, "'and', 'or' or the end should stand here");
}

/* ---- Its conditions ---------------------------------------------------------------------- */

static bool is_relative(enum tol_kind kind) { return kind <= TOL_FALL; }

bool tolerance_relative(const struct tolerance *tolerance)
{
	for (uint8_t i = 0; i < tolerance->count; i++)
		if (is_relative(tolerance->node[i].kind))
			return true;
	return false;
}

bool tolerance_timed(const struct tolerance *tolerance)
{
	for (uint8_t i = 0; i < tolerance->count; i++)
		if (tolerance->node[i].time)
			return true;
	return false;
}

static bool has(const struct tolerance *tolerance, enum tol_kind kind)
{
	for (uint8_t i = 0; i < tolerance->count; i++)
		if (tolerance->node[i].kind == kind)
			return true;
	return false;
}

int tolerance_better(const struct tolerance *tolerance)
{
	return (int)has(tolerance, TOL_FALL) - (int)has(tolerance, TOL_RISE);
}

bool tolerance_backward(const struct tolerance *tolerance, int better)
{
	return (better > 0 && has(tolerance, TOL_RISE)) || (better < 0 && has(tolerance, TOL_FALL));
}

/* ---- Verdicts -------------------------------------------------------------------------- */

/* How far it may go; false: so much of 0 is nothing that could be meant. */
static bool margin_of(const struct tol_node *node, int64_t was, int64_t *margin)
{
	enum { HUNDRED = 100 * 1000000 };
	*margin = node->kind == TOL_EXACT ? 0 : node->amount;
	if (!node->percent)
		return true;
	const __int128 share = (__int128)(was < 0 ? -(__int128)was : was) * node->amount / HUNDRED;
	*margin = share > INT64_MAX ? INT64_MAX : (int64_t)share;
	return was != 0;
}

static bool leaf_passes(const struct tol_node *node, const struct tol_move *move, int64_t margin)
{
	switch (node->kind) {
	case TOL_EXACT:
	case TOL_BAND:
		return move->low <= margin && move->high >= -margin;
	case TOL_RISE:
		return move->low <= margin;
	case TOL_FALL:
		return move->high >= -margin;
	case TOL_RANGE:
		return move->is >= node->amount && move->is <= node->to;
	case TOL_LE:
		return move->is <= node->amount;
	case TOL_GE:
		return move->is >= node->amount;
	case TOL_LT:
		return move->is < node->amount;
	case TOL_GT:
		return move->is > node->amount;
	case TOL_OR:
	case TOL_AND:
	case TOL_WARN:
		break;
	}
	SL_CHECK(false); /* A leaf has none of these. */
	return false;
}

/* In an `or` an unknown side yields to the known one; an `and` with a false side is false. */
static enum verdict both(enum tol_kind kind, enum verdict a, enum verdict b)
{
	if (a == VERDICT_ZERO || b == VERDICT_ZERO) {
		const enum verdict other = a == VERDICT_ZERO ? b : a;
		return kind == TOL_OR || other == VERDICT_FAIL ? other : VERDICT_ZERO;
	}
	return (kind == TOL_OR) == (a < b) ? a : b;
}

static enum verdict tolerance_judge_here(
	const struct tolerance *tolerance, uint8_t index, const struct tol_move *move)
{
	const struct tol_node *node = &tolerance->node[index];
	int64_t margin = 0;
	if (node->kind == TOL_WARN) {
		const enum verdict inner = tolerance_judge_here(tolerance, node->left, move);
		return inner == VERDICT_FAIL ? VERDICT_WARN : inner;
	}
	if (node->kind == TOL_OR || node->kind == TOL_AND)
		return both(node->kind, tolerance_judge_here(tolerance, node->left, move),
			tolerance_judge_here(tolerance, node->right, move));
	if (!margin_of(node, move->was, &margin))
		return VERDICT_ZERO;
	return leaf_passes(node, move, margin) ? VERDICT_PASS : VERDICT_FAIL;
}

enum verdict tolerance_judge(const struct tolerance *tolerance, const struct tol_move *move)
{
	return tolerance_judge_here(tolerance, tolerance->root, move);
}

struct asked {
	const struct tolerance *tolerance;
	const struct tol_move *move;
	double (*p_of)(void *self, int64_t margin, bool rise);
	void *self;
	bool warns; /* What only warns counts. */
};

static double leaf_p(const struct asked *asked, const struct tol_node *node)
{
	int64_t margin = 0;
	if (!is_relative(node->kind))
		return leaf_passes(node, asked->move, 0) ? 1 : 0;
	if (!margin_of(node, asked->move->was, &margin))
		return 1;
	const double rise = node->kind == TOL_FALL ? 1 : asked->p_of(asked->self, margin, true);
	const double fall = node->kind == TOL_RISE ? 1 : asked->p_of(asked->self, margin, false);
	return rise < fall ? rise : fall;
}

static double p_at(const struct asked *asked, uint8_t index)
{
	const struct tol_node *node = &asked->tolerance->node[index];
	if (node->kind == TOL_WARN)
		return asked->warns ? p_at(asked, node->left) : 1;
	if (node->kind != TOL_OR && node->kind != TOL_AND)
		return leaf_p(asked, node);
	const double left = p_at(asked, node->left);
	const double right = p_at(asked, node->right);
	return (node->kind == TOL_OR) == (left > right) ? left : right;
}

double tolerance_p(const struct tolerance *tolerance, const struct tol_move *move,
	double (*p_of)(void *self, int64_t margin, bool rise), void *self)
{
	const bool warns = tolerance_judge(tolerance, move) != VERDICT_FAIL;
	const struct asked asked = { tolerance, move, p_of, self, warns };
	return p_at(&asked, tolerance->root);
}
