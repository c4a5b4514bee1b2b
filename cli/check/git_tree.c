/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git_tree.c - the tree of a commit: what stands at a path there, links followed within it.
 *
 * Paths are walked part by part, as the kernel would: a link's target goes on from the link's own folder.
 * What leads out of the tree, and into a submodule, is outside: it is as it stands now.
 */
#include "cli/check/git_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- Read ---------------------------------------------------------------------------------- */

/* No part of it is "..", "." or empty. */
static bool is_inside(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		const size_t len = strcspn(part, "/");
		if (!len || (len == 2 && memcmp(part, "..", 2) == 0) || (len == 1 && *part == '.'))
			return false;
	}
	return true;
}

/* "MODE TYPE HASH SIZE\tPATH"; false: of another kind. */
static bool entry_of(char *text, struct tree_entry *entry)
{
	char *path = strchr(text, '\t');
	char *type = strchr(text, ' ');
	char *hash = type ? strchr(type + 1, ' ') : NULL;
	char *size = hash ? strchr(hash + 1, ' ') : NULL;
	if (!path || !size || path < size || !is_inside(path + 1) || strlen(path + 1) >= PATH_MAX)
		return false;
	*path = *size = '\0';
	size += 1 + strspn(size + 1, " ");
	*entry = (struct tree_entry){ .path = path + 1, .hash = hash + 1 };
	entry->kind = strncmp(text, "100", 3) == 0   ? TREE_FILE
		      : strncmp(text, "120", 3) == 0 ? TREE_LINK
						     : TREE_MODULE;
	return entry->kind == TREE_MODULE || sl_get_i64(size, strlen(size), &entry->size);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

int git_tree_read(struct git_tree *tree, char *text, size_t len, struct sl_err *err)
{
	enum { ENTRIES_MAX = 1 << 22 };
	for (size_t at = 0; at < len;) {
		const size_t next = at + strlen(text + at) + 1;
		const int status =
			SL_GROW_MOST(tree->entry, tree->capacity, tree->count + 1, (size_t)ENTRIES_MAX, err);
		if (status)
			return status;
		tree->count += entry_of(text + at, &tree->entry[tree->count]);
		at = next;
	}
	if (tree->count)
		qsort(tree->entry, tree->count, sizeof(*tree->entry), by_path);
	return SL_OK;
}

void git_tree_release(struct git_tree *tree) { free(tree->entry); }

/* ---- Looked up -------------------------------------------------------------------------------- */

/* The first that is not before. */
static size_t first_from(const struct git_tree *tree, const char *path)
{
	size_t low = 0;
	size_t high = tree->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (strcmp(tree->entry[middle].path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool git_tree_is_below(const char *path, const char *folder)
{
	const size_t len = strlen(folder);
	return !len || (strncmp(path, folder, len) == 0 && path[len] == '/');
}

size_t git_tree_below(const struct git_tree *tree, const char *folder)
{
	char path[PATH_MAX + 2];
	(void)snprintf(path, sizeof(path), "%s%s", folder, *folder ? "/" : "");
	return first_from(tree, path);
}

static struct tree_entry *entry_at(const struct git_tree *tree, const char *path)
{
	const size_t i = first_from(tree, path);
	return i < tree->count && strcmp(tree->entry[i].path, path) == 0 ? &tree->entry[i] : NULL;
}

static bool is_folder(const struct git_tree *tree, const char *path)
{
	const size_t i = git_tree_below(tree, path);
	return !*path || (i < tree->count && git_tree_is_below(tree->entry[i].path, path));
}

bool git_tree_is_sound(const struct git_tree *tree, const struct tree_entry *entry)
{
	char path[PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s", entry->path);
	for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
		*slash = '\0';
		if (entry_at(tree, path))
			return false;
	}
	return true;
}

/* ---- Walked ------------------------------------------------------------------------------------- */

struct walk {
	struct git_tree *tree;
	struct tree_place *place;
	char at[PATH_MAX];   /* From "/", without a slash at its end. */
	char rest[PATH_MAX]; /* What is still to come. */
};

/* Where the walk stands, from the tree's root; NULL: outside. */
static const char *git_tree_within(const struct walk *walk)
{
	const size_t top = strlen(walk->tree->top);
	if (strncmp(walk->at, walk->tree->top, top) != 0 || (walk->at[top] && walk->at[top] != '/'))
		return NULL;
	return walk->at + top + (walk->at[top] == '/');
}

/* Further parts in front of those that are still to come; false: too long. */
static bool push(struct walk *walk, const char *text)
{
	char rest[PATH_MAX];
	const int len = snprintf(rest, sizeof(rest), "%s/%s", text, walk->rest);
	if (len < 0 || (size_t)len >= sizeof(rest))
		return false;
	memcpy(walk->rest, rest, (size_t)len + 1);
	return true;
}

/* The next part, which is gone from the rest; false: there is none. */
static bool next_part(struct walk *walk, char part[PATH_MAX])
{
	const char *from = walk->rest + strspn(walk->rest, "/");
	const size_t len = strcspn(from, "/");
	memcpy(part, from, len);
	part[len] = '\0';
	memmove(walk->rest, from + len, strlen(from + len) + 1);
	return len > 0;
}

static void up(struct walk *walk)
{
	char *slash = strrchr(walk->at, '/');
	if (slash)
		*slash = '\0';
}

static bool git_tree_follow(struct walk *walk, struct tree_entry *link)
{
	struct tree_place *place = walk->place;
	if (!link->target || place->links == SL_LEN(place->link) || !push(walk, link->target))
		return false;
	place->link[place->links++] = link;
	if (*link->target == '/')
		walk->at[0] = '\0';
	else
		up(walk);
	return true;
}

/* One part further; false: the walk is at its end, as place->found says. */
static bool step(struct walk *walk, const char *part)
{
	const size_t len = strlen(walk->at);
	if (strcmp(part, ".") == 0)
		return true;
	if (strcmp(part, "..") == 0) {
		up(walk);
		return true;
	}
	if (len + strlen(part) + 2 > sizeof(walk->at))
		return false;
	walk->at[len] = '/';
	memcpy(walk->at + len + 1, part, strlen(part) + 1);
	const char *path = git_tree_within(walk);
	if (!path || !*path)
		return true; /* Outside, as yet. */
	struct tree_entry *entry = entry_at(walk->tree, path);
	if (entry && entry->kind == TREE_LINK)
		return git_tree_follow(walk, entry);
	if (entry && entry->kind == TREE_FILE) {
		const bool last = !walk->rest[strspn(walk->rest, "/")];
		walk->place->found = last ? FOUND_FILE : FOUND_NOTHING;
		walk->place->file = last ? entry : NULL;
		return false;
	}
	if (entry)
		entry->wanted = true; /* A submodule, which is as it stands. */
	return entry == NULL && is_folder(walk->tree, path);
}

void git_tree_find(struct git_tree *tree, const char *path, struct tree_place *place)
{
	struct walk walk = { .tree = tree, .place = place };
	char part[PATH_MAX];
	bool more = true;
	place->found = FOUND_NOTHING;
	place->file = NULL;
	place->links = 0;
	if (strlen(path) >= sizeof(walk.rest))
		return;
	(void)snprintf(walk.rest, sizeof(walk.rest), "%s", path);
	while (more && next_part(&walk, part))
		more = step(&walk, part);
	const char *inside = git_tree_within(&walk);
	if (more)
		place->found = inside ? FOUND_FOLDER : FOUND_OUTSIDE;
	(void)snprintf(place->path, sizeof(place->path), "%s", inside ? inside : walk.at);
}
