/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_hardware.c - how nodes are built: copied whole, and compared, so that nodes that are built
 * differently are of different types.
 */
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

enum { CORE_WORDS = SL_CORES_MAX / 64 };

static bool text_copy(struct sl_arena *arena, const char **text)
{
	if (!*text)
		return true;
	*text = sl_strdup(arena, *text, strlen(*text));
	return *text != NULL;
}

static bool gres_copy(struct sl_arena *arena, struct sl_gres *gres)
{
	if (!text_copy(arena, &gres->name) || !text_copy(arena, &gres->type) ||
		!text_copy(arena, &gres->nic) || !text_copy(arena, &gres->mig))
		return false;
	if (!gres->cores)
		return true;
	uint64_t *cores = sl_alloc(arena, CORE_WORDS, sizeof(*cores));
	if (cores)
		memcpy(cores, gres->cores, CORE_WORDS * sizeof(*cores));
	gres->cores = cores;
	return cores != NULL;
}

static bool features_copy(struct sl_arena *arena, struct sl_hardware *hardware)
{
	const char **feature = sl_alloc(arena, hardware->feature_count, sizeof(*feature));
	bool good = feature != NULL;
	for (uint32_t i = 0; i < hardware->feature_count && good; i++) {
		feature[i] = hardware->feature[i];
		good = text_copy(arena, &feature[i]);
	}
	hardware->feature = feature;
	return good;
}

static bool all_gres_copy(struct sl_arena *arena, struct sl_hardware *hardware)
{
	struct sl_gres *gres = sl_alloc(arena, hardware->gres_count, sizeof(*gres));
	bool good = gres != NULL;
	for (uint32_t i = 0; i < hardware->gres_count && good; i++) {
		gres[i] = hardware->gres[i];
		good = gres_copy(arena, &gres[i]);
	}
	hardware->gres = gres;
	return good;
}

const struct sl_hardware *hardware_copy(struct sl_arena *arena, const struct sl_hardware *from)
{
	struct sl_hardware *copy = sl_alloc(arena, 1, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *from;
	if (!text_copy(arena, &copy->state_reason))
		return NULL;
	if (copy->feature_count && !features_copy(arena, copy))
		return NULL;
	return copy->gres_count && !all_gres_copy(arena, copy) ? NULL : copy;
}

static bool text_same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool gres_same(const struct sl_gres *a, const struct sl_gres *b)
{
	const bool cores =
		a->cores == b->cores ||
		(a->cores && b->cores && memcmp(a->cores, b->cores, CORE_WORDS * sizeof(uint64_t)) == 0);
	return cores && text_same(a->name, b->name) && text_same(a->type, b->type) &&
	       text_same(a->nic, b->nic) && a->count == b->count && a->mem == b->mem &&
	       a->no_consume == b->no_consume && a->island == b->island && text_same(a->mig, b->mig);
}

static bool numbers_same(const struct sl_hardware *a, const struct sl_hardware *b)
{
	return a->boards == b->boards && a->sockets == b->sockets && a->cores == b->cores &&
	       a->threads == b->threads && a->cores_kept == b->cores_kept && a->state == b->state &&
	       a->mem_kept == b->mem_kept && a->tmp_disk == b->tmp_disk && a->weight == b->weight;
}

bool hardware_same(const struct sl_hardware *a, const struct sl_hardware *b)
{
	if (a == b || !a || !b)
		return a == b;
	if (!numbers_same(a, b) || !text_same(a->state_reason, b->state_reason) ||
		a->feature_count != b->feature_count || a->gres_count != b->gres_count)
		return false;
	for (uint32_t i = 0; i < a->feature_count; i++)
		if (!text_same(a->feature[i], b->feature[i]))
			return false;
	for (uint32_t i = 0; i < a->gres_count; i++)
		if (!gres_same(&a->gres[i], &b->gres[i]))
			return false;
	return true;
}

bool hardware_has(const struct sl_hardware *hardware, const char *feature, size_t len)
{
	for (uint32_t i = 0; hardware && i < hardware->feature_count; i++)
		if (strncmp(hardware->feature[i], feature, len) == 0 && !hardware->feature[i][len])
			return true;
	return false;
}
