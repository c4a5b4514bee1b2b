/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * my-easy.c - EASY backfilling as a plug-in: the first in the queue is promised the earliest start that the
 * time limits allow, and others may overtake it if they do not delay that.
 *
 * docs/add-a-policy.md goes through it.
 */
#include <schedlab/plugin.h>

/* What it is made with; it remembers nothing else. */
struct my_easy {
	bool shortest;
};

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct my_easy *easy = sl_alloc(setup->arena, 1, sizeof(*easy));
	if (!easy)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	easy->shortest = sl_value_of(setup->values, setup->value_count, "fill")->number == 1;
	*state = easy;
	return easy->shortest ? sl_use(setup, SL_USE_FILL, err) : SL_OK;
}

static void on_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	const struct my_easy *easy = state;
	const sl_job job = { event->row };
	if (event->class == SL_EV_SUBMIT && easy->shortest)
		sl_set_fill_key(pass, job, (double)sl_estimate_of(pass, job));
}

static void pass_once(void *state, struct sl_pass *pass)
{
	(void)state;
	/* From the front, while it fits. */
	sl_set_cause(pass, SL_RULE_ORDER, SL_JOB_NONE);
	sl_job head = sl_queue_first(pass);
	while (sl_job_is(head) && sl_start(pass, head))
		head = sl_queue_first(pass);
	if (!sl_job_is(head))
		return;
	sl_head_waits(pass, head);

	/* The earliest time at which the head fits, and what it leaves over then. */
	struct sl_promise shadow = sl_shadow(pass, head);
	sl_report_plan(pass, head, shadow.at);
	sl_set_cause(pass, SL_RULE_BACKFILL, head);
	sl_job job = head;
	while (sl_job_is(job = sl_queue_next_fit(pass, job, &shadow)))
		sl_start(pass, job);
}

static const struct sl_param params[] = {
	{ .key = "fill",
		.kind = SL_PARAM_CHOICE,
		.fallback = "queue",
		.choices = "queue|shortest",
		.help = "the order in which others are tried: as they wait, or by their time limit" },
};

static const struct sl_policy my_easy = {
	.abi = SL_ABI_OF(struct sl_policy),
	.name = "my-easy",
	.summary = "EASY, built outside the tree",
	.paper = "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995",
	.params = params,
	.param_count = SL_LEN(params),
	.init = init,
	.on_event = on_event,
	.pass = pass_once,
};

static const struct sl_policy *const policies[] = { &my_easy, NULL };

SL_API const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "my-easy",
	.policies = policies,
};
