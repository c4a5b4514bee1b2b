/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_world.c - clusters whose nodes come and go, for tests.
 */
#include "tests/world/elastic_world.h"

#include <criterion/criterion.h>
#include <string.h>

void elastic_test_open(struct elastic_test *test)
{
	test->kube.options.autoscale = true;
	test->kube.options.gang = KUBE_GANG_OFF;
	kube_test_open(&test->kube);
}

/* A job that lost a pod, and is not one that keeps the others, is removed and made anew. */
static bool take_losses(struct elastic_test *test)
{
	struct kube *k = &test->kube.k;
	bool some = false;
	while (k->reported_next < k->reported_count) {
		const struct sl_bound bound = k->reported[k->reported_next++];
		if (bound.what != SL_BOUND_LOST || !k->job[bound.job.row].lost)
			continue;
		const struct sl_pods *pods = k->job[bound.job.row].pods;
		kube_remove(k, test->now, bound.job);
		kube_add(k, test->now, bound.job, pods, NULL);
		some = true;
	}
	return some;
}

static sl_time end_jobs(struct elastic_test *test)
{
	sl_time next = SL_NEVER;
	for (uint32_t i = 0; i < test->kube.added; i++) {
		if (!test->end[i])
			continue;
		if (test->end[i] <= test->now) {
			kube_remove(&test->kube.k, test->now, (sl_job){ i });
			test->end[i] = 0;
		} else if (test->end[i] < next) {
			next = test->end[i];
		}
	}
	return next;
}

void elastic_test_run(struct elastic_test *test, int64_t second)
{
	const sl_time until = second * SL_SECOND;
	for (int rounds = 0; test->now <= until; rounds++) {
		cr_assert(rounds < 100000, "it never rests");
		const sl_time end = end_jobs(test);
		sl_time next = kube_run(&test->kube.k, test->now);
		while (take_losses(test))
			next = kube_run(&test->kube.k, test->now);
		cr_assert_eq(test->kube.k.err.status, 0, "%s", test->kube.k.err.text);
		next = next > test->now ? next : test->now + 1; /* As policy kube does. */
		next = end < next ? end : next;
		if (next > until)
			break;
		test->now = next;
	}
	test->now = until;
}

sl_job elastic_test_job(struct elastic_test *test, int64_t end, int pods, const char *spec)
{
	const sl_job job = kube_test_job(&test->kube, test->now, pods, "\"app\":\"x\"", spec);
	test->end[job.row] = end * SL_SECOND;
	return job;
}

uint32_t elastic_test_there(const struct elastic_test *test, uint32_t first, uint32_t last)
{
	uint32_t count = 0;
	for (uint32_t i = first; i <= last; i++)
		count += test->kube.k.node[i - 1].there;
	return count;
}

int64_t elastic_test_when(const struct elastic_test *test, const char *what, uint32_t node)
{
	const struct kube_scaler *s = test->kube.k.scaler;
	for (size_t i = 0; i < s->events; i++)
		if (s->event[i].node == node - 1 && strcmp(s->event[i].what, what) == 0)
			return s->event[i].at / SL_SECOND;
	return -1;
}
