/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_kube.c - any bytes at all as manifests, or a generator file: the cluster and the trace at once.
 *
 * It may be refused, with a status and a text; of what is taken each job's pods can be read again from its
 * manifest, and ask what is not negative.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_objects(const struct sl_cluster *c)
{
	for (uint32_t i = 0; i < c->object_count; i++) {
		const struct sl_object *object = &c->object[i];
		SL_CHECK(*object->kind && *object->version && object->namespace && object->name);
		SL_CHECK(object->node >= object->doc->node &&
			 object->node < object->doc->node + object->doc->count);
	}
	for (uint32_t node = 0; c->node_labels && node < c->node_count; node++)
		for (uint32_t i = 1; i < c->node_labels[node].count; i++)
			SL_CHECK(strcmp(c->node_labels[node].at[i - 1].key, c->node_labels[node].at[i].key) <
				 0);
}

static void check_pods(const struct scenario *scenario)
{
	for (uint32_t job = 0; job < scenario->jobs.count; job++) {
		struct sl_arena *arena = sl_arena_new();
		struct sl_err err = { 0 };
		SL_CHECK(arena);
		const struct sl_pods *pods =
			sl_pods_of(arena, &scenario->jobs, &scenario->cluster, job, &err);
		SL_CHECK(pods && pods->count > 0);
		for (uint32_t i = 0; i < pods->count; i++) {
			SL_CHECK(pods->podset[i].count >= 0 && *pods->podset[i].name);
			for (uint32_t k = 0; k < pods->podset[i].request.count; k++)
				SL_CHECK(pods->podset[i].request.at[k].amount >= 0);
		}
		sl_arena_free(arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	struct sl_err err = { 0 };
	struct scenario scenario;
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const struct scenario_options options = {
		.registry = builtin_registry(), .cluster = path, .trace = path
	};
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status) {
		check_objects(&scenario.cluster);
		check_pods(&scenario);
		scenario_release(&scenario);
	}
	(void)close(fd);
	return 0;
}
