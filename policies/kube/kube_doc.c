/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_doc.c - values out of objects of Kubernetes, by dotted path.
 */
#include "policies/kube/kube.h"

#include <string.h>

const char *kube_text(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path)
{
	return sl_doc_word(doc, sl_doc_at(doc, map, path));
}

int kube_int(const struct sl_doc *doc, const struct sl_doc_node *map, const char *path, int64_t *value,
	struct sl_err *err)
{
	const struct sl_doc_node *at = sl_doc_at(doc, map, path);
	if (!at)
		return SL_OK;
	const char *text = at->kind == SL_DOC_TEXT ? doc->text + at->text : "";
	if (sl_get_i64(text, strlen(text), value))
		return SL_OK;
	const struct sl_place place = sl_doc_place(doc, at);
	return sl_fail_at(err, &place, "'%s' has to be a whole number, not '%s'", path, text);
}
