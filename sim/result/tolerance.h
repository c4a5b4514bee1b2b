/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tolerance.h - how far a metric may move from what it was: a small language, and its verdict.
 *
 *   tolerance  = all { "or" all }                       passes if either does
 *   all        = one { "and" one }                      passes if both do
 *   one        = "warn" tolerance | "=" | band | worse | range | bound
 *   band       = ("±" | "+-" | "+/-") amount ["%"]      either way
 *   worse      = ("+" | "-") amount ["%"]               so far the worse way; any way better
 *   range      = number ".." number
 *   bound      = ("<=" | ">=" | "<" | ">") number
 *
 * "=", bands and worse are held against the value before, ranges and bounds against nothing. Amounts may be
 * times ("4h"), which are seconds; in ranges and bounds "80%" is 0.8. Numbers are millionths, and compared
 * exactly. Bounded: so many letters, so many nodes.
 */
#ifndef SL_TOLERANCE_H
#define SL_TOLERANCE_H

#include "sim/base/base.h"

enum { TOL_TEXT_MAX = 200, TOL_NODES_MAX = 40 };

enum tol_kind {
	TOL_EXACT,
	TOL_BAND,
	TOL_RISE, /* "+5%": it may rise so far. */
	TOL_FALL,
	TOL_RANGE,
	TOL_LE,
	TOL_GE,
	TOL_LT,
	TOL_GT,
	TOL_OR,
	TOL_AND,
	TOL_WARN
};

struct tol_node {
	enum tol_kind kind;
	bool percent;       /* Of the value before. */
	bool time;          /* Written as a time. */
	int64_t amount, to; /* Millionths; to: a range's end. */
	uint8_t left, right;
};

struct tolerance {
	struct tol_node node[TOL_NODES_MAX];
	uint8_t count, root;
};

struct tol_wrong {
	size_t at; /* In the text, in bytes. */
	const char *why;
};
/* False: it is none, as wrong says. */
bool tolerance_parse(struct tolerance *tolerance, const char *text, struct tol_wrong *wrong);

/* Does it need the value before? */
bool tolerance_relative(const struct tolerance *tolerance);
/* Is a time expected? */
bool tolerance_timed(const struct tolerance *tolerance);
/* Where it is not known which sign of a metric is better: that which its tolerance does not bound, or 0. */
int tolerance_better(const struct tolerance *tolerance);
/* Does it bound the better way alone ("+5%" of what should rise)? */
bool tolerance_backward(const struct tolerance *tolerance, int better);

enum verdict {
	VERDICT_PASS,
	VERDICT_WARN,
	VERDICT_FAIL,
	VERDICT_ZERO /* A percentage of 0 is needed, and nothing else decides. */
};

/* Where a metric went: of one run, low and high are is - was; of a family, the interval of its shift. */
struct tol_move {
	int64_t was, is, low, high;
};
enum verdict tolerance_judge(const struct tolerance *tolerance, const struct tol_move *move);

/* The p of a regression by that tolerance, of a family: `or` fails if both sides do, `and` if either does; of
 * one that fails, what only warns does not count.
 * p_of: that the shift lies beyond so much, rising or falling. */
double tolerance_p(const struct tolerance *tolerance, const struct tol_move *move,
	double (*p_of)(void *self, int64_t margin, bool rise), void *self);

#endif
