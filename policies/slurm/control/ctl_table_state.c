/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_table_state.c - what slurmctld would report to squeue, sinfo and scontrol that the engine does not
 * know.
 *
 * - plans: a row for each job that waits, runs, or ended less than MinJobAge ago: its row, its state, the
 *   partition it runs in, the QOS it asked for one of and runs with, its time limit, its planned start and
 *   nodes (while its nodes boot: since when it is allocated which), when it was last submitted, became
 *   eligible, and began to gather age, its billing per second, its priority
 * - nodes: a row for each: its state as in sinfo, an operator's reason for it, its allocated cpus
 * - reservations: a row for each
 * - partitions: a row for each: its state and limits, as commands left them
 *
 * Times are seconds after the scenario's time 0; there is none where slurmctld has none.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/slurm/control/ctl_resv.h"

#define NUMBER(value) \
	(struct sl_figure) { .text = NULL, .number = (value) }
#define WORD(value) \
	(struct sl_figure) { .text = (value), .number = (double)NAN }

static double ctl_table_state_time_of(const struct ctl *c, ctl_time at)
{
	return at == CTL_NONE || at == CTL_NEVER ? (double)NAN : (double)(at - c->epoch);
}

static double range_of(int64_t minutes)
{
	return minutes == CTL_NEVER || minutes == CTL_NONE ? (double)NAN : (double)minutes * 60;
}

/* ---- Names of nodes -------------------------------------------------------------------------- */

/* Buffer for the names of any set of nodes. */
struct names {
	const char **name;
	char *text;
	size_t size;
};

/* "n[1-3]"; false: no memory. */
static bool names_put(struct names *names, const struct ctl *c, const uint64_t *set)
{
	uint32_t count = 0;
	if (!names->name) {
		names->name = malloc((c->cluster->node_count + 1U) * sizeof(*names->name));
		if (!names->name)
			return false;
	}
	for (uint32_t n = 0; set && n < c->cluster->node_count; n++)
		if (nset_has(set, n))
			names->name[count++] = c->cluster->node_name[n];
	const size_t size = (count ? sl_hosts_fold(names->name, count, NULL, 0) : 0) + 1;
	if (SL_GROW(names->text, names->size, size, NULL))
		return false;
	names->text[0] = '\0';
	if (count)
		(void)sl_hosts_fold(names->name, count, names->text, size);
	return true;
}

static void names_free(struct names *names)
{
	free(names->name);
	free(names->text);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static const char *ctl_table_state_of(const struct ctl_job *job)
{
	static const char *const word[] = { [CTL_NOT_SUBMITTED] = "",
		[CTL_PENDING] = "PENDING",
		[CTL_CONFIGURING] = "CONFIGURING",
		[CTL_RUNNING] = "RUNNING",
		[CTL_SUSPENDED] = "SUSPENDED",
		[CTL_ENDED] = "ENDED" };
	return word[job->state];
}

/* The nodes of an allocation; set is cleared first. */
static const uint64_t *ctl_table_state_nodes_of(const struct ctl_job *job, uint64_t *set, size_t words)
{
	if (job->state == CTL_PENDING)
		return job->planned == CTL_NONE ? NULL : job->planned_nodes;
	if (job->state != CTL_CONFIGURING || !job->alloc)
		return NULL;
	memset(set, 0, words * sizeof(*set));
	for (uint32_t i = 0; i < job->alloc->node_count; i++)
		nset_add(set, job->alloc->node_alloc[i].node);
	return set;
}

/* Planned or, where nothing is planned, the begin that is to come (pack_job()). */
static ctl_time ctl_table_state_start_of(const struct ctl *c, const struct ctl_job *job)
{
	if (job->state != CTL_PENDING)
		return job->start;
	return job->planned == CTL_NONE && job->begin != CTL_NONE && job->begin > c->now ? job->begin
											 : job->planned;
}

static int list_plan(
	const struct ctl *c, const struct ctl_job *job, const char *nodes, const struct sl_table_sink *table)
{
	static const char *const columns[] = { "job", "state", "partition", "limit", "start", "nodes",
		"submit", "eligible", "accrue", "billing", "priority", "qos" };
	const bool waits = job->state == CTL_PENDING;
	const bool has_part = !waits && job->part < c->part_count;
	const bool has_qos = !waits && job->qos < c->qos_count && job->more->qos;
	const struct sl_figure figure[SL_LEN(columns)] = {
		NUMBER(job->row),
		WORD(ctl_table_state_of(job)),
		WORD(has_part ? c->part[job->part].name : ""),
		NUMBER(range_of(job->time_limit)),
		NUMBER(ctl_table_state_time_of(c, ctl_table_state_start_of(c, job))),
		WORD(nodes),
		NUMBER(ctl_table_state_time_of(c, job->submit)),
		NUMBER(ctl_table_state_time_of(c, job->eligible)),
		NUMBER(ctl_table_state_time_of(c, job->accrue)),
		NUMBER(waits ? (double)NAN : (double)job->billing),
		NUMBER(job->priority),
		WORD(has_qos ? c->qos[job->qos].name : ""),
	};
	return table->row(table->self, columns, figure, SL_LEN(figure));
}

static bool ctl_table_state_is_displayed(const struct ctl *c, const struct ctl_job *job, int64_t age)
{
	if (job->state == CTL_NOT_SUBMITTED)
		return false;
	return job->state != CTL_ENDED || (job->end != CTL_NONE && c->now - job->end <= age);
}

static int list_plans(const struct ctl *c, const struct sl_table_sink *table)
{
	const size_t words = select_node_words(c->select);
	const int64_t age = ctl_conf_number(c, "MinJobAge", 300);
	uint64_t *set = calloc(words + 1, sizeof(*set));
	struct names names = { 0 };
	int status = set ? SL_OK : SL_SYSTEM;
	for (uint32_t row = 0; row < c->jobs->count && !status; row++) {
		const struct ctl_job *job = &c->job[row];
		if (!ctl_table_state_is_displayed(c, job, age))
			continue;
		status = names_put(&names, c, ctl_table_state_nodes_of(job, set, words))
				 ? list_plan(c, job, names.text, table)
				 : SL_SYSTEM;
	}
	names_free(&names);
	free(set);
	return status;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static int list_nodes(const struct ctl *c, const struct sl_table_sink *table)
{
	static const char *const columns[] = { "node", "state", "reason", "cpus" };
	int status = SL_OK;
	for (uint32_t n = 0; n < c->cluster->node_count && !status; n++) {
		const char *reason = ctl_node_reason(c, n);
		const struct sl_figure figure[SL_LEN(columns)] = {
			NUMBER(n),
			WORD(ctl_node_state(c, n)),
			WORD(reason ? reason : ""),
			NUMBER((double)ctl_node_cpus(c, n)),
		};
		status = table->row(table->self, columns, figure, SL_LEN(figure));
	}
	return status;
}

/* ---- Reservations ---------------------------------------------------------------------------- */

static int list_reservation(
	const struct ctl *c, const struct resv *r, const char *nodes, const struct sl_table_sink *table)
{
	static const char *const columns[] = { "name", "start", "end", "nodes", "partition", "flags", "users",
		"accounts", "licenses", "features", "active" };
	enum { FLAGS = 400 };
	char flags[FLAGS];
	ctl_time start;
	ctl_time end;
	/* As recorded: of listed nodes that are not ALL nothing is said, and the partition is the default
	 * one. */
	const bool all = r->flags & RESV_ALL_NODES;
	const uint32_t part = r->part == CTL_NO_ROW && !all ? c->part_default : r->part;
	resv_range(c, r, &start, &end);
	resv_flags_put(all ? r->flags : r->flags & ~(unsigned)RESV_SPEC_NODES, flags, sizeof(flags));
	const struct sl_figure figure[SL_LEN(columns)] = {
		WORD(r->name),
		NUMBER(ctl_table_state_time_of(c, start)),
		NUMBER(end >= RESV_FAR ? (double)NAN : ctl_table_state_time_of(c, end)),
		WORD(nodes),
		WORD(part < c->part_count ? c->part[part].name : ""),
		WORD(flags),
		WORD(r->users ? r->users : ""),
		WORD(r->accounts ? r->accounts : ""),
		WORD(r->licenses ? r->licenses : ""),
		WORD(r->features ? r->features : ""),
		NUMBER(start <= c->now && c->now < end),
	};
	return table->row(table->self, columns, figure, SL_LEN(figure));
}

static int list_reservations(const struct ctl *c, const struct sl_table_sink *table)
{
	struct names names = { 0 };
	int status = SL_OK;
	for (uint32_t i = 0; i < c->resvs->count && !status; i++) {
		const struct resv *r = &c->resvs->item[i];
		if (r->deleted)
			continue;
		status = names_put(&names, c, r->nodes) ? list_reservation(c, r, names.text, table)
							: SL_SYSTEM;
	}
	names_free(&names);
	return status;
}

/* ---- Partitions ------------------------------------------------------------------------------ */

static int list_partitions(const struct ctl *c, const struct sl_table_sink *table)
{
	static const char *const columns[] = { "name", "state", "max_time", "default_time", "nodes_min",
		"nodes_max", "tier", "job_factor" };
	static const char *const word[] = { [SL_PARTITION_UP] = "UP",
		[SL_PARTITION_DOWN] = "DOWN",
		[SL_PARTITION_DRAIN] = "DRAIN",
		[SL_PARTITION_INACTIVE] = "INACTIVE" };
	int status = SL_OK;
	for (uint32_t i = 0; i < c->part_count && !status; i++) {
		const struct ctl_part *part = &c->part[i];
		const struct sl_figure figure[SL_LEN(columns)] = {
			WORD(part->name),
			WORD(word[part->state]),
			NUMBER(range_of(part->max_time)),
			NUMBER(range_of(part->default_time)),
			NUMBER((double)part->nodes_min),
			NUMBER(part->nodes_max == CTL_NEVER ? (double)NAN : (double)part->nodes_max),
			NUMBER((double)part->tier),
			NUMBER((double)part->job_factor),
		};
		status = table->row(table->self, columns, figure, SL_LEN(figure));
	}
	return status;
}

int ctl_table_state(const struct ctl *c, const char *what, const struct sl_table_sink *table)
{
	if (strcmp(what, "plans") == 0)
		return list_plans(c, table);
	if (strcmp(what, "nodes") == 0)
		return list_nodes(c, table);
	if (strcmp(what, "reservations") == 0)
		return list_reservations(c, table);
	return strcmp(what, "partitions") == 0 ? list_partitions(c, table) : SL_USAGE;
}
