/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_sites.c - nodes of sites whose machines or traces are known: PARAM Shakti, PARAM Siddhi-AI, Helios.
 */
#include "models/nodes/node_models.h"

static const uint64_t shakti_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF) };       /* 0-19 */
static const uint64_t shakti_second[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF00000) }; /* 20-39 */

static const struct sl_hardware param_shakti_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 20,
	.threads = 1,
	.weight = 1,
};
static const struct sl_nodes_spec param_shakti_node = {
	.count = 1,
	.cpus = 40,
	.mem = 192 * GIB,
	.hardware = &param_shakti_hardware,
};
const struct sl_node_model node_param_shakti = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti",
	.summary = "PARAM Shakti compute node (cn): 2 x 20 cores, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 2 x Xeon Gold 6148 without hyper-threading, 192 GB and EDR are assumed",
	.node = &param_shakti_node,
};

static const struct sl_hardware param_shakti_hm_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 20,
	.threads = 1,
	.weight = 1,
};
static const struct sl_nodes_spec param_shakti_hm_node = {
	.count = 1,
	.cpus = 40,
	.mem = 768 * GIB,
	.hardware = &param_shakti_hm_hardware,
};
const struct sl_node_model node_param_shakti_hm = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti-hm",
	.summary = "PARAM Shakti high-memory node (hm): 2 x 20 cores, 768 GB, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 768 GB as in PARAM Sanganak, 2 x Xeon Gold 6148 and EDR are assumed",
	.node = &param_shakti_hm_node,
};

static const struct sl_gres param_shakti_gpu_gres[] = {
	NODE_GPU("v100", 16, shakti_first, "mlx5_0"),
	NODE_GPU("v100", 16, shakti_second, "mlx5_0"),
};
static const struct sl_hardware param_shakti_gpu_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 20,
	.threads = 1,
	.weight = 1,
	.gres = param_shakti_gpu_gres,
	.gres_count = SL_LEN(param_shakti_gpu_gres),
};
static const struct sl_nodes_spec param_shakti_gpu_node = {
	.count = 1,
	.cpus = 40,
	.mem = 192 * GIB,
	.hardware = &param_shakti_gpu_hardware,
};
const struct sl_node_model node_param_shakti_gpu = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-shakti-gpu",
	.summary = "PARAM Shakti GPU node: 2 x 20 cores, 2 x V100 16 GB, EDR 100 Gb/s",
	.source =
		"IIT Kharagpur, Types of Nodes (40 cores a node, cn001-384, hm001-036); 2 x V100 16 GB, one to a socket, 192 GB and EDR are assumed",
	.node = &param_shakti_gpu_node,
};

/* As in DGX A100. */
static const uint64_t siddhi_a[SL_CORES_MAX / 64] = { UINT64_C(0xFFFF000000000000) }; /* 48-63 */
static const uint64_t siddhi_b[SL_CORES_MAX / 64] = { UINT64_C(0xFFFF0000) };         /* 16-31 */
static const uint64_t siddhi_c[SL_CORES_MAX / 64] = { UINT64_C(0x0),
	UINT64_C(0xFFFF000000000000) };                                                      /* 112-127 */
static const uint64_t siddhi_d[SL_CORES_MAX / 64] = { UINT64_C(0x0), UINT64_C(0xFFFF0000) }; /* 80-95 */

static const struct sl_gres param_siddhi_gres[] = {
	NODE_GPU("a100", 40, siddhi_a, "mlx5_0"),
	NODE_GPU("a100", 40, siddhi_a, "mlx5_1"),
	NODE_GPU("a100", 40, siddhi_b, "mlx5_2"),
	NODE_GPU("a100", 40, siddhi_b, "mlx5_3"),
	NODE_GPU("a100", 40, siddhi_c, "mlx5_6"),
	NODE_GPU("a100", 40, siddhi_c, "mlx5_7"),
	NODE_GPU("a100", 40, siddhi_d, "mlx5_8"),
	NODE_GPU("a100", 40, siddhi_d, "mlx5_9"),
};
static const struct sl_hardware param_siddhi_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 64,
	.threads = 2,
	.weight = 1,
	.gres = param_siddhi_gres,
	.gres_count = SL_LEN(param_siddhi_gres),
};
static const struct sl_nodes_spec param_siddhi_node = {
	.count = 1,
	.cpus = 256,
	.mem = 1024 * GIB,
	.hardware = &param_siddhi_hardware,
};
const struct sl_node_model node_param_siddhi = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-siddhi",
	.summary = "PARAM Siddhi-AI node: a DGX A100 with 40 GB, 2 x 64 cores, 8 GPUs, 8 x HDR 200 Gb/s",
	.source =
		"C-DAC, PARAM Siddhi-AI (42 x DGX A100); NVIDIA DGX A100 data sheet; 40 GB GPUs and 1 TB are assumed",
	.node = &param_siddhi_node,
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
static const struct sl_hardware helios_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 12,
	.threads = 2,
	.weight = 1,
	.gres = helios_gres,
	.gres_count = SL_LEN(helios_gres),
};
static const struct sl_nodes_spec helios_node = {
	.count = 1,
	.cpus = 48,
	.mem = 376 * GIB,
	.hardware = &helios_hardware,
};
const struct sl_node_model node_helios = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "helios",
	.summary = "node of the Helios traces: 2 x 12 cores, 8 x V100-SXM2, EDR 100 Gb/s",
	.source =
		"HeliosData (2 x Xeon Gold 6146, 376 GB, 8 x V100, EDR); 32 GB GPUs, four to a socket, two threads a core and one NIC are assumed",
	.node = &helios_node,
};
