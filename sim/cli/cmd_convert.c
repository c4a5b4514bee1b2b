/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_convert.c - schedlab convert: a trace in another format, or cleaned.
 *
 * Rows go from the reader to the writer with all their fields, as they come.
 * With --clean they are first held, until the scenario has dropped what makes
 * no sense and put the rest in order: a replay of the result is that of the
 * original, and has nothing to repair.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/cli.h"

struct header_pair {
	const char *text[2];
};

struct conversion {
	const struct sl_writer *writer;
	struct sl_out *out;
	struct sl_arena *arena;
	const char *path;
	bool strict, begun;
	struct header_pair *header;
	size_t header_count, header_capacity;
	uint64_t written, odd, odd_line;
	const char *odd_first;
	struct sl_row *row; /* --clean: those that stay, in the file's order. */
	size_t row_count, row_capacity;
};

static int header_add(struct conversion *c, const char *key, const char *value, struct sl_err *err)
{
	void *array = c->header;
	const int status = grow(
		&array, &c->header_capacity, sizeof(*c->header), c->header_count + 1, SIZE_MAX / 64, err);
	c->header = array;
	if (status)
		return status;
	struct header_pair *pair = &c->header[c->header_count++];
	pair->text[0] = sl_strdup(c->arena, key, strlen(key));
	pair->text[1] = sl_strdup(c->arena, value, strlen(value));
	return pair->text[0] && pair->text[1] ? SL_OK : sl_fail_memory(err);
}

static int write_row(struct conversion *c, const struct sl_row *row, struct sl_err *err)
{
	if (cli_stop)
		return sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was written");
	if (!c->begun) {
		c->begun = true;
		const void *header = c->header; /* A pair is an array of two. */
		const int status = c->writer->begin(c->out, header, c->header_count, err);
		if (status)
			return status;
	}
	c->written++;
	return c->writer->job(c->out, row, err);
}

/* ---- As it is: straight from the reader to the writer ------------------------------- */

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	return write_row(self, row, err);
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)at;
	return header_add(self, key, value, err);
}

static int on_oddity(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	struct conversion *c = self;
	if (c->strict)
		return sl_fail_at(err, at, "%s: mend the line, or run without --strict", cause);
	if (!c->odd++) {
		c->odd_first = cause;
		c->odd_line = at->line;
	}
	return SL_OK;
}

static int convert_as_is(struct conversion *c, struct sl_err *err)
{
	struct sl_input *in;
	const struct sl_reader *reader;
	int status = sl_input_open(&in, c->path, err);
	if (status)
		return status;
	status = reader_choose(&reader, in, err);
	if (!status) {
		const struct sl_sink sink = { c, on_job, on_header, on_oddity, NULL, NULL };
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
	return header_add(self, key, value, err);
}

static int on_clean_row(void *self, const struct sl_row *row, const char *gone, struct sl_err *err)
{
	struct conversion *c = self;
	if (gone)
		return SL_OK;
	void *array = c->row;
	const int status = grow(&array, &c->row_capacity, sizeof(*c->row), c->row_count + 1, UINT32_MAX, err);
	c->row = array;
	if (!status)
		c->row[c->row_count++] = *row;
	return status;
}

static int convert_clean(struct conversion *c, struct sl_err *err)
{
	const struct scenario_watch watch = { c, on_clean_header, on_clean_row };
	const struct scenario_options options = {
		.trace = c->path, .strict = c->strict, .any_machine = true, .watch = &watch
	};
	struct scenario scenario;
	int status = scenario_load(&scenario, &options, err);
	if (status)
		return status;
	const uint32_t *place = scenario.jobs.place;
	SL_CHECK(scenario.jobs.count == c->row_count);
	for (uint32_t row = 0; row < scenario.jobs.count && !status; row++)
		status = write_row(c, &c->row[place ? place[row] : row], err);
	if (!status)
		talk_oddities(&scenario);
	scenario_release(&scenario);
	return status;
}

/* ---- The command ------------------------------------------------------------------------- */

static const char *writer_name_at(const void *list, size_t i)
{
	const struct sl_writer *const *writers = list;
	return writers[i] ? writers[i]->name : NULL;
}

static int writer_choose(const struct sl_writer **writer, const char *name, struct sl_err *err)
{
	for (size_t i = 0; sl_writers[i]; i++) {
		*writer = sl_writers[i];
		if (strcmp(sl_writers[i]->name, name) == 0)
			return SL_OK;
	}
	char near[128];
	return sl_fail(err, SL_USAGE, "unknown format '%s': %s'schedlab list writers' shows all", name,
		did_you_mean(near, nearest(name, writer_name_at, sl_writers)));
}

static int convert_run(const struct args *args, struct sl_err *err)
{
	struct conversion c = {
		.path = args->word[0], .arena = args->arena, .strict = arg_flag(args, "strict")
	};
	int status = writer_choose(&c.writer, arg(args, "to") ? arg(args, "to") : "swf", err);
	if (!status)
		status = sl_out_open(&c.out, args->word[1], err);
	if (status)
		return status;
	status = arg_flag(args, "clean") ? convert_clean(&c, err) : convert_as_is(&c, err);
	free(c.header);
	free(c.row);
	if (!status)
		return sl_out_commit(c.out, err);
	sl_out_abandon(c.out);
	return status;
}

static const struct option_def options[] = {
	{ "to", 0, "FORMAT", false, "format to write, see 'schedlab list writers'; default swf" },
	{ "clean", 0, NULL, false,
		"drop rows that make no sense, and sort by submission, as a replay would" },
	{ OPTION_STRICT },
};

const struct command cmd_convert = {
	.name = "convert",
	.usage = "convert IN OUT [options]",
	.summary = "write a trace in another format, or cleaned",
	.detail =
		"Reads IN ('-': standard input; .gz, .zst and .xz are recognised by content) and writes OUT\n"
		"('-': standard output) with all fields and the header. OUT appears whole or not at all.\n"
		"\n"
		"examples:\n"
		"  schedlab convert trace.swf.xz trace.swf\n"
		"  schedlab convert --clean trace.swf.gz - | gzip > clean.swf.gz\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 2,
	.words_max = 2,
	.run = convert_run,
};
