/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_match.h - what rules look at of a job.
 */
#ifndef SL_RUNAI_MATCH_H
#define SL_RUNAI_MATCH_H

#include "policies/runai/runai_read.h"

struct runai_facts {
	const char *user, *account, *partition, *queue, *namespace, *name, *qos; /* NULL: not known. */
	int64_t gpus;                                                            /* Thousandths. */
	sl_time limit;
	char buffer[3][24]; /* Of numbers. */
};
void runai_facts_of(struct runai_facts *facts, const struct sl_jobs *jobs, uint32_t job,
	const struct sl_cluster *cluster, const struct sl_pods *pods);
bool runai_pattern(const char *pattern, const char *text);
bool runai_matches(const struct runai_match *match, const struct runai_facts *facts);
/* asked: the queue of its PodGroup; NULL. */
void runai_map(const struct runai_config *config, const struct runai_facts *facts, const struct sl_pods *pods,
	const char *asked, struct runai_job *said);
const struct sl_job_attributes *runai_more_of(const struct sl_jobs *jobs, uint32_t job);
/* Of the object, or else of the first of its pods that has it. */
const char *runai_label(const struct sl_pods *pods, const char *key);
const char *runai_annotation(const struct sl_pods *pods, const char *key);

#endif
