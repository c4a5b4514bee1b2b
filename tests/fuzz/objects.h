/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * objects.h - what the fuzz targets of Kubernetes' schedulers share: the documents of a manifest as objects.
 * Each of them is a program of its own.
 */
#ifndef SL_FUZZ_OBJECTS_H
#define SL_FUZZ_OBJECTS_H

#include <stdlib.h>
#include <string.h>

#include "sim/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_OBJECTS_MAX = 16 };

static inline const char *fuzz_text_of(
	const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	const struct sl_doc_node *node = map ? sl_doc_member(doc, map, key) : NULL;
	return node && node->kind == SL_DOC_TEXT ? doc->text + node->text : "";
}

/* So many there are; the first FUZZ_OBJECTS_MAX documents are taken. */
static inline uint32_t fuzz_objects(const struct sl_doc *doc, struct sl_object *object)
{
	uint32_t count = 0;
	const struct sl_doc_node *root = doc->count ? &doc->node[0] : NULL;
	for (const struct sl_doc_node *node = root ? sl_doc_child(doc, root) : NULL;
		node && count < FUZZ_OBJECTS_MAX; node = sl_doc_next(doc, node)) {
		const struct sl_doc_node *metadata = sl_doc_member(doc, node, "metadata");
		object[count++] = (struct sl_object){ .kind = fuzz_text_of(doc, node, "kind"),
			.version = fuzz_text_of(doc, node, "apiVersion"),
			.namespace = fuzz_text_of(doc, metadata, "namespace"),
			.name = fuzz_text_of(doc, metadata, "name"),
			.doc = doc,
			.node = node };
	}
	return count;
}

/* A copy that ends in 0, for readers of text. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	SL_CHECK(text);
	if (size)
		memcpy(text, data, size);
	return text;
}

#endif
