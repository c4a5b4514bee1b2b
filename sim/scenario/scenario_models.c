/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_models.c - which models are on, and their parameters.
 *
 * On are those of replay.models, and those of --model. A parameter is, from the weakest: its default, a
 * scalar of the model's section in the cluster file, --set NAME.key=value, what --model NAME:key=value says.
 */
#include <stdio.h>
#include <string.h>

#include "sim/base/csv_table.h"
#include "sim/scenario/scenario_parts.h"

enum { MODELS_MAX = 64, MODEL_NAME_MAX = 64 };

/* Its place in the registry; -1: there is none. */
static int model_find(const struct registry *registry, const char *name, size_t len)
{
	for (int i = 0; registry->known.models[i]; i++)
		if (strlen(registry->known.models[i]->name) == len &&
			memcmp(registry->known.models[i]->name, name, len) == 0)
			return i;
	return -1;
}

static int fail_name(const struct registry *registry, const char *name, size_t len, struct sl_err *err)
{
	char text[MODEL_NAME_MAX + 1];
	char similar[128];
	(void)snprintf(text, sizeof(text), "%.*s", (int)(len < MODEL_NAME_MAX ? len : MODEL_NAME_MAX), name);
	return sl_fail(err, SL_USAGE, "unknown model '%s': %s'schedlab list models' shows all", text,
		did_you_mean(similar, sl_nearest_name(text, registry->known.models)));
}

/* Those that are on, a bit each by place in the registry. */
static int scenario_models_take_name(
	const struct registry *registry, const char *name, size_t len, uint64_t *on, struct sl_err *err)
{
	const int found = model_find(registry, name, len);
	if (found < 0)
		return fail_name(registry, name, len, err);
	if (found >= MODELS_MAX)
		return sl_fail(
			err, SL_USAGE, "more than %d models are known: load fewer plug-ins", MODELS_MAX);
	*on |= UINT64_C(1) << found;
	return SL_OK;
}

static int take_names(struct loading *loading, uint64_t *on, struct sl_err *err)
{
	const struct registry *registry = loading->scenario->registry;
	const struct settings *settings = loading->options->settings;
	const char *text = loading->scenario->replay[REPLAY_MODELS].text;
	int status = SL_OK;
	while (text && *text && !status) {
		const size_t len = strcspn(text, ",");
		status = scenario_models_take_name(registry, text, len, on, err);
		text += len + (text[len] == ',');
	}
	for (size_t i = 0; settings && i < settings->count && !status; i++)
		if (strcmp(settings->item[i].key, SETTING_MODEL) == 0)
			status = scenario_models_take_name(registry, settings->item[i].value,
				strcspn(settings->item[i].value, ":"), on, err);
	return status;
}

/* "failures,fabric", in the registry's order, whatever was written. */
static int report_names(struct loading *loading, uint64_t on, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	struct sl_value *value = &scenario->replay[REPLAY_MODELS];
	size_t capacity = 1;
	for (int i = 0; i < MODELS_MAX; i++)
		capacity += on >> i & 1 ? strlen(scenario->registry->known.models[i]->name) + 1 : 0;
	char *text = sl_alloc(scenario->arena, capacity, 1);
	if (!text)
		return sl_fail_memory(err);
	size_t len = 0;
	for (int i = 0; i < MODELS_MAX; i++)
		if (on >> i & 1)
			len += (size_t)snprintf(text + len, capacity - len, "%s%s", len ? "," : "",
				scenario->registry->known.models[i]->name);
	value->text = on ? text : NULL;
	return SL_OK;
}

/* ---- Parameters ---------------------------------------------------------------------- */

/* A path that the cluster's file names is sought from that file's folder. */
static const char *beside(const struct scenario *scenario, const char *path)
{
	const char *file = scenario->cluster_input.path;
	const char *slash = file ? strrchr(file, '/') : NULL;
	if (!slash || path[0] == '/')
		return path;
	const size_t len = (size_t)(slash - file) + 1;
	char *text = sl_alloc(scenario->arena, len + strlen(path) + 1, 1);
	if (text) {
		memcpy(text, file, len);
		memcpy(text + len, path, strlen(path) + 1);
	}
	return text;
}

static struct param_list params_of(const struct loading *loading, const struct sl_model *model)
{
	return (struct param_list){ model->params, model->param_count, model->name, NULL,
		loading->scenario->arena };
}

/* The scalars of its section whose keys are its parameters. */
static int take_section(struct loading *loading, struct model_choice *choice, struct sl_err *err)
{
	const struct scenario *scenario = loading->scenario;
	const struct sl_model *model = choice->model;
	for (uint32_t i = 0; i < scenario->cluster.setting_count; i++) {
		const struct sl_setting *setting = &scenario->cluster.setting[i];
		struct sl_err why = { 0 };
		if (strcmp(setting->kind, model->name) != 0 || setting->name[0])
			continue;
		size_t at = 0;
		while (at < model->param_count && strcmp(model->params[at].key, setting->key) != 0)
			at++;
		if (at == model->param_count)
			continue;
		const bool csv = model->params[at].kind == SL_PARAM_CSV;
		const char *text = csv ? beside(scenario, setting->value) : setting->value;
		if (!text)
			return sl_fail_memory(err);
		const struct param_list params = params_of(loading, model);
		if (value_set(&choice->values[at], &params, at, text, &why))
			return why.status == SL_SYSTEM ? sl_fail(err, SL_SYSTEM, "%s", why.text)
						       : sl_fail_at(err, &setting->at, "%s", why.text);
	}
	return SL_OK;
}

/* --set NAME.key=value */
static int take_settings(const struct loading *loading, struct model_choice *choice, struct sl_err *err)
{
	const struct settings *settings = loading->options->settings;
	const struct sl_model *model = choice->model;
	const size_t len = strlen(model->name);
	for (size_t i = 0; settings && i < settings->count; i++) {
		struct setting *setting = &settings->item[i];
		if (strncmp(setting->key, model->name, len) != 0 || setting->key[len] != '.')
			continue;
		setting->used = true;
		const struct param_list params = params_of(loading, model);
		const int status =
			values_key(choice->values, &params, setting->key + len + 1, setting->value, err);
		if (status)
			return status;
	}
	return SL_OK;
}

/* --model NAME:key=value,... */
static int take_texts(const struct loading *loading, struct model_choice *choice, struct sl_err *err)
{
	const struct settings *settings = loading->options->settings;
	const struct sl_model *model = choice->model;
	const struct param_list params = params_of(loading, model);
	int status = SL_OK;
	for (size_t i = 0; settings && i < settings->count && !status; i++) {
		struct setting *setting = &settings->item[i];
		const size_t len = strcspn(setting->value, ":");
		if (strcmp(setting->key, SETTING_MODEL) != 0 || len != strlen(model->name) ||
			memcmp(setting->value, model->name, len) != 0)
			continue;
		setting->used = true;
		if (setting->value[len])
			status = values_give(choice->values, &params, setting->value + len + 1, err);
	}
	return status;
}

static int read_csv(
	struct loading *loading, const char *path, const struct sl_csv_table **csv, struct sl_err *err)
{
	struct sl_input *in;
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = csv_read(csv, in, loading->scenario->arena, err);
	if (!status)
		status = side_add(&loading->sheets, loading->scenario, "", "sheet", in, err);
	sl_input_close(in);
	return status;
}

static int take_sheets(struct loading *loading, struct model_choice *choice, struct sl_err *err)
{
	const struct sl_model *model = choice->model;
	const struct sl_csv_table **csv =
		sl_alloc(loading->scenario->arena, model->param_count + 1, sizeof(struct sl_csv_table *));
	int status = csv ? SL_OK : sl_fail_memory(err);
	for (size_t i = 0; i < model->param_count && !status; i++)
		if (model->params[i].kind == SL_PARAM_CSV && choice->values[i].text)
			status = read_csv(loading, choice->values[i].text, &csv[i], err);
	choice->csv = csv;
	return status;
}

static int scenario_models_choose(struct loading *loading, const struct sl_model *model,
	struct model_choice *choice, struct sl_err *err)
{
	const struct scenario *scenario = loading->scenario;
	*choice = (struct model_choice){ .model = model, .value_count = model->param_count };
	choice->values = sl_alloc(scenario->arena, model->param_count + 1, sizeof(*choice->values));
	if (!choice->values)
		return sl_fail_memory(err);
	if (model->on_nodes && !scenario->cluster.node_count)
		return sl_fail(err, SL_USAGE,
			"model '%s' needs nodes, and this machine is a counted pool of cpus: give one with -c "
			"CLUSTER",
			model->name);
	const struct param_list params = params_of(loading, model);
	int status = values_parse(choice->values, &params, NULL, err);
	if (!status)
		status = take_section(loading, choice, err);
	if (!status)
		status = take_settings(loading, choice, err);
	if (!status)
		status = take_texts(loading, choice, err);
	return status ? status : take_sheets(loading, choice, err);
}

/* A key of a model that is off would be ignored silently. */
static int check_off(const struct loading *loading, uint64_t on, struct sl_err *err)
{
	const struct settings *settings = loading->options->settings;
	const struct registry *registry = loading->scenario->registry;
	for (size_t i = 0; settings && i < settings->count; i++) {
		const char *key = settings->item[i].key;
		const size_t len = strcspn(key, ".");
		const int model = key[len] ? model_find(registry, key, len) : -1;
		if (model >= 0 && !(on >> model & 1))
			return sl_fail(err, SL_USAGE,
				"setting '%s' is of the model '%.*s', which is off: turn it on with --model %.*s",
				key, (int)len, key, (int)len, key);
	}
	return SL_OK;
}

int models_load(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const char *profile = scenario->replay[REPLAY_PROFILE].text;
	const char *times = scenario->replay[REPLAY_RUN_TIMES].text;
	const struct sl_csv_table *csv = NULL;
	struct model_choice *choice;
	uint64_t on = 0;
	int status = take_names(loading, &on, err);
	if (!status)
		status = check_off(loading, on, err);
	if (!status)
		status = report_names(loading, on, err);
	if (!status && profile)
		status = read_csv(loading, profile, &loading->profile_csv, err);
	if (!status && profile)
		status = profile_rules(loading, err);
	if (!status && times)
		status = read_csv(loading, times, &csv, err);
	if (!status && times)
		status = run_times_take(loading, csv, err);
	if (status || !on)
		return status;
	scenario->model = choice = sl_alloc(scenario->arena, MODELS_MAX, sizeof(*choice));
	if (!choice)
		return sl_fail_memory(err);
	for (int i = 0; i < MODELS_MAX && !status; i++)
		if (on >> i & 1)
			status = scenario_models_choose(loading, scenario->registry->known.models[i],
				&choice[scenario->model_count++], err);
	return status;
}
