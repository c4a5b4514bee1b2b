/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_run.c - a sweep's directory, its workers, and how far it is.
 *
 * Workers are processes: one that crashes takes nobody with it, its point is done once more by another, and
 * one that crashes there too is written down as failed.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/cli/outdir.h"
#include "sim/cli/sweep.h"

enum { WORKERS_MAX = 1024 };

/* ---- The directory ---------------------------------------------------------------------------------- */

/* What a sweep is: its points, in order. */
static int plan_hash(const struct sweep *sweep, char hex[65], struct sl_err *err)
{
	char *all = sl_alloc(sweep->arena, sweep->count * POINT_ID + 1, 1);
	if (!all)
		return sl_fail_memory(err);
	for (size_t i = 0; i < sweep->count; i++)
		memcpy(all + i * POINT_ID, sweep->point[i].id, POINT_ID);
	return identity_hash(all, hex, err);
}

static int folder_make(const char *dir, const char *below, struct sl_err *err)
{
	char path[4096];
	(void)snprintf(path, sizeof(path), "%s%s%s", dir, *below ? "/" : "", below);
	return mkdir(path, 0777) == 0 || errno == EEXIST ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "make", path);
}

/* The plan's hash that the directory was begun with; "": it is no sweep's; hex[0] 0 too where there is
 * nothing. */
static bool dir_hash(const char *dir, char hex[65])
{
	char path[4096];
	char line[200] = "";
	hex[0] = '\0';
	(void)snprintf(path, sizeof(path), "%s/sweep.json", dir);
	FILE *file = fopen(path, "r");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, "\"plan\": \"");
		if (at)
			(void)snprintf(hex, 65, "%.64s", at + 9);
	}
	(void)fclose(file);
	return true;
}

static bool is_empty(const char *dir)
{
	DIR *open = opendir(dir);
	bool empty = true;
	if (!open)
		return true;
	for (const struct dirent *entry; empty && (entry = readdir(open));)
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	(void)closedir(open);
	return empty;
}

static int write_sweep(const struct sweep *sweep, const char *hex, struct sl_err *err)
{
	char path[4096];
	struct sl_out *out;
	(void)snprintf(path, sizeof(path), "%s/sweep.json", sweep->dir);
	int status = sl_out_open(&out, path, err);
	if (status)
		return status;
	sl_out_text(out, "{ \"schema\": \"" SWEEP_SCHEMA "\",\n\"version\": \"" SL_VERSION "\",\n\"spec\": ");
	sl_out_json(out, sweep->spec.file);
	sl_out_text(out, ",\n\"plan\": ");
	sl_out_json(out, hex);
	sl_out_printf(out, ",\n\"points\": %zu,\n\"factors\": [", sweep->count);
	for (size_t f = 0; f < sweep->spec.factor_count; f++) {
		sl_out_text(out, f ? ", " : "");
		sl_out_json(out, sweep->spec.factor[f].name);
	}
	sl_out_text(out, "] }\n");
	return sl_out_commit(out, err);
}

int sweep_open(struct sweep *sweep, const char *dir, bool force, struct sl_err *err)
{
	char hex[65];
	char was[65];
	int status = plan_hash(sweep, hex, err);
	sweep->dir = dir;
	if (status)
		return status;
	const bool there = dir_hash(dir, was);
	if (!there && !is_empty(dir))
		return sl_fail(
			err, SL_USAGE, "'%s' holds something that is no sweep: name another directory", dir);
	if (there && strcmp(was, hex) != 0 && !force)
		return sl_fail(err, SL_BASELINE,
			"'%s' was begun with other points: the spec, an input or schedlab is another. Take another "
			"directory, or with --force keep the points that both have",
			dir);
	static const char *const below[] = { "", "points", "claims", "traces" };
	for (size_t i = 0; i < SL_LEN(below) && !status; i++)
		status = folder_make(dir, below[i], err);
	return status || (there && strcmp(was, hex) == 0) ? status : write_sweep(sweep, hex, err);
}

/* ---- How far --------------------------------------------------------------------------------------------
 */

struct standing {
	size_t done, failed, claimed;
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

int sweep_status(struct sweep *sweep, struct sl_err *err)
{
	const struct standing at = stand(sweep);
	(void)err;
	if (arg_flag(sweep->args, "json"))
		printf("{ \"points\": %zu, \"done\": %zu, \"failed\": %zu, \"left\": %zu }\n", sweep->count,
			at.done, at.failed, sweep->count - at.done);
	else
		printf("%zu of %zu points done, %zu of them failed, %zu left\n", at.done, sweep->count,
			at.failed, sweep->count - at.done);
	return SL_OK;
}

/* --retry: points that failed are no points any more. */
static void forget_failed(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		char path[4096];
		point_path(sweep, &sweep->point[i], path, sizeof(path));
		if (file_begins_error(path))
			(void)unlink(path);
	}
}

/* ---- Parts ------------------------------------------------------------------------------------------------
 */

static bool env_number(const char *name, uint64_t *number)
{
	const char *text = getenv(name); /* NOLINT(concurrency-mt-unsafe): one thread yet. */
	int64_t value;
	if (!text || !sl_get_i64(text, strlen(text), &value) || value < 0)
		return false;
	*number = (uint64_t)value;
	return true;
}

/* By the environment variables that each engine documents for the processes that it starts. */
static bool part_of_engine(size_t *part, size_t *parts)
{
	static const struct {
		const char *part, *parts, *first;
	} engine[] = {
		{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN" },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_RANK", "PMI_SIZE", NULL },
		{ "SLURM_PROCID", "SLURM_NTASKS", NULL },
		{ "JOB_COMPLETION_INDEX", "SCHEDLAB_PARTS", NULL },
	};
	for (size_t i = 0; i < SL_LEN(engine); i++) {
		uint64_t is;
		uint64_t of;
		uint64_t first = 0;
		uint64_t step = 1;
		if (!env_number(engine[i].part, &is) || !env_number(engine[i].parts, &of) || !of)
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
	*part = 0;
	*parts = 1;
	if (!text || strcmp(text, "auto") == 0) {
		(void)part_of_engine(part, parts);
		return SL_OK;
	}
	const char *slash = strchr(text, '/');
	if (!slash || !sl_get_i64(text, (size_t)(slash - text), &is) ||
		!sl_get_i64(slash + 1, strlen(slash + 1), &of) || is < 0 || of < 1 || is >= of ||
		of > 1000000)
		return sl_fail(err, SL_USAGE,
			"--shard must be I/N, from 0/N to N-1/N, or 'auto', not '%.60s'", text);
	*part = (size_t)is;
	*parts = (size_t)of;
	return SL_OK;
}

/* ---- Workers
 * -------------------------------------------------------------------------------------------------- */

struct crew {
	struct sweep *sweep;
	pid_t *worker;
	size_t count, living;
	size_t part, parts;
	int from, to; /* The pipe. */
	size_t done, failed, begun_with;
	struct timespec since;
	bool bar;
	int status; /* The worst of a worker's. */
};

/* Ends the process. */
static _Noreturn void worker_main(const struct crew *crew, size_t i)
{
	struct sl_err err = { 0 };
	const struct sweep_work work = { crew->sweep, crew->part * crew->count + i, crew->parts * crew->count,
		crew->to };
	(void)close(crew->from);
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

static void draw(const struct crew *crew)
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

/* What workers tell, until a fifth of a second is over. */
static void listen_to(struct crew *crew)
{
	struct pollfd at = { .fd = crew->from, .events = POLLIN };
	char text[256];
	if (poll(&at, 1, 200) <= 0 || !(at.revents & POLLIN))
		return;
	const ssize_t len = read(crew->from, text, sizeof(text));
	for (ssize_t i = 0; i < len; i++) {
		crew->done++;
		crew->failed += text[i] == '!';
	}
}

static void tell_workers(const struct crew *crew, int number)
{
	for (size_t i = 0; i < crew->count; i++)
		if (crew->worker[i] > 0)
			(void)kill(crew->worker[i], number);
}

/* crashed: signals that nobody sent: their points are begun again by who comes after. */
static void bury(struct crew *crew, size_t *crashed)
{
	int how;
	for (size_t i = 0; i < crew->count; i++) {
		if (crew->worker[i] <= 0 || waitpid(crew->worker[i], &how, WNOHANG) != crew->worker[i])
			continue;
		crew->worker[i] = 0;
		crew->living--;
		if (WIFSIGNALED(how)) {
			talk("a worker ended by signal %d", WTERMSIG(how));
			++*crashed;
			if (*crashed <= crew->count * 2 && !atomic_load(&cli_stop))
				(void)hire(crew, i);
			else
				crew->status = SL_SYSTEM;
		} else if (WEXITSTATUS(how)) {
			crew->status = -WEXITSTATUS(how);
		}
	}
}

static void oversee(struct crew *crew)
{
	size_t crashed = 0;
	bool stopped = false;
	while (crew->living) {
		listen_to(crew);
		if (atomic_load(&cli_stop) && !stopped) {
			stopped = true;
			tell_workers(crew, SIGTERM);
		}
		bury(crew, &crashed);
		if (crew->bar)
			draw(crew);
	}
	listen_to(crew);
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
	(void)clock_gettime(CLOCK_MONOTONIC, &crew->since);
	for (size_t i = 0; i < crew->count; i++)
		if (!hire(crew, i))
			break;
	return crew->living ? SL_OK : sl_fail_sys(err, SL_SYSTEM, "start", "a worker");
}

static int finish(const struct crew *crew, struct sl_err *err)
{
	const struct sweep *sweep = crew->sweep;
	const struct standing at = stand(sweep);
	const bool quiet = arg_flag(sweep->args, "quiet");
	if (!quiet)
		talk("%zu of %zu points done, %zu by this run, %zu failed", at.done, sweep->count, crew->done,
			at.failed);
	if (atomic_load(&cli_stop))
		return sl_fail(err, SL_INTERRUPTED,
			"interrupted: what is done is kept, and the same command goes on from there");
	if (crew->status)
		return sl_fail(
			err, crew->status, "not all points were done: the same command does the others");
	if (at.done < sweep->count && crew->parts == 1)
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
	/* Whoever is one of many is given its processors by the engine that started it. */
	crew.count = threads ? threads : crew.parts > 1 || processors < 1 ? 1 : (size_t)processors;
	crew.begun_with = stand(sweep).done;
	const size_t left = sweep->count - crew.begun_with;
	crew.count = crew.count > left ? left : crew.count;
	crew.bar = !arg_flag(sweep->args, "quiet") && isatty(STDERR_FILENO);
	crew.worker = sl_alloc(sweep->arena, crew.count + 1, sizeof(*crew.worker));
	if (!crew.worker)
		return sl_fail_memory(err);
	if (crew.count) {
		status = crew_start(&crew, err);
		if (status)
			return status;
		oversee(&crew);
		(void)close(crew.from);
		(void)close(crew.to);
	}
	return finish(&crew, err);
}
