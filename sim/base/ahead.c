/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ahead.c - a bounded ring of parts, filled by one thread and emptied by another.
 *
 * A part is handed over before its maker looks at it once more (`behind`); from then on both only read it,
 * and it is filled anew once both are done. The last part, the end or a failure, stays.
 */
#include "sim/base/ahead.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4 };

struct ahead {
	struct ahead_source source;
	size_t capacity; /* Of a part. */
	char *part;      /* RING of them. */
	ssize_t got[RING];
	struct sl_err err; /* Of the last, if it is a failure. */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t made, taken; /* So many parts; these and `quit` under lock. */
	bool quit;
};

static char *part_at(const struct ahead *ahead, uint64_t number)
{
	return ahead->part + number % RING * ahead->capacity;
}

/* False: no more are wanted. */
static bool wait_free(struct ahead *ahead)
{
	(void)pthread_mutex_lock(&ahead->lock);
	while (!ahead->quit && ahead->made - ahead->taken == RING)
		(void)pthread_cond_wait(&ahead->moved, &ahead->lock);
	const bool wanted = !ahead->quit;
	(void)pthread_mutex_unlock(&ahead->lock);
	return wanted;
}

static void step(struct ahead *ahead, uint64_t *count)
{
	(void)pthread_mutex_lock(&ahead->lock);
	++*count;
	(void)pthread_cond_signal(&ahead->moved);
	(void)pthread_mutex_unlock(&ahead->lock);
}

static void *make_parts(void *self)
{
	struct ahead *ahead = self;
	const struct ahead_source *source = &ahead->source;
	ssize_t got = 1;
	for (uint64_t number = 0; got > 0 && wait_free(ahead); number++) {
		char *part = part_at(ahead, number);
		got = source->more(source->self, part, ahead->capacity, &ahead->err);
		ahead->got[number % RING] = got;
		step(ahead, &ahead->made);
		if (got > 0)
			source->behind(source->self, part, (size_t)got);
	}
	return NULL;
}

static bool one_core(void)
{
	cpu_set_t cores;
	return sched_getaffinity(0, sizeof(cores), &cores) == 0 && CPU_COUNT(&cores) < 2;
}

/* Signals are for those who wait for them. */
static bool start_thread(struct ahead *ahead)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	const int code = pthread_create(&ahead->thread, NULL, make_parts, ahead);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code == 0;
}

static void ahead_free(struct ahead *ahead)
{
	(void)pthread_cond_destroy(&ahead->moved);
	(void)pthread_mutex_destroy(&ahead->lock);
	free(ahead->part);
	free(ahead);
}

struct ahead *ahead_start(const struct ahead_source *source, size_t capacity)
{
	struct ahead *ahead = one_core() ? NULL : calloc(1, sizeof(*ahead));
	if (!ahead)
		return NULL;
	ahead->source = *source;
	ahead->capacity = capacity;
	ahead->part = malloc(RING * capacity);
	(void)pthread_mutex_init(&ahead->lock, NULL);
	(void)pthread_cond_init(&ahead->moved, NULL);
	if (ahead->part && start_thread(ahead))
		return ahead;
	ahead_free(ahead);
	return NULL;
}

ssize_t ahead_take(struct ahead *ahead, char *out, struct sl_err *err)
{
	(void)pthread_mutex_lock(&ahead->lock);
	while (ahead->made == ahead->taken)
		(void)pthread_cond_wait(&ahead->moved, &ahead->lock);
	(void)pthread_mutex_unlock(&ahead->lock);
	const ssize_t got = ahead->got[ahead->taken % RING];
	if (got < 0)
		*err = ahead->err;
	if (got <= 0)
		return got;
	memcpy(out, part_at(ahead, ahead->taken), (size_t)got);
	step(ahead, &ahead->taken);
	return got;
}

void ahead_end(struct ahead *ahead)
{
	if (!ahead)
		return;
	(void)pthread_mutex_lock(&ahead->lock);
	ahead->quit = true;
	(void)pthread_cond_signal(&ahead->moved);
	(void)pthread_mutex_unlock(&ahead->lock);
	(void)pthread_join(ahead->thread, NULL);
	ahead_free(ahead);
}
