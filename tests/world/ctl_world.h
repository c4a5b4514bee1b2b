/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_world.h - a small Slurm for tests: slurm.conf and jobs as text, read by the real readers, run by the
 * policy `slurm`. Each test is a process of its own: there is one simulation.
 *
 * Jobs are lines "ID SUBMIT RUN [OPTIONS OF SBATCH]": times in seconds after T0 (0 modulo 300), options as
 * for sbatch, and before them, of sacct's columns, user=, account=, qos=, state=, exit=, start= and nodes=:
 *
 *	1 0 100 -N2 --exclusive -t 2
 *	2 5 60 user=u1 account=a -n 4 -t 1:00
 *	3_[1-3] 5 60 -n 4 -t 1          (tasks are lines: 3_1, 3_2, 3_3)
 */
#ifndef SL_TEST_CTL_WORLD_H
#define SL_TEST_CTL_WORLD_H

#include "policies/slurm/control/ctl.h"
#include "sim/run/sim.h"

#define CW_T0 INT64_C(1800000000)

/* What the recordings of tests/golden/slurm had: a line each of slurm.conf, to begin with. */
#define CW_BRISK                                                                                         \
	"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"              \
	"SchedulerParameters=bf_interval=1,bf_resolution=1,bf_continue,bf_max_time=60,sched_interval=1," \
	"batch_sched_delay=0,sched_min_interval=1\n"

struct ctl_world {
	const char *conf, *jobs;     /* Texts. */
	const char *accounts, *qos;  /* As sacctmgr prints them with -P; NULL: none. */
	const char *usage;           /* As sshare prints it; NULL: none. */
	const char *commands;        /* replay.commands, times in seconds after T0; NULL: none. */
	const char *const *settings; /* Further ones for --set, closed by NULL; NULL: none. */
	const char *policy;          /* NULL: of 22.05; with complete=0, unless it says. */
	const char *from;            /* As --from; NULL: all. */
	bool check;                  /* As --check. */

	/* The rest is made. */
	struct scenario scenario;
	struct policy_choice choice;
	struct sl_arena *arena;
	struct sim_run sim;
	struct sl_err err;
	struct ctl ctl; /* Of cw_make. */
	char text[1000];
};

/* Loads files and jobs; fails the test if they cannot be read. */
void cw_load(struct ctl_world *w);
/* Loads, then makes the controller alone, all modules of it, at T0, with no event yet: for tests that drive
 * it by hand. */
struct ctl *cw_make(struct ctl_world *w);
/* Moves its clock to so many seconds after T0. */
void cw_at(struct ctl_world *w, int64_t second);
/* Loads and runs all to the end. Returns the status; cw_run fails the test if it is not 0. */
int cw_try(struct ctl_world *w);
void cw_run(struct ctl_world *w);
void cw_end(struct ctl_world *w);

/* By id: "1", "3_2". Fails the test if there is none. */
uint32_t cw_row(const struct ctl_world *w, const char *id);
struct ctl_job *cw_job(struct ctl_world *w, const char *id);
/* Of the last attempt, in seconds after T0; -1: never. */
int64_t cw_start(const struct ctl_world *w, const char *id);
int64_t cw_stop(const struct ctl_world *w, const char *id);
enum sl_state cw_state(const struct ctl_world *w, const char *id);
/* "n[1-2]", where it started last; "" if it did not. Lent until the next such call. */
const char *cw_nodes(struct ctl_world *w, const char *id);
/* Its reasons in turn, "Priority+Resources"; None and repeated ones are left out. */
const char *cw_reasons(struct ctl_world *w, const char *id);
/* What it decided: "0 start 1 order; 5 plan 2 100; 60 preempt 1 rank(3)", times after T0, the beneficiary in
 * brackets; lent until the next call. */
const char *cw_reported(struct ctl_world *w);
const char *cw_id(const struct ctl_world *w, uint32_t row);
/* All of them: "1:0-100@n[1-2] 2:100-160@n[1-4]", in the order of the lines. */
const char *cw_schedule(struct ctl_world *w);

#define cw_expect(w, want) cr_expect_str_eq(cw_schedule(w), want, "%s\n  wanted: %s", cw_schedule(w), want)

#endif
