/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_baseline.c - a baseline's file: what is wrong is named with its place, and writing changes values
 * alone.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sim/result/baseline.h"

#define HEAD          "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [ { \"id\": \"a\", \"trace\": \"t.swf\""
#define TAIL          " } ] }"
#define METRICS(text) HEAD ",\n\"metrics\": { " text " }" TAIL

static int parse(struct baseline *baseline, const char *text, struct sl_arena *arena, struct sl_err *err)
{
	*err = (struct sl_err){ 0 };
	return baseline_parse(baseline, "b.json", text, strlen(text), arena, err);
}

/* Goal: one clear error, at its place. Method: a file broken in one thing each. */
Test(baseline, refused)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "", "b.json:1:1: not JSON: ends where a value is due" },
		{ "{", "b.json:1:" },
		{ "[]", "b.json:1:1: is not a baseline" },
		{ "{}", "b.json:1:1: is not a baseline" },
		{ "{ \"schema\": \"schedlab.baseline/2\" }",
			"b.json:1:13: 'schedlab.baseline/2' is not what" },
		{ "{ \"schema\": \"schedlab.baseline/1\" }", "has no 'cases'" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [] }",
			"b.json:1:45: 'cases' is not a list" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [ {} ] }", "a case has no 'id'" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [ { \"id\": \"a\" } ] }",
			"has no 'trace'" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [ { \"id\": \"a\", \"id\": \"b\" } ] }",
			"b.json:1:60: 'id' is there twice" },
		{ "{ \"schema\": \"schedlab.baseline/1\",\n\"cases\": [ { \"id\": \"a\", \"trace\": \"t\" },\n{ \"id\": \"a\", \"trace\": \"t\" } ] }",
			"b.json:3:9: case 'a' is there twice" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"tool\": \">=900\" }",
			"the baseline wants '>=900'" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"tool\": \">0.0.1 <0.0.2\" }", "wants" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"tool\": \"new\" }", "'tool' is not versions" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"tool\": \">=\" }", "'tool' is not versions" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"tool\": \">=0.0.1 <900\" }", "has no 'cases'" },
		{ HEAD ", \"polcy\": \"easy\"" TAIL, "did you mean 'policy'?" },
		{ HEAD ", \"trace\": \"u.swf\"" TAIL, "'trace' is there twice" },
		{ HEAD ", \"family\": [\"u.swf\"]" TAIL, "give 'trace' or 'family'" },
		{ HEAD ", \"generate\": \"lublin\"" TAIL, "give one of the two" },
		{ HEAD ", \"policy\": 5" TAIL, "'policy' is not a text" },
		{ HEAD ", \"policy\": \"a\\nb\"" TAIL, "without control characters" },
		{ HEAD ", \"seeds\": [2, 1, 2]" TAIL, "has the same seed twice" },
		{ "{ \"schema\": \"schedlab.baseline/1\", \"cases\": [ { \"id\": \"a\", \"family\": [\"t\", \"u\", \"t\"] } ] }",
			"has the same trace twice" },
		{ HEAD ", \"seeds\": \"9223372036854775807..9223372036854775807\", \"polcy\": \"x\"" TAIL,
			"did you mean 'policy'?" },
		{ HEAD ", \"seeds\": \"5..1\"" TAIL, "'seeds' is not a range of seeds" },
		{ HEAD ", \"seeds\": \"1..20000\"" TAIL, "'seeds' is not a range of seeds" },
		{ HEAD ", \"seeds\": []" TAIL, "'seeds' is not a list with anything in it" },
		{ HEAD ", \"seed\": 1, \"seeds\": [1]" TAIL, "'seeds' is not wanted beside 'seed'" },
		{ HEAD ", \"seed\": -1" TAIL, "'seed' is not a whole number" },
		{ HEAD ", \"jobs\": 0" TAIL, "'jobs' is not a number of jobs" },
		{ HEAD ", \"exact\": 1" TAIL, "'exact' is not true or false" },
		{ HEAD ", \"result\": \"12\"" TAIL, "'result' is not a digest" },
		{ HEAD ", \"result\": [\"0123456789abcdef\", \"0123456789abcdef\"]" TAIL,
			"'result' has 2 digests and the case 1 runs" },
		{ METRICS("\"wait.mean\": 5"), "b.json:2:27: 'wait.mean' is not an object" },
		{ METRICS("\"wait.mean\": { \"tol\": \"+5%\" }, \"wait.mean\": {}"),
			"b.json:2:45: 'wait.mean' is there twice in the metrics" },
		{ METRICS("\"wait.mean\": { \"tol\": \"+5% or\" }"),
			"b.json:2:43: the tolerance '+5% or' is none" },
		{ METRICS("\"wait.mean\": { \"tol\": \"-5%\" }"),
			"bounds 'wait.mean' where it gets better: write '+'" },
		{ METRICS("\"utilization\": { \"tol\": \"+5%\" }"), "write '-' for the worse way" },
		{ METRICS("\"utilization\": { \"tol\": \"<= 4h\" }"),
			"names a time, and 'utilization' is none" },
		{ METRICS("\"utilization\": { \"value\": \"x\" }"), "'value' is not a number" },
		{ METRICS("\"utilization\": { \"better\": \"more\" }"), "'better' is not 'lower'" },
		{ METRICS("\"utilization\": { \"test\": \"t\" }"), "'test' is not 'wilcoxon'" },
		{ METRICS("\"utilization\": { \"tolerance\": \"=\" }"), "'tolerance' is no key of a metric" },
		{ METRICS("\"wait.max{user=*}\": { \"tol\": \"+5%\" }"), "give a range or a bound" },
		{ METRICS("\"wait.*\": { \"tol\": \"<= 5\" }"), "a star stands for all values of one key" },
		{ METRICS("\"wait.mean\": { \"test\": \"wilcoxon\" }"),
			"needs at least 6 runs, and the case has 1" },
		{ HEAD ", \"seeds\": \"1..7\", \"metrics\": { \"wait.mean\": { \"test\": \"wilcoxon\", \"alpha\": 0.01 } }" TAIL,
			"at alpha 0.01 needs at least 8 runs, and the case has 7" },
		{ HEAD ", \"seeds\": \"1..7\", \"metrics\": { \"wait.mean\": { \"values\": [1] } }" TAIL,
			"'values' has 1 numbers and the case 7 runs" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		struct baseline baseline;
		struct sl_err err;
		struct sl_arena *arena = sl_arena_new();
		cr_expect_eq(parse(&baseline, cases[i].text, arena, &err), SL_INPUT, "%s", cases[i].text);
		cr_expect(strstr(err.text, cases[i].said), "%s\nsaid %s\nnot %s", cases[i].text, err.text,
			cases[i].said);
		sl_arena_free(arena);
	}
}

/* Goal: 6 runs are enough at 0.05, and 8 at 0.01: the least p there can be is 2 / 2^n. */
Test(baseline, enough_runs)
{
	static const char *const good[] = {
		HEAD ", \"seeds\": \"1..6\", \"metrics\": { \"wait.mean\": { \"test\": \"wilcoxon\" } }" TAIL,
		HEAD
		", \"seeds\": \"1..8\", \"metrics\": { \"wait.mean\": { \"test\": \"wilcoxon\", \"alpha\": 0.01 } }" TAIL,
	};
	for (size_t i = 0; i < SL_LEN(good); i++) {
		struct baseline baseline;
		struct sl_err err;
		struct sl_arena *arena = sl_arena_new();
		cr_expect_eq(parse(&baseline, good[i], arena, &err), SL_OK, "%s", err.text);
		sl_arena_free(arena);
	}
}

/* Goal: a NUL in the text is no end of it for one reader and a letter for another. */
Test(baseline, zero_byte)
{
	static const char text[] = "{ \"schema\": \"schedlab.baseline/1\0\", \"cases\": [] }";
	struct baseline baseline;
	struct sl_err err = { 0 };
	struct sl_arena *arena = sl_arena_new();
	cr_expect_eq(baseline_parse(&baseline, "b.json", text, sizeof(text) - 1, arena, &err), SL_INPUT);
	cr_expect(strstr(err.text, "b.json:1:33: a string holds a byte 0x00"), "%s", err.text);
	cr_expect_eq(parse(&baseline, "{\f\"schema\": 1 }", arena, &err), SL_INPUT);
	cr_expect(strstr(err.text, "b.json:1:2: not JSON: a key in quotes is due"), "%s", err.text);
	sl_arena_free(arena);
}

/* Goal: layout, order, comments and tolerances are people's. Method: a file by a hand with habits. */
Test(baseline, writes_values_alone)
{
	static const char before[] =
		"{\"schema\":\"schedlab.baseline/1\",\n"
		"  \"comment\": \"{ \\\"id\\\": 1 } \\u00e9\",\n"
		"\t\"cases\": [ { \"id\": \"a\" , \"trace\":\"t.swf\",\"result\" : \"0000000000000001\",\n"
		"\t\t\"metrics\": {\n"
		"\t\t  \"wait.mean\":   { \"value\": 1.50 , \"tol\": \"+5%\", \"comment\": [1, {}] },\n"
		"\t\t  \"wait.max\":    { \"tol\": \"<= 4h\" },\n"
		"\t\t  \"makespan\":    {},\n"
		"\t\t  \"utilization\": { \"value\": null }\n"
		"\t\t} } ] }\n\n";
	static const char after[] =
		"{\"schema\":\"schedlab.baseline/1\",\n"
		"  \"comment\": \"{ \\\"id\\\": 1 } \\u00e9\",\n"
		"\t\"cases\": [ { \"id\": \"a\" , \"trace\":\"t.swf\",\n"
		"\t             \"trace_sha256\": \"ff\",\"result\" : \"2\",\n"
		"\t\t\"metrics\": {\n"
		"\t\t  \"wait.mean\":   { \"value\": 10 , \"tol\": \"+5%\", \"comment\": [1, {}] },\n"
		"\t\t  \"wait.max\":    { \"value\": 11, \"tol\": \"<= 4h\" },\n"
		"\t\t  \"makespan\":    { \"value\": 12 },\n"
		"\t\t  \"utilization\": { \"value\": 13 }\n"
		"\t\t} } ] }\n\n";
	static const char *const value[] = { "10", "11", "12", "13" };
	struct baseline baseline;
	struct sl_err err;
	struct sl_arena *arena = sl_arena_new();
	cr_assert_eq(parse(&baseline, before, arena, &err), SL_OK, "%s", err.text);
	const struct baseline_case *item = &baseline.item[0];
	struct baseline_edits edits = { .arena = arena };
	size_t len = 0;
	baseline_put_key(&edits, &baseline, item, "trace_sha256", &item->trace_sha256.range, "\"ff\"");
	baseline_put_key(&edits, &baseline, item, "result", &item->result.range, "\"2\"");
	for (size_t i = 0; i < item->metric_count; i++)
		baseline_put_value(&edits, &item->metric[i], value[i], NULL);
	const char *text = baseline_edited(&baseline, &edits, &len);
	cr_assert_str_eq(text, after);
	cr_expect_eq(len, strlen(after));
	sl_arena_free(arena);
}

/* Goal: values of a family come and are replaced, and what was written is read. */
Test(baseline, family)
{
	static const char before[] =
		HEAD ", \"seeds\": \"3..5\", \"metrics\": {\n\"wait.mean\": { \"tol\": \"+5%\" },\n"
		     "\"wait.max\": { \"values\": [1,2,3], \"value\": 2 } }" TAIL;
	struct baseline baseline;
	struct sl_err err;
	struct sl_arena *arena = sl_arena_new();
	cr_assert_eq(parse(&baseline, before, arena, &err), SL_OK, "%s", err.text);
	cr_expect_eq(baseline.item[0].seed_count, 3);
	cr_expect_eq(baseline.item[0].seed[2], 5);
	struct baseline_edits edits = { .arena = arena };
	size_t len = 0;
	for (size_t i = 0; i < 2; i++)
		baseline_put_value(&edits, &baseline.item[0].metric[i], "7.25", "[7, 7.5, 7.25]");
	const char *text = baseline_edited(&baseline, &edits, &len);
	cr_assert(strstr(text, "{ \"value\": 7.25, \"values\": [7, 7.5, 7.25], \"tol\": \"+5%\" }"), "%s",
		text);
	cr_assert(strstr(text, "{ \"values\": [7, 7.5, 7.25], \"value\": 7.25 }"), "%s", text);
	cr_assert_eq(parse(&baseline, text, arena, &err), SL_OK, "%s", err.text);
	cr_expect_eq(baseline.item[0].metric[1].each[1], 7500000);
	sl_arena_free(arena);
}

/* Goal: what is known by name is overruled by what is written; what is not known has the sign of its
 * tolerance. */
Test(baseline, better)
{
	static const char text[] =
		METRICS("\"wait.mean\": { \"tol\": \"+5%\" }, \"utilization\": { \"tol\": \"-1%\" }, "
			"\"mine\": { \"tol\": \"+1\" }, \"other\": {}, "
			"\"makespan\": { \"better\": \"higher\", \"tol\": \"-1%\" }");
	static const int better[] = { -1, 1, -1, 0, 1 };
	struct baseline baseline;
	struct sl_err err;
	struct sl_arena *arena = sl_arena_new();
	cr_assert_eq(parse(&baseline, text, arena, &err), SL_OK, "%s", err.text);
	for (size_t i = 0; i < SL_LEN(better); i++)
		cr_expect_eq(
			baseline.item[0].metric[i].better, better[i], "%s", baseline.item[0].metric[i].name);
	sl_arena_free(arena);
}
