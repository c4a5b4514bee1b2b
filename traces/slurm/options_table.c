/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options_table.c - every option of sbatch(1), srun(1) and salloc(1), and where what it says goes.
 */
#include <stddef.h>
#include <string.h>

#include "traces/slurm/options.h"
#include "traces/slurm/options_parts.h"

#define DESC(member) offsetof(struct sl_job_desc, member)
#define MORE(member) offsetof(struct sl_job_attributes, member)
#define SAID(member) offsetof(struct slurm_said, member)

static const struct slurm_option options[] = {
	/* The request. */
	{ "nodes", 'N', VALUE_NEEDED, OPTION_NODES, 0 },
	{ "ntasks", 'n', VALUE_NEEDED, OPTION_COUNT, DESC(tasks) },
	{ "tasks", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks) },
	{ "ntasks-per-node", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks_per_node) },
	{ "tasks-per-node", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks_per_node) },
	{ "ntasks-per-socket", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks_per_socket) },
	{ "ntasks-per-core", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks_per_core) },
	{ "ntasks-per-gpu", 0, VALUE_NEEDED, OPTION_COUNT, DESC(tasks_per_gpu) },
	{ "cpus-per-task", 'c', VALUE_NEEDED, OPTION_COUNT, DESC(cpus_per_task) },
	{ "cpus-per-gpu", 0, VALUE_NEEDED, OPTION_COUNT, DESC(cpus_per_gpu) },
	{ "mincpus", 0, VALUE_NEEDED, OPTION_COUNT, DESC(cpus_min) },
	{ "sockets-per-node", 0, VALUE_NEEDED, OPTION_COUNT, DESC(sockets_per_node) },
	{ "cores-per-socket", 0, VALUE_NEEDED, OPTION_COUNT, DESC(cores_per_socket) },
	{ "threads-per-core", 0, VALUE_NEEDED, OPTION_COUNT, DESC(threads_per_core) },
	{ "extra-node-info", 'B', VALUE_NEEDED, OPTION_EXTRA, 0 },
	{ "mem", 0, VALUE_NEEDED, OPTION_MEMORY, DESC(mem_per_node) },
	{ "mem-per-cpu", 0, VALUE_NEEDED, OPTION_MEMORY, DESC(mem_per_cpu) },
	{ "mem-per-gpu", 0, VALUE_NEEDED, OPTION_MEMORY, DESC(mem_per_gpu) },
	{ "tmp", 0, VALUE_NEEDED, OPTION_MEMORY, DESC(tmp) },
	{ "switches", 0, VALUE_NEEDED, OPTION_SWITCHES, 0 },
	{ "segment", 0, VALUE_NEEDED, OPTION_COUNT, DESC(segment) },
	{ "partition", 'p', VALUE_NEEDED, OPTION_TEXT, DESC(partition) },
	{ "gres", 0, VALUE_NEEDED, OPTION_TEXT, DESC(gres) },
	{ "gpus", 'G', VALUE_NEEDED, OPTION_TEXT, DESC(gpus) },
	{ "gpus-per-node", 0, VALUE_NEEDED, OPTION_TEXT, DESC(gpus_per_node) },
	{ "gpus-per-socket", 0, VALUE_NEEDED, OPTION_TEXT, DESC(gpus_per_socket) },
	{ "gpus-per-task", 0, VALUE_NEEDED, OPTION_TEXT, DESC(gpus_per_task) },
	{ "gres-flags", 0, VALUE_NEEDED, OPTION_TEXT, DESC(gres_flags) },
	{ "tres-per-task", 0, VALUE_NEEDED, OPTION_TRES_PER_TASK, 0 },
	{ "constraint", 'C', VALUE_NEEDED, OPTION_TEXT, DESC(constraint) },
	{ "prefer", 0, VALUE_NEEDED, OPTION_TEXT, DESC(prefer) },
	{ "extra", 0, VALUE_NEEDED, OPTION_TEXT, DESC(extra) },
	{ "nodelist", 'w', VALUE_NEEDED, OPTION_TEXT, DESC(nodelist) },
	{ "exclude", 'x', VALUE_NEEDED, OPTION_TEXT, DESC(exclude) },
	{ "distribution", 'm', VALUE_NEEDED, OPTION_TEXT, DESC(distribution) },
	{ "licenses", 'L', VALUE_NEEDED, OPTION_TEXT, DESC(licenses) },
	{ "reservation", 0, VALUE_NEEDED, OPTION_TEXT, DESC(reservation) },
	{ "exclusive", 0, VALUE_MAY, OPTION_EXCLUSIVE, 0 },
	{ "oversubscribe", 's', VALUE_NONE, OPTION_FLAG, DESC(oversubscribe) },
	{ "share", 0, VALUE_NONE, OPTION_FLAG, DESC(oversubscribe) },
	{ "overcommit", 'O', VALUE_NONE, OPTION_FLAG, DESC(overcommit) },
	{ "contiguous", 0, VALUE_NONE, OPTION_FLAG, DESC(contiguous) },
	{ "spread-job", 0, VALUE_NONE, OPTION_FLAG, DESC(spread) },
	{ "use-min-nodes", 0, VALUE_NONE, OPTION_FLAG, DESC(use_min_nodes) },
	{ "hint", 0, VALUE_NEEDED, OPTION_HINT, 0 },
	/* Of the job. */
	{ "time", 't', VALUE_NEEDED, OPTION_TIME, 0 },
	{ "time-min", 0, VALUE_NEEDED, OPTION_TIME_MIN, 0 },
	{ "begin", 'b', VALUE_NEEDED, OPTION_BEGIN, 0 },
	{ "deadline", 0, VALUE_NEEDED, OPTION_DEADLINE, 0 },
	{ "nice", 0, VALUE_MAY, OPTION_NICE, 0 },
	{ "array", 'a', VALUE_NEEDED, OPTION_ARRAY, 0 },
	{ "requeue", 0, VALUE_MAY, OPTION_REQUEUE, 0 },
	{ "no-requeue", 0, VALUE_NONE, OPTION_NO_REQUEUE, 0 },
	{ "hold", 'H', VALUE_NONE, OPTION_HOLD, 0 },
	{ "kill-on-invalid-dep", 0, VALUE_NEEDED, OPTION_KILL_INVALID, 0 },
	{ "wrap", 0, VALUE_NEEDED, OPTION_WRAP, 0 },
	{ "job-name", 'J', VALUE_NEEDED, OPTION_MORE, MORE(name) },
	{ "qos", 'q', VALUE_NEEDED, OPTION_MORE, MORE(qos) },
	{ "dependency", 'd', VALUE_NEEDED, OPTION_MORE, MORE(dependency) },
	{ "account", 'A', VALUE_NEEDED, OPTION_SAID, SAID(account) },
};

/* What no scheduler looks at: with a value, without, or with one that may be left out (of srun's -K too). */
#define NEEDS(name, letter) name, letter, VALUE_NEEDED, OPTION_SKIP, 0
#define ALONE(name, letter) name, letter, VALUE_NONE, OPTION_SKIP, 0
#define MAY(name, letter)   name, letter, VALUE_MAY, OPTION_SKIP, 0
static const struct slurm_option skipped[] = { { NEEDS("accel-bind", 0) }, { NEEDS("acctg-freq", 0) },
	{ MAY("bcast", 0) }, { NEEDS("bcast-exclude", 0) }, { ALONE("bell", 0) }, { NEEDS("chdir", 'D') },
	{ NEEDS("workdir", 0) }, { NEEDS("clusters", 'M') }, { NEEDS("comment", 0) }, { MAY("compress", 0) },
	{ NEEDS("container", 0) }, { NEEDS("container-id", 0) }, { NEEDS("cpu-bind", 0) },
	{ NEEDS("cpu_bind", 0) }, { NEEDS("cpu-freq", 0) }, { ALONE("debugger-test", 0) },
	{ ALONE("disable-status", 'X') }, { NEEDS("epilog", 0) }, { NEEDS("error", 'e') },
	{ ALONE("exact", 0) }, { NEEDS("export", 0) }, { NEEDS("export-file", 0) },
	{ ALONE("external-launcher", 0) }, { MAY("get-user-env", 0) }, { NEEDS("gid", 0) },
	{ NEEDS("gpu-bind", 0) }, { NEEDS("gpu-freq", 0) }, { ALONE("help", 'h') }, { NEEDS("het-group", 0) },
	{ NEEDS("pack-group", 0) }, { ALONE("ignore-pbs", 0) }, { NEEDS("input", 'i') },
	{ ALONE("interactive", 0) }, { NEEDS("jobid", 0) }, { MAY("kill-command", 'K') },
	{ MAY("kill-on-bad-exit", 0) }, { ALONE("label", 'l') }, { NEEDS("mail-type", 0) },
	{ NEEDS("mail-user", 0) }, { NEEDS("mem-bind", 0) }, { NEEDS("mem_bind", 0) }, { NEEDS("mpi", 0) },
	{ NEEDS("msg-timeout", 0) }, { ALONE("multi-prog", 0) }, { ALONE("no-allocate", 'Z') },
	{ ALONE("no-bell", 0) }, { ALONE("no-shell", 0) }, { NEEDS("oom-kill-step", 0) },
	{ NEEDS("open-mode", 0) }, { NEEDS("output", 'o') }, { ALONE("overlap", 0) },
	{ ALONE("parsable", 0) }, { NEEDS("power", 0) }, { ALONE("preserve-env", 'E') },
	{ NEEDS("profile", 0) }, { NEEDS("prolog", 0) }, { MAY("propagate", 0) }, { MAY("pty", 0) },
	{ ALONE("quiet", 'Q') }, { ALONE("quit-on-interrupt", 0) }, { NEEDS("relative", 'r') },
	{ MAY("resv-ports", 0) }, { MAY("send-libs", 0) }, { NEEDS("signal", 0) },
	{ NEEDS("slurmd-debug", 0) }, { ALONE("stepmgr", 0) }, { NEEDS("task-epilog", 0) },
	{ NEEDS("task-prolog", 0) }, { ALONE("test-only", 0) }, { NEEDS("threads", 'T') },
	{ NEEDS("treewidth", 0) }, { NEEDS("tres-bind", 0) }, { NEEDS("uid", 0) },
	{ ALONE("unbuffered", 'u') }, { ALONE("usage", 0) }, { ALONE("verbose", 'v') },
	{ ALONE("version", 'V') }, { MAY("wait", 'W') }, { NEEDS("wait-all-nodes", 0) },
	{ NEEDS("wait-for-switch", 0) }, { NEEDS("wckey", 0) }, { ALONE("whole", 0) }, { MAY("x11", 0) } };

/* What a scheduler looks at, and nobody here follows. */
#define DROP(name, letter, value, i) name, letter, value, OPTION_DROPPED, i
static const struct slurm_option dropped[] = {
	{ DROP("batch", 0, VALUE_NEEDED, 0) },
	{ DROP("bb", 0, VALUE_NEEDED, 1) },
	{ DROP("bbf", 0, VALUE_NEEDED, 2) },
	{ DROP("cluster-constraint", 0, VALUE_NEEDED, 3) },
	{ DROP("core-spec", 'S', VALUE_NEEDED, 4) },
	{ DROP("thread-spec", 0, VALUE_NEEDED, 5) },
	{ DROP("delay-boot", 0, VALUE_NEEDED, 6) },
	{ DROP("immediate", 'I', VALUE_MAY, 7) },
	{ DROP("mcs-label", 0, VALUE_NEEDED, 8) },
	{ DROP("network", 0, VALUE_NEEDED, 9) },
	{ DROP("no-kill", 'k', VALUE_MAY, 10) },
	{ DROP("nodefile", 'F', VALUE_NEEDED, 11) },
	{ DROP("priority", 0, VALUE_NEEDED, 12) },
	{ DROP("reboot", 0, VALUE_NONE, 13) },
	{ DROP("consolidate-segments", 0, VALUE_NONE, 14) },
	{ DROP("spread-segments", 0, VALUE_NONE, 15) },
	{ DROP("resources", 0, VALUE_NEEDED, 16) },
	{ DROP("mem-update", 0, VALUE_NEEDED, 17) },
};

/* Of 26.05: what earlier logs abbreviate does not mean them. */
enum { DROPPED_NEW = 16 };

_Static_assert(SL_LEN(dropped) == SLURM_DROPPED_MAX, "a bit for each");

const char *slurm_dropped_name(uint32_t i) { return i < SL_LEN(dropped) ? dropped[i].name : NULL; }

static inline const struct slurm_option *option_at(size_t i)
{
	if (i < SL_LEN(options))
		return &options[i];
	i -= SL_LEN(options);
	if (i < SL_LEN(dropped))
		return &dropped[i];
	i -= SL_LEN(dropped);
	return i < SL_LEN(skipped) ? &skipped[i] : NULL;
}

const struct slurm_option *slurm_option_at(size_t i) { return option_at(i); }

const struct slurm_option *slurm_option_long(const char *name, size_t len)
{
	const struct slurm_option *found = NULL;
	const struct slurm_option *option;
	size_t count = 0;
	for (size_t i = 0; len && (option = option_at(i)); i++) {
		if (option->name[0] != name[0] || strncmp(option->name, name, len) != 0)
			continue;
		if (!option->name[len])
			return option;
		if (option->what == OPTION_DROPPED && option->at >= DROPPED_NEW)
			continue;
		found = option;
		count++;
	}
	return count == 1 ? found : NULL; /* Of two that begin so, none is meant. */
}

static const struct slurm_option *find_letter(const struct slurm_option *option, size_t count, char letter)
{
	for (size_t i = 0; i < count; i++)
		if (option[i].letter == letter)
			return &option[i];
	return NULL;
}

const struct slurm_option *slurm_option_short(char letter)
{
	const struct slurm_option *found = find_letter(options, SL_LEN(options), letter);
	if (!found)
		found = find_letter(dropped, SL_LEN(dropped), letter);
	return found ? found : find_letter(skipped, SL_LEN(skipped), letter);
}
