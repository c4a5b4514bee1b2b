/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast_base.c - the settings that a question is asked under: of a line with a trace, or of a run's
 * directory.
 */
#include <string.h>
#include <sys/stat.h>

#include "cli/forecast/forecast.h"
#include "cli/run/run_find.h"

static int keep(struct forecast_base *base, const char *before, const char *text, struct sl_err *err)
{
	const char *made = text_made(base->arena, "%s%s", before, text);
	if (!made)
		return sl_fail_memory(err);
	base->setting[base->setting_count++] = made;
	return SL_OK;
}

static int from_run(struct forecast_base *base, const char *path, struct sl_err *err)
{
	struct rerun_texts texts = { .arena = base->arena };
	base->is_run = true;
	int status = rerun_recipe(
		&base->rerun, path, base->args->registry, "forecast", &base->options, &texts, err);
	if (status)
		return status;
	const struct snapshot *snapshot = &base->rerun.snapshot;
	base->options.registry = base->args->registry;
	base->options.stop = &cli_stop;
	base->setting = sl_alloc(base->arena,
		texts.count + snapshot->interval[0].value_count + base->args->given_count + 1,
		sizeof(*base->setting));
	if (!base->setting)
		return sl_fail_memory(err);
	for (size_t i = 0; i < texts.count && !status; i++)
		status = keep(base, "", texts.item[i], err);
	for (size_t i = 0; i < snapshot->interval[0].value_count && !status; i++)
		status = keep(base, "", snapshot->interval[0].value[i], err);
	base->policy = snapshot->interval[0].policy;
	return status;
}

static int from_line(struct forecast_base *base, const char *path, struct sl_err *err)
{
	const struct args *args = base->args;
	const int status =
		scenario_options_from_args(&base->options, args, arg(args, "cluster"), NULL, NULL, err);
	base->options.trace = path;
	base->policy = arg(args, "policy") ? arg(args, "policy") : "easy";
	base->setting = sl_alloc(base->arena, args->given_count + 1, sizeof(*base->setting));
	return base->setting ? status : sl_fail_memory(err);
}

/* Of a key with or without "replay.". */
static bool is_key(const char *setting, const char *key)
{
	const size_t skip = strncmp(setting, "replay.", 7) == 0 ? 7 : 0;
	const size_t len = strlen(key);
	return strncmp(setting + skip, key, len) == 0 && setting[skip + len] == '=';
}

/* It says what futures begin with, and nothing of the log. */
static int take_before(struct forecast_base *base, const char *text, struct sl_err *err)
{
	const char *value = strchr(text, '=') + 1;
	if (sl_get_duration(value, strlen(value), &base->before) && base->before >= 0)
		return SL_OK;
	return sl_fail(err, SL_USAGE, "replay.before must be a duration such as 14d, not '%.60s'", value);
}

static int given_settings(struct forecast_base *base, struct sl_err *err)
{
	const char *text;
	int status = SL_OK;
	const char *files = NULL; /* --history, as replay.with takes them. */
	for (size_t i = 0; (text = arg_at(base->args, "history", i)); i++) {
		files = files ? text_made(base->arena, "%s,%s", files, text) : text;
		if (!files)
			return sl_fail_memory(err);
	}
	if (files)
		status = keep(base, "replay.with=", files, err);
	if (files && !status)
		base->history = base->setting[base->setting_count - 1];
	for (size_t i = 0; (text = arg_at(base->args, "set", i)) && !status; i++)
		status = is_key(text, "before") ? take_before(base, text, err)
			 : strchr(text, '=')
				 ? keep(base, "", text, err)
				 : sl_fail(err, SL_USAGE, "--set must be KEY=VALUE, not '%s'", text);
	for (size_t i = 0; (text = arg_at(base->args, "model", i)) && !status; i++)
		status = keep(base, SETTING_MODEL "=", text, err);
	return status;
}

/* Which jobs are replayed, and when: in a future that is what is drawn. */
static bool is_of_the_log(const char *setting)
{
	static const char *const keys[] = { "from", "to", "until", "start", "windows", "load", "load_after",
		"drop", "change", "with", "fill", "feedback", "cancels", "commands", "run_unknown" };
	for (size_t i = 0; i < SL_LEN(keys); i++)
		if (is_key(setting, keys[i]) && (strcmp(keys[i], "fill") != 0 || strchr(setting, '.')))
			return true;
	return false;
}

int forecast_settings(const struct forecast_base *base, enum forecast_part part, struct settings *settings,
	struct sl_arena *arena, struct sl_err *err)
{
	const size_t model = strlen(SETTING_MODEL "=");
	*settings = (struct settings){ .arena = arena };
	int status = SL_OK;
	for (size_t i = 0; i < base->setting_count && !status; i++) {
		const char *text = base->setting[i];
		if (part == FORECAST_SET_TRACE && text == base->history)
			continue;
		if (part == FORECAST_SET_FUTURE && (is_of_the_log(text) || strncmp(text, "policy.", 7) == 0))
			continue;
		status = strncmp(text, SETTING_MODEL "=", model) == 0
				 ? settings_add_model(settings, text + model, err)
				 : settings_add(settings, text, err);
	}
	return status;
}

static int choose(struct forecast_base *base, struct sl_err *err)
{
	struct settings settings;
	int status = forecast_settings(base, FORECAST_SET_ALL, &settings, base->arena, err);
	if (!status)
		status = policy_choose(
			base->args->registry, &base->choice, base->policy, &settings, base->arena, err);
	base->options.implied = base->choice.implied;
	return status;
}

int forecast_base_open(
	struct forecast_base *base, const char *path, const struct args *args, struct sl_err *err)
{
	struct stat is;
	*base = (struct forecast_base){ .args = args, .arena = args->arena, .before = SL_NONE };
	int status = stat(path, &is) == 0 && S_ISDIR(is.st_mode) ? from_run(base, path, err)
								 : from_line(base, path, err);
	if (!status)
		status = given_settings(base, err);
	if (!status)
		status = choose(base, err);
	base->options.settings = NULL;
	return status;
}

void forecast_base_close(struct forecast_base *base)
{
	if (base->is_run)
		rerun_close(&base->rerun);
}
