/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * anonymize_swf.c - SWF under other numbers: users, groups and applications are numbered anew from 1 on, in
 * an order that only the key knows. All else of a line stays to the byte.
 *
 * The first pass collects the numbers, the second writes. Header lines stay if their key is known to say
 * nothing of a site; others, and comments, go.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/convert/anonymize.h"

static const struct {
	unsigned field; /* From 1. */
	char kind;
} columns[] = { { 12, 'u' }, { 13, 'g' }, { 14, 'x' } };

static const char *const kept_keys[] = { "Version", "MaxJobs", "MaxRecords", "Preemption", "UnixStartTime",
	"TimeZone", "TimeZoneString", "StartTime", "EndTime", "MaxNodes", "MaxProcs", "MaxRuntime",
	"MaxMemory", "AllowOveruse", "MaxQueues", "MaxPartitions" };

struct swf {
	struct pseudonyms *p;
	struct names number[SL_LEN(columns)];
	uint32_t *rank[SL_LEN(columns)]; /* By number's number, from 1. */
	struct sl_out *out;              /* NULL: the first pass. */
	struct sl_place at;
	uint64_t gone; /* Header lines that were left out. */
};

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool anonymize_swf_is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool anonymize_header_stays(const char *p, const char *end)
{
	while (p < end && (anonymize_swf_is_blank(*p) || *p == ';' || *p == '#'))
		p++;
	for (size_t i = 0; i < SL_LEN(kept_keys); i++) {
		const size_t len = strlen(kept_keys[i]);
		if ((size_t)(end - p) > len && strncasecmp(p, kept_keys[i], len) == 0 && p[len] == ':')
			return true;
	}
	return false;
}

/* 0: stays as it is, else the column's index + 1. */
static size_t anonymize_swf_column_of(unsigned field)
{
	for (size_t i = 0; i < SL_LEN(columns); i++)
		if (columns[i].field == field)
			return i + 1;
	return 0;
}

static int number_take(struct swf *swf, size_t column, int64_t value, struct sl_err *err)
{
	char text[32];
	uint32_t index;
	const size_t len = (size_t)(sl_put_i64(text, value) - text);
	if (!swf->out)
		return names_add(&swf->number[column], swf->p->arena, text, len, &index, err);
	index = names_find(&swf->number[column], text, len);
	if (index == UINT32_MAX)
		return sl_fail_at(err, &swf->at, "the file has changed while it was read: run again");
	const size_t digits = (size_t)(sl_put_i64(text, swf->rank[column][index]) - text);
	put_bytes(swf->out, text, digits);
	return SL_OK;
}

static int token_take(struct swf *swf, unsigned field, const char *p, size_t len, struct sl_err *err)
{
	int64_t micro;
	const size_t column = anonymize_swf_column_of(field);
	if (!sl_get_micro(p, len, &micro))
		return sl_fail_at(err, &swf->at,
			"field %u is not a number: nothing is written, since it may be a name", field);
	if (column && micro >= 0)
		return number_take(swf, column - 1, micro / 1000000, err);
	if (swf->out)
		put_bytes(swf->out, p, len);
	return SL_OK;
}

static int line_take(struct swf *swf, const char *p, const char *end, struct sl_err *err)
{
	const char *first = p;
	while (first < end && anonymize_swf_is_blank(*first))
		first++;
	if (first < end && *first == ';' && !anonymize_header_stays(first, end)) {
		swf->gone += swf->out != NULL;
		return SL_OK;
	}
	int status = SL_OK;
	const bool header = first < end && *first == ';';
	for (unsigned field = 1; p < end && !status && !header; field++) {
		const char *blank = p;
		while (p < end && anonymize_swf_is_blank(*p))
			p++;
		if (swf->out)
			put_bytes(swf->out, blank, (size_t)(p - blank));
		const char *token = p;
		while (p < end && !anonymize_swf_is_blank(*p))
			p++;
		if (p > token)
			status = token_take(swf, field, token, (size_t)(p - token), err);
	}
	if (swf->out && !status) {
		put_bytes(swf->out, header ? p : end, header ? (size_t)(end - p) : 0);
		put_bytes(swf->out, "\n", 1);
	}
	return status;
}

static int pass(struct swf *swf, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	int status = sl_input_open(&in, path, err);
	int more = 0;
	swf->at = (struct sl_place){ path, 0, 0 };
	while (!status && (more = sl_input_next(in, &text, &end, err)) > 0)
		while (text < end && !status) {
			const char *newline = memchr(text, '\n', (size_t)(end - text));
			const char *stop = newline ? newline : end;
			swf->at.line++;
			status = line_take(swf, text, stop, err);
			text = stop + 1;
		}
	sl_input_close(in);
	return status ? status : more;
}

/* ---- Ranks ------------------------------------------------------------------------------------ */

struct ranked {
	uint64_t rank;
	uint32_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a;
	const struct ranked *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static int rank_column(struct swf *swf, size_t column, struct sl_err *err)
{
	const struct names *number = &swf->number[column];
	struct ranked *order = calloc((size_t)number->count + 1, sizeof(*order));
	int status = SL_OK;
	swf->rank[column] = calloc((size_t)number->count + 1, sizeof(*swf->rank[column]));
	if (!order || !swf->rank[column]) {
		free(order);
		return sl_fail_memory(err);
	}
	for (uint32_t i = 0; i < number->count && !status; i++) {
		order[i].index = i;
		status = pseudonym_rank(swf->p, columns[column].kind, number->text[i],
			strlen(number->text[i]), &order[i].rank, err);
	}
	if (!status)
		qsort(order, number->count, sizeof(*order), compare_ranked);
	for (uint32_t i = 0; i < number->count && !status; i++)
		swf->rank[column][order[i].index] = i + 1;
	free(order);
	return status;
}

int anonymize_swf(struct pseudonyms *p, const char *path, struct sl_out *out, struct sl_err *err)
{
	struct swf swf = { .p = p };
	int status = strcmp(path, "-") == 0
			     ? sl_fail(err, SL_USAGE, "SWF is read twice: give a file, not standard input")
			     : pass(&swf, path, err);
	for (size_t i = 0; i < SL_LEN(columns) && !status; i++)
		status = rank_column(&swf, i, err);
	swf.out = out;
	if (!status)
		status = pass(&swf, path, err);
	if (!status)
		talk("%s: users, groups and applications have new numbers; header lines left out: %llu", path,
			(unsigned long long)swf.gone);
	for (size_t i = 0; i < SL_LEN(columns); i++) {
		names_release(&swf.number[i]);
		free(swf.rank[i]);
	}
	return status;
}
