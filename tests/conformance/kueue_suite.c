/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_suite.c - the suite kueue: files of recorded cases, each case in a world of its own.
 */
#include "sim/base/base.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/kueue_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	kueue_op *run;
} ops[] = {
	{ "available", op_available },
	{ "dominant_resource_share", op_dominant_resource_share },
	{ "queue_head", op_queue_head },
	{ "heads", op_heads },
	{ "queue_order_timestamp", op_queue_order_timestamp },
	{ "requeue", op_requeue },
	{ "queue_ops", op_queue_ops },
	{ "requeue_cohort_tree", op_requeue_cohort_tree },
	{ "backoff_expired", op_backoff_expired },
	{ "assign_flavors", op_assign_flavors },
	{ "podset_search", op_podset_search },
	{ "total_requests", op_total_requests },
	{ "limit_reclaimable", op_limit_reclaimable },
	{ "compare_flavor_modes", op_compare_flavor_modes },
	{ "reserve", op_reserve },
	{ "preemption_targets", op_preemption_targets },
	{ "order_candidates", op_order_candidates },
	{ "tas_place", op_tas_place },
	{ "tas_sort_domains", op_tas_sort_domains },
	{ "schedule_cycle", op_schedule_cycle },
	{ "two_phase_schedule", op_two_phase_schedule },
	{ "order_entries", op_order_entries },
	{ "reconcile_workload", op_reconcile_workload },
	{ "pods_ready_check", op_pods_ready_check },
	{ "set_requeue_state", op_set_requeue_state },
	{ "cluster_queue_status", op_cluster_queue_status },
};

const char *kc_fail(struct kueue_case *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	return c->why;
}

static kueue_op *op_of(const char *name)
{
	for (size_t i = 0; i < SL_LEN(ops); i++)
		if (strcmp(ops[i].name, name) == 0)
			return ops[i].run;
	return NULL;
}

static void run_case(const struct sl_doc *doc, const struct sl_doc_node *root, struct tally *tally)
{
	static const char *const no_memory = "out of memory";
	struct kueue_case c = { .arena = sl_arena_new(), .doc = doc, .root = root };
	c.id = kc_str(&c, root, "id", "?");
	c.op = kc_str(&c, root, "op", "?");
	c.given = kc_get(&c, root, "given");
	c.input = kc_get(&c, root, "input");
	c.expect = kc_get(&c, root, "expect");
	kueue_op *run = op_of(c.op);
	c.kq = c.arena ? kq_new(c.arena) : NULL;
	c.scratch = kq_scratch_new();
	const char *failure = no_memory;
	if (c.kq && c.scratch && !run) {
		failure = kc_fail(&c, "no such op: %s", c.op);
	} else if (c.kq && c.scratch) {
		kc_build(&c);
		failure = c.kq->err.status ? c.kq->err.text : run(&c);
		if (!failure && c.kq->err.status)
			failure = c.kq->err.text;
	}
	tally_case(tally, c.id, failure);
	kq_scratch_free(c.scratch);
	kq_free(c.kq);
	sl_arena_free(c.arena);
}

void kueue_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	struct sl_err err = { 0 };
	struct sl_input *in = NULL;
	const char *text, *end;
	(void)options;
	const size_t len = strlen(path);
	if (len < 5 || strcmp(path + len - 5, ".json") != 0)
		return;
	if (sl_input_open(&in, path, &err) != 0 || sl_input_all(in, &text, &end, &err) != 0) {
		tally_case(tally, path, err.text);
		sl_input_close(in);
		return;
	}
	struct sl_doc doc = { .file = path };
	if (sl_doc_read_json(&doc, text, (size_t)(end - text), &err) != 0) {
		tally_case(tally, path, err.text);
	} else {
		const struct kueue_case file = { .doc = &doc };
		const struct sl_doc_node *cases = kc_get(&file, &doc.node[0], "cases");
		for (const struct sl_doc_node *one = cases ? kc_first(&file, cases) : NULL; one;
			one = kc_next(&file, one))
			run_case(&doc, one, tally);
	}
	sl_doc_release(&doc);
	sl_input_close(in);
}
