/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scripts.c - scripts, and the files of their folders, read when a policy is chosen.
 *
 * The language says what a script needs while it loads it; from then on nothing is read, so that runs on many
 * threads see the same text, and every file of it has its hash in what identifies a run.
 */
#include "sim/registry/scripts.h"

#include <stdio.h>
#include <string.h>

#include "sim/registry/registry.h"

/* ---- Names ----------------------------------------------------------------------------------- */

const struct sl_scripting *script_prefix(const struct registry *registry, const char *text, const char **path)
{
	const char *colon = strchr(text, ':');
	if (!colon)
		return NULL;
	*path = colon + 1;
	return sl_by_name_n(registry->known.scriptings, text, (size_t)(colon - text));
}

const struct sl_scripting *script_named(const struct registry *registry, const char *name, const char **path)
{
	const struct sl_scripting *found = script_prefix(registry, name, path);
	const struct sl_scripting *const *known = registry->known.scriptings;
	const size_t len = strlen(name);
	for (; !found && known && *known; known++) {
		const size_t tail = strlen((*known)->ending);
		if (len <= tail || strcmp(name + len - tail, (*known)->ending) != 0)
			continue;
		*path = name;
		found = *known;
	}
	return found;
}

int64_t script_choice(const struct sl_param *param, const char *text)
{
	const char *colon = strchr(text, ':');
	if (!colon || (!param_is_choice(param) && param->kind != SL_PARAM_TEXT))
		return -1;
	int64_t index = 0;
	const size_t len = (size_t)(colon - text);
	for (const char *p = param->choices; p; index++) {
		if (strncmp(p, text, len) == 0 && strncmp(p + len, ":FILE", 5) == 0)
			return index;
		p = strchr(p, '|');
		p += p != NULL;
	}
	return -1;
}

const char *sl_script_path(const struct sl_script *script) { return script->path; }

bool sl_script_stopping(struct sl_script *script)
{
	const struct script_watch *watch = script->watch;
	return watch && watch->is_over && watch->is_over(watch, &script->since);
}

const struct sl_scripting *sl_script_language(const struct sl_script *script) { return script->scripting; }

const char *sl_script_beside(const struct sl_script *script, const char *name, struct sl_arena *arena)
{
	const char *slash = strrchr(script->path, '/');
	const size_t folder = slash ? (size_t)(slash - script->path) + 1 : 0;
	const size_t capacity = folder + strlen(name) + 1;
	char *path = sl_alloc(arena, capacity, 1);
	if (path)
		(void)snprintf(path, capacity, "%.*s%s", (int)folder, script->path, name);
	return path;
}

/* ---- Reading ----------------------------------------------------------------------------------- */

static int read_text(
	struct script_file *file, struct sl_input *in, struct sl_arena *arena, struct sl_err *err)
{
	const char *text;
	const char *end;
	const int status = sl_input_all(in, &text, &end, err);
	if (status)
		return status;
	if (end == text)
		return sl_fail(err, SL_INPUT, "%s: is empty: give a script", file->path);
	if (end - text > SCRIPT_BYTES_MAX)
		return sl_fail(err, SL_INPUT, "%s: is larger than 4 MiB, the most of a script", file->path);
	file->len = (size_t)(end - text);
	file->text = sl_strdup(arena, text, file->len);
	memcpy(file->sha256, sl_input_sha256(in), sizeof(file->sha256));
	return file->text ? SL_OK : sl_fail_memory(err);
}

static int scripts_read_file(struct sl_script *script, const char *name, struct sl_err *err)
{
	struct sl_input *in = NULL;
	struct script_file *file = &script->file[script->file_count];
	if (script->file_count == SCRIPT_FILES_MAX)
		return sl_fail(err, SL_INPUT, "%s: uses more than %d files: join some", script->path,
			SCRIPT_FILES_MAX);
	*file = (struct script_file){ .path = script->path };
	if (name) {
		file->name = sl_strdup(script->arena, name, strlen(name));
		file->path = sl_script_beside(script, name, script->arena);
	}
	if (!file->path || (name && !file->name))
		return sl_fail_memory(err);
	int status = sl_input_open(&in, file->path, err);
	if (!status)
		status = read_text(file, in, script->arena, err);
	sl_input_close(in);
	script->file_count += status == SL_OK;
	return status;
}

static const struct script_file *file_of(const struct sl_script *script, const char *name)
{
	for (size_t i = 0; i < script->file_count; i++) {
		const char *its = script->file[i].name;
		if (name && its ? strcmp(name, its) == 0 : !name && !its)
			return &script->file[i];
	}
	return NULL;
}

int sl_script_text(
	struct sl_script *script, const char *name, const char **text, size_t *len, struct sl_err *err)
{
	const struct script_file *file = file_of(script, name);
	if (!file && script->loaded)
		return sl_fail(err, SL_INPUT,
			"'%s' was not used as '%s' was loaded: files are read then, and not in a run", name,
			script->path);
	const int status = file ? SL_OK : scripts_read_file(script, name, err);
	if (status)
		return status;
	if (!file)
		file = &script->file[script->file_count - 1];
	*text = file->text;
	*len = file->len;
	return SL_OK;
}

/* NOLINTNEXTLINE(readability-function-size): a script, and where its parts go. */
int script_load(struct sl_script **script, const struct sl_scripting *scripting, const char *path,
	const char *sha256, const struct sl_policy **policy, const struct script_watch *watch,
	struct sl_arena *arena, struct sl_err *err)
{
	struct sl_script *made = sl_alloc(arena, 1, sizeof(*made));
	if (!made)
		return sl_fail_memory(err);
	*made = (struct sl_script){ .scripting = scripting,
		.path = sl_strdup(arena, path, strlen(path)),
		.arena = arena,
		.watch = watch,
		.file = sl_alloc(arena, SCRIPT_FILES_MAX, sizeof(*made->file)) };
	if (!made->path || !made->file)
		return sl_fail_memory(err);
	int status = scripts_read_file(made, NULL, err);
	if (!status && sha256 && strcmp(made->file->sha256, sha256) != 0)
		status =
			sl_fail(err, SL_BASELINE, "%s: its SHA-256 is %s, it was %s: give the file as it was",
				path, made->file->sha256, sha256);
	if (!status)
		status = scripting->load(made, policy, arena, err);
	made->loaded = true;
	made->watch = NULL;
	*script = made;
	return status;
}
