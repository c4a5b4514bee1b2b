/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_close.c - a solution that KAI neither settles nor takes back: it is seen by the rest of the
 * session, and gone after it. (KAI: solvers/job_solver.go; recorded cases of random/subgroups.)
 */
#include <criterion/criterion.h>

#include "tests/world/kai_small.h"

/* A GPU, taken by a job that may be preempted; one that needs one of two pod sets, either of one task. */
struct held {
	struct kai_small w;
	uint32_t victim, wanting;
};

static struct held open_held(void)
{
	struct held h = { .w = kai_small_open() };
	struct kai *kai = h.w.kai;
	(void)kai_small_node(&h.w, "n0", 1);
	(void)kai_small_queue(&h.w, "q", NULL, 100, -1, 1);
	kai_small_seal(&h.w);
	kai->config.action[0] = KAI_PREEMPT;
	kai->config.action_count = 1;
	h.victim = kai_small_job(&h.w, "victim", "q", 50, 1, 1, 10);
	kai_small_run(&h.w, h.victim, "n0", KAI_NO, 10);
	h.wanting = kai_job(kai, "wanting", 2, 3);
	struct kai_job *job = &kai->job[h.wanting];
	const struct kai_request one = { .cpu = 1, .mem = 1, .kind = KAI_WHOLE, .gpus = 1 };
	job->queue = kai_find_queue(kai, "q");
	job->priority = 60;
	job->group[0].min = 1;
	for (uint32_t i = 0; i < 2; i++) {
		job->group[i + 1].name = kai_text(kai, i ? "b" : "a");
		job->group[i + 1].min = 1;
		kai->task[job->task + i].group = i + 1;
		kai->task[job->task + i].uid = kai_text(kai, i ? "b-0" : "a-0");
		kai->task[job->task + i].request = kai_request(kai, &one);
	}
	kai_small_enter(&h.w, h.wanting);
	return h;
}

Test(kai_close, what_was_left_open_is_there_to_the_end_of_the_session)
{
	struct held h = open_held();
	h.w.kai->config.keep_open = true;
	cr_assert_eq(kai_session(h.w.kai), 0);
	cr_expect_eq(h.w.kai->effect_count, 0, "nobody is told");
	cr_expect_str_eq(kai_small_reported(&h.w, h.victim), "x@n0");
	cr_expect_str_eq(kai_small_reported(&h.w, h.wanting), "l@n0 p");
	kai_small_close(&h.w);
}

Test(kai_close, then_it_is_as_if_it_had_not_been)
{
	struct held h = open_held();
	const struct kai_queue *queue = &h.w.kai->queue[kai_find_queue(h.w.kai, "q")];
	cr_assert_eq(kai_session(h.w.kai), 0);
	cr_expect_eq(h.w.kai->effect_count, 0);
	cr_expect_str_eq(kai_small_reported(&h.w, h.victim), "r@n0");
	cr_expect_str_eq(kai_small_reported(&h.w, h.wanting), "p p");
	cr_expect_eq(queue->allocated.at[KAI_GPUS], KAI_GPU);
	cr_expect_eq(h.w.kai->node[0].idle.gpus, 0);
	cr_expect_eq(h.w.kai->node[0].releasing.gpus, 0);
	kai_small_close(&h.w);
}
