/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_page_parts.c - what a page is made of, on drawn inputs, against what is slow and plain: rows in order,
 * which jobs are kept, usage in bins, and pages of one run each put together.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/page/page.h"
#include "tests/world/builtin_registry.h"
#include "tests/world/effort.h"
#include "tests/world/page_read.h"
#include "tests/world/result.h"

static const struct sl_compared nothing = { .title = "a title" };

static uint64_t drawn(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 24;
}

Test(page_parts, rows_in_order)
{
	enum { MOST = 300 };
	static const uint64_t masks[] = { 0, 3, 0xfff, UINT32_MAX, UINT64_MAX };
	struct page_key key[MOST], slow[MOST], other[MOST];
	uint64_t row[MOST], more[MOST];
	uint64_t state = 7;
	for (size_t round = 0; round < 100 * SL_LEN(masks); round++) {
		const uint64_t mask = masks[round % SL_LEN(masks)];
		const size_t count = round * 7 % MOST;
		for (uint32_t i = 0; i < count; i++) {
			const uint64_t value = (drawn(&state) << 32 ^ drawn(&state)) & mask;
			key[i] = slow[i] = (struct page_key){ value, i };
			row[i] = page_row_key((uint32_t)value, i);
		}
		page_sort(key, other, count);
		page_sort_rows(row, more, count);
		for (size_t i = 1; i < count; i++) {
			const struct page_key one = slow[i];
			size_t k = i;
			for (; k && slow[k - 1].key > one.key; k--)
				slow[k] = slow[k - 1];
			slow[k] = one;
		}
		for (size_t i = 0; i < count; i++) {
			cr_assert(key[i].key == slow[i].key && key[i].row == slow[i].row, "round %zu", round);
			cr_assert(!i || row[i] > row[i - 1], "round %zu", round); /* By key, then row. */
			cr_assert(mask > UINT32_MAX || (uint32_t)row[i] == slow[i].row, "round %zu", round);
		}
	}
}

static struct hand *drawn_jobs(uint64_t *state, uint32_t count, uint64_t waits)
{
	struct hand *hand = hand_new(4);
	for (uint32_t i = 0; i < count; i++) {
		const int64_t start = (int64_t)(i + drawn(state) % waits);
		hand_add(hand, (struct hand_job){ i, start, start + 10, 1, 100, (int32_t)(drawn(state) % 5),
				       1, SL_COMPLETED });
	}
	return hand;
}

/* How many wait longer, or as long and come before. */
static uint32_t rank_of(const struct hand *hand, uint32_t row)
{
	uint32_t rank = 0;
	const sl_time wait = hand->start[row] - hand->submit[row];
	for (uint32_t i = 0; i < hand->jobs.count; i++) {
		const sl_time other = hand->start[i] - hand->submit[i];
		rank += other > wait || (other == wait && i < row);
	}
	return rank;
}

Test(page_parts, the_longest_waiting_are_kept)
{
	static const uint64_t waits[] = { 1, 3, 5000, 100000000 };
	uint64_t state = 3;
	for (size_t round = 0; round < 40; round += effort_of(5, 1, 1)) {
		struct hand *hand = drawn_jobs(&state, 1 + (uint32_t)round * 5, waits[round % SL_LEN(waits)]);
		const uint32_t most = (uint32_t)(drawn(&state) % (hand->jobs.count + 3));
		const struct sl_document_options options = { .jobs_max = most, .runs = 1 };
		const struct sl_document_run reported = { .label = "a", .result = &hand->result };
		struct sl_err err = { 0 };
		struct page_read page =
			page_open(page_written("html", &reported, 1, &nothing, &options, &err));
		struct page_column id = page_column(&page, page.meta, "runs.0.columns.id");
		size_t kept = 0;
		for (uint32_t row = 0; row < hand->jobs.count; row++)
			if (rank_of(hand, row) < most) {
				cr_assert_lt(kept, id.count);
				cr_assert_eq(id.value[kept], (double)hand->id[row], "round %zu", round);
				kept++;
			}
		cr_assert_eq(kept, id.count);
		page_column_free(&id);
		page_unavailable(&page);
		free(hand);
	}
}

/* Tick by tick. */
Test(page_parts, bins_of_usage)
{
	enum { POINTS = 30000 };
	uint64_t state = 11;
	struct sl_usage_point *point = calloc(POINTS, sizeof(*point));
	struct hand *hand = hand_new(4);
	cr_assert(point);
	hand_add(hand, (struct hand_job){ 0, 0, 10, 1, 100, 1, 1, SL_COMPLETED });
	int64_t now = 0;
	for (size_t i = 0; i < POINTS; i++) {
		point[i] = (struct sl_usage_point){ .at = now * SL_SECOND,
			.cpus_busy = (int64_t)(drawn(&state) % 100),
			.queued = (uint32_t)(drawn(&state) % 3) };
		now += drawn(&state) % 7 ? 1 + (int64_t)(drawn(&state) % 4) : 0;
	}
	const int64_t last = now + 20;
	hand->result.usage = point;
	hand->result.usage_count = POINTS;
	hand->result.last = last * SL_SECOND;
	const struct sl_document_options options = { .jobs_max = 9, .runs = 1 };
	const struct sl_document_run reported = { .label = "a", .result = &hand->result };
	struct sl_err err = { 0 };
	struct page_read page = page_open(page_written("html", &reported, 1, &nothing, &options, &err));
	struct page_column time = page_column(&page, page.meta, "runs.0.use.time");
	struct page_column mean = page_column(&page, page.meta, "runs.0.use.cpus");
	struct page_column peak = page_column(&page, page.meta, "runs.0.use.cpus_max");
	size_t at = 0;
	cr_assert(time.count > 5000 && mean.count == time.count && peak.count == time.count);
	for (size_t b = 0; b < time.count; b++) {
		const int64_t until = b + 1 < time.count ? (int64_t)time.value[b + 1] : last;
		double sum = 0;
		double most = 0;
		for (int64_t tick = (int64_t)time.value[b]; tick < until; tick++) {
			while (at + 1 < POINTS && point[at + 1].at <= tick * SL_SECOND)
				at++;
			const double value = (double)point[at].cpus_busy;
			sum += value;
			most = value > most ? value : most;
		}
		const float want = (float)(sum / ((double)until - time.value[b]));
		cr_assert_eq((float)mean.value[b], want, "bin %zu", b);
		cr_assert_eq(peak.value[b], most, "bin %zu", b);
	}
	page_column_free(&time);
	page_column_free(&mean);
	page_column_free(&peak);
	page_unavailable(&page);
	free(point);
	free(hand);
}

static char *text_of(const struct sl_document *document, void *self)
{
	char path[] = "/tmp/schedlab-test-XXXXXX";
	const int fd = mkstemp(path);
	struct sl_err err = { 0 };
	struct sl_out *out;
	char *text = NULL;
	size_t size = 0;
	cr_assert_geq(fd, 0);
	cr_assert_eq(sl_out_open(&out, path, &err), SL_OK);
	cr_assert_eq(document->write(self, &nothing, out, &err), SL_OK);
	cr_assert_eq(sl_out_commit(out, &err), SL_OK);
	FILE *file = fopen(path, "rb");
	cr_assert(file && getdelim(&text, &size, '\0', file) > 0);
	(void)fclose(file);
	(void)close(fd);
	(void)unlink(path);
	return text;
}

/* Made in any order, and joined in theirs, they are the page that they are when they are added. */
Test(page_parts, joined_as_added)
{
	enum { RUNS = 5 };
	const struct sl_document_options options = { .jobs_max = 1000, .runs = RUNS };
	const struct sl_document *document = sl_by_name(builtin_registry()->known.documents, "html");
	struct hand *hand[RUNS];
	struct sl_document_run reported[RUNS];
	void *part[RUNS];
	void *added;
	void *joined;
	struct sl_err err = { 0 };
	uint64_t state = 5;
	cr_assert_eq(document->open(&added, &options, &err), SL_OK);
	cr_assert_eq(document->open(&joined, &options, &err), SL_OK);
	for (size_t i = 0; i < RUNS; i++) {
		static const char *const label[RUNS] = { "a", "1", "b\"2\"", "b3", "\\1" };
		hand[i] = i == 3 ? NULL : drawn_jobs(&state, 100, i + 2);
		reported[i] = (struct sl_document_run){ .label = label[i],
			.result = &hand[i == 3 ? 0 : i]->result };
		cr_assert_eq(document->add(added, &reported[i], &err), SL_OK);
	}
	for (size_t i = RUNS; i-- > 0;)
		cr_assert_eq(document->part(joined, &reported[i], &part[i], &err), SL_OK);
	for (size_t i = 0; i < RUNS; i++)
		cr_assert_eq(document->join(joined, part[i], &err), SL_OK);
	cr_assert_eq(document->part(joined, &reported[0], &part[0], &err), SL_OK);
	document->drop(part[0]);
	char *one = text_of(document, added);
	char *other = text_of(document, joined);
	cr_assert_str_eq(one, other);
	cr_assert_null(memchr(one, '\1', strlen(one)));
	struct page_read page = page_open(one);
	cr_assert_str_eq(page_text_at(page.meta, "runs.3.columns.wait"),
		page_text_at(page.meta, "runs.0.columns.wait"));
	cr_assert_str_neq(page_text_at(page.meta, "runs.2.columns.wait"),
		page_text_at(page.meta, "runs.4.columns.wait"));
	page_unavailable(&page);
	document->close(added);
	document->close(joined);
	for (size_t i = 0; i < RUNS; i++)
		free(hand[i]);
	free(other);
}
