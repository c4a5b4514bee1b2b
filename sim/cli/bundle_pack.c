/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_pack.c - a bundle as one file: tar by libarchive, the same bytes from the same files.
 *
 * Names are sorted, owners are 0, modes 644 and 755, and all is of one time, SOURCE_DATE_EPOCH
 * (reproducible-builds.org/specs/source-date-epoch) or 1980-01-01 00:00 UTC. The compressor is a library's:
 * another version of it may pack the same files in other bytes; the tar inside stays the same.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/bundle.h"

enum { PATH_LONGEST = 4096, ROOM = 30000, FILES_MAX = 100000, TIMES_PACKED = 1000 };

static const int64_t plausible = INT64_C(1) << 30; /* Bytes; more only TIMES_PACKED what the archive has. */
static const time_t year_1980 = 315532800;

static const struct suffix {
	const char *text;
	int (*filter)(struct archive *archive);
} suffixes[] = {
	{ ".tar", NULL },
	{ ".tar.gz", archive_write_add_filter_gzip },
	{ ".tgz", archive_write_add_filter_gzip },
	{ ".tar.xz", archive_write_add_filter_xz },
	{ ".txz", archive_write_add_filter_xz },
	{ ".tar.zst", archive_write_add_filter_zstd },
	{ ".tzst", archive_write_add_filter_zstd },
};

static const struct suffix *suffix_of(const char *path)
{
	const size_t len = strlen(path);
	for (size_t i = 0; i < SL_LEN(suffixes); i++) {
		const size_t width = strlen(suffixes[i].text);
		if (len > width && strcmp(path + len - width, suffixes[i].text) == 0)
			return &suffixes[i];
	}
	return NULL;
}

bool bundle_is_archive(const char *path) { return suffix_of(path) != NULL; }

int bundle_name(char *name, size_t size, const char *path, struct sl_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const struct suffix *suffix = suffix_of(path);
	const size_t len = strlen(base) - (suffix ? strlen(suffix->text) : 0);
	if (!len || len >= size)
		return sl_fail(
			err, SL_USAGE, "'%s': is no name for a bundle: give one before its suffix", path);
	(void)snprintf(name, size, "%.*s", (int)len, base);
	return SL_OK;
}

static time_t time_of_all(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	char *end;
	errno = 0;
	const long long seconds = epoch ? strtoll(epoch, &end, 10) : 0;
	return epoch && *epoch && !*end && !errno && seconds >= 0 ? (time_t)seconds : year_1980;
}

static int fail(struct archive *archive, int status, const char *what, const char *path, struct sl_err *err)
{
	const char *why = archive_error_string(archive);
	return sl_fail(err, status, "cannot %s '%s': %s", what, path, why ? why : "no reason is given");
}

/* ---- Packing --------------------------------------------------------------------------------------- */

static int content_add(struct archive *archive, const char *from, int64_t left, struct sl_err *err)
{
	char room[ROOM];
	FILE *file = fopen(from, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	int status = SL_OK;
	while (!status && left > 0) {
		const size_t got = fread(room, 1, sizeof(room), file);
		if (!got || (int64_t)got > left)
			status = sl_fail(
				err, SL_SYSTEM, "'%s' changed while it was packed: do it again", from);
		else if (archive_write_data(archive, room, got) != (la_ssize_t)got)
			status = fail(archive, SL_SYSTEM, "pack", from, err);
		left -= (int64_t)got;
	}
	(void)fclose(file);
	return status;
}

static int file_pack(struct archive *archive, const char *folder, const char *name, const char *path,
	time_t when, struct sl_err *err)
{
	char from[PATH_LONGEST];
	char inside[PATH_LONGEST];
	struct stat is;
	const int a = snprintf(from, sizeof(from), "%s/%s", folder, path);
	const int b = snprintf(inside, sizeof(inside), "%s/%s", name, path);
	if (a < 0 || b < 0 || (size_t)a >= sizeof(from) || (size_t)b >= sizeof(inside))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", path);
	if (stat(from, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	struct archive_entry *entry = archive_entry_new();
	if (!entry)
		return sl_fail_memory(err);
	archive_entry_set_pathname(entry, inside);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, is.st_mode & S_IXUSR ? 0755 : 0644);
	archive_entry_set_size(entry, is.st_size);
	archive_entry_set_mtime(entry, when, 0);
	int status = SL_OK;
	if (archive_write_header(archive, entry) != ARCHIVE_OK)
		status = fail(archive, SL_SYSTEM, "pack", path, err);
	archive_entry_free(entry);
	return status ? status : content_add(archive, from, is.st_size, err);
}

static int tar_open(struct archive *archive, const char *path, const char *to, struct sl_err *err)
{
	const struct suffix *suffix = suffix_of(path);
	bool good = archive_write_set_format_pax_restricted(archive) == ARCHIVE_OK;
	if (good && suffix->filter)
		good = suffix->filter(archive) == ARCHIVE_OK;
	/* Its header would have the hour. */
	if (good && suffix->filter == archive_write_add_filter_gzip)
		good = archive_write_set_filter_option(archive, "gzip", "timestamp", NULL) == ARCHIVE_OK;
	if (good)
		good = archive_write_open_filename(archive, to) == ARCHIVE_OK;
	return good ? SL_OK : fail(archive, SL_SYSTEM, "write", path, err);
}

int bundle_pack(const char *path, const char *folder, const struct bundle_files *files, struct sl_err *err)
{
	char name[PATH_LONGEST];
	char to[PATH_LONGEST];
	const time_t when = time_of_all();
	int status = bundle_name(name, sizeof(name), path, err);
	if (status)
		return status;
	const int len = snprintf(to, sizeof(to), "%s.packing", path);
	if (len < 0 || (size_t)len >= sizeof(to))
		return sl_fail(err, SL_SYSTEM, "'%s': the path is too long", path);
	struct archive *archive = archive_write_new();
	if (!archive)
		return sl_fail_memory(err);
	status = tar_open(archive, path, to, err);
	if (!status)
		status = file_pack(archive, folder, name, BUNDLE_SUMS, when, err);
	for (size_t i = 0; i < files->count && !status; i++)
		status = file_pack(archive, folder, name, files->file[i].path, when, err);
	if (!status && archive_write_close(archive) != ARCHIVE_OK)
		status = fail(archive, SL_SYSTEM, "write", path, err);
	(void)archive_write_free(archive);
	if (!status && rename(to, path) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "make", path);
	if (status)
		(void)unlink(to);
	return status;
}

/* ---- Unpacking -------------------------------------------------------------------------------------- */

struct unpacking {
	struct archive *archive;
	const char *path, *folder;
	int64_t left; /* Bytes that are still plausible. */
	size_t files;
	char top[PATH_LONGEST]; /* The archive's own folder; "" before the first file. */
};

/* Its path below the folder, without the top; NULL: a name that no bundle has. */
static const char *name_inside(struct unpacking *tar, const char *name)
{
	const char *slash = name ? strchr(name, '/') : NULL;
	if (!slash || slash == name || !slash[1])
		return NULL;
	const size_t len = (size_t)(slash - name);
	if (!tar->top[0] && len < sizeof(tar->top))
		(void)snprintf(tar->top, sizeof(tar->top), "%.*s", (int)len, name);
	if (strlen(tar->top) != len || memcmp(tar->top, name, len) != 0)
		return NULL;
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		const size_t part = strcspn(at, "/");
		if (!part || (part == 1 && *at == '.') || (part == 2 && at[0] == '.' && at[1] == '.'))
			return NULL;
	}
	return slash + 1;
}

static int content_take(struct unpacking *tar, const char *to, struct sl_err *err)
{
	struct sl_out *out;
	int status = sl_out_open(&out, to, err);
	if (status)
		return status;
	la_ssize_t got = 1;
	while (!status && got > 0) {
		char *room = sl_out_room(out, ROOM);
		got = archive_read_data(tar->archive, room, ROOM);
		sl_out_advance(out, room + (got > 0 ? got : 0));
		tar->left -= got > 0 ? got : 0;
		if (got < 0)
			status = fail(tar->archive, SL_INPUT, "read", tar->path, err);
		else if (tar->left < 0)
			status = sl_fail(err, SL_INPUT,
				"%s: holds more than a bundle of its size could: left out", tar->path);
	}
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

static int folders_above(char *path, size_t from, struct sl_err *err)
{
	for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool there = mkdir(path, 0777) == 0 || errno == EEXIST;
		const int status = there ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", path);
		*slash = '/';
		if (status)
			return status;
	}
	return SL_OK;
}

static int file_unpack(struct unpacking *tar, struct archive_entry *entry, struct sl_err *err)
{
	char to[PATH_LONGEST];
	const char *name = archive_entry_pathname(entry);
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return SL_OK; /* Made where a file is in it. */
	const char *inside = name_inside(tar, name);
	if (!inside || archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry))
		return sl_fail(err, SL_INPUT,
			"%s: '%.200s' is nothing that a bundle has: files in one folder", tar->path,
			name ? name : "");
	if (++tar->files > FILES_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d files are no bundle", tar->path, FILES_MAX);
	const int len = snprintf(to, sizeof(to), "%s/%s", tar->folder, inside);
	if (len < 0 || (size_t)len >= sizeof(to))
		return sl_fail(err, SL_INPUT, "%s: '%.200s': the path is too long", tar->path, inside);
	const int status = folders_above(to, strlen(tar->folder) + 1, err);
	return status ? status : content_take(tar, to, err);
}

int bundle_unpack(const char *path, const char *folder, struct sl_err *err)
{
	struct stat is;
	if (stat(path, &is) != 0)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	struct unpacking tar = {
		.archive = archive_read_new(),
		.path = path,
		.folder = folder,
		.left = is.st_size < INT64_MAX / TIMES_PACKED - plausible
				? plausible + is.st_size * TIMES_PACKED
				: INT64_MAX,
	};
	if (!tar.archive)
		return sl_fail_memory(err);
	(void)archive_read_support_filter_gzip(tar.archive);
	(void)archive_read_support_filter_xz(tar.archive);
	(void)archive_read_support_filter_zstd(tar.archive);
	(void)archive_read_support_format_tar(tar.archive);
	int status = SL_OK;
	if (archive_read_open_filename(tar.archive, path, ROOM) != ARCHIVE_OK)
		status = fail(tar.archive, SL_INPUT, "read", path, err);
	while (!status) {
		struct archive_entry *entry;
		const int got = archive_read_next_header(tar.archive, &entry);
		if (got == ARCHIVE_EOF)
			break;
		status = got == ARCHIVE_OK || got == ARCHIVE_WARN
				 ? file_unpack(&tar, entry, err)
				 : fail(tar.archive, SL_INPUT, "read", path, err);
	}
	(void)archive_read_free(tar.archive);
	return status;
}
