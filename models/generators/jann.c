/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * jann.c - jobs by classes of size, each with hyper-Erlang gaps and run times of its own.
 *
 * J. Jann, P. Pattnaik, H. Franke, F. Wang, J. Skovira, J. Riordan, "Modeling of workload in MPPs", JSSPP
 * 1997: in each class the first three moments of the gaps and of the run times are matched by a hyper-Erlang
 * distribution of common order (drawing.c). The classes of the paper are 1, 2, 3-4, 5-8 ... of a machine of
 * 322; its tables of moments were not at hand. The defaults have its classes, and moments that are
 * assumptions; `schedlab generate fit --model jann` finds those of a trace. Sizes are uniform within a class:
 * an assumption too.
 */
#include <stdio.h>

#include "models/generators/generators.h"

enum { CLASSES_MAX = 64, NUMBERS = 6 };
enum param { CLASSES = GEN_SHARED };

static const struct sl_param params[] = {
	GEN_PARAMS_SHARED("322", "processors of the machine", "swf"),
	[CLASSES] = { "classes", SL_PARAM_TEXT,
		"1:1800/4/60/3600/5/90+2:9000/4/60/5400/4/60+3-4:7200/4/60/7200/4/60+5-8:5400/4/60/9000/3/40+"
		"9-16:7200/4/60/10800/3/40+17-32:9000/4/60/10800/2/25+33-64:14400/4/60/9000/2/25+"
		"65-128:28800/4/60/7200/2/25+129-256:86400/4/60/5400/3/40+257-322:172800/4/60/3600/3/40",
		NULL,
		"SIZES:gap/cv2/m3/run/cv2/m3, with + between classes: mean seconds, variance over the square of "
		"the mean, third moment over its cube",
		0, 0 },
};

struct class
{
	int64_t from, to;
	struct gen_hyper gap, run;
	struct sl_rng size, gaps, runs;
	sl_time next;
};

static bool moments(struct gen_hyper *h, const int64_t *number)
{
	return number[0] > 0 && number[0] <= 1000000000 * GEN_MICRO && number[1] > 0 && number[2] > 0 &&
	       gen_hyper_of_moments(
		       h, (double)number[0] / 1e6, (double)number[1] / 1e6, (double)number[2] / 1e6);
}

/* A gap of more than a century is held there. */
static void move_on(struct class *class)
{
	const double far = 4e9;
	const double gap = gen_hyper_drawn(&class->gap, &class->gaps);
	class->next += (sl_time)((gap < far ? gap : far) * (double)SL_SECOND);
}

static int class_init(struct class *class, const struct gen_item *item, const struct gen_work *w,
	size_t number, struct sl_err *err)
{
	if (item->count != NUMBERS || item->to > w->cpus)
		return sl_fail(err, SL_USAGE,
			"'classes': class %zu has %zu numbers of 6, or sizes above 'cpus': give "
			"SIZES:gap/cv2/m3/run/cv2/m3",
			number + 1, item->count);
	*class = (struct class){ .from = item->from, .to = item->to };
	if (!moments(&class->gap, item->number) || !moments(&class->run, item->number + 3))
		return sl_fail(err, SL_USAGE,
			"'classes': no hyper-Erlang distribution has the moments of class %zu: cv2 and m3 must "
			"be above 0, m3 at least (1 + cv2)^2 (n + 2) / (n + 1) for an order n above 1 / cv2",
			number + 1);
	static const char *const what[] = { "size", "gap", "run" };
	struct sl_rng *const stream[] = { &class->size, &class->gaps, &class->runs };
	for (size_t i = 0; i < SL_LEN(what); i++) {
		char path[64]; /* By its sizes: one more class moves no other. */
		(void)snprintf(path, sizeof(path), "%lld-%lld/%s", (long long)class->from,
			(long long)class->to, what[i]);
		*stream[i] = gen_stream(w, path);
	}
	move_on(class);
	return SL_OK;
}

/* Two classes of the same sizes would draw from the same streams. */
static bool is_twice(const struct gen_item *item, size_t which)
{
	size_t i = 0;
	while (i < which && (item[i].from != item[which].from || item[i].to != item[which].to))
		i++;
	return i < which;
}

static int jann_draw(struct gen_work *w, struct sl_err *err)
{
	struct gen_item item[CLASSES_MAX];
	struct class class[CLASSES_MAX] = { { 0 } };
	const char *wrong;
	const size_t count = gen_items(w->values[CLASSES].text, item, CLASSES_MAX, &wrong);
	if (!count)
		return sl_fail(err, SL_USAGE,
			"'classes': '%.40s' is no class: give SIZES:gap/cv2/m3/run/cv2/m3", wrong);
	int status = SL_OK;
	for (size_t i = 1; i < count; i++)
		if (is_twice(item, i))
			return sl_fail(err, SL_USAGE, "'classes': %lld-%lld is given twice: join the two",
				(long long)item[i].from, (long long)item[i].to);
	for (size_t i = 0; i < count && !status; i++)
		status = class_init(&class[i], &item[i], w, i, err);
	for (uint32_t i = 0; i < w->count && !status; i++) {
		size_t first = 0; /* The earliest; of several the first. */
		for (size_t c = 1; c < count; c++)
			if (class[c].next < class[first].next)
				first = c;
		struct class *from = &class[first];
		const uint64_t sizes = (uint64_t)(from->to - from->from) + 1;
		w->job[i].submit = from->next;
		w->job[i].what = (uint32_t)first;
		w->job[i].size = (int32_t)(from->from + (int64_t)sl_rng_below(&from->size, sizes));
		w->job[i].run = gen_whole(gen_hyper_drawn(&from->run, &from->runs));
		move_on(from);
		if (from->next > INT64_MAX / 4)
			return sl_fail(
				err, SL_USAGE, "a job would come after the end of time: generate fewer");
	}
	return status;
}

static int jann_generate(const struct sl_value *values, size_t count, uint64_t seed,
	const struct sl_sink *sink, struct sl_err *err)
{
	static const struct gen_kind kind = { .name = "jann",
		.note = { "hyper-Erlang by classes of size: Jann and others, JSSPP 1997",
			"moments: as given; those of the defaults are assumptions" },
		.own_arrivals = true,
		.queues = true,
		.draw = jann_draw };
	SL_CHECK(count == SL_LEN(params));
	return gen_make(&kind, values, seed, sink, err);
}

const struct sl_generator model_jann = {
	.abi = SL_ABI_OF(struct sl_generator),
	.name = "jann",
	.summary = "classes of size, each with hyper-Erlang gaps and run times by three moments",
	.paper =
		"J. Jann, P. Pattnaik, H. Franke, F. Wang, J. Skovira, J. Riordan, \"Modeling of workload in "
		"MPPs\", JSSPP 1997; the moments are assumptions",
	.params = params,
	.param_count = SL_LEN(params),
	.generate = jann_generate,
};
