/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kq_stubs.c - what is not there yet: goes as it comes.
 */
#include "policies/kueue/kq_cycle.h"

#define WEAK __attribute__((weak))

WEAK struct kq_scratch *kq_scratch_new(void) { return NULL; }

WEAK void kq_scratch_reset(struct kq_scratch *scratch) { (void)scratch; }

WEAK void kq_scratch_free(struct kq_scratch *scratch) { (void)scratch; }

