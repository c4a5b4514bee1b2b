/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_limits.h - limits of QOS and associations, what is used of them, and how sacctmgr's words become them.
 *
 * A limit is of one TRES (an array, NULL where no TRES has one) or a plain number; CTL_NEVER: there is none.
 * What is used is summed over the jobs that run, each counted at its start and subtracted as it was counted.
 */
#ifndef POLICIES_SLURM_CTL_LIMITS_H
#define POLICIES_SLURM_CTL_LIMITS_H

#include "policies/slurm/control/ctl.h"

/* Of each TRES. Those of a user or account are of QOS alone. */
enum ctl_limit_tres {
	CTL_GRP_TRES,
	CTL_GRP_MINS,
	CTL_GRP_RUN_MINS,
	CTL_MAX_JOB,
	CTL_MAX_NODE,
	CTL_MAX_MINS,
	CTL_MAX_USER,
	CTL_MAX_ACCOUNT,
	CTL_MAX_RUN_USER,
	CTL_MAX_RUN_ACCOUNT,
	CTL_MIN_JOB,
	CTL_LIMIT_TRES
};

/* Plain numbers. Walls are minutes. CTL_MAX_JOBS, _SUBMIT, _ACCRUE: of an association. */
enum ctl_limit_number {
	CTL_GRP_JOBS,
	CTL_GRP_SUBMIT,
	CTL_GRP_ACCRUE,
	CTL_GRP_WALL,
	CTL_MAX_WALL,
	CTL_MAX_JOBS,
	CTL_MAX_SUBMIT,
	CTL_MAX_ACCRUE,
	CTL_MAX_JOBS_USER,
	CTL_MAX_JOBS_ACCOUNT,
	CTL_MAX_SUBMIT_USER,
	CTL_MAX_SUBMIT_ACCOUNT,
	CTL_MAX_ACCRUE_USER,
	CTL_MAX_ACCRUE_ACCOUNT,
	CTL_PRIO_LEAST,
	CTL_LIMIT_NUMBERS
};

struct ctl_limits {
	int64_t *tres[CTL_LIMIT_TRES]; /* By TRES; NULL: none has one. */
	int64_t number[CTL_LIMIT_NUMBERS];
	/* By TRES: a QOS that is Relative has percents of these; NULL: amounts. */
	const int64_t *whole;
	double factor;      /* LimitFactor, of a QOS: times the associations' limits of TRES; 0: none. */
	double usage_thres; /* Of a QOS; below 0: none. */
};

/* What is used of a QOS, an association, or a user's or an account's part of a QOS. */
struct ctl_used {
	int64_t *tres;
	uint64_t *run_secs; /* TRES seconds of limits not run yet; modulo 2^64. */
	int64_t jobs, submitted, accrue;
	uint32_t *on_node; /* Jobs by node, where nodes are limited; NULL: not counted. */
	struct ctl_used **user,
		**account; /* Of a QOS; by user, by the account's association; NULL: nothing yet. */
};

/* What counts a job: its QOS (its partition's first, unless OverPartQOS), then its association and those
 * above. */
struct ctl_order_of {
	uint32_t qos[2]; /* CTL_NO_ROW: none. */
};

/* Limits that one who goes before has set already: those behind have no say in them. */
struct ctl_imposed {
	uint64_t tres[CTL_LIMIT_TRES]; /* Bit i: of TRES i. */
	uint32_t number;               /* Bit i: of enum ctl_limit_number. */
	double factor;                 /* Of QOS, for associations; 0: none. */
};

/* A look at the limits of a job. */
struct ctl_look {
	const struct ctl *c;
	const struct ctl_job *job;
	struct ctl_imposed imposed;
	enum sl_reason reason; /* Of the first that says no. */
	bool is_qos;           /* They are a QOS's. */
};

/* What sacctmgr says of an association itself. */
struct ctl_own {
	const char *qos, *default_qos; /* Lists and names as in the file; NULL: not set. */
	int64_t priority;              /* CTL_NONE: not set. */
};

struct ctl_acct {
	struct ctl_own *own;     /* By association. */
	uint32_t *sorted;        /* Associations by user (accounts first), account, partition. */
	const char **default_of; /* By association of a user: that user's default account; NULL: not set. */
	uint32_t qos_words;      /* Of a set of QOS. */
	bool reported;           /* Associations are defined at all. */
};

/* Families of reasons that name a TRES. */
enum ctl_reason_of {
	CTL_WHY_ASSOC_GRP,
	CTL_WHY_ASSOC_GRP_MINS,
	CTL_WHY_ASSOC_GRP_RUN_MINS,
	CTL_WHY_ASSOC_JOB,
	CTL_WHY_ASSOC_NODE,
	CTL_WHY_ASSOC_MINS,
	CTL_WHY_QOS_GRP,
	CTL_WHY_QOS_GRP_MINS,
	CTL_WHY_QOS_GRP_RUN_MINS,
	CTL_WHY_QOS_JOB,
	CTL_WHY_QOS_NODE,
	CTL_WHY_QOS_MINS,
	CTL_WHY_QOS_USER,
	CTL_WHY_QOS_ACCOUNT,
	CTL_WHY_QOS_MIN,
	CTL_WHYS
};
enum sl_reason ctl_reason_of(const struct ctl *c, enum ctl_reason_of why, uint32_t tres);

/* No time limit, in minutes, as slurmctld counts with it. */
#define CTL_MINUTES_INFINITE INT64_C(4294967295)

static inline int64_t ctl_limit_of(const struct ctl_limits *limits, enum ctl_limit_tres kind, uint32_t tres)
{
	const int64_t said = limits->tres[kind] ? limits->tres[kind][tres] : CTL_NEVER;
	if (!limits->whole || said == CTL_NEVER)
		return said;
	return limits->whole[tres] * (said < 100 ? said : 100) / 100;
}
static inline uint64_t nset_has(uint32_t tres) { return UINT64_C(1) << tres; }

/* ---- ctl_limits.c */
bool ctl_limits_on(const struct ctl *c, const struct ctl_job *job);
struct ctl_order_of ctl_qos_order(const struct ctl *c, const struct ctl_job *job, uint32_t part);
/* Of those above an association the next that has limits; the others allow everything. */
static inline uint32_t ctl_limited_above(const struct ctl *c, uint32_t assoc)
{
	const uint32_t above = c->assoc[assoc].parent;
	return above == CTL_NO_ROW ? CTL_NO_ROW : c->assoc[above].limited;
}
/* The account's own association. */
uint32_t ctl_account_of(const struct ctl *c, uint32_t assoc);
double ctl_factor_safe(const struct ctl *c, const struct ctl_order_of *order);
/* Each QOS of the order, then the job's association and those above it, until one returns false; so does the
 * call. */
bool ctl_look_all(struct ctl_look *look, const struct ctl_order_of *order,
	bool (*qos)(struct ctl_look *look, uint32_t row), bool (*assoc)(struct ctl_look *look, uint32_t row));
/* There is such a limit, and none before has set one. One of a QOS is set from now on. */
static inline bool ctl_look_number(
	struct ctl_look *look, const struct ctl_limits *limits, enum ctl_limit_number kind)
{
	const uint32_t bit = UINT32_C(1) << kind;
	if (limits->number[kind] == CTL_NEVER || look->imposed.number & bit)
		return false;
	if (look->is_qos)
		look->imposed.number |= bit;
	return true;
}

static inline bool ctl_look_tres(struct ctl_look *look, const struct ctl_limits *limits,
	enum ctl_limit_tres kind, uint32_t tres, int64_t *limit)
{
	*limit = ctl_limit_of(limits, kind, tres);
	if (*limit == CTL_NEVER || look->imposed.tres[kind] & nset_has(tres))
		return false;
	if (look->is_qos)
		look->imposed.tres[kind] |= nset_has(tres);
	return true;
}
/* LimitFactor: of associations' limits of TRES. */
int64_t ctl_look_factor(const struct ctl_look *look, int64_t limit);
/* False, because of it. */
bool ctl_look_no(struct ctl_look *look, enum sl_reason reason);
/* a * b, or CTL_NEVER - 1 where that is more. Both at least 0. */
int64_t ctl_times(int64_t a, int64_t b);
/* tres of a job's usage, in whole minutes. */
int64_t ctl_used_mins(double seconds);

/* ---- ctl_limits_count.c */
/* Of its nodes, how many are new to what is used. alloc NULL: all `count`. */
int64_t ctl_nodes_new(const struct ctl_used *used, const struct select_alloc *alloc, int64_t count);
/* After limits were changed while jobs run: what they need is counted from here on. */
void ctl_limits_recount(struct ctl *c);
/* What a user or an account has of a QOS; NULL: nothing yet. */
const struct ctl_used *ctl_used_user(const struct ctl *c, uint32_t qos, uint32_t user);
const struct ctl_used *ctl_used_account(const struct ctl *c, uint32_t qos, uint32_t assoc);

/* ---- ctl_acct_read.c */
void ctl_limits_none(struct ctl_limits *limits);
/* One column of sacctmgr; false: no such column. value "": none, "-1": the limit goes. */
bool ctl_qos_set(struct ctl *c, uint32_t qos, const char *key, const char *value);
bool ctl_assoc_set(struct ctl *c, uint32_t assoc, const char *key, const char *value);
/* The columns that name other QOS, when all are known: Preempt, QOS, DefaultQOS. */
bool ctl_qos_list(const struct ctl *c, const char *text, uint64_t *bits);
bool ctl_same(const char *a, const char *b, size_t len);

/* ---- ctl_acct_relative.c */
/* After QOS, their flags or those of partitions were set. False: no memory. */
bool ctl_acct_relative(struct ctl *c);
/* A partition's QOS that is Relative is no job's. */
bool ctl_qos_of_partition_alone(const struct ctl *c, uint32_t qos);

/* ---- ctl_acct.c */
/* Fills in what associations have from those above, after anything of one was changed. */
void ctl_acct_inherit(struct ctl *c);

#endif
