/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_find.c - which run is meant: by its folder, or within a comparison's by its policy.
 */
#include "cli/run/run_find.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RUNS_MAX = 64 };

/* The runs in a folder, by name. */
struct runs {
	char *name[RUNS_MAX];
	size_t count;
	bool failed;
};

static bool is_folder(const char *path)
{
	struct stat is;
	return stat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static bool has_record(const char *path, const char *below)
{
	char *file = NULL;
	struct stat is;
	if (asprintf(&file, "%s/%s%srun.json", path, below, *below ? "/" : "") < 0)
		return false;
	const bool there = stat(file, &is) == 0;
	free(file);
	return there;
}

static int compare_numbers(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;
	const size_t len[] = { strspn(*x, "0123456789"), strspn(*y, "0123456789") };
	if (len[0] && len[1] && len[0] != len[1])
		return len[0] < len[1] ? -1 : 1;
	return strcmp(*x, *y);
}

static void runs_read(struct runs *runs, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	*runs = (struct runs){ .count = 0 };
	while (dir && runs->count < RUNS_MAX &&
		(entry = readdir(dir))) { /* NOLINT(concurrency-mt-unsafe): its own stream. */
		if (entry->d_name[0] == '.' || !has_record(path, entry->d_name))
			continue;
		runs->name[runs->count] = strdup(entry->d_name);
		runs->failed = runs->failed || !runs->name[runs->count];
		runs->count += runs->name[runs->count] != NULL;
	}
	if (dir)
		(void)closedir(dir);
	qsort(runs->name, runs->count, sizeof(*runs->name), compare_numbers);
}

static void runs_release(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		free(runs->name[i]);
}

/* "out/1-fcfs, out/2-easy" */
static void runs_text(const struct runs *runs, const char *path, char *text, size_t size)
{
	const bool here = strcmp(path, ".") == 0;
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < runs->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s%s%s", i ? ", " : "",
			here ? "" : path, here ? "" : "/", runs->name[i]);
}

/* A folder that is there. */
static int of_folder(const char *path, const struct runs *runs, bool comparisons, struct sl_err *err)
{
	char text[600];
	if (has_record(path, "") || comparisons)
		return SL_OK;
	runs_text(runs, path, text, sizeof(text));
	if (runs->count)
		return sl_fail(err, SL_USAGE, "'%s' holds several runs: choose one of %s", path, text);
	return sl_fail(err, SL_USAGE,
		"'%s' is not a run's directory, it has no run.json: give one that run -o wrote, or a snapshot",
		path);
}

/* "2-easy" is of "easy". */
static bool is_of(const char *run, const char *policy)
{
	const size_t digits = strspn(run, "0123456789");
	return digits && run[digits] == '-' && strcmp(run + digits + 1, policy) == 0;
}

/* All that is there is "1-fcfs", "2-easy"... */
static bool is_comparison(const struct runs *runs)
{
	bool all = runs->count > 0;
	for (size_t i = 0; i < runs->count; i++) {
		const size_t digits = strspn(runs->name[i], "0123456789");
		all &= digits && runs->name[i][digits] == '-';
	}
	return all;
}

/* What is not there: perhaps a policy's, in a comparison's folder. */
static int of_policy(
	char **path, const char *folder, const struct runs *runs, struct sl_arena *arena, struct sl_err *err)
{
	const char *slash = strrchr(*path, '/');
	const char *policy = slash ? slash + 1 : *path;
	const char *found = NULL;
	char text[600];
	size_t count = 0;
	for (size_t i = 0; i < runs->count; i++)
		if (is_of(runs->name[i], policy)) {
			found = runs->name[i];
			count++;
		}
	runs_text(runs, folder, text, sizeof(text));
	if (!slash && !count && !is_comparison(runs))
		return SL_OK; /* Where one stands there may be anything. */
	if (runs->count && count != 1)
		return sl_fail(err, SL_USAGE, "'%s' %s: choose one of %s", *path,
			count ? "may be several runs" : "is none of the runs there", text);
	if (!found)
		return SL_OK; /* Whoever opens it says what is wrong. */
	char *made = text_made(arena, "%s%s%s", slash ? folder : "", slash ? "/" : "", found);
	if (!made)
		return sl_fail_memory(err);
	*path = made;
	return SL_OK;
}

int run_find(char **path, bool comparisons, struct sl_arena *arena, struct sl_err *err)
{
	struct stat is;
	struct runs runs;
	size_t len = strlen(*path);
	while (len > 1 && (*path)[len - 1] == '/') /* "out/easy/" */
		len--;
	if ((*path)[len] && stat(*path, &is) != 0 && !(*path = sl_strdup(arena, *path, len)))
		return sl_fail_memory(err);
	const bool there = stat(*path, &is) == 0;
	const char *slash = strrchr(*path, '/');
	const char *folder = there ? *path : slash ? sl_strdup(arena, *path, (size_t)(slash - *path)) : ".";
	if (strcmp(*path, "-") == 0 || (there && !S_ISDIR(is.st_mode)) || !folder || !is_folder(folder))
		return SL_OK;
	runs_read(&runs, folder);
	int status = runs.failed ? sl_fail_memory(err)
		     : there     ? of_folder(*path, &runs, comparisons, err)
				 : of_policy(path, folder, &runs, arena, err);
	runs_release(&runs);
	return status;
}

int run_find_words(const struct args *args, bool comparisons, struct sl_err *err)
{
	int status = SL_OK;
	for (size_t i = 0; i < args->word_count && !status; i++)
		status = run_find(&args->word[i], comparisons, args->arena, err);
	return status;
}
