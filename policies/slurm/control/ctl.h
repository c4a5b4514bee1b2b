/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl.h - what slurmctld decides, and when: the policy `slurm`. Rules of 22.05; what a later release has
 * otherwise asks params.version.
 *
 * A struct ctl is slurmctld as far as decisions go. It is changed by events alone (a submission, an end, the
 * clock) and gives orders (enum order_what), which slurm.c hands to the engine in the pass that follows: so
 * a rerun pass does the same. Which cores and devices a job gets is select.h's.
 *
 * Time is whole seconds since 1970 by the log's clock, as in slurmctld: what it does depends on the second
 * modulo 30 and 60. Time limits are whole minutes. Memory is MiB.
 *
 * CLAUSES.md, where a comment names it, is tests/golden/slurm/CLAUSES.md: recordings of slurmctld, by
 * section.
 *
 *   ctl_conf      slurm.conf: SchedulerParameters, partitions, what is counted (TRES)
 *   ctl_acct      sacctmgr's tree of associations, and QOS (accounts/)
 *   ctl_job_make  job descriptions before submission
 *   ctl_submit    submission
 *   ctl_het       heterogeneous jobs: what is done to one component or to all; ctl_het_bf: how they start
 *   ctl_job       a job's states: eligibility, start, end, requeue, hold; arrays
 *   ctl_tick      time limits (OverTimeLimit), deadlines
 *   ctl_depend    dependencies
 *   ctl_clock     when anything happens: batches of submissions, passes, ticks of 30 s
 *   ctl_queue     the job queue: which jobs a pass tries, in which order
 *   ctl_main      the main pass
 *   ctl_bf        the backfill pass
 *   ctl_place     candidate nodes of a job (select_nodes()), and what the node selection answers
 *   ctl_prio      priorities; ctl_usage: usage and its decay; ctl_fair: Fair Tree and the older fair share
 *                 (accounts/)
 *   ctl_limits    limits of QOS and associations, and their pending reasons (accounts/)
 *   ctl_preempt   preemption: candidates, mode, grace time; ctl_gang: time slices
 *   ctl_resv      advance reservations; ctl_license
 *   ctl_node      nodes that are drained, down or come back; ctl_power: that are powered down;
 *                 ctl_complete: that are COMPLETING
 *   ctl_extra     --extra beside nodes' Extra
 *   ctl_command   scontrol and scancel, at their times
 */
#ifndef POLICIES_SLURM_CTL_H
#define POLICIES_SLURM_CTL_H

#include "policies/controller/controller.h"
#include "policies/slurm/select/select.h"

typedef int64_t ctl_time; /* Seconds since 1970 by the log's clock. */
#define CTL_NEVER INT64_MAX
#define CTL_NONE  INT64_MIN /* Not set. */

enum { CTL_NO_ROW = UINT32_MAX };

/* ---- What is counted (TRES) --------------------------------------------------------------------------- */

enum {
	CTL_TRES_CPU,
	CTL_TRES_MEM, /* MiB */
	CTL_TRES_NODE,
	CTL_TRES_BILLING,
	CTL_TRES_FIRST, /* gres/NAME, gres/NAME:TYPE, license/NAME, as there are. */
	CTL_TRES_MAX = 64
};

struct ctl_tres {
	const char *name; /* "cpu", "gres/gpu", "gres/gpu:a100", "license/matlab" */
	int64_t total;    /* Of the cluster. */
	uint32_t gres;    /* Of select_gres_name; CTL_NO_ROW: none. */
	uint32_t license; /* Of the cluster's licences; CTL_NO_ROW. */
	const char *type; /* Of a gres; NULL: any. */
	bool tracked;     /* In AccountingStorageTRES: limits and billing may name it. */
};

/* ---- Partitions ------------------------------------------------------------------------------ */

enum ctl_preempt_mode {
	CTL_PREEMPT_OFF,
	CTL_PREEMPT_SUSPEND,
	CTL_PREEMPT_REQUEUE,
	CTL_PREEMPT_CANCEL,
	CTL_PREEMPT_NOT_SAID
};

struct ctl_part {
	const struct sl_partition *spec; /* As the cluster has it. What commands may change is below. */
	const char *name;
	enum sl_partition_state state;
	int64_t max_time, default_time; /* Minutes; CTL_NEVER: without limit; default: CTL_NONE: not set. */
	int64_t nodes_min, nodes_max;   /* CTL_NEVER: no bound. */
	int64_t tier, job_factor;
	int64_t over_time;                  /* Minutes beyond a limit; CTL_NONE: slurm.conf's. */
	int64_t grace_time;                 /* Seconds. */
	int64_t suspend_time;               /* Seconds; CTL_NONE: slurm.conf's; CTL_NEVER: never. */
	enum ctl_preempt_mode preempt_mode; /* NOT_SAID: slurm.conf's. */
	bool preempt_priority;              /* PRIORITY: its jobs preempt those of lower priority alone. */
	uint32_t qos;                       /* Of the partition; CTL_NO_ROW: none. */
	uint64_t *nodes;                    /* select_node_words() */
	uint32_t node_count;
	int64_t tres_total[CTL_TRES_MAX];
	double billing[CTL_TRES_MAX]; /* TRESBillingWeights; 0 all: cpus count. */
	bool mem_capped;              /* It has a MaxMemPerNode, of its own or the cluster's. */
	bool has_billing;
	double priority_normalized; /* job_factor / the largest. */
	/* Allow..., Deny...: lists as in the file; NULL: none. */
	const char *allow_accounts, *deny_accounts, *allow_qos, *deny_qos, *allow_groups;
	const uint8_t *members; /* By user, whether AllowGroups lets in; NULL: all of them. */
	/* The pass's. */
	uint32_t tried; /* Jobs, of partition_job_depth, bf_max_job_part. */
	bool blocked;
};

/* ---- Accounts -------------------------------------------------------------------------------- */

struct ctl_limits; /* ctl_limits.c */
struct ctl_used;   /* What is used of them, now. */

enum ctl_qos_flag {
	CTL_QOS_DENY_ON_LIMIT = 1,
	CTL_QOS_ENFORCE_USAGE_THRESHOLD = 2,
	CTL_QOS_NO_RESERVE = 4,
	CTL_QOS_PARTITION_MAX_NODES = 8,
	CTL_QOS_PARTITION_MIN_NODES = 16,
	CTL_QOS_PARTITION_TIME_LIMIT = 32,
	CTL_QOS_OVER_PART_QOS = 64,
	CTL_QOS_REQUIRES_RESERVATION = 128,
	CTL_QOS_NO_DECAY = 256,
	CTL_QOS_USAGE_FACTOR_SAFE = 512,
	CTL_QOS_RELATIVE = 1024
};

struct ctl_qos {
	const char *name;
	int64_t priority;
	double usage_factor; /* 1: not set. */
	unsigned flags;
	uint64_t *preempts;                 /* Bit i: it may preempt jobs of QOS i. */
	enum ctl_preempt_mode preempt_mode; /* NOT_SAID: the cluster's. */
	bool preempt_priority; /* PreemptMode=PRIORITY: they preempt jobs of lower priority alone. */
	bool preempt_within;   /* PreemptMode=WITHIN: jobs of higher priority preempt others of it. */
	int64_t exempt_time;   /* Seconds; CTL_NONE: the cluster's. */
	int64_t grace_time;    /* Seconds. */
	double usage_raw;      /* Decayed, billing seconds. */
	double grp_used_wall;  /* Seconds. */
	double usage_tres[CTL_TRES_MAX]; /* Decayed TRES seconds. */
	struct ctl_limits *limits;
	struct ctl_used *used;
};

/* One of sacctmgr's tree: the root account, accounts, users in them. Parents come before their children. */
struct ctl_assoc {
	const char *account, *user, *partition; /* user NULL: an account; partition NULL: any. */
	uint32_t parent;                        /* CTL_NO_ROW: the root. */
	uint32_t limited; /* It, or the next above, that has limits; CTL_NO_ROW: none. */
	uint32_t *child;
	uint32_t child_count;
	int64_t shares;                                            /* Raw; CTL_NONE: "parent". */
	int64_t priority;                                          /* Of the association factor. */
	uint32_t default_qos;                                      /* CTL_NO_ROW */
	uint64_t *qos;                                             /* Bit i: may be used. NULL: any. */
	double usage_raw, usage_tres[CTL_TRES_MAX], grp_used_wall; /* As of QOS; with those below. */
	struct ctl_limits *limits;                                 /* With what it inherits. */
	struct ctl_limits *limits_own;
	struct ctl_used *used;
	/* ctl_fair's, as of the last calculation. */
	double shares_norm, usage_norm, usage_efctv, level_fs, fs_factor;
	uint32_t level_shares;
};

/* ---- Jobs ------------------------------------------------------------------------------------ */

enum ctl_state {
	CTL_NOT_SUBMITTED,
	CTL_PENDING,
	CTL_CONFIGURING, /* Has its nodes, which have to boot. */
	CTL_RUNNING,
	CTL_SUSPENDED,
	CTL_ENDED
};

/* What became of an attempt to place a job: slurmctld's ESLURM codes. */
enum ctl_status {
	CTL_OK,
	CTL_NODES_BUSY,
	CTL_RESERVATION_BUSY,
	CTL_RESERVATION_MAINT,
	CTL_RESERVATION_NOT_USABLE, /* Its reservation has not begun, or is over. */
	CTL_NODE_NOT_AVAIL,         /* Its nodes are down, drained, or others' for the time being. */
	CTL_PORTS_BUSY,
	CTL_PART_CONFIG, /* The partition does not have it (limits of nodes or time). */
	CTL_NODE_CONFIG, /* No node has it. */
	CTL_PARTITION_NOT_AVAIL,
	CTL_LICENSES_UNAVAILABLE,
	CTL_ACCOUNTING_POLICY,
	CTL_JOB_HELD,
	CTL_DEPENDENCY,
	CTL_PREEMPTION_IN_PROGRESS
};

struct ctl_factors { /* Each times its weight. */
	double age, assoc, fs, js, part, qos, tres[CTL_TRES_MAX], site;
	int64_t nice;
};

struct ctl_job {
	/* What passes, looks at limits and calculations of usage read of each job: together. */
	uint32_t next, before; /* In ctl's list of its state (pending, or running and suspended), by
				* order of submission. */
	uint32_t row;          /* Of ctl->job: that of the trace; further components come behind all. */
	uint32_t order;        /* Among submissions: of an array, that of its first task. Slurm's job id, as
				* far as order goes. */
	enum ctl_state state;
	uint32_t part;       /* The partition that it is tried in, or runs in. */
	uint32_t array;      /* Of ctl->array; CTL_NO_ROW: none. */
	uint32_t resv;       /* Of ctl->resv; CTL_NO_ROW. */
	uint32_t assoc, qos; /* CTL_NO_ROW: none. */
	uint32_t user;       /* Of ctl->user_name. */
	uint32_t priority;   /* 0: held. */
	uint32_t known_part; /* In that partition; CTL_NO_ROW: not yet known; */
	uint64_t known;      /* bit i: any allocation has what it asked of TRES i. */
	enum sl_reason reason;
	enum ctl_status status;              /* Of the last test. */
	enum sl_state ended_as;              /* Of CTL_ENDED; and, when it is about to end, how. */
	int64_t time_limit, time_min;        /* Minutes; CTL_NEVER: none; time_min: CTL_NONE. */
	ctl_time begin, deadline, end_limit; /* end_limit: start + time limit + suspended: plans go by it. */
	ctl_time kill_at;                    /* Signalled: it will be gone then; CTL_NEVER. */
	ctl_time preempted_at;               /* Grace began, or it is being preempted; CTL_NONE. */
	ctl_time submit, eligible, accrue, start, end;
	uint32_t restarts;
	uint32_t part_count;
	uint32_t *parts;         /* All that it asked for, by tier (highest first), then as written. */
	uint32_t *priority_part; /* By pairs, ctl_job_pairs() of them; NULL: the same in all. */
	uint32_t *qoses;         /* --qos=a,b, by priority, the highest first; qos is that which is tried. */
	uint32_t qos_count;      /* 0: it asked for one, or for none. */
	int64_t nice;
	struct select_alloc *alloc;
	bool direct_priority; /* Set by hand: multifactor leaves it. */
	bool held_by_user;
	bool requeue_ok;
	bool expedited; /* A node of it failed (--requeue=expedite): until it runs again it goes first, */
	uint64_t *nodes_kept; /* and nobody else starts on these. */
	bool alone; /* A task that is no longer (or never was) one record with its array's waiting tasks. */
	bool never; /* What it depends on can no longer be: it stays so. */
	bool stopped_by_hand;                 /* scontrol suspend: gang does not let it go on. */
	bool preempting;                      /* Its last try ended others (preempt_in_progress). */
	bool preempted_others;                /* Once: */
	ctl_time preempting_since;            /* then. */
	const struct sl_job_attributes *more; /* Never NULL. */
	struct select_job desc;
	/* --prefer: what it requests with its constraint, and with what it prefers in its place (feature_list
	 * and prefer_list). NULL: it prefers nothing. desc has one of them (feature_list_use). */
	const struct sl_job_desc *constrained, *preferred;
	/* A list of --nodes: what it requests with each size, the largest first. NULL: there is none. */
	const struct sl_job_desc *const *sized;
	uint32_t sized_count;
	/* With all of its tasks, where scontrol update has set fewer cpus than they have: it starts where
	 * desc fits and these do. NULL: desc has them. */
	const struct sl_job_desc *tasked;
	/* As slurmctld's job details: its request resolved. */
	int64_t nodes_min, nodes_max, cpus_min, tasks;
	int64_t total_cpus;        /* Of whole nodes: all that those of its last plan have; 0: none yet. */
	ctl_time tested;           /* last_sched_eval */
	ctl_time planned;          /* By the last backfill pass; CTL_NONE. */
	ctl_time planned_reported; /* The engine has it so. */
	uint64_t *planned_nodes;   /* NULL: none. */
	uint64_t reasons_had[(SL_REASON_COUNT + 63) / 64]; /* Bit by bit, however briefly: for comparisons. */

	int64_t array_task; /* Its index. */
	int64_t limit_set;  /* As submitted, before --time-min or NO_VAL became something. */
	ctl_time run_left;  /* It would run so many seconds more (from since). Never for decisions. */
	ctl_time suspended_at, suspended; /* CTL_NONE; seconds in all, of this attempt. */
	uint32_t preempted_for;           /* The preemptor. */
	enum sl_rule started_by;          /* While its nodes boot, and */
	uint32_t started_for;             /* whose first job it does not delay. */
	uint64_t candidate;               /* ctl_preempt's: of which search it is one. */
	const char *resv_names;           /* It named several, of which resv is one; NULL: it did not. */
	bool magnetic;                    /* Its reservation drew it (MAGNETIC): it named none. */
	bool resv_gone;      /* Its reservation was deleted before it started: held (JOB_RESV_DEL_KEEP). */
	int64_t billing;     /* Per second of its allocation. */
	bool counted;        /* In limits' running counts; */
	bool counted_submit; /* and in those of what is submitted; */
	bool counted_accrue; /* and of what accrues age. */
	uint32_t completing; /* COMPLETING: its epilog is still to be done on so many nodes. */
	bool leaving;        /* It ended in this second, and counts until its passes are over. */
	/* ctl_limits_count.c's: the QOS and associations that count it, while it runs and while it is
	 * submitted. */
	uint32_t counted_assoc, counted_qos[2];
	uint32_t accrue_assoc, accrue_qos[2];
	uint32_t submit_assoc, submit_part; /* submit_part: it started there; CTL_NO_ROW: not yet. */
	uint64_t run_secs;    /* Of its limit, so many seconds are still held against ...RunMins; */
	uint64_t run_plain;   /* the same without its QOS's UsageFactor. */
	bool limit_of_limits; /* It asked for no time limit, and got that of QOS or association. */
	enum sl_reason
		refusal; /* By limits, at submission: an array's tasks are accepted or refused as one. */
	void *gang;      /* ctl_gang's. */
	struct ctl_need *need; /* ctl_license's. */
	const char *user_name; /* Never NULL. */
	const char *account;   /* That it named; NULL: none, its user's default. */
	struct ctl_het *het;   /* It is a component of that heterogeneous job; NULL: of none. */
	uint32_t het_offset;   /* Which; 0: its leader, or of none. */
	uint32_t of;           /* Its row of the trace: a further component has that of its leader. */
	int64_t tres_held[CTL_TRES_MAX];
	int64_t tres_asked[CTL_TRES_MAX];
	struct ctl_factors factors;
};

/* It is tried in each of its partitions with each QOS of its list: records of the queue. The pair of
 * parts[i] and qoses[k] is number i * ctl_job_qoses() + k. */
static inline uint32_t ctl_job_qoses(const struct ctl_job *job)
{
	return job->qos_count ? job->qos_count : 1;
}
static inline uint32_t ctl_job_pairs(const struct ctl_job *job)
{
	return job->part_count * ctl_job_qoses(job);
}

struct ctl_array {
	uint32_t order; /* Of its first task. */
	int64_t limit;  /* %n; 0: none. */
	uint32_t running;
	uint32_t reserving; /* bf_max_job_array_resv, in this pass. */
	uint32_t *job;      /* By index, ascending. */
	uint32_t count;
};

/* A heterogeneous job: components that are submitted and start together (ctl_het.c). Each is a job with a
 * request, partition, QOS, limit and allocation of its own; to the engine they are one, that of the leader.
 */
struct ctl_het {
	uint32_t *job; /* By offset: rows of ctl->job. */
	uint32_t count;
	bool started; /* The engine has it run. */
	/* Of the last backfill pass (het_details): for the order of its components among others' jobs
	 * (bf_hetjob_prio). */
	bool known, reserved;
	int64_t tier;
	uint32_t priority;
	struct ctl_het_plan *plan; /* ctl_het_bf.c's. */
};

/* bf_hetjob_prio. */
enum ctl_het_prio { CTL_HET_PRIO_NONE, CTL_HET_PRIO_MIN, CTL_HET_PRIO_AVG, CTL_HET_PRIO_MAX };

/* ---- slurmctld ------------------------------------------------------------------------------- */

/* Releases of Slurm, in their order: a rule that came with one holds from it on. */
enum ctl_version {
	CTL_22_05 = 2205,
	CTL_23_02 = 2302, /* Not to be chosen: what came with it counts from 23.11 on. */
	CTL_23_11 = 2311,
	CTL_24_05 = 2405,
	CTL_24_11 = 2411,
	CTL_25_05 = 2505,
	CTL_25_11 = 2511,
	CTL_26_05 = 2605
};

struct ctl_params {
	enum ctl_version version; /* Set before slurm.conf is read. */
	/* SchedulerParameters, with the version's defaults. Seconds unless said. */
	int64_t batch_sched_delay, default_queue_depth, partition_job_depth, sched_interval,
		sched_min_interval_us, sched_max_job_start;
	int64_t bf_interval, bf_window_min, bf_resolution, bf_max_job_test, bf_max_job_user, bf_max_job_part,
		bf_max_job_user_part, bf_max_job_assoc, bf_max_job_start, bf_job_part_count_reserve,
		bf_min_age_reserve, bf_min_prio_reserve, bf_max_job_array_resv, bf_node_space_size,
		bf_window_linear;
	bool bf_licenses, bf_continue, bf_one_resv_per_job, bf_running_job_reserve, bf_busy_nodes,
		assoc_limit_stop, reduce_completing_frag, kill_invalid_depend, pack_serial_at_end, defer,
		time_min_as_soft_limit, builtin, nohold_on_prolog_fail, enable_user_top,
		bf_allow_magnetic_slot, bf_hetjob_immediate, whole_hetjob, extra_constraints;
	enum ctl_het_prio bf_hetjob_prio;
	bool preempt_youngest_first, preempt_strict_order, preempt_by_part, preempt_by_qos, gang;
	int64_t preempt_reorder_count, preempt_exempt_time;
	enum ctl_preempt_mode preempt_mode;
	int64_t time_slice, kill_wait, complete_wait, over_time_min, inactive_limit;
	sl_time complete;            /* How long a node is COMPLETING after a job's end. */
	int64_t requeue_delay;       /* cred_expire + 1 */
	bool requeue;                /* JobRequeue */
	int64_t enforce_part_limits; /* 0 no, 1 any, 2 all */
	int64_t max_array, max_job_count, max_switch_wait;
	/* PriorityType */
	bool multifactor, has_dbd; /* has_dbd: AccountingStorageType=accounting_storage/slurmdbd. */
	int64_t calc_period, half_life, max_age; /* Seconds; half_life 0: none. */
	int64_t weight_age, weight_assoc, weight_fs, weight_js, weight_part, weight_qos;
	double weight_tres[CTL_TRES_MAX];
	unsigned priority_flags; /* enum ctl_priority_flag */
	bool favor_small;
	int64_t fs_dampening;
	int64_t usage_reset; /* enum ctl_reset */
	/* Usage and priorities are calculated when seconds since 1970 modulo calc_period are tick_phase and
	 * this: since slurmctld's start. */
	int64_t calc_phase;
	/* AccountingStorageEnforce */
	bool enforce_assoc, enforce_limits, enforce_qos, enforce_safe, enforce_nojobs;
	int64_t tick_phase;  /* Time limits are checked when seconds since 1970 modulo 30 are this. */
	bool backfill_first; /* Of a second in which a main pass is due too. */
	bool skip_unchanged; /* A backfill pass that reads nothing new is not made. */
	bool kill;           /* replay.overrun: a job beyond its limit is ended. */
};

struct ctl {
	struct controller engine;
	struct sl_arena *arena;
	const struct sl_cluster *cluster;
	const uint8_t *unavailable; /* By node: drained from the beginning, until a command changes it; NULL:
				       none. */
	const struct sl_jobs *jobs;
	struct select *select;
	struct ctl_params params;
	int64_t epoch; /* Of the scenario's time 0. */
	ctl_time now;
	sl_time now_us; /* The engine's. */
	sl_time begin;  /* Before, it is told what ran, and decides nothing; 0: it decides from the first. */

	struct ctl_tres tres[CTL_TRES_MAX];
	uint32_t tres_count;
	struct ctl_part *part;
	uint32_t part_count, part_default;
	uint32_t expedited; /* Jobs that wait so. */
	struct ctl_qos *qos;
	uint32_t qos_count;
	struct ctl_assoc *assoc;
	uint32_t assoc_count;
	const char **user_name;
	uint32_t user_count;
	struct ctl_extra *extra;     /* NULL: nobody looks at --extra. */
	const struct sl_doc *groups; /* Who is in which group of users; NULL: not said. */

	struct ctl_job *job; /* By row; behind those of the trace further components. */
	uint32_t job_count;
	struct ctl_het *het;
	uint32_t het_count;
	struct ctl_array *array;
	uint32_t array_count;
	uint32_t pending_first, pending_last, running_first, running_last; /* CTL_NO_ROW: none. */
	uint32_t pending_count, running_count;

	ctl_time tick_due; /* ctl_tick.c: a running job needs no tick before then, as far as the tick was
			      notified. */

	/* What has changed, for passes that need not be made: each a count that only grows. */
	uint64_t job_changes, node_changes, part_changes;
	uint64_t reason_changes; /* Of passes. */

	/* Each module's own. */
	struct ctl_conf *conf;
	struct ctl_clock *clock;
	struct ctl_depends *depends;
	struct ctl_queue *queue;
	struct ctl_bf *bf;
	struct ctl_place *place;
	struct ctl_running *running;
	struct ctl_prio *prio;
	struct ctl_preempt *preempt;
	struct ctl_gang *gang;
	struct ctl_resvs *resvs;
	struct ctl_licenses *licenses;
	struct ctl_nodes *nodes;
	struct ctl_power *power;
	struct ctl_completes *completes;
	struct ctl_commands *commands;
	struct ctl_amounts *amounts; /* slurm.c */
	const struct ctl_acts *acts; /* NULL: ctl_job.c's (ctl_preempt.h). */
	struct ctl_acct *acct;
	const struct ctl_recorded *recorded; /* NULL: it decides by itself. */
	const char *release_said; /* Which release decides, until that is said; NULL: a parameter says it. */
};

/* A recording that has the last word: what a pass decides is compared with it, and replaced by it. */
struct ctl_victims;
struct ctl_recorded {
	void *self;
	/* When it has something to say next; CTL_NEVER. */
	ctl_time (*next)(void *self, const struct ctl *c);
	/* Behind all that a second decides. */
	void (*second)(void *self, struct ctl *c);
	/* A pass would start the job on alloc: what it gets; NULL: it does not start now. */
	const struct select_alloc *(*start)(
		void *self, struct ctl *c, struct ctl_job *job, const struct select_alloc *alloc);
	/* A pass would end those for it; false: it does not. */
	bool (*preempt)(void *self, struct ctl *c, struct ctl_job *job, const struct ctl_victims *victims);
};

/* slurm.c: the order goes to the engine in the next pass. */
void ctl_order(struct ctl *c, struct ctl_job *job, enum order_what what, const char *why);
/* Orders from now on are by that rule; returns what they were by, to be put back. */
static inline struct order_by ctl_cause(struct ctl *c, enum sl_rule rule, uint32_t beneficiary)
{
	const struct order_by was = c->engine.cause;
	c->engine.cause = (struct order_by){ rule, beneficiary };
	return was;
}
/* What happens now was recorded (replay.start=recorded). */
static inline bool ctl_is_past(const struct ctl *c) { return c->begin && c->now_us < c->begin; }
/* Its plan, if the engine has another one. */
void ctl_report_plan(struct ctl *c, struct ctl_job *job);
/* Those that it may report, closed by SL_REASON_COUNT. */
extern const enum sl_reason ctl_reasons[];
/* ctl_release.c: whose rules they are; false: out of memory. And that the run says it, at the first event. */
bool ctl_release_make(struct ctl *c, const struct sl_setup *setup, const struct sl_value *value);
void ctl_release_say(struct ctl *c);
/* slurm.c: all modules, in their order. For tests, too. */
int ctl_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
static inline ctl_time ctl_time_of(const struct ctl *c, sl_time at)
{
	return c->epoch + (at - (at % SL_SECOND + SL_SECOND) % SL_SECOND) / SL_SECOND;
}
static inline sl_time ctl_engine_time(const struct ctl *c, ctl_time at)
{
	return at == CTL_NEVER ? SL_NEVER : (at - c->epoch) * SL_SECOND;
}

/* ---- ctl_conf.c ------------------------------------------------------------------------------ */
int ctl_conf_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
/* A key of slurm.conf; NULL: not set. */
const char *ctl_conf_text(const struct ctl *c, const char *key);
int64_t ctl_conf_number(const struct ctl *c, const char *key, int64_t otherwise);
bool ctl_conf_multifactor(const struct ctl *c); /* PriorityType */
/* ctl_tres_reported.c: warnings about TRES that limits and weights name and that are not counted. */
int ctl_tres_report(const struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
/* "bf_interval" of SchedulerParameters: NULL: not set, "": a flag. */
uint32_t ctl_tres_named(const struct ctl *c, const char *name, size_t len); /* CTL_NO_ROW */
uint32_t ctl_part_named(const struct ctl *c, const char *name, size_t len);

/* ---- ctl_acct.c ------------------------------------------------------------------------------ */
int ctl_acct_make(struct ctl *c, struct sl_err *err);
uint32_t ctl_qos_named(const struct ctl *c, const char *name, size_t len);
/* The association of user, account (NULL: the user's default) and partition; CTL_NO_ROW. */
uint32_t ctl_assoc_of(const struct ctl *c, const char *user, const char *account, const char *partition);
/* Sets job->assoc and job->qos from what the job says, as slurmctld does at submission. NONE: they are as
 * AccountingStorageEnforce wants them; else INVALID_ACCOUNT or INVALID_QOS. */
enum sl_reason ctl_acct_find(struct ctl *c, struct ctl_job *job);
/* Sets job->qos, and of a list job->qoses (from 24.11 on), to what --qos names; "": the association's
 * default. False: it may not have that, or one of them, and they are as before. An operator may give it any.
 */
bool ctl_acct_qos_set(struct ctl *c, struct ctl_job *job, const char *asked, bool by_operator);
/* "sacctmgr modify qos|account|user NAME [where ...] set KEY=VALUE ..." at run time; what it sets counts from
 * the next test of a job on. False: not such a command, or no such name. */
bool ctl_acct_modify(struct ctl *c, const char *command);

/* ---- ctl_job.c ------------------------------------------------------------------------------- */
uint32_t ctl_job_count(const struct sl_jobs *jobs); /* With further components of heterogeneous jobs. */
int ctl_job_make(struct ctl *c, struct sl_err *err);
void ctl_submit(struct ctl *c, struct ctl_job *job);
/* It starts now, on alloc, which is allocated; preempted jobs have ended already. boot: seconds until its
 * nodes are up. */
void ctl_start(struct ctl *c, struct ctl_job *job, uint32_t part, const struct select_alloc *alloc);
/* Its usage of limits is released, and its nodes are COMPLETING; state says how. reported: the engine ended
 * it itself. */
void ctl_end(struct ctl *c, struct ctl_job *job, enum sl_state state, bool reported);
/* acct_policy_job_fini(): limits and its array count it no more. */
void ctl_left(struct ctl *c, struct ctl_job *job);
/* cleanup_completing(): it is COMPLETING no more. */
void ctl_completed(struct ctl *c, struct ctl_job *job);
/* Back to PENDING: begins no sooner than requeue_delay after it is COMPLETING no more. held: requeuehold. */
void ctl_requeue(struct ctl *c, struct ctl_job *job, enum sl_state as, bool held);
/* The same, of one that the engine has put back itself. */
void ctl_requeued(struct ctl *c, struct ctl_job *job, enum sl_state as);
/* A component that has just started waits anew, alone: another one cannot start. */
void ctl_retract(struct ctl *c, struct ctl_job *job);
/* As gang scheduling does it: it keeps its cores. ctl_suspend_by_hand (scontrol suspend) releases them to
 * others. */
void ctl_suspend(struct ctl *c, struct ctl_job *job);
void ctl_resume(struct ctl *c, struct ctl_job *job);
void ctl_hold(struct ctl *c, struct ctl_job *job, bool by_user);
void ctl_release_hold(struct ctl *c, struct ctl_job *job);
void ctl_set_reason(struct ctl *c, struct ctl_job *job, enum sl_reason reason);
/* job_independent(): whether it is eligible: begin, dependencies, hold; sets the reason if not. Makes it
 * eligible. */
bool ctl_independent(struct ctl *c, struct ctl_job *job);
/* The nodes of a CONFIGURING job are up, as a tick notices. */
void ctl_start_booted(struct ctl *c, struct ctl_job *job);
/* job_time_limit(): every 30 s; deadlines in each pass that sees them. */
void ctl_tick(struct ctl *c);
/* The next second at which ctl_tick would do anything, as far as is known. */
ctl_time ctl_tick_needed(const struct ctl *c);
/* To be called when a running job's end_limit is another (it starts, its grace, a shorter limit). */
void ctl_limit_moved(struct ctl *c, const struct ctl_job *job);
/* ctl_running.c: its nodes are others, or none, or its limit ends at another time. */
void ctl_running_changed(struct ctl *c, const struct ctl_job *job);
bool ctl_deadline_ok(struct ctl *c, struct ctl_job *job); /* False: it was ended. */
/* Minutes that it may run in that partition. */
int64_t ctl_limit_in(const struct ctl *c, const struct ctl_job *job, uint32_t part);
/* Time-limit, states, node counts of the partition: Slurm's job_limits_check. NONE: it may. */
enum sl_reason ctl_part_allows(const struct ctl *c, const struct ctl_job *job, uint32_t part);
/* ctl_groups.c */
int ctl_groups_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
bool ctl_groups_allow(const struct ctl_job *job, const struct ctl_part *part);
/* get_groups_members(): the users of all groups of a list, "alice,bob". NULL: none is known, or no memory. */
const char *ctl_groups_users(const struct ctl *c, const char *list);

/* Appended to or removed from c's list for its state (pending; configuring, running and suspended), by row.
 */
void ctl_list_add(struct ctl *c, struct ctl_job *job);
void ctl_list_drop(struct ctl *c, struct ctl_job *job);
/* As slurmctld's job details: nodes, cpus, tasks and TRES of its request; again when the request has changed.
 */
void ctl_job_asks(struct ctl *c, struct ctl_job *job);
/* A list of --nodes becomes sizes (job->sized), as far as the cluster has so many nodes. False: no memory. */
bool ctl_job_sizes(struct ctl *c, struct ctl_job *job);
/* --prefer: these features from now on, beside what desc requests; NULL: none. Its next test is of them
 * (set_job_features_use()). False: no memory. */
bool ctl_job_prefer(struct ctl *c, struct ctl_job *job, const char *features);
/* The partitions of a list "a,b", as its request from now on. False: one is not known; nothing changes.
 */
bool ctl_parts_set(struct ctl *c, struct ctl_job *job, const char *list);
/* What an allocation is in TRES: cpus, memory, nodes, gres, licences of the job, and billing in that
 * partition.
 */
void ctl_tres_of(const struct ctl *c, const struct ctl_job *job, uint32_t part,
	const struct select_alloc *alloc, int64_t *tres);
/* It asks for whole nodes. */
static inline bool ctl_is_exclusive(const struct ctl *c, const struct ctl_job *job)
{
	const struct sl_job_desc *desc = job->desc.desc;
	return desc && (desc->exclusive == SL_EXCLUSIVE_NODE ||
			       (desc->exclusive == SL_EXCLUSIVE_TOPO && c->params.version < CTL_24_05));
}
/* It has nodes: it is configuring, runs or is suspended. */
bool ctl_is_active(const struct ctl_job *job);
/* It is on one of these nodes. */
bool ctl_job_on(const struct ctl_job *job, const uint64_t *nodes);
/* The names of a list "a,b" in any case; false: not among them. */
bool ctl_is_among(const char *list, const char *name);

/* ---- ctl_depend.c ---------------------------------------------------------------------------- */
int ctl_depend_make(struct ctl *c, struct sl_err *err);
enum ctl_depend_state { CTL_DEPEND_NONE, CTL_DEPEND_WAITS, CTL_DEPEND_NEVER };
enum ctl_depend_state ctl_depend_test(struct ctl *c, struct ctl_job *job);
/* When time alone will change the answer (after:ID+minutes); CTL_NEVER: not by time alone. */
ctl_time ctl_depend_next(const struct ctl *c, const struct ctl_job *job);
/* "afterok:17,singleton" in place of what it depended on; "": on nothing. False: it is no such list. */
bool ctl_depend_set(struct ctl *c, struct ctl_job *job, const char *text);

/* ---- ctl_clock.c ----------------------------------------------------------------------------- */
int ctl_clock_make(struct ctl *c, struct sl_err *err);
/* After what happened at an instant: all that is due by c->now. */
void ctl_run(struct ctl *c);
/* When ctl_run is to be called next, whatever happens before; SL_NEVER. */
sl_time ctl_next(struct ctl *c);
void ctl_want_pass(struct ctl *c);       /* As slurmctld's schedule() after an end, a node change... */
void ctl_want_batch_pass(struct ctl *c); /* After a submission. */
/* After a job's nodes were freed (_slurm_rpc_epilog_complete): at once, or with `defer` as after a
 * submission. */
void ctl_want_end_pass(struct ctl *c);

/* ---- ctl_expedite.c -------------------------------------------------------------------------- */
bool ctl_expedite_refused(const struct ctl *c, const struct ctl_job *job);
/* A node of it has failed: before it is queued anew, and once it has a priority. */
void ctl_expedite_begin(struct ctl *c, struct ctl_job *job);
void ctl_expedite_first(struct ctl_job *job);
/* It starts, or is gone. */
void ctl_expedite_end(struct ctl *c, struct ctl_job *job);
/* Nodes that others keep so are taken off. */
void ctl_expedite_leave(const struct ctl *c, const struct ctl_job *job, uint64_t *nodes);

/* ---- ctl_queue.c ----------------------------------------------------------------------------- */
struct ctl_entry {
	struct ctl_job *job;
	uint32_t part;
	uint32_t qos; /* CTL_NO_ROW: none. */
	uint32_t priority;
	uint32_t array; /* More tasks of the array behind it. */
	uint32_t resv;  /* It is tried in that reservation; CTL_NO_ROW: as the job stands. */
	bool prefer;    /* It is tried with --prefer in place of its constraint. */
	uint64_t key;   /* The greater one goes first, unless QOS or partitions preempt. */
};
/* A job's pairs of partition and QOS, in their order; valid until the next call. */
size_t ctl_queue_build(struct ctl *c, bool backfill, struct ctl_entry **entry);

/* ---- ctl_main.c, ctl_bf.c -------------------------------------------------------------------- */
void ctl_main_pass(struct ctl *c, bool full);
int ctl_bf_make(struct ctl *c, struct sl_err *err);
void ctl_bf_pass(struct ctl *c);

/* ---- ctl_place.c: slurmctld's select_nodes() ------------------------------------------------- */
int ctl_place_make(struct ctl *c, struct sl_err *err);
/* Why it waits as it is submitted, before any pass: PRIORITY behind others, RESOURCES if no nodes are free
 * for it, NODES_MAINT and their like; NONE. */
enum sl_reason ctl_place_first(struct ctl *c, struct ctl_job *job);
/* On the idle cluster: at submission. */
enum ctl_status ctl_place_ever(struct ctl *c, struct ctl_job *job, uint32_t part);

/* It started now, as was recorded: on the nodes on record, else on others. Where there are none it waits. */
void ctl_take_up(struct ctl *c, struct ctl_job *job);

/* ---- ctl_prio.c, ctl_usage.c, ctl_fair.c ----------------------------------------------------- */
enum ctl_priority_flag {
	CTL_PRIO_ACCRUE_ALWAYS = 1,
	CTL_PRIO_MAX_TRES = 2,
	CTL_PRIO_SIZE_RELATIVE = 4, /* SMALL_RELATIVE_TO_TIME */
	CTL_PRIO_DEPTH_OBLIVIOUS = 8,
	CTL_PRIO_CALCULATE_RUNNING = 16,
	CTL_PRIO_FAIR_TREE = 32,
	CTL_PRIO_INCR_ONLY = 64,
	CTL_PRIO_NO_NORMAL_ASSOC = 128,
	CTL_PRIO_NO_NORMAL_PART = 256,
	CTL_PRIO_NO_NORMAL_QOS = 512,
	CTL_PRIO_NO_NORMAL_TRES = 1024,
	CTL_PRIO_MAX_TRES_GRES = 2048
};
/* Reads PriorityType and all Priority... keys, and partitions' TRESBillingWeights, into params and part[].
 * Behind conf and acct, before job. */
int ctl_prio_make(struct ctl *c, struct sl_err *err);
/* At submission and release: job->priority is 0 then. One that has a priority (requeued) keeps it. */
void ctl_prio_submit(struct ctl *c, struct ctl_job *job);
void ctl_prio_update(struct ctl *c, struct ctl_job *job); /* Something of it was changed by hand. */
/* To that priority, by its nice value, which stays with it when priorities are calculated anew. */
void ctl_prio_move(struct ctl *c, struct ctl_job *job, uint32_t priority);
void ctl_prio_run(struct ctl *c);                       /* The decay thread's turn, if it is due now. */
ctl_time ctl_prio_next(const struct ctl *c);            /* CTL_NEVER: no thread. */
void ctl_usage_end(struct ctl *c, struct ctl_job *job); /* A running job ends (or is requeued) now. */
void ctl_usage_apply(struct ctl *c, struct ctl_job *job, ctl_time from, ctl_time until);
/* What a second of it costs: the weighted sum as usage counts it, and in wholes, as the TRES billing. */
double ctl_billing_exact(const struct ctl *c, uint32_t part, const int64_t *tres);
int64_t ctl_billing(const struct ctl *c, uint32_t part, const int64_t *tres);
void ctl_fair_tree(struct ctl *c);    /* Sets level_fs and fs_factor. */
void ctl_fair_changed(struct ctl *c); /* Shares or the tree are others from now on. */

/* ---- ctl_table.c: tables of sl_policy.show, what sprio and sshare report: "jobs", "weights", "shares" */
/* "work" is ctl_bf.c's: what backfill passes have cost so far. */
int ctl_bf_table(const struct ctl *c, const struct sl_table_sink *table);
int ctl_show(struct ctl *c, const char *what, const struct sl_table_sink *table, struct sl_err *err);
/* ctl_table_state.c: "plans", "nodes", "reservations", "partitions", for squeue, sinfo and scontrol. */
int ctl_table_state(const struct ctl *c, const char *what, const struct sl_table_sink *table);

/* ---- ctl_limits.c: slurmctld's acct_policy --------------------------------------------------- */
int ctl_limits_make(struct ctl *c, struct sl_err *err);
/* At submission. NONE: accepted; else why it is refused (submit limits, DenyOnLimit, InvalidAccount...). */
enum sl_reason ctl_limits_submit(struct ctl *c, struct ctl_job *job);
void ctl_limits_submitted(struct ctl *c, struct ctl_job *job, bool added); /* Counts of submitted jobs. */
enum sl_reason ctl_limits_pre(struct ctl *c, struct ctl_job *job);         /* Before nodes are chosen; */
/* and then, with its prospective allocation. */
enum sl_reason ctl_limits_post(struct ctl *c, struct ctl_job *job, const int64_t *tres);
/* The same where its nodes are known: those that its user, account or group has already count once. NULL: as
 * ctl_limits_post. */
enum sl_reason ctl_limits_post_on(
	struct ctl *c, struct ctl_job *job, const int64_t *tres, const struct select_alloc *alloc);
/* What ctl_limits_post_on says of any allocation of the job, and ctl_limits_post of what it asks for; NONE:
 * they allow it, or that depends. */
enum sl_reason ctl_limits_post_sure(struct ctl *c, struct ctl_job *job);
void ctl_limits_begin(struct ctl *c, struct ctl_job *job);
void ctl_limits_end(struct ctl *c, struct ctl_job *job);
/* It ran from one time until the other: its share of ...RunMins falls by that. Of the decay thread; under
 * priority/basic there is none, and nothing falls before a job's end. */
void ctl_limits_ran(struct ctl *c, struct ctl_job *job, ctl_time from, ctl_time until);
/* Its time limit was changed while it runs. */
void ctl_limits_alter(struct ctl *c, struct ctl_job *job, int64_t old_limit_min);
/* It is eligible: whether it may gather age from now on (...JobsAccrue); if so it is counted until
 * ctl_limits_accrued: it starts, is held or ends. */
bool ctl_limits_accrue(struct ctl *c, struct ctl_job *job);
void ctl_limits_accrued(struct ctl *c, struct ctl_job *job);
/* MinPrioThresh: below it a job starts at once or not, and reserves nothing; 0: none. Goes before
 * bf_min_prio_reserve. */
uint32_t ctl_limits_prio_least(const struct ctl *c, const struct ctl_job *job);
/* A component is counted as if it ran with that, until ctl_limits_end (_het_job_limit_check()). */
void ctl_limits_suppose(struct ctl *c, struct ctl_job *job, const int64_t *tres);
/* At submission, with what all components of the job's association ask together. */
enum sl_reason ctl_limits_submit_whole(struct ctl *c, struct ctl_job *job, const int64_t *tres);
/* It has run into a limit of minutes used (safe not set): to be ended. */
bool ctl_limits_timed_out(struct ctl *c, struct ctl_job *job);
/* Whether that could ever be: some limit of its is of minutes used. */
bool ctl_limits_watched(const struct ctl *c, const struct ctl_job *job);
/* The job's most nodes by QOS and association, CTL_NEVER: any; and which limit that is: why one that wants
 * more waits. */
int64_t ctl_limits_nodes_max_of(const struct ctl *c, const struct ctl_job *job, enum sl_reason *reason);

/* ---- ctl_het.c, ctl_het_bf.c ----------------------------------------------------------------- */
int ctl_het_make(struct ctl *c, struct sl_err *err);
static inline struct ctl_job *ctl_het_component(struct ctl *c, const struct ctl_het *het, uint32_t offset)
{
	return &c->job[het->job[offset]];
}
/* The job itself, or the leader of the job that it is a component of. */
static inline struct ctl_job *ctl_leader(struct ctl *c, struct ctl_job *job)
{
	return job->het ? ctl_het_component(c, job->het, 0) : job;
}
/* Of a list, behind it: no component of the same job, as all of that may go with it. */
uint32_t ctl_next_other(const struct ctl *c, const struct ctl_job *job);
/* Whether the engine is to hear of an order for a component, and in which words. */
bool ctl_het_order(const struct ctl *c, const struct ctl_job *job, enum order_what *what);
/* What the engine has of the whole. */
enum sl_reason ctl_het_reason(const struct ctl *c, const struct ctl_het *het);
ctl_time ctl_het_planned_at(const struct ctl *c, const struct ctl_het *het);
/* Some component waits for its nodes to boot. */
bool ctl_het_configuring(const struct ctl *c, const struct ctl_job *job);
/* The nodes of one are up: the limits of the others begin anew, too (_het_job_time_limit_incr()). */
void ctl_het_booted(struct ctl *c, const struct ctl_job *job);
/* Its leader ends: so do the others, of which the engine is not told. */
void ctl_het_end(struct ctl *c, const struct ctl_job *leader, enum sl_state state);

/* ---- ctl_preempt.c, ctl_gang.c --------------------------------------------------------------- */
int ctl_preempt_make(struct ctl *c, struct sl_err *err);
/* slurm_preemption_enabled() */
bool ctl_preemption(const struct ctl *c);
/* The victim is a candidate: it runs (or is suspended) on a node of that partition, may be preempted by the
 * preemptor as partitions or QOS say, and has run for its PreemptExemptTime. */
bool ctl_may_preempt(
	const struct ctl *c, const struct ctl_job *preemptor, uint32_t part, const struct ctl_job *victim);
/* The preemptor goes before the other in the queue. */
bool ctl_preempts_first(const struct ctl *c, const struct ctl_entry *a, const struct ctl_entry *b);
/* Candidates in the order in which they are preempted; valid until the next call. */
size_t ctl_preempt_candidates(
	struct ctl *c, struct ctl_job *job, uint32_t part, struct ctl_job *const **victim);
enum ctl_preempt_mode ctl_preempt_mode(const struct ctl *c, const struct ctl_job *victim);
/* For a plan (_will_run_test): outlook's preempted, valid until the next call. Candidates are not among what
 * runs: ctl_is_candidate, until the next search. */
void ctl_preempt_outlook(struct ctl *c, struct ctl_job *job, uint32_t part, struct select_outlook *outlook);
bool ctl_is_candidate(const struct ctl *c, const struct ctl_job *job);
/* PreemptParameters=reclaim_licenses, of 23.02: jobs are preempted for their licences, too. */
bool ctl_preempt_licenses(const struct ctl *c);
/* The jobs to preempt for a job, in order (none, if gang scheduling suspends them), and its allocation then.
 * Both are valid until the next call. */
struct ctl_victims {
	struct ctl_job *const *job;
	size_t count;
	const struct select_alloc *alloc;
};
/* _run_now(), after select_place has said BUSY: what the job would have with candidates gone. */
enum select_answer ctl_preempt_place(struct ctl *c, struct ctl_job *job, uint32_t part,
	const uint64_t *available, struct ctl_victims *victims);
/* _preempt_jobs(): they are preempted, each by its PreemptMode. True: the preemptor starts now (none had to
 * end: gang scheduling suspends them). False: its try ends here, as CTL_PREEMPTION_IN_PROGRESS (slurmctld:
 * NODES_BUSY); those without grace have freed their nodes, and the pass that their end triggers in this
 * second starts it.
 */
bool ctl_preempt_do(struct ctl *c, struct ctl_job *job, struct ctl_job *const *victim, size_t count);
/* When a job that has ended others would end more; CTL_NEVER: it has not, or could. */
ctl_time ctl_preempt_retry(const struct ctl *c, const struct ctl_job *job);
/* The preempted job's GraceTime is over (job_time_limit(), at a tick after end_limit): it ends, by its
 * PreemptMode. */
void ctl_preempt_over(struct ctl *c, struct ctl_job *victim);
/* How many jobs may be allocated one core at once, suspended ones counted: for sl_overcommit. */
uint32_t ctl_overcommit(const struct ctl *c);
int ctl_gang_make(struct ctl *c, struct sl_err *err);
/* At its start (with its allocation), and when it is resumed by hand: it may be suspended at once. */
void ctl_gang_started(struct ctl *c, struct ctl_job *job);
/* At its end or requeue: it is in no row any more. */
void ctl_gang_left(struct ctl *c, struct ctl_job *job);
/* It is COMPLETING no more: jobs suspended for it go on. */
void ctl_gang_go_on(struct ctl *c);
/* scontrol suspend, resume: its cores go to others meanwhile, as they do not under gang scheduling. */
void ctl_suspend_by_hand(struct ctl *c, struct ctl_job *job);
void ctl_resume_by_hand(struct ctl *c, struct ctl_job *job);
/* A time slice is over, if one is now. */
void ctl_gang_run(struct ctl *c);
ctl_time ctl_gang_next(const struct ctl *c);

/* ---- ctl_resv.c, ctl_license.c --------------------------------------------------------------- */
int ctl_resv_make(struct ctl *c, struct sl_err *err);
/* What reservations made of a question. */
struct ctl_resv_left {
	bool overlap;  /* Nodes of the partition were excluded, so a job that then does not fit has
			* CTL_RESERVATION_BUSY where nothing else keeps it ("May be reserved for other job").
			*/
	ctl_time next; /* When to try again; CTL_NEVER: what is left stays so. */
};
/* slurmctld's job_test_resv(): what of available (in/out) may be used from start for so many minutes
 * (CTL_NEVER: without limit) by a job tried in job->part. Not CTL_OK: available is empty, and
 * CTL_RESERVATION_MAINT: all nodes, or all of its partition, are kept (NODES_MAINT is its reason, where
 * nothing else keeps it: select_nodes() goes on with no nodes at all and returns this code in place of
 * NODES_BUSY); CTL_NODES_BUSY: a whole-node job's listed nodes are kept for others;
 * CTL_RESERVATION_NOT_USABLE: its own reservation has not begun, is over, or is not for it. */
enum ctl_status ctl_resv_nodes(struct ctl *c, struct ctl_job *job, ctl_time start, int64_t limit_min,
	uint64_t *available, struct ctl_resv_left *left);
/* The same for the backfill, which may move: *start (in/out) goes to the end of reservations that keep it
 * from all nodes, at most ten times (job_test_resv with move_time). */
enum ctl_status ctl_resv_later(struct ctl *c, struct ctl_job *job, ctl_time *start, int64_t limit_min,
	uint64_t *available, bool *overlap);
/* Cores of the nodes left that the last of these questions kept from the job, for select_keep_cores: those of
 * other reservations by CoreCnt, or all but those of its own. NULL: none. Valid until the next. */
const uint64_t *ctl_resv_cores(const struct ctl *c);
/* And what else they kept: the select's, until select_keep_cores(NULL). */
void ctl_resv_keep(struct ctl *c);
/* find_resv_end(): the first end of a reservation at or after start, rounded up to resolution seconds (0:
 * not); CTL_NEVER: none. The backfill tries a job that does not fit again one second after it. */
ctl_time ctl_resv_end(const struct ctl *c, ctl_time start, int64_t resolution);
/* job_time_adj_resv(): of so many minutes from now, how many a job may have on nodes before a reservation
 * that is not its own begins there. */
int64_t ctl_resv_minutes(
	const struct ctl *c, const struct ctl_job *job, const uint64_t *nodes, int64_t minutes);
/* For job_independent(), behind dependencies and begin times: NONE, or RESERVATION (not yet, or over), or
 * RESERVATION_DELETED (held until scontrol sets another one, or none). */
enum sl_reason ctl_resv_waits(struct ctl *c, struct ctl_job *job);
/* Reservations that a pass tries the job in besides, each in a record of the queue of its own: those that it
 * named, if they are several (no other record is made then), or those with MAGNETIC that it may use. How
 * many; at most `capacity` rows are written. */
uint32_t ctl_resv_tried_in(struct ctl *c, const struct ctl_job *job, uint32_t *row, uint32_t capacity);
/* When it begins. */
ctl_time ctl_resv_begins(const struct ctl *c, uint32_t row);
/* Whether the partition has as many nodes in the job's reservation as it needs (_job_runnable_test3()). */
bool ctl_resv_in_part(const struct ctl *c, const struct ctl_job *job, uint32_t part);
/* At submission; sets job->resv. NONE: it may use it, or requests none; else it is refused. */
enum sl_reason ctl_resv_submit(struct ctl *c, struct ctl_job *job);
/* scontrol update jobid=... reservation=NAME; "" or NULL: none. False: there is none, or it is not for it. */
bool ctl_resv_change(struct ctl *c, struct ctl_job *job, const char *name);
/* It runs in a reservation that ended longer than ResvOverRun ago: the tick ends it, TIMEOUT. */
bool ctl_resv_timed_out(const struct ctl *c, const struct ctl_job *job);
/* Licences of that name that others' reservations keep from the job at that time (job_test_lic_resv()). */
int64_t ctl_resv_licenses(struct ctl *c, const struct ctl_job *job, const char *name, ctl_time when);
/* scontrol create, update, delete (verb) reservation ARGUMENTS, now. False: slurmctld would refuse it:
 * nothing happens, *why says so (a constant, in Slurm's words). why may be NULL. */
bool ctl_resv_command(struct ctl *c, const char *verb, const char *arguments, const char **why);
void ctl_resv_run(struct ctl *c); /* Those that begin or end now. */
ctl_time ctl_resv_next(const struct ctl *c);
int ctl_license_make(struct ctl *c, struct sl_err *err);
bool ctl_license_known(const struct ctl *c, const struct ctl_job *job); /* At submission. */
bool ctl_license_free(struct ctl *c, const struct ctl_job *job, ctl_time when);
/* Which of the licences that it needs are not free now (reclaim_licenses): bit i: the i-th of its list. */
uint64_t ctl_license_short(struct ctl *c, const struct ctl_job *job);
/* A running job has one of those. */
bool ctl_license_has(const struct ctl_job *holder, const struct ctl_job *job, uint64_t lacking);
/* Those of a running job are free (-1), and taken again (1), as a test of preemption has it. */
void ctl_license_lend(struct ctl *c, const struct ctl_job *holder, int sign);
void ctl_license_take(struct ctl *c, struct ctl_job *job);
void ctl_license_give(struct ctl *c, struct ctl_job *job);
/* What it needs of them into tres[]; of alternatives the one that it has, else the first. */
void ctl_license_tres(const struct ctl *c, const struct ctl_job *job, int64_t *tres);
/* "a:2,b" in place of what it requested; it has none allocated. False: it is no such list, or more than there
 * are.
 */
bool ctl_license_set(struct ctl *c, struct ctl_job *job, const char *text);

/* ---- ctl_node.c, ctl_power.c ----------------------------------------------------------------- */
int ctl_node_make(struct ctl *c, struct sl_err *err);
/* Not down, drained, failing, being powered down, or out: those that are powered down are in. */
const uint64_t *ctl_nodes_avail(const struct ctl *c);
const uint64_t *ctl_nodes_up(const struct ctl *c); /* Not down and not out: drained ones are in. */
/* scontrol update nodename=NAMES state=STATE reason=REASON, STATE in any case. False: no such node or state.
 */
bool ctl_node_command(struct ctl *c, const char *names, const char *state, const char *reason);
/* A job was allocated its nodes (job->alloc), or is about to release them: reported by ctl_job.c, for idle
 * times. */
/* By models. */
void ctl_node_reported(struct ctl *c, uint32_t node, bool down, bool drained);
void ctl_node_started(struct ctl *c, const struct ctl_job *job);
void ctl_node_ended(struct ctl *c, const struct ctl_job *job);
/* The state as sinfo names it, with its suffix: "idle~", "drng", "alloc#", "maint". A constant. */
const char *ctl_node_state(const struct ctl *c, uint32_t node);
const char *ctl_node_reason(const struct ctl *c, uint32_t node); /* NULL: none. */
int64_t ctl_node_cpus(const struct ctl *c, uint32_t node);       /* Allocated to jobs, also while it boots. */
void ctl_node_run(struct ctl *c); /* Outages of the cluster's files that begin or end now, and returns. */
ctl_time ctl_node_next(const struct ctl *c);
/* setup: of its parameters, `boot`: seconds until a node is up; not set: half of its ResumeTimeout.
 */
int ctl_power_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
/* Nodes of an allocation that have to boot are asked to; when they will all be up, as far as is known, or
 * now. */
ctl_time ctl_power_boot(struct ctl *c, const struct select_alloc *alloc);
/* All its nodes are up: what a tick tests of a job that is CONFIGURING (test_job_nodes_ready()). */
bool ctl_power_ready(const struct ctl *c, const struct select_alloc *alloc);
void ctl_power_run(struct ctl *c);
ctl_time ctl_power_next(const struct ctl *c);

/* ---- ctl_extra.c: SchedulerParameters=extra_constraints -------------------------------------- */
int ctl_extra_make(struct ctl *c, struct sl_err *err);
/* Nodes that its --extra allows, select_node_words(); NULL: any. Valid until the next call. */
const uint64_t *ctl_extra_nodes(struct ctl *c, const struct ctl_job *job);
bool ctl_extra_is_wrong(struct ctl *c, const struct ctl_job *job); /* ESLURM_INVALID_EXTRA */
/* scontrol update nodename=NAMES extra=TEXT, "": none. False: no such node, or no JSON. */
bool ctl_extra_set(struct ctl *c, const char *names, const char *text);

/* ---- ctl_complete.c: COMPLETING -------------------------------------------------------------- */
int ctl_complete_make(struct ctl *c, struct sl_err *err);
/* deallocate_nodes(): the job, which has its allocation yet, leaves its nodes. job->completing: on so many of
 * them its epilog has begun. */
void ctl_complete_begin(struct ctl *c, struct ctl_job *job);
/* Those that ended in a second before are counted no more. */
void ctl_complete_left(struct ctl *c);
/* batch_requeue_fini(): when that will be done of a job that ends now; now, if it is not COMPLETING. */
ctl_time ctl_complete_until(const struct ctl *c, const struct ctl_job *job);
/* Of an Epilog of no known length. */
void ctl_complete_warn(const struct ctl *c, const struct sl_setup *setup);
void ctl_complete_run(struct ctl *c); /* Epilogs that are done by now. */
sl_time ctl_complete_next(const struct ctl *c);
/* The node went down: nothing of it is COMPLETING. */
void ctl_complete_lost(struct ctl *c, uint32_t node);
/* cg_node_bitmap: nodes that take no job and are free in no plan; NULL: there are none. */
const uint64_t *ctl_completing(const struct ctl *c);
/* job_is_completing(): under CompleteWait some job that ended no longer ago than that is COMPLETING. Nodes of
 * the partitions of all such jobs are added to nodes, unless it is NULL. */
bool ctl_complete_waits(const struct ctl *c, uint64_t *nodes);

/* ---- ctl_command.c --------------------------------------------------------------------------- */
int ctl_command_make(struct ctl *c, const struct sl_setup *setup, struct sl_err *err);
/* Rows of jobs by what commands call them: "17", "17_3", "17_[1-3,7]", "17" of an array: all of its tasks;
 * "17+1", "17" of a heterogeneous job: all of its components.
 * The number of rows, each once and ascending; at most `room` are written. SIZE_MAX: it is no such name. */
size_t ctl_rows_named(const struct ctl *c, const char *text, size_t len, uint32_t *row, size_t capacity);
/* How many jobs operators suspend in all. */
uint32_t ctl_command_suspended(const struct ctl *c);
void ctl_command_run(struct ctl *c); /* Those that are due. */
sl_time ctl_command_next(const struct ctl *c);

#endif
