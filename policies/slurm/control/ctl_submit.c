/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctl_submit.c - submission of a batch job (job_allocate and what it calls), in its order:
 *
 * 1. Refused, with no id used up: an unknown partition, one that accepts no jobs (DRAIN, INACTIVE), an
 *    account or QOS that is not known, a limit on submissions, licences that there are not, a
 *    reservation that it may not use, and, where EnforcePartLimits says so, the partition's limits.
 * 2. Whether it is eligible (ctl_independent); then its priority, which may depend on that.
 * 3. A test of where it could run, never a start (CLAUSES.md 1.1): what no node has is refused now; what the
 *    partition does not allow waits with PartitionConfig until a pass says what it is.
 *
 * An array's tasks are refused together. So are the components of a heterogeneous job, which are submitted
 * one after another (_slurm_rpc_submit_batch_het_job()): what one is refused for, all are.
 */
#include "policies/slurm/control/ctl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void ctl_submit_refuse(struct ctl *c, struct ctl_job *job, const char *why)
{
	job->state = CTL_ENDED;
	job->ended_as = SL_CANCELLED;
	job->end = c->now;
	const struct order_by was = ctl_cause(c, SL_RULE_REFUSED, CTL_NO_ROW);
	ctl_order(c, job, ORDER_REFUSE, why);
	c->engine.cause = was;
}

/* ---- Partitions ------------------------------------------------------------------------------------- */

/* The names of a list "a,b" in any case; false: not among them. */
bool ctl_is_among(const char *list, const char *name)
{
	const size_t wanted = name ? strlen(name) : 0;
	for (const char *at = list; wanted && at && *at;) {
		const size_t len = strcspn(at, ",");
		if (len == wanted && strncasecmp(at, name, len) == 0)
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

/* Allow... or else Deny...; ALL is every one. */
static bool may(const char *allowed, const char *denied, const char *name)
{
	if (allowed && strcasecmp(allowed, "ALL") != 0)
		return ctl_is_among(allowed, name);
	return !denied || !ctl_is_among(denied, name);
}

/* part_policy_valid_acct(): the job's account by its name; from 23.02 on it or one above it, and only where
 * associations are enforced. */
static bool account_allowed(const struct ctl *c, const struct ctl_job *job, const struct ctl_part *part)
{
	if (c->params.version < CTL_23_02)
		return may(part->allow_accounts, part->deny_accounts,
			job->assoc != CTL_NO_ROW ? c->assoc[job->assoc].account : job->account);
	if (!c->params.enforce_assoc || job->assoc >= c->assoc_count)
		return true;
	const bool allows = part->allow_accounts && strcasecmp(part->allow_accounts, "ALL") != 0;
	const char *list = allows ? part->allow_accounts : part->deny_accounts;
	bool listed = false;
	for (uint32_t a = job->assoc; list && a < c->assoc_count && !listed; a = c->assoc[a].parent)
		listed = ctl_is_among(list, c->assoc[a].account);
	return !list || listed == allows;
}

static bool part_says(const struct ctl *c, const struct ctl_part *part, const char *key)
{
	const char *text = sl_setting_of(c->cluster, "partition", part->name, key);
	return text && strcasecmp(text, "YES") == 0;
}

/* Until 23.02 let them wait under EnforcePartLimits=NO, groups that are not let in were refused; but in a
 * list of partitions (_valid_job_part()) the check then stops at that one, and the job waits. */
static bool group_refused(const struct ctl *c, const struct ctl_job *job, const struct ctl_part *part)
{
	return c->params.version < CTL_23_02 && !ctl_groups_allow(job, part) &&
	       (job->part_count == 1 || c->params.enforce_part_limits);
}

/* What _part_access_check() refuses whatever EnforcePartLimits says; NULL: nothing. Who submitted a job
 * without a user is not known. */
static const char *no_access(const struct ctl *c, const struct ctl_job *job)
{
	const bool root = strcmp(job->user_name, "root") == 0;
	const char *resv = job->desc.desc ? job->desc.desc->reservation : NULL;
	for (uint32_t i = 0; i < job->part_count; i++) {
		const struct ctl_part *part = &c->part[job->parts[i]];
		if (part_says(c, part, "ReqResv") && (!resv || !*resv))
			return "Access/permission denied";
		if (part->spec->root_only && !root && strcmp(job->user_name, "unknown") != 0)
			return "Access/permission denied";
		if (part_says(c, part, "DisableRootJobs") && root)
			return "Invalid user id";
		if (group_refused(c, job, part))
			return "User's group not permitted to use this partition";
	}
	return NULL;
}

static enum sl_reason sizes_allowed(
	const struct ctl *c, const struct ctl_job *job, const struct ctl_part *part)
{
	const unsigned flags = job->qos != CTL_NO_ROW ? c->qos[job->qos].flags : 0;
	const bool too_many = job->nodes_min > part->nodes_max && !(flags & CTL_QOS_PARTITION_MAX_NODES);
	const bool too_few = job->nodes_max < part->nodes_min && !(flags & CTL_QOS_PARTITION_MIN_NODES);
	if (too_many || too_few)
		return SL_REASON_PARTITION_NODES;
	const int64_t limit = job->time_min != CTL_NONE ? job->time_min : job->time_limit;
	if (limit > part->max_time && !(flags & CTL_QOS_PARTITION_TIME_LIMIT))
		return SL_REASON_PARTITION_TIME;
	return SL_REASON_NONE;
}

/* _valid_pn_min_mem() */
static bool exceeds_memory(const struct ctl *c, const struct ctl_job *job, uint32_t row)
{
	struct select_job desc = job->desc;
	struct select_wants wants;
	if (!c->part[row].mem_capped)
		return false;
	desc.partition = row;
	select_wants(c->select, &desc, &wants);
	return wants.mem_over;
}

/* job_limits_check(). DRAIN schedules what it has. */
enum sl_reason ctl_part_allows(const struct ctl *c, const struct ctl_job *job, uint32_t row)
{
	const struct ctl_part *part = &c->part[row];
	const enum sl_reason size = sizes_allowed(c, job, part);
	if (size != SL_REASON_NONE)
		return size;
	if (part->state == SL_PARTITION_DOWN)
		return SL_REASON_PARTITION_DOWN;
	if (part->state == SL_PARTITION_INACTIVE)
		return SL_REASON_PARTITION_INACTIVE;
	if (!ctl_groups_allow(job, part)) /* 23.02 leaves it to select_nodes() where no limit is enforced. */
		return c->params.version < CTL_23_02 || c->params.enforce_part_limits
			       ? SL_REASON_PARTITION_CONFIG
			       : SL_REASON_ACCOUNT;
	if (!account_allowed(c, job, part))
		return SL_REASON_ACCOUNT;
	if (!may(part->allow_qos, part->deny_qos, job->qos == CTL_NO_ROW ? NULL : c->qos[job->qos].name))
		return SL_REASON_QOS;
	return exceeds_memory(c, job, row) ? SL_REASON_MEM_LIMIT : SL_REASON_NONE;
}

int64_t ctl_limit_in(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	const int64_t most = c->part[part].max_time;
	return job->time_limit < most ? job->time_limit : most;
}

/* Of a list of QOS the partition has to allow all (_qos_part_check()). */
static bool allows_each_qos(const struct ctl *c, const struct ctl_job *job, uint32_t part)
{
	struct ctl_job with = *job;
	bool allowed = true;
	for (uint32_t k = 0; k < ctl_job_qoses(job) && allowed; k++) {
		with.qos = job->qos_count ? job->qoses[k] : job->qos;
		allowed = ctl_part_allows(c, &with, part) == SL_REASON_NONE;
	}
	return allowed;
}

/* EnforcePartLimits: NO, ANY of its partitions has to allow it, or ALL. */
static bool parts_allow(const struct ctl *c, const struct ctl_job *job)
{
	uint32_t allowed = 0;
	for (uint32_t i = 0; i < job->part_count; i++)
		allowed += allows_each_qos(c, job, job->parts[i]) &&
			   job->nodes_min <= c->part[job->parts[i]].node_count;
	return !c->params.enforce_part_limits || allowed == job->part_count ||
	       (c->params.enforce_part_limits == 1 && allowed);
}

static bool takes_jobs(const struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < job->part_count; i++)
		if (c->part[job->parts[i]].state == SL_PARTITION_UP ||
			c->part[job->parts[i]].state == SL_PARTITION_DOWN)
			return true;
	return false;
}

/* ---- Refused at once -------------------------------------------------------------------------------- */

/* What a heterogeneous job may not have. */
static const char *component_refusal(const struct ctl *c, const struct ctl_job *job)
{
	const char *licenses = job->desc.desc ? job->desc.desc->licenses : NULL;
	if (c->params.builtin)
		return "Requested operation not supported on this system"; /* Without sched/backfill. */
	if (job->more->array != SL_NONE)
		return "Invalid job array specification";
	return job->het_offset && licenses && *licenses ? "Invalid license specification" : NULL;
}

/* As sbatch says it; NULL: nothing speaks against the job. */
static const char *refusal(struct ctl *c, struct ctl_job *const *all, uint32_t count)
{
	struct ctl_job *job = all[0];
	const char *component = job->het ? component_refusal(c, job) : NULL;
	if (component)
		return component;
	if (!job->part_count)
		return "Invalid partition name specified";
	if (!takes_jobs(c, job))
		return "Required partition not available (inactive or drain)";
	if (ctl_expedite_refused(c, job))
		return "Requested operation is presently disabled";
	const char *access = no_access(c, job);
	if (access)
		return access;
	if (!parts_allow(c, job))
		return exceeds_memory(c, job, job->parts[0])
			       ? "Memory required by task is not available"
			       : "Requested partition configuration not available now";
	for (uint32_t i = 0; i < count; i++) /* Each task has licences and a reservation of its own. */
		if (!ctl_license_known(c, all[i]))
			return "Invalid license specification";
		else if (ctl_resv_submit(c, all[i]) != SL_REASON_NONE)
			return "Access denied to requested reservation";
	return NULL;
}

/* ---- Could it ever run? ------------------------------------------------------------------------------ */

/* Beyond a partition's limits. 22.05 leaves it at that; 24.11 asks select_nodes() all the same
 * (_select_nodes_base), which refuses what no nodes could run: more nodes than the partition has, too, until
 * 25.11 let them wait. Node counts and accounts are limits to select_nodes() itself (get_node_cnts). */
static enum ctl_status could_run_beyond(
	struct ctl *c, struct ctl_job *job, uint32_t part, enum sl_reason allowed)
{
	if (c->params.version < CTL_24_11 || allowed == SL_REASON_PARTITION_NODES ||
		allowed == SL_REASON_ACCOUNT || allowed == SL_REASON_QOS ||
		allowed == SL_REASON_PARTITION_CONFIG)
		return CTL_PART_CONFIG;
	if (job->nodes_min > c->part[part].node_count)
		return c->params.version >= CTL_25_11 ? CTL_PART_CONFIG : CTL_NODE_CONFIG;
	return ctl_place_ever(c, job, part);
}

static enum ctl_status could_run_in(struct ctl *c, struct ctl_job *job, uint32_t part)
{
	const enum sl_reason allowed = ctl_part_allows(c, job, part);
	if (allowed == SL_REASON_PARTITION_DOWN || allowed == SL_REASON_PARTITION_INACTIVE)
		return CTL_PARTITION_NOT_AVAIL;
	if (allowed != SL_REASON_NONE || job->nodes_min > c->part[part].node_count)
		return could_run_beyond(c, job, part, allowed);
	return ctl_place_ever(c, job, part);
}

/* The best that any of its partitions says, with any QOS of its list (_select_nodes_parts). It stays with
 * that QOS until a pass tries it. */
static enum ctl_status could_run(struct ctl *c, struct ctl_job *job)
{
	enum ctl_status status = CTL_NODE_CONFIG;
	for (uint32_t i = 0; i < ctl_job_pairs(job); i++) {
		if (job->qos_count)
			job->qos = job->qoses[i % job->qos_count];
		const enum ctl_status one = could_run_in(c, job, job->parts[i / ctl_job_qoses(job)]);
		if (one != CTL_NODE_CONFIG && one != CTL_PART_CONFIG && one != CTL_PARTITION_NOT_AVAIL)
			return CTL_OK;
		status = status == CTL_NODE_CONFIG ? one : status;
	}
	return status;
}

/* One that each of its partitions' limits keep is tested for whether it could ever run, not for now. */
static bool is_allowed(const struct ctl *c, const struct ctl_job *job)
{
	for (uint32_t i = 0; i < job->part_count; i++)
		if (ctl_part_allows(c, job, job->parts[i]) == SL_REASON_NONE)
			return true;
	return false;
}

/* Why it waits, before any pass has tried it. */
static void first_reason(struct ctl *c, struct ctl_job *job, enum ctl_status status, enum sl_reason tested)
{
	if (job->reason != SL_REASON_NONE)
		return;
	if (tested != SL_REASON_NONE)
		ctl_set_reason(c, job, tested);
	else if (status == CTL_PARTITION_NOT_AVAIL)
		ctl_set_reason(c, job, ctl_part_allows(c, job, job->part));
	else if (status == CTL_PART_CONFIG)
		ctl_set_reason(c, job, SL_REASON_PARTITION_CONFIG);
}

/* ---- Submission ---------------------------------------------------------------------------------------- */

/* It is known from now on, and in the list of what waits. */
static void ctl_submit_enter(struct ctl *c, struct ctl_job *job)
{
	job->state = CTL_PENDING;
	job->submit = c->now;
	ctl_list_add(c, job);
	c->job_changes++;
	if (job->more->held || (job->begin != CTL_NONE && job->begin <= c->now))
		job->begin = CTL_NONE; /* Held: until it is released (ctl_command). */
	job->priority = 1;             /* To be set: it may be eligible. */
	if (job->more->held)
		ctl_hold(c, job, true);
}

/* Tasks of an array are one record: they have one priority. */
static void give_priority(struct ctl *c, struct ctl_job *job, const struct ctl_job *head)
{
	if (!job->priority)
		return; /* It is held. */
	if (head && head->state == CTL_PENDING && head->priority) {
		job->priority = head->priority;
		job->priority_part = head->priority_part;
		job->factors = head->factors;
	} else {
		job->priority = 0;
		ctl_prio_submit(c, job);
	}
}

/* Limits on submissions; finds its association and QOS. The array's earliest row is asked for all of them. */
static const char *limited(struct ctl *c, struct ctl_job *const *job, uint32_t count)
{
	uint32_t first = 0;
	for (uint32_t i = 1; i < count; i++)
		first = job[i]->row < job[first]->row ? i : first;
	enum sl_reason reason = ctl_limits_submit(c, job[first]);
	for (uint32_t i = 0; i < count && reason == SL_REASON_NONE; i++)
		if (i != first)
			reason = ctl_limits_submit(c, job[i]);
	return reason == SL_REASON_NONE ? NULL : sl_reason_name(reason);
}

/* They are known, and none of them is to be. */
static void ctl_submit_withdraw(struct ctl *c, struct ctl_job *const *job, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (job[i]->state != CTL_PENDING)
			continue; /* What it depends on can no longer be. */
		ctl_list_drop(c, job[i]);
		ctl_limits_submitted(c, job[i], false);
		ctl_limits_accrued(c, job[i]);
		job[i]->state = CTL_NOT_SUBMITTED;
	}
}

/* They wait from now on; or, not NULL, why none of them does. */
static const char *take_in(struct ctl *c, struct ctl_job *const *job, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ctl_job_asks(c, job[i]);
	const char *why = job[0]->part_count ? limited(c, job, count) : NULL;
	if (!why)
		why = refusal(c, job, count);
	if (why)
		return why;
	for (uint32_t i = 0; i < count; i++) {
		ctl_job_asks(c, job[i]); /* Its licences are known by now. */
		ctl_limits_submitted(c, job[i], true);
		ctl_submit_enter(c, job[i]);
		(void)ctl_independent(c, job[i]);
		if (job[i]->state == CTL_PENDING)
			give_priority(c, job[i], i ? job[0] : NULL);
	}
	const enum ctl_status status = could_run(c, job[0]);
	const bool tested = status == CTL_OK && job[0]->state == CTL_PENDING &&
			    job[0]->reason == SL_REASON_NONE && is_allowed(c, job[0]);
	const enum sl_reason first = tested ? ctl_place_first(c, job[0]) : SL_REASON_NONE;
	for (uint32_t i = 1; i < count && job[0]->qos_count; i++)
		job[i]->qos = job[0]->qos; /* Tasks of an array are one record. */
	if (status == CTL_NODE_CONFIG) {
		ctl_submit_withdraw(c, job, count);
		return "Requested node configuration is not available";
	}
	for (uint32_t i = 0; i < count; i++)
		if (job[i]->state == CTL_PENDING)
			first_reason(c, job[i], status, first);
	return NULL;
}

static void refuse_all(struct ctl *c, struct ctl_job *const *job, uint32_t count, const char *why)
{
	for (uint32_t i = 0; i < count; i++)
		if (job[i]->state != CTL_ENDED)
			ctl_submit_refuse(c, job[i], why);
}

/* They were all submitted by one call. */
static void submit_together(struct ctl *c, struct ctl_job *const *job, uint32_t count)
{
	SL_CHECK(count > 0);
	const char *why = take_in(c, job, count);
	if (why)
		refuse_all(c, job, count, why);
	else
		ctl_want_batch_pass(c);
}

/* ---- Heterogeneous jobs -------------------------------------------------------------------------------- */

/* acct_policy_validate_het_job(): components of one association against its limits, and those of their QOS,
 * as if they were one job. */
static const char *limited_whole(struct ctl *c, struct ctl_job *const *job, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int64_t tres[CTL_TRES_MAX];
		uint32_t alike = 0;
		memset(tres, 0, sizeof(tres));
		for (uint32_t k = 0; k < count; k++) {
			if (job[k]->assoc != job[i]->assoc || job[k]->assoc == CTL_NO_ROW)
				continue;
			alike++;
			for (uint32_t t = 0; t < c->tres_count; t++)
				tres[t] += job[k]->tres_asked[t];
		}
		const enum sl_reason reason =
			alike > 1 ? ctl_limits_submit_whole(c, job[i], tres) : SL_REASON_NONE;
		if (reason != SL_REASON_NONE)
			return sl_reason_name(reason);
	}
	return NULL;
}

static void submit_components(struct ctl *c, const struct ctl_het *het)
{
	struct ctl_job **job = malloc(het->count * sizeof(struct ctl_job *));
	const char *why = NULL;
	if (!job) {
		controller_no_memory(&c->engine);
		return;
	}
	for (uint32_t k = 0; k < het->count; k++)
		job[k] = ctl_het_component(c, het, k);
	for (uint32_t k = 0; k < het->count && !why; k++)
		why = take_in(c, &job[k], 1);
	if (!why && c->params.enforce_limits)
		why = limited_whole(c, job, het->count);
	if (why) {
		ctl_submit_withdraw(c, job, het->count);
		refuse_all(c, job, het->count, why);
	} else {
		ctl_want_batch_pass(c);
	}
	free(job);
}

/* With all tasks of its array that arrive at the same moment, or all components. */
void ctl_submit(struct ctl *c, struct ctl_job *job)
{
	if (job->state != CTL_NOT_SUBMITTED)
		return;
	if (job->het) {
		submit_components(c, job->het);
		return;
	}
	if (job->array == CTL_NO_ROW) {
		submit_together(c, &job, 1);
		return;
	}
	const struct ctl_array *array = &c->array[job->array];
	struct ctl_job **task = malloc(array->count * sizeof(struct ctl_job *));
	uint32_t count = 0;
	if (!task) {
		controller_no_memory(&c->engine);
		return;
	}
	for (uint32_t i = 0; i < array->count; i++) {
		struct ctl_job *one = &c->job[array->job[i]];
		if (one->state == CTL_NOT_SUBMITTED && c->jobs->submit[one->row] == c->jobs->submit[job->row])
			task[count++] = one;
	}
	submit_together(c, task, count);
	free(task);
}
