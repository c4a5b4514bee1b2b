/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_decisions.c - conformance --forced: a scenario's decisions, each by itself, and how many are right.
 */
#include "tests/conformance/conformance.h"
#include "tests/conformance/slurm_forced.h"
#include "tests/conformance/slurm_timing.h"
#include "tests/conformance/slurm_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SL_LEN(((struct tally *)0)->kind) == SLURM_KINDS, "a count for each kind");

struct decisions {
	const struct slurm_case *c, *second; /* second NULL: it was recorded once. */
	const char *path;
	const struct conformance_options *options;
	struct tally *tally;
};

/* Negative: it could not be run, as err says; else how many are right. */
static int64_t run_forced(const struct decisions *d, const struct slurm_timing *timing,
	struct slurm_forced *f, struct sl_err *err)
{
	struct slurm_files files = { .version = d->options->version, .every_pass = true };
	struct slurm_watch watch = { 0 };
	int status = slurm_files_write(&files, d->c, d->path, timing, err);
	if (!status) {
		slurm_forced_make(f, d->c, d->second);
		status = slurm_watch_run(&watch, &files, timing->phase, f);
		if (status)
			*err = watch.run.err;
		if (watch.run.arena)
			slurm_watch_release(&watch);
	}
	slurm_files_remove(&files);
	return status ? -1 : (int64_t)f->right;
}

static void add_up(struct tally *tally, const struct slurm_forced *f)
{
	tally->decisions += f->count;
	tally->decisions_right += f->right;
	for (size_t i = 0; i < f->count; i++)
		tally->kind[f->decision[i].kind]++;
}

/* How often two recordings of one scenario agree: no model can do better for sure. */
static void add_agreement(struct tally *tally, const struct slurm_forced *f)
{
	enum { TOLERANCE = 3 };
	for (size_t i = 0; i < f->count; i++) {
		const struct slurm_row *one = f->decision[i].row, *other = f->decision[i].second;
		if (!other)
			continue;
		const int64_t first = f->decision[i].ends ? one->end : one->start;
		const int64_t second = f->decision[i].ends ? other->end : other->start;
		tally->twice++;
		tally->twice_same += (first == SL_NONE) == (second == SL_NONE) &&
				     (first == SL_NONE || llabs(first - second) <= TOLERANCE) &&
				     strcmp(one->state, other->state) == 0 &&
				     strcmp(one->nodes, other->nodes) == 0;
	}
}

static void tell(const struct decisions *d, const struct slurm_forced *f, const struct slurm_timing *timing)
{
	(void)printf("%s: %zu of %zu decisions (time limits are looked at in second %lld of 30, priorities "
		     "calculated in second %lld, time 0 in second %lld of a minute%s%s)\n",
		d->c->name, f->right, f->count, (long long)timing->tick, (long long)timing->calc,
		(long long)timing->phase, timing->late ? ", late submissions as recorded" : "",
		timing->backfill ? ", backfill first of a second" : "");
	for (size_t i = 0; i < f->count; i++)
		if (f->decision[i].kind != SLURM_RIGHT)
			(void)printf("    %s%s %s: %s\n", f->decision[i].row->id,
				f->decision[i].row->attempt ? " (requeued)" : "",
				slurm_kind_name(f->decision[i].kind), f->decision[i].text);
}

static void decide(const struct decisions *d)
{
	struct sl_err err = { 0 };
	struct slurm_timing *timing = sl_alloc(d->c->arena, SLURM_TIMINGS_MAX, sizeof(*timing));
	SL_CHECK(timing);
	const size_t count = slurm_timings(d->c, d->path, timing);
	struct slurm_forced best = { 0 }, f;
	size_t best_of = count;
	for (size_t i = 0; i < count && (best_of == count || best.right < best.count); i++)
		if (run_forced(d, &timing[i], &f, &err) >= 0 && (best_of == count || f.right > best.right)) {
			best = f;
			best_of = i;
		}
	if (best_of == count) {
		tally_case(d->tally, d->c->name, err.text);
		slurm_forced_make(&f, d->c, d->second);
		d->tally->decisions += f.count;
		d->tally->kind[SLURM_NOT_RUN] += f.count;
		return;
	}
	d->tally->passed++;
	add_up(d->tally, &best);
	add_agreement(d->tally, &best);
	if (best.right < best.count || d->options->verbose)
		tell(d, &best, &timing[best_of]);
}

void slurm_decisions(const struct slurm_case *c, const char *path, const struct conformance_options *options,
	struct tally *tally)
{
	struct sl_err none = { 0 };
	struct slurm_case second;
	const bool twice = slurm_case_read_second(&second, c->arena, path, &none) == SL_OK;
	decide(&(struct decisions){ c, twice ? &second : NULL, path, options, tally });
}

void slurm_decisions_print(const struct tally *tally)
{
	(void)printf("%zu of %zu decisions (%.2f %%)\n", tally->decisions_right, tally->decisions,
		tally->decisions ? 100.0 * (double)tally->decisions_right / (double)tally->decisions : 0.0);
	for (unsigned kind = SLURM_RIGHT + 1; kind < SLURM_KINDS; kind++)
		if (tally->kind[kind])
			(void)printf("%7zu %s\n", tally->kind[kind], slurm_kind_name(kind));
	if (tally->twice)
		(void)printf("two recordings of a scenario agree in %zu of %zu decisions (%.2f %%)\n",
			tally->twice_same, tally->twice,
			100.0 * (double)tally->twice_same / (double)tally->twice);
}
