/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_files.c - what a check found, for programs: JSON, JUnit's XML, TAP 13.
 *
 * JUnit: the form that Jenkins, GitLab and GitHub's actions read: a suite a case, a testcase a metric, with
 * what it was and is as properties. XML 1.0 has no place for control characters, and none for what is not
 * UTF-8: they are written as "?".
 */
#include <inttypes.h>
#include <string.h>

#include "cli/base/render.h"
#include "cli/check/check_impact.h"

/* What three of the forms say of a metric. */
struct figures {
	struct datum was, is, both, tol;
};

static struct figures figures_of(const struct check_item *item)
{
	return (struct figures){ datum_if(item->has_was, datum_micro("old", item->was)),
		datum_if(item->has_is, datum_micro("new", item->is)),
		datum_if(item->both, datum_count("jobs_both", item->both)), datum_given("tol", item->tol) };
}

/* Six decimals at most, the same on any machine. */
static struct datum datum_p(const struct check_item *item, const char *key, double p)
{
	return datum_if(item->tested, datum_micro(key, (int64_t)(p * 1e6 + 0.5)));
}

static const char *status_word(enum check_status status)
{
	static const char *const word[] = { "ok", "moved", "better", "new", "warn", "fail", "changed",
		"unstable" };
	return word[status];
}

void check_json(const struct check *check, struct sl_out *out)
{
	struct json json;
	json_start_in(&json, out, &json_lines_2);
	json_put(&json, datum_text("schema", "schedlab.check/1"),
		datum_text("baseline", check->baseline.file), datum_count("passed", check->passed),
		datum_count("failed", check->failed), datum_count("warned", check->warned),
		datum_count("better", check->better));
	json_nest(&json, "items", '[', &json_lines_4);
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		const struct figures figures = figures_of(item);
		json_object(&json, NULL, datum_text("status", status_word(item->status)),
			datum_given("case", item->of->id), datum_given("name", item->name),
			datum_count("line", item->at.line), datum_count("column", item->at.column),
			figures.was, figures.is, figures.both, figures.tol, datum_p(item, "p", item->p),
			datum_p(item, "holm", item->holm), datum_given("detail", item->detail));
	}
	json_close(&json);
	if (check->impact)
		impact_json(check, &json);
	json_close(&json);
	sl_out_text(out, "\n");
}

/* ---- XML ---------------------------------------------------------------------------------- */

/* How many bytes of a character of UTF-8 begin here; 0: it is none that XML has. */
static size_t character(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	if (*p < 0x80)
		return *p >= 0x20 && *p != 0x7f;
	const size_t len = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
	uint32_t code = *p & (0x7fU >> len);
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fU);
	}
	const uint32_t least = len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
	const bool bad = code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ||
			 (code & 0xfffe) == 0xfffe;
	return bad ? 0 : len;
}

static void xml_text(struct sl_out *out, const char *text)
{
	while (*text) {
		const size_t len = character(text);
		const char *escaped = *text == '&'   ? "&amp;"
				      : *text == '<' ? "&lt;"
				      : *text == '>' ? "&gt;"
				      : *text == '"' ? "&quot;"
						     : NULL;
		if (!len)
			sl_out_text(out, "?");
		else if (escaped)
			sl_out_text(out, escaped);
		else
			sl_out_printf(out, "%.*s", (int)len, text);
		text += len ? len : 1;
	}
}

static void xml_attribute(struct sl_out *out, const char *name, const char *text)
{
	sl_out_printf(out, " %s=\"", name);
	xml_text(out, text);
	sl_out_text(out, "\"");
}

static void xml_property(struct sl_out *out, const struct datum *datum)
{
	char number[40];
	const char *text = datum->text ? datum->text : number;
	if (datum->kind == DATUM_ABSENT)
		return;
	*(datum->kind == DATUM_MICRO ? sl_put_micro : sl_put_i64)(number, datum->number) = '\0';
	sl_out_printf(out, "        <property name=\"%s\"", datum->name);
	xml_attribute(out, "value", text);
	sl_out_text(out, "/>\n");
}

static void xml_properties(struct sl_out *out, const struct check_item *item)
{
	const struct figures figures = figures_of(item);
	const struct datum property[] = { figures.was, figures.is, figures.both, figures.tol,
		datum_text("status", status_word(item->status)) };
	sl_out_text(out, "      <properties>\n");
	for (size_t i = 0; i < SL_LEN(property); i++)
		xml_property(out, &property[i]);
	sl_out_text(out, "      </properties>\n");
}

static void message(char text[600], const struct check_item *item)
{
	char was[64];
	char is[64];
	char change[64];
	if (item->what != CHECK_METRIC)
		(void)snprintf(text, 600, "%s", item->detail ? item->detail : "as they were");
	else if (!item->has_is)
		(void)snprintf(text, 600, "%s%snone (allowed %.200s)",
			item->has_was ? check_value(was, item->name, item->was) : "",
			item->has_was ? " -> " : "", item->tol);
	else if (item->has_was)
		(void)snprintf(text, 600, "%s -> %s (%s, allowed %.200s)",
			check_value(was, item->name, item->was), check_value(is, item->name, item->is),
			check_change(change, item), item->tol);
	else
		(void)snprintf(
			text, 600, "%s (allowed %.200s)", check_value(is, item->name, item->is), item->tol);
}

static void xml_item(struct sl_out *out, const struct check_item *item)
{
	char text[600];
	const char *tag = item->status == CHECK_FAIL ? "failure" : "error";
	sl_out_text(out, "    <testcase");
	xml_attribute(out, "classname", item->of->id);
	xml_attribute(out, "name", item->name);
	xml_attribute(out, "file", item->at.file);
	sl_out_printf(out, " line=\"%" PRIu64 "\">\n", item->at.line);
	xml_properties(out, item);
	message(text, item);
	if (item->status >= CHECK_FAIL) {
		sl_out_printf(out, "      <%s", tag);
		xml_attribute(out, "type", status_word(item->status));
		xml_attribute(out, "message", text);
		sl_out_text(out, ">");
		xml_text(out, item->detail ? item->detail : text);
		sl_out_printf(out, "</%s>\n", tag);
	} else if (item->status != CHECK_OK) {
		sl_out_text(out, "      <system-out>");
		xml_text(out, text);
		sl_out_text(out, "</system-out>\n");
	}
	sl_out_text(out, "    </testcase>\n");
}

/* Of items from..until. */
static void xml_counts(struct sl_out *out, const struct check *check, size_t from, size_t until)
{
	size_t failures = 0;
	size_t errors = 0;
	for (size_t i = from; i < until; i++) {
		failures += check->reported[i].status == CHECK_FAIL;
		errors += check->reported[i].status > CHECK_FAIL;
	}
	sl_out_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", until - from, failures, errors);
}

static void xml_line(void *self, const char *line)
{
	xml_text(self, line);
	sl_out_text(self, "\n");
}

static void xml_impact(struct sl_out *out, const struct check *check, const struct baseline_case *of)
{
	for (size_t i = 0; check->impact && i < check->baseline.count; i++)
		if (check->impact[i].of == of) {
			sl_out_text(out, "    <system-out>");
			impact_lines(check, &check->impact[i], out, xml_line);
			sl_out_text(out, "</system-out>\n");
		}
}

void check_junit(const struct check *check, struct sl_out *out)
{
	sl_out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"schedlab check\"");
	xml_counts(out, check, 0, check->reported_count);
	sl_out_text(out, ">\n");
	for (size_t from = 0, until; from < check->reported_count; from = until) {
		for (until = from; until < check->reported_count &&
				   check->reported[until].of == check->reported[from].of;)
			until++;
		sl_out_text(out, "  <testsuite");
		xml_attribute(out, "name", check->reported[from].of->id);
		xml_counts(out, check, from, until);
		sl_out_text(out, ">\n");
		for (size_t i = from; i < until; i++)
			xml_item(out, &check->reported[i]);
		xml_impact(out, check, check->reported[from].of);
		sl_out_text(out, "  </testsuite>\n");
	}
	sl_out_text(out, "</testsuites>\n");
}

/* ---- TAP: https://testanything.org/tap-version-13-specification.html ------------------------ */

/* A "#" would begin a directive. */
static void tap_text(struct sl_out *out, const char *text)
{
	for (; *text; text++)
		if (*text == '#' || *text == '\\')
			sl_out_printf(out, "\\%c", *text);
		else
			sl_out_printf(out, "%c", (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void tap_lines(struct sl_out *out, const struct datum *datum)
{
	for (; datum->kind != DATUM_END; datum++) {
		if (datum->kind == DATUM_ABSENT)
			continue;
		sl_out_printf(out, "  %s: ", datum->name);
		datum_put(out, datum);
		sl_out_text(out, "\n");
	}
}

void check_tap(const struct check *check, struct sl_out *out)
{
	sl_out_printf(out, "TAP version 13\n1..%zu\n", check->reported_count);
	for (size_t i = 0; i < check->reported_count; i++) {
		const struct check_item *item = &check->reported[i];
		const struct figures figures = figures_of(item);
		sl_out_printf(out, "%s %zu - ", item->status >= CHECK_FAIL ? "not ok" : "ok", i + 1);
		tap_text(out, item->of->id);
		sl_out_text(out, " ");
		tap_text(out, item->name);
		sl_out_text(out, "\n  ---\n");
		tap_lines(out, DATA(datum_text("status", status_word(item->status)),
				       datum_given("file", item->at.file), datum_count("line", item->at.line),
				       figures.was, figures.is, figures.both, figures.tol,
				       datum_given("detail", item->detail)));
		sl_out_text(out, "  ...\n");
	}
}
