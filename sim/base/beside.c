/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside.c - the path of a file that another one names; and trees of files that no path leads out of.
 *
 * A path that begins with ".//" is of such a tree, whose root is the working folder: below it names from the
 * root are sought in a folder of their own, and ".." stops at the root, as after chroot(2).
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"

bool path_is_closed(const char *path) { return strncmp(path, PATH_CLOSED, strlen(PATH_CLOSED)) == 0; }

/* The next name of a path; its length, 0 at the end. */
static size_t part_next(const char **at)
{
	*at += strspn(*at, "/");
	return strcspn(*at, "/");
}

bool path_leads_out(const char *path)
{
	long depth = 0;
	if (*path == '/')
		return true;
	for (size_t len; (len = part_next(&path)); path += len) {
		if (len == 1 && *path == '.')
			continue;
		depth += len == 2 && path[0] == '.' && path[1] == '.' ? -1 : 1;
		if (depth < 0)
			return true;
	}
	return false;
}

size_t path_clean(char *path, size_t from)
{
	size_t used = from;
	const char *at = path + from;
	for (size_t len; (len = part_next(&at)); at += len) {
		if (len == 1 && *at == '.')
			continue;
		if (len == 2 && at[0] == '.' && at[1] == '.') {
			while (used > from && path[--used] != '/')
				;
			continue;
		}
		if (used > from)
			path[used++] = '/';
		memmove(path + used, at, len);
		used += len;
	}
	path[used] = '\0';
	return used;
}

bool sl_path_beside(char *path, size_t capacity, const char *file, const char *name)
{
	const bool closed = path_is_closed(file);
	const char *slash = strrchr(file, '/');
	const size_t folder = *name == '/' || !slash ? 0 : (size_t)(slash - file) + 1;
	const int len = closed && *name == '/' ? snprintf(path, capacity, PATH_CLOSED PATH_ROOTED "%s", name)
					       : snprintf(path, capacity, "%.*s%s", (int)folder, file, name);
	if (len < 0 || (size_t)len >= capacity)
		return false;
	if (closed)
		(void)path_clean(path, strlen(PATH_CLOSED));
	return true;
}
