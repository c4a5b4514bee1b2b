/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_backfill.c - what a tested job costs in the backfill passes of policy slurm. Linked into schedlab
 * with
 * --wrap=ctl_bf_pass: the program is the same, and says at its end, on stderr: passes, tested jobs, CPU
 * seconds within passes, starts within them, jobs looked at.
 */
#include "policies/slurm/control/ctl_bf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The names that ld --wrap gives. */
void __real_ctl_bf_pass(struct ctl *c); /* NOLINT(bugprone-reserved-identifier) */
void __wrap_ctl_bf_pass(struct ctl *c); /* NOLINT(bugprone-reserved-identifier) */

static struct {
	uint64_t passes, tests, looked, started;
	double seconds;
} sum;

static double cpu_seconds(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(void)
{
	(void)fprintf(stderr,
		"backfill passes %" PRIu64 " tests %" PRIu64 " cpu %.3f started %" PRIu64 " looked %" PRIu64
		"\n",
		sum.passes, sum.tests, sum.seconds, sum.started, sum.looked);
}

void __wrap_ctl_bf_pass(struct ctl *c)
{
	const struct ctl_bf before = *c->bf;
	const double from = cpu_seconds();
	__real_ctl_bf_pass(c);
	sum.seconds += cpu_seconds() - from;
	if (!sum.passes++)
		(void)atexit(say);
	sum.tests += c->bf->tests - before.tests;
	sum.looked += c->bf->jobs_looked - before.jobs_looked;
	sum.started += (uint64_t)c->bf->started;
}
