/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_lab_key.c - keys of labs as they are read, and refused with their place; a student's seed, worked out
 * with another program.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/check/lab.h"
#include "tests/world/memfile.h"

static int parse(struct lab *lab, struct sl_arena *arena, const char *text, struct sl_err *err)
{
	*lab = (struct lab){ 0 };
	*err = (struct sl_err){ 0 };
	return lab_parse(lab, "key.yaml", text, strlen(text), arena, err);
}

Test(lab_key, what_is_asked)
{
	static const char text[] = "title: a lab\n"
				   "files: [README.md, jobs.csv]\n"
				   "make:\n  mine.swf: lublin --jobs 10 --cpus 4\n"
				   "questions:\n"
				   "  one: {is: 22, within: \"=\"}\n"
				   "  two: {run: a.csv -p easy, less: a.csv -p fcfs, job: 5, column: wait}\n"
				   "  three: {schedule: mine.swf -p easy, points: 3}\n"
				   "  four: {text: needed}\n";
	struct sl_arena *arena = sl_arena_new();
	struct lab lab;
	struct sl_err err;
	cr_assert_eq(parse(&lab, arena, text, &err), SL_OK, "%s", err.text);
	cr_expect_str_eq(lab.title, "a lab");
	cr_expect_eq(lab.copy_count, 2);
	cr_assert_eq(lab.make_count, 1);
	cr_expect_str_eq(lab.make[0].name, "mine.swf");
	cr_expect_str_eq(lab.make[0].generate, "lublin --jobs 10 --cpus 4");
	cr_assert_eq(lab.question_count, 4);
	cr_expect_eq(lab.question[1].kind, LAB_VALUE);
	cr_expect_str_eq(lab.question[1].other, "a.csv -p fcfs");
	cr_expect_not(lab.question[1].over);
	cr_expect_str_eq(lab.question[1].job, "5");
	cr_expect_eq(lab.question[2].kind, LAB_SCHEDULE);
	cr_expect_eq(lab.question[2].points, 3);
	cr_expect_eq(lab.question[3].kind, LAB_TEXT);
	cr_expect_eq(lab.question[3].points, 1);
	sl_arena_free(arena);
}

/* One clear line each, with the place in the file. */
Test(lab_key, what_is_refused)
{
	static const char *const texts[] = {
		"",
		"[]\n",
		"title: x\n",
		"title: x\nfiles: [../secret]\nquestions:\n  a: {is: 1}\n",
		"title: x\nfiles: [a]\nmake:\n  b/c: lublin\nquestions:\n  a: {is: 1}\n",
		"title: x\nfiles: [a]\nquestions:\n  a: {}\n",
		"title: x\nfiles: [a]\nquestions:\n  a: {colour: blue}\n",
		"title: x\nfiles: [a]\nquestions:\n  a: {is: 1}\n  a: {is: 2}\n",
		"title: x\nfiles: [a]\nquestions:\n  a: {is: 1, points: -1}\n",
		"title: x\nfiles: [a]\nquestions:\n  a: {run: a.csv}\n",
	};
	struct sl_arena *arena = sl_arena_new();
	struct lab lab;
	struct sl_err err;
	for (size_t i = 0; i < SL_LEN(texts); i++) {
		cr_expect_eq(parse(&lab, arena, texts[i], &err), SL_INPUT, "%s", texts[i]);
		cr_expect_eq(strncmp(err.text, "key.yaml:", 9), 0, "%s: %s", texts[i], err.text);
	}
	sl_arena_free(arena);
}

/* HMAC-SHA256("a secret of mine", "ada"), its first 31 bits; a short secret is none. */
Test(lab_key, seed_of_a_student)
{
	char path[32];
	struct sl_err err = { 0 };
	uint64_t seed = 0;
	uint64_t other = 0;
	(void)memfile(path, "a secret of mine", 16);
	cr_assert_eq(lab_seed(path, "ada", &seed, &err), SL_OK, "%s", err.text);
	cr_expect_eq(seed, 1625159303);
	cr_assert_eq(lab_seed(path, "bao", &other, &err), SL_OK, "%s", err.text);
	cr_expect_neq(seed, other);
	(void)memfile(path, "short", 5);
	cr_expect_neq(lab_seed(path, "ada", &seed, &err), SL_OK);
}
