/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_dra_amounts.c - capacities of devices and counters of pools: what is allocated, and what a search
 * tries.
 *
 * Consumable capacity (DRAConsumableCapacity): a device that allows several allocations is shared, as long as
 * its capacities last; of any other a request for a capacity only asks whether the device has so much. What
 * is requested is rounded up as the capacity's policy says, and refused where the policy forbids it
 * (structured allocator of Kubernetes 1.36, consumable_capacity.go). Partitionable devices: a device
 * consumes its counters once, however many claims share it; admin access consumes none for good.
 */
#include <string.h>

#include "policies/kube/kube_dra.h"

/* Names are compared as they are written: one with its domain is another than one without. */
static const struct dra_want *want_of(
	const struct dra_device *device, const struct dra_needs *needs, uint32_t capacity)
{
	const struct cel_entry *name = &device->seen.capacity[capacity];
	for (uint32_t i = 0; i < needs->wants; i++)
		if (strcmp(needs->want[i].name, name->name) == 0 &&
			strcmp(needs->want[i].domain, name->domain) == 0)
			return &needs->want[i];
	return NULL;
}

static int64_t rounded(const struct dra_capacity *capacity, int64_t amount)
{
	if (capacity->least != SL_NONE) {
		if (amount <= capacity->least)
			return capacity->least;
		if (capacity->step <= 0)
			return amount;
		const int64_t over = (amount - capacity->least) % capacity->step;
		return over && amount <= INT64_MAX - capacity->step ? amount + capacity->step - over : amount;
	}
	for (uint32_t i = 0; i < capacity->valid_count; i++)
		if (capacity->valid[i] >= amount)
			return capacity->valid[i];
	return amount;
}

/* What it consumes of a capacity; below 0: it requests what the policy forbids. */
static int64_t taken(const struct dra_device *device, const struct dra_needs *needs, uint32_t at)
{
	const struct dra_capacity *capacity = &device->capacity[at];
	const struct dra_want *want = want_of(device, needs, at);
	if (!want)
		return capacity->preset != SL_NONE ? capacity->preset : capacity->total;
	const int64_t amount = rounded(capacity, want->amount);
	if (capacity->most != SL_NONE && amount > capacity->most)
		return -1;
	if (capacity->valid_count && amount > capacity->valid[capacity->valid_count - 1])
		return -1;
	return amount;
}

bool dra_has_capacity(const struct dra_device *device, const struct dra_needs *needs)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < device->seen.capacities; i++) {
		const struct dra_capacity *capacity = &device->capacity[i];
		known += want_of(device, needs, i) != NULL;
		const int64_t amount = taken(device, needs, i);
		if (amount < 0 || amount > capacity->total - capacity->used - capacity->tried)
			return false;
	}
	return known >= needs->wants; /* What it requests, the device has to have. */
}

/* One that is shared already has consumed its counters. */
bool dra_has_counters(const struct kube_dra *dra, const struct dra_device *device)
{
	if (device->seen.shared && (device->users || device->shares))
		return true;
	for (uint32_t i = 0; i < device->needs; i++) {
		const struct dra_counter *counter = &dra->counter[device->need[i].counter];
		if (device->need[i].amount > counter->total - counter->used - counter->tried)
			return false;
	}
	return true;
}

/* ---- Of a search ----------------------------------------------------------------------------- */

static void try_amounts(
	struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs, int64_t sign)
{
	const bool counts = !device->seen.shared || (!device->users && !device->shares);
	for (uint32_t i = 0; counts && i < device->needs; i++)
		dra->counter[device->need[i].counter].tried += sign * device->need[i].amount;
	for (uint32_t i = 0; device->seen.shared && i < device->seen.capacities; i++)
		device->capacity[i].tried += sign * taken(device, needs, i);
}

void dra_try(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs)
{
	try_amounts(dra, device, needs, 1);
	device->shares += device->seen.shared;
}

void dra_untry(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs)
{
	device->shares -= device->seen.shared;
	try_amounts(dra, device, needs, -1);
}

/* ---- Of what is allocated -------------------------------------------------------------------- */

static void count_amounts(
	struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs, int64_t sign)
{
	for (uint32_t i = 0; !device->users && i < device->needs; i++)
		dra->counter[device->need[i].counter].used += sign * device->need[i].amount;
	for (uint32_t i = 0; device->seen.shared && i < device->seen.capacities; i++)
		device->capacity[i].used += sign * taken(device, needs, i);
}

void dra_hold(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs)
{
	if (needs->admin)
		return;
	count_amounts(dra, device, needs, 1);
	device->users++;
}

void dra_release(struct kube_dra *dra, struct dra_device *device, const struct dra_needs *needs)
{
	if (needs->admin)
		return;
	device->users--;
	count_amounts(dra, device, needs, -1);
}
