/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_made_spark.c - pods of a SparkApplication: a driver, and executors.
 *
 * Spark on Kubernetes (https://spark.apache.org/docs/latest/running-on-kubernetes.html) asks for a pod
 * coreRequest, else cores (1); memory (1g) and memoryOverhead beside it, by default memoryOverheadFactor
 * (0.1, of Python and R 0.4) of the memory, at least 384 MiB; of executors off-heap memory and PySpark's,
 * too. What spec.driver and spec.executor do not say is sought in spec.sparkConf.
 */
#include "traces/kube/kube_made.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)
enum { OVERHEAD_LEAST = 384 };

struct role {
	const char *word; /* "driver", "executor" */
	const struct sl_doc_node *map;
	bool executor;
};

/* ---- What is said of a role ---------------------------------------------------------------------------- */

static const char *conf(const struct kube_making *m, const char *key)
{
	const struct sl_doc *doc = m->object->doc;
	return manifest_text(doc, KUBE_AT(doc, m->object->node, "spec", "sparkConf", key));
}

/* "spark.ROLE.key" of sparkConf. */
static const char *conf_of(const struct kube_making *m, const struct role *role, const char *key)
{
	char name[100];
	(void)snprintf(name, sizeof(name), "spark.%s.%s", role->word, key);
	return conf(m, name);
}

static const char *said(
	const struct kube_making *m, const struct role *role, const char *member, const char *key)
{
	const struct sl_doc *doc = m->object->doc;
	const char *text = manifest_text(doc, sl_doc_member(doc, role->map, member));
	return text ? text : conf_of(m, role, key);
}

/* "512m", "2g", of Java: powers of 1024, bare numbers in `unit`s; in MiB. */
static int memory_of(struct kube_making *m, const char *text, int64_t unit, int64_t *mib)
{
	static const char letters[] = "bkmgtp";
	const size_t digits = strspn(text, "0123456789");
	const char *letter = text[digits] ? strchr(letters, tolower((unsigned char)text[digits])) : NULL;
	const char *rest = text + digits + (letter != NULL);
	int64_t number = 0;
	if (letter)
		unit = INT64_C(1) << (10 * (letter - letters));
	if (letter && (*rest == 'b' || *rest == 'B'))
		rest++;
	if (!digits || digits > 12 || *rest || !sl_get_i64(text, digits, &number) ||
		number > INT64_MAX / 4 / unit)
		return made_fail(m, NULL, "'%.40s' is no amount of memory, as 512m or 2g", text);
	*mib = number * unit / MIB;
	return SL_OK;
}

/* The overhead's share of the memory, in thousandths. */
static int factor_of(struct kube_making *m, const struct role *role, int64_t *thousandths)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec");
	const char *type = manifest_text(doc, KUBE_AT(doc, spec, "type"));
	const char *text = conf_of(m, role, "memoryOverheadFactor");
	int64_t micro;
	text = text ? text : conf(m, "spark.kubernetes.memoryOverheadFactor");
	text = text ? text : manifest_text(doc, KUBE_AT(doc, spec, "memoryOverheadFactor"));
	*thousandths = type && (strcmp(type, "Python") == 0 || strcmp(type, "R") == 0) ? 400 : 100;
	if (!text)
		return SL_OK;
	if (!sl_get_micro(text, strlen(text), &micro) || micro < 0 || micro > INT64_C(100000000))
		return made_fail(
			m, NULL, "a memoryOverheadFactor must be a number such as 0.1, not '%.40s'", text);
	*thousandths = micro / 1000;
	return SL_OK;
}

static int more_of_executor(struct kube_making *m, int64_t *mib)
{
	const char *type =
		manifest_text(m->object->doc, KUBE_AT(m->object->doc, m->object->node, "spec", "type"));
	const char *pyspark = conf(m, "spark.executor.pyspark.memory");
	const char *enabled = conf(m, "spark.memory.offHeap.enabled");
	const char *size = conf(m, "spark.memory.offHeap.size");
	int64_t more = 0;
	int status = SL_OK;
	if (pyspark && type && strcmp(type, "Python") == 0)
		status = memory_of(m, pyspark, MIB, &more);
	*mib += more;
	more = 0;
	if (!status && size && enabled && strcmp(enabled, "true") == 0)
		status = memory_of(m, size, 1, &more);
	*mib += more;
	return status;
}

static int whole_memory(struct kube_making *m, const struct role *role, int64_t *mib)
{
	const char *memory = said(m, role, "memory", "memory");
	const char *overhead = said(m, role, "memoryOverhead", "memoryOverhead");
	int64_t factor, more = 0;
	*mib = 1024;
	int status = memory ? memory_of(m, memory, MIB, mib) : SL_OK;
	if (!status && overhead)
		status = memory_of(m, overhead, MIB, &more);
	else if (!status) {
		status = factor_of(m, role, &factor);
		more = status ? 0 : sl_mul_div(*mib, factor, 1000);
		more = more < OVERHEAD_LEAST ? OVERHEAD_LEAST : more;
	}
	*mib += more;
	return status || !role->executor ? status : more_of_executor(m, mib);
}

static const char *cpus_of(const struct kube_making *m, const struct role *role)
{
	char key[64];
	const struct sl_doc *doc = m->object->doc;
	const char *text = manifest_text(doc, sl_doc_member(doc, role->map, "coreRequest"));
	(void)snprintf(key, sizeof(key), "spark.kubernetes.%s.request.cores", role->word);
	text = text ? text : conf(m, key);
	text = text ? text : said(m, role, "cores", "cores");
	return text ? text : "1";
}

/* ---- Its pods ------------------------------------------------------------------------------------------ */

static int put_main(struct kube_making *m, const struct role *role, struct manifest_text *text)
{
	const struct sl_doc *doc = m->object->doc;
	const char *gpu = manifest_text(doc, KUBE_AT(doc, role->map, "gpu", "name"));
	const char *gpus = manifest_text(doc, KUBE_AT(doc, role->map, "gpu", "quantity"));
	const char *cpus = cpus_of(m, role);
	char line[400];
	int64_t mib, amount;
	const int status = whole_memory(m, role, &mib);
	if (status)
		return status;
	if (!sl_get_amount("cpu", cpus, strlen(cpus), &amount))
		return made_fail(m, role->map, "'%.40s' is no amount of cpu", cpus);
	(void)snprintf(line, sizeof(line),
		"{\"name\":\"spark-%s\",\"resources\":{\"requests\":{\"cpu\":\"%.40s\",\"memory\":\"%lldMi\"",
		role->word, cpus, (long long)mib);
	made_put(text, line);
	if (gpu && gpus && strspn(gpus, "0123456789") == strlen(gpus) && !strchr(gpu, '"')) {
		(void)snprintf(line, sizeof(line), ",\"%.200s\":\"%.20s\"", gpu, gpus);
		made_put(text, line);
	}
	made_put(text, "}}}");
	return SL_OK;
}

/* The template that the role names, with what the role says itself in place of it. */
static int put_spec(struct kube_making *m, const struct role *role, struct manifest_text *text)
{
	static const char *const keys[] = { "nodeSelector", "affinity", "tolerations", "priorityClassName",
		"initContainers", "schedulerName" };
	const struct sl_doc *doc = m->object->doc;
	const char *but[SL_LEN(keys) + 2] = { "containers" };
	size_t count = 1;
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (sl_doc_member(doc, role->map, keys[i]))
			but[count++] = keys[i];
	made_put_open(text, doc, KUBE_AT(doc, role->map, "template", "spec"), but);
	for (size_t i = 1; i < count; i++)
		made_put_member(text, doc, but[i], sl_doc_member(doc, role->map, but[i]));
	made_put(text, "\"containers\":[");
	const int status = put_main(m, role, text);
	SL_DOC_EACH (sidecar, doc, sl_doc_member(doc, role->map, "sidecars")) {
		made_put(text, ",");
		kube_put_object(text, doc, sidecar);
	}
	made_put(text, "]}");
	return status;
}

static void put_metadata(const struct kube_making *m, const struct role *role, struct manifest_text *text)
{
	static const char *const none[] = { NULL };
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *labels = sl_doc_member(doc, role->map, "labels");
	const struct sl_doc_node *template = KUBE_AT(doc, role->map, "template", "metadata", "labels");
	made_put(text, "\"metadata\":{");
	made_put_member(text, doc, "annotations", sl_doc_member(doc, role->map, "annotations"));
	made_put(text, "\"labels\":");
	made_put_open(text, doc, labels ? labels : template, none);
	made_put(text, "\"spark-role\":\"");
	made_put(text, role->word);
	made_put(text, "\"}},");
}

static int role_in(struct kube_making *m, const struct role *role, int64_t count)
{
	struct manifest_text text = { 0 };
	made_put(&text, "{");
	put_metadata(m, role, &text);
	made_put(&text, "\"spec\":");
	int status = put_spec(m, role, &text);
	made_put(&text, "}");
	if (!status)
		status = made_podset_text(m, role->word, count, &text);
	free(text.text);
	return status;
}

int made_spark(struct kube_making *m)
{
	const struct sl_doc *doc = m->object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, m->object->node, "spec");
	const struct role driver = { "driver", KUBE_AT(doc, spec, "driver"), false };
	const struct role executor = { "executor", KUBE_AT(doc, spec, "executor"), true };
	const struct sl_doc_node *dynamic = KUBE_AT(doc, spec, "dynamicAllocation");
	const char *on = manifest_text(doc, sl_doc_member(doc, dynamic, "enabled"));
	const char *instances = conf(m, "spark.executor.instances");
	int64_t count = 1;
	int64_t least = 0, first = 0;
	if (instances)
		(void)sl_get_i64(instances, strlen(instances), &count);
	int status = made_number(m, executor.map, "instances", count < 0 ? 0 : count, &count);
	if (!status && on && strcmp(on, "true") == 0) {
		status = made_number(m, dynamic, "minExecutors", 0, &least);
		if (!status)
			status = made_number(m, dynamic, "initialExecutors", least, &first);
		least = first > least ? first : least;
		count = least > count || !sl_doc_member(doc, executor.map, "instances") ? least : count;
	}
	if (!status)
		status = role_in(m, &driver, 1);
	return status ? status : role_in(m, &executor, count);
}
