/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_slurmconf.c - any bytes at all as a folder of Slurm's files.
 *
 * A line "@@ NAME" begins the file of that name; what stands before the first is slurm.conf. The reader may
 * refuse them, with a status and a text; what it tells agrees with itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/base.h"
#include "tests/world/builtin_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int on_nodes(
	void *self, const struct sl_nodes_spec *spec, const struct sl_place *at, struct sl_err *err)
{
	const struct sl_hardware *h = spec->hardware;
	(void)self;
	SL_CHECK(spec->name && at->file && spec->count > 0 && spec->cpus > 0 &&
		 (spec->mem >= 0 || spec->mem == SL_NONE));
	SL_CHECK(sl_hosts_count(spec->hosts, strlen(spec->hosts), at, err) == spec->count);
	SL_CHECK(h->sockets > 0 && h->cores > 0 && h->threads > 0 && h->sockets * h->cores <= SL_CORES_MAX);
	SL_CHECK(h->cores_kept < h->sockets * h->cores || h->sockets * h->cores == 1);
	for (uint32_t i = 0; i < h->gres_count; i++)
		SL_CHECK(h->gres[i].name && h->gres[i].count > 0);
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

static int on_partition(
	void *self, const struct sl_partition *spec, const struct sl_place *at, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(spec->name && at->file && spec->shares > 0);
	return 0;
}

static int on_setting(void *self, const struct sl_setting *s, struct sl_err *err)
{
	(void)self;
	(void)err;
	SL_CHECK(s->kind && s->name && s->key && s->value && s->at.file && s->coverage < SL_COVERAGE_COUNT);
	return 0;
}

static void file_put(const char *folder, const char *name, size_t len, const void *data, size_t size)
{
	char path[300];
	(void)snprintf(path, sizeof(path), "%s/%.*s", folder, (int)len, name);
	FILE *file = fopen(path, "wb");
	SL_CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static const struct sl_cluster_sink sink = {
	.nodes = on_nodes, .window = on_window, .partition = on_partition, .setting = on_setting
};

/* Millions of nodes are taken as they come, and take their time: not here. */
static bool is_huge(const uint8_t *data, size_t size)
{
	unsigned digits = 0;
	for (size_t i = 0; i < size && digits < 6; i++)
		digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
	return digits == 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const known[] = { "slurm.conf", "gres.conf", "topology.conf", "a.conf" };
	char folder[] = "/tmp/fuzz-slurm-XXXXXX";
	const char *name = known[0];
	const char *p = (const char *)data;
	const char *end = p + size;
	const char *start = p;
	if (is_huge(data, size))
		return 0;
	SL_CHECK(mkdtemp(folder) != NULL);
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *next = newline ? newline + 1 : end;
		for (size_t i = 0; i < SL_LEN(known); i++) {
			const size_t len = strlen(known[i]);
			if ((size_t)(end - p) <= len + 3 || memcmp(p, "@@ ", 3) != 0 ||
				memcmp(p + 3, known[i], len) != 0)
				continue;
			file_put(folder, name, strlen(name), start, (size_t)(p - start));
			name = known[i];
			start = next;
		}
		p = next;
	}
	file_put(folder, name, strlen(name), start, (size_t)(end - start));
	struct sl_err err = { 0 };
	const struct sl_cluster_reader *const *reader = builtin_registry()->known.cluster_readers;
	while (strcmp((*reader)->name, "slurm") != 0)
		reader++;
	int status = 0;
	if ((*reader)->sniff(folder, NULL, 0))
		status = (*reader)->read(folder, NULL, NULL, 0, &sink, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	for (size_t i = 0; i < SL_LEN(known); i++) {
		char path[300];
		(void)snprintf(path, sizeof(path), "%s/%s", folder, known[i]);
		(void)unlink(path);
	}
	SL_CHECK(rmdir(folder) == 0);
	return 0;
}
