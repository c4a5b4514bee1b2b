/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain_live.c - schedlab explain of a dump: why a job of a live cluster waits, and what would let it
 * start.
 *
 * The dump becomes a cluster and a trace in memory (kube_live.c), which are simulated until all that waits
 * has come: what Kueue, KAI or kube-scheduler say then is told, beside what they have written into the dump.
 */
#include "cli/explain/explain_live.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/render.h"
#include "sim/run/engine.h"

static const char *const deciders[] = {
	[LIVE_KUEUE] = "Kueue", [LIVE_RUNAI] = "KAI", [LIVE_KUBE] = "kube-scheduler"
};
static const char *const policies[] = {
	[LIVE_KUEUE] = "kueue:pods=quota", [LIVE_RUNAI] = "runai", [LIVE_KUBE] = "kube:gang=off"
};

const char *live_text(const struct live *live, const char *format, ...)
{
	va_list args;
	char text[1000];
	va_start(args, format);
	const int len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	const size_t kept = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
	const char *copy = sl_strdup(live->arena, text, kept);
	return copy ? copy : "";
}

/* ---- A moment -------------------------------------------------------------------------------------------
 */

/* A text as a file; -1: there is none. */
static int file_of(const struct manifest_text *text, char path[32], struct sl_err *err)
{
	const int fd = memfd_create("live", MFD_CLOEXEC);
	size_t done = 0;
	while (fd >= 0 && done < text->len) {
		const ssize_t part = write(fd, text->text + done, text->len - done);
		if (part <= 0)
			break;
		done += (size_t)part;
	}
	(void)snprintf(path, 32, "/proc/self/fd/%d", fd);
	if (fd >= 0 && done == text->len)
		return fd;
	(void)sl_fail_sys(err, SL_SYSTEM, "write", "a file in memory");
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

struct moment {
	struct scenario scenario;
	struct settings settings;
	struct sim_run sim;
	struct sim_options options;
	struct policy_choice choice;
	bool loaded, begun;
};

static int moment_load(
	struct moment *m, struct live *live, const char *cluster, const char *trace, struct sl_err *err)
{
	m->settings = (struct settings){ .arena = live->arena };
	int status = policy_choose(
		live->args->registry, &m->choice, policies[live->dump.by], &m->settings, live->arena, err);
	const struct scenario_options options = { .trace = trace,
		.cluster = cluster,
		.settings = &m->settings,
		.registry = live->args->registry,
		.implied = m->choice.implied,
		.stop = &cli_stop };
	if (!status)
		status = settings_add(&m->settings, "replay.impossible=keep", err);
	m->loaded = !status;
	return status ? status : scenario_load(&m->scenario, &options, err);
}

static int moment_begin(struct moment *m, sl_time until, struct sl_err *err)
{
	m->options = (struct sim_options){
		.scenario = &m->scenario, .choice = &m->choice, .seed = 1, .record = 0, .stop = &cli_stop
	};
	m->begun = true;
	const int status = sim_begin(&m->sim, &m->options, err);
	return status ? status : sim_advance(&m->sim, until, err);
}

static uint32_t row_of(const struct moment *m, const char *id)
{
	const struct sl_jobs *jobs = &m->scenario.jobs;
	for (uint32_t row = 0; row < jobs->count; row++)
		if (jobs->id_name && jobs->id_name[row] && strcmp(jobs->id_name[row], id) == 0)
			return row;
	return UINT32_MAX;
}

/* Kueue has done its part once it is admitted: whether there are nodes for its pods is the scheduler's. */
static int moment_starts(
	struct moment *m, struct live *live, uint32_t row, bool first, bool *starts, struct sl_err *err)
{
	struct sim *sim = &m->sim.engine->sim;
	struct view_table pending = { 0 };
	*starts = sim->start[row] != SL_NONE;
	if (live->dump.by != LIVE_KUEUE)
		return SL_OK;
	const int status = view_take_table(live->arena, sim, sl_now(sim), "pending", &pending, err);
	*starts = !status && table_row_of(&pending, row) == pending.row_count;
	if (first && !status)
		live->pending = pending;
	return status;
}

static struct sl_amounts sum_of(struct live *live, const struct sl_pods *pods, bool one)
{
	enum { RESOURCES_MAX = 32 };
	struct sl_amount *sum = sl_alloc(live->arena, RESOURCES_MAX, sizeof(*sum));
	uint32_t count = 0;
	for (uint32_t i = 0; sum && i < pods->count; i++) {
		const struct sl_podset *podset = &pods->podset[i];
		for (uint32_t k = 0; podset->count && k < podset->request.count; k++) {
			const struct sl_amount *amount = &podset->request.at[k];
			const int64_t more = one ? amount->amount : amount->amount * podset->count;
			uint32_t at = 0;
			while (at < count && strcmp(sum[at].resource, amount->resource) != 0)
				at++;
			if (at == RESOURCES_MAX)
				break;
			if (at == count)
				sum[count++] =
					(struct sl_amount){ live_text(live, "%s", amount->resource), 0 };
			sum[at].amount = !one ? sum[at].amount + more
					      : (more > sum[at].amount ? more : sum[at].amount);
		}
	}
	return (struct sl_amounts){ sum, count };
}

static int needs_of(struct live *live, const struct moment *m, uint32_t row, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	const struct sl_pods *pods =
		arena ? sl_pods_of(arena, &m->scenario.jobs, &m->scenario.cluster, row, err) : NULL;
	if (pods) {
		live->need = sum_of(live, pods, false);
		live->pod = sum_of(live, pods, true);
	}
	sl_arena_free(arena);
	return pods ? SL_OK : err->status ? err->status : sl_fail_memory(err);
}

static void look_at_kube(struct live *live, struct moment *m, uint32_t row, const struct explain *explain)
{
	struct view_table pods = { 0 };
	struct sl_err none = { 0 };
	struct sim *sim = &m->sim.engine->sim;
	if (view_take_table(live->arena, sim, sl_now(sim), "pods", &pods, &none))
		return;
	for (size_t i = 0; i < pods.row_count; i++)
		if (table_number(&pods, i, "job") == (double)m->scenario.jobs.id[row] &&
			*table_text(&pods, i, "why"))
			look_says(explain, &live->look, "kube-scheduler: %s", table_text(&pods, i, "why"));
}

static int look_first(struct live *live, struct moment *m, uint32_t row, struct sl_err *err)
{
	struct sim *sim = &m->sim.engine->sim;
	struct explain explain = { .job = row };
	explain.view.arena = live->arena;
	explain.view.scenario = &m->scenario;
	explain.view.jobs = &m->scenario.jobs;
	explain.view.cluster = &m->scenario.cluster;
	look_at_kueue(&explain, sim, &live->look);
	look_at_runai(&explain, sim, &live->look);
	if (live->dump.by == LIVE_KUBE)
		look_at_kube(live, m, row, &explain);
	const size_t at = table_row_of(&live->pending, row);
	if (live->dump.by == LIVE_KUEUE && at < live->pending.row_count)
		live->queue = table_text(&live->pending, at, "queue");
	if (live->dump.by == LIVE_KUEUE)
		(void)view_take_table(live->arena, sim, sl_now(sim), "quota", &live->quota, err);
	return needs_of(live, m, row, err);
}

/* What is wrong with an object of a text that was written here is told of where it stands in the dump. */
static void tell_place(const struct live *live, const char *path, const struct sl_object *const *line,
	size_t lines, struct sl_err *err)
{
	char message[sizeof(err->text)];
	const char *found = strstr(err->text, path);
	char *end;
	if (!found || found[strlen(path)] != ':')
		return;
	const unsigned long at = strtoul(found + strlen(path) + 1, &end, 10);
	if (*end == ':')
		(void)strtoul(end + 1, &end, 10);
	(void)snprintf(message, sizeof(message), "%s", end + strspn(end, ": "));
	const struct sl_object *object = at > 0 && at <= lines ? line[at - 1] : NULL;
	const struct sl_place place = object ? sl_doc_place(object->doc, object->node)
					     : (struct sl_place){ live->dump.file.doc.file, 0, 0 };
	*err = (struct sl_err){ 0 };
	(void)sl_fail_at(err, &place, "%s%s%s%s%s", object ? object->kind : "", object ? " '" : "",
		object ? object->name : "", object ? "': " : "", message);
}

static int moment_run(
	struct live *live, const struct kube_moment *made, bool first, bool *starts, struct sl_err *err)
{
	struct moment *m = sl_alloc(live->arena, 1, sizeof(*m));
	char cluster[32], trace[32];
	*starts = false;
	if (!m)
		return sl_fail_memory(err);
	const int fd[2] = { file_of(&made->cluster, cluster, err), file_of(&made->trace, trace, err) };
	int status = err->status;
	if (!status)
		status = moment_load(m, live, cluster, trace, err);
	if (!status)
		status = moment_begin(m, made->until, err);
	const uint32_t row = status ? UINT32_MAX : row_of(m, live->dump.id);
	if (!status && row == UINT32_MAX)
		status = sl_fail(err, SL_INPUT, "'%s' is no job that can be simulated: it asks for no pods",
			live->dump.id);
	if (!status)
		status = moment_starts(m, live, row, first, starts, err);
	if (!status && first)
		status = look_first(live, m, row, err);
	if (m->begun)
		sim_release(&m->sim);
	if (m->loaded)
		scenario_release(&m->scenario);
	if (status) {
		tell_place(live, cluster, made->cluster_line, made->cluster_lines, err);
		tell_place(live, trace, made->trace_line, made->trace_lines, err);
	}
	for (size_t i = 0; i < SL_LEN(fd); i++)
		if (fd[i] >= 0)
			(void)close(fd[i]);
	return status;
}

int live_try(struct live *live, const struct trial *trial, bool first, bool *starts, struct sl_err *err)
{
	struct kube_moment made;
	int status = kube_live_write(&live->dump, trial ? trial->change : NULL, trial ? trial->without : NULL,
		trial ? trial->more : NULL, &made, err);
	if (first) {
		live->running = made.running;
		live->waiting = made.waiting;
	}
	live->tried += !first;
	if (!status)
		status = moment_run(live, &made, first, starts, err);
	kube_moment_release(&made);
	return status;
}

/* ---- What is told ---------------------------------------------------------------------------------------
 */

/* What the controller itself has written. */
static const char *own_words(const struct live *live)
{
	static const char *const types[] = { "QuotaReserved", "PodScheduled", "UnschedulableOnNodePool" };
	const struct sl_object *object = live->dump.waits;
	for (size_t i = 0; i < SL_LEN(types); i++) {
		const char *message = kube_live_message(object, types[i]);
		if (message && !kube_live_is(object, types[i]))
			return message;
		if (message && i == 2)
			return message;
	}
	return NULL;
}

static void print_live(const struct live *live)
{
	const struct kube_live *dump = &live->dump;
	const char *said = dump->waits ? own_words(live) : NULL;
	if (!dump->waits) {
		printf("%s %s: %s\n", dump->asked->kind, live->args->word[1], dump->state);
		return;
	}
	printf("%s %s waits, as %s %s, for %s\n", dump->asked->kind, live->args->word[1], dump->waits->kind,
		dump->id, deciders[dump->by]);
	if (dump->pods)
		printf("  of its pods %zu of %zu have no node\n", dump->pods_waiting, dump->pods);
	if (said)
		printf("  it wrote: %s\n", said);
	printf("  by these objects (%zu run, %zu wait):\n", live->running, live->waiting);
	for (size_t i = 0; i < live->look.said_count; i++)
		printf("    %s\n", live->look.said[i]);
	if (live->starts) {
		printf("    it would start now: what keeps it is not among these objects, or is older than they are\n");
		return;
	}
	printf("  what would let it start, each by itself (%zu simulated):\n", live->tried);
	for (size_t i = 0; i < live->remedy_count; i++)
		printf("    %s\n", live->remedy[i].words);
	if (!live->remedy_count)
		printf("    none of those\n");
}

static const struct json_form json_list = { "\n    ", ",\n    ", "\n  ", true };

static int live_json(const struct live *live, struct sl_err *err)
{
	const struct kube_live *dump = &live->dump;
	struct json json;
	const int status = json_start(&json, &json_lines_2, err);
	if (status)
		return status;
	json_put(&json, datum_text("schema", "schedlab.explain-live/1"),
		datum_text("job", live->args->word[1]), datum_text("kind", dump->asked->kind),
		datum_flag("waits", dump->waits != NULL),
		datum_given("object", dump->waits ? dump->id : NULL),
		datum_given("decides", dump->waits ? deciders[dump->by] : NULL),
		datum_given("state", *dump->state ? dump->state : NULL),
		datum_given("wrote", dump->waits ? own_words(live) : NULL),
		datum_flag("starts", live->starts));
	json_nest(&json, "says", '[', &json_list);
	for (size_t i = 0; i < live->look.said_count; i++)
		json_put(&json, datum_text(NULL, live->look.said[i]));
	json_close(&json);
	json_nest(&json, "would_start", '[', &json_list);
	for (size_t i = 0; i < live->remedy_count; i++)
		json_object(&json, NULL, datum_text("kind", live->remedy[i].kind),
			datum_text("words", live->remedy[i].words));
	json_close(&json);
	return json_finish(&json, SL_OK, err);
}

/* ---- The command's part
 * ------------------------------------------------------------------------------------ */

bool explain_is_live(const char *path)
{
	struct sl_err err = { 0 };
	struct stat about;
	struct sl_input *in = NULL;
	const char *text, *end;
	if (strcmp(path, "-") == 0)
		return true;
	if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || sl_input_open(&in, path, &err))
		return false;
	const bool is =
		sl_input_peek(in, &text, &end, &err) > 0 && kube_live_sniff(text, (size_t)(end - text));
	sl_input_close(in);
	return is;
}

int explain_live(const struct args *args, struct sl_err *err)
{
	struct live live = { .args = args, .arena = args->arena };
	struct sl_input *in = NULL;
	int status = sl_input_open(&in, args->word[0], err);
	if (!status)
		status = kube_live_read(in, args->word[1], &live.dump, err);
	if (!status && live.dump.waits)
		status = live_try(&live, NULL, true, &live.starts, err);
	if (!status && live.dump.waits && !live.starts && !arg_flag(args, "no-what-if"))
		status = live_remedies(&live, err);
	if (!status && arg_flag(args, "json"))
		status = live_json(&live, err);
	else if (!status)
		print_live(&live);
	kube_live_release(&live.dump);
	sl_input_close(in);
	return status;
}
