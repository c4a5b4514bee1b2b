/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_scontrol.c - any bytes at all as what scontrol shows: refused with a text, or told in full.
 */
#include "tests/fuzz/operator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sl_cluster_reader *reader = reader_of("scontrol");
	char path[32];
	int fd;
	struct sl_err err = { 0 };
	struct sl_input *in;
	(void)reader->sniff("x", (const char *)data, size);
	int status = sl_input_open(&in, file_of(path, &fd, data, size), &err);
	if (!status)
		status = reader->read(path, in, NULL, 0, &sink, &err);
	SL_CHECK(status == err.status && (!status || (status == SL_INPUT && *err.text)));
	sl_input_close(in);
	(void)close(fd);
	return 0;
}
