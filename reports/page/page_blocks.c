/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_blocks.c - columns of numbers and texts, compressed as they come.
 *
 * What is alike is next to each other after two steps that cost nothing to take back: differences to the
 * value before, and bytes of the same weight together. Planes of bytes that are noise have nothing that
 * repeats but by accident: to look for it takes five times as long and makes them larger (measured), so each
 * plane is compressed in the way that a piece of it is shorter in.
 */
#include "reports/page/page.h"

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST /* What goes in stays as it is. */
#include <zlib.h>

/* Before the number of a block in the text of a part, where it is another in the page. No JSON has it. */
static const char number_mark = '\1';

enum { LEVEL = 6, SAMPLE = 1 << 16 };
static const size_t chunk = 1 << 16; /* To zlib, which counts in 32 bits. */

static size_t width_of(unsigned form)
{
	static const size_t width[PAGE_TYPES] = { 1, 2, 4, 4, 4, 8, 1 };
	return width[form & 15];
}

void *page_alloc(struct page *page, size_t count, size_t size)
{
	void *space = calloc(count ? count : 1, size);
	page->failed = page->failed || !space;
	return space;
}

/* How long so many bytes are, compressed as the stream does it; more than `most`: SIZE_MAX, and soon. */
static size_t tried(z_stream *stream, const unsigned char *bytes, size_t length, size_t most)
{
	unsigned char capacity[SAMPLE + SAMPLE / 8];
	most = most < sizeof(capacity) ? most : sizeof(capacity) - 1;
	(void)deflateReset(stream);
	stream->next_in = bytes;
	stream->avail_in = (uInt)length;
	stream->next_out = capacity;
	stream->avail_out = (uInt)most + 1; /* It has not ended while there is no room left. */
	const bool whole = deflate(stream, Z_FINISH) == Z_STREAM_END;
	return whole ? stream->total_out : SIZE_MAX;
}

/* Each way to compress, for pieces: a stream takes longer to make than a piece to compress. */
struct trials {
	z_stream runs, usual;
};

static bool trials_begin(struct trials *trials)
{
	*trials = (struct trials){ .runs = { .zalloc = Z_NULL } };
	const int status = deflateInit2(&trials->runs, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_RLE);
	return status == Z_OK && deflateInit2(&trials->usual, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
					 Z_DEFAULT_STRATEGY) == Z_OK;
}

static void trials_end(struct trials *trials)
{
	(void)deflateEnd(&trials->runs);
	(void)deflateEnd(&trials->usual);
}

/* Of the middle: what begins and ends a series is not like the rest. */
static int strategy_of(struct trials *trials, const unsigned char *bytes, size_t length)
{
	const size_t sample = length < SAMPLE ? length : SAMPLE;
	const unsigned char *from = bytes + (length - sample) / 2;
	const size_t runs = tried(&trials->runs, from, sample, SIZE_MAX);
	return tried(&trials->usual, from, sample, runs) > runs ? Z_RLE : Z_DEFAULT_STRATEGY;
}

/* So many bytes more into the stream, which has the memory for them; last: it ends. */
static int deflate_part(z_stream *stream, struct page_block *block, size_t capacity,
	const unsigned char *bytes, size_t length, bool last)
{
	int status = Z_OK;
	do {
		const size_t part = length < chunk ? length : chunk;
		const size_t left = capacity - block->size;
		stream->next_in = bytes;
		stream->avail_in = (uInt)part;
		stream->next_out = block->data + block->size;
		stream->avail_out = left < 4 * chunk ? (uInt)left : 4 * chunk;
		length -= part;
		status = deflate(stream, last && !length ? Z_FINISH : length ? Z_NO_FLUSH : Z_BLOCK);
		block->size = (size_t)(stream->next_out - block->data);
		bytes += part;
	} while (length && status == Z_OK);
	return status;
}

/* Plane by plane. */
static void deflate_all(
	struct page *page, struct page_block *block, const unsigned char *bytes, size_t planes)
{
	const size_t length = block->count * width_of(block->form) / planes;
	const size_t capacity = planes * (length + length / 8 + 4 * chunk);
	z_stream stream = { 0 };
	struct trials trials;
	block->data = malloc(capacity);
	const bool ready = trials_begin(&trials) && block->data;
	int strategy = ready ? strategy_of(&trials, bytes, length) : Z_DEFAULT_STRATEGY;
	if (!ready || deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, strategy) != Z_OK) {
		trials_end(&trials);
		page->failed = true;
		return;
	}
	int status = Z_OK;
	for (size_t plane = 0; plane < planes && status == Z_OK; plane++) {
		const int next = plane ? strategy_of(&trials, bytes + plane * length, length) : strategy;
		stream.next_out = block->data + block->size;
		stream.avail_out = (uInt)chunk;
		if (next != strategy)
			status = deflateParams(&stream, LEVEL, next);
		block->size = (size_t)(stream.next_out - block->data);
		strategy = next;
		if (status == Z_OK)
			status = deflate_part(&stream, block, capacity, bytes + plane * length, length,
				plane + 1 == planes);
	}
	SL_CHECK(status == Z_STREAM_END); /* There is memory for whatever it makes. */
	(void)deflateEnd(&stream);
	trials_end(&trials);
	unsigned char *shorter = realloc(block->data, block->size);
	block->data = shorter ? shorter : block->data;
}

static uint64_t value_at(const unsigned char *from, size_t i, size_t size)
{
	uint32_t word;
	uint64_t value = 0;
	if (size == sizeof(word)) { /* Mostly. */
		memcpy(&word, from + i * sizeof(word), sizeof(word));
		return word;
	}
	memcpy(&value, from + i * size, size);
	return BYTE_ORDER == BIG_ENDIAN ? value >> (8 * (8 - size)) : value;
}

/* Little endian, as differences, in planes: what its form says. */
static void encode(unsigned char *to, const unsigned char *from, size_t count, unsigned form)
{
	const size_t size = width_of(form);
	uint64_t before = 0;
	if (size == 1 && !(form & PAGE_DELTA)) {
		memcpy(to, from, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t value = value_at(from, i, size);
		const uint64_t put = form & PAGE_DELTA ? value - before : value;
		before = value;
		for (size_t b = 0; b < size; b++)
			to[form & PAGE_SPLIT ? b * count + i : i * size + b] = (unsigned char)(put >> 8 * b);
	}
}

/* The number of one that is the same, or its own. */
static size_t same_or_new(struct page *page, const struct page_block *block)
{
	for (size_t i = 0; i < page->block_count; i++) {
		const struct page_block *other = &page->block[i];
		if (other->form == block->form && other->count == block->count &&
			other->size == block->size && memcmp(other->data, block->data, block->size) == 0)
			return i;
	}
	return page->block_count;
}

/* Its number; of one that is there already, that. The page has it then. */
static size_t block_put(struct page *page, const struct page_block *block)
{
	page->failed =
		page->failed || SL_GROW(page->block, page->block_capacity, page->block_count + 1, NULL);
	const size_t number = page->failed ? 0 : same_or_new(page, block);
	if (page->failed || number < page->block_count)
		free(block->data);
	else
		page->block[page->block_count++] = *block;
	return number;
}

/* Its number. The values are read before it returns. */
static size_t page_block(struct page *page, unsigned form, const void *values, size_t count)
{
	struct page_block block = { .form = form, .count = count };
	const size_t length = count * width_of(form);
	unsigned char *bytes = page->failed ? NULL : malloc(length ? length : 1);
	page->failed = page->failed || !bytes;
	if (bytes) {
		encode(bytes, values, count, form);
		deflate_all(page, &block, bytes, form & PAGE_SPLIT && count ? width_of(form) : 1);
		free(bytes);
	}
	return block_put(page, &block);
}

void page_member(struct page *page, struct page_text *json, const char *name, unsigned form,
	const void *values, size_t count)
{
	page_name(json, name);
	page_format(json, "\"b%c%zu\"", number_mark, page_block(page, form, values, count));
}

/* ---- One page behind another -------------------------------------------------------------------- */

/* number: by the part's. */
static void text_join(struct page_text *text, const struct page_text *part, const size_t *number)
{
	const char *at = part->data;
	const char *end = at + part->length;
	const char *mark;
	while (at < end && (mark = memchr(at, number_mark, (size_t)(end - at)))) {
		size_t own = 0;
		page_bytes(text, at, (size_t)(mark - at));
		for (at = mark + 1; at < end && *at >= '0' && *at <= '9'; at++)
			own = own * 10 + (size_t)(*at - '0');
		page_format(text, "%zu", number[own]);
	}
	page_bytes(text, at, (size_t)(end - at));
}

void page_blocks_join(struct page *page, struct page *part)
{
	size_t *number = page_alloc(page, part->block_count, sizeof(*number));
	for (size_t i = 0; number && i < part->block_count; i++) {
		number[i] = block_put(page, &part->block[i]);
		part->block[i] = (struct page_block){ 0 };
	}
	if (number && !page->failed)
		text_join(&page->runs, &part->runs, number);
	free(number);
}
