/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_reader.c - a cluster of manifests: a file, or a folder of them.
 *
 * Of a folder all files *.yaml, *.yml and *.json are read, by name (compressed ones too: .gz, .zst, .xz),
 * folders in it are not, nor files without an object. Objects stay in the order of the files.
 */
#include "traces/kube/manifests.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 10000, PATH_CAPACITY = 4096 };

struct reading {
	const char *path;
	const struct sl_cluster_sink *sink;
	struct sl_arena *arena;
	struct kube_reported reported;
	struct kube_file file[FILES_MAX];
	struct sl_input *in[FILES_MAX]; /* Their names are the documents'. */
	size_t count;
	struct sl_err *err;
};

/* ---- Files ------------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, size_t len, const char *end)
{
	return len > strlen(end) && memcmp(name + len - strlen(end), end, strlen(end)) == 0;
}

static bool is_manifest(const char *name)
{
	static const char *const packed[] = { ".gz", ".zst", ".xz" };
	static const char *const ends[] = { ".yaml", ".yml", ".json" };
	size_t len = strlen(name);
	for (size_t i = 0; i < SL_LEN(packed); i++)
		if (ends_with(name, len, packed[i])) {
			len -= strlen(packed[i]);
			break;
		}
	for (size_t i = 0; i < SL_LEN(ends); i++)
		if (ends_with(name, len, ends[i]))
			return *name != '.';
	return false;
}

static int kube_reader_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of its manifests, sorted, lent by the arena. */
static int folder_list(
	struct sl_arena *arena, const char *path, const char ***names, size_t *count, struct sl_err *err)
{
	DIR *folder = opendir(path);
	int status = SL_OK;
	*count = 0;
	*names = sl_alloc(arena, FILES_MAX, sizeof(**names));
	if (!folder)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	if (!*names)
		status = sl_fail_memory(err);
	for (const struct dirent *entry = readdir(folder); entry && !status; entry = readdir(folder)) {
		if (!is_manifest(entry->d_name))
			continue;
		char *name = sl_strdup(arena, entry->d_name, strlen(entry->d_name));
		if (*count == FILES_MAX)
			status = sl_fail(err, SL_INPUT, "%s: has more than %d files", path, FILES_MAX);
		else if (!name)
			status = sl_fail_memory(err);
		else
			(*names)[(*count)++] = name;
	}
	(void)closedir(folder);
	if (!status && *count)
		qsort(*names, *count, sizeof(**names), kube_reader_compare_names);
	return status;
}

static int file_in(struct reading *r, struct sl_input *in)
{
	struct kube_file *file = &r->file[r->count];
	const int status = kube_file_read(in, file, r->err);
	r->count++;
	return status;
}

/* Values of Helm, a kustomization: of a folder's files those that have no object are left out, and reported.
 */
static int is_ours(const struct reading *r, struct sl_input *in, bool *ours)
{
	const char *text;
	const char *end;
	const int got = sl_input_peek(in, &text, &end, r->err);
	*ours = got <= 0 || kube_sniff(text, (size_t)(end - text));
	if (got < 0)
		return r->err->status;
	const struct sl_place at = { sl_input_name(in), 1, 1 };
	const struct sl_setting setting = { "file", "", sl_input_name(in), "", at, SL_IGNORED,
		"has no line apiVersion or kind: not read", NULL };
	return *ours || !r->sink->setting ? SL_OK : r->sink->setting(r->sink->self, &setting, r->err);
}

static int folder_in(struct reading *r)
{
	const char **name;
	size_t count;
	int status = folder_list(r->arena, r->path, &name, &count, r->err);
	for (size_t i = 0; i < count && !status; i++) {
		char path[PATH_CAPACITY];
		const int len = snprintf(path, sizeof(path), "%s/%s", r->path, name[i]);
		if (len < 0 || len >= PATH_CAPACITY)
			return sl_fail(r->err, SL_INPUT, "%s: has a path of more than %d letters", r->path,
				PATH_CAPACITY - 1);
		status = sl_input_open(&r->in[r->count], path, r->err);
		struct sl_input *in = r->in[r->count];
		bool ours = false;
		if (!status)
			status = is_ours(r, in, &ours);
		if (!status && !ours) {
			sl_input_close(in);
			r->in[r->count] = NULL;
			continue;
		}
		if (!status)
			status = file_in(r, in);
		if (!status && r->sink->file)
			status = r->sink->file(r->sink->self, in, r->err);
	}
	return status;
}

/* ---- Reports ------------------------------------------------------------------------------------------- */

/* The objects of all files, one after another. */
static struct sl_object *kube_reader_join(const struct reading *r, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < r->count; i++)
		*count += r->file[i].count;
	struct sl_object *all = sl_alloc(r->arena, *count + 1, sizeof(*all));
	size_t at = 0;
	for (size_t i = 0; all && i < r->count; i++)
		for (size_t k = 0; k < r->file[i].count; k++)
			all[at++] = r->file[i].object[k];
	return all;
}

static int compare_objects(const void *a, const void *b)
{
	const struct sl_object *x = *(const struct sl_object *const *)a;
	const struct sl_object *y = *(const struct sl_object *const *)b;
	int order = strcmp(x->kind, y->kind);
	order = order ? order : strcmp(x->namespace, y->namespace);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : (x > y) - (x < y);
}

/* No two objects of one kind have one name. Those without a name are programs' settings. */
static int check_once(const struct reading *r, const struct sl_object *object, size_t count)
{
	const struct sl_object **by_name = sl_alloc(r->arena, count + 1, sizeof(const struct sl_object *));
	if (!by_name)
		return sl_fail_memory(r->err);
	for (size_t i = 0; i < count; i++)
		by_name[i] = &object[i];
	qsort(by_name, count, sizeof(*by_name), compare_objects);
	for (size_t i = 1; i < count; i++) {
		const struct sl_object *a = by_name[i - 1];
		const struct sl_object *b = by_name[i];
		const struct sl_place at = sl_doc_place(b->doc, b->node);
		if (*a->name && strcmp(a->kind, b->kind) == 0 && strcmp(a->name, b->name) == 0 &&
			strcmp(a->namespace, b->namespace) == 0)
			return sl_fail_at(r->err, &at,
				"%s '%.60s' stands twice, first on line %u of %s: remove one", b->kind,
				b->name, a->node->line, a->doc->file);
	}
	return SL_OK;
}

static int report_fields(struct reading *r, const struct sl_object *object, size_t count)
{
	int status = SL_OK;
	r->reported.self = r->sink->self;
	r->reported.report = r->sink->setting;
	for (size_t i = 0; i < count && !status && r->sink->setting; i++)
		status = kube_fields_report(&r->reported, &object[i], r->err);
	return status;
}

/* Nodes that autoscalers may add are objects like all others, of a file that nobody wrote. */
static int templates_in(struct reading *r, const struct sl_object **object, size_t *count)
{
	struct kube_file *file = &r->file[r->count];
	if (r->count == FILES_MAX)
		return SL_OK;
	r->count++;
	const int status = kube_templates_make(r->arena, *object, *count, file, r->err);
	if (status || !file->count)
		return status;
	*object = kube_reader_join(r, count);
	return *object ? SL_OK : sl_fail_memory(r->err);
}

static int kube_reader_report(struct reading *r)
{
	size_t count;
	const struct sl_object *object = kube_reader_join(r, &count);
	int status = object ? SL_OK : sl_fail_memory(r->err);
	if (!status && !count)
		status = sl_fail(r->err, SL_INPUT, "%s: has no objects: give nodes, or quotas", r->path);
	if (!status)
		status = check_once(r, object, count);
	if (!status)
		status = report_fields(r, object, count);
	if (!status)
		status = templates_in(r, &object, &count);
	if (!status)
		status = kube_nodes_report(r->arena, object, count, r->path, r->sink, r->err);
	for (size_t i = 0; i < r->count && !status && r->sink->objects; i++)
		if (r->file[i].count)
			status = r->sink->objects(
				r->sink->self, &r->file[i].doc, r->file[i].object, r->file[i].count, r->err);
	return status;
}

/* What nodes there are is in the objects: there is nothing here that a setting would change. */
static int no_settings(const struct sl_cluster_setting *setting, size_t count, struct sl_err *err)
{
	return count ? sl_fail(err, SL_USAGE,
			       "--set: 'cluster.%.60s' is not of a cluster of manifests: change these, or "
			       "give nodes in a file of their own",
			       setting[0].key)
		     : SL_OK;
}

static int kubernetes_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return sl_fail_memory(err);
	r->path = path;
	r->sink = sink;
	r->err = err;
	r->arena = sl_arena_new();
	int status = r->arena ? no_settings(setting, setting_count, err) : sl_fail_memory(err);
	if (!status)
		status = in ? file_in(r, in) : folder_in(r);
	if (!status)
		status = kube_reader_report(r);
	for (size_t i = 0; i < r->count; i++)
		kube_file_release(&r->file[i]);
	for (size_t i = 0; i < FILES_MAX && r->in[i]; i++)
		sl_input_close(r->in[i]);
	kube_reported_release(&r->reported);
	sl_arena_free(r->arena);
	free(r);
	return status;
}

static int file_sniff(const char *path, struct sl_err *err)
{
	struct sl_input *in = NULL;
	const char *text;
	const char *end;
	int sure = 0;
	if (sl_input_open(&in, path, err) == SL_OK && sl_input_peek(in, &text, &end, err) > 0)
		sure = kube_sniff(text, (size_t)(end - text));
	sl_input_close(in);
	return sure;
}

/* A folder that has a manifest in it. */
static int folder_sniff(const char *path)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	const char **name;
	size_t count = 0;
	int sure = 0;
	if (arena && folder_list(arena, path, &name, &count, &err) != SL_OK)
		count = 0;
	for (size_t i = 0; i < count && !sure; i++) {
		char file[PATH_CAPACITY];
		if (snprintf(file, sizeof(file), "%s/%s", path, name[i]) < PATH_CAPACITY)
			sure = file_sniff(file, &err);
	}
	sl_arena_free(arena);
	return sure;
}

static int kubernetes_sniff(const char *path, const char *text, size_t len)
{
	return text ? kube_sniff(text, len) : folder_sniff(path);
}

const struct sl_cluster_reader kube_cluster_reader = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "kubernetes",
	.summary = "manifests of Kubernetes and Kueue, a file or a folder; see schedlab-kubernetes(5)",
	.sniff = kubernetes_sniff,
	.read = kubernetes_read,
};
