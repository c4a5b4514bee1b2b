/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reports_registry.c - the metrics and the files of a run, in the order in which they are written.
 */
#include "sim/plugin.h"

extern const struct sl_metric metrics_of_wait, metrics_of_preemption, metrics_of_slowdown, metrics_of_use,
	metrics_of_active, metrics_of_queue, metrics_of_groups, metrics_of_gauges, metrics_of_fill,
	metrics_of_calibration, metrics_of_field;
extern const struct sl_report csv_jobs, csv_attempts, csv_usage, csv_reasons, csv_gauges, fill_csv,
	csv_node_changes;
extern const struct sl_report metrics_idle_gpus, metrics_fairness, calibration_csv;
extern const struct sl_document export_perfetto, export_svg, export_pdf, export_markdown, export_latex;
extern const struct sl_report report_sacct, report_batsim_jobs, report_batsim_schedule;
extern const struct sl_document page_document, csv_sqlite;

static const struct sl_metric *const metrics[] = { &metrics_of_wait, &metrics_of_preemption,
	&metrics_of_slowdown, &metrics_of_use, &metrics_of_active, &metrics_of_queue, &metrics_of_groups,
	&metrics_of_gauges, &metrics_of_fill, &metrics_of_calibration, &metrics_of_field, NULL };

static const struct sl_report *const reports[] = { &csv_jobs, &csv_attempts, &csv_usage, &csv_reasons,
	&csv_gauges, &fill_csv, &csv_node_changes, &metrics_idle_gpus, &metrics_fairness, &calibration_csv,
	&report_sacct, &report_batsim_jobs, &report_batsim_schedule, NULL };

static const struct sl_document *const documents[] = { &page_document, &export_perfetto, &export_svg,
	&export_pdf, &export_markdown, &export_latex, &csv_sqlite, NULL };

const struct sl_plugin reports_builtin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "reports",
	.metrics = metrics,
	.reports = reports,
	.documents = documents,
};
