/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_run.c - a sweep's workers, and how far it is.
 *
 * Workers are processes: one that crashes ends no other. Its point is written down as failed; one that was
 * killed (by who watches over memory, mostly) is tried once more before.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/dry_run.h"
#include "cli/sweep/sweep.h"

enum { WORKERS_MAX = 1024, CRASHES_MAX = 1000, KILLS_MAX = 2, PARTS_MAX = 1000000, TURN_MS = 20 };

/* ---- How far ---- */

struct standing {
	size_t done, failed;
};

static bool file_begins_error(const char *path)
{
	char line[400];
	bool error = false;
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	while (!error && fgets(line, sizeof(line), file))
		error = strncmp(line, "\"error\": ", 9) == 0;
	(void)fclose(file);
	return error;
}

static void point_path(const struct sweep *sweep, const struct point *point, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/points/%s.json", sweep->dir, point->id);
}

static struct standing stand(const struct sweep *sweep)
{
	struct standing found = { 0 };
	for (size_t i = 0; i < sweep->count; i++) {
		char path[4096];
		point_path(sweep, &sweep->point[i], path, sizeof(path));
		const bool done = access(path, F_OK) == 0;
		found.done += done;
		found.failed += done && file_begins_error(path);
	}
	return found;
}

int sweep_status(const struct sweep *sweep)
{
	const struct standing at = stand(sweep);
	const size_t held = claims_living(sweep);
	if (arg_flag(sweep->args, "json"))
		printf("{ \"points\": %zu, \"done\": %zu, \"failed\": %zu, \"left\": %zu, \"working\": %zu }\n",
			sweep->count, at.done, at.failed, sweep->count - at.done, held);
	else
		printf("%zu of %zu points done, %zu of them failed, %zu left, %zu being done\n", at.done,
			sweep->count, at.failed, sweep->count - at.done, held);
	return SL_OK;
}

int sweep_dry(const struct sweep *sweep, struct sl_err *err)
{
	const struct standing at = stand(sweep);
	const bool retry = arg_flag(sweep->args, "retry");
	struct dry_run dry;
	dry_begin(&dry, sweep->args);
	dry_read(&dry, sweep->spec_name);
	dry_count(&dry, "points", "points", sweep->count);
	dry_count(&dry, "done", "done already", at.done - (retry ? at.failed : 0));
	dry_count(&dry, "left", "to be run", sweep->count - at.done + (retry ? at.failed : 0));
	dry_write(&dry, arg(sweep->args, "output") ? arg(sweep->args, "output") : sweep->dir);
	return dry_end(&dry, err);
}

/* Two that retry at once: one of them removes the point. A second name of the point's file is the lock; one
 * that was left by a process that is gone may be claimed after the lease. */
static bool retry_lock(const char *path, const char *lock)
{
	struct stat held;
	if (link(path, lock) == 0)
		return true;
	if (errno != EEXIST || stat(lock, &held) != 0 || held.st_ctime + CLAIM_LEASE_S > time(NULL))
		return false;
	(void)unlink(lock);
	return link(path, lock) == 0;
}

/* --retry: points that failed are no points any more. Claims go first: nobody claims while the file is there.
 */
static void forget_failed(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		char path[4096];
		char lock[4096 + 8];
		struct stat now;
		struct stat held;
		point_path(sweep, &sweep->point[i], path, sizeof(path));
		(void)snprintf(lock, sizeof(lock), "%s.retry", path);
		if (!file_begins_error(path) || !retry_lock(path, lock))
			continue;
		/* Still the same file, and still a failed point: another may have done it meanwhile. */
		if (file_begins_error(lock) && stat(path, &now) == 0 && stat(lock, &held) == 0 &&
			now.st_ino == held.st_ino) {
			claims_forget(sweep, &sweep->point[i]);
			(void)unlink(path);
		}
		(void)unlink(lock);
	}
}

/* ---- Parts ---- */

static bool env_number(const char *name, uint64_t *number)
{
	const char *text = getenv(name); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	int64_t value;
	if (!text || !sl_get_i64(text, strlen(text), &value) || value < 0)
		return false;
	*number = (uint64_t)value;
	return true;
}

/* By the environment variables that each engine documents for the processes that it starts. parts: of
 * --shards, for engines that do not say how many there are; 0: not set. */
static bool part_of_engine(size_t *part, size_t *parts)
{
	static const struct {
		const char *part, *parts, *first;
		uint64_t from; /* Counted from there. */
	} engine[] = {
		{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", 0 },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, 0 },
		{ "PMI_RANK", "PMI_SIZE", NULL, 0 },
		{ "PMIX_RANK", "SLURM_NTASKS", NULL, 0 },
		{ "SLURM_PROCID", "SLURM_NTASKS", NULL, 0 },
		{ "PMIX_RANK", NULL, NULL, 0 },
		{ "JOB_COMPLETION_INDEX", NULL, NULL, 0 },
		{ "PARALLEL_SEQ", NULL, NULL, 1 },
	};
	for (size_t i = 0; i < SL_LEN(engine); i++) {
		uint64_t is;
		uint64_t of = *parts;
		uint64_t first = engine[i].from;
		uint64_t step = 1;
		if (!env_number(engine[i].part, &is) ||
			(engine[i].parts && !env_number(engine[i].parts, &of)) || !of)
			continue;
		if (engine[i].first) {
			(void)env_number(engine[i].first, &first);
			(void)env_number("SLURM_ARRAY_TASK_STEP", &step);
		}
		*part = (size_t)((is >= first ? is - first : is) / (step ? step : 1) % of);
		*parts = (size_t)of;
		return true;
	}
	return false;
}

int sweep_part(const struct args *args, size_t *part, size_t *parts, struct sl_err *err)
{
	const char *text = arg(args, "shard");
	int64_t is;
	int64_t of;
	uint64_t shards;
	const int status = arg_u64(args, "shards", 0, 1, PARTS_MAX, &shards, err);
	*part = 0;
	*parts = (size_t)shards;
	if (status)
		return status;
	if (!text || strcmp(text, "auto") == 0) {
		if (!part_of_engine(part, parts) || *parts > PARTS_MAX)
			*parts = 1;
		return SL_OK;
	}
	const char *slash = strchr(text, '/');
	if (!slash || !sl_get_i64(text, (size_t)(slash - text), &is) ||
		!sl_get_i64(slash + 1, strlen(slash + 1), &of) || is < 0 || of < 1 || is >= of ||
		of > PARTS_MAX)
		return sl_fail(err, SL_USAGE,
			"--shard must be I/N, from 0/N to N-1/N, or 'auto', not '%.60s'", text);
	*part = (size_t)is;
	*parts = (size_t)of;
	return SL_OK;
}

/* ---- Workers ---- */

struct crew {
	struct sweep *sweep;
	pid_t self;
	pid_t *worker;
	size_t count, living;
	size_t part, parts;
	int from, to; /* The pipe. */
	size_t done, failed, begun_with;
	struct timespec since;
	bool bar;
	int status; /* The worst of a worker's. */
	/* What each worker is at: a point's number and 1; 0: none. Shared with them. */
	_Atomic uint64_t *at;
	uint64_t *lost; /* Points whose workers were killed, once each. */
	size_t lost_count;
};

/* Ends the process. */
static _Noreturn void worker_main(const struct crew *crew, size_t i)
{
	struct sl_err err = { 0 };
	const struct sweep_work work = { crew->sweep, crew->part * crew->count + i, crew->parts * crew->count,
		crew->to, &crew->at[i] };
	(void)close(crew->from);
	/* Whoever kills the sweep means its workers too. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != crew->self)
		_exit(-SL_INTERRUPTED);
	const int status = sweep_work(&work, &err);
	if (status && status != SL_INTERRUPTED)
		talk("%s", err.text);
	(void)fflush(NULL);
	_exit(-status);
}

static bool hire(struct crew *crew, size_t i)
{
	(void)fflush(NULL);
	crew->worker[i] = fork();
	if (crew->worker[i] == 0)
		worker_main(crew, i);
	crew->living += crew->worker[i] > 0;
	return crew->worker[i] > 0;
}

static void sweep_run_draw(const struct crew *crew)
{
	struct timespec now;
	char line[200];
	char left[60] = "";
	struct winsize window;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	const double spent = (double)(now.tv_sec - crew->since.tv_sec) +
			     (double)(now.tv_nsec - crew->since.tv_nsec) * 1e-9;
	const size_t all = crew->sweep->count;
	const size_t done = crew->begun_with + crew->done;
	if (crew->done && done <= all) {
		const unsigned seconds = (unsigned)(spent / (double)crew->done * (double)(all - done) + 0.5);
		(void)snprintf(left, sizeof(left), "  %u:%02u left", seconds / 60, seconds % 60);
	}
	int len = snprintf(line, sizeof(line), "sweep  %zu %%  %zu/%zu points  %zu failed  %zu workers%s",
		all ? done * 100 / all : 100, done, all, crew->failed, crew->living, left);
	const int width =
		ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : 80;
	len = len < width ? len : width - 1;
	(void)fprintf(stderr, "\r%.*s\033[K", len, line);
	(void)fflush(stderr);
}

/* Reads what workers report, until nothing comes for so long. */
static void listen_to(struct crew *crew, int wait_ms)
{
	struct pollfd at = { .fd = crew->from, .events = POLLIN };
	char text[4096];
	if (poll(&at, 1, wait_ms) <= 0 || !(at.revents & POLLIN))
		return;
	const ssize_t len = read(crew->from, text, sizeof(text));
	for (ssize_t i = 0; i < len; i++) {
		crew->done++;
		crew->failed += text[i] == '!';
	}
}

static void report_workers(const struct crew *crew, int number)
{
	for (size_t i = 0; i < crew->count; i++)
		if (crew->worker[i] > 0)
			(void)kill(crew->worker[i], number);
}

/* Is it worth another try? One that was killed is, once. */
static bool may_retry(struct crew *crew, uint64_t number, int how)
{
	if (how != SIGKILL && how != SIGTERM)
		return false;
	for (size_t i = 0; i < crew->lost_count; i++)
		if (crew->lost[i] == number)
			return false;
	if (crew->lost_count == CRASHES_MAX)
		return false;
	crew->lost[crew->lost_count++] = number;
	return true;
}

/* A worker ended by a signal: what becomes of the point that it was at. */
static void mourn(struct crew *crew, size_t i, int how)
{
	const uint64_t number = atomic_load(&crew->at[i]);
	struct sl_err err = { 0 };
	const char *name = sigdescr_np(how);
	name = name ? name : "?";
	atomic_store(&crew->at[i], 0);
	if (!number) {
		talk("a worker ended by signal %d (%s)", how, name);
		return;
	}
	const bool rerun = may_retry(crew, number, how);
	talk("a worker ended by signal %d (%s) at point %" PRIu64 "%s", how, name, number - 1,
		rerun ? ": it is done again" : ", which has failed");
	if (rerun)
		return;
	struct sl_err why = { 0 };
	(void)sl_fail(&why, SL_SYSTEM, "the program ended by signal %d (%s)", how, name);
	if (sweep_point_failed(crew->sweep, (size_t)(number - 1), &why, &err)) {
		talk("%s", err.text);
		crew->status = err.status;
	}
	crew->done++;
	crew->failed++;
}

static void bury(struct crew *crew, size_t *crashed)
{
	int how;
	for (size_t i = 0; i < crew->count; i++) {
		if (crew->worker[i] <= 0 || waitpid(crew->worker[i], &how, WNOHANG) != crew->worker[i])
			continue;
		crew->worker[i] = 0;
		crew->living--;
		if (WIFSIGNALED(how) && !atomic_load(&cli_stop)) {
			mourn(crew, i, WTERMSIG(how));
			++*crashed;
			if (*crashed > CRASHES_MAX || crew->status || !hire(crew, i))
				crew->status = SL_SYSTEM;
		} else if (WIFEXITED(how) && WEXITSTATUS(how)) {
			crew->status = -WEXITSTATUS(how);
		}
	}
}

/* SIGUSR1: which points are under way. Workers that show progress report their run. */
static void sweep_run_answer(const struct crew *crew)
{
	log_answer("%zu of %zu points done, %zu failed", crew->begun_with + crew->done, crew->sweep->count,
		crew->failed);
	for (size_t i = 0; i < crew->count; i++) {
		const uint64_t number = atomic_load(&crew->at[i]);
		if (crew->worker[i] > 0 && number)
			log_answer("worker %zu is at point %" PRIu64, i + 1, number - 1);
	}
	report_workers(crew, SIGUSR1);
}

static void oversee(struct crew *crew)
{
	size_t crashed = 0;
	bool stopped = false;
	for (unsigned turn = 0; crew->living; turn++) {
		listen_to(crew, TURN_MS);
		if (atomic_load(&cli_stop) && !stopped) {
			stopped = true;
			report_workers(crew, SIGTERM);
		}
		if (atomic_exchange(&cli_query, 0))
			sweep_run_answer(crew);
		bury(crew, &crashed);
		if (crew->bar && turn % 10 == 0)
			sweep_run_draw(crew);
	}
	listen_to(crew, 0);
	if (crew->bar)
		(void)fputs("\r\033[K", stderr);
}

static int crew_start(struct crew *crew, struct sl_err *err)
{
	int ends[2];
	if (pipe(ends) != 0)
		return sl_fail_sys(err, SL_SYSTEM, "make", "a pipe");
	crew->from = ends[0];
	crew->to = ends[1];
	(void)signal(SIGPIPE, SIG_IGN);
	crew->self = getpid();
	(void)clock_gettime(CLOCK_MONOTONIC, &crew->since);
	for (size_t i = 0; i < crew->count; i++)
		if (!hire(crew, i))
			break;
	return crew->living ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "start", "a worker");
}

static int sweep_run_finish(const struct crew *crew, struct sl_err *err)
{
	const struct sweep *sweep = crew->sweep;
	const struct standing at = stand(sweep);
	const bool quiet = sweep->silent || !log_shows(LOG_INFO);
	if (!quiet)
		talk("%zu of %zu points done, %zu by this run, %zu failed", at.done, sweep->count, crew->done,
			at.failed);
	if (atomic_load(&cli_stop))
		return sl_fail(err, SL_INTERRUPTED,
			"interrupted: what is done is kept, and the same command goes on from there");
	if (crew->status)
		return sl_fail(
			err, crew->status, "not all points were done: the same command does the others");
	if (at.done < sweep->count && crew->parts == 1 && !quiet)
		talk("%zu points are being done elsewhere", sweep->count - at.done);
	if (at.failed)
		return sl_fail(err, SL_CHECK_FAILED,
			"%zu point%s failed: 'schedlab sweep report' says why; --retry does them again",
			at.failed, at.failed == 1 ? "" : "s");
	return SL_OK;
}

int sweep_run(struct sweep *sweep, struct sl_err *err)
{
	uint64_t threads;
	struct crew crew = { .sweep = sweep };
	int status = sweep_part(sweep->args, &crew.part, &crew.parts, err);
	if (!status)
		status = arg_u64(sweep->args, "threads", 0, 1, WORKERS_MAX, &threads, err);
	if (status)
		return status;
	if (arg_flag(sweep->args, "retry"))
		forget_failed(sweep);
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	/* A process of an engine uses the processors that the engine allocated to it. */
	crew.count = threads ? threads : crew.parts > 1 || processors < 1 ? 1 : (size_t)processors;
	crew.begun_with = stand(sweep).done;
	const size_t left = sweep->count - crew.begun_with;
	crew.count = crew.count > left ? left : crew.count;
	crew.bar = !sweep->silent && log_shows(LOG_INFO) && isatty(STDERR_FILENO);
	crew.worker = sl_alloc(sweep->arena, crew.count + 1, sizeof(*crew.worker));
	crew.lost = sl_alloc(sweep->arena, CRASHES_MAX, sizeof(*crew.lost));
	crew.at = mmap(NULL, (crew.count + 1) * sizeof(*crew.at), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!crew.worker || !crew.lost || crew.at == MAP_FAILED)
		return sl_fail_memory(err);
	if (crew.count) {
		status = crew_start(&crew, err);
		if (status)
			return status;
		oversee(&crew);
		(void)close(crew.from);
		(void)close(crew.to);
	}
	(void)munmap(crew.at, (crew.count + 1) * sizeof(*crew.at));
	return sweep_run_finish(&crew, err);
}
