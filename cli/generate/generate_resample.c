/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * generate_resample.c - schedlab generate resample: another trace like this one, out of its users.
 *
 * Which jobs come when, resample.c says. Rows keep all that they say, in the trace's own format where that is
 * written. Three things change with the submission: times that a row gives beside it move along; jobs are
 * numbered anew, and the job before (SWF's field 17) is that of the same drawn user, if it is there; a user
 * who is drawn again is another user, with a name of his own.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/convert/convert.h"
#include "cli/generate/generate.h"
#include "models/generators/resample.h"

struct resampling {
	struct conversion c;
	struct scenario scenario;
	uint32_t *user; /* By job: dense, from 0. */
	uint32_t users;
	int64_t copy_step; /* Of users that are numbers: this far apart. */
	struct resample made;
	uint64_t dependencies; /* That were left out. */
};

/* ---- Reading ------------------------------------------------------------------------------ */

static int generate_resample_on_header(void *self, const char *key, const char *value, struct sl_err *err)
{
	/* What would no longer be true. */
	static const char *const stale[] = { "MaxJobs", "MaxRecords", "EndTime", "UnixEndTime", "Note" };
	for (size_t i = 0; i + 1 < SL_LEN(stale); i++)
		if (strcmp(key, stale[i]) == 0)
			return SL_OK;
	return convert_header(self, key, value, err);
}

static int generate_resample_on_row(
	void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct conversion *c = self;
	c->any_more |= !gone && row->more && row->more->job;
	return convert_keep(c, row, gone, err);
}

/* --to, or the format of the trace if that is written, or a table; of standard input, SWF where that says
 * all. */
static int choose_writer(struct resampling *r, const struct args *args, struct sl_err *err)
{
	struct conversion *c = &r->c;
	const struct sl_writer *const *known = args->registry->known.writers;
	const char *to = arg(args, "to");
	if (to) {
		c->writer = sl_by_name(known, to);
		return c->writer ? SL_OK
				 : sl_fail(err, SL_USAGE,
					   "unknown format '%s': 'schedlab list writers' shows all", to);
	}
	c->writer = sl_by_name(known, c->row_count && c->row[0].more ? "table" : "swf");
	if (strcmp(c->path, "-") == 0)
		return SL_OK;
	struct sl_input *in;
	const struct sl_reader *reader;
	int status = sl_input_open(&in, c->path, err);
	if (status)
		return status;
	status = reader_choose(c->registry, &reader, in, err);
	sl_input_close(in);
	if (!status && sl_by_name(known, reader->name))
		c->writer = sl_by_name(known, reader->name);
	return status;
}

static int resample_read(struct resampling *r, const struct args *args, struct sl_err *err)
{
	const struct scenario_watch watch = { &r->c, generate_resample_on_header, generate_resample_on_row,
		NULL };
	const struct scenario_options options = { .trace = r->c.path,
		.registry = r->c.registry,
		.strict = arg_flag(args, "strict"),
		.any_machine = true,
		.watch = &watch };
	int status = scenario_load(&r->scenario, &options, err);
	if (status)
		return status;
	SL_CHECK(r->scenario.jobs.count == r->c.row_count);
	r->c.dated = r->scenario.dated;
	talk_anomalies(&r->scenario);
	status = choose_writer(r, args, err);
	if (status)
		return status;
	int64_t largest;
	status = generate_users(&r->scenario.jobs, &r->user, &r->users, &largest, err);
	r->copy_step = 1;
	while (r->copy_step <= largest)
		r->copy_step *= 10;
	return status;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* What of a row changes. */
struct changed {
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_job_attributes job;
	char user[512], gang[512];
};

static void generate_resample_move(sl_time *time, sl_time by)
{
	if (*time != SL_NONE)
		*time += by;
}

static void change_more(struct resampling *r, struct changed *to, const struct resample_job *job, sl_time by)
{
	to->more = *to->row.more;
	to->row.more = &to->more;
	to->more.id = NULL;
	if (to->more.user && job->copy) {
		(void)snprintf(to->user, sizeof(to->user), "%.480s~%u", to->more.user, job->copy + 1);
		to->more.user = to->user;
	}
	if (to->more.gang) {
		(void)snprintf(to->gang, sizeof(to->gang), "%.480s~%u", to->more.gang, job->instance + 1);
		to->more.gang = to->gang;
	}
	if (to->more.cancel)
		generate_resample_move(&to->more.cancel, by);
	if (!to->more.job)
		return;
	to->job = *to->more.job;
	to->more.job = &to->job;
	r->dependencies += to->job.dependency != NULL;
	to->job.dependency = NULL; /* By numbers that are no more. */
	generate_resample_move(&to->job.begin, by);
	generate_resample_move(&to->job.deadline, by);
	generate_resample_move(&to->job.start_recorded, by);
	generate_resample_move(&to->job.end_recorded, by);
}

/* By instance and row of the trace, the number of the job that it became. */
struct became {
	uint32_t instance, row, id;
	int64_t old_id;
};

static int by_old(const void *a, const void *b)
{
	const struct became *x = a;
	const struct became *y = b;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	if (x->old_id != y->old_id)
		return x->old_id < y->old_id ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The latest before `id` of the same drawn user that was called so; SL_NONE. */
static int64_t previous_of(
	const struct became *became, size_t count, uint32_t instance, int64_t old_id, uint32_t id)
{
	const struct became wanted = { .instance = instance, .old_id = old_id, .id = id };
	size_t low = 0;
	size_t high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (by_old(&became[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	const bool found =
		low > 0 && became[low - 1].instance == instance && became[low - 1].old_id == old_id;
	return found ? became[low - 1].id : SL_NONE;
}

static const struct sl_row *generate_resample_row_of(const struct resampling *r, uint32_t job)
{
	const uint32_t *place = r->scenario.jobs.place;
	return &r->c.row[place ? place[job] : job];
}

static int write_job(struct resampling *r, size_t i, const struct became *became, struct sl_err *err)
{
	const struct resample_job *job = &r->made.job[i];
	struct changed to = { .row = *generate_resample_row_of(r, job->row) };
	const sl_time by = job->submit - r->scenario.jobs.submit[job->row];
	int64_t *col = to.row.col;
	col[SL_COL_ID] = (int64_t)i + 1;
	col[SL_COL_SUBMIT] += by;
	if (col[SL_COL_USER] != SL_NONE && col[SL_COL_USER] >= 0)
		col[SL_COL_USER] += job->copy * r->copy_step;
	if (col[SL_COL_PREV] != SL_NONE && col[SL_COL_PREV] > 0)
		col[SL_COL_PREV] =
			previous_of(became, r->made.count, job->instance, col[SL_COL_PREV], (uint32_t)i + 1);
	if (col[SL_COL_PREV] == SL_NONE)
		col[SL_COL_THINK] = SL_NONE;
	if (to.row.more)
		change_more(r, &to, job, by);
	return convert_row(&r->c, &to.row, err);
}

static int resample_write(struct resampling *r, struct sl_err *err)
{
	struct became *became = calloc(r->made.count, sizeof(*became));
	if (!became)
		return sl_fail_memory(err);
	for (size_t i = 0; i < r->made.count; i++) {
		const struct resample_job *job = &r->made.job[i];
		became[i] = (struct became){ job->instance, job->row, (uint32_t)i + 1,
			generate_resample_row_of(r, job->row)->col[SL_COL_ID] };
	}
	qsort(became, r->made.count, sizeof(*became), by_old);
	int status = SL_OK;
	for (size_t i = 0; i < r->made.count && !status; i++)
		status = write_job(r, i, became, err);
	free(became);
	if (!status && r->dependencies)
		talk("dependencies left out: %llu, for jobs are numbered anew",
			(unsigned long long)r->dependencies);
	return status;
}

/* ---- The command ------------------------------------------------------------------------------ */

static int options_of(struct resample_options *options, const struct args *args, struct sl_err *err)
{
	uint64_t temporary;
	uint64_t weeks;
	int status = generate_factor(args, "load", &options->load, err);
	if (!status)
		status = arg_u64(args, "temporary", 12, 0, 10000, &temporary, err);
	if (!status)
		status = arg_u64(args, "weeks", 0, 1, 10000, &weeks, err);
	if (!status)
		status = arg_u64(args, "seed", 1, 0, UINT64_MAX, &options->seed, err);
	if (status)
		return status;
	options->temporary = (int64_t)temporary;
	options->weeks = (int64_t)weeks;
	return SL_OK;
}

static int generate_resample_note(
	struct resampling *r, const struct resample_options *options, struct sl_err *err)
{
	char text[256];
	char load[32];
	*sl_put_micro(load, (int64_t)(options->load * 1e6 + 0.5)) = '\0';
	(void)snprintf(text, sizeof(text),
		"users drawn anew by: schedlab generate resample --load %s --temporary %lld --weeks %lld --seed %llu",
		load, (long long)options->temporary, (long long)r->made.weeks,
		(unsigned long long)options->seed);
	talk("%lld week(s) of %u long-term and %u temporary users: %lld week(s), %zu jobs of %u users",
		(long long)r->made.trace_weeks, r->made.lasting, r->made.temporary, (long long)r->made.weeks,
		r->made.count, r->made.instances);
	return convert_header(&r->c, "Note", text, err);
}

static int resample_all(struct resampling *r, const struct args *args, struct sl_err *err)
{
	struct resample_options options;
	int status = options_of(&options, args, err);
	if (!status)
		status = resample_read(r, args, err);
	if (status)
		return status;
	const struct resample_trace trace = { .count = r->scenario.jobs.count,
		.submit = r->scenario.jobs.submit,
		.user = r->user,
		.users = r->users };
	if (!trace.count)
		return sl_fail(err, SL_INPUT, "%s: no job of it can be replayed", r->c.path);
	status = resample_make(&r->made, &trace, &options, err);
	if (!status)
		status = generate_resample_note(r, &options, err);
	if (!status)
		status = file_out_open(
			&r->c.out, arg_flag(args, "dry-run") ? "/dev/null" : arg(args, "output"), args, err);
	if (status)
		return status;
	status = resample_write(r, err);
	if (!status)
		return sl_out_commit(r->c.out, err);
	sl_out_abandon(r->c.out);
	return status;
}

static int resample_run(const struct args *args, struct sl_err *err)
{
	if (args->word_count != 2)
		return sl_fail(err, SL_USAGE, "give one trace: schedlab generate resample TRACE");
	struct resampling r = {
		.c = { .path = args->word[1], .arena = args->arena, .registry = args->registry }
	};
	const int status = resample_all(&r, args, err);
	resample_release(&r.made);
	scenario_release(&r.scenario);
	convert_release(&r.c);
	free(r.user);
	return status;
}

static const struct option_def options[] = {
	{ "load", 0, "0.001..1000", false, "a factor on the number of users; default 1" },
	{ "temporary", 0, "0..10000", false,
		"users whose jobs all lie within so many weeks are temporary; default 12" },
	{ "weeks", 0, "1..10000", false, "of what is made; default: as many as the trace has" },
	{ "to", 0, "FORMAT", false,
		"format to write, see 'schedlab list writers'; default: the trace's, else table" },
	{ OPTION_STRICT },
};

const struct generate_way generate_resample = { "resample", options, SL_LEN(options), resample_run };
