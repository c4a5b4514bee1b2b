/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lua_policy.c - a script as a whole policy: pass(s), and if it has them order(job, now), fill(job),
 * estimate(job), score(node, task), on_event(e, s) and tell(s).
 *
 * A pass can be undone and rerun; what a script keeps in its own variables cannot. So it may change them in
 * on_event() alone, and in a pass count in ledgers. Under --check each pass is made twice: a script that
 * decides otherwise the second time ends its run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/lua/lua_parts.h"
#include "policies/lua/lua_sim.h"

enum has { HAS_ORDER = 1, HAS_WAITS = 2, HAS_FILL = 4, HAS_ESTIMATE = 8, HAS_EVENT = 16, HAS_EXPIRED = 32 };

struct lua_run {
	struct lua_sim sim;
	unsigned has;
};

/* ---- Init --------------------------------------------------------------------------------------------- */

static unsigned functions(struct lua_sim *sim)
{
	const int order = luaw_takes(sim, "order", NULL);
	unsigned has = order >= 0 ? HAS_ORDER : 0;
	has |= order >= 2 ? HAS_WAITS : 0;
	has |= luaw_takes(sim, "fill", NULL) >= 0 ? HAS_FILL : 0;
	has |= luaw_takes(sim, "estimate", NULL) >= 0 ? HAS_ESTIMATE : 0;
	has |= luaw_takes(sim, "expired", NULL) >= 0 ? HAS_EXPIRED : 0;
	return has | (luaw_takes(sim, "on_event", NULL) >= 0 ? HAS_EVENT : 0);
}

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct lua_run *run = sl_alloc(setup->arena, 1, sizeof(*run));
	if (!run)
		return sl_fail_memory(err);
	*state = run;
	struct sl_script *script = sl_param_script(setup, NULL);
	if (!script)
		return sl_fail(err, SL_USAGE, "a policy in Lua is named by its file: -p mine.lua");
	struct lua_sim *sim = &run->sim;
	int status = luaw_open(sim, setup, script, err);
	unsigned uses = 0;
	if (!status)
		status = script_uses(sim, &uses, err);
	if (!status)
		status = script_values(sim, setup, err);
	if (status)
		return luaw_early(sim, status, err) ? SL_OK : status;
	sim->uses = uses;
	run->has = functions(sim);
	uses |= run->has & HAS_ORDER ? SL_USE_KEYS : 0;
	uses |= run->has & HAS_FILL ? SL_USE_FILL : 0;
	uses |= run->has & HAS_ESTIMATE ? SL_USE_ESTIMATES | SL_USE_EXPIRY : 0;
	status = sl_use(setup, uses, err);
	if (!status)
		command_ledgers(sim, setup, err);
	status = err->status;
	sl_default_rule(setup, SL_RULE_ORDER);
	if (!status && luaw_takes(sim, "score", NULL) >= 0)
		status = sl_set_node_scorer(setup, &place_lua, SL_TIES_INDEX, err);
	return status;
}

static void lua_policy_release(void *state)
{
	struct lua_run *run = state;
	luaw_close(&run->sim);
}

/* ---- Submissions ----------------------------------------------------------------------------- */

static double order_key(void *state, struct sl_pass *pass, sl_job job)
{
	struct lua_run *run = state;
	struct sl_answer answer;
	(void)pass;
	return part_query(&run->sim, "order", job, 1U << SL_ANSWER_NUMBER, &answer) ? answer.key : 0;
}

/* Between a microsecond and its limit; nil: its limit. */
static void set_estimate(struct lua_run *run, struct sl_pass *pass, sl_job job, const char *function)
{
	struct sl_answer answer;
	const sl_time limit = sl_jobs_of(pass)->limit[job.row];
	if (!part_query(&run->sim, function, job, 1U << SL_ANSWER_NUMBER | 1U << SL_ANSWER_NONE, &answer))
		return;
	const bool said = answer.kind == SL_ANSWER_NUMBER && answer.micro < limit;
	sl_set_estimate(pass, job, !said ? limit : answer.micro > 1 ? answer.micro : 1);
}

static void submitted(struct lua_run *run, struct sl_pass *pass, sl_job job)
{
	struct sl_answer answer;
	if (run->has & HAS_ESTIMATE)
		set_estimate(run, pass, job, "estimate");
	if (run->has & HAS_ORDER)
		sl_set_key(pass, job, order_key(run, pass, job));
	if (run->has & HAS_FILL && part_query(&run->sim, "fill", job, 1U << SL_ANSWER_NUMBER, &answer))
		sl_set_fill_key(pass, job, answer.key);
}

/* It outlived its estimate: a longer one, else its limit. */
static void expired(struct lua_run *run, struct sl_pass *pass, sl_job job)
{
	const sl_time limit = sl_jobs_of(pass)->limit[job.row];
	const sl_time before = sl_estimate_of(pass, job);
	struct sl_answer answer = { 0 };
	if (sl_state_of(pass, job) != SL_RUNNING || sl_start_of(pass, job) + before != sl_now(pass) ||
		before >= limit)
		return;
	const unsigned kinds = 1U << SL_ANSWER_NUMBER | 1U << SL_ANSWER_NONE;
	if (run->has & HAS_EXPIRED && !part_query(&run->sim, "expired", job, kinds, &answer))
		return;
	const bool said = answer.kind == SL_ANSWER_NUMBER && answer.micro > before && answer.micro < limit;
	sl_set_estimate(pass, job, said ? answer.micro : limit);
}

/* ---- Events ---------------------------------------------------------------------------------- */

enum { TIMER_ROW = 1U << 31 };

static const char *const class_name[SL_EV_CLASS_COUNT] = {
	[SL_EV_JOB_END] = "end",
	[SL_EV_TIME_LIMIT] = "end",
	[SL_EV_NODE_DOWN] = "node_down",
	[SL_EV_NODE_UP] = "node_up",
	[SL_EV_RESERVATION] = "reservation",
	[SL_EV_MODEL] = "failed",
	[SL_EV_SUBMIT] = "submit",
	[SL_EV_CANCEL] = "cancel",
	[SL_EV_TIMER] = "timer",
};

static bool is_of_job(enum sl_event_class class)
{
	return class == SL_EV_JOB_END || class == SL_EV_TIME_LIMIT || class == SL_EV_MODEL ||
	       class == SL_EV_SUBMIT || class == SL_EV_CANCEL;
}

/* e = { type = "end", time = ..., job = ... }; a timer has its tag, a node's event its number. */
static void push_event(struct lua_sim *sim, const struct sl_event *event)
{
	lua_State *L = sim->L;
	lua_createtable(L, 0, 4);
	lua_pushstring(L, class_name[event->class]);
	lua_setfield(L, -2, "type");
	push_seconds(L, event->time);
	lua_setfield(L, -2, "time");
	if (is_of_job(event->class)) {
		job_push(L, (sl_job){ event->row });
		lua_setfield(L, -2, "job");
	} else if (event->class == SL_EV_TIMER) {
		lua_pushinteger(L, event->row & ~(uint32_t)TIMER_ROW);
		lua_setfield(L, -2, "tag");
	} else if (event->class != SL_EV_RESERVATION) {
		lua_pushinteger(L, (lua_Integer)event->row + 1);
		lua_setfield(L, -2, "node");
	}
}

static void report_event(struct lua_run *run, const struct sl_event *event)
{
	struct lua_sim *sim = &run->sim;
	if (!(run->has & HAS_EVENT) || sim->failed || !luaw_function(sim, "on_event"))
		return;
	sim->draw.what = "event";
	sim->draw.which = ++sim->number;
	sim->draw.of = 0;
	push_event(sim, event);
	pass_push(sim->L);
	(void)luaw_call(sim, "on_event", 2, 0);
}

static void on_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	struct lua_run *run = state;
	run->sim.pass = pass;
	run->sim.mute = false;
	if (event->class == SL_EV_TIMER && !(event->row & TIMER_ROW)) {
		expired(run, pass, (sl_job){ event->row });
		return;
	}
	report_event(run, event); /* First: what it learns of a job may be asked below. */
	if (event->class == SL_EV_SUBMIT)
		submitted(run, pass, (sl_job){ event->row });
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* A rerun pass, which the engine undid: its decisions must be the same as before. */
static void compare_passes(struct lua_sim *sim, bool retry)
{
	char text[300];
	char at[40];
	int line = 0;
	if (!retry || sim->done == sim->done_before || sim->failed)
		return;
	(void)luaw_takes(sim, "pass", &line);
	*sl_put_micro(at, sl_now(sim->pass)) = '\0';
	(void)snprintf(text, sizeof(text),
		"pass() was taken back and made again at %s s, and did otherwise: what it keeps of its own must change "
		"in on_event() alone; in a pass count in ledgers",
		at);
	luaw_fail(sim, line, text);
}

static void pass_once(void *state, struct sl_pass *pass)
{
	struct lua_run *run = state;
	struct lua_sim *sim = &run->sim;
	const uint64_t number = sl_pass_number(pass);
	const bool retry = number == sim->pass_number;
	sim->pass = pass;
	sim->done_before = sim->done;
	sim->done = UINT64_C(0xcbf29ce484222325);
	sim->pass_number = number;
	sim->passes += !retry;
	sim->mute = retry;
	if (run->has & HAS_WAITS && luaw_good(sim))
		sl_queue_rekey(pass, order_key, run);
	if (!luaw_good(sim) || !luaw_function(sim, "pass"))
		return;
	sim->draw.what = "pass";
	sim->draw.which = sim->passes;
	sim->draw.of = 0;
	pass_push(sim->L);
	sim->in_pass = true;
	(void)luaw_call(sim, "pass", 1, 0);
	sim->in_pass = false;
	compare_passes(sim, retry);
}

/* ---- The end --------------------------------------------------------------------------------- */

static int lua_policy_report(void *state, struct sl_pass *pass, struct sl_tally *tally, struct sl_err *err)
{
	struct lua_run *run = state;
	struct lua_sim *sim = &run->sim;
	sim->pass = pass;
	sim->mute = false;
	if (!luaw_good(sim) || !luaw_function(sim, "tell"))
		return SL_OK;
	sim->draw.what = "tell";
	struct sl_err own = { 0 };
	sim->tally = tally;
	sim->tally_err = &own;
	pass_push(sim->L);
	const int status = luaw_try(sim, "tell", 1, 0, err);
	sim->tally = NULL;
	if (!status || status == SL_INTERRUPTED)
		return status;
	err->status = SL_POLICY;
	return SL_POLICY;
}

const struct sl_policy lua_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "lua",
	.summary = "a script in Lua",
	.init = init,
	.pass = pass_once,
	.on_event = on_event,
	.release = lua_policy_release,
	.report = lua_policy_report,
};
