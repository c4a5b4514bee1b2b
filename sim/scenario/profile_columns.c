/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * profile_columns.c - profiles (what jobs do while they run) as columns of tables: cells read and written.
 *
 * Sizes are bytes: K, M, G, T and P are powers of 1000, Ki, Mi ... of 1024, each perhaps with a B behind it.
 */
#include <string.h>
#include <strings.h>

#include "sim/base/base.h"

enum cell {
	CELL_NANO, /* Seconds, kept as nanoseconds. */
	CELL_BYTES,
	CELL_COUNT,
	CELL_SHARE, /* Millionths, up to 1. */
	CELL_REAL,  /* Millionths. */
	CELL_TIME,
	CELL_BOOL,
	CELL_WORD, /* Of `words`. */
	CELL_TEXT,
	CELL_EVOLVES /* A text, too. */
};

static const int64_t bytes_max = INT64_C(1) << 60;
#define REAL_MAX (INT64_C(1000000000) * SL_SECOND)
static const int64_t time_max = INT64_MAX / 4;

static const char *const pattern_words[] = { "none", "ring", "tree", "hier", "rs_ag", "alltoall", "neighbour",
	"broadcast", "server", NULL };
static const char *const elastic_words[] = { "rigid", "moldable", "malleable", "evolving", NULL };
_Static_assert(SL_LEN(pattern_words) == SL_PATTERN_COUNT + 1, "a pattern without its word");
_Static_assert(SL_LEN(elastic_words) == SL_ELASTIC_COUNT + 1, "a way to be elastic without its word");

#define AT(member) offsetof(struct sl_profile, member)

static const struct column_def {
	const char *name;
	enum cell cell;
	size_t at;
	int64_t min, max;
	const char *const *words;
	const char *wanted; /* For messages. */
} columns[] = {
	{ "comp", CELL_NANO, AT(comp), 0, INT64_MAX, NULL, "seconds of at most nine decimals" },
	{ "comm_bytes", CELL_BYTES, AT(bytes), 0, 0, NULL, NULL },
	{ "pattern", CELL_WORD, AT(pattern), 0, 0, pattern_words,
		"one of none, ring, tree, hier, rs_ag, alltoall, neighbour, broadcast, server" },
	{ "dims", CELL_COUNT, AT(dims), 1, 3, NULL, "1, 2 or 3" },
	{ "overlap", CELL_SHARE, AT(overlap), 0, SL_SECOND, NULL, NULL },
	{ "gamma", CELL_REAL, AT(gamma), SL_SECOND, 100 * SL_SECOND, NULL, "a number from 1 to 100" },
	{ "sens", CELL_SHARE, AT(sens), 0, SL_SECOND, NULL, NULL },
	{ "fs", CELL_TEXT, AT(fs), 0, 0, NULL, NULL },
	{ "read_bytes", CELL_BYTES, AT(read), 0, 0, NULL, NULL },
	{ "write_bytes", CELL_BYTES, AT(write), 0, 0, NULL, NULL },
	{ "read_each_bytes", CELL_BYTES, AT(read_each), 0, 0, NULL, NULL },
	{ "dataset", CELL_TEXT, AT(dataset), 0, 0, NULL, NULL },
	{ "dataset_bytes", CELL_BYTES, AT(dataset_bytes), 0, 0, NULL, NULL },
	{ "image", CELL_TEXT, AT(image), 0, 0, NULL, NULL },
	{ "image_bytes", CELL_BYTES, AT(image_bytes), 0, 0, NULL, NULL },
	{ "checkpoint_bytes", CELL_BYTES, AT(checkpoint), 0, 0, NULL, NULL },
	{ "checkpoint_every", CELL_TIME, AT(checkpoint_every), 0, 0, NULL, NULL },
	{ "checkpoint_cost", CELL_TIME, AT(checkpoint_cost), 0, 0, NULL, NULL },
	{ "checkpoint_async", CELL_BOOL, AT(checkpoint_async), 0, 1, NULL, "0 or 1" },
	{ "model", CELL_TEXT, AT(model), 0, 0, NULL, NULL },
	{ "serial", CELL_SHARE, AT(serial), 0, SL_SECOND, NULL, NULL },
	{ "parallelism", CELL_REAL, AT(parallelism), SL_SECOND, REAL_MAX, NULL, "a number from 1 on" },
	{ "variance", CELL_REAL, AT(variance), 0, REAL_MAX, NULL, "a number from 0 on" },
	{ "elastic", CELL_WORD, AT(elastic), 0, 0, elastic_words,
		"one of rigid, moldable, malleable, evolving" },
	{ "evolves", CELL_EVOLVES, AT(evolves), 0, 0, NULL,
		"SECONDS:TASKS, ascending, as in 600:8,1800:4, seconds of work" },
	{ "intensity", CELL_SHARE, AT(intensity), 0, SL_SECOND, NULL, NULL },
	{ "family", CELL_TEXT, AT(family), 0, 0, NULL, NULL },
	{ "member", CELL_COUNT, AT(member), 0, INT32_MAX, NULL, "a whole number from 0 on" },
	{ "score", CELL_REAL, AT(score), -REAL_MAX, REAL_MAX, NULL, "a number" },
	{ "score_from", CELL_REAL, AT(score_from), -REAL_MAX, REAL_MAX, NULL, "a number" },
	{ "score_time", CELL_TIME, AT(score_time), 0, 0, NULL, NULL },
	{ "serves", CELL_TEXT, AT(serves), 0, 0, NULL, NULL },
	{ "since", CELL_TIME, AT(since), 0, 0, NULL, NULL },
	{ "retires", CELL_COUNT, AT(retires), 0, INT32_MAX, NULL, "a whole number from 0 on" },
};
_Static_assert(SL_LEN(columns) == SL_PROFILE_COLUMNS, "a column without its line");

static int64_t number_at(const struct sl_profile *profile, const struct column_def *def)
{
	int64_t number;
	memcpy(&number, (const char *)profile + def->at, sizeof(number));
	return number;
}

static const char *profile_columns_text_at(const struct sl_profile *profile, const struct column_def *def)
{
	const char *text;
	memcpy(&text, (const char *)profile + def->at, sizeof(text));
	return text;
}

static bool is_text(const struct column_def *def)
{
	return def->cell == CELL_TEXT || def->cell == CELL_EVOLVES;
}

void sl_profile_clear(struct sl_profile *profile)
{
	const int64_t none = SL_NONE;
	memset(profile, 0, sizeof(*profile));
	for (size_t i = 0; i < SL_LEN(columns); i++)
		if (!is_text(&columns[i]))
			memcpy((char *)profile + columns[i].at, &none, sizeof(none));
}

const char *sl_profile_column(uint32_t column)
{
	return column < SL_PROFILE_COLUMNS ? columns[column].name : NULL;
}

uint32_t sl_profile_find(const char *name, size_t len)
{
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		if (strlen(columns[i].name) == len && strncasecmp(columns[i].name, name, len) == 0)
			return i;
	return UINT32_MAX;
}

/* ---- Evolving jobs -------------------------------------------------------------------- */

int sl_evolves_read(const char *text, struct sl_evolution step[SL_EVOLVES_MAX])
{
	int count = 0;
	for (;;) {
		const size_t len = strcspn(text, ",");
		const char *is = memchr(text, ':', len);
		struct sl_evolution next;
		int64_t tasks;
		if (count == SL_EVOLVES_MAX || !is ||
			!sl_get_duration(text, (size_t)(is - text), &next.work) ||
			!sl_get_i64(is + 1, len - (size_t)(is + 1 - text), &tasks) || tasks < 1 ||
			tasks > INT32_MAX || next.work < 0 || next.work > time_max ||
			(count && next.work <= step[count - 1].work))
			return -1;
		next.tasks = (uint32_t)tasks;
		step[count++] = next;
		if (!text[len])
			return count;
		text += len + 1;
	}
}

uint32_t sl_evolves_by(const struct sl_evolution *step, int count, sl_time work, sl_time *next)
{
	int i = 0;
	while (i < count && step[i].work <= work)
		i++;
	*next = i < count ? step[i].work : SL_NEVER;
	return i ? step[i - 1].tasks : 0;
}

/* ---- Cells in ------------------------------------------------------------------------- */

/* Digits, perhaps a point and more of them, in units of 10^-decimals, rounded half up beyond. All of
 * text[0..len). */
static bool decimal_in(const char *text, size_t len, unsigned decimals, int64_t *value)
{
	size_t i = 0;
	size_t digits = 0;
	unsigned behind = 0;
	bool point = false;
	*value = 0;
	for (; i < len; i++) {
		const int digit = text[i] - '0';
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (digit < 0 || digit > 9)
			return false;
		digits++;
		if (point && ++behind > decimals) {
			if (behind == decimals + 1 && digit >= 5 && __builtin_add_overflow(*value, 1, value))
				return false;
			continue;
		}
		if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, digit, value))
			return false;
	}
	for (; behind < decimals; behind++)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return digits > 0;
}

static bool bytes_in(const char *text, int64_t *value)
{
	static const char letters[] = "KMGTP";
	size_t len = strlen(text);
	int64_t unit = 1;
	int64_t micro;
	if (len > 1 && (text[len - 1] == 'B' || text[len - 1] == 'b'))
		len--;
	const bool binary = len > 1 && text[len - 1] == 'i';
	len -= binary;
	const char *letter = len > 1 ? strchr(letters, text[len - 1] & ~0x20) : NULL;
	if (letter) {
		for (const char *p = letters; p <= letter; p++)
			unit *= binary ? 1024 : 1000;
		len--;
	} else if (binary) {
		return false;
	}
	if (!decimal_in(text, len, 6, &micro))
		return false;
	const __int128 bytes = ((__int128)micro * unit + SL_SECOND / 2) / SL_SECOND;
	*value = (int64_t)bytes;
	return bytes <= bytes_max;
}

static bool word_in(const char *const *words, const char *text, int64_t *value)
{
	for (*value = 0; words[*value]; ++*value)
		if (strcasecmp(words[*value], text) == 0)
			return true;
	return false;
}

static bool bool_in(const char *text, int64_t *value)
{
	static const char *const words[] = { "0", "1", "false", "true", "no", "yes", NULL };
	const bool known = word_in(words, text, value);
	*value &= 1;
	return known;
}

static bool profile_columns_number_in(const struct column_def *def, const char *text, int64_t *value)
{
	const size_t len = strlen(text);
	switch (def->cell) {
	case CELL_NANO:
		return decimal_in(text, len, 9, value);
	case CELL_BYTES:
		return bytes_in(text, value);
	case CELL_COUNT:
		return sl_get_i64(text, len, value) && *value >= def->min && *value <= def->max;
	case CELL_SHARE:
	case CELL_REAL:
		return sl_get_micro(text, len, value) && *value >= def->min && *value <= def->max;
	case CELL_TIME:
		return sl_get_duration(text, len, value) && *value >= 0 && *value <= time_max;
	case CELL_BOOL:
		return bool_in(text, value);
	case CELL_WORD:
		return word_in(def->words, text, value);
	case CELL_TEXT:
	case CELL_EVOLVES:
		break;
	}
	return false;
}

static const char *wanted(const struct column_def *def)
{
	if (def->wanted)
		return def->wanted;
	if (def->cell == CELL_BYTES)
		return "a size such as 25000000, 25MB or 24MiB, up to 1 EiB";
	if (def->cell == CELL_SHARE)
		return "a number from 0 to 1";
	return def->cell == CELL_TIME ? "seconds, or a duration such as 90m or 2h"
				      : "a text without control characters";
}

const char *sl_profile_take(struct sl_profile *profile, uint32_t column, const char *text)
{
	const struct column_def *def = &columns[column];
	int64_t number;
	SL_CHECK(column < SL_PROFILE_COLUMNS);
	if (is_text(def)) {
		struct sl_evolution step[SL_EVOLVES_MAX];
		for (const char *p = text; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 0x7F)
				return wanted(def);
		if (def->cell == CELL_EVOLVES && sl_evolves_read(text, step) < 0)
			return wanted(def);
		memcpy((char *)profile + def->at, &text, sizeof(text));
		return NULL;
	}
	if (!profile_columns_number_in(def, text, &number))
		return wanted(def);
	memcpy((char *)profile + def->at, &number, sizeof(number));
	return NULL;
}

/* ---- Cells out -------------------------------------------------------------------------- */

bool sl_profile_says(const struct sl_profile *profile, uint32_t column)
{
	const struct column_def *def = &columns[column];
	SL_CHECK(column < SL_PROFILE_COLUMNS);
	return is_text(def) ? profile_columns_text_at(profile, def) != NULL
			    : number_at(profile, def) != SL_NONE;
}

/* Seconds of so many nanoseconds, without zeros at the end. */
static void nano_put(char *p, int64_t nano)
{
	p = sl_put_i64(p, nano / 1000000000);
	int64_t left = nano % 1000000000;
	if (left)
		*p++ = '.';
	for (int64_t unit = 100000000; left; unit /= 10) {
		*p++ = (char)('0' + left / unit);
		left %= unit;
	}
	*p = '\0';
}

const char *sl_profile_put(const struct sl_profile *profile, uint32_t column, char buffer[40])
{
	const struct column_def *def = &columns[column];
	if (!sl_profile_says(profile, column))
		return NULL;
	if (is_text(def))
		return profile_columns_text_at(profile, def);
	const int64_t number = number_at(profile, def);
	if (def->cell == CELL_WORD)
		return def->words[number];
	if (def->cell == CELL_NANO)
		nano_put(buffer, number);
	else if (def->cell == CELL_SHARE || def->cell == CELL_REAL || def->cell == CELL_TIME)
		*sl_put_micro(buffer, number) = '\0';
	else
		*sl_put_i64(buffer, number) = '\0';
	return buffer;
}

bool sl_profile_is_text(uint32_t column) { return column < SL_PROFILE_COLUMNS && is_text(&columns[column]); }

void sl_profile_over(struct sl_profile *profile, const struct sl_profile *weaker)
{
	for (uint32_t i = 0; i < SL_PROFILE_COLUMNS; i++)
		if (!sl_profile_says(profile, i) && sl_profile_says(weaker, i))
			memcpy((char *)profile + columns[i].at, (const char *)weaker + columns[i].at,
				sizeof(int64_t));
}
