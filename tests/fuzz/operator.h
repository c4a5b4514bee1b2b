/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operator.h - what the fuzz targets of an operator's files share: a sink that looks at all that is told, and
 * a file in memory. Each of them is a program of its own.
 */
#ifndef SL_FUZZ_OPERATOR_H
#define SL_FUZZ_OPERATOR_H

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/base.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	SL_CHECK(spec->cpus > 0 && sl_hosts_count(spec->hosts, strlen(spec->hosts), at, err) == spec->count);
	return 0;
}

static int on_window(
	void *self, const struct sl_window_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)at;
	(void)err;
	SL_CHECK(spec->name && spec->nodes && spec->from && (spec->until || spec->length));
	return 0;
}

static int on_setting(void *self, const struct sl_setting *s, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(s->kind && s->name && s->key && s->value && s->at.file && s->coverage < SL_COVERAGE_COUNT);
	return 0;
}

static const struct sl_cluster_sink sink = { .nodes = on_nodes, .window = on_window, .setting = on_setting };

static const char *file_of(char path[32], int *fd, const void *data, size_t size)
{
	*fd = memfd_create("fuzz", 0);
	SL_CHECK(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 32, "/proc/self/fd/%d", *fd);
	return path;
}

static const struct sl_cluster_reader *reader_of(const char *name)
{
	const struct sl_cluster_reader *const *reader = builtin_registry()->known.cluster_readers;
	while (strcmp((*reader)->name, name) != 0)
		reader++;
	return *reader;
}

#endif
