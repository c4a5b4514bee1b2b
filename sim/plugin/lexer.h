/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lexer.h - letters, words, signs and values of the little languages: orders, tolerances, selectors, changes.
 *
 * Blanks and tabs separate tokens; errors are reported with their column, from 1.
 */
#ifndef SL_PLUGIN_LEXER_H
#define SL_PLUGIN_LEXER_H

#include "base.h"

struct sl_lexer {
	const char *text, *p; /* The whole, which ends in a zero, and up to where it was read. */
};

static inline bool sl_is_digit(char c) { return c >= '0' && c <= '9'; }
/* Of names: '_' is one. */
static inline bool sl_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/* How long the run of letters and digits is that begins there. */
SL_API size_t sl_lex_name(const char *text);

/* The first letter behind the blanks, which are skipped; a zero at the end. */
SL_API char sl_lex_peek(struct sl_lexer *in);
/* Consumes that sign, if it is the next; a word only if no letter or digit is behind it. */
SL_API bool sl_lex_sign(struct sl_lexer *in, const char *sign);
SL_API bool sl_lex_word(struct sl_lexer *in, const char *word);
/* Consumes the first of these that is the next, closed by NULL: its index; -1: none is. */
SL_API int sl_lex_one_of(struct sl_lexer *in, const char *const *signs);
/* Consumes all up to one of these letters, or the end; what follows a '\\' is plain. NULL: no memory. */
SL_API const char *sl_lex_value(struct sl_lexer *in, const char *until, struct sl_arena *arena);
/* How many values there are at most up to that letter: they are apart by '|', of which some may be plain. */
SL_API size_t sl_lex_most(const struct sl_lexer *in, char until);
SL_API size_t sl_lex_column(const struct sl_lexer *in);

#endif
