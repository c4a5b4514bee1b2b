/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_held.c - jobs that were preempted, requeued or lost their nodes, until their next record comes.
 *
 * A table by job number, and a list by age: where it is full the one that has waited longest goes.
 * Each has its texts and what it requests with it.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

enum { BUCKETS = 4096 };

struct held {
	struct sacct_job job;
	struct held *chain; /* Of the same bucket. */
	struct held *older, *newer;
};

struct sacct_held {
	struct held *bucket[BUCKETS];
	struct held *oldest, *newest;
	size_t count;
};

static struct held **bucket_of(struct sacct_held *all, int64_t id)
{
	return &all->bucket[((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15)) >> 52];
}

int sacct_held_begin(struct sacct *s)
{
	s->held = calloc(1, sizeof(*s->held));
	return s->held ? SL_OK : SL_SYSTEM;
}

bool sacct_held_full(const struct sacct *s) { return s->held->count > SACCT_HELD_MAX; }

/* The copy points into itself, as the one before did. */
static void moved(struct sacct_job *job)
{
	job->more.job = &job->job;
	job->more.desc = job->desc;
	job->row.more = &job->more;
}

int sacct_held_put(struct sacct *s)
{
	struct sacct_job *job = &s->job;
	struct sacct_held *all = s->held;
	const size_t asks = job->more.desc_count ? job->more.desc_count : 1;
	struct held *held = calloc(1, sizeof(*held));
	struct sl_job_desc *desc = malloc(asks * sizeof(*desc));
	if (!held || !desc) {
		free(held);
		free(desc);
		return sl_fail_memory(s->err);
	}
	memcpy(desc, job->desc, asks * sizeof(*desc));
	held->job = *job;
	held->job.desc = desc;
	moved(&held->job);
	job->text = (struct sacct_text){ 0 };
	job->whole = false;
	struct held **bucket = bucket_of(all, held->job.id);
	held->chain = *bucket;
	*bucket = held;
	held->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = held;
	all->newest = held;
	all->count++;
	return SL_OK;
}

static void unlink_held(struct sacct_held *all, struct held **at)
{
	struct held *held = *at;
	*at = held->chain;
	*(held->older ? &held->older->newer : &all->oldest) = held->newer;
	*(held->newer ? &held->newer->older : &all->newest) = held->older;
	all->count--;
}

/* Into s->job; its array for the request is larger, and stays. */
static void give_back(struct sacct *s, struct held *held)
{
	struct sacct_job *job = &s->job;
	struct sl_job_desc *capacity = job->desc;
	const size_t asks = held->job.more.desc_count ? held->job.more.desc_count : 1;
	sacct_text_free(&job->text);
	memcpy(capacity, held->job.desc, asks * sizeof(*capacity));
	free(held->job.desc);
	*job = held->job;
	job->desc = capacity;
	moved(job);
	free(held);
}

static struct held **sacct_held_place_of(struct sacct_held *all, int64_t id)
{
	struct held **at = bucket_of(all, id);
	while (*at && (*at)->job.id != id)
		at = &(*at)->chain;
	return at;
}

bool sacct_held_take(struct sacct *s, int64_t id)
{
	if (!s->held->count)
		return false;
	struct held **at = sacct_held_place_of(s->held, id);
	struct held *held = *at;
	if (!held)
		return false;
	unlink_held(s->held, at);
	give_back(s, held);
	return true;
}

bool sacct_held_oldest(struct sacct *s)
{
	return s->held->oldest && sacct_held_take(s, s->held->oldest->job.id);
}

void sacct_held_release(struct sacct *s)
{
	for (struct held *held = s->held ? s->held->oldest : NULL; held;) {
		struct held *newer = held->newer;
		sacct_text_free(&held->job.text);
		free(held->job.desc);
		free(held);
		held = newer;
	}
	free(s->held);
}
