/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * selected.c - --metric SELECTOR of a command: metrics of some of the jobs beside those that every run has.
 */
#include <string.h>

#include "cli/base/selector.h"

/* Each as another metric, by its text. */
int selected_put(struct sl_metrics *metrics, const struct scenario *scenario, const struct sl_result *result,
	const struct args *args, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	const bool plain = metrics->plain;
	metrics->plain = false; /* These are wanted, with their conditions. */
	for (size_t i = 0; !status && (text = arg_at(args, "metric", i)); i++) {
		const struct selector *selector;
		int64_t micro;
		bool known;
		status = selector_parse(&selector, text, args->arena, err);
		if (!status)
			status = selector_value(selector, scenario, result, metrics, &micro, &known, err);
		if (!status && known && !metrics_get(metrics, selector_text(selector)))
			sl_metric_put(metrics, selector_text(selector), micro);
		if (!status && metrics->failed)
			status = sl_fail_memory(err);
	}
	metrics->plain = plain;
	return status;
}

int selected_check(const struct scenario *scenario, const struct args *args, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	if (arg(args, "metric") && scenario->window_count)
		return sl_fail(err, SL_USAGE, "--metric is of whole runs: leave out replay.windows");
	for (size_t i = 0; !status && (text = arg_at(args, "metric", i)); i++) {
		const struct selector *selector;
		status = selector_parse(&selector, text, args->arena, err);
		if (!status)
			status = selector_check(selector, scenario, err);
	}
	return status;
}

/* The summary's, then those that were asked for. */
const struct summary_metric *selected_columns(const struct args *args, struct sl_err *err)
{
	size_t count = 0, asked = 0;
	const char *text;
	while (summary_metrics[count].name)
		count++;
	while (arg_at(args, "metric", asked))
		asked++;
	struct summary_metric *column = sl_alloc(args->arena, count + asked + 1, sizeof(*column));
	if (!column) {
		(void)sl_fail_memory(err);
		return NULL;
	}
	memcpy(column, summary_metrics, count * sizeof(*column));
	for (size_t i = 0; (text = arg_at(args, "metric", i)); i++) {
		const struct selector *selector;
		if (selector_parse(&selector, text, args->arena, err))
			return NULL;
		const char *name = selector_text(selector);
		column[count++] = (struct summary_metric){ name, name, selector_unit(selector),
			selector_better(selector) };
	}
	column[count] = (struct summary_metric){ 0 };
	return column;
}

bool selected_is(const struct args *args, const char *name)
{
	const char *text;
	for (size_t i = 0; (text = arg_at(args, "metric", i)); i++)
		if (strcmp(text, name) == 0)
			return true;
	return false;
}
