/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_turns.c - workloads that take turns: one preempts another, which is admitted again before it.
 *
 * Whom a workload may preempt and who is admitted first are different rules of Kueue (borrowing less goes
 * before priority, a lower share before both), so two or three may drive each other out for ever; Kueue does
 * so until one of them ends in its turn (kubernetes-sigs/kueue, pull request 13797). Here a turn may take no
 * time, and none would ever end. So once a job was preempted TURNS_MAX times and nothing has come from
 * outside meanwhile (a job, an end, a node, a command), the scheduler rests as soon as somebody is admitted
 * and nobody is preempted, until something does.
 */
#include "policies/kueue/kueue.h"

enum {
	TURNS_MAX = 8,      /* Of a preemption; */
	TIMEOUTS_MAX = 100, /* of anything else. */
	TURNS_LAST = 1000   /* Then it rests at once: some cycles both admit and preempt. */
};

void kueue_news(struct kueue *k)
{
	k->news++;
	k->circle = k->rests = false;
}

void kueue_turn(struct kueue *k, uint32_t row, bool preempted)
{
	struct kueue_job *job = &k->job[row];
	if (job->turns_news != k->news) {
		job->turns_news = k->news;
		job->turns = 0;
	}
	job->turns++;
	k->preempted |= preempted;
	k->circle |= job->turns >= (preempted ? TURNS_MAX : TIMEOUTS_MAX);
	k->rests |= job->turns >= TURNS_LAST;
}

void kueue_turn_over(struct kueue *k, uint64_t reservations)
{
	if (k->circle && k->reservations > reservations && !k->preempted)
		k->rests = true;
}
