/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * by_lane.h - a queue for each partition (queues=partition), for plans in which the first job of a queue
 * delays others. With one queue there is one lane, 0.
 */
#ifndef SL_COMPOSED_BY_LANE_H
#define SL_COMPOSED_BY_LANE_H

#include "sim/plugin.h"

struct composed;

/* After plan and order are known. SL_USAGE: the plan or the order cannot go by lanes. */
int lanes_init(struct composed *composed, const struct sl_setup *setup, struct sl_err *err);
uint32_t lanes_lane_of(const struct composed *composed, sl_job job);
/* Before the job is queued. */
void lanes_submitted(const struct composed *composed, struct sl_pass *pass, sl_job job);

/* With several lanes: starts from the front of each while it fits, lanes in the order of their first jobs.
 * Returns how many lanes wait for their head. */
uint32_t lanes_start_in_order(struct composed *composed, struct sl_pass *pass);
/* Those heads, in the order in which they were found. */
sl_job lanes_waiting(const struct composed *composed, uint32_t index);

/* Each lane with a waiting job, in the order of the first jobs as the pass begins. With one queue, lane 0
 * always. */
void lanes_each(struct composed *composed, struct sl_pass *pass,
	void (*serve)(struct composed *composed, struct sl_pass *pass, uint32_t lane));

#endif
