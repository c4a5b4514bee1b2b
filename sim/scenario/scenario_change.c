/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scenario_change.c - replay.drop and replay.change: the trace as it would have been without these jobs, or
 * with other requests.
 *
 * "user=alice,partition=gpu; job=17": clauses, apart by ';', of conditions that all hold, apart by ',';
 * values that will do as well apart by '|'. In replay.change, what is to be otherwise follows: "job=17
 * limit=8h gpus=16". A '\\' before one of these signs makes it plain. Rows are changed as they are read,
 * before anything judges them; those left out stay until submissions are in order and scaled, so that zero,
 * --jobs and replay.load mean what they mean without.
 *
 * Of the stages of a row (row_read.c) this is the second: in comes struct row_read, and its row goes out as
 * it is to be (changes_apply).
 *
 * A job's run time is the trace's, whatever its changed request: nothing here knows how its work scales.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario/scenario_parts.h"

#define MEM_MAX (INT64_C(1) << 50) /* MiB */
enum { CLAUSES_MAX = 10000, TERMS_MAX = 16, GROUPS_MAX = 4096, SEEN_MAX = 100000 };

/* ---- Words ---------------------------------------------------------------------------------- */

enum subject {
	SUBJECT_JOB,
	SUBJECT_USER,
	SUBJECT_ACCOUNT,
	SUBJECT_PARTITION,
	SUBJECT_QOS,
	SUBJECT_NAME,
	SUBJECT_STATE,
	SUBJECT_CUT,   /* It was ended by its limit. */
	SUBJECT_AFTER, /* Submitted later than that, as it is replayed. */
	SUBJECT_COUNT
};
static const char *const subjects[] = { "job", "user", "account", "partition", "qos", "name", "state", "cut",
	"after", NULL };

/* What may be changed of any row; what else there is depends on the form of its request. */
enum subject_of_change {
	CHANGE_LIMIT,
	CHANGE_RUN,
	CHANGE_PARTITION,
	CHANGE_ACCOUNT,
	CHANGE_QOS,
	CHANGE_NICE,
	CHANGE_BEGIN,
	CHANGE_DEPENDENCY,
	CHANGE_HOLD,
	CHANGE_CPUS,
	CHANGE_GPUS,
	CHANGE_MEM,
	CHANGE_NODES,
	CHANGE_TASKS,
	CHANGE_OPTIONS /* Those of sbatch, from here on: of rows in Slurm's words. */
};
static const char *const changes[] = { "limit", "run", "partition", "account", "qos", "nice", "begin",
	"dependency", "hold", "cpus", "gpus", "mem", "nodes", "tasks", "ntasks-per-node", "cpus-per-task",
	"mem-per-cpu", "mem-per-gpu", "gpus-per-node", "gpus-per-task", "gres", "constraint", "nodelist",
	"exclude", "licenses", "reservation", NULL };

enum option_kind { OPTION_NUMBER, OPTION_MEMORY, OPTION_WORD };
static const struct {
	size_t place; /* In struct sl_job_desc. */
	enum option_kind kind;
} options[] = {
	{ offsetof(struct sl_job_desc, tasks_per_node), OPTION_NUMBER },
	{ offsetof(struct sl_job_desc, cpus_per_task), OPTION_NUMBER },
	{ offsetof(struct sl_job_desc, mem_per_cpu), OPTION_MEMORY },
	{ offsetof(struct sl_job_desc, mem_per_gpu), OPTION_MEMORY },
	{ offsetof(struct sl_job_desc, gpus_per_node), OPTION_WORD },
	{ offsetof(struct sl_job_desc, gpus_per_task), OPTION_WORD },
	{ offsetof(struct sl_job_desc, gres), OPTION_WORD },
	{ offsetof(struct sl_job_desc, constraint), OPTION_WORD },
	{ offsetof(struct sl_job_desc, nodelist), OPTION_WORD },
	{ offsetof(struct sl_job_desc, exclude), OPTION_WORD },
	{ offsetof(struct sl_job_desc, licenses), OPTION_WORD },
	{ offsetof(struct sl_job_desc, reservation), OPTION_WORD },
};
_Static_assert(SL_LEN(changes) == CHANGE_OPTIONS + SL_LEN(options) + 1, "an option without its place");

/* A condition: any of these values. */
struct term {
	enum subject subject;
	const char **value;
	size_t value_count;
	uint64_t count;  /* Rows for which it holds. */
	int64_t similar; /* Of jobs with numbers: the closest to what was requested; SL_NONE. */
	struct names seen;
};

struct change {
	int what;         /* In `changes`. */
	bool relative;    /* "limit*0.5": a factor, in millionths, in number. */
	const char *text; /* NULL: "none". */
	int64_t number;   /* Where it is one; SL_NONE. */
};

struct clause {
	const char *text; /* As written, for messages. */
	struct term term[TERMS_MAX];
	size_t term_count;
	struct change change[TERMS_MAX];
	size_t change_count;
	uint64_t count;     /* Rows that it is about. */
	const char *after;  /* Those submitted later than that; NULL: whenever. */
	struct intset some; /* With `after`: ids for which all else holds. */
	sl_time later_than;
};

struct changing {
	struct sl_arena *arena; /* The scenario's. */
	struct clause *drop, *change;
	size_t drop_count, change_count;
	struct intset dropped, changed; /* Ids. */
	uint64_t drop_line, change_line;
	/* The row as it is changed. */
	struct sl_row row;
	struct sl_row_attributes more;
	struct sl_job_attributes job;
	struct sl_row_group *group;
	struct sl_job_desc *desc;
	size_t group_capacity, desc_capacity;
};

/* ---- Read ------------------------------------------------------------------------------------- */

/* Of one setting: where reading is, and what messages begin with. */
struct text {
	const char *key;
	struct sl_lexer lex;
	struct sl_arena *arena;
};

/* NULL: no memory, as err says. */
static const char *take_value(struct text *in, const char *until, struct sl_err *err)
{
	const char *value = sl_lex_value(&in->lex, until, in->arena);
	if (!value)
		(void)sl_fail_memory(err);
	return value;
}

static int fail_word(const struct text *in, const char *word, const char *const *known, const char *what,
	const char *form, struct sl_err *err)
{
	char similar[128];
	for (size_t i = 0; known[i]; i++)
		if (strcmp(known[i], word) == 0)
			return sl_fail(err, SL_USAGE, "%s: '%s' has no value: give %s", in->key, word, form);
	return sl_fail(err, SL_USAGE, "%s: '%.60s' is not %s: %sgive %s", in->key, word, what,
		did_you_mean(similar, sl_nearest(word, known)), form);
}

static int index_of(const char *const *known, const char *word)
{
	for (int i = 0; known[i]; i++)
		if (strcmp(known[i], word) == 0)
			return i;
	return -1;
}

/* "user=alice|bob" */
static int read_term(struct text *in, struct clause *clause, struct sl_err *err)
{
	static const char form[] =
		"job=17, user=alice, account=..., partition=..., qos=..., name=..., state=..., cut=yes or after=TIME";
	const char *word = take_value(in, "=,; \t", err);
	if (!word)
		return err->status;
	const int subject = index_of(subjects, word);
	if (subject < 0 || *in->lex.p != '=')
		return fail_word(in, word, subjects, "what jobs are chosen by", form, err);
	if (clause->term_count == TERMS_MAX)
		return sl_fail(
			err, SL_USAGE, "%s: more than %d conditions: split it by ';'", in->key, TERMS_MAX);
	struct term *term = &clause->term[clause->term_count++];
	*term = (struct term){ .subject = (enum subject)subject, .similar = SL_NONE };
	const size_t most = sl_lex_most(&in->lex, ';');
	term->value = sl_alloc(in->arena, most, sizeof(*term->value));
	if (!term->value)
		return sl_fail_memory(err);
	do {
		in->lex.p++;
		const char *value = take_value(in, "|,; \t", err);
		if (!value)
			return err->status;
		if (!*value || term->value_count == most)
			return sl_fail(err, SL_USAGE,
				"%s: '%s=' has no value: give one, or several apart by '|'", in->key, word);
		term->value[term->value_count++] = value;
	} while (*in->lex.p == '|');
	if (term->subject != SUBJECT_AFTER)
		return SL_OK;
	if (clause->after || term->value_count > 1 || strcmp(in->key, "replay.drop") != 0)
		return sl_fail(err, SL_USAGE,
			"%s: 'after=TIME' is for replay.drop, one in a clause and with one time", in->key);
	clause->after = term->value[0];
	return SL_OK;
}

static int fail_value(
	const struct text *in, const char *key, const char *value, const char *form, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "%s: '%s' cannot be '%.60s': give %s", in->key, key, value, form);
}

/* The value as what it is counted in: times in microseconds, memory in MiB, counts. */
static int read_number(const struct text *in, struct change *change, struct sl_err *err)
{
	const char *key = changes[change->what];
	const char *text = change->text;
	const size_t len = text ? strlen(text) : 0;
	const sl_time most = INT64_MAX / 4;
	change->number = SL_NONE;
	if (change->relative)
		return sl_get_micro(text, len, &change->number) && change->number > 0 &&
				       change->number <= 1000 * SL_SECOND
			       ? SL_OK
			       : fail_value(in, key, text, "a factor such as limit*0.5, up to 1000", err);
	switch (change->what) {
	case CHANGE_RUN:
	case CHANGE_LIMIT:
	case CHANGE_BEGIN:
		if (!text)
			return change->what == CHANGE_RUN
				       ? fail_value(in, key, "none", "a duration such as 2h", err)
				       : SL_OK;
		return sl_get_duration(text, len, &change->number) && change->number < most &&
				       change->number >= (change->what != CHANGE_BEGIN)
			       ? SL_OK
			       : fail_value(in, key, text, "a duration such as 8h or 90m", err);
	case CHANGE_NICE:
		return text && sl_get_i64(text, len, &change->number) && change->number > -most &&
				       change->number < most
			       ? SL_OK
			       : fail_value(in, key, text ? text : "none", "a whole number", err);
	case CHANGE_CPUS:
	case CHANGE_GPUS:
	case CHANGE_NODES:
	case CHANGE_TASKS:
		return text && sl_get_i64(text, len, &change->number) &&
				       change->number >= (change->what == CHANGE_GPUS ? 0 : 1) &&
				       change->number <= INT32_MAX
			       ? SL_OK
			       : fail_value(in, key, text ? text : "none", "a whole number", err);
	case CHANGE_MEM:
		return text && sl_get_memory(text, len, true, &change->number) && change->number < MEM_MAX
			       ? SL_OK
			       : fail_value(in, key, text ? text : "none", "a size such as 16G", err);
	case CHANGE_HOLD:
		return text && (strcmp(text, "yes") == 0 || strcmp(text, "no") == 0)
			       ? SL_OK
			       : fail_value(in, key, text ? text : "none", "yes or no", err);
	default:
		break;
	}
	const enum option_kind kind =
		change->what < CHANGE_OPTIONS ? OPTION_WORD : options[change->what - CHANGE_OPTIONS].kind;
	if (!text || kind == OPTION_WORD)
		return SL_OK;
	const bool good = kind == OPTION_MEMORY ? sl_get_memory(text, len, true, &change->number) &&
							  change->number < MEM_MAX
						: sl_get_i64(text, len, &change->number) &&
							  change->number > 0 && change->number <= INT32_MAX;
	return good ? SL_OK
		    : fail_value(in, key, text,
			      kind == OPTION_MEMORY ? "a size such as 16G" : "a whole number", err);
}

/* "limit=8h", "limit*0.5" */
static int read_change(struct text *in, struct clause *clause, struct sl_err *err)
{
	static const char form[] =
		"limit=8h, limit*0.5, run=, partition=, account=, qos=, nice=, begin=, dependency=, hold=, "
		"cpus=, gpus=, mem=, nodes=, tasks=, or another option of sbatch";
	const char *word = take_value(in, "=*; \t", err);
	if (!word)
		return err->status;
	const int what = index_of(changes, word);
	if (what < 0 || (*in->lex.p != '=' && *in->lex.p != '*'))
		return fail_word(in, word, changes, "what can be changed of a job", form, err);
	if (clause->change_count == TERMS_MAX)
		return sl_fail(
			err, SL_USAGE, "%s: more than %d changes: split it by ';'", in->key, TERMS_MAX);
	struct change *change = &clause->change[clause->change_count++];
	*change = (struct change){ .what = what, .relative = *in->lex.p == '*' };
	if (change->relative && what != CHANGE_LIMIT && what != CHANGE_RUN)
		return sl_fail(err, SL_USAGE, "%s: '%s*' is nothing that has a factor: give %s=VALUE",
			in->key, word, word);
	in->lex.p++;
	change->text = take_value(in, "; \t", err);
	if (!change->text)
		return err->status;
	if (strcmp(change->text, "none") == 0)
		change->text = NULL;
	return read_number(in, change, err);
}

static int read_clause(struct text *in, struct clause *clause, bool drop, struct sl_err *err)
{
	const char *begin = in->lex.p;
	int status = SL_OK;
	do {
		in->lex.p += clause->term_count > 0;
		status = read_term(in, clause, err);
	} while (!status && *in->lex.p == ',');
	(void)sl_lex_peek(&in->lex);
	while (!status && *in->lex.p && *in->lex.p != ';') {
		if (drop)
			return sl_fail(err, SL_USAGE,
				"%s: '%.60s' is too much: conditions are apart by ',' alone, clauses by ';'",
				in->key, in->lex.p);
		status = read_change(in, clause, err);
		(void)sl_lex_peek(&in->lex);
	}
	if (status)
		return status;
	clause->text = sl_strdup(in->arena, begin, (size_t)(in->lex.p - begin));
	if (!clause->text)
		return sl_fail_memory(err);
	if (!drop && !clause->change_count)
		return sl_fail(err, SL_USAGE,
			"%s: '%.60s' changes nothing: give what is to be otherwise, as in 'job=17 limit=8h'",
			in->key, clause->text);
	return SL_OK;
}

static int read_clauses(struct text *in, struct clause **clause, size_t *count, bool drop, struct sl_err *err)
{
	size_t capacity = 0;
	int status = SL_OK;
	for ((void)sl_lex_peek(&in->lex); *in->lex.p && !status; (void)sl_lex_peek(&in->lex)) {
		if (*in->lex.p == ';') {
			in->lex.p++;
			continue;
		}
		status = SL_GROW_MOST(*clause, capacity, *count + 1, CLAUSES_MAX, err);
		if (status)
			return status;
		(*clause)[*count] = (struct clause){ 0 };
		status = read_clause(in, &(*clause)[(*count)++], drop, err);
	}
	if (!status && !*count)
		return sl_fail(err, SL_USAGE, "%s: says nothing: give for instance user=alice,partition=gpu",
			in->key);
	return status;
}

int changes_parse(struct loading *loading, struct sl_err *err)
{
	struct scenario *scenario = loading->scenario;
	const char *drop = scenario->replay[REPLAY_DROP].text;
	const char *change = scenario->replay[REPLAY_CHANGE].text;
	if (!drop && !change)
		return SL_OK;
	struct changing *changing = loading->changing = calloc(1, sizeof(*changing));
	if (!changing)
		return sl_fail_memory(err);
	changing->arena = scenario->arena;
	int status = SL_OK;
	if (drop)
		status = read_clauses(&(struct text){ "replay.drop", { drop, drop }, scenario->arena },
			&changing->drop, &changing->drop_count, true, err);
	if (!status && change)
		status = read_clauses(&(struct text){ "replay.change", { change, change }, scenario->arena },
			&changing->change, &changing->change_count, false, err);
	return status;
}

/* ---- Who is meant ------------------------------------------------------------------------------- */

static const char *scenario_change_number_text(char buffer[32], int64_t number)
{
	if (number < 0)
		return NULL;
	*sl_put_i64(buffer, number) = '\0';
	return buffer;
}

/* SWF's field 11; a dated log's own word. */
static const char *scenario_change_state_of(const struct sl_row *row)
{
	const struct sl_job_attributes *job = row->more ? row->more->job : NULL;
	if (job && job->state_recorded != SL_PENDING)
		return sl_state_name(job->state_recorded);
	switch (row->col[SL_COL_STATUS]) {
	case 0:
		return sl_state_name(SL_FAILED);
	case 1:
		return sl_state_name(SL_COMPLETED);
	case 5:
		return sl_state_name(SL_CANCELLED);
	default:
		return NULL;
	}
}

/* As the log has it; of one that records no such end: it ran just as long as its limit. */
static bool was_cut(const struct sl_row *row)
{
	const struct sl_job_attributes *job = row->more ? row->more->job : NULL;
	if (job && job->state_recorded != SL_PENDING)
		return job->state_recorded == SL_TIMEOUT;
	return row->col[SL_COL_LIMIT] > 0 && row->col[SL_COL_RUN] == row->col[SL_COL_LIMIT];
}

/* Its words for that; NULL: it says nothing. */
static const char *scenario_change_word_of(const struct sl_row *row, enum subject subject, char buffer[32])
{
	static const struct sl_row_attributes nothing;
	const struct sl_row_attributes *more = row->more ? row->more : &nothing;
	const struct sl_job_attributes *job = more->job;
	switch (subject) {
	case SUBJECT_JOB:
		return more->id ? more->id : scenario_change_number_text(buffer, row->col[SL_COL_ID]);
	case SUBJECT_USER:
		return more->user ? more->user : scenario_change_number_text(buffer, row->col[SL_COL_USER]);
	case SUBJECT_ACCOUNT:
		return more->account ? more->account
				     : scenario_change_number_text(buffer, row->col[SL_COL_GROUP]);
	case SUBJECT_PARTITION:
		return more->partition ? more->partition
				       : scenario_change_number_text(buffer, row->col[SL_COL_PARTITION]);
	case SUBJECT_QOS:
		return job ? job->qos : NULL;
	case SUBJECT_NAME:
		return job ? job->name : NULL;
	case SUBJECT_CUT:
		return was_cut(row) ? "yes" : "no";
	case SUBJECT_STATE:
	case SUBJECT_AFTER:
	case SUBJECT_COUNT:
		break;
	}
	return scenario_change_state_of(row);
}

/* A task by "5_2", and by its array's number. */
static bool is_task(const struct sl_row *row, const char *value)
{
	const struct sl_job_attributes *job = row->more ? row->more->job : NULL;
	if (!job || job->array == SL_NONE || job->array_task == SL_NONE)
		return false;
	const char *under = strchr(value, '_');
	int64_t array, task;
	if (!sl_get_i64(value, under ? (size_t)(under - value) : strlen(value), &array) ||
		array != job->array)
		return false;
	return !under || (sl_get_i64(under + 1, strlen(under + 1), &task) && task == job->array_task);
}

/* For "did you mean": names seen, or the closest number. */
static int term_sees(struct term *term, const struct sl_row *row, const char *word, struct sl_arena *arena,
	struct sl_err *err)
{
	int64_t wanted;
	uint32_t number;
	const int64_t id = row->col[SL_COL_ID];
	if (term->subject == SUBJECT_JOB && sl_get_i64(term->value[0], strlen(term->value[0]), &wanted) &&
		wanted >= 0 && id >= 0) {
		if (term->similar == SL_NONE || llabs(id - wanted) < llabs(term->similar - wanted))
			term->similar = id;
		return SL_OK;
	}
	return term->count || !word || term->seen.count >= SEEN_MAX
		       ? SL_OK
		       : names_add(&term->seen, arena, word, strlen(word), &number, err);
}

static int term_holds(
	struct term *term, const struct sl_row *row, struct sl_arena *arena, bool *holds, struct sl_err *err)
{
	char buffer[32];
	const char *word = scenario_change_word_of(row, term->subject, buffer);
	*holds = false;
	for (size_t i = 0; i < term->value_count && !*holds; i++)
		*holds = (word && strcmp(word, term->value[i]) == 0) ||
			 (term->subject == SUBJECT_JOB && is_task(row, term->value[i]));
	term->count += *holds;
	return *holds ? SL_OK : term_sees(term, row, word, arena, err);
}

static int clause_holds(struct clause *clause, const struct sl_row *row, struct sl_arena *arena, bool *holds,
	struct sl_err *err)
{
	int status = SL_OK;
	*holds = true;
	for (size_t i = 0; i < clause->term_count && !status; i++) {
		bool one;
		if (clause->term[i].subject == SUBJECT_AFTER) /* Known when all are in order. */
			continue;
		status = term_holds(&clause->term[i], row, arena, &one, err);
		*holds &= one;
	}
	clause->count += *holds;
	return status;
}

/* ---- What is otherwise ------------------------------------------------------------------------------ */

static int fail_row(const struct loading *loading, const struct clause *clause, const struct sl_row *row,
	const char *why, struct sl_err *err)
{
	const struct sl_place at = { loading->file, row->line, 0 };
	(void)sl_fail_at(err, &at, "replay.change '%.80s': %s", clause->text, why);
	err->status = SL_USAGE;
	return SL_USAGE;
}

/* What it says of itself, to be written to. */
static struct sl_job_attributes *scenario_change_job_of(struct changing *changing)
{
	if (!changing->more.job) {
		changing->job = (struct sl_job_attributes){ SL_JOB_ATTRIBUTES_NONE, .priority = SL_NONE };
		changing->more.job = &changing->job;
	}
	return &changing->job;
}

/* A name, or a number where the row has numbers. */
static void set_named(const char **name, int64_t *number, const char *text)
{
	if (!*name && text && sl_get_i64(text, strlen(text), number))
		return;
	*name = text;
	*number = SL_NONE;
}

static void set_partition(struct changing *changing, const char *text)
{
	set_named(&changing->more.partition, &changing->row.col[SL_COL_PARTITION], text);
	for (size_t i = 0; i < changing->more.desc_count; i++)
		changing->desc[i].partition = text;
}

/* One task requests so much; of several there are so many that it comes out even. */
static const char *set_amount(struct sl_row_group *group, int64_t *each, int64_t total)
{
	const int64_t parts = group->parts > 1 ? group->parts : 1;
	if (*each <= 0 || *each == SL_NONE || group->tasks <= 1) {
		*each = total * parts;
		return NULL;
	}
	if (total * parts % *each)
		return "its tasks do not come out even: each asks more than that, or a part of it; give tasks=N";
	group->tasks = total * parts / *each;
	group->tasks_min = group->tasks_max = SL_NONE;
	return group->tasks ? NULL : "no task would be left";
}

static const char *set_groups(struct changing *changing, const struct change *change)
{
	struct sl_row_group *group = changing->group;
	if (changing->more.group_count > 1)
		return "the job has several groups of tasks: which one is meant cannot be said";
	switch (change->what) {
	case CHANGE_CPUS:
		return set_amount(group, &group->cpus, change->number);
	case CHANGE_GPUS:
		if (change->number && (group->mig || group->gpu_mem > 0))
			return "it asks parts of a GPU, not a number";
		return set_amount(group, &group->gpus, change->number);
	case CHANGE_MEM:
		group->mem = change->number;
		return NULL;
	case CHANGE_NODES:
		group->nodes_min = group->nodes_max = change->number;
		return NULL;
	default:
		group->tasks = change->number;
		group->tasks_min = group->tasks_max = SL_NONE;
		return NULL;
	}
}

/* "a100:2" with another number. */
static bool put_typed(struct changing *changing, const char *type, const char *count, const char **text)
{
	const size_t len = strcspn(type, ":=");
	const size_t capacity = len + strlen(count) + 2;
	char *typed = sl_alloc(changing->arena, capacity, 1);
	if (typed)
		(void)snprintf(typed, capacity, "%.*s:%s", (int)len, type, count);
	*text = typed;
	return typed;
}

/* In place of the GPUs as requested: so many in all, of the same type. */
static const char *desc_gpus(struct changing *changing, struct sl_job_desc *desc, const struct change *change)
{
	const char *const asked[] = { desc->gpus, desc->gpus_per_node, desc->gpus_per_task,
		desc->gpus_per_socket };
	const char *type = NULL;
	for (size_t i = 0; i < SL_LEN(asked) && !type; i++)
		if (asked[i] && asked[i][0] && strchr(asked[i], ':'))
			type = asked[i];
	if (desc->gres && strncmp(desc->gres, "gpu", 3) == 0) {
		if (strchr(desc->gres, ','))
			return "its gres has more than GPUs: give gres=...";
		type = strchr(desc->gres, ':') != strrchr(desc->gres, ':') ? strchr(desc->gres, ':') + 1
									   : type;
		desc->gres = NULL;
	}
	desc->gpus_per_node = desc->gpus_per_task = desc->gpus_per_socket = NULL;
	desc->gpus = change->number ? change->text : NULL;
	if (!type || !change->number)
		return NULL;
	return put_typed(changing, type, change->text, &desc->gpus) ? NULL : "no memory";
}

static void set_option(struct sl_job_desc *desc, const struct change *change)
{
	char *place = (char *)desc + options[change->what - CHANGE_OPTIONS].place;
	if (options[change->what - CHANGE_OPTIONS].kind == OPTION_WORD)
		memcpy(place, &change->text, sizeof(change->text));
	else
		memcpy(place, &change->number, sizeof(change->number));
}

static const char *set_desc(struct changing *changing, const struct change *change)
{
	struct sl_job_desc *desc = changing->desc;
	const int64_t each = desc->cpus_per_task > 0 ? desc->cpus_per_task : 1;
	if (changing->more.desc_count > 1)
		return "the job has several components: which one is meant cannot be said";
	switch (change->what) {
	case CHANGE_CPUS:
		if (change->number % each)
			return "its tasks do not come out even: give tasks=N, or cpus-per-task=N";
		desc->tasks = change->number / each;
		return NULL;
	case CHANGE_GPUS:
		return desc_gpus(changing, desc, change);
	case CHANGE_MEM:
		desc->mem_per_cpu = desc->mem_per_gpu = SL_NONE;
		desc->mem_per_node = change->number;
		return NULL;
	case CHANGE_NODES:
		desc->nodes_min = desc->nodes_max = change->number;
		return NULL;
	case CHANGE_TASKS:
		desc->tasks = change->number;
		return NULL;
	default:
		set_option(desc, change);
		return NULL;
	}
}

/* A row of SWF: so many cpus. */
static const char *set_size(struct changing *changing, const struct change *change)
{
	int64_t *col = changing->row.col;
	if (change->what == CHANGE_MEM) {
		col[SL_COL_REQ_MEM] = change->number * 1024;
		return NULL;
	}
	if (change->what != CHANGE_CPUS && change->what != CHANGE_TASKS)
		return "the trace says only of how many cpus its jobs are: give cpus=N";
	col[SL_COL_CPUS] = col[SL_COL_REQ_CPUS] = change->number;
	return NULL;
}

static const char *set_asked(struct changing *changing, const struct change *change)
{
	if (changing->more.desc_count)
		return set_desc(changing, change);
	if (change->what >= CHANGE_OPTIONS)
		return "that is of jobs whose trace has Slurm's own words";
	return changing->more.group_count ? set_groups(changing, change) : set_size(changing, change);
}

static const char *set_time(int64_t *col, const struct change *change, bool limit)
{
	if (!change->relative) {
		*col = change->number == SL_NONE ? -1 : change->number;
		return NULL;
	}
	if (*col <= 0)
		return limit ? "the trace gives it no limit of which that could be a part: give limit=TIME"
			     : "the trace does not say how long it ran: give run=TIME";
	if (*col > INT64_MAX / 4)
		return "it has no limit of which that could be a part: give limit=TIME";
	const __int128 scaled = (__int128)*col * change->number / SL_SECOND;
	if (scaled > INT64_MAX / 4)
		return limit ? "its limit would be longer than time is counted: give limit=TIME"
			     : "it would run for longer than time is counted: give run=TIME";
	*col = scaled ? (int64_t)scaled : 1;
	return NULL;
}

/* NULL, or why not. */
static const char *set_one(struct changing *changing, const struct change *change)
{
	int64_t *col = changing->row.col;
	switch (change->what) {
	case CHANGE_LIMIT:
		return set_time(&col[SL_COL_LIMIT], change, true);
	case CHANGE_RUN:
		return set_time(&col[SL_COL_RUN], change, false);
	case CHANGE_PARTITION:
		set_partition(changing, change->text);
		return NULL;
	case CHANGE_ACCOUNT:
		set_named(&changing->more.account, &col[SL_COL_GROUP], change->text);
		return NULL;
	case CHANGE_QOS:
		scenario_change_job_of(changing)->qos = change->text;
		return NULL;
	case CHANGE_NICE:
		scenario_change_job_of(changing)->nice = change->number;
		return NULL;
	case CHANGE_BEGIN:
		scenario_change_job_of(changing)->begin =
			change->text ? col[SL_COL_SUBMIT] + change->number : SL_NONE;
		return NULL;
	case CHANGE_DEPENDENCY:
		scenario_change_job_of(changing)->dependency = change->text;
		return NULL;
	case CHANGE_HOLD:
		scenario_change_job_of(changing)->held = strcmp(change->text, "yes") == 0;
		return NULL;
	default:
		return set_asked(changing, change);
	}
}

/* A copy of all that may be written to. */
static int copy_row(struct changing *changing, const struct sl_row *row, struct sl_err *err)
{
	changing->row = *row;
	changing->more = row->more ? *row->more : (struct sl_row_attributes){ 0 };
	changing->row.more = &changing->more;
	struct sl_row_attributes *more = &changing->more;
	int status = SL_GROW_MOST(
		changing->group, changing->group_capacity, more->group_count + 1, GROUPS_MAX, err);
	if (!status)
		status = SL_GROW_MOST(
			changing->desc, changing->desc_capacity, more->desc_count + 1, GROUPS_MAX, err);
	if (status)
		return status;
	if (more->group_count)
		memcpy(changing->group, more->group, more->group_count * sizeof(*changing->group));
	if (more->desc_count)
		memcpy(changing->desc, more->desc, more->desc_count * sizeof(*changing->desc));
	more->group = more->group_count ? changing->group : NULL;
	more->desc = more->desc_count ? changing->desc : NULL;
	if (more->job) {
		changing->job = *more->job;
		more->job = &changing->job;
	}
	return SL_OK;
}

int changes_apply(struct loading *loading, const struct sl_row **row, int64_t id, struct sl_err *err)
{
	struct changing *changing = loading->changing;
	struct sl_arena *arena = loading->scenario->arena;
	const struct sl_row *was = *row;
	bool holds;
	bool fresh;
	int status = SL_OK;
	for (size_t i = 0; i < changing->drop_count && !status; i++) {
		struct clause *clause = &changing->drop[i];
		status = clause_holds(clause, was, arena, &holds, err);
		if (!status && holds && id != SL_NONE)
			status = intset_add(
				clause->after ? &clause->some : &changing->dropped, id, &fresh, err);
		if (holds && !changing->drop_line)
			changing->drop_line = was->line;
	}
	for (size_t i = 0; i < changing->change_count && !status; i++) {
		struct clause *clause = &changing->change[i];
		status = clause_holds(clause, was, arena, &holds, err);
		if (status || !holds)
			continue;
		if (*row == was)
			status = copy_row(changing, was, err);
		*row = &changing->row;
		for (size_t k = 0; k < clause->change_count && !status; k++) {
			const char *why = set_one(changing, &clause->change[k]);
			status = why ? fail_row(loading, clause, was, why, err) : SL_OK;
		}
		if (!status && id != SL_NONE)
			status = intset_add(&changing->changed, id, &fresh, err);
		if (!changing->change_line)
			changing->change_line = was->line;
	}
	return status;
}

/* ---- What came of it --------------------------------------------------------------------------------- */

/* A condition that held for no job: what would have. */
static int fail_term(const char *key, const struct term *term, struct sl_arena *arena, struct sl_err *err)
{
	char similar[128];
	char number[32];
	const char *word = subjects[term->subject];
	const char **known = sl_alloc(arena, term->seen.count + 2, sizeof(*known));
	const char *nearest =
		term->similar != SL_NONE ? scenario_change_number_text(number, term->similar) : NULL;
	if (!known)
		return sl_fail_memory(err);
	if (term->seen.count)
		memcpy(known, term->seen.text, term->seen.count * sizeof(*known));
	if (!nearest)
		nearest = sl_nearest(term->value[0], known);
	if (term->similar != SL_NONE)
		return sl_fail(err, SL_USAGE, "%s: there is no job %s in the trace: the nearest is %s", key,
			term->value[0], nearest);
	return sl_fail(err, SL_USAGE, "%s: no job of the trace has %s '%.60s': %sgive one that is there", key,
		word, term->value[0], did_you_mean(similar, nearest));
}

static int check_met(const char *key, const struct clause *clause, size_t count, struct sl_arena *arena,
	struct sl_err *err)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < clause[i].term_count; k++)
			if (!clause[i].term[k].count && clause[i].term[k].subject != SUBJECT_AFTER)
				return fail_term(key, &clause[i].term[k], arena, err);
		if (!clause[i].count)
			return sl_fail(err, SL_USAGE,
				"%s: no job of the trace is all of '%.80s' at once: leave a condition out",
				key, clause[i].text);
	}
	return SL_OK;
}

static bool stays(void *self, uint32_t row)
{
	const struct loading *loading = self;
	const struct changing *changing = loading->changing;
	const int64_t id = column_i64(loading->scenario->columns, COLUMN_ID)[row];
	const sl_time submit = column_i64(loading->scenario->columns, COLUMN_SUBMIT)[row];
	bool gone = intset_has(&changing->dropped, id);
	for (size_t i = 0; i < changing->drop_count && !gone; i++)
		gone = changing->drop[i].after && submit > changing->drop[i].later_than &&
		       intset_has(&changing->drop[i].some, id);
	return !gone;
}

static int times_settle(struct loading *loading, struct sl_err *err)
{
	struct changing *changing = loading->changing;
	int status = SL_OK;
	for (size_t i = 0; i < changing->drop_count && !status; i++)
		if (changing->drop[i].after)
			status = time_point(loading->scenario, "replay.drop: after", changing->drop[i].after,
				&changing->drop[i].later_than, err);
	return status;
}

int changes_finish(struct loading *loading, struct sl_err *err)
{
	struct changing *changing = loading->changing;
	struct columns *columns = loading->scenario->columns;
	struct sl_arena *arena = loading->scenario->arena;
	if (!changing)
		return SL_OK;
	int status = check_met("replay.drop", changing->drop, changing->drop_count, arena, err);
	if (!status)
		status = check_met("replay.change", changing->change, changing->change_count, arena, err);
	if (!status)
		status = times_settle(loading, err);
	if (status)
		return status;
	uint64_t changed = 0;
	const uint32_t before = columns->count;
	if (changing->drop_count)
		status = columns_keep(columns, stays, loading, err);
	for (uint32_t row = 0; row < columns->count; row++)
		changed += intset_has(&changing->changed, column_i64(columns, COLUMN_ID)[row]);
	cleaning_report(loading, CAUSE_LEFT_OUT, before - columns->count, changing->drop_line);
	cleaning_report(loading, CAUSE_CHANGED, changed, changing->change_line);
	return !status && !columns->count ? cleaning_fail_nothing(loading, err) : status;
}

static void clauses_free(struct clause *clause, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < clause[i].term_count; k++)
			names_release(&clause[i].term[k].seen);
		intset_release(&clause[i].some);
	}
	free(clause);
}

void changes_free(struct changing *changing)
{
	if (!changing)
		return;
	clauses_free(changing->drop, changing->drop_count);
	clauses_free(changing->change, changing->change_count);
	intset_release(&changing->dropped);
	intset_release(&changing->changed);
	free(changing->group);
	free(changing->desc);
	free(changing);
}
