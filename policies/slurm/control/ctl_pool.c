/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_pool.c - a counted pool of cpus as nodes; see ctl_whole.h.
 */
#include "policies/slurm/control/ctl_whole.h"

enum { NAME_CAPACITY = 16 };

/* "c1", "c2" and on, one behind the other. */
static const char **ctl_pool_names_of(struct sl_arena *arena, uint32_t count)
{
	const char **name = sl_alloc(arena, count, sizeof(*name));
	char *text = sl_alloc(arena, count, NAME_CAPACITY);
	if (!name || !text)
		return NULL;
	for (uint32_t i = 0; i < count; i++, text += NAME_CAPACITY) {
		text[0] = 'c';
		*sl_put_i64(text + 1, (int64_t)i + 1) = '\0';
		name[i] = text;
	}
	return name;
}

const struct sl_cluster *ctl_pool_cluster(const struct sl_setup *setup)
{
	static const char *const kinds[] = { "cpus", "memory" };
	static const struct sl_node_type type = { .name = "cpu", .amount = { 1 } };
	const uint32_t count = (uint32_t)setup->cpus;
	struct sl_cluster *cluster = sl_alloc(setup->arena, 1, sizeof(*cluster));
	uint32_t *types = sl_alloc(setup->arena, count, sizeof(*types)); /* All of type 0. */
	const char **name = ctl_pool_names_of(setup->arena, count);
	if (!cluster || !types || !name)
		return NULL;
	*cluster = (struct sl_cluster){ .name = setup->cluster->name,
		.cpus = setup->cpus,
		.node_count = count,
		.type_count = 1,
		.kind_count = SL_KIND_GPUS,
		.node_type = types,
		.node_name = name,
		.type = &type,
		.kind_name = kinds };
	return cluster;
}

/* One for each size that there is. */
static bool requests_make(
	const struct sl_setup *setup, struct sl_jobs *jobs, uint32_t *of_size, uint32_t *request)
{
	uint32_t count = 0;
	for (uint32_t row = 0; row < jobs->count; row++) {
		uint32_t *of = &of_size[jobs->size[row]];
		if (!*of)
			*of = ++count;
		request[row] = *of - 1;
	}
	struct sl_request *requests = sl_alloc(setup->arena, count + 1, sizeof(*requests));
	struct sl_group *group = sl_alloc(setup->arena, count + 1, sizeof(*group));
	struct sl_job_desc *desc = sl_alloc(setup->arena, count + 1, sizeof(*desc));
	if (!requests || !group || !desc)
		return false;
	for (uint32_t row = 0; row < jobs->count; row++) {
		const uint32_t i = request[row];
		const uint32_t size = (uint32_t)jobs->size[row];
		sl_job_desc_clear(&desc[i]);
		desc[i].tasks = size;
		desc[i].cpus_per_task = 1;
		group[i] = (struct sl_group){
			.task = { .cpus = 1 }, .tasks = size, .tasks_min = size, .tasks_max = size
		};
		requests[i] = (struct sl_request){
			.group = &group[i], .group_count = 1, .cpus = size, .desc = &desc[i]
		};
	}
	jobs->request = request;
	jobs->requests = requests;
	jobs->request_count = count;
	return true;
}

const struct sl_jobs *ctl_pool_jobs(const struct sl_setup *setup)
{
	struct sl_jobs *jobs = sl_alloc(setup->arena, 1, sizeof(*jobs));
	uint32_t *of_size = sl_alloc(setup->arena, (size_t)setup->cpus + 1, sizeof(*of_size));
	uint32_t *request = sl_alloc(setup->arena, setup->jobs->count + (size_t)1, sizeof(*request));
	if (!jobs || !of_size || !request)
		return NULL;
	*jobs = *setup->jobs;
	return requests_make(setup, jobs, of_size, request) ? jobs : NULL;
}
