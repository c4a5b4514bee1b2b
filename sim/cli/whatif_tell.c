/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_tell.c - beside the table of a what-if: who waits less or longer, which jobs ended otherwise, and
 * how much of what is known stops at an old limit.
 *
 * Jobs of two worlds are matched by their ids (several of one id in their order), so that what is dropped in
 * one moves nobody else. Sums are of whole microseconds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/whatif_parts.h"

enum { GROUPS_TOLD = 5 };

/* A job of the base, and the same in another world. */
struct match {
	uint32_t base, world; /* UINT32_MAX: it is not there. */
};

/* ---- Matching --------------------------------------------------------------------------------------- */

struct keyed {
	const char *name; /* NULL: the number is all. */
	int64_t id;
	uint32_t row;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	if (!x->name != !y->name)
		return x->name ? 1 : -1;
	const int name = x->name ? strcmp(x->name, y->name) : 0;
	if (name)
		return name;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_key_and_row(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	const int key = by_key(a, b);
	return key ? key : (x->row > y->row) - (x->row < y->row);
}

static struct keyed *keyed_of(const struct sl_jobs *jobs)
{
	struct keyed *all = calloc((size_t)jobs->count + 1, sizeof(*all));
	for (uint32_t row = 0; all && row < jobs->count; row++) {
		const char *name = jobs->id_name ? jobs->id_name[row] : NULL;
		all[row] = (struct keyed){ name, name ? 0 : jobs->id[row], row };
	}
	if (all)
		qsort(all, jobs->count, sizeof(*all), by_key_and_row);
	return all;
}

/* Every job of either, those of both as one. The caller frees it; NULL: no memory. */
static struct match *matches(const struct sl_jobs *base, const struct sl_jobs *world, size_t *count)
{
	struct keyed *a = keyed_of(base);
	struct keyed *b = keyed_of(world);
	struct match *all = calloc((size_t)base->count + world->count + 1, sizeof(*all));
	*count = 0;
	for (uint32_t i = 0, k = 0; a && b && all && (i < base->count || k < world->count);) {
		const int order = i == base->count ? 1 : k == world->count ? -1 : by_key(&a[i], &b[k]);
		all[(*count)++] = (struct match){ order <= 0 ? a[i].row : UINT32_MAX,
			order >= 0 ? b[k].row : UINT32_MAX };
		i += order <= 0;
		k += order >= 0;
	}
	if (!a || !b) {
		free(all);
		all = NULL;
	}
	free(a);
	free(b);
	return all;
}

/* ---- What changed ---------------------------------------------------------------------------------------
 */

struct group {
	const char *name;
	char number[24];
	uint32_t jobs;
	sl_time wait; /* Of the world less of the base, over the jobs that started in both. */
};

struct changes {
	uint32_t both, only_base, only_world;
	uint32_t earlier, later, same;
	sl_time earlier_sum, later_sum;
	uint32_t ended[SL_STATE_COUNT][SL_STATE_COUNT]; /* From the base's state to the world's. */
	struct group *user, *partition;
	size_t user_count, partition_count;
};

static int by_wait(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;
	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return strcmp(x->name ? x->name : x->number, y->name ? y->name : y->number);
}

static struct group *groups_new(const int32_t *of, uint32_t count, size_t *groups)
{
	int32_t most = -1;
	for (uint32_t row = 0; row < count; row++)
		most = of[row] > most ? of[row] : most;
	*groups = (size_t)most + 1;
	return calloc(*groups + 1, sizeof(struct group));
}

/* Those with jobs, the largest gain first. */
static size_t groups_sort(struct group *all, size_t count, const char *const *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (!all[i].jobs)
			continue;
		all[kept] = all[i];
		all[kept].name = name ? name[i] : NULL;
		(void)snprintf(all[kept].number, sizeof(all[kept].number), "%zu", i);
		kept++;
	}
	qsort(all, kept, sizeof(*all), by_wait);
	return kept;
}

static void group_add(struct group *all, int32_t of, sl_time wait)
{
	if (of < 0)
		return;
	all[of].jobs++;
	all[of].wait += wait;
}

static void match_add(struct changes *changes, const struct match *match, const struct sl_result *a,
	const struct sl_result *b)
{
	if (match->base == UINT32_MAX || match->world == UINT32_MAX) {
		changes->only_base += match->world == UINT32_MAX;
		changes->only_world += match->base == UINT32_MAX;
		return;
	}
	const uint32_t x = match->base;
	const uint32_t y = match->world;
	changes->both++;
	changes->ended[a->state[x]][b->state[y]]++;
	if (a->start[x] == SL_NONE || b->start[y] == SL_NONE)
		return;
	const sl_time wait = (b->start[y] - b->jobs->submit[y]) - (a->start[x] - a->jobs->submit[x]);
	changes->earlier += wait < 0;
	changes->later += wait > 0;
	changes->same += wait == 0;
	changes->earlier_sum -= wait < 0 ? wait : 0;
	changes->later_sum += wait > 0 ? wait : 0;
	group_add(changes->user, a->jobs->user[x], wait);
	group_add(changes->partition, a->jobs->partition[x], wait);
}

static void changes_free(struct changes *changes)
{
	free(changes->user);
	free(changes->partition);
}

static int changes_find(
	struct changes *changes, const struct sl_result *a, const struct sl_result *b, struct sl_err *err)
{
	size_t count;
	struct match *match = matches(a->jobs, b->jobs, &count);
	*changes = (struct changes){ 0 };
	changes->user = groups_new(a->jobs->user, a->jobs->count, &changes->user_count);
	changes->partition = groups_new(a->jobs->partition, a->jobs->count, &changes->partition_count);
	if (!match || !changes->user || !changes->partition) {
		free(match);
		return sl_fail_memory(err);
	}
	for (size_t i = 0; i < count; i++)
		match_add(changes, &match[i], a, b);
	changes->user_count = groups_sort(changes->user, changes->user_count, a->jobs->user_name);
	changes->partition_count =
		groups_sort(changes->partition, changes->partition_count, a->jobs->partition_name);
	free(match);
	return SL_OK;
}

/* ---- Limits
 * ------------------------------------------------------------------------------------------------ */

struct censored {
	uint32_t jobs;
	sl_time run; /* Their run times. */
};

/* Jobs that the log shows as cut at their limit, or that ran to it: how long they would have gone on nobody
 * knows (right censored: Kaplan and Meier 1958). */
static struct censored censored_of(const struct sl_jobs *jobs)
{
	struct censored found = { 0 };
	for (uint32_t row = 0; row < jobs->count; row++) {
		const struct sl_job_more *more =
			jobs->more_of && jobs->more_of[row] ? &jobs->more[jobs->more_of[row]] : NULL;
		const bool said = more && more->state_recorded != SL_PENDING;
		const bool cut = said ? more->state_recorded == SL_TIMEOUT
				      : jobs->limit[row] > 0 && jobs->run[row] == jobs->limit[row];
		found.jobs += cut;
		found.run += cut ? jobs->run[row] : 0;
	}
	return found;
}

/* Does the world set a limit of time? */
static bool limits_touched(const struct world *world)
{
	static const char *const words[] = { "MaxTime", "DefaultTime", "MaxWall", "limit=", "OverTimeLimit" };
	for (size_t i = 0; i < world->setting_count; i++)
		for (size_t k = 0; k < SL_LEN(words); k++)
			if (strcasestr(world->setting[i], words[k]))
				return true;
	return false;
}

/* ---- For people
 * ----------------------------------------------------------------------------------------------- */

void whatif_heading(const struct world_list *all)
{
	if (arg(all->args, "at"))
		printf("as the base until %s, then:\n", arg(all->args, "at"));
	for (size_t i = 1; i < all->count; i++) {
		const struct world *world = &all->world[i];
		const char *before = " ";
		printf("%s:", world->name);
		if (world->cluster)
			printf(" -c %s", world->cluster);
		if (world->policy)
			printf(" -p %s", world->policy);
		if (world->cluster || world->policy)
			before = ", ";
		for (size_t k = 0; k < world->setting_count; k++, before = ", ")
			printf("%s%s", before, world->setting[k]);
		putchar('\n');
	}
	putchar('\n');
}

static const char *count_of(char text[48], uint32_t count)
{
	return screen_number(text, (int64_t)count * 1000000, 0);
}

static void print_ends(const struct changes *changes)
{
	char number[48];
	for (size_t from = 0; from < SL_STATE_COUNT; from++)
		for (size_t to = 0; to < SL_STATE_COUNT; to++)
			if (from != to && changes->ended[from][to])
				printf("  %s job%s %s in place of %s\n",
					count_of(number, changes->ended[from][to]),
					changes->ended[from][to] == 1 ? "" : "s",
					sl_state_name((enum sl_state)to), sl_state_name((enum sl_state)from));
}

/* Hours with a sign, of a sum of waits. */
static const char *hours_signed(char text[64], sl_time wait)
{
	char number[48];
	const sl_time size = wait < 0 ? -wait : wait;
	(void)snprintf(text, 64, "%s%s h", wait < 0 ? "-" : "+", screen_number(number, size / 3600, 1));
	return text;
}

static void print_groups(const char *what, const struct group *all, size_t count)
{
	char hours[64];
	char number[48];
	if (count < 2)
		return;
	printf("  waits by %s, summed:", what);
	const char *before = " ";
	for (size_t i = 0; i < count; i++) {
		if (i == GROUPS_TOLD / 2 + 1 && count > GROUPS_TOLD) {
			printf(" ...");
			i = count - GROUPS_TOLD / 2;
		}
		printf("%s%s %s (%s job%s)", before, all[i].name ? all[i].name : all[i].number,
			hours_signed(hours, all[i].wait), count_of(number, all[i].jobs),
			all[i].jobs == 1 ? "" : "s");
		before = ", ";
	}
	putchar('\n');
}

static void print_censored(const struct censored *censored)
{
	char number[48];
	char hours[48];
	if (!censored->jobs) {
		printf("  a limit is changed: no job of the log was cut at its limit\n");
		return;
	}
	printf("  a limit is changed, and %s job%s of the log stopped at %s limit (%s h of running): how long %s "
	       "would have run is not known, so with a higher limit waits and use are at least these\n",
		count_of(number, censored->jobs), censored->jobs == 1 ? "" : "s",
		censored->jobs == 1 ? "its" : "their", screen_number(hours, censored->run / 3600, 1),
		censored->jobs == 1 ? "it" : "they");
}

static void print_changes(
	const struct world *world, const struct changes *changes, const struct censored *censored)
{
	char earlier[48];
	char later[48];
	char same[48];
	char earlier_hours[48];
	char later_hours[48];
	char number[48];
	printf("\n%s: %s jobs start earlier (by %s h in all), %s later (by %s h), %s as before\n",
		world->name, count_of(earlier, changes->earlier),
		screen_number(earlier_hours, changes->earlier_sum / 3600, 1), count_of(later, changes->later),
		screen_number(later_hours, changes->later_sum / 3600, 1), count_of(same, changes->same));
	if (changes->only_base)
		printf("  %s job%s of the base %s not there\n", count_of(number, changes->only_base),
			changes->only_base == 1 ? "" : "s", changes->only_base == 1 ? "is" : "are");
	if (changes->only_world)
		printf("  %s job%s %s not in the base\n", count_of(number, changes->only_world),
			changes->only_world == 1 ? "" : "s", changes->only_world == 1 ? "is" : "are");
	print_ends(changes);
	print_groups("user", changes->user, changes->user_count);
	print_groups("partition", changes->partition, changes->partition_count);
	if (limits_touched(world))
		print_censored(censored);
}

/* ---- For programs
 * ------------------------------------------------------------------------------------------------ */

static void json_key(struct sl_out *out, const char *before, const char *key)
{
	sl_out_text(out, before);
	sl_out_json(out, key);
	sl_out_text(out, ": ");
}

static void json_count(struct sl_out *out, const char *before, const char *key, int64_t count)
{
	char number[32];
	*sl_put_i64(number, count) = '\0';
	json_key(out, before, key);
	sl_out_text(out, number);
}

static void json_seconds(struct sl_out *out, const char *before, const char *key, sl_time time)
{
	char number[40];
	*sl_put_micro(number, time) = '\0';
	json_key(out, before, key);
	sl_out_text(out, number);
}

static void json_groups(struct sl_out *out, const char *key, const struct group *all, size_t count)
{
	json_key(out, ",\n  ", key);
	sl_out_text(out, "[");
	for (size_t i = 0; i < count; i++) {
		json_key(out, i ? ",\n    { " : "\n    { ", "name");
		sl_out_json(out, all[i].name ? all[i].name : all[i].number);
		json_count(out, ", ", "jobs", all[i].jobs);
		json_seconds(out, ", ", "wait_change", all[i].wait);
		sl_out_text(out, " }");
	}
	sl_out_text(out, "]");
}

static void json_ends(struct sl_out *out, const struct changes *changes)
{
	const char *before = "\n    { ";
	json_key(out, ",\n  ", "ended_otherwise");
	sl_out_text(out, "[");
	for (size_t from = 0; from < SL_STATE_COUNT; from++)
		for (size_t to = 0; to < SL_STATE_COUNT; to++) {
			if (from == to || !changes->ended[from][to])
				continue;
			json_key(out, before, "base");
			sl_out_json(out, sl_state_name((enum sl_state)from));
			json_key(out, ", ", "is");
			sl_out_json(out, sl_state_name((enum sl_state)to));
			json_count(out, ", ", "jobs", changes->ended[from][to]);
			sl_out_text(out, " }");
			before = ",\n    { ";
		}
	sl_out_text(out, "]");
}

static void json_changes(struct sl_out *out, const struct world *world, const struct changes *changes,
	const struct censored *censored)
{
	json_key(out, "{ ", "name");
	sl_out_json(out, world->name);
	json_key(out, ",\n  ", "settings");
	sl_out_text(out, "[");
	for (size_t i = 0; i < world->setting_count; i++) {
		sl_out_text(out, i ? ", " : "");
		sl_out_json(out, world->setting[i]);
	}
	sl_out_text(out, "]");
	json_count(out, ",\n  ", "jobs_both", changes->both);
	json_count(out, ", ", "jobs_gone", changes->only_base);
	json_count(out, ", ", "jobs_new", changes->only_world);
	json_count(out, ",\n  ", "earlier", changes->earlier);
	json_seconds(out, ", ", "earlier_by", changes->earlier_sum);
	json_count(out, ", ", "later", changes->later);
	json_seconds(out, ", ", "later_by", changes->later_sum);
	json_count(out, ", ", "unmoved", changes->same);
	json_ends(out, changes);
	json_groups(out, "users", changes->user, changes->user_count);
	json_groups(out, "partitions", changes->partition, changes->partition_count);
	if (limits_touched(world)) {
		json_count(out, ",\n  ", "censored_jobs", censored->jobs);
		json_seconds(out, ", ", "censored_run_time", censored->run);
	}
	sl_out_text(out, " }");
}

int whatif_more(const struct world_list *all, struct sl_out *json, struct sl_err *err)
{
	const struct sl_result *base = &all->runs[0].sim.result;
	if (!base->jobs) /* Of several seeds: no one run to tell of. */
		return SL_OK;
	const struct censored censored = censored_of(base->jobs);
	int status = SL_OK;
	if (json)
		sl_out_text(json, ",\n\"changes\": [\n");
	for (size_t i = 1; i < all->count && !status; i++) {
		const struct sl_result *is = &all->runs[i].sim.result;
		struct changes changes = { 0 };
		if (!is->jobs)
			continue;
		status = changes_find(&changes, base, is, err);
		if (!status && json && i > 1)
			sl_out_text(json, ",\n");
		if (!status && json)
			json_changes(json, &all->world[i], &changes, &censored);
		else if (!status)
			print_changes(&all->world[i], &changes, &censored);
		changes_free(&changes);
	}
	if (json)
		sl_out_text(json, "\n]");
	return status;
}
