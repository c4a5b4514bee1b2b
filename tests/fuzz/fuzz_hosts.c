/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_hosts.c - any bytes at all as a list of hosts: as many names come as were counted, and joined again
 * they are the same names.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NAMES_MAX = 10000 };

struct names {
	char *name[NAMES_MAX];
	size_t count, retry;
};

static int take(void *self, const char *name, size_t len)
{
	struct names *names = self;
	SL_CHECK(names->count < NAMES_MAX && strlen(name) == len && len && len <= SL_HOST_NAME_MAX);
	names->name[names->count++] = strdup(name);
	return 0;
}

static int compare(void *self, const char *name, size_t len)
{
	struct names *names = self;
	(void)len;
	SL_CHECK(names->retry < names->count && strcmp(names->name[names->retry++], name) == 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct sl_place at = { "hosts", 1, 1 };
	const char *text = (const char *)data;
	struct sl_err err = { 0 };
	const int64_t count = sl_hosts_count(text, size, &at, &err);
	SL_CHECK(count < 0 ? count == err.status && *err.text : count > 0 && count <= SL_HOSTS_MAX);
	if (count < 0 || count > NAMES_MAX)
		return 0;
	struct names *names = calloc(1, sizeof(*names));
	SL_CHECK(names && sl_hosts_each(text, size, &at, &err, take, names) == 0 &&
		 names->count == (size_t)count);
	const size_t len = sl_hosts_fold((const char *const *)names->name, names->count, NULL, 0);
	char *folded = malloc(len + 1);
	SL_CHECK(folded &&
		 sl_hosts_fold((const char *const *)names->name, names->count, folded, len + 1) == len);
	SL_CHECK(sl_hosts_each(folded, len, &at, &err, compare, names) == 0 && names->retry == names->count);
	free(folded);
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names);
	return 0;
}
