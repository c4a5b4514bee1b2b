/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_tres.c - any bytes at all as a line of options, and as a TRES string.
 *
 * Texts lie in the room that was promised to be enough, closed by zeros.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_options(const char *text, size_t len)
{
	static struct sl_job_desc desc[SLURM_COMPONENTS_MAX];
	struct sl_err err = { 0 };
	struct slurm_said said;
	char *space = malloc(slurm_options_size(len));
	SL_CHECK(space);
	const int status = slurm_options(&(struct slurm_line){ text, len, 0, space }, desc, &said, &err);
	SL_CHECK(status == err.status);
	if (!status) {
		SL_CHECK(said.desc_count > 0 && said.desc_count <= SLURM_COMPONENTS_MAX);
		SL_CHECK(!said.more.name || strlen(said.more.name) <= len);
		SL_CHECK(!said.desc[0].gres || strlen(said.desc[0].gres) <= len);
		SL_CHECK(!said.first || said.position_len <= len);
	}
	free(space);
}

static void try_tres(const char *text, size_t len)
{
	const struct sacct_cell cell = { len ? text : NULL, len };
	struct sacct_tres tres;
	struct sacct_id id;
	sl_time time;
	sacct_tres_of(&cell, &tres);
	SL_CHECK(tres.item_count <= SL_LEN(tres.item));
	for (size_t i = 0; i < tres.item_count; i++)
		SL_CHECK(tres.item[i].count >= 0 && tres.item[i].name.len > 0);
	(void)sacct_duration(&cell, &time);
	(void)sacct_id_of(&cell, &id);
	(void)sacct_state_of(&cell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 64);
	SL_CHECK(text);
	if (size)
		memcpy(text, data, size);
	memset(text + size, 0, 64);
	try_options(text, size);
	try_tres(text, size);
	free(text);
	return 0;
}
