/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * first_difference.c - two runs rerun side by side, up to the first decision that differs; and on, to see
 * what it led to.
 */
#include "cli/compare/first_difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/schedules.h"
#include "sim/run/engine.h"

/* A decision on a job at an instant. */
struct act {
	sl_time at;
	uint32_t job;     /* Its common number. */
	uint32_t row;     /* Its row in this run. */
	uint32_t order;   /* Of what was done in this run. */
	uint8_t decision; /* enum sl_decision_kind */
	uint8_t how;      /* As of sl_decision. */
	bool rerun;       /* A model ended the attempt; the job is requeued. */
	bool alone;       /* Not done in the other. */
	uint64_t place; /* A hash of the node allocation; 0: nodes are not distinguished (a counted pool). */
};

struct side {
	struct rerun *rerun;
	struct sim_run sim;
	bool begun;
	const uint32_t *common;       /* By row. */
	struct act *act;              /* Of the step. */
	size_t count, capacity, seen; /* seen: of the history. */
	const struct act *named;      /* What was done to the job that is named; NULL: nothing. */
	uint32_t row;                 /* Of that job here; UINT32_MAX: it is in the other alone. */
};

struct walk {
	struct first_difference *found;
	struct side side[2];
	struct matched matched;
	struct sl_arena *arena;
	bool places; /* Both have named nodes. */
	bool names;  /* And they are compared by name: the clusters are not the same. */
	sl_time at;
	uint32_t job;
};

static const struct sl_pass *pass_of(const struct side *side) { return sim_state(&side->sim); }

/* ---- A step ----------------------------------------------------------------------------------- */

static uint64_t folded_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = folded(h, (unsigned char)*text);
	return h;
}

static uint64_t first_difference_place_of(const struct walk *walk, const struct side *side, uint32_t row)
{
	const struct sl_node_tasks *alloc;
	const struct sl_cluster *cluster = sl_cluster_of(pass_of(side));
	const size_t count = walk->places ? sl_node_tasks_of(pass_of(side), (sl_job){ row }, &alloc) : 0;
	uint64_t sum = 0; /* In whatever order the node allocations are. */
	for (size_t i = 0; i < count; i++) {
		uint64_t h = folded(alloc[i].group, alloc[i].tasks);
		h = folded(h, alloc[i].devices);
		sum += walk->names ? folded_text(h, cluster->node_name[alloc[i].node])
				   : folded(h, alloc[i].node);
	}
	return sum;
}

/* What the engine noted, as what was done; false: it is none of that. */
static bool act_of(const struct history_event *event, struct act *act)
{
	*act = (struct act){ .at = event->time, .row = event->row, .decision = SL_DECISION_END };
	switch (event->class) {
	case SL_EV_CLASS_COUNT:
		act->decision = SL_DECISION_START;
		return true;
	case SL_EV_JOB_END:
		act->how = SL_COMPLETED;
		return true;
	case SL_EV_TIME_LIMIT:
		act->how = SL_TIMEOUT;
		return true;
	case SL_EV_CANCEL:
		act->how = SL_CANCELLED;
		return true;
	case DIGEST_DEADLINE:
		act->how = SL_DEADLINE;
		return true;
	case DIGEST_RESUME:
		act->decision = SL_DECISION_RESUME;
		return true;
	case DIGEST_RESIZE:
		act->decision = SL_DECISION_RESIZE;
		return true;
	default:
		break;
	}
	if (event->class >= DIGEST_DRAIN)
		return false;
	if (event->class >= DIGEST_END) {
		act->rerun = event->class >= DIGEST_REQUEUED;
		act->how = (uint8_t)(event->class - (act->rerun ? DIGEST_REQUEUED : DIGEST_END));
		return true;
	}
	act->decision = SL_DECISION_PREEMPT;
	act->how = (uint8_t)(event->class - DIGEST_PREEMPT);
	return event->class >= DIGEST_PREEMPT && event->class < DIGEST_RESUME;
}

static int acts_take(const struct walk *walk, struct side *side, struct sl_err *err)
{
	const struct sl_pass *pass = pass_of(side);
	side->count = 0;
	for (; side->seen < pass->history_count; side->seen++) {
		struct act act;
		if (!act_of(&pass->history[side->seen], &act))
			continue;
		const int status = SL_GROW_MOST(side->act, side->capacity, side->count + 1, UINT32_MAX, err);
		if (status)
			return status;
		act.job = side->common[act.row];
		act.order = (uint32_t)side->count;
		if (act.decision != SL_DECISION_END && act.decision != SL_DECISION_PREEMPT)
			act.place = first_difference_place_of(walk, side, act.row);
		side->act[side->count++] = act;
	}
	return SL_OK;
}

static int compare_what(const struct act *x, const struct act *y)
{
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->decision != y->decision)
		return x->decision < y->decision ? -1 : 1;
	if (x->how != y->how)
		return x->how < y->how ? -1 : 1;
	if (x->rerun != y->rerun)
		return x->rerun ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int compare_acts(const void *a, const void *b)
{
	const struct act *x = a;
	const struct act *y = b;
	const int order = compare_what(x, y);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b)
{
	const struct act *x = a;
	const struct act *y = b;
	return (x->order > y->order) - (x->order < y->order);
}

/* Marks what was done in one alone; true: something was. */
static bool acts_differ(struct side side[2])
{
	size_t at[2] = { 0, 0 };
	bool differ = false;
	for (size_t i = 0; i < 2; i++)
		if (side[i].count)
			qsort(side[i].act, side[i].count, sizeof(*side[i].act), compare_acts);
	while (at[0] < side[0].count || at[1] < side[1].count) {
		const int order = at[0] == side[0].count ? 1
				  : at[1] == side[1].count
					  ? -1
					  : compare_what(&side[0].act[at[0]], &side[1].act[at[1]]);
		differ |= order != 0;
		if (order <= 0)
			side[0].act[at[0]++].alone = order != 0;
		if (order >= 0)
			side[1].act[at[1]++].alone = order != 0;
	}
	return differ;
}

/* Everything up to the next instant of either, or a handover of one to another policy. */
static sl_time next_step(struct walk *walk)
{
	sl_time next = SL_NEVER;
	for (size_t i = 0; i < 2; i++) {
		struct rerun *rerun = walk->side[i].rerun;
		const struct sim_options *recipe = &rerun->recipe;
		sl_time own = sim_next(&walk->side[i].sim);
		if (rerun->interval < recipe->history_count && recipe->history[rerun->interval].until < own)
			own = recipe->history[rerun->interval].until;
		if (rerun->scenario.bounded && own > rerun->scenario.until)
			own = SL_NEVER;
		next = own < next ? own : next;
	}
	return next;
}

/* ---- Where they part ------------------------------------------------------------------------------ */

/* The first decision that only one run made: of the earliest instant, in the order of the first run, else of
 * the second. */
static void name_act(struct walk *walk)
{
	const struct act *first = NULL;
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &walk->side[i];
		if (side->count)
			qsort(side->act, side->count, sizeof(*side->act), compare_order);
		for (size_t k = 0; k < side->count; k++)
			if (side->act[k].alone && (!first || side->act[k].at < first->at))
				first = &side->act[k];
	}
	SL_CHECK(first);
	walk->at = first->at;
	walk->job = first->job;
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &walk->side[i];
		side->row = UINT32_MAX;
		if (walk->job < walk->matched.count)
			side->row = walk->matched.row[i][walk->job];
		for (size_t k = 0; k < side->count; k++) {
			const struct act *act = &side->act[k];
			if (act->job == walk->job)
				side->row = act->row;
			if (!side->named && act->alone && act->job == walk->job && act->at == walk->at)
				side->named = act;
		}
	}
}

static const char *first_difference_id_of(const struct walk *walk, const struct side *side, uint32_t row)
{
	const struct schedule jobs = schedule_of_jobs(&side->rerun->scenario.jobs);
	const char *id = schedule_id(&jobs, row, walk->arena);
	return id ? id : "";
}

/* "n[1-3]"; NULL: nodes are not distinguished. */
static const char *nodes_text(const struct walk *walk, const struct side *side, uint32_t row)
{
	const struct sl_node_tasks *alloc;
	const struct sl_cluster *cluster = sl_cluster_of(pass_of(side));
	const size_t count = cluster->node_count && cluster->node_name
				     ? sl_node_tasks_of(pass_of(side), (sl_job){ row }, &alloc)
				     : 0;
	const char **name = sl_alloc(walk->arena, count + 1, sizeof(*name));
	if (!count || !name)
		return NULL;
	for (size_t i = 0; i < count; i++)
		name[i] = cluster->node_name[alloc[i].node];
	const size_t capacity = sl_hosts_fold(name, count, NULL, 0) + 1;
	char *text = sl_alloc(walk->arena, capacity, 1);
	if (text)
		(void)sl_hosts_fold(name, count, text, capacity);
	return text;
}

/* Its state after the instant; the job's reason comes when the run is over. */
static void report_side(const struct walk *walk, size_t i)
{
	const struct side *side = &walk->side[i];
	const struct sl_pass *pass = pass_of(side);
	const struct sl_cluster *cluster = sl_cluster_of(pass);
	struct difference_side *reported = &walk->found->side[i];
	const sl_job head = sl_queue_first(pass);
	reported->acted = side->named != NULL;
	if (reported->acted) {
		reported->decision = (struct sl_decision){ .at = walk->at,
			.job = side->row,
			.beneficiary = UINT32_MAX,
			.decision = side->named->decision,
			.how = side->named->how,
			.start = SL_NONE };
		reported->rerun = side->named->rerun;
		if (side->named->decision != SL_DECISION_END && side->named->decision != SL_DECISION_PREEMPT)
			reported->nodes = nodes_text(walk, side, side->row);
	}
	reported->absent = side->row == UINT32_MAX;
	if (!reported->absent) {
		reported->there = side->row < pass->submitted;
		reported->state = reported->there ? sl_state_of(pass, (sl_job){ side->row }) : SL_PENDING;
	}
	for (size_t k = 0; k < side->count; k++) {
		const struct act *act = &side->act[k];
		if (!act->alone || act->at != walk->at || act->job == walk->job)
			continue;
		if (reported->other_count < DIFFERENCE_MANY)
			reported->other[reported->other_count] =
				(struct difference_act){ first_difference_id_of(walk, side, act->row),
					(enum sl_decision_kind)act->decision, act->rerun };
		reported->other_count++;
	}
	reported->head = sl_job_is(head) ? first_difference_id_of(walk, side, head.row) : NULL;
	reported->queued = sl_queue_count(pass);
	reported->running = pass->running;
	reported->cpus_free = sl_free(pass, SL_KIND_CPUS);
	reported->cpu_parts = sl_parts(cluster->cpu_parts);
	reported->gpu_parts = sl_parts(cluster->gpu_parts);
	reported->gpus_free = cluster->gpus ? 0 : -1;
	for (uint32_t kind = SL_KIND_GPUS; cluster->gpus && kind < cluster->kind_count; kind++)
		reported->gpus_free += sl_free(pass, kind);
}

/* Steps until something differs, or both have ended. */
static int walk_on(struct walk *walk, struct sl_err *err)
{
	int status = SL_OK;
	for (sl_time next; !walk->found->differs && !status && (next = next_step(walk)) != SL_NEVER;) {
		for (size_t i = 0; i < 2 && !status; i++) {
			struct side *side = &walk->side[i];
			status = rerun_advance(side->rerun, &side->sim, next, err);
			if (!status)
				status = acts_take(walk, side, err);
		}
		if (!status && acts_differ(walk->side))
			walk->found->differs = true;
	}
	if (status || !walk->found->differs)
		return status;
	name_act(walk);
	walk->found->at = walk->at;
	for (size_t i = 0; i < 2; i++) {
		report_side(walk, i);
		if (walk->side[i].row != UINT32_MAX && !walk->found->job)
			walk->found->job = first_difference_id_of(walk, &walk->side[i], walk->side[i].row);
	}
	return SL_OK;
}

/* ---- When both are over ------------------------------------------------------------------------------ */

/* By which rule; and why it waited. */
static void report_why(const struct walk *walk, size_t i)
{
	const struct side *side = &walk->side[i];
	const struct sl_result *result = &side->sim.result;
	struct difference_side *reported = &walk->found->side[i];
	reported->digest = result->digest;
	reported->events = result->events;
	if (side->row == UINT32_MAX)
		return;
	for (size_t k = 0; k < result->decision_count && result->decision[k].at <= walk->at; k++) {
		const struct sl_decision *decision = &result->decision[k];
		if (decision->job != side->row)
			continue;
		if (decision->decision == SL_DECISION_PLAN)
			reported->planned = decision->start;
		if (!reported->acted || decision->at != walk->at ||
			decision->decision != reported->decision.decision)
			continue;
		reported->decision.rule = decision->rule;
		reported->decision.beneficiary = decision->beneficiary;
		if (decision->beneficiary != UINT32_MAX)
			reported->beneficiary = first_difference_id_of(walk, side, decision->beneficiary);
	}
	reported->reason = result->reason_default;
	for (size_t k = 0; k < result->reason_count; k++)
		if (result->reasons[k].job == side->row && result->reasons[k].at <= walk->at)
			reported->reason = (enum sl_reason)result->reasons[k].reason;
}

static int walk_end(struct walk *walk, struct sl_err *err)
{
	struct schedule schedule[2];
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &walk->side[i];
		int status = rerun_advance(side->rerun, &side->sim, SL_NEVER, err);
		if (!status)
			status = sim_end(&side->sim, err);
		if (!status)
			status = rerun_compare(side->rerun, &side->sim.result, err);
		if (status)
			return status;
		report_why(walk, i);
		schedule[i] = schedule_of(&side->sim.result);
	}
	return schedules_led(walk->found, schedule, &walk->matched, walk->arena, err);
}

/* ---- Inputs and settings ----------------------------------------------------------------------------- */

static const char *report_text(struct sl_arena *arena, const char *format, ...) SL_PRINTF(2, 3);
static const char *report_text(struct sl_arena *arena, const char *format, ...)
{
	char text[1024];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return sl_strdup(arena, text, strlen(text));
}

static bool first_difference_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* One more that differs. */
static void setting_differs(struct walk *walk, const char *key, const char *a, const char *b)
{
	struct first_difference *found = walk->found;
	if (first_difference_same(a, b))
		return;
	if (!found->settings++)
		found->setting = report_text(
			walk->arena, "%s: %s against %s", key, a ? a : "nothing", b ? b : "nothing");
}

static void values_differ(struct walk *walk, const char *prefix, const struct sl_param *params,
	const struct sl_value *a, const struct sl_value *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char key[100];
		(void)snprintf(key, sizeof(key), "%s.%s", prefix, params[i].key);
		/* "1h" and "3600" are the same. */
		const bool text = params[i].kind == SL_PARAM_TEXT || params[i].kind == SL_PARAM_DOC ||
				  !a[i].text || !b[i].text;
		if (text || a[i].number != b[i].number)
			setting_differs(walk, key, a[i].text, b[i].text);
	}
}

static const struct policy_choice *choice_of(const struct rerun *rerun)
{
	return rerun->recipe.history[rerun->recipe.history_count - 1].choice;
}

static void policies_differ(struct walk *walk, const struct rerun *a, const struct rerun *b)
{
	const struct policy_choice *const choice[2] = { choice_of(a), choice_of(b) };
	if (strcmp(choice[0]->policy->name, choice[1]->policy->name) != 0)
		setting_differs(walk, "policy", choice[0]->text, choice[1]->text);
	else if (choice[0]->value_count == choice[1]->value_count)
		values_differ(walk, "policy", choice[0]->policy->params, choice[0]->values, choice[1]->values,
			choice[0]->value_count);
	if (a->recipe.history_count != b->recipe.history_count)
		setting_differs(walk, "policies before it", a->recipe.history_count > 1 ? "some" : "none",
			b->recipe.history_count > 1 ? "some" : "none");
}

static void numbers_differ(struct walk *walk, const char *key, uint64_t a, uint64_t b)
{
	char text[2][32];
	*sl_put_i64(text[0], (int64_t)a) = '\0';
	*sl_put_i64(text[1], (int64_t)b) = '\0';
	setting_differs(walk, key, text[0], text[1]);
}

static const struct model_choice *model_of(const struct scenario *scenario, const struct sl_model *model)
{
	for (size_t i = 0; i < scenario->model_count; i++)
		if (strcmp(scenario->model[i].model->name, model->name) == 0)
			return &scenario->model[i];
	return NULL;
}

/* Of those that are on in both; which are is a setting of replay. */
static void models_differ(struct walk *walk, const struct scenario *a, const struct scenario *b)
{
	for (size_t i = 0; i < a->model_count; i++) {
		const struct model_choice *x = &a->model[i];
		const struct model_choice *y = model_of(b, x->model);
		if (y && x->value_count == y->value_count)
			values_differ(
				walk, x->model->name, x->model->params, x->values, y->values, x->value_count);
	}
}

static void clusters_differ(struct walk *walk, const struct scenario *a, const struct scenario *b)
{
	if (!first_difference_same(a->cluster_input.path ? a->cluster_input.sha256 : NULL,
		    b->cluster_input.path ? b->cluster_input.sha256 : NULL))
		setting_differs(walk, "cluster", a->cluster_input.path ? a->cluster_input.path : a->cpus_from,
			b->cluster_input.path ? b->cluster_input.path : b->cpus_from);
	const size_t count = a->cluster_setting_count > b->cluster_setting_count ? a->cluster_setting_count
										 : b->cluster_setting_count;
	for (size_t i = 0; i < count; i++)
		setting_differs(walk, "cluster", i < a->cluster_setting_count ? a->cluster_setting[i] : NULL,
			i < b->cluster_setting_count ? b->cluster_setting[i] : NULL);
	if (a->cpus != b->cpus)
		numbers_differ(walk, "cluster.cpus", (uint64_t)(a->cpus / sl_parts(a->cluster.cpu_parts)),
			(uint64_t)(b->cpus / sl_parts(b->cluster.cpu_parts)));
}

static void inputs_differ(struct walk *walk, const struct scenario *a, const struct scenario *b)
{
	struct first_difference *found = walk->found;
	if (strcmp(a->input.sha256, b->input.sha256) != 0)
		found->inputs = report_text(walk->arena,
			"other traces: %s against %s; %u jobs are in both by their ids, %u and %u in one alone",
			a->input.path, b->input.path, walk->matched.count, walk->matched.only[0],
			walk->matched.only[1]);
	else if (walk->matched.only[0] || walk->matched.only[1])
		found->inputs = report_text(walk->arena,
			"other jobs of one trace: %u are in both, %u and %u in one alone",
			walk->matched.count, walk->matched.only[0], walk->matched.only[1]);
	for (size_t i = 0; i < a->side_count && i < b->side_count; i++)
		if (strcmp(a->side[i].sha256, b->side[i].sha256) != 0)
			setting_differs(walk, "side file", a->side[i].path, b->side[i].path);
}

static const char *jobs_text(const struct walk *walk, const struct rerun *rerun)
{
	const uint64_t most = rerun->snapshot.jobs_max;
	return most ? report_text(walk->arena, "the first %" PRIu64, most) : "all";
}

static void report_settings(struct walk *walk, const struct rerun *a, const struct rerun *b)
{
	policies_differ(walk, a, b);
	values_differ(
		walk, "replay", replay_params, a->scenario.replay, b->scenario.replay, replay_param_count);
	models_differ(walk, &a->scenario, &b->scenario);
	clusters_differ(walk, &a->scenario, &b->scenario);
	inputs_differ(walk, &a->scenario, &b->scenario);
	setting_differs(walk, "tz", a->snapshot.tz, b->snapshot.tz);
	if (a->snapshot.jobs_max != b->snapshot.jobs_max)
		setting_differs(walk, "jobs", jobs_text(walk, a), jobs_text(walk, b));
	numbers_differ(walk, "seed", a->snapshot.seed, b->snapshot.seed);
}

/* ---- Two runs ------------------------------------------------------------------------------------------ */

static int walk_begin(struct walk *walk, struct sl_err *err)
{
	const unsigned record = SIM_RECORD_HISTORY | SIM_RECORD_REASONS | SIM_RECORD_DECISIONS;
	const struct sl_cluster *cluster[2];
	for (size_t i = 0; i < 2; i++) {
		struct side *side = &walk->side[i];
		const int status = rerun_start(side->rerun, &side->sim, record, err);
		side->begun = side->sim.engine != NULL;
		if (status)
			return status;
		side->common = walk->matched.common[i];
		cluster[i] = sl_cluster_of(pass_of(side));
	}
	walk->names = cluster[0]->node_name && cluster[1]->node_name;
	walk->places = cluster[0]->node_count && cluster[1]->node_count &&
		       (cluster[0]->node_name != NULL) == (cluster[1]->node_name != NULL);
	return SL_OK;
}

static void begin_found(
	struct first_difference *found, const struct scenario *scenario, const char *const label[2])
{
	*found = (struct first_difference){ .epoch = scenario->epoch, .utc_offset = scenario->utc_offset };
	found->parted = found->met = found->met_for_good = SL_NONE;
	for (size_t i = 0; i < 2; i++) {
		found->side[i].label = label[i];
		found->side[i].gpus_free = -1;
		found->side[i].planned = SL_NONE;
		found->side[i].cpu_parts = found->side[i].gpu_parts = 1;
	}
}

/* Texts of jobs and users are the scenarios'. */
static int keep_text(const char **text, struct sl_arena *arena, struct sl_err *err)
{
	if (!*text)
		return SL_OK;
	*text = sl_strdup(arena, *text, strlen(*text));
	return *text ? SL_OK : sl_fail_memory(err);
}

static int keep_side(struct difference_side *side, struct sl_arena *arena, struct sl_err *err)
{
	int status = keep_text(&side->beneficiary, arena, err);
	if (!status)
		status = keep_text(&side->head, arena, err);
	for (size_t i = 0; i < DIFFERENCE_MANY && !status; i++)
		status = keep_text(&side->other[i].job, arena, err);
	return status;
}

static int keep_texts(struct first_difference *found, struct sl_arena *arena, struct sl_err *err)
{
	int status = keep_text(&found->job, arena, err);
	for (size_t i = 0; i < 2 && !status; i++)
		status = keep_side(&found->side[i], arena, err);
	for (size_t i = 0; i < DIFFERENCE_MANY && !status; i++) {
		status = keep_text(&found->most[i].id, arena, err);
		if (!status)
			status = keep_text(&found->most[i].user, arena, err);
		if (!status)
			status = keep_text(&found->hurt[i].name, arena, err);
		if (!status)
			status = keep_text(&found->helped[i].name, arena, err);
	}
	return status;
}

int first_difference(struct first_difference *found, struct rerun *a, struct rerun *b,
	const char *const label[2], struct sl_arena *arena, struct sl_err *err)
{
	struct walk walk = { .found = found, .side = { { .rerun = a }, { .rerun = b } }, .arena = arena };
	const struct schedule jobs[2] = { schedule_of_jobs(&a->scenario.jobs),
		schedule_of_jobs(&b->scenario.jobs) };
	begin_found(found, &b->scenario, label);
	int status = schedules_match(&walk.matched, jobs, walk.arena, err);
	if (!status) {
		report_settings(&walk, a, b);
		status = walk_begin(&walk, err);
	}
	if (!status)
		status = walk_on(&walk, err);
	if (!status)
		status = walk_end(&walk, err);
	if (!status)
		status = keep_texts(found, arena, err);
	for (size_t i = 0; i < 2; i++) {
		if (walk.side[i].begun)
			sim_release(&walk.side[i].sim);
		free(walk.side[i].act);
	}
	return status;
}

/* ---- A file and a run ------------------------------------------------------------------------------------
 */

struct by_files {
	struct first_difference *found;
	struct schedule side[2];
	struct matched matched;
	struct sl_arena *arena;
	sl_time at;
	uint32_t job;
	enum sl_decision_kind decision;
};

static sl_time earlier(sl_time a, sl_time b)
{
	if (a == SL_NONE || b == SL_NONE)
		return a == SL_NONE ? b : a;
	return a < b ? a : b;
}

static void files_part(struct by_files *files, sl_time at, uint32_t job, enum sl_decision_kind decision)
{
	if (files->found->differs && files->at <= at)
		return;
	files->found->differs = true;
	files->at = at;
	files->job = job;
	files->decision = decision;
}

/* Of that job, as far as starts, ends and states go. */
static void report_by_files(const struct by_files *files, size_t i)
{
	struct difference_side *reported = &files->found->side[i];
	const struct schedule *side = &files->side[i];
	const uint32_t row = files->matched.row[i][files->job];
	const sl_time at = files->decision == SL_DECISION_START ? side->start[row] : side->end[row];
	reported->acted = at == files->at;
	reported->decision = (struct sl_decision){ .at = files->at,
		.job = row,
		.beneficiary = UINT32_MAX,
		.decision = (uint8_t)files->decision,
		.how = files->decision == SL_DECISION_END ? side->state[row] : 0 };
	reported->there = side->submit[row] <= files->at;
	reported->state = SL_PENDING;
	if (side->start[row] != SL_NONE && side->start[row] <= files->at)
		reported->state = SL_RUNNING;
	if (side->end[row] != SL_NONE && side->end[row] <= files->at)
		reported->state = (enum sl_state)side->state[row];
}

static int files_compare(struct by_files *files, struct sl_err *err)
{
	const struct schedule *side = files->side;
	int status = schedules_match(&files->matched, side, files->arena, err);
	for (uint32_t i = 0; i < files->matched.count && !status; i++) {
		const uint32_t a = files->matched.row[0][i];
		const uint32_t b = files->matched.row[1][i];
		if (side[0].start[a] != side[1].start[b])
			files_part(files, earlier(side[0].start[a], side[1].start[b]), i, SL_DECISION_START);
		if (side[0].end[a] != side[1].end[b] || side[0].state[a] != side[1].state[b])
			files_part(files, earlier(side[0].end[a], side[1].end[b]), i, SL_DECISION_END);
	}
	if (!status && files->found->differs) {
		files->found->at = files->at;
		files->found->job = schedule_id(&side[1], files->matched.row[1][files->job], files->arena);
		report_by_files(files, 0);
		report_by_files(files, 1);
	}
	return status ? status : schedules_led(files->found, side, &files->matched, files->arena, err);
}

int first_difference_files(struct first_difference *found, const char *const jobs_csv[2],
	const char *const label[2], struct sl_arena *arena, struct sl_err *err)
{
	struct by_files files = { .found = found, .arena = arena };
	begin_found(found, &(struct scenario){ 0 }, label);
	found->by_files = true;
	int status = schedule_read(&files.side[0], jobs_csv[0], arena, err);
	if (!status)
		status = schedule_read(&files.side[1], jobs_csv[1], arena, err);
	return status ? status : files_compare(&files, err);
}
