/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugins_files.c - files that a policy's parameters name: read once, when the policy is chosen, so that
 * policies see documents and scripts, and open nothing. Their hashes go into what identifies a run.
 */
#include <string.h>

#include "sim/base/doc.h"
#include "sim/registry/plugins.h"

const struct policy_file *policy_file_of(const struct policy_choice *choice, const char *key)
{
	for (size_t i = 0; i < choice->file_count; i++)
		if (strcmp(choice->file[i].key, key) == 0)
			return &choice->file[i];
	return NULL;
}

/* ---- Reading --------------------------------------------------------------------------- */

static int read_doc(struct policy_file *file, struct sl_input *in, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc doc = { .file = file->path };
	const char *text;
	const char *end;
	int status = sl_input_all(in, &text, &end, err);
	if (status)
		return status;
	if (end == text)
		return sl_fail(err, SL_INPUT, "%s: is empty", file->path);
	if (end - text > SL_DOC_BYTES_MAX)
		return sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: split it", file->path);
	const size_t len = (size_t)(end - text);
	const char *first = text + strspn(text, " \t\r\n");
	file->format = *first == '{' || *first == '[' ? "json" : "yaml";
	file->bytes = sl_input_bytes(in);
	status = doc_read_any(&doc, text, len, err);
	memcpy(file->sha256, sl_input_sha256(in), sizeof(file->sha256));
	if (!status)
		status = sl_doc_keep(arena, &doc, &file->doc, err);
	sl_doc_release(&doc);
	return status;
}

static int plugins_files_read_file(struct policy_file *file, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in = NULL;
	int status = sl_input_open(&in, file->path, err);
	if (!status)
		status = read_doc(file, in, arena, err);
	sl_input_close(in);
	return status;
}

/* ---- All of a policy's ------------------------------------------------------------------- */

/* They grow in number as scripts name what else they use. */
struct files {
	struct policy_file *file;
	size_t count, capacity;
	struct sl_arena *arena;
};

static int plugins_files_add(struct files *files, const struct policy_file *file, struct sl_err *err)
{
	if (SL_GROW_IN(files->arena, files->file, files->capacity, files->count + 1, err))
		return SL_SYSTEM;
	files->file[files->count++] = *file;
	return SL_OK;
}

static int add_script(struct files *files, const char *key, struct sl_script *script, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < script->file_count && !status; i++) {
		const struct script_file *of = &script->file[i];
		struct policy_file file = { .key = key,
			.path = of->path,
			.format = script->scripting->name,
			.bytes = of->len,
			.script = i ? NULL : script };
		memcpy(file.sha256, of->sha256, sizeof(file.sha256));
		status = plugins_files_add(files, &file, err);
	}
	return status;
}

static int add_doc(struct files *files, const struct policy_choice *choice, const char *key, const char *path,
	struct sl_err *err)
{
	const struct policy_file *had = policy_file_of(choice, key);
	struct policy_file file = { .key = key, .path = path };
	if (had && strcmp(had->path, path) == 0)
		return plugins_files_add(files, had, err);
	const int status = plugins_files_read_file(&file, files->arena, err);
	return status ? status : plugins_files_add(files, &file, err);
}

/* One script for parameters that name the same. */
static struct sl_script *script_had(
	const struct files *files, const struct policy_choice *choice, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->file[i].script && strcmp(files->file[i].script->path, path) == 0)
			return files->file[i].script;
	for (size_t i = 0; i < choice->file_count; i++)
		if (choice->file[i].script && strcmp(choice->file[i].script->path, path) == 0)
			return choice->file[i].script;
	return NULL;
}

static int add_part(struct files *files, const struct policy_choice *choice, const char *key,
	const char *text, struct sl_err *err)
{
	const char *path;
	const struct sl_scripting *scripting = script_prefix(choice->registry, text, &path);
	if (!scripting)
		return sl_fail(err, SL_USAGE, "'%s=%s' is in a language that nobody knows here", key, text);
	struct sl_script *script = script_had(files, choice, path);
	const int status = script ? SL_OK
				  : script_load(&script, scripting, path, NULL, NULL,
					    &choice->registry->watch, files->arena, err);
	return status ? status : add_script(files, key, script, err);
}

/* Is the key one of "command,record"? */
static bool plugins_files_is_among(const char *keys, const char *key)
{
	const size_t len = strlen(key);
	for (const char *p = keys; p && *p; p += strcspn(p, ",") + (strchr(p, ',') != NULL))
		if (strcspn(p, ",") == len && memcmp(p, key, len) == 0)
			return true;
	return false;
}

int value_trusted(const struct policy_choice *choice, size_t i, const struct sl_place *at, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	const struct sl_param *param = &policy->params[i];
	const char *text = choice->values[i].text;
	const struct trust *trust = choice->registry ? &choice->registry->trust : NULL;
	if (!text || !*text)
		return SL_OK;
	if (script_choice(param, text) >= 0)
		return trust_query(trust, TRUST_SCRIPT, param->key, text, at, err);
	if (plugins_files_is_among(policy->runs, param->key))
		return trust_query(trust, TRUST_PROGRAM, param->key, text, at, err);
	if (plugins_files_is_among(policy->writes, param->key))
		return trust_query(trust, TRUST_WRITE, param->key, text, at, err);
	return SL_OK;
}

int policy_files(struct policy_choice *choice, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	struct files files = { .arena = arena };
	int status = choice->script ? add_script(&files, "", choice->script, err) : SL_OK;
	for (size_t i = 0; i < policy->param_count && !status; i++) {
		const struct sl_param *param = &policy->params[i];
		const char *text = choice->values[i].text;
		status = value_trusted(choice, i, NULL, err);
		if (status)
			return status;
		if (text && param->kind == SL_PARAM_DOC)
			status = add_doc(&files, choice, param->key, text, err);
		else if (text && script_choice(param, text) >= 0)
			status = add_part(&files, choice, param->key, text, err);
	}
	if (status)
		return status;
	choice->file = files.file;
	choice->file_count = files.count;
	return SL_OK;
}
