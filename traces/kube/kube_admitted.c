/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_admitted.c - the manifest of a Workload that is admitted, as one that is so from its submission on.
 */
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_live.h"
#include "traces/kube/kube_made.h"

static void put_admitted(struct manifest_text *text, const struct sl_doc *doc)
{
	static const char *const but[] = { "metadata", NULL };
	static const char *const but_notes[] = { "annotations", NULL };
	static const char *const but_note[] = { "schedlab/admitted", NULL };
	const struct sl_doc_node *metadata = sl_doc_member(doc, doc->node, "metadata");
	made_put_open(text, doc, doc->node, but);
	made_put(text, "\"metadata\":");
	made_put_open(text, doc, metadata, but_notes);
	made_put(text, "\"annotations\":");
	made_put_open(text, doc, sl_doc_member(doc, metadata, "annotations"), but_note);
	made_put(text, "\"schedlab/admitted\":\"true\"}}}");
}

int kube_admitted(const char *manifest, char **admitted, struct sl_err *err)
{
	struct sl_json json;
	struct sl_doc doc = { .file = "manifest" };
	struct manifest_text text = { 0 };
	*admitted = NULL;
	sl_json_begin(&json, doc.file, manifest, manifest + strlen(manifest), err);
	int status = sl_json_tree(&json, &doc);
	const bool is = !status && doc.node->kind == SL_DOC_MAP &&
			sl_doc_is(&doc, sl_doc_member(&doc, doc.node, "kind"), "Workload") &&
			KUBE_AT(&doc, doc.node, "status", "admission");
	if (is)
		put_admitted(&text, &doc);
	if (!status && text.failed)
		status = sl_fail_memory(err);
	if (!status && is)
		*admitted = strndup(text.text, text.len);
	if (!status && is && !*admitted)
		status = sl_fail_memory(err);
	free(text.text);
	sl_doc_release(&doc);
	return status;
}
