/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_suite.c - the suite runai: files of recorded cases, each case in a world of its own.
 */
#include "sim/base.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/runai_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ra_fail(struct runai_case *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	return c->why;
}

static void run_case(
	const struct sl_doc *doc, const struct sl_doc_node *root, bool verbose, struct tally *tally)
{
	struct runai_case c = { .arena = arena_new(), .doc = doc, .root = root, .verbose = verbose };
	c.id = ra_str(&c, root, "id", "?");
	c.kind = ra_str(&c, root, "kind", "?");
	c.expect = ra_get(&c, root, "expect");
	c.kai = c.arena ? kai_new(c.arena) : NULL;
	const char *failure = "out of memory";
	if (c.kai)
		failure = strcmp(c.kind, "schedule") == 0 ? ra_schedule(&c) : ra_unit(&c);
	if (c.kai && !failure && c.kai->err.status)
		failure = c.kai->err.text;
	tally_case(tally, c.id, failure);
	kai_free(c.kai);
	arena_free(c.arena);
}

static const struct sl_doc_node *cases_of(const struct sl_doc *doc)
{
	const struct runai_case file = { .doc = doc };
	const char *schema = ra_str(&file, &doc->node[0], "schema", "");
	return strncmp(schema, "kai-cases/", strlen("kai-cases/")) == 0
		       ? ra_get(&file, &doc->node[0], "cases")
		       : NULL;
}

void runai_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	struct sl_err err = { 0 };
	struct sl_input *in = NULL;
	const char *text, *end;
	const size_t len = strlen(path);
	if (len < 5 || strcmp(path + len - 5, ".json") != 0)
		return;
	if (sl_input_open(&in, path, &err) != 0 || sl_input_all(in, &text, &end, &err) != 0) {
		tally_case(tally, path, err.text);
		sl_input_close(in);
		return;
	}
	struct sl_doc doc = { .file = path };
	if (sl_doc_read_json(&doc, text, (size_t)(end - text), &err) != 0) {
		tally_case(tally, path, err.text);
	} else {
		const struct runai_case file = { .doc = &doc };
		for (const struct sl_doc_node *one = ra_first(&file, cases_of(&doc)); one;
			one = ra_next(&file, one))
			run_case(&doc, one, options->verbose, tally);
	}
	sl_doc_release(&doc);
	sl_input_close(in);
}
