/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conf_options.c - what SchedulerParameters may hold (slurm.conf(5) of 22.05 and later), and what of it
 * policy slurm follows. slurmctld says nothing of a word that it does not know; here it is named.
 */
#include <string.h>
#include <strings.h>

#include "traces/slurm/conf.h"

/* Those that are followed. */
static const char *const followed[] = { "assoc_limit_stop", "batch_sched_delay", "bf_allow_magnetic_slot",
	"bf_busy_nodes", "bf_continue", "bf_hetjob_immediate", "bf_hetjob_prio", "bf_interval",
	"bf_job_part_count_reserve", "bf_licenses", "bf_max_job_array_resv", "bf_max_job_assoc",
	"bf_max_job_part", "bf_max_job_start", "bf_max_job_test", "bf_max_job_user", "bf_max_job_user_part",
	"bf_min_age_reserve", "bf_min_prio_reserve", "bf_node_space_size", "bf_one_resv_per_job",
	"bf_resolution", "bf_running_job_reserve", "bf_window", "bf_window_linear", "default_queue_depth",
	"defer", "defer_batch", "extra_constraints", "kill_invalid_depend", "pack_serial_at_end",
	"partition_job_depth", "preempt_reorder_count", "preempt_strict_order", "preempt_youngest_first",
	"requeue_delay", "sched_interval", "sched_max_job_start", "sched_min_interval",
	"time_min_as_soft_limit", "whole_hetjob", "whole_pack" };

/* Those that are not, and what is so instead. */
static const struct {
	const char *name, *instead;
} ignored[] = {
	{ "Ignore_NUMA", "sockets are as slurm.conf has them" },
	{ "allow_zero_lic", "a job that asks for a licence that there is not is refused" },
	{ "bf_ignore_newly_avail_nodes", "nodes that are free meanwhile are seen by the next pass" },
	{ "bf_max_time", "a pass takes no time" },
	{ "bf_topopt_enable", "a start is not put off for a better place" },
	{ "bf_topopt_iterations", "a start is not put off for a better place" },
	{ "bf_yield_interval", "a pass takes no time" },
	{ "bf_yield_rpc_cnt", "a pass takes no time" },
	{ "bf_yield_sleep", "a pass takes no time" },
	{ "build_queue_timeout", "a pass takes no time" },
	{ "correspond_after_task_cnt", "dependencies of arrays are followed whole" },
	{ "default_gbytes", "a request without a unit is in MiB" },
	{ "delay_boot", "a node boots as soon as it is chosen" },
	{ "disable_hetjob_steps", "does not move a start" },
	{ "disable_job_shrink", "jobs do not shrink" },
	{ "enable_expedited_requeue", "--requeue=expedite is as --requeue" },
	{ "enable_hetjob_steps", "does not move a start" },
	{ "enable_job_state_cache", "does not move a start" },
	{ "enable_user_top", "users move no job to the top but by commands" },
	{ "ignore_constraint_validation", "does not move a start" },
	{ "ignore_prefer_validation", "does not move a start" },
	{ "kill_invalid_depend", "DependencyParameters has it" },
	{ "max_array_tasks", "arrays are as large as the trace has them" },
	{ "max_depend_depth", "dependencies may be as deep as they are" },
	{ "max_rpc_cnt", "there are no calls to wait for" },
	{ "max_sched_time", "a pass takes no time" },
	{ "max_script_size", "does not move a start" },
	{ "max_submit_line_size", "does not move a start" },
	{ "max_switch_wait", "a job waits for its switches as long as it asks" },
	{ "no_backup_scheduling", "does not move a start" },
	{ "no_env_cache", "does not move a start" },
	{ "nohold_on_prolog_fail", "no prolog fails" },
	{ "permit_job_expansion", "jobs do not grow" },
	{ "reduce_completing_frag", "CompleteWait holds for all nodes" },
	{ "requeue_on_resume_failure", "a job whose nodes do not come up is put back as it asks" },
	{ "requeue_setup_env_fail", "does not move a start" },
	{ "salloc_wait_nodes", "does not move a start" },
	{ "sbatch_wait_nodes", "does not move a start" },
	{ "spec_cores_first", "which cores are specialized does not matter" },
	{ "step_retry_count", "does not move a start" },
	{ "step_retry_time", "does not move a start" },
};

enum { FOLLOWED = SL_LEN(followed), OPTIONS = FOLLOWED + SL_LEN(ignored) };

static const char *conf_options_name_of(size_t option)
{
	return option < FOLLOWED ? followed[option] : ignored[option - FOLLOWED].name;
}

static size_t conf_options_find(const char *name, size_t len)
{
	size_t i = 0;
	while (i < OPTIONS && !(strlen(conf_options_name_of(i)) == len &&
				      strncasecmp(conf_options_name_of(i), name, len) == 0))
		i++;
	return i;
}

bool conf_option_known(struct conf *conf, const char *option, size_t len, const char **similar)
{
	const char *known[OPTIONS + 1];
	*similar = "";
	if (conf_options_find(option, len) < OPTIONS)
		return true;
	for (size_t i = 0; i < OPTIONS; i++)
		known[i] = conf_options_name_of(i);
	known[OPTIONS] = NULL;
	const char *name = conf_strdup(&conf->mem, option, len);
	if (name)
		*similar = conf_suggest(conf, name, known);
	return false;
}

/* slurmctld takes the default where it is none, or too small, and says so in its log. */
bool conf_option_value(const char *option, size_t len)
{
	static const struct {
		const char *name;
		int64_t least;
		bool off; /* -1: never. */
	} numbers[] = { { "batch_sched_delay", 0, false }, { "bf_interval", 1, true },
		{ "bf_job_part_count_reserve", 0, false }, { "bf_max_job_array_resv", 0, false },
		{ "bf_max_job_assoc", 0, false }, { "bf_max_job_part", 0, false },
		{ "bf_max_job_start", 0, false }, { "bf_max_job_test", 1, false },
		{ "bf_max_job_user", 0, false }, { "bf_max_job_user_part", 0, false },
		{ "bf_min_age_reserve", 0, false }, { "bf_min_prio_reserve", 0, false },
		{ "bf_node_space_size", 2, false }, { "bf_resolution", 1, false }, { "bf_window", 1, false },
		{ "bf_window_linear", 0, false }, { "default_queue_depth", 0, false },
		{ "partition_job_depth", 0, false }, { "preempt_reorder_count", 0, false },
		{ "requeue_delay", 0, false }, { "sched_interval", 0, true },
		{ "sched_max_job_start", 0, false }, { "sched_min_interval", 0, false } };
	const size_t name = strcspn(option, ",=");
	size_t i = 0;
	int64_t value;
	while (i < SL_LEN(numbers) &&
		!(strlen(numbers[i].name) == name && strncasecmp(numbers[i].name, option, name) == 0))
		i++;
	if (i == SL_LEN(numbers))
		return true;
	return name < len && sl_get_i64(option + name + 1, len - name - 1, &value) &&
	       (value >= numbers[i].least || (numbers[i].off && value == -1));
}

/* The node selection looks at it, whoever decides. */
static bool is_placed(size_t option)
{
	return strcmp(conf_options_name_of(option), "bf_busy_nodes") == 0 ||
	       strcmp(conf_options_name_of(option), "pack_serial_at_end") == 0;
}

static int conf_options_report_here(struct conf *conf, const char *option, size_t len, struct sl_place at)
{
	const size_t name = strcspn(option, ",=");
	const size_t i = conf_options_find(option, name);
	const char *similar = "";
	const bool known = conf_option_known(conf, option, name, &similar);
	const char *instead = known && i >= FOLLOWED ? ignored[i - FOLLOWED].instead : NULL;
	const bool bad = known && !instead && !conf_option_value(option, len);
	const char *note = bad        ? "no value of it: the default holds"
			   : known    ? instead
			   : *similar ? similar
				      : NULL;
	const char *key = conf_printf(&conf->mem, "SchedulerParameters.%.*s", (int)name, option);
	const char *value = name < len ? conf_strdup(&conf->mem, option + name + 1, len - name - 1) : "";
	if (!key || !value)
		return sl_fail_memory(conf->err);
	return conf_report_other(conf, &(struct sl_setting){ .kind = "cluster",
					       .name = "",
					       .key = key,
					       .value = value,
					       .at = at,
					       .coverage = !known || bad ? SL_UNKNOWN_KEY
							   : note        ? SL_IGNORED
									 : SL_MODELLED,
					       .note = note,
					       .by = !known || note ? NULL
						     : is_placed(i) ? CONF_BY_PLACE
								    : CONF_BY_SLURM });
}

int conf_options_report(struct conf *conf, const char *text, struct sl_place at)
{
	int status = SL_OK;
	size_t len = 0;
	for (; *text && !status; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		if (len)
			status = conf_options_report_here(conf, text, len, at);
	}
	return status;
}
