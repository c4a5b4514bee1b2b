/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complete.c - schedlab __complete WORD...: what the last word of a line may become, for the shells' own
 * completion (cmd_completion.c).
 *
 * A line each: the whole word, a tab, what it is. A word that goes on ends in '=', ':', ',', '.' or '[': no
 * blank follows it. Where nothing is offered, the shell completes the names of files. A line that makes no
 * sense is no error: nothing fits it.
 */
#include "cli/program/complete.h"

#include <string.h>

#include "cli/run/outdir.h"
#include "cli/sweep/sweep.h"

struct asked {
	struct args *args;
	char **word; /* What follows the command, the last one unfinished. */
	size_t count;
	const char *typed;  /* What there is of a value ... */
	const char *before; /* ... and what stands in front of it in its word, "--set=". */
	size_t before_len;
};

/* What comes before what is offered, behind asked->before: "easy:order=". */
struct stem {
	const char *text;
	size_t len;
};

static const struct stem no_stem = { "", 0 };

static void offer_as(const struct asked *asked, struct stem stem, const char *name, size_t len,
	const char *end, const char *about)
{
	if (strncmp(asked->typed, stem.text, stem.len) != 0)
		return;
	const char *rest = asked->typed + stem.len;
	const size_t typed = strlen(rest);
	if (typed > len ? memcmp(rest, name, len) != 0 || strncmp(rest + len, end, typed - len) != 0
			: memcmp(rest, name, typed) != 0)
		return;
	printf("%.*s%.*s%.*s%s", (int)asked->before_len, asked->before, (int)stem.len, stem.text, (int)len,
		name, end);
	if (about && *about)
		printf("\t%.*s", (int)strcspn(about, "\n\t"), about);
	(void)putchar('\n');
}

static void offer(const struct asked *asked, const char *name, const char *about)
{
	offer_as(asked, no_stem, name, strlen(name), "", about);
}

/* "a|b|c" */
static void offer_choices(const struct asked *asked, struct stem stem, const char *choices)
{
	for (const char *at = choices; *at;) {
		const size_t len = strcspn(at, "|");
		offer_as(asked, stem, at, len, "", NULL);
		at += len + (at[len] != '\0');
	}
}

/* ---- Parameters ------------------------------------------------------------------------------------- */

struct params {
	const struct sl_param *param;
	size_t count;
};

/* All of an array of the registry. */
static void offer_array(const struct asked *asked, struct stem stem, const void *array)
{
	const struct vtable *at;
	for (size_t i = 0; (at = registry_at(array, i)); i++)
		offer_as(asked, stem, at->name, strlen(at->name), "", at->summary);
}

/* Values of one: of a choice, a flag, or what has names elsewhere. */
static void offer_values(const struct asked *asked, struct stem stem, const struct sl_param *param)
{
	const char *choices = param_choices(param, asked->args->registry, asked->args->registry->arena);
	if (param->kind == SL_PARAM_BOOL)
		offer_choices(asked, stem, "true|false");
	else if (choices && strchr(choices, '|'))
		offer_choices(asked, stem, choices);
	else if (strcmp(param->key, "gauges") == 0)
		offer_array(asked, stem, asked->args->registry->known.gauges);
}

static const struct sl_param *param_find(struct params of, const char *key, size_t len)
{
	for (size_t i = 0; i < of.count; i++)
		if (strlen(of.param[i].key) == len && memcmp(of.param[i].key, key, len) == 0)
			return &of.param[i];
	return NULL;
}

/* stem: what stands before the key. The keys, or, behind one and its '=', its values. */
static void offer_params(const struct asked *asked, struct stem stem, struct params of)
{
	const char *key = asked->typed + stem.len;
	const char *equals = strchr(key, '=');
	if (!equals) {
		for (size_t i = 0; i < of.count; i++)
			offer_as(
				asked, stem, of.param[i].key, strlen(of.param[i].key), "=", of.param[i].help);
		return;
	}
	const struct sl_param *param = param_find(of, key, (size_t)(equals - key));
	if (param)
		offer_values(
			asked, (struct stem){ asked->typed, (size_t)(equals + 1 - asked->typed) }, param);
}

/* The last of the parameters behind NAME: begins after the last comma that no quotation mark hides. */
static struct stem last_item(const char *typed, const char *colon)
{
	const char *begin = colon + 1;
	bool quoted = false;
	for (const char *at = begin; *at; at++) {
		quoted = quoted != (*at == '"');
		if (*at == ',' && !quoted)
			begin = at + 1;
	}
	return (struct stem){ typed, (size_t)(begin - typed) };
}

/* ---- Policies, models, settings ---------------------------------------------------------------- */

static struct params policy_params(const struct registry *registry, const char *name, size_t len)
{
	const struct sl_preset *preset = sl_by_name_n(registry->known.presets, name, len);
	if (preset)
		return policy_params(registry, preset->policy, strlen(preset->policy));
	const struct sl_policy *policy = sl_by_name_n(registry->known.policies, name, len);
	return policy ? (struct params){ policy->params, policy->param_count } : (struct params){ NULL, 0 };
}

static void offer_policies(const struct asked *asked)
{
	const struct registry *registry = asked->args->registry;
	const char *colon = strchr(asked->typed, ':');
	if (colon) {
		offer_params(asked, last_item(asked->typed, colon),
			policy_params(registry, asked->typed, (size_t)(colon - asked->typed)));
		return;
	}
	offer_array(asked, no_stem, registry->known.presets);
	offer_array(asked, no_stem, registry->known.policies);
}

static void offer_models(const struct asked *asked)
{
	const struct sl_model *const *known = asked->args->registry->known.models;
	const char *colon = strchr(asked->typed, ':');
	const struct sl_model *model =
		colon ? sl_by_name_n(known, asked->typed, (size_t)(colon - asked->typed)) : NULL;
	if (!colon)
		offer_array(asked, no_stem, known);
	else if (model)
		offer_params(asked, last_item(asked->typed, colon),
			(struct params){ model->params, model->param_count });
}

/* The value of -p that stands on the line; the default where none does. */
static const char *policy_on_line(const struct asked *asked)
{
	const char *policy = "easy";
	for (size_t i = 0; i + 1 < asked->count; i++) {
		const char *word = asked->word[i];
		if ((strcmp(word, "-p") == 0 || strcmp(word, "--policy") == 0) && i + 2 < asked->count)
			policy = asked->word[i + 1];
		else if (strncmp(word, "--policy=", strlen("--policy=")) == 0)
			policy = word + strlen("--policy=");
	}
	return policy;
}

/* Of nodes and partitions of the cluster, whose names are not known here: up to the bracket; behind it the
 * keys, "cluster.nodes[gpu].count=". */
static void offer_cluster(const struct asked *asked)
{
	const char *bracket = strchr(asked->typed, '[');
	const char *behind = bracket ? strchr(bracket, ']') : NULL;
	for (size_t i = 0; i < cluster_param_count; i++) {
		const struct sl_param *param = &cluster_params[i];
		const char *open = strchr(param->key, '[');
		const char *dot = strrchr(param->key, '.');
		const bool named = open || strcmp(dot, ".KEY") == 0;
		const size_t head = (size_t)((open ? open + 1 : named ? dot + 1 : dot) - param->key);
		if (!named)
			offer_as(asked, no_stem, param->key, strlen(param->key), "=", param->help);
		else if (!open || !bracket) {
			/* Once for all keys of the same entries. */
			if (!i || strncmp(cluster_params[i - 1].key, param->key, head) != 0)
				offer_as(asked, no_stem, param->key, head, "", param->help);
		} else if (behind && strncmp(asked->typed, param->key, head) == 0 && strcmp(dot, ".KEY") != 0)
			offer_as(asked, (struct stem){ asked->typed, (size_t)(behind + 1 - asked->typed) },
				dot, strlen(dot), "=", param->help);
	}
}

static void offer_settings(const struct asked *asked)
{
	static const char policy[] = "policy.";
	static const char replay[] = "replay.";
	const char *name = policy_on_line(asked);
	const struct params of = policy_params(asked->args->registry, name, strcspn(name, ":"));
	offer_cluster(asked);
	if (strncmp(asked->typed, policy, strlen(policy)) == 0)
		offer_params(asked, (struct stem){ policy, strlen(policy) }, of);
	else if (strncmp(asked->typed, replay, strlen(replay)) == 0)
		offer_params(asked, (struct stem){ replay, strlen(replay) },
			(struct params){ replay_params, replay_param_count });
	if (strchr(asked->typed, '.'))
		return;
	offer(asked, policy, "parameters of the policy");
	offer(asked, replay, "how the trace is replayed");
	if (*asked->typed)
		offer_params(asked, no_stem, of);
}

static void offer_metrics(const struct asked *asked)
{
	for (const struct summary_metric *at = summary_metrics; at->name; at++)
		offer(asked, at->name, at->heading);
}

/* ---- Values of options ------------------------------------------------------------------------------ */

static void offer_commands(const struct asked *asked, bool with_help)
{
	for (size_t i = 0; command_nth(i); i++)
		offer(asked, command_nth(i)->name, command_nth(i)->summary);
	if (with_help)
		offer(asked, "help", "show all commands, or the options of one");
}

static void offer_kinds(const struct asked *asked)
{
	for (size_t i = 0; list_kind_at(i); i++)
		offer(asked, list_kind_at(i), list_kind_about(i));
}

/* Names between commas. */
static void offer_only(const struct asked *asked)
{
	const char *comma = strrchr(asked->typed, ',');
	const struct stem stem = { asked->typed, comma ? (size_t)(comma + 1 - asked->typed) : 0 };
	for (size_t i = 0; only_at(i); i++)
		offer_as(asked, stem, only_at(i), strlen(only_at(i)), "", NULL);
	const struct registry *registry = asked->args->registry;
	for (const struct sl_report *const *at = registry->known.reports; *at; at++)
		if (registry_owner(registry, *at))
			offer_as(asked, stem, report_asked(*at), strcspn(report_asked(*at), "."), "",
				(*at)->summary);
}

static void offer_engines(const struct asked *asked)
{
	for (size_t i = 0; sweep_engine_at(i); i++)
		offer(asked, sweep_engine_at(i), NULL);
}

static void offer_formats(const struct asked *asked)
{
	offer_array(asked, no_stem, asked->args->registry->known.writers);
}

static void offer_generators(const struct asked *asked)
{
	offer_array(asked, no_stem, asked->args->registry->known.generators);
	offer(asked, "fit", "a model's parameters from a trace");
	offer(asked, "resample", "another trace drawn from one");
}

/* What a value is called in help says what it may be: "POLICY", "true|false". */
static void offer_value(const struct asked *asked, const struct option_def *def)
{
	static const struct {
		const char *value;
		void (*offer)(const struct asked *asked);
	} known[] = {
		{ "POLICY", offer_policies },
		{ "MODEL", offer_models },
		{ "KEY=VALUE", offer_settings },
		{ "KEY=RANGE", offer_settings },
		{ "LIST", offer_only },
		{ "ENGINE", offer_engines },
		{ "FORMAT", offer_formats },
		{ "METRIC", offer_metrics },
		{ "SELECTOR", offer_metrics },
		{ "BOUND", offer_metrics },
	};
	const char *value = def->value + (*def->value == '[');
	for (size_t i = 0; i < SL_LEN(known); i++)
		if (strcmp(known[i].value, value) == 0) {
			known[i].offer(asked);
			return;
		}
	if (strcmp(def->name, "format") == 0)
		offer_array(asked, no_stem, asked->args->registry->known.documents);
	else if (strcmp(value, "LEVEL") == 0)
		offer_choices(asked, no_stem, "error|warning|info|debug|trace");
	else if (strchr(value, '|') && !strpbrk(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ=["))
		offer_choices(asked, no_stem, value);
}

/* ---- Where on the line ------------------------------------------------------------------------------- */

static void offer_options(const struct asked *asked)
{
	const struct option_def *def;
	for (size_t i = 0; (def = option_at(asked->args, i)); i++) {
		char text[80];
		(void)snprintf(text, sizeof(text), "--%s", def->name);
		if (def->help)
			offer(asked, text, def->help);
	}
}

/* place: how many operands stand before it. */
static void offer_operand(const struct asked *asked, size_t place)
{
	static const struct {
		const struct command *command;
		void (*offer)(const struct asked *asked);
		const char *choices;
	} first[] = {
		{ &cmd_policy_test, offer_policies, NULL },
		{ &cmd_generate, offer_generators, NULL },
		{ &cmd_list, offer_kinds, NULL },
		{ &cmd_sweep, NULL, "run|plan|status|report" },
		{ &cmd_view, NULL, "squeue|sinfo|sacct|scontrol|sprio|sshare" },
		{ &cmd_completion, NULL, "bash|zsh|fish" },
	};
	for (size_t i = 0; i < SL_LEN(first) && !place; i++)
		if (first[i].command == asked->args->command) {
			if (first[i].choices)
				offer_choices(asked, no_stem, first[i].choices);
			else
				first[i].offer(asked);
		}
}

/* The option whose value the next word is, if this one needs it. */
static const struct option_def *awaits(const struct args *args, const char *word)
{
	const struct option_def *def = NULL;
	if (strncmp(word, "--", 2) == 0)
		def = strchr(word, '=') ? NULL : option_long(args, word + 2, strlen(word + 2));
	else
		for (const char *letter = word + 1; *letter && !def; letter++) {
			def = option_letter(args, *letter);
			if (def && def->value && letter[1])
				return NULL; /* "-peasy" has it. */
			if (def && !def->value)
				def = NULL;
		}
	/* One that may be left out, "[RANGE]", does not wait. */
	return def && def->value && *def->value != '[' ? def : NULL;
}

/* A plug-in brings names of its own; one that cannot be loaded brings none. */
static void plugins_of_line(const struct asked *asked)
{
	static const char equals[] = "--plugin=";
	for (size_t i = 0; i + 1 < asked->count; i++) {
		const char *path = NULL;
		struct sl_err err = { 0 };
		if (strcmp(asked->word[i], "--plugin") == 0 && i + 2 < asked->count)
			path = asked->word[i + 1];
		else if (strncmp(asked->word[i], equals, strlen(equals)) == 0)
			path = asked->word[i] + strlen(equals);
		if (path)
			(void)registry_add(asked->args->registry, path, &err);
	}
}

static void complete_line(struct asked *asked)
{
	struct args *args = asked->args;
	const char *last = asked->word[asked->count - 1];
	const struct option_def *waiting = NULL;
	size_t operands = 0;
	bool options = true;
	plugins_of_line(asked);
	args_more(args, asked->word, asked->count - 1);
	for (size_t i = 0; i + 1 < asked->count; i++) {
		const char *word = asked->word[i];
		if (waiting)
			waiting = NULL;
		else if (options && strcmp(word, "--") == 0)
			options = false;
		else if (options && word[0] == '-' && word[1])
			waiting = awaits(args, word);
		else
			operands++;
	}
	const char *equals = options && strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;
	asked->typed = last;
	if (!waiting && equals) {
		waiting = option_long(args, last + 2, (size_t)(equals - last - 2));
		asked->typed = equals + 1;
		asked->before = last;
		asked->before_len = (size_t)(equals + 1 - last);
	}
	if (waiting && waiting->value)
		offer_value(asked, waiting);
	else if (!equals && options && last[0] == '-')
		offer_options(asked);
	else if (!equals)
		offer_operand(asked, operands);
}

int complete(char **argv, size_t argc, struct args *args)
{
	static char empty[] = "";
	static char *none[] = { empty };
	struct asked asked = { .args = args, .word = argv, .count = argc, .before = "" };
	if (!argc) {
		asked.word = none;
		asked.count = 1;
	}
	asked.typed = asked.word[asked.count - 1];
	if (asked.count == 1) {
		offer_commands(&asked, true);
		return SL_OK;
	}
	if (strcmp(asked.word[0], "help") == 0) {
		if (asked.count == 2)
			offer_commands(&asked, false);
		return SL_OK;
	}
	for (size_t i = 0; command_nth(i) && !args->command; i++)
		if (strcmp(command_nth(i)->name, asked.word[0]) == 0)
			args->command = command_nth(i);
	asked.word++;
	asked.count--;
	if (args->command)
		complete_line(&asked);
	return SL_OK;
}
