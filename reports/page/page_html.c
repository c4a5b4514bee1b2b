/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_html.c - the document "html": report.html, one file that needs nothing else.
 *
 * The page's own sources are trusted by their hashes, and nothing else runs: what comes from traces stands in
 * elements of data, in which no '<' is left (page_json).
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "reports/page/page.h"

static int document_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	struct page *page = calloc(1, sizeof(*page));
	if (!page)
		return sl_fail_memory(err);
	page->options = *options;
	*self = page;
	return SL_OK;
}

static void document_close(void *self)
{
	struct page *page = self;
	for (size_t i = 0; i < page->block_count; i++)
		free(page->block[i].data);
	free(page->block);
	page_text_free(&page->runs);
	page_text_free(&page->version);
	page_text_free(&page->time_zone);
	free(page);
}

/* Of a run: a page of its own. */
static int document_part(
	const void *self, const struct sl_document_run *reported, void **part, struct sl_err *err)
{
	const struct page *page = self;
	void *made;
	int status = document_open(&made, &page->options, err);
	if (status)
		return status;
	status = page_run_report(made, reported, err);
	if (status)
		document_close(made);
	else
		*part = made;
	return status;
}

static int document_join(void *self, void *part, struct sl_err *err)
{
	struct page *page = self;
	page_join(page, part);
	document_close(part);
	return page->failed ? sl_fail_memory(err) : SL_OK;
}

static int document_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	void *part;
	const int status = document_part(self, reported, &part, err);
	return status ? status : document_join(self, part, err);
}

/* ---- meta ------------------------------------------------------------------------------------------- */

static void put_certainty(struct page_text *json, const struct sl_certainty *known)
{
	page_format(json, ",\"sure\":%d,\"covers\":%u,\"ratio_covers\":%u,\"blocks\":%u,\"differing\":%u",
		known->sure, known->covers, known->ratio_covers, known->blocks, known->differing);
	page_put(json, ",\"effective\":");
	page_micro(json, known->effective);
	page_put(json, ",\"ratio_low\":");
	page_micro(json, known->ratio_low);
	page_put(json, ",\"ratio_high\":");
	page_micro(json, known->ratio_high);
}

static void put_metric_info(struct page_text *json, const struct sl_compared *compared)
{
	page_put(json, ",\n\"shown\":[");
	for (size_t i = 0; i < compared->metric_info_count; i++) {
		const struct sl_metric_info *metric_info = &compared->metric_info[i];
		page_put(json, i ? ",\n{" : "\n{");
		page_name(json, "name");
		page_json(json, metric_info->name);
		page_name(json, "heading");
		page_json(json, metric_info->heading);
		page_name(json, "title");
		page_json(json, metric_info->title);
		page_name(json, "unit");
		page_json(json, metric_info->unit);
		page_format(json, ",\"better\":%d}", metric_info->better);
	}
	page_put(json, "],\n\"differences\":[");
	for (size_t i = 0; i < compared->difference_count; i++) {
		const struct sl_difference *difference = &compared->difference[i];
		page_put(json, i ? ",\n{" : "\n{");
		page_name(json, "metric");
		page_json(json, difference->metric);
		page_format(json, ",\"run\":%u,\"estimate\":", difference->run);
		page_micro(json, difference->estimate);
		page_put(json, ",\"low\":");
		page_micro(json, difference->low);
		page_put(json, ",\"high\":");
		page_micro(json, difference->high);
		page_format(json, ",\"samples\":%u,\"method\":", difference->samples);
		page_json(json, difference->method);
		if (compared->certainty)
			put_certainty(json, &compared->certainty[i]);
		page_put(json, "}");
	}
	page_put(json, "],\n\"restated\":[");
	for (size_t i = 0; i < compared->restated_count; i++) {
		page_put(json, i ? ",{" : "{");
		page_name(json, "metric");
		page_json(json, compared->restated[i].metric);
		page_format(json, ",\"run\":%u,\"value\":", compared->restated[i].run);
		page_micro(json, compared->restated[i].micro);
		page_put(json, "}");
	}
	page_put(json, "],\n\"apart\":");
	page_json(json, compared->apart ? compared->apart : "");
}

static void put_words(struct page_text *json)
{
	page_put(json, ",\n\"reason_words\":[");
	for (unsigned i = 0; i < SL_REASON_COUNT; i++) {
		page_put(json, i ? "," : "");
		page_json(json, sl_reason_name((enum sl_reason)i));
	}
	/* Two reasons may have one word: its first. */
	page_put(json, "],\n\"reasons\":{");
	for (unsigned i = 0; i < SL_REASON_COUNT; i++) {
		unsigned same = 0;
		while (strcmp(sl_reason_name((enum sl_reason)same), sl_reason_name((enum sl_reason)i)) != 0)
			same++;
		if (same < i)
			continue;
		page_name(json, sl_reason_name((enum sl_reason)i));
		page_json(json, sl_reason_words((enum sl_reason)i));
	}
	page_put(json, "},\n\"states\":[");
	for (unsigned i = 0; i < SL_STATE_COUNT; i++) {
		page_put(json, i ? "," : "");
		page_json(json, sl_state_name((enum sl_state)i));
	}
	page_put(json, "],\n\"rules\":{");
	for (unsigned i = 0; i < SL_RULE_COUNT; i++) {
		page_name(json, sl_rule_name((enum sl_rule)i));
		page_json(json, sl_rule_words((enum sl_rule)i));
	}
	page_put(json, "}");
}

static void put_resources(const struct page *page, struct page_text *json)
{
	page_put(json, ",\n\"resources\":[{\"name\":\"cpus\",\"title\":\"cpus\",\"unit\":\"cpus\"}");
	page_put(json, page->gpus ? ",{\"name\":\"gpus\",\"title\":\"GPUs\",\"unit\":\"GPUs\"}" : "");
	page_put(json, page->nodes ? ",{\"name\":\"nodes\",\"title\":\"nodes\",\"unit\":\"nodes\"}" : "");
	page_put(json, page->mem ? ",{\"name\":\"mem\",\"title\":\"memory\",\"unit\":\"MiB\"}" : "");
	page_put(json, "]");
}

static void put_blocks(const struct page *page, struct page_text *json)
{
	static const char *const type[] = { "u8", "u16", "u32", "i32", "f32", "f64", "json" };
	static const char *const coding[] = { "plain", "delta", "plain+split", "delta+split" };
	page_put(json, ",\n\"blocks\":{");
	for (size_t i = 0; i < page->block_count; i++) {
		const struct page_block *block = &page->block[i];
		page_format(json,
			"%s\"b%zu\":{\"type\":\"%s\",\"count\":%zu,\"coding\":\"%s\",\"bytes\":%zu}",
			i ? ",\n" : "\n", i, type[block->form & 15], block->count, coding[block->form >> 4],
			block->size);
	}
	page_put(json, "}");
}

static void put_meta(const struct page *page, const struct sl_compared *compared, struct page_text *json)
{
	page_put(json, "{\"schema\":\"schedlab.page/1\",\"version\":");
	page_put(json, "\"");
	page_bytes(json, page->version.data, page->version.length);
	page_put(json, "\",\"title\":");
	page_json(json, compared->title);
	page_put(json, ",\"epoch\":");
	page_i64(json, page->epoch);
	page_put(json, ",\"utc_offset\":");
	page_i64(json, page->utc_offset);
	if (page->time_zone.length) {
		page_put(json, ",\"time_zone\":\"");
		page_bytes(json, page->time_zone.data, page->time_zone.length);
		page_put(json, "\"");
	}
	put_metric_info(json, compared);
	put_words(json);
	put_resources(page, json);
	put_blocks(page, json);
	page_put(json, ",\n\"runs\":[");
	page_bytes(json, page->runs.data, page->runs.length);
	page_put(json, "]}\n");
}

/* ---- The file ------------------------------------------------------------------------------------------ */

static void put_bytes(struct sl_out *out, const void *data, size_t length)
{
	enum { CHUNK = 32768 };
	const char *bytes = data;
	while (length) {
		const size_t part = length < CHUNK ? length : CHUNK;
		char *space = sl_out_reserve(out, part);
		memcpy(space, bytes, part);
		sl_out_advance(out, space + part);
		bytes += part;
		length -= part;
	}
}

static void put_base64(struct sl_out *out, const unsigned char *data, size_t length)
{
	enum { CHUNK = 3 * 8192 };
	while (length) {
		const size_t part = length < CHUNK ? length : CHUNK;
		char *space = sl_out_reserve(out, CHUNK / 3 * 4 + 1); /* And a zero. */
		const int put = EVP_EncodeBlock((unsigned char *)space, data, (int)part);
		sl_out_advance(out, space + put);
		data += part;
		length -= part;
	}
}

/* Of both, one behind the other; more: or NULL. */
static int put_hash(struct sl_out *out, const struct page_source *source, const struct page_source *more,
	struct sl_err *err)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned length = 0;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	const bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
			  EVP_DigestUpdate(context, source->data, source->size) == 1 &&
			  (!more || EVP_DigestUpdate(context, more->data, more->size) == 1) &&
			  EVP_DigestFinal_ex(context, hash, &length) == 1;
	EVP_MD_CTX_free(context);
	if (!good)
		return sl_fail(err, SL_SYSTEM, "cannot compute a SHA-256: libcrypto refuses to");
	sl_out_text(out, " 'sha256-");
	put_base64(out, hash, length);
	sl_out_text(out, "'");
	return SL_OK;
}

static int put_head(
	struct sl_out *out, const struct page *page, const struct sl_compared *compared, struct sl_err *err)
{
	sl_out_text(out,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src");
	int status = put_hash(out, &page_uplot, NULL, err);
	if (!status)
		status = put_hash(out, &page_script, page->cohorts ? &page_cohorts : NULL, err);
	sl_out_text(out, "; style-src");
	if (!status)
		status = put_hash(out, &page_style, NULL, err);
	sl_out_text(out, "; img-src blob: data:; base-uri 'none'; form-action 'none'\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=\"generator\" content=\"schedlab\">\n<title>");
	for (const char *p = compared->title; *p; p++)
		if (*p == '<' || *p == '&')
			sl_out_text(out, *p == '<' ? "&lt;" : "&amp;");
		else if ((unsigned char)*p >= 0x20)
			sl_out_printf(out, "%c", *p);
	sl_out_text(out, "</title>\n<style>");
	put_bytes(out, page_style.data, page_style.size);
	sl_out_text(out, "</style>\n</head>\n<body>\n");
	return status;
}

static void put_script(struct sl_out *out, const struct page_source *source, const struct page_source *more)
{
	sl_out_text(out, "<script>");
	put_bytes(out, source->data, source->size);
	if (more)
		put_bytes(out, more->data, more->size);
	sl_out_text(out, "</script>\n");
}

static int document_write(
	void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	const struct page *page = self;
	struct page_text meta = { 0 };
	put_meta(page, compared, &meta);
	int status = meta.failed ? sl_fail_memory(err) : put_head(out, page, compared, err);
	if (!status) {
		put_bytes(out, page_html.data, page_html.size);
		sl_out_text(out, "\n<script type=\"application/json\" id=\"meta\">");
		put_bytes(out, meta.data, meta.length);
		sl_out_text(out, "</script>\n");
		for (size_t i = 0; i < page->block_count; i++) {
			sl_out_printf(out, "<script type=\"text/plain\" class=\"block\" id=\"b%zu\">", i);
			put_base64(out, page->block[i].data, page->block[i].size);
			sl_out_text(out, "</script>\n");
		}
		put_script(out, &page_uplot, NULL);
		put_script(out, &page_script, page->cohorts ? &page_cohorts : NULL);
		sl_out_text(out, "</body>\n</html>\n");
	}
	page_text_free(&meta);
	return status;
}

const struct sl_document page_document = { .abi = SL_ABI_OF(struct sl_document),
	.name = "html",
	.summary = "a page for a browser, complete in one file: tables, charts, jobs and why they waited",
	.file = "report.html",
	.open = document_open,
	.add = document_add,
	.write = document_write,
	.close = document_close,
	.part = document_part,
	.join = document_join,
	.drop = document_close };
