/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_sacctmgr.c - any bytes at all as tables of sacctmgr and sshare, and as its dump.
 */
#include "tests/fuzz/operator.h"

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
