/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_anonymize.c - schedlab anonymize: a trace under other names, by a key.
 */
#include <string.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/convert/anonymize.h"
#include "cli/run/dry_run.h"

static const struct option_def options[] = {
	{ "output", 'o', "FILE", false, "where to write; '-': standard output" },
	{ "key", 0, "FILE", false, "the key, at least 16 bytes; the same key gives the same names" },
	{ "new-key", 0, NULL, false, "make the key's file first; it must not be there yet" },
	{ "keep-partitions", 0, NULL, false, "leave the names of partitions as they are" },
	OPTIONS_OF_FILE,
};

/* What it is: sacct -P by its header, else as the readers say. */
static int cmd_anonymize_kind_of(
	enum table_kind *kind, const struct args *args, struct sl_input *in, struct sl_err *err)
{
	const struct sl_reader *reader;
	const char *text;
	const char *end;
	const int more = sl_input_peek(in, &text, &end, err);
	*kind = TABLE_NONE;
	if (more < 0)
		return more;
	if (more)
		*kind = anonymize_table_kind(text, end);
	if (*kind != TABLE_NONE)
		return SL_OK;
	const int status = reader_choose(args->registry, &reader, in, err);
	if (status)
		return status;
	if (strcmp(reader->name, "table") == 0)
		*kind = TABLE_CSV;
	else if (strcmp(reader->name, "swf") != 0)
		return sl_fail(err, SL_INPUT,
			"%s: is of format '%s': anonymize takes swf, table, and sacct -P with a header",
			args->word[0], reader->name);
	return SL_OK;
}

static int write_all(const struct args *args, struct pseudonyms *p, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	struct sl_out *out;
	enum table_kind kind;
	int status = sl_input_open(&in, args->word[0], err);
	if (status)
		return status;
	status = cmd_anonymize_kind_of(&kind, args, in, err);
	if (!status)
		status = file_out_open(&out, path, args, err);
	if (status) {
		sl_input_close(in);
		return status;
	}
	if (kind == TABLE_NONE)
		status = anonymize_swf(p, args->word[0], out, err);
	else
		status = anonymize_table(p, kind, in, arg_flag(args, "keep-partitions"), out, err);
	sl_input_close(in);
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

static int cmd_anonymize_reported(
	const struct args *args, const struct pseudonyms *p, const char *path, struct sl_err *err)
{
	struct dry_run dry;
	if (arg_flag(args, "dry-run")) {
		dry_begin(&dry, args);
		dry_read(&dry, args->word[0]);
		if (!arg_flag(args, "new-key"))
			dry_read(&dry, arg(args, "key"));
		dry_count(&dry, "names", "names replaced", p->original.count);
		if (arg_flag(args, "new-key"))
			dry_write(&dry, arg(args, "key"));
		dry_write(&dry, path);
		return dry_end(&dry, err);
	}
	if (!arg_flag(args, "json"))
		return SL_OK;
	return json_of_file(
		path, err, datum_text("of", args->word[0]), datum_count("names", p->original.count));
}

static int anonymize_run(const struct args *args, struct sl_err *err)
{
	struct pseudonyms p;
	if (!arg(args, "output"))
		return sl_fail(err, SL_USAGE, "give -o FILE, or '-o -' for standard output");
	if (!arg(args, "key"))
		return sl_fail(err, SL_USAGE, "give --key FILE; with --new-key it is made");
	const char *path = arg(args, "output");
	const bool dry = arg_flag(args, "dry-run");
	const bool make = arg_flag(args, "new-key");
	int status = json_apart(args, path, err);
	if (!status && dry)
		status = dry_file_check(path, err);
	if (status)
		return status;
	if (dry && make)
		status = pseudonyms_try(&p, arg(args, "key"), args->arena, err);
	else
		status = pseudonyms_init(&p, arg(args, "key"), make, args->arena, err);
	const bool made = !status && make && !dry;
	if (!status)
		status = write_all(args, &p, dry ? "/dev/null" : path, err);
	if (status && made)
		(void)unlink(
			arg(args, "key")); /* Nothing was written with it, and the next try is to make one. */
	if (!status)
		status = cmd_anonymize_reported(args, &p, path, err);
	pseudonyms_release(&p);
	return status;
}

const struct command cmd_anonymize = {
	.name = "anonymize",
	.usage = "anonymize TRACE -o FILE --key FILE [options]",
	.summary = "write a trace with other names for users, accounts, groups and jobs",
	.detail =
		"Names are hashed under a key (HMAC-SHA256), comments and paths are blanked, numbers and times\n"
		"stay. Takes SWF, our table, and sacct -P with a header. FILE appears whole or not at all.\n"
		"\n"
		"examples:\n"
		"  schedlab anonymize sacct.txt -o safe.txt --key site.key --new-key\n"
		"  schedlab anonymize log.swf.gz -o - --key site.key | gzip > safe.swf.gz\n",
	.options = options,
	.option_count = SL_LEN(options),
	.words_min = 1,
	.words_max = 1,
	.run = anonymize_run,
};
