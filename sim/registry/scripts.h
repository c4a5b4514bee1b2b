/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scripts.h - scripts of policies: found by name, read once with what they use of their folder.
 *
 * A script is named by its path with the language's ending ("mine.lua"), or with the language's name before
 * it
 * ("lua:mine.lua").
 */
#ifndef SL_SCRIPTS_H
#define SL_SCRIPTS_H

#include "sim/base/base.h"

enum { SCRIPT_BYTES_MAX = 4 << 20, SCRIPT_FILES_MAX = 100 };

struct script_file {
	const char *name, *path; /* name: of the folder's ("util.lua"); NULL: the script itself. */
	const char *text;
	size_t len;
	char sha256[65];
};

/* Is a script that is being loaded to end? There is no run yet that would say so. */
struct script_watch {
	/* *since: 0 as it begins; the watch's own. NULL: it is never to end. */
	bool (*is_over)(const struct script_watch *watch, int64_t *since);
	sl_time most; /* The most time that it may run, by the wall clock; 0: no limit. */
};

struct sl_script {
	const struct sl_scripting *scripting;
	const char *path;
	struct sl_arena *arena;
	struct script_file *file; /* The script itself first. */
	size_t file_count;
	bool loaded;                      /* No more are read. */
	const struct script_watch *watch; /* While it is loaded. */
	int64_t since;                    /* The watch's. */
};

struct registry;

/* The language of a text "lua:FILE"; *path: behind the colon. NULL: none. */
const struct sl_scripting *script_prefix(
	const struct registry *registry, const char *text, const char **path);
/* Of the name of a policy: as above, or by its ending. NULL: no script's. */
const struct sl_scripting *script_named(const struct registry *registry, const char *name, const char **path);
/* Has the parameter a choice "lua:FILE" for that text? Its number among them; -1. */
int64_t script_choice(const struct sl_param *param, const char *text);
/* Reads and loads it, into the arena. sha256: what it has to be, before anything of it runs; NULL: anything.
 * policy: where its vtable goes, if it is to be a whole one; NULL. watch: NULL: nobody's. SL_INTERRUPTED: it
 * was to end. */
int script_load(struct sl_script **script, const struct sl_scripting *scripting, const char *path,
	const char *sha256, const struct sl_policy **policy, const struct script_watch *watch,
	struct sl_arena *arena, struct sl_err *err);

#endif
