/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_database.c - DIR/runs.db: what came of a sweep as SQLite, made anew from the points each time.
 *
 * Points are files, never rows: a data base on a file system that many machines write is no place to keep
 * what must not be lost. Tables: points (number, id, the factors, digest, error), metrics (number, name,
 * value).
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep_found.h"
#include "sim/base/out.h"

static int failed(sqlite3 *db, const char *path, struct sl_err *err)
{
	return sl_fail(err, SL_SYSTEM, "cannot write '%s': %s", path, sqlite3_errmsg(db));
}

/* A name of ours as SQL's: in quotes, those in it doubled. */
static void sweep_database_put_name(FILE *text, const char *name)
{
	(void)fputc('"', text);
	for (; *name; name++) {
		if (*name == '"')
			(void)fputc('"', text);
		(void)fputc(*name, text);
	}
	(void)fputc('"', text);
}

static char *statement(const struct found *found, bool insert)
{
	const struct sweep_spec *spec = &found->sweep->spec;
	char *sql = NULL;
	size_t len;
	FILE *text = open_memstream(&sql, &len);
	if (!text)
		return NULL;
	(void)fputs(insert ? "INSERT INTO points VALUES (?, ?"
			   : "CREATE TABLE points (number INTEGER PRIMARY KEY, id TEXT",
		text);
	for (size_t f = 0; f < spec->factor_count; f++) {
		(void)fputs(", ", text);
		if (insert)
			(void)fputc('?', text);
		else
			sweep_database_put_name(text, spec->factor[f].name);
	}
	(void)fputs(insert ? ", ?, ?)" : ", digest TEXT, error TEXT)", text);
	if (fclose(text) == 0)
		return sql;
	free(sql);
	return NULL;
}

/* Numbers as numbers, so that they sort. */
static void bind_value(sqlite3_stmt *row, int at, const char *value)
{
	int64_t micro;
	if (!value)
		(void)sqlite3_bind_null(row, at);
	else if (sl_get_micro(value, strlen(value), &micro) && micro % 1000000 == 0)
		(void)sqlite3_bind_int64(row, at, micro / 1000000);
	else if (sl_get_micro(value, strlen(value), &micro))
		(void)sqlite3_bind_double(row, at, (double)micro / 1e6);
	else
		(void)sqlite3_bind_text(row, at, value, -1, SQLITE_STATIC);
}

static bool insert_point(const struct found *found, size_t i, sqlite3_stmt *row)
{
	const struct found_point *point = &found->point[i];
	const struct point *of = &found->sweep->point[point->number];
	int at = 1;
	(void)sqlite3_bind_int64(row, at++, (int64_t)point->number);
	(void)sqlite3_bind_text(row, at++, of->id, -1, SQLITE_STATIC);
	for (size_t f = 0; f < found->sweep->spec.factor_count; f++)
		bind_value(row, at++, point_value(found->sweep, of, f));
	(void)sqlite3_bind_text(row, at++, point->digest, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(row, at, point->error, -1, SQLITE_STATIC);
	return sqlite3_step(row) == SQLITE_DONE && sqlite3_reset(row) == SQLITE_OK;
}

static bool insert_metrics(const struct found *found, size_t i, sqlite3_stmt *row)
{
	const struct found_point *point = &found->point[i];
	for (size_t v = 0; v < point->value_count; v++) {
		const int64_t micro = point->value[v].micro;
		(void)sqlite3_bind_int64(row, 1, (int64_t)point->number);
		(void)sqlite3_bind_text(row, 2, found->metric[point->value[v].metric], -1, SQLITE_STATIC);
		if (micro % 1000000)
			(void)sqlite3_bind_double(row, 3, (double)micro / 1e6);
		else
			(void)sqlite3_bind_int64(row, 3, micro / 1000000);
		if (sqlite3_step(row) != SQLITE_DONE || sqlite3_reset(row) != SQLITE_OK)
			return false;
	}
	return true;
}

static bool sweep_database_fill(const struct found *found, sqlite3 *db)
{
	static const char metrics[] =
		"CREATE TABLE metrics (number INTEGER, name TEXT, value, PRIMARY KEY (number, name)) WITHOUT ROWID";
	char *create = statement(found, false);
	char *insert = statement(found, true);
	sqlite3_stmt *row = NULL;
	sqlite3_stmt *value = NULL;
	bool good =
		create && insert && sqlite3_exec(db, create, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, metrics, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, insert, -1, &row, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, "INSERT INTO metrics VALUES (?, ?, ?)", -1, &value, NULL) == SQLITE_OK;
	for (size_t i = 0; good && i < found->count; i++)
		good = insert_point(found, i, row) && insert_metrics(found, i, value);
	good = good && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
	(void)sqlite3_finalize(row);
	(void)sqlite3_finalize(value);
	free(create);
	free(insert);
	return good;
}

int found_database(const struct found *found, struct sl_err *err)
{
	char path[4096];
	char temp[4200];
	sqlite3 *db = NULL;
	(void)snprintf(path, sizeof(path), "%s/runs.db", found->sweep->dir);
	(void)snprintf(temp, sizeof(temp), "%s/.runs.db.%ld", found->sweep->dir, (long)getpid());
	(void)unlink(temp);
	int status = SL_OK;
	if (sqlite3_open_v2(temp, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK ||
		sqlite3_exec(db, "PRAGMA journal_mode=OFF", NULL, NULL, NULL) != SQLITE_OK ||
		!sweep_database_fill(found, db))
		status = failed(db, path, err);
	if (sqlite3_close(db) != SQLITE_OK && !status)
		status = failed(db, path, err);
	if (!status && (out_sync(temp) != 0 || rename(temp, path) != 0))
		status = sl_fail_sys(err, SL_SYSTEM, "write", path);
	if (status)
		(void)unlink(temp);
	return status;
}
