/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep_emit.c - a sweep for another engine, as a script or manifest on stdout.
 *
 * Each process that an engine starts runs the same command: it begins with its part of the points, which it
 * reads from the engine's own environment variables, and goes on with what nobody has begun. A process more
 * or less, or one that is restarted, changes nothing of the result.
 *
 * sbatch(1): --array, SLURM_ARRAY_TASK_ID; Kubernetes: Jobs with completionMode Indexed,
 * JOB_COMPLETION_INDEX; Open MPI: OMPI_COMM_WORLD_RANK; GNU parallel(1).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"

enum { TASKS_MAX = 1000, TASKS_USUAL = 100 };

struct emit {
	const struct sweep *sweep;
	size_t tasks;
	char *program;
	const char *spec, *dir, *here; /* Absolute. */
	bool make;
};

/* For sh: in quotes; within a makefile, where a dollar is two. */
static void quoted(const struct emit *emit, const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (*text == '$' && emit->make)
			fputs("$$", stdout);
		else
			putchar(*text);
	}
	putchar('\'');
}

static void command(const struct emit *emit, const char *more)
{
	quoted(emit, emit->program);
	fputs(" sweep run ", stdout);
	quoted(emit, emit->spec);
	fputs(" -o ", stdout);
	quoted(emit, emit->dir);
	printf(" --quiet -j 1%s%s", arg_flag(emit->sweep->args, "trust") ? " --trust" : "", more);
}

static const char *sweep_emit_name_of(const struct emit *emit)
{
	return emit->sweep->spec.name ? emit->sweep->spec.name : "sweep";
}

/* Letters, digits and '-', so that every engine accepts it. */
static void put_plain(const char *name)
{
	for (size_t i = 0; name[i] && i < 50; i++) {
		const char c = name[i];
		const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		putchar(plain ? c : c >= 'A' && c <= 'Z' ? c + 32 : '-');
	}
}

static void emit_slurm(const struct emit *emit)
{
	printf("#!/bin/sh\n#SBATCH --job-name=");
	put_plain(sweep_emit_name_of(emit));
	printf("\n#SBATCH --array=0-%zu\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n", emit->tasks - 1);
	printf("# %zu points. Submit it again after it was cancelled: what is done is kept, and nothing is done twice.\n"
	       "cd ",
		emit->sweep->count);
	quoted(emit, emit->here);
	printf(" || exit 6\nexec ");
	command(emit, "");
	putchar('\n');
}

static void emit_mpirun(const struct emit *emit)
{
	printf("#!/bin/sh\n# %zu points. mpirun's own options (hosts, --oversubscribe) can be given: sh SCRIPT --hostfile FILE\n"
	       "cd ",
		emit->sweep->count);
	quoted(emit, emit->here);
	printf(" || exit 6\nexec mpirun -n %zu \"$@\" ", emit->tasks);
	command(emit, "");
	putchar('\n');
}

static void emit_parallel(const struct emit *emit)
{
	printf("#!/bin/sh\n# %zu points. GNU parallel's own options (-j, --sshloginfile) can be given: sh SCRIPT -j 8\ncd ",
		emit->sweep->count);
	quoted(emit, emit->here);
	printf(" || exit 6\nseq 0 %zu | parallel -q \"$@\" ", emit->tasks - 1);
	command(emit, " --shard");
	printf(" '{}'/%zu\n", emit->tasks);
}

static void emit_make(const struct emit *emit)
{
	printf("# %zu points. make -f FILE -j N; -k goes on past points that failed.\nall:",
		emit->sweep->count);
	for (size_t i = 0; i < emit->tasks; i++)
		printf(" part-%zu", i);
	printf("\n.PHONY: all\npart-%%:\n\t@cd ");
	quoted(emit, emit->here);
	printf(" && ");
	command(emit, " --shard $*");
	printf("/%zu\n", emit->tasks);
}

/* JSON's strings are YAML's. */
static void json_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void emit_k8s(const struct emit *emit)
{
	printf("# %zu points. Before it is applied: 'image' must have schedlab, and the claim 'schedlab' is a volume that\n"
	       "# all pods write (ReadWriteMany) and that holds the spec and its inputs, mounted where they are here.\n"
	       "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ",
		emit->sweep->count);
	put_plain(sweep_emit_name_of(emit));
	printf("\nspec:\n  completionMode: Indexed\n  completions: %zu\n  parallelism: %zu\n  backoffLimitPerIndex: 3\n"
	       "  maxFailedIndexes: %zu\n  # Points that failed are kept: a pod that says so (1) is not started again.\n"
	       "  podFailurePolicy:\n    rules:\n      - action: FailIndex\n        onExitCodes: {operator: In, values: [1, 2, 3, 4]}\n"
	       "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
	       "        - name: sweep\n          image: schedlab\n          workingDir: ",
		emit->tasks, emit->tasks, emit->tasks);
	json_text(emit->here);
	printf("\n          command: [schedlab, sweep, run, ");
	json_text(emit->spec);
	printf(", -o, ");
	json_text(emit->dir);
	printf(", --quiet%s, -j, \"1\", --shards, \"%zu\"]\n"
	       "          volumeMounts:\n            - name: sweep\n              mountPath: ",
		arg_flag(emit->sweep->args, "trust") ? ", --trust" : "", emit->tasks);
	json_text(emit->here);
	printf("\n          resources:\n            requests: {cpu: \"1\", memory: 1Gi}\n      volumes:\n        - name: sweep\n"
	       "          persistentVolumeClaim:\n            claimName: schedlab\n");
}

static char *program_path(void)
{
	char path[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	return strdup(len > 0 ? path : "schedlab");
}

static const struct {
	const char *name;
	void (*emit)(const struct emit *emit);
} engines[] = {
	{ "slurm", emit_slurm },
	{ "k8s", emit_k8s },
	{ "mpirun", emit_mpirun },
	{ "parallel", emit_parallel },
	{ "make", emit_make },
};

const char *sweep_engine_at(size_t i) { return i < SL_LEN(engines) ? engines[i].name : NULL; }

/* Of names in scripts and manifests a line's end, or what a terminal obeys, is nobody's wish. */
static int name_check(const char *name, struct sl_err *err)
{
	for (const char *at = name; *at;) {
		char inert[SL_INERT_SIZE];
		const char *was = at;
		const size_t len = sl_inert(&at, inert);
		if (len != (size_t)(at - was) || memcmp(was, inert, len) != 0)
			return sl_fail(err, SL_USAGE,
				"--emit: '%.500s' has control characters, or is no UTF-8: give the folder another name",
				name);
	}
	return SL_OK;
}

int sweep_emit(const struct sweep *sweep, const char *engine, struct sl_err *err)
{
	uint64_t tasks;
	struct emit emit = { .sweep = sweep, .make = strcmp(engine, "make") == 0 };
	size_t e = 0;
	while (e < SL_LEN(engines) && strcmp(engines[e].name, engine) != 0)
		e++;
	if (e == SL_LEN(engines))
		return sl_fail(err, SL_USAGE,
			"--emit is for slurm, k8s, mpirun, parallel or make, not '%.60s'", engine);
	if (!sweep->dir)
		return sl_fail(err, SL_USAGE, "--emit: where are the points to go? give -o DIR");
	const size_t usual = sweep->count < TASKS_USUAL ? sweep->count : TASKS_USUAL;
	const int status = arg_u64(sweep->args, "tasks", usual, 1, TASKS_MAX, &tasks, err);
	if (status)
		return status;
	emit.tasks = tasks < sweep->count ? tasks : sweep->count;
	emit.here = sweep->folder;
	emit.spec = sweep->spec_path;
	emit.dir = sweep->dir;
	emit.program = program_path();
	if (!emit.program)
		return sl_fail_memory(err);
	const char *const names[] = { emit.here, emit.spec, emit.dir, emit.program };
	int wrong = SL_OK;
	for (size_t i = 0; i < SL_LEN(names) && !wrong; i++)
		wrong = name_check(names[i], err);
	if (!wrong)
		engines[e].emit(&emit);
	free(emit.program);
	return wrong;
}
