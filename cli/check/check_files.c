/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_files.c - what a check found, for programs: JSON, JUnit's XML, TAP 13.
 *
 * JUnit: the form that Jenkins, GitLab and GitHub's actions read: a suite a case, a testcase a metric, with
 * what it was and is as properties. XML 1.0 has no place for control characters, and none for what is not
 * UTF-8: they are shown as "?".
 */
#include <inttypes.h>
#include <string.h>

#include "cli/check/check_impact.h"

static void put_micro(struct sl_out *out, int64_t micro)
{
	sl_out_advance(out, sl_put_micro(sl_out_room(out, 32), micro));
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void json_text(struct sl_out *out, const char *key, const char *text)
{
	if (!text)
		return;
	sl_out_printf(out, ", \"%s\": ", key);
	sl_out_json(out, text);
}

static void json_micro(struct sl_out *out, const char *key, int64_t micro)
{
	sl_out_printf(out, ", \"%s\": ", key);
	put_micro(out, micro);
}

/* Six decimals at most, the same on any machine. */
static void json_p(struct sl_out *out, const char *key, double p)
{
	json_micro(out, key, (int64_t)(p * 1e6 + 0.5));
}

static const char *status_word(enum check_status status)
{
	static const char *const word[] = { "ok", "moved", "better", "new", "warn", "fail", "changed",
		"unstable" };
	return word[status];
}

void check_json(const struct check *check, struct sl_out *out)
{
	sl_out_text(out, "{\n  \"schema\": \"schedlab.check/1\",\n  \"baseline\": ");
	sl_out_json(out, check->baseline.file);
	sl_out_printf(out,
		",\n  \"passed\": %zu,\n  \"failed\": %zu,\n  \"warned\": %zu,\n  \"better\": %zu,\n  \"items\": [",
		check->passed, check->failed, check->warned, check->better);
	for (size_t i = 0; i < check->told_count; i++) {
		const struct check_item *item = &check->told[i];
		sl_out_text(out, i ? ",\n    { \"status\": " : "\n    { \"status\": ");
		sl_out_json(out, status_word(item->status));
		json_text(out, "case", item->of->id);
		json_text(out, "name", item->name);
		sl_out_printf(out, ", \"line\": %" PRIu64 ", \"column\": %u", item->at.line, item->at.column);
		if (item->has_was)
			json_micro(out, "old", item->was);
		if (item->has_is)
			json_micro(out, "new", item->is);
		if (item->both)
			sl_out_printf(out, ", \"jobs_both\": %" PRIu32, item->both);
		json_text(out, "tol", item->tol);
		if (item->tested) {
			json_p(out, "p", item->p);
			json_p(out, "holm", item->holm);
		}
		json_text(out, "detail", item->detail);
		sl_out_text(out, " }");
	}
	sl_out_text(out, check->told_count ? "\n  ]" : "]");
	if (check->impact)
		impact_json(check, out);
	sl_out_text(out, "\n}\n");
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

static void xml_property(struct sl_out *out, const char *name, const char *text)
{
	sl_out_printf(out, "        <property name=\"%s\"", name);
	xml_attribute(out, "value", text);
	sl_out_text(out, "/>\n");
}

static void xml_properties(struct sl_out *out, const struct check_item *item)
{
	char number[40];
	sl_out_text(out, "      <properties>\n");
	if (item->has_was) {
		*sl_put_micro(number, item->was) = '\0';
		xml_property(out, "old", number);
	}
	if (item->has_is) {
		*sl_put_micro(number, item->is) = '\0';
		xml_property(out, "new", number);
	}
	if (item->both) {
		*sl_put_i64(number, item->both) = '\0';
		xml_property(out, "jobs_both", number);
	}
	if (item->tol)
		xml_property(out, "tol", item->tol);
	xml_property(out, "status", status_word(item->status));
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
		failures += check->told[i].status == CHECK_FAIL;
		errors += check->told[i].status > CHECK_FAIL;
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
	xml_counts(out, check, 0, check->told_count);
	sl_out_text(out, ">\n");
	for (size_t from = 0, until; from < check->told_count; from = until) {
		for (until = from;
			until < check->told_count && check->told[until].of == check->told[from].of;)
			until++;
		sl_out_text(out, "  <testsuite");
		xml_attribute(out, "name", check->told[from].of->id);
		xml_counts(out, check, from, until);
		sl_out_text(out, ">\n");
		for (size_t i = from; i < until; i++)
			xml_item(out, &check->told[i]);
		xml_impact(out, check, check->told[from].of);
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

static void tap_line(struct sl_out *out, const char *key, const char *text)
{
	if (!text)
		return;
	sl_out_printf(out, "  %s: ", key);
	sl_out_json(out, text);
	sl_out_text(out, "\n");
}

static void tap_micro(struct sl_out *out, const char *key, int64_t micro)
{
	sl_out_printf(out, "  %s: ", key);
	put_micro(out, micro);
	sl_out_text(out, "\n");
}

void check_tap(const struct check *check, struct sl_out *out)
{
	sl_out_printf(out, "TAP version 13\n1..%zu\n", check->told_count);
	for (size_t i = 0; i < check->told_count; i++) {
		const struct check_item *item = &check->told[i];
		sl_out_printf(out, "%s %zu - ", item->status >= CHECK_FAIL ? "not ok" : "ok", i + 1);
		tap_text(out, item->of->id);
		sl_out_text(out, " ");
		tap_text(out, item->name);
		sl_out_text(out, "\n  ---\n");
		tap_line(out, "status", status_word(item->status));
		tap_line(out, "file", item->at.file);
		tap_micro(out, "line", (int64_t)item->at.line * 1000000);
		if (item->has_was)
			tap_micro(out, "old", item->was);
		if (item->has_is)
			tap_micro(out, "new", item->is);
		if (item->both)
			tap_micro(out, "jobs_both", (int64_t)item->both * 1000000);
		tap_line(out, "tol", item->tol);
		tap_line(out, "detail", item->detail);
		sl_out_text(out, "  ...\n");
	}
}
