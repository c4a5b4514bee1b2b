/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kai_stubs.c - weak, empty versions of what is not there yet.
 */
#include "policies/runai/kai_solve.h"

__attribute__((weak)) void kai_place_seal(struct kai *kai) { (void)kai; }
__attribute__((weak)) void kai_place_free(struct kai *kai) { (void)kai; }
