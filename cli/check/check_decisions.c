/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_decisions.c - what a baseline's runs decided, kept beside it, and the first decision that is another
 * now.
 *
 * Digests say that two runs differ; to say where, the decisions of the earlier one must be there, which only
 * the earlier program can make. `--update` keeps them: of each run what was done to which job when (starts,
 * preemptions, resumptions, changes of size, ends by the policy), by which rule, and a hash of where. In
 * columns of varints, packed by zstd: two to four bytes a job. The file is optional, and bounded: runs with
 * more decisions than RUN_MAX are left out, and then the first of the digests after each 2^16 events that
 * differs is what can be said.
 *
 * The order within an instant is nobody's outcome, so decisions of one instant are sorted by job, and those
 * that are in both runs are skipped.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "cli/check/check.h"

enum { RUN_MAX = 2000000, RUNS_MAX = 1 << 20, FILE_MAX = 256 << 20 };

static const char schema[] = "schedlab.decisions/1\n";

struct decision {
	sl_time at;
	uint32_t job, place; /* place: a hash of nodes; 0: not known. */
	uint8_t decision, how, rule;
};

struct check_decisions {
	struct decision *list;
	size_t count;
};

/* One run of the file. */
struct kept {
	const char *id;
	uint64_t run, digest;
	struct check_decisions decisions;
};
struct check_record {
	struct kept *run;
	size_t count, capacity;
	const char *text; /* As it was read. */
	size_t len;
};

/* ---- From a result ------------------------------------------------------------------------ */

static int check_decisions_by_time(const void *a, const void *b)
{
	const struct decision *left = a;
	const struct decision *right = b;
	if (left->at != right->at)
		return left->at < right->at ? -1 : 1;
	if (left->job != right->job)
		return left->job < right->job ? -1 : 1;
	if (left->decision != right->decision)
		return left->decision < right->decision ? -1 : 1;
	if (left->how != right->how)
		return left->how < right->how ? -1 : 1;
	return (left->place > right->place) - (left->place < right->place);
}

/* FNV-1a over the node allocations, folded; of a job's last start, which is what a result has. */
static uint32_t check_decisions_place_of(const struct sl_result *result, uint32_t job)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	if (!result->place || !result->place_count[job])
		return 0;
	for (uint32_t i = 0; i < result->place_count[job]; i++) {
		const struct sl_node_tasks *alloc = &result->place[result->place_first[job] + i];
		const uint64_t what = (uint64_t)alloc->node << 32 | (alloc->tasks ^ alloc->devices << 16);
		hash = (hash ^ what) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	const uint32_t folded = (uint32_t)(hash ^ hash >> 32);
	return folded ? folded : 1;
}

struct check_decisions *check_decisions_of(const struct sl_result *result, struct sl_arena *arena)
{
	size_t count = 0;
	for (size_t i = 0; i < result->decision_count; i++)
		count += result->decision[i].decision != SL_DECISION_PLAN;
	struct check_decisions *to = count <= RUN_MAX ? sl_alloc(arena, 1, sizeof(*to)) : NULL;
	struct decision *list = to ? sl_alloc(arena, count + 1, sizeof(*list)) : NULL;
	if (!list)
		return NULL;
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sl_decision *from = &result->decision[i];
		if (from->decision == SL_DECISION_PLAN)
			continue;
		const struct sl_attempt *attempt;
		const size_t attempts = sl_attempts_of(result, from->job, &attempt);
		const bool last = from->decision == SL_DECISION_START &&
				  (!attempts || attempt[attempts - 1].start == from->at);
		list[to->count++] = (struct decision){ .at = from->at,
			.job = from->job,
			.decision = from->decision,
			.how = from->decision == SL_DECISION_PREEMPT || from->decision == SL_DECISION_END
				       ? from->how
				       : 0,
			.rule = from->rule,
			.place = last ? check_decisions_place_of(result, from->job) : 0 };
	}
	if (to->count)
		qsort(list, to->count, sizeof(*list), check_decisions_by_time);
	to->list = list;
	return to;
}

/* ---- In and out ---------------------------------------------------------------------------- */

struct bytes {
	char *text;
	size_t len, capacity;
	bool failed;
};

static void put_bytes(struct bytes *out, const void *text, size_t len)
{
	struct sl_err ignored = { 0 };
	if (out->failed || SL_GROW_MOST(out->text, out->capacity, out->len + len, FILE_MAX, &ignored)) {
		out->failed = true;
		return;
	}
	memcpy(out->text + out->len, text, len);
	out->len += len;
}

static void check_decisions_put_number(struct bytes *out, uint64_t number)
{
	char text[10];
	size_t len = 0;
	for (; number >= 0x80; number >>= 7)
		text[len++] = (char)(number | 0x80);
	text[len++] = (char)number;
	put_bytes(out, text, len);
}

static uint64_t zigzag(int64_t number) { return (uint64_t)number << 1 ^ (uint64_t)(number >> 63); }
static int64_t unzigzag(uint64_t number) { return (int64_t)(number >> 1) ^ -(int64_t)(number & 1); }

struct source {
	const unsigned char *at, *end;
	bool failed;
};

static uint64_t get_number(struct source *in)
{
	uint64_t number = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (in->at == in->end)
			break;
		const unsigned char byte = *in->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	in->failed = true;
	return 0;
}

/* The columns, each whole: like stands by like. Times count in seconds where all are whole ones. */
enum column { COL_AT, COL_JOB, COL_WHAT, COL_RULE, COL_PLACE, COLUMNS };

static uint64_t check_decisions_column_of(
	const struct check_decisions *from, size_t i, int64_t tick, enum column column)
{
	const struct decision *this = &from->list[i];
	const struct decision none = { 0 };
	const struct decision *before = i ? &from->list[i - 1] : &none;
	switch (column) {
	case COL_AT:
		return zigzag(this->at / tick - before->at / tick);
	case COL_JOB:
		return zigzag((int64_t)this->job - before->job);
	case COL_WHAT:
		return (uint64_t)this->decision | (uint64_t)this->how << 3;
	case COL_RULE:
		return this->rule;
	case COL_PLACE:
	case COLUMNS:
		break;
	}
	return this->place;
}

static void put_run(
	struct bytes *out, const char *id, uint64_t run, uint64_t digest, const struct check_decisions *from)
{
	int64_t tick = SL_SECOND;
	for (size_t i = 0; i < from->count; i++)
		if (from->list[i].at % SL_SECOND)
			tick = 1;
	check_decisions_put_number(out, strlen(id));
	put_bytes(out, id, strlen(id));
	check_decisions_put_number(out, run);
	check_decisions_put_number(out, digest);
	check_decisions_put_number(out, (uint64_t)tick);
	check_decisions_put_number(out, from->count);
	for (enum column column = COL_AT; column < COLUMNS; column++)
		for (size_t i = 0; i < from->count; i++)
			check_decisions_put_number(out, check_decisions_column_of(from, i, tick, column));
}

static void take_column(struct decision *list, size_t i, int64_t tick, enum column column, uint64_t number)
{
	const struct decision none = { 0 };
	const struct decision *before = i ? &list[i - 1] : &none;
	switch (column) {
	case COL_AT: /* Unsigned, so that no file can make it overflow. */
		list[i].at = (sl_time)((uint64_t)before->at + (uint64_t)unzigzag(number) * (uint64_t)tick);
		break;
	case COL_JOB:
		list[i].job = (uint32_t)(before->job + (uint64_t)unzigzag(number));
		break;
	case COL_WHAT:
		list[i].decision = number & 7;
		list[i].how = (uint8_t)(number >> 3);
		break;
	case COL_RULE:
		list[i].rule = number < SL_RULE_COUNT ? (uint8_t)number : SL_RULE_NONE;
		break;
	case COL_PLACE:
	case COLUMNS:
		list[i].place = (uint32_t)number;
		break;
	}
}

static bool get_run(struct source *in, struct kept *run, struct sl_arena *arena)
{
	const uint64_t len = get_number(in);
	if (in->failed || len > (uint64_t)(in->end - in->at))
		return false;
	run->id = sl_strdup(arena, (const char *)in->at, len);
	in->at += len;
	run->run = get_number(in);
	run->digest = get_number(in);
	const int64_t tick = get_number(in) == SL_SECOND ? SL_SECOND : 1;
	const uint64_t count = get_number(in);
	/* At least a byte each: what the file says of itself is not believed beyond that. */
	if (in->failed || count > RUN_MAX || count * COLUMNS > (uint64_t)(in->end - in->at) || !run->id)
		return false;
	struct decision *list = sl_alloc(arena, count + 1, sizeof(*list));
	for (enum column column = COL_AT; list && column < COLUMNS; column++)
		for (size_t i = 0; i < count; i++)
			take_column(list, i, tick, column, get_number(in));
	run->decisions = (struct check_decisions){ list, count };
	return list && !in->failed;
}

/* ---- The file --------------------------------------------------------------------------------- */

/* Where they are kept: the baseline's path with .decisions.zst for its end. */
static const char *check_record_path(const struct check *check)
{
	static const char ending[] = ".decisions.zst";
	const char *file = check->baseline.file;
	const size_t len = strlen(file);
	const size_t stem = len > 5 && strcmp(file + len - 5, ".json") == 0 ? len - 5 : len;
	char *path = sl_alloc(check->arena, stem + sizeof(ending), 1);
	if (path) {
		memcpy(path, file, stem);
		memcpy(path + stem, ending, sizeof(ending));
	}
	return path;
}

static int read_record(
	struct check *check, const char *path, const char *text, size_t len, struct sl_err *err)
{
	struct check_record *record = check->record;
	const char *copy = len <= FILE_MAX ? sl_strdup(check->arena, text, len) : NULL;
	struct source in = { (const unsigned char *)copy + sizeof(schema) - 1,
		(const unsigned char *)copy + len, false };
	if (!copy || len < sizeof(schema) - 1 || memcmp(copy, schema, sizeof(schema) - 1) != 0)
		return sl_fail(err, SL_INPUT,
			"%s: is not what a baseline's decisions are kept in: remove it, or 'schedlab check --update' makes it anew",
			path);
	record->text = copy;
	record->len = len;
	while (in.at < in.end) {
		if (SL_GROW_IN(check->arena, record->run, record->capacity, record->count + 1, err))
			return SL_SYSTEM;
		if (record->count == RUNS_MAX || !get_run(&in, &record->run[record->count], check->arena))
			return sl_fail(err, SL_INPUT,
				"%s: is cut or damaged: remove it, or 'schedlab check --update' makes it anew",
				path);
		record->count++;
	}
	return SL_OK;
}

int check_record_read(struct check *check, struct sl_err *err)
{
	const char *path = check_record_path(check);
	struct sl_input *in;
	const char *text;
	const char *end;
	check->record = sl_alloc(check->arena, 1, sizeof(*check->record));
	if (!path || !check->record)
		return sl_fail_memory(err);
	if (strcmp(check->baseline.file, "-") == 0 || access(path, F_OK) != 0)
		return SL_OK;
	int status = sl_input_open(&in, path, err);
	if (!status) {
		status = sl_input_all(in, &text, &end, err);
		if (status >= 0)
			status = read_record(check, path, text, (size_t)(end - text), err);
		sl_input_close(in);
	}
	if (check->update && status == SL_INPUT) { /* It is about to be rewritten. */
		*check->record = (struct check_record){ 0 };
		*err = (struct sl_err){ 0 };
		return SL_OK;
	}
	return status < 0 ? status : SL_OK;
}

static const struct check_decisions *kept_of(
	const struct check_record *record, const char *id, uint64_t run, uint64_t digest)
{
	for (size_t i = 0; record && i < record->count; i++)
		if (record->run[i].run == run && record->run[i].digest == digest &&
			strcmp(record->run[i].id, id) == 0)
			return &record->run[i].decisions;
	return NULL;
}

int check_record_take(struct check *check, struct sl_err *err)
{
	size_t count = 0;
	for (size_t i = 0; i < check->baseline.count; i++)
		count += check->item[i].done ? check->item[i].runs : 0;
	struct check_record *record = check->record;
	*record = (struct check_record){ .run = sl_alloc(check->arena, count + 1, sizeof(*record->run)) };
	if (!record->run)
		return sl_fail_memory(err);
	for (size_t i = 0; i < check->baseline.count; i++)
		for (size_t run = 0; check->item[i].done && run < check->item[i].runs; run++) {
			const struct check_found *found = &check->item[i].found[run];
			if (found->decisions)
				record->run[record->count++] = (struct kept){ check->baseline.item[i].id, run,
					found->digest, *found->decisions };
		}
	return SL_OK;
}

/* Of cases that were not run now, what was kept of them. */
static void put_case(const struct check *check, const struct check_case *item, const struct baseline_case *of,
	struct bytes *out)
{
	for (size_t i = 0; item->done && i < item->runs; i++)
		if (item->found[i].decisions)
			put_run(out, of->id, i, item->found[i].digest, item->found[i].decisions);
	for (size_t i = 0; !item->done && i < of->result.count; i++) {
		const struct check_decisions *kept = kept_of(check->record, of->id, i, of->result.digest[i]);
		if (kept)
			put_run(out, of->id, i, of->result.digest[i], kept);
	}
}

static int write_packed(const char *path, const struct bytes *plain, struct sl_err *err)
{
	enum { LEVEL = 19, STEP = 1 << 15 };
	const size_t bound = ZSTD_compressBound(plain->len);
	char *packed = malloc(bound);
	struct sl_out *out = NULL;
	if (!packed)
		return sl_fail_memory(err);
	const size_t len = ZSTD_compress(packed, bound, plain->text, plain->len, LEVEL);
	if (ZSTD_isError(len)) {
		free(packed);
		return sl_fail(err, SL_SYSTEM, "cannot pack '%s': %s", path, ZSTD_getErrorName(len));
	}
	const int status = sl_out_open(&out, path, err);
	for (size_t at = 0; !status && at < len; at += STEP) {
		const size_t part = len - at < STEP ? len - at : STEP;
		char *space = sl_out_reserve(out, part);
		memcpy(space, packed + at, part);
		sl_out_advance(out, space + part);
	}
	free(packed);
	return status ? status : sl_out_commit(out, err);
}

int check_record_write(struct check *check, struct sl_err *err)
{
	const char *path = check_record_path(check);
	struct bytes plain = { 0 };
	put_bytes(&plain, schema, sizeof(schema) - 1);
	for (size_t i = 0; i < check->baseline.count; i++)
		put_case(check, &check->item[i], &check->baseline.item[i], &plain);
	const struct check_record *was = check->record;
	int status = SL_OK;
	if (!path || plain.failed)
		status = sl_fail(err, SL_SYSTEM,
			"the decisions are too many to be kept, or memory is out: --no-decisions leaves them out");
	else if (!was || was->len != plain.len || memcmp(was->text, plain.text, plain.len) != 0)
		status = write_packed(path, &plain, err); /* Equal content stays as another zstd packed it. */
	free(plain.text);
	return status;
}

/* ---- The first that differs -------------------------------------------------------------------- */

enum { NAME_MAX_DISPLAYED = 60 };

/* A text of the trace is one word here, on one line: it goes into logs that look for commands in them. */
static const char *job_name(char buffer[64], const struct sl_jobs *jobs, uint32_t job)
{
	if (job >= jobs->count)
		return "?";
	if (!jobs->id_name || !jobs->id_name[job]) {
		*sl_put_i64(buffer, jobs->id[job]) = '\0';
		return buffer;
	}
	const char *id = jobs->id_name[job];
	size_t len = strnlen(id, NAME_MAX_DISPLAYED);
	while (id[len] && len && ((unsigned char)id[len] & 0xc0) == 0x80)
		len--; /* Whole characters. */
	for (size_t i = 0; i < len; i++)
		buffer[i] = (char)((unsigned char)id[i] < ' ' || id[i] == 0x7f ? '?' : id[i]);
	buffer[len] = '\0';
	return buffer;
}

/* "start (backfill)", "preemption", "end (TIMEOUT)" */
static const char *deed(char buffer[64], const struct decision *decision)
{
	static const char *const preempted[] = { "requeued", "checkpointed", "suspended", "cancelled" };
	static const char *const done[] = { "start", "preemption", "resumption", "change of size", "end" };
	const char *what = decision->decision < SL_LEN(done) ? done[decision->decision] : "?";
	const char *how = decision->rule ? sl_rule_name((enum sl_rule)decision->rule) : NULL;
	if (decision->decision == SL_DECISION_PREEMPT && decision->how < SL_LEN(preempted))
		what = preempted[decision->how];
	if (decision->decision == SL_DECISION_END && decision->how < SL_STATE_COUNT)
		how = sl_state_name((enum sl_state)decision->how);
	(void)snprintf(buffer, 64, how ? "%s (%s)" : "%s", what, how);
	return buffer;
}

/* How it is with the job after everything at that time: "pending: Resources". */
static const char *standing(char buffer[64], const struct sl_result *result, uint32_t job, sl_time at)
{
	sl_time from;
	sl_time until;
	for (size_t i = 0; sl_wait_interval(result, job, i, &from, &until); i++) {
		enum sl_reason reason = result->reason_default;
		if (at < from || (at >= until && until != SL_NONE && result->last > until))
			continue;
		for (size_t k = 0; k < result->reason_count; k++)
			if (result->reasons[k].job == job && result->reasons[k].at <= at)
				reason = (enum sl_reason)result->reasons[k].reason;
		(void)snprintf(buffer, 64, "pending: %s", sl_reason_name(reason));
		return buffer;
	}
	if (result->jobs->submit[job] > at)
		return "not submitted";
	return result->start[job] != SL_NONE && (result->end[job] == SL_NONE || result->end[job] > at)
		       ? "running"
		       : "ended";
}

/* Of a start that was not the job's last the nodes are not known, and are not compared. */
static bool is_same(const struct decision *a, const struct decision *b)
{
	struct decision other = *b;
	other.place = a->place && b->place ? b->place : a->place;
	return check_decisions_by_time(a, &other) == 0;
}

/* The first of the job from then on in the earlier run. */
static const struct decision *next_of(
	const struct check_decisions *in, size_t from, uint32_t job, uint8_t decision)
{
	for (size_t i = from; i < in->count; i++)
		if (in->list[i].job == job && in->list[i].decision == decision)
			return &in->list[i];
	return NULL;
}

static const char *nodes_text(char buffer[64], const struct sl_result *result, uint32_t job)
{
	size_t used = 0;
	buffer[0] = '\0';
	for (uint32_t i = 0; result->place && i < result->place_count[job] && used < 40; i++)
		used += (size_t)snprintf(buffer + used, 64 - used, "%s%u", i ? "," : "",
			result->place[result->place_first[job] + i].node);
	return buffer;
}

/* The earlier run at `was`, the later at `is`; the earlier of these two decisions is the one that the other
 * run did not make. */
static void check_decisions_report(char *text, size_t capacity, const struct sl_result *result,
	const struct check_decisions *before, size_t was, const struct decision *is)
{
	const struct decision *old = was < before->count ? &before->list[was] : NULL;
	const bool theirs = old && (!is || check_decisions_by_time(old, is) < 0);
	const struct decision *first = theirs ? old : is;
	SL_CHECK(first); /* One of the two goes on. */
	char number[48];
	char name[64];
	char decision[64];
	char other[64];
	const uint32_t job = first->job;
	int used = snprintf(text, capacity, "t=%s s job %.60s (",
		screen_number(number, first->at, first->at % SL_SECOND ? 6 : 0),
		job_name(name, result->jobs, job));
	const size_t left = capacity - (size_t)used;
	if (old && is && old->at == is->at && old->job == is->job && old->decision == is->decision &&
		old->how == is->how) {
		(void)snprintf(text + used, left, "%s, now on other nodes: %s)", deed(decision, is),
			nodes_text(other, result, job));
		return;
	}
	if (theirs) {
		(void)snprintf(text + used, left, "was %s, now %s)", deed(decision, old),
			standing(other, result, job, old->at));
		return;
	}
	const struct decision *later = next_of(before, was, job, is->decision);
	(void)snprintf(other, sizeof(other), "%s",
		later ? screen_number(number, later->at, later->at % SL_SECOND ? 6 : 0) : "");
	(void)snprintf(text + used, left, "now %s, was %s%s%s)", deed(decision, is),
		later ? "only at t=" : "never", other, later ? " s" : "");
}

static const char *by_digests(
	const struct check *check, const struct baseline_case *of, const struct sl_result *result)
{
	size_t same = 0;
	while (same < of->digests.count && same < result->digest_count &&
		of->digests.digest[same] == result->digests[same])
		same++;
	const char *text =
		!of->digests.count
			? "not known: no decisions of that run are kept beside the baseline (--update keeps them)"
			: text_made(check->arena,
				  "among events %zu to %zu; no decisions of that run are kept beside the baseline, to say more",
				  (same << 16) + 1, (same + 1) << 16);
	return text ? text : "not known";
}

const char *check_divergence(
	const struct check *check, const struct baseline_case *of, size_t run, const struct sl_result *result)
{
	enum { CAPACITY = 400 };
	const struct check_decisions *before = kept_of(check->record, of->id, run, of->result.digest[run]);
	const struct check_decisions *now = before ? check_decisions_of(result, check->arena) : NULL;
	char *text = sl_alloc(check->arena, CAPACITY, 1);
	size_t i = 0;
	if (!before || !now || !text)
		return by_digests(check, of, result);
	while (i < before->count && i < now->count && is_same(&before->list[i], &now->list[i]))
		i++;
	if (i == before->count && i == now->count)
		return "of no decision: jobs came or ended at other times, or in another order";
	for (size_t k = i; k < before->count; k++)
		if (before->list[k].job >= result->jobs->count)
			return by_digests(check, of, result);
	check_decisions_report(text, CAPACITY, result, before, i, i < now->count ? &now->list[i] : NULL);
	return text;
}
