/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_stubs.c - pods and amounts while nobody else reads them: a job's groups alone.
 */
#include "policies/kube/kube.h"

#include <string.h>

#define WEAK __attribute__((weak))

WEAK bool sl_get_quantity(const char *text, size_t len, int64_t *thousandths)
{
	static const struct {
		const char *unit;
		int64_t thousandths;
	} units[] = { { "m", 1 }, { "", 1000 }, { "k", 1000000 }, { "Ki", INT64_C(1000) << 10 },
		{ "Mi", INT64_C(1000) << 20 }, { "Gi", INT64_C(1000) << 30 }, { "Ti", INT64_C(1000) << 40 } };
	size_t digits = len;
	while (digits && !(text[digits - 1] >= '0' && text[digits - 1] <= '9'))
		digits--;
	int64_t micro;
	if (!sl_get_micro(text, digits, &micro))
		return false;
	for (size_t i = 0; i < SL_LEN(units); i++) {
		if (strlen(units[i].unit) != len - digits ||
			memcmp(units[i].unit, text + digits, len - digits) != 0)
			continue;
		*thousandths = sl_mul_div(micro, units[i].thousandths, 1000000);
		return true;
	}
	return false;
}

WEAK bool sl_get_amount(const char *resource, const char *text, size_t len, int64_t *amount)
{
	if (!sl_get_quantity(text, len, amount))
		return false;
	if (strcmp(resource, "cpu") != 0)
		*amount = *amount / 1000 + (*amount % 1000 > 0);
	return true;
}

static uint32_t requests_of(
	const struct sl_cluster *cluster, const struct sl_demand *task, struct sl_amount *at)
{
	uint32_t count = 0;
	at[count++] = (struct sl_amount){ "cpu", sl_mul_div(task->cpus, 1000, sl_parts(cluster->cpu_parts)) };
	if (task->mem)
		at[count++] = (struct sl_amount){ "memory", task->mem << 20 };
	if (task->gpus) {
		const int64_t parts = sl_parts(cluster->gpu_parts);
		at[count++] = (struct sl_amount){ "nvidia.com/gpu", (task->gpus + parts - 1) / parts };
	}
	return count;
}

WEAK const struct sl_pods *sl_pods_of(struct sl_arena *arena, const struct sl_jobs *jobs,
	const struct sl_cluster *cluster, uint32_t job, struct sl_err *err)
{
	static const struct sl_demand one = { .cpus = 1 };
	const struct sl_request *request = jobs->request ? &jobs->requests[jobs->request[job]] : NULL;
	const uint32_t count = request ? request->group_count : 1;
	struct sl_pods *pods = sl_alloc(arena, 1, sizeof(*pods));
	struct sl_podset *set = sl_alloc(arena, count, sizeof(*set));
	struct sl_amount *amounts = sl_alloc(arena, (size_t)count * 3, sizeof(*amounts));
	if (!pods || !set || !amounts) {
		(void)sl_fail(err, SL_SYSTEM, "out of memory");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		set[i].name = "main";
		set[i].count = request ? (int64_t)request->group[i].tasks : jobs->size[job];
		set[i].request.at = &amounts[(size_t)i * 3];
		set[i].request.count = requests_of(
			cluster, request ? &request->group[i].task : &one, &amounts[(size_t)i * 3]);
		set[i].priority = SL_NONE;
	}
	pods->kind = "";
	pods->podset = set;
	pods->count = count;
	return pods;
}
