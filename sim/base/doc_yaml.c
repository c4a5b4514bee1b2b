/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doc_yaml.c - YAML into a document, by libyaml's events.
 *
 * Plain maps, lists and texts. Aliases are refused: with them a small file could unfold into a huge one.
 */
#include <string.h>
#include <yaml.h>

#include "sim/base/doc.h"

static struct sl_place mark_place(const struct sl_doc *doc, yaml_mark_t mark)
{
	return (struct sl_place){ doc->file, mark.line + 1, (uint32_t)mark.column + 1 };
}

static int fail_yaml(const struct sl_doc *doc, const yaml_parser_t *parser, struct sl_err *err)
{
	const struct sl_place at = mark_place(doc, parser->problem_mark);
	if (parser->error == YAML_MEMORY_ERROR)
		return sl_fail_memory(err);
	if (parser->error == YAML_READER_ERROR) /* It has no mark, only a byte. */
		return sl_fail(err, SL_INPUT, "%s: not YAML: %s at byte %zu: give UTF-8 text", doc->file,
			parser->problem ? parser->problem : "cannot be read", parser->problem_offset);
	return sl_fail_at(err, &at, "not YAML: %s%s%s", parser->problem ? parser->problem : "cannot be read",
		parser->context ? " " : "", parser->context ? parser->context : "");
}

static int take_node(struct sl_doc *doc, const yaml_event_t *event, struct sl_err *err)
{
	const struct sl_place at = mark_place(doc, event->start_mark);
	const bool key = sl_doc_wants_key(doc);
	if (event->type == YAML_SCALAR_EVENT) {
		const char *text = (const char *)event->data.scalar.value;
		const size_t len = event->data.scalar.length;
		if (key)
			return sl_doc_key(doc, text, len, &at, err);
		const int status = sl_doc_text(doc, text, len, &at, err);
		if (!status)
			doc->node[doc->count - 1].quoted =
				event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
		return status;
	}
	if (key)
		return sl_fail_at(err, &at, "a key must be a word, not a map or list");
	return sl_doc_open(doc, event->type == YAML_MAPPING_START_EVENT ? SL_DOC_MAP : SL_DOC_LIST,
		(uint32_t)at.line, at.column, err);
}

static int take_event(struct sl_doc *doc, const yaml_event_t *event, struct sl_err *err)
{
	const struct sl_place at = mark_place(doc, event->start_mark);
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return sl_fail_at(err, &at, "aliases (*%.40s) are not read: write out what it stands for",
			(const char *)event->data.alias.anchor);
	case YAML_SCALAR_EVENT:
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		return take_node(doc, event, err);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		sl_doc_close(doc);
		return SL_OK;
	case YAML_DOCUMENT_START_EVENT:
		return doc->count && !doc->depth ? sl_fail_at(err, &at, "a second document begins: give one")
						 : SL_OK;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
	return SL_OK;
}

static int read_stream(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser))
		return sl_fail_memory(err);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	int status = SL_OK;
	bool ended = false;
	while (!status && !ended) {
		yaml_event_t event;
		if (!yaml_parser_parse(&parser, &event)) {
			status = fail_yaml(doc, &parser, err);
			break;
		}
		ended = event.type == YAML_STREAM_END_EVENT;
		status = take_event(doc, &event, err);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return status;
}

int sl_doc_read_yaml(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	return read_stream(doc, text, len, err);
}

int sl_doc_read_yamls(struct sl_doc *doc, const char *text, size_t len, struct sl_err *err)
{
	int status = sl_doc_open(doc, SL_DOC_LIST, 1, 1, err);
	if (!status)
		status = read_stream(doc, text, len, err);
	if (!status)
		sl_doc_close(doc);
	return status;
}
