/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * git_show.c - files as git has them at a commit, in a folder of their own.
 *
 * By commands that only read objects: no shell, no filters, no hooks, nothing is checked out. The commit is
 * made a hash first, so that what was written for it is never mistaken for an option or a path.
 *
 * The folder is filled as if it were "/": the repository stands in it at its own path, so that what is named
 * from within, by "..", or through a link, is found as it is found there. Of the repository come the
 * configuration's folder, and what its files include and its links lead to, as they were at the commit; what
 * is outside of the repository is a link to what stands there now.
 */
#include "cli/check/git_show.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/check/git_tree.h"

enum { FILES_MAX = 10000, NEIGHBOUR_MAX = 4 << 20, BYTES_MAX = 1 << 30, HASH_MAX = 64 };

extern char **environ;

struct showing {
	const char *rev, *into;
	char folder[PATH_MAX];
	const char *name; /* In the folder; NULL: all of it. */
	char commit[HASH_MAX + 1];
	struct git_tree tree;
	const char *cluster; /* Its name, which %c stands for; NULL: not known yet. */
	struct file *file;   /* Each that was named, by the path that it was named by. */
	size_t files, file_capacity;
	struct sl_arena *arena;
	struct sl_err *err;
};

/* What is opened, by its path from "/", with ".." and links in it; one that was read needs no second look. */
struct file {
	const char *path;
	bool read;
};

static int fail_path(struct sl_err *err) { return sl_fail(err, SL_SYSTEM, "a path is too long"); }

static int path_of(char path[PATH_MAX], const char *folder, const char *name, struct sl_err *err)
{
	const int len = snprintf(path, PATH_MAX, "%s/%s", folder, name);
	return len < 0 || len >= PATH_MAX ? fail_path(err) : SL_OK;
}

/* ---- git --------------------------------------------------------------------------------- */

/* What of the environment git is not to have: it names another repository than that of the folder, as inside
 * of a hook; or it is said here. */
static bool is_kept(const char *variable)
{
	static const char *const ours[] = { "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
		"GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE",
		"GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH" };
	for (size_t i = 0; i < SL_LEN(ours); i++) {
		const size_t len = strlen(ours[i]);
		if (strncmp(variable, ours[i], len) == 0 && variable[len] == '=')
			return false;
	}
	return true;
}

/* The folder may be a stranger's, and its .git/config may name programs that git starts to fetch what it
 * lacks: nothing is fetched, over no protocol, whatever that file allows (git(1), GIT_ALLOW_PROTOCOL). */
static char **environment(const struct showing *show)
{
	static char no_protocol[] = "GIT_ALLOW_PROTOCOL=";
	static char no_fetch[] = "GIT_NO_LAZY_FETCH=1";
	size_t count = 0;
	while (environ[count])
		count++;
	char **made = sl_alloc(show->arena, count + 3, sizeof(*made));
	size_t used = 0;
	for (size_t i = 0; made && i < count; i++)
		if (is_kept(environ[i]))
			made[used++] = environ[i];
	if (made) {
		made[used++] = no_protocol;
		made[used++] = no_fetch;
		made[used] = NULL;
	}
	return made;
}

/* git ARG..., in the folder; from and to: files of standard input and output. *exit: what it ended with. A
 * bare repository inside of another (safe.bareRepository) is somebody's file, and not where the folder is. */
static int git(const struct showing *show, char *const *arg, const char *from, const char *to, int *exit)
{
	static char name[] = "git";
	static char literal[] = "--literal-pathspecs";
	static char no_replace[] = "--no-replace-objects";
	static char setting[] = "-c";
	static char no_bare[] = "safe.bareRepository=explicit";
	static char there[] = "-C";
	char *folder = sl_strdup(show->arena, show->folder, strlen(show->folder));
	char *argv[18] = { name, literal, no_replace, setting, no_bare, there, folder };
	char **const with = environment(show);
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int how = 0;
	for (size_t i = 0; arg[i]; i++)
		argv[7 + i] = arg[i];
	if (!folder || !with)
		return sl_fail_memory(show->err);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, from, O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(
		&actions, STDOUT_FILENO, to, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
	const int failed = posix_spawnp(&pid, name, &actions, NULL, argv, with);
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
static char *git_show_asked(const struct showing *show, char *const *arg, const char *from, const char *to,
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
	char *wanted = text_made(show->arena, "%s^{commit}", show->rev);
	char *const arg[] = { parse, verify, end, wanted, NULL };
	size_t len;
	bool good = false;
	if (!*show->rev || *show->rev == '-')
		return sl_fail(show->err, SL_USAGE, "--git: '%.80s' is no commit", show->rev);
	if (!wanted)
		return sl_fail_memory(show->err);
	char *text = git_show_asked(show, arg, "/dev/null", ".commit", &len, &good);
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

/* ---- The tree ------------------------------------------------------------------------------- */

/* The working tree's root. */
static int find_top(struct showing *show)
{
	static char parse[] = "rev-parse";
	static char top[] = "--show-toplevel";
	char *const arg[] = { parse, top, NULL };
	char real[PATH_MAX];
	size_t len;
	bool good = false;
	char *text = git_show_asked(show, arg, "/dev/null", ".top", &len, &good);
	if (!text)
		return show->err->status;
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	good = good && realpath(text, real);
	free(text);
	if (!good)
		return sl_fail(
			show->err, SL_USAGE, "--git: '%.200s' is in no working tree of git", show->folder);
	show->tree.top = sl_strdup(show->arena, strcmp(real, "/") == 0 ? "" : real, strlen(real));
	return show->tree.top ? SL_OK : sl_fail_memory(show->err);
}

/* The text that git lists is lent to the entries. */
static int list_tree(struct showing *show, char **text)
{
	static char list[] = "ls-tree";
	static char full[] = "--full-tree";
	static char deep[] = "-r";
	static char sizes[] = "-l";
	static char zeros[] = "-z";
	char *commit = sl_strdup(show->arena, show->commit, strlen(show->commit));
	char *const arg[] = { list, full, deep, sizes, zeros, commit, NULL };
	size_t len;
	bool good = false;
	if (!commit)
		return sl_fail_memory(show->err);
	*text = git_show_asked(show, arg, "/dev/null", ".list", &len, &good);
	if (!*text)
		return show->err->status;
	return good ? git_tree_read(&show->tree, *text, len, show->err)
		    : sl_fail(show->err, SL_SYSTEM, "git does not list the files of '%.80s'", show->rev);
}

/* ---- Written -------------------------------------------------------------------------------- */

/* Where a path of "/" is here. */
static int put_at(const struct showing *show, const char *path, char at[PATH_MAX])
{
	const int len = snprintf(at, PATH_MAX, "%s%s", show->into, path);
	if (len < 0 || len >= PATH_MAX)
		return fail_path(show->err);
	return folders_make(at, strlen(show->into) + 1, "make the folder", show->err);
}

static int entry_at(const struct showing *show, const struct tree_entry *entry, char at[PATH_MAX])
{
	char path[PATH_MAX];
	if (!git_tree_is_sound(&show->tree, entry))
		return sl_fail(show->err, SL_USAGE, "--git: at '%.80s' '%.200s' is below what is no folder",
			show->rev, entry->path);
	const int status = path_of(path, show->tree.top, entry->path, show->err);
	return status ? status : put_at(show, path, at);
}

static int write_blob(const struct showing *show, struct tree_entry *entry, const char *text, size_t len)
{
	char path[PATH_MAX];
	const int status = entry_at(show, entry, path);
	if (status)
		return status;
	FILE *file = fopen(path, "wbxe");
	if (!file)
		return sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	const bool good = fwrite(text, 1, len, file) == len;
	entry->there = true;
	return fclose(file) || !good ? sl_fail_sys(show->err, SL_SYSTEM, "write", path) : SL_OK;
}

/* A link here; what is there already stays. */
static int write_link(const struct showing *show, const char *at, const char *to)
{
	return symlink(to, at) && errno != EEXIST ? sl_fail_sys(show->err, SL_SYSTEM, "link", at) : SL_OK;
}

/* As it stands now; what is not there is not here either. */
static int write_outside(const struct showing *show, const char *path)
{
	char at[PATH_MAX];
	if (access(path, F_OK))
		return SL_OK;
	const int status = put_at(show, path, at);
	return status ? status : write_link(show, at, path);
}

/* ---- Contents -------------------------------------------------------------------------------- */

static int take_blob(struct showing *show, struct tree_entry *entry, const char *text, size_t len)
{
	if (entry->kind == TREE_FILE)
		return write_blob(show, entry, text, len);
	entry->there = true;
	if (!len || len >= PATH_MAX || memchr(text, '\0', len))
		return SL_OK; /* It leads nowhere. */
	entry->target = sl_strdup(show->arena, text, len);
	return entry->target ? SL_OK : sl_fail_memory(show->err);
}

static bool is_due(const struct tree_entry *entry)
{
	return entry->wanted && !entry->there && entry->kind != TREE_MODULE;
}

/* "HASH blob SIZE\n", so many bytes, "\n": for each that is due, in turn. */
static int take_blobs(struct showing *show, const char *text, size_t len)
{
	size_t at = 0;
	int status = SL_OK;
	for (size_t i = 0; i < show->tree.count && !status; i++) {
		struct tree_entry *entry = &show->tree.entry[i];
		if (!is_due(entry))
			continue;
		const char *end = memchr(text + at, '\n', len - at);
		const char *size = end ? memrchr(text + at, ' ', (size_t)(end - text) - at) : NULL;
		int64_t bytes = -1;
		if (!size || !sl_get_i64(size + 1, (size_t)(end - size - 1), &bytes) || bytes < 0 ||
			(uint64_t)bytes >= len - (size_t)(end + 1 - text))
			return sl_fail(show->err, SL_SYSTEM, "git does not show '%.200s'", entry->path);
		status = take_blob(show, entry, end + 1, (size_t)bytes);
		at = (size_t)(end + 1 - text) + (size_t)bytes + 1;
	}
	return status;
}

/* How many are due, and their hashes into a file, a line each. */
static int list_due(const struct showing *show, const char *path, size_t *count)
{
	FILE *file = fopen(path, "wbxe");
	*count = 0;
	if (!file)
		return sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	for (size_t i = 0; i < show->tree.count; i++)
		if (is_due(&show->tree.entry[i])) {
			(void)fprintf(file, "%s\n", show->tree.entry[i].hash);
			++*count;
		}
	if (fclose(file))
		return sl_fail_sys(show->err, SL_SYSTEM, "write", path);
	return *count <= FILES_MAX
		       ? SL_OK
		       : sl_fail(show->err, SL_USAGE,
				 "--git: '%.200s' has more than %d files: keep the configuration in a folder of its own",
				 show->folder, FILES_MAX);
}

static int fetch_due(struct showing *show)
{
	static char cat[] = "cat-file";
	static char batch[] = "--batch";
	char *const arg[] = { cat, batch, NULL };
	char path[PATH_MAX];
	size_t len;
	size_t count;
	bool good = false;
	int status = path_of(path, show->into, ".wanted", show->err);
	if (!status)
		status = list_due(show, path, &count);
	if (status || !count) {
		(void)unlink(path);
		return status;
	}
	char *text = git_show_asked(show, arg, path, ".blobs", &len, &good);
	(void)unlink(path);
	if (!text)
		return show->err->status;
	status = good ? take_blobs(show, text, len)
		      : sl_fail(show->err, SL_SYSTEM, "git does not show the files of '%.80s'", show->rev);
	free(text);
	return status;
}

/* ---- What files include --------------------------------------------------------------------------- */

static int add_file(struct showing *show, const char *path)
{
	for (size_t i = 0; i < show->files; i++)
		if (strcmp(show->file[i].path, path) == 0)
			return SL_OK;
	const int status = SL_GROW_MOST(
		show->file, show->file_capacity, show->files + 1, (size_t)2 * FILES_MAX, show->err);
	if (status)
		return status;
	const char *copy = sl_strdup(show->arena, path, strlen(path));
	if (!copy)
		return sl_fail_memory(show->err);
	show->file[show->files++] = (struct file){ .path = copy };
	return SL_OK;
}

/* The value behind a word at the line's beginning, without blanks, quotes and comment; NULL: another line. */
static const char *git_show_value_of(
	const struct showing *show, const char *line, size_t len, const char *word)
{
	const char *end = line + len;
	while (line < end && strchr(" \t", *line))
		line++;
	const size_t size = strlen(word);
	if ((size_t)(end - line) <= size || strncasecmp(line, word, size) != 0)
		return NULL;
	line += size;
	if (!strchr(" \t=", *line))
		return NULL;
	while (line < end && strchr(" \t=\"", *line))
		line++;
	const char *to = line;
	while (to < end && !strchr("#\"\r", *to))
		to++;
	while (to > line && strchr(" \t", to[-1]))
		to--;
	return to > line ? sl_strdup(show->arena, line, (size_t)(to - line)) : NULL;
}

/* An absolute one is as it stands now: it is no part of what is looked at here. */
static int take_include(struct showing *show, const char *from, const char *name)
{
	char path[PATH_MAX];
	const char *slash = strrchr(from, '/');
	const char *cluster = strstr(name, "%c");
	const int folder = slash ? (int)(slash - from) + 1 : 0;
	if (*name == '/')
		return SL_OK;
	const int len =
		cluster ? snprintf(path, sizeof(path), "%.*s%.*s%s%s", folder, from, (int)(cluster - name),
				  name, show->cluster ? show->cluster : "", cluster + 2)
			: snprintf(path, sizeof(path), "%.*s%s", folder, from, name);
	return len < 0 || (size_t)len >= sizeof(path) ? fail_path(show->err) : add_file(show, path);
}

static int take_lines(struct showing *show, const char *from, const char *text, size_t len)
{
	int status = SL_OK;
	for (const char *line = text, *end = text + len; line < end && !status;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const size_t size = (size_t)((newline ? newline : end) - line);
		const char *cluster =
			show->cluster ? NULL : git_show_value_of(show, line, size, "ClusterName");
		const char *name = git_show_value_of(show, line, size, "Include");
		if (cluster)
			show->cluster = cluster;
		if (name)
			status = take_include(show, from, name);
		line += size + 1;
	}
	return status;
}

/* Of a plain file, by its path here. */
static int take_text(struct showing *show, const char *from, const char *at)
{
	struct stat about;
	size_t len;
	if (stat(at, &about) || !S_ISREG(about.st_mode) || about.st_size > NEIGHBOUR_MAX)
		return SL_OK;
	char *text = contents(at, &len);
	const int status = text ? take_lines(show, from, text, len) : SL_OK;
	free(text);
	return status;
}

/* ---- What is wanted ----------------------------------------------------------------------------------- */

/* A link stands where it stood, and leads to what its target is here. */
static int put_link(struct showing *show, const struct tree_entry *link)
{
	char path[PATH_MAX];
	char at[PATH_MAX];
	char to[PATH_MAX];
	struct tree_place place;
	int status = path_of(path, show->tree.top, link->path, show->err);
	if (status)
		return status;
	git_tree_find(&show->tree, path, &place);
	if (place.found == FOUND_NOTHING)
		return SL_OK;
	const bool outside = place.found == FOUND_OUTSIDE;
	const int len = outside ? snprintf(to, sizeof(to), "%s%s", show->into, place.path)
				: snprintf(to, sizeof(to), "%s%s/%s", show->into, show->tree.top, place.path);
	if (len < 0 || (size_t)len >= sizeof(to))
		return fail_path(show->err);
	status = entry_at(show, link, at);
	return status ? status : write_link(show, at, to);
}

/* All below a folder, each by the name that it was asked for by. */
static int want_below(struct showing *show, const char *folder, const char *under)
{
	const struct git_tree *tree = &show->tree;
	int status = SL_OK;
	for (size_t i = git_tree_below(tree, folder);
		i < tree->count && git_tree_is_below(tree->entry[i].path, folder) && !status; i++) {
		struct tree_entry *entry = &tree->entry[i];
		char path[PATH_MAX];
		const char *rest = entry->path + strlen(folder) + (*folder != '\0');
		entry->wanted = true;
		status = path_of(path, under, rest, show->err);
		if (!status)
			status = add_file(show, path);
	}
	return status;
}

/* Wanted now; what it includes is looked at when it is there. */
static int want(struct showing *show, struct file *file)
{
	struct tree_place place;
	const char *path = file->path;
	int status = SL_OK;
	git_tree_find(&show->tree, path, &place);
	for (size_t i = 0; i < place.links && !status; i++)
		status = put_link(show, place.link[i]);
	if (status)
		return status;
	if (place.file) {
		place.file->wanted = true;
		return SL_OK;
	}
	file->read = place.found != FOUND_OUTSIDE;
	if (place.found == FOUND_FOLDER && place.links)
		return want_below(show, place.path, path);
	return place.found == FOUND_OUTSIDE ? write_outside(show, place.path) : SL_OK;
}

static int git_show_read_file(struct showing *show, struct file *file)
{
	struct tree_place place;
	char at[PATH_MAX];
	const char *from = file->path;
	file->read = true;
	git_tree_find(&show->tree, from, &place);
	const bool outside = place.found == FOUND_OUTSIDE;
	const int len = outside ? snprintf(at, sizeof(at), "%s", place.path)
				: snprintf(at, sizeof(at), "%s%s/%s", show->into, show->tree.top, place.path);
	return len < 0 || (size_t)len >= sizeof(at) ? fail_path(show->err) : take_text(show, from, at);
}

/* Round by round: what is named is fetched, what it names is named. */
static int fetch_all(struct showing *show)
{
	int status = SL_OK;
	for (size_t from = 0; from < show->files && !status;) {
		const size_t until = show->files;
		for (size_t i = from; i < show->files && !status; i++)
			status = want(show, &show->file[i]);
		if (!status)
			status = fetch_due(show);
		for (size_t i = from; i < until && !status; i++)
			if (!show->file[i].read)
				status = git_show_read_file(show, &show->file[i]);
		from = until;
	}
	return status;
}

/* Submodules are as they stand now. */
static int put_modules(struct showing *show)
{
	int status = SL_OK;
	for (size_t i = 0; i < show->tree.count && !status; i++) {
		const struct tree_entry *entry = &show->tree.entry[i];
		char path[PATH_MAX];
		char at[PATH_MAX];
		if (entry->kind != TREE_MODULE || !entry->wanted)
			continue;
		status = path_of(path, show->tree.top, entry->path, show->err);
		if (!status)
			status = entry_at(show, entry, at);
		if (!status)
			status = write_link(show, at, path);
	}
	return status;
}

/* ---- Together --------------------------------------------------------------------------------------- */

/* Where links lead is known before anything is looked up; they are few and short. */
static int fetch_links(struct showing *show)
{
	size_t left = FILES_MAX;
	for (size_t i = 0; i < show->tree.count && left; i++) {
		struct tree_entry *entry = &show->tree.entry[i];
		entry->wanted = entry->kind == TREE_LINK && entry->size < PATH_MAX;
		left -= entry->wanted;
	}
	return fetch_due(show);
}

/* The folder, from the root; what is in it, and of a file its neighbours unless they are large. */
static int want_own(struct showing *show, const char *own)
{
	const struct git_tree *tree = &show->tree;
	const char *folder = show->folder + strlen(tree->top);
	bool found = false;
	int status = SL_OK;
	folder += *folder == '/';
	for (size_t i = git_tree_below(tree, folder);
		i < tree->count && git_tree_is_below(tree->entry[i].path, folder) && !status; i++) {
		char path[PATH_MAX];
		const struct tree_entry *entry = &tree->entry[i];
		status = path_of(path, tree->top, entry->path, show->err);
		const bool is_own = !status && strcmp(path, own) == 0;
		found = found || !show->name || is_own;
		if (!status && (entry->size <= NEIGHBOUR_MAX || !show->name || is_own))
			status = add_file(show, path);
	}
	if (status || found)
		return status;
	return sl_fail(show->err, SL_USAGE, "--git: at '%.80s' there is no file '%.200s%s%.200s'", show->rev,
		show->folder, show->name ? "/" : "", show->name ? show->name : "");
}

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

static int show_all(struct showing *show, const char **found, char **list)
{
	char own[PATH_MAX];
	char at[PATH_MAX];
	int status = find_commit(show);
	if (!status)
		status = find_top(show);
	if (!status)
		status = list_tree(show, list);
	if (!status)
		status = show->name ? path_of(own, show->folder, show->name, show->err)
				    : path_of(own, show->folder, ".", show->err);
	if (!status)
		status = put_at(show, own, at);
	if (!status)
		status = fetch_links(show);
	if (!status)
		status = want_own(show, own);
	if (!status)
		status = fetch_all(show);
	if (!status)
		status = put_modules(show);
	if (!status && !show->name)
		at[strlen(at) - strlen("/.")] = '\0';
	if (!status)
		*found = sl_strdup(show->arena, at, strlen(at));
	return status || *found ? status : sl_fail_memory(show->err);
}

int git_show(const char *rev, const char *path, const char *into, const char **found, struct sl_arena *arena,
	struct sl_err *err)
{
	struct showing show = { .rev = rev, .into = into, .arena = arena, .err = err };
	char *list = NULL;
	int status = find_folder(&show, path);
	if (!status)
		status = show_all(&show, found, &list);
	git_tree_release(&show.tree);
	free(show.file);
	free(list);
	return status;
}
