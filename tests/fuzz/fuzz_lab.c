/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_lab.c - any bytes at all as the key of a lab.
 *
 * What is refused has a status and a text. What is read asks 1 to 200 questions, each of which says how what
 * is right is found; its files have plain names, and the key is none of them.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/check/lab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_read(const struct lab *lab)
{
	SL_CHECK(lab->question_count > 0 && lab->question_count <= LAB_QUESTIONS_MAX);
	SL_CHECK(lab->copy_count <= LAB_FILES_MAX && lab->make_count <= LAB_FILES_MAX);
	for (size_t i = 0; i < lab->copy_count; i++)
		SL_CHECK(!strchr(lab->copy[i], '/') && strcmp(lab->copy[i], "key.yaml") != 0);
	for (size_t i = 0; i < lab->make_count; i++)
		SL_CHECK(!strchr(lab->make[i].name, '/') && lab->make[i].generate);
	for (size_t q = 0; q < lab->question_count; q++) {
		const struct lab_question *question = &lab->question[q];
		SL_CHECK(question->name && question->points >= 0 && question->points <= 1000);
		if (question->kind == LAB_VALUE)
			SL_CHECK(question->word || (question->run && (question->metric || question->job)));
		else if (question->kind == LAB_WORD)
			SL_CHECK(question->word);
		else if (question->kind == LAB_SCHEDULE)
			SL_CHECK(question->run);
		else if (question->kind == LAB_BEATS)
			SL_CHECK(question->other && question->metric);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { 0 };
	struct lab lab = { .folder = "fuzz" };
	char *text = malloc(size + 1);
	SL_CHECK(arena && text);
	memcpy(text, data, size);
	text[size] = '\0';
	const int status = lab_parse(&lab, "fuzz", text, size, arena, &err);
	SL_CHECK(status == err.status && (!status || *err.text));
	if (!status)
		check_read(&lab);
	free(text);
	sl_arena_free(arena);
	return 0;
}
