/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_profile.c - profiles (what jobs do while they run): of the trace, and by the rules of
 * replay.profile.
 *
 * Jobs that do the same share one profile: two are the same if all their cells are. A rule says what a job
 * does not say itself; the first rule whose conditions all hold counts, and no other.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/row.h"

enum { PROFILE_KEY_MAX = 1 << 16 };

struct profiles {
	struct names text;          /* Of cells, each once. */
	struct names key;           /* All cells of a profile; its number is the profile's, less 1. */
	struct sl_profile *profile; /* The first says nothing. */
	size_t capacity;
	char *buffer; /* For keys. */
};

static int profiles_make(struct loading *loading, struct sl_err *err)
{
	if (loading->profiles)
		return SL_OK;
	struct profiles *profiles = loading->profiles = calloc(1, sizeof(*profiles));
	if (!profiles)
		return sl_fail_memory(err);
	profiles->buffer = malloc(PROFILE_KEY_MAX);
	if (!profiles->buffer)
		return sl_fail_memory(err);
	const int status = SL_GROW_MOST(profiles->profile, profiles->capacity, 1, INT32_MAX, err);
	if (!status)
		sl_profile_clear(&profiles->profile[0]);
	return status;
}

void profiles_free(struct profiles *profiles)
{
	if (!profiles)
		return;
	names_release(&profiles->text);
	names_release(&profiles->key);
	free(profiles->profile);
	free(profiles->buffer);
	free(profiles);
}

/* ---- Shared by content -------------------------------------------------------------------- */

/* Its texts become the scenario's own. */
static int keep_texts(struct loading *loading, struct sl_profile *profile, struct sl_err *err)
{
	struct names *names = &loading->profiles->text;
	char unused[40];
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++) {
		uint32_t number;
		if (!sl_profile_is_text(i) || !sl_profile_says(profile, i))
			continue;
		const char *text = sl_profile_put(profile, i, unused);
		const int status =
			names_add(names, loading->scenario->arena, text, strlen(text), &number, err);
		if (status)
			return status;
		(void)sl_profile_take(profile, i, names->text[number]);
	}
	return SL_OK;
}

/* All its cells, one behind another; "": it says nothing. */
static int scenario_profile_key_of(struct loading *loading, const struct sl_row *row,
	const struct sl_profile *profile, size_t *len, struct sl_err *err)
{
	char *to = loading->profiles->buffer;
	char number[40];
	*len = 0;
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++) {
		const char *text = sl_profile_put(profile, i, number);
		const size_t width = text ? strlen(text) : 0;
		if (!text)
			continue;
		if (*len + width + 3 > PROFILE_KEY_MAX) {
			const struct sl_place at = { loading->file, row->line, 0 };
			return sl_fail_at(
				err, &at, "what the job does is longer than 64 KiB: shorten its texts");
		}
		to[(*len)++] = 1; /* In no text. */
		to[(*len)++] = (char)(i + 1);
		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a key of so many bytes. */
		memcpy(to + *len, text, width);
		*len += width;
	}
	return SL_OK;
}

static int scenario_profile_number_of(struct loading *loading, const struct sl_row *row,
	struct sl_profile *profile, uint32_t *number, struct sl_err *err)
{
	struct profiles *profiles = loading->profiles;
	const uint32_t before = profiles->key.count;
	size_t len;
	*number = 0;
	int status = scenario_profile_key_of(loading, row, profile, &len, err);
	if (status || !len)
		return status;
	status = names_add(&profiles->key, loading->scenario->arena, profiles->buffer, len, number, err);
	++*number;
	if (status || profiles->key.count == before)
		return status;
	status = SL_GROW_MOST(profiles->profile, profiles->capacity, (size_t)*number + 1, INT32_MAX, err);
	if (!status)
		status = keep_texts(loading, profile, err);
	if (!status)
		profiles->profile[*number] = *profile;
	return status;
}

/* ---- The rules of replay.profile -------------------------------------------------------------- */

enum condition { OF_PARTITION, OF_USER, OF_ACCOUNT, OF_GPUS_MIN, OF_GPUS_MAX, OF_NODES_MIN, CONDITIONS };

static const char *const condition_names[CONDITIONS] = { "partition", "user", "account", "gpus_min",
	"gpus_max", "nodes_min" };

struct profile_rule {
	const char *name[OF_GPUS_MIN];         /* NULL: any. */
	int64_t gpus_min, gpus_max, nodes_min; /* GPUs in thousandths. */
	struct sl_profile profile;
};

static int fail_cell(
	const struct sl_csv_table *csv, uint32_t row, uint32_t column, const char *wanted, struct sl_err *err)
{
	const struct sl_place at = sl_csv_place(csv, row, column);
	const char *cell = csv->cell[(size_t)row * csv->columns + column];
	return sl_fail_at(err, &at,
		"column '%.60s' must be %s, not '%.60s'; leave it empty where it does not matter",
		csv->column[column], wanted, cell);
}

static int take_condition(const struct sl_csv_table *csv, uint32_t row, uint32_t column, enum condition which,
	struct profile_rule *rule, struct sl_err *err)
{
	const char *cell = csv->cell[(size_t)row * csv->columns + column];
	int64_t micro;
	if (which < OF_GPUS_MIN) {
		rule->name[which] = cell;
		return SL_OK;
	}
	if (!sl_get_micro(cell, strlen(cell), &micro) || micro < 0)
		return fail_cell(csv, row, column, "a number from 0 on", err);
	if (which == OF_GPUS_MIN)
		rule->gpus_min = micro / (SL_SECOND / PARTS);
	else if (which == OF_GPUS_MAX)
		rule->gpus_max = micro / (SL_SECOND / PARTS);
	else
		rule->nodes_min = micro / SL_SECOND;
	return SL_OK;
}

static int take_cell(const struct sl_csv_table *csv, uint32_t row, uint32_t column, struct profile_rule *rule,
	struct sl_err *err)
{
	const char *name = csv->column[column];
	const char *cell = csv->cell[(size_t)row * csv->columns + column];
	const uint32_t member = sl_profile_find(name, strlen(name));
	if (!*cell)
		return SL_OK;
	if (member != UINT32_MAX) {
		const char *wanted = sl_profile_take(&rule->profile, member, cell);
		return wanted ? fail_cell(csv, row, column, wanted, err) : SL_OK;
	}
	enum condition which = 0;
	while (strcmp(condition_names[which], name) != 0)
		which++; /* check_columns has seen to it. */
	return take_condition(csv, row, column, which, rule, err);
}

/* Every column is known, and some of them say what jobs do. */
static int check_columns(const struct sl_csv_table *csv, struct sl_err *err)
{
	const char *known[CONDITIONS + SL_PROFILE_COLUMNS + 1] = { NULL };
	uint32_t says = 0;
	for (uint32_t i = 0; i < CONDITIONS; i++)
		known[i] = condition_names[i];
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		known[CONDITIONS + i] = sl_profile_column(i);
	for (uint32_t i = 0; i < csv->columns; i++) {
		bool found = sl_profile_find(csv->column[i], strlen(csv->column[i])) != UINT32_MAX;
		says += found;
		for (uint32_t k = 0; k < CONDITIONS && !found; k++)
			found = strcmp(condition_names[k], csv->column[i]) == 0;
		char similar[128];
		if (!found)
			return sl_fail(err, SL_INPUT, "%s: unknown column '%.60s': %ssee schedlab-models(7)",
				csv->file, csv->column[i],
				did_you_mean(similar, sl_nearest(csv->column[i], known)));
	}
	return says ? SL_OK
		    : sl_fail(err, SL_INPUT,
			      "%s: no column says what jobs do while they run: see schedlab-models(7)",
			      csv->file);
}

int profile_rules(struct loading *loading, struct sl_err *err)
{
	const struct sl_csv_table *csv = loading->profile_csv;
	int status = check_columns(csv, err);
	if (status)
		return status;
	struct profile_rule *rule = sl_alloc(loading->scenario->arena, (size_t)csv->rows + 1, sizeof(*rule));
	if (!rule)
		return sl_fail_memory(err);
	for (uint32_t row = 0; row < csv->rows && !status; row++) {
		rule[row].gpus_max = INT64_MAX;
		sl_profile_clear(&rule[row].profile);
		for (uint32_t column = 0; column < csv->columns && !status; column++)
			status = take_cell(csv, row, column, &rule[row], err);
	}
	loading->profile_rule = rule;
	loading->profile_rule_count = csv->rows;
	return status;
}

/* A name, or a number as it is written. */
static bool scenario_profile_is_named(const char *wanted, const char *name, int64_t number)
{
	char text[32];
	if (!wanted)
		return true;
	if (name)
		return strcmp(wanted, name) == 0;
	if (number < 0)
		return false;
	*sl_put_i64(text, number) = '\0';
	return strcmp(wanted, text) == 0;
}

/* At least so many, as far as it says. */
static int64_t nodes_asked(const struct sl_row_attributes *more)
{
	int64_t nodes = 0;
	for (size_t i = 0; i < more->group_count; i++) {
		const struct sl_row_group *group = &more->group[i];
		int64_t least = group->nodes_min > 1 ? group->nodes_min : 1;
		if (group->tasks_per_node > 0 && group->tasks > 0) {
			const int64_t by_tasks = (group->tasks - 1) / group->tasks_per_node + 1;
			least = by_tasks > least ? by_tasks : least;
		}
		nodes += least < INT32_MAX ? least : INT32_MAX;
	}
	for (size_t i = 0; i < more->desc_count; i++)
		nodes += more->desc[i].nodes_min > 1 ? more->desc[i].nodes_min : 1;
	return nodes;
}

/* NULL: none holds. gpus in thousandths. */
static const struct profile_rule *rule_for(
	const struct loading *loading, const struct sl_row *row, int64_t gpus)
{
	static const struct sl_row_attributes none;
	const struct sl_row_attributes *more = row->more ? row->more : &none;
	for (size_t i = 0; i < loading->profile_rule_count; i++) {
		const struct profile_rule *rule = &loading->profile_rule[i];
		if (scenario_profile_is_named(
			    rule->name[OF_PARTITION], more->partition, row->col[SL_COL_PARTITION]) &&
			scenario_profile_is_named(rule->name[OF_USER], more->user, row->col[SL_COL_USER]) &&
			scenario_profile_is_named(
				rule->name[OF_ACCOUNT], more->account, row->col[SL_COL_GROUP]) &&
			gpus >= rule->gpus_min && gpus <= rule->gpus_max &&
			nodes_asked(more) >= rule->nodes_min)
			return rule;
	}
	return NULL;
}

/* ---- Rows --------------------------------------------------------------------------------------- */

int profile_intern(
	struct loading *loading, const struct sl_row *row, int64_t gpus, int32_t *number, struct sl_err *err)
{
	const struct sl_profile *says = row->more ? row->more->profile : NULL;
	const struct profile_rule *rule = loading->profile_rule ? rule_for(loading, row, gpus) : NULL;
	uint32_t found = 0;
	if (!says && !rule)
		return SL_OK;
	int status = profiles_make(loading, err);
	if (status)
		return status;
	struct sl_profile profile;
	sl_profile_clear(&profile);
	if (says)
		profile = *says;
	if (rule)
		sl_profile_over(&profile, &rule->profile);
	status = scenario_profile_number_of(loading, row, &profile, &found, err);
	*number = (int32_t)found;
	return status;
}

int profiles_lend(struct loading *loading, struct sl_jobs *jobs, struct sl_err *err)
{
	const struct profiles *profiles = loading->profiles;
	if (!jobs->profile_of || !profiles)
		return SL_OK;
	const size_t count = (size_t)profiles->key.count + 1;
	struct sl_profile *kept = sl_alloc(loading->scenario->arena, count, sizeof(*kept));
	if (!kept)
		return sl_fail_memory(err);
	memcpy(kept, profiles->profile, count * sizeof(*kept));
	jobs->profile = kept;
	jobs->profile_count = (uint32_t)count;
	return SL_OK;
}
