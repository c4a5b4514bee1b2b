/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_conf_parts.c - partitions as the controller has them, and AccountingStorageTRES.
 */
#include <string.h>
#include <strings.h>

#include "policies/slurm/conf/ctl_conf.h"

static bool ctl_conf_parts_same(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(text, name, len) == 0;
}

/* ---- Partitions ---------------------------------------------------------------------------------------- */

/* Minutes, rounded down as Slurm has them; CTL_NEVER: without limit, CTL_NONE: not set. */
static int64_t minutes(sl_time time)
{
	if (time == SL_NEVER)
		return CTL_NEVER;
	return time == SL_NONE ? CTL_NONE : time / (60 * SL_SECOND);
}

static const char *ctl_conf_parts_said(const struct ctl *c, const struct ctl_part *part, const char *key)
{
	const char *text = sl_setting_of(c->cluster, "partition", part->name, key);
	return text && strcasecmp(text, "ALL") != 0 && strcasecmp(text, "(null)") != 0 ? text : NULL;
}

static void take_said(const struct ctl *c, struct ctl_part *part)
{
	const char *text = ctl_conf_parts_said(c, part, "GraceTime");
	int64_t value;
	if (text && sl_get_i64(text, strlen(text), &value) && value > 0)
		part->grace_time = value;
	part->over_time = ctl_conf_over_time(ctl_conf_parts_said(c, part, "OverTimeLimit"), CTL_NONE);
	text = ctl_conf_parts_said(c, part, "SuspendTime");
	part->suspend_time = CTL_NONE;
	if (text && (strcasecmp(text, "INFINITE") == 0 || strcasecmp(text, "-1") == 0))
		part->suspend_time = CTL_NEVER;
	else if (text && sl_get_i64(text, strlen(text), &value) && value >= 0)
		part->suspend_time = value;
	text = ctl_conf_parts_said(c, part, "PreemptMode");
	part->preempt_mode = ctl_conf_preempt_mode(text);
	part->preempt_priority = ctl_conf_has(text, "PRIORITY");
	part->mem_capped = (part->spec->mem_per_node_max != SL_NONE && part->spec->mem_per_node_max > 0) ||
			   ctl_conf_number(c, "MaxMemPerNode", 0) > 0;
	part->preempt_mode = ctl_conf_preempt_mode(ctl_conf_parts_said(c, part, "PreemptMode"));
	part->allow_accounts = ctl_conf_parts_said(c, part, "AllowAccounts");
	part->deny_accounts = ctl_conf_parts_said(c, part, "DenyAccounts");
	part->allow_qos = ctl_conf_parts_said(c, part, "AllowQos");
	part->deny_qos = ctl_conf_parts_said(c, part, "DenyQos");
	part->allow_groups = ctl_conf_parts_said(c, part, "AllowGroups");
}

static int fill_part(struct ctl *c, struct ctl_part *part, uint32_t row, const struct sl_partition *spec)
{
	const size_t words = select_node_words(c->select);
	part->spec = spec;
	part->name = spec->name;
	part->state = spec->state;
	part->max_time = minutes(spec->max_time);
	part->default_time = minutes(spec->default_time);
	part->nodes_min = spec->nodes_min == SL_NONE ? 0 : spec->nodes_min;
	part->nodes_max = spec->nodes_max == SL_NONE ? CTL_NEVER : spec->nodes_max;
	part->tier = spec->tier;
	part->job_factor = spec->job_factor;
	part->qos = CTL_NO_ROW; /* ctl_acct.c's. */
	part->nodes = sl_alloc(c->arena, words, sizeof(*part->nodes));
	if (!part->nodes)
		return SL_SYSTEM;
	memcpy(part->nodes, select_partition_nodes(c->select, row), words * sizeof(*part->nodes));
	for (size_t w = 0; w < words; w++)
		part->node_count += select_popcount(part->nodes[w]);
	take_said(c, part);
	return SL_OK;
}

/* A cluster that has none is one of all nodes. */
static const struct sl_partition all_nodes = { .name = "all",
	.nodes = "ALL",
	SL_PARTITION_UNBOUNDED,
	.tier = 1,
	.job_factor = 1,
	.shares = 1,
	.is_default = true };

static int make_parts(struct ctl *c)
{
	const struct sl_cluster *cluster = c->cluster;
	int64_t factor_max = 0;
	c->part_count = cluster->partition_count ? cluster->partition_count : 1;
	c->part = sl_alloc(c->arena, c->part_count, sizeof(*c->part));
	if (!c->part)
		return SL_SYSTEM;
	for (uint32_t i = c->part_count; i-- > 0;) {
		const struct sl_partition *spec =
			cluster->partition_count ? &cluster->partition[i] : &all_nodes;
		if (fill_part(c, &c->part[i], i, spec))
			return SL_SYSTEM;
		c->part_default = spec->is_default ? i : c->part_default;
		factor_max = spec->job_factor > factor_max ? spec->job_factor : factor_max;
	}
	for (uint32_t i = 0; i < c->part_count; i++)
		c->part[i].priority_normalized =
			factor_max ? (double)c->part[i].job_factor / (double)factor_max : 0;
	return SL_OK;
}

uint32_t ctl_part_named(const struct ctl *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->part_count; i++)
		if (strlen(c->part[i].name) == len && strncmp(c->part[i].name, name, len) == 0)
			return i;
	return CTL_NO_ROW;
}

/* ---- TRES ---------------------------------------------------------------------------------------------- */

static struct ctl_tres *tres_add(struct ctl *c, const char *kind, const char *name, const char *type)
{
	char text[256];
	const char *const node_alloc[] = { kind, name, type ? ":" : "", type ? type : "" };
	size_t len = 0;
	for (size_t i = 0; i < SL_LEN(node_alloc); i++) {
		const size_t size = strlen(node_alloc[i]);
		if (len + size >= sizeof(text))
			return NULL;
		memcpy(text + len, node_alloc[i], size);
		len += size;
	}
	const uint32_t known = ctl_tres_named(c, text, len);
	if (known != CTL_NO_ROW)
		return &c->tres[known];
	if (c->tres_count == CTL_TRES_MAX)
		return NULL;
	struct ctl_tres *tres = &c->tres[c->tres_count];
	tres->name = sl_strdup(c->arena, text, len);
	if (!tres->name)
		return NULL;
	tres->gres = tres->license = CTL_NO_ROW;
	c->tres_count++;
	return tres;
}

static uint32_t gres_named(const struct ctl *c, const char *name)
{
	for (uint32_t i = 0; i < select_gres_count(c->select); i++)
		if (strcmp(select_gres_name(c->select, i), name) == 0)
			return i;
	return CTL_NO_ROW;
}

static bool add_gres(struct ctl *c, const struct sl_gres *gres, const char *type, int64_t nodes)
{
	struct ctl_tres *tres = tres_add(c, "gres/", gres->name, type);
	if (!tres)
		return c->tres_count == CTL_TRES_MAX; /* What does not fit is not counted. */
	tres->gres = gres_named(c, gres->name);
	tres->type = type;
	tres->total += gres->count * nodes;
	return true;
}

/* Every gres without its type first, then by type, as nodes have them. */
static bool add_gres_all(struct ctl *c)
{
	const struct sl_cluster *cluster = c->cluster;
	for (int typed = 0; typed < 2; typed++)
		for (uint32_t i = 0; i < cluster->type_count; i++) {
			const struct sl_hardware *hw = cluster->type[i].hardware;
			int64_t nodes = 0;
			for (uint32_t n = 0; n < cluster->node_count; n++)
				nodes += cluster->node_type[n] == i;
			for (uint32_t k = 0; hw && k < hw->gres_count; k++)
				if ((!typed || hw->gres[k].type) &&
					!add_gres(c, &hw->gres[k], typed ? hw->gres[k].type : NULL, nodes))
					return false;
		}
	return true;
}

static bool add_licenses(struct ctl *c)
{
	for (uint32_t i = 0; i < c->cluster->license_count; i++) {
		struct ctl_tres *tres = tres_add(c, "license/", c->cluster->license[i].name, NULL);
		if (!tres)
			return c->tres_count == CTL_TRES_MAX;
		tres->license = i;
		tres->total = c->cluster->license[i].total;
	}
	return true;
}

static void count_nodes(struct ctl *c)
{
	const struct sl_cluster *cluster = c->cluster;
	const int64_t parts = sl_parts(cluster->cpu_parts);
	for (uint32_t n = 0; n < cluster->node_count; n++) {
		const struct sl_node_type *type = &cluster->type[cluster->node_type[n]];
		c->tres[CTL_TRES_CPU].total += type->amount[SL_KIND_CPUS] / parts;
		if (type->amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
			c->tres[CTL_TRES_MEM].total += type->amount[SL_KIND_MEM];
	}
	c->tres[CTL_TRES_NODE].total = cluster->node_count;
}

/* Those of AccountingStorageTRES, beside cpu, memory, nodes and billing, which always are. */
static void track(struct ctl *c)
{
	const char *list = ctl_conf_text(c, "AccountingStorageTRES");
	for (uint32_t i = 0; i < c->tres_count; i++)
		c->tres[i].tracked = i < CTL_TRES_FIRST || ctl_conf_has(list, c->tres[i].name);
}

static bool make_tres(struct ctl *c)
{
	static const char *const name[CTL_TRES_FIRST] = { "cpu", "mem", "node", "billing" };
	for (size_t i = 0; i < SL_LEN(name); i++)
		if (!tres_add(c, name[i], "", NULL))
			return false;
	count_nodes(c);
	if (!add_gres_all(c) || !add_licenses(c))
		return false;
	track(c);
	return true;
}

/* What the nodes of a partition have of each. */
static void total_part(struct ctl *c, struct ctl_part *part)
{
	const struct sl_cluster *cluster = c->cluster;
	for (uint32_t n = 0; n < cluster->node_count; n++) {
		const struct sl_node_type *type = &cluster->type[cluster->node_type[n]];
		const struct sl_hardware *hw = type->hardware;
		if (!(part->nodes[n / 64] >> (n % 64) & 1))
			continue;
		part->tres_total[CTL_TRES_CPU] += type->amount[SL_KIND_CPUS] / sl_parts(cluster->cpu_parts);
		if (type->amount[SL_KIND_MEM] < SL_MEM_UNBOUNDED)
			part->tres_total[CTL_TRES_MEM] += type->amount[SL_KIND_MEM];
		part->tres_total[CTL_TRES_NODE]++;
		for (uint32_t i = CTL_TRES_FIRST; hw && i < c->tres_count; i++)
			for (uint32_t k = 0; c->tres[i].gres != CTL_NO_ROW && k < hw->gres_count; k++)
				if (strcmp(hw->gres[k].name, select_gres_name(c->select, c->tres[i].gres)) ==
						0 &&
					(!c->tres[i].type ||
						(hw->gres[k].type &&
							strcmp(hw->gres[k].type, c->tres[i].type) == 0)))
					part->tres_total[i] += hw->gres[k].count;
	}
}

uint32_t ctl_tres_named(const struct ctl *c, const char *name, size_t len)
{
	for (uint32_t i = 0; i < c->tres_count; i++)
		if (ctl_conf_parts_same(name, len, c->tres[i].name))
			return i;
	return CTL_NO_ROW;
}

int ctl_conf_parts(struct ctl *c, struct sl_err *err)
{
	if (make_parts(c) || !make_tres(c))
		return sl_fail(err, SL_SYSTEM, "out of memory");
	for (uint32_t i = 0; i < c->part_count; i++)
		total_part(c, &c->part[i]);
	return SL_OK;
}
