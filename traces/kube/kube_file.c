/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_file.c - a file of manifests becomes objects.
 *
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/: each has apiVersion, kind and
 * metadata; a List (or a JobList, NodeList...) has them as items.
 */
#include "traces/kube/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sl_doc_node *kube_at(
	const struct sl_doc *doc, const struct sl_doc_node *node, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count && node; i++)
		node = sl_doc_member(doc, node, keys[i]);
	return node && (node->kind != SL_DOC_TEXT || manifest_text(doc, node)) ? node : NULL;
}

const char *manifest_text(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	const char *text = node && node->kind == SL_DOC_TEXT ? doc->text + node->text : "";
	return *text && strcmp(text, "~") != 0 && strcmp(text, "null") != 0 ? text : NULL;
}

bool kube_time(const char *text, sl_time *time)
{
	const size_t len = text ? strlen(text) : 0;
	return len > 1 && text[len - 1] == 'Z' && sl_get_date(text, len - 1, time);
}

void kube_file_release(struct kube_file *file)
{
	sl_doc_release(&file->doc);
	free(file->object);
	for (size_t i = 0; i < file->foreign_count; i++)
		free(file->foreign[i]);
	free(file->foreign);
	*file = (struct kube_file){ 0 };
}

/* ---- Objects ------------------------------------------------------------------------------------- */

static int fail_at(
	const struct kube_file *file, const struct sl_doc_node *node, const char *what, struct sl_err *err)
{
	const struct sl_place at = sl_doc_place(&file->doc, node);
	return sl_fail_at(err, &at, "%s", what);
}

static int object_add(struct kube_file *file, const struct sl_object *object, struct sl_err *err)
{
	if (file->count == KUBE_OBJECTS_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d objects: split it", file->doc.file,
			KUBE_OBJECTS_MAX);
	if (SL_GROW(file->object, file->capacity, file->count + 1, err))
		return SL_SYSTEM;
	file->object[file->count++] = *object;
	return SL_OK;
}

static bool ends_with_list(const char *kind)
{
	const size_t len = strlen(kind);
	return len >= 4 && strcmp(kind + len - 4, "List") == 0;
}

static const char *or_empty(const char *text) { return text ? text : ""; }

/* A kind that is known in another API group: as kubectl tells the two apart, "Job.batch.volcano.sh". No one
 * who looks for a Job finds it. */
static int name_foreign(struct kube_file *file, struct sl_object *object, struct sl_err *err)
{
	const size_t len = strcspn(object->version, "/");
	char *name;
	if (!kube_kind_of(object->kind) || kube_kind_in(object->kind, object->version))
		return SL_OK;
	for (size_t i = 0; i < file->foreign_count; i++)
		if (strncmp(file->foreign[i], object->kind, strlen(object->kind)) == 0 &&
			file->foreign[i][strlen(object->kind)] == '.' &&
			strncmp(file->foreign[i] + strlen(object->kind) + 1, object->version, len) == 0 &&
			!file->foreign[i][strlen(object->kind) + 1 + len]) {
			object->kind = file->foreign[i];
			return SL_OK;
		}
	if (asprintf(&name, "%s.%.*s", object->kind, (int)len, object->version) < 0)
		return sl_fail_memory(err);
	if (SL_RESIZE(file->foreign, file->foreign_count + 1, err)) {
		free(name);
		return SL_SYSTEM;
	}
	object->kind = file->foreign[file->foreign_count++] = name;
	return SL_OK;
}

/* One object; its kind as it says itself. Settings of a program have no name. */
static int object_in(struct kube_file *file, const struct sl_doc_node *node, struct sl_err *err)
{
	const struct sl_doc *doc = &file->doc;
	if (node->kind != SL_DOC_MAP)
		return fail_at(file, node, "an object must be a map with apiVersion, kind and metadata", err);
	struct sl_object object = {
		.kind = manifest_text(doc, sl_doc_member(doc, node, "kind")),
		.version = or_empty(manifest_text(doc, sl_doc_member(doc, node, "apiVersion"))),
		.namespace = or_empty(manifest_text(doc, KUBE_AT(doc, node, "metadata", "namespace"))),
		.name = or_empty(manifest_text(doc, KUBE_AT(doc, node, "metadata", "name"))),
		.doc = doc,
		.node = node,
	};
	if (!object.kind)
		return fail_at(
			file, node, "the object has no 'kind': give apiVersion, kind and metadata", err);
	if (!*object.version)
		return fail_at(file, node, "the object has no 'apiVersion': give it, as 'batch/v1'", err);
	if (strlen(object.name) > KUBE_NAME_MAX || strlen(object.namespace) > KUBE_NAME_MAX)
		return fail_at(file, node, "the object's name has more than 253 letters", err);
	const int status = name_foreign(file, &object, err);
	return status ? status : object_add(file, &object, err);
}

static int document_in(struct kube_file *file, const struct sl_doc_node *node, struct sl_err *err);

/* A List may have Lists. Documents are no deeper than SL_DOC_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static int items_in(struct kube_file *file, const struct sl_doc_node *list, struct sl_err *err)
{
	int status = SL_OK;
	if (list->kind != SL_DOC_LIST)
		return fail_at(file, list, "'items' must be a list of objects", err);
	for (const struct sl_doc_node *node = sl_doc_child(&file->doc, list); node && !status;
		node = sl_doc_next(&file->doc, node))
		status = document_in(file, node, err);
	return status;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static int document_in(struct kube_file *file, const struct sl_doc_node *node, struct sl_err *err)
{
	const char *kind = manifest_text(&file->doc, sl_doc_member(&file->doc, node, "kind"));
	const struct sl_doc_node *items = sl_doc_member(&file->doc, node, "items");
	if (node->kind == SL_DOC_TEXT && !manifest_text(&file->doc, node))
		return SL_OK; /* Nothing but comments. */
	return kind && items && ends_with_list(kind) ? items_in(file, items, err)
						     : object_in(file, node, err);
}

/* ---- Files ---------------------------------------------------------------------------------------- */

static bool is_json(const char *text)
{
	while (*text && strchr(" \t\r\n", *text))
		text++;
	return *text == '{' || *text == '[';
}

static int documents_in(struct kube_file *file, bool json, struct sl_err *err)
{
	int status = SL_OK;
	if (!file->doc.count)
		return SL_OK;
	const struct sl_doc_node *root = &file->doc.node[0];
	if (json && root->kind == SL_DOC_MAP)
		return document_in(file, root, err);
	for (const struct sl_doc_node *node = sl_doc_child(&file->doc, root); node && !status;
		node = sl_doc_next(&file->doc, node))
		status = document_in(file, node, err);
	return status;
}

int kube_file_read(struct sl_input *in, struct kube_file *file, struct sl_err *err)
{
	const char *text;
	const char *end;
	*file = (struct kube_file){ .doc = { .file = sl_input_name(in) } };
	int status = sl_input_all(in, &text, &end, err);
	if (status)
		return status;
	if (end - text > SL_DOC_BYTES_MAX)
		return sl_fail(err, SL_INPUT, "%s: is larger than 64 MiB: split it", file->doc.file);
	const bool json = is_json(text);
	status = (json ? sl_doc_read_json : sl_doc_read_yamls)(&file->doc, text, (size_t)(end - text), err);
	return status ? status : documents_in(file, json, err);
}

int kube_text_read(const char *text, size_t len, const char *name, struct kube_file *file, struct sl_err *err)
{
	*file = (struct kube_file){ .doc = { .file = name } };
	const int status = sl_doc_read_json(&file->doc, text, len, err);
	return status ? status : documents_in(file, true, err);
}

int kube_written_read(
	const char *text, size_t len, const struct sl_object *of, struct kube_file *file, struct sl_err *err)
{
	*file = (struct kube_file){ .doc = { .file = of->doc->file } };
	const int status = sl_doc_read_json(&file->doc, text, len, err);
	for (size_t i = 0; i < file->doc.count; i++) {
		struct sl_doc_node *node = &file->doc.node[i];
		node->line = node->key_line = of->node->line;
		node->column = node->key_column = of->node->column;
	}
	return status ? status : documents_in(file, true, err);
}

/* ---- Sniffing -------------------------------------------------------------------------------------- */

/* A line of YAML that begins with apiVersion or kind, or JSON that has the word in its first bytes. */
int kube_sniff(const char *text, size_t len)
{
	static const char *const words[] = { "apiVersion:", "kind:" };
	static const char member[] = "\"apiVersion\"";
	const char *end = text + len;
	size_t i = 0;
	while (i < len && strchr(" \t\r\n", text[i]))
		i++;
	if (i < len && text[i] == '{')
		return memmem(text, len, member, strlen(member)) ? 97 : 0;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		for (size_t k = 0; k < SL_LEN(words); k++)
			if ((size_t)(end - p) >= strlen(words[k]) &&
				memcmp(p, words[k], strlen(words[k])) == 0)
				return 97;
		p = newline ? newline + 1 : end;
	}
	return 0;
}
