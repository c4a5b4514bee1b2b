/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runai_suite.c - the suite runai: files of recorded cases, each case in a world of its own.
 */
#include "sim/base/base.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/runai_case.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *ra_fail(struct runai_case *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	return c->why;
}

/* NULL: passed; else why not. */
static const char *run_case(struct runai_case *c)
{
	c->kind = ra_str(c, c->root, "kind", "?");
	c->expect = ra_get(c, c->root, "expect");
	c->arena = sl_arena_new();
	c->kai = c->arena ? kai_new(c->arena) : NULL;
	const char *failure = "out of memory";
	if (c->kai)
		failure = strcmp(c->kind, "schedule") == 0 ? ra_schedule(c) : ra_unit(c);
	if (c->kai && !failure && c->kai->err.status)
		failure = c->kai->err.text;
	return failure;
}

/* Longer than any takes, by far. */
enum { CASE_S = 60 };

/* In a child: its verdict goes to `to`, nothing if it passed. */
_Noreturn static void run_child(struct runai_case *c, int to)
{
	(void)alarm(CASE_S);
	const char *failure = run_case(c);
	(void)fflush(stdout);
	const bool said = !failure || write(to, failure, strlen(failure)) >= 0;
	const int code = failure || !said ? 1 : 0;
	kai_free(c->kai);
	sl_arena_free(c->arena);
	exit(code); /* NOLINT(concurrency-mt-unsafe): one thread. */
}

/* What the child said, and how it ended. NULL: passed. */
static const char *hear(struct runai_case *c, int from, pid_t child)
{
	size_t len = 0;
	int end = 0;
	for (ssize_t got;
		len < sizeof(c->why) - 1 && (got = read(from, c->why + len, sizeof(c->why) - 1 - len)) > 0;)
		len += (size_t)got;
	c->why[len] = '\0';
	if (waitpid(child, &end, 0) < 0)
		return "no verdict";
	if (WIFSIGNALED(end))
		return WTERMSIG(end) == SIGALRM ? ra_fail(c, "is not over after %d s", CASE_S)
						: ra_fail(c, "dies of signal %d", WTERMSIG(end));
	if (WEXITSTATUS(end) == 0)
		return NULL;
	return len ? c->why : "ends with an error";
}

/* A case that breaks is one that failed; the others go on: each has a process of its own. */
static const char *run_apart(struct runai_case *c)
{
	int ends[2];
	if (pipe(ends) != 0)
		return "no pipe";
	(void)fflush(NULL);
	const pid_t child = fork();
	if (child == 0)
		run_child(c, ends[1]);
	(void)close(ends[1]);
	const char *failure = child > 0 ? hear(c, ends[0], child) : "no process";
	(void)close(ends[0]);
	return failure;
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
		struct runai_case c = { .doc = &doc, .verbose = options->verbose };
		for (c.root = ra_first(&c, cases_of(&doc)); c.root; c.root = ra_next(&c, c.root)) {
			c.id = ra_str(&c, c.root, "id", "?");
			tally_case(tally, c.id, run_apart(&c));
		}
	}
	sl_doc_release(&doc);
	sl_input_close(in);
}
