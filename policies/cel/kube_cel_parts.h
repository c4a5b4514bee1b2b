/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_cel_parts.h - a parsed expression, as kube_cel.c makes it and kube_cel_run.c reads it.
 */
#ifndef KUBE_CEL_PARTS_H
#define KUBE_CEL_PARTS_H

#include <regex.h>

#include "policies/cel/kube_cel.h"

enum cel_op {
	CEL_OP_VALUE,
	CEL_OP_LIST,
	CEL_OP_DEVICE,
	CEL_OP_FIELD, /* .name */
	CEL_OP_INDEX, /* [] */
	CEL_OP_NOT,
	CEL_OP_MINUS,
	CEL_OP_AND,
	CEL_OP_OR,
	CEL_OP_IF,
	CEL_OP_EQ,
	CEL_OP_NE,
	CEL_OP_LT,
	CEL_OP_LE,
	CEL_OP_GT,
	CEL_OP_GE,
	CEL_OP_IN,
	CEL_OP_HAS,
	CEL_OP_QUANTITY,
	CEL_OP_SEMVER,
	CEL_OP_SIZE,
	CEL_OP_COMPARE,
	CEL_OP_GREATER,
	CEL_OP_LESS,
	CEL_OP_MATCHES,
	CEL_OP_STARTS,
	CEL_OP_ENDS,
	CEL_OP_CONTAINS,
	CEL_OP_MAJOR,
	CEL_OP_MINOR,
	CEL_OP_PATCH
};

struct cel_node {
	enum cel_op op;
	struct cel_value value;
	const char *name;                    /* Of a field. */
	const struct cel_node *part[3];      /* What it is of, and arguments. */
	const struct cel_node *first, *next; /* Of a list. */
	regex_t *pattern;
	struct cel_node *pattern_next;
};

struct cel {
	const struct cel_node *root;
	struct cel_node *patterns;
};

#endif
