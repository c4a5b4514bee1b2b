/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugins_files.c - files that a policy's parameters name: read once, when the policy is chosen, so that
 * policies see documents and open nothing. Their hashes go into what identifies a run.
 */
#include <string.h>

#include "sim/pass.h"
#include "sim/plugins.h"

static const struct policy_file *file_of(const struct policy_choice *choice, const char *key)
{
	for (size_t i = 0; i < choice->file_count; i++)
		if (strcmp(choice->file[i].key, key) == 0)
			return &choice->file[i];
	return NULL;
}

const char *policy_file_hash(const struct policy_choice *choice, const char *key)
{
	const struct policy_file *file = file_of(choice, key);
	return file ? file->sha256 : NULL;
}

const struct sl_doc *sl_param_doc(const struct sl_setup *setup, const char *key)
{
	const struct policy_choice *choice = setup->pass ? setup->pass->options.choice : NULL;
	const struct policy_file *file = choice ? file_of(choice, key) : NULL;
	return file ? &file->doc : NULL;
}

/* ---- Reading --------------------------------------------------------------------------- */

static bool is_json(const char *text)
{
	while (*text && strchr(" \t\r\n", *text))
		text++;
	return *text == '{' || *text == '[';
}

/* Into the arena, which goes when the choice does. */
static int keep(
	struct policy_file *file, const struct sl_doc *doc, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_doc_node *node = sl_alloc(arena, doc->count + 1, sizeof(*node));
	char *text = sl_alloc(arena, doc->text_len + 1, 1);
	if (!node || !text)
		return sl_fail(err, SL_SYSTEM, "%s: out of memory", file->path);
	if (doc->count)
		memcpy(node, doc->node, doc->count * sizeof(*node));
	if (doc->text_len)
		memcpy(text, doc->text, doc->text_len);
	file->doc = (struct sl_doc){
		.file = file->path, .node = node, .count = doc->count, .text = text, .text_len = doc->text_len
	};
	return SL_OK;
}

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
	status = is_json(text) ? sl_doc_read_json(&doc, text, len, err)
			       : sl_doc_read_yaml(&doc, text, len, err);
	memcpy(file->sha256, sl_input_sha256(in), sizeof(file->sha256));
	if (!status)
		status = keep(file, &doc, arena, err);
	sl_doc_release(&doc);
	return status;
}

static int read_file(struct policy_file *file, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in = NULL;
	int status = sl_input_open(&in, file->path, err);
	if (!status)
		status = read_doc(file, in, arena, err);
	sl_input_close(in);
	return status;
}

int policy_files(struct policy_choice *choice, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	struct policy_file *file = NULL;
	size_t count = 0;
	for (size_t i = 0; i < policy->param_count; i++)
		count += policy->params[i].kind == SL_PARAM_DOC && choice->values[i].text;
	if (count)
		file = sl_alloc(arena, count, sizeof(*file));
	if (count && !file)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	count = 0;
	for (size_t i = 0; file && i < policy->param_count; i++) {
		const char *path = choice->values[i].text;
		if (policy->params[i].kind != SL_PARAM_DOC || !path)
			continue;
		const struct policy_file *had = file_of(choice, policy->params[i].key);
		struct policy_file *to = &file[count++];
		if (had && strcmp(had->path, path) == 0) {
			*to = *had;
			continue;
		}
		*to = (struct policy_file){ .key = policy->params[i].key, .path = path };
		const int status = read_file(to, arena, err);
		if (status)
			return status;
	}
	choice->file = file;
	choice->file_count = count;
	return SL_OK;
}
