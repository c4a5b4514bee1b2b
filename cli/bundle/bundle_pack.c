/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle_pack.c - a bundle as one file: tar, the same bytes from the same files.
 *
 * The format is ustar (POSIX.1-2017, pax, "ustar Interchange Format"), of plain files only. Names are sorted,
 * owners are 0, modes 644 and 755, and all is of one time, SOURCE_DATE_EPOCH
 * (reproducible-builds.org/specs/source-date-epoch) or 1980-01-01 00:00 UTC. The compressors are libraries':
 * another version of one may pack the same files in other bytes; the tar inside stays the same. (libarchive
 * does all this too, but comes with ICU, libxml2 and seven more: 36 MB, loaded at each start of any command.)
 */
#define ZLIB_CONST
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/bundle/bundle.h"
#include "sim/base/out.h"

enum { PATH_LONGEST = 4096, CHUNK = 30000, FILES_MAX = 100000, BLOCK = 512 };

static const time_t year_1980 = 315532800;

/* Numbers are octal digits, closed by a zero. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[6],
		version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

enum packing { PLAIN, GZIP, XZ, ZSTD };

static const struct suffix {
	const char *text;
	enum packing packing;
} suffixes[] = {
	{ ".tar", PLAIN },
	{ ".tar.gz", GZIP },
	{ ".tgz", GZIP },
	{ ".tar.xz", XZ },
	{ ".txz", XZ },
	{ ".tar.zst", ZSTD },
	{ ".tzst", ZSTD },
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
	const bool good = epoch && *epoch && !*end && !errno && seconds >= 0 && seconds < 1LL << 33;
	return good ? (time_t)seconds : year_1980;
}

/* ---- Packing --------------------------------------------------------------------------------------- */

struct packer {
	struct sl_out *out;
	enum packing packing;
	z_stream gzip;
	lzma_stream xz;
	ZSTD_CStream *zstd;
};

static bool packer_begin(struct packer *packer)
{
	enum { GZIP_HEADER = 16, MEMORY = 8 };
	static const lzma_stream fresh = LZMA_STREAM_INIT;
	packer->xz = fresh;
	if (packer->packing == GZIP) /* Its header has neither name nor time. */
		return deflateInit2(&packer->gzip, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_HEADER,
			       MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
	if (packer->packing == XZ)
		return lzma_easy_encoder(&packer->xz, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK;
	if (packer->packing == ZSTD)
		packer->zstd = ZSTD_createCStream();
	return packer->packing != ZSTD || packer->zstd;
}

static void packer_end(struct packer *packer)
{
	if (packer->packing == GZIP)
		(void)deflateEnd(&packer->gzip);
	lzma_end(&packer->xz);
	(void)ZSTD_freeCStream(packer->zstd);
}

static bool feed_gzip(struct packer *packer, const void *bytes, size_t len, bool last)
{
	z_stream *z = &packer->gzip;
	int code;
	z->next_in = (const Bytef *)bytes;
	z->avail_in = (uInt)len;
	do {
		char *space = sl_out_reserve(packer->out, CHUNK);
		z->next_out = (Bytef *)space;
		z->avail_out = CHUNK;
		code = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
		sl_out_advance(packer->out, (char *)z->next_out);
	} while (code == Z_OK && (z->avail_in || !z->avail_out || last));
	return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
}

static bool feed_xz(struct packer *packer, const void *bytes, size_t len, bool last)
{
	lzma_stream *xz = &packer->xz;
	lzma_ret code;
	xz->next_in = bytes;
	xz->avail_in = len;
	do {
		char *space = sl_out_reserve(packer->out, CHUNK);
		xz->next_out = (uint8_t *)space;
		xz->avail_out = CHUNK;
		code = lzma_code(xz, last ? LZMA_FINISH : LZMA_RUN);
		sl_out_advance(packer->out, (char *)xz->next_out);
	} while (code == LZMA_OK && (xz->avail_in || !xz->avail_out || last));
	return code == LZMA_OK || code == LZMA_STREAM_END;
}

static bool feed_zstd(struct packer *packer, const void *bytes, size_t len, bool last)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	size_t left;
	do {
		ZSTD_outBuffer out = { sl_out_reserve(packer->out, CHUNK), CHUNK, 0 };
		left = ZSTD_compressStream2(packer->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		sl_out_advance(packer->out, (char *)out.dst + out.pos);
	} while (!ZSTD_isError(left) && (last ? left > 0 : in.pos < in.size));
	return !ZSTD_isError(left);
}

static int feed(struct packer *packer, const void *bytes, size_t len, bool last, struct sl_err *err)
{
	bool good = true;
	if (packer->packing == PLAIN && len) {
		char *space = sl_out_reserve(packer->out, len);
		memcpy(space, bytes, len);
		sl_out_advance(packer->out, space + len);
	} else if (packer->packing == GZIP) {
		good = feed_gzip(packer, bytes, len, last);
	} else if (packer->packing == XZ) {
		good = feed_xz(packer, bytes, len, last);
	} else if (packer->packing == ZSTD) {
		good = feed_zstd(packer, bytes, len, last);
	}
	return good ? SL_OK : sl_fail(err, SL_SYSTEM, "the bundle cannot be packed: its compressor failed");
}

/* "PREFIX/NAME" where it is long. */
static bool name_put(struct header *header, const char *path)
{
	const size_t len = strlen(path);
	const char *cut = path;
	if (len > sizeof(header->name)) {
		while (cut && len - (size_t)(cut - path) > sizeof(header->name))
			cut = strchr(cut + 1, '/');
		if (!cut || (size_t)(cut - path) > sizeof(header->prefix))
			return false;
		memcpy(header->prefix, path, (size_t)(cut - path));
		cut += 1;
	}
	memcpy(header->name, cut, strlen(cut));
	return true;
}

static unsigned bundle_pack_sum_of(const struct header *header)
{
	const unsigned char *byte = (const unsigned char *)header;
	unsigned sum = 0;
	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= offsetof(struct header, sum) && i < offsetof(struct header, type) ? ' ' : byte[i];
	return sum;
}

static int header_put(struct packer *packer, const char *path, const struct stat *is, struct sl_err *err)
{
	struct header header = { .type = '0', .magic = "ustar", .version = { '0', '0' } };
	if (!name_put(&header, path))
		return sl_fail(
			err, SL_USAGE, "'%s': is too long a name for tar: make a folder of the bundle", path);
	if (is->st_size >= (off_t)1 << 33)
		return sl_fail(err, SL_USAGE,
			"'%s': 8 GiB and more go into no tar: make a folder of the bundle", path);
	(void)snprintf(header.mode, sizeof(header.mode), "%07o", is->st_mode & S_IXUSR ? 0755U : 0644U);
	(void)snprintf(header.uid, sizeof(header.uid), "%07o", 0U);
	(void)snprintf(header.gid, sizeof(header.gid), "%07o", 0U);
	(void)snprintf(header.size, sizeof(header.size), "%011llo", (unsigned long long)is->st_size);
	(void)snprintf(header.mtime, sizeof(header.mtime), "%011llo", (unsigned long long)time_of_all());
	(void)snprintf(header.sum, sizeof(header.sum), "%06o", bundle_pack_sum_of(&header));
	header.sum[7] = ' ';
	return feed(packer, &header, sizeof(header), false, err);
}

static int content_put(struct packer *packer, const char *from, int64_t left, struct sl_err *err)
{
	static const char zeros[BLOCK];
	char space[CHUNK];
	const size_t beyond = (size_t)(left % BLOCK);
	FILE *file = fopen(from, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", from);
	int status = SL_OK;
	while (!status && left > 0) {
		const size_t got = fread(space, 1, sizeof(space), file);
		if (!got || (int64_t)got > left)
			status = sl_fail(
				err, SL_SYSTEM, "'%s' changed while it was packed: do it again", from);
		else
			status = feed(packer, space, got, false, err);
		left -= (int64_t)got;
	}
	(void)fclose(file);
	return status || !beyond ? status : feed(packer, zeros, BLOCK - beyond, false, err);
}

static int file_pack(
	struct packer *packer, const char *folder, const char *name, const char *path, struct sl_err *err)
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
	const int status = header_put(packer, inside, &is, err);
	return status ? status : content_put(packer, from, is.st_size, err);
}

static int files_pack(struct packer *packer, const char *folder, const char *name,
	const struct bundle_files *files, struct sl_err *err)
{
	static const char end[2 * BLOCK];
	int status = file_pack(packer, folder, name, BUNDLE_SUMS, err);
	for (size_t i = 0; i < files->count && !status; i++)
		status = file_pack(packer, folder, name, files->file[i].path, err);
	return status ? status : feed(packer, end, sizeof(end), true, err);
}

int bundle_pack(const char *path, const char *folder, const struct bundle_files *files, struct sl_err *err)
{
	char name[PATH_LONGEST];
	const struct suffix *suffix = suffix_of(path);
	struct packer packer = { .packing = suffix ? suffix->packing : PLAIN };
	int status = bundle_name(name, sizeof(name), path, err);
	if (!status)
		status = sl_out_open(&packer.out, path, err);
	if (status)
		return status;
	status = packer_begin(&packer) ? files_pack(&packer, folder, name, files, err) : sl_fail_memory(err);
	packer_end(&packer);
	if (!status)
		return sl_out_commit(packer.out, err);
	sl_out_abandon(packer.out);
	return status;
}

/* ---- Unpacking -------------------------------------------------------------------------------------- */

struct unpacking {
	const char *path;
	bundle_take *take;
	void *self;
	size_t files;
	char top[257]; /* The archive's own folder; "" before the first file. */
};

static bool octal(const char *digits, size_t width, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < width && digits[i] && digits[i] != ' '; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return false;
		*value = *value * 8 + (uint64_t)(digits[i] - '0');
	}
	return true;
}

static int no_bundle(const struct unpacking *tar, const char *name, struct sl_err *err)
{
	return sl_fail(err, SL_INPUT, "%s: '%.200s' is nothing that a bundle has: files in one folder",
		tar->path, name);
}

/* Its path below the folder, without the top; NULL: a name that no bundle has. */
static const char *name_inside(struct unpacking *tar, const char *name)
{
	const char *slash = strchr(name, '/');
	if (!slash || slash == name || !slash[1])
		return NULL;
	const size_t len = (size_t)(slash - name);
	if (!tar->top[0])
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

static int file_unpack(
	struct unpacking *tar, const struct header *header, const char *bytes, size_t len, struct sl_err *err)
{
	char name[300];
	/* Of GNU's own format the prefix is something else. */
	const bool prefixed = memcmp(header->magic, "ustar", 6) == 0 && header->prefix[0];
	(void)snprintf(name, sizeof(name), "%.155s%s%.100s", prefixed ? header->prefix : "",
		prefixed ? "/" : "", header->name);
	if (header->type == '5')
		return SL_OK; /* A folder is made where a file is in it. */
	const char *inside = name_inside(tar, name);
	if (!inside || (header->type != '0' && header->type != '\0'))
		return no_bundle(tar, name, err);
	if (++tar->files > FILES_MAX)
		return sl_fail(err, SL_INPUT, "%s: more than %d files are no bundle", tar->path, FILES_MAX);
	return tar->take(tar->self, inside, bytes, len, err);
}

static int all_unpack(struct unpacking *tar, const char *text, const char *end, struct sl_err *err)
{
	for (const char *at = text; end - at >= BLOCK && *at;) {
		struct header header;
		uint64_t size;
		uint64_t sum;
		memcpy(&header, at, sizeof(header));
		at += BLOCK;
		if (memcmp(header.magic, "ustar", 5) != 0 || !octal(header.sum, sizeof(header.sum), &sum) ||
			sum != bundle_pack_sum_of(&header) || !octal(header.size, sizeof(header.size), &size))
			return sl_fail(err, SL_INPUT, "%s: is damaged, or no tar: pack or fetch it again",
				tar->path);
		if (size > (uint64_t)(end - at))
			return sl_fail(err, SL_INPUT, "%s: is cut off: fetch it again", tar->path);
		const int status = file_unpack(tar, &header, at, (size_t)size, err);
		if (status)
			return status;
		const uint64_t step = (size + BLOCK - 1) / BLOCK * BLOCK;
		at = step < (uint64_t)(end - at) ? at + step : end;
	}
	return tar->files ? SL_OK : sl_fail(err, SL_INPUT, "%s: has no files: is it a bundle?", tar->path);
}

int bundle_unpack_text(const char *path, const char *text, const char *end, bundle_take *take, void *self,
	struct sl_err *err)
{
	struct unpacking tar = { .path = path, .take = take, .self = self };
	return all_unpack(&tar, text, end, err);
}

struct folder_take {
	const char *path, *folder;
};

/* One that is there already is never written through: a name twice, or a file where a folder is to be. */
static int take_in_folder(void *self, const char *name, const char *bytes, size_t len, struct sl_err *err)
{
	const struct folder_take *into = self;
	char to[PATH_LONGEST];
	const int width = snprintf(to, sizeof(to), "%s/%s", into->folder, name);
	if (width < 0 || (size_t)width >= sizeof(to))
		return sl_fail(err, SL_INPUT, "%s: '%.200s': the path is too long", into->path, name);
	if (access(to, F_OK) == 0 || errno == ENOTDIR)
		return sl_fail(err, SL_INPUT,
			"%s: has '%.200s' twice, or as a file and a folder: pack it again", into->path, name);
	const int status = folders_make(to, strlen(into->folder) + 1, "make", err);
	return status ? status : out_file(to, bytes, len, err);
}

int bundle_unpack(const char *path, const char *folder, struct sl_err *err)
{
	struct folder_take into = { path, folder };
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = bundle_unpack_text(path, text, end, take_in_folder, &into, err);
	sl_input_close(in);
	return status;
}
