/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_scontrol.c - scontrol show: jobs, nodes, partitions, reservations, the configuration, lists of hosts.
 *
 * Lines and keys stand as Slurm 22.05 prints them; with -o an entity is one line. A view only reads: keywords
 * that would change anything are refused.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/moment/view.h"

struct control {
	struct view view;
	bool one_line, details;
	struct cell cell;
	bool line_begun; /* Of the entity that is written. */
};

/* ---- Writing ------------------------------------------------------------------------------- */

/* The first line of an entity stands at the margin, others behind three blanks; with -o all in one. */
static void next_line(struct control *control)
{
	if (control->line_begun)
		printf(control->one_line ? " " : "\n   ");
	control->line_begun = true;
}

/* What begins a line. */
SL_PRINTF(2, 3)
static void view_scontrol_say(struct control *control, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	next_line(control);
	(void)vprintf(format, args);
	va_end(args);
}

static void end_entity(struct control *control)
{
	printf(control->one_line ? "\n" : "\n\n");
	control->line_begun = false;
}

/* What was written into the cell, or this. */
static const char *cell_or(struct control *control, const char *none)
{
	return control->cell.len ? control->cell.text : none;
}

/* What that function puts of it, for one call of printf. */
#define DISPLAYED(control, put, ...)                                                         \
	(cell_clear(&(control)->cell), put(&(control)->cell, &(control)->view, __VA_ARGS__), \
		cell_or(control, ""))

static const char *or_null(const char *text) { return text ? text : "(null)"; }

static void print_time(struct control *control, const char *key, sl_time time, const char *none)
{
	cell_clear(&control->cell);
	if (time != SL_NONE)
		put_date(&control->cell, &control->view, time);
	printf("%s=%s", key, cell_or(control, none));
}

static void print_range(struct control *control, const char *key, sl_time range, const char *none)
{
	cell_clear(&control->cell);
	if (range != SL_NONE && range < SL_TIME_MOST)
		put_range(&control->cell, seconds_of(range), true);
	printf("%s=%s", key, cell_or(control, none));
}

static void print_nodes(struct control *control, const char *key, const uint32_t *node, size_t count)
{
	cell_clear(&control->cell);
	put_nodes(&control->cell, &control->view, node, count);
	printf("%s=%s", key, cell_or(control, "(null)"));
}

/* A count that may be without limit. */
static void print_bound(const char *key, int64_t value)
{
	if (value == SL_NONE || value == SL_NEVER)
		printf("%s=UNLIMITED", key);
	else
		printf("%s=%" PRId64, key, value);
}

static const char *yes_no(bool is) { return is ? "YES" : "NO"; }

/* ---- Jobs ------------------------------------------------------------------------------------- */

static void job_head(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_job_attributes *more = view_more(view, job);
	struct cell *cell = &control->cell;
	view_scontrol_say(control, "JobId=%s ", DISPLAYED(control, put_job_raw, job));
	if (view_array(view, job) != SL_NONE)
		printf("ArrayJobId=%" PRId64 " ArrayTaskId=%" PRId64 " ", view_array(view, job),
			more->array_task);
	printf("JobName=%s", or_null(more->name));
	cell_clear(cell);
	put_user(cell, view, job, "unknown");
	/* A user is known by name or by number, not both: 4294967294 is Slurm's number of nobody known. */
	view_scontrol_say(control, "UserId=%s(%s) GroupId=(null)(4294967294) MCS_label=N/A", cell->text,
		view->jobs->user_count ? "4294967294" : cell->text);
	view_scontrol_say(control, "Priority=%" PRIu32 " Nice=%" PRId64 " Account=%s QOS=%s",
		view->priority[job], more->nice != SL_NONE ? more->nice : 0,
		DISPLAYED(control, put_account, job, "(null)"), or_null(view_qos(view, job)));
}

static void job_state(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_job_attributes *more = view_more(view, job);
	const enum sl_state state = view_state(view, job);
	const struct sl_attempt *attempt;
	const size_t attempts = sl_attempts_of(view->result, job, &attempt);
	view_scontrol_say(control, "JobState=%s Reason=%s Dependency=%s", view_state_word(view, job, false),
		state == SL_PENDING ? sl_reason_name(view_reason(view, job)) : "None",
		or_null(more->dependency && *more->dependency ? more->dependency : NULL));
	view_scontrol_say(control, "Requeue=%d Restarts=%zu BatchFlag=1 Reboot=0 ExitCode=%s",
		more->requeue == 0 ? 0 : 1, attempts ? attempts - 1 : 0,
		more->exit_code && more->state_recorded == state ? more->exit_code : "0:0");
	next_line(control);
	print_range(control, "RunTime", view_ran(view, job), "00:00:00");
	print_range(control, " TimeLimit", view_limit(view, job), "UNLIMITED");
	print_range(control, " TimeMin", more->time_min, "N/A");
}

static void job_times(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_job_attributes *more = view_more(view, job);
	const bool waits = view_state(view, job) == SL_PENDING;
	const sl_time promise = waits && view->promise ? view->promise[job] : SL_NONE;
	const sl_time start = waits ? promise : view_start(view, job);
	const sl_time end = view_ended(view, job) ? view->result->end[job] : view_limit_end(view, job);
	next_line(control);
	print_time(control, "SubmitTime", view_submit(view, job), "Unknown");
	print_time(control, " EligibleTime", view_eligible(view, job), "Unknown");
	next_line(control);
	print_time(control, "AccrueTime", view_accrues(view, job), "Unknown");
	next_line(control);
	print_time(control, "StartTime", start, "Unknown");
	print_time(control, " EndTime", waits ? SL_NONE : end, "Unknown");
	print_time(control, " Deadline", more->deadline, "N/A");
	view_scontrol_say(control, "SuspendTime=None SecsPreSuspend=0 LastSchedEval=N/A Scheduler=%s",
		view->result->policy);
}

static void job_place(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_job_desc *desc = view_desc(view, job);
	const struct view_place place = view->place[job];
	struct cell *cell = &control->cell;
	view_scontrol_say(
		control, "Partition=%s AllocNode:Sid=(null):0", DISPLAYED(control, put_partition, job));
	view_scontrol_say(control, "ReqNodeList=%s ExcNodeList=%s", or_null(desc ? desc->nodelist : NULL),
		or_null(desc ? desc->exclude : NULL));
	cell_clear(cell);
	put_place(cell, view, place);
	view_scontrol_say(control, "NodeList=%s", cell_or(control, "(null)"));
	if (view->planned && view->planned[job].count && view_state(view, job) == SL_PENDING) {
		cell_clear(cell);
		put_place(cell, view, view->planned[job]);
		printf(" SchedNodeList=%s", cell_or(control, "(null)"));
	}
	if (!place.count)
		return;
	next_line(control);
	print_nodes(control, "BatchHost", &place.alloc[0].node, 1);
}

static void job_size(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_request *request = view_request(view, job);
	const struct sl_job_desc *desc = view_desc(view, job);
	const int64_t parts = sl_parts(view->cluster->cpu_parts);
	int64_t tasks = request ? 0 : view_job_cpus(view, job);
	int64_t cpus = request && request->group_count ? request->group[0].task.cpus : parts;
	for (uint32_t i = 0; request && i < request->group_count; i++)
		tasks += desc ? view_tasks_asked(&desc[i]) : request->group[i].tasks;
	if (desc)
		cpus = (desc->cpus_per_task > 0 ? desc->cpus_per_task : 1) * parts;
	view_scontrol_say(control,
		"NumNodes=%" PRId64 " NumCPUs=%s NumTasks=%" PRId64 " CPUs/Task=%s ReqB:S:C:T=0:0:*:*",
		view_job_nodes(view, job), view_cpus(view, view_job_cpus(view, job)).text, tasks,
		view_cpus(view, cpus).text);
	view_scontrol_say(control, "TRES=%s", DISPLAYED(control, put_tres, job, false));
	view_scontrol_say(control, "Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*");
}

/* -d: its allocation on each node. */
static void job_details(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct view_place place = view->place[job];
	const enum sl_state state = sl_state_reported(view->result, job);
	if (!control->details || (state != SL_RUNNING && state != SL_SUSPENDED))
		return;
	for (size_t i = 0; i < place.count; i++) {
		const uint32_t node = place.alloc[i].node;
		struct view_node held;
		if (i && node == place.alloc[i - 1].node)
			continue;
		view_holds(view, job, node, &held);
		next_line(control);
		print_nodes(control, "  Nodes", &node, 1);
		printf(" NumCPUs=%s Mem=%" PRId64 " GRES=", view_cpus(view, held.cpus_busy).text,
			held.mem_busy);
		if (held.gpus_busy)
			printf("gpu:%s", view_gpus(view, held.gpus_busy).text);
	}
}

static void job_asks(struct control *control, uint32_t job)
{
	const struct view *view = &control->view;
	const struct sl_job_desc *desc = view_desc(view, job);
	const struct sl_request *request = view_request(view, job);
	const struct sl_job_attributes *more = view_more(view, job);
	struct cell *cell = &control->cell;
	const bool per_cpu = view_is_mem_a_cpu(view, job);
	const bool alone = request && request->group_count && request->group[0].exclusive;
	view_scontrol_say(control, "MinCPUsNode=%" PRId64 " %s=%s MinTmpDiskNode=%" PRId64,
		desc && desc->cpus_min != SL_NONE ? desc->cpus_min : 1,
		per_cpu ? "MinMemoryCPU" : "MinMemoryNode", DISPLAYED(control, put_min_mem, job),
		desc && desc->tmp != SL_NONE ? desc->tmp : 0);
	view_scontrol_say(control, "Features=%s DelayBoot=00:00:00", or_null(desc ? desc->constraint : NULL));
	if (desc && desc->reservation) {
		view_scontrol_say(control, "Reservation=%s", desc->reservation);
	}
	view_scontrol_say(control, "OverSubscribe=%s Contiguous=%d Licenses=%s Network=(null)",
		alone                         ? "NO"
		: desc && desc->oversubscribe ? "YES"
					      : "OK",
		desc && desc->contiguous, or_null(desc ? desc->licenses : NULL));
	view_scontrol_say(control, "Command=%s", or_null(more->submit_line));
	view_scontrol_say(control, "WorkDir=(null)");
	cell_clear(cell);
	put_tres_per_node(cell, view, job, "");
	view_scontrol_say(control, "Power=");
	if (cell->len) {
		view_scontrol_say(control, "TresPerNode=%s", cell->text);
	}
	next_line(control); /* An empty line of its own stands behind the last. */
}

static int show_jobs(
	struct control *control, const char *id, const struct view_call *call, struct sl_err *err)
{
	struct view_list list = { 0 };
	const struct view *view = &control->view;
	bool found = false;
	const int status = id ? view_list(&list, id, call->arena, err) : SL_OK;
	if (status)
		return status;
	for (uint32_t job = 0; job < view->submitted; job++) {
		if (!list_has_job(&list, view, job))
			continue;
		found = true;
		job_head(control, job);
		job_state(control, job);
		job_times(control, job);
		job_place(control, job);
		job_size(control, job);
		job_details(control, job);
		job_asks(control, job);
		end_entity(control);
	}
	if (!found && id)
		return view_refuse("slurm_load_jobs error", err, "Invalid job id specified");
	if (!found)
		printf("No jobs in the system\n");
	return SL_OK;
}

/* ---- Nodes -------------------------------------------------------------------------------------- */

static const char *base_word(uint32_t state)
{
	static const char *const word[VIEW_BASE + 1] = { [VIEW_DOWN] = "DOWN",
		[VIEW_IDLE] = "IDLE",
		[VIEW_ALLOCATED] = "ALLOCATED",
		[VIEW_MIXED] = "MIXED",
		[VIEW_FUTURE] = "FUTURE" };
	const char *found = word[state & VIEW_BASE];
	return found ? found : "UNKNOWN";
}

static void print_state(uint32_t state)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} flags[] = {
		{ VIEW_DRAIN, "+DRAIN" },
		{ VIEW_MAINT, "+MAINTENANCE" },
		{ VIEW_RESERVED, "+RESERVED" },
		{ VIEW_FAIL, "+FAIL" },
		{ VIEW_POWERED_DOWN, "+POWERED_DOWN" },
		{ VIEW_POWERING_UP, "+POWERING_UP" },
		{ VIEW_POWERING_DOWN, "+POWERING_DOWN" },
		{ VIEW_SILENT, "*" },
		{ VIEW_PLANNED, "+PLANNED" },
	};
	printf("State=%s", base_word(state));
	for (size_t i = 0; i < SL_LEN(flags); i++)
		printf("%s", state & flags[i].flag ? flags[i].word : "");
}

static void node_head(struct control *control, uint32_t row)
{
	const struct view *view = &control->view;
	const struct view_node *node = &view->node[row];
	const struct sl_hardware hardware = view_hardware(view, row);
	struct cell *cell = &control->cell;
	view_scontrol_say(control, "NodeName=%s CoresPerSocket=%" PRIu32, view->cluster->node_name[row],
		view_cores(view, row));
	next_line(control);
	const int64_t kept =
		(int64_t)hardware.cores_kept * hardware.threads * sl_parts(view->cluster->cpu_parts);
	printf("CPUAlloc=%s CPUEfctv=%s CPUTot=%s CPULoad=N/A", view_cpus(view, node->cpus_busy).text,
		view_cpus(view, node->cpus).text, view_cpus(view, node->cpus + kept).text);
	view_scontrol_say(control, "AvailableFeatures=%s", DISPLAYED(control, put_features, row));
	view_scontrol_say(control, "ActiveFeatures=%s", cell->text);
	view_scontrol_say(control, "Gres=%s", DISPLAYED(control, put_gres, row, false));
	if (control->details) {
		view_scontrol_say(control, "GresUsed=%s", DISPLAYED(control, put_gres, row, true));
	}
	view_scontrol_say(control, "NodeAddr=%s NodeHostName=%s", view->cluster->node_name[row],
		view->cluster->node_name[row]);
}

static void print_tres(struct control *control, const char *key, int64_t cpus, int64_t mem, int64_t gpus)
{
	view_scontrol_say(control, "%s=", key);
	if (!cpus && !mem && !gpus)
		return;
	cell_clear(&control->cell);
	if (mem) {
		cell_put(&control->cell, ",mem=");
		put_mem(&control->cell, mem);
	}
	const struct amount billed = view_cpus(&control->view, cpus);
	printf("cpu=%s%s", billed.text, cell_or(control, ""));
	if (strcmp(key, "CfgTRES") == 0)
		printf(",billing=%s", billed.text);
	if (gpus)
		printf(",gres/gpu=%s", view_gpus(&control->view, gpus).text);
}

static void node_rest(struct control *control, uint32_t row)
{
	const struct view *view = &control->view;
	const struct view_node *node = &view->node[row];
	const struct sl_hardware hardware = view_hardware(view, row);
	const char *before = "";
	view_scontrol_say(control,
		"RealMemory=%" PRId64 " AllocMem=%" PRId64 " FreeMem=N/A Sockets=%" PRIu32 " Boards=%" PRIu32,
		node->mem ? node->mem + hardware.mem_kept : 1, node->mem_busy, hardware.sockets,
		hardware.boards);
	next_line(control);
	print_state(node->state);
	printf(" ThreadsPerCore=%" PRIu32 " TmpDisk=%" PRId64 " Weight=%" PRId64 " Owner=N/A MCS_label=N/A",
		hardware.threads, hardware.tmp_disk, hardware.weight);
	view_scontrol_say(control, "Partitions=");
	for (uint32_t i = 0; i < view->partition_count; i++) {
		if (!rows_have(view->partition[i].node, view->partition[i].node_count, row))
			continue;
		printf("%s%s", before, view->partition[i].name);
		before = ",";
	}
	view_scontrol_say(control, "BootTime=None SlurmdStartTime=None");
	print_tres(control, "CfgTRES", node->cpus, node->mem, node->gpus);
	print_tres(control, "AllocTRES", node->cpus_busy, node->mem_busy, node->gpus_busy);
	if (node->reason) {
		view_scontrol_say(control, "Reason=%s", node->reason);
	}
}

static int show_nodes(struct control *control, const char *name, struct sl_err *err)
{
	bool *host;
	bool found = false;
	const struct view *view = &control->view;
	const int status = view_hosts(view, name, &host, err);
	if (status)
		return status;
	for (uint32_t node = 0; node < view->cluster->node_count; node++) {
		if (host && !host[node])
			continue;
		found = true;
		node_head(control, node);
		node_rest(control, node);
		end_entity(control);
	}
	if (!found && name)
		return view_refuse("scontrol", err, "Node %s not found", name);
	if (!found)
		printf("No nodes in the system: a counted pool of %" PRIu32 " cpus\n", view->node_count);
	return SL_OK;
}

/* ---- Partitions ------------------------------------------------------------------------------------ */

static const char *setting_or(
	const struct view *view, const char *partition, const char *key, const char *none)
{
	const char *value = sl_setting_of(view->cluster, "partition", partition, key);
	return value ? value : none;
}

static void partition_head(struct control *control, const struct view_partition *partition)
{
	const struct view *view = &control->view;
	const struct sl_partition *spec = partition->spec;
	const char *name = partition->name;
	view_scontrol_say(control, "PartitionName=%s", name);
	view_scontrol_say(control, "AllowGroups=%s AllowAccounts=%s AllowQos=%s",
		setting_or(view, name, "AllowGroups", "ALL"), setting_or(view, name, "AllowAccounts", "ALL"),
		setting_or(view, name, "AllowQos", "ALL"));
	view_scontrol_say(control, "AllocNodes=%s Default=%s QoS=%s",
		setting_or(view, name, "AllocNodes", "ALL"), yes_no(partition->is_default),
		setting_or(view, name, "QOS", "N/A"));
	next_line(control);
	print_range(control, "DefaultTime", spec ? spec->default_time : SL_NONE, "NONE");
	printf(" DisableRootJobs=%s ExclusiveUser=%s GraceTime=%s Hidden=%s",
		setting_or(view, name, "DisableRootJobs", "NO"), yes_no(spec && spec->exclusive_user),
		setting_or(view, name, "GraceTime", "0"), yes_no(spec && spec->hidden));
	next_line(control);
	print_bound("MaxNodes", spec ? spec->nodes_max : SL_NONE);
	print_range(control, " MaxTime", spec ? spec->max_time : SL_NONE, "UNLIMITED");
	printf(" MinNodes=%" PRId64 " LLN=%s", spec && spec->nodes_min > 0 ? spec->nodes_min : 0,
		yes_no(spec && spec->least_loaded));
	print_bound(" MaxCPUsPerNode", spec ? spec->cpus_per_node_max : SL_NONE);
}

/* The first of these that is said, as the file says it. */
static void print_memory(const char *what, int64_t per_node, int64_t per_cpu)
{
	const bool cpu = per_cpu != SL_NONE && per_cpu > 0;
	printf("%s%s", what, cpu ? "MemPerCPU" : "MemPerNode");
	print_bound("", cpu ? per_cpu : per_node > 0 ? per_node : SL_NONE);
}

static void partition_rest(struct control *control, const struct view_partition *partition)
{
	static const char *const state[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
	static const char *const share[] = { "NO", "YES", "FORCE", "EXCLUSIVE" };
	const struct view *view = &control->view;
	const struct sl_partition *spec = partition->spec;
	const char *name = partition->name;
	int64_t cpus = 0;
	int64_t mem = 0;
	int64_t gpus = 0;
	for (uint32_t i = 0; i < partition->node_count; i++) {
		cpus += view->node[partition->node[i]].cpus;
		mem += view->node[partition->node[i]].mem;
		gpus += view->node[partition->node[i]].gpus;
	}
	next_line(control);
	print_nodes(control, "Nodes", partition->node, partition->node_count);
	view_scontrol_say(control,
		"PriorityJobFactor=%" PRId64 " PriorityTier=%" PRId64
		" RootOnly=%s ReqResv=%s OverSubscribe=%s",
		spec && spec->job_factor != SL_NONE ? spec->job_factor : 1,
		spec && spec->tier != SL_NONE ? spec->tier : 1, yes_no(spec && spec->root_only),
		setting_or(view, name, "ReqResv", "NO"), share[spec ? spec->share : SL_SHARE_NO]);
	if (spec && (spec->share == SL_SHARE_FORCE || spec->share == SL_SHARE_YES))
		printf(":%" PRId64, spec->shares > 0 ? spec->shares : 4);
	view_scontrol_say(control, "OverTimeLimit=%s PreemptMode=%s",
		setting_or(view, name, "OverTimeLimit", "NONE"),
		setting_or(view, name, "PreemptMode", "OFF"));
	view_scontrol_say(control, "State=%s TotalCPUs=%s TotalNodes=%" PRIu32 " SelectTypeParameters=NONE",
		state[spec ? spec->state : SL_PARTITION_UP], view_cpus(view, cpus).text,
		partition->node_count);
	view_scontrol_say(control, "JobDefaults=(null)");
	next_line(control);
	print_memory("Def", spec ? spec->mem_per_node : SL_NONE, spec ? spec->mem_per_cpu : SL_NONE);
	printf(" ");
	print_memory("Max", spec ? spec->mem_per_node_max : SL_NONE, spec ? spec->mem_per_cpu_max : SL_NONE);
	next_line(control);
	cell_clear(&control->cell);
	if (mem) {
		cell_put(&control->cell, "mem=");
		put_mem(&control->cell, mem);
		cell_put(&control->cell, ",");
	}
	const struct amount billed = view_cpus(view, cpus);
	printf("TRES=cpu=%s,%snode=%" PRIu32 ",billing=%s", billed.text, cell_or(control, ""),
		partition->node_count, billed.text);
	if (gpus)
		printf(",gres/gpu=%s", view_gpus(view, gpus).text);
}

static int show_partitions(struct control *control, const char *name, struct sl_err *err)
{
	bool found = false;
	for (uint32_t i = 0; i < control->view.partition_count; i++) {
		const struct view_partition *partition = &control->view.partition[i];
		if (name && strcmp(partition->name, name) != 0)
			continue;
		found = true;
		partition_head(control, partition);
		partition_rest(control, partition);
		end_entity(control);
	}
	return found ? SL_OK : view_refuse("scontrol", err, "Partition %s not found", name ? name : "");
}

/* ---- Reservations, the configuration ------------------------------------------------------------------ */

static void print_reservation(struct control *control, const struct view_reservation *it)
{
	const struct view *view = &control->view;
	int64_t cpus = it->cpus;
	int64_t cores = it->cpus;
	for (uint32_t i = 0; i < it->node_count; i++) {
		cpus += view->node[it->node[i]].cpus;
		cores += view->node[it->node[i]].cpus / view_hardware(view, it->node[i]).threads;
	}
	view_scontrol_say(control, "ReservationName=%s", or_null(it->name));
	print_time(control, " StartTime", it->from, "Unknown");
	print_time(control, " EndTime", it->until, "Unknown");
	print_range(
		control, " Duration", it->until == SL_NEVER ? SL_NONE : it->until - it->from, "UNLIMITED");
	next_line(control);
	print_nodes(control, "Nodes", it->node, it->node_count);
	printf(" NodeCnt=%" PRIu32 " CoreCnt=%s Features=%s PartitionName=%s Flags=%s", it->node_count,
		view_cpus(view, cores).text, or_null(it->features), or_null(it->partition),
		it->flags ? it->flags : "");
	view_scontrol_say(control, "TRES=cpu=%s", view_cpus(view, cpus).text);
	view_scontrol_say(control,
		"Users=%s Groups=(null) Accounts=%s Licenses=%s State=%s BurstBuffer=(null) Watts=n/a",
		or_null(it->users), or_null(it->accounts), or_null(it->licenses),
		it->from <= view->now && view->now < it->until ? "ACTIVE" : "INACTIVE");
	view_scontrol_say(control, "MaxStartDelay=(null)");
	end_entity(control);
}

static int show_reservations(struct control *control, const char *name, struct sl_err *err)
{
	const struct view *view = &control->view;
	bool found = false;
	for (uint32_t i = 0; i < view->reservation_count; i++) {
		const struct view_reservation *it = &view->reservation[i];
		if (name && (!it->name || strcmp(it->name, name) != 0))
			continue;
		found = true;
		print_reservation(control, it);
	}
	if (!found && name)
		return view_refuse("scontrol", err, "Reservation %s not found", name);
	if (!found)
		printf("No reservations in the system\n");
	return SL_OK;
}

static int compare_settings(const void *a, const void *b)
{
	const struct sl_setting *const *x = a;
	const struct sl_setting *const *y = b;
	const int less = strcasecmp((*x)->key, (*y)->key);
	return less ? less : (*x > *y) - (*x < *y);
}

/* What the cluster's files say of the whole; of a key that occurs twice the last. */
static int show_config(struct control *control, struct sl_err *err)
{
	const struct sl_cluster *cluster = control->view.cluster;
	const struct sl_setting **list =
		sl_alloc(control->view.arena, cluster->setting_count + 1U, sizeof(const struct sl_setting *));
	uint32_t count = 0;
	if (!list)
		return sl_fail_memory(err);
	for (uint32_t i = 0; i < cluster->setting_count; i++)
		if (strcmp(cluster->setting[i].kind, "cluster") == 0)
			list[count++] = &cluster->setting[i];
	qsort(list, count, sizeof(const struct sl_setting *), compare_settings);
	printf("Configuration data as of %s\n", DISPLAYED(control, put_date, control->view.now));
	if (!count)
		printf("%-23s = %s\n", "ClusterName", cluster->name ? cluster->name : "cluster");
	for (uint32_t i = 0; i < count; i++)
		if (i + 1 == count || strcasecmp(list[i]->key, list[i + 1]->key) != 0)
			printf("%-23s = %s\n", list[i]->key, list[i]->value);
	printf("\n");
	return SL_OK;
}

/* ---- Lists of hosts ------------------------------------------------------------------------------------ */

static int print_host(void *self, const char *name, size_t len)
{
	(void)self;
	printf("%.*s\n", (int)len, name);
	return SL_OK;
}

struct host_list {
	const char **name;
	size_t count;
	struct sl_arena *arena;
};

static int keep_host(void *self, const char *name, size_t len)
{
	struct host_list *list = self;
	list->name[list->count] = sl_strdup(list->arena, name, len);
	return list->name[list->count++] ? SL_OK : SL_SYSTEM;
}

static int show_hosts(const char *entity, const char *text, const struct view_call *call, struct sl_err *err)
{
	if (!text)
		return view_refuse("scontrol", err, "too few arguments for keyword:show");
	if (strcasecmp(entity, "hostnames") == 0)
		return sl_hosts_each(text, strlen(text), NULL, err, print_host, NULL);
	const int64_t count = sl_hosts_count(text, strlen(text), NULL, err);
	if (count < 0)
		return (int)count;
	struct host_list list = { .name = sl_alloc(call->arena, (size_t)count + 1, sizeof(*list.name)),
		.arena = call->arena };
	int status = list.name ? sl_hosts_each(text, strlen(text), NULL, err, keep_host, &list)
			       : sl_fail_memory(err);
	if (status)
		return status;
	const size_t len = sl_hosts_fold(list.name, list.count, NULL, 0);
	char *folded = sl_alloc(call->arena, len + 1, 1);
	if (!folded)
		return sl_fail_memory(err);
	(void)sl_hosts_fold(list.name, list.count, folded, len + 1);
	printf("%s\n", folded);
	return SL_OK;
}

/* ---- The command ------------------------------------------------------------------------------------------
 */

#define VIEW_SELF struct control
static const struct view_option options[] = {
	{ OPT_SKIP("all", 'a') },
	{ OPT_FLAG("details", 'd', details) },
	{ OPT_HELP("help", 'h') },
	{ OPT_FLAG("oneliner", 'o', one_line) },
	{ OPT_SKIP("quiet", 'Q') },
	{ OPT_SKIP("verbose", 'v') },
	{ OPT_VERSION },
	{ OPT_SKIP(NULL, 'F') },
	{ OPT_SKIP_VALUE(NULL, 'M') },
	{ OPT_SKIP_VALUE(NULL, 'u') },
};

/* Any beginning of a word will do: "res", "jobs". */
static bool is_entity(const char *word, const char *entity)
{
	const size_t len = strcspn(word, "=:");
	return len && len <= strlen(entity) && strncasecmp(word, entity, len) == 0;
}

static int show_entity(struct control *control, const char *entity, const char *id,
	const struct view_call *call, struct sl_err *err)
{
	const char *equals = strpbrk(entity, "=:");
	if (equals && !id)
		id = equals + 1; /* "show job=7" */
	if (strncasecmp(entity, "host", 4) == 0)
		return show_hosts(entity, id, call, err);
	const bool known = is_entity(entity, "jobs") || is_entity(entity, "nodes") ||
			   is_entity(entity, "partitions") || is_entity(entity, "reservations") ||
			   is_entity(entity, "config");
	if (!known)
		return view_refuse("scontrol", err, "invalid entity:%s for keyword:show", entity);
	const int status = call_open(&control->view, call, true, err);
	if (status)
		return status;
	if (is_entity(entity, "jobs"))
		return show_jobs(control, id, call, err);
	if (is_entity(entity, "nodes"))
		return show_nodes(control, id, err);
	if (is_entity(entity, "partitions"))
		return show_partitions(control, id, err);
	return is_entity(entity, "reservations") ? show_reservations(control, id, err)
						 : show_config(control, err);
}

static int view_scontrol_show(void *self, const struct view_call *call, struct sl_err *err)
{
	struct control *control = self;
	char **word = call->argv + optind;
	const int count = call->argc - optind;
	if (count && strcasecmp(word[0], "ping") == 0) {
		printf("Slurmctld(primary) at schedlab is UP\n");
		return SL_OK;
	}
	if (!count || strcasecmp(word[0], "show") != 0)
		return view_refuse("scontrol", err,
			"invalid keyword: %s: a view shows, and changes nothing: show, ping",
			count ? word[0] : "");
	if (count < 2)
		return view_refuse("scontrol", err, "too few arguments for keyword:show");
	const int status = show_entity(control, word[1], count > 2 ? word[2] : NULL, call, err);
	cell_free(&control->cell);
	return status;
}

int view_scontrol(const struct view_call *call, struct sl_err *err)
{
	static const struct view_tool scontrol = {
		.name = "scontrol",
		.help = "scontrol [-o] [-d] show job [ID] | node [NAME] | partition [NAME] | reservation [NAME] | config\n"
			"scontrol show hostnames LIST | hostlist LIST\n"
			"scontrol ping\n",
		.option = options,
		.option_count = SL_LEN(options),
		.show = view_scontrol_show,
	};
	struct control control = { 0 };
	return view_run(&scontrol, &control, call, err);
}
