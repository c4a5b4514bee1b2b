/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_steps.c - the steps of one object, and which come after which; see kube_steps.h.
 */
#include "traces/kube/kube_steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kube_step *kube_steps_add(struct kube_steps *steps, const struct sl_object *object, struct sl_err *err)
{
	const struct sl_place at = sl_doc_place(object->doc, object->node);
	if (steps->count == KUBE_STEPS_MAX) {
		(void)sl_fail_at(err, &at, "%s '%.60s': more than %d steps in the file: split it",
			object->kind, object->name, KUBE_STEPS_MAX);
		return NULL;
	}
	if (SL_GROW(steps->step, steps->capacity, steps->count + 1, err))
		return NULL;
	struct kube_step *step = calloc(1, sizeof(*step));
	if (step)
		steps->step[steps->count++] = step;
	else
		(void)sl_fail_memory(err);
	return step;
}

void kube_steps_release(struct kube_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++) {
		kube_file_release(&steps->step[i]->file);
		free(steps->step[i]->after.text);
		free(steps->step[i]);
	}
	free(steps->step);
	*steps = (struct kube_steps){ .step = NULL };
}

void kube_step_after(struct kube_step *step, const struct kube_step *other, bool started, sl_time delay)
{
	char text[KUBE_STEP_ID_MAX + 64];
	int len = snprintf(text, sizeof(text), "%s%s:%s", step->after.len ? "," : "",
		started ? "after" : "afterok", other->id);
	if (delay)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "+%" PRId64 "s", delay / SL_SECOND);
	kube_put(&step->after, text, (size_t)len);
}

void kube_steps_stem(const struct sl_object *object, size_t number, char stem[KUBE_STEP_ID_MAX])
{
	const char *made =
		manifest_text(object->doc, KUBE_AT(object->doc, object->node, "metadata", "generateName"));
	const int len = snprintf(stem, KUBE_STEP_ID_MAX, "%.*s%s", KUBE_NAME_MAX, object->namespace,
		*object->namespace ? "/" : "");
	if (*object->name || !made)
		(void)snprintf(
			stem + len, KUBE_STEP_ID_MAX - (size_t)len, "%.*s", KUBE_NAME_MAX, object->name);
	else
		(void)snprintf(
			stem + len, KUBE_STEP_ID_MAX - (size_t)len, "%.*s%zu", KUBE_NAME_MAX, made, number);
}
