/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_match.c - which project a job of a trace is of, and which rule of types applies to it.
 *
 * In this order: what the job itself says (a label kai.scheduler/queue, the older runai/queue, the label
 * project; its queue; a namespace runai-NAME, as Run:AI makes one for each project), the rules of the
 * projects file, then those of its lists of users, accounts and partitions, then `by`, then the default.
 */
#include "policies/runai/runai_match.h"

#include <stdio.h>
#include <string.h>

const struct sl_job_attributes *runai_more_of(const struct sl_jobs *jobs, uint32_t job)
{
	return jobs->more_of && jobs->more_of[job] ? &jobs->more[jobs->more_of[job]] : NULL;
}

/* A name, or the bare number; NULL: unknown. */
static const char *runai_match_name_of(
	const int32_t *row, const char *const *names, uint32_t job, char buffer[24])
{
	if (!row || row[job] < 0)
		return NULL;
	if (names)
		return names[row[job]];
	*sl_put_i64(buffer, row[job]) = '\0';
	return buffer;
}

static int64_t gpus_asked(const struct sl_jobs *jobs, uint32_t job, const struct sl_cluster *cluster)
{
	const struct sl_request *request = jobs->request ? &jobs->requests[jobs->request[job]] : NULL;
	if (!request)
		return 0;
	const int64_t parts = cluster ? sl_parts(cluster->gpu_parts) : 1;
	return request->gpus * (1000 / parts);
}

static int64_t gpus_of_pods(const struct sl_pods *pods)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < pods->count; i++)
		for (uint32_t k = 0; k < pods->podset[i].request.count; k++) {
			const struct sl_amount *amount = &pods->podset[i].request.at[k];
			if (strcmp(amount->resource, "nvidia.com/gpu") == 0 ||
				strcmp(amount->resource, "amd.com/gpu") == 0)
				sum += pods->podset[i].count * amount->amount * 1000;
		}
	return sum;
}

void runai_facts_of(struct runai_facts *facts, const struct sl_jobs *jobs, uint32_t job,
	const struct sl_cluster *cluster, const struct sl_pods *pods)
{
	const struct sl_job_attributes *more = runai_more_of(jobs, job);
	const bool manifest = pods && pods->doc;
	*facts = (struct runai_facts){ .namespace = more ? more->namespace : NULL,
		.queue = more ? more->queue : NULL,
		.name = more ? more->name : NULL,
		.qos = more ? more->qos : NULL,
		.gpus = manifest ? gpus_of_pods(pods) : gpus_asked(jobs, job, cluster),
		.limit = jobs->limit ? jobs->limit[job] : SL_NONE };
	facts->user = runai_match_name_of(jobs->user, jobs->user_name, job, facts->buffer[0]);
	facts->account = runai_match_name_of(jobs->account, jobs->account_name, job, facts->buffer[1]);
	facts->partition = runai_match_name_of(jobs->partition, jobs->partition_name, job, facts->buffer[2]);
	if (!facts->name && jobs->id_name)
		facts->name = jobs->id_name[job];
}

/* '*' any text, '?' any letter. The last '*' that was met is where it goes on after a mismatch. */
bool runai_pattern(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *from = text;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

static bool text_holds(const char *pattern, const char *text)
{
	return !pattern || (text && runai_pattern(pattern, text));
}

/* A job without a time limit is longer than any. */
static bool bounds_hold(const struct runai_match *match, const struct runai_facts *facts)
{
	const sl_time limit = facts->limit == SL_NONE || facts->limit <= 0 ? SL_NEVER : facts->limit;
	return (match->gpus_min == SL_NONE || facts->gpus >= match->gpus_min) &&
	       (match->gpus_max == SL_NONE || facts->gpus <= match->gpus_max) &&
	       (match->limit_min == SL_NONE || limit >= match->limit_min) &&
	       (match->limit_max == SL_NONE || limit <= match->limit_max);
}

bool runai_matches(const struct runai_match *match, const struct runai_facts *facts)
{
	return text_holds(match->user, facts->user) && text_holds(match->account, facts->account) &&
	       text_holds(match->partition, facts->partition) && text_holds(match->queue, facts->queue) &&
	       text_holds(match->namespace, facts->namespace) && text_holds(match->name, facts->name) &&
	       text_holds(match->qos, facts->qos) && bounds_hold(match, facts);
}

/* ---- Whose it is -------------------------------------------------------------------------------- */

const char *runai_label(const struct sl_pods *pods, const char *key)
{
	const char *value = pods ? sl_label_of(&pods->labels, key) : NULL;
	for (uint32_t i = 0; pods && i < pods->count && !value; i++)
		value = sl_label_of(&pods->podset[i].labels, key);
	return value;
}

const char *runai_annotation(const struct sl_pods *pods, const char *key)
{
	const char *value = pods ? sl_label_of(&pods->annotations, key) : NULL;
	for (uint32_t i = 0; pods && i < pods->count && !value; i++)
		value = sl_label_of(&pods->podset[i].annotations, key);
	return value;
}

static const char *label_of_queue(const struct sl_pods *pods)
{
	static const char *const keys[] = { "kai.scheduler/queue", "runai/queue", "project" };
	for (size_t i = 0; i < SL_LEN(keys); i++) {
		const char *value = runai_label(pods, keys[i]);
		if (value && *value)
			return value;
	}
	return NULL;
}

/* runai-team-a is of the project team-a; other namespaces have a project's own name, or none. */
static uint32_t of_namespace(const struct runai_config *config, const char *namespace)
{
	static const char prefix[] = "runai-";
	if (!namespace)
		return KAI_NO;
	const bool made = strncmp(namespace, prefix, strlen(prefix)) == 0;
	const uint32_t row = runai_find_queue(config, made ? namespace + strlen(prefix) : namespace);
	return row == KAI_NO && made ? runai_find_queue(config, namespace) : row;
}

static bool runai_match_take(
	const struct runai_config *config, struct runai_job *said, uint32_t row, enum runai_mapped how)
{
	if (row == KAI_NO || config->queue[row].children)
		return false;
	said->queue = row;
	said->queue_name = config->queue[row].name;
	said->mapped = how;
	return true;
}

static bool take_by(
	const struct runai_config *config, const struct runai_facts *facts, struct runai_job *said)
{
	const char *const name[RUNAI_BYS] = { NULL, facts->account, facts->partition, facts->user,
		facts->queue };
	const char *of = name[config->cause];
	return of && runai_match_take(config, said, runai_find_queue(config, of), RUNAI_MAPPED_BY);
}

static uint32_t listed(const struct runai_config *config, char what, const char *name)
{
	char key[RUNAI_NAME_MAX + 2];
	if (!name || strlen(name) > RUNAI_NAME_MAX)
		return KAI_NO;
	(void)snprintf(key, sizeof(key), "%c%s", what, name);
	const uint32_t number = sl_names_find(config->listed, key);
	return number == UINT32_MAX ? KAI_NO : config->listed_rule[number];
}

/* The first of the projects' lists that has its user, account or partition. */
static uint32_t listed_rule(const struct runai_config *config, const struct runai_facts *facts)
{
	const uint32_t row[] = { listed(config, 'u', facts->user), listed(config, 'a', facts->account),
		listed(config, 'p', facts->partition) };
	uint32_t least = KAI_NO;
	for (size_t i = 0; i < SL_LEN(row); i++)
		least = row[i] < least ? row[i] : least;
	for (uint32_t i = 0; i < config->listed_patterns && config->listed_pattern[i] < least; i++)
		if (runai_matches(&config->map[config->listed_pattern[i]].match, facts))
			return config->listed_pattern[i];
	return least;
}

/* A queue that is requested and not there keeps the job waiting, as in KAI. */
void runai_map(const struct runai_config *config, const struct runai_facts *facts, const struct sl_pods *pods,
	const char *asked, struct runai_job *said)
{
	const char *label = asked ? asked : label_of_queue(pods);
	said->queue = KAI_NO;
	said->queue_name = label;
	said->mapped = RUNAI_MAPPED_NONE;
	if (label) {
		(void)runai_match_take(config, said, runai_find_queue(config, label), RUNAI_MAPPED_OWN);
		return;
	}
	if (facts->queue &&
		runai_match_take(config, said, runai_find_queue(config, facts->queue), RUNAI_MAPPED_OWN))
		return;
	if (runai_match_take(config, said, of_namespace(config, facts->namespace), RUNAI_MAPPED_OWN))
		return;
	for (uint32_t i = 0; i < config->listed_from; i++)
		if (runai_matches(&config->map[i].match, facts) &&
			runai_match_take(config, said, config->map[i].queue, RUNAI_MAPPED_RULE))
			return;
	const uint32_t rule = config->listed ? listed_rule(config, facts) : KAI_NO;
	if (rule != KAI_NO && runai_match_take(config, said, config->map[rule].queue, RUNAI_MAPPED_RULE))
		return;
	if (take_by(config, facts, said) ||
		runai_match_take(config, said, config->fallback, RUNAI_MAPPED_DEFAULT))
		return;
	(void)runai_match_take(config, said, runai_find_queue(config, "default-queue"), RUNAI_MAPPED_DEFAULT);
}

const char *runai_mapped_name(enum runai_mapped how)
{
	static const char *const names[RUNAI_MAPPEDS] = { [RUNAI_MAPPED_OWN] = "own",
		[RUNAI_MAPPED_RULE] = "rule",
		[RUNAI_MAPPED_BY] = "by",
		[RUNAI_MAPPED_DEFAULT] = "default",
		[RUNAI_MAPPED_NONE] = "none" };
	return names[how];
}
