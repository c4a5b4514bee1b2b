/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_swf.c - the SWF reader and writer, field by field: what a line says, its anomalies, and where it is
 * wrong.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/registry/plugins.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/memfile.h"

/* Logs each call of the reader, one a line. */
struct heard {
	char text[4000];
	size_t len;
	struct sl_row row; /* The last. */
	unsigned rows;
	bool strict;
};

static void hear(struct heard *heard, const char *format, ...) SL_PRINTF(2, 3);
static void hear(struct heard *heard, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	heard->len +=
		(size_t)vsnprintf(heard->text + heard->len, sizeof(heard->text) - heard->len, format, args);
	va_end(args);
	cr_assert(heard->len < sizeof(heard->text));
}

static int on_job(void *self, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	struct heard *heard = self;
	heard->row = *row;
	heard->rows++;
	hear(heard, "job %" PRId64 " of line %" PRIu64 "\n", row->col[SL_COL_ID], row->line);
	return SL_OK;
}

static int on_header(
	void *self, const char *key, const char *value, const struct sl_place *at, struct sl_err *err)
{
	(void)err;
	hear(self, "%" PRIu64 " [%s] = [%s]\n", at->line, key, value);
	return SL_OK;
}

static int on_anomaly(void *self, const char *cause, const struct sl_place *at, struct sl_err *err)
{
	struct heard *heard = self;
	hear(heard, "%" PRIu64 ":%u %s\n", at->line, at->column, cause);
	return heard->strict ? sl_fail_at(err, at, "%s", cause) : SL_OK;
}

static int read_swf(struct heard *heard, const char *text, size_t len, struct sl_err *err)
{
	char path[32];
	struct sl_input *in;
	*err = (struct sl_err){ 0 };
	cr_assert_eq(sl_input_open(&in, memfile(path, text, len), err), SL_OK);
	const struct sl_sink sink = { heard, on_job, on_header, on_anomaly, NULL, NULL, NULL, NULL };
	const int status = builtin_registry()->known.readers[0]->read(in, &sink, err);
	sl_input_close(in);
	return status;
}

#define LINE "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"

/* ---- Lines -------------------------------------------------------------------- */

/* Each field goes to its column, times in microseconds. */
Test(swf, every_field)
{
	struct heard heard = { 0 };
	struct sl_err err;
	cr_assert_eq(read_swf(&heard, LINE, strlen(LINE), &err), SL_OK, "%s", err.text);
	static const bool is_time[SL_COL_COUNT] = { [SL_COL_SUBMIT] = true,
		[SL_COL_WAIT] = true,
		[SL_COL_RUN] = true,
		[SL_COL_CPU_TIME] = true,
		[SL_COL_LIMIT] = true,
		[SL_COL_THINK] = true };
	for (int i = 0; i < SL_COL_COUNT; i++)
		cr_expect_eq(heard.row.col[i], (i + 1) * (is_time[i] ? SL_SECOND : 1), "field %d is %" PRId64,
			i + 1, heard.row.col[i]);
	cr_expect_str_eq(heard.text, "job 1 of line 1\n");
}

/* One field of a line, as written, and what it must read as. */
Test(swf, numbers)
{
	static const struct {
		int field; /* From 1. */
		const char *text;
		int64_t want;
		bool odd;
	} cases[] = {
		{ 4, "0", 0, false },
		{ 4, "-1", SL_NONE, false },
		{ 4, "-7", SL_NONE, false },
		{ 4, "-1.5", SL_NONE, false },
		{ 4, "-0", 0, false },
		{ 4, "7", 7 * SL_SECOND, false },
		{ 4, "1234567", 1234567 * SL_SECOND, false },
		{ 4, "12345678", 12345678 * SL_SECOND, false },
		{ 4, "123456789", 123456789 * SL_SECOND, false },
		{ 2, "1357017609", 1357017609 * SL_SECOND, false },
		{ 4, "999999999999", 999999999999 * SL_SECOND, false },
		{ 4, "9223372036854", 9223372036854 * SL_SECOND, false }, /* The largest. */
		{ 4, "0000000000000000000012", 12 * SL_SECOND, false },
		{ 4, "12.5", 12500000, false },
		{ 4, "12.", 12000000, false },
		{ 4, ".25", 250000, false },
		{ 4, "1e3", 1000 * SL_SECOND, false },
		{ 4, "1.5E-3", 1500, false },
		{ 4, "+5", 5 * SL_SECOND, false },
		{ 4, "0.0000005", 1, false }, /* Half a microsecond goes up. */
		{ 4, "0.123456", 123456, false },
		{ 8, "2147483647", INT32_MAX, false },
		{ 8, "4.0", 4, false },
		{ 8, "4.2", 5, true },
		{ 8, "1e3", 1000, false },
		{ 1, "9223372036854775807", INT64_MAX, false },
		{ 12, "1.5", 2, true },
		{ 6, "27.13", 27130000, false },
		{ 6, "none", SL_NONE, true },
		{ 7, "99999999999999999999", SL_NONE, true },
		{ 14, "a.out", SL_NONE, true },
		{ 15, "batch", SL_NONE, true },
		{ 10, "nan", SL_NONE, true },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char line[200] = "";
		for (int field = 1; field <= SL_COL_COUNT; field++) {
			strncat(line, field == cases[i].field ? cases[i].text : "1", 40);
			strncat(line, field < SL_COL_COUNT ? " " : "\n", 2);
		}
		struct heard heard = { 0 };
		struct sl_err err;
		const int status = read_swf(&heard, line, strlen(line), &err);
		cr_expect_eq(status, SL_OK, "'%s': %s", cases[i].text, err.text);
		const int64_t got = heard.row.col[cases[i].field - 1];
		cr_expect_eq(got, cases[i].want, "'%s' in field %d is %" PRId64, cases[i].text,
			cases[i].field, got);
		const char *cause = cases[i].field == 8 || cases[i].field == 12 || cases[i].field == 1
					    ? "fractional count rounded up"
					    : "unreadable optional field";
		cr_expect_eq(strstr(heard.text, cause) != NULL, cases[i].odd, "'%s': %s", cases[i].text,
			heard.text);
	}
}

/* A whole number of so many random digits, or -1; its value in *want. */
static int random_word(struct sl_rng *rng, char *to, unsigned digits_max, int64_t *want)
{
	const unsigned digits = (unsigned)sl_rng_below(rng, digits_max + 1);
	*want = digits ? 0 : -1;
	if (!digits)
		return snprintf(to, 3, "-1");
	for (unsigned i = 0; i < digits; i++) {
		to[i] = (char)('0' + sl_rng_below(rng, 10));
		*want = *want * 10 + (to[i] - '0');
	}
	return (int)digits;
}

/* Words of any length between any blanks are what strtoll would make of them. */
Test(swf, random_words)
{
	static const char *const blanks[] = { " ", " ", " ", "  ", "\t", " \t", "\r ", "     " };
	static const char *const ends[] = { "\n", " \n", "\r\n", "\t\n", "" };
	static const unsigned digits_max[SL_COL_COUNT] = { 18, 12, 12, 12, 9, 12, 18, 9, 12, 18, 9, 9, 9, 18,
		18, 9, 18, 12 };
	const unsigned times = 1U << SL_COL_SUBMIT | 1U << SL_COL_WAIT | 1U << SL_COL_RUN |
			       1U << SL_COL_CPU_TIME | 1U << SL_COL_LIMIT | 1U << SL_COL_THINK;
	struct sl_rng rng = sl_rng_stream(1, "tests/swf/words");
	for (uint64_t round = 0, rounds = effort_of(400, 2000, 2000); round < rounds; round++) {
		char line[600];
		int64_t want[SL_COL_COUNT];
		int len = 0;
		for (int i = 0; i < SL_COL_COUNT; i++) {
			len += snprintf(line + len, sizeof(line) - (size_t)len, "%s",
				i ? blanks[sl_rng_below(&rng, SL_LEN(blanks))] : "");
			len += random_word(&rng, line + len, digits_max[i], &want[i]);
		}
		len += snprintf(
			line + len, sizeof(line) - (size_t)len, "%s", ends[sl_rng_below(&rng, SL_LEN(ends))]);
		struct heard heard = { 0 };
		struct sl_err err;
		cr_assert_eq(read_swf(&heard, line, (size_t)len, &err), SL_OK, "%s: %s", line, err.text);
		cr_assert(heard.rows == 1 && strstr(heard.text, "line 1\n") && !strchr(heard.text, ':'),
			"%s: %s", line, heard.text);
		for (int i = 0; i < SL_COL_COUNT; i++) {
			const int64_t unit = times >> i & 1 ? SL_SECOND : 1;
			cr_assert_eq(heard.row.col[i], want[i] < 0 ? SL_NONE : want[i] * unit,
				"field %d of %s is %" PRId64, i + 1, line, heard.row.col[i]);
		}
	}
}

/* Texts, and what the sink hears. */
Test(swf, lines)
{
	static const struct {
		const char *what, *text, *want;
	} cases[] = {
		{ "blanks, tabs, CRLF, blank lines",
			"\r\n  \t" LINE "\t \r\n\n \n2\t2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
			"job 1 of line 2\njob 2 of line 5\n" },
		{ "more than 18", LINE " 19\n" LINE " x 20\r\n",
			"1:46 more than 18 fields\njob 1 of line 1\n2:46 more than 18 fields\njob 1 of line 2\n" },
		{ "fewer than 18", LINE "\n1 2 3\n" LINE "\n",
			"job 1 of line 1\n2:6 fewer than 18 fields\njob 1 of line 3\n" },
		{ "17", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "1:42 fewer than 18 fields\n" },
		{ "cut in the last line", LINE "\n" LINE "\n12 3",
			"job 1 of line 1\njob 1 of line 2\n3:5 fewer than 18 fields\n" },
		{ "one oddity a line, the first", "1 2 3 4 5 x 7 8.5 9 10 11 12 13 14 15 16 17 18 19\n",
			"1:11 unreadable optional field\njob 1 of line 1\n" },
		{ "what is odd in a short line does not count", "1 2 3 4 5 x\n",
			"1:12 fewer than 18 fields\n" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct heard heard = { 0 };
		struct sl_err err;
		const int status = read_swf(&heard, cases[i].text, strlen(cases[i].text), &err);
		cr_expect_eq(status, SL_OK, "%s: %s", cases[i].what, err.text);
		cr_expect_str_eq(heard.text, cases[i].want, "%s:\n%s", cases[i].what, heard.text);
	}
}

/* Labels have no blanks; other comments come without a key; what follows the first job is no header. */
Test(swf, header)
{
	static const char text[] = "; Version: 2.2\r\n"
				   "  ;MaxProcs:128 (two)\n"
				   ";   free text: of any kind\n"
				   ";\n"
				   "; Note:\n" LINE "\n"
				   "; Late: 1\n";
	struct heard heard = { 0 };
	struct sl_err err;
	cr_assert_eq(read_swf(&heard, text, strlen(text), &err), SL_OK, "%s", err.text);
	cr_expect_str_eq(heard.text,
		"1 [Version] = [2.2]\n2 [MaxProcs] = [128 (two)]\n3 [] = [   free text: of any kind]\n4 [] = []\n"
		"5 [Note] = []\njob 1 of line 6\n",
		"%s", heard.text);
}

/* A needed number that is none is an error, which says where and what; so is what is not SWF at all. */
Test(swf, errors)
{
	static const struct {
		const char *text, *want; /* want: behind the file's name. */
	} cases[] = {
		{ LINE "\n1 2 3 abc 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
			":2:7: field 4 (run time) is not a number: 'abc'; -1 says unknown" },
		{ "1 2 3 nan 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
			":1:7: field 4 (run time) is not a number: 'nan'; -1 says unknown" },
		{ LINE "\n" LINE "\n 1 99999999999999999999 3 4",
			":3:4: field 2 (submit time) is out of range: '99999999999999999999'; the largest is "
			"9223372036854, and -1 says unknown" },
		{ "1 2 3 4 2147483648 6 7 8 9 10 11 12 13 14 15 16 17 18",
			":1:9: field 5 (allocated processors) is out of range: '2147483648'; the largest is 2147483647, "
			"and -1 says unknown" },
		{ "1 2 3 4 5 6 7 8 9 10 11 1e10 13 14 15 16 17 18",
			":1:25: field 12 (user) is out of range: '1e10'; the largest is 2147483647, and -1 says unknown" },
		{ "1 2 3 4e999 5",
			":1:7: field 4 (run time) is out of range: '4e999'; the largest is 9223372036854, "
			"and -1 says unknown" },
		{ "1 2 3 1.2.3 5", ":1:7: field 4 (run time) is not a number: '1.2.3'; -1 says unknown" },
		{ "1 2 3 - 5", ":1:7: field 4 (run time) is not a number: '-'; -1 says unknown" },
		{ "1 2 3 0x10 5", ":1:7: field 4 (run time) is not a number: '0x10'; -1 says unknown" },
		{ "; x\njob,user,submit\n1,2,3\n",
			":2:1: not SWF: field 1 (job number) is 'job,user,submit'; a line of SWF is 18 numbers between "
			"blanks, a comment begins with ';'" },
		{ "; x\n; y\n", ": has no jobs, only comments: give a trace with jobs" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct heard heard = { 0 };
		struct sl_err err;
		const int status = read_swf(&heard, cases[i].text, strlen(cases[i].text), &err);
		cr_expect_eq(status, SL_INPUT, "case %zu: status %d", i, status);
		const char *colon = strchr(err.text, ':');
		cr_assert(colon, "case %zu: '%s'", i, err.text);
		cr_expect_str_eq(colon, cases[i].want, "case %zu: %s", i, err.text);
	}
	/* NULs in the first line, in a field that comes late: no text at all. */
	static const char binary[] = "1 2 \0\1 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n";
	struct heard heard = { 0 };
	struct sl_err err;
	cr_expect_eq(read_swf(&heard, binary, sizeof(binary) - 1, &err), SL_INPUT);
	cr_expect(strstr(err.text, "not SWF"), "%s", err.text);
}

/* A sink's refusal ends the reading at once. */
Test(swf, sink_stops)
{
	static const char text[] = LINE "\n" LINE " 19\n" LINE "\n";
	struct heard heard = { .strict = true };
	struct sl_err err;
	cr_expect_eq(read_swf(&heard, text, strlen(text), &err), SL_INPUT);
	cr_expect_eq(heard.rows, 1);
}

/* ---- Sniffing -------------------------------------------------------------------- */

Test(swf, sniff)
{
	static const struct {
		const char *text;
		bool swf;
	} cases[] = {
		{ "; Version: 2\n" LINE "\n", true },
		{ LINE "\n", true },
		{ "\n \n" LINE, true },
		{ "1 2 3 abc 5 6 7 8 9 10 11\n", true }, /* Broken, but it is SWF that is broken. */
		{ "; only a comment\n", true },
		{ "; comment\n1 2 3\n", true },
		{ "1 2 3\n", false },
		{ "job_id,submit,start\n1,2,3\n", false },
		{ "; a comment of some other language\nint main(void)\n", false },
		{ "a b c d e f g h i j k l m n o p q r s t\n", false },
		{ "", false },
		{ "\n\n", false },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		const int sure =
			builtin_registry()->known.readers[0]->sniff(cases[i].text, strlen(cases[i].text));
		cr_expect_eq(sure > 0, cases[i].swf, "case %zu: %d", i, sure);
		cr_expect(sure >= 0 && sure <= 100);
	}
}

/* ---- Writing ----------------------------------------------------------------------- */

/* What is read comes out again: header, comments, every field, decimals, unknowns. */
Test(swf, writer)
{
	static const char *const header[][2] = { { "MaxProcs", "128" }, { "", " free text" }, { "", "" } };
	static const char want[] = "; MaxProcs: 128\n; free text\n;\n"
				   "1 2 3 4 5 6.25 7 8 9 10 11 12 13 14 15 16 17 18\n"
				   "2 0.000001 -1 1000 -1 -1 -1 8 9 10 11 12 13 14 15 16 17 -1\n";
	static const char text[] = "1 2 3 4 5 6.25 7 8 9 10 11 12 13 14 15 16 17 18\n";
	static const char more[] = "2 1e-6 -1 1e3 -3 -1 -1 8 9 10 11 12 13 14 15 16 17 -1\n";
	char path[] = "/tmp/test_swf.XXXXXX";
	const int fd = mkstemp(path);
	cr_assert(fd >= 0);
	struct sl_err err = { 0 };
	struct sl_out *out;
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	const struct sl_writer *writer = builtin_registry()->known.writers[0];
	cr_assert_eq(writer->begin(out, (const void *)header, SL_LEN(header), &err), SL_OK);
	struct heard heard = { 0 };
	cr_assert_eq(read_swf(&heard, text, strlen(text), &err), SL_OK);
	cr_assert_eq(writer->job(out, &heard.row, &err), SL_OK);
	cr_assert_eq(read_swf(&heard, more, strlen(more), &err), SL_OK);
	cr_assert_eq(writer->job(out, &heard.row, &err), SL_OK);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	char got[1000] = "";
	FILE *file = fopen(path, "r");
	(void)unlink(path);
	cr_assert(file && fread(got, 1, sizeof(got) - 1, file) > 0);
	(void)fclose(file);
	(void)close(fd);
	cr_expect_str_eq(got, want, "%s", got);
}
