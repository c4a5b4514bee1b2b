/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compat.c - other simulators' rules, as settings of ours. What each was taken from is in docs/VALIDATION.md.
 */
#include "policies/composed/composed.h"

#define PYSS                                                                                      \
	"replay.events=submit_first,replay.passes=event,replay.early=true,replay.size=requested," \
	"replay.overrun=kill"

#define RLSCHEDULER                                                                         \
	"wait=published,replay.events=submit_first,replay.passes=event,replay.size=larger," \
	"replay.overrun=extend,replay.run_unknown=10"

#define BATSCHED "replay.events=finish_first,replay.passes=instant,replay.overrun=kill"

const struct sl_compat composed_compats[] = {
	{ "pyss", "plan=easy,fill=queue", "arrivals=fitting," PYSS },
	{ "pyss", NULL, PYSS },
	{ "frozen", "plan=easy",
		"shadow=frozen,spare=none,replay.events=finish_first,replay.passes=instant,"
		"replay.overrun=kill" },
	{ "batsched", "plan=easy", "plan=easy_named," BATSCHED },
	{ "batsched", "plan=conservative", "plan=conservative_named," BATSCHED },
	{ "rlscheduler", "plan=fcfs", "plan=commit,fill=none," RLSCHEDULER },
	{ "rlscheduler", "plan=easy", "plan=commit,fill=queue," RLSCHEDULER },
	{ "rlscheduler", "plan=commit", RLSCHEDULER },
	{ 0 },
};
