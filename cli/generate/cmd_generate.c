/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_generate.c - a workload out of a model: as SWF, or as a table where its jobs request more than SWF can
 * say.
 *
 * A model's parameters are its options: --max-estimate is max_estimate. The file's header has the line that
 * makes the same file again, every default spelled out, so that it outlives a change of the defaults.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/generate/generate.h"
#include "cli/run/dry_run.h"

/* The file, as the model fills it: what the model says of itself, then how to make it again, then jobs. */
struct generation {
	const struct sl_generator *generator;
	const struct sl_value *values; /* One for each of its params. */
	uint64_t seed;
	struct sl_arena *arena;
	const struct sl_writer *const *writers;
	const struct sl_writer *writer;
	struct sl_out *out;
	const char *(*header)[2];
	size_t header_count, header_capacity;
	bool begun;
	uint64_t *jobs; /* How many were drawn. */
};

static const struct generate_way *const ways[] = { &generate_resample, &generate_fit };

static const struct generate_way *way_of(const char *word)
{
	for (size_t i = 0; i < SL_LEN(ways); i++)
		if (strcmp(ways[i]->word, word) == 0)
			return ways[i];
	return NULL;
}

int generate_factor(const struct args *args, const char *name, double *value, struct sl_err *err)
{
	const char *text = arg(args, name);
	int64_t micro;
	*value = 1;
	if (!text)
		return SL_OK;
	if (!sl_get_micro(text, strlen(text), &micro) || micro < 1000 || micro > INT64_C(1000000000))
		return sl_fail(err, SL_USAGE, "--%s of '%s': give a number from 0.001 to 1000", name, text);
	*value = (double)micro / 1e6;
	return SL_OK;
}

struct keyed {
	int64_t user;
	uint32_t job;
};

static int by_user(const void *a, const void *b)
{
	const struct keyed *x = a;
	const struct keyed *y = b;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

int generate_users(
	const struct sl_jobs *jobs, uint32_t **user, uint32_t *users, int64_t *largest, struct sl_err *err)
{
	struct keyed *keyed = calloc(jobs->count ? jobs->count : 1, sizeof(*keyed));
	*user = calloc(jobs->count ? jobs->count : 1, sizeof(**user));
	*users = 0;
	*largest = -1;
	if (!keyed || !*user) {
		free(keyed);
		return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < jobs->count; i++)
		keyed[i] = (struct keyed){ jobs->user[i], i };
	qsort(keyed, jobs->count, sizeof(*keyed), by_user);
	for (uint32_t i = 0; i < jobs->count; i++) {
		*users += i == 0 || keyed[i].user != keyed[i - 1].user;
		(*user)[keyed[i].job] = *users - 1;
		*largest = keyed[i].user;
	}
	free(keyed);
	return SL_OK;
}

/* ---- Options out of parameters ------------------------------------------------- */

/* max_estimate is --max-estimate; NULL when memory is out. */
static char *option_name(const char *key, struct sl_arena *arena)
{
	char *name = sl_strdup(arena, key, strlen(key));
	for (char *p = name; p && *p; p++)
		if (*p == '_')
			*p = '-';
	return name;
}

static const char *option_help(const struct sl_param *param, struct sl_arena *arena)
{
	if (!param->fallback)
		return param->help;
	return text_made(arena, "%s; default %s", param->help, param->fallback);
}

/* Models have some in common; of all together each is there once. */
static bool is_listed(const struct option_def *options, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (options[i].name && strcmp(options[i].name, name) == 0)
			return true;
	return false;
}

static const struct option_def *generate_more(const char *word, size_t *count, const struct args *args)
{
	const struct sl_generator *const *generators = args->registry->known.generators;
	struct sl_arena *arena = args->arena;
	const struct generate_way *way = word ? way_of(word) : NULL;
	if (way) {
		*count = way->option_count;
		return way->options;
	}
	size_t total = 0;
	for (size_t i = 0; i < SL_LEN(ways) && !word; i++)
		total += ways[i]->option_count;
	for (size_t i = 0; generators[i]; i++)
		if (!word || strcmp(generators[i]->name, word) == 0)
			total += generators[i]->param_count;
	struct option_def *options = total ? sl_alloc(arena, total, sizeof(*options)) : NULL;
	if (!options)
		return NULL;
	*count = 0;
	for (size_t i = 0; generators[i]; i++) {
		const struct sl_generator *generator = generators[i];
		if (word && strcmp(generator->name, word) != 0)
			continue;
		for (size_t j = 0; j < generator->param_count; j++) {
			const struct sl_param *param = &generator->params[j];
			char *name = option_name(param->key, arena);
			if (name && is_listed(options, *count, name))
				continue;
			options[(*count)++] = (struct option_def){ .name = name,
				.value = param->choices ? param->choices : "VALUE",
				.help = option_help(param, arena) };
		}
	}
	for (size_t i = 0; i < SL_LEN(ways) && !word; i++)
		for (size_t j = 0; j < ways[i]->option_count; j++)
			if (!is_listed(options, *count, ways[i]->options[j].name))
				options[(*count)++] = ways[i]->options[j];
	return options;
}

static int values_from_args(struct sl_value *values, const struct sl_generator *generator,
	const struct args *args, struct sl_err *err)
{
	const struct param_list params = { generator->params, generator->param_count, generator->name, NULL,
		args->arena };
	int status = values_parse(values, &params, NULL, err);
	for (size_t i = 0; i < generator->param_count && !status; i++) {
		const struct sl_param *param = &generator->params[i];
		const char *name = option_name(param->key, args->arena);
		if (!name)
			return sl_fail_memory(err);
		const char *text = arg(args, name);
		if (text)
			status = value_set(&values[i], &params, i, text, err);
	}
	return status;
}

/* ---- The header ------------------------------------------------------------------ */

static int header_add(struct generation *g, const char *key, const char *value, struct sl_err *err)
{
	if (SL_GROW_IN(g->arena, g->header, g->header_capacity, g->header_count + 1, err))
		return SL_SYSTEM;
	const char **line = g->header[g->header_count++];
	line[0] = sl_strdup(g->arena, key, strlen(key));
	line[1] = sl_strdup(g->arena, value, strlen(value));
	return line[0] && line[1] ? SL_OK : sl_fail_memory(err);
}

static int cmd_generate_on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return header_add(self, key, value, err);
}

/* The line that makes the same file. */
static int header_recipe(struct generation *g, struct sl_err *err)
{
	char line[4096];
	int len = snprintf(line, sizeof(line), "made by: schedlab generate %s", g->generator->name);
	for (size_t i = 0; i < g->generator->param_count; i++) {
		if (!g->values[i].text)
			continue;
		const char *name = option_name(g->values[i].key, g->arena);
		if (!name)
			return sl_fail_memory(err);
		len += snprintf(line + len, sizeof(line) - (size_t)len, " --%s %s", name, g->values[i].text);
		if ((size_t)len >= sizeof(line) - 64)
			return sl_fail(err, SL_USAGE, "the values are too long: write them shorter");
	}
	(void)snprintf(line + len, sizeof(line) - (size_t)len, " --seed %llu", (unsigned long long)g->seed);
	return header_add(g, "Note", line, err);
}

/* All rows of a model are like its first. */
static int generation_begin(struct generation *g, const struct sl_row *row, struct sl_err *err)
{
	g->begun = true;
	g->writer = sl_by_name(g->writers, row->more && row->more->group_count ? "table" : "swf");
	const int status = header_recipe(g, err);
	if (status)
		return status;
	void *header = g->header; /* C11 has no implicit way to const char *const (*)[2]. */
	const struct sl_row_attributes *says = row->more;
	const bool more = g->writer->begin_more && says && says->job;
	if (g->writer->begin_profile && says && says->profile)
		return g->writer->begin_profile(
			g->out, header, g->header_count, says->gpu_active != NULL, more, err);
	if (g->writer->begin_gpus && says && says->gpu_active)
		return g->writer->begin_gpus(g->out, header, g->header_count, more, err);
	return (more ? g->writer->begin_more : g->writer->begin)(g->out, header, g->header_count, err);
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	struct generation *g = self;
	if (cli_stop)
		return sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was written");
	++*g->jobs;
	const int status = g->begun ? SL_OK : generation_begin(g, row, err);
	return status ? status : g->writer->job(g->out, row, err);
}

int generate_write(
	struct generate_order *order, const char *path, const struct args *args, struct sl_err *err)
{
	struct generation g = {
		.generator = order->generator,
		.values = order->values,
		.seed = order->seed,
		.arena = args->arena,
		.writers = args->registry->known.writers,
		.jobs = &order->jobs,
	};
	int status = file_out_open(&g.out, path, args, err);
	if (status)
		return status;
	const struct sl_sink sink = { .self = &g, .job = on_job, .header = cmd_generate_on_header };
	status = g.generator->generate(g.values, g.generator->param_count, g.seed, &sink, err);
	if (status) {
		sl_out_abandon(g.out);
		return status;
	}
	return sl_out_commit(g.out, err);
}

/* ---- What is reported of it ------------------------------------------------------------ */

static int generated_json(const struct generate_order *order, const struct args *args, struct sl_err *err)
{
	struct json json;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_put(&json, datum_text("model", order->generator->name));
	json_nest(&json, "parameters", '{', NULL);
	for (size_t i = 0; i < order->generator->param_count; i++)
		json_put(&json, datum_given(order->values[i].key, order->values[i].text));
	json_close(&json);
	json_put(&json, datum_count("seed", order->seed), datum_count("jobs", order->jobs));
	return json_finish(&json, json_file(&json, arg(args, "output"), err), err);
}

/* All is drawn, and goes nowhere: what the model would refuse is refused. */
static int generate_dry(struct generate_order *order, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "output");
	struct dry_run dry;
	int status = dry_file_check(path, err);
	if (!status)
		status = generate_write(order, "/dev/null", args, err);
	if (status)
		return status;
	dry_begin(&dry, args);
	dry_word(&dry, "model", "model", order->generator->name);
	dry_count(&dry, "jobs", "jobs", order->jobs);
	dry_write(&dry, path ? path : "-");
	return dry_end(&dry, err);
}

static int way_dry(const struct args *args, const char *path, struct sl_err *err)
{
	struct dry_run dry;
	dry_begin(&dry, args);
	dry_read(&dry, args->word[1]);
	dry_write(&dry, path ? path : "-");
	return dry_end(&dry, err);
}

/* A trace is read by both; what they make of it is named by its file. */
static int way_run(const struct generate_way *way, const struct args *args, struct sl_err *err)
{
	const char *path = arg(args, "output");
	const bool dry = arg_flag(args, "dry-run");
	if ((dry || arg_flag(args, "json")) && way == &generate_fit)
		return sl_fail(err, SL_USAGE,
			"generate fit prints the line that generates: --json and --dry-run are of what that line makes");
	if (dry) {
		int checked = dry_file_check(path, err);
		if (!checked)
			checked = way->run(args, err);
		return checked ? checked : way_dry(args, path, err);
	}
	int status = json_apart(args, path, err);
	if (!status)
		status = way->run(args, err);
	return status || !arg_flag(args, "json") ? status
						 : json_of_file(path, err, datum_text("of", args->word[1]));
}

/* ---- The command ------------------------------------------------------------------- */

static int generate_run(const struct args *args, struct sl_err *err)
{
	const char *name = args->word[0];
	const struct generate_way *way = way_of(name);
	if (way)
		return way_run(way, args, err);
	if (args->word_count > 1)
		return sl_fail(err, SL_USAGE, "'%s' is one word too many: a model takes options only",
			args->word[1]);
	const struct sl_generator *const *known = args->registry->known.generators;
	const struct sl_generator *generator = sl_by_name(known, name);
	if (!generator) {
		char similar[128];
		return sl_fail(err, SL_USAGE, "unknown model '%s': %s'schedlab list generators' shows all",
			name, did_you_mean(similar, sl_nearest_name(name, known)));
	}

	uint64_t seed;
	struct sl_value *values = sl_alloc(args->arena, generator->param_count, sizeof(*values));
	if (!values)
		return sl_fail_memory(err);
	int status = values_from_args(values, generator, args, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, UINT64_MAX, &seed, err);
	if (!status)
		status = json_apart(args, arg(args, "output"), err);
	if (status)
		return status;
	struct generate_order order = { generator, values, seed, 0 };
	if (arg_flag(args, "dry-run"))
		return generate_dry(&order, args, err);
	status = generate_write(&order, arg(args, "output"), args, err);
	return status || !arg_flag(args, "json") ? status : generated_json(&order, args, err);
}

static const struct option_def options[] = {
	{ "output", 'o', "FILE", false, "write this file; default, and '-': standard output" },
	{ OPTION_SEED },
	OPTIONS_OF_FILE,
};

const struct command cmd_generate = {
	.name = "generate",
	.usage = "generate MODEL [options] | fit TRACE | resample TRACE",
	.summary = "make a workload out of a model, or out of a trace",
	.detail =
		"Writes jobs as SWF, or as a table where they ask more than SWF can say. The same model, options and seed give the same bytes on any machine;\n"
		"the header holds the line that makes the file again.\n"
		"\n"
		"  schedlab generate lublin --jobs 10000 --cpus 256 --load 0.9 -o lublin.swf\n"
		"  schedlab generate lublin --jobs 1000 --classes two --estimates exact --seed 7\n"
		"  schedlab generate sessions --users 30 --limit 4h -o sessions.csv\n"
		"  schedlab generate gpu --cluster seren --jobs 5000 --load 0.8 -o seren.csv\n"
		"\n"
		"resample makes another trace like the one given, out of its users; fit finds the numbers of a model\n"
		"that is like it, and prints the line that generates from them.\n"
		"\n"
		"  schedlab generate resample trace.swf --load 1.1 --seed 7 -o other.swf\n"
		"  schedlab generate fit trace.swf --model lublin\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 2,
	.run = generate_run,
	.more = generate_more,
};
