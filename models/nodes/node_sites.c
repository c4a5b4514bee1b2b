/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_sites.c - nodes of sites whose machines or traces are known: PARAM Shakti, Helios; and plain nodes of
 * one and two sockets, for clusters of no vendor.
 */
#include "models/nodes/node_models.h"

static const uint64_t shakti_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF) };       /* 0-19 */
static const uint64_t shakti_second[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF00000) }; /* 20-39 */

const struct sl_node_model node_param_shakti = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti",
	.summary = "PARAM Shakti compute node (cn): 2 x 20 cores, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 2 x Xeon Gold 6148 without hyper-threading, 192 GB and EDR are assumed",
	.node = NODE(.cpus = 40, .mem = 192 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 20, .threads = 1)),
};

const struct sl_node_model node_param_shakti_hm = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti-hm",
	.summary = "PARAM Shakti high-memory node (hm): 2 x 20 cores, 768 GB, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 768 GB as in PARAM Sanganak, 2 x Xeon Gold 6148 and EDR are assumed",
	.node = NODE(.cpus = 40, .mem = 768 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 20, .threads = 1)),
};

static const struct sl_gres param_shakti_gpu_gres[] = {
	NODE_GPU("v100", 16, shakti_first, "mlx5_0"),
	NODE_GPU("v100", 16, shakti_second, "mlx5_0"),
};
const struct sl_node_model node_param_shakti_gpu = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti-gpu",
	.summary = "PARAM Shakti GPU node: 2 x 20 cores, 2 x V100 16 GB, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 2 x V100 16 GB, one to a socket, 192 GB and EDR are assumed",
	.node = NODE(.cpus = 40, .mem = 192 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 20, .threads = 1, GPUS(param_shakti_gpu_gres))),
};

static const uint64_t helios_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFF) };     /* 0-11 */
static const uint64_t helios_second[SL_CORES_MAX / 64] = { UINT64_C(0xFFF000) }; /* 12-23 */

static const struct sl_gres helios_gres[] = {
	NODE_GPU("v100", 32, helios_first, "mlx5_0"),
	NODE_GPU("v100", 32, helios_first, "mlx5_0"),
	NODE_GPU("v100", 32, helios_first, "mlx5_0"),
	NODE_GPU("v100", 32, helios_first, "mlx5_0"),
	NODE_GPU("v100", 32, helios_second, "mlx5_0"),
	NODE_GPU("v100", 32, helios_second, "mlx5_0"),
	NODE_GPU("v100", 32, helios_second, "mlx5_0"),
	NODE_GPU("v100", 32, helios_second, "mlx5_0"),
};
const struct sl_node_model node_helios = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "helios",
	.summary = "node of the Helios traces: 2 x 12 cores, 8 x V100-SXM2, EDR 100 Gb/s",
	.source =
		"HeliosData (2 x Xeon Gold 6146, 376 GB, 8 x V100, EDR); 32 GB GPUs, four to a socket, two threads a core and one NIC are assumed",
	.node = NODE(.cpus = 48, .mem = 376 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 12, .threads = 2, GPUS(helios_gres))),
};

const struct sl_node_model node_cpu_1s = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "cpu-1s",
	.summary = "a node of one socket: 64 cores, 256 GB, one NIC",
	.source = "of no vendor: round figures of a current server, assumed",
	.node = NODE(.cpus = 64, .mem = 256 * GIB,
		.hardware = HARDWARE(.sockets = 1, .cores = 64, .threads = 1)),
};

const struct sl_node_model node_cpu_2s = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "cpu-2s",
	.summary = "a node of two sockets: 2 x 32 cores, 256 GB, one NIC",
	.source = "of no vendor: round figures of a current server, assumed",
	.node = NODE(.cpus = 64, .mem = 256 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 32, .threads = 1)),
};
