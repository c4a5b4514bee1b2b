/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_slurm_conf.c - slurm.conf, gres.conf and topology.conf: each clause, as reported to the sink.
 */
#include "tests/world/slurm_sink.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define NODES "NodeName=n[1-4] CPUs=4\n"

/* ---- Lines ------------------------------------------------------------------------------------------ */

Test(slurm_conf, keys_in_any_case_comments_continuation_and_quotes)
{
	expect_reported("clustername=lab # the name\n"
			"# NodeName=x CPUs=1 \\\n"
			"NODENAME=n1 \\\n"
			"  cpus=2 Reason=\"a b\" state = DOWN \n"
			"PartitionName=p \\ \n"
			"Nodes=n1\n",
		"name lab\n"
		"nodes n1 2c -m 1b2s1c1t down 'a b'\n"
		"part p n1\n");
}

Test(slurm_conf, a_backslash_keeps_what_is_behind_it)
{
	read_conf("ClusterName=a\\#b\n" NODES, NULL);
	cr_expect_str_eq(setting("cluster", "", "ClusterName"), "a#b");
}

Test(slurm_conf, places_are_those_of_the_file)
{
	expect_error(
		"ClusterName=a \\\n  SlurmUser=b Nonsense\n", ":2:15: KEY=VALUE is due here, not 'Nonsense'");
	expect_error(NODES "\n\nPartitionName=p Nodes=n[1-5]\n",
		":4:23: Nodes names the node 'n5', which no NodeName does: did you mean 'n1'?");
}

/* ---- Nodes ------------------------------------------------------------------------------------------ */

Test(slurm_conf, defaults_go_for_the_lines_behind_them)
{
	expect_reported("NodeName=DEFAULT CPUs=8 RealMemory=1000\n"
			"NodeName=a1\n"
			"NodeName=DEFAULT RealMemory=2000\n"
			"NodeName=b1 CPUs=4\n",
		"nodes a1 8c 1000m 1b8s1c1t\n"
		"nodes b1 4c 2000m 1b4s1c1t\n");
}

/* Sockets of the cpus over cores and threads; one to a board where they do not come out even. */
Test(slurm_conf, processors)
{
	expect_reported("NodeName=a1 CPUs=16 CoresPerSocket=4 ThreadsPerCore=2\n"
			"NodeName=a2 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2\n"
			"NodeName=a3 Boards=2 SocketsPerBoard=2 CoresPerSocket=3\n"
			"NodeName=a4 CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2\n"
			"NodeName=a5 Procs=6\n"
			"NodeName=a6 CPUs=7 Sockets=2 CoresPerSocket=4\n"
			"NodeName=a7 CPUs=0\n",
		"nodes a1 16c -m 1b2s4c2t\n"
		"nodes a2 16c -m 1b2s4c2t\n"
		"nodes a3 12c -m 2b4s3c1t\n"
		"nodes a4 8c -m 1b2s4c1t\n" /* A cpu is a core. */
		"nodes a5 6c -m 1b6s1c1t\n"
		"nodes a6 8c -m 1b2s4c1t\n" /* As Slurm: the product. */
		"nodes a7 1c -m 1b1s1c1t\n");
}

Test(slurm_conf, what_is_kept_of_a_node)
{
	expect_reported(
		"SelectTypeParameters=CR_Core_Memory\n"
		"NodeName=a1 CPUs=8 CoreSpecCount=2 RealMemory=4G MemSpecLimit=96 TmpDisk=500 Weight=7\n"
		"NodeName=a2 CPUs=8 CPUSpecList=0-2 RealMemory=100 MemSpecLimit=100\n"
		"NodeName=a3 CPUs=2 CoreSpecCount=2\n",
		"nodes a1 8c 4000m 1b8s1c1t kept 2c96m tmp 500 weight 7\n"
		"nodes a2 8c 100m 1b8s1c1t kept 3c0m\n" /* All of it cannot be kept. */
		"nodes a3 2c -m 1b2s1c1t kept 1c0m\n"); /* Slurm's own memory where none is said. */
}

/* By the values of the numbers in names; lines do not matter. */
Test(slurm_conf, order_of_nodes)
{
	expect_reported("NodeName=n[10,9,1],m2 CPUs=1\nNodeName=n2 CPUs=1\nNodeName=n[09-10]x CPUs=1\n",
		"nodes m2 1c -m 1b1s1c1t\n"
		"nodes n09x 1c -m 1b1s1c1t\n"
		"nodes n1 1c -m 1b1s1c1t\n"
		"nodes n2 1c -m 1b1s1c1t\n"
		"nodes n[9-10] 1c -m 1b1s1c1t\n"
		"nodes n10x 1c -m 1b1s1c1t\n");
}

Test(slurm_conf, order_by_leaf_switch)
{
	file_beside("topology.conf",
		"SwitchName=b Nodes=n[1,3]\nSwitchName=a Nodes=n[2,4]\nSwitchName=t Switches=a,b\n");
	expect_reported("TopologyPlugin=topology/tree\nTopologyParam=switchasnoderank\n" NODES,
		"whole cores tree mem\n"
		"nodes n[1,3,2,4] 4c -m 1b4s1c1t\n"
		"switch b n[1,3] -\nswitch a n[2,4] -\nswitch t - a,b\n");
}

Test(slurm_conf, features_and_states)
{
	expect_reported("NodeName=n[1-2] CPUs=1 Feature=a,b\n"
			"NodeName=n3 CPUs=1 State=DRAIN Reason=disk\n"
			"NodeName=n4 CPUs=1 State=CLOUD\n"
			"NodeName=n5 CPUs=1 State=FUTURE\n"
			"DownNodes=n2 Reason=x\n",
		"nodes n1 1c -m 1b1s1c1t [a,b]\n"
		"nodes n2 1c -m 1b1s1c1t [a,b] down 'x'\n"
		"nodes n3 1c -m 1b1s1c1t drain 'disk'\n"
		"nodes n4 1c -m 1b1s1c1t powered_down\n"
		"nodes n5 1c -m 1b1s1c1t future\n");
}

/* ---- Gres --------------------------------------------------------------------------------------------- */

/* The node line of the talk: shares spread over the GPUs, no_consume, sizes. */
Test(slurm_conf, gres_of_the_talk)
{
	expect_reported(
		"GresTypes=gpu,mps,bandwidth\n"
		"NodeName=tux[0-7] Gres=gpu:tesla:2,gpu:kepler:2,mps:400,bandwidth:lustre:no_consume:4G\n",
		"nodes tux[0-7] 1c -m 1b1s1c1t gpu:tesla:2 gpu:kepler:2 bandwidth:lustre:4294967296:no_consume "
		"mps:tesla:200 mps:kepler:200\n");
}

Test(slurm_conf, devices_similar_to_other_cores_are_entries_of_their_own)
{
	file_beside("gres.conf", "NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3\n"
				 "NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=4-7\n"
				 "Name=mps Count=200 File=/dev/nvidia0\n");
	expect_reported("NodeName=n[1-3] CPUs=8 Gres=gpu:a100:4,mps:200\nNodeName=n4 CPUs=8 Gres=gpu:1\n",
		"nodes n[1-2] 8c -m 1b8s1c1t gpu:a100:2@0f gpu:a100:2@f0 mps::200\n"
		"nodes n3 8c -m 1b8s1c1t gpu:a100:4 mps::200\n"
		"nodes n4 8c -m 1b8s1c1t gpu::1\n");
}

Test(slurm_conf, gres_conf_with_fewer_devices_is_reported)
{
	file_beside("gres.conf", "AutoDetect=off\nName=gpu File=/dev/nvidia0\nName=nic Count=1K\n");
	expect_reported("GresTypes=gpu\nNodeName=n1 Gres=gpu:2,nic:3\n", "nodes n1 1c -m 1b1s1c1t gpu::2\n");
	cr_expect(strstr(note("gres", "", "gpu"), "fewer"));
	cr_expect(strstr(note("gres", "", "nic"), "not in GresTypes"));
	cr_expect(strstr(note("gres", "", "AutoDetect"), "not known"));
}

/* ---- Partitions -----------------------------------------------------------------------------------------
 */

Test(slurm_conf, partitions_by_key)
{
	expect_reported(
		"SelectType=select/linear\nDefMemPerCPU=100\nMaxMemPerNode=5000\nDefCpuPerGPU=3\n" NODES
		"PartitionName=DEFAULT MaxTime=60 State=UP\n"
		"PartitionName=a Nodes=n[1-2],n4 Default=YES DefaultTime=30 MinNodes=1 MaxNodes=UNLIMITED LLN=yes\n"
		"PartitionName=b Nodes=ALL MaxTime=1-00:00:00 MaxNodes=2 DefMemPerNode=7 OverSubscribe=FORCE:3 "
		"PriorityTier=5 PriorityJobFactor=9 State=DRAIN Hidden=YES\n"
		"PartitionName=c Nodes=n1 MaxTime=INFINITE Shared=EXCLUSIVE Priority=4 MaxCPUsPerNode=2\n",
		"whole linear none\n"
		"nodes n[1-4] 4c -m 1b4s1c1t\n"
		"part a n[1-2,4] default max 3600 time 1800 min 1 mem 0/100 memmax 5000/0 cpg 3 lln\n"
		"part b ALL max 86400 nodes 2 tier 5 factor 9 mem 7/0 memmax 5000/0 cpg 3 force:3 drain hidden\n"
		"part c n1 tier 4 factor 4 cpn 2 mem 0/100 memmax 5000/0 cpg 3 exclusive\n");
	cr_expect_str_eq(setting("partition", "a", "MaxTime"), "60"); /* Inherited, for policies. */
	cr_expect_str_eq(setting("partition", "b", "MaxTime"), "1-00:00:00");
}

/* Minutes, or with colons; days-hours; seconds that are over make a minute more. */
Test(slurm_conf, times_of_partitions)
{
	expect_reported(NODES "PartitionName=a Nodes=n1 MaxTime=2-0 DefaultTime=90\n"
			      "PartitionName=b Nodes=n1 MaxTime=1-12 DefaultTime=90:30\n"
			      "PartitionName=c Nodes=n1 MaxTime=1-1:30 DefaultTime=1:30:00\n",
		"nodes n[1-4] 4c -m 1b4s1c1t\n"
		"part a n1 max 172800 time 5400\n"
		"part b n1 max 129600 time 5460\n"
		"part c n1 max 91800 time 5400\n");
	expect_error(NODES "PartitionName=a Nodes=n1 MaxTime=-1-0\n",
		":2:34: 'MaxTime' must be minutes, days-hours, [days-]hours:minutes:seconds or UNLIMITED, not "
		"'-1-0'");
}

Test(slurm_conf, sets_of_nodes)
{
	expect_reported("NodeName=n[1-2] CPUs=1 Features=fast\nNodeName=n[3-4] CPUs=1\n"
			"NodeSet=quick Feature=fast\nNodeSet=slow Nodes=n[3-4]\n"
			"PartitionName=p Nodes=quick,n4\nPartitionName=q Nodes=slow\n",
		"nodes n[1-2] 1c -m 1b1s1c1t [fast]\nnodes n[3-4] 1c -m 1b1s1c1t\n"
		"part p n[1-2,4]\npart q n[3-4]\n");
}

Test(slurm_conf, licenses)
{
	expect_reported("Licenses=matlab:20,fluent*3,x\n" NODES,
		"nodes n[1-4] 4c -m 1b4s1c1t\nlicense matlab 20\nlicense fluent 3\nlicense x 1\n");
}

/* ---- Topology
 * ----------------------------------------------------------------------------------------------- */

Test(slurm_conf, blocks)
{
	file_beside(
		"topology.conf", "BlockName=b2 Nodes=n[3-4]\nBlockName=b1 Nodes=n[1-2]\nBlockSizes=2,4\n");
	expect_reported("TopologyPlugin=topology/block\nSelectTypeParameters=CR_Core\n" NODES,
		"whole cores block\nnodes n[3-4,1-2] 4c -m 1b4s1c1t\nswitch b2 n[3-4] -\nswitch b1 n[1-2] -\n");
	cr_expect_str_eq(setting("switch", "2,4", "BlockSizes"), "2,4");
}

Test(slurm_conf, a_topology_that_nothing_reads_is_reported)
{
	file_beside("topology.conf", "SwitchName=a Nodes=n[1-4]\n");
	expect_reported(NODES, "nodes n[1-4] 4c -m 1b4s1c1t\n");
	cr_expect_eq(coverage("switch", "a", "Nodes"), SL_IGNORED);
}

Test(slurm_conf, switches_that_cannot_be)
{
	static const char conf[] = "TopologyPlugin=topology/tree\n" NODES;
	file_beside("topology.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n");
	expect_error(
		conf, "/topology.conf:1:12: the switch 'a' hangs on itself, or more than 64 levels deep");
	file_beside("topology.conf", "SwitchName=a Nodes=n1\nSwitchName=b Switches=aa\n");
	expect_error(conf, "/topology.conf:2:23: there is no switch 'aa': did you mean 'a'?");
	file_beside("topology.conf", "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n");
	expect_error(conf, "/topology.conf:2:12: two switches are called 'a'");
	file_beside("topology.conf", "SwitchName=a\n");
	expect_error(conf, "/topology.conf:1:12: nothing hangs on 'a': give Nodes or Switches");
}

/* ---- Coverage
 * ------------------------------------------------------------------------------------------------ */

Test(slurm_conf, every_key_is_reported_with_its_coverage)
{
	read_conf(
		"SelectType=select/cons_tres\nPriorityWeightAge=5\nSlurmctldPort=6817\nSlurmctldProt=1\n" NODES,
		NULL);
	cr_expect_eq(coverage("cluster", "", "SelectType"), SL_MODELLED);
	cr_expect_eq(coverage("cluster", "", "PriorityWeightAge"), SL_MODELLED);
	cr_expect_str_eq(note("cluster", "", "PriorityWeightAge"), "slurm, hybrid"); /* Who follows it. */
	cr_expect_eq(coverage("cluster", "", "SlurmctldPort"), SL_IGNORED);
	cr_expect_str_eq(note("cluster", "", "SlurmctldPort"), "does not move a start");
	cr_expect_eq(coverage("cluster", "", "SlurmctldProt"), SL_UNKNOWN_KEY);
	cr_expect_str_eq(note("cluster", "", "SlurmctldProt"), "did you mean 'SlurmctldPort'?");
	cr_expect_eq(coverage("node", "n[1-4]", "CPUs"), SL_MODELLED);
}

Test(slurm_conf, files_beside_it)
{
	file_beside("cgroup.conf", "x");
	file_beside("sub.conf", "ClusterName=lab\nInclude nodes-%c.conf\n");
	file_beside("nodes-lab.conf", NODES);
	expect_reported("Include sub.conf\n", "name lab\nnodes n[1-4] 4c -m 1b4s1c1t\n");
	cr_expect_eq(coverage("file", "", "cgroup.conf"), SL_IGNORED);
	cr_expect_eq(files_reported(), 2, "the included, not the one that was given: %zu", files_reported());
}

/* ---- What Slurm takes, with a warning or without -------------------------------------------------- */

/* Of a setting that is only warned of: its value, and behind the colon what is done. */
static void expect_warned(const char *kind, const char *name, const char *key, const char *what)
{
	static const char warned[] = "only warned of by Slurm: ";
	const char *text = note(kind, name, key);
	cr_expect_eq(coverage(kind, name, key), SL_UNKNOWN_KEY, "%s", key);
	cr_expect(strncmp(text, warned, strlen(warned)) == 0 && strstr(text, what), "%s: %s", key, text);
}

/* gres.c: each node looks for its own lines alone. */
Test(slurm_conf, gres_conf_of_nodes_that_there_are_not)
{
	file_beside("gres.conf", "NodeName=x[1-2],n2 Name=gpu File=/dev/nvidia[0-1] Cores=0-1\n"
				 "NodeName=y9 Name=gpu File=/dev/nvidia0\n");
	expect_reported("GresTypes=gpu\nNodeName=n[1-2] CPUs=4 Gres=gpu:2\n",
		"nodes n1 4c -m 1b4s1c1t gpu::2\nnodes n2 4c -m 1b4s1c1t gpu::2@03\n");
	expect_warned("gres", "x[1-2],n2", "NodeName", "no NodeName has it");
	cr_expect_str_eq(setting("gres", "x[1-2],n2", "NodeName"), "x[1-2]");
	expect_warned("gres", "y9", "NodeName", "passed over");
}

/* bitfmt2int: brackets are passed over, steps are known; a core beyond the node's makes the list none. */
Test(slurm_conf, cores_of_devices)
{
	static const struct {
		const char *cores, *want;
	} row[] = {
		{ "[0-3]", "@0f" },
		{ "0-6:2", "@55" },
		{ "1,[4-5]", "@32" },
		{ "0-7", "" },
		{ "0-8", "" },
		{ "0-3,2000", "" },
		{ "3-1", "" },
		{ "all", "" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		char gres[100];
		char want[100];
		(void)snprintf(gres, sizeof(gres), "Name=gpu File=/dev/nvidia0 Cores=%s\n", row[i].cores);
		(void)snprintf(want, sizeof(want), "nodes n1 8c -m 1b8s1c1t gpu::1%s\n", row[i].want);
		file_beside("gres.conf", gres);
		expect_reported("GresTypes=gpu\nNodeName=n1 CPUs=8 Gres=gpu:1\n", want);
		if (i >= 4)
			expect_warned("gres", "n1", "Cores", "all are as near");
		else
			cr_expect_eq(coverage("gres", "n1", "Cores"), -1);
	}
}

Test(slurm_conf, empty_files_say_nothing)
{
	file_beside("gres.conf", "");
	file_beside("topology.conf", "");
	file_beside("none.conf", "");
	expect_reported("TopologyPlugin=topology/tree\nInclude none.conf\n" NODES,
		"whole cores tree mem\nnodes n[1-4] 4c -m 1b4s1c1t\n");
}

/* switch_record.c: hosts that there are not are passed over, whole switches of them too. */
Test(slurm_conf, hosts_of_switches_that_there_are_not)
{
	file_beside("topology.conf",
		"SwitchName=a Nodes=n[1-2],x[1-3]\nSwitchName=b Nodes=y1\nSwitchName=t Switches=a,b\n");
	expect_reported("TopologyPlugin=topology/tree\n" NODES,
		"whole cores tree mem\nnodes n[1-4] 4c -m 1b4s1c1t\n"
		"switch a n[1-2] -\nswitch b  -\nswitch t - a,b\n");
	expect_warned("switch", "a", "Nodes", "no NodeName has it");
	cr_expect_str_eq(setting("switch", "a", "Nodes"), "x[1-3]");
	expect_warned("switch", "b", "Nodes", "no NodeName has it");
}

Test(slurm_conf, a_switch_with_two_parents)
{
	file_beside("topology.conf",
		"SwitchName=a Nodes=n[1-4]\nSwitchName=t Switches=a\nSwitchName=u Switches=a\n");
	expect_reported("TopologyPlugin=topology/tree\n" NODES,
		"whole cores tree mem\nnodes n[1-4] 4c -m 1b4s1c1t\n"
		"switch a n[1-4] -\nswitch t - a\nswitch u - a\n");
	cr_expect(strstr(note("switch", "u", "Switches"), "hangs on several"));
}

/* read_config.c: _handle_downnodes_line. */
Test(slurm_conf, down_nodes_that_there_are_not)
{
	expect_reported(NODES "DownNodes=n2,q[1-2] Reason=x\nDownNodes=n3 State=BROKEN\n",
		"nodes n1 4c -m 1b4s1c1t\nnodes n2 4c -m 1b4s1c1t down 'x'\nnodes n[3-4] 4c -m 1b4s1c1t\n");
	expect_warned("down", "n2,q[1-2]", "DownNodes", "no NodeName has it");
	expect_warned("down", "n3", "State", "the line is passed over");
}

/* _get_gres_cnt: a last word that begins with a digit must be a count. */
Test(slurm_conf, words_of_gres)
{
	static const char *const row[][2] = {
		{ "gpu:a:b:2", " gpu:a:2" },
		{ "gpu:", " gpu::1" },
		{ "gpu:a", " gpu:a:1" },
		{ "gpu:4KiB", " gpu::4096" },
		{ "gpu:4kb", " gpu::4000" },
		{ "gpu:1080ti:2", " gpu:1080ti:2" },
		{ "gpu:1080ti", "" },
		{ ":3", "" },
	};
	for (size_t i = 0; i < SL_LEN(row); i++) {
		char text[100];
		char want[100];
		(void)snprintf(text, sizeof(text), "NodeName=n1 Gres=%s\n", row[i][0]);
		(void)snprintf(want, sizeof(want), "nodes n1 1c -m 1b1s1c1t%s\n", row[i][1]);
		expect_reported(text, want);
		if (i >= 6)
			expect_warned("node", "n1", "Gres", "no Gres: passed over");
	}
}

/* Quotes around all of a value go; others are letters of it. */
Test(slurm_conf, quotes_and_operators)
{
	read_conf(
		"AuthInfo=\"cred_expire=9\",\"b\"\nSrunPortRange=\"60-70\nTaskPluginParam=\"\"\nKillWait+=7\n" NODES,
		NULL);
	cr_expect_str_eq(setting("cluster", "", "AuthInfo"), "\"cred_expire=9\",\"b\"");
	cr_expect_str_eq(setting("cluster", "", "SrunPortRange"), "\"60-70");
	cr_expect_str_eq(setting("cluster", "", "TaskPluginParam"), "");
	cr_expect_str_eq(note("cluster", "", "TaskPluginParam"), "empty: it says nothing");
	cr_expect_str_eq(setting("cluster", "", "KillWait"), "7");
	expect_reported("NodeName=n1 CPUs=4 Reason=\"x State=DOWN Gres=\"\" Weight=\"\"\n",
		"nodes n1 4c -m 1b4s1c1t down '\"x'\n");
}

/* s_p_handle_uint32: by C's bases, and K is 1024. */
Test(slurm_conf, numbers_as_slurm_reads_them)
{
	expect_reported(
		"NodeName=n1 CPUs=0x10 Weight=2k\nNodeName=n2 CPUs=010\nPartitionName=p Nodes=n1 MaxTime=2-\n",
		"nodes n1 16c -m 1b16s1c1t weight 2048\nnodes n2 8c -m 1b8s1c1t\npart p n1 max 172800\n");
}

/* Bad numbers behind OverSubscribe are NO. */
Test(slurm_conf, oversubscribe_of_nothing)
{
	expect_reported(NODES "PartitionName=p Nodes=n1 OverSubscribe=FORCE:0\n",
		"nodes n[1-4] 4c -m 1b4s1c1t\npart p n1\n");
	expect_warned("partition", "p", "OverSubscribe", "taken as NO");
}

Test(slurm_conf, sets_of_all_nodes_and_licences)
{
	expect_reported("NodeSet=every Nodes=ALL\n" NODES "PartitionName=p Nodes=every\nLicenses=a=3,b:2,c\n",
		"nodes n[1-4] 4c -m 1b4s1c1t\npart p n[1-4]\nlicense a 3\nlicense b 2\nlicense c 1\n");
}

/* /etc/slurm/x and its like: where slurm.conf lies, with as many of its folders as are there; first below
 * root=DIR. %c is the cluster's name in small letters. */
Test(slurm_conf, includes_from_the_root)
{
	file_beside("a-lab.conf", NODES);
	expect_reported(
		"ClusterName=LAB\nInclude /etc/slurm/a-%c.conf\n", "name LAB\nnodes n[1-4] 4c -m 1b4s1c1t\n");
	char root[300];
	(void)snprintf(root, sizeof(root), "root=%s", file_beside("root-a-lab.conf", "NodeName=m1 CPUs=2\n"));
	*strrchr(root, '/') = '\0';
	expect_reported_set("Include /root-a-lab.conf\n", (const char *const[]){ root, NULL },
		"nodes m1 2c -m 1b2s1c1t\n");
	expect_error("Include /etc/none.conf\n",
		":1:1: cannot open the included '/etc/none.conf': copy it beside slurm.conf, give --root DIR with it, "
		"or take the line out");
	expect_error("Include /etc/*.conf\n",
		":1:1: Include takes no patterns, as '/etc/*.conf': name each file, as Slurm wants it");
}

/* ---- Hostile input
 * --------------------------------------------------------------------------------------------- */

/* Words that Slurm has, and that are not followed. */
Test(slurm_conf, words_that_nothing_follows_are_told)
{
	cr_assert_eq(
		read_conf("NodeName=a CPUs=1\nSelectTypeParameters=CR_Core_Memory,MULTIPLE_SHARING_GRES_PJ\n"
			  "PreemptParameters=youngest_first,suspend_grace_time=5\n"
			  "PartitionName=p Nodes=a PowerDownOnIdle=YES\n",
			NULL),
		0, "%s", said());
	cr_expect_eq(coverage("cluster", "", "SelectTypeParameters.MULTIPLE_SHARING_GRES_PJ"), SL_IGNORED);
	cr_expect_eq(coverage("cluster", "", "PreemptParameters.suspend_grace_time"), SL_IGNORED);
	cr_expect_eq(coverage("partition", "p", "PowerDownOnIdle"), SL_IGNORED);
}

Test(slurm_conf, includes_that_do_not_end)
{
	file_beside("a.conf", "Include b.conf\n");
	file_beside("b.conf", "Include a.conf\n");
	expect_error_ends("Include a.conf\n", "/b.conf:1:1: a file includes itself: ", "/a.conf");
	file_beside("c.conf", "Include ./c.conf\n");
	expect_error_ends("Include c.conf\n", "./c.conf:1:1: a file includes itself: @ -> ", "/./c.conf");
	for (int i = 0; i < 20; i++) {
		char name[20];
		char text[30];
		(void)snprintf(name, sizeof(name), "d%d.conf", i);
		(void)snprintf(text, sizeof(text), "Include d%d.conf\n", i + 1);
		file_beside(name, text);
	}
	expect_error_ends("Include d0.conf\n", "files include one another more than 16 deep: @ -> ", "");
	expect_error_ends("Include none.conf\n", ":1:1: cannot open the included '", "take the line out");
}

Test(slurm_conf, what_cannot_be_is_one_clear_error)
{
	static const char *const bad[][2] = {
		{ "ClusterName=\n" NODES, ":1:12: 'ClusterName' has no value: give one, or leave it out" },
		{ "ClusterName=\"a b\n" NODES,
			":1:13: the quotes of 'ClusterName' do not stand around all of its value: close them, or take them out" },
		{ "NodeName=\"\"\n",
			":1:10: 'NodeName' has no value: it is the name of what the line is about" },
		{ "ClusterName=a\x01\n" NODES, ":1:14: byte 0x01: this is no text" },
		{ "NodeName=n[1-999999999]\n",
			":1:10: list of hosts 'n[1-999999999]': it has more than 10 000 000 names" },
		{ "NodeName=n[1-6000000] CPUs=1\nNodeName=m[1-6000000] CPUs=1\n",
			":2:10: more than 10000000 nodes in all" },
		{ "NodeName=n[1-3] CPUs=1\nNodeName=n[3-4] CPUs=1\n",
			":2:10: there is a node 'n3' already (@:1)" },
		{ "NodeName=n1 CPUs=70000\n",
			":1:18: 'CPUs' must be a whole number from 0 to 65535, not '70000'" },
		{ "NodeName=n1 CPUs=2000\n", ":1:10: a node of 2000 cores: at most 1024 are known" },
		{ "NodeName=n1 RealMemory=lots\n",
			":1:24: 'RealMemory' must be MiB, or a size such as 4G, not 'lots'" },
		{ "NodeName=n1 State=GONE\n", ":1:19: 'GONE' is no state of a node" },
		{ "NodeName=ALL\n", ":1:10: 'ALL' cannot be a node's name: it means all of them" },
		{ NODES "PartitionName=p Nodes=n1\nPartitionName=p\n",
			":3:15: there is a partition 'p' already (@:2)" },
		{ NODES "PartitionName=p MaxTime=soon\n",
			":2:25: 'MaxTime' must be minutes, days-hours, [days-]hours:minutes:seconds or UNLIMITED, not 'soon'" },
		{ NODES "PartitionName=p State=OPEN\n",
			":2:23: 'State' must be one of UP, DOWN, DRAIN, INACTIVE, not 'OPEN'" },
		{ NODES "PartitionName=p Default=maybe\n",
			":2:25: 'Default' must be YES or NO, not 'maybe'" },
		{ NODES "Licenses=a:b\n", ":2:10: 'a:b' is no licence: name[:count], as in matlab:20" },
		{ "ClusterName=a\n", ": names no node: a cluster has lines 'NodeName=...'" },
	};
	for (size_t i = 0; i < SL_LEN(bad); i++)
		expect_error(bad[i][0], bad[i][1]);
}

Test(slurm_conf, lines_are_bounded)
{
	static char text[70000];
	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "ClusterName=", 12);
	expect_error(text, ":1:1: a line with what continues it is longer than 64 KiB: part it");
}
