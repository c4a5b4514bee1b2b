/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_lab.c - schedlab check LAB: a student's answers, a handout, the marks of a class. schedlab-labs(5).
 *
 * What is right is found now, by running what the key says on the student's own files; so nothing of it lies
 * in the student's copy, and two students do not have one answer.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "cli/check/lab.h"
#include "sim/base/doc.h"
#include "sim/base/out.h"

/* What became of a question. */
struct marked {
	bool answered, right, read; /* read: by a person. */
	const char *said;           /* NULL: nothing. */
};

struct marking {
	struct lab lab;
	struct sl_doc answers;
	const char *file;   /* Of the answers. */
	struct sl_place at; /* Of the answer that is looked at. */
	bool untrusted;     /* It would have executed something. */
	struct marked *marked;
	int64_t points, most;
};

bool lab_asked(const struct args *args)
{
	return arg(args, "student") || arg(args, "handout") || arg(args, "grade") || arg_flag(args, "key");
}

/* ---- Files of a seed ---------------------------------------------------------------------------- */

static int work_begin(struct lab *lab, struct sl_err *err)
{
	const char *tmp = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): one thread. */
	(void)snprintf(lab->work, sizeof(lab->work), "%s/schedlab-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(lab->work))
		return sl_fail_sys(err, SL_SYSTEM, "make", lab->work);
	return lab_make(lab, err);
}

static void work_end(const struct lab *lab)
{
	char path[4400];
	if (!*lab->work)
		return;
	for (size_t i = 0; i < lab->make_count; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", lab->work, lab->make[i].name);
		(void)unlink(path);
	}
	(void)rmdir(lab->work);
}

/* --student-id with --secret, or --seed. */
static int seed_of(const struct args *args, const char *student, uint64_t *seed, struct sl_err *err)
{
	const char *secret = arg(args, "secret");
	if (!student && secret)
		return sl_fail(err, SL_USAGE, "whose? with --secret give --student-id too");
	if (student && !secret)
		return sl_fail(err, SL_USAGE, "--student-id: by which secret? give --secret FILE");
	return student ? lab_seed(secret, student, seed, err)
		       : arg_u64(args, "seed", 1, 0, INT64_MAX, seed, err);
}

/* ---- Answers --------------------------------------------------------------------------------------- */

static int answers_read(struct marking *marking, const char *path, struct sl_err *err)
{
	struct sl_input *in;
	const char *text;
	const char *end;
	marking->file = path;
	marking->answers = (struct sl_doc){ .file = path };
	int status = sl_input_open(&in, path, err);
	if (status)
		return status;
	status = sl_input_all(in, &text, &end, err);
	if (!status && end - text > 1 << 20)
		status = sl_fail(err, SL_INPUT, "%s: answers of more than 1 MiB: is it another file?", path);
	if (!status)
		status = doc_read_any(&marking->answers, text, (size_t)(end - text), err);
	sl_input_close(in);
	if (!status && (!marking->answers.count || marking->answers.node[0].kind != SL_DOC_MAP))
		return sl_fail(err, SL_INPUT, "%s: answers are lines 'QUESTION: ANSWER'", path);
	SL_DOC_EACH (node, &marking->answers, status ? NULL : marking->answers.node) {
		const char *key = sl_doc_key_of(&marking->answers, node);
		size_t q = 0;
		while (q < marking->lab.question_count && strcmp(marking->lab.question[q].name, key) != 0)
			q++;
		const struct sl_place at = sl_doc_key_place(&marking->answers, node);
		if (q == marking->lab.question_count)
			return sl_fail_at(err, &at, "this lab has no question '%.60s'", key);
		if (node->kind != SL_DOC_TEXT)
			return sl_fail_at(
				err, &at, "an answer must be one text or number: put a list in quotes");
	}
	return status;
}

/* "1:30:00", "90m", "5,400", "87.5 %", "12 h". */
static bool number_get(const char *text, int64_t *micro)
{
	char plain[64];
	size_t len = 0;
	bool percent = false;
	sl_time time;
	for (; *text && len < sizeof(plain) - 1; text++) {
		percent |= *text == '%';
		if (*text != ',' && *text != ' ' && *text != '%')
			plain[len++] = *text;
	}
	plain[len] = '\0';
	if (*text || !len)
		return false;
	if (sl_get_micro(plain, len, micro)) {
		*micro = percent ? *micro / 100 : *micro;
		return true;
	}
	if (percent || !sl_get_duration(plain, len, &time))
		return false;
	*micro = time;
	return true;
}

/* Commas and blanks part names alike, and capitals do not matter. */
static bool same_words(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, " ,;");
		b += strspn(b, " ,;");
		if (!*a || !*b)
			return !*a && !*b;
		const size_t x = strcspn(a, " ,;");
		const size_t y = strcspn(b, " ,;");
		if (x != y || strncasecmp(a, b, x) != 0)
			return false;
		a += x;
		b += y;
	}
}

/* One of several that will do, apart by '|'. */
static bool one_of(const struct lab *lab, const char *right, const char *answer)
{
	for (const char *at = right; *at;) {
		const size_t len = strcspn(at, "|");
		const char *one = sl_strdup(lab->arena, at, len);
		if (one && same_words(one, answer))
			return true;
		at += len + (at[len] == '|');
	}
	return false;
}

/* ---- One question -------------------------------------------------------------------------------------- */

static int judge_value(struct marking *marking, const struct lab_question *question, const char *answer,
	struct marked *marked, struct sl_err *err)
{
	int64_t right;
	int64_t is;
	bool time;
	struct tolerance tolerance;
	struct tol_wrong where;
	if (!number_get(answer, &is)) {
		marked->said = "this is no number";
		return SL_OK;
	}
	const int status = lab_value(&marking->lab, question, &right, &time, err);
	if (status)
		return status;
	/* Answers with two decimals or in whole seconds are accepted. */
	const char *within = question->within ? question->within : time ? "±1% or ±1" : "±1% or ±0.005";
	SL_CHECK(tolerance_parse(&tolerance, within, &where));
	const struct tol_move move = { right, is, is - right, is - right };
	marked->right = tolerance_judge(&tolerance, &move) == VERDICT_PASS;
	return SL_OK;
}

static const char *file_of(const struct marking *marking, const char *name)
{
	const char *slash = strrchr(marking->file, '/');
	const size_t before = slash && name[0] != '/' ? (size_t)(slash - marking->file) + 1 : 0;
	return text_made(marking->lab.arena, "%.*s%s", (int)before, marking->file, name);
}

static bool is_script(const char *word, size_t len)
{
	return (len > 4 && memcmp(word + len - 4, ".lua", 4) == 0) ||
	       (len > 3 && memcmp(word + len - 3, ".so", 3) == 0);
}

/* A policy as of -p; its files lie beside the answers: "easy:order=lua:mine.lua". */
static const char *policy_of(const struct marking *marking, const char *answer)
{
	const char *slash = strrchr(marking->file, '/');
	const size_t before = slash ? (size_t)(slash - marking->file) + 1 : 0;
	char *policy = sl_alloc(marking->lab.arena, strlen(answer) + 1, before + 1);
	size_t to = 0;
	if (!policy)
		return NULL;
	while (*answer) {
		const size_t len = strcspn(answer, ":=,");
		if (is_script(answer, len) && *answer != '/') {
			memcpy(policy + to, marking->file, before);
			to += before;
		}
		const size_t with = len + (answer[len] != '\0'); /* What parts it from the next. */
		memcpy(policy + to, answer, with);
		to += with;
		answer += with;
	}
	policy[to] = '\0';
	return policy;
}

static int judge_beats(struct marking *marking, const struct lab_question *question, const char *answer,
	struct marked *marked, struct sl_err *err)
{
	int64_t is;
	int64_t bound;
	char text[200];
	char a[48];
	char b[48];
	const char *policy = policy_of(marking, answer);
	struct sl_err why = { 0 };
	struct settings none = { .arena = marking->lab.arena };
	if (!policy)
		return sl_fail_memory(err);
	marking->untrusted = policy_trusted(marking->lab.registry, policy, &none, &marking->at, err) != SL_OK;
	if (marking->untrusted)
		return err->status;
	if (lab_beats(&marking->lab, question, policy, &is, &bound, &why)) {
		marked->said = sl_strdup(marking->lab.arena, why.text, strlen(why.text));
		return SL_OK;
	}
	marked->right = is < bound;
	(void)snprintf(text, sizeof(text), "%s %s, to beat: %s", question->metric, screen_number(a, is, 2),
		screen_number(b, bound, 2));
	marked->said = sl_strdup(marking->lab.arena, text, strlen(text));
	return SL_OK;
}

static int check_lab_judge(struct marking *marking, const struct lab_question *question, const char *answer,
	struct marked *marked, struct sl_err *err)
{
	int status = SL_OK;
	marked->answered = true;
	if (question->kind == LAB_TEXT) {
		marked->read = true;
	} else if (question->kind == LAB_WORD) {
		marked->right = one_of(&marking->lab, question->word, answer);
	} else if (question->kind == LAB_VALUE) {
		status = judge_value(marking, question, answer, marked, err);
	} else if (question->kind == LAB_BEATS) {
		status = judge_beats(marking, question, answer, marked, err);
	} else {
		const char *path = file_of(marking, answer);
		struct sl_err why = { 0 };
		if (!path)
			return sl_fail_memory(err);
		if (access(path, R_OK) != 0)
			marked->said = "there is no such file";
		else
			status = lab_schedule(&marking->lab, question, path, &marked->said, &why);
		marked->right = !status && !marked->said;
		if (status)
			return sl_fail(err, why.status, "%s", why.text);
	}
	if (!marked->right && !marked->read && !marked->said)
		marked->said = question->why;
	return status;
}

static int64_t points_of(const struct lab *lab)
{
	int64_t most = 0;
	for (size_t q = 0; q < lab->question_count; q++)
		most += lab->question[q].kind == LAB_TEXT ? 0 : lab->question[q].points;
	return most;
}

static int mark(struct marking *marking, const char *file, struct sl_err *err)
{
	struct lab *lab = &marking->lab;
	int status = answers_read(marking, file, err);
	marking->points = 0;
	marking->most = points_of(lab);
	marking->marked = sl_alloc(lab->arena, lab->question_count, sizeof(*marking->marked));
	if (!status && !marking->marked)
		status = sl_fail_memory(err);
	for (size_t q = 0; q < lab->question_count && !status; q++) {
		const struct lab_question *question = &lab->question[q];
		const struct sl_doc_node *node =
			sl_doc_member(&marking->answers, &marking->answers.node[0], question->name);
		if (node)
			marking->at = sl_doc_key_place(&marking->answers, node);
		if (node)
			status = check_lab_judge(marking, question, marking->answers.text + node->text,
				&marking->marked[q], err);
		marking->points += marking->marked[q].right ? question->points : 0;
	}
	sl_doc_release(&marking->answers);
	return status;
}

/* ---- A student */

static const char *check_lab_word_of(const struct marked *marked)
{
	return marked->read        ? "to be read"
	       : !marked->answered ? "not answered"
	       : marked->right     ? "right"
				   : "wrong";
}

static int check_lab_report(const struct marking *marking, const struct args *args, struct sl_err *err)
{
	const struct lab *lab = &marking->lab;
	if (!arg_flag(args, "json")) {
		for (size_t q = 0; q < lab->question_count; q++) {
			const struct marked *marked = &marking->marked[q];
			printf("%-12s  %s%s%s\n", lab->question[q].name, check_lab_word_of(marked),
				marked->said ? ": " : "", marked->said ? marked->said : "");
		}
		printf("%lld of %lld points\n", (long long)marking->points, (long long)marking->most);
		return SL_OK;
	}
	struct json json;
	const int status = json_start(&json, &json_one_line, err);
	if (status)
		return status;
	json_put(&json, datum_whole("points", marking->points), datum_whole("of", marking->most));
	json_nest(&json, "questions", '{', &json_lines_0);
	for (size_t q = 0; q < lab->question_count; q++) {
		json_object(&json, lab->question[q].name,
			datum_text("verdict", check_lab_word_of(&marking->marked[q])),
			datum_given("said", marking->marked[q].said));
	}
	return json_finish(&json, SL_OK, err);
}

static int lab_begin(
	struct marking *marking, const struct args *args, const char *student, struct sl_err *err)
{
	*marking = (struct marking){ .file = NULL };
	marking->lab.registry = args->registry;
	int status = lab_read(&marking->lab, args->word[0], args->arena, err);
	char key[4400];
	(void)snprintf(key, sizeof(key), "%s/key.yaml", args->word[0]);
	args->registry->trust.file = sl_strdup(args->arena, key, strlen(key));
	if (!status)
		status = seed_of(args, student, &marking->lab.seed, err);
	return status ? status : work_begin(&marking->lab, err);
}

static int one_student(const struct args *args, struct sl_err *err)
{
	struct marking marking;
	int status = lab_begin(&marking, args, arg(args, "student-id"), err);
	if (!status)
		status = mark(&marking, arg(args, "student"), err);
	if (!status)
		status = check_lab_report(&marking, args, err);
	work_end(&marking.lab);
	return status ? status : marking.points < marking.most ? SL_CHECK_FAILED : SL_OK;
}

/* --key: for the teacher, what is right with this seed. */
static int report_key(const struct args *args, struct sl_err *err)
{
	struct marking marking;
	int status = lab_begin(&marking, args, arg(args, "student-id"), err);
	for (size_t q = 0; q < marking.lab.question_count && !status; q++) {
		const struct lab_question *question = &marking.lab.question[q];
		char text[48];
		int64_t right;
		bool time;
		if (question->kind == LAB_VALUE) {
			status = lab_value(&marking.lab, question, &right, &time, err);
			*sl_put_micro(text, right) = '\0';
			if (!status)
				printf("%s: %s\n", question->name, text);
		} else if (question->kind == LAB_WORD) {
			printf("%s: %s\n", question->name, question->word);
		} else {
			printf("# %s: %s\n", question->name,
				question->kind == LAB_TEXT       ? "a text"
				: question->kind == LAB_SCHEDULE ? "a file with job_id,start"
								 : "a policy");
		}
	}
	work_end(&marking.lab);
	return status;
}

/* ---- A handout */

static int copy_file(const char *from, const char *to, struct sl_arena *arena, struct sl_err *err)
{
	size_t len;
	const char *text = text_of_file(from, &len, arena, err);
	return text ? out_file(to, text, len, err) : err->status;
}

static int handout(const struct args *args, struct sl_err *err)
{
	struct marking marking;
	const char *dir = arg(args, "handout");
	const char *student = arg(args, "student-id");
	char from[4400];
	char to[4400];
	int status = lab_begin(&marking, args, student, err);
	const struct lab *lab = &marking.lab;
	if (!status && mkdir(dir, 0777) != 0)
		status = errno == EEXIST ? sl_fail(err, SL_USAGE,
						   "--handout: '%s' is there already: name another", dir)
					 : sl_fail_sys(err, SL_SYSTEM, "make", dir);
	for (size_t i = 0; i < lab->copy_count && !status; i++) {
		(void)snprintf(from, sizeof(from), "%s/%s", lab->folder, lab->copy[i]);
		(void)snprintf(to, sizeof(to), "%s/%s", dir, lab->copy[i]);
		status = copy_file(from, to, lab->arena, err);
	}
	for (size_t i = 0; i < lab->make_count && !status; i++) {
		(void)snprintf(from, sizeof(from), "%s/%s", lab->work, lab->make[i].name);
		(void)snprintf(to, sizeof(to), "%s/%s", dir, lab->make[i].name);
		status = copy_file(from, to, lab->arena, err);
	}
	if (!status) {
		struct sl_out *out;
		(void)snprintf(to, sizeof(to), "%s/answers.yaml", dir);
		status = sl_out_open(&out, to, err);
		if (!status) {
			sl_out_printf(out, "# %s%s%s: one answer a line\n",
				lab->title ? lab->title : lab->folder, student ? ", " : "",
				student ? student : "");
			for (size_t q = 0; q < lab->question_count; q++)
				sl_out_printf(out, "# %s:\n", lab->question[q].name);
			status = sl_out_commit(out, err);
		}
	}
	work_end(lab);
	return status;
}

/* ---- A class */

static int is_answers(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	return dot && entry->d_name[0] != '.' && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0);
}

static int check_lab_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* One bad file is that student's matter: it is reported in the row, and the class goes on. What the teacher
 * has to decide, whether a student's policy is run, ends it. */
static int grade_row(
	const struct args *args, const char *folder, const char *name, struct sl_out *out, struct sl_err *err)
{
	struct marking marking;
	struct sl_err why = { 0 };
	char path[4400];
	char student[256];
	(void)snprintf(student, sizeof(student), "%.*s", (int)(strlen(name) - 5), name);
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	int status = lab_begin(&marking, args, arg(args, "secret") ? student : NULL, &why);
	if (!status)
		status = mark(&marking, path, &why);
	csv_begin(out, datum_of(DATUM_QUOTED, NULL, student, 0),
		datum_whole(NULL, status ? 0 : marking.points), datum_whole(NULL, points_of(&marking.lab)));
	for (size_t q = 0; q < marking.lab.question_count; q++)
		sl_out_printf(out, ",%s", status ? "" : check_lab_word_of(&marking.marked[q]));
	csv_more(out, datum_of(DATUM_QUOTED, NULL, status ? why.text : "", 0));
	sl_out_text(out, "\n");
	work_end(&marking.lab);
	return marking.untrusted ? sl_fail(err, why.status, "%s", why.text) : SL_OK;
}

static int grade(const struct args *args, struct sl_err *err)
{
	const char *folder = arg(args, "grade");
	struct dirent **entry;
	struct sl_out *out;
	struct lab lab = { .registry = args->registry };
	int status = lab_read(&lab, args->word[0], args->arena, err);
	if (status)
		return status;
	const int count = scandir(folder, &entry, is_answers, check_lab_by_name);
	if (count < 0)
		return sl_fail_sys(err, SL_INPUT, "read", folder);
	status = sl_out_open(&out, arg(args, "output"), err);
	if (!status) {
		sl_out_text(out, "student,points,of");
		for (size_t q = 0; q < lab.question_count; q++)
			sl_out_printf(out, ",%s", lab.question[q].name);
		sl_out_text(out, ",error\n");
		for (int i = 0; i < count && !status; i++)
			status = grade_row(args, folder, entry[i]->d_name, out, err);
		if (status)
			sl_out_abandon(out);
		else
			status = sl_out_commit(out, err);
	}
	for (int i = 0; i < count; i++)
		free(entry[i]);
	free(entry);
	if (!status && !count)
		return sl_fail(err, SL_INPUT, "'%s' has no answers: files STUDENT.yaml", folder);
	return status;
}

int check_lab(const struct args *args, struct sl_err *err)
{
	const int asked = (arg(args, "student") != NULL) + (arg(args, "handout") != NULL) +
			  (arg(args, "grade") != NULL) + arg_flag(args, "key");
	if (asked != 1)
		return sl_fail(
			err, SL_USAGE, "--student, --handout, --grade and --key are four things: give one");
	return arg(args, "student")   ? one_student(args, err)
	       : arg(args, "handout") ? handout(args, err)
	       : arg(args, "grade")   ? grade(args, err)
				      : report_key(args, err);
}
