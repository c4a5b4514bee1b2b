/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields_elastic.c - fields of objects that say which nodes come and go, and what becomes of each.
 *
 * https://karpenter.sh/docs/concepts/nodepools/; NodeGroup, InstanceTypes and AutoscalerFlags are ours, see
 * schedlab-elastic(7).
 */
#include "traces/kube/kube_fields.h"

static const struct kube_field node_pool[] = {
	{ "spec.template.metadata.labels.*", SL_MODELLED, NULL },
	{ "spec.template.metadata.annotations.*", SL_MODELLED, NULL },
	{ "spec.template.spec.requirements.minValues", SL_IGNORED,
		"the cheapest instance type is taken, however many there are" },
	{ "spec.template.spec.requirements.*", SL_MODELLED, NULL },
	{ "spec.template.spec.taints.*", SL_MODELLED, NULL },
	{ "spec.template.spec.startupTaints.*", SL_IGNORED, "they are gone once the node is there" },
	{ "spec.template.spec.expireAfter", SL_MODELLED, NULL },
	{ "spec.template.spec.terminationGracePeriod", SL_MODELLED, NULL },
	{ "spec.template.spec.nodeClassRef.*", SL_IGNORED,
		"a NodeClass is its provider's: images and networks do not move a start" },
	{ "spec.limits.*", SL_MODELLED, NULL },
	{ "spec.weight", SL_MODELLED, NULL },
	{ "spec.disruption.consolidationPolicy", SL_MODELLED, NULL },
	{ "spec.disruption.consolidateAfter", SL_MODELLED, NULL },
	{ "spec.disruption.budgets.*", SL_MODELLED, NULL },
	{ "status.*", SL_IGNORED, "status is of the controller: what is decided here is decided anew" },
};

static const struct kube_field instance_types[] = {
	{ "spec.currency", SL_MODELLED, NULL },
	{ "spec.provisioning", SL_MODELLED, NULL },
	{ "spec.nodes", SL_MODELLED, NULL },
	{ "spec.releases", SL_MODELLED, NULL },
	{ "spec.types.name", SL_MODELLED, NULL },
	{ "spec.types.labels.*", SL_MODELLED, NULL },
	{ "spec.types.allocatable.*", SL_MODELLED, NULL },
	{ "spec.types.capacity.*", SL_MODELLED, NULL },
	{ "spec.types.offerings.*", SL_MODELLED, NULL },
};

static const struct kube_field node_group[] = {
	{ "spec.nodes", SL_MODELLED, NULL },
	{ "spec.template.*", SL_MODELLED, NULL },
	{ "spec.min", SL_MODELLED, NULL },
	{ "spec.max", SL_MODELLED, NULL },
	{ "spec.size", SL_MODELLED, NULL },
	{ "spec.available", SL_MODELLED, NULL },
	{ "spec.price", SL_MODELLED, NULL },
	{ "spec.currency", SL_MODELLED, NULL },
	{ "spec.priority", SL_MODELLED, NULL },
	{ "spec.provisioning", SL_MODELLED, NULL },
	{ "spec.scaleDownAfter", SL_MODELLED, NULL },
	{ "spec.scaleDownUtilizationThreshold", SL_MODELLED, NULL },
};

static const struct kube_field flags[] = {
	{ "spec.flags", SL_MODELLED, NULL },
};

const struct kube_kind kube_elastic_kinds[] = {
	{ "NodePool", "karpenter.sh", node_pool, SL_LEN(node_pool) },
	{ "InstanceTypes", "schedlab", instance_types, SL_LEN(instance_types) },
	{ "NodeGroup", "schedlab", node_group, SL_LEN(node_group) },
	{ "AutoscalerFlags", "schedlab", flags, SL_LEN(flags) },
};
const size_t kube_elastic_count = SL_LEN(kube_elastic_kinds);
