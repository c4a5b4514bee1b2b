/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kai_usage.c - past usage by windows and half-life, and when cron windows begin, worked by hand.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/world/kai_small.h"

/* 10 GPUs; samples every 60 s, from 0 on. */
struct history {
	struct kai_small w;
	struct kai *kai;
	uint32_t queue;
	struct kai_usage *usage;
};

static struct history history_open(struct kai_usage_config config)
{
	struct history p = { .w = kai_small_open() };
	p.kai = p.w.kai;
	(void)kai_small_node(&p.w, "n0", 10);
	p.queue = kai_small_queue(&p.w, "q", NULL, 0, -1, 1);
	kai_small_seal(&p.w);
	p.kai->now = 0;
	kai_open_shares(p.kai);
	config.step = 60 * SL_SECOND;
	p.usage = kai_usage_new(p.kai, &config);
	cr_assert(p.usage != NULL, "%s", p.kai->err.text);
	return p;
}

static void history_close(struct history *p)
{
	kai_usage_free(p->usage);
	kai_small_close(&p->w);
}

/* So many GPUs until then (s); usage in thousandths after that, rounded. */
static int held(struct history *p, int64_t gpus, int64_t until_s)
{
	p->kai->queue[p->queue].allocated.at[KAI_GPUS] = gpus * KAI_GPU;
	p->kai->now = until_s * SL_SECOND;
	kai_usage_note(p->kai, p->usage);
	kai_usage_set(p->kai, p->usage);
	return (int)(p->kai->queue[p->queue].usage[KAI_GPUS] * 1000 + 0.5);
}

Test(kai_usage, a_share_of_the_capacity)
{
	struct history p = history_open((struct kai_usage_config){ .window = 600 * SL_SECOND });
	cr_expect_eq(held(&p, 5, 0), 0, "no sample yet");
	cr_expect_eq(held(&p, 5, 60), 500);
	cr_expect_eq(held(&p, 0, 180), 167, "1 of 3 samples");
	cr_expect_eq(held(&p, 8, 239), 167, "between samples");
	cr_expect_eq(held(&p, 1, 240), 150, "a sample sees what held before it");
	cr_expect_eq(p.kai->queue[p.queue].usage[KAI_CPU], 0);
	history_close(&p);
}

Test(kai_usage, only_of_the_window)
{
	/* Ten samples: at first 5 GPUs, then none; the eleventh leaves the first out. */
	struct history p = history_open((struct kai_usage_config){ .window = 600 * SL_SECOND });
	cr_expect_eq(held(&p, 5, 120), 500);
	cr_expect_eq(held(&p, 0, 600), 100);
	cr_expect_eq(held(&p, 0, 660), 50);
	cr_expect_eq(held(&p, 0, 720), 0);
	cr_expect_eq(held(&p, 10, 780), 100);
	cr_expect_eq(held(&p, 4, 100000), 400, "more than a window at once");
	cr_expect_eq(held(&p, 0, 100060), 360);
	history_close(&p);
}

Test(kai_usage, half_as_much_after_a_half_life)
{
	/* Ages 0, 60, 120 s: weights 1, 1/2, 1/4. */
	struct history p = history_open(
		(struct kai_usage_config){ .window = 180 * SL_SECOND, .half_life = 60 * SL_SECOND });
	cr_expect_eq(held(&p, 10, 60), 1000);
	cr_expect_eq(held(&p, 0, 120), 333, "1/2 of 3/2");
	cr_expect_eq(held(&p, 0, 180), 143, "1/4 of 7/4");
	cr_expect_eq(held(&p, 0, 240), 0);
	cr_expect_eq(held(&p, 7, 300), 400, "7 of 17.5");
	history_close(&p);
}

Test(kai_usage, capacity_of_the_time)
{
	struct history p = history_open((struct kai_usage_config){ .window = 600 * SL_SECOND });
	cr_expect_eq(held(&p, 5, 60), 500);
	p.kai->node[0].gpus = 40;
	p.kai->total_known = false;
	kai_open_shares(p.kai);
	cr_expect_eq(held(&p, 5, 120), 200, "10 of 10 and 40");
	history_close(&p);
}

Test(kai_usage, a_tumbling_window_begins_anew)
{
	/* Boundaries at 300, 600...: at 300 the old one still counts; then it is of 300 on, that sample
	 * included. */
	struct history p = history_open((struct kai_usage_config){
		.kind = KAI_TUMBLING, .window = 300 * SL_SECOND, .start = 300 * SL_SECOND });
	cr_expect_eq(held(&p, 10, 240), 1000);
	cr_expect_eq(held(&p, 2, 300), 200, "until it begins, the last sample alone");
	cr_expect_eq(held(&p, 4, 360), 300, "2 at 300, 4 at 360");
	cr_expect_eq(held(&p, 0, 600), 100, "6 of 6 samples");
	cr_expect_eq(held(&p, 9, 660), 450, "0 at 600, 9 at 660");
	history_close(&p);
}

Test(kai_usage, a_boundary_between_samples)
{
	struct history p = history_open((struct kai_usage_config){
		.kind = KAI_TUMBLING, .window = 300 * SL_SECOND, .start = 30 * SL_SECOND });
	cr_expect_eq(held(&p, 10, 300), 1000);
	cr_expect_eq(held(&p, 3, 360), 300, "it began at 330");
	history_close(&p);
}

Test(kai_usage, a_cron_window)
{
	/* Every day at 01:00; time 0 is 00:58 of 1 January 2026. */
	struct kai_usage_config config = { .kind = KAI_CRON, .epoch_s = 1767225600 + 58 * 60 };
	struct sl_err err = { 0 };
	cr_assert_eq(kai_cron_parse("0 1 * * *", &config.cron, &err), 0, "%s", err.text);
	struct history p = history_open(config);
	cr_expect_eq(held(&p, 10, 60), 1000);
	cr_expect_eq(held(&p, 4, 120), 700, "at 01:00 the old one still counts");
	cr_expect_eq(held(&p, 2, 180), 300, "4 at 01:00, 2 at 01:01");
	cr_expect_eq(held(&p, 2, 86400 + 120), 200, "4 and 1 440 times 2");
	cr_expect_eq(held(&p, 0, 86400 + 180), 100);
	history_close(&p);
}

Test(kai_usage, queues_that_come_later)
{
	struct history p = history_open((struct kai_usage_config){ .window = 600 * SL_SECOND });
	cr_expect_eq(held(&p, 5, 60), 500);
	for (int i = 0; i < 40; i++) {
		char name[] = { 'x', (char)('0' + i), '\0' };
		(void)kai_small_queue(&p.w, name, NULL, 0, -1, 1);
	}
	kai_small_seal(&p.w);
	cr_expect_eq(held(&p, 5, 120), 500);
	cr_expect_eq(p.kai->queue[p.queue + 40].usage[KAI_GPUS], 0);
	history_close(&p);
}

Test(kai_usage, bounds)
{
	struct kai_small w = kai_small_open();
	const struct kai_usage_config bad[] = { { .step = 0, .window = 60 }, { .step = 60, .window = 30 },
		{ .step = 60, .window = 60, .half_life = -1 }, { .step = 1, .window = KAI_SAMPLES_MAX + 1 } };
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		cr_expect(kai_usage_new(w.kai, &bad[i]) == NULL, "%zu", i);
		cr_expect_eq(w.kai->err.status, SL_INPUT, "%zu", i);
		w.kai->err = (struct sl_err){ 0 };
	}
	kai_usage_free(NULL);
	kai_small_close(&w);
}

/* ---- Cron ---- */

enum { DAY_S = 86400, HOUR_S = 3600 };
#define JAN_1_2026 INT64_C(1767225600) /* A Thursday. */

static int64_t next(const char *text, int64_t after_s)
{
	struct kai_cron cron;
	struct sl_err err = { 0 };
	cr_assert_eq(kai_cron_parse(text, &cron, &err), 0, "%s", err.text);
	return kai_cron_next(&cron, after_s);
}

Test(kai_usage, when_cron_is_next)
{
	static const struct {
		const char *text;
		int64_t after_s, next_s; /* From 1 January 2026. */
	} rows[] = {
		{ "* * * * *", 0, 60 },
		{ "* * * * *", 59, 60 },
		{ "* * * * *", -1, 0 },
		{ "0 * * * *", 0, HOUR_S },
		{ "30 1 * * *", 0, HOUR_S + 1800 },
		{ "30 1 * * *", HOUR_S + 1800, DAY_S + HOUR_S + 1800 },
		{ "*/20 * * * *", 1300, 2400 },
		{ "5-10/2 * * * *", 300, 420 },
		{ "50/4 * * * *", 3000, 3240 },
		{ "0 0,12 * * *", 0, 12 * HOUR_S },
		{ "0 0 * * 0", 0, 3 * DAY_S },            /* Sunday 4 January */
		{ "0 0 * * 7", 0, 3 * DAY_S },            /* likewise */
		{ "0 0 * * mon-Wed", 0, 4 * DAY_S },      /* Monday */
		{ "0 0 31 * *", 0, 30 * DAY_S },          /* 31 January */
		{ "0 0 31 * *", 30 * DAY_S, 89 * DAY_S }, /* 31 March */
		{ "0 0 1 FEB *", 0, 31 * DAY_S },
		{ "0 0 15 * 1", 0, 4 * DAY_S }, /* Either: Monday the 5th */
		{ "0 0 3 * 1", 0, 2 * DAY_S },  /* or the 3rd. */
		{ "0 0 15 * ?", 0, 14 * DAY_S },
		{ "0 0 29 2 *", 0, INT64_C(789) * DAY_S }, /* 29 February 2028 */
		{ "@hourly", 0, HOUR_S },
		{ "@daily", 0, DAY_S },
		{ "@midnight", 0, DAY_S },
		{ "@weekly", 0, 3 * DAY_S },
		{ "@monthly", 0, 31 * DAY_S },
		{ "@yearly", 0, 365 * DAY_S },
		{ "@annually", 0, 365 * DAY_S },
	};
	for (size_t i = 0; i < SL_LEN(rows); i++)
		cr_expect_eq(next(rows[i].text, JAN_1_2026 + rows[i].after_s), JAN_1_2026 + rows[i].next_s,
			"%s: %lld", rows[i].text,
			(long long)(next(rows[i].text, JAN_1_2026 + rows[i].after_s) - JAN_1_2026));
	cr_expect_eq(next("0 0 1 1 *", -100), 0, "1970");
	cr_expect_eq(next("0 0 31 2 *", 0), INT64_MAX, "never");
	cr_expect_eq(
		next("0 0 29 2 *", INT64_C(4102444800)), INT64_C(4233686400), "2100 is no leap year: 2104");
}

Test(kai_usage, what_is_no_cron_time)
{
	static const char *const texts[] = { "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *",
		"* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8", "5-2 * * * *", "*/0 * * * *",
		"*/60 * * * *", "1, * * * *", "1-* * * * *", "a * * * *", "* * * * mond", "@never",
		"0 0 L * *", "99999999999 * * * *" };
	for (size_t i = 0; i < SL_LEN(texts); i++) {
		struct kai_cron cron;
		struct sl_err err = { 0 };
		cr_expect_eq(kai_cron_parse(texts[i], &cron, &err), SL_INPUT, "'%s'", texts[i]);
		cr_expect(strstr(err.text, "is not a cron time") != NULL, "'%s'", texts[i]);
	}
}
