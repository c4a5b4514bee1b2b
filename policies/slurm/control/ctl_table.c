/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_table.c - figures that slurmctld would report to sprio and sshare.
 *
 * - jobs: a row for each job that waits (with CALCULATE_RUNNING: or runs), each of its partitions and each
 *   QOS of its list: its row, the partition, the QOS, its priority, whether sprio lists it, whether it was
 *   set by hand, weighted factors
 * - weights: one row: the weights of the factors
 * - work: one row: backfill passes made, jobs tried and node selection tests in them, for benchmarks
 * - shares: a row for each association, as they stand below each other: accounts, users in them
 *
 * The other tables are ctl_table_state.c's.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/slurm/accounts/ctl_limits.h"
#include "policies/slurm/accounts/ctl_prio.h"

enum { TEXT = 1024 };

#define NUMBER(value) \
	(struct sl_figure) { .text = NULL, .number = (value) }
#define WORD(value) \
	(struct sl_figure) { .text = (value), .number = (double)NAN }

/* ---- Jobs ------------------------------------------------------------------------------------ */

static const char *const job_columns[] = { "job", "partition", "listed", "priority", "direct", "site", "age",
	"assoc", "fairshare", "jobsize", "part", "qos", "nice", "tres", "tres_sum", "tres_norm", "array",
	"qos_name" };

/* "cpu=10,gres/gpu=4": each that weighs something, times its weight, or without it. */
static void put_tres(const struct ctl *c, const struct ctl_factors *of, bool norm, char *text)
{
	size_t len = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < c->tres_count && len < TEXT - 1; i++) {
		const double weight = c->params.weight_tres[i];
		if (!(of->tres[i] > 0) && !(of->tres[i] < 0))
			continue;
		const int wrote =
			snprintf(text + len, TEXT - len, "%s%s=%.*f", len ? "," : "", c->tres[i].name,
				norm ? 2 : 0, norm && weight > 0 ? of->tres[i] / weight : of->tres[i]);
		len += wrote > 0 ? (size_t)wrote : 0;
	}
}

/* Not those that may not be considered yet, nor held ones. */
static bool is_listed(const struct ctl *c, const struct ctl_job *job)
{
	const bool always = c->params.priority_flags & CTL_PRIO_ACCRUE_ALWAYS;
	const ctl_time since = always ? job->submit : job->eligible;
	if (!c->params.multifactor || !job->priority || since == CTL_NONE || since > c->now)
		return false;
	return job->state == CTL_PENDING || c->params.priority_flags & CTL_PRIO_CALCULATE_RUNNING;
}

/* It waits with other tasks of its array as one record. */
static bool in_array(const struct ctl_job *job)
{
	return job->array != CTL_NO_ROW && job->state == CTL_PENDING && !job->alone;
}

/* The first of them stands for all. */
static bool stands(const struct ctl *c, const struct ctl_job *job)
{
	const struct ctl_array *array = in_array(job) ? &c->array[job->array] : NULL;
	for (uint32_t i = 0; array && i < array->count && array->job[i] != job->row; i++)
		if (in_array(&c->job[array->job[i]]))
			return false;
	return true;
}

static int list_job(
	const struct ctl *c, const struct ctl_job *job, uint32_t pair, const struct sl_table_sink *table)
{
	char weighted[TEXT];
	char norm[TEXT];
	const struct ctl_factors *of = &job->factors;
	const uint32_t k = pair % ctl_job_qoses(job);
	const bool several = job->part_count > 1;
	const uint32_t part = several ? job->parts[pair / ctl_job_qoses(job)] : job->part;
	const uint32_t qos = job->qos_count ? job->qoses[k] : job->qos;
	const bool direct = job->direct_priority && job->priority;
	double sum = 0;
	double of_part = of->part;
	put_tres(c, of, false, weighted);
	put_tres(c, of, true, norm);
	for (uint32_t i = 0; i < c->tres_count; i++)
		sum += of->tres[i];
	if (several && !direct)
		of_part = prio_part(c, part);
	const struct sl_figure figure[SL_LEN(job_columns)] = {
		NUMBER(job->row),
		WORD(part < c->part_count ? c->part[part].name : ""),
		NUMBER(is_listed(c, job) && stands(c, job)),
		NUMBER(job->priority_part && ctl_job_pairs(job) > 1 ? job->priority_part[pair]
								    : job->priority),
		NUMBER(direct),
		NUMBER(of->site),
		NUMBER(of->age),
		NUMBER(of->assoc),
		NUMBER(of->fs),
		NUMBER(of->js),
		NUMBER(of_part),
		NUMBER(direct ? of->qos : prio_qos(c, job, k)),
		NUMBER(direct ? 0 : (double)of->nice),
		WORD(weighted),
		NUMBER(sum),
		WORD(norm),
		NUMBER(in_array(job)),
		WORD(qos < c->qos_count ? c->qos[qos].name : ""),
	};
	return table->row(table->self, job_columns, figure, SL_LEN(figure));
}

static int list_list(const struct ctl *c, uint32_t row, const struct sl_table_sink *table)
{
	int status = SL_OK;
	for (; row != CTL_NO_ROW && !status; row = c->job[row].next) {
		const struct ctl_job *job = &c->job[row];
		for (uint32_t i = 0; (i < ctl_job_pairs(job) || !i) && !status; i++)
			status = list_job(c, job, i, table);
	}
	return status;
}

static int list_jobs(const struct ctl *c, const struct sl_table_sink *table)
{
	const int status = list_list(c, c->pending_first, table);
	return status ? status : list_list(c, c->running_first, table);
}

/* ---- Weights --------------------------------------------------------------------------------- */

static int list_weights(const struct ctl *c, const struct sl_table_sink *table)
{
	static const char *const columns[] = { "site", "age", "assoc", "fairshare", "jobsize", "part", "qos",
		"tres", "multifactor", "fair_tree" };
	const struct ctl_params *params = &c->params;
	const char *tres = c->prio->weighs_tres ? prio_conf_text(c, "PriorityWeightTRES") : "";
	const struct sl_figure figure[SL_LEN(columns)] = {
		NUMBER(1),
		/* As they are written, whatever comes of them without slurmdbd. */
		NUMBER((double)c->prio->weight_age),
		NUMBER((double)params->weight_assoc),
		NUMBER((double)c->prio->weight_fs),
		NUMBER((double)params->weight_js),
		NUMBER((double)params->weight_part),
		NUMBER((double)params->weight_qos),
		WORD(tres ? tres : ""),
		NUMBER(params->multifactor),
		NUMBER((params->priority_flags & CTL_PRIO_FAIR_TREE) != 0),
	};
	return table->row(table->self, columns, figure, SL_LEN(figure));
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static const char *const share_columns[] = { "depth", "account", "user", "partition", "id", "raw_shares",
	"norm_shares", "raw_usage", "norm_usage", "effective_usage", "fairshare", "level_fs", "grp_tres_mins",
	"tres_run_mins" };

/* What slurmctld has not calculated yet is not reported. */
static double calculated(const struct ctl *c, uint32_t row, double value)
{
	return row == c->prio->root || !c->prio->runs ? (double)NAN : value;
}

/* Under Fair Tree users alone have one; under the older formula accounts as well. */
static double factor_of(struct ctl *c, uint32_t row)
{
	const struct ctl_assoc *assoc = &c->assoc[row];
	if (c->params.priority_flags & CTL_PRIO_FAIR_TREE)
		return assoc->user ? assoc->fs_factor : (double)NAN;
	if (assoc->user && !c->prio->share[row].known)
		fair_old_usage(c, row);
	return fair_old_factor(c, assoc->usage_efctv, assoc->shares_norm);
}

/* "cpu=10,mem=100": GrpTRESMins. */
static void put_limits(const struct ctl *c, const struct ctl_assoc *assoc, char *text)
{
	size_t len = 0;
	text[0] = '\0';
	for (uint32_t i = 0; assoc->limits && i < c->tres_count && len < TEXT - 1; i++) {
		const int64_t limit = ctl_limit_of(assoc->limits, CTL_GRP_MINS, i);
		const int wrote = limit == CTL_NEVER ? 0
						     : snprintf(text + len, TEXT - len, "%s%s=%" PRId64,
							       len ? "," : "", c->tres[i].name, limit);
		len += wrote > 0 ? (size_t)wrote : 0;
	}
}

/* What is left of the limits of running jobs, in whole minutes; with the TRES that are not counted here,
 * which slurmctld reports as 0. */
static void put_run_mins(const struct ctl *c, const struct ctl_assoc *assoc, char *text)
{
	static const struct {
		uint32_t before;
		const char *names;
	} others[] = { { CTL_TRES_NODE, "energy=0," }, { CTL_TRES_FIRST, "fs/disk=0,vmem=0,pages=0," } };
	size_t len = 0;
	size_t other = 0;
	for (uint32_t i = 0; i < c->tres_count && len < TEXT - 1; i++) {
		const uint64_t seconds = assoc->used && assoc->used->run_secs ? assoc->used->run_secs[i] : 0;
		const bool first = other < SL_LEN(others) && others[other].before == i;
		const int wrote = snprintf(text + len, TEXT - len, "%s%s=%" PRIu64 ",",
			first ? others[other].names : "", c->tres[i].name, seconds / 60);
		other += first;
		len += wrote > 0 ? (size_t)wrote : 0;
	}
	if (other < SL_LEN(others) && len < TEXT - 1)
		len += (size_t)snprintf(text + len, TEXT - len, "%s", others[other].names);
	text[len < TEXT && len ? len - 1 : 0] = '\0';
}

static int list_share(struct ctl *c, uint32_t row, uint32_t depth, const struct sl_table_sink *table)
{
	const struct ctl_assoc *assoc = &c->assoc[row];
	const bool root = row == c->prio->root;
	const double factor = factor_of(c, row);
	char limits[TEXT];
	char run_mins[TEXT];
	put_limits(c, assoc, limits);
	put_run_mins(c, assoc, run_mins);
	const struct sl_figure figure[SL_LEN(share_columns)] = {
		NUMBER(depth),
		WORD(assoc->account),
		WORD(assoc->user ? assoc->user : ""),
		WORD(assoc->partition ? assoc->partition : ""),
		NUMBER(row + 1),
		root                        ? NUMBER((double)NAN)
		: assoc->shares == CTL_NONE ? WORD("parent")
					    : NUMBER((double)assoc->shares),
		NUMBER(assoc->shares_norm),
		NUMBER(floor(assoc->usage_raw)),
		NUMBER(calculated(c, row, assoc->usage_norm)),
		NUMBER(assoc->usage_efctv),
		NUMBER(factor),
		NUMBER(assoc->shares == CTL_NONE ? (double)NAN : calculated(c, row, assoc->level_fs)),
		WORD(limits),
		WORD(run_mins),
	};
	return table->row(table->self, share_columns, figure, SL_LEN(figure));
}

/* Below its own parent, where shares always count; by name, users first. */
static int list_below(struct ctl *c, uint32_t parent, uint32_t depth, const struct sl_table_sink *table)
{
	int status = list_share(c, parent, depth, table);
	for (uint32_t i = 0; i < c->assoc_count && !status; i++) {
		const uint32_t row = c->prio->sibling[i];
		if (c->assoc[row].parent == parent)
			status = c->assoc[row].user ? list_share(c, row, depth + 1, table)
						    : list_below(c, row, depth + 1, table);
	}
	return status;
}

int ctl_show(struct ctl *c, const char *what, const struct sl_table_sink *table, struct sl_err *err)
{
	(void)err;
	if (strcmp(what, "work") == 0)
		return ctl_bf_table(c, table);
	ctl_prio_until(c, c->now);
	if (strcmp(what, "jobs") == 0)
		return list_jobs(c, table);
	if (strcmp(what, "weights") == 0)
		return list_weights(c, table);
	if (strcmp(what, "shares") != 0)
		return ctl_table_state(c, what, table);
	return c->prio->root == CTL_NO_ROW ? SL_OK : list_below(c, c->prio->root, 0, table);
}
