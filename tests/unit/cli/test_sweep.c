/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_sweep.c - ranges, points and their names, rules, parts; and claims: one owner, until it is gone.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"

/* A sweep of a text, in a folder of its own with a trace t.swf. */
struct place {
	char dir[64], path[128], trace[128];
	struct sweep sweep;
	struct args args;
	struct sl_err err;
};

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void place_init(struct place *place)
{
	*place = (struct place){ .dir = "/tmp/sweep-test-XXXXXX" };
	cr_assert(mkdtemp(place->dir));
	(void)snprintf(place->path, sizeof(place->path), "%s/s.yaml", place->dir);
	(void)snprintf(place->trace, sizeof(place->trace), "%s/t.swf", place->dir);
	put(place->trace, "1 0 -1 10 1 -1 -1 1 10 -1 1 1 -1 -1 -1 -1 -1 -1\n");
	place->args.command = &cmd_sweep;
	place->args.arena = place->sweep.arena = sl_arena_new();
	place->sweep.args = &place->args;
	place->sweep.dir = place->dir;
	cr_assert(place->sweep.arena && chdir(place->dir) == 0);
}

static void place_release(struct place *place)
{
	char command[128];
	sl_arena_free(place->sweep.arena);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", place->dir);
	cr_assert(chdir("/") == 0 && system(command) == 0);
}

static int plan(struct place *place, const char *spec)
{
	put(place->path, spec);
	place->err = (struct sl_err){ 0 };
	place->sweep.count = 0;
	const int status = sweep_spec_read(&place->sweep.spec, place->path, place->sweep.arena, &place->err);
	return status ? status : sweep_plan(&place->sweep, &place->err);
}

/* ---- Ranges ---- */

Test(sweep, ranges_are_exact)
{
	static const struct {
		const char *text, *values; /* NULL: no range; "": refused. */
	} want[] = {
		{ "1..4", "1 2 3 4 " },
		{ "0.7..1:0.1", "0.7 0.8 0.9 1 " }, /* Added as doubles these pass the end. */
		{ "0..1:0.4", "0 0.4 0.8 " },
		{ "-1..1", "-1 0 1 " },
		{ "5..5", "5 " },
		{ "5..4", "" },
		{ "1..2:0", "" },
		{ "1..2:-1", "" },
		{ "1..100001", "" },
		{ "easy", NULL },
		{ "../t.swf", NULL },
		{ "a..b", NULL },
		{ "1..", NULL },
	};
	struct sl_arena *arena = sl_arena_new();
	for (size_t i = 0; i < SL_LEN(want); i++) {
		const char **value = NULL;
		char text[200] = "";
		size_t count = 0;
		bool is;
		struct sl_err err = { 0 };
		const int status = sweep_range(want[i].text, &value, &count, arena, &is, &err);
		cr_expect_eq(is, want[i].values != NULL, "%s", want[i].text);
		cr_expect_eq(status, is && !*want[i].values ? SL_INPUT : SL_OK, "%s", want[i].text);
		for (size_t v = 0; is && !status && v < count; v++)
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", value[v]);
		if (is && !status)
			cr_expect_str_eq(text, want[i].values, "%s: %s", want[i].text, text);
	}
	sl_arena_free(arena);
}

/* ---- Points ---- */

static const char two_by_three[] = "traces: [t.swf]\npolicies: [fcfs, easy]\nseeds: 1..3\n";

Test(sweep, last_factor_is_fastest)
{
	struct place place;
	place_init(&place);
	cr_assert_eq(plan(&place, two_by_three), SL_OK, "%s", place.err.text);
	cr_assert_eq(place.sweep.count, 6);
	static const char *const want[] = { "1 fcfs", "1 easy", "2 fcfs", "2 easy", "3 fcfs", "3 easy" };
	for (size_t i = 0; i < 6; i++) {
		char is[64];
		(void)snprintf(is, sizeof(is), "%s %s",
			point_value(&place.sweep, &place.sweep.point[i], place.sweep.spec.seed_at),
			point_value(&place.sweep, &place.sweep.point[i], place.sweep.spec.policy_at));
		cr_expect_str_eq(is, want[i], "point %zu: %s", i, is);
	}
	place_release(&place);
}

/* The id follows what decides the result, and nothing else. */
Test(sweep, ids_are_of_content)
{
	struct place place;
	char first[POINT_ID + 1];
	place_init(&place);
	cr_assert_eq(plan(&place, two_by_three), SL_OK, "%s", place.err.text);
	memcpy(first, place.sweep.point[3].id, sizeof(first)); /* easy, seed 2 */
	for (size_t i = 0; i < 6; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect_str_neq(place.sweep.point[i].id, place.sweep.point[k].id);
	/* Neither order, nor values beside it, nor what only the report reads. */
	cr_assert_eq(
		plan(&place, "name: x\ny: wait.mean\ntraces: t.swf\npolicies: [easy, fcfs]\nseeds: [2]\n"),
		SL_OK);
	cr_expect_str_eq(place.sweep.point[0].id, first);
	/* Not the path of the trace, but its bytes. */
	cr_assert_eq(rename("t.swf", "moved.swf"), 0);
	cr_assert_eq(plan(&place, "traces: moved.swf\npolicies: easy\nseeds: 2\n"), SL_OK);
	cr_expect_str_eq(place.sweep.point[0].id, first);
	put("moved.swf", "; other bytes\n");
	cr_assert_eq(plan(&place, "traces: moved.swf\npolicies: easy\nseeds: 2\n"), SL_OK);
	cr_expect_str_neq(place.sweep.point[0].id, first);
	place_release(&place);
}

Test(sweep, ids_follow_each_part)
{
	static const char *const other[] = {
		"traces: t.swf\npolicies: easy\nseeds: 2\n",
		"traces: t.swf\npolicies: easy\nseeds: 3\n",
		"traces: t.swf\npolicies: fcfs\nseeds: 2\n",
		"traces: t.swf\npolicies: easy\nseeds: 2\nsettings: {replay.load: 1}\n",
		"traces: t.swf\npolicies: easy\nseeds: 2\nsettings: {replay.load: 2}\n",
		"traces: t.swf\npolicies: easy\nseeds: 2\njobs: 1\n",
		"traces: t.swf\npolicies: easy\nseeds: 2\nlabels: true\n",
		"traces: t.swf\npolicies: easy\nseeds: 2\nmetrics: [\"wait.p95{size>=2}\"]\n",
		"traces: t.swf\nclusters: s.yaml\npolicies: easy\nseeds: 2\n",
		"traces: {generate: lublin, name: t.swf}\npolicies: easy\nseeds: 2\n",
	};
	struct place place;
	char id[SL_LEN(other)][POINT_ID + 1];
	place_init(&place);
	for (size_t i = 0; i < SL_LEN(other); i++) {
		cr_assert_eq(plan(&place, other[i]), SL_OK, "%s: %s", other[i], place.err.text);
		memcpy(id[i], place.sweep.point[0].id, sizeof(id[i]));
		for (size_t k = 0; k < i; k++)
			cr_expect_str_neq(id[i], id[k], "%s as %s", other[i], other[k]);
	}
	place_release(&place);
}

/* A file that a setting or a policy's parameter names counts by its bytes. */
Test(sweep, files_in_values_count)
{
	static const char spec[] = "traces: t.swf\npolicies: \"easy:file=./f.txt\"\n";
	struct place place;
	char first[POINT_ID + 1];
	place_init(&place);
	put("f.txt", "one\n");
	cr_assert_eq(plan(&place, spec), SL_OK, "%s", place.err.text);
	memcpy(first, place.sweep.point[0].id, sizeof(first));
	put("f.txt", "two\n");
	cr_assert_eq(plan(&place, spec), SL_OK);
	cr_expect_str_neq(place.sweep.point[0].id, first);
	place_release(&place);
}

Test(sweep, rules_keep_and_leave_out)
{
	static const struct {
		const char *rules;
		size_t count;
	} want[] = {
		{ "exclude: [{policy: fcfs, seed: 1}]\n", 5 },
		{ "exclude: [{policy: fcfs}, {seed: 3}]\n", 2 },
		{ "include: [{policy: fcfs}, {seed: 3}]\n", 4 },
		{ "include: [{policy: fcfs}]\nexclude: [{seed: 1}]\n", 2 },
		{ "exclude: [{policy: fcfs}, {policy: easy}]\n", 0 }, /* None is left: an error. */
	};
	struct place place;
	place_init(&place);
	for (size_t i = 0; i < SL_LEN(want); i++) {
		char spec[300];
		(void)snprintf(spec, sizeof(spec), "%s%s", two_by_three, want[i].rules);
		cr_expect_eq(plan(&place, spec), want[i].count ? SL_OK : SL_INPUT, "%s", want[i].rules);
		cr_expect_eq(place.sweep.count, want[i].count, "%s: %zu", want[i].rules, place.sweep.count);
	}
	place_release(&place);
}

Test(sweep, json_reads_as_yaml)
{
	struct place place;
	char first[POINT_ID + 1];
	place_init(&place);
	cr_assert_eq(plan(&place, two_by_three), SL_OK);
	memcpy(first, place.sweep.point[0].id, sizeof(first));
	cr_assert_eq(
		plan(&place,
			"{ \"traces\": [\"t.swf\"], \"policies\": [\"fcfs\", \"easy\"], \"seeds\": \"1..3\" }"),
		SL_OK, "%s", place.err.text);
	cr_expect_eq(place.sweep.count, 6);
	cr_expect_str_eq(place.sweep.point[0].id, first);
	place_release(&place);
}

/* ---- Parts ---- */

Test(sweep, parts_as_engines_say)
{
	static const struct {
		const char *name[3], *value[3];
		size_t part, parts;
	} want[] = {
		{ { NULL }, { NULL }, 0, 1 },
		{ { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" }, { "3", "8" }, 3, 8 },
		{ { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN" },
			{ "12", "8", "10" }, 2, 8 },
		{ { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" }, { "1", "2" }, 1, 2 },
		{ { "PMI_RANK", "PMI_SIZE" }, { "5", "6" }, 5, 6 },
		{ { "SLURM_PROCID", "SLURM_NTASKS" }, { "0", "4" }, 0, 4 },
		{ { "JOB_COMPLETION_INDEX" }, { "3" }, 0,
			1 }, /* Without --shards nobody knows of how many. */
		{ { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT" }, { "x", "8" }, 0, 1 },
	};
	struct args args = { .command = &cmd_sweep };
	struct sl_err err = { 0 };
	for (size_t i = 0; i < SL_LEN(want); i++) {
		size_t part;
		size_t parts;
		for (size_t k = 0; k < 3 && want[i].name[k]; k++)
			cr_assert_eq(setenv(want[i].name[k], want[i].value[k], 1), 0);
		cr_expect_eq(sweep_part(&args, &part, &parts, &err), SL_OK);
		cr_expect(part == want[i].part && parts == want[i].parts, "case %zu: %zu of %zu", i, part,
			parts);
		for (size_t k = 0; k < 3 && want[i].name[k]; k++)
			cr_assert_eq(unsetenv(want[i].name[k]), 0);
	}
}

/* ---- Claims ---- */

static void claims_begin(struct place *place)
{
	place_init(place);
	cr_assert_eq(plan(place, two_by_three), SL_OK);
	cr_assert(mkdir("points", 0777) == 0 && mkdir("claims", 0777) == 0);
}

static enum claimed take(struct place *place, struct claim *claim)
{
	enum claimed is;
	cr_assert_eq(claim_take(&place->sweep, &place->sweep.point[0], claim, &is, &place->err), SL_OK, "%s",
		place->err.text);
	return is;
}

Test(sweep, a_claim_has_one_owner)
{
	struct place place;
	struct claim mine;
	struct claim other;
	char path[200];
	claims_begin(&place);
	cr_expect_eq(claims_living(&place.sweep), 0);
	cr_expect_eq(take(&place, &mine), CLAIM_MINE);
	cr_expect_eq(take(&place, &other), CLAIM_TAKEN);
	cr_expect_eq(claims_living(&place.sweep), 1);
	claim_drop(&mine);
	cr_expect_eq(take(&place, &other), CLAIM_MINE);
	/* Its file is there: nothing is left to claim, whoever holds what. */
	(void)snprintf(path, sizeof(path), "points/%s.json", place.sweep.point[0].id);
	put(path, "{}\n");
	cr_expect_eq(take(&place, &mine), CLAIM_DONE);
	cr_expect_eq(claims_living(&place.sweep), 0);
	place_release(&place);
}

static void try_once(struct place *place, const int *go, const int *said, const int *stay)
{
	char c;
	struct claim claim;
	(void)close(go[1]);
	(void)close(stay[1]);
	(void)!read(go[0], &c, 1);
	const char mine = take(place, &claim) == CLAIM_MINE;
	(void)!write(said[1], &mine, 1);
	(void)!read(stay[0], &c, 1); /* It lives until all have tried. */
	_exit(0);
}

/* Of many that try at once one gets it. */
Test(sweep, one_of_many_gets_it)
{
	enum { MANY = 16 };
	struct place place;
	int go[2], said[2], stay[2];
	int got = 0;
	claims_begin(&place);
	cr_assert(pipe(go) == 0 && pipe(said) == 0 && pipe(stay) == 0);
	for (int i = 0; i < MANY; i++) {
		const pid_t child = fork();
		cr_assert_geq(child, 0);
		if (child == 0)
			try_once(&place, go, said, stay);
	}
	(void)close(go[1]);
	for (int i = 0; i < MANY; i++) {
		char mine = 0;
		cr_assert_eq(read(said[0], &mine, 1), 1);
		got += mine;
	}
	(void)close(stay[1]);
	for (int i = 0; i < MANY; i++)
		(void)wait(NULL);
	cr_expect_eq(got, 1, "%d", got);
	(void)close(go[0]);
	(void)close(stay[0]);
	(void)close(said[0]);
	(void)close(said[1]);
	place_release(&place);
}

/* One whose process ended without a word, reaped or not, is no owner; the point may have been done meanwhile.
 */
Test(sweep, claims_of_the_dead)
{
	struct place place;
	struct claim claim;
	char path[200];
	claims_begin(&place);
	for (int reaped = 0; reaped < 2; reaped++) {
		int ends[2];
		char c;
		cr_assert_eq(pipe(ends), 0);
		const pid_t child = fork();
		cr_assert_geq(child, 0);
		if (child == 0) {
			(void)take(&place, &claim);
			_exit(0);
		}
		(void)close(ends[1]);
		cr_assert_eq(read(ends[0], &c, 1), 0); /* It has ended. */
		if (reaped)
			cr_assert_eq(waitpid(child, NULL, 0), child);
		while (claims_living(&place.sweep))
			(void)usleep(1000);
		cr_expect_eq(take(&place, &claim), CLAIM_MINE);
		cr_expect(strstr(claim.gone, ", process "), "%s", claim.gone);
		cr_expect(strstr(claim.path, ".1"), "beside the dead one's: %s", claim.path);
		claims_forget(&place.sweep, &place.sweep.point[0]);
	}
	(void)snprintf(path, sizeof(path), "claims/%s.0", place.sweep.point[0].id);
	cr_expect_neq(access(path, F_OK), 0);
	place_release(&place);
}

/* A process number is used again: another start makes another owner. */
Test(sweep, claims_of_an_earlier_process)
{
	struct place place;
	struct claim claim;
	char text[500] = "";
	claims_begin(&place);
	cr_assert_eq(take(&place, &claim), CLAIM_MINE);
	FILE *file = fopen(claim.path, "r");
	cr_assert(file && fgets(text, sizeof(text), file));
	(void)fclose(file);
	/* "MACHINE PID START HOST": ours, with another start. */
	char rerun[300];
	char number[32];
	const int machine = (int)strcspn(text, " ");
	(void)snprintf(number, sizeof(number), " %ld ", (long)getpid());
	cr_assert(strncmp(text + machine, number, strlen(number)) == 0, "%s", text);
	(void)snprintf(rerun, sizeof(rerun), "%.*s%s1 here\n", machine < 200 ? machine : 0, text, number);
	put(claim.path, rerun);
	cr_expect_eq(take(&place, &claim), CLAIM_MINE);
	cr_expect(strstr(claim.gone, "here, process"), "%s", claim.gone);
	place_release(&place);
}

static void age(const char *path, time_t seconds)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_sec = time(NULL) - seconds } };
	cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Nobody here knows whether a process of another machine lives: only how long nothing was heard of it. */
Test(sweep, claims_of_other_machines)
{
	struct place place;
	struct claim claim;
	char path[200];
	claims_begin(&place);
	(void)snprintf(path, sizeof(path), "claims/%s.0", place.sweep.point[0].id);
	static const char *const text[] = { "boot/space 17 1000 node7\n",
		"" }; /* Or lost with a power cut. */
	for (size_t i = 0; i < SL_LEN(text); i++) {
		put(path, text[i]);
		cr_expect_eq(take(&place, &claim), CLAIM_TAKEN);
		age(path, CLAIM_LEASE_S - 20);
		cr_expect_eq(take(&place, &claim), CLAIM_TAKEN);
		age(path, CLAIM_LEASE_S + 20);
		cr_expect_eq(take(&place, &claim), CLAIM_MINE);
		/* A sign of life: ours, now. */
		age(claim.path, CLAIM_LEASE_S - 20);
		claim_touch(&claim);
		struct stat info;
		cr_expect(stat(claim.path, &info) == 0 && info.st_mtime + 60 > time(NULL));
		claims_forget(&place.sweep, &place.sweep.point[0]);
	}
	place_release(&place);
}

/* Claims of what is done stay while another machine may not see that it is; then they go. */
Test(sweep, claims_are_tidied_late)
{
	struct place place;
	struct claim claim;
	char path[200];
	claims_begin(&place);
	cr_assert_eq(take(&place, &claim), CLAIM_MINE);
	(void)snprintf(path, sizeof(path), "points/%s.json", place.sweep.point[0].id);
	put(path, "{}\n");
	claims_tidy(&place.sweep);
	cr_expect_eq(access(claim.path, F_OK), 0);
	age(claim.path, CLAIM_LEASE_S + 20);
	claims_tidy(&place.sweep);
	cr_expect_neq(access(claim.path, F_OK), 0);
	place_release(&place);
}
