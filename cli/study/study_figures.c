/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * study_figures.c - what a panel's comparison is made into while its runs are there: the page, and each
 * figure as SVG and PDF at the width of a paper's column.
 *
 * Figures have no heading: a paper has captions. A run is handed to all of them as it is over.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/study/study.h"
#include "reports/export/export.h"

enum { COLUMN_PIXELS = 336, FORMATS = 2, CHARTS = 6 }; /* 3.5 inches. */

static const char *const charts[CHARTS + 1] = { "utilization", "queue", "wait-survival", "slowdown-cdf",
	"unfairness", "comparison", NULL };
static const char *const formats[FORMATS] = { "svg", "pdf" };
/* A figure of all metrics is a page high. */
static const char *const compared_metrics[] = { "wait.mean", "bounded_slowdown.mean", "utilization" };

const char *study_chart(size_t i) { return i < CHARTS ? charts[i] : NULL; }

struct figure {
	const struct sl_document *document;
	void *self;
	char path[200];
};

struct figures {
	struct figure page, figure[CHARTS * FORMATS];
	size_t count;
};

extern const struct sl_document page_document;

static int figure_open(struct figure *figure, const struct sl_document *document,
	const struct sl_document_options *options, struct sl_err *err)
{
	figure->document = document;
	return document->open(&figure->self, options, err);
}

static int study_document_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	struct figures *all = calloc(1, sizeof(*all));
	const char *prefix = options->chart;
	struct sl_document_options page = *options;
	*self = all;
	if (!all)
		return sl_fail_memory(err);
	page.chart = NULL;
	int status = figure_open(&all->page, &page_document, &page, err);
	for (size_t i = 0; i < SL_LEN(all->figure) && prefix && !status; i++) {
		struct figure *figure = &all->figure[all->count++];
		const char *chart = charts[i / FORMATS];
		const struct sl_document_options wanted = {
			.chart = chart, .width = COLUMN_PIXELS, .runs = options->runs
		};
		(void)snprintf(figure->path, sizeof(figure->path), "%.150s%s.%s", prefix, chart,
			formats[i % FORMATS]);
		status = figure_open(figure, i % FORMATS ? &export_pdf : &export_svg, &wanted, err);
	}
	return status;
}

static int study_document_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	struct figures *all = self;
	int status = all->page.document->add(all->page.self, reported, err);
	for (size_t i = 0; i < all->count && !status; i++)
		status = all->figure[i].document->add(all->figure[i].self, reported, err);
	return status;
}

static int figure_write(const struct figure *figure, const struct sl_compared *compared, struct sl_err *err)
{
	struct sl_out *out;
	int status = sl_out_open(&out, figure->path, err);
	if (status)
		return status;
	status = figure->document->write(figure->self, compared, out, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

static int study_document_write(
	void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	struct figures *all = self;
	struct sl_compared bare = *compared;
	struct sl_metric_info kept[SL_LEN(compared_metrics)];
	size_t count = 0;
	for (size_t i = 0; i < compared->metric_info_count; i++)
		for (size_t k = 0; k < SL_LEN(compared_metrics) && count < SL_LEN(kept); k++)
			if (strcmp(compared->metric_info[i].name, compared_metrics[k]) == 0)
				kept[count++] = compared->metric_info[i];
	bare.title = "";
	bare.metric_info = kept;
	bare.metric_info_count = count;
	int status = all->page.document->write(all->page.self, compared, out, err);
	for (size_t i = 0; i < all->count && !status; i++)
		status = figure_write(&all->figure[i], &bare, err);
	return status;
}

static void study_document_close(void *self)
{
	struct figures *all = self;
	if (!all)
		return;
	if (all->page.document)
		all->page.document->close(all->page.self);
	for (size_t i = 0; i < all->count; i++)
		if (all->figure[i].document)
			all->figure[i].document->close(all->figure[i].self);
	free(all);
}

const struct sl_document study_document = { .abi = SL_ABI_OF(struct sl_document),
	.name = "study",
	.summary = "the page and the figures of a study's panel",
	.file = "report.html",
	.open = study_document_open,
	.add = study_document_add,
	.write = study_document_write,
	.close = study_document_close };
