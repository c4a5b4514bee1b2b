/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_against.c - a baseline's cases under two configurations: the runs of the second are compared with
 * those of the first, by the same tolerances.
 *
 * The first is the configuration that the cases name, or with --git what git has of it at a commit; the
 * second what --against names, or what the cases name.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/check/check_impact.h"
#include "cli/check/git_show.h"

/* ---- Which files ----------------------------------------------------------------------------- */

/* Paths of a baseline count from its folder; this one from where the program is called. */
static const char *from_here(const struct check *check, const char *path)
{
	const char *file = check->baseline.file;
	const char *slash = path[0] == '/' ? NULL : strrchr(file, '/');
	const size_t folder = slash ? (size_t)(slash - file) + 1 : 0;
	return text_made(check->arena, "%.*s%s", (int)folder, file, path);
}

/* One folder for each configuration: cases that name the same share it. */
static int fetch(struct check *check, size_t which, const char *rev, struct sl_err *err)
{
	const char *path = check->baseline.item[which].cluster;
	char into[PATH_MAX];
	for (size_t i = 0; i < which; i++)
		if (check->cluster_was[i] && strcmp(check->baseline.item[i].cluster, path) == 0) {
			check->cluster_was[which] = check->cluster_was[i];
			return SL_OK;
		}
	const char *here = from_here(check, path);
	const int len = snprintf(into, sizeof(into), "%s/%zu", check->scratch, which);
	if (!here || len < 0 || (size_t)len >= sizeof(into))
		return sl_fail_memory(err);
	if (mkdir(into, S_IRWXU))
		return sl_fail_sys(err, SL_SYSTEM, "make the folder", into);
	return git_show(rev, here, into, &check->cluster_was[which], check->arena, err);
}

static int fetch_all(struct check *check, const char *rev, struct sl_err *err)
{
	enum { CAPACITY = 4096 };
	char *path = sl_alloc(check->arena, CAPACITY, 1);
	int status = SL_OK;
	if (!path)
		return sl_fail_memory(err);
	status = scratch_make(path, CAPACITY, err);
	if (status)
		return status;
	check->scratch = path;
	for (size_t i = 0; i < check->baseline.count && !status; i++)
		if (check_wants(check, &check->baseline.item[i]))
			status = fetch(check, i, rev, err);
	return status;
}

/* What the cases name; several names are all reported. */
static int name_both(struct check *check, const char *rev, const char *now, struct sl_err *err)
{
	const char *path = NULL;
	for (size_t i = 0; i < check->baseline.count; i++) {
		const struct baseline_case *of = &check->baseline.item[i];
		if (!check_wants(check, of))
			continue;
		if (path && strcmp(path, of->cluster) != 0 && now)
			return sl_fail(err, SL_USAGE,
				"cases have '%.200s' and '%.200s': say by --case in place of which '%.200s' is",
				path, of->cluster, now);
		path = path && strcmp(path, of->cluster) != 0 ? "the configurations" : of->cluster;
	}
	if (!path)
		return sl_fail(err, SL_USAGE,
			"no case of '%.200s' has a 'cluster': there is no configuration to be compared",
			check->baseline.file);
	check->displayed_was = text_made(check->arena, rev ? "%s at %s" : "%s", path, rev);
	check->displayed_is = text_made(check->arena, "%s", now ? now : path);
	return check->displayed_was && check->displayed_is ? SL_OK : sl_fail_memory(err);
}

int check_against_begin(struct check *check, struct sl_err *err)
{
	const char *now = arg(check->args, "against");
	const char *rev = arg(check->args, "git");
	char real[PATH_MAX];
	check->cluster_was = sl_alloc(check->arena, check->baseline.count, sizeof(*check->cluster_was));
	if (!check->cluster_was)
		return sl_fail_memory(err);
	if (now && !realpath(now, real))
		return sl_fail_sys(err, SL_INPUT, "open", now);
	check->cluster_is = now ? sl_strdup(check->arena, real, strlen(real)) : NULL;
	if (now && !check->cluster_is)
		return sl_fail_memory(err);
	const int status = name_both(check, rev, now, err);
	return status || !rev ? status : fetch_all(check, rev, err);
}

/* ---- The first, as if it were written in the baseline ------------------------------------------ */

static int adopt_digests(
	struct check *check, const struct check_case *found, struct baseline_case *of, struct sl_err *err)
{
	of->result.digest = sl_alloc(check->arena, found->runs, sizeof(*of->result.digest));
	if (!of->result.digest)
		return sl_fail_memory(err);
	for (size_t i = 0; i < found->runs; i++)
		of->result.digest[i] = found->found[i].digest;
	of->result.count = found->runs;
	of->digests.digest = found->found[0].digests;
	of->digests.count = found->runs == 1 ? found->found[0].digest_count : 0;
	return SL_OK;
}

int check_against_adopt_metrics(struct check *check, size_t which, struct sl_err *err)
{
	const struct check_case *found = &check->base[which];
	struct baseline_case *of = &check->baseline.item[which];
	for (size_t i = 0; i < of->metric_count; i++) {
		struct baseline_metric *metric = &of->metric[i];
		if (metric->many)
			continue;
		metric->each = sl_alloc(check->arena, found->runs, sizeof(*metric->each));
		if (!metric->each)
			return sl_fail_memory(err);
		for (size_t run = 0; run < found->runs; run++)
			metric->each[run] = found->found[run].value[i];
		metric->each_count = found->runs;
		metric->value_micro = check_mean(found, i);
		metric->has_value = true;
	}
	return SL_OK;
}

/* The baseline was made of another configuration, or by another program. */
static void report_moved(const struct check *check, const struct check_case *found)
{
	const struct baseline_digests *was = &found->of->result;
	bool same = true;
	for (size_t i = 0; i < found->runs && i < was->count; i++)
		same = same && was->digest[i] == found->found[i].digest;
	if (!same && !check->quiet)
		talk("%s: case '%s': under %s the decisions are not those that the baseline has; what follows is held against that run",
			check->baseline.file, found->of->id, check->displayed_was);
}

/* It was changed where it stands: without its jobs there is no table of whom the new one moves. */
static void report_away(const struct check *check, const struct check_case *found)
{
	if (!check->quiet)
		talk("%s: case '%s': %s is not what the baseline was made of any more: the new one is held against the "
		     "baseline's values; --git REV, which has it as it was, also tells whom it moves",
			check->baseline.file, found->of->id, check->displayed_was);
}

int check_against_adopt(struct check *check, struct sl_err *err)
{
	int status = SL_OK;
	check->base = check->item;
	for (size_t i = 0; i < check->baseline.count && !status; i++) {
		const struct check_case *found = &check->item[i];
		if (!found->done || found->changed)
			continue;
		if (found->away) {
			report_away(check, found);
			continue;
		}
		report_moved(check, found);
		status = adopt_digests(check, found, &check->baseline.item[i], err);
		if (!status)
			status = check_against_adopt_metrics(check, i, err);
	}
	if (!status)
		status = check_record_take(check, err);
	check->based = true;
	return status;
}

void check_against_end(struct check *check)
{
	if (check->scratch)
		(void)remove_tree(check->scratch);
	for (size_t i = 0; i < IMPACT_KINDS; i++)
		names_release(&check->group[i]);
}
