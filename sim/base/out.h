/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * out.h - output streams, from the inside.
 */
#ifndef SL_OUT_H
#define SL_OUT_H

#include "sim/base/base.h"

/* sl_out_open, for a file that users know by another name, since its folder is renamed later. */
int out_open_as(struct sl_out **out, const char *path, const char *displayed, struct sl_err *err);
/* sync: its bytes are on the disk before it has its name, and it has it after a loss of power or is not
 * there; so unless this says otherwise. replace: a file that is there and holds something is replaced; if
 * not, commit leaves it, and fails with SL_USAGE where it does not hold the same. */
void out_ways(struct sl_out *out, bool sync, bool replace);
/* The same of a file or folder that was written otherwise. */
int out_sync(const char *path);

/* Bytes, as many as there are. */
void out_bytes(struct sl_out *out, const char *bytes, size_t len);
/* A file of these. */
int out_file(const char *path, const char *bytes, size_t len, struct sl_err *err);

/* The length of the UTF-8 sequence at p, or 0 if there is none; p ends with a zero byte. */
size_t utf8_length(const unsigned char *p);
/* The character there, of that many bytes. */
uint32_t utf8_point(const unsigned char *p, size_t length);
/* Would a terminal, or another viewer, obey that character in place of printing it? inert.c */
bool is_obeyed(uint32_t point);

#endif
