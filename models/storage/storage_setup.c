/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storage_setup.c - storage before the run: file systems, who reads what, what nodes can keep.
 */
#include <stdlib.h>
#include <string.h>

#include "models/storage/storage.h"

/* ---- Items: names of images and datasets, numbered ----------------------------------- */

struct named {
	const char *name;
	uint32_t profile;
	bool dataset;
};

static int storage_setup_by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (x->dataset != y->dataset)
		return x->dataset ? 1 : -1;
	const int order = strcmp(x->name, y->name);
	if (order)
		return order;
	return x->profile < y->profile ? -1 : x->profile > y->profile;
}

/* An image and a dataset of one name are two items. */
static int number_items(struct storage *storage, struct sl_err *err)
{
	const struct sl_jobs *jobs = storage->jobs;
	struct named *named = sl_alloc(storage->arena, 2 * (size_t)jobs->profile_count + 1, sizeof(*named));
	if (!named)
		return sl_fail_memory(err);
	size_t count = 0;
	for (uint32_t i = 0; i < jobs->profile_count; i++) {
		const struct sl_profile *profile = &jobs->profile[i];
		storage->image_of[i] = storage->dataset_of[i] = UINT32_MAX;
		if (profile->image && profile->image_bytes > 0)
			named[count++] = (struct named){ profile->image, i, false };
		if (profile->dataset && profile->dataset_bytes > 0)
			named[count++] = (struct named){ profile->dataset, i, true };
	}
	qsort(named, count, sizeof(*named), storage_setup_by_name);
	uint32_t item = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && (named[i].dataset != named[i - 1].dataset ||
				 strcmp(named[i].name, named[i - 1].name) != 0))
			item++;
		(named[i].dataset ? storage->dataset_of : storage->image_of)[named[i].profile] = item;
	}
	return SL_OK;
}

/* ---- Profiles -------------------------------------------------------------------------- */

static int check_profile(struct storage *storage, uint32_t i, struct sl_err *err)
{
	const struct sl_profile *profile = &storage->jobs->profile[i];
	const int64_t bytes[] = { profile->read, profile->write, profile->read_each, profile->dataset_bytes,
		profile->image_bytes };
	for (size_t k = 0; k < SL_LEN(bytes); k++)
		if (bytes[k] > STORAGE_BYTES_MAX)
			return sl_fail(err, SL_INPUT,
				"storage: a job moves more than 9 petabytes at once: give at most 9PB");
	if (profile->read_each > 0 && (profile->comp <= 0 || profile->comp > INT64_C(1000000000000000)))
		return sl_fail(err, SL_INPUT,
			"storage: a job has 'read_each' and no 'comp': say how long an iteration takes");
	storage->system_of[i] = storage_system_of(storage->system, storage->system_count, profile->fs);
	if (storage->system_of[i] == UINT32_MAX)
		return sl_fail(err, SL_INPUT,
			"storage: a job is on file system '%.60s', which is not in the cluster's section storage",
			profile->fs);
	return SL_OK;
}

static int profiles_init(struct storage *storage, struct sl_err *err)
{
	const uint32_t count = storage->jobs->profile_count;
	storage->system_of = sl_alloc(storage->arena, (size_t)count + 1, sizeof(*storage->system_of));
	storage->image_of = sl_alloc(storage->arena, (size_t)count + 1, sizeof(*storage->image_of));
	storage->dataset_of = sl_alloc(storage->arena, (size_t)count + 1, sizeof(*storage->dataset_of));
	if (!storage->system_of || !storage->image_of || !storage->dataset_of)
		return sl_fail_memory(err);
	for (uint32_t i = 1; i < count; i++) {
		const int status = check_profile(storage, i, err);
		if (status)
			return status;
	}
	return number_items(storage, err);
}

/* ---- Disks ------------------------------------------------------------------------------- */

static int disks_init(struct storage *storage, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	const struct sl_value *cache = sl_value_of(setup->values, setup->value_count, "cache");
	int64_t each = -1;
	if (cache && cache->text && !storage_amount(cache->text, strlen(cache->text), false, &each))
		return sl_fail(err, SL_USAGE,
			"storage.cache='%.60s' is no size: write it like 2TB or unlimited", cache->text);
	storage->keep.disk =
		sl_alloc(storage->arena, (size_t)cluster->node_count + 1, sizeof(*storage->keep.disk));
	storage->mark = sl_alloc(storage->arena, (size_t)cluster->node_count + 1, sizeof(*storage->mark));
	if (!storage->keep.disk || !storage->mark)
		return sl_fail_memory(err);
	storage->keep.arena = storage->arena;
	storage->keep.stay = sl_alloc(storage->arena, (size_t)storage->jobs->count + 1, sizeof(uint64_t));
	if (!storage->keep.stay)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->node_count; i++) {
		const struct sl_hardware *hardware = cluster->type[cluster->node_type[i]].hardware;
		const int64_t mib = hardware && hardware->tmp_disk > 0 ? hardware->tmp_disk : 0;
		storage->keep.disk[i].capacity = each >= 0               ? each
						 : mib < INT64_MAX >> 20 ? mib << 20
									 : INT64_MAX;
	}
	return SL_OK;
}

/* ---- All ------------------------------------------------------------------------------------ */

static int pools_init(struct storage *storage, struct sl_err *err)
{
	const uint32_t count = 2 * storage->system_count;
	storage->pool = sl_alloc(storage->arena, count, sizeof(*storage->pool));
	storage->load = sl_alloc(storage->arena, count, sizeof(*storage->load));
	for (int i = 0; i < 2; i++)
		storage->moved[i] =
			sl_alloc(storage->arena, storage->system_count, sizeof(*storage->moved[i]));
	storage->job = sl_alloc(storage->arena, (size_t)storage->jobs->count + 1, sizeof(*storage->job));
	if (!storage->pool || !storage->load || !storage->moved[0] || !storage->moved[1] || !storage->job)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < count; i++)
		storage->pool[i].capacity = storage->system[i / 2].capacity[i % 2];
	for (uint32_t i = 0; i < storage->jobs->count; i++)
		storage->job[i].flow = STORAGE_NO_FLOW;
	storage->flows = (struct storage_flows){ .arena = storage->arena, .free = STORAGE_NO_FLOW };
	return SL_OK;
}

int storage_init(void **state, const struct sl_model_setup *setup, struct sl_err *err)
{
	struct storage *storage = sl_alloc(setup->arena, 1, sizeof(*storage));
	if (!storage)
		return sl_fail_memory(err);
	*state = storage;
	storage->arena = setup->arena;
	storage->jobs = setup->jobs;
	storage->cluster = setup->cluster;
	int status = storage_systems(&storage->system, &storage->system_count, setup, err);
	if (status)
		return status;
	const struct sl_value *images = sl_value_of(setup->values, setup->value_count, "images");
	const char *from = images ? images->text : NULL;
	storage->image_system = storage_system_of(storage->system, storage->system_count, from);
	if (storage->image_system == UINT32_MAX)
		return sl_fail(err, SL_USAGE, "storage.images='%.60s' is no file system of the cluster",
			from ? from : "");
	status = pools_init(storage, err);
	if (!status)
		status = profiles_init(storage, err);
	return status ? status : disks_init(storage, setup, err);
}
