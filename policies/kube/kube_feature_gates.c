/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_feature_gates.c - feature gates of kube-scheduler, with their defaults of 1.36
 * (pkg/features/kube_features.go).
 *
 * Some are followed either way; some that never decide here are taken as they are; of others only the default
 * is followed, and anything else is refused, as is what is no gate of the scheduler's.
 */
#include "policies/kube/kube.h"

#include <string.h>

static const struct {
	const char *name;
	bool on, any;           /* any: it never decides here, either way. */
	enum kube_gate decides; /* 0: it is not followed otherwise than by default. */
	uint32_t needs;         /* Those that have to be on with it. */
} gates[] = {
	{ "OpportunisticBatching", true, true, 0, 0 },
	/* Victims are gone at once, and calls of the API take no time. */
	{ "SchedulerAsyncPreemption", true, true, 0, 0 },
	{ "SchedulerAsyncAPICalls", true, true, 0, 0 },
	{ "DRASchedulerFilterTimeout", true, true, 0, 0 },
	{ "DRAResourceClaimDeviceStatus", true, true, 0, 0 },
	/* The policy's parameter `backoff` says this. */
	{ "SchedulerPopFromBackoffQ", true, false, 0, 0 },
	/* Groups of pods by scheduling.k8s.io. */
	{ "GenericWorkload", false, false, KUBE_GATE_WORKLOAD, 0 },
	{ "GangScheduling", false, false, KUBE_GATE_GANG, KUBE_GATE_WORKLOAD },
	{ "TopologyAwareWorkloadScheduling", false, false, KUBE_GATE_TOPOLOGY, KUBE_GATE_WORKLOAD },
	{ "WorkloadAwarePreemption", false, false, KUBE_GATE_PREEMPTION, KUBE_GATE_GANG },
	{ "DRAAdminAccess", true, false, 0, 0 },
	{ "DRAConsumableCapacity", true, false, 0, 0 },
	{ "DRADeviceBindingConditions", true, false, 0, 0 },
	{ "DRADeviceTaints", true, false, 0, 0 },
	{ "DRAExtendedResource", true, false, 0, 0 },
	{ "DRAPartitionableDevices", true, false, 0, 0 },
	{ "DRAPrioritizedList", true, false, 0, 0 },
	{ "DRAWorkloadResourceClaims", false, false, 0, 0 },
	{ "PodLevelResources", true, false, 0, 0 },
	{ "NodeDeclaredFeatures", true, false, 0, 0 },
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

static int check_gate(const char *name, bool on, uint32_t *bits, uint32_t *said, struct sl_err *err)
{
	size_t i = 0;
	while (i < SL_LEN(gates) && strcmp(gates[i].name, name) != 0)
		i++;
	if (i == SL_LEN(gates))
		return refuse(name, err);
	if (*said >> i & 1)
		return sl_fail(err, SL_USAGE, "kube:gates: %s is given twice", name);
	*said |= UINT32_C(1) << i;
	*bits = on ? *bits | gates[i].decides : *bits & ~(uint32_t)gates[i].decides;
	return gates[i].any || gates[i].decides || on == gates[i].on
		       ? SL_OK
		       : sl_fail(err, SL_USAGE,
				 "kube:gates: %s=%s is not modelled: leave it at its default of 1.36", name,
				 on ? "true" : "false");
}

/* As kube-scheduler itself refuses to start. */
static int check_needs(uint32_t bits, struct sl_err *err)
{
	for (size_t i = 0; i < SL_LEN(gates); i++)
		for (size_t of = 0; of < SL_LEN(gates) && (bits & gates[i].decides); of++)
			if (gates[i].needs & gates[of].decides & ~bits)
				return sl_fail(err, SL_USAGE, "kube:gates: %s needs %s: add %s=true",
					gates[i].name, gates[of].name, gates[of].name);
	return SL_OK;
}

int kube_gates_check(const char *text, uint32_t *bits, struct sl_err *err)
{
	int status = SL_OK;
	uint32_t said = 0;
	*bits = 0;
	for (const char *at = text ? text : ""; *at && !status;) {
		enum { GATE_MAX = 80 };
		char name[GATE_MAX];
		const size_t len = strcspn(at, ",+"), equal = strcspn(at, "=,+");
		const char *value = at + equal + 1;
		const size_t value_len = len > equal ? len - equal - 1 : 0;
		const bool on = value_len == 4 && memcmp(value, "true", 4) == 0;
		if (equal >= GATE_MAX || (!on && (value_len != 5 || memcmp(value, "false", 5) != 0)))
			return sl_fail(err, SL_USAGE,
				"kube:gates: '%.*s' is not NAME=true or NAME=false: list gates with + between",
				(int)(len < GATE_MAX ? len : GATE_MAX), at);
		memcpy(name, at, equal);
		name[equal] = '\0';
		status = check_gate(name, on, bits, &said, err);
		at += len + (at[len] != '\0');
	}
	return status ? status : check_needs(*bits, err);
}
