/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurm_runs.c - scenarios recorded from a real slurmctld, run as a user would run them, and compared.
 *
 * What has to be the same: the order of starts (those recorded within 3 s of each other may swap), each start
 * to 3 s, nodes, cores, memory and devices of each attempt, how many attempts there were, and how each job
 * ended. Pending reasons are counted over all scenarios: one that was seen has to occur in ours, and one that
 * ours gives for more than 5 s has to have been seen; 95 of 100 have to be so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/conformance.h"
#include "tests/conformance/slurm_alloc.h"
#include "tests/conformance/slurm_timing.h"
#include "tests/conformance/slurm_watch.h"

enum { TOLERANCE = 3, REASON_LASTS = 5 };

struct comparison {
	const struct slurm_case *c;
	const struct slurm_watch *watch;
	struct slurm_machine machine;
	int64_t first;   /* When the first difference was, */
	char text[1200]; /* and what. */
	size_t differences;
	int64_t apart; /* The largest difference of starts; */
	size_t reasons, reasons_same;
};

/* The earliest is told: what comes after it may come of it. */
static SL_PRINTF(3, 4) void differs(struct comparison *cmp, int64_t at, const char *format, ...)
{
	va_list args;
	if (cmp->differences++ && at >= cmp->first)
		return;
	cmp->first = at;
	va_start(args, format);
	(void)vsnprintf(cmp->text, sizeof(cmp->text), format, args);
	va_end(args);
}

static const struct slurm_series *series_of(const struct comparison *cmp, const struct slurm_row *row)
{
	char id[80];
	slurm_trace_id(cmp->c, row, id, sizeof(id));
	return slurm_series_of(cmp->watch, id);
}

/* The attempt of the course that the row tells of; NULL: there is none. */
static const struct slurm_attempt *attempt_of(const struct comparison *cmp, const struct slurm_row *row)
{
	const struct slurm_series *series = series_of(cmp, row);
	if (!series || row->started == SL_NONE || row->attempt < 0 ||
		(size_t)row->attempt >= series->attempt_count)
		return NULL;
	return &series->attempt[row->attempt];
}

/* ---- What it got -----------------------------------------------------------------------------------------
 */

static int node_named(void *self, const char *name, size_t len)
{
	struct comparison *cmp = self;
	const struct sl_cluster *cluster = cmp->machine.cluster;
	for (uint32_t n = 0; n < cluster->node_count; n++)
		if (strlen(cluster->node_name[n]) == len && memcmp(cluster->node_name[n], name, len) == 0)
			cmp->machine.node_alloc[n].tasks ^= 1;
	return 0;
}

/* Of what was gone before anybody looked, only the nodes are known. */
static bool same_nodes(struct comparison *cmp, const struct slurm_row *row, const char *alloc)
{
	struct sl_err err = { 0 };
	bool same = true;
	const uint32_t nodes = cmp->machine.cluster->node_count;
	const uint32_t count = slurm_alloc_read(&cmp->machine, alloc);
	uint32_t *node = sl_alloc(cmp->machine.arena, nodes + 1, sizeof(*node));
	for (uint32_t i = 0; i < count; i++)
		node[i] = cmp->machine.node_alloc[i].node;
	for (uint32_t n = 0; n < nodes; n++)
		cmp->machine.node_alloc[n].tasks = 0;
	for (uint32_t i = 0; i < count; i++)
		cmp->machine.node_alloc[node[i]].tasks = 1;
	(void)sl_hosts_each(row->nodes, strlen(row->nodes), NULL, &err, node_named, cmp);
	for (uint32_t n = 0; n < nodes; n++)
		same &= !cmp->machine.node_alloc[n].tasks;
	return same;
}

static bool same_alloc(struct comparison *cmp, const char *recorded, const char *ours)
{
	const uint32_t nodes = cmp->machine.cluster->node_count;
	const uint32_t count = slurm_alloc_read(&cmp->machine, recorded);
	struct select_node_alloc *node_alloc = sl_alloc(cmp->machine.arena, nodes + 1, sizeof(*node_alloc));
	memcpy(node_alloc, cmp->machine.node_alloc, nodes * sizeof(*node_alloc));
	const uint32_t our_count = slurm_alloc_read(&cmp->machine, ours);
	return slurm_alloc_same(&cmp->machine, node_alloc, count, cmp->machine.node_alloc, our_count);
}

static bool same_place(struct comparison *cmp, const struct slurm_row *row, const char *ours)
{
	return row->alloc[0] ? same_alloc(cmp, row->alloc, ours) : same_nodes(cmp, row, ours);
}

/* Starts within the tolerance may swap, and so what they got: what it has, one of these should have, and what
 * it should have, one of these has. */
static bool is_swapped(struct comparison *cmp, const struct slurm_row *row, const char *ours)
{
	const struct slurm_case *c = cmp->c;
	bool given = false;
	bool taken = false;
	for (size_t i = 0; i < c->row_count; i++) {
		const struct slurm_row *other = &c->row[i];
		const struct slurm_attempt *attempt = attempt_of(cmp, other);
		if (other == row || !attempt || llabs(other->started - row->started) > TOLERANCE)
			continue;
		given |= same_place(cmp, other, ours);
		taken |= same_place(cmp, row, attempt->alloc);
	}
	return given && taken;
}

static void compare_alloc(
	struct comparison *cmp, const struct slurm_row *row, const struct slurm_attempt *attempt)
{
	if (!same_place(cmp, row, attempt->alloc) && !is_swapped(cmp, row, attempt->alloc))
		differs(cmp, row->started, "job %s at %lld got %.300s, ours at %lld %.300s", row->id,
			(long long)row->started, row->alloc[0] ? row->alloc : row->nodes,
			(long long)attempt->start, attempt->alloc);
}

/* ---- When -------------------------------------------------------------------------------------------------
 */

static void compare_start(struct comparison *cmp, const struct slurm_row *row)
{
	const struct slurm_attempt *ours = attempt_of(cmp, row);
	if (row->started == SL_NONE)
		return;
	if (!ours) {
		const struct slurm_series *series = series_of(cmp, row);
		differs(cmp, row->started, "job %s started at %lld%s, ours did not (it is %s)", row->id,
			(long long)row->started, row->attempt ? " once more" : "",
			series ? series->state : "not in the run");
		return;
	}
	const int64_t apart =
		ours->start < row->started ? row->started - ours->start : ours->start - row->started;
	if (apart > cmp->apart)
		cmp->apart = apart;
	if (apart > TOLERANCE)
		differs(cmp, row->started < ours->start ? row->started : ours->start,
			"job %s started at %lld, ours at %lld (recorded reasons: %s)", row->id,
			(long long)row->started, (long long)ours->start,
			row->reasons[0] ? row->reasons : "none");
	compare_alloc(cmp, row, ours);
}

static void compare_order(struct comparison *cmp)
{
	const struct slurm_case *c = cmp->c;
	for (size_t i = 0; i < c->row_count; i++)
		for (size_t j = 0; j < c->row_count; j++) {
			const struct slurm_row *a = &c->row[i];
			const struct slurm_row *b = &c->row[j];
			const struct slurm_attempt *first = attempt_of(cmp, a);
			const struct slurm_attempt *second = attempt_of(cmp, b);
			if (first && second && a->started + TOLERANCE < b->started &&
				first->start > second->start)
				differs(cmp, a->started,
					"job %s started before %s (%lld, %lld), ours after it (%lld, %lld)",
					a->id, b->id, (long long)a->started, (long long)b->started,
					(long long)first->start, (long long)second->start);
		}
}

/* ---- What became of it
 * --------------------------------------------------------------------------------------
 */

static bool is_last(const struct slurm_case *c, const struct slurm_row *row)
{
	for (size_t i = 0; i < c->row_count; i++)
		if (strcmp(c->row[i].id, row->id) == 0 && c->row[i].attempt > row->attempt)
			return false;
	return true;
}

static void compare_state(struct comparison *cmp, const struct slurm_row *row)
{
	const struct slurm_series *series = series_of(cmp, row);
	const int64_t at = row->end != SL_NONE ? row->end : row->job->submit;
	if (!series) {
		differs(cmp, row->job->submit, "job %s is not in the run", row->id);
		return;
	}
	if (!is_last(cmp->c, row))
		return;
	if (strcmp(series->state, row->state) != 0)
		differs(cmp, at, "job %s ended %s, ours is %s", row->id, row->state,
			*series->state ? series->state : "not submitted");
	const size_t attempts = (size_t)row->attempt + (row->started != SL_NONE);
	if (series->attempt_count > attempts)
		differs(cmp, series->attempt[attempts].start, "job %s started %zu times, ours %zu times",
			row->id, attempts, series->attempt_count);
}

/* ---- Why it waited
 * ------------------------------------------------------------------------------------------ */

/* Behind ReqNodeNotAvail it names the nodes that are not there. */
static bool is_word(const char *seen, size_t len, const char *word)
{
	static const char nodes[] = ",_UnavailableNodes:";
	const size_t own = strlen(word);
	return len >= own && memcmp(seen, word, own) == 0 &&
	       (len == own ||
		       (len - own >= sizeof(nodes) - 1 && memcmp(seen + own, nodes, sizeof(nodes) - 1) == 0));
}

/* "Priority+Resources" */
static bool is_listed(const char *list, const char *word)
{
	for (const char *at = list; *at;) {
		const size_t one = strcspn(at, "+");
		if (is_word(at, one, word))
			return true;
		at += one + (at[one] == '+');
	}
	return false;
}

static void compare_seen(
	struct comparison *cmp, const struct slurm_row *row, const struct slurm_series *series, bool verbose)
{
	for (const char *at = row->reasons; *at;) {
		const size_t one = strcspn(at, "+");
		bool found = false;
		for (unsigned reason = 0; reason < SL_REASON_COUNT && !found; reason++) {
			const char *word = sl_reason_name(reason);
			found = (series->had[reason / 64] >> (reason % 64) & 1) && is_word(at, one, word);
		}
		cmp->reasons++;
		cmp->reasons_same += found;
		if (!found && verbose)
			(void)printf("    %s waited for %.*s, ours never\n", row->id, (int)one, at);
		at += one + (at[one] == '+');
	}
}

static void compare_ours(
	struct comparison *cmp, const struct slurm_row *row, const struct slurm_series *series, bool verbose)
{
	for (size_t i = 0; i < series->wait_count; i++) {
		const struct slurm_wait *wait = &series->wait[i];
		if (wait->reason == SL_REASON_NONE || wait->until == SL_NONE ||
			wait->until - wait->from <= REASON_LASTS)
			continue;
		const bool found = is_listed(row->reasons, sl_reason_name(wait->reason));
		cmp->reasons++;
		cmp->reasons_same += found;
		if (!found && verbose)
			(void)printf("    ours: %s waits for %s from %lld to %lld, recorded: %s\n", row->id,
				sl_reason_name(wait->reason), (long long)wait->from, (long long)wait->until,
				row->reasons[0] ? row->reasons : "nothing");
	}
}

static void compare_reasons(struct comparison *cmp, const struct slurm_row *row, bool verbose)
{
	const struct slurm_series *series = series_of(cmp, row);
	if (!series || row->attempt != 0 || strcmp(row->state, "REJECTED") == 0)
		return;
	compare_seen(cmp, row, series, verbose);
	/* Tasks of an array that had not been split off were seen under the array's name. */
	if (strcmp(row->id, row->job->id) == 0)
		compare_ours(cmp, row, series, verbose);
}

/* ---- One scenario
 * ------------------------------------------------------------------------------------------ */

static void compare(struct comparison *cmp)
{
	for (size_t i = 0; i < cmp->c->row_count; i++) {
		compare_start(cmp, &cmp->c->row[i]);
		compare_state(cmp, &cmp->c->row[i]);
	}
	compare_order(cmp);
}

static void put_time(char text[24], int64_t time)
{
	(void)snprintf(text, 24, time == SL_NONE ? "-" : "%lld", (long long)time);
}

static void print_table(const struct comparison *cmp)
{
	(void)printf("  %-10s %7s %7s %-10s %-24s | %7s %7s %-10s %s\n", "job", "start", "end", "state",
		"alloc", "start", "end", "state", "alloc (ours)");
	for (size_t i = 0; i < cmp->c->row_count; i++) {
		const struct slurm_row *row = &cmp->c->row[i];
		const struct slurm_series *series = series_of(cmp, row);
		const struct slurm_attempt *ours = attempt_of(cmp, row);
		char time[4][24];
		put_time(time[0], row->started);
		put_time(time[1], row->end);
		put_time(time[2], ours ? ours->start : SL_NONE);
		put_time(time[3], ours ? ours->end : SL_NONE);
		const bool off = (ours != NULL) != (row->started != SL_NONE) ||
				 (ours && llabs(ours->start - row->started) > TOLERANCE);
		(void)printf("%c %-10s %7s %7s %-10s %-24.60s | %7s %7s %-10s %.60s\n", off ? '!' : ' ',
			row->id, time[0], time[1], row->state, row->alloc[0] ? row->alloc : row->nodes,
			time[2], time[3], series ? series->state : "?", ours ? ours->alloc : "");
	}
}

static bool begin_comparison(struct comparison *cmp, const struct slurm_case *c, struct sl_err *err)
{
	*cmp = (struct comparison){ .c = c };
	cmp->machine = (struct slurm_machine){ .cluster = &c->cluster, .arena = c->arena };
	cmp->machine.select = select_new(&c->cluster, c->arena, err);
	cmp->machine.node_alloc =
		sl_alloc(c->arena, c->cluster.node_count + 1, sizeof(*cmp->machine.node_alloc));
	return cmp->machine.select && cmp->machine.node_alloc;
}

static void report(
	const struct comparison *cmp, const struct conformance_options *options, struct tally *tally)
{
	char text[1400];
	tally->reasons += cmp->reasons;
	tally->reasons_same += cmp->reasons_same;
	if (cmp->differences > 1)
		(void)snprintf(text, sizeof(text), "%s (%zu differences)", cmp->text, cmp->differences);
	tally_case(tally, cmp->c->name, !cmp->differences ? NULL : cmp->differences == 1 ? cmp->text : text);
	if (!options->verbose)
		return;
	(void)printf("  %s: starts differ by at most %lld s; reasons: %zu of %zu the same\n", cmp->c->name,
		(long long)cmp->apart, cmp->reasons_same, cmp->reasons);
	print_table(cmp);
}

/* A run with one timing. */
struct attempt {
	const struct conformance_options *options;
	struct tally *tally; /* NULL: it is only tried. */
	bool same;
	int64_t first; /* If not, when the first difference was; SL_NONE: it could not be run. */
};

static void run_timed(const struct slurm_case *c, const char *path, const struct slurm_timing *timing,
	struct attempt *attempt)
{
	struct sl_err err = { 0 };
	struct slurm_files files = { .version = attempt->options->version };
	struct slurm_watch watch = { 0 };
	struct comparison cmp;
	int status = slurm_files_write(&files, c, path, timing, &err);
	if (!status && begin_comparison(&cmp, c, &err)) {
		status = slurm_watch_run(&watch, &files, timing->phase, NULL);
		cmp.watch = &watch;
		err = status ? watch.run.err : err;
	}
	const bool ran = !status && !err.status;
	if (ran)
		compare(&cmp);
	attempt->same = ran && !cmp.differences;
	attempt->first = ran ? cmp.first : SL_NONE;
	if (attempt->tally && ran) {
		for (size_t i = 0; i < c->row_count; i++)
			compare_reasons(&cmp, &c->row[i], attempt->options->verbose);
		report(&cmp, attempt->options, attempt->tally);
	} else if (attempt->tally) {
		tally_case(attempt->tally, c->name, err.text);
	}
	if (watch.run.arena)
		slurm_watch_release(&watch);
	if (attempt->tally && attempt->options->keep)
		(void)printf("%s: %s, -p %s, time 0 is %lld\n", c->name, files.folder, files.policy,
			(long long)(SLURM_T0 + timing->phase));
	else
		slurm_files_remove(&files);
}

/* The first timing with which all is the same, or that with which it is so for longest. */
static void run_case(const struct slurm_case *c, const char *path, const struct conformance_options *options,
	struct tally *tally)
{
	struct slurm_timing *timing = sl_alloc(c->arena, SLURM_TIMINGS_MAX, sizeof(*timing));
	SL_CHECK(timing);
	const size_t count = slurm_timings(c, path, timing);
	size_t best = 0;
	int64_t longest = SL_NONE;
	for (size_t i = 0; i < count && count > 1; i++) {
		struct attempt attempt = { .options = options };
		run_timed(c, path, &timing[i], &attempt);
		if (attempt.same || attempt.first > longest) {
			best = i;
			longest = attempt.first;
		}
		if (attempt.same)
			break;
	}
	run_timed(c, path, &timing[best], &(struct attempt){ .options = options, .tally = tally });
}

void slurm_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	const char *slash = strrchr(path, '/');
	if (strcmp(slash ? slash + 1 : path, "scenario.json") != 0)
		return;
	if (options->place) {
		slurm_place_file(path, options, tally);
		return;
	}
	struct sl_err err = { 0 };
	struct slurm_case c;
	struct sl_arena *arena = sl_arena_new();
	if (!arena)
		exit(6);
	if (slurm_case_read(&c, arena, path, &err))
		tally_case(tally, path, err.text);
	else
		(options->forced ? slurm_decisions : run_case)(&c, path, options, tally);
	sl_arena_free(arena);
}
