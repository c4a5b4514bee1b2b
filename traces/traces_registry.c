/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * traces_registry.c - the formats of traces, in the order in which they are listed.
 */
#include "traces/traces.h"

extern const struct sl_reader batsim_reader, table_reader, workflow_reader, services_reader, sacct_reader,
	sacct_json_reader, squeue_reader, scontrol_jobs_reader, slurm_csv_reader, kube_reader,
	kube_generator_reader;
extern const struct sl_reader openb_reader, philly_list_reader, philly_json_reader, helios_reader,
	acme_reader, pai_reader, dlrm_reader, training_reader, chronus_reader, submissions_reader;
extern const struct sl_writer table_writer, sacct_writer;
extern const struct sl_cluster_reader cluster_yaml, cluster_json, conf_slurm_reader, conf_scontrol_reader;
extern const struct sl_cluster_reader openb_nodes_reader, spot_nodes_reader, pai_nodes_reader,
	philly_nodes_reader, vc_nodes_reader, helios_nodes_reader, kube_cluster_reader,
	kube_generator_cluster;

static const struct sl_reader *const readers[] = { &swf_reader, &table_reader, &workflow_reader,
	&services_reader, &batsim_reader, &sacct_reader, &sacct_json_reader, &squeue_reader,
	&scontrol_jobs_reader, &slurm_csv_reader, &submissions_reader, &openb_reader, &philly_list_reader,
	&philly_json_reader, &helios_reader, &acme_reader, &pai_reader, &dlrm_reader, &training_reader,
	&chronus_reader, &kube_reader, &kube_generator_reader, NULL };

static const struct sl_writer *const writers[] = { &swf_writer, &table_writer, &sacct_writer, NULL };

static const struct sl_cluster_reader *const cluster_readers[] = { &cluster_yaml, &cluster_json,
	&conf_slurm_reader, &conf_scontrol_reader, &openb_nodes_reader, &spot_nodes_reader, &pai_nodes_reader,
	&philly_nodes_reader, &vc_nodes_reader, &helios_nodes_reader, &kube_cluster_reader,
	&kube_generator_cluster, NULL };

const struct sl_plugin traces_builtin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "traces",
	.readers = readers,
	.writers = writers,
	.cluster_readers = cluster_readers,
};
