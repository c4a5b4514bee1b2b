/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heard.h - what a reader of Slurm's accounting reports to its sink, as text that a test can compare.
 */
#ifndef SL_TEST_HEARD_H
#define SL_TEST_HEARD_H

#include "sim/plugin.h"

struct heard {
	char text[16000];
	size_t len;
	struct sl_err err;
	char path[32];
	const char *reader;
	bool (*wanted)(const struct sl_row *row); /* NULL: each is. */
};

void heard_put(struct heard *h, const char *format, ...) SL_PRINTF(2, 3);
/* What is said of it, and nothing of the rest: " N2-4 n8 c2 mem4096 gres=gpu:1". */
void heard_desc(struct heard *h, const struct sl_job_desc *desc);
void heard_more(struct heard *h, const struct sl_job_attributes *more);
/* The text through the reader that its content chooses. A line a call:
 * "2: 17 @100 run 50 limit 60 wait 5 status 1 uann afred pbatch COMPLETED [N1 n4 c1]", "3! cause", "? not
 * used". */
int heard_of(struct heard *h, const char *text);
/* The same with the jobs that are wanted alone. */
int heard_some(struct heard *h, const char *text, bool (*wanted)(const struct sl_row *row));

#endif
