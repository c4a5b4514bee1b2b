/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * external.c - policy `external`: a program of the user's decides, called once with all events since its
 * last call. schedlab-external(7) has the lines.
 *
 * Whether its decisions are reproducible is the program's matter; so they can be kept (record=), and
 * replayed without it (replay=), with the same digest. A pass that --check reruns is answered from memory.
 *
 * Batsim (Dutot et al., JSSPP 2015) separates simulator and decision process likewise, with other messages.
 */
#include <stdlib.h>
#include <string.h>

#include "policies/external/external.h"

enum { STARTS_MAX = 1 << 22 };

struct external {
	const struct sl_jobs *jobs;
	const struct sl_cluster *cluster;
	struct external_talk talk;
	bool running; /* The program is there. */
	bool failed;
	struct external_text events; /* Since it was asked last: "{...},{...}". */
	struct external_text refused;
	struct external_text kept; /* record=: "{...},\n{...}" */
	const char *record;
	/* The last answer, and the pass that it was for. */
	uint64_t pass;
	uint32_t *start;
	size_t start_count, start_capacity;
	sl_time wake; /* SL_NEVER: none. */
	/* replay= */
	const struct sl_doc *replay;
	const struct sl_doc_node *next;
	uint64_t next_pass; /* UINT64_MAX: there is no more. */
};

static void external_fail(struct external *external, struct sl_pass *pass, const struct sl_err *err)
{
	external->failed = true;
	sl_fail_run(pass, err);
}

/* ---- What happened ---------------------------------------------------------------------------------- */

static void external_put_job(struct external *external, struct sl_pass *pass, sl_job job)
{
	struct external_text *to = &external->events;
	const struct sl_jobs *jobs = external->jobs;
	const uint32_t row = job.row;
	const sl_time estimate = sl_estimate_of(pass, job);
	if (jobs->id_name && jobs->id_name[row])
		external_put_string(to, ",\"id\":", jobs->id_name[row]);
	else
		external_put_number(to, ",\"id\":", jobs->id[row]);
	external_put_time(to, ",\"submit\":", jobs->submit[row]);
	external_put_number(to, ",\"size\":", jobs->size[row]);
	external_put_time(to, ",\"limit\":", jobs->limit[row]);
	external_put_time(to, ",\"estimate\":", estimate);
	external_put_number(to, ",\"user\":", jobs->user[row]);
	external_put_number(to, ",\"account\":", jobs->account[row]);
	external_put_number(to, ",\"partition\":", jobs->partition[row]);
	if (!jobs->request)
		return;
	const struct sl_request *request = &jobs->requests[jobs->request[row]];
	external_put_number(to, ",\"cpus\":", request->cpus);
	external_put_number(to, ",\"gpus\":", request->gpus);
	external_put_number(to, ",\"memory\":", request->mem);
	external_put_number(to, ",\"tasks\":", request->group[0].tasks);
}

static void on_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct external *external = state;
	struct external_text *to = &external->events;
	const char *type = event->class == SL_EV_SUBMIT       ? "submit"
			   : event->class == SL_EV_JOB_END    ? "end"
			   : event->class == SL_EV_TIME_LIMIT ? "end"
			   : event->class == SL_EV_CANCEL     ? "end"
			   : event->class == SL_EV_MODEL      ? "again"
			   : event->class == SL_EV_NODE_DOWN  ? "node_down"
			   : event->class == SL_EV_NODE_UP    ? "node_up"
			   : event->class == SL_EV_TIMER      ? "timer"
							      : NULL;
	if (!type)
		return;
	external_put_string(to, to->len ? ",{\"type\":" : "{\"type\":", type);
	external_put_time(to, ",\"time\":", event->time);
	if (event->class == SL_EV_NODE_DOWN || event->class == SL_EV_NODE_UP) {
		external_put_number(to, ",\"node\":", event->row);
	} else if (event->class != SL_EV_TIMER) {
		const sl_job job = { event->row };
		external_put_number(to, ",\"job\":", event->row);
		if (event->class == SL_EV_SUBMIT)
			external_put_job(external, pass, job);
		else
			external_put_string(to, ",\"state\":", sl_state_name(sl_state_of(pass, job)));
	}
	external_put(to, "}");
}

/* ---- Answers --------------------------------------------------------------------------------- */

static int bad(struct sl_err *err, const char *line, size_t len, const char *what)
{
	return sl_fail(err, SL_POLICY, "external: %s, in the answer '%.*s'", what,
		(int)(len < 120 ? len : 120), line);
}

/* {"start":[3,5],"wake":120.5} */
static int take_answer(
	struct external *external, const struct sl_doc *doc, const struct sl_doc_node *map, const char **what)
{
	const struct sl_doc_node *start = sl_doc_member(doc, map, "start");
	const struct sl_doc_node *wake = sl_doc_member(doc, map, "wake");
	external->start_count = 0;
	external->wake = SL_NEVER;
	*what = "'start' must be a list of rows of jobs";
	if (map->kind != SL_DOC_MAP || (start && start->kind != SL_DOC_LIST))
		return SL_POLICY;
	if (start && start->count > external->start_capacity) {
		if (start->count > STARTS_MAX)
			return SL_POLICY;
		if (SL_RESIZE(external->start, start->count, NULL))
			return SL_SYSTEM;
		external->start_capacity = start->count;
	}
	for (const struct sl_doc_node *item = start ? sl_doc_child(doc, start) : NULL; item;
		item = sl_doc_next(doc, item)) {
		const char *text = doc->text + item->text;
		int64_t row;
		if (item->kind != SL_DOC_TEXT || !sl_get_i64(text, strlen(text), &row) || row < 0 ||
			row >= external->jobs->count)
			return SL_POLICY;
		external->start[external->start_count++] = (uint32_t)row;
	}
	*what = "'wake' must be a time in seconds";
	if (wake && (wake->kind != SL_DOC_TEXT || !sl_get_micro(doc->text + wake->text,
							  strlen(doc->text + wake->text), &external->wake)))
		return SL_POLICY;
	return SL_OK;
}

static void keep_answer(struct external *external)
{
	struct external_text *to = &external->kept;
	if (!external->record || (!external->start_count && external->wake == SL_NEVER))
		return;
	external_put_number(to, to->len ? ",\n{\"pass\":" : "{\"pass\":", (int64_t)external->pass);
	external_put(to, ",\"start\":[");
	for (size_t i = 0; i < external->start_count; i++)
		external_put_number(to, i ? "," : "", external->start[i]);
	external_put(to, "]");
	if (external->wake != SL_NEVER)
		external_put_time(to, ",\"wake\":", external->wake);
	external_put(to, "}");
}

static int parse_answer(struct external *external, const char *line, size_t len, struct sl_err *err)
{
	struct sl_doc doc = { .file = "the answer" };
	struct sl_err why = { 0 };
	const char *what = "no JSON object";
	/* The document wants a zero behind it. */
	char *text = malloc(len + 64);
	if (!text)
		return sl_fail_memory(err);
	memcpy(text, line, len);
	memset(text + len, 0, 64);
	int status = sl_doc_read_json(&doc, text, len, &why) || !doc.count ? SL_POLICY : SL_OK;
	if (!status)
		status = take_answer(external, &doc, &doc.node[0], &what);
	else
		what = why.status ? why.text : what;
	if (status)
		status = bad(err, line, len, what);
	sl_doc_release(&doc);
	free(text);
	return status;
}

static void put_free(struct external_text *to, const struct sl_cluster *cluster, const struct sl_pass *pass)
{
	external_put_number(to, ",\"free\":{\"cpus\":", sl_free(pass, SL_KIND_CPUS));
	int64_t gpus = 0;
	for (uint32_t kind = SL_KIND_GPUS; cluster->node_count && kind < cluster->kind_count; kind++)
		gpus += sl_free(pass, kind);
	if (cluster->node_count)
		external_put_number(to, ",\"gpus\":", gpus);
	external_put(to, "}");
}

static int query(struct external *external, struct sl_pass *pass, struct sl_err *err)
{
	struct external_text line = { 0 };
	const char *answer;
	size_t len;
	external_put_number(&line, "{\"pass\":", (int64_t)external->pass);
	external_put_time(&line, ",\"now\":", sl_now(pass));
	put_free(&line, external->cluster, pass);
	external_put_number(&line, ",\"waiting\":", sl_queue_count(pass));
	external_put(&line, ",\"refused\":[");
	external_put(&line, external->refused.len ? external->refused.text : "");
	external_put(&line, "],\"events\":[");
	external_put(&line, external->events.len ? external->events.text : "");
	external_put(&line, "]}\n");
	external->events.len = external->refused.len = 0;
	int status = line.failed || external->events.failed
			     ? sl_fail_memory(err)
			     : external_say(&external->talk, line.text, line.len, err);
	free(line.text);
	if (!status)
		status = external_hear(&external->talk, &answer, &len, err);
	if (!status)
		status = parse_answer(external, answer, len, err);
	if (!status)
		keep_answer(external);
	return status;
}

/* ---- What was decided before ----------------------------------------------------------------- */

static void replay_next(struct external *external)
{
	const struct sl_doc *doc = external->replay;
	external->next_pass = UINT64_MAX;
	if (!external->next)
		return;
	const struct sl_doc_node *number = sl_doc_member(doc, external->next, "pass");
	int64_t pass;
	if (number && number->kind == SL_DOC_TEXT &&
		sl_get_i64(doc->text + number->text, strlen(doc->text + number->text), &pass) && pass >= 0)
		external->next_pass = (uint64_t)pass;
}

static int replay(struct external *external, struct sl_err *err)
{
	const char *what;
	external->start_count = 0;
	external->wake = SL_NEVER;
	if (external->next_pass != external->pass)
		return SL_OK;
	const struct sl_place at = sl_doc_place(external->replay, external->next);
	if (take_answer(external, external->replay, external->next, &what)) {
		(void)sl_fail_at(err, &at, "%s", what);
		return SL_POLICY;
	}
	external->next = sl_doc_next(external->replay, external->next);
	replay_next(external);
	return SL_OK;
}

/* ---- The pass -------------------------------------------------------------------------------- */

static void external_apply(struct external *external, struct sl_pass *pass, bool first)
{
	struct external_text *to = &external->refused;
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	for (size_t i = 0; i < external->start_count; i++) {
		const sl_job job = { external->start[i] };
		const bool started = sl_waits(pass, job) && sl_start(pass, job);
		if (!started && first)
			external_put_number(to, to->len ? "," : "", job.row);
	}
	if (external->wake != SL_NEVER && external->wake > sl_now(pass))
		sl_wake_event(pass, external->wake, 0);
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_left(pass, head);
}

static void pass_once(void *state, struct sl_pass *pass)
{
	struct external *external = state;
	struct sl_err err = { 0 };
	const bool retry = external->pass == sl_pass_number(pass);
	if (external->failed)
		return;
	if (!retry) {
		external->pass = sl_pass_number(pass);
		external->start_count = 0;
		external->wake = SL_NEVER;
		/* What it started itself is no news. */
		const bool news = external->events.len || external->refused.len;
		const int status = external->replay ? replay(external, &err)
				   : news           ? query(external, pass, &err)
						    : SL_OK;
		if (external->replay)
			external->events.len = external->refused.len = 0;
		if (status) {
			external_fail(external, pass, &err);
			return;
		}
	}
	external_apply(external, pass, !retry);
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

static void put_hello(const struct sl_setup *setup, struct external_text *to)
{
	const struct sl_cluster *cluster = setup->cluster;
	external_put_string(to, "{\"schema\":", "schedlab.decider/1");
	external_put_number(to, ",\"jobs\":", setup->jobs->count);
	external_put_number(to, ",\"seed\":", (int64_t)setup->seed);
	external_put_number(to, ",\"cpus\":", setup->cpus);
	external_put_number(to, ",\"cpu_parts\":", sl_parts(cluster->cpu_parts));
	external_put_number(to, ",\"gpus\":", cluster->gpus);
	external_put_number(to, ",\"gpu_parts\":", sl_parts(cluster->gpu_parts));
	external_put_number(to, ",\"nodes\":", cluster->node_count);
	external_put_number(to, ",\"epoch\":", setup->epoch);
	external_put(to, "}\n");
}

static int external_begin(struct external *external, const struct sl_setup *setup, const char *command,
	sl_time patience, struct sl_err *err)
{
	struct external_text hello = { 0 };
	const char *answer;
	size_t len;
	int status = external_start(&external->talk, command, patience, err);
	if (status)
		return status;
	external->running = true;
	put_hello(setup, &hello);
	status = hello.failed ? sl_fail_memory(err)
			      : external_say(&external->talk, hello.text, hello.len, err);
	free(hello.text);
	if (!status)
		status = external_hear(&external->talk, &answer, &len, err);
	if (!status && (!len || *answer != '{'))
		status = bad(err, answer, len, "the first answer must be a JSON object: {\"ready\":true}");
	return status;
}

static int replay_begin(struct external *external, struct sl_err *err)
{
	const struct sl_doc *doc = external->replay;
	const struct sl_doc_node *answers = doc->count ? sl_doc_member(doc, &doc->node[0], "answers") : NULL;
	if (!answers || answers->kind != SL_DOC_LIST)
		return sl_fail(
			err, SL_INPUT, "%s: no record of decisions: it has no list 'answers'", doc->file);
	external->next = sl_doc_child(doc, answers);
	replay_next(external);
	return SL_OK;
}

static const char *external_text_of(const struct sl_setup *setup, const char *key)
{
	const struct sl_value *value = sl_value_of(setup->values, setup->value_count, key);
	return value && value->text && *value->text ? value->text : NULL;
}

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct external *external = sl_alloc(setup->arena, 1, sizeof(*external));
	if (!external)
		return sl_fail_memory(err);
	*external = (struct external){ .jobs = setup->jobs,
		.cluster = setup->cluster,
		.talk = { .socket = -1 },
		.record = external_text_of(setup, "record"),
		.replay = sl_param_doc(setup, "replay"),
		.wake = SL_NEVER,
		.next_pass = UINT64_MAX };
	*state = external;
	const char *command = external_text_of(setup, "command");
	if (!command == !external->replay)
		return sl_fail(err, SL_USAGE,
			"external: who decides? give command=PROGRAM, or replay=FILE with what it decided before");
	if (external->replay)
		return replay_begin(external, err);
	return external_begin(external, setup, command,
		sl_value_of(setup->values, setup->value_count, "timeout")->number, err);
}

static int write_record(const struct external *external, struct sl_err *err)
{
	struct sl_out *out;
	const int status = sl_out_open(&out, external->record, err);
	if (status)
		return status;
	sl_out_text(out, "{ \"schema\": \"schedlab.decisions/1\",\n\"answers\": [\n");
	sl_out_text(out, external->kept.len ? external->kept.text : "");
	sl_out_text(out, "\n] }\n");
	return sl_out_commit(out, err);
}

static int external_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	const struct external *external = state;
	(void)pass;
	(void)tally;
	return external->record && !external->failed ? write_record(external, err) : SL_OK;
}

static void external_release(void *state)
{
	struct external *external = state;
	if (!external)
		return;
	external_end(&external->talk);
	free(external->events.text);
	free(external->refused.text);
	free(external->kept.text);
	free(external->start);
}

static const struct sl_param params[] = {
	{ .key = "command",
		.kind = SL_PARAM_TEXT,
		.help = "the program that decides, for sh: it is asked on its standard input, and answers on its standard output" },
	{ .key = "timeout",
		.kind = SL_PARAM_TIME,
		.fallback = "60",
		.choices = "1..",
		.help = "by the clock: how long it may take for an answer; then the run ends",
		.min = 1000000,
		.max = INT64_MAX },
	{ .key = "record", .kind = SL_PARAM_TEXT, .help = "write down what it decided, into this file" },
	{ .key = "replay",
		.kind = SL_PARAM_DOC,
		.help = "what was written down by record: nobody is asked, and the same is decided" },
};

const struct sl_policy external_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "external",
	.summary = "another program decides, over lines of JSON",
	.paper = "schedlab-external(7); Dutot et al., Batsim, JSSPP 2015",
	.params = params,
	.param_count = SL_LEN(params),
	.init = init,
	.pass = pass_once,
	.on_event = on_event,
	.release = external_release,
	.report = external_report,
	.runs = "command",
	.writes = "record",
};
