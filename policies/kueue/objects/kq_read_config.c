/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_read_config.c - the controller's Configuration (config.kueue.x-k8s.io, v1beta1 and v1beta2).
 *
 * Where it says nothing, waitForPodsReady is as Kueue v0.20 has it: on, 30 minutes. Of v1beta1 it is on where
 * it is enabled, with 5 minutes.
 */
#include "policies/kueue/objects/kq_read.h"

#include <string.h>

static void read_gate(struct kq *kq, struct sl_at gate)
{
	const char *name = sl_at_key(gate);
	const enum kq_gate row = kq_gate_find(name);
	if (row < KQ_GATE_COUNT) {
		kq->config.gate[row] = sl_at_bool(gate, kq->config.gate[row]);
		return;
	}
	bool known;
	const char *similar = kq_gate_similar(name, &known);
	const bool on = sl_at_bool(gate, false);
	const char *refused = kq_gate_refused(name, on);
	if (!known)
		(void)sl_at_fail(gate, "'%.60s' is no feature gate of Kueue: %s%.60s%s", name,
			similar ? "did you mean '" : "leave it out", similar ? similar : "",
			similar ? "'?" : "");
	else if (refused)
		(void)sl_at_fail(gate, "%.60s: %s is not followed, as %s: leave it out", name,
			on ? "true" : "false", refused);
}

static void read_gates(struct kq *kq, struct sl_at at)
{
	SL_AT_EACH (gate, at)
		read_gate(kq, gate);
}

static void read_fair(struct kq *kq, struct sl_at at, bool older)
{
	static const char *const words[] = { "LessThanOrEqualToFinalShare", "LessThanInitialShare", NULL };
	if (sl_at_is_null(at))
		return;
	kq->config.fair_sharing = sl_at_bool(sl_at_get(at, "enable"), !older);
	const struct sl_at list = sl_at_get(at, "preemptionStrategies");
	uint32_t count = 0;
	SL_AT_EACH (one, list) {
		const enum kq_fair_strategy word = (enum kq_fair_strategy)sl_at_word(one, words, 0);
		if (count == 2 || (count && (word == kq->config.fair[0] || word == KQ_LESS_OR_EQUAL_FINAL)))
			(void)sl_at_fail(
				one, "either strategy alone, or %s and %s in this order", words[0], words[1]);
		else
			kq->config.fair[count++] = word;
	}
	if (count)
		kq->config.fair_count = count;
}

static void read_afs(struct kq *kq, struct sl_at at)
{
	struct kq_config *config = &kq->config;
	if (sl_at_is_null(at))
		return;
	config->afs = true;
	config->afs_half_life = kq_doc_duration(sl_at_get(at, "usageHalfLifeTime"), 0);
	config->afs_interval = kq_doc_duration(sl_at_get(at, "usageSamplingInterval"), config->afs_interval);
	const struct sl_labels weights = kq_doc_labels(sl_at_get(at, "resourceWeights"));
	config->afs_weight = weights.at;
	config->afs_weight_count = weights.count;
	if (config->afs_interval <= 0)
		(void)sl_at_fail(at, "usageSamplingInterval is not positive: write one as 5m");
}

static void read_requeuing(struct kq *kq, struct sl_at at)
{
	static const char *const words[] = { "Eviction", "Creation", NULL };
	struct kq_config *config = &kq->config;
	config->by_creation = sl_at_word(sl_at_get(at, "timestamp"), words, 0) == 1;
	config->backoff_limit = sl_at_int(sl_at_get(at, "backoffLimitCount"), -1, 0, INT32_MAX);
	config->backoff_base = sl_at_int(sl_at_get(at, "backoffBaseSeconds"), 60, 0, INT32_MAX) * SL_SECOND;
	config->backoff_max = sl_at_int(sl_at_get(at, "backoffMaxSeconds"), 3600, 0, INT32_MAX) * SL_SECOND;
}

static void read_ready(struct kq *kq, struct sl_at at, bool older)
{
	static const char *const words[] = { "Disabled", "Enabled", "false", "true", NULL };
	struct kq_config *config = &kq->config;
	const sl_time timeout = older ? 300 * SL_SECOND : config->ready_timeout;
	config->wait_ready =
		sl_at_bool(sl_at_get(at, "enable"), !older) && !config->gate[KQ_GATE_DisableWaitForPodsReady];
	if (!config->wait_ready || sl_at_is_null(at))
		return;
	config->ready_timeout = kq_doc_duration(sl_at_get(at, "timeout"), timeout);
	const sl_time recovery = older ? SL_NONE : config->ready_timeout;
	config->recovery_timeout = kq_doc_duration(sl_at_get(at, "recoveryTimeout"), recovery);
	config->block_admission = sl_at_word(sl_at_get(at, "blockAdmission"), words, older) % 2 == 1;
	read_requeuing(kq, sl_at_get(at, "requeuingStrategy"));
}

static void read_transform(struct kq *kq, struct sl_at at, struct kq_transform *transform)
{
	static const char *const words[] = { "Retain", "Replace", NULL };
	const struct sl_at outputs = sl_at_get(at, "outputs");
	struct kq_output *output = kq_alloc(kq, sl_at_count(outputs), sizeof(*output));
	const char *cause = kq_doc_text(sl_at_get(at, "multiplyBy"));
	transform->input = kq_resource(kq, kq_doc_name(at, "input"));
	transform->replace = sl_at_word(sl_at_get(at, "strategy"), words, 0) == 1;
	transform->multiply = cause ? kq_resource(kq, cause) : KQ_NO;
	transform->output = output;
	for (struct sl_at one = sl_at_first(outputs); one.node && output; one = sl_at_next(one)) {
		output[transform->count].resource = kq_resource(kq, sl_at_key(one));
		if (output[transform->count].resource == KQ_PODS &&
			kq->config.gate[KQ_GATE_ReservedResourceNameValidation])
			(void)sl_at_fail(one,
				"pods is counted by itself: give what is made of %s another name",
				kq->resource[transform->input]);
		output[transform->count++].factor = kq_doc_amount(one, "cpu", 0); /* In thousandths. */
	}
}

static void read_resources(struct kq_read *read, struct sl_at at)
{
	static const char *const words[] = { "BlockUndeclared", "IgnoreUndeclared", NULL };
	struct kq *kq = read->kq;
	struct kq_transforms *transforms = &read->transforms;
	const struct sl_at prefixes = sl_at_get(at, "excludeResourcePrefixes");
	const struct sl_at list = sl_at_get(at, "transformations");
	const char **exclude = kq_alloc(kq, sl_at_count(prefixes), sizeof(*exclude));
	struct kq_transform *transform = kq_alloc(kq, sl_at_count(list), sizeof(*transform));
	for (struct sl_at one = sl_at_first(prefixes); one.node && exclude; one = sl_at_next(one)) {
		const char *prefix = kq_doc_text(one);
		exclude[transforms->exclude_count++] = prefix ? prefix : "";
	}
	for (struct sl_at one = sl_at_first(list); one.node && transform; one = sl_at_next(one))
		read_transform(kq, one, &transform[transforms->count++]);
	kq_read_mappings(read, sl_at_get(at, "deviceClassMappings"));
	transforms->exclude = exclude;
	transforms->at = transform;
	read->ignore_undeclared = sl_at_word(sl_at_get(at, "quotaCheckStrategy"), words, 0) == 1 &&
				  kq->config.gate[KQ_GATE_QuotaCheckStrategy];
}

/* validateMultiKueue of pkg/config: a step is the incremental dispatcher's, and at least 1. */
static void read_multi(struct kq *kq, struct sl_at at)
{
	static const char *const words[] = { "kueue.x-k8s.io/multikueue-dispatcher-all-at-once",
		"kueue.x-k8s.io/multikueue-dispatcher-incremental", NULL };
	struct kq_config *config = &kq->config;
	const struct sl_at of = sl_at_get(at, "incrementalDispatcherConfig");
	config->dispatch =
		(enum kq_dispatch)sl_at_word(sl_at_get(at, "dispatcherName"), words, KQ_ALL_AT_ONCE);
	config->worker_lost = kq_doc_duration(sl_at_get(at, "workerLostTimeout"), config->worker_lost);
	if (!sl_at_is_null(of) && config->dispatch != KQ_INCREMENTAL)
		(void)sl_at_fail(
			of, "a step is of the incremental dispatcher: 'dispatcherName: %s'", words[1]);
	const int64_t step = sl_at_int(sl_at_get(of, "stepSize"), config->dispatch_step, 1, INT32_MAX);
	if (config->gate[KQ_GATE_MultiKueueIncrementalDispatcherConfig])
		config->dispatch_step = (uint32_t)step;
}

void kq_read_config(struct kq_read *read, const struct sl_object *object)
{
	struct kq *kq = read->kq;
	const struct sl_at at = kq_doc_of(kq, object);
	const bool older = strstr(object->version, "/v1beta1") != NULL;
	read_gates(kq, sl_at_get(at, "featureGates"));
	read_fair(kq, sl_at_get(at, "fairSharing"), older);
	read_afs(kq, sl_at_get(at, "admissionFairSharing"));
	read_ready(kq, sl_at_get(at, "waitForPodsReady"), older);
	read_resources(read, sl_at_get(at, "resources"));
	read_multi(kq, sl_at_get(at, "multiKueue"));
}
