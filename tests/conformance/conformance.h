/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conformance.h - what a suite of recorded cases is given: one file, and where to put its verdicts.
 */
#ifndef SL_CONFORMANCE_H
#define SL_CONFORMANCE_H

#include "sim/base.h"

struct tally {
	size_t passed, failed;
};

struct conformance_options {
	bool place; /* Compare places (nodes, devices) too. */
};

/* failure NULL: passed. An unsupported, skipped or broken case is a failed one. */
void tally_case(struct tally *tally, const char *name, const char *failure);

typedef void (*run_file)(const char *path, const struct conformance_options *options, struct tally *tally);

/* Parts of the suite classic: false, if the file is none of theirs. */
bool pyss_file(const char *path, const char *name, struct tally *tally);
bool batsim_file(const char *path, const char *name, struct tally *tally);

void slurm_file(const char *path, const struct conformance_options *options, struct tally *tally);
void classic_file(const char *path, const struct conformance_options *options, struct tally *tally);

#endif
