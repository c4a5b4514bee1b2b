/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nodes_parts.h - nodes.h from the inside: what its files share, in the order of their layers (nodes.c lists
 * them). A file calls what stands above its own part here, and nothing below.
 *
 * An interval is a change of what is free on one node at one time: a running job's allocation is released at
 * its expected end; a promise allocates at its start and releases at its end. The intervals of a node hang in
 * a list by time, so that what is free there at a later time is one walk from what is free now.
 */
#ifndef SL_NODES_PARTS_H
#define SL_NODES_PARTS_H

#include <string.h>

#include "sim/nodes/nodes.h"
#include "sim/state/profile.h"

#define NONE UINT32_MAX
/* So much of a kind counts as unbounded: it is never used up, and no score looks at it. */
#define UNBOUNDED     SL_MEM_UNBOUNDED
#define ALWAYS        INT64_MIN /* Earlier than any time. */
#define WINDOWS_ASIDE INT64_MIN /* For a length, to open_for alone: now, as if there were no windows. */
#define SCORE_UNKNOWN INT64_MIN /* Not computed yet. */
#define SCORE_NONE    INT64_MAX /* The unit does not fit. */

enum {
	CACHE_ENTRIES = SL_OR_TINY(32, 2),    /* Requests whose fit is cached. */
	WAYS = SL_OR_TINY(8, 2),              /* Of the trees over nodes. */
	LOG = SL_OR_TINY(256, 4),             /* A power of two. */
	REFUSED_REQUESTS = SL_OR_TINY(64, 2), /* Of which refusals are remembered, */
	REFUSALS = SL_OR_TINY(16, 2),         /* so many of each. */
	EMPTY_CLASSES = SL_OR_TINY(32, 1),
	LEVELS = 33,
	HEAP_WAYS = 8,
	COLUMNS_MAX = SL_KINDS_MAX + SL_DEVICES_MAX + SL_TASK_MIXES, /* Of a row of free amounts. */
	SCORES = SL_OR_TINY(512, 3),    /* Requests of which scores are cached, */
	SCORES_BYTES = 1 << 24,         /* but for those beyond CACHE_ENTRIES in no more memory than this. */
	BIRTHS = SL_OR_TINY(1 << 13, 4) /* A power of two. */
};

/* ---- Intervals ----------------------------------------------------------------------------------- */

enum interval_flag {
	INTERVAL_WHOLE = 1,   /* The node with all that it has: of an exclusive group. */
	INTERVAL_PROMISE = 2, /* Of a promise, not of a running job. */
	INTERVAL_BEGIN = 4,   /* Allocates: where a promise begins. */
	INTERVAL_LINKED = 8,
	INTERVAL_SUSPENDED = 16,
	INTERVAL_SLICES = 32, /* Of a GPU that is divided. */
	INTERVAL_GIVEN = 64,  /* In amounts (nodes_start_node_alloc): suspended it still records them. */
	INTERVAL_UNAVAILABLE = 128, /* Of no job: the node is unavailable until then (nodes_unavailable.c). */
};

struct interval {
	sl_time at;
	int64_t mem; /* What changes; of whole ones, by the node's type. */
	int32_t cpus, gpus;
	/* Where devices are tracked, bit i: GPU i of the node, an equal part of `gpus` of each; the first
	 * task has the lowest. Of INTERVAL_SLICES see interval_slices. 0: by its kind alone, or none, or all.
	 */
	uint32_t devices;
	uint32_t next, before; /* Of the node, by time. */
	uint32_t node;
	uint32_t tasks;
	/* Intervals of one job hang together in the order in which they were allocated; the first stands for
	 * all, which is called an allocation. Of a free interval, `more` is the next. */
	uint32_t more, allocation;
	uint32_t last, request; /* Of the first. */
	uint16_t group;
	uint8_t kind; /* Of its GPUs. */
	uint8_t flags;
};
_Static_assert(sizeof(struct interval) == 64, "one cache line");

struct chain {
	uint32_t first, last;
};
#define CHAIN_NONE ((struct chain){ NONE, NONE })

/* What was released and can be restored: until nodes_forget. */
enum kept_what { KEPT_END, KEPT_RESIZE, KEPT_PROMISE };

struct kept {
	enum kept_what what;
	uint32_t job, allocation;
};

/* ---- Nodes and classes ----------------------------------------------------------------------- */

enum node_status {
	NODE_IDLE,   /* Nothing is allocated there. */
	NODE_SHARED, /* Something is. */
	NODE_WHOLE,  /* It is wholly allocated, to an exclusive group. */
};

struct node {
	uint32_t class;
	uint32_t first, last;        /* Intervals. */
	uint32_t allocations, whole; /* Intervals of running jobs: all, and whole ones. */
	uint32_t windows;            /* Its set of them. */
	uint32_t mark;               /* Seen, if it is that of the nodes. */
	bool changed;                /* Among those that did. */
	uint8_t late;                /* nodes_late: those with less go first. */
};
_Static_assert(sizeof(struct node) == 32, "half a cache line");

/* Nodes of one type and window set, equally late, with the same free resources: a heap by number, HEAP_WAYS
 * wide. */
struct class
{
	uint32_t *heap;
	size_t capacity;
	uint32_t count;
	uint32_t type, windows, status, late;
	uint32_t chain; /* In the hash. A free one: the next. */
};

/* Windows of a node: those of the parent, and one more. Set 0 has none. */
struct window_set {
	uint32_t parent, window;
	sl_time horizon; /* From now on free of windows until then; ALWAYS: in one. */
};

struct window {
	sl_time from, until;
	uint32_t *node;
	uint32_t count;
	uint32_t sets;   /* How many sets there were before it. */
	uint32_t family; /* As groups name it (sl_group.reservation); 0: none does. */
	enum sl_window_kind kind;
};

/* ---- Requests -------------------------------------------------------------------------------- */

enum shape_kind {
	SHAPE_NEVER, /* Bounds that contradict each other. */
	SHAPE_UNIT,  /* One unit, on one node. */
	SHAPE_SUM,   /* Units that are counted over all nodes. */
	SHAPE_OTHER, /* Bounds on nodes that bind, or several groups: decided by a trial placement. */
};

/* A unit is the least that goes onto a node: a task, or all tasks that must share one. */
struct shape {
	uint8_t kind;
	uint8_t could; /* 0: not yet known; 1: no; 2: yes. */
	bool fits;
	bool allows;
	uint32_t unit;        /* Tasks. */
	uint32_t need;        /* Units. */
	uint32_t bound;       /* Tasks on one node. */
	uint32_t cache_entry; /* NONE: not cached. */
	uint32_t scores;      /* NONE: not cached. */
	uint32_t exempt;      /* Windows of this reservation are open to it. */
	uint32_t choice; /* Where one unit goes, with its score, when so many changes of nodes were seen. */
	int64_t choice_score;
	uint64_t choice_seen;
	/* Without a cache entry: a node on which the unit fitted, or the most units that there can have been
	 * when so many changes of nodes were seen. */
	uint32_t witness;
	bool counted;
	int64_t most;
	uint64_t seen;
	/* State versions and lengths for which these were found; 0: never. */
	uint64_t fits_at, choice_at, allows_at, allows_backfill_check;
	sl_time fits_length, choice_length, allows_length;
};

/* Units of a node as allocations end: its steps in the profile. */
struct step {
	sl_time at;
	int64_t change;
	uint32_t next;
};

/* A recently queried request. */
struct cache_entry {
	uint32_t request;
	uint64_t used; /* The query at which it was last used. */
	bool ahead;    /* The future is cached too, since it was queried at this version: */
	uint64_t ahead_at;
	/* SHAPE_SUM: */
	struct profile profile;
	uint32_t *first; /* Steps by node. */
	struct step *step;
	size_t step_capacity;
	uint32_t step_used, step_spare;
};

/* The scores of the classes for a request (or their values for a gauge), next to each other. */
struct scores {
	uint32_t request;
	uint64_t used; /* The choice at which it was last used. */
	uint64_t seen; /* Classes that were made since then have none yet. */
	int64_t *score;
	size_t capacity;
};

/* A gauge: the sum over all nodes, and each node's value in it. */
struct gauged {
	const struct sl_gauge *gauge;
	void *state;
	int64_t sum;
	int64_t *counted;
	struct scores values;
};

/* ---- Promises that may move ------------------------------------------------------------------- */

/* A node in the list of all by when something was last freed there. */
struct freed_node {
	uint64_t at;
	uint32_t newer, older;
	/* By the last question: there the unit fits no sooner. */
	uint64_t question;
	sl_time soonest;
};

/* On nodes freed since, no unit of the request fits for that long sooner; up to which freeing that is known.
 */
struct refusal {
	sl_time length, soonest;
	uint64_t since, known;
};

/* Of one request: the longer, the later. */
struct refusals {
	uint32_t request, count;
	struct refusal step[REFUSALS];
};

struct sooner {
	uint64_t count;    /* Of freeings: their clock. It begins at 1. */
	uint64_t question; /* Counts them. */
	struct freed_node *node;
	uint64_t *settled; /* By job: its promise was the soonest then; 0: not known to be. */
	uint32_t newest;
	bool quiet; /* What is released is put back. */
	/* The last that may move: it needs one node, and only on those freed since does it fit so early. */
	uint32_t mover, request;
	sl_time to, length;
	uint64_t since;
	bool among; /* It is being placed. */
	struct refusals of[REFUSED_REQUESTS];
};

/* ---- Placement ------------------------------------------------------------------------------- */

/* Free resources of every node at a future time: what a future placement is chosen from. */
struct view {
	int64_t *free; /* By node and kind. */
	uint8_t *status;
	bool ready; /* No node of it is late. */
};

struct cand {
	int64_t rank, score; /* The least first, then by tie, then by node. */
	uint64_t tie;
	uint32_t node, class; /* class NONE: of a view. */
	uint32_t cap;         /* Tasks that fit. */
	uint32_t tasks;       /* That would go there next. */
	uint32_t pick;        /* Of one that was picked before; NONE. */
	uint32_t allocations; /* By island: tasks of the group, however many it has. */
};

struct pick {
	uint32_t node, tasks;
};

/* An island over several nodes, as a group's tasks see it. */
struct island {
	uint64_t allocations; /* Tasks, on as many nodes as the group may have, */
	uint64_t ready;       /* and of those on nodes that are not late. */
	uint32_t nodes;       /* On which any fit. */
	uint32_t first;       /* Its lowest node. */
};

struct backfill_check {
	bool on, named;
	uint32_t request;
	sl_time at, length;
	struct chain chosen; /* named */
	/* A head that needs one unit: the node on which it fits then, if it is the only one; in which state.
	 */
	uint32_t only;
	bool any;
	int64_t spare; /* SHAPE_SUM: units beyond those that it needs. */
	uint64_t only_at;
	uint64_t number; /* Verdicts of other backfill checks do not count. */
};

struct nodes {
	const struct sl_cluster *cluster;
	const struct sl_request *requests;
	struct scorer scorer;
	uint32_t *
		rank; /* By node, where ties go by name or shuffled: its place among them; NULL: by number. */
	uint64_t lot; /* Where ties go by chance: of the job that is being placed. */
	uint32_t asker; /* The job for which the backfill check is queried. */
	uint32_t request_count, job_count, count, kinds;
	/* A row of free amounts: kinds; where devices are tracked, then one column for each of `devices`,
	 * the most that a node has, and SL_TASK_MIXES. Else devices is 0 and width is kinds. */
	uint32_t devices, width;
	int64_t parts;        /* Of a GPU. */
	int64_t *type_free;   /* By type: the row of an empty node. NULL: kinds alone. */
	uint32_t *type_nodes; /* By type. */
	struct sl_err err;    /* The first failure; from then on nothing is done. */
	sl_time now;
	uint64_t version; /* Of all state that a fit depends on; begins at 1. */

	struct node *node;
	uint32_t *place; /* Of each node in the heap of its class; NONE: out of it for a while. */
	int64_t idle[SL_KINDS_MAX], total[SL_KINDS_MAX];
	int64_t unavailable_free[SL_KINDS_MAX]; /* Free on nodes that are unavailable: not idle. */
	uint32_t *unavailable; /* By node: its interval of INTERVAL_UNAVAILABLE + 1; 0: it is open. NULL: none
				  ever was unavailable. */
	uint32_t busy, mark;
	uint32_t late_count; /* Nodes that are late at all. */

	struct interval *interval;
	size_t interval_capacity;
	uint32_t interval_used, interval_spare;
	uint32_t *job_allocation, *job_promise; /* By job: the allocation + 1; 0: none. */
	struct kept *kept;
	size_t kept_count, kept_capacity;
	struct sl_node_tasks *alloc; /* Lent. */
	size_t alloc_capacity;
	uint64_t *closed; /* Lent. */

	/* Classes. By class: the rows, what is free, and for each cache entry its units. */
	struct class *class;
	int64_t *class_free;
	uint32_t *class_units;
	size_t class_capacity;
	uint32_t class_used, class_spare, class_empty;
	uint32_t away; /* Nodes that are out of their classes: then none is recycled. */
	uint32_t *bucket;
	uint32_t bucket_count; /* A power of two. */
	/* Scores by request and class; and the classes as they came into being, the last ones. */
	struct scores scores[SCORES];
	uint32_t scores_used;
	uint64_t choices; /* Counts them. */
	uint32_t born[BIRTHS];
	uint64_t births;

	struct gauged gauged[SL_GAUGES_MAX];
	uint32_t gauge_count;
	uint32_t *moved; /* Nodes that are to be counted again, each once, */
	bool *has_moved; /* and whether a node is among them. */
	uint32_t moved_count;

	/* Window sets. By set and cache entry: units of its nodes. */
	struct window *window;
	struct window_set *set;
	int64_t *set_units;
	size_t window_capacity, set_capacity, set_units_capacity;
	uint32_t window_count, set_count;
	uint32_t window_own;   /* Of the cluster: the first. */
	sl_time interval_next; /* Of any window, after now. */
	bool windows_live;     /* One is open, or to come. */

	struct shape *shape;
	struct cache_entry cache_entry[CACHE_ENTRIES];
	uint64_t asked; /* Counts queries. */
	/* SHAPE_UNIT, by node and cache entry: the earliest time; then the least of each WAYS nodes, and so
	 * on to one. */
	sl_time *least;
	uint32_t columns;
	uint32_t level_first[LEVELS], level_count[LEVELS], levels, level_all;
	uint32_t log[LOG]; /* Nodes that changed, the last ones. */
	uint64_t log_count;
	uint32_t cache_entries; /* Those in use are below. */
	uint32_t *changed;      /* Nodes that changed since the cached future was updated, each once. */
	uint32_t changed_count;
	uint64_t updated; /* Updates of nodes, in all. */

	struct cand *cand, *retry;
	size_t cand_capacity, retry_capacity;
	struct pick *pick;
	size_t pick_capacity;
	int64_t *pick_free; /* By pick and kind. */
	size_t pick_free_capacity;
	struct view view;
	struct island *island; /* By number, from 1. */
	struct backfill_check backfill_check;
	struct sooner *sooner; /* NULL: nobody has asked nodes_promise_sooner yet. */
};

/* ---- Small reads ------------------------------------------------------- */

static inline sl_time after(sl_time at, sl_time length)
{
	sl_time end;
	return __builtin_add_overflow(at, length, &end) ? SL_NEVER : end;
}

static inline bool failed(const struct nodes *nodes) { return nodes->err.status != SL_OK; }

static inline bool nodes_is_unavailable(const struct nodes *nodes, uint32_t node)
{
	return nodes->unavailable && nodes->unavailable[node];
}

static inline int64_t *free_of(const struct nodes *nodes, uint32_t class)
{
	return &nodes->class_free[(size_t) class * nodes->width];
}

static inline uint32_t type_of(const struct nodes *nodes, uint32_t node)
{
	return nodes->cluster->node_type[node];
}

/* The row of an empty node. */
static inline const int64_t *empty_of(const struct nodes *nodes, uint32_t type)
{
	return nodes->devices ? &nodes->type_free[(size_t)type * nodes->width]
			      : nodes->cluster->type[type].amount;
}

/* What node scorers and gauges see of such a row. */
static inline struct sl_node_class node_class(const struct nodes *nodes, uint32_t type, const int64_t *free)
{
	struct sl_node_class class = { .cluster = nodes->cluster, .type = type, .free = free };
	if (nodes->devices) {
		class.device = &free[nodes->kinds];
		class.task_mix = &free[nodes->kinds + nodes->devices];
	}
	return class;
}

static inline enum node_status status_of(uint32_t allocations, uint32_t whole)
{
	return whole ? NODE_WHOLE : allocations ? NODE_SHARED : NODE_IDLE;
}

static inline uint32_t group_bound(const struct sl_group *group)
{
	return group->tasks_per_node && group->tasks_per_node < group->tasks ? group->tasks_per_node
									     : group->tasks;
}

static inline uint32_t share_of(uint32_t most, int64_t free, int64_t each)
{
	if (each <= 0)
		return most;
	if (free < each)
		return 0;
	if (most == 1)
		return 1;
	const int64_t fit = free / each;
	return fit < most ? (uint32_t)fit : most;
}

static inline bool kind_will_do(const struct sl_task_resources *task, uint32_t kind)
{
	return !task->gpu_types || task->gpu_types >> (kind - SL_KIND_GPUS) & 1;
}

/* ==== The store: free resources and allocations =================================================== */

/* ---- nodes_allocation.c: intervals from a pool, chains, allocations, what was released
 * --------------------- */

/* Zeroed, at the beginning of a cache line, so that what fills one lies in one; NULL: out of memory. */
void *lines_new(size_t count, size_t size);
/* Capacity for so many more, so that none is missing in the middle of a change. */
bool intervals_reserve(struct nodes *nodes, size_t more);
uint32_t interval_new(struct nodes *nodes, struct chain *chain);
void chain_free(struct nodes *nodes, struct chain chain);
size_t chain_length(const struct nodes *nodes, uint32_t first);
/* The intervals of a chain are a job's from now on. */
void allocation_new(struct nodes *nodes, uint32_t request, struct chain chain);
void allocation_free(struct nodes *nodes, uint32_t allocation);
static inline struct chain chain_of(const struct nodes *nodes, uint32_t allocation)
{
	return (struct chain){ allocation, nodes->interval[allocation].last };
}
static inline uint32_t allocation_of(const struct nodes *nodes, uint32_t job)
{
	SL_CHECK(nodes->job_allocation[job]);
	return nodes->job_allocation[job] - 1;
}
bool keep(struct nodes *nodes, enum kept_what what, uint32_t job, uint32_t allocation);
uint32_t kept_take(struct nodes *nodes, enum kept_what what, uint32_t job);

/* ---- nodes_freed.c: which nodes something was freed on, the last first --------------------------------- */

/* False: out of memory. */
bool sooner_init(struct nodes *nodes);
void sooner_free(struct nodes *nodes);
void sooner_freed(struct nodes *nodes, uint32_t node);
/* Something may fit there sooner than before. */
static inline void node_freed(struct nodes *nodes, uint32_t node)
{
	if (nodes->sooner)
		sooner_freed(nodes, node);
}

/* ---- nodes_device.c: GPUs that are tracked one by one; how many tasks fit on a node -------------------- */

/* Is that type not in the set? Not inline, so that its callers stay inline. */
bool set_lacks(const struct nodes *nodes, uint32_t set, uint32_t type);

/* Is the group bound to nodes of other types? Most are bound to none, and pay nothing. */
static inline bool is_barred(const struct nodes *nodes, const struct sl_group *group, uint32_t type)
{
	return group->node_set && set_lacks(nodes, group->node_set, type);
}

/* So many tasks, with GPUs, where devices are tracked. */
uint32_t device_tasks(const struct nodes *nodes, const struct sl_task_resources *task, uint32_t most,
	uint32_t type, const int64_t *free);

/* How many tasks of the group go on a node of that type of which so much is free, at most `most`. */
static inline uint32_t tasks_on(const struct nodes *nodes, const struct sl_group *group, uint32_t most,
	uint32_t type, const int64_t *free, enum node_status status)
{
	if (status == NODE_WHOLE || (group->exclusive && status != NODE_IDLE) ||
		is_barred(nodes, group, type))
		return 0;
	const struct sl_task_resources *task = &group->task;
	most = share_of(most, free[SL_KIND_CPUS], task->cpus);
	if (most)
		most = share_of(most, free[SL_KIND_MEM], task->mem);
	if (!most || task->gpus <= 0)
		return most;
	if (nodes->devices)
		return device_tasks(nodes, task, most, type, free);
	uint32_t fit = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < nodes->kinds && fit < most; kind++)
		if (kind_will_do(task, kind))
			fit += share_of(most - fit, free[kind], task->gpus);
	return fit;
}

static inline uint32_t units_on(const struct nodes *nodes, const struct shape *shape,
	const struct sl_group *group, uint32_t type, const int64_t *free, enum node_status status)
{
	const uint32_t tasks = tasks_on(nodes, group, shape->bound, type, free, status);
	return shape->unit == 1 ? tasks : tasks >= shape->unit;
}

/* A column of an undivided GPU is what is free of it, in parts. Of a divided one it is a bit for each free
 * slice; above these, of each slice that was allocated more than once, how many times too often, which only
 * happens where a promise meets what runs longer than expected. */
enum { SLICES = (1 << SL_MIG_SLICES) - 1 };

/* Of which GPU of the node an interval of INTERVAL_SLICES has slices, and which. */
static inline uint32_t interval_divided(const struct interval *interval) { return interval->devices & 0xff; }
static inline uint32_t interval_slices(const struct interval *interval) { return interval->devices >> 8; }

/* What an interval, which is no whole one, changes of the columns behind the kinds: released (1) or allocated
 * (-1). */
void device_apply(const struct nodes *nodes, const struct interval *interval, int64_t sign, int64_t *free);
/* Suspended: its cpus and GPUs are those it needs to resume. */
static inline bool interval_rests(const struct interval *interval)
{
	return interval->flags & INTERVAL_GIVEN && interval->flags & INTERVAL_SUSPENDED;
}

/* What an interval that is no whole one changes: released (1) or allocated (-1). */
static inline void amounts_apply(
	const struct nodes *nodes, const struct interval *interval, int64_t sign, int64_t *free)
{
	free[SL_KIND_MEM] += sign * interval->mem;
	if (interval_rests(interval))
		return;
	free[SL_KIND_CPUS] += sign * interval->cpus;
	if (!interval->gpus)
		return;
	free[interval->kind] += sign * interval->gpus;
	if (nodes->devices)
		device_apply(nodes, interval, sign, free);
}

/* Decides whether devices are tracked, and what a row is. */
int devices_init(struct nodes *nodes);
/* Does the request need devices that are tracked (a share, memory, or MIG)? */
bool asks_devices(const struct nodes *nodes, const struct sl_task_resources *task);
/* All devices of the type are released or allocated. */
void devices_whole(const struct nodes *nodes, uint32_t type, int64_t sign, int64_t *free);
/* Has more been allocated of a device than there is? */
bool devices_lack(const struct nodes *nodes, uint32_t type, const int64_t *free);
/* `least` becomes the least of both, column by column. */
void devices_least(const struct nodes *nodes, uint32_t type, const int64_t *free, int64_t *least);
/* What is free of the kinds is what is free of their devices. */
void devices_sum(const struct nodes *nodes, uint32_t type, int64_t *free);
/* The GPUs of a suspended interval, as they were. */
int32_t device_gpus(
	const struct nodes *nodes, const struct sl_task_resources *task, const struct interval *interval);
/* Those of the GPUs of a node of which the interval has a share or the whole; none while it is suspended. */
uint32_t devices_of(const struct nodes *nodes, const struct interval *interval);
/* Gives the interval so many GPUs of its kind, the lowest that are wholly free. False: there are too few. */
bool devices_lowest(const struct nodes *nodes, uint32_t type, const int64_t *free, struct interval *interval);
/* Are these the columns of whole devices, at most? For nodes_check. */
void devices_check(const struct nodes *nodes, uint32_t type, const int64_t *free);

/* Tasks of one group that go onto a node. */
struct load {
	const struct sl_group *group;
	uint32_t node, tasks;
	uint16_t index; /* Of the group. */
};
/* So many intervals at most are needed for that. */
static inline size_t load_intervals(const struct nodes *nodes, const struct sl_group *group, uint32_t tasks)
{
	return nodes->devices && group->task.gpus > 0 && tasks > nodes->kinds ? tasks : nodes->kinds;
}
/* Subtracts its tasks with GPUs from `free`, where devices are tracked, and records them in intervals at the
 * end of the chain. */
void devices_spend(struct nodes *nodes, const struct load *load, int64_t *free, struct chain *chain);
/* One task of it, without a record. */
void devices_spend_one(const struct nodes *nodes, const struct sl_group *group, uint32_t type, int64_t *free);

/* ---- nodes_ties.c: between nodes of the same score ------------------------------------------- */

/* The order of the names, if ties go by it. */
int ties_init(struct nodes *nodes);
/* The job for which nodes are chosen from now on: NONE, no particular one. Matters where ties go by chance.
 */
void ties_for(struct nodes *nodes, uint32_t job);

static inline bool by_chance(const struct nodes *nodes) { return nodes->scorer.ties == SL_TIES_RANDOM; }

/* Mixes 64 bits (the finalizer of SplitMix64: Steele, Lea & Flood, OOPSLA 2014). */
static inline uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

/* The least goes first, then the lowest node. */
static inline uint64_t tie_of(const struct nodes *nodes, uint32_t node)
{
	if (by_chance(nodes))
		return mixed(nodes->lot + (node + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15));
	return nodes->rank ? nodes->rank[node] : node;
}

static inline bool tie_before(const struct nodes *nodes, uint32_t a, uint32_t b)
{
	const uint64_t x = tie_of(nodes, a);
	const uint64_t y = tie_of(nodes, b);
	return x != y ? x < y : a < b;
}

/* ---- nodes_score.c: scores of classes, cached --------------------------------------- */

/* Of the request, up to date; NULL: others are queried more often, or memory is out. */
struct scores *scores_of(struct nodes *nodes, uint32_t request);
/* Those of classes that were made since are unknown now. False: out of memory. */
bool scores_update(struct nodes *nodes, struct scores *scores);
void scores_forget(struct nodes *nodes); /* All. */

/* ---- nodes_gauge.c: gauges: sums over all nodes -------------------------------------------- */

/* The node is of another class. */
void gauges_note(struct nodes *nodes, uint32_t node);
void gauges_free(struct nodes *nodes);
void gauges_check(struct nodes *nodes);

/* ---- nodes_class.c: classes of equal nodes; how much of each recently queried request fits on them ---- */

/* From `at` on free of windows until then; ALWAYS: in one. exempt: those of this reservation do not count. */
sl_time horizon_of(const struct nodes *nodes, uint32_t set, sl_time at, uint32_t exempt);
/* The next time after `at` at which a window of the set ends. */
sl_time window_ends(const struct nodes *nodes, uint32_t set, sl_time at);
/* The reservation whose windows are open to the request. */
static inline uint32_t exempt_of(const struct nodes *nodes, uint32_t request)
{
	return nodes->shape[request].exempt;
}
static inline bool open_for(const struct nodes *nodes, uint32_t set, sl_time length, uint32_t exempt)
{
	return !set || length == WINDOWS_ASIDE ||
	       after(nodes->now, length) <=
		       (exempt ? horizon_of(nodes, set, nodes->now, exempt) : nodes->set[set].horizon);
}
static inline bool open_at(
	const struct nodes *nodes, uint32_t set, sl_time at, sl_time length, uint32_t exempt)
{
	return !set || after(at, length) <= horizon_of(nodes, set, at, exempt);
}
int classes_init(struct nodes *nodes);
void classes_release(struct nodes *nodes);
void class_pull(struct nodes *nodes, uint32_t node);                /* Out of its class, for a while. */
void class_put(struct nodes *nodes, uint32_t class, uint32_t node); /* Into this one. */
/* Sets what is free on the node from now on; its allocations, whole and windows are up to date. */
void node_moves(struct nodes *nodes, uint32_t node, const int64_t *free);
/* The request's cache entry, which is made if there is none. */
uint32_t cache_entry_of(struct nodes *nodes, uint32_t request);
/* Its cache entry, or NONE if others are queried more often. */
uint32_t cache_entry_offer(struct nodes *nodes, uint32_t request);
static inline uint32_t cache_entry_find(struct nodes *nodes, uint32_t request)
{
	const uint32_t index = nodes->shape[request].cache_entry;
	if (index == NONE)
		return cache_entry_offer(nodes, request);
	nodes->cache_entry[index].used = ++nodes->asked;
	return index;
}
/* Drops all cache entries: they are of another node scorer. */
void cache_entries_drop(struct nodes *nodes);
/* Units of the cached request that are free now, where no window blocks them. */
int64_t units_now(const struct nodes *nodes, uint32_t cache_entry, sl_time length);
/* Without a cache entry: does it fit? */
bool units_without(struct nodes *nodes, uint32_t request, sl_time length);
void classes_check(struct nodes *nodes);
int64_t score_of(const struct nodes *nodes, uint32_t type, const int64_t *free, const struct sl_group *group,
	uint32_t tasks);

/* ---- nodes_interval.c: what is free on a node at a time; allocating and releasing -----------------------
 */

/* A node at a time. */
struct moment {
	int64_t free[COLUMNS_MAX];
	uint32_t allocations, whole;
};

/* Without the unused columns. */
static inline void moment_copy(const struct nodes *nodes, const struct moment *from, struct moment *to)
{
	memcpy(to->free, from->free, nodes->width * sizeof(*to->free));
	to->allocations = from->allocations;
	to->whole = from->whole;
}
void moment_now(const struct nodes *nodes, uint32_t node, struct moment *m);
/* Applies the interval's change, or (back) undoes it. */
void moment_apply(const struct nodes *nodes, const struct interval *interval, bool back, struct moment *m);
/* What will be free at that time, as allocations end. */
void moment_at(const struct nodes *nodes, uint32_t node, sl_time at, struct moment *m);
/* A future interval, as a request is affected by it: with all promises or none, and without the windows of
 * its own reservation. */
struct free_window {
	sl_time from, until;
	bool promises;
	uint32_t exempt;
};
/* The least that is free throughout the interval; NODE_WHOLE in a window. */
enum node_status free_window_of(
	const struct nodes *nodes, uint32_t node, const struct free_window *free_window, int64_t *free);

/* Has more been allocated than there is? */
bool lacks(const struct nodes *nodes, uint32_t type, const int64_t *free);

void interval_link(struct nodes *nodes, uint32_t interval, sl_time at);
void interval_unlink(struct nodes *nodes, uint32_t interval);
/* What is free there is the same, but its whole, windows or lateness are others: into another class. */
void node_renewed(struct nodes *nodes, uint32_t node);
/* Subtracts them from `free`, and records them in intervals at the end of the chain. Lowest type of GPU
 * first. */
void intervals_spend(struct nodes *nodes, const struct load *load, int64_t *free, struct chain *chain);
/* The same of what is free on the node now. */
void node_spends(struct nodes *nodes, const struct load *load, struct chain *chain);
/* Allocates the interval's resources on the node; releases them. */
void interval_take(struct nodes *nodes, const struct interval *interval);
void interval_give(struct nodes *nodes, const struct interval *interval);
bool interval_fits(const struct nodes *nodes, const struct interval *interval);
/* What was allocated becomes the job's, until then. */
bool allocation_begins(struct nodes *nodes, uint32_t job, uint32_t request, struct chain chain, sl_time end);
/* What was allocated replaces the job's allocation, which is kept for undo. */
bool allocation_replaced(struct nodes *nodes, uint32_t job, struct chain chain);
/* Releases the resources of an allocation, whose record stays as it is; or allocates them again (back). */
void allocation_leaves(struct nodes *nodes, uint32_t allocation, bool back);
sl_time length_until(const struct nodes *nodes, sl_time end);
/* Releases what was allocated, and is linked nowhere. */
void place_undo(struct nodes *nodes, struct chain chain);

/* ==== The future: queries of one request, reads only ================================================= */

/* ---- nodes_tree.c: the times at which a unit fits on each node, as a tree of minima --------- */

/* Of a cache entry: the least time of the nodes below that place. */
static inline sl_time *column(const struct nodes *nodes, uint32_t cache_entry, uint32_t level)
{
	return &nodes->least[(size_t)nodes->level_first[level] * nodes->columns + cache_entry];
}
static inline sl_time least_at(
	const struct nodes *nodes, uint32_t cache_entry, uint32_t level, uint32_t index)
{
	return column(nodes, cache_entry, level)[(size_t)index * nodes->columns];
}
/* Of these cache entries, the times at which the unit fits on a node. */
void unit_times(
	const struct nodes *nodes, const uint32_t *cache_entry, uint32_t count, uint32_t row, sl_time *time);
bool tree_build(struct nodes *nodes, uint32_t cache_entry);
void tree_update(const struct nodes *nodes, uint32_t cache_entry, uint32_t row, sl_time time);
void tree_check(const struct nodes *nodes, uint32_t cache_entry);

/* ---- nodes_ahead.c: trees and profiles of units, updated when queried --------------- */

/* Updates the cache entry's future. False: out of memory. */
bool ahead_update(struct nodes *nodes, uint32_t cache_entry);
void ahead_check(struct nodes *nodes);

/* ---- nodes_unit.c: for requests that need one unit: when, and which node --------------------- */

/* When a request's unit is wanted on a node. */
struct want {
	uint32_t request;
	sl_time from, length;
	sl_time latest; /* No sooner than then is as bad as never. */
	bool promises;  /* Beside promises too. */
};
/* The earliest time at which it fits there for that long; SL_NEVER: none before the latest. */
sl_time node_soonest(const struct nodes *nodes, uint32_t node, const struct want *want);
/* Likewise on any node; what is no sooner than `latest` may be any such time. */
sl_time unit_soonest(struct nodes *nodes, uint32_t request, sl_time length, sl_time latest, bool promises);
/* A node that is not marked and on which the unit fits at that time; NONE. */
uint32_t ahead_any(const struct nodes *nodes, uint32_t cache_entry, sl_time at, sl_time length);
/* The node that the node scorer chooses for one unit from then on, for that long; NONE. */
uint32_t ahead_choose(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises);

/* ---- nodes_held.c: allocations now ---------------------------------------------------------- */

size_t allocs_of(struct nodes *nodes, struct chain chain, const struct sl_node_tasks **alloc);

/* ==== The choice ================================================================================== */

/* ---- nodes_place.c: where a request goes ----------------------------------------------------- */

/* Now: allocates it, in intervals that are linked nowhere. False: it does not fit; nothing is
 * changed.
 */
bool place_now(struct nodes *nodes, uint32_t request, sl_time length, struct chain *chain);
/* Its unit goes to the node with the least score: no other rule of the node scorer, or bound, matters. */
static inline bool is_single(const struct nodes *nodes, uint32_t request)
{
	const struct shape *shape = &nodes->shape[request];
	return shape->kind == SHAPE_UNIT && !nodes->scorer.rule->by_island &&
	       (shape->unit == 1 || !nodes->scorer.rule->one_at_a_time);
}
/* Then: the node that it would get, for the job of ties_for; NONE. */
uint32_t choose(struct nodes *nodes, uint32_t request, sl_time length);
/* Likewise, with ties as they are for that job. */
bool place_now_for(struct nodes *nodes, uint32_t job, uint32_t request, sl_time length, struct chain *chain);
bool place_free_window_for(struct nodes *nodes, uint32_t job, uint32_t request,
	const struct free_window *free_window, struct chain *chain);
/* Of a view, likewise. The intervals have what they allocate. */
bool place_on(struct nodes *nodes, uint32_t request, struct view *view, struct chain *chain);
/* In [at, at + length), as allocations end, beside promises or not. */
bool place_free_window(struct nodes *nodes, uint32_t request, sl_time at, sl_time length, bool promises,
	struct chain *chain);
/* The nodes in an interval of time. False: out of memory. */
bool view_free_window(struct nodes *nodes, const struct free_window *free_window);
bool view_empty(struct nodes *nodes); /* Nothing is allocated or late, and there are no windows. */
/* More tasks of one group, on nodes that it has not been allocated yet; its own are out of their classes. */
bool place_more(struct nodes *nodes, const struct sl_group *group, uint32_t nodes_used, sl_time length,
	uint32_t exempt, struct chain *chain);

/* ==== Queries of any request ==================================================================== */

/* ---- nodes_fits.c: could it ever, does it now, when ------------------------------------------ */

struct shape shape_of(const struct nodes *nodes, const struct sl_request *request);
/* nodes_promise_at, if that is sooner than `latest`; else some time that is not. */
sl_time promise_before(struct nodes *nodes, uint32_t request, sl_time length, sl_time latest);

/* ==== Commands ==================================================================================== */

/* ---- nodes_window.c: windows on nodes -------------------------------------------------------- */

int windows_init(struct nodes *nodes);
int windows_of_cluster(struct nodes *nodes); /* After the nodes have their classes. */
void nodes_windows_release(struct nodes *nodes);

/* ---- nodes_promise.c: promises ---------------------------------------------------------------- */

/* Out of its nodes' lists; the allocation is left. */
uint32_t promise_leaves(struct nodes *nodes, uint32_t job);
void promise_links(struct nodes *nodes, uint32_t job, uint32_t allocation);

#endif
