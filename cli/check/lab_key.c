/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab_key.c - the key of a lab: schedlab-labs(5).
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "cli/check/lab.h"

static struct lab *lab_of(const struct sl_schema_reading *r) { return r->self; }

static int lab_key_keep(const struct sl_schema_reading *r, const struct sl_doc_node *node, const char **to)
{
	static const struct sl_field text = { .kind = SL_FIELD_ANY };
	return sl_field_value(r, NULL, &text, node, to);
}

/* A name of a file in this folder: a handout reaches nothing else. */
static bool is_plain_name(const char *name) { return *name && *name != '.' && !strchr(name, '/'); }

static int take_files(const struct sl_schema_reading *r, const struct sl_doc_node *list, void *base)
{
	struct lab *lab = base;
	if (list->kind != SL_DOC_LIST || list->count > LAB_FILES_MAX)
		return sl_schema_fail_at(
			r, list, "'files' is a list of at most 50 names of files in this folder");
	lab->copy = sl_alloc(lab->arena, list->count + 1, sizeof(*lab->copy));
	if (!lab->copy)
		return sl_fail_memory(r->err);
	SL_DOC_EACH (item, r->doc, list) {
		const int status = lab_key_keep(r, item, &lab->copy[lab->copy_count]);
		if (status)
			return status;
		if (!is_plain_name(lab->copy[lab->copy_count]))
			return sl_schema_fail_at(r, item, "this must be the name of a file in this folder");
		if (strcmp(lab->copy[lab->copy_count], "key.yaml") == 0)
			return sl_schema_fail_at(r, item, "the key is not for students");
		lab->copy_count++;
	}
	return SL_OK;
}

static int take_make(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct lab *lab = base;
	if (map->kind != SL_DOC_MAP || map->count > LAB_FILES_MAX)
		return sl_schema_fail_at(r, map, "'make' is a map: NAME: words of 'schedlab generate'");
	lab->make = sl_alloc(lab->arena, map->count + 1, sizeof(*lab->make));
	if (!lab->make)
		return sl_fail_memory(r->err);
	SL_DOC_EACH (item, r->doc, map) {
		const char *name = sl_doc_key_of(r->doc, item);
		struct lab_file *file = &lab->make[lab->make_count++];
		*file = (struct lab_file){ .name = sl_strdup(lab->arena, name, strlen(name)),
			.line = item->line };
		if (!file->name)
			return sl_fail_memory(r->err);
		if (!is_plain_name(file->name))
			return sl_schema_fail_at(r, item, "its name must be that of a file in this folder");
		const int status = lab_key_keep(r, item, &file->generate);
		if (status)
			return status;
	}
	return SL_OK;
}

/* ---- Questions ----------------------------------------------------------------------------------- */

static int take_points(const struct sl_schema_reading *r, const struct sl_doc_node *node, void *points)
{
	static const struct sl_field number = { .kind = SL_FIELD_COUNT, .max = 1000 };
	if (node->kind == SL_DOC_TEXT && !sl_field_read(&number, sl_doc_word(r->doc, node), points))
		return sl_schema_fail_at(r, node, "'points' must be a whole number from 0 to 1000");
	return sl_field_value(r, NULL, &number, node, points);
}

#define WORD(name, member)                                                                       \
	{                                                                                        \
		.key = (name), .kind = SL_FIELD_ANY, .at = offsetof(struct lab_question, member) \
	}

/* Some say of which kind it is, too: the last that stands there does. */
enum { KEY_OVER = 3, KEY_SCHEDULE = 7, KEY_POLICY, KEY_BEATS, KEY_TEXT };
static const struct sl_field question_fields[] = {
	WORD("is", word),
	WORD("run", run),
	WORD("less", other),
	[KEY_OVER] = WORD("over", other),
	WORD("metric", metric),
	WORD("job", job),
	WORD("column", column),
	[KEY_SCHEDULE] = WORD("schedule", run),
	[KEY_POLICY] = WORD("policy", run),
	[KEY_BEATS] = WORD("beats", other),
	[KEY_TEXT] = WORD("text", word),
	WORD("within", within),
	{ .key = "points",
		.kind = SL_FIELD_TAKE,
		.take = take_points,
		.at = offsetof(struct lab_question, points) },
	WORD("why", why),
};
static const struct sl_schema question_schema = { "a question", question_fields, SL_LEN(question_fields),
	NULL };

/* What belongs together. */
static int question_check(
	const struct sl_schema_reading *r, struct lab_question *question, const struct sl_doc_node *node)
{
	struct tol_wrong where;
	struct tolerance tolerance;
	int64_t micro;
	if (question->kind == LAB_TEXT)
		return SL_OK;
	if (!question->run && !question->word)
		return sl_schema_fail_at(
			r, node, "what is right? give 'is', or 'run' with 'metric', or 'run' with 'job'");
	if (question->kind == LAB_VALUE && !question->run &&
		!sl_get_micro(question->word, strlen(question->word), &micro))
		question->kind = LAB_WORD;
	if (question->kind == LAB_BEATS && !question->metric)
		return sl_schema_fail_at(r, node, "in which metric? give 'metric'");
	if (question->kind == LAB_VALUE && question->run && !question->metric &&
		!(question->job && question->column))
		return sl_schema_fail_at(r, node, "what of the run? give 'metric', or 'job' and 'column'");
	if (!question->job != !question->column)
		return sl_schema_fail_at(r, node, "'job' and 'column' go together");
	if (question->column && strcmp(question->column, "start") != 0 &&
		strcmp(question->column, "end") != 0 && strcmp(question->column, "wait") != 0)
		return sl_schema_fail_at(r, node, "'column' is start, end or wait");
	if (question->within && !tolerance_parse(&tolerance, question->within, &where))
		return sl_schema_fail_at(r, node, "%s", where.why);
	return SL_OK;
}

static void note_kind(const struct sl_doc_node *const *into, struct lab_question *question)
{
	static const struct {
		size_t key;
		enum lab_kind kind;
	} kinds[] = { { KEY_SCHEDULE, LAB_SCHEDULE }, { KEY_BEATS, LAB_BEATS }, { KEY_TEXT, LAB_TEXT } };
	const struct sl_doc_node *last = NULL;
	for (size_t i = 0; i < SL_LEN(kinds); i++)
		if (into[kinds[i].key] && (!last || into[kinds[i].key] > last)) {
			last = into[kinds[i].key];
			question->kind = kinds[i].kind;
		}
	question->over = into[KEY_OVER] != NULL;
}

static int question_read(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct lab_question *question = base;
	const struct lab *lab = lab_of(r);
	const struct sl_doc_node *into[SL_FIELDS_MAX];
	const char *name = sl_doc_key_of(r->doc, map);
	*question = (struct lab_question){ .points = 1, .at = sl_doc_place(r->doc, map) };
	question->at.file = lab->folder;
	question->name = sl_strdup(lab->arena, name, strlen(name));
	if (!question->name)
		return sl_fail_memory(r->err);
	const int status = sl_schema_read(r, map, &question_schema, into, question);
	if (status)
		return status;
	note_kind(into, question);
	return question_check(r, question, map);
}

static int take_questions(const struct sl_schema_reading *r, const struct sl_doc_node *map, void *base)
{
	struct lab *lab = base;
	if (map->kind != SL_DOC_MAP || !map->count || map->count > LAB_QUESTIONS_MAX)
		return sl_schema_fail_at(r, map, "'questions' is a map of 1 to 200 questions");
	lab->question = sl_alloc(lab->arena, map->count, sizeof(*lab->question));
	if (!lab->question)
		return sl_fail_memory(r->err);
	SL_DOC_EACH (item, r->doc, map) {
		const int status = question_read(r, item, &lab->question[lab->question_count++]);
		if (status)
			return status;
	}
	return SL_OK;
}

static const struct sl_field lab_fields[] = {
	{ .key = "title", .kind = SL_FIELD_ANY, .at = offsetof(struct lab, title) },
	{ .key = "files", .kind = SL_FIELD_TAKE, .take = take_files },
	{ .key = "make", .kind = SL_FIELD_TAKE, .take = take_make },
	{ .key = "questions", .kind = SL_FIELD_TAKE, .take = take_questions, .needed = true },
};
static const struct sl_schema lab_schema = { "a key", lab_fields, SL_LEN(lab_fields), NULL };

static int fail_lab(const struct sl_schema_reading *r, enum sl_schema_wrong wrong,
	const struct sl_schema *schema, const struct sl_doc_node *node, const char *what)
{
	char keys[200];
	if (wrong == SL_SCHEMA_UNKNOWN)
		return sl_schema_fail_at(r, node, "unknown key: %s has %s", schema->have,
			sl_schema_keys(schema, keys, sizeof(keys)));
	if (wrong == SL_SCHEMA_LACKS)
		return sl_schema_fail_at(r, node, "'%s' is missing", what);
	if (wrong == SL_SCHEMA_NO_MAP && schema == &lab_schema)
		return sl_schema_fail_at(r, node, "a key is a map with 'questions': see schedlab-labs(5)");
	if (wrong == SL_SCHEMA_NO_MAP)
		return sl_schema_fail_at(
			r, node, "a question is a map: {run: \"t.csv -p easy\", metric: wait.mean}");
	return sl_schema_fail_at(r, node, "this must be one text");
}

int lab_parse(struct lab *lab, const char *path, const char *text, size_t len, struct sl_arena *arena,
	struct sl_err *err)
{
	struct sl_doc doc = { .file = path };
	const struct sl_schema_reading r = {
		.doc = &doc, .arena = arena, .self = lab, .fail = fail_lab, .err = err
	};
	lab->arena = arena;
	int status = len > 1 << 20 ? sl_fail(err, SL_INPUT,
					     "%s: a key of more than 1 MiB: is it another file?", path)
				   : sl_doc_read_yaml(&doc, text, len, err);
	if (!status && !doc.count)
		status = sl_fail(err, SL_INPUT, "%s: the key is empty", path);
	if (!status)
		status = sl_schema_read(&r, doc.node, &lab_schema, NULL, lab);
	sl_doc_release(&doc);
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
