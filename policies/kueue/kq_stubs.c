/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_stubs.c - what is not there yet: goes as it comes.
 */
#include "policies/kueue/kq_cycle.h"

#define WEAK __attribute__((weak))




