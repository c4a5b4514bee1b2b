/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_cluster.c - any bytes at all as a cluster file, in a scenario.
 *
 * It may be refused, with a status and a text; what is taken is a cluster whose parts agree.
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

static void check_nodes(const struct sl_cluster *c)
{
	int64_t cpus = 0;
	int64_t gpus = 0;
	SL_CHECK(c->kind_count >= SL_KIND_GPUS && c->kind_count <= SL_KINDS_MAX && c->type_count > 0);
	for (uint32_t node = 0; node < c->node_count; node++) {
		SL_CHECK(c->node_type[node] < c->type_count && c->node_name[node][0]);
		const int64_t *amount = c->type[c->node_type[node]].amount;
		cpus += amount[SL_KIND_CPUS];
		for (uint32_t kind = SL_KIND_GPUS; kind < c->kind_count; kind++)
			gpus += amount[kind];
	}
	SL_CHECK(cpus == c->cpus && gpus == c->gpus);
}

static void check_windows(const struct sl_cluster *c)
{
	for (uint32_t i = 0; i < c->window_count; i++) {
		const struct sl_window *w = &c->window[i];
		SL_CHECK(w->name && w->until > w->from && (!i || w->from >= c->window[i - 1].from));
		SL_CHECK(!w->cpus == !!c->node_count && w->cpus <= c->cpus);
		for (uint32_t n = 0; n < w->node_count; n++)
			SL_CHECK(w->node[n] < c->node_count && (!n || w->node[n] > w->node[n - 1]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char trace[] = "; UnixStartTime: 86400\n1 0 -1 100 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1\n";
	char cluster_path[32];
	char trace_path[32];
	int fd[2];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const struct scenario_options options = {
		.registry = builtin_registry(),
		.cluster = file_of(cluster_path, &fd[0], data, size),
		.trace = file_of(trace_path, &fd[1], trace, strlen(trace)),
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	if (!status) {
		SL_CHECK(scenario.cluster.cpus > 0 && scenario.cpus == scenario.cluster.cpus);
		if (scenario.cluster.node_count)
			check_nodes(&scenario.cluster);
		check_windows(&scenario.cluster);
		scenario_release(&scenario);
	}
	(void)close(fd[0]);
	(void)close(fd[1]);
	return 0;
}
