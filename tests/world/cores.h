/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cores.h - a test that goes on with one core alone. */
#ifndef SL_TEST_CORES_H
#define SL_TEST_CORES_H

#include <sched.h>
#include <stdbool.h>

static inline bool cores_keep_one(void)
{
	cpu_set_t cores, one;
	if (sched_getaffinity(0, sizeof(cores), &cores))
		return false;
	CPU_ZERO(&one);
	for (size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) < 1; core++)
		if (CPU_ISSET(core, &cores))
			CPU_SET(core, &one);
	return sched_setaffinity(0, sizeof(one), &one) == 0;
}

#endif
