/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git_tree.h - the tree of a commit: what stands at a path there, links followed within it.
 */
#ifndef SL_GIT_TREE_H
#define SL_GIT_TREE_H

#include <limits.h>

#include "cli/base/cli.h"

enum tree_kind { TREE_FILE, TREE_LINK, TREE_MODULE };

struct tree_entry {
	const char *path;          /* From the tree's root; sorted. */
	const char *hash, *target; /* target: of a link, once it is read. */
	int64_t size;
	enum tree_kind kind;
	bool wanted, there; /* It is to be fetched; it is. */
};
struct git_tree {
	const char *top; /* The working tree's root, real. */
	struct tree_entry *entry;
	size_t count, capacity;
};

/* What git lists (-r -l -z); the text is lent. SL_USAGE: too many. */
int git_tree_read(struct git_tree *tree, char *text, size_t len, struct sl_err *err);
void git_tree_release(struct git_tree *tree);

enum tree_found { FOUND_NOTHING, FOUND_FILE, FOUND_FOLDER, FOUND_OUTSIDE };
struct tree_place {
	enum tree_found found;
	char path[PATH_MAX]; /* From the root, links followed; outside: from "/". */
	struct tree_entry *file;
	struct tree_entry *link[40]; /* That were followed. */
	size_t links;
};
/* path: from "/". */
void git_tree_find(struct git_tree *tree, const char *path, struct tree_place *place);
/* The first that is below the folder ("": all); they follow one another. */
size_t git_tree_below(const struct git_tree *tree, const char *folder);
bool git_tree_is_below(const char *path, const char *folder);
/* No part of its path is a file or link too: such a tree is nobody's, and writing through it might lead
 * anywhere. */
bool git_tree_is_sound(const struct git_tree *tree, const struct tree_entry *entry);

#endif
