/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trust.h - trust: does what is executed come from the user of this command, or from a file that may be
 * another's?
 *
 * A run's record, a baseline, a sweep may name plug-ins, scripts, programs to be run and files to be written.
 * What the user says himself is done; what a file says is done only if he trusts it (--trust), or said the
 * very same words himself. So all that may be executed is checked here, just before, and refused unless it is
 * trusted: a caller that does not name the file gets a shorter message, and no more.
 *
 * A program that uses the library (schedlab.h) decides for itself: there nothing is refused.
 */
#ifndef SL_TRUST_H
#define SL_TRUST_H

#include "sim/base/base.h"

struct registry;

struct trust {
	bool guarded;      /* Off: everything is done. */
	bool all;          /* --trust */
	const char *file;  /* What was read last that may name such things, for messages; NULL: none. */
	const char **said; /* "plug-in=./mine.so", "order=lua:mine.lua", "command=python3 decide.py" */
	size_t count, capacity;
};

/* What would happen with it, and how the user says it. */
enum trust_what { TRUST_PLUGIN, TRUST_SCRIPT, TRUST_PROGRAM, TRUST_WRITE };

/* The user said that: the path of a plug-in or of a script; */
int trust_say_path(struct trust *trust, const char *path, struct sl_arena *arena, struct sl_err *err);
/* a setting, "policy.order=lua:mine.lua", or "order=..."; */
int trust_say_setting(struct trust *trust, const char *setting, struct sl_arena *arena, struct sl_err *err);
/* a policy, "external:command=...", "./mine.so". */
int trust_say_policy(struct registry *registry, const char *text, struct sl_err *err);

/* May it be done? SL_USAGE: one line that says what would be, and from which file. key: of the policy's
 * parameter that names it, NULL: none. at: where it stands; NULL: trust->file is all that is known. */
int trust_query(const struct trust *trust, enum trust_what what, const char *key, const char *text,
	const struct sl_place *at, struct sl_err *err);

#endif
