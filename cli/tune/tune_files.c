/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_files.c - files of the user's that knobs move, and changed copies of them.
 *
 * Such a file is the cluster's (-c), one in its folder, or one that the policy's text or a setting names. A
 * candidate runs on a copy, DIR/files/HASH/NAME; of a cluster's folder all its files are copied. The hash is
 * that of what is changed, so that a candidate has its copy once.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/outdir.h"
#include "cli/tune/tune.h"
#include "sim/base/out.h"

enum { KEPT_HEX = 16 };

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_folder(const char *path)
{
	struct stat is;
	return path && stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

/* ---- Which file ---------------------------------------------------------------------------------------- */

static bool is_named(const char *path, size_t len, const char *name)
{
	const size_t width = strlen(name);
	return len >= width && strncmp(path + len - width, name, width) == 0 &&
	       (len == width || path[len - width - 1] == '/');
}

/* A path of that name within "easy:quota=FILE,..."; NULL: none. */
static const char *path_in(const char *text, const char *name, size_t *len)
{
	for (const char *at = text; *at; at += strspn(at, "=,;:\"'")) {
		*len = strcspn(at, "=,;:\"'");
		if (is_named(at, *len, name))
			return at;
		at += *len;
	}
	return NULL;
}

static int file_found(struct tune *tune, struct tuned_file *file, struct sl_err *err)
{
	size_t len;
	const char *at;
	if (is_folder(tune->cluster)) {
		file->path = text_made(tune->arena, "%s/%s", tune->cluster, file->name);
		if (!file->path)
			return sl_fail_memory(err);
		file->where = FILE_IN_CLUSTER;
		if (!strchr(file->name, '/') && access(file->path, R_OK) == 0)
			return SL_OK;
	} else if (tune->cluster && is_named(tune->cluster, strlen(tune->cluster), file->name)) {
		file->path = tune->cluster;
		file->where = FILE_IS_CLUSTER;
		return SL_OK;
	}
	file->where = FILE_IN_POLICY;
	at = path_in(tune->policy, file->name, &len);
	for (size_t i = 0; i < tune->setting_count && !at; i++) {
		const char *equals = strchr(tune->setting[i], '=');
		at = equals ? path_in(equals + 1, file->name, &len) : NULL;
		file->where = FILE_IN_SETTING;
		file->setting = i;
	}
	if (!at)
		return sl_fail(err, SL_USAGE,
			"--vary %s: no file of that name is the cluster (-c), in its folder, or named by the policy or a setting",
			file->name);
	file->path = sl_strdup(tune->arena, at, len);
	return file->path ? SL_OK : sl_fail_memory(err);
}

static bool is_yaml(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

/* A key that is not in this file, but in one that it includes: a second line here would stand against that.
 */
static int stands_elsewhere(
	const struct tune *tune, const struct knob *knob, const char *words, struct sl_err *err)
{
	const size_t len = strcspn(words, "/");
	const char *path = tune->file[knob->file].path;
	if (knob->place.today || knob->place.at < tune->file[knob->file].len ||
		tune->file[knob->file].where > FILE_IN_CLUSTER)
		return SL_OK;
	for (uint32_t i = 0; i < tune->scenario.cluster.setting_count; i++) {
		const struct sl_setting *setting = &tune->scenario.cluster.setting[i];
		if (strcmp(setting->kind, "cluster") == 0 && strlen(setting->key) == len &&
			strncasecmp(setting->key, words, len) == 0 && setting->at.file &&
			strcmp(base_name(setting->at.file), base_name(path)) != 0)
			return sl_fail(err, SL_USAGE,
				"--vary %.300s: %s:%" PRIu64
				" has it: name that file, --vary %.100s:%.200s=...",
				knob->name, setting->at.file, (uint64_t)setting->at.line,
				base_name(setting->at.file), words);
	}
	return SL_OK;
}

int knob_file(struct tune *tune, struct knob *knob, struct sl_err *err)
{
	const char *colon = strchr(knob->name, ':');
	const char *name = sl_strdup(tune->arena, knob->name, (size_t)(colon - knob->name));
	size_t i = 0;
	if (!name)
		return sl_fail_memory(err);
	while (i < tune->files && strcmp(tune->file[i].name, name) != 0)
		i++;
	struct tuned_file *file = &tune->file[i];
	if (i == tune->files) {
		*file = (struct tuned_file){ .name = name };
		const int status = file_found(tune, file, err);
		if (status)
			return status;
		file->text = text_of_file(file->path, &file->len, tune->arena, err);
		if (!file->text)
			return err->status;
		tune->files++;
	}
	knob->file = i;
	if (is_yaml(base_name(file->path)))
		return place_yaml(&knob->place, file, colon + 1, tune->arena, err);
	const int status = place_conf(&knob->place, file, colon + 1, tune->arena, err);
	return status ? status : stands_elsewhere(tune, knob, colon + 1, err);
}

/* ---- Changed ----------------------------------------------------------------------------------------------
 */

static bool is_moved(const struct tune *tune, size_t knob, const uint32_t *level, size_t file)
{
	const struct knob *of = &tune->knob[knob];
	return of->kind == KNOB_FILE && of->file == file && level[knob] != of->today;
}

bool file_moves(const struct tune *tune, size_t file, const uint32_t *level)
{
	for (size_t k = 0; k < tune->problem.axes; k++)
		if (is_moved(tune, k, level, file))
			return true;
	return false;
}

/* The moved knob of the file that stands next, after the one given (SIZE_MAX: the first). */
static size_t next_knob(const struct tune *tune, size_t file, const uint32_t *level, size_t after)
{
	size_t next = SIZE_MAX;
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const size_t at = tune->knob[k].place.at;
		if (!is_moved(tune, k, level, file))
			continue;
		if (after != SIZE_MAX &&
			(at < tune->knob[after].place.at || (at == tune->knob[after].place.at && k <= after)))
			continue;
		if (next == SIZE_MAX || at < tune->knob[next].place.at)
			next = k;
	}
	return next;
}

char *file_edited(const struct tune *tune, size_t file, const uint32_t *level)
{
	const struct tuned_file *of = &tune->file[file];
	char *text = NULL;
	size_t len;
	size_t at = 0;
	FILE *out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	for (size_t k = next_knob(tune, file, level, SIZE_MAX); k != SIZE_MAX;
		k = next_knob(tune, file, level, k)) {
		const struct file_place *place = &tune->knob[k].place;
		(void)fwrite(of->text + at, 1, place->at - at, out);
		(void)fprintf(out, "%s%s%s", place->before, tune->knob[k].value[level[k]], place->after);
		at = place->at + place->len;
	}
	(void)fwrite(of->text + at, 1, of->len - at, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* ---- Copies
 * ------------------------------------------------------------------------------------------------ */

static int copy_write(
	const struct tune *tune, const char *path, const char *text, size_t len, struct sl_err *err)
{
	struct sl_out *out;
	if (access(path, F_OK) == 0)
		return SL_OK;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	out_ways(out, !arg_flag(tune->args, "no-sync"), true);
	out_bytes(out, text, len);
	return sl_out_commit(out, err);
}

/* DIR/files, and the copy's folder in it. */
static int copy_folder_make(const struct tune *tune, const char *folder, struct sl_err *err)
{
	char files[4200];
	(void)snprintf(files, sizeof(files), "%s/files", tune->dir);
	if (mkdir(files, 0777) != 0 && errno != EEXIST)
		return sl_fail_sys(err, SL_SYSTEM, "make", files);
	return mkdir(folder, 0777) == 0 || errno == EEXIST ? SL_OK
							   : sl_fail_sys(err, SL_SYSTEM, "make", folder);
}

static bool is_moved_name(const struct tune *tune, const uint32_t *level, const char *name)
{
	for (size_t i = 0; i < tune->files; i++)
		if (tune->file[i].where == FILE_IN_CLUSTER && strcmp(tune->file[i].name, name) == 0 &&
			file_moves(tune, i, level))
			return true;
	return false;
}

/* A folder, or what lies beside a file that may include it: a link. */
static int link_make(const char *from, const char *to, struct sl_err *err)
{
	char whole[PATH_MAX];
	if (!realpath(from, whole))
		return SL_OK; /* A link into nothing: not read either. */
	return symlink(whole, to) == 0 || errno == EEXIST ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "link", to);
}

/* What of a cluster's folder is not changed: files as they are now, folders as links. Of one file's folder
 * all as links. */
static int copy_others(const struct tune *tune, const uint32_t *level, const char *from_folder, bool link,
	const char *folder, struct sl_arena *arena, struct sl_err *err)
{
	DIR *open = opendir(from_folder);
	int status = open ? SL_OK : sl_fail_sys(err, SL_INPUT, "read", from_folder);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this function's. */
	for (const struct dirent *entry; open && !status && (entry = readdir(open));) {
		struct stat is;
		size_t len;
		const char *from = text_made(arena, "%s/%s", from_folder, entry->d_name);
		const char *to = text_made(arena, "%s/%s", folder, entry->d_name);
		if (!from || !to) {
			status = sl_fail_memory(err);
			break;
		}
		if (is_moved_name(tune, level, entry->d_name) || entry->d_name[0] == '.' ||
			stat(from, &is) != 0 || access(to, F_OK) == 0)
			continue;
		if (link || S_ISDIR(is.st_mode))
			status = link_make(from, to, err);
		if (link || !S_ISREG(is.st_mode))
			continue;
		const char *text = is.st_size ? text_of_file(from, &len, arena, err) : "";
		if (!text)
			status = err->status;
		else
			status = copy_write(tune, to, text, is.st_size ? len : 0, err);
	}
	if (open)
		(void)closedir(open);
	return status;
}

/* Does a file of Slurm's include others, which lie beside it? */
static bool includes(const struct tuned_file *file)
{
	for (const char *line = file->text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0)
		if (strncasecmp(line + strspn(line, " \t"), "include", 7) == 0)
			return true;
	return false;
}

static int copy_beside(const struct tune *tune, const uint32_t *level, const struct tuned_file *file,
	const char *folder, struct sl_arena *arena, struct sl_err *err)
{
	if (file->where == FILE_IN_CLUSTER)
		return copy_others(tune, level, tune->cluster, false, folder, arena, err);
	if (file->where != FILE_IS_CLUSTER || is_yaml(base_name(file->path)) || !includes(file))
		return SL_OK;
	const size_t len = (size_t)(base_name(file->path) - file->path);
	const char *beside = len ? sl_strdup(arena, file->path, len) : ".";
	return beside ? copy_others(tune, level, beside, true, folder, arena, err) : sl_fail_memory(err);
}

/* The folder of copies of those files that are moved and (not) of the cluster's folder. */
static int copy_name(
	const struct tune *tune, const uint32_t *level, size_t file, char name[4200], struct sl_err *err)
{
	const bool whole = tune->file[file].where == FILE_IN_CLUSTER;
	char hex[65];
	char *all = NULL;
	size_t len;
	FILE *text = open_memstream(&all, &len);
	if (!text)
		return sl_fail_memory(err);
	for (size_t i = 0; i < tune->files; i++) {
		if (!(i == file || (whole && tune->file[i].where == FILE_IN_CLUSTER)) ||
			!file_moves(tune, i, level))
			continue;
		char *edited = file_edited(tune, i, level);
		(void)fprintf(text, "%s\n%s\n", tune->file[i].path, edited ? edited : "");
		free(edited);
	}
	int status = fclose(text) == 0 ? identity_hash(all, hex, err) : sl_fail_memory(err);
	free(all);
	if (!status)
		(void)snprintf(name, 4200, "%s/files/%.*s", tune->dir, KEPT_HEX, hex);
	return status;
}

/* The copy of a moved file; path: where it is. */
static int copy_make(const struct tune *tune, const uint32_t *level, size_t file, const char **path,
	struct sl_arena *arena, struct sl_err *err)
{
	const struct tuned_file *of = &tune->file[file];
	char folder[4200];
	int status = copy_name(tune, level, file, folder, err);
	if (!status)
		status = copy_folder_make(tune, folder, err);
	char *edited = status ? NULL : file_edited(tune, file, level);
	*path = text_made(arena, "%s/%s", folder, base_name(of->path));
	if (!status)
		status = edited && *path ? copy_write(tune, *path, edited, strlen(edited), err)
					 : sl_fail_memory(err);
	free(edited);
	if (!status)
		status = copy_beside(tune, level, of, folder, arena, err);
	if (of->where == FILE_IN_CLUSTER)
		*path = sl_strdup(arena, folder, strlen(folder));
	return status || *path ? status : sl_fail_memory(err);
}

/* The text with one path in another's place. */
static const char *text_with(const char *text, const char *name, const char *path, struct sl_arena *arena)
{
	size_t len;
	const char *at = path_in(text, name, &len);
	return at ? text_made(arena, "%.*s%s%s", (int)(at - text), text, path, at + len) : text;
}

/* ---- A candidate
 * -------------------------------------------------------------------------------------------- */

/* Knobs that are settings: in place of the line's. */
static bool is_overridden(const struct tune *tune, const char *setting, const uint32_t *level)
{
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		if (knob->kind == KNOB_SETTING && level[k] != knob->today && setting_is(setting, knob->name))
			return true;
	}
	return false;
}

static int candidate_settings(const struct tune *tune, const uint32_t *level, const char *const *setting,
	const char **settings, struct sl_arena *arena, struct sl_err *err)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	if (!out)
		return sl_fail_memory(err);
	for (size_t i = 0; i < tune->setting_count; i++)
		if (!is_overridden(tune, tune->setting[i], level))
			(void)fprintf(out, "%s\n", setting[i]);
	for (size_t k = 0; k < tune->problem.axes; k++) {
		const struct knob *knob = &tune->knob[k];
		if (knob->kind == KNOB_SETTING && level[k] != knob->today)
			(void)fprintf(out, "%s=%s\n", knob->name, knob->value[level[k]]);
	}
	const bool closed = fclose(out) == 0;
	*settings = closed ? sl_strdup(arena, text, len) : NULL;
	free(text);
	return *settings ? SL_OK : sl_fail_memory(err);
}

int candidate_text(const struct tune *tune, const uint32_t *level, struct candidate_text *text,
	struct sl_arena *arena, struct sl_err *err)
{
	const char **setting = sl_alloc(arena, tune->setting_count + 1, sizeof(*setting));
	int status = setting ? SL_OK : sl_fail_memory(err);
	*text = (struct candidate_text){ .cluster = tune->cluster, .policy = tune->policy };
	for (size_t i = 0; i < tune->setting_count && !status; i++)
		setting[i] = tune->setting[i];
	for (size_t k = 0; k < tune->problem.axes; k++)
		if (tune->knob[k].kind == KNOB_POLICY && tune->knob[k].value[level[k]])
			text->policy = tune->knob[k].value[level[k]];
	for (size_t i = 0; i < tune->files && !status; i++) {
		const struct tuned_file *file = &tune->file[i];
		const char *path = NULL;
		if (!file_moves(tune, i, level))
			continue;
		status = copy_make(tune, level, i, &path, arena, err);
		if (status)
			break;
		if (file->where == FILE_IN_POLICY)
			text->policy = text_with(text->policy, file->name, path, arena);
		else if (file->where == FILE_IN_SETTING)
			setting[file->setting] = text_with(setting[file->setting], file->name, path, arena);
		else
			text->cluster = path;
		if (!text->policy || (file->where == FILE_IN_SETTING && !setting[file->setting]))
			status = sl_fail_memory(err);
	}
	return status ? status : candidate_settings(tune, level, setting, &text->settings, arena, err);
}
