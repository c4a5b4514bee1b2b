/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_runai.c - Run:AI's own workloads as jobs: TrainingWorkload, InteractiveWorkload and InferenceWorkload
 * (run.ai/v2alpha1, v1alpha1), and RunaiJob (run.ai/v1).
 *
 * Run:AI's documentation, "Submitting workloads via YAML" and the parameters of each kind (kubectl explain
 * trainingworkload.spec): a field is {value: ...}. They are written as a Workload with one podset and read as
 * any other; what KAI would have in a PodGroup of them is its member "schedlab/podGroup". A RunaiJob has a
 * Job's spec.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/kube/kube_jobs.h"

enum { PODS_MAX = 1000000, WORD_CAPACITY = 64 };
#define MIB (INT64_C(1) << 20)

static const struct {
	const char *kind, *class; /* NULL: a Job's spec. */
} kinds[] = {
	{ "TrainingWorkload", "train" },
	{ "InteractiveWorkload", "build" },
	{ "InferenceWorkload", "inference" },
	{ "RunaiJob", NULL },
};

bool kube_runai_has(const char *kind)
{
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return true;
	return false;
}

bool kube_runai_is(const struct sl_object *object)
{
	return kube_runai_has(object->kind) && strncmp(object->version, "run.ai/", strlen("run.ai/")) == 0;
}

/* ---- Values ------------------------------------------------------------------------------------------- */

static const struct sl_doc_node *kube_runai_value_of(const struct sl_object *object, const char *field)
{
	return KUBE_AT(object->doc, object->node, "spec", field, "value");
}

static const char *kube_runai_text_of(const struct sl_object *object, const char *field)
{
	return manifest_text(object->doc, kube_runai_value_of(object, field));
}

static int kube_runai_wrong(const struct sl_object *object, const char *field, const char *text,
	const char *wanted, struct sl_err *err)
{
	const struct sl_doc_node *node = kube_runai_value_of(object, field);
	const struct sl_place at = sl_doc_place(object->doc, node ? node : object->node);
	return sl_fail_at(err, &at, "'%s' must be %s, not '%.40s'", field, wanted, text);
}

static int kube_runai_count_of(
	const struct sl_object *object, const char *field, int64_t *count, struct sl_err *err)
{
	const char *text = kube_runai_text_of(object, field);
	if (!text || (sl_get_i64(text, strlen(text), count) && *count >= 0 && *count <= PODS_MAX))
		return SL_OK;
	return kube_runai_wrong(object, field, text, "a number of pods", err);
}

/* ---- Writing ------------------------------------------------------------------------------------------- */

static void kube_runai_put_text(struct manifest_text *text, const char *more)
{
	kube_put(text, more, strlen(more));
}

/* "key": the value as it is; after a comma if there was one before. */
static void put_value(struct manifest_text *text, bool *some, const struct sl_object *object, const char *key,
	const struct sl_doc_node *node)
{
	if (!node)
		return;
	kube_runai_put_text(text, *some ? ",\"" : "\"");
	kube_runai_put_text(text, key);
	kube_runai_put_text(text, "\":");
	kube_put_object(text, object->doc, node);
	*some = true;
}

static void kube_runai_put_number(struct manifest_text *text, bool *some, const char *key, int64_t number)
{
	char line[WORD_CAPACITY + 64];
	(void)snprintf(line, sizeof(line), "%s\"%.60s\":\"%lld\"", *some ? "," : "", key, (long long)number);
	kube_runai_put_text(text, line);
	*some = true;
}

/* What a pod requests of GPUs: whole ones and profiles as resources, shares as annotations. */
struct asked {
	int64_t gpus;            /* Whole. */
	int64_t gpu_mem;         /* MiB; 0: none. */
	bool fraction;           /* gpu is the share. */
	char mig[WORD_CAPACITY]; /* Its resource; "": none. */
};

static int read_mig(const struct sl_object *object, struct asked *asked, struct sl_err *err)
{
	const char *text = kube_runai_text_of(object, "migProfile");
	if (!text)
		return SL_OK;
	const size_t len = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz.+");
	if (text[len] || len > WORD_CAPACITY - 20)
		return kube_runai_wrong(object, "migProfile", text, "a profile of MIG, as 1g.5gb", err);
	(void)snprintf(asked->mig, sizeof(asked->mig), "nvidia.com/mig-%s", text);
	return SL_OK;
}

static int read_gpus(const struct sl_object *object, struct asked *asked, struct sl_err *err)
{
	const char *gpu = kube_runai_text_of(object, "gpu");
	const char *memory = kube_runai_text_of(object, "gpuMemory");
	int64_t micro = 0;
	int64_t bytes = 0;
	*asked = (struct asked){ 0 };
	if (gpu && (!sl_get_micro(gpu, strlen(gpu), &micro) || micro < 0 ||
			   (micro > 1000000 && micro % 1000000) || micro > INT64_C(1000000) * 100000))
		return kube_runai_wrong(object, "gpu", gpu, "a whole number, or a fraction below 1", err);
	if (memory && (!sl_get_amount("memory", memory, strlen(memory), &bytes) || bytes < MIB))
		return kube_runai_wrong(
			object, "gpuMemory", memory, "an amount of memory, as 10G or 8Gi", err);
	asked->gpu_mem = bytes / MIB;
	asked->fraction = !bytes && micro && micro < 1000000;
	asked->gpus = bytes || asked->fraction ? 0 : micro / 1000000;
	return read_mig(object, asked, err);
}

static void put_requests(
	struct manifest_text *text, const struct sl_object *object, const struct asked *asked)
{
	bool some = false;
	kube_runai_put_text(text, "\"containers\":[{\"name\":\"main\",\"resources\":{\"requests\":{");
	put_value(text, &some, object, "cpu", kube_runai_value_of(object, "cpu"));
	put_value(text, &some, object, "memory", kube_runai_value_of(object, "memory"));
	if (asked->gpus)
		kube_runai_put_number(text, &some, "nvidia.com/gpu", asked->gpus);
	if (*asked->mig)
		kube_runai_put_number(text, &some, asked->mig, 1);
	kube_runai_put_text(text, "}}}]");
}

static void put_template(
	struct manifest_text *text, const struct sl_object *object, const struct asked *asked)
{
	bool some = false;
	const struct sl_doc_node *pools = kube_runai_value_of(object, "nodePools");
	const struct sl_doc_node *type = kube_runai_value_of(object, "nodeType");
	kube_runai_put_text(text, "{\"metadata\":{\"annotations\":{");
	if (asked->fraction)
		put_value(text, &some, object, "gpu-fraction", kube_runai_value_of(object, "gpu"));
	if (asked->gpu_mem)
		kube_runai_put_number(text, &some, "gpu-memory", asked->gpu_mem);
	if (!pools || pools->kind != SL_DOC_TEXT)
		pools = kube_runai_value_of(object, "nodePool");
	put_value(text, &some, object, "schedlab/node-pools", pools);
	kube_runai_put_text(text, "}},\"spec\":{");
	if (type) {
		some = false;
		kube_runai_put_text(text, "\"nodeSelector\":{");
		put_value(text, &some, object, "run.ai/type", type);
		kube_runai_put_text(text, "},");
	}
	put_requests(text, object, asked);
	kube_runai_put_text(text, "}}");
}

/* The class by its kind, if no label has one; an interactive one may be preemptible. */
static const char *kube_runai_class_of(const struct sl_object *object)
{
	const char *preemptible = kube_runai_text_of(object, "preemptible");
	if (KUBE_AT(object->doc, object->node, "metadata", "labels", "priorityClassName"))
		return NULL;
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (strcmp(kinds[i].kind, object->kind) == 0)
			return strcmp(object->kind, "InteractiveWorkload") == 0 && preemptible &&
					       strcmp(preemptible, "true") == 0
				       ? "build-preemptible"
				       : kinds[i].class;
	return NULL;
}

static void put_metadata(struct manifest_text *text, const struct sl_object *object)
{
	static const char *const keys[] = { "name", "namespace", "labels", "annotations", "uid" };
	bool some = false;
	kube_runai_put_text(text, "\"metadata\":{");
	for (size_t i = 0; i < SL_LEN(keys); i++)
		put_value(text, &some, object, keys[i],
			KUBE_AT(object->doc, object->node, "metadata", keys[i]));
	kube_runai_put_text(text, "}");
}

/* Pods of training start one by one unless they are processes of MPI. */
static void put_workload(struct manifest_text *text, const struct sl_object *object,
	const struct asked *asked, int64_t count, int64_t least)
{
	const char *class = kube_runai_class_of(object);
	char line[160];
	kube_runai_put_text(text, "{\"kind\":\"Workload\",\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",");
	put_metadata(text, object);
	(void)snprintf(line, sizeof(line),
		",\"spec\":{\"podSets\":[{\"name\":\"main\",\"count\":\"%lld\",\"template\":",
		(long long)count);
	kube_runai_put_text(text, line);
	put_template(text, object, asked);
	(void)snprintf(line, sizeof(line), "}]},\"schedlab/podGroup\":{\"spec\":{\"minMember\":\"%lld\"",
		(long long)least);
	kube_runai_put_text(text, line);
	if (class) {
		kube_runai_put_text(text, ",\"priorityClassName\":\"");
		kube_runai_put_text(text, class);
		kube_runai_put_text(text, "\"");
	}
	kube_runai_put_text(text, "}}}");
}

static int workload_make(const struct sl_object *object, struct manifest_text *text, struct sl_err *err)
{
	struct asked asked;
	int64_t count = 1;
	int64_t processes = 0;
	int status = read_gpus(object, &asked, err);
	if (!status)
		status = kube_runai_count_of(object,
			strcmp(object->kind, "InferenceWorkload") == 0 ? "minScale" : "parallelism", &count,
			err);
	if (!status)
		status = kube_runai_count_of(object, "processes", &processes, err);
	if (status)
		return status;
	count = processes ? processes : count ? count : 1;
	put_workload(text, object, &asked, count, processes ? processes : 1);
	return SL_OK;
}

static void kube_runai_put_job(struct manifest_text *text, const struct sl_object *object)
{
	bool some = true;
	kube_runai_put_text(text, "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",");
	put_metadata(text, object);
	put_value(text, &some, object, "spec", KUBE_AT(object->doc, object->node, "spec"));
	kube_runai_put_text(text, "}");
}

bool kube_runai_is_template(const struct sl_object *object)
{
	const char *usage = manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "usage"));
	return usage && strcmp(usage, "Template") == 0;
}

int kube_runai_make(const struct sl_object *object, struct kube_group *group, struct sl_err *err)
{
	struct manifest_text text = { 0 };
	int status = kube_times_of(object, &group->times, err);
	if (!status && strcmp(object->kind, "RunaiJob") == 0)
		kube_runai_put_job(&text, object);
	else if (!status)
		status = workload_make(object, &text, err);
	if (!status)
		status = text.failed ? sl_fail_memory(err)
				     : kube_written_read(text.text, text.len, object, &group->file, err);
	free(text.text);
	return status;
}
