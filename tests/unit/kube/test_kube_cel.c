/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_kube_cel.c - expressions of CEL over one device: what holds, what does not, what fails, and where an
 * expression is refused.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "policies/cel/kube_cel.h"

static const struct cel_entry attributes[] = {
	{ "", "model", { .kind = CEL_TEXT, .text = "A100-40" } },
	{ "", "index", { .kind = CEL_INT, .number = 3 } },
	{ "", "ecc", { .kind = CEL_BOOL, .number = 1 } },
	{ "", "driverVersion", { .kind = CEL_VERSION, .text = "535.4.10" } },
	{ "rack.example.com", "row", { .kind = CEL_TEXT, .text = "b" } },
};
static const struct cel_entry capacities[] = {
	{ "", "memory", { .kind = CEL_QUANTITY, .number = INT64_C(40) * 1024 * 1024 * 1024 * 1000 } },
};
static const struct cel_device device = { "gpu.example.com", false, attributes, capacities, 5, 1 };
static const struct sl_place place = { "x.yaml", 7, 3 };

#define OF  "device.attributes['gpu.example.com']."
#define HAS "device.capacity['gpu.example.com']."

static enum cel_truth needs(const char *text)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { .status = 0 };
	struct cel *cel = NULL;
	const char *why;
	cr_assert_eq(cel_parse(&cel, arena, text, &place, &err), 0, "%s: %s", text, err.text);
	const enum cel_truth truth = cel_holds(cel, &device, &why);
	cel_release(cel);
	sl_arena_free(arena);
	return truth;
}

static void expect(const char *const *text, size_t count, enum cel_truth truth)
{
	for (size_t i = 0; i < count; i++)
		cr_expect_eq(needs(text[i]), truth, "%s", text[i]);
}

Test(kube_cel, holds)
{
	static const char *const text[] = { "true", "device.driver == 'gpu.example.com'",
		OF "model == \"A100-40\"", OF "index == 3 && " OF "ecc", OF "index > 2", OF "index >= 3",
		OF "index < 4", OF "index <= 3", OF "index != 4", "-" OF "index == -3", "!(" OF "index == 4)",
		OF "model in ['H100', 'A100-40']", "'model' in device.attributes['gpu.example.com']",
		"'rack.example.com' in device.attributes", "device.attributes['rack.example.com'].row == 'b'",
		"device.attributes['gpu.example.com']['index'] == 3", OF "index == 4 ? false : true",
		HAS "memory.compareTo(quantity('40Gi')) == 0", HAS "memory == quantity('40960Mi')",
		HAS "memory.isGreaterThan(quantity('39Gi'))", HAS "memory.isLessThan(quantity('41Gi'))",
		OF "driverVersion.compareTo(semver('535.4.9')) > 0",
		OF "driverVersion.isLessThan(semver('535.5.0-rc.1'))", OF "driverVersion.major() == 535",
		OF "driverVersion.minor() == 4", OF "driverVersion.patch() == 10",
		OF "model.startsWith('A1')", OF "model.endsWith('-40')", OF "model.contains('00')",
		OF "model.matches('^A[0-9]{3}-(40|80)$')", OF "model.size() == 7", "size([1, 2, 3]) == 3",
		"['a', 'b'][1] == 'b'", "r'\\d' == '\\\\d'", "has(" OF "model)", "!has(" OF "colour)",
		"!device.allowMultipleAllocations", "true || false && false",
		"false // nothing behind this counts\n || true", "1 != '1'" };
	expect(text, SL_LEN(text), CEL_YES);
}

Test(kube_cel, does_not_keep)
{
	static const char *const text[] = { "false", "!true", OF "index == 4", OF "model == 'a100-40'",
		OF "model in []", "'colour' in device.attributes['gpu.example.com']",
		"'x.example.com' in device.capacity", OF "model == 3", OF "model.startsWith('A100-40-')",
		"true && false || false" };
	expect(text, SL_LEN(text), CEL_NO);
}

Test(kube_cel, fails_where_there_is_nothing_to_compare)
{
	static const char *const text[] = { "[1] == [1]", "[1] != [2]", OF "colour == 'red'",
		"device.attributes['none.example.com'].x == 1", OF "index < 'b'",
		HAS "memory > quantity('1Gi')", "quantity('many').compareTo(quantity('1')) == 0",
		"semver('1.2') == semver('1.2.0')", OF "model", "'a' && true", "['a'][1] == 'a'",
		"[][0] == 1", "!" OF "index" };
	expect(text, SL_LEN(text), CEL_FAILED);
}

Test(kube_cel, a_side_that_decides_covers_an_error)
{
	cr_expect_eq(needs("false && " OF "colour == 1"), CEL_NO);
	cr_expect_eq(needs(OF "colour == 1 && false"), CEL_NO);
	cr_expect_eq(needs("true || " OF "colour == 1"), CEL_YES);
	cr_expect_eq(needs(OF "colour == 1 || true"), CEL_YES);
	cr_expect_eq(needs(OF "colour == 1 && true"), CEL_FAILED);
	cr_expect_eq(needs("false || " OF "colour == 1"), CEL_FAILED);
	cr_expect_eq(needs("true ? true : " OF "colour"), CEL_YES);
}

Test(kube_cel, versions_are_ordered_as_semver_says)
{
	static const char *const ascending[] = { "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
		"1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0",
		"2.0.0" };
	static const char *const wrong[] = { "", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+",
		"v1.2.3", "1.2.3.4", "1.2.3-a..b" };
	for (size_t i = 0; i < SL_LEN(ascending); i++) {
		cr_expect(cel_is_version(ascending[i]), "%s", ascending[i]);
		for (size_t j = 0; j < SL_LEN(ascending); j++) {
			const int order = cel_compare_versions(ascending[i], ascending[j]);
			cr_expect_eq(order < 0 ? -1 : order > 0, (i > j) - (i < j), "%s, %s", ascending[i],
				ascending[j]);
		}
	}
	cr_expect_eq(cel_compare_versions("1.0.0+a", "1.0.0+b"), 0);
	for (size_t i = 0; i < SL_LEN(wrong); i++)
		cr_expect(!cel_is_version(wrong[i]), "%s", wrong[i]);
}

static void refuses(const char *text, const char *want)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_err err = { .status = 0 };
	struct cel *cel = NULL;
	cr_expect_neq(cel_parse(&cel, arena, text, &place, &err), 0, "%s", text);
	cr_expect_str_eq(err.text, want);
	cel_release(cel);
	sl_arena_free(arena);
}

Test(kube_cel, says_where_and_what_it_does_not_know)
{
	refuses("device.name == 'x'", "x.yaml:7:3: expression, character 8: 'name' is no field of a device");
	refuses("cel.bind(x, 1, x)",
		"x.yaml:7:3: expression, character 1: 'cel' is a name that is not known here");
	refuses("device.driver.exists(x, true)",
		"x.yaml:7:3: expression, character 15: 'exists' is a function that is not known here");
	refuses("1 + 1 == 2", "x.yaml:7:3: expression, character 3: '+' is not understood");
	refuses("1.5 > 1",
		"x.yaml:7:3: expression, character 1: '1.5' is no plain whole number, and others are not known here");
	refuses("'a", "x.yaml:7:3: expression, character 1: ''' opens a text that does not end");
	refuses("(true", "x.yaml:7:3: expression, character 6: '(the end)' stands where ')' has to be");
	refuses("", "x.yaml:7:3: expression, character 1: '(the end)' is not understood");
	refuses("size()", "x.yaml:7:3: expression, character 1: 'size' has another number of arguments");
	refuses("device.driver.matches('\\\\d')",
		"x.yaml:7:3: expression, character 15: '\\d' is no pattern that can be used here: plain POSIX extended ones "
		"of up to 128 letters can");
}

Test(kube_cel, depth_is_bounded)
{
	char text[400];
	memset(text, '(', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	refuses(text,
		"x.yaml:7:3: expression, character 65: '(' is too deep inside others: write a flatter one");
	memset(text, '!', sizeof(text) - 1);
	refuses(text,
		"x.yaml:7:3: expression, character 65: '!' is too deep inside others: write a flatter one");
}
