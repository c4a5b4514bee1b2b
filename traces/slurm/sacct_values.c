/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_values.c - what a cell says: dates, durations, states, job numbers, TRES.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "traces/slurm/sacct.h"

/* ---- Texts ------------------------------------------------------------------------------- */

struct sacct_chunk {
	struct sacct_chunk *older;
	size_t used, size;
	char text[];
};

char *sacct_text_reserve(struct sacct_text *text, size_t len)
{
	enum { CHUNK = 8192 };
	struct sacct_chunk *chunk = text->chunk;
	if (!chunk || chunk->size - chunk->used < len) {
		const size_t size = len > CHUNK ? len : CHUNK;
		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk) {
			text->failed = true;
			return NULL;
		}
		*chunk = (struct sacct_chunk){ text->chunk, 0, size };
		text->chunk = chunk;
	}
	char *space = chunk->text + chunk->used;
	chunk->used += len;
	return space;
}

const char *sacct_keep(struct sacct_text *text, const char *p, size_t len)
{
	char *copy = sacct_text_reserve(text, len + 1);
	if (!copy)
		return NULL;
	memcpy(copy, p, len);
	copy[len] = '\0';
	return copy;
}

void sacct_text_clear(struct sacct_text *text)
{
	while (text->chunk && text->chunk->older) {
		struct sacct_chunk *older = text->chunk->older;
		free(text->chunk);
		text->chunk = older;
	}
	if (text->chunk)
		text->chunk->used = 0;
}

void sacct_text_free(struct sacct_text *text)
{
	sacct_text_clear(text);
	free(text->chunk);
	text->chunk = NULL;
}

void sacct_text_join(struct sacct_text *to, struct sacct_text *from)
{
	struct sacct_chunk *oldest = from->chunk;
	while (oldest && oldest->older)
		oldest = oldest->older;
	if (!oldest)
		return;
	oldest->older = to->chunk;
	to->chunk = from->chunk;
	from->chunk = NULL;
}

/* ---- Numbers and times ----------------------------------------------------------------------- */

int64_t sacct_number(const struct sacct_cell *cell)
{
	int64_t value;
	return cell->p && sl_get_i64(cell->p, cell->len, &value) && value >= 0 ? value : SL_NONE;
}

static bool two(const char *p, int64_t max, int64_t *value)
{
	const unsigned tens = (unsigned char)p[0] - '0';
	const unsigned ones = (unsigned char)p[1] - '0';
	*value = tens * 10 + ones;
	return tens <= 9 && ones <= 9 && *value <= max;
}

/* The usual form, YYYY-MM-DDTHH:MM:SS: most dates of a log are of the day of the one before. */
static bool usual_date(struct sacct *s, const char *p, sl_time *value)
{
	int64_t hour, minute, second;
	if ((p[10] != 'T' && p[10] != ' ') || p[13] != ':' || p[16] != ':' || !two(p + 11, 23, &hour) ||
		!two(p + 14, 59, &minute) || !two(p + 17, 59, &second))
		return false;
	if (memcmp(p, s->day_text, sizeof(s->day_text)) != 0) {
		if (!sl_get_date(p, sizeof(s->day_text), &s->day))
			return false;
		memcpy(s->day_text, p, sizeof(s->day_text));
	}
	*value = s->day + ((hour * 60 + minute) * 60 + second) * SL_SECOND;
	return true;
}

bool sacct_date(struct sacct *s, const struct sacct_cell *cell, sl_time *value)
{
	static const char *const none[] = { "Unknown", "None", "N/A", "NONE", "Invalid", "NA", "NaT", "NaN" };
	*value = SL_NONE;
	if (!cell->p)
		return true;
	const char c = cell->p[0];
	if (c < '0' || c > '9') {
		for (size_t i = 0; i < SL_LEN(none); i++)
			if (sacct_is(cell, none[i]))
				return true;
		return false;
	}
	if (cell->len == 19 && usual_date(s, cell->p, value))
		return true;
	if (cell->len >= 10 && sl_get_date(cell->p, cell->len, value))
		return true;
	/* SLURM_TIME_FORMAT=%s; 0 is no time. */
	if (!sl_get_micro(cell->p, cell->len, value) || *value > INT64_C(100000000000) * SL_SECOND) {
		*value = SL_NONE;
		return false;
	}
	if (!*value && !s->relative)
		*value = SL_NONE;
	return true;
}

bool sacct_duration(const struct sacct_cell *cell, sl_time *value)
{
	static const char *const none[] = { "UNLIMITED", "Partition_Limit", "INVALID", "NOT_SET", "Unknown",
		"None", "N/A", "NaN" };
	*value = SL_NONE;
	if (!cell->p)
		return true;
	for (size_t i = 0; i < SL_LEN(none); i++)
		if (sacct_is(cell, none[i]))
			return true;
	const bool negative = cell->p[0] == '-'; /* Of clocks that went back: not known. */
	if (!memchr(cell->p, ':', cell->len) || negative)
		return negative;
	if (!sl_get_duration(cell->p, cell->len, value)) {
		*value = SL_NONE;
		return false;
	}
	return true;
}

/* ---- States -------------------------------------------------------------------------------------- */

const struct sacct_state *sacct_state_of(const struct sacct_cell *cell)
{
	static const struct sacct_state states[] = {
		{ "COMPLETED", SL_COMPLETED, 1, true, false, false },
		{ "CANCELLED", SL_CANCELLED, 5, true, false, false },
		{ "FAILED", SL_FAILED, 0, true, false, false },
		{ "TIMEOUT", SL_TIMEOUT, 0, true, false, false },
		{ "OUT_OF_MEMORY", SL_OUT_OF_MEMORY, 0, true, false, false },
		{ "NODE_FAIL", SL_NODE_FAIL, 0, true, false, true },
		{ "PREEMPTED", SL_PREEMPTED, 0, true, false, true },
		{ "DEADLINE", SL_DEADLINE, 0, true, false, false },
		{ "BOOT_FAIL", SL_BOOT_FAIL, 0, true, false, true },
		{ "LAUNCH_FAILED", SL_FAILED, 0, true, false, true },
		{ "RECONFIG_FAIL", SL_FAILED, 0, true, false, true },
		{ "REQUEUED", SL_PREEMPTED, 0, true, false, true },
		{ "REQUEUE_HOLD", SL_PREEMPTED, 0, true, false, true },
		{ "RESIZING", SL_RUNNING, -1, false, true, true },
		{ "REVOKED", SL_CANCELLED, 5, true, false, false },
		{ "RUNNING", SL_RUNNING, -1, false, true, false },
		{ "SUSPENDED", SL_SUSPENDED, -1, false, true, false },
		{ "STOPPED", SL_SUSPENDED, -1, false, true, false },
		{ "COMPLETING", SL_RUNNING, -1, false, true, false },
		{ "CONFIGURING", SL_RUNNING, -1, false, true, false },
		{ "STAGE_OUT", SL_RUNNING, -1, false, true, false },
		{ "SIGNALING", SL_RUNNING, -1, false, true, false },
		{ "PENDING", SL_PENDING, -1, false, false, false },
		{ "SPECIAL_EXIT", SL_FAILED, 0, true, false, true },
	};
	enum { SHORTEST = 5 }; /* Of a state that was cut: "COMPLETI+", "OUT_OF_ME+". */
	if (!cell->p)
		return NULL;
	size_t len = cell->len;
	const char *blank = memchr(cell->p, ' ', len); /* "CANCELLED by 1234" */
	if (blank)
		len = (size_t)(blank - cell->p);
	const bool cut = len && cell->p[len - 1] == '+';
	len -= cut;
	for (size_t i = 0; i < SL_LEN(states); i++)
		if (states[i].name[0] == cell->p[0] && strlen(states[i].name) >= len &&
			memcmp(states[i].name, cell->p, len) == 0 &&
			(!states[i].name[len] || len >= SHORTEST))
			return &states[i];
	return NULL;
}

/* ---- Job numbers ---------------------------------------------------------------------------------- */

/* Digits at *p, at most 18 of them. */
static bool sacct_values_digits(const char **p, const char *end, int64_t *value)
{
	const char *from = *p;
	while (*p < end && **p >= '0' && **p <= '9')
		(*p)++;
	return *p > from && *p - from <= 18 && sl_get_i64(from, (size_t)(*p - from), value);
}

bool sacct_id_of(const struct sacct_cell *cell, struct sacct_id *id)
{
	*id = (struct sacct_id){ SL_NONE, -1, -1, -1, { NULL, 0 }, false };
	if (!cell->p)
		return false;
	const char *p = cell->p;
	const char *end = p + cell->len;
	if (!sacct_values_digits(&p, end, &id->id))
		return false;
	if (p < end && *p == '_') {
		id->array = id->id;
		p++;
		if (p < end && *p == '[') {
			const char *close = memchr(p, ']', (size_t)(end - p));
			if (!close)
				return false;
			id->tasks = (struct sacct_cell){ p + 1, (size_t)(close - p) - 1 };
			p = close + 1;
		} else if (!sacct_values_digits(&p, end, &id->task)) {
			return false;
		}
	} else if (p < end && *p == '+') {
		p++;
		if (!sacct_values_digits(&p, end, &id->component))
			return false;
	}
	id->step = p < end && *p == '.';
	return p == end || id->step;
}

/* ---- TRES -------------------------------------------------------------------------------------------- */

static bool skipped(const struct sacct_cell *name)
{
	static const char *const words[] = { "billing", "energy", "fs/", "vmem", "pages", "bb/", "ic/",
		"gres/gpuutil", "gres/gpumem" };
	const char first = (char)(name->p[0] | 0x20);
	if (first == 'c' || first == 'm' || first == 'n') /* "cpu", "mem", "node", as nearly always. */
		return false;
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (first == words[i][0] && name->len >= strlen(words[i]) &&
			strncasecmp(name->p, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static void tres_item(struct sacct_tres *tres, struct sacct_cell name, const char *value, size_t len)
{
	int64_t number;
	if (skipped(&name))
		return;
	if (sacct_is(&name, "mem")) {
		tres->unread |= !sl_get_memory(value, len, true, &tres->mem) || tres->mem > SL_MEM_UNBOUNDED;
		return;
	}
	if (!sl_get_i64(value, len, &number) && sl_get_memory(value, len, true, &number) &&
		number <= INT32_MAX / 1024) /* "gres/bandwidth=4G": in units, as Slurm counts K, M, G. */
		number = number > INT64_MAX >> 20 ? INT64_MAX : number * 1024 * 1024;
	else if (!sl_get_i64(value, len, &number))
		number = -1;
	if (number < 0) {
		tres->unread = true;
		return;
	}
	const bool gres = name.len > 5 && strncasecmp(name.p, "gres/", 5) == 0;
	const bool license = name.len > 8 && strncasecmp(name.p, "license/", 8) == 0;
	if (sacct_is(&name, "cpu"))
		tres->cpu = number;
	else if (sacct_is(&name, "node"))
		tres->node = number;
	else if (sacct_is(&name, "gres/gpu"))
		tres->gpu = number;
	else if ((gres || license) && tres->item_count < SL_LEN(tres->item)) {
		const size_t before = gres ? 5 : 8;
		const struct sacct_cell rest = { name.p + before, name.len - before };
		tres->item[tres->item_count].name = rest;
		tres->item[tres->item_count].count = number;
		tres->item[tres->item_count++].license = license;
	} else {
		tres->unread = true;
	}
}

const struct sacct_tres *sacct_tres_of(const struct sacct_cell *cell, struct sacct_tres *tres)
{
	tres->cpu = tres->mem = tres->node = tres->gpu = SL_NONE;
	tres->item_count = 0;
	tres->unread = false;
	if (!cell->p)
		return tres;
	const char *end = cell->p + cell->len;
	for (const char *p = cell->p; p < end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;
		const char *equal = memchr(p, '=', (size_t)(stop - p));
		if (!equal || equal == p)
			tres->unread |= stop > p;
		else
			tres_item(tres, (struct sacct_cell){ p, (size_t)(equal - p) }, equal + 1,
				(size_t)(stop - equal) - 1);
		p = stop + 1;
	}
	return tres;
}
