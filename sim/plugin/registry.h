/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registry.h - what there is by name, built in and from outside. */
#ifndef SL_PLUGIN_REGISTRY_H
#define SL_PLUGIN_REGISTRY_H

#include "document.h"
#include "kube.h"
#include "model.h"
#include "policy.h"
#include "script.h"
#include "trace.h"

/* ---- Registries, one an array closed by NULL, in each plug-in folder ------------------ */

SL_API extern const struct sl_policy *const sl_policies[];
SL_API extern const struct sl_preset sl_presets[]; /* Closed by a NULL name. */
SL_API extern const struct sl_placing *const sl_placings[];
SL_API extern const struct sl_gauge *const sl_gauges[];
SL_API extern const struct sl_placer *const sl_placers[];
SL_API extern const struct sl_reader *const sl_readers[];
SL_API extern const struct sl_writer *const sl_writers[];
SL_API extern const struct sl_generator *const sl_generators[];
SL_API extern const struct sl_metric *const sl_metric_list[];
SL_API extern const struct sl_report *const sl_reports[];
SL_API extern const struct sl_document *const sl_documents[];
SL_API extern const struct sl_cluster_reader *const sl_cluster_readers[];
SL_API extern const struct sl_scripting *const sl_scriptings[];

/* ---- Plug-ins from outside ------------------------------------------------------------- */

/* A .so exports one symbol, `sl_plugin`, of this type. Arrays as above, closed by NULL; NULL: none. */
struct sl_plugin {
	struct sl_abi abi;
	const char *name;
	const struct sl_policy *const *policies; /* The first is what `-p path.so` means. */
	const struct sl_reader *const *readers;
	const struct sl_generator *const *generators;
	const struct sl_metric *const *metrics;
	const struct sl_cluster_reader *const *cluster_readers;
	const struct sl_model *const *models;
};

#endif
