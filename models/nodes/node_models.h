/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_models.h - ready node types: how nodes that many sites have are built.
 *
 * Cores are numbered socket by socket, as the door has it. A figure that its vendor or site does not publish
 * is said to be assumed, in the text that is listed beside it.
 */
#ifndef MODELS_NODE_MODELS_H
#define MODELS_NODE_MODELS_H

#include "sim/plugin.h"

#define GIB INT64_C(1024) /* MiB */

/* One GPU, with what is nearest to it; and one of an NVLink island of so many. */
#define NODE_GPU(kind, gib, similar, hca)                                                    \
	{                                                                                    \
		.name = "gpu", .type = (kind), .count = 1, .cores = (similar), .nic = (hca), \
		.mem = (gib)*GIB                                                             \
	}

#define NODE_GPU_OF(devices, kind, gib, similar, hca)                                        \
	{                                                                                    \
		.name = "gpu", .type = (kind), .count = 1, .cores = (similar), .nic = (hca), \
		.mem = (gib)*GIB, .island = (devices)                                        \
	}

/* A node type's parts at once: NODE(.cpus = ..., .mem = ..., .hardware = HARDWARE(...)), where
 * GPUS(array) says which devices the hardware has. */
#define GPUS(array)   .gres = (array), .gres_count = SL_LEN(array)
#define HARDWARE(...) (&(const struct sl_hardware){ .boards = 1, .weight = 1, __VA_ARGS__ })
#define NODE(...)     (&(const struct sl_nodes_spec){ .count = 1, __VA_ARGS__ })

extern const struct sl_mig_model mig_a100_40gb, mig_a100_80gb, mig_h100_80gb, mig_h100_94gb;
extern const struct sl_node_model node_dgx_1v, node_dgx_1v_32gb, node_dgx_a100, node_dgx_a100_80gb,
	node_dgx_h100, node_dgx_b200, node_gb200_tray;
extern const struct sl_node_model node_param_shakti, node_param_shakti_hm, node_param_shakti_gpu,
	node_param_siddhi, node_helios;
extern const struct sl_node_model node_cpu_1s, node_cpu_2s;

#endif
