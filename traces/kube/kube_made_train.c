/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made_train.c - pods of the kinds of Kubeflow's training operator and trainer, and of Volcano's Job.
 *
 * https://github.com/kubeflow/training-operator (pkg/apis/kubeflow.org/v1): roles, each with replicas and a
 * template. https://github.com/kubeflow/trainer (pkg/apis/trainer/v1alpha1): a TrainJob names a runtime,
 * whose template is a JobSet's; the replicated job of the ancestor step "trainer" has numNodes pods, whose
 * container "node" has resourcesPerNode. https://volcano.sh/docs/vcjob/.
 */
#include "traces/kube/kube_made.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Replica specs ----------------------------------------------------------------------------------- */

enum { ROLES_MAX = 6 };

/* In the order of Kueue's podsets. */
static const struct roles {
	const char *kind, *specs;
	const char *role[ROLES_MAX];
} roles[] = {
	{ "PyTorchJob", "pytorchReplicaSpecs", { "Master", "Worker" } },
	{ "TFJob", "tfReplicaSpecs", { "Chief", "Master", "PS", "Worker", "Evaluator" } },
	{ "XGBoostJob", "xgbReplicaSpecs", { "Master", "Worker" } },
	{ "PaddleJob", "paddleReplicaSpecs", { "Master", "Worker" } },
	{ "JAXJob", "jaxReplicaSpecs", { "Worker" } },
	{ "MXJob", "mxReplicaSpecs",
		{ "Scheduler", "Server", "Worker", "TunerTracker", "TunerServer", "Tuner" } },
	{ "MPIJob", "mpiReplicaSpecs", { "Launcher", "Worker" } },
};

static const struct roles *roles_of(const char *kind)
{
	for (size_t i = 0; i < SL_LEN(roles); i++)
		if (strcmp(roles[i].kind, kind) == 0)
			return &roles[i];
	return NULL;
}

/* The operator takes names of roles in any case. */
static const struct sl_doc_node *role_in(
	const struct sl_doc *doc, const struct sl_doc_node *specs, const char *role)
{
	SL_DOC_EACH (node, doc, specs)
		if (strcasecmp(doc->text + node->key, role) == 0)
			return node;
	return NULL;
}

static int check_roles(struct kube_making *m, const struct roles *of, const struct sl_doc_node *specs)
{
	const struct sl_doc *doc = m->object->doc;
	if (!specs || specs->kind != SL_DOC_MAP || !specs->count)
		return made_fail(m, specs, "it has no 'spec.%s': give its roles", of->specs);
	SL_DOC_EACH (node, doc, specs) {
		size_t i = 0;
		while (i < ROLES_MAX && of->role[i] && strcasecmp(of->role[i], doc->text + node->key) != 0)
			i++;
		if (i == ROLES_MAX || !of->role[i])
			return made_fail(m, node, "there is no role '%.40s'", doc->text + node->key);
	}
	return SL_OK;
}

int made_replica_specs(struct kube_making *m)
{
	const struct roles *of = roles_of(m->object->kind);
	const struct sl_doc *doc = m->object->doc;
	SL_CHECK(of);
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec");
	const struct sl_doc_node *specs = KUBE_AT(doc, spec, of->specs);
	int64_t before = m->pods;
	int status = check_roles(m, of, specs);
	for (size_t i = 0; i < ROLES_MAX && of->role[i] && !status; i++) {
		const struct sl_doc_node *role = role_in(doc, specs, of->role[i]);
		int64_t count;
		if (!role)
			continue;
		status = made_number(m, role, "replicas", 1, &count);
		if (!status)
			status = made_podset(m, of->role[i], count, KUBE_AT(doc, role, "template"));
	}
	if (!status)
		status = made_number(m, KUBE_AT(doc, spec, "runPolicy", "schedulingPolicy"), "minAvailable",
			m->pods - before, &m->least);
	return status;
}

int made_volcano(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec");
	const struct sl_doc_node *tasks = KUBE_AT(doc, spec, "tasks");
	int status = SL_OK;
	SL_DOC_EACH (task, doc, tasks) {
		const char *name = manifest_text(doc, sl_doc_member(doc, task, "name"));
		int64_t count;
		status = made_number(m, task, "replicas", 1, &count);
		if (!status)
			status = made_podset(
				m, name ? name : "default", count, KUBE_AT(doc, task, "template"));
		if (status)
			return status;
	}
	return m->count ? made_number(m, spec, "minAvailable", m->pods, &m->least)
			: made_fail(m, tasks, "it has no tasks: give 'spec.tasks'");
}

/* ---- TrainJobs ----------------------------------------------------------------------------------------- */

/* Members of a pod's spec that a TrainJob may put in place of the runtime's. */
static const char *const overridden[] = { "nodeSelector", "affinity", "tolerations", "priorityClassName",
	"schedulingGates", "initContainers", NULL };

struct train {
	const struct sl_object *runtime;
	const struct sl_doc_node *trainer; /* Of the TrainJob; NULL. */
	int64_t nodes;                     /* -1: as the runtime's JobSet says. */
};

static const struct sl_object *find_runtime(const struct kube_making *m, const char *kind, const char *name)
{
	for (size_t i = 0; i < m->file->count; i++) {
		const struct sl_object *object = &m->file->object[i];
		if (strcmp(object->kind, kind) == 0 && strcmp(object->name, name) == 0 &&
			strncmp(object->version, "trainer.kubeflow.org/", 21) == 0 &&
			(strcmp(kind, "TrainingRuntime") != 0 ||
				strcmp(object->namespace, m->object->namespace) == 0))
			return object;
	}
	return NULL;
}

static int train_in(struct kube_making *m, struct train *train)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *ref = KUBE_AT(doc, m->object->node, "spec", "runtimeRef");
	const char *name = manifest_text(doc, sl_doc_member(doc, ref, "name"));
	const char *kind = manifest_text(doc, sl_doc_member(doc, ref, "kind"));
	kind = kind ? kind : "ClusterTrainingRuntime";
	train->runtime = name ? find_runtime(m, kind, name) : NULL;
	if (!train->runtime)
		return made_fail(m, ref,
			"its %s '%.60s' is not in the file, and its pods are made of that: add it", kind,
			name ? name : "");
	train->trainer = KUBE_AT(doc, m->object->node, "spec", "trainer");
	const struct sl_object *job = m->object;
	m->object = train->runtime;
	int status = made_number(m, KUBE_AT(train->runtime->doc, train->runtime->node, "spec", "mlPolicy"),
		"numNodes", -1, &train->nodes);
	m->object = job;
	if (!status && sl_doc_member(doc, train->trainer, "numNodes"))
		status = made_number(m, train->trainer, "numNodes", 1, &train->nodes);
	return status;
}

/* The step of a replicated job of the runtime: "trainer" is what numNodes and resourcesPerNode are of. */
static bool is_trainer(const struct sl_doc *doc, const struct sl_doc_node *replicated)
{
	static const char key[] = "trainer.kubeflow.org/trainjob-ancestor-step";
	const char *step =
		manifest_text(doc, KUBE_AT(doc, replicated, "template", "metadata", "labels", key));
	const char *name = manifest_text(doc, sl_doc_member(doc, replicated, "name"));
	return step ? strcmp(step, "trainer") == 0 : name && strcmp(name, "node") == 0;
}

/* spec.podTemplateOverrides that name this replicated job, the last that says the member. */
static const struct sl_doc_node *override_of(const struct kube_making *m, const char *job, const char *member)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *found = NULL;
	SL_DOC_EACH (one, doc, KUBE_AT(doc, m->object->node, "spec", "podTemplateOverrides"))
		SL_DOC_EACH (target, doc, sl_doc_member(doc, one, "targetJobs")) {
			const char *name = manifest_text(doc, sl_doc_member(doc, target, "name"));
			const struct sl_doc_node *node = KUBE_AT(doc, one, "spec", member);
			if (name && strcmp(name, job) == 0 && node)
				found = node;
		}
	return found;
}

static void put_containers(struct manifest_text *text, const struct kube_making *m, const struct train *train,
	const struct sl_doc_node *containers, bool trainer)
{
	static const char *const but[] = { "resources", NULL };
	const struct sl_doc *doc = train->runtime->doc;
	const struct sl_doc_node *resources =
		sl_doc_member(m->object->doc, train->trainer, "resourcesPerNode");
	bool first = true;
	made_put(text, "\"containers\":[");
	SL_DOC_EACH (container, doc, containers) {
		const char *name = manifest_text(doc, sl_doc_member(doc, container, "name"));
		if (!first)
			made_put(text, ",");
		first = false;
		if (!trainer || !resources || !name || strcmp(name, "node") != 0) {
			kube_put_object(text, doc, container);
			continue;
		}
		made_put_open(text, doc, container, but);
		made_put(text, "\"resources\":");
		kube_put_object(text, m->object->doc, resources);
		made_put(text, "}");
	}
	made_put(text, "]");
}

static void put_template(struct manifest_text *text, const struct kube_making *m, const struct train *train,
	const struct sl_doc_node *template, const char *job, bool trainer)
{
	static const char *const but_spec[] = { "spec", NULL };
	const char *but[SL_LEN(overridden) + 1] = { "containers" };
	size_t count = 1;
	const struct sl_doc *doc = train->runtime->doc;
	const struct sl_doc_node *spec = sl_doc_member(doc, template, "spec");
	for (size_t i = 0; overridden[i]; i++)
		if (override_of(m, job, overridden[i]))
			but[count++] = overridden[i];
	but[count] = NULL;
	made_put_open(text, doc, template, but_spec);
	made_put(text, "\"spec\":");
	made_put_open(text, doc, spec, but);
	for (size_t i = 1; i < count; i++)
		made_put_member(text, m->object->doc, but[i], override_of(m, job, but[i]));
	put_containers(text, m, train, sl_doc_member(doc, spec, "containers"), trainer);
	made_put(text, "}}");
}

static int replicated_in(
	struct kube_making *m, const struct train *train, const struct sl_doc_node *replicated)
{
	const struct sl_doc *doc = train->runtime->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, replicated, "template", "spec");
	const char *name = manifest_text(doc, sl_doc_member(doc, replicated, "name"));
	const bool trainer = is_trainer(doc, replicated);
	const struct sl_object *job = m->object;
	struct manifest_text text = { 0 };
	int64_t replicas, each;
	m->object = train->runtime;
	int status = made_number(m, replicated, "replicas", 1, &replicas);
	if (!status)
		status = made_number(m, spec, "parallelism", 1, &each);
	m->object = job;
	if (status)
		return status;
	if (trainer && train->nodes >= 0)
		each = train->nodes;
	name = name ? name : "main";
	put_template(&text, m, train, KUBE_AT(doc, spec, "template"), name, trainer);
	status = made_podset_text(m, name, replicas * each, &text);
	free(text.text);
	return status;
}

int made_train_job(struct kube_making *m)
{
	struct train train = { .nodes = -1 };
	int status = train_in(m, &train);
	if (status)
		return status;
	const struct sl_doc *doc = train.runtime->doc;
	const struct sl_doc_node *list =
		KUBE_AT(doc, train.runtime->node, "spec", "template", "spec", "replicatedJobs");
	SL_DOC_EACH (replicated, doc, list) {
		status = replicated_in(m, &train, replicated);
		if (status)
			return status;
	}
	m->least = m->pods;
	return m->count
		       ? SL_OK
		       : made_fail(m, NULL, "its runtime '%.60s' has no replicatedJobs", train.runtime->name);
}
