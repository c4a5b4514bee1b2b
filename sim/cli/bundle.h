/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bundle.h - what `schedlab bundle` is made of: sums of files, and archives.
 */
#ifndef SL_BUNDLE_H
#define SL_BUNDLE_H

#include "sim/cli/cli.h"

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
int bundle_files_of(struct bundle_files *files, const char *folder, struct sl_err *err);
void bundle_files_release(struct bundle_files *files);
int bundle_sums_write(const struct bundle_files *files, const char *folder, struct sl_err *err);
/* SL_BASELINE: a file is not what it was, or not there. SL_INPUT: the list itself is none. */
int bundle_sums_check(const char *folder, size_t *checked, struct sl_err *err);

/* bundle_pack.c: tar, packed as the suffix says (.tar .tar.gz .tgz .tar.xz .txz .tar.zst .tzst). */
bool bundle_is_archive(const char *path);
/* What its one folder is called: the name without its suffix. */
int bundle_name(char *name, size_t size, const char *path, struct sl_err *err);
/* The files below the folder, the same bytes from the same files: sorted, of one time, owner and mode. */
int bundle_pack(const char *path, const char *folder, const struct bundle_files *files, struct sl_err *err);
/* The folders above a path, from that place in it on. */
int bundle_folders(char *path, size_t from, struct sl_err *err);
/* Its files, below the folder, which is there and empty, without the archive's own top folder. SL_INPUT: it
 * is damaged, or has what no bundle has (links, names that lead out of it), or more than 1 GiB of it. */
int bundle_unpack(const char *path, const char *folder, struct sl_err *err);

#endif
