/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_generator_jobs.c - the workloads of a generator file, as a trace.
 *
 * Each set of each queue is made by a generator of its own, which sleeps the set's interval before it makes
 * each workload: the n-th of a set comes at n intervals. At one instant they come in the order of the file.
 */
#include "traces/kube/kube_generator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MILLISECOND (SL_SECOND / 1000)

struct made {
	int64_t at;      /* ms */
	uint32_t number; /* In the order of the file. */
	uint32_t cohorts, queues, set, workload;
	int64_t cohort, queue, turn;
};

struct reading {
	struct gen gen;
	struct made *made;
	size_t count;
	struct manifest_text manifest;
	const struct sl_sink *sink;
	struct sl_err *err;
};

static int compare_made(const void *a, const void *b)
{
	const struct made *x = a;
	const struct made *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* How many there are of one cohort of the set. */
static uint64_t jobs_of(const struct gen_cohorts *cohorts)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < cohorts->set_count; i++)
		for (uint32_t k = 0; k < cohorts->set[i].set_count; k++)
			count += (uint64_t)cohorts->set[i].count * (uint64_t)cohorts->set[i].set[k].count *
				 cohorts->set[i].set[k].workload_count;
	return count;
}

static void make_set(struct reading *r, struct made made, const struct gen_workloads *set)
{
	for (made.turn = 0; made.turn < set->count; made.turn++)
		for (made.workload = 0; made.workload < set->workload_count; made.workload++) {
			made.at += set->interval_ms;
			made.number = (uint32_t)r->count;
			r->made[r->count++] = made;
		}
}

static void make_cohort(struct reading *r, struct made made)
{
	const struct gen_cohorts *cohorts = &r->gen.cohorts[made.cohorts];
	for (made.queues = 0; made.queues < cohorts->set_count; made.queues++)
		for (made.queue = 0; made.queue < cohorts->set[made.queues].count; made.queue++)
			for (made.set = 0; made.set < cohorts->set[made.queues].set_count; made.set++)
				make_set(r, made, &cohorts->set[made.queues].set[made.set]);
}

static int make_all(struct reading *r)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < r->gen.cohorts_count; i++)
		count += (uint64_t)r->gen.cohorts[i].count * jobs_of(&r->gen.cohorts[i]);
	r->made = calloc(count + 1, sizeof(*r->made));
	if (!r->made)
		return sl_fail_memory(r->err);
	struct made made = { 0 };
	for (made.cohorts = 0; made.cohorts < r->gen.cohorts_count; made.cohorts++)
		for (made.cohort = 0; made.cohort < r->gen.cohorts[made.cohorts].count; made.cohort++)
			make_cohort(r, made);
	qsort(r->made, r->count, sizeof(*r->made), compare_made);
	return SL_OK;
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* Without its name and queue, which the job has: all of a class share it. */
static void put_manifest(struct manifest_text *text, const struct gen_workload *w)
{
	static const char head[] =
		"{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"spec\":{"
		"\"priority\":\"%lld\",\"podSets\":[{\"name\":\"main\",\"count\":\"%lld\",";
	static const char tail[] = "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{"
				   "\"requests\":{\"cpu\":\"%.40s\"}}}]}}}]}}";
	char line[512];
	int len = snprintf(
		line, sizeof(line), head, (long long)w->priority, (long long)(w->level ? w->pods : 1));
	text->len = 0;
	kube_put(text, line, (size_t)len);
	const bool sliced = w->level && w->constraint && strcmp(w->constraint, "balanced") == 0;
	if (sliced)
		len = snprintf(line, sizeof(line),
			"\"topologyRequest\":{\"podSetSliceRequiredTopology\":\"%s\",\"podSetSliceSize\":\"%lld\"},",
			w->level, (long long)(w->slice ? w->slice : 1));
	else if (w->level && w->constraint)
		len = snprintf(
			line, sizeof(line), "\"topologyRequest\":{\"%s\":\"%s\"},", w->constraint, w->level);
	else
		len = 0;
	kube_put(text, line, (size_t)len);
	len = snprintf(line, sizeof(line), tail, w->request);
	kube_put(text, line, (size_t)len);
}

static int row_report(struct reading *r, const struct made *made)
{
	const struct gen_cohorts *cohorts = &r->gen.cohorts[made->cohorts];
	const struct gen_workload *w = &cohorts->set[made->queues].set[made->set].workload[made->workload];
	char queue[GEN_NAME_CAPACITY];
	char id[2 * GEN_NAME_CAPACITY];
	int64_t cpu = 0;
	(void)sl_get_amount("cpu", w->request, strlen(w->request), &cpu);
	gen_queue_name(cohorts, made->cohort, made->queues, made->queue, queue);
	(void)snprintf(id, sizeof(id), "%s/%.60s-%u-%lld-%u", queue, w->class, made->set,
		(long long)made->turn, made->workload);
	put_manifest(&r->manifest, w);
	if (r->manifest.failed)
		return sl_fail_memory(r->err);
	const struct sl_row_group group = { .tasks = w->level ? w->pods : 1,
		SL_ROW_GROUP_NOTHING,
		.cpus = cpu && cpu % 1000 == 0 ? cpu / 1000
			: cpu                  ? cpu
					       : 1,
		.parts = cpu && cpu % 1000 == 0 ? 1 : 1000,
		.gpu_mem = SL_NONE };
	const struct sl_job_attributes job = { .name = w->class,
		SL_JOB_ATTRIBUTES_NONE,
		.namespace = queue,
		.queue = queue,
		.manifest = r->manifest.text,
		.priority = w->priority };
	const struct sl_row_attributes more = {
		.id = id, .user = queue, .group = &group, .group_count = 1, .job = &job
	};
	struct sl_row row = { .line = (uint64_t)made->number + 1, .more = &more };
	for (size_t i = 0; i < SL_COL_COUNT; i++)
		row.col[i] = SL_NONE;
	row.col[SL_COL_SUBMIT] = made->at * MILLISECOND;
	row.col[SL_COL_RUN] = w->run_ms * MILLISECOND;
	return r->sink->job(r->sink->self, &row, r->err);
}

static int generator_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct sl_doc doc = { 0 };
	struct sl_arena *arena = sl_arena_new();
	struct reading r = { .sink = sink, .err = err };
	int status = arena ? gen_file(in, &doc, err) : sl_fail_memory(err);
	if (!status)
		status = gen_read(arena, &doc, &r.gen, err);
	if (!status)
		status = make_all(&r);
	for (size_t i = 0; i < r.count && !status; i++)
		status = row_report(&r, &r.made[i]);
	free(r.made);
	free(r.manifest.text);
	sl_doc_release(&doc);
	sl_arena_free(arena);
	return status;
}

const struct sl_reader kube_generator_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "kueue-generator",
	.summary = "workloads of Kueue's performance test; see schedlab-kubernetes(5)",
	.sniff = kube_generator_sniff,
	.read = generator_read,
};
