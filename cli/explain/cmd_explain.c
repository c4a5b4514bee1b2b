/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_explain.c - schedlab explain: why a job, or a group of jobs, waited.
 */
#include <string.h>

#include "cli/explain/explain.h"

static const struct option_def options[] = {
	{ "user", 0, "U", false, "where the waiting of that user's jobs went, in place of one job's" },
	{ "account", 0, "A", false, "the same of an account" },
	{ "partition", 0, "P", false, "the same of a partition" },
	{ "top", 0, "N", false,
		"so many of the jobs that waited longest, and of all whom they waited behind; default 10" },
	{ "what-if", 0, "KEY", true,
		"simulate this: needed-limit, half-limit, fewer, partition, without-user, without-account, node,\n"
		"or a setting, KEY=VALUE; default: what suits the case" },
	{ "no-what-if", 0, NULL, false, "simulate nothing" },
	{ "when", 0, NULL, false,
		"when a job that waits would start, if nobody else came and all ran to their limits" },
	{ "at", 0, "TIME", false, "of --when: as of that time; default: where the run was stopped" },
	{ "all", 0, NULL, false, "every stretch of waiting, every plan and every job; not only the longest" },
	{ "threads", 'j', "N", false, "simulations at a time; default: as many as there are processors" },
	{ OPTION_PLUGIN },
	{ OPTION_TRUST },
	{ OPTION_JSON },
};

/* --what-if: each a key, or a setting. */
static int take_wanted(struct explain *explain, const struct args *args, struct sl_err *err)
{
	size_t count = 0;
	char similar[128];
	while (arg_at(args, "what-if", count))
		count++;
	if (!count)
		return SL_OK;
	const char **wanted = sl_alloc(args->arena, count + 1, sizeof(*wanted));
	if (!wanted)
		return sl_fail_memory(err);
	for (size_t i = 0; i < count; i++) {
		size_t key = 0;
		wanted[i] = arg_at(args, "what-if", i);
		while (what_if_keys[key] && strcmp(what_if_keys[key], wanted[i]) != 0)
			key++;
		if (!what_if_keys[key] && !strchr(wanted[i], '='))
			return sl_fail(err, SL_USAGE,
				"--what-if: '%.60s' is nothing to simulate: %sgive a key of --help, or KEY=VALUE",
				wanted[i], did_you_mean(similar, sl_nearest(wanted[i], what_if_keys)));
	}
	explain->wanted = wanted;
	return SL_OK;
}

static int explain_one(struct explain *explain, const struct args *args, struct sl_err *err)
{
	uint64_t threads = 0;
	explain->all = arg_flag(args, "all");
	explain->what_if = !arg_flag(args, "no-what-if");
	int status = take_wanted(explain, args, err);
	if (!status && arg(args, "at") && !arg_flag(args, "when"))
		status = sl_fail(err, SL_USAGE, "--at is of --when: give both");
	if (!status)
		status = arg_u64(args, "threads", 0, 1, 64, &threads, err);
	explain->threads = (unsigned)threads;
	if (!status)
		status = explain_open(explain, args->word[0], args->registry, err);
	if (!status)
		status = explain_find(explain, args->word[1], &explain->job, err);
	if (!status && arg_flag(args, "when"))
		return explain_when(explain, arg(args, "at"), arg_flag(args, "json"), err);
	if (!status)
		status = explain_job(explain, err);
	if (status)
		return status;
	if (arg_flag(args, "json"))
		return explain_json(explain, err);
	explain_print(explain);
	return SL_OK;
}

static int explain_many(struct explain *explain, const struct args *args, struct sl_err *err)
{
	uint64_t top;
	int status = arg_u64(args, "top", 10, 1, 1000000, &top, err);
	const struct group_wanted wanted = { arg(args, "user"), arg(args, "account"), arg(args, "partition"),
		(uint32_t)top, arg_flag(args, "json") };
	if (!status)
		status = explain_open(explain, args->word[0], args->registry, err);
	return status ? status : explain_group(explain, &wanted, err);
}

static int cmd_explain_run(const struct args *args, struct sl_err *err)
{
	struct explain explain = { 0 };
	const bool group =
		arg(args, "user") || arg(args, "account") || arg(args, "partition") || arg(args, "top");
	const bool live = explain_is_live(args->word[0]);
	if (live && (group || args->word_count < 2 || arg_flag(args, "when")))
		return sl_fail(err, SL_USAGE,
			"of a dump of a cluster one job is explained: give NAMESPACE/JOB, and no run's options");
	if (group == (args->word_count > 1))
		return sl_fail(err, SL_USAGE,
			group ? "give a job, or --user, --account, --partition or --top, not both"
			      : "which job? give its number, or --user, --account, --partition or --top N");
	if (live)
		return explain_live(args, err);
	const int status = group ? explain_many(&explain, args, err) : explain_one(&explain, args, err);
	explain_close(&explain);
	return status;
}

const struct command cmd_explain = {
	.name = "explain",
	.usage = "explain DIR JOB [options] | explain DIR --user U | --account A | --partition P | --top N\n"
		 "       kubectl get -A -o yaml ... | schedlab explain - NAMESPACE/JOB",
	.summary = "why a job, or a group of jobs, waited",
	.detail =
		"DIR is a run's directory or a snapshot. The run is made again from what it says, and looked into: what the\n"
		"job waited for and what there was then, who started meanwhile and by which rule, what was planned, and what\n"
		"would have been, which is simulated, not guessed.\n"
		"\n"
		"  schedlab run traces/bundled/lublin-256.swf -o out\n"
		"  schedlab explain out 19\n"
		"  schedlab explain out 19 --when --at 50000\n"
		"  schedlab explain out --user 3 --json\n"
		"\n"
		"Of a dump of a live cluster ('-', or a file of manifests): why a job waits there now, in the words of Kueue,\n"
		"KAI or kube-scheduler, and what would let it start.\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 2,
	.run = cmd_explain_run,
};
