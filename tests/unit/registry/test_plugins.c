/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_plugins.c - names to vtables, texts to checked values, and which setting overrides which.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/registry/plugins.h"
#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"

static const struct sl_param params[] = {
	{ "depth", SL_PARAM_INT, "10", "1..100", "an integer", 1, 100 },
	{ "weight", SL_PARAM_REAL, "0.5", NULL, "a number", 0, 0 },
	{ "window", SL_PARAM_TIME, "1h", NULL, "a duration", 0, 0 },
	{ "strict", SL_PARAM_BOOL, "false", NULL, "a switch", 0, 0 },
	{ "mode", SL_PARAM_CHOICE, "slow", "slow|fast|fastest", "a choice", 0, 0 },
	{ "name", SL_PARAM_TEXT, NULL, NULL, "a text", 0, 0 },
};

struct parsed {
	struct sl_value value[SL_LEN(params)];
	struct sl_arena *arena;
	struct sl_err err;
	int status;
};

static struct parsed parse(const char *text)
{
	struct parsed parsed = { .arena = sl_arena_new() };
	parsed.status = values_parse(parsed.value,
		&(struct param_list){ params, SL_LEN(params), "it", NULL, parsed.arena }, text, &parsed.err);
	return parsed;
}

/* Without a text each value is its default, as a number of its kind; what has none is absent. */
Test(plugins, defaults)
{
	struct parsed p = parse(NULL);
	cr_assert_eq(p.status, SL_OK, "%s", p.err.text);
	cr_expect_eq(p.value[0].number, 10);
	cr_expect_eq(p.value[1].number, 500000);
	cr_expect_eq(p.value[2].number, 3600 * SL_SECOND);
	cr_expect_eq(p.value[3].number, 0);
	cr_expect_eq(p.value[4].number, 0);
	cr_expect_null(p.value[5].text);
	sl_arena_free(p.arena);
}

/* Every kind, given; a switch may stand alone; the last of two wins. */
Test(plugins, kinds)
{
	struct parsed p =
		parse("depth=100,weight=-2.25,window=1-00:00:01,strict,mode=fastest,name=x,depth=99");
	cr_assert_eq(p.status, SL_OK, "%s", p.err.text);
	cr_expect_eq(p.value[0].number, 99);
	cr_expect_eq(p.value[1].number, -2250000);
	cr_expect_eq(p.value[2].number, 86401 * SL_SECOND);
	cr_expect_eq(p.value[3].number, 1);
	cr_expect_eq(p.value[4].number, 2);
	cr_expect_str_eq(p.value[5].text, "x");
	sl_arena_free(p.arena);
}

/* Inside quotes ',' is plain; the quotes themselves go. */
Test(plugins, quotes)
{
	struct parsed p = parse("name=a:\"b, c=d\"e,depth=3");
	cr_assert_eq(p.status, SL_OK, "%s", p.err.text);
	cr_expect_str_eq(p.value[5].text, "a:b, c=de");
	cr_expect_eq(p.value[0].number, 3);
	sl_arena_free(p.arena);
}

/* What is wrong is named, with what would be right. */
Test(plugins, refused)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{ "depht=3", "unknown parameter 'depht': did you mean 'depth'?" },
		{ "depth=0", "'depth' must be within 1..100, not '0'" },
		{ "depth=101", "must be within" },
		{ "depth=1.5", "must be a whole number" },
		{ "weight=heavy", "must be a number, not 'heavy'" },
		{ "window=soon", "must be a duration" },
		{ "strict=maybe", "must be true or false" },
		{ "mode=fas", "must be one of slow|fast|fastest, not 'fas'" },
		{ "mode=", "must be one of" },
		{ "name", "'name' needs a value" },
		{ "name=\"open", "a quote is not closed" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct parsed p = parse(cases[i].text);
		cr_expect_eq(p.status, SL_USAGE, "%s: status %d", cases[i].text, p.status);
		cr_expect_not_null(strstr(p.err.text, cases[i].part), "%s: %s", cases[i].text, p.err.text);
		sl_arena_free(p.arena);
	}
}

static const char *word_at(const void *list, size_t i) { return ((const char *const *)list)[i]; }

/* The nearest name: one slip is found, a beginning too, what is far from all is not. */
Test(plugins, nearest_name)
{
	static const char *const words[] = { "conservative", "easy", "fcfs", "fifo", "f1", NULL };
	static const struct {
		const char *name, *want;
	} cases[] = {
		{ "eays", "easy" }, /* Neighbours swapped. */
		{ "esy", "easy" },
		{ "eassy", "easy" },
		{ "cons", "conservative" },
		{ "consrevatve", "conservative" },
		{ "fcsf", "fcfs" },
		{ "f2", "f1" },
		{ "zebra", NULL },
		{ "", NULL },
		{ "a name far longer than any that could be meant by it", NULL },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const char *got = nearest(cases[i].name, word_at, words);
		cr_expect(got == cases[i].want || (got && cases[i].want && strcmp(got, cases[i].want) == 0),
			"%s: %s", cases[i].name, got ? got : "(none)");
	}
}

static const struct sl_value *chosen(const struct policy_choice *choice, const char *key)
{
	return sl_value_of(choice->values, choice->value_count, key);
}

/* Every preset leads to a policy and sets what it says; every policy's defaults are within its own bounds. */
Test(plugins, registries_hold)
{
	for (const struct sl_preset *const *preset = builtin_registry()->known.presets; *preset; preset++) {
		struct sl_arena *arena = sl_arena_new();
		struct policy_choice choice;
		struct sl_err err = { 0 };
		cr_expect_eq(policy_choose(builtin_registry(), &choice, (*preset)->name, NULL, arena, &err),
			SL_OK, "%s: %s", (*preset)->name, err.text);
		sl_arena_free(arena);
	}
	for (const struct sl_policy *const *policy = builtin_registry()->known.policies; *policy; policy++) {
		struct sl_arena *arena = sl_arena_new();
		struct policy_choice choice;
		struct sl_err err = { 0 };
		cr_expect_eq(policy_choose(builtin_registry(), &choice, (*policy)->name, NULL, arena, &err),
			SL_OK, "%s: %s", (*policy)->name, err.text);
		sl_arena_free(arena);
	}
}

/* Weakest first: the default, the preset, --set, the user's own text; a key in full or bare. */
Test(plugins, precedence)
{
	static const struct {
		const char *policy, *set, *plan;
	} cases[] = {
		{ "composed", NULL, "easy" },
		{ "fcfs", NULL, "fcfs" },
		{ "fcfs", "policy.plan=greedy", "greedy" },
		{ "fcfs", "plan=greedy", "greedy" },
		{ "fcfs:plan=easy", "policy.plan=greedy", "easy" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_arena *arena = sl_arena_new();
		struct settings settings = { .arena = arena };
		struct policy_choice choice;
		struct sl_err err = { 0 };
		if (cases[i].set)
			cr_assert_eq(settings_add(&settings, cases[i].set, &err), SL_OK);
		cr_assert_eq(
			policy_choose(builtin_registry(), &choice, cases[i].policy, &settings, arena, &err),
			SL_OK, "%s", err.text);
		cr_expect_str_eq(chosen(&choice, "plan")->text, cases[i].plan, "case %zu", i);
		cr_expect_eq(settings_check_used(&settings, &choice, 1, &err), SL_OK, "%s", err.text);
		sl_arena_free(arena);
	}
}

/* A setting that nobody took is an error that names the nearest key, in the form that the user chose. */
Test(plugins, settings_that_nobody_takes)
{
	static const struct {
		const char *set, *part;
	} cases[] = {
		{ "policy.plna=easy", "did you mean 'policy.plan'?" },
		{ "plna=easy", "did you mean 'plan'?" },
		{ "replay.laod=2", "did you mean 'replay.load'?" },
		{ "cluster.cpu=2", "did you mean 'cluster.cpus'?" },
		{ "qwertyuiop=2", "unknown setting 'qwertyuiop': 'schedlab" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_arena *arena = sl_arena_new();
		struct settings settings = { .arena = arena };
		struct policy_choice choice;
		struct sl_err err = { 0 };
		cr_assert_eq(settings_add(&settings, cases[i].set, &err), SL_OK);
		cr_assert_eq(policy_choose(builtin_registry(), &choice, "easy", &settings, arena, &err),
			SL_OK, "%s", err.text);
		cr_expect_eq(settings_check_used(&settings, &choice, 1, &err), SL_USAGE);
		cr_expect_not_null(strstr(err.text, cases[i].part), "%s: %s", cases[i].set, err.text);
		sl_arena_free(arena);
	}
}

/* More settings than the list's first capacity keep their order. */
Test(plugins, settings_grow)
{
	struct sl_arena *arena = sl_arena_new();
	struct settings settings = { .arena = arena };
	struct sl_err err = { 0 };
	for (int i = 0; i < 40; i++) {
		char text[32];
		(void)snprintf(text, sizeof(text), "key%d=%d", i, i);
		cr_assert_eq(settings_add(&settings, text, &err), SL_OK);
	}
	cr_expect_eq(settings.count, 40);
	cr_expect_str_eq(settings.item[39].key, "key39");
	cr_expect_str_eq(settings.item[0].value, "0");
	cr_expect_eq(settings_add(&settings, "no value", &err), SL_USAGE);
	cr_expect_eq(settings_add(&settings, "=3", &err), SL_USAGE);
	sl_arena_free(arena);
}

/* A slug is safe as a part of a file name, and short. */
Test(plugins, slugs)
{
	static const struct {
		const char *text, *slug;
	} cases[] = {
		{ "easy", "easy" },
		{ "easy:fill=shortest", "easy-fill-shortest" },
		{ "easy:order=expr:\"../Size / 2\"", "easy-order-expr-..-size-2" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_arena *arena = sl_arena_new();
		struct policy_choice choice;
		struct sl_err err = { 0 };
		cr_assert_eq(policy_choose(builtin_registry(), &choice, cases[i].text, NULL, arena, &err),
			SL_OK, "%s", err.text);
		cr_expect_str_eq(choice.slug, cases[i].slug);
		cr_expect_str_eq(choice.text, cases[i].text);
		sl_arena_free(arena);
	}
}

/* ---- All that is known by name ---------------------------------------------------------------------- */

/* Each kind is there, in one array; what is built in is nobody's; names are found, and others are not. */
Test(plugins, the_registry_has_every_kind)
{
	const struct registry *registry = builtin_registry();
	const struct sl_plugin *known = &registry->known;
	const void *const kinds[] = { known->policies, known->readers, known->generators, known->metrics,
		known->cluster_readers, known->models, known->presets, known->scorers, known->allocators,
		known->gauges, known->binders, known->scriptings, known->writers, known->reports,
		known->documents, known->node_models, known->mig_models };
	cr_expect_eq(SL_LEN(kinds), (sizeof(*known) - offsetof(struct sl_plugin, policies)) / sizeof(void *));
	for (size_t kind = 0; kind < SL_LEN(kinds); kind++) {
		const struct vtable *at;
		size_t count = 0;
		for (; (at = registry_at(kinds[kind], count)); count++) {
			cr_expect_eq(sl_by_name(kinds[kind], at->name), (const void *)at, "%s", at->name);
			cr_expect_null(registry_owner(registry, at), "%s", at->name);
			cr_expect(at->summary && *at->summary, "%s", at->name);
		}
		cr_expect_gt(count, 0, "kind %zu", kind);
		cr_expect_null(sl_by_name(kinds[kind], "no such name"));
	}
	cr_expect_str_eq(((const struct sl_policy *)sl_by_name(known->policies, "kueue"))->name, "kueue");
	cr_expect_null(sl_by_name(NULL, "kueue"), "no array has nothing");
}

/* A plug-in's node scorer is a choice of parameters whose values are node scorers, behind those that are
 * declared; of others it is none. Without a registry there is nothing but what is declared. */
Test(plugins, choices_with_what_plugins_bring)
{
	static const struct sl_node_scorer scorer = { .abi = SL_ABI_OF(struct sl_node_scorer),
		.name = "mine" };
	static const struct sl_node_scorer *const its[] = { &scorer, NULL };
	static const struct sl_param place = { "place", SL_PARAM_PLACE, "a", "a|lua:FILE", "x", 0, 0 };
	static const struct sl_param other = { "other", SL_PARAM_CHOICE, "a", "a|b", "x", 0, 0 };
	struct plugin plugin = { .path = "mine.so", .is = { .scorers = its } };
	struct registry registry = *builtin_registry();
	struct sl_arena *arena = sl_arena_new();
	struct sl_value value;
	struct sl_err err = { 0 };
	registry.plugin = &plugin;
	registry.plugin_count = 1;
	registry.known.scorers = its;
	cr_expect_str_eq(param_choices(&place, &registry, arena), "a|lua:FILE|mine");
	cr_expect_str_eq(param_choices(&place, NULL, arena), "a|lua:FILE");
	cr_expect_str_eq(param_choices(&other, &registry, arena), "a|b");
	const struct param_list list = { &place, 1, "it", &registry, arena };
	cr_assert_eq(value_set(&value, &list, 0, "mine", &err), SL_OK, "%s", err.text);
	cr_expect_eq(value.number, 2);
	cr_assert_eq(value_set(&value, &list, 0, "lua:x.lua", &err), SL_OK, "%s", err.text);
	cr_expect_eq(value.number, 1);
	cr_expect_eq(value_set(&value, &list, 0, "nobody's", &err), SL_USAGE);
	cr_expect_str_eq(err.text, "it: 'place' must be one of a|lua:FILE|mine, not 'nobody's'");
	sl_arena_free(arena);
}

/* Two that are built in by the same name would hide each other: the registry is not made. A policy and a
 * preset share their names, and so do a node scorer and an allocator. */
Test(plugins, a_name_is_built_in_once)
{
	static const struct sl_policy policy = { .abi = SL_ABI_OF(struct sl_policy), .name = "one" };
	static const struct sl_preset preset = {
		.abi = SL_ABI_OF(struct sl_preset), .name = "one", .policy = "one"
	};
	static const struct sl_policy *const policies[] = { &policy, NULL };
	static const struct sl_preset *const presets[] = { &preset, NULL };
	static const struct sl_plugin a = { .name = "a", .policies = policies };
	static const struct sl_plugin b = { .name = "b", .presets = presets };
	const struct sl_plugin *const builtin[] = { &a, &b };
	struct registry registry;
	struct sl_err err = { 0 };
	cr_expect_eq(registry_init(&registry, builtin, 2, &err), SL_USAGE);
	cr_expect_str_eq(
		err.text, "plug-in 'b': a preset called 'one' is known already: give it another name");
}
