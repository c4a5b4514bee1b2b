/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_bundle.c - any bytes at all as a bundle's tar and as its list of sums: each file that is taken has a
 * name below the folder, and a list that is read is sorted, has no path twice, and agrees with itself.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/bundle/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(void *self, const char *name, const char *bytes, size_t len, struct sl_err *err)
{
	const char *const *text = self;
	(void)err;
	SL_CHECK(*name && *name != '/' && !path_leads_out(name) && !strstr(name, "//"));
	SL_CHECK(bytes >= text[0] && len <= (size_t)(text[1] - bytes));
	return SL_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_err err = { 0 };
	char *text = calloc(size + 1, 1);
	SL_CHECK(text);
	if (size)
		memcpy(text, data, size);
	const char *bounds[] = { text, text + size };
	int status = bundle_unpack_text("t.tar", text, text + size, take, bounds, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	struct bundle_files list = { 0 };
	err = (struct sl_err){ 0 };
	status = bundle_sums_read(&list, BUNDLE_SUMS, text, text + size, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	for (size_t i = 0; i < list.count && !status; i++) {
		SL_CHECK(!path_leads_out(list.file[i].path) && strlen(list.file[i].sha256) == 64);
		SL_CHECK(!i || strcmp(list.file[i - 1].path, list.file[i].path) < 0);
	}
	SL_CHECK(status || bundle_sums_compare(&list, &list, &err) == SL_OK);
	bundle_files_release(&list);
	free(text);
	return 0;
}
