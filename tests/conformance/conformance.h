/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conformance.h - what a suite of recorded cases is given: one file, and where to put its verdicts.
 */
#ifndef SL_CONFORMANCE_H
#define SL_CONFORMANCE_H

#include "sim/base/base.h"

/* Recorded worlds: so many of a kind, and in what the others differ first. */
struct world_kind {
	char name[24];
	size_t worlds, agree;
};
struct world_difference {
	char what[160];
	size_t worlds;
};

struct tally {
	size_t passed, failed;
	/* Slurm: pending reasons, each of which was seen in one of the two and should be in the other. */
	size_t reasons, reasons_same;
	/* --forced: decisions, by kind of difference, and of what was recorded twice. */
	size_t decisions, decisions_right, kind[9], twice, twice_same;
	/* kube: worlds. */
	struct world_kind *of_kind;
	struct world_difference *difference;
	size_t kinds, differences;
};

struct conformance_options {
	bool place;    /* Compare places (nodes, devices); Slurm: these alone, start by start. */
	bool forced;   /* Slurm: each decision by itself, the recording put in force behind it. */
	int64_t least; /* So many of a thousand decisions (--forced), or worlds of a kind (kube), have to be
			  right. */
	bool verbose;  /* Both schedules side by side. */
	const char *version; /* Slurm: the rules of that release; NULL: of the one that meta.json names. */
	bool keep;           /* What a case is run from stays, and is told. */
};

/* failure NULL: passed. An unsupported, skipped or broken case is a failed one. */
void tally_case(struct tally *tally, const char *name, const char *failure);

typedef void (*run_file)(const char *path, const struct conformance_options *options, struct tally *tally);

/* Parts of the suite classic: false, if the file is none of theirs. */
bool pyss_file(const char *path, const char *name, struct tally *tally);
bool batsim_file(const char *path, const char *name, struct tally *tally);

/* slurm_place.c: each start by itself. */
void slurm_place_file(const char *path, const struct conformance_options *options, struct tally *tally);
/* slurm_decisions.c: each decision by itself. */
struct slurm_case;
void slurm_decisions(const struct slurm_case *c, const char *path, const struct conformance_options *options,
	struct tally *tally);
void slurm_decisions_print(const struct tally *tally);
void slurm_file(const char *path, const struct conformance_options *options, struct tally *tally);
void kueue_file(const char *path, const struct conformance_options *options, struct tally *tally);
void runai_file(const char *path, const struct conformance_options *options, struct tally *tally);
void kube_file(const char *path, const struct conformance_options *options, struct tally *tally);
bool kube_worlds_print(struct tally *tally, int64_t least); /* And gives back. False: fewer than least. */
void classic_file(const char *path, const struct conformance_options *options, struct tally *tally);

#endif
