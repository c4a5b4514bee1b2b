/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo_text.c - parameters of a Workflow in the place of {{...}}.
 *
 * https://argo-workflows.readthedocs.io/en/latest/variables/: tags of one name. Expressions ({{=...}}) and
 * outputs of other steps are known once it runs.
 */
#include "traces/kube/kube_argo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int argo_param(
	struct argo *w, struct argo_params *params, const char *prefix, const char *name, const char *value)
{
	char whole[KUBE_NAME_MAX + 64];
	const size_t count = params->count + 1;
	(void)snprintf(whole, sizeof(whole), "%s%.*s", prefix, KUBE_NAME_MAX, name);
	if (count > ARGO_PARAMS_MAX)
		return argo_fail(w, "more than %d parameters", ARGO_PARAMS_MAX);
	if (SL_GROW(params->name, params->name_capacity, count, w->err) ||
		SL_GROW(params->value, params->value_capacity, count, w->err))
		return SL_SYSTEM;
	w->kept += value ? strlen(value) : 0;
	if (w->kept > ARGO_KEPT_MAX)
		return argo_fail(w, "its parameters have more than %d bytes in all", ARGO_KEPT_MAX);
	const char *kept = sl_strdup(w->arena, whole, strlen(whole));
	if (!kept || !value)
		return sl_fail_memory(w->err);
	params->name[params->count] = kept;
	params->value[params->count++] = value;
	return SL_OK;
}

void argo_params_release(struct argo_params *params)
{
	free(params->name);
	free(params->value);
	*params = (struct argo_params){ .name = NULL };
}

/* The last of that name. */
static const char *find(const struct argo_params *params, const char *name, size_t len)
{
	for (size_t i = params ? params->count : 0; i--;)
		if (strncmp(params->name[i], name, len) == 0 && !params->name[i][len])
			return params->value[i];
	return NULL;
}

/* Within a JSON string: without its quotes. */
static void put_inner(struct manifest_text *to, const char *value)
{
	struct manifest_text quoted = { .text = NULL };
	kube_put_string(&quoted, value);
	to->failed |= quoted.failed;
	if (!quoted.failed)
		kube_put(to, quoted.text + 1, quoted.len - 2);
	free(quoted.text);
}

int argo_fill(struct argo *w, const struct argo_params *params, const struct manifest_text *from,
	struct manifest_text *to)
{
	const char *p = from->text ? from->text : "";
	for (const char *open; to->len < ARGO_TEXT_MAX && (open = strstr(p, "{{"));) {
		const char *close = strstr(open, "}}");
		if (!close)
			break;
		const char *name = open + 2;
		size_t len = (size_t)(close - name);
		while (len && *name == ' ')
			name++, len--;
		while (len && name[len - 1] == ' ')
			len--;
		const char *value = find(params, name, len);
		value = value ? value : find(&w->global, name, len);
		kube_put(to, p, (size_t)((value ? open : open + 2) - p));
		if (value)
			put_inner(to, value);
		p = value ? close + 2 : open + 2;
	}
	kube_put(to, p, strlen(p));
	w->filled += to->len;
	if (to->len > ARGO_TEXT_MAX || w->filled > ARGO_FILLED_MAX)
		return argo_fail(w,
			"with its parameters filled in a template has more than %d bytes, or all that are called "
			"%" PRIu64,
			ARGO_TEXT_MAX, ARGO_FILLED_MAX);
	return to->failed || from->failed ? sl_fail_memory(w->err) : SL_OK;
}

int argo_read(struct argo *w, const struct argo_params *params, const struct sl_doc *doc,
	const struct sl_doc_node *node, struct sl_doc *to)
{
	struct manifest_text as = { .text = NULL }, filled = { .text = NULL };
	*to = (struct sl_doc){ .file = w->object->doc->file };
	kube_put_object(&as, doc, node);
	int status = argo_fill(w, params, &as, &filled);
	if (!status)
		status = sl_doc_read_json(to, filled.text, filled.len, w->err);
	free(as.text);
	free(filled.text);
	return status;
}

const char *argo_value(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	struct manifest_text text = { .text = NULL };
	if (node->kind == SL_DOC_TEXT)
		return sl_strdup(w->arena, doc->text + node->text, strlen(doc->text + node->text));
	kube_put_object(&text, doc, node);
	const char *kept = text.failed ? NULL : sl_strdup(w->arena, text.text, text.len);
	free(text.text);
	return kept;
}

int argo_number(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *map,
	const char *key, int64_t otherwise, int64_t *number)
{
	const char *text = manifest_text(doc, sl_doc_member(doc, map, key));
	*number = otherwise;
	if (!text || (sl_get_i64(text, strlen(text), number) && *number >= 0 && *number <= INT32_MAX))
		return SL_OK;
	return argo_fail(w, "'%s' must be a whole number from 0, not '%.60s'", key, text);
}
