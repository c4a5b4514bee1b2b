/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.c - an array of texts, and a map to their places in it.
 */
#include "sim/base/names.h"

#include <stdlib.h>
#include <string.h>

/* Of texts that look alike; where a few repeat, each has a place of its own most of the time. */
static uint32_t *recent_of(struct names *names, const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text;
	const size_t look = len ? len + at[0] + 3U * at[len - 1] + 5U * at[len / 2] : 0;
	return &names->recent[look % SL_LEN(names->recent)];
}

static bool names_is(const struct names *names, uint32_t number, const char *text, size_t len)
{
	return strncmp(names->text[number], text, len) == 0 && !names->text[number][len];
}

static uint32_t find_hashed(const struct names *names, uint64_t hash, const char *text, size_t len)
{
	uint32_t number;
	SL_MAP_EACH(&names->map, hash, number)
	if (names_is(names, number, text, len))
		return number;
	return UINT32_MAX;
}

uint32_t names_find(const struct names *names, const char *text, size_t len)
{
	return find_hashed(names, sl_hash_bytes(0, text, len), text, len);
}

int names_add(struct names *names, struct sl_arena *arena, const char *text, size_t len, uint32_t *number,
	struct sl_err *err)
{
	uint32_t *recent = recent_of(names, text, len);
	if (*recent && names_is(names, *recent - 1, text, len)) {
		*number = *recent - 1;
		return SL_OK;
	}
	const uint64_t hash = sl_hash_bytes(0, text, len);
	*number = find_hashed(names, hash, text, len);
	if (*number != UINT32_MAX) {
		*recent = *number + 1;
		return SL_OK;
	}
	int status = SL_GROW_MOST(names->text, names->capacity, (size_t)names->count + 1, INT32_MAX, err);
	const char *copy = status ? NULL : sl_strdup(arena, text, len);
	if (!copy)
		return status ? status : sl_fail_memory(err);
	status = sl_map_add(&names->map, hash, names->count, err);
	if (status)
		return status;
	names->text[names->count] = copy;
	*number = names->count++;
	*recent = names->count;
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
