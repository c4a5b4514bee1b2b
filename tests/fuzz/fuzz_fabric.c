/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_fabric.c - any bytes at all as lines KEY=VALUE of what is said of a fabric: it is read, or refused
 * with a sentence.
 */
#include <string.h>

#include "models/fabric/net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 32, TEXT_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX + 1];
	struct sl_value value[LINES_MAX];
	size_t count = 0;
	if (size > TEXT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line = text; line && count < LINES_MAX;) {
		char *end = strchr(line, '\n');
		char *equals = strchr(line, '=');
		if (end)
			*end++ = '\0';
		if (equals && (!end || equals < end)) {
			*equals = '\0';
			value[count++] = (struct sl_value){ .key = line, .text = equals + 1 };
		}
		line = end;
	}
	const struct sl_cluster cluster = { .node_count = 1 };
	const struct sl_model_setup setup = { .cluster = &cluster, .values = value, .value_count = count };
	struct net_config config;
	struct sl_err err = { 0 };
	const int status = net_config_read(&config, &setup, &err);
	SL_CHECK(status == SL_OK ? !err.text[0] : err.text[0] && status == err.status);
	SL_CHECK(status || (config.rate >= 0 && config.efficiency > 0 && config.levels < NET_LEVELS_MAX));
	return 0;
}
