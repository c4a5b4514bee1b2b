/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kueue_course.h - who used how much of which quota, over time: noted at the end of each instant, told as
 * tables.
 */
#ifndef SL_KUEUE_KUEUE_COURSE_H
#define SL_KUEUE_KUEUE_COURSE_H

#include "policies/kueue/kueue.h"

/* cohorts.csv and lending.csv. */
int kueue_course_tell(struct kueue *k, sl_time until, struct sl_tally *tally, struct sl_err *err);

#endif
