/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first_difference_text.c - the first difference in words, for people and for programs.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/first_difference.h"
#include "cli/moment/view.h"

/* ---- A side ---------------------------------------------------------------------------------- */

static const char *decision_words(enum sl_decision_kind decision, uint8_t how)
{
	static const char *const preempted[SL_PREEMPT_COUNT] = {
		[SL_PREEMPT_REQUEUE] = "was put back into the queue",
		[SL_PREEMPT_CHECKPOINT] = "was put back into the queue, its work kept",
		[SL_PREEMPT_SUSPEND] = "was suspended",
		[SL_PREEMPT_CANCEL] = "was cancelled to make room",
	};
	switch (decision) {
	case SL_DECISION_START:
		return "started";
	case SL_DECISION_PREEMPT:
		return how < SL_PREEMPT_COUNT ? preempted[how] : "was preempted";
	case SL_DECISION_RESUME:
		return "went on";
	case SL_DECISION_RESIZE:
		return "got another size";
	case SL_DECISION_END:
		return how == SL_TIMEOUT ? "ended at its limit" : "ended";
	case SL_DECISION_PLAN:
		break;
	}
	return "was planned";
}

/* "started on n[1-3]: it fitted without delaying the first of the queue, job 7", "waited: Resources" */
static void put_side(struct cell *cell, const struct first_difference *found, size_t i)
{
	const struct difference_side *side = &found->side[i];
	if (side->acted) {
		const struct sl_decision *decision = &side->decision;
		cell_put(cell, "it %s",
			side->rerun
				? "failed"
				: decision_words((enum sl_decision_kind)decision->decision, decision->how));
		if (side->nodes)
			cell_put(cell, " on %s", side->nodes);
		if (decision->decision == SL_DECISION_END && decision->how != SL_TIMEOUT)
			cell_put(cell, ", %s", sl_state_name((enum sl_state)decision->how));
		if (side->rerun)
			cell_put(cell, ", and waits again");
		if (decision->decision != SL_DECISION_END && decision->rule != SL_RULE_NONE)
			cell_put(cell, ": %s", sl_rule_words((enum sl_rule)decision->rule));
		if (decision->decision != SL_DECISION_END && side->beneficiary)
			cell_put(cell, " (job %s)", side->beneficiary);
		return;
	}
	if (!side->there) {
		cell_put(cell, side->absent ? "it is not among the jobs" : "it was not submitted yet");
		return;
	}
	if (side->state == SL_RUNNING || side->state == SL_SUSPENDED) {
		cell_put(cell, side->state == SL_RUNNING ? "it ran on" : "it stood still");
		return;
	}
	if (side->state != SL_PENDING) {
		cell_put(cell, "it had ended, %s", sl_state_name(side->state));
		return;
	}
	cell_put(cell, "it waited on");
	if (!found->by_files)
		cell_put(cell, ": %s (%s)", sl_reason_words(side->reason), sl_reason_name(side->reason));
	if (side->planned == SL_NONE)
		return;
	char text[40];
	*sl_put_micro(text, side->planned) = '\0';
	cell_put(cell, ", planned for %s s", text);
}

static void first_difference_text_put_time(
	struct cell *cell, const struct first_difference *found, sl_time at)
{
	char text[40];
	*sl_put_micro(text, at) = '\0';
	cell_put(cell, "%s s", text);
	if (!found->epoch)
		return;
	const struct scenario scenario = { .epoch = found->epoch, .utc_offset = found->utc_offset };
	const struct view view = { .scenario = &scenario };
	cell_put(cell, ", ");
	put_date(cell, &view, at);
}

/* ---- For people -------------------------------------------------------------------------------- */

static const char *decision_heading(enum sl_decision_kind decision)
{
	static const char *const word[] = { "started", "made room", "went on", "got another size", "ended",
		"planned" };
	return word[decision];
}

static bool decisions_alike(const struct difference_act *a, const struct difference_act *b)
{
	return a->decision == b->decision && a->rerun == b->rerun;
}

/* "; job 9 and job 12 started, job 3 ended; and 4 more" */
static void put_others(struct cell *cell, const struct difference_side *side)
{
	const uint32_t shown = side->other_count < DIFFERENCE_MANY ? side->other_count : DIFFERENCE_MANY;
	for (uint32_t i = 0; i < shown; i++) {
		const bool last = i + 1 == shown || !decisions_alike(&side->other[i + 1], &side->other[i]);
		const bool first = i == 0 || !decisions_alike(&side->other[i - 1], &side->other[i]);
		cell_put(cell, "%s%s", first ? (i ? "; job " : "job ") : ", ", side->other[i].job);
		if (last)
			cell_put(cell, " %s",
				side->other[i].rerun ? "failed" : decision_heading(side->other[i].decision));
	}
	if (side->other_count > shown)
		cell_put(cell, "; and %u more", side->other_count - shown);
}

static void put_left(struct cell *cell, const struct difference_side *side)
{
	char number[48];
	cell_put(cell, "%s cpu%s", parts_text(number, side->cpus_free, side->cpu_parts),
		side->cpus_free == side->cpu_parts ? "" : "s");
	if (side->gpus_free >= 0)
		cell_put(cell, " and %s GPU%s", parts_text(number, side->gpus_free, side->gpu_parts),
			side->gpus_free == side->gpu_parts ? "" : "s");
	cell_put(cell, " free, %u running, %u waiting", side->running, side->queued);
	if (side->head)
		cell_put(cell, ", job %s first", side->head);
}

static void print_line(FILE *file, const char *heading, struct cell *cell)
{
	(void)fprintf(file, "  %-12s %s\n", heading, cell->text ? cell->text : "");
	cell_clear(cell);
}

static void print_side(const struct first_difference *found, size_t i, FILE *file)
{
	const struct difference_side *side = &found->side[i];
	struct cell cell = { 0 };
	(void)fprintf(file, "%s\n", side->label);
	put_side(&cell, found, i);
	print_line(file, "the job", &cell);
	if (side->other_count) {
		put_others(&cell, side);
		print_line(file, "here alone", &cell);
	}
	if (!found->by_files) {
		put_left(&cell, side);
		print_line(file, "then", &cell);
	}
	cell_free(&cell);
}

/* "+1:02:03" */
static void put_range_signed(struct cell *cell, int64_t micro)
{
	char text[32];
	cell_put(cell, "%s%s", micro > 0 ? "+" : "", screen_duration(text, micro));
}

static void first_difference_text_put_count(struct cell *cell, uint64_t count)
{
	char text[48];
	cell_put(cell, "%s", screen_number(text, (int64_t)count * 1000000, 0));
}

static bool first_difference_text_is_number(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

static void print_users(const char *heading, const struct difference_user *user, uint32_t count, FILE *file)
{
	struct cell cell = { 0 };
	for (uint32_t i = 0; i < count; i++) {
		cell_put(&cell, "%s%s%s ", i ? ", " : "",
			first_difference_text_is_number(user[i].name) ? "user " : "", user[i].name);
		put_range_signed(&cell, user[i].wait);
		cell_put(&cell, " (%u job%s)", user[i].jobs, user[i].jobs == 1 ? "" : "s");
	}
	if (count)
		print_line(file, heading, &cell);
	cell_free(&cell);
}

static int64_t bounded_sum(__int128 sum)
{
	return sum > INT64_MAX ? INT64_MAX : sum < -INT64_MAX ? -INT64_MAX : (int64_t)sum;
}

static void print_led(const struct first_difference *found, FILE *file)
{
	struct cell cell = { 0 };
	first_difference_text_put_count(&cell, found->moved);
	cell_put(&cell, " of ");
	first_difference_text_put_count(&cell, found->jobs);
	cell_put(&cell, " jobs start at another time");
	for (size_t i = 0; i < 2; i++)
		if (found->started_one[i])
			cell_put(&cell, ", %u of them in %s alone", found->started_one[i],
				found->side[i].label);
	print_line(file, "starts", &cell);
	if (found->parted != SL_NONE) {
		cell_put(&cell, "another set of jobs from ");
		first_difference_text_put_time(&cell, found, found->parted);
		if (found->met == SL_NONE) {
			cell_put(&cell, " to the end");
		} else {
			cell_put(&cell, " to ");
			first_difference_text_put_time(&cell, found, found->met);
			if (found->met_for_good == SL_NONE)
				cell_put(&cell, ", and never the same for good");
			else if (found->met_for_good != found->met) {
				cell_put(&cell, ", the same for good from ");
				first_difference_text_put_time(&cell, found, found->met_for_good);
			}
		}
		print_line(file, "runs", &cell);
	}
	if (found->started_both) {
		put_range_signed(&cell, bounded_sum(found->wait));
		cell_put(&cell, " in all, ");
		put_range_signed(&cell, bounded_sum(found->wait / found->started_both));
		cell_put(&cell, " a job");
		print_line(file, "wait", &cell);
	}
	print_users("longer", found->hurt, found->hurt_count, file);
	print_users("shorter", found->helped, found->helped_count, file);
	cell_free(&cell);
}

static void print_most(const struct first_difference *found, FILE *file)
{
	if (!found->most_count)
		return;
	struct sl_arena *arena = sl_arena_new();
	struct screen_table *table = arena ? screen_table_new(arena, 5) : NULL;
	screen_row(table, "llrrr", "moved most", "user", "start, s", "then, s", "by");
	for (uint32_t i = 0; i < found->most_count; i++) {
		const struct difference_job *job = &found->most[i];
		struct cell cell = { 0 };
		char text[2][40];
		*sl_put_micro(text[0], job->start[0]) = '\0';
		*sl_put_micro(text[1], job->start[1]) = '\0';
		put_range_signed(&cell, job->start[1] - job->start[0]);
		screen_cell(table, false, "job %s", job->id);
		screen_row(table, "lrrr", job->user ? job->user : "", text[0], text[1],
			cell.text ? cell.text : "");
		cell_free(&cell);
	}
	(void)fputc('\n', file);
	screen_print(table, file);
	sl_arena_free(arena);
}

static void print_digests(const struct first_difference *found, FILE *file)
{
	if (!found->by_files)
		(void)fprintf(file, "digests: %016" PRIx64 " and %016" PRIx64 "\n", found->side[0].digest,
			found->side[1].digest);
}

void first_difference_print(const struct first_difference *found, FILE *file)
{
	if (found->inputs)
		(void)fprintf(file, "%s\n", found->inputs);
	if (found->setting)
		(void)fprintf(file, "settings differ: %s", found->setting);
	if (found->settings > 1)
		(void)fprintf(file, "; and %u more", found->settings - 1);
	(void)fprintf(file, "%s", found->setting ? "\n" : "");
	if (!found->differs) {
		(void)fprintf(file, "no decision differs: %s\n",
			found->by_files ? "each job starts and ends at the same time, in the same state"
					: "the same was done to the same jobs at the same times");
		print_digests(found, file);
		return;
	}
	struct cell cell = { 0 };
	first_difference_text_put_time(&cell, found, found->at);
	(void)fprintf(file, "the first decision that differs: at %s, job %s\n\n", cell.text ? cell.text : "",
		found->job);
	cell_free(&cell);
	print_side(found, 0, file);
	print_side(found, 1, file);
	(void)fprintf(file, "what it led to, in %s\n", found->side[1].label);
	print_led(found, file);
	print_most(found, file);
}

/* ---- For programs --------------------------------------------------------------------------------- */

static const char *decision_name(enum sl_decision_kind decision)
{
	static const char *const name[] = { "start", "preempt", "resume", "resize", "end", "plan" };
	return name[decision];
}

static void json_decision(struct json *json, const struct difference_side *side)
{
	static const char *const preempted[SL_PREEMPT_COUNT] = { "requeue", "checkpoint", "suspend",
		"cancel" };
	const struct sl_decision *decision = &side->decision;
	const bool end = decision->decision == SL_DECISION_END;
	const bool preempt = decision->decision == SL_DECISION_PREEMPT && decision->how < SL_PREEMPT_COUNT;
	json_put(json, datum_text("did", decision_name((enum sl_decision_kind)decision->decision)),
		datum_given("how", end ? sl_state_name((enum sl_state)decision->how) : NULL),
		datum_if(side->rerun, datum_flag("again", true)),
		datum_given("how", preempt ? preempted[decision->how] : NULL),
		datum_text("rule", sl_rule_name((enum sl_rule)decision->rule)),
		datum_text("whose", side->beneficiary), datum_text("nodes", side->nodes));
}

static void json_amount(struct json *json, const char *key, int64_t amount, int64_t parts)
{
	struct sl_out *out = json_raw(json, key);
	sl_out_advance(out, sl_put_parts(sl_out_reserve(out, 32), amount, parts));
}

static void json_side(struct json *json, const struct first_difference *found, size_t i)
{
	const struct difference_side *side = &found->side[i];
	json_nest(json, NULL, '{', &json_one_line);
	json_put(json, datum_text("label", side->label));
	if (!found->by_files || i)
		json_put(json, datum_digest("digest", side->digest), datum_count("events", side->events));
	if (found->differs) {
		if (side->acted)
			json_decision(json, side);
		else
			json_put(json, datum_text("state", side->there ? sl_state_name(side->state) : NULL));
		if (!side->acted && side->there && side->state == SL_PENDING && !found->by_files)
			json_put(json, datum_text("reason", sl_reason_name(side->reason)),
				datum_micro("planned", side->planned));
		json_nest(json, "here_alone", '[', &json_tight);
		for (uint32_t k = 0; k < side->other_count && k < DIFFERENCE_MANY; k++) {
			json_object(json, NULL, datum_text("job", side->other[k].job),
				datum_text("did", decision_name(side->other[k].decision)));
		}
		json_close(json);
		json_put(json, datum_count("here_alone_count", side->other_count));
	}
	if (found->differs && !found->by_files) {
		json_put(json, datum_text("head", side->head), datum_count("queued", side->queued),
			datum_count("running", side->running));
		json_amount(json, "cpus_free", side->cpus_free, side->cpu_parts);
		if (side->gpus_free >= 0)
			json_amount(json, "gpus_free", side->gpus_free, side->gpu_parts);
	}
	json_close(json);
}

static void json_users(struct json *json, const char *key, const struct difference_user *user, uint32_t count)
{
	json_nest(json, key, '[', &json_tight);
	for (uint32_t i = 0; i < count; i++) {
		json_object(json, NULL, datum_text("user", user[i].name), datum_count("jobs", user[i].jobs),
			datum_micro("wait", user[i].wait));
	}
	json_close(json);
}

static void json_led(struct json *json, const struct first_difference *found)
{
	json_line(json, 0);
	json_nest(json, "led_to", '{', &json_one_line);
	json_put(json, datum_count("jobs", found->jobs));
	sl_out_printf(json_raw(json, "only"), "[%u, %u]", found->only[0], found->only[1]);
	json_put(json, datum_count("moved", found->moved));
	sl_out_printf(
		json_raw(json, "started_one"), "[%u, %u]", found->started_one[0], found->started_one[1]);
	json_put(json, datum_count("started_both", found->started_both),
		datum_micro("wait", bounded_sum(found->wait)), datum_micro("parted", found->parted),
		datum_micro("met", found->met), datum_micro("met_for_good", found->met_for_good));
	json_users(json, "longer", found->hurt, found->hurt_count);
	json_users(json, "shorter", found->helped, found->helped_count);
	json_nest(json, "moved_most", '[', &json_tight);
	for (uint32_t i = 0; i < found->most_count; i++) {
		const struct difference_job *job = &found->most[i];
		json_object(json, NULL, datum_text("job", job->id), datum_text("user", job->user),
			datum_micro("start", job->start[0]), datum_micro("then", job->start[1]));
	}
	json_close(json);
	json_close(json);
}

void first_difference_json(const struct first_difference *found, const char *name, struct json *json)
{
	json_nest(json, name, '{', &json_one_line);
	json_put(json, datum_flag("differs", found->differs),
		datum_if(found->by_files, datum_flag("by_files", true)), datum_text("inputs", found->inputs),
		datum_text("setting", found->setting), datum_count("settings", found->settings));
	if (found->differs)
		json_put(json, datum_micro("at", found->at), datum_text("job", found->job));
	json_line(json, 0);
	json_nest(json, "sides", '[', &json_lines_0);
	json_side(json, found, 0);
	json_side(json, found, 1);
	json_close(json);
	if (found->differs)
		json_led(json, found);
	json_close(json);
}
