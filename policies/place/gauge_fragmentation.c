/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gauge_fragmentation.c - how much of what is free of GPUs the jobs of the trace could not use: fragments.h
 * has the rule.
 */
#include "policies/place/fragments.h"

static int fragmentation_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct fragments *f = sl_alloc(setup->arena, 1, sizeof(*f));
	if (!f)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	*state = f;
	return fragments_make(f, setup, err);
}

static int64_t fragmentation_of(void *state, const struct sl_node_class *class)
{
	const struct fragments *f = state;
	if (!f->total)
		return 0;
	const uint32_t row = fragments_row(f, class->free[SL_KIND_CPUS]);
	return sl_mul_div(fragments_of(f, class, row), INT64_C(1000000), f->total * f->parts);
}

const struct sl_gauge gauge_fragmentation = {
	.abi = SL_ABI_OF(struct sl_gauge),
	.name = "fragmentation",
	.summary =
		"GPUs that are free, but of no use to the typical jobs of the trace; in millionths of a GPU",
	.paper = "Weng et al., USENIX ATC 2023, section 3.2",
	.init = fragmentation_init,
	.of = fragmentation_of,
	.of_fills = true,
};
