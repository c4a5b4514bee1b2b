/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hash.c - SHA-256, by libcrypto, and bytes in hex.
 */
#include "sim/base/hash.h"

#include <openssl/evp.h>

struct evp_md_ctx_st *hash_new(void)
{
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	if (hash && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1)
		return hash;
	EVP_MD_CTX_free(hash);
	return NULL;
}

void hash_add(struct evp_md_ctx_st *hash, const void *bytes, size_t len)
{
	if (hash)
		SL_CHECK(EVP_DigestUpdate(hash, bytes, len) == 1);
}

bool hash_end(struct evp_md_ctx_st *hash, char hex[65])
{
	unsigned char bytes[32];
	if (!hash)
		return false;
	SL_CHECK(EVP_DigestFinal_ex(hash, bytes, NULL) == 1);
	EVP_MD_CTX_free(hash);
	hex_put(hex, bytes, sizeof(bytes));
	return true;
}

void hex_put(char *hex, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	hex[2 * count] = '\0';
}
