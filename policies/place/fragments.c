/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fragments.c - typical requests, the tables by which a node's fragmentation is found, and the gauge of it.
 */
#include "policies/place/fragments.h"

#include <stdlib.h>
#include <string.h>

/* ---- Typical requests --------------------------------------------------------------------------- */

static int fragments_by_number(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* The largest first: so the artifact orders those that are as frequent. */
static int by_what(const struct typical *a, const struct typical *b)
{
	const int64_t differ[][2] = { { b->cpus, a->cpus }, { b->gpus, a->gpus }, { b->devices, a->devices },
		{ b->gpu_types, a->gpu_types }, { b->mig, a->mig }, { b->gpu_mem, a->gpu_mem } };
	for (size_t i = 0; i < SL_LEN(differ); i++)
		if (differ[i][0] != differ[i][1])
			return fragments_by_number(differ[i][0], differ[i][1]);
	return 0;
}

static int compare_what(const void *a, const void *b) { return by_what(a, b); }

static int compare_tasks(const void *a, const void *b)
{
	const struct typical *x = a;
	const struct typical *y = b;
	return x->tasks != y->tasks ? fragments_by_number(y->tasks, x->tasks) : by_what(x, y);
}

static struct typical typical_of(const struct sl_group *group, int64_t parts, int64_t jobs)
{
	const struct sl_task_resources *task = &group->task;
	const uint32_t devices = place_asks_devices(task, parts);
	return (struct typical){ .cpus = task->cpus,
		.gpus = place_asks_some(task, parts) ? task->gpus : (devices ? parts : 0),
		.gpu_mem = task->gpu_mem,
		.devices = devices,
		.gpu_types = devices ? task->gpu_types : 0,
		.mig = task->mig,
		.tasks = jobs * group->tasks };
}

/* Like ones become one. */
static uint32_t fragments_join(struct typical *all, uint32_t count)
{
	qsort(all, count, sizeof(*all), compare_what);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (kept && by_what(&all[kept - 1], &all[i]) == 0)
			all[kept - 1].tasks += all[i].tasks;
		else
			all[kept++] = all[i];
	}
	return kept;
}

/* The most frequent, until they are 95 % of all tasks. */
static void keep_typical(struct fragments *f, uint32_t count)
{
	__int128 all = 0;
	for (uint32_t i = 0; i < count; i++)
		all += f->typical[i].tasks;
	qsort(f->typical, count, sizeof(*f->typical), compare_tasks);
	__int128 sum = 0;
	for (; f->typical_count < count && f->typical_count < TYPICAL_MAX; f->typical_count++) {
		if (sum * 100 >= all * TYPICAL_PERCENT)
			break;
		sum += f->typical[f->typical_count].tasks;
	}
	/* Sums over devices, times parts, stay within 63 bits. */
	const int64_t most = INT64_C(1) << 40;
	const int64_t scale = (int64_t)(sum / most) + 1;
	for (uint32_t i = 0; i < f->typical_count; i++) {
		f->typical[i].tasks = (f->typical[i].tasks + scale - 1) / scale;
		f->total += f->typical[i].tasks;
	}
}

static int find_typical(struct fragments *f, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_jobs *jobs = setup->jobs;
	uint64_t groups = 0;
	for (uint32_t i = 0; i < jobs->request_count; i++)
		groups += jobs->requests[i].group_count;
	int64_t *asked = sl_alloc(setup->arena, (size_t)jobs->request_count + 1, sizeof(*asked));
	f->typical = sl_alloc(setup->arena, groups + 1, sizeof(*f->typical));
	if (!asked || !f->typical || groups >= UINT32_MAX)
		return sl_fail_memory(err);
	const uint32_t *drawn_from = jobs->request_drawn_from;
	for (uint32_t i = 0; drawn_from && i < jobs->request_count; i++)
		asked[i] = drawn_from[i];
	for (uint32_t job = 0; !drawn_from && jobs->request && job < jobs->count; job++)
		asked[jobs->request[job]]++;
	uint32_t count = 0;
	for (uint32_t i = 0; i < jobs->request_count; i++)
		for (uint32_t group = 0; asked[i] && group < jobs->requests[i].group_count; group++)
			f->typical[count++] = typical_of(&jobs->requests[i].group[group], f->parts, asked[i]);
	keep_typical(f, fragments_join(f->typical, count));
	return SL_OK;
}

static int compare_cpus(const void *a, const void *b)
{
	return fragments_by_number(*(const int64_t *)a, *(const int64_t *)b);
}

static int list_cpus(struct fragments *f, const struct sl_setup *setup, struct sl_err *err)
{
	f->cpus = sl_alloc(setup->arena, f->typical_count + (size_t)1, sizeof(*f->cpus));
	if (!f->cpus)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < f->typical_count; i++)
		f->cpus[i] = f->typical[i].cpus;
	qsort(f->cpus, f->typical_count, sizeof(*f->cpus), compare_cpus);
	for (uint32_t i = 0; i < f->typical_count; i++)
		if (!f->cpus_count || f->cpus[f->cpus_count - 1] != f->cpus[i])
			f->cpus[f->cpus_count++] = f->cpus[i];
	for (f->row_step = 1; f->row_step <= f->cpus_count / 2;)
		f->row_step *= 2;
	return SL_OK;
}

/* Halves without a branch: cpus come in no order. */
uint32_t fragments_row(const struct fragments *f, int64_t cpus)
{
	uint32_t row = 0;
	for (uint32_t step = f->row_step; step; step /= 2) {
		const uint32_t next = row + step;
		row = next <= f->cpus_count && f->cpus[next - 1] <= cpus ? next : row;
	}
	return row;
}

/* ---- Models of devices ---------------------------------------------------------------------------- */

static uint32_t model_find(struct fragments *f, const struct sl_device *device)
{
	for (uint32_t i = 0; i < f->model_count; i++) {
		const struct sl_device *known = &f->model[i].device;
		if (known->kind == device->kind && known->mem == device->mem && known->mig == device->mig)
			return i;
	}
	f->model[f->model_count] = (struct model){ .device = *device };
	return f->model_count++;
}

/* So much of it has to be free for a request of one device; more than there can be: it never fits. */
static int64_t needs(const struct fragments *f, const struct model *model, const struct typical *typical)
{
	const struct sl_task_resources task = { .gpus = typical->gpus,
		.gpu_types = typical->gpu_types,
		.gpu_mem = typical->gpu_mem,
		.mig = typical->mig };
	const int64_t share = place_share_of(&task, &model->device, f->parts);
	return share < 0 ? f->parts + 1 : share;
}

static bool mask_holds(
	const struct fragments *f, const struct model *model, const struct typical *typical, uint32_t mask)
{
	uint32_t slices;
	const struct sl_task_resources task = { .gpu_types = typical->gpu_types };
	return place_kind_will_do(&task, model->device.kind) &&
	       place_starts(f->cluster, typical->mig, &model->device, mask, &slices);
}

/* Columns of an undivided one: what is free between two shares that are asked is all the same. */
static void list_columns(const struct fragments *f, struct model *model)
{
	for (uint32_t i = 0; i < f->typical_count; i++) {
		const struct typical *typical = &f->typical[i];
		const int64_t share = typical->devices == 1 ? needs(f, model, typical) : f->parts + 1;
		if (share <= f->parts)
			model->column[share] = 1;
	}
	for (int64_t free = 1; free <= f->parts; free++)
		model->column[free] = (uint16_t)(model->column[free] + model->column[free - 1]);
	model->columns = (uint32_t)model->column[f->parts] + 1;
}

/* Adds the request's tasks wherever the node has the cpus, and the device enough. */
static void add_weight(const struct fragments *f, struct model *model, const struct typical *typical)
{
	const int64_t share = needs(f, model, typical);
	for (uint32_t row = fragments_row(f, typical->cpus); row <= f->cpus_count; row++) {
		int64_t *weight = &model->weight[(size_t)row * model->columns];
		if (model->device.mig) {
			for (uint32_t mask = 0; mask < FREE_MAX; mask++)
				weight[mask] += mask_holds(f, model, typical, mask) ? typical->tasks : 0;
			continue;
		}
		if (share > f->parts)
			return;
		for (uint32_t column = model->column[share]; column < model->columns; column++)
			weight[column] += typical->tasks;
	}
}

static void add_weight_of(const struct fragments *f, struct model *model, const struct typical *typical)
{
	if (needs(f, model, typical) > f->parts)
		return;
	for (uint32_t row = fragments_row(f, typical->cpus); row <= f->cpus_count; row++)
		for (uint32_t devices = typical->devices; devices <= SL_DEVICES_MAX; devices++)
			model->weight_of[(size_t)row * (SL_DEVICES_MAX + 1) + devices] += typical->tasks;
}

static int make_model(
	const struct fragments *f, struct model *model, const struct sl_setup *setup, struct sl_err *err)
{
	const size_t rows = (size_t)f->cpus_count + 1;
	const size_t amounts = model->device.mig ? FREE_MAX : (size_t)f->parts + 1;
	model->column = sl_alloc(setup->arena, amounts, sizeof(*model->column));
	if (!model->column)
		return sl_fail_memory(err);
	model->columns = FREE_MAX;
	for (uint32_t mask = 0; model->device.mig && mask < FREE_MAX; mask++)
		model->column[mask] = (uint16_t)mask;
	if (!model->device.mig)
		list_columns(f, model);
	model->weight = sl_alloc(setup->arena, rows * model->columns, sizeof(*model->weight));
	model->weight_of = sl_alloc(setup->arena, rows * (SL_DEVICES_MAX + 1), sizeof(*model->weight_of));
	if (!model->weight || !model->weight_of)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < f->typical_count; i++) {
		if (f->typical[i].devices == 1)
			add_weight(f, model, &f->typical[i]);
		else if (f->typical[i].devices && f->typical[i].devices <= SL_DEVICES_MAX)
			add_weight_of(f, model, &f->typical[i]);
	}
	return SL_OK;
}

static void models_of_type(struct fragments *f, const struct sl_node_type *type, uint32_t *model)
{
	for (uint32_t i = 0; i < type->device_count; i++)
		model[i] = model_find(f, &type->device[i]);
}

static int list_models(struct fragments *f, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = f->cluster;
	size_t devices = cluster->kind_count;
	for (uint32_t type = 0; type < cluster->type_count; type++)
		devices += cluster->type[type].device ? cluster->type[type].device_count : 0;
	uint32_t *kind_model = sl_alloc(setup->arena, (size_t)SL_KINDS_MAX, sizeof(*kind_model));
	uint32_t *model = sl_alloc(setup->arena, devices + 1, sizeof(*model));
	f->model = sl_alloc(setup->arena, devices + 1, sizeof(*f->model));
	f->model_of = sl_alloc(setup->arena, (size_t)cluster->type_count + 1, sizeof(*f->model_of));
	f->alike = sl_alloc(setup->arena, (size_t)cluster->type_count + 1, sizeof(*f->alike));
	if (!f->alike || !kind_model || !model || !f->model || !f->model_of)
		return sl_fail_memory(err);
	for (uint32_t kind = SL_KIND_GPUS; kind < cluster->kind_count; kind++)
		kind_model[kind] = model_find(f, &(struct sl_device){ .kind = (uint8_t)kind });
	f->kind_model = kind_model;
	for (uint32_t type = 0; type < cluster->type_count; type++) {
		const struct sl_node_type *what = &cluster->type[type];
		if (!what->device || !what->device_count)
			continue;
		models_of_type(f, what, model);
		f->model_of[type] = model;
		f->alike[type] = !f->model[model[0]].device.mig;
		for (uint32_t i = 1; i < what->device_count; i++)
			f->alike[type] &= model[i] == model[0];
		model += what->device_count;
	}
	return SL_OK;
}

int fragments_make(struct fragments *f, const struct sl_setup *setup, struct sl_err *err)
{
	f->cluster = setup->cluster;
	f->parts = sl_parts(setup->cluster->gpu_parts);
	int status = find_typical(f, setup, err);
	status = status ? status : list_cpus(f, setup, err);
	status = status ? status : list_models(f, setup, err);
	for (uint32_t i = 0; !status && i < f->model_count; i++)
		status = make_model(f, &f->model[i], setup, err);
	return status;
}

/* ---- A node ---------------------------------------------------------------------------------------- */

static int64_t mask_parts(const struct fragments *f, int64_t mask)
{
	return place_bits((uint64_t)mask) * f->parts / SL_MIG_SLICES;
}

static int64_t weight_at(const struct model *model, uint32_t row, int64_t left)
{
	return model_weights(model, row)[model->column[left > 0 ? left : 0]];
}

/* By requests of several devices, of those of one type that are wholly free. */
static int64_t usable_by_several(const struct model *model, uint32_t row, int64_t whole, int64_t parts)
{
	const int64_t most = whole < SL_DEVICES_MAX ? whole : SL_DEVICES_MAX;
	return model_several(model, row)[most] * whole * parts;
}

static int64_t usable_devices(
	const struct fragments *f, const struct sl_node_class *class, uint32_t row, int64_t *free)
{
	const struct sl_node_type *type = &f->cluster->type[class->type];
	const uint32_t *at = f->model_of[class->type];
	int64_t sum = 0;
	int64_t whole = 0;
	for (uint32_t i = 0; i < type->device_count; i++) {
		const struct model *model = &f->model[at[i]];
		const int64_t left = class->device[i];
		const int64_t amount = model->device.mig ? mask_parts(f, left) : left;
		*free += amount;
		sum += amount * weight_at(model, row, left);
		whole += !model->device.mig && left == f->parts;
		/* They come kind by kind. */
		if (i + 1 < type->device_count && type->device[i + 1].kind == type->device[i].kind)
			continue;
		sum += usable_by_several(
			&f->model[f->kind_model[type->device[i].kind]], row, whole, f->parts);
		whole = 0;
	}
	return sum;
}

/* Where devices are not followed, whole ones alone are asked for, and what is free by kind is whole ones. */
static int64_t usable_kinds(
	const struct fragments *f, const struct sl_node_class *class, uint32_t row, int64_t *free)
{
	int64_t sum = 0;
	for (uint32_t kind = SL_KIND_GPUS; kind < f->cluster->kind_count; kind++) {
		const int64_t amount = class->free[kind];
		if (amount <= 0)
			continue;
		const struct model *model = &f->model[f->kind_model[kind]];
		*free += amount;
		sum += amount * model_weights(model, row)[model->columns - 1];
		sum += usable_by_several(model, row, amount / f->parts, f->parts);
	}
	return sum;
}

int64_t fragments_of(const struct fragments *f, const struct sl_node_class *class, uint32_t row)
{
	int64_t free = 0;
	const bool followed = class->device && f->model_of[class->type];
	const int64_t usable =
		followed ? usable_devices(f, class, row, &free) : usable_kinds(f, class, row, &free);
	return free * f->total - usable;
}

int64_t fragments_with(const struct fragments *f, const struct sl_node_class *class, uint32_t row,
	const struct device_left *then)
{
	const uint32_t count = f->cluster->type[class->type].device_count;
	const struct model *model = &f->model[f->model_of[class->type][then->device]];
	const int64_t now = class->device[then->device];
	if (model->device.mig || (now < f->parts && then->left < f->parts)) {
		const bool mig = model->device.mig;
		const int64_t before = mig ? mask_parts(f, now) : now;
		const int64_t after = mig ? mask_parts(f, then->left) : then->left;
		return then->otherwise + (after - before) * f->total -
		       after * weight_at(model, row, then->left) + before * weight_at(model, row, now);
	}
	int64_t device[SL_DEVICES_MAX];
	memcpy(device, class->device, count * sizeof(*device));
	device[then->device] = then->left;
	struct sl_node_class other = *class;
	other.device = device;
	return fragments_of(f, &other, row);
}

/* ---- How much of what is free of GPUs the jobs of the trace could not use: fragments.h
 * has the rule.
 */

static int fragmentation_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct fragments *f = sl_alloc(setup->arena, 1, sizeof(*f));
	if (!f)
		return sl_fail_memory(err);
	*state = f;
	return fragments_make(f, setup, err);
}

static int64_t fragmentation_of(void *state, const struct sl_node_class *class)
{
	const struct fragments *f = state;
	if (!f->total)
		return 0;
	const uint32_t row = fragments_row(f, class->free[SL_KIND_CPUS]);
	return sl_mul_div(fragments_of(f, class, row), INT64_C(1000000), f->total * f->parts);
}

const struct sl_gauge gauge_fragmentation = {
	.abi = SL_ABI_OF(struct sl_gauge),
	.name = "fragmentation",
	.summary =
		"GPUs that are free, but of no use to the typical jobs of the trace; in millionths of a GPU",
	.paper = "Weng et al., USENIX ATC 2023, section 3.2",
	.init = fragmentation_init,
	.of = fragmentation_of,
	.of_fills = true,
};
