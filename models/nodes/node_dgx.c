/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_dgx.c - nodes of NVIDIA: DGX-1 to DGX B200, with a site that has them, and a tray of GB200 NVL72.
 *
 * Which cores and which host channel adapter are nearest to a GPU is what nvidia-smi topo shows of such
 * nodes. The memory of nodes and GPUs is taken in units of 1024, as their modules come. The hybrid cube mesh
 * of DGX-1 is two islands of four GPUs; NVSwitches make one of all; NVL72 is one of 18 trays.
 */
#include "models/nodes/node_models.h"

static const uint64_t dgx_1v_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF) };       /* 0-19 */
static const uint64_t dgx_1v_second[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFF00000) }; /* 20-39 */

#define DGX_1V_GPUS(gib)                                                        \
	{                                                                       \
		NODE_GPU_OF(4, "v100", (gib), dgx_1v_first, "mlx5_0"),          \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_first, "mlx5_0"),  \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_first, "mlx5_1"),  \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_first, "mlx5_1"),  \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_second, "mlx5_2"), \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_second, "mlx5_2"), \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_second, "mlx5_3"), \
			NODE_GPU_OF(4, "v100", (gib), dgx_1v_second, "mlx5_3")  \
	}

static const struct sl_gres dgx_1v_gres[] = DGX_1V_GPUS(16);
const struct sl_node_model node_dgx_1v = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-1v",
	.summary =
		"NVIDIA DGX-1 with V100 16 GB: 2 x 20 cores, 8 GPUs in a hybrid cube mesh, 4 x EDR 100 Gb/s",
	.source =
		"NVIDIA DGX-1 data sheet (2 x Xeon E5-2698 v4, 512 GB, 8 x V100 16 GB, 4 x EDR); nearest cores and NICs: nvidia-smi topo of such a node",
	.node = NODE(.cpus = 80, .mem = 512 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 20, .threads = 2, GPUS(dgx_1v_gres))),
};

static const struct sl_gres dgx_1v_32gb_gres[] = DGX_1V_GPUS(32);
const struct sl_node_model node_dgx_1v_32gb = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-1v-32gb",
	.summary =
		"NVIDIA DGX-1 with V100 32 GB: 2 x 20 cores, 8 GPUs in a hybrid cube mesh, 4 x EDR 100 Gb/s",
	.source =
		"NVIDIA DGX-1 data sheet (2 x Xeon E5-2698 v4, 512 GB, 8 x V100 32 GB, 4 x EDR); nearest cores and NICs: nvidia-smi topo of such a node",
	.node = NODE(.cpus = 80, .mem = 512 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 20, .threads = 2, GPUS(dgx_1v_32gb_gres))),
};

/* Eight NUMA domains of 16 cores; four of them have two GPUs each. */
static const uint64_t dgx_a100_a[SL_CORES_MAX / 64] = { UINT64_C(0xFFFF000000000000) }; /* 48-63 */
static const uint64_t dgx_a100_b[SL_CORES_MAX / 64] = { UINT64_C(0xFFFF0000) };         /* 16-31 */
static const uint64_t dgx_a100_c[SL_CORES_MAX / 64] = { UINT64_C(0x0),
	UINT64_C(0xFFFF000000000000) };                                                        /* 112-127 */
static const uint64_t dgx_a100_d[SL_CORES_MAX / 64] = { UINT64_C(0x0), UINT64_C(0xFFFF0000) }; /* 80-95 */

#define DGX_A100_GPUS(gib)                                             \
	{                                                              \
		NODE_GPU("a100", (gib), dgx_a100_a, "mlx5_0"),         \
			NODE_GPU("a100", (gib), dgx_a100_a, "mlx5_1"), \
			NODE_GPU("a100", (gib), dgx_a100_b, "mlx5_2"), \
			NODE_GPU("a100", (gib), dgx_a100_b, "mlx5_3"), \
			NODE_GPU("a100", (gib), dgx_a100_c, "mlx5_6"), \
			NODE_GPU("a100", (gib), dgx_a100_c, "mlx5_7"), \
			NODE_GPU("a100", (gib), dgx_a100_d, "mlx5_8"), \
			NODE_GPU("a100", (gib), dgx_a100_d, "mlx5_9")  \
	}

static const struct sl_gres dgx_a100_gres[] = DGX_A100_GPUS(40);
const struct sl_node_model node_dgx_a100 = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-a100",
	.summary = "NVIDIA DGX A100 with 40 GB: 2 x 64 cores, 8 GPUs behind NVSwitches, 8 x HDR 200 Gb/s",
	.source =
		"NVIDIA DGX A100 data sheet (2 x EPYC 7742, 1 TB, 8 x A100 40 GB, 8 x HDR, storage NICs beside); nearest cores: nvidia-smi topo of such a node; which NIC of a pair is whose is assumed",
	.node = NODE(.cpus = 256, .mem = 1024 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 64, .threads = 2, GPUS(dgx_a100_gres))),
};

static const struct sl_gres dgx_a100_80gb_gres[] = DGX_A100_GPUS(80);
const struct sl_node_model node_dgx_a100_80gb = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-a100-80gb",
	.summary = "NVIDIA DGX A100 with 80 GB: 2 x 64 cores, 8 GPUs behind NVSwitches, 8 x HDR 200 Gb/s",
	.source =
		"NVIDIA DGX A100 data sheet (2 x EPYC 7742, 2 TB, 8 x A100 80 GB, 8 x HDR, storage NICs beside); nearest cores: nvidia-smi topo of such a node; which NIC of a pair is whose is assumed",
	.node = NODE(.cpus = 256, .mem = 2048 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 64, .threads = 2, GPUS(dgx_a100_80gb_gres))),
};

const struct sl_node_model node_param_siddhi = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "param-siddhi",
	.summary = "PARAM Siddhi-AI node: a DGX A100 with 40 GB, 2 x 64 cores, 8 GPUs, 8 x HDR 200 Gb/s",
	.source =
		"C-DAC, PARAM Siddhi-AI (42 x DGX A100); NVIDIA DGX A100 data sheet; 40 GB GPUs and 1 TB are assumed",
	.node = NODE(.cpus = 256, .mem = 1024 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 64, .threads = 2, GPUS(dgx_a100_gres))),
};

static const uint64_t dgx_h100_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFFFFFFFFFFF) }; /* 0-55 */
static const uint64_t dgx_h100_second[SL_CORES_MAX / 64] = { UINT64_C(0xFF00000000000000),
	UINT64_C(0xFFFFFFFFFFFF) }; /* 56-111 */

static const struct sl_gres dgx_h100_gres[] = {
	NODE_GPU("h100", 80, dgx_h100_first, "mlx5_0"),
	NODE_GPU("h100", 80, dgx_h100_first, "mlx5_3"),
	NODE_GPU("h100", 80, dgx_h100_first, "mlx5_4"),
	NODE_GPU("h100", 80, dgx_h100_first, "mlx5_5"),
	NODE_GPU("h100", 80, dgx_h100_second, "mlx5_6"),
	NODE_GPU("h100", 80, dgx_h100_second, "mlx5_9"),
	NODE_GPU("h100", 80, dgx_h100_second, "mlx5_10"),
	NODE_GPU("h100", 80, dgx_h100_second, "mlx5_11"),
};
const struct sl_node_model node_dgx_h100 = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-h100",
	.summary = "NVIDIA DGX H100: 2 x 56 cores, 8 x H100 80 GB behind NVSwitches, 8 x NDR 400 Gb/s",
	.source =
		"NVIDIA DGX H100 data sheet (2 x Xeon 8480C, 2 TB, 8 x H100 80 GB, 8 x NDR, storage NICs beside); which NIC is nearest to which GPU is assumed",
	.node = NODE(.cpus = 224, .mem = 2048 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 56, .threads = 2, GPUS(dgx_h100_gres))),
};

static const struct sl_gres dgx_b200_gres[] = {
	NODE_GPU("b200", 180, dgx_h100_first, "mlx5_0"),
	NODE_GPU("b200", 180, dgx_h100_first, "mlx5_1"),
	NODE_GPU("b200", 180, dgx_h100_first, "mlx5_2"),
	NODE_GPU("b200", 180, dgx_h100_first, "mlx5_3"),
	NODE_GPU("b200", 180, dgx_h100_second, "mlx5_4"),
	NODE_GPU("b200", 180, dgx_h100_second, "mlx5_5"),
	NODE_GPU("b200", 180, dgx_h100_second, "mlx5_6"),
	NODE_GPU("b200", 180, dgx_h100_second, "mlx5_7"),
};
const struct sl_node_model node_dgx_b200 = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "dgx-b200",
	.summary = "NVIDIA DGX B200: 2 x 56 cores, 8 x B200 180 GB behind NVSwitches, 8 x NDR 400 Gb/s",
	.source =
		"NVIDIA DGX B200 data sheet (2 x Xeon 8570, 2 TB of up to 4 TB, 1440 GB in 8 x B200, 8 x NDR); nearest cores as in DGX H100, and NICs numbered from 0, are assumed",
	.node = NODE(.cpus = 224, .mem = 2048 * GIB,
		.hardware = HARDWARE(.sockets = 2, .cores = 56, .threads = 2, GPUS(dgx_b200_gres))),
};

static const uint64_t gb200_first[SL_CORES_MAX / 64] = { UINT64_C(0xFFFFFFFFFFFFFFFF),
	UINT64_C(0xFF) }; /* 0-71 */
static const uint64_t gb200_second[SL_CORES_MAX / 64] = { UINT64_C(0x0), UINT64_C(0xFFFFFFFFFFFFFF00),
	UINT64_C(0xFFFF) }; /* 72-143 */

static const struct sl_gres gb200_tray_gres[] = {
	NODE_GPU("b200", 186, gb200_first, "mlx5_0"),
	NODE_GPU("b200", 186, gb200_first, "mlx5_1"),
	NODE_GPU("b200", 186, gb200_second, "mlx5_2"),
	NODE_GPU("b200", 186, gb200_second, "mlx5_3"),
};
const struct sl_node_model node_gb200_tray = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "gb200-tray",
	.summary =
		"tray of NVIDIA GB200 NVL72: 2 x Grace of 72 cores, 4 x B200, 4 x NDR 400 Gb/s; a rack has 18 trays, 72 GPUs in one NVLink domain",
	.source =
		"NVIDIA GB200 NVL72 data sheet (36 Grace and 72 B200 a rack, 17 TB LPDDR5X, 13.4 TB HBM3e: 186 GB a GPU); nearest NICs are assumed",
	.node = NODE(.cpus = 144, .mem = 960 * GIB, .island = 18,
		.hardware = HARDWARE(.sockets = 2, .cores = 72, .threads = 1, GPUS(gb200_tray_gres))),
};
