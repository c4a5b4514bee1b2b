/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_topo.c - which domains of a topology a set of pods may go to, and in what order: a clause each, by
 * hand (KAI: plugins/topology). Nodes have 8 GPUs:
 *
 *   zone z1: rack r1: a1 a2, rack r2: b1 b2; zone z2: rack r3: c1 c2; x is in zone z2, but in no rack.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kai_small.h"

enum { ZONE, RACK, HOST };

static struct kai_small w;
static struct sl_label labels[8][3];
static const char *const place[][3] = { { "a1", "z1", "r1" }, { "a2", "z1", "r1" }, { "b1", "z1", "r2" },
	{ "b2", "z1", "r2" }, { "c1", "z2", "r3" }, { "c2", "z2", "r3" }, { "x", "z2", NULL } };

static void end(void) { kai_small_close(&w); }

TestSuite(kai_topo, .fini = end);

/* To be changed. */
static struct kai_node *node_of(const char *name)
{
	const uint32_t row = kai_find_node(w.kai, name);
	kai_node_changed(w.kai, row);
	return &w.kai->node[row];
}

/* What of the node is free: whole GPUs. */
static void idle(const char *name, int64_t gpus) { node_of(name)->idle.gpus = gpus; }

static void label(struct kai_node *node, size_t row)
{
	labels[row][0] = (struct sl_label){ "host", place[row][0] };
	labels[row][1] = (struct sl_label){ "rack", place[row][2] ? place[row][2] : "" };
	labels[row][2] = (struct sl_label){ "zone", place[row][1] };
	node->labels = (struct sl_labels){ &labels[row][0], 3 };
	if (!place[row][2]) { /* It has no rack, nor a host's name. */
		labels[row][0] = labels[row][2];
		node->labels.count = 1;
	}
}

static void racks(void)
{
	enum { GPUS = 8, PODS = 110 };
	w = kai_small_open();
	const uint32_t net = kai_topology(w.kai, "net");
	struct kai_topology *topology = &w.kai->topology[net];
	topology->level[ZONE] = "zone";
	topology->level[RACK] = "rack";
	topology->level[HOST] = "host";
	topology->level_count = 3;
	(void)kai_mig_profile(w.kai, "1g.5gb");
	for (size_t i = 0; i < SL_LEN(place); i++) {
		const uint32_t row = kai_small_node(&w, place[i][0], GPUS);
		label(&w.kai->node[row], i);
	}
	kai_small_seal(&w);
	for (uint32_t i = 0; i < w.kai->node_count; i++) {
		struct kai_node *node = &w.kai->node[i];
		node->idle = (struct kai_free){
			.cpu = node->cpu, .mem = node->mem, .pods = PODS, .gpus = node->gpus
		};
	}
}

/* A job of tasks that request so many GPUs each; its root is constrained. */
static uint32_t job_of(uint32_t tasks, int64_t gpus, uint32_t required, uint32_t preferred)
{
	const uint32_t row = kai_small_job(&w, "job", "default", 50, tasks, gpus, 10);
	struct kai_group *root = &w.kai->job[row].group[0];
	root->topology = 0;
	root->required = required;
	root->preferred = preferred;
	return row;
}

/* Domains in order, "a1 a2 | b1 b2"; "-": none. Among: nodes by name, apart by spaces; NULL: all. */
static const char *domains_of(uint32_t row, uint32_t group, const char *among, struct kai_domains *domains)
{
	static char text[512];
	static uint64_t offered[1];
	const struct kai_job *job = &w.kai->job[row];
	uint32_t task[128];
	for (uint32_t i = 0; i < job->task_count; i++)
		task[i] = job->task + i;
	offered[0] = 0;
	for (uint32_t i = 0; i < w.kai->node_count; i++)
		if (among && strstr(among, w.kai->node[i].name))
			offered[0] |= UINT64_C(1) << i;
	const struct kai_set set = { row, group, task, job->task_count, among ? offered : NULL, false };
	if (!kai_topo_domains(w.kai, &set, domains))
		return "-";
	size_t len = 0;
	for (uint32_t i = 0; i < domains->count; i++) {
		kai_nodes nodes = kai_topo_nodes(w.kai, domains, i);
		len += (size_t)snprintf(text + len, sizeof(text) - len, i ? " |" : "");
		for (uint32_t n = 0; n < w.kai->node_count; n++)
			if (!nodes || nodes[0] >> n & 1)
				len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
					len ? " " : "", w.kai->node[n].name);
	}
	return text;
}

/* NOLINTNEXTLINE(readability-function-size): the macro nests. */
static void expect_among(uint32_t job, const char *among, const char *want, const char *clause)
{
	struct kai_domains domains;
	const char *got = domains_of(job, 0, among, &domains);
	const bool same = strcmp(got, want) == 0;
	cr_expect(same, "%s: %s, expected %s", clause, got, want);
	kai_domains_free(w.kai, &domains);
}

static void expect(uint32_t job, const char *want, const char *clause)
{
	expect_among(job, NULL, want, clause);
}

Test(kai_topo, required_goes_to_one_domain)
{
	racks();
	expect(job_of(2, 8, RACK, KAI_NO), "c1 c2 | a1 a2 | b1 b2",
		"z2 is fuller than z1 for it; the racks of z1 are equal: the smaller id");
	expect(job_of(3, 8, RACK, KAI_NO), "-", "no rack holds 24 GPUs");
	expect(job_of(3, 8, ZONE, KAI_NO), "a1 a2 b1 b2", "z1 does; x is not in the topology");
	idle("b1", 4);
	expect(job_of(1, 4, RACK, KAI_NO), "c1 c2 | b1 b2 | a1 a2", "r2 is fuller than r1");
	idle("c1", 4);
	idle("c2", 4);
	idle("a1", 0);
	idle("a2", 6);
	idle("b1", 1);
	idle("b2", 0);
	expect(job_of(1, 1, RACK, KAI_NO), "b1 b2 | a1 a2 | c1 c2", "z1 has 7 free, z2 8: its racks first");
}

Test(kai_topo, preferred_goes_up_to_required)
{
	racks();
	expect(job_of(2, 8, ZONE, RACK), "c1 c2 | a1 a2 | b1 b2 | c1 c2 | a1 a2 b1 b2", "racks, then zones");
	expect(job_of(4, 8, ZONE, RACK), "a1 a2 b1 b2", "no rack holds 32, and z1 alone does");
	expect(job_of(5, 8, ZONE, RACK), "-", "nor a zone 40");
	expect(job_of(5, 8, KAI_NO, RACK), "a1 a2 b1 b2 c1 c2",
		"preferred alone goes up to the root, all nodes of the topology");
	expect(job_of(7, 8, KAI_NO, RACK), "-", "the root holds 48; x does not count");
	expect(job_of(2, 8, RACK, RACK), "c1 c2 | a1 a2 | b1 b2", "both the same level");
	expect(job_of(1, 8, HOST, HOST), "c1 | c2 | a1 | a2 | b1 | b2",
		"of every zone the fuller rack, of every rack the fuller host");
}

Test(kai_topo, levels_that_are_none)
{
	racks();
	expect(job_of(1, 1, ZONE + 3, KAI_NO), "-", "required: no such level");
	expect(job_of(1, 1, KAI_NO, ZONE + 3), "-", "preferred: no such level");
	expect(job_of(1, 1, RACK, ZONE), "-", "preferred is coarser than required");
	expect(job_of(1, 1, KAI_NO, KAI_NO), "-", "a topology, and neither");
	const uint32_t job = job_of(1, 1, RACK, KAI_NO);
	w.kai->job[job].group[0].topology = 1;
	expect(job, "-", "no such topology");
}

Test(kai_topo, pods_that_are_alike_are_counted)
{
	racks();
	idle("a2", 2);
	const uint32_t two = job_of(2, 5, RACK, KAI_NO);
	expect(two, "c1 c2 | b1 b2", "r1 has 10 GPUs free, and room for one pod of 5");
	const struct kai_request plain = { .cpu = 1000, .mem = 1000, .kind = KAI_NO_GPU };
	const uint32_t mixed = job_of(3, 5, RACK, KAI_NO);
	w.kai->task[w.kai->job[mixed].task + 2].request = kai_request(w.kai, &plain);
	expect(mixed, "c1 c2 | a1 a2 | b1 b2", "one asks no GPU: sums are compared, and 10 are free");
	idle("a2", 1);
	expect(mixed, "c1 c2 | b1 b2", "9 are not");
}

Test(kai_topo, free_is_idle_and_releasing)
{
	racks();
	idle("a1", 3);
	node_of("a1")->releasing.gpus = 5;
	expect(job_of(2, 8, RACK, KAI_NO), "c1 c2 | a1 a2 | b1 b2", "5 more are to come on a1");
	node_of("a1")->idle.cpu = 500;
	expect(job_of(2, 8, RACK, KAI_NO), "c1 c2 | b1 b2", "half a cpu, where one is asked");
	node_of("b1")->idle.mem = 0;
	expect(job_of(2, 8, RACK, KAI_NO), "c1 c2", "no memory");
	node_of("c1")->idle.pods = 0;
	expect(job_of(2, 8, RACK, KAI_NO), "-", "no slot for a pod");
	node_of("c1")->idle.pods = 1;
	node_of("c2")->ready = false;
	expect(job_of(2, 8, RACK, KAI_NO), "-", "c2 is not ready");
}

Test(kai_topo, shares_of_devices)
{
	racks();
	for (uint32_t i = 0; i < w.kai->node_count; i++)
		w.kai->node[i].idle.gpus = 0;
	idle("a1", 1);
	const uint32_t job = job_of(3, 0, RACK, KAI_NO);
	kai_small_fraction(&w, job, 40, 1);
	expect(job, "-", "two shares of 40 % on the idle device, the third on none");
	struct kai_shared shared = { .allocated = 90, .releasing = 30, .members = 2 };
	struct kai_node *node = node_of("a2");
	struct kai_shared *had = node->shared;
	const uint32_t count = node->shared_count;
	node->shared = &shared;
	node->shared_count = 1;
	node_of("a2")->idle.gpus = 0;
	expect(job, "a1 a2", "40 % of the shared one is free or to be");
	shared.releasing = 29;
	(void)node_of("a2");
	expect(job, "-", "39 %");
	shared.releasing = 30;
	shared.members = 0;
	(void)node_of("a2");
	expect(job, "-", "nobody is on it: it is not a shared device");
	node->shared = had;
	node->shared_count = count;
	kai_small_memory(&w, job, 50, 1);
	expect(job, "c1 c2 | a1 a2 | b1 b2", "a share by memory counts as no GPU: cpu and memory alone");
}

Test(kai_topo, profiles_of_mig)
{
	racks();
	static int64_t free[2] = { 3, 1 }, none[2];
	const struct kai_profiles asked = { .profile = 0, .count = 2 };
	const struct kai_request request = {
		.cpu = 1, .mem = 1, .kind = KAI_MIG_PROFILES, .profile = &asked, .profile_count = 1
	};
	struct kai_node *node = node_of("b2");
	int64_t *had[2] = { node->mig_idle, node->mig_releasing };
	node->mig_idle = &free[0];
	node->mig_releasing = &free[1];
	const uint32_t job = job_of(2, 0, RACK, KAI_NO);
	for (uint32_t i = 0; i < 2; i++)
		w.kai->task[w.kai->job[job].task + i].request = kai_request(w.kai, &request);
	expect(job, "b1 b2", "b2 has 3 instances, and one that is to come");
	node->mig_releasing = &none[0];
	(void)node_of("b2");
	expect(job, "-", "3 are not 4");
	node->mig_idle = had[0];
	node->mig_releasing = had[1];
}

/* Its first task is there. */
static void put_first(uint32_t job, const char *node, enum kai_state state)
{
	struct kai_task *task = &w.kai->task[w.kai->job[job].task];
	task->state = state;
	task->node = kai_find_node(w.kai, node);
}

Test(kai_topo, pods_that_run_keep_the_set)
{
	racks();
	const uint32_t job = job_of(2, 1, ZONE, RACK);
	put_first(job, "b1", KAI_RUNNING);
	expect(job, "a1 a2 | b1 b2 | a1 a2 b1 b2", "all of z1, not of its rack alone; z2 is out");
	put_first(job, "b1", KAI_PIPELINED);
	expect(job, "a1 a2 | b1 b2 | a1 a2 b1 b2", "also one that is to start there");
	put_first(job, "b1", KAI_RELEASING);
	expect(job, "c1 c2 | a1 a2 | b1 b2 | c1 c2 | a1 a2 b1 b2", "one on its way out holds nothing");
	put_first(job, "x", KAI_RUNNING);
	expect(job, "-", "where the topology is not, nothing can join it");
	const uint32_t free = job_of(2, 1, KAI_NO, ZONE);
	put_first(free, "b1", KAI_RUNNING);
	expect(free, "c1 c2 | a1 a2 b1 b2 | a1 a2 b1 b2 c1 c2", "preferred alone holds nothing");
}

Test(kai_topo, sets_within_sets)
{
	racks();
	const uint32_t job = kai_job(w.kai, "tree", 2, 3);
	struct kai_group *group = w.kai->job[job].group;
	const uint32_t like = kai_small_job(&w, "like", "default", 50, 1, 1, 10);
	for (uint32_t i = 0; i < 2; i++) {
		group[i + 1].leaf = true;
		group[i + 1].parent = 0;
		group[i + 1].min = 1;
		group[i + 1].topology = 0;
		group[i + 1].required = RACK;
		w.kai->task[w.kai->job[job].task + i].group = i + 1;
		w.kai->task[w.kai->job[job].task + i].request = w.kai->task[w.kai->job[like].task].request;
	}
	put_first(job, "a1", KAI_RUNNING);
	struct kai_domains domains;
	cr_expect_str_eq(domains_of(job, 1, NULL, &domains), "a1 a2", "the first set is held by its pod");
	kai_domains_free(w.kai, &domains);
	cr_expect_str_eq(domains_of(job, 2, NULL, &domains), "c1 c2 | a1 a2 | b1 b2", "the other is not");
	kai_domains_free(w.kai, &domains);
	cr_expect_str_eq(domains_of(job, 0, "a1 c2", &domains), "a1 c2", "the root asks nothing: as offered");
	kai_domains_free(w.kai, &domains);
}

Test(kai_topo, nodes_that_are_not_offered)
{
	racks();
	const uint32_t job = job_of(2, 8, RACK, KAI_NO);
	expect_among(job, "a1 b2 x", "a1 | b2", "r1 and r2 hold it by their sums, and lend what is offered");
	expect_among(job, "x", "-", "no node of the topology is offered");
	expect_among(job_of(2, 8, ZONE, RACK), "c1", "c1", "within the one rack: c1; z2 is not looked at");
	expect_among(job_of(2, 8, ZONE, KAI_NO), "c1 c2", "-",
		"r3 has all that is offered, which is below what is required: KAI finds no domain");
	expect_among(job_of(2, 8, ZONE, KAI_NO), "a1 b1", "a1 b1", "two racks: their zone");
}

Test(kai_topo, preferred_is_a_score)
{
	racks();
	idle("c1", 4);
	struct kai_domains domains;
	(void)domains_of(job_of(1, 4, KAI_NO, RACK), 0, NULL, &domains);
	static const double want[] = { 6, 6, 10, 10, 3, 3, 0 };
	for (uint32_t i = 0; i < SL_LEN(want); i++)
		cr_expect_float_eq(domains.node_score[i], want[i], 0,
			"%s: a third, two and three thirds of 10, rounded down; the fullest rack least",
			w.kai->node[i].name);
	kai_domains_free(w.kai, &domains);
	(void)domains_of(job_of(1, 4, KAI_NO, RACK), 0, "b1 b2", &domains);
	cr_expect_float_eq(domains.node_score[2], 10, 0, "the one rack that is looked at");
	cr_expect_float_eq(domains.node_score[0], 0, 0, "others have none");
	kai_domains_free(w.kai, &domains);
	(void)domains_of(job_of(1, 4, RACK, KAI_NO), 0, NULL, &domains);
	cr_expect_null(domains.node_score, "what is required gives no score");
	kai_domains_free(w.kai, &domains);
}

Test(kai_topo, answers_nest)
{
	racks();
	struct kai_domains outer, inner;
	(void)domains_of(job_of(2, 8, ZONE, KAI_NO), 0, NULL, &outer);
	(void)domains_of(job_of(1, 8, RACK, KAI_NO), 0, "b1 b2", &inner);
	cr_expect_eq(kai_topo_nodes(w.kai, &inner, 0)[0], 4 | 8);
	kai_domains_free(w.kai, &inner);
	cr_expect_eq(kai_topo_nodes(w.kai, &outer, 0)[0], 16 | 32, "z2 is still there");
	kai_domains_free(w.kai, &outer);
}

Test(kai_topo, why_none)
{
	racks();
	const uint32_t job = job_of(3, 8, RACK, KAI_NO);
	expect(job, "-", "no rack holds it");
	const struct kai_job *row = &w.kai->job[job];
	cr_expect_eq(row->why, KAI_TOPOLOGY, "a rack is required");
	cr_expect_eq(row->why_a, 3, "pods asked");
	cr_expect_eq(row->why_b, 2, "that a rack holds");
	w.kai->job[job].why = KAI_WHY_NONE;
	const uint32_t task[] = { row->task, row->task + 1, row->task + 2 };
	struct kai_domains domains;
	cr_expect_not(kai_topo_domains(w.kai, &(struct kai_set){ job, 0, task, 3, NULL, true }, &domains));
	cr_expect_eq(row->why, KAI_WHY_NONE, "a simulation says nothing");
	const uint32_t more = job_of(7, 8, KAI_NO, RACK);
	expect(more, "-", "six nodes are in racks");
	cr_expect_eq(w.kai->job[more].why, KAI_POD_ERRORS, "a rack is only preferred: room lacks");
	cr_expect_eq(w.kai->job[more].why_a, 6, "so many find a place");
	cr_expect_eq(w.kai->job[more].why_c, 6, "the last has none");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_TOPOLOGY;
	expect(job, "a1 a2 b1 b2 c1 c2 x", "without the plugin there are no domains");
}
