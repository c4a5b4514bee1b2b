/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registry.h - the registry: policies, readers, models and the rest by name, built in and of plug-ins. */
#ifndef SL_PLUGIN_REGISTRY_H
#define SL_PLUGIN_REGISTRY_H

#include "document.h"
#include "kube.h"
#include "model.h"
#include "policy.h"
#include "script.h"
#include "trace.h"

/* ---- Plug-ins, and all that is known by name ------------------------------------------------ */

/* A .so exports one symbol, `sl_plugin`, of this type. Arrays are closed by NULL; NULL: none. What is built
 * in comes as such plug-ins too; the registry joins them all, and lends itself as one more of this type:
 * sl_setup.registry, sl_cluster_sink.registry. */
struct sl_plugin {
	struct sl_abi abi;
	const char *name;
	const struct sl_policy *const *policies; /* The first is what `-p path.so` means. */
	const struct sl_reader *const *readers;
	const struct sl_generator *const *generators;
	const struct sl_metric *const *metrics;
	const struct sl_cluster_reader *const *cluster_readers;
	const struct sl_model *const *models; /* Settled in this order. */
	const struct sl_preset *const *presets;
	const struct sl_node_scorer *const
		*scorers; /* Scorers and allocators share one set of names: place=NAME. */
	const struct sl_allocator *const *allocators;
	const struct sl_gauge *const *gauges;
	const struct sl_binder *const *binders;
	const struct sl_scripting *const *scriptings;
	const struct sl_writer *const *writers;
	const struct sl_report *const *reports;
	const struct sl_document *const *documents;
	const struct sl_node_model *const *node_models;
	const struct sl_mig_model *const *mig_models;
};

/* The one of that name in such an array, to be assigned to a pointer of its type; NULL: there is none. */
SL_API const void *sl_by_name(const void *array, const char *name);
SL_API const void *sl_by_name_n(const void *array, const char *name, size_t len); /* name[0..len) */
/* The name in it most similar to that one, for "did you mean"; NULL: none is similar. */
SL_API const char *sl_nearest_name(const char *name, const void *array);

#endif
