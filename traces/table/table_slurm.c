/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table_slurm.c - what was asked of Slurm as a table's group: tasks, or equal chunks of nodes where something
 * is asked of a node. Where jobs may not go (constraint, lists of nodes, licences) has no column.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "traces/table/job_table.h"

/* Far beyond any machine, sums stay where they are. */
static int64_t times(int64_t a, int64_t b)
{
	int64_t product;
	return __builtin_mul_overflow(a, b, &product) || product > SL_MEM_UNBOUNDED ? SL_MEM_UNBOUNDED
										    : product;
}

static int64_t table_slurm_known(int64_t value, int64_t otherwise) { return value > 0 ? value : otherwise; }
static int64_t shared(int64_t value, int64_t among) { return value > 0 ? (value - 1) / among + 1 : value; }

/* "gpu:a100:2" of a list of gres, "a100:2" or "2" of GPUs, behind its name; false: it is no GPU. */
static bool gpu_of(const char **p, size_t *len, bool gres)
{
	if (!gres)
		return true;
	if (*len > 5 && (strncasecmp(*p, "gres:", 5) == 0 || strncasecmp(*p, "gres/", 5) == 0)) {
		*p += 5;
		*len -= 5;
	}
	if (*len < 3 || strncasecmp(*p, "gpu", 3) != 0 || (*len > 3 && (*p)[3] != ':' && (*p)[3] != '='))
		return false;
	const size_t name = *len > 3 ? 4 : 3;
	*p += name;
	*len -= name;
	return true;
}

/* How many, and of which type, if they are of one. */
static int64_t gpus_in(const char *text, bool gres, struct table_gpus *gpus)
{
	int64_t total = 0;
	while (text && *text) {
		const char *p = text;
		size_t len = strcspn(p, ",");
		text = p + len + (p[len] == ',');
		if (!gpu_of(&p, &len, gres))
			continue;
		const char *paren = memchr(p, '(', len);
		len = paren ? (size_t)(paren - p) : len;
		const char *colon = memchr(p, ':', len);
		const char *number = colon ? colon + 1 : p;
		int64_t count = 1;
		size_t type = colon ? (size_t)(colon - p) : 0;
		if (!sl_get_i64(number, (size_t)(p + len - number), &count) && !colon)
			type = len;
		char name[sizeof(gpus->type)];
		(void)snprintf(name, sizeof(name), "%.*s", (int)type, p);
		if (gpus->items++ == 0)
			memcpy(gpus->type, name, sizeof(name));
		else if (strcmp(gpus->type, name) != 0)
			*gpus->type = '\0'; /* Any will do. */
		if (count > 0 && count < INT32_MAX)
			total += count;
	}
	return total;
}

/* Of a task, which is all that there is on its node where memory is requested of nodes. */
static int64_t mem_of(const struct sl_job_desc *desc, int64_t cpus, int64_t gpus)
{
	if (desc->mem_per_node > 0)
		return desc->mem_per_node;
	if (desc->mem_per_cpu > 0)
		return times(desc->mem_per_cpu, cpus);
	return desc->mem_per_gpu > 0 && gpus ? times(desc->mem_per_gpu, gpus) : SL_NONE;
}

void table_group_of(const struct sl_job_desc *desc, struct sl_row_group *group, struct table_gpus *gpus)
{
	const int64_t cpus = table_slurm_known(desc->cpus_per_task, 1);
	int64_t nodes = table_slurm_known(desc->nodes_min, 1);
	int64_t tasks =
		table_slurm_known(desc->tasks, times(nodes, table_slurm_known(desc->tasks_per_node, 1)));
	tasks = tasks > nodes ? tasks : nodes;
	*gpus = (struct table_gpus){ .items = 0 };
	const int64_t of_node = gpus_in(desc->gres, true, gpus) + gpus_in(desc->gpus_per_node, false, gpus);
	const int64_t of_task = gpus_in(desc->gpus_per_task, false, gpus);
	const int64_t of_job = gpus_in(desc->gpus, false, gpus);
	int64_t each = of_task ? of_task : of_job / tasks;
	*group = (struct sl_row_group){ .tasks = tasks,
		.tasks_min = SL_NONE,
		.tasks_max = SL_NONE,
		.tasks_per_node = desc->tasks_per_node,
		.nodes_min = desc->nodes_min,
		.nodes_max = desc->nodes_max,
		.cpus = cpus,
		.exclusive = desc->exclusive == SL_EXCLUSIVE_NODE };
	if (desc->mem_per_node > 0 || of_node || (!of_task && of_job % tasks)) {
		nodes = table_slurm_known(
			desc->nodes_min, shared(tasks, table_slurm_known(desc->tasks_per_node, tasks)));
		const int64_t share = shared(tasks, nodes);
		each = of_node ? of_node : of_task ? times(of_task, share) : shared(of_job, nodes);
		group->tasks = group->nodes_min = group->nodes_max = nodes;
		group->tasks_per_node = 1;
		group->cpus = times(cpus, share);
	}
	group->mem = mem_of(desc, group->cpus, each);
	group->gpus = each ? each : SL_NONE;
	group->gpu_type = each && *gpus->type ? gpus->type : NULL;
}
