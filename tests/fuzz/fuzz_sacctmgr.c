/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_sacctmgr.c - any bytes at all as tables of sacctmgr and sshare, and as its dump.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base.h"

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
	const struct sl_cluster_reader *const *reader = sl_cluster_readers;
	while (strcmp((*reader)->name, name) != 0)
		reader++;
	return *reader;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char conf[] = "NodeName=n[1-4] CPUs=4\n";
	static const char *const key[] = { "accounts", "qos", "usage", "events" };
	const struct sl_cluster_reader *reader = reader_of("slurm");
	char path[32];
	char conf_path[32];
	int fd[2];
	(void)file_of(path, &fd[0], data, size);
	(void)file_of(conf_path, &fd[1], conf, strlen(conf));
	for (size_t i = 0; i < SL_LEN(key); i++) {
		struct sl_err err = { 0 };
		struct sl_input *in;
		bool used = false;
		const struct sl_cluster_setting setting = { key[i], path, &used };
		int status = sl_input_open(&in, conf_path, &err);
		if (!status)
			status = reader->read(conf_path, in, &setting, 1, &sink, &err);
		SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
		sl_input_close(in);
	}
	(void)close(fd[0]);
	(void)close(fd[1]);
	return 0;
}
