/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_tell.c - beside the table of a what-if: who waits less or longer, which jobs are cut, left out or
 * ended otherwise, and how much of what is known stops at an old limit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/telling.h"
#include "cli/whatif/whatif_changes.h"

enum { GROUPS_TOLD = 5 };

/* ---- For people -------------------------------------------------------------------------------------- */

const char *world_text(const struct world_list *all, size_t which)
{
	const struct world *world = &all->world[which];
	size_t room = 16 + (world->cluster ? strlen(world->cluster) : 0) +
		      (world->policy ? strlen(world->policy) : 0);
	for (size_t k = 0; k < world->setting_count; k++)
		room += strlen(world->setting[k]) + 2;
	char *text = sl_alloc(base_arena(all->base), room, 1);
	char *end = text;
	if (!text)
		return NULL;
	*end = '\0';
	if (world->cluster)
		end = stpcpy(stpcpy(end, "-c "), world->cluster);
	if (world->policy)
		end = stpcpy(stpcpy(end, world->cluster ? " -p " : "-p "), world->policy);
	for (size_t k = 0; k < world->setting_count; k++)
		end = stpcpy(stpcpy(end, end > text ? ", " : ""), world->setting[k]);
	return text;
}

void whatif_heading(const struct world_list *all)
{
	if (arg(all->args, "at"))
		printf("as the base until %s, then:\n", arg(all->args, "at"));
	for (size_t i = 1; i < all->count; i++) {
		const char *text = world_text(all, i);
		printf("%s: %s\n", all->world[i].name, text ? text : "");
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

/* Amount times microseconds as hours, in millionths. */
static int64_t hours_of(__int128 amount, int64_t parts)
{
	return (int64_t)((amount + (__int128)parts * 1800) / ((__int128)parts * 3600));
}

static void print_censored(const struct world_list *all, const struct censored *censored)
{
	char number[48];
	char cpu[48];
	char gpu[48];
	const char *way = arg(all->args, "censored");
	if (censored->exact) {
		printf("  a limit of time is changed: the log has no states, and all %s jobs with limits ran just as long as "
		       "these: which were cut is not known\n",
			count_of(number, censored->exact));
		return;
	}
	if (!censored->jobs) {
		printf("  a limit of time is changed: no job of the log was cut at its own\n");
		return;
	}
	printf("  a limit of time is changed, and %s job%s of the log stopped at %s limit (%s cpu-hours",
		count_of(number, censored->jobs), censored->jobs == 1 ? "" : "s",
		censored->jobs == 1 ? "its" : "their",
		screen_number(cpu, hours_of(censored->cpu, censored->cpu_parts), 1));
	if (censored->gpu)
		printf(", %s GPU-hours", screen_number(gpu, hours_of(censored->gpu, censored->gpu_parts), 1));
	if (way && strncmp(way, "extend=", 7) == 0)
		printf("): here they run %s times as long, which is a guess\n", way + 7);
	else
		printf("): how long they would have run is not known; under a higher limit load and waits are at least "
		       "these: a lower bound (--censored extend=2 tries more)\n");
}

/* "wait mean -0:05:12 [-0:09:00, -0:01:24]" over the jobs of both, where the table's mean may be of others.
 */
static void print_wait(const struct changes *changes)
{
	char text[3][40];
	const struct sl_difference *said = &changes->wait;
	const int64_t of[3] = { said->estimate, said->low, said->high };
	if (!changes->has_wait || !(changes->only_base || changes->only_world || changes->resubmitted))
		return;
	for (size_t i = 0; i < SL_LEN(of); i++) {
		text[i][0] = '+';
		(void)screen_duration(text[i] + (of[i] > 0), llround((double)of[i] / 1e6) * SL_SECOND);
	}
	printf("  jobs of both: wait mean %s", text[0]);
	if (said->low <= said->high)
		printf(" [%s, %s]", text[1], text[2]);
	if (said->low <= said->high && changes->wait_known.covers)
		printf(", which holds in %u of 100 logs what all have together", changes->wait_known.covers);
	printf(", %s\n", said->method);
}

/* Those that the scenario leaves out, and the base does not. */
static void print_left_out(const struct scenario *base, const struct scenario *is)
{
	char number[48];
	for (size_t i = 0; i < is->oddity_count; i++) {
		const struct oddity *odd = &is->oddity[i];
		uint64_t before = 0;
		for (size_t k = 0; k < base->oddity_count; k++)
			if (strcmp(base->oddity[k].cause, odd->cause) == 0)
				before = base->oddity[k].count;
		if (odd->dropped && !odd->asked && odd->count > before)
			printf("  %s job%s left out: %s (%llu in the base)\n",
				count_of(number, (uint32_t)odd->count), odd->count == 1 ? "" : "s",
				odd->cause, (unsigned long long)before);
	}
}

static void print_cut(const struct changes *changes)
{
	char number[48];
	char gone[48];
	if (changes->cut)
		printf("  %s job%s cut by the limit", count_of(number, changes->cut),
			changes->cut == 1 ? " is" : "s are");
	if (changes->cut && changes->cut_gone)
		printf(" (%s of these ask for more than it allows, ran longer, and do not run)",
			count_of(gone, changes->cut_gone));
	if (changes->cut)
		putchar('\n');
	if (changes->refused)
		printf("  %s job%s refused as submitted\n", count_of(number, changes->refused),
			changes->refused == 1 ? " is" : "s are");
}

static void print_changes(const struct world_list *all, size_t i, const struct changes *changes,
	const struct censored *censored)
{
	const struct world *world = &all->world[i];
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
	print_left_out(all->run[0].scenario, all->run[i].scenario);
	print_cut(changes);
	print_ends(changes);
	print_wait(changes);
	print_groups("user", changes->user, changes->user_count);
	print_groups("partition", changes->partition, changes->partition_count);
	if (limits_touched(world, all->run[0].scenario, all->run[i].scenario))
		print_censored(all, censored);
}

/* ---- For programs ------------------------------------------------------------------------------------ */

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

static void json_changes(struct sl_out *out, const struct world_list *all, size_t i,
	const struct changes *changes, const struct censored *censored)
{
	const struct world *world = &all->world[i];
	json_key(out, "{ ", "name");
	sl_out_json(out, world->name);
	json_key(out, ",\n  ", "settings");
	sl_out_text(out, "[");
	for (size_t k = 0; k < world->setting_count; k++) {
		sl_out_text(out, k ? ", " : "");
		sl_out_json(out, world->setting[k]);
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
	json_count(out, ",\n  ", "jobs_cut", changes->cut);
	json_count(out, ", ", "jobs_cut_and_gone", changes->cut_gone);
	json_count(out, ", ", "jobs_refused", changes->refused);
	if (changes->has_wait) {
		json_seconds(out, ",\n  ", "wait_change", changes->wait.estimate);
		if (changes->wait.low <= changes->wait.high) {
			json_seconds(out, ", ", "wait_change_low", changes->wait.low);
			json_seconds(out, ", ", "wait_change_high", changes->wait.high);
		}
		json_key(out, ", ", "wait_change_method");
		sl_out_json(out, changes->wait.method);
	}
	json_ends(out, changes);
	json_groups(out, "users", changes->user, changes->user_count);
	json_groups(out, "partitions", changes->partition, changes->partition_count);
	if (limits_touched(world, all->run[0].scenario, all->run[i].scenario)) {
		json_count(out, ",\n  ", "censored_jobs", censored->jobs);
		json_seconds(out, ", ", "censored_cpu_hours", hours_of(censored->cpu, censored->cpu_parts));
		json_seconds(out, ", ", "censored_gpu_hours", hours_of(censored->gpu, censored->gpu_parts));
		json_key(out, ", ", "lower_bound");
		sl_out_text(out, censored->jobs ? "true" : "false");
		if (censored->exact)
			json_count(out, ", ", "ran_to_their_limits", censored->exact);
	}
	sl_out_text(out, " }");
}

int whatif_more(const struct world_list *all, struct sl_out *json, struct sl_err *err)
{
	const struct sl_result *base = &all->runs[0].sim.result;
	if (!base->jobs) /* Of several seeds: no one run to tell of. */
		return SL_OK;
	const struct censored censored = censored_of(all->run[0].scenario);
	int status = SL_OK;
	if (json)
		sl_out_text(json, ",\n\"changes\": [\n");
	for (size_t i = 1; i < all->count && !status; i++) {
		const struct sl_result *is = &all->runs[i].sim.result;
		struct changes changes = { 0 };
		if (!is->jobs)
			continue;
		status = whatif_changes_find(&changes, base, is, all->run[i].scenario, err);
		if (!status)
			status = differences_pair(all->differences, i, "wait.mean", &changes.wait,
				&changes.wait_known, &changes.has_wait, err);
		if (!status && json && i > 1)
			sl_out_text(json, ",\n");
		if (!status && json)
			json_changes(json, all, i, &changes, &censored);
		else if (!status)
			print_changes(all, i, &changes, &censored);
		whatif_changes_free(&changes);
	}
	if (json)
		sl_out_text(json, "\n]");
	return status;
}
