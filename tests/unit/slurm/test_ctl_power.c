/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_ctl_power.c - nodes that are powered down and up, second by second, by the rules of slurmctld's power
 * thread: a node that was idle for more than SuspendTime goes down at the next look, is off when more than
 * SuspendTimeout is over, and boots in the second after a job was allocated it.
 */
#include "tests/world/ctl_fake.h"

#define POWER                                                                                         \
	"SuspendTime=60\nSuspendTimeout=10\nResumeTimeout=100\nSuspendProgram=/x\nResumeProgram=/y\n" \
	"SuspendRate=0\nResumeRate=0\n"
#define FOUR "NodeName=n[1-4] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n"

static struct fakes f;

static void fini(void) { cw_end(&f.w); }

/* Runs all looks until that second, as they fall due. */
static void until(int64_t second)
{
	for (;;) {
		const ctl_time next = ctl_power_next(f.c);
		if (next == CTL_NEVER || next > CW_T0 + second)
			break;
		cr_assert_geq(next, f.c->now, "a look in the past");
		f.c->now = next;
		ctl_power_run(f.c);
	}
	cw_at(&f.w, second);
	ctl_power_run(f.c);
}

#define expect_states(want) cr_expect_str_eq(fake_states(&f), want, "%s", fake_states(&f))

static void boots_in(const char *seconds)
{
	static const char *settings[2];
	static char text[64];
	(void)snprintf(text, sizeof(text), "policy.boot=%s", seconds);
	settings[0] = text;
	f.w.settings = settings;
}

static void begin(const char *conf, const char *boot)
{
	if (boot)
		boots_in(boot);
	fake_begin(&f, conf);
}

/* Without suspending looks fall on 11, 22, 33, 44, 55, 66...: more than 10 s after the last. */
Test(ctl_power, idle_nodes_go_down_and_are_off_then, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, NULL);
	until(60);
	expect_states("idle idle idle idle");
	until(65); /* Over 60 since 61; the next look is at 66. */
	expect_states("idle idle idle idle");
	until(66);
	expect_states("idle% idle% idle% idle%");
	cr_expect_str_eq(fake_nodes(&f, ctl_nodes_avail(f.c)), "", "going down they are not to be had");
	until(76); /* More than 10 s: 77. */
	expect_states("idle% idle% idle% idle%");
	until(77);
	expect_states("idle~ idle~ idle~ idle~");
	cr_expect_str_eq(fake_nodes(&f, ctl_nodes_avail(f.c)), "n[1-4]", "off they are");
	cr_expect_eq(ctl_power_next(f.c), CTL_NEVER, "nothing is due any more");
}

/* Of 26.05; before, a node had its partitions' and the cluster's. */
Test(ctl_power, a_node_may_have_a_suspend_time_of_its_own, .fini = fini)
{
	static const char conf[] = CW_BRISK POWER
		"NodeName=n[1-2] CPUs=4 RealMemory=1000\nNodeName=n[3-4] CPUs=4 RealMemory=1000 SuspendTime=20\n"
		"PartitionName=p Nodes=ALL Default=YES SuspendTime=60\n";
	f.w.policy = "slurm:version=25.11";
	begin(conf, NULL);
	until(30);
	expect_states("idle idle idle idle");
	cw_end(&f.w);
	f.w.policy = "slurm:version=26.05";
	begin(conf, NULL);
	until(30); /* Over 20 since 21: at the look of 22. */
	expect_states("idle idle idle% idle%");
}

Test(ctl_power, what_runs_keeps_its_node_on_and_its_time_counts_from_its_end, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, NULL);
	struct ctl_job *job = fake_runs(&f, 0, "n1", 1, 4);
	until(90);
	expect_states("alloc idle~ idle~ idle~");
	cw_at(&f.w, 150);
	fake_ends(&f, job);
	until(210);
	expect_states("idle idle~ idle~ idle~");
	until(225);
	expect_states("idle% idle~ idle~ idle~");
}

/* The scenario that was recorded: a boot of 20 s, asked for the second after the start. */
Test(ctl_power, a_job_s_nodes_boot_and_are_up_then, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, "20");
	until(109);
	cw_at(&f.w, 110);
	struct ctl_job *job = fake_runs(&f, 0, "n[2-3]", 2, 1);
	cr_expect_eq(ctl_power_boot(f.c, job->alloc), CW_T0 + 131);
	cr_expect_not(ctl_power_ready(f.c, job->alloc));
	until(111);
	expect_states("idle~ alloc# alloc# idle~");
	until(130);
	cr_expect_not(ctl_power_ready(f.c, job->alloc));
	cr_expect_eq(ctl_power_boot(f.c, job->alloc), CW_T0 + 131, "asked again, the same");
	until(131);
	expect_states("idle~ alloc alloc idle~");
	cr_expect(ctl_power_ready(f.c, job->alloc));
	cr_expect_eq(ctl_power_boot(f.c, job->alloc), f.c->now);
}

/* Looks of 24.11 are at 109 and 120. A job that starts at 109, behind that look: in 22.05 its node boots from
 * the next second on, in 24.11 from the next look. A second later it is the next second for both. */
Test(ctl_power, behind_the_look_of_its_second, .fini = fini)
{
	static const struct {
		const char *policy;
		int64_t starts, boots;
	} cases[] = { { "slurm:version=22.05", 109, 110 }, { "slurm:version=24.11", 109, 120 },
		{ "slurm:version=22.05", 110, 111 }, { "slurm:version=24.11", 110, 111 } };
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		if (i)
			cw_end(&f.w);
		f = (struct fakes){ .w.policy = cases[i].policy };
		begin(CW_BRISK POWER FOUR, NULL);
		until(cases[i].starts);
		struct ctl_job *job = fake_runs(&f, 0, "n2", 1, 1);
		cr_expect_eq(ctl_power_boot(f.c, job->alloc), CW_T0 + cases[i].boots + 50, "case %zu", i);
		expect_states("idle~ alloc~ idle~ idle~");
		if (cases[i].boots > cases[i].starts + 1)
			until(cases[i].boots - 1);
		expect_states("idle~ alloc~ idle~ idle~");
		until(cases[i].boots);
		expect_states("idle~ alloc# idle~ idle~");
	}
}

Test(ctl_power, without_a_boot_time_half_of_resume_timeout, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, NULL);
	until(110);
	struct ctl_job *job = fake_runs(&f, 0, "n2", 1, 1);
	cr_expect_eq(ctl_power_boot(f.c, job->alloc), CW_T0 + 161);
}

Test(ctl_power, nodes_that_are_off_go_behind_all_others, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, NULL);
	cw_at(&f.w, 0);
	struct ctl_job *one = fake_runs(&f, 0, "n4", 1, 4);
	until(100);
	cw_at(&f.w, 101);
	fake_ends(&f, one);
	expect_states("idle~ idle~ idle~ idle");
	struct ctl_job *job = fake_job(&f, 0);
	const struct select_alloc *out;
	cr_assert_eq(select_place(f.c->select, &job->desc, NULL, SELECT_NOW, &out), SELECT_FITS);
	cr_expect_eq(out->node_alloc[0].node, 3, "the one that is awake, though n1 comes first");
}

Test(ctl_power, too_late_is_down, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, "500");
	until(110);
	struct ctl_job *job = fake_job(&f, 0);
	const struct select_alloc *out;
	cr_assert_eq(select_place(f.c->select, &job->desc, NULL, SELECT_NOW, &out), SELECT_FITS);
	(void)ctl_power_boot(f.c, out); /* n1; no job is on it, so none is notified. */
	until(111);
	expect_states("idle# idle~ idle~ idle~");
	until(211);
	expect_states("idle# idle~ idle~ idle~");
	until(222); /* More than 100 s after 111, at a look. */
	expect_states("down~ idle~ idle~ idle~");
	cr_expect_str_eq(ctl_node_reason(f.c, 0), "ResumeTimeout reached");
	cr_expect_str_eq(fake_nodes(&f, ctl_nodes_avail(f.c)), "n[2-4]");
	cr_expect(ctl_node_command(f.c, "n1", "resume", ""));
	expect_states("idle~ idle~ idle~ idle~");
}

Test(ctl_power, without_programs_or_times_nothing_is_switched_off, .fini = fini)
{
	begin(CW_BRISK "SuspendTime=60\nSuspendProgram=/x\n" FOUR, NULL);
	cr_expect_eq(ctl_power_next(f.c), CTL_NEVER, "there is no ResumeProgram");
	until(500);
	expect_states("idle idle idle idle");
}

Test(ctl_power, minus_one_is_never, .fini = fini)
{
	begin(CW_BRISK "SuspendTime=-1\nSuspendProgram=/x\nResumeProgram=/y\n" FOUR, NULL);
	until(5000);
	expect_states("idle idle idle idle");
}

/* The longest of a node's partitions counts, and one that says nothing does not. */
Test(ctl_power, partitions_have_times_of_their_own, .fini = fini)
{
	begin(CW_BRISK POWER "NodeName=n[1-4] CPUs=4 RealMemory=1000\nPartitionName=p Nodes=ALL Default=YES\n"
			     "PartitionName=q Nodes=n[1-2] SuspendTime=200\n"
			     "PartitionName=r Nodes=n1 SuspendTime=INFINITE\n",
		NULL);
	until(190);
	expect_states("idle idle idle~ idle~");
	until(230);
	expect_states("idle idle~ idle~ idle~");
	until(5000);
	expect_states("idle idle~ idle~ idle~");
}

Test(ctl_power, exceptions_stay_on, .fini = fini)
{
	begin(CW_BRISK POWER "SuspendExcNodes=n4\nSuspendExcParts=q\n" FOUR "PartitionName=q Nodes=n1\n",
		NULL);
	until(500);
	expect_states("idle idle~ idle~ idle");
}

/* "n[1-3]:2": two of three stay on; one that works is one of them. */
Test(ctl_power, so_many_of_some_stay_on, .fini = fini)
{
	begin(CW_BRISK POWER "SuspendExcNodes=n[1-3]:2\n" FOUR, NULL);
	(void)fake_runs(&f, 0, "n3", 1, 60);
	until(500);
	expect_states("idle idle~ alloc idle~");
}

/* Two a minute: the other two follow when what was done has faded. */
Test(ctl_power, so_many_a_minute, .fini = fini)
{
	begin(CW_BRISK "SuspendTime=60\nSuspendTimeout=10\nResumeTimeout=100\nSuspendProgram=/x\n"
		       "ResumeProgram=/y\nSuspendRate=2\nResumeRate=0\n" FOUR,
		NULL);
	until(66);
	expect_states("idle% idle% idle idle");
	until(77); /* 2 * 49/60 = 1.6: still two, rounded. */
	expect_states("idle~ idle~ idle idle");
	until(88); /* 1.3: one more. */
	expect_states("idle~ idle~ idle% idle");
}

/* From 24.05 on a bucket: a rate of 12 is a token each 5 s, and 12 * 10 / 60 = 2 of them at most, as at
 * first. At 77 two more have come. */
Test(ctl_power, a_bucket_of_so_many, .fini = fini)
{
	static const char conf[] =
		CW_BRISK "SuspendTime=60\nSuspendTimeout=10\nResumeTimeout=100\n"
			 "SuspendProgram=/x\nResumeProgram=/y\nSuspendRate=12\nResumeRate=0\n" FOUR;
	f.w.policy = "slurm:version=22.05";
	begin(conf, NULL);
	until(66);
	expect_states("idle% idle% idle% idle%");
	cw_end(&f.w);
	f = (struct fakes){ .w.policy = "slurm:version=24.05" };
	begin(conf, NULL);
	until(66);
	expect_states("idle% idle% idle idle");
	until(77);
	expect_states("idle~ idle~ idle% idle%");
}

/* A rate of 4 is a token each 15 s, one at most: at 75 and at 90. */
Test(ctl_power, a_bucket_that_fills_slowly, .fini = fini)
{
	f.w.policy = "slurm:version=24.05";
	begin(CW_BRISK "SuspendTime=60\nSuspendTimeout=10\nResumeTimeout=100\nSuspendProgram=/x\n"
		       "ResumeProgram=/y\nSuspendRate=4\nResumeRate=0\n" FOUR,
		NULL);
	until(66);
	expect_states("idle% idle idle idle");
	until(77); /* 75 is past. */
	expect_states("idle~ idle% idle idle");
	until(88); /* 90 is not. */
	expect_states("idle~ idle~ idle idle");
	until(99);
	expect_states("idle~ idle~ idle% idle");
}

Test(ctl_power, by_command, .fini = fini)
{
	begin(CW_BRISK POWER FOUR, "20");
	struct ctl_job *job = fake_runs(&f, 0, "n2", 1, 9);
	cr_expect(ctl_node_command(f.c, "n1", "power_down", ""));      /* At once; */
	cr_expect(ctl_node_command(f.c, "n2", "power_down_asap", "")); /* when its job has ended. */
	until(1);
	expect_states("idle% drng idle idle");
	until(20);
	fake_ends(&f, job);
	until(21);
	expect_states("idle~ idle% idle idle");
	cr_expect(ctl_node_command(f.c, "n1", "power_up", ""));
	until(22);
	expect_states("idle# idle% idle idle");
	until(42);
	expect_states("idle idle~ idle idle");
}

Test(ctl_power, off_at_the_beginning_and_switched_on_when_wanted, .fini = fini)
{
	begin(CW_BRISK POWER "NodeName=n1 CPUs=4 RealMemory=1000\nNodeName=n2 CPUs=4 RealMemory=1000 "
			     "State=POWERED_DOWN\nPartitionName=p Nodes=ALL Default=YES\n",
		"20");
	expect_states("idle idle~");
	cr_expect_str_eq(fake_nodes(&f, ctl_nodes_avail(f.c)), "n[1-2]");
}

/* Nothing could switch them on: slurmctld takes them for up. */
Test(ctl_power, cloud_without_power_saving_is_up, .fini = fini)
{
	begin(CW_BRISK
		"SuspendProgram=/x\nResumeProgram=/y\nNodeName=n1 CPUs=4 RealMemory=1000\n"
		"NodeName=n2 CPUs=4 RealMemory=1000 State=CLOUD\nPartitionName=p Nodes=ALL Default=YES\n",
		NULL);
	expect_states("idle idle");
	cr_expect_str_eq(fake_nodes(&f, ctl_nodes_avail(f.c)), "n[1-2]");
	until(1000);
	expect_states("idle idle");
}
