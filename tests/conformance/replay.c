/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - see replay.h. */
#include "tests/conformance/replay.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int replay_run(struct replay *replay, const char *trace, const char *policy, const char *const *settings,
	unsigned record)
{
	*replay = (struct replay){ .arena = arena_new() };
	SL_CHECK(replay->arena);
	struct settings set = { .arena = replay->arena };
	struct sl_err *err = &replay->err;
	int status = SL_OK;
	for (; settings && *settings && !status; settings++)
		status = settings_add(&set, *settings, err);
	if (!status)
		status = policy_choose(&registry_builtin, &replay->choice, policy, &set, replay->arena, err);
	const struct scenario_options options = {
		.trace = trace, .settings = &set, .implied = replay->choice.implied
	};
	if (!status)
		status = scenario_load(&replay->scenario, &options, err);
	if (!status)
		status = settings_check_used(&set, &replay->choice, 1, err);
	if (!status)
		status = sim_run(&replay->sim,
			&(struct sim_options){ .scenario = &replay->scenario,
				.choice = &replay->choice,
				.seed = 1,
				.record = record },
			err);
	return status;
}

void replay_release(struct replay *replay)
{
	sim_release(&replay->sim);
	scenario_release(&replay->scenario);
	arena_free(replay->arena);
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
