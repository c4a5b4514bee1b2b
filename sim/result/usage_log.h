/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_log.h - points of usage, kept in a few bytes each.
 *
 * A point is 64 bytes, and a run has two a job. They come in order of time, and most fields change little
 * from one to the next: of each SL_USAGE_BLOCK points a field is kept as what the first had, and of each how
 * its bits differ from that, in as many bytes as the largest needs. The block that is being filled stands in
 * columns.
 */
#ifndef SL_USAGE_LOG_H
#define SL_USAGE_LOG_H

#include "sim/base/base.h"

enum usage_field {
	USAGE_AT,
	USAGE_CPUS_BUSY,
	USAGE_CPUS_QUEUED,
	USAGE_RUNNING,
	USAGE_QUEUED,
	USAGE_SUSPENDED,
	USAGE_ON_POOLS, /* The fields from here on are 0 on a counted pool. */
	USAGE_GPUS_BUSY = USAGE_ON_POOLS,
	USAGE_GPUS_QUEUED,
	USAGE_MEM_BUSY,
	USAGE_NODES_BUSY,
	USAGE_FIELDS
};

struct sl_usage_log {
	int64_t (*open)[SL_USAGE_BLOCK]; /* By field: of the last count % SL_USAGE_BLOCK points. */
	unsigned fields;                 /* That are kept: USAGE_ON_POOLS or USAGE_FIELDS. */
	size_t count;
	unsigned char *bytes; /* Of whole blocks; */
	size_t length, capacity;
	size_t *begins; /* and where each begins. */
	size_t block_capacity;
};

int usage_log_init(struct sl_usage_log *log, bool on_nodes, struct sl_err *err);
void usage_log_release(struct sl_usage_log *log);
/* The open block is full: it is packed. */
int usage_log_pack(struct sl_usage_log *log, struct sl_err *err);

static inline int usage_log_add(
	struct sl_usage_log *log, const struct sl_usage_point *point, struct sl_err *err)
{
	int64_t(*const open)[SL_USAGE_BLOCK] = log->open;
	const size_t at = log->count++ % SL_USAGE_BLOCK;
	open[USAGE_AT][at] = point->at;
	open[USAGE_CPUS_BUSY][at] = point->cpus_busy;
	open[USAGE_CPUS_QUEUED][at] = point->cpus_queued;
	open[USAGE_RUNNING][at] = point->running;
	open[USAGE_QUEUED][at] = point->queued;
	open[USAGE_SUSPENDED][at] = point->suspended;
	if (log->fields == USAGE_FIELDS) {
		open[USAGE_GPUS_BUSY][at] = point->gpus_busy;
		open[USAGE_GPUS_QUEUED][at] = point->gpus_queued;
		open[USAGE_MEM_BUSY][at] = point->mem_busy;
		open[USAGE_NODES_BUSY][at] = point->nodes_busy;
	}
	return at + 1 == SL_USAGE_BLOCK ? usage_log_pack(log, err) : SL_OK;
}

/* The block of points [block * SL_USAGE_BLOCK, ...): returns how many there are. */
size_t usage_log_read(
	const struct sl_usage_log *log, size_t block, struct sl_usage_point point[SL_USAGE_BLOCK]);
/* All of them, from malloc; NULL: there are none, or no memory. */
struct sl_usage_point *usage_log_points(const struct sl_usage_log *log);

#endif
