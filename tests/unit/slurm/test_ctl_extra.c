/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_extra.c - SchedulerParameters=extra_constraints: --extra beside nodes' Extra, as scontrol shows
 * and sets it. Rules: ctl_extra.c. Schedules read "ID:START-END@NODES".
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/ctl_world.h"

static struct ctl_world w;

static void fini(void) { cw_end(&w); }

#define X " --exclusive --mem=100 "

/* n1: rack 1, hot; n2: rack 2.5, cool, old; n3: no JSON; n4: nothing. */
static void begin(const char *policy, const char *params, const char *jobs, const char *commands)
{
	static char text[3000];
	(void)snprintf(text, sizeof(text),
		"ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
		"PriorityType=priority/basic\nSchedulerParameters=%s\n"
		"NodeName=n1 CPUs=4 RealMemory=4000 Extra={\"rack\":1,\"name\":\"hot\",\"old\":false}\n"
		"NodeName=n2 CPUs=4 RealMemory=4000 Extra={\"rack\":2.5,\"name\":\"cool\",\"old\":true}\n"
		"NodeName=n3 CPUs=4 RealMemory=4000 Extra=rack=1\nNodeName=n4 CPUs=4 RealMemory=4000\n"
		"PartitionName=p Nodes=ALL Default=YES\n",
		params);
	w = (struct ctl_world){
		.policy = policy, .conf = text, .jobs = jobs, .commands = commands, .check = true
	};
}

#define MAIN  "bf_interval=-1,sched_interval=1,batch_sched_delay=0"
#define BRISK "bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0"
#define EXTRA ",extra_constraints"

/* "n1", "n2", both ("n1+n2"), "none", "refused": where a job with that --extra may go. */
static void allows(const char *extra, const char *want)
{
	char jobs[300];
	(void)snprintf(jobs, sizeof(jobs), "1 0 100 -N1 -t2 '--extra=%s'" X "\n", extra);
	begin("slurm:version=24.11", MAIN EXTRA, jobs, NULL);
	struct ctl *c = cw_make(&w);
	struct ctl_job *job = cw_job(&w, "1");
	const uint64_t *nodes = ctl_extra_nodes(c, job);
	cr_assert_not_null(nodes);
	const char *is = ctl_extra_is_wrong(c, job) ? "refused"
			 : *nodes == 1              ? "n1"
			 : *nodes == 2              ? "n2"
			 : *nodes == 3              ? "n1+n2"
			 : *nodes                   ? "others"
						    : "none";
	cr_expect_str_eq(is, want, "%s: %s, wanted %s", extra, is, want);
	cw_end(&w);
}

Test(ctl_extra, comparisons)
{
	static const struct {
		const char *extra, *nodes;
	} of[] = { { "rack=1", "n1" }, { "rack=1.000001", "n1" }, { "rack!=1", "n2" }, { "rack>1", "n2" },
		{ "rack>=1", "n1+n2" }, { "rack<2.5", "n1" }, { "rack<=2.5", "n1+n2" },
		{ "rack=one", "none" }, { "name=hot", "n1" }, { "name!=hot", "n2" }, { "name<d", "n2" },
		{ "name=Hot", "none" }, { "old=yes", "n2" }, { "old=F", "n1" }, { "old=maybe", "none" },
		{ "new!=1", "none" } };
	for (size_t i = 0; i < SL_LEN(of); i++)
		allows(of[i].extra, of[i].nodes);
}

Test(ctl_extra, expressions)
{
	static const struct {
		const char *extra, *nodes;
	} of[] = { { "rack>0&name=hot", "n1" }, { "rack>0,name=hot", "n1" }, { "rack=1|name=cool", "n1+n2" },
		{ "(rack=1|name=cool)&old=no", "n1" }, { "rack>0&(name=x|(old=yes&rack>2))", "n2" },
		{ "rack=1&name=hot|old=no", "refused" }, { "rack", "refused" }, { "rack==1", "refused" },
		{ "rack=1&", "refused" }, { "(rack=1", "refused" }, { "rack=1)", "refused" },
		{ "rack=1&&old=no", "refused" }, { "rack=1(old=no)", "refused" }, { "()", "refused" },
		{ "=1", "refused" }, { "rack=", "refused" }, { "rack=1=2", "refused" } };
	for (size_t i = 0; i < SL_LEN(of); i++)
		allows(of[i].extra, of[i].nodes);
}

Test(ctl_extra, where_it_is_set_and_known, .fini = fini)
{
	static const char jobs[] = "1 0 100 -N1 -t2 --extra=name=cool" X "\n";
	begin("slurm:version=22.05", MAIN EXTRA, jobs, NULL);
	cw_run(&w);
	cw_expect(&w, "1:0-100@n1");
	cw_end(&w);
	begin("slurm:version=23.11", MAIN, jobs, NULL);
	cw_run(&w);
	cw_expect(&w, "1:0-100@n1");
	cw_end(&w);
	begin("slurm:version=23.11", MAIN EXTRA, jobs, NULL);
	cw_run(&w);
	cw_expect(&w, "1:0-100@n2");
}

/* None has it until a command gives it to n4: the job is not held, and blocks nobody. */
Test(ctl_extra, waits_until_a_node_has_it, .fini = fini)
{
	begin("slurm:version=24.11", MAIN EXTRA,
		"1 0 10 -N1 -t1 --extra=rack=7" X "\n2 5 10 -N1 -t1" X "\n3 200 10 -N1 -t1" X "\n",
		"100 scontrol update nodename=n4 'extra={\"rack\":7}'\n");
	cw_run(&w);
	cw_expect(&w, "1:100-110@n4 2:5-15@n1 3:200-210@n1");
	cr_expect(strstr(cw_reasons(&w, "1"), "BadConstraints"), "%s", cw_reasons(&w, "1"));
}

/* Its one node is taken: it waits as any, and others do not pass it. */
Test(ctl_extra, waits_for_its_nodes, .fini = fini)
{
	begin("slurm:version=24.11", MAIN EXTRA,
		"1 0 100 -N1 -t2 -w n2" X "\n2 5 10 -N1 -t1 --extra=name=cool" X "\n3 6 10 -N1 -t1" X "\n",
		NULL);
	cw_run(&w);
	cw_expect(&w, "1:0-100@n2 2:100-110@n2 3:100-110@n1");
}

Test(ctl_extra, no_such_expression_is_refused, .fini = fini)
{
	begin("slurm:version=24.11", MAIN EXTRA, "1 0 10 -N1 -t1 --extra=rack" X "\n2 0 10 -N1 -t1" X "\n",
		NULL);
	cw_run(&w);
	cr_expect_eq(cw_state(&w, "1"), SL_CANCELLED);
	cr_expect_eq(cw_start(&w, "2"), 0);
}
