/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_if.c - what would have been: a rerun with one thing changed, until the job starts.
 *
 * Each is a plain run with one more setting, which is reported with it. It stops as soon as the job has
 * started: stopping between instants leaves no trace, so that is when it starts in the whole run too.
 */
#include "cli/explain/explain.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/run/engine.h"

const char *const what_if_keys[] = { "needed-limit", "half-limit", "fewer", "partition", "without-user",
	"without-account", "node", NULL };
enum { OTHERS_MAX = 16, PARTITIONS_MAX = 4 };

/* ---- Settings ------------------------------------------------------------------------------------ */

/* A word of a clause, its signs made plain; NULL: it cannot be written, as settings have no such signs. */
static const char *clause_word(const struct explain *explain, const char *text)
{
	char *to = sl_alloc(explain->view.arena, 2 * strlen(text) + 1, 1);
	size_t len = 0;
	if (!to)
		return NULL;
	for (; *text; text++) {
		if (*text == '"' || (unsigned char)*text < ' ' || *text == 0x7f)
			return NULL;
		if (strchr(" \t,;|=*\\", *text))
			to[len++] = '\\';
		to[len++] = *text;
	}
	return to;
}

/* The run's own setting of that key; NULL. */
static const char *setting_had(const struct explain *explain, const char *key)
{
	const struct snapshot *snapshot = &explain->view.rerun.snapshot;
	const size_t len = strlen(key);
	for (size_t i = 0; i < snapshot->setting_count; i++)
		if (strncmp(snapshot->setting[i], key, len) == 0 && snapshot->setting[i][len] == '=')
			return snapshot->setting[i] + len + 1;
	return NULL;
}

static struct what_if *other_add(struct explain *explain, const char *key, const char *words)
{
	if (explain->other_count == OTHERS_MAX)
		return NULL;
	struct what_if *other = &explain->other[explain->other_count++];
	*other = (struct what_if){ .key = key, .words = words };
	return other;
}

/* One more clause beside those that the run had. */
static void other_clause(
	struct explain *explain, const char *key, const char *words, const char *setting, const char *clause)
{
	struct what_if *other = other_add(explain, key, words);
	const char *had = setting_had(explain, setting);
	if (other)
		other->setting[other->setting_count++] =
			report_text(explain, "%s=%s%s%s", setting, had ? had : "", had ? "; " : "", clause);
}

static void change_job(struct explain *explain, const char *key, const char *words, const char *change)
{
	const char *id = clause_word(explain, id_text(explain, explain->job));
	if (id)
		other_clause(
			explain, key, words, "replay.change", report_text(explain, "job=%s %s", id, change));
}

/* "8h", "90m", "75s" */
static const char *duration_text(const struct explain *explain, sl_time length)
{
	char seconds[32];
	if (length % (3600 * SL_SECOND) == 0)
		return report_text(explain, "%" PRId64 "h", length / (3600 * SL_SECOND));
	if (length % (60 * SL_SECOND) == 0)
		return report_text(explain, "%" PRId64 "m", length / (60 * SL_SECOND));
	*sl_put_micro(seconds, length) = '\0';
	return report_text(explain, "%s", seconds);
}

static void add_limit(struct explain *explain, const char *key)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	const sl_time minute = 60 * SL_SECOND;
	const sl_time limit = jobs->limit[explain->job];
	const sl_time run = jobs->run[explain->job];
	const sl_time whole = run < minute ? minute : (run + minute - 1) / minute * minute;
	const sl_time needed = run < SL_NEVER / 2 ? whole : limit;
	if (limit >= SL_TIME_MOST)
		return;
	if (strcmp(key, "needed-limit") == 0 && needed < limit)
		change_job(explain, key,
			report_text(explain, "with a limit of %s, no more than it needed",
				range_text(explain, needed)),
			report_text(explain, "limit=%s", duration_text(explain, needed)));
	if (strcmp(key, "half-limit") == 0 && (explain->wanted || (limit / 2 >= run && limit / 2 != needed)))
		change_job(explain, key,
			report_text(explain, "with half its limit, %s", range_text(explain, limit / 2)),
			report_text(explain, "limit=%s", duration_text(explain, limit / 2)));
}

static void add_fewer(struct explain *explain, const char *key)
{
	const struct view *view = &explain->view;
	const struct sl_request *request = view_request(view, explain->job);
	const struct sl_job_desc *desc = view_desc(view, explain->job);
	const int64_t parts =
		sl_parts(request && request->gpus ? view->cluster->gpu_parts : view->cluster->cpu_parts);
	const int64_t whole =
		request ? (request->gpus ? request->gpus : request->cpus) : view->jobs->size[explain->job];
	const char *unit = request && request->gpus ? "gpus" : "cpus";
	const char *words = request && request->gpus ? "GPUs" : "cpus";
	if (request && request->group_count > 1)
		return;
	if (desc && desc->nodes_min > 1) {
		change_job(explain, key,
			report_text(explain, "on half as many nodes, %" PRId64, desc->nodes_min / 2),
			report_text(explain, "nodes=%" PRId64, desc->nodes_min / 2));
		return;
	}
	if (whole % parts || whole / parts < 2)
		return;
	change_job(explain, key,
		report_text(explain, "with half as many %s, %" PRId64, words, whole / parts / 2),
		report_text(explain, "%s=%" PRId64, unit, whole / parts / 2));
}

static void add_partition(struct explain *explain, const char *key)
{
	const struct sl_cluster *cluster = explain->view.cluster;
	const char *own = partition_text(explain, explain->job);
	size_t count = 0;
	for (uint32_t i = 0; i < cluster->partition_count && count < PARTITIONS_MAX; i++) {
		const struct sl_partition *partition = &cluster->partition[i];
		const char *name = clause_word(explain, partition->name);
		const bool default_own = !*own && partition->is_default;
		if (!name || strcmp(partition->name, own) == 0 || default_own ||
			partition->state != SL_PARTITION_UP)
			continue;
		count++;
		change_job(explain, key, report_text(explain, "in partition %s", partition->name),
			report_text(explain, "partition=%s", name));
	}
}

/* Whose jobs that started meanwhile were the largest in sum: those submitted later, else any. */
struct share_holder_sum {
	int32_t share_holder;
	uint32_t any;
	int64_t cpu_seconds;
};

static int compare_share_holders(const void *a, const void *b)
{
	const struct share_holder_sum *x = a;
	const struct share_holder_sum *y = b;
	return (x->share_holder > y->share_holder) - (x->share_holder < y->share_holder);
}

static struct share_holder_sum largest_share_holder(const struct explain *explain, const int32_t *by)
{
	const struct ahead *ahead = &explain->ahead;
	const size_t count = ahead->later ? ahead->later : ahead->count;
	struct share_holder_sum *sum = calloc(count + 1, sizeof(*sum));
	struct share_holder_sum most = { -1, UINT32_MAX, -1 };
	struct share_holder_sum now = { -1, UINT32_MAX, 0 };
	for (size_t i = 0; sum && i < count; i++)
		sum[i] = (struct share_holder_sum){ by[ahead->job[i].job], ahead->job[i].job,
			ahead->job[i].cpu_seconds };
	if (sum)
		qsort(sum, count, sizeof(*sum), compare_share_holders);
	for (size_t i = 0; sum && i < count; i++) {
		if (sum[i].share_holder != now.share_holder)
			now = (struct share_holder_sum){ sum[i].share_holder, sum[i].any, 0 };
		now.cpu_seconds += sum[i].cpu_seconds;
		if (now.share_holder >= 0 && now.share_holder != by[explain->job] &&
			now.cpu_seconds > most.cpu_seconds)
			most = now;
	}
	free(sum);
	return most;
}

static void add_without(struct explain *explain, const char *key)
{
	const struct sl_jobs *jobs = explain->view.jobs;
	const bool user = strcmp(key, "without-user") == 0;
	const struct share_holder_sum share_holder =
		largest_share_holder(explain, user ? jobs->user : jobs->account);
	char number[32];
	if (share_holder.share_holder < 0)
		return;
	*sl_put_i64(number, share_holder.share_holder) = '\0';
	const char *const *name = user ? jobs->user_name : jobs->account_name;
	const char *word = clause_word(explain, name ? name[share_holder.share_holder] : number);
	const char *reported =
		user ? user_text(explain, share_holder.any) : account_text(explain, share_holder.any);
	if (word)
		other_clause(explain, key,
			report_text(explain, "without %s%s, whose jobs took most while it waited (%s)",
				user || !jobs->account_name ? "" : "account ", reported,
				hours_text(explain, share_holder.cpu_seconds)),
			"replay.drop", report_text(explain, "%s=%s", user ? "user" : "account", word));
}

/* Of the node type that it ran on, or that a task would fit on. */
static void add_node(struct explain *explain, const char *key)
{
	const struct view *view = &explain->view;
	const struct sl_cluster *cluster = view->cluster;
	const struct sl_result *result = view->result;
	struct what_if *other;
	int64_t more = 1;
	if (!cluster->node_count) {
		other = other_add(explain, key,
			report_text(explain, "with %s more",
				count_words(explain, (uint64_t)(cluster->cpus + 9) / 10, "cpu", "cpus")));
		if (other)
			other->setting[other->setting_count++] = report_text(
				explain, "cluster.cpus=%" PRId64, cluster->cpus + (cluster->cpus + 9) / 10);
		return;
	}
	const bool placed = result->place_count && result->place_count[explain->job];
	const uint32_t node = placed ? result->place[result->place_first[explain->job]].node : 0;
	const char *name = cluster->type[cluster->node_type[node]].name;
	const char *setting = report_text(explain, "cluster.nodes[%s].count+", name);
	const char *had = setting_had(explain, setting);
	if (had && !sl_get_i64(had, strlen(had), &more))
		return;
	other = other_add(explain, key, report_text(explain, "with one node of %s more", name));
	if (other)
		other->setting[other->setting_count++] =
			report_text(explain, "%s=%" PRId64, setting, had ? more + 1 : 1);
}

static bool is_wanted(const struct explain *explain, const char *key)
{
	if (!explain->wanted)
		return true;
	for (size_t i = 0; explain->wanted[i]; i++)
		if (strcmp(explain->wanted[i], key) == 0)
			return true;
	return false;
}

static void add_all(struct explain *explain)
{
	static void (*const add[])(struct explain * explain, const char *key) = { add_limit, add_limit,
		add_fewer, add_partition, add_without, add_without, add_node };
	for (size_t i = 0; i < SL_LEN(add); i++)
		if (is_wanted(explain, what_if_keys[i]))
			add[i](explain, what_if_keys[i]);
	/* One's own setting. */
	for (size_t i = 0; explain->wanted && explain->wanted[i]; i++) {
		struct what_if *other = strchr(explain->wanted[i], '=')
						? other_add(explain, "setting",
							  report_text(explain, "with %s", explain->wanted[i]))
						: NULL;
		if (other)
			other->setting[other->setting_count++] = explain->wanted[i];
	}
}

/* ---- Simulated ---------------------------------------------------------------------------------------- */

/* Instant by instant from its submission on. */
static int until_started(
	struct rerun *rerun, struct sim_run *sim, uint32_t job, sl_time *start, struct sl_err *err)
{
	const struct scenario *scenario = &rerun->scenario;
	const bool simple = rerun->recipe.history_count == 1;
	*start = SL_NONE;
	int status = rerun_begin(
		rerun, sim, SIM_RECORD_REASONS, simple ? scenario->jobs.submit[job] : SL_NEVER, err);
	while (!status) {
		const struct sl_pass *pass = sim_state(sim);
		const enum sl_state state = sl_state_of(pass, (sl_job){ job });
		const sl_time began = sl_start_of(pass, (sl_job){ job });
		if (began != SL_NONE)
			*start = began;
		const sl_time next = sim_next(sim);
		const bool over = state != SL_PENDING || next == SL_NEVER ||
				  (scenario->bounded && next > scenario->until);
		if (began != SL_NONE || over)
			break;
		status = sim_advance(sim, next, err);
	}
	if (status || simple)
		return status;
	/* Through several policies: of the whole run. */
	status = sim_end(sim, err);
	*start = sim->result.start[job];
	return status;
}

/* Behind what rerun_load puts in front of it. */
static const char *bare_error(const char *text)
{
	static const char mark[] = "is not there as it was: ";
	const char *at = strstr(text, mark);
	return at ? at + sizeof(mark) - 1 : text;
}

/* Why it never started: what it is charged to at the end. */
static void report_never(struct sim_run *sim, bool ended, uint32_t job, struct what_if *other)
{
	struct sl_err none = { 0 };
	if (!ended && sim_end(sim, &none))
		return;
	const struct sl_result *result = &sim->result;
	(void)snprintf(other->why, sizeof(other->why), "%s", sl_reason_words(sl_reason_last(result, job)));
}

static void simulate(const struct explain *explain, struct what_if *other)
{
	struct explain there = { 0 };
	struct rerun *rerun = &there.view.rerun;
	struct sim_run sim = { 0 };
	struct sl_err err = { 0 };
	uint32_t job = UINT32_MAX;
	int status = rerun_open(rerun, explain->path, explain->registry, &err);
	for (size_t i = 0; i < other->setting_count && !status; i++)
		status = rerun_change(rerun, other->setting[i], &err);
	if (!status)
		status = rerun_load(rerun, &err);
	there.view.arena = rerun->arena;
	there.view.jobs = &rerun->scenario.jobs;
	there.view.cluster = &rerun->scenario.cluster;
	there.view.scenario = &rerun->scenario;
	other->outcome = OUTCOME_FAILED;
	if (!status && explain_find(&there, explain->id, &job, &err)) {
		other->outcome = OUTCOME_REFUSED;
		for (size_t i = 0; i < rerun->scenario.anomaly_count; i++)
			if (rerun->scenario.anomaly[i].dropped)
				(void)snprintf(other->why, sizeof(other->why), "%s",
					rerun->scenario.anomaly[i].cause);
	} else if (!status) {
		status = until_started(rerun, &sim, job, &other->start, &err);
		other->outcome = status                    ? OUTCOME_FAILED
				 : other->start == SL_NONE ? OUTCOME_NEVER
							   : OUTCOME_STARTED;
		if (other->outcome == OUTCOME_NEVER)
			report_never(&sim, rerun->recipe.history_count > 1, job, other);
	}
	if (status)
		(void)snprintf(other->why, sizeof(other->why), "%.199s", bare_error(err.text));
	sim_release(&sim);
	rerun_close(rerun);
}

struct work {
	struct explain *explain;
	_Atomic size_t next;
};

static void *work_on(void *self)
{
	struct work *work = self;
	size_t i;
	while ((i = atomic_fetch_add(&work->next, 1)) < work->explain->other_count && !atomic_load(&cli_stop))
		simulate(work->explain, &work->explain->other[i]);
	return NULL;
}

static void simulate_all(struct explain *explain)
{
	enum { THREADS_MAX = 64 };
	struct work work = { .explain = explain };
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;
	unsigned wanted = explain->threads ? explain->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	wanted = wanted > THREADS_MAX ? THREADS_MAX : wanted;
	while (started + 1 < wanted && started + 1 < explain->other_count &&
		pthread_create(&thread[started], NULL, work_on, &work) == 0)
		started++;
	(void)work_on(&work);
	for (unsigned i = 0; i < started; i++)
		(void)pthread_join(thread[i], NULL);
}

int what_if_find(struct explain *explain, struct sl_err *err)
{
	explain->other = sl_alloc(explain->view.arena, OTHERS_MAX, sizeof(*explain->other));
	if (!explain->other)
		return sl_fail_memory(err);
	add_all(explain);
	simulate_all(explain);
	if (atomic_load(&cli_stop))
		return sl_fail(err, SL_INTERRUPTED, "interrupted");
	size_t kept = 0;
	for (size_t i = 0; i < explain->other_count; i++) {
		const struct what_if *other = &explain->other[i];
		const bool elsewhere =
			strcmp(other->key, "partition") == 0; /* Nobody asked whether it could run there. */
		const bool idle =
			other->outcome == OUTCOME_FAILED || (elsewhere && other->outcome != OUTCOME_STARTED);
		if (explain->wanted || !idle)
			explain->other[kept++] = *other;
	}
	explain->other_count = kept;
	return SL_OK;
}
