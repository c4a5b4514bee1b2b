/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_hosts.c - hostlists: what they expand to, what is none, and how names are folded into one.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/base.h"

/* Names as they come. */
struct gathered {
	char text[20][100];
	const char *name[20];
	size_t count;
};

static int gather(void *self, const char *name, size_t len)
{
	struct gathered *all = self;
	cr_assert_eq(strlen(name), len);
	if (all->count == 20)
		return 7;
	memcpy(all->text[all->count], name, len + 1);
	all->name[all->count] = all->text[all->count];
	all->count++;
	return 0;
}

static struct gathered all;

static void expand(const char *list)
{
	struct sl_err err = { 0 };
	all.count = 0;
	cr_assert_eq(sl_hosts_each(list, strlen(list), NULL, &err, gather, &all), 0, "%s", err.text);
	cr_assert_eq(sl_hosts_count(list, strlen(list), NULL, &err), (int64_t)all.count);
}

Test(hosts, brackets_are_ranges_of_a_width)
{
	expand("dgx[0179-0181,7],login");
	static const char *const want[] = { "dgx0179", "dgx0180", "dgx0181", "dgx7", "login" };
	cr_assert_eq(all.count, SL_LEN(want));
	for (size_t i = 0; i < all.count; i++)
		cr_expect_str_eq(all.name[i], want[i]);
}

Test(hosts, the_last_bracket_turns_fastest)
{
	expand("r[1-2]n[09-10]x");
	static const char *const want[] = { "r1n09x", "r1n10x", "r2n09x", "r2n10x" };
	cr_assert_eq(all.count, SL_LEN(want));
	for (size_t i = 0; i < all.count; i++)
		cr_expect_str_eq(all.name[i], want[i]);
}

Test(hosts, what_is_no_list_is_refused_at_its_place)
{
	static const char *const bad[] = { "", "n[", "n[]", "n[1-", "n[2-1]", "n[1,]", "a,,b", "a,", "n[x]",
		"n 1", "n[1234567890]", "n[1-2][1-2][1-2][1-2][1-2]", "n[0-99999999][0-9]",
		"n[0-9999999],m" };
	const struct sl_place at = { "f", 3, 10 };
	for (size_t i = 0; i < SL_LEN(bad); i++) {
		struct sl_err err = { 0 };
		cr_expect_lt(sl_hosts_count(bad[i], strlen(bad[i]), &at, &err), 0, "'%s'", bad[i]);
		cr_expect_eq(strncmp(err.text, "f:3:", 4), 0, "'%s': %s", bad[i], err.text);
	}
	struct sl_err err = { 0 };
	(void)sl_hosts_count("ok,n[", 5, &at, &err);
	cr_expect_eq(strncmp(err.text, "f:3:13: list of hosts 'ok,n[': a bracket is not closed", 40), 0, "%s",
		err.text);
}

Test(hosts, a_call_may_end_it)
{
	struct sl_err err = { 0 };
	all.count = 0;
	cr_expect_eq(sl_hosts_each("n[1-9999999]", 12, NULL, &err, gather, &all), 7);
}

Test(hosts, folding_joins_neighbours)
{
	static const struct {
		const char *list, *folded;
	} cases[] = {
		{ "n1", "n1" },
		{ "n1,n2,n3,n7", "n[1-3,7]" },
		{ "n8,n9,n10,n011", "n[8-10,011]" },
		{ "dgx0179,dgx0180,login,m1", "dgx[0179-0180],login,m1" },
		{ "n09,n10", "n[09-10]" },
		{ "n9,n010", "n[9,010]" },
		{ "a,b", "a,b" },
	};
	for (size_t i = 0; i < SL_LEN(cases); i++) {
		char text[100];
		expand(cases[i].list);
		const size_t len = sl_hosts_fold(all.name, all.count, text, sizeof(text));
		cr_expect_str_eq(text, cases[i].folded);
		cr_expect_eq(len, strlen(cases[i].folded));
		cr_expect_eq(sl_hosts_fold(all.name, all.count, text, 3), len);
		cr_expect_leq(strlen(text), 2);
	}
}
