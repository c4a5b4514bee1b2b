/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_charges.c - what each second of each kept job's wait is charged to: the lines of reasons.csv.
 */
#include "reports/page/page.h"

#include <stdlib.h>

/* In place of a reason: it does not wait from then on. */
enum { OVER = 255 };

/* Of all kept jobs, one after another. */
struct charges {
	struct page_run *run;
	uint32_t *from, *detail;
	uint8_t *reason;
	size_t count, capacity, begun; /* begun: of the job under way, the first. */
	bool detailed;
	int32_t submit; /* Of the job under way. */
};

static bool page_charges_grow(struct charges *all)
{
	if (all->count < all->capacity)
		return true;
	const size_t capacity = all->capacity * 2 + 1024;
	if (SL_RESIZE(all->from, capacity, NULL) || SL_RESIZE(all->detail, capacity, NULL) ||
		SL_RESIZE(all->reason, capacity, NULL)) {
		all->run->page->failed = true;
		return false;
	}
	all->capacity = capacity;
	return true;
}

/* From then on. Of two within one tick the later holds. */
static void charge(struct charges *all, sl_time from, unsigned reason, uint32_t detail)
{
	const uint32_t at = (uint32_t)((int64_t)page_ticks(all->run, from) - all->submit);
	if (all->count > all->begun && all->from[all->count - 1] == at)
		all->count--;
	if (!page_charges_grow(all))
		return;
	all->from[all->count] = at;
	all->reason[all->count] = (uint8_t)reason;
	all->detail[all->count++] = detail;
	all->detailed = all->detailed || detail;
}

static void job(struct charges *all, uint32_t row)
{
	const struct sl_result *result = all->run->result;
	struct sl_charging charging = sl_charges_of(result, row);
	struct sl_charge now;
	sl_time until = SL_NONE;
	all->begun = all->count;
	all->submit = page_ticks(all->run, result->jobs->submit[row]);
	while (sl_charge_next(&charging, &now)) {
		if (until != SL_NONE && now.from != until)
			charge(all, until, OVER, 0);
		charge(all, now.from, now.reason, now.detail);
		until = now.until;
	}
	/* At its first start a wait ends as its columns say. */
	if (until != SL_NONE && until != result->start[row])
		charge(all, until, OVER, 0);
}

void page_charges_put(struct page_run *run)
{
	struct charges all = { .run = run };
	struct page_text json = { 0 };
	uint32_t *first = page_alloc(run->page, (size_t)run->kept + 1, sizeof(*first));
	for (uint32_t i = 0; first && i < run->kept; i++) {
		first[i] = (uint32_t)all.count;
		job(&all, run->row_kept[i]);
	}
	page_name(run->json, "charges");
	if (first && page_charges_grow(&all)) {
		first[run->kept] = (uint32_t)all.count;
		page_put(&json, "{");
		page_member(run->page, &json, "first", PAGE_U32 | PAGE_DELTA | PAGE_SPLIT, first,
			(size_t)run->kept + 1);
		page_member(run->page, &json, "from", PAGE_U32 | PAGE_SPLIT, all.from, all.count);
		page_member(run->page, &json, "reason", PAGE_U8, all.reason, all.count);
		if (all.detailed)
			page_member(run->page, &json, "detail", PAGE_U32 | PAGE_SPLIT, all.detail, all.count);
		else
			page_put(&json, ",\"detail\":null");
		page_put(&json, "}");
	}
	page_bytes(run->json, json.data, json.length);
	run->page->failed = run->page->failed || json.failed;
	page_text_free(&json);
	free(all.from);
	free(all.detail);
	free(all.reason);
	free(first);
}
