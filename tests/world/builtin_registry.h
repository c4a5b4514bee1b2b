/* SPDX-License-Identifier: GPL-3.0-or-later */
/* builtin_registry.h - the registry with what is built in, made once for all of a test's simulations. */
#ifndef SL_TEST_BUILTIN_REGISTRY_H
#define SL_TEST_BUILTIN_REGISTRY_H

#include "sim/lib/builtin.h"

static inline const struct registry *builtin_registry(void)
{
	static struct registry registry;
	struct sl_err err = { 0 };
	if (!registry.arena)
		SL_CHECK(registry_make(&registry, &err) == SL_OK);
	return &registry;
}

#endif
