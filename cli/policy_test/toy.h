/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * toy.h - small scenarios that are drawn: a function of (seed, number), written as files that any command
 * reads.
 *
 * Each has a shape, by turns; a shape is one line of a table in toy.c.
 */
#ifndef SL_TOY_H
#define SL_TOY_H

#include "sim/base/base.h"

enum { TOY_JOBS = 120, TOY_NODE_TYPES = 3 };

struct toy_job {
	int64_t submit, run, limit; /* Seconds. */
	int64_t cancel;             /* After the submission; -1: never. */
	int64_t wait;               /* Recorded. */
	int64_t cpus, user, account, partition;
};

struct toy {
	char name[32]; /* "007-burst" */
	int64_t cpus;
	struct {
		int64_t count, cpus;
	} nodes[TOY_NODE_TYPES];
	size_t node_types;   /* 0: a counted pool. */
	const char *overrun; /* replay.overrun */
	bool cancels;        /* Some job has one. */
	uint32_t count;
	struct toy_job job[TOY_JOBS];
};

/* Number counts from 1. */
void toy_make(struct toy *toy, uint64_t seed, uint64_t number);
/* How a scenario is told again so that nothing should change. */
enum toy_twist {
	TOY_PLAIN,
	TOY_LATER,   /* All submissions ten days later. */
	TOY_RENAMED, /* Other numbers of jobs, users, accounts and partitions. */
};
/* A trace; and, where there are any, its cancellations. */
int toy_write(const struct toy *toy, enum toy_twist twist, const struct sl_writer *swf, const char *trace,
	const char *cancels, struct sl_err *err);
/* The nodes, where there are any. */
int toy_write_cluster(const struct toy *toy, const char *path, struct sl_err *err);

#endif
