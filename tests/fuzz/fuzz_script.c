/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_script.c - any bytes at all as a script in Lua: read and run up to its end, as a policy is chosen.
 *
 * What is refused has a status and a text. What is a policy has parameters that are whole, and whose defaults
 * can be parsed or are refused with a text.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_policy(const char *name)
{
	struct registry registry;
	struct policy_choice choice;
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	SL_CHECK(arena && !registry_make(&registry, &err));
	int status = registry_add_policy(&registry, name, &err);
	if (!status)
		status = policy_choose(&registry, &choice, name, NULL, arena, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	for (size_t i = 0; !status && i < choice.policy->param_count; i++)
		SL_CHECK(choice.policy->params[i].key && choice.policy->params[i].help &&
			 choice.values[i].text);
	registry_release(&registry);
	sl_arena_free(arena);
}

/* A file without a file; it goes with its number. */
static int make_file(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("script", 0);
	SL_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[60];
	if (size > 1 << 16)
		return 0;
	const int fd = make_file(data, size);
	(void)snprintf(name, sizeof(name), "lua:/proc/self/fd/%d", fd);
	try_policy(name);
	(void)close(fd);
	return 0;
}
