/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * users.c - a report as a plug-in: users.csv, one line a user, in the directory of a run.
 *
 * A report writes one file from a run that is over. docs/add-a-part.md goes through this file.
 */
#include <schedlab/plugin.h>

#include <stdio.h>

struct user {
	uint32_t jobs, started;
	sl_time waited;
	int64_t cpu_time; /* In cpu-microseconds. */
};

/* A trace has names of users, or bare numbers; -1: it does not say whose the job is. */
static const char *user_of(const struct sl_jobs *jobs, uint32_t job, char number[32])
{
	const int32_t user = jobs->user[job];
	if (user < 0)
		return "";
	if (jobs->user_name)
		return jobs->user_name[user];
	(void)snprintf(number, 32, "%d", (int)user);
	return number;
}

/* Users are numbered as they first appear, so that the same run has the same lines in the same order. */
static int sum_up(const struct sl_result *result, struct sl_names *names, struct user *user)
{
	const struct sl_jobs *jobs = result->jobs;
	for (uint32_t job = 0; job < jobs->count; job++) {
		char number[32];
		const uint32_t beneficiary = sl_names_add(names, user_of(jobs, job, number));
		if (beneficiary == UINT32_MAX)
			return SL_SYSTEM;
		user[beneficiary].jobs++;
		user[beneficiary].started += result->start[job] != SL_NONE;
		user[beneficiary].waited +=
			sl_wait_total_of(result, job); /* Of all attempts, if it had several. */
		user[beneficiary].cpu_time += sl_run_time_of(result, job) * sl_cpus_of(result, job);
	}
	return SL_OK;
}

static void put_micro(struct sl_out *out, int64_t micro)
{
	sl_out_text(out, ",");
	/* Room is asked for, written into, and how far was written is said. */
	sl_out_advance(out, sl_put_micro(sl_out_reserve(out, 32), micro));
}

static void put_all(struct sl_out *out, const struct sl_names *names, const struct user *user)
{
	sl_out_text(out, "user,jobs,started,wait_mean,cpu_seconds\n");
	for (uint32_t i = 0; user[i].jobs; i++) {
		sl_out_csv(out, sl_names_text(names, i)); /* With quotes, where CSV needs them. */
		sl_out_printf(out, ",%u,%u", (unsigned)user[i].jobs, (unsigned)user[i].started);
		put_micro(out, user[i].waited / user[i].jobs);
		put_micro(out, user[i].cpu_time);
		sl_out_text(out, "\n");
	}
}

/* Whether the disk was full is asked by whoever closes the file. */
static int write_users(const struct sl_result *result, struct sl_out *out, struct sl_err *err)
{
	struct sl_arena *arena = sl_arena_new();
	struct sl_names *names = arena ? sl_names_new(arena) : NULL;
	struct user *user = names ? sl_alloc(arena, (size_t)result->jobs->count + 1, sizeof(*user)) : NULL;
	const int status = user ? sum_up(result, names, user) : SL_SYSTEM;
	if (!status)
		put_all(out, names, user);
	if (names)
		sl_names_free(names);
	if (arena)
		sl_arena_free(arena);
	return status ? sl_fail(err, SL_SYSTEM, "out of memory") : SL_OK;
}

static bool has_jobs(const struct sl_result *result) { return result->jobs->count > 0; }

static const struct sl_report users = {
	.abi = SL_ABI_OF(struct sl_report),
	.name = "users.csv", /* --only users */
	.summary = "one line a user: jobs, how many started, their mean wait, what they used",
	.write = write_users,
	.wanted = has_jobs, /* False: this run has no such file. */
};

static const struct sl_report *const reports[] = { &users, NULL };

SL_API extern const struct sl_plugin sl_plugin;
const struct sl_plugin sl_plugin = {
	.abi = SL_ABI_OF(struct sl_plugin),
	.name = "users",
	.reports = reports,
};
