/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_text.c - what a check found, for people: a line an item; annotations for GitHub; a table in Markdown.
 */
#include <string.h>

#include "cli/base/render.h"
#include "cli/check/check_impact.h"

/* With as many decimals as it has. */
static const char *check_text_number_text(char buffer[48], int64_t micro)
{
	unsigned decimals = 6;
	for (int64_t unit = 10; decimals && micro % unit == 0; unit *= 10)
		decimals--;
	return screen_number(buffer, micro, decimals);
}

const char *check_value(char buffer[64], const char *name, int64_t micro)
{
	char number[48];
	const struct metric_known *known = metric_known(name);
	(void)snprintf(buffer, 64, "%.48s%s", check_text_number_text(number, micro),
		known && strcmp(known->unit, "s") == 0 ? " s" : "");
	return buffer;
}

const char *check_change(char buffer[64], const struct check_item *item)
{
	char number[48];
	const __int128 move = (__int128)item->is - item->was;
	const __int128 size = item->was < 0 ? -(__int128)item->was : item->was;
	const __int128 share = size ? move * 100000000 / size : 0;
	const char *sign = move > 0 ? "+" : "";
	if (size && share < INT64_MAX / 1000 && share > -(INT64_MAX / 1000))
		(void)snprintf(buffer, 64, "%s%.40s %%", sign,
			screen_number(number, (int64_t)share, share < 100000 && share > -100000 ? 4 : 1));
	else
		(void)snprintf(buffer, 64, "%s%.48s", sign,
			check_text_number_text(
				number, move > INT64_MAX || move < INT64_MIN ? INT64_MAX : (int64_t)move));
	return buffer;
}

/* "0.861 -> 0.842 (-2.2 %, allowed -1%)" */
static void metric_text(char *text, size_t capacity, const struct check_item *item)
{
	char was[64];
	char is[64];
	char change[64];
	const bool moved = item->has_was && (!item->has_is || item->was != item->is);
	const bool both = moved && item->has_is; /* There is a difference. */
	size_t used = (size_t)snprintf(text, capacity, "%s%s%s",
		moved ? check_value(was, item->name, item->was) : "", moved ? " -> " : "",
		item->has_is ? check_value(is, item->name, item->is) : "none");
	if (used < capacity)
		used += (size_t)snprintf(text + used, capacity - used, " (%s%s%s%.200s)",
			both ? check_change(change, item) : "", both ? ", " : "",
			moved && item->status != CHECK_NEW ? "allowed " : "", item->tol);
	if (used < capacity && item->tested)
		used += (size_t)snprintf(
			text + used, capacity - used, ", p %.6g, by Holm %.6g", item->p, item->holm);
	if (used < capacity && item->detail)
		(void)snprintf(text + used, capacity - used, "; %s", item->detail);
}

enum { LINE = 1200 };

static void item_text(char text[LINE], const struct check_item *item)
{
	if (item->what == CHECK_METRIC)
		metric_text(text, LINE, item);
	else
		(void)snprintf(text, LINE, "%s", item->detail ? item->detail : "as they were");
}

static void counts_text(char *text, size_t capacity, const struct check *check)
{
	(void)snprintf(text, capacity, "check: %zu passed, %zu failed", check->passed, check->failed);
}

void check_print(const struct check *check, FILE *file)
{
	enum { COLUMNS = 4 };
	char text[LINE];
	struct screen_table *table = screen_table_new(check->arena, COLUMNS);
	size_t shown = 0;
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		if (check->quiet && item->status < CHECK_WARN)
			continue;
		item_text(text, item);
		screen_row(table, "llll", check_status_name(item->status), item->of->id, item->name, text);
		shown++;
	}
	if (shown)
		screen_print(table, file);
	if (check->impact && !check->quiet)
		impact_print(check, file);
	if (check->warned || check->better)
		(void)fprintf(file, "%zu warned, %zu better than %s%s\n", check->warned, check->better,
			check->against ? "before" : "the baseline",
			check->better && !check->against ? ": --update moves it" : "");
	counts_text(text, sizeof(text), check);
	(void)fprintf(file, "%s\n", text);
}

/* ---- GitHub: https://docs.github.com/actions, workflow commands ------------------------------- */

static void put_escaped(FILE *file, const char *text, bool property)
{
	for (; *text; text++)
		if (*text == '%' || *text == '\r' || *text == '\n' || (property && strchr(":,", *text)))
			(void)fprintf(file, "%%%02X", (unsigned)(unsigned char)*text);
		else
			(void)fputc(*text, file);
}

/* What fails is not always worse: "=" fails both ways. */
static const char *title_of(const struct check_item *item)
{
	const int better = item->metric ? item->metric->better : 0;
	if (item->status != CHECK_FAIL)
		return check_status_name(item->status);
	if (item->what != CHECK_METRIC)
		return "differ";
	if (!item->has_is)
		return "is gone";
	return item->has_was && better && (item->is > item->was) == (better > 0) ? "differs" : "regressed";
}

void check_github(const struct check *check, FILE *file)
{
	char text[LINE];
	char title[300];
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		if (item->status == CHECK_OK || item->status == CHECK_NEW)
			continue;
		item_text(text, item);
		(void)snprintf(
			title, sizeof(title), "%.100s: %.100s %s", item->of->id, item->name, title_of(item));
		(void)fprintf(file, "::%s file=",
			item->status >= CHECK_FAIL   ? "error"
			: item->status == CHECK_WARN ? "warning"
						     : "notice");
		put_escaped(file, item->at.file, true);
		(void)fprintf(
			file, ",line=%llu,col=%u,title=", (unsigned long long)item->at.line, item->at.column);
		put_escaped(file, title, true);
		(void)fputs("::", file);
		put_escaped(file, text, false);
		(void)fputc('\n', file);
	}
}

/* ---- Markdown ---------------------------------------------------------------------------------- */

/* GitHub's limit on a job's summary, less our closing text. */
enum { MARKDOWN_MAX = (1 << 20) - 1024 };

size_t check_put_inert(struct sl_out *out, const char *text)
{
	size_t len = 0;
	for (; *text; text++) {
		const bool special = strchr("|\\`*_[]#~!", *text) != NULL;
		if (*text == '<' || *text == '>' || *text == '&') {
			sl_out_printf(out, "&#%d;", *text);
			len += 5;
			continue;
		}
		sl_out_printf(out, special ? "\\%c" : "%c", *text);
		len += special ? 2 : 1;
	}
	return len;
}

size_t check_put_cell(struct sl_out *out, const char *text)
{
	sl_out_text(out, " ");
	const size_t len = check_put_inert(out, text);
	sl_out_text(out, " |");
	return len + 3;
}

/* Rows of those that went wrong, or of the others. Returns how many were left out. */
static size_t put_rows(const struct check *check, struct sl_out *out, bool wrong, size_t *used)
{
	char text[LINE];
	size_t left = 0;
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		if ((item->status >= CHECK_WARN) != wrong)
			continue;
		item_text(text, item);
		if (*used + 6 * (strlen(text) + strlen(item->of->id) + strlen(item->name) + 20) >
			MARKDOWN_MAX) {
			left++;
			continue;
		}
		sl_out_text(out, "|");
		*used += check_put_cell(out, check_status_name(item->status));
		*used += check_put_cell(out, item->of->id);
		*used += check_put_cell(out, item->name);
		*used += check_put_cell(out, text) + 2;
		sl_out_text(out, "\n");
	}
	return left;
}

void check_markdown(const struct check *check, struct sl_out *out)
{
	static const char head[] = "| | case | metric | |\n|---|---|---|---|\n";
	size_t used = 300;
	size_t left = 0;
	bool wrong = false;
	for (size_t i = 0; i < check->reported_count; i++)
		wrong = wrong || check->reported[i].status >= CHECK_WARN;
	sl_out_printf(out, "### schedlab check: %zu passed, %zu failed\n\n", check->passed, check->failed);
	if (wrong) {
		sl_out_text(out, head);
		left += put_rows(check, out, true, &used);
		sl_out_text(out, "\n");
	}
	sl_out_text(out, "<details><summary>all others</summary>\n\n");
	sl_out_text(out, head);
	left += put_rows(check, out, false, &used);
	sl_out_text(out, "\n</details>\n");
	if (check->impact)
		impact_markdown(check, out);
	if (left)
		sl_out_printf(out, "\n%zu more are left out: a summary takes 1 MiB.\n", left);
}
