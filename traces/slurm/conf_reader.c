/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_reader.c - the two readers: an operator's folder or slurm.conf, and what scontrol shows.
 *
 * Both end in the same lines, and from there on it is one way: settings change lines, lines become nodes, and
 * the sink gets every key, then nodes, partitions, switches, licences and windows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "traces/slurm/conf.h"

/* ---- What is read ------------------------------------------------------------------------------------- */

static bool exists(const char *path)
{
	struct stat about;
	return path && stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

static const char *beside(struct conf *conf, const char *name)
{
	return conf_printf(&conf->mem, "%s%s", conf->folder, name);
}

static int read_beside(struct conf *conf, const char *name, enum conf_dialect dialect)
{
	const char *path = beside(conf, name);
	struct sl_input *in;
	struct stat about;
	if (!exists(path) || (stat(path, &about) == 0 && !about.st_size))
		return SL_OK; /* As in Slurm, an empty file says nothing. */
	const int status = conf_open(conf, path, &in);
	return status ? status : conf_read_text(conf, in, dialect);
}

/* Files that say nothing of who runs where and when. */
static const struct {
	const char *name, *note;
} others[] = {
	{ "cgroup.conf", "limits what running jobs may touch; does not move a start" },
	{ "acct_gather.conf", "does not move a start" },
	{ "burst_buffer.conf", "jobs do not wait for burst buffers" },
	{ "cli_filter.lua", "a site's own rules at submission: what they changed is in the trace" },
	{ "helpers.conf", "features do not change: no job waits for a reboot" },
	{ "job_container.conf", "does not move a start" },
	{ "job_submit.lua", "a site's own rules at submission: what they changed is in the trace" },
	{ "knl.conf", "features do not change: no job waits for a reboot" },
	{ "mpi.conf", "does not move a start" },
	{ "oci.conf", "does not move a start" },
	{ "plugstack.conf", "does not move a start" },
	{ "resources.yaml",
		"hierarchical resources are not counted: a job that asks for one (-L) is refused" },
	{ "slurmdbd.conf", "does not move a start" },
};

static int report_others(struct conf *conf)
{
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(others) && !status; i++) {
		const char *path = beside(conf, others[i].name);
		const struct sl_place at = { path, 0, 0 };
		if (exists(path))
			status =
				conf_report_other(conf, &(struct sl_setting){ "file", "", others[i].name,
								path, at, SL_IGNORED, others[i].note, NULL });
	}
	return status;
}

static int read_slurm(struct conf *conf, const char *path, struct sl_input *in)
{
	const char *slash = strrchr(path, '/');
	int status = SL_OK;
	conf->folder = in ? conf_strdup(&conf->mem, path, slash ? (size_t)(slash - path) + 1 : 0)
			  : conf_printf(&conf->mem, "%s/", path);
	if (!conf->folder)
		return sl_fail_memory(conf->err);
	if (!in) {
		const char *main = beside(conf, "slurm.conf");
		if (!main)
			return sl_fail_memory(conf->err);
		status = conf_open(conf, main, &in);
	}
	if (!status)
		status = conf_read_text(conf, in, CONF_SLURM);
	if (status || strcmp(path, "-") == 0)
		return status;
	status = read_beside(conf, "gres.conf", CONF_GRES_FILE);
	/* As in Slurm, topology.conf is not looked at then. */
	const char *yaml = beside(conf, "topology.yaml");
	if (!status && yaml && exists(yaml))
		return conf_yaml_read(conf, yaml);
	return status ? status : read_beside(conf, "topology.conf", CONF_TOPOLOGY_FILE);
}

/* ---- The cluster as a whole --------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
	const size_t len = strlen(text);
	const size_t more = strlen(end);
	return len >= more && conf_same(text + len - more, end);
}

static void conf_reader_whole(struct conf *conf)
{
	const struct conf_pair *type = conf_global(conf, "SelectType");
	const struct conf_pair *param = conf_global(conf, "SelectTypeParameters");
	const struct conf_pair *plugin = conf_global(conf, "TopologyPlugin");
	struct sl_cluster_spec *spec = &conf->spec;
	/* Where nothing is said: select/cons_tres, and with it CR_Core_Memory. */
	spec->select = type && ends_with(type->value, "linear") ? SL_SELECT_LINEAR : SL_SELECT_CORES;
	spec->mem_counts =
		param ? strcasestr(param->value, "Memory") != NULL : spec->select == SL_SELECT_CORES;
	if (conf->has_yaml)
		spec->topology = conf->yaml_topology;
	else if (plugin && ends_with(plugin->value, "tree"))
		spec->topology = SL_TOPOLOGY_TREE;
	else if (plugin && ends_with(plugin->value, "block"))
		spec->topology = SL_TOPOLOGY_BLOCK;
}

/* ---- Reports ------------------------------------------------------------------------------------ */

/* Nodes of scontrol are many, and alike: a key of theirs is reported once. */
static int report_lines(struct conf *conf, struct conf_lines *lines)
{
	int status = SL_OK;
	for (size_t i = 0; i < lines->count && !status; i++) {
		struct conf_line *line = &lines->line[i];
		for (uint32_t k = 0; line->observed && line->kind == CONF_NODE && i && k < line->count; k++)
			line->pair[k].reported |=
				lines->line[i - 1].kind == CONF_NODE &&
				conf_pair_own(&lines->line[i - 1], line->pair[k].key) != NULL;
		status = conf_report_line(conf, line);
	}
	return status;
}

static int report_keys(struct conf *conf)
{
	const struct conf_pair *name = conf_global(conf, "ClusterName");
	int status =
		name && conf->sink->name ? conf->sink->name(conf->sink->self, name->value, conf->err) : SL_OK;
	conf_reader_whole(conf);
	if (!status && conf->sink->whole)
		status = conf->sink->whole(conf->sink->self, &conf->spec, conf->err);
	if (!status)
		status = report_lines(conf, &conf->lines);
	if (!status)
		status = report_lines(conf, &conf->gres);
	/* Of the topology what nothing reads is reported as such. */
	if (!status && conf->spec.topology != SL_TOPOLOGY_NONE)
		status = report_lines(conf, &conf->topology);
	return status;
}

static int report_further(struct conf *conf) { return report_lines(conf, &conf->further); }

/* In this order. */
static int conf_reader_report(struct conf *conf)
{
	static int (*const steps[])(struct conf * conf) = { report_keys, conf_nodes_make, conf_settings_files,
		report_further, conf_topology_rank, conf_nodes_report, conf_partitions_report,
		conf_topology_report, conf_yaml_report, conf_licenses_report, conf_reservations_report,
		conf_settings_used };
	int status = SL_OK;
	for (size_t i = 0; i < SL_LEN(steps) && !status; i++)
		status = steps[i](conf);
	return status;
}

static void conf_reader_release(struct conf *conf)
{
	struct conf_lines *lines[] = { &conf->lines, &conf->gres, &conf->topology, &conf->further };
	for (size_t i = 0; i < SL_LEN(lines); i++)
		free(lines[i]->line);
	for (size_t i = 0; i < conf->file_count; i++)
		sl_input_close(conf->file[i].in);
	free(conf->file);
	free(conf->entry);
	sl_map_free(&conf->entry_map);
	free(conf->variant);
	free(conf->node);
	free(conf->known);
	free(conf->yaml);
	conf_mem_release(&conf->mem);
}

static int conf_reader_read_all(struct conf *conf, const char *path, struct sl_input *in)
{
	conf->folder = "";
	conf->root = conf_settings_root(conf);
	int status = conf->observed ? conf_read_scontrol(conf, in, &conf->lines) : read_slurm(conf, path, in);
	conf->chain[0] = path;
	if (!status)
		status = conf_settings_lines(conf);
	if (!status)
		status = conf_reader_report(conf);
	if (!status && !conf->observed && strcmp(path, "-") != 0)
		status = report_others(conf);
	if (!status && conf->mem.failed)
		status = sl_fail_memory(conf->err);
	conf_reader_release(conf);
	return status;
}

/* ---- Readers ------------------------------------------------------------------------------------ */

static int scontrol_sniff(const char *path, const char *text, size_t len)
{
	(void)path;
	return text && conf_is_scontrol(text, len) ? 96 : 0;
}

/* The first line that says anything begins with a key of slurm.conf. */
static int slurm_text(const char *text, size_t len)
{
	static const enum conf_kind kinds[] = { CONF_CLUSTER, CONF_NODE, CONF_PARTITION, CONF_NODESET,
		CONF_DOWN };
	const char *end = text + len;
	while (text < end && (strchr(" \t\r\n", *text) || *text == '#')) {
		const char *newline = *text == '#' ? memchr(text, '\n', (size_t)(end - text)) : NULL;
		text = *text == '#' ? (newline ? newline + 1 : end) : text + 1;
	}
	char key[CONF_NAME_MAX + 1];
	size_t count = 0;
	for (; text < end && count < CONF_NAME_MAX && !strchr(" \t\r\n=", *text); text++)
		key[count++] = *text;
	key[count] = '\0';
	if (!count)
		return 0;
	if (conf_same(key, "Include"))
		return 70;
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	for (size_t i = 0; text < end && *text == '=' && i < SL_LEN(kinds); i++)
		if (conf_key_find(kinds[i], key))
			return 90;
	return 0;
}

static int slurm_sniff(const char *path, const char *text, size_t len)
{
	static const char name[] = "/slurm.conf";
	const size_t folder = strlen(path);
	if (text) {
		const int sure = slurm_text(text, len);
		return sure && folder >= sizeof(name) - 2 && ends_with(path, name + 1) ? 98 : sure;
	}
	char file[4096];
	if (folder + sizeof(name) > sizeof(file))
		return 0;
	(void)snprintf(file, sizeof(file), "%s%s", path, name);
	return exists(file) ? 100 : 0;
}

static int slurm_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct conf conf = { .err = err, .sink = sink, .setting = setting, .setting_count = setting_count };
	return conf_reader_read_all(&conf, path, in);
}

static int scontrol_read(const char *path, struct sl_input *in, const struct sl_cluster_setting *setting,
	size_t setting_count, const struct sl_cluster_sink *sink, struct sl_err *err)
{
	struct conf conf = {
		.err = err, .sink = sink, .setting = setting, .setting_count = setting_count, .observed = true
	};
	return conf_reader_read_all(&conf, path, in);
}

const struct sl_cluster_reader conf_slurm_reader = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "slurm",
	.summary =
		"a slurm.conf, or a folder with one; gres.conf and topology.conf beside it; see schedlab-slurm(5)",
	.sniff = slurm_sniff,
	.read = slurm_read,
};

const struct sl_cluster_reader conf_scontrol_reader = {
	.abi = SL_ABI_OF(struct sl_cluster_reader),
	.name = "scontrol",
	.summary =
		"what scontrol show prints, as text or --json (data_parser up to v0.0.44, not tried on real files); see schedlab-slurm(5)",
	.sniff = scontrol_sniff,
	.read = scontrol_read,
};
