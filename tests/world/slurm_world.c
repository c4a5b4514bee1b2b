/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_world.c - see slurm_world.h. */
#include "tests/world/slurm_world.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/plugin.h"

static uint32_t below(struct sl_rng *rng, uint32_t bound) { return (uint32_t)sl_rng_below(rng, bound); }
static bool one_in(struct sl_rng *rng, uint32_t n) { return below(rng, n) == 0; }

static FILE *file_of(const struct slurm_world *w, const char *name)
{
	char path[80];
	(void)snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	FILE *file = fopen(path, "w");
	cr_assert_not_null(file, "%s", path);
	return file;
}

static void put_date(FILE *file, int64_t second)
{
	(void)fprintf(file, "2024-01-%02dT%02d:%02d:%02d", (int)(1 + second / 86400),
		(int)(second / 3600 % 24), (int)(second / 60 % 60), (int)(second % 60));
}

/* ---- slurm.conf --------------------------------------------------------------------------------------- */

/* Those under which a job may starve behind others that cannot start. */
static bool may_starve(const char *flag)
{
	return strstr(flag, "depth") || strstr(flag, "max_job") || strstr(flag, "stop");
}

static void put_scheduler(struct slurm_world *w, FILE *file, struct sl_rng *rng)
{
	static const char *const flags[] = { "bf_continue", "bf_one_resv_per_job", "bf_running_job_reserve",
		"bf_busy_nodes", "assoc_limit_stop", "pack_serial_at_end", "preempt_youngest_first",
		"preempt_strict_order", "bf_max_job_user=2", "bf_max_job_test=5", "default_queue_depth=3",
		"bf_min_age_reserve=60", "bf_window_linear=30", "bf_licenses", "bf_max_job_array_resv=1",
		"sched_max_job_start=1", "reduce_completing_frag", "bf_window=10", "bf_max_job_part=3",
		"partition_job_depth=2", "defer", "bf_node_space_size=4", "preempt_reorder_count=3",
		"enable_user_top", "bf_job_part_count_reserve=1" };
	if (one_in(rng, 4))
		(void)fputs("DependencyParameters=kill_invalid_depend\n", file);
	if (one_in(rng, 6))
		return; /* As Slurm comes. */
	(void)fprintf(file,
		"SchedulerParameters=sched_interval=%u,batch_sched_delay=%u,bf_interval=%u,bf_resolution=%u",
		1 + below(rng, 3) * 20, below(rng, 2) * 3, 1 + below(rng, 3) * 10, 1 + below(rng, 2) * 59);
	for (uint32_t i = below(rng, 5); i > 0; i--) {
		const char *flag = flags[below(rng, SL_LEN(flags))];
		(void)fprintf(file, ",%s", flag);
		w->starves |= may_starve(flag);
	}
	(void)fputc('\n', file);
}

static void put_priority(const struct slurm_world *w, FILE *file, struct sl_rng *rng)
{
	if (w->accounting)
		(void)fputs(
			"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageEnforce=associations,"
			"limits,qos\n",
			file);
	if (one_in(rng, 2))
		return;
	(void)fprintf(file,
		"PriorityType=priority/multifactor\nPriorityWeightAge=%u\nPriorityWeightJobSize=%u\nPriorityWeightFairshare=%u\n"
		"PriorityWeightQOS=%u\nPriorityWeightPartition=100\nPriorityCalcPeriod=1\nPriorityMaxAge=0-1\n",
		below(rng, 2) * 1000, below(rng, 2) * 1000, below(rng, 2) * 1000, below(rng, 2) * 1000);
	if (one_in(rng, 3))
		(void)fputs("PriorityFlags=SMALL_RELATIVE_TO_TIME\n", file);
}

static void put_preemption(const struct slurm_world *w, FILE *file, struct sl_rng *rng)
{
	static const char *const how[] = { "REQUEUE", "CANCEL" };
	if (w->preempt == SW_BY_PART)
		(void)fprintf(
			file, "PreemptType=preempt/partition_prio\nPreemptMode=%s\n", how[below(rng, 2)]);
	if (w->preempt == SW_BY_QOS)
		(void)fprintf(file, "PreemptType=preempt/qos\nPreemptMode=%s\n", how[below(rng, 2)]);
	if (w->preempt == SW_GANG)
		(void)fprintf(file,
			"PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nSchedulerTimeSlice=%u\n",
			5 + below(rng, 30));
	if (w->preempt != SW_NO_PREEMPT && one_in(rng, 4))
		(void)fprintf(file, "PreemptExemptTime=00:%02u\n", 10 + below(rng, 40));
}

static void put_nodes(struct slurm_world *w, FILE *file, struct sl_rng *rng)
{
	FILE *gres = file_of(w, "gres.conf");
	(void)fputs("# What nodes have.\n", gres);
	w->node_count = 1 + below(rng, SW_NODES);
	for (uint32_t n = 0; n < w->node_count; n++) {
		struct sw_node *node = &w->node[n];
		*node = (struct sw_node){ 2 + 2 * below(rng, 3), 1000 * (1 + below(rng, 4)),
			one_in(rng, 3) ? 2 : 0 };
		(void)fprintf(file,
			"NodeName=n%u CPUs=%u Sockets=1 CoresPerSocket=%u ThreadsPerCore=1 RealMemory=%" PRId64
			" Weight=%u Feature=f%u",
			n + 1, node->cpus, node->cpus, node->mem, 1 + below(rng, 2), n % 2);
		if (node->gpus) {
			(void)fprintf(file, " Gres=gpu:%u", node->gpus);
			(void)fprintf(gres, "NodeName=n%u Name=gpu File=/dev/nvidia[0-%u]\n", n + 1,
				node->gpus - 1);
		}
		(void)fputc('\n', file);
	}
	(void)fclose(gres);
}

static void put_part(struct slurm_world *w, FILE *file, struct sl_rng *rng, uint32_t part)
{
	(void)fprintf(file, "PartitionName=p%u State=UP Default=%s PriorityTier=%u PriorityJobFactor=%u",
		part, part ? "NO" : "YES",
		w->preempt == SW_BY_PART || w->preempt == SW_GANG ? 1 + part : 1 + below(rng, 2),
		below(rng, 3));
	if (!part || one_in(rng, 2))
		(void)fputs(" Nodes=ALL", file);
	else
		(void)fprintf(file, " Nodes=n[1-%u]", 1 + below(rng, w->node_count));
	if (one_in(rng, 4))
		(void)fprintf(file, " MaxTime=%u", 2 + below(rng, 6));
	if (one_in(rng, 5))
		(void)fprintf(file, " MaxNodes=%u", 1 + below(rng, 3));
	if (one_in(rng, 8))
		(void)fputs(" LLN=YES", file);
	if (w->preempt == SW_GANG && part == 0) {
		(void)fputs(" OverSubscribe=FORCE:1", file);
	} else if (one_in(rng, 6)) {
		(void)fputs(" OverSubscribe=FORCE:2", file);
		w->shares++; /* Partitions have rows of cores of their own. */
	} else if (one_in(rng, 8)) {
		(void)fputs(" OverSubscribe=EXCLUSIVE", file);
	}
	if (w->preempt != SW_NO_PREEMPT && one_in(rng, 5))
		(void)fputs(" GraceTime=20", file);
	(void)fputc('\n', file);
}

static uint32_t put_conf(struct slurm_world *w, struct sl_rng *rng)
{
	static const char *const what[] = { "CR_Core_Memory", "CR_CPU_Memory", "CR_Core", "CR_CPU",
		"CR_Socket_Memory" };
	const uint32_t chosen = below(rng, SL_LEN(what) + 3);
	const char *const give = chosen < SL_LEN(what) ? what[chosen] : what[0];
	w->memory = strstr(give, "Memory") != NULL;
	FILE *file = file_of(w, "slurm.conf");
	(void)fprintf(file,
		"ClusterName=prop\nSlurmctldHost=h\nSelectType=select/cons_tres\nSelectTypeParameters=%s\nGresTypes=gpu\n"
		"SchedulerType=sched/backfill\nKillWait=%u\n",
		give, below(rng, 2) * 5);
	put_scheduler(w, file, rng);
	put_priority(w, file, rng);
	put_preemption(w, file, rng);
	if (w->licenses)
		(void)fprintf(file, "Licenses=lic:%" PRId64 "\n", w->licenses);
	if (w->power)
		(void)fprintf(file,
			"SuspendProgram=/bin/true\nResumeProgram=/bin/true\nSuspendTime=%u\nSuspendTimeout=%u\nResumeTimeout=%u\n",
			10 + below(rng, 100), 5 + below(rng, 20), 30 + below(rng, 60));
	put_nodes(w, file, rng);
	const uint32_t parts = w->preempt == SW_GANG || w->preempt == SW_BY_PART ? 2 + below(rng, 2)
										 : 1 + below(rng, SW_PARTS);
	for (uint32_t part = 0; part < parts; part++)
		put_part(w, file, rng, part);
	(void)fclose(file);
	return parts;
}

/* ---- Accounts ------------------------------------------------------------------------------------------ */

static int64_t limit(struct sl_rng *rng, uint32_t most)
{
	return one_in(rng, 3) ? 1 + below(rng, most) : SW_NONE;
}

static void put_limit(FILE *file, const char *before, int64_t value)
{
	if (value != SW_NONE)
		(void)fprintf(file, "%s%" PRId64, before, value);
	(void)fputc('|', file);
}

static void put_qos(struct slurm_world *w, struct sl_rng *rng)
{
	FILE *file = file_of(w, "qos.txt");
	(void)fputs("Name|Priority|Preempt|Flags|UsageFactor|GrpTRES|GrpJobs|MaxTRES|MaxTRESPU|MaxJobsPU|\n",
		file);
	for (uint32_t q = 0; q < SW_QOS; q++) {
		struct sw_qos *qos = &w->qos[q];
		*qos = (struct sw_qos){ SW_NONE, SW_NONE, SW_NONE, SW_NONE, SW_NONE };
		if (q)
			*qos = (struct sw_qos){ limit(rng, 12), limit(rng, 4), limit(rng, 8), limit(rng, 3),
				limit(rng, 6) };
		(void)fprintf(file, "%s%.0u|%u|", q ? "q" : "normal", q, q * 10);
		(void)fprintf(file, "%s|%s|1.000000|", w->preempt == SW_BY_QOS && q > 1 ? "normal,q1" : "",
			q && one_in(rng, 8) ? "DenyOnLimit" : "");
		put_limit(file, "cpu=", qos->grp_cpus);
		put_limit(file, "", qos->grp_jobs);
		put_limit(file, "cpu=", qos->job_cpus);
		put_limit(file, "cpu=", qos->user_cpus);
		put_limit(file, "", qos->user_jobs);
		(void)fputc('\n', file);
	}
	(void)fclose(file);
	file = file_of(w, "accounts.txt");
	(void)fputs(
		"Cluster|Account|User|Partition|ParentName|Share|MaxJobs|QOS|Def QOS\nprop|root||||1|||normal|\n"
		"prop|a|||root|2||normal,q1,q2,q3|\nprop|b|||root|1||normal,q1,q2,q3|\n",
		file);
	for (uint32_t u = 0; u < SW_USERS; u++) {
		w->assoc_jobs[u] = limit(rng, 4);
		(void)fprintf(file, "prop|%c|u%u|||%u|", u % 2 ? 'b' : 'a', u, 1 + below(rng, 3));
		put_limit(file, "", w->assoc_jobs[u]);
		(void)fputs("normal,q1,q2,q3|normal\n", file);
	}
	(void)fclose(file);
}

/* ---- Jobs -----------------------------------------------------------------------------------------------
 */

static void put_desc(
	FILE *file, struct slurm_world *w, struct sl_rng *rng, struct sw_job *job, uint32_t parts)
{
	const bool wide = one_in(rng, 4);
	(void)fprintf(file, "sbatch --time=%" PRId64, job->limit_min);
	if (wide && one_in(rng, 5))
		(void)fputs(one_in(rng, 2) ? " --nodes=1,2" : " --nodes=1-9:2", file);
	else if (wide)
		(void)fprintf(file, " --nodes=%u", 1 + below(rng, w->node_count));
	if (wide && one_in(rng, 3))
		(void)fputs(" --exclusive", file);
	else
		(void)fprintf(file, " --ntasks=%u", (wide ? w->node_count : 1) + below(rng, 6));
	if (one_in(rng, 4))
		(void)fprintf(file, " --cpus-per-task=%u", 1 + below(rng, 2));
	if (!one_in(rng, 5))
		(void)fprintf(
			file, one_in(rng, 4) ? " --mem-per-cpu=%u" : " --mem=%u", 100 + below(rng, 8) * 100);
	if (one_in(rng, 5))
		(void)fprintf(file, one_in(rng, 2) ? " --gres=gpu:%u" : " --gpus=%u", 1 + below(rng, 2));
	if (parts > 1)
		(void)fprintf(file, " --partition=p%u%s", below(rng, parts), one_in(rng, 6) ? ",p0" : "");
	if (w->accounting)
		(void)fprintf(file, " --qos=%s%.0u", job->qos ? "q" : "normal", job->qos);
	if (job->licenses)
		(void)fprintf(file, " --licenses=lic:%" PRId64, job->licenses);
	if (job->begin) {
		(void)fputs(" --begin=", file);
		put_date(file, job->begin);
	}
	if (one_in(rng, 10))
		(void)fprintf(file, " --nice=%u", below(rng, 200));
	if (one_in(rng, 12))
		(void)fputs(" --no-requeue", file);
	if (one_in(rng, 12))
		(void)fputs(" --hold", file);
	if (one_in(rng, 12))
		(void)fprintf(file, " --nodelist=n%u", 1 + below(rng, w->node_count));
	if (one_in(rng, 8))
		(void)fprintf(file, " --prefer=f%u", below(rng, 2));
	if (one_in(rng, 16))
		(void)fprintf(file, " --kill-on-invalid-dep=%s", one_in(rng, 2) ? "yes" : "no");
	if (one_in(rng, 16))
		(void)fputs(" --time-min=1", file);
	if (one_in(rng, 16))
		(void)fprintf(file, " --reservation=r%u", below(rng, 2));
}

static void put_depend(FILE *file, const struct sw_job *job)
{
	static const char *const kind[] = { "", "after", "afterany", "afterok", "afternotok" };
	if (job->depend != SW_FREE)
		(void)fprintf(file, " --dependency=%s:%u", kind[job->depend], job->on + 1);
}

static void draw_job(struct slurm_world *w, struct sl_rng *rng, struct sw_job *job, int64_t submit)
{
	*job = (struct sw_job){ .submit = submit,
		.run = 1 + below(rng, 200),
		.limit_min = 1 + below(rng, 5),
		.user = below(rng, SW_USERS),
		.qos = w->accounting ? below(rng, SW_QOS) : 0,
		.begin = one_in(rng, 10) ? submit + below(rng, 200) + 1 : 0,
		.array = SW_NONE,
		.licenses = w->licenses && one_in(rng, 4) ? 1 + below(rng, (uint32_t)w->licenses) : 0 };
	if (w->job_count && one_in(rng, 8)) {
		const uint32_t on = below(rng, w->job_count);
		job->depend = w->job[on].array == SW_NONE ? (enum sw_depend)(1 + below(rng, 4)) : SW_FREE;
		job->on = on;
	}
}

static void put_row(const struct slurm_world *w, FILE *file, uint32_t row, uint32_t task, const char *line)
{
	const struct sw_job *job = &w->job[row];
	if (job->array == SW_NONE)
		(void)fprintf(file, "%u", row + 1);
	else
		(void)fprintf(file, "%u_%u", job->array + 1, task);
	(void)fprintf(file, "|J|u%u|%s|||", job->user, !w->accounting ? "" : job->user % 2 ? "b" : "a");
	put_date(file, job->submit);
	(void)fprintf(file, "|Unknown|Unknown|%" PRId64 "|COMPLETED|0:0|%s --wrap=true\n", job->run, line);
}

static void put_jobs(struct slurm_world *w, struct sl_rng *rng, uint32_t parts)
{
	FILE *file = file_of(w, "sacct.txt");
	const uint32_t wanted = 1 + below(rng, SW_JOBS);
	int64_t submit = 0;
	(void)fputs(
		"JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|ElapsedRaw|State|ExitCode|SubmitLine\n",
		file);
	for (w->job_count = 0; w->job_count < wanted;) {
		struct sw_job job;
		draw_job(w, rng, &job, submit);
		uint32_t tasks = one_in(rng, 8) ? 2 + below(rng, 4) : 0;
		if (w->job_count + tasks > wanted)
			tasks = 0;
		char *line = NULL;
		size_t len = 0;
		FILE *text = open_memstream(&line, &len);
		put_desc(text, w, rng, &job, parts);
		put_depend(text, &job);
		if (tasks) {
			job.array = w->job_count;
			job.array_most = below(rng, 3);
			(void)fprintf(text, " --array=0-%u", tasks - 1);
			if (job.array_most)
				(void)fprintf(text, "%%%u", job.array_most);
		}
		(void)fclose(text);
		for (uint32_t task = 0; task < (tasks ? tasks : 1); task++) {
			w->job[w->job_count++] = job;
			put_row(w, file, w->job_count - 1, task, line);
		}
		free(line);
		submit += one_in(rng, 2) ? 0 : below(rng, 40);
	}
	(void)fclose(file);
}

/* ---- What operators do ------------------------------------------------------------------------------------
 */

static void put_command(struct slurm_world *w, FILE *file, struct sl_rng *rng, struct sw_command *command)
{
	static const char *const alter[] = { "suspend %u", "resume %u", "requeue %u", "requeuehold %u",
		"update jobid=%u timelimit=2", "update jobid=%u partition=p0", "update jobid=%u nice=10",
		"update jobid=%u priority=1000", "top %u", "update jobid=%u numnodes=2",
		"update jobid=%u numcpus=2", "update jobid=%u prefer=f1" };
	static const char *const harmless[] = { "hold %u", "release %u", "release %u", "release %u" };
	static const char *const state[] = {
		[SW_DRAIN] = "drain", [SW_DOWN] = "down", [SW_RESUME] = "resume"
	};
	const uint32_t job = 1 + below(rng, w->job_count);
	const uint32_t kind = below(rng, w->changes ? 7 : 5);
	*command = (struct sw_command){ .at = command->at, .node = below(rng, w->node_count) };
	put_date(file, command->at);
	if (kind == 0) {
		(void)fprintf(file, " scancel %u\n", job);
	} else if (kind == 1) {
		(void)fprintf(file,
			" scontrol create reservation reservationname=r%u starttime=now+%u duration=%u users=u%u nodes=n%u\n",
			below(rng, 2), below(rng, 300), 1 + below(rng, 3), below(rng, SW_USERS),
			command->node + 1);
	} else if (kind == 2 || kind == 3) {
		command->verb = (enum sw_verb)(1 + below(rng, 3));
		(void)fprintf(file, " scontrol update nodename=n%u state=%s reason=test\n", command->node + 1,
			state[command->verb]);
	} else {
		char text[80];
		(void)snprintf(text, sizeof(text), " scontrol %s\n",
			kind == 4 ? harmless[below(rng, SL_LEN(harmless))]
				  : alter[below(rng, SL_LEN(alter))]);
		for (const char *at = text; *at; at++)
			if (at[0] == '%' && at[1] == 'u')
				at += fprintf(file, "%u", job) > 0;
			else
				(void)fputc(*at, file);
	}
}

static void put_commands(struct slurm_world *w, struct sl_rng *rng)
{
	FILE *file = file_of(w, "commands.txt");
	int64_t at = below(rng, 60);
	w->command_count = one_in(rng, 2) ? below(rng, SW_COMMANDS) : 0;
	for (uint32_t i = 0; i < w->command_count; i++) {
		w->command[i].at = at;
		put_command(w, file, rng, &w->command[i]);
		at += below(rng, 60);
	}
	/* At last all nodes return to service, held jobs are released, and what is left
	 * by then is cancelled. */
	for (uint32_t n = 0; n < w->node_count; n++) {
		put_date(file, SW_BACK);
		(void)fprintf(file, " scontrol update nodename=n%u state=resume\n", n + 1);
	}
	for (uint32_t job = 0; job < w->job_count; job++) {
		put_date(file, SW_BACK);
		(void)fprintf(file, " scontrol release %u\n", job + 1);
	}
	for (uint32_t job = 0; job < w->job_count; job++) {
		put_date(file, SW_OVER);
		(void)fprintf(file, " scancel %u\n", job + 1);
	}
	(void)fclose(file);
}

void slurm_world_draw(struct slurm_world *w, uint64_t seed)
{
	struct sl_rng rng = sl_rng_stream(seed, "prop/slurm");
	memcpy(w->folder, "/tmp/schedlab-test-XXXXXX", sizeof("/tmp/schedlab-test-XXXXXX"));
	cr_assert_not_null(mkdtemp(w->folder));
	w->seed = seed;
	w->shares = 1;
	w->preempt = one_in(&rng, 2) ? SW_NO_PREEMPT : (enum sw_preempt)(1 + below(&rng, 3));
	w->accounting = w->preempt == SW_BY_QOS || one_in(&rng, 2);
	w->power = one_in(&rng, 6);
	w->changes = one_in(&rng, 2);
	w->licenses = one_in(&rng, 4) ? 1 + below(&rng, 3) : 0;
	const uint32_t parts = put_conf(w, &rng);
	put_qos(w, &rng);
	put_jobs(w, &rng, parts);
	put_commands(w, &rng);
}

void slurm_world_clear(struct slurm_world *w)
{
	static const char *const name[] = { "slurm.conf", "gres.conf", "qos.txt", "accounts.txt", "sacct.txt",
		"commands.txt" };
	char path[80];
	for (size_t i = 0; i < SL_LEN(name); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", w->folder, name[i]);
		(void)unlink(path);
	}
	(void)rmdir(w->folder);
}
