/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * models_registry.c - the workload models that `generate` knows, and the node types of cluster files, by
 * name.
 */
#include "sim/plugin.h"

extern const struct sl_generator model_lublin, model_sessions, model_downey, model_jann, model_gavel,
	model_gpu, model_mixture;
extern const struct sl_node_model node_dgx_1v, node_dgx_1v_32gb, node_dgx_a100, node_dgx_a100_80gb,
	node_dgx_h100, node_dgx_b200, node_gb200_tray;
extern const struct sl_node_model node_param_shakti, node_param_shakti_hm, node_param_shakti_gpu,
	node_param_siddhi, node_helios;
extern const struct sl_node_model node_cpu_1s, node_cpu_2s;
extern const struct sl_mig_model mig_a100_40gb, mig_a100_80gb, mig_h100_80gb, mig_h100_94gb;

extern const struct sl_model model_workflow, model_search, model_speedup, model_failures, model_power,
	model_storage, model_checkpoint, model_fabric, model_serving;

static const struct sl_generator *const generators[] = { &model_lublin, &model_sessions, &model_downey,
	&model_jann, &model_gavel, &model_gpu, &model_mixture, NULL };

static const struct sl_node_model *const node_models[] = { &node_dgx_1v, &node_dgx_1v_32gb, &node_dgx_a100,
	&node_dgx_a100_80gb, &node_dgx_h100, &node_dgx_b200, &node_gb200_tray, &node_param_shakti,
	&node_param_shakti_hm, &node_param_shakti_gpu, &node_param_siddhi, &node_helios, &node_cpu_1s,
	&node_cpu_2s, NULL };

static const struct sl_mig_model *const mig_models[] = { &mig_a100_40gb, &mig_a100_80gb, &mig_h100_80gb,
	&mig_h100_94gb, NULL };

/* Settled in this order: who stops, how fast by itself, what is up, what waits for files and for each other,
 * then what all that draws, and what is ready of it. */
static const struct sl_model *const models[] = { &model_workflow, &model_search, &model_speedup,
	&model_failures, &model_storage, &model_checkpoint, &model_fabric, &model_power, &model_serving,
	NULL };

const struct sl_plugin models_builtin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "models",
	.generators = generators,
	.models = models,
	.node_models = node_models,
	.mig_models = mig_models,
};
