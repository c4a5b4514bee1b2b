/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sqlite.c - runs as one database of SQLite: jobs, attempts, usage, reasons, gauges, metrics, what they were
 * made from, and how they differ.
 *
 * The tables of a run are its CSV files, read back as they are written: the same columns, the same numbers,
 * with the number of the run before them. Names stay text; what is empty there is NULL here. The database is
 * made in memory and written whole.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/csv/csv.h"

enum { COLUMNS_MAX = 64, SQL = 8192, NAME = 64 };

/* What is an identifier, and no number, whatever it looks like. */
static const char *const texts[] = { "user", "account", "partition", "state", "reason", "job_name", "qos",
	"gauge", NULL };

struct database {
	sqlite3 *db;
	uint32_t runs;
	bool failed; /* Of SQLite, or memory. */
};

/* A CSV file on its way into a table. */
struct loading_table {
	struct database *to;
	const char *name;
	uint32_t run;
	sqlite3_stmt *insert; /* NULL: the header has not come yet. */
	bool text[COLUMNS_MAX], id[COLUMNS_MAX];
	char *line; /* Fields, each ended by a zero byte. */
	size_t length, capacity, field[COLUMNS_MAX], fields;
	bool quoted, quote; /* Inside quotes; the last character was one that may end them. */
};

/* Ids are whole numbers in most logs, and stay text where they are written in any other way: 1.10 is not 1.1,
 * nor 007 the same as 7. */
static const char *const ids[] = { "job_id", "array_job", NULL };

static bool sqlite_do(struct database *to, const char *sql)
{
	to->failed = to->failed || sqlite3_exec(to->db, sql, NULL, NULL, NULL) != SQLITE_OK;
	return !to->failed;
}

static bool is_among(const char *const *names, const char *name)
{
	for (size_t i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool has_column(struct database *to, const char *table, const char *column)
{
	char sql[SQL];
	sqlite3_stmt *row = NULL;
	(void)snprintf(
		sql, sizeof(sql), "SELECT 1 FROM pragma_table_info('%s') WHERE name = '%s'", table, column);
	const bool has = sqlite3_prepare_v2(to->db, sql, -1, &row, NULL) == SQLITE_OK &&
			 sqlite3_step(row) == SQLITE_ROW;
	(void)sqlite3_finalize(row);
	return has;
}

/* The first run makes the table; a later one may have columns more. */
static bool header_done(struct loading_table *load)
{
	struct database *to = load->to;
	char sql[SQL];
	char columns[SQL / 2] = "run";
	char marks[COLUMNS_MAX * 2 + 2] = "?";
	size_t used = 3;
	(void)snprintf(sql, sizeof(sql), "CREATE TABLE IF NOT EXISTS %s (run INTEGER NOT NULL)", load->name);
	if (!sqlite_do(to, sql))
		return false;
	for (size_t i = 0; i < load->fields; i++) {
		const char *name = load->line + load->field[i];
		if (strlen(name) >= NAME || strchr(name, '"') || strchr(name, '\''))
			return false; /* A column of a plug-in's model, perhaps. */
		load->text[i] = is_among(texts, name);
		load->id[i] = is_among(ids, name);
		(void)snprintf(sql, sizeof(sql), "ALTER TABLE %s ADD COLUMN \"%s\"%s", load->name, name,
			load->text[i] ? " TEXT" : "");
		if (!has_column(to, load->name, name) && !sqlite_do(to, sql))
			return false;
		used += (size_t)snprintf(columns + used, sizeof(columns) - used, ", \"%s\"", name);
		memcpy(marks + 1 + 2 * i, ",?", 3);
	}
	(void)snprintf(sql, sizeof(sql), "INSERT INTO %s (%s) VALUES (%s)", load->name, columns, marks);
	return sqlite3_prepare_v2(to->db, sql, -1, &load->insert, NULL) == SQLITE_OK;
}

/* As it would be written. */
static bool is_whole(const char *value)
{
	char again[32];
	int64_t number;
	if (!sl_get_i64(value, strlen(value), &number))
		return false;
	*sl_put_i64(again, number) = '\0';
	return strcmp(again, value) == 0;
}

static void bind_field(sqlite3_stmt *row, int at, const char *value, bool text)
{
	int64_t micro;
	if (!*value)
		(void)sqlite3_bind_null(row, at);
	else if (text || !sl_get_micro(value, strlen(value), &micro))
		(void)sqlite3_bind_text(row, at, value, -1, SQLITE_TRANSIENT);
	else if (micro % 1000000)
		(void)sqlite3_bind_double(row, at, (double)micro / 1e6);
	else
		(void)sqlite3_bind_int64(row, at, micro / 1000000);
}

static bool line_done(struct loading_table *load)
{
	if (!load->insert)
		return header_done(load);
	(void)sqlite3_bind_int64(load->insert, 1, load->run);
	for (size_t i = 0; i < load->fields; i++) {
		const char *value = load->line + load->field[i];
		bind_field(
			load->insert, (int)i + 2, value, load->text[i] || (load->id[i] && !is_whole(value)));
	}
	return sqlite3_step(load->insert) == SQLITE_DONE && sqlite3_reset(load->insert) == SQLITE_OK;
}

static bool line_put(struct loading_table *load, char c)
{
	if (SL_GROW(load->line, load->capacity, load->length + 1, NULL))
		return false;
	if (!load->fields) {
		load->field[0] = load->length;
		load->fields = 1;
	}
	load->line[load->length++] = c;
	return true;
}

/* RFC 4180: fields in quotes hold commas, ends of lines, and quotes twice. */
static bool take_one(struct loading_table *load, char c)
{
	if (load->quoted) {
		load->quoted = c != '"';
		load->quote = c == '"';
		return load->quoted ? line_put(load, c) : true;
	}
	if (c == '"') {
		const bool doubled = load->quote;
		load->quoted = true;
		load->quote = false;
		return doubled ? line_put(load, c) : true;
	}
	load->quote = false;
	if (c == '\r')
		return true;
	if (c != ',' && c != '\n')
		return line_put(load, c);
	if (!line_put(load, '\0'))
		return false;
	if (c == ',') {
		if (load->fields == COLUMNS_MAX)
			return false;
		load->field[load->fields++] = load->length;
		return true;
	}
	const bool good = line_done(load);
	load->length = load->fields = 0;
	return good;
}

static void table_take(void *self, const char *bytes, size_t len)
{
	struct loading_table *load = self;
	for (size_t i = 0; i < len && !load->to->failed; i++)
		load->to->failed = !take_one(load, bytes[i]);
}

static int sqlite_failed(const struct database *to, struct sl_err *err)
{
	const char *why = to->db ? sqlite3_errmsg(to->db) : "out of memory";
	return sl_fail(err, SL_SYSTEM, "cannot make the database: %s", why);
}

static int table_load(struct database *to, uint32_t run, const char *name, const struct sl_report *report,
	const struct sl_result *result, struct sl_err *err)
{
	struct loading_table load = { .to = to, .name = name, .run = run };
	struct sl_out *out;
	/* Attempts are none where every job had one, and a table without rows says so; gauges have no columns
	 * then.
	 */
	if (report->wanted && !report->wanted(result) && report != &csv_attempts)
		return SL_OK;
	int status = sl_out_to(&out, table_take, &load, err);
	if (status)
		return status;
	status = report->write(result, out, err);
	if (status)
		sl_out_abandon(out);
	else
		status = sl_out_commit(out, err);
	(void)sqlite3_finalize(load.insert);
	free(load.line);
	return !status && to->failed ? sqlite_failed(to, err) : status;
}

/* ---- What is of no file ----------------------------------------------------------------------------- */

static void bind_micro(sqlite3_stmt *row, int at, int64_t micro)
{
	if (micro % 1000000)
		(void)sqlite3_bind_double(row, at, (double)micro / 1e6);
	else
		(void)sqlite3_bind_int64(row, at, micro / 1000000);
}

static bool stepped(sqlite3_stmt *row)
{
	return sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK;
}

static bool sqlite_put_run(struct database *to, const struct sl_document_run *reported)
{
	sqlite3_stmt *run = NULL;
	sqlite3_stmt *fact = NULL;
	sqlite3_stmt *metric = NULL;
	bool good = sqlite3_prepare_v2(to->db, "INSERT INTO runs VALUES (?, ?, ?, ?, ?)", -1, &run, NULL) ==
			    SQLITE_OK &&
		    sqlite3_prepare_v2(to->db, "INSERT INTO facts VALUES (?, ?, ?)", -1, &fact, NULL) ==
			    SQLITE_OK &&
		    sqlite3_prepare_v2(to->db, "INSERT OR IGNORE INTO metrics VALUES (?, ?, ?)", -1, &metric,
			    NULL) == SQLITE_OK;
	if (good) {
		const struct sl_result *result = reported->result;
		(void)sqlite3_bind_int64(run, 1, to->runs);
		(void)sqlite3_bind_text(run, 2, reported->label, -1, SQLITE_STATIC);
		(void)sqlite3_bind_int64(run, 3, reported->partial);
		if (result->epoch)
			(void)sqlite3_bind_int64(run, 4, result->epoch);
		(void)sqlite3_bind_int64(run, 5, result->utc_offset);
		good = stepped(run);
	}
	for (size_t i = 0; good && i < reported->fact_count; i++) {
		(void)sqlite3_bind_int64(fact, 1, to->runs);
		(void)sqlite3_bind_text(fact, 2, reported->fact[i].key, -1, SQLITE_STATIC);
		(void)sqlite3_bind_text(fact, 3, reported->fact[i].value, -1, SQLITE_STATIC);
		good = stepped(fact);
	}
	for (size_t i = 0; good && i < reported->metric_count; i++) {
		(void)sqlite3_bind_int64(metric, 1, to->runs);
		(void)sqlite3_bind_text(metric, 2, reported->metric[i].name, -1, SQLITE_STATIC);
		bind_micro(metric, 3, reported->metric[i].micro);
		good = stepped(metric);
	}
	(void)sqlite3_finalize(run);
	(void)sqlite3_finalize(fact);
	(void)sqlite3_finalize(metric);
	return good;
}

static bool put_differences(struct database *to, const struct sl_compared *compared)
{
	sqlite3_stmt *row = NULL;
	bool good = sqlite3_prepare_v2(to->db, "INSERT INTO differences VALUES (?, ?, ?, ?, ?, ?, ?)", -1,
			    &row, NULL) == SQLITE_OK;
	for (size_t i = 0; good && i < compared->difference_count; i++) {
		const struct sl_difference *one = &compared->difference[i];
		(void)sqlite3_clear_bindings(row);
		(void)sqlite3_bind_int64(row, 1, one->run + 1);
		(void)sqlite3_bind_text(row, 2, one->metric, -1, SQLITE_STATIC);
		bind_micro(row, 3, one->estimate);
		if (one->low <= one->high) {
			bind_micro(row, 4, one->low);
			bind_micro(row, 5, one->high);
		}
		(void)sqlite3_bind_int64(row, 6, one->samples);
		(void)sqlite3_bind_text(row, 7, one->method, -1, SQLITE_STATIC);
		good = stepped(row);
	}
	(void)sqlite3_finalize(row);
	return good;
}

/* ---- The document ------------------------------------------------------------------------------------ */

static int sqlite_document_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	static const char tables[] =
		"CREATE TABLE runs (run INTEGER PRIMARY KEY, label TEXT, partial INTEGER, epoch INTEGER, utc_offset "
		"INTEGER);"
		"CREATE TABLE facts (run INTEGER NOT NULL, key TEXT, value TEXT);"
		"CREATE TABLE metrics (run INTEGER NOT NULL, name TEXT NOT NULL, value, PRIMARY KEY (run, name)) "
		"WITHOUT ROWID;"
		"CREATE TABLE differences (run INTEGER NOT NULL, metric TEXT NOT NULL, estimate, low, high, samples "
		"INTEGER, method TEXT);";
	struct database *to = calloc(1, sizeof(*to));
	(void)options;
	*self = to;
	if (!to)
		return sl_fail_memory(err);
	const bool good = sqlite3_open(":memory:", &to->db) == SQLITE_OK && sqlite_do(to, tables) &&
			  sqlite_do(to, "BEGIN");
	return good ? SL_OK : sqlite_failed(to, err);
}

static int sqlite_document_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	static const struct {
		const char *table;
		const struct sl_report *report;
	} tables[] = { { "jobs", &csv_jobs }, { "attempts", &csv_attempts }, { "usage", &csv_usage },
		{ "reasons", &csv_reasons }, { "gauges", &csv_gauges } };
	struct database *to = self;
	to->runs++;
	if (!sqlite_put_run(to, reported))
		return sqlite_failed(to, err);
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(tables) && !status; i++)
		status = table_load(to, to->runs, tables[i].table, tables[i].report, reported->result, err);
	return status;
}

static bool put_indices(struct database *to)
{
	static const char *const of[][3] = { { "jobs", "job_id", "jobs_by_id" },
		{ "jobs", "user", "jobs_by_user" }, { "jobs", "submit", "jobs_by_submit" },
		{ "attempts", "job_id", "attempts_by_id" }, { "usage", "time", "usage_by_time" },
		{ "reasons", "job_id", "reasons_by_id" } };
	for (size_t i = 0; i < SL_LEN(of); i++) {
		char sql[200];
		(void)snprintf(
			sql, sizeof(sql), "CREATE INDEX %s ON %s (run, %s)", of[i][2], of[i][0], of[i][1]);
		if (has_column(to, of[i][0], of[i][1]) && !sqlite_do(to, sql))
			return false;
	}
	return true;
}

static int sqlite_document_write(
	void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	enum { CHUNK = 1 << 15 };
	struct database *to = self;
	sqlite3_int64 size = 0;
	if (!put_differences(to, compared) || !put_indices(to) || !sqlite_do(to, "COMMIT"))
		return sqlite_failed(to, err);
	unsigned char *bytes = sqlite3_serialize(to->db, "main", &size, 0);
	if (!bytes)
		return sqlite_failed(to, err);
	for (sqlite3_int64 at = 0; at < size; at += CHUNK) {
		const size_t length = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		char *p = sl_out_reserve(out, CHUNK);
		memcpy(p, bytes + at, length);
		sl_out_advance(out, p + length);
	}
	sqlite3_free(bytes);
	return SL_OK;
}

static void sqlite_document_close(void *self)
{
	struct database *to = self;
	if (to)
		(void)sqlite3_close(to->db);
	free(to);
}

const struct sl_document csv_sqlite = { .abi = SL_ABI_OF(struct sl_document),
	.name = "sqlite",
	.summary =
		"jobs, attempts, usage, reasons and metrics of all runs as one database, for SQL, pandas, R and DuckDB",
	.file = "report.db",
	.binary = true,
	.open = sqlite_document_open,
	.add = sqlite_document_add,
	.write = sqlite_document_write,
	.close = sqlite_document_close };
