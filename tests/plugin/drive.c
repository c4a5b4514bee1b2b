/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drive.c - a program outside the tree: the same runs by a plug-in's policy and by the built-in one, on
 * threads.
 *
 * usage: drive TRACE PLUGIN.so. Exits 0 if the digests are the same, however they were run.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <schedlab/schedlab.h>

enum { RUNS = 4 };

#define EXPECT(claim) ((claim) ? 0 : (fprintf(stderr, "drive: not so, line %d: %s\n", __LINE__, #claim), 1))

static uint64_t digest(const struct sl_run *run)
{
	const struct sl_result *result = sl_run_result(run);
	return result ? result->digest : 0;
}

/* One run, made, let go and freed by a thread of ours. */
struct task {
	const struct sl_scenario *scenario;
	const char *policy;
	uint64_t digest;
	struct sl_err err;
};

static void *work(void *self)
{
	struct task *task = self;
	struct sl_run *run = NULL;
	if (!sl_run_new(&run, task->scenario, task->policy, 1, 0, &task->err) && !sl_run_go(run, &task->err))
		task->digest = digest(run);
	sl_run_free(run);
	return NULL;
}

/* The same policy of the same .so, twice at once in one process. */
static int own_threads(const struct sl_scenario *scenario, const char *plugin, uint64_t expected)
{
	struct task task[2] = { { .scenario = scenario, .policy = plugin },
		{ .scenario = scenario, .policy = plugin } };
	pthread_t thread[2];
	int bad = 0;
	for (int i = 0; i < 2; i++)
		bad |= EXPECT(pthread_create(&thread[i], NULL, work, &task[i]) == 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		bad |= EXPECT(task[i].digest == expected);
	}
	return bad;
}

static int results(const struct sl_run *run, const struct sl_scenario *scenario)
{
	const struct sl_result *result = sl_run_result(run);
	const struct sl_jobs *jobs = sl_scenario_jobs(scenario);
	int64_t value = 0;
	int bad = EXPECT(result != NULL);
	if (bad)
		return bad;
	bad |= EXPECT(result->jobs == jobs && result->cpus == sl_scenario_cluster(scenario)->cpus);
	int64_t wait = 0;
	int64_t completed = 0;
	for (uint32_t i = 0; i < jobs->count; i++) {
		wait += result->start[i] - jobs->submit[i];
		completed += result->state[i] == SL_COMPLETED && result->end[i] >= result->start[i];
	}
	bad |= EXPECT(sl_run_metric(run, "jobs.completed", &value) && value == completed * 1000000);
	bad |= EXPECT(sl_run_metric(run, "wait.mean", &value));
	bad |= EXPECT(value - wait / jobs->count <= 1 && wait / jobs->count - value <= 1);
	bad |= EXPECT(!sl_run_metric(run, "nonsense", &value));
	const char *name;
	size_t count = 0;
	while ((name = sl_run_metric_at(run, count, &value)))
		count++;
	bad |= EXPECT(count > 20);
	printf("%" PRIu32 " jobs, %s, digest %016" PRIx64 "\n", jobs->count, result->policy, result->digest);
	return bad;
}

static int refusals(const struct sl_session *session, const struct sl_scenario *scenario, const char *trace,
	struct sl_run *over)
{
	static const char *const unknown[] = { "replay.laod=1", NULL };
	struct sl_err err[5] = { { 0 } };
	struct sl_run *run = NULL;
	struct sl_scenario *other = NULL;
	int bad = EXPECT(sl_run_new(&run, scenario, "esay", 1, 0, &err[0]) == SL_USAGE && !run);
	bad |= EXPECT(strstr(err[0].text, "did you mean 'easy'?"));
	bad |= EXPECT(
		sl_scenario_open(&other, session, "/nowhere.swf", NULL, NULL, &err[1]) == SL_INPUT && !other);
	bad |= EXPECT(sl_scenario_open(&other, session, trace, NULL, unknown, &err[2]) == SL_USAGE && !other);
	bad |= EXPECT(sl_run_go(over, &err[3]) == SL_USAGE);
	if (!sl_run_new(&run, scenario, "easy", 1, 0, &err[4])) {
		bad |= EXPECT(sl_run_write(run, "jobs.csv", "never.csv", &err[4]) == SL_USAGE);
		sl_run_stop(run);
		bad |= EXPECT(!sl_run_result(run));
	}
	sl_run_free(run);
	return bad;
}

static int drive(const struct sl_session *session, const struct sl_scenario *scenario, const char *trace,
	const char *plugin, struct sl_err *err)
{
	const char *const policy[RUNS] = { "easy", plugin, plugin, "easy" };
	struct sl_run *run[RUNS] = { NULL };
	int bad = 0;
	for (int i = 0; i < RUNS; i++)
		bad |= EXPECT(!sl_run_new(&run[i], scenario, policy[i], 1, i ? 0 : SL_RUN_RECORD, err));
	bad = bad || EXPECT(!sl_runs_go(run, RUNS, 2, err));
	for (int i = 0; i < RUNS && !bad; i++)
		bad |= EXPECT(digest(run[i]) && digest(run[i]) == digest(run[0])) | results(run[i], scenario);
	bad = bad || own_threads(scenario, plugin, digest(run[0]));
	bad = bad || refusals(session, scenario, trace, run[0]);
	bad = bad || EXPECT(!sl_run_write(run[0], "jobs.csv", "jobs.csv", err));
	for (int i = 0; i < RUNS; i++)
		sl_run_free(run[i]);
	return bad;
}

int main(int argc, char **argv)
{
	static const char *const settings[] = { "replay.load=1.1", NULL };
	struct sl_err err = { 0 };
	struct sl_session *session = NULL;
	struct sl_scenario *scenario = NULL;
	if (argc != 3)
		return 2;
	int bad =
		EXPECT(!sl_session_new(&session, &err)) || EXPECT(!sl_session_plugin(session, argv[2], &err));
	bad = bad || EXPECT(!sl_scenario_open(&scenario, session, argv[1], NULL, settings, &err));
	bad = bad || drive(session, scenario, argv[1], argv[2], &err);
	sl_scenario_free(scenario);
	sl_session_free(session);
	if (err.status)
		fprintf(stderr, "drive: %s\n", err.text);
	return bad;
}
