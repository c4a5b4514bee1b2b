/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outdir.c - a directory of results, which appears whole or not at all.
 *
 * Everything is built in a hidden directory beside the target and replaces it at commit, in one rename; until
 * then, and after a failure, what was there is untouched. A directory of ours has a record, run.json or
 * compare.json, that names its identity, its files and its runs. It is replaced where the identity is the
 * same; one that holds anything that no record names is the user's, and is refused.
 *
 * Of two that write one directory at a time the second is refused: the first holds a lock on its hidden one.
 *
 * With --force a directory that holds only results of ours is replaced whatever they are of. In any other,
 * the new files are moved in, over files of the same names, and what else is there stays. The same is done to
 * a directory that cannot be renamed: the working directory, a mount point.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/run/outdir.h"
#include "reports/csv/csv.h"
#include "sim/base/out.h"
#include "sim/lib/snapshot.h"

#define RUN_RECORD     "run.json"
#define COMPARE_RECORD "compare.json"

enum { PATH = 4096, TRIES = 10000, RECORD_MAX = 64 << 20 };

struct name {
	struct name *next;
	const char *text;
};

/* A report that is written on a thread of its own, into a file that it alone has. */
struct ahead {
	const struct sl_report *report; /* NULL: none is. */
	const struct sl_result *result;
	struct sl_out *out;
	pthread_t thread;
	int status;
	struct sl_err err;
};

struct outdir {
	char shown[PATH];  /* As the user calls it, for messages. */
	char target[PATH]; /* Without links and trailing slashes. */
	char temp[PATH];
	int lock; /* Held on temp as long as this process writes there. */
	char identity[65];
	bool exists, merge;
	bool sync;     /* All is on the disk before it has its name. */
	bool compares; /* Runs are in folders of their own. */
	struct name *files, *runs;
	struct outdir_samples samples; /* of: NULL: it is not said. */
	const struct sl_document *const *documents;
	struct sl_arena *arena;
	/* usage.csv of the directory's only run, which is written while that goes on; NULL: it is not. */
	struct sl_out *usage_file;
	struct csv_usage *usage;
	struct sim_usage_sink usage_sink;
	struct ahead ahead; /* jobs.csv, while metrics are computed and other files are written. */
};

/* ---- Paths ------------------------------------------------------------------------------ */

static int outdir_join(char path[PATH], const char *folder, const char *name, struct sl_err *err)
{
	const int len = snprintf(path, PATH, "%s/%s", folder, name);
	if (len >= 0 && len < PATH)
		return SL_OK;
	return sl_fail(err, SL_USAGE, "path is too long: '%.100s...'; use a shorter one", folder);
}

/* The parent folder of a path without a trailing slash. */
static void parent_of(char folder[PATH], const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		(void)snprintf(folder, PATH, ".");
	else
		(void)snprintf(folder, PATH, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

int remove_tree(const char *path)
{
	struct dirent **entry = NULL;
	if (remove(path) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -1;
	const int count = scandir(path, &entry, not_dots, by_bytes);
	for (int i = 0; i < count; i++) {
		char below[PATH];
		struct sl_err unused = { 0 };
		if (outdir_join(below, path, entry[i]->d_name, &unused) == SL_OK)
			(void)remove_tree(below);
		free(entry[i]);
	}
	free(entry);
	return remove(path);
}

/* ---- Whose is it? ------------------------------------------------------------------------ */

/* The record of a directory of ours; of no nodes: there is none. *name: run.json or compare.json. */
static struct sl_doc record_read(const char *folder, const char **name)
{
	static const char *const known[] = { RUN_RECORD, COMPARE_RECORD };
	struct sl_doc record = { .file = "", .loose = true };
	struct sl_err unused = { 0 };
	bool read = false;
	for (size_t i = 0; !read && i < SL_LEN(known); i++) {
		char path[PATH];
		if (outdir_join(path, folder, known[i], &unused))
			break;
		FILE *file = fopen(path, "rbe");
		if (!file)
			continue;
		struct stat found;
		char *text = NULL;
		if (fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= RECORD_MAX)
			text = calloc((size_t)found.st_size + 1, 1);
		if (text) {
			const size_t len = fread(text, 1, (size_t)found.st_size, file);
			read = sl_doc_read_json(&record, text, len, &unused) == SL_OK;
			*name = known[i];
		}
		free(text);
		(void)fclose(file);
	}
	const char *schema = read ? sl_doc_string(&record, sl_doc_at(&record, record.node, "schema")) : NULL;
	if (!schema || strncmp(schema, "schedlab.", 9) != 0)
		sl_doc_release(&record);
	return record;
}

static bool lists(const struct sl_doc *record, const char *list, const char *name)
{
	SL_DOC_EACH (item, record, sl_doc_member(record, record->node, list)) {
		const char *text = sl_doc_string(record, item);
		if (text && strcmp(text, name) == 0)
			return true;
	}
	return false;
}

enum holds { HOLDS_NOTHING, HOLDS_SAME, HOLDS_OTHER, HOLDS_FOREIGN };

static bool is_ours(const struct sl_document *const *documents, const char *folder, const char *name,
	const struct sl_doc *record, const char *record_name);

/* The first entry that no record names, into `foreign`. */
static enum holds folder_holds(const struct sl_document *const *documents, const char *folder,
	const char *identity, char foreign[PATH])
{
	struct dirent **entry = NULL;
	const int count = scandir(folder, &entry, not_dots, by_bytes);
	if (count < 0) {
		(void)snprintf(foreign, PATH, "what cannot be read");
		return HOLDS_FOREIGN;
	}
	const char *record_name = "";
	struct sl_doc record = count ? record_read(folder, &record_name) : (struct sl_doc){ 0 };
	enum holds holds = count ? HOLDS_OTHER : HOLDS_NOTHING;
	for (int i = 0; i < count; i++) {
		if (holds == HOLDS_OTHER &&
			!is_ours(documents, folder, entry[i]->d_name, &record, record_name)) {
			(void)snprintf(foreign, PATH, "'%s'", entry[i]->d_name);
			holds = HOLDS_FOREIGN;
		}
		free(entry[i]);
	}
	free(entry);
	const char *known = sl_doc_string(&record, sl_doc_at(&record, record.node, "identity"));
	if (holds == HOLDS_OTHER && known && strcmp(known, identity) == 0)
		holds = HOLDS_SAME;
	sl_doc_release(&record);
	return holds;
}

bool document_is_ours(const char *path)
{
	static const char mark[] = "schedlab";
	char head[4096];
	FILE *file = fopen(path, "rbe");
	if (!file)
		return false;
	const size_t length = fread(head, 1, sizeof(head), file);
	(void)fclose(file);
	return memmem(head, length, mark, sizeof(mark) - 1) != NULL;
}

/* A name of a file that 'schedlab report DIR' writes into a run's directory. */
static bool is_document(const struct sl_document *const *known, const char *name)
{
	while (*known && strcmp((*known)->file, name) != 0)
		known++;
	return *known != NULL;
}

static bool is_ours(const struct sl_document *const *documents, const char *folder, const char *name,
	const struct sl_doc *record, const char *record_name)
{
	char path[PATH];
	char foreign[PATH];
	struct stat found;
	struct sl_err unused = { 0 };
	if (!record->count || name[0] == '.' || strchr(name, '/') ||
		outdir_join(path, folder, name, &unused) || lstat(path, &found) != 0)
		return false;
	if (S_ISREG(found.st_mode))
		return strcmp(name, record_name) == 0 || lists(record, "files", name) ||
		       (is_document(documents, name) && document_is_ours(path));
	return S_ISDIR(found.st_mode) && lists(record, "runs", name) &&
	       folder_holds(documents, path, "", foreign) == HOLDS_OTHER;
}

/* ---- Open -------------------------------------------------------------------------------- */

/* True for a folder that cannot be replaced by a rename. */
static bool is_fixed(const char *target)
{
	struct stat folder;
	struct stat parent;
	struct stat here;
	char parent_path[PATH];
	parent_of(parent_path, target);
	return stat(target, &folder) != 0 || stat(parent_path, &parent) != 0 || stat(".", &here) != 0 ||
	       folder.st_dev != parent.st_dev ||
	       (folder.st_dev == here.st_dev && folder.st_ino == here.st_ino);
}

static int claim_existing(struct outdir *dir, bool force, struct sl_err *err)
{
	char *resolved = realpath(dir->shown, NULL);
	if (!resolved)
		return sl_fail_sys(err, SL_SYSTEM, "open", dir->shown);
	const int len = snprintf(dir->target, PATH, "%s", resolved);
	free(resolved);
	if (len >= PATH)
		return sl_fail(err, SL_USAGE, "path is too long: '%.100s...'; use a shorter one", dir->shown);
	char foreign[PATH];
	const enum holds holds = folder_holds(dir->documents, dir->target, dir->identity, foreign);
	dir->merge = holds == HOLDS_FOREIGN || is_fixed(dir->target);
	if (force || holds == HOLDS_NOTHING || holds == HOLDS_SAME)
		return SL_OK;
	if (holds == HOLDS_OTHER)
		return sl_fail(err, SL_USAGE,
			"'%s' holds results of other inputs or settings: name another directory, or give --force",
			dir->shown);
	return sl_fail(err, SL_USAGE,
		"'%s' holds %.240s, which is not of a run: name another directory, or give --force",
		dir->shown, foreign);
}

/* Sets target; what is there stays untouched. */
static int claim(struct outdir *dir, bool force, struct sl_err *err)
{
	struct stat found;
	char parent[PATH];
	dir->exists = stat(dir->shown, &found) == 0;
	if (dir->exists && !S_ISDIR(found.st_mode))
		return sl_fail(err, SL_USAGE, "'%s' is not a directory: name one, or a new one", dir->shown);
	if (dir->exists)
		return claim_existing(dir, force, err);
	parent_of(parent, dir->shown);
	if (stat(parent, &found) != 0)
		return sl_fail(err, SL_SYSTEM,
			"cannot create '%s': there is no directory '%s'; make it first", dir->shown, parent);
	(void)snprintf(dir->target, PATH, "%s", dir->shown);
	return SL_OK;
}

/* ".out.1234-0" of "out": the hidden directory of a process that writes it. */
static bool is_temp_of(const char *name, const char *base)
{
	char start[256];
	const int len = snprintf(start, sizeof(start), ".%.200s.", base);
	if (strncmp(name, start, (size_t)len) != 0)
		return false;
	const char *rest = name + len;
	const size_t pid = strspn(rest, "0123456789");
	const size_t number = rest[pid] == '-' ? strspn(rest + pid + 1, "0123456789") : 0;
	return pid && number && !rest[pid + 1 + number];
}

/* The lock goes with the process that holds it, however that ends. -1: another holds it. */
static int temp_lock(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/* Does another process write the same directory? What one that was killed left is removed. */
static bool is_being_written(const struct outdir *dir, const char *folder)
{
	struct dirent **entry = NULL;
	bool found = false;
	const int count = scandir(folder, &entry, not_dots, by_bytes);
	for (int i = 0; i < count; i++) {
		char path[PATH];
		struct sl_err unused = { 0 };
		if (is_temp_of(entry[i]->d_name, base_of(dir->target)) &&
			outdir_join(path, folder, entry[i]->d_name, &unused) == SL_OK &&
			strcmp(path, dir->temp) != 0) {
			const int lock = temp_lock(path);
			found |= lock < 0 && errno == EWOULDBLOCK;
			if (lock >= 0) {
				(void)remove_tree(path);
				(void)close(lock);
			}
		}
		free(entry[i]);
	}
	free(entry);
	return found;
}

/* False: another process removed it as a leftover before it was locked. */
static bool temp_keep(struct outdir *dir)
{
	struct stat made;
	dir->lock = temp_lock(dir->temp);
	if (dir->lock >= 0 && fstat(dir->lock, &made) == 0 && made.st_nlink)
		return true;
	if (dir->lock >= 0)
		(void)close(dir->lock);
	return false;
}

/* A new directory: hidden, beside the target, or in it where the target itself must stay. */
static int temp_make(struct outdir *dir, struct sl_err *err)
{
	char folder[PATH];
	char name[PATH];
	if (dir->merge)
		(void)snprintf(folder, PATH, "%s", dir->target);
	else
		parent_of(folder, dir->target);
	for (int i = 0; i < TRIES; i++) {
		(void)snprintf(name, PATH, ".%.200s.%ld-%d", base_of(dir->target), (long)getpid(), i);
		const int status = outdir_join(dir->temp, folder, name, err);
		if (status)
			return status;
		const bool made = mkdir(dir->temp, 0777) == 0;
		if (!made && errno != EEXIST)
			break;
		if (!made || !temp_keep(dir))
			continue;
		if (!is_being_written(dir, folder))
			return SL_OK;
		(void)remove_tree(dir->temp);
		(void)close(dir->lock);
		return sl_fail(err, SL_USAGE,
			"'%s' is being written by another schedlab: wait for its end, or name another directory",
			dir->shown);
	}
	return sl_fail_sys(err, SL_SYSTEM, "create", dir->shown);
}

static void *ahead_write(void *self)
{
	struct ahead *ahead = self;
	ahead->status = ahead->report->write(ahead->result, ahead->out, &ahead->err);
	return NULL;
}

/* Waits for it: its file is whole, or status says why not. */
static int ahead_end(struct ahead *ahead, struct sl_out **out, struct sl_err *err)
{
	(void)pthread_join(ahead->thread, NULL);
	*out = ahead->out;
	ahead->report = NULL;
	if (ahead->status)
		*err = ahead->err;
	return ahead->status;
}

static void outdir_drop(struct outdir *dir)
{
	if (dir->ahead.report) {
		struct sl_out *out;
		struct sl_err unused = { 0 };
		(void)ahead_end(&dir->ahead, &out, &unused);
		sl_out_abandon(out);
	}
	sl_out_abandon(dir->usage_file);
	free(dir->usage);
	sl_arena_free(dir->arena);
	free(dir);
}

/* *dir: claimed; what is there is as it was. */
static int claimed(struct outdir **dir, const char *path, const char *identity, struct outdir_ways ways,
	struct sl_err *err)
{
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (!len || len >= PATH)
		return sl_fail(err, SL_USAGE, "'%.100s' cannot be a directory's name: give -o another", path);
	struct outdir *made = calloc(1, sizeof(*made));
	if (!made)
		return sl_fail_memory(err);
	(void)snprintf(made->shown, PATH, "%.*s", (int)len, path);
	made->documents = ways.registry->known.documents;
	made->arena = sl_arena_new();
	int status = made->arena ? identity_hash(identity, made->identity, err) : sl_fail_memory(err);
	if (!status)
		status = claim(made, ways.force, err);
	if (!status) {
		*dir = made;
		return SL_OK;
	}
	outdir_drop(made);
	return status;
}

int file_out_open(struct sl_out **out, const char *path, const struct args *args, struct sl_err *err)
{
	const int status = sl_out_open(out, path, err);
	if (!status)
		out_ways(*out, !arg_flag(args, "no-sync"), arg_flag(args, "force"));
	return status;
}

struct outdir_ways outdir_ways(const struct args *args)
{
	return (struct outdir_ways){ args->registry, arg_flag(args, "force"), arg_flag(args, "no-sync") };
}

int outdir_open(struct outdir **dir, const char *path, const char *identity, struct outdir_ways ways,
	struct sl_err *err)
{
	struct outdir *made;
	int status = claimed(&made, path, identity, ways, err);
	if (status)
		return status;
	made->sync = !ways.unsynced;
	status = temp_make(made, err);
	if (!status) {
		atomic_fetch_add(&cli_unpublished, 1);
		*dir = made;
		return SL_OK;
	}
	outdir_drop(made);
	return status;
}

int outdir_check(const char *path, const char *identity, struct outdir_ways ways, struct sl_err *err)
{
	struct outdir *made;
	char folder[PATH];
	int status = claimed(&made, path, identity, ways, err);
	if (status)
		return status;
	parent_of(folder, made->target);
	if (access(made->merge ? made->target : folder, W_OK) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "create", made->shown);
	outdir_drop(made);
	return status;
}

/* ---- Files -------------------------------------------------------------------------------- */

/* At the end of the list. */
static int name_add(struct outdir *dir, struct name **list, const char *text, struct sl_err *err)
{
	struct name *name = sl_alloc(dir->arena, 1, sizeof(*name));
	if (name)
		name->text = sl_strdup(dir->arena, text, strlen(text));
	if (!name || !name->text)
		return sl_fail_memory(err);
	while (*list)
		list = &(*list)->next;
	*list = name;
	return SL_OK;
}

/* prefix: "" in the directory, or "sub/". */
static int file_open(
	struct outdir *dir, const char *prefix, const char *name, struct sl_out **out, struct sl_err *err)
{
	char inside[PATH];
	char path[PATH];
	char shown[PATH];
	(void)snprintf(inside, PATH, "%.1100s%.2000s", prefix, name);
	int status = outdir_join(path, dir->temp, inside, err);
	if (!status)
		status = outdir_join(shown, dir->shown, inside, err);
	if (!status)
		status = out_open_as(out, path, shown, err);
	if (!status)
		out_ways(*out, false, true); /* All at once, at the end. */
	return status;
}

int outdir_file(struct outdir *dir, const char *name, struct sl_out **out, struct sl_err *err)
{
	const int status = name_add(dir, &dir->files, name, err);
	return status ? status : file_open(dir, "", name, out, err);
}

bool outdir_wants(const char *only, const char *file)
{
	char stem[64];
	(void)snprintf(stem, sizeof(stem), "%.*s", (int)strcspn(file, "."), file);
	return only_has(only, stem);
}

/* Closes a file that was written, or failed to be. */
static int file_close(struct sl_out *out, int status, struct sl_err *err)
{
	if (!status)
		return sl_out_commit(out, err);
	sl_out_abandon(out);
	return status;
}

const char *report_asked(const struct sl_report *report)
{
	return report->asked_as ? report->asked_as : report->name;
}

bool outdir_wants_report(const char *only, const struct sl_report *report, const struct sl_result *result)
{
	if (report->on_request && !only)
		return false;
	return outdir_wants(only, report_asked(report)) && (!report->wanted || report->wanted(result));
}

/* While it goes on, unless something reads the points behind it, or nodes are made of its pool on the way. */
int outdir_stream(struct outdir *dir, struct run *run, const char *only, struct sl_err *err)
{
	const unsigned needed = SIM_RECORD_USAGE | SIM_RECORD_PACKED;
	if ((run->options.record & needed) != needed || !outdir_wants(only, csv_usage.name) ||
		run->scenario->filled || run->options.history_count)
		return SL_OK;
	const int status = file_open(dir, "", csv_usage.name, &dir->usage_file, err);
	if (status)
		return status;
	dir->usage = csv_usage_new(dir->usage_file);
	if (!dir->usage)
		return sl_fail_memory(err);
	dir->usage_sink = (struct sim_usage_sink){ dir->usage, csv_usage_take };
	run->options.usage_sink = &dir->usage_sink;
	return SL_OK;
}

static int stream_close(struct outdir *dir, const struct sl_result *result, struct sl_err *err)
{
	struct sl_out *out = dir->usage_file;
	csv_usage_end(dir->usage, result->cluster, result->cpus);
	dir->usage_file = NULL;
	dir->usage = NULL;
	return sl_out_commit(out, err);
}

int outdir_ahead(struct outdir *dir, const struct run *run, const char *only, struct sl_err *err)
{
	struct ahead *ahead = &dir->ahead;
	if (!outdir_wants_report(only, &csv_jobs, &run->sim.result) || sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return SL_OK;
	const int status = file_open(dir, "", csv_jobs.name, &ahead->out, err);
	if (status)
		return status;
	ahead->report = &csv_jobs;
	ahead->result = &run->sim.result;
	if (pthread_create(&ahead->thread, NULL, ahead_write, ahead) == 0)
		return SL_OK;
	sl_out_abandon(ahead->out); /* No thread is to be had: in its turn. */
	ahead->report = NULL;
	return SL_OK;
}

static int report_write(struct outdir *dir, const char *prefix, const struct sl_report *report,
	const struct sl_result *result, struct sl_err *err)
{
	struct sl_out *out;
	if (dir->ahead.report == report) {
		const int written = ahead_end(&dir->ahead, &out, err);
		return file_close(out, written, err);
	}
	if (dir->usage && report == &csv_usage)
		return stream_close(dir, result, err);
	const int status = file_open(dir, prefix, report->name, &out, err);
	return status ? status : file_close(out, report->write(result, out, err), err);
}

static int reports_write(
	struct outdir *dir, const char *prefix, const struct run *run, const char *only, struct sl_err *err)
{
	const struct sl_report *const *report = run->scenario->registry->known.reports;
	int status = SL_OK;
	for (; !status && *report; report++)
		if (outdir_wants_report(only, *report, &run->sim.result))
			status = report_write(dir, prefix, *report, &run->sim.result, err);
	return status;
}

/* Names of files without their ends, and what must be recorded for them. */
static const struct {
	const char *name;
	unsigned record;
	bool on_request;
} kinds[] = {
	{ "jobs", 0, false },
	{ "attempts", 0, false },
	{ "metrics", 0, false },
	{ "usage", SIM_RECORD_USAGE, false },
	{ "reasons", SIM_RECORD_REASONS, false },
	{ "fill", 0, false },
	{ "node_changes", 0, false },
	{ "calibration", 0, false },
	{ "snapshot", 0, false },
	{ "sacct", SIM_RECORD_PLACES, true },
	{ "batsim", SIM_RECORD_PLACES, true },
};

const char *only_at(size_t i) { return i < SL_LEN(kinds) ? kinds[i].name : NULL; }

/* SL_LEN(kinds): there is none. */
static size_t kind_find(const char *name, size_t len)
{
	size_t i = 0;
	while (i < SL_LEN(kinds) && (strlen(kinds[i].name) != len || memcmp(name, kinds[i].name, len) != 0))
		i++;
	return i;
}

/* Is that, without its end, a name of a file of every run, or of what else is in a directory? */
static bool is_taken(const char *name, size_t len)
{
	static const char *const others[] = { "run", "compare", "windows", "report", "gauges" };
	bool taken = kind_find(name, len) < SL_LEN(kinds);
	for (size_t i = 0; i < SL_LEN(others); i++)
		taken = taken || (strlen(others[i]) == len && memcmp(others[i], name, len) == 0);
	return taken;
}

/* The report that has that name for --only; NULL: none. */
static const struct sl_report *report_find(const struct registry *registry, const char *name, size_t len)
{
	const struct sl_report *const *at = registry->known.reports;
	while (*at && (strcspn(report_asked(*at), ".") != len || memcmp(report_asked(*at), name, len) != 0))
		at++;
	return *at;
}

/* Does --only select it? Of what is built in, those of the list. */
static bool is_known(const struct registry *registry, const char *name, size_t len)
{
	return kind_find(name, len) < SL_LEN(kinds) ||
	       registry_owner(registry, report_find(registry, name, len));
}

bool outdir_wants_table(const char *only, const struct sl_report_table *table)
{
	return only_has(only, table->name);
}

static void table_put(struct sl_out *out, const struct sl_report_table *table)
{
	for (uint32_t i = 0; i < table->columns; i++)
		csv_data(out, i > 0, DATA(datum_text(NULL, table->column[i])));
	sl_out_text(out, "\n");
	for (size_t row = 0; row < table->rows; row++) {
		const struct sl_cell *cell = &table->cell[row * table->columns];
		for (uint32_t i = 0; i < table->columns; i++)
			csv_data(out, i > 0,
				DATA(cell[i].text ? datum_text(NULL, cell[i].text)
						  : datum_micro(NULL, cell[i].micro)));
		sl_out_text(out, "\n");
	}
}

/* What --only names that is neither a file of every run nor a table that a model reported. */
static int reported_check(
	const char *only, const struct registry *registry, const struct sl_result *result, struct sl_err *err)
{
	for (const char *name = only; name && *name;) {
		const size_t len = strcspn(name, ",");
		bool known = is_known(registry, name, len);
		for (size_t i = 0; i < result->reported_table_count && !known; i++)
			known = strlen(result->reported_table[i].name) == len &&
				memcmp(name, result->reported_table[i].name, len) == 0;
		if (!known)
			return sl_fail(err, SL_USAGE,
				"'%.*s' is no file of a run, and no table that one of its models told",
				(int)(len < 100 ? len : 100), name);
		name += len + (name[len] == ',');
	}
	return SL_OK;
}

/* Files NAME.csv of what models reported. */
static int tables_write(
	struct outdir *dir, const char *prefix, const struct run *run, const char *only, struct sl_err *err)
{
	const struct sl_result *result = &run->sim.result;
	const struct registry *registry = run->scenario->registry;
	int status = reported_check(only, registry, result, err);
	for (size_t i = 0; !status && i < result->reported_table_count; i++) {
		const struct sl_report_table *table = &result->reported_table[i];
		char name[256];
		struct sl_out *out;
		if (is_taken(table->name, strlen(table->name)) ||
			report_find(registry, table->name, strlen(table->name)))
			return sl_fail(err, SL_USAGE,
				"a model tells a table '%.80s', which is a file of every run: rename it",
				table->name);
		if (!outdir_wants_table(only, table))
			continue;
		(void)snprintf(name, sizeof(name), "%.200s.csv", table->name);
		status = file_open(dir, prefix, name, &out, err);
		if (status)
			return status;
		table_put(out, table);
		status = sl_out_commit(out, err);
	}
	return status;
}

static int folder_make(struct outdir *dir, const char *name, struct sl_err *err)
{
	char path[PATH];
	const int status = outdir_join(path, dir->temp, name, err);
	if (!status && mkdir(path, 0777) != 0)
		return sl_fail_sys(err, SL_SYSTEM, "create", dir->shown);
	return status;
}

/* The folder of one run of several. */
int outdir_sub(struct outdir *dir, const char *sub, struct sl_err *err)
{
	dir->compares = true;
	const int status = name_add(dir, &dir->runs, sub, err);
	return status ? status : folder_make(dir, sub, err);
}

static int metrics_write(
	struct outdir *dir, const char *prefix, const struct sl_metrics *metrics, struct sl_err *err)
{
	struct sl_out *out;
	const int status = file_open(dir, prefix, METRICS_FILE, &out, err);
	if (status)
		return status;
	metrics_json(out, metrics);
	return sl_out_commit(out, err);
}

/* What is of one run, behind the prefix. */
static int run_write(struct outdir *dir, const char *prefix, const struct run *run,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err)
{
	struct sl_out *out;
	int status = reports_write(dir, prefix, run, only, err);
	if (!status)
		status = tables_write(dir, prefix, run, only, err);
	if (!status && metrics && outdir_wants(only, METRICS_FILE))
		status = metrics_write(dir, prefix, metrics, err);
	if (!status && run->scenario->bounded && outdir_wants(only, SNAPSHOT_FILE)) {
		status = file_open(dir, prefix, SNAPSHOT_FILE, &out, err);
		if (!status)
			status = file_close(out, snapshot_write(out, &run->sim, err), err);
	}
	if (!status)
		status = file_open(dir, prefix, RUN_RECORD, &out, err);
	return status ? status : file_close(out, run_json(out, run, NULL, metrics, only, err), err);
}

int outdir_run_in(struct outdir *dir, const char *sub, const struct run *run,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err)
{
	char prefix[PATH] = "";
	if (sub)
		(void)snprintf(prefix, PATH, "%.1000s/", sub);
	return run_write(dir, prefix, run, metrics, only, err);
}

int outdir_run(struct outdir *dir, const char *sub, const struct run *run, const struct sl_metrics *metrics,
	const char *only, struct sl_err *err)
{
	const int status = sub ? outdir_sub(dir, sub, err) : SL_OK;
	return status ? status : outdir_run_in(dir, sub, run, metrics, only, err);
}

/* NOLINTNEXTLINE(readability-function-size): as outdir_run, and the window's name. */
int outdir_window(struct outdir *dir, const char *sub, const char *name, const struct run *run,
	const struct sl_metrics *metrics, const char *only, struct sl_err *err)
{
	char prefix[PATH];
	char path[PATH];
	struct stat found;
	int status = outdir_join(path, dir->temp, sub ? sub : ".", err);
	if (!status && sub && stat(path, &found) != 0)
		status = outdir_sub(dir, sub, err); /* The first of its policy. */
	(void)snprintf(path, PATH, "%.1000s%s%.60s", sub ? sub : "", sub ? "/" : "", name);
	(void)snprintf(prefix, PATH, "%.1070s/", path);
	if (!status)
		status = folder_make(dir, path, err);
	return status ? status : run_write(dir, prefix, run, metrics, only, err);
}

int outdir_windows(struct outdir *dir, const char *sub, const struct windows *windows,
	const struct sl_metrics *means, const char *only, struct sl_err *err)
{
	char prefix[PATH] = "";
	struct sl_out *out;
	int status = SL_OK;
	if (sub)
		(void)snprintf(prefix, PATH, "%.1000s/", sub);
	if (outdir_wants(only, METRICS_FILE)) {
		status = metrics_write(dir, prefix, means, err);
		if (!status)
			status = file_open(dir, prefix, WINDOWS_FILE, &out, err);
		if (!status) {
			windows_csv(windows, means, out);
			status = sl_out_commit(out, err);
		}
	}
	if (!status)
		status = file_open(dir, prefix, RUN_RECORD, &out, err);
	return status ? status
		      : file_close(out, run_json(out, &windows->whole, windows, means, only, err), err);
}

/* ---- Commit -------------------------------------------------------------------------------- */

static void names_put(struct json *json, const char *key, const struct name *list)
{
	json_nest(json, key, '[', &json_tight);
	for (const struct name *name = list; name; name = name->next)
		json_put(json, datum_text(NULL, name->text));
	json_close(json);
}

void outdir_samples(struct outdir *dir, struct outdir_samples samples) { dir->samples = samples; }

static void samples_put(struct json *json, const struct outdir_samples *samples)
{
	static const struct json_form logs = { "\n    ", ",\n    ", "", false };
	json_nest(json, "samples", '{', &json_one_line);
	json_put(json, datum_text("of", samples->of), datum_given("blocks", samples->blocks),
		datum_if(samples->count, datum_count("count", samples->count)));
	if (samples->log)
		json_nest(json, "logs", '[', &logs);
	for (size_t i = 0; samples->log && i < samples->count; i++) {
		json_object(json, NULL, datum_text("log", samples->log[i]),
			datum_given("sha256", samples->sha256 ? samples->sha256[i] : NULL));
	}
	if (samples->log)
		json_close(json);
	json_close(json);
}

static int compare_record(struct outdir *dir, struct sl_err *err)
{
	struct sl_out *out;
	const int status = file_open(dir, "", COMPARE_RECORD, &out, err);
	if (status)
		return status;
	struct json json;
	json_start_in(&json, out, &json_lines_2);
	json_put(&json, datum_text("schedlab", SL_VERSION), datum_text("schema", "schedlab.compare/1"),
		datum_text("identity", dir->identity));
	names_put(&json, "files", dir->files);
	names_put(&json, "runs", dir->runs);
	if (dir->samples.of)
		samples_put(&json, &dir->samples);
	return json_finish(&json, SL_OK, err);
}

/* The old and the new directory change places, so that there is one at every moment. */
static int swap(const struct outdir *dir)
{
	char aside[PATH + 8];
	if (renameat2(AT_FDCWD, dir->temp, AT_FDCWD, dir->target, RENAME_EXCHANGE) == 0)
		return remove_tree(dir->temp);
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	(void)snprintf(aside, sizeof(aside), "%s.old", dir->temp); /* This file system cannot exchange. */
	if (rename(dir->target, aside) != 0)
		return -1;
	if (rename(dir->temp, dir->target) == 0)
		return remove_tree(aside);
	const int error = errno;
	(void)rename(aside, dir->target);
	errno = error;
	return -1;
}

/* Removes what the record in the target names, so that no file of an older run stands among the new. */
static void remove_recorded(const struct outdir *dir)
{
	struct dirent **entry = NULL;
	const char *record_name = "";
	struct sl_doc record = record_read(dir->target, &record_name);
	const int count = scandir(dir->target, &entry, not_dots, by_bytes);
	for (int i = 0; i < count; i++) {
		char path[PATH];
		struct sl_err unused = { 0 };
		if (is_ours(dir->documents, dir->target, entry[i]->d_name, &record, record_name) &&
			!outdir_join(path, dir->target, entry[i]->d_name, &unused))
			(void)remove_tree(path);
		free(entry[i]);
	}
	free(entry);
	sl_doc_release(&record);
}

static int move_in(const struct outdir *dir)
{
	struct dirent **entry = NULL;
	remove_recorded(dir);
	const int count = scandir(dir->temp, &entry, not_dots, by_bytes);
	int failed = count < 0 ? -1 : 0;
	for (int i = 0; i < count; i++) {
		char from[PATH];
		char to[PATH];
		struct sl_err unused = { 0 };
		if (!failed && (outdir_join(from, dir->temp, entry[i]->d_name, &unused) ||
				       outdir_join(to, dir->target, entry[i]->d_name, &unused)))
			failed = -1;
		if (!failed)
			failed = rename(from, to);
		free(entry[i]);
	}
	free(entry);
	return failed ? failed : rmdir(dir->temp);
}

static int on_disk(const char *path, const struct stat *info, int kind, struct FTW *at)
{
	(void)info;
	(void)at;
	return kind == FTW_F || kind == FTW_DP ? out_sync(path) : 0;
}

static int publish(const struct outdir *dir)
{
	char folder[PATH];
	int failed = dir->sync ? nftw(dir->temp, on_disk, 16, FTW_PHYS | FTW_DEPTH) : 0;
	if (!failed && !dir->exists)
		failed = rename(dir->temp, dir->target);
	else if (!failed)
		failed = dir->merge ? move_in(dir) : swap(dir);
	if (failed || !dir->sync)
		return failed;
	parent_of(folder, dir->target);
	return out_sync(dir->merge ? dir->target : folder);
}

static void outdir_free(struct outdir *dir)
{
	atomic_fetch_sub(&cli_unpublished, 1);
	(void)close(dir->lock);
	outdir_drop(dir);
}

int outdir_commit(struct outdir *dir, struct sl_err *err)
{
	int status = dir->compares ? compare_record(dir, err) : SL_OK;
	if (!status && publish(dir) != 0)
		status = sl_fail_sys(err, SL_SYSTEM, "replace", dir->shown);
	if (status)
		(void)remove_tree(dir->temp);
	outdir_free(dir);
	return status;
}

void outdir_abandon(struct outdir *dir)
{
	(void)remove_tree(dir->temp);
	outdir_free(dir);
}

/* ---- --only ---------------------------------------------------------------------------------- */

/* Plug-ins' reports: none of them replaces a file of every run, and what they read is recorded.
 */
static int reports_check(
	const struct registry *registry, const char *only, unsigned *record, struct sl_err *err)
{
	for (const struct sl_report *const *at = registry->known.reports; *at; at++) {
		if (!registry_owner(registry, *at))
			continue;
		if (is_taken((*at)->name, strcspn((*at)->name, ".")))
			return sl_fail(err, SL_USAGE,
				"a plug-in has a report '%s', which is a file of every run: rename it",
				(*at)->name);
		if (only ? outdir_wants(only, report_asked(*at)) : !(*at)->on_request)
			*record |= SIM_RECORD_USAGE | SIM_RECORD_REASONS | SIM_RECORD_PLACES;
	}
	*record |= registry->plugin_count ? 0U : SIM_RECORD_PACKED;
	return SL_OK;
}

int only_check(
	const struct registry *registry, const char *only, bool models, unsigned *record, struct sl_err *err)
{
	*record = 0;
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (only ? only_has(only, kinds[i].name) : !kinds[i].on_request)
			*record |= kinds[i].record;
	for (const char *name = only; name;) {
		const size_t len = strcspn(name, ",");
		/* What models report is known when they have: reported_check. */
		if (!is_known(registry, name, len) && !models)
			return sl_fail(err, SL_USAGE,
				"'%.*s' is no file of a run: --only takes jobs, attempts, metrics, usage, reasons, fill, node_changes, calibration, snapshot, sacct and batsim, between commas",
				(int)(len < 100 ? len : 100), name);
		name = name[len] ? name + len + 1 : NULL;
	}
	return reports_check(registry, only, record, err);
}
