/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugins.c - names to vtables, and texts to checked values.
 *
 * A value is checked against its sl_param once, here; what a policy or model is
 * handed is always within its bounds. Precedence, weakest first: the default,
 * the preset, what compat= implies, --set, the user's own name:key=value.
 */
#include "sim/registry/plugins.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sim/registry/replay_params.h"

const char *registry_name_at(const void *array, size_t i)
{
	const struct vtable *at = registry_at(array, i);
	return at ? at->name : NULL;
}

const char *sl_nearest_name(const char *name, const void *array)
{
	return nearest(name, registry_name_at, array);
}

const char *did_you_mean(char buffer[128], const char *similar)
{
	buffer[0] = '\0';
	if (similar)
		(void)snprintf(buffer, 128, "did you mean '%s'? ", similar);
	return buffer;
}

/* ---- One value --------------------------------------------------------------- */

/* The place of text[0..len) among "a|b|c", or -1. */
static int64_t choice_of(const char *choices, const char *text)
{
	const size_t len = strlen(text);
	int64_t index = 0;
	for (const char *p = choices; p; index++) {
		const char *bar = strchr(p, '|');
		const size_t width = bar ? (size_t)(bar - p) : strlen(p);
		if (width == len && memcmp(p, text, len) == 0)
			return index;
		p = bar ? bar + 1 : NULL;
	}
	return -1;
}

static bool bool_of(const char *text, int64_t *number)
{
	static const char *const word[][2] = { { "false", "true" }, { "no", "yes" }, { "off", "on" },
		{ "0", "1" } };
	for (size_t i = 0; i < SL_LEN(word); i++)
		for (int value = 0; value < 2; value++)
			if (strcmp(text, word[i][value]) == 0) {
				*number = value;
				return true;
			}
	return false;
}

/* "a|b", and the names in an array of the registry that came with plug-ins. */
static const char *outside_join(
	const char *choices, const void *array, const struct registry *registry, struct sl_arena *arena)
{
	const struct vtable *at;
	for (size_t i = 0; choices && (at = registry_at(array, i)); i++) {
		if (!registry_owner(registry, at))
			continue;
		const size_t size = strlen(choices) + strlen(at->name) + 2;
		char *joined = sl_alloc(arena, size, 1);
		if (joined)
			(void)snprintf(joined, size, "%s|%s", choices, at->name);
		choices = joined;
	}
	return choices;
}

const char *param_choices(
	const struct sl_param *param, const struct registry *registry, struct sl_arena *arena)
{
	const char *choices = param->choices;
	if (registry && param->kind == SL_PARAM_PLACE) {
		choices = outside_join(choices, registry->known.scorers, registry, arena);
		choices = outside_join(choices, registry->known.allocators, registry, arena);
	} else if (registry && param->kind == SL_PARAM_POLICY) {
		choices = outside_join(choices, registry->known.policies, registry, arena);
	}
	return choices;
}

/* What a kind looks like, for messages; parsing by kind. */
static const char *const kind_text[] = {
	[SL_PARAM_INT] = "a whole number",
	[SL_PARAM_REAL] = "a number",
	[SL_PARAM_TIME] = "a duration such as 90, 1.5h, 3d or 1-12:00:00",
	[SL_PARAM_BOOL] = "true or false",
	[SL_PARAM_CHOICE] = "one of",
	[SL_PARAM_TEXT] = "a text",
	[SL_PARAM_CSV] = "the path of a CSV file",
	[SL_PARAM_DOC] = "the path of a YAML or JSON file",
	[SL_PARAM_PLACE] = "one of",
	[SL_PARAM_POLICY] = "one of",
};

static bool plugins_number_of(
	const struct sl_param *param, const char *choices, const char *text, int64_t *number)
{
	const size_t len = strlen(text);
	switch (param->kind) {
	case SL_PARAM_INT:
		return sl_get_i64(text, len, number);
	case SL_PARAM_REAL:
		return sl_get_micro(text, len, number);
	case SL_PARAM_TIME:
		return sl_get_duration(text, len, number);
	case SL_PARAM_BOOL:
		return bool_of(text, number);
	case SL_PARAM_CHOICE:
	case SL_PARAM_PLACE:
	case SL_PARAM_POLICY:
		*number = choice_of(choices, text);
		if (*number < 0)
			*number = script_choice(param, text);
		return *number >= 0;
	case SL_PARAM_TEXT:
	case SL_PARAM_CSV:
	case SL_PARAM_DOC:
		break;
	}
	*number = 0;
	return true;
}

int value_set(struct sl_value *value, const struct param_list *params, size_t i, const char *text,
	struct sl_err *err)
{
	const struct sl_param *param = &params->param[i];
	const char *choices = param_choices(param, params->registry, params->arena);
	int64_t number;
	if (param->choices && !choices)
		return sl_fail_memory(err);
	if (!plugins_number_of(param, choices, text, &number))
		return sl_fail(err, SL_USAGE, "%s: '%s' must be %s%s%s, not '%s'", params->what, param->key,
			kind_text[param->kind], choices ? " " : "", choices ? choices : "", text);
	const bool bounded = param->min || param->max;
	if (bounded && (number < param->min || number > param->max))
		return sl_fail(err, SL_USAGE, "%s: '%s' must be within %s, not '%s'", params->what,
			param->key, choices ? choices : "its bounds", text);
	char *copy = sl_strdup(params->arena, text, strlen(text));
	if (!copy)
		return sl_fail_memory(err);
	*value = (struct sl_value){ param->key, copy, number };
	return SL_OK;
}

/* ---- "key=value,..." ------------------------------------------------------------ */

/* The first `stop` outside quotes, or the end; NULL if a quote is not closed. */
static const char *unquoted(const char *text, char stop)
{
	bool quoted = false;
	for (; *text && (quoted || *text != stop); text++)
		quoted ^= *text == '"';
	return quoted ? NULL : text;
}

/* A copy of text[0..len) without its quotes. */
static char *unquote(struct sl_arena *arena, const char *text, size_t len)
{
	char *copy = sl_alloc(arena, len + 1, 1);
	if (!copy)
		return NULL;
	size_t out = 0;
	for (size_t i = 0; i < len; i++)
		if (text[i] != '"')
			copy[out++] = text[i];
	return copy;
}

static const char *param_at(const void *list, size_t i)
{
	const struct param_list *params = list;
	return i < params->count ? params->param[i].key : NULL;
}

static size_t param_find(const struct sl_param *params, size_t count, const char *key)
{
	size_t i = 0;
	while (i < count && strcmp(params[i].key, key) != 0)
		i++;
	return i;
}

int values_key(struct sl_value *values, const struct param_list *params, const char *key, const char *value,
	struct sl_err *err)
{
	const char *what = params->what;
	const size_t i = param_find(params->param, params->count, key);
	if (i == params->count) {
		char similar[128];
		return sl_fail(err, SL_USAGE, "%s: unknown parameter '%s': %s%s", what, key,
			did_you_mean(similar, nearest(key, param_at, params)),
			params->count ? "'schedlab list' shows what it takes" : "it takes none");
	}
	if (!value && params->param[i].kind != SL_PARAM_BOOL)
		return sl_fail(
			err, SL_USAGE, "%s: parameter '%s' needs a value: write %s=...", what, key, key);
	return value_set(&values[i], params, i, value ? value : "true", err);
}

/* One "key=value", or a bare key. */
static int item_set(struct sl_value *values, const struct param_list *params, char *item, struct sl_err *err)
{
	char *equals = strchr(item, '=');
	if (equals)
		*equals = '\0';
	return values_key(values, params, item, equals ? equals + 1 : NULL, err);
}

const char *policy_plain(const char *text, struct sl_arena *arena)
{
	return unquote(arena, text, strlen(text));
}

char *policy_item_next(const char **text, struct sl_arena *arena)
{
	const char *end = *text && **text ? unquoted(*text, ',') : NULL;
	char *item = end ? unquote(arena, *text, (size_t)(end - *text)) : NULL;
	*text = item && *end ? end + 1 : NULL;
	return item;
}

int values_give(
	struct sl_value *values, const struct param_list *params, const char *text, struct sl_err *err)
{
	while (text && *text) {
		const char *end = unquoted(text, ',');
		if (!end)
			return sl_fail(
				err, SL_USAGE, "%s: a quote is not closed in '%s'", params->what, text);
		char *item = unquote(params->arena, text, (size_t)(end - text));
		if (!item)
			return sl_fail_memory(err);
		const int status = item_set(values, params, item, err);
		if (status)
			return status;
		text = *end ? end + 1 : end;
	}
	return SL_OK;
}

int values_parse(
	struct sl_value *values, const struct param_list *params, const char *text, struct sl_err *err)
{
	for (size_t i = 0; i < params->count; i++) {
		const struct sl_param *param = &params->param[i];
		values[i] = (struct sl_value){ param->key, NULL, 0 };
		const int status =
			param->fallback ? value_set(&values[i], params, i, param->fallback, err) : SL_OK;
		if (status)
			return status;
	}
	return values_give(values, params, text, err);
}

/* ---- Settings ---------------------------------------------------------------------- */

int settings_add(struct settings *settings, const char *key_value, struct sl_err *err)
{
	const char *equals = strchr(key_value, '=');
	if (!equals || equals == key_value)
		return sl_fail(err, SL_USAGE, "setting '%s' is not KEY=VALUE: write it like replay.load=0.9",
			key_value);
	const int status =
		SL_GROW_IN(settings->arena, settings->item, settings->capacity, settings->count + 1, err);
	if (status)
		return status;
	const char *key = sl_strdup(settings->arena, key_value, (size_t)(equals - key_value));
	const char *value = unquote(settings->arena, equals + 1, strlen(equals + 1));
	if (!key || !value)
		return sl_fail_memory(err);
	settings->item[settings->count++] = (struct setting){ key, value, false };
	return SL_OK;
}

int settings_add_model(struct settings *settings, const char *text, struct sl_err *err)
{
	const int status =
		SL_GROW_IN(settings->arena, settings->item, settings->capacity, settings->count + 1, err);
	if (status)
		return status;
	const char *value = sl_strdup(settings->arena, text, strlen(text));
	if (!value)
		return sl_fail_memory(err);
	settings->item[settings->count++] = (struct setting){ SETTING_MODEL, value, false };
	return SL_OK;
}

static const char policy_prefix[] = "policy.";

static int settings_over(
	struct policy_choice *choice, struct settings *settings, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	const struct param_list params = { policy->params, policy->param_count, "--set", choice->registry,
		arena };
	for (size_t i = 0; settings && i < settings->count; i++) {
		struct setting *setting = &settings->item[i];
		const bool full = strncmp(setting->key, policy_prefix, sizeof(policy_prefix) - 1) == 0;
		const char *key = setting->key + (full ? sizeof(policy_prefix) - 1 : 0);
		const size_t at = param_find(policy->params, policy->param_count, key);
		if (at == policy->param_count)
			continue;
		if (!full && replay_is_bare(key))
			return sl_fail(err, SL_USAGE,
				"setting '%s' may be the policy's or the replay's: write policy.%s or replay.%s",
				key, key, key);
		setting->used = true;
		const int status = value_set(&choice->values[at], &params, at, setting->value, err);
		if (status)
			return status;
	}
	return SL_OK;
}

int policy_settings(
	struct policy_choice *choice, struct settings *settings, struct sl_arena *arena, struct sl_err *err)
{
	const int status = settings_over(choice, settings, arena, err);
	return status ? status : policy_files(choice, arena, err);
}

/* For messages: keys, in full or bare, of the replay, the cluster and the chosen policies; closed by NULL. */
struct known_keys {
	const char **key;
	size_t count;
	struct sl_arena *arena;
	bool bare;
};

static void known_add(struct known_keys *known, const char *prefix, const char *key)
{
	/* A bare key is a policy's or the replay's, never the cluster's. */
	const bool bare = known->bare && strcmp(prefix, "cluster.") != 0;
	const size_t len = strlen(prefix) + strlen(key) + 1;
	char *full = sl_alloc(known->arena, len, 1);
	if (!full)
		return; /* One suggestion less. */
	(void)snprintf(full, len, "%s%s", bare ? "" : prefix, key);
	known->key[known->count++] = full;
}

static const char *known_at(const void *list, size_t i)
{
	const struct known_keys *known = list;
	return i < known->count ? known->key[i] : NULL;
}

static const char *setting_similar(
	const struct settings *settings, const char *key, const struct policy_choice *choices, size_t count)
{
	size_t keys = replay_param_count + 1;
	for (size_t i = 0; i < count; i++)
		keys += choices[i].value_count;
	struct known_keys known = { sl_alloc(settings->arena, keys, sizeof(char *)), 0, settings->arena,
		!strchr(key, '.') };
	if (!known.key)
		return NULL;
	if (strcmp(key, "cpus") == 0)
		return "cluster.cpus";
	for (size_t i = 0; i < replay_param_count; i++)
		known_add(&known, "replay.", replay_params[i].key);
	known_add(&known, "cluster.", "cpus");
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < choices[i].value_count; j++)
			known_add(&known, policy_prefix, choices[i].values[j].key);
	return nearest(key, known_at, &known);
}

int settings_check_used(const struct settings *settings, const struct policy_choice *choices, size_t count,
	struct sl_err *err)
{
	for (size_t i = 0; i < settings->count; i++) {
		const char *key = settings->item[i].key;
		if (settings->item[i].used)
			continue;
		char text[128];
		return sl_fail(err, SL_USAGE, "unknown setting '%s': %s'schedlab list settings' shows them",
			key, did_you_mean(text, setting_similar(settings, key, choices, count)));
	}
	return SL_OK;
}

/* ---- Policies ------------------------------------------------------------------------ */

/* Presets first: a policy of the same name is then reached by its preset. */
static const char *policy_name_at(const void *list, size_t i)
{
	const struct registry *registry = list;
	size_t presets = 0;
	while (registry->known.presets[presets])
		presets++;
	return i < presets ? registry->known.presets[i]->name
			   : registry_name_at(registry->known.policies, i - presets);
}

/* A plug-in's first. */
static int policy_of_plugin(
	struct policy_choice *choice, const struct registry *registry, const char *path, struct sl_err *err)
{
	const struct plugin *plugin = registry_plugin(registry, path);
	if (!plugin)
		return sl_fail(err, SL_USAGE,
			"plug-in '%s' is not loaded: load it before its policy is named", path);
	if (!plugin->is.policies[0])
		return sl_fail(err, SL_USAGE, "plug-in '%s' has no policy: name one that has", path);
	choice->policy = plugin->is.policies[0];
	return SL_OK;
}

/* Letters, digits, '_' and '.' stay; each run of others is one '-'. */
static const char *slug_of(struct sl_arena *arena, const char *text)
{
	enum { SLUG_MAX = 60 };
	char slug[SLUG_MAX + 1];
	size_t len = 0;
	for (; *text && len < SLUG_MAX; text++) {
		const char c = *text;
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.')
			slug[len++] = c;
		else if (c >= 'A' && c <= 'Z')
			slug[len++] = (char)(c | 0x20); /* ASCII: the small letter. */
		else if (len && slug[len - 1] != '-')
			slug[len++] = '-';
	}
	while (len && slug[len - 1] == '-')
		len--;
	return sl_strdup(arena, slug, len);
}

bool item_next(const char **text, struct item *item)
{
	if (!**text)
		return false;
	const char *end = strchrnul(*text, ',');
	const char *equals = memchr(*text, '=', (size_t)(end - *text));
	SL_CHECK(equals && equals - *text < (ptrdiff_t)sizeof(item->key) &&
		 end - equals <= (ptrdiff_t)sizeof(item->value));
	(void)snprintf(item->key, sizeof(item->key), "%.*s", (int)(equals - *text), *text);
	(void)snprintf(item->value, sizeof(item->value), "%.*s", (int)(end - equals) - 1, equals + 1);
	*text = *end ? end + 1 : end;
	return true;
}

static bool has_value(const struct policy_choice *choice, const char *key, const char *text)
{
	const struct sl_value *value = sl_value_of(choice->values, choice->value_count, key);
	return value && value->text && strcmp(value->text, text) == 0;
}

/* All of "key=value,..."; *last: the first that does not hold, or the last. */
static bool plugins_holds(const struct policy_choice *choice, const char *when, struct item *last)
{
	while (item_next(&when, last))
		if (!has_value(choice, last->key, last->value))
			return false;
	return true;
}

/* What the policy's own `compat` implies, if it has one and it is in use; else NULL. */
static int compat_find(struct policy_choice *choice, const char *what, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	struct item but = { "", "" };
	if (policy->abi.size <= offsetof(struct sl_policy, compat))
		return SL_OK; /* Built before there was such a thing. */
	for (const struct sl_compat *known = policy->compat; known && known->value; known++) {
		if (!has_value(choice, "compat", known->value))
			continue;
		if (!known->when || plugins_holds(choice, known->when, &but)) {
			choice->compat = known;
			return SL_OK;
		}
	}
	if (!*but.key)
		return SL_OK;
	return sl_fail(err, SL_USAGE,
		"%s: compat=%s means nothing under %s=%s: 'man schedlab-policies' has where it does", what,
		sl_value_of(choice->values, choice->value_count, "compat")->text, but.key,
		sl_value_of(choice->values, choice->value_count, but.key)->text);
}

/* The items of the replay without their "replay.", or the others. */
static int compat_part(
	const char **part, const char *settings, bool replay, struct sl_arena *arena, struct sl_err *err)
{
	static const char prefix[] = "replay.";
	const size_t skip = sizeof(prefix) - 1;
	const size_t capacity = strlen(settings) + 2;
	char *text = sl_alloc(arena, capacity, 1);
	if (!text)
		return sl_fail_memory(err);
	size_t len = 0;
	struct item item;
	while (item_next(&settings, &item))
		if (replay == (strncmp(item.key, prefix, skip) == 0))
			len += (size_t)snprintf(text + len, capacity - len, "%s%s=%s", len ? "," : "",
				item.key + (replay ? skip : 0), item.value);
	*part = text;
	return SL_OK;
}

/* From the weakest: the defaults, the preset, what compat implies, the settings, the user's own text. */
static int choice_fill(struct policy_choice *choice, const char *preset, const char *own,
	struct settings *settings, struct sl_arena *arena, struct sl_err *err)
{
	const struct sl_policy *policy = choice->policy;
	const size_t len = strcspn(choice->text, ":");
	char what[64];
	(void)snprintf(what, sizeof(what), "policy '%.*s'", (int)(len < 48 ? len : 48), choice->text);
	const struct param_list params = { policy->params, policy->param_count, what, choice->registry,
		arena };
	choice->value_count = policy->param_count;
	choice->values = sl_alloc(arena, policy->param_count, sizeof(*choice->values));
	if (!choice->values)
		return sl_fail_memory(err);
	const char *implied = NULL;
	for (;;) { /* Twice, if there turns out to be a compat. */
		int status = values_parse(choice->values, &params, preset, err);
		if (!status)
			status = values_give(choice->values, &params, implied, err);
		if (!status)
			status = settings_over(choice, settings, arena, err);
		if (!status)
			status = values_give(choice->values, &params, own, err);
		if (status || implied)
			return status;
		status = compat_find(choice, what, err);
		if (status || !choice->compat)
			return status;
		status = compat_part(&implied, choice->compat->settings, false, arena, err);
		if (!status)
			status = compat_part(&choice->implied, choice->compat->settings, true, arena, err);
		if (status)
			return status;
	}
}

/* Where a policy's name ends: at the colon before its parameters, or the text's end; NULL: a quote is not
 * closed. That of a script may begin with its language: "lua:mine.lua". */
static const char *name_end(const struct registry *registry, const char *text)
{
	const char *path;
	return unquoted(script_prefix(registry, text, &path) ? path : text, ':');
}

const char *policy_items(const struct registry *registry, const char *text)
{
	const char *colon = name_end(registry, text);
	return colon && *colon ? colon + 1 : NULL;
}

const char *policy_name(
	const struct registry *registry, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	const char *colon = name_end(registry, text);
	const char *name = colon ? unquote(arena, text, (size_t)(colon - text)) : NULL;
	if (!colon)
		(void)sl_fail(err, SL_USAGE, "policy '%s': a quote is not closed", text);
	else if (!name)
		(void)sl_fail_memory(err);
	return name;
}

/* Of a plug-in, its file's name alone. */
static const char *slug_text(const struct registry *registry, const char *text, const char *name)
{
	const char *slash = is_plugin_path(registry, name) ? strrchr(name, '/') : NULL;
	const char *file = slash ? strstr(text, slash + 1) : NULL;
	return file ? file : text;
}

/* Its values, and none of the files that they name. */
static int choose_values(const struct registry *registry, struct policy_choice *choice, const char *text,
	struct settings *settings, struct sl_arena *arena, struct sl_err *err)
{
	int status = SL_OK;
	const char *name = policy_name(registry, text, arena, err);
	if (!name)
		return err->status;
	const struct sl_preset *preset = sl_by_name(registry->known.presets, name);
	*choice = (struct policy_choice){ .policy = sl_by_name(
						  registry->known.policies, preset ? preset->policy : name),
		.registry = registry };
	if (!choice->policy && is_plugin_path(registry, name))
		status = policy_of_plugin(choice, registry, name, err);
	if (status)
		return status;
	if (!choice->policy) {
		char similar[128];
		const char *first = sl_strdup(arena, name, strcspn(name, ","));
		if (first && strlen(first) < strlen(name) &&
			(sl_by_name(registry->known.policies, first) ||
				sl_by_name(registry->known.presets, first)))
			return sl_fail(err, SL_USAGE,
				"unknown policy '%s': give several one by one: -p %s -p %s", name, first,
				name + strlen(first) + 1);
		return sl_fail(err, SL_USAGE, "unknown policy '%s': %s'schedlab list policies' shows all",
			name, did_you_mean(similar, nearest(name, policy_name_at, registry)));
	}
	const struct plugin *owner = registry_owner(registry, choice->policy);
	choice->script = owner ? owner->script : NULL;
	choice->text = sl_strdup(arena, text, strlen(text));
	choice->slug = slug_of(arena, slug_text(registry, text, name));
	if (!choice->text || !choice->slug)
		return sl_fail_memory(err);
	return choice_fill(
		choice, preset ? preset->settings : NULL, policy_items(registry, text), settings, arena, err);
}

int policy_choose(const struct registry *registry, struct policy_choice *choice, const char *text,
	struct settings *settings, struct sl_arena *arena, struct sl_err *err)
{
	const int status = choose_values(registry, choice, text, settings, arena, err);
	return status ? status : policy_files(choice, arena, err);
}

int policy_trusted(const struct registry *registry, const char *text, struct settings *settings,
	const struct sl_place *at, struct sl_err *err)
{
	struct sl_err none = { 0 };
	struct policy_choice choice;
	struct sl_arena *arena = settings->arena;
	const char *name = policy_name(registry, text, arena, &none);
	int status = SL_OK;
	if (name && is_plugin_path(registry, name) && !registry_plugin(registry, name))
		return trust_query(&registry->trust, plugin_is(registry, name), NULL, name, at, err);
	/* What is wrong with it otherwise is said by whoever chooses it. */
	if (!name || choose_values(registry, &choice, text, NULL, arena, &none) ||
		settings_over(&choice, settings, arena, &none))
		return SL_OK;
	for (size_t i = 0; i < choice.value_count && !status; i++)
		status = value_trusted(&choice, i, at, err);
	return status;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : !a && !b; }

static bool plugins_is_word(const struct sl_param *param)
{
	return param->kind == SL_PARAM_TEXT || param->kind == SL_PARAM_DOC;
}

static bool is_script(const struct sl_param *param, const struct sl_value *value)
{
	return value->text && script_choice(param, value->text) >= 0;
}

/* Numbers by what they are worth: "1h" is "3600". */
bool policy_same(const struct policy_choice *a, const struct policy_choice *b)
{
	if (a == b)
		return true;
	if (a->policy != b->policy || a->value_count != b->value_count)
		return false;
	for (size_t i = 0; i < a->value_count; i++) {
		const struct sl_value *x = &a->values[i];
		const struct sl_value *y = &b->values[i];
		const struct sl_param *param = &a->policy->params[i];
		const bool word = plugins_is_word(param) || is_script(param, x) || !x->text || !y->text;
		if (word ? !same_text(x->text, y->text) : x->number != y->number)
			return false;
	}
	return true;
}

/* ---- Readers --------------------------------------------------------------------------- */

int reader_surest(
	const struct registry *registry, const struct sl_reader **reader, const char *text, size_t len)
{
	int best = 0;
	for (const struct sl_reader *const *known = registry->known.readers; *known; known++) {
		const int sure = (*known)->sniff(text, len);
		if (sure > best) {
			best = sure;
			*reader = *known;
		}
	}
	return best;
}

int reader_choose(const struct registry *registry, const struct sl_reader **reader, struct sl_input *in,
	struct sl_err *err)
{
	const struct sl_place at = { sl_input_name(in), 0, 0 };
	const char *text;
	const char *end;
	const int more = sl_input_peek(in, &text, &end, err);
	if (more < 0)
		return more;
	if (more == 0)
		return sl_fail_at(err, &at, "is empty: give a trace with jobs");
	if (!reader_surest(registry, reader, text, (size_t)(end - text)))
		return sl_fail_at(
			err, &at, "not a trace of a known format: 'schedlab list readers' shows them");
	return SL_OK;
}

/* Lines of Slurm's own configuration, which looks like nothing else. */
static bool looks_like_slurm(const char *text, const char *end)
{
	static const char *const word[] = {
		"ClusterName=", "SlurmctldHost=", "NodeName=", "ControlMachine="
	};
	while (text < end) {
		for (size_t i = 0; i < SL_LEN(word); i++)
			if ((size_t)(end - text) > strlen(word[i]) &&
				strncasecmp(text, word[i], strlen(word[i])) == 0)
				return true;
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline ? newline + 1 : end;
	}
	return false;
}

static int fail_unknown_cluster(const char *path, const char *text, const char *end, struct sl_err *err)
{
	if (!text)
		return sl_fail(err, SL_INPUT,
			"%s: is a folder without a slurm.conf, and without manifests of Kubernetes (*.yaml, *.yml, *.json): "
			"give one that has them, or a cluster file",
			path);
	if (looks_like_slurm(text, end))
		return sl_fail(err, SL_INPUT,
			"%s: looks like a slurm.conf, but does not begin with a key of one: see schedlab-slurm(5)",
			path);
	return sl_fail(err, SL_INPUT,
		"%s: not a cluster file of a known kind: see schedlab-cluster(5), and 'schedlab list clusters'",
		path);
}

int cluster_reader_surest(const struct registry *registry, const struct sl_cluster_reader **reader,
	const char *path, const char *text, size_t len)
{
	int best = 0;
	for (const struct sl_cluster_reader *const *known = registry->known.cluster_readers; *known;
		known++) {
		const int sure = (*known)->sniff(path, text, len);
		if (sure > best) {
			best = sure;
			*reader = *known;
		}
	}
	return best;
}

int cluster_reader_choose(const struct registry *registry, const struct sl_cluster_reader **reader,
	const char *path, struct sl_input *in, struct sl_err *err)
{
	const char *text = NULL;
	const char *end = NULL;
	const int more = in ? sl_input_peek(in, &text, &end, err) : 0;
	if (more < 0)
		return more;
	if (in && !more)
		return sl_fail(err, SL_INPUT, "%s: is empty: give a cluster file", path);
	if (!cluster_reader_surest(registry, reader, path, text, text ? (size_t)(end - text) : 0))
		return fail_unknown_cluster(path, text, end, err);
	return SL_OK;
}
