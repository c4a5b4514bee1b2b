/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pseudonym.c - names under a key: HMAC-SHA256 of the kind and the name, shortened; see anonymize.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "cli/convert/anonymize.h"
#include "cli/run/dry_run.h"
#include "sim/base/hash.h"

enum { HASH_BYTES = 32, HEX_MAX = 2 * HASH_BYTES, HEX_SHORT = 10 };

/* ---- The key ------------------------------------------------------------------------------- */

/* Never over a key that is there: pseudonyms made with it could not be resolved any more. */
static int key_make(const char *path, struct sl_err *err)
{
	unsigned char bytes[HASH_BYTES];
	char line[HEX_MAX + 2];
	if (RAND_bytes(bytes, sizeof(bytes)) != 1)
		return sl_fail(err, SL_SYSTEM, "cannot make a key: libcrypto has no random bytes");
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return sl_fail(err, SL_USAGE, "--new-key: '%s' is there already: leave --new-key out", path);
	if (fd < 0)
		return sl_fail_sys(err, SL_SYSTEM, "create", path);
	hex_put(line, bytes, sizeof(bytes));
	line[HEX_MAX] = '\n';
	const bool whole = write(fd, line, HEX_MAX + 1) == HEX_MAX + 1;
	if ((close(fd) != 0) | !whole)
		return sl_fail_sys(err, SL_SYSTEM, "write", path);
	return SL_OK;
}

static int key_read(struct pseudonyms *p, const char *path, struct sl_err *err)
{
	FILE *file = fopen(path, "rbe");
	if (!file && errno == ENOENT)
		return sl_fail(err, SL_USAGE,
			"there is no key '%s': give --new-key to have one made, and keep it secret", path);
	if (!file)
		return sl_fail_sys(err, SL_INPUT, "open", path);
	p->key_len = fread(p->key, 1, sizeof(p->key), file);
	const bool failed = ferror(file) != 0;
	const bool more = fgetc(file) != EOF;
	(void)fclose(file);
	if (failed)
		return sl_fail_sys(err, SL_INPUT, "read", path);
	while (p->key_len && strchr("\r\n", p->key[p->key_len - 1]))
		p->key_len--;
	if (more || p->key_len < KEY_MIN)
		return sl_fail(err, SL_INPUT,
			"key '%s' must have from %d to %d bytes: --new-key makes a good one", path, KEY_MIN,
			KEY_MAX);
	return SL_OK;
}

int pseudonyms_init(
	struct pseudonyms *p, const char *path, bool make, struct sl_arena *arena, struct sl_err *err)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	const int status = make ? key_make(path, err) : SL_OK;
	return status ? status : key_read(p, path, err);
}

int pseudonyms_try(struct pseudonyms *p, const char *path, struct sl_arena *arena, struct sl_err *err)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	p->key_len = HASH_BYTES;
	if (access(path, F_OK) == 0)
		return sl_fail(
			err, SL_USAGE, "'%s' is there already: leave out --new-key, or name another", path);
	return dry_file_check(path, err);
}

void pseudonyms_release(struct pseudonyms *p)
{
	OPENSSL_cleanse(p->key, sizeof(p->key));
	names_release(&p->original);
	names_release(&p->taken);
	free(p->given);
}

/* ---- Pseudonyms -------------------------------------------------------------------------------- */

static int pseudonym_hash_of(const struct pseudonyms *p, const char *text, size_t len,
	unsigned char hash[HASH_BYTES], struct sl_err *err)
{
	unsigned size = 0;
	if (HMAC(EVP_sha256(), p->key, (int)p->key_len, (const unsigned char *)text, len, hash, &size) &&
		size == HASH_BYTES)
		return SL_OK;
	return sl_fail(err, SL_SYSTEM, "cannot compute an HMAC: libcrypto refuses to");
}

static uint64_t first_64(const unsigned char *hash)
{
	uint64_t value = 0;
	for (size_t i = 0; i < sizeof(value); i++)
		value = value << 8 | hash[i];
	return value;
}

/* The first that nobody has: more digits, or the next number. */
static int give(struct pseudonyms *p, char kind, bool number, const unsigned char *hash, const char **given,
	struct sl_err *err)
{
	char hex[HEX_MAX + 1];
	char text[HEX_MAX + 2];
	uint64_t value = first_64(hash) % 1000000000;
	hex_put(hex, hash, HASH_BYTES);
	for (int digits = HEX_SHORT; digits <= HEX_MAX; digits++, value++) {
		if (number)
			(void)snprintf(text, sizeof(text), "%09" PRIu64, value % 1000000000);
		else
			(void)snprintf(text, sizeof(text), "%c%.*s", kind, digits, hex);
		if (names_find(&p->taken, text, strlen(text)) != UINT32_MAX)
			continue;
		uint32_t index;
		const int status = names_add(&p->taken, p->arena, text, strlen(text), &index, err);
		*given = status ? NULL : p->taken.text[index];
		return status;
	}
	return sl_fail(err, SL_SYSTEM, "cannot find a pseudonym: all near to one are taken");
}

struct wanted {
	const char *text;
	size_t len;
	char kind;
	bool number;
};

static int find_or_give(
	struct pseudonyms *p, const struct wanted *wanted, const char **given, struct sl_err *err)
{
	const size_t len = wanted->len;
	unsigned char hash[HASH_BYTES];
	const uint32_t before = p->original.count;
	uint32_t index;
	char *key = malloc(len + 1);
	if (!key)
		return sl_fail_memory(err);
	key[0] = wanted->kind;
	memcpy(key + 1, wanted->text, len);
	int status = names_add(&p->original, p->arena, key, len + 1, &index, err);
	if (!status)
		status = SL_GROW_MOST(p->given, p->given_capacity, p->original.count, UINT32_MAX, err);
	if (!status && index == before)
		status = pseudonym_hash_of(p, key, len + 1, hash, err);
	if (!status && index == before)
		status = give(p, wanted->kind, wanted->number, hash, &p->given[index], err);
	free(key);
	if (!status)
		*given = p->given[index];
	return status;
}

int pseudonym_of(
	struct pseudonyms *p, char kind, const char *text, size_t len, const char **given, struct sl_err *err)
{
	return find_or_give(p, &(struct wanted){ text, len, kind, false }, given, err);
}

int pseudonym_number(
	struct pseudonyms *p, char kind, const char *text, size_t len, const char **given, struct sl_err *err)
{
	return find_or_give(p, &(struct wanted){ text, len, kind, true }, given, err);
}

int pseudonym_rank(const struct pseudonyms *p, char kind, const char *text, size_t len, uint64_t *rank,
	struct sl_err *err)
{
	enum { NUMBER_MAX = 64 };
	unsigned char hash[HASH_BYTES];
	char key[NUMBER_MAX + 1] = { kind };
	SL_CHECK(len <= NUMBER_MAX);
	memcpy(key + 1, text, len);
	const int status = pseudonym_hash_of(p, key, len + 1, hash, err);
	*rank = status ? 0 : first_64(hash);
	return status;
}
