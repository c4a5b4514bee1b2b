/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_failures.c - any bytes at all as sheets of the model of failures: the first says which (causes,
 * repairs, domains, else a log). The run that follows ends as any other, or they are refused in one line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/registry/plugins.h"
#include "sim/run/sim.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char trace[] = "job_id,submit,run_time,time_limit,nodes,cpus_per_node\n"
			    "1,0,1000,2000,2,8\n2,10,500,600,1,4\n3,20,100,100,4,8\n";
static const char cluster[] = "nodes:\n  - name: n\n    count: 4\n    cpus: 8\n";

static int file_of(char path[32], const void *data, size_t size)
{
	const int fd = memfd_create("fuzz", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void set(struct settings *settings, const char *key, const char *value)
{
	struct sl_err err = { 0 };
	char line[100];
	(void)snprintf(line, sizeof(line), "%s=%s", key, value);
	SL_CHECK(settings_add(settings, line, &err) == SL_OK);
}

static void run(const struct scenario *scenario, const struct policy_choice *choice)
{
	struct sl_err err = { 0 };
	struct sim_run sim = { 0 };
	const struct sim_options options = {
		.scenario = scenario, .choice = choice, .seed = 1, .check = true
	};
	const int status = sim_run(&sim, &options, &err);
	SL_CHECK(status == err.status);
	SL_CHECK(!status || ((status == SL_USAGE || status == SL_INPUT) && *err.text));
	if (sim.engine)
		sim_release(&sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sheets[] = { "failures.log", "failures.causes", "failures.repairs",
		"failures.domains" };
	if (!size)
		return 0;
	char path[3][32];
	const int file[3] = { file_of(path[0], trace, strlen(trace)),
		file_of(path[1], cluster, strlen(cluster)), file_of(path[2], data + 1, size - 1) };
	struct sl_err err = { 0 };
	struct settings settings = { .arena = sl_arena_new() };
	SL_CHECK(settings.arena);
	set(&settings, "replay.models", "failures");
	set(&settings, "failures.mtbf", "1h");
	set(&settings, "failures.domain_rate", "10");
	set(&settings, "failures.domain", "2");
	set(&settings, "failures.attempts", "20");
	set(&settings, sheets[*data % SL_LEN(sheets)], path[2]);
	struct policy_choice choice;
	SL_CHECK(
		policy_choose(builtin_registry(), &choice, "fcfs", &settings, settings.arena, &err) == SL_OK);
	const struct scenario_options options = {
		.registry = builtin_registry(), .trace = path[0], .cluster = path[1], .settings = &settings
	};
	struct scenario scenario;
	const int status = scenario_load(&scenario, &options, &err);
	SL_CHECK(status == err.status);
	SL_CHECK(!status || ((status == SL_USAGE || status == SL_INPUT) && *err.text));
	if (!status) {
		run(&scenario, &choice);
		scenario_release(&scenario);
	}
	sl_arena_free(settings.arena);
	for (size_t i = 0; i < SL_LEN(file); i++)
		(void)close(file[i]);
	return 0;
}
