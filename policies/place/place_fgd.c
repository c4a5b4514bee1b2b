/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place_fgd.c - fragmentation gradient descent: Weng et al., "Beware of Fragmentation: Scheduling
 * GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023, algorithm 1. Each task goes
 * where fragmentation of free GPUs grows the least (fragments.h), whatever it requests: cpus alone, too.
 *
 * The paper orders nodes by the growth of fragmentation itself. Its artifact, of which the published figures
 * are, sees it in a hundred steps, floor(100 s(before - after)), s(x) = 1 / (1 + e^-x), in GPUs: most nodes
 * are of the same step, so which of them is chosen (ties) decides. So it is here; the steps are found by
 * where they begin, ln(k / (100 - k)), so that no exponential orders anything. A share gets the first device
 * of the best step, whole GPUs the first that are free, as in the artifact.
 */
#include "policies/place/fragments.h"

#include <math.h>
#include <string.h>

struct fgd {
	struct fragments fragments;
	int64_t step[PLACE_SCORE_MAX - 1]; /* The least growth, times -1, that is of step 1, 2... */
};

static int fgd_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct fgd *fgd = sl_alloc(setup->arena, 1, sizeof(*fgd));
	if (!fgd)
		return sl_fail_memory(err);
	*state = fgd;
	const int status = fragments_make(&fgd->fragments, setup, err);
	const double gpu = (double)fgd->fragments.total * (double)fgd->fragments.parts;
	for (int k = 1; !status && k < PLACE_SCORE_MAX; k++)
		fgd->step[k - 1] = (int64_t)ceil(log((double)k / (PLACE_SCORE_MAX - k)) * gpu);
	return status;
}

/* floor(100 s(gain)): so many steps begin at the gain or below. */
static int64_t step_of(const struct fgd *fgd, int64_t gain)
{
	uint32_t below = 0;
	for (uint32_t step = 64; step; step /= 2) {
		const uint32_t next = below + step;
		below = next <= SL_LEN(fgd->step) && fgd->step[next - 1] <= gain ? next : below;
	}
	return below;
}

/* ---- Any node ----------------------------------------------------------------------------------------- */

/* A node with a task on it, but for its GPUs. */
struct trial {
	const struct fragments *f;
	const struct sl_node_class *class;
	const struct sl_task_resources *task;
	uint32_t row;      /* Of the cpus that are left then. */
	int64_t otherwise; /* Its fragments then, as if the task had no GPU. */
};

static struct trial trial_of(
	const struct fragments *f, const struct sl_node_class *class, const struct sl_task_resources *task)
{
	struct trial trial = { .f = f, .class = class, .task = task };
	trial.row = fragments_row(f, class->free[SL_KIND_CPUS] - task->cpus);
	trial.otherwise = fragments_of(f, class, trial.row);
	return trial;
}

static int64_t place_fgd_before(const struct trial *trial)
{
	const uint32_t row = fragments_row(trial->f, trial->class->free[SL_KIND_CPUS]);
	return row == trial->row ? trial->otherwise : fragments_of(trial->f, trial->class, row);
}

/* With a profile from that slice on. */
static int64_t after_slice(const struct trial *trial, uint32_t device, uint32_t slice, uint32_t slices)
{
	const int64_t taken = ((INT64_C(1) << slices) - 1) << slice;
	const struct device_left then = { device, trial->class->device[device] & ~taken, trial->otherwise };
	return fragments_with(trial->f, trial->class, trial->row, &then);
}

/* With a share of that device; INT64_MAX: it does not fit. */
static int64_t after_share(const struct trial *trial, uint32_t device)
{
	const struct sl_device *what = &trial->f->cluster->type[trial->class->type].device[device];
	const int64_t share = place_share_of(trial->task, what, trial->f->parts);
	const int64_t now = trial->class->device[device];
	if (share < 0 || now < share)
		return INT64_MAX;
	return fragments_with(trial->f, trial->class, trial->row,
		&(struct device_left){ device, now - share, trial->otherwise });
}

static int64_t after_profile(const struct trial *trial, uint32_t device)
{
	const struct sl_device *what = &trial->f->cluster->type[trial->class->type].device[device];
	if (!place_kind_will_do(trial->task, what->kind))
		return INT64_MAX;
	uint32_t slices = 0;
	const uint32_t starts = place_starts(
		trial->f->cluster, trial->task->mig, what, (uint32_t)trial->class->device[device], &slices);
	int64_t least = INT64_MAX;
	for (uint32_t slice = 0; slice < SL_MIG_SLICES; slice++) {
		const int64_t after =
			starts >> slice & 1 ? after_slice(trial, device, slice, slices) : INT64_MAX;
		least = after < least ? after : least;
	}
	return least;
}

/* On the device where that is least. */
static int64_t after_some(const struct trial *trial)
{
	const uint32_t count = trial->f->cluster->type[trial->class->type].device_count;
	const uint32_t *model = trial->f->model_of[trial->class->type];
	const int64_t *free = trial->class->device;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (i && free[i] == free[i - 1] && model[i] == model[i - 1])
			continue; /* As the one before. */
		const int64_t after = trial->task->mig ? after_profile(trial, i) : after_share(trial, i);
		least = after < least ? after : least;
	}
	return least;
}

/* With whole devices, the first that are free. */
static int64_t after_whole(const struct trial *trial, uint32_t devices)
{
	const struct sl_node_type *type = &trial->f->cluster->type[trial->class->type];
	int64_t free[SL_DEVICES_MAX];
	memcpy(free, trial->class->device, type->device_count * sizeof(*free));
	for (uint32_t i = 0; devices && i < type->device_count; i++) {
		if (!place_holds(trial->class, trial->task, i))
			continue;
		free[i] = 0;
		devices--;
	}
	struct sl_node_class then = *trial->class;
	then.device = free;
	return devices ? INT64_MAX : fragments_of(trial->f, &then, trial->row);
}

/* Where devices are not followed: of the first type that has enough. */
static int64_t after_kind(const struct trial *trial)
{
	const uint32_t kinds = trial->f->cluster->kind_count;
	int64_t free[SL_KINDS_MAX];
	memcpy(free, trial->class->free, kinds * sizeof(*free));
	uint32_t kind = SL_KIND_GPUS;
	while (kind < kinds && !(place_kind_will_do(trial->task, kind) && free[kind] >= trial->task->gpus))
		kind++;
	if (kind == kinds)
		return INT64_MAX;
	free[kind] -= trial->task->gpus;
	struct sl_node_class then = *trial->class;
	then.free = free;
	return fragments_of(trial->f, &then, trial->row);
}

static int64_t after(const struct trial *trial)
{
	const uint32_t devices = place_asks_devices(trial->task, trial->f->parts);
	if (!devices)
		return trial->otherwise;
	if (!trial->class->device)
		return after_kind(trial);
	return place_asks_some(trial->task, trial->f->parts) ? after_some(trial)
							     : after_whole(trial, devices);
}

/* How much fragments become less, with the best devices; INT64_MIN: the task does not fit. */
static int64_t gain_of(
	const struct fgd *fgd, const struct sl_node_class *class, const struct sl_task_resources *task)
{
	const struct trial trial = trial_of(&fgd->fragments, class, task);
	const int64_t then = after(&trial);
	return then == INT64_MAX ? INT64_MIN : place_fgd_before(&trial) - then;
}

static int64_t gain_on(const struct fgd *fgd, const struct sl_device_pick *pick)
{
	const struct sl_node_class *class = pick->class;
	const struct sl_task_resources *task = &pick->group->task;
	const struct trial trial = trial_of(&fgd->fragments, class, task);
	int64_t then = INT64_MAX;
	if (task->mig) {
		const struct sl_device *what = &class->cluster->type[class->type].device[pick->device];
		uint32_t slices = 0;
		(void)place_starts(class->cluster, task->mig, what, 0, &slices);
		then = after_slice(&trial, pick->device, pick->slice, slices);
	} else {
		then = after_share(&trial, pick->device);
	}
	return then == INT64_MAX ? INT64_MIN : place_fgd_before(&trial) - then;
}

/* ---- A node whose devices are alike, the same in one go -------------------------------------- */

/* Of what is free on it, as weights now and then, when the task has its cpus but no GPU yet. */
struct tally {
	const struct model *model;
	const int64_t *then; /* Weights. */
	const int64_t *several;
	int64_t parts, total;
	int64_t usable, usable_then; /* By requests of one device. */
	int64_t whole;
};

static int64_t by_several(const struct tally *t, const int64_t *several, int64_t whole)
{
	return several[whole] * whole * t->parts;
}

static void tally_node(struct tally *t, const int64_t *now, const struct sl_node_class *class)
{
	const uint32_t count = class->cluster->type[class->type].device_count;
	const uint16_t *column = t->model->column;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t left = class->device[i] > 0 ? class->device[i] : 0;
		t->usable += left * now[column[left]];
		t->usable_then += left * t->then[column[left]];
		t->whole += left == t->parts;
	}
}

/* What more is usable (less, that is) when a share is allocated of one of those devices: the most. */
static int64_t best_share(const struct tally *t, const int64_t *device, uint32_t count, int64_t share)
{
	const uint16_t *column = t->model->column;
	const int64_t broken =
		t->whole ? by_several(t, t->several, t->whole) - by_several(t, t->several, t->whole - 1) : 0;
	int64_t best = INT64_MIN;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t now = device[i] > 0 ? device[i] : 0;
		const int64_t left = now > share ? now - share : 0;
		const int64_t more = left * t->then[column[left]] - now * t->then[column[now]] -
				     (now == t->parts ? broken : 0);
		best = now >= share && more > best ? more : best;
	}
	return best;
}

/* Of devices [from, until) one, or so many whole ones of the node. */
static int64_t gain_alike(const struct fgd *fgd, const struct sl_node_class *class,
	const struct sl_task_resources *task, uint32_t from, uint32_t until)
{
	const struct fragments *f = &fgd->fragments;
	const struct model *model = &f->model[f->model_of[class->type][0]];
	const uint32_t row = fragments_row(f, class->free[SL_KIND_CPUS]);
	const uint32_t row_then = fragments_row(f, class->free[SL_KIND_CPUS] - task->cpus);
	struct tally t = { .model = model,
		.then = model_weights(model, row_then),
		.several = model_several(model, row_then),
		.parts = f->parts,
		.total = f->total };
	tally_node(&t, model_weights(model, row), class);
	const int64_t now = t.usable + by_several(&t, model_several(model, row), t.whole);
	const int64_t then = t.usable_then + by_several(&t, t.several, t.whole);
	const int64_t share = place_share_of(task, &model->device, f->parts);
	if (task->gpus <= 0 && task->gpu_mem <= 0)
		return then - now;
	if (share < 0)
		return INT64_MIN;
	if (place_asks_some(task, f->parts)) {
		const int64_t more = best_share(&t, &class->device[from], until - from, share);
		return more == INT64_MIN ? more : share * t.total + then + more - now;
	}
	const int64_t devices = place_asks_devices(task, f->parts);
	if (t.whole < devices)
		return INT64_MIN;
	const int64_t left = t.usable_then - devices * t.parts * t.then[model->column[t.parts]];
	return devices * t.parts * t.total + left + by_several(&t, t.several, t.whole - devices) - now;
}

static bool is_alike(
	const struct fgd *fgd, const struct sl_node_class *class, const struct sl_task_resources *task)
{
	return class->device && fgd->fragments.alike[class->type] && !task->mig;
}

static int64_t score_of(const struct fgd *fgd, int64_t gain)
{
	return gain == INT64_MIN ? 0 : -step_of(fgd, gain);
}

static int64_t fgd_score(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)tasks; /* One at a time. */
	const struct fgd *fgd = state;
	const struct sl_task_resources *task = &group->task;
	if (!is_alike(fgd, class, task))
		return score_of(fgd, gain_of(fgd, class, task));
	const uint32_t count = class->cluster->type[class->type].device_count;
	return score_of(fgd, gain_alike(fgd, class, task, 0, count));
}

static int64_t fgd_device(void *state, const struct sl_device_pick *pick)
{
	const struct fgd *fgd = state;
	const struct sl_task_resources *task = &pick->group->task;
	if (!is_alike(fgd, pick->class, task))
		return score_of(fgd, gain_on(fgd, pick));
	return score_of(fgd, gain_alike(fgd, pick->class, task, pick->device, pick->device + 1));
}

const struct sl_node_scorer place_fgd = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = "fgd",
	.summary =
		"one task at a time, to the node where it makes the least fragments of free GPUs, in steps of a hundredth",
	.paper = "Weng et al., USENIX ATC 2023",
	.one_at_a_time = true,
	.devices = true,
	.init = fgd_init,
	.score = fgd_score,
	.score_device = fgd_device,
};
