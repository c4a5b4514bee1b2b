/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_parts.c - cpus and GPUs in parts: when they are counted in thousandths, what a share, memory or a MIG
 * profile comes to, on which devices it could lie, and what is dropped.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "sim/registry/registry.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/machine_world.h"
#include "tests/world/memfile.h"

/* Two nodes g1, g2 with two V100 of 16 GiB and a T4 of which no memory is known; m1 with a whole A100 of 40
 * GiB and two that are divided. 8 cpus each. */
static const struct sl_gres shared_gres[] = {
	{ .name = "gpu", .type = "v100", .count = 2, .mem = 16384 },
	{ .name = "gpu", .type = "t4", .count = 1 },
};
static const struct sl_gres divided_gres[] = {
	{ .name = "gpu", .type = "a100", .count = 1, .mem = 40960 },
	{ .name = "gpu", .type = "a100", .count = 2, .mig = "a100-40gb" },
};
static const struct sl_hardware shared_box = {
	.sockets = 1, .cores = 8, .threads = 1, .gres = shared_gres, .gres_count = 2
};
static const struct sl_hardware divided_box = {
	.sockets = 1, .cores = 8, .threads = 1, .gres = divided_gres, .gres_count = 2
};

static int shared_nodes(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	return mw_nodes(sink, "g[1-2]", 8, 65536, &shared_box, err);
}

static int all_nodes(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const int status = shared_nodes(sink, err);
	return status ? status : mw_nodes(sink, "m1", 8, 65536, &divided_box, err);
}

static int small_pool(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	return sink->pool(sink->self, 4, &(struct sl_place){ "told.conf", 1, 1 }, err);
}

typedef int cluster_fn(const struct sl_cluster_sink *sink, struct sl_err *err);

/* One job of one group, or several jobs that differ in it. */
static struct sl_row rows[8];
static struct sl_row_attributes more[8];

static struct sl_row_group group_of(int64_t tasks, int64_t cpus, int64_t gpus, uint32_t parts)
{
	return (struct sl_row_group){ .tasks = tasks,
		.tasks_min = SL_NONE,
		.tasks_max = SL_NONE,
		.tasks_per_node = SL_NONE,
		.nodes_min = SL_NONE,
		.nodes_max = SL_NONE,
		.cpus = cpus,
		.mem = SL_NONE,
		.gpus = gpus,
		.parts = parts };
}

/* Its status is that of the load. */
static int load(struct machine_world *w, cluster_fn *cluster, const struct sl_row_group *group, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		more[i].group = &group[i];
		more[i].group_count = 1;
		rows[i] = mw_row((int64_t)i + 1, 0, &more[i], NULL);
	}
	*w = (struct machine_world){ .cluster = cluster, .row = rows, .row_count = count };
	return machine_world_load(w);
}

static const struct sl_task_resources *task_of(const struct machine_world *w, uint32_t job)
{
	const struct sl_jobs *jobs = &w->scenario.jobs;
	return &jobs->requests[jobs->request[job]].group[0].task;
}

/* The second job beside a plain one, so that something stays: why it does not; "": it does. */
static void expect_why(cluster_fn *cluster, const struct sl_row_group *group, const char *why)
{
	struct machine_world w;
	const struct sl_row_group both[] = { group_of(1, 1, 0, 0), *group };
	cr_assert_eq(load(&w, cluster, both, 2), SL_OK, "%s", w.err.text);
	cr_expect_str_eq(w.why[1], why, "tasks %" PRId64 " cpus %" PRId64 " gpus %" PRId64 ": '%s', not '%s'",
		group->tasks, group->cpus, group->gpus, w.why[1], why);
	machine_world_release(&w);
}

/* ---- In wholes or in thousandths -------------------------------------------------------------- */

/* Wholes only: nothing is in parts, whatever the rows count in. */
Test(parts, wholes_stay_wholes)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(2, 3, 1, 0), group_of(1, 2000, 1000, 1000),
		group_of(1, 1, SL_NONE, 1) };
	cr_assert_eq(load(&w, shared_nodes, group, 3), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->cpu_parts, 1);
	cr_expect_eq(c->gpu_parts, 1);
	cr_expect_eq(c->cpus, 16);
	cr_expect_eq(w.scenario.cpus, 16);
	cr_expect_eq(c->gpus, 6);
	cr_expect_eq(c->type[0].amount[SL_KIND_CPUS], 8);
	cr_expect_eq(c->type[0].amount[SL_KIND_GPUS], 2);
	cr_expect_eq(task_of(&w, 0)->cpus, 3);
	cr_expect_eq(task_of(&w, 0)->gpus, 1);
	cr_expect_eq(task_of(&w, 1)->cpus, 2);
	cr_expect_eq(w.scenario.jobs.requests[w.scenario.jobs.request[0]].cpus, 6);
	cr_expect_eq(w.scenario.jobs.requests[w.scenario.jobs.request[0]].gpus, 2);
	machine_world_release(&w);
}

/* A share of a GPU: GPUs are in thousandths everywhere, cpus are not. */
Test(parts, share_of_gpu)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(3, 2000, 500, 1000), group_of(1, 1, 2, 0) };
	cr_assert_eq(load(&w, shared_nodes, group, 2), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->cpu_parts, 1);
	cr_expect_eq(c->gpu_parts, 1000);
	cr_expect_eq(c->cpus, 16);
	cr_expect_eq(c->gpus, 6000);
	cr_expect_eq(c->type[0].amount[SL_KIND_CPUS], 8);
	cr_expect_eq(c->type[0].amount[SL_KIND_GPUS], 2000);
	cr_expect_eq(task_of(&w, 0)->cpus, 2);
	cr_expect_eq(task_of(&w, 0)->gpus, 500);
	cr_expect_eq(task_of(&w, 1)->gpus, 2000);
	cr_expect_eq(w.scenario.jobs.requests[w.scenario.jobs.request[0]].gpus, 1500);
	cr_expect_eq(w.scenario.jobs.size[0], 2, "1.5 GPUs are counted as 2");
	cr_expect_eq(w.scenario.jobs.size[1], 2);
	machine_world_release(&w);
}

/* A part of a cpu: the other way round; a quarter of a cpu is of size 1. */
Test(parts, part_of_cpu)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(1, 250, 0, 1000), group_of(1, 1, 2, 0) };
	cr_assert_eq(load(&w, shared_nodes, group, 2), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->cpu_parts, 1000);
	cr_expect_eq(c->gpu_parts, 1);
	cr_expect_eq(c->cpus, 16000);
	cr_expect_eq(w.scenario.cpus, 16000);
	cr_expect_eq(task_of(&w, 0)->cpus, 250);
	cr_expect_eq(task_of(&w, 1)->cpus, 1000);
	cr_expect_eq(task_of(&w, 1)->gpus, 2);
	cr_expect_eq(w.scenario.jobs.size[0], 1);
	machine_world_release(&w);
}

static int half_nodes(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const struct sl_nodes_spec spec = {
		.name = "h", .count = 2, .cpus = 7500, .parts = 1000, .mem = SL_NONE, .island = 0
	};
	return sink->nodes(sink->self, &spec, &(struct sl_place){ "told.conf", 1, 1 }, err);
}

/* A node with a part of a cpu, though no job requests one: two tasks of four cpus do not fit on one. */
Test(parts, part_of_node)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(2, 4, 0, 0), group_of(3, 4, 0, 0) };
	cr_assert_eq(load(&w, half_nodes, group, 2), SL_OK, "%s", w.err.text);
	cr_expect_eq(w.scenario.cluster.cpu_parts, 1000);
	cr_expect_eq(w.scenario.cluster.cpus, 15000);
	cr_expect_eq(w.scenario.cluster.type[0].amount[SL_KIND_CPUS], 7500);
	cr_expect_eq(w.scenario.jobs.count, 1);
	cr_expect_str_eq(w.why[1], "larger than the machine");
	machine_world_release(&w);
}

/* What is dropped is no reason to count in parts. */
Test(parts, dropped_rows_do_not_count)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(1, 1, 0, 0), group_of(100, 500, 0, 1000) };
	cr_assert_eq(load(&w, shared_nodes, group, 2), SL_OK, "%s", w.err.text);
	cr_expect_str_eq(w.why[1], "larger than the machine");
	cr_expect_eq(w.scenario.cluster.cpu_parts, 1);
	machine_world_release(&w);
}

/* A counted pool gives whole cpus: three halves are two, which is a repair; two are one, which is none. */
Test(parts, pool_rounds_up)
{
	struct machine_world w;
	const struct sl_row_group group[] = { group_of(3, 500, 0, 1000), group_of(2, 500, 0, 1000),
		group_of(9, 500, 0, 1000) };
	cr_assert_eq(load(&w, small_pool, group, 3), SL_OK, "%s", w.err.text);
	cr_assert_eq(w.scenario.jobs.count, 2);
	cr_expect_eq(w.scenario.jobs.size[0], 2);
	cr_expect_eq(w.scenario.jobs.size[1], 1);
	cr_expect_str_eq(w.why[2], "larger than the machine");
	cr_assert_eq(w.scenario.anomaly_count, 2);
	cr_expect_str_eq(w.scenario.anomaly[0].cause, "fractional count rounded up");
	cr_expect_eq(w.scenario.anomaly[0].count, 1);
	cr_expect_eq(w.scenario.cluster.cpu_parts, 1);
	machine_world_release(&w);
}

static int huge_node(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	return mw_nodes(sink, "x1", 268436, SL_NONE, NULL, err);
}

/* Parts of a node are fewer than 2^28: 268435 cpus in thousandths. In wholes it is no matter. */
Test(parts, nodes_have_bounds)
{
	struct machine_world w;
	const struct sl_row_group wholes[] = { group_of(1, 1, 0, 0) };
	const struct sl_row_group halves[] = { group_of(1, 500, 0, 1000) };
	cr_assert_eq(load(&w, huge_node, wholes, 1), SL_OK, "%s", w.err.text);
	machine_world_release(&w);
	cr_assert_eq(load(&w, huge_node, halves, 1), SL_INPUT);
	cr_expect(strstr(w.err.text,
			  "nodes 'x1' have more than 268435 cpus: too many to be given out in thousandths"),
		"%s", w.err.text);
}

/* ---- Shares, memory, profiles -------------------------------------------------------------------- */

/* More than one GPU is whole GPUs; memory and a profile are asked in place of GPUs. */
Test(parts, contradictions)
{
	struct sl_row_group group = group_of(1, 1, 1500, 1000);
	expect_why(shared_nodes, &group, "asks parts of several GPUs");
	group = group_of(1, 1000, 1000, 1000);
	expect_why(shared_nodes, &group, "");
	group.gpu_mem = 1000;
	expect_why(shared_nodes, &group, "bounds that contradict each other");
	group = group_of(1, 1, 1, 0);
	group.mig = "3g";
	expect_why(all_nodes, &group, "bounds that contradict each other");
	group = group_of(1, 1, 0, 0);
	group.mig = "3g";
	group.gpu_mem = 1000;
	expect_why(all_nodes, &group, "bounds that contradict each other");
}

/* A share lies on one device: of 0.334 two are on each, on six devices twelve. */
Test(parts, shares_are_not_split)
{
	struct sl_row_group group = group_of(12, 0, 334, 1000);
	expect_why(shared_nodes, &group, "");
	group.tasks = 13;
	expect_why(shared_nodes, &group, "larger than the machine");
	group.gpu_type = "v100"; /* Four devices. */
	group.tasks = 8;
	expect_why(shared_nodes, &group, "");
	group.tasks = 9;
	expect_why(shared_nodes, &group, "larger than the machine");
}

/* Memory is the least share of a device that will do, upwards: 5000 of 16384 are 305.2, of 40960 122.1
 * thousandths. The T4 does not say its memory, and does not do. */
Test(parts, memory_of_a_gpu)
{
	struct machine_world w;
	struct sl_row_group group[] = { group_of(1, 1, 0, 0), group_of(1, 1, 0, 0) };
	group[0].gpu_mem = group[1].gpu_mem = 5000;
	group[1].gpu_type = "v100";
	cr_assert_eq(load(&w, all_nodes, group, 2), SL_OK, "%s", w.err.text);
	cr_expect_eq(w.scenario.cluster.gpu_parts, 1000);
	cr_expect_eq(task_of(&w, 0)->gpu_mem, 5000);
	cr_expect_eq(task_of(&w, 0)->gpus, 123);
	cr_expect_eq(task_of(&w, 1)->gpus, 306);
	machine_world_release(&w);
	/* Three on each of four V100, eight on the whole A100: 20 in all; the divided ones do not serve. */
	struct sl_row_group many = group[0];
	many.tasks = 20;
	many.cpus = 0;
	expect_why(all_nodes, &many, "");
	many.tasks = 21;
	expect_why(all_nodes, &many, "larger than the machine");
	many.tasks = 1;
	many.gpu_mem = 40961;
	expect_why(all_nodes, &many, "larger than the machine");
	many.gpu_type = "t4";
	many.gpu_mem = 1;
	expect_why(all_nodes, &many, "asks for what the cluster has not");
}

/* By whole name or by its beginning; as many eighths as the profile takes. */
Test(parts, profiles)
{
	static const struct {
		const char *name;
		int64_t gpus;
		uint8_t slices, starts;
	} known[] = {
		{ "3g.20gb", 500, 4, 0x11 },
		{ "3g", 500, 4, 0x11 },
		{ "1g", 125, 1, 0x7F },
		{ "1g.10gb", 250, 2, 0x55 },
		{ "2g", 250, 2, 0x15 },
		{ "4g.20gb", 500, 4, 0x01 },
		{ "7g", 1000, 8, 0x01 },
	};
	struct machine_world w;
	struct sl_row_group group[SL_LEN(known)];
	for (size_t i = 0; i < SL_LEN(known); i++) {
		group[i] = group_of(1, 1, 0, 0);
		group[i].mig = known[i].name;
	}
	cr_assert_eq(load(&w, all_nodes, group, SL_LEN(known)), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->gpu_parts, 1000);
	cr_assert_eq(c->mig_model_count, 1);
	cr_expect_str_eq(c->mig_model[0]->name, "a100-40gb");
	cr_expect_eq(c->mig_profile_count, SL_LEN(known));
	for (uint32_t i = 0; i < SL_LEN(known); i++) {
		const struct sl_task_resources *task = task_of(&w, i);
		cr_assert(task->mig);
		cr_expect_eq(task->gpus, known[i].gpus, "%s: %" PRId64, known[i].name, task->gpus);
		cr_expect_eq(c->mig_fit[task->mig - 1].slices, known[i].slices);
		cr_expect_eq(c->mig_fit[task->mig - 1].starts, known[i].starts);
	}
	machine_world_release(&w);
	struct sl_row_group other = group_of(1, 1, 0, 0);
	other.mig = "3g.40gb"; /* Of 80 GB. */
	expect_why(all_nodes, &other, "asks for what the cluster has not");
	other.mig = "3g.20gb";
	expect_why(shared_nodes, &other, "asks for what the cluster has not");
	other.mig = "";
	expect_why(all_nodes, &other, "asks for what the cluster has not");
	other.mig = "1g.5gb+me";
	expect_why(all_nodes, &other, "asks for what the cluster has not");
}

/* On two divided GPUs: as many as places that do not overlap. */
Test(parts, profiles_that_fit)
{
	static const struct {
		const char *name;
		int64_t most;
	} known[] = { { "1g.5gb", 14 }, { "1g.10gb", 8 }, { "2g.10gb", 6 }, { "3g.20gb", 4 },
		{ "4g.20gb", 2 }, { "7g.40gb", 2 } };
	for (size_t i = 0; i < SL_LEN(known); i++) {
		struct sl_row_group group = group_of(known[i].most, 0, 0, 0);
		group.mig = known[i].name;
		expect_why(all_nodes, &group, "");
		group.tasks++;
		expect_why(all_nodes, &group, "larger than the machine");
		group.tasks = 1;
		group.gpu_type = "v100";
		expect_why(all_nodes, &group, "larger than the machine");
	}
}

/* Divided GPUs serve profiles only: one of three A100 is whole. A divided GPU alone is a reason for parts. */
Test(parts, divided_gpus_are_not_whole)
{
	struct machine_world w;
	struct sl_row_group group = group_of(1, 1, 1, 0);
	group.gpu_type = "a100";
	expect_why(all_nodes, &group, "");
	group.tasks = 2;
	expect_why(all_nodes, &group, "larger than the machine");
	group.tasks = 1;
	group.gpus = 2;
	expect_why(all_nodes, &group, "larger than the machine");
	group.gpus = 500;
	group.parts = 1000;
	group.cpus = 0;
	group.tasks = 2;
	expect_why(all_nodes, &group, "");
	group.tasks = 3;
	expect_why(all_nodes, &group, "larger than the machine");
	const struct sl_row_group plain = group_of(1, 1, 0, 0);
	cr_assert_eq(load(&w, all_nodes, &plain, 1), SL_OK, "%s", w.err.text);
	cr_expect_eq(w.scenario.cluster.gpu_parts, 1000);
	cr_expect_eq(w.scenario.cluster.cpu_parts, 1);
	cr_expect_eq(w.scenario.cluster.gpus, 9000);
	machine_world_release(&w);
}

static int bad_model(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_gres gres = { .name = "gpu", .type = "a100", .count = 1, .mig = "a100-41gb" };
	static const struct sl_hardware box = {
		.sockets = 1, .cores = 8, .threads = 1, .gres = &gres, .gres_count = 1
	};
	return mw_nodes(sink, "m1", 8, 65536, &box, err);
}

Test(parts, unknown_model)
{
	struct machine_world w;
	const struct sl_row_group plain = group_of(1, 1, 0, 0);
	cr_assert_eq(load(&w, bad_model, &plain, 1), SL_INPUT);
	cr_expect(strstr(w.err.text, "'a100-41gb', which is no model of MIG"), "%s", w.err.text);
}

/* ---- Devices and islands ---------------------------------------------------------------------------- */

/* Kind by kind, whichever kind is listed first; memory as said, or as the model has it. */
Test(parts, devices_by_kind)
{
	struct machine_world w;
	const struct sl_row_group plain = group_of(1, 1, 0, 0);
	cr_assert_eq(load(&w, all_nodes, &plain, 1), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	const struct sl_node_type *g = &c->type[c->node_type[0]];
	const struct sl_node_type *m = &c->type[c->node_type[2]];
	cr_assert_eq(g->device_count, 3);
	cr_assert_eq(m->device_count, 3);
	cr_expect_eq(g->device[0].kind, SL_KIND_GPUS);
	cr_expect_eq(g->device[1].kind, SL_KIND_GPUS);
	cr_expect_eq(g->device[2].kind, SL_KIND_GPUS + 1);
	cr_expect_eq(g->device[1].mem, 16384);
	cr_expect_eq(g->device[2].mem, 0);
	cr_expect_eq(g->device[2].island, 0);
	cr_expect_eq(m->device[0].mig, 0);
	cr_expect_eq(m->device[1].mig, 1);
	cr_expect_eq(m->device[2].mig, 1);
	cr_expect_eq(m->device[1].mem, 40960);
	cr_expect_eq(m->device[1].kind, SL_KIND_GPUS + 2);
	machine_world_release(&w);
}

static int island_nodes(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	/* Two quads listed one by one, then two that say nothing, and one quad again. */
	static struct sl_gres gres[11];
	for (size_t i = 0; i < SL_LEN(gres); i++)
		gres[i] = (struct sl_gres){
			.name = "gpu", .type = "x", .count = 1, .island = i == 8 || i == 9 ? 0 : 4
		};
	static const struct sl_hardware box = {
		.sockets = 1, .cores = 8, .threads = 1, .gres = gres, .gres_count = SL_LEN(gres)
	};
	const struct sl_nodes_spec spec = {
		.name = "t", .count = 5, .cpus = 8, .mem = SL_NONE, .hardware = &box, .island = 2
	};
	const struct sl_place at = { "told.conf", 1, 1 };
	const int status = sink->nodes(sink->self, &spec, &at, err);
	const struct sl_nodes_spec alone = {
		.name = "u", .count = 1, .cpus = 8, .mem = SL_NONE, .hardware = &box
	};
	return status ? status : sink->nodes(sink->self, &alone, &at, err);
}

/* Within a node by so many devices in a row, over nodes by so many nodes in a row; the last may be short. */
Test(parts, islands)
{
	static const uint8_t of_device[] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3 };
	static const uint32_t of_node[] = { 1, 1, 2, 2, 3, 0 };
	struct machine_world w;
	const struct sl_row_group plain = group_of(1, 1, 0, 0);
	cr_assert_eq(load(&w, island_nodes, &plain, 1), SL_OK, "%s", w.err.text);
	const struct sl_cluster *c = &w.scenario.cluster;
	cr_expect_eq(c->island_count, 3);
	cr_assert_eq(c->node_count, SL_LEN(of_node));
	cr_expect_eq(c->type_count, 4);
	for (uint32_t node = 0; node < c->node_count; node++) {
		const struct sl_node_type *type = &c->type[c->node_type[node]];
		cr_expect_eq(type->island, of_node[node], "node %u is in %u", node, type->island);
		cr_assert_eq(type->device_count, SL_LEN(of_device));
		for (uint32_t i = 0; i < type->device_count; i++)
			cr_expect_eq(type->device[i].island, of_device[i]);
	}
	machine_world_release(&w);
}

static int many_gpus(const struct sl_cluster_sink *sink, struct sl_err *err)
{
	static const struct sl_gres gres = { .name = "gpu", .type = "x", .count = 33 };
	static const struct sl_hardware box = {
		.sockets = 1, .cores = 64, .threads = 1, .gres = &gres, .gres_count = 1
	};
	return mw_nodes(sink, "b1", 64, SL_NONE, &box, err);
}

/* More GPUs than are tracked one by one: whole ones only. */
Test(parts, too_many_to_report_apart)
{
	struct sl_row_group group = group_of(1, 1, 33, 0);
	expect_why(many_gpus, &group, "");
	group = group_of(1, 1000, 500, 1000);
	expect_why(many_gpus, &group, "larger than the machine");
}

/* ---- How active ------------------------------------------------------------------------------------- */

Test(parts, gpu_activity)
{
	static const int64_t some = 250000;
	static const int64_t beyond = 1500000;
	static const int64_t unknown = SL_NONE;
	struct machine_world w;
	struct sl_row_group group[4];
	for (size_t i = 0; i < SL_LEN(group); i++)
		group[i] = group_of(1, 1, 0, 0);
	cr_assert_eq(load(&w, shared_nodes, group, SL_LEN(group)), SL_OK, "%s", w.err.text);
	cr_expect_null(w.scenario.jobs.gpu_active);
	machine_world_release(&w);
	more[1].gpu_active = &some;
	more[2].gpu_active = &beyond;
	more[3].gpu_active = &unknown;
	cr_assert_eq(load(&w, shared_nodes, group, SL_LEN(group)), SL_OK, "%s", w.err.text);
	const int32_t *active = w.scenario.jobs.gpu_active;
	cr_assert_not_null(active);
	cr_expect_eq(active[0], -1);
	cr_expect_eq(active[1], 250000);
	cr_expect_eq(active[2], 1000000);
	cr_expect_eq(active[3], -1);
	machine_world_release(&w);
}

/* ---- Further files of a trace ------------------------------------------------------------------------- */

static char further[32];

static int sniff_any(const char *text, size_t len)
{
	(void)text;
	(void)len;
	return 100;
}

/* One job; a second file is read twice. */
static int read_two_files(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	for (int i = 0; i < 2 && !status; i++) {
		struct sl_input *other;
		status = sl_input_open(&other, further, err);
		if (!status)
			status = sl_input_all(other, &text, &end, err);
		if (!status)
			status = sink->file(sink->self, other, err);
		sl_input_close(other);
	}
	const struct sl_row row = mw_row(1, 0, NULL, NULL);
	return status ? status : sink->job(sink->self, &row, err);
}

Test(parts, further_files)
{
	static const struct sl_reader reader = {
		.abi = SL_ABI_OF(struct sl_reader), .name = "two", .sniff = sniff_any, .read = read_two_files
	};
	static const struct sl_reader *const readers[] = { &reader, NULL };
	struct registry registry = *builtin_registry();
	struct scenario scenario;
	struct sl_err err = { 0 };
	char trace[32];
	registry.known.readers = readers;
	memfile(further, "abc", 3);
	const struct scenario_options options = {
		.trace = memfile(trace, "-\n", 2), .registry = &registry, .any_machine = true
	};
	cr_assert_eq(scenario_load(&scenario, &options, &err), SL_OK, "%s", err.text);
	cr_assert_eq(scenario.side_count, 1);
	cr_expect_str_eq(scenario.side[0].path, further);
	cr_expect_str_eq(scenario.side[0].format, "trace");
	cr_expect_str_eq(
		scenario.side[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	scenario_release(&scenario);
}
