/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * more.c - a plug-in with one of each kind that parts.c has not: a preset, a placing, a placer, a gauge, a
 * binder, a language, a writer, a report, a document, a type of nodes, a model of MIG, and a policy that
 * finds another in the registry. BREAK is which of them is not as it should be.
 */
#include <schedlab/plugin.h>

#include <string.h>

enum {
	WHOLE,
	NO_SCORE,      /* A placing without its function. */
	PLACE_CLASH,   /* A placing with a placer's name. */
	NO_CHOOSE,     /* A placer. */
	NO_JOB,        /* A writer. */
	NO_CLOSE,      /* A document. */
	DOCUMENT_FILE, /* A document's file with a folder in its name. */
	REPORT_FILE,   /* A report in the place of run.json. */
	NOBODY,        /* A preset of a policy that nobody has. */
	PRESET_CLASH,  /* A preset with the name of a policy. */
	NO_PROFILES,   /* A model of MIG. */
	NO_ENDING,     /* A language. */
	OLDER          /* As if built before there was more than policies. */
};
#ifndef BREAK
#define BREAK WHOLE
#endif
#define UNLESS(what, function) ((BREAK) == (what) ? NULL : (function))

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* The emptiest node first. */
static int64_t score(
	void *state, const struct sl_node_class *class, const struct sl_group *group, uint32_t tasks)
{
	(void)state, (void)group, (void)tasks;
	return -class->free[SL_KIND_CPUS];
}

static const struct sl_node_scorer emptiest = {
	.abi = SL_ABI_OF(struct sl_node_scorer),
	.name = (BREAK) == PLACE_CLASH ? "slurm" : "emptiest",
	.summary = "the node with most cpus free",
	.score = UNLESS(NO_SCORE, score),
};

static int64_t is_full(void *state, const struct sl_node_class *class)
{
	(void)state;
	return class->free[SL_KIND_CPUS] == 0 ? 1000000 : 0;
}

static const struct sl_gauge full = {
	.abi = SL_ABI_OF(struct sl_gauge),
	.name = "full",
	.summary = "nodes without a free cpu",
	.of = is_full,
};

/* It says that it was asked, and does no more. */
static int allocator_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	(void)state, (void)setup;
	return sl_fail(err, SL_USAGE, "the placer of a plug-in was asked");
}
static void of_job(void *state, sl_job job) { (void)state, (void)job; }
static void plain(void *state) { (void)state; }
static size_t choose(void *state, sl_job job, const uint64_t *closed, const struct sl_node_alloc **node_alloc)
{
	(void)state, (void)job, (void)closed, (void)node_alloc;
	return 0;
}

static const struct sl_allocator asked = {
	.abi = SL_ABI_OF(struct sl_allocator),
	.name = "asked",
	.summary = "a placer that only says that it was asked",
	.init = allocator_init,
	.release = plain,
	.choose = UNLESS(NO_CHOOSE, choose),
	.take = of_job,
	.untake = of_job,
	.give = of_job,
	.restore = of_job,
	.forget = plain,
};

static const struct sl_nodes_spec tray = { .name = "tray", .count = 1, .cpus = 12, .mem = SL_NONE };

static const struct sl_node_model node = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "toy-tray",
	.summary = "twelve cpus",
	.node = &tray,
};

static const struct sl_mig_profile halves[] = { { "1h", 4, 0x11 } };

static const struct sl_mig_model mig = {
	.abi = SL_ABI_OF(struct sl_mig_model),
	.name = "toy-mig",
	.mem = 8192,
	.profile = UNLESS(NO_PROFILES, halves),
	.profile_count = SL_LEN(halves),
};

/* ---- Pods -------------------------------------------------------------------------------------- */

static void add(void *state, sl_time now, sl_job job, const struct sl_pods *pods,
	const struct sl_podset_assignment *pin)
{
	(void)state, (void)now, (void)job, (void)pods, (void)pin;
}
static void taken(void *state, sl_time now, sl_job job) { (void)state, (void)now, (void)job; }
static void on_node(void *state, sl_time now, uint32_t which, bool up)
{
	(void)state, (void)now, (void)which, (void)up;
}
static sl_time binder_run(void *state, sl_time now)
{
	(void)state, (void)now;
	return SL_NEVER;
}
static bool next(void *state, struct sl_bound *bound)
{
	(void)state, (void)bound;
	return false;
}
static size_t where(void *state, sl_job job, const struct sl_node_alloc **node_alloc)
{
	(void)state, (void)job, (void)node_alloc;
	return 0;
}
static const char *why(void *state, sl_job job)
{
	(void)state, (void)job;
	return NULL;
}
static int report(void *state, struct sl_tally *tally, struct sl_err *err)
{
	(void)state, (void)tally, (void)err;
	return SL_OK;
}
static bool failed(void *state, sl_time now, sl_job job)
{
	(void)state, (void)now, (void)job;
	return false;
}

static const struct sl_binder idle = {
	.abi = SL_ABI_OF(struct sl_binder),
	.name = "idle",
	.summary = "binds nothing",
	.init = allocator_init,
	.release = plain,
	.add = add,
	.remove = taken,
	.node = on_node,
	.run = binder_run,
	.next = next,
	.where = where,
	.why = why,
	.report = report,
	.fail = failed,
};

/* ---- Policies ------------------------------------------------------------------------------------ */

/* The policy that it finds by name, whatever that is, in its place. */
struct behind {
	const struct sl_policy *policy;
	void *state;
};

static int behind_init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct behind *behind = sl_alloc(setup->arena, 1, sizeof(*behind));
	struct sl_setup its = *setup;
	if (!behind)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	behind->policy = sl_by_name(setup->registry->policies, "kube");
	*state = behind;
	const int status = sl_child_values(setup, behind->policy, NULL, &its.values, &its.value_count, err);
	return status ? status : behind->policy->init(&behind->state, &its, err);
}

static void behind_pass(void *state, struct sl_pass *pass)
{
	const struct behind *behind = state;
	behind->policy->pass(behind->state, pass);
}

static void behind_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	const struct behind *behind = state;
	behind->policy->on_event(behind->state, pass, event);
}

static bool behind_requeues(void *state, struct sl_pass *pass, sl_job job)
{
	const struct behind *behind = state;
	return behind->policy->requeues && behind->policy->requeues(behind->state, pass, job);
}

static void behind_release(void *state)
{
	const struct behind *behind = state;
	if (behind && behind->state && behind->policy->release)
		behind->policy->release(behind->state);
}

static const struct sl_policy my_kube = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "my-kube",
	.summary = "the policy kube, found by its name",
	.init = behind_init,
	.pass = behind_pass,
	.on_event = behind_event,
	.requeues = behind_requeues,
	.release = behind_release,
};

static const struct sl_preset preset = {
	.abi = SL_ABI_OF(struct sl_preset),
	.name = (BREAK) == PRESET_CLASH ? "my-kube" : "roomy",
	.policy = (BREAK) == NOBODY ? "nobody" : "composed",
	.settings = (BREAK) == WHOLE ? "place=emptiest" : "plan=easy",
	.summary = "easy, on the emptiest nodes",
};

/* ---- A language -------------------------------------------------------------------------------------- */

static void in_order(void *state, struct sl_pass *pass)
{
	(void)state;
	sl_job head = sl_queue_first(pass);
	while (sl_job_is(head) && sl_start(pass, head))
		head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_waits(pass, head);
}

static const struct sl_policy spoken = {
	.abi = SL_ABI_OF(struct sl_policy), .name = "spoken", .summary = "in order", .pass = in_order
};

static int load(
	struct sl_script *script, const struct sl_policy **policy, struct sl_arena *arena, struct sl_err *err)
{
	const char *text;
	size_t len;
	(void)arena;
	const int status = sl_script_text(script, NULL, &text, &len, err);
	if (status)
		return status;
	if (!policy || len < 8 || memcmp(text, "in order", 8) != 0)
		return sl_fail(err, SL_INPUT, "%s:1: not 'in order'", sl_script_path(script));
	*policy = &spoken;
	return SL_OK;
}

static int open_in(void **self, const struct sl_setup *setup, struct sl_script *script, struct sl_err *err)
{
	(void)self, (void)setup, (void)script, (void)err;
	return SL_OK;
}
static int takes(void *self, const char *function)
{
	(void)self, (void)function;
	return -1;
}
static bool query(void *self, struct sl_pass *pass, const char *function, sl_job job, unsigned kinds,
	struct sl_answer *answer)
{
	(void)self, (void)pass, (void)function, (void)job, (void)kinds, (void)answer;
	return false;
}
static bool reported(void *self, struct sl_pass *pass, const char *function, sl_job job)
{
	(void)self, (void)pass, (void)function, (void)job;
	return true;
}

static const struct sl_scripting words = {
	.abi = SL_ABI_OF(struct sl_scripting),
	.name = "words",
	.ending = UNLESS(NO_ENDING, ".words"),
	.summary = "two words",
	.load = load,
	.open = open_in,
	.close = plain,
	.takes = takes,
	.query = query,
	.reported = reported,
};

/* ---- Files ------------------------------------------------------------------------------------------ */

static int begin(struct sl_out *out, const char *const (*header)[2], size_t count, struct sl_err *err)
{
	(void)err;
	const char *cpus = "1";
	for (size_t i = 0; i < count; i++)
		if (strcmp(header[i][0], "MaxProcs") == 0)
			cpus = header[i][1];
	sl_out_printf(out, "toy %s\n", cpus);
	return SL_OK;
}

static int job_line(struct sl_out *out, const struct sl_row *row, struct sl_err *err)
{
	(void)err;
	sl_out_printf(out, "%lld %lld %lld\n", (long long)(row->col[SL_COL_SUBMIT] / SL_SECOND),
		(long long)(row->col[SL_COL_RUN] / SL_SECOND), (long long)row->col[SL_COL_REQ_CPUS]);
	return SL_OK;
}

static const struct sl_writer random_scenario = {
	.abi = SL_ABI_OF(struct sl_writer),
	.name = "toy",
	.summary = "three numbers a line",
	.begin = begin,
	.job = UNLESS(NO_JOB, job_line),
};

static int write_ids(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	(void)err;
	for (uint32_t i = 0; i < result->jobs->count; i++)
		sl_out_printf(out, "%lld\n", (long long)result->jobs->id[i]);
	return SL_OK;
}

static const struct sl_report ids = {
	.abi = SL_ABI_OF(struct sl_report),
	.name = (BREAK) == REPORT_FILE ? "run.json" : "ids.txt",
	.summary = "numbers of jobs",
	.write = write_ids,
	.on_request = true,
	.asked_as = "ids",
};

/* A line a run, kept as text until all are told. */
struct lines {
	struct sl_arena *arena;
	char text[1000];
	size_t len;
};

static int document_open(void **self, const struct sl_document_options *options, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	struct lines *lines = arena ? sl_alloc(arena, 1, sizeof(*lines)) : NULL;
	(void)options;
	if (!lines)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	lines->arena = arena;
	*self = lines;
	return SL_OK;
}

static int document_add(void *self, const struct sl_document_run *run, struct sl_err *err)
{
	struct lines *lines = self;
	const size_t len = strlen(run->label);
	(void)err;
	if (lines->len + len + 2 < sizeof(lines->text)) {
		memcpy(lines->text + lines->len, run->label, len);
		lines->len += len;
		lines->text[lines->len++] = '\n';
	}
	return SL_OK;
}

static int document_write(
	void *self, const struct sl_compared *compared, struct sl_out *out, struct sl_err *err)
{
	const struct lines *lines = self;
	(void)compared, (void)err;
	sl_out_text(out, "of schedlab:\n");
	sl_out_text(out, lines->text);
	return SL_OK;
}

static void document_close(void *self)
{
	struct lines *lines = self;
	if (lines)
		sl_arena_free(lines->arena);
}

static const struct sl_document labels = {
	.abi = SL_ABI_OF(struct sl_document),
	.name = "labels",
	.summary = "what runs are called, a line each",
	.file = (BREAK) == DOCUMENT_FILE ? "../labels.txt" : "labels.txt",
	.open = document_open,
	.add = document_add,
	.write = document_write,
	.close = UNLESS(NO_CLOSE, document_close),
};

static const struct sl_policy *const policies[] = { &my_kube, NULL };
static const struct sl_preset *const presets[] = { &preset, NULL };
static const struct sl_node_scorer *const scorers[] = { &emptiest, NULL };
static const struct sl_allocator *const allocators[] = { &asked, NULL };
static const struct sl_gauge *const gauges[] = { &full, NULL };
static const struct sl_binder *const binders[] = { &idle, NULL };
static const struct sl_scripting *const scriptings[] = { &words, NULL };
static const struct sl_writer *const writers[] = { &random_scenario, NULL };
static const struct sl_report *const reports[] = { &ids, NULL };
static const struct sl_document *const documents[] = { &labels, NULL };
static const struct sl_node_model *const nodes[] = { &node, NULL };
static const struct sl_mig_model *const migs[] = { &mig, NULL };

SL_API const struct sl_plugin sl_plugin = {
	.abi = { SL_ABI_VERSION,
		(BREAK) == OLDER ? offsetof(struct sl_plugin, readers) : sizeof(struct sl_plugin) },
	.name = "more",
	.policies = policies,
	.presets = presets,
	.scorers = scorers,
	.allocators = allocators,
	.gauges = gauges,
	.binders = binders,
	.scriptings = scriptings,
	.writers = writers,
	.reports = reports,
	.documents = documents,
	.node_models = nodes,
	.mig_models = migs,
};
