/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kube_fields.h - the tables of fields, for kube_fields.c and the tests of the manual.
 */
#ifndef SL_KUBE_FIELDS_H
#define SL_KUBE_FIELDS_H

#include "traces/kube/manifests.h"

extern const struct kube_kind kube_kueue_kinds[], kube_core_kinds[], kube_kai_kinds[], kube_made_kinds[],
	kube_elastic_kinds[];
extern const size_t kube_kueue_count, kube_core_count, kube_kai_count, kube_made_count, kube_elastic_count;
extern const struct kube_field kube_pod_fields[];
extern const size_t kube_pod_count;

/* All kinds, one after another; NULL: there are no more. */
const struct kube_kind *kube_kind_at(size_t index);

#endif
