/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memfile.c - see memfile.h. Linux only, as the tests are.
 */
#include "tests/world/memfile.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/plugin.h"

const char *memfile(char path[32], const void *bytes, size_t len)
{
	const int fd = memfd_create("test", 0);
	SL_CHECK(fd >= 0);
	for (size_t done = 0; done < len;) {
		const ssize_t part = write(fd, (const char *)bytes + done, len - done);
		SL_CHECK(part > 0);
		done += (size_t)part;
	}
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	return path;
}
