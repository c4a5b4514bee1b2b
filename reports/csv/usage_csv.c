/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_csv.c - usage.csv: what was busy and what waited, from each time on until the next line's.
 *
 * It is written from a result, or while a run goes on, from points as they come.
 *
 * Times ascend strictly and neighbouring lines differ: of several points at one instant the last holds.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

enum { LINE = 9 * CSV_NUMBER, LINES = 64 };

struct csv_usage {
	struct sl_out *out;
	bool begun;
	char *p; /* Where the next line goes, with room for `room` of them. */
	size_t room;
	/* What every line says the same: how much there is, and how it is counted. */
	struct csv_word cpus, gpus;
	int64_t cpu_parts, gpu_parts;
	bool nodes; /* What only those have is counted too. */
	struct csv_numbers numbers;
	struct sl_usage_point before,
		held; /* The last line's; the one that may hold. SL_NONE: there is none. */
};

static bool usage_csv_same(const struct sl_usage_point *a, const struct sl_usage_point *b, bool nodes)
{
	return a->cpus_busy == b->cpus_busy && a->cpus_queued == b->cpus_queued && a->running == b->running &&
	       a->queued == b->queued &&
	       (!nodes || (a->gpus_busy == b->gpus_busy && a->nodes_busy == b->nodes_busy));
}

static void put_total(struct csv_word *word, int64_t total, int64_t parts)
{
	char number[CSV_NUMBER];
	*sl_put_parts(number, total, parts) = '\0';
	csv_word_set(word, number);
}

static void begin(struct csv_usage *writer, const struct sl_cluster *cluster, int64_t cpus)
{
	writer->begun = true;
	writer->nodes = cluster && cluster->node_count;
	writer->cpu_parts = cluster ? sl_parts(cluster->cpu_parts) : 1;
	writer->gpu_parts = cluster ? sl_parts(cluster->gpu_parts) : 1;
	put_total(&writer->cpus, cpus, writer->cpu_parts);
	put_total(&writer->gpus, writer->nodes ? cluster->gpus : 0, writer->gpu_parts);
	sl_out_text(writer->out, "time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued");
	sl_out_text(writer->out, writer->nodes ? ",gpus_busy,gpus_total,nodes_busy\n" : "\n");
	writer->p = sl_out_reserve(writer->out, LINES * LINE);
	writer->room = LINES;
}

static inline char *put_point(char *p, const struct csv_usage *writer, const struct sl_usage_point *point)
{
	const struct csv_numbers *numbers = &writer->numbers;
	p = csv_field_micro(p, numbers, point->at);
	p = csv_field_parts(p, numbers, point->cpus_busy, writer->cpu_parts);
	p = csv_put_word(p, &writer->cpus);
	p = csv_field(p, numbers, point->running);
	p = csv_field(p, numbers, point->queued);
	p = csv_field_parts(p, numbers, point->cpus_queued, writer->cpu_parts);
	if (writer->nodes) {
		p = csv_field_parts(p, numbers, point->gpus_busy, writer->gpu_parts);
		p = csv_put_word(p, &writer->gpus);
		p = csv_field(p, numbers, point->nodes_busy);
	}
	p[-1] = '\n';
	return p;
}

/* The point that holds is a line, unless that says the same as the one before. */
static void put_held(struct csv_usage *writer)
{
	if (writer->held.at == SL_NONE ||
		(writer->before.at != SL_NONE &&
			usage_csv_same(&writer->before, &writer->held, writer->nodes)))
		return;
	if (!writer->room) {
		sl_out_advance(writer->out, writer->p);
		writer->p = sl_out_reserve(writer->out, LINES * LINE);
		writer->room = LINES;
	}
	writer->room--;
	writer->p = put_point(writer->p, writer, &writer->held);
	writer->before = writer->held;
}

struct csv_usage *csv_usage_new(struct sl_out *out)
{
	struct csv_usage *writer = malloc(sizeof(*writer));
	if (!writer)
		return NULL;
	writer->out = out;
	writer->begun = false;
	writer->before.at = writer->held.at = SL_NONE;
	csv_numbers_make(&writer->numbers);
	return writer;
}

void csv_usage_take(
	void *self, const struct sl_cluster *cluster, int64_t cpus, const struct sl_usage_point *point)
{
	struct csv_usage *writer = self;
	if (!writer->begun)
		begin(writer, cluster, cpus);
	if (point->at != writer->held.at)
		put_held(writer);
	writer->held = *point;
}

void csv_usage_end(struct csv_usage *writer, const struct sl_cluster *cluster, int64_t cpus)
{
	if (!writer->begun)
		begin(writer, cluster, cpus);
	put_held(writer);
	sl_out_advance(writer->out, writer->p);
	free(writer);
}

static int write_usage(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct csv_usage *writer = csv_usage_new(out);
	struct sl_usage_reader reader = { .result = result };
	if (!writer)
		return sl_fail_memory(err);
	for (size_t i = 0; i < result->usage_count; i++)
		csv_usage_take(writer, result->cluster, result->cpus, sl_usage_at(&reader, i));
	csv_usage_end(writer, result->cluster, result->cpus);
	return SL_OK;
}

const struct sl_report csv_usage = { SL_ABI_OF(struct sl_report), "usage.csv",
	"cpus and jobs, running and waiting, over time", write_usage, NULL, false, NULL };
