/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_json.c - an object of a document as a line of JSON (RFC 8259).
 *
 * All that is no map or list becomes a string: of a document's texts it is not known any more whether they
 * were one, and who reads them does not care.
 */
#include "traces/kube/manifests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kube_put(struct manifest_text *text, const char *more, size_t len)
{
	if (text->failed)
		return;
	if (SL_GROW(text->text, text->capacity, text->len + len + 1, NULL)) {
		text->failed = true;
		return;
	}
	memcpy(text->text + text->len, more, len);
	text->len += len;
	text->text[text->len] = '\0';
}

void kube_put_string(struct manifest_text *text, const char *p)
{
	kube_put(text, "\"", 1);
	while (*p) {
		size_t plain = 0;
		while ((unsigned char)p[plain] >= ' ' && p[plain] != '"' && p[plain] != '\\')
			plain++;
		kube_put(text, p, plain);
		p += plain;
		if (*p) {
			char escaped[8];
			const int len = snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned char)*p++);
			kube_put(text, escaped, (size_t)len);
		}
	}
	kube_put(text, "\"", 1);
}

static bool is_left_out(const struct sl_doc *doc, const struct sl_doc_node *node, unsigned depth)
{
	static const char *const keys[] = { "managedFields", "resourceVersion", "generation" };
	for (size_t i = 0; depth == 2 && i < SL_LEN(keys); i++)
		if (strcmp(doc->text + node->key, keys[i]) == 0)
			return true;
	return false;
}

/* Documents are no deeper than SL_DOC_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static void put_node(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *node,
	unsigned depth, const struct kube_change *change)
{
	bool first = true;
	for (const struct kube_change *one = change; one && one->node; one++)
		if (one->node == node) {
			kube_put(text, one->text, strlen(one->text));
			return;
		}
	if (node->kind == SL_DOC_TEXT) {
		kube_put_string(text, doc->text + node->text);
		return;
	}
	kube_put(text, node->kind == SL_DOC_MAP ? "{" : "[", 1);
	SL_DOC_EACH (child, doc, node) {
		if (node->kind == SL_DOC_MAP && is_left_out(doc, child, depth + 1))
			continue;
		if (!first)
			kube_put(text, ",", 1);
		first = false;
		if (node->kind == SL_DOC_MAP) {
			kube_put_string(text, doc->text + child->key);
			kube_put(text, ":", 1);
		}
		put_node(text, doc, child, depth + 1, change);
	}
	kube_put(text, node->kind == SL_DOC_MAP ? "}" : "]", 1);
}

void kube_put_object(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	put_node(text, doc, node, 0, NULL);
}

void kube_put_changed(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *node,
	const struct kube_change *change)
{
	put_node(text, doc, node, 0, change);
}
