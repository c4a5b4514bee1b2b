/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_live_if.c - what would let a job of a live cluster start: each change is made to its objects and
 * simulated, so that what is told would do.
 *
 * Of Kueue: more nominal quota in a flavor, the least that does; a higher borrowingLimit, no lendingLimit of
 * others, preemption, a queue that is not stopped; the end of one workload of the cohort. Of nodes: one more
 * like each kind that there is; a node that is uncordoned, without its taints, or with what it lacks.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain_live.h"
#include "traces/kube/kube_made.h"

enum { ENDS_TRIED = 12, ENDS_TOLD = 4, NODES_TRIED = 24, NODE_KINDS_TRIED = 6, DOUBLINGS = 6 };
#define MIB (INT64_C(1) << 20)

static void remedy_add(struct live *live, const char *kind, const char *words)
{
	if (live->remedy_count < REMEDIES_MAX)
		live->remedy[live->remedy_count++] = (struct remedy){ kind, words };
}

/* "4", "500m", "2Gi": as a manifest has it. */
static const char *quantity(const struct live *live, const char *resource, int64_t amount)
{
	if (strcmp(resource, "cpu") == 0)
		return amount % 1000 ? live_text(live, "%" PRId64 "m", amount)
				     : live_text(live, "%" PRId64, amount / 1000);
	if (strcmp(resource, "memory") == 0 && amount && amount % (MIB << 10) == 0)
		return live_text(live, "%" PRId64 "Gi", amount / (MIB << 10));
	if (strcmp(resource, "memory") == 0 && amount && amount % MIB == 0)
		return live_text(live, "%" PRId64 "Mi", amount / MIB);
	return live_text(live, "%" PRId64, amount);
}

static int64_t amount_in(const struct sl_amounts *amounts, const char *resource)
{
	for (uint32_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->at[i].resource, resource) == 0)
			return amounts->at[i].amount;
	return 0;
}

static const char *said_in(const struct sl_doc *doc, const struct sl_doc_node *map, const char *key)
{
	return manifest_text(doc, sl_doc_member(doc, map, key));
}

/* A map with members in place of its own, as JSON: "key":value,... */
static const char *map_with(const struct live *live, const struct sl_doc *doc, const struct sl_doc_node *map,
	const char *const *but, const char *members)
{
	struct manifest_text text = { 0 };
	made_put_open(&text, doc, map, but);
	made_put(&text, members);
	made_put(&text, "}");
	const char *copy = text.failed ? "{}" : sl_strdup(live->arena, text.text, text.len);
	free(text.text);
	return copy ? copy : "{}";
}

/* ---- Quotas of Kueue --------------------------------------------------------------------------------------
 */

static const struct sl_object *find_object(const struct live *live, const char *kind, const char *name)
{
	for (size_t i = 0; i < live->dump.file.count; i++)
		if (strcmp(live->dump.file.object[i].kind, kind) == 0 &&
			strcmp(live->dump.file.object[i].name, name) == 0)
			return &live->dump.file.object[i];
	return NULL;
}

/* What the first simulation has of a queue, flavor and resource. */
static int64_t quota_of(const struct live *live, const char *queue, const char *flavor, const char *resource,
	const char *column)
{
	for (size_t i = 0; i < live->quota.row_count; i++) {
		int64_t amount = 0;
		const char *text = table_text(&live->quota, i, column);
		if (strcmp(table_text(&live->quota, i, "queue"), queue) == 0 &&
			strcmp(table_text(&live->quota, i, "flavor"), flavor) == 0 &&
			strcmp(table_text(&live->quota, i, "resource"), resource) == 0 &&
			sl_get_amount(resource, text, strlen(text), &amount))
			return amount;
	}
	return 0;
}

static const char *root_of(const struct live *live, const char *queue)
{
	for (size_t i = 0; i < live->quota.row_count; i++)
		if (strcmp(table_text(&live->quota, i, "queue"), queue) == 0)
			return table_text(&live->quota, i, "root");
	return "";
}

/* A flavor of the job's ClusterQueue, and its resources that the job needs. */
enum { SHORT_MAX = 16 };
struct flavor {
	const struct sl_doc *doc;
	const char *name;
	struct {
		const struct sl_doc_node *entry; /* {name, nominalQuota, ...} */
		const char *resource;
		int64_t nominal, need, lacks; /* lacks: beyond what is available; may be 0. */
	} of[SHORT_MAX];
	size_t count;
	bool lacks;
};

static void flavor_in(
	struct live *live, const struct sl_doc *doc, const struct sl_doc_node *node, struct flavor *flavor)
{
	const char *name = said_in(doc, node, "name");
	*flavor = (struct flavor){ .doc = doc, .name = name ? name : "" };
	SL_DOC_EACH (entry, doc, sl_doc_member(doc, node, "resources")) {
		const char *resource = said_in(doc, entry, "name");
		const int64_t need = resource ? amount_in(&live->need, resource) : 0;
		if (!need || flavor->count == SHORT_MAX)
			continue;
		const int64_t free_now = quota_of(live, live->queue, flavor->name, resource, "available");
		const int64_t lacks = need > free_now ? need - free_now : 0;
		const char *text = said_in(doc, entry, "nominalQuota");
		int64_t nominal = 0;
		if (text)
			(void)sl_get_amount(resource, text, strlen(text), &nominal);
		flavor->of[flavor->count].entry = entry;
		flavor->of[flavor->count].resource = resource;
		flavor->of[flavor->count].nominal = nominal;
		flavor->of[flavor->count].need = need;
		flavor->of[flavor->count++].lacks = lacks;
		flavor->lacks |= lacks > 0;
	}
}

/* Each resource that it lacks, or where it lacks none all that it needs, in sixteenths of that. */
static int64_t more_of(const struct flavor *flavor, size_t i, int64_t sixteenths)
{
	const int64_t base = flavor->lacks ? flavor->of[i].lacks : flavor->of[i].need;
	return sl_mul_div(base, sixteenths, 16) + (base * (sixteenths % 16) % 16 > 0);
}

static int try_quota(
	struct live *live, const struct flavor *flavor, int64_t sixteenths, bool *starts, struct sl_err *err)
{
	static const char *const but[] = { "nominalQuota", NULL };
	struct kube_change change[SHORT_MAX + 1] = { { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	size_t count = 0;
	for (size_t i = 0; i < flavor->count; i++) {
		const int64_t more = more_of(flavor, i, sixteenths);
		const char *to = quantity(live, flavor->of[i].resource, flavor->of[i].nominal + more);
		if (more)
			change[count++] = (struct kube_change){ flavor->of[i].entry,
				map_with(live, flavor->doc, flavor->of[i].entry, but,
					live_text(live, "\"nominalQuota\":\"%s\"", to)) };
	}
	change[count] = (struct kube_change){ NULL, NULL };
	*starts = false;
	return count ? live_try(live, &trial, false, starts, err) : SL_OK;
}

static void tell_quota(struct live *live, const struct flavor *flavor, int64_t sixteenths)
{
	const char *words = "";
	for (size_t i = 0; i < flavor->count; i++) {
		const int64_t more = more_of(flavor, i, sixteenths);
		const char *resource = flavor->of[i].resource;
		if (more)
			words = live_text(live, "%s%snominalQuota of %s from %s to %s (%s more)", words,
				*words ? ", " : "", resource, quantity(live, resource, flavor->of[i].nominal),
				quantity(live, resource, flavor->of[i].nominal + more),
				quantity(live, resource, more));
	}
	remedy_add(live, "quota",
		live_text(live, "ClusterQueue '%s', flavor '%s': %s", live->queue, flavor->name, words));
}

/* The least that lets it start: what it lacks; where others are served before it, more, to a sixteenth. */
static int quota_remedy(struct live *live, const struct flavor *flavor, struct sl_err *err)
{
	bool starts = false;
	int64_t high = 16;
	int status = try_quota(live, flavor, high, &starts, err);
	for (unsigned i = 0; !status && !starts && i < DOUBLINGS; i++)
		status = try_quota(live, flavor, high *= 2, &starts, err);
	if (status || !starts)
		return status;
	int64_t low = high > 16 ? high / 2 : flavor->lacks ? high - 1 : 0;
	while (!status && high - low > 1) {
		const int64_t middle = low + (high - low) / 2;
		status = try_quota(live, flavor, middle, &starts, err);
		*(starts ? &high : &low) = middle;
	}
	if (!status)
		tell_quota(live, flavor, high);
	return status;
}

static int borrowing_remedy(struct live *live, const struct flavor *flavor, struct sl_err *err)
{
	static const char *const but[] = { "borrowingLimit", NULL };
	struct kube_change change[SHORT_MAX + 1] = { { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	const char *words = "";
	size_t count = 0;
	bool starts = false;
	for (size_t i = 0; i < flavor->count; i++) {
		const char *limit = said_in(flavor->doc, flavor->of[i].entry, "borrowingLimit");
		const char *resource = flavor->of[i].resource;
		int64_t from = 0, enough;
		if (!limit || !flavor->of[i].lacks || !sl_get_amount(resource, limit, strlen(limit), &from) ||
			__builtin_add_overflow(from, flavor->of[i].lacks, &enough))
			continue;
		const char *to = quantity(live, resource, enough);
		change[count++] = (struct kube_change){ flavor->of[i].entry,
			map_with(live, flavor->doc, flavor->of[i].entry, but,
				live_text(live, "\"borrowingLimit\":\"%s\"", to)) };
		words = live_text(live, "%s%sborrowingLimit of %s from %s to %s", words, *words ? ", " : "",
			resource, limit, to);
	}
	change[count] = (struct kube_change){ NULL, NULL };
	const int status = count ? live_try(live, &trial, false, &starts, err) : SL_OK;
	if (!status && starts)
		remedy_add(live, "borrowing",
			live_text(live, "ClusterQueue '%s', flavor '%s': %s", live->queue, flavor->name,
				words));
	return status;
}

/* All limits of another queue of the tree on what it lends. */
static int lending_remedy(struct live *live, const struct sl_object *queue, struct sl_err *err)
{
	static const char *const but[] = { "lendingLimit", NULL };
	enum { LIMITS_MAX = 64 };
	struct kube_change change[LIMITS_MAX + 1] = { { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	const struct sl_doc *doc = queue->doc;
	size_t count = 0;
	bool starts = false;
	SL_DOC_EACH (group, doc, KUBE_AT(doc, queue->node, "spec", "resourceGroups"))
		SL_DOC_EACH (flavor, doc, sl_doc_member(doc, group, "flavors"))
			SL_DOC_EACH (entry, doc, sl_doc_member(doc, flavor, "resources")) {
				const char *resource = said_in(doc, entry, "name");
				const char *nominal = said_in(doc, entry, "nominalQuota");
				if (!said_in(doc, entry, "lendingLimit") || !resource || !nominal ||
					!amount_in(&live->need, resource) || count == LIMITS_MAX)
					continue;
				change[count++] = (struct kube_change){ entry,
					map_with(live, doc, entry, but,
						live_text(live, "\"lendingLimit\":\"%s\"", nominal)) };
			}
	change[count] = (struct kube_change){ NULL, NULL };
	const int status = count ? live_try(live, &trial, false, &starts, err) : SL_OK;
	if (!status && starts)
		remedy_add(live, "lending",
			live_text(live, "ClusterQueue '%s': no lendingLimit on its idle quota", queue->name));
	return status;
}

static int field_remedy(struct live *live, const struct sl_object *object, const char *parent,
	const char *field, const char *value, const char *words, struct sl_err *err)
{
	const char *const but[] = { field, NULL };
	const struct sl_doc *doc = object->doc;
	const struct sl_doc_node *spec = KUBE_AT(doc, object->node, "spec");
	const struct sl_doc_node *map = *parent ? sl_doc_member(doc, spec, parent) : spec;
	const char *was = said_in(doc, map, field);
	bool starts = false;
	if (!spec || (was && strcmp(was, value) == 0))
		return SL_OK;
	const char *text = map_with(live, doc, map, but, live_text(live, "\"%s\":\"%s\"", field, value));
	const char *const but_parent[] = { parent, NULL };
	if (*parent)
		text = map_with(live, doc, spec, but_parent, live_text(live, "\"%s\":%s", parent, text));
	const struct kube_change change[] = { { spec, text }, { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	const int status = live_try(live, &trial, false, &starts, err);
	if (!status && starts)
		remedy_add(live, "policy", words);
	return status;
}

static const char *queue_named(const struct live *live)
{
	static const char key[] = "kueue.x-k8s.io/queue-name";
	const struct sl_object *object = live->dump.waits;
	const char *name =
		manifest_text(object->doc, KUBE_AT(object->doc, object->node, "spec", "queueName"));
	return name ? name
		    : manifest_text(
			      object->doc, KUBE_AT(object->doc, object->node, "metadata", "labels", key));
}

static int policy_remedies(struct live *live, const struct sl_object *queue, struct sl_err *err)
{
	const char *name = queue_named(live);
	const struct sl_object *local =
		name ? kube_owners_find(&live->dump.owners, "LocalQueue", live->dump.waits->namespace, name)
		     : NULL;
	int status = field_remedy(live, queue, "", "stopPolicy", "None",
		live_text(live, "ClusterQueue '%s': stopPolicy None", queue->name), err);
	if (!status && local)
		status = field_remedy(live, local, "", "stopPolicy", "None",
			live_text(live, "LocalQueue '%s/%s': stopPolicy None", local->namespace, local->name),
			err);
	return status;
}

static int preemption_remedies(struct live *live, const struct sl_object *queue, struct sl_err *err)
{
	static const struct {
		const char *field, *value;
	} ways[] = { { "withinClusterQueue", "LowerPriority" }, { "reclaimWithinCohort", "Any" } };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(ways) && !status; i++)
		status = field_remedy(live, queue, "preemption", ways[i].field, ways[i].value,
			live_text(live, "ClusterQueue '%s': preemption.%s %s", queue->name, ways[i].field,
				ways[i].value),
			err);
	return status;
}

/* ---- Ends
 * -------------------------------------------------------------------------------------------------- */

/* Is the workload's queue of the same tree? */
static bool is_neighbour(const struct live *live, const struct sl_object *workload)
{
	const char *queue = manifest_text(
		workload->doc, KUBE_AT(workload->doc, workload->node, "status", "admission", "clusterQueue"));
	return queue && strcmp(root_of(live, queue), root_of(live, live->queue)) == 0;
}

static const char *name_of(const struct live *live, const struct sl_object *object)
{
	const struct sl_object *owner = kube_owner_of(&live->dump.owners, object);
	return owner ? live_text(live, "%s %s/%s", owner->kind, owner->namespace, owner->name)
		     : live_text(live, "%s %s/%s", object->kind, object->namespace, object->name);
}

/* As soon as one of those that run ends. */
static int end_remedies(struct live *live, struct sl_err *err)
{
	size_t tried = 0, told = 0;
	int status = SL_OK;
	for (size_t i = 0; i < live->dump.file.count && tried < ENDS_TRIED && told < ENDS_TOLD && !status;
		i++) {
		const struct sl_object *object = &live->dump.file.object[i];
		const bool kueue = live->dump.by == LIVE_KUEUE;
		bool starts = false;
		if (strcmp(object->kind, kueue ? "Workload" : "Pod") != 0 ||
			!kube_live_runs(&live->dump, object) || (kueue && !is_neighbour(live, object)))
			continue;
		const struct trial trial = { NULL, object, NULL };
		tried++;
		status = live_try(live, &trial, false, &starts, err);
		if (!status && starts) {
			told++;
			remedy_add(live, "end", live_text(live, "the end of %s", name_of(live, object)));
		}
	}
	return status;
}

static int kueue_remedies(struct live *live, struct sl_err *err)
{
	const struct sl_object *queue = live->queue ? find_object(live, "ClusterQueue", live->queue) : NULL;
	int status = SL_OK;
	if (!queue)
		return SL_OK; /* Its queue is not there: the scheduler has said so. */
	const struct sl_doc *doc = queue->doc;
	SL_DOC_EACH (group, doc, KUBE_AT(doc, queue->node, "spec", "resourceGroups"))
		SL_DOC_EACH (node, doc, sl_doc_member(doc, group, "flavors")) {
			struct flavor flavor;
			flavor_in(live, doc, node, &flavor);
			if (!status && flavor.count)
				status = quota_remedy(live, &flavor, err);
			if (!status && flavor.count)
				status = borrowing_remedy(live, &flavor, err);
		}
	for (size_t i = 0; i < live->dump.file.count && !status; i++) {
		const struct sl_object *other = &live->dump.file.object[i];
		if (strcmp(other->kind, "ClusterQueue") == 0 && other != queue &&
			strcmp(root_of(live, other->name), root_of(live, queue->name)) == 0)
			status = lending_remedy(live, other, err);
	}
	if (!status)
		status = policy_remedies(live, queue, err);
	return status ? status : preemption_remedies(live, queue, err);
}

/* ---- Nodes
 * -------------------------------------------------------------------------------------------------- */

/* Nodes are alike by what they have, their taints and labels but those of one node alone. */
static void put_shape(struct manifest_text *text, const struct sl_object *node)
{
	static const char *const but[] = { "kubernetes.io/hostname", NULL };
	const struct sl_doc *doc = node->doc;
	const struct sl_doc_node *taints = KUBE_AT(doc, node->node, "spec", "taints");
	const struct sl_doc_node *has = KUBE_AT(doc, node->node, "status", "allocatable");
	made_put_open(text, doc, KUBE_AT(doc, node->node, "metadata", "labels"), but);
	if (taints)
		kube_put_object(text, doc, taints);
	if (has)
		kube_put_object(text, doc, has);
}

/* The same node under another name, empty and ready. */
static const char *copy_of(const struct live *live, const struct sl_object *node)
{
	static const char *const but_metadata[] = { "metadata", "spec", "status", NULL };
	static const char *const but_labels[] = { "kubernetes.io/hostname", NULL };
	static const char *const but_spec[] = { "unschedulable", NULL };
	static const char *const but_status[] = { "conditions", NULL };
	const struct sl_doc *doc = node->doc;
	struct manifest_text text = { 0 };
	made_put_open(&text, doc, node->node, but_metadata);
	made_put(&text, live_text(live, "\"metadata\":{\"name\":\"%s-more\",\"labels\":", node->name));
	made_put_open(&text, doc, KUBE_AT(doc, node->node, "metadata", "labels"), but_labels);
	made_put(&text, live_text(live, "\"kubernetes.io/hostname\":\"%s-more\"}},\"spec\":", node->name));
	made_put_open(&text, doc, KUBE_AT(doc, node->node, "spec"), but_spec);
	made_put(&text, "\"unschedulable\":\"false\"},\"status\":");
	made_put_open(&text, doc, KUBE_AT(doc, node->node, "status"), but_status);
	made_put(&text, "\"phase\":\"\"}}");
	const char *copy = text.failed ? NULL : sl_strdup(live->arena, text.text, text.len);
	free(text.text);
	return copy;
}

static int more_nodes(struct live *live, struct sl_err *err)
{
	struct manifest_text shape[NODE_KINDS_TRIED] = { { NULL, 0, 0, false } };
	size_t shapes = 0;
	int status = SL_OK;
	for (size_t i = 0; i < live->dump.file.count && !status && shapes < NODE_KINDS_TRIED; i++) {
		const struct sl_object *node = &live->dump.file.object[i];
		bool starts = false;
		size_t same = 0;
		if (strcmp(node->kind, "Node") != 0)
			continue;
		put_shape(&shape[shapes], node);
		while (same < shapes && shape[shapes].text &&
			strcmp(shape[same].text, shape[shapes].text) != 0)
			same++;
		if (same < shapes || !shape[shapes].text) {
			free(shape[shapes].text);
			shape[shapes] = (struct manifest_text){ 0 };
			continue;
		}
		shapes++;
		const struct trial trial = { NULL, NULL, copy_of(live, node) };
		status = trial.more ? live_try(live, &trial, false, &starts, err) : sl_fail_memory(err);
		if (!status && starts)
			remedy_add(live, "node", live_text(live, "one more node like %s", node->name));
	}
	for (size_t i = 0; i < NODE_KINDS_TRIED; i++)
		free(shape[i].text);
	return status;
}

/* What pods on the node have of the resource. */
static int64_t taken_of(const struct live *live, const char *node, const char *resource)
{
	int64_t taken = 0;
	for (size_t i = 0; i < live->dump.file.count; i++) {
		const struct sl_object *pod = &live->dump.file.object[i];
		const char *on = manifest_text(pod->doc, KUBE_AT(pod->doc, pod->node, "spec", "nodeName"));
		struct sl_arena *arena;
		struct sl_err none = { 0 };
		struct sl_pods pods;
		if (strcmp(pod->kind, "Pod") != 0 || !on || strcmp(on, node) != 0 ||
			!kube_live_runs(&live->dump, pod) || !(arena = sl_arena_new()))
			continue;
		if (sl_pods_read(arena, pod->doc, pod->node, &pods, &none) == SL_OK && pods.count)
			taken += strcmp(resource, "pods") == 0 ? 1
							       : amount_in(&pods.podset->request, resource);
		sl_arena_free(arena);
	}
	return taken;
}

/* Free of what the pod lacks there: which, in words; "": nothing. */
static const char *room_on(const struct live *live, const struct sl_object *node, const char **members)
{
	const struct sl_doc *doc = node->doc;
	const struct sl_doc_node *has = KUBE_AT(doc, node->node, "status", "allocatable");
	const char *words = "";
	*members = "";
	for (uint32_t i = 0; i < live->pod.count; i++) {
		const char *resource = live->pod.at[i].resource;
		const char *text = said_in(doc, has, resource);
		int64_t total = 0;
		if (text)
			(void)sl_get_amount(resource, text, strlen(text), &total);
		const int64_t lacks = live->pod.at[i].amount - (total - taken_of(live, node->name, resource));
		if (lacks <= 0)
			continue;
		words = live_text(live, "%s%s%s %s", words, *words ? ", " : "",
			quantity(live, resource, lacks), resource);
		*members = live_text(live, "%s%s\"%s\":\"%s\"", *members, **members ? "," : "", resource,
			quantity(live, resource, total + lacks));
	}
	return words;
}

static int room_remedy(struct live *live, const struct sl_object *node, struct sl_err *err)
{
	const char *but[SHORT_MAX + 1] = { NULL };
	const char *members;
	const char *words = room_on(live, node, &members);
	const struct sl_doc_node *has = KUBE_AT(node->doc, node->node, "status", "allocatable");
	bool starts = false;
	for (uint32_t i = 0, count = 0; i < live->pod.count && count < SHORT_MAX; i++)
		if (strstr(members, live_text(live, "\"%s\":", live->pod.at[i].resource)))
			but[count++] = live->pod.at[i].resource;
	if (!*words || !has)
		return SL_OK;
	const struct kube_change change[] = { { has, map_with(live, node->doc, has, but, members) },
		{ NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	const int status = live_try(live, &trial, false, &starts, err);
	if (!status && starts)
		remedy_add(live, "node", live_text(live, "%s more free on node %s", words, node->name));
	return status;
}

/* Its taints but for that of being cordoned, as a list; NULL: no memory. */
static const char *taints_of(const struct live *live, const struct sl_object *node, size_t *count)
{
	const struct sl_doc *doc = node->doc;
	struct manifest_text text = { 0 };
	*count = 0;
	made_put(&text, "[");
	SL_DOC_EACH (taint, doc, KUBE_AT(doc, node->node, "spec", "taints")) {
		const char *key = said_in(doc, taint, "key");
		if (key && strcmp(key, "node.kubernetes.io/unschedulable") == 0)
			continue;
		made_put(&text, *count ? "," : "");
		kube_put_object(&text, doc, taint);
		++*count;
	}
	made_put(&text, "]");
	const char *copy = text.failed ? NULL : sl_strdup(live->arena, text.text, text.len);
	free(text.text);
	return copy;
}

/* Uncordoned, or without its taints. */
static int node_remedy(struct live *live, const struct sl_object *node, struct sl_err *err)
{
	const struct sl_doc_node *spec = KUBE_AT(node->doc, node->node, "spec");
	const struct sl_doc_node *cordon = sl_doc_member(node->doc, spec, "unschedulable");
	const struct sl_doc_node *taints = sl_doc_member(node->doc, spec, "taints");
	const char *is = manifest_text(node->doc, cordon);
	size_t others;
	const char *left = taints_of(live, node, &others);
	struct kube_change change[3] = { { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	bool starts = false;
	int status = left ? SL_OK : sl_fail_memory(err);
	if (!status && is && strcmp(is, "true") == 0) {
		change[0] = (struct kube_change){ cordon, "\"false\"" };
		change[1] = (struct kube_change){ taints, left };
		status = live_try(live, &trial, false, &starts, err);
		if (!status && starts)
			remedy_add(live, "node", live_text(live, "node %s uncordoned", node->name));
	}
	if (status || !others)
		return status;
	change[0] = (struct kube_change){ taints, "[]" };
	change[1] = (struct kube_change){ NULL, NULL };
	status = live_try(live, &trial, false, &starts, err);
	if (!status && starts)
		remedy_add(live, "node", live_text(live, "node %s without its taints", node->name));
	return status;
}

static int node_remedies(struct live *live, struct sl_err *err)
{
	size_t tried = 0;
	int status = SL_OK;
	for (size_t i = 0; i < live->dump.file.count && tried < NODES_TRIED && !status; i++) {
		const struct sl_object *node = &live->dump.file.object[i];
		if (strcmp(node->kind, "Node") != 0)
			continue;
		tried++;
		status = node_remedy(live, node, err);
		if (!status)
			status = room_remedy(live, node, err);
	}
	return status ? status : more_nodes(live, err);
}

/* ---- Queues of KAI
 * ------------------------------------------------------------------------------------------- */

/* The quota, or the limit, of a queue's resources in which the job asks: without end. */
static int queue_remedy(
	struct live *live, const struct sl_object *queue, const char *field, struct sl_err *err)
{
	static const char *const names[] = { "gpu", "cpu", "memory" };
	const char *const but[] = { field, NULL };
	const struct sl_doc *doc = queue->doc;
	struct kube_change change[SL_LEN(names) + 1] = { { NULL, NULL } };
	const struct trial trial = { change, NULL, NULL };
	size_t count = 0;
	bool starts = false;
	for (size_t i = 0; i < SL_LEN(names); i++) {
		const struct sl_doc_node *map = KUBE_AT(doc, queue->node, "spec", "resources", names[i]);
		const char *was = said_in(doc, map, field);
		if (was && strcmp(was, "-1") != 0)
			change[count++] = (struct kube_change){ map,
				map_with(live, doc, map, but, live_text(live, "\"%s\":\"-1\"", field)) };
	}
	const int status = count ? live_try(live, &trial, false, &starts, err) : SL_OK;
	if (!status && starts)
		remedy_add(live, "quota", live_text(live, "Queue '%s': no bound of %s", queue->name, field));
	return status;
}

static int runai_remedies(struct live *live, struct sl_err *err)
{
	const struct sl_object *group = live->dump.waits;
	const char *name = manifest_text(group->doc, KUBE_AT(group->doc, group->node, "spec", "queue"));
	enum { LEVELS_MAX = 8 };
	int status = SL_OK;
	for (unsigned i = 0; name && i < LEVELS_MAX && !status; i++) {
		const struct sl_object *queue = find_object(live, "Queue", name);
		if (!queue)
			break;
		status = queue_remedy(live, queue, "limit", err);
		if (!status)
			status = queue_remedy(live, queue, "quota", err);
		name = manifest_text(queue->doc, KUBE_AT(queue->doc, queue->node, "spec", "parentQueue"));
	}
	return status;
}

int live_remedies(struct live *live, struct sl_err *err)
{
	int status = SL_OK;
	if (live->dump.by == LIVE_KUEUE)
		status = kueue_remedies(live, err);
	else if (live->dump.by == LIVE_RUNAI)
		status = runai_remedies(live, err);
	if (!status && (live->dump.by != LIVE_KUEUE || live->dump.topology))
		status = node_remedies(live, err);
	return status ? status : end_remedies(live, err);
}
