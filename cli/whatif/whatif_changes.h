/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_changes.h - two replicas job by job: who waits less or longer, who is cut, who is not there.
 */
#ifndef SL_WHATIF_CHANGES_H
#define SL_WHATIF_CHANGES_H

#include "cli/whatif/whatif_parts.h"

struct group {
	int32_t of; /* Its number among users, partitions. */
	const char *name;
	char number[24]; /* Where it has no name. */
	uint32_t jobs;
	sl_time wait; /* Of the replica less of the base, over the jobs that started in both. */
};

struct changes {
	uint32_t both, only_base, only_replica;
	bool resubmitted; /* Some job of both is submitted at another time. */
	uint32_t earlier, later, same;
	sl_time earlier_sum, later_sum;
	uint32_t ended[SL_STATE_COUNT][SL_STATE_COUNT]; /* From the base's state to the replica's. */
	struct group *user, *partition;
	size_t user_count, partition_count;
	/* Of the mean wait of jobs of both: as the table has its differences, of the two replicas alone. */
	bool has_wait;
	struct sl_difference wait;
	struct sl_certainty wait_known;
	uint32_t cut;      /* TIMEOUT, and not so in the base; or not there, and ran longer than is */
	uint32_t cut_gone; /* allowed now: the latter alone. */
	uint32_t refused;  /* By the allocator, at submission. */
};

/* Jobs that the log shows as cut by their limit: how long they would have gone on nobody knows. */
struct censored {
	uint32_t jobs;
	uint32_t exact; /* The log has no states, and all ran just as long as their limits: which were cut is
			   not known. */
	__int128 cpu, gpu; /* Their usage: cpu-microseconds, GPU-microseconds. */
	int64_t cpu_parts, gpu_parts;
};

/* b: the replica; scenario: what it ran on. whatif_changes_free in any case. */
int whatif_changes_find(struct changes *changes, const struct sl_result *a, const struct sl_result *b,
	const struct scenario *scenario, struct sl_err *err);
void whatif_changes_free(struct changes *changes);
/* Right censored: Kaplan and Meier 1958, Nonparametric estimation from incomplete observations. */
struct censored censored_of(const struct scenario *scenario);
/* Does the replica set a limit of time, or have other ones by its files? */
bool limits_touched(const struct replica *replica, const struct scenario *base, const struct scenario *is);

#endif
