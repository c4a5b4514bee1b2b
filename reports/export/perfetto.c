/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perfetto.c - runs as a trace of Perfetto (ui.perfetto.dev): a process a run, a track a cpu of a pool or a
 * lane of a node, a slice a job, counters of what is busy and what waits, an instant a preemption.
 *
 * Protocol buffers, by the field numbers of Perfetto's protos/perfetto/trace/ (trace.proto,
 * trace_packet.proto, track_event/). Slices on one track never overlap: a job of many cpus of a pool is one
 * slice, on its first. Times are nanoseconds since the trace's zero; where a run began before it, since its
 * first start. Packets of a track are in order of time, an end before the start at the same instant.
 */
#include "reports/export/export.h"

#include <stdlib.h>
#include <string.h>

/* ---- Protocol buffers ----------------------------------------------------------------- */

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

static void put_varint(struct export_bytes *to, uint64_t value)
{
	char text[10];
	size_t length = 0;
	for (; value >= 0x80; value >>= 7)
		text[length++] = (char)(value | 0x80);
	text[length++] = (char)value;
	export_put(to, text, length);
}

static void perfetto_put_number(struct export_bytes *to, unsigned field, uint64_t value)
{
	put_varint(to, field << 3 | WIRE_VARINT);
	put_varint(to, value);
}

static void put_double(struct export_bytes *to, unsigned field, double value)
{
	uint64_t bits;
	char text[8];
	memcpy(&bits, &value, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		text[i] = (char)(bits >> 8 * i);
	put_varint(to, field << 3 | WIRE_FIXED64);
	export_put(to, text, sizeof(text));
}

static void perfetto_put_text(struct export_bytes *to, unsigned field, const char *text)
{
	put_varint(to, field << 3 | WIRE_BYTES);
	put_varint(to, strlen(text));
	export_put(to, text, strlen(text));
}

/* A message within: what was put since it was opened gets its length before it. */
static size_t open_message(struct export_bytes *to, unsigned field)
{
	put_varint(to, field << 3 | WIRE_BYTES);
	return to->length;
}

static void close_message(struct export_bytes *to, size_t from)
{
	const size_t length = to->length - from;
	const size_t end = to->length;
	put_varint(to, length);
	if (to->failed)
		return;
	char size[10];
	const size_t width = to->length - end;
	memcpy(size, to->data + end, width);
	memmove(to->data + from + width, to->data + from, length);
	memcpy(to->data + from, size, width);
}

/* ---- Packets ------------------------------------------------------------------------------ */

enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13 };
enum { PACKET_TRACK = 60 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { TRACK_ORDERING = 11, TRACK_RANK = 12, ORDERING_EXPLICIT = 3 };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6, COUNTER_UNIT_NAME = 6 };
enum { EVENT_NOTE = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_COUNT = 30, EVENT_REAL = 44 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { NOTE_NAME = 1, NOTE_INT = 4, NOTE_REAL = 5, NOTE_TEXT = 6, INTERNED_NOTES = 3 };

/* What is said of a slice, by numbered name. */
enum note {
	NOTE_USER = 1,
	NOTE_ACCOUNT,
	NOTE_PARTITION,
	NOTE_SUBMIT,
	NOTE_WAIT,
	NOTE_CPUS,
	NOTE_GPUS,
	NOTE_STATE,
	NOTE_ATTEMPT_LAST,
	NOTES
};
static const char *const note_name[NOTES] = { NULL, "user", "account", "partition", "submit_s", "wait_s",
	"cpus", "gpus", "state", "last_attempt" };

/* Tracks of a run beside its rows. */
enum counter { COUNT_CPUS, COUNT_GPUS, COUNT_RUNNING, COUNT_QUEUED, COUNT_CPUS_QUEUED, COUNTERS };
static const struct {
	const char *name, *unit;
} counter_of[COUNTERS] = { { "cpus busy", "%" }, { "gpus busy", "%" }, { "jobs running", "jobs" },
	{ "jobs queued", "jobs" }, { "cpus queued", "cpus" } };
enum { RANK_COUNTERS = 0, RANK_PREEMPTIONS = COUNTERS, RANK_ROWS };

struct trace {
	struct export_bytes bytes;
	uint32_t runs, runs_most;
	/* Of the run that is being added: */
	const struct sl_result *result;
	sl_time zero;
	uint32_t *lanes; /* By row: so many of its lanes have a track. */
	uint32_t rows;
	int status; /* Of what failed below a callback. */
};

/* Tracks are numbered over all runs, small numbers first: each event has one. Rows of nodes are as many as
 * there are; rows of a pool have one lane. */
enum { KIND_PROCESS, KIND_COUNTER, KIND_PREEMPTIONS, KIND_ROW, KINDS };
static uint64_t track_uuid(const struct trace *trace, unsigned kind, uint32_t row, uint32_t lane)
{
	const uint64_t place =
		export_on_nodes(trace->result) && kind == KIND_ROW
			? (uint64_t)lane * (trace->result->cluster->node_count + UINT64_C(1)) + row
			: row;
	return (place * KINDS + kind) * trace->runs_most + trace->runs + 1;
}

static size_t open_packet(struct trace *trace, unsigned flags)
{
	struct export_bytes *to = &trace->bytes;
	const size_t packet = open_message(to, TRACE_PACKET);
	perfetto_put_number(to, PACKET_SEQUENCE, 1);
	perfetto_put_number(to, PACKET_FLAGS, flags);
	return packet;
}

static void put_notes_names(struct trace *trace)
{
	const size_t packet = open_packet(trace, FLAG_CLEARED | FLAG_NEEDED);
	const size_t interned = open_message(&trace->bytes, PACKET_INTERNED);
	for (unsigned i = 1; i < NOTES; i++) {
		const size_t entry = open_message(&trace->bytes, INTERNED_NOTES);
		perfetto_put_number(&trace->bytes, 1, i);
		perfetto_put_text(&trace->bytes, 2, note_name[i]);
		close_message(&trace->bytes, entry);
	}
	close_message(&trace->bytes, interned);
	close_message(&trace->bytes, packet);
}

/* A track below the run's own; unit: of a counter, else NULL. */
static void put_track(struct trace *trace, uint64_t uuid, const char *name, uint32_t rank, const char *unit)
{
	struct export_bytes *to = &trace->bytes;
	const size_t packet = open_packet(trace, FLAG_NEEDED);
	const size_t track = open_message(to, PACKET_TRACK);
	perfetto_put_number(to, TRACK_UUID, uuid);
	perfetto_put_text(to, TRACK_NAME, name);
	perfetto_put_number(to, TRACK_PARENT, track_uuid(trace, KIND_PROCESS, 0, 0));
	if (unit) {
		const size_t counter = open_message(to, TRACK_COUNTER);
		perfetto_put_text(to, COUNTER_UNIT_NAME, unit);
		close_message(to, counter);
	}
	perfetto_put_number(to, TRACK_RANK, rank);
	close_message(to, track);
	close_message(to, packet);
}

static void put_process(struct trace *trace, const char *name)
{
	struct export_bytes *to = &trace->bytes;
	const size_t packet = open_packet(trace, FLAG_NEEDED);
	const size_t track = open_message(to, PACKET_TRACK);
	perfetto_put_number(to, TRACK_UUID, track_uuid(trace, KIND_PROCESS, 0, 0));
	const size_t process = open_message(to, TRACK_PROCESS);
	perfetto_put_number(to, PROCESS_PID, trace->runs + 1);
	perfetto_put_text(to, PROCESS_COMMAND, "schedlab");
	perfetto_put_text(to, PROCESS_NAME, name);
	close_message(to, process);
	perfetto_put_number(to, TRACK_ORDERING, ORDERING_EXPLICIT);
	close_message(to, track);
	close_message(to, packet);
}

/* An event's packet up to what is its own; closed by close_event. */
struct event {
	size_t packet, event;
};
static struct event open_event(struct trace *trace, unsigned type, uint64_t track, sl_time at)
{
	struct event event = { .packet = open_packet(trace, FLAG_NEEDED) };
	perfetto_put_number(&trace->bytes, PACKET_TIME, (uint64_t)(at - trace->zero) * 1000);
	event.event = open_message(&trace->bytes, PACKET_EVENT);
	perfetto_put_number(&trace->bytes, EVENT_TYPE, type);
	perfetto_put_number(&trace->bytes, EVENT_TRACK, track);
	return event;
}

static void close_event(struct trace *trace, struct event event)
{
	close_message(&trace->bytes, event.event);
	close_message(&trace->bytes, event.packet);
}

/* ---- Slices ------------------------------------------------------------------------------- */

static void note_text(struct trace *trace, enum note note, const char *const *names, int32_t number)
{
	char *text = export_name(names, number);
	if (!text)
		return;
	const size_t at = open_message(&trace->bytes, EVENT_NOTE);
	perfetto_put_number(&trace->bytes, NOTE_NAME, note);
	perfetto_put_text(&trace->bytes, NOTE_TEXT, text);
	close_message(&trace->bytes, at);
	free(text);
}

static void note_real(struct trace *trace, enum note note, double value)
{
	const size_t at = open_message(&trace->bytes, EVENT_NOTE);
	perfetto_put_number(&trace->bytes, NOTE_NAME, note);
	put_double(&trace->bytes, NOTE_REAL, value);
	close_message(&trace->bytes, at);
}

static void note_amount(struct trace *trace, enum note note, int64_t amount, int64_t parts)
{
	if (parts > 1) {
		note_real(trace, note, (double)amount / (double)parts);
		return;
	}
	const size_t at = open_message(&trace->bytes, EVENT_NOTE);
	perfetto_put_number(&trace->bytes, NOTE_NAME, note);
	perfetto_put_number(&trace->bytes, NOTE_INT, (uint64_t)amount);
	close_message(&trace->bytes, at);
}

static void put_notes(struct trace *trace, const struct export_bar *bar)
{
	const struct sl_result *result = trace->result;
	const struct sl_jobs *jobs = result->jobs;
	const struct sl_cluster *cluster = result->cluster;
	const uint32_t job = bar->of.job;
	note_text(trace, NOTE_USER, jobs->user_name, jobs->user[job]);
	note_text(trace, NOTE_ACCOUNT, jobs->account_name, jobs->account[job]);
	note_text(trace, NOTE_PARTITION, jobs->partition_name, jobs->partition[job]);
	note_real(trace, NOTE_SUBMIT, (double)jobs->submit[job] / 1e6);
	note_real(trace, NOTE_WAIT, (double)(result->start[job] - jobs->submit[job]) / 1e6);
	note_amount(trace, NOTE_CPUS, sl_cpus_of(result, job), cluster ? sl_parts(cluster->cpu_parts) : 1);
	if (sl_gpus_of(result, job))
		note_amount(trace, NOTE_GPUS, sl_gpus_of(result, job),
			cluster ? sl_parts(cluster->gpu_parts) : 1);
	const char *const state[] = { sl_state_name(
		bar->of.preempted ? SL_PREEMPTED : sl_state_reported(result, job)) };
	note_text(trace, NOTE_STATE, state, 0);
}

/* A track appears where its first slice begins: tracks of rows that nobody used are not there. */
static void need_track(struct trace *trace, const struct export_bar *bar)
{
	const uint32_t row = bar->row;
	if (bar->lane < trace->lanes[row])
		return;
	trace->lanes[row] = bar->lane + 1;
	const bool nodes = /* A policy makes nodes of processors, which have no names. */
		export_on_nodes(trace->result) && trace->result->cluster->node_name;
	char *node = nodes ? export_clean(row < trace->rows - 1 ? trace->result->cluster->node_name[row]
								: "nodes not recorded",
				     0)
			   : NULL;
	struct export_bytes name = { 0 };
	char number[32];
	export_put(&name, nodes && node ? node : "cpu ", nodes && node ? strlen(node) : 4);
	if (!nodes)
		export_put(&name, number, (size_t)(sl_put_i64(number, row) - number));
	if (bar->lane) {
		export_put(&name, " (", 2);
		export_put(&name, number, (size_t)(sl_put_i64(number, bar->lane + INT64_C(1)) - number));
		export_put(&name, ")", 1);
	}
	export_put(&name, "", 1);
	if (name.failed || (nodes && !node))
		trace->bytes.failed = true;
	else
		put_track(
			trace, track_uuid(trace, KIND_ROW, row, bar->lane), name.data, RANK_ROWS + row, NULL);
	export_bytes_free(&name);
	free(node);
}

/* Rows beyond the pool's cpus: where jobs are suspended, others run beside them. */
static bool need_rows(struct trace *trace, uint32_t rows)
{
	if (rows <= trace->rows)
		return true;
	if (SL_RESIZE(trace->lanes, (size_t)rows + 64, NULL)) {
		trace->bytes.failed = true;
		return false;
	}
	memset(trace->lanes + trace->rows, 0, ((size_t)rows + 64 - trace->rows) * sizeof(*trace->lanes));
	trace->rows = rows + 64;
	return true;
}

static void put_slice(void *self, const struct export_bar *bar)
{
	struct trace *trace = self;
	const bool first_of_pool = !export_on_nodes(trace->result) && bar->part;
	if (first_of_pool || trace->bytes.failed || !need_rows(trace, bar->row + 1))
		return;
	need_track(trace, bar);
	const uint64_t track = track_uuid(trace, KIND_ROW, bar->row, bar->lane);
	char *id = export_id(trace->result->jobs, bar->of.job);
	if (!id) {
		trace->bytes.failed = true;
		return;
	}
	const struct event begin = open_event(trace, TYPE_BEGIN, track, bar->of.from);
	perfetto_put_text(&trace->bytes, EVENT_NAME, id);
	put_notes(trace, bar);
	close_event(trace, begin);
	close_event(trace, open_event(trace, TYPE_END, track, bar->of.until));
	free(id);
}

static int by_end(const void *left, const void *right)
{
	const struct sl_attempt *a = left;
	const struct sl_attempt *b = right;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->job != b->job ? (a->job < b->job ? -1 : 1) : (a->start > b->start) - (a->start < b->start);
}

static void put_preemption(struct trace *trace, const struct sl_attempt *attempt, uint64_t track)
{
	char *id = export_id(trace->result->jobs, attempt->job);
	const struct event event = open_event(trace, TYPE_INSTANT, track, attempt->end);
	perfetto_put_text(&trace->bytes, EVENT_NAME, id ? id : "");
	note_real(trace, NOTE_SUBMIT, (double)trace->result->jobs->submit[attempt->job] / 1e6);
	close_event(trace, event);
	trace->bytes.failed |= !id;
	free(id);
}

static void put_preemptions(struct trace *trace)
{
	const struct sl_result *result = trace->result;
	const uint64_t track = track_uuid(trace, KIND_PREEMPTIONS, 0, 0);
	struct sl_attempt *found = calloc(result->attempt_count + 1, sizeof(*found));
	size_t count = 0;
	trace->bytes.failed |= !found;
	for (size_t i = 0; found && i < result->attempt_count; i++)
		if (result->attempts[i].state == SL_PREEMPTED)
			found[count++] = result->attempts[i];
	if (count) {
		qsort(found, count, sizeof(*found), by_end);
		put_track(trace, track, "preemptions", RANK_PREEMPTIONS, NULL);
	}
	for (size_t i = 0; i < count && !trace->bytes.failed; i++)
		put_preemption(trace, &found[i], track);
	free(found);
}

/* ---- Counters ------------------------------------------------------------------------------ */

static void put_counters(struct trace *trace)
{
	const struct sl_result *result = trace->result;
	const int64_t gpus = export_on_nodes(result) ? result->cluster->gpus : 0;
	const int64_t whole[COUNTERS] = { [COUNT_CPUS] = result->cpus, [COUNT_GPUS] = gpus };
	int64_t before[COUNTERS] = { -1, -1, -1, -1, -1 };
	for (unsigned i = 0; i < COUNTERS; i++)
		if (i != COUNT_GPUS || gpus)
			put_track(trace, track_uuid(trace, KIND_COUNTER, i, 0), counter_of[i].name,
				RANK_COUNTERS + i, counter_of[i].unit);
	const double cpu = result->cluster ? (double)sl_parts(result->cluster->cpu_parts) : 1;
	struct sl_usage_reader reader = { .result = result };
	for (size_t i = 0; i < result->usage_count; i++) {
		const struct sl_usage_point held = *sl_usage_at(&reader, i);
		const struct sl_usage_point *point = &held;
		if (i + 1 < result->usage_count && sl_usage_at(&reader, i + 1)->at == point->at)
			continue;
		const int64_t now[COUNTERS] = { point->cpus_busy, point->gpus_busy, point->running,
			point->queued, point->cpus_queued };
		for (unsigned j = 0; j < COUNTERS; j++) {
			if (now[j] == before[j] || (j == COUNT_GPUS && !gpus))
				continue;
			before[j] = now[j];
			const struct event event = open_event(
				trace, TYPE_COUNTER, track_uuid(trace, KIND_COUNTER, j, 0), point->at);
			if (whole[j])
				put_double(
					&trace->bytes, EVENT_REAL, 100 * (double)now[j] / (double)whole[j]);
			else if (j == COUNT_CPUS_QUEUED)
				put_double(&trace->bytes, EVENT_REAL, (double)now[j] / cpu);
			else
				perfetto_put_number(&trace->bytes, EVENT_COUNT, (uint64_t)now[j]);
			close_event(trace, event);
		}
	}
}

/* ---- The document --------------------------------------------------------------------------- */

static int trace_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	*self = trace;
	if (!trace)
		return sl_fail_memory(err);
	trace->runs_most = options->runs ? options->runs : UINT16_MAX;
	put_notes_names(trace);
	return SL_OK;
}

/* No time of a trace is before its zero. */
static sl_time zero_of(const struct sl_result *result)
{
	sl_time zero = result->first < 0 ? result->first : 0;
	for (uint32_t job = 0; job < result->jobs->count; job++)
		if (result->start[job] != SL_NONE && result->start[job] < zero)
			zero = result->start[job];
	struct sl_usage_reader reader = { .result = result };
	if (result->usage_count && sl_usage_at(&reader, 0)->at < zero)
		zero = sl_usage_at(&reader, 0)->at;
	return zero;
}

static int trace_add(void *self, const struct sl_document_run *reported, struct sl_err *err)
{
	struct trace *trace = self;
	trace->result = reported->result;
	trace->zero = zero_of(reported->result);
	trace->rows = 0;
	char *label = export_clean(reported->label, 0);
	/* One row more than nodes: see export_bars. */
	if (!label || !need_rows(trace, 1)) {
		free(label);
		return sl_fail_memory(err);
	}
	if (export_on_nodes(reported->result) && need_rows(trace, reported->result->cluster->node_count + 1))
		trace->rows = reported->result->cluster->node_count + 1;
	put_process(trace, label);
	free(label);
	put_counters(trace);
	int status = export_bars(reported->result, put_slice, trace, err);
	put_preemptions(trace);
	free(trace->lanes);
	trace->lanes = NULL;
	trace->runs++;
	if (!status && trace->bytes.failed)
		status = sl_fail_memory(err);
	return status;
}

static int trace_write(void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	(void)compared;
	(void)err;
	const struct trace *trace = self;
	export_send(&trace->bytes, out);
	return SL_OK;
}

static void trace_close(void *self)
{
	struct trace *trace = self;
	if (!trace)
		return;
	export_bytes_free(&trace->bytes);
	free(trace->lanes);
	free(trace);
}

const struct sl_document export_perfetto = { .abi = SL_ABI_OF(struct sl_document),
	.name = "perfetto",
	.summary = "a trace for Perfetto's viewer (ui.perfetto.dev): a track a cpu or node, a slice a job",
	.file = "trace.perfetto",
	.binary = true,
	.open = trace_open,
	.add = trace_add,
	.write = trace_write,
	.close = trace_close };
