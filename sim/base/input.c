/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * input.c - the text of one input, whatever it was packed in, as runs of whole lines.
 *
 * One pass, forward: bytes are hashed as they are stored, unpacked (gzip, zstd
 * and xz, known by their first bytes), and lent as [from, lent) of one buffer;
 * what follows the last newline moves to the front of the next run. A newline
 * is always within reach: at the end of the text, or, if the file lacks its
 * last one, just behind it.
 *
 * Of a large file all but the first part is read, hashed and unpacked by a thread of its own (ahead.c).
 */
#include "sim/base/ahead.h"
#include "sim/base/base.h"
#include "sim/base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
	PART = 256 * 1024, /* Read, and unpacked, at a time: stays in the second-level cache. */
	LINE_LONGEST = 1024 * 1024,
	TEXT_LONGEST = 1024 * 1024 * 1024,
	LARGE = 1024 * 1024, /* From so many bytes on a thread of its own pays. */
	LARGE_PACKED = 256 * 1024,
	SLACK = 64 /* Readable bytes behind the text, so that scanners may load words. */
};

struct codec {
	const char *name;
	const char *magic;
	size_t magic_len;
	int (*start)(struct sl_input *in, struct sl_err *err);
	/* Unpacks at least a byte into out; 0 at the end. */
	ssize_t (*more)(struct sl_input *in, char *out, size_t capacity, struct sl_err *err);
	void (*stop)(struct sl_input *in);
};

struct sl_input {
	char *name;
	int fd;
	const struct codec *codec;
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DStream *zstd;
	bool between; /* No stream is open: one has ended, or none has begun. */
	unsigned char *raw;
	size_t raw_from, raw_to;
	bool raw_ended;
	char *text;
	size_t from, lent, held; /* text[from, lent) is lent, text[lent, held) waits for its newline. */
	uint64_t offset;         /* Of text[0] in the whole text. */
	bool ended, retry;
	bool too_long;              /* The line at the front is. */
	char *all;                  /* sl_input_all's. */
	struct evp_md_ctx_st *hash; /* NULL once it was returned. */
	char sha256[65];
	uint64_t size;
	_Atomic uint64_t bytes;
	/* The thread that goes ahead, if one does: until it has ended what is above of the file, its packing
	 * and its hash is its own. */
	struct ahead *ahead;
	bool alone;     /* There is none, and will be none. */
	bool hash_late; /* A part is hashed once it was handed over. */
};

/* ---- Bytes as stored ------------------------------------------------------- */

static ssize_t read_some(struct sl_input *in, void *out, size_t capacity, struct sl_err *err)
{
	const ssize_t got = read(in->fd, out, capacity);
	if (got < 0 && errno == EINTR) /* A signal is handled: a read at an idle pipe is to end. */
		return sl_fail(err, SL_INTERRUPTED, "%s: interrupted while it was read", in->name);
	if (got < 0)
		return sl_fail_sys(err, SL_INPUT, "read", in->name);
	if (got == 0)
		in->raw_ended = true;
	else if (!in->hash_late)
		hash_add(in->hash, out, (size_t)got);
	atomic_fetch_add_explicit(&in->bytes, (uint64_t)got, memory_order_relaxed);
	return got;
}

/* Sees to it that raw holds a byte, unless the file has ended. */
static int raw_fill(struct sl_input *in, struct sl_err *err)
{
	if (in->raw_from < in->raw_to || in->raw_ended)
		return SL_OK;
	const ssize_t got = read_some(in, in->raw, PART, err);
	if (got < 0)
		return (int)got;
	in->raw_from = 0;
	in->raw_to = (size_t)got;
	return SL_OK;
}

static int fail_truncated(const struct sl_input *in, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT, "%s: its %s stream is truncated: fetch or pack the file again",
		in->name, in->codec->name);
}

static int fail_corrupt(const struct sl_input *in, const char *why, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT, "%s: its %s stream is corrupt (%s): fetch or pack the file again",
		in->name, in->codec->name, why);
}

/* ---- Plain text --------------------------------------------------------------- */

static ssize_t plain_more(struct sl_input *in, char *out, size_t capacity, struct sl_err *err)
{
	const size_t here = in->raw_to - in->raw_from;
	if (!here) /* All but the first chunk is read where it will be used. */
		return in->raw_ended ? 0 : read_some(in, out, capacity, err);
	const size_t part = here < capacity ? here : capacity;
	memcpy(out, in->raw + in->raw_from, part);
	in->raw_from += part;
	return (ssize_t)part;
}

/* ---- gzip ------------------------------------------------------------------------ */

static int gzip_start(struct sl_input *in, struct sl_err *err)
{
	return inflateInit2(&in->gzip, MAX_WBITS + 16) == Z_OK ? SL_OK : sl_fail_memory(err);
}

static void gzip_stop(struct sl_input *in) { (void)inflateEnd(&in->gzip); }

/* Behind a member there may be another, or padding of zeros. True: a member begins here. */
static int gzip_member(struct sl_input *in, struct sl_err *err)
{
	while (in->raw_from < in->raw_to && in->raw[in->raw_from] == 0)
		in->raw_from++;
	if (in->raw_from == in->raw_to)
		return 0;
	if (in->raw[in->raw_from] != 0x1f)
		return fail_corrupt(in, "something else follows it", err);
	if (inflateReset(&in->gzip) != Z_OK)
		return fail_corrupt(in, "it cannot be begun again", err);
	in->between = false;
	return 1;
}

static ssize_t gzip_more(struct sl_input *in, char *out, size_t capacity, struct sl_err *err)
{
	in->gzip.next_out = (unsigned char *)out;
	in->gzip.avail_out = (unsigned)capacity;
	while (in->gzip.avail_out == capacity) {
		if (raw_fill(in, err))
			return SL_INPUT;
		if (in->raw_from == in->raw_to)
			return in->between ? 0 : fail_truncated(in, err);
		if (in->between) {
			const int member = gzip_member(in, err);
			if (member < 0)
				return member;
			if (!member)
				continue;
		}
		in->gzip.next_in = in->raw + in->raw_from;
		in->gzip.avail_in = (unsigned)(in->raw_to - in->raw_from);
		const int code = inflate(&in->gzip, Z_NO_FLUSH);
		in->raw_from = in->raw_to - in->gzip.avail_in;
		if (code == Z_STREAM_END)
			in->between = true;
		else if (code != Z_OK)
			return fail_corrupt(in, in->gzip.msg ? in->gzip.msg : "it is not gzip's", err);
	}
	return (ssize_t)(capacity - in->gzip.avail_out);
}

/* ---- zstd ------------------------------------------------------------------------ */

static int zstd_start(struct sl_input *in, struct sl_err *err)
{
	in->zstd = ZSTD_createDStream();
	return in->zstd ? SL_OK : sl_fail_memory(err);
}

static void zstd_stop(struct sl_input *in) { (void)ZSTD_freeDStream(in->zstd); }

/* NOLINTNEXTLINE(readability-non-const-parameter): the library writes through it. */
static ssize_t zstd_more(struct sl_input *in, char *out, size_t capacity, struct sl_err *err)
{
	ZSTD_outBuffer to = { out, capacity, 0 };
	while (to.pos == 0) {
		if (raw_fill(in, err))
			return SL_INPUT;
		const bool dry = in->raw_from == in->raw_to;
		if (dry && in->between)
			return 0;
		ZSTD_inBuffer from = { in->raw, in->raw_to, in->raw_from };
		const size_t code = ZSTD_decompressStream(in->zstd, &to, &from);
		in->raw_from = from.pos;
		if (ZSTD_isError(code))
			return fail_corrupt(in, ZSTD_getErrorName(code), err);
		in->between = code == 0; /* A frame is complete; another may follow. */
		if (dry && to.pos == 0 && !in->between)
			return fail_truncated(in, err);
	}
	return (ssize_t)to.pos;
}

/* ---- xz -------------------------------------------------------------------------- */

static int xz_start(struct sl_input *in, struct sl_err *err)
{
	/* The largest dictionary that xz makes unasked is 64 MiB. */
	const uint64_t memory_max = UINT64_C(1) << 30;
	return lzma_stream_decoder(&in->xz, memory_max, LZMA_CONCATENATED) == LZMA_OK ? SL_OK
										      : sl_fail_memory(err);
}

static void xz_stop(struct sl_input *in) { lzma_end(&in->xz); }

static ssize_t xz_more(struct sl_input *in, char *out, size_t capacity, struct sl_err *err)
{
	if (in->between)
		return 0;
	in->xz.next_out = (uint8_t *)out;
	in->xz.avail_out = capacity;
	while (in->xz.avail_out == capacity) {
		if (raw_fill(in, err))
			return SL_INPUT;
		in->xz.next_in = in->raw + in->raw_from;
		in->xz.avail_in = in->raw_to - in->raw_from;
		const lzma_ret code = lzma_code(&in->xz, in->raw_ended ? LZMA_FINISH : LZMA_RUN);
		in->raw_from = in->raw_to - in->xz.avail_in;
		if (code == LZMA_STREAM_END) {
			in->between = true; /* Concatenated streams are all behind. */
			break;
		}
		if (code == LZMA_BUF_ERROR && in->raw_ended)
			return fail_truncated(in, err);
		if (code == LZMA_MEMLIMIT_ERROR)
			return fail_corrupt(in, "it asks for more than 1 GiB", err);
		if (code != LZMA_OK && code != LZMA_BUF_ERROR)
			return fail_corrupt(in, "its data or check sums are wrong", err);
	}
	return (ssize_t)(capacity - in->xz.avail_out);
}

static int plain_start(struct sl_input *in, struct sl_err *err)
{
	(void)in;
	(void)err;
	return SL_OK;
}
static void plain_stop(struct sl_input *in) { (void)in; }

/* The last accepts what no other recognizes. */
static const struct codec codecs[] = {
	{ "gzip", "\x1f\x8b", 2, gzip_start, gzip_more, gzip_stop },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, zstd_start, zstd_more, zstd_stop },
	{ "xz", "\xfd\x37zXZ\0", 6, xz_start, xz_more, xz_stop },
	{ "none", "", 0, plain_start, plain_more, plain_stop },
};

/* ---- Opening ------------------------------------------------------------------------ */

static int open_file(struct sl_input *in, const char *path, struct sl_err *err)
{
	if (path_is_closed(path) && path_leads_out(path + strlen(PATH_CLOSED)))
		return sl_fail(err, SL_INPUT, "'%s' leads out of the bundle: nothing there is read", path);
	in->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	struct stat about;
	if (fstat(in->fd, &about))
		return sl_fail_sys(err, SL_INPUT, "look at", path);
	in->size = S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
	if (S_ISDIR(about.st_mode))
		return sl_fail(err, SL_INPUT, "'%s' is a directory: give a file", in->name);
	return SL_OK;
}

/* Enough bytes to know the format by, though a pipe may deliver them one by one. */
static int read_magic(struct sl_input *in, struct sl_err *err)
{
	while (in->raw_to < 6 && !in->raw_ended) {
		const ssize_t got = read_some(in, in->raw + in->raw_to, PART - in->raw_to, err);
		if (got < 0)
			return (int)got;
		in->raw_to += (size_t)got;
	}
	if (!in->raw_to)
		return sl_fail(err, SL_INPUT, "'%s' is empty: give another file", in->name);
	const struct codec *codec = codecs;
	while (in->raw_to < codec->magic_len || memcmp(in->raw, codec->magic, codec->magic_len) != 0)
		codec++;
	const int status = codec->start(in, err);
	if (!status)
		in->codec = codec;
	return status;
}

int sl_input_open(struct sl_input **result, const char *path, struct sl_err *err)
{
	*result = NULL;
	struct sl_input *in = calloc(1, sizeof(*in));
	if (!in)
		return sl_fail_memory(err);
	in->fd = -1;
	atomic_init(&in->bytes, 0);
	in->name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
	in->raw = malloc(PART);
	in->text = calloc(1, LINE_LONGEST + PART + SLACK);
	in->hash = hash_new();
	int status = SL_OK;
	if (!in->name || !in->raw || !in->text || !in->hash)
		status = sl_fail_memory(err);
	if (!status)
		status = open_file(in, path, err);
	if (!status)
		status = read_magic(in, err);
	if (status) {
		sl_input_close(in);
		return status;
	}
	*result = in;
	return SL_OK;
}

void sl_input_close(struct sl_input *in)
{
	if (!in)
		return;
	ahead_end(in->ahead);
	if (in->codec)
		in->codec->stop(in);
	if (in->fd > STDIN_FILENO)
		(void)close(in->fd);
	(void)hash_end(in->hash, in->sha256);
	free(in->all);
	free(in->text);
	free(in->raw);
	free(in->name);
	free(in);
}

/* ---- Parts of the text ---------------------------------------------------------------- */

static ssize_t more_here(void *self, char *out, size_t capacity, struct sl_err *err)
{
	struct sl_input *in = self;
	return in->codec->more(in, out, capacity, err);
}

static void hash_behind(void *self, const char *part, size_t len)
{
	const struct sl_input *in = self;
	if (in->hash_late)
		hash_add(in->hash, part, len);
}

/* Behind the first part: whoever looks at no more than that needs no thread. */
static void go_ahead(struct sl_input *in)
{
	const bool packed = in->codec->magic_len;
	const struct ahead_source source = { in, more_here, hash_behind };
	in->alone = in->size < (packed ? LARGE_PACKED : LARGE);
	if (in->alone)
		return;
	in->hash_late = !packed && in->raw_from == in->raw_to; /* What is in raw was hashed. */
	in->ahead = ahead_start(&source, PART);
	in->alone = !in->ahead;
	if (in->alone)
		in->hash_late = false;
}

/* The next of at most PART bytes. */
static ssize_t take_more(struct sl_input *in, char *out, struct sl_err *err)
{
	const bool first = !in->held && !in->offset;
	if (!in->ahead && !in->alone && !first)
		go_ahead(in);
	return in->ahead ? ahead_take(in->ahead, out, err) : more_here(in, out, PART, err);
}

/* ---- Lines --------------------------------------------------------------------------- */

static int fail_line(struct sl_input *in, struct sl_err *err)
{
	in->too_long = true;
	return sl_fail(err, SL_INPUT,
		"%s: the line that begins at byte %llu of its text is longer than 1 MiB: is it a trace?",
		in->name, (unsigned long long)in->offset);
}

/* Appends a chunk to the buffer; lends up to its last newline, if it has one. */
static int take_part(struct sl_input *in, struct sl_err *err)
{
	char *part = in->text + in->held;
	const ssize_t got = take_more(in, part, err);
	if (got < 0)
		return (int)got;
	in->held += (size_t)got;
	in->ended = got == 0;
	const char *last = in->ended ? in->text + in->held : memrchr(part, '\n', (size_t)got);
	if (last) {
		/* Only the first line can be too long: it alone may span chunks. */
		const char *first = in->ended ? last : memchr(part, '\n', (size_t)got);
		if (first - in->text > LINE_LONGEST)
			return fail_line(in, err);
		in->lent = (size_t)(last - in->text) + !in->ended;
	} else if (in->held > LINE_LONGEST) {
		return fail_line(in, err);
	}
	return SL_OK;
}

/* A byte order mark is skipped. */
static size_t text_begins(const struct sl_input *in)
{
	return !in->offset && in->held >= 3 && memcmp(in->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static int next_lines(struct sl_input *in, struct sl_err *err)
{
	in->offset += in->lent;
	in->held -= in->lent;
	memmove(in->text, in->text + in->lent, in->held);
	in->from = in->lent = 0;
	while (!in->lent && !in->ended) {
		const int status = take_part(in, err);
		if (status)
			return status;
	}
	if (in->ended)
		in->text[in->held] = '\n'; /* Not lent, but in reach. */
	if (in->offset)
		return SL_OK;
	if (!in->lent)
		return sl_fail(
			err, SL_INPUT, "'%s' holds nothing once unpacked: give another file", in->name);
	in->from = text_begins(in);
	return SL_OK;
}

int sl_input_peek(struct sl_input *in, const char **text, const char **end, struct sl_err *err)
{
	struct sl_err failed = { 0 };
	const int more = sl_input_next(in, text, end, &failed);
	if (more >= 0) {
		sl_input_rewind(in);
		return more;
	}
	if (!in->too_long) {
		*err = failed;
		return more;
	}
	*text = in->text + text_begins(in);
	*end = in->text + in->held;
	return 1;
}

static int fail_text(const struct sl_input *in, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT,
		"%s: its text is longer than 1 GiB: cut it, or convert it to a format of lines", in->name);
}

int sl_input_all(struct sl_input *in, const char **text, const char **end, struct sl_err *err)
{
	SL_CHECK(!in->all && !in->offset && (in->retry || in->too_long || !in->lent));
	const size_t from = text_begins(in);
	size_t len = in->held - from;
	size_t capacity = 0;
	int status = SL_GROW_MOST(in->all, capacity, len + PART + SLACK, TEXT_LONGEST + PART + SLACK, err);
	if (!status && len)
		memcpy(in->all, in->text + from, len);
	while (!status && !in->ended) {
		const ssize_t got = take_more(in, in->all + len, err);
		if (got < 0)
			return (int)got;
		in->ended = got == 0;
		len += (size_t)got;
		if (len > TEXT_LONGEST)
			return fail_text(in, err);
		status = SL_GROW_MOST(
			in->all, capacity, len + PART + SLACK, (size_t)TEXT_LONGEST + PART + SLACK, err);
	}
	if (status)
		return status;
	in->retry = in->too_long = false;
	in->from = in->lent = in->held = 0; /* Nothing is left for sl_input_next. */
	in->offset = len;
	memset(in->all + len, 0, SLACK);
	*text = in->all;
	*end = in->all + len;
	return SL_OK;
}

int sl_input_next(struct sl_input *in, const char **text, const char **end, struct sl_err *err)
{
	if (in->too_long)
		return fail_line(in, err);
	if (!in->retry) {
		const int status = next_lines(in, err);
		if (status)
			return status;
	}
	in->retry = false;
	*text = in->text + in->from;
	*end = in->text + in->lent;
	return in->lent > 0;
}

void sl_input_rewind(struct sl_input *in) { in->retry = in->lent > 0; }

/* ---- What it is ------------------------------------------------------------------------ */

const char *sl_input_name(const struct sl_input *in) { return in->name; }

const char *sl_input_packing(const struct sl_input *in) { return in->codec->name; }

uint64_t sl_input_size(const struct sl_input *in) { return in->size; }

uint64_t sl_input_bytes(const struct sl_input *in)
{
	return atomic_load_explicit(&in->bytes, memory_order_relaxed);
}

const char *sl_input_sha256(struct sl_input *in)
{
	if (in->sha256[0])
		return in->sha256;
	SL_CHECK(in->ended); /* Else it would be that of a part. */
	ahead_end(in->ahead);
	in->ahead = NULL;
	in->alone = true;
	SL_CHECK(hash_end(in->hash, in->sha256));
	in->hash = NULL;
	return in->sha256;
}
