/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inspect_json.c - an inspection as one JSON object. Times are seconds; what is not known is null.
 */
#include "cli/base/render.h"
#include "cli/inspect/inspect.h"
#include "cli/inspect/inspect_reported.h"

static void put_counts(const struct inspection *seen, struct json *json)
{
	json_nest(json, "distinct", '{', &json_one_line);
	for (size_t i = 0; i < NAME_COUNT; i++)
		json_put(json, datum_count(name_texts[i], seen->names[i].count));
	json_close(json);
	json_nest(json, "status", '{', &json_one_line);
	for (size_t i = 0; i < STATUS_COUNT; i++)
		json_put(json, datum_count(status_texts[i].number, seen->status[i]));
	json_close(json);
}

static void put_samples(const struct inspection *seen, struct json *json)
{
	static const char *const name[SAMPLE_COUNT] = { "size", "run_time", "time_limit", "accuracy",
		"interarrival", "wait_recorded" };
	for (size_t i = 0; i < SAMPLE_COUNT; i++) {
		const struct sample *sample = &seen->sample[i];
		json_nest(json, name[i], '{', &json_one_line);
		json_put(json, datum_count("count", sample->count),
			datum_micro("mean", sample->count ? sample->mean : SL_NONE));
		for (size_t j = 0; j < QUANTILE_COUNT; j++)
			json_put(json,
				datum_micro(quantiles[j].name, sample->count ? sample->at[j] : SL_NONE));
		json_close(json);
	}
}

static void put_anomalies(const struct scenario *scenario, struct json *json)
{
	json_nest(json, "oddities", '[', &json_lines_4);
	for (size_t i = 0; i < scenario->anomaly_count; i++) {
		const struct anomaly *anomaly = &scenario->anomaly[i];
		json_object(json, NULL, datum_text("cause", anomaly->cause),
			datum_flag("dropped", anomaly->dropped), datum_count("count", anomaly->count),
			datum_count("line", anomaly->line));
	}
	json_close(json);
}

static void put_histograms(const struct inspection *seen, struct json *json)
{
	json_nest(json, "histograms", '{', &json_lines_4);
	for (size_t i = 0; i < HISTOGRAM_COUNT; i++) {
		const struct histogram *histogram = &seen->histogram[i];
		json_nest(json, histogram->name, '[', &json_tight);
		for (size_t j = 0; j < histogram->count; j++) {
			json_nest(json, NULL, '[', &json_tight);
			json_put(json, datum_text(NULL, histogram->bin[j].label),
				datum_count(NULL, histogram->bin[j].count));
			json_close(json);
		}
		json_close(json);
	}
	json_close(json);
}

static void put_header(const struct scenario *scenario, struct json *json)
{
	json_nest(json, "header", '[', &json_lines_4);
	for (size_t i = 0; i < scenario->header_count; i++) {
		json_nest(json, NULL, '[', &json_tight);
		json_put(json, datum_text(NULL, scenario->header[i].key),
			datum_text(NULL, scenario->header[i].value));
		json_close(json);
	}
	json_close(json);
}

static void inspect_json_put_cluster(const struct scenario *scenario, struct json *json)
{
	const struct sl_cluster *cluster = &scenario->cluster;
	json_object(json, "cluster", datum_count("nodes", cluster->node_count),
		datum_count("types", cluster->type_count),
		datum_plain("gpus", amount_of(cluster->gpus, cluster->gpu_parts).text),
		datum_count("reservations", cluster->window_count),
		datum_count("requests", scenario->jobs.request_count));
}

/* Not there where no job says anything; likewise of what they do while they run. */
static void put_says(const struct inspection *seen, struct json *json)
{
	bool any = false;
	for (size_t i = 0; i < SAYS_COUNT; i++)
		any |= seen->says[i] > 0;
	if (any) {
		json_nest(json, "says", '{', &json_one_line);
		for (size_t i = 0; i < SAYS_COUNT; i++)
			json_put(json, datum_count(says_texts[i].key, seen->says[i]));
		json_close(json);
	}
	any = false;
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		any |= seen->profile[i] > 0;
	if (any) {
		json_nest(json, "profiles", '{', &json_one_line);
		for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
			json_put(json, datum_if(seen->profile[i],
					       datum_count(sl_profile_column(i), seen->profile[i])));
		json_close(json);
	}
}

int inspect_json(const struct inspection *seen, struct sl_err *err)
{
	const struct scenario *scenario = &seen->scenario;
	const struct scenario_input *input = &scenario->input;
	const struct sl_jobs *jobs = &scenario->jobs;
	struct json json;
	const int status = json_start(&json, &json_lines_2, err);
	if (status)
		return status;
	json_put(&json, datum_text("file", input->path), datum_text("format", input->format),
		datum_text("packing", input->packing), datum_count("bytes", input->bytes),
		datum_text("sha256", input->sha256), datum_count("lines", scenario->rows),
		datum_count("jobs", jobs->count));
	put_says(seen, &json);
	json_put(&json,
		datum_micro("cpus",
			scenario->cpus ? amount_micro(scenario->cpus, scenario->cluster.cpu_parts) : SL_NONE),
		datum_text("cpus_from", scenario->cpus_from));
	if (scenario->cluster.node_count)
		inspect_json_put_cluster(scenario, &json);
	json_put(&json, datum_micro("load", seen->load),
		datum_if(seen->load_gpus != SL_NONE, datum_micro("load_gpus", seen->load_gpus)),
		datum_micro("epoch", scenario->epoch ? scenario->epoch * 1000000 : SL_NONE),
		datum_micro("utc_offset", scenario->utc_offset * 1000000),
		datum_micro("submit_first", jobs->submit[0]),
		datum_micro("submit_last", jobs->submit[jobs->count - 1]));
	put_counts(seen, &json);
	put_samples(seen, &json);
	put_anomalies(scenario, &json);
	put_histograms(seen, &json);
	put_header(scenario, &json);
	if (seen->reported->setting_count)
		reported_json(seen->reported, &json);
	return json_finish(&json, SL_OK, err);
}
