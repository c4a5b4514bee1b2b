/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_reports.c - jobs.csv, usage.csv and reasons.csv, byte by byte.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/world/builtin_registry.h"
#include "tests/world/result.h"

#define HEADER                                                                                         \
	"job_id,user,account,partition,submit,eligible,start,end,wait,run_time,time_limit,nodes,cpus," \
	"gpus,state,bounded_slowdown,wait_total,suspended,attempts\n"

/* The bytes of one report; the caller frees them. */
static char *written(const struct hand *hand, const char *name)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	struct sl_err err = { 0 };
	struct sl_out *out;
	const int fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK, "%s", err.text);
	const struct sl_report *found = sl_by_name(builtin_registry()->known.reports, name);
	if (found)
		cr_assert_eq(found->write(&hand->result, out, &err), SL_OK, "%s", err.text);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK, "%s", err.text);
	(void)close(fd);
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;
	cr_assert_not_null(file);
	if (getdelim(&text, &size, '\0', file) < 0 && text)
		text[0] = '\0';
	(void)fclose(file);
	(void)unlink(path);
	cr_assert_not_null(text);
	return text;
}

static void expect_text(const struct hand *hand, const char *name, const char *want)
{
	char *text = written(hand, name);
	cr_expect_str_eq(text, want, "%s:\n%s\ninstead of\n%s", name, text, want);
	free(text);
}

/* Each way that a job can go, with what never happened left empty; stopped at 100. */
Test(reports, jobs_in_every_state)
{
	static const struct hand_job job[] = {
		{ 0, 0, 20, 2, 50, 1, 0, SL_COMPLETED },
		{ 10, 20, -1, 2, 500, 12345678, 7, SL_RUNNING },
		{ 30, -1, -1, 1, 40, -1, -1, SL_PENDING },
		{ 40, -1, 60, 1, 40, -1, -1, SL_CANCELLED },
		{ 50, 60, 65, 3, 40, INT32_MAX, -1, SL_NODE_FAIL },
		{ 200, -1, -1, 1, 40, 3, -1, SL_PENDING },
	};
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	hand->account[1] = 4;
	hand->result.last = 100 * SL_SECOND;
	hand->result.interrupted = true;
	expect_text(hand, "jobs.csv",
		HEADER "1,1,,0,0,0,0,20,0,20,50,2,2,0,COMPLETED,1,0,0,1\n"
		       "2,12345678,4,7,10,10,20,,10,80,500,2,2,0,RUNNING,,10,0,1\n"
		       "3,,,,30,30,,,,,40,1,1,0,PENDING,,70,0,0\n"
		       "4,,,,40,40,,60,,,40,1,1,0,CANCELLED,,20,0,0\n"
		       "5,2147483647,,,50,50,60,65,10,5,40,3,3,0,NODE_FAIL,1.5,10,0,1\n"
		       "6,3,,,200,,,,,,40,1,1,0,PENDING,,0,0,0\n");
	free(hand);
}

/* Lines are in the order of the file, whose places may have gaps where rows were dropped. */
Test(reports, jobs_in_the_order_of_the_file)
{
	static const uint32_t place[] = { 1 << 22, 2, 70000, 1 };
	struct hand *hand = hand_new(4);
	for (int i = 0; i < 4; i++)
		hand_add(hand, (struct hand_job){ i, i + 1, i + 3, 1, 9, -1, -1, SL_COMPLETED });
	hand->jobs.place = place;
	char *text = written(hand, "jobs.csv");
	char ids[5] = "";
	const char *line = text;
	for (int i = 0; i < 4; i++) {
		line = strchr(line, '\n') + 1;
		ids[i] = *line;
	}
	cr_expect_str_eq(ids, "4231");
	free(text);
	text = written(hand, "reasons.csv");
	cr_expect_str_eq(text,
		"job_id,from,to,reason,detail\n4,3,4,Priority,\n2,1,2,Priority,\n3,2,3,Priority,\n"
		"1,0,1,Priority,\n");
	free(text);
	free(hand);
}

/* The fast digits are the same as sl_put_i64's and sl_put_micro's, for every length of number. */
Test(reports, numbers_are_those_of_the_library)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/reports/numbers");
	struct hand *hand = hand_new(4);
	const uint32_t count = 5000;
	for (uint32_t i = 0; i < count; i++) {
		hand_add(hand, (struct hand_job){ 0, -1, -1, 1, 9, -1, -1, SL_PENDING });
		hand->id[i] = (int64_t)(sl_rng_u64(&rng) >> sl_rng_below(&rng, 64));
		if (i % 7 == 0) /* Around powers of ten, where a digit is added. */
			for (hand->id[i] = 10; sl_rng_below(&rng, 18);)
				hand->id[i] *= hand->id[i] < INT64_MAX / 10 ? 10 : 1;
		hand->id[i] -= (int64_t)sl_rng_below(&rng, 2);
		hand->id[i] = sl_rng_below(&rng, 2) ? hand->id[i] : -hand->id[i];
		const int64_t scale[] = { 1, 10, 1000, 1000000 };
		hand->limit[i] = (int64_t)(sl_rng_u64(&rng) >> (21 + sl_rng_below(&rng, 43))) *
				 scale[sl_rng_below(&rng, 4)];
		hand->limit[i] = sl_rng_below(&rng, 2) ? hand->limit[i] : -hand->limit[i];
	}
	hand->id[0] = INT64_MIN + 1;
	hand->id[1] = INT64_MAX;
	hand->limit[1] = INT64_MAX;
	char *text = written(hand, "jobs.csv");
	const char *line = text;
	for (uint32_t i = 0; i < count; i++) {
		char want[200];
		line = strchr(line, '\n') + 1;
		char *p = sl_put_i64(want, hand->id[i]);
		memcpy(p, ",,,,0,0,,,,,", 12);
		p = sl_put_micro(p + 12, hand->limit[i]);
		memcpy(p, ",1,1,0,PENDING,", 15);
		const size_t len = (size_t)(p + 15 - want);
		cr_assert_eq(
			strncmp(line, want, len), 0, "%.*s instead of %.*s", (int)len, line, (int)len, want);
	}
	free(text);
	free(hand);
}

/* Slowdowns are rounded half up, also where the product passes 64 bits. */
Test(reports, slowdowns_are_rounded_half_up)
{
	static const struct {
		int64_t turnaround, run; /* Microseconds. */
		const char *text;
	} cases[] = {
		{ 20000005, 16000000, ",1.25,4" },              /* 1.2500003 */
		{ 20000008, 16000000, ",1.250001,4" },          /* 1.2500005 */
		{ 9000000, 1, ",1,8" },                         /* Within the bound. */
		{ 10000005, 1, ",1.000001,10" },                /* 1.0000005 */
		{ 1000000000000000, 10000000, ",100000000,9" }, /* Thirty years. */
		{ 31000000000000, 3000000000000, ",10.333333,2" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct hand *hand = hand_new(4);
		hand_add(hand, (struct hand_job){ 0, 0, 0, 1, 9, -1, -1, SL_COMPLETED });
		hand->start[0] = cases[i].turnaround - cases[i].run;
		hand->end[0] = cases[i].turnaround;
		char *text = written(hand, "jobs.csv");
		cr_expect_not_null(strstr(text, cases[i].text), "%s is not in %s", cases[i].text, text);
		free(text);
		free(hand);
	}
}

/* Of points at one instant the last holds; what does not change is not said again. */
Test(reports, usage_says_each_change_once)
{
	static const struct sl_usage_point points[] = {
		{ .at = 0, .cpus_busy = 2, .cpus_queued = 0, .running = 1, .queued = 0 },
		{ .at = 1500000, .cpus_busy = 2, .cpus_queued = 3, .running = 1, .queued = 1 },
		{ .at = 1500000, .cpus_busy = 4, .cpus_queued = 0, .running = 2, .queued = 0 },
		{ .at = 2000000, .cpus_busy = 4, .cpus_queued = 0, .running = 2, .queued = 0 },
		{ .at = 3000000, .cpus_busy = 1, .cpus_queued = 0, .running = 1, .queued = 0 },
		{ .at = 3000000,
			.cpus_busy = 4,
			.cpus_queued = 0,
			.running = 2,
			.queued = 0 }, /* The same again: nothing changed at 3. */
		{ .at = 4000000, .cpus_busy = 0, .cpus_queued = 0, .running = 0, .queued = 0 },
	};
	struct hand *hand = hand_new(4);
	hand->result.usage = points;
	hand->result.usage_count = SL_LEN(points);
	expect_text(hand, "usage.csv",
		"time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued\n"
		"0,2,4,1,0,0\n"
		"1.5,4,4,2,0,0\n"
		"4,0,4,0,0,0\n");
	hand->result.usage_count = 0;
	expect_text(hand, "usage.csv", "time,cpus_busy,cpus_total,jobs_running,jobs_queued,cpus_queued\n");
	free(hand);
}

Test(reports, reasons_charge_each_second_once)
{
	static const struct hand_job job[] = {
		{ 0, 0, 90, 1, 9, -1, -1, SL_COMPLETED },   /* Did not wait: no line. */
		{ 10, 20, 90, 1, 9, -1, -1, SL_COMPLETED }, /* No change: the default reason. */
		{ 10, 50, 90, 1, 9, -1, -1, SL_COMPLETED },
		{ 10, -1, 40, 1, 9, -1, -1, SL_CANCELLED }, /* Until it was cancelled. */
		{ 30, -1, -1, 1, 9, -1, -1, SL_PENDING },   /* Until the end. */
		{ 95, -1, -1, 1, 9, -1, -1, SL_PENDING },   /* Was never there. */
	};
	static const struct sl_reason_change change[] = {
		{ .at = 0, .job = 0, .reason = SL_REASON_RESOURCES },
		{ .at = 10000000,
			.job = 2,
			.reason = SL_REASON_RESOURCES }, /* At once: no line of no length. */
		{ .at = 20000000, .job = 2, .reason = SL_REASON_RESOURCES }, /* No change: one line. */
		{ .at = 30000000, .job = 2, .reason = SL_REASON_PRIORITY },
		{ .at = 30000000,
			.job = 2,
			.reason = SL_REASON_RESOURCES }, /* Back at once: still one line. */
		{ .at = 40000000, .job = 2, .detail = 7, .reason = SL_REASON_RESOURCES },
		{ .at = 50000000, .job = 2, .reason = SL_REASON_NONE }, /* As it starts. */
		{ .at = 12500000, .job = 3, .reason = SL_REASON_BEGIN_TIME },
		{ .at = 60000000, .job = 3, .reason = SL_REASON_DEPENDENCY }, /* After it went. */
		{ .at = 80000000,
			.job = 4,
			.reason = SL_REASON_NODES_DOWN }, /* Of many words, with commas. */
	};
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	hand->result.reasons = change;
	hand->result.reason_count = SL_LEN(change);
	expect_text(hand, "reasons.csv",
		"job_id,from,to,reason,detail\n"
		"2,10,20,Priority,\n"
		"3,10,40,Resources,\n"
		"3,40,50,Resources,7\n"
		"4,10,12.5,Priority,\n"
		"4,12.5,40,BeginTime,\n"
		"5,30,80,Priority,\n"
		"5,80,90,\"Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions\",\n");
	free(hand);
}

/* The fields of a line of numbers and words, from the comma-separated one at *p. */
static sl_time field(const char **p)
{
	int64_t value = SL_NONE;
	const size_t len = strcspn(*p, ",\n");
	if (len)
		(void)sl_get_micro(*p, len, &value);
	*p += len + 1;
	return value;
}

/* On random logs with random changes, a job's charges add up to its wait, follow without a gap, and are none
 * of them empty. */
Test(reports, charges_add_up_to_the_wait)
{
	struct sl_rng rng = sl_rng_stream(7, "tests/reports/charges");
	static struct sl_reason_change change[4000];
	for (int round = 0; round < 50; round++) {
		struct hand *hand = hand_new(4);
		size_t changes = 0;
		int64_t submit = 0;
		for (uint32_t row = 0; row < 300; row++) {
			submit += (int64_t)sl_rng_below(&rng, 3);
			const int64_t start = submit + (int64_t)sl_rng_below(&rng, 12);
			hand_add(hand,
				(struct hand_job){ submit, start, start + 1, 1, 9, -1, -1, SL_COMPLETED });
			sl_time at = hand->submit[row];
			for (uint64_t n = sl_rng_below(&rng, 6); n; n--) {
				at += (sl_time)sl_rng_below(&rng, 3) * SL_SECOND;
				change[changes++] = (struct sl_reason_change){ .at = at,
					.job = row,
					.reason = (uint8_t)sl_rng_below(&rng, SL_REASON_COUNT) };
			}
		}
		hand->result.reasons = change;
		hand->result.reason_count = changes;
		char *text = written(hand, "reasons.csv");
		sl_time sum[300] = { 0 };
		sl_time until[300] = { 0 };
		for (const char *p = strchr(text, '\n') + 1; *p;) {
			const size_t row = (size_t)(field(&p) / 1000000) - 1;
			const sl_time from = field(&p);
			const sl_time to = field(&p);
			cr_assert_gt(to, from);
			cr_expect_eq(from, sum[row] ? until[row] : hand->submit[row]);
			until[row] = to;
			sum[row] += to - from;
			p = strchr(p, '\n') + 1;
		}
		for (uint32_t row = 0; row < 300; row++)
			cr_expect_eq(sum[row], hand->start[row] - hand->submit[row], "round %d, job %u",
				round, row + 1);
		free(text);
		free(hand);
	}
}
