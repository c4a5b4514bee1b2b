/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h - what the CSV files of a run share: fields put fast, and rows in the order of the trace.
 *
 * The writers below give the bytes of sl_put_i64 and sl_put_micro (test_csv.c), inline: a million jobs are
 * forty million numbers. Each may write up to 8 bytes past the end it returns, and wants CSV_NUMBER bytes of
 * room.
 */
#ifndef REPORTS_CSV_H
#define REPORTS_CSV_H

#include <endian.h>
#include <string.h>

#include "sim/plugin.h"

enum { CSV_NUMBER = 40 };

/* The eight decimal digits of value < 10^8, one a byte, the first in the lowest byte. Halves, then pairs,
 * then digits are parted side by side; x / 100 and x / 10 are products with their rounded reciprocals. */
static inline uint64_t csv_digits(uint64_t value)
{
	const uint64_t high = value / 10000;
	const uint64_t halves = high | (value - high * 10000) << 32;
	const uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x0000007F0000007F);
	const uint64_t pairs = hundreds | (halves - hundreds * 100) << 16;
	const uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000F000F000F000F);
	return tens | (pairs - tens * 10) << 8;
}

static inline char *csv_put_8(char *p, uint64_t digits, size_t count)
{
	const uint64_t bytes = htole64(digits | UINT64_C(0x3030303030303030));
	memcpy(p, &bytes, sizeof(bytes));
	return p + count;
}

static inline char *csv_put_small(char *p, uint64_t value)
{
	const uint64_t digits = csv_digits(value);
	/* Leading zeros go, but not the last digit. */
	const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
	return csv_put_8(p, digits >> 8 * zeros, 8 - zeros);
}

char *csv_put_large(char *p, uint64_t value); /* From 10^8 on. */

static inline char *csv_put_u64(char *p, uint64_t value)
{
	return value < 100000000 ? csv_put_small(p, value) : csv_put_large(p, value);
}

static inline uint64_t csv_sign(char **p, int64_t value)
{
	if (value >= 0)
		return (uint64_t)value;
	*(*p)++ = '-';
	return 0 - (uint64_t)value;
}

static inline char *csv_put_i64(char *p, int64_t value)
{
	const uint64_t size = csv_sign(&p, value);
	return csv_put_u64(p, size);
}

/* Millionths: times as seconds, ratios. */
static inline char *csv_put_micro(char *p, int64_t value)
{
	const uint64_t size = csv_sign(&p, value);
	const uint64_t whole = size / 1000000;
	p = csv_put_u64(p, whole);
	const uint64_t rest = size - whole * 1000000;
	if (!rest)
		return p;
	*p++ = '.';
	const uint64_t digits = csv_digits(rest) >> 16; /* Six digits in the low bytes; trailing zeros go. */
	return csv_put_8(p, digits, 8 - (unsigned)__builtin_clzll(digits) / 8);
}

/* ---- Fields: a number and the comma behind it ---------------------------------------------------
 *
 * By tables of three digits, which most fields have at most. 9 KB, made for each file.
 */
struct csv_numbers {
	char lead[1000][4];   /* "7,", "42,", "123,"; */
	uint8_t length[1000]; /* and how long that is. */
	char three[1000][4];  /* "007," */
};
void csv_numbers_make(struct csv_numbers *numbers);

/* Negative ones, and those from 10^9 on. */
char *csv_field_rare(char *p, int64_t value);

static inline char *csv_field_lead(char *p, const struct csv_numbers *numbers, uint32_t value)
{
	memcpy(p, numbers->lead[value], 4);
	return p + numbers->length[value];
}

static inline char *csv_field_three(char *p, const struct csv_numbers *numbers, uint32_t value)
{
	memcpy(p, numbers->three[value], 4);
	return p + 3;
}

static inline char *csv_field(char *p, const struct csv_numbers *numbers, int64_t value)
{
	if ((uint64_t)value >= 1000000000)
		return csv_field_rare(p, value);
	const uint32_t all = (uint32_t)value;
	if (all < 1000)
		return csv_field_lead(p, numbers, all);
	const uint32_t thousands = all / 1000;
	if (thousands < 1000) {
		p = csv_field_lead(p, numbers, thousands) - 1;
	} else {
		const uint32_t millions = thousands / 1000;
		p = csv_field_lead(p, numbers, millions) - 1;
		p = csv_field_three(p, numbers, thousands - millions * 1000);
	}
	return csv_field_three(p, numbers, all - thousands * 1000) + 1;
}

/* What has digits behind the point, or is negative. */
char *csv_field_micro_rare(char *p, int64_t value);

/* Millionths: times as seconds. */
static inline char *csv_field_micro(char *p, const struct csv_numbers *numbers, int64_t value)
{
	const uint64_t whole = (uint64_t)value / 1000000;
	if (whole >= 1000000000 || whole * 1000000 != (uint64_t)value)
		return csv_field_micro_rare(p, value);
	return csv_field(p, numbers, (int64_t)whole);
}

/* The same where most have digits behind the point. */
static inline char *csv_field_ratio(char *p, const struct csv_numbers *numbers, int64_t value)
{
	const uint64_t whole = (uint64_t)value / 1000000;
	if (whole >= 1000000000)
		return csv_field_micro_rare(p, value);
	const uint32_t rest = (uint32_t)((uint64_t)value - whole * 1000000);
	p = csv_field(p, numbers, (int64_t)whole);
	if (!rest)
		return p;
	p[-1] = '.';
	p = csv_field_three(p, numbers, rest / 1000);
	p = csv_field_three(p, numbers, rest % 1000);
	while (p[-1] == '0')
		p--;
	*p = ',';
	return p + 1;
}

/* In how many parts amounts of cpus and GPUs are counted. */
static inline int64_t csv_cpu_parts(const struct sl_result *result)
{
	return result->cluster ? sl_parts(result->cluster->cpu_parts) : 1;
}
static inline int64_t csv_gpu_parts(const struct sl_result *result)
{
	return result->cluster ? sl_parts(result->cluster->gpu_parts) : 1;
}

static inline char *csv_field_parts(char *p, const struct csv_numbers *numbers, int64_t amount, int64_t parts)
{
	if (parts == 1)
		return csv_field(p, numbers, amount);
	p = sl_put_parts(p, amount, parts);
	*p = ',';
	return p + 1;
}

/* A field that stands before p, its comma included, once more. */
static inline char *csv_put_again(char *p, const char *from, size_t length)
{
	char field[16];
	memcpy(field, from, sizeof(field));
	memcpy(p, field, sizeof(field));
	if (length > sizeof(field))
		memmove(p, from, length);
	return p + length;
}

enum { CSV_WORD = 128, CSV_WORD_SHORT = 32 };

/* A word, in quotes where it has commas, with the comma behind it, kept with its length for copies of a fixed
 * size: nearly all are short. Wants CSV_WORD bytes of room. */
struct csv_word {
	char text[CSV_WORD];
	uint32_t length;
};

static inline char *csv_put_word(char *p, const struct csv_word *word)
{
	memcpy(p, word->text, CSV_WORD_SHORT);
	if (word->length > CSV_WORD_SHORT)
		memcpy(p + CSV_WORD_SHORT, word->text + CSV_WORD_SHORT, word->length - CSV_WORD_SHORT);
	return p + word->length;
}

void csv_word_set(struct csv_word *word, const char *text);

/* The job's id, as a number or a name. */
void csv_id(struct sl_out *out, const struct sl_jobs *jobs, uint32_t row);

/* order[i]: the row of the i-th line; *order is NULL where that is i itself. The caller frees it. */
int csv_order(const struct sl_jobs *jobs, uint32_t **order, struct sl_err *err);

/* usage.csv, from points as they come; NULL: no memory. The first point, or the end, says of what cluster
 * they are. csv_usage_end frees it, and so does free where the file is given up. */
struct csv_usage;
struct csv_usage *csv_usage_new(struct sl_out *out);
void csv_usage_take(
	void *self, const struct sl_cluster *cluster, int64_t cpus, const struct sl_usage_point *point);
void csv_usage_end(struct csv_usage *writer, const struct sl_cluster *cluster, int64_t cpus);

extern const struct sl_report csv_jobs, csv_attempts, csv_usage, csv_reasons, csv_gauges;

#endif
