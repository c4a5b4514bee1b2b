/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bad.c - a plug-in with something wrong, or old: the one that the compiler is told as CASE.
 */
#include <stdlib.h>

#include <schedlab/plugin.h>

enum {
	GOOD,
	/* How it is made. */
	MAJOR,
	BEFORE,
	MINOR,
	LARGE,
	SMALL,
	NO_PASS,
	NO_HELP,
	ODD_NAME,
	BUILT_IN,
	OLD,
	/* What it decides. */
	STARVES,
	COUNTS,
	DRAWS,
	HANGS,
	CRASHES,
	LEAVES_MARK,
	BY_CLOCK,
	BY_USER
};

#define IS(case) (CASE == (case))
#define VERSION                                         \
	(IS(MAJOR)           ? (SL_ABI_MAJOR + 1) << 16 \
		: IS(BEFORE) ? (SL_ABI_MAJOR - 1) << 16 \
			     : SL_ABI_VERSION + IS(MINOR))
#define SIZE                                                       \
	(IS(LARGE)          ? sizeof(struct sl_policy) + 8         \
		: IS(SMALL) ? offsetof(struct sl_policy, pass)     \
		: IS(OLD)   ? offsetof(struct sl_policy, on_event) \
			    : sizeof(struct sl_policy))

struct memory {
	uint32_t passes;
	int64_t cpus;
};

static int init(void **state, const struct sl_setup *setup, struct sl_err *err)
{
	struct memory *memory = sl_alloc(setup->arena, 1, sizeof(*memory));
	if (!memory)
		return sl_fail(err, SL_SYSTEM, "out of memory");
	memory->cpus = setup->cpus;
	*state = memory;
	return SL_OK;
}

/* Shared by all runs of the process: what a plug-in must not have. */
static _Atomic uint32_t drawn;

/* False: nobody starts in this pass. */
static bool willing(struct memory *memory, struct sl_pass *pass, sl_job first)
{
	const sl_time noon = 43200 * SL_SECOND;
	memory->passes++;
	switch (CASE) {
	case STARVES: /* Who wants the whole machine, and all behind. */
		return sl_jobs_of(pass)->size[first.row] < memory->cpus;
	case COUNTS: /* What no undo brings back. */
		if (memory->passes % 4 == 0)
			sl_wake(pass, sl_now(pass) + SL_SECOND);
		return memory->passes % 4 != 0;
	case DRAWS:
		return drawn++ % 5 != 0;
	case HANGS:
		for (;;)
			(void)sl_now(pass);
	case CRASHES:
		abort();
	case LEAVES_MARK:
		(void)sl_mark(pass);
		return true;
	case BY_CLOCK:
		if (sl_now(pass) < noon)
			sl_wake(pass, noon);
		return sl_now(pass) >= noon;
	default:
		return true;
	}
}

/* In order, while it fits. */
static void pass_once(void *state, struct sl_pass *pass)
{
	sl_job head = sl_queue_first(pass);
	if (!sl_job_is(head) || !willing(state, pass, head))
		return;
	while (sl_job_is(head) && sl_start(pass, head)) {
		if (IS(BY_USER) && sl_jobs_of(pass)->user[head.row] > 10)
			return; /* One a pass. */
		head = sl_queue_first(pass);
	}
	if (sl_job_is(head))
		sl_head_waits(pass, head);
}

/* Behind the end of a vtable that is old. */
static void on_event(void *state, struct sl_pass *pass, const struct sl_event *event)
{
	(void)state;
	(void)pass;
	(void)event;
	abort();
}

static const struct sl_param params[] = { { .key = "nothing", .kind = SL_PARAM_INT, .fallback = "1" } };

static const struct sl_policy policy = {
	.abi = { VERSION, SIZE },
	.name = IS(ODD_NAME)   ? "two words"
		: IS(BUILT_IN) ? "easy"
			       : "bad",
	.summary = "with something wrong",
	.params = IS(NO_HELP) ? params : NULL,
	.param_count = IS(NO_HELP),
	.init = init,
	.pass = IS(NO_PASS) ? NULL : pass_once,
	.on_event = IS(OLD) ? on_event : NULL,
};

static const struct sl_policy *const policies[] = { &policy, NULL };

SL_API const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "bad",
	.policies = policies,
};
