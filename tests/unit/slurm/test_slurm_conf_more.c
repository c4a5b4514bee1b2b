/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_slurm_conf_more.c - settings over Slurm's files, further files, and the output of scontrol show.
 */
#include "tests/world/slurm_sink.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define SETTINGS(...) \
	(const char *const[]) { __VA_ARGS__, NULL }

#define GPUS \
	"NodeName=gpu[08-10] CPUs=8 Weight=5\nNodeName=cpu1 CPUs=4\nPartitionName=p Nodes=gpu[08-10],cpu1\n"

/* A further file: "accounts=/tmp/.../accounts" */
static const char *file_setting(char *to, size_t size, const char *key, const char *text)
{
	(void)snprintf(to, size, "%s=%s", key, file_beside(key, text));
	return to;
}

static void expect_file_error(const char *key, const char *text, const char *want)
{
	char given[300];
	const char *const settings[] = { file_setting(given, sizeof(given), key, text), NULL };
	cr_expect_neq(read_conf(GPUS, settings), 0, "%s", text);
	cr_expect(strstr(said(), want), "got:  %s\nwant: %s", said(), want);
}

/* ---- Settings ----------------------------------------------------------------------------------------- */

/* The numbering goes on, and new nodes are wherever the last one is. */
Test(slurm_settings, more_nodes)
{
	expect_reported_set(GPUS, SETTINGS("nodes[gpu].count+=2"),
		"nodes cpu1 4c -m 1b4s1c1t\nnodes gpu[08-12] 8c -m 1b8s1c1t weight 5\npart p gpu[08-12],cpu1\n");
	expect_reported_set(GPUS, SETTINGS("nodes[gpu[08-10]].count=1"),
		"nodes cpu1 4c -m 1b4s1c1t\nnodes gpu08 8c -m 1b8s1c1t weight 5\npart p gpu08,cpu1\n");
	expect_reported_set(GPUS, SETTINGS("nodes[gpu].count-=3", "nodes[cpu].count=2"),
		"nodes cpu[1-2] 4c -m 1b4s1c1t\npart p cpu[1-2]\n");
}

/* But not down because that one is. */
Test(slurm_settings, new_nodes_are_up_whatever_became_of_the_last)
{
	expect_reported_set("NodeName=a[1-2] CPUs=1\nDownNodes=a2\n", SETTINGS("nodes[a].count+=2"),
		"nodes a1 1c -m 1b1s1c1t\nnodes a2 1c -m 1b1s1c1t down\nnodes a[3-4] 1c -m 1b1s1c1t\n");
	expect_reported_set("NodeName=a[1-2] CPUs=1 State=DOWN\n", SETTINGS("nodes[a].count+=1"),
		"nodes a[1-3] 1c -m 1b1s1c1t down\n");
}

/* By feature, by gres and its type, by partition: the first of these that some line is. */
Test(slurm_settings, nodes_by_what_they_have)
{
#define FILE_OF_TWO                                                                                         \
	"GresTypes=gpu\nNodeName=x1 CPUs=1 Feature=fast,ib Gres=gpu:a:2\nNodeName=y1 CPUs=1 Feature=slow\n" \
	"PartitionName=q Nodes=y1\nPartitionName=slow Nodes=x1\n"
	static const struct {
		const char *setting;
		bool x, y; /* Who is meant. */
	} row[] = {
		{ "nodes[ib].weight=7", true, false },
		{ "nodes[slow].weight=7", false, true }, /* A feature before a partition. */
		{ "nodes[gpu].weight=7", true, false },
		{ "nodes[a].weight=7", true, false },
		{ "nodes[q].weight=7", false, true },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		const char *const settings[] = { row[i].setting, NULL };
		cr_assert_eq(read_conf(FILE_OF_TWO, settings), 0, "%s: %s", row[i].setting, said());
		const char *x = strstr(reported(), "nodes x1");
		const char *y = strstr(reported(), "nodes y1");
		cr_assert(x && y, "%s", reported());
		cr_expect_eq(row[i].x, memmem(x, strcspn(x, "\n"), " weight 7", 9) != NULL, "%s: %s",
			row[i].setting, reported());
		cr_expect_eq(row[i].y, memmem(y, strcspn(y, "\n"), " weight 7", 9) != NULL, "%s: %s",
			row[i].setting, reported());
	}
}

/* The number in Gres, wherever it stands; without one it is put there. */
Test(slurm_settings, gpus_of_nodes)
{
	static const char *const row[][3] = {
		{ "gpu:a:2(S:0-1),nic:1", "nodes[x].gpus+=2", "gpu:a:4(S:0-1),nic:1" },
		{ "nic:1,gpu:8", "nodes[x].gpus-=3", "nic:1,gpu:5" },
		{ "gpu", "nodes[x].gpus=3", "gpu:3" },
		{ "nic:1", "nodes[x].gpus=3", "nic:1,gpu:3" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		char text[200];
		const char *const settings[] = { row[i][1], NULL };
		(void)snprintf(
			text, sizeof(text), "GresTypes=gpu,nic\nNodeName=x1 CPUs=1 Gres=%s\n", row[i][0]);
		cr_assert_eq(read_conf(text, settings), 0, "%s: %s", row[i][0], said());
		cr_expect_str_eq(setting("node", "x1", "Gres"), row[i][2]);
	}
}

/* Over what the files say, which are read before. */
Test(slurm_settings, limits_of_qos_and_accounts)
{
	char qos[300];
	char accounts[300];
	const char *const settings[] = { "qos[high].MaxWall=10", "account[bio/u1].GrpTRES=cpu=4",
		file_setting(qos, sizeof(qos), "qos", "Name|Priority|MaxWall\nhigh|5|60\n"),
		file_setting(accounts, sizeof(accounts), "accounts",
			"Account|User|ParentName|Share\nroot|||1\nbio||root|1\nbio|u1||1\n"),
		NULL };
	cr_assert_eq(read_conf(GPUS, settings), 0, "%s", said());
	cr_expect_str_eq(setting("qos", "high", "MaxWall"), "10");
	cr_expect_str_eq(setting("qos", "high", "Priority"), "5");
	cr_expect_str_eq(setting("association", "bio/u1", "GrpTRES"), "cpu=4");
	const char *const wrong[] = { settings[2], "qos[low].MaxWall=10", NULL };
	cr_assert_neq(read_conf(GPUS, wrong), 0);
	cr_expect(strstr(said(), "there is no such QOS; there are high"), "%s", said());
	const char *const unknown[] = { settings[2], "qos[high].Colour=10", NULL };
	cr_assert_neq(read_conf(GPUS, unknown), 0);
	cr_expect(strstr(said(), "no key of sacctmgr's that is followed"), "%s", said());
}

Test(slurm_settings, keys_of_nodes_partitions_and_the_cluster)
{
	expect_reported_set(GPUS,
		SETTINGS("nodes[gpu].cpus=16", "nodes[gpu].mem=9G", "nodes[gpu].weight+=2",
			"nodes[cpu1].state=DRAIN", "partition[p].MaxTime=60",
			"conf.SelectType=select/linear"),
		"whole linear none\n"
		"nodes cpu1 4c -m 1b4s1c1t drain\n"
		"nodes gpu[08-10] 16c 9216m 1b1s16c1t weight 7\n"
		"part p gpu[08-10],cpu1 max 3600\n");
}

Test(slurm_settings, what_cannot_be_is_an_error)
{
	static const char *const bad[][2] = {
		{ "cpus=4", "--set: 'cluster.cpus': is for a counted pool, and this cluster has nodes: use "
			    "cluster.nodes[NAME].count" },
		{ "nodes[gpx].cpus=4",
			"--set: 'cluster.nodes[gpx].cpus': no NodeName line has that list, these letters, feature or "
			"gres, and no partition is called so: did you mean 'gpu'?" },
		{ "nodes[p].count=4",
			"--set: 'cluster.nodes[p].count': both 'gpu[08-10]' and 'cpu1' are meant: name one of "
			"them as it is written" },
		{ "nodes[zz].cpus=4",
			"--set: 'cluster.nodes[zz].cpus': no NodeName line has that list, these letters, feature or "
			"gres, and no partition is called so: there are gpu[08-10], cpu1" },
		{ "nodes[gpu].gpus=x",
			"--set: 'cluster.nodes[gpu].gpus': must be a whole number from 0 to 65535: x" },
		{ "nodes[gpu].gpus-=1", "--set: 'cluster.nodes[gpu].gpus-': leaves less than 0" },
		{ "qos[x].MaxWall=4",
			"--set: 'cluster.qos[x].MaxWall': no QOS is known: give cluster.qos=FILE, 'sacctmgr show qos "
			"-P'" },
		{ "nodes[gpu].colour=4",
			"--set: 'cluster.nodes[gpu].colour': nodes have count, cpus, mem, gpus, weight, state, "
			"and slurm.conf's keys" },
		{ "nodes[gpu].count-=4",
			"--set: 'cluster.nodes[gpu].count-': leaves less than 0 nodes, or more than 10000000" },
		{ "nodes[gpu].state+=4",
			"--set: 'cluster.nodes[gpu].state+': += and -= are for whole numbers that the file "
			"has: use = instead" },
		{ "partition[q].MaxTime=4",
			"--set: 'cluster.partition[q].MaxTime': there is no such partition: did you "
			"mean 'p'?" },
		{ "partition[p].Max=4",
			"--set: 'cluster.partition[p].Max': no key of a partition: see schedlab-slurm(5)" },
		{ "conf.Foo=4", "--set: 'cluster.conf.Foo': no key of slurm.conf: see schedlab-slurm(5)" },
	};
	for (size_t i = 0; i < SL_LEN(bad); i++)
		expect_error_set(GPUS, SETTINGS(bad[i][0]), bad[i][1]);
	expect_error_set("NodeName=a[1-2] CPUs=1\nNodeName=a[3-4] CPUs=1\n", SETTINGS("nodes[a].count+=1"),
		"--set: 'cluster.nodes[a].count+': both 'a[1-2]' and 'a[3-4]' are meant: name one of them as it is "
		"written");
	expect_error_set("NodeName=a[1-2] CPUs=1\nNodeName=a3 CPUs=1\n", SETTINGS("nodes[a[1-2]].count+=1"),
		"--set: 'cluster.nodes[].count': there is a node 'a3' already (@:1)");
}

/* ---- Further files ---------------------------------------------------------------------------------------
 */

Test(slurm_files, accounts_by_dump)
{
	char given[300];
	cr_expect_eq(read_conf(GPUS,
			     SETTINGS(file_setting(given, sizeof(given), "accounts",
				     "# Cluster - 'name':MaxNodesPerJob=50\n"
				     "Cluster - 'lab':Fairshare=1:QOS='normal'\n"
				     "Parent - 'root'\n"
				     "Account - 'a':Description='A: the first':Fairshare=40:GrpTRES=cpu=8\n"
				     "Parent - 'a'\n"
				     "User - 'u1':DefaultAccount='a':Fairshare=10:Partition='p'\n"))),
		0, "%s", said());
	cr_expect_str_eq(setting("association", "root", "QOS"), "normal");
	cr_expect_str_eq(setting("association", "a", "ParentName"), "root");
	cr_expect_str_eq(setting("association", "a", "GrpTRES"), "cpu=8");
	cr_expect_str_eq(setting("account", "a", "Description"), "A: the first");
	cr_expect_str_eq(setting("association", "a/u1/p", "Fairshare"), "10");
	cr_expect_str_eq(setting("user", "u1", "DefaultAccount"), "a");
	cr_expect_eq(coverage("association", "a", "Fairshare"), SL_MODELLED);
	cr_expect_eq(files_reported(), 1);
}

Test(slurm_files, accounts_by_table)
{
	char given[300];
	cr_expect_eq(read_conf(GPUS, SETTINGS(file_setting(given, sizeof(given), "accounts",
					     "Cluster|Account|User|Partition|Share|GrpTRES|\nlab|root|||1||\n"
					     "lab| a|||40|cpu=8|\nlab|  a|u1|p|10||\n"))),
		0, "%s", said());
	cr_expect_str_eq(setting("association", "a", "ParentName"), "root");
	cr_expect_str_eq(setting("association", "a", "GrpTRES"), "cpu=8");
	cr_expect_str_eq(setting("association", "a/u1/p", "Share"), "10");
	cr_expect_eq(read_conf(GPUS, SETTINGS(file_setting(given, sizeof(given), "accounts",
					     "Account|User|Share\na||4\n"))),
		0, "%s", said());
	cr_expect(strstr(note("association", "", "ParentName"), "root's own"),
		"a table without parents is told");
}

Test(slurm_files, qos_and_usage)
{
	char qos[300];
	char usage[300];
	cr_expect_eq(
		read_conf(GPUS,
			SETTINGS(
				file_setting(qos, sizeof(qos), "qos",
					"Name|Priority|Preempt|MaxTRESPU\nnormal|0||\nhigh|100|normal|cpu=4\n"),
				file_setting(usage, sizeof(usage), "usage",
					"Account|User|RawShares|RawUsage\nroot||0|75\n a||40|43\n  a|u1|10|31\n"))),
		0, "%s", said());
	cr_expect_str_eq(setting("qos", "high", "Preempt"), "normal");
	cr_expect_str_eq(setting("qos", "normal", "Name"), "normal");
	cr_expect_str_eq(setting("usage", "a/u1", "RawUsage"), "31");
}

Test(slurm_files, events_are_windows)
{
	char given[300];
	expect_reported_set(GPUS,
		SETTINGS(file_setting(given, sizeof(given), "events",
			"Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"
			"lab||2026-01-01T00:00:00|Unknown||Cluster Registered TRES|\n"
			"lab|gpu09|2026-01-02T00:00:00|2026-01-03T00:00:00|DOWN*|Not responding|slurm\n"
			"lab|cpu1|2026-01-04T00:00:00|Unknown|DRAIN|disk|root\n"
			"lab|old7|2026-01-04T00:00:00|Unknown|DOWN|gone|root\n")),
		"window gpu09 DOWN*: outage gpu09 2026-01-02T00:00:00-2026-01-03T00:00:00 DOWN*\n"
		"window cpu1 DRAIN: state cpu1 2026-01-04T00:00:00-+5200w DRAIN\n"
		"nodes cpu1 4c -m 1b4s1c1t\nnodes gpu[08-10] 8c -m 1b8s1c1t weight 5\npart p gpu[08-10],cpu1\n");
	cr_expect(strstr(note("event", "", "Event"), "whole cluster"));
	cr_expect(strstr(note("event", "old7", "DOWN"), "no such node"));
}

Test(slurm_files, states_and_reservations)
{
	char states[300];
	char windows[300];
	expect_reported_set(GPUS,
		SETTINGS(
			file_setting(states, sizeof(states), "nodes_state",
				"NodeName=gpu08 Arch=x86_64 CPUTot=8\n   State=MIXED+DRAIN Weight=1\n   Reason=bad fan [root]\n\n"
				"NodeName=cpu1 CPUTot=4\n   State=IDLE*\n"),
			file_setting(windows, sizeof(windows), "reservations",
				"ReservationName=m StartTime=2026-11-20T11:19:00 EndTime=2026-11-20T11:21:00 Duration=00:02:00\n"
				"   Nodes=gpu[08-09] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=(null) "
				"Flags=MAINT,IGNORE_JOBS,SPEC_NODES\n"
				"   TRES=cpu=8\n"
				"   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE\n")),
		"nodes cpu1 4c -m 1b4s1c1t down\n"
		"nodes gpu08 8c -m 1b8s1c1t weight 5 drain 'bad fan [root]'\n"
		"nodes gpu[09-10] 8c -m 1b8s1c1t weight 5\n"
		"part p gpu[08-10],cpu1\n"
		"window m: maint gpu[08-09] 2026-11-20T11:19:00-2026-11-20T11:21:00 users root "
		"MAINT,IGNORE_JOBS,SPEC_NODES\n");
}

Test(slurm_files, what_is_none_is_refused)
{
	expect_file_error(
		"qos", "Account|User|RawUsage\n", "these are usage, not qos: give the file as cluster.usage");
	expect_file_error("accounts", "hello\n", "not a table of sacctmgr or sshare");
	expect_file_error("qos", "Name|Priority\na|1|2\n", ":2:1: 3 columns, where the first line names 2");
	expect_file_error(
		"accounts", "Parent - 'a'\nNobody\n", ":2:1: a line of a dump begins with Cluster, Parent");
	expect_file_error(
		"events", "NodeName|TimeStart|State\ncpu1|2026-01-01|GONE\n", "'GONE' is no state of a node");
	expect_file_error("nodes_state", "NodeName=n9 State=DOWN\n", "no NodeName does");
	expect_file_error("reservations", "No reservations in the system\n", "holds no record");
	expect_file_error("usage", "\n", "is empty");
}

/* ---- scontrol
 * -------------------------------------------------------------------------------------------------- */

static void expect_displayed(const char *text, const char *want)
{
	cr_expect_eq(read_scontrol(text, NULL), 0, "%s\nof\n%s", said(), text);
	cr_expect_str_eq(reported(), want, "got:\n%s\nwant:\n%s", reported(), want);
}

#define NODE_TEXT(name, state)                                                                         \
	"NodeName=" name " Arch=x86_64 CoresPerSocket=4 \n"                                            \
	"   CPUAlloc=0 CPUTot=16 CPULoad=0.10\n"                                                       \
	"   AvailableFeatures=a,b\n   ActiveFeatures=a\n   Gres=gpu:a100:2(S:0-1)\n"                   \
	"   NodeAddr=" name " NodeHostName=" name " Version=22.05.8\n   OS=Linux 5.10 #1 SMP Debian\n" \
	"   RealMemory=1000 AllocMem=0 FreeMem=900 Sockets=2 Boards=1\n"                               \
	"   State=" state " ThreadsPerCore=2 TmpDisk=0 Weight=3 Owner=N/A\n   Partitions=p \n\n"

#define PART_TEXT                                                                               \
	"PartitionName=p\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"                  \
	"   AllocNodes=ALL Default=YES QoS=N/A\n   DefaultTime=NONE DisableRootJobs=NO\n"       \
	"   MaxNodes=UNLIMITED MaxTime=1-00:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n" \
	"   Nodes=n[1-3]\n   PriorityJobFactor=1 PriorityTier=2 RootOnly=NO OverSubscribe=NO\n" \
	"   State=UP TotalCPUs=48 TotalNodes=3\n   JobDefaults=DefCpuPerGPU=4\n"                \
	"   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n\n"

Test(slurm_scontrol, records_of_every_kind_in_one_file)
{
	expect_displayed(
		"Configuration data as of 2026-11-20T11:00:00\n"
		"AccountingStorageType   = (null)\nClusterName             = lab\nKillWait                = 30 sec\n"
		"SelectType              = select/cons_tres\nSelectTypeParameters    = CR_CORE\n"
		"TopologyPlugin          = topology/tree\n\nCgroup Support Configuration:\nSlurmUser = x\n\n"
		"Slurmctld(primary) at head is UP\n" NODE_TEXT("n2", "MIXED") NODE_TEXT("n1", "IDLE")
			NODE_TEXT("n3", "IDLE+CLOUD+POWERED_DOWN") PART_TEXT
		"SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-3]\n"
		"SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=s1\n"
		"LicenseName=matlab\n    Total=20 Used=0 Free=20 Remote=no\n",
		"name lab\nwhole cores tree\n"
		"nodes n[1-2] 16c 1000m 1b2s4c2t weight 3 [a,b] gpu:a100:2\n"
		"nodes n3 16c 1000m 1b2s4c2t weight 3 [a,b] gpu:a100:2 powered_down\n"
		"part p n[1-3] default max 86400 min 0 tier 2 cpg 4\n"
		"switch s1 n[1-3] -\nswitch top - s1\nlicense matlab 20\n");
	cr_expect_str_eq(setting("cluster", "", "KillWait"), "30");
	cr_expect_eq(coverage("cluster", "", "SlurmUser"), -1, "another part of the file");
	cr_expect_eq(coverage("node", "n2", "CPULoad"), -1, "of the moment, and no key of a file");
}

Test(slurm_scontrol, one_line_a_record)
{
	expect_displayed(
		"NodeName=n1 CPUTot=4 Sockets=4 RealMemory=10 State=DOWN* Reason=disk is gone [root@2026] Weight=1\n"
		"NodeName=n2 CPUTot=4 Sockets=4 RealMemory=10 State=ALLOCATED+PLANNED Weight=1\n",
		"nodes n1 4c 10m 1b4s1c1t down 'disk is gone [root@2026]'\n"
		"nodes n2 4c 10m 1b4s1c1t planned\n");
}

#define SET(n) "{\"set\": true, \"infinite\": false, \"number\": " #n "}"

Test(slurm_scontrol, json)
{
	expect_displayed(
		"{\"meta\": {}, \"nodes\": [\n"
		"{\"name\": \"n1\", \"cpus\": 16, \"sockets\": 2, \"cores\": 4, \"threads\": 2, \"real_memory\": 1000,"
		" \"state\": [\"IDLE\", \"DRAIN\"], \"gres\": \"gpu:2(S:0)\", \"features\": [\"a\", \"b\"]},\n"
		"{\"name\": \"n2\", \"cpus\": 16, \"sockets\": 2, \"cores\": 4, \"threads\": 2, \"real_memory\": 1000,"
		" \"state\": \"down\", \"state_flags\": [\"NOT_RESPONDING\"], \"gres\": \"gpu:2\", \"weight\": 4}]}\n"
		"{\"partitions\": [{\"name\": \"p\", \"nodes\": {\"configured\": \"n[1-2]\"}, \"flags\": "
		"[\"DEFAULT\"], \"maximums\": {\"time\": " SET(
			60) ", \"nodes\": {\"set\": true, \"infinite\": true, "
			    "\"number\": 0}}, \"priority\": {\"tier\": 3}, \"partition\": {\"state\": [\"UP\"]}}],\n"
			    "\"reservations\": [{\"name\": \"r\", \"node_list\": \"n1\", \"start_time\": " SET(
				    86400) ", \"end_time\": " SET(90000) ", \"users\": \"root\", \"flags\": [\"MAINT\"]}],\n"
									 "\"licenses\": [{\"LicenseName\": \"m\", \"Total\": 3}]}\n",
		"nodes n1 16c 1000m 1b2s4c2t [a,b] gpu::2 drain\n"
		"nodes n2 16c 1000m 1b2s4c2t weight 4 gpu::2 down\n"
		"part p n[1-2] default max 3600 tier 3\n"
		"license m 3\n"
		"window r: maint n1 1970-01-02T00:00:00-1970-01-02T01:00:00 users root MAINT\n");
	cr_expect_neq(read_scontrol("{\"nodes\": [\n{,}]}", NULL), 0);
	cr_expect_str_eq(said(), "@:2:2: ',' stands where a key in quotes should be");
}

/* ---- sinfo --------------------------------------------------------------------------------------------- */

/* -N -l: a row for each node and partition, under the date; a node's first row counts; a reason holds blanks.
 */
Test(slurm_sinfo, nodes_long)
{
	expect_displayed(
		"Sun Nov 29 18:50:03 2026\n"
		"NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              \n"
		"n1             1    debug*        idle 16      2:8:1  64000        0      1   (null) none                \n"
		"n1             1      long        idle 16      2:8:1  64000        0      1   (null) none                \n"
		"n2             1    debug*        mix* 16      2:8:1  64000        0      1 fast,gpu none                \n"
		"n3             1      long     drained 32      2:8:2 128000        0     10   (null) bad fan, ask ann    \n",
		"nodes n1 16c 64000m 1b2s8c1t\n"
		"nodes n2 16c 64000m 1b2s8c1t [fast,gpu] down\n"
		"nodes n3 32c 128000m 1b2s8c2t weight 10 drain 'bad fan, ask ann'\n"
		"part debug n[1-2] default\n"
		"part long n[1,3]\n");
}

/* -o with a separator: limits, states and sizes of partitions, devices; lists of nodes that overlap. */
Test(slurm_sinfo, separated)
{
	expect_displayed("PARTITION|AVAIL|TIMELIMIT|DEFAULTTIME|JOB_SIZE|STATE|CPUS|MEMORY|GRES|NODELIST\n"
			 "debug*|up|30:00|10:00|1-2|idle~|16|64000|gpu:a100:2|n[1-2]\n"
			 "long|drain|infinite|n/a|2-infinite|alloc|16|64000|(null)|n[2-3]\n"
			 "empty|down|1-00:00:00|n/a|1|n/a|0|0|(null)|\n",
		"nodes n[1-2] 16c 64000m 1b16s1c1t gpu:a100:2 powered_down\n"
		"nodes n3 16c 64000m 1b16s1c1t\n"
		"part debug n[1-2] default max 1800 time 600 min 1 nodes 2\n"
		"part long n[2-3] min 2 drain\n");
}

Test(slurm_sinfo, json)
{
	expect_displayed(
		"{\"sinfo\": [{\"node\": {\"state\": [\"IDLE\", \"DRAIN\"]}, \"nodes\": {\"total\": 2, \"nodes\": [\"n1\", \"n2\"]},"
		" \"cpus\": {\"minimum\": 16, \"maximum\": 16}, \"sockets\": {\"minimum\": 2, \"maximum\": 2},"
		" \"cores\": {\"minimum\": 8, \"maximum\": 8}, \"threads\": {\"minimum\": 1, \"maximum\": 1},"
		" \"memory\": {\"minimum\": 64000, \"maximum\": 64000}, \"features\": {\"total\": \"fast\"}, \"gres\": {\"total\": \"gpu:2\"},"
		" \"reason\": {\"description\": \"\"}, \"partition\": {\"name\": \"debug\", \"maximums\": {\"time\": {\"set\": true,"
		" \"infinite\": false, \"number\": 30}}, \"partition\": {\"state\": [\"UP\"]}}}]}\n",
		"nodes n[1-2] 16c 64000m 1b2s8c1t [fast] gpu::2 drain\n"
		"part debug n[1-2] max 1800\n");
}

/* However long the list of a row's nodes is, and however many rows a partition has, none is left out. */
Test(slurm_sinfo, many)
{
	enum { NODES = 9000, TEXT = NODES * 64 };
	char *text = malloc(TEXT);
	size_t len = (size_t)snprintf(text, TEXT, "{\"sinfo\": [{\"nodes\": {\"nodes\": [");
	for (int i = 0; i < NODES; i++)
		len += (size_t)snprintf(text + len, TEXT - len, "%s\"node%04d\"", i ? ", " : "", i);
	(void)snprintf(text + len, TEXT - len,
		"]}, \"cpus\": {\"minimum\": 4, \"maximum\": 4}, \"partition\": {\"name\": \"b\"}}]}\n");
	expect_displayed(text, "nodes node[0000-8999] 4c -m 1b4s1c1t\npart b node[0000-8999]\n");
	len = (size_t)snprintf(text, TEXT, "NODELIST|PARTITION|STATE|CPUS\n");
	for (int i = 0; i < NODES; i++)
		len += (size_t)snprintf(text + len, TEXT - len, "node%04d|b|idle|4\n", i);
	expect_displayed(text, "nodes node[0000-8999] 4c -m 1b4s1c1t\npart b node[0000-8999]\n");
	free(text);
}

static void expect_refused(const char *text, const char *want)
{
	cr_expect_neq(read_scontrol(text, NULL), 0, "%s", text);
	cr_expect_str_eq(said(), want, "%s\nof\n%s", said(), text);
}

Test(slurm_sinfo, refused)
{
	expect_refused(
		"PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ndebug*       up   infinite      2   idle n[1-2]\n",
		"@:1:1: sinfo does not say how large nodes are: ask it with -N -l, or give what scontrol show node prints");
	expect_refused("NODELIST|STATE|CPUS|PARTITION\nn[1-2]|idle|16+|debug\n",
		"@:2:1: the nodes of this row differ in cpus (16+): ask sinfo with -N, which has a row for each");
	expect_refused("NODELIST|STATE|CPUS|PARTITION\nn[1-2]|idle\n",
		"@:2:1: 2 cells under 4 headings: ask sinfo with a separator, as -o '%N|%P|%a|%l|%t|%c|%z|%m|%f|%G'");
	expect_refused(
		"{\"sinfo\": [{\"nodes\": {\"nodes\": [\"n1\"]}, \"cpus\": {\"minimum\": 1, \"maximum\": 2}}]}\n",
		"@:1:12: the nodes of this row differ in cpus (1+): ask sinfo with -N, which has a row for each");
}

/* ---- topology.yaml ------------------------------------------------------------------------------------- */

/* It stands in the place of topology.conf and TopologyPlugin; its default topology is the cluster's. */
Test(slurm_conf_more, topologies_of_yaml)
{
	file_beside("topology.conf", "SwitchName=x Nodes=n[1-4]\n");
	file_beside("topology.yaml",
		"- topology: t\n  tree: {switches: [{switch: s1, nodes: 'n[1-4]'}]}\n"
		"- topology: b\n  cluster_default: True\n  block:\n    block_sizes: [2, 4]\n"
		"    blocks:\n    - {block: b1, nodes: 'n[3-4]'}\n    - {block: b2, nodes: 'n[1-2]'}\n"
		"- topology: r\n  cluster_default: true\n  ring: {rings: [{ring: r1, nodes: 'n[1-4]'}]}\n");
	cr_assert_eq(read_conf("TopologyPlugin=topology/tree\nNodeName=n[1-4] CPUs=4\n"
			       "PartitionName=p Nodes=ALL Topology=t\n",
			     NULL),
		0, "%s", said());
	cr_expect_str_eq(setting("topology", "t", "Type"), "tree");
	cr_expect_str_eq(setting("topology", "t", "Switch"), "s1 nodes=n[1-4]");
	cr_expect_str_eq(setting("topology", "b", "BlockSizes"), "2,4");
	cr_expect_str_eq(setting("topology", "b", "Default"), "true");
	cr_expect_eq(coverage("topology", "r", "Default"), -1, "of several the first");
	cr_expect_str_eq(setting("topology", "r", "Ring"), "r1 nodes=n[1-4]");
	cr_expect_str_eq(setting("switch", "b1", "Nodes"), "n[3-4]", "as in topology.conf");
	cr_expect_eq(coverage("switch", "x", "Nodes"), -1);
	cr_expect_str_eq(setting("partition", "p", "Topology"), "t");
}

/* A topology that is not the default one is checked likewise: the first has no part in this. */
static int read_second(const char *topology, const char *partition)
{
	char text[1000], conf[200];
	(void)snprintf(text, sizeof(text),
		"- topology: t\n  cluster_default: true\n  flat: true\n- topology: u\n  %s\n", topology);
	file_beside("topology.yaml", text);
	(void)snprintf(conf, sizeof(conf), "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL Topology=%s\n",
		partition);
	return read_conf(conf, NULL);
}

Test(slurm_conf_more, topologies_of_yaml_beside_the_default)
{
	static const struct {
		const char *topology, *said;
	} cases[] = {
		{ "tree: {switches: [{switch: a, nodes: 'n1'}, {switch: b, children: 'a,c'}, {switch: c, children: b}]}",
			"hangs on itself" },
		{ "tree: {switches: [{switch: a, nodes: 'n1'}, {switch: b, children: x}]}", "no switch 'x'" },
		{ "tree: {switches: [{switch: a, nodes: 'n1'}, {switch: a, nodes: 'n2'}]}", "'a' twice" },
		{ "block: {blocks: [{block: a, nodes: 'n1'}, {block: a, nodes: 'n2'}]}", "'a' twice" },
		{ "block: {blocks: [{block: a, nodes: 'n[1-2'}]}", "n[1-2" },
		{ "ring: {rings: [{ring: a, nodes: 'n[2'}]}", "n[2" },
		{ "flat: false", "'flat' is true, or not said" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		cr_expect_neq(read_second(cases[i].topology, "u"), 0, "case %zu", i);
		cr_expect(strstr(said(), cases[i].said), "case %zu: %s", i, said());
		cr_expect(strstr(said(), "topology.yaml:5:"), "case %zu: %s", i, said());
	}
	cr_expect_neq(read_second("flat: true", "v"), 0);
	cr_expect(strstr(said(), "@:2:") && strstr(said(), "no topology 'v'"), "%s", said());
	cr_expect_eq(read_second("tree: {switches: [{switch: a, nodes: 'n[1-2,9]'}]}", "u"), 0, "%s", said());
	cr_expect_eq(coverage("switch", "a", "Switch"), SL_UNKNOWN_KEY, "no NodeName has n9: passed over");
}
