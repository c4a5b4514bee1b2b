/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out.c - files written atomically.
 *
 * Bytes gather in one buffer and go to a new file beside the target; commit
 * gives it the target's name, and anything that failed on the way leaves the
 * target as it was. The first failure is kept and reported by commit, so that
 * those who write need not look after every line. What is not a regular file
 * (a pipe, a terminal, /dev/full) has no "beside", and is written as it is.
 */
#include "sim/base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024, CAPACITY_MAX = 64 * 1024, TRIES = 10000 };

struct sl_out {
	int fd;
	int error;  /* errno of the first failure; 0: none. */
	char *path; /* What the user calls it, for messages. */
	char *target;
	char *temp;                                              /* NULL: written in place. */
	void (*take)(void *self, const char *bytes, size_t len); /* NULL: they go to fd. */
	void *self;
	bool sync, replace;
	size_t used;
	char buffer[BUFFER];
};

static void out_free(struct sl_out *out)
{
	free(out->path);
	free(out->target);
	free(out->temp);
	free(out);
}

/* A new file ".name.pid-n" in the target's folder; the system's umask applies, as to any file. */
static int temp_open(struct sl_out *out, struct sl_err *err)
{
	const char *slash = strrchr(out->target, '/');
	const int folder = slash ? (int)(slash - out->target) + 1 : 0;
	const size_t size = strlen(out->target) + 48;
	out->temp = malloc(size);
	if (!out->temp)
		return sl_fail_memory(err);
	for (int i = 0; i < TRIES; i++) {
		(void)snprintf(out->temp, size, "%.*s.%s.%ld-%d", folder, out->target, out->target + folder,
			(long)getpid(), i);
		out->fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (out->fd >= 0)
			return SL_OK;
		if (errno != EEXIST)
			break;
	}
	const int status = sl_fail_sys(err, SL_SYSTEM, "create", out->path);
	free(out->temp);
	out->temp = NULL;
	return status;
}

static int file_open(struct sl_out *out, const char *path, struct sl_err *err)
{
	struct stat found;
	const bool exists = stat(path, &found) == 0;
	if (exists && S_ISDIR(found.st_mode))
		return sl_fail(
			err, SL_SYSTEM, "cannot write '%s': it is a directory; name a file in it", out->path);
	if (exists && !S_ISREG(found.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC);
		return out->fd < 0 ? sl_fail_sys(err, SL_SYSTEM, "open", out->path) : SL_OK;
	}
	/* Behind a link, it is the file that is replaced, not the link. */
	out->target = exists ? realpath(path, NULL) : strdup(path);
	if (!out->target)
		return sl_fail_sys(err, SL_SYSTEM, "open", out->path);
	return temp_open(out, err);
}

int out_open_as(struct sl_out **out, const char *path, const char *displayed, struct sl_err *err)
{
	struct sl_out *made = malloc(sizeof(*made));
	if (!made)
		return sl_fail_memory(err);
	made->error = 0;
	made->used = 0;
	made->fd = STDOUT_FILENO;
	made->target = made->temp = NULL;
	made->take = NULL;
	made->self = NULL;
	made->sync = made->replace = true;
	made->path = strdup(displayed);
	int status = made->path ? SL_OK : sl_fail_memory(err);
	if (!status && path)
		status = file_open(made, path, err);
	if (status) {
		out_free(made);
		return status;
	}
	*out = made;
	return SL_OK;
}

int sl_out_open(struct sl_out **out, const char *path, struct sl_err *err)
{
	if (!path || strcmp(path, "-") == 0)
		return out_open_as(out, NULL, "standard output", err);
	return out_open_as(out, path, path, err);
}

int sl_out_to(struct sl_out **out, void (*take)(void *self, const char *bytes, size_t len), void *self,
	struct sl_err *err)
{
	const int status = out_open_as(out, NULL, "memory", err);
	if (status)
		return status;
	(*out)->take = take;
	(*out)->self = self;
	return SL_OK;
}

static void out_flush(struct sl_out *out)
{
	const char *p = out->buffer;
	if (out->take && out->used) {
		out->take(out->self, p, out->used);
		out->used = 0;
	}
	while (!out->error && out->used) {
		const ssize_t written = write(out->fd, p, out->used);
		if (written < 0) {
			if (errno != EINTR)
				out->error = errno;
			continue;
		}
		p += written;
		out->used -= (size_t)written;
	}
	out->used = 0;
}

char *sl_out_reserve(struct sl_out *out, size_t capacity)
{
	SL_CHECK(capacity <= CAPACITY_MAX);
	if (capacity > BUFFER - out->used)
		out_flush(out);
	return out->buffer + out->used;
}

void sl_out_advance(struct sl_out *out, const char *end)
{
	SL_CHECK(end >= out->buffer + out->used && end <= out->buffer + BUFFER);
	out->used = (size_t)(end - out->buffer);
}

void out_bytes(struct sl_out *out, const char *bytes, size_t len)
{
	while (len) {
		const size_t part = len < CAPACITY_MAX ? len : CAPACITY_MAX;
		char *space = sl_out_reserve(out, part);
		memcpy(space, bytes, part);
		sl_out_advance(out, space + part);
		bytes += part;
		len -= part;
	}
}

void sl_out_text(struct sl_out *out, const char *text) { out_bytes(out, text, strlen(text)); }

void sl_out_printf(struct sl_out *out, const char *format, ...)
{
	va_list args;
	char *space = sl_out_reserve(out, CAPACITY_MAX);
	va_start(args, format);
	const int len = vsnprintf(space, CAPACITY_MAX, format, args);
	va_end(args);
	SL_CHECK(len >= 0 && len < CAPACITY_MAX); /* Text of any length goes through sl_out_text. */
	sl_out_advance(out, space + len);
}

size_t utf8_length(const unsigned char *p)
{
	static const struct {
		unsigned char first_min, first_max, second_min, second_max, length;
	} form[] = {
		{ 0xC2, 0xDF, 0x80, 0xBF, 2 },
		{ 0xE0, 0xE0, 0xA0, 0xBF, 3 },
		{ 0xE1, 0xEC, 0x80, 0xBF, 3 },
		{ 0xED, 0xED, 0x80, 0x9F, 3 }, /* No surrogates. */
		{ 0xEE, 0xEF, 0x80, 0xBF, 3 },
		{ 0xF0, 0xF0, 0x90, 0xBF, 4 },
		{ 0xF1, 0xF3, 0x80, 0xBF, 4 },
		{ 0xF4, 0xF4, 0x80, 0x8F, 4 },
	};
	if (p[0] < 0x80)
		return 1;
	for (size_t i = 0; i < SL_LEN(form); i++) {
		if (p[0] < form[i].first_min || p[0] > form[i].first_max)
			continue;
		if (p[1] < form[i].second_min || p[1] > form[i].second_max)
			return 0;
		for (size_t k = 2; k < form[i].length; k++)
			if (p[k] < 0x80 || p[k] > 0xBF)
				return 0;
		return form[i].length;
	}
	return 0;
}

void sl_out_json(struct sl_out *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	sl_out_text(out, "\"");
	while (*p) {
		const size_t length = utf8_length(p);
		if (*p == '"' || *p == '\\')
			sl_out_printf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7F || !length)
			sl_out_printf(out, "\\u%04x", *p); /* A byte that is no UTF-8 is read as Latin-1. */
		else if (length > 1 && length < 4 && is_obeyed(utf8_point(p, length)))
			sl_out_printf(out, "\\u%04x", (unsigned)utf8_point(p, length));
		else
			out_bytes(out, (const char *)p, length);
		p += length ? length : 1;
	}
	sl_out_text(out, "\"");
}

void out_ways(struct sl_out *out, bool sync, bool replace)
{
	out->sync = sync;
	out->replace = replace;
}

/* Some file systems have nothing to wait for, and say so. */
static int disk_has(int fd) { return fsync(fd) != 0 && errno != EINVAL && errno != ENOSYS ? -1 : 0; }

int out_sync(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const int failed = fd < 0 || disk_has(fd) ? errno : 0;
	if (fd >= 0)
		(void)close(fd);
	errno = failed;
	return failed ? -1 : 0;
}

/* Of the folder that holds the target: the name is as durable as the bytes. */
static int folder_sync(char *target)
{
	char *slash = strrchr(target, '/');
	if (!slash)
		return out_sync(".");
	const char kept = slash[1];
	slash[1] = '\0';
	const int status = out_sync(target);
	slash[1] = kept;
	return status;
}

static bool reads_as(FILE *one, FILE *other)
{
	int c;
	do {
		c = getc(one);
		if (c != getc(other))
			return false;
	} while (c != EOF);
	return !ferror(one) && !ferror(other);
}

/* The target is there, and holds something, and not what was written now. */
static bool holds_other(const struct sl_out *out)
{
	struct stat found;
	if (out->replace || !out->temp || lstat(out->target, &found) != 0 || found.st_size == 0)
		return false;
	FILE *theirs = fopen(out->target, "rbe");
	FILE *ours = fopen(out->temp, "rbe");
	const bool same = theirs && ours && reads_as(theirs, ours);
	if (theirs)
		(void)fclose(theirs);
	if (ours)
		(void)fclose(ours);
	return !same;
}

/* The new file is renamed to the target's name; errno of what failed, or 0. */
static int publish(struct sl_out *out)
{
	if (!out->temp || out->error)
		return out->error;
	if (rename(out->temp, out->target) != 0)
		return errno;
	free(out->temp);
	out->temp = NULL;
	return out->sync && folder_sync(out->target) != 0 ? errno : 0;
}

int sl_out_commit(struct sl_out *out, struct sl_err *err)
{
	int status = SL_OK;
	out_flush(out);
	if (out->temp && out->sync && !out->error && disk_has(out->fd) != 0)
		out->error = errno;
	if (out->fd != STDOUT_FILENO && close(out->fd) != 0 && !out->error)
		out->error = errno;
	if (!out->error && holds_other(out))
		status = sl_fail(err, SL_USAGE,
			"'%s' is there, and holds something else: --force replaces it; or give another name",
			out->path);
	else
		out->error = publish(out);
	if (out->temp)
		(void)unlink(out->temp);
	if (out->error) {
		errno = out->error;
		status = sl_fail_sys(err, SL_SYSTEM, "write", out->path);
	}
	out_free(out);
	return status;
}

int out_file(const char *path, const char *bytes, size_t len, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	out_bytes(out, bytes, len);
	return sl_out_commit(out, err);
}

void sl_out_abandon(struct sl_out *out)
{
	if (!out)
		return;
	if (out->fd != STDOUT_FILENO)
		(void)close(out->fd);
	if (out->temp)
		(void)unlink(out->temp);
	out_free(out);
}
