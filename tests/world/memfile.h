/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memfile.h - bytes of a test as a file with a path, without a file.
 */
#ifndef SL_TEST_MEMFILE_H
#define SL_TEST_MEMFILE_H

#include <stddef.h>

/* The path of a file of these bytes, which goes with the process. */
const char *memfile(char path[32], const void *bytes, size_t len);

#endif
