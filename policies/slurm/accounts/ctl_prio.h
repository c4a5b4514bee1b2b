/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_prio.h - priorities, usage and fair share among themselves: ctl_prio*.c, ctl_usage.c, ctl_fair*.c.
 *
 * slurmctld's priority/multifactor has one thread that wakes every PriorityCalcPeriod: usage decays, what
 * ran is added, fair shares and then priorities are calculated. Between two calculations nothing moves but
 * what jobs add that end. So the state here is a function of the time of the last calculation and of the
 * ends since; readers call ctl_prio_until first, and idle intervals need no event.
 */
#ifndef POLICIES_SLURM_CTL_PRIO_H
#define POLICIES_SLURM_CTL_PRIO_H

#include "policies/slurm/control/ctl.h"

/* PriorityUsageResetPeriod */
enum ctl_reset {
	CTL_RESET_NONE,
	CTL_RESET_NOW,
	CTL_RESET_DAILY,
	CTL_RESET_WEEKLY,
	CTL_RESET_MONTHLY,
	CTL_RESET_QUARTERLY,
	CTL_RESET_YEARLY
};

/* Of an association, for ctl_fair*.c. */
struct prio_share {
	uint32_t above;       /* The association whose usage and shares count for it: the next above that has
				 shares. */
	uint32_t first, next; /* Of those below, and behind it among its siblings, by name. CTL_NO_ROW. */
	bool known;           /* The older formula: usage_efctv is of this calculation. */
};

struct prio_rank { /* An association among those that it is compared with. */
	double level_fs;
	bool user;
	uint32_t place; /* Before they were sorted. */
	uint32_t row;
};

struct ctl_prio {
	bool runs;                       /* There is a thread: multifactor, and slurmdbd or 24.11. */
	double decay;                    /* Of one second. */
	ctl_time last;                   /* The last calculation; CTL_NONE: none. */
	ctl_time next;                   /* The next one; CTL_NEVER. */
	ctl_time reset_last, reset_next; /* CTL_NONE: not known. */
	int64_t reset;
	uint32_t lowest;                     /* priority/basic: the last number assigned. */
	int64_t *nice;                       /* By job: that its priority has in it. */
	double cpus, nodes;                  /* Of the cluster. */
	double part_max, qos_max, assoc_max; /* The greatest factors and priorities. */
	bool weighs_tres;
	int64_t weight_age, weight_fs; /* As written: without slurmdbd they count for nothing. */
	uint32_t root;                 /* CTL_NO_ROW: no associations. */
	uint32_t user_count;           /* Associations of users. */
	struct prio_share *share;      /* By association. */
	uint32_t *sibling;             /* By name, for the making of lists. */
	struct prio_rank *rank;        /* A stack, of all levels that are being walked. */
};

/* ctl_prio_conf.c */
int prio_conf(struct ctl *c, struct sl_err *err);
/* A key of slurm.conf; NULL: not set. */
const char *prio_conf_text(const struct ctl *c, const char *key);
/* "CPU=1.0,Mem=0.25G,GRES/gpu=2.0" into weight[], memory by MiB. What is not counted is left out. False: not
 * such a list. */
bool prio_weights(const struct ctl *c, const char *text, double *weight);

/* ctl_factor.c */
/* As of a time, and so set in the job: factors, priority, priority_part. True: a priority changed. */
bool prio_job(struct ctl *c, struct ctl_job *job, ctl_time at);
double prio_part(const struct ctl *c, uint32_t part); /* Its factor times the weight. */
/* What the QOS k of its list adds: one of priority 0 leaves what the one adds that is tried, as it does
 * without a list. */
double prio_qos(const struct ctl *c, const struct ctl_job *job, uint32_t k);

/* ctl_usage.c */
void usage_decay(struct ctl *c, double factor);
void usage_reset(struct ctl *c);
/* base^exponent by multiplication: the same on any machine. */
double usage_power(double base, int64_t exponent);
/* The beginning of the period behind the one in which `last` is; further ones are passed over up to now. */
ctl_time usage_next_reset(enum ctl_reset period, ctl_time last, ctl_time now);

/* ctl_fair.c */
int fair_make(struct ctl *c, struct sl_err *err);
/* The older formula: accounts now, users when they are asked for. */
void fair_old_begin(struct ctl *c);
double fair_factor(struct ctl *c, uint32_t assoc);
/* usage_norm and usage_efctv of the older formula, now. */
void fair_old_usage(struct ctl *c, uint32_t assoc);
/* 2^(-(usage / shares) / damping) */
double fair_old_factor(const struct ctl *c, double usage_efctv, double shares_norm);

/* ctl_prio.c */
/* All calculations up to then. */
void ctl_prio_until(struct ctl *c, ctl_time until);

#endif
