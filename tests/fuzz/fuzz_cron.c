/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_cron.c - any text as a cron time; the first 8 bytes are when to look from.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/runai/rules/kai_share.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MINUTE_S = 60, HALF = 2 };
	int64_t from = 0;
	if (size < sizeof(from))
		return 0;
	memcpy(&from, data, sizeof(from));
	from %= INT64_MAX / HALF / MINUTE_S;
	const size_t len = size - sizeof(from);
	char *text = malloc(len + 1);
	SL_CHECK(text);
	memcpy(text, data + sizeof(from), len);
	text[len] = '\0';
	struct sl_err err = { 0 };
	struct kai_cron cron;
	const int status = kai_cron_parse(text, &cron, &err);
	SL_CHECK(status == err.status);
	if (!status) {
		SL_CHECK(cron.minute && cron.hour && cron.day && cron.month && cron.weekday);
		const int64_t next = kai_cron_next(&cron, from);
		SL_CHECK(next > from);
		SL_CHECK(next == INT64_MAX || next % MINUTE_S == 0);
		SL_CHECK(next == INT64_MAX || kai_cron_next(&cron, next - 1) == next);
	}
	free(text);
	return 0;
}
