/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_argo_dag.c - tasks of a dag, each behind those that it depends on.
 *
 * https://argo-workflows.readthedocs.io/en/latest/enhanced-depends-logic/: `dependencies`, or `depends` of
 * names with && between them; a task is made once these have succeeded.
 */
#include "traces/kube/kube_argo.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 20000, TASK_DEPTH_MAX = 2000 };

/* A dag while its tasks are made, each behind those that it depends on. */
struct dag {
	struct argo *w;
	const struct argo_call *call;
	const struct sl_doc_node **task;
	const char **name;
	struct argo_afters *ends;
	uint8_t *state; /* 1: on the way, 2: made. */
	bool *needed;   /* Others depend on it. */
	size_t count;
};

static int task_in(struct dag *dag, size_t task);

/* The task of that name, made. NOLINTNEXTLINE(misc-no-recursion) */
static int depend_on(struct dag *dag, const char *name, size_t len, struct argo_afters *after)
{
	for (size_t i = 0; i < dag->count; i++) {
		const char *own = dag->name[i];
		if (strlen(own) != len || strncmp(own, name, len) != 0)
			continue;
		const int status = task_in(dag, i);
		dag->needed[i] = true;
		return status ? status : argo_after_all(dag->w, after, &dag->ends[i]);
	}
	return argo_fail(dag->w, "a task depends on '%.*s', which is none", (int)(len < 60 ? len : 60), name);
}

/* "a && b.Succeeded": all of them. NOLINTNEXTLINE(misc-no-recursion) */
static int depends_in(struct dag *dag, const char *text, struct argo_afters *after)
{
	static const char well[] = ".Succeeded";
	int status = SL_OK;
	for (const char *p = text; *p && !status;) {
		const char *end = strstr(p, "&&");
		const char *next = end ? end + 2 : p + strlen(p);
		size_t len = end ? (size_t)(end - p) : strlen(p);
		while (len && *p == ' ')
			p++, len--;
		while (len && p[len - 1] == ' ')
			len--;
		if (len > strlen(well) && memcmp(p + len - strlen(well), well, strlen(well)) == 0)
			len -= strlen(well);
		if (!len || strcspn(p, "|!().& ") < len)
			return argo_fail(dag->w,
				"'depends: %.60s' is not read: pods do not fail by themselves: name tasks, with && "
				"between them",
				text);
		status = depend_on(dag, p, len, after);
		p = next;
	}
	return status;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static int task_in(struct dag *dag, size_t task)
{
	const struct sl_doc *doc = dag->call->doc;
	const struct sl_doc_node *node = dag->task[task];
	const char *depends = manifest_text(doc, KUBE_AT(doc, node, "depends"));
	struct argo_afters after = { .at = NULL };
	int status = SL_OK;
	if (dag->state[task])
		return dag->state[task] == 2
			       ? SL_OK
			       : argo_fail(dag->w, "tasks of a dag depend on each other in a circle");
	if (dag->w->chained == TASK_DEPTH_MAX)
		return argo_fail(dag->w,
			"a chain of more than %d tasks, with those of dags in dags: write them in their order",
			TASK_DEPTH_MAX);
	dag->state[task] = 1;
	dag->w->chained++;
	if (depends)
		status = depends_in(dag, depends, &after);
	SL_DOC_EACH (one, doc, KUBE_AT(doc, node, "dependencies")) {
		const char *name = manifest_text(doc, one);
		if (!status)
			status = depend_on(dag, name ? name : "", name ? strlen(name) : 0, &after);
	}
	if (!status)
		status = argo_call_in(
			dag->w, dag->call, node, after.count ? &after : dag->call->after, &dag->ends[task]);
	dag->state[task] = 2;
	dag->w->chained--;
	free(after.at);
	return status;
}

/* It ends with those that nobody depends on. NOLINTNEXTLINE(misc-no-recursion) */
static int dag_make(struct dag *dag, struct argo_afters *ends)
{
	int status = SL_OK;
	for (size_t i = 0; i < dag->count && !status; i++)
		status = task_in(dag, i);
	for (size_t i = 0; i < dag->count; i++) {
		if (!status && !dag->needed[i])
			status = argo_after_all(dag->w, ends, &dag->ends[i]);
		free(dag->ends[i].at);
	}
	return status;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
int argo_dag(struct argo *w, const struct argo_call *call, const struct sl_doc_node *body,
	struct argo_afters *ends)
{
	struct dag dag = { .w = w, .call = call };
	const struct sl_doc_node *tasks = KUBE_AT(call->doc, body, "tasks");
	size_t count = 0;
	if (KUBE_AT(call->doc, body, "target"))
		return argo_fail(w, "'target' is not read: leave out the tasks that are not to run");
	SL_DOC_EACH (task, call->doc, tasks)
		count++;
	if (!tasks || tasks->kind != SL_DOC_LIST || !count)
		return argo_fail(w, "a dag has a list of 'tasks', of one or more");
	if (count > TASKS_MAX)
		return argo_fail(w, "more than %d tasks in a dag", TASKS_MAX);
	dag.task = calloc(count + 1, sizeof(*dag.task));
	dag.name = calloc(count + 1, sizeof(*dag.name));
	dag.ends = calloc(count + 1, sizeof(*dag.ends));
	dag.state = calloc(count + 1, sizeof(*dag.state));
	dag.needed = calloc(count + 1, sizeof(*dag.needed));
	int status =
		dag.task && dag.name && dag.ends && dag.state && dag.needed ? SL_OK : sl_fail_memory(w->err);
	SL_DOC_EACH (task, call->doc, tasks) {
		if (status)
			break;
		dag.name[dag.count] = manifest_text(call->doc, sl_doc_member(call->doc, task, "name"));
		dag.task[dag.count++] = task;
	}
	if (!status)
		status = argo_check_names(w, dag.name, count);
	if (!status)
		status = dag_make(&dag, ends);
	free(dag.task);
	free(dag.name);
	free(dag.ends);
	free(dag.state);
	free(dag.needed);
	return status;
}
