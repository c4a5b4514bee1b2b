/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read_config.c - the controller's Configuration (config.kueue.x-k8s.io, v1beta1 and v1beta2).
 *
 * Where it says nothing, waitForPodsReady is as Kueue v0.20 has it: on, 30 minutes. Of v1beta1 it is on where
 * it is enabled, with 5 minutes.
 */
#include "policies/kueue/rules/kq_read.h"

#include <string.h>

static void read_gates(struct kq *kq, struct kq_at at)
{
	for (struct kq_at gate = kq_doc_first(at); gate.node; gate = kq_doc_next(gate)) {
		const enum kq_gate row = kq_gate_find(kq_doc_key(gate));
		bool known = true;
		const char *near = row < KQ_GATE_COUNT ? NULL : kq_gate_near(kq_doc_key(gate), &known);
		if (row < KQ_GATE_COUNT) /* Others change nothing that is decided here. */
			kq->config.gate[row] = kq_doc_bool(gate, kq->config.gate[row]);
		else if (!known)
			(void)kq_doc_fail(gate, "'%.60s' is no feature gate of Kueue: %s%.60s%s",
				kq_doc_key(gate), near ? "did you mean '" : "leave it out", near ? near : "",
				near ? "'?" : "");
	}
}

static void read_fair(struct kq *kq, struct kq_at at, bool older)
{
	static const char *const words[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare", NULL };
	if (kq_doc_is_null(at))
		return;
	kq->config.fair_sharing = kq_doc_bool(kq_doc_get(at, "enable"), !older);
	const struct kq_at list = kq_doc_get(at, "preemptionStrategies");
	uint32_t count = 0;
	for (struct kq_at one = kq_doc_first(list); one.node; one = kq_doc_next(one)) {
		const enum kq_fair_strategy word = (enum kq_fair_strategy)kq_doc_word(one, words, 0);
		if (count == 2 || (count && (word == kq->config.fair[0] || word == KQ_LESS_OR_EQUAL_FINAL)))
			(void)kq_doc_fail(
				one, "either strategy alone, or %s and %s in this order", words[0], words[1]);
		else
			kq->config.fair[count++] = word;
	}
	if (count)
		kq->config.fair_count = count;
}

static void read_afs(struct kq *kq, struct kq_at at)
{
	struct kq_config *config = &kq->config;
	if (kq_doc_is_null(at))
		return;
	config->afs = true;
	config->afs_half_life = kq_doc_duration(kq_doc_get(at, "usageHalfLifeTime"), 0);
	config->afs_interval = kq_doc_duration(kq_doc_get(at, "usageSamplingInterval"), config->afs_interval);
	const struct sl_labels weights = kq_doc_labels(kq_doc_get(at, "resourceWeights"));
	config->afs_weight = weights.at;
	config->afs_weight_count = weights.count;
	if (config->afs_interval <= 0)
		(void)kq_doc_fail(at, "usageSamplingInterval is not positive: write one as 5m");
}

static void read_requeuing(struct kq *kq, struct kq_at at)
{
	static const char *const words[] = { "Eviction", "Creation", NULL };
	struct kq_config *config = &kq->config;
	config->by_creation = kq_doc_word(kq_doc_get(at, "timestamp"), words, 0) == 1;
	config->backoff_limit = kq_doc_int(kq_doc_get(at, "backoffLimitCount"), -1, 0, INT32_MAX);
	config->backoff_base = kq_doc_int(kq_doc_get(at, "backoffBaseSeconds"), 60, 0, INT32_MAX) * SL_SECOND;
	config->backoff_max = kq_doc_int(kq_doc_get(at, "backoffMaxSeconds"), 3600, 0, INT32_MAX) * SL_SECOND;
}

static void read_ready(struct kq *kq, struct kq_at at, bool older)
{
	static const char *const words[] = { "Disabled", "Enabled", "false", "true", NULL };
	struct kq_config *config = &kq->config;
	const sl_time timeout = older ? 300 * SL_SECOND : config->ready_timeout;
	config->wait_ready = kq_doc_bool(kq_doc_get(at, "enable"), !older);
	if (!config->wait_ready || kq_doc_is_null(at))
		return;
	config->ready_timeout = kq_doc_duration(kq_doc_get(at, "timeout"), timeout);
	const sl_time recovery = older ? SL_NONE : config->ready_timeout;
	config->recovery_timeout = kq_doc_duration(kq_doc_get(at, "recoveryTimeout"), recovery);
	config->block_admission = kq_doc_word(kq_doc_get(at, "blockAdmission"), words, older) % 2 == 1;
	read_requeuing(kq, kq_doc_get(at, "requeuingStrategy"));
}

static void read_transform(struct kq *kq, struct kq_at at, struct kq_transform *transform)
{
	static const char *const words[] = { "Retain", "Replace", NULL };
	const struct kq_at outputs = kq_doc_get(at, "outputs");
	struct kq_output *output = kq_room(kq, kq_doc_count(outputs), sizeof(*output));
	const char *by = kq_doc_text(kq_doc_get(at, "multiplyBy"));
	transform->input = kq_resource(kq, kq_doc_name(at, "input"));
	transform->replace = kq_doc_word(kq_doc_get(at, "strategy"), words, 0) == 1;
	transform->multiply = by ? kq_resource(kq, by) : KQ_NO;
	transform->output = output;
	for (struct kq_at one = kq_doc_first(outputs); one.node && output; one = kq_doc_next(one)) {
		output[transform->count].resource = kq_resource(kq, kq_doc_key(one));
		output[transform->count++].factor = kq_doc_amount(one, "cpu", 0); /* In thousandths. */
	}
}

static void read_mappings(struct kq_read *read, struct kq_at list)
{
	struct kq *kq = read->kq;
	read->mapping = kq_room(kq, kq_doc_count(list), sizeof(*read->mapping));
	read->mapping_count = 0;
	for (struct kq_at one = kq_doc_first(list); one.node && read->mapping; one = kq_doc_next(one)) {
		const struct kq_at names = kq_doc_get(one, "deviceClassNames");
		struct kq_mapping *mapping = &read->mapping[read->mapping_count++];
		mapping->resource = kq_resource(kq, kq_doc_name(one, "name"));
		mapping->class = kq_room(kq, kq_doc_count(names), sizeof(*mapping->class));
		for (struct kq_at name = kq_doc_first(names); name.node && mapping->class;
			name = kq_doc_next(name)) {
			const char *text = kq_doc_text(name);
			mapping->class[mapping->count++] = text ? text : "";
		}
	}
}

static void read_resources(struct kq_read *read, struct kq_at at)
{
	static const char *const words[] = { "BlockUndeclared", "IgnoreUndeclared", NULL };
	struct kq *kq = read->kq;
	struct kq_transforms *transforms = &read->transforms;
	const struct kq_at prefixes = kq_doc_get(at, "excludeResourcePrefixes");
	const struct kq_at list = kq_doc_get(at, "transformations");
	const char **exclude = kq_room(kq, kq_doc_count(prefixes), sizeof(*exclude));
	struct kq_transform *transform = kq_room(kq, kq_doc_count(list), sizeof(*transform));
	for (struct kq_at one = kq_doc_first(prefixes); one.node && exclude; one = kq_doc_next(one)) {
		const char *prefix = kq_doc_text(one);
		exclude[transforms->exclude_count++] = prefix ? prefix : "";
	}
	for (struct kq_at one = kq_doc_first(list); one.node && transform; one = kq_doc_next(one))
		read_transform(kq, one, &transform[transforms->count++]);
	read_mappings(read, kq_doc_get(at, "deviceClassMappings"));
	transforms->exclude = exclude;
	transforms->at = transform;
	read->ignore_undeclared = kq_doc_word(kq_doc_get(at, "quotaCheckStrategy"), words, 0) == 1;
}

void kq_read_config(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct kq_at at = kq_doc_of(kq, object);
	const bool older = strstr(object->version, "/v1beta1") != NULL;
	read_gates(kq, kq_doc_get(at, "featureGates"));
	read_fair(kq, kq_doc_get(at, "fairSharing"), older);
	read_afs(kq, kq_doc_get(at, "admissionFairSharing"));
	read_ready(kq, kq_doc_get(at, "waitForPodsReady"), older);
	read_resources(read, kq_doc_get(at, "resources"));
}
