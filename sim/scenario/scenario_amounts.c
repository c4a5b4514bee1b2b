/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_amounts.c - how cpus and GPUs are counted: in wholes, or in thousandths where a node or a request
 * has less than a whole.
 *
 * While files are read all are thousandths. In the end each of the two becomes wholes again, unless a node
 * has a part of a cpu or a divided GPU, or a request is for a part.
 */
#include "sim/scenario/scenario_machine.h"

static bool has_cpu_parts(const struct sl_cluster *cluster)
{
	for (uint32_t i = 0; i < cluster->type_count; i++)
		if (cluster->type[i].amount[SL_KIND_CPUS] % PARTS)
			return true;
	return false;
}

/* In such parts; a bound on each keeps what the engine makes of them within its numbers: parts of a node, and
 * tasks on it, since each requests one at least. */
static int narrow_type(const struct machine *machine, struct sl_node_type *type, int64_t cpus, int64_t gpus,
	struct sl_err *err)
{
	for (uint32_t kind = 0; kind < machine->scenario->cluster.kind_count; kind++) {
		const int64_t by = kind == SL_KIND_CPUS ? cpus : gpus;
		if (kind == SL_KIND_MEM)
			continue;
		type->amount[kind] /= by;
		if (type->amount[kind] > NODE_AMOUNT_MAX)
			return sl_fail(err, SL_INPUT,
				"%s: nodes '%s' have more than %d %s: too many to be given out in thousandths",
				machine->scenario->cluster_input.path, type->name, NODE_AMOUNT_MAX / PARTS,
				machine->scenario->cluster.kind_name[kind]);
	}
	return SL_OK;
}

/* The types are the arena's, and const for everyone else: this rebuilds them. */
static int narrow_types(const struct machine *machine, int64_t cpus, int64_t gpus, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_node_type *type = sl_alloc(machine->scenario->arena, cluster->type_count, sizeof(*type));
	int status = type ? SL_OK : sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->type_count && !status; i++) {
		type[i] = cluster->type[i];
		status = narrow_type(machine, &type[i], cpus, gpus, err);
	}
	cluster->type = type;
	return status;
}

int parts_settle(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	struct sl_cluster *cluster = &scenario->cluster;
	bool cpus = false;
	bool gpus = false;
	cluster->cpu_parts = cluster->gpu_parts = 1;
	if (!cluster->node_count)
		return SL_OK;
	requests_parts(loading->requests, &cpus, &gpus);
	cluster->cpu_parts = cpus || has_cpu_parts(cluster) ? PARTS : 1;
	cluster->gpu_parts = gpus || loading->machine->mig.count ? PARTS : 1;
	const int64_t by_cpus = PARTS / cluster->cpu_parts;
	const int64_t by_gpus = PARTS / cluster->gpu_parts;
	cluster->cpus /= by_cpus;
	cluster->gpus /= by_gpus;
	scenario->cpus = cluster->cpus;
	requests_narrow(loading->requests, by_cpus, by_gpus);
	const int status = narrow_types(loading->machine, by_cpus, by_gpus, err);
	return status ? status : devices_lend(loading->machine, err);
}
