/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle.h - what `schedlab bundle` is made of: a plan of what goes in, sums of files, archives, and whether
 * a rerun of a bundle gives the same results.
 *
 * Whatever stands in a bundle's files, nothing outside of its folder is read: there are no links in it, its
 * run is read as one that is closed (snapshot.h), and files that files name are found by sl_path_beside.
 */
#ifndef SL_BUNDLE_H
#define SL_BUNDLE_H

#include "cli/base/cli.h"
#include "cli/run/run_rerun.h"

#define BUNDLE_SUMS "SHA256SUMS"

/* bundle_sums.c: of every file below a folder but itself, as sha256sum writes and reads them, sorted. */
struct bundle_file {
	char *path; /* Below the folder. */
	int64_t bytes;
	char sha256[65];
};
struct bundle_files {
	struct bundle_file *file;
	size_t count, capacity;
};
/* SL_INPUT, too, if there is anything but files and folders. */
int bundle_files_of(struct bundle_files *files, const char *folder, struct sl_err *err);
/* at: where it is now. sha256 NULL: it is computed. */
int bundle_file_add(struct bundle_files *files, const char *at, const char *path, int64_t bytes,
	const char *sha256, struct sl_err *err);
void bundle_files_sort(struct bundle_files *files);
void bundle_files_release(struct bundle_files *files);
int bundle_sums_write(const struct bundle_files *files, const char *folder, struct sl_err *err);
/* The lines of a list, sorted. SL_INPUT: it is none. sums: its name. */
int bundle_sums_read(
	struct bundle_files *list, const char *sums, const char *text, const char *end, struct sl_err *err);
/* SL_BASELINE: a file is not what it was, is not there, or is not in the list. */
int bundle_sums_compare(const struct bundle_files *was, const struct bundle_files *is, struct sl_err *err);
/* The folder by its own list. */
int bundle_sums_check(const char *folder, size_t *checked, struct sl_err *err);

/* cmd_bundle.c: a file's bytes as they are, packed or not. */
int bundle_copy(const char *from, const char *to, struct sl_err *err);

/* bundle_pack.c: tar, packed as the suffix says (.tar .tar.gz .tgz .tar.xz .txz .tar.zst .tzst). */
bool bundle_is_archive(const char *path);
/* What its one folder is called: the name without its suffix. */
int bundle_name(char *name, size_t size, const char *path, struct sl_err *err);
/* The files below the folder, the same bytes from the same files: sorted, of one time, owner and mode. */
int bundle_pack(const char *path, const char *folder, const struct bundle_files *files, struct sl_err *err);
/* Its files, below the folder, which is there and empty, without the archive's own top folder. SL_INPUT: it
 * is damaged, or has what no bundle has (links, names that lead out of it), or more than 1 GiB of it. */
int bundle_unpack(const char *path, const char *folder, struct sl_err *err);
/* The same, of the tar's own bytes; each file is passed to take(), by its name below the top. */
typedef int bundle_take(void *self, const char *name, const char *bytes, size_t len, struct sl_err *err);
int bundle_unpack_text(const char *path, const char *text, const char *end, bundle_take *take, void *self,
	struct sl_err *err);

/* bundle_plan.c: what goes in, from where to where. */
struct bundle_item {
	const char *from; /* NULL: made here. */
	const char *to;   /* Below the bundle. */
	const char *text; /* Of what is made here. */
	bool program;
};
struct bundle_name { /* A path that run.json has, and what it is called in the bundle. */
	const char *was, *is;
};
struct bundle_folder { /* Files from elsewhere keep their places among one another. */
	const char *was, *is;
};
struct bundle_plan {
	struct sl_arena *arena;
	struct bundle_item *item;
	struct bundle_name *name;
	struct bundle_folder *folder;
	size_t items, items_capacity, names, names_capacity, folders, folders_capacity;
	size_t numbered;
};
/* rerun: loaded. dir: the run's. What cannot be packed is refused, or reported. */
int bundle_plan_make(
	struct bundle_plan *plan, const struct rerun *rerun, const char *dir, struct sl_err *err);
void bundle_plan_release(struct bundle_plan *plan);

/* bundle_rename.c: a run.json or snapshot.json in which files are called by other names, by the keys that
 * name files. NULL: no memory, or it is no JSON (err). */
char *bundle_rename(const char *text, const struct bundle_name *name, size_t names, struct sl_arena *arena,
	struct sl_err *err);

/* One text that names files, likewise, as a word for sh behind a blank. */
void bundle_rename_word(FILE *out, const struct bundle_name *name, size_t names, const char *text);

/* bundle_rerun.c: the bundle in the working folder, rerun and compared, file by file. scratch: a folder for
 * what is made. */
struct bundle_verified {
	uint64_t digest;
	size_t files;        /* Of SHA256SUMS. */
	const char *rerun;   /* Files that the rerun wrote, and that were the same: "jobs.csv, usage.csv". */
	const char *version; /* Of the schedlab that made it. */
	bool other_version;  /* Not this one. */
	struct sl_arena *arena;
};
int bundle_rerun(
	struct bundle_verified *verified, const char *scratch, struct registry *registry, struct sl_err *err);
/* The files that a run.json says the run wrote, itself included, one after another; NULL at the end. Each is
 * a name without a folder. */
int bundle_outputs(const char ***files, const char *record, struct sl_arena *arena, struct sl_err *err);

#endif
