/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kq_multi.c - MultiKueue's dispatch, clause by clause.
 */
#include <criterion/criterion.h>

#include "policies/kueue/rules/kq_multi.h"
#include "tests/world/kq_victims_world.h"

enum { WORKERS = 5 };

static struct ks_instance w;
static struct kq_multi_config config;
static struct kq_remote remote;
static uint8_t copy[WORKERS];
static sl_time at[WORKERS];

static void begin(enum kq_dispatch dispatch, sl_time transfer)
{
	ks_begin(&w);
	const uint32_t job = ks_waits(&w, "job", 0);
	struct kq_workload_check *check = kq_alloc(w.kq, 1, sizeof(*check));
	cr_assert(check);
	check->check = kq_check(w.kq, "multi");
	w.kq->workload[job].check = check;
	w.kq->workload[job].check_count = 1;
	config = (struct kq_multi_config){ .dispatch = dispatch,
		.step = 3,
		.round = 300 * SL_SECOND,
		.lost_after = 900 * SL_SECOND,
		.transfer = transfer,
		.worker_max = WORKERS };
	remote = (struct kq_remote){ .workload = job, .check = check->check, .copy = copy, .at = at };
	w.kq->now = 0;
	kq_multi_begin(&config, w.kq, &remote);
}

static enum kq_check_state state(void) { return w.kq->workload[remote.workload].check[0].state; }

Test(kq_multi, the_first_that_reserves_wins)
{
	begin(KQ_ALL_AT_ONCE, 0);
	cr_expect_eq(kq_multi_advance(&config, w.kq, &remote), SL_NEVER);
	cr_expect_eq(copy[4], KQ_COPY_THERE, "all have it");
	cr_expect(kq_multi_reserved(w.kq, &remote, WORKERS, 3));
	cr_expect_eq(copy[3], KQ_COPY_WON);
	cr_expect_eq(copy[0], KQ_COPY_GONE);
	cr_expect_eq(state(), KQ_CHECK_READY);
	cr_expect_not(kq_multi_reserved(w.kq, &remote, WORKERS, 1), "too late");
	cr_expect_eq(remote.winner, 3);
	ks_end(&w);
}

Test(kq_multi, incremental_goes_in_rounds)
{
	begin(KQ_INCREMENTAL, 0);
	cr_expect_eq(kq_multi_advance(&config, w.kq, &remote), 300 * SL_SECOND);
	cr_expect_eq(copy[2], KQ_COPY_THERE);
	cr_expect_eq(copy[3], KQ_COPY_NONE);
	w.kq->now = 300 * SL_SECOND;
	cr_expect_eq(kq_multi_advance(&config, w.kq, &remote), SL_NEVER);
	cr_expect_eq(copy[4], KQ_COPY_THERE);
	ks_end(&w);
}

Test(kq_multi, a_copy_takes_its_time)
{
	begin(KQ_ALL_AT_ONCE, 2 * SL_SECOND);
	cr_expect_eq(kq_multi_advance(&config, w.kq, &remote), 2 * SL_SECOND);
	cr_expect_eq(copy[0], KQ_COPY_SENT);
	w.kq->now = 2 * SL_SECOND;
	(void)kq_multi_advance(&config, w.kq, &remote);
	cr_expect_eq(copy[0], KQ_COPY_THERE);
	ks_end(&w);
}

Test(kq_multi, a_lost_worker_is_given_up_after_a_while)
{
	begin(KQ_ALL_AT_ONCE, 0);
	(void)kq_multi_advance(&config, w.kq, &remote);
	(void)kq_multi_reserved(w.kq, &remote, WORKERS, 0);
	w.kq->now = 100 * SL_SECOND;
	kq_multi_lost(w.kq, &remote, 0, true);
	cr_expect_eq(kq_multi_advance(&config, w.kq, &remote), 1000 * SL_SECOND);
	cr_expect_eq(state(), KQ_CHECK_READY);
	w.kq->now = 1000 * SL_SECOND;
	(void)kq_multi_advance(&config, w.kq, &remote);
	cr_expect_eq(state(), KQ_CHECK_RETRY);
	cr_expect_eq(remote.winner, KQ_NO);
	ks_end(&w);
}
