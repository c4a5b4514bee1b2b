/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_config.c - KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): profiles, plugins and their
 * weights, arguments; and PriorityClasses.
 *
 * Default weights: https://kubernetes.io/docs/reference/scheduling/config/ (pkg/scheduler/apis/config/v1).
 */
#include "policies/kube/kube.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum kube_plugin plugin;
	int64_t weight; /* 0: it only filters. */
} plugins[] = {
	{ "NodeUnschedulable", KUBE_UNSCHEDULABLE, 0 },
	{ "NodeName", KUBE_NODE_NAME, 0 },
	{ "TaintToleration", KUBE_TAINTS, 3 },
	{ "NodeAffinity", KUBE_AFFINITY, 2 },
	{ "NodePorts", KUBE_PORTS, 0 },
	{ "NodeResourcesFit", KUBE_FIT, 1 },
	{ "PodTopologySpread", KUBE_SPREAD, 2 },
	{ "InterPodAffinity", KUBE_POD_AFFINITY, 2 },
	{ "DynamicResources", KUBE_DRA, 2 },
	{ "NodeResourcesBalancedAllocation", KUBE_BALANCED, 1 },
	{ "ImageLocality", KUBE_IMAGES, 1 },
	{ "PodGroupPodsCount", KUBE_GROUP_PODS, 1 },
};

/* Plugins that decide nothing here: volumes are not modelled. */
static const char *const passed_over[] = { "VolumeBinding", "VolumeRestrictions", "VolumeZone",
	"NodeVolumeLimits", "PrioritySort", "DefaultBinder", "SchedulingGates", "GangScheduling",
	"TopologyPlacementGenerator", NULL };

const char *kube_plugin_name(enum kube_plugin plugin)
{
	for (size_t i = 0; i < SL_LEN(plugins); i++)
		if (plugins[i].plugin == plugin)
			return plugins[i].name;
	return "GangScheduling";
}

void kube_profile_default(struct kube_profile *profile)
{
	*profile = (struct kube_profile){ .name = "default-scheduler",
		.preempts = true,
		.hard_affinity = 1,
		.placement_strategy = KUBE_MOST,
		.scored = { { "cpu", 1 }, { "memory", 1 } },
		.balanced = { { "cpu", 1 }, { "memory", 1 } },
		.scored_as = { KUBE_RES_CPU, KUBE_RES_MEM },
		.balanced_as = { KUBE_RES_CPU, KUBE_RES_MEM },
		.scored_count = 2,
		.balanced_count = 2 };
	for (size_t i = 0; i < SL_LEN(plugins); i++) {
		profile->weight[plugins[i].plugin] = plugins[i].weight;
		profile->filters[plugins[i].plugin] = true;
	}
}

/* ---- Plugins --------------------------------------------------------------------------------- */

enum point { AT_ALL, AT_SCORE, AT_FILTER, AT_OTHER };

static void set_plugin(struct kube_profile *profile, size_t at, enum point point, bool on, int64_t weight)
{
	const enum kube_plugin plugin = plugins[at].plugin;
	if (point == AT_ALL || point == AT_FILTER)
		profile->filters[plugin] = on;
	if ((point == AT_ALL || point == AT_SCORE) && plugins[at].weight)
		profile->weight[plugin] = !on ? 0 : weight ? weight : plugins[at].weight;
}

static int set_named(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *entry, enum point point, bool on, struct sl_err *err)
{
	const char *name = kube_text(object->doc, entry, "name");
	const struct sl_place place = sl_doc_place(object->doc, entry);
	int64_t weight = 0;
	int status = kube_int(object->doc, entry, "weight", &weight, err);
	if (status)
		return status;
	if (!name || weight < 0 || weight > 1000000)
		return sl_fail_at(err, &place, "a plugin has a 'name', and a 'weight' of up to a million");
	const bool all = strcmp(name, "*") == 0;
	if (all || strcmp(name, "DefaultPreemption") == 0)
		profile->preempts = on;
	if (strcmp(name, "DefaultPreemption") == 0)
		return SL_OK;
	bool found = all;
	for (size_t i = 0; i < SL_LEN(plugins); i++) {
		if (!all && strcmp(plugins[i].name, name) != 0)
			continue;
		set_plugin(profile, i, point, on, weight);
		found = true;
	}
	for (size_t i = 0; !found && passed_over[i]; i++)
		found = strcmp(passed_over[i], name) == 0;
	return found ? SL_OK : sl_fail_at(err, &place, "plugin '%s' is none of kube-scheduler's", name);
}

static int take_point(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *map, enum point point, struct sl_err *err)
{
	static const char *const lists[] = { "disabled", "enabled" };
	int status = SL_OK;
	for (size_t on = 0; on < 2; on++) {
		const struct sl_doc_node *list = sl_doc_at(object->doc, map, lists[on]);
		if (!list || list->kind != SL_DOC_LIST)
			continue;
		for (const struct sl_doc_node *at = sl_doc_child(object->doc, list); at && !status;
			at = sl_doc_next(object->doc, at))
			status = set_named(profile, object, at, point, on == 1, err);
	}
	return status;
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static int take_resources(const struct sl_object *object, const struct sl_doc_node *list, void *to,
	uint32_t *count, struct sl_err *err)
{
	struct {
		const char *resource;
		int64_t weight;
	} *out = to;
	if (!list || list->kind != SL_DOC_LIST)
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, list);
	if (list->count > KUBE_SCORED_MAX)
		return sl_fail_at(err, &place, "at most %d resources are scored", KUBE_SCORED_MAX);
	*count = 0;
	SL_DOC_EACH (at, object->doc, list) {
		int64_t weight = 1;
		int status = kube_int(object->doc, at, "weight", &weight, err);
		if (status)
			return status;
		out[*count].resource = kube_text(object->doc, at, "name");
		out[*count].weight = weight;
		if (!out[*count].resource || weight < 1 || weight > 100)
			return sl_fail_at(err, &place, "a resource has a 'name' and a 'weight' of 1 to 100");
		++*count;
	}
	return SL_OK;
}

static int take_shape(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *list, struct sl_err *err)
{
	int64_t before = -1;
	if (!list || list->kind != SL_DOC_LIST)
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, list);
	if (list->count > KUBE_SHAPE_MAX)
		return sl_fail_at(err, &place, "a shape has at most %d points", KUBE_SHAPE_MAX);
	SL_DOC_EACH (at, object->doc, list) {
		int64_t utilization = -1, score = -1;
		int status = kube_int(object->doc, at, "utilization", &utilization, err);
		if (!status)
			status = kube_int(object->doc, at, "score", &score, err);
		if (status)
			return status;
		if (utilization <= before || utilization > 100 || score < 0 || score > 10)
			return sl_fail_at(err, &place,
				"a shape's points have a 'utilization' of 0 to 100, ascending, and a 'score' of 0 to 10");
		before = utilization;
		profile->shape[profile->shape_count].utilization = utilization;
		profile->shape[profile->shape_count++].score = score;
	}
	return SL_OK;
}

static int take_type(const struct sl_object *object, const struct sl_doc_node *strategy,
	enum kube_strategy *type, struct sl_err *err)
{
	static const char *const names[] = { [KUBE_LEAST] = "LeastAllocated",
		[KUBE_MOST] = "MostAllocated",
		[KUBE_RATIO] = "RequestedToCapacityRatio" };
	const char *text = kube_text(object->doc, strategy, "type");
	const struct sl_place place = sl_doc_place(object->doc, strategy);
	size_t at = 0;
	while (text && at < SL_LEN(names) && strcmp(names[at], text) != 0)
		at++;
	if (at == SL_LEN(names))
		return sl_fail_at(err, &place,
			"a scoringStrategy is LeastAllocated, MostAllocated or RequestedToCapacityRatio, not '%s'",
			text);
	if (text)
		*type = (enum kube_strategy)at;
	return SL_OK;
}

/* That of placements; its shape is that of nodes. */
static int take_placement(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *strategy, struct sl_err *err)
{
	if (!strategy)
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, strategy);
	int status = take_type(object, strategy, &profile->placement_strategy, err);
	if (!status)
		status = take_resources(object, sl_doc_at(object->doc, strategy, "resources"),
			profile->placed, &profile->placed_count, err);
	if (!status && profile->placement_strategy == KUBE_RATIO)
		status = sl_fail_at(err, &place,
			"a placementScoringStrategy of RequestedToCapacityRatio is not modelled: take MostAllocated or "
			"LeastAllocated");
	return status;
}

static int take_fit(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *strategy, struct sl_err *err)
{
	if (!strategy)
		return SL_OK;
	const struct sl_place place = sl_doc_place(object->doc, strategy);
	profile->strategy = KUBE_LEAST;
	int status = take_type(object, strategy, &profile->strategy, err);
	if (!status)
		status = take_resources(object, sl_doc_at(object->doc, strategy, "resources"),
			profile->scored, &profile->scored_count, err);
	if (!status)
		status = take_shape(profile, object,
			sl_doc_at(object->doc, strategy, "requestedToCapacityRatio.shape"), err);
	if (!status && profile->strategy == KUBE_RATIO && !profile->shape_count)
		status = sl_fail_at(
			err, &place, "RequestedToCapacityRatio needs requestedToCapacityRatio.shape");
	return status;
}

static bool says_at(
	const struct sl_object *object, const struct sl_doc_node *map, const char *path, const char *word)
{
	const char *text = kube_text(object->doc, map, path);
	return text && strcmp(text, word) == 0;
}

static int take_arguments(struct kube_profile *profile, const struct sl_object *object,
	const struct sl_doc_node *list, struct sl_err *err)
{
	int status = SL_OK;
	if (!list || list->kind != SL_DOC_LIST)
		return SL_OK;
	for (const struct sl_doc_node *at = sl_doc_child(object->doc, list); at && !status;
		at = sl_doc_next(object->doc, at)) {
		const char *name = kube_text(object->doc, at, "name");
		const struct sl_doc_node *args = sl_doc_at(object->doc, at, "args");
		if (!name || !args)
			continue;
		if (strcmp(name, "NodeResourcesFit") == 0)
			status = take_fit(
				profile, object, sl_doc_at(object->doc, args, "scoringStrategy"), err);
		if (!status && strcmp(name, "NodeResourcesFit") == 0)
			status = take_placement(profile, object,
				sl_doc_at(object->doc, args, "placementScoringStrategy"), err);
		else if (strcmp(name, "NodeResourcesBalancedAllocation") == 0)
			status = take_resources(object, sl_doc_at(object->doc, args, "resources"),
				profile->balanced, &profile->balanced_count, err);
		else if (strcmp(name, "InterPodAffinity") == 0)
			status = kube_int(
				object->doc, args, "hardPodAffinityWeight", &profile->hard_affinity, err);
		if (strcmp(name, "InterPodAffinity") == 0)
			profile->own_wishes =
				says_at(object, args, "ignorePreferredTermsOfExistingPods", "true");
	}
	return status;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

static int take_profile(struct kube *k, const struct sl_object *object, const struct sl_doc_node *map,
	int64_t percentage, struct sl_err *err)
{
	static const struct {
		const char *path;
		enum point point;
	} points[] = { { "plugins.multiPoint", AT_ALL }, { "plugins.filter", AT_FILTER },
		{ "plugins.score", AT_SCORE }, { "plugins.postFilter", AT_OTHER } };
	const struct sl_place place = sl_doc_place(object->doc, map);
	if (k->profiles == KUBE_PROFILES_MAX)
		return sl_fail_at(err, &place, "there are more than %d profiles", KUBE_PROFILES_MAX);
	struct kube_profile *profile = &k->profile[k->profiles++];
	kube_profile_default(profile);
	profile->percentage = percentage;
	const char *name = kube_text(object->doc, map, "schedulerName");
	if (name)
		profile->name = name;
	int status = kube_int(object->doc, map, "percentageOfNodesToScore", &profile->percentage, err);
	if (!status && (profile->percentage < 0 || profile->percentage > 100))
		status = sl_fail_at(err, &place, "percentageOfNodesToScore is 0 to 100");
	for (size_t i = 0; i < SL_LEN(points) && !status; i++)
		status = take_point(
			profile, object, sl_doc_at(object->doc, map, points[i].path), points[i].point, err);
	if (!status)
		status = take_arguments(profile, object, sl_doc_at(object->doc, map, "pluginConfig"), err);
	return status;
}

int kube_configure(struct kube *k, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < k->cluster->object_count && !status; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		int64_t percentage = 0;
		if (strcmp(object->kind, "KubeSchedulerConfiguration") != 0)
			continue;
		status = kube_int(object->doc, object->node, "percentageOfNodesToScore", &percentage, err);
		const struct sl_doc_node *list = sl_doc_at(object->doc, object->node, "profiles");
		if (!list || list->kind != SL_DOC_LIST)
			continue;
		for (const struct sl_doc_node *at = sl_doc_child(object->doc, list); at && !status;
			at = sl_doc_next(object->doc, at))
			status = take_profile(k, object, at, percentage, err);
	}
	if (!k->profiles)
		kube_profile_default(&k->profile[k->profiles++]);
	kube_number_scored(k);
	return status;
}

/* Classes that every cluster has. */
static const struct {
	const char *name;
	int64_t value;
} system_classes[] = { { "system-cluster-critical", 2000000000 }, { "system-node-critical", 2000001000 } };

/* The class of that name; of NULL, that of everybody (globalDefault). */
static const struct sl_object *class_of(const struct kube *k, const char *name)
{
	for (uint32_t i = 0; i < k->cluster->object_count; i++) {
		const struct sl_object *object = &k->cluster->object[i];
		if (strcmp(object->kind, "PriorityClass") == 0 &&
			(name ? strcmp(object->name, name) == 0
			      : says_at(object, object->node, "globalDefault", "true")))
			return object;
	}
	return NULL;
}

/* Of the pod itself, else of its class, else of its job, else of the class with globalDefault; else 0. */
void kube_take_priority(
	const struct kube *k, const struct sl_podset *podset, int64_t of_job, struct kube_spec *spec)
{
	const char *name = podset->priority_class;
	const struct sl_object *class = name || of_job == SL_NONE || !of_job ? class_of(k, name) : NULL;
	const char *text = class ? kube_text(class->doc, class->node, "value") : NULL;
	spec->priority = of_job == SL_NONE ? 0 : of_job;
	spec->never_preempts =
		podset->never_preempts || (class && says_at(class, class->node, "preemptionPolicy", "Never"));
	for (size_t i = 0; name && i < SL_LEN(system_classes); i++)
		if (strcmp(system_classes[i].name, name) == 0)
			spec->priority = system_classes[i].value;
	if (text)
		(void)sl_get_i64(text, strlen(text), &spec->priority);
	if (podset->priority != SL_NONE)
		spec->priority = podset->priority;
}
