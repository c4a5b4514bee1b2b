/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.c - an array of texts, and a map to their places in it.
 */
#include "sim/base/names.h"

#include <stdlib.h>
#include <string.h>

uint32_t names_find(const struct names *names, const char *text, size_t len)
{
	uint32_t number;
	const uint64_t hash = sl_hash_bytes(0, text, len);
	SL_MAP_EACH(&names->map, hash, number)
	if (strncmp(names->text[number], text, len) == 0 && !names->text[number][len])
		return number;
	return UINT32_MAX;
}

int names_add(struct names *names, struct sl_arena *arena, const char *text, size_t len, uint32_t *number,
	struct sl_err *err)
{
	*number = names_find(names, text, len);
	if (*number != UINT32_MAX)
		return SL_OK;
	int status = SL_GROW_MOST(names->text, names->capacity, (size_t)names->count + 1, INT32_MAX, err);
	const char *copy = status ? NULL : sl_strdup(arena, text, len);
	if (!copy)
		return status ? status : sl_fail_memory(err);
	status = sl_map_add(&names->map, sl_hash_bytes(0, text, len), names->count, err);
	if (status)
		return status;
	names->text[names->count] = copy;
	*number = names->count++;
	return SL_OK;
}

void names_release(struct names *names)
{
	free(names->text);
	sl_map_free(&names->map);
	*names = (struct names){ 0 };
}

/* ---- For plug-ins ---- */

struct sl_names {
	struct names names;
	struct sl_arena *arena;
};

struct sl_names *sl_names_new(struct sl_arena *arena)
{
	struct sl_names *made = calloc(1, sizeof(*made));
	if (made)
		made->arena = arena;
	return made;
}

void sl_names_free(struct sl_names *names)
{
	if (names)
		names_release(&names->names);
	free(names);
}

uint32_t sl_names_add(struct sl_names *names, const char *text)
{
	uint32_t number;
	struct sl_err err = { 0 };
	return names_add(&names->names, names->arena, text, strlen(text), &number, &err) == 0 ? number
											      : UINT32_MAX;
}

uint32_t sl_names_find(const struct sl_names *names, const char *text)
{
	return names_find(&names->names, text, strlen(text));
}

const char *sl_names_text(const struct sl_names *names, uint32_t number) { return names->names.text[number]; }
