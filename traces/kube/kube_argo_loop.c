/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo_loop.c - how often a step of a Workflow is made, and with what.
 *
 * https://argo-workflows.readthedocs.io/en/latest/walk-through/loops/: withItems (texts, or maps, whose
 * members are item.KEY), withSequence (count from start, or start to end, upwards or downwards).
 */
#include "traces/kube/kube_argo.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int sequence_of(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *sequence,
	struct argo_loop *loop)
{
	int64_t start, count, end;
	if (KUBE_AT(doc, sequence, "format"))
		return argo_fail(w, "'format' of withSequence is not read: give withItems");
	int status = argo_number(w, doc, sequence, "start", 0, &start);
	if (!status)
		status = argo_number(w, doc, sequence, "count", -1, &count);
	if (!status)
		status = argo_number(w, doc, sequence, "end", -1, &end);
	if (status)
		return status;
	if ((count < 0) == (end < 0))
		return argo_fail(w, "withSequence has either 'count' or 'end'");
	loop->from = start;
	loop->by = count < 0 && end < start ? -1 : 1;
	const int64_t many = count >= 0 ? count : (end - start) * loop->by + 1;
	if (many > ARGO_ITEMS_MAX)
		return argo_fail(w, "withSequence of more than %d", ARGO_ITEMS_MAX);
	loop->count = (size_t)many;
	return SL_OK;
}

int argo_loop_of(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *call,
	struct argo_loop *loop)
{
	const struct sl_doc_node *sequence = KUBE_AT(doc, call, "withSequence");
	*loop = (struct argo_loop){ .items = KUBE_AT(doc, call, "withItems"), .count = 1 };
	loop->loops = loop->items || sequence;
	if (KUBE_AT(doc, call, "withParam"))
		return argo_fail(w,
			"'withParam' is not read: its list is another step's output: give withItems or withSequence");
	if (sequence && loop->items)
		return argo_fail(w, "either withItems or withSequence, not both");
	if (sequence)
		return sequence_of(w, doc, sequence, loop);
	if (!loop->items)
		return SL_OK;
	if (loop->items->kind != SL_DOC_LIST)
		return argo_fail(w, "'withItems' must be a list that is known before it runs");
	loop->count = 0;
	loop->next = sl_doc_child(doc, loop->items);
	SL_DOC_EACH (item, doc, loop->items)
		loop->count++;
	return SL_OK;
}

int argo_loop_next(
	struct argo *w, struct argo_loop *loop, const struct sl_doc *doc, struct argo_params *params)
{
	char number[32];
	if (!loop->loops)
		return SL_OK;
	if (!loop->items) {
		(void)snprintf(number, sizeof(number), "%" PRId64, loop->from);
		loop->from += loop->by;
		return argo_param(w, params, "item", "", sl_strdup(w->arena, number, strlen(number)));
	}
	const struct sl_doc_node *item = loop->next;
	loop->next = sl_doc_next(doc, item);
	int status = argo_param(w, params, "item", "", argo_value(w, doc, item));
	if (item->kind != SL_DOC_MAP)
		return status;
	SL_DOC_EACH (member, doc, item)
		if (!status)
			status = argo_param(
				w, params, "item.", doc->text + member->key, argo_value(w, doc, member));
	return status;
}
