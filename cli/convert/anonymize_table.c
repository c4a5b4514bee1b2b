/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * anonymize_table.c - tables under other names: sacct -P and our CSV, column by column on the text itself.
 *
 * What the header calls a name is hashed, what it calls a comment or a path is blanked, and of a column that
 * is not known only numbers, times and sizes stay. Fields whose borders are ambiguous, since a name has a '|'
 * in it, are blanked: better too little than a name.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/convert/anonymize.h"

enum { COLUMNS_MAX = 1024, HELD_MAX = 1 << 20, NAMES_MAX = 400 };

enum treatment {
	KEEP,
	HASH,
	HASH_LIST, /* Names between commas. */
	NUMBER,    /* Of a user or group. */
	BLANK,
	STATE,   /* "CANCELLED by 1234" */
	MEASURE, /* A number, time or size; anything else is blanked. */
	UNKNOWN, /* By the value, likewise. */
	TREATMENTS
};

struct rule {
	const char *
		name; /* In small letters, without '_', '-' and blanks. '*' at its end: any that begins so. */
	enum treatment treatment;
	char kind;
};

static const struct rule sacct_rules[] = {
	{ "user", HASH, 'u' },
	{ "account", HASH, 'a' },
	{ "group", HASH, 'g' },
	{ "jobname", HASH, 'j' },
	{ "partition", HASH_LIST, 'p' },
	{ "cluster", HASH, 'c' },
	{ "reservation", HASH_LIST, 'r' },
	{ "wckey", HASH, 'w' },
	{ "mcslabel", HASH, 'm' },
	{ "uid", NUMBER, 'U' },
	{ "gid", NUMBER, 'G' },
	{ "state", STATE, 'U' },
	{ "admincomment", BLANK, 0 },
	{ "comment", BLANK, 0 },
	{ "systemcomment", BLANK, 0 },
	{ "submitline", BLANK, 0 },
	{ "workdir", BLANK, 0 },
	{ "stdin*", BLANK, 0 },
	{ "stdout*", BLANK, 0 },
	{ "stderr*", BLANK, 0 },
	{ "container", BLANK, 0 },
	{ "extra", BLANK, 0 },
	{ "jobid", KEEP, 'i' },
	{ "jobidraw", KEEP, 'i' },
	{ "alloctres", KEEP, 0 },
	{ "reqtres", KEEP, 0 },
	{ "tresusage*", KEEP, 0 },
	{ "allocgres", KEEP, 0 },
	{ "reqgres", KEEP, 0 },
	{ "nodelist", KEEP, 0 },
	{ "constraints", KEEP, 'k' },
	{ "flags", KEEP, 0 },
	{ "reason", KEEP, 0 },
	{ "qos", KEEP, 0 },
	{ "qosreq", KEEP, 0 },
	{ "qosraw", KEEP, 0 },
	{ "licenses", KEEP, 0 },
	{ "dependency", KEEP, 0 },
	{ "layout", KEEP, 0 },
	{ "timelimit", KEEP, 0 },
	{ "reqmem", KEEP, 0 },
	{ "reqcpufreq*", KEEP, 0 },
	{ "avecpufreq", KEEP, 0 },
	{ "maxrssnode", KEEP, 0 },
	{ "maxvmsizenode", KEEP, 0 },
	{ "maxpagesnode", KEEP, 0 },
	{ "maxdiskreadnode", KEEP, 0 },
	{ "maxdiskwritenode", KEEP, 0 },
	{ "mincpunode", KEEP, 0 },
	{ "failednode", KEEP, 0 },
	{ "submit", MEASURE, 0 },
	{ "start", MEASURE, 0 },
	{ "end", MEASURE, 0 },
	{ "eligible", MEASURE, 0 },
	{ "elapsed", MEASURE, 0 },
	{ "elapsedraw", MEASURE, 0 },
	{ "timelimitraw", MEASURE, 0 },
	{ "ncpus", MEASURE, 0 },
	{ "nnodes", MEASURE, 0 },
	{ "ntasks", MEASURE, 0 },
	{ "reqcpus", MEASURE, 0 },
	{ "reqnodes", MEASURE, 0 },
	{ "alloccpus", MEASURE, 0 },
	{ "allocnodes", MEASURE, 0 },
	{ "priority", MEASURE, 0 },
	{ "exitcode", MEASURE, 0 },
	{ "derivedexitcode", MEASURE, 0 },
	{ "cputime", MEASURE, 0 },
	{ "cputimeraw", MEASURE, 0 },
	{ "suspended", MEASURE, 0 },
	{ "systemcpu", MEASURE, 0 },
	{ "usercpu", MEASURE, 0 },
	{ "totalcpu", MEASURE, 0 },
	{ "reserved", MEASURE, 0 },
	{ "planned", MEASURE, 0 },
	{ "plannedcpu", MEASURE, 0 },
	{ "plannedcpuraw", MEASURE, 0 },
	{ "resvcpu", MEASURE, 0 },
	{ "resvcpuraw", MEASURE, 0 },
	{ "associd", MEASURE, 0 },
	{ "dbindex", MEASURE, 0 },
	{ "reservationid", MEASURE, 0 },
	{ "restarts", MEASURE, 0 },
	{ "ave*", MEASURE, 0 },
	{ "max*", MEASURE, 0 },
	{ "mincpu", MEASURE, 0 },
	{ "mincputask", MEASURE, 0 },
	{ "consumedenergy*", MEASURE, 0 },
};

/* Of schedlab-trace(5); numbers of its other columns stay by their values. */
static const struct rule csv_rules[] = {
	{ "user", HASH, 'u' },
	{ "account", HASH, 'a' },
	{ "partition", HASH, 'p' },
	{ "queue", HASH, 'q' },
	{ "localqueue", HASH, 'q' },
	{ "namespace", HASH, 's' },
	{ "priority", KEEP, 0 },
	{ "gang", HASH, 'n' },
	{ "jobname", HASH, 'j' },
	{ "name", HASH, 'j' },
	{ "comment", BLANK, 0 },
	{ "jobid", KEEP, 0 },
	{ "id", KEEP, 0 },
	{ "status", STATE, 'U' },
	{ "state", STATE, 'U' },
	{ "gputype", KEEP, 0 },
	{ "mig", KEEP, 0 },
	{ "dependency", KEEP, 0 },
	{ "exclusive", KEEP, 0 },
	{ "qos", KEEP, 0 },
	{ "fs", HASH, 'f' },
	{ "dataset", HASH, 'd' },
	{ "image", HASH, 'e' },
	{ "model", HASH, 'o' },
	{ "family", HASH, 'y' },
	{ "pattern", KEEP, 0 },
	{ "elastic", KEEP, 0 },
};

struct field {
	const char *text; /* In quotes, of CSV. */
	size_t len;
};

struct column {
	enum treatment treatment;
	char kind;
	bool blanked; /* Some text of it was. */
};

struct table {
	struct pseudonyms *p;
	enum table_kind kind;
	struct sl_out *out;
	const char *path;
	bool keep_partitions, headed;
	struct column column[COLUMNS_MAX];
	struct field field[COLUMNS_MAX];
	size_t columns;
	char *name; /* The header's line. */
	char *held; /* A line that is too short: perhaps a text with a line end in it. */
	size_t held_len;
	uint64_t line, left_out, repaired, blanked, comments;
	struct sl_err *err;
};

void put_bytes(struct sl_out *out, const char *text, size_t len)
{
	enum { CHUNK = 1 << 14 };
	for (size_t done = 0; done < len;) {
		const size_t size = len - done < CHUNK ? len - done : CHUNK;
		char *p = sl_out_reserve(out, CHUNK);
		memcpy(p, text + done, size);
		sl_out_advance(out, p + size);
		done += size;
	}
}

/* ---- Fields ------------------------------------------------------------------------------------- */

/* The end of the field at p; NULL: a quote is not closed. */
static const char *field_end(enum table_kind kind, const char *p, const char *end)
{
	if (kind == TABLE_SACCT || p == end || *p != '"') {
		const char *stop = memchr(p, kind == TABLE_SACCT ? '|' : ',', (size_t)(end - p));
		return stop ? stop : end;
	}
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 < end && p[1] == '"')
			p++;
		else
			return p + 1;
	}
	return NULL;
}

/* 0: a quote is not closed, or more than COLUMNS_MAX fields. */
static size_t split(enum table_kind kind, const char *p, const char *end, struct field *field)
{
	for (size_t count = 0; count < COLUMNS_MAX;) {
		const char *stop = field_end(kind, p, end);
		if (!stop)
			return 0;
		field[count++] = (struct field){ p, (size_t)(stop - p) };
		if (stop == end)
			return count;
		p = stop + 1;
	}
	return 0;
}

/* ---- The header --------------------------------------------------------------------------------- */

static void plain_name(const struct field *field, char name[64])
{
	size_t len = 0;
	for (size_t i = 0; i < field->len && len < 63; i++) {
		const char c = field->text[i];
		if (!strchr("_- \"\r", c))
			name[len++] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
	}
	name[len] = '\0';
}

static bool rule_is(const struct rule *rule, const char *name)
{
	const size_t len = strlen(rule->name);
	if (rule->name[len - 1] == '*')
		return strncmp(rule->name, name, len - 1) == 0;
	return strcmp(rule->name, name) == 0;
}

static struct column anonymize_table_column_of(const struct table *t, const struct field *field)
{
	const struct rule *rule = t->kind == TABLE_SACCT ? sacct_rules : csv_rules;
	const size_t count = t->kind == TABLE_SACCT ? SL_LEN(sacct_rules) : SL_LEN(csv_rules);
	char name[64];
	plain_name(field, name);
	if (t->keep_partitions && strcmp(name, "partition") == 0)
		return (struct column){ KEEP, 0, false };
	for (size_t i = 0; i < count; i++)
		if (rule_is(&rule[i], name))
			return (struct column){ rule[i].treatment, rule[i].kind, false };
	return (struct column){ UNKNOWN, 0, false };
}

enum table_kind anonymize_table_kind(const char *text, const char *end)
{
	struct field field[COLUMNS_MAX];
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	const size_t count = split(TABLE_SACCT, text, newline ? newline : end, field);
	for (size_t i = 0; i < count && count > 1; i++) {
		char name[64];
		plain_name(&field[i], name);
		if (strcmp(name, "jobid") == 0 || strcmp(name, "jobidraw") == 0)
			return TABLE_SACCT;
	}
	return TABLE_NONE;
}

static int take_header(struct table *t, const char *p, const char *end)
{
	const struct sl_place at = { t->path, t->line, 0 };
	t->name = malloc((size_t)(end - p) + 1);
	if (!t->name)
		return sl_fail_memory(t->err);
	memcpy(t->name, p, (size_t)(end - p));
	t->name[end - p] = '\0';
	t->columns = split(t->kind, t->name, t->name + (end - p), t->field);
	if (!t->columns)
		return sl_fail_at(
			t->err, &at, "the header has a quote that is not closed, or too many columns");
	for (size_t i = 0; i < t->columns; i++)
		t->column[i] = anonymize_table_column_of(t, &t->field[i]);
	put_bytes(t->out, p, (size_t)(end - p));
	sl_out_text(t->out, "\n");
	t->headed = true;
	return SL_OK;
}

/* ---- Values -------------------------------------------------------------------------------------- */

static bool is_known_word(const char *text, size_t len)
{
	static const char *const words[] = { "Unknown", "None", "UNLIMITED", "Partition_Limit", "INVALID",
		"N/A", "true", "false", "True", "False", "yes", "no", "NA" };
	for (size_t i = 0; i < SL_LEN(words); i++)
		if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
			return true;
	return false;
}

/* A number, time, date or size: from a digit (or sign) on, letters are units, and two at most stand together,
 * or three as in GiB. */
static bool is_measure(const char *text, size_t len)
{
	size_t letters = 0;
	if (!len || is_known_word(text, len))
		return true;
	if (!sl_is_digit(text[0]) &&
		!(len > 1 && strchr("+-.", text[0]) && (sl_is_digit(text[1]) || text[1] == '.')))
		return false;
	for (size_t i = 0; i < len; i++) {
		const char c = text[i];
		if (sl_is_digit(c) || strchr(".:+-/%, ", c)) {
			letters = 0;
			continue;
		}
		if (!strchr("TZeEKMGPBincdhms", c) || ++letters > (c == 'B' ? 3 : 2))
			return false;
	}
	return true;
}

static int put_pseudonym(struct table *t, const struct column *column, const char *text, size_t len)
{
	const char *given;
	if (!len)
		return SL_OK;
	const int status = column->treatment == HASH || column->treatment == HASH_LIST
				   ? pseudonym_of(t->p, column->kind, text, len, &given, t->err)
				   : pseudonym_number(t->p, column->kind, text, len, &given, t->err);
	if (!status)
		sl_out_text(t->out, given);
	return status;
}

static int put_list(struct table *t, const struct column *column, const char *text, size_t len)
{
	int status = SL_OK;
	for (size_t from = 0; from <= len && !status;) {
		const char *comma = memchr(text + from, ',', len - from);
		const size_t to = comma ? (size_t)(comma - text) : len;
		status = put_pseudonym(t, column, text + from, to - from);
		if (comma)
			sl_out_text(t->out, ",");
		from = to + 1;
	}
	return status;
}

/* The number behind "by " is a user's. */
static int anonymize_table_put_state(
	struct table *t, const struct column *column, const char *text, size_t len)
{
	const char *by = memmem(text, len, " by ", 4);
	if (!by) {
		put_bytes(t->out, text, len);
		return SL_OK;
	}
	const size_t before = (size_t)(by - text) + 4;
	put_bytes(t->out, text, before);
	return put_pseudonym(t, column, text + before, len - before);
}

static int put_value(struct table *t, struct column *column, const struct field *field)
{
	const char *text = field->text;
	size_t len = field->len;
	const bool quoted = t->kind == TABLE_CSV && len >= 2 && text[0] == '"';
	switch (column->treatment) {
	case HASH_LIST:
		return put_list(t, column, text, len);
	case HASH:
	case NUMBER: /* A name in quotes is the same without them. */
		return put_pseudonym(t, column, quoted ? text + 1 : text, quoted ? len - 2 : len);
	case STATE:
		return anonymize_table_put_state(t, column, text, len);
	case BLANK:
		return SL_OK;
	case MEASURE:
	case UNKNOWN:
		if (is_measure(quoted ? text + 1 : text, quoted ? len - 2 : len))
			break;
		t->blanked++;
		column->blanked = true;
		return SL_OK;
	case KEEP:
	case TREATMENTS:
		break;
	}
	put_bytes(t->out, text, len);
	return SL_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------------- */

/* Where a '|' within a value can be: in jobs' names, constraints and comments. Names of users have none. */
static bool is_free(const struct column *column)
{
	return column->kind == 'j' || column->kind == 'k' || column->treatment == BLANK ||
	       column->treatment == UNKNOWN;
}

/* A line with more fields than columns: which fields are a column's? Every column has one at least, those
 * that are free any number. reach[c]: how many fields the first c columns may consume, as bits. */
enum { PART_WORDS = COLUMNS_MAX / 64 + 1 };

static bool bit(const uint64_t *bits, size_t i) { return bits[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *bits, size_t i) { bits[i / 64] |= UINT64_C(1) << (i % 64); }

/* True if a column that has one field may have this one. */
static bool takes(const struct column *column, const struct field *alloc)
{
	if (column->kind == 'i') /* "7957382_17" */
		return alloc->len && sl_is_digit(alloc->text[0]);
	return (column->treatment != MEASURE && column->treatment != NUMBER) ||
	       is_measure(alloc->text, alloc->len);
}

static void reach_forward(const struct table *t, size_t count, uint64_t (*reach)[PART_WORDS])
{
	set_bit(reach[0], 0);
	for (size_t c = 0; c < t->columns; c++) {
		bool open = false;
		for (size_t i = 0; i < count; i++) {
			const bool here = bit(reach[c], i) && takes(&t->column[c], &t->field[i]);
			open = is_free(&t->column[c]) && (open || bit(reach[c], i));
			if (here || open)
				set_bit(reach[c + 1], i + 1);
		}
	}
}

/* Leaves in reach what an end is reached from: all ways through are left, and no others. */
static void reach_back(const struct table *t, size_t count, uint64_t (*reach)[PART_WORDS])
{
	const bool whole = bit(reach[t->columns], count);
	memset(reach[t->columns], 0, sizeof(reach[0]));
	if (whole)
		set_bit(reach[t->columns], count);
	for (size_t c = t->columns; c-- > 0;) {
		uint64_t kept[PART_WORDS] = { 0 };
		bool open = false;
		for (size_t i = count; i-- > 0;) {
			const bool next = bit(reach[c + 1], i + 1);
			open = is_free(&t->column[c]) && (open || next);
			if (bit(reach[c], i) && (open || (next && takes(&t->column[c], &t->field[i]))))
				set_bit(kept, i);
		}
		memcpy(reach[c], kept, sizeof(kept));
	}
}

/* The only one, or SIZE_MAX. */
static size_t only_bit(const uint64_t *bits, size_t count)
{
	size_t found = SIZE_MAX;
	for (size_t i = 0; i <= count; i++) {
		if (!bit(bits, i))
			continue;
		if (found != SIZE_MAX)
			return SIZE_MAX;
		found = i;
	}
	return found;
}

/* Where there is but one way to split a line, it is that; a column whose borders are ambiguous is blanked. If
 * there is none, the line goes. */
static int put_long_row(struct table *t, size_t count)
{
	uint64_t(*reach)[PART_WORDS] = calloc(t->columns + 1, sizeof(*reach));
	int status = SL_OK;
	if (!reach)
		return sl_fail_memory(t->err);
	reach_forward(t, count, reach);
	reach_back(t, count, reach);
	const bool fits = bit(reach[0], 0);
	t->repaired += fits;
	t->left_out += !fits;
	for (size_t c = 0; c < t->columns && !status && fits; c++) {
		const size_t from = only_bit(reach[c], count);
		const size_t to = only_bit(reach[c + 1], count);
		sl_out_text(t->out, c ? "|" : "");
		if (from == SIZE_MAX || to == SIZE_MAX)
			continue;
		const struct field *end = &t->field[to - 1];
		const char *text = t->field[from].text;
		status = put_value(
			t, &t->column[c], &(struct field){ text, (size_t)(end->text + end->len - text) });
	}
	sl_out_text(t->out, fits ? "\n" : "");
	free(reach);
	return status;
}

static int put_row(struct table *t, size_t count)
{
	int status = SL_OK;
	if (count > t->columns)
		return put_long_row(t, count);
	for (size_t i = 0; i < count && !status; i++) {
		sl_out_text(t->out, i ? t->kind == TABLE_SACCT ? "|" : "," : "");
		status = put_value(t, &t->column[i], &t->field[i]);
	}
	sl_out_text(t->out, "\n");
	return status;
}

/* *count: fields of what is held with this line behind it. */
static int anonymize_table_hold(struct table *t, const char *p, const char *end, size_t *count)
{
	const size_t len = (size_t)(end - p);
	const bool rerun = t->held_len > 0;
	if (t->held_len + len + 1 > HELD_MAX) {
		t->left_out++;
		t->held_len = 0;
		*count = 0;
		return SL_OK;
	}
	if (!t->held)
		t->held = malloc(HELD_MAX);
	if (!t->held)
		return sl_fail_memory(t->err);
	if (rerun)
		t->held[t->held_len++] = ' ';
	memcpy(t->held + t->held_len, p, len);
	t->held_len += len;
	*count = split(t->kind, t->held, t->held + t->held_len, t->field);
	return SL_OK;
}

/* Lines that are too short are joined until they make a row, unless a whole one comes before. */
static int take_sacct(struct table *t, const char *p, const char *end)
{
	size_t count = split(t->kind, p, end, t->field);
	if (count >= t->columns) {
		t->left_out += t->held_len > 0;
		t->held_len = 0;
		return put_row(t, count);
	}
	int status = anonymize_table_hold(t, p, end, &count);
	if (status || count < t->columns)
		return status;
	if (count == t->columns) {
		t->repaired++;
		status = put_row(t, count);
		t->held_len = 0;
		return status;
	}
	t->left_out++; /* What was held is no row with this; perhaps this is the beginning of one. */
	t->held_len = 0;
	return anonymize_table_hold(t, p, end, &count);
}

static int take_csv(struct table *t, const char *p, const char *end)
{
	const struct sl_place at = { t->path, t->line, 0 };
	const size_t count = split(t->kind, p, end, t->field);
	if (count && count <= t->columns)
		return put_row(t, count);
	return sl_fail_at(t->err, &at, "%s: mend the line, nothing is written",
		count ? "more fields than the header has" : "a quote is not closed");
}

/* Above the header line: labels that say nothing of a site stay, as those of SWF. */
static void take_comment(struct table *t, const char *p, const char *end)
{
	if (!anonymize_header_stays(p, end)) {
		t->comments++;
		return;
	}
	put_bytes(t->out, p, (size_t)(end - p));
	sl_out_text(t->out, "\n");
}

static int take_line(struct table *t, const char *p, const char *end)
{
	t->line++;
	const char *stop = end > p && end[-1] == '\r' ? end - 1 : end;
	if (!t->headed && t->kind == TABLE_CSV && p < stop && *p == '#') {
		take_comment(t, p, stop);
		return SL_OK;
	}
	if (!t->headed)
		return take_header(t, p, stop);
	if (p == stop)
		return SL_OK;
	return t->kind == TABLE_SACCT ? take_sacct(t, p, stop) : take_csv(t, p, stop);
}

/* ---- What was done, for people ---------------------------------------------------------------------- */

static bool anonymize_table_is_said(const struct column *column, enum treatment treatment)
{
	const bool hash = column->treatment == HASH || column->treatment == HASH_LIST ||
			  column->treatment == NUMBER || column->treatment == STATE;
	if (treatment == UNKNOWN)
		return column->blanked;
	return treatment == HASH ? hash : column->treatment == treatment;
}

static void talk_columns(const struct table *t, enum treatment treatment, const char *what)
{
	struct field field[COLUMNS_MAX];
	if (!t->name) /* An empty file: there is no column. */
		return;
	const char *end = t->name + strlen(t->name);
	const size_t count = split(t->kind, t->name, end, field);
	char list[NAMES_MAX] = "";
	for (size_t i = 0; i < count; i++)
		if (anonymize_table_is_said(&t->column[i], treatment))
			list_add(list, sizeof(list), "%.*s", (int)field[i].len, field[i].text);
	if (list[0])
		talk("%s: %s: %s", t->path, what, list);
}

static void talk_table(const struct table *t)
{
	talk_columns(t, HASH, "hashed");
	talk_columns(t, BLANK, "blanked");
	talk_columns(t, UNKNOWN, "of these, what is no number, time or size was blanked");
	if (t->comments)
		talk("%s: comments left out: %llu", t->path, (unsigned long long)t->comments);
	if (t->repaired)
		talk("%s: lines with a '|' or a line end in a text, put together: %llu", t->path,
			(unsigned long long)t->repaired);
	if (t->left_out)
		talk("%s: lines whose fields are not the header's, left out: %llu", t->path,
			(unsigned long long)t->left_out);
}

int anonymize_table(struct pseudonyms *p, enum table_kind kind, struct sl_input *in, bool keep_partitions,
	struct sl_out *out, struct sl_err *err)
{
	const char *text;
	const char *end;
	int status = SL_OK;
	int more = 0;
	struct table *t = calloc(1, sizeof(*t));
	if (!t)
		return sl_fail_memory(err);
	*t = (struct table){ .p = p,
		.kind = kind,
		.out = out,
		.path = sl_input_name(in),
		.keep_partitions = keep_partitions,
		.err = err };
	while (!status && (more = sl_input_next(in, &text, &end, err)) > 0)
		while (text < end && !status) {
			const char *newline = memchr(text, '\n', (size_t)(end - text));
			const char *stop = newline ? newline : end;
			status = cli_stop ? sl_fail(err, SL_INTERRUPTED, "interrupted: nothing was written")
					  : take_line(t, text, stop);
			text = stop + 1;
		}
	t->left_out += t->held_len > 0;
	status = status ? status : more;
	if (!status)
		talk_table(t);
	free(t->name);
	free(t->held);
	free(t);
	return status;
}
