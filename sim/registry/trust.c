/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trust.c - what the user named himself, and what else would be executed.
 */
#include "sim/registry/trust.h"

#include <stdio.h>
#include <string.h>

#include "sim/registry/plugins.h"

enum { SAID_MAX = 100000 };

/* The key of what is no parameter's. */
static const char path_key[] = "plug-in";

static int trust_said(
	struct trust *trust, const char *key, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	if (trust->count == SAID_MAX ||
		SL_GROW_IN(arena, trust->said, trust->capacity, trust->count + 1, err))
		return sl_fail_memory(err);
	const size_t capacity = strlen(key) + strlen(text) + 2;
	char *kept = sl_alloc(arena, capacity, 1);
	if (!kept)
		return sl_fail_memory(err);
	(void)snprintf(kept, capacity, "%s%s%s", key, *key ? "=" : "", text);
	trust->said[trust->count++] = kept;
	return SL_OK;
}

int trust_say_path(struct trust *trust, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	return trust_said(trust, path_key, path, arena, err);
}

int trust_say_setting(struct trust *trust, const char *setting, struct sl_arena *arena, struct sl_err *err)
{
	static const char prefix[] = "policy.";
	if (strncmp(setting, prefix, sizeof(prefix) - 1) == 0)
		setting += sizeof(prefix) - 1;
	if (!strchr(setting, '='))
		return SL_OK;
	const char *plain = policy_plain(setting, arena);
	return plain ? trust_said(trust, "", plain, arena, err) : sl_fail_memory(err);
}

int trust_say_policy(struct registry *registry, const char *text, struct sl_err *err)
{
	struct sl_err none = { 0 };
	struct sl_arena *arena = registry->arena;
	const char *name = policy_name(registry, text, arena, &none);
	const char *items = name ? policy_items(registry, text) : NULL;
	const char *item;
	if (!name)
		return SL_OK; /* What is wrong is reported as it is chosen. */
	int status =
		is_plugin_path(registry, name) ? trust_say_path(&registry->trust, name, arena, err) : SL_OK;
	while (!status && (item = policy_item_next(&items, arena)))
		status = trust_said(&registry->trust, "", item, arena, err);
	return status;
}

static bool trust_is_said(const struct trust *trust, const char *key, const char *text)
{
	const size_t len = strlen(key);
	for (size_t i = 0; i < trust->count; i++) {
		const char *one = trust->said[i];
		if (strncmp(one, key, len) == 0 && one[len] == '=' && strcmp(one + len + 1, text) == 0)
			return true;
	}
	return false;
}

int trust_query(const struct trust *trust, enum trust_what what, const char *key, const char *text,
	const struct sl_place *at, struct sl_err *err)
{
	static const char *const would[] = {
		[TRUST_PLUGIN] = "load the plug-in",
		[TRUST_SCRIPT] = "run the script",
		[TRUST_PROGRAM] = "run the program",
		[TRUST_WRITE] = "write the file",
	};
	if (!trust || !trust->guarded || trust->all || trust_is_said(trust, key ? key : path_key, text))
		return SL_OK;
	char where[600] = "";
	if (at && at->line)
		(void)snprintf(where, sizeof(where), "%.500s:%u: ", at->file, (unsigned)at->line);
	else if (at || trust->file)
		(void)snprintf(where, sizeof(where), "%.500s: ", at ? at->file : trust->file);
	return sl_fail(err, SL_USAGE, "%swould %s '%.200s': say --trust if you trust whoever wrote that",
		where, would[what], text);
}
