/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_world.c - see machine_world.h. */
#include "tests/world/machine_world.h"

#include <stdio.h>
#include <string.h>

#include "sim/registry/registry.h"
#include "sim/run/sim.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

/* Readers have no state of their own to keep it in. */
static struct machine_world *reporting;

static int sniff_cluster(const char *path, const char *text, size_t len)
{
	(void)path;
	(void)text;
	(void)len;
	return 100;
}

static int read_cluster(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	(void)path;
	(void)setting;
	(void)setting_count;
	const int status = in ? sl_input_all(in, &text, &end, err) : SL_OK;
	return status ? status : reporting->cluster(sink, err);
}

static int sniff_rows(const char *text, size_t len)
{
	(void)text;
	(void)len;
	return 100;
}

static int read_rows(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	if (!status && reporting->dated)
		status = sink->dated(sink->self, err);
	for (size_t i = 0; i < reporting->row_count && !status; i++)
		status = sink->job(sink->self, &reporting->row[i], err);
	return status;
}

static int on_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct machine_world *world = self;
	(void)row;
	(void)err;
	if (world->rows_seen < SL_LEN(world->why))
		(void)snprintf(world->why[world->rows_seen++], sizeof(world->why[0]), "%s", gone ? gone : "");
	return SL_OK;
}

int machine_world_load(struct machine_world *world)
{
	static const struct sl_cluster_reader cluster_reader = {
		.abi = SL_ABI_OF(struct sl_cluster_reader),
		.name = "told",
		.sniff = sniff_cluster,
		.read = read_cluster,
	};
	static const struct sl_reader reader = {
		.abi = SL_ABI_OF(struct sl_reader), .name = "told", .sniff = sniff_rows, .read = read_rows
	};
	static const struct sl_cluster_reader *const cluster_readers[] = { &cluster_reader, NULL };
	static const struct sl_reader *const readers[] = { &reader, NULL };
	char cluster[32];
	char trace[32];
	struct registry registry = *builtin_registry();
	registry.known.cluster_readers = cluster_readers;
	registry.known.readers = readers;
	reporting = world;
	world->watch = (struct scenario_watch){ .self = world, .row = on_row };
	const struct scenario_options options = { .trace = memfile(trace, "-\n", 2),
		.cluster = world->no_file ? "/" : memfile(cluster, "-\n", 2),
		.registry = &registry,
		.implied = world->implied,
		.watch = &world->watch };
	memset(&world->err, 0, sizeof(world->err));
	const int status = scenario_load(&world->scenario, &options, &world->err);
	world->scenario.registry = builtin_registry();
	return status;
}

int machine_world_run(struct machine_world *world, const char *policy, int64_t *start)
{
	struct settings settings = { .arena = world->scenario.arena };
	struct policy_choice choice;
	struct sim_run sim;
	int status = policy_choose(
		builtin_registry(), &choice, policy, &settings, world->scenario.arena, &world->err);
	if (status)
		return status;
	memset(&sim, 0, sizeof(sim));
	const struct sim_options options = {
		.scenario = &world->scenario, .choice = &choice, .seed = 1, .check = true
	};
	status = sim_run(&sim, &options, &world->err);
	for (uint32_t i = 0; i < world->scenario.jobs.count && !status; i++)
		start[i] = sim.result.start[i] == SL_NONE ? -1 : sim.result.start[i] / SL_SECOND;
	sim_release(&sim);
	return status;
}

void machine_world_release(struct machine_world *world) { scenario_release(&world->scenario); }

int mw_nodes(const struct sl_cluster_sink *sink, const char *hosts, int64_t cpus, int64_t mem,
	const struct sl_hardware *hardware, struct sl_err *err)
{
	static uint64_t line;
	const struct sl_nodes_spec spec = {
		.name = hosts, .cpus = cpus, .mem = mem, .hosts = hosts, .hardware = hardware
	};
	return sink->nodes(sink->self, &spec, &(struct sl_place){ "told.conf", ++line, 1 }, err);
}

struct sl_partition mw_part(const char *name, const char *nodes)
{
	return (struct sl_partition){ .name = name,
		.nodes = nodes,
		.max_time = SL_NONE,
		.default_time = SL_NONE,
		.nodes_min = SL_NONE,
		.nodes_max = SL_NONE,
		.cpus_per_node_max = SL_NONE,
		.mem_per_node = SL_NONE,
		.mem_per_cpu = SL_NONE,
		.mem_per_gpu = SL_NONE,
		.cpus_per_gpu = SL_NONE,
		.mem_per_node_max = SL_NONE,
		.mem_per_cpu_max = SL_NONE,
		.tier = SL_NONE,
		.job_factor = SL_NONE };
}

int mw_partition(const struct sl_cluster_sink *sink, const struct sl_partition *like, struct sl_err *err)
{
	return sink->partition(sink->self, like, &(struct sl_place){ "told.conf", 50, 1 }, err);
}

struct sl_row mw_row(
	int64_t id, int64_t submit, struct sl_row_attributes *more, const struct sl_job_desc *desc)
{
	struct sl_row row = { .line = (uint64_t)id, .more = more };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE;
	row.col[SL_COL_ID] = id;
	row.col[SL_COL_SUBMIT] = submit * SL_SECOND;
	row.col[SL_COL_RUN] = 100 * SL_SECOND;
	row.col[SL_COL_LIMIT] = 200 * SL_SECOND;
	row.col[SL_COL_REQ_CPUS] = 1;
	if (desc) {
		more->desc = desc;
		more->desc_count = 1;
	}
	return row;
}

const char *mw_set(const struct sl_cluster *cluster, uint32_t set, char *text, size_t size)
{
	size_t len = 0;
	text[0] = '\0';
	for (uint32_t node = 0; node < cluster->node_count; node++) {
		const uint32_t type = cluster->node_type[node];
		if (cluster->node_set[set].types[type / 64] >> type % 64 & 1)
			len += (size_t)snprintf(
				text + len, size - len, "%s%s", len ? " " : "", cluster->node_name[node]);
	}
	return text;
}
