/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_sums.c - SHA256SUMS of a bundle: "HEX  PATH" a line, as sha256sum(1) of GNU coreutils has it.
 */
#include "cli/bundle/bundle.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 100000, PATH_LONGEST = 4096, HEX = 64 };

static int bundle_sums_by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct bundle_file *)a)->path, ((const struct bundle_file *)b)->path);
}

static struct bundle_file *file_new(
	struct bundle_files *files, const char *at, const char *path, struct sl_err *err)
{
	if (files->count == FILES_MAX) {
		(void)sl_fail(err, SL_INPUT, "%s: more than %d files are no bundle", at, FILES_MAX);
		return NULL;
	}
	if (SL_GROW(files->file, files->capacity, files->count + 1, err))
		return NULL;
	struct bundle_file *file = &files->file[files->count];
	*file = (struct bundle_file){ .path = strdup(path) };
	if (!file->path) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	files->count++;
	return file;
}

int bundle_file_add(struct bundle_files *files, const char *at, const char *path, int64_t bytes,
	const char *sha256, struct sl_err *err)
{
	struct bundle_file *file = file_new(files, at, path, err);
	if (!file)
		return err->status;
	file->bytes = bytes;
	if (strpbrk(path, "\n\\"))
		return sl_fail(err, SL_INPUT,
			"'%s': a name with a line's end or a backslash: give it another", path);
	if (!sha256)
		return registry_hash(at, file->sha256, err);
	(void)snprintf(file->sha256, sizeof(file->sha256), "%s", sha256);
	return SL_OK;
}

void bundle_files_sort(struct bundle_files *files)
{
	if (files->count)
		qsort(files->file, files->count, sizeof(*files->file), by_path);
}

int bundle_files_of(struct bundle_files *files, const char *folder, struct sl_err *err)
{
	char *root = strdup(folder);
	char *roots[] = { root, NULL };
	FTS *tree = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, bundle_sums_by_name) : NULL;
	if (!tree) {
		free(root);
		return sl_fail_sys(err, SL_INPUT, "open", folder);
	}
	int status = SL_OK;
	for (const FTSENT *entry; !status && (entry = fts_read(tree));) {
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
			status = sl_fail(err, SL_INPUT, "cannot read '%s'", entry->fts_path);
		const char *below = entry->fts_path + strlen(folder) + (entry->fts_level > 0);
		const bool folder_is = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;
		if (!status && !folder_is && entry->fts_info != FTS_F)
			status = sl_fail(err, SL_INPUT,
				"'%s' is a link, or no file at all: a bundle has files only", below);
		if (!status && entry->fts_info == FTS_F && strcmp(below, BUNDLE_SUMS) != 0)
			status = bundle_file_add(files, entry->fts_accpath, below,
				(int64_t)entry->fts_statp->st_size, NULL, err);
	}
	(void)fts_close(tree);
	free(root);
	bundle_files_sort(files);
	return status;
}

void bundle_files_release(struct bundle_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->file[i].path);
	free(files->file);
	*files = (struct bundle_files){ 0 };
}

int bundle_sums_write(const struct bundle_files *files, const char *folder, struct sl_err *err)
{
	char path[PATH_LONGEST];
	struct sl_out *out;
	const int len = snprintf(path, sizeof(path), "%s/" BUNDLE_SUMS, folder);
	if (len < 0 || (size_t)len >= sizeof(path))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", folder);
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	for (size_t i = 0; i < files->count; i++) {
		sl_out_text(out, files->file[i].sha256);
		sl_out_text(out, "  ");
		sl_out_text(out, files->file[i].path);
		sl_out_text(out, "\n");
	}
	return sl_out_commit(out, err);
}

/* ---- Verified ---------------------------------------------------------------------------------- */

/* The lines as they stand; each of a file below the folder. */
static int line_take(struct bundle_files *list, const char *sums, size_t number, const char *line, size_t len,
	struct sl_err *err)
{
	char name[PATH_LONGEST];
	if (len < HEX + 3 || strspn(line, "0123456789abcdef") != HEX || line[HEX] != ' ' ||
		len - HEX - 2 >= sizeof(name) || memchr(line, '\0', len))
		return sl_fail(err, SL_INPUT,
			"%s:%zu:1: is no line of sha256sum: 64 digits, two blanks and a path", sums, number);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(len - HEX - 2), line + HEX + 2);
	if (path_leads_out(name))
		return sl_fail(err, SL_INPUT, "%s:%zu:%d: '%s' is not below the bundle: leave it out", sums,
			number, HEX + 3, name);
	struct bundle_file *file = file_new(list, sums, name, err);
	if (!file)
		return err->status;
	memcpy(file->sha256, line, HEX);
	file->sha256[HEX] = '\0';
	return SL_OK;
}

int bundle_sums_read(
	struct bundle_files *list, const char *sums, const char *text, const char *end, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t number = 1; !status && text < end; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		status = line_take(list, sums, number, text, (size_t)((stop ? stop : end) - text), err);
		text = stop ? stop + 1 : end;
	}
	if (!status && !list->count)
		status = sl_fail(err, SL_INPUT, "%s:1:1: is empty: this is no bundle", sums);
	if (status)
		return status;
	qsort(list->file, list->count, sizeof(*list->file), by_path);
	for (size_t i = 1; i < list->count; i++)
		if (strcmp(list->file[i - 1].path, list->file[i].path) == 0)
			return sl_fail(
				err, SL_INPUT, "%s: has '%s' twice: leave one out", sums, list->file[i].path);
	return SL_OK;
}

int bundle_sums_compare(const struct bundle_files *was, const struct bundle_files *is, struct sl_err *err)
{
	size_t a = 0;
	size_t b = 0;
	while (a < was->count || b < is->count) {
		const int order = a == was->count  ? 1
				  : b == is->count ? -1
						   : strcmp(was->file[a].path, is->file[b].path);
		if (order < 0)
			return sl_fail(
				err, SL_BASELINE, "%s: is not in the bundle any more", was->file[a].path);
		if (order > 0)
			return sl_fail(err, SL_BASELINE,
				"%s: is in the bundle, and not in its " BUNDLE_SUMS ": take it out",
				is->file[b].path);
		if (strcmp(was->file[a].sha256, is->file[b].sha256) != 0)
			return sl_fail(err, SL_BASELINE,
				"%s: is not what was put in: its SHA-256 is %s, it was %s: give the file as it was",
				was->file[a].path, is->file[b].sha256, was->file[a].sha256);
		a++;
		b++;
	}
	return SL_OK;
}

int bundle_sums_check(const char *folder, size_t *checked, struct sl_err *err)
{
	struct bundle_files was = { 0 };
	struct bundle_files is = { 0 };
	char sums[PATH_LONGEST];
	struct sl_input *in = NULL;
	struct stat about;
	const char *text;
	const char *end;
	const int len = snprintf(sums, sizeof(sums), "%s/" BUNDLE_SUMS, folder);
	if (len < 0 || (size_t)len >= sizeof(sums))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", folder);
	if (lstat(sums, &about) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", sums);
	if (!S_ISREG(about.st_mode))
		return sl_fail(err, SL_INPUT, "'%s' is no file: this is no bundle", sums);
	int status = sl_input_open(&in, sums, err);
	if (!status)
		status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = bundle_sums_read(&was, sums, text, end, err);
	sl_input_close(in);
	if (!status)
		status = bundle_files_of(&is, folder, err);
	if (!status)
		status = bundle_sums_compare(&was, &is, err);
	*checked = is.count;
	bundle_files_release(&was);
	bundle_files_release(&is);
	return status;
}
