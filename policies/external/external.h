/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * external.h - decisions of another program, over lines of JSON: schedlab-external(7).
 */
#ifndef POLICIES_EXTERNAL_H
#define POLICIES_EXTERNAL_H

#include "sim/plugin.h"

enum { EXTERNAL_LINE_MAX = 1 << 26 };

/* A program that is called line by line. */
struct external_talk {
	int socket; /* -1: none. */
	long pid;
	char *read; /* Received, and not read yet. */
	size_t read_len, read_capacity;
	size_t taken; /* Of it, the last line. */
	sl_time patience;
};

/* By sh -c. SL_SYSTEM. */
int external_start(struct external_talk *talk, const char *command, sl_time patience, struct sl_err *err);
/* One line, its end included. SL_POLICY: the program has ended. */
int external_say(struct external_talk *talk, const char *line, size_t len, struct sl_err *err);
/* The next line, without its end, valid until the next call. SL_POLICY: it ended, or was too slow. */
int external_hear(struct external_talk *talk, const char **line, size_t *len, struct sl_err *err);
/* Ends it, and waits for that. */
void external_end(struct external_talk *talk);

/* A text that grows. */
struct external_text {
	char *text;
	size_t len, capacity;
	bool failed; /* No memory. */
};
void external_put(struct external_text *to, const char *text);
void external_put_number(struct external_text *to, const char *before, int64_t number);
/* In seconds, as decimals. */
void external_put_time(struct external_text *to, const char *before, sl_time time);
void external_put_string(struct external_text *to, const char *before, const char *text);

#endif
