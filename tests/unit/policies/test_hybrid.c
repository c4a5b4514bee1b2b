/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_hybrid.c - the interface for policies made of others (sl_child_values, sl_node_mask, sl_reason_of), by
 * one that calls each. Runs are under --check: each pass is made, undone, and made again. The policy hybrid
 * itself is tested from the command line: tests/cli/hybrid*.sh.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/world.h"

static struct {
	int status;
	bool is_named;
	int64_t start, skip;
	size_t count;
	unsigned passes, node_mask_wrong, reason_wrong;
} seen;

static const struct sl_policy *slurm(void)
{
	const struct sl_policy *const *policy = builtin_registry()->known.policies;
	while (*policy && strcmp((*policy)->name, "slurm") != 0)
		policy++;
	SL_CHECK(*policy);
	return *policy;
}

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_value *value;
	struct sl_err bad = { .status = SL_OK };
	*state = &seen;
	int status = sl_child_values(setup, slurm(), "start=7", &value, &seen.count, err);
	seen.start = sl_value_of(value, seen.count, "start")->number;
	seen.skip = sl_value_of(value, seen.count, "skip")->number;
	seen.status = sl_child_values(setup, slurm(), "strat=7", &value, &seen.count, &bad);
	seen.is_named = strstr(bad.text, "'strat'") != NULL;
	if (!status)
		status = sl_child_values(setup, slurm(), NULL, &value, &seen.count, err);
	sl_default_reason(setup, SL_REASON_NONE);
	return status ? status : sl_use(setup, SL_USE_CONTROL | SL_USE_NODES | SL_USE_REASONS, err);
}

static bool is_displayed(const struct sl_pass *pass, uint32_t node, bool up, bool drained)
{
	return sl_node_is_up(pass, node) == up && sl_node_is_drained(pass, node) == drained;
}

/* The policy sees nodes by the node mask, and as they are without it. */
static bool node_mask_is_true(struct sl_pass *pass)
{
	static const uint8_t unavailable[] = { 0, 1, 2 };
	sl_node_mask(pass, unavailable);
	bool good = is_displayed(pass, 0, true, false) && is_displayed(pass, 1, true, true) &&
		    is_displayed(pass, 2, false, true);
	sl_node_mask(pass, NULL);
	for (uint32_t n = 0; n < SL_LEN(unavailable); n++)
		good = good && is_displayed(pass, n, true, false);
	return good;
}

/* What is said under a mark holds until it is taken back. */
static bool undone_is_unsaid(struct sl_pass *pass, sl_job job)
{
	const enum sl_reason before = sl_reason_of(pass, job);
	const sl_marked mark = sl_mark(pass);
	sl_set_reason(pass, job, SL_REASON_PRIORITY, 0);
	sl_set_reason(pass, job, SL_REASON_QUOTA, 0);
	const bool said = sl_reason_of(pass, job) == SL_REASON_QUOTA;
	sl_undo(pass, mark);
	return said && sl_reason_of(pass, job) == before;
}

/* Job 2 gets its reason at 0, and still has it at 10. */
static void look(void *state, struct sl_pass *pass)
{
	const struct sl_node_alloc node_alloc = { .node = 0, .tasks = 1, .cpus = 4 };
	const sl_job job = { 1 };
	const bool first = sl_now(pass) == 0;
	(void)state;
	seen.passes++;
	seen.node_mask_wrong += !node_mask_is_true(pass);
	if (sl_state_of(pass, (sl_job){ 0 }) == SL_PENDING)
		(void)sl_start_alloc(pass, (sl_job){ 0 }, &node_alloc, 1);
	if (sl_state_of(pass, job) != SL_PENDING)
		return;
	seen.reason_wrong += !undone_is_unsaid(pass, job);
	if (!first) {
		seen.reason_wrong += sl_reason_of(pass, job) != SL_REASON_RESOURCES;
		(void)sl_end(pass, job, SL_CANCELLED);
	} else if (sl_reason_of(pass, job) == SL_REASON_NONE)
		sl_set_reason(pass, job, SL_REASON_RESOURCES, 0);
}

static const struct sl_policy looks = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "looks", .init = init, .pass = look
};

Test(hybrid, children_have_values_and_nodes_are_seen_through_a_node_mask)
{
	struct world w = { .cpus = 12,
		.as_nodes = true,
		.node_cpus = 4,
		.node_mem = 8,
		.count = 2,
		.job = { JOB(0, 10, 10, 4), JOB(0, 10, 10, 4) } };
	cr_assert_eq(world_run_policy(&w, &looks, true), SL_OK, "%s", w.err.text);
	cr_expect_eq(seen.start, 7);
	cr_expect_eq(seen.skip, 1, "its default");
	cr_expect_eq(seen.count, slurm()->param_count);
	cr_expect_eq(seen.status, SL_USAGE);
	cr_expect(seen.is_named);
	cr_expect_gt(seen.passes, 2U);
	cr_expect_eq(seen.node_mask_wrong + seen.reason_wrong, 0U, "lens %u, reason %u", seen.node_mask_wrong,
		seen.reason_wrong);
	world_release(&w);
}
