/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * anonymize.h - what schedlab anonymize is made of: keyed pseudonyms, and the readers of each format's text.
 *
 * A pseudonym is a function of the key, the kind and the name: the same in each file. Where two names of a
 * file would share one, the later gets more digits.
 */
#ifndef SL_ANONYMIZE_H
#define SL_ANONYMIZE_H

#include "cli/base/cli.h"
#include "sim/base/names.h"

enum { KEY_MIN = 16, KEY_MAX = 4096 };

struct pseudonyms {
	unsigned char key[KEY_MAX];
	size_t key_len;
	struct sl_arena *arena;
	struct names original; /* A kind and a name. */
	const char **given;    /* By number of those. */
	size_t given_capacity;
	struct names taken;
};

/* pseudonym.c. make: a new key is made, in a file that is not there yet. */
int pseudonyms_init(
	struct pseudonyms *p, const char *path, bool make, struct sl_arena *arena, struct sl_err *err);
/* For --dry-run: the key would be made, and is not; names are of no use. */
int pseudonyms_try(struct pseudonyms *p, const char *path, struct sl_arena *arena, struct sl_err *err);
void pseudonyms_release(struct pseudonyms *p);
/* *given: the kind's letter and 10 hexadecimal digits; lent for p's life. */
int pseudonym_of(struct pseudonyms *p, char kind, const char *text, size_t len, const char **given,
	struct sl_err *err);
/* Likewise, 9 decimal digits. */
int pseudonym_number(struct pseudonyms *p, char kind, const char *text, size_t len, const char **given,
	struct sl_err *err);
/* For an order that only the key knows. */
int pseudonym_rank(const struct pseudonyms *p, char kind, const char *text, size_t len, uint64_t *rank,
	struct sl_err *err);

/* anonymize_swf.c: reads the file twice. */
int anonymize_swf(struct pseudonyms *p, const char *path, struct sl_out *out, struct sl_err *err);

/* anonymize_table.c: fields under a header, of sacct -P and of our table. */
enum table_kind { TABLE_NONE, TABLE_SACCT, TABLE_CSV };
/* By the first line. */
enum table_kind anonymize_table_kind(const char *text, const char *end);
int anonymize_table(struct pseudonyms *p, enum table_kind kind, struct sl_input *in, bool keep_partitions,
	struct sl_out *out, struct sl_err *err);

/* Whether a line "; Label: value", or "# Label: value" of a table, says nothing of a site. */
bool anonymize_header_stays(const char *p, const char *end);

/* Bytes of a line, into the output. */
void put_bytes(struct sl_out *out, const char *text, size_t len);

#endif
