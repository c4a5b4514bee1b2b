/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_course.c - what was, over time: of each project what it is entitled to, uses, lends and waits for.
 */
#include "policies/runai/runai.h"

int runai_course_make(struct runai *r, struct sl_err *err)
{
	(void)r;
	(void)err;
	return SL_OK;
}

void runai_course_release(struct runai *r) { (void)r; }
void runai_course_note(struct runai *r) { (void)r; }

int runai_tell(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	(void)state;
	(void)pass;
	(void)tally;
	(void)err;
	return SL_OK;
}

int runai_show(void *state, struct sl_pass *pass, sl_time at, const char *what, const struct sl_show *show,
	struct sl_err *err)
{
	(void)state;
	(void)pass;
	(void)at;
	(void)what;
	(void)show;
	(void)err;
	return SL_USAGE;
}
