/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swf.c - the Standard Workload Format, read and written.
 *
 * Specification: D. Feitelson, "The Standard Workload Format", Parallel
 * Workloads Archive. A line is 18 numbers between blanks, negative meaning
 * unknown; `;` begins a comment, and `; Label: value` before the first job is
 * the header. Every line ends in a newline within reach (see sl_input_next),
 * so the scanner looks for no other end. Plain whole numbers, nearly all there
 * are, are read in place; all else goes to other_at, and what is no whole number on to field_odd.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "traces/traces.h"

#define TIME_MAX (INT64_MAX / SL_SECOND)

static const struct field {
	const char *name;
	int64_t unit; /* Of ours in one of the file's. */
	int64_t max;  /* In the file's. */
	bool needed;  /* Else what cannot be read is unknown. */
} fields[SL_COL_COUNT] = {
	{ "job number", 1, INT64_MAX, true },
	{ "submit time", SL_SECOND, TIME_MAX, true },
	{ "wait time", SL_SECOND, TIME_MAX, true },
	{ "run time", SL_SECOND, TIME_MAX, true },
	{ "allocated processors", 1, INT32_MAX, true },
	{ "average cpu time", SL_SECOND, TIME_MAX, false },
	{ "used memory", 1, INT64_MAX, false },
	{ "requested processors", 1, INT32_MAX, true },
	{ "requested time", SL_SECOND, TIME_MAX, true },
	{ "requested memory", 1, INT64_MAX, false },
	{ "status", 1, INT32_MAX, true },
	{ "user", 1, INT32_MAX, true },
	{ "group", 1, INT32_MAX, true },
	{ "executable", 1, INT64_MAX, false },
	{ "queue", 1, INT64_MAX, false },
	{ "partition", 1, INT32_MAX, true },
	{ "preceding job", 1, INT64_MAX, false },
	{ "think time", SL_SECOND, TIME_MAX, false },
};

static const char few[] = "fewer than 18 fields";
static const char many[] = "more than 18 fields";
static const char fraction[] = "fractional count rounded up";
static const char unreadable[] = "unreadable optional field";

struct scan {
	const struct sl_sink *sink;
	const char *file;
	const char *line; /* Where the current one begins. */
	struct sl_row row;
	bool begun;      /* A line of a job was seen: the header is over. */
	const char *odd; /* The first thing amiss in this line, or NULL. */
	const char *odd_at;
	int status; /* Why reading stopped, where a function answers NULL. */
	struct sl_err *err;
};

static inline bool swf_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline bool is_end(char c) { return swf_is_blank(c) || c == '\n'; }
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

static inline const char *skip_blanks(const char *p)
{
	while (swf_is_blank(*p))
		p++;
	return p;
}

static struct sl_place swf_place_of(const struct scan *s, const char *p)
{
	return (struct sl_place){ s->file, s->row.line, (uint32_t)(p - s->line) + 1 };
}

/* ---- Fields that are not plain whole numbers --------------------------------- */

/* A decimal's form, whatever its size. */
static bool is_decimal(const char *p, const char *end)
{
	p += p < end && (*p == '-' || *p == '+');
	const char *first = p;
	size_t digits = 0;
	for (; p < end && (is_digit(*p) || (*p == '.' && !memchr(first, '.', (size_t)(p - first)))); p++)
		digits += is_digit(*p);
	if (!digits || p == end)
		return digits > 0;
	if (*p != 'e' && *p != 'E')
		return false;
	p++;
	p += p < end && (*p == '-' || *p == '+');
	first = p;
	while (p < end && is_digit(*p))
		p++;
	return p == end && p > first;
}

/* text for a message: not too long, and nothing that upsets a terminal. */
static const char *displayed(char buffer[36], const char *text, const char *end)
{
	size_t len = 0;
	for (; text < end && len < 32; text++)
		buffer[len++] = (char)(*text >= ' ' && *text <= '~' ? *text : '?');
	if (text < end)
		for (int i = 0; i < 3; i++)
			buffer[len++] = '.';
	buffer[len] = '\0';
	return buffer;
}

static int fail_number(const struct scan *s, const struct field *field, const char *p, const char *end)
{
	const int number = (int)(field - fields) + 1;
	const struct sl_place at = swf_place_of(s, p);
	char buffer[36];
	if (is_decimal(p, end))
		return sl_fail_at(s->err, &at,
			"field %d (%s) is out of range: '%s'; the largest is %" PRId64
			", and -1 says unknown",
			number, field->name, displayed(buffer, p, end), field->max);
	if (!s->begun && (number == 1 || memchr(p, '\0', (size_t)(end - p))))
		return sl_fail_at(s->err, &at,
			"not SWF: field %d (%s) is '%s'; a line of SWF is 18 numbers between blanks, a comment "
			"begins with ';'",
			number, field->name, displayed(buffer, p, end));
	return sl_fail_at(s->err, &at, "field %d (%s) is not a number: '%s'; -1 says unknown", number,
		field->name, displayed(buffer, p, end));
}

static void swf_note(struct scan *s, const char *cause, const char *p)
{
	if (!s->odd) {
		s->odd = cause;
		s->odd_at = p;
	}
}

/* Reads the word at p with every care: signs, decimals, exponents, text. */
static bool field_read(
	struct scan *s, const struct field *field, const char *p, const char *end, int64_t *value)
{
	const size_t len = (size_t)(end - p);
	int64_t micro;
	if (*p == '-' && is_decimal(p, end)) { /* However negative, it is unknown; but -0 is 0. */
		*value = sl_get_micro(p, len, &micro) && micro == 0 ? 0 : SL_NONE;
		return true;
	}
	if (field->unit == SL_SECOND)
		return sl_get_micro(p, len, value);
	if (sl_get_i64(p, len, value))
		return *value <= field->max;
	if (!sl_get_micro(p, len, &micro))
		return false;
	if (micro % 1000000)
		swf_note(s, fraction, p);
	*value = micro / 1000000 + (micro % 1000000 != 0);
	return *value <= field->max;
}

/* Returns the end of the word; NULL on failure. */
static const char *field_odd(struct scan *s, size_t index, const char *p)
{
	const struct field *field = &fields[index];
	const char *end = p;
	while (!is_end(*end))
		end++;
	if (field_read(s, field, p, end, &s->row.col[index]))
		return end;
	/* Text that has zero bytes is none at all, but a later line may have been damaged. */
	if (field->needed || (!s->begun && memchr(p, '\0', (size_t)(end - p)))) {
		s->status = fail_number(s, field, p, end);
		return NULL;
	}
	s->row.col[index] = SL_NONE;
	swf_note(s, unreadable, p);
	return end;
}

/* ---- Lines of jobs ------------------------------------------------------------- */

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* The value of eight digits, the first in the lowest byte. */
static inline uint64_t value_of(uint64_t v)
{
	v = v * 10 + (v >> 8);
	return ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
		       ((v >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
	       32;
}

/* The 8 bytes at p, digits as their values; *other: the top bit of each byte that is no digit. */
static inline uint64_t digits_at(const char *p, uint64_t *other)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	v = le64toh(v) ^ EACH_BYTE('0');
	*other = ((v + EACH_BYTE(0x76)) | v) & EACH_BYTE(0x80);
	return v;
}

/* Reads a word that is -1 or up to eight digits, with a blank or the line's end behind it, as nearly all are.
 * Returns where the next may begin: behind the blank; NULL of any other. */
static inline const char *plain_at(const char *p, int64_t unit, int64_t *value)
{
	const unsigned first = (unsigned char)*p - (unsigned)'0';
	if (first > 9) {
		if (memcmp(p, "-1", 2) != 0)
			return NULL;
		*value = SL_NONE;
		p += 2;
	} else if (p[1] == ' ') {
		*value = first * unit;
		return p + 2;
	} else {
		uint64_t other;
		const uint64_t v = digits_at(p, &other);
		/* 7 bits behind the digits. Leading zeros take the place of what follows them. */
		const unsigned top = other ? (unsigned)__builtin_ctzll(other) : 64 + 7;
		*value = (int64_t)value_of(v << (7 - top) % 64) * unit;
		p += top / 8;
	}
	return *p == ' ' ? p + 1 : *p == '\n' ? p : NULL;
}

/* A whole number of up to 18 digits, or -1, whatever blank is behind it. Returns its end; NULL of any other.
 */
static const char *whole_at(const char *p, const struct field *field, int64_t *value)
{
	enum { DIGITS = 18 };
	const char *end = p;
	int64_t number = 0;
	if (p[0] == '-' && p[1] == '1' && is_end(p[2])) {
		*value = SL_NONE;
		return p + 2;
	}
	while (is_digit(*end) && end - p < DIGITS)
		number = number * 10 + (*end++ - '0');
	*value = number <= field->max ? number * field->unit : SL_NONE;
	return end > p && is_end(*end) && number <= field->max ? end : NULL;
}

/* A word behind further blanks, or another one than plain_at reads. Returns its end, or the line's, if there
 * is none
 * (*count says how many were before); NULL on failure. Apart, as it would stand 18 times in fields_in. */
__attribute__((noinline)) static const char *other_at(
	struct scan *s, size_t index, const char *p, size_t *count)
{
	const struct field *field = &fields[index];
	int64_t *value = &s->row.col[index];
	p = skip_blanks(p);
	if (*p == '\n') {
		*count = index;
		return p;
	}
	const char *next = plain_at(p, field->unit, value);
	if (!next)
		next = whole_at(p, field, value);
	return next ? next : field_odd(s, index, p);
}

/* Fills the row's columns. Returns where the last field was read to; the line's end if there are fewer than
 * 18
 * (*count says how many); NULL on failure. */
static const char *fields_in(struct scan *s, const char *p, size_t *count)
{
	*count = SL_COL_COUNT;
#pragma GCC unroll 18 /* Each of them has its unit as a constant. */
	for (size_t i = 0; i < SL_COL_COUNT; i++) {
		const char *next = plain_at(p, fields[i].unit, &s->row.col[i]);
		if (!next) {
			next = other_at(s, i, p, count);
			if (!next || *count < SL_COL_COUNT)
				return next;
		}
		p = next;
	}
	return p;
}

static int report_odd(struct scan *s)
{
	const struct sl_place at = swf_place_of(s, s->odd_at);
	s->status = s->sink->anomaly(s->sink->self, s->odd, &at, s->err);
	return s->status;
}

/* Returns the line's end; NULL on failure, or if the sink says to stop. */
static const char *swf_job_in(struct scan *s, const char *p)
{
	size_t count = 0;
	s->odd = NULL;
	p = fields_in(s, p, &count);
	if (!p)
		return NULL;
	s->begun = true;
	if (count < SL_COL_COUNT) {
		s->odd = few;
		s->odd_at = p;
		return report_odd(s) ? NULL : p;
	}
	p = skip_blanks(p);
	if (*p != '\n') {
		swf_note(s, many, p);
		while (*p != '\n')
			p++;
	}
	if (s->odd && report_odd(s))
		return NULL;
	s->status = s->sink->job(s->sink->self, &s->row, s->err);
	return s->status ? NULL : p;
}

/* ---- Comments -------------------------------------------------------------------- */

enum { COMMENT_LONGEST = 4095 };

/* The label of "Label: value", or 0 if it is none: a word without blanks. */
static size_t label_len(const char *p, const char *end)
{
	size_t len = 0;
	while (p + len < end && p[len] != ':' && p[len] > ' ' && p[len] <= '~')
		len++;
	return p + len < end && p[len] == ':' ? len : 0;
}

/* p: behind the semicolon. The copies end in zeros, for the sink; a longer comment than 4 KiB is cut. */
static int header_in(struct scan *s, const char *p, const char *end)
{
	while (end > p && swf_is_blank(end[-1]))
		end--;
	char key[COMMENT_LONGEST + 1], value[COMMENT_LONGEST + 1];
	const struct sl_place at = swf_place_of(s, p);
	const char *label = skip_blanks(p);
	const size_t len = label < end ? label_len(label, end) : 0;
	if (len) {
		p = label + len + 1;
		while (p < end && swf_is_blank(*p))
			p++;
	}
	const size_t key_len = len < COMMENT_LONGEST ? len : COMMENT_LONGEST;
	const size_t value_len = end - p < COMMENT_LONGEST ? (size_t)(end - p) : COMMENT_LONGEST;
	memcpy(key, label, key_len);
	key[key_len] = '\0';
	memcpy(value, p, value_len);
	value[value_len] = '\0';
	return s->sink->header(s->sink->self, key, value, &at, s->err);
}

/* ---- The reader -------------------------------------------------------------------- */

static int swf_lines_in(struct scan *s, const char *p, const char *end)
{
	while (p < end) {
		s->line = p;
		s->row.line++;
		p = skip_blanks(p);
		if (*p == ';') {
			const char *newline = memchr(p, '\n', (size_t)(end - p) + 1);
			const int status = s->begun ? SL_OK : header_in(s, p + 1, newline);
			if (status)
				return status;
			p = newline;
		} else if (*p != '\n') {
			p = swf_job_in(s, p);
			if (!p)
				return s->status;
		}
		p++;
	}
	return SL_OK;
}

static int swf_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct scan s = { .sink = sink, .file = sl_input_name(in), .err = err };
	const char *text, *end;
	int status;
	while ((status = sl_input_next(in, &text, &end, err)) > 0) {
		status = swf_lines_in(&s, text, end);
		if (status)
			return status;
	}
	if (status)
		return status;
	if (!s.begun)
		return sl_fail(
			err, SL_INPUT, "%s: has no jobs, only comments: give a trace with jobs", s.file);
	return SL_OK;
}

/* Words of the line at p, and how many of them are numbers. */
static int words_of(const char *p, const char *end, int *numbers)
{
	int words = 0;
	while (p < end && *p != '\n') {
		if (swf_is_blank(*p)) {
			p++;
			continue;
		}
		const char *word = p;
		while (p < end && !is_end(*p))
			p++;
		words++;
		*numbers += is_decimal(word, p);
	}
	return words;
}

static int swf_sniff(const char *text, size_t len)
{
	const char *end = text + len;
	bool comments = false;
	for (const char *p = text; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *stop = newline ? newline : end;
		while (p < stop && swf_is_blank(*p))
			p++;
		if (p < stop && *p != ';') {
			int numbers = 0;
			const int words = words_of(p, stop, &numbers);
			/* 11: no other format of ours is as wide, and a cut line is still one. A word or two
			 * may be broken: the reader says which. */
			if (words >= 11)
				return numbers + 3 >= words ? 90 : 0;
			return comments && numbers == words ? 60 : 0;
		}
		comments = comments || p < stop;
		p = stop + 1;
	}
	return comments ? 50 : 0;
}

const struct sl_reader swf_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "swf",
	.summary = "Standard Workload Format, of the Parallel Workloads Archive",
	.sniff = swf_sniff,
	.read = swf_read,
};

/* ---- The writer ---------------------------------------------------------------------- */

static int swf_begin(struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err)
{
	(void)err;
	for (size_t i = 0; i < count; i++) {
		sl_out_text(out, header[i][0][0] ? "; " : ";");
		sl_out_text(out, header[i][0]);
		sl_out_text(out, header[i][0][0] ? ": " : "");
		sl_out_text(out, header[i][1]);
		sl_out_text(out, "\n");
	}
	return SL_OK;
}

/* Field 8 of a row of groups: the cpus of all, or its GPUs where it requests no cpus; nothing else is kept of
 * it. What is no whole number in sum is rounded up. */
static int64_t cpus_of_groups(const struct sl_row_attributes *more)
{
	enum { PARTS = 1000 };
	__int128 cpus = 0;
	__int128 gpus = 0;
	for (size_t i = 0; i < more->group_count; i++) {
		const struct sl_row_group *g = &more->group[i];
		const int64_t unit = PARTS / sl_parts(g->parts);
		const bool one_gpu = g->mig || g->gpu_mem > 0;
		if (g->tasks <= 0 || g->tasks > INT32_MAX)
			return SL_NONE;
		cpus += g->cpus > 0 ? (__int128)g->tasks * g->cpus * unit : 0;
		gpus += g->gpus > 0 ? (__int128)g->tasks * g->gpus * unit : one_gpu ? g->tasks : 0;
		if (cpus > (__int128)INT32_MAX * PARTS || gpus > (__int128)INT32_MAX * PARTS)
			return SL_NONE;
	}
	return (int64_t)(((cpus ? cpus : gpus) + PARTS - 1) / PARTS);
}

static int swf_job(struct sl_out *out, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	const struct sl_row_attributes *more = row->more;
	char *p = sl_out_reserve(out, (size_t)SL_COL_COUNT * 32);
	for (size_t i = 0; i < SL_COL_COUNT; i++) {
		const bool grouped = i == SL_COL_REQ_CPUS && more && more->group_count;
		const int64_t value = grouped ? cpus_of_groups(more) : row->col[i];
		if (value == SL_NONE)
			p = sl_put_i64(p, -1);
		else
			p = fields[i].unit == 1 ? sl_put_i64(p, value) : sl_put_micro(p, value);
		*p++ = i + 1 < SL_COL_COUNT ? ' ' : '\n';
	}
	sl_out_advance(out, p);
	return SL_OK;
}

const struct sl_writer swf_writer = {
	.abi = SL_ABI_OF(struct sl_writer),
	.name = "swf",
	.summary = "Standard Workload Format: all 18 fields, and the header",
	.begin = swf_begin,
	.job = swf_job,
};
