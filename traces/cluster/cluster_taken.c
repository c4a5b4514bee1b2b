/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster_taken.c - nodes that a setting takes away are taken out of the file's lists, too.
 *
 * Of "n", count 4, cluster.nodes[n].count-=1 leaves n1 to n3: a partition of n[1-4] has these, and so have
 * switches and reservations. A name that no entry had as the file is written stays, and is an error later.
 * With one node left, which is called n then, n1 is that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/cluster/cluster_file.h"

/* The entry of that name; NULL: there is none. */
static const struct counted *entry_called(const struct reading *r, const char *name, size_t len)
{
	for (size_t i = 0; i < r->entry_count; i++)
		if (strncmp(r->entry[i], name, len) == 0 && !r->entry[i][len])
			return &r->counted[i];
	return NULL;
}

/* Of which entry it is, and its number there, from 1; as the engine numbers nodes, by the counts as written
 * or as they are now. NULL: of none. */
static const struct counted *entry_of(
	const struct reading *r, const char *name, size_t len, bool written, int64_t *number)
{
	const struct counted *entry = entry_called(r, name, len);
	*number = 1;
	if (entry && (written ? entry->written : entry->now) == 1)
		return entry;
	for (size_t split = len; split > 1 && name[split - 1] >= '0' && name[split - 1] <= '9'; split--) {
		entry = entry_called(r, name, split - 1);
		const int64_t count = !entry ? 0 : written ? entry->written : entry->now;
		if (count > 1 && name[split - 1] != '0' &&
			sl_get_i64(name + split - 1, len - split + 1, number) && *number <= count)
			return entry;
	}
	return NULL;
}

struct trimming {
	const struct reading *r;
	FILE *kept;
	bool any, changed;
};

static void cluster_taken_keep(struct trimming *trimming, const char *name, size_t len)
{
	(void)fprintf(trimming->kept, "%s%.*s", trimming->any ? "," : "", (int)len, name);
	trimming->any = true;
}

static int on_name(void *self, const char *name, size_t len)
{
	struct trimming *trimming = self;
	const struct reading *r = trimming->r;
	int64_t number;
	if (entry_of(r, name, len, false, &number)) {
		cluster_taken_keep(trimming, name, len);
		return 0;
	}
	const struct counted *entry = entry_of(r, name, len, true, &number);
	if (!entry) {
		cluster_taken_keep(trimming, name, len);
		return 0;
	}
	trimming->changed = true;
	if (number == 1 && entry->now == 1)
		cluster_taken_keep(
			trimming, r->entry[entry - r->counted], strlen(r->entry[entry - r->counted]));
	return 0;
}

/* An entry's name is for all that it has; others are names, as hosts are listed. */
static void trim_item(struct trimming *trimming, const char *item, size_t len)
{
	const struct counted *entry = entry_called(trimming->r, item, len);
	struct sl_err ignored = { 0 };
	if (entry && entry->written && !entry->now)
		trimming->changed = true;
	else if (entry || (len == 3 && strncasecmp(item, "all", len) == 0) ||
		 sl_hosts_count(item, len, NULL, &ignored) < 0)
		cluster_taken_keep(trimming, item, len);
	else
		(void)sl_hosts_each(item, len, NULL, &ignored, on_name, trimming);
}

static bool any_taken(const struct reading *r)
{
	for (size_t i = 0; i < r->entry_count; i++)
		if (r->counted[i].now < r->counted[i].written)
			return true;
	return false;
}

int taken_trim(const struct reading *r, const char **list, char **made)
{
	size_t size;
	struct trimming trimming = { .r = r };
	*made = NULL;
	if (!*list || !any_taken(r))
		return SL_OK;
	trimming.kept = open_memstream(made, &size);
	if (!trimming.kept)
		return sl_fail_memory(r->err);
	for (const char *p = *list; *p;) {
		size_t len = 0;
		p += strspn(p, " ,");
		for (bool inside = false; p[len] && (inside || p[len] != ','); len++)
			inside = p[len] == '[' || (inside && p[len] != ']');
		size_t width = len;
		while (width && p[width - 1] == ' ')
			width--;
		if (width)
			trim_item(&trimming, p, width);
		p += len;
	}
	if (fclose(trimming.kept))
		return sl_fail_memory(r->err);
	if (trimming.changed)
		*list = *made;
	return SL_OK;
}
