/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_out.c - a file appears whole or not at all, and every failure is reported once.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/out.h"

/* Each test works in an empty directory of its own, which goes with it. */
static char *enter(void)
{
	char *folder = strdup("/tmp/schedlab-test-XXXXXX");
	cr_assert_not_null(folder);
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	return folder;
}

static int entries(void)
{
	DIR *folder = opendir(".");
	int count = -2; /* . and .. */
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count;
}

/* The names are removed, which must be all that the directory holds. */
static void leave(char *folder, const char *name)
{
	if (name)
		cr_expect_eq(remove(name), 0, "'%s' is not there", name);
	cr_expect_eq(entries(), 0, "something was left in the directory");
	cr_expect_eq(rmdir(folder), 0);
	free(folder);
}

static void file_make(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	cr_assert_not_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void expect_file(const char *name, const char *want)
{
	char text[2000] = "";
	FILE *file = fopen(name, "r");
	cr_assert_not_null(file, "'%s' is not there", name);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void)fclose(file);
	cr_expect_str_eq(text, want);
}

static struct sl_out *opened(const char *path)
{
	struct sl_out *out = NULL;
	struct sl_err err = { 0 };
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	return out;
}

Test(out, appears_at_commit_and_not_before)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct sl_out *out = opened("a.csv");
	sl_out_text(out, "one,");
	sl_out_printf(out, "%d,%s\n", 2, "three");
	char *p = sl_out_reserve(out, 2);
	*p++ = '4';
	*p++ = '\n';
	sl_out_advance(out, p);
	cr_expect_neq(access("a.csv", F_OK), 0);
	cr_expect_eq(sl_out_commit(out, &err), SL_OK);
	expect_file("a.csv", "one,2,three\n4\n");
	leave(folder, "a.csv");
}

Test(out, abandoned_leaves_what_was_there)
{
	char *folder = enter();
	file_make("a.csv", "old");
	struct sl_out *out = opened("a.csv");
	sl_out_text(out, "new");
	sl_out_abandon(out);
	expect_file("a.csv", "old");
	leave(folder, "a.csv");
}

Test(out, commit_replaces_the_file_behind_a_link)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct stat found;
	file_make("file", "old");
	cr_assert_eq(symlink("file", "link"), 0);
	struct sl_out *out = opened("link");
	sl_out_text(out, "new");
	cr_expect_eq(sl_out_commit(out, &err), SL_OK);
	expect_file("file", "new");
	cr_expect(lstat("link", &found) == 0 && S_ISLNK(found.st_mode));
	(void)unlink("link");
	leave(folder, "file");
}

/* The permissions of any new file: what the umask leaves. */
Test(out, permissions_are_those_of_the_umask)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct stat found;
	(void)umask(027);
	struct sl_out *out = opened("a");
	cr_expect_eq(sl_out_commit(out, &err), SL_OK);
	cr_expect(stat("a", &found) == 0 && (found.st_mode & 0777) == 0640);
	leave(folder, "a");
}

Test(out, text_beyond_the_buffer_is_whole)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct stat found;
	const size_t size = 1000003;
	char *text = malloc(size + 1);
	cr_assert_not_null(text);
	memset(text, 'x', size);
	text[size] = '\0';
	struct sl_out *out = opened("a");
	for (int i = 0; i < 3; i++)
		sl_out_text(out, text);
	cr_expect_eq(sl_out_commit(out, &err), SL_OK);
	cr_expect(stat("a", &found) == 0 && (size_t)found.st_size == 3 * size);
	free(text);
	leave(folder, "a");
}

/* Little enough to fail at commit only, and enough to fail on the way: one message, the first. */
Test(out, full_disk_is_reported_at_commit)
{
	static const int lines[] = { 1, 200000 };
	for (size_t i = 0; i < SL_LEN(lines); i++) {
		struct sl_err err = { 0 };
		struct sl_out *out = opened("/dev/full");
		for (int k = 0; k < lines[i]; k++)
			sl_out_text(out, "a line of some length\n");
		cr_expect_eq(sl_out_commit(out, &err), SL_SYSTEM);
		cr_expect_str_eq(err.text, "cannot write '/dev/full': No space left on device");
	}
}

/* A limit on the size of files stands in for a disk that fills up half way. */
Test(out, failure_half_way_leaves_nothing)
{
	char *folder = enter();
	const struct rlimit small = { 300000, 300000 };
	struct sl_err err = { 0 };
	file_make("a", "old");
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	struct sl_out *out = opened("a");
	for (int i = 0; i < 100000; i++)
		sl_out_text(out, "ten bytes\n");
	cr_expect_eq(sl_out_commit(out, &err), SL_SYSTEM);
	cr_expect_str_eq(err.text, "cannot write 'a': File too large");
	expect_file("a", "old");
	leave(folder, "a");
}

Test(out, places_that_cannot_be_written_are_refused)
{
	char *folder = enter();
	struct sl_out *out = NULL;
	struct sl_err missing = { 0 };
	struct sl_err directory = { 0 };
	cr_expect_eq(sl_out_open(&out, "no/a.csv", &missing), SL_SYSTEM);
	cr_expect_str_eq(missing.text, "cannot create 'no/a.csv': No such file or directory");
	cr_assert_eq(mkdir("d", 0777), 0);
	cr_expect_eq(sl_out_open(&out, "d", &directory), SL_SYSTEM);
	cr_expect_str_eq(directory.text, "cannot write 'd': it is a directory; name a file in it");
	leave(folder, "d");
}

/* What appears between open and commit is not overwritten unless it is a file. */
Test(out, commit_that_fails_removes_its_file)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct sl_out *out = opened("a");
	cr_assert_eq(mkdir("a", 0777), 0);
	cr_expect_eq(sl_out_commit(out, &err), SL_SYSTEM);
	cr_expect_str_eq(err.text, "cannot write 'a': Is a directory");
	leave(folder, "a");
}

/* Messages and files may have other names. */
Test(out, messages_use_the_name_displayed)
{
	char *folder = enter();
	struct sl_err err = { 0 };
	struct sl_out *out = NULL;
	cr_expect_eq(out_open_as(&out, "/dev/full", "out/jobs.csv", &err), SL_OK);
	sl_out_text(out, "x");
	cr_expect_eq(sl_out_commit(out, &err), SL_SYSTEM);
	cr_expect_str_eq(err.text, "cannot write 'out/jobs.csv': No space left on device");
	leave(folder, NULL);
}

Test(out, json_strings_are_valid_whatever_the_bytes)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{ "plain", "\"plain\"" }, { "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
		{ "tab\tline\n\x7f", "\"tab\\u0009line\\u000a\\u007f\"" },
		{ "K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x90\xa7",
			"\"K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x90\xa7\"" },
		{ "K\xf6ln", "\"K\\u00f6ln\"" },                            /* Latin-1 */
		{ "\xc0\xaf", "\"\\u00c0\\u00af\"" },                       /* Overlong. */
		{ "\xed\xa0\x80", "\"\\u00ed\\u00a0\\u0080\"" },            /* A surrogate. */
		{ "\xe2\x82", "\"\\u00e2\\u0082\"" },                       /* Cut off. */
		{ "\xf4\x90\x80\x80", "\"\\u00f4\\u0090\\u0080\\u0080\"" }, /* Beyond Unicode. */
	};
	char *folder = enter();
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct sl_err err = { 0 };
		struct sl_out *out = opened("a");
		sl_out_json(out, cases[i].text);
		cr_expect_eq(sl_out_commit(out, &err), SL_OK);
		expect_file("a", cases[i].json);
	}
	leave(folder, "a");
}
