/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_containers.c - arrays that grow and say no, maps that find all that was put in, heaps against a sorted
 * list.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"

Test(containers, an_array_keeps_what_it_had_whatever_counts_its_capacity)
{
	uint16_t *narrow = NULL;
	uint64_t *wide = NULL;
	uint32_t narrow_capacity = 0;
	size_t wide_capacity = 0;
	for (uint32_t i = 0; i < 10000; i++) {
		cr_assert_eq(SL_GROW(narrow, narrow_capacity, i + 1, NULL), SL_OK);
		cr_assert_eq(SL_GROW(wide, wide_capacity, i + 1, NULL), SL_OK);
		narrow[i] = (uint16_t)i;
		wide[i] = i;
	}
	for (uint32_t i = 0; i < 10000; i++)
		cr_assert(narrow[i] == (uint16_t)i && wide[i] == i, "element %u", i);
	free(narrow);
	free(wide);
}

Test(containers, what_is_new_is_cleared_where_that_is_asked)
{
	struct sl_arena *arena = sl_arena_new();
	uint32_t *zeroed = NULL, *of_arena = NULL;
	uint32_t zeroed_capacity = 0, arena_capacity = 0;
	for (uint32_t count = 1; count < 500; count *= 3) {
		const uint32_t before = zeroed_capacity;
		cr_assert_eq(SL_GROW_ZEROED(zeroed, zeroed_capacity, count, NULL), SL_OK);
		cr_assert_eq(SL_GROW_IN(arena, of_arena, arena_capacity, count, NULL), SL_OK);
		cr_assert(zeroed_capacity >= count && arena_capacity == zeroed_capacity);
		for (uint32_t i = 0; i < zeroed_capacity; i++) {
			cr_expect_eq(zeroed[i], i < before ? i + 1 : 0);
			cr_expect_eq(of_arena[i], zeroed[i]);
			zeroed[i] = of_arena[i] = i + 1;
		}
	}
	free(zeroed);
	sl_arena_free(arena);
}

Test(containers, more_than_the_most_or_than_can_be_counted_fails_and_changes_nothing)
{
	struct sl_err err = { 0 }, none = { 0 };
	char *text = NULL;
	uint32_t capacity = 0;
	cr_assert_eq(SL_GROW_MOST(text, capacity, 10, 10, &err), SL_OK);
	cr_expect_eq(capacity, 10);
	cr_expect_eq(SL_GROW_MOST(text, capacity, 11, 10, &err), SL_INPUT);
	cr_expect_str_eq(err.text, "more than 10 rows: split the input");
	cr_expect_eq(SL_GROW(text, capacity, (size_t)INT32_MAX + 1, &none), SL_SYSTEM);
	cr_expect_eq(capacity, 10);
	free(text);
}

Test(containers, a_map_finds_each_of_many_under_its_hash_and_no_other)
{
	enum { MANY = 20000 };
	struct sl_map map = { 0 };
	for (uint32_t i = 0; i < MANY; i++)
		cr_assert_eq(sl_map_add(&map, sl_hash(0, i / 2), i, NULL), SL_OK);
	for (uint32_t key = 0; key < MANY; key++) {
		const uint64_t hash = sl_hash(0, key);
		uint32_t number, found = 0;
		SL_MAP_EACH(&map, hash, number)
		found += number / 2 == key;
		cr_assert_eq(found, key < MANY / 2 ? 2 : 0, "key %u", key);
	}
	sl_map_clear(&map);
	size_t step = 0;
	cr_expect_eq(sl_map_next(&map, sl_hash(0, 1), &step), UINT32_MAX);
	sl_map_free(&map);
}

Test(containers, texts_hash_by_what_they_say)
{
	cr_expect_eq(sl_hash_text(0, "a longer text"), sl_hash_bytes(0, "a longer text", 13));
	cr_expect_neq(sl_hash_text(0, "ab"), sl_hash_text(0, "ba"));
	cr_expect_neq(sl_hash_bytes(0, "a\0", 2), sl_hash_bytes(0, "a", 1));
}

struct world {
	size_t place[1000]; /* By number. */
};

static bool is_less(const struct world *w, const uint32_t *a, const uint32_t *b)
{
	(void)w;
	return *a / 3 != *b / 3 ? *a / 3 < *b / 3 : *a < *b;
}

static void placed(struct world *w, const uint32_t *number, size_t place) { w->place[*number] = place; }

SL_HEAP(numbers, uint32_t, struct world *, is_less, placed)

/* Pushes a permutation, takes every seventh out from wherever it is, and pops the rest: ascending. */
Test(containers, a_heap_gives_what_is_left_in_order_and_knows_where_each_is)
{
	static struct world w;
	uint32_t heap[1000], last = 0;
	size_t count = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		heap[count] = i * 387 % 1000;
		(void)numbers_up(&w, heap, count++);
	}
	for (uint32_t i = 0; i < 1000; i += 7) {
		cr_assert_eq(heap[w.place[i]], i);
		numbers_remove(&w, heap, --count, w.place[i]);
	}
	cr_assert_eq(count, 1000 - 143);
	for (; count; numbers_remove(&w, heap, --count, 0)) {
		cr_assert(heap[0] % 7 && heap[0] >= last);
		last = heap[0];
	}
	cr_expect_eq(last, 999);
}
