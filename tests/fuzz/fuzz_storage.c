/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_storage.c - any bytes at all as a rate and as a size: what is taken is within bounds.
 */
#include "models/storage/storage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int rate = 0; rate < 2; rate++) {
		int64_t bytes = -1;
		if (!storage_amount((const char *)data, size, rate != 0, &bytes))
			continue;
		const int64_t most = rate ? STORAGE_RATE_MAX : STORAGE_BYTES_MAX;
		SL_CHECK(bytes >= 0 && (bytes <= most || bytes == STORAGE_UNBOUNDED));
	}
	return 0;
}
