/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_scale.c - the cluster autoscaler: to be written below.
 */
#include "policies/kube/kube.h"

int kube_scale_make(struct kube *k, const struct sl_setup *setup, struct sl_err *err)
{
	(void)k;
	(void)setup;
	(void)err;
	return SL_OK;
}

sl_time kube_scale_run(struct kube *k)
{
	(void)k;
	return SL_NEVER;
}

int kube_scale_tell(struct kube *k, struct sl_tally *tally, struct sl_err *err)
{
	(void)k;
	(void)tally;
	(void)err;
	return SL_OK;
}
