/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.c - rows in the order of the trace, and words by length.
 */
#include "reports/csv/csv.h"

#include <stdlib.h>

char *csv_put_large(char *p, uint64_t value)
{
	const uint64_t unit = 100000000;
	const uint64_t high = value / unit;
	p = high < unit ? csv_put_small(p, high) : csv_put_large(p, high);
	return csv_put_8(p, csv_digits(value - high * unit), 8);
}

void csv_numbers_make(struct csv_numbers *numbers)
{
	*numbers = (struct csv_numbers){ .length = { 0 } };
	for (unsigned i = 0; i < 1000; i++) {
		const char digit[] = { (char)('0' + i / 100), (char)('0' + i / 10 % 10), (char)('0' + i % 10),
			',' };
		const size_t zeros = i < 10 ? 2 : i < 100;
		memcpy(numbers->three[i], digit, sizeof(digit));
		memcpy(numbers->lead[i], digit + zeros, sizeof(digit) - zeros);
		numbers->length[i] = (uint8_t)(sizeof(digit) - zeros);
	}
}

char *csv_field_rare(char *p, int64_t value)
{
	p = csv_put_i64(p, value);
	*p = ',';
	return p + 1;
}

char *csv_field_micro_rare(char *p, int64_t value)
{
	p = csv_put_micro(p, value);
	*p = ',';
	return p + 1;
}

void csv_word_set(struct csv_word *word, const char *text)
{
	const size_t length = strlen(text);
	const size_t quote = strchr(text, ',') != NULL;
	SL_CHECK(length + 2 * quote < sizeof(word->text) && !strchr(text, '"'));
	word->text[0] = '"';
	memcpy(word->text + quote, text, length);
	word->text[length + quote] = '"';
	word->text[length + 2 * quote] = ',';
	word->length = (uint32_t)(length + 2 * quote) + 1;
}

void csv_id(struct sl_out *out, const struct sl_jobs *jobs, uint32_t row)
{
	if (jobs->id_name && jobs->id_name[row])
		sl_out_csv(out, jobs->id_name[row]);
	else
		sl_out_advance(out, csv_put_i64(sl_out_reserve(out, CSV_NUMBER), jobs->id[row]));
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* Rows `from` in the order of one digit of their place, stable, into `to`. */
static void sort_digit(
	uint32_t *to, const uint32_t *from, const uint32_t *place, uint32_t count, unsigned shift)
{
	uint32_t first[DIGITS + 1] = { 0 };
	for (uint32_t i = 0; i < count; i++)
		first[(place[i] >> shift) % DIGITS + 1]++;
	for (uint32_t d = 0; d < DIGITS; d++)
		first[d + 1] += first[d];
	for (uint32_t i = 0; i < count; i++)
		to[first[(place[from[i]] >> shift) % DIGITS]++] = from[i];
}

int csv_order(const struct sl_jobs *jobs, uint32_t **order, struct sl_err *err)
{
	const uint32_t count = jobs->count;
	*order = NULL;
	if (!jobs->place || !count)
		return SL_OK;
	uint32_t *rows = malloc(2 * (size_t)count * sizeof(*rows));
	if (!rows)
		return sl_fail_memory(err);
	uint32_t *other = rows + count;
	for (uint32_t i = 0; i < count; i++)
		other[i] = i;
	/* Three digits hold any place; the third leaves the result in the first half. */
	sort_digit(rows, other, jobs->place, count, 0);
	sort_digit(other, rows, jobs->place, count, DIGIT_BITS);
	sort_digit(rows, other, jobs->place, count, 2 * DIGIT_BITS);
	*order = rows;
	return SL_OK;
}
