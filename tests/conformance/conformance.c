/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conformance.c - recorded decisions of other schedulers and simulators against ours.
 *
 *   conformance classic|slurm|kueue|runai|kube [--place] [--forced] [--least=PERCENT] [--version=V] [-v]
 * [--keep] PATH...
 *
 * PATHs are files, or folders with all below them. A line for each failing
 * case, then `N passed, N failed`; exit 1 if any failed. What holds no cases
 * (a README, a schema, a trace) is passed over. -v: both schedules, side by
 * side. --keep: the files from which a case is run stay where the line says.
 * --forced: Slurm's decisions one by one, each from the recorded state before it; ends with `N of M
 * decisions`, and how many differ in which way; exit 1 if fewer than --least are right.
 * kube: worlds decision by decision; ends with `N of M worlds agree`, by kind, and in what the others differ
 * first; exit 1 if of some kind fewer than --least agree (all, if it is not given).
 * --version=24.11: with the rules of that Slurm, not of the recorded one.
 */
#include "tests/conformance/conformance.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct suite {
	const char *name;
	run_file run;
} suites[] = {
	{ "classic", classic_file },
	{ "slurm", slurm_file },
	{ "kueue", kueue_file },
	{ "runai", runai_file },
	{ "kube", kube_file },
};

void tally_case(struct tally *tally, const char *name, const char *failure)
{
	if (failure) {
		(void)printf("FAILED %s: %s\n", name, failure);
		tally->failed++;
	} else {
		tally->passed++;
	}
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void walk(const struct suite *suite, const char *path, const struct conformance_options *options,
	struct tally *tally);

static void walk_folder(const struct suite *suite, const char *path,
	const struct conformance_options *options, struct tally *tally)
{
	DIR *dir = opendir(path);
	if (!dir) {
		tally_case(tally, path, "cannot be opened");
		return;
	}
	char **name = NULL;
	size_t count = 0;
	for (struct dirent *entry; (entry = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe): one thread. */
		if (entry->d_name[0] == '.')
			continue;
		char **more = realloc(name, (count + 1) * sizeof(*name));
		char *full = NULL;
		if (!more || asprintf(&full, "%s/%s", path, entry->d_name) < 0)
			exit(6);
		name = more;
		name[count++] = full;
	}
	(void)closedir(dir);
	if (count)
		qsort(name, count, sizeof(*name), by_name);
	for (size_t i = 0; i < count; i++) {
		walk(suite, name[i], options, tally);
		free(name[i]);
	}
	free(name);
}

static void walk(const struct suite *suite, const char *path, const struct conformance_options *options,
	struct tally *tally)
{
	struct stat info;
	if (stat(path, &info) != 0)
		tally_case(tally, path, "no such file or folder");
	else if (S_ISDIR(info.st_mode))
		walk_folder(suite, path, options, tally);
	else if (suite->run)
		suite->run(path, options, tally);
	else
		tally_case(tally, path, "this scheduler is not modelled yet");
	(void)fflush(stdout);
}

/* Of a hundred pending reasons as many have to be the same. */
enum { REASONS_NEEDED = 95 };

static void tally_reasons(struct tally *tally)
{
	if (!tally->reasons)
		return;
	(void)printf("pending reasons: %zu of %zu the same (%.1f %%)\n", tally->reasons_same, tally->reasons,
		100.0 * (double)tally->reasons_same / (double)tally->reasons);
	if (tally->reasons_same * 100 < tally->reasons * REASONS_NEEDED)
		tally_case(tally, "pending reasons", "fewer than 95 % are the same");
}

/* "99.5" */
static int64_t permille(const char *text)
{
	int64_t micro;
	return sl_get_micro(text, strlen(text), &micro) ? micro / 100000 : 0;
}

/* A case that cannot be run counts as failed; decisions do not, but for their least share. */
static int end_forced(const struct conformance_options *options, const struct tally *tally)
{
	slurm_decisions_print(tally);
	const bool enough = tally->decisions_right * 1000 >= tally->decisions * (size_t)options->least;
	return tally->failed || !enough ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct suite *suite = NULL;
	for (size_t i = 0; argc > 1 && i < SL_LEN(suites); i++)
		if (strcmp(argv[1], suites[i].name) == 0)
			suite = &suites[i];
	if (!suite || argc < 3) {
		(void)fprintf(stderr,
			"usage: conformance classic|slurm|kueue|runai|kube [--place] [--forced] [--least=PERCENT] [--version=V] [-v] [--keep] PATH...\n");
		return 2;
	}
	struct conformance_options options = { 0 };
	struct tally tally = { 0 };
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--place") == 0)
			options.place = true;
		else if (strcmp(argv[i], "--forced") == 0)
			options.forced = true;
		else if (strncmp(argv[i], "--least=", strlen("--least=")) == 0)
			options.least = permille(argv[i] + strlen("--least="));
		else if (strcmp(argv[i], "-v") == 0)
			options.verbose = true;
		else if (strncmp(argv[i], "--version=", strlen("--version=")) == 0)
			options.version = argv[i] + strlen("--version=");
		else if (strcmp(argv[i], "--keep") == 0)
			options.keep = true;
		else
			walk(suite, argv[i], &options, &tally);
	}
	if (suite->run == kube_file)
		return kube_worlds_print(&tally, options.least ? options.least : 1000) && !tally.failed ? 0
													: 1;
	if (options.forced)
		return end_forced(&options, &tally);
	tally_reasons(&tally);
	(void)printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
	return tally.failed ? 1 : 0;
}
