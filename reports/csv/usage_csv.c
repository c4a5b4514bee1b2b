/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage_csv.c - usage.csv: what was busy and what waited, from each time on until the next line's.
 *
 * Times ascend strictly and neighbouring lines differ: of several points at one instant the last holds.
 */
#include "reports/csv/csv.h"

enum { LINE = 9 * CSV_NUMBER };

/* nodes: what only those have counts too. */
static bool usage_csv_same(const struct sl_usage_point *a, const struct sl_usage_point *b, bool nodes)
{
	return a->cpus_busy == b->cpus_busy && a->cpus_queued == b->cpus_queued && a->running == b->running &&
	       a->queued == b->queued &&
	       (!nodes || (a->gpus_busy == b->gpus_busy && a->nodes_busy == b->nodes_busy));
}

/* What every line says the same: how much there is, and how it is counted. */
struct machine {
	struct csv_word cpus, gpus;
	int64_t cpu_parts, gpu_parts;
};

static void put_total(struct csv_word *word, int64_t total, int64_t parts)
{
	char number[CSV_NUMBER];
	*sl_put_parts(number, total, parts) = '\0';
	csv_word_set(word, number);
}

static char *usage_csv_put_nodes(char *p, const struct sl_usage_point *point, const struct machine *machine)
{
	*p++ = ',';
	p = csv_put_parts(p, point->gpus_busy, machine->gpu_parts);
	*p++ = ',';
	p = csv_put_word(p, &machine->gpus);
	return csv_put_u64(p, point->nodes_busy);
}

static char *put_point(char *p, const struct sl_usage_point *point, const struct machine *machine)
{
	p = csv_put_micro(p, point->at);
	*p++ = ',';
	p = csv_put_parts(p, point->cpus_busy, machine->cpu_parts);
	*p++ = ',';
	p = csv_put_word(p, &machine->cpus);
	p = csv_put_u64(p, point->running);
	*p++ = ',';
	p = csv_put_u64(p, point->queued);
	*p++ = ',';
	return csv_put_parts(p, point->cpus_queued, machine->cpu_parts);
}

static int write_usage(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	const bool nodes = result->cluster && result->cluster->node_count;
	struct machine machine = { .cpu_parts = csv_cpu_parts(result), .gpu_parts = csv_gpu_parts(result) };
	put_total(&machine.cpus, result->cpus, machine.cpu_parts);
	put_total(&machine.gpus, nodes ? result->cluster->gpus : 0, machine.gpu_parts);
	sl_out_text(out, "time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued");
	sl_out_text(out, nodes ? ",gpus_busy,gpus_total,nodes_busy\n" : "\n");
	struct sl_usage_reader reader = { .result = result };
	struct sl_usage_point before = { .at = SL_NONE };
	for (size_t i = 0; i < result->usage_count; i++) {
		const struct sl_usage_point point = *sl_usage_at(&reader, i);
		const bool superseded =
			i + 1 < result->usage_count && sl_usage_at(&reader, i + 1)->at == point.at;
		if (superseded || (before.at != SL_NONE && usage_csv_same(&before, &point, nodes)))
			continue;
		char *p = put_point(sl_out_reserve(out, LINE), &point, &machine);
		if (nodes)
			p = usage_csv_put_nodes(p, &point, &machine);
		*p++ = '\n';
		sl_out_advance(out, p);
		before = point;
	}
	return SL_OK;
}

const struct sl_report csv_usage = { SL_ABI_OF(struct sl_report), "usage.csv",
	"cpus and jobs, running and waiting, over time", write_usage, NULL, false, NULL };
