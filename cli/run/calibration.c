/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * calibration.c - run --calibrate: the replay beside its log, behind the run's summary.
 */
#include "cli/run/calibration.h"
#include "cli/base/render.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/metrics/calibrate.h"

enum { GROUPS_DISPLAYED = 10, WHOLE = 1000000 };

static const char *seconds(char text[64], sl_time time)
{
	char number[48];
	(void)snprintf(text, 64, "%s s", screen_number(number, time, 2));
	return text;
}

/* "+3.4 %"; "" where the recorded one is nothing. */
static const char *difference(char text[64], sl_time recorded, sl_time simulated)
{
	char number[48];
	const int64_t by = calibrate_difference(recorded, simulated);
	text[0] = '\0';
	if (by == INT64_MAX || by > INT64_MAX / 100)
		return text;
	(void)snprintf(text, 64, "%s %%", screen_signed(number, by * 100, 1));
	return text;
}

static void compare_cells(struct screen_table *table, sl_time recorded, sl_time simulated)
{
	char text[64];
	screen_cell(table, true, "%s", seconds(text, recorded));
	screen_cell(table, true, "%s", seconds(text, simulated));
	screen_cell(table, true, "%s", difference(text, recorded, simulated));
}

/* ---- Of all ---------------------------------------------------------------------------------- */

static bool differs(const struct calibration *all, enum calibrate_measure which)
{
	const struct calibrate_both *wait = &all->measure[CALIBRATE_WAIT];
	const struct calibrate_both *both = &all->measure[which];
	return both->recorded.mean != wait->recorded.mean || both->simulated.mean != wait->simulated.mean;
}

enum { TURNOVER_LEAST = 10 }; /* Starts, to be told. */

static bool turnover_known(const struct calibration *all)
{
	return all->turnover[0].starts >= TURNOVER_LEAST && all->turnover[1].starts >= TURNOVER_LEAST;
}

static void print_turnover(const struct calibration *all, struct screen_table *table)
{
	const struct calibrate_turnover *r = &all->turnover[0];
	const struct calibrate_turnover *s = &all->turnover[1];
	screen_cell(table, false, "turnover.least");
	compare_cells(table, r->least, s->least);
	screen_cell(table, false, "turnover.p50");
	compare_cells(table, r->p50, s->p50);
	screen_cell(table, false, "turnover.p95");
	compare_cells(table, r->p95, s->p95);
}

static void print_measures(const struct calibration *all, struct sl_arena *arena)
{
	struct screen_table *table = screen_table_new(arena, 4);
	screen_row(table, "lrrr", "calibration", "recorded", "simulated", "difference");
	for (unsigned which = 0; which < CALIBRATE_MEASURES; which++) {
		const struct calibrate_side *r = &all->measure[which].recorded;
		const struct calibrate_side *s = &all->measure[which].simulated;
		const struct {
			const char *name;
			sl_time recorded, simulated;
		} line[] = { { "mean", r->mean, s->mean }, { "p50", r->p50, s->p50 },
			{ "p95", r->p95, s->p95 } };
		if (which != CALIBRATE_WAIT && !differs(all, which))
			continue;
		for (size_t i = 0; i < SL_LEN(line); i++) {
			screen_cell(table, false, "%s.%s", calibrate_measure_name[which], line[i].name);
			compare_cells(table, line[i].recorded, line[i].simulated);
		}
	}
	if (turnover_known(all))
		print_turnover(all, table);
	screen_print(table, stdout);
}

static const char *calibration_share(char text[64], size_t part, size_t whole)
{
	char number[48];
	const int64_t micro = whole ? (int64_t)((__int128)part * 100 * WHOLE / (__int128)whole) : 0;
	(void)snprintf(text, 64, "%s %%", screen_number(number, micro, 1));
	return text;
}

static void print_agreement(const struct calibration *all, struct sl_arena *arena)
{
	struct screen_table *table = screen_table_new(arena, 2);
	char text[64];
	const struct {
		const char *name;
		int64_t rank;
	} ranks[] = { { "rank correlation of starts", all->starts },
		{ "rank correlation of waits", all->waits } };
	const struct {
		const char *name;
		size_t part;
	} shares[] = { { "waits within a minute", all->within_minute },
		{ "waits within a minute or 10 %", all->within_tenth },
		{ "started over a minute sooner", all->sooner },
		{ "started over a minute later", all->later } };
	for (size_t i = 0; i < SL_LEN(ranks); i++)
		screen_row(table, "lr", ranks[i].name,
			ranks[i].rank == SL_NONE ? "-" : screen_number(text, ranks[i].rank, 3));
	for (size_t i = 0; i < SL_LEN(shares); i++)
		screen_row(table, "lr", shares[i].name, calibration_share(text, shares[i].part, all->jobs));
	screen_row(table, "lr", "median of the differences", seconds(text, all->difference_p50));
	screen_print(table, stdout);
}

/* ---- Of groups ------------------------------------------------------------------------------------ */

static int by_jobs(const void *a, const void *b)
{
	const struct calibrate_group *const *x = a;
	const struct calibrate_group *const *y = b;
	if ((*x)->jobs != (*y)->jobs)
		return (*x)->jobs > (*y)->jobs ? -1 : 1;
	return (*x > *y) - (*x < *y); /* As they stand: by name. */
}

static void group_row(struct screen_table *table, const struct calibrate_group *group)
{
	char number[48];
	if (group->name)
		screen_cell(table, false, "%s", group->name);
	else
		screen_cell(table, false, "%" PRId64, group->number);
	screen_cell(table, true, "%s", count_text(number, group->jobs));
	compare_cells(table, group->wait.recorded.mean, group->wait.simulated.mean);
	compare_cells(table, group->wait.recorded.p95, group->wait.simulated.p95);
}

static int print_kind(
	const struct calibration *all, enum calibrate_kind kind, struct sl_arena *arena, struct sl_err *err)
{
	const struct calibrate_group **list =
		sl_alloc(arena, all->group_count + 1, sizeof(const struct calibrate_group *));
	size_t count = 0;
	if (!list)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->group_count; i++)
		if (all->group[i].kind == kind)
			list[count++] = &all->group[i];
	if (count < 2) /* The one is all. */
		return SL_OK;
	qsort(list, count, sizeof(const struct calibrate_group *), by_jobs);
	struct screen_table *table = screen_table_new(arena, 8);
	screen_row(table, "lrrrrrrr", calibrate_kind_name[kind], "jobs", "recorded", "simulated",
		"difference", "p95", "simulated", "difference");
	for (size_t i = 0; i < count && i < GROUPS_DISPLAYED; i++)
		group_row(table, list[i]);
	(void)puts("");
	screen_print(table, stdout);
	if (count > GROUPS_DISPLAYED)
		(void)printf(
			"... and %zu more: calibration.csv has them (-o DIR)\n", count - GROUPS_DISPLAYED);
	return SL_OK;
}

/* ---- Where it waits longer or shorter ---------------------------------------------------------- */

static sl_time apart_of(const struct calibrate_group *group)
{
	const sl_time apart = group->wait.simulated.mean - group->wait.recorded.mean;
	return apart < 0 ? -apart : apart;
}

/* What it comes to in all: seconds of all its jobs. */
static int by_weight(const void *a, const void *b)
{
	const struct calibrate_group *const *x = a;
	const struct calibrate_group *const *y = b;
	const __int128 mine = (__int128)apart_of(*x) * (__int128)(*x)->jobs;
	const __int128 other = (__int128)apart_of(*y) * (__int128)(*y)->jobs;
	if (mine != other)
		return mine > other ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static void off_row(struct screen_table *table, const struct calibrate_group *group, bool again)
{
	char text[64];
	char number[48];
	if (group->name)
		screen_cell(table, false, "%s %s", calibrate_kind_name[group->kind], group->name);
	else
		screen_cell(table, false, "%s %" PRId64, calibrate_kind_name[group->kind], group->number);
	screen_cell(table, false, "%s", calibrate_side_of(group) > 0 ? "longer" : "shorter");
	screen_cell(table, true, "%s", count_text(number, group->jobs));
	compare_cells(table, group->wait.recorded.mean, group->wait.simulated.mean);
	screen_cell(table, true, "%s", again ? seconds(text, group->mean_again) : "");
	screen_cell(table, true, "%s", seconds(text, calibrate_bound_of(group)));
}

/* Groups whose mean wait is off by more than a tenth, and by more than two recordings are apart. */
static int print_off(const struct calibration *all, struct sl_arena *arena, struct sl_err *err)
{
	const struct calibrate_group **list =
		sl_alloc(arena, all->group_count + 1, sizeof(const struct calibrate_group *));
	size_t count = 0;
	if (!list)
		return sl_fail_memory(err);
	for (size_t i = 0; i < all->group_count; i++)
		if (calibrate_side_of(&all->group[i]))
			list[count++] = &all->group[i];
	if (all->jobs_again) {
		char first[64];
		char second[64];
		(void)printf(
			"\nof %zu jobs the second log has mean waits of %s, the first %s: how far one machine is "
			"from itself\n",
			all->jobs_again, seconds(second, all->mean_again), seconds(first, all->mean_shared));
	}
	if (!count) {
		(void)printf(
			"\nno partition, user, account or QOS of %d jobs waits longer or shorter by more than a "
			"tenth, 30 s%s\n",
			CALIBRATE_GROUP_LEAST, all->jobs_again ? ", and what the two logs are apart" : "");
		return SL_OK;
	}
	qsort(list, count, sizeof(const struct calibrate_group *), by_weight);
	struct screen_table *table = screen_table_new(arena, 8);
	screen_row(table, "llrrrrrr", "the model waits", "", "jobs", "recorded", "simulated", "difference",
		all->jobs_again ? "second log" : "", "allowed");
	for (size_t i = 0; i < count && i < GROUPS_DISPLAYED; i++)
		off_row(table, list[i], all->jobs_again != 0);
	(void)puts("");
	screen_print(table, stdout);
	if (count > GROUPS_DISPLAYED)
		(void)printf("... and %zu more: calibration.csv has the waits of all (-o DIR)\n",
			count - GROUPS_DISPLAYED);
	return SL_OK;
}

/* ---- In words --------------------------------------------------------------------------------------- */

static void print_jobs(const struct calibration *all)
{
	char jobs[48];
	char total[48];
	const size_t out = all->total - all->jobs;
	(void)printf("\n%s of %s jobs started both in the log and here", count_text(jobs, all->jobs),
		count_text(total, all->total));
	const char *before = out ? "; left out: " : "";
	for (unsigned i = 0; i < CALIBRATE_OUT_COUNT; i++) {
		if (!all->left_out[i])
			continue;
		(void)printf("%s%zu %s", before, all->left_out[i], calibrate_out_text[i]);
		before = ", ";
	}
	(void)puts("");
	if (all->requeued || all->requeued_here)
		(void)printf(
			"%zu of them were started several times in the log, %zu here: 'wait' is to the first start\n",
			all->requeued, all->requeued_here);
	if (all->censored)
		(void)printf(
			"%zu of them were cut short in the log (time limit, its end): they run at least as long as recorded\n",
			all->censored);
}

static void talk_turnover(const struct calibration *all)
{
	if (!turnover_known(all))
		return;
	(void)printf(
		"turnover: from the latest end on the nodes of a job that waits to its start, of %zu starts in "
		"the log, %zu here;\n  that nodes are COMPLETING (slurm:complete=TIME) is in it, and the wait "
		"for a pass, for limits and for others that go first\n",
		all->turnover[0].starts, all->turnover[1].starts);
}

static void print_trust(const struct calibration *all)
{
	static const char *const text[] = {
		[CALIBRATE_FEW] = "too few jobs to tell: give a log of at least 100 that started",
		[CALIBRATE_POOR] =
			("poor: do not plan by this model; look at the groups that differ most, and at what the "
			 "run left out or took otherwise"),
		[CALIBRATE_FAIR] =
			"fair: trust it to rank policies that differ by more than it does from the log",
		[CALIBRATE_CLOSE] = "close: as near to the log as one cluster is to itself",
	};
	const struct calibrate_bound *c = &calibrate_close;
	const struct calibrate_bound *f = &calibrate_fair;
	(void)printf("\ntrust: %s\n", text[all->trust]);
	(void)printf(
		"  close: wait.mean within %d %%, wait.p95 within %d %%, rank correlation of starts from %.2f, of "
		"waits from %.2f;\n  fair: %d %%, %d %%, %.2f, %.2f; means that differ by 30 s or less do not differ\n",
		(int)(c->mean / 10000), (int)(c->p95 / 10000), (double)c->starts / 1e6,
		(double)c->waits / 1e6, (int)(f->mean / 10000), (int)(f->p95 / 10000),
		(double)f->starts / 1e6, (double)f->waits / 1e6);
}

int calibration_print(const struct sl_result *result, const struct sl_jobs *again, struct sl_arena *arena,
	struct sl_err *err)
{
	struct calibration all;
	int status = calibrate_with(&all, result, again, err);
	if (status)
		return status;
	(void)puts("");
	print_measures(&all, arena);
	(void)puts("");
	print_agreement(&all, arena);
	for (unsigned kind = 0; kind < CALIBRATE_KINDS && !status; kind++)
		status = print_kind(&all, kind, arena, err);
	if (!status)
		status = print_off(&all, arena, err);
	if (!status) {
		print_jobs(&all);
		talk_turnover(&all);
		print_trust(&all);
	}
	calibrate_release(&all);
	return status;
}
