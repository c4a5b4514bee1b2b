/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git_show.c - files as git has them at a commit, in a folder of their own.
 *
 * By three commands that only read objects: no shell, no filters, no hooks, nothing is checked out. The
 * commit is made a hash first, so that what was written for it is never taken for an option or a path.
 */
#include "sim/cli/git_show.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_MAX = 10000, NEIGHBOUR_MAX = 4 << 20, BYTES_MAX = 1 << 30, HASH_MAX = 64 };

extern char **environ;

struct showing {
	const char *rev, *into;
	char folder[PATH_MAX];
	const char *name; /* In the folder; NULL: all of it. */
	char commit[HASH_MAX + 1];
	struct sl_arena *arena;
	struct sl_err *err;
};

/* A file of the plain kind that the commit has below the folder. */
struct blob {
	const char *hash, *path;
};

static int fail_path(struct sl_err *err) { return sl_fail(err, SL_SYSTEM, "a path is too long"); }

static int path_of(char path[PATH_MAX], const char *folder, const char *name, struct sl_err *err)
{
	const int len = snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return len < 0 || len >= PATH_MAX ? fail_path(err) : SL_OK;
}

/* ---- git --------------------------------------------------------------------------------- */

/* git ARG..., in the folder; from and to: files of standard input and output. *exit: what it ended with. */
static int git(const struct showing *show, char *const *arg, const char *from, const char *to, int *exit)
{
	static char name[] = "git";
	static char literal[] = "--literal-pathspecs";
	static char no_replace[] = "--no-replace-objects";
	static char there[] = "-C";
	char *folder = sl_strdup(show->arena, show->folder, strlen(show->folder));
	char *argv[16] = { name, literal, no_replace, there, folder };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int how = 0;
	for (size_t i = 0; arg[i]; i++)
		argv[5 + i] = arg[i];
	if (!folder)
		return sl_fail_memory(show->err);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, from, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(
		&actions, STDOUT_FILENO, to, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
	const int failed = posix_spawnp(&pid, name, &actions, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (failed)
		return sl_fail(show->err, SL_SYSTEM, "cannot start git: %s", strerror(failed));
	while (waitpid(pid, &how, 0) < 0)
		if (errno != EINTR)
			return sl_fail_sys(show->err, SL_SYSTEM, "wait for", "git");
	*exit = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
	return SL_OK;
}

/* The file, with a zero behind it; the caller frees it. */
static char *contents(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rbe");
	struct stat about;
	char *text = NULL;
	*len = 0;
	if (file && fstat(fileno(file), &about) == 0 && about.st_size <= BYTES_MAX)
		text = malloc((size_t)about.st_size + 1);
	if (text) {
		*len = fread(text, 1, (size_t)about.st_size, file);
		text[*len] = '\0';
	}
	if (file)
		(void)fclose(file);
	return text;
}

/* What git prints of that; the caller frees it. NULL: as err says; good: it ended well. */
static char *asked(const struct showing *show, char *const *arg, const char *from, const char *to,
	size_t *len, bool *good)
{
	char path[PATH_MAX];
	int exit = 0;
	if (path_of(path, show->into, to, show->err) || git(show, arg, from, path, &exit))
		return NULL;
	char *text = contents(path, len);
	(void)unlink(path);
	*good = exit == 0;
	if (!text)
		(void)sl_fail(show->err, SL_SYSTEM, "cannot read what git says, or it is too much");
	return text;
}

/* ---- The commit ---------------------------------------------------------------------------- */

static int find_commit(struct showing *show)
{
	static char parse[] = "rev-parse";
	static char verify[] = "--verify";
	static char end[] = "--end-of-options";
	const size_t room = strlen(show->rev) + sizeof("^{commit}");
	char *wanted = sl_alloc(show->arena, room, 1);
	char *const arg[] = { parse, verify, end, wanted, NULL };
	size_t len;
	bool good = false;
	if (!*show->rev || *show->rev == '-')
		return sl_fail(show->err, SL_USAGE, "--git: '%.80s' is no commit", show->rev);
	if (!wanted)
		return sl_fail_memory(show->err);
	(void)snprintf(wanted, room, "%s^{commit}", show->rev);
	char *text = asked(show, arg, "/dev/null", ".commit", &len, &good);
	if (!text)
		return show->err->status;
	const size_t digits = strspn(text, "0123456789abcdef");
	good = good && digits >= 40 && digits <= HASH_MAX && text[digits] == '\n';
	if (good) {
		memcpy(show->commit, text, digits);
		show->commit[digits] = '\0';
	}
	free(text);
	return good ? SL_OK
		    : sl_fail(show->err, SL_USAGE,
			      "--git: '%.80s' is no commit that git has for '%.200s': is it fetched, and the folder under version control?",
			      show->rev, show->folder);
}

/* ---- Its files ------------------------------------------------------------------------------- */

static bool is_inside(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		const size_t len = strcspn(part, "/");
		if (!len || (len == 2 && memcmp(part, "..", 2) == 0) || (len == 1 && *part == '.'))
			return false;
	}
	return true;
}

/* "MODE blob HASH SIZE\tPATH"; false: another kind, or not wanted. */
static bool blob_of(const struct showing *show, char *entry, struct blob *blob)
{
	char *path = strchr(entry, '\t');
	if (!path || strncmp(entry, "100", 3) != 0 || strlen(entry) < sizeof("100644 blob "))
		return false;
	*path++ = '\0';
	char *hash = entry + sizeof("100644 blob ") - 1;
	char *size = hash + strcspn(hash, " ");
	const bool own = show->name && strcmp(path, show->name) == 0;
	int64_t bytes;
	if (!*size || strncmp(entry + 7, "blob ", 5) != 0 || !is_inside(path))
		return false;
	*size++ = '\0';
	size += strspn(size, " ");
	if (!sl_get_i64(size, strlen(size), &bytes) || (bytes > NEIGHBOUR_MAX && show->name && !own))
		return false;
	*blob = (struct blob){ hash, path };
	return true;
}

/* Into the arena; text is lent to them. */
static struct blob *blobs_of(const struct showing *show, char *text, size_t len, size_t *count)
{
	struct blob *all = sl_alloc(show->arena, FILES_MAX, sizeof(*all));
	bool found = false;
	*count = 0;
	for (size_t at = 0; all && at < len;) {
		const size_t next = at + strlen(text + at) + 1;
		if (*count == FILES_MAX) {
			(void)sl_fail(show->err, SL_USAGE,
				"--git: '%.200s' has more than %d files: keep the configuration in a folder of its own",
				show->folder, FILES_MAX);
			return NULL;
		}
		if (blob_of(show, text + at, &all[*count])) {
			found = found || !show->name || strcmp(all[*count].path, show->name) == 0;
			++*count;
		}
		at = next;
	}
	if (!all)
		(void)sl_fail_memory(show->err);
	else if (!found)
		(void)sl_fail(show->err, SL_USAGE, "--git: at '%.80s' there is no file '%.200s%s%.200s'",
			show->rev, show->folder, show->name ? "/" : "", show->name ? show->name : "");
	return all && found ? all : NULL;
}

static int make_folders(char *path, size_t from, struct sl_err *err)
{
	for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		const bool bad = mkdir(path, S_IRWXU) && errno != EEXIST;
		if (bad)
			(void)sl_fail_sys(err, SL_SYSTEM, "make the folder", path);
		*slash = '/';
		if (bad)
			return err->status;
	}
	return SL_OK;
}

static int write_blob(const struct showing *show, const char *name, const char *text, size_t len)
{
	char path[PATH_MAX];
	int status = path_of(path, show->into, name, show->err);
	if (!status)
		status = make_folders(path, strlen(show->into) + 1, show->err);
	if (status)
		return status;
	FILE *file = fopen(path, "wbxe");
	if (!file)
		return sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	const bool good = fwrite(text, 1, len, file) == len;
	return fclose(file) || !good ? sl_fail_sys(show->err, SL_SYSTEM, "write", path) : SL_OK;
}

/* "HASH blob SIZE\n", so many bytes, "\n": for each that was asked for, in turn. */
static int write_blobs(
	const struct showing *show, const struct blob *blob, size_t count, const char *text, size_t len)
{
	size_t at = 0;
	int status = SL_OK;
	for (size_t i = 0; i < count && !status; i++) {
		const char *end = memchr(text + at, '\n', len - at);
		const char *size = end ? memrchr(text + at, ' ', (size_t)(end - text) - at) : NULL;
		int64_t bytes = -1;
		if (!size || !sl_get_i64(size + 1, (size_t)(end - size - 1), &bytes) || bytes < 0 ||
			(uint64_t)bytes >= len - (size_t)(end + 1 - text))
			return sl_fail(show->err, SL_SYSTEM, "git does not show '%.200s'", blob[i].path);
		status = write_blob(show, blob[i].path, end + 1, (size_t)bytes);
		at = (size_t)(end + 1 - text) + (size_t)bytes + 1;
	}
	return status;
}

static int fetch_blobs(const struct showing *show, const struct blob *blob, size_t count)
{
	static char cat[] = "cat-file";
	static char batch[] = "--batch";
	char *const arg[] = { cat, batch, NULL };
	char path[PATH_MAX];
	size_t len;
	bool good = false;
	int status = path_of(path, show->into, ".wanted", show->err);
	FILE *file = status ? NULL : fopen(path, "wbxe");
	if (status || !file)
		return status ? status : sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(file, "%s\n", blob[i].hash);
	if (fclose(file))
		return sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	char *text = asked(show, arg, path, ".blobs", &len, &good);
	(void)unlink(path);
	if (!text)
		return show->err->status;
	status = good ? write_blobs(show, blob, count, text, len)
		      : sl_fail(show->err, SL_SYSTEM, "git does not show the files of '%.80s'", show->rev);
	free(text);
	return status;
}

static int fetch_tree(const struct showing *show)
{
	static char list[] = "ls-tree";
	static char deep[] = "-r";
	static char sizes[] = "-l";
	static char zeros[] = "-z";
	char *commit = sl_strdup(show->arena, show->commit, strlen(show->commit));
	char *const arg[] = { list, deep, sizes, zeros, commit, NULL };
	size_t len;
	size_t count;
	bool good = false;
	if (!commit)
		return sl_fail_memory(show->err);
	char *text = asked(show, arg, "/dev/null", ".list", &len, &good);
	if (!text)
		return show->err->status;
	const struct blob *blob = good ? blobs_of(show, text, len, &count) : NULL;
	int status = blob ? fetch_blobs(show, blob, count) : show->err->status;
	if (!good)
		status = sl_fail(show->err, SL_SYSTEM, "git does not list the files of '%.80s'", show->rev);
	free(text);
	return status;
}

/* ---- Together --------------------------------------------------------------------------------------- */

static int find_folder(struct showing *show, const char *path)
{
	struct stat about;
	const bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
	const char *slash = strrchr(path, '/');
	const char *of = folder  ? path
			 : slash ? sl_strdup(show->arena, path, slash > path ? (size_t)(slash - path) : 1)
				 : ".";
	show->name = folder ? NULL : slash ? slash + 1 : path;
	if (!of)
		return sl_fail_memory(show->err);
	return realpath(of, show->folder) ? SL_OK : sl_fail_sys(show->err, SL_INPUT, "open", path);
}

int git_show(const char *rev, const char *path, const char *into, const char **found, struct sl_arena *arena,
	struct sl_err *err)
{
	struct showing show = { .rev = rev, .into = into, .arena = arena, .err = err };
	char at[PATH_MAX];
	int status = find_folder(&show, path);
	if (!status)
		status = find_commit(&show);
	if (!status)
		status = fetch_tree(&show);
	if (!status && show.name)
		status = path_of(at, into, show.name, err);
	if (!status)
		*found = sl_strdup(arena, show.name ? at : into, strlen(show.name ? at : into));
	return status || *found ? status : sl_fail_memory(err);
}
