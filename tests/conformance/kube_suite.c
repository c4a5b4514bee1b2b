/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_suite.c - the suite kube: files of recorded worlds of kube-scheduler, one a line, packed or not.
 */
#include "tests/conformance/conformance.h"
#include "tests/conformance/kube_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct world_kind *kind_of(struct tally *tally, const char *name)
{
	for (size_t i = 0; i < tally->kinds; i++)
		if (strcmp(tally->of_kind[i].name, name) == 0)
			return &tally->of_kind[i];
	SL_CHECK(!SL_RESIZE(tally->of_kind, tally->kinds + 1, NULL));
	struct world_kind *kind = &tally->of_kind[tally->kinds++];
	*kind = (struct world_kind){ 0 };
	(void)snprintf(kind->name, sizeof(kind->name), "%s", name);
	return kind;
}

static void count_difference(struct tally *tally, const char *what)
{
	size_t at = 0;
	while (at < tally->differences && strcmp(tally->difference[at].what, what) != 0)
		at++;
	if (at == tally->differences) {
		SL_CHECK(!SL_RESIZE(tally->difference, at + 1, NULL));
		tally->difference[at].worlds = 0;
		(void)snprintf(tally->difference[at].what, sizeof(tally->difference[at].what), "%s", what);
		tally->differences++;
	}
	tally->difference[at].worlds++;
}

static void print_cycles(const char *who, const struct told_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		(void)printf("  %s %zu:", who, i + 1);
		for (size_t part = 0; part < TOLD_PARTS; part++)
			if (list->at[i].part[part])
				(void)printf(" %s %s", told_part_name((enum told_part)part),
					list->at[i].part[part]);
		(void)printf("\n");
	}
}

static void run_world(
	const char *text, size_t len, const struct conformance_options *options, struct tally *tally)
{
	struct kube_case *c = calloc(1, sizeof(*c));
	SL_CHECK(c);
	const char *failure = kube_case_run(c, text, len);
	struct world_kind *kind = kind_of(tally, c->kind);
	kind->worlds++;
	kind->agree += !failure;
	if (failure && options->verbose) {
		(void)printf("%s: %s\n", c->name, failure);
		print_cycles("recorded", &c->recorded);
		print_cycles("ours", &c->ours);
	}
	if (failure) {
		char what[160];
		(void)snprintf(what, sizeof(what), "%s: %s", c->kind, *c->differs ? c->differs : failure);
		count_difference(tally, what);
	}
	kube_case_release(c);
	free(c);
}

void kube_file(const char *path, const struct conformance_options *options, struct tally *tally)
{
	struct sl_err err = { 0 };
	struct sl_input *in = NULL;
	const char *text, *end;
	if (!strstr(path, ".jsonl"))
		return;
	if (sl_input_open(&in, path, &err) != 0 || sl_input_all(in, &text, &end, &err) != 0) {
		tally_case(tally, path, err.text);
		sl_input_close(in);
		return;
	}
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const size_t len = (size_t)((newline ? newline : end) - line);
		char *world = strndup(line, len); /* A document ends in a zero. */
		SL_CHECK(world);
		if (len)
			run_world(world, len, options, tally);
		free(world);
		line += len + 1;
	}
	sl_input_close(in);
}

static int most_first(const void *a, const void *b)
{
	const struct world_difference *x = a, *y = b;
	return x->worlds != y->worlds ? (x->worlds < y->worlds ? 1 : -1) : strcmp(x->what, y->what);
}

/* True: of each kind enough agree. */
bool kube_worlds_print(struct tally *tally, int64_t least)
{
	size_t worlds = 0, agree = 0;
	bool enough = true;
	if (tally->differences)
		qsort(tally->difference, tally->differences, sizeof(*tally->difference), most_first);
	for (size_t i = 0; i < tally->differences; i++)
		(void)printf("%6zu %s\n", tally->difference[i].worlds, tally->difference[i].what);
	for (size_t i = 0; i < tally->kinds; i++) {
		const struct world_kind *kind = &tally->of_kind[i];
		(void)printf("%-14s %zu of %zu worlds agree (%.1f %%)\n", kind->name, kind->agree,
			kind->worlds, 100.0 * (double)kind->agree / (double)kind->worlds);
		worlds += kind->worlds;
		agree += kind->agree;
		enough &= kind->agree * 1000 >= kind->worlds * (size_t)least;
	}
	(void)printf("%zu of %zu worlds agree\n", agree, worlds);
	free(tally->of_kind);
	free(tally->difference);
	return enough && worlds;
}
