/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * node_plain.c - plain nodes of one and two sockets, for clusters of no vendor.
 */
#include "models/nodes/node_models.h"

static const struct sl_hardware cpu_1s_hardware = {
	.boards = 1,
	.sockets = 1,
	.cores = 64,
	.threads = 1,
	.weight = 1,
};
static const struct sl_nodes_spec cpu_1s_node = {
	.count = 1,
	.cpus = 64,
	.mem = 256 * GIB,
	.hardware = &cpu_1s_hardware,
};
const struct sl_node_model node_cpu_1s = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "cpu-1s",
	.summary = "a node of one socket: 64 cores, 256 GB, one NIC",
	.source = "of no vendor: round figures of a current server, assumed",
	.node = &cpu_1s_node,
};

static const struct sl_hardware cpu_2s_hardware = {
	.boards = 1,
	.sockets = 2,
	.cores = 32,
	.threads = 1,
	.weight = 1,
};
static const struct sl_nodes_spec cpu_2s_node = {
	.count = 1,
	.cpus = 64,
	.mem = 256 * GIB,
	.hardware = &cpu_2s_hardware,
};
const struct sl_node_model node_cpu_2s = {
	.abi = SL_ABI_OF(struct sl_node_model),
	.name = "cpu-2s",
	.summary = "a node of two sockets: 2 x 32 cores, 256 GB, one NIC",
	.source = "of no vendor: round figures of a current server, assumed",
	.node = &cpu_2s_node,
};
