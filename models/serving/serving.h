/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * serving.h - services in a run: which replicas run, which are ready, what they serve of the load.
 *
 * Between two changes load, wanted, running and ready replicas are constant: an interval. Sums over intervals
 * are of integers, so that they are exact.
 */
#ifndef MODELS_SERVING_H
#define MODELS_SERVING_H

#include "sim/plugin.h"

enum { SERVING_RANGES = 256, SERVING_SERVICES_MAX = 10000 };
#define SERVING_NONE UINT32_MAX

/* A change of how many are wanted. */
struct serving_want {
	sl_time at;
	uint32_t service;
	int32_t by;
};

/* Over intervals: loads and what was served in millionths of a request a second times us, replicas times us.
 */
struct serving_sum {
	__int128 load, served;
	__int128 wanted, running, ready;
	sl_time time, met; /* In all, and with a capacity not below the load. */
};

struct serving_service {
	const char *name, *text;
	struct sl_serves serves;
	sl_time began;
	sl_time until;           /* So far it is summed up. */
	uint32_t want, want_end; /* Changes to come. */
	int64_t wanted, running, ready;
	int64_t wanted_max, ready_max;
	uint64_t cold_starts, replacements;
	__int128 gpu_time; /* GPUs (in parts) times us. */
	struct serving_sum sum;
	sl_time width; /* Of a range, from its beginning on. */
	struct serving_sum *range;
};

struct serving_replica {
	uint32_t job, service, warming; /* warming: its place among those, + 1; 0: it is not. */
	int64_t member, retires;
	bool running, ready;
	bool paused; /* It was suspended, and is not running: as it goes on it is no colder. */
	uint32_t starts;
	uint64_t rate;       /* As it was when `wake` was set; */
	sl_time wake;        /* when it will be ready at that rate. */
	sl_time started;     /* Runs since then. */
	sl_time ready_first; /* SL_NONE: it never was. */
};

struct serving {
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	int64_t gpu_parts;
	struct serving_service *service;
	uint32_t services;
	struct serving_replica *replica; /* In order of jobs. */
	uint32_t replicas;
	uint32_t *of_job;    /* By job: its replica; SERVING_NONE: it is none. */
	uint32_t *by_member; /* Replicas by (service, member, row). */
	uint32_t *warming;
	uint32_t warming_count;
	struct serving_want *want; /* By service, then time. */
};

/* serving_setup.c */
int serving_init(void **state, const struct sl_model_setup *setup, struct sl_err *err);
void serving_release(void *state);
/* The replica of that number; SERVING_NONE: there is none. */
uint32_t serving_find(const struct serving *serving, uint32_t service, int64_t member);

/* All intervals up to now. */
void serving_pass_to(struct serving *serving, uint32_t service, sl_time now);

/* serving_report.c */
int serving_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);

#endif
