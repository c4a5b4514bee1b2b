/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bundled.c - where the workloads lie that ship with the program. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"

#ifndef SL_DATADIR
#define SL_DATADIR "/usr/local/share/schedlab"
#endif

static const char bundled[] = "lublin-256.swf";

static bool readable(char *path, size_t size, const char *directory, const char *below)
{
	const int len = snprintf(path, size, "%s/%s/%s", directory, below, bundled);
	return len > 0 && (size_t)len < size && access(path, R_OK) == 0;
}

/* --data, then the environment, then beside the program (installed, or built), then where make install put
 * it. */
bool bundled_find(char *path, size_t size, const char *data)
{
	char self[4096];
	const char *environment =
		getenv("SCHEDLAB_DATA"); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	if (data)
		return readable(path, size, data, "traces");
	if (environment && readable(path, size, environment, "traces"))
		return true;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len > 0) {
		self[len] = '\0';
		char *slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		if (readable(path, size, self, "../share/schedlab/traces") ||
			readable(path, size, self, "../traces/bundled"))
			return true;
	}
	return readable(path, size, SL_DATADIR, "traces");
}
