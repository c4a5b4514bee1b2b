/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_sums.c - SHA256SUMS of a bundle: "HEX  PATH" a line, as sha256sum(1) of GNU coreutils has it.
 */
#include "sim/cli/bundle.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 100000, PATH_LONGEST = 4096, HEX = 64 };

static int by_name(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct bundle_file *)a)->path, ((const struct bundle_file *)b)->path);
}

static int file_add(
	struct bundle_files *files, const char *at, const char *path, int64_t bytes, struct sl_err *err)
{
	if (files->count == FILES_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d files are no bundle", at, FILES_MAX);
	if (files->count == files->capacity) {
		const size_t more = files->capacity ? files->capacity * 2 : 64;
		struct bundle_file *grown = realloc(files->file, more * sizeof(*grown));
		if (!grown)
			return sl_fail_memory(err);
		files->file = grown;
		files->capacity = more;
	}
	struct bundle_file *file = &files->file[files->count];
	*file = (struct bundle_file){ .path = strdup(path), .bytes = bytes };
	if (!file->path)
		return sl_fail_memory(err);
	files->count++;
	if (strchr(path, '\n') || strchr(path, '\\'))
		return sl_fail(err, SL_INPUT,
			"'%s': a name with a line's end or a backslash: give it another", path);
	return registry_hash(at, file->sha256, err);
}

int bundle_files_of(struct bundle_files *files, const char *folder, struct sl_err *err)
{
	char *root = strdup(folder);
	char *roots[] = { root, NULL };
	FTS *tree = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
	if (!tree) {
		free(root);
		return sl_fail_sys(err, SL_INPUT, "open", folder);
	}
	int status = SL_OK;
	for (const FTSENT *entry; !status && (entry = fts_read(tree));) {
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
			status = sl_fail(err, SL_INPUT, "cannot read '%s'", entry->fts_path);
		const char *below = entry->fts_path + strlen(folder) + (entry->fts_level > 0);
		if (entry->fts_info == FTS_F && strcmp(below, BUNDLE_SUMS) != 0)
			status = file_add(
				files, entry->fts_accpath, below, (int64_t)entry->fts_statp->st_size, err);
	}
	(void)fts_close(tree);
	free(root);
	if (!status && files->count)
		qsort(files->file, files->count, sizeof(*files->file), by_path);
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

/* Below the folder, and nowhere else. */
static bool leads_out(const char *path)
{
	if (*path == '/' || !*path)
		return true;
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]))
			return true;
	}
	return false;
}

static int line_check(
	const char *folder, const char *sums, size_t number, const char *line, size_t len, struct sl_err *err)
{
	char name[PATH_LONGEST];
	char at[PATH_LONGEST * 2];
	char now[65];
	if (len < HEX + 3 || strspn(line, "0123456789abcdef") != HEX || line[HEX] != ' ' ||
		len - HEX - 2 >= sizeof(name) || memchr(line, '\0', len))
		return sl_fail(err, SL_INPUT,
			"%s:%zu:1: is no line of sha256sum: 64 digits, two blanks and a path", sums, number);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(len - HEX - 2), line + HEX + 2);
	if (leads_out(name))
		return sl_fail(err, SL_INPUT, "%s:%zu:%d: '%s' is not below the bundle: leave it out", sums,
			number, HEX + 3, name);
	(void)snprintf(at, sizeof(at), "%s/%s", folder, name);
	const int status = registry_hash(at, now, err);
	if (status)
		return status == SL_INPUT
			       ? sl_fail(err, SL_BASELINE, "%s: is not in the bundle any more", name)
			       : status;
	if (memcmp(now, line, HEX) != 0)
		return sl_fail(err, SL_BASELINE,
			"%s: is not what was put in: its SHA-256 is %s, it was %.*s: give the file as it was",
			name, now, HEX, line);
	return SL_OK;
}

int bundle_sums_check(const char *folder, size_t *checked, struct sl_err *err)
{
	char sums[PATH_LONGEST];
	struct sl_input *in;
	const char *text;
	const char *end;
	const int len = snprintf(sums, sizeof(sums), "%s/" BUNDLE_SUMS, folder);
	if (len < 0 || (size_t)len >= sizeof(sums))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", folder);
	int status = sl_input_open(&in, sums, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	*checked = 0;
	while (!status && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const size_t width = (size_t)((stop ? stop : end) - text);
		if (*checked == FILES_MAX)
			status = sl_fail(
				err, SL_INPUT, "%s: more than %d files are no bundle", sums, FILES_MAX);
		else
			status = line_check(folder, sums, *checked + 1, text, width, err);
		++*checked;
		text = stop ? stop + 1 : end;
	}
	if (!status && !*checked)
		status = sl_fail(err, SL_INPUT, "%s:1:1: is empty: this is no bundle", sums);
	sl_input_close(in);
	return status;
}
