/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_place.c - which node, and which of its GPUs, worked by hand: one clause of filters and scores a
 * test. (KAI: framework/session.go, plugins nodeplacement, gpusharingorder, nodeavailability, resourcetype,
 * gpupack, gpuspread, nominatednode.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/world/kai_small.h"

static struct kai_small open_instance(void)
{
	struct kai_small w = kai_small_open();
	(void)kai_small_queue(&w, "q", NULL, 0, -1, 1);
	return w;
}

static uint32_t running(struct kai_small *w, const char *name, int64_t gpus, const char *node)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, gpus, 10);
	kai_small_run(w, job, node, KAI_NO, 10);
	return job;
}

static uint32_t share(
	struct kai_small *w, const char *name, int64_t hundredths, const char *node, uint32_t row)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, 1, 10);
	kai_small_fraction(w, job, hundredths, 1);
	kai_small_run(w, job, node, row, 10);
	return job;
}

static uint32_t pending(struct kai_small *w, const char *name, int64_t gpus)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, gpus, 10);
	kai_small_enter(w, job);
	return job;
}

static uint32_t fraction(struct kai_small *w, const char *name, int64_t hundredths, int64_t devices)
{
	const uint32_t job = kai_small_job(w, name, "q", 50, 1, 1, 10);
	kai_small_fraction(w, job, hundredths, devices);
	kai_small_enter(w, job);
	return job;
}

static void evict(struct kai_small *w, uint32_t job) { kai_evict_task(w->kai, w->kai->job[job].task); }

/* "n0", "n0 later", or "none". */
static const char *spot_of(struct kai_small *w, uint32_t job, struct kai_spot *spot)
{
	if (!kai_best_spot(w->kai, w->kai->job[job].task, NULL, NULL, spot))
		return "none";
	char *text = sl_alloc(w->arena, 64, 1);
	cr_assert(text != NULL);
	(void)snprintf(text, 64, "%s%s", w->kai->node[spot->node].name, spot->now ? "" : " later");
	return text;
}

static void expect(struct kai_small *w, uint32_t job, const char *want, const char *why)
{
	struct kai_spot spot;
	const char *got = spot_of(w, job, &spot);
	cr_expect_str_eq(got, want, "%s: '%s', not '%s'", why, got, want);
}

/* Equal nodes: the first by name, whatever the order of rows. */
Test(kai_place, ties_by_name)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "b", 2);
	(void)kai_small_node(&w, "a10", 2);
	(void)kai_small_node(&w, "a2", 2);
	kai_small_seal(&w);
	expect(&w, pending(&w, "j", 1), "a10", "byte by byte");
	kai_small_close(&w);
}

/* Least free that fits; one that is full is no candidate; devices that are shared are used whole. */
Test(kai_place, binpack)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 4);
	(void)kai_small_node(&w, "n1", 4);
	(void)kai_small_node(&w, "n2", 4);
	kai_small_seal(&w);
	(void)running(&w, "r1", 2, "n1");
	(void)running(&w, "r2", 4, "n2");
	expect(&w, pending(&w, "one", 1), "n1", "two are free there");
	expect(&w, pending(&w, "three", 3), "n0", "too many for n1");
	expect(&w, pending(&w, "five", 5), "none", "too many for all");
	(void)share(&w, "s0", 10, "n0", KAI_NO);
	(void)share(&w, "s1", 10, "n0", KAI_NO);
	(void)share(&w, "s2", 10, "n0", KAI_NO);
	expect(&w, pending(&w, "next", 1), "n0", "one is free there");
	w.kai->config.gpu_placement = KAI_SPREAD;
	/* n0: one whole and three of 90 %, of 4; n1: 2 of 4. */
	expect(&w, pending(&w, "wide", 1), "n0", "spread counts what is left of shared ones");
	w.kai->config.gpu_placement = KAI_PLAIN;
	(void)running(&w, "r3", 1, "n0");
	expect(&w, pending(&w, "plain", 1), "n1", "no placement: by name");
	kai_small_close(&w);
}

/* Tasks without GPUs are packed by cpu, and go to nodes without GPUs before that. */
Test(kai_place, cpu)
{
	struct kai_small w = open_instance();
	const uint32_t n0 = kai_small_node(&w, "n0", 1), n1 = kai_small_node(&w, "n1", 1);
	w.kai->node[n0].cpu = 8000;
	w.kai->node[n1].cpu = 4000;
	kai_small_seal(&w);
	expect(&w, pending(&w, "a", 0), "n1", "less cpu is free there");
	w.kai->config.cpu_placement = KAI_SPREAD;
	(void)running(&w, "r", 0, "n1");
	expect(&w, pending(&w, "b", 0), "n0", "all of it is free there, three quarters on n1");
	w.kai->config.cpu_placement = KAI_BINPACK;
	const uint32_t n2 = kai_small_node(&w, "n2", 0);
	w.kai->node[n2].cpu = 64000;
	kai_small_seal(&w);
	expect(&w, pending(&w, "c", 0), "n2", "it has no GPUs");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_RESOURCETYPE;
	expect(&w, pending(&w, "d", 0), "n1", "without that plugin");
	kai_small_close(&w);
}

/* What is idle now goes before any packing. */
Test(kai_place, availability)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 1);
	(void)kai_small_node(&w, "n1", 8);
	kai_small_seal(&w);
	const uint32_t gone = running(&w, "r", 1, "n0");
	evict(&w, gone);
	expect(&w, pending(&w, "a", 1), "n1", "n0 is free later");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_NODEAVAILABILITY;
	expect(&w, pending(&w, "b", 1), "n0 later", "without that plugin");
	w.kai->config.plugins = KAI_ALL_PLUGINS;
	(void)running(&w, "all", 8, "n1");
	expect(&w, pending(&w, "c", 1), "n0 later", "nothing else is left");
	kai_small_close(&w);
}

/* Idle devices that are promised to what waits are not free. */
Test(kai_place, promised)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 1);
	kai_small_seal(&w);
	const uint32_t a = pending(&w, "a", 1);
	kai_pipeline_task(w.kai, w.kai->job[a].task, 0, NULL);
	expect(&w, pending(&w, "b", 1), "none", "a is to have it");
	kai_small_close(&w);
}

/* A device that others share goes first, before availability; of such devices the fullest that fits. */
Test(kai_place, shares)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 2);
	const uint32_t n1 = kai_small_node(&w, "n1", 4);
	kai_small_seal(&w);
	(void)share(&w, "s20", 20, "n1", KAI_NO);
	(void)share(&w, "s60", 60, "n1", KAI_NO);
	struct kai_spot spot;
	const uint32_t a = fraction(&w, "a", 40, 1);
	cr_expect_str_eq(spot_of(&w, a, &spot), "n1", "a shared one is there");
	cr_expect_eq(w.kai->node[n1].shared[spot.shared[0]].allocated, 60, "the fullest with room");
	const uint32_t b = fraction(&w, "b", 50, 1);
	cr_expect_str_eq(spot_of(&w, b, &spot), "n1");
	cr_expect_eq(w.kai->node[n1].shared[spot.shared[0]].allocated, 20, "60 and 50 are too much");
	const uint32_t c = fraction(&w, "c", 90, 1);
	cr_expect_str_eq(spot_of(&w, c, &spot), "n0", "no shared one has room: less is free there");
	w.kai->config.gpu_order = KAI_SPREAD;
	cr_expect_str_eq(spot_of(&w, a, &spot), "n1");
	cr_expect_eq(w.kai->node[n1].shared[spot.shared[0]].members, 0, "spread: a whole one");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_GPUSHARING;
	expect(&w, a, "n0", "without that plugin the shared one counts for nothing");
	kai_small_close(&w);
}

/* A share lies on one device: two of 40 % free hold no 60 %. */
Test(kai_place, never_split)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 2);
	kai_small_seal(&w);
	(void)share(&w, "s0", 60, "n0", KAI_NO);
	(void)share(&w, "s1", 60, "n0", KAI_NO);
	expect(&w, fraction(&w, "a", 60, 1), "none", "40 and 40 are free");
	expect(&w, fraction(&w, "b", 40, 2), "n0", "40 of two");
	expect(&w, fraction(&w, "c", 40, 3), "none", "there are two");
	expect(&w, pending(&w, "d", 1), "none", "whole GPUs are not shared");
	kai_small_close(&w);
}

/* Several devices: shared ones first, then whole ones, each its own row. */
Test(kai_place, several_devices)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 3);
	kai_small_seal(&w);
	(void)share(&w, "s", 60, "n0", KAI_NO);
	const uint32_t a = fraction(&w, "a", 30, 3);
	struct kai_spot spot;
	cr_expect_str_eq(spot_of(&w, a, &spot), "n0");
	cr_expect_eq(w.kai->node[0].shared[spot.shared[0]].allocated, 60);
	cr_expect(spot.shared[1] != spot.shared[2] && spot.shared[1] != spot.shared[0]);
	kai_allocate_task(w.kai, w.kai->job[a].task, 0, spot.shared);
	cr_expect_eq(w.kai->node[0].idle.gpus, 0);
	cr_expect_eq(kai_charge(w.kai, w.kai->job[a].task).at[KAI_GPUS], 9 * KAI_GPU / 10, "three of 30 %%");
	kai_small_close(&w);
}

/* Any device that does not fit right now: the task waits for all of them. */
Test(kai_place, shares_later)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 2);
	kai_small_seal(&w);
	const uint32_t row = kai_shared_row(w.kai, 0);
	(void)share(&w, "s0", 50, "n0", row);
	const uint32_t gone = share(&w, "s1", 40, "n0", row);
	evict(&w, gone);
	expect(&w, fraction(&w, "a", 10, 1), "n0", "10 of it are free");
	expect(&w, fraction(&w, "b", 50, 1), "n0 later", "40 more later; packed before the idle one");
	expect(&w, fraction(&w, "c", 50, 2), "n0 later", "one of them is free now");
	w.kai->config.gpu_order = KAI_SPREAD;
	expect(&w, fraction(&w, "d", 50, 1), "n0", "the idle one first");
	kai_small_close(&w);
}

/* A device that all leave is a whole one, not a shared one. */
Test(kai_place, leaving_device)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 1);
	kai_small_seal(&w);
	evict(&w, share(&w, "s", 50, "n0", KAI_NO));
	struct kai_spot spot;
	const uint32_t a = fraction(&w, "a", 30, 1);
	cr_expect_str_eq(spot_of(&w, a, &spot), "n0 later");
	cr_expect_eq(w.kai->node[0].shared[spot.shared[0]].members, 0, "a new one");
	expect(&w, pending(&w, "b", 1), "n0 later", "a whole one too");
	kai_pipeline_task(w.kai, w.kai->job[a].task, 0, spot.shared);
	expect(&w, pending(&w, "c", 1), "none", "a is to have it");
	const uint32_t d = fraction(&w, "d", 70, 1);
	const uint32_t first = spot.shared[0];
	cr_expect_str_eq(spot_of(&w, d, &spot), "n0 later", "beside a");
	cr_expect_eq(spot.shared[0], first);
	kai_small_close(&w);
}

/* Memory fits by the device's own; a device whose memory is not known takes none; a device is not exceeded.
 */
Test(kai_place, memory)
{
	struct kai_small w = open_instance();
	const uint32_t n0 = kai_small_node(&w, "n0", 1), n1 = kai_small_node(&w, "n1", 2);
	w.kai->node[n0].gpu_mem = 0;
	w.kai->node[n1].gpu_mem = 16000;
	kai_small_seal(&w);
	const uint32_t a = kai_small_job(&w, "a", "q", 50, 1, 1, 10);
	kai_small_memory(&w, a, 10000, 1);
	kai_small_enter(&w, a);
	struct kai_spot spot;
	cr_expect_str_eq(spot_of(&w, a, &spot), "n1");
	kai_allocate_task(w.kai, w.kai->job[a].task, n1, spot.shared);
	cr_expect_eq(
		kai_charge(w.kai, w.kai->job[a].task).at[KAI_GPUS], KAI_GPU / 100 * 63, "62.5 rounded up");
	const uint32_t b = kai_small_job(&w, "b", "q", 50, 1, 1, 10);
	kai_small_memory(&w, b, 6000, 1);
	kai_small_enter(&w, b);
	cr_expect_str_eq(spot_of(&w, b, &spot), "n1");
	cr_expect_eq(w.kai->node[n1].shared[spot.shared[0]].allocated, 10000, "beside a, to the brim");
	const uint32_t c = kai_small_job(&w, "c", "q", 50, 1, 1, 10);
	kai_small_memory(&w, c, 32000, 1);
	kai_small_enter(&w, c);
	expect(&w, c, "none", "twice a device");
	kai_small_close(&w);
}

/* Limits are looked at with the device of each node: 8 000 MiB are half a GPU here and a whole one there. */
Test(kai_place, limit_by_node)
{
	struct kai_small w = kai_small_open();
	const uint32_t n0 = kai_small_node(&w, "n0", 1), n1 = kai_small_node(&w, "n1", 1);
	w.kai->node[n0].gpu_mem = 8000;
	w.kai->node[n1].gpu_mem = 16000;
	(void)kai_small_queue(&w, "q", NULL, 0, 60, 1);
	kai_small_seal(&w);
	const uint32_t a = kai_small_job(&w, "a", "q", 50, 1, 1, 10);
	kai_small_memory(&w, a, 8000, 1);
	kai_small_enter(&w, a);
	expect(&w, a, "n1", "one GPU of n0 is more than 60 %");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_PROPORTION;
	expect(&w, a, "n0", "without that plugin");
	w.kai->config.plugins = KAI_ALL_PLUGINS;
	const uint32_t b = kai_small_job(&w, "b", "q", 125, 1, 1, 10);
	kai_small_memory(&w, b, 8000, 1);
	kai_small_enter(&w, b);
	expect(&w, b, "none", "no quota for what is not preemptible");
	kai_small_close(&w);
}

/* MIG: instances to those that request them, and mixed nodes to nobody else; single ones to whole GPUs. */
Test(kai_place, mig)
{
	struct kai_small w = open_instance();
	const uint32_t mixed = kai_small_node(&w, "mixed", 0), single = kai_small_node(&w, "single", 2);
	const uint32_t profile = kai_mig_profile(w.kai, "1g.5gb");
	w.kai->node[mixed].mig = KAI_MIG_MIXED;
	w.kai->node[single].mig = KAI_MIG_SINGLE;
	cr_assert(kai_node_profile(w.kai, mixed, profile, 2));
	kai_small_seal(&w);
	const struct kai_profiles two = { profile, 2 };
	const struct kai_request desc = { .kind = KAI_MIG_PROFILES, .profile = &two, .profile_count = 1 };
	const uint32_t a = pending(&w, "a", 0), b = pending(&w, "b", 0);
	w.kai->task[w.kai->job[a].task].request = w.kai->task[w.kai->job[b].task].request =
		kai_request(w.kai, &desc);
	expect(&w, a, "mixed", "two instances");
	kai_allocate_task(w.kai, w.kai->job[a].task, mixed, NULL);
	expect(&w, b, "none", "they are gone");
	expect(&w, pending(&w, "c", 1), "single", "a whole GPU");
	expect(&w, fraction(&w, "d", 50, 1), "none", "no shares of either");
	w.kai->node[mixed].gpus = w.kai->node[mixed].idle.gpus = 8;
	expect(&w, pending(&w, "e", 3), "none", "not those of a mixed node");
	expect(&w, pending(&w, "f", 0), "mixed", "without GPUs anywhere");
	kai_small_close(&w);
}

/* Pods: one slot a task; a device that becomes shared needs one more. */
Test(kai_place, pods)
{
	struct kai_small w = open_instance();
	const uint32_t n0 = kai_small_node(&w, "n0", 4);
	w.kai->node[n0].pods = 2;
	kai_small_seal(&w);
	const uint32_t a = fraction(&w, "a", 50, 1), b = fraction(&w, "b", 50, 1),
		       c = fraction(&w, "c", 60, 1);
	struct kai_spot spot;
	cr_expect_str_eq(spot_of(&w, a, &spot), "n0");
	kai_allocate_task(w.kai, w.kai->job[a].task, n0, spot.shared);
	expect(&w, c, "none", "a device of its own, and one slot");
	expect(&w, b, "n0", "beside a");
	const uint32_t d = pending(&w, "d", 1);
	expect(&w, d, "n0", "one slot");
	kai_allocate_task(w.kai, w.kai->job[d].task, n0, NULL);
	expect(&w, b, "none", "no slot");
	kai_small_close(&w);
}

/* Nodes that are not ready, not allowed, or not offered. */
Test(kai_place, filters)
{
	struct kai_small w = open_instance();
	for (uint8_t i = 0; i < 4; i++) {
		char name[8];
		(void)snprintf(name, sizeof(name), "n%u", i);
		(void)kai_small_node(&w, name, 1);
	}
	w.kai->node[0].ready = false;
	kai_small_seal(&w);
	const uint32_t a = pending(&w, "a", 1);
	expect(&w, a, "n1", "n0 is not ready");
	static const uint64_t allowed[1] = { 12 }, offered[1] = { 8 };
	struct kai_request desc = w.kai->request[w.kai->task[w.kai->job[a].task].request];
	desc.allowed = allowed;
	w.kai->task[w.kai->job[a].task].request = kai_request(w.kai, &desc);
	expect(&w, a, "n2", "n2 and n3 will do");
	struct kai_spot spot;
	cr_expect(kai_best_spot(w.kai, w.kai->job[a].task, offered, NULL, &spot));
	cr_expect_eq(spot.node, 3, "n3 is offered");
	uint32_t count[KAI_LACK_BITS];
	(void)running(&w, "r", 1, "n3");
	cr_expect_eq(kai_lacking(w.kai, w.kai->job[a].task, NULL, count), 4);
	cr_expect_eq(count[0], 1, "GPUs on one");
	cr_expect_eq(count[8], 0, "not ready: what is not allowed is said first");
	cr_expect_eq(count[9], 2, "affinity on two");
	cr_expect_str_eq(kai_lack_text(KAI_LACKS_GPUS), "node(s) didn't have enough resources: GPUs");
	kai_small_close(&w);
}

/* Nodes for GPU tasks alone, and for others alone. */
Test(kai_place, workers)
{
	struct kai_small w = open_instance();
	const uint32_t n0 = kai_small_node(&w, "n0", 0);
	(void)kai_small_node(&w, "n1", 2);
	w.kai->node[n0].cpu_worker = true;
	w.kai->config.gpu_workers_only = true;
	kai_small_seal(&w);
	w.kai->node[n0].gpus = w.kai->node[n0].idle.gpus = 2;
	expect(&w, pending(&w, "a", 1), "n1", "n0 is for cpus");
	(void)running(&w, "r", 2, "n1");
	expect(&w, pending(&w, "b", 1), "none", "n0 is for cpus");
	w.kai->node[n0].cpu_worker = false;
	expect(&w, pending(&w, "c", 0), "none", "no node is for cpus");
	kai_small_close(&w);
}

/* Where it was to start goes before all else. */
Test(kai_place, nominated)
{
	struct kai_small w = open_instance();
	(void)kai_small_node(&w, "n0", 4);
	(void)kai_small_node(&w, "n1", 4);
	kai_small_seal(&w);
	(void)running(&w, "r", 3, "n0");
	const uint32_t a = pending(&w, "a", 1);
	expect(&w, a, "n0", "packed");
	w.kai->task[w.kai->job[a].task].nominated = 1;
	expect(&w, a, "n1", "nominated");
	w.kai->config.plugins &= ~(uint32_t)KAI_PLUGIN_NOMINATED;
	expect(&w, a, "n0", "without that plugin");
	const double extra[2] = { 3, 4 };
	struct kai_spot spot;
	cr_expect(kai_best_spot(w.kai, w.kai->job[a].task, NULL, extra, &spot));
	cr_expect_eq(spot.node, 1, "what topology adds goes before packing");
	kai_small_close(&w);
}
