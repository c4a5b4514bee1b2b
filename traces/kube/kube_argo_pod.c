/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo_pod.c - the pod of one step of a Workflow.
 *
 * As workflow/controller/workflowpod.go makes it: the template's container (script, containerSet, or for a
 * resource one that requests nothing), its sidecars and initContainers; nodeSelector, affinity, tolerations,
 * scheduler and priority of the template, else of the Workflow; labels and annotations of podMetadata and of
 * the template, whose go before. What Argo adds itself (init, wait) requests nothing, as by default.
 */
#include "traces/kube/kube_argo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct manifest_text *text, const char *more) { kube_put(text, more, strlen(more)); }

static void put_member(
	struct manifest_text *text, const char *key, const struct sl_doc *doc, const struct sl_doc_node *node)
{
	put(text, text->len && strchr("{[", text->text[text->len - 1]) ? "" : ",");
	kube_put_string(text, key);
	put(text, ":");
	kube_put_object(text, doc, node);
}

bool argo_is_pod(const struct sl_doc *doc, const struct sl_doc_node *template)
{
	return KUBE_AT(doc, template, "container") || KUBE_AT(doc, template, "script") ||
	       KUBE_AT(doc, template, "containerSet") || KUBE_AT(doc, template, "resource");
}

/* ---- Containers --------------------------------------------------------------------------------------- */

/* What of it matters to where it goes. */
static void put_container(struct manifest_text *text, const struct sl_doc *doc,
	const struct sl_doc_node *container, const char *name)
{
	static const char *const keys[] = { "resources", "ports", "restartPolicy" };
	const char *own = name ? name : manifest_text(doc, sl_doc_member(doc, container, "name"));
	put(text, text->text[text->len - 1] == '[' ? "{\"name\":" : ",{\"name\":");
	kube_put_string(text, own ? own : "");
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const struct sl_doc_node *node = KUBE_AT(doc, container, keys[i]);
		if (node)
			put_member(text, keys[i], doc, node);
	}
	put(text, "}");
}

static void put_list(struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *list)
{
	SL_DOC_EACH (container, doc, list)
		put_container(text, doc, container, NULL);
}

static void put_containers(
	struct manifest_text *text, const struct sl_doc *doc, const struct sl_doc_node *template)
{
	static const char *const kinds[] = { "container", "script" };
	put(text, "\"containers\":[");
	for (size_t i = 0; i < SL_LEN(kinds); i++) {
		const struct sl_doc_node *node = KUBE_AT(doc, template, kinds[i]);
		if (node)
			put_container(text, doc, node, "main");
	}
	if (KUBE_AT(doc, template, "resource"))
		put(text, "{\"name\":\"main\"}");
	put_list(text, doc, KUBE_AT(doc, template, "containerSet", "containers"));
	put_list(text, doc, KUBE_AT(doc, template, "sidecars"));
	put(text, "],\"initContainers\":[");
	put_list(text, doc, KUBE_AT(doc, template, "initContainers"));
	put(text, "]");
}

/* ---- The pod ------------------------------------------------------------------------------------------ */

/* An empty map or list counts as none, as in the controller. */
static bool says(const struct sl_doc *doc, const struct sl_doc_node *node)
{
	return node && (node->kind == SL_DOC_TEXT || sl_doc_child(doc, node));
}

static void put_placing(const struct argo *w, struct manifest_text *text, const struct sl_doc *doc,
	const struct sl_doc_node *template)
{
	static const struct {
		const char *own, *workflow;
	} key[] = { { "nodeSelector", "nodeSelector" }, { "affinity", "affinity" },
		{ "tolerations", "tolerations" }, { "schedulerName", "schedulerName" },
		{ "priorityClassName", "podPriorityClassName" }, { "priority", "podPriority" } };
	for (size_t i = 0; i < SL_LEN(key); i++) {
		const struct sl_doc *of = doc;
		const struct sl_doc_node *node = KUBE_AT(doc, template, key[i].own);
		if (!says(doc, node))
			node = argo_spec(w, key[i].workflow, &of);
		if (says(of, node))
			put_member(text, key[i].own, of, node);
	}
}

static void put_metadata(const struct argo *w, struct manifest_text *text, const char *key,
	const struct sl_doc *doc, const struct sl_doc_node *template)
{
	const struct sl_doc *of = NULL;
	const struct sl_doc_node *all = argo_spec(w, "podMetadata", &of);
	const struct sl_doc_node *own = KUBE_AT(doc, template, "metadata", key);
	put(text, "\"");
	put(text, key);
	put(text, "\":{");
	SL_DOC_EACH (member, of, all ? KUBE_AT(of, all, key) : NULL)
		if (!KUBE_AT(doc, own, of->text + member->key))
			put_member(text, of->text + member->key, of, member);
	SL_DOC_EACH (member, doc, own)
		put_member(text, doc->text + member->key, doc, member);
	put(text, "}");
}

static void put_object(const struct argo *w, struct manifest_text *text, const struct sl_doc *doc,
	const struct sl_doc_node *template, const char *name, const struct manifest_text *spec)
{
	static const char *const keys[] = { "labels", "annotations" };
	struct manifest_text metadata = { .text = NULL };
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		put_metadata(w, &metadata, keys[i], doc, template);
		put(&metadata, i ? "" : ",");
	}
	put(text, "{\"kind\":\"Workload\",\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"metadata\":{\"name\":");
	kube_put_string(text, name);
	put(text, ",\"namespace\":");
	kube_put_string(text, w->object->namespace);
	put(text, ",");
	kube_put(text, metadata.text ? metadata.text : "", metadata.len);
	put(text, "},\"spec\":{\"podSets\":[{\"name\":\"main\",\"count\":\"1\",\"template\":{\"metadata\":{");
	kube_put(text, metadata.text ? metadata.text : "", metadata.len);
	put(text, "},\"spec\":");
	kube_put(text, spec->text, spec->len);
	put(text, "}}]}}");
	text->failed |= metadata.failed;
	free(metadata.text);
}

/* What requests or places it has to be known. */
static int check_known(const struct argo *w, const struct manifest_text *spec)
{
	const char *open = spec->text ? strstr(spec->text, "{{") : NULL;
	const char *close = open ? strstr(open, "}}") : NULL;
	return close ? argo_fail(w, "'%.*s' is known once it runs: give a value to what its pod asks for",
			       (int)(close + 2 - open < 100 ? close + 2 - open : 100), open)
		     : SL_OK;
}

static int write_pod(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *template,
	const char *name, struct kube_file *file)
{
	struct manifest_text own = { .text = NULL }, spec = { .text = NULL }, whole = { .text = NULL },
			     filled = { .text = NULL };
	/* What is wrong with it is wrong where the template stands. */
	const struct sl_doc_node where = { .line = (uint32_t)w->place.line,
		.column = (uint32_t)w->place.column };
	const struct sl_object at = { .doc = w->object->doc, .node = &where };
	put(&own, "{");
	put_containers(&own, doc, template);
	put_placing(w, &own, doc, template);
	put(&own, "}");
	int status = argo_fill(w, NULL, &own, &spec);
	if (!status)
		status = check_known(w, &spec);
	if (!status) {
		put_object(w, &whole, doc, template, name, &spec);
		status = argo_fill(w, NULL, &whole, &filled);
	}
	if (!status)
		status = kube_written_read(filled.text, filled.len, &at, file, w->err);
	free(own.text);
	free(spec.text);
	free(whole.text);
	free(filled.text);
	return status;
}

/* ---- Times -------------------------------------------------------------------------------------------- */

/* Its own annotation, else the Workflow's. */
static int times_of(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *template,
	struct kube_times *times)
{
	static const char key[] = "schedlab/run-time";
	const struct sl_doc_node *all =
		KUBE_AT(w->object->doc, w->object->node, "metadata", "annotations", key);
	const char *own = manifest_text(doc, KUBE_AT(doc, template, "metadata", "annotations", key));
	const char *text = own ? own : manifest_text(w->object->doc, all);
	int64_t seconds;
	*times = w->times;
	times->run = times->limit = times->start = times->end = SL_NONE;
	if (text && (!sl_get_duration(text, strlen(text), &times->run) || times->run < 1))
		return argo_fail(
			w, "'%s' must be seconds or a duration, like 90, 15m or 2h, not '%.40s'", key, text);
	const int status = argo_number(w, doc, template, "activeDeadlineSeconds", 0, &seconds);
	if (!status && seconds)
		times->limit = seconds * SL_SECOND;
	return status;
}

/* A resource template that makes an object: a Job, a RayJob, a PyTorchJob. */
static bool makes_object(const struct sl_doc *doc, const struct sl_doc_node *template)
{
	const char *action = manifest_text(doc, KUBE_AT(doc, template, "resource", "action"));
	return action && (strcmp(action, "create") == 0 || strcmp(action, "apply") == 0);
}

/* ---- A step ------------------------------------------------------------------------------------------- */

static int come_after(struct argo *w, const struct argo_afters *after, struct kube_step *step)
{
	sl_time later = 0;
	w->waits += after->count;
	if (w->waits > ARGO_WAITS_MAX)
		return argo_fail(w,
			"its steps wait for each other more than %d times: put a single one between two long lists",
			ARGO_WAITS_MAX);
	for (size_t i = 0; i < after->count; i++)
		if (after->at[i].step)
			kube_step_after(step, after->at[i].step, false, after->at[i].delay);
		else if (after->at[i].delay > later)
			later = after->at[i].delay;
	if (later)
		step->times.submit = (step->times.submit == SL_NONE ? 0 : step->times.submit) + later;
	return step->after.failed ? sl_fail_memory(w->err) : SL_OK;
}

int argo_pod(struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *template, const char *id,
	const struct argo_afters *after, const struct kube_step **step)
{
	struct kube_step *made = kube_steps_add(w->steps, w->object, w->err);
	if (!made)
		return w->err->status;
	*step = made;
	made->most = w->most;
	w->steps->makes |= makes_object(doc, template);
	(void)snprintf(made->id, sizeof(made->id), "%s", id);
	const char *name = strrchr(id, '/');
	int status = write_pod(w, doc, template, name ? name + 1 : id, &made->file);
	if (!status)
		status = times_of(w, doc, template, &made->times);
	return status ? status : come_after(w, after, made);
}
