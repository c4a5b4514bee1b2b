/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedules.c - two schedules of jobs: which are the same, and what became of them in the one and the other.
 */
#include "cli/compare/schedules.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

struct schedule schedule_of_jobs(const struct sl_jobs *jobs)
{
	return (struct schedule){ .count = jobs->count,
		.id = jobs->id_name,
		.number = jobs->id,
		.jobs = jobs,
		.submit = jobs->submit };
}

struct schedule schedule_of(const struct sl_result *result)
{
	struct schedule schedule = schedule_of_jobs(result->jobs);
	schedule.start = result->start;
	schedule.end = result->end;
	return schedule;
}

static const char *schedules_number_text(int64_t number, struct sl_arena *arena)
{
	char text[32];
	*sl_put_i64(text, number) = '\0';
	return sl_strdup(arena, text, strlen(text));
}

const char *schedule_id(const struct schedule *schedule, uint32_t row, struct sl_arena *arena)
{
	if (schedule->id && schedule->id[row])
		return schedule->id[row];
	return schedules_number_text(schedule->number[row], arena);
}

/* NULL: not known. */
static const char *user_of(const struct schedule *schedule, uint32_t row, struct sl_arena *arena)
{
	if (schedule->user)
		return schedule->user[row];
	const struct sl_jobs *jobs = schedule->jobs;
	if (jobs->user[row] < 0)
		return NULL;
	return jobs->user_name ? jobs->user_name[jobs->user[row]]
			       : schedules_number_text(jobs->user[row], arena);
}

/* ---- The same jobs -------------------------------------------------------------------------- */

/* By id, then by row: the k-th of an id is matched with the k-th. */
struct keyed {
	const char *text; /* NULL: it is the number. */
	int64_t number;
	uint32_t row;
};

static int compare_ids(const struct keyed *x, const struct keyed *y)
{
	if (x->text && y->text)
		return strcmp(x->text, y->text);
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	const int order = compare_ids(x, y);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Texts, if either has any. */
static struct keyed *keyed_of(const struct schedule *schedule, bool texts, struct sl_arena *arena)
{
	struct keyed *keyed = malloc(((size_t)schedule->count + 1) * sizeof(*keyed));
	for (uint32_t row = 0; keyed && row < schedule->count; row++) {
		keyed[row] = (struct keyed){ .number = texts ? 0 : schedule->number[row], .row = row };
		if (texts && !(keyed[row].text = schedule_id(schedule, row, arena))) {
			free(keyed);
			return NULL;
		}
	}
	if (keyed)
		qsort(keyed, schedule->count, sizeof(*keyed), compare_keyed);
	return keyed;
}

static void match_keyed(struct matched *matched, const struct schedule side[2], struct keyed *const keyed[2],
	uint32_t *const row[2])
{
	size_t at[2] = { 0, 0 };
	while (at[0] < side[0].count && at[1] < side[1].count) {
		const int order = compare_ids(&keyed[0][at[0]], &keyed[1][at[1]]);
		if (order == 0)
			matched->common[0][keyed[0][at[0]].row] = keyed[1][at[1]].row;
		at[0] += order <= 0;
		at[1] += order >= 0;
	}
	/* Common numbers go by the rows of the first. */
	for (uint32_t r = 0; r < side[0].count; r++) {
		const uint32_t other = matched->common[0][r];
		if (other == UINT32_MAX)
			continue;
		row[0][matched->count] = r;
		row[1][matched->count] = other;
		matched->common[0][r] = matched->common[1][other] = matched->count++;
	}
	uint32_t next = matched->count;
	for (size_t i = 0; i < 2; i++)
		for (uint32_t r = 0; r < side[i].count; r++)
			if (matched->common[i][r] == UINT32_MAX) {
				matched->common[i][r] = next++;
				matched->only[i]++;
			}
}

/* Mostly they are the same rows. */
static bool are_same(const struct schedule side[2])
{
	if (side[0].count != side[1].count || (side[0].id != NULL) != (side[1].id != NULL))
		return false;
	for (uint32_t row = 0; row < side[0].count; row++) {
		const char *text[2] = { side[0].id ? side[0].id[row] : NULL,
			side[1].id ? side[1].id[row] : NULL };
		if ((text[0] != NULL) != (text[1] != NULL) ||
			(text[0] ? strcmp(text[0], text[1]) != 0
				 : side[0].number[row] != side[1].number[row]))
			return false;
	}
	return true;
}

int schedules_match(
	struct matched *matched, const struct schedule side[2], struct sl_arena *arena, struct sl_err *err)
{
	uint32_t *row[2];
	*matched = (struct matched){ 0 };
	for (size_t i = 0; i < 2; i++) {
		row[i] = sl_alloc(arena, (size_t)side[i].count + 1, sizeof(*row[i]));
		matched->common[i] = sl_alloc(arena, (size_t)side[i].count + 1, sizeof(*row[i]));
		matched->row[i] = row[i];
		if (!row[i] || !matched->common[i])
			return sl_fail_memory(err);
		memset(matched->common[i], 0xff, (size_t)side[i].count * sizeof(*row[i]));
	}
	if (are_same(side)) {
		matched->count = side[0].count;
		for (size_t i = 0; i < 2; i++)
			for (uint32_t r = 0; r < side[i].count; r++)
				row[i][r] = matched->common[i][r] = r;
		return SL_OK;
	}
	const bool texts = side[0].id || side[1].id;
	struct keyed *const keyed[2] = { keyed_of(&side[0], texts, arena), keyed_of(&side[1], texts, arena) };
	if (keyed[0] && keyed[1])
		match_keyed(matched, side, keyed, row);
	free(keyed[0]);
	free(keyed[1]);
	return keyed[0] && keyed[1] ? SL_OK : sl_fail_memory(err);
}

/* ---- What it led to --------------------------------------------------------------------------- */

struct led {
	struct first_difference *found;
	const struct schedule *side; /* Two. */
	const struct matched *matched;
	struct interval {
		sl_time from, until;
	} * interval;
	size_t interval_count;
	struct user_sum {
		const char *name;
		int64_t wait;
		uint32_t jobs, first; /* first: the common number of its first job. */
	} * user;
	size_t user_count;
};

static sl_time late(sl_time time) { return time == SL_NONE ? SL_NEVER : time; }

static sl_time schedules_start_of(const struct led *led, size_t side, uint32_t i)
{
	return led->side[side].start[led->matched->row[side][i]];
}

static int64_t schedules_size_of(int64_t by) { return by < 0 ? -by : by; }

/* Into the ten that moved most; it comes behind those that moved as far. */
static void most_put(struct led *led, uint32_t *const number, uint32_t i)
{
	struct first_difference *found = led->found;
	const int64_t by = schedules_size_of(schedules_start_of(led, 1, i) - schedules_start_of(led, 0, i));
	uint32_t place = found->most_count;
	while (place && schedules_size_of(schedules_start_of(led, 1, number[place - 1]) -
					  schedules_start_of(led, 0, number[place - 1])) < by)
		place--;
	if (place == DIFFERENCE_MANY)
		return;
	found->most_count += found->most_count < DIFFERENCE_MANY;
	for (uint32_t k = found->most_count - 1; k > place; k--)
		number[k] = number[k - 1];
	number[place] = i;
}

static void led_job(struct led *led, uint32_t *most, uint32_t i)
{
	struct first_difference *found = led->found;
	const sl_time a = schedules_start_of(led, 0, i);
	const sl_time b = schedules_start_of(led, 1, i);
	const sl_time end_a = late(led->side[0].end[led->matched->row[0][i]]);
	const sl_time end_b = late(led->side[1].end[led->matched->row[1][i]]);
	if (a != SL_NONE && b != SL_NONE) {
		found->started_both++;
		found->wait += (__int128)(b - led->side[1].submit[led->matched->row[1][i]]) -
			       (a - led->side[0].submit[led->matched->row[0][i]]);
	} else {
		found->started_one[0] += a != SL_NONE;
		found->started_one[1] += b != SL_NONE;
	}
	if (a == b && (a == SL_NONE || end_a == end_b))
		return;
	found->moved += a != b;
	if (a != b && a != SL_NONE && b != SL_NONE)
		most_put(led, most, i);
	/* It runs in one and not in the other, between the starts, and between the ends. */
	const sl_time start[2] = { late(a < b ? (a == SL_NONE ? b : a) : (b == SL_NONE ? a : b)),
		late(a == SL_NONE || b == SL_NONE ? SL_NONE
			: a < b                   ? b
						  : a) };
	const sl_time end[2] = { end_a < end_b ? end_a : end_b, end_a < end_b ? end_b : end_a };
	if (start[0] < start[1])
		led->interval[led->interval_count++] =
			(struct interval){ start[0], start[1] < end[1] ? start[1] : end[1] };
	if (end[0] < end[1] && start[1] != SL_NEVER)
		led->interval[led->interval_count++] = (struct interval){ end[0], end[1] };
}

static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a;
	const struct interval *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

/* The first interval in which they differ, with those that join it; and the end of the last. */
static void led_meeting(struct led *led)
{
	struct first_difference *found = led->found;
	qsort(led->interval, led->interval_count, sizeof(*led->interval), compare_intervals);
	found->parted = found->met = found->met_for_good = SL_NONE;
	if (!led->interval_count)
		return;
	size_t i = 0;
	sl_time until = led->interval[0].until;
	for (; i < led->interval_count && led->interval[i].from <= until; i++)
		until = led->interval[i].until > until ? led->interval[i].until : until;
	found->parted = led->interval[0].from;
	found->met = until == SL_NEVER ? SL_NONE : until;
	for (; i < led->interval_count; i++)
		until = led->interval[i].until > until ? led->interval[i].until : until;
	found->met_for_good = until == SL_NEVER ? SL_NONE : until;
}

/* ---- Users ---- */

static int schedules_compare_names(const void *a, const void *b)
{
	const struct user_sum *x = a;
	const struct user_sum *y = b;
	const int order = strcmp(x->name, y->name);
	return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int compare_waits(const void *a, const void *b)
{
	const struct user_sum *x = a;
	const struct user_sum *y = b;
	if (x->wait != y->wait)
		return x->wait > y->wait ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

/* A line for each job, by name; then one for each name. */
static void users_join(struct led *led)
{
	size_t count = 0;
	qsort(led->user, led->user_count, sizeof(*led->user), schedules_compare_names);
	for (size_t i = 0; i < led->user_count; i++) {
		if (count && strcmp(led->user[count - 1].name, led->user[i].name) == 0) {
			led->user[count - 1].wait += led->user[i].wait;
			led->user[count - 1].jobs++;
		} else {
			led->user[count++] = led->user[i];
		}
	}
	led->user_count = count;
	qsort(led->user, count, sizeof(*led->user), compare_waits);
}

static void led_users(struct led *led)
{
	struct first_difference *found = led->found;
	users_join(led);
	for (size_t i = 0; i < led->user_count && found->hurt_count < DIFFERENCE_MANY; i++)
		if (led->user[i].wait > 0)
			found->hurt[found->hurt_count++] = (struct difference_user){ led->user[i].name,
				led->user[i].jobs, led->user[i].wait };
	for (size_t i = led->user_count; i-- > 0 && found->helped_count < DIFFERENCE_MANY;)
		if (led->user[i].wait < 0)
			found->helped[found->helped_count++] = (struct difference_user){ led->user[i].name,
				led->user[i].jobs, led->user[i].wait };
}

/* Those that waited the same say nothing of whom it helped. */
static int take_user(struct led *led, uint32_t i, struct sl_arena *arena, struct sl_err *err)
{
	const uint32_t *const row[2] = { led->matched->row[0], led->matched->row[1] };
	const sl_time a = schedules_start_of(led, 0, i);
	const sl_time b = schedules_start_of(led, 1, i);
	if (a == SL_NONE || b == SL_NONE)
		return SL_OK;
	const int64_t by = (b - led->side[1].submit[row[1][i]]) - (a - led->side[0].submit[row[0][i]]);
	const char *name = by ? user_of(&led->side[1], row[1][i], arena) : NULL;
	if (name)
		led->user[led->user_count++] = (struct user_sum){ name, by, 1, i };
	(void)err;
	return SL_OK;
}

static int led_all(struct led *led, struct sl_arena *arena, struct sl_err *err)
{
	struct first_difference *found = led->found;
	uint32_t most[DIFFERENCE_MANY] = { 0 };
	int status = SL_OK;
	for (uint32_t i = 0; i < led->matched->count && !status; i++) {
		led_job(led, most, i);
		status = take_user(led, i, arena, err);
	}
	for (uint32_t k = 0; k < found->most_count && !status; k++) {
		const uint32_t row = led->matched->row[1][most[k]];
		found->most[k] = (struct difference_job){ schedule_id(&led->side[1], row, arena),
			user_of(&led->side[1], row, arena),
			{ schedules_start_of(led, 0, most[k]), schedules_start_of(led, 1, most[k]) } };
		status = found->most[k].id ? SL_OK : sl_fail_memory(err);
	}
	led_meeting(led);
	led_users(led);
	return status;
}

int schedules_led(struct first_difference *found, const struct schedule side[2],
	const struct matched *matched, struct sl_arena *arena, struct sl_err *err)
{
	const size_t capacity = (size_t)matched->count + 1;
	struct led led = { .found = found, .side = side, .matched = matched };
	found->jobs = matched->count;
	found->only[0] = matched->only[0];
	found->only[1] = matched->only[1];
	led.interval = malloc(2 * capacity * sizeof(*led.interval));
	led.user = malloc(capacity * sizeof(*led.user));
	const int status = led.interval && led.user ? led_all(&led, arena, err) : sl_fail_memory(err);
	free(led.interval);
	free(led.user);
	return status;
}

/* ---- jobs.csv read back -------------------------------------------------------------------------- */

enum column { JOB_ID, USER, SUBMIT, START, END, RUN_TIME, CPUS, STATE, COLUMNS };
static const char *const column_name[COLUMNS] = { "job_id", "user", "submit", "start", "end", "run_time",
	"cpus", "state" };
enum { FIELDS_MAX = 256 };

struct reading {
	struct sl_arena *arena;
	struct sl_err *err;
	struct sl_place at;
	int status;
	bool header; /* Is behind us. */
	uint16_t field, column[FIELDS_MAX];
	bool seen[COLUMNS];
	const char **id, **user;
	sl_time *submit, *start, *end, *run;
	int64_t *cpus;
	uint8_t *state;
	size_t count, capacity;
};

static int row_begin(struct reading *in)
{
	if (in->count < in->capacity)
		return SL_OK;
	const size_t capacity = in->capacity ? 2 * in->capacity : 1024;
	void **const list[] = { (void **)&in->id, (void **)&in->user, (void **)&in->submit,
		(void **)&in->start, (void **)&in->end, (void **)&in->run, (void **)&in->cpus };
	for (size_t i = 0; i < SL_LEN(list); i++) {
		if (sl_array_resize(list[i], sizeof(int64_t), capacity, in->err))
			return SL_SYSTEM;
	}
	if (SL_RESIZE(in->state, capacity, in->err))
		return SL_SYSTEM;
	in->capacity = capacity;
	return SL_OK;
}

static void fail_field(struct reading *in, const char *what)
{
	if (!in->status)
		in->status = sl_fail_at(in->err, &in->at, "%s: give the jobs.csv that a run wrote", what);
}

static sl_time time_in(struct reading *in, const char *text, size_t len)
{
	int64_t micro = SL_NONE;
	if (len && !sl_get_micro(text, len, &micro))
		fail_field(in, "not a time");
	return micro;
}

static uint8_t state_in(struct reading *in, const char *text, size_t len)
{
	for (int state = 0; state < SL_STATE_COUNT; state++)
		if (strlen(sl_state_name((enum sl_state)state)) == len &&
			memcmp(sl_state_name((enum sl_state)state), text, len) == 0)
			return (uint8_t)state;
	fail_field(in, "not a state of a job");
	return SL_PENDING;
}

static void heading(struct reading *in, const char *text, size_t len)
{
	if (in->field >= FIELDS_MAX) {
		fail_field(in, "too many columns");
		return;
	}
	uint16_t column = 0;
	while (column < COLUMNS &&
		!(strlen(column_name[column]) == len && memcmp(column_name[column], text, len) == 0))
		column++;
	in->column[in->field] = column;
	if (column < COLUMNS)
		in->seen[column] = true;
}

static void schedules_text_in(struct reading *in, const char **to, const char *text, size_t len)
{
	*to = sl_strdup(in->arena, text, len);
	if (!*to && !in->status)
		in->status = sl_fail_memory(in->err);
}

static void schedules_on_field(void *field, size_t len, void *self)
{
	struct reading *in = self;
	const char *text = len ? field : "";
	if (in->status)
		return;
	if (!in->header) {
		heading(in, text, len);
		in->field++;
		return;
	}
	if (in->field == 0 && (in->status = row_begin(in)))
		return;
	const size_t row = in->count;
	const enum column column = in->field < FIELDS_MAX ? (enum column)in->column[in->field] : COLUMNS;
	switch (column) {
	case JOB_ID:
		schedules_text_in(in, &in->id[row], text, len);
		break;
	case USER:
		in->user[row] = NULL;
		if (len)
			schedules_text_in(in, &in->user[row], text, len);
		break;
	case SUBMIT:
		in->submit[row] = time_in(in, text, len);
		break;
	case START:
		in->start[row] = time_in(in, text, len);
		break;
	case END:
		in->end[row] = time_in(in, text, len);
		break;
	case RUN_TIME:
		in->run[row] = time_in(in, text, len);
		break;
	case CPUS:
		in->cpus[row] = time_in(in, text, len); /* In millionths. */
		break;
	case STATE:
		in->state[row] = state_in(in, text, len);
		break;
	case COLUMNS:
		break;
	}
	in->field++;
}

static void schedules_on_row(int end, void *self)
{
	struct reading *in = self;
	(void)end;
	in->at.line++;
	for (size_t i = 0; i < COLUMNS && !in->header; i++)
		if (!in->seen[i])
			fail_field(in, "a column that a jobs.csv has is not there");
	if (in->header) {
		unsigned last = 0;
		for (unsigned i = 0; i < FIELDS_MAX; i++)
			last = in->column[i] < COLUMNS ? i : last;
		if (in->field <= last)
			fail_field(in, "fewer fields than columns");
		if (++in->count == UINT32_MAX)
			fail_field(in, "too many jobs");
	}
	in->header = true;
	in->field = 0;
}

static int parse(struct reading *in, const char *text, size_t len)
{
	struct csv_parser csv;
	if (csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI))
		return sl_fail_memory(in->err);
	if (csv_parse(&csv, text, len, schedules_on_field, schedules_on_row, in) != len ||
		csv_fini(&csv, schedules_on_field, schedules_on_row, in))
		fail_field(in, "not CSV");
	csv_free(&csv);
	if (!in->status && !in->header)
		fail_field(in, "empty");
	return in->status;
}

/* Into the arena, so that it lives as long as the texts. */
static int schedules_keep(struct schedule *schedule, const struct reading *in)
{
	const size_t capacity = in->count + 1;
	const struct {
		const void *from;
		size_t size;
	} list[] = { { in->id, sizeof(char *) }, { in->user, sizeof(char *) },
		{ in->submit, sizeof(sl_time) }, { in->start, sizeof(sl_time) }, { in->end, sizeof(sl_time) },
		{ in->run, sizeof(sl_time) }, { in->cpus, sizeof(int64_t) }, { in->state, 1 } };
	void *kept[SL_LEN(list)];
	for (size_t i = 0; i < SL_LEN(list); i++) {
		kept[i] = sl_alloc(in->arena, capacity, list[i].size);
		if (!kept[i])
			return sl_fail_memory(in->err);
		if (in->count)
			memcpy(kept[i], list[i].from, in->count * list[i].size);
	}
	*schedule = (struct schedule){ .count = (uint32_t)in->count,
		.id = kept[0],
		.user = kept[1],
		.submit = kept[2],
		.start = kept[3],
		.end = kept[4],
		.run = kept[5],
		.cpus = kept[6],
		.state = kept[7] };
	return SL_OK;
}

int schedule_read(struct schedule *schedule, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	struct reading *in = calloc(1, sizeof(*in));
	struct sl_input *file = NULL;
	const char *text;
	const char *end;
	if (!in)
		return sl_fail_memory(err);
	in->arena = arena;
	in->err = err;
	in->at = (struct sl_place){ path, 1, 0 };
	for (size_t i = 0; i < FIELDS_MAX; i++)
		in->column[i] = COLUMNS;
	int status = sl_input_open(&file, path, err);
	if (!status)
		status = sl_input_all(file, &text, &end, err);
	if (!status)
		status = parse(in, text, (size_t)(end - text));
	if (!status)
		status = schedules_keep(schedule, in);
	if (file)
		sl_input_close(file);
	free(in->id);
	free(in->user);
	free(in->submit);
	free(in->start);
	free(in->end);
	free(in->run);
	free(in->cpus);
	free(in->state);
	free(in);
	return status;
}
