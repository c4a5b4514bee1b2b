/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sacct_scan.c - sacct -P: the header's names, and rows by them.
 *
 * A row is nearly always a line with as many fields as the header has, and is read where it stands. One with
 * fewer goes on in the next lines (names may hold line ends), as long as they are no rows themselves; one
 * with more has separators in its names (sacct_repair.c).
 */
#include <stdlib.h>
#include <string.h>

#include "traces/slurm/sacct.h"

static const char short_row[] = "fewer fields than columns";
static const char surplus[] = "more fields than columns, and no telling which";
static const char mended[] = "separators or line ends in a name";

enum { DELIMITER_MAX = 16, LINES_MAX = 200 };

struct scan {
	struct sacct s;
	char delimiter[DELIMITER_MAX];
	size_t separator; /* Its length. */
	bool header_seen;
	uint64_t line_number;
	size_t columns;
	uint8_t kind[SACCT_FIELDS_MAX], cost[SACCT_FIELDS_MAX], column[SACCT_FIELDS_MAX];
	size_t used[SACCT_FIELDS_MAX], used_count;       /* Fields of columns that are used. */
	bool twice;                                      /* Some column is there twice. */
	size_t checked[SACCT_FIELDS_MAX], checked_count; /* Behind a text, of those that indicate a shift. */
	const char *field[SACCT_FIELDS_MAX + SACCT_EXCESS_MAX + 2];
	uint32_t first[SACCT_FIELDS_MAX];
	struct sacct_cells cells;
	/* A row that was begun by a line with too few fields. */
	char *open;
	size_t open_len, open_capacity, open_fields, open_lines;
	uint64_t open_line;
};

/* ---- Fields -------------------------------------------------------------------------------- */

/* Bit 7 of each byte of a word that is c. */
static uint64_t bytes_that_are(const char *p, uint64_t wanted)
{
	uint64_t word;
	memcpy(&word, p, sizeof(word));
	word ^= wanted;
	return ~(((word & UINT64_C(0x7f7f7f7f7f7f7f7f)) + UINT64_C(0x7f7f7f7f7f7f7f7f)) | word |
		 UINT64_C(0x7f7f7f7f7f7f7f7f));
}

/* 64 bytes behind end are readable. */
static size_t part_at_byte(struct scan *t, const char *p, const char *end, size_t max)
{
	const uint64_t wanted = (unsigned char)t->delimiter[0] * UINT64_C(0x0101010101010101);
	size_t count = 0;
	t->field[count++] = p;
	for (; p < end; p += 8) {
		uint64_t found = bytes_that_are(p, wanted);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		found = __builtin_bswap64(found);
#endif
		for (; found; found &= found - 1) {
			const char *at = p + __builtin_ctzll(found) / 8;
			if (at >= end || count == max)
				break;
			t->field[count++] = at + 1;
		}
	}
	return count;
}

static size_t part_at_text(struct scan *t, const char *p, const char *end, size_t max)
{
	size_t count = 0;
	t->field[count++] = p;
	while (count < max) {
		const char *at = memmem(p, (size_t)(end - p), t->delimiter, t->separator);
		if (!at)
			break;
		p = at + t->separator;
		t->field[count++] = p;
	}
	return count;
}

/* The fields of [p, end); one more place behind the last. Beyond what can be mended they are not counted. */
static size_t sacct_scan_part(struct scan *t, const char *p, const char *end)
{
	const size_t max = t->columns + SACCT_EXCESS_MAX + 1;
	const size_t count = t->separator == 1 ? part_at_byte(t, p, end, max) : part_at_text(t, p, end, max);
	t->field[count] = end + t->separator;
	return count;
}

static void cell_in(struct scan *t, size_t column, size_t from, size_t behind)
{
	const char *p = t->field[from];
	const size_t len = (size_t)(t->field[behind] - p) - t->separator;
	struct sacct_cell *cell = &t->cells.cell[t->column[column]];
	if (len) /* Of two columns that say the same, the one that says something. */
		*cell = (struct sacct_cell){ p, len };
}

/* The same of the field that is the only one of its column. */
static inline void cell_set(struct scan *t, size_t field)
{
	const char *p = t->field[field];
	const size_t len = (size_t)(t->field[field + 1] - p) - t->separator;
	t->cells.cell[t->column[field]] = (struct sacct_cell){ len ? p : NULL, len };
}

static void cells_clear(struct scan *t, uint64_t line)
{
	for (size_t i = 0; i < t->used_count; i++)
		t->cells.cell[t->column[t->used[i]]].p = NULL;
	t->cells.line = line;
	t->cells.repair = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------- */

static int whole_row(struct scan *t, uint64_t line, bool joined)
{
	if (t->twice)
		cells_clear(t, line);
	for (size_t i = 0; i < t->used_count; i++)
		if (t->twice)
			cell_in(t, t->used[i], t->used[i], t->used[i] + 1);
		else
			cell_set(t, t->used[i]);
	t->cells.line = line;
	t->cells.repair = joined ? mended : NULL;
	return sacct_record(&t->s, &t->cells);
}

/* Nothing was shifted: what stands behind a text is what its column holds. */
static bool sacct_scan_fits(const struct scan *t)
{
	for (size_t i = 0; i < t->checked_count; i++) {
		const size_t at = t->checked[i];
		const size_t len = (size_t)(t->field[at + 1] - t->field[at]) - t->separator;
		const char c = *t->field[at];
		if (len && (c < '0' || c > '9') && !sacct_fits(t->kind[at], t->field[at], len))
			return false;
	}
	return true;
}

static int wide_row(struct scan *t, size_t count, uint64_t line)
{
	cells_clear(t, line);
	for (size_t i = 0; i < t->used_count; i++) {
		const size_t column = t->used[i];
		const size_t behind = column + 1 < t->columns ? t->first[column + 1] : count;
		cell_in(t, column, t->first[column], behind);
	}
	t->cells.repair = mended;
	return sacct_record(&t->s, &t->cells);
}

static bool repair(struct scan *t, size_t count)
{
	const struct sacct_fields fields = { t->field, count, t->separator };
	return sacct_repair(t->kind, t->cost, t->columns, &fields, t->first);
}

/* A row of these fields, mended if need be; *is: there is one. */
static int sacct_scan_row_of(struct scan *t, size_t count, uint64_t line, bool joined, bool *is)
{
	*is = count == t->columns && sacct_scan_fits(t);
	if (*is)
		return whole_row(t, line, joined);
	*is = count > t->columns && repair(t, count);
	return *is ? wide_row(t, count, line) : SL_OK;
}

/* The line that was parted is a row of its own: what is no text looks like what its column holds. */
static bool is_row(struct scan *t, size_t count)
{
	if (count > t->columns)
		return repair(t, count);
	for (size_t i = 0; count == t->columns && i < t->columns; i++) {
		const size_t len = (size_t)(t->field[i + 1] - t->field[i]) - t->separator;
		if (!sacct_fits(t->kind[i], t->field[i], len))
			return false;
	}
	return count == t->columns;
}

static int open_append(struct scan *t, const char *p, const char *end)
{
	const size_t len = (size_t)(end - p);
	const size_t need = t->open_len + len + 2 + 64;
	if (SL_GROW(t->open, t->open_capacity, need, t->s.err))
		return SL_SYSTEM;
	if (t->open_lines++)
		t->open[t->open_len++] = '\n';
	memcpy(t->open + t->open_len, p, len);
	t->open_len += len;
	return SL_OK;
}

static int open_drop(struct scan *t)
{
	if (!t->open_lines)
		return SL_OK;
	t->open_lines = t->open_len = 0;
	return sacct_drop(&t->s, t->open_fields < t->columns ? short_row : surplus, t->open_line);
}

/* A line behind one that is no row, of which it is a part. */
static int open_go_on(struct scan *t, const char *p, const char *end, size_t count)
{
	int status = open_append(t, p, end);
	bool is = false;
	if (status)
		return status;
	t->open_fields += count - 1;
	if (t->open_len > SACCT_ROW_MAX || t->open_lines > LINES_MAX)
		return open_drop(t);
	if (t->open_fields < t->columns)
		return SL_OK;
	memset(t->open + t->open_len, 0, 64);
	count = sacct_scan_part(t, t->open, t->open + t->open_len);
	status = sacct_scan_row_of(t, count, t->open_line, true, &is);
	if (is)
		t->open_lines = t->open_len = 0;
	return status;
}

static int row(struct scan *t, const char *p, const char *end)
{
	bool is;
	const size_t count = sacct_scan_part(t, p, end);
	if (t->open_lines) {
		if (!is_row(t, count))
			return open_go_on(t, p, end, count);
		const int status = open_drop(t);
		if (status)
			return status;
	}
	const int status = sacct_scan_row_of(t, count, t->line_number, false, &is);
	if (status || is)
		return status;
	if (count == 1 && (p == end || (t->s.job.whole && t->kind[t->columns - 1] == SACCT_TEXT)))
		return SL_OK; /* Empty, or the rest of the last name, of which a line is enough. */
	t->open_line = t->line_number;
	t->open_fields = count;
	return open_append(t, p, end);
}

/* ---- The header ---------------------------------------------------------------------------------- */

static bool of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '/';
}

/* Behind the first name; its length, 0: there is none. */
static size_t delimiter_of(const char *p, const char *end, char delimiter[DELIMITER_MAX])
{
	while (p < end && of_name(*p))
		p++;
	size_t len = 0;
	while (p + len < end && len < DELIMITER_MAX && !of_name(p[len]))
		len++;
	if (len == DELIMITER_MAX || p + len == end)
		return 0;
	memcpy(delimiter, p, len);
	return len;
}

static const char *without_return(const char *p, const char *stop)
{
	return stop > p && stop[-1] == '\r' ? stop - 1 : stop;
}

static const char *without_mark(const char *p, const char *end)
{
	return end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

static int require(struct scan *t, const struct sl_place *at)
{
	bool has[SACCT_COLUMNS] = { false };
	for (size_t i = 0; i < t->used_count; i++) {
		t->twice |= has[t->column[t->used[i]]];
		has[t->column[t->used[i]]] = true;
	}
	if (!has[SACCT_JOBID] && !has[SACCT_JOBIDRAW])
		return sl_fail_at(t->s.err, at, "no column JobID or JobIDRaw: ask sacct for it, with -o");
	if (!has[SACCT_SUBMIT])
		return sl_fail_at(t->s.err, at, "no column Submit: ask sacct for it, with -o");
	if (!has[SACCT_ELAPSED] && !has[SACCT_ELAPSEDRAW] && (!has[SACCT_START] || !has[SACCT_END]))
		return sl_fail_at(t->s.err, at,
			"no column ElapsedRaw or Elapsed, nor Start and End: ask sacct for one, with -o");
	return SL_OK;
}

/* What other options of sacct print, which is distinguished from a trace of no format at all: lines without a
 * header
 * (-n), and names in columns of a width. */
static const char *mistaken(const char *p, const char *end)
{
	struct sacct_id id;
	const char *bar = memchr(p, '|', (size_t)(end - p));
	const struct sacct_cell first = { p, bar ? (size_t)(bar - p) : 0 };
	if (bar && memchr(bar + 1, '|', (size_t)(end - bar) - 1) && sacct_id_of(&first, &id))
		return "no header line, which names the columns: ask sacct without -n (--noheader)";
	while (p < end && *p == ' ')
		p++;
	if (end - p > 6 && memcmp(p, "JobID ", 6) == 0 && memmem(p, (size_t)(end - p), " State ", 7))
		return "columns of a fixed width, which cut names off: ask sacct with -P (--parsable2)";
	return NULL;
}

static int header(struct scan *t, const char *p, const char *end)
{
	const struct sl_place at = { t->s.file, t->line_number, 1 };
	bool text = false;
	if (mistaken(p, end))
		return sl_fail_at(t->s.err, &at, "%s", mistaken(p, end));
	t->separator = delimiter_of(p, end, t->delimiter);
	if (!t->separator)
		return sl_fail_at(t->s.err, &at, "no header of sacct -P: its names have nothing between");
	t->columns = SACCT_FIELDS_MAX;
	t->columns = part_at_text(t, p, end, SACCT_FIELDS_MAX + 1);
	t->field[t->columns] = end + t->separator;
	if (t->columns > SACCT_FIELDS_MAX)
		return sl_fail_at(t->s.err, &at, "more than %d columns", SACCT_FIELDS_MAX);
	for (size_t i = 0; i < t->columns; i++) {
		const char *name = t->field[i];
		const size_t len = (size_t)(t->field[i + 1] - name) - t->separator;
		const struct sacct_name *known = sacct_name_of(name, len);
		t->kind[i] = known->kind;
		t->cost[i] = sacct_cost(known->column);
		t->column[i] = known->column;
		if (t->column[i] < SACCT_COLUMNS)
			t->used[t->used_count++] = i;
		text |= t->kind[i] == SACCT_TEXT;
		if (text && t->kind[i] != SACCT_TEXT && t->kind[i] != SACCT_ANY)
			t->checked[t->checked_count++] = i;
	}
	t->header_seen = true;
	return require(t, &at);
}

/* ---- The reader ---------------------------------------------------------------------------------- */

static int sacct_scan_lines_in(struct scan *t, const char *p, const char *end)
{
	while (p < end) {
		const char *stop = sacct_line_end(p, end);
		const char *last = without_return(p, stop);
		t->line_number++;
		const int status = t->header_seen ? row(t, p, last) : header(t, without_mark(p, last), last);
		if (status)
			return status;
		p = stop + 1;
	}
	return SL_OK;
}

static int sacct_scan_read_all(struct scan *t, struct sl_input *in)
{
	const char *text;
	const char *end;
	int status;
	while ((status = sl_input_next(in, &text, &end, t->s.err)) > 0) {
		status = sacct_scan_lines_in(t, text, end);
		if (status)
			return status;
	}
	if (!status)
		status = open_drop(t);
	return status ? status : sacct_end(&t->s);
}

static int sacct_read(struct sl_input *in, const struct sl_sink *sink, struct sl_err *err)
{
	struct scan *t = calloc(1, sizeof(*t));
	if (!t)
		return sl_fail_memory(err);
	int status = sacct_begin(&t->s, sl_input_name(in), sink, err);
	if (!status)
		status = sacct_scan_read_all(t, in);
	sacct_release(&t->s);
	free(t->open);
	free(t);
	return status;
}

/* A header line with JobID or JobIDRaw, and two more of sacct's names. */
static int sacct_sniff(const char *text, size_t len)
{
	const char *p = without_mark(text, text + len);
	const char *end = sacct_line_end(p, text + len);
	char delimiter[DELIMITER_MAX];
	const size_t separator = delimiter_of(p, end = without_return(p, end), delimiter);
	size_t known = 0;
	bool id = false;
	if (mistaken(p, end))
		return 1; /* Its reader says what is wrong. */
	if (!separator)
		return 0;
	while (p < end) {
		const char *at = memmem(p, (size_t)(end - p), delimiter, separator);
		const char *stop = at ? at : end;
		const unsigned column = sacct_name_of(p, (size_t)(stop - p))->column;
		known += column < SACCT_OTHER;
		id |= column == SACCT_JOBID || column == SACCT_JOBIDRAW;
		p = stop + separator;
	}
	return id && known >= 3 ? 95 : 0;
}

const struct sl_reader sacct_reader = {
	.abi = SL_ABI_OF(struct sl_reader),
	.name = "sacct",
	.summary = "accounting of Slurm: sacct -P, any columns in any order",
	.sniff = sacct_sniff,
	.read = sacct_read,
};
