/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options_table.c - every option of sbatch(1), srun(1) and salloc(1), and where what it says goes.
 */
#include <stddef.h>
#include <string.h>

#include "traces/slurm/options.h"
#include "traces/slurm/options_parts.h"

#define ASK(member)  offsetof(struct sl_ask, member)
#define MORE(member) offsetof(struct sl_job_more, member)
#define SAID(member) offsetof(struct slurm_said, member)

static const struct slurm_option options[] = {
	/* What is asked. */
	{ "nodes", 'N', VALUE_NEEDED, OPTION_NODES, 0 },
	{ "ntasks", 'n', VALUE_NEEDED, OPTION_COUNT, ASK(tasks) },
	{ "tasks", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks) },
	{ "ntasks-per-node", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks_per_node) },
	{ "tasks-per-node", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks_per_node) },
	{ "ntasks-per-socket", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks_per_socket) },
	{ "ntasks-per-core", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks_per_core) },
	{ "ntasks-per-gpu", 0, VALUE_NEEDED, OPTION_COUNT, ASK(tasks_per_gpu) },
	{ "cpus-per-task", 'c', VALUE_NEEDED, OPTION_COUNT, ASK(cpus_per_task) },
	{ "cpus-per-gpu", 0, VALUE_NEEDED, OPTION_COUNT, ASK(cpus_per_gpu) },
	{ "mincpus", 0, VALUE_NEEDED, OPTION_COUNT, ASK(cpus_min) },
	{ "sockets-per-node", 0, VALUE_NEEDED, OPTION_COUNT, ASK(sockets_per_node) },
	{ "cores-per-socket", 0, VALUE_NEEDED, OPTION_COUNT, ASK(cores_per_socket) },
	{ "threads-per-core", 0, VALUE_NEEDED, OPTION_COUNT, ASK(threads_per_core) },
	{ "extra-node-info", 'B', VALUE_NEEDED, OPTION_EXTRA, 0 },
	{ "mem", 0, VALUE_NEEDED, OPTION_MEMORY, ASK(mem_per_node) },
	{ "mem-per-cpu", 0, VALUE_NEEDED, OPTION_MEMORY, ASK(mem_per_cpu) },
	{ "mem-per-gpu", 0, VALUE_NEEDED, OPTION_MEMORY, ASK(mem_per_gpu) },
	{ "tmp", 0, VALUE_NEEDED, OPTION_MEMORY, ASK(tmp) },
	{ "switches", 0, VALUE_NEEDED, OPTION_SWITCHES, 0 },
	{ "partition", 'p', VALUE_NEEDED, OPTION_TEXT, ASK(partition) },
	{ "gres", 0, VALUE_NEEDED, OPTION_TEXT, ASK(gres) },
	{ "gpus", 'G', VALUE_NEEDED, OPTION_TEXT, ASK(gpus) },
	{ "gpus-per-node", 0, VALUE_NEEDED, OPTION_TEXT, ASK(gpus_per_node) },
	{ "gpus-per-socket", 0, VALUE_NEEDED, OPTION_TEXT, ASK(gpus_per_socket) },
	{ "gpus-per-task", 0, VALUE_NEEDED, OPTION_TEXT, ASK(gpus_per_task) },
	{ "gres-flags", 0, VALUE_NEEDED, OPTION_TEXT, ASK(gres_flags) },
	{ "constraint", 'C', VALUE_NEEDED, OPTION_TEXT, ASK(constraint) },
	{ "nodelist", 'w', VALUE_NEEDED, OPTION_TEXT, ASK(nodelist) },
	{ "exclude", 'x', VALUE_NEEDED, OPTION_TEXT, ASK(exclude) },
	{ "distribution", 'm', VALUE_NEEDED, OPTION_TEXT, ASK(distribution) },
	{ "licenses", 'L', VALUE_NEEDED, OPTION_TEXT, ASK(licenses) },
	{ "reservation", 0, VALUE_NEEDED, OPTION_TEXT, ASK(reservation) },
	{ "exclusive", 0, VALUE_MAY, OPTION_EXCLUSIVE, 0 },
	{ "oversubscribe", 's', VALUE_NONE, OPTION_FLAG, ASK(oversubscribe) },
	{ "share", 0, VALUE_NONE, OPTION_FLAG, ASK(oversubscribe) },
	{ "overcommit", 'O', VALUE_NONE, OPTION_FLAG, ASK(overcommit) },
	{ "contiguous", 0, VALUE_NONE, OPTION_FLAG, ASK(contiguous) },
	{ "spread-job", 0, VALUE_NONE, OPTION_FLAG, ASK(spread) },
	{ "use-min-nodes", 0, VALUE_NONE, OPTION_FLAG, ASK(use_min_nodes) },
	{ "hint", 0, VALUE_NEEDED, OPTION_HINT, 0 },
	/* Of the job. */
	{ "time", 't', VALUE_NEEDED, OPTION_TIME, 0 },
	{ "time-min", 0, VALUE_NEEDED, OPTION_TIME_MIN, 0 },
	{ "begin", 'b', VALUE_NEEDED, OPTION_BEGIN, 0 },
	{ "deadline", 0, VALUE_NEEDED, OPTION_DEADLINE, 0 },
	{ "nice", 0, VALUE_MAY, OPTION_NICE, 0 },
	{ "array", 'a', VALUE_NEEDED, OPTION_ARRAY, 0 },
	{ "requeue", 0, VALUE_NONE, OPTION_REQUEUE, 0 },
	{ "no-requeue", 0, VALUE_NONE, OPTION_NO_REQUEUE, 0 },
	{ "hold", 'H', VALUE_NONE, OPTION_HOLD, 0 },
	{ "wrap", 0, VALUE_NEEDED, OPTION_WRAP, 0 },
	{ "job-name", 'J', VALUE_NEEDED, OPTION_MORE, MORE(name) },
	{ "qos", 'q', VALUE_NEEDED, OPTION_MORE, MORE(qos) },
	{ "dependency", 'd', VALUE_NEEDED, OPTION_MORE, MORE(dependency) },
	{ "account", 'A', VALUE_NEEDED, OPTION_SAID, SAID(account) },
	/* What no scheduler looks at. */
	{ "accel-bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "acctg-freq", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "batch", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "bb", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "bbf", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "bcast", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "bcast-exclude", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "bell", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "chdir", 'D', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "workdir", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "clusters", 'M', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "cluster-constraint", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "comment", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "compress", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "container", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "container-id", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "core-spec", 'S', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "thread-spec", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "cpu-bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "cpu_bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "cpu-freq", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "debugger-test", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "delay-boot", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "disable-status", 'X', VALUE_NONE, OPTION_SKIP, 0 },
	{ "epilog", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "error", 'e', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "exact", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "export", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "export-file", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "external-launcher", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "extra", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "get-user-env", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "gid", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "gpu-bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "gpu-freq", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "help", 'h', VALUE_NONE, OPTION_SKIP, 0 },
	{ "het-group", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "pack-group", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "ignore-pbs", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "immediate", 'I', VALUE_MAY, OPTION_SKIP, 0 },
	{ "input", 'i', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "interactive", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "jobid", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "kill-command", 'K', VALUE_MAY, OPTION_SKIP,
		0 }, /* srun: --kill-on-bad-exit, a value may be too. */
	{ "kill-on-bad-exit", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "kill-on-invalid-dep", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "label", 'l', VALUE_NONE, OPTION_SKIP, 0 },
	{ "mail-type", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "mail-user", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "mcs-label", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "mem-bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "mem_bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "mpi", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "msg-timeout", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "multi-prog", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "network", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "no-allocate", 'Z', VALUE_NONE, OPTION_SKIP, 0 },
	{ "no-bell", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "no-kill", 'k', VALUE_MAY, OPTION_SKIP, 0 },
	{ "no-shell", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "nodefile", 'F', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "open-mode", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "output", 'o', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "overlap", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "parsable", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "power", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "prefer", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "preserve-env", 'E', VALUE_NONE, OPTION_SKIP, 0 },
	{ "priority", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "profile", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "prolog", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "propagate", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "pty", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "quiet", 'Q', VALUE_NONE, OPTION_SKIP, 0 },
	{ "quit-on-interrupt", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "reboot", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "relative", 'r', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "resv-ports", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "send-libs", 0, VALUE_MAY, OPTION_SKIP, 0 },
	{ "signal", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "slurmd-debug", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "stepmgr", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "task-epilog", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "task-prolog", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "test-only", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "threads", 'T', VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "treewidth", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "tres-bind", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "tres-per-task", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "uid", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "unbuffered", 'u', VALUE_NONE, OPTION_SKIP, 0 },
	{ "usage", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "verbose", 'v', VALUE_NONE, OPTION_SKIP, 0 },
	{ "version", 'V', VALUE_NONE, OPTION_SKIP, 0 },
	{ "wait", 'W', VALUE_MAY, OPTION_SKIP, 0 },
	{ "wait-all-nodes", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "wait-for-switch", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "wckey", 0, VALUE_NEEDED, OPTION_SKIP, 0 },
	{ "whole", 0, VALUE_NONE, OPTION_SKIP, 0 },
	{ "x11", 0, VALUE_MAY, OPTION_SKIP, 0 },
};

const struct slurm_option *slurm_option_long(const char *name, size_t len)
{
	const struct slurm_option *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < SL_LEN(options) && len; i++) {
		if (options[i].name[0] != name[0] || strlen(options[i].name) < len ||
			memcmp(options[i].name, name, len) != 0)
			continue;
		if (!options[i].name[len])
			return &options[i];
		found = &options[i];
		count++;
	}
	return count == 1 ? found : NULL; /* Of two that begin so, none is meant. */
}

const struct slurm_option *slurm_option_short(char letter)
{
	for (size_t i = 0; i < SL_LEN(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}
