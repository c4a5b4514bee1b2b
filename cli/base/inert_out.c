/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inert_out.c - stdout for people: control characters are escaped, so that a terminal obeys nothing but line
 * ends and tabs. Always, and not only on a terminal, so that output does not depend on where it goes.
 *
 * Results (JSON, CSV, files on stdout) bypass it (sl_out_open): they have escapes of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "sim/base/out.h"

enum { CHUNK = 4096 };

/* The beginning of a character, whose rest comes with the next write. */
struct rest {
	char bytes[8];
	size_t len;
};

static bool write_all(const char *text, size_t len)
{
	while (len) {
		const ssize_t done = write(STDOUT_FILENO, text, len);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		text += done;
		len -= (size_t)done;
	}
	return true;
}

/* How many of its last bytes may be the beginning of a character. */
static size_t cut_off(const char *text, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		const unsigned char c = (unsigned char)text[len - back];
		const size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
		if (c < 0x80 || c >= 0xC0)
			return length > back ? back : 0;
	}
	return 0;
}

static bool put_inert(const char *text, size_t len)
{
	char made[CHUNK];
	size_t used = 0;
	for (const char *at = text; at < text + len;) {
		if (used + SL_INERT_SIZE > sizeof(made)) {
			if (!write_all(made, used))
				return false;
			used = 0;
		}
		if (!*at || *at == '\n' || *at == '\t') {
			memcpy(made + used, *at ? at : "\\x00", *at ? 1 : 4);
			used += *at ? 1 : 4;
			at++;
			continue;
		}
		used += sl_inert(&at, made + used);
	}
	return write_all(made, used);
}

static bool inert_out_is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') ||
			(unsigned char)text[i] >= 0x7F)
			return false;
	return true;
}

static ssize_t inert_out_take(void *self, const char *text, size_t len)
{
	struct rest *rest = self;
	if (!rest->len && inert_out_is_plain(text, len))
		return write_all(text, len) ? (ssize_t)len : 0;
	char *whole = malloc(rest->len + len + 1);
	if (!whole)
		return 0;
	memcpy(whole, rest->bytes, rest->len);
	memcpy(whole + rest->len, text, len);
	size_t all = rest->len + len;
	rest->len = cut_off(whole, all);
	all -= rest->len;
	memcpy(rest->bytes, whole + all, rest->len);
	whole[all] = '\0';
	const bool good = put_inert(whole, all);
	free(whole);
	return good ? (ssize_t)len : 0;
}

/* What begins a character and nothing ends it is no UTF-8. */
static int last(void *self)
{
	const struct rest *rest = self;
	char text[sizeof(rest->bytes) + 1] = "";
	memcpy(text, rest->bytes, rest->len);
	return put_inert(text, rest->len) ? 0 : EOF;
}

FILE *inert_stdout(void)
{
	static struct rest rest; /* There is one stdout. */
	const cookie_io_functions_t how = { .write = inert_out_take, .close = last };
	FILE *made = fopencookie(&rest, "w", how);
	if (made && isatty(STDOUT_FILENO))
		(void)setvbuf(made, NULL, _IOLBF, BUFSIZ);
	return made;
}
