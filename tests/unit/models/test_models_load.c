/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_models_load.c - which models are on, where their parameters come from, and what jobs do by rules.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/scenario/scenario.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/memfile.h"

static const struct sl_param params[] = {
	{ "a", SL_PARAM_INT, "1", "0..100", "a number", 0, 100 },
	{ "b", SL_PARAM_TEXT, NULL, NULL, "a text", 0, 0 },
	{ "s", SL_PARAM_CSV, NULL, NULL, "a file", 0, 0 },
};
static const struct sl_model first = { .name = "first", .summary = "x" };
static const struct sl_model random_scenario = {
	.name = "toy", .summary = "x", .params = params, .param_count = SL_LEN(params)
};
static const struct sl_model nodes = { .name = "nodes", .summary = "x", .on_nodes = true };
static const struct sl_model *const models[] = { &first, &random_scenario, &nodes };

static const char trace[] = "submit,run_time,cpus,user,partition,comp,model\n"
			    "0,100,4,ann,gpu,0.5,vgg\n10,50,2,bob,cpu,,\n20,30,8,bob,gpu,0.5,vgg\n";

struct load {
	struct scenario scenario;
	struct registry registry;
	const struct sl_model *models[32]; /* Ours, then those that are built in. */
	struct settings settings;
	struct scenario_options options;
	struct sl_err err;
	char trace[32], cluster[32];
};

static void file_of(char path[32], const char *text) { (void)memfile(path, text, strlen(text)); }

static void begin(struct load *l, const char *cluster)
{
	memset(l, 0, sizeof(*l));
	cr_assert_eq(registry_make(&l->registry, &l->err), SL_OK);
	for (size_t i = 0; i < SL_LEN(l->models) - 1; i++)
		if (i < SL_LEN(models))
			l->models[i] = models[i];
		else if (!(l->models[i] = l->registry.known.models[i - SL_LEN(models)]))
			break;
	l->registry.known.models = l->models;
	l->settings.arena = sl_arena_new();
	file_of(l->trace, trace);
	if (cluster)
		file_of(l->cluster, cluster);
	else
		cr_assert_eq(settings_add(&l->settings, "cluster.cpus=16", &l->err), SL_OK);
	l->options = (struct scenario_options){ .trace = l->trace,
		.cluster = cluster ? l->cluster : NULL,
		.settings = &l->settings,
		.registry = &l->registry };
}

static void set(struct load *l, const char *text)
{
	const bool setting = strncmp(text, "--model ", 8) != 0;
	cr_assert_eq(setting ? settings_add(&l->settings, text, &l->err)
			     : settings_add_model(&l->settings, text + 8, &l->err),
		SL_OK);
}

static int load(struct load *l) { return scenario_load(&l->scenario, &l->options, &l->err); }

static void end(struct load *l)
{
	if (l->scenario.arena)
		scenario_release(&l->scenario);
	sl_arena_free(l->settings.arena);
	registry_release(&l->registry);
}

static const char cluster_text[] = "nodes: [{name: n, count: 4, cpus: 8}]\n"
				   "models:\n  toy: {a: 20, b: file, other: 3}\n";

/* From the weakest: default, cluster file, --set, --model. */
Test(models_load, which_value_wins)
{
	static const struct {
		const char *cluster, *given[3];
		int64_t a;
		const char *b;
	} cases[] = {
		{ NULL, { "--model toy" }, 1, NULL },
		{ NULL, { "replay.models=toy", "toy.a=3" }, 3, NULL },
		{ NULL, { "toy.a=3", "--model toy:a=4,b=\"x,y\"" }, 4, "x,y" },
		{ NULL, { "--model toy:a=4", "toy.a=3" }, 4, NULL },
		{ NULL, { "--model toy:a=4", "--model toy:b=z" }, 4, "z" },
		{ cluster_text, { "--model toy" }, 20, "file" },
		{ cluster_text, { "--model toy", "toy.a=3" }, 3, "file" },
		{ cluster_text, { "--model toy:a=4", "toy.b=set" }, 4, "set" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct load l;
		begin(&l, cases[i].cluster);
		for (size_t k = 0; k < 3 && cases[i].given[k]; k++)
			set(&l, cases[i].given[k]);
		cr_assert_eq(load(&l), SL_OK, "case %zu: %s", i, l.err.text);
		cr_assert_eq(l.scenario.model_count, 1, "case %zu", i);
		const struct model_choice *choice = l.scenario.model;
		cr_expect_eq(choice->model, &random_scenario);
		cr_expect_eq(choice->values[0].number, cases[i].a, "case %zu", i);
		if (cases[i].b)
			cr_expect_str_eq(choice->values[1].text, cases[i].b, "case %zu", i);
		else
			cr_expect_null(choice->values[1].text, "case %zu", i);
		end(&l);
	}
}

Test(models_load, in_the_order_of_the_registry)
{
	struct load l;
	begin(&l, NULL);
	set(&l, "replay.models=toy,first,toy");
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	cr_assert_eq(l.scenario.model_count, 2);
	cr_expect_eq(l.scenario.model[0].model, &first);
	cr_expect_eq(l.scenario.model[1].model, &random_scenario);
	end(&l);
	begin(&l, NULL);
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	cr_expect_eq(l.scenario.model_count, 0, "none is on unless it is named");
	end(&l);
}

Test(models_load, mistakes)
{
	static const struct {
		const char *cluster, *given;
		int status;
		const char *says;
	} cases[] = {
		{ NULL, "--model tyo", SL_USAGE, "unknown model 'tyo': did you mean 'toy'?" },
		{ NULL, "replay.models=first,tyo", SL_USAGE, "unknown model 'tyo'" },
		{ NULL, "toy.a=2", SL_USAGE, "setting 'toy.a' is of the model 'toy', which is off" },
		{ NULL, "--model toy:aa=2", SL_USAGE, "toy: unknown parameter 'aa': did you mean 'a'?" },
		{ NULL, "--model toy:a=101", SL_USAGE, "toy: 'a' must be within 0..100, not '101'" },
		{ NULL, "--model toy:a", SL_USAGE, "toy: parameter 'a' needs a value" },
		{ NULL, "--model nodes", SL_USAGE, "model 'nodes' needs nodes" },
		{ NULL, "--model toy:s=/no/such/file", SL_INPUT, "cannot open '/no/such/file'" },
		{ "nodes: [{name: n, cpus: 8}]\nmodels:\n  toy:\n    a: many\n", "--model toy", SL_INPUT,
			":4:8: toy: 'a' must be a whole number" },
		{ "nodes: [{name: n, cpus: 8}]\nmodels: {toy: [{x: 1}]}\n", "--model toy", SL_INPUT,
			"has no 'name': name it" },
		{ "nodes: [{name: n, cpus: 8}]\nfabric: 3\n", "--model toy", SL_INPUT,
			":2:9: a model's section is a map" },
		{ "nodes: [{name: n, cpus: 8}]\nfabirc: {a: 3}\n", "--model toy", SL_INPUT,
			"unknown key 'fabirc': did you mean 'fabric'?" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct load l;
		begin(&l, cases[i].cluster);
		set(&l, cases[i].given);
		cr_expect_eq(load(&l), cases[i].status, "case %zu", i);
		cr_expect(strstr(l.err.text, cases[i].says), "case %zu: '%s' lacks '%s'", i, l.err.text,
			cases[i].says);
		end(&l);
	}
}

/* What a cluster file says for models, as settings. */
Test(models_load, sections)
{
	static const char text[] = "nodes: [{name: n, count: 4, cpus: 8, nic: hdr, power_idle: 300}]\n"
				   "fabric: {topology: tree, uplink: {rate: 200}, levels: [leaf, spine]}\n"
				   "storage: {list: [{name: scratch, rate: 10GB}, {name: home, rate: 1GB}]}\n"
				   "power: [{name: n, idle: 4}]\n";
	static const char *const want[][4] = { { "node", "n", "nic", "hdr" },
		{ "node", "n", "power_idle", "300" }, { "fabric", "", "topology", "tree" },
		{ "fabric", "", "uplink.rate", "200" }, { "fabric", "", "levels", "leaf,spine" },
		{ "storage", "scratch", "rate", "10GB" }, { "storage", "home", "rate", "1GB" },
		{ "power", "n", "idle", "4" } };
	struct load l;
	begin(&l, text);
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	cr_expect_eq(l.scenario.cluster.setting_count, SL_LEN(want));
	for (size_t i = 0; i < SL_LEN(want); i++) {
		const char *value = sl_setting_of(&l.scenario.cluster, want[i][0], want[i][1], want[i][2]);
		cr_assert_not_null(value, "%s[%s].%s", want[i][0], want[i][1], want[i][2]);
		cr_expect_str_eq(value, want[i][3]);
	}
	end(&l);
}

Test(models_load, sheets_are_inputs)
{
	struct load l;
	char csv[32];
	char given[80];
	begin(&l, NULL);
	file_of(csv, "x,y\n1,2\n");
	(void)snprintf(given, sizeof(given), "--model toy:s=%s", csv);
	set(&l, given);
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	const struct model_choice *choice = l.scenario.model;
	const struct sl_model_setup setup = {
		.values = choice->values, .value_count = choice->value_count, .csv = choice->csv
	};
	cr_assert_not_null(sl_csv_table_of(&setup, "s"));
	cr_expect_str_eq(sl_csv_table_of(&setup, "s")->cell[1], "2");
	cr_expect_null(sl_csv_table_of(&setup, "a"));
	cr_assert_eq(l.scenario.side_count, 1);
	cr_expect_str_eq(l.scenario.side[0].path, csv);
	cr_expect_eq(strlen(l.scenario.side[0].sha256), 64);
	end(&l);
}

/* ---- What jobs do ------------------------------------------------------------------------------- */

static bool says(const struct load *l, uint32_t row)
{
	const struct sl_jobs *jobs = &l->scenario.jobs;
	return jobs->profile_of && jobs->profile_of[row];
}

/* Of a job that says nothing, that of nothing. */
static struct sl_profile profile_of(const struct load *l, uint32_t row)
{
	struct sl_profile profile;
	sl_profile_clear(&profile);
	if (says(l, row))
		profile = l->scenario.jobs.profile[l->scenario.jobs.profile_of[row]];
	return profile;
}

Test(models_load, profiles_are_shared)
{
	struct load l;
	begin(&l, NULL);
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	cr_assert(says(&l, 0));
	cr_expect_eq(profile_of(&l, 0).comp, 500000000);
	cr_expect_str_eq(profile_of(&l, 0).model, "vgg");
	cr_expect_not(says(&l, 1), "a row with empty cells says nothing");
	cr_expect_eq(l.scenario.jobs.profile_of[0], l.scenario.jobs.profile_of[2]);
	cr_expect_eq(l.scenario.jobs.profile_count, 2, "and that of nothing");
	end(&l);
}

/* The first rule whose conditions all hold, and what the job says itself stays. */
Test(models_load, rules)
{
	struct load l;
	char csv[32];
	char given[80];
	begin(&l, NULL);
	file_of(csv, "partition,user,gpus_max,comp,overlap,pattern\n"
		     "gpu,bob,,9,0.1,tree\n"
		     "gpu,,,9,0.2,\n"
		     ",,0,9,0.3,ring\n"
		     ",,,9,0.4,ring\n");
	(void)snprintf(given, sizeof(given), "replay.profile=%s", csv);
	set(&l, given);
	cr_assert_eq(load(&l), SL_OK, "%s", l.err.text);
	cr_expect_eq(profile_of(&l, 0).comp, 500000000, "its own");
	cr_expect_eq(profile_of(&l, 0).overlap, 200000);
	cr_expect_eq(profile_of(&l, 0).pattern, SL_NONE, "of the first rule alone");
	cr_expect_eq(profile_of(&l, 1).overlap, 300000);
	cr_expect_eq(profile_of(&l, 1).comp, INT64_C(9000000000));
	cr_expect_eq(profile_of(&l, 2).overlap, 100000);
	cr_expect_eq(profile_of(&l, 2).pattern, SL_PATTERN_TREE);
	end(&l);
}

Test(models_load, bad_rules)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "partition,comm\na,1\n", "unknown column 'comm': did you mean 'comp'?" },
		{ "partition,user\na,b\n", "no column says what jobs do while they run" },
		{ "partition,overlap\na,2\n", ":2: column 'overlap' must be a number from 0 to 1, not '2'" },
		{ "gpus_min,overlap\n-1,1\n", ":2: column 'gpus_min' must be a number from 0 on" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct load l;
		char csv[32];
		char given[80];
		begin(&l, NULL);
		file_of(csv, cases[i].text);
		(void)snprintf(given, sizeof(given), "replay.profile=%s", csv);
		set(&l, given);
		cr_expect_eq(load(&l), SL_INPUT, "case %zu", i);
		cr_expect(strstr(l.err.text, cases[i].says), "case %zu: '%s' lacks '%s'", i, l.err.text,
			cases[i].says);
		end(&l);
	}
}
