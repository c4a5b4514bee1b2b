/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rerun.c - see rerun.h. */
#include "tests/conformance/rerun.h"
#include "tests/world/builtin_registry.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int rerun_begin(struct rerun *run, const char *trace, const char *cluster, const char *policy,
	const char *const *settings)
{
	*run = (struct rerun){ .arena = sl_arena_new() };
	SL_CHECK(run->arena);
	struct settings set = { .arena = run->arena };
	struct sl_err *err = &run->err;
	int status = SL_OK;
	for (; settings && *settings && !status; settings++)
		status = settings_add(&set, *settings, err);
	if (!status)
		status = policy_choose(builtin_registry(), &run->choice, policy, &set, run->arena, err);
	const struct scenario_options options = { .registry = builtin_registry(),
		.trace = trace,
		.cluster = cluster,
		.settings = &set,
		.implied = run->choice.implied };
	if (!status)
		status = scenario_load(&run->scenario, &options, err);
	return status ? status : settings_check_used(&set, &run->choice, 1, err);
}

int rerun(struct rerun *run, const char *trace, const char *policy, const char *const *settings,
	unsigned record)
{
	const int status = rerun_begin(run, trace, NULL, policy, settings);
	if (status)
		return status;
	return sim_run(&run->sim,
		&(struct sim_options){
			.scenario = &run->scenario, .choice = &run->choice, .seed = 1, .record = record },
		&run->err);
}

void rerun_release(struct rerun *run)
{
	sim_release(&run->sim);
	scenario_release(&run->scenario);
	sl_arena_free(run->arena);
}

int memory_file(char path[32], const char *text, size_t len)
{
	const int fd = memfd_create("conformance", 0);
	SL_CHECK(fd >= 0);
	for (size_t done = 0; done < len;) {
		const ssize_t part = write(fd, text + done, len - done);
		SL_CHECK(part > 0);
		done += (size_t)part;
	}
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}
