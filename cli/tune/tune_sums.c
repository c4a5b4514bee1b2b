/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_sums.c - --link 'A+B=12': what may move so that a sum is kept.
 */
#include <string.h>

#include "cli/tune/tune.h"

static int wrong_link(const char *text, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE,
		"--link '%.300s': give keys of --vary with '+' between, '=' and what they add up to: 'projects.yaml:a/quota+projects.yaml:b/quota=12'",
		text);
}

/* By name, with or without "policy."; SIZE_MAX: none. */
static size_t knob_named(const struct tune *tune, const char *name)
{
	const char *plain = name + (strncmp(name, "policy.", 7) == 0 ? 7 : 0);
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const char *is = tune->knob[k].name;
		if (strcmp(is + (strncmp(is, "policy.", 7) == 0 ? 7 : 0), plain) == 0)
			return k;
	}
	return SIZE_MAX;
}

static int unknown_key(const struct tune *tune, const char *text, const char *name, struct sl_err *err)
{
	const char *known[TUNE_AXES_MAX + 1] = { NULL };
	for (size_t k = 0; k < tune->problem.axes; k++)
		known[k] = tune->knob[k].name;
	const char *near = sl_nearest(name, known);
	return sl_fail(err, SL_USAGE, "--link '%.300s': no --vary has the key '%.100s'%s%.300s%s", text, name,
		near ? ": did you mean '" : ", which says what it may be", near ? near : "",
		near ? "'?" : "");
}

/* Amounts of its levels. What it is today need not be a number, and then is in no sum. */
static int amounts_take(struct tune *tune, size_t k, const char *text, struct sl_err *err)
{
	const struct knob *knob = &tune->knob[k];
	int64_t *amount = sl_alloc(tune->arena, knob->count, sizeof(*amount));
	if (!amount)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < knob->count; i++) {
		const char *value = knob->value[i];
		amount[i] = TUNE_NO_AMOUNT;
		if (value && !sl_get_micro(value, strlen(value), &amount[i]) && i != knob->today)
			return sl_fail(err, SL_USAGE,
				"--link '%.300s': '%.60s' of %.300s is no number that can be added", text,
				value, knob->name);
	}
	tune->problem.amount[k] = amount;
	return SL_OK;
}

static int link_read(struct tune *tune, struct tune_link *link, const char *text, struct sl_err *err)
{
	const char *equals = strrchr(text, '=');
	*link = (struct tune_link){ .count = 0 };
	if (!equals || !sl_get_micro(equals + 1, strlen(equals + 1), &link->total))
		return wrong_link(text, err);
	for (const char *at = text; at <= equals;) {
		const size_t plus = strcspn(at, "+");
		const size_t len = plus < (size_t)(equals - at) ? plus : (size_t)(equals - at);
		const char *name = sl_strdup(tune->arena, at, len);
		if (!name)
			return sl_fail_memory(err);
		const size_t k = knob_named(tune, name);
		if (!len)
			return wrong_link(text, err);
		if (k == SIZE_MAX)
			return unknown_key(tune, text, name, err);
		for (size_t i = 0; i < link->count; i++)
			if (link->axis[i] == k)
				return sl_fail(
					err, SL_USAGE, "--link '%.300s': '%.300s' stands twice", text, name);
		const int status = amounts_take(tune, k, text, err);
		if (status)
			return status;
		link->axis[link->count++] = (uint32_t)k;
		at += len + 1;
	}
	return link->count > 1 ? SL_OK : wrong_link(text, err);
}

int sums_read(struct tune *tune, struct sl_err *err)
{
	struct tune_problem *problem = &tune->problem;
	const char *text;
	for (size_t i = 0; (text = arg_at(tune->args, "link", i)); i++) {
		if (i == TUNE_LINKS_MAX)
			return sl_fail(err, SL_USAGE, "--link: at most %d sums", (int)TUNE_LINKS_MAX);
		if (link_read(tune, &problem->link[i], text, err))
			return tune_option_said(tune->args, "link", i, err);
		problem->links = i + 1;
		if (!tune_settings(problem)) {
			(void)sl_fail(err, SL_USAGE,
				"--link '%.300s': nothing in these ranges adds up to that", text);
			return tune_option_said(tune->args, "link", i, err);
		}
	}
	return SL_OK;
}
