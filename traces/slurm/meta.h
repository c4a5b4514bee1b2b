/* SPDX-License-Identifier: GPL-3.0-or-later */
/* meta.h - which Slurm it was that printed some JSON. */
#ifndef TRACES_SLURM_META_H
#define TRACES_SLURM_META_H

#include "sim/plugin.h"

#define SLURM_RELEASE_KEY "SLURM_VERSION" /* As scontrol show config calls it. */

/* Of the object "meta": "24.11.5"; NULL: it does not say. */
const char *slurm_release_of(const struct sl_doc *doc, const struct sl_doc_node *meta);

#endif
