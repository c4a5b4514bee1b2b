/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent.c - the policy `agent`: the next start is decided outside, by a program that drives the run
 * (sl_run_decide, SchedlabEnv in schedlab.py), or by a file of choices that were recorded so.
 *
 * In a pass, as long as one of the first `slots` jobs of the queue could start, it asks which (a decision
 * step). A job: it starts, and the next step follows; none: the pass is over. Steps are counted in a ledger,
 * so that a rerun pass asks the same.
 */
#include <stdio.h>
#include <string.h>

#include "sim/plugin.h"

enum { PARAM_SLOTS, PARAM_MASK, PARAM_CHOICES, PARAM_COUNT };
enum { MASK_FITS, MASK_EASY };
enum { SLOTS_MAX = 4096 };
#define SCHEMA "schedlab.choices/1"

static const struct sl_param params[PARAM_COUNT] = {
	[PARAM_SLOTS] = { "slots", SL_PARAM_INT, "64", "1..4096",
		"so many jobs, from the front of the queue, are looked at", 1, SLOTS_MAX },
	[PARAM_MASK] = { "mask", SL_PARAM_CHOICE, "fits", "fits|easy",
		"offered is whoever fits, or who delays not the first in the queue, either", 0, 0 },
	[PARAM_CHOICES] = { "choices", SL_PARAM_DOC, NULL, NULL,
		"a file of recorded choices, " SCHEMA ": nobody is asked", 0, 0 },
};

struct agent {
	sl_ledger asked;
	bool easy;
	uint32_t slots;
	sl_job *offered;
	const struct sl_doc *doc; /* NULL: the program that drives the run decides. */
	const struct sl_doc_node **choice;
	uint32_t choice_count;
};

/* ---- Recorded choices ------------------------------------------------------------------------- */

static int read_choices(struct agent *agent, const struct sl_setup *setup, struct sl_err *err)
{
	const struct sl_doc *doc = agent->doc;
	const struct sl_doc_node *root = &doc->node[0];
	const struct sl_place at = sl_doc_place(doc, root);
	const struct sl_doc_node *schema = sl_doc_member(doc, root, "schema");
	const struct sl_doc_node *list = sl_doc_member(doc, root, "choices");
	if (!schema || schema->kind != SL_DOC_TEXT || strcmp(doc->text + schema->text, SCHEMA) != 0)
		return sl_fail_at(err, &at, "not a file of choices: its schema has to be \"" SCHEMA "\"");
	if (!list || list->kind != SL_DOC_LIST)
		return sl_fail_at(err, &at, "it has no list 'choices'");
	agent->choice = sl_alloc(setup->arena, (size_t)list->count + 1, sizeof(struct sl_doc_node *));
	if (!agent->choice)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	SL_DOC_EACH (node, doc, list) {
		int64_t row;
		const char *text = doc->text + node->text;
		const struct sl_place there = sl_doc_place(doc, node);
		if (node->kind != SL_DOC_TEXT || !sl_get_i64(text, strlen(text), &row) || row < -1 ||
			row >= (int64_t)setup->jobs->count)
			return sl_fail_at(err, &there,
				"a choice is the row of a job, from 0 to %u, or -1 for none",
				setup->jobs->count - 1);
		agent->choice[agent->choice_count++] = node;
	}
	return SL_OK;
}

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct agent *agent = sl_alloc(setup->arena, 1, sizeof(*agent));
	if (!agent)
		return sl_fail_memory(err);
	*state = agent;
	agent->slots = (uint32_t)setup->values[PARAM_SLOTS].number;
	agent->easy = setup->values[PARAM_MASK].number == MASK_EASY;
	agent->offered = sl_alloc(setup->arena, agent->slots, sizeof(*agent->offered));
	if (!agent->offered)
		return sl_fail_memory(err);
	agent->asked = sl_ledger_new(setup, "agent/asked", 1);
	agent->doc = sl_param_doc(setup, "choices");
	return agent->doc ? read_choices(agent, setup, err) : SL_OK;
}

/* ---- Passes ------------------------------------------------------------------------------------- */

static size_t offer_fits(struct agent *agent, struct sl_pass *pass)
{
	size_t count = 0;
	uint32_t slot = 0;
	for (sl_job job = sl_queue_first(pass); sl_job_is(job) && slot < agent->slots; slot++) {
		if (sl_fits(pass, job))
			agent->offered[count++] = job;
		job = sl_queue_after(pass, job);
	}
	return count;
}

/* EASY (Lifka, JSSPP 1995): the first if it fits, else jobs that do not delay it. */
static size_t offer_easy(struct agent *agent, struct sl_pass *pass)
{
	size_t count = 0;
	const sl_job head = sl_queue_first(pass);
	if (!sl_job_is(head))
		return 0;
	if (sl_fits(pass, head)) {
		agent->offered[0] = head;
		return 1;
	}
	const struct sl_promise shadow = sl_shadow(pass, head);
	struct sl_promise left = shadow; /* Each is asked of the whole: one of them starts. */
	sl_job fits = sl_queue_next_fit(pass, head, &left);
	sl_job job = sl_queue_after(pass, head);
	for (uint32_t slot = 1; sl_job_is(job) && sl_job_is(fits) && slot < agent->slots; slot++) {
		if (job.row == fits.row) {
			agent->offered[count++] = job;
			left = shadow;
			fits = sl_queue_next_fit(pass, job, &left);
		}
		job = sl_queue_after(pass, job);
	}
	return count;
}

static void fail_choice(struct agent *agent, struct sl_pass *pass, uint64_t number, const char *what)
{
	struct sl_err err = { 0 };
	char when[40];
	const struct sl_doc_node *node =
		number < agent->choice_count ? agent->choice[number] : &agent->doc->node[0];
	const struct sl_place at = sl_doc_place(agent->doc, node);
	*sl_put_micro(when, sl_now(pass)) = '\0';
	(void)sl_fail_at(&err, &at, "%s at %s s: the choices are of another run", what, when);
	sl_fail_run(pass, &err);
}

static bool is_offered(const struct agent *agent, size_t count, sl_job job)
{
	for (size_t i = 0; i < count; i++)
		if (agent->offered[i].row == job.row)
			return true;
	return false;
}

static bool recorded(struct agent *agent, struct sl_pass *pass, uint64_t number, size_t count, sl_job *answer)
{
	int64_t row = -1;
	if (number >= agent->choice_count) {
		fail_choice(agent, pass, number, "there is no choice left");
		return false;
	}
	const char *text = agent->doc->text + agent->choice[number]->text;
	(void)sl_get_i64(text, strlen(text), &row);
	*answer = row < 0 ? SL_JOB_NONE : (sl_job){ (uint32_t)row };
	if (row < 0 || is_offered(agent, count, *answer))
		return true;
	fail_choice(agent, pass, number, "this job cannot be chosen");
	return false;
}

static void pass_agent(void *state, struct sl_pass *pass)
{
	struct agent *agent = state;
	while (sl_any_fits(pass)) {
		const uint64_t number = (uint64_t)sl_ledger_get(pass, agent->asked, 0);
		const size_t count = agent->easy ? offer_easy(agent, pass) : offer_fits(agent, pass);
		sl_job answer;
		if (!count)
			break;
		if (!(agent->doc ? recorded(agent, pass, number, count, &answer)
				 : sl_query(pass, number, agent->offered, count, &answer)))
			return;
		sl_ledger_add(pass, agent->asked, 0, 1);
		if (!sl_job_is(answer))
			break;
		if (!sl_start(pass, answer))
			return;
	}
	const sl_job head = sl_queue_first(pass);
	if (sl_job_is(head))
		sl_head_left(pass, head);
}

const struct sl_policy agent_policy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "agent",
	.summary = "who starts next is chosen outside, by a program or from a file",
	.paper = "Zhang et al., SC 2020 (RLScheduler)",
	.params = params,
	.param_count = PARAM_COUNT,
	.init = init,
	.pass = pass_agent,
};
