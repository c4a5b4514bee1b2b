/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hash.h - the SHA-256 of bytes that come in chunks, in hex. */
#ifndef SL_HASH_H
#define SL_HASH_H

#include "sim/base/base.h"

struct evp_md_ctx_st; /* libcrypto's. */
struct evp_md_ctx_st *hash_new(
	void); /* NULL: no memory. The functions below accept that, and fail at the end. */
void hash_add(struct evp_md_ctx_st *hash, const void *bytes, size_t len);
/* Frees it. False: there was no memory. */
bool hash_end(struct evp_md_ctx_st *hash, char hex[65]);

/* Two small digits a byte, and a zero. */
void hex_put(char *hex, const unsigned char *bytes, size_t count);

#endif
