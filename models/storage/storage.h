/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage.h - shared file systems in four parts: how bandwidth is shared (water), what nodes keep (keep),
 * what was read from files and parameters (systems), how busy it was over time (load).
 *
 * A flow is what the nodes of one job move together; all its nodes are clients and go at the same rate. A
 * pool is what flows share: the reading, or the writing, of one file system. Bytes and capacities are whole
 * numbers, so are sums of them; the only rounding is a settlement's, down to 1/1024 byte, and an end's, up
 * to the microsecond.
 */
#ifndef MODELS_STORAGE_H
#define MODELS_STORAGE_H

#include "sim/plugin.h"

#define STORAGE_UNBOUNDED INT64_MAX
#define STORAGE_RATE_MAX  INT64_C(1000000000000000) /* Bytes a second: a petabyte. */
#define STORAGE_BYTES_MAX INT64_C(9000000000000000) /* Of one transfer: 9 petabytes, in units an int64_t. */
#define STORAGE_UNIT      1024                      /* Units of `left` in a byte. */
#define STORAGE_NO_FLOW   UINT32_MAX

/* ---- Flows that share a pool: water.c ------------------------------------------------------------ */

/* What a flow is for. */
enum storage_what { STORAGE_FREE, STORAGE_STAGE, STORAGE_STREAM, STORAGE_ASKED };

struct storage_flow {
	uint8_t what; /* enum storage_what; a stream has no end. */
	bool write;
	bool capped; /* It goes at its most; else at its clients' share. */
	bool in;     /* It is in its pool: not of a job that stands still. */
	uint32_t job, pool, token, asker;
	uint32_t next; /* Of the same job; of the free ones. */
	const char *fs;
	int64_t clients;
	int64_t most;  /* All its clients together take no more: bytes a second. */
	int64_t bytes; /* In all. */
	int64_t left;  /* At `since`: 1/1024 bytes. */
	sl_time since;
};

/* Flows in order of most per client, then job, then row. */
struct storage_pool {
	int64_t capacity; /* Bytes a second. */
	uint32_t *order;
	uint32_t count, reserved;
	bool full;             /* It was at its capacity then, */
	int64_t share, shares; /* and a client got share / shares bytes a second. */
	int64_t clients;       /* Of all flows, */
	__int128 most;         /* that may take so much; bounded as capacity + what is without bound. */
	uint32_t unbounded;    /* Flows without bound of their own. */
	bool changed;          /* Since it was solved. */
};

/* All flows of a run. */
struct storage_flows {
	struct sl_arena *arena;
	struct storage_flow *flow;
	uint32_t count, reserved, free;
};

/* A row for a new flow, cleared but for what it is; STORAGE_NO_FLOW: no memory. */
uint32_t storage_flow_new(struct storage_flows *flows, enum storage_what what);
void storage_flow_free(struct storage_flows *flows, uint32_t row);

bool storage_pool_add(struct storage_flows *flows, struct storage_pool *pool, uint32_t row,
	sl_time now); /* False: memory. */
/* It has been settled: its `left` is as of now. */
void storage_pool_remove(struct storage_flows *flows, struct storage_pool *pool, uint32_t row, sl_time now);
/* Called with what a flow moved from then till now, and that its rate is another now. */
struct storage_sink {
	void *self;
	void (*moved)(void *self, uint32_t row, sl_time from, int64_t bytes);
	void (*reported)(void *self, uint32_t row);
};
/* Rates anew, if anything changed: each flow whose rate is another now is settled, and its callback called.
 */
void storage_pool_solve(
	struct storage_flows *flows, struct storage_pool *pool, sl_time now, const struct storage_sink *sink);
/* What it moved since it was settled last, in whole bytes; from then on it counts from now. */
int64_t storage_flow_settle(struct storage_flow *flow, const struct storage_pool *pool, sl_time now);
/* When it will be done at its present rate; SL_NEVER: a stream. */
sl_time storage_flow_end(const struct storage_flow *flow, const struct storage_pool *pool);
/* Its rate, of all its clients, in bytes a second, rounded down. */
int64_t storage_flow_rate(const struct storage_flow *flow, const struct storage_pool *pool);

/* ---- What nodes keep: keep.c --------------------------------------------------------------------- */

/* A job in one of its stays on nodes. */
struct storage_user {
	uint32_t job;
	uint64_t stay;
};
/* Something that a node has on its disk. */
struct storage_item {
	uint32_t item;
	uint64_t used; /* In the order of uses. */
	int64_t bytes;
	struct storage_user *user; /* Those that are still there need it. */
	uint32_t users, reserved;
};
struct storage_disk {
	int64_t capacity, held; /* Bytes. */
	struct storage_item *item;
	uint32_t count, reserved;
};
struct storage_keep {
	struct sl_arena *arena;
	struct storage_disk *disk; /* By node. */
	uint64_t uses;
	uint64_t *stay; /* By job: in which it is; 0: in none. */
	uint64_t stays;
};

/* Bytes of the item that the node lacks, of so many; the use counts. */
int64_t storage_keep_lacks(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes);
/* It has it now, if there is capacity: the longest unused go for it, not those in use. False: no memory. */
bool storage_keep_put(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes);
/* If it has it, the job uses it as long as it stays. False: no memory. */
bool storage_keep_use(struct storage_keep *keep, uint32_t node, uint32_t item, uint32_t job);

/* ---- How busy over time: storage_report.c ---------------------------------------------------------- */

/* Bytes by intervals of equal length; when they are all used, two become one. */
enum { STORAGE_RANGES = 512 };
struct storage_load {
	sl_time zero, width;
	uint32_t used;
	int64_t bytes[STORAGE_RANGES];
};
void storage_load_init(struct storage_load *load, sl_time zero);
/* So many bytes, evenly from then till then. */
void storage_load_add(struct storage_load *load, sl_time from, sl_time until, int64_t bytes);

/* ---- File systems: systems.c --------------------------------------------------------------------- */

enum { STORAGE_SYSTEMS_MAX = 64, STORAGE_READ = 0, STORAGE_WRITE = 1 };
struct storage_system {
	const char *name;
	int64_t capacity[2];   /* Of reading, of writing. */
	int64_t client[2];     /* Of one node. */
	bool half;             /* Writes share the capacity of reads. */
	const uint64_t *nodes; /* Who may use it, by node; NULL: all. */
};

/* "40GB/s", "200Gb/s", "1.5GiB/s", "16 KiB", "500" (bytes), "unlimited": bytes (a second, or not). False: it
 * is no such amount, or too large. */
bool storage_amount(const char *text, size_t len, bool rate, int64_t *bytes);
/* Those of the cluster's file, or one made of the parameters. */
int storage_systems(struct storage_system **system, uint32_t *count, const struct sl_model_setup *setup,
	struct sl_err *err);
/* UINT32_MAX: there is none of that name. NULL is the first that there is. */
uint32_t storage_system_of(const struct storage_system *system, uint32_t count, const char *name);
extern const struct sl_param storage_params[10];

/* ---- The model: storage.c, and what it reports: storage_report.c --------------------------------------- */

enum storage_phase {
	STORAGE_IDLE,
	STORAGE_IMAGE,
	STORAGE_DATASET,
	STORAGE_INPUT,
	STORAGE_RUN,
	STORAGE_OUTPUT
};
enum { STORAGE_STAGES = STORAGE_INPUT + 1 }; /* By phase. */

struct storage_job {
	uint8_t phase; /* enum storage_phase */
	bool suspended, failed;
	uint32_t flow;                /* The first of its flows. */
	uint32_t clients;             /* Its nodes. */
	uint32_t pullers;             /* Of its nodes: they pull. */
	bool looked[STORAGE_STAGES];  /* What of it there is to move is known: */
	int64_t rest[STORAGE_STAGES]; /* so many bytes yet. */
	sl_time since;                /* It is in this phase. */
	sl_time in, out, cold;
};

struct storage {
	struct sl_arena *arena;
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct storage_system *system;
	uint32_t system_count, image_system;
	struct storage_pool *pool; /* By system and direction. */
	struct storage_load *load; /* By system and direction. */
	struct storage_flows flows;
	struct storage_keep keep;
	uint32_t *system_of;             /* By profile. */
	uint32_t *image_of, *dataset_of; /* By profile: the item; UINT32_MAX: none. */
	struct storage_job *job;
	uint32_t *due; /* Flows whose time may have come. */
	uint32_t due_count, due_reserved;
	uint64_t *mark; /* By node: of the job looked at last. */
	uint64_t marks;
	bool settling;
	bool no_memory;
	sl_time began;
	/* Sums. */
	__int128 *moved[2];             /* By system: bytes. */
	__int128 asked, found;          /* Of caches: bytes. */
	int64_t cold_starts, no_access; /* Jobs' starts. */
};

int storage_init(void **state, const struct sl_model_setup *setup, struct sl_err *err); /* storage_setup.c */
int storage_report(void *state, struct sim *sim, struct sl_tally *tally, struct sl_err *err);
/* Of moves.c. Bytes of a second that an unhindered job streams, rounded up. */
int64_t storage_stream_wanted(const struct sl_profile *profile);
/* What so many clients move at most. */
int64_t storage_most_of(const struct storage *storage, uint32_t system, bool write, int64_t clients);
/* Moves want.bytes, or streams; want.most 0: as the system says. False: that takes no time, and is done. */
bool storage_move(struct storage *storage, struct sim *sim, struct storage_flow want, uint32_t system);
void storage_drop(struct storage *storage, struct sim *sim, uint32_t row);
/* Out of its pool and into it: what stands still moves nothing. */
void storage_leave_pool(struct storage *storage, struct sim *sim, uint32_t row);
void storage_enter_pool(struct storage *storage, struct sim *sim, uint32_t row);
bool storage_note_due(struct storage *storage, uint32_t row); /* False: no memory. */
void storage_no_memory(struct storage *storage, struct sim *sim);
void storage_settle(void *state, struct sim *sim);
/* Of storage.c: what the job staged is through. */
void storage_staged(struct storage *storage, struct sim *sim, sl_job job);

/* The profile of a job; NULL: nothing is said. */
const struct sl_profile *storage_profile(const struct storage *storage, uint32_t job, uint32_t *row);

#endif
