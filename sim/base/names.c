/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.c - open addressing, linear steps; slots are a power of two, at most half of them taken.
 */
#include "sim/base/names.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time: multiply, fold. */
static uint64_t mix(uint64_t x, uint64_t word)
{
	const unsigned __int128 product = (unsigned __int128)(x ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static size_t hash(const char *text, size_t len)
{
	uint64_t x = UINT64_C(0xcbf29ce484222325) ^ len;
	uint64_t word = 0;
	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		x = mix(x, word);
	}
	word = 0;
	memcpy(&word, text, len);
	return (size_t)mix(x, word);
}

static size_t slot_of(const struct names *names, const char *text, size_t len)
{
	size_t at = hash(text, len) & (names->slots - 1);
	for (; names->slot[at]; at = (at + 1) & (names->slots - 1)) {
		const char *known = names->text[names->slot[at] - 1];
		if (known[0] == text[0] && strncmp(known, text, len) == 0 && !known[len])
			break;
	}
	return at;
}

/* Twice the slots, and all in them. */
static int widen(struct names *names, struct sl_err *err)
{
	const size_t slots = names->slots ? 2 * names->slots : 64;
	uint32_t *slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return sl_fail_memory(err);
	free(names->slot);
	names->slot = slot;
	names->slots = slots;
	for (uint32_t i = 0; i < names->count; i++)
		slot[slot_of(names, names->text[i], strlen(names->text[i]))] = i + 1;
	return SL_OK;
}

static int make_room(struct names *names, struct sl_err *err)
{
	void *array = names->text;
	const int status = grow(
		&array, &names->capacity, sizeof(*names->text), (size_t)names->count + 1, INT32_MAX, err);
	names->text = array;
	if (status || (size_t)names->count * 2 < names->slots)
		return status;
	return widen(names, err);
}

int names_add(struct names *names, struct sl_arena *arena, const char *text, size_t len, uint32_t *number,
	struct sl_err *err)
{
	const int status = make_room(names, err);
	if (status)
		return status;
	uint32_t *slot = &names->slot[slot_of(names, text, len)];
	if (!*slot) {
		const char *copy = sl_strdup(arena, text, len);
		if (!copy)
			return sl_fail_memory(err);
		names->text[names->count++] = copy;
		*slot = names->count;
	}
	*number = *slot - 1;
	return SL_OK;
}

uint32_t names_find(const struct names *names, const char *text, size_t len)
{
	return names->slots ? names->slot[slot_of(names, text, len)] - 1 : UINT32_MAX;
}

void names_release(struct names *names)
{
	free(names->text);
	free(names->slot);
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
