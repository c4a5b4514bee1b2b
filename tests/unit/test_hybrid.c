/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_hybrid.c - what policies made of others stand on (sl_child_values, sl_lens, sl_reason_of), by one that
 * looks at each. Runs are under --check: each pass is made, undone, and made again. The policy hybrid itself
 * is tested from the command line: tests/cli/hybrid*.sh.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world.h"

static struct {
	int status;
	char text[200];
	int64_t start, skip;
	size_t count;
	unsigned passes;
} seen;

static const struct sl_policy *slurm(void)
{
	for (const struct sl_policy *const *policy = sl_policies; *policy; policy++)
		if (strcmp((*policy)->name, "slurm") == 0)
			return *policy;
	return NULL;
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
	(void)strncpy(seen.text, bad.text, sizeof(seen.text) - 1);
	if (!status)
		status = sl_child_values(setup, slurm(), NULL, &value, &seen.count, err);
	sl_default_reason(setup, SL_REASON_NONE);
	return status ? status : sl_use(setup, SL_USE_CONTROL | SL_USE_NODES | SL_USE_REASONS, err);
}

/* Nodes are shown as the bytes say, and as they are without them. */
static void look_through_lens(struct sl_pass *pass)
{
	static const uint8_t shut[] = { 0, 1, 2 };
	static const bool up[] = { true, true, false };
	sl_lens(pass, shut);
	for (uint32_t n = 0; n < SL_LEN(shut); n++) {
		cr_expect_eq(sl_node_is_drained(pass, n), shut[n] > 0, "node %u", n);
		cr_expect_eq(sl_node_is_up(pass, n), up[n], "node %u", n);
	}
	sl_lens(pass, NULL);
	for (uint32_t n = 0; n < SL_LEN(shut); n++)
		cr_expect(sl_node_is_up(pass, n) && !sl_node_is_drained(pass, n), "node %u", n);
}

/* Of job 2 alone: what it is told at 0 holds at 10, and what was taken back never was. */
static void look(void *state, struct sl_pass *pass)
{
	(void)state;
	const sl_job job = { 1 };
	const bool first = sl_now(pass) == 0;
	seen.passes++;
	look_through_lens(pass);
	if (sl_state_of(pass, job) != SL_PENDING)
		return;
	cr_expect_eq(sl_reason_of(pass, job), first ? SL_REASON_NONE : SL_REASON_RESOURCES, "pass %u",
		seen.passes);
	const sl_marked mark = sl_mark(pass);
	sl_set_reason(pass, job, SL_REASON_PRIORITY, 0);
	sl_set_reason(pass, job, SL_REASON_QUOTA, 0);
	cr_expect_eq(sl_reason_of(pass, job), SL_REASON_QUOTA);
	sl_undo(pass, mark);
	cr_expect_eq(sl_reason_of(pass, job), first ? SL_REASON_NONE : SL_REASON_RESOURCES);
	if (first)
		sl_set_reason(pass, job, SL_REASON_RESOURCES, 0);
	else
		(void)sl_end(pass, job, SL_CANCELLED);
}

static void start_first(void *state, struct sl_pass *pass)
{
	const struct sl_holding holding = { .node = 0, .tasks = 1, .cpus = 4 };
	if (sl_state_of(pass, (sl_job){ 0 }) == SL_PENDING)
		cr_expect(sl_start_holding(pass, (sl_job){ 0 }, &holding, 1));
	look(state, pass);
}

static const struct sl_policy looks = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "looks", .init = init, .pass = start_first
};

Test(hybrid, children_have_values_and_nodes_are_seen_through_a_lens)
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
	cr_expect(strstr(seen.text, "'strat'") != NULL, "%s", seen.text);
	cr_expect_gt(seen.passes, 1U);
	world_release(&w);
}
