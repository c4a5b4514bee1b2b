/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log_watch.c - what runs do, line by line as it happens, with the simulated time: starts and by which rule,
 * preemptions, kills, nodes down at debug; submissions, ends, passes at trace.
 *
 * Called by the run's thread through the engine's callbacks (struct sim_watch); only reads.
 */
#include "cli/base/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run/engine.h"

struct log_watch {
	size_t count;
	struct watched_run {
		struct sim_watch watch;
		struct log_watch *all;
		const struct run *run;
		enum log_level said_at;
	} of[];
};

static struct log_about about(const struct watched_run *of, const struct sl_pass *pass)
{
	return (struct log_about){
		.run = of->run->choice.text, .named = of->all->count > 1, .timed = true, .now = pass->now
	};
}

struct job_name {
	char text[100];
};

static struct job_name job_name(const struct sl_pass *pass, uint32_t job)
{
	struct job_name name;
	const struct sl_jobs *jobs = pass->jobs;
	if (jobs->id_name && jobs->id_name[job])
		(void)snprintf(name.text, sizeof(name.text), "%.90s", jobs->id_name[job]);
	else
		(void)snprintf(name.text, sizeof(name.text), "%" PRId64, (int64_t)jobs->id[job]);
	return name;
}

struct node_name {
	char text[100];
};

static struct node_name node_name(const struct sl_pass *pass, uint32_t node)
{
	struct node_name name;
	const struct sl_cluster *cluster = pass->info;
	if (cluster->node_name && cluster->node_name[node])
		(void)snprintf(name.text, sizeof(name.text), "%.90s", cluster->node_name[node]);
	else
		(void)snprintf(name.text, sizeof(name.text), "%" PRIu32, node);
	return name;
}

/* ---- Starts ----------------------------------------------------------------------------- */

enum { NODES_REPORTED = 64 };

/* " on n[1-4]", " on n[1-64] and 36 more nodes"; nothing on a counted pool. */
static void where_text(struct sl_pass *pass, uint32_t job, char *text, size_t size)
{
	const struct sl_node_tasks *alloc;
	const size_t count = pass->nodes ? nodes_allocs(pass->nodes, job, &alloc) : 0;
	struct node_name name[NODES_REPORTED];
	const char *list[NODES_REPORTED];
	size_t reported = 0;
	char folded[400];
	text[0] = '\0';
	for (; reported < count && reported < NODES_REPORTED; reported++) {
		name[reported] = node_name(pass, alloc[reported].node);
		list[reported] = name[reported].text;
	}
	if (!reported)
		return;
	(void)sl_hosts_fold(list, reported, folded, sizeof(folded));
	if (reported < count)
		(void)snprintf(text, size, " on %s and %zu more nodes", folded, count - reported);
	else
		(void)snprintf(text, size, " on %s", folded);
}

static void started(const struct watched_run *of, struct sl_pass *pass, uint32_t job)
{
	const struct log_about where = about(of, pass);
	const sl_time waited = pass->now - pass->jobs->submit[job];
	const bool beside = pass->beneficiary != UINT32_MAX && pass->beneficiary != job;
	char nodes[600], cpus[48], wait[32], whom[120] = "";
	where_text(pass, job, nodes, sizeof(nodes));
	if (beside)
		(void)snprintf(whom, sizeof(whom), ", beside job %s", job_name(pass, pass->beneficiary).text);
	log_run(LOG_DEBUG, &where, "job %s started%s, %s cpu%s, after %s: %s%s", job_name(pass, job).text,
		nodes, parts_text(cpus, cpus_of(pass, job), pass->info->cpu_parts),
		cpus_of(pass, job) == sl_parts(pass->info->cpu_parts) ? "" : "s",
		screen_duration(wait, waited), sl_rule_words((enum sl_rule)pass->rule), whom);
}

/* ---- Other events -------------------------------------------------------------------- */

static void preempted(const struct watched_run *of, struct sl_pass *pass, unsigned how, uint32_t job)
{
	static const char *const then[] = { [SL_PREEMPT_REQUEUE] = "it waits again, from its beginning",
		[SL_PREEMPT_CHECKPOINT] = "it waits again, its work kept",
		[SL_PREEMPT_SUSPEND] = "it is suspended",
		[SL_PREEMPT_CANCEL] = "it is cancelled" };
	const struct log_about where = about(of, pass);
	char whom[120] = "";
	if (pass->beneficiary != UINT32_MAX && pass->beneficiary != job)
		(void)snprintf(whom, sizeof(whom), " for job %s", job_name(pass, pass->beneficiary).text);
	log_run(LOG_DEBUG, &where, "job %s preempted%s: %s", job_name(pass, job).text, whom,
		how < SL_LEN(then) ? then[how] : "it stops");
}

/* Other events of a job, by class: their text, and from which log level on. */
static const struct {
	unsigned class;
	enum log_level level;
	const char *words;
} of_jobs[] = {
	{ SL_EV_JOB_END, LOG_TRACE, "ended" },
	{ SL_EV_TIME_LIMIT, LOG_DEBUG, "killed at its time limit" },
	{ SL_EV_SUBMIT, LOG_TRACE, "submitted" },
	{ SL_EV_CANCEL, LOG_DEBUG, "cancelled" },
	{ DIGEST_RESUME, LOG_DEBUG, "resumed" },
	{ DIGEST_RESIZE, LOG_DEBUG, "resized" },
	{ DIGEST_GATED, LOG_TRACE, "submitted, and not to be considered yet" },
	{ DIGEST_DEADLINE, LOG_DEBUG, "cannot make its deadline any more" },
	{ DIGEST_DEFERRED, LOG_DEBUG, "not to be considered again yet" },
	{ DIGEST_RELEASED, LOG_TRACE, "to be considered again" },
};
static const struct {
	unsigned class;
	const char *words;
} of_nodes[] = {
	{ SL_EV_NODE_DOWN, "down" },
	{ SL_EV_NODE_UP, "up" },
	{ DIGEST_DRAIN, "drained" },
	{ DIGEST_UNDRAIN, "in service again" },
};

static void happened_to_job(const struct watched_run *of, struct sl_pass *pass, unsigned class, uint32_t job)
{
	const struct log_about where = about(of, pass);
	const struct job_name name = job_name(pass, job);
	for (size_t i = 0; i < SL_LEN(of_jobs); i++)
		if (of_jobs[i].class == class)
			log_run(of_jobs[i].level, &where, "job %s %s", name.text, of_jobs[i].words);
	if (class >= DIGEST_PREEMPT && class < DIGEST_RESUME)
		preempted(of, pass, class - DIGEST_PREEMPT, job);
	if (class >= DIGEST_END && class < DIGEST_REQUEUED)
		log_run(LOG_DEBUG, &where, "job %s ended: %s", name.text,
			sl_state_name((enum sl_state)(class - DIGEST_END)));
	if (class >= DIGEST_REQUEUED && class < DIGEST_DRAIN)
		log_run(LOG_DEBUG, &where, "job %s failed (%s), and waits again", name.text,
			sl_state_name((enum sl_state)(class - DIGEST_REQUEUED)));
}

static void happened(void *self, struct sl_pass *pass, unsigned class, uint32_t row)
{
	const struct watched_run *of = self;
	const struct log_about where = about(of, pass);
	if (class == SL_EV_CLASS_COUNT) {
		started(of, pass, row);
		return;
	}
	for (size_t i = 0; i < SL_LEN(of_nodes); i++)
		if (of_nodes[i].class == class) {
			log_run(LOG_DEBUG, &where, "node %s %s", node_name(pass, row).text,
				of_nodes[i].words);
			return;
		}
	if (class == SL_EV_RESERVATION)
		log_run(LOG_DEBUG, &where, "a reservation or outage begins or is over");
	else if (class != SL_EV_TIMER && class != SL_EV_MODEL && row < pass->jobs->count)
		happened_to_job(of, pass, class, row);
}

static void passed(void *self, const struct sl_pass *pass)
{
	const struct watched_run *of = self;
	const struct log_about where = about(of, pass);
	log_run(LOG_TRACE, &where, "pass %" PRIu64 ": %" PRIu32 " run, %" PRIu32 " wait", pass->passes,
		pass->running, pass->queue.count);
}

/* What a policy's script prints: without a time, as it wants it, but for machines. */
static void log_watch_said(void *self, const struct sl_pass *pass, const char *text)
{
	const struct watched_run *of = self;
	struct log_about where = about(of, pass);
	where.timed = log_shows(LOG_DEBUG);
	log_run(of->said_at, &where, "%s", text);
}

/* Of the values those that are not what they are unless said, or all: "key=value, ..." */
static void settings_reported(const struct log_about *where, const char *what, const struct sl_param *param,
	const struct sl_value *value, size_t count)
{
	char text[900] = "";
	size_t len = 0;
	for (size_t i = 0; i < count && len < sizeof(text); i++)
		if (value[i].text && (!param || strcmp(value[i].text, param[i].fallback) != 0))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s=%s", len ? ", " : "",
				value[i].key, value[i].text);
	if (len)
		log_run(LOG_DEBUG, where, "%s%s", what, text);
}

/* What is in force before it begins: of the replay what differs from the defaults. */
static void run_reported(const struct watched_run *of)
{
	const struct scenario *scenario = of->run->scenario;
	const struct policy_choice *choice = &of->run->choice;
	const struct log_about where = { .run = choice->text, .named = true };
	settings_reported(&where, "settings: ", NULL, choice->values, choice->value_count);
	settings_reported(&where, "replay: ", replay_params, scenario->replay, replay_param_count);
	for (size_t i = 0; i < scenario->model_count; i++) {
		char what[120];
		(void)snprintf(what, sizeof(what), "model %.80s: ", scenario->model[i].model->name);
		settings_reported(
			&where, what, NULL, scenario->model[i].values, scenario->model[i].value_count);
	}
}

struct log_watch *log_watch(struct run *runs, size_t count, bool prints)
{
	const bool events = log_shows(LOG_DEBUG);
	struct log_watch *all = events || (prints && log_shows(LOG_INFO))
					? calloc(1, sizeof(*all) + count * sizeof(*all->of))
					: NULL;
	if (!all)
		return NULL;
	all->count = count;
	for (size_t i = 0; i < count; i++) {
		struct watched_run *of = &all->of[i];
		*of = (struct watched_run){ .watch = { .self = of, .said = log_watch_said },
			.all = all,
			.run = &runs[i],
			.said_at = prints ? LOG_INFO : LOG_DEBUG };
		if (events) {
			run_reported(of);
			of->watch.happened = happened;
			runs[i].options.record |= SIM_RECORD_DECISIONS;
		}
		if (log_shows(LOG_TRACE))
			of->watch.passed = passed;
		runs[i].options.watch = &of->watch;
	}
	return all;
}

void log_unwatch(struct log_watch *watch, struct run *runs, size_t count)
{
	for (size_t i = 0; watch && i < count; i++)
		runs[i].options.watch = NULL;
	free(watch);
}
