/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lexer.c - what the little languages have in common, see sim/plugin/lexer.h. */
#include <string.h>

#include "sim/plugin.h"

size_t sl_lex_name(const char *text)
{
	size_t len = 0;
	while (sl_is_letter(text[len]) || sl_is_digit(text[len]))
		len++;
	return len;
}

char sl_lex_peek(struct sl_lexer *in)
{
	while (*in->p == ' ' || *in->p == '\t')
		in->p++;
	return *in->p;
}

bool sl_lex_sign(struct sl_lexer *in, const char *sign)
{
	const size_t len = strlen(sign);
	(void)sl_lex_peek(in);
	if (strncmp(in->p, sign, len) != 0)
		return false;
	in->p += len;
	return true;
}

bool sl_lex_word(struct sl_lexer *in, const char *word)
{
	(void)sl_lex_peek(in);
	const size_t len = strlen(word);
	return sl_lex_name(in->p) == len && sl_lex_sign(in, word);
}

int sl_lex_one_of(struct sl_lexer *in, const char *const *signs)
{
	int i = 0;
	while (signs[i] && !sl_lex_sign(in, signs[i]))
		i++;
	return signs[i] ? i : -1;
}

const char *sl_lex_value(struct sl_lexer *in, const char *until, struct sl_arena *arena)
{
	const char *end = in->p;
	size_t len = 0;
	for (; *end && !strchr(until, *end); end++)
		end += end[0] == '\\' && end[1];
	char *to = sl_alloc(arena, (size_t)(end - in->p) + 1, 1);
	for (; to && in->p < end; in->p++) {
		in->p += in->p[0] == '\\' && in->p[1];
		to[len++] = *in->p;
	}
	return to;
}

size_t sl_lex_most(const struct sl_lexer *in, char until)
{
	size_t most = 1;
	for (const char *p = in->p; *p && *p != until; p++) {
		p += p[0] == '\\' && p[1];
		most += *p == '|';
	}
	return most;
}

size_t sl_lex_column(const struct sl_lexer *in) { return (size_t)(in->p - in->text) + 1; }
