/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * keep.c - what nodes keep of images and datasets: least recently used goes first, by bytes.
 *
 * Uses are numbered as they come, so no two are alike and nothing is left to a tie. What is larger than the
 * whole disk is read and not kept.
 */
#include <string.h>

#include "models/storage/storage.h"

static struct storage_item *find(struct storage_disk *disk, uint32_t item)
{
	for (uint32_t i = 0; i < disk->count; i++)
		if (disk->item[i].item == item)
			return &disk->item[i];
	return NULL;
}

int64_t storage_keep_lacks(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes)
{
	struct storage_item *found = find(&keep->disk[node], item);
	if (!found)
		return bytes;
	found->used = ++keep->uses;
	return found->bytes < bytes ? bytes - found->bytes : 0;
}

static void drop(struct storage_disk *disk, struct storage_item *item)
{
	disk->held -= item->bytes;
	*item = disk->item[--disk->count];
}

static void make_room(struct storage_disk *disk, int64_t bytes)
{
	while (disk->capacity - disk->held < bytes) {
		uint32_t oldest = 0;
		for (uint32_t i = 1; i < disk->count; i++)
			if (disk->item[i].used < disk->item[oldest].used)
				oldest = i;
		drop(disk, &disk->item[oldest]);
	}
}

bool storage_keep_put(struct storage_keep *keep, uint32_t node, uint32_t item, int64_t bytes)
{
	struct storage_disk *disk = &keep->disk[node];
	struct storage_item *had = find(disk, item);
	if (had && had->bytes >= bytes)
		return true;
	if (had)
		drop(disk, had);
	if (bytes > disk->capacity)
		return true;
	make_room(disk, bytes);
	if (disk->count == disk->room) {
		const uint32_t room = disk->room ? 2 * disk->room : 4;
		struct storage_item *grown = sl_alloc(keep->arena, room, sizeof(*grown));
		if (!grown)
			return false;
		if (disk->count)
			memcpy(grown, disk->item, disk->count * sizeof(*grown));
		disk->item = grown;
		disk->room = room;
	}
	disk->item[disk->count++] =
		(struct storage_item){ .item = item, .used = ++keep->uses, .bytes = bytes };
	disk->held += bytes;
	return true;
}
