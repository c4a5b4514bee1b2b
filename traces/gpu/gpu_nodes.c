/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gpu_nodes.c - clusters as their publishers list them: a line a node (openb, Alibaba's of 2026, PAI,
 * Philly's machines), or a number of nodes for each virtual cluster (Philly's by Hu et al., SC '21; Helios').
 *
 * A virtual cluster is a partition with nodes of its own. What a file does not say is a setting:
 * cluster.gpus_per_node (of virtual clusters: 8), cluster.cpus_per_node (64), cluster.memory_per_node
 * (without bound), and cluster.date, of a file that has sizes by date (its first).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/gpu/gpu.h"

enum { NAME, CPUS, CPU_MILLI, MEM_MIB, MEM_GIB, GPUS, MODEL, GPU_MEM, VC, VC_NODES, DATE, TOTAL };
enum { VCS_MAX = GPU_FIELDS_MAX, CPUS_MAX = 1 << 20, NODE_GPUS_MAX = 1 << 10, VC_NODES_MAX = 1 << 20 };

static const struct gpu_column openb_columns[] = {
	{ "sn", NAME, true },
	{ "cpu_milli", CPU_MILLI, true },
	{ "memory_mib", MEM_MIB, true },
	{ "gpu", GPUS, true },
	{ "model", MODEL, true },
};
static const struct gpu_column spot_columns[] = {
	{ "node_name", NAME, true },
	{ "cpu_num", CPUS, true },
	{ "gpu_capacity_num", GPUS, true },
	{ "gpu_model", MODEL, true },
};
static const struct gpu_column pai_columns[] = {
	{ "machine", NAME, true },
	{ "gpu_type", MODEL, true },
	{ "cap_cpu", CPUS, true },
	{ "cap_mem", MEM_GIB, true },
	{ "cap_gpu", GPUS, true },
};
static const struct gpu_column philly_columns[] = {
	{ "machineId", NAME, true },
	{ "number of GPUs", GPUS, true },
	{ "single GPU mem", GPU_MEM, true },
};
static const struct gpu_column vc_columns[] = {
	{ "vc", VC, true },
	{ "node num", VC_NODES, true },
};
static const struct gpu_column helios_columns[] = {
	{ "date", DATE, true },
	{ "total", TOTAL, true },
};

static const struct gpu_format openb_format = { "a list of openb nodes", openb_columns, SL_LEN(openb_columns),
	false, false };
static const struct gpu_format spot_format = { "a list of nodes of 2026", spot_columns, SL_LEN(spot_columns),
	false, false };
static const struct gpu_format pai_format = { "PAI's list of machines", pai_columns, SL_LEN(pai_columns),
	true, false };
static const struct gpu_format philly_format = { "Philly's list of machines", philly_columns,
	SL_LEN(philly_columns), false, false };
static const struct gpu_format vc_format = { "Philly's list of virtual clusters", vc_columns,
	SL_LEN(vc_columns), false, false };
static const struct gpu_format helios_format = { "Helios' GPUs by virtual cluster", helios_columns,
	SL_LEN(helios_columns), false, true };

/* What is said beside the file. */
struct said {
	int64_t gpus_per_node, cpus_per_node, mem_per_node;
	const char *date; /* NULL: the first. */
};

struct reading {
	const struct sl_cluster_sink *sink;
	struct said said;
	uint64_t nodes;
	bool found;        /* Of sizes by date: its line was there. */
	char *vc[VCS_MAX]; /* Of the header, by field; NULL: no virtual cluster. */
};

/* ---- Settings --------------------------------------------------------------------------------- */

static int fail_setting(const struct sl_cluster_setting *setting, const char *wanted, struct sl_err *err)
{
	return sl_fail(err, SL_USAGE, "--set: 'cluster.%s' must be %s, not '%s'", setting->key, wanted,
		setting->value);
}

static int count_set(
	const struct sl_cluster_setting *setting, int64_t max, int64_t *value, struct sl_err *err)
{
	char wanted[64];
	if (sl_get_i64(setting->value, strlen(setting->value), value) && *value >= 1 && *value <= max)
		return SL_OK;
	(void)snprintf(wanted, sizeof(wanted), "a whole number within 1..%" PRId64, max);
	return fail_setting(setting, wanted, err);
}

static int setting_take(const struct sl_cluster_setting *setting, struct said *said, struct sl_err *err)
{
	const size_t len = strlen(setting->value);
	sl_time date;
	*setting->used = true;
	if (strcmp(setting->key, "gpus_per_node") == 0)
		return count_set(setting, NODE_GPUS_MAX, &said->gpus_per_node, err);
	if (strcmp(setting->key, "cpus_per_node") == 0)
		return count_set(setting, CPUS_MAX, &said->cpus_per_node, err);
	if (strcmp(setting->key, "memory_per_node") == 0)
		return sl_get_memory(setting->value, len, false, &said->mem_per_node) &&
				       said->mem_per_node <= SL_MEM_UNBOUNDED
			       ? SL_OK
			       : fail_setting(setting, "a size of memory such as 512GiB", err);
	if (strcmp(setting->key, "date") == 0) {
		said->date = setting->value;
		return sl_get_date(setting->value, len, &date)
			       ? SL_OK
			       : fail_setting(setting, "a date such as 2020-09-01", err);
	}
	*setting->used = false;
	return sl_fail(err, SL_USAGE,
		"--set: unknown setting 'cluster.%s': lists of GPU nodes have cluster.gpus_per_node, "
		"cpus_per_node, memory_per_node and date; for more 'schedlab convert' makes a cluster file of them",
		setting->key);
}

/* ---- Nodes -------------------------------------------------------------------------------------- */

static bool gpu_nodes_is_word(const char *text)
{
	size_t len = 0;
	for (; text[len]; len++) {
		const char c = text[len];
		const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				   (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
		if (!plain)
			return false;
	}
	return len > 0 && len <= GPU_NAME_MAX;
}

static int word_in(struct gpu_csv *csv, int use, const char **word)
{
	*word = gpu_cell(csv, use);
	if (*word && !gpu_nodes_is_word(*word))
		return gpu_fail_cell(csv, use, "a name of at most 63 letters, digits, '.', '_' and '-'");
	return SL_OK;
}

/* Cpus are counted in thousandths if they are not whole. */
static int cpus_in(struct gpu_csv *csv, const struct said *said, struct sl_nodes_spec *spec)
{
	enum { THOUSAND = 1000 };
	int64_t milli;
	int status = gpu_scaled(csv, CPU_MILLI, 1, &milli);
	if (!status && milli == SL_NONE)
		status = gpu_scaled(csv, CPUS, THOUSAND, &milli);
	if (status)
		return status;
	if (milli == SL_NONE)
		milli = said->cpus_per_node * THOUSAND;
	if (milli < 1 || milli > (int64_t)CPUS_MAX * THOUSAND)
		return gpu_fail_cell(csv, csv->at[CPUS] < 0 ? CPU_MILLI : CPUS, "from 1 to 1048576 cpus");
	spec->parts = milli % THOUSAND ? THOUSAND : 1;
	spec->cpus = milli % THOUSAND ? milli : milli / THOUSAND;
	return SL_OK;
}

static int mem_in(struct gpu_csv *csv, const struct said *said, struct sl_nodes_spec *spec)
{
	enum { MIB_OF_GIB = 1024 };
	int status = gpu_scaled(csv, MEM_MIB, 1, &spec->mem);
	if (!status && spec->mem == SL_NONE)
		status = gpu_scaled(csv, MEM_GIB, MIB_OF_GIB, &spec->mem);
	if (!status && spec->mem == SL_NONE)
		spec->mem = said->mem_per_node;
	return status;
}

/* "24GB" */
static int gpu_mem_in(struct gpu_csv *csv, int64_t *mem)
{
	const char *cell = gpu_cell(csv, GPU_MEM);
	*mem = 0;
	while (cell && *cell == ' ')
		cell++;
	if (!cell || (sl_get_memory(cell, strlen(cell), false, mem) && *mem <= SL_MEM_UNBOUNDED))
		return SL_OK;
	return gpu_fail_cell(csv, GPU_MEM, "a size of memory such as 24GB");
}

static int gpu_nodes_report_node(struct gpu_csv *csv, struct sl_nodes_spec *spec, struct sl_gres *gres)
{
	const struct sl_hardware hardware = { .boards = 1, .weight = 1, .gres = gres, .gres_count = 1 };
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	const struct reading *r = csv->self;
	if (gres->count && gres->mem) {
		spec->hardware = &hardware;
	} else if (gres->count) {
		spec->gpu[0].type = gres->type ? gres->type : "gpu";
		spec->gpu[0].count = gres->count;
		spec->gpu_count = 1;
	}
	return r->sink->nodes(r->sink->self, spec, &at, csv->err);
}

static int node_in(struct gpu_csv *csv, void *self)
{
	struct reading *r = self;
	struct sl_nodes_spec spec = { .count = 1 };
	struct sl_gres gres = { .name = "gpu" };
	int status = word_in(csv, NAME, &spec.name);
	if (!status && !spec.name)
		status = gpu_fail_cell(csv, NAME, "the node's name");
	if (!status)
		status = cpus_in(csv, &r->said, &spec);
	if (!status)
		status = mem_in(csv, &r->said, &spec);
	if (!status)
		status = gpu_count(csv, GPUS, &gres.count);
	if (!status)
		status = word_in(csv, MODEL, &gres.type);
	if (!status)
		status = gpu_mem_in(csv, &gres.mem);
	if (status)
		return status;
	gres.count = gres.count == SL_NONE ? 0 : gres.count;
	if (gres.count > NODE_GPUS_MAX)
		return gpu_fail_cell(csv, GPUS, "at most 1024 GPUs");
	r->nodes++;
	return gpu_nodes_report_node(csv, &spec, &gres);
}

/* ---- Virtual clusters --------------------------------------------------------------------------- */

/* Nodes of the list, "VC-[1-N]". */
static int report_nodes(
	struct gpu_csv *csv, const char *vc, const char *hosts, int64_t count, int64_t gpus_per_node)
{
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	const struct reading *r = csv->self;
	struct sl_nodes_spec spec = { .name = vc,
		.count = count,
		.cpus = r->said.cpus_per_node,
		.mem = r->said.mem_per_node,
		.gpu[0] = { "gpu", gpus_per_node },
		.gpu_count = 1,
		.hosts = hosts };
	return r->sink->nodes(r->sink->self, &spec, &at, csv->err);
}

static int report_partition(struct gpu_csv *csv, const char *vc, const char *hosts)
{
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	const struct reading *r = csv->self;
	const struct sl_partition partition = { .name = vc,
		.nodes = hosts,
		SL_PARTITION_UNBOUNDED,
		.tier = SL_NONE,
		.job_factor = SL_NONE,
		.shares = SL_NONE };
	return r->sink->partition ? r->sink->partition(r->sink->self, &partition, &at, csv->err) : SL_OK;
}

/* So many whole nodes, and one with the GPUs that are left; without any there is no such partition. */
static int report_vc(struct gpu_csv *csv, const char *vc, int64_t gpus)
{
	struct reading *r = csv->self;
	const int64_t each = r->said.gpus_per_node;
	const int64_t whole = gpus / each;
	char hosts[3 * GPU_NAME_MAX];
	char last[2 * GPU_NAME_MAX];
	int status = SL_OK;
	r->nodes += (uint64_t)(whole + (gpus % each != 0));
	if (whole) {
		(void)snprintf(hosts, sizeof(hosts), "%s-[1-%" PRId64 "]", vc, whole);
		status = report_nodes(csv, vc, hosts, whole, each);
	}
	if (!status && gpus % each) {
		(void)snprintf(last, sizeof(last), "%s-%" PRId64, vc, whole + 1);
		status = report_nodes(csv, vc, last, 1, gpus % each);
	}
	const int64_t all = whole + (gpus % each != 0);
	(void)snprintf(hosts, sizeof(hosts), "%s-[1-%" PRId64 "]", vc, all);
	return status || !gpus ? status : report_partition(csv, vc, hosts);
}

static int vc_in(struct gpu_csv *csv, void *self)
{
	const struct reading *r = self;
	const char *vc;
	int64_t nodes;
	int status = word_in(csv, VC, &vc);
	if (!status && !vc)
		status = gpu_fail_cell(csv, VC, "the virtual cluster's name");
	if (!status)
		status = gpu_count(csv, VC_NODES, &nodes);
	if (!status && (nodes == SL_NONE || nodes > VC_NODES_MAX))
		status = gpu_fail_cell(csv, VC_NODES, "a whole number up to 1048576");
	return status ? status : report_vc(csv, vc, nodes * r->said.gpus_per_node);
}

static int dates_head(struct gpu_csv *csv, void *self)
{
	struct reading *r = self;
	const struct sl_place at = { csv->file, csv->row_line, 0 };
	for (size_t i = 0; i < csv->count; i++) {
		const char *name = gpu_field(csv, i);
		if ((int)i == csv->at[DATE] || (int)i == csv->at[TOTAL])
			continue;
		if (!gpu_nodes_is_word(name))
			return sl_fail_at(csv->err, &at,
				"column %zu is no name of a virtual cluster: letters, digits, '.', '_' and '-'",
				i + 1);
		r->vc[i] = strdup(name);
		if (!r->vc[i])
			return sl_fail_memory(csv->err);
	}
	return SL_OK;
}

static bool is_date(const struct said *said, const char *cell)
{
	sl_time wanted;
	sl_time here;
	if (!said->date)
		return true;
	return cell && sl_get_date(said->date, strlen(said->date), &wanted) &&
	       sl_get_date(cell, strlen(cell), &here) && wanted == here;
}

static int dates_row(struct gpu_csv *csv, void *self)
{
	struct reading *r = self;
	int status = SL_OK;
	if (r->found || !is_date(&r->said, gpu_cell(csv, DATE)))
		return SL_OK;
	r->found = true;
	for (size_t i = 0; i < csv->header_count && !status; i++) {
		int64_t gpus;
		const char *cell = gpu_field(csv, i);
		const struct sl_place at = { csv->file, csv->row_line, 0 };
		if (!r->vc[i] || !*cell)
			continue;
		if (!sl_get_i64(cell, strlen(cell), &gpus) || gpus < 0 || gpus > VC_NODES_MAX)
			return sl_fail_at(csv->err, &at, "GPUs of '%s' must be a whole number, not '%.32s'",
				r->vc[i], cell);
		status = report_vc(csv, r->vc[i], gpus);
	}
	return status;
}

/* ---- The readers --------------------------------------------------------------------------------- */

static int settings_take(
	const struct sl_cluster_setting *setting, size_t count, struct said *said, struct sl_err *err)
{
	int status = SL_OK;
	*said = (struct said){ 8, 64, SL_NONE, NULL };
	for (size_t i = 0; i < count && !status; i++)
		status = setting_take(&setting[i], said, err);
	return status;
}

static int gpu_nodes_read_file(
	struct gpu_csv *csv, struct sl_input *in, const struct sl_cluster_setting *setting, size_t count)
{
	struct reading *r = calloc(1, sizeof(*r));
	if (!r)
		return sl_fail_memory(csv->err);
	r->sink = csv->machine;
	csv->file = sl_input_name(in);
	csv->self = r;
	csv->whole = true;
	int status = settings_take(setting, count, &r->said, csv->err);
	if (!status)
		status = gpu_csv_read(csv, in);
	if (!status && !r->nodes)
		status =
			r->said.date && !r->found
				? sl_fail(csv->err, SL_USAGE, "--set: 'cluster.date': %s has no line of '%s'",
					  csv->file, r->said.date)
				: sl_fail(csv->err, SL_INPUT, "%s: has no nodes", csv->file);
	for (size_t i = 0; i < VCS_MAX; i++)
		free(r->vc[i]);
	free(r);
	return status;
}

/* PAI's list has no header line: its name says what it is. */
static int sniff(const struct gpu_format *format, const char *path, const char *text, size_t len)
{
	if (!text)
		return 0;
	if (format->bare && path && strstr(path, "pai_machine_spec"))
		return 97;
	return gpu_sniff(format, text, len);
}

/* A reader for a format, with its functions. */
#define NODE_LIST(id, as, on_head, on_row, about)                                                           \
	static int id##_read(const char *path, struct sl_input *in,                                         \
		const struct sl_cluster_setting *setting, size_t count, const struct sl_cluster_sink *sink, \
		struct sl_err *err)                                                                         \
	{                                                                                                   \
		struct gpu_csv csv = { .format = &id##_format,                                              \
			.machine = sink,                                                                    \
			.err = err,                                                                         \
			.head = (on_head),                                                                  \
			.row = (on_row) };                                                                  \
		(void)path;                                                                                 \
		return gpu_nodes_read_file(&csv, in, setting, count);                                       \
	}                                                                                                   \
	static int id##_sniff(const char *path, const char *text, size_t len)                               \
	{                                                                                                   \
		return sniff(&id##_format, path, text, len);                                                \
	}                                                                                                   \
	const struct sl_cluster_reader id##_nodes_reader = {                                                \
		.abi = SL_ABI_OF(struct sl_cluster_reader),                                                 \
		.name = (as),                                                                               \
		.summary = (about),                                                                         \
		.sniff = id##_sniff,                                                                        \
		.read = id##_read,                                                                          \
	}

NODE_LIST(openb, "openb-nodes", NULL, node_in, "nodes of Alibaba's GPU trace of 2023");
NODE_LIST(spot, "spot-nodes", NULL, node_in, "nodes of Alibaba's GPU trace of 2026");
NODE_LIST(pai, "pai-machines", NULL, node_in,
	"machines of Alibaba's PAI, pai_machine_spec.csv (not tried on real files)");
NODE_LIST(philly, "philly-machines", NULL, node_in,
	"machines of Philly, cluster_machine_list (not tried on real files)");
NODE_LIST(vc, "philly-vcs", NULL, vc_in, "nodes of Philly by virtual cluster, as partitions");
NODE_LIST(helios, "helios-vcs", dates_head, dates_row,
	"GPUs of Helios by virtual cluster and date: cluster_gpu_number.csv, as partitions");
