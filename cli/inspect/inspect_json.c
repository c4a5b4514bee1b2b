/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_json.c - an inspection as one JSON object. Times are seconds; what is not known is null.
 */
#include <inttypes.h>

#include "cli/inspect/inspect.h"

/* `"key": ` on a line of its own, after what is there. */
static void key(struct sl_out *out, const char *name)
{
	sl_out_text(out, ",\n  ");
	sl_out_json(out, name);
	sl_out_text(out, ": ");
}

static void micro(struct sl_out *out, int64_t value)
{
	if (value == SL_NONE) {
		sl_out_text(out, "null");
		return;
	}
	char *p = sl_out_room(out, 32);
	sl_out_advance(out, sl_put_micro(p, value));
}

static void write_counts(const struct inspection *seen, struct sl_out *out)
{
	key(out, "distinct");
	for (size_t i = 0; i < NAME_COUNT; i++)
		sl_out_printf(out, "%s\"%s\": %zu", i ? ", " : "{ ", name_texts[i], seen->names[i].count);
	sl_out_text(out, " }");
	key(out, "status");
	for (size_t i = 0; i < STATUS_COUNT; i++)
		sl_out_printf(
			out, "%s\"%s\": %" PRIu64, i ? ", " : "{ ", status_texts[i].number, seen->status[i]);
	sl_out_text(out, " }");
}

static void write_samples(const struct inspection *seen, struct sl_out *out)
{
	static const char *const name[SAMPLE_COUNT] = { "size", "run_time", "time_limit", "accuracy",
		"interarrival", "wait_recorded" };
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct sample *sample = &seen->sample[i];
		key(out, name[i]);
		sl_out_printf(out, "{ \"count\": %zu, \"mean\": ", sample->count);
		micro(out, sample->count ? sample->mean : SL_NONE);
		for (size_t j = 0; j < QUANTILE_COUNT; j++) {
			sl_out_printf(out, ", \"%s\": ", quantiles[j].name);
			micro(out, sample->count ? sample->at[j] : SL_NONE);
		}
		sl_out_text(out, " }");
	}
}

static void write_oddities(const struct scenario *scenario, struct sl_out *out)
{
	key(out, "oddities");
	sl_out_text(out, "[");
	for (size_t i = 0; i < scenario->oddity_count; i++) {
		const struct oddity *oddity = &scenario->oddity[i];
		sl_out_printf(out, "%s\n    { \"cause\": ", i ? "," : "");
		sl_out_json(out, oddity->cause);
		sl_out_printf(out, ", \"dropped\": %s, \"count\": %" PRIu64 ", \"line\": %" PRIu64 " }",
			oddity->dropped ? "true" : "false", oddity->count, oddity->line);
	}
	sl_out_text(out, scenario->oddity_count ? "\n  ]" : "]");
}

static void write_histograms(const struct inspection *seen, struct sl_out *out)
{
	key(out, "histograms");
	for (size_t i = 0; i < HISTOGRAM_COUNT; i++) {
		const struct histogram *histogram = &seen->histogram[i];
		sl_out_printf(out, "%s\n    \"%s\": [", i ? "," : "{", histogram->name);
		for (size_t j = 0; j < histogram->count; j++)
			sl_out_printf(out, "%s[\"%s\", %" PRIu64 "]", j ? ", " : "", histogram->bin[j].label,
				histogram->bin[j].count);
		sl_out_text(out, "]");
	}
	sl_out_text(out, "\n  }");
}

static void write_header(const struct scenario *scenario, struct sl_out *out)
{
	key(out, "header");
	sl_out_text(out, "[");
	for (size_t i = 0; i < scenario->header_count; i++) {
		sl_out_printf(out, "%s\n    [", i ? "," : "");
		sl_out_json(out, scenario->header[i].key);
		sl_out_text(out, ", ");
		sl_out_json(out, scenario->header[i].value);
		sl_out_text(out, "]");
	}
	sl_out_text(out, scenario->header_count ? "\n  ]" : "]");
}

static void write_cluster(const struct scenario *scenario, struct sl_out *out)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	key(out, "cluster");
	sl_out_printf(out,
		"{ \"nodes\": %" PRIu32 ", \"types\": %" PRIu32 ", \"gpus\": %s, \"reservations\": %" PRIu32
		", \"requests\": %" PRIu32 " }",
		cluster->node_count, cluster->type_count, amount_of(cluster->gpus, cluster->gpu_parts).text,
		cluster->window_count, scenario->jobs.request_count);
}

/* Not there where no job says anything. */
static void write_says(const struct inspection *seen, struct sl_out *out)
{
	bool any = false;
	for (size_t i = 0; i < SAYS_COUNT; i++)
		any |= seen->says[i] > 0;
	if (!any)
		return;
	key(out, "says");
	for (size_t i = 0; i < SAYS_COUNT; i++)
		sl_out_printf(out, "%s\"%s\": %" PRIu64, i ? ", " : "{ ", says_texts[i].key, seen->says[i]);
	sl_out_text(out, " }");
}

/* Likewise of what they do while they run. */
static void write_profiles(const struct inspection *seen, struct sl_out *out)
{
	const char *before = "{ ";
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++) {
		if (!seen->profile[i])
			continue;
		if (before[0] == '{')
			key(out, "profiles");
		sl_out_printf(out, "%s\"%s\": %" PRIu64, before, sl_profile_column(i), seen->profile[i]);
		before = ", ";
	}
	sl_out_text(out, before[0] == '{' ? "" : " }");
}

void inspect_json(const struct inspection *seen, struct sl_out *out)
{
	const struct scenario *scenario = &seen->scenario;
	const struct sl_jobs *jobs = &scenario->jobs;
	sl_out_text(out, "{\n  \"file\": ");
	sl_out_json(out, scenario->input.path);
	key(out, "format");
	sl_out_json(out, scenario->input.format);
	key(out, "packing");
	sl_out_json(out, scenario->input.packing);
	key(out, "bytes");
	sl_out_printf(out, "%" PRIu64, scenario->input.bytes);
	key(out, "sha256");
	sl_out_json(out, scenario->input.sha256);
	key(out, "lines");
	sl_out_printf(out, "%" PRIu64, scenario->rows);
	key(out, "jobs");
	sl_out_printf(out, "%" PRIu32, jobs->count);
	write_says(seen, out);
	write_profiles(seen, out);
	key(out, "cpus");
	micro(out, scenario->cpus ? amount_micro(scenario->cpus, scenario->cluster.cpu_parts) : SL_NONE);
	key(out, "cpus_from");
	if (scenario->cpus_from)
		sl_out_json(out, scenario->cpus_from);
	else
		sl_out_text(out, "null");
	if (scenario->cluster.node_count)
		write_cluster(scenario, out);
	key(out, "load");
	micro(out, seen->load);
	if (seen->load_gpus != SL_NONE) {
		key(out, "load_gpus");
		micro(out, seen->load_gpus);
	}
	key(out, "epoch");
	micro(out, scenario->epoch ? scenario->epoch * 1000000 : SL_NONE);
	key(out, "utc_offset");
	micro(out, scenario->utc_offset * 1000000);
	key(out, "submit_first");
	micro(out, jobs->submit[0]);
	key(out, "submit_last");
	micro(out, jobs->submit[jobs->count - 1]);
	write_counts(seen, out);
	write_samples(seen, out);
	write_oddities(scenario, out);
	write_histograms(seen, out);
	write_header(scenario, out);
	sl_out_text(out, "\n}\n");
}
