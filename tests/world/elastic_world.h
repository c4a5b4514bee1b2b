/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elastic_world.h - clusters of kube_world.h whose nodes come and go, from one instant to the next.
 */
#ifndef SL_TEST_ELASTIC_WORLD_H
#define SL_TEST_ELASTIC_WORLD_H

#include "policies/kube/elastic/elastic.h"
#include "tests/world/kube_world.h"

struct elastic_test {
	struct kube_test kube; /* options.autoscale is set. */
	sl_time now;
	sl_time end[KUBE_JOBS]; /* By job: it ends then; 0: never. */
};

void elastic_test_open(struct elastic_test *test);
/* Up to that second, as the policy does it: jobs end, and those that lost a pod are made anew. */
void elastic_test_run(struct elastic_test *test, int64_t second);
/* A job of so many pods that is submitted at `now` and ends at that second (0: never). */
sl_job elastic_test_job(struct elastic_test *test, int64_t end, int pods, const char *spec);
/* How many of n<first>... n<last> are there. */
uint32_t elastic_test_there(const struct elastic_test *test, uint32_t first, uint32_t last);
/* When that first happened to node n<node>, in seconds; -1: never. */
int64_t elastic_test_when(const struct elastic_test *test, const char *what, uint32_t node);

#endif
