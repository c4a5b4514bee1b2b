/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_session.c - any bytes at all as the file of a session: it is loaded, or refused with its place; then
 * its inputs are taken back one by one, and nothing is left.
 *
 * In front of the bytes stands a session's first line, but where the first byte is '#'.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/slurm/shell.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct shell *shell)
{
	SL_CHECK(shell->job_count <= SHELL_JOBS_MAX && shell->entry_count <= SHELL_ENTRIES_MAX);
	SL_CHECK(shell->depth <= SHELL_DEPTH_MAX && shell->now >= 0 && shell->user && *shell->user);
	for (size_t i = 0; i < shell->job_count; i++)
		SL_CHECK(shell->job[i].run > 0 && shell->job[i].submit <= shell->now &&
			 shell->job[i].id < shell->id_next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { UNDOS_MAX = 20 };
	static const char first[] = "# schedlab session 1\n";
	struct registry registry;
	struct sl_err err = { 0 };
	struct args args = { .command = &cmd_shell, .arena = sl_arena_new(), .registry = &registry };
	struct shell shell = { .args = &args };
	char path[40];
	const int fd = memfd_create("session", 0);
	SL_CHECK(fd >= 0 && args.arena && !registry_make(&registry, &err) && !shell_begin(&shell, &err));
	if (!size || data[0] != '#')
		SL_CHECK(write(fd, first, sizeof(first) - 1) == (ssize_t)(sizeof(first) - 1));
	SL_CHECK(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int status = shell_load(&shell, path, &err);
	SL_CHECK(status == err.status && !status == !*err.text);
	look(&shell);
	for (size_t i = 0; i < UNDOS_MAX && shell.entry_count; i++) {
		struct sl_err why = { 0 };
		SL_CHECK(!shell_undo(&shell, &why));
		look(&shell);
	}
	shell_end(&shell);
	(void)close(fd);
	registry_release(&registry);
	sl_arena_free(args.arena);
	return 0;
}
