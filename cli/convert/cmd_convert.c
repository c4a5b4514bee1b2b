/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_convert.c - schedlab convert: a trace in another format, or cleaned; a cluster as a cluster file of
 * ours.
 *
 * Rows go from the reader to the writer with all their fields, as they come.
 * With --clean they are first held, until the scenario has dropped what makes
 * no sense and put the rest in order: a replay of the result is that of the
 * original, and has nothing to repair.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/cli.h"
#include "cli/base/render.h"
#include "cli/convert/convert.h"
#include "cli/run/dry_run.h"
#include "traces/cluster/cluster_file.h"

int convert_header(struct conversion *c, const char *key, const char *value, struct sl_err *err)
{
	const int status =
		SL_GROW_MOST(c->header, c->header_capacity, c->header_count + 1, SIZE_MAX / 64, err);
	if (status)
		return status;
	int64_t seconds;
	if (strcmp(key, "UnixStartTime") == 0 && sl_get_i64(value, strlen(value), &seconds) && seconds > 0 &&
		seconds < INT64_C(100000000000))
		c->epoch = seconds * SL_SECOND;
	struct header_pair *pair = &c->header[c->header_count++];
	pair->text[0] = sl_strdup(c->arena, key, strlen(key));
	pair->text[1] = sl_strdup(c->arena, value, strlen(value));
	return pair->text[0] && pair->text[1] ? SL_OK : sl_fail_memory(err);
}

static int number_name(
	struct conversion *c, struct numbering *column, const char *name, int64_t *number, struct sl_err *err)
{
	enum { FAR = 1000000000 };
	char text[32];
	uint32_t index;
	if (!name && *number < 0)
		return SL_OK;
	if (!column->begun) {
		column->begun = true;
		column->all = name;
	}
	if (!name && !column->all)
		return SL_OK;
	if (!name) {
		*sl_put_i64(text, *number) = '\0';
		name = text;
	}
	const int status = names_add(&column->names, c->arena, name, strlen(name), &index, err);
	*number = (int64_t)index + (column->all ? 1 : FAR);
	return status;
}

static int number_names(struct conversion *c, struct sl_row *row, struct sl_err *err)
{
	const struct sl_row_attributes *more = row->more;
	int status = number_name(c, &c->ids, more->id, &row->col[SL_COL_ID], err);
	if (!status)
		status = number_name(c, &c->users, more->user, &row->col[SL_COL_USER], err);
	if (!status)
		status = number_name(c, &c->accounts, more->account, &row->col[SL_COL_GROUP], err);
	if (!status)
		status = number_name(c, &c->partitions, more->partition, &row->col[SL_COL_PARTITION], err);
	return status;
}

/* Zero of a dated trace: the first submission of what is written, to the second. */
static int begin_dated(struct conversion *c, sl_time first, struct sl_err *err)
{
	char text[32];
	if (!c->dated || first == SL_NONE)
		return SL_OK;
	int64_t seconds = first / SL_SECOND;
	seconds -= seconds * SL_SECOND > first;
	c->zero = seconds * SL_SECOND;
	*sl_put_i64(text, seconds) = '\0';
	return convert_header(c, "UnixStartTime", text, err);
}

/* Of a row that is written, changed: what it says of itself, times from zero on. */
struct own {
	struct sl_row_attributes more;
	struct sl_job_attributes job;
	struct sl_profile profile;
};

static void shift(sl_time *time, sl_time zero)
{
	if (*time != SL_NONE)
		*time -= zero;
}

/* All rows of a table say more, or none does, as the first. */
static void prepare_more(const struct conversion *c, struct sl_row *row, struct own *own)
{
	static const struct sl_job_attributes nothing = { SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
	static const struct sl_row_attributes none;
	static const int64_t unknown = SL_NONE;
	if (!c->more && !c->gpus && !c->profiles &&
		!(row->more && (row->more->job || row->more->gpu_active || row->more->profile)))
		return;
	own->more = row->more ? *row->more : none;
	row->more = &own->more;
	own->more.gpu_active = !c->gpus ? NULL : own->more.gpu_active ? own->more.gpu_active : &unknown;
	if (!c->profiles)
		own->more.profile = NULL;
	else if (!own->more.profile) {
		sl_profile_clear(&own->profile);
		own->more.profile = &own->profile;
	}
	if (!c->more && !own->more.job)
		return;
	own->job = own->more.job ? *own->more.job : nothing;
	own->more.job = c->more || (c->writer->dates && own->more.job) ? &own->job : NULL;
	if (!own->more.cancel)
		own->more.cancel = SL_NONE;
	const sl_time zero = !c->writer->dates ? c->zero : c->dated ? 0 : -c->epoch;
	shift(&own->more.cancel, zero);
	shift(&own->job.begin, zero);
	shift(&own->job.deadline, zero);
	shift(&own->job.start_recorded, zero);
	shift(&own->job.end_recorded, zero);
}

/* More of GPUs than how many, or which part of one. */
bool convert_says_gpus(const struct sl_row *row)
{
	bool says = row->more && row->more->gpu_active;
	for (size_t i = 0; row->more && i < row->more->group_count; i++)
		says |= row->more->group[i].mig || row->more->group[i].gpu_mem > 0;
	return says;
}

bool convert_says_profile(const struct sl_row *row)
{
	const struct sl_profile *profile = row->more ? row->more->profile : NULL;
	for (uint32_t i = 0; profile && i < SL_PROFILE_COLUMNS; i++)
		if (sl_profile_says(profile, i))
			return true;
	return false;
}

/* The header's lines, of a trace of the kind that its first row is of. */
static int cmd_convert_begin(struct conversion *c, const struct sl_row *first, struct sl_err *err)
{
	const void *header = c->header; /* A pair is an array of two. */
	const struct sl_writer *writer = c->writer;
	c->begun = true;
	c->more = writer->begin_more && (c->any_more || (first->more && first->more->job));
	c->gpus = writer->begin_gpus && (c->looked ? c->gpus : convert_says_gpus(first));
	c->profiles =
		writer->begin_profile && (c->looked ? c->profiles : first->more && first->more->profile);
	if (c->profiles)
		return writer->begin_profile(c->out, header, c->header_count, c->gpus, c->more, err);
	if (c->gpus)
		return writer->begin_gpus(c->out, header, c->header_count, c->more, err);
	return (c->more ? writer->begin_more : writer->begin)(c->out, header, c->header_count, err);
}

/* Submits from zero on, and numbers in place of names. */
static int prepare_row(struct conversion *c, struct sl_row *row, struct sl_err *err)
{
	sl_time *submit = &row->col[SL_COL_SUBMIT];
	int status = c->begun ? SL_OK : begin_dated(c, *submit, err);
	if (!status && row->more && !c->writer->names)
		status = number_names(c, row, err);
	if (status || *submit == SL_NONE)
		return status;
	if (c->writer->dates) {
		const sl_time epoch = c->dated ? 0 : c->epoch;
		if (!__builtin_add_overflow(*submit, epoch, submit))
			return SL_OK;
		return sl_fail(err, SL_INPUT, "%s:%llu: submit time is out of range", c->path,
			(unsigned long long)row->line);
	}
	if (!c->dated)
		return SL_OK;
	*submit -= c->zero;
	if (*submit >= 0)
		return SL_OK;
	return sl_fail(err, SL_INPUT,
		"%s:%llu: was submitted before the first line, whose date is zero: give --clean", c->path,
		(unsigned long long)row->line);
}

int convert_row(struct conversion *c, const struct sl_row *given, struct sl_err *err)
{
	struct sl_row row = *given;
	if (cli_stop)
		return sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was written");
	int status = prepare_row(c, &row, err);
	if (status)
		return status;
	if (!c->begun)
		status = cmd_convert_begin(c, &row, err);
	if (!status && !c->gpus && c->writer->begin_gpus && convert_says_gpus(&row))
		status = sl_fail(err, SL_INPUT,
			"%s:%llu: says more of GPUs than the first line did, which gave no column for it: give "
			"--clean",
			c->path, (unsigned long long)row.line);
	const bool says = !c->profiles && row.more && row.more->profile && convert_says_profile(&row);
	if (!status && says && c->writer->begin_profile)
		status = sl_fail(err, SL_INPUT,
			"%s:%llu: says what it does while it runs, and the first line did not: give --clean",
			c->path, (unsigned long long)row.line);
	if (status)
		return status;
	c->unprofiled += says;
	struct own own;
	prepare_more(c, &row, &own);
	c->written++;
	return c->writer->job(c->out, &row, err);
}

/* ---- As it is: straight from the reader to the writer ------------------------------- */

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	return convert_row(self, row, err);
}

static int cmd_convert_on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return convert_header(self, key, value, err);
}

int convert_anomaly(struct conversion *c, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	if (c->strict)
		return sl_fail_at(err, at, "%s: mend the line, or run without --strict", cause);
	if (!c->odd++) {
		c->odd_first = cause;
		c->odd_line = at->line;
	}
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	return convert_anomaly(self, cause, at, err);
}

static int on_dated(void *self, struct sl_err *err)
{
	struct conversion *c = self;
	(void)err;
	c->dated = true;
	return SL_OK;
}

static int convert_as_is(struct conversion *c, struct sl_err *err)
{
	struct sl_input *in;
	const struct sl_reader *reader;
	int status = sl_input_open(&in, c->path, err);
	if (status)
		return status;
	status = reader_choose(c->registry, &reader, in, err);
	if (!status) {
		const struct sl_sink sink = { c, on_job, cmd_convert_on_header, on_anomaly, on_dated, NULL,
			NULL, NULL };
		status = reader->read(in, &sink, err);
	}
	sl_input_close(in);
	if (!status && !c->written)
		status = sl_fail(err, SL_INPUT, "%s: no line of it can be written: %s (line %llu)", c->path,
			c->odd_first, (unsigned long long)c->odd_line);
	if (!status && c->odd)
		talk("%s: lines dropped or repaired: %llu, the first is line %llu (%s); --strict stops there",
			c->path, (unsigned long long)c->odd, (unsigned long long)c->odd_line, c->odd_first);
	return status;
}

/* ---- Cleaned: held until the scenario knows the order ---------------------------------- */

static int on_clean_header(void *self, const char *key, const char *value, struct sl_err *err)
{
	return convert_header(self, key, value, err);
}

static bool copy_text(struct sl_arena *arena, const char **text)
{
	if (!*text)
		return true;
	*text = sl_strdup(arena, *text, strlen(*text));
	return *text != NULL;
}

static bool copy_desc(struct sl_arena *arena, struct sl_job_desc *desc)
{
	const char **text[] = { &desc->partition, &desc->gres, &desc->gpus, &desc->gpus_per_node,
		&desc->gpus_per_socket, &desc->gpus_per_task, &desc->gres_per_task, &desc->node_sizes,
		&desc->prefer, &desc->extra, &desc->gres_flags, &desc->constraint, &desc->nodelist,
		&desc->exclude, &desc->distribution, &desc->licenses, &desc->reservation, &desc->account,
		&desc->qos };
	bool whole = true;
	for (size_t i = 0; i < SL_LEN(text); i++)
		whole = copy_text(arena, text[i]) && whole;
	return whole;
}

static bool copy_job(
	struct sl_arena *arena, struct sl_job_attributes *job, const struct sl_job_attributes *from)
{
	*job = *from;
	const char **text[] = { &job->name, &job->qos, &job->dependency, &job->exit_code,
		&job->nodes_recorded, &job->submit_line, &job->namespace, &job->queue, &job->manifest };
	bool whole = true;
	for (size_t i = 0; i < SL_LEN(text); i++)
		whole = copy_text(arena, text[i]) && whole;
	return whole;
}

static bool copy_profile(struct sl_arena *arena, struct sl_profile *profile, const struct sl_profile *from)
{
	*profile = *from;
	const char **text[] = { &profile->fs, &profile->dataset, &profile->image, &profile->model,
		&profile->evolves, &profile->family };
	bool whole = true;
	for (size_t i = 0; i < SL_LEN(text); i++)
		whole = copy_text(arena, text[i]) && whole;
	return whole;
}

static bool copy_asks(struct sl_arena *arena, struct sl_row_attributes *more)
{
	struct sl_job_desc *desc = sl_alloc(arena, more->desc_count, sizeof(*desc));
	bool whole = desc;
	for (size_t i = 0; i < more->desc_count && whole; i++) {
		desc[i] = more->desc[i];
		whole = copy_desc(arena, &desc[i]);
	}
	more->desc = desc;
	return whole;
}

/* What a row says beyond its columns is lent for the call: a copy of it all. */
const struct sl_row_attributes *convert_copy(struct sl_arena *arena, const struct sl_row_attributes *from)
{
	struct sl_row_attributes *more = sl_alloc(arena, 1, sizeof(*more));
	struct sl_row_group *group = sl_alloc(arena, from->group_count, sizeof(*group));
	if (!more || !group)
		return NULL;
	*more = *from;
	const char **text[] = { &more->id, &more->user, &more->account, &more->partition, &more->gang };
	bool whole = true;
	for (size_t i = 0; i < SL_LEN(text); i++)
		whole = copy_text(arena, text[i]) && whole;
	for (size_t i = 0; i < from->group_count; i++) {
		group[i] = from->group[i];
		whole = copy_text(arena, &group[i].gpu_type) && whole;
		whole = copy_text(arena, &group[i].mig) && whole;
	}
	more->group = group;
	if (from->gpu_active) {
		int64_t *active = sl_alloc(arena, 1, sizeof(*active));
		whole = active && whole;
		if (active)
			*active = *from->gpu_active;
		more->gpu_active = active;
	}
	if (from->profile) {
		struct sl_profile *profile = sl_alloc(arena, 1, sizeof(*profile));
		whole = profile && copy_profile(arena, profile, from->profile) && whole;
		more->profile = profile;
	}
	if (from->job) {
		struct sl_job_attributes *job = sl_alloc(arena, 1, sizeof(*job));
		whole = job && copy_job(arena, job, from->job) && whole;
		more->job = job;
	}
	return whole && copy_asks(arena, more) ? more : NULL;
}

int convert_keep(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct conversion *c = self;
	if (gone)
		return SL_OK;
	const int status = SL_GROW_MOST(c->row, c->row_capacity, c->row_count + 1, UINT32_MAX, err);
	if (status)
		return status;
	struct sl_row *kept = &c->row[c->row_count++];
	*kept = *row;
	c->looked = true;
	c->gpus |= convert_says_gpus(row);
	c->profiles |= convert_says_profile(row);
	if (row->more)
		kept->more = convert_copy(c->arena, row->more);
	return !row->more || kept->more ? SL_OK : sl_fail_memory(err);
}

static int convert_clean(struct conversion *c, struct sl_err *err)
{
	const struct scenario_watch watch = { c, on_clean_header, convert_keep, NULL };
	const struct scenario_options options = { .trace = c->path,
		.registry = c->registry,
		.strict = c->strict,
		.any_machine = true,
		.watch = &watch };
	struct scenario scenario;
	int status = scenario_load(&scenario, &options, err);
	if (status)
		return status;
	const uint32_t *place = scenario.jobs.place;
	SL_CHECK(scenario.jobs.count == c->row_count);
	c->dated = scenario.dated;
	for (uint32_t row = 0; row < scenario.jobs.count && !status; row++)
		status = convert_row(c, &c->row[place ? place[row] : row], err);
	if (!status)
		talk_anomalies(&scenario);
	scenario_release(&scenario);
	return status;
}

/* ---- The command ------------------------------------------------------------------------- */

static int writer_choose(
	const struct sl_writer **writer, const char *name, const struct args *args, struct sl_err *err)
{
	const struct sl_writer *const *writers = args->registry->known.writers;
	char similar[128];
	*writer = sl_by_name(writers, name);
	return *writer ? SL_OK
		       : sl_fail(err, SL_USAGE, "unknown format '%s': %s'schedlab list writers' shows all",
				 name, did_you_mean(similar, sl_nearest_name(name, writers)));
}

static bool is_cluster_format(const char *to)
{
	return to && (strcmp(to, "yaml") == 0 || strcmp(to, "json") == 0);
}

static int conversion_begin(
	struct conversion *c, const struct args *args, const char *to, const char *path, struct sl_err *err)
{
	*c = (struct conversion){ .path = args->word[0],
		.arena = args->arena,
		.registry = args->registry,
		.strict = arg_flag(args, "strict") };
	const int status = writer_choose(&c->writer, to ? to : "swf", args, err);
	return status ? status : file_out_open(&c->out, path, args, err);
}

void convert_release(struct conversion *c)
{
	free(c->header);
	free(c->row);
	names_release(&c->ids.names);
	names_release(&c->users.names);
	names_release(&c->accounts.names);
	names_release(&c->partitions.names);
}

/* path: what was written. rows: of a trace. */
static int cmd_convert_reported(const struct args *args, const char *path, const char *format,
	const struct conversion *c, struct sl_err *err)
{
	struct json json;
	if (!arg_flag(args, "json") || arg_flag(args, "dry-run"))
		return SL_OK;
	const int status = json_start(&json, NULL, err);
	if (status)
		return status;
	json_nest(&json, "of", '[', NULL);
	for (size_t i = 0; i < args->word_count && (i == 0 || arg(args, "output")); i++)
		json_put(&json, datum_text(NULL, args->word[i]));
	json_close(&json);
	json_put(&json, datum_text("format", format));
	if (c)
		json_put(&json, datum_count("jobs", c->written), datum_count("odd", c->odd));
	return json_finish(&json, json_file(&json, path, err), err);
}

static int conversion_end(
	struct conversion *c, const struct args *args, const char *path, int status, struct sl_err *err)
{
	convert_release(c);
	if (!status && c->unprofiled)
		talk("%s: of %llu job%s the trace says what they do while they run, which '%s' cannot say: use "
		     "--to table",
			c->path, (unsigned long long)c->unprofiled, c->unprofiled == 1 ? "" : "s",
			c->writer->name);
	if (!status)
		status = sl_out_commit(c->out, err);
	else
		sl_out_abandon(c->out);
	return status ? status : cmd_convert_reported(args, path, c->writer->name, c, err);
}

static int convert_trace(const struct args *args, const char *to, const char *path, struct sl_err *err)
{
	struct conversion c;
	int status = conversion_begin(&c, args, to, path, err);
	if (status)
		return status;
	status = arg_flag(args, "clean") ? convert_clean(&c, err) : convert_as_is(&c, err);
	return conversion_end(&c, args, path, status, err);
}

/* ---- Clusters ------------------------------------------------------------------------------ */

/* A cluster where its readers are surer of it than those of traces; of JSON, both may be sure of some. */
static int is_cluster(
	bool *is, const struct args *args, const char *path, struct sl_input *in, struct sl_err *err)
{
	const char *text;
	const char *end;
	const int more = sl_input_peek(in, &text, &end, err);
	*is = false;
	if (more <= 0)
		return more;
	const size_t len = (size_t)(end - text);
	const struct sl_reader *of_trace;
	const struct sl_cluster_reader *of_cluster;
	const int trace = reader_surest(args->registry, &of_trace, text, len);
	const int cluster = cluster_reader_surest(args->registry, &of_cluster, path, text, len);
	const bool both_json = trace && cluster && text[strspn(text, " \t\r\n")] == '{';
	*is = cluster > trace && !both_json;
	return SL_OK;
}

static int cluster_put(
	struct cluster_writing *writing, const char *path, const struct args *args, struct sl_err *err)
{
	struct sl_out *out;
	int status = file_out_open(&out, path, args, err);
	if (status)
		return status;
	status = cluster_write_end(writing, out, err);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

/* in: NULL of a folder. */
static int convert_cluster(
	const struct args *args, struct sl_input *in, const char *to, const char *path, struct sl_err *err)
{
	const struct sl_cluster_reader *reader = NULL;
	const struct sl_cluster_sink *sink = NULL;
	struct cluster_writing *writing = NULL;
	if (to && !is_cluster_format(to))
		return sl_fail(
			err, SL_USAGE, "%s is a cluster: --to takes yaml and json there", args->word[0]);
	if (arg_flag(args, "clean"))
		return sl_fail(err, SL_USAGE, "%s is a cluster: --clean is for traces", args->word[0]);
	int status = cluster_reader_choose(args->registry, &reader, args->word[0], in, err);
	if (!status)
		status = cluster_write_begin(
			&writing, &sink, &args->registry->known, to && strcmp(to, "json") == 0, err);
	if (!status)
		status = reader->read(args->word[0], in, NULL, 0, sink, err);
	if (!status)
		status = cluster_put(writing, path, args, err);
	cluster_write_free(writing);
	return status ? status : cmd_convert_reported(args, path, to ? to : "yaml", NULL, err);
}

/* ---- Which of the two ------------------------------------------------------------------------ */

/* IN OUT, or one IN and more with -o. */
static int out_path(const char **path, const struct args *args, struct sl_err *err)
{
	const char *option = arg(args, "output");
	if (!option && args->word_count < 2)
		return sl_fail(err, SL_USAGE, "give OUT, '-' for standard output");
	if (!option && args->word_count > 2)
		return sl_fail(err, SL_USAGE, "several traces become one: give its name with -o OUT");
	*path = option ? option : args->word[1];
	return SL_OK;
}

static int refuse_cluster(const struct args *args, const char *path, struct sl_err *err)
{
	struct stat about;
	struct sl_input *in;
	bool cluster = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	int status = SL_OK;
	if (!cluster && strcmp(path, "-") != 0) {
		status = sl_input_open(&in, path, err);
		if (status)
			return status;
		status = is_cluster(&cluster, args, path, in, err);
		sl_input_close(in);
	}
	if (cluster && !status)
		status = sl_fail(err, SL_USAGE,
			"%s is a cluster, and only traces are merged: give OUT or -o OUT, not both", path);
	return status;
}

static int convert_several(const struct args *args, const char *to, const char *path, struct sl_err *err)
{
	struct conversion c;
	if (is_cluster_format(to))
		return sl_fail(
			err, SL_USAGE, "several files are merged as traces: --to %s is for a cluster", to);
	if (arg_flag(args, "clean"))
		return sl_fail(
			err, SL_USAGE, "--clean takes one trace: merge without it, and clean what comes out");
	int status = SL_OK;
	for (size_t i = 0; i < args->word_count && !status; i++)
		status = refuse_cluster(args, args->word[i], err);
	if (!status)
		status = conversion_begin(&c, args, to, path, err);
	if (status)
		return status;
	status = convert_merge(&c, args->word, args->word_count, err);
	return conversion_end(&c, args, path, status, err);
}

static int convert_to(const struct args *args, const char *path, struct sl_err *err)
{
	const char *to = arg(args, "to");
	struct stat about;
	struct sl_input *in;
	bool cluster = is_cluster_format(to);
	int status;
	if (arg(args, "output") && args->word_count > 1)
		return convert_several(args, to, path, err);
	if (stat(args->word[0], &about) == 0 && S_ISDIR(about.st_mode))
		return convert_cluster(args, NULL, to, path, err);
	/* Standard input can be opened once only; what it is, its format says. */
	const bool once = strcmp(args->word[0], "-") == 0;
	if (once && !cluster)
		return convert_trace(args, to, path, err);
	status = sl_input_open(&in, args->word[0], err);
	if (status)
		return status;
	if (!cluster)
		status = is_cluster(&cluster, args, args->word[0], in, err);
	if (!status && cluster)
		status = convert_cluster(args, in, to, path, err);
	sl_input_close(in);
	return status || cluster ? status : convert_trace(args, to, path, err);
}

/* All is done, and goes nowhere: what would be refused is refused. */
static int convert_dry(const struct args *args, const char *path, struct sl_err *err)
{
	struct dry_run dry;
	int status = dry_file_check(path, err);
	if (!status)
		status = convert_to(args, "/dev/null", err);
	if (status)
		return status;
	dry_begin(&dry, args);
	for (size_t i = 0; i < args->word_count && (i == 0 || arg(args, "output")); i++)
		dry_read(&dry, args->word[i]);
	dry_write(&dry, path);
	return dry_end(&dry, err);
}

static int convert_run(const struct args *args, struct sl_err *err)
{
	const char *path = NULL;
	int status = out_path(&path, args, err);
	if (!status)
		status = json_apart(args, path, err);
	if (status)
		return status;
	return arg_flag(args, "dry-run") ? convert_dry(args, path, err) : convert_to(args, path, err);
}

static const struct option_def options[] = {
	{ "to", 0, "FORMAT", false,
		"format to write, see 'schedlab list writers'; default swf. Of a cluster: yaml (default), json" },
	{ "output", 'o', "FILE", false, "in place of OUT" },
	{ "clean", 0, NULL, false,
		"drop rows that make no sense, and sort by submission, as a replay would" },
	{ OPTION_STRICT },
	OPTIONS_OF_FILE,
};

const struct command cmd_convert = {
	.name = "convert",
	.usage = "convert IN OUT [options]",
	.summary = "write a trace in another format, or cleaned; a cluster as our file",
	.detail =
		"Reads IN ('-': standard input; .gz, .zst and .xz are recognised by content) and writes OUT\n"
		"('-': standard output) with all fields and the header. OUT appears whole or not at all.\n"
		"Several traces are merged into the one that -o names, by submission.\n"
		"A cluster (its content or a folder says so) is written as our cluster file, see\n"
		"schedlab-cluster(5).\n"
		"\n"
		"examples:\n"
		"  schedlab convert trace.swf.xz trace.swf\n"
		"  schedlab convert trace.swf.xz trace.csv --to table\n"
		"  schedlab convert --clean trace.swf.gz - | gzip > clean.swf.gz\n"
		"  schedlab convert batch.swf sessions.csv --to table -o both.csv\n"
		"  schedlab convert cluster.json -o cluster.yaml\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = CONVERT_FILES_MAX,
	.run = convert_run,
};
