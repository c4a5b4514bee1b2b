/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * containers.h - arrays that grow, maps from keys to row numbers, binary heaps.
 *
 * None of them has an order of its own: a map is only looked up in, never walked, and the first of a heap is
 * decided by its order, which should end in a row or a number of insertion. So results never depend on an
 * address, on a hash, or on what was there before.
 */
#ifndef SL_PLUGIN_CONTAINERS_H
#define SL_PLUGIN_CONTAINERS_H

#include "base.h"

/* ---- Arrays that grow ----------------------------------------------------- */

/* Capacity for at least `wanted` elements: SL_OK, or, with the array as it was, SL_SYSTEM (no memory) or
 * SL_INPUT (more than the most that is allowed). array: a pointer of any type, from malloc or NULL, which may
 * move, and which its owner frees; capacity: in elements, a uint32_t or size_t. What is new is not cleared.
 * The capacity doubles, so that n calls for one more cost O(n) in all. Arguments may be evaluated twice. err
 * may be NULL.
 *
 *   if (SL_GROW(list->at, list->capacity, list->count + 1, err))
 *           return SL_SYSTEM;
 *   list->at[list->count++] = element;
 */
#define SL_GROW(array, capacity, wanted, err) SL_GROW_MOST(array, capacity, wanted, SIZE_MAX, err)

/* With a bound, which whatever is read from a file needs: of more than `most` elements it fails and says how
 * many. */
#define SL_GROW_MOST(array, capacity, wanted, most, err)                                           \
	((size_t)(wanted) <= (size_t)(capacity)                                                    \
			? SL_OK                                                                    \
			: sl_array_grow(&(array), sizeof(*(array)), &(capacity), sizeof(capacity), \
				  (size_t)(wanted), (size_t)(most), (err)))

/* What is new is cleared. */
#define SL_GROW_ZEROED(array, capacity, wanted, err)                                                      \
	((size_t)(wanted) <= (size_t)(capacity)                                                           \
			? SL_OK                                                                           \
			: sl_array_grow_zeroed(&(array), sizeof(*(array)), &(capacity), sizeof(capacity), \
				  (size_t)(wanted), (err)))

/* From an arena: cleared too, and what was before stays in the arena until that goes. */
#define SL_GROW_IN(arena, array, capacity, wanted, err)                                      \
	((size_t)(wanted) <= (size_t)(capacity)                                              \
			? SL_OK                                                              \
			: sl_array_grow_in((arena), &(array), sizeof(*(array)), &(capacity), \
				  sizeof(capacity), (size_t)(wanted), (err)))

/* Exactly so many elements, for arrays whose owner has one capacity for several. */
#define SL_RESIZE(array, count, err) sl_array_resize(&(array), sizeof(*(array)), (size_t)(count), (err))

/* What these stand on. array: the address of the pointer; width: sizeof the capacity, 4 or 8. */
SL_API int sl_array_grow(void *array, size_t size, void *capacity, size_t width, size_t wanted, size_t most,
	struct sl_err *err);
SL_API int sl_array_grow_zeroed(
	void *array, size_t size, void *capacity, size_t width, size_t wanted, struct sl_err *err);
SL_API int sl_array_grow_in(struct sl_arena *arena, void *array, size_t size, void *capacity, size_t width,
	size_t wanted, struct sl_err *err);

SL_API int sl_array_resize(void *array, size_t size, size_t count, struct sl_err *err);

/* ---- Maps ------------------------------------------------------------------ */

/* From a hash to numbers put in under it, most often rows of the owner's own array, where the keys are: the
 * owner compares them. Open addressing, at most half full; O(1) to find and, on average, to add. {0} is
 * empty, and from malloc; with an arena its memory is the arena's, and goes with that.
 *
 *   uint32_t row;
 *   SL_MAP_EACH(&map, sl_hash_text(0, name), row)
 *           if (strcmp(thing[row].name, name) == 0)
 *                   return row;
 */
struct sl_map {
	uint64_t *slot; /* Half of the hash, and 1 + the number; 0: free. */
	size_t slots, count;
	struct sl_arena *arena;
};

/* The next number under that hash, or another one that looks like it; UINT32_MAX: no more. step begins with
 * 0. */
SL_API uint32_t sl_map_next(const struct sl_map *map, uint64_t hash, size_t *step);
#define SL_MAP_EACH(map, hash, number) \
	for (size_t sl_step = 0; ((number) = sl_map_next((map), (hash), &sl_step)) != UINT32_MAX;)

/* One more, whatever is there; below UINT32_MAX. SL_OK or SL_SYSTEM. */
SL_API int sl_map_add(struct sl_map *map, uint64_t hash, uint32_t number, struct sl_err *err);
SL_API void sl_map_clear(struct sl_map *map); /* Empty; its memory stays. */
SL_API void sl_map_free(struct sl_map *map);

/* Hashes of keys, from one part to the next: sl_hash(sl_hash(0, a), b). The same in every run. */
static inline uint64_t sl_hash(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}
SL_API uint64_t sl_hash_bytes(uint64_t hash, const void *bytes, size_t count);
SL_API uint64_t sl_hash_text(uint64_t hash, const char *text);

/* ---- Heaps ------------------------------------------------------------------- */

/* Functions NAME_up, NAME_down, NAME_make and NAME_remove of a binary heap in an array of the owner's: the
 * least element lies at 0. self: whatever the two below need. BEFORE(self, a, b): whether *a goes before *b
 * (pointers to elements); a total order that ends in a number. PLACED(self, element, place): called with an
 * element's new index; SL_HEAP_UNPLACED: not needed.
 *
 * To push, write the element at count, then NAME_up(self, heap, count++). To remove the element at `place`:
 * NAME_remove(self, heap, --count, place). O(log n); NAME_make, which makes a heap of any array, O(n).
 */
#define SL_HEAP_UNPLACED(self, element, place) ((void)(self))
#define SL_HEAP(NAME, TYPE, SELF, BEFORE, PLACED)                                                        \
	__attribute__((unused)) static inline size_t NAME##_up(SELF self, TYPE *heap, size_t place)      \
	{                                                                                                \
		const TYPE moved = heap[place];                                                          \
		for (; place && BEFORE(self, &moved, &heap[(place - 1) / 2]); place = (place - 1) / 2) { \
			heap[place] = heap[(place - 1) / 2];                                             \
			PLACED(self, &heap[place], place);                                               \
		}                                                                                        \
		heap[place] = moved;                                                                     \
		PLACED(self, &moved, place);                                                             \
		return place;                                                                            \
	}                                                                                                \
	__attribute__((unused)) static inline void NAME##_down(                                          \
		SELF self, TYPE *heap, size_t count, size_t place)                                       \
	{                                                                                                \
		const TYPE moved = heap[place];                                                          \
		for (size_t child; (child = 2 * place + 1) < count; place = child) {                     \
			child += child + 1 < count && BEFORE(self, &heap[child + 1], &heap[child]);      \
			if (!BEFORE(self, &heap[child], &moved))                                         \
				break;                                                                   \
			heap[place] = heap[child];                                                       \
			PLACED(self, &heap[place], place);                                               \
		}                                                                                        \
		heap[place] = moved;                                                                     \
		PLACED(self, &moved, place);                                                             \
	}                                                                                                \
	__attribute__((unused)) static inline void NAME##_make(SELF self, TYPE *heap, size_t count)      \
	{                                                                                                \
		for (size_t place = count / 2; place-- > 0;)                                             \
			NAME##_down(self, heap, count, place);                                           \
	}                                                                                                \
	__attribute__((unused)) static inline void NAME##_remove(                                        \
		SELF self, TYPE *heap, size_t count, size_t place)                                       \
	{                                                                                                \
		if (place == count)                                                                      \
			return;                                                                          \
		heap[place] = heap[count];                                                               \
		NAME##_down(self, heap, count, NAME##_up(self, heap, place));                            \
	}

#endif
