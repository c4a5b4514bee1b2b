/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_feature_gates.c - feature gates of kube-scheduler, with their defaults of 1.36
 * (pkg/features/kube_features.go).
 *
 * Some that never decide here are taken as they are; of others only the default is followed, and anything
 * else is refused, as is what is no gate of the scheduler's.
 */
#include "policies/kube/kube.h"

#include <string.h>

enum { NO_MATTER = KUBE_GATES, AS_BY_DEFAULT };

static const struct {
	const char *name;
	bool on;
	int gate; /* enum kube_gate, or one of those above. */
} gates[] = {
	{ "GenericWorkload", false, KUBE_GATE_WORKLOAD },
	{ "GangScheduling", false, KUBE_GATE_GANG },
	{ "TopologyAwareWorkloadScheduling", false, KUBE_GATE_TOPOLOGY },
	{ "WorkloadAwarePreemption", false, KUBE_GATE_WORKLOAD_PREEMPTION },
	{ "OpportunisticBatching", true, KUBE_GATE_BATCHING },
	/* Victims are gone at once, and calls of the API take no time. */
	{ "SchedulerAsyncPreemption", true, NO_MATTER },
	{ "SchedulerAsyncAPICalls", true, NO_MATTER },
	{ "DRASchedulerFilterTimeout", true, NO_MATTER },
	{ "DRAResourceClaimDeviceStatus", true, NO_MATTER },
	/* The policy's parameter `backoff` says this. */
	{ "SchedulerPopFromBackoffQ", true, AS_BY_DEFAULT },
	{ "DRAAdminAccess", true, AS_BY_DEFAULT },
	{ "DRAConsumableCapacity", true, AS_BY_DEFAULT },
	{ "DRADeviceBindingConditions", true, AS_BY_DEFAULT },
	{ "DRADeviceTaints", true, AS_BY_DEFAULT },
	{ "DRAExtendedResource", true, AS_BY_DEFAULT },
	{ "DRAPartitionableDevices", true, AS_BY_DEFAULT },
	{ "DRAPrioritizedList", true, AS_BY_DEFAULT },
	{ "DRAWorkloadResourceClaims", false, AS_BY_DEFAULT },
	{ "PodLevelResources", true, AS_BY_DEFAULT },
	{ "NodeDeclaredFeatures", true, AS_BY_DEFAULT },
};

static int refuse(const char *name, struct sl_err *err)
{
	const char *known[SL_LEN(gates) + 1] = { NULL };
	for (size_t i = 0; i < SL_LEN(gates); i++)
		known[i] = gates[i].name;
	const char *similar = sl_nearest(name, known);
	return sl_fail(err, SL_USAGE, "kube:gates: '%.60s' is no feature gate that is known here%s%s%s", name,
		similar ? ": is it '" : "", similar ? similar : "", similar ? "'?" : "");
}

static int set_gate(const char *name, bool on, bool gate[KUBE_GATES], struct sl_err *err)
{
	size_t i = 0;
	while (i < SL_LEN(gates) && strcmp(gates[i].name, name) != 0)
		i++;
	if (i == SL_LEN(gates))
		return refuse(name, err);
	if (gates[i].gate < KUBE_GATES)
		gate[gates[i].gate] = on;
	else if (gates[i].gate == AS_BY_DEFAULT && on != gates[i].on)
		return sl_fail(err, SL_USAGE,
			"kube:gates: %s=%s is not modelled: leave it at its default of 1.36", name,
			on ? "true" : "false");
	return SL_OK;
}

/* As Kubernetes checks it as it starts: a gate needs those that it builds on. */
static int check_gates(const bool gate[KUBE_GATES], struct sl_err *err)
{
	static const struct {
		enum kube_gate gate, needs;
		const char *text;
	} needs[] = {
		{ KUBE_GATE_GANG, KUBE_GATE_WORKLOAD, "GangScheduling needs GenericWorkload" },
		{ KUBE_GATE_TOPOLOGY, KUBE_GATE_WORKLOAD,
			"TopologyAwareWorkloadScheduling needs GenericWorkload" },
		{ KUBE_GATE_WORKLOAD_PREEMPTION, KUBE_GATE_GANG,
			"WorkloadAwarePreemption needs GangScheduling" },
	};
	for (size_t i = 0; i < SL_LEN(needs); i++)
		if (gate[needs[i].gate] && !gate[needs[i].needs])
			return sl_fail(err, SL_USAGE, "kube:gates: %s: set both", needs[i].text);
	return SL_OK;
}

/* Groups of pods by scheduling.k8s.io are not scheduled here: a run with them would not be what was asked. */
static int refuse_groups(const bool gate[KUBE_GATES], struct sl_err *err)
{
	for (size_t i = 0; i < SL_LEN(gates); i++)
		if (gates[i].gate < KUBE_GATES && gate[gates[i].gate] && !gates[i].on)
			return sl_fail(err, SL_USAGE,
				"kube:gates: %s=true is not modelled: leave it at its default of 1.36; gangs are of kube:gang",
				gates[i].name);
	return SL_OK;
}

int kube_gates_read(const char *text, bool gate[KUBE_GATES], struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(gates); i++)
		if (gates[i].gate < KUBE_GATES)
			gate[gates[i].gate] = gates[i].on;
	for (const char *at = text ? text : ""; *at && !status;) {
		enum { GATE_MAX = 80 };
		char name[GATE_MAX];
		const size_t len = strcspn(at, ","), equal = strcspn(at, "=,");
		const char *value = at + equal + 1;
		const size_t value_len = len > equal ? len - equal - 1 : 0;
		const bool on = value_len == 4 && memcmp(value, "true", 4) == 0;
		if (equal >= GATE_MAX || (!on && (value_len != 5 || memcmp(value, "false", 5) != 0)))
			return sl_fail(err, SL_USAGE,
				"kube:gates: '%.*s' is not NAME=true or NAME=false: list gates with commas between",
				(int)(len < GATE_MAX ? len : GATE_MAX), at);
		memcpy(name, at, equal);
		name[equal] = '\0';
		status = set_gate(name, on, gate, err);
		at += len + (at[len] == ',');
	}
	if (!status)
		status = check_gates(gate, err);
	return status ? status : refuse_groups(gate, err);
}
