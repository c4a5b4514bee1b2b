/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * failures_options.c - the parameters of the model, and the section `failures` of a cluster's file.
 *
 * Defaults that are published: 6.50 failures in 1 000 node-days (RSC-1, 16 000 A100 in nodes of 8; Kokolis et
 * al., "Revisiting Reliability in Large-Scale Machine Learning Research Clusters", HPCA 2025; 2.34 on RSC-2),
 * health checks every 5 minutes (there). Assumed: the times and shares of repairs, the factor of lemons, the
 * times of outages. Weibull shapes of 0.7 to 0.8 are reported for HPC systems (Schroeder and Gibson, "A
 * large-scale study of failures in high-performance computing systems", DSN 2006; as remembered): set them by
 * `shape`.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "models/failures/failures.h"

#define MILLION   INT64_C(1000000)
#define RATE_RSC1 6.5

const struct sl_param failures_params[FAIL_PARAMS] = {
	/* Nodes. */
	{ "rate", SL_PARAM_REAL, NULL, "0..1000000",
		"failures of a node in 1 000 node-days; neither it, mtbf, log nor outages: 6.5", 0,
		INT64_C(1000000) * MILLION },
	{ "mtbf", SL_PARAM_TIME, NULL, "1s..", "mean time between failures of a node, in place of rate",
		SL_SECOND, INT64_C(100000) * FAIL_DAY },
	{ "shape", SL_PARAM_REAL, "1", "0.1..10", "Weibull's k of the time between failures; 1: exponential",
		MILLION / 10, 10 * MILLION },
	{ "clock", SL_PARAM_CHOICE, "up", "up|wall",
		"what the time between failures counts: since the node was mended, or since the failure", 0,
		0 },
	{ "lemons", SL_PARAM_REAL, "0", "0..1", "share of nodes that fail lemon_factor times as often", 0,
		MILLION },
	{ "lemon_factor", SL_PARAM_REAL, "10", "0..1000000", "how many times as often lemons fail", 0,
		INT64_C(1000000) * MILLION },
	{ "lemon_nodes", SL_PARAM_TEXT, NULL, NULL, "lemons by name: a list of hosts", 0, 0 },
	{ "causes", SL_PARAM_CSV, NULL, NULL, "causes of failures of nodes: cause,share[,repair]", 0, 0 },
	{ "log", SL_PARAM_CSV, NULL, NULL,
		"failures that happened: node,from,until[,cause][,state], or what sacctmgr show event -P says",
		0, 0 },
	{ "outages", SL_PARAM_TEXT, NULL, NULL,
		"outages at known times, apart by ';': NODES FROM UNTIL, and down or drain", 0, 0 },
	/* Repairs. */
	{ "repair", SL_PARAM_CHOICE, "classes", "classes|lognormal|fixed", "how long a node is mended", 0,
		0 },
	{ "repairs", SL_PARAM_CSV, NULL, NULL, "classes of repairs: repair,share,time", 0, 0 },
	{ "repair_time", SL_PARAM_TIME, "1h", "0..", "repair=lognormal: its median; fixed: its time", 0,
		INT64_C(100000) * FAIL_DAY },
	{ "repair_mean", SL_PARAM_TIME, "6h", "0..", "repair=lognormal: its mean", 0,
		INT64_C(100000) * FAIL_DAY },
	{ "return", SL_PARAM_CHOICE, "unknown", "unknown|known",
		"whether plans know when a node will be back", 0, 0 },
	/* Outages of several nodes at once. */
	{ "leaf_rate", SL_PARAM_REAL, "0", "0..1000000",
		"outages of a leaf switch, with all its nodes, in 1 000 days", 0,
		INT64_C(1000000) * MILLION },
	{ "leaf_time", SL_PARAM_TIME, "1h", "0..", "how long one takes", 0, INT64_C(100000) * FAIL_DAY },
	{ "domain", SL_PARAM_INT, "0", "0..", "so many nodes in a row are a power domain; 0: there are none",
		0, 10000000 },
	{ "domains", SL_PARAM_CSV, NULL, NULL, "power domains by name: domain,nodes", 0, 0 },
	{ "domain_rate", SL_PARAM_REAL, "0", "0..1000000", "outages of a power domain in 1 000 days", 0,
		INT64_C(1000000) * MILLION },
	{ "domain_time", SL_PARAM_TIME, "1h", "0..", "how long one takes", 0, INT64_C(100000) * FAIL_DAY },
	{ "fs_rate", SL_PARAM_REAL, "0", "0..1000000",
		"outages of the file system, which all nodes need, in 1 000 days", 0,
		INT64_C(1000000) * MILLION },
	{ "fs_time", SL_PARAM_TIME, "1h", "0..", "how long one takes", 0, INT64_C(100000) * FAIL_DAY },
	/* Health checks. */
	{ "hidden", SL_PARAM_REAL, "0", "0..1",
		"share of failures that nobody sees: jobs there fail, until a check finds it", 0, MILLION },
	{ "hidden_time", SL_PARAM_TIME, "10m", "1s..", "mean time until such a fault ends a job there",
		SL_SECOND, INT64_C(100000) * FAIL_DAY },
	{ "check", SL_PARAM_TIME, "5m", "1s..", "period of the health checks", SL_SECOND,
		INT64_C(100000) * FAIL_DAY },
	{ "detect", SL_PARAM_REAL, "1", "0..1", "probability that a check finds a hidden fault", 0, MILLION },
	{ "false_alarms", SL_PARAM_REAL, "0", "0..1", "probability that a check drains a healthy node", 0,
		MILLION },
	{ "alarm_time", SL_PARAM_TIME, "10m", "0..", "how long a node is away for a false alarm", 0,
		INT64_C(100000) * FAIL_DAY },
	{ "drain", SL_PARAM_CHOICE, "wait", "wait|now",
		"what a check does to jobs on the node: they end first, or fail", 0, 0 },
	/* Jobs. */
	{ "job_rate", SL_PARAM_REAL, "0", "0..1000000", "failures of a job of its own in 1 000 hours", 0,
		INT64_C(1000000) * MILLION },
	{ "gpu_rate", SL_PARAM_REAL, "0", "0..1000000", "and in 1 000 hours of each of its GPUs", 0,
		INT64_C(1000000) * MILLION },
	{ "job_share", SL_PARAM_REAL, "0", "0..1", "share of attempts that fail at some part of their run", 0,
		MILLION },
	{ "job_at", SL_PARAM_REAL, NULL, "0..1", "at which part of the job's work; none: anywhere", 0,
		MILLION },
	{ "oom_share", SL_PARAM_REAL, "0", "0..1", "share of a job's own failures that are OUT_OF_MEMORY", 0,
		MILLION },
	{ "cancel_share", SL_PARAM_REAL, "0", "0..1", "share of jobs that their users cancel as they run", 0,
		MILLION },
	{ "recorded", SL_PARAM_CHOICE, "skip", "skip|too",
		"jobs that the log says failed or were cancelled: they do not fail again, or they do", 0, 0 },
	{ "retries", SL_PARAM_INT, "0", "0..", "how often a job is queued again after a failure of its own",
		0, 1000000 },
	{ "attempts", SL_PARAM_INT, "0", "0..", "at most so many attempts of a job; 0: any number", 0,
		1000000 },
	{ "backoff", SL_PARAM_TIME, "0", "0..", "how long a job that failed waits before it may start again",
		0, INT64_C(100000) * FAIL_DAY },
	{ "gangs", SL_PARAM_BOOL, "1", NULL, "jobs of one gang fail together", 0, 0 },
	{ "spares", SL_PARAM_INT, "0", "0..",
		"the last so many nodes are kept free, to stand in for failed ones of their type", 0,
		10000000 },
	{ "ettr", SL_PARAM_CHOICE, "eligible", "eligible|started",
		"since when ettr counts: the submission, or the first start", 0, 0 },
	{ "ettr_nodes", SL_PARAM_INT, "2", "1..", "jobs of at least so many nodes are in ettr.mean", 1,
		10000000 },
};

struct given {
	const struct sl_model_setup *setup;
};

static const struct sl_value *failures_options_value_of(const struct given *given, const char *key)
{
	return sl_value_of(given->setup->values, given->setup->value_count, key);
}

static bool is_given(const struct given *given, const char *key)
{
	const struct sl_value *value = failures_options_value_of(given, key);
	return value && value->text;
}

static int64_t failures_options_whole(const struct given *given, const char *key)
{
	const struct sl_value *value = failures_options_value_of(given, key);
	return value ? value->number : 0;
}

static double real(const struct given *given, const char *key)
{
	return (double)failures_options_whole(given, key) / (double)MILLION;
}

/* The mean time between failures, us, of so many in 1 000 days; 0: never. */
static double mean_of_rate(double rate) { return rate > 0 ? 1000.0 * (double)FAIL_DAY / rate : 0; }

/* Failures in 1 us, of so many in 1 000 hours. */
static double per_us(double rate) { return rate / (1000.0 * (double)FAIL_HOUR); }

static int node_mean(const struct given *given, double *mean, struct sl_err *err)
{
	if (is_given(given, "rate") && is_given(given, "mtbf"))
		return sl_fail(err, SL_USAGE, "failures: rate and mtbf say the same thing: give one of them");
	if (is_given(given, "rate"))
		*mean = mean_of_rate(real(given, "rate"));
	else if (is_given(given, "mtbf"))
		*mean = (double)failures_options_whole(given, "mtbf");
	else
		*mean = is_given(given, "log") || is_given(given, "outages") ? 0 : mean_of_rate(RATE_RSC1);
	return SL_OK;
}

static int read_repairs(struct fail_options *o, const struct given *given, struct sl_err *err)
{
	o->repairs = (enum fail_repairs)failures_options_whole(given, "repair");
	o->repair_fixed = failures_options_whole(given, "repair_time");
	if (o->repairs != FAIL_REPAIRS_LOGNORMAL)
		return SL_OK;
	const double median = (double)failures_options_whole(given, "repair_time"),
		     mean = (double)failures_options_whole(given, "repair_mean");
	if (!(median > 0) || mean < median)
		return sl_fail(err, SL_USAGE,
			"failures: repair=lognormal wants 0 < repair_time <= repair_mean: a lognormal's mean is "
			"above its median");
	o->repair_median = median;
	o->repair_sigma = sqrt(2 * log(mean / median));
	return SL_OK;
}

static void read_checks(struct fail_options *o, const struct given *given)
{
	o->hidden = real(given, "hidden");
	o->hidden_mean = (double)failures_options_whole(given, "hidden_time");
	o->check = failures_options_whole(given, "check");
	o->detect = real(given, "detect");
	o->false_alarms = real(given, "false_alarms");
	o->alarm_time = failures_options_whole(given, "alarm_time");
	o->drain_waits = failures_options_whole(given, "drain") == 0;
}

static void read_jobs(struct fail_options *o, const struct given *given)
{
	o->job_rate = per_us(real(given, "job_rate"));
	o->gpu_rate = per_us(real(given, "gpu_rate"));
	o->job_share = real(given, "job_share");
	o->job_at = is_given(given, "job_at") ? real(given, "job_at") : -1;
	o->cancel_share = real(given, "cancel_share");
	o->oom_share = real(given, "oom_share");
	o->recorded_too = failures_options_whole(given, "recorded") == 1;
	o->retries = (uint32_t)failures_options_whole(given, "retries");
	o->attempts = (uint32_t)failures_options_whole(given, "attempts");
	o->backoff = failures_options_whole(given, "backoff");
	o->gangs = failures_options_whole(given, "gangs") != 0;
}

/* An entry of nodes by its name: "gpu" has gpu, or gpu1, gpu2...; one that lists its hosts is known by the
 * type of node alone. Entries of like nodes are one type. */
static bool is_of_entry(const struct sl_cluster *cluster, uint32_t node, const char *entry)
{
	const char *name = cluster->node_name ? cluster->node_name[node] : NULL;
	const size_t len = strlen(entry);
	return name && strncasecmp(name, entry, len) == 0 &&
	       strspn(name + len, "0123456789") == strlen(name + len);
}

static bool is_of_type(const struct sl_cluster *cluster, uint32_t node, const char *entry)
{
	const char *type = cluster->type[cluster->node_type[node]].name;
	return type && strcasecmp(type, entry) == 0;
}

static bool is_meant(const struct sl_cluster *cluster, uint32_t node, const char *entry, uint8_t match)
{
	return match == FAIL_MATCH_NAME ? is_of_entry(cluster, node, entry)
					: match == FAIL_MATCH_TYPE && is_of_type(cluster, node, entry);
}

/* How that entry names its nodes. */
static uint8_t match_of(const struct sl_cluster *cluster, const char *entry)
{
	static const uint8_t ways[] = { FAIL_MATCH_NAME, FAIL_MATCH_TYPE };
	for (size_t i = 0; i < SL_LEN(ways); i++)
		for (uint32_t node = 0; node < cluster->node_count; node++)
			if (is_meant(cluster, node, entry, ways[i]))
				return ways[i];
	return FAIL_MATCH_NONE;
}

/* Keys that are no parameters, and entries of nodes that there are not. */
static int section_check(struct fail_options *o, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	uint8_t *match = sl_alloc(setup->arena, (size_t)cluster->setting_count + 1, 1);
	if (!match)
		return sl_fail_memory(err);
	o->match = match;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *s = &cluster->setting[i];
		bool known = strcmp(s->kind, "failures") != 0;
		const bool own = s->name && s->name[0];
		for (size_t k = 0; k < FAIL_PARAMS && !own && !known; k++)
			known = strcmp(failures_params[k].key, s->key) == 0;
		if (own && !known) {
			match[i] = match_of(cluster, s->name);
			known = match[i] != FAIL_MATCH_NONE;
		}
		if (!known && own)
			return sl_fail_at(err, &s->at,
				"failures: there is no entry of nodes '%.60s': name one of the cluster",
				s->name);
		if (!known)
			return sl_fail_at(err, &s->at,
				"failures: there is no parameter '%.60s': see schedlab-failures(7)", s->key);
	}
	return SL_OK;
}

int failures_options_read(struct fail_options *o, const struct sl_model_setup *setup, struct sl_err *err)
{
	const struct given given = { setup };
	*o = (struct fail_options){ .clock = (enum fail_clock)failures_options_whole(&given, "clock") };
	double mean = 0;
	int status = section_check(o, setup, err);
	if (!status)
		status = node_mean(&given, &mean, err);
	if (!status)
		status = read_repairs(o, &given, err);
	if (status)
		return status;
	o->process = failures_process(mean, real(&given, "shape"));
	o->lemon_share = real(&given, "lemons");
	o->lemon_factor = real(&given, "lemon_factor");
	o->return_known = failures_options_whole(&given, "return") == 1;
	o->spares = (uint32_t)failures_options_whole(&given, "spares");
	o->ettr = (enum fail_ettr)failures_options_whole(&given, "ettr");
	o->ettr_nodes = (uint32_t)failures_options_whole(&given, "ettr_nodes");
	read_checks(o, &given);
	read_jobs(o, &given);
	return SL_OK;
}

/* ---- The section of the cluster's file ------------------------------------------------ */

static int bad_number(const struct sl_setting *setting, struct sl_err *err)
{
	return sl_fail_at(err, &setting->at, "failures: %s '%.60s' is no number that makes sense: give %s",
		setting->key, setting->value,
		strcasecmp(setting->key, "mtbf") == 0
			? "a time, such as 150d"
			: "failures in 1 000 node-days, or a shape of 0.1 to 10");
}

int failures_process_of(const struct fail_options *options, const struct sl_model_setup *setup, uint32_t node,
	struct fail_process *process, struct sl_err *err)
{
	const struct sl_cluster *cluster = setup->cluster;
	double mean = -1, shape = options->process.shape;
	for (uint32_t i = 0; i < cluster->setting_count; i++) {
		const struct sl_setting *s = &cluster->setting[i];
		if (!is_meant(cluster, node, s->name, options->match[i]))
			continue;
		int64_t number = 0;
		const size_t len = strlen(s->value);
		if (strcasecmp(s->key, "rate") == 0) {
			if (!sl_get_micro(s->value, len, &number) || number < 0)
				return bad_number(s, err);
			mean = mean_of_rate((double)number / (double)MILLION);
		} else if (strcasecmp(s->key, "mtbf") == 0) {
			if (!sl_get_duration(s->value, len, &number) || number < SL_SECOND)
				return bad_number(s, err);
			mean = (double)number;
		} else if (strcasecmp(s->key, "shape") == 0) {
			if (!sl_get_micro(s->value, len, &number) || number < MILLION / 10 ||
				number > 10 * MILLION)
				return bad_number(s, err);
			shape = (double)number / (double)MILLION;
		} else
			return sl_fail_at(err, &s->at,
				"failures: '%.60s' is not said of nodes of one entry: rate, mtbf and shape are",
				s->key);
	}
	*process = options->process;
	if (mean >= 0)
		*process = failures_process(mean, shape);
	else if (shape != options->process.shape && process->scale > 0) {
		/* The mean stays: scale * Gamma(1 + 1/k). */
		const struct fail_process one = failures_process(1, options->process.shape);
		*process = failures_process(process->scale / one.scale, shape);
	}
	return SL_OK;
}
