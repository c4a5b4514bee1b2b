/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_page.c - the contents of a report page of results made by hand, block by block.
 */
#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/world/page_read.h"
#include "tests/world/result.h"

static const struct sl_compared nothing = { .title = "a title" };

/* The page of that result; the caller closes it. */
static struct page_read read_page(const struct hand *hand, uint64_t jobs_max)
{
	static const struct sl_fact fact[] = { { "version", "7" } };
	const struct sl_document_options options = { .jobs_max = jobs_max, .runs = 1 };
	const struct sl_document_run reported = {
		.label = "by hand", .folder = ".", .result = &hand->result, .fact = fact, .fact_count = 1
	};
	struct sl_err err = { 0 };
	char *text = page_written("html", &reported, 1, &nothing, &options, &err);
	cr_assert_not_null(text, "%s", err.text);
	return page_open(text);
}

/* The column is these numbers; count 0: it is not there. */
static void expect_column(const struct page_read *page, const char *path, size_t count, const double *want)
{
	char whole[100];
	(void)snprintf(whole, sizeof(whole), "runs.0.%s", path);
	struct page_column column = page_column(page, page->meta, whole);
	cr_expect_eq(column.count, count, "%s: %zu values instead of %zu", path, column.count, count);
	for (size_t i = 0; i < count && i < column.count; i++)
		cr_expect_eq(column.value[i], want[i], "%s[%zu]: %f instead of %f", path, i, column.value[i],
			want[i]);
	page_column_free(&column);
}
#define EXPECT(page, path, ...) \
	expect_column(          \
		page, path, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), (double[]){ __VA_ARGS__ })
#define NEVER 4294967295.0

/* Four jobs on a pool of 4 cpus: 1 and 2 run, 3 waits for 1, 4 was cancelled while it waited. */
static struct hand *four_jobs(void)
{
	static const struct hand_job job[] = {
		{ 0, 0, 20, 2, 50, 11, 0, SL_COMPLETED },
		{ 5, 5, 45, 1, 40, 7, -1, SL_TIMEOUT },
		{ 10, 20, 30, 3, 60, 11, 0, SL_COMPLETED },
		{ 30, -1, 40, 4, 70, -1, -1, SL_CANCELLED },
	};
	struct hand *hand = hand_new(4);
	for (size_t i = 0; i < SL_LEN(job); i++)
		hand_add(hand, job[i]);
	return hand;
}

Test(page, columns_are_those_of_the_jobs)
{
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "columns.id", 1, 2, 3, 4);
	EXPECT(&page, "columns.submit", 0, 5, 10, 30);
	EXPECT(&page, "columns.wait", 0, 0, 10, NEVER);
	EXPECT(&page, "columns.span", 20, 40, 10, NEVER);
	EXPECT(&page, "columns.limit", 50, 40, 60, 70);
	EXPECT(&page, "columns.wait_total", 0, 0, 10, 10);
	EXPECT(&page, "columns.cpus", 2, 1, 3, 4);
	EXPECT(&page, "columns.state", SL_COMPLETED, SL_TIMEOUT, SL_COMPLETED, SL_CANCELLED);
	EXPECT(&page, "columns.user", 0, 1, 0, NEVER);
	EXPECT(&page, "columns.partition", 0, NEVER, 0, NEVER);
	EXPECT(&page, "columns.attempts", 1, 1, 1, 0);
	expect_column(&page, "columns.gpus", 0, NULL); /* Nobody has any. */
	expect_column(&page, "columns.account", 0, NULL);
	struct page_column users = page_column(&page, page.meta, "runs.0.names.users");
	cr_expect_str_eq(users.json, "[\"11\",\n\"7\"]");
	cr_expect_eq(page_number(page.meta, "runs.0.tick"), 1e6);
	cr_expect_eq(page_number(page.meta, "runs.0.last"), 45);
	cr_expect_str_eq(page_text_at(page.meta, "version"), "7");
	page_column_free(&users);
	page_unavailable(&page);
	free(hand);
}

/* Lowest rows first: 3 needs three and finds 1's two and the fourth, on both sides of 2's. */
Test(page, rows_of_a_pool)
{
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "rects.pieces", 1, 1, 2, 0);
	EXPECT(&page, "rects.row", 0, 2, 0, 3);
	EXPECT(&page, "rects.height", 0, 0, 2, 1); /* 0: as many as its job has cpus. */
	cr_expect(json_is_null(page_at(page.meta, "runs.0.rects.job")));
	cr_expect(json_is_null(page_at(page.meta, "runs.0.rects.from")));
	cr_expect_eq(page_number(page.meta, "runs.0.rows.count"), 4);
	page_unavailable(&page);
	free(hand);
}

/* 2 is given all cpus while 1 is suspended: when that was nobody recorded, so it finds no row; which is said.
 */
Test(page, suspended_jobs)
{
	static const sl_time suspended[] = { 15 * SL_SECOND, 0 };
	struct hand *hand = hand_new(4);
	hand_add(hand, (struct hand_job){ 0, 0, 20, 4, 50, 11, 0, SL_COMPLETED });
	hand_add(hand, (struct hand_job){ 2, 2, 17, 4, 50, 11, 0, SL_COMPLETED });
	hand->result.suspended = suspended;
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "rects.pieces", 1, 0);
	cr_expect_not_null(strstr(page_text_at(page.meta, "runs.0.rows.rule"),
		"Jobs were suspended; when is not recorded: they are drawn from start to end, and the heat map is of "
		"what is drawn. Beside them no row was left for 1 job, which is not drawn."));
	cr_expect_str_eq(
		page_text_at(page.meta, "runs.0.shares.0.rule"), "Jobs count while they are suspended, too.");
	page_unavailable(&page);
	free(hand);
}

/* Each cell is a cpu for a second, full or empty: their sum is what was busy. */
Test(page, heat_is_busy_time)
{
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.heat.0.rows"), 4);
	cr_expect_eq(page_number(page.meta, "runs.0.heat.0.step"), 1);
	const size_t columns = (size_t)page_number(page.meta, "runs.0.heat.0.columns");
	struct page_column heat = page_column(&page, page.meta, "runs.0.heat.0.value");
	double sum = 0;
	cr_assert_eq(heat.count, 4 * columns);
	for (size_t i = 0; i < heat.count; i++) {
		const size_t row = i / columns;
		const size_t at = i % columns;
		const bool busy = (row < 2 && at < 30) || (row == 2 && at >= 5 && at < 45) ||
				  (row == 3 && at >= 20 && at < 30);
		cr_expect_eq(heat.value[i], busy ? 255 : 0, "row %zu at %zu", row, at);
		sum += heat.value[i] / 255;
	}
	cr_expect_eq(sum, 2 * 20 + 40 + 3 * 10);
	page_column_free(&heat);
	page_unavailable(&page);
	free(hand);
}

/* Of what was in use: 2 of 2 until 5, 2 of 3 until 20, 3 of 4 until 30, then none of 1. */
Test(page, shares_of_what_was_in_use)
{
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 100);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.shares.0.by"), "user");
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.shares.0.group.0.name"), "11");
	cr_expect(json_is_null(page_at(page.meta, "runs.0.shares.0.group.0.entitled")));
	struct page_column used = page_column(&page, page.meta, "runs.0.shares.0.group.0.used");
	cr_assert_geq(used.count, 46);
	cr_expect_eq(used.value[4], 1);
	cr_expect_float_eq(used.value[5], 2.0 / 3, 1e-6);
	cr_expect_eq(used.value[20], 0.75);
	cr_expect_eq(used.value[30], 0);
	cr_expect_eq(used.value[45], 0);
	page_column_free(&used);
	page_unavailable(&page);
	free(hand);
}

/* physics has 3 of 4 at the root, of which anna has 1 of 2; chemistry is below biology, alone. */
Test(page, entitlement_by_accounts)
{
	static const struct sl_setting setting[] = {
		{ "association", "root", "Account", "root", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "physics", "Share", "3", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "physics/anna", "Fairshare", "7", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "physics/berta", "Fairshare", "7", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "biology", "Account", "biology", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "chemistry", "ParentName", "biology", { 0 }, SL_MODELLED, NULL, NULL },
		{ "association", "chemistry/anna", "Account", "chemistry", { 0 }, SL_MODELLED, NULL, NULL },
	};
	static const int64_t amount[] = { 4, 1000 };
	static const char *const account[] = { "physics", "chemistry", "none" };
	static const char *const user[] = { "anna", "berta", "carla" };
	static const double want[] = { 0.75, 0.25, -1, 0.625, 0.375, -1 };
	struct hand *hand = four_jobs();
	struct sl_node_type type = { .name = "n" };
	memcpy(type.amount, amount, sizeof(amount));
	const struct sl_cluster cluster = { .cpus = 4,
		.node_count = 1,
		.type_count = 1,
		.kind_count = 2,
		.node_type = (uint32_t[]){ 0 },
		.type = &type,
		.setting = setting,
		.setting_count = SL_LEN(setting) };
	hand->result.cluster = &cluster;
	hand->jobs.user_name = user;
	hand->jobs.account_name = account;
	for (int i = 0; i < 3; i++)
		hand->user[i] = hand->account[i] = i;
	struct page_read page = read_page(hand, 100);
	for (size_t i = 0; i < SL_LEN(want); i++) {
		const struct json *groups =
			page_at(page.meta, i < 3 ? "runs.0.shares.0.group" : "runs.0.shares.1.group");
		const struct json *group;
		JSON_EACH (group, groups) {
			if (strcmp(page_text_at(group, "name"), i < 3 ? account[i] : user[i - 3]) != 0)
				continue;
			const double share = json_is_null(page_at(group, "entitled"))
						     ? -1
						     : page_number(group, "entitled");
			cr_expect_eq(share, want[i], "%zu: %f", i, share);
		}
		cr_expect_eq(json_count(groups), 3);
	}
	page_unavailable(&page);
	free(hand);
}

/* A site with more users than are looked through one by one: each is found. */
Test(page, entitlement_of_many)
{
	enum { MANY = 6000 };
	static char name[MANY][24];
	struct sl_setting *setting = calloc(MANY + 1, sizeof(*setting));
	cr_assert_not_null(setting);
	setting[0] =
		(struct sl_setting){ "association", "lab", "Share", "1", { 0 }, SL_MODELLED, NULL, NULL };
	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "lab/U%d", MANY - i);
		setting[i + 1] = (struct sl_setting){ "association", name[i], "Share", "1", { 0 },
			SL_MODELLED, NULL, NULL };
	}
	static const char *const user[] = { "u17", "u5999", "nobody" };
	struct hand *hand = four_jobs();
	struct sl_node_type type = { .name = "n", .amount = { 4 } };
	const struct sl_cluster cluster = { .cpus = 4,
		.node_count = 1,
		.type_count = 1,
		.kind_count = 1,
		.node_type = (uint32_t[]){ 0 },
		.type = &type,
		.setting = setting,
		.setting_count = MANY + 1 };
	hand->result.cluster = &cluster;
	hand->jobs.user_name = user;
	for (int i = 0; i < 3; i++)
		hand->user[i] = i;
	struct page_read page = read_page(hand, 100);
	const struct json *group;
	JSON_EACH (group, page_at(page.meta, "runs.0.shares.0.group")) {
		if (strcmp(page_text_at(group, "name"), "nobody") == 0)
			cr_expect(json_is_null(page_at(group, "entitled")));
		else
			cr_expect_eq(page_number(group, "entitled"), 0.000167); /* 1/6000 */
	}
	page_unavailable(&page);
	free(setting);
	free(hand);
}

/* The longest waiting are kept, ties in the order of the trace; sums are of all. */
Test(page, jobs_beyond_those_kept)
{
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 2);
	EXPECT(&page, "columns.id", 3, 4);
	EXPECT(&page, "rects.pieces", 2, 0);
	EXPECT(&page, "rects.row", 0, 3); /* As if all were drawn. */
	cr_expect_eq(page_number(page.meta, "runs.0.jobs.total"), 4);
	cr_expect_not_null(
		strstr(page_text_at(page.meta, "runs.0.jobs.rule"), "Of 4 jobs the 2 that waited longest"));
	struct page_column heat = page_column(&page, page.meta, "runs.0.heat.0.value");
	double sum = 0;
	for (size_t i = 0; i < heat.count; i++)
		sum += heat.value[i] / 255;
	cr_expect_eq(sum, 110);
	page_column_free(&heat);
	struct page_column cdf = page_column(&page, page.meta, "runs.0.cdf");
	cr_expect_not_null(strstr(cdf.json, "\"by\":\"all\",\"group\":\"\",\"jobs\":3,\"value\":[0,0,10]"));
	page_column_free(&cdf);
	page_unavailable(&page);
	page = read_page(hand, 0); /* None one by one. */
	expect_column(&page, "columns.id", 0, NULL);
	cr_expect_eq(page_number(page.meta, "runs.0.jobs.kept"), 0);
	page_unavailable(&page);
	free(hand);
}

/* Changes while it ran, of the same instant, and between attempts. */
Test(page, charges_add_up)
{
	static const struct sl_reason_change change[] = {
		{ 12 * SL_SECOND, 2, 0, SL_REASON_RESOURCES },
		{ 15 * SL_SECOND, 2, 9, SL_REASON_QUOTA },
		{ 35 * SL_SECOND, 3, 0, SL_REASON_RESOURCES },
	};
	struct hand *hand = four_jobs();
	hand->result.reasons = change;
	hand->result.reason_count = SL_LEN(change);
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "charges.first", 0, 0, 0, 3, 6);
	EXPECT(&page, "charges.from", 0, 2, 5, 0, 5, 10);
	EXPECT(&page, "charges.reason", SL_REASON_PRIORITY, SL_REASON_RESOURCES, SL_REASON_QUOTA,
		SL_REASON_PRIORITY, SL_REASON_RESOURCES, 255);
	EXPECT(&page, "charges.detail", 0, 0, 9, 0, 0, 0);
	page_unavailable(&page);
	free(hand);
}

/* Of several points at one time the last holds. */
Test(page, use_in_steps)
{
	static const struct sl_usage_point point[] = {
		{ .at = 0, .cpus_busy = 1, .running = 1 },
		{ .at = 0, .cpus_busy = 2, .running = 1 },
		{ .at = 5 * SL_SECOND, .cpus_busy = 3, .running = 2 },
		{ .at = 45 * SL_SECOND },
	};
	struct hand *hand = four_jobs();
	hand->result.usage = point;
	hand->result.usage_count = SL_LEN(point);
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "use.time", 0, 5, 45);
	EXPECT(&page, "use.cpus", 2, 3, 0);
	EXPECT(&page, "use.running", 1, 2, 0);
	expect_column(&page, "use.queued", 0, NULL);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.use_rule"), "");
	page_unavailable(&page);
	free(hand);
}

/* More memory than 32 bits of MiB. */
Test(page, use_of_much_memory)
{
	static const struct sl_usage_point point[] = {
		{ .at = 0, .mem_busy = INT64_C(10000000000) },
		{ .at = 45 * SL_SECOND },
	};
	struct hand *hand = four_jobs();
	hand->result.usage = point;
	hand->result.usage_count = SL_LEN(point);
	struct page_read page = read_page(hand, 100);
	EXPECT(&page, "use.mem", 10000000000.0, 0);
	page_unavailable(&page);
	free(hand);
}

/* 30 000 steps of 2 s, 0 and 6 by turns but for one of 100: bins of 7 s, means by time, and the peak. */
Test(page, use_joined)
{
	enum { POINTS = 30001 };
	struct sl_usage_point *point = calloc(POINTS, sizeof(*point));
	struct hand *hand = four_jobs();
	cr_assert_not_null(point);
	for (int i = 0; i < POINTS; i++)
		point[i] = (struct sl_usage_point){ .at = 2 * i * SL_SECOND,
			.cpus_busy = i == 10 ? 100 : 6 * (i % 2) };
	hand->result.usage = point;
	hand->result.usage_count = POINTS;
	hand->result.last = 60000 * SL_SECOND;
	struct page_read page = read_page(hand, 100);
	struct page_column time = page_column(&page, page.meta, "runs.0.use.time");
	struct page_column mean = page_column(&page, page.meta, "runs.0.use.cpus");
	struct page_column peak = page_column(&page, page.meta, "runs.0.use.cpus_max");
	cr_assert_eq(time.count, 8572); /* 60 000 / 7, up. */
	cr_expect_eq(time.value[1], 7);
	cr_expect_float_eq(mean.value[0], (6 * 2 + 6 * 1) / 7.0, 1e-5);   /* Busy 2-4 and 6-7. */
	cr_expect_float_eq(mean.value[2], (2 * 6 * 2 + 100) / 7.0, 1e-5); /* Busy 14-16, 18-20, 20-21. */
	cr_expect_eq(peak.value[0], 6);
	cr_expect_eq(peak.value[2], 100);
	double sum = 0;
	for (size_t i = 0; i < time.count; i++)
		sum += mean.value[i] * ((i + 1 < time.count ? time.value[i + 1] : 60000) - time.value[i]);
	cr_expect_float_eq(sum, 15000 * 2 * 6 + 100 * 2, 1);
	cr_expect_not_null(strstr(page_text_at(page.meta, "runs.0.use_rule"), "the mean over 7 s"));
	page_column_free(&time);
	page_column_free(&mean);
	page_column_free(&peak);
	page_unavailable(&page);
	free(point);
	free(hand);
}

/* Times between seconds make ticks finer, until their numbers would be too long. */
Test(page, ticks)
{
	struct hand *hand = four_jobs();
	hand->end[2] += 250000;
	struct page_read page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.tick"), 1000);
	EXPECT(&page, "columns.span", 20000, 40000, 10250, NEVER);
	page_unavailable(&page);
	hand->end[2] += 1;
	page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.tick"), 1);
	EXPECT(&page, "columns.span", 20e6, 40e6, 10250001, NEVER);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.tick_rule"), "");
	page_unavailable(&page);
	hand->end[1] = hand->result.last = 5 * SL_SECOND + 3600 * SL_SECOND;
	page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.tick"), 1000);
	EXPECT(&page, "columns.span", 20000, 3600000, 10250, NEVER);
	cr_expect_not_null(strstr(page_text_at(page.meta, "runs.0.tick_rule"), "rounded down"));
	page_unavailable(&page);
	free(hand);
}

/* In the year 2130: seconds would be longer than 31 bits. */
Test(page, ticks_of_ages)
{
	struct hand *hand = four_jobs();
	hand->submit[3] = hand->end[3] = hand->result.last = 5000000100 * SL_SECOND;
	struct page_read page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.tick"), 1e9);
	EXPECT(&page, "columns.submit", 0, 0, 0, 5000000);
	cr_expect_not_null(strstr(page_text_at(page.meta, "runs.0.tick_rule"), "rounded down to 1 000 s"));
	page_unavailable(&page);
	free(hand);
}

/* A double is no whole number of more than 53 bits: such ids are texts. */
Test(page, long_ids)
{
	struct hand *hand = four_jobs();
	hand->id[2] = INT64_C(9007199254740993);
	struct page_read page = read_page(hand, 100);
	struct page_column ids = page_column(&page, page.meta, "runs.0.names.ids");
	cr_assert_not_null(ids.json);
	cr_expect_str_eq(ids.json, "[\"1\",\n\"2\",\n\"9007199254740993\",\n\"4\"]");
	page_column_free(&ids);
	page_unavailable(&page);
	free(hand);
}

/* Whatever a name is, it is data: text, as it was, or U+FFFD where it was none. */
Test(page, hostile_names)
{
	static char deep[10001];
	static const char *const user[] = {
		"</script><script>alert(1)</script>",
		"<!-- \" ' \\ & <b>",
		"bell\a\n\x7f",
		"\xff\xc0\xaf\xed\xa0\x80x\xe2\x82",
		"\u202e\u2028 \u00e9\U0001f600",
		deep,
	};
	const char *const want[] = { user[0], user[1], user[2],
		"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDx\uFFFD\uFFFD",
		/* Marks of direction would be obeyed by who shows it. */
		"\\u202e\\u2028 \u00e9\U0001f600", deep };
	memset(deep, '<', sizeof(deep) - 1);
	struct hand *hand = hand_new(4);
	for (int i = 0; i < (int)SL_LEN(user); i++)
		hand_add(hand, (struct hand_job){ i, i, i + 5, 1, 9, i, -1, SL_COMPLETED });
	hand->jobs.user_name = user;
	hand->jobs.user_count = SL_LEN(user);
	const struct sl_document_options options = { .jobs_max = 100, .runs = 1 };
	const struct sl_fact fact[] = { { user[0], user[1] }, { "x", user[3] } };
	const char *const warning[] = { user[0], user[2] };
	const struct sl_document_run reported = { .label = user[0],
		.folder = user[3],
		.result = &hand->result,
		.fact = fact,
		.fact_count = 2,
		.warning = warning,
		.warning_count = 2 };
	struct sl_err err = { 0 };
	char *text =
		page_written("html", &reported, 1, &(struct sl_compared){ .title = user[0] }, &options, &err);
	cr_assert_not_null(text, "%s", err.text);
	cr_expect_null(strstr(text, "alert(1)</script>"));
	cr_expect_not_null(strstr(text, "<title>&lt;/script>&lt;script>alert(1)"));
	struct page_read page = page_open(text);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.label"), user[0]);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.folder"), want[3]);
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.warnings.1"), user[2]);
	struct page_column users = page_column(&page, page.meta, "runs.0.names.users");
	struct json *names = json_parse(users.json);
	for (int i = 0; i < (int)SL_LEN(user); i++) {
		const struct json *name = json_item(names, i);
		cr_assert(json_is_text(name));
		cr_expect_str_eq(name->text, want[i], "name %d: '%.40s'", i, name->text);
	}
	json_free(names);
	page_column_free(&users);
	page_unavailable(&page);
	free(hand);
}

/* Every script and style that stands in the page without a type is allowed by its hash, and two and one are.
 */
Test(page, hashes_of_the_policy)
{
	static const struct {
		const char *open, *close, *directive;
		int count;
	} kind[] = { { "<script>", "</script>", "script-src", 2 },
		{ "<style>", "</style>", "style-src", 1 } };
	struct hand *hand = four_jobs();
	struct page_read page = read_page(hand, 100);
	char *policy = page_between(page.text, "Content-Security-Policy\" content=\"", "\"");
	cr_assert_not_null(policy);
	for (size_t i = 0; i < SL_LEN(kind); i++) {
		char *directive = page_between(policy, kind[i].directive, ";");
		int count = 0;
		cr_assert_not_null(directive);
		for (const char *at = page.text; (at = strstr(at, kind[i].open)); count++) {
			unsigned char hash[32];
			char code[64];
			at += strlen(kind[i].open);
			const char *end = strstr(at, kind[i].close);
			cr_assert_not_null(end);
			cr_assert_eq(EVP_Digest(at, (size_t)(end - at), hash, NULL, EVP_sha256(), NULL), 1);
			(void)EVP_EncodeBlock((unsigned char *)code, hash, sizeof(hash));
			cr_expect_not_null(
				strstr(directive, code), "%s %d: sha256-%s", kind[i].open, count, code);
		}
		cr_expect_eq(count, kind[i].count);
		cr_expect_eq(strlen(directive), (size_t)count * strlen(" 'sha256-'") + 44 * (size_t)count);
		free(directive);
	}
	free(policy);
	page_unavailable(&page);
	free(hand);
}

/* What two runs have in common is there once; same runs, same bytes. */
Test(page, equal_blocks_once)
{
	struct hand *hand = four_jobs();
	const struct sl_document_options options = { .jobs_max = 100, .runs = 2 };
	const struct sl_document_run reported[2] = { { .label = "a", .result = &hand->result },
		{ .label = "b", .result = &hand->result } };
	struct sl_err err = { 0 };
	char *text = page_written("html", reported, 2, &nothing, &options, &err);
	char *retry = page_written("html", reported, 2, &nothing, &options, &err);
	cr_assert(text && retry, "%s", err.text);
	cr_expect_str_eq(text, retry);
	struct page_read page = page_open(text);
	cr_expect_str_eq(page_text_at(page.meta, "runs.1.columns.submit"),
		page_text_at(page.meta, "runs.0.columns.submit"));
	cr_expect_str_eq(page_text_at(page.meta, "runs.0.columns.span"),
		page_text_at(page.meta, "runs.0.columns.run"));
	page_unavailable(&page);
	free(retry);
	free(hand);
}

/* No job at all, and none that ever ran. */
Test(page, nothing_to_show)
{
	struct hand *hand = hand_new(4);
	struct page_read page = read_page(hand, 100);
	cr_expect_eq(page_number(page.meta, "runs.0.jobs.total"), 0);
	page_unavailable(&page);
	hand_add(hand, (struct hand_job){ 0, -1, -1, 1, 9, 1, -1, SL_PENDING });
	page = read_page(hand, 100);
	EXPECT(&page, "columns.wait", NEVER);
	EXPECT(&page, "rects.pieces", 0);
	page_unavailable(&page);
	free(hand);
}
