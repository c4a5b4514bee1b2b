/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_read.c - a report page parsed, by the format that is documented.
 */
#include "tests/world/page_read.h"
#include "tests/world/builtin_registry.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

char *page_written(const char *name, const struct sl_document_run *reported, size_t count,
	const struct sl_compared *compared, const struct sl_document_options *options, struct sl_err *err)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	const struct sl_document *document = NULL;
	void *self = NULL;
	struct sl_out *out;
	char *text = NULL;
	size_t size = 0;
	document = sl_by_name(builtin_registry()->known.documents, name);
	const int fd = mkstemp(path);
	SL_CHECK(document && fd >= 0);
	int status = document->open(&self, options, err);
	for (size_t i = 0; i < count && !status; i++)
		status = document->add(self, &reported[i], err);
	if (!status)
		status = sl_out_open(&out, path, err);
	if (!status && !(status = document->write(self, compared, out, err)))
		status = sl_out_commit(out, err);
	document->close(self);
	(void)close(fd);
	FILE *file = status ? NULL : fopen(path, "rb");
	if (file && getdelim(&text, &size, '\0', file) < 0 && text)
		text[0] = '\0';
	if (file)
		(void)fclose(file);
	(void)unlink(path);
	return text;
}

char *page_between(const char *text, const char *before, const char *after)
{
	const char *from = strstr(text, before);
	const char *until = from ? strstr(from + strlen(before), after) : NULL;
	return until ? strndup(from + strlen(before), (size_t)(until - from) - strlen(before)) : NULL;
}

struct page_read page_open(char *text)
{
	struct page_read page = { .text = text, .length = strlen(text) };
	char *meta = page_between(text, "<script type=\"application/json\" id=\"meta\">", "</script>");
	SL_CHECK(meta);
	page.meta = json_parse(meta);
	free(meta);
	SL_CHECK(page.meta);
	return page;
}

void page_unavailable(struct page_read *page)
{
	json_free(page->meta);
	free(page->text);
}

const struct json *page_at(const struct json *json, const char *path)
{
	char word[64];
	while (json && *path) {
		const size_t length = strcspn(path, ".");
		(void)snprintf(word, sizeof(word), "%.*s", (int)length, path);
		json = json_is_list(json) ? json_item(json, (int)strtol(word, NULL, 10))
					  : json_member(json, word);
		path += length + (path[length] == '.');
	}
	return json;
}

double page_number(const struct json *json, const char *path)
{
	const struct json *found = page_at(json, path);
	return found && json_is_number(found) ? found->number : -1e300;
}

const char *page_text_at(const struct json *json, const char *path)
{
	const struct json *found = page_at(json, path);
	return found && json_is_text(found) ? found->text : NULL;
}

unsigned char *page_bytes_of(const struct page_read *page, const char *id, size_t length)
{
	char mark[80];
	(void)snprintf(mark, sizeof(mark), "class=\"block\" id=\"%s\">", id);
	char *code = page_between(page->text, mark, "<");
	SL_CHECK(code);
	const size_t size = strlen(code);
	unsigned char *packed = malloc(size + 1);
	unsigned char *bytes = calloc(length + 1, 1);
	SL_CHECK(packed && bytes);
	int packed_length = EVP_DecodeBlock(packed, (unsigned char *)code, (int)size);
	SL_CHECK(packed_length >= 0);
	for (size_t i = size; i && code[i - 1] == '='; i--)
		packed_length--;
	z_stream stream = { 0 };
	SL_CHECK(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
	stream.next_in = packed;
	stream.avail_in = (uInt)packed_length;
	stream.next_out = bytes;
	stream.avail_out = (uInt)length + 1;
	SL_CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == length);
	(void)inflateEnd(&stream);
	free(packed);
	free(code);
	return bytes;
}

struct page_column page_column(const struct page_read *page, const struct json *json, const char *path)
{
	static const struct {
		const char *name;
		size_t width;
	} known[] = { { "u8", 1 }, { "u16", 2 }, { "u32", 4 }, { "i32", 4 }, { "f32", 4 }, { "f64", 8 },
		{ "json", 1 } };
	struct page_column column = { 0 };
	const char *id = page_text_at(json, path);
	if (!id || !*id)
		return column;
	char about[100];
	(void)snprintf(about, sizeof(about), "blocks.%s", id);
	const struct json *block = page_at(page->meta, about);
	const char *type = page_text_at(block, "type");
	const char *coding = page_text_at(block, "coding");
	SL_CHECK(type && coding);
	size_t width = 0;
	for (size_t i = 0; i < SL_LEN(known); i++)
		if (strcmp(known[i].name, type) == 0)
			width = known[i].width;
	SL_CHECK(width);
	const size_t count = column.count = (size_t)page_number(block, "count");
	unsigned char *bytes = page_bytes_of(page, id, count * width);
	if (strcmp(type, "json") == 0) {
		column.json = (char *)bytes;
		return column;
	}
	column.value = calloc(count + 1, sizeof(*column.value));
	SL_CHECK(column.value);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t raw = 0;
		for (size_t b = 0; b < width; b++)
			raw |= (uint64_t)bytes[strstr(coding, "split") ? b * count + i : i * width + b]
			       << 8 * b;
		sum = strncmp(coding, "delta", 5) == 0 ? sum + raw : raw;
		const uint64_t value = width == 8 ? sum : sum & ((UINT64_C(1) << 8 * width) - 1);
		float single;
		const uint32_t low = (uint32_t)value;
		memcpy(&single, &low, sizeof(single));
		memcpy(&column.value[i], &value, sizeof(value));
		if (type[0] == 'u')
			column.value[i] = (double)value;
		else if (type[0] == 'i')
			column.value[i] = (double)(int32_t)low;
		else if (width == 4)
			column.value[i] = (double)single;
	}
	free(bytes);
	return column;
}

void page_column_free(struct page_column *column)
{
	free(column->value);
	free(column->json);
	*column = (struct page_column){ 0 };
}
