/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab_key.c - the key of a lab: schedlab-labs(5).
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "cli/check/lab.h"

struct reading {
	struct lab *lab;
	struct sl_doc doc;
};

static const char *text_at(const struct reading *r, const struct sl_doc_node *node)
{
	return r->doc.text + node->text;
}

static const char *key_at(const struct reading *r, const struct sl_doc_node *node)
{
	return r->doc.text + node->key;
}

static int wrong(
	const struct reading *r, const struct sl_doc_node *node, struct sl_err *err, const char *what)
{
	const struct sl_place at = sl_doc_place(&r->doc, node);
	return sl_fail_at(err, &at, "%s", what);
}

static int keep(const struct reading *r, const struct sl_doc_node *node, const char **to, struct sl_err *err)
{
	if (node->kind != SL_DOC_TEXT)
		return wrong(r, node, err, "this must be one text");
	*to = sl_strdup(r->lab->arena, text_at(r, node), strlen(text_at(r, node)));
	return *to ? SL_OK : sl_fail_memory(err);
}

/* A name of a file in this folder: a handout reaches nothing else. */
static bool is_plain_name(const char *name) { return *name && *name != '.' && !strchr(name, '/'); }

static int copy_read(struct reading *r, const struct sl_doc_node *list, struct sl_err *err)
{
	struct lab *lab = r->lab;
	if (list->kind != SL_DOC_LIST || list->count > LAB_FILES_MAX)
		return wrong(r, list, err, "'files' is a list of at most 50 names of files in this folder");
	lab->copy = sl_alloc(lab->arena, list->count + 1, sizeof(*lab->copy));
	if (!lab->copy)
		return sl_fail_memory(err);
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, list); item;
		item = sl_doc_next(&r->doc, item)) {
		const int status = keep(r, item, &lab->copy[lab->copy_count], err);
		if (status)
			return status;
		if (!is_plain_name(lab->copy[lab->copy_count]))
			return wrong(r, item, err, "this must be the name of a file in this folder");
		if (strcmp(lab->copy[lab->copy_count], "key.yaml") == 0)
			return wrong(r, item, err, "the key is not for students");
		lab->copy_count++;
	}
	return SL_OK;
}

static int make_read(struct reading *r, const struct sl_doc_node *map, struct sl_err *err)
{
	struct lab *lab = r->lab;
	if (map->kind != SL_DOC_MAP || map->count > LAB_FILES_MAX)
		return wrong(r, map, err, "'make' is a map: NAME: words of 'schedlab generate'");
	lab->make = sl_alloc(lab->arena, map->count + 1, sizeof(*lab->make));
	if (!lab->make)
		return sl_fail_memory(err);
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, map); item;
		item = sl_doc_next(&r->doc, item)) {
		struct lab_file *file = &lab->make[lab->make_count++];
		file->line = item->line;
		file->name = sl_strdup(lab->arena, key_at(r, item), strlen(key_at(r, item)));
		if (!file->name)
			return sl_fail_memory(err);
		if (!is_plain_name(file->name))
			return wrong(r, item, err, "its name must be that of a file in this folder");
		const int status = keep(r, item, &file->generate, err);
		if (status)
			return status;
	}
	return SL_OK;
}

static int one_key(
	struct reading *r, struct lab_question *question, const struct sl_doc_node *item, struct sl_err *err)
{
	const char *key = key_at(r, item);
	const char *points = NULL;
	const struct {
		const char *key;
		const char **to;
	} words[] = { { "is", &question->word }, { "run", &question->run }, { "less", &question->other },
		{ "over", &question->other }, { "metric", &question->metric }, { "job", &question->job },
		{ "column", &question->column }, { "within", &question->within }, { "why", &question->why },
		{ "beats", &question->other }, { "schedule", &question->run }, { "policy", &question->run },
		{ "points", &points }, { "text", &question->word } };
	for (size_t i = 0; i < SL_LEN(words); i++) {
		if (strcmp(words[i].key, key) != 0)
			continue;
		const int status = keep(r, item, words[i].to, err);
		if (strcmp(key, "schedule") == 0)
			question->kind = LAB_SCHEDULE;
		else if (strcmp(key, "beats") == 0)
			question->kind = LAB_BEATS;
		else if (strcmp(key, "text") == 0)
			question->kind = LAB_TEXT;
		question->over |= strcmp(key, "over") == 0;
		if (!status && points &&
			(!sl_get_i64(points, strlen(points), &question->points) || question->points < 0 ||
				question->points > 1000))
			return wrong(r, item, err, "'points' must be a whole number from 0 to 1000");
		return status;
	}
	return wrong(r, item, err,
		"unknown key: a question has is, run, less, over, metric, job, column, schedule, policy, beats, text, "
		"within, points, why");
}

/* What belongs together. */
static int question_check(const struct reading *r, struct lab_question *question,
	const struct sl_doc_node *node, struct sl_err *err)
{
	struct tol_wrong where;
	struct tolerance tolerance;
	int64_t micro;
	if (question->kind == LAB_TEXT)
		return SL_OK;
	if (!question->run && !question->word)
		return wrong(r, node, err,
			"what is right? give 'is', or 'run' with 'metric', or 'run' with 'job'");
	if (question->kind == LAB_VALUE && !question->run &&
		!sl_get_micro(question->word, strlen(question->word), &micro))
		question->kind = LAB_WORD;
	if (question->kind == LAB_BEATS && !question->metric)
		return wrong(r, node, err, "in which metric? give 'metric'");
	if (question->kind == LAB_VALUE && question->run && !question->metric &&
		!(question->job && question->column))
		return wrong(r, node, err, "what of the run? give 'metric', or 'job' and 'column'");
	if (!question->job != !question->column)
		return wrong(r, node, err, "'job' and 'column' go together");
	if (question->column && strcmp(question->column, "start") != 0 &&
		strcmp(question->column, "end") != 0 && strcmp(question->column, "wait") != 0)
		return wrong(r, node, err, "'column' is start, end or wait");
	if (question->within && !tolerance_parse(&tolerance, question->within, &where))
		return wrong(r, node, err, where.why);
	return SL_OK;
}

static int question_read(struct reading *r, const struct sl_doc_node *map, struct sl_err *err)
{
	struct lab *lab = r->lab;
	struct lab_question *question = &lab->question[lab->question_count++];
	*question = (struct lab_question){ .points = 1, .at = sl_doc_place(&r->doc, map) };
	question->at.file = lab->folder;
	question->name = sl_strdup(lab->arena, key_at(r, map), strlen(key_at(r, map)));
	if (!question->name)
		return sl_fail_memory(err);
	if (map->kind != SL_DOC_MAP)
		return wrong(r, map, err, "a question is a map: {run: \"t.csv -p easy\", metric: wait.mean}");
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, map); item;
		item = sl_doc_next(&r->doc, item)) {
		const int status = one_key(r, question, item, err);
		if (status)
			return status;
	}
	return question_check(r, question, map, err);
}

static int questions_read(struct reading *r, const struct sl_doc_node *map, struct sl_err *err)
{
	struct lab *lab = r->lab;
	int status = SL_OK;
	if (map->kind != SL_DOC_MAP || !map->count || map->count > LAB_QUESTIONS_MAX)
		return wrong(r, map, err, "'questions' is a map of 1 to 200 questions");
	lab->question = sl_alloc(lab->arena, map->count, sizeof(*lab->question));
	if (!lab->question)
		return sl_fail_memory(err);
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, map); item && !status;
		item = sl_doc_next(&r->doc, item))
		status = question_read(r, item, err);
	return status;
}

static int lab_fill(struct reading *r, struct sl_err *err)
{
	const struct sl_doc_node *root = r->doc.node;
	bool asked = false;
	int status = SL_OK;
	SL_CHECK(root); /* It is not empty. */
	if (root->kind != SL_DOC_MAP)
		return wrong(r, root, err, "a key is a map with 'questions': see schedlab-labs(5)");
	for (const struct sl_doc_node *item = sl_doc_child(&r->doc, root); item && !status;
		item = sl_doc_next(&r->doc, item)) {
		const char *key = key_at(r, item);
		if (strcmp(key, "title") == 0)
			status = keep(r, item, &r->lab->title, err);
		else if (strcmp(key, "files") == 0)
			status = copy_read(r, item, err);
		else if (strcmp(key, "make") == 0)
			status = make_read(r, item, err);
		else if (strcmp(key, "questions") == 0)
			status = questions_read(r, item, err);
		else
			status = wrong(r, item, err, "unknown key: a key has title, files, make, questions");
		asked |= strcmp(key, "questions") == 0;
	}
	return status || asked ? status : wrong(r, root, err, "'questions' is missing");
}

int lab_parse(struct lab *lab, const char *path, const char *text, size_t len, struct sl_arena *arena,
	struct sl_err *err)
{
	struct reading r = { .lab = lab, .doc = { .file = path } };
	lab->arena = arena;
	int status = len > 1 << 20 ? sl_fail(err, SL_INPUT,
					     "%s: a key of more than 1 MiB: is it another file?", path)
				   : sl_doc_read_yaml(&r.doc, text, len, err);
	if (!status && !r.doc.count)
		status = sl_fail(err, SL_INPUT, "%s: the key is empty", path);
	if (!status)
		status = lab_fill(&r, err);
	sl_doc_release(&r.doc);
	return status;
}

int lab_read(struct lab *lab, const char *folder, struct sl_arena *arena, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	char *path = sl_alloc(arena, strlen(folder) + sizeof("/key.yaml"), 1);
	if (!path)
		return sl_fail_memory(err);
	lab->folder = folder;
	(void)snprintf(path, strlen(folder) + sizeof("/key.yaml"), "%s/key.yaml", folder);
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status)
		status = lab_parse(lab, path, text, (size_t)(end - text), arena, err);
	sl_input_close(in);
	return status;
}

int lab_seed(const char *secret_file, const char *student, uint64_t *seed, struct sl_err *err)
{
	unsigned char secret[LAB_SECRET_MAX];
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned size;
	FILE *file = fopen(secret_file, "rbe");
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", secret_file);
	const size_t len = fread(secret, 1, sizeof(secret), file);
	(void)fclose(file);
	if (len < 8)
		return sl_fail(
			err, SL_INPUT, "%s: a secret of less than 8 bytes: make a longer one", secret_file);
	if (!HMAC(EVP_sha256(), secret, (int)len, (const unsigned char *)student, strlen(student), hash,
		    &size))
		return sl_fail(err, SL_SYSTEM, "cannot compute an HMAC: libcrypto refuses to");
	*seed = 1 +
		(((uint64_t)hash[0] << 24 | (uint64_t)hash[1] << 16 | (uint64_t)hash[2] << 8 | hash[3]) >> 1);
	return SL_OK;
}
