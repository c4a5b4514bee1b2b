/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * whatif_report.c - beside the table of a what-if: who waits less or longer, which jobs are cut, left out or
 * ended otherwise, and how much of what is known stops at an old limit.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/document_run.h"
#include "cli/whatif/whatif_changes.h"

enum { GROUPS_REPORTED = 5 };

/* ---- For people -------------------------------------------------------------------------------------- */

const char *replica_text(const struct replica_list *all, size_t which)
{
	const struct replica *replica = &all->replica[which];
	struct sl_arena *arena = base_arena(all->base);
	const char *cluster = replica->cluster ? replica->cluster : "";
	const char *policy = replica->policy ? replica->policy : "";
	const char *text = text_made(arena, "%s%s%s%s%s", *cluster ? "-c " : "", cluster,
		*cluster && *policy ? " " : "", *policy ? "-p " : "", policy);
	for (size_t k = 0; k < replica->setting_count && text; k++)
		text = text_made(arena, "%s%s%s", text, *text ? ", " : "", replica->setting[k]);
	return text;
}

void whatif_heading(const struct replica_list *all)
{
	if (arg(all->args, "at"))
		printf("as the base until %s, then:\n", arg(all->args, "at"));
	for (size_t i = 1; i < all->count; i++) {
		const char *text = replica_text(all, i);
		printf("%s: %s\n", all->replica[i].name, text ? text : "");
	}
	putchar('\n');
}

static void print_ends(const struct changes *changes)
{
	char number[48];
	for (size_t from = 0; from < SL_STATE_COUNT; from++)
		for (size_t to = 0; to < SL_STATE_COUNT; to++)
			if (from != to && changes->ended[from][to])
				printf("  %s job%s %s in place of %s\n",
					count_text(number, changes->ended[from][to]),
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
		if (i == GROUPS_REPORTED / 2 + 1 && count > GROUPS_REPORTED) {
			printf(" ...");
			i = count - GROUPS_REPORTED / 2;
		}
		printf("%s%s %s (%s job%s)", before, all[i].name ? all[i].name : all[i].number,
			hours_signed(hours, all[i].wait), count_text(number, all[i].jobs),
			all[i].jobs == 1 ? "" : "s");
		before = ", ";
	}
	putchar('\n');
}

int64_t hours_of(__int128 amount, int64_t parts)
{
	const __int128 size = amount < 0 ? -amount : amount;
	const int64_t micro = (int64_t)((size + (__int128)parts * 1800) / ((__int128)parts * 3600));
	return amount < 0 ? -micro : micro;
}

static void print_censored(const struct replica_list *all, const struct censored *censored)
{
	char number[48];
	char cpu[48];
	char gpu[48];
	const char *way = arg(all->args, "censored");
	if (censored->exact) {
		printf("  a limit of time is changed: the log has no states, and all %s jobs with limits ran just as long as "
		       "these: which were cut is not known\n",
			count_text(number, censored->exact));
		return;
	}
	if (!censored->jobs) {
		printf("  a limit of time is changed: no job of the log was cut at its own\n");
		return;
	}
	printf("  a limit of time is changed, and %s job%s of the log stopped at %s limit (%s cpu-hours",
		count_text(number, censored->jobs), censored->jobs == 1 ? "" : "s",
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
	if (!changes->has_wait || !(changes->only_base || changes->only_replica || changes->resubmitted))
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
	for (size_t i = 0; i < is->anomaly_count; i++) {
		const struct anomaly *odd = &is->anomaly[i];
		uint64_t before = 0;
		for (size_t k = 0; k < base->anomaly_count; k++)
			if (strcmp(base->anomaly[k].cause, odd->cause) == 0)
				before = base->anomaly[k].count;
		if (odd->dropped && !odd->asked && odd->count > before)
			printf("  %s job%s left out: %s (%llu in the base)\n", count_text(number, odd->count),
				odd->count == 1 ? "" : "s", odd->cause, (unsigned long long)before);
	}
}

static void print_cut(const struct changes *changes)
{
	char number[48];
	char gone[48];
	if (changes->cut)
		printf("  %s job%s cut by the limit", count_text(number, changes->cut),
			changes->cut == 1 ? " is" : "s are");
	if (changes->cut && changes->cut_gone)
		printf(" (%s of these ask for more than it allows, ran longer, and do not run)",
			count_text(gone, changes->cut_gone));
	if (changes->cut)
		putchar('\n');
	if (changes->refused)
		printf("  %s job%s refused as submitted\n", count_text(number, changes->refused),
			changes->refused == 1 ? " is" : "s are");
}

static void print_changes(const struct replica_list *all, size_t i, const struct changes *changes,
	const struct censored *censored)
{
	const struct replica *replica = &all->replica[i];
	char earlier[48];
	char later[48];
	char same[48];
	char earlier_hours[48];
	char later_hours[48];
	char number[48];
	printf("\n%s: %s jobs start earlier (by %s h in all), %s later (by %s h), %s as before\n",
		replica->name, count_text(earlier, changes->earlier),
		screen_number(earlier_hours, changes->earlier_sum / 3600, 1),
		count_text(later, changes->later), screen_number(later_hours, changes->later_sum / 3600, 1),
		count_text(same, changes->same));
	if (changes->only_base)
		printf("  %s job%s of the base %s not there\n", count_text(number, changes->only_base),
			changes->only_base == 1 ? "" : "s", changes->only_base == 1 ? "is" : "are");
	if (changes->only_replica)
		printf("  %s job%s %s not in the base\n", count_text(number, changes->only_replica),
			changes->only_replica == 1 ? "" : "s", changes->only_replica == 1 ? "is" : "are");
	print_left_out(all->run[0].scenario, all->run[i].scenario);
	print_cut(changes);
	print_ends(changes);
	print_wait(changes);
	print_groups("user", changes->user, changes->user_count);
	print_groups("partition", changes->partition, changes->partition_count);
	if (limits_touched(replica, all->run[0].scenario, all->run[i].scenario))
		print_censored(all, censored);
}

/* ---- For programs ------------------------------------------------------------------------------------ */

static void json_groups(struct json *json, const char *key, const struct group *all, size_t count)
{
	static const struct json_form form = { "\n    ", ",\n    ", "", false };
	json_line(json, 2);
	json_nest(json, key, '[', &form);
	for (size_t i = 0; i < count; i++) {
		json_object(json, NULL, datum_text("name", all[i].name ? all[i].name : all[i].number),
			datum_whole("jobs", all[i].jobs), datum_micro("wait_change", all[i].wait));
	}
	json_close(json);
}

static void json_ends(struct json *json, const struct changes *changes)
{
	static const struct json_form form = { "\n    ", ",\n    ", "", false };
	json_line(json, 2);
	json_nest(json, "ended_otherwise", '[', &form);
	for (size_t from = 0; from < SL_STATE_COUNT; from++)
		for (size_t to = 0; to < SL_STATE_COUNT; to++) {
			if (from == to || !changes->ended[from][to])
				continue;
			json_object(json, NULL, datum_text("base", sl_state_name((enum sl_state)from)),
				datum_text("is", sl_state_name((enum sl_state)to)),
				datum_count("jobs", changes->ended[from][to]));
		}
	json_close(json);
}

static void json_changes(struct json *json, const struct replica_list *all, size_t i,
	const struct changes *changes, const struct censored *censored)
{
	const struct replica *replica = &all->replica[i];
	json_nest(json, NULL, '{', &json_one_line);
	json_put(json, datum_text("name", replica->name), datum_line(2));
	json_texts(json, "settings", (const char *const *)replica->setting, replica->setting_count);
	json_put(json, datum_line(2), datum_count("jobs_both", changes->both),
		datum_count("jobs_gone", changes->only_base), datum_count("jobs_new", changes->only_replica),
		datum_line(2), datum_count("earlier", changes->earlier),
		datum_micro("earlier_by", changes->earlier_sum), datum_count("later", changes->later),
		datum_micro("later_by", changes->later_sum), datum_count("unmoved", changes->same),
		datum_line(2), datum_count("jobs_cut", changes->cut),
		datum_count("jobs_cut_and_gone", changes->cut_gone),
		datum_count("jobs_refused", changes->refused));
	if (changes->has_wait) {
		const bool sure = changes->wait.low <= changes->wait.high;
		json_put(json, datum_line(2), datum_micro("wait_change", changes->wait.estimate),
			datum_if(sure, datum_micro("wait_change_low", changes->wait.low)),
			datum_if(sure, datum_micro("wait_change_high", changes->wait.high)),
			datum_text("wait_change_method", changes->wait.method));
	}
	json_ends(json, changes);
	json_groups(json, "users", changes->user, changes->user_count);
	json_groups(json, "partitions", changes->partition, changes->partition_count);
	if (limits_touched(replica, all->run[0].scenario, all->run[i].scenario))
		json_put(json, datum_line(2), datum_count("censored_jobs", censored->jobs),
			datum_micro("censored_cpu_hours", hours_of(censored->cpu, censored->cpu_parts)),
			datum_micro("censored_gpu_hours", hours_of(censored->gpu, censored->gpu_parts)),
			datum_flag("lower_bound", censored->jobs),
			datum_if(censored->exact, datum_count("ran_to_their_limits", censored->exact)));
	json_close(json);
}

int whatif_more(const struct replica_list *all, struct json *json, struct sl_err *err)
{
	const struct sl_result *base = &all->runs[0].sim.result;
	if (!base->jobs) /* Of several seeds: no single run to report. */
		return SL_OK;
	const struct censored censored = censored_of(all->run[0].scenario);
	int status = SL_OK;
	if (json)
		json_nest(json, "changes", '[', &json_lines_0);
	for (size_t i = 1; i < all->count && !status; i++) {
		const struct sl_result *is = &all->runs[i].sim.result;
		struct changes changes = { 0 };
		if (!is->jobs)
			continue;
		status = whatif_changes_find(&changes, base, is, all->run[i].scenario, err);
		if (!status)
			status = differences_pair(all->differences, i, "wait.mean", &changes.wait,
				&changes.wait_known, &changes.has_wait, err);
		if (!status && json)
			json_changes(json, all, i, &changes, &censored);
		else if (!status)
			print_changes(all, i, &changes, &censored);
		whatif_changes_free(&changes);
	}
	if (json)
		json_close(json);
	return status;
}
