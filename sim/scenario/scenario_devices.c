/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_devices.c - GPUs of nodes one by one: their islands, their memory, MIG; and what of them a task
 * requests.
 *
 * A node's GPUs stand kind by kind; those of one kind first where nothing more is said of them, then as its
 * hardware lists them. A share lies on one device that is not divided. A MIG profile occupies consecutive
 * eighths of a divided one, from a start that is legal for it; divided devices serve no other requests.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/scenario/scenario_machine.h"

/* ---- The devices of a type -------------------------------------------------------------------------- */

/* Islands are numbered as they come: so many neighbours that say the same size share one, and all that say
 * none. */
struct islands {
	uint32_t size, used; /* Of the one that is being filled. */
	uint32_t next;       /* Number of the next new one. */
	uint32_t here;
	uint32_t common; /* Of those that say none; UINT32_MAX: not met yet. */
};

static uint8_t island_of(struct islands *islands, uint32_t size)
{
	if (!size) {
		islands->size = 0;
		if (islands->common == UINT32_MAX)
			islands->common = islands->next++;
		return (uint8_t)islands->common;
	}
	if (islands->size != size || islands->used == size) {
		islands->size = size;
		islands->used = 0;
		islands->here = islands->next++;
	}
	islands->used++;
	return (uint8_t)islands->here;
}

static bool is_gpu(const struct sl_gres *gres) { return strcasecmp(gres->name, "gpu") == 0; }

static bool is_of_kind(const struct machine *machine, const struct sl_gres *gres, uint32_t kind)
{
	const char *type = gres->type ? gres->type : "gpu";
	return is_gpu(gres) && gres->count > 0 && names_find(&machine->kinds, type, strlen(type)) == kind;
}

/* Names of models are few: each is found once. */
static int model_of(struct machine *machine, const char *name, uint8_t *mig, struct sl_err *err)
{
	enum { MODELS_MAX = UINT8_MAX };
	uint32_t number;
	*mig = 0;
	if (!name)
		return SL_OK;
	const struct sl_mig_model *model = sl_by_name(machine->scenario->registry->known.mig_models, name);
	if (!model)
		return sl_fail(err, SL_INPUT,
			"%s: GPUs are divided as '%.60s', which is no model of MIG: schedlab-cluster(5) names them",
			machine->scenario->cluster_input.path, name);
	const uint32_t before = machine->mig.count;
	int status = names_add(&machine->mig, machine->scenario->arena, name, strlen(name), &number, err);
	if (!status)
		status = SL_GROW_MOST(
			machine->mig_model, machine->mig_capacity, (size_t)number + 1, MODELS_MAX, err);
	if (status)
		return status;
	if (number == before)
		machine->mig_model[number] = model;
	*mig = (uint8_t)(number + 1);
	return SL_OK;
}

/* Those of a group: of a divided device, its model says the memory where nothing else does. */
static int scenario_devices_put_group(struct machine *machine, const struct sl_gres *gres, uint32_t kind,
	struct islands *islands, struct sl_device **to, struct sl_err *err)
{
	struct sl_device device = { .kind = (uint8_t)(SL_KIND_GPUS + kind), .mem = gres->mem };
	const int status = model_of(machine, gres->mig, &device.mig, err);
	if (status)
		return status;
	if (device.mig && !device.mem)
		device.mem = machine->mig_model[device.mig - 1]->mem;
	for (int64_t i = 0; i < gres->count; i++) {
		device.island = island_of(islands, gres->island);
		*(*to)++ = device;
	}
	return SL_OK;
}

static int put_kind(struct machine *machine, const struct sl_node_type *type, uint32_t kind,
	struct islands *islands, struct sl_device **to, struct sl_err *err)
{
	const struct sl_hardware *hardware = type->hardware;
	const uint32_t groups = hardware ? hardware->gres_count : 0;
	struct sl_gres plain = { .count = type->amount[SL_KIND_GPUS + kind] / PARTS };
	for (uint32_t i = 0; i < groups; i++)
		if (is_of_kind(machine, &hardware->gres[i], kind))
			plain.count -= hardware->gres[i].count;
	int status = scenario_devices_put_group(machine, &plain, kind, islands, to, err);
	for (uint32_t i = 0; i < groups && !status; i++)
		if (is_of_kind(machine, &hardware->gres[i], kind))
			status = scenario_devices_put_group(
				machine, &hardware->gres[i], kind, islands, to, err);
	return status;
}

static int64_t scenario_devices_gpus_of(const struct machine *machine, const struct sl_node_type *type)
{
	int64_t gpus = 0;
	for (uint32_t kind = 0; kind < machine->kinds.count; kind++)
		gpus += type->amount[SL_KIND_GPUS + kind] / PARTS;
	return gpus;
}

static bool is_divided(const struct sl_node_type *type)
{
	const struct sl_hardware *hardware = type->hardware;
	for (uint32_t i = 0; hardware && i < hardware->gres_count; i++)
		if (is_gpu(&hardware->gres[i]) && hardware->gres[i].mig)
			return true;
	return false;
}

int devices_make(struct machine *machine, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < machine->type_count && !status; i++) {
		struct sl_node_type *type = &machine->type[i];
		const int64_t gpus = scenario_devices_gpus_of(machine, type);
		struct islands islands = { .common = UINT32_MAX };
		if (gpus > SL_DEVICES_MAX && is_divided(type))
			return sl_fail(err, SL_INPUT,
				"%s: nodes '%s' have %lld GPUs, some of them divided: at most %d are told apart",
				machine->scenario->cluster_input.path, type->name, (long long)gpus,
				SL_DEVICES_MAX);
		if (!gpus || gpus > SL_DEVICES_MAX)
			continue;
		struct sl_device *device = sl_alloc(machine->scenario->arena, (size_t)gpus, sizeof(*device));
		if (!device)
			return sl_fail_memory(err);
		type->device = device;
		type->device_count = (uint32_t)gpus;
		for (uint32_t kind = 0; kind < machine->kinds.count && !status; kind++)
			status = put_kind(machine, type, kind, &islands, &device, err);
	}
	return status;
}

/* ---- Profiles ------------------------------------------------------------------------------------------ */

/* "3g.20gb" by its whole name; "3g" is the first of the model that begins so. NULL: the model has none. */
static const struct sl_mig_profile *scenario_devices_profile_of(
	const struct sl_mig_model *model, const char *name)
{
	const bool whole = strchr(name, '.');
	for (size_t i = 0; i < model->profile_count; i++) {
		const char *known = model->profile[i].name;
		const size_t len = strcspn(known, ".");
		if (whole ? strcmp(known, name) == 0 : strlen(name) == len && memcmp(known, name, len) == 0)
			return &model->profile[i];
	}
	return NULL;
}

static bool any_has(const struct machine *machine, const char *name)
{
	for (uint32_t i = 0; i < machine->mig.count; i++)
		if (scenario_devices_profile_of(machine->mig_model[i], name))
			return true;
	return false;
}

int devices_profile(struct machine *machine, const char *name, uint32_t *number, struct sl_err *err)
{
	static const struct sl_mig_profile none;
	enum { PROFILES_MAX = 4096 };
	const uint32_t models = machine->mig.count;
	uint32_t index = names_find(&machine->profiles, name, strlen(name));
	*number = index + 1;
	if (index != UINT32_MAX || !any_has(machine, name))
		return SL_OK; /* UINT32_MAX and 1 are 0. */
	int status = names_add(&machine->profiles, machine->scenario->arena, name, strlen(name), &index, err);
	if (!status)
		status = SL_GROW_MOST(machine->mig_fit, machine->fit_capacity, ((size_t)index + 1) * models,
			(size_t)PROFILES_MAX * UINT8_MAX, err);
	for (uint32_t i = 0; i < models && !status; i++) {
		const struct sl_mig_profile *profile =
			scenario_devices_profile_of(machine->mig_model[i], name);
		machine->mig_fit[(size_t)index * models + i] = profile ? *profile : none;
	}
	*number = index + 1;
	return status;
}

/* ---- Requests of a task -----------------------------------------------------------------------------------
 */

static bool will_do(const struct sl_task_resources *task, const struct sl_device *device)
{
	return !task->gpu_types || (task->gpu_types >> (device->kind - SL_KIND_GPUS) & 1);
}

/* Of a device's memory, in thousandths; above PARTS: more than it has. 0: its memory is not known. */
static int64_t scenario_devices_share_of(const struct sl_task_resources *task, const struct sl_device *device)
{
	if (!device->mem || task->gpu_mem > device->mem)
		return device->mem ? PARTS + 1 : 0;
	return (task->gpu_mem * PARTS + device->mem - 1) / device->mem;
}

/* The first of the cluster's models that has it. */
static enum cause count_profile(const struct machine *machine, struct sl_task_resources *task)
{
	const uint32_t models = machine->mig.count;
	const struct sl_mig_profile *fit = &machine->mig_fit[(size_t)(task->mig - 1) * models];
	uint32_t model = 0;
	while (model < models && !fit[model].slices)
		model++;
	SL_CHECK(model < models);
	task->gpus = (int64_t)PARTS * fit[model].slices / SL_MIG_SLICES;
	return CAUSE_COUNT;
}

static enum cause count_memory(const struct machine *machine, struct sl_task_resources *task, uint32_t set)
{
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < machine->type_count; i++) {
		const struct sl_node_type *type = &machine->type[i];
		for (uint32_t k = 0; machine->type_nodes[i] && k < type->device_count; k++) {
			const int64_t share = scenario_devices_share_of(task, &type->device[k]);
			if (share && share < least && !type->device[k].mig &&
				will_do(task, &type->device[k]) && set_has(machine, machine->bound[set], i))
				least = share;
		}
	}
	if (least > PARTS)
		return least == INT64_MAX ? CAUSE_LACKS : CAUSE_LARGE;
	task->gpus = least;
	return CAUSE_COUNT;
}

enum cause devices_count(const struct machine *machine, struct sl_task_resources *task, uint32_t set)
{
	if (task->mig)
		return count_profile(machine, task);
	return task->gpu_mem ? count_memory(machine, task, set) : CAUSE_COUNT;
}

/* So many of one profile lie on a device beside each other: the lowest places first, which is most, since all
 * are of one length. */
static int64_t profiles_on(const struct sl_mig_profile *fit)
{
	int64_t count = 0;
	unsigned from = 0;
	for (unsigned slice = 0; fit->slices && slice + fit->slices <= SL_MIG_SLICES; slice++) {
		if (slice < from || !(fit->starts >> slice & 1))
			continue;
		from = slice + fit->slices;
		count++;
	}
	return count;
}

static int64_t tasks_on_device(
	const struct machine *machine, const struct sl_device *device, const struct sl_task_resources *task)
{
	if (!will_do(task, device) || !device->mig != !task->mig)
		return 0;
	if (task->mig)
		return profiles_on(
			&machine->mig_fit[(size_t)(task->mig - 1) * machine->mig.count + device->mig - 1]);
	const int64_t share = task->gpu_mem ? scenario_devices_share_of(task, device) : task->gpus;
	return share ? PARTS / share : 0;
}

/* Whole devices: those of one task are of one type. */
static int64_t tasks_by_wholes(
	const struct machine *machine, const struct sl_node_type *type, const struct sl_task_resources *task)
{
	int64_t tasks = 0;
	for (uint32_t kind = 0; kind < machine->kinds.count; kind++) {
		int64_t amount = type->amount[SL_KIND_GPUS + kind];
		if (task->gpu_types && !(task->gpu_types >> kind & 1))
			continue;
		for (uint32_t i = 0; i < type->device_count; i++)
			if (type->device[i].kind == SL_KIND_GPUS + kind && type->device[i].mig)
				amount -= PARTS;
		tasks += amount / task->gpus;
	}
	return tasks;
}

int64_t devices_tasks(
	const struct machine *machine, const struct sl_node_type *type, const struct sl_task_resources *task)
{
	int64_t tasks = 0;
	if (!task->mig && !task->gpu_mem && task->gpus % PARTS == 0)
		return tasks_by_wholes(machine, type, task);
	for (uint32_t i = 0; i < type->device_count; i++)
		tasks += tasks_on_device(machine, &type->device[i], task);
	return tasks;
}

/* ---- The cluster's tables
 * ---------------------------------------------------------------------------------- */

int devices_lend(const struct machine *machine, struct sl_err *err)
{
	struct sl_cluster *cluster = &machine->scenario->cluster;
	struct sl_arena *arena = machine->scenario->arena;
	const uint32_t models = machine->mig.count;
	const size_t fits = (size_t)machine->profiles.count * models;
	if (!models)
		return SL_OK;
	const struct sl_mig_model **model = sl_alloc(arena, models, sizeof(struct sl_mig_model *));
	struct sl_mig_profile *fit = sl_alloc(arena, fits + 1, sizeof(*fit));
	if (!model || !fit)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < models; i++)
		model[i] = machine->mig_model[i];
	for (size_t i = 0; i < fits; i++)
		fit[i] = machine->mig_fit[i];
	cluster->mig_model = model;
	cluster->mig_model_count = models;
	cluster->mig_fit = fit;
	cluster->mig_profile_count = machine->profiles.count;
	return SL_OK;
}
