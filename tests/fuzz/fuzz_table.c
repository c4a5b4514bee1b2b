/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_table.c - any bytes at all as a table of jobs, on a pool and on nodes.
 *
 * The reader may refuse, with a status and a text; what it passes on is in order of lines, and within the
 * bounds that the job table is made for.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *file_of(char path[32], int *fd, const void *data, size_t size)
{
	*fd = memfd_create("fuzz", 0);
	SL_CHECK(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", *fd);
	return path;
}

static void check_names(const struct sl_jobs *jobs, uint32_t row)
{
	SL_CHECK(!jobs->user_name || (jobs->user[row] < (int32_t)jobs->user_count));
	SL_CHECK(!jobs->account_name || (jobs->account[row] < (int32_t)jobs->account_count));
	SL_CHECK(!jobs->partition_name || (jobs->partition[row] < (int32_t)jobs->partition_count));
	SL_CHECK(jobs->id[row] >= 0 || (jobs->id_name && jobs->id_name[row]));
}

static void check_request(const struct scenario *scenario, uint32_t row)
{
	const struct sl_jobs *jobs = &scenario->jobs;
	if (!scenario->cluster.node_count)
		return;
	SL_CHECK(jobs->request[row] < jobs->request_count);
	const struct sl_request *request = &jobs->requests[jobs->request[row]];
	SL_CHECK(request->group_count > 0 && request->cpus + request->gpus > 0);
	SL_CHECK(request->cpus <= scenario->cluster.cpus && request->gpus <= scenario->cluster.gpus);
	for (uint32_t i = 0; i < request->group_count; i++) {
		const struct sl_group *group = &request->group[i];
		SL_CHECK(group->tasks > 0 && group->tasks_min > 0 && group->tasks_min <= group->tasks);
		SL_CHECK(group->tasks_max >= group->tasks && group->task.mem >= 0);
	}
}

static void load(const char *trace, const char *cluster)
{
	struct sl_err err = { 0 };
	struct scenario scenario;
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = trace, .cluster = cluster, .any_machine = true
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (status)
		return;
	const struct sl_jobs *jobs = &scenario.jobs;
	SL_CHECK(jobs->count > 0 && jobs->count <= scenario.rows);
	for (uint32_t row = 0; row < jobs->count; row++) {
		SL_CHECK(jobs->run[row] > 0 && jobs->size[row] > 0 && jobs->limit[row] >= jobs->run[row]);
		SL_CHECK(!row || jobs->submit[row] >= jobs->submit[row - 1]);
		check_names(jobs, row);
		check_request(&scenario, row);
	}
	scenario_release(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char nodes[] =
		"nodes: [{name: c, count: 3, cpus: 8, memory: 100}, "
		"{name: g, count: 2, cpus: 8, memory: 100, gpus: {a: {count: 2, memory: 16GiB}, "
		"b: {count: 2, mig: a100-40gb}}}]\n";
	char trace_path[32];
	char cluster_path[32];
	int fd[2];
	const char *trace = file_of(trace_path, &fd[0], data, size);
	load(trace, NULL);
	load(trace, file_of(cluster_path, &fd[1], nodes, strlen(nodes)));
	(void)close(fd[0]);
	(void)close(fd[1]);
	return 0;
}
