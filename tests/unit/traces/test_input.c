/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_input.c - inputs: whole lines out of every packing, and one clear sentence for what is no input.
 */
#include <criterion/criterion.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/base/hash.h"
#include "sim/plugin.h"
#include "tests/world/cores.h"
#include "tests/world/memfile.h"

struct bytes {
	char *at;
	size_t len;
};

/* Each test is a process of its own; what it makes goes with it. */
static char *kept[512];
static size_t kept_count;

static struct bytes capacity(size_t len)
{
	cr_assert(kept_count < SL_LEN(kept));
	kept[kept_count] = calloc(1, len + 1);
	return (struct bytes){ kept[kept_count++], len };
}

static struct bytes join(struct bytes a, struct bytes b)
{
	struct bytes both = capacity(a.len + b.len);
	memcpy(both.at, a.at, a.len);
	memcpy(both.at + a.len, b.at, b.len);
	return both;
}

static struct bytes text_of(const char *text)
{
	struct bytes bytes = capacity(strlen(text));
	memcpy(bytes.at, text, bytes.len);
	return bytes;
}

/* ---- Packing ---------------------------------------------------------------- */

static struct bytes pack_none(struct bytes text) { return text; }

static struct bytes pack_gzip(struct bytes text)
{
	struct bytes packed = capacity(text.len + 1000);
	z_stream z = { .next_in = (unsigned char *)text.at,
		.avail_in = (unsigned)text.len,
		.next_out = (unsigned char *)packed.at,
		.avail_out = (unsigned)packed.len };
	cr_assert(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	packed.len = z.total_out;
	(void)deflateEnd(&z);
	return packed;
}

static struct bytes pack_zstd(struct bytes text)
{
	struct bytes packed = capacity(ZSTD_compressBound(text.len));
	ZSTD_CCtx *context = ZSTD_createCCtx();
	(void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1); /* As the program does. */
	packed.len = ZSTD_compress2(context, packed.at, packed.len, text.at, text.len);
	(void)ZSTD_freeCCtx(context);
	cr_assert(!ZSTD_isError(packed.len));
	return packed;
}

static struct bytes pack_xz(struct bytes text)
{
	struct bytes packed = capacity(text.len + 1000);
	size_t used = 0;
	cr_assert(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (uint8_t *)text.at, text.len,
			  (uint8_t *)packed.at, &used, packed.len) == LZMA_OK);
	packed.len = used;
	return packed;
}

static const struct {
	const char *name;
	struct bytes (*pack)(struct bytes text);
} packings[] = {
	{ "none", pack_none },
	{ "gzip", pack_gzip },
	{ "zstd", pack_zstd },
	{ "xz", pack_xz },
};

/* ---- Reading ------------------------------------------------------------------ */

/* All that comes out of a file of these bytes; every chunk must be whole lines. */
static int unpack(struct bytes stored, struct bytes *text, const char *packing, struct sl_err *err)
{
	char path[32];
	struct sl_input *in;
	*text = capacity(0);
	int status = sl_input_open(&in, memfile(path, stored.at, stored.len), err);
	if (status)
		return status;
	if (packing)
		cr_expect_str_eq(sl_input_packing(in), packing);
	const char *p, *end;
	bool partial = false;
	while ((status = sl_input_next(in, &p, &end, err)) > 0) {
		cr_expect(!partial, "%s: text after a line without its newline", packing);
		cr_expect(end > p);
		partial = end[-1] != '\n';
		cr_expect(!partial || *end == '\n', "%s: no newline within reach", packing);
		struct bytes node_alloc = capacity((size_t)(end - p));
		memcpy(node_alloc.at, p, node_alloc.len);
		*text = join(*text, node_alloc);
	}
	if (!status)
		cr_expect_eq(sl_input_bytes(in), stored.len);
	sl_input_close(in);
	return status;
}

static void expect_text(struct bytes stored, struct bytes want, const char *packing, const char *what)
{
	struct sl_err err = { 0 };
	struct bytes got;
	const int status = unpack(stored, &got, packing, &err);
	cr_expect_eq(status, SL_OK, "%s: %s", what, err.text);
	cr_expect(got.len == want.len && memcmp(got.at, want.at, want.len) == 0, "%s: %zu bytes, not %zu",
		what, got.len, want.len);
}

static void expect_failure(struct bytes stored, const char *text, const char *what)
{
	struct sl_err err = { 0 };
	struct bytes got;
	const int status = unpack(stored, &got, NULL, &err);
	cr_expect_eq(status, SL_INPUT, "%s: status %d", what, status);
	cr_expect(strstr(err.text, text), "%s: '%s' does not say '%s'", what, err.text, text);
}

/* Lines of many lengths, longer than several chunks, so that lines fall across their borders. */
static struct bytes long_text(void)
{
	struct bytes text = capacity(3 * 1024 * 1024 + 77);
	uint32_t x = 1;
	for (size_t i = 0; i < text.len; i++) {
		x = x * 1664525 + 1013904223;
		text.at[i] = (x >> 24) < 4 ? '\n' : (char)('0' + (x >> 24) % 10);
	}
	text.at[text.len - 1] = '7';
	return text;
}

/* Every packing gives the same text, chunk by chunk, with the last newline missing. */
Test(input, packings)
{
	const struct bytes text = long_text();
	for (size_t i = 0; i < SL_LEN(packings); i++) {
		expect_text(packings[i].pack(text), text, packings[i].name, packings[i].name);
		expect_text(
			packings[i].pack(text_of("a\nb\n")), text_of("a\nb\n"), packings[i].name, "short");
	}
}

/* Two files packed apart and put together read as one, as their own tools have it. */
Test(input, concatenated)
{
	const struct bytes text = long_text();
	for (size_t i = 1; i < SL_LEN(packings); i++)
		expect_text(join(packings[i].pack(text), packings[i].pack(text_of("end\n"))),
			join(text, text_of("end\n")), packings[i].name, packings[i].name);
}

/* A packed stream that ends early is named as such, wherever it is cut. */
Test(input, truncated)
{
	const struct bytes text = long_text();
	for (size_t i = 1; i < SL_LEN(packings); i++) {
		struct bytes packed = packings[i].pack(text);
		const size_t whole = packed.len;
		for (size_t cut = 1; cut < whole - 8; cut += whole / 3) {
			packed.len = whole - cut;
			expect_failure(packed, "truncated", packings[i].name);
		}
	}
}

Test(input, corrupt)
{
	const struct bytes text = long_text();
	for (size_t i = 1; i < SL_LEN(packings); i++) {
		const struct bytes packed = packings[i].pack(text);
		memset(packed.at + packed.len / 2, 0x55, 64);
		expect_failure(packed, "corrupt", packings[i].name);
	}
}

/* Behind a gzip member: zeros are padding (tapes, block devices), anything else is not ignored. */
Test(input, behind_gzip)
{
	const struct bytes packed = pack_gzip(text_of("a\n"));
	expect_text(join(packed, capacity(1000)), text_of("a\n"), "gzip", "zeros");
	expect_failure(join(packed, text_of("1 2 3\n")), "something else follows", "text");
}

Test(input, nothing_there)
{
	expect_failure(capacity(0), "is empty", "empty");
	for (size_t i = 1; i < SL_LEN(packings); i++)
		expect_failure(packings[i].pack(capacity(0)), "holds nothing", packings[i].name);
	struct sl_err err = { 0 };
	struct sl_input *in;
	cr_expect_eq(sl_input_open(&in, "/no/such/file", &err), SL_INPUT);
	cr_expect_str_eq(err.text, "cannot open '/no/such/file': No such file or directory");
	err = (struct sl_err){ 0 };
	cr_expect_eq(sl_input_open(&in, "/", &err), SL_INPUT);
	cr_expect_str_eq(err.text, "'/' is a directory: give a file");
}

/* 1 MiB is the longest line, to the byte; with or without a newline, first or later. */
Test(input, longest_line)
{
	enum { MIB = 1024 * 1024 };
	struct bytes line = capacity(MIB + 1);
	memset(line.at, '1', line.len);
	line.len = MIB;
	expect_text(line, line, "none", "1 MiB without its newline");
	expect_text(join(line, text_of("\n2\n")), join(line, text_of("\n2\n")), "none", "1 MiB");
	line.len++;
	expect_failure(line, "byte 0 of its text is longer than 1 MiB", "without its newline");
	expect_failure(join(line, text_of("\n")), "byte 0", "with its newline");
	expect_failure(join(text_of("a\nbc\n"), line), "byte 5", "later");
	expect_failure(pack_zstd(join(line, text_of("\n"))), "longer than 1 MiB", "packed");
}

/* What was seen by the one who knows formats is seen again by the reader. */
Test(input, retry)
{
	char path[32];
	struct sl_err err = { 0 };
	struct sl_input *in;
	const char *a, *b, *p, *end;
	cr_assert_eq(sl_input_open(&in, memfile(path, "x\ny\n", 4), &err), SL_OK);
	cr_expect_eq(sl_input_next(in, &a, &end, &err), 1);
	sl_input_rewind(in);
	cr_expect_eq(sl_input_next(in, &b, &end, &err), 1);
	cr_expect(a == b && end - b == 4);
	cr_expect_eq(sl_input_next(in, &p, &end, &err), 0);
	cr_expect_eq(sl_input_next(in, &p, &end, &err), 0, "the end stays the end");
	sl_input_close(in);
}

/* A byte order mark is not text. */
Test(input, byte_order_mark)
{
	expect_text(text_of("\xef\xbb\xbf; a\n1\n"), text_of("; a\n1\n"), "none", "mark");
}

/* The hash is of the stored bytes: "abc" has a known one, and a packed file that of its packing. */
Test(input, sha256)
{
	static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	char path[32];
	struct sl_err err = { 0 };
	struct sl_input *in;
	const char *p, *end;
	cr_assert_eq(sl_input_open(&in, memfile(path, "abc", 3), &err), SL_OK);
	cr_expect_eq(sl_input_size(in), 3);
	while (sl_input_next(in, &p, &end, &err) > 0)
		;
	cr_expect_str_eq(sl_input_sha256(in), abc);
	cr_expect_str_eq(sl_input_sha256(in), abc, "asked twice");
	sl_input_close(in);
	const struct bytes packed = pack_gzip(text_of("abc"));
	cr_assert_eq(sl_input_open(&in, memfile(path, packed.at, packed.len), &err), SL_OK);
	while (sl_input_next(in, &p, &end, &err) > 0)
		;
	cr_expect_str_neq(sl_input_sha256(in), abc);
	sl_input_close(in);
}

static void expect_sha256(struct bytes stored, const char *name)
{
	char path[32], want[65];
	struct sl_err err = { 0 };
	struct sl_input *in;
	const char *p, *end;
	struct evp_md_ctx_st *hash = hash_new();
	hash_add(hash, stored.at, stored.len);
	cr_assert(hash_end(hash, want));
	for (int all = 0; all < 2; all++) {
		cr_assert_eq(sl_input_open(&in, memfile(path, stored.at, stored.len), &err), SL_OK);
		cr_assert_eq(sl_input_peek(in, &p, &end, &err), 1);
		if (all)
			cr_assert_eq(sl_input_all(in, &p, &end, &err), SL_OK, "%s", err.text);
		while (!all && sl_input_next(in, &p, &end, &err) > 0)
			;
		cr_expect_str_eq(sl_input_sha256(in), want, "%s", name);
		cr_expect_eq(sl_input_bytes(in), stored.len, "%s", name);
		sl_input_close(in);
	}
}

/* A large file is hashed on a thread of its own, if there is a core for it: the same. Closed early, all is
 * left. */
Test(input, ahead)
{
	const struct bytes text = long_text();
	for (size_t i = 0; i < SL_LEN(packings); i++) {
		const struct bytes packed = packings[i].pack(text);
		expect_sha256(packed, packings[i].name);
		for (int parts = 0; parts < 6; parts++) {
			char path[32];
			struct sl_err err = { 0 };
			struct sl_input *in;
			const char *p, *end;
			cr_assert_eq(sl_input_open(&in, memfile(path, packed.at, packed.len), &err), SL_OK);
			for (int part = 0; part < parts; part++)
				cr_expect_eq(sl_input_next(in, &p, &end, &err), 1);
			sl_input_close(in);
		}
	}
	cr_assert(cores_keep_one());
	for (size_t i = 0; i < SL_LEN(packings); i++) {
		expect_sha256(packings[i].pack(text), packings[i].name);
		expect_text(packings[i].pack(text), text, packings[i].name, "on one core");
	}
}
