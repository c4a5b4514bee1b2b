/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_preempt_world.h - small clusters for tests of preemption and gang scheduling: partitions, jobs that run
 * where the node selection puts them, and the actions on them as text ("stop A, go B"). Nothing else of the
 * controller is there.
 */
#ifndef SL_TEST_CTL_PREEMPT_WORLD_H
#define SL_TEST_CTL_PREEMPT_WORLD_H

#include "policies/slurm/control/ctl_preempt.h"
#include "tests/world/select_world.h"

enum { PW_JOBS = 64, PW_QOS = 4, PW_LOG = 4000 };

struct preempt_world {
	struct ctl c; /* First member: actions on jobs are logged through it. */
	struct select_world w;
	struct ctl_part part[SW_PARTITIONS];
	struct ctl_qos qos[PW_QOS];
	struct ctl_job job[PW_JOBS];
	struct sl_job_desc desc[PW_JOBS];
	uint64_t preempts[PW_QOS];
	char log[PW_LOG];
	size_t log_len;
	char text[PW_LOG];
};

/* preempt/partition_prio and REQUEUE, partition 0 "p" of tier 1, so many nodes of four cores. */
void pw_begin(struct preempt_world *w, uint32_t nodes);
/* Before pw_ready; the caller may change what it is. */
struct sl_partition *pw_part(struct preempt_world *w, const char *name, int64_t tier);
void pw_gang(struct preempt_world *w); /* SUSPEND,GANG */
void pw_by_qos(struct preempt_world *w);
void pw_ready(struct preempt_world *w);
void pw_end(struct preempt_world *w);

/* The next job, "A", "B", ...; of so many tasks, in that partition. Its request may be changed. */
struct ctl_job *pw_job(struct preempt_world *w, uint32_t part, int64_t tasks);
struct ctl_job *pw_whole(struct preempt_world *w, uint32_t part, int64_t nodes);
/* It starts beside what runs; false: it does not fit. */
bool pw_start(struct preempt_world *w, struct ctl_job *job);
void pw_finish(struct preempt_world *w, struct ctl_job *job);
/* The actions since the last call. */
const char *pw_log(struct preempt_world *w);
/* Where it runs: "n1:0-3". */
const char *pw_where(struct preempt_world *w, const struct ctl_job *job);
/* Whom it would preempt, and where it would start then: "A, C -> n1:0-3"; "busy". */
const char *pw_preempts(struct preempt_world *w, struct ctl_job *job);
/* Jobs as a list of names. */
const char *pw_names(struct preempt_world *w, struct ctl_job *const *job, size_t count);

#endif
