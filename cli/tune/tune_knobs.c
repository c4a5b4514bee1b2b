/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tune_knobs.c - --vary KEY=RANGE: what may move, its levels, and which of them is today's.
 */
#include <string.h>
#include <strings.h>

#include "cli/tune/tune.h"
#include "cli/whatif/whatif_search.h"
#include "sim/registry/replay_params.h"

bool setting_is(const char *setting, const char *key)
{
	setting += strncmp(setting, "policy.", 7) == 0 ? 7 : 0;
	key += strncmp(key, "policy.", 7) == 0 ? 7 : 0;
	const size_t len = strlen(key);
	return strncmp(setting, key, len) == 0 && setting[len] == '=';
}

/* The value that a key has in the settings given; NULL: none. */
static const char *given_value(const struct tune *tune, const char *key)
{
	const char *found = NULL;
	for (size_t i = 0; i < tune->setting_count; i++)
		if (setting_is(tune->setting[i], key))
			found = strchr(tune->setting[i], '=') + 1;
	return found;
}

/* What a setting is today, as far as that is known: as given, of the policy, of the replay. */
static const char *setting_today(const struct tune *tune, const char *key)
{
	const char *given = given_value(tune, key);
	const char *dot = strchr(key, '.');
	const bool of_replay = dot && strncmp(key, "replay.", 7) == 0;
	const bool of_policy = !dot || strncmp(key, "policy.", 7) == 0;
	const struct sl_value *value = NULL;
	if (given)
		return given;
	if (of_replay)
		value = sl_value_of(tune->scenario.replay, replay_param_count, dot + 1);
	else if (of_policy)
		value = sl_value_of(tune->choice.values, tune->choice.value_count, dot ? dot + 1 : key);
	return value ? value->text : NULL;
}

/* Numbers and times as numbers. */
static bool as_number(const char *text, int64_t *number)
{
	const size_t len = strlen(text);
	return sl_get_micro(text, len, number) || sl_get_duration(text, len, number);
}

static bool same_value(const char *a, const char *b)
{
	int64_t x;
	int64_t y;
	return strcmp(a, b) == 0 || (as_number(a, &x) && as_number(b, &y) && x == y);
}

/* Where today's value goes among levels that ascend, or descend. */
static uint32_t place_of(const struct knob *knob, const char *today)
{
	int64_t is;
	int64_t first;
	int64_t last;
	if (knob->unordered || !today || !as_number(today, &is) || !as_number(knob->value[0], &first) ||
		!as_number(knob->value[knob->count - 1], &last))
		return 0;
	uint32_t at = 0;
	for (int64_t value; at < knob->count && as_number(knob->value[at], &value); at++)
		if (first <= last ? value > is : value < is)
			break;
	return at;
}

static int take_today(struct tune *tune, struct knob *knob, const char *today, struct sl_err *err)
{
	for (uint32_t i = 0; i < knob->count && today; i++)
		if (same_value(knob->value[i], today)) {
			knob->today = i;
			return SL_OK;
		}
	const char **more = sl_alloc(tune->arena, knob->count + 1, sizeof(*more));
	if (!more)
		return sl_fail_memory(err);
	const uint32_t at = place_of(knob, today);
	for (uint32_t i = 0; i <= knob->count; i++)
		more[i] = i == at ? today : knob->value[i - (i > at)];
	knob->value = more;
	knob->count++;
	knob->today = at;
	return SL_OK;
}

static int knob_read(struct tune *tune, struct knob *knob, const char *text, struct sl_err *err)
{
	struct axis axis;
	const char *today = NULL;
	int status = axis_parse(&axis, "--vary", text, tune->arena, err);
	if (status)
		return status;
	*knob = (struct knob){ .name = sl_strdup(tune->arena, axis.key, strlen(axis.key) - 1),
		.value = axis.value,
		.count = (uint32_t)axis.count,
		.unordered = axis.unordered };
	if (!knob->name)
		return sl_fail_memory(err);
	for (size_t i = 0; &tune->knob[i] != knob; i++)
		if (strcmp(tune->knob[i].name, knob->name) == 0)
			return sl_fail(err, SL_USAGE,
				"--vary %s: it stands twice: put both ranges into one, with a comma",
				knob->name);
	const char *colon = strchr(knob->name, ':');
	if (strcmp(knob->name, "policy") == 0) {
		knob->kind = KNOB_POLICY;
		knob->unordered = true;
		today = tune->policy;
	} else if (colon) {
		knob->kind = KNOB_FILE;
		status = knob_file(tune, knob, err);
		today = knob->place.today;
	} else {
		today = setting_today(tune, knob->name);
	}
	if (!status && strchr("+-", knob->name[strlen(knob->name) - 1]) && knob->kind == KNOB_SETTING)
		today = NULL;
	return status ? status : take_today(tune, knob, today, err);
}

/* Each policy is one, and scripts and plug-ins are read. */
static int policies_check(const struct tune *tune, const struct knob *knob, struct sl_err *err)
{
	int status = SL_OK;
	for (uint32_t i = 0; i < knob->count && !status; i++) {
		struct policy_choice choice;
		status = registry_add_policy(tune->args->registry, knob->value[i], err);
		if (!status)
			status = policy_choose(
				tune->args->registry, &choice, knob->value[i], NULL, tune->arena, err);
	}
	return status;
}

/* Does the policy itself move? */
static bool policy_moves(const struct args *args)
{
	const char *text;
	for (size_t i = 0; (text = arg_at(args, "vary", i)); i++)
		if (strncmp(text, "policy=", 7) == 0)
			return true;
	return false;
}

/* Values of today's policy: one that it does not take is a mistake, said before anything is run. Where the
 * policy moves too, each has parameters of its own. */
static int values_check(const struct tune *tune, const struct knob *knob, struct sl_err *err)
{
	const char *dot = strchr(knob->name, '.');
	const char *key = dot && strncmp(knob->name, "policy.", 7) == 0 ? dot + 1 : knob->name;
	int status = SL_OK;
	if (knob->kind != KNOB_SETTING || !sl_value_of(tune->choice.values, tune->choice.value_count, key))
		return SL_OK;
	for (uint32_t i = 0; i < knob->count && !status; i++) {
		struct policy_choice choice;
		struct settings settings = { .arena = tune->arena };
		const char *text =
			knob->value[i] ? text_made(tune->arena, "policy.%s=%s", key, knob->value[i]) : NULL;
		if (!text)
			continue;
		status = settings_add(&settings, text, err);
		if (!status)
			status = policy_choose(
				tune->args->registry, &choice, tune->policy, &settings, tune->arena, err);
	}
	return status;
}

/* Do two knobs of a file change the same bytes, or add the same? */
static bool is_overlap(const struct knob *a, const struct knob *b)
{
	const char *slash_a = strchr(a->name, '/');
	const char *slash_b = strchr(b->name, '/');
	if (a->kind != KNOB_FILE || b->kind != KNOB_FILE || a->file != b->file)
		return false;
	if (a->place.len || b->place.len)
		return a->place.at < b->place.at + b->place.len && b->place.at < a->place.at + a->place.len;
	if (a->place.at != b->place.at || a->place.today || b->place.today)
		return a->place.at == b->place.at && a->place.today && b->place.today;
	/* Both would be added: two options of a list of Slurm's that is not there yet. */
	return strcasecmp(a->place.before, b->place.before) == 0 ||
	       (strchr(a->place.before, '=') && slash_a && slash_b &&
		       slash_a - a->name == slash_b - b->name &&
		       strncasecmp(a->name, b->name, (size_t)(slash_a - a->name)) == 0 &&
		       !strchr(slash_a + 1, '/') && a->place.before[0] != ',');
}

static int overlaps_check(const struct tune *tune, const struct knob *knob, struct sl_err *err)
{
	for (const struct knob *other = tune->knob; other != knob; other++)
		if (is_overlap(other, knob))
			return sl_fail(err, SL_USAGE,
				"--vary %.300s: it stands where '%.300s' does: name the value once, and write a list that is not there yet into the file first",
				knob->name, other->name);
	return SL_OK;
}

/* Settings of the policy that it does not have, nor one of those that take turns with it. */
static int name_check(const struct tune *tune, const struct knob *knob, struct sl_err *err)
{
	struct sl_err first = { 0 };
	const char *value = knob->value[knob->value[0] ? 0 : 1];
	const char *text = text_made(tune->arena, "%s=%s", knob->name, value);
	bool known = !text || knob->kind != KNOB_SETTING || strncmp(knob->name, "policy.", 7) != 0;
	for (size_t k = 0; k < tune->problem.axes && !known; k++)
		for (uint32_t i = 0; i < tune->knob[k].count && tune->knob[k].kind == KNOB_POLICY; i++) {
			struct policy_choice choice;
			struct sl_err none = { 0 };
			known |= policy_choose(tune->args->registry, &choice, tune->knob[k].value[i], NULL,
					 tune->arena, &none) == SL_OK &&
				 sl_value_of(choice.values, choice.value_count, knob->name + 7);
		}
	if (known || sl_value_of(tune->choice.values, tune->choice.value_count, knob->name + 7))
		return SL_OK;
	struct settings settings = { .arena = tune->arena };
	struct policy_choice choice;
	int status = settings_add(&settings, text, &first);
	if (!status)
		status = policy_choose(
			tune->args->registry, &choice, tune->policy, &settings, tune->arena, &first);
	if (!status)
		status = settings_check_used(&settings, &choice, 1, &first);
	return status ? sl_fail(err, SL_USAGE, "--vary: %s", first.text) : SL_OK;
}

int knobs_read(struct tune *tune, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	tune->file = sl_alloc(tune->arena, TUNE_AXES_MAX, sizeof(*tune->file));
	if (!tune->file)
		return sl_fail_memory(err);
	for (size_t i = 0; (text = arg_at(tune->args, "vary", i)) && !status; i++) {
		if (i == TUNE_AXES_MAX)
			return sl_fail(
				err, SL_USAGE, "--vary: at most %d may move at once", (int)TUNE_AXES_MAX);
		struct knob *knob = &tune->knob[i];
		status = knob_read(tune, knob, text, err);
		if (!status && knob->kind == KNOB_POLICY)
			status = policies_check(tune, knob, err);
		if (!status && !policy_moves(tune->args))
			status = values_check(tune, knob, err);
		if (!status)
			status = overlaps_check(tune, knob, err);
		if (status)
			return tune_option_said(tune->args, "vary", i, err);
		tune->problem.axis[i] = (struct tune_axis){ knob->count, knob->today, knob->unordered };
		tune->problem.axes = i + 1;
	}
	for (size_t k = 0; k < tune->problem.axes && !status; k++)
		if (name_check(tune, &tune->knob[k], err))
			return tune_option_said(tune->args, "vary", k, err);
	if (!status && !tune->problem.axes)
		return sl_fail(err, SL_USAGE,
			"tune: what may move? --vary policy.order=fcfs,sjf or --vary slurm.conf:PriorityWeightAge=0..10000:1000");
	return status;
}

const char *knob_value(const struct knob *knob, uint32_t level)
{
	return knob->value[level] ? knob->value[level] : "(as it is)";
}
