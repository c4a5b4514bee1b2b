/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * keep.c - what nodes keep of images and datasets: least recently used goes first, by bytes.
 *
 * Uses are numbered as they come, so no two are alike and nothing is left to a tie. What is larger than the
 * whole disk is read and not kept, nor what does not fit beside what jobs use.
 */
#include <string.h>

#include "models/storage/storage.h"

static struct storage_item *keep_find(struct storage_disk *disk, uint32_t item)
{
	for (uint32_t i = 0; i < disk->count; i++)
		if (disk->item[i].item == item)
			return &disk->item[i];
	return NULL;
}

int64_t storage_keep_lacks(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes)
{
	struct storage_item *found = keep_find(&keep->disk[node], item);
	if (!found)
		return bytes;
	found->used = ++keep->uses;
	return found->bytes < bytes ? bytes - found->bytes : 0;
}

/* ---- Who uses it ------------------------------------------------------------------- */

/* Those that left are forgotten. */
static bool in_use(const struct storage_keep *keep, struct storage_item *item)
{
	for (uint32_t i = item->users; i-- > 0;)
		if (keep->stay[item->user[i].job] != item->user[i].stay)
			item->user[i] = item->user[--item->users];
	return item->users > 0;
}

bool storage_keep_use(struct storage_keep *keep, uint32_t node, uint32_t item, uint32_t job)
{
	struct storage_item *found = keep_find(&keep->disk[node], item);
	if (!found)
		return true;
	(void)in_use(keep, found);
	for (uint32_t i = 0; i < found->users; i++)
		if (found->user[i].job == job)
			return true;
	if (SL_GROW_IN(keep->arena, found->user, found->reserved, found->users + 1, NULL))
		return false;
	found->user[found->users++] = (struct storage_user){ job, keep->stay[job] };
	return true;
}

/* ---- Capacity ---------------------------------------------------------------------------- */

/* Its place keeps the array for users. */
static void keep_drop(struct storage_disk *disk, uint32_t at)
{
	const struct storage_item gone = disk->item[at];
	disk->held -= gone.bytes;
	disk->item[at] = disk->item[--disk->count];
	disk->item[disk->count] = gone;
}

/* The longest unused of those that nobody uses; there is one. */
static uint32_t oldest_idle(
	const struct storage_keep *keep, const struct storage_disk *disk, uint32_t but_not)
{
	uint32_t oldest = disk->count;
	for (uint32_t i = 0; i < disk->count; i++) {
		struct storage_item *item = &disk->item[i];
		if (item->item != but_not && !in_use(keep, item) &&
			(oldest == disk->count || item->used < disk->item[oldest].used))
			oldest = i;
	}
	SL_CHECK(oldest < disk->count);
	return oldest;
}

/* For so much of the item. False: there is not enough that nobody uses, and nothing goes. */
static bool keep_make_room(
	const struct storage_keep *keep, struct storage_disk *disk, uint32_t item, int64_t bytes)
{
	int64_t idle = disk->capacity - disk->held;
	for (uint32_t i = 0; i < disk->count && idle < bytes; i++)
		if (disk->item[i].item != item && !in_use(keep, &disk->item[i]))
			idle += disk->item[i].bytes;
	if (idle < bytes)
		return false;
	while (disk->capacity - disk->held < bytes)
		keep_drop(disk, oldest_idle(keep, disk, item));
	return true;
}

bool storage_keep_put(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes)
{
	struct storage_disk *disk = &keep->disk[node];
	const struct storage_item *had = keep_find(disk, item);
	const int64_t more = bytes - (had ? had->bytes : 0);
	if (more <= 0 || !keep_make_room(keep, disk, item, more))
		return true;
	struct storage_item *grows = keep_find(disk, item);
	if (SL_GROW_IN(keep->arena, disk->item, disk->reserved, disk->count + !grows, NULL))
		return false;
	if (!grows) {
		grows = &disk->item[disk->count++];
		grows->item = item;
		grows->bytes = 0;
		grows->users = 0;
	}
	grows->used = ++keep->uses;
	grows->bytes += more;
	disk->held += more;
	return true;
}
