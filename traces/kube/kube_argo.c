/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo.c - a Workflow of Argo (argoproj.io/v1alpha1) as its pods, and which come after which.
 *
 * As workflow/controller makes them (steps.go, dag.go, operator.go): from the entrypoint on, steps group by
 * group, tasks of a dag once all that they depend on have succeeded, each as often as withItems or
 * withSequence say. A suspend with a duration is a delay. Calls of templates are by name, of this Workflow or
 * of a WorkflowTemplate of the file. What only a running workflow knows (when, withParam, outputs) is
 * refused.
 */
#include "traces/kube/kube_argo.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_made.h"

int argo_fail(const struct argo *w, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_fail_at(w->err, &w->place, "Workflow '%.60s': %s", w->name, text);
}

const struct sl_doc_node *argo_spec(const struct argo *w, const char *key, const struct sl_doc **doc)
{
	const struct sl_object *const of[] = { w->object, w->base };
	for (size_t i = 0; i < SL_LEN(of) && of[i]; i++) {
		const struct sl_doc_node *node = KUBE_AT(of[i]->doc, of[i]->node, "spec", key);
		*doc = of[i]->doc;
		if (node)
			return node;
	}
	return NULL;
}

static int after_add(struct argo *w, struct argo_afters *afters, struct argo_after after)
{
	if (SL_GROW(afters->at, afters->capacity, afters->count + 1, w->err))
		return SL_SYSTEM;
	afters->at[afters->count++] = after;
	return SL_OK;
}

int argo_after_all(struct argo *w, struct argo_afters *to, const struct argo_afters *from)
{
	int status = SL_OK;
	for (size_t i = 0; i < from->count && !status; i++)
		status = after_add(w, to, from->at[i]);
	return status;
}

/* ---- What is not read ---------------------------------------------------------------------------------- */

struct unread {
	const char *key, *why;
};

static int refuse(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *node,
	const struct unread *unread, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (KUBE_AT(doc, node, unread[i].key))
			return argo_fail(w, "'%s' is not read: %s", unread[i].key, unread[i].why);
	return SL_OK;
}

#define SYNCHRONIZATION "other workflows would hold it up: leave it out"
#define PATCH           "write what it changes into the template"

static int check_template(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *template)
{
	static const struct unread unread[] = { { "podSpecPatch", PATCH },
		{ "synchronization", SYNCHRONIZATION },
		{ "memoize", "whether its pod is made hangs on earlier runs: leave it out" },
		{ "daemon", "it runs until others are over: leave it out" },
		{ "http", "it is done by an agent, which has no pod of its own" },
		{ "plugin", "it is done by an agent, which has no pod of its own" },
		{ "data", "its pod is made of an artifact's list: give a container" } };
	const bool outer = w->depth > 1 && KUBE_AT(doc, template, "parallelism");
	return outer ? argo_fail(w,
			       "'parallelism' of a template that is not the entrypoint is not read: give it to the "
			       "Workflow")
		     : refuse(w, doc, template, unread, SL_LEN(unread));
}

static int check_call(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *call)
{
	static const struct unread unread[] = {
		{ "when",
			"whether it runs hangs on what others put out: leave out the step, or the condition" },
		{ "hooks", "they hang on how it goes: leave them out" },
		{ "onExit", "give a step behind it" }, { "inline", "give a template by its name" }
	};
	return refuse(w, doc, call, unread, SL_LEN(unread));
}

static int check_workflow(const struct argo *w)
{
	static const struct unread unread[] = { { "podSpecPatch", PATCH },
		{ "synchronization", SYNCHRONIZATION },
		{ "templateDefaults", "write them into the templates" },
		{ "hooks", "they hang on how it goes: leave them out" } };
	const struct sl_object *const of[] = { w->object, w->base };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(of) && of[i] && !status; i++)
		status = refuse(
			w, of[i]->doc, KUBE_AT(of[i]->doc, of[i]->node, "spec"), unread, SL_LEN(unread));
	return status;
}

/* ---- Templates ------------------------------------------------------------------------------------------
 */

static int call_template(struct argo *w, const struct argo_call *call, struct argo_afters *ends);

static const struct sl_doc_node *template_in(const struct sl_object *owner, const char *name)
{
	SL_DOC_EACH (node, owner->doc, KUBE_AT(owner->doc, owner->node, "spec", "templates")) {
		const char *own = manifest_text(owner->doc, sl_doc_member(owner->doc, node, "name"));
		if (own && name && strcmp(own, name) == 0)
			return node;
	}
	return NULL;
}

static int find_owner(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *ref,
	const struct sl_object **owner)
{
	const char *scope = manifest_text(doc, sl_doc_member(doc, ref, "clusterScope"));
	const char *name = manifest_text(doc, sl_doc_member(doc, ref, "name"));
	const bool cluster = scope && strcmp(scope, "true") == 0;
	const char *kind = cluster ? "ClusterWorkflowTemplate" : "WorkflowTemplate";
	*owner = kube_owners_find(w->owners, kind, cluster ? "" : w->object->namespace, name ? name : "");
	return *owner ? SL_OK
		      : argo_fail(w, "the %s '%.60s' is not in the file: add it", kind, name ? name : "");
}

static int find_template(struct argo *w, const struct argo_call *call, const struct sl_object **owner,
	const struct sl_doc_node **template)
{
	const struct sl_doc_node *ref = KUBE_AT(call->doc, call->node, "templateRef");
	const char *name = manifest_text(call->doc,
		ref ? KUBE_AT(call->doc, ref, "template") : KUBE_AT(call->doc, call->node, "template"));
	*owner = call->owner;
	const int status = ref ? find_owner(w, call->doc, ref, owner) : SL_OK;
	if (status)
		return status;
	*template = template_in(*owner, name);
	if (!*template && *owner == w->object && w->base) {
		*owner = w->base;
		*template = template_in(*owner, name);
	}
	return *template ? SL_OK : argo_fail(w, "there is no template '%.60s'", name ? name : "");
}

/* ---- Parameters -----------------------------------------------------------------------------------------
 */

static const struct sl_doc_node *named(
	const struct sl_doc *doc, const struct sl_doc_node *list, const char *name)
{
	SL_DOC_EACH (node, doc, list) {
		const char *own = manifest_text(doc, sl_doc_member(doc, node, "name"));
		if (own && strcmp(own, name) == 0)
			return node;
	}
	return NULL;
}

/* Of the call, else of the template itself. One that has none is known later. */
static int inputs_in(struct argo *w, const struct argo_call *call, const struct sl_object *owner,
	const struct sl_doc_node *template, struct argo_params *params)
{
	const struct sl_doc_node *given = KUBE_AT(call->doc, call->node, "arguments", "parameters");
	int status = SL_OK;
	SL_DOC_EACH (input, owner->doc, KUBE_AT(owner->doc, template, "inputs", "parameters")) {
		const char *name = manifest_text(owner->doc, sl_doc_member(owner->doc, input, "name"));
		const struct sl_doc_node *own = named(call->doc, given, name ? name : "");
		const struct sl_doc *doc = own ? call->doc : owner->doc;
		const struct sl_doc_node *value = sl_doc_member(doc, own ? own : input, "value");
		if (!value && !own)
			value = sl_doc_member(doc, input, "default");
		if (value && name && !status)
			status = argo_param(w, params, "inputs.parameters.", name, argo_value(w, doc, value));
	}
	return status;
}

/* The Workflow's before those of its WorkflowTemplate: of one name the last counts. */
static int globals_in(struct argo *w)
{
	const struct sl_object *const of[] = { w->base, w->object };
	int status = argo_param(w, &w->global, "workflow.name", "", w->name);
	if (!status)
		status = argo_param(w, &w->global, "workflow.namespace", "", w->object->namespace);
	for (size_t i = 0; i < SL_LEN(of); i++) {
		if (!of[i])
			continue;
		const struct sl_doc *doc = of[i]->doc;
		SL_DOC_EACH (node, doc, KUBE_AT(doc, of[i]->node, "spec", "arguments", "parameters")) {
			const char *name = manifest_text(doc, sl_doc_member(doc, node, "name"));
			const struct sl_doc_node *value = sl_doc_member(doc, node, "value");
			if (name && value && !status)
				status = argo_param(w, &w->global, "workflow.parameters.", name,
					argo_value(w, doc, value));
		}
	}
	return status;
}

/* ---- Steps, and tasks of a dag ------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

/* One step or task, as often as it loops; ends: of all of these. NOLINTNEXTLINE(misc-no-recursion) */
int argo_call_in(struct argo *w, const struct argo_call *outer, const struct sl_doc_node *node,
	const struct argo_afters *after, struct argo_afters *ends)
{
	const char *name = manifest_text(outer->doc, sl_doc_member(outer->doc, node, "name"));
	struct argo_loop loop = { .count = 0 };
	int status = check_call(w, outer->doc, node);
	if (!status)
		status = argo_loop_of(w, outer->doc, node, &loop);
	if (!status && !loop.count) /* A list of nothing is over at once. */
		status = argo_after_all(w, ends, after);
	for (size_t i = 0; i < loop.count && !status; i++) {
		char id[KUBE_STEP_ID_MAX];
		struct argo_params params = { .name = NULL };
		struct sl_doc doc = { .file = NULL };
		int len = snprintf(id, sizeof(id), "%s.%s", outer->id, name ? name : "");
		if (loop.loops && len < KUBE_STEP_ID_MAX)
			len += snprintf(id + len, sizeof(id) - (size_t)len, ".%zu", i);
		if (len >= KUBE_STEP_ID_MAX)
			status = argo_fail(w, "names of steps in steps are longer than %d letters",
				KUBE_STEP_ID_MAX - 1);
		if (!status)
			status = argo_loop_next(w, &loop, outer->doc, &params);
		if (!status)
			status = argo_read(w, &params, outer->doc, node, &doc);
		if (!status)
			status = call_template(
				w, &(struct argo_call){ outer->owner, &doc, &doc.node[0], id, after }, ends);
		sl_doc_release(&doc);
		argo_params_release(&params);
	}
	return status;
}

/* Each has a name of its own, of letters, digits and '-', as the webhook of Argo demands: jobs are called so.
 */
int argo_check_names(const struct argo *w, const char *const *name, size_t count)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	const char **sorted = calloc(count + 1, sizeof(*sorted));
	int status = sorted ? SL_OK : sl_fail_memory(w->err);
	for (size_t i = 0; i < count && !status; i++) {
		const char *own = name[i] ? name[i] : "";
		sorted[i] = own;
		if (!*own || own[strspn(own, letters)])
			status = argo_fail(w,
				"a step or task is called '%.60s': give it a name of letters, digits and '-'",
				own);
	}
	if (!status)
		qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < count && !status; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			status = argo_fail(w,
				"two steps or tasks of one template are called '%.60s': give each a name of its own",
				sorted[i]);
	free(sorted);
	return status;
}

static int check_steps(const struct argo *w, const struct sl_doc *doc, const struct sl_doc_node *steps)
{
	size_t count = 0, most = 0;
	bool lists = steps->kind == SL_DOC_LIST;
	SL_DOC_EACH (group, doc, steps) {
		lists = lists && group->kind == SL_DOC_LIST;
		SL_DOC_EACH (step, doc, group)
			most++;
	}
	if (!lists)
		return argo_fail(w, "'steps' must be a list of lists of steps");
	const char **name = calloc(most + 1, sizeof(*name));
	SL_DOC_EACH (group, doc, steps)
		SL_DOC_EACH (step, doc, group)
			if (name)
				name[count++] = manifest_text(doc, sl_doc_member(doc, step, "name"));
	const int status = name ? argo_check_names(w, name, count) : sl_fail_memory(w->err);
	free(name);
	return status;
}

/* Group by group; one without steps is over at once. NOLINTNEXTLINE(misc-no-recursion) */
static int steps_in(struct argo *w, const struct argo_call *call, const struct sl_doc_node *steps,
	struct argo_afters *ends)
{
	struct argo_afters before = { .at = NULL };
	int status = check_steps(w, call->doc, steps);
	if (!status)
		status = argo_after_all(w, &before, call->after);
	SL_DOC_EACH (group, call->doc, steps) {
		struct argo_afters now = { .at = NULL };
		if (!sl_doc_child(call->doc, group))
			continue;
		SL_DOC_EACH (step, call->doc, group)
			if (!status)
				status = argo_call_in(w, call, step, &before, &now);
		free(before.at);
		before = now;
	}
	if (!status)
		status = argo_after_all(w, ends, &before);
	free(before.at);
	return status;
}

/* ---- Calls ----------------------------------------------------------------------------------------------
 */

static int suspend_in(struct argo *w, const struct argo_call *call, const struct sl_doc_node *template,
	const struct argo_afters *before, struct argo_afters *ends)
{
	const char *text = manifest_text(call->doc, KUBE_AT(call->doc, template, "suspend", "duration"));
	sl_time duration = 0;
	int status = SL_OK;
	if (!text || !sl_get_duration(text, strlen(text), &duration) || duration < 0)
		return argo_fail(
			w, "a suspend ends when somebody resumes it: give a 'duration', as 90s or 2h");
	for (size_t i = 0; i < before->count && !status; i++)
		status = after_add(
			w, ends, (struct argo_after){ before->at[i].step, before->at[i].delay + duration });
	return status;
}

/* The body of a template, filled. NOLINTNEXTLINE(misc-no-recursion) */
static int template_run(struct argo *w, const struct argo_call *call, struct argo_afters *ends)
{
	const struct sl_doc *doc = call->doc;
	const struct sl_doc_node *steps = KUBE_AT(doc, call->node, "steps");
	const struct sl_doc_node *dag = KUBE_AT(doc, call->node, "dag");
	const struct kube_step *step = NULL;
	int status = check_template(w, doc, call->node);
	if (status)
		return status;
	if (steps)
		return steps_in(w, call, steps, ends);
	if (dag)
		return argo_dag(w, call, dag, ends);
	if (KUBE_AT(doc, call->node, "suspend") || sl_doc_member(doc, call->node, "suspend"))
		return suspend_in(w, call, call->node, call->after, ends);
	if (!argo_is_pod(doc, call->node))
		return argo_fail(w,
			"a template has none of container, script, resource, containerSet, suspend, steps and dag");
	status = argo_pod(w, doc, call->node, call->id, call->after, &step);
	return status ? status : after_add(w, ends, (struct argo_after){ step, 0 });
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static int call_template(struct argo *w, const struct argo_call *call, struct argo_afters *ends)
{
	const struct sl_place before = w->place;
	const struct sl_object *owner;
	const struct sl_doc_node *template;
	struct argo_params params = { .name = NULL };
	struct sl_doc doc = { .file = NULL };
	if (++w->calls > ARGO_CALLS_MAX)
		return argo_fail(w, "more than %d calls of templates", ARGO_CALLS_MAX);
	if (w->depth == ARGO_DEPTH_MAX)
		return argo_fail(w, "templates call each other more than %d deep", ARGO_DEPTH_MAX);
	int status = find_template(w, call, &owner, &template);
	if (status)
		return status;
	w->depth++;
	w->place = sl_doc_place(owner->doc, template);
	status = inputs_in(w, call, owner, template, &params);
	if (!status)
		status = argo_read(w, &params, owner->doc, template, &doc);
	if (!status)
		status = template_run(
			w, &(struct argo_call){ owner, &doc, &doc.node[0], call->id, call->after }, ends);
	if (!status)
		w->place = before;
	w->depth--;
	sl_doc_release(&doc);
	argo_params_release(&params);
	return status;
}

/* ---- The Workflow ---------------------------------------------------------------------------------------
 */

/* Of the first that says it. */
static int number_in(
	const struct argo *w, const struct sl_object *object, const struct sl_doc_node *map, int64_t *most)
{
	return *most ? SL_OK : argo_number(w, object->doc, map, "parallelism", 0, most);
}

/* The least of the Workflow's and its entrypoint's. */
static int parallelism_of(struct argo *w, const char *entrypoint)
{
	const struct sl_object *const of[] = { w->object, w->base };
	int64_t own = 0;
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(of) && of[i] && !status; i++) {
		status = number_in(w, of[i], KUBE_AT(of[i]->doc, of[i]->node, "spec"), &w->most);
		if (!status)
			status = number_in(w, of[i], template_in(of[i], entrypoint), &own);
	}
	if (own && (!w->most || own < w->most))
		w->most = own;
	return status;
}

/* The Workflow's arguments are those of its first and its last template; of one name the last. */
static void put_arguments(const struct argo *w, struct manifest_text *text)
{
	static const char prefix[] = "workflow.parameters.";
	const char *between = ",\"arguments\":{\"parameters\":[{\"name\":";
	bool any = false;
	for (size_t i = w->global.count; i--;) {
		if (strncmp(w->global.name[i], prefix, strlen(prefix)) != 0)
			continue;
		kube_put(text, between, strlen(between));
		kube_put_string(text, w->global.name[i] + strlen(prefix));
		kube_put(text, ",\"value\":", strlen(",\"value\":"));
		kube_put_string(text, w->global.value[i]);
		between = "},{\"name\":";
		any = true;
	}
	if (any)
		kube_put(text, "}]}", 3);
}

/* A template of the spec by its name, behind those. */
static int run_named(struct argo *w, const char *name, const char *id, const struct argo_afters *after,
	struct argo_afters *ends)
{
	struct manifest_text text = { .text = NULL };
	struct sl_doc doc = { .file = w->object->doc->file };
	kube_put(&text, "{\"template\":", strlen("{\"template\":"));
	kube_put_string(&text, name);
	put_arguments(w, &text);
	kube_put(&text, "}", 1);
	int status =
		text.failed ? sl_fail_memory(w->err) : sl_doc_read_json(&doc, text.text, text.len, w->err);
	if (!status)
		status = call_template(
			w, &(struct argo_call){ w->object, &doc, &doc.node[0], id, after }, ends);
	sl_doc_release(&doc);
	free(text.text);
	return status;
}

static int run_all(struct argo *w, const char *stem)
{
	const struct sl_doc *doc = NULL;
	const char *entrypoint = manifest_text(doc, NULL);
	struct argo_afters begin = { .at = NULL }, ends = { .at = NULL }, last = { .at = NULL };
	char id[KUBE_STEP_ID_MAX];
	const struct sl_doc_node *node = argo_spec(w, "entrypoint", &doc);
	entrypoint = manifest_text(doc, node);
	if (!entrypoint)
		return argo_fail(w, "there is no 'entrypoint': give the name of the first template");
	int status = parallelism_of(w, entrypoint);
	if (!status)
		status = after_add(w, &begin, (struct argo_after){ NULL, 0 });
	if (!status)
		status = run_named(w, entrypoint, stem, &begin, &ends);
	node = argo_spec(w, "onExit", &doc);
	(void)snprintf(id, sizeof(id), "%.*s.onExit", KUBE_STEP_ID_MAX - 10, stem);
	const char *exit = manifest_text(doc, node);
	if (!status && node && !exit)
		status = argo_fail(w, "'onExit' must be the name of a template");
	if (!status && exit)
		status = run_named(w, exit, id, &ends, &last);
	free(begin.at);
	free(ends.at);
	free(last.at);
	return status;
}

int kube_argo_steps(const struct sl_object *object, size_t number, const struct kube_owners *owners,
	struct kube_steps *steps, struct sl_err *err)
{
	char stem[KUBE_STEP_ID_MAX];
	kube_steps_stem(object, number, stem);
	const char *slash = strrchr(stem, '/');
	struct argo w = { .object = object,
		.name = slash ? slash + 1 : stem,
		.owners = owners,
		.steps = steps,
		.arena = sl_arena_new(),
		.place = sl_doc_place(object->doc, object->node),
		.err = err };
	const struct sl_doc_node *ref = KUBE_AT(object->doc, object->node, "spec", "workflowTemplateRef");
	const char *suspended =
		manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "suspend"));
	int status = w.arena ? kube_made_check(object, err) : sl_fail_memory(err);
	if (!status && suspended && strcmp(suspended, "true") == 0)
		status = argo_fail(&w, "it is suspended: resume it, or leave it out");
	if (!status)
		status = kube_times_of(object, &w.times, err);
	if (!status && ref)
		status = find_owner(&w, object->doc, ref, &w.base);
	if (!status)
		status = check_workflow(&w);
	if (!status)
		status = globals_in(&w);
	if (!status)
		status = run_all(&w, stem);
	argo_params_release(&w.global);
	sl_arena_free(w.arena);
	return status;
}
