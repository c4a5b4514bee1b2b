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

static const struct {
	const char *name;
	bool on, any; /* any: it never decides here, either way. */
} gates[] = {
	{ "OpportunisticBatching", true, true },
	/* Victims are gone at once, and calls of the API take no time. */
	{ "SchedulerAsyncPreemption", true, true },
	{ "SchedulerAsyncAPICalls", true, true },
	{ "DRASchedulerFilterTimeout", true, true },
	{ "DRAResourceClaimDeviceStatus", true, true },
	/* The policy's parameter `backoff` says this. */
	{ "SchedulerPopFromBackoffQ", true, false },
	/* Groups of pods by scheduling.k8s.io are not scheduled here. */
	{ "GenericWorkload", false, false },
	{ "GangScheduling", false, false },
	{ "TopologyAwareWorkloadScheduling", false, false },
	{ "WorkloadAwarePreemption", false, false },
	{ "DRAAdminAccess", true, false },
	{ "DRAConsumableCapacity", true, false },
	{ "DRADeviceBindingConditions", true, false },
	{ "DRADeviceTaints", true, false },
	{ "DRAExtendedResource", true, false },
	{ "DRAPartitionableDevices", true, false },
	{ "DRAPrioritizedList", true, false },
	{ "DRAWorkloadResourceClaims", false, false },
	{ "PodLevelResources", true, false },
	{ "NodeDeclaredFeatures", true, false },
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

static int check_gate(const char *name, bool on, struct sl_err *err)
{
	size_t i = 0;
	while (i < SL_LEN(gates) && strcmp(gates[i].name, name) != 0)
		i++;
	if (i == SL_LEN(gates))
		return refuse(name, err);
	return gates[i].any || on == gates[i].on
		       ? SL_OK
		       : sl_fail(err, SL_USAGE,
				 "kube:gates: %s=%s is not modelled: leave it at its default of 1.36", name,
				 on ? "true" : "false");
}

int kube_gates_check(const char *text, struct sl_err *err)
{
	int status = SL_OK;
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
		status = check_gate(name, on, err);
		at += len + (at[len] == ',');
	}
	return status;
}
